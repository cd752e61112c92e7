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

/* A word of the look-back: how many keys of a digit the tile has, or it and all before. 0: not known yet. */
#define GPI_RADIX_SEEN_TILE 0x40000000u
#define GPI_RADIX_SEEN_ALL 0x80000000u
#define GPI_RADIX_SEEN_COUNT 0x3FFFFFFFu

/* In place of a warp's two commonest digits: others are not rare. */
#define GPI_RADIX_MIXED 0xFFFFFFFFu

#define GPI_RADIX_ALL_PAIRS 1000000

#define GPI_RADIX_SPARE 128 /* bytes of shared memory behind the values, which may start up to 15 bytes late */

enum { GPI_RADIX_CLEAR_THREADS = 512 };

/* All zero before a call. */
typedef struct gpi_radix_counts {
    unsigned long long keys[GPI_RADIX_MAX_DIGITS + 1][256]; /* with that digit there */
    uint32_t pairs;                           /* of neighbours that were looked at, */
    uint32_t alike[GPI_RADIX_MAX_DIGITS + 1]; /* and how many of them share a digit; behind the last: all */
    uint32_t minus_zero;                      /* whether there is a -0.0 */
    uint32_t done;                            /* blocks that have counted */
    uint32_t others;                          /* whether a block has found keys that the sample lacks */
} gpi_radix_counts;

/* What a block that counts has in shared memory, besides the counters. */
typedef struct gpi_radix_tally {
    uint32_t alike[GPI_RADIX_MAX_DIGITS + 1], pairs, minus_zero, last;
    uint32_t crowds[GPI_RADIX_MAX_DIGITS + 1]; /* how many of GPI_RADIX_ALL_PAIRS of keys share the digit, */
    uint32_t common[GPI_RADIX_MAX_DIGITS + 1]; /* apart from one that more than half of them have: 1 + that, or 0 */
    uint32_t kinds[GPI_RADIX_MAX_DIGITS + 1];  /* of digits */
    unsigned long long numbers[256];           /* the number in the sample with each window, or another one */
    uint64_t sums[GPI_RADIX_COUNT_THREADS / 32];
} __attribute__((aligned(16))) gpi_radix_tally;

#if GPI_DEVICE_CODE
/*
 * Where the keys of each digit begin, four digits of the key at a time, how many different ones there are, and how
 * crowded they are. The first digit has been counted as if it had so many bits more. All threads call.
 */
GPI_DEVICE void gpi_radix_add_up(gpi_radix_tally *tally, const gpi_radix_counts *counts, gpi_radix_plan *plan, size_t n,
                                 int digits, int more)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, digit = threadIdx.x % 256;

    for (int p = (int)threadIdx.x / 256; p - (int)threadIdx.x / 256 < digits; p += 4) {
        const unsigned counted = p ? digit : digit << more;
        const uint64_t count = p < digits && counted < 256 ? __ldcg(&counts->keys[p][counted]) : 0;
        const float share = (float)count / (float)n;
        const uint32_t crowd = gpi_warp_sum(share > 0.5f ? 0 : (uint32_t)(share * share * GPI_RADIX_ALL_PAIRS));
        const unsigned some = __ballot_sync(GPI_FULL_MASK, count > 0);
        uint64_t sum = count;

        GPI_NO_UNROLL
        for (unsigned stride = 1; stride < 32; stride *= 2) {
            const uint64_t before = __shfl_up_sync(GPI_FULL_MASK, sum, stride);

            sum += lane >= stride ? before : 0;
        }
        if (lane == 31)
            tally->sums[warp] = sum;
        if (lane == 0 && p < digits) {
            atomicAdd(&tally->crowds[p], crowd);
            atomicAdd(&tally->kinds[p], (uint32_t)__popc(some));
        }
        if (share > 0.5f)
            tally->common[p] = 1 + digit;
        __syncthreads(); /* the warps' sums are complete */
        for (unsigned w = warp / 8 * 8; w < warp; w++)
            sum += tally->sums[w];
        if (p < digits)
            plan->place[p][0][digit] = sum - count;
        __syncthreads(); /* the sums are free, the findings are there */
    }
}
#endif

/* Clears words of the workspace. A memset would keep the next kernel from starting before this one ends. */
static __global__ void __launch_bounds__(GPI_RADIX_CLEAR_THREADS) gpi_radix_clear_kernel(uint32_t *words, size_t n)
{
#if GPI_DEVICE_CODE
    const size_t i = blockIdx.x * (size_t)GPI_RADIX_CLEAR_THREADS + threadIdx.x;

    gpi_grid_wait();
    gpi_grid_launch_next();
    if (i < n)
        words[i] = 0;
#endif
}

