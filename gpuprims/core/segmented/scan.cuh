/*
 * core/segmented/scan.cuh: the scans of a batch of segments, and of a chunk. What comes before a place is cut into
 * trees by its number in the segment in binary, the largest first, and these are folded from left to right. An
 * inclusive scan adds the item itself.
 *
 * Part of segmented.cuh; not to be included directly.
 */

#if GPI_DEVICE_CODE
/* trees[m] = the largest tree of the first m items of a run that ends with the last of them, for m up to n. */
GPI_DEVICE void GPI(run_trees)(GP_TYPE *trees, const GP_TYPE *x, unsigned n)
{
    GPI_UNROLL
    for (unsigned m = 1; m <= GPI(run_n); m++)
        if (m <= n) {
            trees[m] = x[m - 1];
            GPI_UNROLL
            for (unsigned size = 1; size < (m & (0 - m)); size *= 2)
                trees[m] = GPI(combine)(trees[m - size], trees[m]);
        }
}

/* Scans a run of n items, behind `prefix` if has_prefix, and writes the results where it lies in the slot. */
GPI_DEVICE void GPI(scan_run)(GP_TYPE *slot, unsigned i, unsigned n, const GP_TYPE *x, const GP_TYPE *trees,
                              GP_TYPE prefix, int has_prefix, int is_exclusive)
{
    GP_TYPE sums[GPI(run_n) + 1]; /* of what comes before */

    GPI_UNDEFINED(sums);
    sums[0] = prefix;
    if (is_exclusive && !has_prefix)
        sums[0] = GPI(identity)(); /* written, never combined */
    GPI_UNROLL
    for (unsigned m = 1; m < GPI(run_n); m++)
        if (m < n) {
            sums[m] = trees[m];
            if ((m & (m - 1)) || has_prefix)
                sums[m] = GPI(combine)(sums[m & (m - 1)], trees[m]);
        }
    GPI_UNROLL
    for (unsigned k = 0; k < GPI(run_n); k++)
        if (k < n) {
            GP_TYPE result = is_exclusive ? sums[k] : x[k];

            if (!is_exclusive && (k || has_prefix))
                result = GPI(combine)(sums[k], x[k]);
            gpi_move(&slot[GPI(place)(i + k)], &result);
        }
}

/* Joins x, the fold of round number `round`, to the trees of those before: one over 2^level rounds for each bit. */
GPI_DEVICE void GPI(push)(GP_TYPE *trees, unsigned round, GP_TYPE x)
{
    int is_placed = 0;

    GPI_UNROLL
    for (unsigned level = 0; level < 3; level++)
        if (!is_placed) {
            if (round >> level & 1)
                x = GPI(combine)(trees[level], x);
            else
                trees[level] = x;
            is_placed = !(round >> level & 1);
        }
}

/*
 * One warp: scans a run of each lane in place, behind `prefix` if has_prefix, and behind the runs before it in its
 * segment: it is number share->number. Lanes with neighbouring runs are neighbours. Returns the fold of all lanes, if
 * they have 32 whole runs in a row; in lane 0.
 */
GPI_DEVICE GP_TYPE GPI(scan_runs)(GP_TYPE *slot, const GPI(share) share, GP_TYPE prefix, int has_prefix,
                                  int is_exclusive, unsigned lane)
{
    const unsigned number = share.number, whole_runs = share.whole_runs;
    GP_TYPE items[GPI(run_n)], run_trees[GPI(run_n) + 1];
    GP_TYPE trees[5], x; /* over 1, 2, 4, ... runs, from this lane's on */

    GPI_UNDEFINED(run_trees);
    __syncwarp(); /* what has been written is there */
    GPI(read_run)(items, slot, share.n ? share.first : 0);
    GPI(run_trees)(run_trees, items, share.n);
    x = run_trees[GPI(run_n)];
    GPI_UNROLL_STEPS
    for (unsigned step = 0; step < 5; step++) {
        const GP_TYPE right = GPI(shuffle_down)(x, 1u << step);

        trees[step] = x;
        if (number % (2u << step) == 0 && number + (2u << step) <= whole_runs)
            x = GPI(combine)(x, right);
    }
    GPI_UNROLL_STEPS
    for (unsigned step = 5; step-- > 0;) {
        const GP_TYPE left = GPI(shuffle)(trees[step], (int)(lane - number % (2u << step)));

        if ((number >> step & 1) && number <= whole_runs) {
            prefix = has_prefix ? GPI(combine)(prefix, left) : left;
            has_prefix = 1;
        }
    }
    __syncwarp(); /* all lanes have read: a whole run, whatever is left in it */
    GPI(scan_run)(slot, share.first, share.n, items, run_trees, prefix, has_prefix, is_exclusive);
    return x;
}

/* The same, compiled once. */
GPI_DEVICE_CALL GP_TYPE GPI(scan_dealt)(GP_TYPE *slot, const GPI(share) share, GP_TYPE prefix, int has_prefix,
                                        int is_exclusive, unsigned lane)
{
    return GPI(scan_runs)(slot, share, prefix, has_prefix, is_exclusive, lane);
}

