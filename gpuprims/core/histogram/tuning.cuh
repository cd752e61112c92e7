/*
 * core/histogram/tuning.cuh: the shapes of histogram.cuh that speed alone depends on, measured on sm_90 (H200). A build
 * may define each of them otherwise with -D; `gpbench tune` does so, and prints the best ones as lines for this file.
 */
#ifndef GPI_HISTOGRAM_TUNING_CUH
#define GPI_HISTOGRAM_TUNING_CUH

/* Values of GP_KERNEL: where the counters are. */
#define GP_KERNEL_HISTOGRAM_SHARED 0x6731 /* in shared memory, if the bins, or a few parts of them, fit */
#define GP_KERNEL_HISTOGRAM_GLOBAL 0x6732 /* in the L2 */

/* Bytes of shared memory for the counters of a block that has a multiprocessor to itself, and of any other block. */
#ifndef GPI_TUNE_HISTOGRAM_ROOM
#define GPI_TUNE_HISTOGRAM_ROOM (224 << 10)
#endif
#ifndef GPI_TUNE_HISTOGRAM_SMALL_ROOM
#define GPI_TUNE_HISTOGRAM_SMALL_ROOM (48 << 10)
#endif

/* So many items for each bin are worth counters in shared memory, and with each part of the bins so many more. */
#ifndef GPI_TUNE_HISTOGRAM_SHARED
#define GPI_TUNE_HISTOGRAM_SHARED 4
#endif
#ifndef GPI_TUNE_HISTOGRAM_PART
#define GPI_TUNE_HISTOGRAM_PART 64
#endif

/* The most parts of the bins. */
#ifndef GPI_TUNE_HISTOGRAM_PARTS
#define GPI_TUNE_HISTOGRAM_PARTS 5
#endif

/* So many items of a block for each counter are worth another copy. */
#ifndef GPI_TUNE_HISTOGRAM_COPIES
#define GPI_TUNE_HISTOGRAM_COPIES 1
#endif

/* Threads of a block, at least, when the input is too small for large ones on all multiprocessors: a power of two. */
#ifndef GPI_TUNE_HISTOGRAM_THREADS
#define GPI_TUNE_HISTOGRAM_THREADS 256
#endif

/* So many items of a block for each bin are worth a table of even bins. */
#ifndef GPI_TUNE_HISTOGRAM_TABLE
#define GPI_TUNE_HISTOGRAM_TABLE 8
#endif
#define GPI_HISTOGRAM_TABLE_BINS 65536 /* a product of floats is less than one off */

/* From so many items on, a block has many slots for bins beside those in the L2. */
#ifndef GPI_TUNE_HISTOGRAM_SLOTS
#define GPI_TUNE_HISTOGRAM_SLOTS (1 << 22)
#endif
#define GPI_NO_SLOT 0xFFFFFFFFu /* bins are below, or there are no slots */

/* With more bins than this, the counts are cleared by a launch of its own. */
#ifndef GPI_TUNE_HISTOGRAM_CLEARED
#define GPI_TUNE_HISTOGRAM_CLEARED 8192
#endif

#endif
