/*
 * core/run_length/tuning.cuh: the shapes of run_length.cuh that speed alone depends on, measured on sm_90 (H200). A
 * build may define each of them otherwise with -D; `gpbench tune` does so, and prints the best ones as lines for this
 * file.
 */
#ifndef GPI_RUN_LENGTH_TUNING_CUH
#define GPI_RUN_LENGTH_TUNING_CUH

/* Stages of the pipeline, at most. */
#ifndef GPI_TUNE_RUN_LENGTH_STAGES
#define GPI_TUNE_RUN_LENGTH_STAGES 7
#endif
/* Sum warps and look-back warps; where items have one or two bytes; teams of write warps there and with values. */
#ifndef GPI_TUNE_RUN_LENGTH_SUM_WARPS
#define GPI_TUNE_RUN_LENGTH_SUM_WARPS 4
#endif
#ifndef GPI_TUNE_RUN_LENGTH_LOOK_BACK_WARPS
#define GPI_TUNE_RUN_LENGTH_LOOK_BACK_WARPS 6
#endif
#ifndef GPI_TUNE_RUN_LENGTH_NARROW_SUM_WARPS
#define GPI_TUNE_RUN_LENGTH_NARROW_SUM_WARPS 8
#endif
#ifndef GPI_TUNE_RUN_LENGTH_NARROW_LOOK_BACK_WARPS
#define GPI_TUNE_RUN_LENGTH_NARROW_LOOK_BACK_WARPS 2
#endif
#ifndef GPI_TUNE_RUN_LENGTH_TEAMS
#define GPI_TUNE_RUN_LENGTH_TEAMS 2
#endif
/* Tiles that a block of the pipelined kernel takes without a ticket. */
#ifndef GPI_TUNE_RUN_LENGTH_ROUNDS
#define GPI_TUNE_RUN_LENGTH_ROUNDS 2
#endif
/* Blocks of the simple kernel on a multiprocessor, of small types. */
#ifndef GPI_TUNE_RUN_LENGTH_SIMPLE_BLOCKS
#define GPI_TUNE_RUN_LENGTH_SIMPLE_BLOCKS 3
#endif

#endif