#endif

#define GPI_RADIX_WHOLE (UINT64_MAX >> (64 - GPI_KEY_WIDTH)) /* all bits of a key */

enum {
    GPI(columns) = sizeof(GP_KEY) == 8 ? 16 : 32, /* of the counters, if there is room for them */
    GPI(has_windows) = sizeof(GP_KEY) > 1
};

/* What is counted, and what the plan depends on. */
typedef struct {
    const GP_KEY *in;
    size_t n;
    int begin_bit, bits, digits;
    int more;         /* zeros are counted below these bits, so many that digits are whole */
    uint64_t range;   /* as many ones as bits */
    int in_place;     /* some array is sorted in place: passes must be even in number */
    int strict;       /* every pass ranks by ballots */
    unsigned columns; /* of the counters in shared memory */
    gpi_radix_counts *counts;
    gpi_radix_plan *plan;
    uint32_t *look; /* for the look-back of the first pass: so many words to be cleared */
    size_t words;
    int levels; /* partitions, if the keys are sorted in buckets; 0 if that is out of the question */
    gpi_radix_buckets *buckets;
    gpi_radix_tally *tally;
    uint32_t *counters;
    int window; /* eight bits from here tell the keys apart, as far as is known, and are counted; -1: all digits are */
} GPI(counting);

#if GPI_DEVICE_CODE
/* Eight bits of a number. */
GPI_DEVICE uint32_t GPI(window_of)(uint64_t number, int shift)
{
    return (uint32_t)((GPI(number))number >> shift) & 255;
}

/* What is counted of a key. */
GPI_DEVICE uint64_t GPI(counted_number)(const GPI(counting) *job, GP_KEY key)
{
    return (GPI(key_order)(key) >> job->begin_bit & job->range) << job->more;
}

/*
 * Where the first eight bits begin that tell the distinct keys of a sample apart, if these are few; -1: nowhere. Then
 * one pass sorts the keys by this window, if there turn out to be no others. Each word of tally->numbers is the number
 * with that window, or one that has another window: so others are found. All threads call.
 */
