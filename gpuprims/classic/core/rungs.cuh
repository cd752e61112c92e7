/*
 * classic/core/rungs.cuh: what the rungs under classic/ share: options, grids for any n, trees, and
 * padding against bank conflicts.
 */
#ifndef GPI_CLASSIC_CUH
#define GPI_CLASSIC_CUH

#include "../../gpuprims.h"

/*
 * The largest block, for __launch_bounds__: otherwise the compiler might give threads more
 * registers than a multiprocessor has for a block of this size.
 */
#define GPI_CLASSIC_THREADS 1024

/* ---- options --------------------------------------------------------------------------------- */

/* Fills in defaults, and refuses an impossible block size. */
static inline cudaError_t gpi_classic_read(const gp_classic_options *opt,
                                           gp_classic_options *result, const char *function)
{
    result->block_threads = opt && opt->block_threads ? opt->block_threads : 256;
    result->conflict_free = opt ? opt->conflict_free : 1;
    result->compact_threads = opt ? opt->compact_threads : 1;
    if (result->block_threads < 32 || result->block_threads > GPI_CLASSIC_THREADS ||
        (result->block_threads & (result->block_threads - 1)))
        return gpi_error(cudaErrorInvalidValue,
                         "%s: opt->block_threads is %d; it must be a power of two from 32 to %d",
                         function, result->block_threads, GPI_CLASSIC_THREADS);
    return cudaSuccess;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* The smallest L with 2^L >= n; 0 for n = 0 and n = 1. */
static inline int gpi_levels(size_t n)
{
    int levels = 0;

    while (levels < 63 && ((size_t)1 << levels) < n)
        levels++;
    return levels;
}

/* ---- grids ----------------------------------------------------------------------------------- */

/* The x dimension of a grid ends here; larger grids go on in y. (A test makes it small.) */
#ifndef GPI_CLASSIC_GRID_X
#define GPI_CLASSIC_GRID_X 0x7FFFFFFFu
#endif

/*
 * The most blocks of a grid, and the most items of a rung with a thread for each, in the smallest
 * blocks.
 */
#define GPI_CLASSIC_BLOCKS ((size_t)GPI_CLASSIC_GRID_X * 0xFFFF)
#define GPI_CLASSIC_ITEMS  (GPI_CLASSIC_BLOCKS * 32)

/* A grid of at least `blocks` blocks. */
static inline dim3 gpi_grid(size_t blocks)
{
    size_t rows = gpi_divide_up(blocks, GPI_CLASSIC_GRID_X);
    dim3 grid;

    grid.x = (unsigned)gpi_divide_up(blocks, rows ? rows : 1);
    grid.y = rows > 0xFFFF ? 0x10000 : (unsigned)rows; /* too large: the launch fails */
    grid.z = 1;
    return grid;
}

/* A grid of at least `threads` threads in blocks of block_threads. */
static inline dim3 gpi_grid_for(size_t threads, int block_threads)
{
    return gpi_grid(gpi_divide_up(threads, (size_t)block_threads));
}

/* The block's number in such a grid, and the thread's; the last row may have surplus blocks. */
GPI_DEVICE size_t gpi_global_block(void)
{
    return (size_t)blockIdx.y * gridDim.x + blockIdx.x;
}

GPI_DEVICE size_t gpi_global_thread(void)
{
    return gpi_global_block() * blockDim.x + threadIdx.x;
}

/* ---- a tree in shared memory, and the banks it lies in --------------------------------------- */

/*
 * A balanced tree over consecutive items, as swept by Blelloch's scan: node k of the level with
 * stride s has the s items that end at gpi_tree_left(k, s) on its left, and the next s items on its
 * right. For any power of two of items.
 */
static __host__ __device__ __forceinline__ unsigned gpi_tree_left(unsigned node, unsigned stride)
{
    return (2 * node + 1) * stride - 1;
}

/*
 * Where item i lies in shared memory: one place is left free after every 2^pad items, and one more
 * after every 4^pad. Without padding (pad 0), 32 lanes that are 2s items apart have bank conflicts.
 */
static __host__ __device__ __forceinline__ unsigned gpi_bank_place(unsigned i, unsigned pad)
{
    return pad ? i + (i >> pad) + (i >> 2 * pad) : i;
}

/*
 * The pad for an item size. There are 32 banks of 4 bytes; an access of 8 bytes per lane is
 * processed 16 lanes at a time, one of 16 bytes 8 lanes at a time.
 */
static __host__ __device__ __forceinline__ unsigned gpi_bank_pad(size_t item_bytes)
{
    return item_bytes == 8 ? 4 : item_bytes == 16 ? 3 : 5;
}

#endif
