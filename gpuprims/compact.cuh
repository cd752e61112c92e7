/*
 * compact.cuh: keeps the items that satisfy a predicate (stream compaction), and partitions.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_TYPE        T, any trivially copyable type of up to 1024 bytes (int)
 *              GP_PRED(x)     true for an item to keep (x != 0); with GP_CONTEXT: GP_PRED(x, context)
 *              GP_LOAD_AT(in, i)  an expression for item number i, a size_t, in place of in[i]; with GP_CONTEXT:
 *                             GP_LOAD_AT(in, i, context)
 *              GP_INPUT_TYPE  with GP_LOAD_AT: I, what `in` points to, void too (T)
 *              GP_STORE_AT(out, i, x)  a statement that stores an item at place i of the output (out[i] = x); with
 *                             GP_CONTEXT: GP_STORE_AT(out, i, x, context); not used by compact_indices
 *              GP_CONTEXT     type of a by-value argument before `ws`
 *              GP_INDEX       INDEX, an integer type of 4 or 8 bytes that n has to fit: counts and places (size_t)
 *              GP_API         linkage of the host functions (static inline)
 *              GP_KERNEL      GP_KERNEL_SIMPLE or GP_KERNEL_PIPELINED: runs that kernel at every n (either)
 *              GP_GRID        blocks of a launch at most (as many as fit)
 *
 * Generates    cudaError_t NAME_compact(const I *in, T *out, size_t n, INDEX *d_count, ...)
 *              cudaError_t NAME_compact_flagged(in, const uint8_t *flags, out, n, d_count, ...)
 *              cudaError_t NAME_compact_indices(in, INDEX *out, n, d_count, ...)
 *              cudaError_t NAME_partition(in, out, n, d_count, ...)
 *              cudaError_t NAME_partition_stable(in, out, n, d_count, ...)
 *              cudaError_t NAME_partition_flagged(in, flags, out, n, d_count, ...)
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
 * compact_flagged and partition_flagged keep the items whose flag is not 0; the latter places them as partition
 * does. A type without `!=` needs GP_PRED of its own, for these as well.
 *
 * Guarantees   Asynchronous on `stream`; the number of kept items goes to device memory. Kept items stay
 *              in order. Nothing is written past the count (partitions write n items). in == out is
 *              allowed for compact and compact_flagged; no other overlap. With GP_LOAD_AT or GP_STORE_AT, `in`
 *              and `out` are handed through, NULL too, no overlap is checked, and what is read must not be written.
 * Evaluations  GP_PRED is evaluated on items of the input alone, and once on each; by partition_stable twice
 *              on some or all where there are more tiles than the device has room for at a time; by
 *              compact_flagged and partition_flagged never.
 *              A thread evaluates it on neighbouring items (28 of 4 bytes, never more than 112): where
 *              the input begins or ends within them, copies of an item make them complete, 222 of them at
 *              most in all. Not in place, a warp that has waited long for the tile of another block counts
 *              that tile itself: once more on each item of it. GP_LOAD_AT is evaluated, in any order, on each
 *              i < n and no other: once, and once more wherever the predicate is. GP_STORE_AT is executed once for
 *              each place that is written, in any order.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched; else
 *              what a launch or an allocation returned. n == 0 gives a count of 0.
 *
 * How it works: in one launch and one pass, after the decoupled look-back of Merrill and Garland
 * (Single-pass parallel prefix scan with decoupled look-back, 2016), but with no chain from tile to tile:
 *
 *     1. a tile is read into shared memory; every lane evaluates the predicate on some neighbouring
 *        items, keeps the answers as bits, and counts them; the warp scans the counts
 *     2. the tile publishes its count; where it lands says in which launch it was published
 *     3. the tile adds up the counts of all tiles before, in groups of 64
 *     4. every lane puts its kept items to those of its warp in shared memory, from where they go, in one
 *        piece, to their place in the output
 *
 * Large inputs go through core/compact/pipelined.cuh, in which different warps do these steps, small ones and
 * older GPUs through core/compact/simple.cuh, in which every warp does all of them. docs/compact.md has
 * pictures. Rejected items of partition_stable go behind all that are kept: where there are more tiles than the
 * device has room for at a time, a launch of its own counts these first. Cost: n reads, and as many writes as
 * there are results; large stable partitions 2n reads.
 *
 * In place: what is kept never moves forward, so it lands in its own tile or in earlier ones. All of these
 * have been read when it is written: a tile publishes its count when it has been read as a whole, and a
 * tile is written when the counts of all earlier ones are known.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG compact
#define GPI_HEADER "gpuprims/compact.cuh"
#define GPI_TAKES \
    (GPI_TAKES_TYPE | GPI_TAKES_PRED | GPI_TAKES_INPUT_TYPE | GPI_TAKES_LOAD_AT | GPI_TAKES_STORE_AT | \
     GPI_TAKES_CONTEXT | GPI_TAKES_INDEX | GPI_TAKES_API | GPI_TAKES_KERNEL | GPI_TAKES_GRID)
#if defined GP_INPUT_TYPE && !defined GP_LOAD_AT
#error "gpuprims/compact.cuh: GP_LOAD_AT is missing; GP_INPUT_TYPE goes with it"
#undef GP_INPUT_TYPE
#endif
#endif
#include "core/instance/begin.cuh"

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
GPI_ONCE_PER_NAME(compact);
GPI_AT_MOST(GP_TYPE, 1024);
GPI_CHECK_INDEX();

#define GPI_FOLDS_COUNTS
#define GPI_LANE_TILES 2
#include "core/instance/fold.cuh"
#include "core/instance/load.cuh"
#include "core/instance/predicate.cuh"
#include "core/tile/warp_tile.cuh"
#include "core/tile/pack.cuh"
#include "core/tile/tile_state.cuh"
#include "core/compact/tuning.cuh"

/*
 * Thread items, warp tiles and tiles are those of core/tile/warp_tile.cuh, but warp tiles start at 128-byte lines where
 * the type allows: the first one then lacks some items. With GP_LOAD_AT it is not known where that would be.
 */
