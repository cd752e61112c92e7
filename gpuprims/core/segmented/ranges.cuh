/*
 * core/segmented/ranges.cuh: the kernels: warps go through their ranges, piece by piece.
 *
 * Part of segmented.cuh; not to be included directly.
 */

#if GPI_DEVICE_CODE
/* One warp: its ranges. `scans` is a constant. */
GPI_DEVICE void GPI(do_ranges)(const GPI(job) *job, char *slots, GPI(batch_list) *lists, int scans, GPI_CONTEXT context)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    GP_TYPE *slot = (GP_TYPE *)(void *)(slots + warp * (scans ? GPI(scan_slot) : GPI(reduce_slot)));
    GPI(batch_list) *list = &lists[warp];
    GPI(walk) walk = {0, 0, 0};

    gpi_grid_wait();
    gpi_grid_launch_next();
    GPI(take_first)(job, lists);
    while (GPI(enter)(job, &walk, list, lane)) {
        GPI(chunk) chunk;
        GPI(batch) batch;

        if (lane == 0)
            list->late = GPI(late_chunk)(job, &walk, list);
        __syncwarp(); /* it is known */
        while (GPI(next_piece)(job, &walk, &batch, &chunk, list, lane)) {
            if (batch.count && scans)
                GPI(scan_batch)(job, &batch, slot, list, lane, context);
            else if (batch.count)
                GPI(reduce_batch)(job, &batch, slot, list, lane, context);
            else if (scans)
                GPI(scan_chunk)(job, &chunk, list->epoch, slot, lane, context);
            else
                GPI(reduce_chunk)(job, &chunk, list->epoch, slot, lane, context);
            __syncwarp(); /* slot and list are free */
        }
        GPI(take_next)(job, list, lane);
    }
    GPI(finish)(job, list);
}
#endif

static __global__ void __launch_bounds__(GPI(threads), GPI(reduce_blocks))
    GPI(reduce_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, slots);
    GP_SHARED(GPI(batch_list)[GPI(warps)], lists);

    GPI(do_ranges)(&job, slots, lists, 0, context);
#endif
}

static __global__ void __launch_bounds__(GPI(threads), GPI(scan_blocks))
    GPI(scan_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, slots);
    GP_SHARED(GPI(batch_list)[GPI(warps)], lists);

    GPI(do_ranges)(&job, slots, lists, 1, context);
#endif
}
