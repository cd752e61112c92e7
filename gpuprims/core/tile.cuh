/*
 * core/tile.cuh: the tile, the part of the input that a block takes at a time. Its shape depends on
 * sizeof(GP_TYPE) alone and its place on the index alone, so that folds come out the same everywhere.
 *
 * A tile lies in shared memory, loaded with coalesced accesses; thread t then owns the run of
 * GPI_TILE_ITEMS neighbouring items from t * GPI_TILE_ITEMS. One word in 32 is left free, which
 * spreads runs over the banks.
 *
 * Needs core/begin.cuh and core/fold.cuh. Stamped once per instance.
 */
#ifndef GPI_TILE_IS_STAMPED
#define GPI_TILE_IS_STAMPED

#define GPI_TILE_THREADS (sizeof(GP_TYPE) <= 64 ? 256 : sizeof(GP_TYPE) <= 256 ? 64 : 32)
#define GPI_TILE_ITEMS                                                                      \
    (sizeof(GP_TYPE) <= 4 ? 16                                                              \
                          : sizeof(GP_TYPE) <= 8 ? 8                                        \
                                                 : sizeof(GP_TYPE) <= 32 ? 64 / (int)sizeof(GP_TYPE) : 1)
#define GPI_TILE_SIZE   (GPI_TILE_THREADS * GPI_TILE_ITEMS)
#define GPI_TILE_WARPS  (GPI_TILE_THREADS / 32)
#define GPI_TILE_PAD(i) ((i) + (i) / 32)
#define GPI_TILE_SLOTS  GPI_TILE_PAD(GPI_TILE_SIZE)

/* In a tile of n items, at least one: the thread's run, and how many threads own one. */
#define GPI_TILE_FIRST(n)  gpi_min(threadIdx.x * GPI_TILE_ITEMS, (n)-1)
#define GPI_TILE_LAST(n)   gpi_min(threadIdx.x * GPI_TILE_ITEMS + GPI_TILE_ITEMS, (n))
#define GPI_TILE_OWNERS(n) (((n) + GPI_TILE_ITEMS - 1) / GPI_TILE_ITEMS)

#define GPI_TILE_LOAD  GPI(tile_load)
#define GPI_TILE_STORE GPI(tile_store)
#define GPI_TILE_FOLD  GPI(tile_fold)

/* Reads n items, at most a tile, into shared memory. */
GPI_DEVICE void GPI_TILE_LOAD(GP_TYPE *tile, const GP_INPUT_TYPE *in, unsigned n,
                              GPI_CONTEXT context)
{
    for (unsigned i = threadIdx.x; i < n; i += GPI_TILE_THREADS)
        tile[GPI_TILE_PAD(i)] = GPI_LOAD(in + i, context);
    __syncthreads(); /* the tile is complete */
}

/* Folds the thread's run from left to right; a thread without one gets some item of the tile. */
GPI_DEVICE GP_TYPE GPI_TILE_FOLD(const GP_TYPE *tile, unsigned n)
{
    GP_TYPE sum = tile[GPI_TILE_PAD(GPI_TILE_FIRST(n))];

    for (unsigned i = GPI_TILE_FIRST(n) + 1; i < GPI_TILE_LAST(n); i++)
        sum = GPI_COMBINE(sum, tile[GPI_TILE_PAD(i)]);
    return sum;
}

#endif
