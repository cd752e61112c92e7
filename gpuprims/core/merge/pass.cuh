/*
 * core/merge/pass.cuh: merges groups of up to sixteen sorted runs in global memory in one pass.
 *
 * In two launches: the first finds, for each tile of the output, which items of each run come
 * before it, in all runs at once (core/merge/split.cuh); in the second a block reads the pieces
 * that make up its tile, merges them in pairs in shared memory until one is left, and writes it.
 *
 * Needs block/core/merge.cuh, and
 *
 *     GPI(threads)        a constant: threads of a block
 *     GPI(max_ways_log)   a constant: the log2 of how many runs are merged at a time, at most
 *     GPI(small_threads), GPI(small_pass_items)   constants: those of the kernel for small n
 *
 * Part of merge_sort.cuh; not to be included directly.
 */

#define GPI_MERGE_BATCH (GPI(items) > 1 ? 8 : 1) /* reads of a lane in flight */
#define GPI_MERGE_MAX_WAYS (1u << GPI(max_ways_log))

/*
 * Items of a tile of the output: the maximum (each piece begins at a thread's first item), by how
 * many fewer it may have at either end, and the average.
 */
#define GPI_MERGE_FULL(threads, items) ((items) * ((threads)-GPI_MERGE_MAX_WAYS))
#define GPI_MERGE_SLACK(threads, items) (GPI_MERGE_FULL(threads, items) / 16)
#define GPI_MERGE_PASS_N(threads, items) (GPI_MERGE_FULL(threads, items) - GPI_MERGE_SLACK(threads, items))

/* What a pass works on: groups of 2^log runs. */
typedef struct {
    const GP_TYPE *keys;
    const GPI_MERGE_VALUE *values;
    GP_TYPE *keys_out;
    GPI_MERGE_VALUE *values_out;
    size_t n;                  /* items of all groups; the last runs may be shorter, or empty */
    size_t run, group;         /* items of a run (but a group's last), and of a group */
    size_t tile, slack, tiles; /* items of a tile, and by how many fewer; tiles of a group */
    size_t *splits;            /* per tile, how many items of each run come before it */
    int log;
} GPI(pass);

#if GPI_DEVICE_CODE
/* Items of the group that begins at item `first`. */
GPI_DEVICE size_t GPI(group_items)(const GPI(pass) *pass, size_t first)
{
    return pass->n - first < pass->group ? pass->n - first : pass->group;
}

/* Where run r of the group that begins at item `first` begins, in keys or values. */
#define GPI_MERGE_RUN_BEGIN_OF(array, pass, first, r) ((array) + ((first) + (r) * (pass)->run))

/* Items of run r, in a group of `items`. */
GPI_DEVICE size_t GPI(run_items)(const GPI(pass) *pass, size_t items, unsigned r)
{
    size_t begin = r * pass->run, end = r + 1 == 1u << pass->log ? items : begin + pass->run;

    end = end < items ? end : items;
    return begin < end ? end - begin : 0;
}
#endif

#include "split.cuh"

/* ---- the merge of a tile --------------------------------------------------------------------- */

/* The pieces of runs that make up a tile. In shared memory each begins at a thread's first item. */
typedef struct {
    const GP_TYPE *keys[GPI_MERGE_MAX_WAYS];
#if GPI_MERGE_PAIRS
    const GPI_MERGE_VALUE *values[GPI_MERGE_MAX_WAYS];
#endif
    unsigned thread[GPI_MERGE_MAX_WAYS]; /* that thread */
    unsigned items[GPI_MERGE_MAX_WAYS];  /* of the piece; later, of what it has been merged into */
    size_t out;                          /* where the tile begins in the output */
} GPI(pieces);

