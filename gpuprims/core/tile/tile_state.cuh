/*
 * core/tile/tile_state.cuh: how tiles that run at the same time exchange their sums.
 *
 * A tile publishes its aggregate in words of 64 bits, each tagged with the epoch of the launch: a word is there when
 * its tag is right. So nothing is cleared between launches, and words need no order among each other. There is no
 * chain from tile to tile: a reader takes the aggregates of all tiles before its own, which is one trip through the L2.
 *
 * Tile states have a part of the workspace where nothing else is left behind: see core/backend/workspace.cuh.
 *
 * Needs GPI(sum), as from core/instance/fold.cuh. Stamped once per instance.
 */
#ifndef GPI_TILE_STATE_IS_STAMPED
#define GPI_TILE_STATE_IS_STAMPED

#include "ticket.cuh"

/*
 * A lane reads the state of one tile at a time. Where it does not matter how tiles are grouped, as of counts, the
 * primitive may define GPI_LANE_TILES as 2, and GPI(join).
 */
enum {
#ifdef GPI_LANE_TILES
    GPI(lane_tiles) = GPI_LANE_TILES,
#else
    GPI(lane_tiles) = 1,
#endif
    GPI(group_tiles) = 32 * GPI(lane_tiles),
    GPI(tile_state_words) = (sizeof(GPI(sum)) + 3) / 4,                  /* of an aggregate */
    GPI(tile_state_step) = GPI(tile_state_words) % 2 == 0 ? 2 : 1        /* words that are written at a time */
};

/* Of 32 tiles, words that are written at a time lie side by side: a warp reads them with coalesced accesses. */
#define GPI_TILE_STATE_AT(tile, w)                                                                   \
    ((tile) / 32 * (32 * GPI(tile_state_words)) + (size_t)(w) * 32 + \
     (tile) % 32 * GPI(tile_state_step))

/* The head and the tile states of so many tiles. */
static inline size_t GPI(tile_state_bytes)(size_t tiles)
{
    const size_t group_bytes = 32 * GPI(tile_state_words) * sizeof(uint64_t);

    return gpi_add_sizes(sizeof(gpi_tile_state_head),
                         gpi_multiply_sizes(gpi_divide_up(tiles, 32), group_bytes));
}

#if GPI_DEVICE_CODE
/* One thread: publishes a tile's aggregate. */
GPI_DEVICE void GPI(publish)(uint64_t *states, size_t tile, GPI(sum) sum, uint32_t epoch)
{
    const uint64_t tag = (uint64_t)epoch << 32;
    uint32_t words[GPI(tile_state_words) + 1] = {0};

    memcpy(words, &sum, sizeof sum);
    GPI_UNROLL
    for (int w = 0; w < GPI(tile_state_words); w += GPI(tile_state_step)) {
        uint64_t *at = &states[GPI_TILE_STATE_AT(tile, w)];

        if (GPI(tile_state_step) == 2)
            gpi_publish_2_u64(at, tag | words[w], tag | words[w + 1]);
        else
            gpi_publish_u64(at, tag | words[w]);
    }
}

/*
 * Reads the aggregate of a tile, or the sum of the lane's tiles if it has more than one, of which `count` matter.
 * Returns whether it is there.
 */
GPI_DEVICE int GPI(poll)(const uint64_t *states, size_t tile, int count, GPI(sum) *sum, uint32_t epoch)
{
    enum { all = GPI(tile_state_words) * GPI(lane_tiles), step = GPI(lane_tiles) == 2 ? 2 : GPI(tile_state_step) };
    uint32_t words[all];
    int there = 1;

    GPI_UNROLL
    for (unsigned w = 0; w < all; w += step) {
        const uint64_t *at = &states[GPI_TILE_STATE_AT(tile + w / GPI(tile_state_words), w % GPI(tile_state_words))];
        uint64_t read[2];

        if (step == 2)
            gpi_load_relaxed_2_u64(read, at);
        else
            read[0] = gpi_load_relaxed_u64(at);
        GPI_UNROLL
        for (unsigned i = 0; i < step; i++) {
            words[w + i] = (uint32_t)read[i];
            there &= (uint32_t)(read[i] >> 32) == epoch ||
                     (GPI(lane_tiles) > 1 && (int)((w + i) / GPI(tile_state_words)) >= count);
        }
    }
    memcpy((void *)sum, words, sizeof *sum);
#ifdef GPI_LANE_TILES
    if (GPI(lane_tiles) > 1 && count > 1) {
        GPI(sum) next;

        memcpy((void *)&next, words + all - GPI(tile_state_words), sizeof next);
        *sum = GPI(join)(*sum, next);
    }
#endif
    return there;
}
#endif

#endif
