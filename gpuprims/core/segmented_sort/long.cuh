/*
 * core/segmented_sort/long.cuh: finds the long segments, and decides how each is sorted.
 *
 *     plan      a kernel: sorts groups of short segments (core/segmented_sort/group.cuh); of the others it notes the
 *               first segment in each range, and lists the long ones, which are cut into tiles
 *     list      in place of it, where segments are few
 *     prepare   notes the segment of each tile, and clears counts
 *     count     counts all digits of the long segments, and notes for each range which one reaches into it; whoever
 *               ends a segment decides how it is sorted
 *
 * If no bucket of the topmost digit in which keys differ is larger than a short segment, one pass by that digit makes
 * buckets, which blocks sort (core/segmented_sort/tile.cuh). Otherwise passes sort from the lowest digit up. A digit
 * that is the same in all keys of a segment needs none, but the passes are even in number, to end in the right array.
 *
 * Part of segmented_sort.cuh; not to be included directly.
 */

enum {
    GPI(counts_each) = GPI(radix) / 32 > 0 ? GPI(radix) / 32 : 1 /* counts of a digit for each lane */
};

#if GPI_DEVICE_CODE
/* Long segments << 32 | their tiles. */
GPI_DEVICE uint64_t GPI(found)(const GPI(job) *job)
{
    return gpi_load_relaxed_u64((const uint64_t *)(const void *)&job->all->found);
}

/* The first of the counts of a long segment. */
GPI_DEVICE uint64_t *GPI(starts_of)(const GPI(job) *job, size_t which)
{
    return job->starts + which * GPI(digits) * GPI(radix);
}

/* The items of a tile, which is the k-th of its segment. */
GPI_DEVICE uint32_t GPI(items_of)(const gpi_long_segment *of, uint64_t k)
{
    return gpi_min_size((size_t)(of->n - k * GPI(pass_n)), GPI(pass_n));
}

/* One warp: adds those of its segments to the list that are long. */
GPI_DEVICE void GPI(list_long)(const GPI(job) *job, size_t segment, size_t first, size_t n, unsigned lane)
{
    const int is_long = n > GPI(short_n);
    const unsigned longs = __ballot_sync(GPI_FULL_MASK, is_long);
    const uint32_t tiles = is_long ? (uint32_t)((n + GPI(pass_n) - 1) / GPI(pass_n)) : 0;
    const uint32_t upto = longs ? gpi_warp_prefix(tiles, lane) : 0;
    unsigned long long base = 0;
    gpi_long_segment *entry;

    if (!longs)
        return;
    if (lane == 31)
        base = atomicAdd(&job->all->found, (unsigned long long)__popc((int)longs) << 32 | upto);
    base = __shfl_sync(GPI_FULL_MASK, base, 31);
    if (!is_long)
        return;
    entry = &job->longs[(uint32_t)(base >> 32) + (uint32_t)__popc((int)(longs & ((1u << lane) - 1)))];
    entry->first = first;
    entry->n = n;
    entry->segment = segment;
    entry->tile = (uint32_t)base + upto - tiles;
    entry->done = 0;
}

/* The long segment of a tile: the last one that begins there or before. */
GPI_DEVICE uint32_t GPI(find_long)(const GPI(job) *job, uint32_t longs, uint32_t tile)
{
    uint32_t first = 0, last = longs - 1;

    while (first < last) {
        const uint32_t middle = first + (last - first + 1) / 2;

        if (job->longs[middle].tile <= tile)
            first = middle;
        else
            last = middle - 1;
    }
    return first;
}

/* One warp: prepares a tile. */
GPI_DEVICE void GPI(prepare_tile)(const GPI(job) *job, uint32_t longs, uint32_t tile, unsigned lane)
{
    const uint32_t which = GPI(find_long)(job, longs, tile);
    uint64_t *starts = GPI(starts_of)(job, which);

    if (lane == 0)
        job->map[tile] = which;
    for (uint32_t d = lane; d < GPI(radix); d += 32)
        job->look[(size_t)tile * GPI(radix) + d] = 0;
    for (uint32_t i = lane; tile == job->longs[which].tile && i < GPI(digits) * GPI(radix); i += 32)
        starts[i] = 0;
}

/* Prepares an equal share of all tiles and ranges. All threads call. */
GPI_DEVICE void GPI(prepare)(const GPI(job) *job, uint32_t unit)
{
    const uint64_t found = GPI(found)(job);
    const uint32_t warps = job->blocks * GPI(warps);

    for (uint64_t t = unit * GPI(warps) + threadIdx.x / 32; t < (uint32_t)found; t += warps)
        GPI(prepare_tile)(job, (uint32_t)(found >> 32), (uint32_t)t, threadIdx.x % 32);
    for (size_t r = (size_t)unit * GPI(threads) + threadIdx.x; r < job->ranges; r += (size_t)job->blocks * GPI(threads))
        job->covering[r] = 0;
}

