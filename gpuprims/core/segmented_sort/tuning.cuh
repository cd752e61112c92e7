/*
 * core/segmented_sort/tuning.cuh: the shapes of segmented_sort.cuh that speed alone depends on, measured on sm_90
 * (H200). A build may define each of them otherwise with -D; `gpbench tune` does so, and prints the best ones as lines
 * for this file.
 */
#ifndef GPI_SEGMENTED_SORT_TUNING_CUH
#define GPI_SEGMENTED_SORT_TUNING_CUH

/* Threads of a block. */
#ifndef GPI_TUNE_SEGMENTED_SORT_THREADS
#define GPI_TUNE_SEGMENTED_SORT_THREADS 512
#endif

/* Items of a thread, at most, when a block sorts segments; all of a block's are in 60 KB of shared memory. */
#ifndef GPI_TUNE_SEGMENTED_SORT_ITEMS
#define GPI_TUNE_SEGMENTED_SORT_ITEMS 8
#endif
/* The same when it sorts one, of more than these. */
#ifndef GPI_TUNE_SEGMENTED_SORT_LARGE
#define GPI_TUNE_SEGMENTED_SORT_LARGE 12
#endif

/* Such blocks on a multiprocessor at least. */
#ifndef GPI_TUNE_SEGMENTED_SORT_BLOCKS
#define GPI_TUNE_SEGMENTED_SORT_BLOCKS 2
#endif

/* Items of a bin that are sorted by exchanges; more are parted first. */
#ifndef GPI_TUNE_SEGMENTED_SORT_CROWD
#define GPI_TUNE_SEGMENTED_SORT_CROWD 12
#endif

/* Segments of a group, which a warp sorts if all of them are tiny, or small: a multiple of 32. */
#ifndef GPI_TUNE_SEGMENTED_SORT_GROUP
#define GPI_TUNE_SEGMENTED_SORT_GROUP 128
#endif
/* Up to so many rows have groups of 32, which more warps share. */
#ifndef GPI_TUNE_SEGMENTED_SORT_FEW_ROWS
#define GPI_TUNE_SEGMENTED_SORT_FEW_ROWS 131072
#endif

/* Up to so many small rows, if they have no more than 64 items on average, have a warp each; twice as many if equal
 * keys are the same. */
#ifndef GPI_TUNE_SEGMENTED_SORT_DIRECT
#define GPI_TUNE_SEGMENTED_SORT_DIRECT 2048
#endif
/* Of so many small segments a warp takes as many as it sorts at a time; of fewer, no more than eight. As many times
 * more are meant as a lane has fewer than 32 items. */
#ifndef GPI_TUNE_SEGMENTED_SORT_SOME
#define GPI_TUNE_SEGMENTED_SORT_SOME 8192
#endif
/* Segments of so many items together, at most, are few: warps then sort larger ones, too. */
#ifndef GPI_TUNE_SEGMENTED_SORT_FEW
#define GPI_TUNE_SEGMENTED_SORT_FEW 2097152
#endif

/* Items of a group that a warp sorts at a time, at most: no fewer than the 512 that 32 tiny segments may have. */
#ifndef GPI_TUNE_SEGMENTED_SORT_BATCH
#define GPI_TUNE_SEGMENTED_SORT_BATCH 1024
#endif

/* Blocks of four such warps on a multiprocessor at least. */
#ifndef GPI_TUNE_SEGMENTED_SORT_PLAN_BLOCKS
#define GPI_TUNE_SEGMENTED_SORT_PLAN_BLOCKS 8
#endif

/* The same where segments are small, and not tiny. */
#ifndef GPI_TUNE_SEGMENTED_SORT_SMALL_BLOCKS
#define GPI_TUNE_SEGMENTED_SORT_SMALL_BLOCKS 4
#endif

/* So many ranges at most are sorted in the launch that sorts long segments. */
#ifndef GPI_TUNE_SEGMENTED_SORT_JOINT
#define GPI_TUNE_SEGMENTED_SORT_JOINT 512
#endif

/* Of little there are so many ranges, unless they were smaller than this. */
#ifndef GPI_TUNE_SEGMENTED_SORT_SHARES
#define GPI_TUNE_SEGMENTED_SORT_SHARES 128
#endif
#ifndef GPI_TUNE_SEGMENTED_SORT_SMALL
#define GPI_TUNE_SEGMENTED_SORT_SMALL 512
#endif

/* Items of a thread in a pass over long segments, at most. */
#ifndef GPI_TUNE_SEGMENTED_SORT_PASS_ITEMS
#define GPI_TUNE_SEGMENTED_SORT_PASS_ITEMS 16
#endif

#endif
