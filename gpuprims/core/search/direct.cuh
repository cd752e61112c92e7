/*
 * core/search/direct.cuh: searches without an index where queries are many: each thread searches alone, for several at
 * a time. A block takes a tile of queries. If all of them are between the first and the last one, as sorted ones are,
 * two warps find the bounds of these two, and the threads search between them. Of fewer than 2^32 items.
 *
 * Part of search.cuh; not to be included directly.
 */
enum {
    GPI(rows) = GPI_TUNE_SEARCH_ROWS,
    GPI(threads) = GPI_TUNE_SEARCH_THREADS,
    GPI(tile) = GPI(rows) * GPI(threads)
};

/* The least and the greatest query of a tile. */
typedef struct {
    GP_TYPE least, greatest;
} GPI(extremes);

#if GPI_DEVICE_CODE
/* ---- nodes ------------------------------------------------------------------------------------- */

/* Reads a node of which so many items are there. `by_vectors`: it is aligned. */
GPI_DEVICE void GPI(read_node)(GPI(node) *node, const GP_TYPE *from, size_t items, int by_vectors)
{
    if (by_vectors && items >= (size_t)GPI(node_items)) {
        GPI_UNROLL
        for (int v = 0; v < GPI(node_bytes) / 16; v++)
            gpi_get(node->vectors[v], (const char *)from + v * 16);
    } else {
        GPI_UNROLL
        for (unsigned i = 0; i < GPI(node_items); i++)
            node->items[i] = from[i < items ? i : 0];
    }
}

/* How many items of a node are before the bound. */
GPI_DEVICE unsigned GPI(count_node)(const GPI(node) *node, size_t items, GP_TYPE query, int upper, GPI_CONTEXT context)
{
    unsigned count = 0;

    GPI_UNROLL
    for (unsigned i = 0; i < GPI(node_items); i++)
        count += i < items && GPI(is_before)(node->items[i], query, upper, context);
    return count;
}

/* ---- one thread -------------------------------------------------------------------------------- */

/*
 * How many of n items are before the bounds of the queries, rounded down to a multiple of `least`, a power of two.
 * `rows` is a constant.
 */
GPI_DEVICE void GPI(bisect)(const GP_TYPE *items, unsigned n, const GP_TYPE *queries, unsigned *at, int rows,
                            unsigned least, int upper, GPI_CONTEXT context)
{
    GPI_UNROLL
    for (int r = 0; r < rows; r++)
        at[r] = 0;
    GPI_NO_UNROLL
    for (unsigned step = n ? 1u << (31 - __clz((int)n)) : 0; step >= least; step /= 2) {
        GPI_UNROLL
        for (int r = 0; r < rows; r++)
            if (at[r] + step <= n && GPI(is_before)(items[at[r] + step - 1], queries[r], upper, context))
                at[r] += step;
    }
}

/* How many of them are. The last ones that are looked at are a node, if nodes are aligned. */
GPI_DEVICE void GPI(find_alone)(const GP_TYPE *items, unsigned n, const GP_TYPE *queries, unsigned *at, int upper,
                                GPI_CONTEXT context)
{
    const unsigned node = (uintptr_t)items % 16 == 0 ? GPI(node_items) : 1;
    GPI(node) nodes[GPI(rows)];

    GPI(bisect)(items, n, queries, at, GPI(rows), node, upper, context);
    if (node == 1)
        return;
    GPI_UNROLL
    for (int r = 0; r < GPI(rows); r++)
        if (n - at[r] >= GPI(node_items))
            GPI(read_node)(&nodes[r], items + at[r], GPI(node_items), 1);
    GPI_UNROLL
    for (int r = 0; r < GPI(rows); r++) {
        if (n - at[r] >= GPI(node_items))
            at[r] += GPI(count_node)(&nodes[r], GPI(node_items), queries[r], upper, context);
        else
            while (at[r] < n && GPI(is_before)(items[at[r]], queries[r], upper, context))
                at[r]++;
    }
}

/* ---- tiles ------------------------------------------------------------------------------------- */

/* The thread's queries of the tile that starts with number `first`; behind the last one, that one. */
GPI_DEVICE void GPI(read_queries)(const GPI(job) *job, size_t first, GP_TYPE *queries, int rows)
{
    GPI_UNROLL
    for (unsigned r = 0; r < (unsigned)rows; r++) {
        const size_t i = first + r * blockDim.x + threadIdx.x;

        queries[r] = job->queries[i < job->m ? i : job->m - 1];
    }
}

