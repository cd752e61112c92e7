/*
 * core/segmented_sort/fetch.cuh: brings large values to their places, once their numbers are in order. A value is moved
 * by several lanes, so that they write side by side.
 *
 * Part of segmented_sort.cuh; not to be included directly.
 */
#ifdef GP_VALUE
enum { GPI(fetch_threads) = 256 };

/* Every item of a segment gets the value with its number, or that number if there are no values. */
static __global__ void __launch_bounds__(GPI(fetch_threads))
    GPI(fetch_kernel)(GPI(job) job, const GP_VALUE *in, GP_VALUE *out)
{
#if GPI_DEVICE_CODE
    const size_t pieces = sizeof(GP_VALUE) / GPI(piece_bytes), stride = (size_t)gridDim.x * GPI(fetch_threads);
    const uint64_t *numbers = (const uint64_t *)(const void *)job.values_out;

    if (GPI_SEGMENTED_SORT_MOVES_VALUES)
        return;
    const size_t first = GPI(offset)(&job, 0) * pieces, end = GPI(offset)(&job, job.segments) * pieces;
    for (size_t k = first + (size_t)blockIdx.x * GPI(fetch_threads) + threadIdx.x; k < end; k += stride) {
        const size_t i = k / pieces;

        GPI(move_piece)(out, i, in, numbers[i], k % pieces);
    }
#endif
}

/* ---- host functions ---------------------------------------------------------------------------- */

/* Fetches the values, from a copy where they are sorted in place. */
static inline cudaError_t GPI(fetch)(const GPI(job) *job, const GP_VALUE *in, GP_VALUE *out, size_t n, GP_VALUE *copy,
                                     cudaStream_t stream)
{
    const size_t blocks = gpi_divide_up(n * (sizeof(GP_VALUE) / GPI(piece_bytes)), (size_t)GPI(fetch_threads));
    cudaError_t error = cudaSuccess;

    if (in == out) {
        error = cudaMemcpyAsync((void *)copy, (const void *)in, n * sizeof *in, cudaMemcpyDeviceToDevice, stream);
        in = copy;
    }
    if (error != cudaSuccess)
        return error;
    return GPI_LAUNCH(GPI(fetch_kernel), (unsigned)gpi_smaller_size(gpi_smaller_size(blocks, GPI_MAX_TILES), GP_GRID),
                      (unsigned)GPI(fetch_threads), 0, stream, *job, in, out);
}
#endif