GPI_DEVICE int GPI(find_window)(const GPI(counting) *job)
{
    const uint32_t sample = threadIdx.x % 256;
    const unsigned long long number = GPI(counted_number)(job, job->in[sample * (job->n / 256)]);
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

/* Counts a number by its window. Returns whether the sample lacks it. */
GPI_DEVICE int GPI(count_window)(const GPI(counting) *job, uint64_t number)
{
    const uint32_t at = GPI(window_of)(number, job->window);

    atomicAdd(&job->counters[at * job->columns + (threadIdx.x & (job->columns - 1))], 1u);
    return (GPI(number))job->tally->numbers[at] != (GPI(number))number;
}

/*
 * A unit of keys as their numbers, of which the bits that count are left: whatever the size of the keys, the bits of
 * all of them are cut out at once. Looks for a -0.0, which counts as +0.0.
 */
GPI_DEVICE uint64_t GPI(unit)(const GPI(counting) *job, uint64_t unit, int *minus_zero)
{
    const uint64_t each = UINT64_MAX / GPI_RADIX_WHOLE; /* a one for each key */

    if (GPI(key_is_float)) {
        GP_KEY keys[8 / sizeof(GP_KEY)];

        memcpy((void *)keys, &unit, sizeof keys);
        GPI_UNROLL
        for (int k = 0; k < 8 / (int)sizeof(GP_KEY); k++) {
            const int is_minus_zero = GPI(key_is_minus_zero)(keys[k]);

            keys[k] = GPI(key_code)(is_minus_zero ? GPI(key_of_bits)(0) : keys[k]);
            *minus_zero |= is_minus_zero;
        }
        memcpy(&unit, (void *)keys, sizeof unit);
    } else {
        unit ^= GPI(key_order)(GPI(key_of_bits)(0)) * each;
    }
    return job->range == GPI_RADIX_WHOLE ? unit : (unit >> job->begin_bit & job->range * each) << job->more;
}

/*
 * Counts the keys in `vectors` whole vectors from `in`, four vectors under way at a time. Looks at two neighbours, and
 * for a -0.0. The constant `windows` says that windows are counted instead; returns whether there are other keys.
 */
GPI_DEVICE int GPI(count_vectors)(const GPI(counting) *job, const GP_KEY *in, size_t vectors, int windows)
{
    const unsigned columns = job->columns;
    const size_t stride = (size_t)gridDim.x * GPI_RADIX_COUNT_THREADS;
    const size_t first = (size_t)blockIdx.x * GPI_RADIX_COUNT_THREADS + threadIdx.x;
    uint64_t alike = 0;
    unsigned some; /* vectors at a time */
    int minus_zero = 0, others = 0;

    for (size_t i = first; i < vectors; i += some * stride) {
        uint64_t units[4 * 2];

        some = i + 3 * stride < vectors ? 4 : 1;
        GPI_UNROLL
        for (unsigned v = 0; v < 4; v++)
            if (v < some)
                GPI(read_vector)(units + 2 * v, in + (i + v * stride) * GPI(vector_n));
        GPI_UNROLL
        for (unsigned u = 0; u < 8; u++)
            if (u / 2 < some)
                units[u] = GPI(unit)(job, units[u], &minus_zero);
        if (i == first)
            alike = ~(units[0] ^ (GPI_KEY_IS_NARROW ? units[0] >> GPI_KEY_WIDTH % 64 : units[1]));
        GPI_NO_UNROLL
        for (int at = 0; at < 4 && !windows; at++)
            if (some == 4)
                GPI(count_bytes)(job->counters, columns, units, 8, at, job->digits);
            else
                GPI(count_bytes)(job->counters, columns, units, 2, at, job->digits);
        GPI_UNROLL
        for (unsigned k = 0; k < 4 * GPI(vector_n); k++)
            if (windows && k / GPI(vector_n) < some) {
                const uint64_t number = units[k * sizeof(GP_KEY) / 8] >> k * GPI_KEY_WIDTH % 64;

                others |= GPI(count_window)(job, number & GPI_RADIX_WHOLE);
            }
    }
    GPI_NO_UNROLL
    for (int p = 0; p <= job->digits; p++) {
        const uint64_t bits = p < job->digits ? (uint64_t)255 << 8 * p : job->range << job->more;
        unsigned ballots = __ballot_sync(GPI_FULL_MASK, first < vectors && (alike & bits) == bits);

        if (threadIdx.x % 32 == 0 && ballots)
            atomicAdd(&job->tally->alike[p], (uint32_t)__popc(ballots));
    }
    if (first < vectors)
        atomicAdd(&job->tally->pairs, 1u);
    if (minus_zero)
        atomicOr(&job->tally->minus_zero, 1u);
    return others;
}

/* Counts the block's share of all keys; returns whether the sample lacks some of it. All threads call. */
GPI_DEVICE int GPI(count_all)(const GPI(counting) *job)
{
    const size_t head = (0 - (size_t)(uintptr_t)job->in) % 16 / sizeof(GP_KEY);
    const size_t vectors = head < job->n ? (job->n - head) / GPI(vector_n) : 0;
    const size_t loose = GPI(loose)(job->n, head, vectors);
    int others = job->window < 0 ? GPI(count_vectors)(job, job->in + head, vectors, 0)
                                 : GPI(count_vectors)(job, job->in + head, vectors, 1);

    if (loose < job->n) {
        const uint64_t number = GPI(counted_number)(job, job->in[loose]);

        GPI_NO_UNROLL
        for (int p = 0; p < job->digits && job->window < 0; p++)
            GPI(count)(job->counters, job->columns, &number, 1, p / 4, p % 4, p);
        if (GPI(key_is_minus_zero)(job->in[loose]))
            atomicOr(&job->tally->minus_zero, 1u);
        others |= job->window >= 0 && GPI(count_window)(job, number);
    }
    return __syncthreads_or(others); /* the counters are complete */
}

/* Adds the block's findings to those of all. Keys with some window are all the same, and so are their digits. */
GPI_DEVICE void GPI(collect)(const GPI(counting) *job)
{
    const gpi_radix_tally *tally = job->tally;
    const unsigned digits = (unsigned)job->digits, columns = job->columns, rows = job->window < 0 ? digits : 1;

    for (unsigned b = threadIdx.x; b < rows * 256; b += GPI_RADIX_COUNT_THREADS) {
        uint32_t sum = 0;

        GPI_UNROLL_BY(4)
        for (unsigned c = 0; c < columns; c++)
            sum += job->counters[b * columns + ((threadIdx.x + c) & (columns - 1))];
        if (sum)
            atomicAdd(&job->counts->keys[job->window < 0 ? b / 256 : digits][b % 256], (unsigned long long)sum);
        GPI_NO_UNROLL
        for (int p = 0; p < job->digits && sum && job->window >= 0; p++)
            atomicAdd(&job->counts->keys[p][GPI(window_of)(tally->numbers[b], 8 * p)], (unsigned long long)sum);
    }
    if (threadIdx.x <= GPI_RADIX_MAX_DIGITS && tally->alike[threadIdx.x])
        atomicAdd(&job->counts->alike[threadIdx.x], tally->alike[threadIdx.x]);
    if (threadIdx.x == 32)
        atomicAdd(&job->counts->pairs, tally->pairs);
    if (threadIdx.x == 64 && tally->minus_zero)
        atomicOr(&job->counts->minus_zero, 1u);
}

/* Whether so many pairs of neighbours are often, among all that were looked at. */
GPI_DEVICE int GPI(is_often)(uint32_t alike, uint32_t pairs)
{
    return 100 * (uint64_t)alike > GPI_TUNE_RADIX_ALIKE * (uint64_t)pairs;
}

/* The keys with each window begin behind all with a smaller number. */
GPI_DEVICE void GPI(place_windows)(const GPI(counting) *job)
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
 * alike: one digit that most keys have aside; by matching where most neighbours are alike, or lanes often share one of
 * few digits; by ballots where they often share one of many, or where it is `strict`, as the check that atomics need
 * would not tell keys apart.
 */
GPI_DEVICE int GPI(way_of)(const GPI(counting) *job, int p, int strict, uint32_t alike, uint32_t pairs)
{
    const gpi_radix_tally *tally = job->tally;
    const int crowded = GPI(is_often)(tally->crowds[p], GPI_RADIX_ALL_PAIRS);
    const int is_window = p == job->digits, few = is_window || tally->kinds[p] <= GPI_RADIX_DISTINCT;

    if (GPI(coded) && few && !is_window && !strict)
        return GPI_RADIX_BUT_TWO;
    if (tally->common[p] && !crowded && !strict)
        return GPI_RADIX_BUT_ONE + (int)tally->common[p] - 1;
    if (2 * (uint64_t)alike > pairs || (few && (crowded || strict)))
        return GPI_RADIX_BY_MATCH;
    return strict || crowded || GPI(is_often)(alike, pairs) ? GPI_RADIX_BY_BALLOTS : GPI_RADIX_BY_ATOMICS;
}

/* One thread: which passes there are. */
GPI_DEVICE void GPI(make_plan)(const GPI(counting) *job)
{
    const gpi_radix_tally *tally = job->tally;
    const gpi_radix_counts *counts = job->counts;
    const int digits = job->digits;
    gpi_radix_plan *plan = job->plan;
    const int minus_zero = !GPI_RADIX_PAIRS && __ldcg(&counts->minus_zero);
    const int strict = minus_zero || job->strict || (!GPI_RADIX_PAIRS && job->bits < GPI_KEY_WIDTH);
    const uint32_t pairs = __ldcg(&counts->pairs);
    int passes = 0;

    GPI_NO_UNROLL
    for (int p = 0; p < digits; p++) {
        if (tally->kinds[p] == 1) /* all keys have one digit there: nothing to do */
            continue;
        /* The first pass gets the keys as they come, the later ones mixed, but for runs. */
        gpi_radix_plan_step(plan, passes, p, p ? 8 * p - job->more : 0, p ? 8 : 8 - job->more,
                            GPI(way_of)(job, p, strict, __ldcg(&counts->alike[passes ? digits : p]), pairs));
        passes++;
    }
    if (job->window >= 0 && passes > 1) {
        gpi_radix_plan_step(plan, 0, digits, job->window - job->more, 8,
                            GPI(way_of)(job, digits, strict, __ldcg(&counts->alike[digits]), pairs));
        passes = 1;
    }
    plan->sorting = passes;
    plan->minus_zero = minus_zero;
    if (passes == 0 || (job->in_place && passes % 2))
        gpi_radix_plan_step(plan, passes++, -1, 0, 8, GPI_RADIX_BY_BALLOTS);
    plan->in_ranges = 0;
    plan->passes = plan->moves = passes;
    if (job->levels != 1 || !job->buckets->chosen)
        return;
    if (GPI_RADIX_PAIRS && passes < GPI_RADIX_WORTH_ONE) /* which are faster than buckets */
        job->buckets->chosen = 0;
    else if (GPI_RADIX_PAIRS)
        GPI(plan_partitions)(plan, 1, 8, 8 * digits - job->more,
                             GPI(is_often)(__ldcg(&counts->alike[digits - 1]), pairs));
    else
        plan->passes = 0;
}
#endif

/*
 * Counts all digits of all keys; the block that is done last makes the plan. Dynamic shared memory: digits * 256 *
 * columns counters.
 */
static __global__ void __launch_bounds__(GPI_RADIX_COUNT_THREADS, 1) GPI(count_kernel)(GPI(counting) job)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(uint32_t, counters);
    GP_SHARED(gpi_radix_tally, tally);
    const size_t stride = (size_t)gridDim.x * GPI_RADIX_COUNT_THREADS;

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
    GPI_NO_UNROLL
    for (size_t i = (size_t)blockIdx.x * GPI_RADIX_COUNT_THREADS + threadIdx.x; i < job.words; i += stride)
        job.look[i] = 0;
    if (decided)
        return;
    __syncthreads(); /* the counters are zero */
    job.window = GPI(has_windows) && job.digits > 1 && job.levels != 1 ? GPI(find_window)(&job) : -1;
    while (GPI(count_all)(&job)) {
        job.window = -1;
        gpi_radix_zero(counters, (unsigned)job.digits * 256 * job.columns);
        if (threadIdx.x == 0)
            atomicOr(&job.counts->others, 1u);
        __syncthreads(); /* the counters are zero again */
    }
    GPI(collect)(&job);
    if (!gpi_radix_is_last_block(&job.counts->done, 1, gridDim.x, &tally.last))
        return;
    if (__ldcg(&job.counts->others))
        job.window = -1;
    gpi_radix_add_up(&tally, job.counts, job.plan, job.n, job.digits + (job.window >= 0), job.more);
    if (job.window >= 0)
        GPI(place_windows)(&job);
    if (job.levels == 1)
        GPI(ask_buckets)(job.buckets, job.counts->keys[job.digits - 1], job.plan->place[job.digits - 1][0], job.n,
                         !GPI_RADIX_PAIRS && __ldcg(&job.counts->minus_zero));
    if (threadIdx.x == 0)
        GPI(make_plan)(&job);
#endif
}

