/*
 * by_key.cuh: folds over runs of equal neighbouring keys: a reduction of each run, and scans that begin anew with each.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_KEY         K, any trivially copyable type of up to 256 bytes (int)
 *              GP_EQUAL(a, b) whether neighbours belong to one run (a == b); with GP_CONTEXT: GP_EQUAL(a, b, context)
 *              GP_TYPE        T, any trivially copyable type of up to 256 bytes (int)
 *              GP_OP          a ready operator, or a macro or function op(a, b) (GP_SUM)
 *              GP_IDENTITY    with an operator of your own: an expression or a brace initialiser
 *              GP_INPUT_TYPE  I, what is read from memory, of up to 256 bytes (T)
 *              GP_LOAD(x)     the map from I to T (conversion); with GP_CONTEXT: GP_LOAD(x, context)
 *              GP_LOAD_AT(in, i)   instead: an expression for item i, a size_t; `in` is handed through, its I may be
 *                             void, and it may be NULL; with GP_CONTEXT: GP_LOAD_AT(in, i, context)
 *              GP_CONTEXT     type of a by-value argument before `ws`
 *              GP_INDEX       INDEX, the type of the count, an integer type of 4 or 8 bytes that n has to fit (size_t)
 *              GP_API         linkage of the host functions (static inline)
 *              GP_KERNEL      GP_KERNEL_SIMPLE or GP_KERNEL_PIPELINED: runs that kernel at every n (either)
 *              GP_GRID        blocks of a launch at most (as many as fit)
 *
 * Generates    cudaError_t NAME_reduce_by_key(const K *keys, const I *in, K *keys_out, T *out, size_t n,
 *                                             INDEX *d_count, [context,] ws, stream)
 *              cudaError_t NAME_inclusive_scan_by_key(const K *keys, const I *in, T *out, size_t n,
 *                                                     [context,] ws, stream)
 *              cudaError_t NAME_exclusive_scan_by_key(keys, in, out, n, [context,] ws, stream)
 *              size_t      NAME_<each of them>_workspace_bytes(size_t n)
 *
 *     keys                     7 7 7 2 5 5 7
 *     in                       1 5 0 1 2 0 3
 *     reduce_by_key            keys_out 7 2 5 7, out 6 1 2 3         *d_count = 4
 *     inclusive_scan_by_key    1 6 6 1 2 2 3
 *     exclusive_scan_by_key    0 1 6 0 0 2 0       the identity first in each run
 *
 *     #include <gpuprims/by_key.cuh>
 *     gp_reduce_by_key(d_keys, d_in, d_keys_out, d_sums, n, d_count, NULL, stream);
 *
 * A type without `==` needs GP_EQUAL of its own. By `==` every NaN is a run of its own.
 *
 * Guarantees   Asynchronous on `stream`; the count goes to device memory. A key begins a run if it is the first or not
 *              equal to the key before it; GP_EQUAL need not be transitive. Of a run keys_out has the first key.
 *              Nothing is written past the count. Scans may be in place (in == out) when I and T have the same size; no
 *              other overlap. With GP_LOAD_AT nothing is in place, and what is read must not be written.
 *              GP_OP need not be commutative: it is called on neighbouring parts of a run in input order, and never on
 *              the identity. The same input gives the same bits everywhere: docs/fold-order.md.
 * Evaluations  GP_LOAD is evaluated on items of the input alone: twice on each, for the sums and for the results, and
 *              more often on some of the last warp tile, where lanes without items evaluate those of another lane.
 *              GP_LOAD_AT is evaluated once on each i < n. GP_EQUAL is evaluated on neighbours, once for each pair,
 *              and, where the input begins or ends within the keys of a warp, on a key and itself, and on some pairs
 *              again. Not in place, a warp that has waited long for the tile of another block folds that tile itself:
 *              once more on all of it.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched; else
 *              what a launch or an allocation returned. n == 0 gives a count of 0.
 *
 * How it works: in one launch and one pass. It is a scan of pairs: how many heads of runs there are, and the fold from
 * the last one on; two of them combine as in Sengupta, Harris, Zhang and Owens (Scan primitives for GPU computing,
 * 2007). The pass is that of scan.cuh, after the decoupled look-back of Merrill and Garland (2016), with no chain from
 * tile to tile:
 *
 *     1. every lane compares some neighbouring keys each with the one before it, and folds their items from head to
 *        head; every warp its lanes, a tile its warp tiles
 *     2. the tile publishes its number of heads, and the fold from the last one on
 *     3. the tile folds what all tiles before have published, in groups of 32
 *     4. every lane scans its items from there; at each head the run before it is complete
 *
 * Large inputs go through core/by_key/pipelined.cuh, in which different warps do these steps; small ones, keys and
 * items of more than 128 bytes and older GPUs through core/by_key/simple.cuh, in which every warp does all of them.
 * docs/by-key.md has pictures.
 * Cost: n reads of keys and items, and as many writes as there are results.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG by_key
#define GPI_HEADER "gpuprims/by_key.cuh"
#define GPI_TAKES \
    (GPI_TAKES_KEY | GPI_TAKES_EQUAL | GPI_TAKES_TYPE | GPI_TAKES_OP | GPI_TAKES_IDENTITY | GPI_TAKES_INPUT_TYPE | \
     GPI_TAKES_LOAD | GPI_TAKES_LOAD_AT | GPI_TAKES_CONTEXT | GPI_TAKES_INDEX | GPI_TAKES_API | GPI_TAKES_KERNEL | \
     GPI_TAKES_GRID)
#endif
#include "core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/by_key.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_IDENTITY
#error "gpuprims/by_key.cuh: GP_IDENTITY is missing; a GP_OP of your own requires it"
#endif
#if defined GPI_MISSING_OP
#error "gpuprims/by_key.cuh: GP_OP is missing; GP_IDENTITY goes with a GP_OP of your own"
#endif
#if defined GPI_MISSING_CONTEXT_USER
#error "gpuprims/by_key.cuh: GP_LOAD is missing; nothing else would receive the GP_CONTEXT"
#endif
#if defined GP_LOAD && defined GP_LOAD_AT
#error "gpuprims/by_key.cuh: GP_LOAD must be left out; GP_LOAD_AT takes its place"
#endif

#if !defined GPI_DEFAULT || !defined GPI_BY_KEY_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_BY_KEY_DEFAULT
#endif
GPI_ONCE_PER_NAME(by_key);
GPI_AT_MOST(GP_KEY, 256);
GPI_AT_MOST(GP_TYPE, 256);
#ifndef GP_LOAD_AT
GPI_AT_MOST(GP_INPUT_TYPE, 256);
#endif
GPI_CHECK_INDEX();

typedef GP_KEY GPI(key);
#include "core/instance/combine.cuh"

/* Of a tile or a part of one: its heads, and the fold of the items from the last one on, or of all if there is none. */
typedef struct {
    uint32_t heads;
    GP_TYPE fold;
} GPI(sum);

