/*
 * core/compact/pipelined.cuh: the compaction of large inputs on sm_90 and newer. One persistent block on each
 * multiprocessor; each of its warps has one part of the work, and tiles go round a ring of stages in shared
 * memory:
 *
 *     1 load warp        takes a tile, and starts the bulk copies of its chunks into a stage: the first ones
 *                        by the block's number, unless in place, the others by tickets
 *     count warps        choose items of a chunk each, and leave the choice in the stage
 *     1 publish warp     adds the chunks up and publishes the tile's count
 *     look warps         add up the counts of all tiles before
 *     teams of 8         put the chosen items of a chunk together, in its slot, and start the bulk copy to
 *     write warps        where they go; with two teams each has every other tile
 *
 * They meet at mbarriers, at which every lane arrives for itself: so the order of what it has read and
 * written is plain to see, for tools as well.
 *
 * Part of compact.cuh; not to be included directly.
 */
enum {
    GPI(lookers) = sizeof(GP_TYPE) == 1 ? GPI_TUNE_COMPACT_BYTE_LOOKERS : GPI_TUNE_COMPACT_LOOKERS,
    GPI(counters) = sizeof(GP_TYPE) == 1 ? GPI_TUNE_COMPACT_BYTE_COUNTERS : GPI_TUNE_COMPACT_COUNTERS,
    GPI(teams) = sizeof(GP_TYPE) == 1 ? GPI_TUNE_COMPACT_BYTE_TEAMS : 1,
    GPI(writers) = (int)GPI(tile_chunks) * GPI(teams),
    GPI(ring_threads) = 32 * (2 + GPI(lookers) + GPI(counters) + GPI(writers))
};

#define GPI_COMPACT_FIT(bytes)                                                         \
    (GPI_RING_ROOM / (bytes) < 2                         ? 2                           \
     : GPI_RING_ROOM / (bytes) < GPI_TUNE_COMPACT_STAGES ? GPI_RING_ROOM / (bytes)     \
                                                         : GPI_TUNE_COMPACT_STAGES)

/* A stage has a slot for each chunk, the lanes' choices and ranks, and with flags a slot for these. */
enum {
    GPI(stage) = (int)GPI(tile_chunks) * (GPI(slot) + 128 * (GPI(bits) + 1)),
    GPI(flag_stage) = GPI(stage) + (int)GPI(tile_chunks) * GPI(flag_slot),
    GPI(stages) = GPI_COMPACT_FIT(GPI(stage)),
    GPI(flag_stages) = GPI_COMPACT_FIT(GPI(flag_stage)),
    GPI(ring_bytes) =
        GPI(stages) * GPI(stage) > GPI(flag_stages) * GPI(flag_stage)
            ? GPI(stages) * GPI(stage)
            : GPI(flag_stages) * GPI(flag_stage)
};

/* A stage is full, counted, ready (what comes before its chunks is known) and empty again. */
typedef struct {
    gpi_pack_table table;
    uint64_t full[GPI(stages)], counted[GPI(stages)];
    uint64_t ready[GPI(stages)], empty[GPI(stages)];
    uint64_t tiles_before[GPI(stages)], all_kept;
    uint32_t tile[GPI(stages)], epoch;
    uint32_t chunk_counts[GPI(stages)][GPI(tile_chunks)];
    uint32_t chunks_before[GPI(stages)][GPI(tile_chunks)];
    uint32_t group_sums[2][GPI(lookers)];
    int stages, stage_bytes; /* how many there are, and how large */
} GPI(ring);

/* Where a stage keeps a lane's choice in chunk q: GPI(bits) words, and its rank, 32 words apart. */
#define GPI_COMPACT_CHOICE(stage, q, lane)                                   \
    ((uint32_t *)(void *)((stage) + (int)GPI(tile_chunks) * GPI(slot)) +       \
     (q) * (32 * (GPI(bits) + 1)) + (lane))
