/*
 * core/scan/pipelined.cuh: the scan of large inputs on sm_90 and newer. One persistent block on each
 * multiprocessor; each of its warps has one part of the work, and tiles go round a ring of stages in shared
 * memory:
 *
 *     1 load warp        takes a tile, and starts the bulk copies of its warp tiles into a stage: the first ones
 *                        by the block's number, unless in place, the others by tickets
 *     reduce warps       fold lanes and warp tiles, and publish the tile's aggregate
 *     look-back warps         fold the aggregates of all tiles before
 *     8 scan warps       scan a warp tile each, in its slot, and start the bulk copy to where it goes
 *
 * They meet at mbarriers alone, at which every lane arrives for itself: so the order of what it has read and
 * written is plain to see, for tools as well.
 *
 * Part of scan.cuh; not to be included directly.
 */
enum {
    GPI(pipeline_reducers) = sizeof(GP_TYPE) <= 8 ? 8 : 4, /* of larger types they would lack registers */
    GPI(pipeline_scanners) = 8,
    GPI(pipeline_others) = 1 + GPI(pipeline_reducers) + GPI(pipeline_scanners), /* than look-back warps */
    GPI(pipeline_stage) = GPI(warp_tiles) * (GPI(slot_bytes) + 32 * (int)sizeof(GP_TYPE)), /* with lanes_before */
    GPI(pipeline_fitting) = GPI_PIPELINE_ROOM / GPI(pipeline_stage),
    GPI(pipeline_stages) = GPI(pipeline_fitting) < 2                        ? 2
                           : GPI(pipeline_fitting) < GPI_TUNE_SCAN_STAGES ? GPI(pipeline_fitting)
                                                                          : GPI_TUNE_SCAN_STAGES,
    GPI(pipeline_bytes) = GPI(pipeline_stages) * GPI(pipeline_stage),
    /* Look-back warps. Of large types each has much to do; of large inputs fewer ask the L2 for less. */
    GPI(pipeline_look_back_warps) = sizeof(GP_TYPE) <= 16 ? GPI_TUNE_SCAN_LOOK_BACK_WARPS : 3,
    GPI(pipeline_few) = sizeof(GP_TYPE) <= 4 && GPI_TUNE_SCAN_FEW_LOOK_BACK_WARPS < GPI_TUNE_SCAN_LOOK_BACK_WARPS
                            ? GPI_TUNE_SCAN_FEW_LOOK_BACK_WARPS
                       : (int)GPI(pipeline_look_back_warps)
};

/* A stage is full, ready (what comes before its lanes is known) and empty again. */
typedef struct {
    uint64_t full[GPI(pipeline_stages)], ready[GPI(pipeline_stages)], empty[GPI(pipeline_stages)];
    uint32_t tile[GPI(pipeline_stages)], epoch;
    int has_tiles_before[GPI(pipeline_stages)];
    GP_TYPE warp_sums[GPI(pipeline_stages)][GPI(warp_tiles)];
    GP_TYPE warps_before[GPI(pipeline_stages)][GPI(warp_tiles)]; /* the warp tiles before each in the tile, folded */
    GP_TYPE tiles_before[GPI(pipeline_stages)];
    GP_TYPE group_sums[2][GPI(pipeline_look_back_warps)];
} GPI(pipeline);

#if GPI_SM90_CODE
/* Asks for the first tiles, while the kernel before may still write them. */
GPI_DEVICE void GPI(pipeline_ask)(const GPI(job) *job, unsigned lane)
{
    gpi_extent array = {(const char *)job->in, (const char *)(job->in + job->n)};

    for (unsigned k = 0; k < GPI_PIPELINE_COMING && lane < GPI(warp_tiles); k++) {
        size_t warp_tile = ((size_t)k * gridDim.x + blockIdx.x) * GPI(warp_tiles) + lane;

        gpi_prefetch_bulk((const char *)(job->in + warp_tile * GPI(warp_tile_n)),
                           GPI(warp_tile_items)(job->n, warp_tile) * (unsigned)sizeof(GP_INPUT_TYPE), array);
    }
}

