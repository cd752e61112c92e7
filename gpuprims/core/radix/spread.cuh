/*
 * core/radix/spread.cuh: whether the keys are sorted in buckets, from the highest digit down. It needs keys whose
 * topmost bits are well spread: that is found out on the device, and if they are not, the passes sort.
 *
 *     1. look at a sample of the keys, and count the topmost bits of all; the last block adds up where each
 *        bucket begins (one partition has only the topmost digit, which the plan's counts tell)
 *     2. partition by the topmost digit, and then each of its 256 ranges by the next bits: a tile asks for room in each
 *        of its digits, and moves its keys there
 *     3. one block sorts a bucket: by twelve more bits, and by comparing the few keys that are alike so far; or
 *        in passes, if many are alike and yet different
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

#endif

/* Bits of the first partition. */
#define GPI_RADIX_FIRST_BITS(job) (GPI_RADIX_PAIRS && (job)->levels == 2 ? ((job)->bits + 1) / 2 : 8)

__extension__ enum {
    /* Items that may be sorted in buckets, and how many of them a bucket holds. */
    GPI(has_buckets) = sizeof(GP_KEY) >= 4,
    GPI(cuts_bits) = GPI_RADIX_PAIRS && sizeof(GP_KEY) == 8, /* whether by some of their bits, too */
    GPI(bucket_items) = GPI(has_buckets) ? 9 : 1,
    GPI(bucket_n) = GPI_RADIX_BUCKET_THREADS * GPI(bucket_items)
};

#if GPI_DEVICE_CODE
/* Where a float belongs, by how large it is. */
GPI_DEVICE uint32_t GPI(linear_place)(gpi_radix_map map, GP_KEY key)
{
    const uint32_t last = (1u << map.bits) - 1;
    const uint32_t place = GPI_KEY_IS_NARROW
                               ? gpi_float_place(GPI(key_float)(key), (float)map.factor, (float)map.offset, last)
                               : gpi_double_place(GPI(key_double)(key), map.factor, map.offset, last);

    return GPI_KEY_DESCENDING ? last - place : place;
}

/* The topmost `bits` bits, 28 at most, of where a key belongs among all; of a key what is sorted by. */
GPI_DEVICE uint32_t GPI(top_bits)(gpi_radix_map map, GP_KEY key, int bits)
{
    if (GPI(coded) && map.linear)
        return GPI(linear_place)(map, key) >> (map.bits - bits);
    if (GPI(cuts_bits))
        return (uint32_t)(GPI(key_long)(key) >> (64 - bits - map.above)) & ((1u << bits) - 1);
    return (uint32_t)(GPI(key_number)(key) >> (GPI_KEY_WIDTH - bits));
}

/* The topmost bits of several keys, in two loops: the compiler knows in each which kind of map it is. */
GPI_DEVICE void GPI(all_top_bits)(gpi_radix_map map, const GP_KEY *keys, int n, int bits, uint32_t *top_bits)
{
    if (GPI(coded) && map.linear) {
        GPI_UNROLL
        for (int i = 0; i < n; i++)
            top_bits[i] = GPI(top_bits)(map, keys[i], bits);
    } else {
        GPI_UNROLL
        for (int i = 0; i < n; i++)
            top_bits[i] = GPI(top_bits)(map, keys[i], bits);
    }
}

/* The map of buckets that go by the topmost bits. */
GPI_DEVICE gpi_radix_map GPI(map_by_bits)(const GPI(job) *job)
{
    const gpi_radix_map map = {0, job->bits, GPI_KEY_WIDTH - job->end_bit, job->range << job->begin_bit, 0, 0};

    return map;
}

/* ---- what the plan asks --------------------------------------------------------------------------- */

/*
 * Pairs are partitioned by passes, which keep their order: by the topmost of the bits that are sorted by, and each
 * range by the next ones. adjacent_equal says whether neighbours often share these bits; with few digits they always
 * do.
 */
GPI_DEVICE void GPI(plan_partitions)(const GPI(job) *job, int adjacent_equal)
{
    const int sorted = job->end_bit - job->begin_bit, first = GPI_RADIX_FIRST_BITS(job);

    for (int j = 0; j < job->levels; j++) {
        const int own = j ? job->bits - first : first;
        const int way = adjacent_equal || own < 3 ? GPI_RADIX_BY_MATCH : GPI_RADIX_BY_ATOMICS;
        const gpi_radix_step step = {j ? 0 : (sorted - 1) / 8, sorted - (j ? job->bits : first), own, way};

        job->plan->steps[j] = step;
    }
    job->plan->moves = 2;
    job->plan->passes = job->levels;
}

