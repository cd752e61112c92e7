/*
 * core/merge_split.cuh: finds which items of several sorted runs are the first ones of the runs merged.
 *
 * A warp keeps an interval of every run in which the split must be. Each of its lanes probes one item; what the
 * probes say about each other tells how many items of all intervals come before a probe, at least and at most.
 * A probe that is before the split, or behind it, for certain, cuts its run's interval (as in multisequence
 * selection: Varman et al., Merging multiple lists on hierarchical-memory multiprocessors, 1991, but with all
 * runs probed at once). The smallest or the largest of evenly spaced probes always is, and when an interval
 * has no more items than probes, each of them is. The first probes are spaced otherwise: around the place where
 * the split is if the runs are alike, as those of random items are.
 *
 * Part of core/merge_pass.cuh; not to be included directly.
 */
#define GPI_MERGE_PRECEDING    GPI(preceding)
#define GPI_MERGE_PROBES       GPI(probes)
#define GPI_MERGE_NARROW       GPI(narrow)
#define GPI_MERGE_SPLIT        GPI(split)
#define GPI_MERGE_SPLIT_KERNEL GPI(split_kernel)
#define GPI_MERGE_SPLIT_WARPS (sizeof(GP_TYPE) <= 128 ? 4u : 1u) /* of a block */

#ifndef GPI_MERGE_SPLIT_CUH
#define GPI_MERGE_SPLIT_CUH

#define GPI_MERGE_GUESS_FROM 4096 /* so many items or more are worth a guess */

/* Where in an interval of `width` items probe i of 2^log is. With fewer items than probes, each is one. */
GPI_DEVICE size_t gpi_merge_even_probe(size_t width, unsigned i, int log)
{
    return width >> log ? ((2 * i + 1) * width) >> (log + 1) : i;
}

/* The same if the split is thought to be behind `share` of the items: within a few roots of their number. */
GPI_DEVICE size_t gpi_merge_near_probe(size_t width, unsigned i, int log, double share)
{
    const size_t root = (size_t)1 << (64 - __clzll((long long)width)) / 2;
    const double place = share * (double)width + (2.0 * i + 1 - (1 << log)) / (1 << log) * 2.0 * (double)root;

    return place <= 0 ? 0 : place >= (double)(width - 1) ? width - 1 : (size_t)place;
}

#endif

/* The probes of a warp. */
typedef struct {
    GP_TYPE items[32];
    size_t offsets[32]; /* in their intervals */
} GPI_MERGE_PROBES;

/* How many of the `count` probes of another run come before item x. `earlier`: so does that run, of equal items. */
GPI_DEVICE unsigned GPI_MERGE_PRECEDING(const GP_TYPE *probes, unsigned count, GP_TYPE x, int earlier,
                                        GPI_CONTEXT context)
{
    unsigned low = 0;

    while (low < count) {
        const unsigned half = (low + count) / 2;
        const int precedes = earlier ? !GPI_LESS(x, probes[half], context) : GPI_LESS(probes[half], x, context);

        if (precedes)
            low = half + 1;
        else
            count = half;
    }
    return low;
}

/*
 * One warp: narrows the intervals by one probe of each lane. `from` and *width are the caller's run's interval, of
 * which there are 2^log lanes; the split comes behind `left` of the items of all intervals. Returns how many items
 * of the caller's interval come before its new one.
 */
