/* test options: timeout=600 */
/* histogram.cuh: bins by value, of even width and between levels, for every kind of type, with every kernel. */
#include <float.h>
#include <math.h>
#include <stdint.h>

#include "tap.h"

/* clang-format off */
typedef struct { uint16_t a, b; } s4; /* a power of two, but of a small alignment */
typedef struct { float x; uint8_t bin[8]; } s12;
typedef struct { uint8_t x; } s1;
typedef struct { uint64_t a[25]; } s200;
/* clang-format on */

__extension__ typedef __int128 wide_number;

/* Calls of an instance, and what is expected of them, item by item, in C. */
typedef struct {
    const char *name;
    size_t bytes, align;
    cudaError_t (*values)(const void *in, uint64_t *counts, size_t n, size_t bins, gp_workspace *ws, cudaStream_t s);
    cudaError_t (*even)(const void *in, uint64_t *counts, size_t n, size_t bins, const void *lower, const void *upper,
                        gp_workspace *ws);
    cudaError_t (*range)(const void *in, uint64_t *counts, size_t n, size_t bins, const void *levels, gp_workspace *ws);
    size_t (*workspace)(size_t n, size_t bins);
    void (*expect_values)(const void *in, uint64_t *counts, size_t n, size_t bins);
    void (*expect_even)(const void *in, uint64_t *counts, size_t n, size_t bins, const void *lower, const void *upper);
    void (*expect_range)(const void *in, uint64_t *counts, size_t n, size_t bins, const void *levels);
    void (*item)(void *to, double x); /* near x, of the type */
} histogram_case;

/* As users have them: the default, twice, and contexts, expressions and structs. */
#include <gpuprims/histogram.cuh>
#include <gpuprims/histogram.cuh>

#define CASE u8
#define CASE_T uint8_t
#include "histogram_case.h"
#define CASE i8
#define CASE_T int8_t
#include "histogram_case.h"
#define CASE u16
#define CASE_T uint16_t
#include "histogram_case.h"
#define CASE i16
#define CASE_T int16_t
#define CASE_GLOBAL
#include "histogram_case.h"
#define CASE u32
#define CASE_T uint32_t
#include "histogram_case.h"
#define CASE i32
#define CASE_T int32_t
#include "histogram_case.h"
#define CASE u32_shared
#define CASE_T uint32_t
#define CASE_SHARED
#include "histogram_case.h"
#define CASE i32_global
#define CASE_T int32_t
#define CASE_GLOBAL
#include "histogram_case.h"
#define CASE u64
#define CASE_T uint64_t
#include "histogram_case.h"
#define CASE i64
#define CASE_T long long
#include "histogram_case.h"
#define CASE f32
#define CASE_T float
#define CASE_IS_REAL
#include "histogram_case.h"
#define CASE f32_global
#define CASE_T float
#define CASE_IS_REAL
#define CASE_GLOBAL
#include "histogram_case.h"
#define CASE f64
#define CASE_T double
#define CASE_IS_REAL
#include "histogram_case.h"

/* From here on inputs need not be large to be counted as large ones are. */
#undef GPI_TUNE_HISTOGRAM_TABLE
#undef GPI_TUNE_HISTOGRAM_SHARED
#undef GPI_TUNE_HISTOGRAM_PART
#undef GPI_TUNE_HISTOGRAM_ROOM
#undef GPI_TUNE_HISTOGRAM_SMALL_ROOM
#undef GPI_TUNE_HISTOGRAM_THREADS
#undef GPI_TUNE_HISTOGRAM_SLOTS
#undef GPI_TUNE_HISTOGRAM_CLEARED
#define GPI_TUNE_HISTOGRAM_TABLE   0
#define GPI_TUNE_HISTOGRAM_SHARED  0
#define GPI_TUNE_HISTOGRAM_PART    0
#define GPI_TUNE_HISTOGRAM_ROOM    (8 << 10)
#define GPI_TUNE_HISTOGRAM_SMALL_ROOM (6 << 10)
#define GPI_TUNE_HISTOGRAM_THREADS 64
#define GPI_TUNE_HISTOGRAM_SLOTS   10
#define GPI_TUNE_HISTOGRAM_CLEARED 700

#define CASE u8_early
#define CASE_T uint8_t
#include "histogram_case.h"
#define CASE u16_early
#define CASE_T uint16_t
#include "histogram_case.h"
#define CASE i32_early
#define CASE_T int32_t
#include "histogram_case.h"
#define CASE u64_early
#define CASE_T uint64_t
#include "histogram_case.h"
#define CASE i64_early
#define CASE_T int64_t
#include "histogram_case.h"
#define CASE f32_early
#define CASE_T float
#define CASE_IS_REAL
#include "histogram_case.h"
#define CASE f64_early
#define CASE_T double
#define CASE_IS_REAL
#include "histogram_case.h"

