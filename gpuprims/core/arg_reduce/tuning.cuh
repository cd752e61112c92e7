/*
 * core/arg_reduce/tuning.cuh: the shapes of arg_reduce.cuh, on which speed alone depends, measured on sm_90 (H200). A
 * build may define each of them otherwise with -D; `gpbench tune` does so, and prints the best ones as lines for this
 * file.
 */
#ifndef GPI_ARG_REDUCE_TUNING_CUH
#define GPI_ARG_REDUCE_TUNING_CUH

/* So many units at most, vectors or items, are read by a thread each: only latency counts. */
#ifndef GPI_TUNE_ARG_REDUCE_SINGLE
#define GPI_TUNE_ARG_REDUCE_SINGLE 65536
#endif

/* Tiles of a large input, at most: the fewer, the longer blocks wait for the last one; each takes a ticket. */
#ifndef GPI_TUNE_ARG_REDUCE_TILES
#define GPI_TUNE_ARG_REDUCE_TILES 4096
#endif

/* Blocks on a multiprocessor, for items of up to 8 bytes. */
#ifndef GPI_TUNE_ARG_REDUCE_BLOCKS
#define GPI_TUNE_ARG_REDUCE_BLOCKS 2
#endif

#endif
