/*
 * core/top_k/sample.cuh: a bound of the k best of a long row, by a sample. What is sampled are chunks of neighbouring
 * items at pseudo-random places, as many as memory transfers for one of them, or, if the sample is large enough, single
 * items. Chunks are divided into groups, and of each group the least item is kept. Fewer than r of the chunks have one
 * of the k best, all but certainly; then all k are within the r-th of the least items, whether they are neighbours or
 * not.
 *
 * Part of top_k.cuh; not to be included directly.
 */
enum {
    GPI(sample_threads) = 256,
    GPI(chunk_n) = 2 * GPI(row_vector_n), /* items of a chunk: up to 32 bytes */
    GPI(most_groups) = GPI(room) / 2
};

/* Items of a chunk for the k best: more than one, if a block selects these, since the sample is small then. */
static inline size_t GPI(chunk_items)(size_t k)
{
    return k <= GPI(room) / 2 ? (size_t)GPI(chunk_n) : 1;
}

#if GPI_DEVICE_CODE
/*
 * The number of chunk j of a group among the `all` chunks of a row: one of each of equal parts of them. From one to the
 * next, groups move on, whatever the pattern of a row.
 */
GPI_DEVICE uint32_t GPI(chunk_number)(const GPI(job) *job, uint32_t group, uint32_t j, uint32_t all)
{
    const uint32_t moved = (group + gpi_top_k_hash(j)) & ((1u << job->group_bits) - 1), i = (j << job->group_bits) + moved;
    const uint32_t first = (uint32_t)((uint64_t)i * all >> job->chunk_bits);
    const uint32_t part_n = (uint32_t)((i + (uint64_t)1) * all >> job->chunk_bits) - first;

    return first + (uint32_t)((uint64_t)gpi_top_k_hash(i) * part_n >> 32);
}

/* The least item of chunk j of a group. */
GPI_DEVICE GPI(entry) GPI(least_of_chunk)(const GPI(job) *job, const GP_KEY *keys, uint32_t group, uint32_t j)
{
    const uint32_t n = job->chunk_n, bytes = n * (uint32_t)sizeof(GP_KEY), past = (uint32_t)((uintptr_t)keys % bytes);
    const uint32_t head = past ? (uint32_t)((bytes - past) / sizeof(GP_KEY)) : 0; /* items before the first chunk */
    const uint32_t place = GPI(chunk_number)(job, group, j, (uint32_t)(job->length - head) / n) * n + head;
    GPI(entry) least = GPI(last_entry)(), entry;

    if (n > 1 && past % sizeof(GP_KEY) == 0) {
        uint32_t words[2][4];

        GPI_UNROLL
        for (uint32_t v = 0; v < 2; v++)
            gpi_read_vector(words[v], keys + place + v * GPI(row_vector_n), GPI(row_vector_bytes));
        GPI_UNROLL
        for (uint32_t i = 0; i < GPI(chunk_n); i++) {
            entry.number = GPI(vector_number)(words[i / GPI(row_vector_n)], (int)(i % GPI(row_vector_n)));
            entry.rank = place + i;
            least = GPI(one_of)(least, entry, 1);
        }
        return least;
    }
    GPI_NO_UNROLL
    for (entry.rank = place; entry.rank < place + n; entry.rank++) {
        entry.number = GPI(key_order)(keys[entry.rank]);
        least = GPI(one_of)(least, entry, 1);
    }
    return least;
}

/* Fetches the first items of the block's part to the L2. */
GPI_DEVICE void GPI(prefetch_part)(const GPI(job) *job)
{
    const size_t s = blockIdx.x / (uint32_t)job->parts, first = blockIdx.x % (uint32_t)job->parts * job->part_n;
    const size_t items = job->length - first < job->part_n ? job->length - first : job->part_n;
    const char *keys = (const char *)(job->keys + s * job->length + first);
    const uint32_t bytes = gpi_min_size(items * sizeof(GP_KEY), GPI_TUNE_TOP_K_PREFETCH);

    GPI_NO_UNROLL
    for (uint32_t at = threadIdx.x * 128; at < bytes; at += blockDim.x * 128)
        gpi_prefetch(keys + at);
}

/* The bound of row s, from the least items of its groups. All threads call. */
GPI_DEVICE_CALL void GPI(bound_row)(size_t s)
{
    GP_DYNAMIC_SHARED(GPI(block), block);
    const uint32_t groups = 1u << block->job.group_bits;

    GPI_UNROLL_BY(4)
    for (uint32_t i = threadIdx.x; i < groups; i += blockDim.x) {
        const GPI(candidate) x = GPI(get_candidate)(&block->job, s * groups + i);
        GPI(entry) entry;

        entry.number = x.number;
        entry.rank = (uint32_t)x.place;
        GPI(put_entry)(block, i, entry);
    }
    GPI(bound_entries)(groups, block->job.rank);
}
#endif

/* Samples rows, a chunk a thread, and clears the counts of their candidates. */
static __global__ void __launch_bounds__(GPI(sample_threads)) GPI(sample_kernel)(GPI(job) job)
{
#if GPI_DEVICE_CODE
    const int each_bits = job.chunk_bits - job.group_bits; /* 2^that many chunks are of a group: up to 32 */
    const size_t all = job.segments << job.chunk_bits, step = (size_t)gridDim.x * blockDim.x;

    gpi_grid_wait();
    gpi_grid_launch_next();
    if (blockIdx.x == 0)
        for (size_t row = threadIdx.x; row < job.segments; row += blockDim.x)
            job.count[row] = 0;
    GPI_NO_UNROLL
    for (size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x; x - threadIdx.x % 32 < all; x += step) {
        const size_t own = x < all ? x : all - 1, s = own >> job.chunk_bits; /* the last warp may have lanes to spare */
        const uint32_t first = (uint32_t)(own - (s << job.chunk_bits)), group = first >> each_bits;
        const uint32_t j = first - (group << each_bits);
        GPI(entry) least = GPI(least_of_chunk)(&job, job.keys + s * job.length, group, j);
        GPI(candidate) candidate;

        GPI_NO_UNROLL
        for (uint32_t mask = (1u << each_bits) / 2; mask > 0; mask /= 2)
            least = GPI(one_of)(least, GPI(exchange)(least, mask), 1);
        candidate.number = least.number;
        candidate.place = least.rank;
        if (x < all && j == 0)
            GPI(put_candidate)(&job, (s << job.group_bits) + group, candidate);
    }
#endif
}
