/*
 * core/top_k/row.cuh: the k best of rows whose items a team of threads can read at once, if k is small: a team for each
 * row, as few threads as will do, a warp of a block or a block.
 *
 *     1. every thread reads its items, by vectors, and keeps the least of each. The threads' least give a bound:
 *        core/top_k/leasts.cuh
 *     2. vectors within it are read again, and their items within it go to shared memory, some more than k; if they are
 *        too many, which is rare, the bound is narrowed by counts of items
 *     3. they go to buckets, by their topmost bits that differ. Each counts those before it in its bucket, which gives
 *        its place in the result
 *
 * Part of top_k.cuh; not to be included directly.
 */
enum {
    GPI(block_rows) = GPI(threads) < 128 ? GPI(threads) / 32 : 4, /* of a block, if a warp has a row */
    GPI(row_vectors) = 8, /* of a thread */
    GPI(row_vector_n) = GPI_KEY_IS_NARROW ? 4 : 2, /* items of a vector */
    GPI(row_vector_bytes) = GPI(row_vector_n) * (int)sizeof(GP_KEY),
    GPI(most_in_row) = GPI(threads) * GPI(row_vectors) * GPI(row_vector_n), /* items that a team selects from */
    GPI(row_bucket_bits) = 7,
    GPI(row_buckets) = 1 << GPI(row_bucket_bits)
};

/* What a team has in shared memory; entries, as they come and by buckets, and numbers of vectors follow. */
typedef struct {
    uint64_t ends[2][GPI(threads) / 32];
    uint32_t vectors; /* that have items within the bound */
    uint32_t count;   /* entries, or more, if there was no room */
    uint32_t buckets[GPI(row_buckets)]; /* entries of each, then where the next one goes */
} GPI(team);

/* Entries that a team has room for. */
static __host__ __device__ __forceinline__ uint32_t GPI(team_room)(uint32_t threads)
{
    return threads < 64 ? 64 : threads;
}

static __host__ __device__ __forceinline__ uint32_t GPI(team_bytes)(uint32_t threads)
{
    const uint32_t entry_bytes = GPI_KEY_IS_NARROW ? 8 : 12;

    return (uint32_t)sizeof(GPI(team)) + 2 * GPI(team_room)(threads) * entry_bytes +
           threads * GPI(row_vectors) * (uint32_t)sizeof(uint16_t);
}

#if GPI_DEVICE_CODE
/* A row, and the thread that works on it. */
typedef struct {
    const GP_KEY *keys;
    uint32_t n, k;
    uint32_t threads, thread; /* of the team */
    int is_warp;
    int is_aligned; /* vectors can be read at once */
    GPI(team) *team;
    GPI(list) entries, sorted;
    uint16_t *vectors; /* those that have items within the bound */
    uint64_t least;    /* the row's least number */
    int shift;         /* what is above in a number, less the least, says which bucket it has */
} GPI(row);

/* Where the team has what follows it. */
GPI_DEVICE void GPI(carve_team)(GPI(row) *row)
{
    const uint32_t room = GPI(team_room)(row->threads);

    row->entries.words = (uint64_t *)(void *)(row->team + 1);
    row->sorted.words = row->entries.words + room;
    row->entries.ranks = (uint32_t *)(void *)(row->sorted.words + room);
    row->sorted.ranks = row->entries.ranks + room;
    row->vectors = (uint16_t *)(void *)(row->entries.ranks + (GPI_KEY_IS_NARROW ? 0 : 2 * room));
}

/*
 * The place of the first item of the thread's vector v. From one to the next the threads move on, so that items that
 * are a power of two apart are not all one thread's.
 */
GPI_DEVICE uint32_t GPI(vector_place)(const GPI(row) *row, uint32_t v)
{
    return (v * row->threads + ((row->thread + 5 * v) & (row->threads - 1))) * GPI(row_vector_n);
}

/* The number of the item at `place`; what is behind the end of the row comes last. */
GPI_DEVICE uint64_t GPI(row_number)(const GPI(row) *row, uint32_t place)
{
    return place < row->n ? GPI(key_order)(row->keys[place]) : GPI(last_entry)().number;
}

