/*
 * core/radix/spread.cuh: whether the keys are sorted in buckets, from the highest digit down. It needs keys whose
 * topmost bits are well spread: that is found out on the device, and if they are not, the passes sort.
 *
 *     1. look at a sample of the keys, and count the topmost bits of all; the last block adds up where each
 *        bucket begins (one partition has only the topmost digit, which the plan's counts tell)
 *     2. partition by the topmost digit: a tile asks for room in each of 256 ranges, and moves its keys there
 *     3. partition each of these ranges by the next bits
 *     4. one block sorts a bucket: by twelve more bits, and by comparing the few keys that are alike so far; or
 *        in passes by ballots, if many are alike and yet different
 *
 * Keys alone lose their order: where equal keys are not the same, the passes sort. Pairs are partitioned by passes.
 * Buckets of floats alone are of equal width where that spreads them well, and so are their bins. docs/radix-sort.md
 * tells why that is right.
 *
 * Part of radix_sort.cuh; not to be included directly.
 */
#define GPI_RADIX_RAISED (GPI_KEY_IS_NARROW ? 8388608.0 : 4503599627370496.0)

#ifndef GPI_RADIX_SPREAD_CUH
#define GPI_RADIX_SPREAD_CUH

enum {
    GPI_RADIX_PARTITION_THREADS = 256,
    GPI_RADIX_BUCKET_THREADS = 512,
    GPI_RADIX_BUCKET_CROWD = 32, /* keys of a bin; more are not compared */
    GPI_RADIX_SAMPLES = 4,   /* of each thread that counts; every block takes the same ones */
    GPI_RADIX_WORTH_ONE = 3, /* passes that take longer than one partition of pairs and their buckets, */
    GPI_RADIX_WORTH_TWO = 4  /* and than two */
};

/* Which bucket a key belongs to: by its topmost bits, or that of a float by how large it is. */
typedef struct gpi_radix_places {
    int linear;            /* whether it is the integer nearest to key * factor + offset */
    double factor, offset; /* as the keys' type; the offset is raised as gpi_float_place() wants */
} gpi_radix_places;

/* Where the buckets are; made on the device. */
typedef struct gpi_radix_buckets {
    uint32_t chosen;       /* whether the keys are sorted in buckets; this and what follows is zero before */
    uint32_t refused;      /* there is a -0.0, or a NaN where buckets go by how large keys are */
    uint32_t done, unused; /* blocks that have counted */
    uint32_t counts[GPI_RADIX_BUCKETS]; /* then where the bucket goes on */
    gpi_radix_places places;            /* after two partitions; after one it is by bits */
    uint32_t next[GPI_RADIX_RANGES];    /* where a range goes on */
    gpi_radix_ranges ranges;            /* of a topmost digit each */
} gpi_radix_buckets;

/* Where a sample is: somewhere in each stretch of the n items, as regular intervals would be none of periodic input. */
GPI_DEVICE uint32_t gpi_radix_sample(uint32_t stretch, uint32_t stretches, uint32_t n, uint32_t salt)
{
    uint32_t some = (stretch + salt * 0x85EBCA6Bu) * 0x9E3779B1u;

    some = (some ^ some >> 15) * 0x2C1B3C6Du;
    return (uint32_t)(((uint64_t)stretch << 16 | some >> 16) * n / stretches >> 16);
}

#endif

#define GPI_RADIX_FIRST_BITS(levels, bits) (GPI_RADIX_PAIRS && (levels) == 2 ? ((bits) + 1) / 2 : 8)

__extension__ enum {
    /* Items that may be sorted in buckets, and how many of them a bucket holds. */
    GPI(has_buckets) = sizeof(GP_KEY) >= 4,
    GPI(cuts_bits) = GPI_RADIX_PAIRS && sizeof(GP_KEY) == 8, /* whether by some of their bits, too */
    GPI(bucket_items) = GPI(has_buckets) ? 9 : 1,
    GPI(bucket_n) = GPI_RADIX_BUCKET_THREADS * GPI(bucket_items)
};

/* What is sorted: keys_in, to keys_other, and by a second partition to keys_out. */
typedef struct {
    const GP_KEY *keys_in;
    GP_KEY *keys_out, *keys_other;
    void *values_out, *values_other;
    uint32_t n;
    uint32_t tile_n; /* keys of a tile */
    int level;       /* of a partition: 0 or 1 */
    int levels;
    int bits; /* the number of a bucket has so many */
    int begin_bit, end_bit;
    gpi_radix_plan *plan;
    gpi_radix_buckets *buckets;
} GPI(bucket_job);

