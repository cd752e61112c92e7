/*
 * core/segmented/walk.cuh: how the work is divided (Merrill and Garland 2016). Segments and items are counted together:
 * segment s is at offsets[s] + s, so that empty segments count, too. A range is an equal share of that for a warp. To
 * it belong the segments that start in it, and of those of more than one chunk the chunks that start in it.
 *
 * Part of segmented.cuh; not to be included directly.
 */

#if GPI_DEVICE_CODE
/* The first item of a segment; where the last one ends, if s is their number. */
GPI_DEVICE size_t GPI(offset)(const GPI(job) *job, size_t s)
{
    return job->offsets ? (size_t)job->offsets[s] : s * job->length;
}

/* Where a warp is in its range: the next segment, its first item, and the number of the range. */
typedef struct {
    size_t segment, item;
    uint32_t range;
} GPI(walk);

/* Where the range ends. */
GPI_DEVICE size_t GPI(limit)(const GPI(job) *job, const GPI(walk) *walk)
{
    return (size_t)job->range_n * (walk->range + (size_t)1);
}

/* Whether the next segment starts in the range. */
GPI_DEVICE int GPI(starts_segment)(const GPI(job) *job, const GPI(walk) *walk)
{
    return walk->segment < job->segments && walk->item + walk->segment < GPI(limit)(job, walk);
}

/*
 * The segments that a warp takes next: `count` with n items together, batch_n at most if these are any; or one of more
 * than fit into a window.
 */
typedef struct {
    size_t segment, item; /* the first */
    unsigned count, n;    /* 0: it is a long one, which ends where the next one begins */
} GPI(batch);

/* One warp: reads where the next segments end. */
GPI_DEVICE void GPI(look_ahead)(const GPI(job) *job, const GPI(walk) *walk, GP_INDEX *ahead, unsigned lane)
{
    const unsigned segments = gpi_min_size(job->segments - walk->segment, GPI(batch_n));
    const GP_INDEX *const ends = job->offsets + (job->offsets ? walk->segment : 0);

    GPI_UNROLL
    for (unsigned i = lane; i < GPI(batch_n); i += 32) {
        const unsigned s = gpi_min(i + 1, segments);

        if (job->offsets)
            gpi_copy_item(&ahead[i], &ends[s], sizeof *ahead);
        else
            ahead[i] = (GP_INDEX)((walk->segment + s) * job->length);
    }
}

/* From an item to an end behind it; 2^30, if it is farther. */
GPI_DEVICE unsigned GPI(distance)(size_t first, GP_INDEX end)
{
    const size_t distance = sizeof end == 4 ? (unsigned)end - (unsigned)first : (size_t)end - first;

    return gpi_min_size(distance, 1u << 30);
}

/*
 * One warp, at a batch of empty segments: how many in the range behind them are empty, too, by many at a time. In the
 * range each of them is one unit.
 */
GPI_DEVICE unsigned GPI(empty_ahead)(const GPI(job) *job, const GPI(walk) *walk, unsigned lane)
{
    enum { some = 512 };
    const size_t first = walk->segment + GPI(batch_n), start = first + walk->item;
    const unsigned room = start < GPI(limit)(job, walk) ? (unsigned)(GPI(limit)(job, walk) - start) : 0;
    const unsigned segments = gpi_min_size(first < job->segments ? job->segments - first : 0, room);
    unsigned count = 0;
    int are_empty = job->offsets != NULL;

    GPI_NO_UNROLL
    while (are_empty && count + some <= segments) {
        GPI_UNROLL
        for (unsigned k = 0; k < some; k += 32)
            are_empty &= (size_t)job->offsets[first + count + k + lane + 1] == walk->item;
        are_empty = __all_sync(GPI_FULL_MASK, are_empty);
        count += are_empty ? some : 0;
    }
    return count;
}

/*
 * One warp: takes the next segments that start in the range and fit into a window together, batch_n at most. ends[i]
 * becomes where the i-th of them begins, counted from the first, and ends[count] where the last one ends.
 */
