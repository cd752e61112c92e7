/*
 * core/scan_ring.cuh: the scan of large inputs on sm_90 and newer. One persistent block on each
 * multiprocessor; each of its warps has one part of the work, and tiles go round a ring of stages in shared
 * memory:
 *
 *     1 load warp        takes a tile, and starts the bulk copies of its chunks into a stage: the first ones
 *                        by the block's number, unless in place, the others by tickets
 *     reduce warps       fold lanes and chunks, and publish the tile's aggregate
 *     look warps         fold the aggregates of all tiles before
 *     8 scan warps       scan a chunk each, in its slot, and start the bulk copy to where it goes
 *
 * They meet at mbarriers alone, at which every lane arrives for itself: so the order of what it has read and
 * written is plain to see, for tools as well.
 *
 * Part of scan.cuh; not to be included directly.
 */
#define GPI_RING_REDUCERS GPI(ring_reducers)
#define GPI_RING_SCANNERS GPI(ring_scanners)
#define GPI_RING_OTHERS   GPI(ring_others)
enum {
    GPI_RING_REDUCERS = sizeof(GP_TYPE) <= 8 ? 8 : 4, /* of larger types they would lack registers */
    GPI_RING_SCANNERS = 8,
    GPI_RING_OTHERS = 1 + GPI_RING_REDUCERS + GPI_RING_SCANNERS, /* than look warps */
    GPI_RING_STAGE = GPI_TILE_CHUNKS * (GPI_SLOT_BYTES + 32 * (int)sizeof(GP_TYPE)), /* with lanes_before */
    GPI_RING_FITTING = GPI_RING_ROOM / GPI_RING_STAGE,
    GPI_RING_N = GPI_RING_FITTING < 2                        ? 2
                 : GPI_RING_FITTING < GPI_TUNE_SCAN_STAGES ? GPI_RING_FITTING
                                                           : GPI_TUNE_SCAN_STAGES,
    GPI_RING_BYTES = GPI_RING_N * GPI_RING_STAGE,
    /* Look warps. Of large types each has much to do; of large inputs fewer ask the L2 for less. */
    GPI_RING_LOOKERS = sizeof(GP_TYPE) <= 16 ? GPI_TUNE_SCAN_LOOKERS : 3,
    GPI_RING_FEW = sizeof(GP_TYPE) <= 4 && GPI_TUNE_SCAN_FEW_LOOKERS < GPI_TUNE_SCAN_LOOKERS
                       ? GPI_TUNE_SCAN_FEW_LOOKERS
                       : (int)GPI_RING_LOOKERS
};

/* A stage is full, ready (what comes before its lanes is known) and empty again. */
typedef struct {
    uint64_t full[GPI_RING_N], ready[GPI_RING_N], empty[GPI_RING_N];
    uint32_t tile[GPI_RING_N], epoch;
    int has_tiles_before[GPI_RING_N];
    GP_TYPE chunk_sums[GPI_RING_N][GPI_TILE_CHUNKS];
    GP_TYPE chunks_before[GPI_RING_N][GPI_TILE_CHUNKS]; /* the chunks before each in the tile, folded */
    GP_TYPE tiles_before[GPI_RING_N];
    GP_TYPE group_sums[2][GPI_RING_LOOKERS];
} GPI_SCAN_RING;

#if GPI_SM90_CODE
/* Asks for the first tiles, while the kernel before may still write them. */
GPI_DEVICE void GPI_SCAN_RING_ASK(const GPI_SCAN_JOB *job, unsigned lane)
{
    gpi_extent array = {(const char *)job->in, (const char *)(job->in + job->n)};

    for (unsigned k = 0; k < GPI_RING_COMING && lane < GPI_TILE_CHUNKS; k++) {
        size_t chunk = ((size_t)k * gridDim.x + blockIdx.x) * GPI_TILE_CHUNKS + lane;

        gpi_prefetch_chunk((const char *)(job->in + chunk * GPI_CHUNK_N),
                           GPI_CHUNK_ITEMS(job->n, chunk) * (unsigned)sizeof(GP_INPUT_TYPE), array);
    }
}

