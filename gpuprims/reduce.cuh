/*
 * reduce.cuh: the fold of a whole array with any associative operator.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_TYPE        T, any trivially copyable type of up to 1024 bytes (int)
 *              GP_OP          a ready operator, or a macro or function op(a, b) (GP_SUM)
 *              GP_IDENTITY    with an operator of your own: an expression or a brace initialiser
 *              GP_INPUT_TYPE  I, what is read from memory, of up to 1024 bytes (T); with GP_LOAD_AT any type, void too
 *              GP_LOAD(x)     the map from I to T (conversion); with GP_CONTEXT: GP_LOAD(x, context)
 *              GP_LOAD_AT(in, i)  in its place: an expression for item number i, a size_t; with GP_CONTEXT:
 *                             GP_LOAD_AT(in, i, context)
 *              GP_CONTEXT     type of a by-value argument before `ws`
 *              GP_INDEX       an integer type of 4 or 8 bytes that n has to fit (size_t)
 *              GP_BLOCK       threads of the block reduction below (256)
 *              GP_API         linkage of the host functions (static inline)
 *              GP_GRID        for tests: a launch has so many blocks at most
 *              GP_KERNEL      for tests; n alone says which kernel runs
 *
 * Generates    cudaError_t NAME_reduce(const I *in, T *d_out, size_t n, [context,] ws, stream)
 *              cudaError_t NAME_reduce_init(in, d_out, n, T init, [context,] ws, stream)
 *              size_t      NAME_reduce_workspace_bytes(size_t n), NAME_reduce_init_workspace_bytes(size_t n)
 *              and what block/block_reduce.cuh and warp/warp_reduce.cuh generate
 *
 *     in                   1 5 0 1 2 0 3
 *     *d_out               12
 *     with init = 10       22
 *     GP_LOAD_AT(in, i)    ((in)[i] * (int)(i))
 *     *d_out               34
 *
 *     #include <gpuprims/reduce.cuh>
 *     gp_reduce(d_in, d_sum, n, NULL, stream);
 *
 * Guarantees   Asynchronous on `stream`; the result goes to device memory. GP_OP need not be
 *              commutative: it is called on neighbouring runs of the input in input order, with init as an element
 *              before the first, and never on the identity. The same input gives the same bits everywhere:
 *              docs/fold-order.md. Nothing gives the identity, or init. With GP_LOAD_AT, `in` is handed through and may
 *              be NULL, no overlap with it is checked, and *d_out must not be read.
 * Evaluations  GP_LOAD is evaluated on items of the input alone, and once on each. Threads of the last block
 *              that have no items evaluate it on those of another thread: up to 16,380 times more in all, and
 *              up to 496 where one block has room for the input. Likewise GP_LOAD_AT, in any order, for i below n.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched; else
 *              what a launch or an allocation returned.
 *
 * How it works: in one launch and one pass.
 *
 *     1. every lane folds some neighbouring items, every warp its lanes, a block its warps: a tile
 *     2. the tile publishes its aggregate; where it lands says in which launch it was published
 *     3. the block that is the last to draw a ticket folds the aggregates of all tiles; init comes last of all
 *
 * Large inputs go through core/reduce/large.cuh, in which blocks stay and take tile after tile, small ones
 * through core/reduce/flat.cuh, in which a block takes one. docs/reduce.md says why. n alone decides. How items get
 * into registers, from an array or by GP_LOAD_AT, is in core/reduce/input.cuh.
 * Cost: n reads of the items, and 8 bytes of tile states per 16 KB or more.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG reduce
#define GPI_HEADER "gpuprims/reduce.cuh"
#define GPI_TAKES \
    (GPI_TAKES_TYPE | GPI_TAKES_OP | GPI_TAKES_IDENTITY | GPI_TAKES_INPUT_TYPE | GPI_TAKES_LOAD | \
     GPI_TAKES_LOAD_AT | GPI_TAKES_CONTEXT | GPI_TAKES_INDEX | GPI_TAKES_BLOCK | GPI_TAKES_API | \
     GPI_TAKES_KERNEL | GPI_TAKES_GRID)
#endif
#include "core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/reduce.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_IDENTITY
#error "gpuprims/reduce.cuh: GP_IDENTITY is missing; a GP_OP of your own requires it"
#endif
#if defined GPI_MISSING_OP
#error "gpuprims/reduce.cuh: GP_OP is missing; GP_IDENTITY goes with a GP_OP of your own"
#endif
#if defined GPI_MISSING_CONTEXT_USER
#error "gpuprims/reduce.cuh: GP_LOAD is missing; nothing else would receive the GP_CONTEXT"
#endif
#if defined GP_LOAD && defined GP_LOAD_AT
#error "gpuprims/reduce.cuh: GP_LOAD must be left out; GP_LOAD_AT takes its place"
#endif
#if defined GPI_WRONG_BLOCK
#error "gpuprims/reduce.cuh: GP_BLOCK must be a multiple of 32 from 32 to 1024"
#endif

#if !defined GPI_DEFAULT || !defined GPI_REDUCE_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_REDUCE_DEFAULT
#endif
GPI_ONCE_PER_NAME(reduce);
GPI_CHECK_INDEX();

#define GPI_WARP_TILE_BYTES_OF_INPUT
#include "block/block_reduce.cuh"
#include "core/instance/fold.cuh"
#include "core/tile/warp_tile.cuh"
#include "core/tile/thread_fold.cuh"
#include "core/tile/tile_state.cuh"
#include "core/reduce/tuning.cuh"

/*
 * What decides how floats are folded, besides core/tile/warp_tile.cuh: no build may change it. In small and medium
 * inputs a thread has one 16-byte vector of a tile, or max_rows of them. Tiles of large inputs grow with the input, so
 * that there are never more aggregates than one block folds quickly.
 */
