/*
 * core/top_k/leasts.cuh: a bound of the k best, if k is small: one that k threads at least, and not many more, have
 * their least item within. So k items at least are within it, and not many more if they are in random order. Bisection
 * finds it, with a count of threads for each step.
 *
 * Part of top_k.cuh; not to be included directly.
 */
enum { GPI(held) = GPI_KEY_IS_NARROW ? 32 : 16 }; /* items of a thread, in registers */

/* Threads that may have their least item within a bound for the k best. */
static __host__ __device__ __forceinline__ size_t GPI(enough)(size_t k)
{
    return k + k / 8 + 4;
}

/* Entries that a bound by the least items of so many threads may leave of n items; 0: there is no such bound. */
static __host__ __device__ __forceinline__ size_t GPI(most_entered)(size_t n, size_t k, unsigned threads)
{
    const size_t each = (n + threads - 1) / threads;

    if (n < threads || each > GPI(held) || k >= threads || 8 * GPI(enough)(k) > 5 * (size_t)threads)
        return 0;
    return GPI(enough)(k) * each <= GPI(full_room) ? GPI(enough)(k) * each : 0;
}

#if GPI_DEVICE_CODE
GPI_DEVICE uint64_t GPI(lesser)(uint64_t a, uint64_t b)
{
    return GPI_KEY_IS_NARROW ? gpi_min((uint32_t)a, (uint32_t)b) : a < b ? a : b;
}

/*
 * The bound's number, if `least` is that of the thread's least item: all have one. *threads have it within the bound: k
 * at least, and GPI(enough)(k) at most, unless too many have the same number. Afterwards there are no entries.
 */
GPI_DEVICE uint64_t GPI(bound_numbers)(GPI(block) *block, uint64_t least, uint32_t k, uint32_t *threads)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const uint64_t last = GPI(last_entry)().number;
    uint64_t low = GPI(warp_least)(least), high = ~GPI(warp_least)(~least) & last;

    *threads = blockDim.x;
    if (lane == 0) {
        block->ends[0][warp] = low;
        block->ends[1][warp] = high;
    }
    __syncthreads(); /* the least and the largest number of each warp are there */
    low = GPI(warp_least)(block->ends[0][lane < warps ? lane : 0]);
    high = ~GPI(warp_least)(~block->ends[1][lane < warps ? lane : 0]) & last;
    if (threadIdx.x == 0)
        block->count = 0;
    GPI_NO_UNROLL
    while (low < high && *threads > GPI(enough)(k)) {
        const uint64_t middle = low + (high - low) / 2;
        const uint32_t within = (uint32_t)__syncthreads_count(least <= middle);

        low = within < k ? middle + 1 : low;
        high = within < k ? high : middle;
        *threads = within < k ? *threads : within;
    }
    __syncthreads(); /* there are no entries */
    return high;
}

/*
 * The bound's rank, of up to `last`, where too many threads have its number: `rank` is 0, if the thread's least item
 * has a smaller one, that of its first item with this number, or UINT32_MAX.
 */
GPI_DEVICE uint32_t GPI(bound_ranks)(uint32_t rank, uint32_t last, uint32_t k, uint32_t threads)
{
    uint32_t first = 0;

    GPI_NO_UNROLL
    while (first < last && threads > GPI(enough)(k)) {
        const uint32_t middle = first + (last - first) / 2;
        const uint32_t within = (uint32_t)__syncthreads_count(rank <= middle);

        first = within < k ? middle + 1 : first;
        last = within < k ? last : middle;
        threads = within < k ? threads : within;
    }
    return last;
}

/* Leaves only those of n entries that are within such a bound. All threads call. */
GPI_DEVICE_CALL void GPI(keep_leasts)(uint32_t n, uint32_t k)
{
    GP_DYNAMIC_SHARED(GPI(block), block);
    uint64_t least = GPI(last_entry)().number;
    uint32_t rank = UINT32_MAX, threads;

    GPI_NO_UNROLL
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
        least = GPI(lesser)(least, GPI(get_entry)(block, i).number);
    const uint64_t limit = GPI(bound_numbers)(block, least, k, &threads);
    if (threads > GPI(enough)(k)) {
        GPI_NO_UNROLL
        for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
            if (GPI(get_entry)(block, i).number == limit)
                rank = gpi_min(rank, GPI(get_entry)(block, i).rank);
        rank = GPI(bound_ranks)(least < limit ? 0 : rank, UINT32_MAX - 1, k, threads);
    }
    if (threadIdx.x == 0) {
        block->bound.number = limit;
        block->bound.rank = rank;
    }
    __syncthreads(); /* the bound is there */
    GPI(keep_entries)(n);
}
#endif
