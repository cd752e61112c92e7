/*
 * core/compact/simple.cuh: the compaction as core/tile/simple.cuh needs it. A warp tile stays in registers.
 *
 * Part of compact.cuh; not to be included directly.
 */

/* Shared memory of a block. */
#define GPI_COMPACT_SIMPLE_BYTES(flagged) \
    (GPI(warp_tiles) * ((unsigned)GPI(slot) + ((flagged) ? (unsigned)GPI(flag_slot) : 0)))

#if GPI_DEVICE_CODE
/* What a warp holds: the lane's items, which of them are kept, how many before the lane, and in the warp. */
typedef struct {
    GPI(thread_items) regs;
    GPI(part) part;
    uint32_t keep[GPI(bits)];
    unsigned rank, kept;
} GPI(simple_held);

GPI_DEVICE int GPI(simple_sum)(const GPI(job) *job, GPI(simple_held) *held, size_t warp_tile, char *slots,
                               uint32_t *sum, unsigned lane, unsigned warp, int is_small, GPI_CONTEXT context)
{
    const GPI(part) part = GPI(cut)(job, warp_tile);
    const unsigned n = part.last - part.first, misalignment = GPI(misalignment)(job, part);
    char *slot = slots + warp * GPI(slot);
    char *flag_slot = slots + (int)GPI(warp_tiles) * GPI(slot) + warp * GPI(flag_slot);

    (void)is_small;
    held->part = part;
    GPI_UNROLL
    for (int w = 0; w < GPI(bits); w++)
        held->keep[w] = 0;
    GPI_NO_UNROLL
    for (int flags = n && job->flags; n && flags >= GPI(computes); flags--) {
        const gpi_copy copy = GPI(copy_of)(job, part, flags, flags ? flag_slot : slot);

        gpi_fetch_ahead(copy.to, copy.from, copy.bytes, copy.array, lane,
                        GPI(warp_tile_n) * (unsigned)sizeof(GP_TYPE) / 16);
    }
    gpi_copy_wait();
    __syncwarp(); /* the warp tile is in its slot */
#ifdef GP_LOAD_AT
    GPI(compute_items)(job->in, part.start, part.last, slot, lane, context);
#endif
    if (n && GPI_COMPACT_IS_SHORT(part) && !job->flags)
        GPI(fill)(slot + misalignment, part, lane);
    if (sizeof(GP_TYPE) > 1)
        GPI(thread_read)(&held->regs, slot, misalignment, lane, context);
    const unsigned kept =
        n ? GPI(choose)(held->keep, job, part, &held->regs, slot + misalignment, flag_slot, lane, context) : 0;
    const unsigned through = gpi_warp_prefix(kept, lane);

    held->rank = through - kept;
    held->kept = __shfl_sync(GPI_FULL_MASK, through, 31);
    *sum = held->kept;
    return lane == 0;
}

GPI_DEVICE void GPI(simple_put)(const GPI(job) *job, GPI(shared) *table, GPI(simple_held) *held,
                                const GPI(before) *before, size_t warp_tile, char *slots, unsigned lane, unsigned warp,
                                int is_small, GPI_CONTEXT context)
{
    const int is_counted = job->rejected == GPI_REJECTED_STABLE && !job->first_tiles;
    char *slot = slots + warp * GPI(slot);

    (void)is_small;
    (void)warp_tile;
    if (sizeof(GP_TYPE) == 1) { /* only now: the predicate on bytes needs the registers */
        GPI(thread_read)(&held->regs, slot, GPI(misalignment)(job, held->part), lane, context);
        __syncwarp(); /* all lanes have read the slot */
    }
    if (held->part.last)
        GPI(write)(job, held->part, slot, &held->regs, held->keep, held->rank, held->kept,
                   GPI(kept_before)(job, before, held->part, held->kept, lane),
                   is_counted ? (size_t)job->head->counted : (size_t)before->all, table, lane, 0, context);
}
#endif

#include "../tile/simple.cuh"
