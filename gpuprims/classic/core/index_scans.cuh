/*
 * classic/core/index_scans.cuh: the four rungs as scans of 0s, 1s and small counts to indices,
 *
 *     cudaError_t gpi_index_<rung>_exclusive_scan(const uint32_t *counts, size_t *before, size_t n,
 *                                                 const gp_classic_options *opt, ws, stream)
 *
 * for other headers under classic/, whose GP_TYPE is the user's. They include it before anything
 * else.
 */
#ifndef GPI_CLASSIC_INDEX_CUH
#define GPI_CLASSIC_INDEX_CUH

#define GPI_STEP GPI_SET_ASIDE
#include "../../core/instance/parameters.cuh"

#define GP_NAME       gpi_index
#define GP_TYPE       size_t
#define GP_INPUT_TYPE uint32_t
#include "../naive_scan.cuh"

#define GP_NAME       gpi_index
#define GP_TYPE       size_t
#define GP_INPUT_TYPE uint32_t
#include "../work_efficient_scan.cuh"

#define GP_NAME       gpi_index
#define GP_TYPE       size_t
#define GP_INPUT_TYPE uint32_t
#include "../shared_scan.cuh"

#define GP_NAME       gpi_index
#define GP_TYPE       size_t
#define GP_INPUT_TYPE uint32_t
#include "../shuffle_scan.cuh"

#define GPI_STEP GPI_BRING_BACK
#include "../../core/instance/parameters.cuh"

#endif
