/*
 * arg_reduce.cuh: where the smallest item of an array is, or the largest.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_TYPE        T, any trivially copyable type of up to 1024 bytes (int)
 *              GP_LESS(a, b)  the order, a strict weak one; with GP_CONTEXT: GP_LESS(a, b, context) (a < b). Without it
 *                             a class needs ==, <, <= and >=
 *              GP_INPUT_TYPE  I, what is read from memory and converted to T (T); with GP_LOAD_AT any type, void too
 *              GP_LOAD_AT(in, i)  an expression for item number i, a size_t; with GP_CONTEXT:
 *                             GP_LOAD_AT(in, i, context)
 *              GP_CONTEXT     type of a by-value argument before `ws`
 *              GP_INDEX       INDEX, the type of the result, an integer type of 4 or 8 bytes that n has to fit (size_t)
 *              GP_API         linkage of the host functions (static inline)
 *              GP_KERNEL, GP_GRID  for tests; n alone chooses the kernel, and a launch has GP_GRID blocks at most
 *
 * Generates    cudaError_t NAME_argmin(const I *in, INDEX *d_index, size_t n, [context,] ws, stream)
 *              cudaError_t NAME_argmax(in, d_index, n, [context,] ws, stream)
 *              size_t      NAME_argmin_workspace_bytes(size_t n), NAME_argmax_workspace_bytes(size_t n)
 *
 *     in                   3 1 4 1 5 9 2 6 5 9
 *     argmin: *d_index     1
 *     argmax: *d_index     5
 *
 *     #include <gpuprims/arg_reduce.cuh>
 *     gp_argmin(d_in, d_index, n, NULL, stream);
 *
 * Result       argmin: the lowest i for which no item is less than item i. argmax: the lowest i for which item i is
 *              less than no item. Without GP_LESS, where there is a NaN, both give the first NaN: what is there is what
 *              a reduction by GP_MIN or GP_MAX gives. Nothing gives the largest INDEX.
 * Guarantees   Asynchronous on `stream`; the result goes to device memory, and is the same everywhere. With GP_LOAD_AT,
 *              `in` is handed through and may be NULL, no overlap with it is checked, and *d_index must not be read.
 * Evaluations  GP_LOAD_AT once for each i below n, in any order, and for item 0 once more for each thread. GP_LESS on
 *              items of the input alone, about once for each, and some ten times for each thread.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched; else what a launch or
 *              an allocation returned.
 *
 * How it works: in one launch and one pass.
 *
 *     1. every thread reads vectors of 16 bytes, neighbouring threads neighbouring ones, and keeps the first of the
 *        best items that it has seen, and its number
 *     2. a block compares its threads and publishes the best
 *     3. the block that is the last to draw a ticket compares those of all blocks
 *
 * Which of two equal items comes first is decided by their numbers, so it does not matter in which order threads are
 * compared, and nothing is transposed in shared memory as in a reduction: core/arg_reduce/find.cuh. Blocks of large
 * inputs stay, and draw tiles. docs/arg-reduce.md says more.
 *
 * Cost: n reads of the items; a tile state for each block.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG arg_reduce
#define GPI_HEADER "gpuprims/arg_reduce.cuh"
#define GPI_TAKES \
    (GPI_TAKES_TYPE | GPI_TAKES_LESS | GPI_TAKES_INPUT_TYPE | GPI_TAKES_LOAD_AT | GPI_TAKES_CONTEXT | \
     GPI_TAKES_INDEX | GPI_TAKES_API | GPI_TAKES_KERNEL | GPI_TAKES_GRID)
#endif
#include "core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/arg_reduce.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_CONTEXT_USER
#error "gpuprims/arg_reduce.cuh: GP_LESS is missing; nothing else would receive the GP_CONTEXT"
#endif

#if !defined GPI_DEFAULT || !defined GPI_ARG_REDUCE_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_ARG_REDUCE_DEFAULT
#endif
GPI_ONCE_PER_NAME(arg_reduce);
GPI_AT_MOST(GP_TYPE, 1024);
GPI_CHECK_INDEX();

#include "core/arg_reduce/tuning.cuh"
#include "core/arg_reduce/find.cuh"

/* ---- kernel ---------------------------------------------------------------------------------- */

/* The only block, whose threads have a unit or an end each: latency counts, so there is little code. */
static __global__ void __launch_bounds__(GPI(threads)) GPI(small_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_SHARED(GPI(sum)[GPI(threads) / 32], sums);

    gpi_grid_wait();
    gpi_grid_launch_next();
    if (job.n == 0) {
        if (threadIdx.x == 0)
            *job.out = (GP_INDEX)GPI_MOST_OF(GP_INDEX);
        return;
    }
    GPI(sum) best = GPI(candidate)(&job, 0, context);
    if (threadIdx.x < job.units)
        GPI(fold_units)(&job, threadIdx.x, 1, &best, job.largest, context);
    if (threadIdx.x < job.ends)
        best = GPI(fold_end)(&job, threadIdx.x, best, job.largest, context);
    best = GPI(block_best)(best, sums, job.largest, context);
    if (threadIdx.x == 0)
        *job.out = best.at;
#endif
}

static __global__ void __launch_bounds__(GPI(threads), GPI(blocks)) GPI(kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_SHARED(GPI(shared), shared);

    gpi_grid_wait();
    gpi_grid_launch_next();
    if (job.largest)
        GPI(find)(&job, &shared, 1, context);
    else
        GPI(find)(&job, &shared, 0, context);
#endif
}