/* ---- the passes -------------------------------------------------------------------------------- */

/* What a launch works on: a portion of the input, so small that counts fit their words. */
typedef struct {
    GP_KEY *keys[3]; /* the input, which is only read, the output, and another array */
    void *values[3]; /* the first NULL: 0, 1, 2, ... */
    size_t first;    /* item of the portion */
    uint32_t n;      /* items of the portion */
    uint32_t tile_n; /* items of a tile; fewer than its threads can hold when n is small */
    uint32_t tiles;
    uint32_t next_rows; /* tiles of the next launch */
    int begin_bit, end_bit;
    int pass;  /* of the plan */
    int odd;   /* whether the portion's number is odd */
    int again; /* for tests: every third tile fails its check */
    gpi_radix_plan *plan;
    const gpi_radix_ranges *ranges;
    uint32_t *ticket;
    uint32_t *look;      /* a row of 256 words for each tile */
    uint32_t *look_next; /* those of the next launch, to be cleared */
} GPI(job);

/* A digit of what a pass moves; of codes the zeros may be `one` number. */
GPI_DEVICE uint32_t GPI(digit)(GP_KEY key, int shift, uint32_t mask, int one)
{
    return GPI(coded) ? GPI(key_code_digit)(key, shift, mask, one) : GPI(key_digit)(key, shift, mask);
}

