/*
 * core/top_k/job.cuh: what a launch of a top-k works on: segments and their parts, and candidates.
 *
 * A segment of more than part_n items is long, and has parts. A part has a slot, for the list of its candidates. Rows
 * have as many slots as parts. By offsets, whose segments are unknown before the launch, the slots of a segment begin
 * at
 *
 *     floor(begin / part_n) + ceil(begin / part_n)
 *
 * which leaves room for the parts of every long segment before, and needs two for each part_n items at most. From one
 * round to the next there are fewer lists: that of parts p to p + step - 1 is in the slot of part p.
 *
 * Part of top_k.cuh; not to be included directly.
 */
#ifndef GPI_TOP_K_JOB_CUH
#define GPI_TOP_K_JOB_CUH

/* Where the items are that a block selects from. */
enum {
    GPI_TOP_K_KEYS,       /* in a part of a segment */
    GPI_TOP_K_CANDIDATES, /* in a row's array of candidates, whose number is on the device */
    GPI_TOP_K_LISTS       /* in lists of candidates */
};

#endif

typedef struct {
    const GP_KEY *keys;
    GP_KEY *keys_out;
    const GPI_RADIX_VALUE *values; /* NULL: 0, 1, 2, ... */
    GPI_RADIX_VALUE *values_out;
    const GP_INDEX *offsets; /* NULL: all segments have this length */
    size_t n, segments, length, k;
    size_t part_n, parts; /* items of a part; parts of a row */
    int part_bits;        /* by offsets, and of candidates, part_n is a power of two */
    size_t slots;         /* the first units; the others are groups of short segments */
    size_t units;
    unsigned group;
    int source;
    int in_order;  /* lists are */
    int by_place;  /* the place of an item in its segment has 32 bits, and says which of two equal keys comes first */
    const uint64_t *in; /* candidates, in lists or in an array */
    uint64_t *out;
    size_t step, next;   /* parts that a list of `in`, and one of `out`, stand for */
    size_t list_n;       /* room of a slot */
    unsigned long long *count; /* candidates of each row's array: that is what the segment has; else NULL */
    size_t capacity;           /* of a row's array */
    uint32_t chunk_n;          /* items of a chunk, which is what is sampled */
    int chunk_bits;            /* a sample of a row has 2^that chunks, */
    int group_bits;            /* in 2^that groups */
    uint32_t rank;             /* of the group whose least item is the bound, from 1 on */
    size_t row_n;           /* items of a row, or of the lists that teams have left of it */
    uint32_t longer;        /* so many parts of a row have a vector more than part_n items */
    uint32_t needed, room;  /* vectors of a team that have to be within its bound, or 0; entries that it has room for */
    const uint32_t *places; /* of the items of such lists in their rows; NULL: the items are not in lists */
    uint32_t *places_out;   /* of what teams leave; NULL: they leave results */
} GPI(job);

/* A number that orders as the key, and the place in its segment. */
typedef struct {
    uint64_t number, place;
} GPI(candidate);

/* A segment, and one of its parts. */
typedef struct {
    size_t s, begin, length;
    size_t slot;        /* of its first part */
    size_t part, parts;
} GPI(segment);

/* Whether one word holds a candidate. */
#define GPI_TOP_K_IS_PACKED(job) (GPI_KEY_IS_NARROW && (job)->by_place)

#if GPI_DEVICE_CODE
/* Number i of some candidates, each in a word, or in two. */
GPI_DEVICE GPI(candidate) GPI(read_candidate)(const uint64_t *from, size_t i, int is_packed)
{
    GPI(candidate) x;

    if (is_packed) {
        x.number = from[i] >> 32;
        x.place = (uint32_t)from[i];
    } else {
        x.number = from[2 * i];
        x.place = from[2 * i + 1];
    }
    return x;
}

GPI_DEVICE void GPI(write_candidate)(uint64_t *to, size_t i, int is_packed, GPI(candidate) x)
{
    if (is_packed) {
        to[i] = x.number << 32 | x.place;
    } else {
        to[2 * i] = x.number;
        to[2 * i + 1] = x.place;
    }
}

GPI_DEVICE GPI(candidate) GPI(get_candidate)(const GPI(job) *job, size_t i)
{
    return GPI(read_candidate)(job->in, i, GPI_TOP_K_IS_PACKED(job));
}