enum {
#ifdef GP_LOAD_AT
    GPI(computes) = 1, /* items, in place of copying them */
    GPI(skip) = 0,
    GPI(at_lines) = 1,
#else
    GPI(computes) = 0,
    GPI(skip) = GPI(out_bytes) % 16 == 0 && GPI_LOW_BIT(sizeof(GP_TYPE)) < 128
                    ? 128 / (int)GPI_LOW_BIT(sizeof(GP_TYPE)) - 1 : 0, /* items that the first warp tile may lack */
    GPI(at_lines) = GPI(out_bytes) % 16 == 0 && (int)sizeof(GP_TYPE) < 128 &&
                    __alignof__(GP_TYPE) % GPI_LOW_BIT(sizeof(GP_TYPE)) == 0, /* all warp tiles do */
#endif
    GPI(simple_blocks) = GPI_BLOCKS_OF_SIMPLE(GPI_TUNE_COMPACT_SIMPLE_BLOCKS),
    GPI(flag_slot) = (GPI(warp_tile_n) + 127) / 128 * 128 + 128
};

/* Where items go that are not kept: nowhere, from the end backwards, behind the kept ones. */
#ifndef GPI_REJECTED_DROPPED
#define GPI_REJECTED_DROPPED  0
#define GPI_REJECTED_REVERSED 1
#define GPI_REJECTED_STABLE   2
#endif

/* What a launch works on. */
typedef struct {
    const GP_INPUT_TYPE *in;
    const uint8_t *flags; /* instead of the predicate, or NULL */
    GP_TYPE *out;
    GP_INDEX *indices; /* instead of items, or NULL */
    GP_INDEX *count;
    size_t n;
    gpi_tile_state_head *head; /* the tile states follow it */
    unsigned tiles;
    unsigned warp_tiles, last_warp_tiles; /* of a tile, and of the last one */
    unsigned skip; /* places of the first warp tile that come before the array */
    int rejected;  /* a GPI_REJECTED_... */
    int in_place;
    unsigned first_tiles; /* of a stable partition: those that the launch itself counts before it writes; the count of
                             the others is in head->counted */
} GPI(job);

/* What there is of a warp tile: items in places [first, last); item i in place i - start. */
typedef struct {
    size_t start;
    unsigned first, last;
} GPI(part);

