/*
 * core/tuning.cuh: the shapes that speed alone depends on, as named constants. Measured on sm_90 (H200).
 *
 * A build may define each of them otherwise with -D; `gpbench tune PRIMITIVE` does so, and prints the best
 * ones as lines for this file. Shapes that decide in which order floats are folded are not here: they
 * are the same on every architecture (core/chunk.cuh, core/tile.cuh).
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

/* Shared memory for the stages of a ring of bulk copies, in a block with a multiprocessor to itself. */
#define GPI_RING_ROOM (225 << 10)

/* scan.cuh: stages of the ring, at most; look warps for types of 4 to 16 bytes; MiB of input from which
 * the ring is faster than a wave of blocks; blocks of that wave on a multiprocessor. */
#ifndef GPI_TUNE_SCAN_STAGES
#define GPI_TUNE_SCAN_STAGES 7
#endif
#ifndef GPI_TUNE_SCAN_LOOKERS
#define GPI_TUNE_SCAN_LOOKERS 6
#endif
#ifndef GPI_TUNE_SCAN_RING_FROM
#define GPI_TUNE_SCAN_RING_FROM 6
#endif
#ifndef GPI_TUNE_SCAN_WAVE_BLOCKS
#define GPI_TUNE_SCAN_WAVE_BLOCKS 2
#endif

/* classic/bitonic_sort.cuh, classic/odd_even_merge_sort.cuh: threads that find registers on a multiprocessor
 * at a time: 128 registers each. */
#ifndef GPI_TUNE_NETWORK_THREADS
#define GPI_TUNE_NETWORK_THREADS 512
#endif

/* scatter.cuh: threads of a block; items of up to 16 bytes, or pieces of larger ones, per thread, of
 * which that many reads are under way at a time. */
#ifndef GPI_TUNE_SCATTER_THREADS
#define GPI_TUNE_SCATTER_THREADS 256
#endif
#ifndef GPI_TUNE_SCATTER_UNITS
#define GPI_TUNE_SCATTER_UNITS 1
#endif

#endif
