/*
 * core/segmented/ranges.cuh: the kernels: warps go through their ranges, piece by piece.
 *
 * Part of segmented.cuh; not to be included directly.
 */

#if GPI_DEVICE_CODE
/* One warp: a batch; a chunk, if that is empty. `scans` is a constant. */
GPI_DEVICE void GPI(do_piece)(const GPI(job) *job, const GPI(batch) *batch, const GPI(chunk) *chunk, int scans,
                              GP_TYPE *slot, GPI(batch_list) *list, unsigned lane, GPI_CONTEXT context)
{
    if (scans && GPI(any_order) && batch->count)
        GPI(sweep_segments)(job, batch, slot, list, lane, context);
    else if (scans && GPI(any_order))
        GPI(sweep_chunk)(job, chunk, list->epoch, slot, lane, context);
    else if (batch->count && scans)
        GPI(scan_batch)(job, batch, slot, list, lane, context);
    else if (batch->count)
        GPI(reduce_batch)(job, batch, slot, list, lane, context);
    else if (scans)
        GPI(scan_chunk)(job, chunk, list->epoch, slot, lane, context);
    else
        GPI(reduce_chunk)(job, chunk, list->epoch, slot, lane, context);
    __syncwarp(); /* slot and list are free */
}

/*
 * One warp: its ranges. `scans` is a constant. The late chunk comes last: it waits for others, and nobody waits for
 * what comes behind it. If there are segments before, it is in the list until then, and takes no registers.
 */
GPI_DEVICE void GPI(do_ranges)(const GPI(job) *job, char *slots, GPI(batch_list) *lists, uint32_t *marks, int scans,
                               GPI_CONTEXT context)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    GP_TYPE *slot = (GP_TYPE *)(void *)(slots + warp * (scans ? GPI(scan_slot) : GPI(reduce_slot)));
    GPI(batch_list) *list = &lists[warp];
    GPI(walk) walk = {0, 0, 0};
    GPI(chunk) chunk;

    gpi_grid_wait();
    gpi_grid_launch_next();
    GPI(take_first)(job, lists, marks);
    const uint64_t checked_out = GPI(check_out_early)(job); /* used late: it takes a while */
    walk.range = list->range;
    for (; GPI(enter)(job, &walk, &chunk, list, marks, lane); GPI(take_next)(job, &walk, lane)) {
        int more = GPI(starts_segment)(job, &walk);

        if (more && lane == 0)
            list->late = chunk;
        while (more || chunk.number) {
            GPI(batch) batch = {0, 0, 0, 0};

            if (more) {
                batch = GPI(next_batch)(job, &walk, list, lane);
                chunk.segment = batch.segment;
                chunk.first = batch.item;
                chunk.last = walk.item;
                chunk.number = 0;
            }
            GPI(do_piece)(job, &batch, &chunk, scans, slot, list, lane, context);
            if (!more)
                break;
            more = GPI(starts_segment)(job, &walk);
            if (!more)
                chunk = list->late;
        }
    }
    GPI(finish)(job, list, checked_out);
}
#endif

static __global__ void __launch_bounds__(GPI(threads), GPI(reduce_blocks))
    GPI(reduce_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, slots);
    GP_SHARED(GPI(batch_list)[GPI(warps)], lists);
    GP_SHARED(uint32_t[GPI(marks)], marks);

    GPI(do_ranges)(&job, slots, lists, marks, 0, context);
#endif
}

static __global__ void __launch_bounds__(GPI(threads), GPI(scan_blocks))
    GPI(scan_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, slots);
    GP_SHARED(GPI(batch_list)[GPI(warps)], lists);
    GP_SHARED(uint32_t[GPI(marks)], marks);

    GPI(do_ranges)(&job, slots, lists, marks, 1, context);
#endif
}