/* The same of any number of tiles. */
typedef struct {
    uint64_t heads;
    GP_TYPE fold;
} GPI(total);

GPI_DEVICE GPI(sum) GPI(join)(GPI(sum) a, GPI(sum) b)
{
    if (!b.heads)
        b.fold = GPI(combine)(a.fold, b.fold);
    b.heads += a.heads;
    return b;
}

#define GPI_FOLDS_STRUCTS
#define GPI_WARP_TILE_BESIDE GP_KEY
#include "core/instance/fold.cuh"
#include "core/tile/warp_tile.cuh"
#include "core/tile/heads.cuh"
#include "core/tile/tile_state.cuh"
#include "core/by_key/tuning.cuh"

/* What is computed: the fold of each run, or of each item and those before it in its run. */
#ifndef GPI_BY_KEY_REDUCES
#define GPI_BY_KEY_REDUCES   0
#define GPI_BY_KEY_INCLUSIVE 1
#define GPI_BY_KEY_EXCLUSIVE 2
#endif

/* What a launch works on. */
typedef struct {
    const GP_KEY *keys;
    const GP_INPUT_TYPE *in;
    GP_KEY *keys_out;
    GP_TYPE *out;
    GP_INDEX *count;
    size_t n;
    gpi_tile_state_head *head; /* the tile states follow it */
    unsigned tiles, warp_tiles; /* of a tile */
    unsigned last_warp_tiles;   /* of the last tile; its last warp tile may be short */
    int in_place; /* or treated so: all tiles by tickets, none folded for another block */
    int result;   /* a GPI_BY_KEY_... */
} GPI(job);

