/*
 * core/merge/pipelined.cuh: the merge of large arrays, on sm_90 and newer: persistent blocks, in which tiles go round a
 * ring of stages in shared memory.
 *
 *     split warps       take a tile each, and find where it begins and ends              used   to  known
 *     1 load warp       starts the bulk copies of the parts of a tile into a stage       empty  to  full
 *     other warps       merge them, each into a slot of its own                          full   to  empty
 *                       and write what is there by bulk copies
 *
 * Part of merge.cuh; not to be included directly.
 */

enum {
    GPI(is_pipelined) = sizeof(GP_TYPE) <= 128,
    GPI(threads) = sizeof(GP_TYPE) < 4     ? GPI_TUNE_MERGE_TWO_THREADS / 2 * 3 /* bound by instructions */
                   : sizeof(GP_TYPE) <= 16 ? GPI_TUNE_MERGE_TWO_THREADS
                                           : 256, /* that merge */
    GPI(warps) = GPI(threads) / 32,
    GPI(split_warps) = GPI_TUNE_MERGE_TWO_SPLIT_WARPS,
    GPI(tile_items) = GPI(threads) * GPI(items),
    GPI(stages) = GPI_TUNE_MERGE_TWO_STAGES,
    GPI(stage_bytes) = GPI_MERGE_STAGE_BYTES(GPI(tile_items)),
    GPI(slot_bytes) = (32 * (int)GPI(items) * (int)sizeof(GP_TYPE) + 128 + 127) / 128 * 128, /* of a warp's items */
    GPI(pipeline_bytes) = (int)GPI(stages) * (int)GPI(stage_bytes) + (int)GPI(warps) * (int)GPI(slot_bytes),
    GPI(blocks) = sizeof(GP_TYPE) <= 16 ? GPI_TUNE_MERGE_TWO_BLOCKS : 2,
    GPI(split_log) = 4 /* log2 of the lanes that find either end of a tile */
};

/* A tile, and where it begins and ends in a. */
typedef struct {
    size_t tile; /* a number that no tile has: there are no more */
    GPI(window) ends[2];
} GPI(found);

typedef struct {
    uint64_t full[GPI(stages)], empty[GPI(stages)], known[GPI(split_warps)], used[GPI(split_warps)];
    GPI(piece) pieces[GPI(stages)];
    GPI(found) found[GPI(split_warps)];
} GPI(pipeline);

#if GPI_SM90_CODE
/* What the splits that are known tell of further ones. */
typedef struct {
    size_t from, known; /* about so many items of a come before diagonal `known` */
    size_t off;         /* by how much the last expectations were off, at most */
    float share;        /* of the items behind it that are of a */
} GPI(outlook);

/*
 * One warp: the splits on the diagonals of both halves of it, as GPI(split) finds them. The first probes are near what
 * is expected: if that is as good as it was the last time, a split is between the nearest two of them.
 */
GPI_DEVICE GPI(window) GPI(split_near)(const GPI(job) *job, size_t diagonal, GPI(outlook) *outlook, unsigned lane,
                                       GPI_CONTEXT context)
{
    const int log = GPI(split_log);
    const size_t more = diagonal - outlook->known, expected = outlook->from + (size_t)((float)more * outlook->share);
    const size_t near = GPI(slack) / 2, reach = 2 * outlook->off > near ? 2 * outlook->off : near;
    const size_t from = outlook->from > (size_t)GPI(slack) ? outlook->from - GPI(slack) : 0;
    GPI(window) window = GPI(open_window)(job, diagonal, from, more + 2 * GPI(slack));
    const size_t place = gpi_probe_near(window.low, window.width, expected, reach, lane % (1u << log), log);
    const int is_among = window.width && GPI(is_among)(job, diagonal, place, context);

    gpi_narrow_near(&window.low, &window.width, expected, reach, is_among, lane, log);
    window = GPI(split)(job, diagonal, window, log, lane, context);
    const size_t found = window.low + window.width / 2, off = found > expected ? found - expected : expected - found;
    outlook->off = gpi_warp_max(gpi_min_size(off, UINT32_MAX));
    return window;
}