/* The same in the precision of the keys, and the largest place, of `bits` bits. */
GPI_CHOOSE_TYPE(GPI(real), GPI_KEY_IS_NARROW, float, double);
typedef struct {
    int linear, bits;
    int above;       /* bits of a key above those that are sorted by, */
    uint64_t sorted; /* which are these */
    GPI(real) factor, offset;
} GPI(bucket_map);

#if GPI_DEVICE_CODE
/* Where a float belongs, by how large it is. */
GPI_DEVICE uint32_t GPI(linear_place)(GPI(bucket_map) bucket_map, GP_KEY key)
{
    const uint32_t last = (1u << bucket_map.bits) - 1;
    const GPI(real) factor = bucket_map.factor, offset = bucket_map.offset;
    const uint32_t place = GPI_KEY_IS_NARROW
                               ? gpi_float_place(GPI(key_float)(key), (float)factor, (float)offset, last)
                               : gpi_double_place(GPI(key_double)(key), (double)factor, (double)offset, last);

    return GPI_KEY_DESCENDING ? last - place : place;
}

/* The topmost `bits` bits, 28 at most, of where a key belongs among all; of a key what is sorted by. */
GPI_DEVICE uint32_t GPI(top_bits)(GPI(bucket_map) bucket_map, GP_KEY key, int bits)
{
    if (GPI(coded) && bucket_map.linear)
        return GPI(linear_place)(bucket_map, key) >> (bucket_map.bits - bits);
    if (GPI(cuts_bits))
        return (uint32_t)(GPI(key_long)(key) >> (64 - bits - bucket_map.above)) & ((1u << bits) - 1);
    return (uint32_t)(GPI(key_number)(key) >> (GPI_KEY_WIDTH - bits));
}

/* The topmost bits of several keys, in two loops: the compiler knows in each which kind of map it is. */
GPI_DEVICE void GPI(all_top_bits)(GPI(bucket_map) bucket_map, const GP_KEY *keys, int n, int bits, uint32_t *top_bits)
{
    if (GPI(coded) && bucket_map.linear) {
        GPI_UNROLL
        for (int i = 0; i < n; i++)
            top_bits[i] = GPI(top_bits)(bucket_map, keys[i], bits);
    } else {
        GPI_UNROLL
        for (int i = 0; i < n; i++)
            top_bits[i] = GPI(top_bits)(bucket_map, keys[i], bits);
    }
}

/* The map of job->bits bits: with these places, or by bits. */
GPI_DEVICE GPI(bucket_map) GPI(measure)(const GPI(bucket_job) *job, const gpi_radix_places *places, int by_bits)
{
    const GPI(bucket_map) bucket_map = {by_bits ? 0 : places->linear, job->bits, GPI_KEY_WIDTH - job->end_bit,
                                        UINT64_MAX >> (64 - (job->end_bit - job->begin_bit)) << job->begin_bit,
                                        (GPI(real))(by_bits ? 0 : places->factor),
                                        (GPI(real))(by_bits ? 0 : places->offset)};

    return bucket_map;
}

/* ---- what the plan asks --------------------------------------------------------------------------- */

/*
 * Pairs are partitioned by passes, which keep their order: by the topmost of the `sorted` bits that are sorted by, and
 * each range by the next ones. adjacent_equal says whether neighbours mostly share these bits; with very few digits
 * they always do.
 */
GPI_DEVICE void GPI(plan_partitions)(gpi_radix_plan *plan, int levels, int bits, int sorted, int adjacent_equal)
{
    const int first = GPI_RADIX_FIRST_BITS(levels, bits);

    for (int j = 0; j < levels; j++) {
        const int own = j ? bits - first : first;

        gpi_radix_plan_step(plan, j, j ? 0 : (sorted - 1) / 8, sorted - (j ? bits : first), own,
                            adjacent_equal || own < 3 ? GPI_RADIX_BY_MATCH : GPI_RADIX_BY_ATOMICS);
    }
    plan->moves = 2;
    plan->in_ranges = levels == 2;
    plan->passes = levels;
}

/*
 * The plan asks whether one partition will do, after which every topmost digit is a bucket. It has so many keys of each
 * topmost digit, which begin at `place`; `strict` says that a -0.0 rules out buckets. All threads call.
 */
