/*
 * core/merge/split.cuh: cuts sorted runs so that the items before the cuts are the first ones of
 * the merged order.
 *
 * A warp keeps an interval of every run that contains the cut, and looks for an item of about the
 * right rank: it takes a pivot from a wide interval and finds by bisection how many items of each
 * run come before it, in all runs at once, each with lanes of its own. Those are cuts, before the
 * wanted ones or behind them, and narrow the intervals. The pivots are taken where the wanted item is
 *
 *     first   if the runs have the same distribution, as random items have
 *     next    if the runs follow each other, forwards or backwards: sorted, reversed and equal items
 *             are cut so. Where the first guess was not far off, it is repeated with the last run
 *             instead: then equal items are left of which the intervals do follow each other
 *     later   in the middle of an interval, as in quickselect (Hoare, Algorithm 65, 1961)
 *
 * Tiles need not be of one size, so an item near the wanted one will do.
 *
 * The search is bound by the latency of dependent instructions. So there is next to no division and
 * no double precision here, and a lane probes two places at a time, which was faster than four.
 *
 * Part of core/merge/pass.cuh; not to be included directly.
 */

#ifndef GPI_MERGE_SPLIT_CUH
#define GPI_MERGE_SPLIT_CUH

#include "../tile/probe.cuh"

#define GPI_MERGE_SPLIT_WARPS 4 /* warps of a block */
#define GPI_MERGE_PROBES_LOG 1  /* log2 of the places that a lane probes at a time */
#define GPI_MERGE_GUESSES 4     /* pivots that are taken where the wanted item is expected */
#define GPI_MERGE_FAR 4         /* the first is bad if it is off by such a part of the way to the nearer end */