static const histogram_case *const cases[] = {
    &u8_case,  &i8_case,  &u16_case,        &i16_case,       &u32_case,       &i32_case,       &u32_shared_case,
    &u64_case, &i64_case, &i32_global_case, &f32_case,       &f32_global_case, &f64_case,      &u8_early_case,
    &u16_early_case,      &i32_early_case,  &u64_early_case, &i64_early_case, &f32_early_case, &f64_early_case,
};
enum { CASES = sizeof cases / sizeof *cases };

/* ---- all of them ------------------------------------------------------------------------------- */

/* What is in an input. */
enum { UNIFORM, ONE, TWO, EIGHT, HALF, SORTED, WILD, KINDS };

/* Item i of n, most of them from 0 to below `limit`, of some kind. */
static void make_item(const histogram_case *t, void *to, int kind, size_t i, size_t n, double limit)
{
    const uint64_t random = tap_random();
    const double fraction = (double)(random >> 11) / 9007199254740992.0;

    switch (kind) {
    case UNIFORM: t->item(to, floor(fraction * limit) + (random % 3 == 0 ? 0.5 : 0)); break;
    case ONE: t->item(to, floor(limit / 2)); break;
    case TWO: t->item(to, random % 2 ? 1 : floor(limit / 3)); break;
    case EIGHT: t->item(to, floor((double)(random % 8) * limit / 8)); break;
    case HALF: t->item(to, random % 2 ? floor(limit / 2) : floor(fraction * limit)); break;
    case SORTED: t->item(to, floor((double)i / (double)n * limit)); break;
    default: /* any bits: NaNs, infinities, numbers far outside */
        for (size_t b = 0; b < t->bytes; b++)
            ((uint8_t *)to)[b] = (uint8_t)(tap_random() >> 8);
        if (random % 4) /* or the first ones that are in no bin */
            t->item(to, random % 32 == 1 ? limit + (double)(i % 2) : fraction * limit * 1.2 - limit * 0.1);
    }
}

static void *make(const histogram_case *t, int kind, size_t n, double limit)
{
    char *in = (char *)malloc(n * t->bytes + 1);

    for (size_t i = 0; i < n; i++)
        make_item(t, in + i * t->bytes, kind, i, n, limit);
    return in;
}

enum { VALUES, EVEN, RANGE };

/* One call, between guards, of counts that hold something else before. */
static int is_right(const histogram_case *t, int what, const void *in, size_t n, size_t at, size_t bins, const void *lower,
                    const void *upper, gp_workspace *ws)
{
    uint64_t *got = (uint64_t *)malloc(bins * sizeof *got), *expected = (uint64_t *)calloc(bins, sizeof *expected);
    const size_t levels_bytes = what == RANGE ? (bins + 1) * t->bytes : 0;
    tap_buffer d_in = tap_buffer_of(in, n * t->bytes, at), d_counts = tap_buffer_new(bins * sizeof *got, 8 * (n % 3));
    tap_buffer d_levels = tap_buffer_of(lower ? lower : in, levels_bytes, t->align);
    uint64_t *counts = (uint64_t *)d_counts.data;
    int right;

    right = (what == VALUES ? t->values(d_in.data, counts, n, bins, ws, 0)
             : what == EVEN ? t->even(d_in.data, counts, n, bins, lower, upper, ws)
                            : t->range(d_in.data, counts, n, bins, d_levels.data, ws)) == cudaSuccess;
    tap_buffer_read(got, &d_counts, bins * sizeof *got);
    if (what == VALUES)
        t->expect_values(in, expected, n, bins);
    else if (what == EVEN)
        t->expect_even(in, expected, n, bins, lower, upper);
    else
        t->expect_range(in, expected, n, bins, lower);
    right &= memcmp(got, expected, bins * sizeof *got) == 0;
    right &= tap_buffer_intact(&d_counts, bins * sizeof *got) && tap_buffer_intact(&d_in, n * t->bytes);
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_counts);
    tap_buffer_free(&d_levels);
    free(got);
    free(expected);
    return right;
}

/* The three functions for one input: so many bins, the even ones and levels over most of what there is. */
static int all_right(const histogram_case *t, int kind, size_t n, size_t at, size_t bins, gp_workspace *ws)
{
    const double limit = t->bytes == 1 ? 120 : t->bytes == 2 && bins > 30000 ? 30000 : (double)bins;
    char *in = (char *)make(t, kind, n, limit), *levels = (char *)malloc((bins + 1) * t->bytes);
    uint64_t lower[2] = {0, 0}, upper[2] = {0, 0};
    int right = !t->values || is_right(t, VALUES, in, n, at, bins, NULL, NULL, ws);

    t->item(lower, floor(limit * 0.1));
    t->item(upper, floor(limit * 0.9) + 1);
    right &= is_right(t, EVEN, in, n, at, bins, lower, upper, ws);
    t->item(lower, 0); /* as wide as the type: bins begin at items */
    t->item(upper, limit + 1);
    right &= is_right(t, EVEN, in, n, at, bins, lower, upper, ws);
    for (size_t b = 0; b <= bins; b++) /* some are equal */
        t->item(levels + b * t->bytes, floor((double)(b - b % 3) * limit / (double)(bins + 1)) + 1);
    right &= is_right(t, RANGE, in, n, at, bins, levels, NULL, ws);
    free(in);
    free(levels);
    return right;
}

