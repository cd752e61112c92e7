/*
 * segmented.cuh: the fold, or the scan, of each segment of an array, with any associative operator.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_TYPE        T, any trivially copyable type of up to 1024 bytes (int)
 *              GP_OP          a ready operator, or a macro or function op(a, b) (GP_SUM)
 *              GP_IDENTITY    with an operator of your own: an expression or a brace initialiser
 *              GP_INPUT_TYPE  I, what is read from memory, of up to 1024 bytes (T); with GP_LOAD_AT any type, void too
 *              GP_LOAD(x)     the map from I to T (conversion); with GP_CONTEXT: GP_LOAD(x, context)
 *              GP_LOAD_AT(in, i)  in its place: an expression for item number i, a size_t; with GP_CONTEXT:
 *                             GP_LOAD_AT(in, i, context)
 *              GP_CONTEXT     type of a by-value argument before `ws`
 *              GP_INDEX       INDEX, the type of offsets, an integer type of 4 or 8 bytes that n has to fit (size_t)
 *              GP_API         linkage of the host functions (static inline)
 *              GP_KERNEL, GP_GRID  for tests: GP_KERNEL_PIPELINED or GP_KERNEL_SIMPLE for scans where the order does
 *                                  not show, and the blocks of a launch at most
 *
 * Generates    cudaError_t NAME_segmented_reduce(const I *in, T *out, size_t n, const INDEX *offsets, size_t segments,
 *                                                [context,] ws, stream)
 *              cudaError_t NAME_segmented_inclusive_scan(in, out, n, offsets, segments, [context,] ws, stream)
 *              cudaError_t NAME_segmented_exclusive_scan(in, out, n, offsets, segments, [context,] ws, stream)
 *              for segments of one length, row after row:
 *              cudaError_t NAME_row_reduce(const I *in, T *out, size_t rows, size_t length, [context,] ws, stream)
 *              cudaError_t NAME_row_inclusive_scan(in, out, rows, length, [context,] ws, stream)
 *              cudaError_t NAME_row_exclusive_scan(in, out, rows, length, [context,] ws, stream)
 *              size_t      NAME_<function>_workspace_bytes(the two sizes)
 *
 *     in                                  1 5 0 | 2 1 | | 3
 *     offsets                             0 3 5 5 6          segments + 1, on the device, the last at most n
 *     segmented_reduce                    6 3 0 3
 *     segmented_inclusive_scan            1 6 6 | 2 3 | | 3
 *     segmented_exclusive_scan            0 1 6 | 0 2 | | 0
 *
 *     #define GP_NAME  rowsum
 *     #define GP_TYPE  float
 *     #define GP_INDEX int
 *     #include <gpuprims/segmented.cuh>
 *     rowsum_segmented_reduce(d_values, d_sums, n, d_offsets, segments, NULL, stream);
 *
 * Guarantees   Asynchronous on `stream`; offsets are read on the device. An empty segment reduces to the identity.
 *              Items before the first offset and behind the last are neither read nor written. in == out is allowed for
 *              scans when I and T have the same size; no other overlap. GP_OP need not be commutative: it is called on
 *              neighbouring runs of a segment in order, and never on the identity. What a segment gives depends on its
 *              own items and their places in it alone: the same bits in every batch, by rows or by offsets, at any
 *              alignment, on every GPU and on the CPU: docs/fold-order.md.
 * Evaluations  GP_LOAD_AT once for each item of a segment; GP_LOAD likewise, but twice and more in scans by tiles.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched; else what a launch or
 *              an allocation returned. Overlap is refused where it is certain whatever the offsets are. No segments, or
 *              rows, succeed and write nothing; rows of no items are as many identities.
 *
 * How it works: in one pass. Merrill and Garland, Merge-based parallel sparse matrix-vector
 * multiplication, SC 2016, for the division of the work.
 *
 *     1. a warp takes equal shares of segments and items, and finds the first segment of each (core/segmented/walk.cuh)
 *     2. a batch of short segments is read into shared memory; each goes to one thread or, if it is longer, its runs
 *        of items go to one thread each (core/segmented/window.cuh); where the order does not show, threads have equal
 *        parts of the items instead (core/segmented/sweep.cuh)
 *     3. longer ones are folded by the warp, and those of more than one chunk by as many warps, which exchange sums
 *        through tile states (core/segmented/chunks.cuh)
 *
 * Scans of many items where the order does not show go by tiles of items, through the pipeline of
 * core/tile/pipeline.cuh (core/segmented/pipelined.cuh).
 *
 * Cost         n reads of the items and segments + 1 of the offsets; as many writes as there are results; one launch,
 *              two for such a scan by offsets. Workspace: for each chunk, of 1 KB (bytes) to 4 KB or more, 8 bytes of
 *              tile state for every 4 bytes of T.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG segmented
#define GPI_HEADER "gpuprims/segmented.cuh"
#define GPI_TAKES \
    (GPI_TAKES_TYPE | GPI_TAKES_OP | GPI_TAKES_IDENTITY | GPI_TAKES_INPUT_TYPE | GPI_TAKES_LOAD | GPI_TAKES_LOAD_AT | \
     GPI_TAKES_CONTEXT | GPI_TAKES_INDEX | GPI_TAKES_API | GPI_TAKES_KERNEL | GPI_TAKES_GRID)
#endif
/* Items that are folded as they are read can be copied to shared memory. */
#if !defined GP_INPUT_TYPE && !defined GP_LOAD && !defined GP_LOAD_AT && \
    (!defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 800)
