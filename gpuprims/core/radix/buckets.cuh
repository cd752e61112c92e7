/*
 * core/radix/buckets.cuh: items sorted from the highest digit down: one or two partitions move them to
 * buckets that have room in shared memory, where they are sorted in one go. That moves items two or three times
 * instead of once for each digit. It needs keys whose topmost bits are well spread; whether they are is
 * found out on the device, and if not the passes of core/radix/pass.cuh sort them.
 *
 *     1. look at a sample of the keys, and count the topmost bits of all; the last block adds up where each
 *        bucket begins (one partition has only the topmost digit, which the plan's counts tell)
 *     2. partition by the topmost digit: a tile asks for room in each of 256 ranges, with one addition for each
 *        of them, and moves its keys there
 *     3. partition each of these ranges by the next bits
 *     4. one block sorts a bucket: by twelve more bits, and by comparing the few keys that are alike so far; or
 *        in passes by ballots, if many are alike and yet different
 *
 * Floats that are spread over a range share most of their topmost bits: half of those between 0 and 1 are
 * above 0.5. So their buckets are of equal width, from the least to the largest key of a sample, whenever that
 * spreads them well; what is beyond joins the first or the last one. A multiplication and addition of which only the
 * sum is rounded is monotone. In a bucket the bins are of equal width, too.
 *
 * None of this keeps the order of keys, and none of it does harm: whole keys are compared in the end, so that
 * keys in the wrong order could only be alike in all their bits. Where that is not so, with -0.0 and +0.0 or
 * in a sort by some of the bits, the passes sort.
 *
 * Pairs must keep their order. They are partitioned by passes, the second of which sorts each range by itself:
 * it looks back no further than to where the range begins. In its bucket an item knows its position, and
 * of items with equal keys the positions are compared.
 *
 * Part of radix_sort.cuh; not to be included directly.
 */
#define GPI_RADIX_RAISED (GPI_KEY_IS_NARROW ? 8388608.0 : 4503599627370496.0)
#define GPI_RADIX_HAS_WIDTHS (GPI(key_is_float) && !GPI_RADIX_PAIRS)

#ifndef GPI_RADIX_BUCKETS_CUH
#define GPI_RADIX_BUCKETS_CUH

enum {
    GPI_RADIX_BUCKET_CROWD = 32, /* keys of a bin; more are not compared */
    GPI_RADIX_PARTITION_THREADS = 256,
    GPI_RADIX_RANGES = 256, /* that a partition makes, at most */
    GPI_RADIX_SAMPLES = 4 /* of each thread that counts; every block takes the same ones */
};

/* Two counters to a word. If one overflows, the sum of all tells. */
GPI_DEVICE void gpi_radix_count_bucket(uint32_t *counters, uint32_t bucket)
{
    atomicAdd(&counters[bucket / 2], bucket % 2 * 0xFFFFu + 1);
}

#endif

__extension__ enum {
    GPI(partitions) = GPI(has_buckets) && !GPI_RADIX_PAIRS, /* whether a kernel of its own partitions */
    GPI(partition_items) = GPI(partitions) ? 40 : 1,
    GPI(partition_step) = GPI(partitions) ? 20 : 1, /* of which so many at a time go to their slots; */
    GPI(partition_group) = GPI(partitions) ? 5 : 1,  /* of so many the digits are found at once */
    /* and so many go from there to memory at a time */
    GPI(partition_batch) = !GPI(partitions)                       ? 1
                           : GPI_KEY_IS_NARROW || GPI_RADIX_HAS_WIDTHS ? 8
                                                                       : 20
};

/* A value of a bucket, or the number of the item in place of a large one. */
typedef struct {
    unsigned char bytes[GPI(indexed) ? sizeof(uint32_t) : sizeof(GPI_RADIX_VALUE)];
} __attribute__((may_alias,
                 aligned(GPI(indexed) ? sizeof(uint32_t) : __alignof__(GPI_RADIX_VALUE)))) GPI(bucket_value);

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
    gpi_radix_counts *counts;
    gpi_radix_plan *plan;
    gpi_radix_buckets *buckets;
} GPI(bucket_job);

/* The same in the precision of the keys, floats or doubles; and the largest place, of `bits` bits. */
typedef struct {
    int linear, bits;
    float factor, offset;
    double long_factor, long_offset;
} GPI(bucket_map);

#if GPI_DEVICE_CODE
/* The topmost `bits` bits, 28 at most, of where a key belongs among all. */
GPI_DEVICE uint32_t GPI(top_bits)(GPI(bucket_map) bucket_map, GP_KEY key, int bits)
{
    if (GPI_RADIX_HAS_WIDTHS && bucket_map.linear) {
        const uint32_t last = (1u << bucket_map.bits) - 1;
        uint32_t place = GPI_KEY_IS_NARROW
                             ? gpi_float_place(GPI(key_float)(key), bucket_map.factor, bucket_map.offset, last)
                             : gpi_double_place(GPI(key_double)(key), bucket_map.long_factor, bucket_map.long_offset,
                                                last);

        return (GPI_KEY_DESCENDING ? last - place : place) >> (bucket_map.bits - bits);
    }
    return GPI_KEY_IS_NARROW ? GPI(key_word)(key) >> (32 - bits) : (uint32_t)(GPI(key_long)(key) >> (64 - bits));
}

