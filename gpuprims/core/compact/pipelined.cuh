/*
 * core/compact/pipelined.cuh: the compaction of large inputs on sm_90 and newer. One persistent block on each
 * multiprocessor; each of its warps has one part of the work, and tiles go round a ring of stages in shared
 * memory:
 *
 *     1 load warp        takes a tile, and starts the bulk copies of its warp tiles into a stage: the first ones
 *                        by the block's number, unless in place, the others by tickets
 *     count warps        choose items of a warp tile each, and leave the choice in the stage
 *     1 publish warp     adds the warp tiles up and publishes the tile's count
 *     look-back warps         add up the counts of all tiles before
 *     teams of 8         put the chosen items of a warp tile together, in its slot, and start the bulk copy to
 *     write warps        where they go; with two teams each has every other tile
 *
 * They meet at mbarriers, at which every lane arrives for itself: so the order of what it has read and
 * written is plain to see, for tools as well.
 *
 * Part of compact.cuh; not to be included directly.
 */
enum {
    GPI(look_back_warps) =
        sizeof(GP_TYPE) == 1 ? GPI_TUNE_COMPACT_BYTE_LOOK_BACK_WARPS : GPI_TUNE_COMPACT_LOOK_BACK_WARPS,
    GPI(counters) = sizeof(GP_TYPE) == 1 ? GPI_TUNE_COMPACT_BYTE_COUNTERS : GPI_TUNE_COMPACT_COUNTERS,
    GPI(teams) = sizeof(GP_TYPE) == 1 ? GPI_TUNE_COMPACT_BYTE_TEAMS : 1,
    GPI(writers) = (int)GPI(warp_tiles) * GPI(teams),
    GPI(pipeline_threads) = 32 * (2 + GPI(look_back_warps) + GPI(counters) + GPI(writers))
};

#define GPI_COMPACT_FIT(bytes)                                                         \
    (GPI_PIPELINE_ROOM / (bytes) < 2                         ? 2                       \
     : GPI_PIPELINE_ROOM / (bytes) < GPI_TUNE_COMPACT_STAGES ? GPI_PIPELINE_ROOM / (bytes) \
                                                         : GPI_TUNE_COMPACT_STAGES)

/* A stage has a slot for each warp tile, the lanes' choices and ranks, and with flags a slot for these. */
enum {
    GPI(stage) = (int)GPI(warp_tiles) * (GPI(slot) + 128 * (GPI(bits) + 1)),
    GPI(flag_stage) = GPI(stage) + (int)GPI(warp_tiles) * GPI(flag_slot),
    GPI(stages) = GPI_COMPACT_FIT(GPI(stage)),
    GPI(flag_stages) = GPI_COMPACT_FIT(GPI(flag_stage)),
    GPI(pipeline_bytes) =
        GPI(stages) * GPI(stage) > GPI(flag_stages) * GPI(flag_stage)
            ? GPI(stages) * GPI(stage)
            : GPI(flag_stages) * GPI(flag_stage)
};

/* A stage is full, counted, ready (what comes before its warp tiles is known) and empty again. */
typedef struct {
    gpi_pack_table table;
    uint64_t full[GPI(stages)], counted[GPI(stages)];
    uint64_t ready[GPI(stages)], empty[GPI(stages)];
    uint64_t tiles_before[GPI(stages)], all_kept;
    uint32_t tile[GPI(stages)], epoch;
    uint32_t warp_counts[GPI(stages)][GPI(warp_tiles)];
    uint32_t warps_before[GPI(stages)][GPI(warp_tiles)];
    uint32_t group_sums[2][GPI(look_back_warps)];
    int stages, stage_bytes; /* how many there are, and how large */
} GPI(pipeline);

/* Where a stage keeps a lane's choice in warp tile q: GPI(bits) words, and its rank, 32 words apart. */
#define GPI_COMPACT_CHOICE(stage, q, lane)                                   \
    ((uint32_t *)(void *)((stage) + (int)GPI(warp_tiles) * GPI(slot)) +       \
     (q) * (32 * (GPI(bits) + 1)) + (lane))
