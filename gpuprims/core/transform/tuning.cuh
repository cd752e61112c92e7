/*
 * core/transform/tuning.cuh: the shapes of transform.cuh that speed alone depends on, measured on sm_90 (H200). A build
 * may define each of them otherwise with -D; `gpbench tune` does so, and prints the best ones as lines for this file.
 */
#ifndef GPI_TRANSFORM_TUNING_CUH
#define GPI_TRANSFORM_TUNING_CUH

/* So many units at most are moved by a thread each; with more, a thread moves several at a time. */
#ifndef GPI_TUNE_TRANSFORM_SINGLE
#define GPI_TUNE_TRANSFORM_SINGLE 65536
#endif

/* From so many on an input is large: it comes from memory, not from the L2, and too much on its way is slower. */
#ifndef GPI_TUNE_TRANSFORM_LARGE
#define GPI_TUNE_TRANSFORM_LARGE 2097152
#endif

/* So many bytes at most of items of other sizes than those of vectors do without shared memory. */
#ifndef GPI_TUNE_TRANSFORM_DIRECT
#define GPI_TUNE_TRANSFORM_DIRECT 1572864
#endif

/* Bytes of such items that a lane has in shared memory, if it can be more than one. */
#ifndef GPI_TUNE_TRANSFORM_LANE
#define GPI_TUNE_TRANSFORM_LANE 48
#endif

#endif