#define GPI_COPIES_ITEMS                                                             \
    ((sizeof(GP_TYPE) == 4 || sizeof(GP_TYPE) == 8 || sizeof(GP_TYPE) == 16) && \
     __alignof__(GP_TYPE) == sizeof(GP_TYPE))
#else
#define GPI_COPIES_ITEMS 0
#endif
#include "core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/segmented.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_IDENTITY
#error "gpuprims/segmented.cuh: GP_IDENTITY is missing; a GP_OP of your own requires it"
#endif
#if defined GPI_MISSING_OP
#error "gpuprims/segmented.cuh: GP_OP is missing; GP_IDENTITY goes with a GP_OP of your own"
#endif
#if defined GPI_MISSING_CONTEXT_USER
#error "gpuprims/segmented.cuh: GP_LOAD is missing; nothing else would receive the GP_CONTEXT"
#endif
#if defined GP_LOAD && defined GP_LOAD_AT
#error "gpuprims/segmented.cuh: GP_LOAD must be left out; GP_LOAD_AT takes its place"
#endif

#if !defined GPI_DEFAULT || !defined GPI_SEGMENTED_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_SEGMENTED_DEFAULT
#endif
GPI_ONCE_PER_NAME(segmented);
GPI_CHECK_INDEX();

#include "core/instance/fold.cuh"
#include "core/tile/copy.cuh"
#include "core/tile/shape.cuh"
#include "core/tile/tile_state.cuh"
#include "core/segmented/tuning.cuh"

enum {
    GPI(marks) = 128, /* of segments */
    GPI(levels) = 7   /* of sums of chunks: 32^7 chunks are more than a launch can have */
};

/* What a launch works on. */
typedef struct {
    const GP_INPUT_TYPE *in;
    GP_TYPE *out;
    const GP_INDEX *offsets; /* NULL: all segments have this length */
    size_t length, segments;
    uint32_t range_n;        /* items and segments of a warp's range, a chunk at most */
    int mark_bits;           /* a multiple of 2^mark_bits */
    size_t mark_n;           /* the last of so many segments is a mark: core/segmented/walk.cuh */
    size_t chunk_n;          /* items of a chunk: 2^chunk_bits */
    unsigned window_n;       /* of segments that are read together, at most */
    gpi_tile_state_head *head; /* the tile states of chunks follow it */
    size_t level_starts[GPI(levels)]; /* among these */
    uint32_t ranges;
    int chunk_bits;
    int by_ticket; /* a segment may have more than one chunk */
    int is_exclusive;
} GPI(job);

