/*
 * core/scan_wave.cuh: the scan of small inputs, and of all inputs on GPUs without bulk copies. A block takes
 * a tile, a warp a chunk of it, which stays in shared memory; every tile that runs at the same time looks at the
 * aggregates of those before.
 *
 * Part of scan.cuh; not to be included directly.
 */

enum {
    GPI_WAVE_BLOCKS = GPI_BLOCKS_OF_WAVE(GPI_TUNE_SCAN_WAVE_BLOCKS),
    GPI_WAVE_GROUPS = 2 * GPI_TILE_CHUNKS /* that the warps fold before they meet */
};

#if GPI_DEVICE_CODE
/*
 * The fold of all tiles before `tile`, in every thread; *look is brought up to its group. Each warp folds a
 * group at a time. All threads call.
 */
GPI_DEVICE GPI_LOOK GPI_WAVE_LOOK(const GPI_SCAN_JOB *job, GPI_LOOK *look, GP_TYPE *group_sums, size_t tile,
                                  unsigned lane, unsigned warp, uint32_t epoch, GPI_CONTEXT context)
{
    size_t own = tile / GPI_GROUP_TILES, end = (tile + GPI_GROUP_TILES - 1) / GPI_GROUP_TILES;
    GPI_LOOK before = *look;

    for (unsigned round = 0; before.group < end; round++) {
        const unsigned groups = gpi_most(end - before.group, GPI_WAVE_GROUPS);
        const unsigned whole = gpi_most(own - before.group, groups); /* the own group is not complete */
        GP_TYPE *sums = group_sums + round % 2 * GPI_WAVE_GROUPS;

        GPI_NO_UNROLL
        for (unsigned g = warp; g < groups; g += GPI_TILE_CHUNKS) {
            GP_TYPE x = GPI_SCAN_FOLD_GROUP(job, before.group + g, tile, lane, epoch, context);

            if (lane == 0)
                sums[g] = x;
        }
        __syncthreads(); /* sums are complete, and those of the round before are free */
        GPI_NO_UNROLL
        for (unsigned g = 0; g < whole; g++)
            GPI_LOOK_ADD(&before, sums[g]);
        *look = before;
        if (whole < groups)
            GPI_LOOK_ADD(&before, sums[whole]);
    }
    return before;
}
#endif

