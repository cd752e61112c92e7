/*
 * core/scatter/tuning.cuh: the shapes of scatter.cuh that speed alone depends on, measured on sm_90 (H200). A build
 * may define each of them otherwise with -D; `gpbench tune` does so, and prints the best ones as lines for this file.
 */
#ifndef GPI_SCATTER_TUNING_CUH
#define GPI_SCATTER_TUNING_CUH

/*
 * Threads per block; items of up to 16 bytes, or pieces of larger ones, per thread, all read before
 * any is written.
 */
#ifndef GPI_TUNE_SCATTER_THREADS
#define GPI_TUNE_SCATTER_THREADS 256
#endif
#ifndef GPI_TUNE_SCATTER_UNITS
#define GPI_TUNE_SCATTER_UNITS 1
#endif

#endif
