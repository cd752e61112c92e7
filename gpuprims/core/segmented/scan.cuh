/*
 * core/segmented/scan.cuh: the scans of a batch of segments, and of a chunk. What comes before a place is cut into
 * trees by its number in the segment in binary, the largest first, and these are folded from left to right. An
 * inclusive scan combines that with the item itself.
 *
 * Part of segmented.cuh; not to be included directly.
 */

#if GPI_DEVICE_CODE
/* trees[m] = the largest tree of the first m items of a run that ends with the last of them, for m up to n. */
GPI_DEVICE void GPI(run_trees)(GP_TYPE *trees, const GP_TYPE *x, unsigned n)
{
    GPI_UNROLL
    for (unsigned m = 1; m <= GPI(run_n); m++)
        if (m <= n || GPI(is_total)) {
            trees[m] = x[m - 1];
            GPI_UNROLL
            for (unsigned size = 1; size < (m & (0 - m)); size *= 2)
                trees[m] = GPI(combine)(trees[m - size], trees[m]);
        }
}

/* Scans a run of n items in place, behind `prefix` if has_prefix. */
GPI_DEVICE void GPI(scan_run)(GP_TYPE *x, unsigned n, const GP_TYPE *trees, GP_TYPE prefix, int has_prefix,
                              int is_exclusive)
{
    GP_TYPE sums[GPI(run_n) + 1]; /* of what comes before */

    GPI_UNDEFINED(sums);
    sums[0] = prefix;
    if (is_exclusive && !has_prefix)
        sums[0] = GPI(identity)(); /* written, never combined */
    GPI_UNROLL
    for (unsigned m = 1; m < GPI(run_n); m++)
        if (m < n || GPI(is_total)) {
            sums[m] = trees[m];
            if ((m & (m - 1)) || has_prefix)
                sums[m] = GPI(combine)(sums[m & (m - 1)], trees[m]);
        }
    GPI_UNROLL
    for (unsigned k = 0; k < GPI(run_n); k++)
        if (k < n || GPI(is_total)) {
            if (is_exclusive)
                x[k] = sums[k];
            else if (k || has_prefix)
                x[k] = GPI(combine)(sums[k], x[k]);
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

/* What comes before number `round`, behind `prefix` if *has_prefix, by the trees of those before, the largest first. */
GPI_DEVICE GP_TYPE GPI(join_trees)(const GP_TYPE *trees, unsigned round, GP_TYPE prefix, int *has_prefix)
{
    GPI_UNROLL
    for (unsigned level = 3; level-- > 0;)
        if (round >> level & 1) {
            prefix = *has_prefix ? GPI(combine)(prefix, trees[level]) : trees[level];
            *has_prefix = 1;
        }
    return prefix;
}

/*
 * One warp: x is the fold of a run, number `number` of its segment, which has whole_runs whole ones. Lanes with
 * neighbouring runs are neighbours. trees[i] becomes the tree over 2^i runs from this lane's on, if it starts one.
 * Returns the fold of all lanes, if they have 32 whole runs in a row; in lane 0.
 */
GPI_DEVICE GP_TYPE GPI(sweep_up)(GP_TYPE *trees, GP_TYPE x, unsigned number, unsigned whole_runs)
{
    const unsigned strides = gpi_min(GPI(left_strides)(number), (whole_runs - number) / 2 + 1);

    GPI_UNROLL_STEPS
    for (unsigned step = 0; step < 5; step++) {
        const GP_TYPE right = GPI(shuffle_down)(x, 1u << step);

        trees[step] = x;
        if (1u << step < strides)
            x = GPI(combine)(x, right);
    }
    return x;
}

/* One warp: what comes before the run, behind `prefix` if *has_prefix. */
GPI_DEVICE GP_TYPE GPI(sweep_down)(const GP_TYPE *trees, unsigned number, GP_TYPE prefix, int *has_prefix,
                                   unsigned lane)
{
    GPI_UNROLL_STEPS
    for (unsigned step = 5; step-- > 0;) {
        const GP_TYPE left = GPI(shuffle)(trees[step], (int)(lane - number % (2u << step)));

        if (number >> step & 1) {
            prefix = *has_prefix ? GPI(combine)(prefix, left) : left;
            *has_prefix = 1;
        }
    }
    return prefix;
}

/*
 * One warp: scans a run of each lane in place, behind `prefix` if has_prefix, and behind the runs before it in its
 * segment: it is number share->number. Returns what GPI(sweep_up) does.
 */
GPI_DEVICE GP_TYPE GPI(scan_runs)(GP_TYPE *slot, const GPI(share) share, GP_TYPE prefix, int has_prefix,
                                  int is_exclusive, unsigned lane)
{
    GP_TYPE items[GPI(run_n)], run_trees[GPI(run_n) + 1], trees[5], x;

    GPI_UNDEFINED(run_trees);
    __syncwarp(); /* what has been written is there */
    GPI(read_run)(items, slot, share.n ? share.first : 0);
    GPI(run_trees)(run_trees, items, share.n);
    x = GPI(sweep_up)(trees, run_trees[GPI(run_n)], share.number, share.whole_runs);
    prefix = GPI(sweep_down)(trees, share.number, prefix, &has_prefix, lane);
    __syncwarp(); /* all lanes have read: a whole run, whatever is left in it */
    GPI(scan_run)(items, share.n, run_trees, prefix, has_prefix, is_exclusive);
    GPI(write_run)(slot, share.first, share.n, items);
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
        int has_before = has_prefix;
        const GP_TYPE before = GPI(join_trees)(trees, round, prefix, &has_before);
        GP_TYPE x;

        const unsigned items = mine < rest ? gpi_min(rest - mine, GPI(run_n)) : 0;
        const GPI(share) share = {0, items ? lane : 0, 0, items ? rest / GPI(run_n) : 0, i + at + mine, items};

        x = GPI(scan_runs)(slot, share, before, has_before, is_exclusive, lane);
        x = GPI(shuffle)(x, 0);
        if (rest > GPI(round_n))
            GPI(push)(trees, round, x);
    }
}

/* One warp: scans the whole chunk in its slot, of which each lane has neighbouring runs. */
GPI_DEVICE void GPI(scan_parts)(const GPI(job) *job, const GPI(chunk) *chunk, int goes_on, uint32_t epoch,
                                GP_TYPE *slot, unsigned lane)
{
    const unsigned part_n = (unsigned)job->chunk_n / 32, runs = part_n / GPI(run_n);
    GP_TYPE *const part = slot + GPI(place)(lane * part_n, 1);
    GP_TYPE trees[5], x;
    int has_prefix = chunk->number != 0;

    x = GPI(sweep_up)(trees, GPI(fold_part)(part, runs, GPI(scan_rounds)), lane, 32);
    if (goes_on)
        (void)GPI(climb)(job, chunk, 1, x, epoch, lane);
    if (has_prefix)
        x = GPI(look_back)(job, chunk, epoch, lane);
    x = GPI(sweep_down)(trees, lane, x, &has_prefix, lane);
    GPI_NO_UNROLL
    for (unsigned r = 0; r < runs; r++) {
        GP_TYPE *const run = part + GPI(place)(r * GPI(run_n), 1), items[GPI(run_n)], run_trees[GPI(run_n) + 1];
        int has_before = has_prefix;
        const GP_TYPE before = GPI(join_trees)(trees, r, x, &has_before);

        GPI(read_whole_run)(items, run);
        GPI(run_trees)(run_trees, items, GPI(run_n));
        GPI(scan_run)(items, GPI(run_n), run_trees, before, has_before, job->is_exclusive);
        GPI(write_whole_run)(run, items);
        GPI(push)(trees, r, run_trees[GPI(run_n)]);
    }
}

/*
 * One thread, at a chunk of n items from item `start` on: brings those of a chunk further on in the segment, which
 * other warps soon get to, to the L2. The sooner a warp has its chunk, the less the others wait for its sum.
 */
GPI_DEVICE void GPI(prefetch_chunk)(const GPI(job) *job, const GPI(chunk) *chunk, size_t start, unsigned n)
{
#if GPI_SM90_CODE && !defined GP_LOAD_AT
    const size_t far = start + ((size_t)GPI_TUNE_SEGMENTED_AHEAD << 20) / sizeof(GP_INPUT_TYPE);
    const gpi_extent segment = {(const char *)(job->in + chunk->first), (const char *)(job->in + chunk->last)};

    if (far + n <= chunk->last)
        gpi_prefetch_bulk((const char *)(job->in + far), n * (unsigned)sizeof(GP_INPUT_TYPE), segment);
#else
    (void)job;
    (void)chunk;
    (void)start;
    (void)n;
#endif
}

/* One warp: a chunk. */
GPI_DEVICE void GPI(scan_chunk)(const GPI(job) *job, const GPI(chunk) *chunk, uint32_t epoch, GP_TYPE *slot,
                                unsigned lane, GPI_CONTEXT context)
{
    const size_t start = chunk->first + chunk->number * job->chunk_n;
    const unsigned n = gpi_min_size(chunk->last - start, (unsigned)job->chunk_n);
    GP_TYPE x;

    GPI_UNDEFINED(x);
    if (lane == 0)
        GPI(prefetch_chunk)(job, chunk, start, n);
    GPI(load_window)(job->in, start, n, slot, 1, lane, context);
    GPI(wait_for_window)();
    if (n == job->chunk_n) {
        GPI(scan_parts)(job, chunk, chunk->last - start > n, epoch, slot, lane);
    } else {
        if (chunk->number)
            x = GPI(look_back)(job, chunk, epoch, lane);
        GPI(scan_window)(slot, 0, n, x, chunk->number != 0, job->is_exclusive, lane);
    }
    __syncwarp(); /* the results are in the slot */
    GPI(store_window)(job->out + start, n, slot, 1, lane);
}

/* One warp: a batch of segments. Those of a run go to a lane each, then runs of longer ones. */
GPI_DEVICE void GPI(scan_batch)(const GPI(job) *job, const GPI(batch) *batch, GP_TYPE *slot, GPI(batch_list) *list,
                                unsigned lane, GPI_CONTEXT context)
{
    unsigned longer = 0, dealt;
    GP_TYPE none;

    if (!batch->n)
        return; /* empty segments */
    GPI_UNDEFINED(none);
    GPI(load_window)(job->in, batch->item, batch->n, slot, 1, lane, context);
    GPI(wait_for_window)();
    GPI_NO_UNROLL
    for (unsigned i = lane; i - lane < batch->count; i += 32) {
        const unsigned start = list->ends[i], n = i < batch->count ? (unsigned)list->ends[i + 1] - start : 0;
        const unsigned run = n <= GPI(run_n) ? n : 0;
        GP_TYPE x[GPI(run_n)], trees[GPI(run_n) + 1];

        GPI_UNDEFINED(trees);
        longer = GPI(list_longer)(list, longer, i, n, lane);
        GPI(read_run)(x, slot, run ? start : batch->n); /* without a run: what no lane writes */
        GPI(run_trees)(trees, x, run);
        __syncwarp(); /* all lanes have read: a whole run, whatever is left in it */
        GPI(scan_run)(x, run, trees, none, 0, job->is_exclusive);
        GPI(write_run)(slot, start, run, x);
    }
    __syncwarp(); /* the list is complete */
    GPI_NO_UNROLL
    for (unsigned at = 0; at < longer; at += dealt ? dealt : 1) {
        const uint16_t *const ends = &list->ends[list->lists.longer[at] >> 9];
        GPI(share) share;

        dealt = GPI(deal)(list, at, longer, &share, lane);
        if (dealt)
            (void)GPI(scan_dealt)(slot, share, none, 0, job->is_exclusive, lane);
        else
            GPI(scan_window)(slot, ends[0], (unsigned)ends[1] - ends[0], none, 0, job->is_exclusive, lane);
    }
    __syncwarp(); /* the results are in the slot */
    GPI(store_window)(job->out + batch->item, batch->n, slot, 1, lane);
}

/* One warp, in any order: a batch of segments. */
GPI_DEVICE void GPI(sweep_segments)(const GPI(job) *job, const GPI(batch) *batch, GP_TYPE *slot, GPI(batch_list) *list,
                                    unsigned lane, GPI_CONTEXT context)
{
    uint32_t heads;

    if (!batch->n)
        return; /* empty segments */
    GPI(load_window)(job->in, batch->item, batch->n, slot, GPI(scan_gap), lane, context);
    heads = GPI(mark_heads)(list, batch->count, lane);
    GPI(wait_for_window)();
    GPI(sweep_window)(slot, heads, job->is_exclusive, lane);
    if (job->is_exclusive)
        GPI(clear_heads)(slot, batch, list, lane);
    __syncwarp(); /* the results are in the slot */
    GPI(store_window)(job->out + batch->item, batch->n, slot, GPI(scan_gap), lane);
}

/*
 * One warp, in any order: a chunk of up to two windows. The first one of these is in registers while the second one
 * comes to the slot, and while the warp waits for chunks before.
 */
GPI_DEVICE void GPI(sweep_chunk)(const GPI(job) *job, const GPI(chunk) *chunk, uint32_t epoch, GP_TYPE *slot,
                                 unsigned lane, GPI_CONTEXT context)
{
    const size_t start = chunk->first + chunk->number * job->chunk_n;
    const unsigned n = gpi_min_size(chunk->last - start, (unsigned)job->chunk_n), first_n = gpi_min(n, GPI(window_n));
    GP_TYPE x[GPI(part_n)], before, sum, prefix = GPI(identity)();

    if (!n)
        return; /* an empty segment */
    if (lane == 0)
        GPI(prefetch_chunk)(job, chunk, start, n);
    GPI(load_window)(job->in, start, first_n, slot, GPI(scan_gap), lane, context);
    GPI(wait_for_window)();
    GPI(get_part)(x, slot, lane);
    if (n > first_n) {
        __syncwarp(); /* all lanes have read */
        GPI(load_window)(job->in, start + GPI(window_n), n - first_n, slot, GPI(scan_gap), lane, context);
    }
    sum = GPI(sweep_one)(x, &before, lane);
    if (n > first_n)
        GPI(wait_for_window)();
    if (chunk->last - start > n) { /* the segment goes on */
        if (n > first_n) {
            const GP_TYPE part = GPI(fold_whole_part)(slot, lane);

            sum = GPI(combine)(sum, GPI(warp_reduce)(part, (int)lane, 32)); /* lane 0's is right */
        }
        (void)GPI(climb)(job, chunk, 1, sum, epoch, lane);
    }
    if (chunk->number)
        prefix = GPI(look_back)(job, chunk, epoch, lane);
    GPI_NO_UNROLL
    for (unsigned at = 0;; at += GPI(window_n)) {
        const int has_next = n - at > GPI(window_n);

        before = GPI(combine)(prefix, before);
        GPI_UNROLL
        for (unsigned k = 0; k < GPI(part_n); k++)
            x[k] = GPI(combine)(before, x[k]);
        prefix = GPI(shuffle)(x[GPI(part_n) - 1], 31);
        GPI(put_part)(x, before, slot, job->is_exclusive, has_next, lane);
        __syncwarp(); /* the results are in the slot */
        GPI(store_window)(job->out + start + at, gpi_min(n - at, GPI(window_n)), slot, GPI(scan_gap), lane);
        if (!has_next)
            break;
        __syncwarp(); /* all lanes have stored */
        (void)GPI(sweep_one)(x, &before, lane);
    }
}
#endif