static __global__ void __launch_bounds__(32 * GPI_TILE_CHUNKS, GPI_WAVE_BLOCKS)
    GPI_SCAN_WAVE_KERNEL(GPI_SCAN_JOB job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, slots);
    GP_SHARED(GP_TYPE[GPI_TILE_CHUNKS], chunk_sums);
    GP_SHARED(GP_TYPE[2 * GPI_WAVE_GROUPS], group_sums);
    GP_SHARED(uint32_t[3], taken); /* a tile and the epoch; the epoch of a block that draws no tickets */
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    char *slot = slots + warp * GPI_SLOT_BYTES;
    gpi_extent array = {(const char *)job.in, (const char *)(job.in + job.n)};
    GPI_LOOK look = {job.start.before, job.start.has_before, 0};
    const int draws = job.tiles > gridDim.x || (job.tiles > 1 && job.in_place); /* tickets for tiles */
    uint32_t tile = blockIdx.x, epoch = 0;
    uint64_t ticket = 0, checked_out = 0;

    gpi_grid_wait();
    gpi_grid_launch_next();
    if (threadIdx.x == 0 && job.tiles > 1 && !draws)
        ticket = gpi_read_ticket(job.head); /* looked at later: it takes a while to come */
    for (;;) {
        if (draws) {
            if (threadIdx.x == 0)
                taken[0] = gpi_take_tile(job.head, &taken[1]);
            __syncthreads(); /* the tile is known, and chunk_sums are free */
            tile = taken[0];
            epoch = taken[1];
            if (tile >= job.tiles)
                break;
        }
        size_t chunk = (size_t)tile * GPI_TILE_CHUNKS + warp;
        unsigned n = GPI_CHUNK_ITEMS(job.n, chunk), valid = (n + GPI_RUN_N - 1) / GPI_RUN_N;
        const char *from = (const char *)(job.in + chunk * GPI_CHUNK_N);
        GP_TYPE *out = job.out + chunk * GPI_CHUNK_N;
        GP_TYPE sum = look.sum;

        /* Fold the lane's run and the lanes before it. */
        if (n)
            gpi_fetch_ahead(slot, from, n * (unsigned)sizeof(GP_INPUT_TYPE), array, lane,
                            GPI_CHUNK_N * (unsigned)sizeof(GP_INPUT_TYPE) / 16);
        gpi_copy_wait();
        __syncwarp(); /* the chunk is in its slot */
        if (n == GPI_CHUNK_N) {
            GPI_RUN run;

            GPI_RUN_READ(&run, slot, gpi_phase(from), lane, context);
            sum = GPI_RUN_FOLD(&run);
        } else if (n) {
            sum = GPI_SCAN_EDGE_FOLD(slot + gpi_phase(from), n, lane, context);
        }
        GP_TYPE lanes = sum;
        if (GPI_FOLDS_FAST) /* the lanes are scanned when the tile has been published: others wait for it */
            sum = GPI_WARP_REDUCE(sum, (int)lane, (int)valid);
        else
            sum = lanes = GPI_WARP_SCAN(sum, (int)lane, (int)valid);
        if (n && lane == valid - 1)
            chunk_sums[warp] = sum;
        if (threadIdx.x == 0 && !draws)
            taken[2] = gpi_ticket_epoch(ticket);
        __syncthreads(); /* chunk_sums are complete, and the epoch is known */
        if (!draws)
            epoch = taken[2];

        /* Fold the chunks before it, and publish the tile: everybody but the last one is whole. */
        int chunks = tile + 1 < job.tiles ? GPI_TILE_CHUNKS : (int)job.last_chunks;
        const int publishes = warp == 0 && tile + 1 < job.tiles;
        sum = chunk_sums[(int)lane < chunks ? (int)lane : 0];
        if (GPI_FOLDS_FAST && publishes) {
            GP_TYPE all = GPI_WARP_REDUCE(sum, (int)lane, GPI_TILE_CHUNKS);

            if (lane == 0)
                GPI_PUBLISH((uint64_t *)(job.head + 1), tile, all, epoch);
        }
        if (GPI_FOLDS_FAST)
            lanes = GPI_WARP_SCAN(lanes, (int)lane, (int)valid);
        lanes = GPI_SHUFFLE_UP(lanes, 1);
        sum = GPI_WARP_SCAN(sum, (int)lane, chunks);
        GP_TYPE before = GPI_SHUFFLE(sum, warp ? (int)warp - 1 : 0);
        if (!GPI_FOLDS_FAST && publishes && lane + 1 == GPI_TILE_CHUNKS)
            GPI_PUBLISH((uint64_t *)(job.head + 1), tile, sum, epoch);
        if (threadIdx.x == 0 && job.tiles > 1 && !draws)
            checked_out = gpi_check_out(job.head); /* likewise */

        /* Fold the tiles before it, scan the run, and let the chunk go. */
        GPI_LOOK tiles = GPI_WAVE_LOOK(&job, &look, group_sums, tile, lane, warp, epoch, context);
        int has_prefix = tiles.has_sum || threadIdx.x > 0;
        GP_TYPE prefix = tiles.sum;
        if (lane < valid)
            prefix = GPI_SCAN_LANE(tiles.sum, tiles.has_sum, before, warp > 0, lanes, lane > 0);
        if (n == GPI_CHUNK_N) {
            GPI_RUN run; /* read again: across the wait it would take registers that one more block needs */

            GPI_RUN_READ(&run, slot, gpi_phase(from), lane, context);
            GPI_SCAN_RUN(&run, prefix, has_prefix, job.start.exclusive);
            __syncwarp(); /* everybody has read the slot */
            GPI_RUN_WRITE(&run, slot, gpi_phase(out), lane);
            __syncwarp(); /* the results are in the slot */
            gpi_store_warp((char *)out, slot, GPI_CHUNK_N * sizeof(GP_TYPE), lane);
        } else if (n) {
            GPI_SCAN_EDGE(slot + gpi_phase(from), out, n, lane, prefix, has_prefix, job.start.exclusive,
                          context);
        }
        if (job.tiles == 1)
            return;
        if (job.tiles <= gridDim.x)
            break; /* every block has one tile, and has no need to ask for another */
        __syncwarp(); /* the slot is free */
    }
    if (threadIdx.x == 0)
        gpi_finish_launch(job.head, epoch, draws ? gpi_check_out(job.head) : checked_out);
#endif
}
