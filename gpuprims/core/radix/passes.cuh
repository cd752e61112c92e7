/*
 * core/radix/passes.cuh: sorts n items of any number in passes, one for each digit that differs. First one kernel
 * counts all digits of all keys; its last block makes the plan: which passes there are, from where to where each goes,
 * and where the keys of a digit begin. Then core/radix/tile.cuh moves the items. Of large values it moves the numbers,
 * and the values are brought to their places once, at the end.
 *
 * Part of radix_sort.cuh; not to be included directly.
 */
#ifndef GPI_RADIX_PASSES_CUH
#define GPI_RADIX_PASSES_CUH

/*
 * A word of the look-back: the tag of its launch, and how many keys of a digit the tile has, or it and all before. Of
 * two launches one at least writes each row, so three tags tell what is new.
 */
#define GPI_RADIX_SEEN(tag, is_all, count) ((tag) << 30 | (uint32_t)(is_all) << 29 | (count))
#define GPI_RADIX_SEEN_COUNT ((1u << 29) - 1)

#define GPI_RADIX_ALL_PAIRS (1u << 20)
#define GPI_RADIX_SPARE 128 /* bytes of shared memory behind the values, which may start up to 15 bytes late */

enum { GPI_RADIX_ROWS_BEFORE = 16 }; /* the first tile's: as many as a look-back reads at a time, at most */

/* What a block that counts has in shared memory, besides the counters. */
typedef struct gpi_radix_tally {
    uint32_t last, alike[GPI_RADIX_MAX_DIGITS + 1];
    uint32_t kinds[GPI_RADIX_MAX_DIGITS + 1];  /* of digits */
    uint32_t common[GPI_RADIX_MAX_DIGITS + 1]; /* the commonest one, and 1, if more than a third of the keys have it, */
    uint32_t crowds[GPI_RADIX_MAX_DIGITS + 1]; /* and how many of GPI_RADIX_ALL_PAIRS of keys share another one */
    unsigned long long numbers[256];           /* the number in the sample with each window, or another one */
} __attribute__((aligned(16))) gpi_radix_tally;

#if GPI_DEVICE_CODE
/* A warp for each digit: where its keys begin, how many different ones there are, and how crowded. All threads call. */
GPI_DEVICE void gpi_radix_add_up(gpi_radix_tally *tally, const gpi_radix_counts *counts, gpi_radix_plan *plan, size_t n,
                                 unsigned digits)
{
    const unsigned lane = threadIdx.x % 32, p = threadIdx.x / 32;

    if (p < digits) {
        const float each = GPI_RADIX_ALL_PAIRS / (float)n;
        uint32_t kinds = 0, crowd = 0, most = 0; /* the largest share, and the digit */
        uint64_t begins[8], sum = 0;

        memcpy(begins, __builtin_assume_aligned((const void *)&counts->keys[p][8 * lane], 16), sizeof begins);
        GPI_UNROLL
        for (unsigned i = 0; i < 8; i++) {
            const uint32_t share = (uint32_t)((float)begins[i] * each), word = share << 8 | (8 * lane + i);

            sum += begins[i];
            kinds += begins[i] > 0;
            crowd += (uint32_t)((uint64_t)share * share / GPI_RADIX_ALL_PAIRS);
            most = word > most ? word : most;
        }
        most = gpi_warp_max(most);
        const uint64_t apart = 3 * (most >> 8) > GPI_RADIX_ALL_PAIRS ? most >> 8 : 0;
        sum = gpi_warp_prefix_long(sum, lane);
        GPI_UNROLL
        for (int i = 7; i >= 0; i--)
            begins[i] = sum -= begins[i];
        memcpy(__builtin_assume_aligned((void *)&plan->place[p][0][8 * lane], 16), begins, sizeof begins);
        kinds = gpi_warp_sum(kinds);
        crowd = gpi_warp_sum(crowd) - (uint32_t)(apart * apart / GPI_RADIX_ALL_PAIRS);
        if (lane == 0) {
            tally->kinds[p] = kinds;
            tally->common[p] = apart ? 1 + (most & 255) : 0;
            tally->crowds[p] = crowd;
        }
    }
    if (threadIdx.x <= GPI_RADIX_MAX_DIGITS)
        tally->alike[threadIdx.x] = __ldcg(&counts->alike[threadIdx.x]);
    __syncthreads(); /* the findings are there */
}
#endif

