/*
 * core/tile/ticket.cuh: the head of the tile states of a launch. It hands out tiles, and it numbers launches: the
 * epoch. The epoch lives in device memory and advances there, so that a replayed graph gets a new one as well. It wraps
 * after 2^32 - 1 launches.
 *
 * A launch must end whatever the number of resident blocks, and in whatever order they start. With a ticket for each
 * tile, all tiles before it are finished or under way. But a ticket is a trip through the L2, which small inputs feel.
 * So the first tiles of a block may go by its number instead; a warp that has waited long for a tile then does its part
 * itself (GPI_PATIENCE), as its block may not be resident yet. That takes an input that is not overwritten.
 */
#ifndef GPI_TICKET_CUH
#define GPI_TICKET_CUH

#include "../../gpuprims.h"

#define GPI_NO_TILE 0xFFFFFFFFu /* a stage of a ring that gets no tile: there are no more */

/* How often a warp polls a tile before it computes what that publishes: some 0.2 ms. */
#ifndef GPI_PATIENCE
#define GPI_PATIENCE 256
#endif

/* All zero at first. Between launches the lower half of the ticket, `total` and `done` are zero. */
typedef struct gpi_tile_state_head {
    unsigned long long ticket;  /* the epoch of the launch before << 32 | the next tile */
    unsigned long long total;   /* the sum of the blocks of a launch */
    unsigned long long counted; /* their sum, for the launch that follows */
    unsigned long long done;    /* blocks that have finished */
    uint32_t unused[24];        /* up to 128 bytes: the tile states that follow are aligned */
} gpi_tile_state_head;

/* The start of a head, as it is copied to shared memory. */
typedef struct gpi_ticket_copy {
    unsigned long long ticket, total;
} __attribute__((aligned(16))) gpi_ticket_copy;

/* Shared memory for the stages of a pipeline of bulk copies, in a block with a multiprocessor to itself. */
#define GPI_PIPELINE_ROOM (225 << 10)

/* The stages of so many bytes that fit there, or into what is left of it: two at least, `wanted` at most. */
#define GPI_STAGES_IN(room, bytes, wanted) \
    ((room) / (bytes) < 2 ? 2 : (room) / (bytes) < (wanted) ? (room) / (bytes) : (wanted))
#define GPI_PIPELINE_STAGES(bytes, wanted) GPI_STAGES_IN(GPI_PIPELINE_ROOM, bytes, wanted)

/* Tiles that are in flight to such a pipeline at a time. */
#define GPI_PIPELINE_COMING 2

/* Where a warp is in a ring of stages: the parity of a stage's mbarriers flips with every round. */
typedef struct gpi_pipeline_place {
    int stage;
    unsigned parity;
} gpi_pipeline_place;

#if GPI_DEVICE_CODE
GPI_DEVICE void gpi_pipeline_advance(gpi_pipeline_place *place, int stages)
{
    if (++place->stage == stages) {
        place->stage = 0;
        place->parity ^= 1;
    }
}

/* One thread: draws a ticket. The lower half is its number. */
GPI_DEVICE uint64_t gpi_take_ticket(gpi_tile_state_head *head)
{
    return atomicAdd(&head->ticket, gpi_one());
}

/* The same for `count` in a row: the first of them. */
GPI_DEVICE uint64_t gpi_take_tickets(gpi_tile_state_head *head, unsigned count)
{
    return atomicAdd(&head->ticket, count * gpi_one());
}

GPI_DEVICE uint32_t gpi_ticket_epoch(uint64_t ticket)
{
    return (uint32_t)(ticket >> 32) + 1;
}

/* The next ticket, not drawn, for the epoch; by a block that has not yet checked out. */
GPI_DEVICE uint64_t gpi_read_ticket(const gpi_tile_state_head *head)
{
    return gpi_load_relaxed_u64((const uint64_t *)(const void *)&head->ticket);
}

/* One thread: takes a tile. */
GPI_DEVICE uint32_t gpi_take_tile(gpi_tile_state_head *head, uint32_t *epoch)
{
    uint64_t ticket = gpi_take_ticket(head);

    *epoch = gpi_ticket_epoch(ticket);
    return (uint32_t)ticket;
}

/* Where the load warp of a pipeline takes tiles from: the first rounds go by the block's number, without tickets. */
typedef struct gpi_tile_source {
    uint64_t ticket;   /* lane 31: the last that was drawn, or read for the epoch; used late, since it takes a while */
    int taken, rounds; /* of tiles */
} gpi_tile_source;

/* One warp, before it takes tiles. */
GPI_DEVICE gpi_tile_source gpi_open_source(gpi_tile_state_head *head, int rounds, unsigned lane)
{
    gpi_tile_source source = {0, 0, rounds};

    if (lane == 31)
        source.ticket = rounds ? gpi_read_ticket(head) : gpi_take_ticket(head);
    return source;
}

/* One warp: takes a tile; from number `tiles` on there is none. */
GPI_DEVICE uint32_t gpi_next_tile(gpi_tile_source *source)
{
    int round = source->taken++;

    if (round < source->rounds)
        return (uint32_t)round * gridDim.x + blockIdx.x;
    return (uint32_t)source->rounds * gridDim.x +
           __shfl_sync(GPI_FULL_MASK, (uint32_t)source->ticket, 31);
}

/* Lane 31, which has taken a tile that there is: draws the ticket for the next one, if that takes one. */
GPI_DEVICE void gpi_draw_ahead(gpi_tile_source *source, gpi_tile_state_head *head)
{
    if (source->taken >= source->rounds)
        source->ticket = gpi_take_ticket(head);
}

/* One thread of each block, which needs no ticket any more: how many blocks have checked out before. */
GPI_DEVICE uint64_t gpi_check_out(gpi_tile_state_head *head)
{
    return atomicAdd(&head->done, gpi_one());
}

/* One thread, after all blocks have checked out: readies the head for the next launch. */
GPI_DEVICE void gpi_ready_head(gpi_tile_state_head *head, uint32_t epoch)
{
    head->ticket = epoch == 0xFFFFFFFFu ? 0 : (uint64_t)epoch << 32; /* 0 is what cleared memory says */
}

/* The thread that has checked its block out, after `before` others: the last one readies the head. */
GPI_DEVICE void gpi_finish_launch(gpi_tile_state_head *head, uint32_t epoch, uint64_t before)
{
    if (before != gridDim.x - 1)
        return;
    head->done = 0;
    gpi_ready_head(head, epoch);
}

/* One thread of each block of a launch that draws no tickets: adds up the blocks' sums, for the launch that follows. */
GPI_DEVICE void gpi_finish_count(gpi_tile_state_head *head, unsigned long long sum)
{
    atomicAdd(&head->total, sum);
    __threadfence(); /* the sum is there before the block is done */
    if (gpi_check_out(head) != gridDim.x - 1)
        return;
    __threadfence(); /* and the other sums are there after it is */
    head->counted = atomicExch(&head->total, 0ull);
    head->done = 0;
}
#endif

#endif