#define GPI_COMPACT_FLAGS(stage, q) ((stage) + GPI(stage) + (q) * GPI(flag_slot))

/*
 * The launch before has counted part of the tiles, and waited for the launches before itself. Both read the input,
 * and run at the same time, until this one needs the count.
 */
#define GPI_COMPACT_IS_COUNTED(job) ((job)->own && (job)->own < (job)->tiles)

#if GPI_SM90_CODE
/* One thread: starts the copy of a warp tile's items or flags; place 0 lies `misalignment` behind the slot's start. */
GPI_DEVICE void GPI(pipeline_fetch)(const void *in, size_t n, size_t size, GPI(part) part,
                                    unsigned misalignment, char *slot, uint64_t *full)
{
    gpi_extent array = {(const char *)in, (const char *)in + n * size};
    const char *from = array.begin + (part.start + part.first) * size;

    if (part.last)
        gpi_fetch_bulk(slot + (misalignment + part.first * size - gpi_misalignment(from)), from,
                       (part.last - part.first) * (unsigned)size, array, full);
    else
        gpi_mbarrier_arrive(full);
}

/* Asks for the first tiles, while the kernel before may still write them. */
GPI_DEVICE void GPI(pipeline_ask)(const GPI(job) *job, unsigned lane)
{
    gpi_extent array = {(const char *)job->in, (const char *)(job->in + job->n)};

    for (unsigned k = 0; k < GPI_PIPELINE_COMING && lane < GPI(warp_tiles); k++) {
        GPI(part) part =
            GPI(cut)(job, ((size_t)k * gridDim.x + blockIdx.x) * GPI(warp_tiles) + lane);

        gpi_prefetch_bulk((const char *)(job->in + part.start + part.first),
                           (part.last - part.first) * (unsigned)sizeof(GP_TYPE), array);
    }
}

/* Takes tiles and starts their copies, as stages become empty. */
GPI_DEVICE void GPI(pipeline_load)(const GPI(job) *job, GPI(pipeline) *pipeline, char *stages,
                                   unsigned lane)
{
    const int rounds = job->in_place ? 0 : job->own ? pipeline->stages : GPI_TUNE_COMPACT_ROUNDS;
    gpi_tile_source source = gpi_open_source(job->head, rounds, lane);
    gpi_pipeline_place place = {0, 0}, coming = {0, 0};

    for (int k = 0, ends = 0; ends < GPI(teams); k++) {
        uint32_t tile = gpi_next_tile(&source);
        char *stage = stages + place.stage * pipeline->stage_bytes;
        uint64_t *full = &pipeline->full[place.stage];
        const int draws = lane == 31 && tile < job->tiles,
                  again = k >= pipeline->stages; /* the stage has been in use */

        if (lane == 31 && k == 0)
            pipeline->epoch = gpi_ticket_epoch(source.ticket);
        if (k >= GPI_PIPELINE_COMING) { /* until an earlier tile has come: it is needed first */
            gpi_mbarrier_wait(&pipeline->full[coming.stage], coming.parity);
            gpi_pipeline_advance(&coming, pipeline->stages);
        }
        if (again)
            gpi_mbarrier_wait(&pipeline->empty[place.stage], place.parity ^ 1);
        /* Before the copies only when the pipeline is full: tiles had better come in the order of their tickets. */
        if (draws && again)
            gpi_draw_ahead(&source, job->head);
        if (lane < GPI(warp_tiles)) {
            GPI(part) part = GPI(cut)(job, (size_t)tile * GPI(warp_tiles) + lane);

            GPI_NO_UNROLL
            for (int flags = job->flags != NULL; flags >= 0; flags--)
                GPI(pipeline_fetch)(
                    flags ? (const void *)job->flags : (const void *)job->in, job->n, flags ? 1 : sizeof(GP_TYPE),
                    part, flags ? GPI(flag_misalignment)(job, part) : GPI(misalignment)(job, part),
                    flags ? GPI_COMPACT_FLAGS(stage, lane) : stage + lane * GPI(slot), full);
        } else if (lane == 31) {
            pipeline->tile[place.stage] = tile < job->tiles ? tile : GPI_NO_TILE;
            gpi_mbarrier_arrive(full);
        }
        if (draws && !again)
            gpi_draw_ahead(&source, job->head);
        ends += tile >= job->tiles;
        gpi_pipeline_advance(&place, pipeline->stages);
    }
    if (GPI_COMPACT_IS_COUNTED(job))
        gpi_grid_wait(); /* the count uses the head as well */
    if (lane == 31)
        gpi_finish_launch(job->head, gpi_ticket_epoch(source.ticket), gpi_check_out(job->head));
}

