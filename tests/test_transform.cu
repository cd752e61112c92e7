/* transform.cuh: all sizes of items, every alignment, expressions in place of pointers, counts on the device. */
#include <stdint.h>

/* Every call of the library is a range in Nsight's timeline; a recorder stands in for it. */
static int ranges, range_depth;
#define GPI_RANGE_BEGIN(name) ((void)(name), ranges += range_depth++ == 0)
#define GPI_RANGE_END()       ((void)range_depth--)

#include "tap.h"

/* ---- items, and what becomes of them ----------------------------------------------------------- */

/* clang-format off */
typedef struct { uint8_t b[3]; } b3;
typedef struct { uint8_t b[4]; } b4;
typedef struct { uint16_t a, b; } s4; /* a power of two, but of a small alignment */
typedef struct { float x, y, z; } s12;
typedef struct { int32_t a[4]; } s16;
typedef struct { uint64_t a, b; } __attribute__((aligned(16))) s16a;
typedef struct { double a[6]; } s48;
typedef struct { uint32_t a[32]; } s128;
typedef struct { uint64_t a[25]; } s200;
/* clang-format on */

#define MAP static __host__ __device__ inline

MAP b3 turn_3(b3 x)
{
    b3 y = {{x.b[2], x.b[0], x.b[1]}};

    return y;
}

MAP uint8_t low_byte(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return (uint8_t)bits;
}

MAP uint32_t join_3(b3 x)
{
    return x.b[0] | (uint32_t)x.b[1] << 8 | (uint32_t)x.b[2] << 16;
}

MAP s12 three(uint8_t x)
{
    s12 y = {(float)x, (float)x + 1, -1};

    return y;
}

MAP s16a widened(uint8_t x)
{
    s16a y = {x, (uint64_t)x << 56 | 1};

    return y;
}

MAP s128 turn_128(s128 x)
{
    const uint32_t first = x.a[0];

    x.a[0] = x.a[31];
    x.a[31] = first;
    return x;
}

MAP s200 plus_200(s200 x)
{
    x.a[24] += x.a[0];
    return x;
}

/* As users have them: with the default, and with the constants of tuning.cuh. */
#include <gpuprims/transform.cuh>
#include <gpuprims/transform.cuh>
#define GP_NAME halves
#define GP_TYPE float
#define GP_INPUT_TYPE uint8_t
#define GP_LOAD(x) ((float)(x) * 0.5f)
#include <gpuprims/transform.cuh>
#define GP_NAME bits
#define GP_TYPE uint8_t
#define GP_INPUT_TYPE float
#define GP_LOAD(x) low_byte(x)
#include <gpuprims/transform.cuh>
#define GP_NAME points
#define GP_TYPE s12
#include <gpuprims/transform.cuh>

/* From here on, inputs need not be large to be moved as large ones are. */
#undef GPI_TUNE_TRANSFORM_SINGLE
#undef GPI_TUNE_TRANSFORM_LARGE
#undef GPI_TUNE_TRANSFORM_DIRECT
#define GPI_TUNE_TRANSFORM_SINGLE 300
#define GPI_TUNE_TRANSFORM_LARGE  4000
#define GPI_TUNE_TRANSFORM_DIRECT 6000

#define CASE u8
#define CASE_IN uint8_t
#define CASE_LOAD(x) ((uint8_t)((x) ^ 0x5A))
#include "transform_case.h"
#define CASE i16
#define CASE_IN int16_t
#define CASE_LOAD(x) ((int16_t)(3 * (x) + 1))
#include "transform_case.h"
#define CASE u32
#define CASE_IN uint32_t
#define CASE_LOAD(x) (5 * (x))
#include "transform_case.h"
#define CASE u64
#define CASE_IN uint64_t
#define CASE_LOAD(x) ((x) - 7)
#include "transform_case.h"
#define CASE b3
#define CASE_IN b3
#define CASE_LOAD(x) turn_3(x)
#include "transform_case.h"
#define CASE b4
#define CASE_IN b4
#include "transform_case.h"
#define CASE s4
#define CASE_IN s4
#include "transform_case.h"
#define CASE s12
#define CASE_IN s12
#include "transform_case.h"
#define CASE s16
#define CASE_IN s16
#include "transform_case.h"
#define CASE s16a
#define CASE_IN s16a
#include "transform_case.h"
#define CASE s48
#define CASE_IN s48
#include "transform_case.h"
#define CASE s128
#define CASE_IN s128
#define CASE_LOAD(x) turn_128(x)
#include "transform_case.h"
#define CASE s200
#define CASE_IN s200
#define CASE_LOAD(x) plus_200(x)
#include "transform_case.h"
#define CASE u8_u16
#define CASE_IN uint8_t
#define CASE_OUT uint16_t
#define CASE_LOAD(x) ((uint16_t)((x) + 1000))
#include "transform_case.h"
#define CASE u8_f32
#define CASE_IN uint8_t
#define CASE_OUT float
#define CASE_LOAD(x) ((float)(x) * 0.5f)
#include "transform_case.h"
#define CASE u8_f64
#define CASE_IN uint8_t
#define CASE_OUT double
#include "transform_case.h"
#define CASE u32_u64
#define CASE_IN uint32_t
#define CASE_OUT uint64_t
#include "transform_case.h"
#define CASE u8_s12
#define CASE_IN uint8_t
#define CASE_OUT s12
#define CASE_LOAD(x) three(x)
#include "transform_case.h"
#define CASE u8_s16a
#define CASE_IN uint8_t
#define CASE_OUT s16a
#define CASE_LOAD(x) widened(x)
#include "transform_case.h"
#define CASE f32_u8
#define CASE_IN float
#define CASE_OUT uint8_t
#define CASE_LOAD(x) low_byte(x)
#include "transform_case.h"
#define CASE u16_u8
#define CASE_IN uint16_t
#define CASE_OUT uint8_t
#define CASE_LOAD(x) ((uint8_t)((x) >> 8))
#include "transform_case.h"
#define CASE s16a_u8
#define CASE_IN s16a
#define CASE_OUT uint8_t
#define CASE_LOAD(x) ((uint8_t)((x).a ^ (x).b >> 8))
#include "transform_case.h"
#define CASE b3_u32
#define CASE_IN b3
#define CASE_OUT uint32_t
#define CASE_LOAD(x) join_3(x)
#include "transform_case.h"
#define CASE s4_u32
#define CASE_IN s4
#define CASE_OUT uint32_t
#define CASE_LOAD(x) ((uint32_t)(x).a << 16 | (x).b)
#include "transform_case.h"
#define CASE s128_u32
#define CASE_IN s128
#define CASE_OUT uint32_t
#define CASE_LOAD(x) ((x).a[0] + (x).a[31])
#include "transform_case.h"

