/*
 * core/radix/gather.cuh: large values of a radix sort. The passes move the number of each item with its key,
 * and the values are brought to their places once, at the end. A value is moved by several lanes, so that
 * they write side by side.
 *
 * Part of radix_sort.cuh; not to be included directly.
 */

enum {
    GPI(piece_bytes) = __alignof__(GPI_RADIX_VALUE) < 16 ? __alignof__(GPI_RADIX_VALUE) : 16,
    GPI(gather_threads) = 256
};

/* As much of a value as one access moves. */
typedef struct {
    unsigned char bytes[GPI(piece_bytes)];
} __attribute__((may_alias, aligned(GPI(piece_bytes)))) GPI(piece);

/* Item i gets the value with the number map[i], or that number if there are no values. */
static __global__ void __launch_bounds__(GPI(gather_threads))
    GPI(gather_kernel)(const GPI_RADIX_VALUE *in, const uint32_t *map, GPI_RADIX_VALUE *out, size_t n)
{
#if GPI_DEVICE_CODE
    const size_t pieces = sizeof(GPI_RADIX_VALUE) / GPI(piece_bytes);
    const size_t k = (size_t)blockIdx.x * GPI(gather_threads) + threadIdx.x;
    const size_t i = k / pieces, piece = k % pieces;

    if (!GPI(indexed) || i >= n)
        return;
    if (in)
        ((GPI(piece) *)(out + i))[piece] = ((const GPI(piece) *)(in + map[i]))[piece];
    else if (piece == 0)
        out[i] = GPI(numbered)(map[i]);
#endif
}
