/*
 * segmented_sort.cuh: sorts each segment of an array of keys, alone or with values.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_KEY         K: an integer type of 1, 2, 4 or 8 bytes, float or double (int); or, with
 *              GP_KEY_KIND    GP_UNSIGNED, GP_SIGNED or GP_FLOAT, any other type of such a size, ordered by its
 *                             bits as by those of a number of that kind: __half, __nv_bfloat16, a struct
 *              GP_VALUE       V, any trivially copyable type of any size; without it the keys are sorted alone
 *              GP_DESCENDING  when it is defined, the largest key comes first
 *              GP_INDEX       INDEX, the type of offsets, an integer type of 4 or 8 bytes that n has to fit (size_t)
 *              GP_API         linkage of the host functions (static inline)
 *              GP_KERNEL      for tests: GP_KERNEL_PASSES sorts all but the shortest segments in passes, and
 *                             GP_KERNEL_BUCKETS in buckets, where these are short enough
 *              GP_GRID        for tests: a launch has so many blocks at most
 *
 * Generates    cudaError_t NAME_segmented_sort(const K *in, K *out, size_t n, const INDEX *offsets, size_t segments,
 *                                              ws, stream)
 *              cudaError_t NAME_row_sort(const K *in, K *out, size_t rows, size_t length, ws, stream)
 * with values  cudaError_t NAME_segmented_sort(const K *kin, K *kout, const V *vin, V *vout, size_t n,
 *                                              const INDEX *offsets, size_t segments, ws, stream)
 *              cudaError_t NAME_row_sort(kin, kout, vin, vout, size_t rows, size_t length, ws, stream)
 * and          size_t NAME_segmented_sort_workspace_bytes(size_t n, size_t segments)
 *              size_t NAME_row_sort_workspace_bytes(size_t rows, size_t length)
 *
 *     in                        1 5 0 | 2 1 | | 3
 *     offsets                   0 3 5 5 6          segments + 1, on the device, the last at most n
 *     sorted                    0 1 5 | 1 2 | | 3
 *     values, if vin is NULL    2 0 1 | 1 0 | | 0  where in its segment each key came from
 *
 *     #define GP_NAME  events
 *     #define GP_KEY   unsigned
 *     #define GP_VALUE float
 *     #define GP_INDEX int
 *     #include <gpuprims/segmented_sort.cuh>
 *     events_segmented_sort(d_times, d_times, d_prices, d_prices, n, d_offsets, users, NULL, stream);
 *
 * Order        That of radix_sort.cuh: integers by number, floats by number with NaNs past the infinities of their
 *              sign, -0.0 and +0.0 equal. Stable, of keys alone too.
 * Values       vin == NULL stands for 0, 1, 2, ... in each segment: a float or double gets the number, any other type
 *              its lowest bytes.
 * Guarantees   Asynchronous on `stream`; offsets are read on the device. Segments may be of any lengths, in any
 *              mixture. Items before the first offset and behind the last are not copied: out stays as it is there.
 *              in == out is allowed, for keys and for values; no other overlap. Launches depend on n, the number of
 *              segments and the types alone.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched; else what a launch or
 *              an allocation returned. Overlap is refused where it is certain whatever the offsets are. No segments, or
 *              rows, or items succeed and write nothing.
 *
 * How it works, by the length of a segment:
 *
 *     tiny, up to 16 items       a warp takes up to 128 segments, a lane each (core/segmented_sort/tiny.cuh); where any
 *                                of these is longer, they are sorted as short ones
 *     small, up to 128 items     by a warp, too, where most are so small, and up to 256 where they are few: a team of
 *                                lanes each (core/segmented_sort/small.cuh, core/segmented_sort/direct.cuh)
 *     short, up to 6144 items    in one pass over memory: a block sorts together as many segments as fit into its
 *                                shared memory, or one of more than 4096 items (core/segmented_sort/tile.cuh)
 *     long, well spread          one pass by the topmost digit (core/segmented_sort/pass.cuh) makes buckets that are
 *                                short, and are sorted in the same way
 *     long                       passes from the lowest digit up, over the tiles of all such segments together
 *
 * Which segments are long is found out on the device, and so is how they are sorted (core/segmented_sort/long.cuh), in
 * one launch, whose blocks wait for each other (core/segmented_sort/sort.cuh). docs/segmented-sort.md has pictures.
 *
 * Cost: for short segments a read and a write of each item, for long ones one read of keys more, and one read and
 * write for buckets, or for each digit that differs but the first. One launch for up to 512 segments of some two
 * million items together, and where n, or the length of rows, is that of a short segment at most; otherwise three, or
 * four for more items. No workspace where n, or the length of rows, is that of a short segment at most; otherwise
 * n keys, n values and up to 7 bytes for each item, with keys of 4 bytes alone 3. Values of more than 16 bytes take n
 * values and 16 n bytes more, and a launch that fetches them.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG segmented_sort
#define GPI_HEADER "gpuprims/segmented_sort.cuh"
#define GPI_TAKES \
    (GPI_TAKES_KEY | GPI_TAKES_KEY_KIND | GPI_TAKES_VALUE | GPI_TAKES_DESCENDING | GPI_TAKES_INDEX | GPI_TAKES_API | \
     GPI_TAKES_KERNEL | GPI_TAKES_GRID)
#endif
#include "core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/segmented_sort.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_WRONG_KEY_KIND
#error "gpuprims/segmented_sort.cuh: GP_KEY_KIND must be GP_UNSIGNED, GP_SIGNED or GP_FLOAT"
#endif

#if !defined GPI_DEFAULT || !defined GPI_SEGMENTED_SORT_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_SEGMENTED_SORT_DEFAULT
#endif
GPI_ONCE_PER_NAME(GPI_TAG);
GPI_CHECK_INDEX();

#include "core/instance/radix_key.cuh"
#if GPI_DEPTH == 1
GPI_CHECK_KEY();
#endif
#include "core/instance/radix_value.cuh"
#include "core/segmented_sort/tuning.cuh"
#include "core/tile/bins.cuh"
#include "core/tile/clear.cuh"
#include "core/tile/ticket.cuh"

#include "core/segmented_sort/job.cuh"
#include "core/segmented_sort/tiny.cuh"
#include "core/segmented_sort/small.cuh"
#include "core/segmented_sort/direct.cuh"
#include "core/segmented_sort/group.cuh"
#include "core/segmented_sort/long.cuh"
#include "core/segmented_sort/pass.cuh"
#include "core/segmented_sort/tile.cuh"
#include "core/segmented_sort/sort.cuh"
#define GPI_FETCH_NUMBER uint64_t
#include "core/tile/fetch.cuh"

/* ---- host functions -------------------------------------------------------------------------- */