/* Chooses from some warp tiles of each tile, and counts lanes and warp tiles. */
GPI_DEVICE void GPI(pipeline_count)(const GPI(job) *job, GPI(pipeline) *pipeline, char *stages,
                                    unsigned counter, unsigned lane, GPI_CONTEXT context)
{
    gpi_pipeline_place place = {0, 0};

    for (;;) {
        char *stage = stages + place.stage * pipeline->stage_bytes;

        gpi_mbarrier_wait(&pipeline->full[place.stage], place.parity);
        uint32_t tile = pipeline->tile[place.stage];
        if (tile == GPI_NO_TILE)
            return;
        for (unsigned q = counter; q < GPI(warp_tiles); q += GPI(counters)) {
            GPI(part) part = GPI(cut)(job, (size_t)tile * GPI(warp_tiles) + q);
            char *slot = stage + q * GPI(slot);
            uint32_t *choice = GPI_COMPACT_CHOICE(stage, q, lane), keep[GPI(bits)];
            unsigned misalignment = GPI(misalignment)(job, part);
            GPI(thread_items) regs;

            if (part.last && GPI_COMPACT_IS_SHORT(part) && !job->flags)
                GPI(fill)(slot + misalignment, part, lane);
            if (sizeof(GP_TYPE) > 1 && !job->flags)
                GPI(thread_read)(&regs, slot, misalignment, lane, context);
            unsigned kept = GPI(choose)(keep, job, part, &regs, slot + misalignment,
                                        GPI_COMPACT_FLAGS(stage, q), lane, context);
            unsigned sum = gpi_warp_prefix(kept, lane);
            GPI_UNROLL
            for (int w = 0; w < GPI(bits); w++)
                choice[w * 32] = keep[w];
            choice[GPI(bits) * 32] = sum - kept;
            if (lane == 31)
                pipeline->warp_counts[place.stage][q] = sum;
        }
        gpi_mbarrier_arrive(&pipeline->counted[place.stage]);
        gpi_pipeline_advance(&place, pipeline->stages);
    }
}

/* Counts tiles and makes their counts known. */
GPI_DEVICE void GPI(pipeline_publish)(const GPI(job) *job, GPI(pipeline) *pipeline, unsigned lane)
{
    gpi_pipeline_place place = {0, 0};

    for (;;) {
        gpi_mbarrier_wait(&pipeline->full[place.stage], place.parity);
        uint32_t tile = pipeline->tile[place.stage];
        if (tile == GPI_NO_TILE)
            return;
        gpi_mbarrier_wait(&pipeline->counted[place.stage], place.parity);
        unsigned kept = lane < GPI(warp_tiles) ? pipeline->warp_counts[place.stage][lane] : 0;
        unsigned sum = gpi_warp_prefix(kept, lane);

        if (lane == 31 && (tile + 1 < job->tiles || job->own))
            gpi_publish_count(job->head, tile, sum, pipeline->epoch, job->in_place);
        if (lane < GPI(warp_tiles))
            pipeline->warps_before[place.stage][lane] = sum - kept;
        gpi_mbarrier_arrive(&pipeline->ready[place.stage]);
        gpi_pipeline_advance(&place, pipeline->stages);
    }
}

/*
 * What all tiles before `tile` keep; *known is brought up to its group. The look-back warps add up a group each, and
 * each of them the groups.
 */
