/*
 * core/radix/pass.cuh: one pass of a radix sort of any size: moves keys, and their values, to where one
 * digit of theirs says, and keeps the order of those with the same digit. Blocks take tiles in order:
 *
 *     1. every warp counts its digits
 *     2. the tile adds up its warps, and publishes how many keys of each digit it has
 *     3. the keys are ranked among those of the same digit in the warp, and go to shared memory, sorted by it
 *     4. a thread for each digit looks back at the tiles before, until it knows where the digit goes on
 *     5. the keys of a digit go to memory side by side
 *
 * Step 3 has two ways. By ballots the lanes of a warp find out who has the same digit: that is right by
 * construction. Atomic additions in shared memory take a fraction of the time, but nothing says in which
 * order the lanes of a warp get their turn. So the tile is looked at while it is written: keys that have
 * been sorted by the digits before must come out in order, or pairs in the order in which they came. A
 * tile where that is not so is done again, slowly.
 *
 * Of floats alone the first pass makes codes, bits that order as numbers do, and the last one floats again
 * (core/instance/radix_key.cuh); those between see integers.
 *
 * The kernel is stamped from core/radix/tile.cuh: for large n, and with short code for small n, which would otherwise
 * spend its time on fetching instructions. Large values, where n is large, stay where they are: a third kernel
 * moves the items' numbers, and core/radix/gather.cuh the values at the end.
 *
 * Part of radix_sort.cuh; not to be included directly.
 */
#define GPI_RADIX_LONG(key) (GPI(coded) ? GPI(key_code_long)(key, 0) : GPI(key_long)(key))

/* A word of the look-back: how many keys of a digit the tile has, or it and all before. 0: not known yet. */
#define GPI_RADIX_SEEN_TILE 0x40000000u
#define GPI_RADIX_SEEN_ALL 0x80000000u
#define GPI_RADIX_SEEN_COUNT 0x3FFFFFFFu

/* In place of a warp's two commonest digits: others are not rare. */
#define GPI_RADIX_MIXED 0xFFFFFFFFu

#ifndef GPI_RADIX_PASS_CUH
#define GPI_RADIX_PASS_CUH

enum { GPI_RADIX_SPARE = 128 }; /* bytes of shared memory behind the values, which may start up to 15 bytes late */

#endif

/* What a launch works on: a portion of the input, so small that counts fit their words. */
typedef struct {
    const GP_KEY *keys_in;
    GP_KEY *keys_out, *keys_other;
    const void *values_in; /* NULL: 0, 1, 2, ... */
    void *values_out, *values_other;
    size_t first;    /* item of the portion */
    uint32_t n;      /* items of the portion */
    uint32_t tile_n; /* items of a tile; fewer than its threads can hold when n is small */
    uint32_t tiles;
    uint32_t next_rows; /* tiles of the next launch */
    int begin_bit, end_bit;
    int pass;  /* of the plan */
    int odd;   /* whether the portion's number is odd */
    int again; /* for tests: every third tile fails its check */
    gpi_radix_plan *plan;
    const gpi_radix_buckets *buckets;
    uint32_t *ticket;
    uint32_t *look;      /* a row of 256 words for each tile */
    uint32_t *look_next; /* those of the next launch, to be cleared */
} GPI(job);

/* A digit of what a pass moves; of codes the zeros may be `one` number. */
GPI_DEVICE uint32_t GPI(digit)(GP_KEY key, int shift, uint32_t mask, int one)
{
    return GPI(coded) ? GPI(key_code_digit)(key, shift, mask, one) : GPI(key_digit)(key, shift, mask);
}

/* Whether items' numbers are moved instead of their values: large ones, of keys that have more than two digits. */
enum { GPI(indexed) = GPI_RADIX_PAIRS && sizeof(GPI_RADIX_VALUE) >= 16 && sizeof(GP_KEY) >= 4 };

#define GPI_RADIX_SMALL 0
#undef GPI_RADIX_OF
#ifdef GP_VALUE
#undef GPI_RADIX_VALUE
#undef GPI_RADIX_MOVES_NUMBERS
#define GPI_RADIX_VALUE uint32_t
#define GPI_RADIX_NUMBERED(i) ((uint32_t)(i))
#define GPI_RADIX_MOVES_NUMBERS 1
#define GPI_RADIX_OF(word) GPI(index_##word)
#include "tile.cuh"
#undef GPI_RADIX_VALUE
#undef GPI_RADIX_NUMBERED
#define GPI_RADIX_VALUE GP_VALUE
#endif

#undef GPI_RADIX_OF
#undef GPI_RADIX_MOVES_NUMBERS
#define GPI_RADIX_MOVES_NUMBERS 0
#define GPI_RADIX_NUMBERED(i) GPI(numbered)(i)
#define GPI_RADIX_OF(word) GPI(word)
#include "tile.cuh"
#undef GPI_RADIX_SMALL
#undef GPI_RADIX_OF

#define GPI_RADIX_SMALL 1
#define GPI_RADIX_OF(word) GPI(small_##word)
#include "tile.cuh"
#undef GPI_RADIX_SMALL
#undef GPI_RADIX_OF

/* From here on the names are those of the kernel for large n and its values, and these of the others. */
#define GPI_RADIX_OF(word) GPI(word)
#ifdef GP_VALUE
#define GPI_RADIX_INDEX_KERNEL GPI(index_pass_kernel)
#define GPI_RADIX_LARGE(word) (GPI(indexed) ? (size_t)GPI(index_##word) : (size_t)GPI(word))
#define GPI_RADIX_LARGE_TILE (GPI(indexed) ? sizeof(GPI(index_tile)) : sizeof(GPI(tile)))
#else
#define GPI_RADIX_INDEX_KERNEL GPI(pass_kernel)
#define GPI_RADIX_LARGE(word) ((size_t)GPI(word))
#define GPI_RADIX_LARGE_TILE sizeof(GPI(tile))
#endif
