/*
 * core/segmented/scan.cuh: the kernel of the scans. What comes before a place is cut into trees by its number in the
 * segment in binary, the largest first, and these are folded from left to right. An inclusive scan adds the item itself.
 *
 * Part of segmented.cuh; not to be included directly.
 */

#if GPI_DEVICE_CODE
/*
 * Scans a run of n items in registers, behind `prefix` if has_prefix, and writes the results where it lies in the slot.
 * Returns the tree over the run, if it is whole.
 */
GPI_DEVICE GP_TYPE GPI(scan_run)(GP_TYPE *slot, unsigned i, unsigned n, GP_TYPE prefix, int has_prefix,
                                 int is_exclusive, int aligned)
{
    GP_TYPE x[GPI(run_n)], trees[GPI(run_n) + 1], sums[GPI(run_n) + 1]; /* sums: of what comes before */
    GP_TYPE *to = slot + GPI(place)(i);

    GPI_UNDEFINED(x);
    GPI_UNDEFINED(trees);
    GPI_UNDEFINED(sums);
    GPI(read_run)(x, slot, i, n, aligned);
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
            *(aligned ? to + k : slot + GPI(place)(i + k)) = result;
        }
    return trees[GPI(run_n)];
}

/* The prefix of what follows a block of equal parts, from those before: parts 0 ... 3. */
GPI_DEVICE void GPI(next_prefix)(GP_TYPE *prefix, int *has_prefix, GP_TYPE *outer, int has_outer, GP_TYPE *tree,
                                 unsigned part, GP_TYPE x)
{
    if (part >= 2) {
        *prefix = GPI(combine)(*prefix, x);
        return;
    }
    *tree = part == 0 ? x : GPI(combine)(*tree, x);
    *prefix = has_outer ? GPI(combine)(*outer, *tree) : *tree;
    *has_prefix = 1;
}

/* One thread: scans the n items from item i of the window on, 1 to short_n, in place. */
GPI_DEVICE void GPI(scan_short)(GP_TYPE *slot, unsigned i, unsigned n, int is_exclusive)
{
    GP_TYPE prefix, tree;
    int has_prefix = 0;

    GPI_UNDEFINED(prefix);
    GPI_UNDEFINED(tree);
    GPI_NO_UNROLL
    for (unsigned part = 0; part * GPI(run_n) < n; part++) {
        const unsigned at = part * GPI(run_n), items = gpi_min(n - at, GPI(run_n));
        const GP_TYPE x = GPI(scan_run)(slot, i + at, items, prefix, has_prefix, is_exclusive, 0);

        if (n - at > GPI(run_n))
            GPI(next_prefix)(&prefix, &has_prefix, &prefix, 0, &tree, part, x);
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

/* One warp: scans the n items of its slot, in place, behind `prefix` if has_prefix. */
GPI_DEVICE void GPI(scan_window)(GP_TYPE *slot, unsigned n, GP_TYPE prefix, int has_prefix, int is_exclusive,
                                 unsigned lane)
{
    GP_TYPE before = prefix, tree; /* before: the round */
    int has_before = has_prefix;

    GPI_UNDEFINED(tree);
    GPI_NO_UNROLL
    for (unsigned round = 0; round * GPI(round_n) < n; round++) {
        const unsigned at = round * GPI(round_n), rest = gpi_min(n - at, GPI(round_n)), mine = lane * GPI(run_n);
        const unsigned items = mine < rest ? gpi_min(rest - mine, GPI(run_n)) : 0, full = rest / GPI(run_n);
        GP_TYPE x, mine_before = before;
        int has_mine = has_before;

        GPI_UNDEFINED(x);
        if (items == GPI(run_n))
            x = GPI(fold_run)(slot, at + mine, GPI(run_n), 1);
        x = GPI(lane_prefixes)(x, full, &mine_before, &has_mine, lane);
        if (items)
            (void)GPI(scan_run)(slot, at + mine, items, mine_before, has_mine, is_exclusive, 1);
        x = GPI(shuffle)(x, 0);
        if (n - at > GPI(round_n))
            GPI(next_prefix)(&before, &has_before, &prefix, has_prefix, &tree, round, x);
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
    __syncwarp(); /* the chunk is in the slot */
    if (goes_on) {
        const unsigned rounds = GPI(fold_window)(slot, n, &x, 0, lane);

        (void)GPI(climb)(job, &chunk, 1, GPI(fold_rounds)(x, rounds, lane), lane);
    }
    if (number)
        x = GPI(look_back)(job, &chunk, lane);
    GPI(scan_window)(slot, n, x, number != 0, job->is_exclusive, lane);
    __syncwarp(); /* the results are in the slot */
    GPI(store_window)(job->out + start, n, slot, lane);
}

/* One warp: the next `count` segments, which are short. */
GPI_DEVICE void GPI(scan_batch)(const GPI(job) *job, const GPI(walk) *walk, unsigned count, GP_TYPE *slot,
                                const unsigned *ends, unsigned lane, GPI_CONTEXT context)
{
    GPI(load_window)(job->in, walk->item, ends[count], slot, lane, context);
    __syncwarp(); /* the window is in the slot */
    GPI_NO_UNROLL
    for (unsigned i = lane; i < count; i += 32)
        GPI(scan_short)(slot, ends[i], ends[i + 1] - ends[i], job->is_exclusive);
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

static __global__ void __launch_bounds__(GPI(threads), GPI(blocks))
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
