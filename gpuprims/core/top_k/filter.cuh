/*
 * core/top_k/filter.cuh: what of a long row may be among the k best: its candidates, in any order.
 *
 *     1. a sample bounds them. Chunks of neighbouring items at pseudo-random places, as many as memory transfers for
 *        one of them, or, if the sample is large enough, single items, are divided into groups, and of each group the
 *        least item is kept. Fewer than r of the chunks have one of the k best, all but certainly; then all k are
 *        within the r-th of the least items, whether they are neighbours or not
 *     2. one pass over the row finds what is within the bound. Blocks share in it, and warps go on without waiting for
 *        each other
 *
 * Part of top_k.cuh; not to be included directly.
 */
enum {
    GPI(sample_threads) = 256,
    GPI(chunk_n) = 2 * GPI(row_vector_n), /* items of a chunk: up to 32 bytes */
    GPI(most_groups) = GPI(room),
    GPI(own_room) = GPI(room) / (GPI(threads) / 32), /* for candidates of a warp: 32 or more */
    GPI(filter_tile) = GPI(rows) * GPI(threads) * GPI(vector_n) /* items that a block reads at once */
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
    const uint32_t moved = (group + gpi_hash(j)) & ((1u << job->group_bits) - 1);
    const uint32_t i = (j << job->group_bits) + moved;
    const uint32_t first = (uint32_t)((uint64_t)i * all >> job->chunk_bits);
    const uint32_t part_n = (uint32_t)((i + (uint64_t)1) * all >> job->chunk_bits) - first;

    return first + (uint32_t)((uint64_t)gpi_hash(i) * part_n >> 32);
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
            GPI(write_candidate)(job.out, (s << job.group_bits) + group, GPI_KEY_IS_NARROW, candidate);
    }
#endif
}

#if GPI_DEVICE_CODE
/* The part of a row that a block filters, and what a warp has found. */
typedef struct {
    const GP_KEY *keys;  /* of the part */
    uint32_t n, first;   /* its items, and the place of the first */
    size_t s;            /* the row */
    GPI(entry) bound;    /* by place in the row */
    GPI(list) own;       /* the warp's candidates that the row does not have yet, */
    uint32_t count;      /* and how many they are */
} GPI(filtered);

/* The bound of row s, from the least items of its groups. All threads call. */
GPI_DEVICE_CALL void GPI(bound_row)(size_t s)
{
    GP_DYNAMIC_SHARED(GPI(block), block);
    const uint32_t groups = 1u << block->job.group_bits;

    __syncthreads(); /* the bound before has been read */
    GPI_UNROLL_BY(4)
    for (uint32_t i = threadIdx.x; i < groups; i += blockDim.x) {
        const GPI(candidate) x = GPI(read_candidate)(block->job.in, s * groups + i, GPI_KEY_IS_NARROW);
        GPI(entry) entry;

        entry.number = x.number;
        entry.rank = (uint32_t)x.place;
        GPI(put_entry)(block, i, entry);
    }
    GPI(bound_entries)(groups, block->job.rank);
}

/* One warp: its n candidates go to those of row s, as far as there is room. */
GPI_DEVICE_CALL void GPI(flush)(const GPI(job) *job, size_t s, GPI(list) own, uint32_t n)
{
    unsigned long long begin = 0;

    if (n == 0)
        return;
    if (threadIdx.x % 32 == 0)
        begin = atomicAdd(&job->count[s], (unsigned long long)n);
    begin = __shfl_sync(GPI_FULL_MASK, begin, 0);
    __syncwarp(); /* all have been written */
    GPI_NO_UNROLL
    for (uint32_t i = threadIdx.x % 32; i < n && begin + i < job->capacity; i += 32) {
        const GPI(entry) entry = GPI(get_listed)(own, i);
        GPI(candidate) x;

        x.number = entry.number;
        x.place = entry.rank;
        GPI(write_candidate)(job->out, s * job->capacity + (size_t)begin + i, GPI_KEY_IS_NARROW, x);
    }
    __syncwarp(); /* all have been read */
}

