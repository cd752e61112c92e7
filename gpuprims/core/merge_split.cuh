/*
 * core/merge_split.cuh: cuts sorted runs so that the items before the cuts are the first ones of the runs
 * merged.
 *
 * A warp keeps an interval of every run, in which the cut must be, and looks for an item of about the right
 * rank: it takes one out of the widest interval, a pivot, and finds by bisection how many items of each run
 * come before it, all runs at once, each with lanes of its own. Those are cuts, before the wanted ones or
 * behind them, and narrow the intervals. The first pivots are taken where the wanted item is if the runs are
 * alike, as those of random items are, the later ones in the middle of the interval: as in quickselect
 * (Hoare, Algorithm 65, 1961). Tiles need not be of one size, so an item near the wanted one will do.
 *
 * Part of core/merge_pass.cuh; not to be included directly.
 */
#define GPI_MERGE_LANES GPI(lanes)
#define GPI_MERGE_COUNT GPI(count)
#define GPI_MERGE_PIVOT GPI(pivot)
#define GPI_MERGE_SPLIT GPI(split)
#define GPI_MERGE_SPLIT_KERNEL GPI(split_kernel)

#ifndef GPI_MERGE_SPLIT_CUH
#define GPI_MERGE_SPLIT_CUH

#define GPI_MERGE_SPLIT_WARPS 4   /* of a block */
#define GPI_MERGE_GUESSES 4       /* so many pivots are taken where the wanted item may be expected */
#define GPI_MERGE_GUESS_FROM 4096 /* in an interval of so many items or more, places too */

/*
 * Where in `width` items probe i of 2^log is: evenly spaced, or, with `share` > 0, within a few roots of
 * their number around that share of them. With fewer items than probes, each is one.
 */
GPI_DEVICE size_t gpi_merge_probe(size_t width, unsigned i, int log, double share)
{
    if (share > 0 && width >= GPI_MERGE_GUESS_FROM) {
        const double root = (double)((size_t)1 << (64 - __clzll((long long)width)) / 2);
        const double place = share * (double)width + (2.0 * i + 1 - (1 << log)) / (1 << log) * 2 * root;

        return place <= 0 ? 0 : place >= (double)(width - 1) ? width - 1 : (size_t)place;
    }
    return width >> log ? ((2 * i + 1) * width) >> (log + 1) : i;
}

/* The sum, over the runs of a warp with 2^log lanes each, of what the lanes of each run have. */
GPI_DEVICE size_t gpi_merge_sum(size_t x, int log)
{
    for (unsigned step = 1u << log; step < 32; step *= 2)
        x += __shfl_xor_sync(GPI_FULL_MASK, x, (int)step);
    return x;
}

#endif

/* What the lanes of a run know. */
typedef struct {
    const GP_TYPE *keys;
    size_t low, high; /* the cut is in [low, high] */
    unsigned run;
    int log; /* the run has 2^log lanes */
} GPI_MERGE_LANES;

/*
 * One warp: how many items of each run come before a pivot of run `of`, which is item `place` of it. If
 * share > 0, that may be this share of the intervals.
 */
GPI_DEVICE size_t GPI_MERGE_COUNT(const GPI_MERGE_LANES *lanes, GP_TYPE pivot, unsigned of, size_t place,
                                  double share, GPI_CONTEXT context)
{
    const unsigned each = 1u << lanes->log, number = threadIdx.x & (each - 1), lane = threadIdx.x % 32;
    size_t low = lanes->run == of ? place : lanes->low, width = lanes->run == of ? 0 : lanes->high - low;

    while (__any_sync(GPI_FULL_MASK, width > 0)) {
        const size_t offset = gpi_merge_probe(width, number, lanes->log, share);
        int before = 0;

        if (offset < width) {
            const GP_TYPE x = lanes->keys[low + offset];

            before = lanes->run < of ? !GPI_LESS(pivot, x, context) : GPI_LESS(x, pivot, context);
        }
        const unsigned votes = __ballot_sync(GPI_FULL_MASK, before) >> (lane - number) & ((1u << each) - 1);
        const unsigned count = (unsigned)__popc(votes);
        const size_t end =
            count < gpi_most(width, each) ? gpi_merge_probe(width, count, lanes->log, share) : width;
        const size_t begin = count ? gpi_merge_probe(width, count - 1, lanes->log, share) + 1 : 0;

        low += begin;
        width = end - begin;
        share = 0;
    }
    return low;
}

