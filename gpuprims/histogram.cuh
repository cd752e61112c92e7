/*
 * histogram.cuh: counts the items of an array by bins: by value or any function of it, of equal width, or between
 * levels.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_TYPE        T, any trivially copyable type of any size (int)
 *              GP_BIN(x, bins)  an integer, the bin of x, of `bins`, a size_t (x, if T is an integer); with GP_CONTEXT:
 *                             GP_BIN(x, bins, context)
 *              GP_LOAD_AT(in, i)  an expression for item number i, a size_t, in place of in[i]; with GP_CONTEXT:
 *                             GP_LOAD_AT(in, i, context)
 *              GP_INPUT_TYPE  with GP_LOAD_AT: I, what `in` points to, void too (T)
 *              GP_CONTEXT     type of a by-value argument before `ws`
 *              GP_INDEX       an integer type of 4 or 8 bytes that n has to fit (size_t)
 *              GP_API         linkage of the host functions (static inline)
 *              GP_KERNEL, GP_GRID  for tests: GP_KERNEL_HISTOGRAM_SHARED or GP_KERNEL_HISTOGRAM_GLOBAL, where that
 *                             is possible; a launch has GP_GRID blocks at most
 *
 * Generates    cudaError_t NAME_histogram(const I *in, uint64_t *counts, size_t n, size_t bins, ...)
 *              cudaError_t NAME_histogram_even(in, counts, n, bins, T lower, T upper, ...)
 *              cudaError_t NAME_histogram_range(in, counts, n, bins, const T *levels, ...)
 *              size_t      NAME_<each of them>_workspace_bytes(size_t n, size_t bins)
 *              where ... is [context,] ws, stream
 *
 *     in                                     1 4 0 1 -2 9 1
 *     histogram of 5 bins                    1 3 0 0 1            counts[b]: items whose bin is b
 *     histogram_even of 2 bins, 0 to 10      5 1                  0 <= x < 5, 5 <= x < 10
 *     histogram_range, levels -5 0 1 9       1 1 4                -5 <= x < 0, 0 <= x < 1, 1 <= x < 9
 *
 *     #define GP_NAME   last_digit
 *     #define GP_TYPE   unsigned
 *     #define GP_BIN(x, bins) ((x) % 10)
 *     #include <gpuprims/histogram.cuh>
 *     last_digit_histogram(d_in, d_counts, n, 10, NULL, stream);
 *
 * Guarantees   Asynchronous on `stream`. Counts are overwritten, all of them, and are right beyond 2^32. An item whose
 *              bin is not from 0 to bins - 1 is not counted: a signed bin below 0, x < lower, x >= upper, x <
 *              levels[0], x >= levels[bins], NaN. counts must overlap neither in nor levels. Any number of bins.
 *              Even bins: bin floor(bins * (x - lower) / (upper - lower)); of integers exactly; of floats computed in
 *              double, in this order, and if that rounds up to `bins`, the last one. Levels are bins + 1,
 *              nondecreasing: bin b has levels[b] <= x < levels[b + 1]. Both need an arithmetic T.
 *              With GP_LOAD_AT, `in` is handed through and may be NULL; the expression reads nothing that the call
 *              writes.
 * Evaluations  On items of the input alone, in any order: GP_LOAD_AT at least once for each; GP_BIN at least once, or,
 *              where T is a byte, for each value that occurs.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched: bins == 0, lower >=
 *              upper or NaN, bins * (upper - lower) not finite; a T for which there is no default bin, or that is not
 *              arithmetic; else what a launch or an allocation returned. n == 0 succeeds and clears the counts.
 *
 * How it works: each block counts in shared memory, by atomics, and adds its counters to the counts in the end. While
 * there is room each counter has up to 32 copies, one for each lane of a warp, so that lanes neither wait for each
 * other's banks nor for each other. (Lane-private sub-histograms: Shams and Kennedy, Efficient histogram algorithms for
 * NVIDIA CUDA compatible devices, 2007.)
 *
 *     items of a byte           256 counters by value, whose sums go to the bins
 *     up to 57,000 bins         a counter for each, and copies                     core/histogram/shared.cuh
 *     up to five times that     each block has a part of the bins; others read the same items
 *     more, or few items        atomics on the counts, in the L2                   core/histogram/sparse.cuh
 *
 * Even bins are found without a division: by the product with a reciprocal and, where there are items enough, a table
 * of the least item of each bin (core/histogram/bins.cuh).
 *
 * Cost         n reads of memory; one launch, or, with many bins, another one that clears the counts. A workspace of
 *              some bytes.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG histogram
#define GPI_HEADER "gpuprims/histogram.cuh"
#define GPI_TAKES \
    (GPI_TAKES_TYPE | GPI_TAKES_BIN | GPI_TAKES_INPUT_TYPE | GPI_TAKES_LOAD_AT | GPI_TAKES_CONTEXT | GPI_TAKES_INDEX | \
     GPI_TAKES_API | GPI_TAKES_KERNEL | GPI_TAKES_GRID)
#if defined GP_INPUT_TYPE && !defined GP_LOAD_AT
#error "gpuprims/histogram.cuh: GP_LOAD_AT is missing; GP_INPUT_TYPE goes with it"
#undef GP_INPUT_TYPE
#endif
#endif
#include "core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/histogram.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_CONTEXT_USER
#error "gpuprims/histogram.cuh: GP_BIN is missing; nothing else would receive the GP_CONTEXT"
#endif

#if !defined GPI_DEFAULT || !defined GPI_HISTOGRAM_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_HISTOGRAM_DEFAULT
#endif
GPI_ONCE_PER_NAME(histogram);
GPI_CHECK_INDEX();

#include "core/tile/ticket.cuh"
#include "core/histogram/tuning.cuh"
#include "core/histogram/bins.cuh"
#include "core/histogram/count.cuh"
#include "core/histogram/shared.cuh"
#include "core/histogram/sparse.cuh"

/* ---- host functions -------------------------------------------------------------------------- */

