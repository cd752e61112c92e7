/*
 * core/search/tiles.cuh: searches for many queries, by an index. A block takes a tile of queries, several for each
 * thread, which it searches for at the same time.
 *
 *     1. in the table, in shared memory
 *     2. in a node of each further level, which lies in the L2
 *     3. in the items that an entry of the finest level stands for
 *
 * If the queries of a tile are close to each other, as sorted ones are, few items are between the bounds of all of
 * them. Then the block fetches these, and searches in shared memory; a query that was none of the samples may lie
 * outside, and takes the other way.
 *
 * Part of search.cuh; not to be included directly.
 */
#include "../tile/copy.cuh"

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

/* The items between the bounds of the queries of a tile. */
typedef struct {
    size_t low,
        high; /* entries of the finest level that are before the first bound, and before the last */
} GPI(span);

#if GPI_DEVICE_CODE
/* How many entries of the finest level are before the bounds of the queries; `rows` is a constant. */
GPI_DEVICE void GPI(find_entries)(const GPI(index) *index, const GP_TYPE *table,
                                  const GP_TYPE *queries, size_t *counts, int rows, int upper,
                                  GPI_CONTEXT context)
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
            if (at[r] + step <= items &&
                GPI(is_before)(table[at[r] + step - 1], queries[r], upper, context))
                at[r] += step;
    }
    GPI_UNROLL
    for (int r = 0; r < rows; r++)
        counts[r] = at[r];
    GPI_NO_UNROLL
    for (int k = index->levels - 2; k >= 0; k--) {
        const GPI(level) level = index->level[k];
        GPI(node) nodes[GPI(rows)];

        GPI_UNROLL
        for (int r = 0; r < rows; r++) {
            const size_t node = (counts[r] ? counts[r] - 1 : 0) * GPI(node_items);
            const char *from = (const char *)(index->entries + level.offset + node);

            GPI_UNROLL
            for (int v = 0; v < GPI(node_bytes) / 16; v++)
                gpi_get(nodes[r].vectors[v], from + v * 16);
            counts[r] = node;
        }
        GPI_UNROLL
        for (int r = 0; r < rows; r++) {
            unsigned before = 0;

            GPI_UNROLL
            for (int i = 0; i < GPI(node_items); i++)
                before += (unsigned)GPI(is_before)(nodes[r].items[i], queries[r], upper, context);
            counts[r] += before;
            counts[r] =
                counts[r] < level.items ? counts[r] : level.items; /* copies of the last entry */
        }
    }
}

/* From entries of the finest level to the bounds themselves. */
GPI_DEVICE void GPI(find_bounds)(const GPI(job) *job, const GPI(index) *index,
                                 const GP_TYPE *queries, size_t *counts, int upper,
                                 GPI_CONTEXT context)
{
    const size_t stride = index->level[0].stride;
    size_t at[GPI(rows)]; /* an item that is before the bound */

    GPI_UNROLL
    for (int r = 0; r < GPI(rows); r++)
        at[r] = counts[r] ? (counts[r] - 1) * stride : 0;
    GPI_NO_UNROLL
    for (size_t step = stride / 2; step; step /= 2) {
        GPI_UNROLL
        for (int r = 0; r < GPI(rows); r++)
            if (at[r] + step < job->n &&
                GPI(is_before)(job->sorted[at[r] + step], queries[r], upper, context))
                at[r] += step;
    }
    GPI_UNROLL
    for (int r = 0; r < GPI(rows); r++)
        counts[r] = counts[r] ? at[r] + 1 : 0;
}

/* One warp: what is between the bounds of 32 queries of a tile, the first and the last among them. */
GPI_DEVICE GPI(span)
    GPI(find_span)(const GPI(job) *job, const GPI(index) *index, const GP_TYPE *table,
                   size_t first, unsigned n, unsigned lane, int upper, GPI_CONTEXT context)
{
    const GP_TYPE query = job->queries[first + (n - 1) * lane / 31];
    GPI(span) span;

    GPI(find_entries)(index, table, &query, &span.low, 1, upper, context);
    span.high = span.low;
    for (int stride = 1; stride < 32; stride *= 2) {
        const size_t low = __shfl_xor_sync(GPI_FULL_MASK, span.low, stride);
        const size_t high = __shfl_xor_sync(GPI_FULL_MASK, span.high, stride);

        span.low = low < span.low ? low : span.low;
        span.high = high > span.high ? high : span.high;
    }
    return span;
}

/*
 * All threads: if there is room for the items of the span, fetches them and finds those bounds that are among them.
 * Returns a bit for each other query.
 */
