/*
 * core/top_k/filter.cuh: what of a long row may be among the k best: its candidates, in any order.
 *
 *     1. a sample bounds them. Chunks of neighbouring items at pseudo-random places, as many as memory transfers for one
 *        of them, or, if the sample is large enough, single items, are divided into groups, and of each group the least
 *        item is kept. Fewer than r of the chunks have one of the k best, all but certainly; then all k are within the
 *        r-th of the least items, whether they are neighbours or not
 *     2. one pass over the row finds what is within the bound. Blocks share in it, and warps go on without waiting for
 *        each other
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

#if GPI_DEVICE_CODE
/* The part of a row that a block filters. */
typedef struct {
    const GP_KEY *keys;  /* of the part */
    uint32_t n, first;   /* its items, and the place of the first */
    GPI(entry) bound;    /* by place in the row */
    size_t s, array;     /* the row, and where its candidates go */
} GPI(filtered);

/* The bound of row s, from the least items of its groups. All threads call. */
GPI_DEVICE_CALL void GPI(bound_row)(size_t s)
{
    GP_DYNAMIC_SHARED(GPI(block), block);
    const uint32_t groups = 1u << block->job.group_bits;

    __syncthreads(); /* the bound before has been read */
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

/*
 * Appends those of a lane's items that are within the bound to the row's candidates, as far as there is room. Bit b of
 * `bits` is item first + b / n * stride + b % n of the part. A call, for it is rare; all lanes call.
 */
GPI_DEVICE_CALL void GPI(append)(const GPI(job) *job, GPI(filtered) part, uint32_t bits, uint32_t first,
                                 uint32_t stride, uint32_t n)
{
    const unsigned lane = threadIdx.x % 32;
    uint32_t within = 0;

    for (uint32_t rest = bits; rest; rest &= rest - 1) {
        const uint32_t b = (uint32_t)__ffs((int)rest) - 1, i = first + b / n * stride + b % n;
        GPI(entry) entry;

        entry.number = GPI(key_order)(part.keys[i]);
        entry.rank = part.first + i;
        within |= GPI(is_before)(part.bound, entry) ? 0 : 1u << b;
    }
    const uint32_t count = (uint32_t)__popc(within), up_to = gpi_warp_prefix(count, lane);
    unsigned long long at = lane == 31 && up_to ? atomicAdd(&job->count[part.s], (unsigned long long)up_to) : 0;
    at = __shfl_sync(GPI_FULL_MASK, at, 31) + up_to - count;
    for (; within && at < job->capacity; within &= within - 1, at++) {
        const uint32_t b = (uint32_t)__ffs((int)within) - 1, i = first + b / n * stride + b % n;
        GPI(candidate) x;

        x.number = GPI(key_order)(part.keys[i]);
        x.place = part.first + i;
        GPI(put_candidate)(job, part.array + (size_t)at, x);
    }
}

/*
 * The largest number that an item from place i on may have: items with the number of the bound are within it up to its
 * place alone. Where there is none, *none is set.
 */
GPI_DEVICE uint64_t GPI(limit_at)(GPI(entry) bound, uint32_t i, int *none)
{
    const int is_behind = bound.rank < i;

    *none = is_behind && bound.number == 0;
    return bound.number - (uint64_t)is_behind;
}

/* Filters items [begin, end) of a part, one by one. */
GPI_DEVICE_CALL void GPI(filter_items)(const GPI(job) *job, GPI(filtered) part, uint32_t begin, uint32_t end)
{
    GPI_NO_UNROLL
    for (uint32_t tile = begin; tile < end; tile += gpi_min(end - tile, blockDim.x)) {
        const uint32_t i = tile + threadIdx.x;
        const int is_item = i < end && GPI(is_within)(GPI(key_order)(part.keys[i < end ? i : begin]), part.bound.number);

        if (__any_sync(GPI_FULL_MASK, is_item))
            GPI(append)(job, part, (uint32_t)is_item, i, 0, 1);
    }
}

/* Filters `vectors` vectors, the first of which begins with item `head` of a part. */
GPI_DEVICE void GPI(filter_vectors)(const GPI(job) *job, GPI(filtered) part, uint32_t head, uint32_t vectors)
{
    const GP_KEY *keys = part.keys + head;

    GPI_NO_UNROLL
    for (uint32_t tile = 0; tile < vectors; tile += gpi_min(vectors - tile, GPI(rows) * blockDim.x)) {
        const uint32_t first = tile + threadIdx.x;
        uint32_t words[GPI(rows)][4], bits = 0;
        int none, any = 0;

        GPI_UNROLL
        for (uint32_t r = 0; r < GPI(rows); r++)
            gpi_read_vector(words[r], keys + (size_t)gpi_min(first + r * blockDim.x, vectors - 1) * GPI(vector_n), 16);
        const uint64_t limit = GPI(limit_at)(part.bound, part.first + head + tile * GPI(vector_n), &none);
        GPI_UNROLL
        for (int i = 0; i < GPI(rows) * GPI(vector_n); i++)
            any |= GPI(is_within)(GPI(vector_number)(words[i / GPI(vector_n)], i % GPI(vector_n)), limit);
        if (none)
            return;
        if (!__any_sync(GPI_FULL_MASK, any))
            continue;
        GPI_UNROLL
        for (uint32_t i = 0; i < (uint32_t)(GPI(rows) * GPI(vector_n)); i++)
            if (first + i / GPI(vector_n) * blockDim.x < vectors &&
                GPI(is_within)(GPI(vector_number)(words[i / GPI(vector_n)], (int)(i % GPI(vector_n))), limit))
                bits |= 1u << i;
        GPI(append)(job, part, bits, head + first * GPI(vector_n), blockDim.x * GPI(vector_n), GPI(vector_n));
    }
}

/* A part, whose row has been bounded. */
GPI_DEVICE GPI(filtered) GPI(take_filtered)(const GPI(job) *job, size_t unit, GPI(entry) bound)
{
    const uint32_t parts = (uint32_t)job->parts; /* units are far fewer than 2^32 */
    GPI(filtered) part;

    part.s = (uint32_t)unit / parts;
    part.array = part.s * job->capacity;
    part.first = (uint32_t)unit % parts * (uint32_t)job->part_n;
    part.n = gpi_min_size(job->length - part.first, (uint32_t)job->part_n);
    part.keys = job->keys + part.s * job->length + part.first;
    part.bound = bound;
    return part;
}
#endif

static __global__ void __launch_bounds__(GPI_TUNE_TOP_K_THREADS, GPI_TUNE_TOP_K_BLOCKS)
    GPI(filter_kernel)(GPI(job) job)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(GPI(block), block);

    if (threadIdx.x == 0)
        block->job = job;
    __syncthreads(); /* the job is there */
    gpi_grid_wait();
    gpi_grid_launch_next();
    GPI_NO_UNROLL
    for (size_t unit = blockIdx.x; unit < job.units; unit += gridDim.x) {
        GPI(bound_row)((uint32_t)unit / (uint32_t)job.parts);
        const GPI(filtered) part = GPI(take_filtered)(&block->job, unit, block->bound);
        const uint32_t past = (uint32_t)((uintptr_t)part.keys % 16);
        uint32_t head = part.n, vectors = 0;

        if (past % sizeof(GP_KEY) == 0) {
            head = gpi_min((16 - past) % 16 / (uint32_t)sizeof(GP_KEY), part.n);
            vectors = (part.n - head) / GPI(vector_n);
        }
        GPI(filter_items)(&block->job, part, 0, head);
        GPI(filter_vectors)(&block->job, part, head, vectors);
        GPI(filter_items)(&block->job, part, head + vectors * GPI(vector_n), part.n);
    }
#endif
}