/* The shape of a launch. */
typedef struct {
    unsigned blocks, threads;
    size_t bytes; /* of shared memory */
} GPI(shape);

/* A block alone counts up to so many items, and clears the counts itself. */
static inline int GPI(is_small)(size_t n)
{
    return n <= (size_t)GPI(max_threads) * GPI(unit_n);
}

static inline size_t GPI(bytes)(size_t n)
{
    return GPI(is_small)(n) ? 0 : sizeof(gpi_tile_state_head);
}

/* Divides the items into units, which are vectors if the array is aligned as its type says. */
static inline void GPI(divide)(GPI(job) *job)
{
    const size_t before = (0 - (size_t)(uintptr_t)job->in) % 16;

    job->is_aligned = GPI(by_vectors) && before % sizeof(GP_TYPE) == 0;
    job->first = job->is_aligned ? before / sizeof(GP_TYPE) : 0;
    if (job->first > job->n)
        job->first = job->n;
    job->units = (job->n - job->first) / GPI(unit_n);
}

/* One column more than bins, in groups of 32. */
static inline size_t GPI(counters_bytes)(const GPI(job) *job)
{
    return ((size_t)job->columns + 32) / 32 * 128 << job->copies_bits;
}

/* As many copies of each counter as `room` bytes hold, and no more than are worth adding up. */
static inline void GPI(choose_copies)(GPI(job) *job, size_t room, size_t items)
{
    while (job->copies_bits < GPI(most_copies_bits) && 2 * GPI(counters_bytes)(job) <= room &&
           GPI(counters_bytes)(job) / 2 * GPI_TUNE_HISTOGRAM_COPIES <= items)
        job->copies_bits++;
}

/* Bytes of bins + 1 items and `more`, as whole vectors. */
static inline size_t GPI(levels_bytes)(const GPI(job) *job, size_t more)
{
    return gpi_align_up(gpi_multiply_sizes(job->bins + 1 + more, sizeof(GP_TYPE)));
}

/* Of the tree of levels; 0 if there is none. */
static inline size_t GPI(tree_bytes)(GPI(job) *job)
{
    if (GPI(by_byte) || job->of != GPI_BINS_BETWEEN_LEVELS)
        return 0;
    job->tree_bits = 64 - (unsigned)__builtin_clzll(job->bins + 1);
    return GPI(levels_bytes)(job, ((size_t)1 << job->tree_bits) - job->bins - 1);
}

/* The table of even bins beside the counters, if it pays. Returns the bytes. */
static inline size_t GPI(choose_table)(GPI(job) *job, size_t room, size_t items)
{
    const size_t bytes = GPI(levels_bytes)(job, (job->bins + 1) / 32);

    if (GPI(by_byte) || job->of != GPI_BINS_ARE_EVEN || !(job->even.float_scale > 0) || job->parts > 1 ||
        bytes > room || items < job->bins * GPI_TUNE_HISTOGRAM_TABLE)
        return 0;
    job->of = GPI_BINS_BY_TABLE;
    return bytes;
}