GPI_DEVICE void GPI(ask_buckets)(gpi_radix_buckets *buckets, const unsigned long long *counts, const uint64_t *place,
                                 size_t n, int strict)
{
    const unsigned digit = threadIdx.x;
    uint64_t count = digit < 256 ? __ldcg(&counts[digit]) : 0;

    if (__syncthreads_or(count > GPI(bucket_n)) || strict)
        return;
    if (digit < 256)
        buckets->ranges.begin[digit] = buckets->next[digit] = (uint32_t)place[digit];
    if (digit == 0) {
        buckets->ranges.begin[256] = (uint32_t)n;
        buckets->chosen = 1;
    }
}

/* ---- counting ---------------------------------------------------------------------------------- */

/* Places of equal width, from a little below the least number to a little above the largest. */
GPI_DEVICE gpi_radix_places GPI(places_between)(GPI(number) least, GPI(number) largest, int bits)
{
    const double one = GPI(key_double)(GPI(key_of_code)(GPI(key_of_bits)(least)));
    const double other = GPI(key_double)(GPI(key_of_code)(GPI(key_of_bits)(largest)));
    const double low = GPI_KEY_DESCENDING ? other : one, width = GPI_KEY_DESCENDING ? one - other : other - one;
    gpi_radix_places places;

    places.linear = width > 1e-25 && width < 1e25; /* not with a NaN */
    places.factor = (1u << bits) / (width + width / 128);
    places.offset = GPI_RADIX_RAISED - 0.5 - (low - width / 256) * places.factor;
    return places;
}

/* Of all threads that is above the least number, and the largest one; 1024 threads at most, `ends` has 64 words. */
GPI_DEVICE void GPI(block_ends)(GPI(number) *below, GPI(number) *high, GPI(number) *ends)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    *below = (GPI(number))gpi_warp_max_long(*below, GPI_KEY_IS_NARROW);
    *high = (GPI(number))gpi_warp_max_long(*high, GPI_KEY_IS_NARROW);
    if (lane == 0) {
        ends[warp] = *below;
        ends[32 + warp] = *high;
    }
    __syncthreads(); /* the warps' ends are there */
    *below = (GPI(number))gpi_warp_max_long(ends[lane], GPI_KEY_IS_NARROW);
    *high = (GPI(number))gpi_warp_max_long(ends[32 + lane], GPI_KEY_IS_NARROW);
}

/* Places between the ends of a sample. */
GPI_DEVICE gpi_radix_places GPI(equal_width)(const GP_KEY *keys, GPI(number) *ends, int bits)
{
    GPI(number) below = 0, high = 0; /* all that is above the least number, and the largest one */

    GPI_UNROLL
    for (int i = 0; i < GPI_RADIX_SAMPLES; i++) {
        const GPI(number) number = GPI(key_number)(keys[i]);

        below = (GPI(number))~number > below ? (GPI(number))~number : below;
        high = number > high ? number : high;
    }
    GPI(block_ends)(&below, &high, ends);
    return GPI(places_between)((GPI(number))~below, high, bits);
}

/* Whether a sample of the keys is as well spread as it should. The counters are zero, before and after. */
GPI_DEVICE int GPI(is_spread)(GPI(bucket_map) bucket_map, const GP_KEY *keys, uint32_t *counters, int bits)
{
    const uint32_t max_count = 8 + 4 * ((uint32_t)GPI_RADIX_SAMPLES * GPI_RADIX_COUNT_THREADS >> bits);
    int spread = 1;

    GPI_UNROLL
    for (int i = 0; i < GPI_RADIX_SAMPLES; i++)
        spread &= gpi_radix_count_half(counters, GPI(top_bits)(bucket_map, keys[i], bits)) < max_count;
    spread = __syncthreads_and(spread);
    gpi_radix_zero(counters, 1u << bits >> 1);
    __syncthreads(); /* the counters are zero */
    return spread;
}

/*
 * Looks at a sample of the keys, the same one in every block: whether there are buckets that would spread it, and
 * which. Where adjacent keys mostly have equal topmost bits, as in sorted input, keys of 4 bytes alone are sorted
 * faster in passes; so are pairs that need few of them, or that mostly have the key of their neighbour.
 */