#if GPI_DEVICE_CODE
/* One warp: finds the pieces of tile `number` of the group that begins at `first`, one per lane. */
GPI_DEVICE void GPI(cut)(GPI(pieces) *pieces, const GPI(pass) *pass, size_t first, size_t number,
                         const unsigned block, const unsigned thread_items)
{
    const unsigned full = GPI_MERGE_FULL(block, thread_items);
    const size_t items = GPI(group_items)(pass, first);
    const size_t *splits = pass->splits + (size_t)blockIdx.x * GPI_MERGE_MAX_WAYS;
    const unsigned lane = threadIdx.x % 32, r = lane % GPI_MERGE_MAX_WAYS,
                   is_run = lane < 1u << pass->log;
    const int is_last = (number + 1) * pass->tile >= items;
    const size_t from = !is_run || number == 0 ? 0 : splits[r];
    const size_t to = !is_run   ? 0
                      : is_last ? GPI(run_items)(pass, items, r)
                                : splits[GPI_MERGE_MAX_WAYS + r];
    unsigned count = gpi_min_size(to > from ? to - from : 0, full);
    const unsigned before = gpi_warp_prefix(count, lane) - count;

    /* They fit, unless GP_LESS is no order; then at least nothing is overrun. */
    count = gpi_min(count, full - gpi_min(before, full));
    const unsigned threads = (count + thread_items - 1) / thread_items;
    const unsigned thread = gpi_warp_prefix(threads, lane) - threads;
    const size_t begin = gpi_merge_sum(from);

    if (is_run) {
        pieces->thread[r] = thread;
        pieces->items[r] = count;
        pieces->keys[r] = GPI_MERGE_RUN_BEGIN_OF(pass->keys, pass, first, r) + from;
#if GPI_MERGE_PAIRS
        pieces->values[r] = GPI_MERGE_RUN_BEGIN_OF(pass->values, pass, first, r) + from;
#endif
    }
    if (lane == 0)
        pieces->out = first + begin;
}

/* One warp, a lane for each piece, which begins at place `begin`: where one begins near `place`, if any does, or that. */
GPI_DEVICE unsigned GPI(share_begin)(unsigned begin, unsigned place, unsigned reach)
{
    const unsigned is_near = __ballot_sync(GPI_FULL_MASK, begin + reach >= place && begin <= place + reach);
    const unsigned there = __shfl_sync(GPI_FULL_MASK, begin, __ffs((int)is_near | (int)0x80000000u) - 1);

    return is_near ? there : place;
}

/*
 * Reads the pieces, several items of a lane at a time. Each warp has a share of all places, of whatever pieces, so that
 * none has more to read than others even if all is of one piece; and of whole pieces where these are alike.
 */
GPI_DEVICE void GPI(fetch)(GPI(tile) *tile, const GPI(pieces) *pieces, unsigned runs, const unsigned threads,
                           const unsigned thread_items)
{
    const unsigned warps = threads / 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned all = pieces->thread[runs - 1] * thread_items + pieces->items[runs - 1], reach = all / (4 * warps);
    const unsigned own = gpi_min(lane, runs - 1), own_begin = pieces->thread[own] * thread_items;
    const unsigned first = GPI(share_begin)(own_begin, all * warp / warps, reach);
    const unsigned last = warp + 1 < warps ? GPI(share_begin)(own_begin, all * (warp + 1) / warps, reach) : all;
    const int is_mine = lane < runs && own_begin < last && own_begin + pieces->items[own] > first;

    for (unsigned bits = __ballot_sync(GPI_FULL_MASK, is_mine); bits; bits &= bits - 1) {
        const unsigned r = (unsigned)__ffs((int)bits) - 1, begin = pieces->thread[r] * thread_items;
        const unsigned from = first > begin ? first - begin : 0, to = gpi_min(pieces->items[r], last - begin);
        const GP_TYPE *keys = pieces->keys[r];
#if GPI_MERGE_PAIRS
        const GPI_MERGE_VALUE *values = pieces->values[r];
#endif

        for (unsigned i = from + lane; i < to; i += GPI_MERGE_BATCH * 32) {
            GP_TYPE x[GPI_MERGE_BATCH];
            GPI_MERGE_VALUE v[GPI_MERGE_BATCH];

            GPI_UNROLL
            for (unsigned k = 0; k < GPI_MERGE_BATCH; k++)
                if (i + k * 32 < to) {
                    gpi_move(&x[k], &keys[i + k * 32]);
#if GPI_MERGE_PAIRS
                    gpi_move(&v[k], &values[i + k * 32]);
#endif
                }
            GPI_UNROLL
            for (unsigned k = 0; k < GPI_MERGE_BATCH; k++)
                if (i + k * 32 < to) {
                    const unsigned place = GPI_MERGE_PLACE(begin + i + k * 32, thread_items);

                    gpi_move(&tile->keys[place], &x[k]);
                    if (GPI_MERGE_PAIRS)
                        gpi_move(&GPI_MERGE_VALUE_AT(tile, place), &v[k]);
                }
        }
    }
}

