/*
 * core/tile/look_back.cuh: the sum of all tiles before a tile. The aggregates of 32 tiles, or of 64 where a lane reads
 * two, are a group, by absolute tile number; a warp folds a group at a time, and the groups are added up from left to
 * right. So the order of the fold depends on places in the array alone.
 *
 * Needs from the primitive, besides core/instance/fold.cuh and core/tile/tile_state.cuh:
 *
 *     GPI(job)        a struct with gpi_tile_state_head *head, unsigned tiles, int in_place
 *     GPI(total)      the type of the sum of any number of tiles
 *     GPI(total_of)   GPI(sum) to GPI(total): the first group
 *     GPI(add)        (GPI(total), GPI(sum)) to GPI(total): the next one
 *     GPI(moves)      a constant: whether, in place, a tile may be written where earlier ones have been read
 *     GPI(helps)      a constant: whether a warp that has waited long for a tile sums that tile up itself, unless in
 *                     place; takes code
 *     GPI(sum_tile)   one warp: the sum of a tile, from global memory; in lane 0
 *
 * The last two are not needed with GPI_TILES_BY_TICKET: see core/tile/pipeline.cuh.
 *
 * Included by a primitive once.
 */
#include "tile_state.cuh"

#if GPI_DEVICE_CODE
/* The sum of all groups before `group`, and of what is before the first tile; has_sum: if there is either. */
typedef struct {
    GPI(total) sum;
    int has_sum;
    uint32_t group;
} GPI(look);

/* What comes before a warp tile: the tiles before its own, the warp tiles before it there; and the sum of all tiles. */
typedef struct {
    GPI(total) tiles, all;
    GPI(sum) warps;
    int has_tiles, has_warps;
} GPI(before);

/* The next group, in whole or in part. */
GPI_DEVICE void GPI(look_add)(GPI(look) *look, GPI(sum) x)
{
    look->sum = look->has_sum ? GPI(add)(look->sum, x) : GPI(total_of)(x);
    look->has_sum = 1;
    look->group++;
}

/* One thread: publishes a tile. The block has read the tile, and has passed a barrier since. */
GPI_DEVICE void GPI(publish_tile)(const GPI(job) *job, uint32_t tile, GPI(sum) sum, uint32_t epoch)
{
    if (GPI(moves) && job->in_place)
        __threadfence(); /* a block that sees it may overwrite the tile */
    GPI(publish)((uint64_t *)(job->head + 1), tile, sum, epoch);
}

/* One warp: the sum of those tiles of a group that come before `tile`, once they are there; in lane 0. */
GPI_DEVICE GPI(sum) GPI(sum_group)(const GPI(job) *job, uint32_t group, uint32_t tile, unsigned lane, uint32_t epoch,
                                   GPI_CONTEXT context)
{
    const uint64_t *states = (const uint64_t *)(job->head + 1);
    const uint32_t first = group * GPI(group_tiles);
    const int members = (int)gpi_min(tile - first, GPI(group_tiles));
    const int mine = (int)lane * GPI(lane_tiles) < members ? (int)lane * GPI(lane_tiles) : 0;
    int there = 0;
    GPI(sum) x;

    (void)context;
    GPI_UNDEFINED(x);
    for (int polls = 1;; polls++) {
        if (!there)
            there = GPI(poll)(states, first + (uint32_t)mine, members - mine, &x, epoch);
        const unsigned missing = __ballot_sync(GPI_FULL_MASK, !there);
        if (!missing)
            break;
#ifndef GPI_TILES_BY_TICKET
        if (GPI(helps) && polls > GPI_PATIENCE && !job->in_place) {
            const int late = __shfl_sync(GPI_FULL_MASK, mine, __ffs((int)missing) - 1);

            GPI_NO_UNROLL
            for (int i = late; i < late + GPI(lane_tiles) && i < members; i++) {
                GPI(sum) sum = GPI(sum_tile)(job, first + (uint32_t)i, lane, context);

                if (lane == 0)
                    GPI(publish_tile)(job, first + (uint32_t)i, sum, epoch); /* the same bits as its block publishes */
            }
        }
#endif
    }
    if (GPI(moves) && job->in_place)
        __threadfence(); /* what those tiles have read may be overwritten from here on */
    return GPI(warp_reduce)(x, (int)lane, (members + GPI(lane_tiles) - 1) / GPI(lane_tiles));
}

/* Adds the sums of groups up to the one that `tile` ends in, or fewer; *known is brought up to its own group. */
GPI_DEVICE void GPI(look_add_groups)(GPI(look) *before, GPI(look) *known, uint32_t tile, const GPI(sum) *sums,
                                     unsigned groups)
{
    const unsigned whole = gpi_min(tile / GPI(group_tiles) - before->group, groups); /* the own group is not complete */

    GPI_NO_UNROLL
    for (unsigned g = 0; g < whole; g++)
        GPI(look_add)(before, sums[g]);
    *known = *before;
    if (whole < groups)
        GPI(look_add)(before, sums[whole]);
}
#endif