#endif

enum {
    GPI(columns) = sizeof(GP_KEY) == 8 ? 16 : 32, /* of the counters, if there is room for them */
    GPI(has_windows) = sizeof(GP_KEY) > 1
};

/* Whether some array is sorted in place: then passes must be even in number. */
static inline __host__ __device__ int GPI(is_in_place)(const GPI(job) *job)
{
    return job->keys[0] == job->keys[1] || (GPI_RADIX_PAIRS && job->values[0] == job->values[1]);
}

#if GPI_DEVICE_CODE
/* Eight bits of a number. */
GPI_DEVICE uint32_t GPI(window_of)(uint64_t number, int shift)
{
    return (uint32_t)((GPI(number))number >> shift) & 255;
}

/* What is counted of a key. */
GPI_DEVICE uint64_t GPI(counted_number)(const GPI(job) *job, GP_KEY key)
{
    return (GPI(key_order)(key) >> job->begin_bit & job->range) << job->more;
}

/*
 * Where the first eight bits begin that tell the distinct keys of a sample apart, if these are few; -1: nowhere. Then
 * one pass sorts the keys by this window, if there turn out to be no others. Each word of tally->numbers is the number
 * with that window, or one that has another window: so others are found. All threads call.
 */
GPI_DEVICE int GPI(find_window)(const GPI(job) *job)
{
    const uint32_t sample = threadIdx.x % 256;
    const unsigned long long number = GPI(counted_number)(job, job->keys[0][sample * (job->n / 256)]);
    unsigned long long *numbers = job->tally->numbers;

    if (threadIdx.x < 256) /* at random: few share a word, of which one stays */
        (void)atomicExch(&numbers[number * 0x9E3779B97F4A7C15u >> 56], number);
    __syncthreads(); /* the sample is there */
    const int distinct = __syncthreads_count(threadIdx.x < 256 && numbers[sample]); /* besides the number zero */
    if (distinct < 2 || distinct > GPI_RADIX_DISTINCT)
        return -1;
    GPI_NO_UNROLL
    for (int window = job->more; window + 8 <= 8 * job->digits; window++) {
        unsigned long long *same = &numbers[GPI(window_of)(number, window)];

        if (threadIdx.x < 256)
            (void)atomicExch(same, number);
        __syncthreads(); /* one number for each window is there */
        if (!__syncthreads_or(*same != number))
            return window;
    }
    return -1;
}

/* One warp: whether the lane's key of 32 is another one's, too. Where few keys are distinct, most are. */
GPI_DEVICE int GPI(has_twin)(const GPI(job) *job)
{
    const GP_KEY key = job->keys[0][threadIdx.x % 32 * (job->n / 32)];

    return __match_any_sync(GPI_FULL_MASK, (uint32_t)GPI(counted_number)(job, key)) != 1u << threadIdx.x % 32;
}

/* Counts a number by its window. Returns whether the sample lacks it. */
GPI_DEVICE int GPI(count_window)(const GPI(job) *job, uint64_t number)
{
    const uint32_t at = GPI(window_of)(number, job->window);

    atomicAdd(&job->counters[at * job->columns + (threadIdx.x & (job->columns - 1))], 1u);
    return (GPI(number))job->tally->numbers[at] != (GPI(number))number;
}

/* A unit of keys as their numbers. Looks for a -0.0, which counts as +0.0. */
GPI_DEVICE uint64_t GPI(unit)(uint64_t unit, int *minus_zero)
{
    GP_KEY keys[8 / sizeof(GP_KEY)];

    if (!GPI(key_is_float))
        return unit ^ GPI(key_order)(GPI(key_of_bits)(0)) * (UINT64_MAX / GPI_RADIX_WHOLE);
    memcpy((void *)keys, &unit, sizeof keys);
    GPI_UNROLL
    for (int k = 0; k < 8 / (int)sizeof(GP_KEY); k++) {
        const int is_minus_zero = GPI(key_is_minus_zero)(keys[k]);

        keys[k] = GPI(key_code)(is_minus_zero ? GPI(key_of_bits)(0) : keys[k]);
        *minus_zero |= is_minus_zero;
    }
    memcpy(&unit, (void *)keys, sizeof unit);
    return unit;
}

