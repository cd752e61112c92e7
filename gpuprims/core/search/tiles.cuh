/*
 * core/search/tiles.cuh: searches for many queries, by an index. A block takes a tile of queries, several for each
 * thread, which it searches for at the same time.
 *
 *     1. in the table, in shared memory
 *     2. in a node of each further level, which lies in the L2
 *     3. in the items that an entry of the finest level stands for, by bisection, until a node of them is left
 *
 * If the queries of a tile are close to each other, as sorted ones are, few items are between the bounds of the least
 * and the greatest. Then the block fetches these, and searches in shared memory.
 *
 * Part of search.cuh; not to be included directly.
 */
enum {
    GPI(rows) = GPI_TUNE_SEARCH_ROWS,
    GPI(threads) = GPI_TUNE_SEARCH_THREADS,
    GPI(tile) = GPI(rows) * GPI(threads),
    GPI(room_items) = (GPI_TUNE_SEARCH_ROOM - 256) / (int)sizeof(GP_TYPE), /* anywhere in a line */
    GPI(skipped) = 7, /* tiles that are not looked at behind one whose queries are not close */
    GPI(shared_bytes) = GPI_TUNE_SEARCH_TABLE + GPI_TUNE_SEARCH_ROOM
};

/* A node in registers. */
typedef union {
    GP_TYPE items[GPI(node_items)];
    uint4 vectors[GPI(node_bytes) / 16];
} GPI(node);

/* The items between the bounds of the queries of a tile; `is_close` if there is room for them. */
typedef struct {
    size_t low, high;
    int is_close;
} GPI(span);

/* The least and the greatest of some queries. */
typedef struct {
    GP_TYPE low, high;
} GPI(extremes);

typedef struct {
    GPI(extremes) extremes[GPI(threads) / 32];
    GPI(span) span;
} GPI(shared);

#if GPI_DEVICE_CODE
/* ---- by the index ------------------------------------------------------------------------------ */

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

/* How many entries of level `finest` are before the bounds of the queries; `rows` is a constant. */
GPI_DEVICE void GPI(find_entries)(const GPI(index) *index, const GP_TYPE *table, int finest, const GP_TYPE *queries,
                                  size_t *counts, int rows, int upper, GPI_CONTEXT context)
{
    const unsigned items = (unsigned)index->level[index->levels - 1].items;
    unsigned at[GPI(rows)];

    GPI_UNROLL
    for (int r = 0; r < rows; r++)
        at[r] = 0;
    GPI_NO_UNROLL
    for (unsigned step = 1u << (31 - __clz((int)items)); step; step /= 2) {
        GPI_UNROLL
        for (int r = 0; r < rows; r++)
            if (at[r] + step <= items && GPI(is_before)(table[at[r] + step - 1], queries[r], upper, context))
                at[r] += step;
    }
    GPI_UNROLL
    for (int r = 0; r < rows; r++)
        counts[r] = at[r];
    GPI_NO_UNROLL
    for (int k = index->levels - 2; k >= finest; k--) {
        const GPI(level) level = index->level[k];
        GPI(node) nodes[GPI(rows)];

        GPI_UNROLL
        for (int r = 0; r < rows; r++) {
            counts[r] = (counts[r] ? counts[r] - 1 : 0) * GPI(node_items);
            GPI(read_node)(&nodes[r], index->entries + level.offset + counts[r], level.items - counts[r], 1);
        }
        GPI_UNROLL
        for (int r = 0; r < rows; r++)
            counts[r] += GPI(count_node)(&nodes[r], level.items - counts[r], queries[r], upper, context);
    }
}

