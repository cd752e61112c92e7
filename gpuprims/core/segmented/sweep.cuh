/*
 * core/segmented/sweep.cuh: how the segments of a window are folded where the order does not show, by ready operators
 * on integers: all at the same time, by lanes that have a part of the window each, wherever segments begin.
 *
 * Needs core/instance/fold.cuh. Part of segmented.cuh; not to be included directly.
 */

#if GPI_DEVICE_CODE
/* One warp: whether any of `count` segments has more items than a run. */
GPI_DEVICE int GPI(has_longer)(const GPI(batch_list) *list, unsigned count, unsigned lane)
{
    int longer = 0;

    GPI_UNROLL
    for (unsigned k = 0; k < GPI(batch_n); k += 32) {
        const unsigned i = gpi_min(lane + k, count - 1);

        longer |= (unsigned)list->ends[i + 1] - list->ends[i] > GPI(run_n);
    }
    return __any_sync(GPI_FULL_MASK, longer);
}

/* One warp: where segments of a batch begin in the lane's part of the window: a bit for each place. */
GPI_DEVICE uint32_t GPI(mark_heads)(GPI(batch_list) *list, unsigned count, unsigned lane)
{
    uint32_t *const heads = list->lists.heads;

    heads[lane] = lane == 0;
    __syncwarp(); /* nothing else is marked */
    if (GPI(batch_rows) * lane < count) {
        uint32_t bits = 0;
        unsigned part = 0;

        GPI_UNROLL
        for (unsigned k = 1; k <= GPI(batch_rows); k++) {
            const unsigned end = list->ends[gpi_min(GPI(batch_rows) * lane + k, count)];

            if (k > 1 && end / GPI(part_n) != part) { /* lanes that mark the same part wait for each other */
                atomicOr(&heads[part], bits);
                bits = 0;
            }
            part = end / GPI(part_n);
            bits |= 1u << end % GPI(part_n);
        }
        atomicOr(&heads[part], bits);
    }
    __syncwarp(); /* all are marked */
    return heads[lane];
}

/* How many places of a part come before its first head: they are of the segment that goes on from the part before. */
GPI_DEVICE unsigned GPI(leading_n)(uint32_t heads)
{
    return gpi_min((unsigned)__popc((int)((heads & (0 - heads)) - 1)), GPI(part_n));
}

/*
 * One warp: x becomes the fold of its segment up to each place, as far as that is in the part. Returns the fold of the
 * segment before the part, which goes before the leading places, of all lanes but the first.
 */
GPI_DEVICE GP_TYPE GPI(sweep)(GP_TYPE *x, uint32_t heads, unsigned lane)
{
    const unsigned with_head = __ballot_sync(GPI_FULL_MASK, heads != 0) & (GPI_FULL_MASK >> (31 - lane));
    const unsigned reach = with_head ? lane + (unsigned)__clz((int)with_head) - 31 : lane;
    GP_TYPE sum;

    GPI_UNROLL
    for (unsigned k = 1; k < GPI(part_n); k++)
        if (!(heads >> k & 1))
            x[k] = GPI(combine)(x[k - 1], x[k]);
    sum = x[GPI(part_n) - 1];
    GPI_UNROLL_STEPS
    for (unsigned stride = 1; stride < 32; stride *= 2) {
        const GP_TYPE left = GPI(shuffle_up)(sum, stride);

        if (stride <= reach)
            sum = GPI(combine)(left, sum);
    }
    return GPI(shuffle_up)(sum, 1);
}

/* ---- scans ------------------------------------------------------------------------------------- */

/* The items of a vector. */
GPI_DEVICE void GPI(get_vector)(GP_TYPE *x, const GP_TYPE *from)
{
    uint4 vector;

    gpi_get(vector, from);
    memcpy((void *)x, &vector, GPI(vector_bytes));
}

/* The lane's part of a window, from a slot with gaps of a vector. What lies behind the items is undefined. */
GPI_DEVICE void GPI(get_part)(GP_TYPE *x, const GP_TYPE *slot, unsigned lane)
{
    slot += GPI(place)(lane * GPI(part_n), GPI(scan_gap));
    GPI_UNROLL
    for (unsigned k = 0; k < GPI(part_n); k += GPI(scan_gap))
        GPI(get_vector)(&x[k], slot + k);
}

