/*
 * scan.cuh: prefix sums of a whole array with any associative operator.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_TYPE        T, any trivially copyable type (int)
 *              GP_OP          a ready operator, or a macro or function op(a, b) (GP_SUM)
 *              GP_IDENTITY    with an operator of your own: an expression or a brace initialiser
 *              GP_INPUT_TYPE  I, what is read from memory (T)
 *              GP_LOAD(x)     the map from I to T (conversion); with GP_CONTEXT: GP_LOAD(x, context)
 *              GP_CONTEXT     type of a by-value argument before `ws`
 *              GP_BLOCK       threads of the block scan below (256)
 *              GP_API         linkage of the host functions (static inline)
 *
 * Generates    cudaError_t NAME_inclusive_scan(const I *in, T *out, size_t n, [context,] ws, stream)
 *              cudaError_t NAME_exclusive_scan(in, out, n, [context,] ws, stream)
 *              cudaError_t NAME_exclusive_scan_init(in, out, n, T init, [context,] ws, stream)
 *              size_t      NAME_<each of them>_workspace_bytes(size_t n)
 *              and what block/block_scan.cuh and warp/warp_scan.cuh generate
 *
 *     in                   1 5 0 1 2 0 3
 *     inclusive scan       1 6 6 7 9 9 12
 *     exclusive scan       0 1 6 6 7 9 9       the identity first
 *     with init = 10       10 11 16 16 17 19 19
 *
 *     #include <gpuprims/scan.cuh>
 *     gp_exclusive_scan(d_in, d_out, n, NULL, stream);
 *
 * Guarantees   Asynchronous on `stream`. in == out is allowed when I and T have the same size; no other
 *              overlap. GP_OP need not be commutative: it is called on neighbouring runs of the input
 *              in input order, with init as an element before the first, and never on the identity.
 *              The same input gives the same bits everywhere: docs/fold-order.md.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched; else
 *              what a launch or an allocation returned. n == 0 succeeds and writes nothing.
 *
 * How it works: reduce-then-scan (Sengupta, Harris, Zhang, Owens, Scan primitives for GPU computing,
 * 2007), in three launches over tiles of the input:
 *
 *     1. every block folds its tile to an aggregate
 *     2. one block scans the aggregates, which gives each tile the fold of all before it
 *     3. every block scans its tile, starting from that
 *
 * An input of one tile needs the third alone. Cost: 2n reads and n writes of the items; one read is
 * enough when a single tile holds them.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG scan
#endif
#include "core/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/scan.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_IDENTITY
#error "gpuprims/scan.cuh: GP_IDENTITY is missing; a GP_OP of your own requires it"
#endif
#if defined GPI_MISSING_OP
#error "gpuprims/scan.cuh: GP_OP is missing; GP_IDENTITY goes with a GP_OP of your own"
#endif
#if defined GPI_MISSING_CONTEXT_USER
#error "gpuprims/scan.cuh: GP_LOAD is missing; nothing else would receive the GP_CONTEXT"
#endif
#if defined GPI_WRONG_BLOCK
#error "gpuprims/scan.cuh: GP_BLOCK must be a multiple of 32 from 32 to 1024"
#endif

#if !defined GPI_DEFAULT || !defined GPI_SCAN_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_SCAN_DEFAULT
#endif

#include "block/block_scan.cuh"
#include "core/fold.cuh"
#include "core/tile.cuh"

#define GPI_SCAN_START        GPI(start)
#define GPI_SCAN_TILE         GPI(tile)
#define GPI_SCAN_FOLD_KERNEL  GPI(fold_kernel)
#define GPI_SCAN_SPINE_KERNEL GPI(spine_kernel)
#define GPI_SCAN_KERNEL       GPI(kernel)
#define GPI_SCAN_BYTES        GPI(bytes)
#define GPI_SCAN_RUN          GPI(run)

/* ---- device functions ------------------------------------------------------------------------ */

/* What comes before the first item: `before`, when there is anything. */
typedef struct {
    GP_TYPE before;
    int has_before;
    int exclusive;
} GPI_SCAN_START;

/*
 * Scans the n items of a tile in shared memory, in place, and leaves the fold of all of them and of
 * what came before in *total (may be NULL).
 */