/* The arrays of a call, and how many items and segments there are. */
typedef struct {
    const GP_KEY *keys_in;
    GP_KEY *keys_out;
    const GPI_RADIX_VALUE *values_in;
    GPI_RADIX_VALUE *values_out;
    size_t n, segments;
    const GP_INDEX *offsets; /* NULL: all segments have this length */
    size_t length;
} GPI(request);

/* Whether there may be long segments. */
static inline int GPI(has_longs)(size_t n, size_t length, int is_by_rows)
{
    return (is_by_rows ? length : n) > GPI(short_n);
}

/* Segments and items together, in units. */
static inline size_t GPI(units)(size_t n, size_t segments)
{
    return gpi_add_sizes(n, segments / GPI(unit_n));
}

/* Whether one launch sorts all segments, without a kernel that plans. */
static inline int GPI(is_few)(size_t n, size_t segments)
{
    return segments <= GPI(threads) && GPI(units)(n, segments) / GPI(range_n) < GPI_TUNE_SEGMENTED_SORT_JOINT;
}

/* Units of a range: few, where there are not many, so that more blocks share them. */
static inline size_t GPI(range_of)(size_t n, size_t segments)
{
    const size_t share = gpi_divide_up(GPI(units)(n, segments), GPI_TUNE_SEGMENTED_SORT_SHARES);
    const size_t small = gpi_larger_size(share, GPI_TUNE_SEGMENTED_SORT_SMALL);

    return gpi_smaller_size(n > GPI(short_n) && !GPI(is_few)(n, segments) ? SIZE_MAX : small, GPI(range_n));
}

static inline size_t GPI(ranges_of)(size_t n, size_t segments)
{
    return GPI(units)(n, segments) / GPI(range_of)(n, segments) + 1;
}

/* The most ranges of up to n items in up to so many segments. */
static inline size_t GPI(most_ranges)(size_t n, size_t segments)
{
    return gpi_larger_size(GPI_TUNE_SEGMENTED_SORT_SHARES, GPI(units)(n, segments) / GPI(range_n)) + 1;
}