GPI_DEVICE uint64_t GPI(pipeline_sum)(const GPI(job) *job, GPI(pipeline) *pipeline,
                                      gpi_counted *known, size_t tile, unsigned *round, unsigned look_back_warp,
                                      unsigned lane, GPI_CONTEXT context)
{
    size_t end = (tile + GPI_COUNT_GROUP - 1) / GPI_COUNT_GROUP;
    gpi_counted before = *known;

    while (before.group < end) {
        uint32_t *sums = pipeline->group_sums[*round % 2];
        size_t first = before.group;

        if (first + look_back_warp < end) {
            uint32_t sum = GPI(count_group)(job, first + look_back_warp, tile, lane, pipeline->epoch, context);

            if (lane == 0)
                sums[look_back_warp] = sum;
        }
        gpi_barrier_sync(2, 32 * GPI(look_back_warps)); /* group_sums are complete */
        gpi_add_groups(&before, known, tile, sums, GPI(look_back_warps), lane);
        ++*round; /* the other group_sums: these are read until everybody has been at the next barrier */
    }
    return before.sum;
}

/*
 * Finds out what is kept before each tile, and for a stable partition what is kept in all. That begins when the
 * tile has been counted: most of those before it have then been published.
 */
GPI_DEVICE void GPI(pipeline_look_back)(const GPI(job) *job, GPI(pipeline) *pipeline, unsigned look_back_warp,
                                        unsigned lane, GPI_CONTEXT context)
{
    gpi_counted known = {0, 0};
    gpi_pipeline_place place = {0, 0};
    unsigned round = 0;

    for (int k = 0;; k++) {
        gpi_mbarrier_wait(&pipeline->full[place.stage], place.parity);
        size_t tile = pipeline->tile[place.stage];
        if (tile == GPI_NO_TILE)
            return;
        gpi_mbarrier_wait(&pipeline->counted[place.stage], place.parity);
        /* At first also of all tiles that the launch counts: in a loop, so that adding up is written out once. */
        GPI_NO_UNROLL
        for (int whole = 0; whole <= (k == 0 && job->own); whole++) {
            gpi_counted from = known;
            const size_t end = whole ? job->own : tile;
            const uint64_t sum = GPI(pipeline_sum)(job, pipeline, &from, end, &round, look_back_warp, lane, context);

            if (!whole)
                known = from;
            else if (GPI_COMPACT_IS_COUNTED(job))
                gpi_grid_wait(); /* the rest has been counted */
            if (look_back_warp == 0 && lane == 0) {
                if (whole)
                    pipeline->all_kept = sum + (GPI_COMPACT_IS_COUNTED(job) ? job->head->counted : 0);
                else
                    pipeline->tiles_before[place.stage] = sum;
            }
        }
        gpi_mbarrier_arrive(&pipeline->ready[place.stage]);
        gpi_pipeline_advance(&place, pipeline->stages);
    }
}

