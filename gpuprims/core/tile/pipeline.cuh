/*
 * core/tile/pipeline.cuh: one pass over tiles that depend on those before them, for large inputs on sm_90 and newer.
 * One persistent block on each multiprocessor; each of its warps has one part of the work, and tiles go round a ring
 * of stages in shared memory:
 *
 *     1 load warp         takes a tile, and starts the bulk copies of its warp tiles into a stage: the first ones by
 *                         the block's number, unless in place, the others by tickets
 *     sum warps           sum up warp tiles                                       full    to  summed
 *     1 publish warp      sums up the tile, and publishes it                      summed  to  ready
 *     look-back warps     add up all tiles before                                 full    to  ready
 *     write warps         a team with a warp for each warp tile writes the tile   ready   to  empty
 *
 * They synchronise through mbarriers alone. Every lane arrives for itself, so that racecheck sees the order, too.
 *
 * Needs from the primitive, besides core/tile/look_back.cuh, where a job also has last_warp_tiles, those of its last
 * tile:
 *
 *     GPI(max_stages), GPI(sum_warps), GPI(teams), GPI(look_back_warps)   constants; with more sum warps than warp
 *                          tiles, a multiple, they are teams, too
 *     GPI(stage)           a constant: bytes of a stage; with GPI_STAGES_VARY instead, of a job, GPI(stages), how many
 *                          there are, and GPI(stage_bytes)
 *     GPI(rounds)          of a job: tiles that a block takes by its number
 *     GPI(arrivals)        of a job: at `full`, for each warp tile: its parts, such as keys and items; with all warp
 *                          tiles 31 at most
 *     GPI(look_start)      of a job: what is before the first tile
 *     GPI(first_tiles)     of a job: how many first tiles are summed up before anything is written
 *     GPI(all_tiles)       from that sum to the one that the write warps see
 *     GPI(waits_late)      of a job: the load warp starts while the launch before still runs
 *     GPI(stage_copy)      the copy of a part of a warp tile to a stage; of no bytes if there is nothing to copy
 *     GPI(sum_warp_tile)   one warp: sums up a warp tile; leaves in the stage what writing it needs
 *     GPI(held)            what a write warp keeps in registers while it waits for the tiles before
 *     GPI(take_warp_tile)  one warp: takes a warp tile into registers, and tells whether anything is written
 *     GPI(put_warp_tile)   one warp: writes it, and tells whether bulk copies from the stage are under way
 *     GPI_STAGES_LOOK_UP   a macro, if GPI(stage_copy) takes what GPI(look_up) has read for a tile: a
 *                          GPI(looked_up)
 *     GPI_TILES_BY_TICKET  a macro, if not even the first tiles go by the block's number, and none is prefetched
 *     GPI(pipeline_bytes)  a constant: of dynamic shared memory
 *     GPI(shared)          a type: what else a block shares; GPI(share), called by all threads, sets it up
 *
 * Included by a primitive once.
 */
enum {
    GPI(writers) = (int)GPI(warp_tiles) * (int)GPI(teams),
    GPI(sum_teams) = (int)GPI(sum_warps) > (int)GPI(warp_tiles) ? (int)GPI(sum_warps) / (int)GPI(warp_tiles) : 1,
    GPI(most_teams) = (int)GPI(sum_teams) > (int)GPI(teams) ? (int)GPI(sum_teams) : (int)GPI(teams),
    GPI(pipeline_others) = 2 + (int)GPI(sum_warps) + GPI(writers), /* than look-back warps */
    GPI(pipeline_warps) = GPI(pipeline_others) + (int)GPI(look_back_warps)
};

