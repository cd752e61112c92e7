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
 * Where items are equal in long classes, a pivot that is off is off by whole classes, and many would be needed. So if
 * tiles are few, a block searches for each: its first warp begins, and if such a pivot is off, all warps go on, each
 * with a pivot of its own, at another quantile than the median. Each narrows the intervals by what all of them tell.
 *
 * The search is bound by the latency of memory and of dependent instructions. So all reads of a step are under way
 * before the first is used, there is next to no division, no double precision and little of 64 bits here, and a lane
 * probes two places at a time, which is faster than four.
 *
 * Part of core/merge/pass.cuh; not to be included directly.
 */
#ifndef GPI_MERGE_SPLIT_CUH
#define GPI_MERGE_SPLIT_CUH

#define GPI_MERGE_SPLIT_WARPS 4 /* warps of a block */
#define GPI_MERGE_PROBES_LOG 1  /* log2 of the places that a lane probes at a time */
#define GPI_MERGE_GUESSES 4     /* pivots that are taken where the wanted item is expected */
#define GPI_MERGE_FAR 4         /* the first is bad if it is off by such a part of the way to the nearer end */
#define GPI_MERGE_MANY_LOG 3    /* log2 of how many runs are not in order by accident */

/* The widest interval of a run that is searched with 32 bits; a test may have it smaller. */
#ifndef GPI_MERGE_COUNTED
#define GPI_MERGE_COUNTED 0x7FFFFFFF
#endif

