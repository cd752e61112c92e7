/*
 * search.cuh: where each of many queries belongs in a sorted array.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_TYPE        T, any trivially copyable type of up to 1024 bytes (int)
 *              GP_LESS(a, b)  true when a comes before b (a < b); with GP_CONTEXT: GP_LESS(a, b, context)
 *              GP_CONTEXT     type of a by-value argument before `ws`
 *              GP_INDEX       INDEX, the type of the results, an integer type of 4 or 8 bytes that n has to fit
 *                             (size_t)
 *              GP_API         linkage of the host functions (static inline)
 *              GP_KERNEL, GP_GRID  for tests; GP_KERNEL_PIPELINED has an index at every n and m, of a type that it is
 *                             made for, GP_KERNEL_SIMPLE has none
 *
 * Generates    cudaError_t NAME_lower_bound(const T *sorted, size_t n, const T *queries, size_t m, INDEX *out, ...)
 *              cudaError_t NAME_upper_bound(sorted, n, queries, m, out, ...)
 *              size_t      NAME_lower_bound_workspace_bytes(size_t n, size_t m), NAME_upper_bound_workspace_bytes
 *              where ... is [context,] ws, stream
 *
 *     sorted           1 3 3 3 7
 *     queries          3 0 9 7 4
 *     lower bounds     1 0 5 4 4     how many items come before the query
 *     upper bounds     4 0 5 5 4     how many items the query does not come before
 *
 *     #include <gpuprims/search.cuh>
 *     gp_lower_bound(d_sorted, n, d_queries, m, d_out, NULL, stream);
 *
 * Order        GP_LESS is a strict weak order, and `sorted` is sorted by it. With any other the results are not
 *              specified, but from 0 to n.
 * Guarantees   Asynchronous on `stream`. out has m entries and overlaps neither input; the inputs may be the same.
 * Evaluations  GP_LESS is evaluated on a query and an item of `sorted`: some log2 n times for each query without an
 *              index, and some 2 log2 n times with one; and on two queries, up to four times for each.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched; else
 *              what a launch or an allocation returned. m == 0 succeeds and writes nothing; where n == 0, out is 0.
 *
 * How it works: few queries are searched for by several lanes of a warp: core/search/few.cuh; more of them by a thread
 * each: core/search/direct.cuh. For many, a first kernel makes an index of a large array, in levels
 * (core/search/index.cuh), that stays in the L2, and another one goes from the coarsest level, in shared memory, down
 * to the items: core/search/tiles.cuh. For many that are in order the first kernel finds where each tile of them begins
 * in the array instead, and the items of a tile are searched in shared memory: core/search/sorted.cuh. docs/search.md
 * says more.
 *
 * Cost: m reads of the queries and writes of the results; of `sorted` with an index some two sectors for each query in
 * random order, or each item once at most for sorted queries; one launch, or three with an index. There is one if n is
 * at most 32 times what m exceeds 2^18 by. Workspace for it: an item for each 32 bytes of `sorted` (64, if items have
 * 16); where these would be more than 32 MB, each stands for up to eight times as much; and a seventh of that (a third,
 * if items have 8 or 16 bytes); at least 8 bytes for each 512 queries. Else none.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG search
#define GPI_HEADER "gpuprims/search.cuh"
#define GPI_TAKES                                                                            \
    (GPI_TAKES_TYPE | GPI_TAKES_LESS | GPI_TAKES_CONTEXT | GPI_TAKES_INDEX | GPI_TAKES_API | \
     GPI_TAKES_KERNEL | GPI_TAKES_GRID)
#endif
#include "core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/search.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_CONTEXT_USER
#error "gpuprims/search.cuh: GP_LESS is missing; nothing else would receive the GP_CONTEXT"
#endif

#if !defined GPI_DEFAULT || !defined GPI_SEARCH_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_SEARCH_DEFAULT
#endif
GPI_ONCE_PER_NAME(search);
GPI_AT_MOST(GP_TYPE, 1024);
GPI_CHECK_INDEX();

#include "core/instance/less.cuh"
#include "core/search/tuning.cuh"
#include "core/tile/copy.cuh"
#include "core/search/few.cuh"
#include "core/search/direct.cuh"
#if GP_KERNEL != GP_KERNEL_SIMPLE
#include "core/search/sorted.cuh"
#include "core/search/index.cuh"
#include "core/search/tiles.cuh"
#endif

/* ---- host functions -------------------------------------------------------------------------- */

