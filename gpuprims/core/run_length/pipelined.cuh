/*
 * core/run_length/pipelined.cuh: run lengths as core/tile/pipeline.cuh needs them. A stage has a slot for the items of
 * each warp tile, and one for its values if there are any, and the heads that the sum warps have found.
 *
 * Part of run_length.cuh; not to be included directly.
 */
enum {
    GPI(look_back_warps) =
        GPI(is_narrow) ? GPI_TUNE_RUN_LENGTH_NARROW_LOOK_BACK_WARPS : GPI_TUNE_RUN_LENGTH_LOOK_BACK_WARPS,
    GPI(sum_warps) = GPI(is_narrow) ? GPI_TUNE_RUN_LENGTH_NARROW_SUM_WARPS : GPI_TUNE_RUN_LENGTH_SUM_WARPS,
    GPI(stage) = (int)GPI(warp_tiles) * ((int)GPI(slots) + (int)GPI(head_bytes)),
    GPI(max_stages) =
        GPI_STAGES_IN(GPI_PIPELINE_ROOM - (int)sizeof(GPI(shared)), GPI(stage), GPI_TUNE_RUN_LENGTH_STAGES),
    GPI(pipeline_bytes) = GPI(max_stages) * GPI(stage)
};

#define GPI_RUN_LENGTH_SLOTS(stage, q) ((stage) + (q) * GPI(slots))
#define GPI_RUN_LENGTH_HEADS(stage, q) ((stage) + (int)GPI(warp_tiles) * GPI(slots) + (q) * GPI(head_bytes))

#if GPI_SM90_CODE
/* What a write warp holds. */
typedef struct {
    GPI(thread_keys) regs;
    uint32_t heads[GPI(head_words)];
    unsigned n, rank, all; /* items, heads before the lane, heads of the warp tile */
} GPI(held);

GPI_DEVICE int GPI(rounds)(const GPI(job) *job)
{
    return job->in_place ? 0 : GPI_TUNE_RUN_LENGTH_ROUNDS;
}

GPI_DEVICE unsigned GPI(arrivals)(const GPI(job) *job)
{
    return GPI_RUN_LENGTH_HAS_VALUES(job) ? 2 : 1;
}

GPI_DEVICE gpi_copy GPI(stage_copy)(const GPI(job) *job, size_t warp_tile, char *stage, unsigned q, unsigned values)
{
    return GPI(copy_of)(job, warp_tile, (int)values, GPI_RUN_LENGTH_SLOTS(stage, q));
}

/* Finds the heads, and leaves them in the stage. */
GPI_DEVICE void GPI(sum_warp_tile)(const GPI(job) *job, size_t warp_tile, char *stage, unsigned q, GPI(sum) *sum,
                                   unsigned lane, GPI_CONTEXT context)
{
    const GPI(found) found = GPI(find)(job, warp_tile, GPI_RUN_LENGTH_SLOTS(stage, q), lane, context);

    GPI(leave_heads)(GPI_RUN_LENGTH_HEADS(stage, q), found.heads, found.rank, lane);
    if (lane == 0)
        *sum = found.sum;
}

GPI_DEVICE int GPI(take_warp_tile)(const GPI(job) *job, GPI(held) *held, size_t warp_tile, char *stage, unsigned q,
                                   GPI(sum) sum, unsigned lane, GPI_CONTEXT context)
{
    (void)context;
    held->n = GPI(warp_tile_items)(job->n, warp_tile);
    held->all = sum.heads;
    if (!held->n || !(sum.heads || GPI_RUN_LENGTH_IS_LAST(job, warp_tile)))
        return 0;
    if (job->out && !GPI_RUN_LENGTH_IS_SPARSE(sum.heads))
        GPI(read_keys)(&held->regs, GPI_RUN_LENGTH_SLOTS(stage, q) + GPI(place_of)(job, warp_tile), lane);
    held->rank = GPI(take_heads)(GPI_RUN_LENGTH_HEADS(stage, q), held->heads, lane);
    return 1;
}

GPI_DEVICE int GPI(put_warp_tile)(const GPI(job) *job, GPI(shared) *shared, GPI(held) *held, const GPI(before) *before,
                                   size_t warp_tile, char *stage, unsigned q, unsigned lane, GPI_CONTEXT context)
{
    const unsigned writer = threadIdx.x / 32 - 2 - GPI(sum_warps);

    (void)context;
    GPI(write)(job, shared, shared->lists[writer], warp_tile, held->n, GPI_RUN_LENGTH_SLOTS(stage, q), &held->regs,
               held->heads, held->rank, held->all, before, lane);
    return 0;
}
#endif

#include "../tile/pipeline.cuh"

#undef GPI_RUN_LENGTH_SLOTS
#undef GPI_RUN_LENGTH_HEADS