/* ---- host functions -------------------------------------------------------------------------- */

/* How n items are divided. */
static inline void GPI(shape)(GPI(job) *job, size_t n)
{
    size_t tiles;

    job->n = n;
    job->units = n;
#ifndef GP_LOAD_AT
    if (GPI(by_vectors)) {
        const size_t before = (0 - (uintptr_t)job->in) % 16;

        job->head = before / sizeof *job->in;
        if (before % sizeof *job->in || job->head > n) /* no vector is ever aligned, or none is left */
            job->head = n;
        job->units = (n - job->head) / GPI(unit_n);
        job->ends = n - job->units * GPI(unit_n);
    }
#endif
    job->rows = job->units <= GPI_TUNE_ARG_REDUCE_SINGLE ? 1 : (size_t)GPI(rows);
    tiles = gpi_divide_up(job->units, GPI(threads) * job->rows);
    for (; tiles > GPI_TUNE_ARG_REDUCE_TILES; job->rows *= 2)
        tiles = gpi_divide_up(tiles, 2);
    job->tiles = (uint32_t)tiles;
}

/* For the states of the blocks of a launch for n or fewer items, wherever they start; 0 if it is one block. */
static inline size_t GPI(states)(size_t n)
{
#ifdef GP_LOAD_AT
    const int is_natural = 0;
#else
    const int is_natural = __alignof__(GP_INPUT_TYPE) % sizeof(GP_INPUT_TYPE) == 0; /* vectors can be aligned */
#endif
    const size_t blocks = gpi_divide_up(is_natural ? n / GPI(unit_n) : n, GPI(threads));

    return blocks <= 1 ? 0 : GPI(tile_state_bytes)(blocks < GPI(max_blocks) ? blocks : (size_t)GPI(max_blocks));
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
        return gpi_error_null(function, "d_index", n);
    error = gpi_check_count(function, "n", n, GPI_MOST_OF(GP_INDEX), item_bytes);
#ifndef GP_LOAD_AT
    const gpi_argument used[] = {{"in", job->in, n * item_bytes, GPI_READ, 0},
                                 {"d_index", job->out, sizeof *job->out, GPI_WRITTEN, 0}};

    if (error == cudaSuccess)
        error = gpi_check_overlap(function, used, 2);
#endif
    return error;
}

/* Launches a thread for each unit or item, or as many blocks as are resident, as n says. */
static inline cudaError_t GPI(launch)(const GPI(job) *job, GPI_CONTEXT context, cudaStream_t stream)
{
    static signed char known[GPI_DEVICES];
    const int ready = gpi_kernel_ready((const void *)GPI(kernel), 0, known);
    const size_t most = GP_GRID < GPI(max_blocks) ? GP_GRID : (size_t)GPI(max_blocks);
    const size_t works = job->units > job->ends ? job->units : job->ends; /* for a thread each */
    const size_t wanted = gpi_divide_up(works, GPI(threads));
    size_t blocks = wanted < most ? wanted : most;

    if (wanted <= 1)
        return GPI_LAUNCH_DEPENDENT((ready & GPI_KERNEL_SM90) != 0, GPI(small_kernel), 1,
                                    (unsigned)gpi_divide_up(works + !works, 32) * 32, 0, stream, *job, context);
    if (job->rows > 1)
        blocks = gpi_resident_blocks(GPI(blocks), job->tiles, most);
    return GPI_LAUNCH_DEPENDENT((ready & GPI_KERNEL_SM90) != 0, GPI(kernel), (unsigned)blocks, GPI(threads), 0, stream,
                                *job, context);
}

/* All of a call. */
static inline cudaError_t GPI(host)(const char *function, const GP_INPUT_TYPE *in, GP_INDEX *d_index, size_t n,
                                    int largest, GPI_CONTEXT context, gp_workspace *ws, cudaStream_t stream)
{
    gpi_scratch scratch;
    GPI(job) job;
    cudaError_t error;

    memset((void *)&job, 0, sizeof job);
    job.in = in;
    job.out = d_index;
    job.largest = largest;
    error = GPI(check)(function, &job, n);
    if (error == cudaSuccess)
        error = gpi_tagged_scratch_acquire(&scratch, ws, GPI(states)(n), 0, stream, function);
    if (error != cudaSuccess)
        return error;
    job.states = (gpi_tile_state_head *)scratch.tags;
    GPI(shape)(&job, n);
    return gpi_scratch_release(&scratch, GPI(launch)(&job, context, stream), stream);
}

GPI_TAGGED_WORKSPACE(argmin, GPI(states)(n))
GPI_TAGGED_WORKSPACE(argmax, GPI(states)(n))

/* *d_index = the lowest i for which no item is less than item i; the largest INDEX when n is 0. */
GP_API cudaError_t GPI_PUBLIC(argmin)(const GP_INPUT_TYPE *in, GP_INDEX *d_index, size_t n,
                                      GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    return GPI(host)(GPI_TEXT(argmin), in, d_index, n, 0, GPI_CONTEXT_VALUE, ws, stream);
}

/* *d_index = the lowest i for which item i is less than no item; the largest INDEX when n is 0. */
GP_API cudaError_t GPI_PUBLIC(argmax)(const GP_INPUT_TYPE *in, GP_INDEX *d_index, size_t n,
                                      GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    return GPI(host)(GPI_TEXT(argmax), in, d_index, n, 1, GPI_CONTEXT_VALUE, ws, stream);
}

#endif
#include "core/instance/end.cuh"