/* A stage is full, summed, ready (what comes before its warp tiles is known) and empty again. */
typedef struct {
    GPI(shared) shared;
    uint64_t full[GPI(max_stages)], summed[GPI(max_stages)], ready[GPI(max_stages)], empty[GPI(max_stages)];
    GPI(total) before[GPI(max_stages)], all; /* of the tiles before, and of the first ones */
    int has_before[GPI(max_stages)];
    uint32_t tile[GPI(max_stages)], epoch;
    GPI(sum) warp_sums[GPI(max_stages)][GPI(warp_tiles)];
    GPI(sum) through_warp[GPI(max_stages)][GPI(warp_tiles)]; /* the warp tiles of a tile up to each */
    GPI(sum) group_sums[2][GPI(look_back_warps)];
} GPI(pipeline);

#ifdef GPI_STAGES_LOOK_UP
#define GPI_LOOKED_UP(ahead) , ahead
#else
#define GPI_LOOKED_UP(ahead)
#endif

#if GPI_SM90_CODE
#ifndef GPI_STAGES_VARY
GPI_DEVICE int GPI(stages)(const GPI(job) *job)
{
    (void)job;
    return GPI(max_stages);
}

GPI_DEVICE int GPI(stage_bytes)(const GPI(job) *job)
{
    (void)job;
    return GPI(stage);
}
#endif

#ifndef GPI_TILES_BY_TICKET
/* Prefetches the first tiles, while the kernel before may still write them: the L2 stays coherent. */
GPI_DEVICE void GPI(pipeline_prefetch)(const GPI(job) *job, char *stages, unsigned lane)
{
    const unsigned q = lane % GPI(warp_tiles), part = lane / GPI(warp_tiles);

    GPI_NO_UNROLL
    for (unsigned k = 0; k < GPI_PIPELINE_COMING && part < GPI(arrivals)(job); k++) {
        const size_t tile = (size_t)k * gridDim.x + blockIdx.x;
        const gpi_copy copy = GPI(stage_copy)(job, tile * GPI(warp_tiles) + q, stages, q, part);

        if (copy.bytes)
            gpi_prefetch_bulk(copy.from, copy.bytes, copy.array);
    }
}
#endif

/* Takes tiles and starts their copies, as stages become empty. */
GPI_DEVICE void GPI(pipeline_load)(const GPI(job) *job, GPI(pipeline) *pipeline, char *stages, unsigned lane)
{
    gpi_tile_source source = gpi_open_source(job->head, GPI(rounds)(job), lane);
    gpi_pipeline_place place = {0, 0}, coming = {0, 0};
    const unsigned q = lane % GPI(warp_tiles), part = lane / GPI(warp_tiles); /* lanes work side by side */

    for (int k = 0, ends = 0; ends < GPI(most_teams); k++) { /* every team gets a stage without a tile */
        const uint32_t tile = gpi_next_tile(&source);
        uint64_t *full = &pipeline->full[place.stage];
#ifdef GPI_STAGES_LOOK_UP
        const GPI(looked_up) ahead = GPI(look_up)(job, tile); /* comes during the waits */
#endif

        if (k >= GPI_PIPELINE_COMING) { /* an earlier tile is needed first */
            gpi_mbarrier_wait(&pipeline->full[coming.stage], coming.parity);
            gpi_pipeline_advance(&coming, GPI(stages)(job));
        }
        if (k >= GPI(stages)(job))
            gpi_mbarrier_wait(&pipeline->empty[place.stage], place.parity ^ 1);
        if (lane == 31 && tile < job->tiles)
            gpi_draw_ahead(&source, job->head);
        if (part < GPI(arrivals)(job)) {
            const gpi_copy copy = GPI(stage_copy)(job, (size_t)tile * GPI(warp_tiles) + q,
                                                  stages + place.stage * GPI(stage_bytes)(job), q,
                                                  part GPI_LOOKED_UP(&ahead));

            if (copy.bytes)
                gpi_fetch_bulk(copy.to, copy.from, copy.bytes, copy.array, full);
            else
                gpi_mbarrier_arrive(full);
        }
        __syncwarp(); /* the copies are under way before the ticket is waited for */
        if (lane == 31) {
            if (k == 0)
                pipeline->epoch = gpi_ticket_epoch(source.ticket);
            pipeline->tile[place.stage] = tile < job->tiles ? tile : GPI_NO_TILE;
            gpi_mbarrier_arrive(full);
        }
        ends += tile >= job->tiles;
        gpi_pipeline_advance(&place, GPI(stages)(job));
    }
    if (GPI(waits_late)(job))
        gpi_grid_wait(); /* the launch before uses the head as well */
    if (lane == 31)
        gpi_finish_launch(job->head, gpi_ticket_epoch(source.ticket), gpi_check_out(job->head));
}

