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

/* One warp: the first segment that is at `key` or behind; their number, if none is. */
GPI_DEVICE size_t GPI(find)(const GPI(job) *job, size_t key, unsigned lane)
{
    size_t first = 0, last = job->segments;

    if (!job->offsets) {
        const size_t s = key / (job->length + 1) + (key % (job->length + 1) != 0);

        return s < last ? s : last;
    }
    while (first < last) { /* the result is one of first ... last */
        const size_t step = (last - first + 31) / 32, probe = first + (lane + 1) * step - 1;
        const int before = probe < last && GPI(offset)(job, probe) + probe < key;
        const unsigned count = (unsigned)__popc((int)__ballot_sync(GPI_FULL_MASK, before));

        first += count * step;
        if (last - first >= step)
            last = first + step - 1;
    }
    return first;
}

/* Where a warp is in its range. */
typedef struct {
    size_t segment, item, limit; /* the next segment, its first item, the end of the range */
} GPI(walk);

/*
 * One warp: how many of the next segments start in the range and fit into a window together, batch_n at most. ends[i]
 * becomes where the i-th of them begins, counted from the first, and ends[count] where the last one ends.
 */
GPI_DEVICE unsigned GPI(next_batch)(const GPI(job) *job, const GPI(walk) *walk, unsigned *ends, unsigned lane)
{
    const unsigned room = gpi_min_size(walk->limit - (walk->item + walk->segment), 1u << 30);
    const unsigned segments = gpi_min_size(job->segments - walk->segment, GPI(batch_n));
    unsigned end[GPI(batch_rows)], before = 0, count = 0;
    int is_open = 1;

    GPI_UNROLL
    for (unsigned r = 0; r < GPI(batch_rows); r++) {
        const unsigned i = 32 * r + lane;

        end[r] = gpi_min_size(GPI(offset)(job, walk->segment + (i < segments ? i + 1 : segments)) - walk->item, 1u << 30);
    }
    if (lane == 0)
        ends[0] = 0;
    GPI_UNROLL
    for (unsigned r = 0; r < GPI(batch_rows); r++) {
        const unsigned i = 32 * r + lane, up = __shfl_up_sync(GPI_FULL_MASK, end[r], 1), start = lane ? up : before;
        const int fits = i < segments && start + i < room && end[r] <= GPI(window_n);
        const unsigned stop = __ballot_sync(GPI_FULL_MASK, !fits);

        ends[i + 1] = end[r];
        if (is_open)
            count += stop ? (unsigned)__ffs((int)stop) - 1 : 32;
        is_open &= stop == 0;
        before = __shfl_sync(GPI_FULL_MASK, end[r], 31);
    }
    return count;
}

/* One warp: enters a range. */
GPI_DEVICE GPI(walk) GPI(enter)(const GPI(job) *job, size_t range, unsigned lane)
{
    GPI(walk) walk = {0, 0, (range + 1) * job->range_n};

    walk.segment = GPI(find)(job, range * job->range_n, lane);
    walk.item = GPI(offset)(job, walk.segment);
    return walk;
}

/* The chunk that starts in a range, but whose segment starts before it: there is one at most. Number 0: none. */
typedef struct {
    size_t segment, first, last, number;
} GPI(late);

/* That of the range which the warp has entered. */
GPI_DEVICE GPI(late) GPI(late_chunk)(const GPI(job) *job, const GPI(walk) *walk)
{
    GPI(late) late = {walk->segment - 1, 0, walk->item, 0};

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

/* ---- which tile of ranges a block takes ------------------------------------------------------- */

/* The block's tile, and how many it has taken. */
typedef struct {
    uint32_t tile, epoch, taken;
} GPI(turn);

/*
 * All threads: takes the next tile; 0, if there is none. Where chunks may wait for others, by ticket: those are running
 * or have finished then.
 */
GPI_DEVICE int GPI(next_tile)(const GPI(job) *job, GPI(turn) *turn, uint64_t *drawn)
{
    if (turn->taken && gridDim.x == job->tiles)
        return 0;
    if (!job->by_ticket) {
        turn->tile = turn->taken++ * gridDim.x + blockIdx.x;
        return turn->tile < job->tiles;
    }
    if (threadIdx.x == 0)
        *drawn = gpi_take_ticket(job->head);
    __syncthreads(); /* the ticket is known */
    turn->tile = (uint32_t)*drawn;
    turn->epoch = gpi_ticket_epoch(*drawn);
    turn->taken++;
    __syncthreads(); /* all threads know it */
    return turn->tile < job->tiles;
}

/* All threads, which draw no more tickets. */
GPI_DEVICE void GPI(finish)(const GPI(job) *job, const GPI(turn) *turn)
{
    if (job->by_ticket && threadIdx.x == 0)
        gpi_finish_launch(job->head, turn->epoch, gpi_check_out(job->head));
}
#endif