#define GPI_REDUCE_SMALL_BYTES  ((size_t)4 << 20)
#define GPI_REDUCE_MEDIUM_BYTES ((size_t)16 << 20)
#define GPI_REDUCE_MOST_TILES   4096
#define GPI_REDUCE_IS_WORD      (sizeof(GPI(loaded)) == 4 || sizeof(GPI(loaded)) == 8)
enum {
    GPI(vector_n) = sizeof(GPI(loaded)) <= 16 ? 16 / (int)sizeof(GPI(loaded)) : 1,
    GPI(row_items) = 32 * 32 * GPI(vector_n), /* items of a tile, for each row of a warp */
    GPI(max_rows) = GPI_REDUCE_IS_WORD ? 4 : 1,
    GPI(small_items) = (int)(GPI_REDUCE_SMALL_BYTES / sizeof(GPI(loaded))),
    GPI(medium_items) = GPI_REDUCE_IS_WORD ? (int)(GPI_REDUCE_MEDIUM_BYTES / sizeof(GPI(loaded))) : 0
};

/* What a launch works on. */
typedef struct {
    const GP_INPUT_TYPE *in;
    GP_TYPE *out;
    size_t n;
    GP_TYPE init; /* if it has one: an element before the first */
    int has_init;
    gpi_tile_state_head *head; /* the tile states follow it */
    uint32_t tiles;
    unsigned rows; /* of a warp in a tile of a small or medium input; 0 when it is large */
    size_t part;   /* neighbouring warp tiles of each warp in a tile of a large input, */
    int backward;  /* which is read from its end, tile by tile */
} GPI(job);

/* Groups of aggregates that a warp reads at a time. */
enum { GPI(batch) = sizeof(GP_TYPE) <= 8 ? 8 : sizeof(GP_TYPE) <= 16 ? 4 : 1 };

#if GPI_DEVICE_CODE
/*
 * The fold of the aggregates of all tiles, in thread 0. Groups of 32 tiles are folded as trees; each of
 * the block's warps folds an equal share of neighbouring groups from left to right, and the block its
 * warps as a tree. `batch`, a constant, is how many groups are read at a time.
 */
