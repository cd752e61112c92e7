/*
 * core/tuning.cuh: the shapes that speed alone depends on, as named constants. Measured on sm_90 (H200).
 *
 * A build may define each of them otherwise with -D; `gpbench tune PRIMITIVE` does so, and prints the best
 * ones as lines for this file. Shapes that decide in which order floats are folded are not here: they
 * are the same on every architecture (core/chunk.cuh).
 */
#ifndef GPI_TUNING_CUH
#define GPI_TUNING_CUH

/* radix_sort.cuh: keys of a thread in a pass over keys of up to 4 bytes alone; no multiple of 32. */
#ifndef GPI_TUNE_RADIX_ITEMS
#define GPI_TUNE_RADIX_ITEMS 63
#endif
/* In how many of 100 pairs of keys the digits may be alike before votes rank faster than atomics. */
#ifndef GPI_TUNE_RADIX_ALIKE
#define GPI_TUNE_RADIX_ALIKE 10
#endif

/* Keys of a bin that a block compares, when it sorts alone; if there are more, it makes more bins. */
#ifndef GPI_TUNE_RADIX_CROWD
#define GPI_TUNE_RADIX_CROWD 12
#endif

/* So many 4-byte keys at most are sorted in buckets after two partitions: more are faster in four passes. */
#ifndef GPI_TUNE_RADIX_BUCKETS_UNTIL
#define GPI_TUNE_RADIX_BUCKETS_UNTIL 67108864
#endif

/* merge.cuh, merge_sort.cuh: items of up to 4 and up to 8 bytes of a thread; threads of a block; how many
 * blocks find registers on a multiprocessor at a time. */
#ifndef GPI_TUNE_MERGE_ITEMS
#define GPI_TUNE_MERGE_ITEMS 32
#endif
#ifndef GPI_TUNE_MERGE_PAIR_ITEMS
#define GPI_TUNE_MERGE_PAIR_ITEMS 16
#endif
#ifndef GPI_TUNE_MERGE_THREADS
#define GPI_TUNE_MERGE_THREADS 256
#endif
#ifndef GPI_TUNE_MERGE_BLOCKS
#define GPI_TUNE_MERGE_BLOCKS 4
#endif

/* Shared memory for the stages of a ring of bulk copies, in a block with a multiprocessor to itself. */
#define GPI_RING_ROOM (225 << 10)

/* Tiles that are on their way to such a ring at a time. */
#define GPI_RING_COMING 2

/* compact.cuh: stages of the ring, at most; look warps and count warps, for items of a byte and for larger
 * ones; teams of eight write warps for items of a byte; tiles that a block of the ring takes without a ticket;
 * MiB of input, for each block of the wave on a multiprocessor, from which the ring is faster than that wave; so
 * many blocks, of small types. */
#ifndef GPI_TUNE_COMPACT_STAGES
#define GPI_TUNE_COMPACT_STAGES 7
#endif
#ifndef GPI_TUNE_COMPACT_BYTE_LOOKERS
#define GPI_TUNE_COMPACT_BYTE_LOOKERS 2
#endif
#ifndef GPI_TUNE_COMPACT_LOOKERS
#define GPI_TUNE_COMPACT_LOOKERS 3
#endif
#ifndef GPI_TUNE_COMPACT_BYTE_COUNTERS
#define GPI_TUNE_COMPACT_BYTE_COUNTERS 8
#endif
#ifndef GPI_TUNE_COMPACT_BYTE_TEAMS
#define GPI_TUNE_COMPACT_BYTE_TEAMS 2
#endif
#ifndef GPI_TUNE_COMPACT_COUNTERS
#define GPI_TUNE_COMPACT_COUNTERS 4
#endif
#ifndef GPI_TUNE_COMPACT_ROUNDS
#define GPI_TUNE_COMPACT_ROUNDS 3
#endif
#ifndef GPI_TUNE_COMPACT_RING_FROM
#define GPI_TUNE_COMPACT_RING_FROM 3
#endif
#ifndef GPI_TUNE_COMPACT_WAVE_BLOCKS
#define GPI_TUNE_COMPACT_WAVE_BLOCKS 3
#endif

/* Blocks of 1024 threads that a multiprocessor holds. */
#if defined __CUDA_ARCH__ && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000)
#define GPI_BLOCKS_OF_1024 2
#else
#define GPI_BLOCKS_OF_1024 1
#endif

/* Blocks of 512 threads, no more than three of them. */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800
#define GPI_BLOCKS_OF_512 2
#else
#define GPI_BLOCKS_OF_512 3
#endif

/* reduce.cuh: blocks of eight warps on a multiprocessor, when the input is large. Before sm_80, chunks on their way
 * take registers. */
#ifndef GPI_TUNE_REDUCE_BLOCKS
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800
#define GPI_TUNE_REDUCE_BLOCKS 2
#else
#define GPI_TUNE_REDUCE_BLOCKS 3
#endif
#endif

/* scan.cuh: stages of the ring, at most; look warps for types of up to 16 bytes; MiB of input from which
 * those of up to 4 bytes need fewer, and how many; tiles that a block of the ring takes without a ticket; MiB
 * of input, for each block of the wave on a multiprocessor, from which the ring is faster than that wave; so many
 * blocks, of small types. */
#ifndef GPI_TUNE_SCAN_STAGES
#define GPI_TUNE_SCAN_STAGES 7
#endif
#ifndef GPI_TUNE_SCAN_LOOKERS
#define GPI_TUNE_SCAN_LOOKERS 6
#endif
#ifndef GPI_TUNE_SCAN_FEW_FROM
#define GPI_TUNE_SCAN_FEW_FROM 128
#endif
#ifndef GPI_TUNE_SCAN_FEW_LOOKERS
#define GPI_TUNE_SCAN_FEW_LOOKERS 4
#endif
#ifndef GPI_TUNE_SCAN_ROUNDS
#define GPI_TUNE_SCAN_ROUNDS 2
#endif
#ifndef GPI_TUNE_SCAN_RING_FROM
#define GPI_TUNE_SCAN_RING_FROM 3
#endif
#ifndef GPI_TUNE_SCAN_WAVE_BLOCKS
#define GPI_TUNE_SCAN_WAVE_BLOCKS 3
#endif

/* classic/bitonic_sort.cuh, classic/odd_even_merge_sort.cuh: threads that find registers on a multiprocessor
 * at a time: 128 registers each. */
#define GPI_NETWORK_THREADS 512

/* scatter.cuh: threads of a block; items of up to 16 bytes, or pieces of larger ones, per thread, of
 * which that many reads are under way at a time. */
#ifndef GPI_TUNE_SCATTER_THREADS
#define GPI_TUNE_SCATTER_THREADS 256
#endif
#ifndef GPI_TUNE_SCATTER_UNITS
#define GPI_TUNE_SCATTER_UNITS 1
#endif

#endif
