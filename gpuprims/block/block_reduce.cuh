/*
 * block/block_reduce.cuh: the fold of the threads of a block, for kernels of your own.
 *
 * Parameters   GP_NAME, GP_TYPE (int), GP_OP (sum), GP_IDENTITY, GP_BLOCK threads (256)
 * Generates    NAME_block_reduce_storage, a type for a GP_SHARED variable: GP_BLOCK + 1 values of T,
 *              and one more for every 128 bytes of them; where T is larger than 16 bytes,
 *              GP_BLOCK / 32 + 1
 *              T NAME_block_reduce(T x, storage)    every thread gets x0 op x1 op ... op x(GP_BLOCK-1)
 *              and what warp/warp_reduce.cuh generates
 *
 *     GP_SHARED(gp_block_reduce_storage, storage);
 *     int sum = gp_block_reduce(x, &storage);
 *
 * storage is passed by name or by address. All GP_BLOCK threads take part, in the order of their rank
 * (x fastest), and __syncthreads() comes before the storage is used again. GP_OP need not be
 * commutative. T has at most 1024 bytes.
 *
 * How it works: the first warp rakes, as in block_scan.cuh: each of its lanes folds the values of
 * GP_BLOCK / 32 neighbouring threads, and the warp folds those. Two barriers. Values larger than 16 bytes
 * stay in registers instead: each warp folds its own, and every thread folds the warps' totals.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG block_reduce
#define GPI_HEADER "gpuprims/block/block_reduce.cuh"
#define GPI_TAKES (GPI_TAKES_TYPE | GPI_TAKES_OP | GPI_TAKES_IDENTITY | GPI_TAKES_BLOCK)
#endif
#include "../core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/block/block_reduce.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_IDENTITY
#error "gpuprims/block/block_reduce.cuh: GP_IDENTITY is missing; a GP_OP of your own requires it"
#endif
#if defined GPI_MISSING_OP
#error "gpuprims/block/block_reduce.cuh: GP_OP is missing; GP_IDENTITY goes with a GP_OP of your own"
#endif
#if defined GPI_WRONG_BLOCK
#error "gpuprims/block/block_reduce.cuh: GP_BLOCK must be a multiple of 32 from 32 to 1024"
#endif

#if !defined GPI_DEFAULT || !defined GPI_BLOCK_REDUCE_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_BLOCK_REDUCE_DEFAULT
#endif
GPI_ONCE_PER_NAME(block_reduce);

#include "../warp/warp_reduce.cuh"
#include "core/rake.cuh"

/* An array of one element, so that its name and its address both serve as the argument. */
typedef struct {
    GP_TYPE values[GPI_RAKE_VALUES] __attribute__((aligned(__alignof__(GPI(rake_unit)))));
    GP_TYPE total;
} GPI_PUBLIC(block_reduce_storage)[1];

GPI_DEVICE GP_TYPE GPI_PUBLIC(block_reduce)(GP_TYPE x, void *storage)
{
    GP_TYPE *values = (*(GPI_PUBLIC(block_reduce_storage) *)storage)->values;
    GP_TYPE *total = &(*(GPI_PUBLIC(block_reduce_storage) *)storage)->total;
    unsigned rank = gpi_thread_rank();

    if (!GPI_RAKES || GPI(sums_words))
        return GPI(block_reduce)(x, rank, GP_BLOCK, values);
    values[GPI_RAKE_PAD(rank)] = x;
    __syncthreads(); /* all values are in shared memory */
    if (rank < 32) {
        GPI(rake_unit) units[GPI_RAKE_ITEMS / GPI_RAKE_UNIT_ITEMS];
        GP_TYPE sum = GPI(warp_reduce)(GPI(rake_read)(units, values, rank), (int)rank, 32);

        if (rank == 0)
            *total = sum;
    }
    __syncthreads(); /* the total is there */
    return *total;
}

#endif
#include "../core/instance/end.cuh"
