/*
 * classic/odd_even_merge_sort.cuh: Batcher's odd-even merge sort, a network with fewer comparators
 * than the bitonic one.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_KEY         K, an arithmetic type, ordered by < (int)
 *              GP_VALUE       V, any trivially copyable type that goes along with a key; K and V have up to
 *                             16384 bytes (none)
 *              GP_API         linkage of the host functions (static inline)
 *
 * Generates    cudaError_t NAME_odd_even_merge_sort(K *keys, [V *values,] size_t batch,
 *                                                   size_t length, int descending,
 *                                                   const gp_classic_options *opt, ws, stream)
 *              size_t      NAME_odd_even_merge_sort_workspace_bytes(size_t batch, size_t length,
 *                                                                   int descending)
 *              size_t      gp_odd_even_comparators(size_t length)
 *
 *     keys                 1 5 0 1 2 0 3           one array of seven
 *     pairs sorted         1 5 0 1 0 2 3           stage 1: compares (0,1) (2,3) (4,5)
 *     fours sorted         0 1 1 5 0 2 3           stage 2: (0,2) (1,3) (4,6); (1,2) (5,6)
 *     eights sorted        0 0 1 1 2 3 5           stage 3: (0,4) (1,5) (2,6); ...
 *
 *     #include <gpuprims/classic/odd_even_merge_sort.cuh>
 *     gp_odd_even_merge_sort(d_keys, 1, n, 0, NULL, NULL, stream);
 *
 * Sorts `batch` arrays of `length` keys each, one behind the other, in place. Uses
 * opt->block_threads (default 512), cut to the power of two whose tile fits into 48 KB of shared
 * memory: 256 threads for pairs of 8 bytes.
 *
 * Guarantees   Asynchronous on `stream`; launches depend on batch, length and opt alone. Which
 *              items are compared depends on length alone, and how often on nothing else:
 *              gp_odd_even_comparators() says how often for one array. Equal keys are never
 *              exchanged; but keys that lie between them are, so that the sort is not stable. With
 *              NaNs among the keys the order is unspecified; what comes out is what went in.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched;
 *              else what a launch returned. An empty batch or arrays of no keys succeed and do nothing.
 *
 * How it works (Batcher, Sorting networks and their applications, 1968; Knuth, The Art of Computer
 * Programming, volume 3, section 5.3.4). Stage q merges sorted runs of 2^(q-1) to runs of 2^q: the
 * first step compares each item of the first run with the one 2^(q-1) further on, in the second;
 * the steps of the strides k = 2^(q-2), ..., 2, 1 compare items k, k + 1, ..., 2k - 1 of every 2k
 * with those k further on, within the 2^q. Every comparator sends the smaller key to the lower
 * place, so that those which reach past the end can be left out, as in the bitonic network.
 *
 *     1. tile: every block sorts a tile, or several short arrays, in shared memory
 *     2. for each longer stage, the first k steps in registers: they compare only items whose indices
 *        are equal modulo the last stride, 2^k of them, which one thread takes
 *     3. the next steps one by one, until the stride is a quarter of a tile
 *     4. the others in shared memory, in two launches, since they reach across tile borders. First every
 *        block does what needs no other tile, less from step to step, since what lies within two
 *        strides of a border has to wait. Then blocks half a tile further on do the rest, around
 *        each border
 *
 * Flaw of the rung before, the bitonic sort: n L / 2 - n + 1 comparators more, with n = 2^L. Cost:
 * n L (L - 1) / 4 + n - 1 comparators. With tiles of 2^t items, one pass over memory for the stages
 * up to t, and for stage q 1 + max(0, q - k - t + 1) + 2 passes. Pairs of 8 bytes: k = 4, t = 12;
 * 2^24 of them take 82. No workspace. What remains: as many steps as before, which are harder to
 * combine, so that fewer comparators take longer; and a radix sort has far less to do.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG odd_even_merge_sort
#define GPI_HEADER "gpuprims/classic/odd_even_merge_sort.cuh"
#define GPI_TAKES (GPI_TAKES_KEY | GPI_TAKES_VALUE | GPI_TAKES_API)
#endif
#include "../core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/classic/odd_even_merge_sort.cuh: GP_NAME is missing; every other parameter requires it"
#endif

#if !defined GPI_DEFAULT || !defined GPI_ODD_EVEN_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_ODD_EVEN_DEFAULT
#endif
GPI_ONCE_PER_NAME(odd_even_merge_sort);

#define GPI_NETWORK_SMALL_LOG 4
#define GPI_NETWORK_BLOCK 512
#include "core/network.cuh"

/* ---- comparators ----------------------------------------------------------------------------- */

