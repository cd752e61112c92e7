/*
 * core/transform/tuning.cuh: the shapes of transform.cuh that speed alone depends on. A build may define each of them
 * otherwise with -D; `gpbench tune` does so, and prints the best ones as lines for this file.
 */
#ifndef GPI_TRANSFORM_TUNING_CUH
#define GPI_TRANSFORM_TUNING_CUH

/* Threads of a block, at least 64; vectors that a thread reads before it uses any; how many blocks there must be before
 * a thread takes more than one vector, or one item. */
#ifndef GPI_TUNE_TRANSFORM_THREADS
#define GPI_TUNE_TRANSFORM_THREADS 256
#endif
#ifndef GPI_TUNE_TRANSFORM_VECTORS
#define GPI_TUNE_TRANSFORM_VECTORS 4
#endif
#ifndef GPI_TUNE_TRANSFORM_BLOCKS
#define GPI_TUNE_TRANSFORM_BLOCKS 256
#endif

#endif
