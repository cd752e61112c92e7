/*
 * core/scan/pipelined.cuh: the scan as core/tile/pipeline.cuh needs it. A stage has a slot for each warp tile, which
 * is scanned in its place, and the scans of its lanes.
 *
 * Part of scan.cuh; not to be included directly.
 */
enum {
#ifdef GP_LOAD_AT /* they load, too */
    GPI(sum_warps) = sizeof(GP_TYPE) <= 8 ? 2 * (int)GPI(warp_tiles) : sizeof(GP_TYPE) <= 16 ? 8 : 4,
#else
    GPI(sum_warps) = sizeof(GP_TYPE) <= 8 ? 8 : 4, /* of larger types they would lack registers */
#endif
    GPI(teams) = 1,
    GPI(stage) = GPI(warp_tiles) * (GPI(slot_bytes) + 32 * (int)sizeof(GP_TYPE)),
    GPI(max_stages) = GPI_PIPELINE_STAGES(GPI(stage), GPI_TUNE_SCAN_STAGES),
    GPI(pipeline_bytes) = GPI(max_stages) * GPI(stage),
    GPI(look_back_warps) = sizeof(GP_TYPE) <= 16 ? GPI_TUNE_SCAN_LOOK_BACK_WARPS : 3 /* they have much to do */
};

#define GPI_SCAN_LANES(stage, q) ((GP_TYPE *)(void *)((stage) + (int)GPI(warp_tiles) * GPI(slot_bytes)) + (q) * 32)

#if GPI_SM90_CODE
/* What a write warp holds: a whole warp tile, or nothing yet. */
typedef struct {
    GPI(thread_items) regs;
    unsigned n;
} GPI(held);

GPI_DEVICE int GPI(rounds)(const GPI(job) *job)
{
    const int all_fit = job->tiles <= GPI(max_stages) * gridDim.x;

    return job->in_place ? 0 : all_fit ? (int)GPI(max_stages) : GPI_TUNE_SCAN_ROUNDS;
}

GPI_DEVICE unsigned GPI(arrivals)(const GPI(job) *job)
{
    (void)job;
    return 1;
}

GPI_DEVICE gpi_copy GPI(stage_copy)(const GPI(job) *job, size_t warp_tile, char *stage, unsigned q, unsigned part)
{
    (void)part;
    return GPI(copy_warp_tile)(job->in, job->n, warp_tile, stage + q * GPI(slot_bytes));
}

GPI_DEVICE void GPI(sum_warp_tile)(const GPI(job) *job, size_t warp_tile, char *stage, unsigned q, GP_TYPE *sum,
                                   unsigned lane, GPI_CONTEXT context)
{
    const unsigned n = GPI(warp_tile_items)(job->n, warp_tile), valid = (n + GPI(thread_n) - 1) / GPI(thread_n);
    const unsigned misalignment = gpi_misalignment(GPI(read_from)(job->in, warp_tile));
    char *slot = stage + q * GPI(slot_bytes);
    GPI(thread_items) regs;

#ifdef GP_LOAD_AT
    GPI(compute_items)(job->in, warp_tile * GPI(warp_tile_n), n, slot, lane, context);
#endif
    GP_TYPE x = GPI(fold_items)(&regs, slot, misalignment, n, lane, context);
    x = GPI(warp_scan)(x, (int)lane, (int)valid);
    GPI_SCAN_LANES(stage, q)[lane] = x;
    if (lane + 1 == valid)
        *sum = x;
}

GPI_DEVICE int GPI(take_warp_tile)(const GPI(job) *job, GPI(held) *held, size_t warp_tile, char *stage, unsigned q,
                                   GP_TYPE sum, unsigned lane, GPI_CONTEXT context)
{
    (void)sum;
    held->n = GPI(warp_tile_items)(job->n, warp_tile);
    if (GPI_SCAN_IS_WHOLE(held->n))
        GPI(thread_read)(&held->regs, stage + q * GPI(slot_bytes),
                         gpi_misalignment(GPI(read_from)(job->in, warp_tile)), lane, context);
    return held->n != 0;
}

/* Scans the warp tile in its slot, and starts the bulk copy to where it goes, or stores it. */
GPI_DEVICE int GPI(put_warp_tile)(const GPI(job) *job, GPI(shared) *shared, GPI(held) *held, const GPI(before) *before,
                                  size_t warp_tile, char *stage, unsigned q, unsigned lane, GPI_CONTEXT context)
{
    char *slot = stage + q * GPI(slot_bytes);
    const int has_prefix = before->has_tiles || before->has_warps || lane > 0;
    GP_TYPE prefix = before->tiles;

    (void)shared;
    if (GPI(runs_over) || lane * GPI(thread_n) < held->n)
        prefix = GPI(prefix)(before, GPI_SCAN_LANES(stage, q)[lane ? lane - 1 : 0], lane > 0);
    return GPI(write_items)(job, &held->regs, warp_tile, held->n, slot, prefix, has_prefix, lane, 1, context);
}
#endif

#include "../tile/pipeline.cuh"

#undef GPI_SCAN_LANES
