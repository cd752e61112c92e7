/*
 * classic/bitonic_sort.cuh: Batcher's bitonic sorting network.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_KEY         K, an arithmetic type, ordered by < (int)
 *              GP_VALUE       V, any trivially copyable type that goes along with a key; K and V have up to
 *                             16384 bytes (none)
 *              GP_API         linkage of the host functions (static inline)
 *
 * Generates    cudaError_t NAME_bitonic_sort(K *keys, [V *values,] size_t batch, size_t length,
 *                                            int descending, const gp_classic_options *opt, ws,
 *                                            stream)
 *              size_t      NAME_bitonic_sort_workspace_bytes(size_t batch, size_t length,
 *                                                            int descending)
 *              size_t      gp_bitonic_comparators(size_t length)
 *
 *     keys                 1 5 0 1 2 0 3           one array of seven
 *     pairs sorted         1 5 0 1 0 2 3           stage 1: compares (0,1) (2,3) (4,5)
 *     fours sorted         0 1 1 5 0 2 3           stage 2: (0,3) (1,2) (5,6); (0,1) (2,3) (4,5)
 *     eights sorted        0 0 1 1 2 3 5           stage 3: (1,6) (2,5) (3,4); ...
 *
 *     #include <gpuprims/classic/bitonic_sort.cuh>
 *     gp_bitonic_sort(d_keys, 1, n, 0, NULL, NULL, stream);
 *
 * Sorts `batch` arrays of `length` keys each, one behind the other, in place. Uses
 * opt->block_threads (default 128), cut to the power of two whose tile fits into 48 KB of shared
 * memory: 128 threads for pairs of 8 bytes.
 *
 * Guarantees   Asynchronous on `stream`; launches depend on batch, length and opt alone. Which
 *              items are compared depends on length alone, and how often on nothing else:
 *              gp_bitonic_comparators() says how often for one array. Equal keys are never
 *              exchanged; but keys that lie between them are, so that the sort is not stable. With
 *              NaNs among the keys the order is unspecified; what comes out is what went in.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched;
 *              else what a launch returned. An empty batch or arrays of no keys succeed and do nothing.
 *
 * How it works (Batcher, Sorting networks and their applications, 1968; Knuth, The Art of Computer
 * Programming, volume 3, section 5.3.4). Stage p makes sorted runs of 2^p from runs of 2^(p-1): the
 * first step compares item i of a pair of runs with its mirror 2^p - 1 - i, the others each item
 * with the one 2^(p-2), ..., 2, 1 places further on. Every comparator sends the smaller key to the
 * lower place. An array of any length is therefore sorted as if it were padded with keys larger than
 * all others: such keys would never move, so comparators that reach past the end are left out.
 *
 *     1. tile: every block sorts a tile, or several short arrays, in shared memory. A thread takes
 *        2^k items into registers and makes k steps there; runs of two threads' items are merged
 *        by shuffles. For longer runs the items are exchanged in shared memory after every round
 *        of steps, within the warp if strides are short: a shuffle serves one step, an exchange
 *        up to k.
 *     2. for each longer stage, global rounds: k steps at a time in registers, while strides reach
 *        beyond a tile
 *     3. and then its remaining steps, as in 1
 *
 * Flaw of the rung before, the split sort: a pass over memory for every bit, whatever the number of
 * keys. Here one for every k steps. Cost: with n = 2^L, n L (L + 1) / 4 comparators. With tiles of
 * 2^t items, one pass over memory for the stages up to t, and ceil((p - t) / k) + 1 passes for
 * stage p. Pairs of 8 bytes: k = 5, t = 12; 2^24 of them take 34 passes. No workspace. What
 * remains: log2 n times as much work as a radix sort.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG bitonic_sort
#define GPI_HEADER "gpuprims/classic/bitonic_sort.cuh"
#define GPI_TAKES (GPI_TAKES_KEY | GPI_TAKES_VALUE | GPI_TAKES_API)
#endif
#include "../core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/classic/bitonic_sort.cuh: GP_NAME is missing; every other parameter requires it"
#endif

#if !defined GPI_DEFAULT || !defined GPI_BITONIC_SORT_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_BITONIC_SORT_DEFAULT
#endif
GPI_ONCE_PER_NAME(bitonic_sort);

/* Measured: 32 items are faster than 16, since fewer passes outweigh fewer threads to hide latency. */
#define GPI_NETWORK_SMALL_LOG 5
#define GPI_NETWORK_BLOCK 128
#include "core/network.cuh"