/* The same for several keys, in two loops: the compiler knows in each which kind of map it is, and branches once. */
GPI_DEVICE void GPI(all_top_bits)(GPI(bucket_map) bucket_map, const GP_KEY *keys, int n, int bits, uint32_t *top_bits)
{
    if (GPI_RADIX_HAS_WIDTHS && bucket_map.linear) {
        GPI_UNROLL
        for (int i = 0; i < n; i++)
            top_bits[i] = GPI(top_bits)(bucket_map, keys[i], bits);
    } else {
        GPI_UNROLL
        for (int i = 0; i < n; i++)
            top_bits[i] = GPI(top_bits)(bucket_map, keys[i], bits);
    }
}

/* Places of `bits` bits. */
GPI_DEVICE GPI(bucket_map) GPI(measure)(gpi_radix_places places, int bits)
{
    GPI(bucket_map) bucket_map;

    bucket_map.linear = places.linear;
    bucket_map.bits = bits;
    bucket_map.factor = (float)places.factor;
    bucket_map.offset = (float)places.offset;
    bucket_map.long_factor = places.factor;
    bucket_map.long_offset = places.offset;
    return bucket_map;
}

/* How a kernel behind the decision tells buckets. */
GPI_DEVICE GPI(bucket_map) GPI(places)(const GPI(bucket_job) *job)
{
    gpi_radix_places places = {0, 0, 0};

    if (GPI_RADIX_HAS_WIDTHS && job->levels == 2)
        places = job->buckets->places;
    return GPI(measure)(places, job->bits);
}

/* ---- counting ---------------------------------------------------------------------------------- */

/* Buckets of equal width, from a little below the least of the sample to a little above the largest. */
GPI_DEVICE gpi_radix_places GPI(equal_width)(const GP_KEY *keys, double *ends, int bits)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    double low = GPI(key_double)(keys[0]), high = low;
    gpi_radix_places places;

    GPI_UNROLL
    for (int i = 1; i < GPI_RADIX_SAMPLES; i++) {
        low = GPI(key_double)(keys[i]) < low ? GPI(key_double)(keys[i]) : low;
        high = GPI(key_double)(keys[i]) > high ? GPI(key_double)(keys[i]) : high;
    }
    for (int of_warps = 0;; of_warps++) {
        for (unsigned stride = 1; stride < 32; stride *= 2) {
            double other_low = __shfl_xor_sync(GPI_FULL_MASK, low, stride);
            double other_high = __shfl_xor_sync(GPI_FULL_MASK, high, stride);

            low = other_low < low ? other_low : low;
            high = other_high > high ? other_high : high;
        }
        if (of_warps)
            break;
        if (lane == 0) { /* with a NaN the lanes differ: thread 0 speaks for all in the end */
            ends[warp] = low;
            ends[32 + warp] = high;
        }
        __syncthreads(); /* the warps' ends are there */
        low = ends[lane];
        high = ends[32 + lane];
    }
    const double width = high - low;

    places.linear = width > 1e-25 && width < 1e25;
    places.factor = (1u << bits) / (width + width / 128);
    places.offset = GPI_RADIX_RAISED - 0.5 - (low - width / 256) * places.factor;
    return places;
}

/*
 * Whether a sample of the keys is as well spread as it should. The counters are zero, before and after.
 */
GPI_DEVICE int GPI(is_spread)(GPI(bucket_map) bucket_map, const GP_KEY *keys, uint32_t *counters, int bits)
{
    const uint32_t max_count = 8 + 4 * ((uint32_t)GPI_RADIX_SAMPLES * GPI_RADIX_COUNT_THREADS >> bits);
    int spread = 1;

    GPI_UNROLL
    for (int i = 0; i < GPI_RADIX_SAMPLES; i++)
        gpi_radix_count_bucket(counters, GPI(top_bits)(bucket_map, keys[i], bits));
    __syncthreads(); /* the sample has been counted */
    GPI_UNROLL
    for (int i = 0; i < GPI_RADIX_SAMPLES; i++) {
        uint32_t bucket = GPI(top_bits)(bucket_map, keys[i], bits);

        spread &= (counters[bucket / 2] >> bucket % 2 * 16 & 0xFFFF) <= max_count;
    }
    spread = __syncthreads_and(spread);
    GPI_UNROLL
    for (int i = 0; i < GPI_RADIX_SAMPLES; i++)
        counters[GPI(top_bits)(bucket_map, keys[i], bits) / 2] = 0;
    __syncthreads(); /* the counters are zero */
    return spread;
}

/*
 * Looks at a sample of the keys, the same one in every block: whether there are buckets that would spread it, and
 * which. Where adjacent keys mostly have equal topmost bits, as in sorted input, keys of 4 bytes alone are sorted
 * faster in passes; so are pairs that need few of them.
 */
