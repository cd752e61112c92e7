/*
 * core/segmented/reduce.cuh: the kernel of the reductions.
 *
 * Part of segmented.cuh; not to be included directly.
 */

#if GPI_DEVICE_CODE
/* One warp: the fold of n neighbouring items, 1 to a chunk, window by window; in lane 0. */
GPI_DEVICE GP_TYPE GPI(fold_items)(const GPI(job) *job, size_t first, size_t n, GP_TYPE *slot, unsigned lane,
                                   GPI_CONTEXT context)
{
    unsigned rounds = 0;
    GP_TYPE sum;

    GPI_UNDEFINED(sum);
    GPI_NO_UNROLL
    for (size_t at = 0; at < n; at += GPI(window_n)) {
        const unsigned items = gpi_min_size(n - at, GPI(window_n));

        GPI(load_window)(job->in, first + at, items, slot, lane, context);
        rounds = GPI(fold_window)(slot, 0, items, &sum, rounds, lane);
        __syncwarp(); /* the slot is free */
    }
    return GPI(fold_rounds)(sum, rounds, lane);
}

/* One warp: a chunk of segment s, which consists of items [first, last). */
GPI_DEVICE void GPI(reduce_chunk)(const GPI(job) *job, size_t s, size_t first, size_t last, size_t number,
                                  uint32_t epoch, GP_TYPE *slot, unsigned lane, GPI_CONTEXT context)
{
    const size_t start = first + number * job->chunk_n;
    const int goes_on = last - start > job->chunk_n;
    GP_TYPE x = GPI(fold_items)(job, start, goes_on ? job->chunk_n : last - start, slot, lane, context);

    if (goes_on || number) {
        const GPI(chunk) chunk = {first / job->chunk_n, number, epoch};

        x = GPI(climb)(job, &chunk, goes_on, x, lane);
    }
    if (lane == 0 && !goes_on)
        gpi_move(job->out + s, &x);
}

/* One warp: the next `count` segments, which fit into a window. Short ones are left to a lane each. */
GPI_DEVICE void GPI(reduce_batch)(const GPI(job) *job, const GPI(walk) *walk, unsigned count, GP_TYPE *slot,
                                  const unsigned *ends, unsigned lane, GPI_CONTEXT context)
{
    GP_TYPE *out = job->out + walk->segment;

    GPI(load_window)(job->in, walk->item, ends[count], slot, lane, context);
    GPI_NO_UNROLL
    for (unsigned i = lane; i - lane < count; i += 32) {
        const unsigned start = ends[i], n = i < count ? ends[i + 1] - start : 0;
        unsigned longer = __ballot_sync(GPI_FULL_MASK, n > GPI(short_n));

        if (i < count && n <= GPI(short_n)) {
            const GP_TYPE x = n ? GPI(fold_short)(slot, start, n) : GPI(identity)();

            gpi_move(out + i, &x);
        }
        for (; longer; longer &= longer - 1) {
            const unsigned j = i - lane + (unsigned)__ffs((int)longer) - 1;
            GP_TYPE x;

            GPI_UNDEFINED(x);
            const unsigned rounds = GPI(fold_window)(slot, ends[j], ends[j + 1] - ends[j], &x, 0, lane);
            x = GPI(fold_rounds)(x, rounds, lane);
            if (lane == 0)
                gpi_move(out + j, &x);
        }
    }
}

/* One warp: a range. */
GPI_DEVICE void GPI(reduce_range)(const GPI(job) *job, size_t range, uint32_t epoch, GP_TYPE *slot, unsigned *ends,
                                  unsigned lane, GPI_CONTEXT context)
{
    GPI(walk) walk = GPI(enter)(job, range, lane);
    const GPI(late) late = GPI(late_chunk)(job, &walk);

    while (walk.segment < job->segments && walk.item + walk.segment < walk.limit) {
        const unsigned count = GPI(next_batch)(job, &walk, ends, lane);

        __syncwarp(); /* ends are complete */
        if (count) {
            GPI(reduce_batch)(job, &walk, count, slot, ends, lane, context);
            walk.item += ends[count];
            walk.segment += count;
        } else {
            const size_t end = GPI(offset)(job, walk.segment + 1);

            GPI(reduce_chunk)(job, walk.segment, walk.item, end, 0, epoch, slot, lane, context);
            walk.item = end;
            walk.segment++;
        }
        __syncwarp(); /* slot and ends are free */
    }
    if (late.number)
        GPI(reduce_chunk)(job, late.segment, late.first, late.last, late.number, epoch, slot, lane, context);
}
#endif

static __global__ void __launch_bounds__(GPI(threads), GPI(reduce_blocks))
    GPI(reduce_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, slots);
    GP_SHARED(unsigned[GPI(warps)][GPI(batch_n) + 1], ends);
    GP_SHARED(uint64_t, drawn);
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    GPI(turn) turn = {0, 0, 0};

    gpi_grid_wait();
    gpi_grid_launch_next();
    while (GPI(next_tile)(&job, &turn, &drawn))
        GPI(reduce_range)(&job, (size_t)turn.tile * GPI(warps) + warp, turn.epoch,
                          (GP_TYPE *)(void *)(slots + warp * GPI(slot_bytes)), ends[warp], lane, context);
    GPI(finish)(&job, &turn);
#endif
}
