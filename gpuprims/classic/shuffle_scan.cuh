/*
 * classic/shuffle_scan.cuh: the fourth rung. Warps scan in registers; sums first, then one final pass.
 *
 * Parameters   GP_NAME, GP_TYPE (int), GP_OP (sum), GP_IDENTITY, GP_INPUT_TYPE, GP_LOAD, GP_CONTEXT,
 *              GP_API: as for scan.cuh
 * Generates    cudaError_t NAME_shuffle_exclusive_scan(const I *in, T *out, size_t n,
 *                                                      const gp_classic_options *opt,
 *                                                      [context,] ws, stream)
 *              size_t      NAME_shuffle_exclusive_scan_workspace_bytes(size_t n)
 *
 *     in                   1 5 0 1 | 2 0 3         tiles of four here, of 2048 in the code
 *     sums of the tiles    7 5
 *     sums scanned         - 7                     - is nothing: the identity
 *     every tile scanned,  0 1 6 6 | 7 9 9
 *     from its scanned sum
 *
 *     #include <gpuprims/classic/shuffle_scan.cuh>
 *     gp_shuffle_exclusive_scan(d_in, d_out, n, NULL, NULL, stream);
 *
 * Uses opt->block_threads. A tile has 8, 4, 2 or 1 items a thread, for items of up to 8, 16, 32 and more
 * bytes. T has at most 1024 bytes.
 *
 * Guarantees   in == out is allowed when I and T have the same size. GP_OP is called on neighbouring
 *              runs of the input in input order, never on the identity. GP_LOAD is evaluated on items of the input
 *              only: once on each where there is one tile, else twice. Errors as for scan.cuh.
 *
 * How it works: reduce-then-scan (Sengupta, Harris, Zhang, Owens, Scan primitives for GPU computing,
 * 2007; Merrill and Grimshaw, Parallel scan for stream architectures, 2009), in three launches:
 *
 *     1. every block folds a tile to its sum
 *     2. one block scans the sums, a tile of them at a time
 *     3. every block scans a tile, starting from the scanned sum of step 2
 *
 * Within a tile every warp has a warp tile of consecutive items, 32 at a time. Lanes exchange values
 * with __shfl_up_sync: Hillis and Steele's strides 1, 2, 4, 8, 16 of the first rung, whose extra work
 * costs nothing here, as the lanes would wait for each other anyway. A warp needs no barrier and no
 * shared memory for that; only the sums of the block's warps go through it, and are scanned by one warp.
 *
 * Flaw of the rung before, shared_scan: two barriers for each level of each tile, and at most levels most
 * threads idle; and the stitch reads and writes everything once more. Cost: 2n reads and n writes of
 * items instead of 2n and 2n, about 12n combines, 2 barriers a tile, 3 launches. Workspace: the sums,
 * n / 32 items at most, n / 256 of 8 bytes or less. What remains: everything is read twice.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG shuffle_scan
#define GPI_HEADER "gpuprims/classic/shuffle_scan.cuh"
#define GPI_TAKES \
    (GPI_TAKES_TYPE | GPI_TAKES_OP | GPI_TAKES_IDENTITY | GPI_TAKES_INPUT_TYPE | GPI_TAKES_LOAD | \
     GPI_TAKES_CONTEXT | GPI_TAKES_API)
#endif
#include "../core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/classic/shuffle_scan.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_IDENTITY
#error "gpuprims/classic/shuffle_scan.cuh: GP_IDENTITY is missing; a GP_OP of your own requires it"
#endif
#if defined GPI_MISSING_OP
#error "gpuprims/classic/shuffle_scan.cuh: GP_OP is missing; GP_IDENTITY goes with a GP_OP of your own"
#endif
#if defined GPI_MISSING_CONTEXT_USER
#error "gpuprims/classic/shuffle_scan.cuh: GP_LOAD is missing; nothing else would receive the GP_CONTEXT"
#endif

#if !defined GPI_DEFAULT || !defined GPI_SHUFFLE_SCAN_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_SHUFFLE_SCAN_DEFAULT
#endif
GPI_ONCE_PER_NAME(shuffle_scan);

#include "core/rungs.cuh"
#include "../core/instance/fold.cuh"

/* A warp tile is this many times 32 items; a lane keeps one item of each round in registers. */
#define GPI_WARP_TILE_ROUNDS \
    (sizeof(GP_TYPE) <= 8 ? 8 : sizeof(GP_TYPE) <= 16 ? 4 : sizeof(GP_TYPE) <= 32 ? 2 : 1)
#define GPI_WARP_TILE_ITEMS (32 * GPI_WARP_TILE_ROUNDS)

/* ---- device functions ------------------------------------------------------------------------ */

/* The calling warp's part of a tile. */
typedef struct {
    size_t first;
    int items; /* 0 to GPI_WARP_TILE_ITEMS */
    int warps; /* warps of the block that have items */
    int warp, lane;
} GPI(warp_tile);

