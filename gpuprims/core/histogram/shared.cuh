/*
 * core/histogram/shared.cuh: 32-bit counters in shared memory, as many copies of each as there is room for, up to one
 * for each lane of a warp: copies of a lane are in a bank of their own. What is in no bin is counted, too, in a column
 * behind the others. Items of a byte are counted by value, whatever their bins are, and 256 sums go to the bins in the
 * end. If there are more bins than room, each block has a part of them, and as many blocks read the same items, most of
 * which are in the L2 for all but the first.
 *
 * Part of histogram.cuh; not to be included directly.
 */
#if GPI_DEVICE_CODE
/* One more in a counter. */
GPI_DEVICE void GPI(count)(gpi_shared_place place)
{
#ifdef __CUDACC__
    __asm__ volatile("red.shared.add.u32 [%0], 1;" : : "r"(place) : "memory");
#else
    (void)atomicAdd((uint32_t *)(void *)place, 1u);
#endif
}

/* Whether columns lie in order: where each lane has a copy in a bank of its own, and each instruction counts. */
GPI_DEVICE int GPI(is_in_order)(const GPI(job) *job)
{
    return GPI(by_byte) || (job->copies_bits == GPI(most_copies_bits) &&
                            (job->of == GPI_BINS_OF_VALUES || job->of == GPI_BINS_BY_TABLE));
}

/* Where a column is. Unless they lie in order, those that are 32 apart get other banks. */
GPI_DEVICE unsigned GPI(place)(unsigned column, int in_order)
{
    return in_order ? column : column ^ (column >> 5 & 31);
}

/* One block makes the table, or the tree, behind its counters. */
GPI_DEVICE void GPI(make_table)(const GPI(job) *job, GP_TYPE *table)
{
    if (job->of == GPI_BINS_BY_TABLE)
        for (unsigned b = threadIdx.x; b <= job->bins; b += blockDim.x)
            table[GPI(table_place)(b)] = GPI(least_of_bin)(&job->even, job->bins, b);
    if (job->of == GPI_BINS_BY_TREE)
        for (unsigned node = 1 + threadIdx.x; node >> job->tree_bits == 0; node += blockDim.x)
            table[node] = GPI(tree_node)(job->levels, job->bins, job->tree_bits, node);
}

/*
 * The block that is first clears the counts, and says so. (Not the first by its number, which may not be resident
 * before others end.)
 */
GPI_DEVICE void GPI(clear)(const GPI(job) *job)
{
    for (size_t b = threadIdx.x; b < job->bins; b += blockDim.x)
        job->counts[b] = 0;
    __syncthreads(); /* all of them are clear */
    if (threadIdx.x == 0 && job->head)
        gpi_store_release_u64((uint64_t *)(void *)&job->head->total, 1);
}

/* One thread: waits until the counts are clear, and has no use for the head after that. */
GPI_DEVICE void GPI(wait_until_clear)(const GPI(job) *job, uint64_t ticket)
{
    const uint64_t *is_clear = (const uint64_t *)(const void *)&job->head->total;
    uint64_t before;

    while (!gpi_load_acquire_u64(is_clear))
        continue;
    before = gpi_check_out(job->head);
    if (before == gridDim.x - 1)
        job->head->total = 0;
    gpi_finish_launch(job->head, gpi_ticket_epoch(ticket), before);
}

/* The sums of the copies go to the counts. Neighbouring threads read other banks. */
GPI_DEVICE void GPI(add_counters)(const GPI(job) *job, const uint32_t *counters, GPI_CONTEXT context)
{
    const unsigned copies = 1u << job->copies_bits;
    const size_t first_bin = (size_t)(blockIdx.x % job->parts) * job->columns;

    for (unsigned column = threadIdx.x; column < job->columns; column += blockDim.x) {
        const unsigned first = GPI(place)(column, GPI(is_in_order)(job)) << job->copies_bits;
        uint64_t bin = first_bin + column;
        uint32_t sum = 0;

        GPI_UNROLL_BY_8
        for (unsigned c = 0; c < copies; c++)
            sum += counters[first + ((c + first / 32) & (copies - 1))];
        if (sum == 0)
            continue;
        if (GPI(by_byte)) {
            const uint8_t byte = (uint8_t)column;
            GP_TYPE x;

            memcpy((void *)&x, &byte, 1);
            bin = GPI(bin)(job, x, job->levels, job->of, context);
        }
        if (bin < job->bins) /* of the last part, not all columns are */
            GPI(add)(&job->counts[bin], sum);
    }
}

/* The column of item k of a unit, not by the tree; `of` is a constant. */
GPI_DEVICE uint32_t GPI(column)(const GPI(job) *job, const GPI(unit) *unit, int k, const GP_TYPE *table, int of,
                                uint32_t first_bin, GPI_CONTEXT context)
{
    uint32_t bin;

    if (GPI(by_byte))
        return GPI(by_vectors) ? gpi_byte(unit->words[k / 4], k % 4) : (uint8_t)GPI(integer)(unit->items[k]);
    if (of == GPI_BINS_BY_TABLE)
        return GPI(even_by_table)(unit->items[k], &job->even, table, job->columns);
#ifndef GP_BIN
    if (of == GPI_BINS_OF_VALUES && sizeof(GP_TYPE) <= 4)
        bin = (uint32_t)GPI(integer)(unit->items[k]); /* what is beyond the bins is beyond those of the last part */
    else
#endif
        bin = (uint32_t)GPI(bin)(job, unit->items[k], NULL, of, context);
    bin -= first_bin;
    return bin < job->columns ? bin : job->columns;
}

