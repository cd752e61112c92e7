/*
 * core/segmented_sort/group.cuh: groups of neighbouring segments that are all tiny, or small, each sorted by a warp. It
 * brings their keys to shared memory, some segments at a time, sorts them there (core/segmented_sort/tiny.cuh,
 * core/segmented_sort/small.cuh), writes the keys and fetches the values.
 *
 * Part of segmented_sort.cuh; not to be included directly.
 */
enum {
    GPI(group_n) = GPI_TUNE_SEGMENTED_SORT_GROUP,
    GPI(batch_n) = GPI_TUNE_SEGMENTED_SORT_BATCH,
    GPI(few_n) = 8,                        /* segments of a group where there are few; */
    GPI(few_items) = 32 * GPI(team_items), /* items of these, at most, if they are as long as all are on average */
    GPI(plan_threads) = 128,
    GPI(plan_warps) = GPI(plan_threads) / 32,
    GPI(vector_n) = 16 / (int)sizeof(GP_KEY),
    GPI(batch_loads) = GPI(is_exact) ? 4 : 2, /* vectors that a lane reads at a time */
    GPI(batch_slots) = (GPI(batch_n) + GPI(vector_n)) / 32 * 33 + 33,
    GPI(value_words) = ((int)sizeof(GPI(value)) + 3) / 4
};

/* What a warp has in shared memory. */
typedef struct {
    GP_KEY keys[GPI(batch_slots)];
    uint16_t tags[GPI_RADIX_PAIRS ? GPI(batch_slots) : 1]; /* where the value of each key comes from */
} GPI(batch);

/* A value in registers: the compiler keeps words there, and not bytes. */
typedef union {
    GPI(value) value;
    uint32_t words[GPI(value_words)];
} GPI(held);

typedef struct {
    GPI(batch) warps[GPI(plan_warps)];
} GPI(planning);