static void test_sizes(const histogram_case *t)
{
    static const size_t sizes[] = {0,    1,    2,    15,   16,   17,    31,    32,    33,   255,
                                   1023, 1024, 1025, 4095, 4097, 16384, 16385, 33013, 70001};
    static const size_t bins[] = {1, 2, 6, 7, 256, 1000};
    gp_workspace ws = GP_WORKSPACE_INIT;

    for (size_t b = 0; b < sizeof bins / sizeof *bins; b++) {
        int right = 1;

        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            if (!tap_small || sizes[s] < 20000)
                right &= all_right(t, WILD, sizes[s], tap_below(128 / t->align) * t->align, bins[b], s % 2 ? &ws : NULL);
        ok(right, "%s: every size, %zu bins", t->name, bins[b]);
    }
    must(gp_workspace_release(&ws, 0));
}

/* Every misalignment, and every kind of input, with few bins and with many. */
static void test_places_and_kinds(const histogram_case *t)
{
    static const size_t bins[] = {5, 256, 3001, 9973, 65536, 140000};
    int right = 1;

    for (size_t at = 0; at < 16; at += t->align)
        right &= all_right(t, UNIFORM, 1 + 300 * 16 / t->bytes, at, 40, NULL) && all_right(t, WILD, 9, at, 3, NULL);
    ok(right, "%s: every misalignment", t->name);
    for (size_t b = 0; b < sizeof bins / sizeof *bins; b++) {
        right = 1;
        if (tap_small && bins[b] > 10000)
            continue;
        for (int kind = 0; kind < KINDS; kind++)
            right &= all_right(t, kind, tap_small ? 5000 : 40009, 0, bins[b], NULL);
        ok(right, "%s: every kind of input, %zu bins", t->name, bins[b]);
    }
}

/* So many items that each kernel of a large input runs as it does for users. */
static void test_large(const histogram_case *t)
{
    static const size_t bins[] = {256, 3000, 57000, 60000, 200000};
    const size_t n = (size_t)3000017;

    for (size_t b = 0; b < sizeof bins / sizeof *bins; b++)
        ok(all_right(t, b % 2 ? UNIFORM : WILD, n, t->align, bins[b], NULL), "%s: %zu items, %zu bins", t->name, n, bins[b]);
}

/* ---- even bins at their limits ----------------------------------------------------------------- */

/* Bits of the type: the first `bytes` of them. */
static int even_is_right(const histogram_case *t, const void *in, size_t n, size_t bins, const void *lower,
                         const void *upper)
{
    return is_right(t, EVEN, in, n, 0, bins, lower, upper, NULL);
}

static void test_even_limits(void)
{
    enum { N = 20000 };
    static uint64_t words[N];
    static uint32_t halves[N];
    static const size_t bins[] = {1, 3, 10, 255, 256, 1000, 4096, 65536, 100003};
    int right[6] = {1, 1, 1, 1, 1, 1};

    for (size_t b = 0; b < sizeof bins / sizeof *bins; b++)
        for (int round = 0; round < (tap_small ? 2 : 6); round++) {
            uint64_t low = round == 0 ? 0 : tap_random(), high = round == 0 ? UINT64_MAX : tap_random();
            int64_t slow = INT64_MIN, shigh = INT64_MAX;
            uint32_t low_32 = (uint32_t)low, high_32 = (uint32_t)high;
            int32_t slow_32 = INT32_MIN, shigh_32 = INT32_MAX;

            if (low > high)
                low ^= high, high ^= low, low ^= high;
            if (low_32 > high_32)
                low_32 ^= high_32, high_32 ^= low_32, low_32 ^= high_32;
            for (size_t i = 0; i < N; i++) { /* about where bins begin, too */
                const wide_number begin = (wide_number)(high - low) * (wide_number)(tap_random() % (bins[b] + 1));

                words[i] = i % 2 ? tap_random() : low + (uint64_t)(begin / bins[b]) + tap_random() % 3 - 1;
                halves[i] = i % 2 ? (uint32_t)tap_random()
                                  : low_32 + (uint32_t)((uint64_t)(high_32 - low_32) * (tap_random() % (bins[b] + 1)) /
                                                        bins[b]) + (uint32_t)(tap_random() % 3) - 1;
            }
            right[0] &= even_is_right(&u64_case, words, N, bins[b], &low, &high);
            right[1] &= even_is_right(&i64_case, words, N, bins[b], &slow, &shigh);
            right[2] &= even_is_right(&u32_case, halves, N, bins[b], &low_32, &high_32);
            right[3] &= even_is_right(&i32_case, halves, N, bins[b], &slow_32, &shigh_32);
            right[4] &= even_is_right(&u64_early_case, words, N, bins[b], &low, &high) &&
                        even_is_right(&i64_early_case, words, N, bins[b], &slow, &shigh);
            right[5] &= even_is_right(&i32_early_case, halves, N, bins[b], &slow_32, &shigh_32) &&
                        even_is_right(&i32_global_case, halves, N, bins[b], &slow_32, &shigh_32);
        }
    ok(right[0], "even bins of u64 to the limits");
    ok(right[1], "even bins of i64 to the limits");
    ok(right[2], "even bins of u32 to the limits");
    ok(right[3], "even bins of i32 to the limits");
    ok(right[4], "even bins of 8 bytes, by a table");
    ok(right[5], "even bins of 4 bytes, by a table and in the L2");
}

