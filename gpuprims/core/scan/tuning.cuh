/*
 * core/scan/tuning.cuh: the shapes of scan.cuh that speed alone depends on, measured on sm_90 (H200). A build
 * may define each of them otherwise with -D; `gpbench tune` does so, and prints the best ones as lines for this file.
 */
#ifndef GPI_SCAN_TUNING_CUH
#define GPI_SCAN_TUNING_CUH

/* Stages of the pipeline, at most. */
#ifndef GPI_TUNE_SCAN_STAGES
#define GPI_TUNE_SCAN_STAGES 7
#endif
/* Look-back warps, for types of up to 16 bytes. */
#ifndef GPI_TUNE_SCAN_LOOK_BACK_WARPS
#define GPI_TUNE_SCAN_LOOK_BACK_WARPS 6
#endif
/* Tiles that a block of the pipelined kernel takes without a ticket, unless all tiles fit into the stages. */
#ifndef GPI_TUNE_SCAN_ROUNDS
#define GPI_TUNE_SCAN_ROUNDS 2
#endif
/* Blocks of the simple kernel on a multiprocessor, of small types. */
#ifndef GPI_TUNE_SCAN_SIMPLE_BLOCKS
#define GPI_TUNE_SCAN_SIMPLE_BLOCKS 3
#endif

#endif