/* ---- comparators ----------------------------------------------------------------------------- */

#ifndef GPI_BITONIC_COMPARATORS
#define GPI_BITONIC_COMPARATORS
/*
 * The number of comparators for an array of this length. A step of stride 2^b, mirrored or not, has
 * one for every index with bit b, the higher of its two. Stage p has steps of the strides 2^(p-1)
 * to 1.
 */
static inline size_t gp_bitonic_comparators(size_t length)
{
    int stages = gpi_levels(length);
    size_t sum = 0;

    for (int bit = 0; bit < stages; bit++)
        sum += (size_t)(stages - bit) * gpi_ones_below(length, bit);
    return sum;
}
#endif

/* ---- steps in registers ---------------------------------------------------------------------- */

/*
 * One step: compares items whose numbers differ in bit b or, mirrored, are mirror images in groups
 * of 2^(b + 1). Comparators whose higher item is absent are left out.
 */
GPI_DEVICE void GPI(step)(GPI(registers) *items, unsigned present, int b, int mirrored)
{
    GPI_UNROLL
    for (int r = 0; r < GPI(items_of_thread); r++) {
        int other = mirrored ? r ^ ((2 << b) - 1) : r ^ 1 << b;

        if (!(r >> b & 1) && present >> other & 1)
            GPI(compare)(items, r, other, 0);
    }
}

/* The steps of the lowest `steps` strides within a thread, or of all; the first one may be mirrored. */
GPI_DEVICE void GPI(round)(GPI(registers) *items, unsigned present, int steps, int mirrored)
{
    GPI_UNROLL
    for (int b = GPI(log_items) - 1; b >= 0; b--) {
        if (b >= steps)
            continue;
        if (mirrored && b == GPI(log_items) - 1)
            GPI(step)(items, present, b, 1);
        else
            GPI(step)(items, present, b, 0);
    }
}

/* The first stages, within a thread: its items are consecutive. */
GPI_DEVICE void GPI(sort_items)(GPI(registers) *items, unsigned present, int stages)
{
    GPI_UNROLL
    for (int p = 1; p <= GPI(log_items); p++) {
        if (p > stages)
            continue;
        GPI(step)(items, present, p - 1, 1);
        GPI_UNROLL
        for (int b = p - 2; b >= 0; b--)
            GPI(step)(items, present, b, 0);
    }
}

/* Exchanges item r with the neighbouring lane. */
GPI_DEVICE void GPI(fetch)(GPI(registers) *items, int r)
{
    gpi_shuffle_xor(&items->key[r], sizeof(GP_KEY), 1);
    GPI_NETWORK_IF_VALUES(gpi_shuffle_xor(&items->value[r], sizeof(GP_VALUE), 1);)
}

/*
 * The next stage, which merges the items of two neighbouring lanes: shuffles exchange the upper
 * half of each lane's items, the lane compares the mirror images it receives with its own lower
 * half, and shuffles give them back.
 */
GPI_DEVICE void GPI(merge_lanes)(GPI(registers) *items)
{
    GPI_UNROLL
    for (int r = 0; r < GPI(items_of_thread) / 2; r++) {
        int mirror = GPI(items_of_thread) - 1 - r;

        GPI(fetch)(items, mirror);
        GPI(compare)(items, r, mirror, threadIdx.x & 1);
        GPI(fetch)(items, mirror);
    }
    GPI(round)(items, GPI_NETWORK_ALL, GPI(log_items), 0);
}

/* ---- tiles ----------------------------------------------------------------------------------- */

/*
 * The places of a tile whose items a thread holds: those that differ in log_items bits from `shift`
 * on. For a mirrored step the bits below `shift` are inverted in the upper half of them.
 */
typedef struct {
    int shift, mirrored;
} GPI(layout);

/*
 * The place in the tile of a thread's item r is GPI(thread_place) ^ GPI(item_place): a part that
 * depends on the thread, and one that is uniform in the block.
 */
GPI_DEVICE unsigned GPI(thread_place)(GPI(layout) layout)
{
    unsigned low = threadIdx.x & ((1u << layout.shift) - 1);

    return (threadIdx.x ^ low) << GPI(log_items) | low;
}

