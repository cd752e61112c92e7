/*
 * block/block_exchange.cuh: reads, writes and rearranges a tile of several items per thread, for kernels
 * of your own.
 *
 * Parameters   GP_NAME, GP_TYPE (int), GP_BLOCK threads (256), GP_ITEMS items of a thread (1)
 * Generates    NAME_block_exchange_storage, a type for a GP_SHARED variable: a tile, and a little more.
 *              T has any size; the GP_SHARED variables of a kernel get 48 KB.
 *              void NAME_block_load_blocked(const T *in, T x[GP_ITEMS], size_t n, storage)
 *              void NAME_block_store_blocked(T *out, const T x[GP_ITEMS], size_t n, storage)
 *              void NAME_block_blocked_to_striped(T x[GP_ITEMS], storage)
 *              void NAME_block_striped_to_blocked(T x[GP_ITEMS], storage)
 *
 * A tile is GP_BLOCK * GP_ITEMS items. Blocked, each thread has consecutive items, as for a scan.
 * Striped, consecutive items lie in consecutive threads, as coalescing wants. With 4 threads of 3 items:
 *
 *     thread              0          1          2          3
 *     blocked          0  1  2    3  4  5    6  7  8    9 10 11
 *     striped          0  4  8    1  5  9    2  6 10    3  7 11
 *
 *     #define GP_NAME  tile
 *     #define GP_ITEMS 4
 *     #include <gpuprims/block/block_exchange.cuh>
 *
 *     static __global__ void halve(const int *in, int *out, size_t n)
 *     {
 *         GP_SHARED(tile_block_exchange_storage, storage);
 *         size_t base = (size_t)blockIdx.x * 1024;
 *         int x[4] = {0};
 *
 *         tile_block_load_blocked(in + base, x, n - base, &storage);
 *         for (int i = 0; i < 4; i++)
 *             x[i] /= 2;
 *         __syncthreads();
 *         tile_block_store_blocked(out + base, x, n - base, &storage);
 *     }
 *
 * n is how many items there are from `in` or `out` on; more than a tile is a tile. A load leaves x[i] as
 * it is where there is no item, a store writes none there. Any alignment that is natural for T will do.
 *
 * storage is passed by name or by address. All GP_BLOCK threads take part, in the order of their rank
 * (x fastest). Each function has one barrier, between its writes to storage and its reads; so
 * __syncthreads() comes before the storage is used again. Cost: the items go through shared memory once
 * and accesses to memory are coalesced. There are no bank conflicts when T is aligned to 4, 8 or 16
 * bytes; smaller ones have two-way conflicts at worst, rarely three-way ones.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG block_exchange
#define GPI_HEADER "gpuprims/block/block_exchange.cuh"
#define GPI_TAKES (GPI_TAKES_TYPE | GPI_TAKES_BLOCK | GPI_TAKES_ITEMS)
#endif
#include "../core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/block/block_exchange.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_WRONG_BLOCK
#error "gpuprims/block/block_exchange.cuh: GP_BLOCK must be a multiple of 32 from 32 to 1024"
#endif
#if defined GPI_WRONG_ITEMS
#error "gpuprims/block/block_exchange.cuh: GP_ITEMS must be at least 1"
#endif

#if !defined GPI_DEFAULT || !defined GPI_BLOCK_EXCHANGE_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_BLOCK_EXCHANGE_DEFAULT
#endif
GPI_ONCE_PER_NAME(block_exchange);

/*
 * Where item k of the tile lies in storage. A warp's access is processed in parts of 128 bytes, the
 * width of the 32 banks. Two things avoid bank conflicts within a part:
 *
 * Striped, lanes are a slot apart. A slot has an odd number of the units that one access takes, so
 * that successive slots use all banks: {int, int} takes 12 bytes.
 *
 * Blocked, lanes are GP_ITEMS slots apart, the stride, and return to the same bank after 128 /
 * gcd(128, stride) lanes. After that many a unit is left free, which shifts the next ones by a
 * bank. For 4 ints per thread: 8 lanes, 32 items, then a free word.
 */
#define GPI_BLOCK_EXCHANGE_UNIT   __alignof__(GP_TYPE)
#define GPI_BLOCK_EXCHANGE_SLOT                                                                   \
    ((sizeof(GP_TYPE) / GPI_BLOCK_EXCHANGE_UNIT | 1) * GPI_BLOCK_EXCHANGE_UNIT)
