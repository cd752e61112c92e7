/*
 * core/search/index.cuh: the index of a large sorted array, in levels. An entry of the finest level stands for
 * `stride` items, and is the first of them; an entry of each further level stands for a node of the one before, which
 * is 32 bytes, or four larger items, that a lane reads at once. The coarsest level fits into shared memory: the table.
 * A small array has a table alone, which each block fetches for itself.
 *
 *     items    0 1 2 3 4 5 6 7 8 9 ...
 *     level 0  0       4       8  ...        (a stride of 4)
 *     level 1  0               8  ...        (nodes of 2)
 *
 * Part of search.cuh; not to be included directly.
 */

enum {
    GPI(is_indexed) = sizeof(GP_TYPE) <= 16 && (sizeof(GP_TYPE) & (sizeof(GP_TYPE) - 1)) == 0,
    GPI(node_bytes) = sizeof(GP_TYPE) < 16 ? 32 : 64,
    GPI(node_items) = GPI(is_indexed) ? (int)GPI(node_bytes) / (int)sizeof(GP_TYPE) : 1,
    GPI(table_items) = GPI_TUNE_SEARCH_TABLE / (int)sizeof(GP_TYPE),
    GPI(stride) = GPI_TUNE_SEARCH_STRIDE / (int)sizeof(GP_TYPE) > 2
                      ? GPI_TUNE_SEARCH_STRIDE / (int)sizeof(GP_TYPE)
                      : 2,
    GPI(max_levels) = 32
};

/* One level: what an entry stands for, how many there are, and where they are in the index. */
typedef struct {
    size_t stride, items, offset;
} GPI(level);

typedef struct {
    const GP_TYPE *entries; /* of all levels but that of a small array */
    int levels;             /* the last one is the table */
    GPI(level) level[GPI(max_levels)];
} GPI(index);

/* The levels of n items; none if there are too many. */
static inline GPI(index) GPI(lay_out)(size_t n)
{
    GPI(index) index;
    size_t stride = (size_t)GPI(stride), offset = 0;

    memset((void *)&index, 0, sizeof index);
    while (stride > 2 && gpi_divide_up(n, stride / 2) <= (size_t)GPI(table_items))
        stride /= 2;
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

/* The bytes of the index. */
static inline size_t GPI(index_bytes)(const GPI(index) *index)
{
    const GPI(level) *last = &index->level[index->levels ? index->levels - 1 : 0];

    return index->levels > 1 ? gpi_array_bytes(last->offset + last->items + (size_t)GPI(node_items),
                                               sizeof(GP_TYPE))
                             : 0;
}

/* Writes the index. The last node of a level is filled up with copies of its last entry. */
static __global__ void __launch_bounds__(256)
    GPI(index_kernel)(const GP_TYPE *sorted, GP_TYPE *entries, GPI(index) index)
{
#if GPI_DEVICE_CODE
    const size_t step = (size_t)gridDim.x * blockDim.x;

    gpi_grid_wait();
    gpi_grid_launch_next();
    for (int k = 0; k < index.levels; k++) {
        const GPI(level) level = index.level[k];
        const size_t places =
            (level.items + GPI(node_items) - 1) / GPI(node_items) * GPI(node_items);

        GPI_UNROLL_BY(4)
        for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < places; i += step)
            entries[level.offset + i] =
                sorted[(i < level.items ? i : level.items - 1) * level.stride];
    }
#endif
}