#if GPI_DEVICE_CODE
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
GPI_DEVICE void GPI(load_batch)(GP_KEY *to, const GP_KEY *from, uint32_t n, unsigned lane)
{
    enum { STEP = GPI(batch_loads) * 32 * GPI(vector_n) };
    const uint32_t offset = GPI(vector_offset)(from);

    GPI_NO_UNROLL
    for (uint32_t at = lane * GPI(vector_n); at - lane * GPI(vector_n) < offset + n; at += STEP) {
        uint32_t words[GPI(batch_loads)][4];

        GPI_UNDEFINED(words);
        GPI_UNROLL
        for (uint32_t j = 0; j < GPI(batch_loads); j++) {
            const uint32_t i = at + j * 32 * GPI(vector_n) - offset;

            if (GPI(is_vector)(from, i, n))
                gpi_read_vector(words[j], from + i, 16);
        }
        GPI_UNROLL
        for (uint32_t j = 0; j < GPI(batch_loads); j++) {
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
GPI_DEVICE void GPI(store_batch)(GP_KEY *to, const GP_KEY *from, uint32_t place, uint32_t n, unsigned lane)
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

/* One warp: writes n values from item `first` on, whose tags begin at `place`. */
GPI_DEVICE void GPI(write_batch_values)(const GPI(job) *job, const uint16_t *tags, size_t first, uint32_t place,
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
GPI_DEVICE void GPI(write_batch_numbers)(const GPI(job) *job, const uint16_t *tags, size_t first, uint32_t place,
                                         uint32_t n, unsigned lane)
{
    GPI_UNROLL_BY_2
    for (uint32_t i = lane; i < n; i += 32) {
        const uint32_t from = tags[GPI(padded)(place + i)];

        job->values_out[first + i] = GPI(number)(job->counts_all, first + from, from);
    }
}

/* Where a segment begins; where the last one ends, if s is their number or more. */
GPI_DEVICE size_t GPI(segment_begin)(const GPI(job) *job, size_t s)
{
    return GPI(offset)(job, s < job->segments ? s : job->segments);
}

/*
 * One warp: items of the longest segment of a group. By offsets, only if blocks may sort the group once more: otherwise
 * more than any small segment has.
 */
GPI_DEVICE uint32_t GPI(find_longest)(const GPI(job) *job, size_t segment, unsigned lane)
{
    const unsigned group = (unsigned)job->group;
    uint32_t longest = 0;

    if (!job->offsets || !job->sorts_twice)
        return job->offsets ? GPI(small_n) + 1u : gpi_min_size(job->length, GPI(small_n) + 1);
    GPI_UNROLL
    for (unsigned i = 0; i < GPI(group_n); i += 32)
        if (i < group) {
            const size_t begin = GPI(segment_begin)(job, segment + gpi_min(lane + i, group));
            const size_t end = GPI(segment_begin)(job, segment + gpi_min(lane + i + 1, group));
            const uint32_t n = gpi_min_size(end - begin, GPI(small_n) + 1);

            longest = n > longest ? n : longest;
        }
    return gpi_warp_max(longest);
}

/* One warp: sorts `count` tiny segments in shared memory, where item `first` is at `place`. */
GPI_DEVICE void GPI(sort_in_lanes)(const GPI(job) *job, GPI(batch) *batch, size_t segment, unsigned count, size_t first,
                                   uint32_t place, unsigned lane)
{
    GPI_NO_UNROLL
    for (size_t s = segment + lane; s - lane < segment + count; s += 32) {
        const uint32_t begin = (uint32_t)(GPI(segment_begin)(job, s) - first);
        const uint32_t end = (uint32_t)(GPI(segment_begin)(job, s + 1) - first);

        GPI(sort_side_by_side)(batch->keys, batch->tags, place + begin, end - begin,
                               job->values_in || job->counts_all ? begin : 0);
    }
}

/* The same for small segments, each by a team of so many lanes. Returns 0 if some are not in order. */
GPI_DEVICE int GPI(sort_in_teams)(const GPI(job) *job, GPI(batch) *batch, size_t segment, unsigned count, size_t first,
                                  uint32_t place, unsigned lanes, unsigned lane)
{
    const unsigned teams = 32 / lanes, team = lane / lanes;
    int are_sorted = 1;

    GPI_NO_UNROLL
    for (unsigned at = 0; at < count && are_sorted; at += teams) {
        const unsigned i = team < teams && at + team < count ? at + team : count; /* count: none */
        const uint32_t begin = (uint32_t)(GPI(segment_begin)(job, segment + i) - first);
        const uint32_t end = (uint32_t)(GPI(segment_begin)(job, segment + i + (i < count)) - first);

        are_sorted = GPI(sort_small)(batch->keys, batch->tags, place + begin, end - begin,
                                     job->values_in || job->counts_all ? begin : 0, lane % lanes, lanes);
    }
    return are_sorted;
}

/*
 * One warp: sorts `count` segments, which have n items from `first` on, no more than fit into shared memory. `are_tiny`
 * is a constant: all are; otherwise each takes a team of so many lanes.
 */
GPI_DEVICE void GPI(sort_batch)(const GPI(job) *job, GPI(batch) *batch, size_t segment, unsigned count, size_t first,
                                uint32_t n, unsigned lanes, int are_tiny, unsigned lane)
{
    const uint32_t place = GPI(vector_offset)(job->keys_in + first);

    GPI(load_batch)(batch->keys, job->keys_in + first, n, lane);
    __syncwarp(); /* the keys are there */
    if (are_tiny) {
        GPI(sort_in_lanes)(job, batch, segment, count, first, place, lane);
    } else if (!GPI(sort_in_teams)(job, batch, segment, count, first, place, lanes, lane)) {
        GPI(sort_directly)(job, segment, count, lane);
        return;
    }
    __syncwarp(); /* the segments are sorted */
    GPI(store_batch)(job->keys_out + first, batch->keys, place, n, lane);
    if (GPI_RADIX_PAIRS && job->values_in)
        GPI(write_batch_values)(job, batch->tags, first, place, n, lane);
    else if (GPI_RADIX_PAIRS)
        GPI(write_batch_numbers)(job, batch->tags, first, place, n, lane);
    __syncwarp(); /* shared memory has served */
}

/* One warp: sorts a group of segments of up to `longest` items, which are those from `first` to before `end`. */
GPI_DEVICE void GPI(sort_group)(const GPI(job) *job, GPI(batch) *batch, size_t segment, size_t first, size_t end,
                                uint32_t longest, int are_tiny, unsigned lane)
{
    const unsigned lanes = are_tiny || !longest ? 1 : (longest + GPI(team_items) - 1) / GPI(team_items);
    const unsigned together = 32 / lanes; /* so many segments at a time */
    unsigned count;
    size_t last;

    for (size_t i = lane * 128; !GPI(is_exact) && i < (end - first) * sizeof(GP_KEY); i += 32 * 128)
        gpi_prefetch((const char *)(job->keys_in + first) + i); /* of values, too, it would be more than the L2 holds */
    for (unsigned at = 0; at < job->group; at += count, first = last) {
        count = (unsigned)job->group - at;
        for (last = end; last - first > GPI(batch_n); last = GPI(segment_begin)(job, segment + at + count)) {
            const unsigned share = are_tiny ? count - 1 : GPI(batch_n) * count / (uint32_t)(last - first);

            count = share > together ? share / together * together : share + (share == 0);
        }
        GPI(sort_batch)(job, batch, segment + at, count, first, (uint32_t)(last - first), lanes, are_tiny, lane);
    }
}
#endif
