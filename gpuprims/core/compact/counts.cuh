/*
 * core/compact/counts.cuh: how tiles that run at the same time learn how many items the tiles before them keep.
 *
 * As in core/tile/tile_state.cuh: a tile publishes its count as a word, tagged with the epoch of the launch, and a
 * reader adds up the counts of all tiles before its own, in groups of 64. A count has 32 bits, sums have 64.
 */
#ifndef GPI_COUNTS_CUH
#define GPI_COUNTS_CUH

#include "../tile/ticket.cuh"

#define GPI_COUNT_GROUP 64 /* tiles: two for each lane */

/* Where compact.cuh puts items that are not kept: nowhere, from the end backwards, behind the kept ones. */
enum { GPI_REJECTED_DROPPED, GPI_REJECTED_REVERSED, GPI_REJECTED_STABLE };

/* The head and the words of so many tiles: a lane reads both of its own, even if there is but one such tile. */
static inline size_t gpi_count_bytes(size_t tiles)
{
    return sizeof(gpi_tile_state_head) + (tiles + tiles % 2) * sizeof(uint64_t);
}

#if GPI_DEVICE_CODE
/*
 * One thread: makes a tile's count known. With `fence`, whoever learns of it may overwrite what the tile has
 * read; the tile's readers have met the caller at a barrier.
 */
GPI_DEVICE void gpi_publish_count(gpi_tile_state_head *head, size_t tile, uint32_t count, uint32_t epoch, int fence)
{
    uint64_t *words = (uint64_t *)(head + 1);

    if (fence)
        __threadfence();
    gpi_store_relaxed_u64(&words[tile], (uint64_t)epoch << 32 | count);
}

/* One thread of each block: adds the blocks' sums up, for the launch that follows. */
GPI_DEVICE void gpi_finish_total(gpi_tile_state_head *head, unsigned long long sum)
{
    atomicAdd(&head->total, sum);
    __threadfence(); /* the sum is there before the block is done */
    if (gpi_check_out(head) != gridDim.x - 1)
        return;
    __threadfence(); /* and the other sums are there after it is */
    head->counted = atomicExch(&head->total, 0ull);
    head->done = 0;
}

/* What a reader knows: what all groups before `group` keep. */
typedef struct gpi_counted {
    uint64_t sum;
    size_t group;
} gpi_counted;

/*
 * One warp: adds the groups whose counts are in `sums`, up to `limit` of them, at most 32, as far as they come
 * before the tile. *known is brought up to the tile's own group, which is not complete.
 */
GPI_DEVICE void gpi_add_groups(gpi_counted *before, gpi_counted *known, size_t tile, const uint32_t *sums,
                               unsigned limit, unsigned lane)
{
    size_t end = (tile + GPI_COUNT_GROUP - 1) / GPI_COUNT_GROUP, own = tile / GPI_COUNT_GROUP;
    unsigned left = gpi_min_size(end - before->group, limit);
    uint32_t mine = lane < left ? sums[lane] : 0;
    uint32_t all = gpi_warp_sum(mine), partial = __shfl_sync(GPI_FULL_MASK, mine, (int)left - 1);

    before->sum += all;
    before->group += left;
    *known = *before;
    if (before->group > own) {
        known->sum -= partial;
        known->group--;
    }
}
#endif

#endif
