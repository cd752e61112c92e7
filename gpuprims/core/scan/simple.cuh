/*
 * core/scan/simple.cuh: the scan as core/tile/simple.cuh and core/tile/small.cuh need it. A warp tile stays in
 * registers, or goes back into shared memory when it has been scanned early.
 *
 * Part of scan.cuh; not to be included directly.
 */
enum {
    GPI(simple_blocks) = GPI_BLOCKS_OF_SIMPLE(GPI_TUNE_SCAN_SIMPLE_BLOCKS),
    GPI(simple_bytes) = (int)GPI(warp_tiles) * GPI(slot_bytes),
    /* Whether items may be scanned before it is known what comes before their warp tile: the results do not show it. */
#ifdef GP_STORE_AT
    GPI(scans_early) = 0,
#else
    GPI(scans_early) = GPI(any_order) && GPI(runs_over) && (sizeof(GP_TYPE) == 4 || sizeof(GP_TYPE) == 8),
#endif
    GPI(simple_early) = GPI(scans_early) && sizeof(GP_TYPE) == 4 /* with larger ones, many tiles take longer */
};

#if GPI_DEVICE_CODE
/* What a warp holds: the lane's items, their fold, then that of the lanes before. */
typedef struct {
    GPI(thread_items) regs;
    GP_TYPE lanes;
    unsigned n, valid; /* items, and lanes that have any */
} GPI(simple_held);

/*
 * One warp, which has its items in registers: scans them, and leaves them in the slot as far behind a line as they will
 * be in `out`. `lanes` is what comes before the lane.
 */
GPI_DEVICE void GPI(scan_early)(const GPI(job) *job, GPI(thread_items) *regs, GP_TYPE lanes, const GP_TYPE *out,
                                char *slot, unsigned lane)
{
    __syncwarp(); /* all lanes have their items */
    GPI(thread_scan)(regs, lane ? lanes : GPI(identity)(), 1, job->exclusive);
    GPI(thread_write)(regs, slot, gpi_misalignment(out), lane);
    __syncwarp(); /* the slot has the results, but for what comes before */
}

/* One warp: writes n items that have been scanned early, each with `prefix` before it. */
GPI_DEVICE void GPI(put_early)(GP_TYPE *out, const char *slot, unsigned n, GP_TYPE prefix, unsigned lane)
{
    enum {
        fit = sizeof(GP_TYPE) < 16 ? 16 / sizeof(GP_TYPE) : 1, /* items into a vector */
        vectors = (GPI(warp_tile_n) + 32 * fit - 1) / (32 * fit) /* of a lane */
    };
    const unsigned head = gpi_head_bytes((const char *)out, n * (unsigned)sizeof *out) / (unsigned)sizeof *out;
    const unsigned body = (n - head) / fit * fit, tail = n - head - body;
    const GP_TYPE *from = (const GP_TYPE *)(const void *)(slot + gpi_misalignment(out));
    const char *aligned = slot + (gpi_misalignment(out) + 15) / 16 * 16; /* behind the head, if that is not all */
    union some {
        GPI_UNION(some)
        uint4 vector;
        GP_TYPE items[fit];
    } x[vectors];

    GPI_UNROLL
    for (int i = 0; i < vectors; i++)
        gpi_get(x[i].vector, aligned + (i * 32 + (int)lane) * 16);
    GPI_UNROLL
    for (int i = 0; i < vectors; i++) {
        const int place = (i * 32 + (int)lane) * fit;

        GPI_UNROLL
        for (int k = 0; k < fit; k++)
            x[i].items[k] = GPI(combine)(prefix, x[i].items[k]);
        gpi_put_16_if(place < (int)body, out + head + place, x[i].vector);
    }
    if (lane < head)
        out[lane] = GPI(combine)(prefix, from[lane]);
    if (lane < tail)
        out[head + body + lane] = GPI(combine)(prefix, from[head + body + lane]);
}

