/*
 * core/segmented/scan.cuh: the kernel of the scans. What comes before a place is cut into trees by its number in the
 * segment in binary, the largest first, and these are folded from left to right. An inclusive scan adds the item
 * itself.
 *
 * Part of segmented.cuh; not to be included directly.
 */

#if GPI_DEVICE_CODE
/*
 * Scans a run of n items in registers, behind `prefix` if has_prefix, and writes the results where it lies in the slot.
 * Returns the tree over the run, if it is whole.
 */
GPI_DEVICE GP_TYPE GPI(scan_run)(GP_TYPE *slot, unsigned i, unsigned n, GP_TYPE prefix, int has_prefix,
                                 int is_exclusive)
{
    GP_TYPE x[GPI(run_n)], trees[GPI(run_n) + 1], sums[GPI(run_n) + 1]; /* sums: of what comes before */

    GPI_UNDEFINED(x);
    GPI_UNDEFINED(trees);
    GPI_UNDEFINED(sums);
    GPI(read_run)(x, slot, i, n);
    sums[0] = prefix;
    if (is_exclusive && !has_prefix)
        sums[0] = GPI(identity)(); /* written, never combined */
    GPI_UNROLL
    for (unsigned m = 1; m <= GPI(run_n); m++)
        if (m <= n) {
            trees[m] = x[m - 1]; /* the largest tree that ends with item m - 1 */
            GPI_UNROLL
            for (unsigned size = 1; size < (m & (0 - m)); size *= 2)
                trees[m] = GPI(combine)(trees[m - size], trees[m]);
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
            slot[GPI(place)(i + k)] = result;
        }
    return trees[GPI(run_n)];
}

/* The prefix of part number `part`: what comes before them all, if *has_prefix, and then the trees. */
GPI_DEVICE void GPI(add_trees)(GP_TYPE *prefix, int *has_prefix, const GP_TYPE *trees, unsigned part)
{
    GPI_UNROLL
    for (unsigned level = 3; level-- > 0;)
        if (part >> level & 1) {
            *prefix = *has_prefix ? GPI(combine)(*prefix, trees[level]) : trees[level];
            *has_prefix = 1;
        }
}

/* One thread: scans the n items from item i of the window on, 1 to short_n, in place. */
GPI_DEVICE void GPI(scan_short)(GP_TYPE *slot, unsigned i, unsigned n, int is_exclusive)
{
    GP_TYPE trees[3];

    GPI_UNDEFINED(trees);
    GPI_NO_UNROLL
    for (unsigned part = 0; part * GPI(run_n) < n; part++) {
        const unsigned at = part * GPI(run_n);
        int has_prefix = 0;
        GP_TYPE x;

        GPI_UNDEFINED(x);
        GPI(add_trees)(&x, &has_prefix, trees, part);
        x = GPI(scan_run)(slot, i + at, gpi_min(n - at, GPI(run_n)), x, has_prefix, is_exclusive);
        if (n - at > GPI(run_n))
            (void)GPI(push)(trees, part, x, 0);
    }
}

/*
 * One warp: the prefix of each lane's run, from x, its fold; `full` lanes have whole runs, and those and the next one
 * get theirs. Returns the fold of all lanes, if they are full; in lane 0.
 */
GPI_DEVICE GP_TYPE GPI(lane_prefixes)(GP_TYPE x, unsigned full, GP_TYPE *prefix, int *has_prefix, unsigned lane)
{
    GP_TYPE trees[5]; /* over 1, 2, 4, ... lanes, from this one on */

    GPI_UNROLL_STEPS
    for (unsigned step = 0; step < 5; step++) {
        const GP_TYPE right = GPI(shuffle_down)(x, 1u << step);

        trees[step] = x;
        if (lane % (2u << step) == 0 && lane + (2u << step) <= full)
            x = GPI(combine)(x, right);
    }
    GPI_UNROLL_STEPS
    for (unsigned step = 5; step-- > 0;) {
        const GP_TYPE left = GPI(shuffle)(trees[step], (int)(lane & ~((2u << step) - 1)));

        if ((lane >> step & 1) && lane <= full) {
            *prefix = *has_prefix ? GPI(combine)(*prefix, left) : left;
            *has_prefix = 1;
        }
    }
    return x;
}

/* One warp: scans the n items from item i of the window on, in place, behind `prefix` if has_prefix. */
GPI_DEVICE_CALL void GPI(scan_window)(GP_TYPE *slot, unsigned i, unsigned n, GP_TYPE prefix, int has_prefix,
                                 int is_exclusive, unsigned lane)
{
    GP_TYPE trees[3]; /* of rounds */

    GPI_UNDEFINED(trees);
    GPI_NO_UNROLL
    for (unsigned round = 0; round * GPI(round_n) < n; round++) {
        const unsigned at = round * GPI(round_n), rest = gpi_min(n - at, GPI(round_n)), mine = lane * GPI(run_n);
        const unsigned items = mine < rest ? gpi_min(rest - mine, GPI(run_n)) : 0;
        GP_TYPE x, before = prefix;
        int has_before = has_prefix;

        GPI_UNDEFINED(x);
        if (items == GPI(run_n))
            x = GPI(fold_run)(slot, i + at + mine, GPI(run_n));
        GPI(add_trees)(&before, &has_before, trees, round);
        x = GPI(lane_prefixes)(x, rest / GPI(run_n), &before, &has_before, lane);
        if (items)
            (void)GPI(scan_run)(slot, i + at + mine, items, before, has_before, is_exclusive);
        x = GPI(shuffle)(x, 0);
        if (n - at > GPI(round_n))
            (void)GPI(push)(trees, round, x, 0);
    }
}