/* One warp: an entry of each lane becomes a candidate, or not. */
GPI_DEVICE void GPI(collect)(const GPI(job) *job, GPI(filtered) *part, GPI(entry) entry, int is_within)
{
    const uint32_t lanes = __ballot_sync(GPI_FULL_MASK, is_within), before = lanes & ((1u << threadIdx.x % 32) - 1);

    if (part->count + 32 > GPI(own_room)) {
        GPI(flush)(job, part->s, part->own, part->count);
        part->count = 0;
    }
    if (is_within)
        GPI(put_listed)(part->own, part->count + (uint32_t)__popc((int)before), entry);
    part->count += (uint32_t)__popc((int)lanes);
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

/* Filters items [begin, end) of a part, one by one. Returns how many candidates the warp has then. */
GPI_DEVICE_CALL uint32_t GPI(filter_items)(const GPI(job) *job, GPI(filtered) part, uint32_t begin, uint32_t end)
{
    GPI_NO_UNROLL
    for (uint32_t tile = begin; tile < end; tile += gpi_min(end - tile, blockDim.x)) {
        const uint32_t i = tile + threadIdx.x;
        GPI(entry) entry;

        entry.number = GPI(key_order)(part.keys[gpi_min(i, end - 1)]);
        entry.rank = part.first + i;
        GPI(collect)(job, &part, entry, i < end && !GPI(is_before)(part.bound, entry));
    }
    return part.count;
}

/* Filters `vectors` vectors, the first of which begins with item `head` of a part. */
GPI_DEVICE void GPI(filter_vectors)(const GPI(job) *job, GPI(filtered) *part, uint32_t head, uint32_t vectors)
{
    enum { ITEMS = GPI(rows) * GPI(vector_n), ALL = (1 << GPI(vector_n)) - 1 };
    const GP_KEY *keys = part->keys + head;

    GPI_NO_UNROLL
    for (uint32_t tile = 0; tile < vectors; tile += gpi_min(vectors - tile, GPI(rows) * blockDim.x)) {
        const uint32_t first = tile + threadIdx.x;
        uint32_t words[GPI(rows)][4], bits = 0;
        int none, any = 0;

        GPI_UNROLL
        for (uint32_t r = 0; r < GPI(rows); r++)
            gpi_read_vector(words[r], keys + (size_t)gpi_min(first + r * blockDim.x, vectors - 1) * GPI(vector_n), 16);
        const uint64_t limit = GPI(limit_at)(part->bound, part->first + head + tile * GPI(vector_n), &none);
        GPI_UNROLL
        for (int i = 0; i < ITEMS; i++)
            any |= GPI(is_within)(GPI(vector_number)(words[i / GPI(vector_n)], i % GPI(vector_n)), limit);
        if (none)
            return;
        if (!__any_sync(GPI_FULL_MASK, any))
            continue;
        GPI_UNROLL
        for (uint32_t i = 0; i < ITEMS; i++) {
            const uint32_t v = first + i / GPI(vector_n) * blockDim.x;
            GPI(entry) entry;

            entry.number = GPI(vector_number)(words[i / GPI(vector_n)], (int)(i % GPI(vector_n)));
            entry.rank = part->first + head + v * GPI(vector_n) + i % GPI(vector_n);
            bits |= (uint32_t)(v < vectors && !GPI(is_before)(part->bound, entry)) << i;
        }
        GPI_NO_UNROLL
        for (uint32_t r = 0; r < GPI(rows); r++) { /* read again: that is rare, and takes no registers */
            const uint32_t i = (first + r * blockDim.x) * GPI(vector_n), own = bits >> r * GPI(vector_n) & ALL;

            if (!__any_sync(GPI_FULL_MASK, own != 0))
                continue;
            if (own)
                gpi_read_vector(words[0], keys + i, 16);
            GPI_UNROLL
            for (uint32_t j = 0; j < GPI(vector_n); j++) { /* lane after lane: they may be all that there are */
                GPI(entry) entry;

                entry.number = GPI(vector_number)(words[0], (int)j);
                entry.rank = part->first + head + i + j;
                GPI(collect)(job, part, entry, (int)(own >> j & 1));
            }
        }
    }
}

/* Filters the part from item `first` on. */
GPI_DEVICE void GPI(filter_part)(const GPI(job) *job, GPI(filtered) *part, uint32_t first)
{
    uint32_t vectors = 0;

    part->first = first;
    part->n = gpi_min_size(job->length - first, (uint32_t)job->part_n);
    part->keys = job->keys + part->s * job->length + first;
    const uint32_t past = (uint32_t)((uintptr_t)part->keys % 16);
    uint32_t head = part->n;

    if (past % sizeof(GP_KEY) == 0) {
        head = gpi_min((16 - past) % 16 / (uint32_t)sizeof(GP_KEY), part->n);
        vectors = (part->n - head) / GPI(vector_n);
    }
    part->count = GPI(filter_items)(job, *part, 0, head);
    GPI(filter_vectors)(job, part, head, vectors);
    part->count = GPI(filter_items)(job, *part, head + vectors * GPI(vector_n), part->n);
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
    for (size_t unit = blockIdx.x; unit < job.units; unit += gridDim.x) { /* units are far fewer than 2^32 */
        const uint32_t blocks = (uint32_t)job.parts, s = (uint32_t)unit / blocks;
        const uint32_t own = threadIdx.x / 32 * GPI(own_room);
        size_t first = (uint32_t)unit % blocks * job.part_n;
        GPI(filtered) part;
        int none = 0;

        GPI(bound_row)(s);
        part.s = s;
        part.bound = block->bound;
        part.own.words = block->highs + own;
        part.own.ranks = block->lows + (GPI_KEY_IS_NARROW ? 0 : own);
        part.count = 0;
        GPI_NO_UNROLL
        for (; first < job.length; first += blocks * job.part_n) { /* in turn: what is within may be all in one place */
            GPI(limit_at)(part.bound, (uint32_t)first, &none);
            if (none)
                break;
            GPI(filter_part)(&block->job, &part, (uint32_t)first);
        }
        GPI(flush)(&block->job, s, part.own, part.count);
    }
#endif
}
