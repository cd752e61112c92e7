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

/*
 * The merge of two arrays: items per thread, of up to 4 and of up to 8 bytes, odd; threads that merge; stages, and
 * resident blocks per multiprocessor, of the pipelined kernel; the n from which on it runs; threads of small inputs.
 */
#ifndef GPI_TUNE_MERGE_TWO_ITEMS
#define GPI_TUNE_MERGE_TWO_ITEMS 17
#endif
#ifndef GPI_TUNE_MERGE_TWO_WIDE_ITEMS
#define GPI_TUNE_MERGE_TWO_WIDE_ITEMS 9
#endif
#ifndef GPI_TUNE_MERGE_TWO_THREADS
#define GPI_TUNE_MERGE_TWO_THREADS 256
#endif
#ifndef GPI_TUNE_MERGE_TWO_STAGES
#define GPI_TUNE_MERGE_TWO_STAGES 3
#endif
#ifndef GPI_TUNE_MERGE_TWO_BLOCKS
#define GPI_TUNE_MERGE_TWO_BLOCKS 3
#endif
#ifndef GPI_TUNE_MERGE_TWO_RUN
#define GPI_TUNE_MERGE_TWO_RUN 8
#endif
#ifndef GPI_TUNE_MERGE_TWO_PIPELINED
#define GPI_TUNE_MERGE_TWO_PIPELINED 2000000
#endif
#ifndef GPI_TUNE_MERGE_TWO_SMALL_THREADS
#define GPI_TUNE_MERGE_TWO_SMALL_THREADS 128
#endif

#endif
