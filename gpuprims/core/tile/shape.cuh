/*
 * core/tile/shape.cuh: how many items a thread has, and how many warp tiles a tile, by the size of an item; and the
 * smaller tiles of small inputs.
 */
#ifndef GPI_SHAPE_CUH
#define GPI_SHAPE_CUH

#include "../../gpuprims.h"
#include "tuning.cuh"

/*
 * A thread folds neighbouring items: about 112 bytes, a whole and odd number of vectors where the
 * size allows, so that the threads of a warp spread over all banks of shared memory. The larger warp
 * tiles are, the fewer a tile has. These decide how floats are folded: no build may change them.
 */
#define GPI_LOW_BIT(size)      ((size) & (0 - (size)))
#define GPI_UNIT_ITEMS(size)   (GPI_LOW_BIT(size) >= 16 ? 1 : 16 / GPI_LOW_BIT(size)) /* to a vector's end */
#define GPI_UNIT_BYTES(size)   (GPI_UNIT_ITEMS(size) * (size))
#define GPI_UNIT_COPIES(bytes) ((bytes) == 16 ? 7 : (bytes) <= 48 ? 3 : 1)
#define GPI_THREAD_ITEMS(size)                                                                         \
    (GPI_UNIT_BYTES(size) <= 256 ? GPI_UNIT_ITEMS(size) * GPI_UNIT_COPIES(GPI_UNIT_BYTES(size))       \
     : (size) <= 112             ? 112 / (size)                                                      \
                                 : 1)
#define GPI_WARP_TILES_OF(bytes) ((bytes) <= 160 ? 8 : (bytes) <= 320 ? 4 : (bytes) <= 640 ? 2 : 1)

/* Whether there is a pipelined kernel: for larger items its warps lack registers, and it takes long to compile. */
#define GPI_PIPELINE_SERVES (GPI(wider) <= 128)
#define GPI_VECTORS(bytes) (((bytes) + 15) / 16)
/* Blocks of a simple kernel that a multiprocessor has registers for; `small` of small types. */
#define GPI_BLOCKS_OF_SIMPLE(small) (sizeof(GP_TYPE) <= 8 && GPI(out_bytes) <= 112 ? (small) : 2)

/*
 * The warp tiles of a tile where there are so many in all: `most`, but where results do not show it fewer for small
 * inputs, so that more multiprocessors share them: not below the limits of tuning.cuh, and so that all blocks have
 * equally many tiles, three at most.
 */
static inline unsigned gpi_tile_warp_tiles(size_t warp_tiles, unsigned most, size_t max_blocks)
{
    size_t few = gpi_divide_up(warp_tiles, GPI_TUNE_TILE_FEW);

    if (warp_tiles <= most)
        return most;
    const size_t most_blocks = gpi_smaller_size(max_blocks, GPI_SMALL_TILES / GPI_SMALL_ROUNDS);
    const size_t blocks = gpi_resident_blocks(1, warp_tiles, most_blocks);
    const size_t rounds = gpi_divide_up(warp_tiles, blocks * most), even = gpi_divide_up(warp_tiles, blocks * rounds);
    if (rounds > GPI_SMALL_ROUNDS)
        return most;
    few = gpi_larger_size(GPI_TUNE_TILE_SMALL, gpi_smaller_size(few, GPI_TUNE_TILE_MIDDLE));
    return (unsigned)gpi_smaller_size(most, gpi_larger_size(few, even));
}

/* So many tiles, or more small ones, as there may be of so many warp tiles or fewer. */
static inline size_t gpi_most_tiles(size_t tiles, size_t warp_tiles)
{
    return gpi_larger_size(tiles, gpi_smaller_size(warp_tiles, GPI_SMALL_TILES));
}

#endif