GPI_DEVICE GPI(batch) GPI(next_batch)(const GPI(job) *job, GPI(walk) *walk, GPI(batch_list) *list, unsigned lane)
{
    const unsigned room = gpi_min_size(GPI(limit)(job, walk) - (walk->item + walk->segment), 1u << 30);
    const unsigned segments = gpi_min_size(job->segments - walk->segment, GPI(batch_n));
    GPI(batch) batch = {walk->segment, walk->item, 0, 0};
    unsigned fitting = 0, starting = 0; /* those that fit, and those behind an end that is still in the range */

    if (lane == 0)
        list->ends[0] = 0;
    gpi_copy_wait();
    GPI_UNROLL
    for (unsigned i = lane; i < GPI(batch_n); i += 32) {
        const unsigned end = GPI(distance)(walk->item, list->ahead[i]); /* the lane has copied it */

        list->ends[i + 1] = (uint16_t)end;
        fitting += i < segments && end <= job->window_n;
        starting += end + i + 1 < room;
    }
    fitting = gpi_warp_sum(fitting << 16 | starting);
    batch.count = gpi_min(fitting >> 16, 1 + (fitting & 0xFFFF));
    __syncwarp(); /* ends are complete */
    batch.n = list->ends[batch.count];
    if (lane == 0)
        list->before = batch.item + (batch.count ? list->ends[batch.count - 1] : 0);
    if (batch.count == GPI(batch_n) && batch.n == 0)
        batch.count += GPI(empty_ahead)(job, walk, lane);
    walk->segment += batch.count ? batch.count : 1;
    walk->item = batch.count ? batch.item + batch.n : GPI(offset)(job, walk->segment);
    if (GPI(starts_segment)(job, walk))
        GPI(look_ahead)(job, walk, list->ahead, lane);
    return batch;
}

/*
 * The chunk which starts in the range that the warp has entered, but whose segment starts before it: there is one at
 * most. Number 0: none.
 */
GPI_DEVICE GPI(chunk) GPI(late_chunk)(const GPI(job) *job, const GPI(walk) *walk, const GPI(batch_list) *list)
{
    GPI(chunk) late = {walk->segment - 1, 0, walk->item, 0};

    if (walk->segment == 0)
        return late;
    late.first = list->before;
    if (late.last - late.first > job->chunk_n) {
        const size_t key = late.first + late.segment, limit = GPI(limit)(job, walk);
        const size_t number = (limit - job->range_n - key + job->chunk_n - 1) >> job->chunk_bits;

        if (key + number * job->chunk_n < limit && number * job->chunk_n < late.last - late.first)
            late.number = number;
    }
    return late;
}

/* ---- which range a warp takes ---------------------------------------------------------------- */

/*
 * One warp: the first segment that is at `key`, where a range starts, or behind; their number, if none is. Where there
 * are marks, it looks at offsets only between two of them: marks[m] says where the last of the m-th mark_n segments is.
 */
GPI_DEVICE size_t GPI(find)(const GPI(job) *job, size_t key, const uint32_t *marks, unsigned lane)
{
    size_t first = 0, last = job->segments;

    if (!job->offsets) {
        const size_t s = (key + job->length) / (job->length + 1);

        return s < job->segments ? s : job->segments;
    }
    if (job->by_ticket) {
        unsigned count = 0;

        GPI_UNROLL
        for (unsigned m = lane; m < GPI(marks); m += 32)
            count += marks[m] < (uint32_t)(key >> job->mark_bits);
        first = gpi_warp_sum(count) * job->mark_n;
        if (first + job->mark_n - 1 < last)
            last = first + job->mark_n - 1;
    }
    while (first < last) { /* the result is one of first ... last */
        const size_t stride = (last - first + 63) / 64, probe = first + (lane + 1) * stride - 1;
        const size_t other = probe + 32 * stride;
        unsigned before = probe < last && (size_t)job->offsets[probe] + probe < key;

        before += other < last && (size_t)job->offsets[other] + other < key;
        first += gpi_warp_sum(before) * stride;
        if (last - first >= stride)
            last = first + stride - 1;
    }
    return last;
}

