/*
 * core/tile/tuning.cuh: the shapes of small tiles that speed alone depends on, measured on sm_90 (H200). A build may
 * define each of them otherwise with -D; `gpbench tune` does so, and prints the best ones as lines for this file.
 */
#ifndef GPI_TILE_TUNING_CUH
#define GPI_TILE_TUNING_CUH

/* Warp tiles of a tile of a small input; twice as many, and so on, until there are few enough tiles: */
#ifndef GPI_TUNE_TILE_SMALL
#define GPI_TUNE_TILE_SMALL 2
#endif
/* so many at most, or where GPI(tiles_grow) so many times as many as the tiles are larger. */
#ifndef GPI_TUNE_TILE_SMALL_TILES
#define GPI_TUNE_TILE_SMALL_TILES 40
#endif

#endif
