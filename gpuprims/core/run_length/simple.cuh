/*
 * core/run_length/simple.cuh: run lengths as core/tile/simple.cuh needs them. A warp tile stays in shared memory.
 *
 * Part of run_length.cuh; not to be included directly.
 */
enum {
    GPI(simple_blocks) = GPI_BLOCKS_OF_SIMPLE(GPI_TUNE_RUN_LENGTH_SIMPLE_BLOCKS),
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
    for (int values = GPI_RUN_LENGTH_HAS_VALUES(job); values >= 0; values--) {
        const gpi_copy copy = GPI(copy_of)(job, warp_tile, values, slot);

        if (copy.bytes)
            gpi_fetch_ahead(copy.to, copy.from, copy.bytes, copy.array, lane,
                            (unsigned)GPI(usual_vectors));
    }
    gpi_copy_wait();
    __syncwarp(); /* the warp tile is in its slots */
    held->found = GPI(find)(job, warp_tile, slot, lane, context);
    *sum = held->found.sum;
    return lane == 0;
}

GPI_DEVICE void GPI(simple_put)(const GPI(job) *job, GPI(shared) *shared, GPI(simple_held) *held,
                                const GPI(before) *before, size_t warp_tile, char *slots, unsigned lane, unsigned warp,
                                int is_small, GPI_CONTEXT context)
{
    char *slot = slots + warp * GPI(slots);
    GPI(thread_keys) regs;

    (void)is_small;
    (void)context;
    if (job->out && !GPI_RUN_LENGTH_IS_SPARSE(held->found.sum.heads)) {
        GPI(read_keys)(&regs, slot + GPI(place_of)(job, warp_tile), lane);
        __syncwarp(); /* all lanes have read the slot */
    }
    if (held->n)
        GPI(write)(job, shared, shared->lists[warp], warp_tile, held->n, slot, &regs, held->found.heads,
                   held->found.rank, held->found.sum.heads, before, lane);
}
#endif

#include "../tile/simple.cuh"