/*
 * All threads: the first range of each warp of the block. Where chunks may wait for others, ranges go by ticket: those
 * before are finished or under way. While that is on its way, marks are set.
 */
GPI_DEVICE void GPI(take_first)(const GPI(job) *job, GPI(batch_list) *lists, uint32_t *marks)
{
    uint64_t ticket = blockIdx.x * GPI(warps);

    if (job->by_ticket && threadIdx.x == 0)
        ticket = gpi_take_tickets(job->head, GPI(warps));
    if (job->by_ticket && job->offsets) {
        GPI_UNROLL
        for (unsigned m = threadIdx.x; m < GPI(marks); m += GPI(threads)) {
            const size_t s = (m + (size_t)1) * job->mark_n - 1;

            marks[m] = s < job->segments ? (uint32_t)(((size_t)job->offsets[s] + s) >> job->mark_bits) : 0xFFFFFFFFu;
        }
    }
    if (threadIdx.x == 0)
        for (unsigned w = 0; w < GPI(warps); w++) {
            lists[w].range = (uint32_t)ticket + w;
            lists[w].epoch = gpi_ticket_epoch(ticket);
        }
    __syncthreads(); /* they are known */
}

/* Whether there are more ranges than warps. */
GPI_DEVICE int GPI(takes_more)(const GPI(job) *job)
{
    return gridDim.x * GPI(warps) < job->ranges;
}

/*
 * One warp: takes its next range. A ticket is drawn when it can start, so that no chunk waits for a warp that is busy.
 */
GPI_DEVICE void GPI(take_next)(const GPI(job) *job, GPI(walk) *walk, unsigned lane)
{
    uint32_t range = GPI(takes_more)(job) ? walk->range + gridDim.x * GPI(warps) : job->ranges;

    if (GPI(takes_more)(job) && job->by_ticket && lane == 0)
        range = (uint32_t)gpi_take_ticket(job->head);
    walk->range = __shfl_sync(GPI_FULL_MASK, range, 0);
}

/* One warp: enters its range, if there is one left. *late: the chunk that starts there, but whose segment does not. */
GPI_DEVICE int GPI(enter)(const GPI(job) *job, GPI(walk) *walk, GPI(chunk) *late, GPI(batch_list) *list,
                          const uint32_t *marks, unsigned lane)
{
    const size_t start = (size_t)walk->range * job->range_n;

    gpi_copy_wait(); /* what lay ahead behind the range before */
    if (walk->range >= job->ranges)
        return 0;
    if (walk->item + walk->segment < start || !walk->segment) {
        __syncwarp(); /* `before` has been read */
        walk->segment = start ? GPI(find)(job, start, marks, lane) : 0;
        walk->item = GPI(offset)(job, walk->segment);
        if (lane == 0)
            list->before = walk->segment ? GPI(offset)(job, walk->segment - 1) : 0;
    }
    if (GPI(starts_segment)(job, walk))
        GPI(look_ahead)(job, walk, list->ahead, lane);
    __syncwarp(); /* `before` is known */
    *late = GPI(late_chunk)(job, walk, list);
    return 1;
}

/* All threads, when they have their first ranges: checks the block out, if it draws no more tickets. */
GPI_DEVICE uint64_t GPI(check_out_early)(const GPI(job) *job)
{
    return job->by_ticket && !GPI(takes_more)(job) && threadIdx.x == 0 ? gpi_check_out(job->head) : 0;
}

/* All threads, at the end: checks the block out, if it has drawn more. */
GPI_DEVICE void GPI(finish)(const GPI(job) *job, const GPI(batch_list) *list, uint64_t checked_out)
{
    if (!job->by_ticket)
        return;
    if (GPI(takes_more)(job))
        __syncthreads(); /* no warp of the block draws any more */
    if (threadIdx.x == 0)
        gpi_finish_launch(job->head, list->epoch,
                          GPI(takes_more)(job) ? gpi_check_out(job->head) : checked_out);
}
#endif
