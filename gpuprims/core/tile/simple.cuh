/*
 * core/tile/simple.cuh: the same pass as core/tile/pipeline.cuh, for small inputs, and for all inputs on GPUs without
 * bulk copies. A block takes a tile, a warp a warp tile of it; every tile that runs at the same time adds up the
 * aggregates of those before.
 *
 * Needs from the primitive, besides core/tile/look_back.cuh and what pipeline.cuh needs of the same name:
 *
 *     GPI(simple_blocks)    a constant: blocks on a multiprocessor
 *     GPI(simple_held)      what a warp keeps in registers
 *     GPI(simple_sum)       one warp: reads a warp tile to its part of dynamic shared memory, gpi_copy_wait() included,
 *                           and sums it up; tells whether the lane has the sum
 *     GPI(simple_between)   with GPI_SIMPLE_BETWEEN, one warp: what is left to do when the tile has been published
 *     GPI(simple_put)       one warp: writes the warp tile
 *
 * Their argument `is_small` is a constant: whether core/tile/small.cuh calls, where arrays are aligned and a warp may
 * keep its items in registers.
 *
 * A block has as many warps as a tile has warp tiles, or as the only tile has any: for a small input a launch may have
 * smaller tiles.
 */
enum {
    GPI(warp_groups) = GPI(lane_tiles) == 1 ? 2 : 1, /* that a warp sums up between two barriers */
    GPI(simple_groups) = GPI(warp_groups) * GPI(warp_tiles)
};

#if GPI_DEVICE_CODE
/* All tiles before `tile`, in every thread; *known is brought up to its group. All threads call. */
GPI_DEVICE GPI(look) GPI(simple_look_back)(const GPI(job) *job, GPI(look) *known, GPI(sum) *group_sums, uint32_t tile,
                                           unsigned lane, unsigned warp, uint32_t epoch, GPI_CONTEXT context)
{
    const uint32_t end = (tile + GPI(group_tiles) - 1) / GPI(group_tiles);
    const unsigned warps = blockDim.x / 32;
    GPI(look) before = *known;

    for (unsigned round = 0; before.group < end; round++) {
        const unsigned groups = gpi_min(end - before.group, GPI(warp_groups) * warps);
        GPI(sum) *sums = group_sums + round % 2 * GPI(simple_groups);

        GPI_NO_UNROLL
        for (unsigned k = 0; k < GPI(warp_groups); k++) {
            const unsigned g = k * warps + warp;

            if (g < groups) {
                GPI(sum) sum = GPI(sum_group)(job, before.group + g, tile, lane, epoch, context);

                if (lane == 0)
                    sums[g] = sum;
            }
        }
        __syncthreads(); /* sums are complete, and those of the round before are free */
        GPI(look_add_groups)(&before, known, tile, sums, groups);
    }
    return before;
}
#endif

static __global__ void __launch_bounds__(32 * GPI(warp_tiles), GPI(simple_blocks))
    GPI(simple_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, slots);
    GP_SHARED(GPI(sum)[GPI(warp_tiles)], warp_sums);
    GP_SHARED(GPI(sum)[2 * GPI(simple_groups)], group_sums);
    GP_SHARED(uint32_t[2], taken); /* with a ticket: a tile and the epoch */
    GP_SHARED(gpi_ticket_copy, next); /* without: what the epoch is taken from */
    GP_SHARED(GPI(shared), shared);
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const int draws = job.tiles > gridDim.x || (job.tiles > 1 && job.in_place); /* tickets */
    GPI(look) known = GPI(look_start)(&job);
    uint32_t tile = blockIdx.x, epoch = 0;

    GPI(share)(&shared);
    gpi_grid_wait();
    gpi_grid_launch_next();
    if (threadIdx.x == 0 && job.tiles > 1 && !draws)
        gpi_copy_16(&next, job.head); /* comes with the first warp tile */
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
        GPI(simple_held) held;
        GPI(sum) own;

        /* Sum up the warp tile. */
        if (GPI(simple_sum)(&job, &held, (size_t)tile * warps + warp, slots, &own, lane, warp, 0, context))
            warp_sums[warp] = own;
        __syncthreads(); /* warp_sums are complete, `next` has come; in place: the tile has been read */
        if (!draws && job.tiles > 1)
            epoch = gpi_ticket_epoch(next.ticket);

        /* Sum up the tile, and publish it; the last one if all tiles are needed. */
        const int valid = (int)(tile + 1 < job.tiles ? warps : job.last_warp_tiles);
        const int publishes = warp == 0 && job.tiles > 1 && (tile + 1 < job.tiles || GPI(first_tiles)(&job));
        GPI(sum) sum = warp_sums[(int)lane < valid ? (int)lane : 0];
        if (GPI(folds_fast) && publishes) {
            GPI(sum) all = GPI(warp_reduce)(sum, (int)lane, valid);

            if (lane == 0)
                GPI(publish_tile)(&job, tile, all, epoch);
        }
#ifdef GPI_SIMPLE_BETWEEN
        GPI(simple_between)(&job, &held, (size_t)tile * warps + warp, slots, lane, warp, 0);
#endif
        sum = GPI(warp_scan)(sum, (int)lane, valid);
        GPI(before) before;

        GPI_UNDEFINED(before);
        before.has_warps = warp > 0;
        before.warps = GPI(shuffle)(sum, warp ? (int)warp - 1 : 0);
        if (!GPI(folds_fast) && publishes && (int)lane + 1 == valid)
            GPI(publish_tile)(&job, tile, sum, epoch);
        const int checks_out = threadIdx.x == 0 && job.tiles > 1 && job.tiles <= gridDim.x; /* after its only tile */
        const uint64_t checked_out = checks_out ? gpi_check_out(job.head) : 0; /* used late: it takes a while */

        /* Add up the tiles before it, and the first ones if need be, and write. */
        if (GPI(first_tiles)(&job) && job.tiles == 1)
            before.all = GPI(total_of)(GPI(shuffle)(sum, valid - 1));
        GPI_NO_UNROLL
        for (int all = 0; all <= (job.tiles > 1 && GPI(first_tiles)(&job)); all++) { /* one copy of the code for both */
            GPI(look) look = GPI(simple_look_back)(&job, &known, group_sums, all ? job.tiles : tile, lane, warp, epoch,
                                                   context);

            if (all) {
                before.all = look.sum;
            } else {
                before.tiles = look.sum;
                before.has_tiles = look.has_sum;
            }
            if (GPI(first_tiles)(&job))
                __syncthreads(); /* group_sums are free */
        }
        if (checks_out)
            gpi_finish_launch(job.head, epoch, checked_out);
        GPI(simple_put)(&job, &shared, &held, &before, (size_t)tile * warps + warp, slots, lane, warp, 0, context);
        if (job.tiles <= gridDim.x)
            return;
        __syncwarp(); /* the slot is free */
    }
    if (threadIdx.x == 0)
        gpi_finish_launch(job.head, epoch, gpi_check_out(job.head));
#endif
}

/* Warps of a block of a launch: as many as a tile has warp tiles, of which the only tile may have fewer. */
static inline unsigned GPI(simple_warps)(const GPI(job) *job)
{
    return job->tiles == 1 ? job->last_warp_tiles : job->warp_tiles;
}