GPI_DEVICE size_t GPI_MERGE_NARROW(const GP_TYPE *from, size_t *width, size_t offset, size_t left, int log,
                                   GPI_MERGE_PROBES *probes, GPI_CONTEXT context)
{
    const unsigned lane = threadIdx.x % 32, each = 1u << log, run = lane >> log, number = lane & (each - 1);
    const int probing = offset < *width;
    size_t least = offset, most = offset;

    if (probing) {
        probes->items[lane] = from[offset];
        probes->offsets[lane] = offset;
    }
    __syncwarp(); /* the probes are there */
    for (unsigned r = 0; r < 32u >> log; r++) {
        const size_t items = __shfl_sync(GPI_FULL_MASK, *width, (int)(r << log));
        const unsigned count = gpi_most(items, each);

        if (probing && r != run) {
            const unsigned c = GPI_MERGE_PRECEDING(probes->items + (r << log), count, probes->items[lane], r < run, context);
            const size_t *offsets = probes->offsets + (r << log) + c;

            least += c ? offsets[-1] + 1 : 0;
            most += c < count ? *offsets : items;
        }
    }

    const unsigned all = (1u << each) - 1;
    unsigned before = __ballot_sync(GPI_FULL_MASK, probing && most < left) >> (run << log) & all;
    unsigned behind = __ballot_sync(GPI_FULL_MASK, probing && least >= left) >> (run << log) & all;
    const size_t *offsets = probes->offsets + (lane - number);
    size_t begin = before ? offsets[31 - __clz((int)before)] + 1 : 0;

    *width = (behind ? offsets[__ffs((int)behind) - 1] : *width) - begin;
    __syncwarp(); /* the probes have been read */
    return begin;
}

/*
 * One warp: splits runs behind the first `left` items of all. The caller's run, one for each 2^log lanes, begins at
 * `keys`; the split is in the interval of `width` items from *low on, before which all runs together have `passed`
 * items. Leaves the split in *low.
 */
GPI_DEVICE void GPI_MERGE_SPLIT(const GP_TYPE *keys, size_t *low, size_t width, size_t left, int log,
                                GPI_MERGE_PROBES *probes, GPI_CONTEXT context)
{
    const unsigned lane = threadIdx.x % 32, number = lane & ((1u << log) - 1);

    for (int first = 1; __any_sync(GPI_FULL_MASK, width > 0); first = 0) {
        size_t passed = *low, items = width, offset;

        for (unsigned step = 1u << log; step < 32; step *= 2) {
            passed += __shfl_xor_sync(GPI_FULL_MASK, passed, (int)step);
            items += __shfl_xor_sync(GPI_FULL_MASK, items, (int)step);
        }
        if (first && items >= GPI_MERGE_GUESS_FROM)
            offset = width >> log ? gpi_merge_near_probe(width, number, log, (double)(left - passed) / (double)items)
                                  : number;
        else
            offset = gpi_merge_even_probe(width, number, log);
        *low += GPI_MERGE_NARROW(keys + *low, &width, offset, left - passed, log, probes, context);
    }
}

/* One warp for each `chain` tiles: a split is at most a tile behind the last one, in each run. */
static __global__ void __launch_bounds__(32 * GPI_MERGE_SPLIT_WARPS)
    GPI_MERGE_SPLIT_KERNEL(GPI_MERGE_PASS pass, size_t tiles, unsigned chain, GPI_CONTEXT context)
{
    GP_SHARED(GPI_MERGE_PROBES[GPI_MERGE_SPLIT_WARPS], probes);
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int log = 5 - pass.log;
    const unsigned run = lane >> log;
    size_t tile = ((size_t)blockIdx.x * GPI_MERGE_SPLIT_WARPS + warp) * chain, low = 0;

    gpi_grid_wait();
    gpi_grid_launch_next();
    for (unsigned i = 0; i < chain && tile < tiles; i++, tile++) {
        const size_t first = tile / pass.tiles * pass.group, left = tile % pass.tiles * GPI_MERGE_PASS_N;
        const size_t items = GPI_MERGE_GROUP_ITEMS(&pass, first);
        size_t most = i ? GPI_MERGE_PASS_N : SIZE_MAX;

        if (left == 0) /* nothing comes before the first tile of a group */
            low = 0;
        if (left == 0 || left >= items)
            continue;
        const size_t length = GPI_MERGE_RUN_ITEMS(&pass, items, run), width = length - low;
        GPI_MERGE_SPLIT(GPI_MERGE_RUN_BEGIN_OF(pass.keys, &pass, first, run), &low, width < most ? width : most, left,
                        log, &probes[warp], context);
        if ((lane & ((1u << log) - 1)) == 0)
            pass.splits[tile * GPI_MERGE_MOST + run] = low;
    }
}
