/*
 * core/merge/split.cuh: cuts sorted runs so that the items before the cuts are the first ones of
 * the merged order.
 *
 * A warp keeps an interval of every run that contains the cut, and looks for an item of about the
 * right rank: it takes a pivot from an interval and finds by bisection how many items of each run
 * come before those that are equal to it, and how many before those that are greater, in all runs at
 * once, each with lanes of its own. If the cut is among the equal ones, they are cut in the order of
 * the runs; if not, the intervals become narrower. The pivots are taken where the wanted item is
 *
 *     first   if the runs have the same distribution, as random items have: of the items at the same
 *             share of each interval, the median. If those of many runs are in the order of the runs,
 *             or in the reverse order, or those of fewer are and the pivot before was far off, or is
 *             the second one, the runs follow each other, as in sorted and reversed input: then it
 *             is where the wanted item is in all of them, one behind the other
 *     later   in the middle of the intervals, the median again, as in quickselect (Hoare,
 *             Algorithm 65, 1961)
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
#define GPI_MERGE_MANY_LOG 3    /* log2 of how many runs are not in order by accident */

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

/* The sum over the lanes before this one. */
GPI_DEVICE size_t gpi_merge_before(size_t x)
{
    const unsigned lane = threadIdx.x % 32;
    size_t upto = x;

    GPI_UNROLL
    for (unsigned stride = 1; stride < 32; stride *= 2) {
        const size_t left = __shfl_up_sync(GPI_FULL_MASK, upto, stride);

        upto += lane >= stride ? left : 0;
    }
    return upto - x;
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
 * One warp: where the items of each run begin that are equal to a pivot, item `place` of run `of`, and where those that
 * are greater. If share > 0, that is expected at this share of the interval: the first probes reach about four square
 * roots of the distance to the nearer end to either side of it.
 */
GPI_DEVICE void GPI(bounds)(size_t low[2], const GPI(search) *search, GP_TYPE pivot, unsigned of, size_t place,
                            float share, GPI_CONTEXT context)
{
    const unsigned each = 1u << search->log, number = threadIdx.x & (each - 1);
    const int log = search->log + GPI_MERGE_PROBES_LOG;
    size_t width[2], base[2], span[2];

    GPI_UNROLL
    for (int b = 0; b < 2; b++) {
        const int is_own = search->run == of; /* where the pivot itself is one of the equal ones */
        size_t middle;

        low[b] = is_own && b ? place + 1 : search->low;
        width[b] = (is_own && !b ? place : search->high) - low[b];
        middle = is_own ? (b ? 0 : width[b]) : gpi_merge_min((size_t)((float)width[b] * share), width[b]);
        const size_t reach = (size_t)4 << gpi_merge_bits(gpi_merge_min(middle, width[b] - middle)) / 2;

        base[b] = share > 0 && middle > reach ? middle - reach : 0;
        span[b] = (share > 0 ? gpi_merge_min(middle + reach, width[b]) : width[b]) - base[b];
    }
    while (__any_sync(GPI_FULL_MASK, width[0] + width[1] > 0)) {
        unsigned counts = 0; /* of either bound, in 16 bits each */

        GPI_UNROLL
        for (unsigned i = 0; i < 2u << GPI_MERGE_PROBES_LOG; i++) {
            const unsigned b = i % 2;
            const size_t offset = gpi_probe(base[b], span[b], i / 2 << search->log | number, log);

            if (offset < width[b]) {
                const GP_TYPE x = search->keys[low[b] + offset];

                counts += (unsigned)(b ? !GPI(less)(pivot, x, context) : GPI(less)(x, pivot, context)) << 16 * b;
            }
        }
        for (unsigned step = 1; step < each; step *= 2)
            counts += __shfl_xor_sync(GPI_FULL_MASK, counts, (int)step);
        GPI_UNROLL
        for (int b = 0; b < 2; b++) {
            const unsigned count = counts >> 16 * b & 0xFFFF;
            const size_t end = count < 1u << log ? gpi_probe(base[b], span[b], count, log) : width[b];
            const size_t begin = count ? gpi_probe(base[b], span[b], count - 1, log) + 1 : 0;

            low[b] += begin;
            width[b] = end > begin ? end - begin : 0; /* always so, unless GP_LESS is no order */
            base[b] = 0;
            span[b] = width[b];
        }
    }
}

/*
 * One warp: of the items at `share` of each interval the median, each weighted by its interval's width: its run, and
 * its place there. *order becomes 1 if those items are in strictly increasing order, -1 if in decreasing order, or
 * else 0.
 */
GPI_DEVICE unsigned GPI(median)(const GPI(search) *search, float share, size_t *place, int *order,
                                GPI_CONTEXT context)
{
    const unsigned each = 1u << search->log, runs = 32 >> search->log, number = threadIdx.x & (each - 1);
    const size_t width = search->high - search->low, offset = (size_t)((float)width * share);
    const size_t own = search->low + (offset < width ? offset : width ? width - 1 : 0);
    size_t before = 0, less = 0, lower = 0, all = 0; /* what comes before, what is less, what is of lower runs */

    for (unsigned i = 0; i < runs; i += each) {
        const unsigned run = (i + number) % runs, from = run << search->log;
        const GP_TYPE *keys = (const GP_TYPE *)__shfl_sync(GPI_FULL_MASK, (uint64_t)search->keys, (int)from);
        const size_t other = __shfl_sync(GPI_FULL_MASK, own, (int)from);
        const size_t weight = __shfl_sync(GPI_FULL_MASK, width, (int)from), counted = i + number < runs ? weight : 0;

        all += counted;
        if (run == search->run || width == 0 || counted == 0)
            continue;
        if (run < search->run)
            lower += counted;
        if (GPI(less)(keys[other], search->keys[own], context))
            less += counted;
        else if (run < search->run && !GPI(less)(search->keys[own], keys[other], context))
            before += counted;
    }
    for (unsigned step = 1; step < each; step *= 2) {
        before += __shfl_xor_sync(GPI_FULL_MASK, before, (int)step);
        less += __shfl_xor_sync(GPI_FULL_MASK, less, (int)step);
        lower += __shfl_xor_sync(GPI_FULL_MASK, lower, (int)step);
        all += __shfl_xor_sync(GPI_FULL_MASK, all, (int)step);
    }
    before += less;
    *order = __all_sync(GPI_FULL_MASK, width == 0 || less == lower)                 ? 1
             : __all_sync(GPI_FULL_MASK, width == 0 || less + lower + width == all) ? -1
                                                                                    : 0;
    const unsigned is_median = __ballot_sync(GPI_FULL_MASK, before <= all / 2 && all / 2 < before + width),
                   is_any = __ballot_sync(GPI_FULL_MASK, width > 0); /* if GP_LESS is no order */
    const int of = __ffs((int)(is_median ? is_median : is_any)) - 1;

    *place = __shfl_sync(GPI_FULL_MASK, own, of);
    return (unsigned)of >> search->log;
}

/*
 * One warp: the same of item number `target` of all intervals, one behind the other, or the last one first. is_first:
 * the lane is the first of its run.
 */
GPI_DEVICE unsigned GPI(in_turn)(const GPI(search) *search, int is_first, size_t all, size_t target, int last_first,
                                 size_t *place)
{
    const size_t width = is_first ? search->high - search->low : 0, before = gpi_merge_before(width);
    const size_t begin = last_first ? all - before - width : before;
    const int of = __ffs((int)__ballot_sync(GPI_FULL_MASK, target >= begin && target - begin < width)) - 1;

    *place = __shfl_sync(GPI_FULL_MASK, search->low + (target - begin), of);
    return (unsigned)of >> search->log;
}

/*
 * One warp: cuts the runs of a group so that `wanted` items, or up to pass->slack fewer, come
 * before the cuts.
 */
GPI_DEVICE void GPI(split)(const GPI(pass) *pass, size_t items, size_t first, GPI(search) *search,
                           size_t wanted, GPI_CONTEXT context)
{
    const int is_first = (threadIdx.x & ((1u << search->log) - 1)) == 0; /* in its run */
    size_t before = 0, until = items;                                   /* the sums of low and of high */
    int is_bad = 0; /* the first guess */

    for (int round = 0; before + pass->slack < wanted; round++) {
        const int guess = round < GPI_MERGE_GUESSES;
        const size_t target = wanted - pass->slack / 2 - before, all = until - before;
        const float share = guess ? (float)target / (float)all : 0.5f;
        float expected = guess ? share : 0;
        size_t place, bounds[2];
        int order;
        unsigned of = GPI(median)(search, share, &place, &order, context);

        if (order && (round == 0 ? pass->log >= GPI_MERGE_MANY_LOG : round == 1 ? is_bad : round == 2)) {
            of = GPI(in_turn)(search, is_first, all, target, order < 0, &place);
            expected = (search->run < of) == (order > 0) ? 1 : 1e-9f; /* all of a run, or nearly nothing */
        }
        const GP_TYPE pivot = GPI_MERGE_RUN_BEGIN_OF(pass->keys, pass, first, of)[place];

        GPI(bounds)(bounds, search, pivot, of, place, expected, context);
        const size_t equal = is_first && bounds[1] > bounds[0] ? bounds[1] - bounds[0] : 0;
        const size_t rank = gpi_merge_sum(is_first ? bounds[0] : 0), end = rank + gpi_merge_sum(equal);

        const size_t off = rank > wanted ? rank - wanted : end < wanted ? wanted - end : 0;

        is_bad = round == 0 && off > gpi_merge_min(wanted, items - wanted) / GPI_MERGE_FAR;
        if (rank > wanted) {
            search->high = bounds[0];
            until = rank;
        } else if (end <= wanted) {
            search->low = bounds[1];
            before = end;
        } else { /* the first of the equal ones come before the cut */
            const size_t others = gpi_merge_before(equal);

            search->low = bounds[0] + gpi_merge_min(equal, wanted - rank > others ? wanted - rank - others : 0);
            before = wanted;
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
    const size_t first = tile / pass.tiles * pass.group, wanted = tile % pass.tiles * pass.tile;
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