/* What core/tile/look_back.cuh needs, and what a block shares besides. */
typedef uint64_t GPI(total);
typedef gpi_pack_table GPI(shared);

enum {
    GPI(helps) = 1,
    GPI(moves) = 1
};

/* ---- device functions ------------------------------------------------------------------------ */

#if GPI_DEVICE_CODE
GPI_DEVICE void GPI(share)(GPI(shared) *table)
{
    if (sizeof(GP_TYPE) == 1)
        gpi_pack_prepare(table);
}

GPI_DEVICE uint64_t GPI(total_of)(uint32_t group)
{
    return group;
}

GPI_DEVICE uint64_t GPI(add)(uint64_t before, uint32_t group)
{
    return before + group;
}

GPI_DEVICE GPI(part) GPI(cut)(const GPI(job) *job, size_t warp_tile)
{
    size_t places = job->n + job->skip, place = warp_tile * GPI(warp_tile_n);
    GPI(part) part;

    part.start = place - job->skip;
    part.first = warp_tile == 0 ? job->skip : 0;
    part.last = place >= places ? 0 : gpi_min_size(places - place, GPI(warp_tile_n));
    return part;
}

#define GPI_COMPACT_IS_SHORT(part)     ((part).last - (part).first < GPI(warp_tile_n))
#define GPI_COMPACT_IS_LAST(job, part) ((part).start + (part).last == (job)->n)

/* Where place 0 of a warp tile lies in a slot. */
GPI_DEVICE unsigned GPI(misalignment)(const GPI(job) *job, GPI(part) part)
{
    return GPI(at_lines) ? 0 : (unsigned)((uintptr_t)job->in + part.start * sizeof(GP_TYPE)) & 127;
}

GPI_DEVICE unsigned GPI(flag_misalignment)(const GPI(job) *job, GPI(part) part)
{
    return (unsigned)((uintptr_t)job->flags + part.start) & 127;
}

/* The copy of what there is of a warp tile, or of its flags. */
GPI_DEVICE gpi_copy GPI(copy_of)(const GPI(job) *job, GPI(part) part, int flags, char *slot)
{
    const size_t size = flags ? 1 : sizeof(GP_TYPE);
    const char *begin = flags ? (const char *)job->flags : (const char *)job->in;
    const char *from = begin + (part.start + part.first) * size;
    char *first = slot + (flags ? GPI(flag_misalignment)(job, part) : GPI(misalignment)(job, part)) + part.first * size;

    return gpi_copy_of(first - gpi_misalignment(from), from, (part.last - part.first) * (unsigned)size, begin,
                       job->n * size);
}

/*
 * Evaluates the predicate on a thread's bytes, twice 16 at a time, the last ones first: a copy of it for each of them
 * would be much code. A result stays in the byte that it belongs to until there are eight.
 */
GPI_DEVICE void GPI(ask_bytes)(uint32_t *keep, const char *items, GPI_CONTEXT context)
{
    GPI_UNROLL_BY_2
    for (int v = GPI(out_bytes) / 16; v-- > 0;) {
        uint32_t answers[4] = {0, 0, 0, 0}, eights[2];
        GPI(thread_items) regs;

        gpi_get(regs.vectors[0], items + 16 * v);
        GPI_UNROLL
        for (int i = 15; i >= 0; i--) {
            GP_TYPE x = GPI(item)(&regs, i);

            answers[i / 4] |= GPI(keep)(&x, context) ? 1u << 8 * (i % 4) : 0;
        }
        eights[0] = gpi_gather_answers(answers[0], answers[1]);
        eights[1] = gpi_gather_answers(answers[2], answers[3]);
        GPI_UNROLL
        for (int w = GPI(bits) - 1; w > 0; w--) /* room for 16 more */
            keep[w] = gpi_permute(keep[w - 1], keep[w], 0x5432);
        keep[0] = gpi_permute(gpi_permute(eights[0], eights[1], 0x0073), keep[0], 0x5410);
    }
}

/* Evaluates the predicate on a thread's larger items. */
GPI_DEVICE void GPI(ask)(uint32_t *keep, const GPI(thread_items) *regs, GPI_CONTEXT context)
{
    GPI_UNROLL
    for (int i = 0; i < GPI(thread_n); i++) {
        GP_TYPE x = GPI(item)(regs, i);

        keep[i / 32] |= (uint32_t)GPI(keep)(&x, context) << i % 32;
    }
}

