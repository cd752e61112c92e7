/*
 * run_length.cuh: runs of equal neighbours: their lengths, where they start, the array without repetitions, and back.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_TYPE        T, any trivially copyable type of up to 256 bytes (int)
 *              GP_EQUAL(a, b) whether neighbours belong to one run (a == b); with GP_CONTEXT: GP_EQUAL(a, b, context)
 *              GP_VALUE       V, of up to 256 bytes: what goes with each item, for unique (none)
 *              GP_LOAD_AT(in, i)   an expression for item i, a size_t, in place of in[i]; `in` is handed through and
 *                             may be NULL; with GP_CONTEXT: GP_LOAD_AT(in, i, context)
 *              GP_INPUT_TYPE  with GP_LOAD_AT: I, what `in` points to, void too (T)
 *              GP_CONTEXT     type of a by-value argument before `ws`
 *              GP_INDEX       INDEX, the type of counts, lengths and offsets, an integer type of 4 or 8 bytes that n
 *                             has to fit (size_t)
 *              GP_API         linkage of the host functions (static inline)
 *              GP_KERNEL      GP_KERNEL_SIMPLE or GP_KERNEL_PIPELINED: runs that kernel at every n (either)
 *              GP_GRID        blocks of a launch at most (as many as fit)
 *
 * Generates    cudaError_t NAME_run_length_encode(const I *in, T *values, INDEX *lengths, size_t n, INDEX *d_count,
 *              ...)
 *              cudaError_t NAME_run_offsets(const I *in, INDEX *offsets, size_t n, INDEX *d_count, ...)
 *              cudaError_t NAME_unique(const I *in, T *out, size_t n, INDEX *d_count, ...)
 *              with GP_VALUE instead  NAME_unique(const I *kin, T *kout, const V *vin, V *vout, n, d_count, ...)
 *              cudaError_t NAME_run_length_decode(const T *values, const INDEX *lengths, size_t runs,
 *                                                 T *out, size_t capacity, INDEX *d_count, ...)
 *              size_t      NAME_<each of them>_workspace_bytes(size_t n), of decode (size_t runs, size_t capacity)
 *              where ... is [context,] ws, stream
 *
 *     in                   7 7 7 2 5 5 7
 *     run_length_encode    values 7 2 5 7, lengths 3 1 2 1      *d_count = 4
 *     run_offsets          0 3 4 6 7                            *d_count = 4, and n behind the last
 *     unique               7 2 5 7                              *d_count = 4
 *     run_length_decode    7 7 7 2 5 5 7 again                  *d_count = 7
 *
 *     #include <gpuprims/run_length.cuh>
 *     gp_run_length_encode(d_in, d_values, d_lengths, n, d_count, NULL, stream);
 *
 * A type without `==` needs GP_EQUAL of its own. By `==` every NaN is a run of its own.
 *
 * Guarantees   Asynchronous on `stream`; counts go to device memory. An item begins a run if it is the first or not
 *              equal to the item before it; GP_EQUAL need not be transitive. Nothing is written past the count
 *              (run_offsets writes one entry more). unique may be in place, items and values independently; no other
 *              overlap. With GP_LOAD_AT nothing is in place, and what is read must not be written.
 *              run_length_decode writes the first `capacity` items at most; *d_count is how many there would be, or
 *              the largest INDEX.
 *              Negative lengths count as 0.
 * Evaluations  GP_EQUAL is evaluated on neighbours, once for each pair, and, where the input begins or ends within the
 *              items of a warp, on an item and itself, and on some pairs again. GP_LOAD_AT is evaluated once on each
 *              i < n, and once more on the last item of a warp tile (of 896 items of 4 bytes). Not in place, a warp
 *              that has waited long for the tile of another block looks for its heads itself: once more on each pair in
 *              it, twice on each i.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched; else
 *              what a launch or an allocation returned. n == 0 gives a count of 0.
 *
 * How it works: in one launch and one pass, after the decoupled look-back of Merrill and Garland
 * (Single-pass parallel prefix scan with decoupled look-back, 2016), but with no chain from tile to tile:
 *
 *     1. a tile is read into shared memory; every lane compares some neighbouring items each with the one before it,
 *        and has a bit for each that differs: the head of a run
 *     2. the tile publishes how many heads it has, and how many items there are from the last one on
 *     3. the tile adds up what all tiles before have published, in groups of 32 or 64
 *     4. every warp lists the places of its heads; a lane takes one of them after the other, and writes the item there,
 *        and the length of the run that ends there, to their places in the output. Many heads are put together in
 *        shared memory first, and copied out as one piece
 *
 * Large inputs go through core/run_length/pipelined.cuh, in which different warps do these steps, small ones, types of
 * more than 128 bytes and older GPUs through core/run_length/simple.cuh, in which every warp does all of them.
 * run_length_decode scans the lengths in one launch, and expands the runs in another (core/run_length/decode.cuh).
 * docs/run-length.md has pictures.
 * Cost: n reads, and as many writes as there are results.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */

/* The scan that run_length_decode begins with: where runs of such lengths end, whatever the type of the lengths. */
#ifndef GPI_RUN_LENGTH_ENDS
#define GPI_RUN_LENGTH_ENDS
#include "gpuprims.h"

typedef struct gpi_run_lengths {
    const void *lengths;
    int bytes;
    unsigned long long most; /* what is more is a negative length */
} gpi_run_lengths;

GPI_DEVICE unsigned long long gpi_run_length(gpi_run_lengths runs, size_t i)
{
    const unsigned long long length =
        runs.bytes == 4 ? ((const uint32_t *)runs.lengths)[i] : ((const uint64_t *)runs.lengths)[i];

    return length > runs.most ? 0 : length;
}

#define GPI_STEP GPI_SET_ASIDE
#include "core/instance/parameters.cuh"
#define GP_NAME gpi_run_ends
#define GP_TYPE unsigned long long
#define GP_LOAD_AT(in, i, runs) gpi_run_length(runs, i)
#define GP_CONTEXT gpi_run_lengths
#define GP_KERNEL GP_KERNEL_SIMPLE
#include "scan.cuh"
#define GPI_STEP GPI_BRING_BACK
#include "core/instance/parameters.cuh"
#endif

#ifndef GPI_TAG
#define GPI_TAG run_length
#define GPI_HEADER "gpuprims/run_length.cuh"
#define GPI_TAKES \
    (GPI_TAKES_TYPE | GPI_TAKES_EQUAL | GPI_TAKES_VALUE | GPI_TAKES_INPUT_TYPE | GPI_TAKES_LOAD_AT | \
     GPI_TAKES_CONTEXT | GPI_TAKES_INDEX | GPI_TAKES_API | GPI_TAKES_KERNEL | GPI_TAKES_GRID)
#if defined GP_INPUT_TYPE && !defined GP_LOAD_AT
#error "gpuprims/run_length.cuh: GP_LOAD_AT is missing; GP_INPUT_TYPE goes with it"
#undef GP_INPUT_TYPE
#endif
#endif
#include "core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/run_length.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_CONTEXT_USER
#error "gpuprims/run_length.cuh: GP_EQUAL is missing; nothing else would receive the GP_CONTEXT"
#endif

#if !defined GPI_DEFAULT || !defined GPI_RUN_LENGTH_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_RUN_LENGTH_DEFAULT
#endif
GPI_ONCE_PER_NAME(run_length);
GPI_AT_MOST(GP_TYPE, 256);
#ifdef GP_VALUE
GPI_AT_MOST(GP_VALUE, 256);
#endif
GPI_CHECK_INDEX();

/* Of a tile or a part of one: its heads, and the items from the last one on, or all of them if there is none. */
typedef struct {
    uint32_t heads, tail;
} GPI(sum);

/* The same of any number of tiles. */
typedef struct {
    uint64_t heads, tail;
} GPI(total);

GPI_DEVICE GPI(sum) GPI(join)(GPI(sum) a, GPI(sum) b)
{
    b.tail += b.heads ? 0 : a.tail;
    b.heads += a.heads;
    return b;
}

#define GPI_FOLDS_STRUCTS
#define GPI_LANE_TILES (sizeof(GP_TYPE) <= 2 ? 2 : 1) /* heads are counted */
#ifdef GP_VALUE
#define GPI_WARP_TILE_BESIDE GP_VALUE
#endif
typedef GP_TYPE GPI(key);
#include "core/instance/fold.cuh"
#include "core/instance/load.cuh"
#include "core/tile/warp_tile.cuh"
#include "core/tile/heads.cuh"
#include "core/tile/tile_state.cuh"
#include "core/run_length/tuning.cuh"

/* What a launch works on. Each of the outputs may be NULL. */
typedef struct {
    const GP_INPUT_TYPE *in;
    GP_TYPE *out; /* the first item of each run */
#ifdef GP_VALUE
    const GP_VALUE *values;
    GP_VALUE *values_out;
#endif
    GP_INDEX *lengths, *offsets;
    GP_INDEX *count;
    size_t n;
    gpi_tile_state_head *head; /* the tile states follow it */
    unsigned tiles, warp_tiles; /* of a tile */
    unsigned last_warp_tiles;   /* of the last tile; its last warp tile may be short */
    int in_place;
} GPI(job);

