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

/* Where a column is. With a copy for each lane that does not matter; else bins that are 32 apart get other banks. */
GPI_DEVICE unsigned GPI(place)(unsigned column, int has_all_copies)
{
    return has_all_copies ? column : column ^ (column >> 5 & 31);
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
GPI_DEVICE void GPI(add_counters)(const GPI(job) *job, const uint32_t *counters, const GP_TYPE *levels,
                                  GPI_CONTEXT context)
{
    const unsigned copies = 1u << job->copies_bits;
    const int has_all_copies = GPI(by_byte) || job->copies_bits == GPI(most_copies_bits);
    const size_t first_bin = (size_t)(blockIdx.x % job->parts) * job->columns;

    for (unsigned column = threadIdx.x; column < job->columns; column += blockDim.x) {
        const unsigned first = GPI(place)(column, has_all_copies) << job->copies_bits;
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
            bin = GPI(bin)(job, x, levels, job->of, context);
        }
        if (bin < job->bins) /* of the last part, not all columns are */
            GPI(add)(&job->counts[bin], sum);
    }
}

/* The column of an item; `of` is a constant. */
GPI_DEVICE uint32_t GPI(column)(const GPI(job) *job, GP_TYPE x, const GP_TYPE *levels, int of, uint32_t first_bin,
                                GPI_CONTEXT context)
{
    uint32_t bin;
    uint8_t byte;

    if (GPI(by_byte)) {
        memcpy(&byte, (const void *)&x, 1);
        return byte;
    }
    if (of == GPI_BINS_BY_TABLE)
        return GPI(even_by_table)(x, &job->even, levels, job->columns);
#ifndef GP_BIN
    if (of == GPI_BINS_OF_VALUES && sizeof(GP_TYPE) <= 4)
        bin = (uint32_t)GPI(integer)(x); /* what is beyond the bins is beyond those of the last part */
    else
#endif
        bin = (uint32_t)GPI(bin)(job, x, levels, of, context);
    bin -= first_bin;
    return bin < job->columns ? bin : job->columns;
}

/* Counts a thread's units; `of` and `has_all_copies` are constants. */
GPI_DEVICE void GPI(count_units)(gpi_shared_place own, const GPI(job) *job, const GPI(unit) *units, size_t unit,
                                 const GP_TYPE *levels, int of, int has_all_copies, GPI_CONTEXT context)
{
    const unsigned stride = 4u << job->copies_bits;
    const uint32_t first_bin = blockIdx.x % job->parts * job->columns;

    GPI_UNROLL
    for (int r = 0; r < GPI(rows); r++)
        if (unit + (size_t)r * blockDim.x < job->units) {
            GPI_UNROLL
            for (int k = 0; k < GPI(unit_n); k++) {
                const uint32_t column = GPI(by_byte) && GPI(by_vectors)
                                            ? gpi_byte(units[r].words[k / 4], k % 4)
                                            : GPI(column)(job, units[r].items[k], levels, of, first_bin, context);

                GPI(count)(own + GPI(place)(column, has_all_copies) * stride);
            }
        }
}

/* `has_all_copies` is a constant. */
GPI_DEVICE void GPI(count_tile)(gpi_shared_place own, const GPI(job) *job, const GPI(unit) *units, size_t unit,
                                const GP_TYPE *levels, int has_all_copies, GPI_CONTEXT context)
{
    if (GPI(by_byte) || job->of == GPI_BINS_OF_VALUES)
        GPI(count_units)(own, job, units, unit, levels, GPI_BINS_OF_VALUES, has_all_copies, context);
    else if (job->of == GPI_BINS_BY_TABLE)
        GPI(count_units)(own, job, units, unit, levels, GPI_BINS_BY_TABLE, has_all_copies, context);
    else if (job->of == GPI_BINS_ARE_EVEN)
        GPI(count_units)(own, job, units, unit, levels, GPI_BINS_ARE_EVEN, has_all_copies, context);
    else
        GPI(count_units)(own, job, units, unit, levels, GPI_BINS_BETWEEN_LEVELS, has_all_copies, context);
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
    const int has_all_copies = GPI(by_byte) || job.copies_bits == GPI(most_copies_bits);
    const size_t step = (size_t)(gridDim.x / job.parts) * blockDim.x * GPI(rows);
    size_t unit = (size_t)(blockIdx.x / job.parts) * blockDim.x * GPI(rows) + threadIdx.x;
    size_t start = unit - threadIdx.x; /* of the tile: the same for all threads */
    GPI(unit) next[GPI(rows)];

    for (unsigned w = threadIdx.x; w < words; w += blockDim.x)
        counters[w] = 0;
    gpi_grid_wait();
    gpi_grid_launch_next();
    if (start < job.units)
        GPI(read)(next, &job, unit, context);
    if (threadIdx.x == 0)
        drawn = job.head ? gpi_take_ticket(job.head) : 0;
    const GP_TYPE *levels = GPI(fetch_levels)(&job, counters + words);
    __syncthreads(); /* counters are zero, levels are there, the ticket is known */
    if (job.clears && (uint32_t)drawn == 0)
        GPI(clear)(&job);

    const gpi_shared_place own =
        gpi_shared_place_of((char *)(counters + (threadIdx.x & ((1u << job.copies_bits) - 1))));
    for (; start < job.units; start += step, unit += step) {
        GPI(unit) units[GPI(rows)];

        memcpy((void *)units, next, sizeof units);
        if (start + step < job.units)
            GPI(read)(next, &job, unit + step, context);
        if (has_all_copies)
            GPI(count_tile)(own, &job, units, unit, levels, 1, context);
        else
            GPI(count_tile)(own, &job, units, unit, levels, 0, context);
    }
    if (GPI(has_end)(&job)) {
        const int of = job.of == GPI_BINS_BY_TABLE ? GPI_BINS_ARE_EVEN : job.of;
        const uint32_t first_bin = blockIdx.x % job.parts * job.columns;
        const uint32_t column = GPI(column)(&job, GPI(end)(&job, context), levels, of, first_bin, context);

        GPI(count)(own + GPI(place)(column, has_all_copies) * (4u << job.copies_bits));
    }
    if (threadIdx.x == 0 && job.head)
        GPI(wait_until_clear)(&job, drawn);
    __syncthreads(); /* counters are complete, and the counts are clear */
    GPI(add_counters)(&job, counters, levels, context);
#endif
}