/* The least of some numbers. */
GPI_DEVICE uint64_t GPI(least_of)(const uint64_t *numbers, uint32_t n)
{
    uint64_t least = numbers[0];

    GPI_UNROLL
    for (uint32_t i = 1; i < n; i++)
        least = GPI(lesser)(least, numbers[i]);
    return least;
}

/* Reads all of the thread's vectors, and finds the least number of each. */
GPI_DEVICE void GPI(find_leasts)(const GPI(row) *row, uint64_t *leasts)
{
    uint64_t numbers[GPI(row_vector_n)];

    if (row->is_aligned) {
        uint32_t words[GPI(row_vectors)][4];

        GPI_UNROLL
        for (uint32_t v = 0; v < GPI(row_vectors); v++)
            if (GPI(vector_place)(row, v) < row->n)
                gpi_read_vector(words[v], row->keys + GPI(vector_place)(row, v), GPI(row_vector_bytes));
        GPI_UNROLL
        for (uint32_t v = 0; v < GPI(row_vectors); v++) {
            GPI_UNROLL
            for (uint32_t j = 0; j < GPI(row_vector_n); j++)
                numbers[j] = GPI(vector_number)(words[v], (int)j);
            leasts[v] = GPI(last_entry)().number;
            if (GPI(vector_place)(row, v) < row->n)
                leasts[v] = GPI(least_of)(numbers, GPI(row_vector_n));
        }
    } else {
        GPI_UNROLL
        for (uint32_t v = 0; v < GPI(row_vectors); v++) {
            GPI_UNROLL
            for (uint32_t j = 0; j < GPI(row_vector_n); j++)
                numbers[j] = GPI(row_number)(row, GPI(vector_place)(row, v) + j);
            leasts[v] = GPI(least_of)(numbers, GPI(row_vector_n));
        }
    }
}

/* Leaves no entries. */
GPI_DEVICE void GPI(clear_entries)(const GPI(row) *row)
{
    GPI_NO_UNROLL
    for (uint32_t i = row->thread; i < GPI(row_buckets); i += row->threads)
        row->team->buckets[i] = 0;
    if (row->thread == 0)
        row->team->count = 0;
}

/* Item i of the vectors that have items within the bound; what is behind the end of the row comes last. */
GPI_DEVICE GPI(entry) GPI(listed_item)(const GPI(row) *row, uint32_t i)
{
    GPI(entry) entry;

    entry.rank = row->vectors[i / GPI(row_vector_n)] * GPI(row_vector_n) + i % GPI(row_vector_n);
    entry.number = GPI(row_number)(row, entry.rank);
    return entry;
}

GPI_DEVICE uint32_t GPI(bucket_of)(const GPI(row) *row, uint64_t number)
{
    return (uint32_t)(GPI(as_number)(number - row->least) >> row->shift);
}

/* Enters the items within the bound, as far as there is room. All threads call. */
GPI_DEVICE void GPI(enter_items)(const GPI(row) *row, GPI(entry) bound)
{
    GPI_NO_UNROLL
    for (uint32_t i = row->thread; i < row->team->vectors * GPI(row_vector_n); i += row->threads) {
        const GPI(entry) entry = GPI(listed_item)(row, i);

        if (!GPI(is_before)(bound, entry)) {
            const uint32_t at = atomicAdd(&row->team->count, 1u);

            if (at < GPI(team_room)(row->threads))
                GPI(put_listed)(row->entries, at, entry);
            atomicAdd(&row->team->buckets[GPI(bucket_of)(row, entry.number)], 1u);
        }
    }
    GPI(sync_team)(row->is_warp); /* the entries are there */
}

