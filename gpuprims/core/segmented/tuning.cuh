/*
 * core/segmented/tuning.cuh: the shapes of segmented.cuh that speed alone depends on, measured on sm_90 (H200). A build
 * may define each of them otherwise with -D; `gpbench tune` does so, and prints the best ones as lines for this file.
 */
#ifndef GPI_SEGMENTED_TUNING_CUH
#define GPI_SEGMENTED_TUNING_CUH

/* Blocks of four warps on a multiprocessor, for small types. */
#ifndef GPI_TUNE_SEGMENTED_REDUCE_BLOCKS
#define GPI_TUNE_SEGMENTED_REDUCE_BLOCKS 8
#endif
#ifndef GPI_TUNE_SEGMENTED_SCAN_BLOCKS
#define GPI_TUNE_SEGMENTED_SCAN_BLOCKS 5
#endif

/* Segments and items of a range at most: many empty segments in a row take their warp long. */
#ifndef GPI_TUNE_SEGMENTED_RANGE
#define GPI_TUNE_SEGMENTED_RANGE 8192
#endif

/* Chunks of a call, about: a warp each, as long as they are small. */
#ifndef GPI_TUNE_SEGMENTED_CHUNKS
#define GPI_TUNE_SEGMENTED_CHUNKS 2048
#endif

/* Items of at most 4 bytes that a lane has on their way at a time. */
#ifndef GPI_TUNE_SEGMENTED_LOADS
#define GPI_TUNE_SEGMENTED_LOADS 8
#endif

/*
 * From so many MiB of items on, a scan by offsets where the order does not show goes through the pipeline, which takes a
 * kernel before; by rows from an eighth of that on, without that kernel.
 */
#ifndef GPI_TUNE_SEGMENTED_PIPELINED_FROM
#define GPI_TUNE_SEGMENTED_PIPELINED_FROM 256
#endif

/* Stages and look-back warps of the pipeline, at most. */
#ifndef GPI_TUNE_SEGMENTED_STAGES
#define GPI_TUNE_SEGMENTED_STAGES 7
#endif
#ifndef GPI_TUNE_SEGMENTED_LOOK_BACK_WARPS
#define GPI_TUNE_SEGMENTED_LOOK_BACK_WARPS 4
#endif

/* How far ahead in a long segment a scan prefetches, in MiB. */
#ifndef GPI_TUNE_SEGMENTED_AHEAD
#define GPI_TUNE_SEGMENTED_AHEAD 4
#endif

#endif