/* Blocks for n items, `most` unless counters of 32 bits might overflow. */
static inline size_t GPI(enough_blocks)(size_t n, size_t most)
{
    const size_t enough = gpi_divide_up(n, (size_t)1 << 31);

    return most < enough ? enough : most;
}

/*
 * Counters in shared memory, if `room` bytes are enough: large blocks, one or two on each multiprocessor, or, for a
 * medium input, smaller ones, but not many: each adds its sums to those of all.
 */
static inline int GPI(fits_shared)(GPI(job) *job, size_t room, GPI(shape) *shape, int is_forced)
{
    const size_t bins = GPI(by_byte) ? 256 : job->bins, most = room / 128 * 32 - 1; /* and one more */
    const size_t parts = gpi_divide_up(bins, most);
    const size_t tiles = gpi_divide_up(job->units, GPI(max_threads) * GPI(rows));
    const size_t resident = gpi_resident_blocks(GPI(resident), SIZE_MAX, GP_GRID);
    const size_t worth = parts == 1 ? GPI_TUNE_HISTOGRAM_SHARED : GPI_TUNE_HISTOGRAM_PART * parts;
    const size_t small_room = gpi_smaller_size(room, GPI_TUNE_HISTOGRAM_SMALL_ROOM);
    const int is_alone = GPI(is_small)(job->n) && bins <= GPI_TUNE_HISTOGRAM_CLEARED;
    const size_t tree = GPI(tree_bytes)(job);
    size_t blocks = tiles < resident ? tiles : resident, bytes;

    if (parts > GPI_TUNE_HISTOGRAM_PARTS || parts > GP_GRID || (tree && parts > 1))
        return 0;
    if (!GPI(by_byte) && !is_alone && !is_forced && job->n < bins * worth)
        return 0;
    job->parts = (unsigned)parts;
    job->columns = (unsigned)gpi_divide_up(bins, parts);
    const size_t least = GPI(counters_bytes)(job) + tree;
    if (least > room)
        return 0;
    shape->threads = GPI(max_threads);
    room /= GPI(resident);
    if (GPI(is_small)(job->n)) {
        blocks = 1;
    } else if (tiles < resident / GPI(resident) && least <= small_room / 2) {
        const size_t enough = resident / GPI(resident) / (tree ? 1 : 2); /* searches take longer than their sums */

        room = small_room;
        shape->threads = GPI_TUNE_HISTOGRAM_THREADS;
        while (shape->threads < GPI(max_threads) &&
               gpi_divide_up(job->units, shape->threads * GPI(rows)) > enough)
            shape->threads *= 2;
        blocks = gpi_divide_up(job->units, shape->threads * GPI(rows));
    }
    blocks = GPI(enough_blocks)(job->n, blocks / parts + !(blocks / parts)) * parts;
    shape->blocks = (unsigned)(blocks < GP_GRID ? blocks : GP_GRID / parts * parts);
    bytes = tree ? tree : GPI(choose_table)(job, room - least, job->n / shape->blocks);
    job->of = tree ? GPI_BINS_BY_TREE : job->of;
    GPI(choose_copies)(job, room - bytes, job->n / shape->blocks);
    shape->bytes = GPI(counters_bytes)(job) + bytes;
    return 1;
}

/* Counts in the L2, and slots. */
static inline void GPI(fit_sparse)(GPI(job) *job, size_t room, GPI(shape) *shape)
{
    const size_t tiles = gpi_divide_up(job->units, GPI(max_threads) * GPI(rows));
    const size_t blocks = GPI(enough_blocks)(job->n, gpi_resident_blocks(1, tiles + !tiles, GP_GRID));

    job->parts = 1;
    job->slots_bits = job->bins >= GPI_NO_SLOT ? 0 : job->n < GPI_TUNE_HISTOGRAM_SLOTS ? 10 : 14;
    while ((size_t)8 << job->slots_bits > room)
        job->slots_bits--;
    shape->blocks = (unsigned)(blocks < GP_GRID ? blocks : GP_GRID);
    shape->threads = GPI(max_threads);
    shape->bytes = job->slots_bits ? (size_t)8 << job->slots_bits : 0;
    job->has_levels = job->of == GPI_BINS_BETWEEN_LEVELS && GPI(levels_bytes)(job, 0) <= room - shape->bytes;
    shape->bytes += job->has_levels ? GPI(levels_bytes)(job, 0) : 0;
}