/* Floats at and around the ends of bins, of ranges far from 0, across it, tiny and huge. */
static void test_even_floats(void)
{
    enum { N = 20000 };
    static const double ranges[][2] = {{0, 1},         {0, 256},       {0.1, 0.7},       {-1, 1},        {-3.7, 1000.3},
                                       {1e6, 1e6 + 1}, {-1e30, 1e30},  {1e-30, 2e-30},   {0, 1e-38},     {-1e-3, 1e25},
                                       {1 - 1e-7, 1},  {-1e-40, 3e38}, {1e15, 1e15 + 64}, {5, 5.0000005}, {-7e-12, 7e-12}};
    static const size_t bins[] = {1, 3, 10, 256, 1000, 65536, 100003};
    static float narrow[N];
    static double wide[N];
    int right = 1, right_wide = 1, early = 1;

    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
        for (size_t b = 0; b < sizeof bins / sizeof *bins; b++) {
            const double low = ranges[r][0], high = ranges[r][1];
            const float low_f = (float)low, high_f = (float)high;

            for (size_t i = 0; i < N; i++) {
                const double begin = low + (double)tap_below(bins[b] + 1) * (high - low) / (double)bins[b];
                const double fraction = (double)(tap_random() >> 11) / 9007199254740992.0;

                wide[i] = i % 4 ? begin : low + fraction * (high - low);
                narrow[i] = (float)wide[i];
                for (size_t k = i % 4; k > 1; k--) {
                    wide[i] = nextafter(wide[i], i % 8 < 4 ? -DBL_MAX : DBL_MAX);
                    narrow[i] = nextafterf(narrow[i], i % 8 < 4 ? -FLT_MAX : FLT_MAX);
                }
            }
            narrow[0] = NAN, narrow[1] = INFINITY, narrow[2] = -INFINITY, narrow[3] = -0.0f;
            wide[0] = NAN, wide[1] = INFINITY, wide[2] = -INFINITY, wide[3] = -0.0;
            if (low_f < high_f) {
                right &= even_is_right(&f32_case, narrow, N, bins[b], &low_f, &high_f);
                right &= even_is_right(&f32_global_case, narrow, N, bins[b], &low_f, &high_f);
                early &= even_is_right(&f32_early_case, narrow, N, bins[b], &low_f, &high_f);
            }
            right_wide &= even_is_right(&f64_case, wide, N, bins[b], &low, &high);
            early &= even_is_right(&f64_early_case, wide, N, bins[b], &low, &high);
        }
    ok(right, "even bins of floats: where they begin, NaN, infinities");
    ok(right_wide, "even bins of doubles");
    ok(early, "even bins of both, by a table");
}

/* ---- bins, expressions, contexts, structs ------------------------------------------------------ */

typedef struct {
    int divisor;
    const uint32_t *order;
} by;

static __device__ int bin_of_s12(s12 x)
{
    return x.bin[3] - 100;
}

#define GP_NAME quotient
#define GP_TYPE int
#define GP_CONTEXT by
#define GP_BIN(x, bins, c) ((x) / (c).divisor)
#include <gpuprims/histogram.cuh>
#define GP_NAME rest
#define GP_TYPE uint8_t
#define GP_BIN(x, bins) ((x) % (bins))
#define GP_GRID 2
#include <gpuprims/histogram.cuh>
#define GP_NAME field
#define GP_TYPE s12
#define GP_BIN(x, bins) bin_of_s12(x)
#define GP_GRID 3
#include <gpuprims/histogram.cuh>
#define GP_NAME pair
#define GP_TYPE s4
#define GP_BIN(x, bins) ((x).a ^ (x).b)
#define GP_INDEX unsigned
#include <gpuprims/histogram.cuh>
#define GP_NAME byte
#define GP_TYPE s1
#define GP_BIN(x, bins) ((x).x / 2)
#include <gpuprims/histogram.cuh>
#define GP_NAME large
#define GP_TYPE s200
#define GP_BIN(x, bins) (long long)((x).a[24] % 50)
#include <gpuprims/histogram.cuh>
#define GP_NAME counting
#define GP_TYPE uint64_t
#define GP_INPUT_TYPE void
#define GP_LOAD_AT(in, i) ((uint64_t)(i) / 3)
#include <gpuprims/histogram.cuh>
#define GP_NAME bytes_at
#define GP_TYPE uint8_t
#define GP_INPUT_TYPE uint32_t
#define GP_LOAD_AT(in, i) ((uint8_t)(((in)[i] >> 16) + 1))
#define GP_BIN(x, bins) ((x) + 1)
#include <gpuprims/histogram.cuh>
#define GP_NAME permuted
#define GP_TYPE float
#define GP_CONTEXT by
#define GP_LOAD_AT(in, i, c) ((in)[(c).order[i]])
#define GP_GRID 2
#include <gpuprims/histogram.cuh>
#define GP_NAME plain_struct
#define GP_TYPE s12
#include <gpuprims/histogram.cuh>
#define GP_NAME exported
#define GP_TYPE short
#define GP_API GP_EXTERN_C
#define GP_INDEX int
#include <gpuprims/histogram.cuh>