/* Divides the workspace, of which the first *cleared bytes have to be zero. Returns how many bytes are needed. */
static inline size_t GPI(lay_out)(GPI(job) *job, GPI_RADIX_VALUE **copy, char *memory, size_t n, size_t segments,
                                  int has_longs, size_t *cleared)
{
    const size_t longs = n / (GPI(short_n) + 1), tiles = n / GPI(pass_n) + longs;
    const size_t ranges = GPI(most_ranges)(n, segments);
    const uintptr_t start = (uintptr_t)memory;
    size_t end = 0;

    memset((void *)job, 0, sizeof *job);
    *cleared = 0;
    if (has_longs) {
        job->all = (gpi_long_segments *)(start + gpi_carve(&end, 1, sizeof *job->all));
        if (!GPI(is_few)(n, segments))
            job->table = (uint64_t *)(start + gpi_carve(&end, ranges, sizeof *job->table));
        *cleared = end;
        job->covering = (uint32_t *)(start + gpi_carve(&end, ranges, sizeof *job->covering));
        job->longs = (gpi_long_segment *)(start + gpi_carve(&end, longs, sizeof *job->longs));
        job->starts = (uint64_t *)(start + gpi_carve(&end, longs, GPI(digits) * GPI(radix) * sizeof *job->starts));
        job->map = (uint32_t *)(start + gpi_carve(&end, tiles, sizeof *job->map));
        job->look = (uint64_t *)(start + gpi_carve(&end, tiles, GPI(radix) * sizeof *job->look));
        job->keys = (GP_KEY *)(start + gpi_carve(&end, n, sizeof *job->keys));
        job->values = (GPI(value) *)(start + gpi_carve(&end, n, GPI(value_bytes)));
    }
    if (GPI(fetches)) {
        job->values_out = (GPI(value) *)(start + gpi_carve(&end, n, sizeof *job->values_out));
        *copy = (GPI_RADIX_VALUE *)(start + gpi_carve(&end, n, sizeof **copy));
    }
    return end;
}

/* Bytes of scratch memory, and of what is zero between calls. */
static inline size_t GPI(scratch_bytes)(size_t n, size_t segments, int has_longs)
{
    GPI_RADIX_VALUE *copy = NULL;
    size_t cleared;
    GPI(job) job;

    return n && segments ? GPI(lay_out)(&job, &copy, NULL, n, segments, has_longs, &cleared) : 0;
}

static inline size_t GPI(head_bytes)(size_t n, size_t segments, int has_longs)
{
    return n && segments && has_longs ? sizeof(gpi_tile_state_head) : 0;
}

/*
 * Items that small segments have at most, if these are what most are, and are sorted by warps; otherwise 0, as where a
 * launch for them would be one more.
 */
static inline uint32_t GPI(small_items)(const GPI(job) *job, size_t n)
{
    const uint32_t many = GPI(many_small_n), most = n <= GPI_TUNE_SEGMENTED_SORT_FEW ? (uint32_t)GPI(small_n) : many;
    const size_t average = n / job->segments;

    if (average <= GPI(tiny_n) || job->is_direct || (job->offsets && job->is_few))
        return 0;
    return average <= (job->offsets ? many : most) ? most : 0;
}

/* Segments of a group. */
static inline size_t GPI(group_of)(const GPI(job) *job, size_t n)
{
    const size_t average = n / job->segments, some = GPI_TUNE_SEGMENTED_SORT_SOME * 32 / GPI(team_items);

    if (!job->small)
        return job->offsets || job->segments > GPI_TUNE_SEGMENTED_SORT_FEW_ROWS ? GPI(group_n) : 32;
    if (job->small == GPI(many_small_n) || (job->segments >= some && average <= 64))
        return average <= 32 ? 32 : 16;
    return gpi_smaller_size(GPI(few_n), GPI(few_items) / average);
}

/* Sorts groups of short segments, and finds the long ones. */
static inline cudaError_t GPI(launch_plan)(const GPI(job) *job, int dependent, cudaStream_t stream)
{
    const size_t blocks = gpi_smaller_size(gpi_divide_up(job->segments, job->group * GPI(plan_warps)), GP_GRID);

    if (job->small)
        return GPI_LAUNCH_DEPENDENT(dependent, GPI(small_kernel), (unsigned)blocks, (unsigned)GPI(plan_threads), 0,
                                    stream, *job);
    return GPI_LAUNCH_DEPENDENT(dependent, GPI(plan_kernel), (unsigned)blocks, (unsigned)GPI(plan_threads), 0, stream,
                                *job);
}

