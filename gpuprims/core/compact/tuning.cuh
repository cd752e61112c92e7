/*
 * core/compact/tuning.cuh: the shapes of compact.cuh that speed alone depends on, measured on sm_90 (H200). A build
 * may define each of them otherwise with -D; `gpbench tune` does so, and prints the best ones as lines for this file.
 */
#ifndef GPI_COMPACT_TUNING_CUH
#define GPI_COMPACT_TUNING_CUH

/* Stages of the pipeline, at most; look-back warps and count warps, for items of a byte and for larger
 * ones; teams of eight write warps for items of a byte; tiles that a block of the pipeline takes without a ticket;
 * MiB of input, for each block of the simple kernel on a multiprocessor, from which the pipelined one is faster; so
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

#endif