/* Writes a warp tile of each tile of the team. */
GPI_DEVICE void GPI(pipeline_write)(const GPI(job) *job, GPI(pipeline) *pipeline, char *stages,
                                    unsigned writer, unsigned lane, GPI_CONTEXT context)
{
    const unsigned q = writer % GPI(warp_tiles), team = writer / GPI(warp_tiles);
    gpi_pipeline_place place = {(int)team, 0}; /* there are more stages than teams */
    int previous = -1;

    for (;;) {
        gpi_mbarrier_wait(&pipeline->full[place.stage], place.parity);
        uint32_t tile = pipeline->tile[place.stage];
        if (tile == GPI_NO_TILE)
            break;
        GPI(part) part = GPI(cut)(job, (size_t)tile * GPI(warp_tiles) + q);
        char *stage = stages + place.stage * pipeline->stage_bytes, *slot = stage + q * GPI(slot);
        const uint32_t *choice = GPI_COMPACT_CHOICE(stage, q, lane);
        uint32_t keep[GPI(bits)];
        GPI(thread_items) regs;

        gpi_mbarrier_wait(&pipeline->counted[place.stage], place.parity);
        unsigned kept = pipeline->warp_counts[place.stage][q];
        int writes = kept || (job->rejected != GPI_REJECTED_DROPPED && part.last);
        if (writes)
            GPI(thread_read)(&regs, slot, GPI(misalignment)(job, part), lane, context);
        if (previous >= 0) { /* by now the tile before has left its stage */
            if (lane == 0)
                gpi_bulk_wait_read(0);
            __syncwarp(); /* it has */
            gpi_mbarrier_arrive(&pipeline->empty[previous]);
        }
        __syncwarp(); /* everybody has read the slot */
        gpi_mbarrier_wait(&pipeline->ready[place.stage], place.parity);
        GPI_UNROLL
        for (int w = 0; w < GPI(bits); w++)
            keep[w] = choice[w * 32];
        unsigned rank = choice[GPI(bits) * 32];
        size_t before = (size_t)pipeline->tiles_before[place.stage] + pipeline->warps_before[place.stage][q];
        if (tile + 1 == job->tiles && q + 1 == GPI(warp_tiles) && lane == 0)
            *job->count = before + kept;
        previous = place.stage;
        if (writes) {
            GPI(write)(job, part, slot, &regs, keep, rank, kept, before, (size_t)pipeline->all_kept,
                       &pipeline->table, lane, 1);
            __syncwarp(); /* the ends have left the slot */
        } else {
            gpi_mbarrier_arrive(&pipeline->empty[place.stage]); /* at once: no copy has to end */
            previous = -1;
        }
        for (int t = 0; t < GPI(teams); t++)
            gpi_pipeline_advance(&place, pipeline->stages);
    }
    if (lane == 0)
        gpi_bulk_wait(0);
    __syncwarp(); /* the last tile has left its stage */
    if (previous >= 0)
        gpi_mbarrier_arrive(&pipeline->empty[previous]); /* the other team may still need it, to end */
}
#endif

static __global__ void __launch_bounds__(GPI(pipeline_threads), 1)
    GPI(pipelined_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_SM90_CODE
    GP_DYNAMIC_SHARED(char, stages);
    GP_SHARED(GPI(pipeline), pipeline);
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    if (sizeof(GP_TYPE) == 1 && threadIdx.x < 16)
        pipeline.table.entries[threadIdx.x] = gpi_pack_entry(threadIdx.x);
    if (threadIdx.x == 0) {
        pipeline.stages = job.flags ? GPI(flag_stages) : GPI(stages);
        pipeline.all_kept = 0;
        pipeline.stage_bytes = job.flags ? GPI(flag_stage) : GPI(stage);
        for (int s = 0; s < pipeline.stages; s++) {
            gpi_mbarrier_init(&pipeline.full[s], GPI(warp_tiles) * (job.flags ? 2 : 1) + 1);
            gpi_mbarrier_init(&pipeline.counted[s], 32 * GPI(counters));
            gpi_mbarrier_init(&pipeline.ready[s], 32 * (GPI(look_back_warps) + 1));
            gpi_mbarrier_init(&pipeline.empty[s], 32 * GPI(warp_tiles));
        }
        gpi_mbarrier_init_fence();
    }
    if (warp == 0 && job.tiles > GPI(stages) * gridDim.x) /* what the pipelines hold may well be in the L2 */
        GPI(pipeline_ask)(&job, lane);
    if (!GPI_COMPACT_IS_COUNTED(&job))
        gpi_grid_wait();
    gpi_grid_launch_next();
    __syncthreads(); /* the pipeline is there */
    if (warp == 0)
        GPI(pipeline_load)(&job, &pipeline, stages, lane);
    else if (warp == 1)
        GPI(pipeline_publish)(&job, &pipeline, lane);
    else if (warp < 2 + GPI(look_back_warps))
        GPI(pipeline_look_back)(&job, &pipeline, warp - 2, lane, context);
    else if (warp < 2 + GPI(look_back_warps) + GPI(counters))
        GPI(pipeline_count)(&job, &pipeline, stages, warp - 2 - GPI(look_back_warps), lane, context);
    else
        GPI(pipeline_write)(&job, &pipeline, stages, warp - 2 - GPI(look_back_warps) - GPI(counters),
                            lane, context);
#endif
}

#undef GPI_COMPACT_FIT
#undef GPI_COMPACT_CHOICE
#undef GPI_COMPACT_FLAGS
#undef GPI_COMPACT_IS_COUNTED