/* One warp: expects on, from the last lane's split, which is on that diagonal. */
GPI_DEVICE void GPI(look_ahead)(GPI(outlook) *outlook, GPI(window) split, size_t diagonal)
{
    const size_t from = __shfl_sync(GPI_FULL_MASK, split.low + split.width / 2, 31);
    const size_t known = __shfl_sync(GPI_FULL_MASK, diagonal, 31);

    outlook->share = (float)(from > outlook->from ? from - outlook->from : 0) / (float)(known - outlook->known);
    outlook->from = from;
    outlook->known = known;
}

/*
 * Split warp `number`: takes tiles, and finds where they begin and end. The first tile goes by the block's number, the
 * others by tickets, since multiprocessors do not all get as much of the memory's bandwidth: so all end at the same
 * time, and at any time all work at the same part of the arrays.
 */
GPI_DEVICE void GPI(find_splits)(const GPI(job) *job, GPI(pipeline) *pipeline, unsigned number, unsigned lane,
                                 GPI_CONTEXT context)
{
    const size_t n = job->na + job->nb, first_tiles = (size_t)GPI(split_warps) * gridDim.x;
    const unsigned end = lane >> GPI(split_log);
    GPI(outlook) outlook = {0, 0, 0, (float)job->na / (float)n};
    GPI(found) *found = &pipeline->found[number];
    uint64_t ticket = lane == 31 ? gpi_read_ticket(job->head) : 0; /* for the epoch */
    size_t tile = (size_t)number * gridDim.x + blockIdx.x;

    for (unsigned parity = 1;; parity ^= 1) {
        if (lane == 0)
            found->tile = tile;
        if (tile < job->tiles) {
            const size_t behind = (tile + end) * GPI(tile_items), diagonal = behind < n ? behind : n;
            const GPI(window) split = GPI(split_near)(job, diagonal, &outlook, lane, context);

            if (lane == end << GPI(split_log))
                found->ends[end] = split;
            GPI(look_ahead)(&outlook, split, diagonal);
        }
        gpi_mbarrier_arrive(&pipeline->known[number]);
        if (tile >= job->tiles)
            break;
        gpi_mbarrier_wait(&pipeline->used[number], parity ^ 1);
        if (lane == 31)
            ticket = gpi_take_ticket(job->head);
        tile = first_tiles + (uint32_t)__shfl_sync(GPI_FULL_MASK, ticket, 31);
    }
    if (lane == 31) /* the last warp of all blocks ends the launch */
        gpi_finish_launch(job->head, gpi_ticket_epoch(ticket),
                          gpi_check_out(job->head) - (first_tiles - gridDim.x));
}

/*
 * One thread: starts the copies of tiles, as stages become empty; of one at a time. More would be on their way at once,
 * and memory would be slower.
 */
GPI_DEVICE void GPI(load)(const GPI(job) *job, GPI(pipeline) *pipeline, char *stages)
{
    const gpi_extent a = {(const char *)job->a, (const char *)(job->a + job->na)};
    const gpi_extent b = {(const char *)job->b, (const char *)(job->b + job->nb)};
    gpi_pipeline_place place = {0, 0}, before = {0, 0}, from = {0, 0};
    int taken = 0, live = GPI(split_warps); /* stages; split warps that find more tiles */

    for (uint32_t is_over = 0; live > 0; gpi_pipeline_advance(&from, GPI(split_warps))) {
        const GPI(found) *found = &pipeline->found[from.stage];
        GPI(piece) *piece = &pipeline->pieces[place.stage];
        uint64_t *full = &pipeline->full[place.stage];
        char *stage = stages + place.stage * GPI(stage_bytes);

        if (is_over >> from.stage & 1)
            continue;
        gpi_mbarrier_wait(&pipeline->known[from.stage], from.parity);
        if (found->tile >= job->tiles) {
            is_over |= 1u << from.stage;
            live--;
            continue;
        }
        if (taken > 0)
            gpi_mbarrier_wait(&pipeline->full[before.stage], before.parity);
        if (taken >= GPI(stages))
            gpi_mbarrier_wait(&pipeline->empty[place.stage], place.parity ^ 1);
        *piece = GPI(cut)(job, found->tile, GPI(tile_items), found->ends[0], found->ends[1]);
        gpi_mbarrier_arrive(&pipeline->used[from.stage]);
        gpi_fetch_bulk(stage + piece->a_at - gpi_misalignment(piece->a), piece->a,
                       piece->a_items * (unsigned)sizeof(GP_TYPE), a, full);
        gpi_fetch_bulk(stage + piece->b_at - gpi_misalignment(piece->b), piece->b,
                       piece->b_items * (unsigned)sizeof(GP_TYPE), b, full);
        before = place;
        gpi_pipeline_advance(&place, GPI(stages));
        taken += taken < GPI(stages);
    }
    if (taken >= GPI(stages))
        gpi_mbarrier_wait(&pipeline->empty[place.stage], place.parity ^ 1);
    pipeline->pieces[place.stage].items = 0; /* there are no more */
    gpi_mbarrier_arrive(&pipeline->full[place.stage]);
    gpi_mbarrier_arrive(&pipeline->full[place.stage]);
}

