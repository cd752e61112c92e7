/*
 * core/segmented_sort/tiny.cuh: sorts tiny segments, 32 side by side in a warp. It brings their keys to shared memory,
 * and each lane sorts a segment in registers: by a network where equal keys are the same, otherwise by counting for
 * each key those before it. Then the warp writes the keys and fetches the values.
 *
 * Part of segmented_sort.cuh; not to be included directly.
 */
#include "../tile/network.cuh"

enum {
    GPI(tiny_n) = 16, /* items of a tiny segment at most */
    GPI(group_n) = GPI_TUNE_SEGMENTED_SORT_GROUP,
    GPI(batch_n) = GPI_TUNE_SEGMENTED_SORT_BATCH,
    GPI(plan_threads) = 128,
    GPI(plan_warps) = GPI(plan_threads) / 32,
    GPI(vector_n) = 16 / (int)sizeof(GP_KEY),
    GPI(tiny_loads) = GPI(is_exact) ? 4 : 2, /* vectors that a lane reads at a time */
    GPI(tiny_slots) = (GPI(batch_n) + GPI(vector_n)) / 32 * 33 + 33,
    GPI(value_words) = ((int)sizeof(GPI(value)) + 3) / 4
};

/* What a warp has in shared memory. */
typedef struct {
    GP_KEY keys[GPI(tiny_slots)];
    uint16_t tags[GPI_RADIX_PAIRS ? GPI(tiny_slots) : 1]; /* where the value of each key comes from */
} GPI(tiny);

/* A value in registers: the compiler keeps words there, and not bytes. */
typedef union {
    GPI(value) value;
    uint32_t words[GPI(value_words)];
} GPI(held);

typedef struct {
    GPI(tiny) warps[GPI(plan_warps)];
} GPI(planning);

#if GPI_DEVICE_CODE
/* Where an item is in shared memory: with a gap behind every 32, segments of one length begin in different banks. */
GPI_DEVICE uint32_t GPI(padded)(uint32_t position)
{
    return position + position / 32;
}

/* How many items a key is behind a multiple of 16 bytes. A type aligned to less than its size may have no vectors. */
GPI_DEVICE uint32_t GPI(vector_offset)(const GP_KEY *key)
{
    return (uint32_t)((uintptr_t)key % 16 / sizeof *key);
}

/* Whether all items of the vector that begins with item i are among the n, and it is aligned. */
GPI_DEVICE int GPI(is_vector)(const GP_KEY *keys, uint32_t i, uint32_t n)
{
    return i < n && n - i >= GPI(vector_n) && (uintptr_t)keys % sizeof *keys == 0;
}

/* One warp: brings n keys to shared memory. The first gets the place that its offset says. */
GPI_DEVICE void GPI(load_tiny)(GP_KEY *to, const GP_KEY *from, uint32_t n, unsigned lane)
{
    enum { STEP = GPI(tiny_loads) * 32 * GPI(vector_n) };
    const uint32_t offset = GPI(vector_offset)(from);

    GPI_NO_UNROLL
    for (uint32_t at = lane * GPI(vector_n); at - lane * GPI(vector_n) < offset + n; at += STEP) {
        uint32_t words[GPI(tiny_loads)][4];

        GPI_UNDEFINED(words);
        GPI_UNROLL
        for (uint32_t j = 0; j < GPI(tiny_loads); j++) {
            const uint32_t i = at + j * 32 * GPI(vector_n) - offset;

            if (GPI(is_vector)(from, i, n))
                gpi_read_vector(words[j], from + i, 16);
        }
        GPI_UNROLL
        for (uint32_t j = 0; j < GPI(tiny_loads); j++) {
            const uint32_t place = at + j * 32 * GPI(vector_n), i = place - offset;

            if (GPI(is_vector)(from, i, n)) {
                GP_KEY keys[GPI(vector_n)];

                memcpy((void *)keys, words[j], sizeof keys);
                GPI_UNROLL
                for (uint32_t k = 0; k < GPI(vector_n); k++)
                    to[GPI(padded)(place) + k] = keys[k]; /* no gap is inside a vector */
            } else {
                GPI_NO_UNROLL
                for (uint32_t k = 0; k < GPI(vector_n); k++)
                    if (i + k < n)
                        to[GPI(padded)(place) + k] = from[i + k];
            }
        }
    }
}

