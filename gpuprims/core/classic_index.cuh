/*
 * core/classic_index.cuh: the four rungs as scans of 0s, 1s and small counts that say where items go,
 *
 *     cudaError_t gpi_index_<rung>_exclusive_scan(const uint32_t *counts, size_t *before, size_t n,
 *                                                 const gp_classic_options *opt, ws, stream)
 *
 * for other headers under classic/, whose GP_TYPE is the user's. They include it before anything else.
 */
#ifndef GPI_CLASSIC_INDEX_CUH
#define GPI_CLASSIC_INDEX_CUH

#include "set_aside.cuh"

#define GP_NAME       gpi_index
#define GP_TYPE       size_t
#define GP_INPUT_TYPE uint32_t
#include "../classic/naive_scan.cuh"

#define GP_NAME       gpi_index
#define GP_TYPE       size_t
#define GP_INPUT_TYPE uint32_t
#include "../classic/work_efficient_scan.cuh"

#define GP_NAME       gpi_index
#define GP_TYPE       size_t
#define GP_INPUT_TYPE uint32_t
#include "../classic/shared_scan.cuh"

#define GP_NAME       gpi_index
#define GP_TYPE       size_t
#define GP_INPUT_TYPE uint32_t
#include "../classic/shuffle_scan.cuh"

#include "bring_back.cuh"

#endif