/* How many items are within the bound. All threads call. */
GPI_DEVICE uint32_t GPI(count_items)(const GPI(row) *row, GPI(entry) bound)
{
    uint32_t count = 0;

    GPI(sync_team)(row->is_warp); /* all have read the count */
    if (row->thread == 0)
        row->team->count = 0;
    GPI(sync_team)(row->is_warp); /* it is clear */
    GPI_NO_UNROLL
    for (uint32_t i = row->thread; i < row->team->vectors * GPI(row_vector_n); i += row->threads)
        count += (uint32_t)!GPI(is_before)(bound, GPI(listed_item)(row, i));
    atomicAdd(&row->team->count, count);
    GPI(sync_team)(row->is_warp); /* all have been counted */
    return row->team->count;
}

/*
 * When there is no room for what is within the bound: narrows it by bisection, with a count of items for each step, and
 * enters those that are within it then, k at least.
 */
GPI_DEVICE void GPI(narrow_row)(const GPI(row) *row, GPI(entry) high)
{
    GPI(entry) low, middle;
    uint32_t count = UINT32_MAX;

    low.number = row->least;
    low.rank = 0;
    high.rank = gpi_min(high.rank, row->n - 1);
    while (count > GPI(team_room)(row->threads)) {
        middle.number = GPI(as_number)(low.number + GPI(as_number)(high.number - low.number) / 2);
        middle.rank = low.number < high.number ? row->n - 1 : low.rank + (high.rank - low.rank) / 2;
        const uint32_t within = GPI(count_items)(row, middle);

        if (within >= row->k) {
            high = middle;
            count = within;
        } else if (low.number < high.number) {
            low.number = middle.number + 1;
        } else {
            low.rank = middle.rank + 1;
        }
    }
    GPI(sync_team)(row->is_warp); /* all have read the count */
    GPI(clear_entries)(row);
    GPI(sync_team)(row->is_warp); /* there are no entries */
    GPI(enter_items)(row, high);
}

/* Lists the thread's vectors that have items within the bound; the others do, too. */
GPI_DEVICE void GPI(list_vectors)(const GPI(row) *row, uint32_t vectors)
{
    uint32_t at = vectors ? atomicAdd(&row->team->vectors, (uint32_t)__popc(vectors)) : 0;

    GPI_NO_UNROLL
    for (; vectors; vectors &= vectors - 1)
        row->vectors[at++] =
            (uint16_t)(GPI(vector_place)(row, (uint32_t)__ffs((int)vectors) - 1) / GPI(row_vector_n));
    GPI(sync_team)(row->is_warp); /* the list is there */
}

/* Leaves entries that are within a bound by the least items of the threads. Returns how many. */
GPI_DEVICE uint32_t GPI(find_entries)(GPI(row) *row)
{
    uint64_t leasts[GPI(row_vectors)], low, high;
    uint32_t threads = row->threads, vectors = 0;
    GPI(entry) bound;

    GPI(clear_entries)(row);
    if (row->thread == 0)
        row->team->vectors = 0;
    GPI(find_leasts)(row, leasts);
    const uint64_t least = GPI(least_of)(leasts, GPI(row_vectors));
    GPI(find_ends)(row->is_warp, row->team->ends, least, &low, &high);
    GPI(sync_team)(row->is_warp); /* there are no entries, and no vectors */
    row->least = low;
    bound.number = GPI(bound_numbers)(row->is_warp, least, low, high, row->k, &threads);
    bound.rank = UINT32_MAX;
    GPI_UNROLL
    for (uint32_t v = 0; v < GPI(row_vectors); v++)
        vectors |= (uint32_t)GPI(is_within)(leasts[v], bound.number) << v;
    if (threads > GPI(enough)(row->k)) { /* equal numbers: always so, if it is that of what is behind the end */
        uint32_t last = UINT32_MAX;

        if (vectors)
            last = GPI(vector_place)(row, (uint32_t)__ffs((int)vectors) - 1) + GPI(row_vector_n) - 1;
        bound.rank = GPI(bound_ranks)(row->is_warp, least < bound.number ? 0 : last, row->n - 1, row->k, threads);
        GPI_UNROLL
        for (uint32_t v = 0; v < GPI(row_vectors); v++)
            if (leasts[v] == bound.number && GPI(vector_place)(row, v) > bound.rank)
                vectors &= ~(1u << v);
    }
    const uint64_t span = GPI(as_number)(bound.number - low);
    row->shift = span < GPI(row_buckets) ? 0 : 64 - __clzll((long long)span) - GPI(row_bucket_bits);
    GPI(list_vectors)(row, vectors);
    GPI(enter_items)(row, bound);
    if (row->team->count > GPI(team_room)(row->threads))
        GPI(narrow_row)(row, bound);
    return row->team->count;
}

