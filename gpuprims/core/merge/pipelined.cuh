/*
 * core/merge/pipelined.cuh: the merge of large arrays, on sm_90 and newer: persistent blocks, in which tiles go round a
 * ring of stages in shared memory.
 *
 *     1 split warp      takes a chunk of tiles, and finds where they begin
 *     1 load warp       starts the bulk copies of the parts of a tile into a stage       empty  to  full
 *     other warps       merge them, and write the tile by bulk copies                    full   to  empty
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
    GPI(blocks) = GPI_TUNE_MERGE_TWO_BLOCKS,
    GPI(chunk_log) = 2,                           /* log2 of the lanes that find where a tile ends */
    GPI(chunk_tiles) = 32 >> (int)GPI(chunk_log), /* at most */
    GPI(chunks) = 2                               /* that are ahead */
};

/* Some tiles, where they begin in a, and where the last one ends. */
typedef struct {
    size_t first;
    unsigned tiles; /* 0: there are no more */
    size_t splits[GPI(chunk_tiles) + 1];
} GPI(chunk);

typedef struct {
    uint64_t full[GPI(stages)], empty[GPI(stages)], known[GPI(chunks)], used[GPI(chunks)];
    GPI(piece) pieces[GPI(stages)];
    GPI(chunk) chunks[GPI(chunks)];
} GPI(pipeline);

#if GPI_SM90_CODE
/*
 * Finds where the tiles of the block begin. It takes runs of neighbouring tiles, in turn with the other blocks, so that
 * all of them work at the same part of the arrays. The first tile of all is found with all lanes, further ones several
 * at a time.
 */
GPI_DEVICE void GPI(find_splits)(const GPI(job) *job, GPI(pipeline) *pipeline, unsigned lane, GPI_CONTEXT context)
{
    const size_t n = job->na + job->nb;
    size_t run = blockIdx.x, tile = run * job->tiles / job->runs, end = (run + 1) * job->tiles / job->runs;
    size_t from = GPI(split)(job, tile * GPI(tile_items), 0, tile * GPI(tile_items), 5, lane, context);
    gpi_pipeline_place place = {0, 0};

    for (int k = 0, log = 5;; k++) {
        GPI(chunk) *chunk = &pipeline->chunks[place.stage];

        if (tile == end && (run += gridDim.x) < job->runs) {
            const size_t last = tile;

            tile = run * job->tiles / job->runs;
            end = (run + 1) * job->tiles / job->runs;
            from = GPI(split)(job, tile * GPI(tile_items), from, (tile - last) * GPI(tile_items), log, lane, context);
        }
        const unsigned tiles = gpi_min_size(end - tile, 32u >> log), number = gpi_min(lane >> log, tiles - 1);

        if (k >= GPI(chunks))
            gpi_mbarrier_wait(&pipeline->used[place.stage], place.parity ^ 1);
        if (lane == 0) {
            chunk->first = tile;
            chunk->tiles = tiles;
            chunk->splits[0] = from;
        }
        if (tiles) {
            const size_t first = tile * GPI(tile_items), behind = first + (number + 1) * (size_t)GPI(tile_items);
            const size_t diagonal = behind < n ? behind : n;

            from = GPI(split)(job, diagonal, from, diagonal - first, log, lane, context);
            chunk->splits[number + 1] = from;
            from = __shfl_sync(GPI_FULL_MASK, from, 31);
        }
        gpi_mbarrier_arrive(&pipeline->known[place.stage]);
        if (tiles == 0)
            return;
        tile += tiles;
        log = GPI(chunk_log);
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
            *piece = GPI(cut)(job, chunk->first + t, GPI(tile_items), chunk->splits[t],
                              chunk->splits[t + 1]);
            gpi_fetch_bulk(stage + piece->a_at - gpi_misalignment(piece->a), piece->a,
                           piece->a_items * (unsigned)sizeof(GP_TYPE), a, full);
            gpi_fetch_bulk(stage + piece->b_at - gpi_misalignment(piece->b), piece->b,
                           piece->b_items * (unsigned)sizeof(GP_TYPE), b, full);
            gpi_pipeline_advance(&place, GPI(stages));
        }
        gpi_mbarrier_arrive(&pipeline->used[from.stage]);
    }
}

/* Merges tiles, and writes them. */
GPI_DEVICE void GPI(merge_tiles)(GPI(pipeline) *pipeline, char *stages, unsigned lane,
                                 GPI_CONTEXT context)
{
    const unsigned first = threadIdx.x * GPI(items);
    gpi_pipeline_place place = {0, 0};
    int previous = -1;

    for (;;) {
        char *stage = stages + place.stage * GPI(stage_bytes);
        GP_TYPE x[GPI(items)];

        gpi_mbarrier_wait(&pipeline->full[place.stage], place.parity);
        const GPI(piece) piece = pipeline->pieces[place.stage];
        if (piece.items == 0)
            break;
        if (first < piece.items)
            GPI(take)(x, stage, &piece, first, context);
        if (lane == 0)
            gpi_bulk_wait_read(0);
        __syncwarp(); /* the tile before has left its stage */
        if (previous >= 0)
            gpi_mbarrier_arrive(&pipeline->empty[previous]);
        gpi_barrier_sync(1, GPI(threads)); /* the parts have been read */
        if (first < piece.items)
            GPI(put)(x, stage, &piece, first);
        gpi_fence_async();
        __syncwarp(); /* the warp's items are in the stage */
        GPI(write)(stage, &piece, lane, 1);
        previous = place.stage;
        gpi_pipeline_advance(&place, GPI(stages));
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