static const transform_case *const cases[] = {
    &u8_case, &i16_case, &u32_case, &u64_case, &b3_case, &b4_case, &s4_case, &s12_case, &s16_case,
    &s16a_case, &s48_case, &s128_case, &s200_case, &u8_u16_case, &u8_f32_case, &u8_f64_case,
    &u32_u64_case, &u8_s12_case, &u8_s16a_case, &f32_u8_case, &u16_u8_case, &s16a_u8_case,
    &b3_u32_case, &s4_u32_case, &s128_u32_case,
};
enum { CASES = sizeof cases / sizeof *cases };

/* ---- moving ------------------------------------------------------------------------------------ */

/* Under AddressSanitizer, nothing may be read around the input: as far as it can tell, in steps of 8 bytes. */
#ifdef __CUDACC__
#define guard_reads(buffer)   ((void)(buffer))
#define unguard_reads(buffer) ((void)(buffer))
#else
static void guard_reads(const tap_buffer *b)
{
    gpi_cpu_poison(b->allocated, b->offset);
    gpi_cpu_poison(b->allocated + b->offset + b->bytes, TAP_GUARD);
}

static void unguard_reads(const tap_buffer *b)
{
    gpi_cpu_unpoison(b->allocated, b->offset + b->bytes + TAP_GUARD);
}
#endif

static unsigned char *random_bytes(size_t bytes)
{
    unsigned char *x = (unsigned char *)malloc(bytes + 1);

    for (size_t i = 0; i < bytes; i++)
        x[i] = (unsigned char)tap_random();
    return x;
}

/* n items at these bytes behind a line, between guards; in place, where the first place counts. */
static int moves(const transform_case *t, int few, size_t n, size_t in_at, size_t out_at, int in_place)
{
    const size_t in_bytes = n * t->in_bytes, out_bytes = n * t->out_bytes;
    unsigned char *in = random_bytes(in_bytes), *got = (unsigned char *)malloc(in_bytes + out_bytes + 1);
    unsigned char *expected = (unsigned char *)malloc(out_bytes + 1);
    tap_buffer d_in = tap_buffer_of(in, in_bytes, in_at), d_out = tap_buffer_new(out_bytes, out_at);
    const tap_buffer *result = in_place ? &d_in : &d_out;
    int right;

    t->expect(in, expected, n);
    guard_reads(&d_in);
    right = t->run(d_in.data, result->data, n, few) == cudaSuccess;
    unguard_reads(&d_in);
    tap_buffer_read(got, result, out_bytes);
    right &= memcmp(got, expected, out_bytes) == 0;
    right &= tap_buffer_intact(&d_out, in_place ? 0 : out_bytes) && tap_buffer_intact(&d_in, in_bytes);
    if (!in_place) {
        tap_buffer_read(got, &d_in, in_bytes);
        right &= memcmp(got, in, in_bytes) == 0;
    }
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_out);
    free(in);
    free(got);
    free(expected);
    return right;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t some_place(size_t align)
{
    return (size_t)tap_below(128 / align) * align;
}

static void test_sizes(const transform_case *t)
{
    static const size_t sizes[] = {0,    1,    2,    3,    7,    15,   16,   17,   31,   32,    33,    63,
                                   64,   65,   95,   127,  255,  256,  257,  511,  769,  1023,  1024,  1025,
                                   2047, 2049, 4095, 4099, 8191, 8193, 16385, 33013, 65537, 100003};
    const size_t wider = larger(t->in_bytes, t->out_bytes);

    for (int few = 0; few < 2; few++) {
        int aligned = 1, anywhere = 1, in_place = 1;

        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            if (sizes[s] * wider > (tap_small ? (size_t)1 << 17 : (size_t)1 << 21))
                continue;
            aligned &= moves(t, few, sizes[s], 0, 0, 0);
            anywhere &= moves(t, few, sizes[s], some_place(t->in_align), some_place(t->out_align), 0);
            if (t->in_bytes == t->out_bytes)
                in_place &= moves(t, few, sizes[s], some_place(larger(t->in_align, t->out_align)), 0, 1);
        }
        ok(aligned && anywhere, "%s: every size%s", t->name, few ? ", with two blocks" : "");
        if (t->in_bytes == t->out_bytes)
            ok(in_place, "%s: in place%s", t->name, few ? ", with two blocks" : "");
    }
}

