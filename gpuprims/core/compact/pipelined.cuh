/*
 * core/compact/pipelined.cuh: the compaction as core/tile/pipeline.cuh needs it. A stage has a slot for each warp
 * tile, in which the kept items are put together, the lanes' choices and ranks, and with flags a slot for these.
 *
 * Part of compact.cuh; not to be included directly.
 */
enum {
    GPI(look_back_warps) =
        sizeof(GP_TYPE) == 1 ? GPI_TUNE_COMPACT_BYTE_LOOK_BACK_WARPS : GPI_TUNE_COMPACT_LOOK_BACK_WARPS,
#ifdef GP_LOAD_AT /* they load, too; bytes have many write warps */
    GPI(sum_warps) = sizeof(GP_TYPE) == 1    ? 8
                     : sizeof(GP_TYPE) <= 8  ? 2 * (int)GPI(warp_tiles)
                     : sizeof(GP_TYPE) <= 16 ? 8
                                             : 4,
#else
    GPI(sum_warps) = GPI_TUNE_COMPACT_SUM_WARPS,
#endif
    GPI(teams) = sizeof(GP_TYPE) == 1 ? GPI_TUNE_COMPACT_BYTE_TEAMS : 1,
    GPI(stage) = (int)GPI(warp_tiles) * (GPI(slot) + 128 * (GPI(bits) + 1)),
    GPI(flag_stage) = GPI(stage) + (int)GPI(warp_tiles) * GPI(flag_slot),
    GPI(max_stages) = GPI_PIPELINE_STAGES(GPI(stage), GPI_TUNE_COMPACT_STAGES),
    GPI(flag_stages) = GPI_PIPELINE_STAGES(GPI(flag_stage), GPI_TUNE_COMPACT_STAGES),
    GPI(pipeline_bytes) = GPI(max_stages) * GPI(stage) > GPI(flag_stages) * GPI(flag_stage)
                              ? GPI(max_stages) * GPI(stage)
                              : GPI(flag_stages) * GPI(flag_stage)
};

/* Where a stage keeps a lane's choice in warp tile q: GPI(bits) words, and its rank, 32 words apart. */
#define GPI_COMPACT_CHOICE(stage, q, lane)                                   \
    ((uint32_t *)(void *)((stage) + (int)GPI(warp_tiles) * GPI(slot)) +      \
     (q) * (32 * (GPI(bits) + 1)) + (lane))
#define GPI_COMPACT_FLAGS(stage, q) ((stage) + GPI(stage) + (q) * GPI(flag_slot))

#if GPI_SM90_CODE
/* What a write warp holds. */
typedef struct {
    GPI(thread_items) regs;
    GPI(part) part;
    unsigned kept;
} GPI(held);

GPI_DEVICE int GPI(stages)(const GPI(job) *job)
{
    return job->flags ? GPI(flag_stages) : GPI(max_stages);
}

GPI_DEVICE int GPI(stage_bytes)(const GPI(job) *job)
{
    return job->flags ? GPI(flag_stage) : GPI(stage);
}

GPI_DEVICE int GPI(rounds)(const GPI(job) *job)
{
    return job->in_place ? 0 : job->first_tiles ? GPI(stages)(job) : GPI_TUNE_COMPACT_ROUNDS;
}

GPI_DEVICE unsigned GPI(arrivals)(const GPI(job) *job)
{
    return job->flags ? 2 : 1;
}

GPI_DEVICE gpi_copy GPI(stage_copy)(const GPI(job) *job, size_t warp_tile, char *stage, unsigned q, unsigned flags)
{
    const GPI(part) part = GPI(cut)(job, warp_tile);
    gpi_copy copy = GPI(copy_of)(job, part, (int)flags, flags ? GPI_COMPACT_FLAGS(stage, q) : stage + q * GPI(slot));

    if (!part.last || (!flags && GPI(computes)))
        copy.bytes = 0;
    return copy;
}

/* Chooses the items, and counts them. */
GPI_DEVICE void GPI(sum_warp_tile)(const GPI(job) *job, size_t warp_tile, char *stage, unsigned q, uint32_t *sum,
                                   unsigned lane, GPI_CONTEXT context)
{
    const GPI(part) part = GPI(cut)(job, warp_tile);
    const unsigned misalignment = GPI(misalignment)(job, part);
    uint32_t *choice = GPI_COMPACT_CHOICE(stage, q, lane), keep[GPI(bits)];
    char *slot = stage + q * GPI(slot);
    GPI(thread_items) regs;

#ifdef GP_LOAD_AT
    GPI(compute_items)(job->in, part.start, part.last, slot, lane, context); /* there is no skip */
#endif
    if (GPI_COMPACT_IS_SHORT(part) && !job->flags)
        GPI(fill)(slot + misalignment, part, lane);
    if (sizeof(GP_TYPE) > 1 && !job->flags)
        GPI(thread_read)(&regs, slot, misalignment, lane, context);
    const unsigned kept = GPI(choose)(keep, job, part, &regs, slot + misalignment, GPI_COMPACT_FLAGS(stage, q), lane,
                                      context);
    const unsigned through = gpi_warp_prefix(kept, lane);

    GPI_UNROLL
    for (int w = 0; w < GPI(bits); w++)
        choice[w * 32] = keep[w];
    choice[GPI(bits) * 32] = through - kept;
    if (lane == 31)
        *sum = through;
}

GPI_DEVICE int GPI(take_warp_tile)(const GPI(job) *job, GPI(held) *held, size_t warp_tile, char *stage, unsigned q,
                                   uint32_t sum, unsigned lane, GPI_CONTEXT context)
{
    held->part = GPI(cut)(job, warp_tile);
    held->kept = sum;
    if (!held->part.last || !(sum || job->rejected != GPI_REJECTED_DROPPED || GPI_COMPACT_IS_LAST(job, held->part)))
        return 0;
    GPI(thread_read)(&held->regs, stage + q * GPI(slot), GPI(misalignment)(job, held->part), lane, context);
    return 1;
}

/* Puts the items together in their slot, and starts the bulk copy to where they go. */
GPI_DEVICE int GPI(put_warp_tile)(const GPI(job) *job, GPI(shared) *table, GPI(held) *held, const GPI(before) *before,
                                   size_t warp_tile, char *stage, unsigned q, unsigned lane, GPI_CONTEXT context)
{
    const uint32_t *choice = GPI_COMPACT_CHOICE(stage, q, lane);
    uint32_t keep[GPI(bits)];

    (void)warp_tile;
    GPI_UNROLL
    for (int w = 0; w < GPI(bits); w++)
        keep[w] = choice[w * 32];
    GPI(write)(job, held->part, stage + q * GPI(slot), &held->regs, keep, choice[GPI(bits) * 32], held->kept,
               GPI(kept_before)(job, before, held->part, held->kept, lane), (size_t)before->all, table, lane, 1,
               context);
    return 1;
}
#endif

#define GPI_STAGES_VARY
#include "../tile/pipeline.cuh"
#undef GPI_STAGES_VARY

#undef GPI_COMPACT_CHOICE
#undef GPI_COMPACT_FLAGS