/* The bytes of the index of n items for m queries. More items may have a smaller one, but get as much. */
static inline size_t GPI(scratch_bytes)(size_t n, size_t m)
{
#if GP_KERNEL != GP_KERNEL_SIMPLE
    if (GPI(is_indexed) && (GP_KERNEL || m >= GPI_TUNE_SEARCH_MANY)) {
        const size_t pays = GP_KERNEL ? n : gpi_multiply_sizes(m - GPI_TUNE_SEARCH_MANY, GPI_TUNE_SEARCH_ITEMS);
        const GPI(index) index = GPI(lay_out)(gpi_smaller_size(n, pays));
        const size_t finer = index.level[0].stride / 2, items = GPI_TUNE_SEARCH_INDEX / sizeof(GP_TYPE);
        const GPI(index) before = GPI(lay_out)((items + 1) * finer - 1);
        const size_t bytes = GPI(index_bytes)(&index, m);

        return finer >= (size_t)GPI(node_items) ? gpi_larger_size(bytes, GPI(index_bytes)(&before, m)) : bytes;
    }
#endif
    (void)n;
    (void)m;
    return 0;
}

/* Refuses wrong arguments. */
static inline cudaError_t GPI(check)(const char *function, const GPI(job) *job)
{
    const gpi_argument used[] = {
        {"sorted", job->sorted, job->n * sizeof *job->sorted, GPI_READ, 0},
        {"queries", job->queries, job->m * sizeof *job->queries, GPI_READ, 0},
        {"out", job->out, job->m * sizeof *job->out, GPI_WRITTEN, 0}};
    cudaError_t error;

    if (job->n && !job->sorted)
        return gpi_error_null(function, "sorted", job->n);
    if (job->m && !job->queries)
        return gpi_error_null_of(function, "queries", "m", job->m);
    if (job->m && !job->out)
        return gpi_error_null_of(function, "out", "m", job->m);
    error = gpi_check_count(function, "n", job->n, GPI_MOST_OF(GP_INDEX), sizeof *job->sorted);
    if (error == cudaSuccess)
        error = gpi_check_count(function, "m", job->m, SIZE_MAX,
                                gpi_larger_size(sizeof *job->queries, sizeof *job->out));
    return error != cudaSuccess ? error : gpi_check_overlap(function, used, 3);
}

#if GP_KERNEL != GP_KERNEL_SIMPLE
/* The index, or the splits, and the search between these, if there are splits. */
static inline cudaError_t GPI(launch_index)(const GPI(job) *job, GPI(index) *index, char *memory, int is_sm90,
                                            GPI_CONTEXT context, cudaStream_t stream)
{
    GP_TYPE *entries = (GP_TYPE *)(void *)(memory + GPI_ALIGNMENT);
    size_t *splits = (size_t *)(void *)(memory + GPI_ALIGNMENT);
    const unsigned bytes = GPI(room_bytes)(job->n, job->m);
    const size_t blocks = gpi_smaller_size(GPI_TUNE_SEARCH_SORTED_BLOCKS, GPI(sm90_shared) / (bytes + 1024));
    const size_t tiles = gpi_divide_up(job->m, (size_t)GPI(sorted_tile));
    const size_t lanes = gpi_larger_size(index->level[0].items, (tiles + 1) << GPI(split_log));
    cudaError_t error;

    index->is_sorted = (uint32_t *)(void *)memory;
    index->entries = entries;
    error = GPI_LAUNCH_DEPENDENT(
        is_sm90, GPI(index_kernel),
        gpi_resident_blocks(8, gpi_divide_up(lanes, (size_t)GPI(index_threads)), GP_GRID), GPI(index_threads), 0,
        stream, *job, entries, splits, *index, context);
    if (error != cudaSuccess)
        return error;
    return GPI_LAUNCH_DEPENDENT(
        is_sm90, GPI(sorted_kernel), gpi_resident_blocks((unsigned)blocks, tiles, GP_GRID), GPI(sorted_threads),
        bytes, stream, *job, splits, index->is_sorted, bytes, context);
}

