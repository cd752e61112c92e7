/*
 * core/compact_ring.cuh: the compaction of large inputs on sm_90 and newer. One persistent block on each
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
#define GPI_COMPACT_LOOKERS GPI(lookers)
#define GPI_COMPACT_COUNTERS GPI(counters)
#define GPI_COMPACT_TEAMS GPI(teams)
#define GPI_COMPACT_WRITERS GPI(writers)
#define GPI_COMPACT_RING_THREADS GPI(ring_threads)
enum {
    GPI_COMPACT_LOOKERS = sizeof(GP_TYPE) == 1 ? GPI_TUNE_COMPACT_BYTE_LOOKERS : GPI_TUNE_COMPACT_LOOKERS,
    GPI_COMPACT_COUNTERS = sizeof(GP_TYPE) == 1 ? GPI_TUNE_COMPACT_BYTE_COUNTERS : GPI_TUNE_COMPACT_COUNTERS,
    GPI_COMPACT_TEAMS = sizeof(GP_TYPE) == 1 ? GPI_TUNE_COMPACT_BYTE_TEAMS : 1,
    GPI_COMPACT_WRITERS = (int)GPI_TILE_CHUNKS * GPI_COMPACT_TEAMS,
    GPI_COMPACT_RING_THREADS = 32 * (2 + GPI_COMPACT_LOOKERS + GPI_COMPACT_COUNTERS + GPI_COMPACT_WRITERS)
};

#define GPI_COMPACT_FIT(bytes)                                                         \
    (GPI_RING_ROOM / (bytes) < 2                         ? 2                           \
     : GPI_RING_ROOM / (bytes) < GPI_TUNE_COMPACT_STAGES ? GPI_RING_ROOM / (bytes)     \
                                                         : GPI_TUNE_COMPACT_STAGES)

/* A stage has a slot for each chunk, the lanes' choices and ranks, and with flags a slot for these. */
enum {
    GPI_COMPACT_STAGE = (int)GPI_TILE_CHUNKS * (GPI_COMPACT_SLOT + 128 * (GPI_COMPACT_BITS + 1)),
    GPI_COMPACT_FLAG_STAGE = GPI_COMPACT_STAGE + (int)GPI_TILE_CHUNKS * GPI_COMPACT_FLAG_SLOT,
    GPI_COMPACT_STAGES = GPI_COMPACT_FIT(GPI_COMPACT_STAGE),
    GPI_COMPACT_FLAG_STAGES = GPI_COMPACT_FIT(GPI_COMPACT_FLAG_STAGE),
    GPI_COMPACT_RING_BYTES =
        GPI_COMPACT_STAGES * GPI_COMPACT_STAGE > GPI_COMPACT_FLAG_STAGES * GPI_COMPACT_FLAG_STAGE
            ? GPI_COMPACT_STAGES * GPI_COMPACT_STAGE
            : GPI_COMPACT_FLAG_STAGES * GPI_COMPACT_FLAG_STAGE
};

/* A stage is full, counted, ready (what comes before its chunks is known) and empty again. */
typedef struct {
    gpi_pack_table table;
    uint64_t full[GPI_COMPACT_STAGES], counted[GPI_COMPACT_STAGES];
    uint64_t ready[GPI_COMPACT_STAGES], empty[GPI_COMPACT_STAGES];
    uint64_t tiles_before[GPI_COMPACT_STAGES], all_kept;
    uint32_t tile[GPI_COMPACT_STAGES], epoch;
    uint32_t chunk_counts[GPI_COMPACT_STAGES][GPI_TILE_CHUNKS];
    uint32_t chunks_before[GPI_COMPACT_STAGES][GPI_TILE_CHUNKS];
    uint32_t group_sums[2][GPI_COMPACT_LOOKERS];
    int stages, stage_bytes; /* how many there are, and how large */
} GPI_COMPACT_RING;

/* Where a stage keeps a lane's choice in chunk q: GPI_COMPACT_BITS words, and its rank, 32 words apart. */
#define GPI_COMPACT_CHOICE(stage, q, lane)                                   \
    ((uint32_t *)(void *)((stage) + (int)GPI_TILE_CHUNKS * GPI_COMPACT_SLOT) + \
     (q) * (32 * (GPI_COMPACT_BITS + 1)) + (lane))
#define GPI_COMPACT_FLAGS(stage, q) ((stage) + GPI_COMPACT_STAGE + (q) * GPI_COMPACT_FLAG_SLOT)

/*
 * The launch before has counted part of the tiles, and waited for the launches before itself. Both read the input,
 * and run at the same time, until this one needs the count.
 */
