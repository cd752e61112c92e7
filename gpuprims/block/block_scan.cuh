/*
 * block/block_scan.cuh: prefix sums across the threads of a block, for kernels of your own.
 *
 * Parameters   GP_NAME, GP_TYPE (int), GP_OP (sum), GP_IDENTITY, GP_BLOCK threads (256)
 * Generates    NAME_block_scan_storage, a type for a GP_SHARED variable: GP_BLOCK / 32 values of T
 *              T NAME_block_inclusive_scan(T x, storage, T *total)
 *              T NAME_block_exclusive_scan(T x, storage, T *total)     thread 0 gets the identity
 *              and what warp/warp_scan.cuh generates
 *
 *     static __global__ void place(const int *lengths, int *starts)
 *     {
 *         GP_SHARED(gp_block_scan_storage, storage);
 *
 *         starts[threadIdx.x] = gp_block_exclusive_scan(lengths[threadIdx.x], &storage, NULL);
 *     }
 *
 * storage is passed by name or by address. total may be NULL; otherwise every thread gets the fold of
 * the whole block there. All GP_BLOCK threads take part, in the order of their rank (x fastest), and
 * __syncthreads() comes before the storage is used again. GP_OP need not be commutative. Cost: a warp
 * scan, one barrier, and one combine for each warp before (each warp, with total).
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG block_scan
#endif
#include "../core/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/block/block_scan.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_IDENTITY
#error "gpuprims/block/block_scan.cuh: GP_IDENTITY is missing; a GP_OP of your own requires it"
#endif
#if defined GPI_MISSING_OP
#error "gpuprims/block/block_scan.cuh: GP_OP is missing; GP_IDENTITY goes with a GP_OP of your own"
#endif
#if defined GPI_WRONG_BLOCK
#error "gpuprims/block/block_scan.cuh: GP_BLOCK must be a multiple of 32 from 32 to 1024"
#endif

#if !defined GPI_DEFAULT || !defined GPI_BLOCK_SCAN_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_BLOCK_SCAN_DEFAULT
#endif

#include "../warp/warp_scan.cuh"

#define GPI_BLOCK_SCAN_STORAGE GPI_PUBLIC(block_scan_storage)

/* An array of one, so that its name and its address serve alike. */
typedef struct {
    GP_TYPE totals[GP_BLOCK / 32];
} GPI_BLOCK_SCAN_STORAGE[1];

GPI_DEVICE GP_TYPE GPI_PUBLIC(block_inclusive_scan)(GP_TYPE x, void *storage, GP_TYPE *total)
{
    unsigned rank = gpi_thread_rank();
    GP_TYPE scanned = GPI_WARP_SCAN(x, (int)(rank % 32), 32), prefix = scanned;

    GPI_BLOCK_PREFIX(scanned, rank, GP_BLOCK, (*(GPI_BLOCK_SCAN_STORAGE *)storage)->totals, &prefix,
                     total);
    return rank < 32 ? scanned : GPI_COMBINE(prefix, scanned);
}

GPI_DEVICE GP_TYPE GPI_PUBLIC(block_exclusive_scan)(GP_TYPE x, void *storage, GP_TYPE *total)
{
    unsigned rank = gpi_thread_rank();
    GP_TYPE scanned = GPI_WARP_SCAN(x, (int)(rank % 32), 32), prefix = scanned;
    GP_TYPE before = GPI_SHUFFLE_UP(scanned, 1);

    GPI_BLOCK_PREFIX(scanned, rank, GP_BLOCK, (*(GPI_BLOCK_SCAN_STORAGE *)storage)->totals, &prefix,
                     total);
    if (rank < 32)
        return rank ? before : GPI_IDENTITY();
    return rank % 32 ? GPI_COMBINE(prefix, before) : prefix;
}

#endif
#include "../core/end.cuh"