/* One warp: the run of the pivot, and its place there, by its share of the widest interval. */
GPI_DEVICE unsigned GPI_MERGE_PIVOT(const GPI_MERGE_LANES *lanes, double share, size_t *place)
{
    const size_t width = lanes->high - lanes->low;
    size_t most = width;

    for (unsigned step = 16; step; step /= 2) {
        const size_t other = __shfl_xor_sync(GPI_FULL_MASK, most, (int)step);

        most = other > most ? other : most;
    }
    const int lane = __ffs((int)__ballot_sync(GPI_FULL_MASK, width == most)) - 1;
    size_t offset = (size_t)((double)width * share);

    offset = lanes->low + (offset < width ? offset : width ? width - 1 : 0);
    *place = __shfl_sync(GPI_FULL_MASK, offset, lane);
    return (unsigned)lane >> lanes->log;
}

/* One warp: cuts the runs of a group so that `wanted` items come before, or up to GPI_MERGE_SLACK fewer. */
GPI_DEVICE void GPI_MERGE_SPLIT(const GPI_MERGE_PASS *pass, size_t first, GPI_MERGE_LANES *lanes,
                                size_t wanted, GPI_CONTEXT context)
{
    for (int round = 0;; round++) {
        const size_t passed = gpi_merge_sum(lanes->low, lanes->log);
        const size_t items = gpi_merge_sum(lanes->high, lanes->log) - passed;
        size_t place;

        if (passed + GPI_MERGE_SLACK >= wanted)
            return;
        const int guess = round < GPI_MERGE_GUESSES;
        const double share = guess ? (double)(wanted - GPI_MERGE_SLACK / 2 - passed) / (double)items : 0.5;
        const unsigned of = GPI_MERGE_PIVOT(lanes, share, &place);
        const GP_TYPE pivot = GPI_MERGE_RUN_BEGIN_OF(pass->keys, pass, first, of)[place];
        const size_t count = GPI_MERGE_COUNT(lanes, pivot, of, place, guess ? share : 0, context);
        const size_t rank = gpi_merge_sum(count, lanes->log);

        if (rank > wanted)
            lanes->high = count;
        else /* the pivot itself comes before the cut, unless it is the very item */
            lanes->low = count + (of == lanes->run && rank < wanted);
    }
}

/* One warp for each tile but the first of a group. */
static __global__ void __launch_bounds__(32 * GPI_MERGE_SPLIT_WARPS)
    GPI_MERGE_SPLIT_KERNEL(GPI_MERGE_PASS pass, size_t tiles, GPI_CONTEXT context)
{
    const unsigned lane = threadIdx.x % 32;
    const size_t tile = (size_t)blockIdx.x * GPI_MERGE_SPLIT_WARPS + threadIdx.x / 32;
    const size_t first = tile / pass.tiles * pass.group, wanted = tile % pass.tiles * GPI_MERGE_PASS_N;
    GPI_MERGE_LANES lanes;

    gpi_grid_wait();
    gpi_grid_launch_next();
    if (tile >= tiles || wanted == 0)
        return;
    const size_t items = GPI_MERGE_GROUP_ITEMS(&pass, first);
    if (wanted >= items)
        return;
    lanes.log = 5 - pass.log;
    lanes.run = lane >> lanes.log;
    lanes.keys = GPI_MERGE_RUN_BEGIN_OF(pass.keys, &pass, first, lanes.run);
    lanes.low = 0;
    lanes.high = GPI_MERGE_RUN_ITEMS(&pass, items, lanes.run);
    GPI_MERGE_SPLIT(&pass, first, &lanes, wanted, context);
    if ((lane & ((1u << lanes.log) - 1)) == 0)
        pass.splits[tile * GPI_MERGE_MOST + lanes.run] = lanes.low;
}
