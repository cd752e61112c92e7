/*
 * compact.cuh: keeps the items that satisfy a predicate (stream compaction), and partitions.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_TYPE        T, any trivially copyable type (int)
 *              GP_PRED(x)     true for an item to keep (x != 0); with GP_CONTEXT: GP_PRED(x, context)
 *              GP_CONTEXT     type of a by-value argument before `ws`
 *              GP_API         linkage of the host functions (static inline)
 *
 * Generates    cudaError_t NAME_compact(const T *in, T *out, size_t n, size_t *d_count, ...)
 *              cudaError_t NAME_compact_flagged(in, const uint8_t *flags, out, n, d_count, ...)
 *              cudaError_t NAME_compact_indices(in, size_t *out, n, d_count, ...)
 *              cudaError_t NAME_partition(in, out, n, d_count, ...)
 *              cudaError_t NAME_partition_stable(in, out, n, d_count, ...)
 *              size_t      NAME_<each of them>_workspace_bytes(size_t n)
 *              where ... is [context,] ws, stream
 *
 *     in                   1 5 0 1 2 0 3
 *     compact              1 5 1 2 3           *d_count = 5
 *     compact_indices      0 1 3 4 6
 *     partition            1 5 1 2 3 | 0 0     rejected items follow in reverse order
 *     partition_stable     1 5 1 2 3 | 0 0     rejected items follow in order
 *
 *     #include <gpuprims/compact.cuh>
 *     gp_compact(d_in, d_out, n, d_count, NULL, stream);
 *
 * A type without `!=` needs GP_PRED of its own, compact_flagged included.
 *
 * Guarantees   Asynchronous on `stream`; the number of kept items goes to device memory. Kept items stay
 *              in order. Nothing is written past the count (partitions write n items). in == out is
 *              allowed for compact and compact_flagged; no other overlap.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched; else
 *              what a launch or an allocation returned. n == 0 gives a count of 0.
 *
 * How it works: one pass with decoupled look-back (Merrill and Garland, Single-pass parallel prefix scan
 * with decoupled look-back, 2016). A block takes the next tile, holds it in registers, counts what it
 * keeps and publishes the count; it then looks back over the tiles before, whose counts or sums of counts
 * are there or on their way, and writes. A tile is written after all tiles before it have been read,
 * which is what allows in place. partition_stable counts the kept items in a pass of its own first,
 * since rejected items go behind all of them. Cost: n reads and up to n writes; partition_stable 2n reads.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG compact
#endif
#include "core/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/compact.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_CONTEXT_USER
#error "gpuprims/compact.cuh: GP_PRED is missing; nothing else would receive the GP_CONTEXT"
#endif

#if !defined GPI_DEFAULT || !defined GPI_COMPACT_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_COMPACT_DEFAULT
#endif

#include "core/look_back.cuh"
#include "core/predicate.cuh"
#include "core/tuning.cuh"

#define GPI_COMPACT_RANK         GPI(rank)
#define GPI_COMPACT_OUTPUT       GPI(output)
#define GPI_COMPACT_KERNEL       GPI(kernel)
#define GPI_COMPACT_COUNT_KERNEL GPI(count_kernel)
#define GPI_COMPACT_BYTES        GPI(bytes)
#define GPI_COMPACT_RUN          GPI(run)

#define GPI_COMPACT_THREADS GPI_TUNE_COMPACT_THREADS
#define GPI_COMPACT_WARPS   (GPI_COMPACT_THREADS / 32)
#define GPI_COMPACT_ITEMS                                                                   \
    (sizeof(GP_TYPE) <= 4                        ? GPI_TUNE_COMPACT_ITEMS                   \
     : sizeof(GP_TYPE) <= GPI_TUNE_COMPACT_BYTES ? GPI_TUNE_COMPACT_BYTES / (int)sizeof(GP_TYPE) : 1)
#define GPI_COMPACT_TILE (GPI_COMPACT_THREADS * GPI_COMPACT_ITEMS)

/* ---- device functions ------------------------------------------------------------------------ */

/* Where kept items go, and rejected ones when they go anywhere. */
typedef struct {
    GP_TYPE *items;        /* or NULL: indices */
    size_t *indices;
    const uint8_t *flags;  /* instead of the predicate, or NULL */
    int rejected;          /* 0: dropped, 1: from the end backwards, 2: behind the kept ones */
} GPI_COMPACT_OUTPUT;

/*
 * Item i of the thread is number i * GPI_COMPACT_THREADS + threadIdx.x of the tile; bit i of `keep`
 * says whether it is kept. Leaves in shared ranks[i][warp] how many are kept before that warp's
 * 32 items, and returns how many the tile keeps.
 */