/*
 * Counts whole vectors of keys, four of a thread under way at a time. Notes in which bits two neighbours are alike, and
 * whether there is a -0.0. The constant `windows` says that windows are counted instead of digits; returns whether
 * there are other keys.
 */
GPI_DEVICE int GPI(count_vectors)(const GPI(job) *job, GPI(vectors) vectors, uint64_t *alike, int *minus_zero,
                                  int windows)
{
    const GP_KEY *in = job->keys[0] + vectors.head;
    const size_t stride = (size_t)gridDim.x * GPI_RADIX_COUNT_THREADS;
    const size_t first = (size_t)blockIdx.x * GPI_RADIX_COUNT_THREADS + threadIdx.x;
    unsigned some; /* vectors at a time */
    int others = 0;

    for (size_t i = first; i < vectors.n; i += some * stride) {
        uint64_t units[4 * 2];

        some = i + 3 * stride < vectors.n ? 4 : 1;
        GPI_UNROLL
        for (unsigned v = 0; v < 4; v++)
            if (v < some)
                GPI(read_vector)(units + 2 * v, in + (i + v * stride) * GPI(vector_n));
        GPI_UNROLL
        for (unsigned u = 0; u < 8; u++)
            if (u / 2 < some)
                units[u] = GPI(unit)(units[u], minus_zero);
        GPI_UNROLL
        for (unsigned u = 0; u < 8 && job->range != GPI_RADIX_WHOLE; u++) /* bits that count, of all keys at once */
            if (u / 2 < some)
                units[u] = (units[u] >> job->begin_bit & job->range * (UINT64_MAX / GPI_RADIX_WHOLE)) << job->more;
        if (i == first)
            *alike = ~(units[0] ^ (GPI_KEY_IS_NARROW ? units[0] >> GPI_KEY_WIDTH % 64 : units[1]));
        GPI_NO_UNROLL
        for (int at = 0; at < 4 && !windows; at++)
            if (some == 4)
                GPI(count_bytes)(job->counters, job->columns, units, 8, at, job->digits);
            else
                GPI(count_bytes)(job->counters, job->columns, units, 2, at, job->digits);
        GPI_UNROLL
        for (unsigned k = 0; k < 4 * GPI(vector_n); k++)
            if (windows && k / GPI(vector_n) < some) {
                const uint64_t number = units[k * sizeof(GP_KEY) / 8] >> k * GPI_KEY_WIDTH % 64;

                others |= GPI(count_window)(job, number & GPI_RADIX_WHOLE);
            }
    }
    return others;
}

/* Counts the block's share of all keys; returns whether the sample lacks some of it. All threads call. */
GPI_DEVICE int GPI(count_all)(const GPI(job) *job, uint64_t *alike)
{
    const GPI(vectors) vectors = GPI(vectors_of)(job->keys[0], job->n);
    int minus_zero = 0, others = job->window < 0 ? GPI(count_vectors)(job, vectors, alike, &minus_zero, 0)
                                                 : GPI(count_vectors)(job, vectors, alike, &minus_zero, 1);

    if (vectors.loose < job->n) {
        const GP_KEY key = job->keys[0][vectors.loose];
        const uint64_t number = GPI(counted_number)(job, key);

        GPI_NO_UNROLL
        for (int p = 0; p < job->digits && job->window < 0; p++)
            GPI(count)(job->counters, job->columns, &number, 1, p / 4, p % 4, p);
        minus_zero |= GPI(key_is_minus_zero)(key);
        others |= job->window >= 0 && GPI(count_window)(job, number);
    }
    if (GPI(key_is_float) && __any_sync(GPI_FULL_MASK, minus_zero) && threadIdx.x % 32 == 0)
        atomicOr(&job->counts->minus_zero, 1u);
    return __syncthreads_or(others); /* the counters are complete */
}

