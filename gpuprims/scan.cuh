/*
 * scan.cuh: prefix sums of a whole array with any associative operator.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_TYPE        T, any trivially copyable type of up to 1024 bytes (int)
 *              GP_OP          a ready operator, or a macro or function op(a, b) (GP_SUM)
 *              GP_IDENTITY    with an operator of your own: an expression or a brace initialiser
 *              GP_INPUT_TYPE  I, what is read from memory, of up to 1024 bytes (T); with GP_LOAD_AT any type, void too
 *              GP_LOAD(x)     the map from I to T (conversion); with GP_CONTEXT: GP_LOAD(x, context)
 *              GP_LOAD_AT(in, i)  in its place: an expression for item number i, a size_t; with GP_CONTEXT:
 *                             GP_LOAD_AT(in, i, context)
 *              GP_STORE_AT(out, i, x)  a statement that stores result number i (out[i] = x); with GP_CONTEXT:
 *                             GP_STORE_AT(out, i, x, context)
 *              GP_CONTEXT     type of a by-value argument before `ws`
 *              GP_INDEX       an integer type of 4 or 8 bytes that n has to fit (size_t)
 *              GP_BLOCK       threads of the block scan below (256)
 *              GP_API         linkage of the host functions (static inline)
 *              GP_KERNEL      GP_KERNEL_SIMPLE or GP_KERNEL_PIPELINED: runs that kernel at every n (either)
 *              GP_GRID        blocks of a launch at most (as many as fit)
 *
 * Generates    cudaError_t NAME_inclusive_scan(const I *in, T *out, size_t n, [context,] ws, stream)
 *              cudaError_t NAME_exclusive_scan(in, out, n, [context,] ws, stream)
 *              cudaError_t NAME_exclusive_scan_init(in, out, n, T init, [context,] ws, stream)
 *              size_t      NAME_<each of them>_workspace_bytes(size_t n)
 *              and what block/block_scan.cuh and warp/warp_scan.cuh generate
 *
 *     in                   1 5 0 1 2 0 3
 *     inclusive scan       1 6 6 7 9 9 12
 *     exclusive scan       0 1 6 6 7 9 9       the identity first
 *     with init = 10       10 11 16 16 17 19 19
 *
 *     #include <gpuprims/scan.cuh>
 *     gp_exclusive_scan(d_in, d_out, n, NULL, stream);
 *
 * Guarantees   Asynchronous on `stream`. in == out is allowed when I and T have the same size; no other
 *              overlap. GP_OP need not be commutative: it is called on neighbouring runs of the input
 *              in input order, with init as an element before the first, and never on the identity.
 *              The same input gives the same bits everywhere: docs/fold-order.md. With GP_LOAD_AT or
 *              GP_STORE_AT, pointers are handed through, NULL too, no overlap is checked, and what is read must
 *              not be written; the order of the fold is that of T alone.
 * Evaluations  GP_LOAD is evaluated on items of the input alone: once or twice on each, for the sums and for the
 *              results, and up to 31 times more on one item when the last warp's are not complete. GP_LOAD_AT:
 *              in any order, once for each i < n, and for no other. Not in place, a warp that has waited long
 *              for the tile of another block folds that tile itself: once more on each item of it, twice on 32
 *              of them. GP_STORE_AT is executed once for each i < n, in any order.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched; else
 *              what a launch or an allocation returned. n == 0 succeeds and writes nothing.
 *
 * How it works: in one launch and one pass, after the decoupled look-back of Merrill and Garland
 * (Single-pass parallel prefix scan with decoupled look-back, 2016), but with no chain from tile to tile:
 *
 *     1. every lane folds some neighbouring items, every warp its lanes, a tile its warp tiles
 *     2. the tile publishes its aggregate, in words that carry the number of the launch
 *     3. the tile folds the aggregates of all tiles before, in groups of 32
 *     4. every lane scans its items, starting from the tiles, warps and lanes before
 *
 * Large inputs go through core/scan/pipelined.cuh, in which different warps do these steps; aligned ones of few
 * tiles, of items of up to 16 bytes, through core/tile/small.cuh, in which no warp waits for its block; both need
 * sm_90. All others go through core/scan/simple.cuh, in which every warp does all of the steps.
 * docs/scan.md has pictures.
 * Cost: n reads and n writes of the items, and 8 bytes of tile states per 28 KB.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG scan
#define GPI_HEADER "gpuprims/scan.cuh"
#define GPI_TAKES \
    (GPI_TAKES_TYPE | GPI_TAKES_OP | GPI_TAKES_IDENTITY | GPI_TAKES_INPUT_TYPE | GPI_TAKES_LOAD | \
     GPI_TAKES_LOAD_AT | GPI_TAKES_STORE_AT | GPI_TAKES_CONTEXT | GPI_TAKES_INDEX | GPI_TAKES_BLOCK | GPI_TAKES_API | \
     GPI_TAKES_KERNEL | GPI_TAKES_GRID)
#endif
/*
 * A slot that is copied to has room for what is read, and the shape of the tile follows from it. With GP_STORE_AT the
 * order is that of T alone: what is read, if it is of another type, goes to the slots item by item.
 */
