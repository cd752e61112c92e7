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

/* Where a warp is in its range: the next segment, its first item, the end of the range. */
typedef struct {
    size_t segment, item, limit;
} GPI(walk);

/* The segments that a warp takes next: `count` with n items together, or one of more than fit into a window. */
typedef struct {
    size_t segment, item; /* the first */
    unsigned count, n;    /* 0: it is a long one, which ends where the next one begins */
} GPI(batch);

/* One warp: reads where the next segments end. */
GPI_DEVICE void GPI(look_ahead)(const GPI(job) *job, const GPI(walk) *walk, GP_INDEX *ahead, unsigned lane)
{
    const unsigned segments = gpi_min_size(job->segments - walk->segment, GPI(batch_n));

    GPI_UNROLL
    for (unsigned i = lane; i < GPI(batch_n); i += 32) {
        const size_t s = walk->segment + gpi_min(i + 1, segments);

        if (job->offsets)
            gpi_copy_item(&ahead[i], &job->offsets[s], sizeof *ahead);
        else
            ahead[i] = (GP_INDEX)(s * job->length);
    }
}

/* From an item to an end behind it; 2^30, if it is farther. */
GPI_DEVICE unsigned GPI(distance)(size_t first, GP_INDEX end)
{
    const size_t distance = sizeof end == 4 ? (unsigned)end - (unsigned)first : (size_t)end - first;

    return gpi_min_size(distance, 1u << 30);
}

/*
 * One warp: takes the next segments that start in the range and fit into a window together, batch_n at most. ends[i]
 * becomes where the i-th of them begins, counted from the first, and ends[count] where the last one ends.
 */
GPI_DEVICE GPI(batch) GPI(next_batch)(const GPI(job) *job, GPI(walk) *walk, GPI(batch_list) *list, unsigned lane)
{
    const unsigned room = gpi_min_size(walk->limit - (walk->item + walk->segment), 1u << 30);
    const unsigned segments = gpi_min_size(job->segments - walk->segment, GPI(batch_n));
    GPI(batch) batch = {walk->segment, walk->item, 0, 0};
    unsigned starting = 1; /* the first one, and those behind an end that is still in the range */

    if (lane == 0)
        list->ends[0] = 0;
    gpi_copy_wait();
    GPI_UNROLL
    for (unsigned i = lane; i < GPI(batch_n); i += 32) {
        const unsigned end = GPI(distance)(walk->item, list->ahead[i]); /* the lane has copied it */

        list->ends[i + 1] = (uint16_t)end;
        batch.count += (unsigned)__popc((int)__ballot_sync(GPI_FULL_MASK, i < segments && end <= job->window_n));
        starting += (unsigned)__popc((int)__ballot_sync(GPI_FULL_MASK, end + i + 1 < room));
    }
    batch.count = gpi_min(batch.count, starting);
    __syncwarp(); /* ends are complete */
    batch.n = list->ends[batch.count];
    walk->segment += batch.count ? batch.count : 1;
    walk->item = batch.count ? batch.item + batch.n : GPI(offset)(job, walk->segment);
    GPI(look_ahead)(job, walk, list->ahead, lane);
    return batch;
}

/*
 * The chunk which starts in the range that the warp has entered, but whose segment starts before it: there is one at
 * most. Number 0: none.
 */
GPI_DEVICE GPI(chunk) GPI(late_chunk)(const GPI(job) *job, const GPI(walk) *walk)
{
    GPI(chunk) late = {walk->segment - 1, 0, walk->item, 0};

    if (walk->segment == 0)
        return late;
    late.first = GPI(offset)(job, late.segment);
    if (late.last - late.first > job->chunk_n) {
        const size_t key = late.first + late.segment, start = walk->limit - job->range_n;
        const size_t number = (start - key + job->chunk_n - 1) / job->chunk_n;

        if (key + number * job->chunk_n < walk->limit && number * job->chunk_n < late.last - late.first)
            late.number = number;
    }
    return late;
}