#ifdef GP_VALUE
#define GPI_RUN_LENGTH_HAS_VALUES(job) ((job)->values != NULL)
#else
#define GPI_RUN_LENGTH_HAS_VALUES(job) ((void)(job), 0)
#endif
/* Few heads are written one by one; many are put together first, as in a compaction. */
#define GPI_RUN_LENGTH_IS_SPARSE(heads) ((heads) <= GPI(warp_tile_n) / 4)
#define GPI_RUN_LENGTH_IS_LAST(job, warp_tile) (((warp_tile) + 1) * GPI(warp_tile_n) >= (job)->n)

/* Slots of a warp tile: of its items, then of its values. What else a block shares: lists of heads. */
enum {
    GPI(slots) = (int)GPI(key_slot) +
                 (GPI(beside_bytes) > 0 ? ((int)GPI(warp_tile_n) * (int)GPI(beside_bytes) + 127) / 128 * 128 + 128 : 0),
    GPI(is_narrow) = sizeof(GP_TYPE) <= 2 && GPI(beside_bytes) == 0, /* many items in a tile */
    GPI(teams) = GPI(is_narrow) || GPI(beside_bytes) > 0 ? GPI_TUNE_RUN_LENGTH_TEAMS : 1, /* of write warps */
    GPI(packs_places) = sizeof(GP_INDEX) <= sizeof(GP_TYPE), /* of many heads, in the slot of the items */
    GPI(helps) = 1,
    GPI(moves) = 1,
    GPI(any_order) = 1 /* they are counts */
};
typedef struct {
    gpi_pack_table table;
    uint16_t lists[(int)GPI(warp_tiles) * (int)GPI(teams)][GPI(list_n)];
} GPI(shared);

/* ---- device functions ------------------------------------------------------------------------ */

#if GPI_DEVICE_CODE
GPI_DEVICE void GPI(share)(GPI(shared) *shared)
{
    if (sizeof(GP_TYPE) == 1)
        gpi_pack_prepare(&shared->table);
}

GPI_DEVICE GPI(total) GPI(total_of)(GPI(sum) group)
{
    const GPI(total) total = {group.heads, group.tail};

    return total;
}

GPI_DEVICE GPI(total) GPI(add)(GPI(total) before, GPI(sum) group)
{
    before.tail = group.tail + (group.heads ? 0 : before.tail);
    before.heads += group.heads;
    return before;
}

/* Where item 0 of a warp tile lies behind the start of its slot. */
GPI_DEVICE unsigned GPI(place_of)(const GPI(job) *job, size_t warp_tile)
{
#ifdef GP_LOAD_AT
    (void)job;
    (void)warp_tile;
    return (sizeof(GP_TYPE) + 15) / 16 * 16;
#else
    return GPI(part_of_keys)(job->in, warp_tile, 0).place;
#endif
}

/* The copy of a warp tile's items to its slot, or of its values; of no bytes if there is nothing to copy. */
GPI_DEVICE gpi_copy GPI(copy_of)(const GPI(job) *job, size_t warp_tile, int values, char *slots)
{
    (void)job;
    (void)warp_tile;
    (void)values;
#ifdef GP_VALUE
    if (values)
        return gpi_copy_of(slots + GPI(key_slot), job->values + warp_tile * GPI(warp_tile_n),
                           GPI(warp_tile_items)(job->n, warp_tile) * (unsigned)sizeof(GP_VALUE), job->values,
                           job->n * sizeof(GP_VALUE));
#endif
#ifdef GP_LOAD_AT
    return gpi_copy_of(slots, NULL, 0, NULL, 0);
#else
    return GPI(copy_keys)(job->in, job->n, warp_tile, slots);
#endif
}

/* What a warp finds out about its warp tile: the lane's heads, how many there are before the lane, and the sum. */
typedef struct {
    uint32_t heads[GPI(head_words)];
    unsigned rank;
    GPI(sum) sum;
} GPI(found);

/* One warp: finds the heads of a warp tile, which is in its slot unless it is computed. */
GPI_DEVICE GPI(found) GPI(find)(const GPI(job) *job, size_t warp_tile, char *slot, unsigned lane, GPI_CONTEXT context)
{
    const unsigned n = GPI(warp_tile_items)(job->n, warp_tile);
    char *tile = slot + GPI(place_of)(job, warp_tile);
    GPI(found) found;

#ifdef GP_LOAD_AT
    const size_t start = warp_tile * GPI(warp_tile_n);
    const unsigned before = warp_tile ? 1 : 0;

    if (n)
        GPI(compute_items)(job->in, start - before, n + before, tile - before * sizeof(GP_TYPE), lane, context);
#endif
    GPI(fill)(tile, NULL, n, lane);
    const unsigned mine = GPI(find_heads)(found.heads, tile, n, warp_tile == 0, lane, context);
    const unsigned through = gpi_warp_prefix(mine, lane);
    const unsigned lanes = __ballot_sync(GPI_FULL_MASK, mine); /* that have heads */
    const unsigned last = mine ? GPI(last_head)(found.heads, lane) : 0;

    found.rank = through - mine;
    found.sum.heads = __shfl_sync(GPI_FULL_MASK, through, 31);
    found.sum.tail = n - __shfl_sync(GPI_FULL_MASK, last, lanes ? 31 - __clz((int)lanes) : 0);
    return found;
}