#define GPI_COMPACT_IS_COUNTED(job) ((job)->own && (job)->own < (job)->tiles)

#if GPI_SM90_CODE
/* One thread: starts the copy of a chunk's items or flags; place 0 lies `phase` behind the slot's start. */
GPI_DEVICE void GPI_COMPACT_RING_FETCH(const void *in, size_t n, size_t size, GPI_COMPACT_PART part,
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
GPI_DEVICE void GPI_COMPACT_RING_ASK(const GPI_COMPACT_JOB *job, unsigned lane)
{
    gpi_extent array = {(const char *)job->in, (const char *)(job->in + job->n)};

    for (unsigned k = 0; k < GPI_RING_COMING && lane < GPI_TILE_CHUNKS; k++) {
        GPI_COMPACT_PART part =
            GPI_COMPACT_CUT(job, ((size_t)k * gridDim.x + blockIdx.x) * GPI_TILE_CHUNKS + lane);

        gpi_prefetch_chunk((const char *)(job->in + part.start + part.first),
                           (part.last - part.first) * (unsigned)sizeof(GP_TYPE), array);
    }
}

/* Takes tiles and starts their copies, as stages become empty. */
GPI_DEVICE void GPI_COMPACT_RING_LOAD(const GPI_COMPACT_JOB *job, GPI_COMPACT_RING *ring, char *stages,
                                      unsigned lane)
{
    const int rounds = job->in_place ? 0 : job->own ? ring->stages : GPI_TUNE_COMPACT_ROUNDS;
    gpi_tile_source source = gpi_open_source(job->head, rounds, lane);
    gpi_ring_place place = {0, 0}, coming = {0, 0};

    for (int k = 0, ends = 0; ends < GPI_COMPACT_TEAMS; k++) {
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
        if (lane < GPI_TILE_CHUNKS) {
            GPI_COMPACT_PART part = GPI_COMPACT_CUT(job, (size_t)tile * GPI_TILE_CHUNKS + lane);

            GPI_NO_UNROLL
            for (int flags = job->flags != NULL; flags >= 0; flags--)
                GPI_COMPACT_RING_FETCH(
                    flags ? (const void *)job->flags : (const void *)job->in, job->n, flags ? 1 : sizeof(GP_TYPE),
                    part, flags ? GPI_COMPACT_FLAG_PHASE(job, part) : GPI_COMPACT_PHASE(job, part),
                    flags ? GPI_COMPACT_FLAGS(stage, lane) : stage + lane * GPI_COMPACT_SLOT, full);
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
GPI_DEVICE void GPI_COMPACT_RING_COUNT(const GPI_COMPACT_JOB *job, GPI_COMPACT_RING *ring, char *stages,
                                       unsigned counter, unsigned lane, GPI_CONTEXT context)
{
    gpi_ring_place place = {0, 0};

    for (;;) {
        char *stage = stages + place.stage * ring->stage_bytes;

        gpi_mbarrier_wait(&ring->full[place.stage], place.parity);
        uint32_t tile = ring->tile[place.stage];
        if (tile == GPI_NO_TILE)
            return;
        for (unsigned q = counter; q < GPI_TILE_CHUNKS; q += GPI_COMPACT_COUNTERS) {
            GPI_COMPACT_PART part = GPI_COMPACT_CUT(job, (size_t)tile * GPI_TILE_CHUNKS + q);
            char *slot = stage + q * GPI_COMPACT_SLOT;
            uint32_t *choice = GPI_COMPACT_CHOICE(stage, q, lane), keep[GPI_COMPACT_BITS];
            unsigned phase = GPI_COMPACT_PHASE(job, part);
            GPI_RUN run;

            if (part.last && GPI_COMPACT_IS_SHORT(part) && !job->flags)
                GPI_COMPACT_FILL(slot + phase, part, lane);
            if (sizeof(GP_TYPE) > 1 && !job->flags)
                GPI_RUN_READ(&run, slot, phase, lane, context);
            unsigned kept = GPI_COMPACT_CHOOSE(keep, job, part, &run, slot + phase,
                                               GPI_COMPACT_FLAGS(stage, q), lane, context);
            unsigned sum = gpi_warp_prefix(kept, lane);
            GPI_UNROLL
            for (int w = 0; w < GPI_COMPACT_BITS; w++)
                choice[w * 32] = keep[w];
            choice[GPI_COMPACT_BITS * 32] = sum - kept;
            if (lane == 31)
                ring->chunk_counts[place.stage][q] = sum;
        }
        gpi_mbarrier_arrive(&ring->counted[place.stage]);
        gpi_ring_advance(&place, ring->stages);
    }
}

/* Counts tiles and makes their counts known. */
GPI_DEVICE void GPI_COMPACT_RING_PUBLISH(const GPI_COMPACT_JOB *job, GPI_COMPACT_RING *ring, unsigned lane)
{
    gpi_ring_place place = {0, 0};

    for (;;) {
        gpi_mbarrier_wait(&ring->full[place.stage], place.parity);
        uint32_t tile = ring->tile[place.stage];
        if (tile == GPI_NO_TILE)
            return;
        gpi_mbarrier_wait(&ring->counted[place.stage], place.parity);
        unsigned kept = lane < GPI_TILE_CHUNKS ? ring->chunk_counts[place.stage][lane] : 0;
        unsigned sum = gpi_warp_prefix(kept, lane);

        if (lane == 31 && (tile + 1 < job->tiles || job->own))
            gpi_publish_count(job->head, tile, sum, ring->epoch, job->in_place);
        if (lane < GPI_TILE_CHUNKS)
            ring->chunks_before[place.stage][lane] = sum - kept;
        gpi_mbarrier_arrive(&ring->ready[place.stage]);
        gpi_ring_advance(&place, ring->stages);
    }
}

/*
 * What all tiles before `tile` keep; *known is brought up to its group. The look warps add up a group each, and
 * each of them the groups.
 */
GPI_DEVICE uint64_t GPI_COMPACT_RING_SUM(const GPI_COMPACT_JOB *job, GPI_COMPACT_RING *ring,
                                         gpi_counted *known, size_t tile, unsigned *round, unsigned looker,
                                         unsigned lane, GPI_CONTEXT context)
{
    size_t end = (tile + GPI_COUNT_GROUP - 1) / GPI_COUNT_GROUP;
    gpi_counted before = *known;

    while (before.group < end) {
        uint32_t *sums = ring->group_sums[*round % 2];
        size_t first = before.group;

        if (first + looker < end) {
            uint32_t sum = GPI_COMPACT_COUNT_GROUP(job, first + looker, tile, lane, ring->epoch, context);

            if (lane == 0)
                sums[looker] = sum;
        }
        gpi_barrier_sync(2, 32 * GPI_COMPACT_LOOKERS); /* group_sums are complete */
        gpi_add_groups(&before, known, tile, sums, GPI_COMPACT_LOOKERS, lane);
        ++*round; /* the other group_sums: these are read until everybody has been at the next barrier */
    }
    return before.sum;
}

/*
 * Finds out what is kept before each tile, and for a stable partition what is kept in all. That begins when the
 * tile has been counted: most of those before it have then been published.
 */
GPI_DEVICE void GPI_COMPACT_RING_LOOK(const GPI_COMPACT_JOB *job, GPI_COMPACT_RING *ring, unsigned looker,
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
            const uint64_t sum = GPI_COMPACT_RING_SUM(job, ring, &from, end, &round, looker, lane, context);

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
GPI_DEVICE void GPI_COMPACT_RING_WRITE(const GPI_COMPACT_JOB *job, GPI_COMPACT_RING *ring, char *stages,
                                       unsigned writer, unsigned lane, GPI_CONTEXT context)
{
    const unsigned q = writer % GPI_TILE_CHUNKS, team = writer / GPI_TILE_CHUNKS;
    gpi_ring_place place = {(int)team, 0}; /* there are more stages than teams */
    int previous = -1;

    for (;;) {
        gpi_mbarrier_wait(&ring->full[place.stage], place.parity);
        uint32_t tile = ring->tile[place.stage];
        if (tile == GPI_NO_TILE)
            break;
        GPI_COMPACT_PART part = GPI_COMPACT_CUT(job, (size_t)tile * GPI_TILE_CHUNKS + q);
        char *stage = stages + place.stage * ring->stage_bytes, *slot = stage + q * GPI_COMPACT_SLOT;
        const uint32_t *choice = GPI_COMPACT_CHOICE(stage, q, lane);
        uint32_t keep[GPI_COMPACT_BITS];
        GPI_RUN run;

        gpi_mbarrier_wait(&ring->counted[place.stage], place.parity);
        unsigned kept = ring->chunk_counts[place.stage][q];
        int writes = kept || (job->rejected != GPI_REJECTED_DROPPED && part.last);
        if (writes)
            GPI_RUN_READ(&run, slot, GPI_COMPACT_PHASE(job, part), lane, context);
        if (previous >= 0) { /* by now the tile before has left its stage */
            if (lane == 0)
                gpi_bulk_wait_read(0);
            __syncwarp(); /* it has */
            gpi_mbarrier_arrive(&ring->empty[previous]);
        }
        __syncwarp(); /* everybody has read the slot */
        gpi_mbarrier_wait(&ring->ready[place.stage], place.parity);
        GPI_UNROLL
        for (int w = 0; w < GPI_COMPACT_BITS; w++)
            keep[w] = choice[w * 32];
        unsigned rank = choice[GPI_COMPACT_BITS * 32];
        size_t before = (size_t)ring->tiles_before[place.stage] + ring->chunks_before[place.stage][q];
        if (tile + 1 == job->tiles && q + 1 == GPI_TILE_CHUNKS && lane == 0)
            *job->count = before + kept;
        previous = place.stage;
        if (writes) {
            GPI_COMPACT_WRITE(job, part, slot, &run, keep, rank, kept, before, (size_t)ring->all_kept,
                              &ring->table, lane, 1);
            __syncwarp(); /* the ends have left the slot */
        } else {
            gpi_mbarrier_arrive(&ring->empty[place.stage]); /* at once: no copy has to end */
            previous = -1;
        }
        for (int t = 0; t < GPI_COMPACT_TEAMS; t++)
            gpi_ring_advance(&place, ring->stages);
    }
    if (lane == 0)
        gpi_bulk_wait(0);
    __syncwarp(); /* the last tile has left its stage */
    if (previous >= 0)
        gpi_mbarrier_arrive(&ring->empty[previous]); /* the other team may still need it, to end */
}
#endif

static __global__ void __launch_bounds__(GPI_COMPACT_RING_THREADS, 1)
    GPI_COMPACT_RING_KERNEL(GPI_COMPACT_JOB job, GPI_CONTEXT context)
{
#if GPI_SM90_CODE
    GP_DYNAMIC_SHARED(char, stages);
    GP_SHARED(GPI_COMPACT_RING, ring);
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    if (sizeof(GP_TYPE) == 1 && threadIdx.x < 16)
        ring.table.entries[threadIdx.x] = gpi_pack_entry(threadIdx.x);
    if (threadIdx.x == 0) {
        ring.stages = job.flags ? GPI_COMPACT_FLAG_STAGES : GPI_COMPACT_STAGES;
        ring.all_kept = 0;
        ring.stage_bytes = job.flags ? GPI_COMPACT_FLAG_STAGE : GPI_COMPACT_STAGE;
        for (int s = 0; s < ring.stages; s++) {
            gpi_mbarrier_init(&ring.full[s], GPI_TILE_CHUNKS * (job.flags ? 2 : 1) + 1);
            gpi_mbarrier_init(&ring.counted[s], 32 * GPI_COMPACT_COUNTERS);
            gpi_mbarrier_init(&ring.ready[s], 32 * (GPI_COMPACT_LOOKERS + 1));
            gpi_mbarrier_init(&ring.empty[s], 32 * GPI_TILE_CHUNKS);
        }
        gpi_mbarrier_init_fence();
    }
    if (warp == 0 && job.tiles > GPI_COMPACT_STAGES * gridDim.x) /* what the rings hold may well be in the L2 */
        GPI_COMPACT_RING_ASK(&job, lane);
    if (!GPI_COMPACT_IS_COUNTED(&job))
        gpi_grid_wait();
    gpi_grid_launch_next();
    __syncthreads(); /* the ring is there */
    if (warp == 0)
        GPI_COMPACT_RING_LOAD(&job, &ring, stages, lane);
    else if (warp == 1)
        GPI_COMPACT_RING_PUBLISH(&job, &ring, lane);
    else if (warp < 2 + GPI_COMPACT_LOOKERS)
        GPI_COMPACT_RING_LOOK(&job, &ring, warp - 2, lane, context);
    else if (warp < 2 + GPI_COMPACT_LOOKERS + GPI_COMPACT_COUNTERS)
        GPI_COMPACT_RING_COUNT(&job, &ring, stages, warp - 2 - GPI_COMPACT_LOOKERS, lane, context);
    else
        GPI_COMPACT_RING_WRITE(&job, &ring, stages, warp - 2 - GPI_COMPACT_LOOKERS - GPI_COMPACT_COUNTERS,
                               lane, context);
#endif
}

#undef GPI_COMPACT_FIT
#undef GPI_COMPACT_CHOICE
#undef GPI_COMPACT_FLAGS
#undef GPI_COMPACT_IS_COUNTED