/* From entries of level `finest` to the bounds themselves. */
GPI_DEVICE void GPI(find_bounds)(const GPI(job) *job, size_t stride, const GP_TYPE *queries, size_t *counts, int upper,
                                 GPI_CONTEXT context)
{
    const int by_vectors = (uintptr_t)job->sorted % 16 == 0;
    GPI(node) nodes[GPI(rows)];

    if (stride == 1)
        return;
    GPI_UNROLL
    for (int r = 0; r < GPI(rows); r++)
        counts[r] = counts[r] ? (counts[r] - 1) * stride : 0;
    GPI_NO_UNROLL
    for (size_t step = stride / 2; step >= (size_t)GPI(node_items); step /= 2) {
        GPI_UNROLL
        for (int r = 0; r < GPI(rows); r++)
            if (counts[r] + step < job->n && GPI(is_before)(job->sorted[counts[r] + step], queries[r], upper, context))
                counts[r] += step;
    }
    GPI_UNROLL
    for (int r = 0; r < GPI(rows); r++)
        GPI(read_node)(&nodes[r], job->sorted + counts[r], job->n - counts[r], by_vectors);
    GPI_UNROLL
    for (int r = 0; r < GPI(rows); r++)
        counts[r] += GPI(count_node)(&nodes[r], job->n - counts[r], queries[r], upper, context);
}

/* ---- close to each other ----------------------------------------------------------------------- */

/* A value of another lane. */
GPI_DEVICE GP_TYPE GPI(shuffle)(GP_TYPE x, int stride)
{
    uint32_t words[(sizeof x + 3) / 4] = {0};

    memcpy(words, &x, sizeof x);
    GPI_UNROLL
    for (unsigned w = 0; w < sizeof words / sizeof *words; w++)
        words[w] = __shfl_xor_sync(GPI_FULL_MASK, words[w], stride);
    memcpy((void *)&x, words, sizeof x);
    return x;
}

/* One warp: the extremes of those of all lanes. */
GPI_DEVICE GPI(extremes) GPI(warp_extremes)(GPI(extremes) x, GPI_CONTEXT context)
{
    GPI_UNROLL
    for (int stride = 1; stride < 32; stride *= 2) {
        const GP_TYPE low = GPI(shuffle)(x.low, stride), high = GPI(shuffle)(x.high, stride);

        x.low = GPI(less)(low, x.low, context) ? low : x.low;
        x.high = GPI(less)(x.high, high, context) ? high : x.high;
    }
    return x;
}

/* All threads: the span of the queries of a tile. */
GPI_DEVICE GPI(span) GPI(find_span)(const GPI(job) *job, const GPI(index) *index, const GP_TYPE *table, int finest,
                                    const GP_TYPE *queries, GPI(shared) *shared, int upper, GPI_CONTEXT context)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const size_t stride = index->level[finest].stride;
    GPI(extremes) x = {queries[0], queries[0]};

    GPI_UNROLL
    for (int r = 1; r < GPI(rows); r++) {
        x.low = GPI(less)(queries[r], x.low, context) ? queries[r] : x.low;
        x.high = GPI(less)(x.high, queries[r], context) ? queries[r] : x.high;
    }
    x = GPI(warp_extremes)(x, context);
    if (lane == 0)
        shared->extremes[warp] = x;
    __syncthreads(); /* the extremes of all warps are there */
    if (warp == 0) {
        x = GPI(warp_extremes)(shared->extremes[lane % (GPI(threads) / 32)], context);
        const GP_TYPE query = lane == 0 ? x.low : x.high;
        size_t count;

        GPI(find_entries)(index, table, finest, &query, &count, 1, upper, context);
        const size_t low = __shfl_sync(GPI_FULL_MASK, count, 0), high = __shfl_sync(GPI_FULL_MASK, count, 1) * stride;
        if (lane == 0) {
            shared->span.low = low ? (low - 1) * stride : 0;
            shared->span.high = high < job->n ? high : job->n;
            shared->span.is_close = shared->span.high - shared->span.low <= (size_t)GPI(room_items);
        }
    }
    __syncthreads(); /* the span is known */
    return shared->span;
}

/* Finds the bounds among the items of the span. */
GPI_DEVICE void GPI(find_near)(const GP_TYPE *near, GPI(span) span, const GP_TYPE *queries, size_t *counts, int upper,
                               GPI_CONTEXT context)
{
    const unsigned items = (unsigned)(span.high - span.low);
    unsigned at[GPI(rows)];

    GPI_UNROLL
    for (int r = 0; r < GPI(rows); r++)
        at[r] = 0;
    GPI_NO_UNROLL
    for (unsigned step = items ? 1u << (31 - __clz((int)items)) : 0; step; step /= 2) {
        GPI_UNROLL
        for (int r = 0; r < GPI(rows); r++)
            if (at[r] + step <= items && GPI(is_before)(near[at[r] + step - 1], queries[r], upper, context))
                at[r] += step;
    }
    GPI_UNROLL
    for (int r = 0; r < GPI(rows); r++)
        counts[r] = span.low + at[r];
}

