/*
 * core/radix_pass.cuh: one pass of a radix sort of any size: moves keys, and their values, to where one
 * digit of theirs says, and keeps the order of those with the same digit. Blocks take tiles in order:
 *
 *     1. every warp ranks its keys among those of the same digit in the warp
 *     2. the tile adds up its warps, and publishes how many keys of each digit it has
 *     3. the keys go to shared memory, sorted by the digit
 *     4. a thread for each digit looks back at the tiles before, until it knows where the digit goes on
 *     5. the keys of a digit go to memory side by side
 *
 * Step 1 has two ways. By votes the lanes of a warp find out who has the same digit: that is right by
 * construction. Atomic additions in shared memory take a fraction of the time, but nothing says in which
 * order the lanes of a warp get their turn. So the tile is looked at while it is written: keys that have
 * been sorted by the digits before must come out in order, or pairs in the order in which they came. A
 * tile where that is not so is done again, slowly.
 *
 * The kernel is stamped twice from core/radix_tile.cuh: for many keys, and with short code for few, which
 * would else spend its time on fetching instructions.
 *
 * Part of radix_sort.cuh; not to be included directly.
 */
#define GPI_RADIX_JOB GPI(job)
#define GPI_RADIX_ARRAYS GPI(arrays)
#define GPI_RADIX_NUMBERED GPI(numbered)

/* A word of the look-back: how many keys of a digit the tile has, or it and all before. 0: not known yet. */
#define GPI_RADIX_SEEN_TILE 0x40000000u
#define GPI_RADIX_SEEN_ALL 0x80000000u
#define GPI_RADIX_SEEN_COUNT 0x3FFFFFFFu

/* What a launch works on: a portion of the input, so small that counts fit their words. */
typedef struct {
    const GP_KEY *keys_in;
    GP_KEY *keys_out, *keys_other;
    const GPI_RADIX_VALUE *values_in; /* NULL: 0, 1, 2, ... */
    GPI_RADIX_VALUE *values_out, *values_other;
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
    uint32_t *ticket;
    uint32_t *look;      /* a row of 256 words for each tile */
    uint32_t *look_next; /* those of the next launch, to be cleared */
} GPI_RADIX_JOB;

/* The arrays of a pass, the digit that it is about, and the items of a tile in shared memory. */
typedef struct {
    const GP_KEY *keys_from;
    GP_KEY *keys_to;
    const GPI_RADIX_VALUE *values_from;
    GPI_RADIX_VALUE *values_to;
    int shift;
    uint32_t mask;
    GP_KEY *keys;            /* in order of the digit */
    uint16_t *positions;     /* where in the tile they come from */
    char *values;            /* in the order of the input */
} GPI_RADIX_ARRAYS;

/* The value that stands for item i when there are no values: its number. */
GPI_DEVICE GPI_RADIX_VALUE GPI_RADIX_NUMBERED(size_t i)
{
    GPI_RADIX_VALUE value;

    memset((void *)&value, 0, sizeof value);
    if (GPI_IS_SAME_TYPE(GPI_RADIX_VALUE, float)) {
        float number = (float)i;
        memcpy((void *)&value, &number,
               sizeof value < sizeof number ? sizeof value : sizeof number);
    } else if (GPI_IS_SAME_TYPE(GPI_RADIX_VALUE, double)) {
        double number = (double)i;
        memcpy((void *)&value, &number,
               sizeof value < sizeof number ? sizeof value : sizeof number);
    } else {
        memcpy((void *)&value, &i,
               sizeof value < sizeof i ? sizeof value : sizeof i); /* little-endian */
    }
    return value;
}

#define GPI_RADIX_FEW 0
#define GPI_RADIX_OF(word) GPI(word)
#include "radix_tile.cuh"
#undef GPI_RADIX_FEW
#undef GPI_RADIX_OF

#define GPI_RADIX_FEW 1
#define GPI_RADIX_OF(word) GPI(few_##word)
#include "radix_tile.cuh"
#undef GPI_RADIX_FEW
#undef GPI_RADIX_OF

/* From here on the names are those of the kernel for many keys, and these of the other one. */
#define GPI_RADIX_OF(word) GPI(word)
#define GPI_RADIX_FEW_KERNEL GPI(few_pass_kernel)
#define GPI_RADIX_FEW_TILE GPI(few_tile)
#define GPI_RADIX_FEW_THREADS GPI(few_threads)
#define GPI_RADIX_FEW_ITEMS GPI(few_items)
