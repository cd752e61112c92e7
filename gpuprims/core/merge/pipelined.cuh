/*
 * core/merge/pipelined.cuh: the merge of large arrays, on sm_90 and newer: persistent blocks, in which tiles go round a
 * ring of stages in shared memory.
 *
 *     1 split warp      takes a chunk of tiles, and finds where they begin and end
 *     1 load warp       starts the bulk copies of the parts of a tile into a stage       empty  to  full
 *     other warps       merge them, each into a slot of its own                          full   to  empty
 *                       and write what is there by bulk copies
 *
 * Part of merge.cuh; not to be included directly.
 */

enum {
    GPI(is_pipelined) = sizeof(GP_TYPE) <= 128,
    GPI(threads) = sizeof(GP_TYPE) <= 16 ? GPI_TUNE_MERGE_TWO_THREADS : 256, /* that merge */
    GPI(warps) = GPI(threads) / 32,
    GPI(tile_items) = GPI(threads) * GPI(items),
    GPI(stages) = GPI_TUNE_MERGE_TWO_STAGES,
    GPI(stage_bytes) = GPI_MERGE_STAGE_BYTES(GPI(tile_items)),
    GPI(slot_bytes) = (32 * (int)GPI(items) * (int)sizeof(GP_TYPE) + 128 + 127) / 128 * 128, /* of a warp's items */
    GPI(pipeline_bytes) = (int)GPI(stages) * (int)GPI(stage_bytes) + (int)GPI(warps) * (int)GPI(slot_bytes),
    GPI(blocks) = sizeof(GP_TYPE) <= 16 ? GPI_TUNE_MERGE_TWO_BLOCKS : 2,
    GPI(chunk_log) = 2,                           /* log2 of the lanes that find where a tile is */
    GPI(second_log) = 3,                          /* the same of the second chunk, which is needed soon */
    GPI(chunk_tiles) = 32 >> (int)GPI(chunk_log), /* at most */
    GPI(chunks) = 2                               /* that are ahead */
};

/* Some tiles of a block, and where they begin and end in a. */
typedef struct {
    size_t first;
    unsigned tiles; /* 0: there are no more */
    size_t begins[GPI(chunk_tiles)], ends[GPI(chunk_tiles)];
} GPI(chunk);

typedef struct {
    uint64_t full[GPI(stages)], empty[GPI(stages)], known[GPI(chunks)], used[GPI(chunks)];
    GPI(piece) pieces[GPI(stages)];
    GPI(chunk) chunks[GPI(chunks)];
} GPI(pipeline);

#if GPI_SM90_CODE
/* Probe i of 2^log, on both sides of what is expected, each eight times as far away as the one before. */
GPI_DEVICE size_t GPI(probe_near)(size_t expected, size_t reach, GPI(window) window, unsigned i, int log)
{
    const unsigned middle = 1u << log >> 1;
    const size_t off = reach << 3 * (i < middle ? middle - 1 - i : i - middle);
    const size_t place = i >= middle ? expected + off : expected > off ? expected - off : 0;

    return place < window.low ? window.low : place < window.low + window.width ? place : window.low + window.width - 1;
}

/*
 * One warp, 2^log lanes for each search: the same as GPI(split), if `from` items of a come before diagonal `known`, and
 * of those behind it about such a share is of a. The first probes are near what that makes one expect.
 */
GPI_DEVICE size_t GPI(split_near)(const GPI(job) *job, size_t diagonal, size_t from, size_t known, float share, int log,
                                  unsigned lane, GPI_CONTEXT context)
{
    const unsigned lanes = 1u << log, number = lane & (lanes - 1);
    const size_t more = diagonal - known, expected = from + (size_t)((float)more * share);
    const size_t reach = ((size_t)1 << (64 - __clzll((long long)more)) / 2) / 4 + 1;
    GPI(window) window = GPI(open_window)(job, diagonal, from, more);
    const int is_open = window.width > 0;
    const int is_among =
        is_open &&
        GPI(is_among)(job, diagonal, GPI(probe_near)(expected, reach, window, number, log), context);
    const uint32_t answers = __ballot_sync(GPI_FULL_MASK, is_among) >> (lane - number);
    const unsigned count = (unsigned)__popc((int)(answers & (GPI_FULL_MASK >> (32 - lanes))));

    if (is_open) {
        const size_t high = window.low + window.width;
        const size_t begin = count ? GPI(probe_near)(expected, reach, window, count - 1, log) + 1 : window.low;
        const size_t end = count < lanes ? GPI(probe_near)(expected, reach, window, count, log) : high;

        window.low = begin;
        window.width = end > begin ? end - begin : 0;
    }
    return GPI(split)(job, diagonal, window, log, lane, context);
}

/*
 * Finds where the tiles of the block begin and end. Blocks take tiles in turn, so that all of them work at the same
 * part of the arrays, which memory likes. The first tile is found with all lanes, further ones several at a time.
 */