/*
 * One warp: what it does next in its range, if anything: a batch, or, if that is empty, a chunk. The late one comes
 * last: it waits for others, and nobody waits for what comes behind it.
 */
GPI_DEVICE int GPI(next_piece)(const GPI(job) *job, GPI(walk) *walk, GPI(batch) *batch, GPI(chunk) *chunk,
                               GPI(batch_list) *list, unsigned lane)
{
    if (walk->segment < job->segments && walk->item + walk->segment < walk->limit) {
        *batch = GPI(next_batch)(job, walk, list, lane);
        chunk->segment = batch->segment;
        chunk->first = batch->item;
        chunk->last = walk->item;
        chunk->number = 0;
        return 1;
    }
    *chunk = list->late;
    __syncwarp(); /* all lanes have read it */
    if (lane == 0)
        list->late.number = 0;
    batch->count = 0;
    return chunk->number != 0;
}

/* ---- which range a warp takes ---------------------------------------------------------------- */

/*
 * One warp: the first segment that is at `key` or behind; their number, if none is. `walk` is at one that is not behind
 * the result.
 */
GPI_DEVICE size_t GPI(find)(const GPI(job) *job, const GPI(walk) *walk, size_t key, unsigned lane)
{
    size_t first = walk->segment, last = job->segments;

    if (walk->item + walk->segment >= key)
        return first;
    if (!job->offsets) {
        const size_t s = (key + job->length) / (job->length + 1);

        return s < last ? s : last;
    }
    while (first < last) { /* the result is one of first ... last */
        const size_t stride = (last - first + 31) / 32, probe = first + (lane + 1) * stride - 1;
        const int before = probe < last && (size_t)job->offsets[probe] + probe < key;
        const unsigned count = (unsigned)__popc((int)__ballot_sync(GPI_FULL_MASK, before));

        first += count * stride;
        if (last - first >= stride)
            last = first + stride - 1;
    }
    return first;
}

/* What a warp takes. */
typedef struct {
    uint32_t range, epoch;
    int is_first;
} GPI(turn);

/*
 * One warp: takes a range and enters it, if there is one left. Where chunks may wait for others, by ticket, and not
 * before it can start: the ranges before are finished or under way.
 */
GPI_DEVICE int GPI(enter)(const GPI(job) *job, GPI(turn) *turn, GPI(walk) *walk, GPI(batch_list) *list, unsigned lane)
{
    const uint32_t warps = gridDim.x * GPI(warps);

    gpi_copy_wait(); /* what lay ahead behind the range before */
    if (!turn->is_first && warps >= job->ranges)
        return 0; /* there is a warp for each */
    if (!job->by_ticket) {
        turn->range = turn->is_first ? blockIdx.x * GPI(warps) + threadIdx.x / 32 : turn->range + warps;
    } else {
        uint64_t ticket = 0;

        if (lane == 0)
            ticket = gpi_take_ticket(job->head);
        turn->range = __shfl_sync(GPI_FULL_MASK, (uint32_t)ticket, 0);
        turn->epoch = __shfl_sync(GPI_FULL_MASK, gpi_ticket_epoch(ticket), 0);
    }
    turn->is_first = 0;
    if (turn->range >= job->ranges)
        return 0;
    walk->segment = GPI(find)(job, walk, turn->range * job->range_n, lane);
    walk->item = GPI(offset)(job, walk->segment);
    walk->limit = ((size_t)turn->range + 1) * job->range_n;
    GPI(look_ahead)(job, walk, list->ahead, lane);
    return 1;
}

/* All threads, which draw no more tickets. */
GPI_DEVICE void GPI(finish)(const GPI(job) *job, const GPI(turn) *turn)
{
    if (!job->by_ticket)
        return;
    __syncthreads(); /* no warp of the block draws any more */
    if (threadIdx.x == 0)
        gpi_finish_launch(job->head, turn->epoch, gpi_check_out(job->head));
}
#endif