/*
 * Merges tiles, and writes them. No warp waits for the others: what it has merged is put together in a slot of its own,
 * and the stage is empty as soon as all have read from it.
 */
GPI_DEVICE void GPI(merge_tiles)(GPI(pipeline) *pipeline, char *stages, unsigned lane,
                                 GPI_CONTEXT context)
{
    const unsigned warp = threadIdx.x / 32, begin = warp * 32 * GPI(items), first = threadIdx.x * GPI(items);
    char *slot = stages + GPI(stages) * GPI(stage_bytes) + warp * GPI(slot_bytes);
    gpi_pipeline_place place = {0, 0};

    for (;; gpi_pipeline_advance(&place, GPI(stages))) {
        GP_TYPE x[GPI(items)];

        gpi_mbarrier_wait(&pipeline->full[place.stage], place.parity);
        const GPI(piece) piece = pipeline->pieces[place.stage];
        if (piece.items == 0)
            break;
        if (first < piece.items)
            GPI(take)(x, stages + place.stage * GPI(stage_bytes), &piece, first, context);
        gpi_mbarrier_arrive(&pipeline->empty[place.stage]);
        if (lane == 0)
            gpi_bulk_wait_read(0);
        __syncwarp(); /* the items before have left the slot */
        char *to = piece.out + begin * sizeof *x;
        if (first < piece.items)
            GPI(put)(x, slot + gpi_misalignment(to), lane * GPI(items));
        gpi_fence_async();
        __syncwarp(); /* the warp's items are in the slot */
        if (begin < piece.items)
            gpi_store_bulk(to, slot, gpi_min(piece.items - begin, 32 * GPI(items)) * (unsigned)sizeof *x, lane);
    }
    if (lane == 0)
        gpi_bulk_wait(0);
}
#endif

static __global__ void __launch_bounds__(GPI(threads) + 32 * (GPI(split_warps) + 1), GPI_SM90_CODE ? GPI(blocks) : 1)
    GPI(pipelined_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_SM90_CODE
    GP_DYNAMIC_SHARED(char, stages);
    GP_SHARED(GPI(pipeline), pipeline);
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    if (threadIdx.x == 0) {
        for (int s = 0; s < GPI(stages); s++) {
            gpi_mbarrier_init(&pipeline.full[s], 2); /* a copy of each part */
            gpi_mbarrier_init(&pipeline.empty[s], GPI(threads));
        }
        for (int w = 0; w < GPI(split_warps); w++) {
            gpi_mbarrier_init(&pipeline.known[w], 32);
            gpi_mbarrier_init(&pipeline.used[w], 1);
        }
        gpi_mbarrier_init_fence();
    }
    gpi_grid_wait();
    gpi_grid_launch_next();
    __syncthreads(); /* the pipeline is there */
    if (warp < GPI(warps))
        GPI(merge_tiles)(&pipeline, stages, lane, context);
    else if (warp < GPI(warps) + GPI(split_warps))
        GPI(find_splits)(&job, &pipeline, warp - GPI(warps), lane, context);
    else if (lane == 0)
        GPI(load)(&job, &pipeline, stages);
#endif
}