GPI_DEVICE int GPI(sample)(const GPI(bucket_job) *job, gpi_radix_places *places, uint32_t *counters,
                           double *ends, int *adjacent_equal)
{
    const uint32_t stride = job->n / ((uint32_t)GPI_RADIX_SAMPLES * GPI_RADIX_COUNT_THREADS); /* 65536 at most */
    const int top = GPI_KEY_WIDTH - 8;
    const uint64_t one = GPI(key_order)(job->keys_in[0]);
    uint64_t differ = 0;
    int spread = 0, alike = 0, digits = 0;
    GP_KEY keys[GPI_RADIX_SAMPLES];

    GPI_UNROLL
    for (uint32_t i = 0; i < GPI_RADIX_SAMPLES; i++) {
        /* Somewhere in each stretch: what comes in regular intervals is no sample. */
        const uint32_t number = i * GPI_RADIX_COUNT_THREADS + threadIdx.x;
        const size_t at = number * (size_t)stride + ((number * 0x9E3779B1u >> 16) * stride >> 16);

        keys[i] = job->keys_in[at];
        differ |= GPI(key_order)(keys[i]) ^ one;
        alike += (GPI(key_order)(keys[i]) ^ GPI(key_order)(job->keys_in[at + 1 < job->n ? at + 1 : at])) >> top == 0;
    }
    *adjacent_equal =
        __syncthreads_count(alike > GPI_RADIX_SAMPLES / 2) > GPI_RADIX_COUNT_THREADS / (GPI_RADIX_PAIRS ? 8 : 2);
    if (GPI_KEY_IS_NARROW && !GPI_RADIX_PAIRS && *adjacent_equal)
        return 0;
    for (int p = 0; p < (int)sizeof(GP_KEY) && GPI_RADIX_PAIRS; p++)
        digits += __syncthreads_or((differ >> 8 * p & 255) != 0) != 0;
    if (GPI_RADIX_PAIRS && digits < GPI_RADIX_WORTH_TWO)
        return 0;
    if (GPI_RADIX_HAS_WIDTHS) {
        gpi_radix_places linear = GPI(equal_width)(keys, ends, job->bits);

        if (threadIdx.x == 0)
            *places = linear;
        __syncthreads(); /* everybody takes the same places */
        if (places->linear)
            spread = GPI(is_spread)(GPI(measure)(*places, job->bits), keys, counters, job->bits);
    }
    if (spread)
        return 1;
    __syncthreads(); /* everybody has seen the places */
    if (threadIdx.x == 0)
        places->linear = 0;
    __syncthreads(); /* the places are by bits now */
    return GPI(is_spread)(GPI(measure)(*places, job->bits), keys, counters, job->bits);
}

/* The last block: where each bucket begins. Tells whether no bucket is too large. */
GPI_DEVICE int GPI(add_buckets)(const GPI(bucket_job) *job, uint32_t *sums)
{
    gpi_radix_buckets *buckets = job->buckets;
    enum { EACH = 4 }; /* buckets of a thread at a time */
    const unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    uint32_t before = 0, scan;
    int fits = 1;

    GPI_NO_UNROLL
    for (unsigned first = EACH * tid; first - EACH * tid < 1u << job->bits;
         first += (unsigned)EACH * GPI_RADIX_COUNT_THREADS) {
        const int some = first < 1u << job->bits;
        uint32_t counts[EACH], sum = 0;

        GPI_UNROLL
        for (unsigned i = 0; i < EACH; i++) {
            counts[i] = some ? __ldcg(&buckets->counts[first + i]) : 0;
            fits &= counts[i] <= (uint32_t)GPI(bucket_n);
            sum += counts[i];
        }
        scan = gpi_warp_prefix(sum, lane);
        if (lane == 31)
            sums[warp] = scan;
        __syncthreads(); /* the warps' sums are complete */
        scan += before - sum + gpi_warp_sum(lane < warp ? sums[lane] : 0);
        before += gpi_warp_sum(sums[lane]);
        GPI_UNROLL
        for (unsigned i = 0; i < EACH && some; i++) {
            buckets->begin[first + i] = buckets->counts[first + i] = scan;
            scan += counts[i];
        }
        __syncthreads(); /* the sums have been read */
    }
    if (tid == 0)
        buckets->begin[1u << job->bits] = job->n;
    fits = __syncthreads_and(fits && before == job->n); /* no counter has overflowed; the buckets' begins are there */
    const int first_bits = GPI_RADIX_FIRST_BITS(2, job->bits), rest = job->bits - first_bits;
    uint32_t begin = job->n, tiles = 0;
    if (tid >> first_bits == 0) {
        begin = buckets->begin[tid << rest];
        tiles = (buckets->begin[(tid + 1) << rest] - begin + job->tile_n - 1) / job->tile_n;
    }
    if (tid < 256) {
        buckets->ranges[tid] = begin;
        job->plan->place[GPI_KEY_WIDTH / 8 - 1][0][tid] = begin;
    }
    scan = gpi_radix_scan(sums, 8, tiles, NULL);
    if (tid < 256)
        buckets->tiles[tid] = scan;
    if (tid == 255)
        buckets->tiles[256] = scan + tiles;
    return fits;
}
#endif