/*
 * One warp: where a thread lacks items, a copy of one takes their places, so that the predicate may be evaluated on all
 * of them.
 */
GPI_DEVICE void GPI(fill)(char *items, GPI(part) part, unsigned lane)
{
    const unsigned begin = part.first / GPI(thread_n) * GPI(thread_n);
    const unsigned end = (part.last + GPI(thread_n) - 1) / GPI(thread_n) * GPI(thread_n);
    GP_TYPE x;

    gpi_get(x, items + part.first * sizeof x);
    GPI_NO_UNROLL
    for (unsigned place = begin + lane; place < part.first; place += 32)
        gpi_put(items + place * sizeof x, x);
    GPI_NO_UNROLL
    for (unsigned place = part.last + lane; place < end; place += 32)
        gpi_put(items + place * sizeof x, x);
    gpi_fence_async(); /* the slot may get the next warp tile by a bulk copy */
    __syncwarp();      /* the copies are there */
}

/* Takes the flags of a thread's items instead; where there is no item they may be undefined memory. */
GPI_DEVICE void GPI(ask_flags)(uint32_t *keep, const char *flags, unsigned lane)
{
    const char *from = flags + lane * GPI(thread_n);

    if (GPI(thread_n) % 4 == 0) { /* four at a time */
        unsigned shift = (unsigned)(uintptr_t)from & 3;
        uint32_t word, next = 0;

        gpi_get(word, from - shift);
        GPI_UNROLL
        for (int i = 0; i < GPI(thread_n); i += 4) {
            if (i + 4 < GPI(thread_n) || shift)
                gpi_get(next, from - shift + i + 4);
            uint32_t four = gpi_funnel_shift(word, next, shift * 8);
            uint32_t marked = (((four & 0x7F7F7F7Fu) + 0x7F7F7F7Fu) | four) >> 7 & 0x01010101u;

            keep[i / 32] |= (marked * 0x01020408u >> 24) << i % 32;
            word = next;
        }
    } else { /* of large items there are fewer than 32 */
        GPI_UNROLL_BY_8
        for (int i = 0; i < GPI(thread_n); i++)
            keep[0] |= from[i] ? 1u << i % 32 : 0;
    }
}

/*
 * Which of the lane's items are kept, a bit each; returns how many. Without flags, the places of a warp tile that is
 * not whole have been filled; `regs` is needed of items larger than a byte, and place 0 is at `items`.
 */
GPI_DEVICE unsigned GPI(choose)(uint32_t *keep, const GPI(job) *job, GPI(part) part,
                                const GPI(thread_items) *regs, const char *items, const char *flag_slot,
                                unsigned lane, GPI_CONTEXT context)
{
    int first = (int)part.first - (int)(lane * GPI(thread_n)), last = (int)part.last - (int)(lane * GPI(thread_n));
    unsigned kept = 0;

    GPI_UNROLL
    for (int w = 0; w < GPI(bits); w++)
        keep[w] = 0;
    if (job->flags) {
        GPI(ask_flags)(keep, flag_slot + GPI(flag_misalignment)(job, part), lane);
    } else if (first < GPI(thread_n) && last > 0) { /* not where there is no item at all */
        if (sizeof(GP_TYPE) == 1)
            GPI(ask_bytes)(keep, items + lane * GPI(out_bytes), context);
        else
            GPI(ask)(keep, regs, context);
    }
    if (GPI_COMPACT_IS_SHORT(part)) {
        GPI_UNROLL
        for (int w = 0; w < GPI(bits); w++)
            keep[w] &= gpi_low_bits(last - 32 * w) & ~gpi_low_bits(first - 32 * w);
    }
    GPI_UNROLL
    for (int w = 0; w < GPI(bits); w++)
        kept += (unsigned)__popc(keep[w]);
    return kept;
}

/* Where result number i goes; with GP_STORE_AT, where it would if the output lay at an address of its own. */
GPI_DEVICE char *GPI(address)(const GPI(job) *job, size_t i)
{
#ifdef GP_STORE_AT
    (void)job;
    return (char *)(128 + (uintptr_t)i * sizeof(GP_TYPE));
#else
    return (char *)(job->out + i);
#endif
}