/* Lists the long ones of few segments. All threads call. */
GPI_DEVICE void GPI(list_few)(const GPI(job) *job)
{
    const size_t s = threadIdx.x, first = s < job->segments ? GPI(offset)(job, s) : 0;

    if (threadIdx.x == 0) {
        job->all->found = 0;
        job->all->passes = 0;
    }
    __syncthreads(); /* none have been found yet */
    GPI(list_long)(job, s, first, s < job->segments ? GPI(offset)(job, s + 1) - first : 0, threadIdx.x % 32);
}

/* Whether some of few segments have more than n items. All threads call. */
GPI_DEVICE int GPI(is_any_longer)(const GPI(job) *job, uint32_t n)
{
    const size_t s = threadIdx.x;

    return __syncthreads_or(s < job->segments && GPI(offset)(job, s + 1) - GPI(offset)(job, s) > n);
}

/* ---- groups of segments -------------------------------------------------------------------------- */

/* One warp: notes the first segment in each range of a group that is not sorted, and lists the long ones. */
GPI_DEVICE void GPI(plan_group)(const GPI(job) *job, size_t segment, unsigned lane)
{
    const size_t behind = segment + job->group < job->segments ? segment + job->group : job->segments;
    size_t last = SIZE_MAX; /* the range of the segment before; none before the group */

    if (lane == 0)
        job->all->has_unsorted = 1;
    for (size_t s = segment + lane; s - lane < behind; s += 32) {
        const size_t first = GPI(segment_begin)(job, s);
        const size_t n = s < behind ? GPI(segment_begin)(job, s + 1) - first : 0;
        const size_t range = GPI(unit)(first, s) / GPI(range_n), before = __shfl_up_sync(GPI_FULL_MASK, range, 1);

        if (job->table && s < behind && (lane ? before : last) != range)
            atomicMax((unsigned long long *)(void *)&job->table[range], (unsigned long long)~s);
        last = __shfl_sync(GPI_FULL_MASK, range, 31);
        GPI(list_long)(job, s, first, n, lane);
    }
}

/* ---- counting ----------------------------------------------------------------------------------- */

/* What a block that counts has in shared memory. */
typedef struct {
    uint32_t counts[GPI(digits)][GPI(radix)] __attribute__((aligned(16)));
    uint64_t largest[GPI(digits)]; /* the largest count of a digit */
    uint32_t last;
} GPI(counting);

/* Adds the digits of a tile to the counts of the block, and notes into which ranges its segment reaches. */
GPI_DEVICE void GPI(count_tile)(const GPI(job) *job, GPI(counting) *counting, uint32_t which, uint64_t k)
{
    const gpi_long_segment *of = &job->longs[which];
    const GP_KEY *keys = job->keys_in + of->first + k * GPI(pass_n);
    const uint32_t n = GPI(items_of)(of, k);
    const uint64_t key = GPI(unit)(of->first, of->segment) + k * GPI(pass_n);
    const uint64_t begin = key + (k == 0); /* the range where the segment starts does not count */

    GPI_UNROLL_BY_8
    for (uint32_t i = threadIdx.x; i < n; i += GPI(threads)) {
        const uint64_t number = GPI(key_order)(keys[i]);

        GPI_UNROLL
        for (int d = 0; d < GPI(digits); d++)
            atomicAdd(&counting->counts[d][number >> d * GPI(digit_bits) & (GPI(radix) - 1)], 1u);
    }
    for (uint64_t r = (begin + job->range_n - 1) / job->range_n + threadIdx.x; r * job->range_n < key + n;
         r += GPI(threads))
        job->covering[r] = which + 1;
}

/* One warp: turns the counts of a digit into where its items begin. Returns the largest count. */
GPI_DEVICE uint64_t GPI(scan_digit)(uint64_t *starts, uint64_t first, unsigned lane)
{
    uint64_t counts[GPI(counts_each)], largest = 0;

    GPI_UNROLL
    for (uint32_t i = 0; i < GPI(counts_each); i++) {
        const uint32_t d = 32 * i + lane;

        counts[i] = d < GPI(radix) ? gpi_load_relaxed_u64(&starts[d]) : 0;
        largest = counts[i] > largest ? counts[i] : largest;
    }
    gpi_radix_scan_digits(counts, GPI(counts_each), first);
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI(counts_each); i++)
        if (32 * i + lane < GPI(radix))
            starts[32 * i + lane] = counts[i];
    return gpi_warp_max_long(largest, 0);
}

/* One thread: which digits of a segment passes are about. */
GPI_DEVICE void GPI(choose_digits)(const uint64_t *largest, gpi_long_segment *of)
{
    int passes = 0, top = -1;

    memset(of->digit, 0, sizeof of->digit); /* a pass that the segment does not take may read its own */
    for (int d = 0; d < GPI(digits); d++)
        if (largest[d] < of->n) {
            of->digit[passes++] = (uint8_t)d;
            top = d;
        }
    of->bucket_digit = -1;
    if (GP_KERNEL != GP_KERNEL_PASSES && top >= 0 && largest[top] <= GPI(short_n)) {
        of->digit[0] = (uint8_t)top;
        of->bucket_digit = top;
        of->passes = 1;
        return;
    }
    for (int d = 0; d < GPI(digits) && (passes == 0 || passes % 2); d++)
        if (largest[d] == of->n)
            of->digit[passes++] = (uint8_t)d; /* in which nothing changes */
    of->passes = passes;
}