/* Two partitions: counts the buckets, and decides. Dynamic shared memory: 2 bytes for each bucket. */
static __global__ void __launch_bounds__(GPI_RADIX_COUNT_THREADS, 1)
    GPI(spread_kernel)(GPI(bucket_job) job)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(uint32_t, counters);
    GP_SHARED(uint32_t[32], sums);
    GP_SHARED(uint32_t, last);
    GP_SHARED(gpi_radix_places, places);
    GP_SHARED(double[64], ends);
    int adjacent_equal = 0;
    const size_t stride = (size_t)gridDim.x * GPI_RADIX_COUNT_THREADS;
    const size_t first = (size_t)blockIdx.x * GPI_RADIX_COUNT_THREADS + threadIdx.x;
    const size_t head =
        gpi_min((uint32_t)((0 - (size_t)(uintptr_t)job.keys_in) % 16 / sizeof(GP_KEY)), job.n);
    const size_t vectors = (job.n - head) / GPI(vector_n);
    int strict = 0;

    if (job.levels * GPI(has_buckets) ==
        0) /* without buckets the kernel has hardly any code */
        return;
    gpi_radix_zero(counters, 1u << job.bits >> 1);
    gpi_grid_wait();
    gpi_grid_launch_next();
    __syncthreads(); /* the counters are zero */
    if (!GPI(sample)(&job, &places, counters, ends, &adjacent_equal))
        return;
    const GPI(bucket_map) how = GPI(measure)(places, job.bits);
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
                    gpi_radix_count_bucket(counters, top_bits[v * GPI(vector_n) + k]);
                    strict |= GPI(key_is_minus_zero)(keys[v][k]) || (how.linear && GPI(key_is_nan)(keys[v][k]));
                }
            }
    }
    if (blockIdx.x == 0 && threadIdx.x < 2 * GPI(vector_n)) { /* what no whole vector covers */
        const int behind = threadIdx.x >= GPI(vector_n);
        const size_t i = threadIdx.x + (behind ? head + (vectors - 1) * GPI(vector_n) : 0);

        if (i < (behind ? job.n : head)) {
            gpi_radix_count_bucket(counters, GPI(top_bits)(how, job.keys_in[i], job.bits));
            strict |= GPI(key_is_minus_zero)(job.keys_in[i]) || (how.linear && GPI(key_is_nan)(job.keys_in[i]));
        }
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
        atomicOr(&job.counts->no_buckets, 1u);
    __threadfence(); /* what the block has added comes before it is done */
    __syncthreads(); /* all its threads have added */
    if (threadIdx.x == 0)
        last = atomicAdd(&job.counts->spread, 1u) == gridDim.x - 1;
    __syncthreads(); /* everybody knows whether the block is the last one */
    if (!last)
        return;
    __threadfence(); /* the other blocks were done before their counts are read */
    int fits = GPI(add_buckets)(&job, sums);
    if (threadIdx.x == 0 && fits && !__ldcg(&job.counts->no_buckets)) {
        job.buckets->places = places;
        job.counts->buckets = 1;
        job.plan->passes = 0;
        if (GPI_RADIX_PAIRS)
            GPI(plan_partitions)(job.plan, 2, job.bits, adjacent_equal);
    }
#endif
}

/* ---- the partition ----------------------------------------------------------------------------- */

/* What a tile has in shared memory, besides its keys. */
typedef struct {
    uint32_t counts[GPI_RADIX_RANGES + 32]; /* the last ones are for keys that there are not: one for each lane */
    uint32_t place[GPI_RADIX_RANGES];
    uint32_t sums[8], range;
} GPI(bucket_tile);

