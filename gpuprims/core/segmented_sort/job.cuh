/*
 * core/segmented_sort/job.cuh: what a segmented sort works on, and how its workspace is divided.
 *
 * Segments and items are counted together, in units: eight segments count as an item, so that segment s is at
 * offsets[s] + s / 8. A range is so many units, and a block sorts the short segments that start in its range. Long ones
 * are cut into tiles, which passes over memory move.
 *
 * Part of segmented_sort.cuh; not to be included directly.
 */

/* Values of up to 16 bytes are moved, of larger ones their numbers. */
#define GPI_SEGMENTED_SORT_MOVES_VALUES (sizeof(GPI_RADIX_VALUE) <= 16)
#define GPI_SEGMENTED_SORT_ALIGNMENT (GPI_SEGMENTED_SORT_MOVES_VALUES ? __alignof__(GPI_RADIX_VALUE) : sizeof(uint64_t))

typedef struct {
    unsigned char bytes[GPI_SEGMENTED_SORT_MOVES_VALUES ? sizeof(GPI_RADIX_VALUE) : sizeof(uint64_t)];
} __attribute__((may_alias, aligned(GPI_SEGMENTED_SORT_ALIGNMENT))) GPI(value);

enum {
    GPI(fetches) = GPI_RADIX_PAIRS && !GPI_SEGMENTED_SORT_MOVES_VALUES,
    GPI(is_exact) = !GPI_RADIX_PAIRS && !GPI(key_is_float), /* keys that are equal are the same */
    GPI(is_forced) = GP_KERNEL == GP_KERNEL_PASSES || GP_KERNEL == GP_KERNEL_BUCKETS,
    GPI(value_bytes) = GPI_RADIX_PAIRS ? (int)sizeof(GPI(value)) : 0,
    GPI(threads) = GPI_TUNE_SEGMENTED_SORT_THREADS,
    GPI(warps) = GPI(threads) / 32,
    /* Of an item in a block: the word of a bin, its key and a tag; and its value, which is there from the start if it
     * is small, and otherwise comes when the others have served. */
    GPI(is_early) = GPI_RADIX_PAIRS && GPI(value_bytes) <= 4 && sizeof(GP_KEY) <= 4,
    GPI(sorted_bytes) = 6 + (int)sizeof(GP_KEY) + (GPI(is_early) ? GPI(value_bytes) : 0),
    GPI(slot_bytes) = GPI(sorted_bytes) > GPI(value_bytes) ? GPI(sorted_bytes) : GPI(value_bytes),
    GPI(fitting) = (60 << 10) / GPI(slot_bytes) / GPI(threads),
    GPI(items) = GPI(fitting) < GPI_TUNE_SEGMENTED_SORT_ITEMS ? GPI(fitting) : GPI_TUNE_SEGMENTED_SORT_ITEMS,
    GPI(tile_n) = GPI(threads) * GPI(items),
    /* Of a segment that has a large tile to itself values come later, and small ones in place of the bins' words. */
    GPI(large_slot) = 6 + (int)sizeof(GP_KEY) > GPI(value_bytes) ? 6 + (int)sizeof(GP_KEY) : GPI(value_bytes),
    GPI(large_fitting) = (60 << 10) / GPI(large_slot) / GPI(threads),
    GPI(large_items) = GPI(large_fitting) < GPI_TUNE_SEGMENTED_SORT_LARGE ? GPI(large_fitting)
                                                                         : GPI_TUNE_SEGMENTED_SORT_LARGE,
    GPI(large_n) = GPI(threads) * GPI(large_items),
    /* Items of a short segment at most. A range has no more units, so that a long segment is in two ranges at least. */
    GPI(short_n) = GPI(is_forced) ? 64 : GPI(large_n),
    GPI(together_n) = GPI(is_forced) ? 64 : GPI(tile_n), /* the same of segments that are sorted together */
    GPI(range_n) = GPI(is_forced) ? 64 : GPI(tile_n) / 16 * 15, /* so that what starts there often fits */
    GPI(unit_n) = 8, /* so many segments count as an item */
    /* Digits of a key, an even number: of bytes four bits each. */
    GPI(digits) = sizeof(GP_KEY) == 1 ? 2 : (int)sizeof(GP_KEY),
    GPI(digit_bits) = sizeof(GP_KEY) == 1 ? 4 : 8,
    GPI(radix) = 1 << GPI(digit_bits),
    /* The tile of a pass. */
    GPI(pass_slot) = (int)sizeof(GP_KEY) + (GPI_RADIX_PAIRS ? 2 + GPI(value_bytes) : 0),
    GPI(pass_fitting) = (43 << 10) / GPI(pass_slot) / GPI(threads),
    GPI(pass_items) = GPI(pass_fitting) < GPI_TUNE_SEGMENTED_SORT_PASS_ITEMS ? GPI(pass_fitting)
                                                                            : GPI_TUNE_SEGMENTED_SORT_PASS_ITEMS,
    GPI(pass_n) = GPI(threads) * GPI(pass_items)
};

#ifndef GPI_SEGMENTED_SORT_JOB_CUH
#define GPI_SEGMENTED_SORT_JOB_CUH

enum { GPI_SEGMENTED_SORT_MAX_DIGITS = 8 };

/* What is known of all segments. */
typedef struct gpi_long_segments {
    unsigned long long found; /* long ones << 32 | their tiles */
    uint32_t passes;          /* that one of them needs, at most */
    uint32_t has_unsorted;    /* whether the kernel that plans has left a group of segments unsorted */
} gpi_long_segments;

