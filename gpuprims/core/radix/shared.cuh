/*
 * core/radix/shared.cuh: what the strategies of a radix sort share.
 *
 * Part of radix_sort.cuh; not to be included directly.
 */
#include "../instance/radix_value.cuh"

#ifndef GPI_RADIX_SHARED_CUH
#define GPI_RADIX_SHARED_CUH

#include "../tile/bins.cuh"

/* Shared memory that a block has on every GPU. */
#define GPI_RADIX_MIN_ROOM (64u << 10)

enum {
    GPI_RADIX_BIN_BITS = 12, /* of a block, or of a bucket */
    GPI_RADIX_BINS = 1 << GPI_RADIX_BIN_BITS,
    GPI_RADIX_COUNT_THREADS = 1024, /* of a block that counts keys of the whole input */
    GPI_RADIX_MAX_DIGITS = 8,       /* of a key; behind its digits comes a window of it, if few keys are distinct */
    GPI_RADIX_DISTINCT = 16,        /* so many keys or digits are few */
    GPI_RADIX_COUNTED_FEW = 8192,   /* keys of one byte that have a kernel of their own, at most */
    GPI_RADIX_COUNTED_COLUMNS = 32, /* of the counters of more of them */
    GPI_RADIX_RANGES = 256,         /* that a pass sorts apart, at most */
    GPI_RADIX_BUCKETS = 65536       /* in all ranges together, at most */
};

/* What the current GPU can do. */
typedef struct gpi_radix_device {
    uint32_t room;      /* shared memory of a block, a multiple of 1024 */
    uint16_t cluster;   /* blocks of the largest cluster; 1: there are none */
    uint16_t dependent; /* whether kernels may be launched as dependent ones */
} __attribute__((aligned(8))) gpi_radix_device; /* so that one access reads it */

/* How a pass ranks: core/radix/tile.cuh. */
enum {
    GPI_RADIX_BY_BALLOTS,
    GPI_RADIX_BY_MATCH, /* most keys have the digit of their neighbour, or lanes share few */
    GPI_RADIX_BY_ATOMICS,
    GPI_RADIX_BUT_TWO, /* the same, but for the two digits that a warp has most often */
    GPI_RADIX_BUT_ONE  /* by atomics, except of the digit that is added to this */
};

/* A pass of the plan. */
typedef struct gpi_radix_step {
    int digit; /* which one it is about; -1: it copies */
    int shift; /* where in the bits that count the digit begins, */
    int bits;  /* and how many of them it has */
    int way;   /* in which the pass ranks */
} gpi_radix_step;

/* Made by the first kernels of a call, on the device, for the passes. */
typedef struct gpi_radix_plan {
    gpi_radix_step steps[GPI_RADIX_MAX_DIGITS + 1];
    int passes;     /* as many steps have something to do, */
    int sorting;    /* and so many of them sort */
    int moves;      /* with each the items change arrays: to the output in the last one, which may be one of buckets */
    int minus_zero; /* whether there is a -0.0 among keys alone */
    int in_ranges;  /* whether the second pass sorts the items of each digit of the first one apart */
    /* Where the keys of a digit go, for the portion before and the next one in turn. */
    uint64_t place[GPI_RADIX_MAX_DIGITS + 1][2][256];
} gpi_radix_plan;

/* Ranges of the items that the second pass sorts apart. Each has some buckets, one for each digit in that pass. */
typedef struct gpi_radix_ranges {
    uint32_t tiles[GPI_RADIX_RANGES + 1];  /* the first tile of each range */
    uint32_t begin[GPI_RADIX_BUCKETS + 1]; /* of each bucket; behind the last: n */
} gpi_radix_ranges;

#if GPI_DEVICE_CODE
/* Makes step j of a plan. */
GPI_DEVICE void gpi_radix_plan_step(gpi_radix_plan *plan, int j, int digit, int shift, int bits, int way)
{
    const gpi_radix_step step = {digit, shift, bits, way};

    plan->steps[j] = step;
}