GPI_DEVICE int GPI(simple_sum)(const GPI(job) *job, GPI(simple_held) *held, size_t warp_tile, char *slots, GP_TYPE *sum,
                               unsigned lane, unsigned warp, int is_small, GPI_CONTEXT context)
{
    const char *from = GPI(read_from)(job->in, warp_tile);
    char *slot = slots + warp * GPI(slot_bytes);
    GP_TYPE x = job->before; /* any value, where there is no item */

    held->n = GPI(warp_tile_items)(job->n, warp_tile);
    held->valid = (held->n + GPI(thread_n) - 1) / GPI(thread_n);
#ifdef GP_LOAD_AT
    (void)is_small;
    if (held->n)
        GPI(compute_items)(job->in, warp_tile * GPI(warp_tile_n), held->n, slot, lane, context);
#else
    const gpi_copy copy = GPI(copy_warp_tile)(job->in, job->n, warp_tile, slot);

    if (is_small)
        gpi_fetch_aligned(slot, from, copy.bytes, lane, GPI(warp_tile_n) * (unsigned)sizeof(GP_INPUT_TYPE) / 16);
    else if (held->n)
        gpi_fetch_ahead(slot, from, copy.bytes, copy.array, lane,
                        GPI(warp_tile_n) * (unsigned)sizeof(GP_INPUT_TYPE) / 16);
#endif
    gpi_copy_wait();
    __syncwarp(); /* the warp tile is in its slot */
    if (GPI(runs_over) || held->n)
        x = GPI(fold_items)(&held->regs, slot, gpi_misalignment(from), held->n, lane, context);
    held->lanes = x;
    if (GPI(folds_fast)) /* the lanes are scanned after the tile is published: others wait for it */
        x = GPI(warp_reduce)(x, (int)lane, (int)held->valid);
    else
        x = held->lanes = GPI(warp_scan)(x, (int)lane, (int)held->valid);
    *sum = x;
    return lane + 1 == held->valid;
}

GPI_DEVICE void GPI(simple_between)(const GPI(job) *job, GPI(simple_held) *held, size_t warp_tile, char *slots,
                                     unsigned lane, unsigned warp, int is_small)
{
    if (GPI(folds_fast))
        held->lanes = GPI(warp_scan)(held->lanes, (int)lane, (int)held->valid);
    held->lanes = GPI(shuffle_up)(held->lanes, 1);
    if (is_small ? GPI(scans_early) : GPI(simple_early))
        GPI(scan_early)(job, &held->regs, held->lanes, GPI(write_to)(job->out, warp_tile),
                        slots + warp * GPI(slot_bytes), lane);
}

GPI_DEVICE void GPI(simple_put)(const GPI(job) *job, GPI(shared) *shared, GPI(simple_held) *held,
                                const GPI(before) *before, size_t warp_tile, char *slots, unsigned lane, unsigned warp,
                                int is_small, GPI_CONTEXT context)
{
    char *slot = slots + warp * GPI(slot_bytes);
    const int has_prefix = before->has_tiles || before->has_warps || lane > 0;
    GP_TYPE prefix = before->tiles;

    (void)shared;
    if (is_small ? GPI(scans_early) : GPI(simple_early)) {
        prefix = before->has_tiles || before->has_warps ? GPI(prefix)(before, prefix, 0) : GPI(identity)();
        GPI(put_early)(GPI(write_to)(job->out, warp_tile), slot, held->n, prefix, lane);
        return;
    }
    if (GPI(runs_over) || lane < held->valid)
        prefix = GPI(prefix)(before, held->lanes, lane > 0);
    GPI(write_items)(job, &held->regs, warp_tile, held->n, slot, prefix, has_prefix, lane, 0, context);
}
#endif

#define GPI_SIMPLE_BETWEEN
#include "../tile/simple.cuh"

#if !GP_KERNEL
enum { GPI(small_serves) = GPI(wider) <= 16, GPI(small_most) = GPI(simple_early) ? 12 : 32 };

#include "../tile/small.cuh"
#endif
#undef GPI_SIMPLE_BETWEEN
