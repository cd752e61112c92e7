/*
 * core/by_key/tuning.cuh: the shapes of by_key.cuh that speed alone depends on, measured on sm_90 (H200). A build
 * may define each of them otherwise with -D; `gpbench tune` does so, and prints the best ones as lines for this file.
 */
#ifndef GPI_BY_KEY_TUNING_CUH
#define GPI_BY_KEY_TUNING_CUH

/* Stages of the pipeline, at most. */
#ifndef GPI_TUNE_BY_KEY_STAGES
#define GPI_TUNE_BY_KEY_STAGES 7
#endif
/* Sum warps, look-back warps, and teams of write warps. */
#ifndef GPI_TUNE_BY_KEY_SUM_WARPS
#define GPI_TUNE_BY_KEY_SUM_WARPS 4
#endif
#ifndef GPI_TUNE_BY_KEY_LOOK_BACK_WARPS
#define GPI_TUNE_BY_KEY_LOOK_BACK_WARPS 6
#endif
#ifndef GPI_TUNE_BY_KEY_TEAMS
#define GPI_TUNE_BY_KEY_TEAMS 3
#endif
/* Tiles that a block of the pipelined kernel takes without a ticket. */
#ifndef GPI_TUNE_BY_KEY_ROUNDS
#define GPI_TUNE_BY_KEY_ROUNDS 2
#endif
/* Blocks of the simple kernel on a multiprocessor, of small types. */
#ifndef GPI_TUNE_BY_KEY_SIMPLE_BLOCKS
#define GPI_TUNE_BY_KEY_SIMPLE_BLOCKS 3
#endif

#endif
