/*
 * core/search/tiles.cuh: searches for many queries, by an index. A block takes a tile of queries, several for each
 * thread, which it searches for at the same time.
 *
 *     1. in the table, in shared memory
 *     2. in a node of each further level, which lies in the L2
 *     3. in the items that an entry of the finest level stands for, by bisection, until a node of them is left
 *
 * Part of search.cuh; not to be included directly.
 */

#if GPI_DEVICE_CODE
/* How many entries of the finest level are before the bounds of the queries. */
GPI_DEVICE void GPI(find_entries)(const GPI(index) *index, const GP_TYPE *table, const GP_TYPE *queries, size_t *counts,
                                  int upper, GPI_CONTEXT context)
{
    unsigned at[GPI(rows)];

    GPI(bisect)(table, (unsigned)index->level[index->levels - 1].items, queries, at, GPI(rows), 1, upper, context);
    GPI_UNROLL
    for (int r = 0; r < GPI(rows); r++)
        counts[r] = at[r];
    GPI_NO_UNROLL
    for (int k = index->levels - 2; k >= 0; k--) {
        const GPI(level) level = index->level[k];
        GPI(node) nodes[GPI(rows)];

        GPI_UNROLL
        for (int r = 0; r < GPI(rows); r++) {
            counts[r] = (counts[r] ? counts[r] - 1 : 0) * GPI(node_items);
            GPI(read_node)(&nodes[r], index->entries + level.offset + counts[r], level.items - counts[r], 1);
        }
        GPI_UNROLL
        for (int r = 0; r < GPI(rows); r++)
            counts[r] += GPI(count_node)(&nodes[r], level.items - counts[r], queries[r], upper, context);
    }
}

/* From entries of the finest level to the bounds themselves. */
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

/* Writes the bounds of the thread's queries. */
GPI_DEVICE void GPI(write_counts)(const GPI(job) *job, size_t first, const size_t *counts)
{
    GPI_UNROLL
    for (unsigned r = 0; r < GPI(rows); r++) {
        const size_t i = first + r * blockDim.x + threadIdx.x;

        if (i < job->m)
            job->out[i] = (GP_INDEX)counts[r];
    }
}

/* The tiles of a block. */
GPI_DEVICE void GPI(find_many)(const GPI(job) *job, const GPI(index) *index, const GP_TYPE *table, int upper,
                               GPI_CONTEXT context)
{
    const size_t step = (size_t)gridDim.x * GPI(tile);
    GP_TYPE queries[GPI(rows)], next[GPI(rows)];

    GPI(read_queries)(job, (size_t)blockIdx.x * GPI(tile), queries, GPI(rows));
    for (size_t first = (size_t)blockIdx.x * GPI(tile); first < job->m; first += step) {
        size_t counts[GPI(rows)];

        GPI(read_queries)(job, first + step, next, GPI(rows));
        GPI(find_entries)(index, table, queries, counts, upper, context);
        GPI(find_bounds)(job, index->level[0].stride, queries, counts, upper, context);
        GPI(write_counts)(job, first, counts);
        GPI_UNROLL
        for (int r = 0; r < GPI(rows); r++)
            queries[r] = next[r];
    }
}
#endif

static __global__ void __launch_bounds__(GPI(threads), GPI_TUNE_SEARCH_BLOCKS)
    GPI(tiles_kernel)(GPI(job) job, GPI(index) index, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, dynamic);
    GP_TYPE *table = (GP_TYPE *)(void *)dynamic;
    const GPI(level) *top = &index.level[index.levels - 1];

    gpi_grid_wait();
    gpi_grid_launch_next();
    if (index.levels > 1 && *index.is_sorted)
        return;
    for (size_t i = threadIdx.x; i < top->items; i += blockDim.x)
        table[i] = index.levels > 1 ? index.entries[top->offset + i] : job.sorted[i * top->stride];
    __syncthreads(); /* the table is complete */
    if (job.upper)
        GPI(find_many)(&job, &index, table, 1, context);
    else
        GPI(find_many)(&job, &index, table, 0, context);
#endif
}