/* Counts a thread's units; `of` and `in_order` are constants. */
GPI_DEVICE void GPI(count_units)(gpi_shared_place own, const GPI(job) *job, const GPI(unit) *units, size_t unit,
                                 const GP_TYPE *table, int of, int in_order, GPI_CONTEXT context)
{
    const unsigned stride = 4u << job->copies_bits;
    const uint32_t first_bin = blockIdx.x % job->parts * job->columns;

    GPI_UNROLL
    for (int r = 0; r < GPI(rows); r++)
        if (unit + (size_t)r * blockDim.x < job->units) {
            uint32_t found[GPI(unit_n)];

            if (of == GPI_BINS_BY_TREE)
                GPI(bins_by_tree)(found, units[r].items, GPI(unit_n), table, job->tree_bits, job->columns);
            GPI_UNROLL
            for (int k = 0; k < GPI(unit_n); k++) {
                const uint32_t column = of == GPI_BINS_BY_TREE
                                            ? found[k]
                                            : GPI(column)(job, &units[r], k, table, of, first_bin, context);

                GPI(count)(own + GPI(place)(column, in_order) * stride);
            }
        }
}

GPI_DEVICE void GPI(count_tile)(gpi_shared_place own, const GPI(job) *job, const GPI(unit) *units, size_t unit,
                                const GP_TYPE *table, GPI_CONTEXT context)
{
    const int in_order = GPI(is_in_order)(job);

    if ((GPI(by_byte) || job->of == GPI_BINS_OF_VALUES) && in_order)
        GPI(count_units)(own, job, units, unit, table, GPI_BINS_OF_VALUES, 1, context);
    else if (job->of == GPI_BINS_OF_VALUES)
        GPI(count_units)(own, job, units, unit, table, GPI_BINS_OF_VALUES, 0, context);
    else if (job->of == GPI_BINS_BY_TABLE && in_order)
        GPI(count_units)(own, job, units, unit, table, GPI_BINS_BY_TABLE, 1, context);
    else if (job->of == GPI_BINS_BY_TABLE)
        GPI(count_units)(own, job, units, unit, table, GPI_BINS_BY_TABLE, 0, context);
    else if (job->of == GPI_BINS_BY_TREE)
        GPI(count_units)(own, job, units, unit, table, GPI_BINS_BY_TREE, 0, context);
    else
        GPI(count_units)(own, job, units, unit, table, GPI_BINS_ARE_EVEN, 0, context);
}

/* The column of one item, without the table or the tree. */
GPI_DEVICE uint32_t GPI(column_of_end)(const GPI(job) *job, GP_TYPE x, GPI_CONTEXT context)
{
    const int of = job->of == GPI_BINS_BY_TABLE  ? GPI_BINS_ARE_EVEN
                   : job->of == GPI_BINS_BY_TREE ? GPI_BINS_BETWEEN_LEVELS
                                                 : job->of;
    uint8_t byte;

    memcpy(&byte, (const void *)&x, 1);
    if (GPI(by_byte))
        return byte;
    const uint64_t bin = GPI(bin)(job, x, job->levels, of, context) - blockIdx.x % job->parts * job->columns;
    return bin < job->columns ? (uint32_t)bin : job->columns;
}
#endif

enum { /* blocks of a multiprocessor: not every one holds two of so many threads */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ != 800 && __CUDA_ARCH__ != 900 && __CUDA_ARCH__ != 1000
    GPI(shared_blocks) = 1
#else
    GPI(shared_blocks) = GPI(resident)
#endif
};

static __global__ void __launch_bounds__(GPI(max_threads), GPI(shared_blocks))
    GPI(shared_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(uint32_t, counters);
    GP_SHARED(uint64_t, drawn);
    const unsigned words = (job.columns + 32) / 32 * 32 << job.copies_bits;
    const size_t step = (size_t)(gridDim.x / job.parts) * blockDim.x * GPI(rows);
    size_t unit = (size_t)(blockIdx.x / job.parts) * blockDim.x * GPI(rows) + threadIdx.x;
    size_t start = unit - threadIdx.x; /* of the tile: the same for all threads */
    GPI(unit) next[GPI(rows)];
    GP_TYPE *table = (GP_TYPE *)(void *)(counters + words);

    for (unsigned w = threadIdx.x; w < words; w += blockDim.x)
        counters[w] = 0;
    gpi_grid_wait();
    gpi_grid_launch_next();
    if (start < job.units)
        GPI(read)(next, &job, unit, context);
    if (threadIdx.x == 0)
        drawn = job.head ? gpi_take_ticket(job.head) : 0;
    GPI(make_table)(&job, table);
    __syncthreads(); /* counters are zero, the table is there, the ticket is known */
    if (job.clears && (uint32_t)drawn == 0)
        GPI(clear)(&job);

    const gpi_shared_place own =
        gpi_shared_place_of((char *)(counters + (threadIdx.x & ((1u << job.copies_bits) - 1))));
    for (; start < job.units; start += step, unit += step) {
        GPI(unit) units[GPI(rows)];

        memcpy((void *)units, next, sizeof units);
        if (start + step < job.units)
            GPI(read)(next, &job, unit + step, context);
        GPI(count_tile)(own, &job, units, unit, table, context);
    }
    if (GPI(has_end)(&job)) {
        const uint32_t column = GPI(column_of_end)(&job, GPI(end)(&job, context), context);

        GPI(count)(own + GPI(place)(column, GPI(is_in_order)(&job)) * (4u << job.copies_bits));
    }
    if (threadIdx.x == 0 && job.head)
        GPI(wait_until_clear)(&job, drawn);
    __syncthreads(); /* counters are complete, and the counts are clear */
    GPI(add_counters)(&job, counters, context);
#endif
}