#if GPI_DEVICE_CODE
/* Moves a tile of `count` keys, each to where its digit goes on. */
GPI_DEVICE void GPI(partition)(GPI(bucket_tile) *tile, GP_KEY *slots, const GP_KEY *from, GP_KEY *to,
                               uint32_t count, uint32_t *ranges, GPI(bucket_map) bucket_map, int top, uint32_t mask)
{
    const unsigned tid = threadIdx.x, none = GPI_RADIX_RANGES + tid % 32;
    const int limit = (int)(count - tid); /* keys of the tile from the thread's first one on */
    GP_KEY keys[GPI(partition_items)];
    uint32_t top_bits[GPI(partition_group)];

    from += tid;

    GPI_UNROLL
    for (int i = 0; i < GPI(partition_items); i++)
        if (i * GPI_RADIX_PARTITION_THREADS < limit)
            keys[i] = from[i * GPI_RADIX_PARTITION_THREADS];
    GPI_UNROLL
    for (int i = 0; i < GPI(partition_items); i++) {
        if (i % GPI(partition_group) == 0)
            GPI(all_top_bits)(bucket_map, keys + i, GPI(partition_group), top, top_bits);
        const uint32_t digit = top_bits[i % GPI(partition_group)] & mask;
        atomicAdd(&tile->counts[i * GPI_RADIX_PARTITION_THREADS < limit ? digit : none], 1u);
    }
    __syncthreads(); /* the digits have been counted */
    uint32_t here = tile->counts[tid], place = 0;
    if (here)
        place = atomicAdd(&ranges[tid], here);
    uint32_t start = gpi_radix_scan(tile->sums, 8, here, NULL);
    tile->counts[tid] = start;
    tile->place[tid] = place - start;
    __syncthreads(); /* the first slots are there */
    GPI_NO_UNROLL
    for (int first = 0; first < GPI(partition_items); first += GPI(partition_step)) {
        GPI_UNROLL
        for (int i = 0; i < GPI(partition_step); i++) {
            if (i % GPI(partition_group) == 0)
                GPI(all_top_bits)(bucket_map, keys + i, GPI(partition_group), top, top_bits);
            const uint32_t digit = top_bits[i % GPI(partition_group)] & mask;
            const int some = (first + i) * GPI_RADIX_PARTITION_THREADS < limit;
            const uint32_t slot = atomicAdd(&tile->counts[some ? digit : none], 1u);
            if (some)
                slots[slot] = keys[i];
        }
        GPI_UNROLL
        for (int i = GPI(partition_step); i < GPI(partition_items); i++)
            keys[i - GPI(partition_step)] = keys[i];
    }
    __syncthreads(); /* the keys are in order of the digit */
    tile->counts[tid] = 0;
    GPI_NO_UNROLL
    for (uint32_t first = tid; first < count; first += (uint32_t)GPI(partition_batch) * GPI_RADIX_PARTITION_THREADS) {
        uint32_t places[GPI(partition_batch)];

        GPI_UNROLL
        for (uint32_t i = 0; i < GPI(partition_batch); i++)
            keys[i] = slots[gpi_min(first + i * GPI_RADIX_PARTITION_THREADS, count - 1)];
        GPI(all_top_bits)(bucket_map, keys, GPI(partition_batch), top, places);
        GPI_UNROLL
        for (int i = 0; i < GPI(partition_batch); i++)
            places[i] = tile->place[places[i] & mask];
        GPI_UNROLL
        for (uint32_t i = 0; i < GPI(partition_batch); i++)
            if (first + i * GPI_RADIX_PARTITION_THREADS < count)
                to[places[i] + first + i * GPI_RADIX_PARTITION_THREADS] = keys[i];
    }
}
#endif

static __global__ void __launch_bounds__(GPI_RADIX_PARTITION_THREADS, 2)
    GPI(partition_kernel)(GPI(bucket_job) job)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(GP_KEY, slots);
    GP_SHARED(GPI(bucket_tile), tile);
    const unsigned tid = threadIdx.x;
    const int bits = job.level ? job.bits - 8 : 8;
    gpi_radix_buckets *buckets = job.buckets;

    gpi_grid_wait();
    gpi_grid_launch_next();
    if (job.counts->buckets * GPI(partitions) == 0)
        return;
    const GPI(bucket_map) bucket_map = GPI(places)(&job);
    const uint32_t tiles = job.level ? buckets->tiles[256] : (job.n + job.tile_n - 1) / job.tile_n;
    tile.counts[tid] = 0;
    for (uint32_t taken = blockIdx.x; taken < tiles; taken += gridDim.x) {
        uint32_t first = taken * job.tile_n, end = job.n, *ranges = buckets->ranges;

        if (job.level && buckets->tiles[tid] <= taken && taken < buckets->tiles[tid + 1])
            tile.range = tid;
        __syncthreads(); /* the counts are zero, the range is known, the last tile has left */
        if (job.level) {
            const uint32_t range = tile.range;

            first = buckets->begin[range << bits] + (taken - buckets->tiles[range]) * job.tile_n;
            end = buckets->begin[(range + 1) << bits];
            ranges = buckets->counts + (range << bits);
        }
        GPI(partition)(&tile, slots, (job.level ? job.keys_other : job.keys_in) + first,
                       job.level ? job.keys_out : job.keys_other,
                       gpi_min(end - first, job.tile_n), ranges, bucket_map, job.level ? job.bits : 8,
                       (1u << bits) - 1);
    }
#endif
}

/* ---- buckets ----------------------------------------------------------------------------------- */

/* Places of GPI_RADIX_BIN_BITS bits in a bucket. */
GPI_DEVICE GPI(bucket_map) GPI(measure_bins)(GPI(bucket_map) bucket_map, uint32_t bucket)
{
    const double place = GPI_KEY_DESCENDING ? (1u << bucket_map.bits) - 1 - bucket : bucket;

    if (GPI_RADIX_HAS_WIDTHS && bucket_map.linear) {
        bucket_map.bits = GPI_RADIX_BIN_BITS;
        const double bins = GPI_RADIX_BINS,
                     offset = GPI_KEY_IS_NARROW ? (double)bucket_map.offset : bucket_map.long_offset;

        bucket_map.long_offset = (offset - GPI_RADIX_RAISED - place + 0.5) * bins - 0.5 + GPI_RADIX_RAISED;
        bucket_map.long_factor *= bins;
        bucket_map.offset = (float)bucket_map.long_offset;
        bucket_map.factor *= (float)bins;
    }
    return bucket_map;
}

