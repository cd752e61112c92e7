/*
 * core/reduce/large.cuh: the reduction of large inputs. Blocks stay, and take tile after tile; a warp copies a warp
 * tile to shared memory, each lane reads its items to registers, and while they are folded the next warp tile is in
 * flight. Where each block has few tiles, these are fixed, and its warps wait for each other at the end alone.
 * Otherwise tiles are drawn.
 *
 * Part of reduce.cuh; not to be included directly.
 */

enum {
    GPI(threads) = 32 * GPI(warp_tiles),
    GPI(bytes) = GPI(warp_tiles) * GPI(slot_bytes),
    /* As many as there are registers for: a lane holds its items. */
    GPI(blocks) = (GPI(in_bytes) <= 112 && sizeof(GP_TYPE) <= 8 ? GPI_TUNE_REDUCE_BLOCKS : 2) * 8 /
                  GPI(warp_tiles),
#if defined GP_LOAD_AT && !defined GP_CONTEXT
    GPI(more_blocks) = sizeof(GP_TYPE) <= 8, /* where nothing is read: only instructions are waited for */
#else
    GPI(more_blocks) = 0,
#endif
    GPI(few) = sizeof(GP_TYPE) <= 64 ? 8 : 1 /* so many tiles of a block are few */
};

#if GPI_DEVICE_CODE
/* Where in the input the tile is that is drawn so; behind it if there is none. */
GPI_DEVICE uint32_t GPI(place)(const GPI(job) *job, uint32_t drawn)
{
    return job->backward && drawn < job->tiles ? job->tiles - 1 - drawn : drawn;
}

/* One warp: folds a warp tile that has been fetched, and fetches the one `ahead`, if there is one; in lane 0. */
GPI_DEVICE GP_TYPE GPI(fold_warp_tile)(const GPI(job) *job, size_t warp_tile, int is_whole, size_t ahead, char *slot,
                                       unsigned lane, GPI_CONTEXT context)
{
    const unsigned n = is_whole ? (unsigned)GPI(warp_tile_n) : (unsigned)(job->n % GPI(warp_tile_n));
    const unsigned lanes = is_whole ? 32 : (n + GPI(thread_n) - 1) / GPI(thread_n); /* that have items */
    const GP_TYPE x = GPI(fold_lane)(job, warp_tile, is_whole, n, ahead, slot, lane, context);

    return GPI(warp_reduce)(x, (int)lane, (int)lanes);
}

/* One warp: folds what the warps have of a tile, and publishes that; of the only tile it is the result. */
GPI_DEVICE void GPI(end_tile)(const GPI(job) *job, uint32_t place, size_t warp_tiles, const GP_TYPE *sums,
                              unsigned lane, const uint32_t *epoch)
{
    const size_t start = place * (size_t)GPI(warp_tiles) * job->part;
    const size_t parts = (warp_tiles - start + job->part - 1) / job->part;
    const int valid = parts < GPI(warp_tiles) ? (int)parts : GPI(warp_tiles);
    const GP_TYPE sum = GPI(warp_reduce)(sums[(int)lane < valid ? lane : 0], (int)lane, valid);

    if (lane == 0 && job->tiles == 1)
        GPI(finish)(job, sum);
    else if (lane == 0)
        GPI(publish)((uint64_t *)(job->head + 1), place, sum, *epoch);
}
#endif

/* ---- few tiles for each block ------------------------------------------------------------------ */