GPI_DEVICE unsigned GPI(item_place)(GPI(layout) layout, unsigned r)
{
    unsigned inverted =
        layout.mirrored && r >= GPI(items_of_thread) / 2 ? (1u << layout.shift) - 1 : 0;

    return r << layout.shift | inverted;
}

/*
 * Where a place is in shared memory. With 16 or 32 items of 4 bytes per thread there are no bank
 * conflicts, whatever the shift: the five bits in which the lanes of a warp differ become five
 * independent bits of the bank. The mapping is linear in ^.
 */
GPI_DEVICE unsigned GPI(bank)(unsigned place)
{
    if (GPI(log_items) == 5)
        return place ^ (place >> 5 & 31);
    return place ^ (place >> GPI(log_items) & 0x1E) ^ (place >> (GPI(log_items) + 4) & 1);
}

/* A mask of the thread's items that exist. */
GPI_DEVICE unsigned GPI(present)(const GPI(window) *window, GPI(layout) layout)
{
    unsigned present = 0, base = GPI(thread_place)(layout);

    if (window->whole)
        return GPI_NETWORK_ALL;
    GPI_UNROLL
    for (unsigned r = 0; r < GPI(items_of_thread); r++)
        present |= (unsigned)GPI(holds)(window, base ^ GPI(item_place)(layout, r)) << r;
    return present;
}

/*
 * Changes the layout, through shared memory. Each thread writes where it read before, so one
 * barrier before the reads is enough: of the warp, if the warp's items stay the same.
 */
GPI_DEVICE void GPI(move)(GPI(registers) *items, const GPI(tile) *tile,
                          GPI(layout) *layout, int shift, int mirrored)
{
    int within_warp = layout->shift <= 5 && shift <= 5 && blockDim.x >= 32;
    unsigned base = GPI(bank)(GPI(thread_place)(*layout));

    GPI_UNROLL
    for (unsigned r = 0; r < GPI(items_of_thread); r++) {
        unsigned bank = base ^ GPI(bank)(GPI(item_place)(*layout, r));

        tile->keys[bank] = items->key[r];
        GPI_NETWORK_IF_VALUES(tile->values[bank] = items->value[r];)
    }
    layout->shift = shift;
    layout->mirrored = mirrored;
    base = GPI(bank)(GPI(thread_place)(*layout));
    if (within_warp)
        __syncwarp(); /* the warp's items are written */
    else
        __syncthreads(); /* all items are written */
    GPI_UNROLL
    for (unsigned r = 0; r < GPI(items_of_thread); r++) {
        unsigned bank = base ^ GPI(bank)(GPI(item_place)(*layout, r));

        items->key[r] = tile->keys[bank];
        GPI_NETWORK_IF_VALUES(items->value[r] = tile->values[bank];)
    }
}

/* The steps of the strides below 2^strides; the first one may be mirrored. */
GPI_DEVICE void GPI(merge)(GPI(registers) *items, const GPI(tile) *tile,
                           const GPI(window) *window, GPI(layout) *layout,
                           int strides, int mirrored)
{
    while (strides > 0) {
        int shift = strides > GPI(log_items) ? strides - GPI(log_items) : 0;

        GPI(move)(items, tile, layout, shift, mirrored);
        if (window->whole)
            GPI(round)(items, GPI_NETWORK_ALL, strides - shift, mirrored);
        else
            GPI(round)(items, GPI(present)(window, *layout), strides - shift,
                       mirrored);
        strides = shift;
        mirrored = 0;
    }
}

/* Reads a tile, coalesced: consecutive threads have consecutive items. */
GPI_DEVICE GPI(layout) GPI(read)(const GPI(job) *job,
                                 const GPI(window) *window,
                                 GPI(registers) *items)
{
    GPI(layout) layout = {job->tile_bits - GPI(log_items), 0};
    size_t at = GPI(at)(job, window, threadIdx.x);

    if (window->whole && job->windows) {
        GPI_UNROLL
        for (int r = 0; r < GPI(items_of_thread); r++)
            GPI(load)(job, items, r, GPI(from)(job, at, (size_t)r << layout.shift));
        return layout;
    }
    GPI_UNROLL
    for (int r = 0; r < GPI(items_of_thread); r++) {
        unsigned place = threadIdx.x | (unsigned)r << layout.shift;

        /* Where there is no item, any will do: it is neither compared nor written. */
        if (!GPI(holds)(window, place))
            place = 0;
        GPI(load)(job, items, r, GPI(at)(job, window, place));
    }
    return layout;
}

