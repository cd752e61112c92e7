/*
 * warp/warp_scan.cuh: prefix sums across the 32 lanes of a warp, for kernels of your own.
 *
 * Parameters   GP_NAME, GP_TYPE (int), GP_OP (sum), GP_IDENTITY
 * Generates    T NAME_warp_inclusive_scan(T x)      lane i gets x0 op ... op xi
 *              T NAME_warp_exclusive_scan(T x)      lane i gets x0 op ... op x(i-1), lane 0 the identity
 *
 *     lane  0 1 2 3 4 5 6 ..            NAME_warp_inclusive_scan   1 6 6 7 9 9 12 ..
 *     x     1 5 0 1 2 0 3 ..            NAME_warp_exclusive_scan   0 1 6 6 7 9 9  ..
 *
 * All 32 lanes take part. T has at most 1024 bytes. GP_OP need not be commutative. Cost: 5 shuffles per 4
 * bytes of T, 5 combines, no shared memory. Source: Hillis and Steele, Data parallel algorithms, CACM 29(12),
 * 1986.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG warp_scan
#define GPI_HEADER "gpuprims/warp/warp_scan.cuh"
#define GPI_TAKES (GPI_TAKES_TYPE | GPI_TAKES_OP | GPI_TAKES_IDENTITY)
#endif
#include "../core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/warp/warp_scan.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_IDENTITY
#error "gpuprims/warp/warp_scan.cuh: GP_IDENTITY is missing; a GP_OP of your own requires it"
#endif
#if defined GPI_MISSING_OP
#error "gpuprims/warp/warp_scan.cuh: GP_OP is missing; GP_IDENTITY goes with a GP_OP of your own"
#endif

#if !defined GPI_DEFAULT || !defined GPI_WARP_SCAN_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_WARP_SCAN_DEFAULT
#endif
GPI_ONCE_PER_NAME(warp_scan);

#include "../core/instance/fold.cuh"

GPI_DEVICE GP_TYPE GPI_PUBLIC(warp_inclusive_scan)(GP_TYPE x)
{
    return GPI(warp_scan)(x, (int)(gpi_thread_rank() % 32), 32);
}

GPI_DEVICE GP_TYPE GPI_PUBLIC(warp_exclusive_scan)(GP_TYPE x)
{
    int lane = (int)(gpi_thread_rank() % 32);
    GP_TYPE before = GPI(shuffle_up)(GPI(warp_scan)(x, lane, 32), 1);

    return lane ? before : GPI(identity)();
}

#endif
#include "../core/instance/end.cuh"
