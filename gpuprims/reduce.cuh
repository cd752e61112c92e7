/*
 * reduce.cuh: the fold of a whole array with any associative operator.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_TYPE        T, any trivially copyable type (int)
 *              GP_OP          a ready operator, or a macro or function op(a, b) (GP_SUM)
 *              GP_IDENTITY    with an operator of your own: an expression or a brace initialiser
 *              GP_INPUT_TYPE  I, what is read from memory (T)
 *              GP_LOAD(x)     the map from I to T (conversion); with GP_CONTEXT: GP_LOAD(x, context)
 *              GP_CONTEXT     type of a by-value argument before `ws`
 *              GP_BLOCK       threads of the block reduction below (256)
 *              GP_API         linkage of the host functions (static inline)
 *
 * Generates    cudaError_t NAME_reduce(const I *in, T *d_out, size_t n, [context,] ws, stream)
 *              size_t      NAME_reduce_workspace_bytes(size_t n)
 *              and what block/block_reduce.cuh and warp/warp_reduce.cuh generate
 *
 *     in                   1 5 0 1 2 0 3
 *     *d_out               12
 *
 *     #include <gpuprims/reduce.cuh>
 *     gp_reduce(d_in, d_sum, n, NULL, stream);
 *
 * Guarantees   Asynchronous on `stream`; the result goes to device memory. GP_OP need not be
 *              commutative: it is called on neighbouring runs of the input in input order, and never on
 *              the identity. The same input gives the same bits everywhere: docs/fold-order.md. Nothing
 *              gives the identity.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched; else
 *              what a launch or an allocation returned.
 *
 * How it works: every block folds a tile to an aggregate, then one block folds the aggregates, tile by
 * tile from left to right. An input of one tile needs one launch, a larger one two. Cost: n reads.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG reduce
#endif
#include "core/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/reduce.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_IDENTITY
#error "gpuprims/reduce.cuh: GP_IDENTITY is missing; a GP_OP of your own requires it"
#endif
#if defined GPI_MISSING_OP
#error "gpuprims/reduce.cuh: GP_OP is missing; GP_IDENTITY goes with a GP_OP of your own"
#endif
#if defined GPI_MISSING_CONTEXT_USER
#error "gpuprims/reduce.cuh: GP_LOAD is missing; nothing else would receive the GP_CONTEXT"
#endif
#if defined GPI_WRONG_BLOCK
#error "gpuprims/reduce.cuh: GP_BLOCK must be a multiple of 32 from 32 to 1024"
#endif

#if !defined GPI_DEFAULT || !defined GPI_REDUCE_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_REDUCE_DEFAULT
#endif

#include "block/block_reduce.cuh"
#include "core/fold.cuh"
#include "core/tile.cuh"

#define GPI_REDUCE_KERNEL       GPI(kernel)
#define GPI_REDUCE_FINAL_KERNEL GPI(final_kernel)

/* One block per tile: its aggregate, which is the result when there is one tile. */
static __global__ void __launch_bounds__(GPI_TILE_THREADS)
    GPI_REDUCE_KERNEL(const GP_INPUT_TYPE *in, GP_TYPE *aggregates, size_t n, GPI_CONTEXT context)
{
    GP_SHARED(GP_TYPE[GPI_TILE_SLOTS], tile);
    GP_SHARED(GP_TYPE[GPI_TILE_WARPS], totals);
    size_t base = (size_t)blockIdx.x * GPI_TILE_SIZE;
    unsigned items = n - base < GPI_TILE_SIZE ? (unsigned)(n - base) : GPI_TILE_SIZE;

    GPI_TILE_LOAD(tile, in + base, items, context);
    GP_TYPE sum = GPI_BLOCK_REDUCE(GPI_TILE_FOLD(tile, items), threadIdx.x, GPI_TILE_OWNERS(items),
                                   totals);
    if (threadIdx.x == 0)
        aggregates[blockIdx.x] = sum;
}

/* One block folds all aggregates, a tile of them at a time; of none, the identity. */
static __global__ void __launch_bounds__(GPI_TILE_THREADS)
    GPI_REDUCE_FINAL_KERNEL(const GP_TYPE *aggregates, size_t tiles, GP_TYPE *out)
{
    GP_SHARED(GP_TYPE[GPI_TILE_SLOTS], tile);
    GP_SHARED(GP_TYPE[GPI_TILE_WARPS], totals);
    GP_TYPE sum = GPI_IDENTITY();

    for (size_t base = 0; base < tiles; base += GPI_TILE_SIZE) {
        unsigned items = tiles - base < GPI_TILE_SIZE ? (unsigned)(tiles - base) : GPI_TILE_SIZE;

        for (unsigned i = threadIdx.x; i < items; i += GPI_TILE_THREADS)
            tile[GPI_TILE_PAD(i)] = aggregates[base + i];
        __syncthreads(); /* the tile is complete */
        GP_TYPE round = GPI_BLOCK_REDUCE(GPI_TILE_FOLD(tile, items), threadIdx.x,
                                         GPI_TILE_OWNERS(items), totals);
        sum = base ? GPI_COMBINE(sum, round) : round; /* the barriers of the next round protect totals */
    }
    if (threadIdx.x == 0)
        *out = sum;
}

GP_API size_t GPI_PUBLIC(reduce_workspace_bytes)(size_t n)
{
    size_t tiles = gpi_divide_up(n, GPI_TILE_SIZE);

    return tiles > 1 ? gpi_workspace_request(tiles * sizeof(GP_TYPE)) : 0;
}

/* *d_out = in[0] op ... op in[n - 1]; the identity when n is 0. */
GP_API cudaError_t GPI_PUBLIC(reduce)(const GP_INPUT_TYPE *in, GP_TYPE *d_out, size_t n,
                                      GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    const char *function = GPI_TEXT(reduce);
    size_t tiles = gpi_divide_up(n, GPI_TILE_SIZE);
    gpi_scratch scratch;
    cudaError_t error;

    if (!in && n)
        return gpi_error_null(function, "in", n);
    if (!d_out)
        return gpi_error_null(function, "d_out", n);
    error = gpi_scratch_acquire(&scratch, ws, GPI_PUBLIC(reduce_workspace_bytes)(n), stream, function);
    if (error != cudaSuccess)
        return error;

    GP_TYPE *aggregates = tiles > 1 ? (GP_TYPE *)scratch.memory : d_out;
    if (tiles > 0)
        error = GPI_LAUNCH(GPI_REDUCE_KERNEL, (unsigned)tiles, GPI_TILE_THREADS, 0, stream, in,
                           aggregates, n, GPI_CONTEXT_VALUE);
    if (tiles != 1 && error == cudaSuccess)
        error = GPI_LAUNCH(GPI_REDUCE_FINAL_KERNEL, 1, GPI_TILE_THREADS, 0, stream,
                           (const GP_TYPE *)aggregates, tiles, d_out);
    return gpi_scratch_release(&scratch, error, stream);
}

#endif
#include "core/end.cuh"
