/*
 * core/search/sorted.cuh: searches for many queries that are in order, as far as a sample of them tells. Where the
 * bounds of the first queries of all tiles are is known from the kernel before, in place of an index: the splits. So a
 * block fetches what is between two splits into shared memory, and searches there.
 *
 * Part of search.cuh; not to be included directly.
 */
enum {
    GPI(sorted_rows) = GPI_TUNE_SEARCH_SORTED_ROWS,
    GPI(sorted_threads) = GPI_TUNE_SEARCH_SORTED_THREADS,
    GPI(sorted_tile) = (int)GPI(sorted_rows) * (int)GPI(sorted_threads),
    GPI(max_room) = GPI_TUNE_SEARCH_ROOM,
    GPI(split_log) = 3,       /* log2 of the lanes that find a split */
    GPI(sm90_shared) = 233472 /* bytes of shared memory of a multiprocessor */
};

/* The bytes of shared memory for the items of a tile, which start anywhere in a line: a quarter more than the mean. */
static inline unsigned GPI(room_bytes)(size_t n, size_t m)
{
    const size_t items = gpi_multiply_sizes(gpi_divide_up(n, m), GPI(sorted_tile) * 5 / 4);

    return (unsigned)gpi_smaller_size(gpi_multiply_sizes(items, sizeof(GP_TYPE)), GPI(max_room) - 1024) + 1024;
}

#if GPI_DEVICE_CODE
/* Finds the splits, several lanes for each; the last one is that of the last query. */
GPI_DEVICE void GPI(find_splits)(const GPI(job) *job, size_t *splits, int upper, GPI_CONTEXT context)
{
    const unsigned lane = threadIdx.x % 32;
    const size_t tiles = (job->m + GPI(sorted_tile) - 1) / GPI(sorted_tile);
    const size_t first = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) >> GPI(split_log);
    const size_t step = (size_t)gridDim.x * blockDim.x >> GPI(split_log);

    for (size_t t = first; __any_sync(GPI_FULL_MASK, t <= tiles); t += step) {
        const size_t i = t < tiles ? t * GPI(sorted_tile) : job->m - 1;
        const size_t place = GPI(find_place)(job->sorted, t <= tiles ? job->n : 0, job->queries[i], lane,
                                             GPI(split_log), upper, context);

        if (t <= tiles && lane % (1u << GPI(split_log)) == 0)
            splits[t] = place;
    }
}

/* How many of n items are before the bound of a query. */
GPI_DEVICE size_t GPI(find_one)(const GP_TYPE *items, size_t n, GP_TYPE query, int upper, GPI_CONTEXT context)
{
    const unsigned most = 1u << 31;
    size_t low = 0;
    unsigned at;

    while (n - low > most && GPI(is_before)(items[low + most - 1], query, upper, context))
        low += most;
    GPI(bisect)(items + low, gpi_min_size(n - low, most), &query, &at, 1, 1, upper, context);
    return low + at;
}

/*
 * Writes the bounds of the thread's queries, which are `at` behind `low`. Those of queries that are not between the
 * extremes, or of all if `is_far`, are searched for in the whole array first.
 */
GPI_DEVICE void GPI(write_bounds)(const GPI(job) *job, size_t first, size_t low, const GPI(extremes) *extremes,
                                  int is_far, const GP_TYPE *queries, const unsigned *at, int upper,
                                  GPI_CONTEXT context)
{
    GPI_UNROLL
    for (unsigned r = 0; r < GPI(sorted_rows); r++) {
        const size_t i = first + r * blockDim.x + threadIdx.x;
        size_t place = low + at[r];

        if (is_far || !GPI(is_within)(extremes, queries[r], context))
            place = GPI(find_one)(job->sorted, job->n, queries[r], upper, context);
        if (i < job->m)
            job->out[i] = (GP_INDEX)place;
    }
}

/* Searches for the bounds of tiles of queries between their splits. */
GPI_DEVICE void GPI(find_sorted)(const GPI(job) *job, const size_t *splits, char *room, unsigned room_bytes, int upper,
                                 GPI_CONTEXT context)
{
    const gpi_extent array = {(const char *)job->sorted, (const char *)(job->sorted + job->n)};
    const size_t tiles = (job->m + GPI(sorted_tile) - 1) / GPI(sorted_tile);

    for (size_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        const size_t first = t * GPI(sorted_tile), behind = first + GPI(sorted_tile);
        GP_TYPE queries[GPI(sorted_rows)];
        unsigned at[GPI(sorted_rows)];
        GPI(extremes) extremes;

        GPI(read_queries)(job, first, queries, GPI(sorted_rows));
        GPI(take_ends)(&extremes, job->queries[first], job->queries[behind < job->m ? behind : job->m - 1], context);
        const size_t split = splits[t], next = splits[t + 1];
        const size_t low = split < next ? split : next, items = split < next ? next - split : split - next;
        const char *from = (const char *)(job->sorted + low);
        const int is_far = items > UINT32_MAX;

        if (items * sizeof *queries <= room_bytes - 256) { /* the same for all threads */
            __syncthreads();                               /* the items of the tile before have been read */
            gpi_fetch_block(room, from, (unsigned)(items * sizeof *queries), array);
            gpi_copy_wait();
            __syncthreads(); /* the items are in the room */
            GPI(bisect)((const GP_TYPE *)(void *)(room + gpi_misalignment(from)), (unsigned)items, queries, at,
                        GPI(sorted_rows), 1, upper, context);
        } else if (!is_far)
            GPI(bisect)(job->sorted + low, (unsigned)items, queries, at, GPI(sorted_rows), 1, upper, context);
        GPI(write_bounds)(job, first, low, &extremes, is_far, queries, at, upper, context);
    }
}
#endif

static __global__ void __launch_bounds__(GPI(sorted_threads), GPI_SM90_CODE ? GPI_TUNE_SEARCH_SORTED_BLOCKS : 1)
    GPI(sorted_kernel)(GPI(job) job, const size_t *splits, const uint32_t *is_sorted, unsigned room_bytes,
                       GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, room);

    gpi_grid_wait();
    gpi_grid_launch_next();
    if (!*is_sorted)
        return;
    if (job.upper)
        GPI(find_sorted)(&job, splits, room, room_bytes, 1, context);
    else
        GPI(find_sorted)(&job, splits, room, room_bytes, 0, context);
#endif
}
