/*
 * classic/shared_scan.cuh: the third rung. The tree of the second, a tile at a time, in shared memory.
 *
 * Parameters   GP_NAME, GP_TYPE (int), GP_OP (sum), GP_IDENTITY, GP_INPUT_TYPE, GP_LOAD, GP_CONTEXT,
 *              GP_API: as for scan.cuh
 * Generates    cudaError_t NAME_shared_exclusive_scan(const I *in, T *out, size_t n,
 *                                                     const gp_classic_options *opt,
 *                                                     [context,] ws, stream)
 *              size_t      NAME_shared_exclusive_scan_workspace_bytes(size_t n)
 *
 *     in                   1 5 0 1 | 2 0 3         tiles of four here, of 512 in the code
 *     every tile scanned   0 1 6 6 | - 2 2         - is nothing: the identity
 *     sums of the tiles    7 5
 *     sums scanned         - 7
 *     stitched             0 1 6 6 | 7 9 9
 *
 *     #include <gpuprims/classic/shared_scan.cuh>
 *     gp_shared_exclusive_scan(d_in, d_out, n, NULL, NULL, stream);
 *
 * Uses opt->block_threads, two items a thread, as long as a tile of that many items and its padding fit
 * into 48 KB of shared memory. For larger items the block is cut to the power of two that fits: to 512
 * threads for items of 24 bytes, 256 for 48, 128 for 128, below 32 for more than 756. T has at
 * most 16384 bytes. Also uses opt->conflict_free: 1 pads the tile against bank conflicts.
 *
 * Guarantees   in == out is allowed when I and T have the same size. GP_OP is called on neighbouring
 *              runs of the input in input order, never on the identity, on padding or on places of the
 *              tree that hold no item. GP_LOAD is evaluated on items of the input only, once on
 *              each. Errors as for scan.cuh.
 *
 * How it works (Blelloch, Prefix sums and their applications, 1990; Harris, Sengupta, Owens, Parallel
 * prefix sum (scan) with CUDA, GPU Gems 3, chapter 39, 2007):
 *
 *     1. every block reads a tile, scans it in shared memory with upsweep and downsweep, writes it, and
 *        writes the tile's sum to an array of sums
 *     2. the sums are scanned the same way, in tiles, whose sums ... until one tile holds them all
 *     3. stitch: every item of every tile but the first is combined with the scanned sum of the tiles before
 *
 * Bank conflicts: at the level with stride s, consecutive threads access items 2s apart. With 1024 items,
 * two per thread, the worst warp of the levels from s = 1 has conflicts of 2 4 8 16 32 16 8 4 2 1 ways.
 * With one place left free after every 32 there are none: item n lies at n + (n >> 5), plus n >> 10 in
 * tiles of 2048, where the padding's own stride would wrap. Items of 8 and 16 bytes, of which fewer are
 * accessed at a time, have a place free after 16 and 8.
 *
 * Flaw of the rung before, work_efficient: its 2 log2 n levels all go through global memory. Here the
 * levels of a tile stay in shared memory. Cost: 2n reads and 2n writes of items, fewer than 3n
 * combines; 2 log2(tile) steps per tile, each with a barrier; two launches for each level of tiles.
 * Workspace: the sums, n / 63 items at most.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG shared_scan
#define GPI_HEADER "gpuprims/classic/shared_scan.cuh"
#define GPI_TAKES \
    (GPI_TAKES_TYPE | GPI_TAKES_OP | GPI_TAKES_IDENTITY | GPI_TAKES_INPUT_TYPE | GPI_TAKES_LOAD | \
     GPI_TAKES_CONTEXT | GPI_TAKES_API)
#endif
#include "../core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/classic/shared_scan.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_IDENTITY
#error "gpuprims/classic/shared_scan.cuh: GP_IDENTITY is missing; a GP_OP of your own requires it"
#endif
#if defined GPI_MISSING_OP
#error "gpuprims/classic/shared_scan.cuh: GP_OP is missing; GP_IDENTITY goes with a GP_OP of your own"
#endif
#if defined GPI_MISSING_CONTEXT_USER
#error "gpuprims/classic/shared_scan.cuh: GP_LOAD is missing; nothing else would receive the GP_CONTEXT"
#endif

#if !defined GPI_DEFAULT || !defined GPI_SHARED_SCAN_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_SHARED_SCAN_DEFAULT
#endif
GPI_ONCE_PER_NAME(shared_scan);
GPI_AT_MOST(GP_TYPE, 16384);

#include "core/rungs.cuh"
#include "../core/instance/combine.cuh"

/* The shared memory of a block without opt-in. */
#define GPI_SHARED_LIMIT (48 * 1024)

/* Item i of the tile, padded. */
#define GPI_SHARED_AT(i) tile[gpi_bank_place(i, pad)]

/* ---- device functions ------------------------------------------------------------------------ */

/*
 * Folds the `items` items of a tile of `places` as a tree: the last place of every node that has
 * items gets their fold, and so the tile's last place that of all of them.
 */