#define GPI_COMPACT_FLAGS(stage, q) ((stage) + GPI(stage) + (q) * GPI(flag_slot))

/*
 * The launch before has counted part of the tiles, and waited for the launches before itself. Both read the input,
 * and run at the same time, until this one needs the count.
 */
#define GPI_COMPACT_IS_COUNTED(job) ((job)->own && (job)->own < (job)->tiles)

#if GPI_SM90_CODE
/* One thread: starts the copy of a chunk's items or flags; place 0 lies `phase` behind the slot's start. */
GPI_DEVICE void GPI(ring_fetch)(const void *in, size_t n, size_t size, GPI(part) part,
                                unsigned phase, char *slot, uint64_t *full)
{
    gpi_extent array = {(const char *)in, (const char *)in + n * size};
    const char *from = array.begin + (part.start + part.first) * size;

    if (part.last)
        gpi_fetch_bulk(slot + (phase + part.first * size - gpi_phase(from)), from,
                       (part.last - part.first) * (unsigned)size, array, full);
    else
        gpi_mbarrier_arrive(full);
}

/* Asks for the first tiles, while the kernel before may still write them. */
GPI_DEVICE void GPI(ring_ask)(const GPI(job) *job, unsigned lane)
{
    gpi_extent array = {(const char *)job->in, (const char *)(job->in + job->n)};

    for (unsigned k = 0; k < GPI_RING_COMING && lane < GPI(tile_chunks); k++) {
        GPI(part) part =
            GPI(cut)(job, ((size_t)k * gridDim.x + blockIdx.x) * GPI(tile_chunks) + lane);

        gpi_prefetch_chunk((const char *)(job->in + part.start + part.first),
                           (part.last - part.first) * (unsigned)sizeof(GP_TYPE), array);
    }
}

/* Takes tiles and starts their copies, as stages become empty. */
GPI_DEVICE void GPI(ring_load)(const GPI(job) *job, GPI(ring) *ring, char *stages,
                               unsigned lane)
{
    const int rounds = job->in_place ? 0 : job->own ? ring->stages : GPI_TUNE_COMPACT_ROUNDS;
    gpi_tile_source source = gpi_open_source(job->head, rounds, lane);
    gpi_ring_place place = {0, 0}, coming = {0, 0};

    for (int k = 0, ends = 0; ends < GPI(teams); k++) {
        uint32_t tile = gpi_next_tile(&source);
        char *stage = stages + place.stage * ring->stage_bytes;
        uint64_t *full = &ring->full[place.stage];
        const int draws = lane == 31 && tile < job->tiles, again = k >= ring->stages; /* the stage has been in use */

        if (lane == 31 && k == 0)
            ring->epoch = gpi_ticket_epoch(source.ticket);
        if (k >= GPI_RING_COMING) { /* until an earlier tile has come: it is needed first */
            gpi_mbarrier_wait(&ring->full[coming.stage], coming.parity);
            gpi_ring_advance(&coming, ring->stages);
        }
        if (again)
            gpi_mbarrier_wait(&ring->empty[place.stage], place.parity ^ 1);
        /* Before the copies only when the ring is full: tiles had better come in the order of their tickets. */
        if (draws && again)
            gpi_draw_ahead(&source, job->head);
        if (lane < GPI(tile_chunks)) {
            GPI(part) part = GPI(cut)(job, (size_t)tile * GPI(tile_chunks) + lane);

            GPI_NO_UNROLL
            for (int flags = job->flags != NULL; flags >= 0; flags--)
                GPI(ring_fetch)(
                    flags ? (const void *)job->flags : (const void *)job->in, job->n, flags ? 1 : sizeof(GP_TYPE),
                    part, flags ? GPI(flag_phase)(job, part) : GPI(phase)(job, part),
                    flags ? GPI_COMPACT_FLAGS(stage, lane) : stage + lane * GPI(slot), full);
        } else if (lane == 31) {
            ring->tile[place.stage] = tile < job->tiles ? tile : GPI_NO_TILE;
            gpi_mbarrier_arrive(full);
        }
        if (draws && !again)
            gpi_draw_ahead(&source, job->head);
        ends += tile >= job->tiles;
        gpi_ring_advance(&place, ring->stages);
    }
    if (GPI_COMPACT_IS_COUNTED(job))
        gpi_grid_wait(); /* the count uses the head as well */
    if (lane == 31)
        gpi_finish_launch(job->head, gpi_ticket_epoch(source.ticket), gpi_check_out(job->head));
}