#if GPI_DEVICE_CODE
GPI_DEVICE size_t gpi_merge_min(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Probe i of 2^log in `span` places from `base` on, as gpi_probe() has it, in 32 bits. */
GPI_DEVICE unsigned gpi_merge_probe(unsigned base, unsigned span, unsigned i, int log)
{
    return base + (unsigned)((uint64_t)span * ((2 * i + 1) << (31 - log)) >> 32);
}

/* The sum over a warp of numbers below 2^51, in every lane. */
GPI_DEVICE size_t gpi_merge_sum(size_t x)
{
    return ((size_t)gpi_warp_sum((uint32_t)(x >> 24)) << 24) + gpi_warp_sum((uint32_t)(x & 0xFFFFFF));
}

/* The sum over the lanes before this one. */
GPI_DEVICE size_t gpi_merge_before(size_t x)
{
    return gpi_warp_prefix_long(x, threadIdx.x % 32) - x;
}
#endif

#endif

/* The state of the search in one run, the same in its lanes. */
typedef struct {
    const GP_TYPE *keys, *any; /* of the run; an item that can be read in place of one that is not there */
    size_t low, high;          /* the cut is in [low, high] */
    unsigned run;
    int log; /* 2^log lanes search the run */
} GPI(search);

/* What is known of the cut: from `before` to `until` items come before it; by how much the best pivot was off. */
typedef struct {
    size_t before, until, off;
    int round, is_coarse; /* whether the last pivot had many equals */
} GPI(state);

/* What a pivot tells: how many items are less, and how many are not greater; of the group, and of the lane's run. */
typedef struct {
    size_t rank, end, less, upto;
} GPI(told);

/* What the warps of a block tell each other. */
typedef struct {
    GPI(told) told[2][GPI_MERGE_SPLIT_WARPS][GPI_MERGE_MAX_WAYS]; /* by their pivots, of each run */
    size_t low[GPI_MERGE_MAX_WAYS], high[GPI_MERGE_MAX_WAYS];     /* what the first warp has found alone */
    GPI(state) state;
} GPI(board);

#if GPI_DEVICE_CODE
/* ---- items in registers ------------------------------------------------------------------------ */

/* An item in registers, or where it is if it is large. */
enum {
    GPI(is_held) = sizeof(GP_TYPE) <= 16,
    GPI(held_bytes) = GPI(is_held) ? sizeof(GP_TYPE) : 0,
    GPI(held_words) = GPI(is_held) ? (sizeof(GP_TYPE) + 3) / 4 : 2
};

typedef union {
    const GP_TYPE *at;
    uint32_t words[4];
} GPI(held);

GPI_DEVICE GPI(held) GPI(hold)(const GP_TYPE *at)
{
    GPI(held) x = {NULL};

    if (GPI(is_held)) {
        const GP_TYPE own = *at; /* read as what it is: of bytes the compiler would read each */

        memcpy(x.words, &own, GPI(held_bytes));
    } else
        x.at = at;
    return x;
}

/* One warp: what lane `from` holds. */
GPI_DEVICE GPI(held) GPI(held_by)(GPI(held) x, unsigned from)
{
    GPI_UNROLL
    for (int w = 0; w < GPI(held_words); w++)
        x.words[w] = __shfl_sync(GPI_FULL_MASK, x.words[w], (int)from);
    return x;
}

GPI_DEVICE int GPI(held_less)(const GPI(held) *a, const GPI(held) *b, GPI_CONTEXT context)
{
    GP_TYPE x, y;

    if (!GPI(is_held))
        return GPI(less)(*a->at, *b->at, context);
    memcpy((void *)&x, a->words, GPI(held_bytes));
    memcpy((void *)&y, b->words, GPI(held_bytes));
    return GPI(less)(x, y, context);
}

/* ---- the bounds of a pivot --------------------------------------------------------------------- */

/* Whether an item comes before the pivot, or does not come behind it if `upto`. */
GPI_DEVICE int GPI(is_below)(const GPI(held) *x, const GPI(held) *pivot, int upto, GPI_CONTEXT context)
{
    return upto ? !GPI(held_less)(pivot, x, context) : GPI(held_less)(x, pivot, context);
}

/* One warp: brings the search for a bound in `*width` items from *low on down to what 32 bits can count. */
GPI_DEVICE void GPI(approach)(size_t *low, size_t *width, const GPI(search) *search, const GPI(held) *pivot, int upto,
                              GPI_CONTEXT context)
{
    const size_t most = GPI_MERGE_COUNTED;

    while (*width > most) {
        const GPI(held) x = GPI(hold)(&search->keys[*low + most]);
        const int is_below = GPI(is_below)(&x, pivot, upto, context);

        *low += is_below ? most + 1 : 0;
        *width = is_below ? *width - (most + 1) : most;
    }
}

/*
 * One warp: where the items of each run begin that are equal to a pivot, item `place` of run `of`, and where those that
 * are greater. If share > 0, that is expected at this share of the interval: the first probes reach about four square
 * roots of the distance to the nearer end to either side of it.
 */
GPI_DEVICE void GPI(bounds)(size_t low[2], const GPI(search) *search, GPI(held) pivot, unsigned of, size_t place,
                            float share, GPI_CONTEXT context)
{
    const unsigned each = 1u << search->log, number = threadIdx.x & (each - 1);
    const int log = search->log + GPI_MERGE_PROBES_LOG;
    unsigned from[2] = {0, 0}, width[2], base[2], span[2];

    GPI_UNROLL
    for (int b = 0; b < 2; b++) {
        const int is_own = search->run == of; /* where the pivot itself is one of the equal ones */
        size_t all;

        low[b] = is_own && b ? place + 1 : search->low;
        all = (is_own && !b ? place : search->high) - low[b];
        GPI(approach)(&low[b], &all, search, &pivot, b, context);
        width[b] = (unsigned)all;
        const unsigned middle = is_own ? (b ? 0 : width[b]) : gpi_min((unsigned)((float)width[b] * share), width[b]);
        const unsigned reach = 4u << (32 - __clz((int)gpi_min(middle, width[b] - middle))) / 2;

        base[b] = share > 0 && middle > reach ? middle - reach : 0;
        span[b] = (share > 0 ? gpi_min(middle + reach, width[b]) : width[b]) - base[b];
    }
    while (__any_sync(GPI_FULL_MASK, (width[0] | width[1]) > 0)) {
        unsigned counts = 0; /* of either bound, in 16 bits each */
        GPI(held) x[2 << GPI_MERGE_PROBES_LOG];
        int is_there[2 << GPI_MERGE_PROBES_LOG];

        GPI_UNROLL
        for (unsigned i = 0; i < 2u << GPI_MERGE_PROBES_LOG; i++) {
            const unsigned b = i % 2;
            const unsigned offset = gpi_merge_probe(base[b], span[b], i / 2 << search->log | number, log);

            is_there[i] = offset < width[b];
            x[i] = GPI(hold)(is_there[i] ? &search->keys[low[b] + (from[b] + offset)] : search->any);
        }
        GPI_UNROLL
        for (unsigned i = 0; i < 2u << GPI_MERGE_PROBES_LOG; i++)
            if (is_there[i])
                counts += (unsigned)GPI(is_below)(&x[i], &pivot, i % 2, context) << 16 * (i % 2);
        for (unsigned step = 1; step < each; step *= 2)
            counts += __shfl_xor_sync(GPI_FULL_MASK, counts, (int)step);
        GPI_UNROLL
        for (int b = 0; b < 2; b++) {
            const unsigned count = counts >> 16 * b & 0xFFFF;
            const unsigned end = count < 1u << log ? gpi_merge_probe(base[b], span[b], count, log) : width[b];
            const unsigned begin = count ? gpi_merge_probe(base[b], span[b], count - 1, log) + 1 : 0;

            from[b] += begin;
            width[b] = end > begin ? end - begin : 0; /* always so, unless GP_LESS is no order */
            base[b] = 0;
            span[b] = width[b];
        }
    }
    low[0] += from[0];
    low[1] += from[1];
}

/* ---- pivots ------------------------------------------------------------------------------------ */

/*
 * One warp: of the items at `share` of each interval the one at a quantile, the median or another one, each weighted by
 * its interval's width: its run, and its place there. *order becomes 1 if those items are in strictly increasing order,
 * -1 if in decreasing order, or else 0.
 */
GPI_DEVICE unsigned GPI(propose)(const GPI(search) *search, float share, float quantile, size_t *place, int *order,
                                 GPI_CONTEXT context)
{
    const unsigned each = 1u << search->log, runs = 32 >> search->log, number = threadIdx.x & (each - 1);
    const size_t width = search->high - search->low, offset = (size_t)((float)width * share);
    const size_t own = search->low + (offset < width ? offset : width ? width - 1 : 0);
    const GPI(held) mine = GPI(hold)(width ? search->keys + own : search->any);
    const float weight = (float)width;
    float before = 0, less = 0, lower = 0, all = 0; /* what comes before, what is less, what is of lower runs */

    for (unsigned i = 0; i < runs; i += each) {
        const unsigned run = (i + number) % runs, from = run << search->log;
        const GPI(held) other = GPI(held_by)(mine, from);
        const float there = __shfl_sync(GPI_FULL_MASK, weight, (int)from), counted = i + number < runs ? there : 0;

        all += counted;
        if (run == search->run || width == 0 || counted <= 0)
            continue;
        if (run < search->run)
            lower += counted;
        if (GPI(held_less)(&other, &mine, context))
            less += counted;
        else if (run < search->run && !GPI(held_less)(&mine, &other, context))
            before += counted;
    }
    for (unsigned step = 1; step < each; step *= 2) {
        before += __shfl_xor_sync(GPI_FULL_MASK, before, (int)step);
        less += __shfl_xor_sync(GPI_FULL_MASK, less, (int)step);
        lower += __shfl_xor_sync(GPI_FULL_MASK, lower, (int)step);
        all += __shfl_xor_sync(GPI_FULL_MASK, all, (int)step);
    }
    before += less;
    *order = __all_sync(GPI_FULL_MASK, width == 0 || less == lower)                  ? 1
             : __all_sync(GPI_FULL_MASK, width == 0 || less + lower + weight == all) ? -1
                                                                                     : 0;
    const float at = all * quantile;
    const unsigned is_it = __ballot_sync(GPI_FULL_MASK, before <= at && at < before + weight),
                   is_any = __ballot_sync(GPI_FULL_MASK, width > 0); /* if GP_LESS is no order, or sums are rounded */
    const int of = __ffs((int)(is_it ? is_it : is_any)) - 1;

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

/* One warp: takes the pivot at a quantile of what the runs propose, and finds what it tells. */
GPI_DEVICE GPI(told) GPI(ask)(const GPI(pass) *pass, size_t items, size_t first, const GPI(search) *search,
                              const GPI(state) *state, size_t wanted, float quantile, GPI_CONTEXT context)
{
    const int is_first = (threadIdx.x & ((1u << search->log) - 1)) == 0; /* in its run */
    const int guess = state->round < GPI_MERGE_GUESSES,
              is_bad = state->round == 1 && state->off > gpi_merge_min(wanted, items - wanted) / GPI_MERGE_FAR;
    const size_t target = wanted - pass->slack / 2 - state->before, all = state->until - state->before;
    const float share = guess ? (float)target / (float)all : 0.5f;
    float expected = guess ? share : 0;
    size_t place, bounds[2];
    int order;
    unsigned of = GPI(propose)(search, share, quantile, &place, &order, context);

    if (order && (state->round == 0 ? pass->log >= GPI_MERGE_MANY_LOG : is_bad || state->round == 2)) {
        of = GPI(in_turn)(search, is_first, all, target, order < 0, &place);
        expected = (search->run < of) == (order > 0) ? 1 : 1e-9f; /* all of a run, or nearly nothing */
    }
    GPI(bounds)(bounds, search, GPI(hold)(GPI_MERGE_RUN_BEGIN_OF(pass->keys, pass, first, of) + place), of, place,
                expected, context);
    const size_t upto = bounds[1] > bounds[0] ? bounds[1] : bounds[0]; /* always so, unless GP_LESS is no order */
    const size_t rank = gpi_merge_sum(is_first ? bounds[0] : 0), end = gpi_merge_sum(is_first ? upto : 0);
    const GPI(told) told = {rank, end, bounds[0], upto};
    return told;
}

/*
 * One warp: narrows the intervals by what a pivot tells, unless one before it told more. The first pivot of a round is
 * in an interval, so that one becomes narrower, even if GP_LESS is no order.
 */
GPI_DEVICE void GPI(narrow)(GPI(search) *search, GPI(state) *state, const GPI(told) *told, size_t wanted)
{
    const size_t rank = told->rank, end = told->end;
    const size_t off = rank > wanted ? rank - wanted : end < wanted ? wanted - end : 0;

    state->off = gpi_merge_min(state->off, off);
    if (state->before == wanted ||
        !__all_sync(GPI_FULL_MASK, search->low <= told->less && told->upto <= search->high))
        return;
    if (rank > wanted) {
        search->high = told->less;
        state->until = rank;
    } else if (end <= wanted) {
        search->low = told->upto;
        state->before = end;
    } else { /* the first of the equal ones come before the cut */
        const int is_first = (threadIdx.x & ((1u << search->log) - 1)) == 0; /* in its run */
        const size_t equal = is_first ? told->upto - told->less : 0;
        const size_t others = gpi_merge_before(equal);

        search->low = told->less + gpi_merge_min(equal, wanted - rank > others ? wanted - rank - others : 0);
        state->before = wanted;
    }
}

/*
 * One of so many warps: cuts the runs of a group so that `wanted` items, or up to pass->slack fewer, come before the
 * cuts. The first warp begins alone; the others wait until it is done, or has a pivot that is off by whole classes.
 */
GPI_DEVICE void GPI(split)(const GPI(pass) *pass, size_t items, size_t first, GPI(search) *search,
                           size_t wanted, GPI(board) *board, unsigned warp, unsigned warps, GPI_CONTEXT context)
{
    const int is_first = (threadIdx.x & ((1u << search->log) - 1)) == 0; /* in its run */
    GPI(state) state = {0, items, SIZE_MAX, 0, 0};
    int is_alone = 1;

    for (unsigned parity = 0;; state.round++) {
        if (is_alone && warps > 1 && (warp || state.is_coarse || state.before + pass->slack >= wanted)) {
            if (warp == 0 && is_first) {
                board->low[search->run] = search->low;
                board->high[search->run] = search->high;
                board->state = state;
            }
            __syncthreads(); /* the others know what the first warp has found */
            search->low = board->low[search->run];
            search->high = board->high[search->run];
            state = board->state;
            is_alone = 0;
        }
        if (state.before + pass->slack >= wanted)
            return;
        const float quantile = is_alone ? 0.5f : (float)(warp + 1) / (float)(warps + 1);
        const GPI(told) told = GPI(ask)(pass, items, first, search, &state, wanted, quantile, context);

        if (is_alone) {
            GPI(narrow)(search, &state, &told, wanted);
            state.is_coarse = told.end - told.rank > pass->slack;
            continue;
        }
        board->told[parity][warp][search->run] = told;
        __syncthreads(); /* all pivots have told; and what they told two rounds before has been read */
        for (unsigned w = 0; w < warps; w++)
            GPI(narrow)(search, &state, &board->told[parity][w][search->run], wanted);
        parity ^= 1;
    }
}
#endif

/*
 * So many warps, one or all of a block, for each tile but the first of a group. The merge is launched early only when
 * the cuts are nearly done: waiting blocks of it would fill the multiprocessors that search nothing, and stay there.
 * Registers are for all reads of a step: without a limit of blocks the compiler saves them.
 */
static __global__ void __launch_bounds__(32 * GPI_MERGE_SPLIT_WARPS, 4)
    GPI(split_kernel)(GPI(pass) pass, size_t tiles, unsigned warps, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_SHARED(GPI(board), board);
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32 % warps;
    const size_t tile = ((size_t)blockIdx.x * GPI_MERGE_SPLIT_WARPS + threadIdx.x / 32) / warps;
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
    search.any = pass.keys + first;
    search.low = 0;
    search.high = GPI(run_items)(&pass, items, search.run);
    GPI(split)(&pass, items, first, &search, wanted, &board, warp, warps, context);
    if (warp == 0 && (lane & ((1u << search.log) - 1)) == 0)
        pass.splits[tile * GPI_MERGE_MAX_WAYS + search.run] = search.low;
    gpi_grid_launch_next();
#endif
}
