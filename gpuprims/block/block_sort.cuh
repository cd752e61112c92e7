/*
 * block/block_sort.cuh: sorts a tile of several items per thread, for kernels of your own.
 *
 * Parameters   GP_NAME, GP_TYPE (int), GP_BLOCK threads (256), GP_ITEMS items of a thread (1)
 *              GP_LESS(a, b)  true when a comes before b (a < b); with GP_CONTEXT: GP_LESS(a, b, context)
 *              GP_CONTEXT     type of a last argument of the functions, by value
 *              GP_VALUE       V, any trivially copyable type, for block_sort_pairs
 * Generates    NAME_block_sort_storage, a type for a GP_SHARED variable: a tile, and a little more.
 *              T and V have any size; the GP_SHARED variables of a kernel get 48 KB.
 *              void NAME_block_sort(T x[GP_ITEMS], storage)
 * with values  void NAME_block_sort_pairs(T keys[GP_ITEMS], V values[GP_ITEMS], storage)
 *
 * The items are blocked, before and after: the thread of rank t has items t * GP_ITEMS and following of the
 * tile. With 2 threads of 3 items:
 *
 *     thread              0        1
 *     before           1 5 0    1 2 0
 *     after            0 0 1    1 2 5
 *
 *     #define GP_NAME  up
 *     #define GP_ITEMS 4
 *     #include <gpuprims/block/block_sort.cuh>
 *
 *     GP_SHARED(up_block_sort_storage, storage);
 *     up_block_sort(x, &storage);
 *
 * The sort is stable: items neither of which comes before the other keep their order. GP_LESS is a strict
 * weak order, evaluated on items of the tile only, two at a time: some 1.5 n log2 n times for n items of up
 * to 16 bytes, 5 n log2 n for 128. storage is passed by name or by address. All GP_BLOCK
 * threads take part, in the order of their rank (x fastest), and __syncthreads() comes before the storage is
 * used again.
 *
 * How it works: a thread sorts its items in registers by odd-even transposition (Habermann, Parallel
 * neighbor-sort, 1972). Then sorted runs are merged in pairs, in shared memory, by all threads at once:
 * block/core/merge.cuh. Integers by < alone, up to 32 of a thread if that is a power of two, are sorted by
 * networks inside each warp first. Cost: every merge, of which there are log2(GP_BLOCK), one more or five
 * fewer, takes each item through shared memory once, and has two barriers.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG block_sort
#define GPI_HEADER "gpuprims/block/block_sort.cuh"
#define GPI_TAKES \
    (GPI_TAKES_TYPE | GPI_TAKES_LESS | GPI_TAKES_CONTEXT | GPI_TAKES_VALUE | GPI_TAKES_BLOCK | \
     GPI_TAKES_ITEMS)
#endif
#include "../core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/block/block_sort.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_CONTEXT_USER
#error "gpuprims/block/block_sort.cuh: GP_LESS is missing; nothing else would receive the GP_CONTEXT"
#endif
#if defined GPI_WRONG_BLOCK
#error "gpuprims/block/block_sort.cuh: GP_BLOCK must be a multiple of 32 from 32 to 1024"
#endif
#if defined GPI_WRONG_ITEMS
#error "gpuprims/block/block_sort.cuh: GP_ITEMS must be at least 1"
#endif

#if !defined GPI_DEFAULT || !defined GPI_BLOCK_SORT_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_BLOCK_SORT_DEFAULT
#endif
GPI_ONCE_PER_NAME(block_sort);

#ifdef GP_VALUE
#define GPI_MERGE_PAIRS 1
#define GPI_MERGE_VALUE GP_VALUE
#else
#define GPI_MERGE_PAIRS 0
#define GPI_MERGE_VALUE char
#endif
enum { GPI(items) = GP_ITEMS, GPI(places) = GP_BLOCK * GP_ITEMS, GPI(spare) = GPI(items) };

#include "../core/instance/less.cuh"
#include "core/merge.cuh"

/* An array of one element, so that its name and its address both serve as the argument. */
typedef GPI(tile) GPI_PUBLIC(block_sort_storage)[1];

GPI_DEVICE void GPI_PUBLIC(block_sort)(GP_TYPE *x, void *storage GPI_CONTEXT_LAST)
{
#if GPI_DEVICE_CODE
    GPI(block)(x, NULL, GP_ITEMS, (GPI(tile) *)storage, gpi_thread_rank(), GP_BLOCK * GP_ITEMS,
               GPI_CONTEXT_VALUE);
#endif
}

#ifdef GP_VALUE
GPI_DEVICE void GPI_PUBLIC(block_sort_pairs)(GP_TYPE *keys, GP_VALUE *values, void *storage GPI_CONTEXT_LAST)
{
#if GPI_DEVICE_CODE
    GPI(block)(keys, values, GP_ITEMS, (GPI(tile) *)storage, gpi_thread_rank(), GP_BLOCK * GP_ITEMS,
               GPI_CONTEXT_VALUE);
#endif
}
#endif

#include "core/merge_end.cuh"
#endif
#include "../core/instance/end.cuh"
