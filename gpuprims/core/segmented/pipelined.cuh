/*
 * core/segmented/pipelined.cuh: scans of many items where the order does not show, as core/tile/pipeline.cuh needs
 * them: by tiles of items, wherever segments begin. The item with which one begins is a head. A stage has a slot for
 * each warp tile, what its lanes have found, a bit for each head, and the offsets that fall into the tile.
 *
 * A kernel before finds which offsets those are. Rows need none.
 *
 * Part of segmented.cuh, as an instance of its own; not to be included directly.
 */
#include "../instance/combine.cuh"

/* Of a tile or a part of one: whether it has heads, and the fold of the items from the last one on, or of all. */
typedef struct {
    uint32_t has_heads;
    GP_TYPE fold;
} GPI(sum);
typedef GPI(sum) GPI(total);

GPI_DEVICE GPI(sum) GPI(join)(GPI(sum) a, GPI(sum) b)
{
    if (!b.has_heads)
        b.fold = GPI(combine)(a.fold, b.fold);
    b.has_heads |= a.has_heads;
    return b;
}

#define GPI_FOLDS_STRUCTS
#define GPI_TILES_BY_TICKET
#define GPI_STAGES_LOOK_UP
#include "../instance/fold.cuh"
#include "../tile/warp_tile.cuh"
#include "../tile/head_bits.cuh"
#include "../tile/tile_state.cuh"

/* Where the order shows, the kernel is empty. */
enum { GPI(serves) = GPI_PIPELINE_SERVES && GPI_SEGMENTED(any_order) };
#pragma push_macro("GPI_PIPELINE_SERVES")
#undef GPI_PIPELINE_SERVES
#define GPI_PIPELINE_SERVES GPI(serves)

enum {
    GPI(moves) = 0,
    GPI(look_back_warps) = GPI_TUNE_SEGMENTED_LOOK_BACK_WARPS,
    GPI(sum_warps) = GPI(warp_tiles), /* they mark heads together */
    GPI(teams) = 1,
    GPI(room_n) = 1536,    /* offsets in a stage */
    GPI(crowd_n) = 131072, /* with more of them in a tile, lanes search for those of their items */
    /* Where things are in a stage. */
    GPI(lanes) = (int)GPI(warp_tiles) * GPI(slot_bytes),
    GPI(marks) = GPI(lanes) + (int)GPI(warp_tiles) * 32 * (int)sizeof(GP_TYPE),
    GPI(starts) = (GPI(marks) + (int)GPI(warp_tiles) * 128 * GPI(head_words) + 127) / 128 * 128,
    GPI(offsets) = GPI(starts) + 256,
    GPI(stage) = GPI(offsets) + GPI(room_n) * (int)sizeof(GP_INDEX) + 256,
    GPI(max_stages) = GPI_PIPELINE_STAGES(GPI(stage), GPI_TUNE_SEGMENTED_STAGES),
    GPI(pipeline_bytes) = GPI(max_stages) * GPI(stage)
};

/* What a launch works on. */
typedef struct {
    const GP_INPUT_TYPE *in;
    GP_TYPE *out;
    const GP_INDEX *offsets; /* NULL: all segments have this length */
    size_t length, n, segments;
    gpi_tile_state_head *head; /* the tile states follow it */
    size_t *starts;            /* how many segments begin before each tile, and before what is behind the last one */
    unsigned tiles, last_warp_tiles; /* as many as any tile has: all sum warps mark heads */
    int in_place, is_exclusive;
} GPI(job);

/* What else a block shares: nothing. */
typedef char GPI(shared);

#if GPI_DEVICE_CODE
GPI_DEVICE void GPI(share)(GPI(shared) *nothing)
{
    (void)nothing;
}

GPI_DEVICE GPI(total) GPI(total_of)(GPI(sum) group)
{
    return group;
}

GPI_DEVICE GPI(total) GPI(add)(GPI(total) before, GPI(sum) group)
{
    return GPI(join)(before, group);
}
#endif

#include "../tile/look_back.cuh"
#include "../tile/forward.cuh"

#if GPI_SM90_CODE
/* The items that segments have, [first, last): of all, or, counted from its start, of a warp tile. */
typedef struct {
    size_t first, last;
} GPI(extent);

typedef struct {
    unsigned first, last;
} GPI(piece);

