/*
 * core/instance/end.cuh: ends an instance. The parameters are consumed: all of them are undefined here, and so
 * are the macros that core/ made from them.
 */
#if GPI_DEPTH == 3
#undef GPI_DEPTH
#define GPI_DEPTH 2
#elif GPI_DEPTH == 2
#undef GPI_DEPTH
#define GPI_DEPTH 1
#else
#undef GPI_DEPTH

#define GPI_STEP GPI_FORGET
#include "parameters.cuh"

#undef GPI_TAG
#undef GPI_HEADER
#undef GPI_TAKES

#undef GPI_ON_HOST
#undef GPI_FUNCTION
#undef GPI_COMBINE_IS_STAMPED
#undef GPI_FOLD_IS_STAMPED
#undef GPI_FOLDS_COUNTS
#undef GPI_FOLDS_STRUCTS
#undef GPI_FOLDS_NUMBERS
#undef GPI_WARP_TILE_IS_STAMPED
#undef GPI_WARP_TILE_BYTES_OF_INPUT
#undef GPI_WARP_TILE_BESIDE
#undef GPI_RAKE_IS_STAMPED
#undef GPI_TILE_STATE_IS_STAMPED
#undef GPI_LANE_TILES
#undef GPI_PREDICATE_IS_STAMPED
#undef GPI_LESS_IS_STAMPED
#undef GPI_EQUAL_IS_STAMPED
#undef GPI_RADIX_KEY_IS_STAMPED
#undef GPI_KEY_DESCENDING
#endif