/* Chooses from some chunks of each tile, and counts lanes and chunks. */
GPI_DEVICE void GPI(ring_count)(const GPI(job) *job, GPI(ring) *ring, char *stages,
                                unsigned counter, unsigned lane, GPI_CONTEXT context)
{
    gpi_ring_place place = {0, 0};

    for (;;) {
        char *stage = stages + place.stage * ring->stage_bytes;

        gpi_mbarrier_wait(&ring->full[place.stage], place.parity);
        uint32_t tile = ring->tile[place.stage];
        if (tile == GPI_NO_TILE)
            return;
        for (unsigned q = counter; q < GPI(tile_chunks); q += GPI(counters)) {
            GPI(part) part = GPI(cut)(job, (size_t)tile * GPI(tile_chunks) + q);
            char *slot = stage + q * GPI(slot);
            uint32_t *choice = GPI_COMPACT_CHOICE(stage, q, lane), keep[GPI(bits)];
            unsigned phase = GPI(phase)(job, part);
            GPI(run_t) run;

            if (part.last && GPI_COMPACT_IS_SHORT(part) && !job->flags)
                GPI(fill)(slot + phase, part, lane);
            if (sizeof(GP_TYPE) > 1 && !job->flags)
                GPI(run_read)(&run, slot, phase, lane, context);
            unsigned kept = GPI(choose)(keep, job, part, &run, slot + phase,
                                        GPI_COMPACT_FLAGS(stage, q), lane, context);
            unsigned sum = gpi_warp_prefix(kept, lane);
            GPI_UNROLL
            for (int w = 0; w < GPI(bits); w++)
                choice[w * 32] = keep[w];
            choice[GPI(bits) * 32] = sum - kept;
            if (lane == 31)
                ring->chunk_counts[place.stage][q] = sum;
        }
        gpi_mbarrier_arrive(&ring->counted[place.stage]);
        gpi_ring_advance(&place, ring->stages);
    }
}

/* Counts tiles and makes their counts known. */
GPI_DEVICE void GPI(ring_publish)(const GPI(job) *job, GPI(ring) *ring, unsigned lane)
{
    gpi_ring_place place = {0, 0};

    for (;;) {
        gpi_mbarrier_wait(&ring->full[place.stage], place.parity);
        uint32_t tile = ring->tile[place.stage];
        if (tile == GPI_NO_TILE)
            return;
        gpi_mbarrier_wait(&ring->counted[place.stage], place.parity);
        unsigned kept = lane < GPI(tile_chunks) ? ring->chunk_counts[place.stage][lane] : 0;
        unsigned sum = gpi_warp_prefix(kept, lane);

        if (lane == 31 && (tile + 1 < job->tiles || job->own))
            gpi_publish_count(job->head, tile, sum, ring->epoch, job->in_place);
        if (lane < GPI(tile_chunks))
            ring->chunks_before[place.stage][lane] = sum - kept;
        gpi_mbarrier_arrive(&ring->ready[place.stage]);
        gpi_ring_advance(&place, ring->stages);
    }
}

/*
 * What all tiles before `tile` keep; *known is brought up to its group. The look warps add up a group each, and
 * each of them the groups.
 */