/* Takes tiles and starts their copies, as stages become empty. */
GPI_DEVICE void GPI_SCAN_RING_LOAD(const GPI_SCAN_JOB *job, GPI_SCAN_RING *ring, char *stages,
                                   unsigned lane)
{
    const int rounds = job->in_place ? 0 : GPI_TUNE_SCAN_ROUNDS;
    gpi_tile_source source = gpi_open_source(job->head, rounds, lane);
    gpi_extent array = {(const char *)job->in, (const char *)(job->in + job->n)};
    gpi_ring_place place = {0, 0}, coming = {0, 0};

    for (int k = 0, end = 0; !end; k++) {
        uint32_t tile = gpi_next_tile(&source);

        if (lane == 31 && k == 0)
            ring->epoch = gpi_ticket_epoch(source.ticket);
        if (k >= GPI_RING_COMING) { /* until an earlier tile has come: it is needed first */
            gpi_mbarrier_wait(&ring->full[coming.stage], coming.parity);
            gpi_ring_advance(&coming, GPI_RING_N);
        }
        if (k >= GPI_RING_N)
            gpi_mbarrier_wait(&ring->empty[place.stage], place.parity ^ 1);
        if (lane == 31 && tile < job->tiles)
            gpi_draw_ahead(&source, job->head);
        if (lane < GPI_TILE_CHUNKS) {
            size_t chunk = (size_t)tile * GPI_TILE_CHUNKS + lane;
            unsigned n = tile < job->tiles ? GPI_CHUNK_ITEMS(job->n, chunk) : 0;

            if (n)
                gpi_fetch_bulk(stages + (place.stage * GPI_TILE_CHUNKS + (int)lane) * GPI_SLOT_BYTES,
                               (const char *)(job->in + chunk * GPI_CHUNK_N),
                               n * (unsigned)sizeof(GP_INPUT_TYPE), array, &ring->full[place.stage]);
            else
                gpi_mbarrier_arrive(&ring->full[place.stage]);
        } else if (lane == 31) {
            ring->tile[place.stage] = tile < job->tiles ? tile : GPI_NO_TILE;
            gpi_mbarrier_arrive(&ring->full[place.stage]);
        }
        end = tile >= job->tiles;
        gpi_ring_advance(&place, GPI_RING_N);
    }
    if (lane == 31)
        gpi_finish_launch(job->head, gpi_ticket_epoch(source.ticket), gpi_check_out(job->head));
}

/* Folds lanes and chunks, and publishes the tile. */
GPI_DEVICE void GPI_SCAN_RING_REDUCE(const GPI_SCAN_JOB *job, GPI_SCAN_RING *ring, const char *stages,
                                     GP_TYPE *lanes_before, unsigned reducer, unsigned lane,
                                     GPI_CONTEXT context)
{
    uint64_t *tags = (uint64_t *)(job->head + 1);
    gpi_ring_place place = {0, 0};

    for (;;) {
        gpi_mbarrier_wait(&ring->full[place.stage], place.parity);
        uint32_t tile = ring->tile[place.stage];
        if (tile == GPI_NO_TILE)
            return;
        int chunks = tile + 1 < job->tiles ? (int)GPI_TILE_CHUNKS : (int)job->last_chunks;
        for (int q = (int)reducer; q < chunks; q += GPI_RING_REDUCERS) {
            size_t chunk = (size_t)tile * GPI_TILE_CHUNKS + (size_t)q;
            unsigned n = GPI_CHUNK_ITEMS(job->n, chunk), valid = (n + GPI_RUN_N - 1) / GPI_RUN_N;
            int at = place.stage * GPI_TILE_CHUNKS + q;
            const char *slot = stages + at * GPI_SLOT_BYTES;
            unsigned phase = gpi_phase(job->in + chunk * GPI_CHUNK_N);
            GP_TYPE sum;

            if (n == GPI_CHUNK_N) {
                GPI_RUN run;

                GPI_RUN_READ(&run, slot, phase, lane, context);
                sum = GPI_RUN_FOLD(&run);
            } else {
                sum = GPI_SCAN_EDGE_FOLD(slot + phase, n, lane, context);
            }
            sum = GPI_WARP_SCAN(sum, (int)lane, (int)valid);
            GP_TYPE before = GPI_SHUFFLE_UP(sum, 1);
            if (lane)
                lanes_before[at * 32 + (int)lane] = before;
            if (lane + 1 == valid)
                ring->chunk_sums[place.stage][q] = sum;
        }
        gpi_barrier_sync(1, 32 * GPI_RING_REDUCERS); /* chunk_sums are complete */
        if (reducer == 0) {
            GP_TYPE sum = ring->chunk_sums[place.stage][(int)lane < chunks ? (int)lane : 0];

            sum = GPI_WARP_SCAN(sum, (int)lane, chunks);
            GP_TYPE before = GPI_SHUFFLE_UP(sum, 1);
            if (lane + 1 == GPI_TILE_CHUNKS && tile + 1 < job->tiles)
                GPI_PUBLISH(tags, tile, sum, ring->epoch);
            if (lane && (int)lane < chunks)
                ring->chunks_before[place.stage][lane] = before;
        }
        gpi_mbarrier_arrive(&ring->ready[place.stage]);
        gpi_ring_advance(&place, GPI_RING_N);
    }
}

