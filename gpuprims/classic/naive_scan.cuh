/*
 * classic/naive_scan.cuh: the first parallel rung. log2 n passes over global memory.
 *
 * Parameters   GP_NAME, GP_TYPE (int), GP_OP (sum), GP_IDENTITY, GP_INPUT_TYPE, GP_LOAD, GP_CONTEXT,
 *              GP_API: as for scan.cuh, but types of any size
 * Generates    cudaError_t NAME_naive_exclusive_scan(const I *in, T *out, size_t n,
 *                                                    const gp_classic_options *opt,
 *                                                    [context,] ws, stream)
 *              size_t      NAME_naive_exclusive_scan_workspace_bytes(size_t n)
 *
 *     in                   1 5 0 1 2 0 3
 *     shifted              - 1 5 0 1 2 0
 *     stride 1             - 1 6 5 1 3 2
 *     stride 2             - 1 6 6 7 8 3
 *     stride 4             0 1 6 6 7 9 9
 *
 *     #include <gpuprims/classic/naive_scan.cuh>
 *     gp_naive_exclusive_scan(d_in, d_out, n, NULL, NULL, stream);
 *
 * Uses opt->block_threads. in == out is allowed. Errors as for scan.cuh. GP_LOAD is evaluated on items of the
 * input only, once on each but the last, which no result needs.
 *
 * How it works (Hillis and Steele, Data parallel algorithms, CACM 29(12), 1986): in the pass with
 * stride d every item is combined with the one d before it, so after strides 1, 2, 4, ... it holds the
 * fold of everything before it. One thread per item; the passes alternate between two buffers, since a
 * thread must not overwrite what another has yet to read.
 *
 * Flaw of the rung before, the loop on the CPU: one item at a time. Cost: log2 n steps, but n log2 n
 * combines where n would do, and 3 n log2 n items through memory, in 1 + log2 n launches. Workspace: n
 * items.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG naive_scan
#define GPI_HEADER "gpuprims/classic/naive_scan.cuh"
#define GPI_TAKES \
    (GPI_TAKES_TYPE | GPI_TAKES_OP | GPI_TAKES_IDENTITY | GPI_TAKES_INPUT_TYPE | GPI_TAKES_LOAD | \
     GPI_TAKES_CONTEXT | GPI_TAKES_API)
#endif
#include "../core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/classic/naive_scan.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_IDENTITY
#error "gpuprims/classic/naive_scan.cuh: GP_IDENTITY is missing; a GP_OP of your own requires it"
#endif
#if defined GPI_MISSING_OP
#error "gpuprims/classic/naive_scan.cuh: GP_OP is missing; GP_IDENTITY goes with a GP_OP of your own"
#endif
#if defined GPI_MISSING_CONTEXT_USER
#error "gpuprims/classic/naive_scan.cuh: GP_LOAD is missing; nothing else would receive the GP_CONTEXT"
#endif

#if !defined GPI_DEFAULT || !defined GPI_NAIVE_SCAN_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_NAIVE_SCAN_DEFAULT
#endif
GPI_ONCE_PER_NAME(naive_scan);

#include "core/rungs.cuh"
#include "../core/instance/combine.cuh"

/* out[i] = in[i - 1], the identity first. */
static __global__ void __launch_bounds__(GPI_CLASSIC_THREADS)
    GPI(shift_kernel)(const GP_INPUT_TYPE *in, GP_TYPE *out, size_t n, GPI_CONTEXT context)
{
    size_t i = gpi_global_thread();

    if (i < n)
        out[i] = i ? GPI(load)(in + i - 1, context) : GPI(identity)();
}

/* The identity in item 0 is never combined. */
static __global__ void __launch_bounds__(GPI_CLASSIC_THREADS)
    GPI(pass_kernel)(const GP_TYPE *in, GP_TYPE *out, size_t n, size_t stride)
{
    size_t i = gpi_global_thread();

    if (i < n)
        out[i] = i > stride ? GPI(combine)(in[i - stride], in[i]) : in[i];
}

GP_API size_t GPI_PUBLIC(naive_exclusive_scan_workspace_bytes)(size_t n)
{
    return gpi_workspace_request(gpi_array_bytes(n, sizeof(GP_TYPE)));
}

/* out[0] = identity, out[i] = in[0] op ... op in[i - 1] */
GP_API cudaError_t GPI_PUBLIC(naive_exclusive_scan)(const GP_INPUT_TYPE *in, GP_TYPE *out, size_t n,
                                                    const gp_classic_options *opt,
                                                    GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                                    cudaStream_t stream)
{
    const char *function = GPI_TEXT(naive_exclusive_scan);
    const int same_size = sizeof *in == sizeof *out;
    const gpi_argument used[] = {{"in", in, n * sizeof *in, GPI_READ, same_size},
                                 {"out", out, n * sizeof *out, GPI_WRITTEN, same_size}};
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
    error = gpi_scratch_acquire(&scratch, ws, GPI_PUBLIC(naive_exclusive_scan_workspace_bytes)(n),
                                stream, function);
    if (error != cudaSuccess)
        return error;

    /* Start in the buffer that makes the last pass end in `out`, unless `out` is the input. */
    int threads = options.block_threads;
    dim3 grid = gpi_grid_for(n, threads);
    int in_place = (const void *)in == (const void *)out;
    GP_TYPE *spare = (GP_TYPE *)scratch.memory;
    GP_TYPE *from = in_place || gpi_levels(n - 1) % 2 ? spare : out;

    error = GPI_LAUNCH(GPI(shift_kernel), grid, threads, 0, stream, in, from, n,
                       GPI_CONTEXT_VALUE);
    for (size_t stride = 1; stride < n - 1 && error == cudaSuccess; stride *= 2) {
        GP_TYPE *to = from == out ? spare : out;

        error = GPI_LAUNCH(GPI(pass_kernel), grid, threads, 0, stream, (const GP_TYPE *)from,
                           to, n, stride);
        from = to;
    }
    if (from != out && error == cudaSuccess)
        error = cudaMemcpyAsync(out, from, n * sizeof(GP_TYPE), cudaMemcpyDeviceToDevice, stream);
    return gpi_scratch_release(&scratch, error, stream);
}

#endif
#include "../core/instance/end.cuh"