/* Searches by an index, if that pays and the device has room for it; *done says whether. */
static inline cudaError_t GPI(launch_tiles)(const GPI(job) *job, char *memory, int *done,
                                            GPI_CONTEXT context, cudaStream_t stream)
{
    static signed char known[GPI_DEVICES];
    GPI(index) index = GPI(lay_out)(job->n);
    cudaError_t error = cudaSuccess;
    int ready;

    *done = 0;
    if (!GPI(is_indexed) || job->n < 2 || !index.levels)
        return cudaSuccess;
    if (!GP_KERNEL && (job->m < GPI_TUNE_SEARCH_MANY ||
                       job->n > gpi_multiply_sizes(job->m - GPI_TUNE_SEARCH_MANY, GPI_TUNE_SEARCH_ITEMS)))
        return cudaSuccess;
    ready = gpi_kernel_ready((const void *)GPI(tiles_kernel), GPI_TUNE_SEARCH_TABLE, known);
    if (!(ready & GPI_KERNEL_FITS))
        return cudaSuccess;
    *done = 1;
    if (index.levels > 1)
        error = GPI(launch_index)(job, &index, memory, (ready & GPI_KERNEL_SM90) != 0, context, stream);
    if (error != cudaSuccess)
        return error;
    return GPI_LAUNCH_DEPENDENT((ready & GPI_KERNEL_SM90) != 0, GPI(tiles_kernel),
                                gpi_resident_blocks(GPI_TUNE_SEARCH_BLOCKS,
                                                    gpi_divide_up(job->m, (size_t)GPI(tile)),
                                                    GP_GRID),
                                GPI(threads), GPI_TUNE_SEARCH_TABLE, stream, *job, index, context);
}
#endif

/* Searches without an index. */
static inline cudaError_t GPI(launch_few)(GPI(job) *job, GPI_CONTEXT context, cudaStream_t stream)
{
    static signed char known[GPI_DEVICES];
    const int is_sm90 = (gpi_kernel_ready((const void *)GPI(few_kernel), 0, known) & GPI_KERNEL_SM90) != 0;
    const size_t max_blocks = gpi_smaller_size(GP_GRID, GPI_MAX_TILES);

    if (job->m >= GPI_TUNE_SEARCH_ALONE && job->n <= UINT32_MAX)
        return GPI_LAUNCH_DEPENDENT(
            is_sm90, GPI(direct_kernel),
            (unsigned)gpi_smaller_size(gpi_divide_up(job->m, (size_t)GPI(tile)), max_blocks), GPI(threads), 0, stream,
            *job, context);
    while (job->log < 5 && job->m <= (size_t)GPI_TUNE_SEARCH_LANES >> (job->log + 1))
        job->log++;
    return GPI_LAUNCH_DEPENDENT(
        is_sm90, GPI(few_kernel), (unsigned)gpi_smaller_size(gpi_divide_up(job->m, 256 >> job->log), max_blocks), 256,
        0, stream, *job, context);
}

/* All of a call. */
static inline cudaError_t GPI(host)(const char *function, GPI(job) job, GPI_CONTEXT context,
                                    gp_workspace *ws, cudaStream_t stream)
{
    cudaError_t error = GPI(check)(function, &job);
    gpi_scratch scratch;
    int done = 0;

    if (error == cudaSuccess && job.m)
        error = gpi_tagged_scratch_acquire(&scratch, ws, 0, GPI(scratch_bytes)(job.n, job.m),
                                           stream, function);
    if (error != cudaSuccess || job.m == 0)
        return error;
#if GP_KERNEL != GP_KERNEL_SIMPLE
    error = GPI(launch_tiles)(&job, scratch.memory, &done, context, stream);
#endif
    if (!done)
        error = GPI(launch_few)(&job, context, stream);
    return gpi_scratch_release(&scratch, error, stream);
}

GP_API size_t GPI_PUBLIC(lower_bound_workspace_bytes)(size_t n, size_t m)
{
    return gpi_tagged_request(0, GPI(scratch_bytes)(n, m));
}

GP_API size_t GPI_PUBLIC(upper_bound_workspace_bytes)(size_t n, size_t m)
{
    return GPI_PUBLIC(lower_bound_workspace_bytes)(n, m);
}

/* out[i] = how many items of `sorted` come before queries[i]. */
GP_API cudaError_t GPI_PUBLIC(lower_bound)(const GP_TYPE *sorted, size_t n, const GP_TYPE *queries,
                                           size_t m, GP_INDEX *out,
                                           GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                           cudaStream_t stream)
{
    const GPI(job) job = {sorted, queries, out, n, m, 0, 0};

    return GPI(host)(GPI_TEXT(lower_bound), job, GPI_CONTEXT_VALUE, ws, stream);
}

/* out[i] = how many items of `sorted` queries[i] does not come before. */
GP_API cudaError_t GPI_PUBLIC(upper_bound)(const GP_TYPE *sorted, size_t n, const GP_TYPE *queries,
                                           size_t m, GP_INDEX *out,
                                           GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                           cudaStream_t stream)
{
    const GPI(job) job = {sorted, queries, out, n, m, 0, 1};

    return GPI(host)(GPI_TEXT(upper_bound), job, GPI_CONTEXT_VALUE, ws, stream);
}

#endif
#include "core/instance/end.cuh"