#include "core/segmented/window.cuh"
#include "core/segmented/walk.cuh"
#include "core/segmented/sweep.cuh"
#include "core/segmented/chunks.cuh"
#include "core/segmented/reduce.cuh"
#include "core/segmented/scan.cuh"
#include "core/segmented/ranges.cuh"

/* The scan of many items where the order does not show: an instance under private names. */
#if GPI_FOLDS_NUMBERS && !defined GP_LOAD_AT && GP_KERNEL != GP_KERNEL_SIMPLE
#define GPI_SEGMENTED(word)       GPI_JOIN4(gpi_, GP_NAME, segmented, _##word)
#define GPI_SEGMENTED_TILES(word) GPI_JOIN4(gpi_, GP_NAME, segmented_tiles, _##word)
#pragma push_macro("GPI_TAG")
#undef GPI_TAG
#undef GPI_COMBINE_IS_STAMPED
#undef GPI_FOLD_IS_STAMPED
#undef GPI_FOLDS_NUMBERS
#undef GPI_TILE_STATE_IS_STAMPED
#define GPI_TAG segmented_tiles
#include "core/segmented/pipelined.cuh"
#pragma pop_macro("GPI_TAG")
#endif

/* ---- host functions -------------------------------------------------------------------------- */

enum {
#ifdef GP_LOAD_AT
    GPI(input_bytes) = 1, /* what is read is unknown */
#else
    GPI(input_bytes) = sizeof(GP_INPUT_TYPE),
#endif
    GPI(least_range) = (int)GPI(window_n) < GPI_TUNE_SEGMENTED_RANGE ? (int)GPI(window_n) : GPI_TUNE_SEGMENTED_RANGE,
    GPI(max_chunk_rounds) = 32 /* of a reduction: as many as a warp has lanes. A scan keeps its chunk in a slot. */
};

/* Items of a chunk: some thousands of chunks are enough. */
static inline size_t GPI(chunk_items)(size_t n, int is_scan)
{
    const size_t most = (is_scan ? (size_t)GPI(scan_rounds) : (size_t)GPI(max_chunk_rounds)) * GPI(round_n);
    size_t chunk = GPI(window_n);

    while (chunk < most && n / chunk > GPI_TUNE_SEGMENTED_CHUNKS)
        chunk *= 2;
    return chunk;
}

/* Bytes for tile states, of chunks or tiles of n or fewer items. */
static inline size_t GPI(state_bytes)(size_t n, int is_scan)
{
    const size_t most = gpi_larger_size(n / GPI(chunk_items)(n, is_scan),
                                        n / GPI(window_n) < GPI_TUNE_SEGMENTED_CHUNKS ? n / GPI(window_n)
                                                                                      : GPI_TUNE_SEGMENTED_CHUNKS);
    size_t bytes = n <= GPI(window_n) ? 0 : GPI(tile_state_bytes)(GPI(level_start)(most, GPI(levels)));

#ifdef GPI_SEGMENTED_TILES
    if (is_scan)
        bytes = gpi_larger_size(bytes, GPI_SEGMENTED_TILES(state_bytes)(n));
#endif
    return bytes;
}

/* Bytes for where the tiles of a scan start. */
static inline size_t GPI(start_bytes)(size_t n)
{
#ifdef GPI_SEGMENTED_TILES
    return GPI_SEGMENTED_TILES(start_bytes)(n);
#else
    (void)n;
    return 0;
#endif
}

