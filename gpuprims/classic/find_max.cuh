/*
 * classic/find_max.cuh: the largest item of an array, by a knockout tournament.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_TYPE        T, an arithmetic type (int)
 *              GP_API         linkage of the host functions (static inline)
 *
 * Generates    cudaError_t NAME_find_max(const T *in, T *d_out, size_t n, const gp_classic_options *opt,
 *                                        ws, stream)
 *              size_t      NAME_find_max_workspace_bytes(size_t n)
 *
 *     in                   1 5 0 1 2 0 3
 *     round 1              5 1 2 3             maxima of pairs; an odd item advances
 *     round 2              5 3
 *     round 3              5                   *d_out = 5
 *
 *     #include <gpuprims/classic/find_max.cuh>
 *     gp_find_max(d_in, d_out, n, NULL, NULL, stream);
 *
 * Uses opt->block_threads.
 *
 * Guarantees   Asynchronous on `stream`; the result goes to device memory. Of equal items the last one
 *              (of -0.0, +0.0 in this order: +0.0); NaN if any item is NaN. As GP_MAX.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched; else
 *              what a launch or an allocation returned. n == 0 gives the lowest value of T, minus
 *              infinity where there is one.
 *
 * How it works: in every round each thread compares two adjacent items and writes the larger one to an
 * array half as long, until one item is left.
 *
 * Flaw of the rung before, the loop on the CPU: one item at a time. Here all comparisons of a round happen
 * at once: log2 n steps. Cost: n - 1 comparisons, 2n reads and n writes of items, since every round goes
 * through memory, in log2 n launches, the last ones for next to nothing. Workspace: 3n / 4 items.
 * reduce.cuh reads n items, and folds them in registers.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG find_max
#define GPI_HEADER "gpuprims/classic/find_max.cuh"
#define GPI_TAKES (GPI_TAKES_TYPE | GPI_TAKES_API)
#endif
#include "../core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/classic/find_max.cuh: GP_NAME is missing; every other parameter requires it"
#endif

#if !defined GPI_DEFAULT || !defined GPI_FIND_MAX_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_FIND_MAX_DEFAULT
#endif
GPI_ONCE_PER_NAME(find_max);

#undef GP_OP
#undef GP_IDENTITY
#define GP_OP GP_MAX
#include "core/rungs.cuh"
#include "../core/instance/combine.cuh"

static __global__ void __launch_bounds__(GPI_CLASSIC_THREADS)
    GPI(round_kernel)(const GP_TYPE *in, GP_TYPE *out, size_t n)
{
    size_t i = gpi_global_thread();

    if (2 * i + 1 < n)
        out[i] = GPI(combine)(in[2 * i], in[2 * i + 1]);
    else if (2 * i < n)
        out[i] = in[2 * i];
}

static __global__ void GPI(empty_kernel)(GP_TYPE *out)
{
    *out = GPI(identity)();
}

/* For the results of the first round and of the second; later rounds alternate between the two. */
GP_API size_t GPI_PUBLIC(find_max_workspace_bytes)(size_t n)
{
    return gpi_workspace_request(
        n <= 2 ? 0
               : gpi_add_sizes(gpi_array_bytes(gpi_divide_up(n, 2), sizeof(GP_TYPE)),
                               gpi_array_bytes(gpi_divide_up(n, 4), sizeof(GP_TYPE))));
}

/* *d_out = the largest of in[0] ... in[n - 1] */
GP_API cudaError_t GPI_PUBLIC(find_max)(const GP_TYPE *in, GP_TYPE *d_out, size_t n,
                                        const gp_classic_options *opt, gp_workspace *ws,
                                        cudaStream_t stream)
{
    const char *function = GPI_TEXT(find_max);
    const gpi_argument used[] = {{"in", in, n * sizeof *in, GPI_READ, 0},
                                 {"d_out", d_out, sizeof *d_out, GPI_WRITTEN, 0}};
    gp_classic_options options;
    gpi_scratch scratch;
    cudaError_t error = gpi_classic_read(opt, &options, function);

    if (error != cudaSuccess)
        return error;
    if (!in && n)
        return gpi_error_null(function, "in", n);
    if (!d_out)
        return gpi_error_null(function, "d_out", n);
    error = gpi_check_count(function, "n", n, GPI_CLASSIC_ITEMS, sizeof *in);
    if (error == cudaSuccess)
        error = gpi_check_overlap(function, used, 2);
    if (error != cudaSuccess)
        return error;
    error = gpi_scratch_acquire(&scratch, ws, GPI_PUBLIC(find_max_workspace_bytes)(n), stream,
                                function);
    if (error != cudaSuccess)
        return error;
    if (n == 0) {
        error = GPI_LAUNCH(GPI(empty_kernel), 1, 1, 0, stream, d_out);
        return gpi_scratch_release(&scratch, error, stream);
    }

    size_t half_bytes = gpi_array_bytes(gpi_divide_up(n, 2), sizeof(GP_TYPE));
    const GP_TYPE *from = in;
    int round = 0;

    do { /* at least once: a single item has to be copied */
        size_t left = gpi_divide_up(n, 2);
        GP_TYPE *to =
            left == 1 ? d_out : (GP_TYPE *)(scratch.memory + (round % 2 ? half_bytes : 0));

        error = GPI_LAUNCH(GPI(round_kernel), gpi_grid_for(left, options.block_threads),
                           options.block_threads, 0, stream, from, to, n);
        from = to;
        n = left;
        round++;
    } while (n > 1 && error == cudaSuccess);
    return gpi_scratch_release(&scratch, error, stream);
}

#endif
#include "../core/instance/end.cuh"
