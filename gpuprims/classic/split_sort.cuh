/*
 * classic/split_sort.cuh: radix sort, one bit per pass, by split: a scan gives every key its destination.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_TYPE        T, the keys: an integer type of 1, 2, 4 or 8 bytes (int)
 *              GP_API         linkage of the host functions (static inline)
 *
 * Generates    cudaError_t NAME_split_sort(const T *in, T *out, size_t n, int bits,
 *                                          const gp_classic_options *opt, ws, stream)
 *              size_t      NAME_split_sort_workspace_bytes(size_t n, int bits)
 *
 *     in                   1 5 0 1 2 0 3           by bit 0; | where a tile ends
 *     zeros of each tile   1 | 2                   of 1 5 0 1 | 2 0 3
 *     exclusive scan       0 | 1                   before each tile; 3 zeros altogether
 *     split                0 2 0 1 5 1 3           zeros to the front, ones behind all zeros
 *     split by bit 1       0 0 1 5 1 2 3
 *     split by bit 2       0 0 1 1 2 3 5
 *
 *     #include <gpuprims/classic/split_sort.cuh>
 *     gp_split_sort(d_in, d_out, n, 0, NULL, NULL, stream);
 *
 * `bits` is how many of the lowest bits of a key count. With 0 or less the sort is complete: it finds the
 * maximum on the device and skips the passes that need not be made. With the width of T or more it is
 * complete too, and makes every pass. Signed keys are sorted by number when the sort is complete:
 * the pass of the sign bit sends the negative ones to the front. With fewer bits the sign does not count;
 * keys from 0 to 2^bits - 1 come out by number. Keys equal in the bits that count keep their order.
 *
 * Uses opt->block_threads.
 *
 * Guarantees   Asynchronous on `stream`; launches depend on n, bits and opt alone. in == out is allowed.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched; else
 *              what a launch or an allocation returned. n == 0 succeeds and writes nothing.
 *
 * How it works (Blelloch, Prefix sums and their applications, 1990; Harris, Sengupta, Owens, Parallel
 * prefix sum (scan) with CUDA, GPU Gems 3, section 39.3.3, 2007; counting by tiles: Satish, Harris,
 * Garland, Designing efficient sorting algorithms for manycore GPUs, 2009). Lowest bit first, for each bit:
 *
 *     1. count: every block counts the keys of its tile that have a 0 there
 *     2. scan: the counts, by the shuffle rung; so every tile knows how many zeros come before it
 *     3. split: a 0 goes behind the zeros before it, a 1 behind all zeros and the ones before it; ballots
 *        count them within the tile
 *
 * When `bits` does not say how many, one kernel first finds the maximum of the keys as unsigned numbers
 * (so that a negative one needs every pass), or rather its number of bits, which stays on the device: the
 * launches are there for every bit, but from that bit on they find nothing to do.
 *
 * Flaw of the rung before, the comparison sort on the CPU: n log2 n steps, one after the other. Cost: for
 * each bit that counts 2n reads and n writes of keys, in up to 5 launches; 2n more when `in` is not `out`,
 * and when the passes are odd in number; n to find the maximum. Workspace: n keys, and less than n bytes.
 * What remains: a whole pass over memory for a single bit.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#include "core/index_scans.cuh"

#ifndef GPI_TAG
#define GPI_TAG split_sort
#define GPI_HEADER "gpuprims/classic/split_sort.cuh"
#define GPI_TAKES (GPI_TAKES_TYPE | GPI_TAKES_API)
#endif
#include "../core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/classic/split_sort.cuh: GP_NAME is missing; every other parameter requires it"
#endif

#if !defined GPI_DEFAULT || !defined GPI_SPLIT_SORT_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_SPLIT_SORT_DEFAULT
#endif
GPI_ONCE_PER_NAME(split_sort);
GPI_AT_MOST(GP_TYPE, 8);

#include "core/rungs.cuh"

#define GPI_SPLIT_WIDTH (8 * (int)sizeof(GP_TYPE))

/* ---- device functions ------------------------------------------------------------------------ */

/* The key's bits. (The complement makes types that are not integers an error.) */
GPI_DEVICE uint64_t GPI(to_unsigned)(GP_TYPE key)
{
    return ~(uint64_t)~key & (UINT64_MAX >> (64 - GPI_SPLIT_WIDTH));
}