#if defined GP_STORE_AT && defined GP_INPUT_TYPE && !defined GP_LOAD_AT
#define GPI_SCAN_READS_ITEMS
#if defined GP_LOAD && defined GP_CONTEXT
#define GP_LOAD_AT(in, i, context) GP_LOAD((in)[i], context)
#elif defined GP_LOAD
#define GP_LOAD_AT(in, i) GP_LOAD((in)[i])
#elif defined GP_CONTEXT
#define GP_LOAD_AT(in, i, context) __extension__(GP_TYPE)(in)[i]
#else
#define GP_LOAD_AT(in, i) __extension__(GP_TYPE)(in)[i]
#endif
#endif
#include "core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/scan.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_IDENTITY
#error "gpuprims/scan.cuh: GP_IDENTITY is missing; a GP_OP of your own requires it"
#endif
#if defined GPI_MISSING_OP
#error "gpuprims/scan.cuh: GP_OP is missing; GP_IDENTITY goes with a GP_OP of your own"
#endif
#if defined GPI_MISSING_CONTEXT_USER
#error "gpuprims/scan.cuh: GP_LOAD is missing; nothing else would receive the GP_CONTEXT"
#endif
#if defined GP_LOAD && defined GP_LOAD_AT && !defined GPI_SCAN_READS_ITEMS
#error "gpuprims/scan.cuh: GP_LOAD must be left out; GP_LOAD_AT takes its place"
#endif
#if defined GPI_WRONG_BLOCK
#error "gpuprims/scan.cuh: GP_BLOCK must be a multiple of 32 from 32 to 1024"
#endif

#if !defined GPI_DEFAULT || !defined GPI_SCAN_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_SCAN_DEFAULT
#endif
GPI_ONCE_PER_NAME(scan);
GPI_CHECK_INDEX();

#include "block/block_scan.cuh"
#include "core/instance/fold.cuh"
#include "core/tile/warp_tile.cuh"
#include "core/tile/thread_fold.cuh"
#include "core/tile/tile_state.cuh"
#include "core/scan/tuning.cuh"

/* What a launch works on. */
typedef struct {
    const GP_INPUT_TYPE *in;
    GP_TYPE *out;
    size_t n;
    gpi_tile_state_head *head; /* the tile states follow it */
    unsigned tiles, warp_tiles; /* of a tile */
    unsigned last_warp_tiles;   /* of the last tile; its last warp tile may be short */
    int in_place; /* or treated so: all tiles by tickets, none folded for another block */
    GP_TYPE before; /* what comes before the first item, if has_before */
    int has_before;
    int exclusive;
} GPI(job);