GPI_DEVICE int GPI(sample)(const GPI(bucket_job) *job, gpi_radix_places *places, uint32_t *counters,
                           GPI(number) *ends, int *adjacent_equal)
{
    const int top = job->end_bit - 8;
    const uint64_t sorted = GPI(measure)(job, places, 1).sorted, one = GPI(key_order)(job->keys_in[0]) & sorted;
    uint64_t differ = 0;
    int alike = 0, equal = 0, digits = 0;
    GP_KEY keys[GPI_RADIX_SAMPLES];

    GPI_UNROLL
    for (uint32_t i = 0; i < GPI_RADIX_SAMPLES; i++) {
        const size_t at = gpi_radix_sample(i * GPI_RADIX_COUNT_THREADS + threadIdx.x,
                                           (int)GPI_RADIX_SAMPLES * (int)GPI_RADIX_COUNT_THREADS, job->n, 0);

        keys[i] = job->keys_in[at];
        const uint64_t number = GPI(key_order)(keys[i]) & sorted;
        const uint64_t neighbour = GPI(key_order)(job->keys_in[at + 1 < job->n ? at + 1 : at]) & sorted;

        differ |= number ^ one;
        alike += (number ^ neighbour) >> top == 0;
        equal += number == neighbour;
    }
    *adjacent_equal =
        __syncthreads_count(alike > GPI_RADIX_SAMPLES / 2) > GPI_RADIX_COUNT_THREADS / (GPI_RADIX_PAIRS ? 8 : 2);
    if (GPI_KEY_IS_NARROW && !GPI_RADIX_PAIRS && *adjacent_equal)
        return 0;
    for (int p = 0; p < (int)sizeof(GP_KEY) && GPI_RADIX_PAIRS; p++)
        digits += __syncthreads_or((differ >> 8 * p & 255) != 0) != 0;
    if (GPI_RADIX_PAIRS && (digits < GPI_RADIX_WORTH_TWO ||
                            __syncthreads_count(equal > GPI_RADIX_SAMPLES / 2) > GPI_RADIX_COUNT_THREADS / 2))
        return 0;
    if (GPI(coded)) {
        *places = GPI(equal_width)(keys, ends, job->bits);
        if (places->linear && GPI(is_spread)(GPI(measure)(job, places, 0), keys, counters, job->bits))
            return 1;
    }
    places->linear = 0;
    return GPI(is_spread)(GPI(measure)(job, places, 0), keys, counters, job->bits);
}

/* The last block: where each bucket begins. Returns whether no bucket is too large. */
GPI_DEVICE int GPI(add_buckets)(const GPI(bucket_job) *job, uint32_t *sums)
{
    gpi_radix_buckets *buckets = job->buckets;
    enum { EACH = 4, ALL = EACH * GPI_RADIX_COUNT_THREADS }; /* buckets of a thread, and of all, at a time */
    const unsigned tid = threadIdx.x;
    uint32_t before = 0, scan;
    int fits = 1;

    GPI_NO_UNROLL
    for (unsigned first = EACH * tid; first - EACH * tid < 1u << job->bits; first += ALL) {
        const int some = first < 1u << job->bits;
        uint32_t counts[EACH], sum = 0;

        GPI_UNROLL
        for (unsigned i = 0; i < EACH; i++) {
            counts[i] = some ? __ldcg(&buckets->counts[first + i]) : 0;
            fits &= counts[i] <= (uint32_t)GPI(bucket_n);
            sum += counts[i];
        }
        scan = before + gpi_radix_scan(sums, 32, sum, NULL);
        before += gpi_warp_sum(sums[tid % 32]);
        GPI_UNROLL
        for (unsigned i = 0; i < EACH && some; i++) {
            buckets->ranges.begin[first + i] = buckets->counts[first + i] = scan;
            scan += counts[i];
        }
        __syncthreads(); /* the sums have been read */
    }
    if (tid == 0)
        buckets->ranges.begin[1u << job->bits] = job->n;
    fits = __syncthreads_and(fits && before == job->n); /* no counter has overflowed; the buckets' begins are there */
    const int first_bits = GPI_RADIX_FIRST_BITS(2, job->bits), rest = job->bits - first_bits;
    uint32_t begin = job->n, tiles = 0;
    if (tid >> first_bits == 0) {
        begin = buckets->ranges.begin[tid << rest];
        tiles = (buckets->ranges.begin[(tid + 1) << rest] - begin + job->tile_n - 1) / job->tile_n;
    }
    if (tid < 256) {
        buckets->next[tid] = begin;
        job->plan->place[(job->end_bit - job->begin_bit - 1) / 8][0][tid] = begin;
    }
    scan = gpi_radix_scan(sums, 8, tiles, NULL);
    if (tid < 256)
        buckets->ranges.tiles[tid] = scan;
    if (tid == 255)
        buckets->ranges.tiles[256] = scan + tiles;
    return fits;
}
#endif