/* Sums up some warp tiles of each tile of the team. */
GPI_DEVICE void GPI(pipeline_sum)(const GPI(job) *job, GPI(pipeline) *pipeline, char *stages, unsigned sum_warp,
                                  unsigned lane, GPI_CONTEXT context)
{
    const unsigned warps = (unsigned)GPI(sum_warps) / (unsigned)GPI(sum_teams); /* of a team */
    const unsigned team = GPI(sum_teams) > 1 ? sum_warp / warps : 0;
    gpi_pipeline_place place = {(int)team, 0};

    for (;;) {
        gpi_mbarrier_wait(&pipeline->full[place.stage], place.parity);
        const uint32_t tile = pipeline->tile[place.stage];
        if (tile == GPI_NO_TILE)
            return;
        const unsigned warp_tiles = tile + 1 < job->tiles ? (unsigned)GPI(warp_tiles) : job->last_warp_tiles;
        for (unsigned q = sum_warp - team * warps; q < warp_tiles; q += warps)
            GPI(sum_warp_tile)(job, (size_t)tile * GPI(warp_tiles) + q, stages + place.stage * GPI(stage_bytes)(job), q,
                               &pipeline->warp_sums[place.stage][q], lane, context);
        gpi_mbarrier_arrive(&pipeline->summed[place.stage]);
        for (int t = 0; t < GPI(sum_teams); t++)
            gpi_pipeline_advance(&place, GPI(stages)(job));
    }
}

/* Sums up tiles, and publishes them. */
GPI_DEVICE void GPI(pipeline_publish)(const GPI(job) *job, GPI(pipeline) *pipeline, unsigned lane)
{
    gpi_pipeline_place place = {0, 0};

    for (;;) {
        gpi_mbarrier_wait(&pipeline->full[place.stage], place.parity);
        const uint32_t tile = pipeline->tile[place.stage];
        if (tile == GPI_NO_TILE)
            return;
        gpi_mbarrier_wait(&pipeline->summed[place.stage], place.parity);
        const unsigned warp_tiles = tile + 1 < job->tiles ? (unsigned)GPI(warp_tiles) : job->last_warp_tiles;
        GPI(sum) sum = pipeline->warp_sums[place.stage][lane < warp_tiles ? lane : 0];

        sum = GPI(warp_scan)(sum, (int)lane, (int)warp_tiles);
        if (lane + 1 == warp_tiles && (tile + 1 < job->tiles || GPI(first_tiles)(job)))
            GPI(publish_tile)(job, tile, sum, pipeline->epoch);
        if (lane < warp_tiles)
            pipeline->through_warp[place.stage][lane] = sum;
        gpi_mbarrier_arrive(&pipeline->ready[place.stage]);
        gpi_pipeline_advance(&place, GPI(stages)(job));
    }
}

/*
 * All tiles before `tile`; *known is brought up to its group. The look-back warps sum up a group each, and each of them
 * adds the groups up.
 */
GPI_DEVICE GPI(look) GPI(pipeline_add)(const GPI(job) *job, GPI(pipeline) *pipeline, GPI(look) *known, uint32_t tile,
                                       unsigned *round, unsigned look_back_warp, unsigned lane, GPI_CONTEXT context)
{
    const uint32_t end = (tile + GPI(group_tiles) - 1) / GPI(group_tiles);
    GPI(look) before = *known;

    while (before.group < end) {
        GPI(sum) *sums = pipeline->group_sums[*round % 2];

        if (before.group + look_back_warp < end) {
            GPI(sum) sum = GPI(sum_group)(job, before.group + look_back_warp, tile, lane, pipeline->epoch, context);

            if (lane == 0)
                sums[look_back_warp] = sum;
        }
        gpi_barrier_sync(2, 32 * (int)GPI(look_back_warps)); /* group_sums are complete */
        GPI(look_add_groups)(&before, known, tile, sums, gpi_min(end - before.group, (unsigned)GPI(look_back_warps)));
        ++*round; /* the other group_sums: these are read until all warps have passed the next barrier */
    }
    return before;
}