/* Whether one partition will do: then each topmost digit is a bucket. They have been counted. All threads call. */
GPI_DEVICE void GPI(ask_buckets)(const GPI(job) *job)
{
    const unsigned digit = threadIdx.x, top = (unsigned)job->digits - 1;
    const uint64_t count = digit < 256 ? __ldcg(&job->counts->keys[top][digit]) : 0;
    gpi_radix_buckets *buckets = job->buckets;

    if (__syncthreads_or(count > GPI(bucket_n) || (!GPI_RADIX_PAIRS && __ldcg(&job->counts->minus_zero))))
        return;
    if (digit < 256)
        buckets->ranges.begin[digit] = buckets->next[digit] = (uint32_t)job->plan->place[top][0][digit];
    if (digit == 0) {
        buckets->ranges.begin[256] = (uint32_t)job->n;
        buckets->map = GPI(map_by_bits)(job);
        buckets->chosen = 1;
    }
}

/* ---- counting ---------------------------------------------------------------------------------- */

/* Buckets or bins of equal width, from a little below the least number to a little above the largest. */
GPI_DEVICE gpi_radix_map GPI(map_between)(GPI(number) least, GPI(number) largest, int bits)
{
    const double one = GPI(key_double)(GPI(key_of_code)(GPI(key_of_bits)(least)));
    const double other = GPI(key_double)(GPI(key_of_code)(GPI(key_of_bits)(largest)));
    const double low = GPI_KEY_DESCENDING ? other : one, width = GPI_KEY_DESCENDING ? one - other : other - one;
    const double factor = (1u << bits) / (width + width / 128);
    const double offset = GPI_RADIX_RAISED - 0.5 - (low - width / 256) * factor;
    const gpi_radix_map map = {width > 1e-25 && width < 1e25 /* not with a NaN */, bits, 0, UINT64_MAX,
                               GPI_KEY_IS_NARROW ? (double)(float)factor : factor,
                               GPI_KEY_IS_NARROW ? (double)(float)offset : offset};

    return map;
}

/* Whether a sample of the keys is as well spread as it should. The counters are zero, before and after. */
GPI_DEVICE int GPI(is_spread)(gpi_radix_map map, const GP_KEY *keys, uint32_t *counters)
{
    const uint32_t max_count = 8 + 4 * ((uint32_t)GPI_RADIX_SAMPLES * GPI_RADIX_COUNT_THREADS >> map.bits);
    int spread = 1;

    GPI_UNROLL
    for (int i = 0; i < GPI_RADIX_SAMPLES; i++)
        spread &= gpi_radix_count_half(counters, GPI(top_bits)(map, keys[i], map.bits)) < max_count;
    spread = __syncthreads_and(spread);
    gpi_radix_zero(counters, 1u << map.bits >> 1);
    __syncthreads(); /* the counters are zero */
    return spread;
}

/*
 * Looks at a sample of the keys, the same one in every block: whether there are buckets that would spread it, and
 * which. Where adjacent keys mostly have equal topmost bits, as in sorted input, keys of 4 bytes alone are sorted
 * faster in passes; so are pairs that need few of them, or that mostly have the key of their neighbour.
 */
GPI_DEVICE int GPI(sample)(const GPI(job) *job, gpi_radix_map *map, uint32_t *counters, uint64_t (*words)[32],
                           int *adjacent_equal)
{
    const int top = job->end_bit - 8;
    const GP_KEY *in = job->keys[0];
    const uint32_t n = (uint32_t)job->n, stride = n / GPI_RADIX_COUNT_THREADS / GPI_RADIX_SAMPLES + 1;
    const uint64_t sorted = job->range << job->begin_bit, one = GPI(key_order)(in[0]) & sorted;
    uint64_t differ = 0;
    int alike = 0, equal = 0, digits = 0, spared = 0; /* spared: keys of a bin are compared in fewer bits */
    GP_KEY keys[GPI_RADIX_SAMPLES];

    GPI_UNROLL
    for (uint32_t i = 0; i < GPI_RADIX_SAMPLES; i++) {
        const uint32_t at = gpi_sample_place(i * GPI_RADIX_COUNT_THREADS + threadIdx.x, stride, 0) % n;

        keys[i] = in[at];
        const uint64_t number = GPI(key_order)(keys[i]) & sorted;
        const uint64_t neighbour = GPI(key_order)(in[at + 1 < n ? at + 1 : at]) & sorted;

        differ |= number ^ one;
        alike += (number ^ neighbour) >> top == 0;
        equal += number == neighbour;
    }
    *adjacent_equal =
        __syncthreads_count(alike > GPI_RADIX_SAMPLES / 2) > GPI_RADIX_COUNT_THREADS / (GPI_RADIX_PAIRS ? 8 : 2);
    if (GPI_KEY_IS_NARROW && !GPI_RADIX_PAIRS && *adjacent_equal)
        return 0;
    for (int p = 0; p < (int)sizeof(GP_KEY) && GPI_RADIX_PAIRS; p++) {
        const int differs = __syncthreads_or((differ >> 8 * p & 255) != 0) != 0, end = 8 * (p + 1);

        digits += differs;
        spared |= !differs && end > job->begin_bit && end <= job->end_bit - job->bits - GPI_RADIX_BIN_BITS;
    }
    if (GPI_RADIX_PAIRS && (digits + spared < GPI_RADIX_WORTH_TWO ||
                            __syncthreads_count(equal > GPI_RADIX_SAMPLES / 2) > GPI_RADIX_COUNT_THREADS / 2))
        return 0;
    if (GPI(coded)) {
        GPI(number) below = 0, high = 0; /* all that is above the least number, and the largest one */

        GPI_UNROLL
        for (int i = 0; i < GPI_RADIX_SAMPLES; i++) {
            const GPI(number) number = GPI(key_number)(keys[i]);

            below = (GPI(number))~number > below ? (GPI(number))~number : below;
            high = number > high ? number : high;
        }
        below = (GPI(number))gpi_radix_block_max(words[0], below, GPI_KEY_IS_NARROW);
        high = (GPI(number))gpi_radix_block_max(words[1], high, GPI_KEY_IS_NARROW);
        *map = GPI(map_between)((GPI(number))~below, high, job->bits);
        if (map->linear && GPI(is_spread)(*map, keys, counters))
            return 1;
    }
    *map = GPI(map_by_bits)(job);
    return GPI(is_spread)(*map, keys, counters);
}