/* Takes tiles and starts their copies, as stages become empty. */
GPI_DEVICE void GPI(pipeline_load)(const GPI(job) *job, GPI(pipeline) *pipeline, char *stages,
                                   unsigned lane)
{
    const int rounds = job->in_place ? 0 : GPI_TUNE_SCAN_ROUNDS;
    gpi_tile_source source = gpi_open_source(job->head, rounds, lane);
    gpi_extent array = {(const char *)job->in, (const char *)(job->in + job->n)};
    gpi_pipeline_place place = {0, 0}, coming = {0, 0};

    for (int k = 0, end = 0; !end; k++) {
        uint32_t tile = gpi_next_tile(&source);

        if (lane == 31 && k == 0)
            pipeline->epoch = gpi_ticket_epoch(source.ticket);
        if (k >= GPI_PIPELINE_COMING) { /* until an earlier tile has come: it is needed first */
            gpi_mbarrier_wait(&pipeline->full[coming.stage], coming.parity);
            gpi_pipeline_advance(&coming, GPI(pipeline_stages));
        }
        if (k >= GPI(pipeline_stages))
            gpi_mbarrier_wait(&pipeline->empty[place.stage], place.parity ^ 1);
        if (lane == 31 && tile < job->tiles)
            gpi_draw_ahead(&source, job->head);
        if (lane < GPI(warp_tiles)) {
            size_t warp_tile = (size_t)tile * GPI(warp_tiles) + lane;
            unsigned n = tile < job->tiles ? GPI(warp_tile_items)(job->n, warp_tile) : 0;

            if (n)
                gpi_fetch_bulk(stages + (place.stage * GPI(warp_tiles) + (int)lane) * GPI(slot_bytes),
                               (const char *)(job->in + warp_tile * GPI(warp_tile_n)),
                               n * (unsigned)sizeof(GP_INPUT_TYPE), array, &pipeline->full[place.stage]);
            else
                gpi_mbarrier_arrive(&pipeline->full[place.stage]);
        } else if (lane == 31) {
            pipeline->tile[place.stage] = tile < job->tiles ? tile : GPI_NO_TILE;
            gpi_mbarrier_arrive(&pipeline->full[place.stage]);
        }
        end = tile >= job->tiles;
        gpi_pipeline_advance(&place, GPI(pipeline_stages));
    }
    if (lane == 31)
        gpi_finish_launch(job->head, gpi_ticket_epoch(source.ticket), gpi_check_out(job->head));
}

/* Folds lanes and warp tiles, and publishes the tile. */
GPI_DEVICE void GPI(pipeline_reduce)(const GPI(job) *job, GPI(pipeline) *pipeline, const char *stages,
                                     GP_TYPE *lanes_before, unsigned reducer, unsigned lane,
                                     GPI_CONTEXT context)
{
    uint64_t *states = (uint64_t *)(job->head + 1);
    gpi_pipeline_place place = {0, 0};

    for (;;) {
        gpi_mbarrier_wait(&pipeline->full[place.stage], place.parity);
        uint32_t tile = pipeline->tile[place.stage];
        if (tile == GPI_NO_TILE)
            return;
        int warp_tiles = tile + 1 < job->tiles ? (int)GPI(warp_tiles) : (int)job->last_warp_tiles;
        for (int q = (int)reducer; q < warp_tiles; q += GPI(pipeline_reducers)) {
            size_t warp_tile = (size_t)tile * GPI(warp_tiles) + (size_t)q;
            unsigned n = GPI(warp_tile_items)(job->n, warp_tile), valid = (n + GPI(thread_n) - 1) / GPI(thread_n);
            int at = place.stage * GPI(warp_tiles) + q;
            const char *slot = stages + at * GPI(slot_bytes);
            unsigned misalignment = gpi_misalignment(job->in + warp_tile * GPI(warp_tile_n));
            GP_TYPE sum;

            if (n == GPI(warp_tile_n)) {
                GPI(thread_items) regs;

                GPI(thread_read)(&regs, slot, misalignment, lane, context);
                sum = GPI(thread_fold)(&regs);
            } else {
                sum = GPI(edge_fold)(slot + misalignment, n, lane, context);
            }
            sum = GPI(warp_scan)(sum, (int)lane, (int)valid);
            GP_TYPE before = GPI(shuffle_up)(sum, 1);
            if (lane)
                lanes_before[at * 32 + (int)lane] = before;
            if (lane + 1 == valid)
                pipeline->warp_sums[place.stage][q] = sum;
        }
        gpi_barrier_sync(1, 32 * GPI(pipeline_reducers)); /* warp_sums are complete */
        if (reducer == 0) {
            GP_TYPE sum = pipeline->warp_sums[place.stage][(int)lane < warp_tiles ? (int)lane : 0];

            sum = GPI(warp_scan)(sum, (int)lane, warp_tiles);
            GP_TYPE before = GPI(shuffle_up)(sum, 1);
            if (lane + 1 == GPI(warp_tiles) && tile + 1 < job->tiles)
                GPI(publish)(states, tile, sum, pipeline->epoch);
            if (lane && (int)lane < warp_tiles)
                pipeline->warps_before[place.stage][lane] = before;
        }
        gpi_mbarrier_arrive(&pipeline->ready[place.stage]);
        gpi_pipeline_advance(&place, GPI(pipeline_stages));
    }
}