/* Every misalignment of both arrays, at sizes that leave room for tiles and at some that do not. */
static void test_places(const transform_case *t)
{
    const size_t wider = larger(t->in_bytes, t->out_bytes);
    const size_t sizes[] = {5, 40, 701, 4 * 256 * 16 * (wider <= 16 ? 2 : 1) / wider + 78};
    int right = 1, in_place = 1;

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t i = 0; i == 0 || i < 16; i += t->in_align) {
            for (size_t o = 0; o == 0 || o < 16; o += t->out_align)
                if (!tap_small || s < 2 || (i * 5 + o) % 7 == 0)
                    right &= moves(t, 1, sizes[s], i, o, 0);
            if (t->in_bytes == t->out_bytes && i % t->out_align == 0)
                in_place &= moves(t, 1, sizes[s], i, 0, 1);
        }
    ok(right && in_place, "%s: every misalignment", t->name);
}

/* Arrays that are all of their allocation, for tools that look at each read. */
static void test_edges(const transform_case *t)
{
    static const size_t sizes[] = {1, 2, 5, 11, 17, 23, 31, 40, 64, 97, 701, 2011};
    int right = 1;

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t to = 0; to == 0 || to < 16; to += t->out_align) {
            const size_t n = sizes[s], in_bytes = n * t->in_bytes, out_bytes = n * t->out_bytes;
            unsigned char *in = random_bytes(in_bytes), *got = (unsigned char *)malloc(out_bytes);
            unsigned char *expected = (unsigned char *)malloc(out_bytes);
            char *d_in = NULL, *d_out = NULL;

            must(cudaMalloc((void **)&d_in, in_bytes));
            must(cudaMalloc((void **)&d_out, to + out_bytes));
            must(cudaMemcpy(d_in, in, in_bytes, cudaMemcpyHostToDevice));
            right &= t->run(d_in, d_out + to, n, (int)(s % 2)) == cudaSuccess;
            must(cudaDeviceSynchronize());
            must(cudaMemcpy(got, d_out + to, out_bytes, cudaMemcpyDeviceToHost));
            t->expect(in, expected, n);
            right &= memcmp(got, expected, out_bytes) == 0;
            must(cudaFree(d_in));
            must(cudaFree(d_out));
            free(in);
            free(got);
            free(expected);
        }
    ok(right, "%s: nothing is read outside", t->name);
}