#if GPI_DEVICE_CODE
/* Instead of a pass over keys that need only be counted: writes the portion. */
GPI_DEVICE void GPI(pass_counted)(const GPI(job) *job, uint32_t *begins)
{
    const uint64_t place = threadIdx.x < 256 ? job->plan->place[0][0][threadIdx.x] : 0;
    const uint32_t begin = place > job->first ? gpi_min_size(place - job->first, job->n) : 0;

    GPI(write_counted)(begins, begin, job->keys[1] + job->first, job->n);
}
#endif

/* The kernels; core/radix/tile.cuh undefines what it takes. */
#define GPI_RADIX_SMALL 0
#define GPI_OF(word) GPI(word)
#include "tile.cuh"

#define GPI_RADIX_SMALL 1
#define GPI_OF(word) GPI(small_##word)
#include "tile.cuh"

#ifdef GP_VALUE
enum { GPI(gather_threads) = 256 };

/* Item i gets the value with the number map[i], or that number if there are no values. */
static __global__ void __launch_bounds__(GPI(gather_threads))
    GPI(gather_kernel)(const GPI_RADIX_VALUE *in, const uint32_t *map, GPI_RADIX_VALUE *out, size_t n)
{
#if GPI_DEVICE_CODE
    const size_t pieces = sizeof(GPI_RADIX_VALUE) / GPI(piece_bytes);
    const size_t k = (size_t)blockIdx.x * GPI(gather_threads) + threadIdx.x;
    const size_t i = k / pieces, piece = k % pieces;

    if (GPI(indexed) && i < n)
        GPI(move_piece)(out, i, in, map[i], piece);
#endif
}
#endif