/* Two partitions: counts the buckets, and decides. Dynamic shared memory: 2 bytes for each bucket. */
static __global__ void __launch_bounds__(GPI_RADIX_COUNT_THREADS, 1) GPI(spread_kernel)(GPI(bucket_job) job)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(uint32_t, counters);
    GP_SHARED(uint32_t[32], sums);
    GP_SHARED(uint32_t, last);
    GP_SHARED(GPI(number)[64], ends);
    gpi_radix_places places = {0, 0, 0};
    int adjacent_equal = 0;
    const size_t stride = (size_t)gridDim.x * GPI_RADIX_COUNT_THREADS;
    const size_t first = (size_t)blockIdx.x * GPI_RADIX_COUNT_THREADS + threadIdx.x;
    const size_t head = gpi_min((uint32_t)((0 - (size_t)(uintptr_t)job.keys_in) % 16 / sizeof(GP_KEY)), job.n);
    const size_t vectors = (job.n - head) / GPI(vector_n), loose = GPI(loose)(job.n, head, vectors);
    int strict = 0;

    if (job.levels * GPI(has_buckets) == 0) /* without buckets the kernel has hardly any code */
        return;
    gpi_radix_zero(counters, 1u << job.bits >> 1);
    gpi_grid_wait();
    gpi_grid_launch_next();
    __syncthreads(); /* the counters are zero */
    if (!GPI(sample)(&job, &places, counters, ends, &adjacent_equal))
        return;
    const GPI(bucket_map) how = GPI(measure)(&job, &places, 0);
    for (size_t i = first; i < vectors; i += 4 * stride) {
        GP_KEY keys[4][GPI(vector_n)];
        uint32_t top_bits[4 * GPI(vector_n)];

        GPI_UNROLL
        for (unsigned v = 0; v < 4; v++)
            if (i + v * stride < vectors)
                GPI(read_vector)((void *)keys[v], job.keys_in + head + (i + v * stride) * GPI(vector_n));
        GPI(all_top_bits)(how, keys[0], 4 * GPI(vector_n), job.bits, top_bits);
        GPI_UNROLL
        for (unsigned v = 0; v < 4; v++)
            if (i + v * stride < vectors) {
                GPI_UNROLL
                for (unsigned k = 0; k < GPI(vector_n); k++) {
                    gpi_radix_count_half(counters, top_bits[v * GPI(vector_n) + k]);
                    strict |= GPI(key_is_minus_zero)(keys[v][k]) || (how.linear && GPI(key_is_nan)(keys[v][k]));
                }
            }
    }
    if (loose < job.n) {
        gpi_radix_count_half(counters, GPI(top_bits)(how, job.keys_in[loose], job.bits));
        strict |= GPI(key_is_minus_zero)(job.keys_in[loose]) || (how.linear && GPI(key_is_nan)(job.keys_in[loose]));
    }
    strict = __syncthreads_or(strict); /* the counters are complete */
    GPI_NO_UNROLL
    for (unsigned i = threadIdx.x; i < 1u << job.bits >> 1; i += GPI_RADIX_COUNT_THREADS) {
        uint32_t two = counters[i];

        if (two & 0xFFFF)
            atomicAdd(&job.buckets->counts[2 * i], two & 0xFFFF);
        if (two >> 16)
            atomicAdd(&job.buckets->counts[2 * i + 1], two >> 16);
    }
    if (strict && !GPI_RADIX_PAIRS && threadIdx.x == 0)
        job.buckets->refused = 1;
    if (!gpi_radix_is_last_block(&job.buckets->done, 1, gridDim.x, &last))
        return;
    int fits = GPI(add_buckets)(&job, sums);
    if (threadIdx.x == 0 && fits && !__ldcg(&job.buckets->refused)) {
        job.buckets->places = places;
        job.buckets->chosen = 1;
        job.plan->passes = 0;
        if (GPI_RADIX_PAIRS)
            GPI(plan_partitions)(job.plan, 2, job.bits, job.end_bit - job.begin_bit, adjacent_equal);
    }
#endif
}
