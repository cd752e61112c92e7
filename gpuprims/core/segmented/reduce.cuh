/*
 * core/segmented/reduce.cuh: the reductions of a batch of segments, and of a chunk.
 *
 * Part of segmented.cuh; not to be included directly.
 */

#if GPI_DEVICE_CODE
#ifndef GP_LOAD_AT
/* One warp, in any order: the fold of n neighbouring items, read by vectors; in lane 0. */
GPI_DEVICE GP_TYPE GPI(fold_vectors)(const GP_INPUT_TYPE *in, unsigned n, unsigned lane, GPI_CONTEXT context)
{
    enum { vector_n = GPI(vector_loads), some = 4 };
    const unsigned past = (unsigned)((uintptr_t)in % 16 / sizeof *in);
    const unsigned head = gpi_min(n, (vector_n - past) % vector_n), vectors = (n - head) / vector_n;
    GP_TYPE sum = GPI(identity)();

    if (lane < n - vectors * vector_n) { /* those before and behind vectors */
        GPI(loaded) x;

        gpi_move(&x, in + (lane < head ? lane : lane + vectors * vector_n));
        sum = GPI(load)(&x, context);
    }
    in += head;
    GPI_NO_UNROLL
    for (unsigned v = lane; v < vectors; v += 32 * some) {
        uint4 words[some];

        GPI_UNDEFINED(words);
        GPI_UNROLL
        for (unsigned k = 0; k < some; k++)
            if (v + 32 * k < vectors)
                gpi_get(words[k], in + (v + 32 * k) * vector_n);
        GPI_UNROLL
        for (unsigned k = 0; k < some; k++)
            if (v + 32 * k < vectors) {
                GPI(loaded) x[vector_n];

                memcpy((void *)x, &words[k], sizeof x);
                GPI_UNROLL
                for (unsigned i = 0; i < vector_n; i++)
                    sum = GPI(combine)(sum, GPI(load)(&x[i], context));
            }
    }
    return GPI(warp_reduce)(sum, (int)lane, 32);
}
#endif

/*
 * One warp: the fold of n neighbouring items, 1 to a chunk, window by window; in lane 0. Of a whole window, each lane
 * folds neighbouring runs.
 */
GPI_DEVICE GP_TYPE GPI(fold_items)(const GPI(job) *job, size_t first, size_t n, GP_TYPE *slot, unsigned lane,
                                   GPI_CONTEXT context)
{
    unsigned windows = 0;
    GP_TYPE sum;

#ifndef GP_LOAD_AT
    if (GPI(any_order) && GPI(vector_loads) > 1)
        return GPI(fold_vectors)(job->in + first, (unsigned)n, lane, context);
#endif
    GPI_UNDEFINED(sum);
    GPI_NO_UNROLL
    for (size_t at = 0; at < n; at += GPI(window_n), windows++) {
        const unsigned items = gpi_min_size(n - at, GPI(window_n));
        GP_TYPE x;

        GPI_UNDEFINED(x);
        GPI(load_window)(job->in, first + at, items, slot, 1, lane, context);
        GPI(wait_for_window)();
        if (items == GPI(window_n)) {
            x = GPI(fold_part)(slot + GPI(place)(lane * GPI(part_n), 1), GPI(reduce_rounds), GPI(reduce_rounds));
            x = GPI(warp_reduce)(x, (int)lane, 32);
        } else {
            const unsigned rounds = GPI(fold_window)(slot, 0, items, &x, 0, lane);

            x = GPI(fold_rounds)(x, rounds, lane);
        }
        __syncwarp(); /* the slot is free */
        x = GPI(shuffle)(x, 0);
        if (lane == windows)
            sum = x;
    }
    return GPI(fold_rounds)(sum, windows, lane);
}

/* One warp: a chunk. */
GPI_DEVICE void GPI(reduce_chunk)(const GPI(job) *job, const GPI(chunk) *chunk, uint32_t epoch, GP_TYPE *slot,
                                  unsigned lane, GPI_CONTEXT context)
{
    const size_t start = chunk->first + chunk->number * job->chunk_n;
    const int goes_on = chunk->last - start > job->chunk_n;
    GP_TYPE x = GPI(fold_items)(job, start, goes_on ? job->chunk_n : chunk->last - start, slot, lane, context);

    if (goes_on || chunk->number)
        x = GPI(climb)(job, chunk, goes_on, x, epoch, lane);
    if (lane == 0 && !goes_on)
        gpi_move(job->out + chunk->segment, &x);
}