/* ---- host functions ---------------------------------------------------------------------------- */

/* A constant of the kernel for small n, or of that for large n. */
#define GPI_RADIX_PASS(small, word) ((small) ? (size_t)GPI(small_##word) : (size_t)GPI(word))
#ifndef GPI_RADIX_ROWS /* tiles of a launch, at most: each has 1 KB, twice, for the look-back */
#define GPI_RADIX_ROWS ((size_t)(GPI(halves) ? 60 : 28) << 10)
#endif
#define GPI_RADIX_ROWS_BEFORE ((size_t)16) /* the first one: as many as a look-back reads at a time, at most */
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

static inline size_t GPI(blocks_of_pass)(size_t n)
{
    return gpi_resident_blocks((unsigned)GPI_RADIX_PASS(GPI(is_small)(n), blocks), GPI_RADIX_GRID, GP_GRID);
}

/* Items of a tile, at most, for which so much shared memory has room. */
static inline size_t GPI(largest_tile)(int small, size_t room)
{
    const size_t threads = GPI_RADIX_PASS(small, threads), items = GPI_RADIX_PASS(small, items);
    const size_t some = GPI_RADIX_PASS(small, rounds), others = GPI_RADIX_PASS(small, tile_bytes) + GPI_RADIX_SPARE;
    const size_t fitting = (room - others - 1024) / GPI_RADIX_PASS(small, slot) / threads;

    return threads * (items < fitting ? items : fitting / some * some);
}

/* Items of a tile of a pass. */
static inline size_t GPI(tile_of_pass)(size_t n, size_t room)
{
    const int small = GPI(is_small)(n);
    const size_t threads = GPI_RADIX_PASS(small, threads), some = threads * GPI_RADIX_PASS(small, rounds);
    const size_t largest = GPI(largest_tile)(small, room);
    const size_t tile_n = gpi_divide_up(gpi_divide_up(n, GPI(blocks_of_pass)(n)), some) * some;

    return gpi_smaller_size(gpi_larger_size(tile_n, 4 * threads), largest);
}

/* A sort in passes, in steps that the buckets take, too. */
typedef struct {
    const GPI(call) *call;
    GPI(job) job;
    gpi_radix_counts *counts;   /* the tickets follow them; both are zeroed */
    gpi_radix_buckets *buckets; /* their first words are zeroed, too */
    uint32_t *look;             /* the rows before the first tile's, and twice so many `rows` */
    size_t rows, bytes;         /* all of the workspace */
    int digits, in_place;
    int numbers; /* whether numbers are moved instead of values; they end up in job.values[1] */
} GPI(steps);

/* Divides the workspace. Enough for every device: with little shared memory there are the most tiles. */
static inline GPI(steps) GPI(lay_out)(char *memory, size_t n)
{
    const size_t small = GPI_RADIX_FORCES_BUCKETS ? SIZE_MAX : gpi_divide_up(n, GPI_RADIX_SMALL_TILE);
    const size_t tiles = gpi_larger_size(gpi_divide_up(n, GPI(largest_tile)(0, GPI_RADIX_MIN_ROOM)),
                                         gpi_smaller_size(small, GPI_RADIX_GRID));
    const size_t launches = (GPI_RADIX_MAX_DIGITS + 1) * gpi_divide_up(tiles, GPI_RADIX_ROWS);
    const size_t value_bytes = GPI_RADIX_PAIRS ? sizeof(GPI_RADIX_VALUE) : 0, row_bytes = 256 * sizeof(uint32_t);
    const uintptr_t at = (uintptr_t)memory;
    GPI(steps) steps;

    memset((void *)&steps, 0, sizeof steps);
    steps.rows = gpi_smaller_size(tiles, GPI_RADIX_ROWS);
    steps.job.keys[2] = (GP_KEY *)(at + gpi_carve(&steps.bytes, n, sizeof(GP_KEY)));
    steps.job.values[2] = (void *)(at + gpi_carve(&steps.bytes, n, value_bytes));
    steps.job.plan = (gpi_radix_plan *)(at + gpi_carve(&steps.bytes, 1, sizeof(gpi_radix_plan)));
    steps.counts = (gpi_radix_counts *)(
        at + gpi_carve(&steps.bytes, 1, sizeof(gpi_radix_counts) + launches * sizeof(uint32_t)));
    steps.buckets = (gpi_radix_buckets *)(
        at + gpi_carve(&steps.bytes, GPI(has_buckets) ? 1 : 0, sizeof(gpi_radix_buckets)));
    steps.look = (uint32_t *)(at + gpi_carve(&steps.bytes, GPI_RADIX_ROWS_BEFORE + 2 * steps.rows, row_bytes));
    return steps;
}