/* The bits that are set in any thread of the block; there is a word for each warp. Only the lower 32 if `narrow` is. */
GPI_DEVICE uint64_t gpi_radix_block_or(uint64_t *words, uint64_t bits, int narrow)
{
    bits = gpi_warp_or_long(bits, narrow);
    if (threadIdx.x % 32 == 0)
        words[threadIdx.x / 32] = bits;
    __syncthreads(); /* the warps' bits are there */
    return gpi_warp_or_long(words[gpi_min(threadIdx.x % 32, blockDim.x / 32 - 1)], narrow);
}
#endif

#endif

enum {
    /* Whether a block, or a cluster of them, sorts in one launch; larger values take passes, however small n is. */
    GPI(holds_values) = sizeof(GPI_RADIX_VALUE) <= 16,
    /* Whether items' numbers are moved instead of their values: large ones, of keys that have more than two digits. */
    GPI(indexed) = GPI_RADIX_PAIRS && sizeof(GPI_RADIX_VALUE) >= 16 && sizeof(GP_KEY) >= 4,
    /* Whether codes are moved instead of keys: core/instance/radix_key.cuh. */
    GPI(coded) = GPI(key_is_float) && !GPI_RADIX_PAIRS,
    GPI(vector_n) = 16 / (int)sizeof(GP_KEY)
};

/* The number of a key, and what is made of it. */
GPI_CHOOSE_TYPE(GPI(number), GPI_KEY_IS_NARROW, uint32_t, unsigned long long);

/* What is sorted, by which bits. */
typedef struct {
    const GP_KEY *keys_in;
    GP_KEY *keys_out;
    const GPI_RADIX_VALUE *values_in; /* NULL: 0, 1, 2, ... */
    GPI_RADIX_VALUE *values_out;
    size_t n;
    int begin_bit, end_bit;
} GPI(request);

/* What the host functions of a strategy take. */
typedef struct {
    GPI(request) request;
    gpi_radix_device device;
    char *memory; /* so many bytes as the strategy needs */
    cudaStream_t stream;
    unsigned fit; /* what the strategy has told about how it fits */
} GPI(call);

/* The number of a key, and that of a key as it is moved. */
GPI_DEVICE GPI(number) GPI(key_number)(GP_KEY key)
{
    return GPI_KEY_IS_NARROW ? (GPI(number))GPI(key_word)(key) : (GPI(number))GPI(key_long)(key);
}

GPI_DEVICE GPI(number) GPI(moved_number)(GP_KEY key)
{
    if (!GPI(coded))
        return GPI(key_number)(key);
    return (GPI(number))(GPI_KEY_IS_NARROW ? GPI(key_code_word)(key, 0) : GPI(key_code_long)(key, 0));
}

#if GPI_DEVICE_CODE
/* Reads 16 bytes of keys; where keys lie at multiples of their size, these do at one of 16. */
GPI_DEVICE void GPI(read_vector)(void *to, const GP_KEY *from)
{
    if (__alignof__(GP_KEY) == sizeof(GP_KEY)) {
        memcpy(to, __builtin_assume_aligned(from, 16), 16);
    } else {
        GPI_UNROLL
        for (unsigned k = 0; k < GPI(vector_n); k++)
            memcpy((char *)to + k * sizeof *from, (const void *)(from + k), sizeof *from);
    }
}

/*
 * The key that the thread takes of those that no whole vector covers, `head` keys and some behind the vectors; n if it
 * takes none.
 */
GPI_DEVICE size_t GPI(loose)(size_t n, size_t head, size_t vectors)
{
    const size_t i = threadIdx.x, at = i < GPI(vector_n) ? i : i + head + (vectors - 1) * GPI(vector_n);

    return blockIdx.x == 0 && i < 2 * GPI(vector_n) && (i < head || i >= GPI(vector_n)) && at < n ? at : n;
}
#endif