/* What core/tile/look_back.cuh needs; a block shares nothing besides. */
typedef GP_TYPE GPI(total);
typedef char GPI(shared);

__extension__ enum {
    GPI(helps) = GPI_PIPELINE_SERVES, /* of larger items the code would take long to compile */
    GPI(moves) = 0,
#ifdef GP_IDENTITY
    GPI(any_order) = 0,
#else
    GPI(any_order) = GPI_IS_INTEGER,
#endif
/* Whether what is behind the last item may be folded too, undefined numbers: no result depends on it. */
#if GPI_FOLDS_NUMBERS && !defined GP_LOAD
    GPI(runs_over) = GPI_IS_NUMBER(GP_TYPE) && GPI_IS_NUMBER(GPI(loaded))
#else
    GPI(runs_over) = 0
#endif
};

/* ---- device functions ------------------------------------------------------------------------ */

#if GPI_DEVICE_CODE
GPI_DEVICE void GPI(share)(GPI(shared) *shared)
{
    (void)shared;
}

GPI_DEVICE GP_TYPE GPI(total_of)(GP_TYPE group)
{
    return group;
}

GPI_DEVICE GP_TYPE GPI(add)(GP_TYPE before, GP_TYPE group)
{
    return GPI(combine)(before, group);
}

/* Whether a lane folds and scans as many items as it has room for. */
#define GPI_SCAN_IS_WHOLE(n) (GPI(runs_over) || (n) == GPI(warp_tile_n))

/*
 * The fold of the lane's items of a warp tile of n items, at least one, which starts `misalignment` bytes into its
 * slot; undefined if the lane has none. Of a whole warp tile they are left in registers.
 */
GPI_DEVICE GP_TYPE GPI(fold_items)(GPI(thread_items) *regs, const char *slot, unsigned misalignment, unsigned n,
                                   unsigned lane, GPI_CONTEXT context)
{
    const GPI(loaded) *items = (const GPI(loaded) *)(slot + misalignment);
    const unsigned first = lane * GPI(thread_n), last = gpi_min(n, first + GPI(thread_n));

    if (GPI_SCAN_IS_WHOLE(n)) {
        GPI(thread_read)(regs, slot, misalignment, lane, context);
        return GPI(thread_fold)(regs);
    }
    GP_TYPE sum = GPI(load)(first < n ? items + first : items, context);
    for (unsigned i = first + 1; i < last; i++)
        sum = GPI(combine)(sum, GPI(load)(items + i, context));
    return sum;
}

/* One warp, rarely: the fold of a tile that is not the last, from global memory; in lane 0. */
GPI_DEVICE GP_TYPE GPI(sum_tile)(const GPI(job) *job, size_t tile, unsigned lane, GPI_CONTEXT context)
{
    size_t first = tile * job->warp_tiles * GPI(warp_tile_n) + lane * GPI(thread_n);
    GP_TYPE warp_tiles = GPI(load_at)(job->in, first, context); /* any value, in lanes that get no warp tile */

    GPI_NO_UNROLL
    for (unsigned q = 0; q < job->warp_tiles; q++) {
        GP_TYPE sum = GPI(load_at)(job->in, first, context);

        GPI_NO_UNROLL
        for (unsigned i = 1; i < GPI(thread_n); i++)
            sum = GPI(combine)(sum, GPI(load_at)(job->in, first + i, context));
        sum = GPI(shuffle)(GPI(warp_reduce)(sum, (int)lane, 32), 0);
        if (lane == q)
            warp_tiles = sum;
        first += GPI(warp_tile_n);
    }
    return GPI(warp_reduce)(warp_tiles, (int)lane, (int)job->warp_tiles);
}
#endif

#include "core/tile/look_back.cuh"
#include "core/tile/forward.cuh"

#if GPI_DEVICE_CODE
GPI_DEVICE GPI(look) GPI(look_start)(const GPI(job) *job)
{
    const GPI(look) look = {job->before, job->has_before, 0};

    return look;
}

