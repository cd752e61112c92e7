/*
 * core/tuning.cuh: the shapes that speed alone depends on, as named constants. Measured on sm_90 (H200).
 *
 * A build may define each of them otherwise with -D; `gpbench tune PRIMITIVE` does so, and prints the best
 * ones as lines for this file. Shapes that decide in which order floats are folded are not here: they
 * are the same on every architecture (core/tile.cuh).
 */
#ifndef GPI_TUNING_CUH
#define GPI_TUNING_CUH

/* compact.cuh: threads of a block; items per thread, of up to 4 bytes, at most 32, since a thread keeps
 * one bit for each; bytes per thread, of larger items, at most 256 for the same reason. */
#ifndef GPI_TUNE_COMPACT_THREADS
#define GPI_TUNE_COMPACT_THREADS 256
#endif
#ifndef GPI_TUNE_COMPACT_ITEMS
#define GPI_TUNE_COMPACT_ITEMS 16
#endif
#ifndef GPI_TUNE_COMPACT_BYTES
#define GPI_TUNE_COMPACT_BYTES 64
#endif

/* scatter.cuh: threads of a block; items of up to 16 bytes, or pieces of larger ones, per thread, of
 * which that many reads are under way at a time. */
#ifndef GPI_TUNE_SCATTER_THREADS
#define GPI_TUNE_SCATTER_THREADS 256
#endif
#ifndef GPI_TUNE_SCATTER_UNITS
#define GPI_TUNE_SCATTER_UNITS 4
#endif

#endif