/* As large as inputs are when they are moved in tiles, and when they are large, with what that takes by itself. */
#define LARGE_IS(name, input, type, items, same)                                                           \
    do {                                                                                                   \
        const size_t n = (items);                                                                          \
        input *in = (input *)malloc(n * sizeof *in);                                                       \
        type *out = (type *)malloc(n * sizeof *out);                                                       \
        int right = 1;                                                                                     \
                                                                                                           \
        for (size_t i = 0; i < n * sizeof *in / 4; i++)                                                    \
            ((uint32_t *)(void *)in)[i] = (uint32_t)i * 2654435761u;                                       \
        for (size_t at = 0; at < 4; at++) {                                                                \
            tap_buffer d_in = tap_buffer_of(in, n * sizeof *in, at * __alignof__(input));                  \
            tap_buffer d_out = tap_buffer_new(n * sizeof *out, at * at % 3 * __alignof__(type));           \
                                                                                                           \
            right &= name##_transform((const input *)d_in.data, (type *)d_out.data, n, NULL, 0) ==         \
                     cudaSuccess;                                                                          \
            tap_buffer_read(out, &d_out, n * sizeof *out);                                                 \
            for (size_t i = 0; i < n; i++)                                                                 \
                right &= (same);                                                                           \
            right &= tap_buffer_intact(&d_out, n * sizeof *out);                                           \
            tap_buffer_free(&d_in);                                                                        \
            tap_buffer_free(&d_out);                                                                       \
        }                                                                                                  \
        ok(right, #name ": %zu items", n);                                                                 \
        free(in);                                                                                          \
        free(out);                                                                                         \
    } while (0)

static void test_large(void)
{
    static const size_t units[] = {65536, 65537 + 700, 2097152 + 77};

    for (int k = 0; k < 3; k++) {
        LARGE_IS(gp, int, int, units[k] * 4 + 1, in[i] == out[i]);
        LARGE_IS(halves, uint8_t, float, units[k] * 4 + 3, out[i] * 2 == (float)in[i]);
        LARGE_IS(bits, float, uint8_t, units[k] * 4 + 2, memcmp(&in[i], &out[i], 1) == 0);
    }
    LARGE_IS(points, s12, s12, 131073, memcmp(&in[i], &out[i], sizeof *in) == 0);
    LARGE_IS(points, s12, s12, 700001, memcmp(&in[i], &out[i], sizeof *in) == 0);
}

/* ---- contexts and expressions ------------------------------------------------------------------ */

typedef struct {
    float factor;
    int limit;
} scale;

static __device__ float scaled(int x, scale s)
{
    return (float)(x < s.limit ? x : s.limit) * s.factor;
}

typedef struct {
    const uint8_t *bytes;
    const int *ints;
    const uint32_t *order;
} columns;

typedef struct {
    uint8_t a;
    int b;
} row;

static __device__ row row_of(columns c, size_t i)
{
    row r;

    r.a = c.bytes[i];
    r.b = c.ints[i];
    return r;
}

#define GP_NAME scaled
#define GP_TYPE float
#define GP_INPUT_TYPE int
#define GP_CONTEXT scale
#define GP_LOAD scaled
#include <gpuprims/transform.cuh>
#define GP_NAME counting
#define GP_INPUT_TYPE void
#define GP_LOAD_AT(in, i) ((int)(i) * 2)
#include <gpuprims/transform.cuh>
#define GP_NAME counting_few
#define GP_INPUT_TYPE void
#define GP_LOAD_AT(in, i) ((int)(i) * 2)
#define GP_GRID 2
#include <gpuprims/transform.cuh>
#define GP_NAME bytes
#define GP_TYPE uint8_t
#define GP_INPUT_TYPE void
#define GP_LOAD_AT(in, i) ((uint8_t)((i) * 7))
#include <gpuprims/transform.cuh>
#define GP_NAME bytes_few
#define GP_TYPE uint8_t
#define GP_INPUT_TYPE void
#define GP_LOAD_AT(in, i) ((uint8_t)((i) * 7))
#define GP_GRID 2
#include <gpuprims/transform.cuh>
#define GP_NAME strided
#define GP_TYPE uint16_t
#define GP_INPUT_TYPE uint32_t
#define GP_LOAD_AT(in, i) ((uint16_t)(in)[3 * (i)])
#define GP_GRID 2
#include <gpuprims/transform.cuh>
#define GP_NAME neighbours
#define GP_LOAD_AT(in, i) ((in)[i] - ((i) ? (in)[(i) - 1] : 0))
#define GP_GRID 3
#include <gpuprims/transform.cuh>
#define GP_NAME neighbours_8
#define GP_TYPE uint8_t
#define GP_LOAD_AT(in, i) ((uint8_t)((in)[i] - ((i) ? (in)[(i) - 1] : 0)))
#include <gpuprims/transform.cuh>
#define GP_NAME permuted
#define GP_CONTEXT columns
#define GP_LOAD_AT(in, i, c) ((in)[(c).order[i]])
#include <gpuprims/transform.cuh>
#define GP_NAME zipped
#define GP_TYPE row
#define GP_INPUT_TYPE void
#define GP_CONTEXT columns
#define GP_LOAD_AT(in, i, c) row_of(c, i)
#include <gpuprims/transform.cuh>
#define GP_NAME filled
#define GP_TYPE s48
#define GP_INPUT_TYPE void
#define GP_CONTEXT s48
#define GP_LOAD_AT(in, i, c) (c)
#include <gpuprims/transform.cuh>

enum { MOST = 9001 };
static uint32_t numbers[3 * MOST], order[MOST];

/* Calls with an output at some place, and compares each item, which is *x, with what is expected of it. */
#define EXPRESSION_IS(type, call, as_expected)                                      \
    do {                                                                            \
        type *result = (type *)calloc(n + 1, sizeof(type)), *x = result;            \
        tap_buffer d_out = tap_buffer_new(n * sizeof(type), some_place(__alignof__(type))); \
        type *out = (type *)d_out.data;                                             \
                                                                                    \
        right &= (call) == cudaSuccess;                                             \
        tap_buffer_read(result, &d_out, n * sizeof(type));                          \
        for (size_t i = 0; i < n; i++, x++)                                         \
            right &= (as_expected);                                                 \
        right &= tap_buffer_intact(&d_out, n * sizeof(type));                       \
        tap_buffer_free(&d_out);                                                    \
        free(result);                                                               \
    } while (0)

/* Likewise for all sizes. */
#define EXPRESSIONS_ARE(words, type, call, as_expected)          \
    do {                                                         \
        int right = 1;                                           \
                                                                 \
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) { \
            const size_t n = sizes[s];                           \
                                                                 \
            EXPRESSION_IS(type, call, as_expected);              \
        }                                                        \
        ok(right, "%s", words);                                  \
    } while (0)

