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

/* The bytes of keys and values up to which tiles are small. */
#ifndef GPI_TUNE_MERGE_SMALL
#define GPI_TUNE_MERGE_SMALL 2400000
#endif

/* Up to so many tiles of a pass the cuts of each are searched by a block, of more by a warp. */
#ifndef GPI_TUNE_MERGE_HELPED
#define GPI_TUNE_MERGE_HELPED 700
#endif

/* Up to so many integers are sorted by one block, more by two. */
#ifndef GPI_TUNE_MERGE_JOINT
#define GPI_TUNE_MERGE_JOINT 512
#endif

/* The merge of two arrays: items per thread, of up to 4 and of up to 8 bytes, odd. */
#ifndef GPI_TUNE_MERGE_TWO_ITEMS
#define GPI_TUNE_MERGE_TWO_ITEMS 23
#endif
#ifndef GPI_TUNE_MERGE_TWO_WIDE_ITEMS
#define GPI_TUNE_MERGE_TWO_WIDE_ITEMS 11
#endif

/*
 * Its pipelined kernel: threads that merge; warps that find where tiles begin and end; stages; resident blocks per
 * multiprocessor; the bytes of items from which on it runs.
 */
#ifndef GPI_TUNE_MERGE_TWO_THREADS
#define GPI_TUNE_MERGE_TWO_THREADS 512
#endif
#ifndef GPI_TUNE_MERGE_TWO_SPLIT_WARPS
#define GPI_TUNE_MERGE_TWO_SPLIT_WARPS 3
#endif
#ifndef GPI_TUNE_MERGE_TWO_STAGES
#define GPI_TUNE_MERGE_TWO_STAGES 2
#endif
#ifndef GPI_TUNE_MERGE_TWO_BLOCKS
#define GPI_TUNE_MERGE_TWO_BLOCKS 1
#endif
#ifndef GPI_TUNE_MERGE_TWO_PIPELINED
#define GPI_TUNE_MERGE_TWO_PIPELINED 16000000
#endif

/* Its simple kernel: threads; the n below which it has fewer, and how many then. */
#ifndef GPI_TUNE_MERGE_TWO_SIMPLE_THREADS
#define GPI_TUNE_MERGE_TWO_SIMPLE_THREADS 256
#endif
#ifndef GPI_TUNE_MERGE_TWO_SMALL
#define GPI_TUNE_MERGE_TWO_SMALL 250000
#endif
#ifndef GPI_TUNE_MERGE_TWO_SMALL_THREADS
#define GPI_TUNE_MERGE_TWO_SMALL_THREADS 128
#endif

#endif