enum { MOST = 30011, BINS = 300 };
static uint32_t numbers[4 * MOST], order[MOST];

/* Counts that a call gives, and what `bin` (of item i; an expression) says. */
#define EXPRESSION_IS(words, call, bin_expression)                        \
    do {                                                                  \
        int right = 1;                                                    \
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {       \
            const size_t n = sizes[s];                                    \
            uint64_t got[BINS], expected[BINS];                           \
            tap_buffer d_counts = tap_buffer_new(sizeof got, 0);          \
            uint64_t *counts = (uint64_t *)d_counts.data;                 \
                                                                          \
            memset(expected, 0, sizeof expected);                         \
            for (size_t i = 0; i < n; i++) {                              \
                const long long bin = (long long)(bin_expression);        \
                                                                          \
                if (bin >= 0 && bin < BINS)                               \
                    expected[bin]++;                                      \
            }                                                             \
            right &= (call) == cudaSuccess;                               \
            tap_buffer_read(got, &d_counts, sizeof got);                  \
            right &= memcmp(got, expected, sizeof got) == 0;              \
            right &= tap_buffer_intact(&d_counts, sizeof got);            \
            tap_buffer_free(&d_counts);                                   \
        }                                                                 \
        ok(right, "%s", words);                                           \
    } while (0)

static void test_expressions(void)
{
    static const size_t sizes[] = {0, 1, 2, 3, 31, 33, 100, 255, 1000, 2049, 601};
    static const size_t all = 8;
    tap_buffer d = tap_buffer_of(numbers, sizeof numbers, 4), d_order = tap_buffer_of(order, sizeof order, 0);
    const by c = {7, (const uint32_t *)d_order.data};
    const int *ints = (const int *)numbers;
    const uint8_t *bytes = (const uint8_t *)numbers;
    const uint16_t *shorts = (const uint16_t *)numbers;
    const float *floats = (const float *)(const void *)numbers;

    (void)all;
    EXPRESSION_IS("GP_BIN with a context", quotient_histogram((const int *)d.data, counts, n, BINS, c, NULL, 0),
                  ints[i] / 7);
    EXPRESSION_IS("GP_BIN of bytes", rest_histogram((const uint8_t *)d.data + 3, counts, n, BINS, NULL, 0),
                  bytes[i + 3] % BINS);
    EXPRESSION_IS("GP_BIN of structs", field_histogram((const s12 *)d.data, counts, n, BINS, NULL, 0),
                  bytes[12 * i + 7] - 100);
    EXPRESSION_IS("GP_BIN of small structs, anywhere",
                  pair_histogram((const s4 *)(const void *)((const uint16_t *)d.data + 1), counts, n, BINS, NULL, 0),
                  shorts[2 * i + 1] ^ shorts[2 * i + 2]);
    EXPRESSION_IS("GP_BIN of structs of a byte", byte_histogram((const s1 *)d.data + 1, counts, n, BINS, NULL, 0),
                  bytes[i + 1] / 2);
    EXPRESSION_IS("GP_LOAD_AT from nothing", counting_histogram(NULL, counts, n, BINS, NULL, 0), i / 3);
    EXPRESSION_IS("GP_LOAD_AT from nothing, even", counting_histogram_even(NULL, counts, n, BINS, 10, 210, NULL, 0),
                  i / 3 < 10 || i / 3 >= 210 ? (size_t)BINS : (i / 3 - 10) * BINS / 200);
    EXPRESSION_IS("GP_LOAD_AT and GP_BIN of bytes", bytes_at_histogram((const uint32_t *)d.data, counts, n, BINS, NULL, 0),
                  (uint8_t)(bytes[4 * i + 2] + 1) + 1);
    EXPRESSION_IS("GP_LOAD_AT with a context, even",
                  permuted_histogram_even((const float *)d.data, counts, n, BINS, 0.0f, 1.0f, c, NULL, 0),
                  floats[order[i]] >= 0 && floats[order[i]] < 1 ? floor(BINS * (double)floats[order[i]]) : -1);
    EXPRESSION_IS("an exported instance", exported_histogram((const short *)d.data, counts, n, BINS, NULL, 0),
                  (short)shorts[i]);
    tap_buffer_free(&d);
    tap_buffer_free(&d_order);

    s200 *many = (s200 *)calloc(500, sizeof *many);
    uint64_t got[50];
    int right = 1;
    for (size_t i = 0; i < 500; i++)
        many[i].a[24] = i * i;
    tap_buffer d_many = tap_buffer_of(many, 500 * sizeof *many, 8), d_counts = tap_buffer_new(sizeof got, 0);
    right = large_histogram((const s200 *)d_many.data, (uint64_t *)d_counts.data, 500, 50, NULL, 0) == cudaSuccess;
    tap_buffer_read(got, &d_counts, sizeof got);
    for (size_t i = 0; i < 500; i++)
        got[i * i % 50]--;
    for (size_t b = 0; b < 50; b++)
        right &= got[b] == 0;
    ok(right, "GP_BIN of structs of 200 bytes");
    tap_buffer_free(&d_many);
    tap_buffer_free(&d_counts);
    free(many);
}

