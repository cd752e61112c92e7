/*
 * core/tile/launch.cuh: how large a tile is, and which of core/tile/pipeline.cuh and core/tile/simple.cuh runs: the
 * pipelined kernel from a certain n on, where the device has room for it; else the simple one.
 *
 * Needs from the primitive, besides its kernels and the n of a job:
 *
 *     GPI(any_order)          a constant: whether results do not show how tiles are folded
 *     GPI(tiles_grow)         a constant: whether of tiles of twice the size there may be twice as many
 *     GPI(pipelined_from)     a constant: items
 *     GPI(simple_bytes)       a constant: of dynamic shared memory
 *     GPI(look_back_warps)    of a job, on the host: how many there are
 *
 * Included by a primitive once.
 */
#include "tuning.cuh"

/* How many tiles there are at most of fewer warp tiles than others have. */
static inline size_t GPI(small_tiles_of)(unsigned warp_tiles)
{
    return (size_t)GPI_TUNE_TILE_SMALL_TILES * (GPI(tiles_grow) ? warp_tiles / GPI_TUNE_TILE_SMALL : 1);
}

/* Bytes for the tile states of n or fewer items. */
static inline size_t GPI(bytes)(size_t n)
{
    const size_t tiles = gpi_divide_up(n, GPI(tile_n));

    return tiles > 1 ? GPI(tile_state_bytes)(gpi_larger_size(tiles, GPI(small_tiles_of)(GPI(warp_tiles)))) : 0;
}

/* Divides the items into tiles: of few items smaller ones, so that more multiprocessors share them. */
static inline void GPI(divide)(GPI(job) *job)
{
    const size_t all = gpi_divide_up(job->n, GPI(warp_tile_n));
    const int may_be_small =
        GPI(any_order) && GP_KERNEL != GP_KERNEL_PIPELINED && (int)GPI(warp_tiles) > GPI_TUNE_TILE_SMALL;
    unsigned warp_tiles = may_be_small && all > GPI(warp_tiles) ? GPI_TUNE_TILE_SMALL : GPI(warp_tiles);

    while (warp_tiles < GPI(warp_tiles) && all > warp_tiles * GPI(small_tiles_of)(warp_tiles))
        warp_tiles *= 2;
    job->warp_tiles = warp_tiles;
    job->tiles = (unsigned)gpi_divide_up(all, warp_tiles);
    job->last_warp_tiles = (unsigned)(all - (job->tiles - 1) * (size_t)warp_tiles);
}

static inline cudaError_t GPI(launch)(GPI(job) job, GPI_CONTEXT context, cudaStream_t stream)
{
    static signed char simple_known[GPI_DEVICES];

    GPI(divide)(&job);
#if GP_KERNEL != GP_KERNEL_SIMPLE
    if (GPI(runs_pipelined)(job.n, (size_t)GPI(pipelined_from), job.tiles))
        return GPI_LAUNCH_DEPENDENT(1, GPI(pipelined_kernel), gpi_resident_blocks(1, job.tiles, GP_GRID),
                                    32 * (GPI(pipeline_others) + GPI(look_back_warps)(&job)), GPI(pipeline_bytes),
                                    stream, job, context);
#endif
    const int ready = gpi_kernel_ready((const void *)GPI(simple_kernel), GPI(simple_bytes), simple_known);

    return GPI_LAUNCH_DEPENDENT((ready & GPI_KERNEL_SM90) != 0, GPI(simple_kernel),
                                gpi_resident_blocks(GPI(simple_blocks), job.tiles, GP_GRID),
                                32 * GPI(simple_warps)(&job), GPI(simple_bytes), stream, job, context);
}