GPI_DEVICE GP_TYPE GPI(groups)(const GPI(job) *job, GP_TYPE *sums, unsigned lane,
                               unsigned warp, unsigned warps, unsigned batch, uint32_t epoch)
{
    const uint64_t *states = (const uint64_t *)(job->head + 1);
    unsigned groups = (job->tiles + GPI(group_tiles) - 1) / GPI(group_tiles);
    unsigned share = (groups + warps - 1) / warps;
    unsigned first = warp * share, last = gpi_min(first + share, groups);
    GP_TYPE sum; /* of the groups, in lane 0 */

    memset((void *)&sum, 0, sizeof sum);
    for (unsigned group = first; group < last; group += batch) {
        GP_TYPE x[GPI(batch)];
        int there;

        do {
            there = 1;
            GPI_UNROLL
            for (unsigned i = 0; i < batch; i++) {
                unsigned tile = gpi_min(group + i, last - 1) * GPI(group_tiles) + lane;

                there &= GPI(poll)(states, gpi_min(tile, job->tiles - 1), 1, &x[i], epoch);
            }
        } while (!__all_sync(GPI_FULL_MASK, there));
        GPI_UNROLL
        for (unsigned i = 0; i < batch; i++)
            x[i] = GPI(warp_reduce)(x[i], (int)lane, (int)(job->tiles - (group + i) * GPI(group_tiles)));
        GPI_UNROLL
        for (unsigned i = 0; i < batch; i++)
            if (lane == 0 && group + i < last)
                sum = group + i == first ? x[i] : GPI(combine)(sum, x[i]);
    }
    if (groups == 1)
        return sum;
    if (lane == 0 && first < last)
        sums[warp] = sum;
    __syncthreads(); /* sums are complete */
    warps = (groups + share - 1) / share;
    return GPI(warp_reduce)(sums[lane < warps ? lane : 0], (int)lane, (int)warps);
}

/* One thread: writes the result, of the fold of all items. */
GPI_DEVICE void GPI(finish)(const GPI(job) *job, GP_TYPE sum)
{
    *job->out = job->has_init ? GPI(combine)(job->init, sum) : sum;
}
#endif

#include "core/reduce/input.cuh"
#include "core/reduce/flat.cuh"
#include "core/reduce/large.cuh"

/* ---- host functions -------------------------------------------------------------------------- */

/* Gives the job the shape of the fold of n items. */
static inline void GPI(shape)(GPI(job) *job, size_t n)
{
    size_t tiles = gpi_divide_up(n, GPI(tile_n));

    job->n = n;
    job->rows = n <= GPI(small_items) ? 1 : n <= GPI(medium_items) ? GPI(max_rows) : 0;
    job->part = 1;
    if (job->rows)
        tiles = gpi_divide_up(n, (size_t)job->rows * GPI(row_items));
    else
        for (; tiles > GPI_REDUCE_MOST_TILES / (job->part == 1 ? 2 : 1); job->part *= 2)
            tiles = gpi_divide_up(tiles, 2);
    job->tiles = (uint32_t)tiles;
}

/* For the states of as many tiles as n or fewer items may have. */
static inline size_t GPI(states)(size_t n)
{
    size_t small = GPI(row_items), large = GPI(tile_n);
    size_t tiles = gpi_divide_up(n, small < large ? small : large);

    return tiles <= 1 ? 0 : GPI(tile_state_bytes)(tiles < GPI_REDUCE_MOST_TILES ? tiles : GPI_REDUCE_MOST_TILES);
}

/* Refuses wrong arguments. */
static inline cudaError_t GPI(check)(const char *function, const GPI(job) *job, size_t n)
{
#ifdef GP_LOAD_AT
    const size_t item_bytes = 1; /* what is read is unknown */
#else
    const size_t item_bytes = sizeof *job->in;
#endif
    cudaError_t error;

#ifndef GP_LOAD_AT
    if (!job->in && n)
        return gpi_error_null(function, "in", n);
#endif
    if (!job->out)
        return gpi_error_null(function, "d_out", n);
    error = gpi_check_count(function, "n", n, GPI_MOST_OF(GP_INDEX), item_bytes);
#ifndef GP_LOAD_AT
    const gpi_argument used[] = {{"in", job->in, n * item_bytes, GPI_READ, 0},
                                 {"d_out", job->out, sizeof *job->out, GPI_WRITTEN, 0}};

    if (error == cudaSuccess)
        error = gpi_check_overlap(function, used, 2);
#endif
    return error;
}