/* Divides the work among so many warps: the units are items and segments. */
static inline void GPI(divide)(GPI(job) *job, size_t n, size_t warps, int is_scan)
{
    const size_t units = n + job->segments, share = gpi_divide_up(units, warps);

    job->chunk_n = GPI(chunk_items)(n, is_scan);
    for (job->chunk_bits = 0; (size_t)1 << job->chunk_bits < job->chunk_n;)
        job->chunk_bits++;
    job->window_n = (unsigned)(is_scan && !GPI(any_order) ? job->chunk_n : (size_t)GPI(window_n));
    job->range_n = (uint32_t)(job->chunk_n < GPI_TUNE_SEGMENTED_RANGE ? job->chunk_n : GPI_TUNE_SEGMENTED_RANGE);
    if (job->range_n > 256 && share < job->range_n)
        job->range_n = share < 256 ? 256 : (uint32_t)(share + 31) / 32 * 32;
    while (job->range_n >> job->mark_bits << job->mark_bits == job->range_n)
        job->mark_bits++;
    job->mark_bits--;
    job->by_ticket = n > job->chunk_n;
    job->ranges = (uint32_t)gpi_divide_up(units, job->range_n);
    job->mark_n = gpi_divide_up(job->segments, GPI(marks));
    for (unsigned level = 0; level < GPI(levels); level++)
        job->level_starts[level] = GPI(level_start)(n >> job->chunk_bits, level);
}

/* What is wrong with arguments that are alike: the arrays, `used`, and how many items and segments there are. */
static inline cudaError_t GPI(check)(const char *function, size_t n, size_t segments, const char *count,
                                     const gpi_argument *used)
{
    const size_t most = GPI_MAX_TILES * (size_t)(GPI(least_range) / 2);

#ifndef GP_LOAD_AT
    if (!used[0].start && n)
        return gpi_error_null_of(function, "in", count, segments);
#endif
    if (!used[1].start)
        return gpi_error_null_of(function, "out", count, segments);
    if (n / 2 + segments / 2 >= most)
        return gpi_error(cudaErrorInvalidValue, "%s: n + %s is more than %zu, the most that is supported", function,
                         count, 2 * most);
#ifndef GP_LOAD_AT
    return gpi_check_overlap(function, used, 3);
#else
    return cudaSuccess;
#endif
}

static inline cudaError_t GPI(launch)(GPI(job) *job, const char *function, size_t n, int is_scan, GPI_CONTEXT context,
                                      gp_workspace *ws, cudaStream_t stream)
{
    static signed char known[2][GPI_DEVICES];
    const size_t start_bytes = is_scan && job->offsets ? GPI(start_bytes)(n) : 0;
    gpi_scratch scratch;
    cudaError_t error;

    error = gpi_tagged_scratch_acquire(&scratch, ws, GPI(state_bytes)(n, is_scan), start_bytes, stream, function);
    if (error != cudaSuccess)
        return error;
    job->head = (gpi_tile_state_head *)(void *)scratch.tags;
#ifdef GPI_SEGMENTED_TILES
    if (is_scan && GPI_SEGMENTED_TILES(runs)(n, job->segments, !job->offsets)) {
        const GPI_SEGMENTED_TILES(job) tiles = {
            job->in, job->out, job->offsets, job->length, n, job->segments, job->head, (size_t *)(void *)scratch.memory,
            0, 0, 0, job->is_exclusive};

        return gpi_scratch_release(&scratch, GPI_SEGMENTED_TILES(launch)(tiles, context, stream), stream);
    }
#endif
    const unsigned resident = gpi_resident_blocks(is_scan ? GPI(scan_blocks) : GPI(reduce_blocks), SIZE_MAX, GP_GRID);
    GPI(divide)(job, n, (size_t)resident * GPI(warps), is_scan);
    const size_t bytes = (size_t)GPI(warps) * (is_scan ? GPI(scan_slot) : GPI(reduce_slot));
    const int ready = gpi_kernel_ready(is_scan ? (const void *)GPI(scan_kernel) : (const void *)GPI(reduce_kernel),
                                       bytes, known[is_scan]);
    const int dependent = (ready & GPI_KERNEL_SM90) != 0;
    const unsigned wanted = (unsigned)gpi_divide_up(job->ranges, GPI(warps));
    const unsigned blocks = wanted < resident ? wanted : resident;
    if (is_scan)
        error = GPI_LAUNCH_DEPENDENT(dependent, GPI(scan_kernel), blocks, GPI(threads), bytes, stream, *job, context);
    else
        error = GPI_LAUNCH_DEPENDENT(dependent, GPI(reduce_kernel), blocks, GPI(threads), bytes, stream, *job, context);
    return gpi_scratch_release(&scratch, error, stream);
}

