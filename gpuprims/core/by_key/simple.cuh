/*
 * core/by_key/simple.cuh: folds by key as core/tile/simple.cuh needs them. A warp tile stays in shared memory.
 *
 * Part of by_key.cuh; not to be included directly.
 */
enum {
    GPI(simple_blocks) = GPI_BLOCKS_OF_SIMPLE(GPI_TUNE_BY_KEY_SIMPLE_BLOCKS),
    GPI(simple_bytes) = (int)GPI(warp_tiles) * (int)GPI(slots)
};

#if GPI_DEVICE_CODE
/* What a warp holds. */
typedef struct {
    GPI(found) found;
    unsigned n;
} GPI(simple_held);

GPI_DEVICE int GPI(simple_sum)(const GPI(job) *job, GPI(simple_held) *held, size_t warp_tile, char *slots,
                               GPI(sum) *sum, unsigned lane, unsigned warp, int is_small, GPI_CONTEXT context)
{
    char *slot = slots + warp * GPI(slots);

    (void)is_small;
    held->n = GPI(warp_tile_items)(job->n, warp_tile);
    GPI_NO_UNROLL
    for (int keys = 1; keys >= 0; keys--) {
        const gpi_copy copy = GPI(copy_of)(job, warp_tile, keys, slot);

        if (copy.bytes)
            gpi_fetch_ahead(copy.to, copy.from, copy.bytes, copy.array, lane,
                            (unsigned)GPI(usual_vectors));
    }
    gpi_copy_wait();
    __syncwarp(); /* the warp tile is in its slots */
    memset((void *)&held->found, 0, sizeof held->found);
    if (held->n)
        held->found = GPI(find)(job, warp_tile, slot, lane, context);
    *sum = held->found.all;
    return lane == 0;
}

GPI_DEVICE void GPI(simple_put)(const GPI(job) *job, GPI(shared) *table, GPI(simple_held) *held,
                                const GPI(before) *before, size_t warp_tile, char *slots, unsigned lane, unsigned warp,
                                int is_small, GPI_CONTEXT context)
{
    char *slot = slots + warp * GPI(slots);
    GPI(thread_items) regs; /* read again: held across the wait, they would cost a block per multiprocessor */

    (void)is_small;
    if (!held->n)
        return;
    GPI(read_items)(job, &regs, slot + GPI(key_slot), warp_tile, held->n, lane, context);
    __syncwarp(); /* all lanes have read the slot */
    GPI(write)(job, warp_tile, held->n, slot, table, &regs, &held->found, before, lane, 0);
}
#endif

#include "../tile/simple.cuh"