/* What comes before a lane: the tiles, the warps of its tile, the lanes of its warp. */
GPI_DEVICE GP_TYPE GPI(prefix)(const GPI(before) *before, GP_TYPE lanes, int has_lanes)
{
    GP_TYPE prefix = before->tiles;

    if (before->has_warps)
        prefix = before->has_tiles ? GPI(combine)(prefix, before->warps) : before->warps;
    if (has_lanes)
        prefix = before->has_tiles || before->has_warps ? GPI(combine)(prefix, lanes) : lanes;
    return prefix;
}

/*
 * One warp: scans n items, which it has in registers if the warp tile is whole, else in the slot, and writes them, by
 * way of the slot, and by a bulk copy if the constant `bulk` is set. Returns whether one is under way.
 */
GPI_DEVICE int GPI(write_items)(const GPI(job) *job, GPI(thread_items) *regs, size_t warp_tile, unsigned n, char *slot,
                                GP_TYPE prefix, int has_prefix, unsigned lane, int bulk, GPI_CONTEXT context)
{
    GP_TYPE *out = GPI(write_to)(job->out, warp_tile);

    if (!GPI_SCAN_IS_WHOLE(n)) { /* straight to where they go */
        const char *items = slot + gpi_misalignment(GPI(read_from)(job->in, warp_tile));
        const unsigned last = gpi_min(n, (lane + 1) * GPI(thread_n));

        for (unsigned i = lane * GPI(thread_n); i < last; i++) {
            GP_TYPE x = GPI(load)((const GPI(loaded) *)items + i, context);
            GP_TYPE next = has_prefix ? GPI(combine)(prefix, x) : x;

            GPI(store_at)(job->out, warp_tile * GPI(warp_tile_n) + i,
                          !job->exclusive ? next : has_prefix ? prefix : GPI(identity)(), context);
            prefix = next;
            has_prefix = 1;
        }
        return 0;
    }
    GPI(thread_scan)(regs, prefix, has_prefix, job->exclusive);
    if (!bulk) /* in the pipeline they have long */
        __syncwarp(); /* all lanes have read the slot */
    GPI(thread_write)(regs, slot, gpi_misalignment(out), lane);
    if (bulk)
        gpi_fence_async(); /* a bulk copy reads the slot, or writes it next */
    __syncwarp();          /* the results are in the slot */
#ifdef GP_STORE_AT
    GPI(store_items)(job->out, warp_tile * GPI(warp_tile_n), n, slot, lane, context);
    return 0;
#else
    const unsigned bytes = n * (unsigned)sizeof(GP_TYPE);

    if (bulk)
        gpi_store_bulk((char *)out, slot, bytes, lane);
    else if (GPI(out_bytes) <= 112)
        gpi_store_ahead((char *)out, slot, bytes, lane, GPI(warp_tile_n) * (unsigned)sizeof(GP_TYPE) / 16);
    else
        gpi_store_warp((char *)out, slot, bytes, lane);
    return bulk;
#endif
}
#endif

#include "core/scan/simple.cuh"
#if GP_KERNEL != GP_KERNEL_SIMPLE
#include "core/scan/pipelined.cuh"
#endif

/* ---- host functions -------------------------------------------------------------------------- */

#include "core/tile/launch.cuh"

/* With room for the states of small inputs, of core/tile/small.cuh too. */
static inline size_t GPI(room)(size_t n)
{
    return n <= GPI(tile_n) ? 0 : gpi_larger_size(GPI(bytes)(n), GPI(tile_state_bytes)(32 * GPI(warp_tiles)));
}