enum { GPI(reduces), GPI(scans_inclusive), GPI(scans_exclusive) };

/* A call by offsets. */
static inline cudaError_t GPI(by_offsets)(const char *function, int what, const GP_INPUT_TYPE *in, GP_TYPE *out,
                                          size_t n, const GP_INDEX *offsets, size_t segments, GPI_CONTEXT context,
                                          gp_workspace *ws, cudaStream_t stream)
{
    const int is_scan = what != GPI(reduces);
    const int in_place = is_scan && sizeof(GP_TYPE) == GPI(input_bytes);
    /* Which items there are is not known here: of what they are read from and scanned to, the start is certain. */
    const gpi_argument used[] = {
        {"in", in, n != 0, GPI_READ, in_place},
        {"out", out, is_scan ? n != 0 : segments * sizeof(GP_TYPE), GPI_WRITTEN, in_place},
        {"offsets", offsets, n ? (segments + 1) * sizeof(GP_INDEX) : 0, GPI_READ, 0}};
    GPI(job) job;
    cudaError_t error = gpi_check_count(function, "n", n, GPI_MOST_OF(GP_INDEX), GPI(wider));

    if (error == cudaSuccess)
        error = gpi_check_count(function, "segments", segments, SIZE_MAX - 1, GPI(wider) > 8 ? GPI(wider) : 8);
    if (error != cudaSuccess || segments == 0 || (is_scan && n == 0))
        return error;
    if (!offsets && n)
        return gpi_error_null_of(function, "offsets", "segments", segments);
    error = GPI(check)(function, n, segments, "segments", used);
    if (error != cudaSuccess)
        return error;
    memset((void *)&job, 0, sizeof job);
    job.in = in;
    job.out = out;
    job.offsets = n ? offsets : NULL; /* all are empty: rows of no items */
    job.segments = segments;
    job.is_exclusive = what == GPI(scans_exclusive);
    return GPI(launch)(&job, function, n, is_scan, context, ws, stream);
}

/* A call by rows. */
static inline cudaError_t GPI(by_rows)(const char *function, int what, const GP_INPUT_TYPE *in, GP_TYPE *out,
                                       size_t rows, size_t length, GPI_CONTEXT context, gp_workspace *ws,
                                       cudaStream_t stream)
{
    const int is_scan = what != GPI(reduces);
    const int in_place = is_scan && sizeof(GP_TYPE) == GPI(input_bytes);
    const size_t n = gpi_multiply_sizes(rows, length);
    const gpi_argument used[] = {
        {"in", in, gpi_multiply_sizes(n, GPI(input_bytes)), GPI_READ, in_place},
        {"out", out, gpi_multiply_sizes(is_scan ? n : rows, sizeof(GP_TYPE)), GPI_WRITTEN, in_place},
        {NULL, NULL, 0, GPI_READ, 0}};
    GPI(job) job;
    cudaError_t error = gpi_check_count(function, "rows * length", n, GPI_MOST_OF(GP_INDEX), GPI(wider));

    if (error == cudaSuccess)
        error = gpi_check_count(function, "rows", rows, SIZE_MAX, GPI(wider));
    if (error != cudaSuccess || rows == 0 || (is_scan && n == 0))
        return error;
    error = GPI(check)(function, n, rows, "rows", used);
    if (error != cudaSuccess)
        return error;
    memset((void *)&job, 0, sizeof job);
    job.in = in;
    job.out = out;
    job.length = length;
    job.segments = rows;
    job.is_exclusive = what == GPI(scans_exclusive);
    return GPI(launch)(&job, function, n, is_scan, context, ws, stream);
}

GP_API size_t GPI_PUBLIC(segmented_reduce_workspace_bytes)(size_t n, size_t segments)
{
    (void)segments;
    return gpi_tagged_request(GPI(state_bytes)(n, 0), 0);
}

GP_API size_t GPI_PUBLIC(segmented_inclusive_scan_workspace_bytes)(size_t n, size_t segments)
{
    (void)segments;
    return gpi_tagged_request(GPI(state_bytes)(n, 1), GPI(start_bytes)(n));
}