GPI_DEVICE void GPI(put_candidate)(const GPI(job) *job, size_t i, GPI(candidate) x)
{
    GPI(write_candidate)(job->out, i, GPI_TOP_K_IS_PACKED(job), x);
}

/* ---- segments ---------------------------------------------------------------------------------- */

GPI_DEVICE size_t GPI(slot_of)(const GPI(job) *job, size_t begin)
{
    return (begin >> job->part_bits) + ((begin + job->part_n - 1) >> job->part_bits);
}

GPI_DEVICE GPI(segment) GPI(segment_of)(const GPI(job) *job, size_t s)
{
    GPI(segment) segment;

    segment.s = s;
    if (job->offsets) {
        segment.begin = (size_t)job->offsets[s];
        segment.length = (size_t)job->offsets[s + 1] - segment.begin;
        segment.slot = GPI(slot_of)(job, segment.begin);
    } else {
        segment.begin = s * job->length;
        segment.length = job->length;
        if (job->count)
            segment.length = (size_t)job->count[s];
        segment.slot = s * job->parts;
    }
    segment.part = 0;
    segment.parts = job->part_bits ? (segment.length + job->part_n - 1) >> job->part_bits : job->parts;
    return segment;
}

/*
 * The last segment whose slots begin at `slot` or before: what a long one needs does not reach the next. All lanes
 * call.
 */
GPI_DEVICE GPI(segment) GPI(segment_at)(const GPI(job) *job, size_t slot)
{
    const unsigned lane = threadIdx.x % 32;
    size_t first = 0, end = job->segments;
    GPI(segment) segment;

    if (!job->offsets)
        first = (uint32_t)slot / (uint32_t)job->parts; /* slots are far fewer than 2^32 */
    while (job->offsets && end - first > 1) {
        const size_t step = (end - first + 31) / 32, at = first + (lane + 1) * step;
        const int is_before = at < end && GPI(slot_of)(job, (size_t)job->offsets[at]) <= slot;
        const size_t steps = (size_t)__popc(__ballot_sync(GPI_FULL_MASK, is_before));

        first += steps * step;
        end = end - first < step ? end : first + step;
    }
    segment = GPI(segment_of)(job, first);
    segment.part = slot - segment.slot;
    return segment;
}

/* Candidates in the list of `step` parts from `part` on. */
GPI_DEVICE size_t GPI(list_length)(const GPI(job) *job, const GPI(segment) *segment, size_t part, size_t step)
{
    const size_t begin = part * job->part_n, end = (part + step) * job->part_n;
    const size_t items = begin >= segment->length ? 0 : (end < segment->length ? end : segment->length) - begin;

    return items < job->k ? items : job->k;
}

/* Where the list of a part begins: in its slot, or, if the lists are as long as parts of items, where its items are. */
GPI_DEVICE size_t GPI(list_begin)(const GPI(job) *job, const GPI(segment) *segment, size_t part)
{
    return job->count || job->list_n < job->part_n ? (segment->slot + part) * job->list_n
                                                   : segment->begin + part * job->part_n;
}

/* ---- results ----------------------------------------------------------------------------------- */

/* The key with this number, which is also at `from`: read for a zero of floats alone, whose number has no sign. */
GPI_DEVICE GP_KEY GPI(key_of_number)(uint64_t number, const GP_KEY *from)
{
    const uint64_t flipped = GPI(key_order)(GPI(key_of_bits)(0));

    if (!GPI(key_is_float))
        return GPI(key_of_bits)(GPI_KEY_DESCENDING ? flipped - number : number ^ flipped);
    return number == flipped ? *from : GPI(key_of_code)(GPI(key_of_bits)(number));
}

/* Writes the value of a result: that of the item at `place` in its segment, which begins at item `begin`. */
GPI_DEVICE void GPI(write_value)(const GPI(job) *job, size_t begin, size_t to, size_t place)
{
    if (GPI_RADIX_PAIRS && job->values)
        gpi_move(&job->values_out[to], &job->values[begin + place]);
    else if (GPI_RADIX_PAIRS)
        job->values_out[to] = GPI(numbered)(place);
}

/* Writes number i of the results of segment s, which begins at item `begin`: the item at `place`. */
GPI_DEVICE void GPI(write_result)(const GPI(job) *job, size_t s, size_t begin, size_t i, size_t place)
{
    gpi_move(&job->keys_out[s * job->k + i], &job->keys[begin + place]);
    GPI(write_value)(job, begin, s * job->k + i, place);
}
#endif
