/*
 * core/segmented/chunks.cuh: segments of more than one chunk. A warp that has folded a chunk publishes the sum; the one
 * with the last of 32 neighbouring chunks waits for the others, and publishes the sum of the 32, and so on, level by
 * level. So what comes before a chunk is at most 31 sums of each level, and no warp waits for a chain of others.
 *
 * Chunk c of a segment whose first item is in stretch q of chunk_n items has its tile state on level 0 at q + c, and a
 * group of 32^l chunks on level l likewise. A sum is published only if the segment goes on behind it. Then the next
 * segment starts behind it as well, so that no two sums have the same place.
 *
 * Needs core/tile/tile_state.cuh. Part of segmented.cuh; not to be included directly.
 */

enum {
    GPI(at_once) = sizeof(GP_TYPE) <= 16 ? 4 : 1 /* levels that a warp looks back at together */
};

/*
 * Where the tile states of a level start, if n items make so many chunks: a level has as many places as groups fit
 * there, and two, in whole rows of 32.
 */
static inline size_t GPI(level_start)(size_t chunks, unsigned level)
{
    size_t start = 0;

    for (; level > 0 && chunks; level--, chunks /= 32)
        start += (chunks + 2 + 31) / 32 * 32;
    return start;
}

#if GPI_DEVICE_CODE
/* Where group `number` of a level is among the tile states. */
GPI_DEVICE size_t GPI(state_of)(const GPI(job) *job, const GPI(chunk) *chunk, unsigned level, size_t number)
{
    const size_t stretch = chunk->first >> job->chunk_bits;

    return job->level_starts[level] + (stretch >> 5 * level) + number;
}

/* One warp: the sums of `count` neighbouring groups of a level, 1 to 32, when they are there; one in each lane. */
GPI_DEVICE GP_TYPE GPI(gather)(const GPI(job) *job, const GPI(chunk) *chunk, unsigned level, size_t number,
                               unsigned count, uint32_t epoch, unsigned lane)
{
    const size_t place = GPI(state_of)(job, chunk, level, number + gpi_min(lane, count - 1));
    GP_TYPE x;

    while (!__all_sync(GPI_FULL_MASK, GPI(poll)((const uint64_t *)(job->head + 1), place, 1, &x, epoch)))
        ;
    return x;
}

/*
 * One warp: x, in lane 0, is the sum of the chunk. If the segment goes on behind it, publishes that, and the sums of
 * the groups that end with it. If not, the result is the sum of the whole segment; in lane 0.
 */
GPI_DEVICE GP_TYPE GPI(climb)(const GPI(job) *job, const GPI(chunk) *chunk, int goes_on, GP_TYPE x, uint32_t epoch,
                              unsigned lane)
{
    size_t number = chunk->number;

    GPI_NO_UNROLL
    for (unsigned level = 0; goes_on || number; level++, number /= 32) {
        const unsigned before = number % 32;
        GP_TYPE sums = x;

        if (goes_on && lane == 0)
            GPI(publish)((uint64_t *)(job->head + 1), GPI(state_of)(job, chunk, level, number), x, epoch);
        if (goes_on && before != 31)
            break;
        x = GPI(shuffle)(x, 0);
        if (before)
            sums = GPI(gather)(job, chunk, level, number - before, before, epoch, lane);
        x = GPI(warp_reduce)(lane == before ? x : sums, (int)lane, (int)before + 1);
    }
    return x;
}

/*
 * One warp: joins the sums of `count` neighbouring groups, one in each lane, to what comes before them: `count` in
 * binary cuts them into trees, the largest first, which are folded from left to right.
 */
GPI_DEVICE GP_TYPE GPI(join_groups)(GP_TYPE x, unsigned count, GP_TYPE prefix, int has_prefix, unsigned lane)
{
    GPI_UNROLL_STEPS
    for (unsigned size = 2; size <= 16; size *= 2) {
        const GP_TYPE right = GPI(shuffle_down)(x, size / 2);

        if (lane % size == 0 && lane + size <= count)
            x = GPI(combine)(x, right);
    }
    GPI_NO_UNROLL
    for (unsigned size = 16; size; size /= 2)
        if (count & size) {
            const GP_TYPE tree = GPI(shuffle)(x, (int)(count & ~(2 * size - 1)));

            prefix = has_prefix ? GPI(combine)(prefix, tree) : tree;
            has_prefix = 1;
        }
    return prefix;
}

/*
 * One warp: what comes before the chunk, which is not the first: up to 31 groups of each level, the largest first. The
 * lowest levels are waited for together. In every lane.
 */
GPI_DEVICE GP_TYPE GPI(look_back)(const GPI(job) *job, const GPI(chunk) *chunk, uint32_t epoch, unsigned lane)
{
    const uint64_t *states = (const uint64_t *)(job->head + 1);
    unsigned missing = 0; /* a bit for each of these levels */
    int has_prefix = 0;
    size_t places[GPI(at_once)];
    GP_TYPE prefix, sum = GPI(identity)(), x[GPI(at_once)]; /* sum: in any order, of this lane's groups */

    GPI_UNDEFINED(prefix);
    GPI_UNDEFINED(x);
    GPI_NO_UNROLL
    for (unsigned level = GPI(levels); level-- > GPI(at_once) && chunk->number >> 5 * GPI(at_once);) {
        const size_t number = chunk->number >> 5 * level;
        const unsigned count = (unsigned)(number % 32);

        if (count) {
            x[0] = GPI(gather)(job, chunk, level, number - count, count, epoch, lane);
            prefix = GPI(join_groups)(x[0], count, prefix, has_prefix, lane);
            has_prefix = 1;
        }
    }
    GPI_UNROLL
    for (unsigned level = 0; level < GPI(at_once); level++) {
        const size_t number = chunk->number >> 5 * level;

        places[level] = GPI(state_of)(job, chunk, level, number - number % 32 + lane);
        missing |= (unsigned)(lane < number % 32) << level;
    }
    do {
        GPI_UNROLL
        for (unsigned level = 0; level < GPI(at_once); level++)
            if (missing >> level & 1)
                missing ^= (unsigned)GPI(poll)(states, places[level], 1, &x[level], epoch) << level;
    } while (__any_sync(GPI_FULL_MASK, missing != 0));
    GPI_UNROLL
    for (unsigned level = GPI(at_once); level-- > 0;) {
        const unsigned count = (unsigned)(chunk->number >> 5 * level) % 32;

        if (count && !GPI(any_order)) {
            prefix = GPI(join_groups)(x[level], count, prefix, has_prefix, lane);
            has_prefix = 1;
        }
        if (GPI(any_order) && lane < count)
            sum = GPI(combine)(sum, x[level]);
    }
    if (GPI(any_order)) {
        sum = GPI(shuffle)(GPI(warp_reduce)(sum, (int)lane, 32), 0);
        prefix = has_prefix ? GPI(combine)(prefix, sum) : sum;
    }
    return prefix;
}
#endif