GPI_DEVICE void GPI_SCAN_TILE(GP_TYPE *tile, GP_TYPE *totals, unsigned n, GPI_SCAN_START start,
                              GP_TYPE *total)
{
    unsigned valid = GPI_TILE_OWNERS(n);
    GP_TYPE run = GPI_TILE_FOLD(tile, n);

    /* The runs of a warp, then the warps of the block. */
    GP_TYPE scanned = GPI_WARP_SCAN(run, (int)(threadIdx.x % 32),
                                    (int)valid - (int)(threadIdx.x / 32 * 32));
    GP_TYPE before = GPI_SHUFFLE_UP(scanned, 1), prefix = before, sum = before;
    GPI_BLOCK_PREFIX(scanned, threadIdx.x, valid, totals, &prefix, total ? &sum : NULL);
    if (total)
        *total = start.has_before ? GPI_COMBINE(start.before, sum) : sum;
    if (threadIdx.x >= valid)
        return;

    /* What comes before this thread's run: the start, the warps before, the lanes before. */
    if (threadIdx.x >= 32 && threadIdx.x % 32)
        prefix = GPI_COMBINE(prefix, before);
    if (start.has_before)
        prefix = threadIdx.x ? GPI_COMBINE(start.before, prefix) : start.before;

    /* The run itself. */
    int has_prefix = threadIdx.x > 0 || start.has_before;
    for (unsigned i = GPI_TILE_FIRST(n); i < GPI_TILE_LAST(n); i++) {
        GP_TYPE x = tile[GPI_TILE_PAD(i)];
        GP_TYPE next = has_prefix ? GPI_COMBINE(prefix, x) : x;

        tile[GPI_TILE_PAD(i)] = !start.exclusive ? next : has_prefix ? prefix : GPI_IDENTITY();
        prefix = next;
        has_prefix = 1;
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* 1. One block per tile: its aggregate. */
static __global__ void __launch_bounds__(GPI_TILE_THREADS)
    GPI_SCAN_FOLD_KERNEL(const GP_INPUT_TYPE *in, GP_TYPE *aggregates, size_t n, GPI_CONTEXT context)
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

/* 2. One block: aggregate k becomes the fold of all before it, and of the start. */
static __global__ void __launch_bounds__(GPI_TILE_THREADS)
    GPI_SCAN_SPINE_KERNEL(GP_TYPE *aggregates, size_t tiles, GPI_SCAN_START start)
{
    GP_SHARED(GP_TYPE[GPI_TILE_SLOTS], tile);
    GP_SHARED(GP_TYPE[GPI_TILE_WARPS], totals);

    start.exclusive = 1;
    for (size_t base = 0; base < tiles; base += GPI_TILE_SIZE) {
        unsigned items = tiles - base < GPI_TILE_SIZE ? (unsigned)(tiles - base) : GPI_TILE_SIZE;
        GP_TYPE total;

        for (unsigned i = threadIdx.x; i < items; i += GPI_TILE_THREADS)
            tile[GPI_TILE_PAD(i)] = aggregates[base + i];
        __syncthreads(); /* the tile is complete */
        GPI_SCAN_TILE(tile, totals, items, start, &total);
        __syncthreads(); /* the tile is scanned, and nobody reads totals any more */
        for (unsigned i = threadIdx.x; i < items; i += GPI_TILE_THREADS)
            aggregates[base + i] = tile[GPI_TILE_PAD(i)]; /* the next round fills what this thread has read */
        start.before = total;
        start.has_before = 1;
    }
}

/* 3. One block per tile: scans it, starting from what step 2 says of all tiles before. */
static __global__ void __launch_bounds__(GPI_TILE_THREADS)
    GPI_SCAN_KERNEL(const GP_INPUT_TYPE *in, GP_TYPE *out, size_t n, const GP_TYPE *before,
                    GPI_SCAN_START start, GPI_CONTEXT context)
{
    GP_SHARED(GP_TYPE[GPI_TILE_SLOTS], tile);
    GP_SHARED(GP_TYPE[GPI_TILE_WARPS], totals);
    size_t base = (size_t)blockIdx.x * GPI_TILE_SIZE;
    unsigned items = n - base < GPI_TILE_SIZE ? (unsigned)(n - base) : GPI_TILE_SIZE;

    if (blockIdx.x > 0) {
        start.before = before[blockIdx.x];
        start.has_before = 1;
    }
    GPI_TILE_LOAD(tile, in + base, items, context);
    GPI_SCAN_TILE(tile, totals, items, start, NULL);
    __syncthreads(); /* the tile is scanned */
    for (unsigned i = threadIdx.x; i < items; i += GPI_TILE_THREADS)
        out[base + i] = tile[GPI_TILE_PAD(i)];
}

/* ---- host functions -------------------------------------------------------------------------- */

static inline size_t GPI_SCAN_BYTES(size_t n)
{
    size_t tiles = gpi_divide_up(n, GPI_TILE_SIZE);

    return tiles > 1 ? gpi_workspace_request(tiles * sizeof(GP_TYPE)) : 0;
}

static inline cudaError_t GPI_SCAN_RUN(const char *function, const GP_INPUT_TYPE *in, GP_TYPE *out,
                                       size_t n, GPI_SCAN_START start, GPI_CONTEXT context,
                                       gp_workspace *ws, cudaStream_t stream)
{
    unsigned tiles = (unsigned)gpi_divide_up(n, GPI_TILE_SIZE);
    gpi_scratch scratch;
    cudaError_t error;

    if (n == 0)
        return cudaSuccess;
    if (!in)
        return gpi_error_null(function, "in", n);
    if (!out)
        return gpi_error_null(function, "out", n);
    error = gpi_scratch_acquire(&scratch, ws, GPI_SCAN_BYTES(n), stream, function);
    if (error != cudaSuccess)
        return error;

    GP_TYPE *aggregates = (GP_TYPE *)scratch.memory;
    if (tiles > 1)
        error = GPI_LAUNCH(GPI_SCAN_FOLD_KERNEL, tiles, GPI_TILE_THREADS, 0, stream, in, aggregates,
                           n, context);
    if (tiles > 1 && error == cudaSuccess)
        error = GPI_LAUNCH(GPI_SCAN_SPINE_KERNEL, 1, GPI_TILE_THREADS, 0, stream, aggregates,
                           (size_t)tiles, start);
    if (error == cudaSuccess)
        error = GPI_LAUNCH(GPI_SCAN_KERNEL, tiles, GPI_TILE_THREADS, 0, stream, in, out, n,
                           (const GP_TYPE *)aggregates, start, context);
    return gpi_scratch_release(&scratch, error, stream);
}

GP_API size_t GPI_PUBLIC(inclusive_scan_workspace_bytes)(size_t n)
{
    return GPI_SCAN_BYTES(n);
}

GP_API size_t GPI_PUBLIC(exclusive_scan_workspace_bytes)(size_t n)
{
    return GPI_SCAN_BYTES(n);
}

GP_API size_t GPI_PUBLIC(exclusive_scan_init_workspace_bytes)(size_t n)
{
    return GPI_SCAN_BYTES(n);
}

/* out[i] = in[0] op ... op in[i] */
GP_API cudaError_t GPI_PUBLIC(inclusive_scan)(const GP_INPUT_TYPE *in, GP_TYPE *out, size_t n,
                                              GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                              cudaStream_t stream)
{
    GPI_SCAN_START start;

    memset((void *)&start, 0, sizeof start);
    return GPI_SCAN_RUN(GPI_TEXT(inclusive_scan), in, out, n, start, GPI_CONTEXT_VALUE, ws, stream);
}

/* out[0] = identity, out[i] = in[0] op ... op in[i - 1] */
GP_API cudaError_t GPI_PUBLIC(exclusive_scan)(const GP_INPUT_TYPE *in, GP_TYPE *out, size_t n,
                                              GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                              cudaStream_t stream)
{
    GPI_SCAN_START start;

    memset((void *)&start, 0, sizeof start);
    start.exclusive = 1;
    return GPI_SCAN_RUN(GPI_TEXT(exclusive_scan), in, out, n, start, GPI_CONTEXT_VALUE, ws, stream);
}

/* out[0] = init, out[i] = init op in[0] op ... op in[i - 1] */
GP_API cudaError_t GPI_PUBLIC(exclusive_scan_init)(const GP_INPUT_TYPE *in, GP_TYPE *out, size_t n,
                                                   GP_TYPE init,
                                                   GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                                   cudaStream_t stream)
{
    GPI_SCAN_START start;

    memset((void *)&start, 0, sizeof start);
    start.before = init;
    start.has_before = 1;
    start.exclusive = 1;
    return GPI_SCAN_RUN(GPI_TEXT(exclusive_scan_init), in, out, n, start, GPI_CONTEXT_VALUE, ws,
                        stream);
}

#endif
#include "core/end.cuh"
