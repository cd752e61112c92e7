/*
 * core/segmented/window.cuh: a window of neighbouring items in shared memory, a slot of which each warp has, and the
 * trees that fold what is in it.
 *
 * The fold of a segment is one tree over its items, counted from its start: in the step with stride s = 1, 2, 4, ...
 * item i becomes item i op item i + s. Where it is cut at a power of two, each part is such a tree itself. So the
 * shapes below decide nothing but speed:
 *
 *     run      items that a thread has in registers: the lowest steps of the tree
 *     round    runs of the 32 lanes: the next five
 *     window   some rounds, as many as a slot has room for: more for a scan, whose chunk stays in its slot
 *
 * Needs core/instance/fold.cuh. Part of segmented.cuh; not to be included directly.
 */
__extension__ enum { /* ISO C has no floating-point arithmetic in integer constants */
    GPI(is_total) = GPI_FOLDS_NUMBERS, /* what is undefined may be folded, too, if it goes nowhere */
#if GPI_FOLDS_NUMBERS
    GPI(any_order) = GPI_IS_INTEGER, /* the same, and the order does not show: see sweep.cuh */
#else
    GPI(any_order) = 0,
#endif
    GPI(run_n) = sizeof(GP_TYPE) <= 8 ? 8 : sizeof(GP_TYPE) <= 16 ? 4 : sizeof(GP_TYPE) <= 32 ? 2 : 1,
    GPI(round_n) = 32 * GPI(run_n),
    GPI(reduce_rounds) = sizeof(GP_TYPE) <= 4 ? 4 : sizeof(GP_TYPE) <= 16 ? 2 : 1, /* of a window */
    GPI(scan_rounds) = sizeof(GP_TYPE) <= 16 ? 2 * (int)GPI(reduce_rounds) : 1, /* 8 at most: see GPI(push) */
    GPI(window_n) = GPI(reduce_rounds) * GPI(round_n),
    GPI(part_n) = GPI(window_n) / 32,
    /*
     * A gap behind 128 bytes or fewer: lanes that read runs, or parts of a window, of a power of two use all banks. It
     * is one item, or, where a scan in any order reads parts by vectors, one vector.
     */
    GPI(gap_n) = sizeof(GP_TYPE) <= 4 ? 32 : sizeof(GP_TYPE) <= 8 ? 16 : sizeof(GP_TYPE) <= 16 ? 8 : 1 << 30,
    GPI(scan_gap) = GPI(any_order) ? 16 / sizeof(GP_TYPE) : 1,
    GPI(vector_bytes) = sizeof(GP_TYPE) < 16 ? (int)GPI(scan_gap) * (int)sizeof(GP_TYPE) : 16,
    GPI(round_bytes) = (GPI(run_n) * (32 + 32 / GPI(gap_n)) * (int)sizeof(GP_TYPE) + 15) / 16 * 16,
    GPI(vectors_bytes) = GPI(window_n) * (int)sizeof(GP_TYPE) + GPI(window_n) / GPI(gap_n) * 16,
    GPI(behind_bytes) = ((GPI(run_n) + 1) * (int)sizeof(GP_TYPE) + 15) / 16 * 16, /* a run is read in whole */
    GPI(reduce_slot) = GPI(reduce_rounds) * GPI(round_bytes) + GPI(behind_bytes),
    GPI(scan_slot) =
        GPI(any_order) ? (int)GPI(vectors_bytes) : GPI(scan_rounds) * GPI(round_bytes) + (int)GPI(behind_bytes),
    GPI(batch_rows) = 4,
    GPI(batch_n) = 32 * GPI(batch_rows), /* segments that a warp looks at together, 128 at most */
    GPI(warps) = GPI(reduce_slot) <= 5120 ? 4 : GPI(reduce_slot) <= 16384 ? 2 : 1, /* of a block */
    GPI(threads) = 32 * GPI(warps),
    GPI(reduce_blocks) = sizeof(GP_TYPE) <= 8 ? GPI_TUNE_SEGMENTED_REDUCE_BLOCKS : 1,
    GPI(scan_blocks) = sizeof(GP_TYPE) <= 8 ? GPI_TUNE_SEGMENTED_SCAN_BLOCKS : 1
};