GPI_DEVICE uint64_t GPI(ring_sum)(const GPI(job) *job, GPI(ring) *ring,
                                  gpi_counted *known, size_t tile, unsigned *round, unsigned looker,
                                  unsigned lane, GPI_CONTEXT context)
{
    size_t end = (tile + GPI_COUNT_GROUP - 1) / GPI_COUNT_GROUP;
    gpi_counted before = *known;

    while (before.group < end) {
        uint32_t *sums = ring->group_sums[*round % 2];
        size_t first = before.group;

        if (first + looker < end) {
            uint32_t sum = GPI(count_group)(job, first + looker, tile, lane, ring->epoch, context);

            if (lane == 0)
                sums[looker] = sum;
        }
        gpi_barrier_sync(2, 32 * GPI(lookers)); /* group_sums are complete */
        gpi_add_groups(&before, known, tile, sums, GPI(lookers), lane);
        ++*round; /* the other group_sums: these are read until everybody has been at the next barrier */
    }
    return before.sum;
}

/*
 * Finds out what is kept before each tile, and for a stable partition what is kept in all. That begins when the
 * tile has been counted: most of those before it have then been published.
 */
GPI_DEVICE void GPI(ring_look)(const GPI(job) *job, GPI(ring) *ring, unsigned looker,
                               unsigned lane, GPI_CONTEXT context)
{
    gpi_counted known = {0, 0};
    gpi_ring_place place = {0, 0};
    unsigned round = 0;

    for (int k = 0;; k++) {
        gpi_mbarrier_wait(&ring->full[place.stage], place.parity);
        size_t tile = ring->tile[place.stage];
        if (tile == GPI_NO_TILE)
            return;
        gpi_mbarrier_wait(&ring->counted[place.stage], place.parity);
        /* At first also of all tiles that the launch counts: in a loop, so that adding up is written out once. */
        GPI_NO_UNROLL
        for (int whole = 0; whole <= (k == 0 && job->own); whole++) {
            gpi_counted from = known;
            const size_t end = whole ? job->own : tile;
            const uint64_t sum = GPI(ring_sum)(job, ring, &from, end, &round, looker, lane, context);

            if (!whole)
                known = from;
            else if (GPI_COMPACT_IS_COUNTED(job))
                gpi_grid_wait(); /* the rest has been counted */
            if (looker == 0 && lane == 0) {
                if (whole)
                    ring->all_kept = sum + (GPI_COMPACT_IS_COUNTED(job) ? job->head->counted : 0);
                else
                    ring->tiles_before[place.stage] = sum;
            }
        }
        gpi_mbarrier_arrive(&ring->ready[place.stage]);
        gpi_ring_advance(&place, ring->stages);
    }
}

