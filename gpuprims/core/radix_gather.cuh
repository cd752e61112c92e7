/*
 * core/radix_gather.cuh: large values of a radix sort. The passes move the number of each item with its key,
 * and the values are brought to their places once, at the end. A value is moved by several lanes, so that
 * they write side by side.
 *
 * Part of radix_sort.cuh; not to be included directly.
 */
#define GPI_RADIX_PIECE GPI(piece)
#define GPI_RADIX_PIECE_BYTES GPI(piece_bytes)
#define GPI_RADIX_GATHER_THREADS GPI(gather_threads)
#define GPI_RADIX_GATHER_KERNEL GPI(gather_kernel)

enum {
    GPI_RADIX_PIECE_BYTES = __alignof__(GPI_RADIX_VALUE) < 16 ? __alignof__(GPI_RADIX_VALUE) : 16,
    GPI_RADIX_GATHER_THREADS = 256
};

/* As much of a value as one access moves. */
typedef struct {
    unsigned char bytes[GPI_RADIX_PIECE_BYTES];
} __attribute__((may_alias, aligned(GPI_RADIX_PIECE_BYTES))) GPI_RADIX_PIECE;

/* Item i gets the value with the number map[i], or that number if there are no values. */
static __global__ void __launch_bounds__(GPI_RADIX_GATHER_THREADS)
    GPI_RADIX_GATHER_KERNEL(const GPI_RADIX_VALUE *in, const uint32_t *map, GPI_RADIX_VALUE *out, size_t n)
{
#if GPI_DEVICE_CODE
    const size_t pieces = sizeof(GPI_RADIX_VALUE) / GPI_RADIX_PIECE_BYTES;
    const size_t k = (size_t)blockIdx.x * GPI_RADIX_GATHER_THREADS + threadIdx.x;
    const size_t i = k / pieces, piece = k % pieces;

    if (!GPI_RADIX_INDEXED || i >= n)
        return;
    if (in)
        ((GPI_RADIX_PIECE *)(out + i))[piece] = ((const GPI_RADIX_PIECE *)(in + map[i]))[piece];
    else if (piece == 0)
        out[i] = GPI_RADIX_NUMBERED(map[i]);
#endif
}