/* What is read of an item before it is mapped, and how many a lane has on their way at a time. */
#ifdef GP_LOAD_AT
typedef GP_TYPE GPI(loaded);
#else
typedef GP_INPUT_TYPE GPI(loaded);
#endif
enum {
    GPI(wider) = sizeof(GPI(loaded)) > sizeof(GP_TYPE) ? sizeof(GPI(loaded)) : sizeof(GP_TYPE),
    GPI(max_loads) = (int)GPI(wider) <= 4    ? GPI_TUNE_SEGMENTED_LOADS
                     : (int)GPI(wider) <= 8  ? 8
                     : (int)GPI(wider) <= 16 ? 4
                                             : 1,
    GPI(loads) = (int)GPI(max_loads) < (int)GPI(run_n) ? (int)GPI(max_loads) : (int)GPI(run_n),
    /* Of a vector of 16 bytes, if they can be read so; otherwise 1. */
    GPI(vector_loads) = sizeof(GPI(loaded)) < 16 && 16 % sizeof(GPI(loaded)) == 0 &&
                                __alignof__(GPI(loaded)) == sizeof(GPI(loaded))
                            ? 16 / sizeof(GPI(loaded))
                            : 1
};

#if GPI_DEVICE_CODE
/* Where item i of the window lies in the slot; `gap` is a constant: 1, or GPI(scan_gap). */
GPI_DEVICE unsigned GPI(place)(unsigned i, unsigned gap)
{
    return i + i / GPI(gap_n) * gap;
}

/*
 * One warp: reads n neighbouring items, or, if `is_whole`, as many as its lanes read at a time, and maps them. Where
 * they can be copied, starts that.
 */
GPI_DEVICE void GPI(load_rows)(const GP_INPUT_TYPE *in, size_t first, unsigned n, int is_whole, GP_TYPE *to,
                               unsigned gap, unsigned lane, GPI_CONTEXT context)
{
    GPI(loaded) x[GPI(loads)];

    to += GPI(place)(lane, gap);
    first += lane;
#ifndef GP_LOAD_AT
    if (GPI_COPIES_ITEMS) {
        const GP_INPUT_TYPE *const from = in + first;

        GPI_UNROLL
        for (unsigned k = 0; k < GPI(loads); k++)
            gpi_copy_item_if(is_whole || lane + 32 * k < n, to + GPI(place)(32 * k, gap), from + 32 * k, sizeof *in);
        return;
    }
#endif
    GPI_UNDEFINED(x);
    GPI_UNROLL
    for (unsigned k = 0; k < GPI(loads); k++)
        if (is_whole || lane + 32 * k < n) {
#ifdef GP_LOAD_AT
            x[k] = GPI(load_at)(in, first + 32 * k, context);
#else
            gpi_move(&x[k], in + first + 32 * k);
#endif
        }
    GPI_UNROLL
    for (unsigned k = 0; k < GPI(loads); k++)
        if (is_whole || lane + 32 * k < n)
            to[GPI(place)(32 * k, gap)] = GPI(load)(&x[k], context);
}

/* One warp: reads the items [first, first + n) into its slot, mapped. They are there after GPI(wait_for_window). */
GPI_DEVICE void GPI(load_window)(const GP_INPUT_TYPE *in, size_t first, unsigned n, GP_TYPE *slot, unsigned gap,
                                 unsigned lane, GPI_CONTEXT context)
{
    enum { some = 32 * GPI(loads) };

    GPI_NO_UNROLL
    for (; n >= some; n -= some, first += some, slot += GPI(place)(some, gap))
        GPI(load_rows)(in, first, some, 1, slot, gap, lane, context);
    if (n)
        GPI(load_rows)(in, first, n, 0, slot, gap, lane, context);
}

GPI_DEVICE void GPI(wait_for_window)(void)
{
    if (GPI_COPIES_ITEMS)
        gpi_copy_wait();
    __syncwarp(); /* the window is in the slot */
}

/* One warp: writes the n items of its slot. Comes after __syncwarp(). */
GPI_DEVICE void GPI(store_window)(GP_TYPE *out, unsigned n, const GP_TYPE *slot, unsigned gap, unsigned lane)
{
    slot += GPI(place)(lane, gap);
    GPI_NO_UNROLL
    for (; n >= 32 * GPI(run_n); n -= 32 * GPI(run_n), out += 32 * GPI(run_n)) {
        GPI_UNROLL
        for (unsigned k = 0; k < GPI(run_n); k++)
            gpi_move(out + lane + 32 * k, slot + GPI(place)(32 * k, gap));
        slot += GPI(place)(32 * GPI(run_n), gap);
    }
    GPI_NO_UNROLL
    for (unsigned i = lane; i < n; i += 32, slot += GPI(place)(32, gap))
        gpi_move(out + i, slot);
}

