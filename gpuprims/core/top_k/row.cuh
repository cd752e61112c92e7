/*
 * core/top_k/row.cuh: the k best of rows that the threads of a block can hold in registers, if k is small: a block for
 * each row, with as few threads as will do.
 *
 *     1. every thread reads its items, and finds the least of them. These give a bound: core/top_k/leasts.cuh
 *     2. the items within it go to shared memory, some more than k; if they are too many, the k best of them are left
 *     3. each counts those before it, which is its place in the result
 *
 * Part of top_k.cuh; not to be included directly.
 */
#if GPI_DEVICE_CODE
/* The numbers of a thread's items. */
typedef struct {
    uint32_t words[GPI(held)][GPI_KEY_IS_NARROW ? 1 : 2];
} GPI(held_items);

GPI_DEVICE uint64_t GPI(held_number)(const GPI(held_items) *items, uint32_t e)
{
    const uint64_t high = GPI_KEY_IS_NARROW ? 0 : items->words[e][GPI_KEY_IS_NARROW ? 0 : 1];

    return high << 32 | items->words[e][0];
}

/*
 * The place of the thread's item number e: neighbours have neighbours. From one to the next the threads move on, so
 * that items that are a power of two apart are not all one thread's.
 */
GPI_DEVICE uint32_t GPI(held_place)(uint32_t e)
{
    return e * blockDim.x + ((threadIdx.x + 5 * e) & (blockDim.x - 1));
}

/* Reads the thread's items, and behind the end of the row what comes last. Returns the least number. */
GPI_DEVICE uint64_t GPI(hold)(GPI(held_items) *items, const GP_KEY *row, uint32_t n)
{
    uint64_t least = GPI(last_entry)().number;
    GP_KEY keys[GPI(held)];

    GPI_UNROLL
    for (uint32_t e = 0; e < GPI(held); e++) {
        keys[e] = GPI(key_last)();
        if (GPI(held_place)(e) < n)
            keys[e] = row[GPI(held_place)(e)];
    }
    GPI_UNROLL
    for (uint32_t e = 0; e < GPI(held); e++) {
        const uint64_t number = GPI(key_order)(keys[e]);

        items->words[e][0] = (uint32_t)number;
        if (!GPI_KEY_IS_NARROW)
            items->words[e][GPI_KEY_IS_NARROW ? 0 : 1] = (uint32_t)(number >> 32);
        least = GPI(lesser)(least, number);
    }
    return least;
}

/* A bit for each of the thread's items that is at most `limit`; perhaps for what is behind the end, too. */
GPI_DEVICE uint32_t GPI(held_within)(const GPI(held_items) *items, uint64_t limit)
{
    uint32_t bits = 0;

    GPI_UNROLL
    for (uint32_t e = 0; e < GPI(held); e++)
        bits |= (uint32_t)GPI(is_within)(GPI(held_number)(items, e), limit) << e;
    return bits;
}

/* Enters the items of the row that are within a bound by the least ones of the threads. */
GPI_DEVICE void GPI(enter_row)(GPI(block) *block, const GP_KEY *row, uint32_t n, uint32_t k)
{
    GPI(held_items) items;
    const uint64_t least = GPI(hold)(&items, row, n);
    uint32_t rank = UINT32_MAX, threads;
    const uint64_t limit = GPI(bound_numbers)(block, least, k, &threads);
    uint32_t bits = GPI(held_within)(&items, limit);

    if (threads > GPI(enough)(k)) { /* equal numbers: always so, if it is that of what is behind the end */
        rank = GPI(bound_ranks)(least < limit ? 0 : bits ? GPI(held_place)((uint32_t)__ffs((int)bits) - 1) : UINT32_MAX,
                                n - 1, k, threads);
        GPI_UNROLL
        for (uint32_t e = 0; e < GPI(held); e++)
            if (GPI(held_number)(&items, e) == limit && GPI(held_place)(e) > rank)
                bits &= ~(1u << e);
    }
    uint32_t at = bits ? atomicAdd(&block->count, (uint32_t)__popc(bits)) : 0;
    for (; bits; bits &= bits - 1, at++) {
        GPI(entry) entry;

        entry.rank = GPI(held_place)((uint32_t)__ffs((int)bits) - 1);
        entry.number = GPI(key_order)(row[entry.rank]);
        GPI(put_entry)(block, at, entry);
    }
    __syncthreads(); /* the entries are there */
}

/* How many of the first n entries come before entry `own`. */
GPI_DEVICE uint32_t GPI(rank_of)(const GPI(block) *block, uint32_t n, uint32_t own)
{
    const GPI(entry) entry = GPI(get_entry)(block, own);
    const uint64_t word = block->highs[own];
    uint32_t rank = 0;

    GPI_UNROLL_BY_8
    for (uint32_t i = 0; i < n; i++) {
        const int is_before = GPI_KEY_IS_NARROW ? block->highs[i] < word
                                                : GPI(is_before)(GPI(get_entry)(block, i), entry);

        rank += (uint32_t)is_before;
    }
    return rank;
}
#endif

/* The grid is as many blocks as there are rows. */
static __global__ void __launch_bounds__(GPI_TUNE_TOP_K_THREADS, GPI_TUNE_TOP_K_BLOCKS) GPI(row_kernel)(GPI(job) job)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(GPI(block), block);
    const uint32_t n = (uint32_t)job.length, k = (uint32_t)job.k;
    const size_t begin = (size_t)blockIdx.x * n;

    gpi_grid_wait();
    gpi_grid_launch_next();
    GPI(enter_row)(block, job.keys + begin, n, k);
    uint32_t count = block->count;
    if (count > blockDim.x) {
        GPI(bound_entries)(count, k);
        GPI(keep_entries)(count);
        count = k;
    }
    if (threadIdx.x < count) {
        const uint32_t place = GPI(get_entry)(block, threadIdx.x).rank;
        const GP_KEY key = job.keys[begin + place]; /* comes while its rank is found */
        const uint32_t rank = GPI(rank_of)(block, count, threadIdx.x);

        if (rank < k) {
            job.keys_out[blockIdx.x * job.k + rank] = key;
            GPI(write_value)(&job, begin, blockIdx.x * job.k + rank, place);
        }
    }
#endif
}
