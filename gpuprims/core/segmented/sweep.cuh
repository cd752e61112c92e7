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
    GPI_UNROLL
    for (unsigned k = 0; k < GPI(batch_n); k += 32)
        if (lane + k < count) {
            const unsigned end = list->ends[lane + k + 1];

            atomicOr(&heads[end / GPI(part_n)], 1u << end % GPI(part_n));
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
 * segment before the part, behind `prefix` if has_prefix, which goes before the leading places.
 */
GPI_DEVICE GP_TYPE GPI(sweep)(GP_TYPE *x, uint32_t heads, GP_TYPE prefix, int has_prefix, unsigned lane)
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
    sum = GPI(shuffle_up)(sum, 1);
    if (has_prefix)
        sum = lane ? GPI(combine)(prefix, sum) : prefix;
    return sum;
}

/* ---- scans ------------------------------------------------------------------------------------- */

/* The lane's part of a window, from a slot with gaps of a vector. What lies behind the items is undefined. */
GPI_DEVICE void GPI(get_part)(GP_TYPE *x, const GP_TYPE *slot, unsigned lane)
{
    slot += GPI(place)(lane * GPI(part_n), GPI(scan_gap));
    GPI_UNROLL
    for (unsigned k = 0; k < GPI(part_n); k += GPI(scan_gap)) {
        uint4 vector;

        gpi_get(vector, slot + k);
        memcpy((void *)&x[k], &vector, GPI(vector_bytes));
    }
}

/* One warp: the fold of a whole window, of which each lane has its part in x; in every lane. */
GPI_DEVICE GP_TYPE GPI(fold_parts)(const GP_TYPE *x, unsigned lane)
{
    GP_TYPE sum = x[0];

    GPI_UNROLL
    for (unsigned k = 1; k < GPI(part_n); k++)
        sum = GPI(combine)(sum, x[k]);
    return GPI(shuffle)(GPI(warp_reduce)(sum, (int)lane, 32), 0);
}

/*
 * One warp: scans a window, of which each lane has a part in x, behind `prefix` if has_prefix: then it is of one
 * segment. The results go into the slot, and x becomes what has been there. Those of an exclusive scan are wrong where
 * a segment begins behind another one.
 */
GPI_DEVICE void GPI(sweep_window)(GP_TYPE *x, GP_TYPE *slot, uint32_t heads, GP_TYPE prefix, int has_prefix,
                                  int is_exclusive, unsigned lane)
{
    uint32_t behind = ~((heads & (0 - heads)) - 1); /* the places that are not leading */
    GP_TYPE before;

    GPI_OPAQUE(behind); /* to compilers, bits of it take fewer instructions than their opposite does */
    before = GPI(sweep)(x, heads, prefix, has_prefix, lane);
    GPI_UNROLL
    for (unsigned k = 0; k < GPI(part_n); k++)
        if (!(behind >> k & 1))
            x[k] = GPI(combine)(before, x[k]);
    before = GPI(shuffle_up)(x[GPI(part_n) - 1], 1);
    if (lane == 0)
        before = has_prefix ? prefix : GPI(identity)();
    slot += GPI(place)(lane * GPI(part_n), GPI(scan_gap));
    GPI_UNROLL
    for (unsigned k = 0; k < GPI(part_n); k += GPI(scan_gap)) {
        GP_TYPE results[GPI(scan_gap)];
        uint4 vector = {0, 0, 0, 0}, next;

        GPI_UNROLL
        for (unsigned i = 0; i < GPI(scan_gap); i++) {
            results[i] = is_exclusive ? before : x[k + i];
            before = x[k + i];
        }
        memcpy(&vector, (const void *)results, GPI(vector_bytes));
        gpi_get(next, slot + k);
        gpi_put(slot + k, vector);
        memcpy((void *)&x[k], &next, GPI(vector_bytes));
    }
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
