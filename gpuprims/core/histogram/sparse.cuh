/*
 * core/histogram/sparse.cuh: many bins, or few items: atomics on the counts, in the L2. It serialises those on the same
 * count, so each block has slots in shared memory, which go to the bins that come first: what is frequent is likely to
 * be among them.
 *
 * Part of histogram.cuh; not to be included directly.
 */
#if GPI_DEVICE_CODE
/* One block copies the levels to shared memory, if there is room. */
GPI_DEVICE const GP_TYPE *GPI(fetch_levels)(const GPI(job) *job, GP_TYPE *levels)
{
    if (!job->has_levels)
        return job->levels;
    for (unsigned b = threadIdx.x; b <= job->bins; b += blockDim.x)
        levels[b] = job->levels[b];
    return levels;
}

/* The bins of a thread's units; `of` is a constant. */
GPI_DEVICE void GPI(bins_of)(uint64_t *bins, const GPI(job) *job, const GPI(unit) *units, size_t unit,
                             const GP_TYPE *levels, int of, GPI_CONTEXT context)
{
    GPI_UNROLL
    for (int k = 0; k < GPI(thread_n); k++) {
        const uint64_t bin = GPI(bin)(job, units[k / GPI(unit_n)].items[k % GPI(unit_n)], levels, of, context);

        bins[k] = unit + (size_t)(k / GPI(unit_n)) * blockDim.x < job->units ? bin : GPI_NO_BIN;
    }
}

GPI_DEVICE void GPI(all_bins)(uint64_t *bins, const GPI(job) *job, const GPI(unit) *units, size_t unit,
                              const GP_TYPE *levels, GPI_CONTEXT context)
{
    if (job->of == GPI_BINS_OF_VALUES)
        GPI(bins_of)(bins, job, units, unit, levels, GPI_BINS_OF_VALUES, context);
    else if (job->of == GPI_BINS_ARE_EVEN)
        GPI(bins_of)(bins, job, units, unit, levels, GPI_BINS_ARE_EVEN, context);
    else if (job->of == GPI_BINS_ARE_EVEN_AND_MANY)
        GPI(bins_of)(bins, job, units, unit, levels, GPI_BINS_ARE_EVEN_AND_MANY, context);
    else
        GPI(bins_of)(bins, job, units, unit, levels, GPI_BINS_BETWEEN_LEVELS, context);
}

/*
 * Counts an item of each lane in its slot, if the bin has one or gets one, or else in the L2. Where all lanes have the
 * same bin, one counts for all. All lanes call.
 */
GPI_DEVICE void GPI(count_sparse)(uint32_t *owners, const GPI(job) *job, uint64_t bin, unsigned lane)
{
    const uint32_t own = (uint32_t)bin, first = __shfl_sync(GPI_FULL_MASK, own, 0);
    const unsigned share = job->slots_bits && __all_sync(GPI_FULL_MASK, own == first) ? lane == 0 ? 32 : 0 : 1;

    if (bin == GPI_NO_BIN || share == 0)
        return;
    if (job->slots_bits) {
        const uint32_t slot = (own * 0x9E3779B1u) >> (32 - job->slots_bits); /* scattered: Fibonacci hashing */
        uint32_t owner = *(volatile uint32_t *)&owners[slot];

        if (owner == GPI_NO_SLOT)
            owner = atomicCAS(&owners[slot], GPI_NO_SLOT, own);
        if (owner == own || owner == GPI_NO_SLOT) {
            (void)atomicAdd(&owners[((size_t)1 << job->slots_bits) + slot], share);
            return;
        }
    }
    GPI(add)(&job->counts[bin], share);
}
#endif

static __global__ void __launch_bounds__(GPI(max_threads), 1) GPI(sparse_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    if (!GPI(by_byte)) { /* of which the bins are no matter */
        GP_DYNAMIC_SHARED(uint32_t, owners); /* and what they own, behind them */
        const unsigned lane = threadIdx.x % 32, slots = job.slots_bits ? 1u << job.slots_bits : 0;
        const size_t step = (size_t)gridDim.x * blockDim.x * GPI(rows);
        size_t unit = (size_t)blockIdx.x * blockDim.x * GPI(rows) + threadIdx.x;
        size_t start = unit - threadIdx.x; /* of the tile: the same for all threads */
        GPI(unit) next[GPI(rows)];

        for (unsigned s = threadIdx.x; s < 2 * slots; s += blockDim.x)
            owners[s] = s < slots ? GPI_NO_SLOT : 0;
        gpi_grid_wait();
        gpi_grid_launch_next();
        if (start < job.units)
            GPI(read)(next, &job, unit, context);
        const GP_TYPE *levels = GPI(fetch_levels)(&job, (GP_TYPE *)(void *)(owners + 2 * slots));
        __syncthreads(); /* slots are free, and levels are there */
        for (; start < job.units; start += step, unit += step) {
            GPI(unit) units[GPI(rows)];
            uint64_t bins[GPI(thread_n)];

            memcpy((void *)units, next, sizeof units);
            if (start + step < job.units)
                GPI(read)(next, &job, unit + step, context);
            GPI(all_bins)(bins, &job, units, unit, levels, context);
            GPI_UNROLL
            for (int k = 0; k < GPI(thread_n); k++)
                GPI(count_sparse)(owners, &job, bins[k], lane);
        }
        if (GPI(has_end)(&job)) {
            const uint64_t bin = GPI(bin)(&job, GPI(end)(&job, context), levels, job.of, context);

            if (bin != GPI_NO_BIN)
                GPI(add)(&job.counts[bin], 1);
        }
        __syncthreads(); /* slots are complete */
        for (unsigned s = threadIdx.x; s < slots; s += blockDim.x)
            if (owners[s] != GPI_NO_SLOT)
                GPI(add)(&job.counts[owners[s]], owners[slots + s]);
    }
#endif
}