static void test_expressions(void)
{
    static const size_t sizes[] = {0, 1, 2, 3, 5, 31, 256, 257, 1000, 2048, 2049, 4097, MOST - 2};
    tap_buffer d_numbers = tap_buffer_of(numbers, sizeof numbers, 4);
    tap_buffer d_order = tap_buffer_of(order, sizeof order, 0);
    const uint32_t *d = (const uint32_t *)d_numbers.data;
    const uint8_t *bytes = (const uint8_t *)numbers;
    const int *ints = (const int *)numbers;
    const columns c = {(const uint8_t *)d + 1, (const int *)d + 2, (const uint32_t *)d_order.data};
    const scale by = {0.25f, 1 << 20};
    const s48 fill = {{1, 2, 3, 4, 5, -6}};

    EXPRESSIONS_ARE("GP_LOAD with a context", float, scaled_transform((const int *)d, out, n, by, NULL, 0),
                    *x == (float)(ints[i] < 1 << 20 ? ints[i] : 1 << 20) / 4);
    EXPRESSIONS_ARE("GP_LOAD_AT: numbers from nothing", int, counting_transform(NULL, out, n, NULL, 0),
                    *x == (int)i + (int)i);
    EXPRESSIONS_ARE("likewise with two blocks", int, counting_few_transform(NULL, out, n, NULL, 0),
                    *x == (int)i + (int)i);
    EXPRESSIONS_ARE("GP_LOAD_AT: bytes", uint8_t, bytes_transform(NULL, out, n, NULL, 0), *x == 7 * i % 256);
    EXPRESSIONS_ARE("likewise with two blocks", uint8_t, bytes_few_transform(NULL, out, n, NULL, 0),
                    *x == 7 * i % 256);
    EXPRESSIONS_ARE("GP_LOAD_AT: every third item", uint16_t, strided_transform(d, out, n, NULL, 0),
                    *x == numbers[3 * i] % 65536);
    EXPRESSIONS_ARE("GP_LOAD_AT: neighbours", int, neighbours_transform((const int *)d, out, n, NULL, 0),
                    *x == (int)(numbers[i] - (i ? numbers[i - 1] : 0)));
    EXPRESSIONS_ARE("GP_LOAD_AT: neighbouring bytes", uint8_t,
                    neighbours_8_transform((const uint8_t *)d, out, n, NULL, 0),
                    *x == (uint8_t)(bytes[i] - (i ? bytes[i - 1] : 0)));
    EXPRESSIONS_ARE("GP_LOAD_AT with a context: another order", int,
                    permuted_transform((const int *)d, out, n, c, NULL, 0), *x == ints[order[i]]);
    EXPRESSIONS_ARE("GP_LOAD_AT with a context: a zip of two arrays", row,
                    zipped_transform(NULL, out, n, c, NULL, 0), x->a == bytes[i + 1] && x->b == ints[i + 2]);
    EXPRESSIONS_ARE("GP_LOAD_AT with a context: a struct everywhere", s48,
                    filled_transform(NULL, out, n, fill, NULL, 0), memcmp(x, &fill, sizeof fill) == 0);
    ok(tap_buffer_intact(&d_numbers, sizeof numbers) && tap_buffer_intact(&d_order, sizeof order),
       "what is read stays as it is");
    tap_buffer_free(&d_numbers);
    tap_buffer_free(&d_order);
}

/* ---- results that go elsewhere ----------------------------------------------------------------- */

#define GP_NAME counted
#define GP_TYPE unsigned
#define GP_INPUT_TYPE uint8_t
#define GP_STORE_AT(out, i, x) atomicAdd((out) + (i), 1 + ((x) << 8))
#include <gpuprims/transform.cuh>
#define GP_NAME counted_few
#define GP_TYPE unsigned
#define GP_INPUT_TYPE void
#define GP_LOAD_AT(in, i) ((unsigned)((i) % 251))
#define GP_STORE_AT(out, i, x)                \
    {                                         \
        const unsigned both = 1 + ((x) << 8); \
        atomicAdd((out) + (i), both);         \
    }
#define GP_GRID 2
#include <gpuprims/transform.cuh>

typedef struct {
    uint8_t *low;
    float *half;
    const uint32_t *order;
} places;

#define GP_NAME unzip
#define GP_TYPE uint32_t
#define GP_CONTEXT places
#define GP_STORE_AT(out, i, x, c) \
    (c).low[2 * (i)] = (uint8_t)(x); (c).half[(c).order[i]] = (float)((x) % 1000) / 2
#include <gpuprims/transform.cuh>

/* atomicAdd counts how often an item is stored, and adds what. */
static int counts_are_right(size_t n, int few, const uint8_t *d_bytes)
{
    tap_buffer d_out = tap_buffer_new(n * sizeof(unsigned), 4);
    unsigned *out = (unsigned *)d_out.data, *counts = (unsigned *)malloc((n + 1) * sizeof *counts);
    int right;

    must(cudaMemset(out, 0, n * sizeof *out));
    right = (few ? counted_few_transform(NULL, out, n, NULL, 0)
                 : counted_transform(d_bytes, out, n, NULL, 0)) == cudaSuccess;
    tap_buffer_read(counts, &d_out, n * sizeof *out);
    for (size_t i = 0; i < n; i++)
        right &= counts[i] == 1 + 256 * (few ? (unsigned)(i % 251) : ((const uint8_t *)numbers)[i]);
    right &= tap_buffer_intact(&d_out, n * sizeof *out);
    tap_buffer_free(&d_out);
    free(counts);
    return right;
}

static void test_stores(void)
{
    static const size_t sizes[] = {0, 1, 33, 256, 1000, 4099, MOST};
    tap_buffer d_bytes = tap_buffer_of(numbers, MOST, 1);
    int right = 1;

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        right &= counts_are_right(sizes[s], 0, (const uint8_t *)d_bytes.data) && counts_are_right(sizes[s], 1, NULL);
    ok(right, "GP_STORE_AT is executed once for each item, and for no other");
    tap_buffer_free(&d_bytes);

    tap_buffer d_in = tap_buffer_of(numbers, MOST * 4, 8), d_order = tap_buffer_of(order, sizeof order, 0);
    tap_buffer d_low = tap_buffer_new(2 * MOST, 3), d_half = tap_buffer_new(MOST * sizeof(float), 4);
    const places to = {(uint8_t *)d_low.data, (float *)d_half.data, (const uint32_t *)d_order.data};
    uint8_t *low = (uint8_t *)malloc(2 * MOST);
    float *half = (float *)malloc(MOST * sizeof *half);
    right = unzip_transform((const uint32_t *)d_in.data, NULL, MOST, to, NULL, 0) == cudaSuccess;
    tap_buffer_read(low, &d_low, 2 * MOST);
    tap_buffer_read(half, &d_half, MOST * sizeof *half);
    for (size_t i = 0; i < MOST; i++) {
        right &= low[2 * i] == numbers[i] % 256 && low[2 * i + 1] == 0xC3;
        right &= half[order[i]] == (float)(numbers[i] % 1000) / 2;
    }
    ok(right && tap_buffer_intact(&d_low, 2 * MOST) && tap_buffer_intact(&d_half, MOST * sizeof *half),
       "GP_STORE_AT with a context: every other place, another order, and out is NULL");
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_order);
    tap_buffer_free(&d_low);
    tap_buffer_free(&d_half);
    free(low);
    free(half);
}