/*
 * The numbers have the values' room in the workspace; if the values are sorted in place, these need it in the end, and
 * the numbers move to that of the keys, which has served.
 */
static inline GPI(steps) GPI(begin_passes)(const GPI(call) *call)
{
    const GPI(request) *request = &call->request;
    const size_t n = request->n;
    GPI(steps) steps = GPI(lay_out)(call->memory, n);
    GPI(job) *job = &steps.job;

    steps.call = call;
    steps.digits = (request->end_bit - request->begin_bit + 7) / 8;
    steps.numbers = GPI(indexed) && !GPI(is_small)(n);
    steps.in_place = request->keys_in == request->keys_out ||
                     (GPI_RADIX_PAIRS && !steps.numbers && request->values_in == request->values_out);
    job->keys[0] = (GP_KEY *)request->keys_in;
    job->keys[1] = request->keys_out;
    job->values[0] = steps.numbers ? NULL : (void *)request->values_in;
    job->values[1] =
        steps.numbers ? (void *)((uint32_t *)job->values[2] + (n + 3) / 4 * 4) : (void *)request->values_out;
    job->begin_bit = request->begin_bit;
    job->end_bit = request->end_bit;
    job->tile_n = (uint32_t)GPI(tile_of_pass)(n, call->device.room);
    job->again = GP_KERNEL == GP_KERNEL_PASSES_AGAIN;
    return steps;
}

/* Clears counts and tickets, and so many words of what follows them. */
static inline cudaError_t GPI(clear)(const GPI(steps) *steps, size_t extra)
{
    uint32_t *words = (uint32_t *)steps->counts;
    const size_t n = (size_t)((uint32_t *)steps->buckets - words) + extra;

    return GPI_LAUNCH_DEPENDENT(steps->call->device.dependent, gpi_radix_clear_kernel,
                                (unsigned)gpi_divide_up(n, GPI_RADIX_CLEAR_THREADS), GPI_RADIX_CLEAR_THREADS, 0,
                                steps->call->stream, words, n);
}

/* Counts the digits and makes the plan, which may take so many `levels` of buckets instead. */
static inline cudaError_t GPI(make_plan_of)(const GPI(steps) *steps, int levels)
{
    const GPI(call) *call = steps->call;
    const size_t n = call->request.n, vectors = gpi_divide_up(n * sizeof(GP_KEY), 16 * GPI_RADIX_COUNT_THREADS);
    const size_t rows = GPI_RADIX_IS_COUNTED(steps->job) ? 0 : GPI_RADIX_ROWS_BEFORE + steps->rows; /* to be cleared */
    unsigned columns = n < (size_t)1 << 22 ? 4 : GPI(columns);

    while (columns * (unsigned)steps->digits * 1024 + 4096 > call->device.room)
        columns /= 2;
    const int bits = steps->job.end_bit - steps->job.begin_bit;
    const GPI(counting) count = {steps->job.keys[0], n, steps->job.begin_bit, bits, steps->digits,
                                 8 * steps->digits - bits, bits ? UINT64_MAX >> (64 - bits) : 0, steps->in_place,
                                 GP_KERNEL == GP_KERNEL_PASSES_OLD, columns, steps->counts, steps->job.plan,
                                 steps->look, rows * 256, levels, steps->buckets, NULL, NULL, -1};
    return GPI_LAUNCH_DEPENDENT(call->device.dependent, GPI(count_kernel), gpi_resident_blocks(1, vectors, GP_GRID),
                                GPI_RADIX_COUNT_THREADS, columns * (unsigned)steps->digits * 1024, call->stream, count);
}