/*
 * Finds out what comes before each tile. The look warps fold a group each, and the first of them adds the
 * groups up. They begin when the tile has come: most of those before it have then been published.
 */
GPI_DEVICE void GPI_SCAN_RING_LOOK(const GPI_SCAN_JOB *job, GPI_SCAN_RING *ring, unsigned looker,
                                   unsigned lookers, unsigned lane, GPI_CONTEXT context)
{
    GPI_LOOK look = {job->start.before, job->start.has_before, 0};
    gpi_ring_place place = {0, 0};
    unsigned round = 0;

    for (;;) {
        gpi_mbarrier_wait(&ring->full[place.stage], place.parity);
        size_t tile = ring->tile[place.stage];
        if (tile == GPI_NO_TILE)
            return;
        size_t own = tile / GPI_GROUP_TILES, end = (tile + GPI_GROUP_TILES - 1) / GPI_GROUP_TILES;
        GPI_LOOK before = look;

        while (before.group < end) {
            size_t first = before.group;

            if (first + looker < end) {
                GP_TYPE x = GPI_SCAN_FOLD_GROUP(job, first + looker, tile, lane, ring->epoch, context);

                if (lane == 0)
                    ring->group_sums[round % 2][looker] = x;
            }
            gpi_barrier_sync(2, 32 * lookers); /* group_sums are complete */
            while (before.group < end && before.group < first + lookers) {
                if (before.group == own)
                    look = before; /* the own group is not complete */
                GPI_LOOK_ADD(&before, ring->group_sums[round % 2][before.group - first]);
            }
            round++; /* the other group_sums: these are read until everybody has been at the next barrier */
        }
        if (end == own)
            look = before;
        if (looker == 0 && lane == 0) {
            ring->tiles_before[place.stage] = before.sum;
            ring->has_tiles_before[place.stage] = before.has_sum;
        }
        gpi_mbarrier_arrive(&ring->ready[place.stage]);
        gpi_ring_advance(&place, GPI_RING_N);
    }
}