/* ---- counts on the device ---------------------------------------------------------------------- */

#define GP_NAME device_u32
#define GP_TYPE uint32_t
#define GP_LOAD(x) ((x) + 1)
#define GP_DEVICE_N
#include <gpuprims/transform.cuh>
#define GP_NAME device_u8
#define GP_TYPE uint8_t
#define GP_LOAD(x) ((uint8_t)((x) + 1))
#define GP_DEVICE_N
#define GP_INDEX int
#include <gpuprims/transform.cuh>
#define GP_NAME device_s12
#define GP_TYPE s12
#define GP_DEVICE_N
#define GP_INDEX uint32_t
#include <gpuprims/transform.cuh>
#define GP_NAME device_at
#define GP_INPUT_TYPE int
#define GP_LOAD_AT(in, i) ((in)[i] - (int)(i))
#define GP_DEVICE_N
#define GP_INDEX int64_t
#define GP_GRID 1
#include <gpuprims/transform.cuh>

static cudaError_t run_device_n(int which, const void *in, void *out, const void *n, size_t max)
{
    switch (which) {
    case 0: return device_u32_transform((const uint32_t *)in, (uint32_t *)out, (const size_t *)n, max, NULL, 0);
    case 1: return device_u8_transform((const uint8_t *)in, (uint8_t *)out, (const int *)n, max, NULL, 0);
    case 2: return device_s12_transform((const s12 *)in, (s12 *)out, (const uint32_t *)n, max, NULL, 0);
    default: return device_at_transform((const int *)in, (int *)out, (const int64_t *)n, max, NULL, 0);
    }
}

/* `max` items of `numbers` at most, of which *d_n says `count`: whether n of them are mapped. */
static int device_n_is(int which, long long count, size_t max, size_t n)
{
    static const size_t sizes[] = {4, 1, sizeof(s12), 4};
    const size_t size = sizes[which];
    const uint8_t *bytes = (const uint8_t *)numbers;
    uint8_t *got = (uint8_t *)malloc(max * size + 1);
    tap_buffer d_in = tap_buffer_of(numbers, max * size, some_place(size == 1 ? 1 : 4));
    tap_buffer d_out = tap_buffer_new(max * size, some_place(size == 1 ? 1 : 4));
    tap_buffer d_n = tap_buffer_of(&count, sizeof count, 0); /* the low bytes come first */
    int right = run_device_n(which, d_in.data, d_out.data, d_n.data, max) == cudaSuccess;

    tap_buffer_read(got, &d_out, max * size);
    for (size_t i = 0; i < n; i++) {
        uint32_t x;

        memcpy(&x, got + i * size, size == 1 ? 1 : 4);
        right &= which == 0   ? x == numbers[i] + 1
                 : which == 1 ? got[i] == (uint8_t)(bytes[i] + 1)
                 : which == 2 ? memcmp(got + i * size, bytes + i * size, size) == 0
                              : x == numbers[i] - (uint32_t)i;
    }
    right &= tap_buffer_intact(&d_out, n * size);
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_out);
    tap_buffer_free(&d_n);
    free(got);
    return right;
}

static void test_device_n(void)
{
    static const char *const names[] = {"vectors", "bytes", "structs", "GP_LOAD_AT"};
    static const size_t counts[] = {0, 1, 31, 256, 257, 1000, 3999, 4000, 4001, 2000000000};

    for (int which = 0; which < 4; which++) {
        int right = 1;

        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
            for (size_t max = 1; max <= 4000; max = max * 15 + 10)
                right &= device_n_is(which, (long long)counts[k], max, counts[k] < max ? counts[k] : max);
        if (which == 0)
            right &= device_n_is(which, INT64_MIN, 4000, 4000); /* 2^63, of size_t */
        if (which == 1)
            right &= device_n_is(which, -1, 4000, 0) && device_n_is(which, INT32_MIN, 4000, 0);
        if (which == 2)
            right &= device_n_is(which, UINT32_MAX, 100, 100);
        if (which == 3)
            right &= device_n_is(which, -1, 4000, 0) && device_n_is(which, INT64_MIN, 4000, 0);
        ok(right, "GP_DEVICE_N: %s", names[which]);
    }
}

/* ---- errors, nothing, streams ------------------------------------------------------------------ */

#define GP_NAME index_int
#define GP_INDEX int
#include <gpuprims/transform.cuh>

static void refused(cudaError_t error, const char *function, const char *argument)
{
    ok(error == cudaErrorInvalidValue && strstr(gp_last_error_message(), function) &&
           strstr(gp_last_error_message(), argument),
       "refused: %s", gp_last_error_message());
}

