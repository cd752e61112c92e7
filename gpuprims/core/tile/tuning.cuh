/*
 * core/tile/tuning.cuh: the shapes of small tiles that speed alone depends on, measured on sm_90 (H200). A build may
 * define each of them otherwise with -D; `gpbench tune` does so, and prints the best ones as lines for this file.
 */
#ifndef GPI_TILE_TUNING_CUH
#define GPI_TILE_TUNING_CUH

/* Warp tiles of a small tile, at least. */
#ifndef GPI_TUNE_TILE_SMALL
#define GPI_TUNE_TILE_SMALL 2
#endif
/* If tiles of that size would be more than this, they grow until they are as many, */
#ifndef GPI_TUNE_TILE_FEW
#define GPI_TUNE_TILE_FEW 40
#endif
/* up to so many warp tiles, as long as no multiprocessor has a tile more than others. */
#ifndef GPI_TUNE_TILE_MIDDLE
#define GPI_TUNE_TILE_MIDDLE 4
#endif
/* There are so many of each multiprocessor at most, and room for so many in all. */
#define GPI_SMALL_ROUNDS 3
#define GPI_SMALL_TILES 480

#endif