/* One warp, rarely: the sum of a tile that is not the last, from global memory; in lane 0. */
GPI_DEVICE GPI(sum) GPI(sum_tile)(const GPI(job) *job, size_t tile, unsigned lane, GPI_CONTEXT context)
{
    const unsigned n = job->warp_tiles * GPI(warp_tile_n);
    const size_t first = tile * n;
    unsigned heads = 0, through = 0; /* items up to the last head, if there is any */
    GPI(sum) sum;

    GPI_NO_UNROLL
    for (unsigned i = lane; i < n; i += 32) {
        const GP_TYPE x = GPI(load_at)(job->in, first + i, context);

        if (first + i > 0 && GPI(equal)(GPI(load_at)(job->in, first + i - 1, context), x, context))
            continue;
        heads++;
        through = i;
    }
    sum.heads = gpi_warp_sum(heads);
    sum.tail = n - gpi_warp_max(through);
    return sum;
}
#endif

#include "core/tile/look_back.cuh"
#include "core/tile/forward.cuh"

#if GPI_DEVICE_CODE
GPI_DEVICE GPI(look) GPI(look_start)(const GPI(job) *job)
{
    const GPI(look) look = {{0, 0}, 1, 0};

    (void)job;
    return look;
}

#ifdef GP_VALUE
/* One warp: writes the values of heads as GPI(write_keys) does the keys; the slot has those of the warp tile. */
GPI_DEVICE void GPI(write_values)(GP_VALUE *out, char *slot, const char *first, const uint32_t *heads, unsigned rank,
                                  unsigned all, unsigned lane)
{
    const unsigned size = sizeof(GP_VALUE);
    char *to = slot + gpi_misalignment(out) + rank * size;
    GP_VALUE values[GPI(thread_n)];

    GPI_UNROLL
    for (int i = 0; i < GPI(thread_n); i++)
        gpi_get(values[i], first + (lane * GPI(thread_n) + (unsigned)i) * size);
    __syncwarp(); /* all lanes have read the slot */
    GPI_UNROLL
    for (int i = 0; i < GPI(thread_n); i++)
        if (heads[i / 32] >> i % 32 & 1) {
            gpi_put(to, values[i]);
            to += size;
        }
    gpi_fence_async(); /* the slot may get the next warp tile by a bulk copy */
    __syncwarp();      /* the values are in the slot */
    gpi_store_warp((char *)out, slot, all * size, lane);
}
#endif

/* What a warp needs to write a warp tile, which has `all` heads, `rank` of them before the lane. */
typedef struct {
    size_t start, before, last; /* item 0, the heads before it, the place of the last of these, modulo 2^64 */
    const char *tile, *values;  /* item 0, and value 0 */
    GP_INDEX *out;              /* of the offsets of heads, or of the lengths of the runs that end there; or NULL */
    unsigned all, rank, none;   /* none: 1 with lengths, if the first head is that of all: it ends no run */
} GPI(output);

/* Copies some values of `type` in a warp tile that begins at `from`, 32 apart in the output. */
#define GPI_RUN_LENGTH_COPY(type, out, from, place, count)                                        \
    do {                                                                                          \
        type gpi_x[GPI(list_step)];                                                               \
        GPI_UNROLL                                                                                \
        for (int gpi_k = 0; gpi_k < (count); gpi_k++)                                             \
            gpi_get(gpi_x[gpi_k], (from) + (place)[gpi_k] * (unsigned)sizeof(type));              \
        GPI_UNROLL                                                                                \
        for (int gpi_k = 0; gpi_k < (count); gpi_k++)                                             \
            (out)[32 * gpi_k] = gpi_x[gpi_k];                                                     \
    } while (0)

/* One lane: writes what there is of `count`, a constant, listed heads, every 32nd of them from number `at` on. */
GPI_DEVICE void GPI(write_some)(const GPI(job) *job, const GPI(output) *output, const uint16_t *list, unsigned at,
                                int count, unsigned head, GP_INDEX last, int items)
{
    unsigned place[GPI(list_step)];
    GP_INDEX left[GPI(list_step)];

    GPI_UNROLL
    for (int k = 0; k < count; k++) {
        place[k] = list[at + 32 * (unsigned)k];
        left[k] = k > 0 || at > 0 ? (GP_INDEX)list[at + 32 * (unsigned)k - 1] : last;
    }
    if (output->out) {
        GP_INDEX *out = output->out + (head + at) - output->none;

        GPI_UNROLL
        for (int k = 0; k < count; k++)
            if (k > 0 || head + at >= output->none)
                out[32 * k] = job->lengths ? (GP_INDEX)((GP_INDEX)place[k] - left[k])
                                           : (GP_INDEX)((GP_INDEX)place[k] + (GP_INDEX)output->start);
    }
    if (items && job->out)
        GPI_RUN_LENGTH_COPY(GP_TYPE, job->out + output->before + (head + at), output->tile, place, count);
#ifdef GP_VALUE
    if (items && job->values)
        GPI_RUN_LENGTH_COPY(GP_VALUE, job->values_out + output->before + (head + at), output->values, place, count);
#endif
}

