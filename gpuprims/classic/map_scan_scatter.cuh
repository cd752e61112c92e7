/*
 * classic/map_scan_scatter.cuh: stream compaction in three steps, over each rung of the ladder of scans.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_TYPE        T, any trivially copyable type of any size (int)
 *              GP_PRED(x)     true for an item to keep (x != 0); with GP_CONTEXT: GP_PRED(x, context)
 *              GP_CONTEXT     type of a by-value argument before `ws`
 *              GP_API         linkage of the host functions (static inline)
 *
 * Generates    for each <rung> of naive, work_efficient, shared and shuffle
 *              cudaError_t NAME_<rung>_compact(const T *in, T *out, size_t n, size_t *d_count,
 *                                              const gp_classic_options *opt, [context,] ws, stream)
 *              size_t      NAME_<rung>_compact_workspace_bytes(size_t n)
 *
 *     in                   1 5 0 1 2 0 3
 *     map to flags         1 1 0 1 1 0 1
 *     exclusive scan       0 1 2 2 3 4 4       where each kept item goes
 *     scatter              1 5 1 2 3           *d_count = 5
 *
 *     #include <gpuprims/classic/map_scan_scatter.cuh>
 *     gp_shuffle_compact(d_in, d_out, n, d_count, NULL, NULL, stream);
 *
 * Uses opt as the rung does. A type without `!=` needs GP_PRED of its own.
 *
 * Guarantees   Asynchronous on `stream`; the number of kept items goes to device memory. Kept items stay
 *              in order; nothing is written past the count. No overlap of `in` and `out`: one block may
 *              scatter to where another has yet to read.
 * Evaluations  GP_PRED is evaluated on items of the input only, once on each.
 * Errors       as for compact.cuh; and an impossible block size.
 *
 * How it works (Horn, Stream reduction operations for GPGPU applications, GPU Gems 2, chapter 36, 2005;
 * with a scan of linear work: Harris, Sengupta, Owens, GPU Gems 3, chapter 39, 2007): see above. The count
 * is the last index and the last flag together.
 *
 * Flaw of the rung before, the loop on the CPU: where an item goes is known only when all items before
 * it have been looked at. The scan finds that for all items at once. Cost: 2n reads of items and one
 * write of each kept one, but also n flags of 4 bytes, written and read, and n indices of 8 bytes, which
 * the scan writes (the naive one log2 n times) and the scatter reads; 2 launches and those of the scan.
 * Workspace: 12n bytes and the scan's own. compact.cuh needs one pass, with all that in registers.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#include "core/index_scans.cuh"

#ifndef GPI_TAG
#define GPI_TAG map_scan_scatter
#define GPI_HEADER "gpuprims/classic/map_scan_scatter.cuh"
#define GPI_TAKES (GPI_TAKES_TYPE | GPI_TAKES_PRED | GPI_TAKES_CONTEXT | GPI_TAKES_API)
#endif
#include "../core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/classic/map_scan_scatter.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_CONTEXT_USER
#error "gpuprims/classic/map_scan_scatter.cuh: GP_PRED is missing; nothing else would receive the GP_CONTEXT"
#endif

#if !defined GPI_DEFAULT || !defined GPI_MAP_SCAN_SCATTER_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_MAP_SCAN_SCATTER_DEFAULT
#endif
GPI_ONCE_PER_NAME(map_scan_scatter);

#include "core/rungs.cuh"
#include "../core/instance/predicate.cuh"

/* ---- kernels --------------------------------------------------------------------------------- */

/* 1. Map: 1 for an item to keep, 0 for the others. */
static __global__ void __launch_bounds__(GPI_CLASSIC_THREADS)
    GPI(map_kernel)(const GP_TYPE *in, uint32_t *flags, size_t n, GPI_CONTEXT context)
{
    size_t i = gpi_global_thread();

    if (i < n)
        flags[i] = (uint32_t)GPI(keep)(in + i, context);
}

/* (2. is the rung's scan.) 3. Scatter: the number of items kept before an item is its index. */
static __global__ void __launch_bounds__(GPI_CLASSIC_THREADS)
    GPI(scatter_kernel)(const GP_TYPE *in, const uint32_t *flags, const size_t *indices,
                        GP_TYPE *out, size_t n, size_t *count)
{
    size_t i = gpi_global_thread();

    if (i >= n)
        return;
    if (flags[i])
        out[indices[i]] = in[i];
    if (i == n - 1)
        *count = indices[i] + flags[i];
}

/* ---- host functions -------------------------------------------------------------------------- */

/* One of the rungs. */
typedef cudaError_t GPI(scan)(const uint32_t *flags, size_t *indices, size_t n,
                              const gp_classic_options *opt, gp_workspace *ws,
                              cudaStream_t stream);

/* The flags, the indices, and what the scan needs. */
static inline size_t GPI(bytes)(size_t n, size_t scan_bytes)
{
    const size_t flags = gpi_array_bytes(n, sizeof(uint32_t)),
                 indices = gpi_array_bytes(n, sizeof(size_t));

    return gpi_workspace_request(gpi_add_sizes(gpi_add_sizes(flags, indices), scan_bytes));
}

