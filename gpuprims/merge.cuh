/*
 * merge.cuh: merges two sorted arrays.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_TYPE        T, any trivially copyable type of up to 1024 bytes (int)
 *              GP_LESS(a, b)  true when a comes before b (a < b); with GP_CONTEXT: GP_LESS(a, b, context)
 *              GP_CONTEXT     type of a by-value argument before `ws`
 *              GP_INDEX       an integer type of 4 or 8 bytes that na + nb has to fit (size_t)
 *              GP_API         linkage of the host functions (static inline)
 *              GP_KERNEL, GP_GRID  for tests; na + nb, the size of T and the GPU say which kernel runs, and with how
 *                                  many blocks
 *
 * Generates    cudaError_t NAME_merge(const T *a, size_t na, const T *b, size_t nb, T *out, ...)
 *              size_t      NAME_merge_workspace_bytes(size_t na, size_t nb)
 *              where ... is [context,] ws, stream
 *
 *     a          0 1 3 5
 *     b          1 2 5
 *     merged     0 1 1 2 3 5 5
 *
 *     #include <gpuprims/merge.cuh>
 *     gp_merge(d_a, na, d_b, nb, d_out, NULL, stream);
 *
 * Order        GP_LESS is a strict weak order, and a and b are sorted by it. Items neither of which comes
 *              before the other keep their order, and those of a come before those of b.
 * Guarantees   Asynchronous on `stream`. out has na + nb items and overlaps neither a nor b.
 * Evaluations  GP_LESS is evaluated on items of the input only, two at a time: some 1.7 (na + nb) times for
 *              items of up to 4 bytes, 2.5 (na + nb) for 8, 9 (na + nb) for 128.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched; else
 *              what a launch or an allocation returned. na + nb == 0 succeeds and writes nothing.
 *
 * How it works: a merge path (Green, McColl and Bader, GPU merge path, 2012). The output is cut into tiles; for each of
 * them a search finds the parts of a and b that make it up, and a block merges these in shared memory:
 * core/merge/tile.cuh. Large arrays go through a pipeline in persistent blocks, core/merge/pipelined.cuh, small ones
 * have a block for each tile, core/merge/simple.cuh. docs/merge-sort.md says more. Cost: each item is read and written
 * once, in one launch. Workspace: 255 bytes for 16 MB and more, if items have up to 128 bytes; else
 * none.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG merge
#define GPI_HEADER "gpuprims/merge.cuh"
#define GPI_TAKES                                                                            \
    (GPI_TAKES_TYPE | GPI_TAKES_LESS | GPI_TAKES_CONTEXT | GPI_TAKES_INDEX | GPI_TAKES_API | \
     GPI_TAKES_KERNEL | GPI_TAKES_GRID)
#endif
#include "core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/merge.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_CONTEXT_USER
#error "gpuprims/merge.cuh: GP_LESS is missing; nothing else would receive the GP_CONTEXT"
#endif

#if !defined GPI_DEFAULT || !defined GPI_MERGE_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_MERGE_DEFAULT
#endif
GPI_ONCE_PER_NAME(merge);
GPI_CHECK_INDEX();

GPI_AT_MOST(GP_TYPE, 1024);

#include "core/instance/less.cuh"
#include "core/merge/tuning.cuh"
#include "core/merge/tile.cuh"
#include "core/merge/simple.cuh"
#if GP_KERNEL != GP_KERNEL_SIMPLE
#include "core/merge/pipelined.cuh"
#endif

/* ---- host functions -------------------------------------------------------------------------- */

/* The bytes of the head of the pipelined kernel, if that may run. */
static inline size_t GPI(bytes)(size_t n)
{
#if GP_KERNEL != GP_KERNEL_SIMPLE
    if (GPI(is_pipelined) && (GP_KERNEL || n >= GPI_TUNE_MERGE_TWO_PIPELINED / sizeof(GP_TYPE)))
        return sizeof(gpi_tile_state_head);
#endif
    (void)n;
    return 0;
}

