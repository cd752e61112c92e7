/*
 * core/reduce/large.cuh: the reduction of large inputs. Persistent blocks draw tiles; a warp copies a warp tile to
 * shared memory, each lane reads its items to registers, and while they are folded the next warp tile is in flight.
 *
 * Part of reduce.cuh; not to be included directly.
 */

enum {
    GPI(threads) = 32 * GPI(warp_tiles),
    GPI(bytes) = GPI(warp_tiles) * GPI(slot_bytes),
    /* As many as there are registers for: a lane holds its items. */
    GPI(blocks) = (GPI(in_bytes) <= 112 && sizeof(GP_TYPE) <= 8 ? GPI_TUNE_REDUCE_BLOCKS : 2) * 8 /
                  GPI(warp_tiles)
};

/* What the threads of a block exchange at the end of a tile. */
typedef struct {
    GP_TYPE sums[8]; /* of its warps */
    uint32_t tile, epoch;
    int is_last;
} GPI(round_state);

#if GPI_DEVICE_CODE
/*
 * One thread: passes on what it has drawn, the block's tile after next. The first two are fixed, so that the first
 * loads need not wait. Every block draws until there are no more tiles; how many draws that makes is known
 * beforehand, and the block with the last of them knows that all others are running or have finished.
 */
GPI_DEVICE void GPI(note)(const GPI(job) *job, GPI(round_state) *round_state, uint64_t ticket)
{
    uint32_t draw = (uint32_t)ticket, fixed = gpi_min(2 * gridDim.x, job->tiles);

    round_state->tile = 2 * gridDim.x + draw;
    round_state->epoch = gpi_ticket_epoch(ticket);
    round_state->is_last = draw == job->tiles - fixed + gridDim.x - 1;
}

/* Where in the input the tile is that is drawn so; behind it if there is none. */
GPI_DEVICE uint32_t GPI(place)(const GPI(job) *job, uint32_t drawn)
{
    return job->backward && drawn < job->tiles ? job->tiles - 1 - drawn : drawn;
}
#endif

static __global__ void __launch_bounds__(GPI(threads), GPI(blocks))
    GPI(large_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, slots);
    GP_SHARED(GPI(round_state)[2], round_states);
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    char *slot = slots + warp * GPI(slot_bytes);
    size_t warp_tiles = (job.n + GPI(warp_tile_n) - 1) / GPI(warp_tile_n);
    uint32_t tile = blockIdx.x, next = tile + gridDim.x;
    GPI(round_state) *round_state = round_states;
    uint64_t ticket = 0;

    gpi_grid_wait();
    gpi_grid_launch_next();
    size_t warp_tile = (GPI(place)(&job, tile) * (size_t)GPI(warp_tiles) + warp) * job.part;
    if (warp_tile < warp_tiles)
        GPI(fetch)(&job, warp_tile, slot, lane);
    if (threadIdx.x == 0 && job.tiles > 1)
        ticket = gpi_take_ticket(job.head); /* not waited for here */
    for (;;) {
        size_t following = (GPI(place)(&job, next) * (size_t)GPI(warp_tiles) + warp) * job.part;
        size_t left = warp_tile < warp_tiles ? warp_tiles - warp_tile : 0;
        int is_first = 1;

        if (left == 0 && following < warp_tiles) /* the partial tile at the end of the input comes first */
            GPI(fetch)(&job, following, slot, lane);
        /* Fold the warp's warp tiles from left to right, and the warps. */
        for (left = left < job.part ? left : job.part; left; left--, warp_tile++) {
            size_t ahead = left > 1 ? warp_tile + 1 : following;
            unsigned n = GPI(warp_tile_n), lanes = 32; /* its items, and lanes that have some */

            if (warp_tile + 1 == warp_tiles) {
                n = (unsigned)(job.n - warp_tile * GPI(warp_tile_n));
                lanes = (n + GPI(thread_n) - 1) / GPI(thread_n);
            }
            GP_TYPE x = GPI(fold_lane)(&job, warp_tile, n, ahead, slot, lane, context);
            x = GPI(warp_reduce)(x, (int)lane, (int)lanes);
            if (lane == 0)
                round_state->sums[warp] = is_first ? x : GPI(combine)(round_state->sums[warp], x);
            is_first = 0;
        }
        if (threadIdx.x == 0)
            GPI(note)(&job, round_state, ticket);
        __syncthreads(); /* sums are complete, and the draw is known */
        if (warp == 0) {
            uint32_t place = GPI(place)(&job, tile);
            size_t start = place * (size_t)GPI(warp_tiles) * job.part;
            size_t parts = (warp_tiles - start + job.part - 1) / job.part;
            int valid = parts < GPI(warp_tiles) ? (int)parts : GPI(warp_tiles);
            GP_TYPE sum = GPI(warp_reduce)(round_state->sums[(int)lane < valid ? lane : 0], (int)lane, valid);

            if (lane == 0 && job.tiles == 1)
                GPI(finish)(&job, sum);
            else if (lane == 0)
                GPI(publish)((uint64_t *)(job.head + 1), place, sum, round_state->epoch);
        }
        if (next >= job.tiles)
            break;

        /* Go on to the next tile, and draw another one. */
        tile = next;
        next = round_state->tile;
        warp_tile = following;
        round_state = round_state == round_states ? round_states + 1 : round_states;
        if (threadIdx.x == 0 && next < job.tiles)
            ticket = gpi_take_ticket(job.head);
    }
    if (job.tiles == 1 || !round_state->is_last)
        return;
    GP_TYPE *sums = round_state == round_states ? round_states[1].sums : round_states[0].sums; /* not read any more */
    GP_TYPE sum = GPI(groups)(&job, sums, lane, warp, GPI(warp_tiles),
                              GPI(batch), round_state->epoch);
    if (threadIdx.x == 0) {
        GPI(finish)(&job, sum);
        gpi_ready_head(job.head, round_state->epoch);
    }
#endif
}
