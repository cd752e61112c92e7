/*
 * core/merge/shape.cuh: the block shape of merge_sort.cuh, by the size of an item.
 *
 * Part of merge_sort.cuh; not to be included directly.
 */
#include "tuning.cuh"

/*
 * A thread has up to 128 bytes in registers and a block up to 32 KB in shared memory, or one warp
 * for larger items.
 */
#define GPI_MERGE_BYTES (sizeof(GP_TYPE) + (GPI_MERGE_PAIRS ? sizeof(GPI_MERGE_VALUE) : 0))
GPI_AT_MOST(GP_TYPE, 1024);
GPI_STATIC_ASSERT(GPI_MERGE_BYTES <= 1024 || sizeof(GP_TYPE) > 1024,
                  "GP_TYPE and GP_VALUE together have more than 1024 bytes, the most that are supported");
enum {
    GPI(items) = GPI_MERGE_BYTES <= 4    ? GPI_TUNE_MERGE_ITEMS
                 : GPI_MERGE_BYTES <= 8  ? GPI_TUNE_MERGE_PAIR_ITEMS
                 : GPI_MERGE_BYTES <= 16 ? 8
                 : GPI_MERGE_BYTES <= 32 ? 4
                 : GPI_MERGE_BYTES <= 64 ? 2
                                         : 1,
    GPI(pass_items) = GPI(items) > 2 ? (GPI(items) - 1) | 1 : GPI(items), /* odd */
    GPI(threads) = GPI_MERGE_BYTES <= 128   ? GPI_TUNE_MERGE_THREADS
                   : GPI_MERGE_BYTES <= 256 ? 128
                   : GPI_MERGE_BYTES <= 512 ? 64
                                            : 32,
    GPI(places) = GPI(threads) * GPI(items),
    /*
     * Merge sort's small tiles, on which more threads work, with fewer items each. A block has room for two of them: in
     * a cluster of two, for that of the other block as well.
     */
    GPI(has_small) = GPI(items) >= 16,
    GPI(small_items) = GPI(has_small) ? GPI(items) / 4 : GPI(items),
    GPI(small_pass_items) = GPI(has_small) ? (GPI(small_items) - 1) | 1 : GPI(pass_items),
    GPI(small_threads) = GPI(has_small) ? 2 * GPI(threads) : GPI(threads),
    GPI(small_places) = GPI(small_threads) * GPI(small_items),
    GPI(gap) = GPI(has_small) ? 32 : 0, /* between those two: a row */
    GPI(spare) = GPI(gap) + GPI(items),
    GPI(blocks) = GPI_MERGE_BYTES <= 16 ? GPI_TUNE_MERGE_BLOCKS : 1,
    GPI(max_ways_log) =
        GPI_MERGE_BYTES <= 128 ? 4 : 3 /* each run may leave a thread of a pass idle */
};