/*
 * One warp, which has read the slot: writes what the output gets of a warp tile. `before` items are kept before the
 * warp tile, `rank` in it before the lane. Uses the slot.
 */
GPI_DEVICE void GPI(write)(const GPI(job) *job, GPI(part) part, char *slot,
                           GPI(thread_items) *regs, const uint32_t *keep, unsigned rank, unsigned kept,
                           size_t before, size_t all_kept, const gpi_pack_table *table,
                           unsigned lane, int bulk, GPI_CONTEXT context)
{
    const unsigned size = sizeof(GP_TYPE);

    (void)context;
    if (job->indices) {
        if (kept)
            GPI(pack_places)(job->indices + before, part.start, slot, keep, rank, kept, lane);
        if (bulk)
            gpi_fence_async();
        return;
    }
    /* Rejected items end where the slot does, as far behind a line as in the output. */
    int both = job->rejected != GPI_REJECTED_DROPPED, reverse = job->rejected == GPI_REJECTED_REVERSED;
    int first = (int)part.first - (int)(lane * GPI(thread_n)), last = (int)part.last - (int)(lane * GPI(thread_n));
    unsigned rejected = both ? part.last - part.first - kept : 0;
    size_t rejected_before = part.start + part.first - before;
    char *out = GPI(address)(job, before);
    char *end = GPI(address)(job, reverse ? job->n - rejected_before : all_kept + rejected_before + rejected);
    char *begin = end - rejected * size, *slot_end = slot + GPI(slot) - 128 + gpi_misalignment(end);
    GPI(target) to = {slot + gpi_misalignment(out) + rank * size, slot_end, both, reverse};
    uint32_t drop[GPI(bits)];

    GPI_UNDEFINED(drop);
    if (kept + rejected == 0)
        return;
    if (both) {
        unsigned own = gpi_min(lane * GPI(thread_n), part.last) - gpi_min(lane * GPI(thread_n), part.first);
        unsigned before_lane = own - rank, here = 0;

        GPI_UNROLL
        for (int w = 0; w < GPI(bits); w++) {
            const int items = GPI(thread_n) - 32 * w;

            drop[w] = ~keep[w] & gpi_low_bits(last - 32 * w) & ~gpi_low_bits(first - 32 * w) & gpi_low_bits(items);
            here += (unsigned)__popc(drop[w]);
        }
        to.rejected -= (reverse ? before_lane + here : rejected - before_lane) * size;
    }
    GPI(pack)(to, regs, keep, drop, table);
    if (bulk)
        gpi_fence_async();
    __syncwarp(); /* the items are in the slot */
    GPI_NO_UNROLL
    for (unsigned bytes = kept * size;; bytes = rejected * size) {
#ifdef GP_STORE_AT
        GPI(store_items)(job->out, ((uintptr_t)out - 128) / size, bytes / size, slot + gpi_misalignment(out), lane,
                         context);
#else
        if (bulk)
            gpi_store_bulk(out, slot, bytes, lane);
        else
            gpi_store_warp(out, slot, bytes, lane);
#endif
        if (!both)
            return;
        both = 0;
        out = begin;
        slot = slot_end - rejected * size - gpi_misalignment(begin);
    }
}

/* Whether item i is kept. */
GPI_DEVICE unsigned GPI(keeps)(const GPI(job) *job, size_t i, GPI_CONTEXT context)
{
    if (job->flags)
        return job->flags[i] != 0;
    const GP_TYPE x = GPI(load_at)(job->in, i, context);
    return (unsigned)GPI(keep)(&x, context);
}

/* How many of the lane's share of items [first, last) in global memory are kept. */
GPI_DEVICE unsigned GPI(count)(const GPI(job) *job, size_t first, size_t last, unsigned lane, GPI_CONTEXT context)
{
    unsigned kept = 0;

    GPI_NO_UNROLL
    for (first += lane; first < last; first += 32)
        kept += GPI(keeps)(job, first, context);
    return kept;
}