/* What a block has in shared memory. */
typedef struct {
    uint32_t
        bins[GPI_RADIX_BINS]; /* how many keys; then where they begin, and at last where they end */
    GP_KEY keys[GPI(bucket_n)];
    uint32_t sums[GPI_RADIX_BUCKET_THREADS / 32];
    uint32_t order[GPI(bucket_n)]; /* of pairs what GPI(order) says; of floats alone the bins */
    /* In that order, and as far from a multiple of 16 bytes as in memory. */
    char values[GPI_RADIX_PAIRS ? GPI(bucket_n) * sizeof(GPI(bucket_value)) + 16 : 16]
        __attribute__((aligned(16)));
} GPI(bucket);

/*
 * What items of one bin are compared by: where in the bucket they came, and of 4-byte keys the lowest bits above that,
 * which are all that the keys of a bin differ in.
 */
GPI_DEVICE uint32_t GPI(order)(GP_KEY key, uint32_t position)
{
    return GPI_KEY_IS_NARROW ? GPI(key_word)(key) << 16 | position : position;
}

/* Floats alone are codes in their bins, which are compared more often than they are made: there is no -0.0. */
GPI_DEVICE uint64_t GPI(packed)(GP_KEY key)
{
    if (!GPI_RADIX_HAS_WIDTHS)
        return GPI(key_order)(key);
    return GPI_KEY_IS_NARROW ? GPI(key_code_word)(key, 0) : GPI(key_code_long)(key, 0);
}

/* Blocks of a multiprocessor; those of large items find no room for more. */
enum { GPI(bucket_blocks) = sizeof(GPI(bucket)) <= 72 * 1024 ? GPI_BLOCKS_OF_512 : 2 };

#if GPI_DEVICE_CODE
/* The bins of floats take long to tell, and are kept: two to a word. */
GPI_DEVICE void GPI(keep_bins)(GPI(bucket_map) bucket_map, const GP_KEY *keys, int top, uint32_t *bins)
{
    uint32_t top_bits[GPI(bucket_items)];

    if (!GPI_RADIX_HAS_WIDTHS)
        return;
    GPI(all_top_bits)(bucket_map, keys, GPI(bucket_items), top, top_bits);
    GPI_UNROLL
    for (int i = 0; i < GPI(bucket_items); i++)
        bins[i / 2] = (top_bits[i] % GPI_RADIX_BINS) << i % 2 * 16 | (i % 2 ? bins[i / 2] : 0);
}

/* The bin of key i. */
GPI_DEVICE uint32_t GPI(bin)(GPI(bucket_map) bucket_map, const GP_KEY *keys, int top, const uint32_t *bins, uint32_t i)
{
    return GPI_RADIX_HAS_WIDTHS ? bins[i / 2] >> i % 2 * 16 & 0xFFFF
                                : GPI(top_bits)(bucket_map, keys[i], top) % GPI_RADIX_BINS;
}

/*
 * Sorts a bucket of which some bins are crowded, and writes it: by one digit of the lowest `bits` bits after the
 * other, ranked by ballots as in core/radix/pass.cuh. A row of counts for each warp is in the room of the bins.
 */
GPI_DEVICE_CALL void GPI(bucket_passes)(GPI(bucket) *bucket, const GP_KEY *from, GP_KEY *to,
                                        const GPI(bucket_value) *values,
                                        GPI(bucket_value) *values_to, uint32_t count, int bits)
{
    const unsigned tid = threadIdx.x, lane = tid % 32, below = (1u << lane) - 1;
    const uint32_t at = tid / 32 * 32 * GPI(bucket_items) + lane;
    uint32_t *counts = bucket->bins + tid / 32 * 256;
    GP_KEY keys[GPI(bucket_items)];
    uint32_t moves[GPI(bucket_items)]; /* an item's position, and below it the slot */
    uint32_t ones = 0xFFFFFFFFu;

    GPI_OPAQUE(ones);
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI(bucket_items); i++) {
        keys[i] = at + 32 * i < count ? from[at + 32 * i] : GPI(key_last)();
        moves[i] = (at + 32 * i) << 16;
    }
    GPI_NO_UNROLL
    for (int shift = 0; shift < bits; shift += 8) {
        uint32_t sum = 0;

        GPI_UNROLL
        for (unsigned d = 0; d < 256; d += 32)
            counts[d + lane] = 0;
        /* Of the whole block: else the compiler takes it that lanes may be apart, and writes every ballot twice. */
        __syncthreads(); /* the counts are zero */
        GPI_UNROLL
        for (int i = 0; i < GPI(bucket_items); i++) {
            const uint32_t digit = GPI(key_digit)(keys[i], shift, 255);
            const unsigned same = gpi_match_digit(digit, ones);

            moves[i] = (moves[i] & 0xFFFF0000u) | gpi_radix_rank(&counts[digit], 0, same, below);
        }
        __syncthreads(); /* the counts are complete */
        GPI_NO_UNROLL
        for (unsigned d = tid; d < GPI_RADIX_BINS && tid < 256; d += 256) {
            const uint32_t of_warp = bucket->bins[d];

            bucket->bins[d] = sum;
            sum += of_warp;
        }
        const uint32_t start = gpi_radix_scan(bucket->sums, 8, sum, NULL);
        GPI_NO_UNROLL
        for (unsigned d = tid; d < GPI_RADIX_BINS && tid < 256; d += 256)
            bucket->bins[d] += start;
        /* What fills up the bucket has the last digit. */
        if (__syncthreads_or(tid < 256 && sum == (tid == 255 ? (uint32_t)GPI(bucket_n) : count)))
            continue; /* all keys have the digit */
        GPI_UNROLL
        for (int i = 0; i < GPI(bucket_items); i++) {
            const uint32_t slot = (moves[i] & 0xFFFF) + counts[GPI(key_digit)(keys[i], shift, 255)];

            bucket->keys[slot] = keys[i];
            if (GPI_RADIX_PAIRS)
                bucket->order[slot] = moves[i] & 0xFFFF0000u;
        }
        __syncthreads(); /* the items are in order of the digit */
        GPI_UNROLL
        for (uint32_t i = 0; i < GPI(bucket_items); i++) {
            keys[i] = bucket->keys[at + 32 * i];
            if (GPI_RADIX_PAIRS)
                moves[i] = bucket->order[at + 32 * i];
        }
    }
    __syncthreads(); /* the keys have been read, from where they are written */
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI(bucket_items); i++)
        if (at + 32 * i < count) {
            to[at + 32 * i] = keys[i];
            if (GPI_RADIX_PAIRS)
                values_to[at + 32 * i] = values[moves[i] >> 16];
        }
}