/* One warp: writes what there is of the listed heads, from number `head` on; of the item too if `items`, a constant. */
GPI_DEVICE void GPI(write_listed)(const GPI(job) *job, const GPI(output) *output, const uint16_t *list, unsigned listed,
                                  unsigned head, GP_INDEX last, int items, unsigned lane)
{
    unsigned at = 0;

    GPI_NO_UNROLL
    for (; at + 32 * GPI(list_step) <= listed; at += 32 * GPI(list_step)) /* all at once: no load waits for another */
        GPI(write_some)(job, output, list, at + lane, GPI(list_step), head, last, items);
    GPI_NO_UNROLL
    for (at += lane; at < listed; at += 32)
        GPI(write_some)(job, output, list, at, 1, head, last, items);
}

/*
 * One warp: writes what the output gets of heads one by one, from a list. The length of a run is known at the head of
 * the next one. Returns the place of the last head.
 */
GPI_DEVICE size_t GPI(write_list)(const GPI(job) *job, const GPI(output) *output, uint16_t *list, const uint32_t *heads,
                                  unsigned lane)
{
    GP_INDEX last = (GP_INDEX)output->last;
    unsigned done = 0;

    if (GPI_RUN_LENGTH_IS_SPARSE(output->all)) {
        GPI(list_sparse)(list, heads, output->rank, lane);
        __syncwarp(); /* the list is complete */
        GPI(write_listed)(job, output, list, output->all, 0, last, 1, lane);
        last = output->all ? (GP_INDEX)list[output->all - 1] : last;
        __syncwarp(); /* the list has been read */
        return (size_t)last;
    }
    GPI_NO_UNROLL
    for (unsigned turn = 0; turn < GPI(list_turns); turn++) {
        const unsigned listed = GPI(list_turn)(list, heads, turn, lane);

        __syncwarp(); /* the list is complete */
        GPI(write_listed)(job, output, list, listed, done, last, 0, lane);
        last = listed ? (GP_INDEX)list[listed - 1] : last;
        done += listed;
        __syncwarp(); /* the list has been read */
    }
    return (size_t)last;
}

/*
 * One warp: writes the lengths of the runs that end at the heads of a warp tile, or the offsets of these, by way of
 * their slot, which no lane reads any more. The first head of all ends no run. Returns the place of the last head.
 */
GPI_DEVICE size_t GPI(write_places)(const GPI(job) *job, const GPI(output) *output, char *slot, const uint32_t *heads,
                                    unsigned lane)
{
    const unsigned mine = GPI(last_head)(heads, lane), lanes = __ballot_sync(GPI_FULL_MASK, GPI(any_head)(heads));
    const unsigned before = lanes & gpi_low_bits((int)lane), none = output->none;
    const unsigned left = __shfl_sync(GPI_FULL_MASK, mine, before ? 31 - __clz((int)before) : 0);
    const unsigned through = __shfl_sync(GPI_FULL_MASK, mine, 31 - __clz((int)lanes));
    GP_INDEX *out = output->out;
    char *packed = slot + gpi_misalignment(out - none), *to = packed + output->rank * sizeof *out;
    GP_INDEX last = before ? (GP_INDEX)left : (GP_INDEX)output->last;
    gpi_shared_place place = gpi_shared_place_of(to);

    GPI_UNROLL
    for (int i = 0; i < GPI(thread_n); i++) {
        const uint32_t head = heads[i / 32] & 1u << i % 32;
        const GP_INDEX at = (GP_INDEX)(lane * GPI(thread_n) + (unsigned)i);
        GP_INDEX x = job->lengths ? (GP_INDEX)(at - last) : (GP_INDEX)(at + (GP_INDEX)output->start);

        if (sizeof x == 4) {
            gpi_store_if(&place, head, (uint32_t)x, 4);
        } else if (head) {
            gpi_put(to, x);
            to += sizeof x;
        }
        last = head ? at : last;
    }
    gpi_fence_async(); /* the slot may get the next warp tile by a bulk copy */
    __syncwarp();      /* the places are in the slot */
    if (output->all > none)
        gpi_store_warp((char *)out, packed + none * sizeof *out - gpi_misalignment(out),
                       (output->all - none) * (unsigned)sizeof *out, lane);
    return through;
}