/* Reads a run that starts with item i of the window into registers; what is behind its last item is undefined. */
GPI_DEVICE void GPI(read_run)(GP_TYPE *x, const GP_TYPE *slot, unsigned i)
{
    GPI_UNROLL
    for (unsigned k = 0; k < GPI(run_n); k++)
        gpi_move(&x[k], &slot[GPI(place)(i + k, 1)]);
}

/* Writes the n items of a run back. */
GPI_DEVICE void GPI(write_run)(GP_TYPE *slot, unsigned i, unsigned n, const GP_TYPE *x)
{
    GPI_UNROLL
    for (unsigned k = 0; k < GPI(run_n); k++)
        if (k < n)
            gpi_move(&slot[GPI(place)(i + k, 1)], &x[k]);
}

/* Folds a run of n items, one at least, as a tree. */
GPI_DEVICE GP_TYPE GPI(fold_run)(const GP_TYPE *slot, unsigned i, unsigned n)
{
    GP_TYPE x[GPI(run_n)];

    GPI(read_run)(x, slot, i);
    GPI_UNROLL
    for (unsigned stride = 1; stride < GPI(run_n); stride *= 2) {
        GPI_UNROLL
        for (unsigned k = 0; k + stride < GPI(run_n); k += 2 * stride)
            if (k + stride < n)
                x[k] = GPI(combine)(x[k], x[k + stride]);
    }
    return x[0];
}

/* Reads a whole run, in which there is no gap, into registers. */
GPI_DEVICE void GPI(read_whole_run)(GP_TYPE *x, const GP_TYPE *run)
{
    GPI_UNROLL
    for (unsigned k = 0; k < GPI(run_n); k++)
        gpi_move(&x[k], &run[k]);
}

/* Writes it back. */
GPI_DEVICE void GPI(write_whole_run)(GP_TYPE *run, const GP_TYPE *x)
{
    GPI_UNROLL
    for (unsigned k = 0; k < GPI(run_n); k++)
        gpi_move(&run[k], &x[k]);
}

/* Folds a lane's part of a window, `runs` whole runs of at most `most`, a constant, as a tree. */
GPI_DEVICE GP_TYPE GPI(fold_part)(const GP_TYPE *part, unsigned runs, unsigned most)
{
    GP_TYPE trees[GPI(scan_rounds)];

    GPI_UNROLL
    for (unsigned r = 0; r < most; r++)
        if (r < runs) {
            GP_TYPE x[GPI(run_n)];

            GPI(read_whole_run)(x, part + GPI(place)(r * GPI(run_n), 1));
            GPI_UNROLL
            for (unsigned stride = 1; stride < GPI(run_n); stride *= 2) {
                GPI_UNROLL
                for (unsigned k = 0; k + stride < GPI(run_n); k += 2 * stride)
                    x[k] = GPI(combine)(x[k], x[k + stride]);
            }
            trees[r] = x[0];
        }
    GPI_UNROLL
    for (unsigned stride = 1; stride < most; stride *= 2) {
        GPI_UNROLL
        for (unsigned r = 0; r + stride < most; r += 2 * stride)
            if (r + stride < runs)
                trees[r] = GPI(combine)(trees[r], trees[r + stride]);
    }
    return trees[0];
}

/*
 * One warp: folds the n items from item i of the window on, round by round. Lane `round` of *sum gets the fold of the
 * first round, and so on; returns the number of the next round. GPI(fold_rounds) folds them.
 */
GPI_DEVICE unsigned GPI(fold_window)(const GP_TYPE *slot, unsigned i, unsigned n, GP_TYPE *sum, unsigned round,
                                     unsigned lane)
{
    GPI_NO_UNROLL
    for (unsigned at = 0; at < n; at += GPI(round_n), round++) {
        const unsigned rest = gpi_min(n - at, GPI(round_n)), mine = lane * GPI(run_n);
        GP_TYPE x;

        GPI_UNDEFINED(x);
        if (mine < rest)
            x = GPI(fold_run)(slot, i + at + mine, gpi_min(rest - mine, GPI(run_n)));
        x = GPI(warp_reduce)(x, (int)lane, (int)((rest + GPI(run_n) - 1) / GPI(run_n)));
        x = GPI(shuffle)(x, 0);
        if (lane == round)
            *sum = x;
    }
    return round;
}