/* The warp's part of the tile that starts at `base`, of n items altogether. */
GPI_DEVICE GPI(warp_tile) GPI(warp_tile_of)(size_t base, size_t n)
{
    size_t in_tile = n - base < (size_t)blockDim.x * GPI_WARP_TILE_ROUNDS
                         ? n - base
                         : blockDim.x * GPI_WARP_TILE_ROUNDS;
    int left;
    GPI(warp_tile) part;

    part.lane = (int)(threadIdx.x % 32);
    part.warp = (int)(threadIdx.x / 32);
    part.first = base + (size_t)part.warp * GPI_WARP_TILE_ITEMS;
    part.warps = ((int)in_tile + GPI_WARP_TILE_ITEMS - 1) / GPI_WARP_TILE_ITEMS;
    left = (int)in_tile - part.warp * GPI_WARP_TILE_ITEMS;
    part.items = left < 0 ? 0 : left < GPI_WARP_TILE_ITEMS ? left : GPI_WARP_TILE_ITEMS;
    return part;
}

/*
 * Scans the warp tile exclusively, in registers: x[r] is the lane's item of round r. The result for
 * the first item is undefined, as for lanes without an item. Returns the fold of the warp tile.
 */
GPI_DEVICE GP_TYPE GPI(warp_tile_scan)(GP_TYPE *x, GPI(warp_tile) part)
{
    GP_TYPE sum = x[0];

    GPI_UNROLL
    for (int r = 0; r < GPI_WARP_TILE_ROUNDS; r++) {
        int valid = part.items - 32 * r < 32 ? part.items - 32 * r : 32;

        if (valid <= 0) /* uniform in the warp */
            break;
        GP_TYPE scanned = GPI(warp_scan)(x[r], part.lane, valid);
        GP_TYPE before = GPI(shuffle_up)(scanned, 1), last = GPI(shuffle)(scanned, valid - 1);
        if (r == 0) {
            x[r] = before;
            sum = last;
        } else {
            x[r] = part.lane == 0 ? sum : part.lane < valid ? GPI(combine)(sum, before) : before;
            sum = GPI(combine)(sum, last);
        }
    }
    return sum;
}

/*
 * Scans the sums of the block's warps: `sum` is the fold of this warp's tile, `before` that of
 * everything before the block's tile (NULL: nothing). Leaves in sums[w] the fold of everything up
 * to the end of warp w's tile.
 */
GPI_DEVICE void GPI(block_sums_scan)(GP_TYPE sum, GPI(warp_tile) part, GP_TYPE *sums,
                                     const GP_TYPE *before)
{
    if (part.lane == 0 && part.items > 0)
        sums[part.warp] = sum;
    __syncthreads(); /* the warps' sums are complete */
    if (part.warp == 0) {
        GP_TYPE x = part.lane < part.warps ? sums[part.lane] : GPI(identity)();
        GP_TYPE scanned = GPI(warp_scan)(x, part.lane, part.warps);

        if (part.lane < part.warps)
            sums[part.lane] = before ? GPI(combine)(*before, scanned) : scanned;
    }
    __syncthreads(); /* the sums are scanned */
}