/* One warp: writes n keys, which begin at `place` in shared memory. */
GPI_DEVICE void GPI(store_tiny)(GP_KEY *to, const GP_KEY *from, uint32_t place, uint32_t n, unsigned lane)
{
    const uint32_t offset = GPI(vector_offset)(to);

    GPI_UNROLL_BY_2
    for (uint32_t at = lane * GPI(vector_n); at < offset + n; at += 32 * GPI(vector_n)) {
        const uint32_t i = at - offset;

        if (GPI(is_vector)(to, i, n)) {
            GP_KEY keys[GPI(vector_n)];
            uint32_t words[4];

            GPI_UNROLL
            for (uint32_t k = 0; k < GPI(vector_n); k++)
                keys[k] = from[GPI(padded)(place + i + k)];
            memcpy(words, (const void *)keys, sizeof words);
            gpi_write_vector(to + i, words, 16);
        } else {
            GPI_NO_UNROLL
            for (uint32_t k = 0; k < GPI(vector_n); k++)
                if (i + k < n)
                    to[i + k] = from[GPI(padded)(place + i + k)];
        }
    }
}

/* One thread: sorts 2^bits keys, of which equal ones are the same, by odd-even merges. `bits` is a constant. */
GPI_DEVICE void GPI(sort_network)(GP_KEY *own, int bits)
{
    const int most = 1 << bits;

    GPI_UNROLL
    for (int run = 0; run < bits; run++) { /* merges runs of 2^run items */
        GPI_UNROLL
        for (int step = run; step >= 0; step--) {
            GPI_UNROLL
            for (int i = 0; i < most; i++)
                if (gpi_is_compared(i, most, run, step)) {
                    const GP_KEY a = own[i], b = own[i + (1 << step)];
                    const int swaps = GPI(key_order)(b) < GPI(key_order)(a);

                    own[i] = swaps ? b : a;
                    own[i + (1 << step)] = swaps ? a : b;
                }
        }
    }
}

/* One thread: the places of `most` keys when they are in order, a byte each, four to a word. */
GPI_DEVICE void GPI(find_places)(const GP_KEY *own, uint32_t *places, int most)
{
    GPI_UNROLL
    for (int i = 0; i < most; i += 4)
        places[i / 4] = (uint32_t)i * 0x01010101u + 0x03020100u;
    GPI_UNROLL
    for (int i = 0; i < most; i++) {
        GPI_UNROLL
        for (int j = i + 1; j < most; j++)
            if (GPI(key_order)(own[j]) < GPI(key_order)(own[i])) {
                places[i / 4] += 1u << i % 4 * 8;
                places[j / 4] -= 1u << j % 4 * 8;
            }
    }
}

/* One thread: sorts n items, at most 2^bits, where `bits` is a constant. Their tags count from `number`. */
GPI_DEVICE void GPI(sort_tiny)(GP_KEY *keys, uint16_t *tags, uint32_t begin, uint32_t n, uint32_t number, int bits)
{
    const int most = 1 << bits;
    GP_KEY own[GPI(tiny_n)];
    uint32_t places[GPI(tiny_n) / 4];

    GPI_UNROLL
    for (int i = 0; i < most; i++) {
        own[i] = GPI(key_last)();
        if ((uint32_t)i < n)
            own[i] = keys[GPI(padded)(begin + (uint32_t)i)];
    }
    if (GPI(is_exact))
        GPI(sort_network)(own, bits);
    else
        GPI(find_places)(own, places, most);
    GPI_UNROLL
    for (int i = 0; i < most; i++)
        if ((uint32_t)i < n) {
            const uint32_t to = GPI(padded)(begin + (GPI(is_exact) ? (uint32_t)i : gpi_byte(places[i / 4], i % 4)));

            keys[to] = own[i];
            if (GPI_RADIX_PAIRS)
                tags[to] = (uint16_t)(number + (uint32_t)i);
        }
}

/* One warp: writes n values from item `first` on, whose tags begin at `place`. */
GPI_DEVICE void GPI(write_tiny_values)(const GPI(job) *job, const uint16_t *tags, size_t first, uint32_t place,
                                       uint32_t n, unsigned lane)
{
    enum { EACH = 8 };
    const GPI(value) *from = job->values_in + first;
    GPI(value) *to = job->values_out + first;
    GPI(held) now[EACH], next[EACH];

    GPI_UNDEFINED(now);
    GPI_UNDEFINED(next);
    GPI_UNROLL
    for (uint32_t k = 0; k < EACH; k++)
        if (lane + 32 * k < n)
            now[k].value = from[tags[GPI(padded)(place + lane + 32 * k)]];
    GPI_NO_UNROLL
    for (uint32_t i = lane; i - lane < n; i += 32 * EACH) {
        const uint32_t behind = i + 32 * EACH;

        if (behind - lane < n) {
            GPI_UNROLL
            for (uint32_t k = 0; k < EACH; k++)
                if (behind + 32 * k < n)
                    next[k].value = from[tags[GPI(padded)(place + behind + 32 * k)]];
        }
        __syncwarp(); /* in place: what is read later is no farther back than a segment is long */
        GPI_UNROLL
        for (uint32_t k = 0; k < EACH; k++) {
            if (i + 32 * k < n)
                to[i + 32 * k] = now[k].value;
            GPI_UNROLL
            for (int w = 0; w < GPI(value_words); w++)
                now[k].words[w] = next[k].words[w];
        }
    }
}