/* All passes over all portions. If there are ranges, a tile of each may be part of one. */
static inline cudaError_t GPI(pass_all)(const GPI(steps) *steps, const gpi_radix_ranges *ranges)
{
    const GPI(call) *call = steps->call;
    const size_t n = call->request.n, room = call->device.room, tile_n = steps->job.tile_n;
    const int small = GPI(is_small)(n), dependent = call->device.dependent;
    const int more = !GPI_RADIX_IS_COUNTED(steps->job) &&
                     (steps->digits == 0 || (steps->in_place && steps->digits % 2));
    const unsigned threads = (unsigned)GPI_RADIX_PASS(small, threads);
    const size_t blocks = GPI(blocks_of_pass)(n), portion = steps->rows * tile_n;
    const size_t portions = gpi_divide_up(n, portion);
    const size_t needed = tile_n * GPI_RADIX_PASS(small, slot) + (GPI_RADIX_PAIRS ? GPI_RADIX_SPARE : 0);
    /* Small n: no room for two blocks of the next launch, which may start before this one ends, on a multiprocessor. */
    const size_t bytes = small && needed < room / 2 ? room / 2 : needed;
    GPI(job) job = steps->job;
    cudaError_t error = cudaSuccess;

    job.ranges = ranges;
    for (size_t launch = 0; launch < (size_t)(steps->digits + more) * portions && error == cudaSuccess; launch++) {
        size_t which = launch % portions, next = (launch + 1) % portions;

        job.first = which * portion;
        job.n = (uint32_t)gpi_smaller_size(n - which * portion, portion);
        job.tiles = (uint32_t)gpi_divide_up(job.n, tile_n);
        job.next_rows = (uint32_t)gpi_divide_up(gpi_smaller_size(n - next * portion, portion), tile_n);
        job.next_rows += ranges ? GPI_RADIX_RANGES : 0;
        job.pass = (int)(launch / portions);
        job.odd = which % 2;
        job.ticket = (uint32_t *)(steps->counts + 1) + launch;
        job.look = steps->look + (GPI_RADIX_ROWS_BEFORE + launch % 2 * steps->rows) * 256;
        job.look_next = steps->look + (GPI_RADIX_ROWS_BEFORE + (launch + 1) % 2 * steps->rows) * 256;
        unsigned grid = (unsigned)gpi_smaller_size(blocks, job.tiles);
        if (small)
            error = GPI_LAUNCH_DEPENDENT(dependent, GPI(small_pass_kernel), grid, threads, bytes, call->stream, job);
        else
            error = GPI_LAUNCH_DEPENDENT(dependent, GPI(pass_kernel), grid, threads, bytes, call->stream, job);
    }
    return error;
}

/* Fetches the values if their numbers have been sorted. */
static inline cudaError_t GPI(end_passes)(const GPI(steps) *steps)
{
    cudaError_t error = cudaSuccess;
#ifdef GP_VALUE
    const GPI(request) *request = &steps->call->request;
    const cudaStream_t stream = steps->call->stream;
    const GPI_RADIX_VALUE *values = request->values_in;
    const uint32_t *numbers = (const uint32_t *)steps->job.values[1];
    const size_t n = request->n, pieces = sizeof *values / GPI(piece_bytes);

    if (!steps->numbers)
        return cudaSuccess;
    if (values == request->values_out) {
        numbers = (const uint32_t *)(const void *)steps->job.keys[2];
        values = (const GPI_RADIX_VALUE *)steps->job.values[2];
        error = cudaMemcpyAsync(steps->job.keys[2], steps->job.values[1], n * sizeof *numbers, cudaMemcpyDeviceToDevice,
                                stream);
        if (error == cudaSuccess)
            error = cudaMemcpyAsync(steps->job.values[2], request->values_in, n * sizeof *values,
                                    cudaMemcpyDeviceToDevice, stream);
    }
    if (error == cudaSuccess)
        error = GPI_LAUNCH(GPI(gather_kernel), (unsigned)gpi_divide_up(n * pieces, (size_t)GPI(gather_threads)),
                           (unsigned)GPI(gather_threads), 0, stream, values, numbers, request->values_out, n);
#else
    (void)steps;
#endif
    return error;
}

static inline size_t GPI(passes_bytes)(size_t n)
{
    return GPI(lay_out)(NULL, n).bytes;
}