#ifndef GPI_ODD_EVEN_COMPARATORS
#define GPI_ODD_EVEN_COMPARATORS
/*
 * The number of comparators for an array of this length. The first step of stage q has one for
 * every index with bit q - 1. A step of stride k has k fewer than half the items of each whole 2^q:
 * one for every index from 2k on, counted from the start of its 2^q, without the bit of k.
 */
static inline size_t gp_odd_even_comparators(size_t length)
{
    int stages = gpi_levels(length);
    size_t sum = 0;

    for (int q = 1; q <= stages; q++) {
        size_t whole = length >> q, rest = length - (whole << q);

        sum += gpi_ones_below(length, q - 1);
        for (int bit = q - 2; bit >= 0; bit--) {
            size_t stride = (size_t)1 << bit;

            sum += whole * (((size_t)1 << (q - 1)) - stride);
            if (rest > 2 * stride)
                sum += rest - gpi_ones_below(rest, bit) - stride;
        }
    }
    return sum;
}
#endif

/* ---- device functions ------------------------------------------------------------------------ */

/*
 * The lower item of comparator `i` of a step of stride 2^bit; the higher one is a stride further
 * on. In the first step of a stage the lower item has the bit clear, in the others set.
 */
GPI_DEVICE size_t GPI(low)(size_t i, int bit, int first)
{
    size_t below = ((size_t)1 << bit) - 1;

    return (i & ~below) << 1 | (i & below) | (size_t)!first << bit;
}

/* A comparator of two places of a tile. */
GPI_DEVICE void GPI(compare_shared)(const GPI(tile) *tile, unsigned low, unsigned high)
{
    GP_KEY lower = tile->keys[low], higher = tile->keys[high];

    GPI_COUNT_COMPARATOR();
    if (higher < lower) {
        tile->keys[low] = higher;
        tile->keys[high] = lower;
        GPI_NETWORK_IF_VALUES(GP_VALUE value = tile->values[low];
                              tile->values[low] = tile->values[high]; tile->values[high] = value;)
    }
}

/* Reads places [from, to) of a window. */
GPI_DEVICE void GPI(read)(const GPI(job) *job, const GPI(window) *window,
                          const GPI(tile) *tile, unsigned from, unsigned to)
{
    for (unsigned place = from + threadIdx.x; place < to; place += blockDim.x)
        if (GPI(holds)(window, place)) {
            size_t at = GPI(at)(job, window, place);

            tile->keys[place] = job->keys[at];
            GPI_NETWORK_IF_VALUES(tile->values[place] = job->values[at];)
        }
}

GPI_DEVICE void GPI(write)(const GPI(job) *job, const GPI(window) *window,
                           const GPI(tile) *tile, unsigned from, unsigned to)
{
    __syncthreads(); /* the last step is complete */
    for (unsigned place = from + threadIdx.x; place < to; place += blockDim.x)
        if (GPI(holds)(window, place)) {
            size_t at = GPI(at)(job, window, place);

            job->keys[at] = tile->keys[place];
            GPI_NETWORK_IF_VALUES(job->values[at] = tile->values[place];)
        }
}

/* The first steps of a stage, within a thread: its items are a stride apart. */
GPI_DEVICE void GPI(top)(GPI(registers) *items, unsigned present)
{
    GPI_UNROLL
    for (int b = GPI(log_items) - 1; b >= 0; b--) {
        const int first = b == GPI(log_items) - 1;

        GPI_UNROLL
        for (int r = 0; r < GPI(items_of_thread); r++) {
            int other = r + (1 << b);

            if ((r >> b & 1) != first && other < GPI(items_of_thread) && present >> other & 1)
                GPI(compare)(items, r, other, 0);
        }
    }
}

/* Which comparators of the small strides of a stage a block does: see GPI(is_selected). */
typedef struct {
    unsigned widest; /* the largest of the strides */
    unsigned centre; /* second launch: the border; else 0 */
    int left, right; /* first launch: whether the stage continues across the border */
} GPI(borders);

/*
 * Whether the block does the comparator with this lower place: in the first launch those whose
 * inputs the block has computed, in the second all others. The comparators of a step of stride k
 * form groups of 2k places, centred on multiples of 2k. In the first step the group on the border
 * is left out; in each later one also those next to it that overlap what was left out before. So
 * the places up to 2 widest - 2k from the border have missed something when the step of stride k
 * begins.
 */