/*
 * One warp, which has read its items if they are to be put together: writes what the output gets of a warp tile of n
 * items with `all` heads, `rank` of them before the lane.
 */
GPI_DEVICE void GPI(write)(const GPI(job) *job, GPI(shared) *shared, uint16_t *list, size_t warp_tile, unsigned n,
                           char *slots, const GPI(thread_keys) *regs, const uint32_t *heads, unsigned rank,
                           unsigned all, const GPI(before) *before, unsigned lane)
{
    const int sparse = GPI_RUN_LENGTH_IS_SPARSE(all);
    GPI(total) sum = before->tiles;
    GPI(output) output;

    if (before->has_warps)
        sum = GPI(add)(sum, before->warps);
    output.start = warp_tile * GPI(warp_tile_n);
    output.before = (size_t)sum.heads;
    output.last = 0 - (size_t)sum.tail;
    output.tile = slots + GPI(place_of)(job, warp_tile);
    output.values = NULL;
    output.all = all;
    output.rank = rank;
    output.none = job->lengths && output.before == 0;
    output.out = job->lengths ? job->lengths + (output.before + output.none - 1)
                 : job->offsets ? job->offsets + output.before : NULL;
    if (job->out && !sparse)
        GPI(write_keys)(job->out + sum.heads, slots, regs, heads, rank, all, &shared->table, lane);
#ifdef GP_VALUE
    if (job->values) {
        char *slot = slots + GPI(key_slot);

        output.values = slot + gpi_misalignment(job->values + output.start);
        if (!sparse)
            GPI(write_values)(job->values_out + sum.heads, slot, output.values, heads, rank, all, lane);
    }
#endif
    if (GPI(packs_places) && !sparse && output.out) {
        __syncwarp(); /* all lanes have read the slot */
        output.last = GPI(write_places)(job, &output, slots, heads, lane);
    } else if (sparse || output.out)
        output.last = GPI(write_list)(job, &output, list, heads, lane);
    if (!GPI_RUN_LENGTH_IS_LAST(job, warp_tile) || lane > 0)
        return;
    sum.heads += all;
    if (job->lengths)
        job->lengths[sum.heads - 1] = (GP_INDEX)(n - output.last);
    if (job->offsets)
        job->offsets[sum.heads] = (GP_INDEX)job->n;
    *job->count = (GP_INDEX)sum.heads;
}
#endif

#include "core/run_length/simple.cuh"
#if GP_KERNEL != GP_KERNEL_SIMPLE
#include "core/run_length/pipelined.cuh"
#endif
#include "core/run_length/decode.cuh"

/* ---- host functions -------------------------------------------------------------------------- */

#include "core/tile/launch.cuh"

/* No items: a count of 0, and the one offset, 0. */
static inline cudaError_t GPI(nothing)(const GPI(job) *job, cudaStream_t stream)
{
    cudaError_t error = cudaMemsetAsync(job->count, 0, sizeof *job->count, stream);

    if (error == cudaSuccess && job->offsets)
        error = cudaMemsetAsync(job->offsets, 0, sizeof *job->offsets, stream);
    return error;
}

/* Refuses too many items, and overlap: of what is written only the start is certain. */
static inline cudaError_t GPI(check)(const char *function, const GPI(job) *job)
{
    const size_t most = gpi_smaller_size(GPI_MOST_OF(GP_INDEX), GPI_MAX_TILES * GPI(tile_n));
    const int alone = job->out && !job->lengths; /* unique */
    cudaError_t error = gpi_check_count(function, "n", job->n, most, GPI(wider));

#ifndef GP_LOAD_AT
#ifdef GP_VALUE
    const int pairs = job->values != NULL;
    const gpi_argument values = {"vin", job->values, job->n * sizeof(GP_VALUE), GPI_READ, 2};
    const gpi_argument values_out = {"vout", job->values_out, 1, GPI_WRITTEN, 2};
#else
    const int pairs = 0;
    const gpi_argument values = {"", NULL, 0, GPI_READ, 0}, values_out = values;
#endif
    const gpi_argument used[] = {
        {pairs ? "kin" : "in", job->in, job->n * sizeof *job->in, GPI_READ, alone},
        {pairs ? "kout" : alone ? "out" : "values", job->out, 1, GPI_WRITTEN, alone},
        values,
        values_out,
        {"lengths", job->lengths, 1, GPI_WRITTEN, 0},
        {"offsets", job->offsets, 1, GPI_WRITTEN, 0},
        {"d_count", job->count, sizeof *job->count, GPI_WRITTEN, 0}};

    if (error == cudaSuccess)
        error = gpi_check_overlap(function, used, 7);
#endif
    (void)alone;
    return error;
}