/* One warp: writes n numbers in place of values. */
GPI_DEVICE void GPI(write_tiny_numbers)(const GPI(job) *job, const uint16_t *tags, size_t first, uint32_t place,
                                        uint32_t n, unsigned lane)
{
    GPI_UNROLL_BY_2
    for (uint32_t i = lane; i < n; i += 32) {
        const uint32_t from = tags[GPI(padded)(place + i)];

        job->values_out[first + i] = GPI(number)(job->counts_all, first + from, from);
    }
}

/*
 * One warp: sorts 32 tiny segments in shared memory, one for each lane: n items from `place` on, whose tags count from
 * `number`.
 */
GPI_DEVICE void GPI(sort_side_by_side)(GP_KEY *keys, uint16_t *tags, uint32_t place, uint32_t n, uint32_t number)
{
    const unsigned longest = gpi_warp_max(n);

    if (longest > 8)
        GPI(sort_tiny)(keys, tags, place, n, number, 4);
    else if (longest > 4)
        GPI(sort_tiny)(keys, tags, place, n, number, 3);
    else
        GPI(sort_tiny)(keys, tags, place, n, number, 2);
}

/* Where a segment begins; where the last one ends, if s is their number or more. */
GPI_DEVICE size_t GPI(segment_begin)(const GPI(job) *job, size_t s)
{
    return GPI(offset)(job, s < job->segments ? s : job->segments);
}

/* One warp: whether all segments of a group are tiny; by offsets, only if blocks may sort them once more. */
GPI_DEVICE int GPI(is_group_tiny)(const GPI(job) *job, size_t segment, unsigned lane)
{
    int is_longer = 0;

    if (!job->offsets || !job->sorts_twice)
        return !job->offsets && job->length <= GPI(tiny_n);
    GPI_UNROLL
    for (unsigned i = 0; i < GPI(group_n); i += 32) {
        const size_t begin = GPI(segment_begin)(job, segment + lane + i);
        const size_t end = GPI(segment_begin)(job, segment + lane + i + 1);

        is_longer |= end - begin > GPI(tiny_n);
    }
    return !__any_sync(GPI_FULL_MASK, is_longer);
}

/* One warp: sorts `count` tiny segments, which have n items from `first` on, no more than fit into shared memory. */
GPI_DEVICE void GPI(sort_batch)(const GPI(job) *job, GPI(tiny) *tiny, size_t segment, unsigned count, size_t first,
                                uint32_t n, unsigned lane)
{
    const uint32_t place = GPI(vector_offset)(job->keys_in + first);

    GPI(load_tiny)(tiny->keys, job->keys_in + first, n, lane);
    __syncwarp(); /* the keys are there */
    GPI_NO_UNROLL
    for (size_t s = segment + lane; s - lane < segment + count; s += 32) {
        const uint32_t begin = (uint32_t)(GPI(segment_begin)(job, s) - first);
        const uint32_t end = (uint32_t)(GPI(segment_begin)(job, s + 1) - first);

        GPI(sort_side_by_side)(tiny->keys, tiny->tags, place + begin, end - begin,
                               job->values_in || job->counts_all ? begin : 0);
    }
    __syncwarp(); /* the segments are sorted */
    GPI(store_tiny)(job->keys_out + first, tiny->keys, place, n, lane);
    if (GPI_RADIX_PAIRS && job->values_in)
        GPI(write_tiny_values)(job, tiny->tags, first, place, n, lane);
    else if (GPI_RADIX_PAIRS)
        GPI(write_tiny_numbers)(job, tiny->tags, first, place, n, lane);
    __syncwarp(); /* shared memory has served */
}

/* One warp: sorts a group of tiny segments, whose items are those from `first` to before `end`. */
GPI_DEVICE void GPI(sort_group)(const GPI(job) *job, GPI(tiny) *tiny, size_t segment, size_t first, size_t end,
                                unsigned lane)
{
    unsigned count;
    size_t last;

    for (size_t i = lane * 128; !GPI(is_exact) && i < (end - first) * sizeof(GP_KEY); i += 32 * 128)
        gpi_prefetch((const char *)(job->keys_in + first) + i); /* of values, too, it would be more than the L2 holds */
    for (unsigned at = 0; at < job->group; at += count, first = last) {
        count = (unsigned)job->group - at;
        for (last = end; last - first > GPI(batch_n); last = GPI(segment_begin)(job, segment + at + count))
            count -= 32;
        GPI(sort_batch)(job, tiny, segment + at, count, first, (uint32_t)(last - first), lane);
    }
}
#endif
