/*
 * core/backend/nvtx.cuh: ranges for Nsight's timeline. With GP_NVTX defined and the toolkit's
 * header available, each call of a host function that has something to do is a range of its own
 * name, and each kernel launch a range within it.
 *
 * Part of gpuprims.h; not to be included directly.
 */
#ifndef GPI_NVTX_CUH
#define GPI_NVTX_CUH

#if defined GP_NVTX && defined __CUDACC__ && defined __has_include
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define GPI_RANGE_BEGIN(name) ((void)nvtxRangePushA(name))
#define GPI_RANGE_END()       ((void)nvtxRangePop())
#endif
#endif

#ifndef GPI_RANGE_BEGIN
#define GPI_RANGE_BEGIN(name) ((void)0)
#define GPI_RANGE_END()       ((void)0)
#endif

#endif