/* Writes it in the same layout. */
GPI_DEVICE void GPI(write)(const GPI(job) *job, const GPI(window) *window,
                           GPI(registers) *items, const GPI(tile) *tile,
                           GPI(layout) layout)
{
    GPI(move)(items, tile, &layout, job->tile_bits - GPI(log_items), 0);
    size_t at = GPI(at)(job, window, threadIdx.x);

    if (window->whole && job->windows) {
        GPI_UNROLL
        for (int r = 0; r < GPI(items_of_thread); r++)
            GPI(store)(job, items, r, GPI(from)(job, at, (size_t)r << layout.shift));
        return;
    }
    GPI_UNROLL
    for (int r = 0; r < GPI(items_of_thread); r++) {
        unsigned place = threadIdx.x | (unsigned)r << layout.shift;

        if (GPI(holds)(window, place))
            GPI(store)(job, items, r, GPI(at)(job, window, place));
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* 1. One block per tile: the stages up to the tile's size, or the arrays' if they are smaller. */
static __global__ void __launch_bounds__(GPI(max_threads), GPI(min_blocks))
    GPI(tile_kernel)(GPI(job) job, size_t tiles, int stages)
{
    GP_DYNAMIC_SHARED(unsigned char, memory);
    GPI(tile) tile = GPI(carve)(&job, memory);
    size_t number = gpi_global_block();
    GPI(registers) items;

    if (number >= tiles)
        return;
    GPI(window) window = GPI(open_window)(&job, number, 0);
    GPI(layout) layout = GPI(read)(&job, &window, &items);
    GPI(move)(&items, &tile, &layout, 0, 0);
    if (window.whole)
        GPI(sort_items)(&items, GPI_NETWORK_ALL, stages);
    else
        GPI(sort_items)(&items, GPI(present)(&window, layout), stages);
    int p = GPI(log_items) + 1;
    if (window.whole && p <= stages && blockDim.x >= 32) {
        GPI(merge_lanes)(&items);
        p++;
    }
    for (; p <= stages; p++)
        GPI(merge)(&items, &tile, &window, &layout, p, 1);
    GPI(write)(&job, &window, &items, &tile, layout);
}

/* 3. One block per tile: the strides below 2^strides of a longer stage. */
static __global__ void __launch_bounds__(GPI(max_threads), GPI(min_blocks))
    GPI(merge_kernel)(GPI(job) job, size_t tiles, int strides)
{
    GP_DYNAMIC_SHARED(unsigned char, memory);
    GPI(tile) tile = GPI(carve)(&job, memory);
    size_t number = gpi_global_block();
    GPI(registers) items;

    if (number >= tiles)
        return;
    GPI(window) window = GPI(open_window)(&job, number, 0);
    GPI(layout) layout = GPI(read)(&job, &window, &items);
    if (strides > layout.shift) { /* the layout as read suits the first round */
        if (window.whole)
            GPI(round)(&items, GPI_NETWORK_ALL, strides - layout.shift, 0);
        else
            GPI(round)(&items, GPI(present)(&window, layout), strides - layout.shift,
                       0);
        strides = layout.shift;
    }
    GPI(merge)(&items, &tile, &window, &layout, strides, 0);
    GPI(write)(&job, &window, &items, &tile, layout);
}

/*
 * 2. One thread per 2^log_items items, 2^shift apart: the steps of their strides. `blocks` blocks
 * per array.
 */
static __global__ void __launch_bounds__(GPI(max_threads), GPI(min_blocks))
    GPI(global_kernel)(GPI(job) job, size_t blocks, int shift, int mirrored)
{
    size_t number = gpi_global_block(), array = job.batch == 1 ? 0 : number / blocks;
    size_t thread = (number - array * blocks) * blockDim.x + threadIdx.x;
    size_t below = ((size_t)1 << shift) - 1, low = thread & below;
    size_t first = (thread ^ low) << GPI(log_items);
    size_t upper = first | (mirrored ? low ^ below : low), origin = GPI(origin)(&job, array);
    GPI(registers) items;
    unsigned present = 0;

    first |= low;
    if (array >= job.batch || first >= job.length)
        return;
    GPI_UNROLL
    for (int r = 0; r < GPI(items_of_thread); r++) {
        size_t i = (r < GPI(items_of_thread) / 2 ? first : upper) + ((size_t)r << shift);

        present |= (unsigned)(i < job.length) << r;
    }
    /* Item r is r strides from `first` or, in the upper half, from `upper`. */
    first = origin + (first ^ job.backwards);
    upper = origin + (upper ^ job.backwards);
    GPI_UNROLL
    for (int r = 0; r < GPI(items_of_thread); r++)
        if (present >> r & 1)
            GPI(load)(&job, &items, r,
                      GPI(from)(&job, r < GPI(items_of_thread) / 2 ? first : upper,
                                (size_t)r << shift));
        else /* any will do: it is neither compared nor written */
            GPI(load)(&job, &items, r, first);
    if (present == GPI_NETWORK_ALL)
        GPI(round)(&items, GPI_NETWORK_ALL, GPI(log_items), mirrored);
    else
        GPI(round)(&items, present, GPI(log_items), mirrored);
    GPI_UNROLL
    for (int r = 0; r < GPI(items_of_thread); r++)
        if (present >> r & 1)
            GPI(store)(&job, &items, r,
                       GPI(from)(&job, r < GPI(items_of_thread) / 2 ? first : upper,
                                 (size_t)r << shift));
}

/* ---- host functions -------------------------------------------------------------------------- */

/* Nothing: the arrays are sorted in place. */
GP_API size_t GPI_PUBLIC(bitonic_sort_workspace_bytes)(size_t batch, size_t length, int descending)
{
    (void)batch, (void)length, (void)descending;
    return gpi_workspace_request(0);
}

/* 2. One global round of the strides from 2^(strides - 1) down. */
static inline cudaError_t GPI(global)(const GPI(job) *job, int threads, int strides,
                                      int mirrored, cudaStream_t stream)
{
    int shift = strides - GPI(log_items);
    size_t groups = gpi_divide_up(job->length, (size_t)1 << strides) << shift;
    size_t blocks = gpi_divide_up(groups, (size_t)threads);

    return GPI_LAUNCH(GPI(global_kernel), gpi_grid(job->batch * blocks), threads, 0, stream,
                      *job, blocks, shift, mirrored);
}

static inline cudaError_t GPI(stages)(const GPI(job) *job, int threads,
                                      cudaStream_t stream)
{
    size_t tiles = GPI_NETWORK_BLOCKS(job), bytes = GPI_NETWORK_SHARED(job);
    int stages = job->array_bits < job->tile_bits ? job->array_bits : job->tile_bits;
    cudaError_t error = GPI_LAUNCH(GPI(tile_kernel), gpi_grid(tiles), threads, bytes, stream,
                                   *job, tiles, stages);

    for (int p = job->tile_bits + 1; p <= job->array_bits && error == cudaSuccess; p++) {
        int strides = p;

        for (; strides > job->tile_bits && error == cudaSuccess; strides -= GPI(log_items))
            error = GPI(global)(job, threads, strides, strides == p, stream);
        if (error == cudaSuccess)
            error = GPI_LAUNCH(GPI(merge_kernel), gpi_grid(tiles), threads, bytes, stream,
                               *job, tiles, strides);
    }
    return error;
}

/* Sorts `batch` arrays of `length` keys, each with its value, in place. */
GP_API cudaError_t GPI_PUBLIC(bitonic_sort)(GP_KEY *keys,
                                            GPI_NETWORK_IF_VALUES(GP_VALUE *values, ) size_t batch,
                                            size_t length, int descending,
                                            const gp_classic_options *opt, gp_workspace *ws,
                                            cudaStream_t stream)
{
    return GPI(sort)(GPI_TEXT(bitonic_sort), GPI(stages), keys, GPI_NETWORK_IF_VALUES(values, ) batch,
                     length, descending, opt, ws, stream);
}

#undef GPI_NETWORK_SMALL_LOG
#undef GPI_NETWORK_BLOCK
#undef GPI_NETWORK_BYTES
#undef GPI_NETWORK_IF_VALUES
#undef GPI_NETWORK_SHARED

#endif
#include "../core/instance/end.cuh"