GP_API size_t GPI_PUBLIC(segmented_exclusive_scan_workspace_bytes)(size_t n, size_t segments)
{
    (void)segments;
    return gpi_tagged_request(GPI(state_bytes)(n, 1), GPI(start_bytes)(n));
}

GP_API size_t GPI_PUBLIC(row_reduce_workspace_bytes)(size_t rows, size_t length)
{
    return gpi_tagged_request(GPI(state_bytes)(gpi_multiply_sizes(rows, length), 0), 0);
}

GP_API size_t GPI_PUBLIC(row_inclusive_scan_workspace_bytes)(size_t rows, size_t length)
{
    return gpi_tagged_request(GPI(state_bytes)(gpi_multiply_sizes(rows, length), 1), 0);
}

GP_API size_t GPI_PUBLIC(row_exclusive_scan_workspace_bytes)(size_t rows, size_t length)
{
    return gpi_tagged_request(GPI(state_bytes)(gpi_multiply_sizes(rows, length), 1), 0);
}

/* out[s] = the fold of items offsets[s] to offsets[s + 1] - 1. */
GP_API cudaError_t GPI_PUBLIC(segmented_reduce)(const GP_INPUT_TYPE *in, GP_TYPE *out, size_t n,
                                                const GP_INDEX *offsets, size_t segments,
                                                GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    return GPI(by_offsets)(GPI_TEXT(segmented_reduce), GPI(reduces), in, out, n, offsets, segments, GPI_CONTEXT_VALUE,
                           ws, stream);
}

/* out[i] = the fold of the items of its segment up to in[i]. */
GP_API cudaError_t GPI_PUBLIC(segmented_inclusive_scan)(const GP_INPUT_TYPE *in, GP_TYPE *out, size_t n,
                                                        const GP_INDEX *offsets, size_t segments,
                                                        GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    return GPI(by_offsets)(GPI_TEXT(segmented_inclusive_scan), GPI(scans_inclusive), in, out, n, offsets, segments,
                           GPI_CONTEXT_VALUE, ws, stream);
}

/* out[i] = the fold of the items of its segment before in[i]; the identity for the first. */
GP_API cudaError_t GPI_PUBLIC(segmented_exclusive_scan)(const GP_INPUT_TYPE *in, GP_TYPE *out, size_t n,
                                                        const GP_INDEX *offsets, size_t segments,
                                                        GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    return GPI(by_offsets)(GPI_TEXT(segmented_exclusive_scan), GPI(scans_exclusive), in, out, n, offsets, segments,
                           GPI_CONTEXT_VALUE, ws, stream);
}

/* The same where segment s has items s * length to (s + 1) * length - 1. */
GP_API cudaError_t GPI_PUBLIC(row_reduce)(const GP_INPUT_TYPE *in, GP_TYPE *out, size_t rows, size_t length,
                                          GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    return GPI(by_rows)(GPI_TEXT(row_reduce), GPI(reduces), in, out, rows, length, GPI_CONTEXT_VALUE, ws, stream);
}

GP_API cudaError_t GPI_PUBLIC(row_inclusive_scan)(const GP_INPUT_TYPE *in, GP_TYPE *out, size_t rows, size_t length,
                                                  GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    return GPI(by_rows)(GPI_TEXT(row_inclusive_scan), GPI(scans_inclusive), in, out, rows, length, GPI_CONTEXT_VALUE,
                        ws, stream);
}

GP_API cudaError_t GPI_PUBLIC(row_exclusive_scan)(const GP_INPUT_TYPE *in, GP_TYPE *out, size_t rows, size_t length,
                                                  GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    return GPI(by_rows)(GPI_TEXT(row_exclusive_scan), GPI(scans_exclusive), in, out, rows, length, GPI_CONTEXT_VALUE,
                        ws, stream);
}

#endif
#undef GPI_COPIES_ITEMS
#undef GPI_SEGMENTED
#undef GPI_SEGMENTED_TILES
#include "core/instance/end.cuh"
