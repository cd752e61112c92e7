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
 * moves the items' numbers, and core/radix/passes.cuh the values at the end.
 *
 * Part of radix_sort.cuh; not to be included directly.
 */
/* Whether the passes move codes of keys. */
#define GPI_RADIX_CODED (GPI(key_is_float) && !GPI_RADIX_PAIRS)
#define GPI_RADIX_LONG(key) (GPI_RADIX_CODED ? GPI(key_code_long)(key, 0) : GPI(key_long)(key))

/* A word of the look-back: how many keys of a digit the tile has, or it and all before. 0: not known yet. */
#define GPI_RADIX_SEEN_TILE 0x40000000u
#define GPI_RADIX_SEEN_ALL 0x80000000u
#define GPI_RADIX_SEEN_COUNT 0x3FFFFFFFu

/* In place of a warp's two commonest digits: others are not rare. */
#define GPI_RADIX_MIXED 0xFFFFFFFFu

#ifndef GPI_RADIX_PASS_CUH
#define GPI_RADIX_PASS_CUH

enum {
    GPI_RADIX_MAX_DIGITS = 8,  /* of a key */
    GPI_RADIX_DISTINCT = 16,   /* so many digits four ballots tell apart */
    GPI_RADIX_RANGES = 256,    /* that a pass sorts apart, at most */
    GPI_RADIX_BUCKETS = 65536, /* in all ranges together, at most */
    GPI_RADIX_SPARE = 128      /* bytes of shared memory behind the values, which may start up to 15 bytes late */
};

/* How a pass ranks: see step 3. */
enum {
    GPI_RADIX_BY_BALLOTS,
    GPI_RADIX_BY_FOUR_BALLOTS, /* there are no more than sixteen digits */
    GPI_RADIX_BY_ATOMICS,
    GPI_RADIX_BUT_TWO, /* the same, but for the two digits that a warp has most often */
    GPI_RADIX_BUT_ONE  /* by atomics, except of the digit that is added to this */
};

/* Made by the first kernels of a call, on the device, for the passes. */
typedef struct gpi_radix_plan {
    int passes;                          /* as many as have something to do, */
    int sorting;                         /* and how many of them sort */
    int minus_zero;                      /* whether there is a -0.0 among keys alone */
    int digit[GPI_RADIX_MAX_DIGITS + 1]; /* which one a pass is about; -1: the pass copies */
    int shift[GPI_RADIX_MAX_DIGITS + 1]; /* where in the bits that count it begins, */
    int bits[GPI_RADIX_MAX_DIGITS + 1];  /* and how many of them it has */
    int from[GPI_RADIX_MAX_DIGITS + 1];  /* which array of the job */
    int to[GPI_RADIX_MAX_DIGITS + 1];
    int way[GPI_RADIX_MAX_DIGITS + 1]; /* in which the pass ranks */
    int in_ranges; /* whether the second pass sorts the items of each digit of the first one apart */
    uint8_t codes[GPI_RADIX_MAX_DIGITS][256];                 /* numbers of the digits that there are; 255 of others */
    uint8_t digits[GPI_RADIX_MAX_DIGITS][GPI_RADIX_DISTINCT]; /* which the first numbers stand for */
    /* Where the keys of a digit go, for the portion before and the next one in turn. */
    uint64_t place[GPI_RADIX_MAX_DIGITS][2][256];
} gpi_radix_plan;

/* Ranges of the items that the second pass sorts apart. Each has some buckets, one for each digit in that pass. */
typedef struct gpi_radix_ranges {
    uint32_t tiles[GPI_RADIX_RANGES + 1];  /* the first tile of each range */
    uint32_t begin[GPI_RADIX_BUCKETS + 1]; /* of each bucket; behind the last: n */
} gpi_radix_ranges;

#endif

/* What a launch works on: a portion of the input, so small that counts fit their words. */
typedef struct {
    GP_KEY *keys[3]; /* the input, which is only read, the output, and another array */
    void *values[3]; /* the first NULL: 0, 1, 2, ... */
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
    const gpi_radix_ranges *ranges;
    uint32_t *ticket;
    uint32_t *look;      /* a row of 256 words for each tile */
    uint32_t *look_next; /* those of the next launch, to be cleared */
} GPI(job);

/* A digit of what a pass moves; of codes the zeros may be `one` number. */
GPI_DEVICE uint32_t GPI(digit)(GP_KEY key, int shift, uint32_t mask, int one)
{
    return GPI_RADIX_CODED ? GPI(key_code_digit)(key, shift, mask, one) : GPI(key_digit)(key, shift, mask);
}

/* The kernels; core/radix/tile.cuh undefines what it takes. */
#define GPI_RADIX_SMALL 0
#define GPI_RADIX_OF(word) GPI(word)
#include "tile.cuh"

#define GPI_RADIX_SMALL 1
#define GPI_RADIX_OF(word) GPI(small_##word)
#include "tile.cuh"
