/*
 * core/radix/tuning.cuh: the shapes of radix_sort.cuh that speed alone depends on, measured on sm_90 (H200). A build
 * may define each of them otherwise with -D; `gpbench tune` does so, and prints the best ones as lines for this file.
 */
#ifndef GPI_RADIX_TUNING_CUH
#define GPI_RADIX_TUNING_CUH

/* Keys of a thread in a pass over keys of up to 4 bytes alone; no multiple of 32. */
#ifndef GPI_TUNE_RADIX_ITEMS
#define GPI_TUNE_RADIX_ITEMS 63
#endif
/* In how many of 100 pairs of keys the digits may be alike before ballots rank faster than atomics. */
#ifndef GPI_TUNE_RADIX_ALIKE
#define GPI_TUNE_RADIX_ALIKE 15
#endif

/* Keys of a bin that a block compares, when it sorts alone; if there are more, it makes more bins. */
#ifndef GPI_TUNE_RADIX_CROWD
#define GPI_TUNE_RADIX_CROWD 12
#endif

/* Keys of one byte that a block counts before more blocks do, and at most; more are faster in several launches. */
#ifndef GPI_TUNE_RADIX_COUNTED
#define GPI_TUNE_RADIX_COUNTED 16384
#endif
#ifndef GPI_TUNE_RADIX_COUNTED_MOST
#define GPI_TUNE_RADIX_COUNTED_MOST 32768
#endif

/* So many 4-byte keys at most are sorted in buckets after two partitions: more are faster in four passes. */
#ifndef GPI_TUNE_RADIX_BUCKETS_UNTIL
#define GPI_TUNE_RADIX_BUCKETS_UNTIL 67108864
#endif

/* Blocks of 512 threads, no more than three of them. */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800
#define GPI_BLOCKS_OF_512 2
#else
#define GPI_BLOCKS_OF_512 3
#endif

#endif