/*
 * Adds the block's findings to those of all. The first digit loses the zeros that were counted below it. Keys with some
 * window are all the same, and so are their digits.
 */
GPI_DEVICE void GPI(collect)(const GPI(job) *job, uint64_t alike)
{
    const unsigned columns = job->columns, rows = job->window < 0 ? (unsigned)job->digits : 1;

    GPI_NO_UNROLL
    for (int p = 0; p <= job->digits; p++) {
        const uint64_t bits = p < job->digits ? (uint64_t)255 << 8 * p : job->range << job->more;
        const unsigned ballots = __ballot_sync(GPI_FULL_MASK, (alike & bits) == bits);

        if (threadIdx.x % 32 == 0 && ballots)
            atomicAdd(&job->tally->alike[p], (uint32_t)__popc(ballots));
    }
    for (unsigned b = threadIdx.x; b < rows * 256; b += GPI_RADIX_COUNT_THREADS) {
        uint32_t sum = 0;

        GPI_UNROLL_BY(4)
        for (unsigned c = 0; c < columns; c++)
            sum += job->counters[b * columns + ((threadIdx.x + c) & (columns - 1))];
        if (sum && job->window < 0)
            atomicAdd(&job->counts->keys[b / 256][b < 256 ? b >> job->more : b % 256], (unsigned long long)sum);
        GPI_NO_UNROLL
        for (int p = 0; p <= job->digits && sum && job->window >= 0; p++) {
            const uint64_t number = job->tally->numbers[b];
            const uint32_t at = p == job->digits ? b : GPI(window_of)(number, 8 * p) >> (p ? 0 : job->more);

            atomicAdd(&job->counts->keys[p][at], (unsigned long long)sum);
        }
    }
    __syncthreads(); /* neighbours have been counted */
    if (threadIdx.x <= GPI_RADIX_MAX_DIGITS && job->tally->alike[threadIdx.x])
        atomicAdd(&job->counts->alike[threadIdx.x], job->tally->alike[threadIdx.x]);
}

/* Whether so many pairs of neighbours are often, among all that were looked at. */
GPI_DEVICE int GPI(is_often)(uint32_t alike, uint32_t pairs)
{
    return 100 * (uint64_t)alike > GPI_TUNE_RADIX_ALIKE * (uint64_t)pairs;
}

/* The keys with each window begin behind all with a smaller number. */
GPI_DEVICE void GPI(place_windows)(const GPI(job) *job)
{
    const unsigned long long *numbers = job->tally->numbers;
    uint64_t *sizes = (uint64_t *)job->counters, place = 0;

    if (threadIdx.x < 256)
        sizes[threadIdx.x] = __ldcg(&job->counts->keys[job->digits][threadIdx.x]);
    __syncthreads(); /* the sizes are there */
    if (threadIdx.x >= 256)
        return;
    for (int w = 0; w < 256; w++)
        place += numbers[w] < numbers[threadIdx.x] ? sizes[w] : 0;
    job->plan->place[job->digits][0][threadIdx.x] = place;
}

/*
 * How a pass ranks by digit p, or by the window, which comes behind the digits, if so many of `pairs` neighbours are
 * alike. By atomics: all keys, or all but those with a common digit, if the others are not crowded. By matching where
 * most neighbours are alike, or lanes often share one of few digits, and for few digits of floats alone. By ballots
 * where they often share one of many, or where it is `strict`: the check that atomics need would not tell keys apart.
 */
GPI_DEVICE int GPI(way_of)(const GPI(job) *job, int p, int strict, uint32_t alike, uint32_t pairs)
{
    const gpi_radix_tally *tally = job->tally;
    const int crowded = GPI(is_often)(tally->crowds[p], GPI_RADIX_ALL_PAIRS);
    const int is_window = p == job->digits, few = is_window || tally->kinds[p] <= GPI_RADIX_DISTINCT;
    const int matches = few && (crowded || strict || (GPI(coded) && !is_window));

    if (tally->common[p] && !matches && !crowded && !strict)
        return GPI_RADIX_BY_ATOMICS_BUT + (int)tally->common[p] - 1;
    if (2 * (uint64_t)alike > pairs || matches)
        return GPI_RADIX_BY_MATCH;
    return strict || crowded || GPI(is_often)(alike, pairs) ? GPI_RADIX_BY_BALLOTS : GPI_RADIX_BY_ATOMICS;
}