/*
 * Merges adjacent pairs of pieces, each already merged from `step` pieces. Returns how many items
 * the thread then has in its registers.
 */
GPI_DEVICE unsigned GPI(round)(GP_TYPE *x, GPI_MERGE_VALUE *v, const GPI(tile) *tile,
                               const GPI(pieces) *pieces, unsigned count, unsigned step,
                               const unsigned thread_items, GPI_CONTEXT context)
{
    unsigned r = 0;
    GPI(runs) runs;

    while (r + 2 * step < count && threadIdx.x >= pieces->thread[r + 2 * step])
        r += 2 * step;
    const unsigned at = (threadIdx.x - pieces->thread[r]) * thread_items;

    runs.a = pieces->thread[r] * thread_items;
    runs.a_end = runs.a + pieces->items[r];
    runs.b = pieces->thread[r + step] * thread_items;
    runs.b_end = runs.b + pieces->items[r + step];
    GPI(part)(x, v, tile, runs, at, thread_items, context);

    const unsigned items = pieces->items[r] + pieces->items[r + step];
    return at < items ? items - at : 0;
}

/* Writes the first n items of the tile. */
GPI_DEVICE void GPI(write)(const GPI(tile) *tile, GP_TYPE *keys, GPI_MERGE_VALUE *values, unsigned n,
                           const unsigned threads, const unsigned items)
{
    GPI_UNROLL
    for (unsigned i = 0; i < items; i++) {
        const unsigned k = i * threads + threadIdx.x, place = GPI_MERGE_PLACE(k, items);

        if (items == 1) { /* large ones */
            if (k < n) {
                gpi_move(&keys[k], &tile->keys[place]);
                if (GPI_MERGE_PAIRS)
                    gpi_move(&values[k], &GPI_MERGE_VALUE_AT(tile, place));
            }
            continue;
        }
        const GP_TYPE x = tile->keys[place]; /* read unconditionally: it need not be an item */

        if (k < n) {
            keys[k] = x;
            if (GPI_MERGE_PAIRS)
                values[k] = GPI_MERGE_VALUE_AT(tile, place);
        }
    }
}

