/*
 * core/tile/launch.cuh: how large a tile is, and which of core/tile/pipeline.cuh and core/tile/simple.cuh runs: the
 * pipelined kernel, where the device has room for it, if not all tiles are resident in the simple one at a time.
 *
 * Needs from the primitive, besides its kernels and the n of a job:
 *
 *     GPI(any_order)          a constant: whether results do not show how tiles are folded
 *     GPI(simple_bytes)       a constant: of dynamic shared memory
 *
 * Included by a primitive once.
 */

/* Bytes for the tile states of n or fewer items. */
static inline size_t GPI(bytes)(size_t n)
{
    const size_t tiles = gpi_divide_up(n, GPI(tile_n)), warp_tiles = gpi_divide_up(n, GPI(warp_tile_n));

    return tiles > 1 ? GPI(tile_state_bytes)(gpi_most_tiles(tiles, warp_tiles)) : 0;
}

/* Divides the items into tiles of so many warp tiles. */
static inline void GPI(divide)(GPI(job) *job, size_t all, unsigned warp_tiles)
{
    job->warp_tiles = warp_tiles;
    job->tiles = (unsigned)gpi_divide_up(all, warp_tiles);
    job->last_warp_tiles = (unsigned)(all - (job->tiles - 1) * (size_t)warp_tiles);
}

static inline cudaError_t GPI(launch)(GPI(job) job, GPI_CONTEXT context, cudaStream_t stream)
{
    static signed char simple_known[GPI_DEVICES];
    const size_t all = gpi_divide_up(job.n, GPI(warp_tile_n));

    GPI(divide)(&job, all, GPI(warp_tiles));
    unsigned blocks = gpi_resident_blocks(GPI(simple_blocks), job.tiles, GP_GRID);
#if GP_KERNEL != GP_KERNEL_SIMPLE
    if (GPI(runs_pipelined)(job.tiles > blocks, job.tiles))
        return GPI(launch_pipelined)(job, gpi_resident_blocks(1, job.tiles, GP_GRID), context, stream);
#endif
    const int ready = gpi_kernel_ready((const void *)GPI(simple_kernel), GPI(simple_bytes), simple_known);

    if (GPI(any_order)) { /* of few items smaller tiles, so that more multiprocessors share them */
        GPI(divide)(&job, all, gpi_tile_warp_tiles(all, GPI(warp_tiles), GP_GRID));
        blocks = gpi_resident_blocks(GPI(simple_blocks), job.tiles, GP_GRID);
    }
    return GPI_LAUNCH_DEPENDENT((ready & GPI_KERNEL_SM90) != 0, GPI(simple_kernel), blocks,
                                32 * GPI(simple_warps)(&job), GPI(simple_bytes), stream, job, context);
}
