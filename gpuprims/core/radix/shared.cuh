/*
 * core/radix/shared.cuh: what the strategies of a radix sort share.
 *
 * Part of radix_sort.cuh; not to be included directly.
 */
#include "../instance/radix_value.cuh"

#ifndef GPI_RADIX_SHARED_CUH
#define GPI_RADIX_SHARED_CUH

#include "../tile/bins.cuh"

/* Shared memory that a block has on every GPU. */
#define GPI_RADIX_MIN_ROOM ((size_t)64 << 10)

enum {
    GPI_RADIX_BIN_BITS = 12, /* of a block, or of a bucket */
    GPI_RADIX_BINS = 1 << GPI_RADIX_BIN_BITS,
    GPI_RADIX_COUNT_THREADS = 1024 /* of a block that counts keys of the whole input */
};

/* What the current GPU can do. */
typedef struct gpi_radix_device {
    size_t room;      /* shared memory of a block, a multiple of 1024 */
    unsigned cluster; /* blocks of the largest cluster; 1: there are none */
    int dependent;    /* whether kernels may be launched as dependent ones */
} gpi_radix_device;

/* The workspace of a strategy that needs none. */
static inline size_t gpi_radix_no_bytes(size_t n)
{
    (void)n;
    return 0;
}

#if GPI_DEVICE_CODE
/*
 * Whether this block is the last of the grid that calls; it sees what the others wrote before. All threads call;
 * *last is in shared memory, and *done was zero before the launch.
 */
GPI_DEVICE int gpi_radix_is_last_block(uint32_t *done, uint32_t *last)
{
    __threadfence(); /* what the block has written comes before it is done */
    __syncthreads(); /* all its threads have written */
    if (threadIdx.x == 0)
        *last = atomicAdd(done, 1u) == gridDim.x - 1;
    __syncthreads(); /* all threads know whether the block is the last one */
    __threadfence(); /* the other blocks were done before their results are read */
    return *last != 0;
}
#endif

#endif

/* Whether a block, or a cluster of them, sorts in one launch; larger values take passes, however small n is. */
#define GPI_RADIX_HOLDS_VALUES (sizeof(GPI_RADIX_VALUE) <= 16)

/* Whether items' numbers are moved instead of their values: large ones, of keys that have more than two digits. */
enum { GPI(indexed) = GPI_RADIX_PAIRS && sizeof(GPI_RADIX_VALUE) >= 16 && sizeof(GP_KEY) >= 4 };

enum { GPI(vector_n) = 16 / (int)sizeof(GP_KEY) };

/* What is sorted, by which bits. */
typedef struct {
    const GP_KEY *keys_in;
    GP_KEY *keys_out;
    const GPI_RADIX_VALUE *values_in; /* NULL: 0, 1, 2, ... */
    GPI_RADIX_VALUE *values_out;
    size_t n;
    int begin_bit, end_bit;
} GPI(request);

#if GPI_DEVICE_CODE
/* Reads 16 bytes of keys; where keys lie at multiples of their size, these do at one of 16. */
GPI_DEVICE void GPI(read_vector)(void *to, const GP_KEY *from)
{
    if (__alignof__(GP_KEY) == sizeof(GP_KEY)) {
        memcpy(to, __builtin_assume_aligned(from, 16), 16);
    } else {
        GPI_UNROLL
        for (unsigned k = 0; k < GPI(vector_n); k++)
            memcpy((char *)to + k * sizeof *from, (const void *)(from + k), sizeof *from);
    }
}
#endif