/* One warp: scans the n items from item i of the window on, in place, behind `prefix` if has_prefix. */
GPI_DEVICE_CALL void GPI(scan_window)(GP_TYPE *slot, unsigned i, unsigned n, GP_TYPE prefix, int has_prefix,
                                      int is_exclusive, unsigned lane)
{
    const unsigned mine = lane * GPI(run_n);
    GP_TYPE trees[3]; /* of rounds */

    GPI_UNDEFINED(trees);
    GPI_NO_UNROLL
    for (unsigned round = 0; round * GPI(round_n) < n; round++) {
        const unsigned at = round * GPI(round_n), rest = n - at;
        GP_TYPE before = prefix, x;
        int has_before = has_prefix;

        GPI_UNROLL
        for (unsigned level = 3; level-- > 0;)
            if (round >> level & 1) {
                before = has_before ? GPI(combine)(before, trees[level]) : trees[level];
                has_before = 1;
            }
        if (rest >= GPI(round_n)) {
            const GPI(share) share = {0, lane, 32, 32, i + at + mine, GPI(run_n)};

            x = GPI(scan_runs)(slot, share, before, has_before, is_exclusive, lane);
        } else {
            const unsigned items = mine < rest ? gpi_min(rest - mine, GPI(run_n)) : 0;
            const GPI(share) share = {0, lane, 0, rest / GPI(run_n), i + at + mine, items};

            x = GPI(scan_dealt)(slot, share, before, has_before, is_exclusive, lane);
        }
        x = GPI(shuffle)(x, 0);
        if (rest > GPI(round_n))
            GPI(push)(trees, round, x);
    }
}

/* One warp: a chunk. */
GPI_DEVICE void GPI(scan_chunk)(const GPI(job) *job, const GPI(chunk) *chunk, uint32_t epoch, GP_TYPE *slot,
                                unsigned lane, GPI_CONTEXT context)
{
    const size_t start = chunk->first + chunk->number * job->chunk_n;
    const int goes_on = chunk->last - start > job->chunk_n;
    const unsigned n = goes_on ? (unsigned)job->chunk_n : (unsigned)(chunk->last - start);
    GP_TYPE x;

    GPI_UNDEFINED(x);
    GPI(load_window)(job->in, start, n, slot, lane, context);
    if (goes_on) {
        const unsigned rounds = GPI(fold_window)(slot, 0, n, &x, 0, lane);

        (void)GPI(climb)(job, chunk, 1, GPI(fold_rounds)(x, rounds, lane), epoch, lane);
    }
    if (chunk->number)
        x = GPI(look_back)(job, chunk, epoch, lane);
    GPI(scan_window)(slot, 0, n, x, chunk->number != 0, job->is_exclusive, lane);
    __syncwarp(); /* the results are in the slot */
    GPI(store_window)(job->out + start, n, slot, lane);
}

/* One warp: a batch of segments. Those of a run go to a lane each, then runs of longer ones. */
GPI_DEVICE void GPI(scan_batch)(const GPI(job) *job, const GPI(batch) *batch, GP_TYPE *slot, GPI(batch_list) *list,
                                unsigned lane, GPI_CONTEXT context)
{
    unsigned longer = 0, dealt;
    GP_TYPE none;

    GPI_UNDEFINED(none);
    GPI(load_window)(job->in, batch->item, batch->n, slot, lane, context);
    GPI_NO_UNROLL
    for (unsigned i = lane; i - lane < batch->count; i += 32) {
        const unsigned start = list->ends[i], n = i < batch->count ? (unsigned)list->ends[i + 1] - start : 0;
        const int is_run = i < batch->count && n <= GPI(run_n);
        GP_TYPE x[GPI(run_n)], trees[GPI(run_n) + 1];

        GPI_UNDEFINED(x);
        GPI_UNDEFINED(trees);
        longer = GPI(list_longer)(list, longer, i, n > GPI(run_n), lane);
        if (is_run) {
            GPI(read_run)(x, slot, start);
            GPI(run_trees)(trees, x, n);
        }
        __syncwarp(); /* all lanes have read: a whole run, whatever is left in it */
        if (is_run)
            GPI(scan_run)(slot, start, n, x, trees, none, 0, job->is_exclusive);
    }
    __syncwarp(); /* the list is complete */
    GPI_NO_UNROLL
    for (unsigned at = 0; at < longer; at += dealt ? dealt : 1) {
        const uint16_t *const ends = &list->ends[list->longer[at]];
        GPI(share) share;

        dealt = GPI(deal)(list, at, longer, &share, lane);
        if (dealt)
            (void)GPI(scan_dealt)(slot, share, none, 0, job->is_exclusive, lane);
        else
            GPI(scan_window)(slot, ends[0], (unsigned)ends[1] - ends[0], none, 0, job->is_exclusive, lane);
    }
    __syncwarp(); /* the results are in the slot */
    GPI(store_window)(job->out + batch->item, batch->n, slot, lane);
}
#endif
