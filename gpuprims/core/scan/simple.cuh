/*
 * core/scan/simple.cuh: the scan of small inputs, and of all inputs on GPUs without bulk copies. A block takes
 * a tile, a warp a warp tile of it, which stays in shared memory; every tile that runs at the same time looks at the
 * aggregates of those before.
 *
 * Part of scan.cuh; not to be included directly.
 */

enum {
    GPI(simple_blocks) = GPI_BLOCKS_OF_SIMPLE(GPI_TUNE_SCAN_SIMPLE_BLOCKS),
    GPI(simple_groups) = 2 * GPI(warp_tiles) /* that the warps fold before they meet */
};

#if GPI_DEVICE_CODE
/*
 * The fold of all tiles before `tile`, in every thread; *look is brought up to its group. Each warp folds a
 * group at a time. All threads call.
 */
GPI_DEVICE GPI(look) GPI(simple_look_back)(const GPI(job) *job, GPI(look) *look, GP_TYPE *group_sums, size_t tile,
                                           unsigned lane, unsigned warp, uint32_t epoch, GPI_CONTEXT context)
{
    size_t own = tile / GPI_GROUP_TILES, end = (tile + GPI_GROUP_TILES - 1) / GPI_GROUP_TILES;
    GPI(look) before = *look;

    for (unsigned round = 0; before.group < end; round++) {
        const unsigned groups = gpi_min_size(end - before.group, GPI(simple_groups));
        const unsigned whole = gpi_min_size(own - before.group, groups); /* the own group is not complete */
        GP_TYPE *sums = group_sums + round % 2 * GPI(simple_groups);

        GPI_NO_UNROLL
        for (unsigned g = warp; g < groups; g += GPI(warp_tiles)) {
            GP_TYPE x = GPI(fold_group)(job, before.group + g, tile, lane, epoch, context);

            if (lane == 0)
                sums[g] = x;
        }
        __syncthreads(); /* sums are complete, and those of the round before are free */
        GPI_NO_UNROLL
        for (unsigned g = 0; g < whole; g++)
            GPI(look_back_add)(&before, sums[g]);
        *look = before;
        if (whole < groups)
            GPI(look_back_add)(&before, sums[whole]);
    }
    return before;
}
#endif

static __global__ void __launch_bounds__(32 * GPI(warp_tiles), GPI(simple_blocks))
    GPI(simple_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, slots);
    GP_SHARED(GP_TYPE[GPI(warp_tiles)], warp_sums);
    GP_SHARED(GP_TYPE[2 * GPI(simple_groups)], group_sums);
    GP_SHARED(uint32_t[3], taken); /* a tile and the epoch; the epoch of a block that draws no tickets */
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    char *slot = slots + warp * GPI(slot_bytes);
    gpi_extent array = {(const char *)job.in, (const char *)(job.in + job.n)};
    GPI(look) look = {job.start.before, job.start.has_before, 0};
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
            __syncthreads(); /* the tile is known, and warp_sums are free */
            tile = taken[0];
            epoch = taken[1];
            if (tile >= job.tiles)
                break;
        }
        size_t warp_tile = (size_t)tile * GPI(warp_tiles) + warp;
        unsigned n = GPI(warp_tile_items)(job.n, warp_tile), valid = (n + GPI(thread_n) - 1) / GPI(thread_n);
        const char *from = (const char *)(job.in + warp_tile * GPI(warp_tile_n));
        GP_TYPE *out = job.out + warp_tile * GPI(warp_tile_n);
        GP_TYPE sum = look.sum;

        /* Fold the lane's items and the lanes before it. */
        if (n)
            gpi_fetch_ahead(slot, from, n * (unsigned)sizeof(GP_INPUT_TYPE), array, lane,
                            GPI(warp_tile_n) * (unsigned)sizeof(GP_INPUT_TYPE) / 16);
        gpi_copy_wait();
        __syncwarp(); /* the warp tile is in its slot */
        if (n == GPI(warp_tile_n)) {
            GPI(thread_items) regs;

            GPI(thread_read)(&regs, slot, gpi_misalignment(from), lane, context);
            sum = GPI(thread_fold)(&regs);
        } else if (n) {
            sum = GPI(edge_fold)(slot + gpi_misalignment(from), n, lane, context);
        }
        GP_TYPE lanes = sum;
        if (GPI(folds_fast)) /* the lanes are scanned when the tile has been published: others wait for it */
            sum = GPI(warp_reduce)(sum, (int)lane, (int)valid);
        else
            sum = lanes = GPI(warp_scan)(sum, (int)lane, (int)valid);
        if (n && lane == valid - 1)
            warp_sums[warp] = sum;
        if (threadIdx.x == 0 && !draws)
            taken[2] = gpi_ticket_epoch(ticket);
        __syncthreads(); /* warp_sums are complete, and the epoch is known */
        if (!draws)
            epoch = taken[2];

        /* Fold the warp tiles before it, and publish the tile: all but the last one are whole. */
        int warp_tiles = tile + 1 < job.tiles ? GPI(warp_tiles) : (int)job.last_warp_tiles;
        const int publishes = warp == 0 && tile + 1 < job.tiles;
        sum = warp_sums[(int)lane < warp_tiles ? (int)lane : 0];
        if (GPI(folds_fast) && publishes) {
            GP_TYPE all = GPI(warp_reduce)(sum, (int)lane, GPI(warp_tiles));

            if (lane == 0)
                GPI(publish)((uint64_t *)(job.head + 1), tile, all, epoch);
        }
        if (GPI(folds_fast))
            lanes = GPI(warp_scan)(lanes, (int)lane, (int)valid);
        lanes = GPI(shuffle_up)(lanes, 1);
        sum = GPI(warp_scan)(sum, (int)lane, warp_tiles);
        GP_TYPE before = GPI(shuffle)(sum, warp ? (int)warp - 1 : 0);
        if (!GPI(folds_fast) && publishes && lane + 1 == GPI(warp_tiles))
            GPI(publish)((uint64_t *)(job.head + 1), tile, sum, epoch);
        if (threadIdx.x == 0 && job.tiles > 1 && !draws)
            checked_out = gpi_check_out(job.head); /* likewise */

        /* Fold the tiles before it, scan the items, and write the warp tile out. */
        GPI(look) tiles = GPI(simple_look_back)(&job, &look, group_sums, tile, lane, warp, epoch, context);
        int has_prefix = tiles.has_sum || threadIdx.x > 0;
        GP_TYPE prefix = tiles.sum;
        if (lane < valid)
            prefix = GPI(lane)(tiles.sum, tiles.has_sum, before, warp > 0, lanes, lane > 0);
        if (n == GPI(warp_tile_n)) {
            GPI(thread_items) regs; /* read again: across the wait it would take registers that one more block needs */

            GPI(thread_read)(&regs, slot, gpi_misalignment(from), lane, context);
            GPI(thread_scan)(&regs, prefix, has_prefix, job.start.exclusive);
            __syncwarp(); /* everybody has read the slot */
            GPI(thread_write)(&regs, slot, gpi_misalignment(out), lane);
            __syncwarp(); /* the results are in the slot */
            gpi_store_warp((char *)out, slot, GPI(warp_tile_n) * sizeof(GP_TYPE), lane);
        } else if (n) {
            GPI(edge)(slot + gpi_misalignment(from), out, n, lane, prefix, has_prefix, job.start.exclusive,
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