/* Scans a chunk of each tile in its slot and sends it off. */
GPI_DEVICE void GPI_SCAN_RING_SCAN(const GPI_SCAN_JOB *job, GPI_SCAN_RING *ring, char *stages,
                                   const GP_TYPE *lanes_before, unsigned q, unsigned lane,
                                   GPI_CONTEXT context)
{
    gpi_ring_place place = {0, 0};
    int previous = -1;

    for (;;) {
        gpi_mbarrier_wait(&ring->full[place.stage], place.parity);
        uint32_t tile = ring->tile[place.stage];
        if (tile == GPI_NO_TILE)
            break;
        size_t chunk = (size_t)tile * GPI_TILE_CHUNKS + q;
        unsigned n = q < GPI_TILE_CHUNKS ? GPI_CHUNK_ITEMS(job->n, chunk) : 0;
        int at = place.stage * GPI_TILE_CHUNKS + (n ? (int)q : 0);
        char *slot = stages + at * GPI_SLOT_BYTES;
        unsigned phase = gpi_phase(job->in + chunk * GPI_CHUNK_N);
        GP_TYPE *out = job->out + chunk * GPI_CHUNK_N;
        GPI_RUN run;

        if (n == GPI_CHUNK_N)
            GPI_RUN_READ(&run, slot, phase, lane, context);
        if (previous >= 0) { /* by now the tile before has left its stage */
            if (lane == 0)
                gpi_bulk_wait_read(0);
            __syncwarp(); /* it has */
            gpi_mbarrier_arrive(&ring->empty[previous]);
        }
        __syncwarp(); /* everybody has read the slot */
        gpi_mbarrier_wait(&ring->ready[place.stage], place.parity);
        if (n) {
            int has_tiles = ring->has_tiles_before[place.stage];
            int has_prefix = has_tiles || q > 0 || lane > 0;
            GP_TYPE prefix = ring->tiles_before[place.stage];
            if (lane * GPI_RUN_N < n)
                prefix = GPI_SCAN_LANE(prefix, has_tiles, ring->chunks_before[place.stage][q], q > 0,
                                       lanes_before[at * 32 + (int)lane], lane > 0);

            if (n == GPI_CHUNK_N) {
                GPI_SCAN_RUN(&run, prefix, has_prefix, job->start.exclusive);
                GPI_RUN_WRITE(&run, slot, gpi_phase(out), lane);
                gpi_fence_async();
                __syncwarp(); /* the results are in the slot */
                gpi_store_bulk((char *)out, slot, GPI_CHUNK_N * sizeof(GP_TYPE), lane);
            } else {
                GPI_SCAN_EDGE(slot + phase, out, n, lane, prefix, has_prefix, job->start.exclusive,
                              context);
            }
        }
        __syncwarp(); /* the ends have left the slot */
        previous = place.stage;
        gpi_ring_advance(&place, GPI_RING_N);
    }
    if (lane == 0)
        gpi_bulk_wait(0);
}
#endif

static __global__ void __launch_bounds__(32 * (GPI_RING_OTHERS + GPI_RING_LOOKERS), 1)
    GPI_SCAN_RING_KERNEL(GPI_SCAN_JOB job, GPI_CONTEXT context)
{
#if GPI_SM90_CODE
    GP_DYNAMIC_SHARED(char, stages);
    GP_SHARED(GPI_SCAN_RING, ring);
    GP_TYPE *lanes_before = (GP_TYPE *)(stages + (int)GPI_RING_N * GPI_TILE_CHUNKS * GPI_SLOT_BYTES);
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned lookers = blockDim.x / 32 - GPI_RING_OTHERS;

    if (!GPI_RING_SERVES)
        return;
    if (threadIdx.x == 0) {
        for (int s = 0; s < GPI_RING_N; s++) {
            gpi_mbarrier_init(&ring.full[s], GPI_TILE_CHUNKS + 1);
            gpi_mbarrier_init(&ring.ready[s], 32 * (lookers + GPI_RING_REDUCERS));
            gpi_mbarrier_init(&ring.empty[s], 32 * GPI_RING_SCANNERS);
        }
        gpi_mbarrier_init_fence();
    }
    if (warp == 0 && job.tiles > GPI_RING_N * gridDim.x) /* what the rings hold may well be in the L2 */
        GPI_SCAN_RING_ASK(&job, lane);
    gpi_grid_wait();
    gpi_grid_launch_next();
    __syncthreads(); /* the mbarriers are there */
    if (warp == 0)
        GPI_SCAN_RING_LOAD(&job, &ring, stages, lane);
    else if (warp < 1 + GPI_RING_REDUCERS)
        GPI_SCAN_RING_REDUCE(&job, &ring, stages, lanes_before, warp - 1, lane, context);
    else if (warp < GPI_RING_OTHERS)
        GPI_SCAN_RING_SCAN(&job, &ring, stages, lanes_before, warp - 1 - GPI_RING_REDUCERS, lane, context);
    else
        GPI_SCAN_RING_LOOK(&job, &ring, warp - GPI_RING_OTHERS, lookers, lane, context);
#endif
}