/* One warp: the fold of the rounds, 32 at most; in lane 0. */
GPI_DEVICE GP_TYPE GPI(fold_rounds)(GP_TYPE sum, unsigned rounds, unsigned lane)
{
    return rounds == 1 ? sum : GPI(warp_reduce)(sum, (int)lane, (int)rounds);
}

/* ---- a batch of segments ---------------------------------------------------------------------- */

/* The chunk of this number of a segment of items [first, last). */
typedef struct {
    size_t segment, first, last, number;
} GPI(chunk);

/* What a warp knows of its range, and of the segments in its window. */
typedef struct {
    GPI(chunk) late;                    /* the last of the range */
    size_t before;                      /* where the segment before the next one begins; lane 0's */
    uint32_t range, epoch;              /* which one it takes, and the number of the launch */
    GP_INDEX ahead[GPI(batch_n)];       /* where the next ones end; on its way while the warp works */
    uint16_t ends[GPI(batch_n) + 1];    /* where each begins in the window, and where the last one ends */
    union {
        uint16_t longer[GPI(batch_n)]; /* those of more than one run: number << 9 | runs */
        uint32_t heads[33];            /* in any order: bits of the places, and behind, where segments begin */
    } lists;
} GPI(batch_list);

/* One run of one of them, a lane's. */
typedef struct {
    unsigned segment, number;  /* of the batch; which run */
    unsigned runs, whole_runs; /* of the segment */
    unsigned first, n;         /* its items in the window; none for a lane without a run */
} GPI(share);

/* Puts segment i, of n items, on the list behind `count` others, if it has more than a run. Returns their number. */
GPI_DEVICE unsigned GPI(list_longer)(GPI(batch_list) *list, unsigned count, unsigned i, unsigned n, unsigned lane)
{
    const int is_longer = n > GPI(run_n);
    const unsigned longer = __ballot_sync(GPI_FULL_MASK, is_longer);

    if (is_longer)
        list->lists.longer[count + (unsigned)__popc((int)(longer & ((1u << lane) - 1)))] =
            (uint16_t)(i << 9 | (n + GPI(run_n) - 1) / GPI(run_n));
    return count + (unsigned)__popc((int)longer);
}

/*
 * One warp: deals the runs of longer segments to its lanes, from number `at` of `count` on, as many segments as have
 * runs for 32 lanes together. Returns how many those are; 0: the next one is too long.
 */
GPI_DEVICE unsigned GPI(deal)(const GPI(batch_list) *list, unsigned at, unsigned count, GPI(share) *share,
                              unsigned lane)
{
    const unsigned runs = at + lane < count ? list->lists.longer[at + lane] & 511u : 33;
    const unsigned through = gpi_warp_prefix(runs, lane);
    const unsigned dealt = (unsigned)__popc((int)__ballot_sync(GPI_FULL_MASK, through <= 32));
    const unsigned heads = gpi_warp_or(lane < dealt ? 1u << (through - runs) : 0);
    const unsigned lanes = __shfl_sync(GPI_FULL_MASK, through, dealt ? (int)dealt - 1 : 0);
    const unsigned before = heads & (GPI_FULL_MASK >> (31 - lane));

    if (dealt && lane < lanes) {
        const unsigned longer = list->lists.longer[at + (unsigned)__popc((int)before) - 1];
        const unsigned first = list->ends[longer >> 9], n = list->ends[(longer >> 9) + 1] - first;

        share->segment = longer >> 9;
        share->number = lane + (unsigned)__clz((int)before) - 31;
        share->runs = longer & 511;
        share->whole_runs = n / GPI(run_n);
        share->first = first + share->number * GPI(run_n);
        share->n = gpi_min(n - share->number * GPI(run_n), GPI(run_n));
    } else {
        memset((void *)share, 0, sizeof *share);
    }
    return dealt;
}

/* Up to which stride a place is the left one of two in a tree: 32 for the first. */
GPI_DEVICE unsigned GPI(left_strides)(unsigned place)
{
    const unsigned bits = place | 32;

    return bits & (0 - bits);
}
#endif
