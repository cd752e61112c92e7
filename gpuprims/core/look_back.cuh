/*
 * core/look_back.cuh: how tiles that run at the same time learn the sum of the counts before them.
 *
 * Decoupled look-back (Merrill and Garland 2016) over 62-bit counts. A tile has one word: empty, its
 * own count, or the sum up to and including it; the two upper bits say which. A reader that meets a
 * sum is done, one that meets a count adds it and goes on.
 */
#ifndef GPI_LOOK_BACK_CUH
#define GPI_LOOK_BACK_CUH

#include "../gpuprims.h"

#define GPI_LOOK_BACK_COUNT ((uint64_t)1 << 62)
#define GPI_LOOK_BACK_SUM   ((uint64_t)2 << 62)
#define GPI_LOOK_BACK_VALUE (GPI_LOOK_BACK_COUNT - 1)

typedef struct gpi_look_back {
    unsigned next_tile; /* the ticket of the next block */
    unsigned unused;
    uint64_t tiles[1]; /* as many as there are tiles */
} gpi_look_back;

static inline size_t gpi_look_back_bytes(size_t tiles)
{
    return tiles ? gpi_workspace_request(offsetof(gpi_look_back, tiles) + tiles * sizeof(uint64_t)) : 0;
}

static inline cudaError_t gpi_look_back_clear(gpi_look_back *look_back, size_t tiles,
                                              cudaStream_t stream)
{
    return cudaMemsetAsync(look_back, 0, offsetof(gpi_look_back, tiles) + tiles * sizeof(uint64_t),
                           stream);
}

/* Publishes the count of a tile and returns the sum of all before it. One whole warp calls. */
GPI_DEVICE uint64_t gpi_look_back_sum(gpi_look_back *look_back, unsigned tile, uint64_t count)
{
    unsigned lane = threadIdx.x % 32;
    uint64_t sum = 0;

    __threadfence(); /* in place: what this tile has read was read before others may write there */
    if (lane == 0)
        gpi_store_relaxed_u64(&look_back->tiles[tile],
                              (tile ? GPI_LOOK_BACK_COUNT : GPI_LOOK_BACK_SUM) | count);
    for (int64_t nearest = (int64_t)tile - 1; nearest >= 0; nearest -= 32) {
        int64_t mine = nearest - lane; /* lane 0 reads the nearest */
        uint64_t word;

        do
            word = mine >= 0 ? gpi_load_relaxed_u64(&look_back->tiles[mine]) : GPI_LOOK_BACK_SUM;
        while (__any_sync(GPI_FULL_MASK, word < GPI_LOOK_BACK_COUNT));

        unsigned sums = __ballot_sync(GPI_FULL_MASK, word >= GPI_LOOK_BACK_SUM);
        uint64_t value = sums && (int)lane > __ffs((int)sums) - 1 ? 0 : word & GPI_LOOK_BACK_VALUE;
        for (int stride = 16; stride; stride /= 2)
            value += __shfl_xor_sync(GPI_FULL_MASK, value, stride);
        sum += value;
        if (sums)
            break;
    }
    if (lane == 0 && tile)
        gpi_store_relaxed_u64(&look_back->tiles[tile], GPI_LOOK_BACK_SUM | (sum + count));
    __threadfence();
    return sum;
}

#endif