GPI_DEVICE void GPI(upsweep)(GP_TYPE *tile, unsigned places, unsigned items, unsigned pad)
{
    for (unsigned stride = 1; stride < places; stride *= 2) {
        unsigned left = gpi_tree_left(threadIdx.x, stride), right = left + stride;

        __syncthreads(); /* the level below, first of all the items themselves, is complete */
        if (right >= places)
            continue;
        if (left + 1 < items)
            GPI_SHARED_AT(right) = GPI(combine)(GPI_SHARED_AT(left), GPI_SHARED_AT(right));
        else if (left + 1 - stride < items) /* no items on the right */
            GPI_SHARED_AT(right) = GPI_SHARED_AT(left);
    }
}

/*
 * Gives every node the fold of what comes before it in the tile: the left child gets its parent's,
 * the right child that combined with the fold of the left. Before node 0 is nothing, so place 0
 * ends up undefined.
 */
GPI_DEVICE void GPI(downsweep)(GP_TYPE *tile, unsigned places, unsigned items, unsigned pad)
{
    for (unsigned stride = places / 2; stride > 0; stride /= 2) {
        unsigned left = gpi_tree_left(threadIdx.x, stride), right = left + stride;

        __syncthreads(); /* the level above is complete */
        if (right >= places || left + 1 - stride >= items)
            continue;
        GP_TYPE fold = GPI_SHARED_AT(left);
        if (threadIdx.x > 0) {
            GP_TYPE before = GPI_SHARED_AT(right);

            GPI_SHARED_AT(left) = before;
            if (left + 1 < items)
                GPI_SHARED_AT(right) = GPI(combine)(before, fold);
        } else if (left + 1 < items) {
            GPI_SHARED_AT(right) = fold;
        }
    }
}

/*
 * Scans tile number `number`, whose items are in shared memory, to its places in `out`; its sum
 * goes to `sums`, unless that is NULL. The first item of a tile is left to the stitch.
 */
