/*
 * core/reduce/tuning.cuh: the shapes of reduce.cuh that speed alone depends on, measured on sm_90 (H200). A build
 * may define each of them otherwise with -D; `gpbench tune` does so, and prints the best ones as lines for this file.
 */
#ifndef GPI_REDUCE_TUNING_CUH
#define GPI_REDUCE_TUNING_CUH

/* Blocks of eight warps on a multiprocessor, when the input is large. Before sm_80, warp tiles on their way
 * take registers. */
#ifndef GPI_TUNE_REDUCE_BLOCKS
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800
#define GPI_TUNE_REDUCE_BLOCKS 2
#else
#define GPI_TUNE_REDUCE_BLOCKS 3
#endif
#endif

/* Items that a thread evaluates at a time by GP_LOAD_AT, when the input is large. */
#ifndef GPI_TUNE_REDUCE_STRIPED
#define GPI_TUNE_REDUCE_STRIPED 28
#endif

/* Blocks of 1024 threads that a multiprocessor holds. */
#if defined __CUDA_ARCH__ && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000)
#define GPI_BLOCKS_OF_1024 2
#else
#define GPI_BLOCKS_OF_1024 1
#endif

#endif
