/*
 * core/scan/tuning.cuh: the shapes of scan.cuh that speed alone depends on, measured on sm_90 (H200). A build
 * may define each of them otherwise with -D; `gpbench tune` does so, and prints the best ones as lines for this file.
 */
#ifndef GPI_SCAN_TUNING_CUH
#define GPI_SCAN_TUNING_CUH

/* Stages of the pipeline, at most; look-back warps for types of up to 16 bytes; MiB of input from which
 * those of up to 4 bytes need fewer, and how many; tiles that a block of the pipeline takes without a ticket; MiB
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

#endif
