/*
 * core/top_k/tuning.cuh: the shapes of top_k.cuh that speed alone depends on, measured on sm_90 (H200). A build may
 * define each of them otherwise with -D; `gpbench tune` does so, and prints the best ones as lines for this file.
 */
#ifndef GPI_TOP_K_TUNING_CUH
#define GPI_TOP_K_TUNING_CUH

/* Values of GP_KERNEL: how the k best of a long segment are found, where that is possible. */
#define GP_KERNEL_TOP_K_FILTER 0x6741 /* leaves out what is behind a bound that a sample gives */
#define GP_KERNEL_TOP_K_RESCUE 0x6742 /* the same when bounds are wrong, those of blocks, too */
#define GP_KERNEL_TOP_K_MERGE  0x6743 /* sorts parts, and merges them */

/* Candidates that a block has room for in shared memory, a power of two; it selects half as many at most. */
#ifndef GPI_TUNE_TOP_K_ROOM
#define GPI_TUNE_TOP_K_ROOM 4096
#endif

/* Threads of a block, and blocks on a multiprocessor. */
#ifndef GPI_TUNE_TOP_K_THREADS
#define GPI_TUNE_TOP_K_THREADS 512
#endif
#ifndef GPI_TUNE_TOP_K_BLOCKS
#define GPI_TUNE_TOP_K_BLOCKS 2
#endif

/* Items that a block samples to bound what it selects from, a power of two of up to GPI_TUNE_TOP_K_ROOM. */
#ifndef GPI_TUNE_TOP_K_BLOCK_SAMPLES
#define GPI_TUNE_TOP_K_BLOCK_SAMPLES 1024
#endif

/* Up to so many items are selected from without a sample. */
#ifndef GPI_TUNE_TOP_K_DIRECT
#define GPI_TUNE_TOP_K_DIRECT 4096
#endif

/* Parts that all items are divided into, and the fewest items that are worth a part. */
#ifndef GPI_TUNE_TOP_K_PARTS
#define GPI_TUNE_TOP_K_PARTS 264
#endif
#ifndef GPI_TUNE_TOP_K_PART
#define GPI_TUNE_TOP_K_PART 4096
#endif

/* Candidates that a block selects from, a power of two; if k is small, no more than it has room for. */
#ifndef GPI_TUNE_TOP_K_LISTS
#define GPI_TUNE_TOP_K_LISTS 16384
#endif

/* Lists that are merged at a time, a power of two of up to 8: more of long keys have no place in 48 KB. */
#ifndef GPI_TUNE_TOP_K_WAYS
#define GPI_TUNE_TOP_K_WAYS 4
#endif

/* Up to so many candidates are sorted and merged in smaller parts, which more blocks share in. */
#ifndef GPI_TUNE_TOP_K_FEW_MERGED
#define GPI_TUNE_TOP_K_FEW_MERGED 524288
#endif

/* Chunks of neighbouring items, or items, that a sample of a row has at most, a power of two. */
#ifndef GPI_TUNE_TOP_K_SAMPLES
#define GPI_TUNE_TOP_K_SAMPLES 131072
#endif

/*
 * Up to so many keys of 4 bytes, 8 times as many of 2 bytes, 64 times of 1 byte, half of 8 bytes, are sorted as a
 * whole, if more than 256 are wanted and no team can select them. If more are wanted than a block selects, the limit is
 * at least 24 k, and keys of 8 bytes are not halved.
 */
#ifndef GPI_TUNE_TOP_K_SORT
#define GPI_TUNE_TOP_K_SORT 65536
#endif

/* Fewer rows than this have two warps each, rather than one, if they are long enough. */
#ifndef GPI_TUNE_TOP_K_FEW_ROWS
#define GPI_TUNE_TOP_K_FEW_ROWS 512
#endif

/*
 * Teams for all rows, if one is not enough for a row, and the fewest items that are worth one; so many items are
 * selected from that way, or a sixteenth of that, if the bound is given by vectors.
 */
#ifndef GPI_TUNE_TOP_K_TEAMS
#define GPI_TUNE_TOP_K_TEAMS 128
#endif
#ifndef GPI_TUNE_TOP_K_TEAM_ITEMS
#define GPI_TUNE_TOP_K_TEAM_ITEMS 2048
#endif
#ifndef GPI_TUNE_TOP_K_TEAM_MOST
#define GPI_TUNE_TOP_K_TEAM_MOST 67108864
#endif
/* Of an array of more items than this, teams do not select if vectors would give the bound: it is sampled first. */
#ifndef GPI_TUNE_TOP_K_VECTORS_MOST
#define GPI_TUNE_TOP_K_VECTORS_MOST 131072
#endif

/* Rows of up to so many items for each that is wanted are taken whole, even where threads could bound these. */
#ifndef GPI_TUNE_TOP_K_WHOLE
#define GPI_TUNE_TOP_K_WHOLE 16
#endif

/* Blocks of a multiprocessor that select from short rows. */
#ifndef GPI_TUNE_TOP_K_SHORT
#define GPI_TUNE_TOP_K_SHORT 5
#endif

/* Short segments that a block takes at a time. */
#ifndef GPI_TUNE_TOP_K_GROUP
#define GPI_TUNE_TOP_K_GROUP 32
#endif

#endif