static void test_errors(void)
{
    tap_buffer a = tap_buffer_new(4096, 0), b = tap_buffer_new(4096, 0);
    int *in = (int *)a.data, *out = (int *)b.data;
    uint8_t *bytes = (uint8_t *)a.data, *bytes_out = (uint8_t *)b.data;
    uint32_t *words = (uint32_t *)a.data;

    refused(gp_transform(NULL, out, 3, NULL, 0), "gp_transform",
            "in is NULL; it must point to device memory when n is 3");
    refused(gp_transform(in, NULL, 3, NULL, 0), "gp_transform", "out is NULL");
    refused(counting_transform(NULL, NULL, 3, NULL, 0), "counting_transform", "out is NULL");
    refused(counted_transform(NULL, (unsigned *)out, 3, NULL, 0), "counted_transform", "in is NULL");
    refused(gp_transform(in, out, SIZE_MAX, NULL, 0), "gp_transform", "n is");
    refused(gp_transform(in, out, ((size_t)1 << 61) + 1, NULL, 0), "gp_transform", "n is");
    refused(u8_s12_transform(bytes, (s12 *)out, SIZE_MAX / 12, NULL, 0), "u8_s12_transform", "n is");
    refused(index_int_transform(in, out, (size_t)1 << 31, NULL, 0), "index_int_transform",
            "n is 2147483648; it must be at most 2147483647");
    refused(gp_transform(in, in + 1, 2, NULL, 0), "gp_transform", "in and out overlap; they must be equal or apart");
    refused(gp_transform(in + 1, in, 2, NULL, 0), "gp_transform", "in and out overlap");
    refused(u8_f32_transform(bytes, (float *)in, 4, NULL, 0), "u8_f32_transform",
            "in and out overlap; they must be apart");
    refused(u8_f32_transform(bytes + 16, (float *)in, 5, NULL, 0), "u8_f32_transform", "in and out overlap");
    refused(device_u32_transform(words, (uint32_t *)out, NULL, 3, NULL, 0), "device_u32_transform",
            "d_n is NULL; it must point to device memory when max_n is 3");
    refused(device_u8_transform(NULL, bytes, out, 3, NULL, 0), "device_u8_transform", "in is NULL");
    refused(device_u8_transform(bytes, bytes_out, out, 3, NULL, 0), "device_u8_transform", "out and d_n overlap");
    refused(device_u8_transform(bytes, bytes + 8, out, (size_t)1 << 31, NULL, 0), "device_u8_transform", "max_n is");
    refused(device_s12_transform((s12 *)in, (s12 *)out, words, (size_t)1 << 32, NULL, 0), "device_s12_transform",
            "max_n is 4294967296; it must be at most 4294967295");
    ok(cudaGetLastError() == cudaSuccess, "a refusal leaves no pending error");
    ok(tap_buffer_intact(&a, 0) && tap_buffer_intact(&b, 0), "nor anything else");

    ok(gp_transform(in, in + 2, 2, NULL, 0) == cudaSuccess &&
           u8_f32_transform(bytes + 16, (float *)in, 4, NULL, 0) == cudaSuccess,
       "neighbours do not overlap");
    ok(neighbours_transform(in, in, 1, NULL, 0) == cudaSuccess, "with GP_LOAD_AT no overlap is checked");
    must(cudaMemset(out, 0, sizeof *out));
    ok(device_u8_transform(bytes, bytes + 8, out, 100, NULL, 0) == cudaSuccess,
       "with GP_DEVICE_N arrays that are apart as far as the count goes may overlap beyond");
    tap_buffer_free(&a);
    tap_buffer_free(&b);
}

static void test_nothing(void)
{
    const scale by = {1, 1};
    const columns none = {NULL, NULL, NULL};
    tap_buffer a = tap_buffer_new(4096, 0), b = tap_buffer_new(4096, 0);
    gp_workspace ws = GP_WORKSPACE_INIT;

    ok(gp_transform(NULL, NULL, 0, NULL, 0) == cudaSuccess && s12_transform(NULL, NULL, 0, NULL, 0) == cudaSuccess &&
           device_u32_transform(NULL, NULL, NULL, 0, NULL, 0) == cudaSuccess &&
           scaled_transform(NULL, NULL, 0, by, NULL, 0) == cudaSuccess &&
           zipped_transform(NULL, NULL, 0, none, NULL, 0) == cudaSuccess &&
           counted_few_transform(NULL, NULL, 0, NULL, 0) == cudaSuccess,
       "n == 0 succeeds");
    ok(gp_transform_workspace_bytes(1 << 20) == 0 && s12_transform_workspace_bytes(SIZE_MAX) == 0 &&
           device_u8_transform_workspace_bytes(77) == 0,
       "no workspace is needed");

    ranges = 0;
    ok(gp_transform((int *)a.data, (int *)b.data, 9, &ws, 0) == cudaSuccess, "a workspace that is not needed");
    ok(ranges == 1 && range_depth == 0, "a call is one range, which ends");
    must(gp_workspace_release(&ws, 0));
    tap_buffer_free(&a);
    tap_buffer_free(&b);
}