/* The folds and keys of so few heads are written one by one; more are put together first. */
#define GPI_BY_KEY_IS_SPARSE(heads)        ((heads) <= GPI(warp_tile_n) / 16)
#define GPI_BY_KEY_IS_LAST(job, warp_tile) (((warp_tile) + 1) * GPI(warp_tile_n) >= (job)->n)

/* Whether the operator may be called on items that are not neighbours, and the result thrown away: a ready one. */
#ifdef GP_IDENTITY
#define GPI_BY_KEY_MAY_COMBINE 0
#else
#define GPI_BY_KEY_MAY_COMBINE GPI_IS_NUMBER(GP_TYPE)
#endif

/* Slots of a warp tile: of its keys, then of its items. What else a block shares: a table for keys of a byte. */
enum {
    GPI(slots) = (int)GPI(key_slot) + (int)GPI(slot_bytes),
    GPI(helps) = GPI_PIPELINE_SERVES, /* of larger items the code would take long to compile */
    GPI(moves) = 0,
    GPI(any_order) = 0 /* smaller tiles would gain nothing */
};
typedef gpi_pack_table GPI(shared);

/* ---- device functions ------------------------------------------------------------------------ */

#if GPI_DEVICE_CODE
GPI_DEVICE void GPI(share)(GPI(shared) *table)
{
    if (sizeof(GP_KEY) == 1)
        gpi_pack_prepare(table);
}

GPI_DEVICE GPI(total) GPI(total_of)(GPI(sum) group)
{
    GPI(total) total;

    total.heads = group.heads;
    total.fold = group.fold;
    return total;
}

GPI_DEVICE GPI(total) GPI(add)(GPI(total) before, GPI(sum) group)
{
    before.fold = group.heads ? group.fold : GPI(combine)(before.fold, group.fold);
    before.heads += group.heads;
    return before;
}

/* The copy of a warp tile's keys to its slot, or of its items; of no bytes if there is nothing to copy. */
GPI_DEVICE gpi_copy GPI(copy_of)(const GPI(job) *job, size_t warp_tile, int keys, char *slots)
{
    if (!keys)
        return GPI(copy_warp_tile)(job->in, job->n, warp_tile, slots + GPI(key_slot));
    return GPI(copy_keys)(job->keys, job->n, warp_tile, slots);
}

/* Where the items of a warp tile begin in their slot. */
GPI_DEVICE unsigned GPI(misalignment)(const GPI(job) *job, size_t warp_tile)
{
    return gpi_misalignment(GPI(read_from)(job->in, warp_tile));
}

/* Reads the lane's items of a warp tile, or those of the lane that stands in for it. */
GPI_DEVICE void GPI(read_items)(const GPI(job) *job, GPI(thread_items) *regs, const char *slot, size_t warp_tile,
                                unsigned n, unsigned lane, GPI_CONTEXT context)
{
    GPI(thread_read)(regs, slot, GPI(misalignment)(job, warp_tile), GPI(source_lane)(n, lane), context);
}

/*
 * What a lane finds out about a warp tile: its heads, the sum of the lanes before, if there are any, and that of all.
 * Where there is no item, a head stands in for it: what comes before is complete there, and nothing is folded with it.
 */
typedef struct {
    uint32_t heads[GPI(head_words)];
    GPI(sum) before, all;
} GPI(found);

/* The bits of word w of the lane's heads that stand in for items beyond the n of the warp tile. */
#define GPI_BY_KEY_BEYOND(n, lane, w) (~gpi_low_bits((int)(n) - (int)((lane) * GPI(thread_n)) - 32 * (w)))

