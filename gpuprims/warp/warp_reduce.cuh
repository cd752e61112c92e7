/*
 * warp/warp_reduce.cuh: the fold of the 32 lanes of a warp, for kernels of your own.
 *
 * Parameters   GP_NAME, GP_TYPE (int), GP_OP (sum), GP_IDENTITY
 * Generates    T NAME_warp_reduce(T x)              every lane gets x0 op x1 op ... op x31
 *
 * All 32 lanes take part. T has at most 1024 bytes. GP_OP need not be commutative. Cost: 6 shuffles per 4
 * bytes of T, 5 combines, no shared memory.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG warp_reduce
#define GPI_HEADER "gpuprims/warp/warp_reduce.cuh"
#define GPI_TAKES (GPI_TAKES_TYPE | GPI_TAKES_OP | GPI_TAKES_IDENTITY)
#endif
#include "../core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/warp/warp_reduce.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_IDENTITY
#error "gpuprims/warp/warp_reduce.cuh: GP_IDENTITY is missing; a GP_OP of your own requires it"
#endif
#if defined GPI_MISSING_OP
#error "gpuprims/warp/warp_reduce.cuh: GP_OP is missing; GP_IDENTITY goes with a GP_OP of your own"
#endif

#if !defined GPI_DEFAULT || !defined GPI_WARP_REDUCE_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_WARP_REDUCE_DEFAULT
#endif
GPI_ONCE_PER_NAME(warp_reduce);

#include "../core/instance/fold.cuh"

GPI_DEVICE GP_TYPE GPI_PUBLIC(warp_reduce)(GP_TYPE x)
{
    return GPI(shuffle)(GPI(warp_reduce)(x, (int)(gpi_thread_rank() % 32), 32), 0);
}

#endif
#include "../core/instance/end.cuh"
