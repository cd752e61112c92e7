/*
 * core/segmented/chunks.cuh: segments of more than one chunk. A warp that has folded a chunk publishes the sum; who has
 * the last of 32 neighbouring chunks waits for the others, and publishes the sum of the 32, and so on, level by level.
 * So what comes before a chunk are 31 sums of each level at most, and nobody waits for a chain of others.
 *
 * Chunk c of a segment whose first item is in stretch q of chunk_n items has its tile state on level 0 at q + c, and a
 * group of 32^l chunks on level l likewise. Only that is published which the segment goes on behind: the next segment
 * starts behind it, and so no two have the same place.
 *
 * Needs core/tile/tile_state.cuh. Part of segmented.cuh; not to be included directly.
 */

/* 32^7 chunks are more than a launch can have. The level behind says what comes before each 32 groups of 32 chunks. */
enum { GPI(levels) = 7 };

/*
 * Where the tile states of a level start, if n items make so many chunks: a level has as many places as groups fit
 * there, and two, in whole rows of 32.
 */
static __host__ __device__ __forceinline__ size_t GPI(level_start)(size_t chunks, unsigned level)
{
    size_t start = 0;

    if (level > GPI(levels))
        start = (chunks / 1024 + 2 + 31) / 32 * 32;
    for (; level > 0 && chunks; level--, chunks /= 32)
        start += (chunks + 2 + 31) / 32 * 32;
    return start;
}

#if GPI_DEVICE_CODE
/* Where group `number` of a level is among the tile states. What comes before groups is as many as they are. */
GPI_DEVICE size_t GPI(state_of)(const GPI(job) *job, const GPI(chunk) *chunk, unsigned level, size_t number)
{
    const size_t stretch = chunk->first >> job->chunk_bits;
    const unsigned bits = level == GPI(levels) ? 10 : 5 * level;

    return GPI(level_start)(job->chunks, level) + ((stretch + ((size_t)1 << bits) - 1) >> bits) + number;
}

/* One warp: waits for the sums of two places, and reads them. */
GPI_DEVICE void GPI(await)(const GPI(job) *job, size_t place, GP_TYPE *x, size_t other, GP_TYPE *y, uint32_t epoch)
{
    const uint64_t *states = (const uint64_t *)(job->head + 1);
    int has_x = 0, has_y = 0;

    do {
        if (!has_x)
            has_x = GPI(poll)(states, place, 1, x, epoch);
        if (!has_y)
            has_y = GPI(poll)(states, other, 1, y, epoch);
    } while (!__all_sync(GPI_FULL_MASK, has_x && has_y));
}

/* One warp: the sums of `count` neighbouring groups of a level, 1 to 32, when they are there; one in each lane. */
GPI_DEVICE GP_TYPE GPI(gather)(const GPI(job) *job, const GPI(chunk) *chunk, unsigned level, size_t number,
                               unsigned count, uint32_t epoch, unsigned lane)
{
    const size_t place = GPI(state_of)(job, chunk, level, number + gpi_min(lane, count - 1));
    GP_TYPE x, y;

    GPI(await)(job, place, &x, place, &y, epoch);
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
 * One warp: what comes before the chunk, which is not the first. What comes before its group of 32 groups the first
 * chunk of these finds, by the sums of groups of each level, and publishes it for the others. In every lane.
 */
GPI_DEVICE GP_TYPE GPI(look_back)(const GPI(job) *job, const GPI(chunk) *chunk, uint32_t epoch, unsigned lane)
{
    const size_t group = chunk->number / 32, super = chunk->number / 1024;
    const unsigned count = chunk->number % 32, groups = group % 32;
    GP_TYPE prefix, x, y;
    int has_prefix = 0;

    GPI_UNDEFINED(prefix);
    if (count || groups) {
        /* Of 31 sums of groups at most, and 31 of chunks, and what comes before these; who has none reads another. */
        const size_t last = count ? chunk->number - 1 : group - 1;
        size_t place = GPI(state_of)(job, chunk, count ? 0 : 1, last), other = place;

        if (lane < groups)
            place = GPI(state_of)(job, chunk, 1, group - groups + lane);
        if (lane == 31 && super)
            place = GPI(state_of)(job, chunk, GPI(levels), super - 1);
        other = lane < count ? GPI(state_of)(job, chunk, 0, chunk->number - count + lane) : place;
        GPI(await)(job, place, &x, other, &y, epoch);
        if (super)
            prefix = GPI(shuffle)(x, 31);
        prefix = GPI(join_groups)(x, groups, prefix, super != 0, lane);
        return GPI(join_groups)(y, count, prefix, super || groups, lane);
    }
    GPI_NO_UNROLL
    for (unsigned level = GPI(levels); level-- > 2;) {
        const size_t number = chunk->number >> 5 * level;
        const unsigned sums = number % 32;

        if (sums) {
            x = GPI(gather)(job, chunk, level, number - sums, sums, epoch, lane);
            prefix = GPI(join_groups)(x, sums, prefix, has_prefix, lane);
            has_prefix = 1;
        }
    }
    if (lane == 0)
        GPI(publish)((uint64_t *)(job->head + 1), GPI(state_of)(job, chunk, GPI(levels), super - 1), prefix, epoch);
    return prefix;
}
#endif
