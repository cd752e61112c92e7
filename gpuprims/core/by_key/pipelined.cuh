/*
 * core/by_key/pipelined.cuh: folds by key as core/tile/pipeline.cuh needs them. A stage has a slot for the keys of each
 * warp tile and one for its items, the heads that the sum warps have found, and the folds of the lanes.
 *
 * Part of by_key.cuh; not to be included directly.
 */
enum {
    GPI(look_back_warps) = GPI_TUNE_BY_KEY_LOOK_BACK_WARPS,
    GPI(sum_warps) = GPI_TUNE_BY_KEY_SUM_WARPS,
    GPI(teams) = GPI(warp_tiles) > 4 ? 1 : GPI_TUNE_BY_KEY_TEAMS, /* more warps would not fit into a block */
    GPI(found_bytes) = (int)GPI(head_bytes) + (32 * (int)sizeof(GP_TYPE) + 127) / 128 * 128,
    GPI(stage) = (int)GPI(warp_tiles) * ((int)GPI(slots) + (int)GPI(found_bytes)),
    GPI(max_stages) = GPI_PIPELINE_STAGES(GPI(stage), GPI_TUNE_BY_KEY_STAGES),
    GPI(pipeline_bytes) = GPI(max_stages) * GPI(stage)
};

#define GPI_BY_KEY_SLOTS(stage, q) ((stage) + (q) * GPI(slots))
#define GPI_BY_KEY_HEADS(stage, q) ((stage) + (int)GPI(warp_tiles) * GPI(slots) + (q) * GPI(found_bytes))
#define GPI_BY_KEY_LANES(stage, q) ((GP_TYPE *)(void *)(GPI_BY_KEY_HEADS(stage, q) + GPI(head_bytes)))

#if GPI_SM90_CODE
/* What a write warp holds. */
typedef struct {
    GPI(thread_items) regs;
    GPI(found) found;
    unsigned n;
} GPI(held);

GPI_DEVICE int GPI(rounds)(const GPI(job) *job)
{
    return job->in_place ? 0 : GPI_TUNE_BY_KEY_ROUNDS;
}

GPI_DEVICE unsigned GPI(arrivals)(const GPI(job) *job)
{
    (void)job;
    return 2;
}

GPI_DEVICE gpi_copy GPI(stage_copy)(const GPI(job) *job, size_t warp_tile, char *stage, unsigned q, unsigned keys)
{
    return GPI(copy_of)(job, warp_tile, (int)keys, GPI_BY_KEY_SLOTS(stage, q));
}

/* Finds the heads, folds the items from the last one on, and leaves what the lanes have found in the stage. */
GPI_DEVICE void GPI(sum_warp_tile)(const GPI(job) *job, size_t warp_tile, char *stage, unsigned q, GPI(sum) *sum,
                                   unsigned lane, GPI_CONTEXT context)
{
    const GPI(found) found = GPI(find)(job, warp_tile, GPI_BY_KEY_SLOTS(stage, q), lane, context);

    GPI(leave_heads)(GPI_BY_KEY_HEADS(stage, q), found.heads, found.before.heads, lane);
    GPI_BY_KEY_LANES(stage, q)[lane] = found.before.fold;
    if (lane == 0)
        *sum = found.all;
}

GPI_DEVICE int GPI(take_warp_tile)(const GPI(job) *job, GPI(held) *held, size_t warp_tile, char *stage, unsigned q,
                                   GPI(sum) sum, unsigned lane, GPI_CONTEXT context)
{
    held->n = GPI(warp_tile_items)(job->n, warp_tile);
    if (!held->n || !(sum.heads || job->result != GPI_BY_KEY_REDUCES || GPI_BY_KEY_IS_LAST(job, warp_tile)))
        return 0;
    GPI(read_items)(job, &held->regs, GPI_BY_KEY_SLOTS(stage, q) + GPI(key_slot), warp_tile, held->n, lane, context);
    held->found.all = sum;
    held->found.before.heads = GPI(take_heads)(GPI_BY_KEY_HEADS(stage, q), held->found.heads, lane);
    held->found.before.fold = GPI_BY_KEY_LANES(stage, q)[lane];
    return 1;
}

GPI_DEVICE int GPI(put_warp_tile)(const GPI(job) *job, GPI(shared) *table, GPI(held) *held, const GPI(before) *before,
                                   size_t warp_tile, char *stage, unsigned q, unsigned lane, GPI_CONTEXT context)
{
    (void)context;
    GPI(write)(job, warp_tile, held->n, GPI_BY_KEY_SLOTS(stage, q), table, &held->regs, &held->found,
               before, lane, 1);
    return job->result != GPI_BY_KEY_REDUCES;
}
#endif

#include "../tile/pipeline.cuh"

#undef GPI_BY_KEY_SLOTS
#undef GPI_BY_KEY_HEADS
#undef GPI_BY_KEY_LANES