/* What a tile keeps, from global memory. */
GPI_DEVICE uint32_t GPI(sum_tile)(const GPI(job) *job, size_t tile, unsigned lane, GPI_CONTEXT context)
{
    const size_t places = (size_t)job->warp_tiles * GPI(warp_tile_n);
    const size_t first = tile ? tile * places - job->skip : 0, last = (tile + 1) * places - job->skip;

    return gpi_warp_sum(GPI(count)(job, first, last < job->n ? last : job->n, lane, context));
}
#endif

#include "core/tile/look_back.cuh"

#if GPI_DEVICE_CODE
GPI_DEVICE GPI(look) GPI(look_start)(const GPI(job) *job)
{
    const GPI(look) look = {0, 1, 0};

    (void)job;
    return look;
}

/* How many items are kept before a warp tile. With the last one, the count is known. */
GPI_DEVICE size_t GPI(kept_before)(const GPI(job) *job, const GPI(before) *before, GPI(part) part, unsigned kept,
                                   unsigned lane)
{
    const size_t sum = (size_t)before->tiles + (before->has_warps ? before->warps : 0);

    if (GPI_COMPACT_IS_LAST(job, part) && lane == 0)
        *job->count = (GP_INDEX)(sum + kept);
    return sum;
}

GPI_DEVICE unsigned GPI(first_tiles)(const GPI(job) *job)
{
    return job->first_tiles;
}

/*
 * The launch before has counted part of the tiles, and waited for the launches before itself. Both read the input, and
 * run at the same time, until this one needs the count.
 */
GPI_DEVICE int GPI(waits_late)(const GPI(job) *job)
{
    return job->first_tiles && job->first_tiles < job->tiles;
}

GPI_DEVICE uint64_t GPI(all_tiles)(const GPI(job) *job, uint64_t sum)
{
    if (!GPI(waits_late)(job))
        return sum;
    gpi_grid_wait(); /* the rest has been counted */
    return sum + job->head->counted;
}
#endif

#include "core/compact/count.cuh"
#include "core/compact/simple.cuh"
#if GP_KERNEL != GP_KERNEL_SIMPLE
#include "core/compact/pipelined.cuh"
#endif

/* ---- host functions -------------------------------------------------------------------------- */

/* Of a launch of more than one tile, wherever the input starts. */
static inline size_t GPI(bytes)(size_t n)
{
    size_t rest = n ? (n - 1) % GPI(tile_n) + 1 : 0; /* items of the last tile */
    size_t tiles = gpi_divide_up(n, GPI(tile_n)) + (rest + GPI(skip) > GPI(tile_n));

    return tiles > 1 ? GPI(tile_state_bytes)(gpi_most_tiles(tiles, gpi_divide_up(n, GPI(warp_tile_n)) + 1)) : 0;
}

/*
 * Counts tiles first, if need be. The pipelined kernel, where the device has room for it, if not all tiles are resident
 * in the simple one at a time.
 */
static inline cudaError_t GPI(launch)(GPI(job) job, GPI_CONTEXT context, cudaStream_t stream)
{
    static signed char simple_known[GPI_DEVICES];
    int ready = gpi_kernel_ready((const void *)GPI(simple_kernel), GPI_COMPACT_SIMPLE_BYTES(1), simple_known);
    int dependent = (ready & GPI_KERNEL_SM90) != 0, pipeline = 0;
    const size_t warp_tiles = gpi_divide_up(job.n + job.skip, GPI(warp_tile_n));

#if GP_KERNEL != GP_KERNEL_SIMPLE
    pipeline = GPI(runs_pipelined)(job.tiles > gpi_resident_blocks(GPI(simple_blocks), job.tiles, GP_GRID), job.tiles);
#endif
    if (!pipeline) {
        job.warp_tiles = gpi_tile_warp_tiles(warp_tiles, GPI(warp_tiles), GP_GRID);
        job.tiles = (unsigned)gpi_divide_up(warp_tiles, job.warp_tiles);
    }
    unsigned blocks = gpi_resident_blocks(pipeline ? 1 : GPI(simple_blocks), job.tiles, GP_GRID);
    unsigned resident = blocks; /* tiles that are in shared memory at the same time */
#if GP_KERNEL != GP_KERNEL_SIMPLE
    resident *= pipeline ? GPI(max_stages) : 1;
#endif
    if (job.rejected == GPI_REJECTED_STABLE) {
        job.first_tiles = job.tiles <= resident ? job.tiles : pipeline ? resident : 0;
        if (job.first_tiles < job.tiles) {
            cudaError_t error = GPI_LAUNCH_DEPENDENT(dependent, GPI(count_kernel),
                gpi_resident_blocks(GPI(count_blocks), job.tiles - job.first_tiles, GP_GRID),
                GPI(count_threads), 0, stream, job, context);

            if (error != cudaSuccess)
                return error;
        }
    }
    job.last_warp_tiles = (unsigned)(warp_tiles - (size_t)(job.tiles - 1) * job.warp_tiles);
#if GP_KERNEL != GP_KERNEL_SIMPLE
    if (pipeline)
        return GPI(launch_pipelined)(job, blocks, context, stream);
#endif
    return GPI_LAUNCH_DEPENDENT(dependent, GPI(simple_kernel), blocks, 32 * GPI(simple_warps)(&job),
                                GPI_COMPACT_SIMPLE_BYTES(job.flags != NULL), stream, job, context);
}