/* Whether x is from the least to the greatest query of a tile. */
GPI_DEVICE int GPI(is_within)(const GPI(extremes) *of, GP_TYPE x, GPI_CONTEXT context)
{
    return !GPI(less)(x, of->least, context) && !GPI(less)(of->greatest, x, context);
}

/* The extremes of queries that are in order, up or down, by the first and the last one. */
GPI_DEVICE void GPI(take_ends)(GPI(extremes) *of, GP_TYPE first, GP_TYPE last, GPI_CONTEXT context)
{
    const int is_down = GPI(less)(last, first, context);

    of->least = is_down ? last : first;
    of->greatest = is_down ? first : last;
}

/*
 * All threads: whether the thread's queries, and those of all others, are between queries `first` and `last`; their
 * extremes. A few of them tell without a barrier if the order is random.
 */
GPI_DEVICE int GPI(is_in_order)(const GPI(job) *job, size_t first, unsigned last, const GP_TYPE *queries,
                                GPI(extremes) *extremes, GPI_CONTEXT context)
{
    const GP_TYPE x = job->queries[first + threadIdx.x % 32 * last / 31];
    int is_within = 1;

    GPI(take_ends)(extremes, job->queries[first], job->queries[first + last], context);
    if (!__all_sync(GPI_FULL_MASK, GPI(is_within)(extremes, x, context)))
        return 0;
    GPI_UNROLL
    for (int r = 0; r < GPI(rows); r++)
        is_within &= GPI(is_within)(extremes, queries[r], context);
    return __syncthreads_count(is_within) == GPI(threads); /* and the ends of the tile before have been read */
}

/* All threads: the bounds of the extremes, and brings what is between them to the L2. */
GPI_DEVICE void GPI(find_ends)(const GPI(job) *job, const GPI(extremes) *extremes, unsigned *ends, int upper,
                               GPI_CONTEXT context)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    if (warp < 2) {
        const size_t end = GPI(find_place)(job->sorted, job->n, warp ? extremes->greatest : extremes->least, lane, 5,
                                           upper, context);
        if (lane == 0)
            ends[warp] = (unsigned)end;
    }
    __syncthreads(); /* the ends are known */
    for (size_t i = ends[0] + threadIdx.x * GPI(node_items); i < ends[1]; i += (unsigned)GPI(threads) * GPI(node_items))
        gpi_prefetch(job->sorted + i);
}

/* Searches for the bounds of tiles of queries. */
GPI_DEVICE void GPI(find_directly)(const GPI(job) *job, unsigned *ends, int upper, GPI_CONTEXT context)
{
    const size_t step = (size_t)gridDim.x * GPI(tile);

    for (size_t first = (size_t)blockIdx.x * GPI(tile); first < job->m; first += step) {
        const unsigned last = gpi_min_size(job->m - first, GPI(tile)) - 1;
        GP_TYPE queries[GPI(rows)];
        unsigned at[GPI(rows)], low = 0, high = (unsigned)job->n;
        GPI(extremes) extremes;

        GPI(read_queries)(job, first, queries, GPI(rows));
        if (GPI(is_in_order)(job, first, last, queries, &extremes, context)) {
            GPI(find_ends)(job, &extremes, ends, upper, context);
            low = ends[0] / GPI(node_items) * GPI(node_items);
            high = ends[1] > low ? ends[1] : low;
        }
        GPI(find_alone)(job->sorted + low, high - low, queries, at, upper, context);
        GPI_UNROLL
        for (unsigned r = 0; r < GPI(rows); r++) {
            const unsigned i = r * GPI(threads) + threadIdx.x;

            if (i <= last)
                job->out[first + i] = (GP_INDEX)(low + at[r]);
        }
    }
}
#endif

static __global__ void __launch_bounds__(GPI(threads)) GPI(direct_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_SHARED(unsigned[2], ends);

    gpi_grid_wait();
    gpi_grid_launch_next();
    if (job.upper)
        GPI(find_directly)(&job, ends, 1, context);
    else
        GPI(find_directly)(&job, ends, 0, context);
#endif
}