/* Whether a key goes to the front: the bit is 0, or it is a sign bit that is 1. */
GPI_DEVICE int GPI(is_zero)(GP_TYPE key, int bit)
{
    const GP_TYPE ones = (GP_TYPE)-1;
    const int is_signed = (GP_TYPE)(ones >> 1) == ones;
    int value = (int)(GPI(to_unsigned)(key) >> bit & 1);

    return is_signed && bit == GPI_SPLIT_WIDTH - 1 ? value : !value;
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* *needed, 0 before, becomes the number of bits of the largest key: 4 for 8, 0 for 0. */
static __global__ void __launch_bounds__(GPI_CLASSIC_THREADS)
    GPI(maximum_kernel)(const GP_TYPE *keys, size_t n, uint32_t *needed)
{
    size_t i = gpi_global_thread();
    uint64_t key = i < n ? GPI(to_unsigned)(keys[i]) : 0;
    uint32_t bits = 64 - (uint32_t)__clzll((long long)key);

    for (unsigned stride = 16; stride > 0; stride /= 2) {
        uint32_t other = __shfl_down_sync(GPI_FULL_MASK, bits, stride);

        bits = other > bits ? other : bits;
    }
    /* Most warps find a larger value there, and skip the atomic operation. */
    if (threadIdx.x % 32 == 0 && bits > gpi_load_relaxed_u32(needed))
        atomicMax(needed, bits);
}

/* 1. One block per tile: counts its keys that go to the front. With `needed` NULL every pass is needed. */
static __global__ void __launch_bounds__(GPI_CLASSIC_THREADS)
    GPI(count_kernel)(const GP_TYPE *keys, uint32_t *zeros, size_t n, int bit,
                      const uint32_t *needed)
{
    size_t tile = gpi_global_block(), i = tile * blockDim.x + threadIdx.x;

    if (tile * blockDim.x >= n)
        return;
    if (needed && bit >= (int)*needed) { /* the scan still reads the count */
        if (threadIdx.x == 0)
            zeros[tile] = 0;
        return;
    }
    uint32_t count = (uint32_t)__syncthreads_count(i < n && GPI(is_zero)(keys[i], bit));
    if (threadIdx.x == 0)
        zeros[tile] = count;
}

/* 3. One block per tile: moves its keys. zeros[] are the tiles' counts, before[] their scan. */
static __global__ void __launch_bounds__(GPI_CLASSIC_THREADS)
    GPI(kernel)(const GP_TYPE *keys, GP_TYPE *out, size_t n, int bit, const uint32_t *zeros,
                const size_t *before, size_t tiles, const uint32_t *needed)
{
    GP_SHARED(unsigned[GPI_CLASSIC_THREADS / 32], warp_zeros);
    size_t tile = gpi_global_block(), i = tile * blockDim.x + threadIdx.x;
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    if (tile >= tiles || (needed && bit >= (int)*needed))
        return;
    GP_TYPE key = keys[i < n ? i : n - 1];
    int is_zero = i < n && GPI(is_zero)(key, bit);
    unsigned ballots = __ballot_sync(GPI_FULL_MASK, is_zero);

    if (lane == 0)
        warp_zeros[warp] = (unsigned)__popc(ballots);
    __syncthreads(); /* the warps' counts are complete */
    if (i >= n)
        return;
    size_t zeros_before = before[tile] + (unsigned)__popc(ballots & ((1u << lane) - 1));
    for (unsigned w = 0; w < warp; w++)
        zeros_before += warp_zeros[w];
    size_t all_zeros = before[tiles - 1] + zeros[tiles - 1];
    out[is_zero ? zeros_before : all_zeros + (i - zeros_before)] = key;
}

/* After an odd number of passes the keys are in the other array. */
static __global__ void __launch_bounds__(GPI_CLASSIC_THREADS)
    GPI(finish_kernel)(const GP_TYPE *other, GP_TYPE *out, size_t n, int passes,
                       const uint32_t *needed)
{
    size_t i = gpi_global_thread();

    if (needed)
        passes = (int)*needed;
    if (i < n && passes % 2)
        out[i] = other[i];
}

/* ---- host functions -------------------------------------------------------------------------- */

/* The workspace. */
typedef struct {
    GP_TYPE *other;
    size_t *before;
    uint32_t *zeros;
    uint32_t *needed;
    gp_workspace scan;
    size_t bytes;
} GPI(layout);

/* Enough for any options: the smallest blocks make the most tiles. */
static inline GPI(layout) GPI(lay_out)(char *memory, size_t n)
{
    size_t tiles = gpi_divide_up(n, 32);
    size_t before = gpi_array_bytes(n, sizeof(GP_TYPE));
    size_t zeros = gpi_add_sizes(before, gpi_array_bytes(tiles, sizeof(size_t)));
    size_t needed = gpi_add_sizes(zeros, gpi_array_bytes(tiles, sizeof(uint32_t)));
    size_t scan = gpi_add_sizes(needed, gpi_array_bytes(1, sizeof(uint32_t)));
    GPI(layout) layout;

    memset(&layout, 0, sizeof layout);
    layout.scan.bytes = gpi_index_shuffle_exclusive_scan_workspace_bytes(tiles);
    layout.bytes = gpi_add_sizes(scan, layout.scan.bytes);
    if (memory) {
        layout.other = (GP_TYPE *)memory;
        layout.before = (size_t *)(memory + before);
        layout.zeros = (uint32_t *)(memory + zeros);
        layout.needed = (uint32_t *)(memory + needed);
        layout.scan.memory = memory + scan;
        layout.scan.wrapped = 1;
    }
    return layout;
}

GP_API size_t GPI_PUBLIC(split_sort_workspace_bytes)(size_t n, int bits)
{
    (void)bits;
    return gpi_workspace_request(n ? GPI(lay_out)(NULL, n).bytes : 0);
}

static inline cudaError_t GPI(pass)(const GP_TYPE *from, GP_TYPE *to, size_t n, int bit,
                                    const uint32_t *needed, GPI(layout) *layout,
                                    const gp_classic_options *options, cudaStream_t stream)
{
    int threads = options->block_threads;
    size_t tiles = gpi_divide_up(n, (size_t)threads);
    cudaError_t error;

    error = GPI_LAUNCH(GPI(count_kernel), gpi_grid(tiles), threads, 0, stream, from,
                       layout->zeros, n, bit, needed);
    if (error == cudaSuccess)
        error = gpi_index_shuffle_exclusive_scan(layout->zeros, layout->before, tiles, options,
                                                 &layout->scan, stream);
    if (error == cudaSuccess)
        error = GPI_LAUNCH(GPI(kernel), gpi_grid(tiles), threads, 0, stream, from, to, n, bit,
                           (const uint32_t *)layout->zeros, (const size_t *)layout->before, tiles,
                           needed);
    return error;
}

/* Sorts by the lowest `bits` bits; if bits <= 0 completely, in no more passes than needed. */
GP_API cudaError_t GPI_PUBLIC(split_sort)(const GP_TYPE *in, GP_TYPE *out, size_t n, int bits,
                                          const gp_classic_options *opt, gp_workspace *ws,
                                          cudaStream_t stream)
{
    const char *function = GPI_TEXT(split_sort);
    const gpi_argument used[] = {{"in", in, n * sizeof *in, GPI_READ, 1},
                                 {"out", out, n * sizeof *out, GPI_WRITTEN, 1}};
    int passes = bits <= 0 || bits > GPI_SPLIT_WIDTH ? GPI_SPLIT_WIDTH : bits;
    gp_classic_options options;
    gpi_scratch scratch;
    cudaError_t error = gpi_classic_read(opt, &options, function);

    if (error != cudaSuccess || n == 0)
        return error;
    if (!in)
        return gpi_error_null(function, "in", n);
    if (!out)
        return gpi_error_null(function, "out", n);
    error = gpi_check_count(function, "n", n, GPI_CLASSIC_ITEMS, sizeof *in);
    if (error == cudaSuccess)
        error = gpi_check_overlap(function, used, 2);
    if (error != cudaSuccess)
        return error;
    error = gpi_scratch_acquire(&scratch, ws, GPI_PUBLIC(split_sort_workspace_bytes)(n, bits),
                                stream, function);
    if (error != cudaSuccess)
        return error;

    GPI(layout) layout = GPI(lay_out)(scratch.memory, n);
    const uint32_t *needed = bits <= 0 ? layout.needed : NULL;
    dim3 grid = gpi_grid_for(n, options.block_threads);

    if ((const void *)in != (const void *)out)
        error = cudaMemcpyAsync(out, in, n * sizeof(GP_TYPE), cudaMemcpyDeviceToDevice, stream);
    if (needed && error == cudaSuccess)
        error = cudaMemsetAsync(layout.needed, 0, sizeof *needed, stream);
    if (needed && error == cudaSuccess)
        error = GPI_LAUNCH(GPI(maximum_kernel), grid, options.block_threads, 0, stream,
                           (const GP_TYPE *)out, n, layout.needed);
    for (int bit = 0; bit < passes && error == cudaSuccess; bit++)
        error = GPI(pass)(bit % 2 ? layout.other : out, bit % 2 ? out : layout.other, n, bit,
                          needed, &layout, &options, stream);
    if ((needed || passes % 2) && error == cudaSuccess)
        error = GPI_LAUNCH(GPI(finish_kernel), grid, options.block_threads, 0, stream,
                           (const GP_TYPE *)layout.other, out, n, passes, needed);
    return gpi_scratch_release(&scratch, error, stream);
}

#endif
#include "../core/instance/end.cuh"