/* One thread: which passes there are. */
GPI_DEVICE void GPI(make_plan)(const GPI(job) *job)
{
    const gpi_radix_tally *tally = job->tally;
    const int digits = job->digits;
    gpi_radix_plan *plan = job->plan;
    const int minus_zero = !GPI_RADIX_PAIRS && __ldcg(&job->counts->minus_zero);
    const int strict = minus_zero || job->forced == GP_KERNEL_PASSES_OLD ||
                       (!GPI_RADIX_PAIRS && job->range != GPI_RADIX_WHOLE);
    /* Each thread of the grid has looked at two neighbours in its first vector. */
    const uint32_t pairs = gpi_min_size(GPI(vectors_of)(job->keys[0], job->n).n, gridDim.x * GPI_RADIX_COUNT_THREADS);
    int passes = 0;

    GPI_NO_UNROLL
    for (int p = 0; p < digits; p++) {
        if (tally->kinds[p] == 1) /* all keys have one digit there: nothing to do */
            continue;
        /* The first pass gets the keys as they come, the later ones mixed, but for runs. */
        const int way = GPI(way_of)(job, p, strict, tally->alike[passes ? digits : p], pairs);
        const gpi_radix_step step = {p, p ? 8 * p - job->more : 0, p ? 8 : 8 - job->more, way};
        plan->steps[passes++] = step;
    }
    if (job->window >= 0 && passes > 1) {
        const int way = GPI(way_of)(job, digits, strict, tally->alike[digits], pairs);
        const gpi_radix_step step = {digits, job->window - job->more, 8, way};
        plan->steps[0] = step;
        passes = 1;
    }
    plan->sorting = passes;
    plan->minus_zero = minus_zero;
    if (passes == 0 || (GPI(is_in_place)(job) && passes % 2)) {
        const gpi_radix_step copy = {-1, 0, 8, GPI_RADIX_BY_BALLOTS};
        plan->steps[passes++] = copy;
    }
    plan->passes = plan->moves = passes;
    if (job->levels != 1 || !job->buckets->chosen)
        return;
    if (GPI_RADIX_PAIRS && passes < GPI_RADIX_WORTH_ONE) /* which are faster than buckets */
        job->buckets->chosen = 0;
    else if (GPI_RADIX_PAIRS)
        GPI(plan_partitions)(job, GPI(is_often)(tally->alike[digits - 1], pairs));
    else
        plan->passes = 0;
}
#endif

/* Counts all digits of all keys; the last block makes the plan. Dynamic shared memory: columns * digits * 1 KB. */
static __global__ void __launch_bounds__(GPI_RADIX_COUNT_THREADS, 1) GPI(count_kernel)(GPI(job) job)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(uint32_t, counters);
    GP_SHARED(gpi_radix_tally, tally);
    const size_t stride = (size_t)gridDim.x * GPI_RADIX_COUNT_THREADS;
    uint64_t alike = 0;

    job.counters = counters;
    job.tally = &tally;
    gpi_radix_zero(counters, (unsigned)job.digits * 256 * job.columns);
    gpi_radix_zero((uint32_t *)&tally, sizeof tally / sizeof(uint32_t));
    __syncthreads(); /* the tally is zero */
    gpi_grid_wait();
    gpi_grid_launch_next();
    const int decided = job.levels == 2 && job.buckets->chosen; /* two partitions */
    if (decided && !GPI_RADIX_PAIRS)
        return;
    /* Passes are about to look back, if there are any. */
    const size_t words = GPI_RADIX_IS_COUNTED(job) ? 0 : (GPI_RADIX_ROWS_BEFORE + job.rows) * 256;
    GPI_NO_UNROLL
    for (size_t i = (size_t)blockIdx.x * GPI_RADIX_COUNT_THREADS + threadIdx.x; i < words; i += stride)
        job.look[i] = 0;
    if (decided)
        return;
    const int few = GPI(has_windows) && job.digits > 1 && threadIdx.x < 32 && GPI(has_twin)(&job);
    job.window = __syncthreads_or(few) ? GPI(find_window)(&job) : -1; /* the counters are zero, too */
    while (GPI(count_all)(&job, &alike)) {
        job.window = -1;
        gpi_radix_zero(counters, (unsigned)job.digits * 256 * job.columns);
        if (threadIdx.x == 0)
            atomicOr(&job.counts->others, 1u);
        __syncthreads(); /* the counters are zero again */
    }
    GPI(collect)(&job, alike);
    if (!gpi_radix_is_last_block(&job.counts->done, 1, gridDim.x, &tally.last))
        return;
    if (__ldcg(&job.counts->others))
        job.window = -1;
    gpi_radix_add_up(&tally, job.counts, job.plan, job.n, (unsigned)job.digits + (job.window >= 0));
    if (job.window >= 0)
        GPI(place_windows)(&job);
    if (job.levels == 1 && job.window < 0)
        GPI(ask_buckets)(&job);
    if (threadIdx.x == 0)
        GPI(make_plan)(&job);