/* Puts entries in the order of their buckets. */
GPI_DEVICE void GPI(sort_by_bucket)(const GPI(row) *row, uint32_t count)
{
    enum { EACH = GPI(row_buckets) / 32 };
    uint32_t *buckets = row->team->buckets + EACH * (row->thread % 32);

    if (row->thread < 32) {
        uint32_t counts[EACH], sum = 0;

        GPI_UNROLL
        for (uint32_t i = 0; i < EACH; i++)
            sum += counts[i] = buckets[i];
        uint32_t before = gpi_warp_prefix(sum, row->thread) - sum;
        GPI_UNROLL
        for (uint32_t i = 0; i < EACH; i++) {
            buckets[i] = before;
            before += counts[i];
        }
    }
    GPI(sync_team)(row->is_warp); /* where buckets begin is known */
    GPI_NO_UNROLL
    for (uint32_t i = row->thread; i < count; i += row->threads) {
        const GPI(entry) entry = GPI(get_listed)(row->entries, i);

        GPI(put_listed)(row->sorted, atomicAdd(&row->team->buckets[GPI(bucket_of)(row, entry.number)], 1u), entry);
    }
    GPI(sync_team)(row->is_warp); /* entries are in their buckets */
}

/* How many entries come before one. */
GPI_DEVICE uint32_t GPI(rank_in_row)(const GPI(row) *row, GPI(entry) entry)
{
    const uint32_t bucket = GPI(bucket_of)(row, entry.number), end = row->team->buckets[bucket];
    const uint32_t begin = bucket ? row->team->buckets[bucket - 1] : 0;
    uint32_t rank = begin;

    GPI_UNROLL_BY_8
    for (uint32_t i = begin; i < end; i++)
        rank += (uint32_t)GPI(is_before)(GPI(get_listed)(row->sorted, i), entry);
    return rank;
}
#endif

/* A block has `group` rows, and a warp for each if they are several. */
static __global__ void __launch_bounds__(GPI_TUNE_TOP_K_THREADS, GPI_TUNE_TOP_K_BLOCKS) GPI(row_kernel)(GPI(job) job)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(unsigned char, shared);
    const int is_warp = job.group > 1;
    const uint32_t threads = is_warp ? 32 : blockDim.x, own = is_warp ? threadIdx.x / 32 : 0;
    const size_t s = (size_t)blockIdx.x * job.group + own;
    GPI(row) row;

    gpi_grid_wait();
    gpi_grid_launch_next();
    if (s >= job.segments)
        return;
    row.keys = job.keys + s * job.length;
    row.n = (uint32_t)job.length;
    row.k = (uint32_t)job.k;
    row.threads = threads;
    row.thread = threadIdx.x & (threads - 1);
    row.is_warp = is_warp;
    row.is_aligned = ((uintptr_t)row.keys | row.n * sizeof(GP_KEY)) % GPI(row_vector_bytes) == 0;
    row.team = (GPI(team) *)(void *)(shared + own * GPI(team_bytes)(threads));
    GPI(carve_team)(&row);
    const uint32_t count = GPI(find_entries)(&row);
    GPI(sort_by_bucket)(&row, count);
    GPI_NO_UNROLL
    for (uint32_t i = row.thread; i < count; i += threads) {
        const GPI(entry) entry = GPI(get_listed)(row.sorted, i);
        const GP_KEY key = row.keys[entry.rank]; /* comes while its rank is found */
        const uint32_t rank = GPI(rank_in_row)(&row, entry);

        if (rank < row.k) {
            job.keys_out[s * job.k + rank] = key;
            GPI(write_value)(&job, s * job.length, s * job.k + rank, entry.rank);
        }
    }
#endif
}
