/*
 * core/radix/shared.cuh: what the strategies of a radix sort share.
 *
 * Part of radix_sort.cuh; not to be included directly.
 */
#include "../instance/radix_value.cuh"

#ifndef GPI_RADIX_SHARED_CUH
#define GPI_RADIX_SHARED_CUH

#include "../tile/bins.cuh"
#include "../tile/clear.cuh"

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
    GPI_RADIX_CLUSTER_MAX = 16,     /* blocks of a cluster */
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
    GPI_RADIX_BY_ATOMICS_BUT /* the same, but for keys with the digit that is added to this */
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
    /* Where the keys of a digit go, for the portion before and the next one in turn. */
    uint64_t place[GPI_RADIX_MAX_DIGITS + 1][2][256];
} gpi_radix_plan;

/* Ranges of the items that the second pass sorts apart. Each has some buckets, one for each digit in that pass. */
typedef struct gpi_radix_ranges {
    uint32_t tiles[GPI_RADIX_RANGES + 1];  /* the first tile of each range */
    uint32_t begin[GPI_RADIX_BUCKETS + 1]; /* of each bucket; behind the last: n */
} gpi_radix_ranges;

/* What the passes count; all zero before a call. */
typedef struct gpi_radix_counts {
    unsigned long long keys[GPI_RADIX_MAX_DIGITS + 1][256]; /* with that digit there */
    uint32_t alike[GPI_RADIX_MAX_DIGITS + 1]; /* of pairs of neighbours, those that share a digit; at last: all */
    uint32_t minus_zero;                      /* whether there is a -0.0 */
    uint32_t done;                            /* blocks that have counted */
    uint32_t others;                          /* whether a block has found keys that the sample lacks */
} gpi_radix_counts;

/* Which bucket a key belongs to: by its topmost bits, or that of a float by how large it is. */
typedef struct gpi_radix_map {
    int linear;            /* whether it is the integer nearest to key * factor + offset */
    int bits;              /* of its number */
    int above;             /* bits of a key above those that are sorted by, */
    uint64_t sorted;       /* which are these */
    double factor, offset; /* as the keys' type; the offset is raised as gpi_float_place() wants */
} gpi_radix_map;

/* Where the buckets are; made on the device. */
typedef struct gpi_radix_buckets {
    uint32_t chosen;       /* whether the keys are sorted in buckets; this and what follows is zero before */
    uint32_t refused;      /* there is a -0.0, or a NaN where buckets go by how large keys are */
    uint32_t done, unused; /* blocks that have counted */
    uint32_t counts[GPI_RADIX_BUCKETS]; /* then where the bucket goes on */
    gpi_radix_map map;
    uint32_t next[GPI_RADIX_RANGES]; /* where a range goes on */
    gpi_radix_ranges ranges;         /* of a topmost digit each */
} gpi_radix_buckets;

#if GPI_DEVICE_CODE
/* Of so many words in order, a power of two, the last one that is x at most. The first one is. */
GPI_DEVICE uint32_t gpi_radix_find(const uint32_t *words, uint32_t n, uint32_t x)
{
    uint32_t at = 0;

    GPI_UNROLL
    for (uint32_t step = n / 2; step > 0; step /= 2)
        at += words[at + step] <= x ? step : 0;
    return at;
}
#endif

#endif

#define GPI_RADIX_WHOLE (UINT64_MAX >> (64 - GPI_KEY_WIDTH)) /* all bits of a key */

enum {
    /* Whether a block, or a cluster of them, sorts in one launch; larger values take passes, however small n is. */
    GPI(holds_values) = sizeof(GPI_RADIX_VALUE) <= 16,
    /* Whether items' numbers are moved instead of their values: large ones, of keys that have more than two digits. */
    GPI(indexed) = GPI_RADIX_PAIRS && sizeof(GPI_RADIX_VALUE) >= 16 && sizeof(GP_KEY) >= 4,
    GPI(fetches) = GPI(indexed),
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

/* What the kernels of passes and buckets work on. Most of them need what comes first, and nothing else. */
typedef struct {
    GP_KEY *keys[3]; /* the input, which is only read, the output, and another array */
    void *values[3]; /* the first NULL: 0, 1, 2, ... */
    gpi_radix_plan *plan;
    gpi_radix_buckets *buckets; /* their first words are zeroed */
    uint32_t *ticket;           /* of a pass */
    uint32_t *look; /* for the look-back: a row of 256 words for each tile; at first those before them, too */
    int begin_bit, end_bit;
    int levels;           /* partitions, if the keys are sorted in buckets; 0 if that is out of the question */
    int bits;             /* the number of a bucket has so many */
    int level;            /* of a partition: 0 or 1 */
    uint32_t partition_n; /* items of its tiles */
    /* A launch of a pass is about a portion of the input, so small that counts fit their words. */
    int pass;           /* of the plan */
    uint32_t tile_n;    /* items of a tile; fewer than its threads can hold when n is small */
    size_t first;       /* item of the portion */
    uint32_t portion_n; /* its items, */
    uint32_t tiles;     /* and its tiles */
    int odd;            /* whether its number is odd */
    uint32_t tag;       /* 1, 2 or 3: neither of the two launches before has left it in a row of the look-back */
    /* What is counted. */
    size_t n;
    uint64_t range;           /* as many ones as bits */
    int digits, more;         /* zeros are counted below these bits, so many that digits are whole */
    unsigned columns;         /* of the counters in shared memory */
    uint32_t rows;            /* of the look-back, to be zeroed */
    int forced;               /* GP_KERNEL, which tests do not know at compile time */
    gpi_radix_counts *counts; /* the tickets follow them; both are zeroed */
    /* Of a block that counts. */
    struct gpi_radix_tally *tally;
    uint32_t *counters;
    int window; /* eight bits from here tell the keys apart, as far as is known, and are counted; -1: all digits are */
} GPI(job);

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
    uint32_t words[4];

    if (__alignof__(GP_KEY) == sizeof(GP_KEY))
        gpi_read_vector(words, from, 16);
    else
        memcpy(words, (const void *)from, 16);
    memcpy(to, words, 16);
}

/* Keys as whole vectors, which begin behind `head` others; one key that none covers is the thread's, or number n. */
typedef struct {
    size_t head, n, loose;
} GPI(vectors);

GPI_DEVICE GPI(vectors) GPI(vectors_of)(const GP_KEY *keys, size_t n)
{
    const size_t i = threadIdx.x, head = gpi_min_size(n, (unsigned)((0 - (uintptr_t)keys) % 16 / sizeof *keys));
    const size_t vectors = (n - head) / GPI(vector_n);
    const size_t at = i < GPI(vector_n) ? i : i + head + (vectors - 1) * GPI(vector_n);
    const int is_loose = blockIdx.x == 0 && i < 2 * GPI(vector_n) && (i < head || i >= GPI(vector_n)) && at < n;
    const GPI(vectors) result = {head, vectors, is_loose ? at : n};

    return result;
}
#endif