/* ---- errors, nothing, workspaces, streams ------------------------------------------------------ */

static void refused(cudaError_t error, const char *function, const char *argument)
{
    ok(error == cudaErrorInvalidValue && strstr(gp_last_error_message(), function) &&
           strstr(gp_last_error_message(), argument),
       "refused: %s", gp_last_error_message());
}

static void test_errors(void)
{
    tap_buffer a = tap_buffer_new(4096, 0), b = tap_buffer_new(4096, 0);
    const int *in = (const int *)a.data;
    const float *floats = (const float *)a.data;
    const double *doubles = (const double *)a.data;
    uint64_t *counts = (uint64_t *)b.data;
    const s12 *structs = (const s12 *)a.data;
    const s12 none = {0, {0}};
    const short *shorts = (const short *)a.data;

    refused(gp_histogram(NULL, counts, 3, 5, NULL, 0), "gp_histogram", "in is NULL");
    refused(gp_histogram(in, NULL, 3, 5, NULL, 0), "gp_histogram", "counts is NULL");
    refused(gp_histogram(NULL, NULL, 0, 5, NULL, 0), "gp_histogram", "counts is NULL");
    refused(gp_histogram(in, counts, 3, 0, NULL, 0), "gp_histogram", "bins is 0; it must be at least 1");
    refused(gp_histogram_even(in, counts, 3, 0, 1, 2, NULL, 0), "gp_histogram_even", "bins is 0");
    refused(gp_histogram_range(in, counts, 3, 0, in, NULL, 0), "gp_histogram_range", "bins is 0");
    refused(gp_histogram(in, counts, SIZE_MAX, 5, NULL, 0), "gp_histogram", "n is");
    refused(gp_histogram(in, counts, 3, SIZE_MAX, NULL, 0), "gp_histogram", "bins is");
    refused(gp_histogram_even(in, counts, 3, SIZE_MAX, 1, 2, NULL, 0), "gp_histogram_even", "bins is");
    refused(gp_histogram_range(in, counts, 3, SIZE_MAX / 8, in, NULL, 0), "gp_histogram_range", "bins is");
    refused(exported_histogram(shorts, counts, (size_t)1 << 31, 5, NULL, 0), "exported_histogram",
            "n is 2147483648; it must be at most 2147483647");
    refused(gp_histogram_even(in, counts, 3, 5, 2, 2, NULL, 0), "gp_histogram_even", "lower is not less than upper");
    refused(gp_histogram_even(in, counts, 3, 5, 3, 2, NULL, 0), "gp_histogram_even", "lower is not less than upper");
    refused(f32_histogram_even(floats, counts, 3, 5, NAN, 2, NULL, 0), "f32_histogram_even", "lower is not less");
    refused(f32_histogram_even(floats, counts, 3, 5, 1, NAN, NULL, 0), "f32_histogram_even", "lower is not less");
    refused(f64_histogram_even(doubles, counts, 3, 5, -INFINITY, 2, NULL, 0), "f64_histogram_even", "not finite");
    refused(f64_histogram_even(doubles, counts, 3, 5, -DBL_MAX, DBL_MAX, NULL, 0), "f64_histogram_even", "not finite");
    refused(gp_histogram_range(in, counts, 3, 5, NULL, NULL, 0), "gp_histogram_range", "levels is NULL");
    refused(f32_histogram(floats, counts, 3, 5, NULL, 0), "f32_histogram", "GP_BIN is missing");
    refused(plain_struct_histogram(structs, counts, 3, 5, NULL, 0), "plain_struct_histogram", "GP_BIN is missing");
    refused(field_histogram_even(structs, counts, 3, 5, none, none, NULL, 0), "field_histogram_even", "not arithmetic");
    refused(field_histogram_range(structs, counts, 3, 5, structs, NULL, 0), "field_histogram_range", "not arithmetic");
    refused(gp_histogram(in, (uint64_t *)a.data, 3, 5, NULL, 0), "gp_histogram", "in and counts overlap");
    refused(gp_histogram_range(in, counts, 3, 5, (const int *)(const void *)(counts + 4), NULL, 0),
            "gp_histogram_range", "counts and levels overlap");
    ok(cudaGetLastError() == cudaSuccess, "a refusal leaves no pending error");
    ok(tap_buffer_intact(&a, 0) && tap_buffer_intact(&b, 0), "nor anything else");
    must(cudaMemset(a.data, 0, 4096));
    ok(gp_histogram(in, (uint64_t *)a.data + 2, 4, 5, NULL, 0) == cudaSuccess, "neighbours do not overlap");
    tap_buffer_free(&a);
    tap_buffer_free(&b);
}

