/*
 * core/top_k/warp.cuh: the k best of a short segment, by one warp. Its lanes have the items in registers. A bound by
 * the lanes' least items (core/top_k/minima.cuh), if k is small, leaves some; they go to shared memory, and each counts
 * those before it, which is its place in the result.
 *
 * Part of top_k.cuh; not to be included directly.
 */
enum { GPI(short_threads) = GPI(threads) < 256 ? GPI(threads) : 256 };

#if GPI_DEVICE_CODE
/* Reads the lane's items of a segment of n, from `keys` on. What is behind its end comes last. */
GPI_DEVICE void GPI(read_short)(uint64_t *numbers, const GP_KEY *keys, uint32_t n)
{
    GPI_UNROLL
    for (uint32_t r = 0; r < GPI(warp_rows); r++) {
        const uint32_t place = 32 * r + threadIdx.x % 32;

        numbers[r] = GPI(last_entry)().number;
        if (place < n)
            numbers[r] = GPI(key_order)(keys[place]);
    }
}

/* A bound of the k best: all items, if they are few or k is large. */
GPI_DEVICE GPI(entry) GPI(bound_short)(const uint64_t *numbers, uint32_t n, uint32_t k)
{
    uint64_t least = numbers[0], low, high;
    uint32_t threads = 32, rank = UINT32_MAX;
    GPI(entry) bound = GPI(last_entry)();

    bound.rank = n - 1;
    if (n <= 32 || !GPI(is_bounded_by)(n, k, 32))
        return bound;
    GPI_UNROLL
    for (uint32_t r = 1; r < GPI(warp_rows); r++)
        least = GPI(lesser)(least, numbers[r]);
    GPI(find_ends)(1, NULL, least, least, &low, &high);
    bound.number = GPI(bound_numbers)(1, least, low, high, k, &threads);
    if (threads > GPI(enough)(k)) { /* equal numbers */
        GPI_UNROLL
        for (uint32_t r = GPI(warp_rows); r-- > 0;)
            if (numbers[r] == bound.number)
                rank = 32 * r + threadIdx.x % 32;
        bound.rank = GPI(bound_ranks)(1, least < bound.number ? 0 : rank, n - 1, k, threads);
    }
    return bound;
}

/* Writes the k best of segment s, of n items from `begin` on. All lanes call. */
GPI_DEVICE void GPI(select_short)(const GPI(job) *job, GPI(list) list, const uint64_t *numbers, size_t s, size_t begin,
                                  uint32_t n)
{
    const uint32_t lane = threadIdx.x % 32, k = gpi_min_size(job->k, n);
    const GPI(entry) bound = GPI(bound_short)(numbers, n, k);
    uint32_t count = 0;

    __syncwarp(); /* the entries before have been read */
    GPI_UNROLL
    for (uint32_t r = 0; r < GPI(warp_rows); r++) {
        GPI(entry) entry;

        entry.number = numbers[r];
        entry.rank = 32 * r + lane;
        const int is_within = !GPI(is_before)(bound, entry);
        const uint32_t within = __ballot_sync(GPI_FULL_MASK, is_within);
        if (is_within)
            GPI(put_listed)(list, count + (uint32_t)__popc(within & ((1u << lane) - 1)), entry);
        count += (uint32_t)__popc(within);
    }
    const uint32_t all = (count + 7) & ~7u;
    if (count + lane < all)
        GPI(put_listed)(list, count + lane, GPI(last_entry)());
    __syncwarp(); /* the entries are there */
    GPI_NO_UNROLL
    for (uint32_t i = lane; i < count; i += 32) {
        const GPI(entry) entry = GPI(get_listed)(list, i);
        const uint32_t rank = GPI(rank_in_list)(list, all, entry);

        if (rank < k)
            GPI(write_result)(job, s, begin, rank, entry.rank);
    }
}

/* A short segment among longer ones. */
GPI_DEVICE_CALL void GPI(select_one_short)(size_t s, size_t begin, uint32_t n)
{
    GP_DYNAMIC_SHARED(GPI(block), block);
    const uint32_t first = threadIdx.x / 32 * GPI(warp_n);
    uint64_t numbers[GPI(warp_rows)];
    GPI(list) list;

    list.words = block->highs + first;
    list.ranks = block->lows + (GPI_KEY_IS_NARROW ? 0 : first);
    GPI(read_short)(numbers, block->job.keys + begin, n);
    if (n)
        GPI(select_short)(&block->job, list, numbers, s, begin, n);
}
#endif

/* Short rows, a warp each. */
static __global__ void __launch_bounds__(GPI(short_threads)) GPI(short_kernel)(GPI(job) job)
{
#if GPI_DEVICE_CODE
    enum { WARPS = GPI(short_threads) / 32 };
    typedef struct {
        uint64_t words[WARPS][GPI(warp_n)];
        uint32_t ranks[WARPS][GPI_KEY_IS_NARROW ? 1 : GPI(warp_n)];
    } storage;
    GP_SHARED(storage, shared);
    const uint32_t n = (uint32_t)job.length, warp = threadIdx.x / 32;
    const size_t step = (size_t)gridDim.x * WARPS;
    uint64_t numbers[GPI(warp_rows)], next[GPI(warp_rows)];
    GPI(list) list;

    list.words = shared.words[warp];
    list.ranks = shared.ranks[warp];
    gpi_grid_wait();
    gpi_grid_launch_next();
    size_t s = (size_t)blockIdx.x * WARPS + warp;
    GPI(read_short)(next, job.keys + s * n, s < job.segments ? n : 0);
    GPI_NO_UNROLL
    for (; s < job.segments; s += step) {
        GPI_UNROLL
        for (uint32_t r = 0; r < GPI(warp_rows); r++)
            numbers[r] = GPI(as_number)(next[r]);
        /* comes while this one is selected from */
        GPI(read_short)(next, job.keys + (s + step) * n, s + step < job.segments ? n : 0);
        GPI(select_short)(&job, list, numbers, s, s * n, n);
    }
#endif
}