/* Launches the kernel for n items. */
static inline cudaError_t GPI(launch)(GPI(job) *job, GPI_CONTEXT context, cudaStream_t stream)
{
    static signed char known[2][GPI_DEVICES];
    const unsigned each = GPI(blocks) + (job->in ? 0 : (unsigned)GPI(more_blocks)); /* of a multiprocessor */
    const unsigned resident = job->rows ? 0 : gpi_resident_blocks(each, job->tiles, GP_GRID);
    const int is_few = job->part == 1 && job->tiles <= GPI(few) * resident;
    const int ready = gpi_kernel_ready(is_few ? (const void *)GPI(few_kernel) : (const void *)GPI(large_kernel),
                                       GPI(bytes), known[is_few]);
    const int dependent = (ready & GPI_KERNEL_SM90) != 0;
    unsigned threads = (unsigned)gpi_divide_up(job->n, 32 * GPI(vector_n)) * 32; /* of a single small tile */
    threads = job->tiles > 1 ? 1024 : job->n ? threads : 32;
    unsigned blocks = job->tiles < GP_GRID ? job->tiles + !job->tiles : GP_GRID;

    if (job->rows == 1)
        return GPI_LAUNCH_DEPENDENT(dependent, GPI(small_kernel), blocks, threads, 0, stream, *job, context);
    if (job->rows)
        return GPI_LAUNCH_DEPENDENT(dependent, GPI(medium_kernel), blocks, threads, 0, stream, *job, context);
    if (is_few)
        return GPI_LAUNCH_DEPENDENT(dependent, GPI(few_kernel), resident, GPI(threads), GPI(bytes), stream, *job,
                                    context);
    return GPI_LAUNCH_DEPENDENT(dependent, GPI(large_kernel), resident, GPI(threads), GPI(bytes), stream, *job,
                                context);
}

/* All of a call. `init` may be NULL: there is none. */
static inline cudaError_t GPI(host)(const char *function, const GP_INPUT_TYPE *in, GP_TYPE *d_out, size_t n,
                                    const GP_TYPE *init, GPI_CONTEXT context, gp_workspace *ws, cudaStream_t stream)
{
    gpi_scratch scratch;
    GPI(job) job;
    cudaError_t error;

    memset((void *)&job, 0, sizeof job);
    job.in = in;
    job.out = d_out;
    error = GPI(check)(function, &job, n);
    if (error != cudaSuccess)
        return error;
    error = gpi_tagged_scratch_acquire(&scratch, ws, GPI(states)(n), 0, stream, function);
    if (error != cudaSuccess)
        return error;
    job.head = (gpi_tile_state_head *)scratch.tags;
    GPI(shape)(&job, n);
    if (!job.rows)
        job.backward = gpi_workspace_backward(ws, in);
    if (init) {
        job.init = *init;
        job.has_init = 1;
    }
    return gpi_scratch_release(&scratch, GPI(launch)(&job, context, stream), stream);
}

GPI_TAGGED_WORKSPACE(reduce, GPI(states)(n))
GPI_TAGGED_WORKSPACE(reduce_init, GPI(states)(n))

/* *d_out = in[0] op ... op in[n - 1]; the identity when n is 0. */
GP_API cudaError_t GPI_PUBLIC(reduce)(const GP_INPUT_TYPE *in, GP_TYPE *d_out, size_t n,
                                      GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    return GPI(host)(GPI_TEXT(reduce), in, d_out, n, NULL, GPI_CONTEXT_VALUE, ws, stream);
}

/* *d_out = init op in[0] op ... op in[n - 1]; init when n is 0. */
GP_API cudaError_t GPI_PUBLIC(reduce_init)(const GP_INPUT_TYPE *in, GP_TYPE *d_out, size_t n, GP_TYPE init,
                                           GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    return GPI(host)(GPI_TEXT(reduce_init), in, d_out, n, &init, GPI_CONTEXT_VALUE, ws, stream);
}

#endif
#include "core/instance/end.cuh"