/* The fold of a part, which is whole. It is read in two halves: together they would take too many registers. */
GPI_DEVICE GP_TYPE GPI(fold_whole_part)(const GP_TYPE *slot, unsigned lane)
{
    enum { half_n = ((int)GPI(part_n) + 1) / 2 };
    GP_TYPE sum = GPI(identity)();

    slot += GPI(place)(lane * GPI(part_n), GPI(scan_gap));
    GPI_NO_UNROLL
    for (unsigned turn = 0; turn < 2; turn++, slot += half_n) {
        GPI_UNROLL
        for (unsigned k = 0; k < half_n; k += GPI(scan_gap)) {
            GP_TYPE some[GPI(scan_gap)];

            GPI(get_vector)(some, slot + k);
            GPI_UNROLL
            for (unsigned i = 0; i < GPI(scan_gap); i++)
                sum = GPI(combine)(sum, some[i]);
        }
    }
    return sum;
}

/*
 * Writes the lane's part of a window: x has the results of an inclusive scan, and `before` is what comes before them.
 * If the slot has the next window, x becomes the lane's part of that.
 */
GPI_DEVICE void GPI(put_part)(GP_TYPE *x, GP_TYPE before, GP_TYPE *slot, int is_exclusive, int has_next, unsigned lane)
{
    slot += GPI(place)(lane * GPI(part_n), GPI(scan_gap));
    GPI_UNROLL
    for (unsigned k = 0; k < GPI(part_n); k += GPI(scan_gap)) {
        GP_TYPE results[GPI(scan_gap)];
        uint4 vector = {0, 0, 0, 0}, next = vector;

        GPI_UNROLL
        for (unsigned i = 0; i < GPI(scan_gap); i++) {
            results[i] = is_exclusive ? before : x[k + i];
            before = x[k + i];
        }
        memcpy(&vector, (const void *)results, GPI(vector_bytes));
        if (has_next)
            gpi_get(next, slot + k);
        gpi_put(slot + k, vector);
        memcpy((void *)&x[k], &next, GPI(vector_bytes));
    }
}

/*
 * One warp: scans the window of a batch, in its slot. The results of an exclusive scan are wrong where a segment begins
 * behind another one.
 */
GPI_DEVICE void GPI(sweep_window)(GP_TYPE *slot, uint32_t heads, int is_exclusive, unsigned lane)
{
    uint32_t behind = ~((heads & (0 - heads)) - 1); /* the places that are not leading */
    GP_TYPE x[GPI(part_n)], before;

    GPI_OPAQUE(behind); /* to compilers, bits of it take fewer instructions than their opposite does */
    GPI(get_part)(x, slot, lane);
    before = GPI(sweep)(x, heads, lane);
    GPI_UNROLL
    for (unsigned k = 0; k < GPI(part_n); k++)
        if (!(behind >> k & 1))
            x[k] = GPI(combine)(before, x[k]);
    before = GPI(shuffle_up)(x[GPI(part_n) - 1], 1);
    GPI(put_part)(x, lane ? before : GPI(identity)(), slot, is_exclusive, 0, lane);
}

/*
 * One warp: x becomes the fold of the lane's part of a window up to each place, and *before that of the parts before;
 * all are of one segment. Returns the fold of the window.
 */
GPI_DEVICE GP_TYPE GPI(sweep_one)(GP_TYPE *x, GP_TYPE *before, unsigned lane)
{
    GP_TYPE sum;

    GPI_UNROLL
    for (unsigned k = 1; k < GPI(part_n); k++)
        x[k] = GPI(combine)(x[k - 1], x[k]);
    sum = GPI(warp_scan)(x[GPI(part_n) - 1], (int)lane, 32);
    *before = GPI(shuffle_up)(sum, 1);
    if (lane == 0)
        *before = GPI(identity)();
    return GPI(shuffle)(sum, 31);
}

/* One warp: nothing comes before the first item of each segment of a batch. */
GPI_DEVICE void GPI(clear_heads)(GP_TYPE *slot, const GPI(batch) *batch, const GPI(batch_list) *list, unsigned lane)
{
    const GP_TYPE none = GPI(identity)();

    __syncwarp(); /* all parts have been written */
    GPI_NO_UNROLL
    for (unsigned i = lane; i < batch->count; i += 32)
        if (list->ends[i] < batch->n)
            gpi_move(&slot[GPI(place)(list->ends[i], GPI(scan_gap))], &none);
}
#endif
