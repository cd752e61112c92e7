/*
 * core/merge/tuning.cuh: the shapes of merge.cuh and merge_sort.cuh that speed alone depends on, measured on sm_90
 * (H200). A build may define each of them otherwise with -D; `gpbench tune` does so, and prints the best ones as lines
 * for this file.
 */
#ifndef GPI_MERGE_TUNING_CUH
#define GPI_MERGE_TUNING_CUH

/*
 * Items per thread, of up to 4 and of up to 8 bytes; threads per block; resident blocks per
 * multiprocessor.
 */
#ifndef GPI_TUNE_MERGE_ITEMS
#define GPI_TUNE_MERGE_ITEMS 32
#endif
#ifndef GPI_TUNE_MERGE_PAIR_ITEMS
#define GPI_TUNE_MERGE_PAIR_ITEMS 16
#endif
#ifndef GPI_TUNE_MERGE_THREADS
#define GPI_TUNE_MERGE_THREADS 256
#endif
#ifndef GPI_TUNE_MERGE_BLOCKS
#define GPI_TUNE_MERGE_BLOCKS 4
#endif

#endif