GPI_DEVICE GPI(extent) GPI(extent_of)(const GPI(job) *job)
{
    GPI(extent) extent;

    extent.first = job->offsets ? (size_t)job->offsets[0] : 0;
    extent.last = job->offsets ? (size_t)job->offsets[job->segments] : job->n;
    return extent;
}

GPI_DEVICE GPI(piece) GPI(piece_of)(GPI(extent) extent, size_t warp_tile)
{
    const size_t start = warp_tile * GPI(warp_tile_n);
    GPI(piece) piece;

    piece.first = extent.first > start ? gpi_min_size(extent.first - start, GPI(warp_tile_n)) : 0;
    piece.last = extent.last > start ? gpi_min_size(extent.last - start, GPI(warp_tile_n)) : 0;
    return piece;
}

GPI_DEVICE GPI(look) GPI(look_start)(const GPI(job) *job)
{
    GPI(look) look;

    (void)job;
    memset((void *)&look, 0, sizeof look);
    return look;
}

GPI_DEVICE int GPI(rounds)(const GPI(job) *job)
{
    (void)job;
    return 0;
}

/* Items; the offsets of a tile, and which they are. */
GPI_DEVICE unsigned GPI(arrivals)(const GPI(job) *job)
{
    return job->offsets ? 3 : 1;
}

/* What the copies of a tile take: which items there are, and which offsets fall into the tile. */
typedef struct {
    GPI(extent) items;
    size_t first, last;
} GPI(looked_up);

GPI_DEVICE GPI(looked_up) GPI(look_up)(const GPI(job) *job, size_t tile)
{
    GPI(looked_up) it = {GPI(extent_of)(job), 0, 0};

    if (job->offsets && tile < job->tiles) {
        it.first = job->starts[tile];
        it.last = job->starts[tile + 1];
    }
    return it;
}

GPI_DEVICE gpi_copy GPI(stage_copy)(const GPI(job) *job, size_t warp_tile, char *stage, unsigned q, unsigned part,
                                    const GPI(looked_up) *it)
{
    if (part == 0) {
        const GPI(piece) piece = GPI(piece_of)(it->items, warp_tile);
        const unsigned bytes = piece.first < piece.last ? (piece.last - piece.first) * (unsigned)sizeof *job->in : 0;
        const GP_INPUT_TYPE *start = job->in + warp_tile * GPI(warp_tile_n), *from = start + piece.first;
        char *place = stage + q * GPI(slot_bytes) + gpi_misalignment(start) + piece.first * sizeof *from;

        return gpi_copy_of(place - gpi_misalignment(from), from, bytes, job->in + it->items.first,
                           (it->items.last - it->items.first) * sizeof *from);
    }
    const int has_any = q == 0 && it->first < it->last;
    if (part == 1) {
        const unsigned count = has_any ? gpi_min_size(it->last - it->first, GPI(room_n)) : 0;

        return gpi_copy_of(stage + GPI(offsets), job->offsets + it->first, count * (unsigned)sizeof *job->offsets,
                           job->offsets, (job->segments + 1) * sizeof *job->offsets);
    }
    const size_t tile = warp_tile / GPI(warp_tiles);
    const unsigned bytes = q == 0 && tile < job->tiles ? 2 * (unsigned)sizeof(size_t) : 0;
    return gpi_copy_of(stage + GPI(starts), &job->starts[tile], bytes, job->starts,
                       (job->tiles + (size_t)1) * sizeof(size_t));
}

/* ---- offsets ----------------------------------------------------------------------------------- */

