/*
 * core/top_k/minima.cuh: a bound for the k best, for small k: at least k threads, and not many more, have their
 * least item within it. So at least k items are within it, and in random order not many more. Bisection finds it, with
 * a count of threads in each step.
 *
 * Part of top_k.cuh; not to be included directly.
 */
/* Threads that may have their least item within a bound for the k best. */
static __host__ __device__ __forceinline__ uint32_t GPI(enough)(uint32_t k)
{
    return k + k / 8 + 4;
}

/*
 * Whether so many threads bound the k best of n items: of random ones, hardly ever more than there are threads are then
 * within, or 64, if the threads are a warp.
 */
static __host__ __device__ __forceinline__ int GPI(is_bounded_by)(size_t n, size_t k, unsigned threads)
{
    return n >= threads && k < threads && 5 * GPI(enough)((uint32_t)k) <= (threads == 32 ? 4 : 3) * threads;
}

#if GPI_DEVICE_CODE
/* Tells the compiler that the number of a narrow key has 32 bits. */
GPI_DEVICE uint64_t GPI(as_number)(uint64_t x)
{
    return GPI_KEY_IS_NARROW ? (uint32_t)x : x;
}

GPI_DEVICE uint64_t GPI(lesser)(uint64_t a, uint64_t b)
{
    return GPI_KEY_IS_NARROW ? gpi_min((uint32_t)a, (uint32_t)b) : a < b ? a : b;
}

/* The threads of a team, which is a warp or the block, for which the condition holds. */
GPI_DEVICE uint32_t GPI(count_threads)(int is_warp, int condition)
{
    if (is_warp)
        return (uint32_t)__popc(__ballot_sync(GPI_FULL_MASK, condition));
    return (uint32_t)__syncthreads_count(condition);
}

GPI_DEVICE void GPI(sync_team)(int is_warp)
{
    if (is_warp)
        __syncwarp();
    else
        __syncthreads();
}

/* The least number of a warp, in all lanes. */
GPI_DEVICE uint64_t GPI(warp_least)(uint64_t number)
{
    return GPI(as_number)(~gpi_warp_max_long(~number, GPI_KEY_IS_NARROW));
}

/* The least and the largest of what a team has as both; a block has `words` for its warps. */
GPI_DEVICE void GPI(find_ends)(int is_warp, uint64_t (*words)[GPI(threads) / 32], uint64_t least, uint64_t most,
                               uint64_t *low, uint64_t *high)
{
    const int narrow = GPI_KEY_IS_NARROW;

    *low = ~(is_warp ? gpi_warp_max_long(~least, narrow) : gpi_radix_block_max(words[0], ~least, narrow));
    *low = GPI(as_number)(*low);
    *high = GPI(as_number)(is_warp ? gpi_warp_max_long(most, narrow) : gpi_radix_block_max(words[1], most, narrow));
}

/*
 * The bound's number, between `low` and `high`, if `least` is that of the thread's least item. *threads, all at first,
 * have it within the bound: k at least, and GPI(enough)(k) at most, unless too many have the same number.
 */
GPI_DEVICE uint64_t GPI(bound_numbers)(int is_warp, uint64_t least, uint64_t low, uint64_t high, uint32_t k,
                                       uint32_t *threads)
{
    GPI_NO_UNROLL
    while (GPI(as_number)(low) < GPI(as_number)(high) && *threads > GPI(enough)(k)) {
        const uint64_t middle = GPI(as_number)(low + GPI(as_number)(high - low) / 2);
        const uint32_t within = GPI(count_threads)(is_warp, GPI(is_within)(least, middle));

        low = GPI(as_number)(within < k ? middle + 1 : low);
        high = GPI(as_number)(within < k ? high : middle);
        *threads = within < k ? *threads : within;
    }
    return high;
}

/*
 * The bound's rank, of up to `last`, where too many threads have its number: `rank` is 0, if the thread's least item
 * has a smaller one, that of its first item with this number, or UINT32_MAX.
 */
GPI_DEVICE uint32_t GPI(bound_ranks)(int is_warp, uint32_t rank, uint32_t last, uint32_t k, uint32_t threads)
{
    uint32_t first = 0;

    GPI_NO_UNROLL
    while (first < last && threads > GPI(enough)(k)) {
        const uint32_t middle = first + (last - first) / 2;
        const uint32_t within = GPI(count_threads)(is_warp, rank <= middle);

        first = within < k ? middle + 1 : first;
        last = within < k ? last : middle;
        threads = within < k ? threads : within;
    }
    return last;
}

/* Leaves only those of n entries that are within such a bound. All threads call. */
GPI_DEVICE_CALL void GPI(keep_minima)(uint32_t n, uint32_t k)
{
    GP_DYNAMIC_SHARED(GPI(block), block);
    uint64_t least = GPI(last_entry)().number;
    uint32_t rank = UINT32_MAX, threads = blockDim.x;
    uint64_t low, high;

    GPI_NO_UNROLL
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
        least = GPI(lesser)(least, GPI(get_entry)(block, i).number);
    GPI(find_ends)(0, block->ends, least, least, &low, &high);
    const uint64_t limit = GPI(bound_numbers)(0, least, low, high, k, &threads);
    if (threads > GPI(enough)(k)) {
        GPI_NO_UNROLL
        for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
            if (GPI(get_entry)(block, i).number == limit)
                rank = gpi_min(rank, GPI(get_entry)(block, i).rank);
        rank = GPI(bound_ranks)(0, least < limit ? 0 : rank, UINT32_MAX - 1, k, threads);
    }
    if (threadIdx.x == 0) {
        block->bound.number = limit;
        block->bound.rank = rank;
    }
    __syncthreads(); /* the bound is there */
    GPI(keep_entries)(n);
}
#endif