static __global__ void __launch_bounds__(GPI(threads), GPI(blocks) + GPI(more_blocks))
    GPI(few_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, slots);
    GP_SHARED(GP_TYPE[(int)GPI(few) * GPI(warp_tiles)], sums); /* of the warps, tile by tile */
    GP_SHARED(uint64_t, drawn);
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const size_t warp_tiles = (job.n + GPI(warp_tile_n) - 1) / GPI(warp_tile_n), whole = job.n / GPI(warp_tile_n);
    char *slot = slots + warp * GPI(slot_bytes);
    unsigned rounds = 0;
    uint64_t ticket = 0;

    gpi_grid_wait();
    gpi_grid_launch_next();
    size_t warp_tile = GPI(place)(&job, blockIdx.x) * (size_t)GPI(warp_tiles) + warp;
    if (warp_tile < warp_tiles)
        GPI(fetch)(&job, warp_tile, slot, lane);
    if (threadIdx.x == 0 && job.tiles > 1)
        ticket = gpi_take_ticket(job.head); /* not waited for here */
    GPI_NO_UNROLL
    for (uint32_t tile = blockIdx.x; tile < job.tiles; tile += gridDim.x, rounds++) {
        const size_t following = GPI(place)(&job, tile + gridDim.x) * (size_t)GPI(warp_tiles) + warp;

        if (warp_tile < warp_tiles) {
            const GP_TYPE x =
                GPI(fold_warp_tile)(&job, warp_tile, warp_tile != whole, following, slot, lane, context);

            if (lane == 0)
                sums[rounds * GPI(warp_tiles) + warp] = x;
        } else if (following < warp_tiles) { /* the partial tile at the end of the input comes first */
            GPI(fetch)(&job, following, slot, lane);
        }
        warp_tile = following;
    }
    if (threadIdx.x == 0)
        drawn = ticket;
    __syncthreads(); /* sums are complete, and the ticket is known */
    const uint32_t epoch = gpi_ticket_epoch(drawn);
    for (unsigned r = warp; r < rounds; r += GPI(warp_tiles))
        GPI(end_tile)(&job, GPI(place)(&job, blockIdx.x + r * gridDim.x), warp_tiles, sums + r * GPI(warp_tiles), lane,
                      &epoch);
    if (job.tiles == 1 || (uint32_t)drawn != gridDim.x - 1)
        return;
    __syncthreads(); /* sums are free */
    GP_TYPE sum = GPI(groups)(&job, sums, lane, warp, GPI(warp_tiles), GPI(batch), epoch);
    if (threadIdx.x == 0) {
        GPI(finish)(&job, sum);
        gpi_ready_head(job.head, epoch);
    }
#endif
}

/* ---- many -------------------------------------------------------------------------------------- */

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
#endif

static __global__ void __launch_bounds__(GPI(threads), GPI(blocks) + GPI(more_blocks))
    GPI(large_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, slots);
    GP_SHARED(GPI(round_state)[2], round_states);
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    char *slot = slots + warp * GPI(slot_bytes);
    const size_t warp_tiles = (job.n + GPI(warp_tile_n) - 1) / GPI(warp_tile_n), whole = job.n / GPI(warp_tile_n);
    uint32_t tile = blockIdx.x, next = tile + gridDim.x;
    GPI(round_state) *round_state = round_states;
    uint64_t ticket = 0;

    gpi_grid_wait();
    gpi_grid_launch_next();
    size_t warp_tile = (GPI(place)(&job, tile) * (size_t)GPI(warp_tiles) + warp) * job.part;
    if (warp_tile < warp_tiles)
        GPI(fetch)(&job, warp_tile, slot, lane);
    if (threadIdx.x == 0)
        ticket = gpi_take_ticket(job.head); /* not waited for here */
    for (;;) {
        size_t following = (GPI(place)(&job, next) * (size_t)GPI(warp_tiles) + warp) * job.part;
        const size_t start = warp_tile, left = start < warp_tiles ? warp_tiles - start : 0;
        const size_t end = start + (left < job.part ? left : job.part);
        GP_TYPE sum; /* of the warp's warp tiles, from left to right; in lane 0 */

        GPI_UNDEFINED(sum);
        if (left == 0 && following < warp_tiles) /* the partial tile at the end of the input comes first */
            GPI(fetch)(&job, following, slot, lane);
        for (; warp_tile < end; warp_tile++) {
            const size_t ahead = warp_tile + 1 < end ? warp_tile + 1 : following;
            const GP_TYPE x =
                GPI(fold_warp_tile)(&job, warp_tile, warp_tile != whole, ahead, slot, lane, context);

            if (lane == 0)
                sum = warp_tile == start ? x : GPI(combine)(sum, x);
        }
        if (lane == 0 && left)
            round_state->sums[warp] = sum;
        if (threadIdx.x == 0)
            GPI(note)(&job, round_state, ticket);
        __syncthreads(); /* sums are complete, and the draw is known */
        if (warp == 0)
            GPI(end_tile)(&job, GPI(place)(&job, tile), warp_tiles, round_state->sums, lane, &round_state->epoch);
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
    if (!round_state->is_last)
        return;
    GP_TYPE *sums = round_state == round_states ? round_states[1].sums : round_states[0].sums; /* not read any more */
    GP_TYPE sum = GPI(groups)(&job, sums, lane, warp, GPI(warp_tiles), GPI(batch), round_state->epoch);
    if (threadIdx.x == 0) {
        GPI(finish)(&job, sum);
        gpi_ready_head(job.head, round_state->epoch);
    }
#endif
}