/* ---- tiles ------------------------------------------------------------------------------------- */

/* The thread's queries of the tile that starts with number `first`; behind the last one, that one. */
GPI_DEVICE void GPI(read_queries)(const GPI(job) *job, size_t first, GP_TYPE *queries)
{
    GPI_UNROLL
    for (unsigned r = 0; r < GPI(rows); r++) {
        const size_t i = first + r * GPI(threads) + threadIdx.x;

        queries[r] = job->queries[i < job->m ? i : job->m - 1];
    }
}

/* The tiles of a block. While the items of one are under way, the span of the next one is found. */
GPI_DEVICE void GPI(find_many)(const GPI(job) *job, const GPI(index) *index, int finest, const GP_TYPE *table,
                               char *room, GPI(shared) *shared, int upper, GPI_CONTEXT context)
{
    const gpi_extent array = {(const char *)job->sorted, (const char *)(job->sorted + job->n)};
    const size_t step = (size_t)gridDim.x * GPI(tile);
    const int looks = index->levels > 1; /* a small array is in the L2 */
    GP_TYPE queries[GPI(rows)], next[GPI(rows)];
    GPI(span) span = {0, 0, 0};
    int skip = 0;

    GPI(read_queries)(job, (size_t)blockIdx.x * GPI(tile), queries);
    if (looks)
        span = GPI(find_span)(job, index, table, finest, queries, shared, upper, context);
    for (size_t first = (size_t)blockIdx.x * GPI(tile); first < job->m; first += step) {
        const GPI(span) here = span;
        const char *from = (const char *)(job->sorted + here.low);
        size_t counts[GPI(rows)];

        if (here.is_close)
            gpi_fetch_block(room, from, (unsigned)((here.high - here.low) * sizeof *queries), array);
        skip = here.is_close ? 0 : skip ? skip - 1 : GPI(skipped);
        span.is_close = 0;
        GPI(read_queries)(job, first + step, next);
        if (looks && skip == 0 && first + step < job->m)
            span = GPI(find_span)(job, index, table, finest, next, shared, upper, context);
        if (here.is_close) {
            gpi_copy_wait();
            __syncthreads(); /* the items are in the room */
            GPI(find_near)((const GP_TYPE *)(room + gpi_misalignment(from)), here, queries, counts, upper, context);
            __syncthreads(); /* and have been read */
        } else {
            GPI(find_entries)(index, table, finest, queries, counts, GPI(rows), upper, context);
            GPI(find_bounds)(job, index->level[finest].stride, queries, counts, upper, context);
        }
        GPI_UNROLL
        for (unsigned r = 0; r < GPI(rows); r++) {
            const size_t i = first + r * GPI(threads) + threadIdx.x;

            if (i < job->m)
                job->out[i] = (GP_INDEX)counts[r];
            queries[r] = next[r];
        }
    }
}
#endif

static __global__ void __launch_bounds__(GPI(threads), GPI_TUNE_SEARCH_BLOCKS)
    GPI(tiles_kernel)(GPI(job) job, GPI(index) index, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, dynamic);
    GP_SHARED(GPI(shared), shared);
    GP_TYPE *table = (GP_TYPE *)dynamic;
    const GPI(level) *top = &index.level[index.levels - 1];

    gpi_grid_wait();
    gpi_grid_launch_next();
    for (size_t i = threadIdx.x; i < top->items; i += blockDim.x)
        table[i] = index.levels > 1 ? index.entries[top->offset + i] : job.sorted[i * top->stride];
    const int finest = index.levels > 1 && *index.is_coarse;
    __syncthreads(); /* the table is complete */
    if (job.upper)
        GPI(find_many)(&job, &index, finest, table, dynamic + GPI_TUNE_SEARCH_TABLE, &shared, 1, context);
    else
        GPI(find_many)(&job, &index, finest, table, dynamic + GPI_TUNE_SEARCH_TABLE, &shared, 0, context);
#endif
}