GPI_DEVICE void GPI(find_splits)(const GPI(job) *job, GPI(pipeline) *pipeline, unsigned lane, GPI_CONTEXT context)
{
    const size_t n = job->na + job->nb;
    size_t tile = blockIdx.x, from = 0, known = 0; /* the last beginning that was found, and its diagonal */
    float share = (float)job->na / (float)n;       /* of a */
    gpi_pipeline_place place = {0, 0};

    for (int k = 0, log = 5;; k++) {
        GPI(chunk) *chunk = &pipeline->chunks[place.stage];
        const size_t left = tile < job->tiles ? (job->tiles - tile + gridDim.x - 1) / gridDim.x : 0;
        const unsigned tiles = gpi_min_size(left, 32u >> log), number = gpi_min(lane >> log, tiles - 1);

        if (k >= GPI(chunks))
            gpi_mbarrier_wait(&pipeline->used[place.stage], place.parity ^ 1);
        if (lane == 0) {
            chunk->first = tile;
            chunk->tiles = tiles;
        }
        if (tiles) {
            const size_t first = (tile + (size_t)number * gridDim.x) * GPI(tile_items);
            const size_t behind = first + GPI(tile_items), last = __shfl_sync(GPI_FULL_MASK, first, 31);
            const size_t begin = GPI(split_near)(job, first, from, known, share, log, lane, context);

            chunk->begins[number] = begin;
            chunk->ends[number] =
                GPI(split_near)(job, behind < n ? behind : n, begin, first, share, log, lane, context);
            const size_t newest = __shfl_sync(GPI_FULL_MASK, begin, 31);
            if (last > known)
                share = (float)(newest - from) / (float)(last - known);
            from = newest;
            known = last;
        }
        gpi_mbarrier_arrive(&pipeline->known[place.stage]);
        if (tiles == 0)
            return;
        tile += (size_t)tiles * gridDim.x;
        log = k ? GPI(chunk_log) : GPI(second_log);
        gpi_pipeline_advance(&place, GPI(chunks));
    }
}

/* One thread: starts the copies of tiles, as stages become empty. */
GPI_DEVICE void GPI(load)(const GPI(job) *job, GPI(pipeline) *pipeline, char *stages)
{
    const gpi_extent a = {(const char *)job->a, (const char *)(job->a + job->na)};
    const gpi_extent b = {(const char *)job->b, (const char *)(job->b + job->nb)};
    gpi_pipeline_place place = {0, 0}, from = {0, 0};

    for (size_t taken = 0;; gpi_pipeline_advance(&from, GPI(chunks))) {
        const GPI(chunk) *chunk = &pipeline->chunks[from.stage];

        gpi_mbarrier_wait(&pipeline->known[from.stage], from.parity);
        for (unsigned t = 0; t < chunk->tiles + (chunk->tiles == 0); t++, taken++) {
            GPI(piece) *piece = &pipeline->pieces[place.stage];
            uint64_t *full = &pipeline->full[place.stage];
            char *stage = stages + place.stage * GPI(stage_bytes);

            if (taken >= GPI(stages))
                gpi_mbarrier_wait(&pipeline->empty[place.stage], place.parity ^ 1);
            if (chunk->tiles == 0) { /* there are no more */
                piece->items = 0;
                gpi_mbarrier_arrive(full);
                gpi_mbarrier_arrive(full);
                return;
            }
            *piece = GPI(cut)(job, chunk->first + (size_t)t * gridDim.x, GPI(tile_items), chunk->begins[t],
                              chunk->ends[t]);
            gpi_fetch_bulk(stage + piece->a_at - gpi_misalignment(piece->a), piece->a,
                           piece->a_items * (unsigned)sizeof(GP_TYPE), a, full);
            gpi_fetch_bulk(stage + piece->b_at - gpi_misalignment(piece->b), piece->b,
                           piece->b_items * (unsigned)sizeof(GP_TYPE), b, full);
            gpi_pipeline_advance(&place, GPI(stages));
        }
        gpi_mbarrier_arrive(&pipeline->used[from.stage]);
    }
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

static __global__ void __launch_bounds__(GPI(threads) + 64, GPI_SM90_CODE ? GPI(blocks) : 1)
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
        for (int c = 0; c < GPI(chunks); c++) {
            gpi_mbarrier_init(&pipeline.known[c], 32);
            gpi_mbarrier_init(&pipeline.used[c], 1);
        }
        gpi_mbarrier_init_fence();
    }
    gpi_grid_wait();
    gpi_grid_launch_next();
    __syncthreads(); /* the pipeline is there */
    if (warp == GPI(warps))
        GPI(find_splits)(&job, &pipeline, lane, context);
    else if (warp > GPI(warps) && lane == 0)
        GPI(load)(&job, &pipeline, stages);
    else if (warp < GPI(warps))
        GPI(merge_tiles)(&pipeline, stages, lane, context);
#endif
}
