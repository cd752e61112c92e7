/*
 * core/tile/fetch.cuh: brings large values to their places, once numbers have been sorted instead of them. A value is
 * moved by several lanes, so that they write side by side.
 *
 * Needs core/instance/radix_value.cuh, GPI(fetches), which says whether the values are so large, and GPI_FETCH_NUMBER,
 * the type of the numbers, which it undefines.
 */
#ifdef GP_VALUE
enum {
    GPI(fetch_threads) = 256,
    /* As much of a value as one access moves. */
    GPI(piece_bytes) = __alignof__(GP_VALUE) < 16 ? __alignof__(GP_VALUE) : 16
};

typedef struct {
    unsigned char bytes[GPI(piece_bytes)];
} __attribute__((may_alias, aligned(GPI(piece_bytes)))) GPI(piece);

/* Each of n items, or of those in segments, gets the value with its number, or that number if there are no values. */
static __global__ void __launch_bounds__(GPI(fetch_threads))
    GPI(fetch_kernel)(const GP_VALUE *in, const GPI_FETCH_NUMBER *numbers, GP_VALUE *out, size_t n,
                      const GP_INDEX *offsets, size_t segments)
{
#if GPI_DEVICE_CODE
    const size_t pieces = sizeof(GP_VALUE) / GPI(piece_bytes), stride = (size_t)gridDim.x * GPI(fetch_threads);

    if (!GPI(fetches))
        return;
    const size_t first = offsets ? (size_t)offsets[0] : 0, end = offsets ? (size_t)offsets[segments] : n;
    for (size_t k = first * pieces + (size_t)blockIdx.x * GPI(fetch_threads) + threadIdx.x; k < end * pieces;
         k += stride) {
        const size_t i = k / pieces, piece = k % pieces, number = numbers[i];

        if (in)
            ((GPI(piece) *)(out + i))[piece] = ((const GPI(piece) *)(in + number))[piece];
        else if (piece == 0)
            out[i] = GPI(numbered)(number);
    }
#endif
}

/* ---- host functions ---------------------------------------------------------------------------- */

/* Fetches the values, from a copy where they are sorted in place. */
static inline cudaError_t GPI(fetch)(const GP_VALUE *in, const GPI_FETCH_NUMBER *numbers, GP_VALUE *out, size_t n,
                                     const GP_INDEX *offsets, size_t segments, GP_VALUE *copy, cudaStream_t stream)
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
                      (unsigned)GPI(fetch_threads), 0, stream, in, numbers, out, n, offsets, segments);
}
#endif
#undef GPI_FETCH_NUMBER