/* Counts, when all arguments are right and n is not 0. */
static inline cudaError_t GPI(launch)(const char *function, GPI(job) *job, GPI_CONTEXT context, gp_workspace *ws,
                                      cudaStream_t stream)
{
    static signed char known[2][GPI_DEVICES];
    const int kernel = GP_KERNEL;
    const int ready = gpi_kernel_ready((const void *)GPI(shared_kernel), GPI_TUNE_HISTOGRAM_ROOM, known[0]) &
                      gpi_kernel_ready((const void *)GPI(sparse_kernel), GPI_TUNE_HISTOGRAM_ROOM, known[1]);
    const int dependent = (ready & GPI_KERNEL_SM90) != 0;
    const size_t room = /* or all that a kernel has that asks for no more, less what is not dynamic */
        ready & GPI_KERNEL_FITS ? GPI_TUNE_HISTOGRAM_ROOM : GPI_TUNE_HISTOGRAM_SMALL_ROOM - 128;
    GPI(shape) shape;
    gpi_scratch scratch;
    cudaError_t error;

    GPI(divide)(job);
    const int fits = (GPI(by_byte) || kernel != GP_KERNEL_HISTOGRAM_GLOBAL) &&
                     GPI(fits_shared)(job, room, &shape, kernel == GP_KERNEL_HISTOGRAM_SHARED);
    if (!fits)
        GPI(fit_sparse)(job, room, &shape);
    job->clears = fits && job->bins <= GPI_TUNE_HISTOGRAM_CLEARED;
    error = gpi_tagged_scratch_acquire(&scratch, ws, GPI(bytes)(job->n), 0, stream, function);
    if (error != cudaSuccess)
        return error;
    job->head = job->clears && shape.blocks > 1 ? (gpi_tile_state_head *)(void *)scratch.tags : NULL;
    if (!job->clears)
        error = cudaMemsetAsync(job->counts, 0, job->bins * sizeof *job->counts, stream);
    if (error == cudaSuccess && fits)
        error = GPI_LAUNCH_DEPENDENT(dependent, GPI(shared_kernel), shape.blocks, shape.threads, shape.bytes, stream,
                                     *job, context);
    else if (error == cudaSuccess)
        error = GPI_LAUNCH_DEPENDENT(dependent, GPI(sparse_kernel), shape.blocks, shape.threads, shape.bytes, stream,
                                     *job, context);
    return gpi_scratch_release(&scratch, error, stream);
}

/* What all functions check, and an empty input. `levels` is NULL where there are none. */
static inline cudaError_t GPI(run)(const char *function, GPI(job) *job, GPI_CONTEXT context, gp_workspace *ws,
                                   cudaStream_t stream)
{
    const size_t n = job->n, bins = job->bins;
    const size_t bin_bytes = gpi_larger_size(sizeof *job->counts, sizeof(GP_TYPE)); /* or of a level */
    cudaError_t error = gpi_check_count(function, "n", n, GPI_MOST_OF(GP_INDEX), sizeof(GP_TYPE));

    if (error == cudaSuccess)
        error = gpi_check_count(function, "bins", bins, SIZE_MAX - 1, bin_bytes);
    if (error != cudaSuccess)
        return error;
    if (bins == 0)
        return gpi_error(cudaErrorInvalidValue, "%s: bins is 0; it must be at least 1", function);
    if (!job->counts)
        return gpi_error_null_of(function, "counts", "bins", bins);
#ifndef GP_LOAD_AT
    if (!job->in && n)
        return gpi_error_null(function, "in", n);
    const size_t in_bytes = n * sizeof *job->in;
#else
    const size_t in_bytes = 0; /* what is read is unknown */
#endif
    const gpi_argument used[] = {{"in", job->in, in_bytes, GPI_READ, 0},
                                 {"counts", job->counts, bins * sizeof *job->counts, GPI_WRITTEN, 0},
                                 {"levels", job->levels, (bins + 1) * sizeof *job->levels, GPI_READ, 0}};
    error = gpi_check_overlap(function, used, 3);
    if (error != cudaSuccess)
        return error;
    if (n)
        return GPI(launch)(function, job, context, ws, stream);
    GPI_RANGE_BEGIN(function);
    error = cudaMemsetAsync(job->counts, 0, bins * sizeof *job->counts, stream);
    GPI_RANGE_END();
    return error;
}