static inline cudaError_t GPI(host)(const char *function, GPI(job) job, GPI_CONTEXT context, gp_workspace *ws,
                                    cudaStream_t stream)
{
    gpi_scratch scratch;
    cudaError_t error;

    if (!job.count)
        return gpi_error_null(function, "d_count", job.n);
    if (job.n == 0)
        return GPI(nothing)(&job, stream);
    error = GPI(check)(function, &job);
    if (error != cudaSuccess)
        return error;
    error = gpi_tagged_scratch_acquire(&scratch, ws, GPI(bytes)(job.n), 0, stream, function);
    if (error != cudaSuccess)
        return error;

    job.head = (gpi_tile_state_head *)scratch.tags;
#ifndef GP_LOAD_AT
    job.in_place = job.in == job.out;
#endif
#ifdef GP_VALUE
    job.in_place |= job.values && job.values == job.values_out;
#endif
    error = GPI(launch)(job, context, stream);
    return gpi_scratch_release(&scratch, error, stream);
}

/* A job without outputs. */
static inline GPI(job) GPI(job_of)(const GP_INPUT_TYPE *in, size_t n, GP_INDEX *d_count)
{
    GPI(job) job;

    memset((void *)&job, 0, sizeof job);
    job.in = in;
    job.n = n;
    job.count = d_count;
    return job;
}

#ifdef GP_LOAD_AT
#define GPI_RUN_LENGTH_LACKS(in) 0
#else
#define GPI_RUN_LENGTH_LACKS(in) (!(in))
#endif

GPI_TAGGED_WORKSPACE(run_length_encode, GPI(bytes)(n))
GPI_TAGGED_WORKSPACE(run_offsets, GPI(bytes)(n))
GPI_TAGGED_WORKSPACE(unique, GPI(bytes)(n))

/* The first item of each run, and how many items it has; *d_count runs. */
GP_API cudaError_t GPI_PUBLIC(run_length_encode)(const GP_INPUT_TYPE *in, GP_TYPE *values, GP_INDEX *lengths, size_t n,
                                                 GP_INDEX *d_count, GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                                 cudaStream_t stream)
{
    GPI(job) job = GPI(job_of)(in, n, d_count);

    if (GPI_RUN_LENGTH_LACKS(in) && n)
        return gpi_error_null(GPI_TEXT(run_length_encode), "in", n);
    if (!values && n)
        return gpi_error_null(GPI_TEXT(run_length_encode), "values", n);
    if (!lengths && n)
        return gpi_error_null(GPI_TEXT(run_length_encode), "lengths", n);
    job.out = values;
    job.lengths = lengths;
    return GPI(host)(GPI_TEXT(run_length_encode), job, GPI_CONTEXT_VALUE, ws, stream);
}

/* Where each run starts, and n behind the last; *d_count runs, *d_count + 1 offsets. */
GP_API cudaError_t GPI_PUBLIC(run_offsets)(const GP_INPUT_TYPE *in, GP_INDEX *offsets, size_t n, GP_INDEX *d_count,
                                           GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    GPI(job) job = GPI(job_of)(in, n, d_count);

    if (GPI_RUN_LENGTH_LACKS(in) && n)
        return gpi_error_null(GPI_TEXT(run_offsets), "in", n);
    if (!offsets)
        return gpi_error_null(GPI_TEXT(run_offsets), "offsets", n);
    job.offsets = offsets;
    return GPI(host)(GPI_TEXT(run_offsets), job, GPI_CONTEXT_VALUE, ws, stream);
}

#ifdef GP_VALUE
/* The first item of each run, and the value that goes with it; *d_count runs. */
GP_API cudaError_t GPI_PUBLIC(unique)(const GP_INPUT_TYPE *kin, GP_TYPE *kout, const GP_VALUE *vin, GP_VALUE *vout,
                                      size_t n, GP_INDEX *d_count, GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                      cudaStream_t stream)
{
    GPI(job) job = GPI(job_of)(kin, n, d_count);

    if (GPI_RUN_LENGTH_LACKS(kin) && n)
        return gpi_error_null(GPI_TEXT(unique), "kin", n);
    if (!kout && n)
        return gpi_error_null(GPI_TEXT(unique), "kout", n);
    if (!vin && n)
        return gpi_error_null(GPI_TEXT(unique), "vin", n);
    if (!vout && n)
        return gpi_error_null(GPI_TEXT(unique), "vout", n);
    job.out = kout;
    job.values = vin;
    job.values_out = vout;
    return GPI(host)(GPI_TEXT(unique), job, GPI_CONTEXT_VALUE, ws, stream);
}
#else
/* The first item of each run; *d_count runs. */
GP_API cudaError_t GPI_PUBLIC(unique)(const GP_INPUT_TYPE *in, GP_TYPE *out, size_t n, GP_INDEX *d_count,
                                      GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    GPI(job) job = GPI(job_of)(in, n, d_count);

    if (GPI_RUN_LENGTH_LACKS(in) && n)
        return gpi_error_null(GPI_TEXT(unique), "in", n);
    if (!out && n)
        return gpi_error_null(GPI_TEXT(unique), "out", n);
    job.out = out;
    return GPI(host)(GPI_TEXT(unique), job, GPI_CONTEXT_VALUE, ws, stream);
}
#endif