/* Sorts long segments, what starts in ranges, or first the one and then the other. */
static inline cudaError_t GPI(launch_sort)(GPI(job) *job, int longs, int ranges, int dependent, cudaStream_t stream)
{
    const unsigned resident = gpi_resident_blocks(GPI_TUNE_SEGMENTED_SORT_BLOCKS, SIZE_MAX, GP_GRID);
    /* Few segments, which may be small, have a block each, as long as there are processors. */
    const unsigned each = job->is_few || job->is_direct ? gpi_resident_blocks(1, job->segments, GP_GRID) : 0;
    const unsigned shares = gpi_resident_blocks(8 * GPI_TUNE_SEGMENTED_SORT_BLOCKS, job->ranges, GP_GRID);
    const unsigned grid = shares > each ? shares : each;

    job->sorts_longs = longs;
    job->sorts_ranges = ranges;
    job->blocks = ranges && grid < resident ? grid : resident;
    return GPI_LAUNCH_DEPENDENT(dependent, GPI(sort_kernel), ranges ? grid : resident, (unsigned)GPI(threads),
                                GPI(phase_bytes), stream, *job);
}

/* All launches of a call. */
static inline cudaError_t GPI(launch)(GPI(job) *job, const GPI(request) *request, size_t cleared, GPI_RADIX_VALUE *copy,
                                      cudaStream_t stream)
{
    static signed char known[GPI_DEVICES];
    const int ready = gpi_kernel_ready((const void *)GPI(sort_kernel), GPI(phase_bytes), known);
    const int dependent = (ready & GPI_KERNEL_SM90) != 0;
    cudaError_t error = cudaSuccess;

    job->keys_in = request->keys_in;
    job->keys_out = request->keys_out;
    if (!job->values_out) {
        job->values_in = (const GPI(value) *)(const void *)request->values_in;
        job->values_out = (GPI(value) *)(void *)request->values_out;
    }
    job->counts_all = request->values_in != NULL;
    job->offsets = request->offsets;
    job->length = request->length;
    job->table = request->offsets ? job->table : NULL;
    job->segments = request->segments;
    job->ranges = GPI(ranges_of)(request->n, request->segments);
    job->range_n = GPI(range_of)(request->n, request->segments);
    /* Not if the input would then have sorted keys with values as they were, or the other way round. */
    job->sorts_twice = !GPI_RADIX_PAIRS || (job->keys_in == job->keys_out) == (job->values_in == job->values_out);
    job->is_few = GPI(is_few)(request->n, request->segments);
    job->is_direct = !job->offsets && job->length <= GPI(small_n) && job->segments <= GPI(direct_rows) &&
                   request->n <= 64 * (size_t)GPI(direct_rows);
    job->small = GPI(small_items)(job, request->n);
    job->group = GPI(group_of)(job, request->n);
    if (!job->offsets && !job->is_direct && (job->length <= GPI(tiny_n) || job->small)) {
        error = GPI(launch_plan)(job, dependent, stream);
    } else if (job->head && !job->is_few) {
        const int joint = job->ranges <= GPI_TUNE_SEGMENTED_SORT_JOINT;

        error = gpi_clear((uint32_t *)(void *)job->all, cleared / sizeof(uint32_t), dependent, stream);
        if (error == cudaSuccess)
            error = GPI(launch_plan)(job, dependent, stream);
        if (error == cudaSuccess)
            error = GPI(launch_sort)(job, 1, joint, dependent, stream);
        if (error == cudaSuccess && !joint)
            error = GPI(launch_sort)(job, 0, 1, dependent, stream);
    } else {
        error = GPI(launch_sort)(job, 1, 1, dependent, stream);
    }
#ifdef GP_VALUE
    if (error == cudaSuccess && copy)
        error = GPI(fetch)(request->values_in, (const uint64_t *)(const void *)job->values_out, request->values_out,
                           request->n, request->offsets, request->segments, copy, stream);
#else
    (void)copy;
#endif
    return error;
}