/* Refuses too many items, and overlap. How much a compaction writes depends on the data; partitions write n items. */
static inline cudaError_t GPI(check)(const char *function, const GPI(job) *job)
{
    const size_t most = gpi_smaller_size(GPI_MOST_OF(GP_INDEX), GPI_MAX_TILES * GPI(tile_n) - GPI(skip));
    cudaError_t error = gpi_check_count(function, "n", job->n, most, sizeof(GP_TYPE));
#if !defined GP_LOAD_AT && !defined GP_STORE_AT
    const int drops = job->rejected == GPI_REJECTED_DROPPED, in_place = drops && !job->indices;
    const void *out = job->indices ? (const void *)job->indices : (const void *)job->out;
    const gpi_argument used[] = {
        {"in", job->in, job->n * sizeof *job->in, GPI_READ, in_place},
        {"flags", job->flags, job->n, GPI_READ, 0},
        {"out", out, drops ? 1 : job->n * sizeof *job->out, GPI_WRITTEN, in_place},
        {"d_count", job->count, sizeof *job->count, GPI_WRITTEN, 0}};

    if (error == cudaSuccess)
        error = gpi_check_overlap(function, used, 4);
#endif
    return error;
}

static inline cudaError_t GPI(host)(const char *function, GPI(job) job, GPI_CONTEXT context,
                                    gp_workspace *ws, cudaStream_t stream)
{
    gpi_scratch scratch;
    cudaError_t error;

#ifndef GP_LOAD_AT
    if (!job.in && job.n)
        return gpi_error_null(function, "in", job.n);
#endif
#ifndef GP_STORE_AT
    if (!job.out && !job.indices && job.n)
        return gpi_error_null(function, "out", job.n);
#endif
    if (!job.count)
        return gpi_error_null(function, "d_count", job.n);
    if (job.n == 0)
        return cudaMemsetAsync(job.count, 0, sizeof *job.count, stream);
    error = GPI(check)(function, &job);
    if (error != cudaSuccess)
        return error;
    error = gpi_tagged_scratch_acquire(&scratch, ws, GPI(bytes)(job.n), 0, stream, function);
    if (error != cudaSuccess)
        return error;

    /* The least skip with which the first warp tile starts at a line; none where no item does. */
    for (unsigned skip = 0; skip <= GPI(skip) && !job.skip; skip++)
        if (((uintptr_t)job.in - skip * sizeof(GP_TYPE)) % 128 == 0)
            job.skip = skip;
    job.head = (gpi_tile_state_head *)scratch.tags;
    job.tiles = (unsigned)gpi_divide_up(job.n + job.skip, GPI(tile_n));
    job.warp_tiles = GPI(warp_tiles);
#if !defined GP_LOAD_AT && !defined GP_STORE_AT
    job.in_place = job.in == job.out;
#endif
    error = GPI(launch)(job, context, stream);
    return gpi_scratch_release(&scratch, error, stream);
}

