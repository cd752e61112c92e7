/*
 * core/scan/simple.cuh: the scan as core/tile/simple.cuh needs it. A warp tile stays in shared memory.
 *
 * Part of scan.cuh; not to be included directly.
 */
enum {
    GPI(simple_blocks) = GPI_BLOCKS_OF_SIMPLE(GPI_TUNE_SCAN_SIMPLE_BLOCKS),
    GPI(simple_bytes) = (int)GPI(warp_tiles) * GPI(slot_bytes)
};

#if GPI_DEVICE_CODE
/* What a warp holds: the lane's fold, then that of the lanes before it. */
typedef struct {
    GP_TYPE lanes;
    unsigned n, valid; /* items, and lanes that have any */
} GPI(simple_held);

GPI_DEVICE void GPI(simple_sum)(const GPI(job) *job, GPI(simple_held) *held, size_t warp_tile, char *slots,
                                GP_TYPE *sum, unsigned lane, unsigned warp, GPI_CONTEXT context)
{
    const char *from = GPI(from)(job, warp_tile);
    char *slot = slots + warp * GPI(slot_bytes);
    GP_TYPE x = job->start.before; /* any value, where there is no item */

    held->n = GPI(warp_tile_items)(job->n, warp_tile);
    held->valid = (held->n + GPI(thread_n) - 1) / GPI(thread_n);
#ifdef GP_LOAD_AT
    if (held->n)
        GPI(compute_items)(job->in, warp_tile * GPI(warp_tile_n), held->n, slot, lane, context);
#else
    const gpi_extent array = {(const char *)job->in, (const char *)(job->in + job->n)};

    if (held->n)
        gpi_fetch_ahead(slot, from, held->n * (unsigned)sizeof(GP_INPUT_TYPE), array, lane,
                        GPI(warp_tile_n) * (unsigned)sizeof(GP_INPUT_TYPE) / 16);
#endif
    gpi_copy_wait();
    __syncwarp(); /* the warp tile is in its slot */
    if (GPI(runs_over) || held->n == GPI(warp_tile_n)) {
        GPI(thread_items) regs;

        GPI(thread_read)(&regs, slot, gpi_misalignment(from), lane, context);
        x = GPI(thread_fold)(&regs);
    } else if (held->n) {
        x = GPI(edge_fold)(slot + gpi_misalignment(from), held->n, lane, context);
    }
    held->lanes = x;
    if (GPI(folds_fast)) /* the lanes are scanned after the tile is published: others wait for it */
        x = GPI(warp_reduce)(x, (int)lane, (int)held->valid);
    else
        x = held->lanes = GPI(warp_scan)(x, (int)lane, (int)held->valid);
    if (held->n && lane == held->valid - 1)
        *sum = x;
}

GPI_DEVICE void GPI(simple_between)(GPI(simple_held) *held, unsigned lane)
{
    if (GPI(folds_fast))
        held->lanes = GPI(warp_scan)(held->lanes, (int)lane, (int)held->valid);
    held->lanes = GPI(shuffle_up)(held->lanes, 1);
}

GPI_DEVICE void GPI(simple_put)(const GPI(job) *job, GPI(shared) *shared, GPI(simple_held) *held,
                                const GPI(before) *before, size_t warp_tile, char *slots, unsigned lane, unsigned warp,
                                GPI_CONTEXT context)
{
    const char *from = GPI(from)(job, warp_tile);
    GP_TYPE *out = GPI(to)(job, warp_tile);
    char *slot = slots + warp * GPI(slot_bytes);
    const int has_prefix = before->has_tiles || before->has_warps || lane > 0;
    GP_TYPE prefix = before->tiles;

    (void)shared;
    if (GPI(runs_over) || lane < held->valid)
        prefix = GPI(prefix)(before, held->lanes, lane > 0);
    if (GPI(runs_over) || held->n == GPI(warp_tile_n)) {
        GPI(thread_items) regs; /* read again: held across the wait, they would cost a block per multiprocessor */

        GPI(thread_read)(&regs, slot, gpi_misalignment(from), lane, context);
        GPI(thread_scan)(&regs, prefix, has_prefix, job->start.exclusive);
        __syncwarp(); /* all lanes have read the slot */
        GPI(thread_write)(&regs, slot, gpi_misalignment(out), lane);
        __syncwarp(); /* the results are in the slot */
#ifdef GP_STORE_AT
        GPI(store_items)(job->out, warp_tile * GPI(warp_tile_n), held->n, slot, lane, context);
#else
        const unsigned bytes = held->n * (unsigned)sizeof(GP_TYPE);

        if (GPI(out_bytes) <= 112)
            gpi_store_ahead((char *)out, slot, bytes, lane, GPI(warp_tile_n) * (unsigned)sizeof(GP_TYPE) / 16);
        else
            gpi_store_warp((char *)out, slot, bytes, lane);
#endif
    } else if (held->n) {
        GPI(edge)(slot + gpi_misalignment(from), job, warp_tile, held->n, lane, prefix, has_prefix, context);
    }
}
#endif

#include "../tile/simple.cuh"