/* The bin of the key in a slot. That of a float takes long to tell. */
GPI_DEVICE uint32_t GPI(bin_of)(const GPI(bucket) *bucket, uint32_t slot, GPI(bucket_map) bucket_map, int top)
{
    return GPI_RADIX_HAS_WIDTHS ? bucket->order[slot]
                                : GPI(top_bits)(bucket_map, bucket->keys[slot], top) % GPI_RADIX_BINS;
}

/* Whether a bin has many keys and they are not all the same. */
GPI_DEVICE int GPI(bucket_is_mixed)(const GPI(bucket) *bucket, uint32_t count, GPI(bucket_map) bucket_map,
                                    int top)
{
    int mixed = 0;

    GPI_NO_UNROLL
    for (uint32_t x = threadIdx.x; x < count; x += GPI_RADIX_BUCKET_THREADS) {
        const uint32_t bin = GPI(bin_of)(bucket, x, bucket_map, top);
        const uint32_t begin = bin ? bucket->bins[bin - 1] : 0;

        mixed |= bucket->bins[bin] - begin > GPI_RADIX_BUCKET_CROWD &&
                 GPI(packed)(bucket->keys[x]) != GPI(packed)(bucket->keys[begin]);
    }
    return __syncthreads_or(mixed);
}

/* Each key counts those of its bin that it comes before, and goes to its place with its value. */
GPI_DEVICE void GPI(bucket_write)(const GPI(bucket) *bucket, GP_KEY *to, const GPI(bucket_value) *values,
                                  GPI(bucket_value) *values_to, uint32_t count, GPI(bucket_map) bucket_map,
                                  int top)
{
    for (uint32_t x = threadIdx.x; x / 32 * 32 < count; x += GPI_RADIX_BUCKET_THREADS) {
        uint32_t slot = x;
        const GP_KEY key = bucket->keys[x < count ? x : 0];
        const uint64_t number = GPI(packed)(key);
        const uint32_t order = GPI_RADIX_PAIRS && x < count ? bucket->order[x] : x;

        if (x < count) {
            const uint32_t bin = GPI(bin_of)(bucket, x, bucket_map, top);
            const uint32_t begin = bin ? bucket->bins[bin - 1] : 0, end = bucket->bins[bin];

            if (end - begin > 1 && end - begin <= GPI_RADIX_BUCKET_CROWD) {
                slot = end - 1; /* less those that it comes before */
                GPI_NO_UNROLL
                for (uint32_t y = begin; y < end; y++) {
                    const uint64_t other = GPI(packed)(bucket->keys[y]);
                    const uint32_t other_order = GPI_RADIX_PAIRS ? bucket->order[y] : y;

                    if (GPI_KEY_IS_NARROW && GPI_RADIX_PAIRS)
                        slot -= order < other_order;
                    else
                        slot = gpi_less_if_before(slot, number, order, other, other_order, GPI_KEY_IS_NARROW);
                }
            }
        }
        __syncwarp(); /* the lanes come out of the loop one by one, and should write together */
        if (x < count) {
            to[slot] = GPI_RADIX_HAS_WIDTHS ? GPI(key_of_code)(key) : key;
            if (GPI_RADIX_PAIRS)
                values_to[slot] = values[GPI_KEY_IS_NARROW ? order & 0xFFFF : order];
        }
    }
}
#endif