static void test_nothing(void)
{
    uint64_t got[9];
    tap_buffer b = tap_buffer_new(sizeof got, 8);
    uint64_t *counts = (uint64_t *)b.data;
    const by c = {1, NULL};
    int right = 1;

    for (int k = 0; k < 4; k++) {
        must(cudaMemset(counts, 0xC3, sizeof got));
        right &= (k == 0   ? gp_histogram(NULL, counts, 0, 9, NULL, 0)
                  : k == 1 ? gp_histogram_even(NULL, counts, 0, 9, 1, 2, NULL, 0)
                  : k == 2 ? gp_histogram_range(NULL, counts, 0, 9, NULL, NULL, 0)
                           : quotient_histogram(NULL, counts, 0, 9, c, NULL, 0)) == cudaSuccess;
        tap_buffer_read(got, &b, sizeof got);
        for (int i = 0; i < 9; i++)
            right &= got[i] == 0;
    }
    ok(right && tap_buffer_intact(&b, sizeof got), "n == 0 clears the counts");
    tap_buffer_free(&b);
}

static void test_workspace(void)
{
    enum { N = 200003, BINS_HERE = 100 };
    const size_t bytes = u16_histogram_workspace_bytes(N, BINS_HERE);
    uint16_t *in = (uint16_t *)malloc(N * sizeof *in);
    uint64_t got[BINS_HERE], expected[BINS_HERE] = {0};
    tap_buffer memory = tap_buffer_new(bytes, 1), d_in, d_counts = tap_buffer_new(sizeof got, 0);
    gp_workspace ws = GP_WORKSPACE_INIT;
    int right = 1;

    for (size_t i = 0; i < N; i++) {
        in[i] = (uint16_t)tap_below(BINS_HERE + 5);
        if (in[i] < BINS_HERE)
            expected[in[i]]++;
    }
    d_in = tap_buffer_of(in, N * sizeof *in, 2);
    ok(bytes > 0 && u16_histogram_workspace_bytes(1, 7) == 0 && u16_histogram_workspace_bytes(0, SIZE_MAX) == 0 &&
           u16_histogram_workspace_bytes(SIZE_MAX, SIZE_MAX) == bytes &&
           u16_histogram_even_workspace_bytes(N, BINS_HERE) == bytes &&
           u16_histogram_range_workspace_bytes(N, BINS_HERE) == bytes,
       "the workspace does not grow with n or bins");
    must(gp_workspace_wrap(&ws, memory.data, bytes - 1, 0));
    refused(u16_histogram((const uint16_t *)d_in.data, (uint64_t *)d_counts.data, N, BINS_HERE, &ws, 0), "u16_histogram",
            "bytes");
    ok(tap_buffer_intact(&d_counts, 0), "a refusal changes nothing");
    must(gp_workspace_wrap(&ws, memory.data, bytes, 0));
    for (int call = 0; call < 5; call++) {
        must(cudaMemset(d_counts.data, 0x5A, sizeof got));
        right &= u16_histogram((const uint16_t *)d_in.data, (uint64_t *)d_counts.data, N, BINS_HERE, &ws, 0) == cudaSuccess;
        tap_buffer_read(got, &d_counts, sizeof got);
        right &= memcmp(got, expected, sizeof got) == 0;
    }
    ok(right && tap_buffer_intact(&memory, bytes), "a dirty workspace of exactly enough bytes will do, again and again");
    must(gp_workspace_release(&ws, 0));

    /* Calls without a pause, in two streams, each with a workspace of its own. */
    gp_workspace own[2] = {GP_WORKSPACE_INIT, GP_WORKSPACE_INIT};
    tap_buffer d_own[2];
    cudaStream_t streams[2];
    right = 1;
    for (int s = 0; s < 2; s++) {
        must(cudaStreamCreate(&streams[s]));
        d_own[s] = tap_buffer_new(sizeof got, 0);
    }
    for (int call = 0; call < 12; call++)
        right &= u16_case.values(d_in.data, (uint64_t *)d_own[call % 2].data, call < 10 ? N / 3 : N, BINS_HERE,
                                 &own[call % 2], streams[call % 2]) == cudaSuccess;
    for (int s = 0; s < 2; s++) {
        must(cudaStreamSynchronize(streams[s]));
        tap_buffer_read(got, &d_own[s], sizeof got);
        right &= memcmp(got, expected, sizeof got) == 0;
        must(gp_workspace_release(&own[s], streams[s]));
        must(cudaStreamDestroy(streams[s]));
        tap_buffer_free(&d_own[s]);
    }
    ok(right, "calls one after the other, in two streams");
    tap_buffer_free(&memory);
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_counts);
    free(in);
}