static inline cudaError_t GPI(run)(const char *function, GPI(scan) *scan,
                                   size_t scan_bytes, const GP_TYPE *in, GP_TYPE *out,
                                   size_t n, size_t *d_count, const gp_classic_options *opt,
                                   GPI_CONTEXT context, gp_workspace *ws, cudaStream_t stream)
{
    const gpi_argument used[] = {
        {"in", in, n * sizeof *in, GPI_READ, 0},
        {"out", out, 1, GPI_WRITTEN, 0}, /* how much of it is written depends on the data */
        {"d_count", d_count, sizeof *d_count, GPI_WRITTEN, 0}};
    gp_workspace scan_ws = GP_WORKSPACE_INIT;
    gp_classic_options options;
    gpi_scratch scratch;
    cudaError_t error = gpi_classic_read(opt, &options, function);

    if (error != cudaSuccess)
        return error;
    if (!in && n)
        return gpi_error_null(function, "in", n);
    if (!out && n)
        return gpi_error_null(function, "out", n);
    if (!d_count)
        return gpi_error_null(function, "d_count", n);
    if (n == 0)
        return cudaMemsetAsync(d_count, 0, sizeof *d_count, stream);
    error = gpi_check_count(function, "n", n, GPI_CLASSIC_ITEMS, sizeof *in);
    if (error == cudaSuccess)
        error = gpi_check_overlap(function, used, 3);
    if (error != cudaSuccess)
        return error;
    error = gpi_scratch_acquire(&scratch, ws, GPI(bytes)(n, scan_bytes), stream, function);
    if (error != cudaSuccess)
        return error;

    uint32_t *flags = (uint32_t *)scratch.memory;
    size_t *indices = (size_t *)(scratch.memory + gpi_array_bytes(n, sizeof(uint32_t)));
    char *scan_memory = (char *)indices + gpi_array_bytes(n, sizeof(size_t));
    dim3 grid = gpi_grid_for(n, options.block_threads);

    error = gp_workspace_wrap(&scan_ws, scan_memory, scan_bytes, stream);
    if (error == cudaSuccess)
        error = GPI_LAUNCH(GPI(map_kernel), grid, options.block_threads, 0, stream, in, flags,
                           n, context);
    if (error == cudaSuccess)
        error = scan(flags, indices, n, &options, &scan_ws, stream);
    if (error == cudaSuccess)
        error = GPI_LAUNCH(GPI(scatter_kernel), grid, options.block_threads, 0, stream, in,
                           (const uint32_t *)flags, (const size_t *)indices, out, n, d_count);
    return gpi_scratch_release(&scratch, error, stream);
}

GP_API size_t GPI_PUBLIC(naive_compact_workspace_bytes)(size_t n)
{
    return n ? GPI(bytes)(n, gpi_index_naive_exclusive_scan_workspace_bytes(n)) : 0;
}

GP_API size_t GPI_PUBLIC(work_efficient_compact_workspace_bytes)(size_t n)
{
    return n ? GPI(bytes)(n, gpi_index_work_efficient_exclusive_scan_workspace_bytes(n)) : 0;
}

GP_API size_t GPI_PUBLIC(shared_compact_workspace_bytes)(size_t n)
{
    return n ? GPI(bytes)(n, gpi_index_shared_exclusive_scan_workspace_bytes(n)) : 0;
}

GP_API size_t GPI_PUBLIC(shuffle_compact_workspace_bytes)(size_t n)
{
    return n ? GPI(bytes)(n, gpi_index_shuffle_exclusive_scan_workspace_bytes(n)) : 0;
}

/* The items that satisfy GP_PRED, in order; *d_count of them. Likewise the other three. */
GP_API cudaError_t GPI_PUBLIC(naive_compact)(const GP_TYPE *in, GP_TYPE *out, size_t n,
                                             size_t *d_count, const gp_classic_options *opt,
                                             GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                             cudaStream_t stream)
{
    return GPI(run)(GPI_TEXT(naive_compact), gpi_index_naive_exclusive_scan,
                    gpi_index_naive_exclusive_scan_workspace_bytes(n), in, out, n, d_count,
                    opt, GPI_CONTEXT_VALUE, ws, stream);
}

GP_API cudaError_t GPI_PUBLIC(work_efficient_compact)(const GP_TYPE *in, GP_TYPE *out, size_t n,
                                                      size_t *d_count,
                                                      const gp_classic_options *opt,
                                                      GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                                      cudaStream_t stream)
{
    return GPI(run)(GPI_TEXT(work_efficient_compact), gpi_index_work_efficient_exclusive_scan,
                    gpi_index_work_efficient_exclusive_scan_workspace_bytes(n), in, out, n,
                    d_count, opt, GPI_CONTEXT_VALUE, ws, stream);
}

GP_API cudaError_t GPI_PUBLIC(shared_compact)(const GP_TYPE *in, GP_TYPE *out, size_t n,
                                              size_t *d_count, const gp_classic_options *opt,
                                              GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                              cudaStream_t stream)
{
    return GPI(run)(GPI_TEXT(shared_compact), gpi_index_shared_exclusive_scan,
                    gpi_index_shared_exclusive_scan_workspace_bytes(n), in, out, n, d_count,
                    opt, GPI_CONTEXT_VALUE, ws, stream);
}

GP_API cudaError_t GPI_PUBLIC(shuffle_compact)(const GP_TYPE *in, GP_TYPE *out, size_t n,
                                               size_t *d_count, const gp_classic_options *opt,
                                               GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                               cudaStream_t stream)
{
    return GPI(run)(GPI_TEXT(shuffle_compact), gpi_index_shuffle_exclusive_scan,
                    gpi_index_shuffle_exclusive_scan_workspace_bytes(n), in, out, n, d_count,
                    opt, GPI_CONTEXT_VALUE, ws, stream);
}

#endif
#include "../core/instance/end.cuh"