/* Writes a chunk of each tile of the team. */
GPI_DEVICE void GPI(ring_write)(const GPI(job) *job, GPI(ring) *ring, char *stages,
                                unsigned writer, unsigned lane, GPI_CONTEXT context)
{
    const unsigned q = writer % GPI(tile_chunks), team = writer / GPI(tile_chunks);
    gpi_ring_place place = {(int)team, 0}; /* there are more stages than teams */
    int previous = -1;

    for (;;) {
        gpi_mbarrier_wait(&ring->full[place.stage], place.parity);
        uint32_t tile = ring->tile[place.stage];
        if (tile == GPI_NO_TILE)
            break;
        GPI(part) part = GPI(cut)(job, (size_t)tile * GPI(tile_chunks) + q);
        char *stage = stages + place.stage * ring->stage_bytes, *slot = stage + q * GPI(slot);
        const uint32_t *choice = GPI_COMPACT_CHOICE(stage, q, lane);
        uint32_t keep[GPI(bits)];
        GPI(run_t) run;

        gpi_mbarrier_wait(&ring->counted[place.stage], place.parity);
        unsigned kept = ring->chunk_counts[place.stage][q];
        int writes = kept || (job->rejected != GPI_REJECTED_DROPPED && part.last);
        if (writes)
            GPI(run_read)(&run, slot, GPI(phase)(job, part), lane, context);
        if (previous >= 0) { /* by now the tile before has left its stage */
            if (lane == 0)
                gpi_bulk_wait_read(0);
            __syncwarp(); /* it has */
            gpi_mbarrier_arrive(&ring->empty[previous]);
        }
        __syncwarp(); /* everybody has read the slot */
        gpi_mbarrier_wait(&ring->ready[place.stage], place.parity);
        GPI_UNROLL
        for (int w = 0; w < GPI(bits); w++)
            keep[w] = choice[w * 32];
        unsigned rank = choice[GPI(bits) * 32];
        size_t before = (size_t)ring->tiles_before[place.stage] + ring->chunks_before[place.stage][q];
        if (tile + 1 == job->tiles && q + 1 == GPI(tile_chunks) && lane == 0)
            *job->count = before + kept;
        previous = place.stage;
        if (writes) {
            GPI(write)(job, part, slot, &run, keep, rank, kept, before, (size_t)ring->all_kept,
                       &ring->table, lane, 1);
            __syncwarp(); /* the ends have left the slot */
        } else {
            gpi_mbarrier_arrive(&ring->empty[place.stage]); /* at once: no copy has to end */
            previous = -1;
        }
        for (int t = 0; t < GPI(teams); t++)
            gpi_ring_advance(&place, ring->stages);
    }
    if (lane == 0)
        gpi_bulk_wait(0);
    __syncwarp(); /* the last tile has left its stage */
    if (previous >= 0)
        gpi_mbarrier_arrive(&ring->empty[previous]); /* the other team may still need it, to end */
}
#endif

static __global__ void __launch_bounds__(GPI(ring_threads), 1)
    GPI(ring_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_SM90_CODE
    GP_DYNAMIC_SHARED(char, stages);
    GP_SHARED(GPI(ring), ring);
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    if (sizeof(GP_TYPE) == 1 && threadIdx.x < 16)
        ring.table.entries[threadIdx.x] = gpi_pack_entry(threadIdx.x);
    if (threadIdx.x == 0) {
        ring.stages = job.flags ? GPI(flag_stages) : GPI(stages);
        ring.all_kept = 0;
        ring.stage_bytes = job.flags ? GPI(flag_stage) : GPI(stage);
        for (int s = 0; s < ring.stages; s++) {
            gpi_mbarrier_init(&ring.full[s], GPI(tile_chunks) * (job.flags ? 2 : 1) + 1);
            gpi_mbarrier_init(&ring.counted[s], 32 * GPI(counters));
            gpi_mbarrier_init(&ring.ready[s], 32 * (GPI(lookers) + 1));
            gpi_mbarrier_init(&ring.empty[s], 32 * GPI(tile_chunks));
        }
        gpi_mbarrier_init_fence();
    }
    if (warp == 0 && job.tiles > GPI(stages) * gridDim.x) /* what the rings hold may well be in the L2 */
        GPI(ring_ask)(&job, lane);
    if (!GPI_COMPACT_IS_COUNTED(&job))
        gpi_grid_wait();
    gpi_grid_launch_next();
    __syncthreads(); /* the ring is there */
    if (warp == 0)
        GPI(ring_load)(&job, &ring, stages, lane);
    else if (warp == 1)
        GPI(ring_publish)(&job, &ring, lane);
    else if (warp < 2 + GPI(lookers))
        GPI(ring_look)(&job, &ring, warp - 2, lane, context);
    else if (warp < 2 + GPI(lookers) + GPI(counters))
        GPI(ring_count)(&job, &ring, stages, warp - 2 - GPI(lookers), lane, context);
    else
        GPI(ring_write)(&job, &ring, stages, warp - 2 - GPI(lookers) - GPI(counters),
                        lane, context);
#endif
}

#undef GPI_COMPACT_FIT
#undef GPI_COMPACT_CHOICE
#undef GPI_COMPACT_FLAGS
#undef GPI_COMPACT_IS_COUNTED
