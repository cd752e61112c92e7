/*
 * core/search/tuning.cuh: the shapes of search.cuh, on which speed alone depends, measured on sm_90 (H200). A build may
 * define each of them otherwise with -D; `gpbench tune` does so, and prints the best ones as lines for this file.
 */
#ifndef GPI_SEARCH_TUNING_CUH
#define GPI_SEARCH_TUNING_CUH

/* Bytes of the finest level of the index that stay in the L2; that of a larger array is coarser. */
#ifndef GPI_TUNE_SEARCH_INDEX
#define GPI_TUNE_SEARCH_INDEX 33554432
#endif

/* Bytes of shared memory for the coarsest entries. */
#ifndef GPI_TUNE_SEARCH_TABLE
#define GPI_TUNE_SEARCH_TABLE 8192
#endif

/* Threads of a block, and resident blocks per multiprocessor; queries of a thread that are searched for at a time. */
#ifndef GPI_TUNE_SEARCH_THREADS
#define GPI_TUNE_SEARCH_THREADS 256
#endif
#ifndef GPI_TUNE_SEARCH_BLOCKS
#define GPI_TUNE_SEARCH_BLOCKS 4
#endif
#ifndef GPI_TUNE_SEARCH_ROWS
#define GPI_TUNE_SEARCH_ROWS 2
#endif

/*
 * Of many queries that are in order: threads of a block, resident blocks per multiprocessor, queries of a thread, and
 * bytes of shared memory for the items that a tile needs, at most, of the 49152 that any block may have.
 */
#ifndef GPI_TUNE_SEARCH_SORTED_THREADS
#define GPI_TUNE_SEARCH_SORTED_THREADS 64
#endif
#ifndef GPI_TUNE_SEARCH_SORTED_BLOCKS
#define GPI_TUNE_SEARCH_SORTED_BLOCKS 16
#endif
#ifndef GPI_TUNE_SEARCH_SORTED_ROWS
#define GPI_TUNE_SEARCH_SORTED_ROWS 8
#endif
#ifndef GPI_TUNE_SEARCH_ROOM
#define GPI_TUNE_SEARCH_ROOM 49152
#endif

/* An index pays from so many queries on, and one more for each so many items. */
#ifndef GPI_TUNE_SEARCH_MANY
#define GPI_TUNE_SEARCH_MANY 262144
#endif
#ifndef GPI_TUNE_SEARCH_ITEMS
#define GPI_TUNE_SEARCH_ITEMS 32
#endif

/* Lanes that search for queries that are few, and the number from which on a thread searches alone. */
#ifndef GPI_TUNE_SEARCH_LANES
#define GPI_TUNE_SEARCH_LANES 131072
#endif
#ifndef GPI_TUNE_SEARCH_ALONE
#define GPI_TUNE_SEARCH_ALONE 65536
#endif

#endif
