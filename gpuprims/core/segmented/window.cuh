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
 *     window   some rounds, as many as a slot has room for
 *
 * Needs core/instance/fold.cuh. Part of segmented.cuh; not to be included directly.
 */
enum {
    GPI(run_n) = sizeof(GP_TYPE) <= 8 ? 8 : sizeof(GP_TYPE) <= 16 ? 4 : sizeof(GP_TYPE) <= 32 ? 2 : 1,
    GPI(round_n) = 32 * GPI(run_n),
    GPI(window_rounds) = sizeof(GP_TYPE) <= 4 ? 4 : sizeof(GP_TYPE) <= 16 ? 2 : 1,
    GPI(window_n) = GPI(window_rounds) * GPI(round_n),
    GPI(short_n) = 8 * GPI(run_n), /* a segment of as many at most is left to one thread */
    /* Items of common sizes have a gap behind every 128 bytes: lanes that read runs of a power of two use all banks. */
    GPI(gap_n) = sizeof(GP_TYPE) == 4 || sizeof(GP_TYPE) == 8 || sizeof(GP_TYPE) == 16 ? 128 / (int)sizeof(GP_TYPE)
                                                                                       : 1 << 30,
    GPI(row_places) = 32 + 32 / GPI(gap_n), /* of 32 items */
    GPI(slot_places) = (GPI(window_n) / 32) * GPI(row_places),
    GPI(batch_rows) = 4,
    GPI(batch_n) = 32 * GPI(batch_rows), /* segments that a warp looks at together */
    GPI(slot_bytes) = ((GPI(slot_places) * (int)sizeof(GP_TYPE) + 127) / 128) * 128,
    GPI(warps) = GPI(slot_bytes) <= 5120 ? 8 : GPI(slot_bytes) <= 16384 ? 2 : 1, /* of a block */
    GPI(threads) = 32 * GPI(warps),
    GPI(shared_bytes) = GPI(warps) * GPI(slot_bytes),
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
    GPI(loads) = (int)GPI(max_loads) < GPI(window_n) / 32 ? (int)GPI(max_loads) : GPI(window_n) / 32
};

#if GPI_DEVICE_CODE
/* Where item i of the window lies in the slot. */
GPI_DEVICE unsigned GPI(place)(unsigned i)
{
    return i + i / GPI(gap_n);
}

/* One warp: reads the items [first, first + n) into its slot, mapped. They are there after the barrier at its end. */
GPI_DEVICE void GPI(load_window)(const GP_INPUT_TYPE *in, size_t first, unsigned n, GP_TYPE *slot, unsigned lane,
                                 GPI_CONTEXT context)
{
#ifdef GPI_COPIES_ITEMS
    const int copies = GPI_COPIES_ITEMS;

    GPI_UNROLL_BY_8
    for (unsigned i = lane; i < n && copies; i += 32)
        gpi_copy_item(slot + GPI(place)(i), in + first + i, sizeof(GP_TYPE));
    gpi_copy_wait();
#else
    const int copies = 0;
#endif
    GPI_NO_UNROLL
    for (unsigned i = lane; i < n && !copies; i += 32 * GPI(loads)) {
        GP_TYPE *to = slot + GPI(place)(i);
        GPI(loaded) x[GPI(loads)];

        GPI_UNDEFINED(x);
        GPI_UNROLL
        for (unsigned k = 0; k < GPI(loads); k++)
            if (i + 32 * k < n) {
#ifdef GP_LOAD_AT
                x[k] = GPI(load_at)(in, first + i + 32 * k, context);
#else
                gpi_move(&x[k], in + first + i + 32 * k);
#endif
            }
        GPI_UNROLL
        for (unsigned k = 0; k < GPI(loads); k++)
            if (i + 32 * k < n)
                to[k * GPI(row_places)] = GPI(load)(&x[k], context);
    }
    __syncwarp(); /* the window is in the slot */
}

/* One warp: writes the n items of its slot. Comes after __syncwarp(). */
GPI_DEVICE void GPI(store_window)(GP_TYPE *out, unsigned n, const GP_TYPE *slot, unsigned lane)
{
    GPI_UNROLL_BY(4)
    for (unsigned i = lane; i < n; i += 32)
        gpi_move(out + i, slot + GPI(place)(i));
}

/* Reads a run of n items, which starts with item i of the window, into registers; those from n on are undefined. */
GPI_DEVICE void GPI(read_run)(GP_TYPE *x, const GP_TYPE *slot, unsigned i, unsigned n)
{
    GPI_UNROLL
    for (unsigned k = 0; k < GPI(run_n); k++)
        if (k < n)
            x[k] = slot[GPI(place)(i + k)];
}

/* Folds a run of n items, one at least, as a tree. */
GPI_DEVICE GP_TYPE GPI(fold_run)(const GP_TYPE *slot, unsigned i, unsigned n)
{
    GP_TYPE x[GPI(run_n)];

    GPI_UNDEFINED(x);
    GPI(read_run)(x, slot, i, n);
    GPI_UNROLL
    for (unsigned stride = 1; stride < GPI(run_n); stride *= 2) {
        GPI_UNROLL
        for (unsigned k = 0; k + stride < GPI(run_n); k += 2 * stride)
            if (k + stride < n)
                x[k] = GPI(combine)(x[k], x[k + stride]);
    }
    return x[0];
}

/*
 * Up to eight equal parts, one after the other, as trees: one over 2^level parts for each bit of their number. Adds
 * part number `part`, the fold of which is x. If it is the last one, returns the fold of all.
 */
GPI_DEVICE GP_TYPE GPI(push)(GP_TYPE *trees, unsigned part, GP_TYPE x, int is_last)
{
    int goes_on = 1;

    GPI_UNROLL
    for (unsigned level = 0; level < 3; level++) {
        const int has_tree = part >> level & 1;

        if (has_tree && goes_on)
            x = GPI(combine)(trees[level], x);
        if (!has_tree && !is_last) {
            if (goes_on)
                trees[level] = x;
            goes_on = 0;
        }
    }
    return x;
}

/* One thread: the fold of n items from item i of the window on, 1 to short_n. */
GPI_DEVICE GP_TYPE GPI(fold_short)(const GP_TYPE *slot, unsigned i, unsigned n)
{
    GP_TYPE trees[3], x;

    GPI_UNDEFINED(trees);
    GPI_UNDEFINED(x);
    GPI_NO_UNROLL
    for (unsigned part = 0; part * GPI(run_n) < n; part++) {
        const unsigned rest = n - part * GPI(run_n);

        x = GPI(fold_run)(slot, i + part * GPI(run_n), gpi_min(rest, GPI(run_n)));
        x = GPI(push)(trees, part, x, rest <= GPI(run_n));
    }
    return x;
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
#endif