/* The first of the offsets [first, last) that is `start` or behind it; `last`, if none is. */
GPI_DEVICE size_t GPI(search)(const GPI(job) *job, size_t first, size_t last, size_t start)
{
    while (first < last) {
        const size_t middle = first + (last - first) / 2;

        if ((size_t)job->offsets[middle] < start)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/* ---- heads ------------------------------------------------------------------------------------- */

/* The words of bits of a lane's heads; of the first lane of a tile. */
#define GPI_SEGMENTED_MARKS(stage) ((uint32_t *)(void *)((stage) + GPI(marks)))

/* Marks item number `at` of a tile. */
GPI_DEVICE void GPI(mark)(uint32_t *marks, unsigned at)
{
    const unsigned i = at % GPI(thread_n);

    atomicOr(&marks[at / GPI(thread_n) * GPI(head_words) + i / 32], 1u << i % 32);
}

/* All sum warps: mark the heads of a tile, by its `count` offsets from number `first` on. */
GPI_DEVICE void GPI(mark_tile)(const GPI(job) *job, size_t tile, char *stage, size_t first, unsigned count, unsigned q,
                               unsigned lane)
{
    enum { some = 8, most = (int)GPI(warp_tiles) * 32 };
    const GP_INDEX *const there =
        (const GP_INDEX *)(const void *)(stage + GPI(offsets) + gpi_misalignment(job->offsets + first));
    const size_t start = tile * GPI(tile_n);
    uint32_t *const marks = GPI_SEGMENTED_MARKS(stage);

    gpi_barrier_sync(3, most); /* nothing is marked */
    GPI_UNROLL_BY_2
    for (unsigned i = q * 32 + lane; i < gpi_min(count, GPI(room_n)); i += most)
        GPI(mark)(marks, (unsigned)((size_t)there[i] - start));
    GPI_NO_UNROLL
    for (unsigned i = GPI(room_n) + q * 32 + lane; i < count; i += some * most) { /* they are not in the stage */
        unsigned at[some];

        GPI_UNROLL
        for (unsigned k = 0; k < some; k++)
            at[k] = i + k * most < count ? (unsigned)((size_t)job->offsets[first + i + k * most] - start)
                                         : (unsigned)GPI(tile_n);
        GPI_UNROLL
        for (unsigned k = 0; k < some; k++)
            if (at[k] < GPI(tile_n))
                GPI(mark)(marks, at[k]);
    }
    gpi_barrier_sync(3, most); /* all are marked */
}

/* A lane marks its heads, of which the first item is number `start`, among the offsets [first, last), mostly equal. */
GPI_DEVICE void GPI(search_heads)(const GPI(job) *job, size_t start, size_t first, size_t last, uint32_t *marks)
{
    GPI_NO_UNROLL
    for (unsigned i = 0; i < GPI(thread_n); i++) {
        first = GPI(search)(job, first, last, start + i);
        if (first == last)
            return;
        i = gpi_min_size((size_t)job->offsets[first] - start, GPI(thread_n));
        if (i < GPI(thread_n))
            marks[i / 32] |= 1u << i % 32;
    }
}

/* A lane marks its heads where all segments have the same length. */
GPI_DEVICE void GPI(mark_rows)(const GPI(job) *job, size_t start, uint32_t *marks)
{
    const size_t in_row = start % job->length;

    for (size_t i = in_row ? job->length - in_row : 0; i < GPI(thread_n); i += job->length)
        marks[i / 32] |= 1u << i % 32;
}

/* One warp of those that do the same for the other warp tiles: leaves the bits of its heads in the stage. */
GPI_DEVICE void GPI(find_heads)(const GPI(job) *job, size_t warp_tile, char *stage, unsigned q, unsigned lane)
{
    const size_t tile = warp_tile / GPI(warp_tiles), start = warp_tile * GPI(warp_tile_n) + lane * GPI(thread_n);
    uint32_t *const marks = GPI_SEGMENTED_MARKS(stage) + (q * 32 + lane) * GPI(head_words);

    GPI_UNROLL
    for (int w = 0; w < GPI(head_words); w++)
        marks[w] = 0;
    if (job->offsets) {
        size_t starts[2];

        memcpy(starts, stage + GPI(starts) + gpi_misalignment(job->starts + tile), sizeof starts);
        if (starts[1] - starts[0] > GPI(crowd_n))
            GPI(search_heads)(job, start, starts[0], starts[1], marks);
        else if (starts[1] > starts[0])
            GPI(mark_tile)(job, tile, stage, starts[0], (unsigned)(starts[1] - starts[0]), q, lane);
    } else {
        GPI(mark_rows)(job, start, marks);
    }
}

/* ---- a warp tile ------------------------------------------------------------------------------- */

/* What the lanes have found: the fold that comes before each in its warp tile. */
GPI_DEVICE GP_TYPE *GPI(lane_folds)(char *stage, unsigned q)
{
    return (GP_TYPE *)(void *)(stage + GPI(lanes)) + q * 32;
}

/* Reads the lane's heads. */
GPI_DEVICE void GPI(read_heads)(uint32_t *heads, char *stage, unsigned q, unsigned lane)
{
    GPI_UNROLL
    for (int w = 0; w < GPI(head_words); w++)
        heads[w] = GPI_SEGMENTED_MARKS(stage)[(q * 32 + lane) * GPI(head_words) + (unsigned)w];
}

GPI_DEVICE GPI(sum) GPI(nothing)(void)
{
    GPI(sum) sum;

    sum.has_heads = 0;
    sum.fold = GPI(identity)();
    return sum;
}

/* One warp: copies of its first item take the places of those that no segment has; `tile` is where item 0 is. */
GPI_DEVICE void GPI(complete)(char *tile, GPI(piece) piece, unsigned lane)
{
    GP_INPUT_TYPE x;

    gpi_get(x, tile + piece.first * sizeof x);
    GPI_NO_UNROLL
    for (unsigned i = lane; i < GPI(warp_tile_n); i += 32)
        if (i < piece.first || i >= piece.last)
            gpi_put(tile + i * sizeof x, x);
    gpi_fence_async(); /* the slot may get the next warp tile by a bulk copy */
    __syncwarp();      /* the copies are there */
}

GPI_DEVICE void GPI(sum_warp_tile)(const GPI(job) *job, size_t warp_tile, char *stage, unsigned q, GPI(sum) *all,
                                   unsigned lane, GPI_CONTEXT context)
{
    const GPI(piece) piece = GPI(piece_of)(GPI(extent_of)(job), warp_tile);
    const unsigned misalignment = gpi_misalignment(job->in + warp_tile * GPI(warp_tile_n));
    char *const slot = stage + q * GPI(slot_bytes);
    GPI(sum) sum = GPI(nothing)();

    GPI(find_heads)(job, warp_tile, stage, q, lane);
    if (piece.first < piece.last) {
        uint32_t heads[GPI(head_words)];
        GPI(thread_items) regs;

        if (piece.last - piece.first < GPI(warp_tile_n))
            GPI(complete)(slot + misalignment, piece, lane);
        GPI(read_heads)(heads, stage, q, lane);
        sum.has_heads = (uint32_t)GPI(any_head)(heads);
        GPI(thread_read)(&regs, slot, misalignment, lane, context);
        sum.fold = regs.items[0];
        GPI_UNROLL
        for (unsigned i = 1; i < GPI(thread_n); i++)
            sum.fold = GPI(is_head)(heads, i) ? regs.items[i] : GPI(combine)(sum.fold, regs.items[i]);
    }
    sum = GPI(warp_scan)(sum, (int)lane, 32);
    if (lane == 31)
        *all = sum;
    sum = GPI(shuffle_up)(sum, 1);
    GPI(lane_folds)(stage, q)[lane] = lane ? sum.fold : GPI(identity)();
}

/* What a write warp holds. */
typedef struct {
    GPI(thread_items) regs;
    uint32_t heads[GPI(head_words)];
    GPI(sum) before;
    GPI(piece) piece;
} GPI(held);

GPI_DEVICE int GPI(take_warp_tile)(const GPI(job) *job, GPI(held) *held, size_t warp_tile, char *stage, unsigned q,
                                   GPI(sum) sum, unsigned lane, GPI_CONTEXT context)
{
    (void)sum;
    held->piece = GPI(piece_of)(GPI(extent_of)(job), warp_tile);
    if (held->piece.first >= held->piece.last)
        return 0;
    GPI(read_heads)(held->heads, stage, q, lane);
    const unsigned with_heads = __ballot_sync(GPI_FULL_MASK, GPI(any_head)(held->heads));
    held->before.has_heads = (with_heads & ((1u << lane) - 1)) != 0;
    held->before.fold = GPI(lane_folds)(stage, q)[lane];
    GPI(thread_read)(&held->regs, stage + q * GPI(slot_bytes),
                     gpi_misalignment(job->in + warp_tile * GPI(warp_tile_n)), lane, context);
    return 1;
}

GPI_DEVICE int GPI(put_warp_tile)(const GPI(job) *job, GPI(shared) *nothing, GPI(held) *held,
                                  const GPI(before) *before, size_t warp_tile, char *stage, unsigned q, unsigned lane,
                                  GPI_CONTEXT context)
{
    GP_TYPE *const start = job->out + warp_tile * GPI(warp_tile_n), *const out = start + held->piece.first;
    char *const slot = stage + q * GPI(slot_bytes);
    GPI(sum) sum = before->has_tiles ? before->tiles : GPI(nothing)();

    (void)nothing;
    (void)context;
    if (before->has_warps)
        sum = GPI(join)(sum, before->warps);
    GP_TYPE fold = GPI(join)(sum, held->before).fold;
    GPI_UNROLL
    for (unsigned i = 0; i < GPI(thread_n); i++) {
        const GP_TYPE x = held->regs.items[i];
        const GP_TYPE left = GPI(is_head)(held->heads, i) ? GPI(identity)() : fold;

        fold = GPI(combine)(left, x);
        held->regs.items[i] = job->is_exclusive ? left : fold;
    }
    GPI(thread_write)(&held->regs, slot, gpi_misalignment(start), lane);
    gpi_fence_async();
    __syncwarp(); /* the results are in the slot */
    gpi_store_bulk((char *)out,
                   slot + gpi_misalignment(start) + held->piece.first * sizeof *out - gpi_misalignment(out),
                   (held->piece.last - held->piece.first) * (unsigned)sizeof *out, lane);
    return 1;
}
#endif

#include "../tile/pipeline.cuh"

/* ---- where tiles start ------------------------------------------------------------------------- */

enum { GPI(find_threads) = 128 };

static __global__ void __launch_bounds__(GPI(find_threads)) GPI(find_kernel)(GPI(job) job)
{
#if GPI_SM90_CODE
    const size_t threads = (size_t)gridDim.x * blockDim.x;

    gpi_grid_wait();
    gpi_grid_launch_next();
    for (size_t tile = (size_t)blockIdx.x * blockDim.x + threadIdx.x; tile <= job.tiles; tile += threads)
        job.starts[tile] = GPI(search)(&job, 0, job.segments, tile < job.tiles ? tile * GPI(tile_n) : job.n);
#endif
}

/* ---- host functions ---------------------------------------------------------------------------- */

static inline size_t GPI(tiles)(size_t n)
{
    return gpi_divide_up(n, (size_t)GPI(tile_n));
}

/* From so many items on scans are done so. */
static inline size_t GPI(from)(int by_rows)
{
    const size_t bytes = (size_t)GPI_TUNE_SEGMENTED_PIPELINED_FROM << 20;

    return GP_KERNEL ? 0 : bytes / (by_rows ? 8 : 1) / GPI(wider);
}

/* Whether one is: by offsets, if a tile does not have more of them than items. */
static inline int GPI(runs)(size_t n, size_t segments, int by_rows)
{
    return (by_rows || segments <= n || GP_KERNEL) &&
           GPI(runs_pipelined)(n >= GPI(from)(by_rows), (unsigned)GPI(tiles)(n));
}

/* Bytes for the tile states of n or fewer items, and for where tiles start. */
static inline size_t GPI(state_bytes)(size_t n)
{
    return GPI(serves) && n >= GPI(from)(1) ? GPI(tile_state_bytes)(GPI(tiles)(n)) : 0;
}

static inline size_t GPI(start_bytes)(size_t n)
{
    return GPI(serves) && n >= GPI(from)(0) ? gpi_multiply_sizes(GPI(tiles)(n) + 1, sizeof(size_t)) : 0;
}

/* Fills in the rest of a job. */
static inline cudaError_t GPI(launch)(GPI(job) job, GPI_CONTEXT context, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;

    job.tiles = (unsigned)GPI(tiles)(job.n);
    job.last_warp_tiles = GPI(warp_tiles);
    if (job.offsets) {
        const size_t blocks = job.tiles / (size_t)GPI(find_threads) + 1;

        error = GPI_LAUNCH_DEPENDENT(1, GPI(find_kernel), gpi_resident_blocks(16, blocks, GP_GRID),
                                     GPI(find_threads), 0, stream, job);
    }
    if (error == cudaSuccess)
        error = GPI(launch_pipelined)(job, gpi_resident_blocks(1, job.tiles, GP_GRID), context, stream);
    return error;
}

#undef GPI_SEGMENTED_MARKS
#undef GPI_STAGES_LOOK_UP
#undef GPI_TILES_BY_TICKET
#pragma pop_macro("GPI_PIPELINE_SERVES")