/* Adds the counts of so many tiles of a segment to those of all. The last block to do so decides. All threads call. */
GPI_DEVICE void GPI(finish_count)(const GPI(job) *job, GPI(counting) *counting, uint32_t which, uint32_t tiles)
{
    gpi_long_segment *of = &job->longs[which];
    unsigned long long *starts = (unsigned long long *)(void *)GPI(starts_of)(job, which);
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t *counts = &counting->counts[0][0];

    __syncthreads(); /* the block's counts are complete */
    for (uint32_t i = threadIdx.x; i < GPI(digits) * GPI(radix); i += GPI(threads))
        if (counts[i]) {
            atomicAdd(&starts[i], (unsigned long long)counts[i]);
            counts[i] = 0;
        }
    const uint32_t all_tiles = (uint32_t)((of->n + GPI(pass_n) - 1) / GPI(pass_n));
    if (!gpi_radix_is_last_block(&of->done, tiles, all_tiles, &counting->last))
        return;
    if (warp < GPI(digits)) {
        const uint64_t largest = GPI(scan_digit)((uint64_t *)(void *)(starts + warp * GPI(radix)), of->first, lane);

        if (lane == 0)
            counting->largest[warp] = largest;
    }
    __syncthreads(); /* the largest counts are known */
    if (threadIdx.x == 0) {
        GPI(choose_digits)(counting->largest, of);
        atomicMax(&job->all->passes, (uint32_t)of->passes);
    }
}

/* Counts an equal share of all tiles. All threads call. */
GPI_DEVICE void GPI(count)(const GPI(job) *job, GPI(counting) *counting, uint32_t unit)
{
    const uint32_t tiles = (uint32_t)GPI(found)(job), each = (tiles + job->blocks - 1) / job->blocks;
    const uint64_t end = (uint64_t)(unit + 1) * each;
    uint32_t counted = 0;

    GPI(zero)(counting->counts[0], GPI(digits) * GPI(radix));
    __syncthreads(); /* the counts are zero */
    for (uint64_t t = (uint64_t)unit * each; t < end && t < tiles; t++) {
        const uint32_t which = job->map[t];

        GPI(count_tile)(job, counting, which, t - job->longs[which].tile);
        counted++;
        if (t + 1 == end || t + 1 == tiles || job->map[t + 1] != which) {
            GPI(finish_count)(job, counting, which, counted);
            __syncthreads(); /* the counts are zero again */
            counted = 0;
        }
    }
}
#endif

/* ---- the kernel that plans ----------------------------------------------------------------------- */

#if GPI_DEVICE_CODE
/* Warps take groups of segments, and sort or plan each. `are_tiny` is a constant: no other segments are sorted. */
GPI_DEVICE void GPI(plan)(const GPI(job) *job, GPI(planning) *planning, int are_tiny)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const size_t stride = (size_t)gridDim.x * GPI(plan_warps);
    const uint32_t most = are_tiny ? (uint32_t)GPI(tiny_n) : job->small;
    GPI(batch) *batch = (GPI(batch) *)gpi_shared_kept(&planning->warps[warp]);

    gpi_grid_wait();
    gpi_grid_launch_next();
    for (size_t g = (size_t)blockIdx.x * GPI(plan_warps) + warp; g * job->group < job->segments; g += stride) {
        const size_t segment = g * job->group, first = GPI(segment_begin)(job, segment);
        const size_t end = GPI(segment_begin)(job, segment + job->group);
        const uint32_t longest = GPI(find_longest)(job, segment, lane);

        if (longest <= most)
            GPI(sort_group)(job, batch, segment, first, end, longest, are_tiny, lane);
        else
            GPI(plan_group)(job, segment, lane);
    }
}
#endif

static __global__ void __launch_bounds__(GPI(plan_threads), GPI_TUNE_SEGMENTED_SORT_PLAN_BLOCKS)
    GPI(plan_kernel)(GPI(job) job)
{
#if GPI_DEVICE_CODE
    GP_SHARED(GPI(planning), planning);

    GPI(plan)(&job, &planning, 1);
#endif
}

/* The same for segments that are mostly small, and not tiny: it needs more registers. */
static __global__ void __launch_bounds__(GPI(plan_threads), GPI_TUNE_SEGMENTED_SORT_SMALL_BLOCKS)
    GPI(small_kernel)(GPI(job) job)
{
#if GPI_DEVICE_CODE
    GP_SHARED(GPI(planning), planning);

    GPI(plan)(&job, &planning, 0);
#endif
}