GPI_DEVICE unsigned GPI(find_close)(const GPI(job) *job, const GPI(index) *index, GPI(span) span,
                                    char *room, const GP_TYPE *queries, size_t *counts, int upper,
                                    GPI_CONTEXT context)
{
    const size_t stride = index->level[0].stride, low = span.low ? (span.low - 1) * stride : 0;
    const size_t high = span.high * stride < job->n ? span.high * stride : job->n;
    const gpi_extent array = {(const char *)job->sorted, (const char *)(job->sorted + job->n)};
    const char *from = (const char *)(job->sorted + low);
    unsigned others = 0;

    if (high - low >= (size_t)GPI(room_items))
        return (1u << GPI(rows)) - 1;
    const unsigned items = (unsigned)(high - low), all = items + (high < job->n);
    const GP_TYPE *near = (const GP_TYPE *)(room + gpi_misalignment(from));
    gpi_fetch_block(room, from, all * (unsigned)sizeof *near, array);
    gpi_copy_wait();
    __syncthreads(); /* the items are there */
    GPI_UNROLL
    for (int r = 0; r < GPI(rows); r++) {
        unsigned at = 0;

        if (items)
            GPI_NO_UNROLL
        for (unsigned step = 1u << (31 - __clz((int)items)); step; step /= 2)
            if (at + step <= items &&
                GPI(is_before)(near[at + step - 1], queries[r], upper, context))
                at += step;
        counts[r] = low + at;
        if ((at == 0 && low) || (at == items && high < job->n &&
                                 GPI(is_before)(near[items], queries[r], upper, context)))
            others |= 1u << r;
    }
    return others;
}

/* The tiles of a block. */
GPI_DEVICE void GPI(find_many)(const GPI(job) *job, const GPI(index) *index, const GP_TYPE *table,
                               char *room, GPI(span) *span, int upper, GPI_CONTEXT context)
{
    unsigned skip = index->levels > 1 ? 0 : GPI_FULL_MASK; /* a small array is in the L2 */

    for (size_t first = (size_t)blockIdx.x * GPI(tile); first < job->m;
         first += (size_t)gridDim.x * GPI(tile)) {
        const unsigned n = gpi_min_size(job->m - first, GPI(tile));
        unsigned others = (1u << GPI(rows)) - 1;
        GP_TYPE queries[GPI(rows)];
        size_t counts[GPI(rows)];

        GPI_UNROLL
        for (unsigned r = 0; r < GPI(rows); r++)
            queries[r] = job->queries[first + gpi_min(r * GPI(threads) + threadIdx.x, n - 1)];
        if (skip == 0) {
            if (threadIdx.x < 32)
                *span = GPI(find_span)(job, index, table, first, n, threadIdx.x, upper, context);
            __syncthreads(); /* the span is known */
            others = GPI(find_close)(job, index, *span, room, queries, counts, upper, context);
            skip = __syncthreads_or((int)others) ? GPI(skipped)
                                                 : 0; /* the room and the span are free */
        } else if (index->levels > 1) {
            skip--;
        }
        if (others) {
            size_t far[GPI(rows)];

            GPI(find_entries)(index, table, queries, far, GPI(rows), upper, context);
            GPI(find_bounds)(job, index, queries, far, upper, context);
            GPI_UNROLL
            for (unsigned r = 0; r < GPI(rows); r++)
                counts[r] = others >> r & 1 ? far[r] : counts[r];
        }
        GPI_UNROLL
        for (unsigned r = 0; r < GPI(rows); r++)
            if (r * GPI(threads) + threadIdx.x < n)
                job->out[first + r * GPI(threads) + threadIdx.x] = (GP_INDEX)counts[r];
    }
}
#endif

static __global__ void __launch_bounds__(GPI(threads), GPI_TUNE_SEARCH_BLOCKS)
    GPI(tiles_kernel)(GPI(job) job, GPI(index) index, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, shared);
    GP_SHARED(GPI(span), span);
    GP_TYPE *table = (GP_TYPE *)shared;
    const GPI(level) *top = &index.level[index.levels - 1];

    gpi_grid_wait();
    gpi_grid_launch_next();
    for (size_t i = threadIdx.x; i < top->items; i += blockDim.x)
        table[i] = index.levels > 1 ? index.entries[top->offset + i] : job.sorted[i * top->stride];
    __syncthreads(); /* the table is complete */
    if (job.upper)
        GPI(find_many)(&job, &index, table, shared + GPI_TUNE_SEARCH_TABLE, &span, 1, context);
    else
        GPI(find_many)(&job, &index, table, shared + GPI_TUNE_SEARCH_TABLE, &span, 0, context);
#endif
}