static inline GPI(job) GPI(job_of)(const GP_INPUT_TYPE *in, uint64_t *counts, size_t n, size_t bins, int of)
{
    GPI(job) job;

    memset((void *)&job, 0, sizeof job);
    job.in = in;
    job.counts = counts;
    job.n = n;
    job.bins = bins;
    job.of = of;
    return job;
}

static inline cudaError_t GPI(not_arithmetic)(const char *function)
{
    return gpi_error(cudaErrorInvalidValue, "%s: GP_TYPE is not arithmetic; %s", function,
                     "histogram, with a GP_BIN, counts items of any type");
}

GP_API size_t GPI_PUBLIC(histogram_workspace_bytes)(size_t n, size_t bins)
{
    (void)bins;
    return gpi_tagged_request(GPI(bytes)(n), 0);
}

GP_API size_t GPI_PUBLIC(histogram_even_workspace_bytes)(size_t n, size_t bins)
{
    (void)bins;
    return gpi_tagged_request(GPI(bytes)(n), 0);
}

GP_API size_t GPI_PUBLIC(histogram_range_workspace_bytes)(size_t n, size_t bins)
{
    (void)bins;
    return gpi_tagged_request(GPI(bytes)(n), 0);
}

/* counts[b]: how many items have the bin b, for all b < bins. */
GP_API cudaError_t GPI_PUBLIC(histogram)(const GP_INPUT_TYPE *in, uint64_t *counts, size_t n, size_t bins,
                                         GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    GPI(job) job = GPI(job_of)(in, counts, n, bins, GPI_BINS_OF_VALUES);

#ifndef GP_BIN
    if (!GPI(is_integer))
        return gpi_error(cudaErrorInvalidValue, "%s: GP_BIN is missing; a GP_TYPE that is no integer needs one",
                         GPI_TEXT(histogram));
#endif
    return GPI(run)(GPI_TEXT(histogram), &job, GPI_CONTEXT_VALUE, ws, stream);
}

/* counts[b]: how many items are in the part b of `bins` equal parts of what is from `lower` to below `upper`. */
GP_API cudaError_t GPI_PUBLIC(histogram_even)(const GP_INPUT_TYPE *in, uint64_t *counts, size_t n, size_t bins,
                                              GP_TYPE lower, GP_TYPE upper, GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                              cudaStream_t stream)
{
    const char *function = GPI_TEXT(histogram_even);
    GPI(job) job =
        GPI(job_of)(in, counts, n, bins, bins >> 31 ? GPI_BINS_ARE_EVEN_AND_MANY : GPI_BINS_ARE_EVEN);

    if (!GPI(is_integer) && !GPI(is_real))
        return GPI(not_arithmetic)(function);
    if (!GPI(at_most)(lower, upper) || GPI(at_most)(upper, lower))
        return gpi_error(cudaErrorInvalidValue, "%s: lower is not less than upper; it must be", function);
    if (bins && bins <= GPI_MAX_BYTES)
        job.even = GPI(even_of)(lower, upper, bins);
    if (GPI(is_real) && !(job.even.real_bins * job.even.real_width <= 1e308))
        return gpi_error(cudaErrorInvalidValue, "%s: bins * (upper - lower) is not finite; it must be", function);
    return GPI(run)(function, &job, GPI_CONTEXT_VALUE, ws, stream);
}

/* counts[b]: how many items x have levels[b] <= x < levels[b + 1]. */
GP_API cudaError_t GPI_PUBLIC(histogram_range)(const GP_INPUT_TYPE *in, uint64_t *counts, size_t n, size_t bins,
                                               const GP_TYPE *levels, GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                               cudaStream_t stream)
{
    const char *function = GPI_TEXT(histogram_range);
    GPI(job) job = GPI(job_of)(in, counts, n, bins, GPI_BINS_BETWEEN_LEVELS);

    job.levels = levels;
    if (!GPI(is_integer) && !GPI(is_real))
        return GPI(not_arithmetic)(function);
    if (!levels && n)
        return gpi_error_null(function, "levels", n);
    return GPI(run)(function, &job, GPI_CONTEXT_VALUE, ws, stream);
}

#endif
#include "core/instance/end.cuh"