/* The last block: where each bucket begins. Returns whether no bucket is too large. */
GPI_DEVICE int GPI(add_buckets)(const GPI(job) *job, uint32_t *sums)
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
        buckets->ranges.begin[1u << job->bits] = (uint32_t)job->n;
    fits = __syncthreads_and(fits && before == job->n); /* no counter has overflowed; the buckets' begins are there */
    const int first_bits = GPI_RADIX_FIRST_BITS(job), rest = job->bits - first_bits;
    uint32_t begin = (uint32_t)job->n, tiles = 0;
    if (tid >> first_bits == 0) {
        begin = buckets->ranges.begin[tid << rest];
        tiles = (buckets->ranges.begin[(tid + 1) << rest] - begin + job->partition_n - 1) / job->partition_n;
    }
    if (tid < 256) {
        buckets->next[tid] = begin;
        job->plan->place[(job->end_bit - job->begin_bit - 1) / 8][0][tid] = begin;
    }
    scan = gpi_radix_scan(sums, 8, tiles, NULL);
    if (tid <= GPI_RADIX_RANGES)
        buckets->ranges.tiles[tid] = scan;
    return fits;
}
#endif

/* Two partitions: counts the buckets, and decides. Dynamic shared memory: 2 bytes for each bucket. */
static __global__ void __launch_bounds__(GPI_RADIX_COUNT_THREADS, 1) GPI(spread_kernel)(GPI(job) job)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(uint32_t, counters);
    GP_SHARED(uint32_t[32], sums);
    GP_SHARED(uint32_t, last);
    GP_SHARED(uint64_t[2][32], words);
    gpi_radix_map how;
    int adjacent_equal = 0;
    const size_t stride = (size_t)gridDim.x * GPI_RADIX_COUNT_THREADS;
    const size_t first = (size_t)blockIdx.x * GPI_RADIX_COUNT_THREADS + threadIdx.x;
    const GP_KEY *in = job.keys[0];
    const GPI(vectors) vectors = GPI(vectors_of)(in, job.n);
    int strict = 0;

    if (job.levels * GPI(has_buckets) == 0) /* without buckets the kernel has hardly any code */
        return;
    gpi_radix_zero(counters, 1u << job.bits >> 1);
    gpi_grid_wait();
    gpi_grid_launch_next();
    __syncthreads(); /* the counters are zero */
    if (!GPI(sample)(&job, &how, counters, words, &adjacent_equal))
        return;
    for (size_t i = first; i < vectors.n; i += 4 * stride) {
        GP_KEY keys[4][GPI(vector_n)];
        uint32_t top_bits[4 * GPI(vector_n)];

        GPI_UNROLL
        for (unsigned v = 0; v < 4; v++)
            if (i + v * stride < vectors.n)
                GPI(read_vector)((void *)keys[v], in + vectors.head + (i + v * stride) * GPI(vector_n));
        GPI(all_top_bits)(how, keys[0], 4 * GPI(vector_n), job.bits, top_bits);
        GPI_UNROLL
        for (unsigned v = 0; v < 4; v++)
            if (i + v * stride < vectors.n) {
                GPI_UNROLL
                for (unsigned k = 0; k < GPI(vector_n); k++) {
                    gpi_radix_count_half(counters, top_bits[v * GPI(vector_n) + k]);
                    strict |= GPI(key_is_minus_zero)(keys[v][k]) || (how.linear && GPI(key_is_nan)(keys[v][k]));
                }
            }
    }
    if (vectors.loose < job.n) {
        const GP_KEY key = in[vectors.loose];

        gpi_radix_count_half(counters, GPI(top_bits)(how, key, job.bits));
        strict |= GPI(key_is_minus_zero)(key) || (how.linear && GPI(key_is_nan)(key));
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
        job.buckets->map = how;
        job.buckets->chosen = 1;
        job.plan->passes = 0;
        if (GPI_RADIX_PAIRS)
            GPI(plan_partitions)(&job, adjacent_equal);
    }
#endif
}