#ifdef __CUDACC__
/* Captured calls of each kernel, replayed with other items. */
static void test_graph(void)
{
    enum { N = 400000, FEW = 100, MANY = 300000 };
    uint32_t *in = (uint32_t *)malloc(N * sizeof *in);
    uint64_t *got = (uint64_t *)malloc(MANY * sizeof *got), *expected = (uint64_t *)malloc(MANY * sizeof *expected);
    tap_buffer d_in = tap_buffer_new(N * sizeof *in, 4), d_few = tap_buffer_new(FEW * sizeof *got, 0);
    tap_buffer d_many = tap_buffer_new(MANY * sizeof *got, 0);
    gp_workspace ws = GP_WORKSPACE_INIT;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    int right = 1;

    must(cudaStreamCreate(&stream));
    must(gp_workspace_reserve(&ws, u32_histogram_workspace_bytes(N, FEW), stream));
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    must(u32_histogram((const uint32_t *)d_in.data, (uint64_t *)d_few.data, N, FEW, &ws, stream));
    must(u32_histogram((const uint32_t *)d_in.data, (uint64_t *)d_many.data, N, MANY, NULL, stream));
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaGraphInstantiate(&executable, graph, 0));
    for (int replay = 0; replay < 4; replay++) {
        for (size_t i = 0; i < N; i++)
            in[i] = (uint32_t)tap_below(replay % 2 ? FEW : MANY + 7);
        must(cudaMemcpy(d_in.data, in, N * sizeof *in, cudaMemcpyHostToDevice));
        must(cudaGraphLaunch(executable, stream));
        must(cudaStreamSynchronize(stream));
        for (int many = 0; many < 2; many++) {
            const size_t bins = many ? MANY : FEW;

            memset(expected, 0, bins * sizeof *expected);
            u32_case.expect_values(in, expected, N, bins);
            tap_buffer_read(got, many ? &d_many : &d_few, bins * sizeof *got);
            right &= memcmp(got, expected, bins * sizeof *got) == 0;
        }
    }
    ok(right, "a captured graph replays right");
    must(cudaGraphExecDestroy(executable));
    must(cudaGraphDestroy(graph));
    must(gp_workspace_release(&ws, stream));
    must(cudaStreamDestroy(stream));
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_few);
    tap_buffer_free(&d_many);
    free(in);
    free(got);
    free(expected);
}

#define GP_NAME far
#define GP_TYPE uint8_t
#define GP_LOAD_AT(in, i) ((uint8_t)((i) % 3 == 0 ? 200 : (i) >> 33))
#include <gpuprims/histogram.cuh>
#define GP_NAME far_4
#define GP_TYPE uint32_t
#define GP_LOAD_AT(in, i) ((uint32_t)((i) % 3 == 0 ? 200 : (i) >> 33))
#include <gpuprims/histogram.cuh>

/* More items than 32 bits count, most of them in two bins. */
static void test_huge(void)
{
    const uint64_t n = 3 * ((uint64_t)1 << 33) + 5;
    uint64_t got[256];
    tap_buffer d = tap_buffer_new(sizeof got, 0);

    for (int four = 0; four < 2; four++) {
        uint64_t sum = 0;
        int right = (four ? far_4_histogram(NULL, (uint64_t *)d.data, n, 256, NULL, 0)
                          : far_histogram(NULL, (uint64_t *)d.data, n, 256, NULL, 0)) == cudaSuccess;

        tap_buffer_read(got, &d, sizeof got);
        for (int b = 0; b < 256; b++)
            sum += got[b];
        right &= got[200] == (n + 2) / 3 && sum == n && got[0] == ((uint64_t)1 << 33) - (((uint64_t)1 << 33) + 2) / 3;
        ok(right, "%llu items%s", (unsigned long long)n, four ? " of four bytes" : "");
    }
    tap_buffer_free(&d);
}
#endif

int main(int argc, char **argv)
{
    tap_begin(argc, argv);
    for (size_t i = 0; i < MOST; i++)
        order[i] = (uint32_t)((i * 7919) % MOST);
    for (size_t i = 0; i < 4 * MOST; i++) {
        const float x = (float)(tap_random() >> 40) / 16777216.0f * 1.5f - 0.25f;

        numbers[i] = (uint32_t)tap_random() % 2500 - 50;
        if (i % 3 == 0)
            memcpy(&numbers[i], &x, sizeof x);
    }
    for (int k = 0; k < CASES; k++)
        if (tap_wants(cases[k]->name)) {
            test_sizes(cases[k]);
            test_places_and_kinds(cases[k]);
#ifdef __CUDACC__
            test_large(cases[k]);
#else
            if (!tap_small && (cases[k] == &f32_case || cases[k] == &u16_case || cases[k] == &u8_case))
                test_large(cases[k]);
#endif
        }
    if (!tap_wants("others"))
        return tap_end();
    test_even_limits();
    test_even_floats();
    test_expressions();
    test_errors();
    test_nothing();
    test_workspace();
#ifdef __CUDACC__
    test_graph();
    if (!tap_small)
        test_huge();
#endif
    return tap_end();
}