/* Calls that follow each other without a pause, in two streams; each reads what the one before has written. */
static void test_streams(void)
{
    enum { N = 70000, CALLS = 20 };
    uint32_t *in = (uint32_t *)random_bytes(N * sizeof *in), *out = (uint32_t *)malloc(N * sizeof *in);
    tap_buffer d[2];
    cudaStream_t streams[2];
    int right = 1;

    for (int s = 0; s < 2; s++) {
        must(cudaStreamCreate(&streams[s]));
        d[s] = tap_buffer_of(in, N * sizeof *in, (size_t)s * 4);
    }
    for (int c = 0; c < CALLS; c++)
        for (int s = 0; s < 2; s++) {
            uint32_t *data = (uint32_t *)d[s].data;

            right &= (c % 2 ? u32_few_transform(data, data, N, NULL, streams[s])
                            : u32_transform(data, data, N, NULL, streams[s])) == cudaSuccess;
        }
    for (int s = 0; s < 2; s++) {
        uint32_t factor = 1;

        must(cudaStreamSynchronize(streams[s]));
        tap_buffer_read(out, &d[s], N * sizeof *out);
        for (int c = 0; c < CALLS; c++)
            factor *= 5;
        for (size_t i = 0; i < N; i++)
            right &= out[i] == in[i] * factor;
        tap_buffer_free(&d[s]);
        must(cudaStreamDestroy(streams[s]));
    }
    ok(right, "calls one after the other, in two streams");
    free(in);
    free(out);
}

#ifdef __CUDACC__
/* A captured call with a count on the device, and one that reads what it wrote, replayed with other counts. */
static void test_graph(void)
{
    enum { N = 300000 };
    tap_buffer d_in = tap_buffer_new(N * sizeof(uint32_t), 4), d_out = tap_buffer_new(N * sizeof(uint32_t), 0);
    tap_buffer d_n = tap_buffer_new(sizeof(size_t), 0);
    uint32_t *from = (uint32_t *)d_in.data, *to = (uint32_t *)d_out.data;
    uint32_t *out = (uint32_t *)malloc(N * sizeof *out);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    int right = 1;

    must(cudaStreamCreate(&stream));
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    must(device_u32_transform(from, to, (const size_t *)d_n.data, N, NULL, stream));
    must(u32_transform(to, to, N, NULL, stream));
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaGraphInstantiate(&executable, graph, 0));
    for (size_t n = N; n > 100; n /= 7) {
        uint32_t *in = (uint32_t *)random_bytes(N * sizeof *in);

        must(cudaMemcpy(from, in, N * sizeof *in, cudaMemcpyHostToDevice));
        must(cudaMemset(to, 0, N * sizeof *in));
        must(cudaMemcpy(d_n.data, &n, sizeof n, cudaMemcpyHostToDevice));
        must(cudaGraphLaunch(executable, stream));
        must(cudaStreamSynchronize(stream));
        tap_buffer_read(out, &d_out, N * sizeof *out);
        for (size_t i = 0; i < N; i++)
            right &= out[i] == (i < n ? (in[i] + 1) * 5 : 0);
        free(in);
    }
    ok(right, "a captured graph replays right");
    must(cudaGraphExecDestroy(executable));
    must(cudaGraphDestroy(graph));
    must(cudaStreamDestroy(stream));
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_out);
    tap_buffer_free(&d_n);
    free(out);
}

#define GP_NAME far
#define GP_TYPE uint8_t
#define GP_INPUT_TYPE void
#define GP_LOAD_AT(in, i) ((uint8_t)((i) ^ (i) >> 8 ^ (i) >> 30))
#include <gpuprims/transform.cuh>

/* Items by their numbers, then all of them mapped in place; looked at at both ends and about 2^32. */
static void test_huge(void)
{
    enum { WINDOW = 1 << 20 };
    static uint8_t got[WINDOW];
    const size_t n = ((size_t)1 << 32) + 3 * WINDOW + 4099;
    const size_t starts[] = {0, ((size_t)1 << 32) - WINDOW / 2, n - WINDOW};
    uint8_t *items = NULL;
    int right = 1;

    if (cudaMalloc((void **)&items, n + 1) != cudaSuccess) {
        (void)cudaGetLastError();
        ok(1, "more than 2^32 items # SKIP no memory for them");
        return;
    }
    must(far_transform(NULL, items + 1, n, NULL, 0));
    must(u8_transform(items + 1, items + 1, n, NULL, 0));
    for (int s = 0; s < 3; s++) {
        must(cudaMemcpy(got, items + 1 + starts[s], WINDOW, cudaMemcpyDeviceToHost));
        for (size_t k = 0; k < WINDOW; k++) {
            const size_t i = starts[s] + k;

            right &= got[k] == ((uint8_t)(i ^ i >> 8 ^ i >> 30) ^ 0x5A);
        }
    }
    ok(right, "more than 2^32 items");
    must(cudaFree(items));
}
#endif

int main(int argc, char **argv)
{
    tap_begin(argc, argv);
    for (size_t i = 0; i < 3 * MOST; i++)
        numbers[i] = (uint32_t)tap_random();
    for (size_t i = 0; i < MOST; i++)
        order[i] = (uint32_t)(i * 4001 % MOST);
    for (int k = 0; k < CASES; k++) {
        test_sizes(cases[k]);
        test_places(cases[k]);
        test_edges(cases[k]);
    }
    if (!tap_small)
        test_large();
    test_expressions();
    test_stores();
    test_device_n();
    test_errors();
    test_nothing();
    test_streams();
#ifdef __CUDACC__
    test_graph();
    if (!tap_small)
        test_huge();
#endif
    return tap_end();
}