/* One warp: finds the heads of a warp tile of at least one item, which is in its slots, and folds its items. */
GPI_DEVICE GPI(found) GPI(find)(const GPI(job) *job, size_t warp_tile, char *slots, unsigned lane, GPI_CONTEXT context)
{
    const unsigned n = GPI(warp_tile_items)(job->n, warp_tile);
    char *keys = slots + GPI(part_of_keys)(job->keys, warp_tile, 0).place, *slot = slots + GPI(key_slot);
    GPI(thread_items) regs;
    GPI(found) found;
    GPI(sum) sum;

#ifdef GP_LOAD_AT
    GPI(compute_items)(job->in, warp_tile * GPI(warp_tile_n), n, slot, lane, context);
#endif
    GPI(fill)(keys, slot + GPI(misalignment)(job, warp_tile), n, lane);
    GPI(find_heads)(found.heads, keys, n, warp_tile == 0, lane, context);
    GPI(read_items)(job, &regs, slot, warp_tile, n, lane, context);
    sum.heads = 0;
    GPI_UNROLL
    for (int w = 0; w < GPI(head_words); w++) {
        found.heads[w] |= GPI_BY_KEY_BEYOND(n, lane, w);
        sum.heads += (uint32_t)__popc(found.heads[w] & gpi_low_bits(GPI(thread_n) - 32 * w));
    }
    sum.fold = regs.items[0];
    GPI_UNROLL
    for (unsigned i = 1; i < GPI(thread_n); i++)
        sum.fold = GPI(is_head)(found.heads, i) ? regs.items[i] : GPI(combine)(sum.fold, regs.items[i]);
    sum = GPI(warp_scan)(sum, (int)lane, 32);
    found.before = GPI(shuffle_up)(sum, 1);
    found.before.heads = lane ? found.before.heads : 0;
    found.all = GPI(shuffle)(sum, 31);
    return found;
}

/* One warp, rarely: the sum of a tile that is not the last, from global memory; in lane 0. */
GPI_DEVICE GPI(sum) GPI(sum_tile)(const GPI(job) *job, size_t tile, unsigned lane, GPI_CONTEXT context)
{
    size_t first = tile * GPI(tile_n) + lane * GPI(thread_n);
    GPI(sum) warp_tiles;

    memset((void *)&warp_tiles, 0, sizeof warp_tiles);
    GPI_NO_UNROLL
    for (unsigned q = 0;; q++, first += GPI(warp_tile_n)) {
        const int all = q == GPI(warp_tiles); /* in the end the warp tiles: one copy of the code for both */
        GPI(sum) sum = warp_tiles;

        if (!all)
            sum.heads = 0;
        GPI_NO_UNROLL
        for (size_t i = first; !all && i < first + GPI(thread_n); i++) {
            const int head = i == 0 || !GPI(equal)(job->keys[i - 1], job->keys[i], context);
            const GP_TYPE x = GPI(load_at)(job->in, i, context);

            sum.fold = head || i == first ? x : GPI(combine)(sum.fold, x);
            sum.heads += (uint32_t)head;
        }
        sum = GPI(warp_reduce)(sum, (int)lane, all ? (int)GPI(warp_tiles) : 32);
        if (all)
            return sum;
        sum = GPI(shuffle)(sum, 0);
        if (lane == q)
            warp_tiles = sum;
    }
}
#endif

#include "core/tile/look_back.cuh"
#include "core/tile/forward.cuh"

#if GPI_DEVICE_CODE
GPI_DEVICE GPI(look) GPI(look_start)(const GPI(job) *job)
{
    GPI(look) look;

    (void)job;
    memset((void *)&look, 0, sizeof look);
    return look;
}

/*
 * Puts the folds of the runs that end at the lane's heads together, from `to` on in shared memory. Returns the fold up
 * to the lane's last item.
 */
GPI_DEVICE GP_TYPE GPI(put_folds)(char *to, const GPI(thread_items) *regs, const uint32_t *heads, GP_TYPE fold)
{
    const unsigned size = sizeof fold;

    if (sizeof(GP_TYPE) == 4 && __alignof__(GP_TYPE) == 4) {
        gpi_shared_place place = gpi_shared_place_of(to);

        GPI_UNROLL
        for (unsigned i = 0; i < GPI(thread_n); i++) {
            const uint32_t head = GPI(is_head)(heads, i);
            GP_TYPE both = regs->items[i];
            uint32_t word = 0, other = 0;

            if (GPI_BY_KEY_MAY_COMBINE || !head)
                both = GPI(combine)(fold, both);
            memcpy(&word, (const void *)&fold, size < 4 ? size : 4);
            memcpy(&other, (const void *)&both, size < 4 ? size : 4);
            word = gpi_store_if_else(&place, head, word, regs->words[i], other);
            memcpy((void *)&fold, &word, size < 4 ? size : 4);
        }
    } else {
        GPI_UNROLL
        for (unsigned i = 0; i < GPI(thread_n); i++) {
            if (GPI(is_head)(heads, i)) {
                gpi_put(to, fold);
                to += size;
                fold = regs->items[i];
            } else {
                fold = GPI(combine)(fold, regs->items[i]);
            }
        }
    }
    return fold;
}

