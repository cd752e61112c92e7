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

/* Rings of bulk copies: shared memory for the stages; stages at most, since more hide no more latency;
 * look warps, for a type of `size` bytes; bytes of input from which a ring is faster than a wave of blocks. */
#ifndef GPI_TUNE_RING_BYTES
#define GPI_TUNE_RING_BYTES (225 << 10)
#endif
#ifndef GPI_TUNE_RING_STAGES
#define GPI_TUNE_RING_STAGES 7
#endif
#ifndef GPI_TUNE_RING_LOOKERS
#define GPI_TUNE_RING_LOOKERS(size) ((size) > 16 ? 3 : 6)
#endif
#ifndef GPI_TUNE_RING_FROM
#define GPI_TUNE_RING_FROM ((size_t)6 << 20)
#endif

/* Waves of blocks: blocks of 256 threads on a multiprocessor. */
#ifndef GPI_WAVE_BLOCKS
#define GPI_WAVE_BLOCKS 2
#endif

#endif