/* Refuses wrong arguments. `items` and `segments` are what messages call these numbers. */
static inline cudaError_t GPI(check)(const char *function, const GPI(request) *request, const char *items,
                                     const char *segments, int is_by_rows)
{
    const size_t n = request->n, key_bytes = sizeof(GP_KEY), value_bytes = sizeof(GPI_RADIX_VALUE);
    const size_t most = GPI_MAX_TILES * 32; /* half of the ranges of a launch, and of the threads of another */
    /* By offsets, which items there are is not known here: the start alone is certain. */
    const size_t certain_keys = is_by_rows ? gpi_multiply_sizes(n, key_bytes) : n != 0;
    const size_t offset_bytes = gpi_multiply_sizes(request->segments + 1, sizeof(GP_INDEX));
    const size_t certain_values = !GPI_RADIX_PAIRS ? 0 : is_by_rows ? gpi_multiply_sizes(n, value_bytes) : n != 0;
    const gpi_argument used[] = {{GPI_RADIX_PAIRS ? "kin" : "in", request->keys_in, certain_keys, GPI_READ, 1},
                                 {GPI_RADIX_PAIRS ? "kout" : "out", request->keys_out, certain_keys, GPI_WRITTEN, 1},
                                 {"vin", request->values_in, certain_values, GPI_READ, 2},
                                 {"vout", request->values_out, certain_values, GPI_WRITTEN, 2},
                                 {"offsets", request->offsets, is_by_rows ? 0 : offset_bytes, GPI_READ, 0}};
    const size_t item_bytes = GPI_RADIX_PAIRS ? gpi_larger_size(key_bytes, value_bytes) : key_bytes;
    cudaError_t error = gpi_check_count(function, items, n, gpi_smaller_size(GPI_MOST_OF(GP_INDEX), most), item_bytes);

    if (error == cudaSuccess)
        error = gpi_check_count(function, segments, request->segments, most, 8);
    if (error != cudaSuccess || n == 0 || request->segments == 0)
        return error;
    return gpi_check_arrays(function, used, 5, 2, is_by_rows ? "rows" : "n", is_by_rows ? request->segments : n);
}

static inline cudaError_t GPI(sort)(const char *function, const GPI(request) *request, int is_by_rows, gp_workspace *ws,
                                    cudaStream_t stream)
{
    const int has_longs = GPI(has_longs)(request->n, request->length, is_by_rows);
    const size_t n = request->n, segments = request->segments;
    GPI_RADIX_VALUE *copy = NULL;
    gpi_scratch scratch;
    size_t cleared;
    GPI(job) job;
    cudaError_t error =
        GPI(check)(function, request, is_by_rows ? "rows * length" : "n", is_by_rows ? "rows" : "segments", is_by_rows);

    if (error != cudaSuccess || n == 0 || segments == 0)
        return error;
    error = gpi_tagged_scratch_acquire(&scratch, ws, GPI(head_bytes)(n, segments, has_longs),
                                       GPI(scratch_bytes)(n, segments, has_longs), stream, function);
    if (error != cudaSuccess)
        return error;
    (void)GPI(lay_out)(&job, &copy, scratch.memory, n, segments, has_longs, &cleared);
    job.head = has_longs ? (gpi_tile_state_head *)(void *)scratch.tags : NULL;
    error = GPI(launch)(&job, request, cleared, copy, stream);
    return gpi_scratch_release(&scratch, error, stream);
}

/* Bytes of workspace. */
static inline size_t GPI(workspace)(size_t n, size_t segments, int has_longs)
{
    return gpi_tagged_request(GPI(head_bytes)(n, segments, has_longs), GPI(scratch_bytes)(n, segments, has_longs));
}

GP_API size_t GPI_PUBLIC(segmented_sort_workspace_bytes)(size_t n, size_t segments)
{
    return GPI(workspace)(n, segments, GPI(has_longs)(n, 0, 0));
}

GP_API size_t GPI_PUBLIC(row_sort_workspace_bytes)(size_t rows, size_t length)
{
    return GPI(workspace)(gpi_multiply_sizes(rows, length), rows, GPI(has_longs)(0, length, 1));
}

/* Sorts items offsets[s] to offsets[s + 1] - 1 for each s. */
GP_API cudaError_t GPI_PUBLIC(segmented_sort)(GPI_ITEM_PARAMETERS, size_t n, const GP_INDEX *offsets,
                                              size_t segments, gp_workspace *ws, cudaStream_t stream)
{
    const GPI(request) request = {GPI_ITEM_ARGUMENTS, n, segments, offsets, 0};

    return GPI(sort)(GPI_TEXT(segmented_sort), &request, 0, ws, stream);
}

/* Sorts items s * length to (s + 1) * length - 1 for each s. */
GP_API cudaError_t GPI_PUBLIC(row_sort)(GPI_ITEM_PARAMETERS, size_t rows, size_t length, gp_workspace *ws,
                                        cudaStream_t stream)
{
    const GPI(request) request = {GPI_ITEM_ARGUMENTS, gpi_multiply_sizes(rows, length), rows, NULL, length};

    return GPI(sort)(GPI_TEXT(row_sort), &request, 1, ws, stream);
}

#undef GPI_RADIX_PAIRS
#undef GPI_RADIX_VALUE
#undef GPI_SEGMENTED_SORT_MOVES_VALUES
#undef GPI_SEGMENTED_SORT_ALIGNMENT
#undef GPI_SEGMENTED_SORT_SEEN
#undef GPI_ITEM_PARAMETERS
#undef GPI_ITEM_ARGUMENTS

#endif
#include "core/instance/end.cuh"