GPI_TAGGED_WORKSPACE(compact, GPI(bytes)(n))
GPI_TAGGED_WORKSPACE(compact_flagged, GPI(bytes)(n))
GPI_TAGGED_WORKSPACE(compact_indices, GPI(bytes)(n))
GPI_TAGGED_WORKSPACE(partition, GPI(bytes)(n))
GPI_TAGGED_WORKSPACE(partition_stable, GPI(bytes)(n))
GPI_TAGGED_WORKSPACE(partition_flagged, GPI(bytes)(n))

/* The items that satisfy GP_PRED, in order; *d_count of them. */
GP_API cudaError_t GPI_PUBLIC(compact)(const GP_INPUT_TYPE *in, GP_TYPE *out, size_t n, GP_INDEX *d_count,
                                       GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    GPI(job) job = {in, NULL, out, NULL, d_count, n, NULL, 0, 0, 0, 0, GPI_REJECTED_DROPPED, 0, 0};

    return GPI(host)(GPI_TEXT(compact), job, GPI_CONTEXT_VALUE, ws, stream);
}

/* The items whose flag is not 0, in order; *d_count of them. */
GP_API cudaError_t GPI_PUBLIC(compact_flagged)(const GP_INPUT_TYPE *in, const uint8_t *flags, GP_TYPE *out,
                                               size_t n, GP_INDEX *d_count,
                                               GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    GPI(job) job = {in, flags, out, NULL, d_count, n, NULL, 0, 0, 0, 0, GPI_REJECTED_DROPPED, 0, 0};

    if (!flags && n)
        return gpi_error_null(GPI_TEXT(compact_flagged), "flags", n);
    return GPI(host)(GPI_TEXT(compact_flagged), job, GPI_CONTEXT_VALUE, ws, stream);
}

/* The places of the items that satisfy GP_PRED, ascending; *d_count of them. */
GP_API cudaError_t GPI_PUBLIC(compact_indices)(const GP_INPUT_TYPE *in, GP_INDEX *out, size_t n, GP_INDEX *d_count,
                                               GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    GPI(job) job = {in, NULL, NULL, out, d_count, n, NULL, 0, 0, 0, 0, GPI_REJECTED_DROPPED, 0, 0};

#ifdef GP_STORE_AT
    if (!out && n) /* which may be NULL for the others */
        return gpi_error_null(GPI_TEXT(compact_indices), "out", n);
#endif
    return GPI(host)(GPI_TEXT(compact_indices), job, GPI_CONTEXT_VALUE, ws, stream);
}

/* All items: first those that satisfy GP_PRED, *d_count of them, in order; the others in reverse. */
GP_API cudaError_t GPI_PUBLIC(partition)(const GP_INPUT_TYPE *in, GP_TYPE *out, size_t n, GP_INDEX *d_count,
                                         GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    GPI(job) job = {in, NULL, out, NULL, d_count, n, NULL, 0, 0, 0, 0, GPI_REJECTED_REVERSED, 0, 0};

    return GPI(host)(GPI_TEXT(partition), job, GPI_CONTEXT_VALUE, ws, stream);
}

/* All items: first those that satisfy GP_PRED, *d_count of them, in order; the others in order. */
GP_API cudaError_t GPI_PUBLIC(partition_stable)(const GP_INPUT_TYPE *in, GP_TYPE *out, size_t n, GP_INDEX *d_count,
                                                GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    GPI(job) job = {in, NULL, out, NULL, d_count, n, NULL, 0, 0, 0, 0, GPI_REJECTED_STABLE, 0, 0};

    return GPI(host)(GPI_TEXT(partition_stable), job, GPI_CONTEXT_VALUE, ws, stream);
}

/* As partition, with flags that are not 0 for the items to keep. */
GP_API cudaError_t GPI_PUBLIC(partition_flagged)(const GP_INPUT_TYPE *in, const uint8_t *flags, GP_TYPE *out,
                                                 size_t n, GP_INDEX *d_count,
                                                 GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    GPI(job) job = {in, flags, out, NULL, d_count, n, NULL, 0, 0, 0, 0, GPI_REJECTED_REVERSED, 0, 0};

    if (!flags && n)
        return gpi_error_null(GPI_TEXT(partition_flagged), "flags", n);
    return GPI(host)(GPI_TEXT(partition_flagged), job, GPI_CONTEXT_VALUE, ws, stream);
}

#endif
#include "core/instance/end.cuh"
