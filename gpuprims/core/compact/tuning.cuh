/*
 * core/compact/tuning.cuh: the shapes of compact.cuh that speed alone depends on, measured on sm_90 (H200). A build
 * may define each of them otherwise with -D; `gpbench tune` does so, and prints the best ones as lines for this file.
 */
#ifndef GPI_COMPACT_TUNING_CUH
#define GPI_COMPACT_TUNING_CUH

/* Stages of the pipeline, at most. */
#ifndef GPI_TUNE_COMPACT_STAGES
#define GPI_TUNE_COMPACT_STAGES 7
#endif
/* Look-back warps, for items of a byte and for larger ones. */
#ifndef GPI_TUNE_COMPACT_BYTE_LOOK_BACK_WARPS
#define GPI_TUNE_COMPACT_BYTE_LOOK_BACK_WARPS 2
#endif
#ifndef GPI_TUNE_COMPACT_LOOK_BACK_WARPS
#define GPI_TUNE_COMPACT_LOOK_BACK_WARPS 6
#endif
/* Sum warps. */
#ifndef GPI_TUNE_COMPACT_SUM_WARPS
#define GPI_TUNE_COMPACT_SUM_WARPS 8
#endif
/* Teams of eight write warps, for items of a byte. */
#ifndef GPI_TUNE_COMPACT_BYTE_TEAMS
#define GPI_TUNE_COMPACT_BYTE_TEAMS 2
#endif
/* Tiles that a block of the pipelined kernel takes without a ticket. */
#ifndef GPI_TUNE_COMPACT_ROUNDS
#define GPI_TUNE_COMPACT_ROUNDS 3
#endif
/* Blocks of the simple kernel on a multiprocessor, of small types. */
#ifndef GPI_TUNE_COMPACT_SIMPLE_BLOCKS
#define GPI_TUNE_COMPACT_SIMPLE_BLOCKS 3
#endif

#endif