GPI_DEVICE void GPI(tile)(GP_TYPE *tile, unsigned places, unsigned items, unsigned pad,
                          GP_TYPE *out, GP_TYPE *sums, size_t number)
{
    GPI(upsweep)(tile, places, items, pad);
    if (threadIdx.x == 0 && sums) /* the thread that wrote it, and will overwrite it */
        sums[number] = GPI_SHARED_AT(places - 1);
    GPI(downsweep)(tile, places, items, pad);
    __syncthreads(); /* the tile is scanned */
    for (unsigned i = threadIdx.x; i < items; i += blockDim.x) {
        if (i > 0)
            out[number * places + i] = GPI_SHARED_AT(i);
        else if (number == 0)
            out[0] = GPI(identity)();
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* 1. One block per tile of the input. */
static __global__ void __launch_bounds__(GPI_CLASSIC_THREADS)
    GPI(input_kernel)(const GP_INPUT_TYPE *in, GP_TYPE *out, size_t n, GP_TYPE *sums,
                      unsigned places, unsigned pad, GPI_CONTEXT context)
{
    GP_DYNAMIC_SHARED(GP_TYPE, tile);
    size_t number = gpi_global_block(), base = number * places;

    if (base >= n)
        return;
    unsigned items = n - base < places ? (unsigned)(n - base) : places;
    for (unsigned i = threadIdx.x; i < items; i += blockDim.x)
        GPI_SHARED_AT(i) = GPI(load)(in + base + i, context);
    GPI(tile)(tile, places, items, pad, out, sums, number);
}

/* 2. One block per tile of sums, in place. */
static __global__ void __launch_bounds__(GPI_CLASSIC_THREADS)
    GPI(sums_kernel)(GP_TYPE *items_and_out, size_t n, GP_TYPE *sums, unsigned places,
                     unsigned pad)
{
    GP_DYNAMIC_SHARED(GP_TYPE, tile);
    size_t number = gpi_global_block(), base = number * places;

    if (base >= n)
        return;
    unsigned items = n - base < places ? (unsigned)(n - base) : places;
    for (unsigned i = threadIdx.x; i < items; i += blockDim.x)
        GPI_SHARED_AT(i) = items_and_out[base + i];
    GPI(tile)(tile, places, items, pad, items_and_out, sums, number);
}

/*
 * 3. One block per tile from the second on: its first item becomes `before`, the others are
 * combined with it.
 */
static __global__ void __launch_bounds__(GPI_CLASSIC_THREADS)
    GPI(stitch_kernel)(GP_TYPE *out, size_t n, const GP_TYPE *before, unsigned places)
{
    size_t number = gpi_global_block() + 1, base = number * places;

    if (base >= n)
        return;
    unsigned items = n - base < places ? (unsigned)(n - base) : places;
    GP_TYPE sum = before[number];
    for (unsigned i = threadIdx.x; i < items; i += blockDim.x)
        out[base + i] = i ? GPI(combine)(sum, out[base + i]) : sum;
}

/* ---- host functions -------------------------------------------------------------------------- */

/* The shape of a block. */
typedef struct {
    unsigned threads;
    unsigned places; /* of its tile: two per thread */
    unsigned pad;
    size_t shared_bytes;
} GPI(shape);

/*
 * The largest tile that fits, for blocks of up to `threads` threads, padded or not: padding changes
 * where items lie, not which items a block has.
 */
static inline GPI(shape) GPI(choose)(unsigned threads, int conflict_free)
{
    unsigned pad = gpi_bank_pad(sizeof(GP_TYPE));
    GPI(shape) shape;

    while (threads > 1 &&
           (gpi_bank_place(2 * threads - 1, pad) + 1) * sizeof(GP_TYPE) > GPI_SHARED_LIMIT)
        threads /= 2;
    shape.threads = threads;
    shape.places = 2 * threads;
    shape.pad = conflict_free ? pad : 0;
    shape.shared_bytes = (gpi_bank_place(shape.places - 1, shape.pad) + 1) * sizeof(GP_TYPE);
    return shape;
}

/* Scans n sums in place; their own sums go to `sums`. */
static inline cudaError_t GPI(scan_sums)(GP_TYPE *items, size_t n, GP_TYPE *sums,
                                         GPI(shape) shape, cudaStream_t stream)
{
    size_t tiles = gpi_divide_up(n, shape.places);
    cudaError_t error =
        GPI_LAUNCH(GPI(sums_kernel), gpi_grid(tiles), shape.threads, shape.shared_bytes,
                   stream, items, n, tiles > 1 ? sums : NULL, shape.places, shape.pad);

    if (tiles > 1 && error == cudaSuccess)
        error = GPI(scan_sums)(sums, tiles, sums + tiles, shape, stream);
    if (tiles > 1 && error == cudaSuccess)
        error = GPI_LAUNCH(GPI(stitch_kernel), gpi_grid(tiles - 1), shape.threads, 0, stream,
                           items, n, (const GP_TYPE *)sums, shape.places);
    return error;
}

/* Enough for any options: the smallest blocks make the most sums. */
GP_API size_t GPI_PUBLIC(shared_exclusive_scan_workspace_bytes)(size_t n)
{
    size_t places = GPI(choose)(32, 1).places, sums = 0;

    while (n > places) {
        n = gpi_divide_up(n, places);
        sums += n;
    }
    return gpi_workspace_request(sums ? gpi_array_bytes(sums, sizeof(GP_TYPE)) : 0);
}

/* out[0] = identity, out[i] = in[0] op ... op in[i - 1] */
GP_API cudaError_t GPI_PUBLIC(shared_exclusive_scan)(const GP_INPUT_TYPE *in, GP_TYPE *out,
                                                     size_t n, const gp_classic_options *opt,
                                                     GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                                     cudaStream_t stream)
{
    const char *function = GPI_TEXT(shared_exclusive_scan);
    const int same_size = sizeof *in == sizeof *out;
    const gpi_argument used[] = {{"in", in, n * sizeof *in, GPI_READ, same_size},
                                 {"out", out, n * sizeof *out, GPI_WRITTEN, same_size}};
    gp_classic_options options;
    gpi_scratch scratch;
    cudaError_t error = gpi_classic_read(opt, &options, function);

    if (error != cudaSuccess || n == 0)
        return error;
    if (!in)
        return gpi_error_null(function, "in", n);
    if (!out)
        return gpi_error_null(function, "out", n);
    error = gpi_check_count(function, "n", n, GPI_CLASSIC_ITEMS,
                            gpi_larger_size(sizeof *in, sizeof *out));
    if (error == cudaSuccess)
        error = gpi_check_overlap(function, used, 2);
    if (error != cudaSuccess)
        return error;
    error = gpi_scratch_acquire(&scratch, ws, GPI_PUBLIC(shared_exclusive_scan_workspace_bytes)(n),
                                stream, function);
    if (error != cudaSuccess)
        return error;

    GPI(shape) shape =
        GPI(choose)((unsigned)options.block_threads, options.conflict_free);
    size_t tiles = gpi_divide_up(n, shape.places);
    GP_TYPE *sums = tiles > 1 ? (GP_TYPE *)scratch.memory : NULL;

    error = GPI_LAUNCH(GPI(input_kernel), gpi_grid(tiles), shape.threads, shape.shared_bytes,
                       stream, in, out, n, sums, shape.places, shape.pad, GPI_CONTEXT_VALUE);
    if (sums && error == cudaSuccess)
        error = GPI(scan_sums)(sums, tiles, sums + tiles, shape, stream);
    if (sums && error == cudaSuccess)
        error = GPI_LAUNCH(GPI(stitch_kernel), gpi_grid(tiles - 1), shape.threads, 0, stream,
                           out, n, (const GP_TYPE *)sums, shape.places);
    return gpi_scratch_release(&scratch, error, stream);
}

#endif
#include "../core/instance/end.cuh"