/*
 * Where the heads of a warp tile are few: writes the fold of the run that ends at each, and its key, one by one. The
 * folds are at `folds`, key 0 at `tile`. `before` heads come before the warp tile.
 */
GPI_DEVICE void GPI(write_sparse)(const GPI(job) *job, const char *tile, const char *folds, const GPI(found) *found,
                                  size_t before, unsigned n, unsigned lane)
{
    unsigned rank = found->before.heads;

    GPI_UNROLL
    for (int w = 0; w < GPI(head_words); w++) {
        const uint32_t mine = gpi_low_bits(GPI(thread_n) - 32 * w) & ~GPI_BY_KEY_BEYOND(n + 1, lane, w);

        GPI_NO_UNROLL
        for (uint32_t bits = found->heads[w] & mine; bits; bits &= bits - 1) {
            const unsigned at = lane * GPI(thread_n) + 32 * (unsigned)w + (unsigned)__ffs((int)bits) - 1;
            GP_TYPE x;
            GP_KEY key;

            gpi_get(x, folds + rank * sizeof x);
            gpi_get(key, tile + at * sizeof key);
            if (before + rank) /* the first head of all ends no run */
                job->out[before + rank - 1] = x;
            if (at < n) /* the one that stands for an item beyond them ends the last run */
                job->keys_out[before + rank] = key;
            rank++;
        }
    }
}

/* Scans the items of a warp tile in its slot, and writes n results. */
GPI_DEVICE void GPI(write_scan)(const GPI(job) *job, char *slot, GPI(thread_items) *regs, const GPI(found) *found,
                                GP_TYPE fold, GP_TYPE *out, unsigned n, unsigned lane, int bulk)
{
    const int exclusive = job->result == GPI_BY_KEY_EXCLUSIVE;

    GPI_UNROLL
    for (unsigned i = 0; i < GPI(thread_n); i++) {
        const uint32_t head = GPI(is_head)(found->heads, i);
        const GP_TYPE before = head ? GPI(identity)() : fold;

        fold = head ? regs->items[i] : GPI(combine)(fold, regs->items[i]);
        regs->items[i] = exclusive ? before : fold;
    }
    GPI(thread_write)(regs, slot, gpi_misalignment(out), lane);
    if (bulk)
        gpi_fence_async();
    __syncwarp(); /* the results are in the slot */
    if (bulk)
        gpi_store_bulk((char *)out, slot, n * (unsigned)sizeof(GP_TYPE), lane);
    else
        gpi_store_warp((char *)out, slot, n * (unsigned)sizeof(GP_TYPE), lane);
}