/*
 * Finds out what comes before each tile. The look-back warps fold a group each, and the first of them adds the
 * groups up. They begin when the tile has come: most of those before it have then been published.
 */
GPI_DEVICE void GPI(pipeline_look_back)(const GPI(job) *job, GPI(pipeline) *pipeline, unsigned look_back_warp,
                                        unsigned look_back_warps, unsigned lane, GPI_CONTEXT context)
{
    GPI(look) look = {job->start.before, job->start.has_before, 0};
    gpi_pipeline_place place = {0, 0};
    unsigned round = 0;

    for (;;) {
        gpi_mbarrier_wait(&pipeline->full[place.stage], place.parity);
        size_t tile = pipeline->tile[place.stage];
        if (tile == GPI_NO_TILE)
            return;
        size_t own = tile / GPI_GROUP_TILES, end = (tile + GPI_GROUP_TILES - 1) / GPI_GROUP_TILES;
        GPI(look) before = look;

        while (before.group < end) {
            size_t first = before.group;

            if (first + look_back_warp < end) {
                GP_TYPE x = GPI(fold_group)(job, first + look_back_warp, tile, lane, pipeline->epoch, context);

                if (lane == 0)
                    pipeline->group_sums[round % 2][look_back_warp] = x;
            }
            gpi_barrier_sync(2, 32 * look_back_warps); /* group_sums are complete */
            while (before.group < end && before.group < first + look_back_warps) {
                if (before.group == own)
                    look = before; /* the own group is not complete */
                GPI(look_back_add)(&before, pipeline->group_sums[round % 2][before.group - first]);
            }
            round++; /* the other group_sums: these are read until everybody has been at the next barrier */
        }
        if (end == own)
            look = before;
        if (look_back_warp == 0 && lane == 0) {
            pipeline->tiles_before[place.stage] = before.sum;
            pipeline->has_tiles_before[place.stage] = before.has_sum;
        }
        gpi_mbarrier_arrive(&pipeline->ready[place.stage]);
        gpi_pipeline_advance(&place, GPI(pipeline_stages));
    }
}