/* `init`, unless it is NULL, comes before the first item. */
static inline cudaError_t GPI(host)(const char *function, const GP_INPUT_TYPE *in, GP_TYPE *out, size_t n,
                                    int exclusive, const GP_TYPE *init, GPI_CONTEXT context, gp_workspace *ws,
                                    cudaStream_t stream)
{
    gpi_scratch scratch;
    GPI(job) job;
    cudaError_t error;

    if (n == 0)
        return cudaSuccess;
#if !defined GP_LOAD_AT || defined GPI_SCAN_READS_ITEMS
    if (!in)
        return gpi_error_null(function, "in", n);
#endif
#ifndef GP_STORE_AT
    if (!out)
        return gpi_error_null(function, "out", n);
#endif
    error = gpi_check_count(function, "n", n, gpi_smaller_size(GPI_MOST_OF(GP_INDEX), GPI_MAX_TILES * GPI(tile_n)),
                            GPI(wider));
#if !defined GP_LOAD_AT && !defined GP_STORE_AT
    const int same_size = sizeof *in == sizeof *out;
    const gpi_argument used[] = {{"in", in, n * sizeof *in, GPI_READ, same_size},
                                 {"out", out, n * sizeof *out, GPI_WRITTEN, same_size}};

    if (error == cudaSuccess)
        error = gpi_check_overlap(function, used, 2);
#endif
    if (error != cudaSuccess)
        return error;
    error = gpi_tagged_scratch_acquire(&scratch, ws, GPI(room)(n), 0, stream, function);
    if (error != cudaSuccess)
        return error;

    memset((void *)&job, 0, sizeof job);
    job.in = in;
    job.out = out;
    job.n = n;
    job.head = (gpi_tile_state_head *)scratch.tags;
    job.exclusive = exclusive;
    job.has_before = init != NULL;
    if (init)
        job.before = *init;
    job.in_place = !GPI(helps);
#if !defined GP_LOAD_AT && !defined GP_STORE_AT
    job.in_place |= (const void *)in == (const void *)out;
#endif
#if !GP_KERNEL
    const size_t warp_tiles = gpi_divide_up(n, GPI(warp_tile_n));
    if (GPI(is_small)(&job, warp_tiles))
        error = GPI(launch_small)(job, (unsigned)warp_tiles, context, stream);
    else
#endif
        error = GPI(launch)(job, context, stream);
    return gpi_scratch_release(&scratch, error, stream);
}

GPI_TAGGED_WORKSPACE(inclusive_scan, GPI(room)(n))
GPI_TAGGED_WORKSPACE(exclusive_scan, GPI(room)(n))
GPI_TAGGED_WORKSPACE(exclusive_scan_init, GPI(room)(n))

/* out[i] = in[0] op ... op in[i] */
GP_API cudaError_t GPI_PUBLIC(inclusive_scan)(const GP_INPUT_TYPE *in, GP_TYPE *out, size_t n,
                                              GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                              cudaStream_t stream)
{
    return GPI(host)(GPI_TEXT(inclusive_scan), in, out, n, 0, NULL, GPI_CONTEXT_VALUE, ws, stream);
}

/* out[0] = identity, out[i] = in[0] op ... op in[i - 1] */
GP_API cudaError_t GPI_PUBLIC(exclusive_scan)(const GP_INPUT_TYPE *in, GP_TYPE *out, size_t n,
                                              GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                              cudaStream_t stream)
{
    return GPI(host)(GPI_TEXT(exclusive_scan), in, out, n, 1, NULL, GPI_CONTEXT_VALUE, ws, stream);
}

/* out[0] = init, out[i] = init op in[0] op ... op in[i - 1] */
GP_API cudaError_t GPI_PUBLIC(exclusive_scan_init)(const GP_INPUT_TYPE *in, GP_TYPE *out, size_t n, GP_TYPE init,
                                                   GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                                   cudaStream_t stream)
{
    return GPI(host)(GPI_TEXT(exclusive_scan_init), in, out, n, 1, &init, GPI_CONTEXT_VALUE, ws, stream);
}

#endif
#undef GPI_SCAN_READS_ITEMS
#undef GPI_SCAN_IS_WHOLE
#include "core/instance/end.cuh"