/* Writes the folds and keys of the runs of a warp tile; `before` heads come before it. */
GPI_DEVICE void GPI(write_runs)(const GPI(job) *job, size_t warp_tile, unsigned n, char *slots,
                                const gpi_pack_table *table, const GPI(thread_items) *regs, GPI(found) *found,
                                GP_TYPE fold, size_t before, unsigned lane)
{
    const unsigned beyond = GPI(warp_tile_n) - n, heads = found->all.heads - beyond;
    const unsigned none = before == 0, ends = heads + (beyond > 0); /* runs that end at the first head, and at any */
    const unsigned size = sizeof fold;
    const int is_last = warp_tile * GPI(warp_tile_n) + n == job->n;
    const char *tile = slots + GPI(part_of_keys)(job->keys, warp_tile, 0).place;
    char *out = (char *)job->out + (before + none - 1) * size;
    char *folds = slots + GPI(key_slot) + gpi_misalignment(out - none * size);

    fold = GPI(put_folds)(folds + found->before.heads * size, regs, found->heads, fold);
    gpi_fence_async(); /* the slot may get the next warp tile by a bulk copy */
    __syncwarp();      /* the folds are in the slot */
    if (is_last && lane == 31) {
        if (beyond == 0)
            job->out[before + heads - 1] = fold;
        *job->count = (GP_INDEX)(before + heads);
    }
    if (GPI_BY_KEY_IS_SPARSE(heads)) {
        GPI(write_sparse)(job, tile, folds, found, before, n, lane);
        return;
    }
    if (ends > none)
        gpi_store_warp(out, folds + none * size - gpi_misalignment(out), (ends - none) * size, lane);
    GPI(thread_keys) keys; /* only now: the items are out of the registers */

    GPI_UNROLL
    for (int w = 0; w < GPI(head_words); w++)
        found->heads[w] &= ~GPI_BY_KEY_BEYOND(n, lane, w);
    GPI(read_keys)(&keys, tile, lane);
    __syncwarp(); /* all lanes have read the slot */
    GPI(write_keys)(job->keys_out + before, slots, &keys, found->heads, found->before.heads, heads, table, lane);
}

/* One warp, which has read the items of a warp tile from their slot: writes what the output gets of it. */
GPI_DEVICE void GPI(write)(const GPI(job) *job, size_t warp_tile, unsigned n, char *slots, const gpi_pack_table *table,
                           GPI(thread_items) *regs, GPI(found) *found, const GPI(before) *before, unsigned lane,
                           int bulk)
{
    int has_before = before->has_tiles;
    GPI(total) sum = before->tiles;

    /* What comes before the lane: the tiles, the warps of its tile, the lanes of its warp. */
    if (before->has_warps)
        sum = has_before ? GPI(add)(sum, before->warps) : GPI(total_of)(before->warps);
    has_before |= before->has_warps;
    const size_t heads = has_before ? (size_t)sum.heads : 0;
    if (lane > 0)
        sum = has_before ? GPI(add)(sum, found->before) : GPI(total_of)(found->before);
    if (job->result == GPI_BY_KEY_REDUCES)
        GPI(write_runs)(job, warp_tile, n, slots, table, regs, found, sum.fold, heads, lane);
    else
        GPI(write_scan)(job, slots + GPI(key_slot), regs, found, sum.fold, job->out + warp_tile * GPI(warp_tile_n), n,
                        lane, bulk);
}
#endif

#include "core/by_key/simple.cuh"
#if GP_KERNEL != GP_KERNEL_SIMPLE
#include "core/by_key/pipelined.cuh"
#endif

/* ---- host functions -------------------------------------------------------------------------- */

#include "core/tile/launch.cuh"

/* Of what is read by GP_LOAD_AT nothing is known. */
#ifdef GP_LOAD_AT
#define GPI_BY_KEY_READ(in) NULL, 0
#define GPI_BY_KEY_IN_PLACE 0
#else
#define GPI_BY_KEY_READ(in) (in), job->n * sizeof *(in)
#define GPI_BY_KEY_IN_PLACE (sizeof(GP_INPUT_TYPE) == sizeof(GP_TYPE))
#endif

/* Refuses NULLs, too many items, and overlap. Of what a reduction writes only the start is certain. */
static inline cudaError_t GPI(check)(const char *function, const GPI(job) *job)
{
    const int reduces = job->result == GPI_BY_KEY_REDUCES, in_place = !reduces && GPI_BY_KEY_IN_PLACE;
    const size_t most = gpi_smaller_size(GPI_MOST_OF(GP_INDEX), GPI_MAX_TILES * GPI(tile_n));
    const gpi_argument used[] = {
        {"keys", job->keys, job->n * sizeof *job->keys, GPI_READ, 0},
        {"in", GPI_BY_KEY_READ(job->in), GPI_READ, in_place},
        {"keys_out", job->keys_out, 1, GPI_WRITTEN, 0},
        {"out", job->out, reduces ? 1 : job->n * sizeof *job->out, GPI_WRITTEN, in_place},
        {"d_count", job->count, sizeof *job->count, GPI_WRITTEN, 0}};

    if (!job->keys)
        return gpi_error_null(function, "keys", job->n);
#ifndef GP_LOAD_AT
    if (!job->in)
        return gpi_error_null(function, "in", job->n);
#endif
    if (reduces && !job->keys_out)
        return gpi_error_null(function, "keys_out", job->n);
    if (!job->out)
        return gpi_error_null(function, "out", job->n);
    cudaError_t error = gpi_check_count(function, "n", job->n, most, GPI(wider));

    return error != cudaSuccess ? error : gpi_check_overlap(function, used, 5);
}