/* Sorts the buckets; each block takes one after the other. */
static __global__ void __launch_bounds__(GPI_RADIX_BUCKET_THREADS, GPI(bucket_blocks))
    GPI(bucket_kernel)(GPI(bucket_job) job)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, memory);
    GPI(bucket) *bucket = (GPI(bucket) *)memory;
    enum { EACH = (int)GPI_RADIX_BINS / GPI_RADIX_BUCKET_THREADS }; /* bins of a thread */
    const unsigned tid = threadIdx.x;

    gpi_grid_wait();
    gpi_grid_launch_next();
    if (job.counts->buckets * GPI(has_buckets) == 0)
        return;
    const GPI(bucket_map) all = GPI(places)(&job);
    const int top = all.linear ? GPI_RADIX_BIN_BITS : job.bits + GPI_RADIX_BIN_BITS;
    uint32_t next = job.buckets->begin[blockIdx.x], end = job.buckets->begin[blockIdx.x + 1];
    for (uint32_t b = blockIdx.x; b < 1u << job.bits; b += gridDim.x) {
        const uint32_t first = next, count = end - next;
        const GP_KEY *from = (job.levels == 2 ? job.keys_out : job.keys_other) + first;
        GPI(bucket_value) *values_to = (GPI(bucket_value) *)job.values_out + first;
        const char *values_from = (const char *)(job.levels == 2 ? job.values_out : job.values_other);
        uint32_t off = 0;
        const GPI(bucket_map) bucket_map = GPI(measure_bins)(all, b);
        GP_KEY keys[GPI(bucket_items)];
        uint32_t bins[(GPI(bucket_items) + 1) / 2];

        if (GPI_RADIX_PAIRS)
            off = gpi_radix_stage(bucket->values, values_from + first * sizeof *values_to,
                                  count * (uint32_t)sizeof *values_to, GPI_RADIX_BUCKET_THREADS, 0);
        const GPI(bucket_value) *values = (const GPI(bucket_value) *)(bucket->values + off);

        GPI_UNROLL
        for (uint32_t i = 0; i < GPI(bucket_items); i++)
            keys[i] = i * GPI_RADIX_BUCKET_THREADS + tid < count ? from[i * GPI_RADIX_BUCKET_THREADS + tid]
                                                                 : GPI(key_last)();
        GPI_UNROLL
        for (uint32_t i = 0; i < EACH; i++)
            bucket->bins[i * GPI_RADIX_BUCKET_THREADS + tid] = 0;
        if (b + gridDim.x < 1u << job.bits) {
            const uint32_t line = 128 * tid;

            next = job.buckets->begin[b + gridDim.x];
            end = job.buckets->begin[b + gridDim.x + 1];
            if (line < (end - next) * sizeof(GP_KEY))
                gpi_prefetch((const char *)(from - first + next) + line);
            if (GPI_RADIX_PAIRS && line < (end - next) * sizeof *values_to)
                gpi_prefetch(values_from + next * sizeof *values_to + line);
        }
        GPI(keep_bins)(bucket_map, keys, top, bins);
        __syncthreads(); /* the counts are zero */
        GPI_UNROLL
        for (uint32_t i = 0; i < GPI(bucket_items); i++)
            if (i * GPI_RADIX_BUCKET_THREADS + tid < count)
                atomicAdd(&bucket->bins[GPI(bin)(bucket_map, keys, top, bins, i)], 1u);
        __syncthreads(); /* the bins have been counted */
        const int crowded =
            gpi_radix_scan_bins(bucket->bins, bucket->sums, EACH, EACH, GPI_RADIX_BEGINS, GPI_RADIX_BUCKET_CROWD);
        __syncthreads(); /* where the bins begin is there */
        GPI_UNROLL
        for (uint32_t i = 0; i < GPI(bucket_items); i++)
            if (i * GPI_RADIX_BUCKET_THREADS + tid < count) {
                const uint32_t bin = GPI(bin)(bucket_map, keys, top, bins, i);
                const uint32_t slot = atomicAdd(&bucket->bins[bin], 1u);

                bucket->keys[slot] = GPI_RADIX_HAS_WIDTHS ? GPI(key_code)(keys[i]) : keys[i];
                if (GPI_RADIX_PAIRS)
                    bucket->order[slot] = GPI(order)(keys[i], i * GPI_RADIX_BUCKET_THREADS + tid);
                else if (GPI_RADIX_HAS_WIDTHS)
                    bucket->order[slot] = bin;
            }
        if (GPI_RADIX_PAIRS)
            gpi_copy_wait();
        __syncthreads(); /* the items are in their bins, the values are there */
        if (crowded && (GPI_RADIX_PAIRS || GPI(bucket_is_mixed)(bucket, count, bucket_map, top)))
            GPI(bucket_passes)(bucket, from, job.keys_out + first, values, values_to, count,
                               GPI_KEY_WIDTH - (bucket_map.linear ? 0 : job.bits));
        else
            GPI(bucket_write)(bucket, job.keys_out + first, values, values_to, count, bucket_map, top);
        __syncthreads(); /* the bucket has been written */
    }
#endif
}