/* Finds out what comes before each tile, and at first what the first tiles sum up to, if that is needed. */
GPI_DEVICE void GPI(pipeline_look_back)(const GPI(job) *job, GPI(pipeline) *pipeline, unsigned look_back_warp,
                                        unsigned lane, GPI_CONTEXT context)
{
    GPI(look) known = GPI(look_start)(job);
    gpi_pipeline_place place = {0, 0};
    unsigned round = 0;

    for (int k = 0;; k++) {
        gpi_mbarrier_wait(&pipeline->full[place.stage], place.parity);
        const uint32_t tile = pipeline->tile[place.stage];
        if (tile == GPI_NO_TILE)
            return;
        GPI_NO_UNROLL
        for (int first = k == 0 && GPI(first_tiles)(job); first >= 0; first--) { /* one copy of the code for both */
            GPI(look) from = known;
            GPI(look) sum = GPI(pipeline_add)(job, pipeline, &from, first ? GPI(first_tiles)(job) : tile, &round,
                                              look_back_warp, lane, context);

            if (first) {
                sum.sum = GPI(all_tiles)(job, sum.sum);
                if (look_back_warp == 0 && lane == 0)
                    pipeline->all = sum.sum;
                continue;
            }
            known = from;
            if (look_back_warp == 0 && lane == 0) {
                pipeline->before[place.stage] = sum.sum;
                pipeline->has_before[place.stage] = sum.has_sum;
            }
        }
        gpi_mbarrier_arrive(&pipeline->ready[place.stage]);
        gpi_pipeline_advance(&place, GPI(stages)(job));
    }
}

/* Writes a warp tile of each tile of the team. */
GPI_DEVICE void GPI(pipeline_write)(const GPI(job) *job, GPI(pipeline) *pipeline, char *stages, unsigned writer,
                                    unsigned lane, GPI_CONTEXT context)
{
    const unsigned q = writer % GPI(warp_tiles), team = writer / GPI(warp_tiles);
    gpi_pipeline_place place = {(int)team, 0}; /* there are more stages than teams */
    int previous = -1;

    for (;;) {
        gpi_mbarrier_wait(&pipeline->full[place.stage], place.parity);
        const uint32_t tile = pipeline->tile[place.stage];
        if (tile == GPI_NO_TILE)
            break;
        const size_t warp_tile = (size_t)tile * GPI(warp_tiles) + q;
        char *stage = stages + place.stage * GPI(stage_bytes)(job);
        GPI(held) held;

        GPI_UNDEFINED(held);
        gpi_mbarrier_wait(&pipeline->summed[place.stage], place.parity);
        const int writes =
            GPI(take_warp_tile)(job, &held, warp_tile, stage, q, pipeline->warp_sums[place.stage][q], lane, context);
        if (previous >= 0) { /* the tile before has most likely left its stage */
            if (lane == 0)
                gpi_bulk_wait_read(0);
            __syncwarp(); /* it has left */
            gpi_mbarrier_arrive(&pipeline->empty[previous]);
        }
        __syncwarp(); /* all lanes have read the slot */
        gpi_mbarrier_wait(&pipeline->ready[place.stage], place.parity);
        int copies = 0;
        if (writes) {
            GPI(before) before;

            before.tiles = pipeline->before[place.stage];
            before.has_tiles = pipeline->has_before[place.stage];
            before.has_warps = q > 0;
            before.warps = pipeline->through_warp[place.stage][q ? q - 1 : 0];
            before.all = pipeline->all;
            copies = GPI(put_warp_tile)(job, &pipeline->shared, &held, &before, warp_tile, stage, q, lane, context);
            __syncwarp(); /* the warp has left the slot */
        }
        previous = copies ? place.stage : -1;
        if (!copies)
            gpi_mbarrier_arrive(&pipeline->empty[place.stage]); /* at once: no copy has to end */
        for (int t = 0; t < GPI(teams); t++)
            gpi_pipeline_advance(&place, GPI(stages)(job));
    }
    if (lane == 0)
        gpi_bulk_wait(0);
    if (GPI(most_teams) > 1 && previous >= 0) { /* the other team's stage without a tile may be this one */
        __syncwarp();                      /* the last tile has left it */
        gpi_mbarrier_arrive(&pipeline->empty[previous]);
    }
}
#endif