#if GPI_DEVICE_CODE
GPI_DEVICE size_t gpi_merge_min(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The bit width of x. */
GPI_DEVICE unsigned gpi_merge_bits(size_t x)
{
    return 64 - (unsigned)__clzll((long long)x);
}

/* The sum over a warp of numbers below 2^51, in every lane. */
GPI_DEVICE size_t gpi_merge_sum(size_t x)
{
    return ((size_t)gpi_warp_sum((uint32_t)(x >> 24)) << 24) + gpi_warp_sum((uint32_t)(x & 0xFFFFFF));
}
#endif

#endif

/* The state of the search in one run, the same in its lanes. */
typedef struct {
    const GP_TYPE *keys;
    size_t low, high; /* the cut is in [low, high] */
    unsigned run;
    int log; /* 2^log lanes search the run */
} GPI(search);

#if GPI_DEVICE_CODE
/*
 * One warp: how many items of each run come before a pivot, item `place` of run `of`. If share > 0,
 * the cut is expected at that share of the interval: the first probes reach about four square roots
 * of the distance to the nearer end to either side of it.
 */
GPI_DEVICE size_t GPI(count)(const GPI(search) *search, GP_TYPE pivot, unsigned of, size_t place,
                             float share, GPI_CONTEXT context)
{
    const unsigned each = 1u << search->log, number = threadIdx.x & (each - 1);
    const int log = search->log + GPI_MERGE_PROBES_LOG;
    size_t low = search->run == of ? place : search->low,
           width = search->run == of ? 0 : search->high - low;
    size_t base = 0, span = width;

    if (share > 0 && width > 0) {
        const size_t middle = gpi_merge_min((size_t)((float)width * share), width);
        const size_t reach = (size_t)4 << gpi_merge_bits(gpi_merge_min(middle, width - middle)) / 2;

        base = middle > reach ? middle - reach : 0;
        span = gpi_merge_min(middle + reach, width) - base;
    }
    while (__any_sync(GPI_FULL_MASK, width > 0)) {
        unsigned count = 0;

        GPI_UNROLL
        for (unsigned i = 0; i < 1u << GPI_MERGE_PROBES_LOG; i++) {
            const size_t offset = gpi_probe(base, span, i << search->log | number, log);

            if (offset < width) {
                const GP_TYPE x = search->keys[low + offset];

                count += (unsigned)(search->run < of ? !GPI(less)(pivot, x, context)
                                                     : GPI(less)(x, pivot, context));
            }
        }
        for (unsigned step = 1; step < each; step *= 2)
            count += __shfl_xor_sync(GPI_FULL_MASK, count, (int)step);
        const size_t end = count < 1u << log ? gpi_probe(base, span, count, log) : width;
        const size_t begin = count ? gpi_probe(base, span, count - 1, log) + 1 : 0;

        low += begin;
        width = end > begin ? end - begin : 0; /* always so, unless GP_LESS is no order */
        base = 0;
        span = width;
    }
    return low;
}

/* One warp: the run of the pivot, and its place there, at `share` of the first or last of the widest intervals. */
GPI_DEVICE unsigned GPI(pivot)(const GPI(search) *search, float share, int from_last, size_t *place)
{
    const size_t width = search->high - search->low;
    const unsigned bits = gpi_merge_bits(width), max_bits = gpi_warp_max(bits);
    const unsigned widest = __ballot_sync(GPI_FULL_MASK, bits == max_bits);
    const int lane = from_last ? 31 - __clz((int)widest) : __ffs((int)widest) - 1;
    size_t offset = (size_t)((float)width * share);

    offset = search->low + (offset < width ? offset : width ? width - 1 : 0);
    *place = __shfl_sync(GPI_FULL_MASK, offset, lane);
    return (unsigned)lane >> search->log;
}

/*
 * One warp: the same of item number `target` of all intervals, one behind the other, or the last one first. is_first:
 * the lane is the first of its run.
 */
GPI_DEVICE unsigned GPI(pivot_in_turn)(const GPI(search) *search, int is_first, size_t target, int last_first,
                                       size_t *place)
{
    const unsigned lane = threadIdx.x % 32;
    const size_t width = is_first ? search->high - search->low : 0;
    size_t upto = width;

    GPI_UNROLL
    for (unsigned stride = 1; stride < 32; stride *= 2) {
        const size_t left = __shfl_up_sync(GPI_FULL_MASK, upto, stride);

        upto += lane >= stride ? left : 0;
    }
    const size_t all = __shfl_sync(GPI_FULL_MASK, upto, 31), begin = last_first ? all - upto : upto - width;
    const int of = __ffs((int)__ballot_sync(GPI_FULL_MASK, target >= begin && target - begin < width)) - 1;

    *place = __shfl_sync(GPI_FULL_MASK, search->low + (target - begin), of);
    return (unsigned)of >> search->log;
}

/*
 * One warp: cuts the runs of a group so that `wanted` items, or up to GPI_MERGE_SLACK fewer, come
 * before the cuts.
 */
GPI_DEVICE void GPI(split)(const GPI(pass) *pass, size_t items, size_t first, GPI(search) *search,
                           size_t wanted, GPI_CONTEXT context)
{
    const int is_first = (threadIdx.x & ((1u << search->log) - 1)) == 0; /* in its run */
    size_t before = 0, until = items;                                   /* the sums of low and of high */
    int is_bad = 0, is_behind = 0; /* the first guess; the last pivot is behind the cut */

    for (int round = 0; before + GPI_MERGE_SLACK < wanted; round++) {
        const int guess = round < GPI_MERGE_GUESSES, in_turn = (round == 1 && is_bad) || round == 3;
        const size_t target = wanted - GPI_MERGE_SLACK / 2 - before;
        const float share = guess ? (float)target / (float)(until - before) : 0.5f;
        float expected = guess ? share : 0;
        size_t place;
        const unsigned of = in_turn ? GPI(pivot_in_turn)(search, is_first, target, is_behind, &place)
                                    : GPI(pivot)(search, share, round == 1, &place);
        const GP_TYPE pivot = GPI_MERGE_RUN_BEGIN_OF(pass->keys, pass, first, of)[place];

        if (in_turn) /* all of a run, or nearly nothing */
            expected = (search->run < of) != is_behind ? 1 : 1e-9f;
        const size_t count = GPI(count)(search, pivot, of, place, expected, context);
        const size_t rank = gpi_merge_sum(is_first ? count : 0);

        is_behind = rank > wanted;
        if (round == 0) {
            const size_t off = is_behind ? rank - wanted : wanted - rank;

            is_bad = off > gpi_merge_min(wanted, items - wanted) / GPI_MERGE_FAR;
        }
        if (is_behind) {
            search->high = count;
            until = rank;
        } else { /* the pivot itself comes before the cut, unless it is the wanted item */
            search->low = count + (of == search->run && rank < wanted);
            before = rank + (rank < wanted);
        }
    }
}
#endif

/*
 * One warp for each tile but the first of a group. The merge is launched early only when the cuts
 * are nearly done: waiting blocks of it would fill the multiprocessors that search nothing, and
 * stay there.
 */
static __global__ void __launch_bounds__(32 * GPI_MERGE_SPLIT_WARPS)
    GPI(split_kernel)(GPI(pass) pass, size_t tiles, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    const unsigned lane = threadIdx.x % 32;
    const size_t tile = (size_t)blockIdx.x * GPI_MERGE_SPLIT_WARPS + threadIdx.x / 32;
    const size_t first = tile / pass.tiles * pass.group, wanted = tile % pass.tiles * GPI_MERGE_PASS_N;
    GPI(search) search;

    gpi_grid_wait();
    if (tile >= tiles || wanted == 0)
        return;
    const size_t items = GPI(group_items)(&pass, first);
    if (wanted >= items)
        return;
    search.log = 5 - pass.log;
    search.run = lane >> search.log;
    search.keys = GPI_MERGE_RUN_BEGIN_OF(pass.keys, &pass, first, search.run);
    search.low = 0;
    search.high = GPI(run_items)(&pass, items, search.run);
    GPI(split)(&pass, items, first, &search, wanted, context);
    if ((lane & ((1u << search.log) - 1)) == 0)
        pass.splits[tile * GPI_MERGE_MAX_WAYS + search.run] = search.low;
    gpi_grid_launch_next();
#endif
}