/* A long segment. */
typedef struct gpi_long_segment {
    uint64_t first, n;
    uint64_t segment;
    uint32_t tile; /* its first tile */
    uint32_t done; /* tiles that have been counted */
    int32_t passes;
    int32_t bucket_digit; /* after one pass by this digit blocks sort its buckets; -1: there are as many as passes */
    uint8_t digit[GPI_SEGMENTED_SORT_MAX_DIGITS]; /* of each pass */
} gpi_long_segment;

#endif

/* The number of a key, which has the same order. */
GPI_CHOOSE_TYPE(GPI(word), GPI_KEY_IS_NARROW, uint32_t, uint64_t);

/* What a launch works on. */
typedef struct {
    const GP_KEY *keys_in;
    GP_KEY *keys_out;
    const GPI(value) *values_in; /* NULL: numbers */
    GPI(value) *values_out;
    const GP_INDEX *offsets; /* NULL: all segments have this length */
    size_t length, segments, ranges;
    size_t range_n;  /* units of a range */
    size_t group;    /* segments of a group, */
    uint32_t small;  /* of which warps sort those of up to so many items, if these are more than tiny */
    int sorts_twice; /* a segment that has been sorted may be sorted again */
    int counts_all;  /* numbers are counted over the whole array, not in each segment */
    int is_few;      /* as many segments as a block has threads, at most: no kernel plans */
    int is_direct;   /* small rows, and few enough for the warps of the kernel of blocks */
    int sorts_longs, sorts_ranges; /* in this launch; */
    uint32_t blocks;               /* long ones by so many blocks at most */
    /* In the workspace; NULL if no segment can be long. */
    gpi_tile_state_head *head; /* tickets; how many units are done */
    gpi_long_segments *all;
    uint64_t *table;         /* ~ the first segment that starts in a range and was not sorted; 0: none; or NULL */
    uint32_t *covering;      /* the long segment that starts before a range and reaches into it, and 1; or 0 */
    gpi_long_segment *longs;
    uint64_t *starts;        /* of a long segment, for each of its digits: how many items, and then where they begin */
    uint32_t *map;           /* the long segment of a tile */
    uint64_t *look;          /* a row for each tile */
    GP_KEY *keys;            /* n, as is the next */
    GPI(value) *values;
} GPI(job);

#if GPI_DEVICE_CODE
/* The first item of a segment; where the last one ends, if s is their number. */
GPI_DEVICE size_t GPI(offset)(const GPI(job) *job, size_t s)
{
    return job->offsets ? (size_t)job->offsets[s] : s * job->length;
}

/* Where a segment is that begins at item `first`, in units. */
GPI_DEVICE size_t GPI(unit)(size_t first, size_t s)
{
    return first + s / GPI(unit_n);
}

/*
 * Whether an item comes behind another one, by their numbers and, if these are equal, by where they come from; not if
 * the other one is the head of another segment.
 */
GPI_DEVICE int GPI(is_behind)(GPI(word) a, uint32_t from, GPI(word) b, uint32_t other_from, int is_head)
{
    if (GPI(is_exact))
        return (b < a) & !is_head;
    if (GPI_KEY_IS_NARROW)
        return (((uint64_t)b << 32 | other_from) < ((uint64_t)a << 32 | from)) & !is_head;
    return ((b < a) | ((b == a) & (other_from < from))) & !is_head;
}

/* Zeroes n words, a constant, a multiple of 4. All threads call. */
GPI_DEVICE void GPI(zero)(uint32_t *words, uint32_t n)
{
    const gpi_radix_four none = {{0, 0, 0, 0}};

    GPI_UNROLL
    for (uint32_t first = 0; first < n; first += 4 * GPI(threads)) /* no loop, so that loads may be under way already */
        if (first + 4 * threadIdx.x < n)
            *(gpi_radix_four *)(words + first + 4 * threadIdx.x) = none;
}

/* The value that stands for an item without one, by its place in the array and in its segment. */
GPI_DEVICE GPI(value) GPI(number)(int counts_all, size_t at, size_t place)
{
    const uint64_t all = counts_all ? at : place;
    const GPI_RADIX_VALUE own = GPI(numbered)(place);
    GPI(value) value;

    if (GPI_SEGMENTED_SORT_MOVES_VALUES)
        memcpy(&value, (const void *)&own, sizeof value < sizeof own ? sizeof value : sizeof own);
    else
        memcpy(&value, &all, sizeof value < sizeof all ? sizeof value : sizeof all);
    return value;
}

/* Up to and with the topmost bit that is set; at least one. */
GPI_DEVICE int GPI(bits_of)(uint64_t differ)
{
    return 64 - __clzll((long long)(differ | 1));
}

/* A word of 32 bits, or of 64 for keys of 8 bytes, without those above the lowest `bits`, topmost. */
GPI_DEVICE uint64_t GPI(topmost)(uint64_t number, int bits)
{
    return GPI_KEY_IS_NARROW ? (uint32_t)number << (32 - bits) : number << (64 - bits);
}

/* So many topmost bits of such a word. */
GPI_DEVICE uint32_t GPI(top_bits)(uint64_t word, int bits)
{
    return GPI_KEY_IS_NARROW ? (uint32_t)word >> (32 - bits) : (uint32_t)(word >> (64 - bits));
}

/* Such a word, as a fraction, times a count. */
GPI_DEVICE uint32_t GPI(share)(uint64_t word, uint32_t count)
{
    const uint64_t low = (word & 0xFFFFFFFFu) * count;

    return GPI_KEY_IS_NARROW ? (uint32_t)(low >> 32) : (uint32_t)(((word >> 32) * count + (low >> 32)) >> 32);
}
#endif