static __global__ void __launch_bounds__(32 * GPI(pipeline_warps), 1)
    GPI(pipelined_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_SM90_CODE
    GP_DYNAMIC_SHARED(char, stages);
    GP_SHARED(GPI(pipeline), pipeline);
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    if (!GPI_PIPELINE_SERVES)
        return;
    GPI(share)(&pipeline.shared);
    if (threadIdx.x == 0) {
        memset((void *)&pipeline.all, 0, sizeof pipeline.all); /* read even where no tiles come first */
        for (int s = 0; s < GPI(stages)(&job); s++) {
            gpi_mbarrier_init(&pipeline.full[s], GPI(warp_tiles) * GPI(arrivals)(&job) + 1);
            gpi_mbarrier_init(&pipeline.summed[s], 32 * (int)GPI(sum_warps) / (int)GPI(sum_teams));
            gpi_mbarrier_init(&pipeline.ready[s], 32 * ((int)GPI(look_back_warps) + 1));
            gpi_mbarrier_init(&pipeline.empty[s], 32 * GPI(warp_tiles));
        }
        gpi_mbarrier_init_fence();
    }
#ifndef GPI_TILES_BY_TICKET
    if (warp == 0 && job.tiles > GPI(max_stages) * gridDim.x) /* a small input may well be in the L2 */
        GPI(pipeline_prefetch)(&job, stages, lane);
#endif
    if (!GPI(waits_late)(&job))
        gpi_grid_wait();
    gpi_grid_launch_next();
    __syncthreads(); /* the pipeline is there */
    if (warp == 0)
        GPI(pipeline_load)(&job, &pipeline, stages, lane);
    else if (warp == 1)
        GPI(pipeline_publish)(&job, &pipeline, lane);
    else if (warp < 2 + GPI(sum_warps))
        GPI(pipeline_sum)(&job, &pipeline, stages, warp - 2, lane, context);
    else if (warp < GPI(pipeline_others))
        GPI(pipeline_write)(&job, &pipeline, stages, warp - 2 - GPI(sum_warps), lane, context);
    else
        GPI(pipeline_look_back)(&job, &pipeline, warp - GPI(pipeline_others), lane, context);
#endif
}

/* Whether a launch of so many tiles goes through the pipeline: if it is large, and there is room. */
static inline int GPI(runs_pipelined)(int is_large, unsigned tiles)
{
    static signed char known[GPI_DEVICES];

    return GPI_PIPELINE_SERVES && (GP_KERNEL || is_large) && tiles > 1 &&
           gpi_kernel_ready((const void *)GPI(pipelined_kernel), GPI(pipeline_bytes), known) >=
               (GPI_KERNEL_FITS | GPI_KERNEL_SM90);
}

static inline cudaError_t GPI(launch_pipelined)(GPI(job) job, unsigned blocks, GPI_CONTEXT context, cudaStream_t stream)
{
    return GPI_LAUNCH_DEPENDENT(1, GPI(pipelined_kernel), blocks, 32 * GPI(pipeline_warps), GPI(pipeline_bytes), stream,
                                job, context);
}

#undef GPI_LOOKED_UP
