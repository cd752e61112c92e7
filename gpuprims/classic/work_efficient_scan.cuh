/*
 * classic/work_efficient_scan.cuh: the second rung. A balanced tree in global memory.
 *
 * Parameters   GP_NAME, GP_TYPE (int), GP_OP (sum), GP_IDENTITY, GP_INPUT_TYPE, GP_LOAD, GP_CONTEXT,
 *              GP_API: as for scan.cuh, but types of any size
 * Generates    cudaError_t NAME_work_efficient_exclusive_scan(const I *in, T *out, size_t n,
 *                                                             const gp_classic_options *opt,
 *                                                             [context,] ws, stream)
 *              size_t      NAME_work_efficient_exclusive_scan_workspace_bytes(size_t n)
 *
 *     in                   1  5  0  1  2  0  3
 *     upsweep, stride 1    1  6  0  1  2  2  3  3      the eighth place exists in the tree alone
 *              stride 2    1  6  0  7  2  2  3  5
 *     downsweep, stride 4  1  6  0  -  2  2  3  7      - is nothing: the identity
 *                stride 2  1  -  0  6  2  7  3  9
 *                stride 1  0  1  6  6  7  9  9
 *
 *     #include <gpuprims/classic/work_efficient_scan.cuh>
 *     gp_work_efficient_exclusive_scan(d_in, d_out, n, NULL, NULL, stream);
 *
 * Uses opt->block_threads, and opt->compact_threads: 1 launches only the threads that have work at a
 * level, 0 one thread for every place in the tree at every level, most of which have nothing to do.
 * in == out is allowed. Errors as for scan.cuh. GP_LOAD is evaluated on items of the input only,
 * once on each.
 *
 * How it works (Blelloch, Prefix sums and their applications, 1990): the upsweep folds pairs, then pairs
 * of pairs, and leaves in the last place of every subtree the fold of its items. The downsweep gives each
 * node the fold of everything before it: the left child gets what its parent got, the right child that
 * and the fold of the left. Any n: a tree of 2^L places, in which subtrees without items stay untouched.
 *
 * Flaw of the rung before, naive_scan: n log2 n combines. Here fewer than 2n, and 11n items through
 * memory; but items that are accessed together lie ever farther apart, so that of every 32-byte sector
 * one item is used; and there are still two passes for each level, 2 log2 n + 2 launches, of which those
 * near the root have almost no parallelism. Workspace: the tree, n items rounded up to a
 * power of two.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG work_efficient_scan
#define GPI_HEADER "gpuprims/classic/work_efficient_scan.cuh"
#define GPI_TAKES \
    (GPI_TAKES_TYPE | GPI_TAKES_OP | GPI_TAKES_IDENTITY | GPI_TAKES_INPUT_TYPE | GPI_TAKES_LOAD | \
     GPI_TAKES_CONTEXT | GPI_TAKES_API)
#endif
#include "../core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/classic/work_efficient_scan.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_IDENTITY
#error "gpuprims/classic/work_efficient_scan.cuh: GP_IDENTITY is missing; a GP_OP of your own requires it"
#endif
#if defined GPI_MISSING_OP
#error "gpuprims/classic/work_efficient_scan.cuh: GP_OP is missing; GP_IDENTITY goes with a GP_OP of your own"
#endif
#if defined GPI_MISSING_CONTEXT_USER
#error "gpuprims/classic/work_efficient_scan.cuh: GP_LOAD is missing; nothing else would receive the GP_CONTEXT"
#endif

#if !defined GPI_DEFAULT || !defined GPI_WORK_EFFICIENT_SCAN_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_WORK_EFFICIENT_SCAN_DEFAULT
#endif
GPI_ONCE_PER_NAME(work_efficient_scan);

#include "core/rungs.cuh"
#include "../core/instance/combine.cuh"

static __global__ void __launch_bounds__(GPI_CLASSIC_THREADS)
    GPI(load_kernel)(const GP_INPUT_TYPE *in, GP_TYPE *tree, size_t n, GPI_CONTEXT context)
{
    size_t i = gpi_global_thread();

    if (i < n)
        tree[i] = GPI(load)(in + i, context);
}

/* The node that this thread works on at a level. With all threads launched, most have none. */
GPI_DEVICE size_t GPI(node)(size_t stride, int compact_threads)
{
    size_t i = gpi_global_thread();

    if (compact_threads)
        return i;
    return i % (2 * stride) == 0 ? i / (2 * stride) : SIZE_MAX;
}