#endif
}

/* ---- the passes -------------------------------------------------------------------------------- */

/* A digit of what a pass moves; of codes the zeros may be `one` number. */
GPI_DEVICE uint32_t GPI(digit)(GP_KEY key, int shift, uint32_t mask, int one)
{
    return GPI(coded) ? GPI(key_code_digit)(key, shift, mask, one) : GPI(key_digit)(key, shift, mask);
}

/* The kernels; core/radix/tile.cuh undefines what it takes. */
#define GPI_RADIX_SMALL 0
#define GPI_OF(word) GPI(word)
#include "tile.cuh"

#define GPI_RADIX_SMALL 1
#define GPI_OF(word) GPI(small_##word)
#include "tile.cuh"

#define GPI_FETCH_NUMBER uint32_t
#include "../tile/fetch.cuh"

/* ---- host functions ---------------------------------------------------------------------------- */

/* A constant of the kernel for small n, or of that for large n. */
#define GPI_RADIX_PASS(small, word) ((small) ? (size_t)GPI(small_##word) : (size_t)GPI(word))
#ifndef GPI_RADIX_ROWS /* tiles of a launch, at most: each has 1 KB for the look-back, which counts their items */
#define GPI_RADIX_ROWS ((size_t)(GPI(halves) ? 60 : GPI(staged) ? 26 : 28) << 10)
#endif
GPI_STATIC_ASSERT(GPI_RADIX_ROWS * GPI(tile_n) <= GPI_RADIX_SEEN_COUNT, "a launch has too many items");
/* Of items that are moved in place of large values: they have 4 bytes, and one launch fetches all values. */
#ifndef GPI_RADIX_MAX_NUMBERS
#define GPI_RADIX_MAX_NUMBERS gpi_smaller_size(GPI_MAX_TILES * 256 / sizeof(GPI_RADIX_VALUE), UINT32_MAX)
#endif
#define GPI_RADIX_SMALL_TILE ((size_t)1024) /* items of a tile, when n is small */
#define GPI_RADIX_GRID ((size_t)1024)       /* blocks of a pass, at most */
#define GPI_RADIX_FORCES_BUCKETS (GP_KERNEL == GP_KERNEL_BUCKETS || GP_KERNEL == GP_KERNEL_BUCKETS_TWICE)

/* Whether the passes take the kernel for small n. It is slow for large n, but knows no limit. */
static inline int GPI(is_small)(size_t n)
{
    size_t threads = gpi_resident_blocks(1, GPI_RADIX_GRID, GP_GRID) * (size_t)GPI(small_threads);

    return (n <= threads * GPI(small_items) && !GP_KERNEL) || (GPI(indexed) && n > GPI_RADIX_MAX_NUMBERS);
}