GPI_DEVICE unsigned GPI_COMPACT_RANK(unsigned keep, unsigned (*ranks)[GPI_COMPACT_WARPS])
{
    unsigned *flat = &ranks[0][0], lane = threadIdx.x % 32, before = 0;

    for (int i = 0; i < GPI_COMPACT_ITEMS; i++) {
        unsigned kept = __ballot_sync(GPI_FULL_MASK, keep >> i & 1);

        if (lane == 0)
            ranks[i][threadIdx.x / 32] = (unsigned)__popc(kept);
    }
    __syncthreads(); /* the counts are complete */
    if (threadIdx.x < 32) { /* one warp scans them, 32 at a time */
        for (unsigned base = 0; base < GPI_COMPACT_ITEMS * GPI_COMPACT_WARPS; base += 32) {
            unsigned k = base + lane;
            unsigned count = k < GPI_COMPACT_ITEMS * GPI_COMPACT_WARPS ? flat[k] : 0, sum = count;

            for (unsigned stride = 1; stride < 32; stride *= 2) {
                unsigned left = __shfl_up_sync(GPI_FULL_MASK, sum, stride);

                if (lane >= stride)
                    sum += left;
            }
            if (k < GPI_COMPACT_ITEMS * GPI_COMPACT_WARPS)
                flat[k] = before + sum - count;
            before += __shfl_sync(GPI_FULL_MASK, sum, 31);
        }
    }
    return before; /* in the first warp, which is the one that asks */
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* The pass before partition_stable: how many items are kept altogether. */
static __global__ void __launch_bounds__(GPI_COMPACT_THREADS)
    GPI_COMPACT_COUNT_KERNEL(const GP_TYPE *in, size_t n, size_t *count, GPI_CONTEXT context)
{
    size_t base = (size_t)blockIdx.x * GPI_COMPACT_TILE + threadIdx.x;
    unsigned kept = 0;

    for (int i = 0; i < GPI_COMPACT_ITEMS; i++) {
        size_t k = base + (size_t)i * GPI_COMPACT_THREADS;
        int keep = k < n && GPI_KEEP(in + k, context);

        kept += (unsigned)__popc(__ballot_sync(GPI_FULL_MASK, keep));
    }
    if (threadIdx.x % 32 == 0 && kept)
        atomicAdd((unsigned long long *)count, (unsigned long long)kept);
}

/* One block per tile. Tiles are taken in order, so that the tiles before are always under way. */
static __global__ void __launch_bounds__(GPI_COMPACT_THREADS)
    GPI_COMPACT_KERNEL(const GP_TYPE *in, size_t n, GPI_COMPACT_OUTPUT out, size_t *count,
                       gpi_look_back *look_back, GPI_CONTEXT context)
{
    GP_SHARED(unsigned[GPI_COMPACT_ITEMS][GPI_COMPACT_WARPS], ranks);
    GP_SHARED(unsigned long long, kept_before);
    GP_SHARED(unsigned, ticket);
    GP_TYPE items[GPI_COMPACT_ITEMS];
    unsigned keep = 0, lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    /* Take a tile. */
    if (threadIdx.x == 0)
        ticket = atomicAdd(&look_back->next_tile, 1u);
    __syncthreads(); /* the ticket is there */
    unsigned tile = ticket;
    size_t base = (size_t)tile * GPI_COMPACT_TILE + threadIdx.x;

    /* Read it, and decide. */
    for (int i = 0; i < GPI_COMPACT_ITEMS; i++) {
        size_t k = base + (size_t)i * GPI_COMPACT_THREADS;

        if (k >= n)
            break;
        items[i] = in[k];
        keep |= (unsigned)(out.flags ? out.flags[k] != 0 : GPI_KEEP(&items[i], context)) << i;
    }

    /* Count within the tile, then over the tiles before. */
    unsigned kept = GPI_COMPACT_RANK(keep, ranks);
    if (warp == 0) {
        unsigned long long before = gpi_look_back_sum(look_back, tile, kept);

        if (lane == 0)
            kept_before = before;
        if (lane == 0 && tile == gridDim.x - 1 && out.rejected != 2)
            *count = (size_t)(before + kept);
    }
    __syncthreads(); /* ranks and kept_before are complete */

    /* Write. */
    size_t all_kept = out.rejected == 2 ? *count : 0;
    for (int i = 0; i < GPI_COMPACT_ITEMS; i++) {
        size_t k = base + (size_t)i * GPI_COMPACT_THREADS;
        unsigned here = __ballot_sync(GPI_FULL_MASK, keep >> i & 1);
        size_t to = (size_t)kept_before + ranks[i][warp] + (unsigned)__popc(here & ((1u << lane) - 1));

        if (k >= n)
            continue;
        if (!(keep >> i & 1)) {
            if (out.rejected == 0)
                continue;
            size_t rejected_before = k - to;
            to = out.rejected == 1 ? n - 1 - rejected_before : all_kept + rejected_before;
        }
        if (out.items)
            out.items[to] = items[i];
        else
            out.indices[to] = k;
    }
}

/* ---- host functions -------------------------------------------------------------------------- */

static inline size_t GPI_COMPACT_BYTES(size_t n)
{
    return gpi_look_back_bytes(gpi_divide_up(n, GPI_COMPACT_TILE));
}

static inline cudaError_t GPI_COMPACT_RUN(const char *function, const GP_TYPE *in,
                                          GPI_COMPACT_OUTPUT out, size_t n, size_t *d_count,
                                          GPI_CONTEXT context, gp_workspace *ws, cudaStream_t stream)
{
    size_t tiles = gpi_divide_up(n, GPI_COMPACT_TILE);
    gpi_scratch scratch;
    cudaError_t error;

    if (!in && n)
        return gpi_error_null(function, "in", n);
    if (!out.items && !out.indices && n)
        return gpi_error_null(function, "out", n);
    if (!d_count)
        return gpi_error_null(function, "d_count", n);
    if (n == 0)
        return cudaMemsetAsync(d_count, 0, sizeof *d_count, stream);
    error = gpi_scratch_acquire(&scratch, ws, GPI_COMPACT_BYTES(n), stream, function);
    if (error != cudaSuccess)
        return error;

    gpi_look_back *look_back = (gpi_look_back *)scratch.memory;
    error = gpi_look_back_clear(look_back, tiles, stream);
    if (error == cudaSuccess && out.rejected == 2)
        error = cudaMemsetAsync(d_count, 0, sizeof *d_count, stream);
    if (error == cudaSuccess && out.rejected == 2)
        error = GPI_LAUNCH(GPI_COMPACT_COUNT_KERNEL, (unsigned)tiles, GPI_COMPACT_THREADS, 0, stream,
                           in, n, d_count, context);
    if (error == cudaSuccess)
        error = GPI_LAUNCH(GPI_COMPACT_KERNEL, (unsigned)tiles, GPI_COMPACT_THREADS, 0, stream, in, n,
                           out, d_count, look_back, context);
    return gpi_scratch_release(&scratch, error, stream);
}

GP_API size_t GPI_PUBLIC(compact_workspace_bytes)(size_t n)
{
    return GPI_COMPACT_BYTES(n);
}

GP_API size_t GPI_PUBLIC(compact_flagged_workspace_bytes)(size_t n)
{
    return GPI_COMPACT_BYTES(n);
}

GP_API size_t GPI_PUBLIC(compact_indices_workspace_bytes)(size_t n)
{
    return GPI_COMPACT_BYTES(n);
}

GP_API size_t GPI_PUBLIC(partition_workspace_bytes)(size_t n)
{
    return GPI_COMPACT_BYTES(n);
}

GP_API size_t GPI_PUBLIC(partition_stable_workspace_bytes)(size_t n)
{
    return GPI_COMPACT_BYTES(n);
}

/* The items that satisfy GP_PRED, in order; *d_count of them. */
GP_API cudaError_t GPI_PUBLIC(compact)(const GP_TYPE *in, GP_TYPE *out, size_t n, size_t *d_count,
                                       GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    GPI_COMPACT_OUTPUT output = {out, NULL, NULL, 0};

    return GPI_COMPACT_RUN(GPI_TEXT(compact), in, output, n, d_count, GPI_CONTEXT_VALUE, ws, stream);
}

/* The items whose flag is not 0, in order; *d_count of them. */
GP_API cudaError_t GPI_PUBLIC(compact_flagged)(const GP_TYPE *in, const uint8_t *flags, GP_TYPE *out,
                                               size_t n, size_t *d_count,
                                               GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                               cudaStream_t stream)
{
    GPI_COMPACT_OUTPUT output = {out, NULL, flags, 0};

    if (!flags && n)
        return gpi_error_null(GPI_TEXT(compact_flagged), "flags", n);
    return GPI_COMPACT_RUN(GPI_TEXT(compact_flagged), in, output, n, d_count, GPI_CONTEXT_VALUE, ws,
                           stream);
}

/* The places of the items that satisfy GP_PRED, ascending; *d_count of them. */
GP_API cudaError_t GPI_PUBLIC(compact_indices)(const GP_TYPE *in, size_t *out, size_t n,
                                               size_t *d_count,
                                               GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                               cudaStream_t stream)
{
    GPI_COMPACT_OUTPUT output = {NULL, out, NULL, 0};

    return GPI_COMPACT_RUN(GPI_TEXT(compact_indices), in, output, n, d_count, GPI_CONTEXT_VALUE, ws,
                           stream);
}

/* All items: first those that satisfy GP_PRED, *d_count of them, in order; the others in reverse. */
GP_API cudaError_t GPI_PUBLIC(partition)(const GP_TYPE *in, GP_TYPE *out, size_t n, size_t *d_count,
                                         GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    GPI_COMPACT_OUTPUT output = {out, NULL, NULL, 1};

    return GPI_COMPACT_RUN(GPI_TEXT(partition), in, output, n, d_count, GPI_CONTEXT_VALUE, ws,
                           stream);
}

/* All items: first those that satisfy GP_PRED, *d_count of them, in order; the others in order. */
GP_API cudaError_t GPI_PUBLIC(partition_stable)(const GP_TYPE *in, GP_TYPE *out, size_t n,
                                                size_t *d_count,
                                                GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                                cudaStream_t stream)
{
    GPI_COMPACT_OUTPUT output = {out, NULL, NULL, 2};

    return GPI_COMPACT_RUN(GPI_TEXT(partition_stable), in, output, n, d_count, GPI_CONTEXT_VALUE, ws,
                           stream);
}

#endif
#include "core/end.cuh"