/* Scans a warp tile of each tile in its slot and sends it off. */
GPI_DEVICE void GPI(pipeline_scan)(const GPI(job) *job, GPI(pipeline) *pipeline, char *stages,
                                   const GP_TYPE *lanes_before, unsigned q, unsigned lane,
                                   GPI_CONTEXT context)
{
    gpi_pipeline_place place = {0, 0};
    int previous = -1;

    for (;;) {
        gpi_mbarrier_wait(&pipeline->full[place.stage], place.parity);
        uint32_t tile = pipeline->tile[place.stage];
        if (tile == GPI_NO_TILE)
            break;
        size_t warp_tile = (size_t)tile * GPI(warp_tiles) + q;
        unsigned n = q < GPI(warp_tiles) ? GPI(warp_tile_items)(job->n, warp_tile) : 0;
        int at = place.stage * GPI(warp_tiles) + (n ? (int)q : 0);
        char *slot = stages + at * GPI(slot_bytes);
        unsigned misalignment = gpi_misalignment(job->in + warp_tile * GPI(warp_tile_n));
        GP_TYPE *out = job->out + warp_tile * GPI(warp_tile_n);
        GPI(thread_items) regs;

        if (n == GPI(warp_tile_n))
            GPI(thread_read)(&regs, slot, misalignment, lane, context);
        if (previous >= 0) { /* by now the tile before has left its stage */
            if (lane == 0)
                gpi_bulk_wait_read(0);
            __syncwarp(); /* it has */
            gpi_mbarrier_arrive(&pipeline->empty[previous]);
        }
        __syncwarp(); /* everybody has read the slot */
        gpi_mbarrier_wait(&pipeline->ready[place.stage], place.parity);
        if (n) {
            int has_tiles = pipeline->has_tiles_before[place.stage];
            int has_prefix = has_tiles || q > 0 || lane > 0;
            GP_TYPE prefix = pipeline->tiles_before[place.stage];
            if (lane * GPI(thread_n) < n)
                prefix = GPI(lane)(prefix, has_tiles, pipeline->warps_before[place.stage][q], q > 0,
                                   lanes_before[at * 32 + (int)lane], lane > 0);

            if (n == GPI(warp_tile_n)) {
                GPI(thread_scan)(&regs, prefix, has_prefix, job->start.exclusive);
                GPI(thread_write)(&regs, slot, gpi_misalignment(out), lane);
                gpi_fence_async();
                __syncwarp(); /* the results are in the slot */
                gpi_store_bulk((char *)out, slot, GPI(warp_tile_n) * sizeof(GP_TYPE), lane);
            } else {
                GPI(edge)(slot + misalignment, out, n, lane, prefix, has_prefix, job->start.exclusive,
                          context);
            }
        }
        __syncwarp(); /* the ends have left the slot */
        previous = place.stage;
        gpi_pipeline_advance(&place, GPI(pipeline_stages));
    }
    if (lane == 0)
        gpi_bulk_wait(0);
}
#endif

static __global__ void __launch_bounds__(32 * (GPI(pipeline_others) + GPI(pipeline_look_back_warps)), 1)
    GPI(pipelined_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_SM90_CODE
    GP_DYNAMIC_SHARED(char, stages);
    GP_SHARED(GPI(pipeline), pipeline);
    GP_TYPE *lanes_before = (GP_TYPE *)(stages + (int)GPI(pipeline_stages) * GPI(warp_tiles) * GPI(slot_bytes));
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned look_back_warps = blockDim.x / 32 - GPI(pipeline_others);

    if (!GPI_PIPELINE_SERVES)
        return;
    if (threadIdx.x == 0) {
        for (int s = 0; s < GPI(pipeline_stages); s++) {
            gpi_mbarrier_init(&pipeline.full[s], GPI(warp_tiles) + 1);
            gpi_mbarrier_init(&pipeline.ready[s], 32 * (look_back_warps + GPI(pipeline_reducers)));
            gpi_mbarrier_init(&pipeline.empty[s], 32 * GPI(pipeline_scanners));
        }
        gpi_mbarrier_init_fence();
    }
    if (warp == 0 && job.tiles > GPI(pipeline_stages) * gridDim.x) /* what the pipelines hold may well be in the L2 */
        GPI(pipeline_ask)(&job, lane);
    gpi_grid_wait();
    gpi_grid_launch_next();
    __syncthreads(); /* the mbarriers are there */
    if (warp == 0)
        GPI(pipeline_load)(&job, &pipeline, stages, lane);
    else if (warp < 1 + GPI(pipeline_reducers))
        GPI(pipeline_reduce)(&job, &pipeline, stages, lanes_before, warp - 1, lane, context);
    else if (warp < GPI(pipeline_others))
        GPI(pipeline_scan)(&job, &pipeline, stages, lanes_before, warp - 1 - GPI(pipeline_reducers), lane, context);
    else
        GPI(pipeline_look_back)(&job, &pipeline, warp - GPI(pipeline_others), look_back_warps, lane, context);
#endif
}