/* Items of a tile, at most, for which so much shared memory has room. */
static inline size_t GPI(largest_tile)(int small, size_t room)
{
    const size_t threads = GPI_RADIX_PASS(small, threads), items = GPI_RADIX_PASS(small, items);
    const size_t some = GPI_RADIX_PASS(small, rounds), others = GPI_RADIX_PASS(small, tile_bytes) + GPI_RADIX_SPARE;
    const size_t fitting = (room - others - 1024) / GPI_RADIX_PASS(small, slot) / threads;

    return threads * (items < fitting ? items : fitting / some * some);
}

/* Items of a tile of a pass: all that fit, since atomics rank whole tiles alone, if most multiprocessors get one. */
static inline size_t GPI(tile_of_pass)(size_t n, size_t room)
{
    const int small = GPI(is_small)(n);
    const size_t threads = GPI_RADIX_PASS(small, threads), some = threads * GPI_RADIX_PASS(small, rounds);
    const size_t blocks = gpi_resident_blocks((unsigned)GPI_RADIX_PASS(small, blocks), GPI_RADIX_GRID, GP_GRID);
    const size_t tile_n = gpi_divide_up(gpi_divide_up(n, blocks), some) * some;
    const size_t largest = GPI(largest_tile)(small, room), one_each = blocks / GPI_RADIX_PASS(small, blocks) * largest;

    return n >= one_each / 8 * 7 ? largest : gpi_smaller_size(gpi_larger_size(tile_n, 4 * threads), largest);
}

/* Divides the workspace. Enough for every device: with little shared memory there are the most tiles. */
static inline size_t GPI(lay_out)(GPI(job) *job, char *memory, size_t n)
{
    const size_t small = GPI_RADIX_FORCES_BUCKETS ? SIZE_MAX : gpi_divide_up(n, GPI_RADIX_SMALL_TILE);
    const size_t tiles = gpi_larger_size(gpi_divide_up(n, GPI(largest_tile)(0, GPI_RADIX_MIN_ROOM)),
                                         gpi_smaller_size(small, GPI_RADIX_GRID));
    const size_t rows = gpi_smaller_size(tiles, GPI_RADIX_ROWS), row_bytes = 256 * sizeof(uint32_t);
    const size_t launches = (GPI_RADIX_MAX_DIGITS + 1) * gpi_divide_up(tiles, GPI_RADIX_ROWS);
    const size_t value_bytes = GPI_RADIX_PAIRS ? sizeof(GPI_RADIX_VALUE) : 0;
    const uintptr_t at = (uintptr_t)memory;
    size_t end = 0;

    memset((void *)job, 0, sizeof *job);
    job->rows = (uint32_t)rows;
    job->keys[2] = (GP_KEY *)(at + gpi_carve(&end, n, sizeof(GP_KEY)));
    job->values[2] = (void *)(at + gpi_carve(&end, n, value_bytes));
    job->plan = (gpi_radix_plan *)(at + gpi_carve(&end, 1, sizeof *job->plan));
    job->counts = (gpi_radix_counts *)(at + gpi_carve(&end, 1, sizeof *job->counts + launches * sizeof(uint32_t)));
    job->buckets = (gpi_radix_buckets *)(at + gpi_carve(&end, GPI(has_buckets) ? 1 : 0, sizeof *job->buckets));
    job->look = (uint32_t *)(at + gpi_carve(&end, GPI_RADIX_ROWS_BEFORE + rows, row_bytes));
    return end;
}

/*
 * What the kernels get. The numbers have the values' room in the workspace; if the values are sorted in place, these
 * need it in the end, and the numbers move to that of the keys, which has served.
 */