GPI_DEVICE int GPI(is_selected)(const GPI(borders) *borders, unsigned low, unsigned stride,
                                unsigned places)
{
    unsigned group = low & ~(stride - 1), end = group + 2 * stride;
    unsigned missed = 2 * borders->widest - 2 * stride;

    if (borders->centre)
        return group < borders->centre + missed && end > borders->centre - missed;
    return (!borders->left || group >= missed) && end <= places - (borders->right ? missed : 0);
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* 1. One block per tile: the stages up to the tile's size, or the arrays' if they are smaller. */
static __global__ void __launch_bounds__(GPI(max_threads))
    GPI(tile_kernel)(GPI(job) job, size_t tiles, int stages)
{
    GP_DYNAMIC_SHARED(unsigned char, memory);
    const unsigned places = 1u << job.tile_bits;
    GPI(tile) tile = GPI(carve)(&job, memory);
    size_t number = gpi_global_block();

    if (number >= tiles)
        return;
    GPI(window) window = GPI(open_window)(&job, number, 0);
    GPI(read)(&job, &window, &tile, 0, places);
    for (int q = 1; q <= stages; q++)
        for (int bit = q - 1; bit >= 0; bit--) {
            __syncthreads(); /* the previous step, at first the read of the tile, is complete */
            for (unsigned i = threadIdx.x; i < places / 2; i += blockDim.x) {
                unsigned low = (unsigned)GPI(low)(i, bit, bit == q - 1);
                unsigned high = low + (1u << bit);

                if (low >> q == high >> q && (window.whole || GPI(holds)(&window, high)))
                    GPI(compare_shared)(&tile, low, high);
            }
        }
    GPI(write)(&job, &window, &tile, 0, places);
}

/*
 * 2. One thread per 2^log_items items, 2^shift apart: the first steps of the stage, which stay
 * within them. `blocks` blocks per array.
 */
static __global__ void __launch_bounds__(GPI(max_threads), GPI(min_blocks))
    GPI(top_kernel)(GPI(job) job, size_t blocks, int shift)
{
    size_t number = gpi_global_block(), array = job.batch == 1 ? 0 : number / blocks;
    size_t thread = (number - array * blocks) * blockDim.x + threadIdx.x;
    size_t first = thread >> shift << (shift + GPI(log_items));
    size_t origin = GPI(origin)(&job, array);
    GPI(registers) items;
    unsigned present = 0;

    first |= thread & (((size_t)1 << shift) - 1);
    if (array >= job.batch || first >= job.length)
        return;
    GPI_UNROLL
    for (int r = 0; r < GPI(items_of_thread); r++) {
        size_t i = first | (size_t)r << shift;

        present |= (unsigned)(i < job.length) << r;
        if (i >= job.length)
            i = first; /* any will do: it is neither compared nor written */
        GPI(load)(&job, &items, r, origin + (i ^ job.backwards));
    }
    if (present == GPI_NETWORK_ALL)
        GPI(top)(&items, GPI_NETWORK_ALL);
    else
        GPI(top)(&items, present);
    GPI_UNROLL
    for (int r = 0; r < GPI(items_of_thread); r++)
        if (present >> r & 1)
            GPI(store)(&job, &items, r,
                       origin + ((first | (size_t)r << shift) ^ job.backwards));
}

/* 3. One thread per comparator of a step of stage q that is not its first. */
static __global__ void __launch_bounds__(GPI(max_threads))
    GPI(step_kernel)(GPI(job) job, size_t blocks, int q, int bit)
{
    size_t number = gpi_global_block(), array = job.batch == 1 ? 0 : number / blocks;
    size_t thread = (number - array * blocks) * blockDim.x + threadIdx.x;
    size_t low = GPI(low)(thread, bit, 0), high = low + ((size_t)1 << bit);
    size_t origin = GPI(origin)(&job, array);

    if (array >= job.batch || high >= job.length || low >> q != high >> q)
        return;
    low = origin + (low ^ job.backwards);
    high = origin + (high ^ job.backwards);
    GP_KEY lower = job.keys[low], higher = job.keys[high];
    GPI_COUNT_COMPARATOR();
    if (higher < lower) {
        job.keys[low] = higher;
        job.keys[high] = lower;
        GPI_NETWORK_IF_VALUES(GP_VALUE value = job.values[low]; job.values[low] = job.values[high];
                              job.values[high] = value;)
    }
}

/*
 * 4. One block per tile, in the second launch half a tile further on: the steps of stage q of the
 * strides below 2^strides, at most a quarter of a tile.
 */
static __global__ void __launch_bounds__(GPI(max_threads))
    GPI(window_kernel)(GPI(job) job, size_t tiles, int q, int strides, int second)
{
    GP_DYNAMIC_SHARED(unsigned char, memory);
    const unsigned places = 1u << job.tile_bits;
    GPI(tile) tile = GPI(carve)(&job, memory);
    size_t number = gpi_global_block(), in_array = number % job.windows;
    size_t next = (in_array + 1) << job.tile_bits, inside = ((size_t)1 << q) - 1;
    unsigned from = 0, to = places;
    GPI(borders) borders = {1u << (strides - 1), 0, 0, 0};

    borders.left = ((in_array << job.tile_bits) & inside) != 0;
    borders.right = (next & inside) != 0 && next < job.length;
    if (number >= tiles || (second && !borders.right))
        return;
    if (second) {
        borders.centre = places / 2;
        from = borders.centre - 2 * borders.widest;
        to = borders.centre + 2 * borders.widest;
    }
    GPI(window) window = GPI(open_window)(&job, number, borders.centre);
    GPI(read)(&job, &window, &tile, from, to);
    for (int bit = strides - 1; bit >= 0; bit--) {
        unsigned stride = 1u << bit;

        __syncthreads(); /* the previous step, at first the read of the window, is complete */
        for (unsigned i = from / 2 + threadIdx.x; i < to / 2; i += blockDim.x) {
            unsigned low = (unsigned)GPI(low)(i, bit, 0), high = low + stride;

            if (high < window.end && GPI(is_selected)(&borders, low, stride, places))
                GPI(compare_shared)(&tile, low, high);
        }
    }
    GPI(write)(&job, &window, &tile, from, to);
}

/* ---- host functions -------------------------------------------------------------------------- */

/* Nothing: the arrays are sorted in place. */
GP_API size_t GPI_PUBLIC(odd_even_merge_sort_workspace_bytes)(size_t batch, size_t length,
                                                              int descending)
{
    (void)batch, (void)length, (void)descending;
    return gpi_workspace_request(0);
}

/* 2. to 4. of one stage. */
static inline cudaError_t GPI(stage)(const GPI(job) *job, int threads, int q,
                                     cudaStream_t stream)
{
    size_t whole = gpi_divide_up(job->length, (size_t)1 << q), tiles = job->batch * job->windows;
    int strides = q - GPI(log_items);
    size_t blocks = gpi_divide_up(whole << strides, (size_t)threads);
    cudaError_t error = GPI_LAUNCH(GPI(top_kernel), gpi_grid(job->batch * blocks), threads,
                                   0, stream, *job, blocks, strides);

    blocks = gpi_divide_up(gpi_divide_up(job->length, 2), (size_t)threads);
    for (; strides >= job->tile_bits && error == cudaSuccess; strides--)
        error = GPI_LAUNCH(GPI(step_kernel), gpi_grid(job->batch * blocks), threads, 0,
                           stream, *job, blocks, q, strides - 1);
    for (int second = 0; second < 2 && strides > 0 && error == cudaSuccess; second++)
        error = GPI_LAUNCH(GPI(window_kernel), gpi_grid(tiles), threads,
                           GPI_NETWORK_SHARED(job), stream, *job, tiles, q, strides, second);
    return error;
}

static inline cudaError_t GPI(stages)(const GPI(job) *job, int threads,
                                      cudaStream_t stream)
{
    size_t tiles = GPI_NETWORK_BLOCKS(job);
    int stages = job->array_bits < job->tile_bits ? job->array_bits : job->tile_bits;
    cudaError_t error = GPI_LAUNCH(GPI(tile_kernel), gpi_grid(tiles), threads,
                                   GPI_NETWORK_SHARED(job), stream, *job, tiles, stages);

    for (int q = stages + 1; q <= job->array_bits && error == cudaSuccess; q++)
        error = GPI(stage)(job, threads, q, stream);
    return error;
}

/* Sorts `batch` arrays of `length` keys, each with its value, in place. */
GP_API cudaError_t GPI_PUBLIC(odd_even_merge_sort)(
    GP_KEY *keys, GPI_NETWORK_IF_VALUES(GP_VALUE *values, ) size_t batch, size_t length,
    int descending, const gp_classic_options *opt, gp_workspace *ws, cudaStream_t stream)
{
    return GPI(sort)(GPI_TEXT(odd_even_merge_sort), GPI(stages), keys, GPI_NETWORK_IF_VALUES(values, ) batch,
                     length, descending, opt, ws, stream);
}

#undef GPI_NETWORK_SMALL_LOG
#undef GPI_NETWORK_BLOCK
#undef GPI_NETWORK_BYTES
#undef GPI_NETWORK_IF_VALUES
#undef GPI_NETWORK_SHARED

#endif
#include "../core/instance/end.cuh"
