/*
 * core/tile/tile_state.cuh: how tiles that run at the same time learn the folds of the tiles before them.
 *
 * Every tile publishes its aggregate in words of 64 bits, each tagged with the epoch of the launch: a
 * word is there when its tag is right, so nothing has to be cleared between launches and words need no
 * order among each other. A reader folds the aggregates of all tiles before its own, in groups of 32 by
 * absolute tile number, and keeps the sum of the groups for its next tile. There is no chain from tile to
 * tile: the wait is one trip through the L2, and the order of the fold is the same on every machine.
 *
 * Tile states have a part of the workspace where nothing else is left behind: see core/backend/workspace.cuh.
 *
 * Needs core/instance/begin.cuh and core/instance/fold.cuh. Stamped once per instance.
 */
#ifndef GPI_TILE_STATE_IS_STAMPED
#define GPI_TILE_STATE_IS_STAMPED

#include "ticket.cuh"

enum {
    GPI(tile_state_words) = (sizeof(GP_TYPE) + 3) / 4,    /* of an aggregate */
    GPI(tile_state_step) = GPI(tile_state_words) % 2 == 0 ? 2 : 1 /* words that are written and read at a time */
};

/* Of the tiles of a group, words that are read at a time lie side by side: a warp reads them in one go. */
#define GPI_TILE_STATE_AT(tile, w)                                                                   \
    ((tile) / GPI_GROUP_TILES * (GPI_GROUP_TILES * GPI(tile_state_words)) + (size_t)(w) * GPI_GROUP_TILES + \
     (tile) % GPI_GROUP_TILES * GPI(tile_state_step))

/* The head and the tile states of so many tiles. */
static inline size_t GPI(tile_state_bytes)(size_t tiles)
{
    const size_t group_bytes = GPI_GROUP_TILES * GPI(tile_state_words) * sizeof(uint64_t);

    return gpi_add_sizes(sizeof(gpi_tile_state_head),
                         gpi_multiply_sizes(gpi_divide_up(tiles, GPI_GROUP_TILES), group_bytes));
}

#if GPI_DEVICE_CODE
/* One thread: makes a tile's aggregate known. */
GPI_DEVICE void GPI(publish)(uint64_t *states, size_t tile, GP_TYPE sum, uint32_t epoch)
{
    const uint64_t tag = (uint64_t)epoch << 32;
    uint32_t words[GPI(tile_state_words) + 1] = {0};

    memcpy(words, &sum, sizeof sum);
    GPI_UNROLL
    for (int w = 0; w < GPI(tile_state_words); w += GPI(tile_state_step)) {
        uint64_t *at = &states[GPI_TILE_STATE_AT(tile, w)];

        if (GPI(tile_state_step) == 2)
            gpi_store_relaxed_2_u64(at, tag | words[w], tag | words[w + 1]);
        else
            gpi_store_relaxed_u64(at, tag | words[w]);
    }
}

/* Reads a tile's aggregate; tells whether it is there. */
GPI_DEVICE int GPI(poll)(const uint64_t *states, size_t tile, GP_TYPE *sum, uint32_t epoch)
{
    uint32_t words[GPI(tile_state_words)];
    int there = 1;

    GPI_UNROLL
    for (int w = 0; w < GPI(tile_state_words); w += GPI(tile_state_step)) {
        const uint64_t *at = &states[GPI_TILE_STATE_AT(tile, w)];
        uint64_t read[2];

        if (GPI(tile_state_step) == 2)
            gpi_load_relaxed_2_u64(read, at);
        else
            read[0] = gpi_load_relaxed_u64(at);
        GPI_UNROLL
        for (int i = 0; i < GPI(tile_state_step); i++) {
            words[w + i] = (uint32_t)read[i];
            there &= (uint32_t)(read[i] >> 32) == epoch;
        }
    }
    memcpy((void *)sum, words, sizeof *sum);
    return there;
}

/* What a reader knows: the fold of all groups before `group`, if there are any. */
typedef struct {
    GP_TYPE sum;
    int has_sum;
    size_t group;
} GPI(look);

/* The next group of tiles, in whole or in part. */
GPI_DEVICE void GPI(look_back_add)(GPI(look) *look, GP_TYPE x)
{
    look->sum = look->has_sum ? GPI(combine)(look->sum, x) : x;
    look->has_sum = 1;
    look->group++;
}
#endif

#endif