GP_API size_t GPI_PUBLIC(run_length_decode_workspace_bytes)(size_t runs, size_t capacity)
{
    (void)capacity;
    return gpi_tagged_request(gpi_run_ends_inclusive_scan_workspace_bytes(runs),
                              gpi_multiply_sizes(runs, sizeof(unsigned long long)));
}

/* Refuses NULLs, too many runs, and overlap. How much is written depends on the lengths. */
static inline cudaError_t GPI(check_decode)(const char *function, const GPI(decode_job) *job, const GP_INDEX *lengths)
{
    const gpi_argument used[] = {{"values", job->values, job->runs * sizeof *job->values, GPI_READ, 0},
                                 {"lengths", lengths, job->runs * sizeof *lengths, GPI_READ, 0},
                                 {"out", job->capacity ? job->out : NULL, 1, GPI_WRITTEN, 0},
                                 {"d_count", job->count, sizeof *job->count, GPI_WRITTEN, 0}};
    cudaError_t error;

    if (!job->values)
        return gpi_error_null_of(function, "values", "runs", job->runs);
    if (!lengths)
        return gpi_error_null_of(function, "lengths", "runs", job->runs);
    if (!job->out && job->capacity)
        return gpi_error_null_of(function, "out", "capacity", job->capacity);
    error = gpi_check_count(function, "runs", job->runs, GPI_MOST_OF(GP_INDEX),
                            gpi_larger_size(sizeof *job->values, sizeof *job->ends));
    if (error == cudaSuccess)
        error = gpi_check_count(function, "capacity", job->capacity, SIZE_MAX, sizeof *job->out);
    return error != cudaSuccess ? error : gpi_check_overlap(function, used, 4);
}

/* lengths[i] times values[i], for all runs in turn, as far as there is room; *d_count is how many items that takes. */
GP_API cudaError_t GPI_PUBLIC(run_length_decode)(const GP_TYPE *values, const GP_INDEX *lengths, size_t runs,
                                                 GP_TYPE *out, size_t capacity, GP_INDEX *d_count,
                                                 GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    const char *function = GPI_TEXT(run_length_decode);
    const gpi_run_lengths of = {lengths, (int)sizeof *lengths, GPI_MOST_OF(GP_INDEX)};
    const size_t tiles = gpi_divide_up(capacity, GPI(decode_n));
    GPI(decode_job) job = {values, NULL, out, d_count, runs, capacity};
    static signed char known[GPI_DEVICES];
    gpi_scratch scratch;
    cudaError_t error;

    (void)GPI_CONTEXT_VALUE;
    if (!d_count)
        return gpi_error_null_of(function, "d_count", "runs", runs);
    if (runs == 0)
        return cudaMemsetAsync(d_count, 0, sizeof *d_count, stream);
    error = GPI(check_decode)(function, &job, lengths);
    if (error != cudaSuccess)
        return error;
    error = gpi_tagged_scratch_acquire(&scratch, ws, gpi_run_ends_inclusive_scan_workspace_bytes(runs),
                                       runs * sizeof *job.ends, stream, function);
    if (error != cudaSuccess)
        return error;

    unsigned long long *ends = (unsigned long long *)(void *)scratch.memory;
    job.ends = ends;
    error = gpi_run_ends_inclusive_scan(NULL, ends, runs, of, scratch.allocated ? NULL : ws, stream);
    const int ready = gpi_kernel_ready((const void *)GPI(decode_kernel), 0, known);
    if (error == cudaSuccess)
        error = GPI_LAUNCH_DEPENDENT((ready & GPI_KERNEL_SM90) != 0, GPI(decode_kernel),
                                     gpi_resident_blocks(8, tiles ? tiles : 1, GP_GRID), GPI(decode_threads), 0, stream,
                                     job);
    return gpi_scratch_release(&scratch, error, stream);
}

#undef GPI_RUN_LENGTH_HAS_VALUES
#undef GPI_RUN_LENGTH_IS_SPARSE
#undef GPI_RUN_LENGTH_IS_LAST
#undef GPI_RUN_LENGTH_LACKS
#undef GPI_RUN_LENGTH_COPY

#endif
#include "core/instance/end.cuh"