static inline cudaError_t GPI(host)(const char *function, const GP_KEY *keys, const GP_INPUT_TYPE *in, GP_KEY *keys_out,
                                    GP_TYPE *out, size_t n, GP_INDEX *count, int result, GPI_CONTEXT context,
                                    gp_workspace *ws, cudaStream_t stream)
{
    GPI(job) job = {keys, in, keys_out, out, count, n, NULL, 0, 0, 0, 0, result};
    gpi_scratch scratch;
    cudaError_t error;

    if (!count && result == GPI_BY_KEY_REDUCES)
        return gpi_error_null(function, "d_count", n);
    if (n == 0)
        return count ? cudaMemsetAsync(count, 0, sizeof *count, stream) : cudaSuccess;
    error = GPI(check)(function, &job);
    if (error != cudaSuccess)
        return error;
    error = gpi_tagged_scratch_acquire(&scratch, ws, GPI(bytes)(n), 0, stream, function);
    if (error != cudaSuccess)
        return error;

    job.head = (gpi_tile_state_head *)scratch.tags;
    job.in_place = !GPI(helps) || (GPI_BY_KEY_IN_PLACE && (const void *)in == (const void *)out);
    error = GPI(launch)(job, context, stream);
    return gpi_scratch_release(&scratch, error, stream);
}

GPI_TAGGED_WORKSPACE(reduce_by_key, GPI(bytes)(n))
GPI_TAGGED_WORKSPACE(inclusive_scan_by_key, GPI(bytes)(n))
GPI_TAGGED_WORKSPACE(exclusive_scan_by_key, GPI(bytes)(n))

/* The first key of each run, and the fold of its items; *d_count runs. */
GP_API cudaError_t GPI_PUBLIC(reduce_by_key)(const GP_KEY *keys, const GP_INPUT_TYPE *in, GP_KEY *keys_out,
                                             GP_TYPE *out, size_t n, GP_INDEX *d_count,
                                             GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    return GPI(host)(GPI_TEXT(reduce_by_key), keys, in, keys_out, out, n, d_count, GPI_BY_KEY_REDUCES,
                     GPI_CONTEXT_VALUE, ws, stream);
}

/* out[i] = in[j] op ... op in[i], where j is the first place of the run of i. */
GP_API cudaError_t GPI_PUBLIC(inclusive_scan_by_key)(const GP_KEY *keys, const GP_INPUT_TYPE *in, GP_TYPE *out,
                                                     size_t n, GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                                     cudaStream_t stream)
{
    return GPI(host)(GPI_TEXT(inclusive_scan_by_key), keys, in, NULL, out, n, NULL, GPI_BY_KEY_INCLUSIVE,
                     GPI_CONTEXT_VALUE, ws, stream);
}

/* out[i] = in[j] op ... op in[i - 1], likewise; the identity where a run begins. */
GP_API cudaError_t GPI_PUBLIC(exclusive_scan_by_key)(const GP_KEY *keys, const GP_INPUT_TYPE *in, GP_TYPE *out,
                                                     size_t n, GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                                     cudaStream_t stream)
{
    return GPI(host)(GPI_TEXT(exclusive_scan_by_key), keys, in, NULL, out, n, NULL, GPI_BY_KEY_EXCLUSIVE,
                     GPI_CONTEXT_VALUE, ws, stream);
}

#undef GPI_BY_KEY_READ
#undef GPI_BY_KEY_IN_PLACE
#undef GPI_BY_KEY_IS_SPARSE
#undef GPI_BY_KEY_MAY_COMBINE
#undef GPI_BY_KEY_IS_LAST
#undef GPI_BY_KEY_BEYOND

#endif
#include "core/instance/end.cuh"