/* One block per tile of the output. */
GPI_DEVICE void GPI(merge_tile)(GPI(tile) *tile, GPI(pieces) *pieces, const GPI(pass) *pass,
                                const unsigned threads, const unsigned thread_items, GPI_CONTEXT context)
{
    const size_t first = blockIdx.x / pass->tiles * pass->group, number = blockIdx.x % pass->tiles;
    const unsigned runs = 1u << pass->log;
    GP_TYPE x[GPI(pass_items)];
    GPI_MERGE_VALUE v[GPI(pass_items)];

    gpi_grid_wait();
    gpi_grid_launch_next();
    if (number * pass->tile >= GPI(group_items)(pass, first))
        return; /* the last group is shorter */
    if (threadIdx.x < 32)
        GPI(cut)(pieces, pass, first, number, threads, thread_items);
    __syncthreads(); /* the pieces are known */
    GPI(fetch)(tile, pieces, runs, threads, thread_items);
    __syncthreads(); /* the pieces are in shared memory */
    for (unsigned step = 1; step < runs; step *= 2) {
        const unsigned count = GPI(round)(x, v, tile, pieces, runs, step, thread_items, context),
                       r = 2 * step * threadIdx.x;

        __syncthreads(); /* the pieces have been read */
        GPI(put)(x, v, tile, threadIdx.x, count, thread_items);
        if (r < runs)
            pieces->items[r] += pieces->items[r + step];
        __syncthreads(); /* the merged pieces are in shared memory */
    }
    GPI(write)(tile, pass->keys_out + pieces->out,
               GPI_MERGE_PAIRS ? pass->values_out + pieces->out : pass->values_out, pieces->items[0], threads,
               thread_items);
}
#endif

static __global__ void __launch_bounds__(GPI(threads), GPI(blocks))
    GPI(pass_kernel)(GPI(pass) pass, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_SHARED(GPI(tile), tile);
    GP_SHARED(GPI(pieces), pieces);

    GPI(merge_tile)(&tile, &pieces, &pass, GPI(threads), GPI(pass_items), context);
#endif
}

/* The same for small tiles. */
static __global__ void __launch_bounds__(GPI(small_threads))
    GPI(small_pass_kernel)(GPI(pass) pass, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_SHARED(GPI(tile), tile);
    GP_SHARED(GPI(pieces), pieces);

    if (GPI(has_small))
        GPI(merge_tile)(&tile, &pieces, &pass, GPI(small_threads), GPI(small_pass_items), context);
#endif
}

/* ---- host functions -------------------------------------------------------------------------- */

/* Whether a kernel may start before the one before it has ended. */
static inline int GPI(dependent)(void)
{
    static signed char known[GPI_DEVICES];

    return (gpi_kernel_ready((const void *)GPI(pass_kernel), 0, known) & GPI_KERNEL_SM90) != 0;
}

/* Launches a pass. Its splits have GPI_MERGE_MAX_WAYS entries per tile. */
static inline cudaError_t GPI(pass_launch)(GPI(pass) *pass, GPI_CONTEXT context, int is_small, int dependent,
                                           cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;

    pass->tile = is_small ? GPI_MERGE_PASS_N(GPI(small_threads), GPI(small_pass_items))
                          : GPI_MERGE_PASS_N(GPI(threads), GPI(pass_items));
    pass->slack = is_small ? GPI_MERGE_SLACK(GPI(small_threads), GPI(small_pass_items))
                           : GPI_MERGE_SLACK(GPI(threads), GPI(pass_items));
    pass->tiles = gpi_divide_up(pass->group, pass->tile);
    const size_t blocks = gpi_divide_up(pass->n, pass->group) * pass->tiles;
    const unsigned warps = blocks <= GPI_TUNE_MERGE_HELPED ? GPI_MERGE_SPLIT_WARPS : 1; /* for each tile */

    if (blocks > 1)
        error = GPI_LAUNCH_DEPENDENT(dependent, GPI(split_kernel),
                                     (unsigned)gpi_divide_up(blocks * warps, GPI_MERGE_SPLIT_WARPS),
                                     32 * GPI_MERGE_SPLIT_WARPS, 0, stream, *pass, blocks, warps, context);
    if (error == cudaSuccess)
        error = is_small ? GPI_LAUNCH_DEPENDENT(dependent, GPI(small_pass_kernel), (unsigned)blocks,
                                                GPI(small_threads), 0, stream, *pass, context)
                         : GPI_LAUNCH_DEPENDENT(dependent, GPI(pass_kernel), (unsigned)blocks, GPI(threads), 0,
                                                stream, *pass, context);
    return error;
}
