/*
 * core/search/index.cuh: the index of a large sorted array, in levels. An entry of the finest level stands for
 * `stride` items, and is the first of them; an entry of each further level stands for a node of the one before, which
 * is 32 bytes, or four larger items, that a lane reads at once. The coarsest level fits into shared memory: the table.
 * A small array has a table alone, which each block fetches for itself. Queries that are in order need no index: for
 * them the kernel finds the splits of core/search/sorted.cuh instead.
 *
 *     items    0 1 2 3 4 5 6 7 8 9 ...
 *     level 0  0       4       8  ...        (a stride of 4)
 *     level 1  0               8  ...        (nodes of 2)
 *
 * Part of search.cuh; not to be included directly.
 */

enum {
    GPI(table_items) = GPI_TUNE_SEARCH_TABLE / (int)sizeof(GP_TYPE),
    GPI(parts) = 8, /* nodes that an entry stands for, at most */
    GPI(max_levels) = 32,
    GPI(index_threads) = 256
};

/* One level: what an entry stands for, how many there are, and where they are in the index. */
typedef struct {
    size_t stride, items, offset;
} GPI(level);

typedef struct {
    const GP_TYPE *entries; /* of all levels but that of a small array */
    uint32_t *is_sorted;    /* in device memory: whether there are splits, and no entries */
    int levels;             /* the last one is the table */
    GPI(level) level[GPI(max_levels)];
} GPI(index);

/* The levels of n items; none if there are too many. */
static inline GPI(index) GPI(lay_out)(size_t n)
{
    GPI(index) index;
    size_t stride = n <= (size_t)GPI(table_items) ? 1 : (size_t)GPI(node_items), offset = 0;

    memset((void *)&index, 0, sizeof index);
    while (stride < (size_t)GPI(node_items) * GPI(parts) && n / stride > GPI_TUNE_SEARCH_INDEX / sizeof(GP_TYPE))
        stride *= 2;
    for (int k = 0; k < GPI(max_levels); k++, stride *= (size_t)GPI(node_items)) {
        GPI(level) *level = &index.level[k];

        level->stride = stride;
        level->items = gpi_divide_up(n, stride);
        level->offset = offset;
        offset += gpi_divide_up(level->items, (size_t)GPI(node_items)) * (size_t)GPI(node_items);
        if (level->items <= (size_t)GPI(table_items)) {
            index.levels = k + 1;
            break;
        }
    }
    return index;
}

/* The bytes of the index, before which there is a word of its own, or of the splits of m queries. */
static inline size_t GPI(index_bytes)(const GPI(index) *index, size_t m)
{
    const GPI(level) *last = &index->level[index->levels ? index->levels - 1 : 0];
    const size_t splits = gpi_array_bytes(m / (size_t)GPI(sorted_tile) + 2, sizeof(size_t));

    if (index->levels < 2)
        return 0;
    return gpi_add_sizes(GPI_ALIGNMENT,
                         gpi_larger_size(gpi_array_bytes(last->offset + last->items, sizeof(GP_TYPE)), splits));
}

#if GPI_DEVICE_CODE
/* All threads: whether the queries go up, or down, from tile to tile, as far as a sample tells. */
GPI_DEVICE int GPI(is_sorted)(const GPI(job) *job, GPI_CONTEXT context)
{
    const size_t tile = GPI(sorted_tile);

    if (job->m <= 2 * tile)
        return 0;
    const size_t i = (job->m - tile - 1) / GPI(index_threads) * threadIdx.x;
    const int is_down = GPI(less)(job->queries[i + tile], job->queries[i], context);
    const int down = __syncthreads_count(is_down);
    return down <= GPI(index_threads) / 16 || down >= GPI(index_threads) / 16 * 15;
}
#endif

/* Writes the index, or the splits. */
static __global__ void __launch_bounds__(GPI(index_threads))
    GPI(index_kernel)(GPI(job) job, GP_TYPE *entries, size_t *splits, GPI(index) index, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    const size_t step = (size_t)gridDim.x * blockDim.x;

    gpi_grid_wait();
    gpi_grid_launch_next();
    const int is_sorted = GPI(is_sorted)(&job, context);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *index.is_sorted = (uint32_t)is_sorted;
    if (is_sorted) {
        GPI(find_splits)(&job, splits, job.upper, context);
        return;
    }
    for (int k = 0; k < index.levels; k++) {
        const GPI(level) level = index.level[k];

        GPI_UNROLL_BY(8)
        for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < level.items; i += step)
            entries[level.offset + i] = job.sorted[i * level.stride];
    }
#endif
}