static inline GPI(job) GPI(job_of)(const GPI(call) *call)
{
    const GPI(request) *request = &call->request;
    const size_t n = request->n;
    const int bits = request->end_bit - request->begin_bit, numbers = GPI(indexed) && !GPI(is_small)(n);
    GPI(job) job;

    (void)GPI(lay_out)(&job, call->memory, n);
    job.keys[0] = (GP_KEY *)request->keys_in;
    job.keys[1] = request->keys_out;
    job.values[0] = numbers ? NULL : (void *)request->values_in;
    job.values[1] = numbers ? (void *)((uint32_t *)job.values[2] + (n + 3) / 4 * 4) : (void *)request->values_out;
    job.n = n;
    job.begin_bit = request->begin_bit;
    job.end_bit = request->end_bit;
    job.range = bits ? UINT64_MAX >> (64 - bits) : 0;
    job.digits = (bits + 7) / 8;
    job.more = 8 * job.digits - bits;
    job.columns = n < (size_t)1 << 22 ? 4 : GPI(columns);
    while (job.columns * (unsigned)job.digits * 1024 + 4096 > call->device.room)
        job.columns /= 2;
    job.tile_n = (uint32_t)GPI(tile_of_pass)(n, call->device.room);
    job.bits = (int)call->fit;
    job.levels = job.bits > 8 ? 2 : job.bits > 0;
    job.forced = GP_KERNEL;
    return job;
}

/* All passes over all portions. */
static inline cudaError_t GPI(pass_all)(GPI(job) job, const GPI(call) *call)
{
    const size_t n = job.n, room = call->device.room, tile_n = job.tile_n, portion = job.rows * tile_n;
    const int small = GPI(is_small)(n), dependent = call->device.dependent;
    const int more = !GPI_RADIX_IS_COUNTED(job) && (job.digits == 0 || (GPI(is_in_place)(&job) && job.digits % 2));
    const unsigned threads = (unsigned)GPI_RADIX_PASS(small, threads);
    const size_t blocks = gpi_resident_blocks((unsigned)GPI_RADIX_PASS(small, blocks), GPI_RADIX_GRID, GP_GRID);
    const size_t portions = gpi_divide_up(n, portion);
    const size_t needed = tile_n * GPI_RADIX_PASS(small, slot) + (GPI_RADIX_PAIRS ? GPI_RADIX_SPARE : 0);
    /* Small n: no room for two blocks of the next launch, which may start before this one ends, on a multiprocessor. */
    const size_t bytes = small && needed < room / 2 ? room / 2 : needed;
    cudaError_t error = cudaSuccess;

    job.look += GPI_RADIX_ROWS_BEFORE * 256;
    for (size_t launch = 0; launch < (size_t)(job.digits + more) * portions && error == cudaSuccess; launch++) {
        const size_t which = launch % portions;

        job.first = which * portion;
        job.portion_n = (uint32_t)gpi_smaller_size(n - which * portion, portion);
        job.tiles = (uint32_t)gpi_divide_up(job.portion_n, tile_n);
        job.pass = (int)(launch / portions);
        job.odd = which % 2;
        job.ticket = (uint32_t *)(job.counts + 1) + launch;
        job.tag = (uint32_t)(launch % 3 + 1);
        unsigned grid = (unsigned)gpi_smaller_size(blocks, job.tiles);
        if (small)
            error = GPI_LAUNCH_DEPENDENT(dependent, GPI(small_pass_kernel), grid, threads, bytes, call->stream, job);
        else
            error = GPI_LAUNCH_DEPENDENT(dependent, GPI(pass_kernel), grid, threads, bytes, call->stream, job);
    }
    return error;
}

#ifdef GP_VALUE
/* Fetches the values, when their numbers have been sorted. */
static inline cudaError_t GPI(fetch_values)(const GPI(job) *job, const GPI(call) *call)
{
    const GPI(request) *request = &call->request;
    const uint32_t *numbers = (const uint32_t *)job->values[1];
    cudaError_t error = cudaSuccess;

    if (request->values_in == request->values_out) {
        numbers = (const uint32_t *)(const void *)job->keys[2];
        error = cudaMemcpyAsync(job->keys[2], job->values[1], job->n * sizeof *numbers, cudaMemcpyDeviceToDevice,
                                call->stream);
    }
    if (error == cudaSuccess)
        error = GPI(fetch)(request->values_in, numbers, request->values_out, job->n, NULL, 0,
                           (GP_VALUE *)job->values[2], call->stream);
    return error;
}
#endif

static inline size_t GPI(passes_bytes)(size_t n)
{
    GPI(job) job;

    return GPI(lay_out)(&job, NULL, n);
}