/* One warp, in any order: the sums of a batch of segments, by parts of the window. */
GPI_DEVICE void GPI(sweep_batch)(const GPI(batch) *batch, GP_TYPE *out, GP_TYPE *slot, GPI(batch_list) *list,
                                 unsigned lane)
{
    const uint32_t heads = GPI(mark_heads)(list, batch->count, lane);
    const unsigned leading = GPI(leading_n)(heads);
    GP_TYPE *const part = slot + GPI(place)(lane * GPI(part_n), 1);
    GP_TYPE x[GPI(part_n)], sums[GPI(batch_rows)], before;

    GPI(wait_for_window)();
    GPI_UNROLL
    for (unsigned k = 0; k < GPI(part_n); k++)
        x[k] = part[k]; /* there is no gap in it */
    before = GPI(sweep)(x, heads, lane);
    GPI_UNROLL
    for (unsigned k = 0; k < GPI(part_n); k++)
        part[k] = x[k];
    if (leading)
        part[leading - 1] = GPI(combine)(before, part[leading - 1]);
    __syncwarp(); /* the sums up to each place are in the slot */
    GPI_UNROLL
    for (unsigned k = 0; k < GPI(batch_rows); k++) {
        const unsigned i = gpi_min(lane + 32 * k, batch->count - 1), end = list->ends[i + 1];

        sums[k] = end > list->ends[i] ? slot[GPI(place)(end - 1, 1)] : GPI(identity)();
    }
    GPI_UNROLL
    for (unsigned k = 0; k < GPI(batch_rows); k++)
        if (lane + 32 * k < batch->count)
            gpi_move(out + lane + 32 * k, &sums[k]);
}

/* One warp: a batch of segments. Those of a run go to a lane each, then runs of longer ones. */
GPI_DEVICE void GPI(reduce_batch)(const GPI(job) *job, const GPI(batch) *batch, GP_TYPE *slot, GPI(batch_list) *list,
                                  unsigned lane, GPI_CONTEXT context)
{
    GP_TYPE *out = job->out + batch->segment;
    unsigned longer = 0, dealt;

    if (!batch->n) { /* empty segments */
        const GP_TYPE x = GPI(identity)();

        GPI_NO_UNROLL
        for (unsigned i = lane; i < batch->count; i += 32)
            gpi_move(out + i, &x);
        return;
    }
    GPI(load_window)(job->in, batch->item, batch->n, slot, 1, lane, context);
    if (GPI(any_order) && GPI(has_longer)(list, batch->count, lane)) {
        GPI(sweep_batch)(batch, out, slot, list, lane);
        return;
    }
    GPI(wait_for_window)();
    GPI_NO_UNROLL
    for (unsigned i = lane; i - lane < batch->count; i += 32) {
        const unsigned start = list->ends[i], n = i < batch->count ? (unsigned)list->ends[i + 1] - start : 0;

        if (!GPI(any_order))
            longer = GPI(list_longer)(list, longer, i, n, lane);
        if (i < batch->count && n <= GPI(run_n)) {
            const GP_TYPE x = n ? GPI(fold_run)(slot, start, n) : GPI(identity)();

            gpi_move(out + i, &x);
        }
    }
    __syncwarp(); /* the list is complete */
    GPI_NO_UNROLL
    for (unsigned at = 0; at < longer; at += dealt ? dealt : 1) {
        GPI(share) share;
        GP_TYPE x;

        GPI_UNDEFINED(x);
        dealt = GPI(deal)(list, at, longer, &share, lane);
        if (!dealt) {
            share.segment = list->lists.longer[at] >> 9;
            const uint16_t *const ends = &list->ends[share.segment];
            const unsigned rounds = GPI(fold_window)(slot, ends[0], (unsigned)ends[1] - ends[0], &x, 0, lane);

            share.runs = lane == 0;
            x = GPI(fold_rounds)(x, rounds, lane);
        } else {
            const unsigned strides = gpi_min(GPI(left_strides)(share.number), share.runs - share.number);

            if (share.n)
                x = GPI(fold_run)(slot, share.first, share.n);
            GPI_UNROLL_STEPS
            for (unsigned stride = 1; stride < 32; stride *= 2) {
                const GP_TYPE right = GPI(shuffle_down)(x, stride);

                if (stride < strides)
                    x = GPI(combine)(x, right);
            }
        }
        if (share.runs && share.number == 0)
            gpi_move(out + share.segment, &x);
    }
}
#endif