#define GPI_BLOCK_EXCHANGE_STRIDE (GP_ITEMS * GPI_BLOCK_EXCHANGE_SLOT)
#define GPI_BLOCK_EXCHANGE_GCD \
    (GPI_BLOCK_EXCHANGE_STRIDE % 128 ? GPI_BLOCK_EXCHANGE_STRIDE & -GPI_BLOCK_EXCHANGE_STRIDE : 128)
#define GPI_BLOCK_EXCHANGE_PERIOD (128 / GPI_BLOCK_EXCHANGE_GCD * GP_ITEMS)
#define GPI_BLOCK_EXCHANGE_FREE   (GPI_BLOCK_EXCHANGE_UNIT < 4 ? 4 : GPI_BLOCK_EXCHANGE_UNIT)
#define GPI_BLOCK_EXCHANGE_BYTES(k) \
    ((k) * GPI_BLOCK_EXCHANGE_SLOT + (k) / GPI_BLOCK_EXCHANGE_PERIOD * GPI_BLOCK_EXCHANGE_FREE)

/* An array of one element, so that its name and its address both serve as the argument. */
typedef struct {
    GP_TYPE items[GPI_BLOCK_EXCHANGE_BYTES(GP_BLOCK * GP_ITEMS) / sizeof(GP_TYPE) + 1];
} GPI_PUBLIC(block_exchange_storage)[1];

GPI_DEVICE unsigned GPI(exchange_offset)(unsigned k)
{
    return (unsigned)(GPI_BLOCK_EXCHANGE_BYTES(k));
}

GPI_DEVICE GP_TYPE *GPI(exchange_at)(void *storage, unsigned k)
{
    return (GP_TYPE *)((char *)storage + GPI(exchange_offset)(k));
}

/* The thread of rank t gets items t * GP_ITEMS and following: x[0] to x[GP_ITEMS - 1]. */
GPI_DEVICE void GPI_PUBLIC(block_load_blocked)(const GP_TYPE *in, GP_TYPE *x, size_t n,
                                               void *storage)
{
    unsigned rank = gpi_thread_rank();

    GPI_UNROLL
    for (unsigned i = 0; i < GP_ITEMS; i++)
        if (i * GP_BLOCK + rank < n)
            *GPI(exchange_at)(storage, i * GP_BLOCK + rank) = in[i * GP_BLOCK + rank];
    __syncthreads(); /* the tile is complete */
    GPI_UNROLL
    for (unsigned i = 0; i < GP_ITEMS; i++)
        if (rank * GP_ITEMS + i < n)
            x[i] = *GPI(exchange_at)(storage, rank * GP_ITEMS + i);
}

GPI_DEVICE void GPI_PUBLIC(block_store_blocked)(GP_TYPE *out, const GP_TYPE *x, size_t n,
                                                void *storage)
{
    unsigned rank = gpi_thread_rank();

    GPI_UNROLL
    for (unsigned i = 0; i < GP_ITEMS; i++)
        if (rank * GP_ITEMS + i < n)
            *GPI(exchange_at)(storage, rank * GP_ITEMS + i) = x[i];
    __syncthreads(); /* the tile is complete */
    GPI_UNROLL
    for (unsigned i = 0; i < GP_ITEMS; i++)
        if (i * GP_BLOCK + rank < n)
            out[i * GP_BLOCK + rank] = *GPI(exchange_at)(storage, i * GP_BLOCK + rank);
}

GPI_DEVICE void GPI_PUBLIC(block_blocked_to_striped)(GP_TYPE *x, void *storage)
{
    unsigned rank = gpi_thread_rank();

    GPI_UNROLL
    for (unsigned i = 0; i < GP_ITEMS; i++)
        *GPI(exchange_at)(storage, rank * GP_ITEMS + i) = x[i];
    __syncthreads(); /* the tile is complete */
    GPI_UNROLL
    for (unsigned i = 0; i < GP_ITEMS; i++)
        x[i] = *GPI(exchange_at)(storage, i * GP_BLOCK + rank);
}

GPI_DEVICE void GPI_PUBLIC(block_striped_to_blocked)(GP_TYPE *x, void *storage)
{
    unsigned rank = gpi_thread_rank();

    GPI_UNROLL
    for (unsigned i = 0; i < GP_ITEMS; i++)
        *GPI(exchange_at)(storage, i * GP_BLOCK + rank) = x[i];
    __syncthreads(); /* the tile is complete */
    GPI_UNROLL
    for (unsigned i = 0; i < GP_ITEMS; i++)
        x[i] = *GPI(exchange_at)(storage, rank * GP_ITEMS + i);
}

#endif
#include "../core/instance/end.cuh"