GP_API size_t GPI_PUBLIC(merge_workspace_bytes)(size_t na, size_t nb)
{
    const size_t n = gpi_add_sizes(na, nb);

    return n == SIZE_MAX ? SIZE_MAX : gpi_tagged_request(GPI(bytes)(n), 0);
}

/* Refuses wrong arguments. */
static inline cudaError_t GPI(check)(const char *function, const GPI(job) *job, size_t n)
{
    const gpi_argument used[] = {{"a", job->a, job->na * sizeof *job->a, GPI_READ, 0},
                                 {"b", job->b, job->nb * sizeof *job->b, GPI_READ, 0},
                                 {"out", job->out, n * sizeof *job->out, GPI_WRITTEN, 0}};

    if (job->na && !job->a)
        return gpi_error_null_of(function, "a", "na", job->na);
    if (job->nb && !job->b)
        return gpi_error_null_of(function, "b", "nb", job->nb);
    if (n && !job->out)
        return gpi_error_null_of(function, "out", "na + nb", n);
    cudaError_t error =
        gpi_check_count(function, "na + nb", n, GPI_MOST_OF(GP_INDEX), sizeof *job->out);
    return error != cudaSuccess ? error : gpi_check_overlap(function, used, 3);
}

/* Launches the kernel that n says. */
static inline cudaError_t GPI(launch)(GPI(job) job, size_t n, GPI_CONTEXT context, cudaStream_t stream)
{
    static signed char simple_known[GPI_DEVICES];
    const int ready = gpi_kernel_ready((const void *)GPI(simple_kernel), 0, simple_known);
    const unsigned few = GPI_TUNE_MERGE_TWO_SMALL_THREADS, most = GPI(simple_threads);
    const unsigned threads = n < GPI_TUNE_MERGE_TWO_SMALL && few < most ? few : most;

#if GP_KERNEL != GP_KERNEL_SIMPLE
    static signed char pipelined_known[GPI_DEVICES];

    job.tiles = gpi_divide_up(n, GPI(tile_items));
    if (GPI(bytes)(n) &&
        gpi_kernel_ready((const void *)GPI(pipelined_kernel), GPI(pipeline_bytes), pipelined_known) >=
            (GPI_KERNEL_FITS | GPI_KERNEL_SM90)) {
        const unsigned blocks = gpi_resident_blocks(GPI(blocks), job.tiles, GP_GRID);
        return GPI_LAUNCH_DEPENDENT(1, GPI(pipelined_kernel), blocks, GPI(threads) + 32 * (GPI(split_warps) + 1),
                                    GPI(pipeline_bytes), stream, job, context);
    }
#endif
    job.tiles = gpi_divide_up(n, threads * GPI(items));
    return GPI_LAUNCH_DEPENDENT((ready & GPI_KERNEL_SM90) != 0, GPI(simple_kernel),
                                (unsigned)gpi_smaller_size(job.tiles, gpi_smaller_size(GP_GRID, GPI_MAX_TILES)),
                                threads, 0, stream, job, context);
}

/* Merges the sorted arrays a and b. */
GP_API cudaError_t GPI_PUBLIC(merge)(const GP_TYPE *a, size_t na, const GP_TYPE *b, size_t nb,
                                     GP_TYPE *out, GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                     cudaStream_t stream)
{
    const size_t n = gpi_add_sizes(na, nb);
    gpi_scratch scratch;
    GPI(job) job;
    cudaError_t error;

    memset((void *)&job, 0, sizeof job);
    job.a = a;
    job.b = b;
    job.out = out;
    job.na = na;
    job.nb = nb;
    error = GPI(check)(GPI_TEXT(merge), &job, n);
    if (error != cudaSuccess || n == 0)
        return error;
    error = gpi_tagged_scratch_acquire(&scratch, ws, GPI(bytes)(n), 0, stream, GPI_TEXT(merge));
    if (error != cudaSuccess)
        return error;
    job.head = (gpi_tile_state_head *)(void *)scratch.tags;
    return gpi_scratch_release(&scratch, GPI(launch)(job, n, GPI_CONTEXT_VALUE, stream), stream);
}

#endif
#include "core/instance/end.cuh"