/* Node k has 2 * stride places from k * 2 * stride on; its last one gets the fold of both halves. */
static __global__ void __launch_bounds__(GPI_CLASSIC_THREADS)
    GPI(upsweep_kernel)(GP_TYPE *tree, size_t n, size_t stride, size_t nodes,
                        int compact_threads)
{
    size_t node = GPI(node)(stride, compact_threads);

    if (node >= nodes)
        return;
    size_t middle = node * 2 * stride + stride, last = middle + stride - 1;
    if (middle < n)
        tree[last] = GPI(combine)(tree[middle - 1], tree[last]);
    else if (middle - stride < n) /* no items on the right */
        tree[last] = tree[middle - 1];
}

/* A node's last place holds the fold of everything before it; node 0 has nothing before it. */
static __global__ void __launch_bounds__(GPI_CLASSIC_THREADS)
    GPI(downsweep_kernel)(GP_TYPE *tree, size_t n, size_t stride, size_t nodes,
                          int compact_threads)
{
    size_t node = GPI(node)(stride, compact_threads);

    if (node >= nodes)
        return;
    size_t middle = node * 2 * stride + stride, last = middle + stride - 1;
    if (middle - stride >= n)
        return;
    GP_TYPE left = tree[middle - 1];
    if (node > 0) {
        GP_TYPE before = tree[last];

        tree[middle - 1] = before;
        if (middle < n)
            tree[last] = GPI(combine)(before, left);
    } else if (middle < n) {
        tree[last] = left;
    }
}

static __global__ void __launch_bounds__(GPI_CLASSIC_THREADS)
    GPI(store_kernel)(const GP_TYPE *tree, GP_TYPE *out, size_t n)
{
    size_t i = gpi_global_thread();

    if (i < n)
        out[i] = i ? tree[i] : GPI(identity)();
}

GP_API size_t GPI_PUBLIC(work_efficient_exclusive_scan_workspace_bytes)(size_t n)
{
    size_t places = n > GPI_MAX_BYTES ? SIZE_MAX : (size_t)1 << gpi_levels(n);

    return n ? gpi_workspace_request(gpi_array_bytes(places, sizeof(GP_TYPE))) : 0;
}

/* out[0] = identity, out[i] = in[0] op ... op in[i - 1] */
GP_API cudaError_t GPI_PUBLIC(work_efficient_exclusive_scan)(const GP_INPUT_TYPE *in, GP_TYPE *out,
                                                             size_t n,
                                                             const gp_classic_options *opt,
                                                             GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                                             cudaStream_t stream)
{
    const char *function = GPI_TEXT(work_efficient_exclusive_scan);
    const int same_size = sizeof *in == sizeof *out;
    const gpi_argument used[] = {{"in", in, n * sizeof *in, GPI_READ, same_size},
                                 {"out", out, n * sizeof *out, GPI_WRITTEN, same_size}};
    size_t places = (size_t)1 << gpi_levels(n);
    gp_classic_options options;
    gpi_scratch scratch;
    cudaError_t error = gpi_classic_read(opt, &options, function);

    if (error != cudaSuccess || n == 0)
        return error;
    if (!in)
        return gpi_error_null(function, "in", n);
    if (!out)
        return gpi_error_null(function, "out", n);
    error = gpi_check_count(function, "n", n, GPI_CLASSIC_ITEMS,
                            gpi_larger_size(sizeof *in, sizeof *out));
    if (error == cudaSuccess)
        error = gpi_check_overlap(function, used, 2);
    if (error != cudaSuccess)
        return error;
    error = gpi_scratch_acquire(&scratch, ws,
                                GPI_PUBLIC(work_efficient_exclusive_scan_workspace_bytes)(n),
                                stream, function);
    if (error != cudaSuccess)
        return error;

    GP_TYPE *tree = (GP_TYPE *)scratch.memory;
    int threads = options.block_threads;
    dim3 grid = gpi_grid_for(n, threads);
    int compact = options.compact_threads != 0;

    error =
        GPI_LAUNCH(GPI(load_kernel), grid, threads, 0, stream, in, tree, n, GPI_CONTEXT_VALUE);
    for (size_t stride = 1; stride < places && error == cudaSuccess; stride *= 2) {
        size_t nodes = places / (2 * stride), work = compact ? nodes : places;

        error = GPI_LAUNCH(GPI(upsweep_kernel), gpi_grid_for(work, threads), threads, 0, stream,
                           tree, n, stride, nodes, compact);
    }
    for (size_t stride = places / 2; stride > 0 && error == cudaSuccess; stride /= 2) {
        size_t nodes = places / (2 * stride), work = compact ? nodes : places;

        error = GPI_LAUNCH(GPI(downsweep_kernel), gpi_grid_for(work, threads), threads, 0,
                           stream, tree, n, stride, nodes, compact);
    }
    if (error == cudaSuccess)
        error = GPI_LAUNCH(GPI(store_kernel), grid, threads, 0, stream, (const GP_TYPE *)tree,
                           out, n);
    return gpi_scratch_release(&scratch, error, stream);
}

#endif
#include "../core/instance/end.cuh"