/* One warp: a chunk of a segment, which consists of items [first, last). */
GPI_DEVICE void GPI(scan_chunk)(const GPI(job) *job, size_t first, size_t last, size_t number, uint32_t epoch,
                                GP_TYPE *slot, unsigned lane, GPI_CONTEXT context)
{
    const size_t start = first + number * job->chunk_n;
    const int goes_on = last - start > job->chunk_n;
    const unsigned n = goes_on ? (unsigned)job->chunk_n : (unsigned)(last - start);
    const GPI(chunk) chunk = {first / job->chunk_n, number, epoch};
    GP_TYPE x;

    GPI_UNDEFINED(x);
    GPI(load_window)(job->in, start, n, slot, lane, context);
    if (goes_on) {
        const unsigned rounds = GPI(fold_window)(slot, 0, n, &x, 0, lane);

        (void)GPI(climb)(job, &chunk, 1, GPI(fold_rounds)(x, rounds, lane), lane);
    }
    if (number)
        x = GPI(look_back)(job, &chunk, lane);
    GPI(scan_window)(slot, 0, n, x, number != 0, job->is_exclusive, lane);
    __syncwarp(); /* the results are in the slot */
    GPI(store_window)(job->out + start, n, slot, lane);
}

/* One warp: the next `count` segments, which fit into a window. Short ones are left to a lane each. */
GPI_DEVICE void GPI(scan_batch)(const GPI(job) *job, const GPI(walk) *walk, unsigned count, GP_TYPE *slot,
                                const unsigned *ends, unsigned lane, GPI_CONTEXT context)
{
    GP_TYPE none;

    GPI_UNDEFINED(none);
    GPI(load_window)(job->in, walk->item, ends[count], slot, lane, context);
    GPI_NO_UNROLL
    for (unsigned i = lane; i - lane < count; i += 32) {
        const unsigned start = ends[i], n = i < count ? ends[i + 1] - start : 0;
        unsigned longer = __ballot_sync(GPI_FULL_MASK, n > GPI(short_n));

        if (n <= GPI(short_n))
            GPI(scan_short)(slot, start, n, job->is_exclusive);
        for (; longer; longer &= longer - 1) {
            const unsigned j = i - lane + (unsigned)__ffs((int)longer) - 1;

            GPI(scan_window)(slot, ends[j], ends[j + 1] - ends[j], none, 0, job->is_exclusive, lane);
        }
    }
    __syncwarp(); /* the results are in the slot */
    GPI(store_window)(job->out + walk->item, ends[count], slot, lane);
}

/* One warp: a range. Its late chunk comes last: it waits for others, and nobody waits for what comes behind it. */
GPI_DEVICE void GPI(scan_range)(const GPI(job) *job, size_t range, uint32_t epoch, GP_TYPE *slot, unsigned *ends,
                                unsigned lane, GPI_CONTEXT context)
{
    GPI(walk) walk = GPI(enter)(job, range, lane);
    const GPI(late) late = GPI(late_chunk)(job, &walk);

    while (walk.segment < job->segments && walk.item + walk.segment < walk.limit) {
        const unsigned count = GPI(next_batch)(job, &walk, ends, lane);

        __syncwarp(); /* ends are complete */
        if (count) {
            GPI(scan_batch)(job, &walk, count, slot, ends, lane, context);
            walk.item += ends[count];
            walk.segment += count;
        } else {
            const size_t end = GPI(offset)(job, walk.segment + 1);

            GPI(scan_chunk)(job, walk.item, end, 0, epoch, slot, lane, context);
            walk.item = end;
            walk.segment++;
        }
        __syncwarp(); /* slot and ends are free */
    }
    if (late.number)
        GPI(scan_chunk)(job, late.first, late.last, late.number, epoch, slot, lane, context);
}
#endif

static __global__ void __launch_bounds__(GPI(threads), GPI(scan_blocks))
    GPI(scan_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, slots);
    GP_SHARED(unsigned[GPI(warps)][GPI(batch_n) + 1], ends);
    GP_SHARED(uint64_t, drawn);
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    GPI(turn) turn = {0, 0, 0};

    gpi_grid_wait();
    gpi_grid_launch_next();
    while (GPI(next_tile)(&job, &turn, &drawn))
        GPI(scan_range)(&job, (size_t)turn.tile * GPI(warps) + warp, turn.epoch,
                        (GP_TYPE *)(void *)(slots + warp * GPI(slot_bytes)), ends[warp], lane, context);
    GPI(finish)(&job, &turn);
#endif
}