/* Writes a scanned warp tile; `before` is the fold of everything before it (NULL: nothing). */
GPI_DEVICE void GPI(warp_tile_store)(GP_TYPE *out, const GP_TYPE *x, GPI(warp_tile) part,
                                     const GP_TYPE *before)
{
    if (part.items == 0) /* *before may then be undefined */
        return;
    GP_TYPE prefix = before ? *before : GPI(identity)();

    GPI_UNROLL
    for (int r = 0; r < GPI_WARP_TILE_ROUNDS; r++) {
        int i = 32 * r + part.lane;

        if (i >= part.items)
            break;
        out[part.first + (size_t)i] = i == 0 ? prefix : before ? GPI(combine)(prefix, x[r]) : x[r];
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* 1. One block per tile: its sum. */
static __global__ void __launch_bounds__(GPI_CLASSIC_THREADS)
    GPI(fold_kernel)(const GP_INPUT_TYPE *in, GP_TYPE *sums, size_t n, GPI_CONTEXT context)
{
    GP_SHARED(GP_TYPE[GPI_CLASSIC_THREADS / 32], totals);
    size_t tile = gpi_global_block(), base = tile * blockDim.x * GPI_WARP_TILE_ROUNDS;

    if (base >= n)
        return;
    GPI(warp_tile) part = GPI(warp_tile_of)(base, n);
    for (int r = 0; 32 * r < part.items; r++) {
        int i = 32 * r + part.lane, valid = part.items - 32 * r < 32 ? part.items - 32 * r : 32;
        GP_TYPE x = i < part.items ? GPI(load)(in + part.first + i, context) : GPI(identity)();

        x = GPI(warp_reduce)(x, part.lane, valid);
        if (part.lane == 0)
            totals[part.warp] = r ? GPI(combine)(totals[part.warp], x) : x;
    }
    __syncthreads(); /* the warps' sums are complete */
    if (part.warp == 0) {
        GP_TYPE sum = part.lane < part.warps ? totals[part.lane] : GPI(identity)();

        sum = GPI(warp_reduce)(sum, part.lane, part.warps);
        if (part.lane == 0)
            sums[tile] = sum;
    }
}

/* 2. One block: sum k becomes the fold of all sums before it; the first is undefined. */
static __global__ void __launch_bounds__(GPI_CLASSIC_THREADS)
    GPI(spine_kernel)(GP_TYPE *sums, size_t tiles)
{
    GP_SHARED(GP_TYPE[GPI_CLASSIC_THREADS / 32], totals);
    GP_TYPE carry = GPI(identity)(); /* overwritten before it is combined */

    for (size_t base = 0; base < tiles; base += blockDim.x * GPI_WARP_TILE_ROUNDS) {
        GPI(warp_tile) part = GPI(warp_tile_of)(base, tiles);
        GP_TYPE x[GPI_WARP_TILE_ROUNDS];

        GPI_UNROLL
        for (int r = 0; r < GPI_WARP_TILE_ROUNDS; r++)
            x[r] = 32 * r + part.lane < part.items ? sums[part.first + (size_t)(32 * r + part.lane)]
                                                   : GPI(identity)();
        GPI(block_sums_scan)(GPI(warp_tile_scan)(x, part), part, totals, base ? &carry : NULL);
        GPI(warp_tile_store)(sums, x, part,
                             part.warp > 0 ? &totals[part.warp - 1]
                             : base        ? &carry
                                           : NULL);
        carry = totals[part.warps - 1];
        __syncthreads(); /* totals is free for the next round */
    }
}

/* 3. One block per tile: scans it, starting from the fold of all tiles before (NULL: a single tile). */
static __global__ void __launch_bounds__(GPI_CLASSIC_THREADS)
    GPI(scan_kernel)(const GP_INPUT_TYPE *in, GP_TYPE *out, size_t n, const GP_TYPE *before,
                     GPI_CONTEXT context)
{
    GP_SHARED(GP_TYPE[GPI_CLASSIC_THREADS / 32], totals);
    size_t tile = gpi_global_block(), base = tile * blockDim.x * GPI_WARP_TILE_ROUNDS;

    if (base >= n)
        return;
    const GP_TYPE *start = tile > 0 ? before + tile : NULL;
    GPI(warp_tile) part = GPI(warp_tile_of)(base, n);
    GP_TYPE x[GPI_WARP_TILE_ROUNDS];

    GPI_UNROLL
    for (int r = 0; r < GPI_WARP_TILE_ROUNDS; r++)
        x[r] = 32 * r + part.lane < part.items
                   ? GPI(load)(in + part.first + 32 * r + part.lane, context)
                   : GPI(identity)();
    GPI(block_sums_scan)(GPI(warp_tile_scan)(x, part), part, totals, start);
    GPI(warp_tile_store)(out, x, part, part.warp > 0 ? &totals[part.warp - 1] : start);
}

/* ---- host functions -------------------------------------------------------------------------- */

/* Enough for any options: the smallest blocks make the most tiles. */
GP_API size_t GPI_PUBLIC(shuffle_exclusive_scan_workspace_bytes)(size_t n)
{
    size_t tiles = gpi_divide_up(n, GPI_WARP_TILE_ITEMS);

    return gpi_workspace_request(tiles > 1 ? gpi_array_bytes(tiles, sizeof(GP_TYPE)) : 0);
}

/* out[0] = identity, out[i] = in[0] op ... op in[i - 1] */
GP_API cudaError_t GPI_PUBLIC(shuffle_exclusive_scan)(const GP_INPUT_TYPE *in, GP_TYPE *out,
                                                      size_t n, const gp_classic_options *opt,
                                                      GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                                      cudaStream_t stream)
{
    const char *function = GPI_TEXT(shuffle_exclusive_scan);
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
    error = gpi_scratch_acquire(&scratch, ws, GPI_PUBLIC(shuffle_exclusive_scan_workspace_bytes)(n),
                                stream, function);
    if (error != cudaSuccess)
        return error;

    int threads = options.block_threads;
    size_t tiles = gpi_divide_up(n, (size_t)threads * GPI_WARP_TILE_ROUNDS);
    GP_TYPE *sums = (GP_TYPE *)scratch.memory;

    if (tiles > 1)
        error = GPI_LAUNCH(GPI(fold_kernel), gpi_grid(tiles), threads, 0, stream, in, sums,
                           n, GPI_CONTEXT_VALUE);
    if (tiles > 1 && error == cudaSuccess)
        error = GPI_LAUNCH(GPI(spine_kernel), 1, threads, 0, stream, sums, tiles);
    if (error == cudaSuccess)
        error = GPI_LAUNCH(GPI(scan_kernel), gpi_grid(tiles), threads, 0, stream, in, out, n,
                           (const GP_TYPE *)sums, GPI_CONTEXT_VALUE);
    return gpi_scratch_release(&scratch, error, stream);
}

#endif
#include "../core/instance/end.cuh"
