/* segmented.cuh: reductions and scans of segments of all lengths, in the order that fold-order.md says. */
/* test options: timeout=600 */
#include "fold_check.h"

typedef struct segmented_case {
    const char *name;
    size_t in_bytes, out_bytes, in_align, out_align, index_bytes;
    cudaError_t (*run)(int what, const void *in, void *out, size_t n, const void *offsets, size_t segments,
                       gp_workspace *ws);
    cudaError_t (*run_rows)(int what, const void *in, void *out, size_t rows, size_t length, gp_workspace *ws);
    size_t (*bytes)(int what, size_t n, size_t segments);
    void (*expect)(int what, const void *in, void *out, size_t segment, const size_t *offsets);
} segmented_case;

/* The default, and included twice. */
#include <gpuprims/segmented.cuh>
#include <gpuprims/segmented.cuh>

typedef struct block1024 {
    uint32_t a[256];
} block1024;

static __host__ __device__ inline block1024 block1024_join(block1024 x, block1024 y)
{
    for (int i = 0; i < 256; i++)
        x.a[i] = x.a[i] * 3 + y.a[i] * y.a[(i + 1) % 256]; /* not associative: only the order makes it right */
    return x;
}

static __host__ __device__ inline uint64_t steps(uint64_t a, uint64_t b)
{
    return (a << 7 | a >> 57) ^ b * 0x9E3779B97F4A7C15u; /* likewise */
}

#define CASE f32
#define CASE_TYPE float
#define CASE_READY GP_SUM
#define CASE_OP(a, b) ((a) + (b))
#define CASE_IDENTITY 0
#define CASE_INDEX int
#include "segmented_case.h"
#define CASE u64
#define CASE_TYPE uint64_t
#define CASE_OP(a, b) steps(a, b)
#define CASE_DEVICE_OP steps
#define CASE_IDENTITY 77
#define CASE_INDEX uint32_t
#include "segmented_case.h"
#define CASE u8
#define CASE_TYPE uint8_t
#define CASE_READY GP_SUM
#define CASE_OP(a, b) ((uint8_t)((a) + (b)))
#define CASE_IDENTITY 0
#define CASE_INDEX int64_t
#include "segmented_case.h"
#define CASE i64sum
#define CASE_TYPE int64_t
#define CASE_READY GP_SUM
#define CASE_OP(a, b) ((int64_t)((uint64_t)(a) + (uint64_t)(b)))
#define CASE_IDENTITY 0
#define CASE_INDEX int
#include "segmented_case.h"
#define CASE i16max
#define CASE_TYPE int16_t
#define CASE_READY GP_MAX
#define CASE_OP(a, b) ((a) > (b) ? (a) : (b))
#define CASE_IDENTITY INT16_MIN
#include "segmented_case.h"
#define CASE u16_f64
#define CASE_TYPE double
#define CASE_IN uint16_t
#define CASE_LOAD(x) ((double)(x) / 3)
#define CASE_READY GP_SUM
#define CASE_OP(a, b) ((a) + (b))
#define CASE_IDENTITY 0
#include "segmented_case.h"
#define CASE u8_i32
#define CASE_TYPE int32_t
#define CASE_IN uint8_t
#define CASE_LOAD(x) ((int32_t)(x) - 100)
#define CASE_READY GP_SUM
#define CASE_OP(a, b) ((int32_t)((uint32_t)(a) + (uint32_t)(b)))
#define CASE_IDENTITY 0
#include "segmented_case.h"
#define CASE affine3
#define CASE_TYPE affine
#define CASE_OP(a, b) affine_then(a, b)
#define CASE_DEVICE_OP affine_then
#define CASE_IDENTITY {1, 0, 0}
#include "segmented_case.h"
#define CASE matrix16
#define CASE_TYPE matrix
#define CASE_OP(a, b) matrix_multiply(a, b)
#define CASE_DEVICE_OP matrix_multiply
#define CASE_IDENTITY {{1, 0, 0, 1}}
#define CASE_GRID 3
#include "segmented_case.h"
#define CASE matrix48
#define CASE_TYPE matrices3
#define CASE_OP(a, b) matrices3_multiply(a, b)
#define CASE_DEVICE_OP matrices3_multiply
#define CASE_IDENTITY {{{{1, 0, 0, 1}}, {{1, 0, 0, 1}}, {{1, 0, 0, 1}}}}
#include "segmented_case.h"

/* From here on few items make chunks of several windows. */
#undef GPI_TUNE_SEGMENTED_CHUNKS
#define GPI_TUNE_SEGMENTED_CHUNKS 6
#undef GPI_TUNE_SEGMENTED_RANGE
#define GPI_TUNE_SEGMENTED_RANGE 64
#define CASE f32_few
#define CASE_TYPE float
#define CASE_READY GP_SUM
#define CASE_OP(a, b) ((a) + (b))
#define CASE_IDENTITY 0
#define CASE_INDEX unsigned
#define CASE_GRID 2
#include "segmented_case.h"
#define CASE u32_few
#define CASE_TYPE uint32_t
#define CASE_READY GP_XOR
#define CASE_OP(a, b) ((a) ^ (b))
#define CASE_IDENTITY 0
#define CASE_GRID 3
#include "segmented_case.h"
#define CASE i32_tiles
#define CASE_TYPE int
#define CASE_READY GP_SUM
#define CASE_OP(a, b) ((int)((unsigned)(a) + (unsigned)(b)))
#define CASE_IDENTITY 0
#define CASE_INDEX int
#define CASE_KERNEL GP_KERNEL_PIPELINED
#include "segmented_case.h"
#define CASE u8_tiles
#define CASE_TYPE uint8_t
#define CASE_READY GP_MIN
#define CASE_OP(a, b) ((a) < (b) ? (a) : (b))
#define CASE_IDENTITY UINT8_MAX
#define CASE_KERNEL GP_KERNEL_PIPELINED
#define CASE_GRID 2
#include "segmented_case.h"
#define CASE u16_i64_tiles
#define CASE_TYPE int64_t
#define CASE_IN uint16_t
#define CASE_LOAD(x) ((int64_t)(x) - 5)
#define CASE_READY GP_XOR
#define CASE_OP(a, b) ((a) ^ (b))
#define CASE_IDENTITY 0
#define CASE_INDEX uint32_t
#define CASE_KERNEL GP_KERNEL_PIPELINED
#define CASE_GRID 3
#include "segmented_case.h"
#define CASE struct1024
#define CASE_TYPE block1024
#define CASE_OP(a, b) block1024_join(a, b)
#define CASE_DEVICE_OP block1024_join
#define CASE_IDENTITY {{1, 2, 3}}
#include "segmented_case.h"
#define CASE range8
#define CASE_TYPE range8
#define CASE_OP(a, b) span_range8(a, b)
#define CASE_DEVICE_OP join8
#define CASE_IDENTITY {7, 7}
#include "segmented_case.h"
#define CASE range128
#define CASE_TYPE range128
#define CASE_OP(a, b) span_range128(a, b)
#define CASE_DEVICE_OP join128
#define CASE_IDENTITY {7, 7, {0}}
#include "segmented_case.h"

static const segmented_case *const cases[] = {
    &f32_case,    &u64_case,      &u8_case,       &i64sum_case,  &i16max_case,  &u16_f64_case,    &u8_i32_case,
    &affine3_case, &matrix16_case, &matrix48_case, &f32_few_case, &u32_few_case, &struct1024_case, &range8_case,
    &range128_case, &i32_tiles_case, &u8_tiles_case, &u16_i64_tiles_case};
enum { CASES = sizeof cases / sizeof *cases };
static const char *const function_names[] = {"inclusive scan", "exclusive scan", "", "reduce"};

/* ---- segments ---------------------------------------------------------------------------------- */

/* How long segments are. */
enum { UNIFORM, EIGHTS, POWER_LAW, ONE_OF_ALL, FEW, EMPTY, EDGES, ONES, LONG, KINDS };
static const char *const kind_names[] = {"0 to 40", "8", "power law", "one of all among empty ones",
                                         "few among many empty ones", "empty", "about powers of two", "1", "long"};

static size_t length_of(int kind, size_t n)
{
    static const size_t edges[] = {0,  1,  2,  3,  4,  5,  7,  8,   9,   15,  16,  17,  31,  32,   33,   63,   64,
                                   65, 95, 96, 97, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2049};

    switch (kind) {
    case UNIFORM: return tap_below(41);
    case EIGHTS: return 8;
    case POWER_LAW: return (size_t)1 << tap_below(tap_below(13) + 1);
    case ONE_OF_ALL: return tap_below(300) ? 0 : n;
    case FEW: return tap_below(300) ? 0 : 1 + tap_below(5);
    case EMPTY: return 0;
    case EDGES: return edges[tap_below(sizeof edges / sizeof *edges)];
    case ONES: return 1;
    default: return n / 5 + tap_below(n + 1) / 3;
    }
}

#include "segment_offsets.h"

static void *random_items(const segmented_case *c, size_t n)
{
    unsigned char *x = (unsigned char *)malloc(n * c->in_bytes + 1);

    if (strncmp(c->name, "range", 5) == 0) {
        for (size_t i = 0; i < n; i++)
            if (c->in_bytes == 8)
                ((range8 *)(void *)x)[i] = make_range8(i);
            else
                ((range128 *)(void *)x)[i] = make_range128(i);
        return x;
    }
    for (size_t i = 0; i < n * c->in_bytes; i++)
        x[i] = (unsigned char)tap_random();
    if (strncmp(c->name, "f32", 3) == 0)
        for (size_t i = 0; i < n; i++)
            ((float *)(void *)x)[i] = (float)(int64_t)tap_random() * (tap_below(3) ? 1e-9f : 1e-3f);
    return x;
}

/* What is in the way of the results: nowhere else may anything be written. */
static int same(const segmented_case *c, int what, const void *in, const unsigned char *got, size_t n,
                const size_t *offsets, size_t segments, const unsigned char *before)
{
    const size_t results = what == REDUCE ? segments : n;
    unsigned char *expected = (unsigned char *)malloc(results * c->out_bytes + 1);
    int right;

    memcpy(expected, before, results * c->out_bytes);
    for (size_t s = 0; s < segments; s++)
        c->expect(what, in, expected, s, offsets);
    right = memcmp(expected, got, results * c->out_bytes) == 0;
    free(expected);
    return right;
}

/* One call, with arrays at some place; in place, if that is asked for. */
static int call_is_right(const segmented_case *c, int what, size_t n, const size_t *offsets, size_t segments,
                         int in_place, gp_workspace *ws)
{
    const size_t results = what == REDUCE ? segments : n;
    unsigned char *in = (unsigned char *)random_items(c, n), *got = (unsigned char *)malloc(results * c->out_bytes + 1);
    unsigned char *before = (unsigned char *)malloc(results * c->out_bytes + 1);
    tap_buffer d_in = tap_buffer_of(in, n * c->in_bytes, c->in_align * tap_below(128 / c->in_align));
    tap_buffer d_out = tap_buffer_new(results * c->out_bytes, c->out_align * tap_below(128 / c->out_align));
    tap_buffer d_offsets = device_offsets(c->index_bytes, offsets, segments);
    const tap_buffer *result = in_place ? &d_in : &d_out;
    int right;

    if (in_place)
        memcpy(before, in, results * c->out_bytes);
    else
        memset(before, 0xC3, results * c->out_bytes);
    right = c->run(what, d_in.data, result->data, n, d_offsets.data, segments, ws) == cudaSuccess;
    tap_buffer_read(got, result, results * c->out_bytes);
    right &= same(c, what, in, got, n, offsets, segments, before);
    right &= tap_buffer_intact(&d_out, in_place ? 0 : results * c->out_bytes);
    right &= tap_buffer_intact(&d_in, n * c->in_bytes) && tap_buffer_intact(&d_offsets, d_offsets.bytes);
    if (!in_place) {
        unsigned char *copy = (unsigned char *)malloc(n * c->in_bytes + 1);

        tap_buffer_read(copy, &d_in, n * c->in_bytes);
        right &= memcmp(copy, in, n * c->in_bytes) == 0;
        free(copy);
    }
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_out);
    tap_buffer_free(&d_offsets);
    free(in);
    free(got);
    free(before);
    return right;
}

static void test_kinds(const segmented_case *c)
{
    static const size_t sizes[] = {1, 2, 31, 32, 33, 100, 257, 1000, 1024, 1025, 5000, 15000, 33333, 70001};
    const size_t most_bytes = tap_small ? (size_t)1 << 17 : (size_t)1 << 21;
    gp_workspace ws = GP_WORKSPACE_INIT;

    for (int what = 0; what <= REDUCE; what++) {
        if (what == EXCLUSIVE_INIT)
            continue;
        for (int kind = 0; kind < KINDS; kind++) {
            int right = 1, in_place = 1;

            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
                const size_t n = sizes[k], most = n + 5000 / (tap_small ? 8 : 1);
                size_t *offsets = (size_t *)malloc((most + 1) * sizeof *offsets);
                size_t segments;

                if (n * c->in_bytes <= most_bytes) {
                    segments = make_offsets(kind, n, most, offsets);
                    right &= call_is_right(c, what, n, offsets, segments, 0, k % 2 ? &ws : NULL);
                    if (what != REDUCE && c->in_bytes == c->out_bytes)
                        in_place &= call_is_right(c, what, n, offsets, segments, 1, &ws);
                }
                free(offsets);
            }
            ok(right && in_place, "%s: %s of segments: %s", c->name, function_names[what], kind_names[kind]);
        }
    }
    must(gp_workspace_release(&ws, 0));
}

/* Rows give what segments give, and a row alone the same. */
static void test_rows(const segmented_case *c)
{
    static const size_t shapes[][2] = {{1, 1},   {1, 5000}, {7, 0},    {100, 1},  {33, 7},   {64, 8},   {31, 31},
                                       {50, 32}, {41, 33},  {9, 1024}, {5, 1025}, {3, 5003}, {1, 40000}};
    int right = 1;

    for (int what = 0; what <= REDUCE; what++)
        for (size_t k = 0; what != EXCLUSIVE_INIT && k < sizeof shapes / sizeof *shapes; k++) {
            const size_t rows = shapes[k][0], length = shapes[k][1], n = rows * length;
            const size_t results = what == REDUCE ? rows : n;
            unsigned char *in = (unsigned char *)random_items(c, n);
            unsigned char *got = (unsigned char *)malloc(results * c->out_bytes + 1);
            unsigned char *before = (unsigned char *)calloc(results * c->out_bytes + 1, 1);
            size_t *offsets = (size_t *)malloc((rows + 1) * sizeof *offsets);

            if (n * c->in_bytes <= (size_t)1 << 20) {
                tap_buffer d_in = tap_buffer_of(in, n * c->in_bytes, c->in_align * tap_below(128 / c->in_align));
                tap_buffer d_out = tap_buffer_new(results * c->out_bytes, 0);

                for (size_t s = 0; s <= rows; s++)
                    offsets[s] = s * length;
                right &= c->run_rows(what, d_in.data, d_out.data, rows, length, NULL) == cudaSuccess;
                tap_buffer_read(got, &d_out, results * c->out_bytes);
                right &= same(c, what, in, got, n, offsets, rows, before);
                right &= tap_buffer_intact(&d_out, results * c->out_bytes);
                tap_buffer_free(&d_in);
                tap_buffer_free(&d_out);
            }
            free(in);
            free(got);
            free(before);
            free(offsets);
        }
    ok(right, "%s: rows", c->name);
}

/* Segments of so many chunks that groups of groups of them are published. */
static void test_deep(const segmented_case *c, size_t n)
{
    size_t offsets[4] = {3, 0, 0, 0};
    int right = 1;

    offsets[1] = n / 3 * 2;
    offsets[2] = offsets[1] + 1;
    offsets[3] = n;
    for (int what = 0; what <= REDUCE; what++)
        if (what != EXCLUSIVE_INIT)
            right &= call_is_right(c, what, n, offsets, 3, 0, NULL);
    ok(right, "%s: segments of %zu items", c->name, n / 3 * 2);
}

/* Crowds of empty segments between some that are not. */
static void test_crowds(const segmented_case *c)
{
    const size_t crowds = 4, crowd = 200000, between = 9000, n = crowds * between;
    size_t *offsets = (size_t *)malloc((crowds * (crowd + between) + 1) * sizeof *offsets);
    size_t segments = 0;
    int right = 1;

    offsets[0] = 5;
    for (size_t at = 5, k = 0; k < crowds; k++) {
        for (size_t empty = k % 2 ? crowd : tap_below(crowd); empty > 0; empty--)
            offsets[++segments] = at;
        for (const size_t end = (k + 1) * between - 3; at < end;) {
            const size_t length = tap_below(k == 2 ? between : 60); /* a crowd may end where its tile does */

            at = end - at < length ? end : at + length;
            offsets[++segments] = at;
        }
    }
    for (int what = 0; what <= REDUCE; what++)
        if (what != EXCLUSIVE_INIT)
            right &= call_is_right(c, what, n, offsets, segments, 0, NULL);
    ok(right, "%s: crowds of empty segments", c->name);
    free(offsets);
}

/* ---- workspaces -------------------------------------------------------------------------------- */

static void test_workspaces(const segmented_case *c)
{
    const size_t unit = c->out_bytes > 64 ? 2 : 100, n = 200 * unit;
    const size_t offsets[] = {1, 2, 150 * unit, 150 * unit, 150 * unit + 40, n - 1};
    int right = 1, refused = 1;

    for (int what = 0; what <= REDUCE; what++) {
        if (what == EXCLUSIVE_INIT)
            continue;
        const size_t bytes = c->bytes(what, n, 5);
        unsigned char *memory = NULL;
        gp_workspace ws = GP_WORKSPACE_INIT;

        must(cudaMalloc((void **)&memory, bytes + 8));
        must(cudaMemset(memory, 0xAB, bytes + 8));
        must(gp_workspace_wrap(&ws, memory + 5, bytes, 0));
        for (int again = 0; again < 3; again++)
            right &= call_is_right(c, what, n, offsets, 5, 0, &ws);
        if (bytes) {
            must(gp_workspace_wrap(&ws, memory, bytes - 1, 0));
            refused &= c->run(what, memory, memory, n, memory, 5, &ws) == cudaErrorInvalidValue;
        }
        must(gp_workspace_release(&ws, 0));
        must(cudaFree(memory));
        for (size_t m = 1, last = 0; m < (size_t)1 << 40; m += m / 7 + 1) {
            right &= c->bytes(what, m, m) >= last;
            last = c->bytes(what, m, 1);
        }
        right &= c->bytes(what, SIZE_MAX, 1) > (size_t)1 << 40;
    }
    ok(right, "%s: a dirty workspace of the least size", c->name);
    ok(refused, "%s: one byte less is refused", c->name);
}

/* ---- expressions ------------------------------------------------------------------------------- */

typedef struct {
    const float *values;
    const unsigned *columns;
    const float *vector;
} sparse;

#define GP_NAME product
#define GP_TYPE float
#define GP_INPUT_TYPE void
#define GP_CONTEXT sparse
#define GP_LOAD_AT(in, i, m) ((m).values[i] * (m).vector[(m).columns[i]])
#define GP_INDEX int
#include <gpuprims/segmented.cuh>
#define GP_NAME scaled
#define GP_TYPE double
#define GP_INPUT_TYPE uint8_t
#define GP_CONTEXT double
#define GP_LOAD(x, by) ((x) * (by))
#include <gpuprims/segmented.cuh>

static void test_expressions(void)
{
    enum { ITEMS = 3000, ROWS = 100, COLUMNS = 50 };
    static float values[ITEMS], vector[COLUMNS], got[ROWS];
    static unsigned columns[ITEMS];
    static double sums[ITEMS];
    static uint8_t bytes[ITEMS];
    int offsets[ROWS + 1] = {0}, right = 1;

    for (int i = 0; i < ITEMS; i++) {
        values[i] = (float)tap_below(100);
        columns[i] = (unsigned)tap_below(COLUMNS);
        bytes[i] = (uint8_t)tap_random();
    }
    for (int i = 0; i < COLUMNS; i++)
        vector[i] = (float)tap_below(100) - 50;
    for (int r = 0; r < ROWS; r++)
        offsets[r + 1] = offsets[r] + (int)tap_below(60) > ITEMS ? ITEMS : offsets[r] + (int)tap_below(30);

    tap_buffer a = tap_buffer_of(values, sizeof values, 0), b = tap_buffer_of(vector, sizeof vector, 4);
    tap_buffer c = tap_buffer_of(columns, sizeof columns, 8), d = tap_buffer_of(offsets, sizeof offsets, 4);
    tap_buffer e = tap_buffer_new(sizeof sums, 8), f = tap_buffer_of(bytes, sizeof bytes, 3);
    const sparse m = {(const float *)a.data, (const unsigned *)c.data, (const float *)b.data};
    right &= product_segmented_reduce(NULL, (float *)e.data, ITEMS, (const int *)d.data, ROWS, m, NULL, 0) == cudaSuccess;
    tap_buffer_read(got, &e, sizeof got);
    for (int r = 0; r < ROWS; r++) {
        float sum = 0; /* of small integers: exact */

        for (int i = offsets[r]; i < offsets[r + 1]; i++)
            sum += values[i] * vector[columns[i]];
        right &= sum == got[r];
    }
    ok(right, "GP_LOAD_AT with a context: a sparse matrix times a vector");

    right = scaled_row_exclusive_scan((const uint8_t *)f.data, (double *)e.data, 30, 100, 0.5, NULL, 0) == cudaSuccess;
    tap_buffer_read(sums, &e, sizeof sums);
    for (int r = 0; r < 30; r++) {
        double sum = 0;

        for (int i = 100 * r; i < 100 * r + 100; i++) {
            right &= sums[i] == sum;
            sum += bytes[i] * 0.5;
        }
    }
    ok(right, "GP_LOAD with a context");
    tap_buffer_free(&a);
    tap_buffer_free(&b);
    tap_buffer_free(&c);
    tap_buffer_free(&d);
    tap_buffer_free(&e);
    tap_buffer_free(&f);
}

/* ---- NaN, errors, nothing ---------------------------------------------------------------------- */

#define GP_NAME least
#define GP_TYPE float
#define GP_OP GP_MIN
#include <gpuprims/segmented.cuh>

static void test_nan(void)
{
    float in[300], out[4];
    const size_t offsets[] = {0, 20, 40, 40, 300};
    int right;

    for (int i = 0; i < 300; i++)
        in[i] = (float)i + 1;
    in[25] = __builtin_nanf("");
    in[299] = -__builtin_inff();
    tap_buffer a = tap_buffer_of(in, sizeof in, 0), b = tap_buffer_new(sizeof out, 0);
    tap_buffer c = tap_buffer_of(offsets, sizeof offsets, 0);
    right = least_segmented_reduce((const float *)a.data, (float *)b.data, 300, (const size_t *)c.data, 4, NULL, 0) ==
            cudaSuccess;
    tap_buffer_read(out, &b, sizeof out);
    ok(right && out[0] == 1 && is_nan((long double)out[1]) && out[2] == __builtin_inff() && out[3] == -__builtin_inff(),
       "a NaN is in its own segment");
    tap_buffer_free(&a);
    tap_buffer_free(&b);
    tap_buffer_free(&c);
}

static void refused(cudaError_t error, const char *function, const char *argument)
{
    ok(error == cudaErrorInvalidValue && strstr(gp_last_error_message(), function) &&
           strstr(gp_last_error_message(), argument),
       "refused: %s", gp_last_error_message());
}

static void test_errors(void)
{
    tap_buffer a = tap_buffer_new(4096, 0), b = tap_buffer_new(4096, 0), c = tap_buffer_new(4096, 0);
    int *in = (int *)a.data, *out = (int *)b.data;
    const size_t *at = (const size_t *)c.data;

    refused(gp_segmented_reduce(NULL, out, 3, at, 2, NULL, 0), "gp_segmented_reduce",
            "in is NULL; it must point to device memory when segments is 2");
    refused(gp_segmented_reduce(in, NULL, 3, at, 2, NULL, 0), "gp_segmented_reduce", "out is NULL");
    refused(gp_segmented_reduce(NULL, NULL, 0, NULL, 2, NULL, 0), "gp_segmented_reduce", "out is NULL");
    refused(gp_segmented_reduce(in, out, 3, NULL, 2, NULL, 0), "gp_segmented_reduce", "offsets is NULL");
    refused(gp_segmented_inclusive_scan(in, out, 3, NULL, 2, NULL, 0), "gp_segmented_inclusive_scan", "offsets is NULL");
    refused(gp_row_reduce(in, NULL, 3, 0, NULL, 0), "gp_row_reduce", "out is NULL");
    refused(gp_row_exclusive_scan(NULL, out, 3, 2, NULL, 0), "gp_row_exclusive_scan", "in is NULL");
    refused(gp_segmented_reduce(in, out, SIZE_MAX, at, 2, NULL, 0), "gp_segmented_reduce", "n is");
    refused(gp_segmented_reduce(in, out, 3, at, SIZE_MAX, NULL, 0), "gp_segmented_reduce", "segments is");
    refused(gp_row_reduce(in, out, SIZE_MAX / 2, 3, NULL, 0), "gp_row_reduce", "rows * length is");
    refused(f32_segmented_reduce((float *)in, (float *)out, (size_t)1 << 31, (const int *)at, 2, NULL, 0),
            "f32_segmented_reduce", "n is 2147483648; it must be at most 2147483647");
    refused(gp_segmented_reduce(in, in, 3, at, 2, NULL, 0), "gp_segmented_reduce", "in and out overlap; they must be apart");
    refused(gp_segmented_inclusive_scan(in, (int *)c.data, 3, at, 2, NULL, 0), "gp_segmented_inclusive_scan",
            "out and offsets overlap");
    refused(gp_segmented_reduce(in, (int *)c.data + 5, 3, at, 2, NULL, 0), "gp_segmented_reduce",
            "out and offsets overlap");
    refused(u16_f64_row_inclusive_scan((uint16_t *)in, (double *)in, 3, 2, NULL, 0), "u16_f64_row_inclusive_scan",
            "in and out overlap; they must be apart");
    refused(gp_row_inclusive_scan(in, in + 1, 3, 2, NULL, 0), "gp_row_inclusive_scan",
            "in and out overlap; they must be equal or apart");
    ok(cudaGetLastError() == cudaSuccess, "a refusal leaves no pending error");
    ok(tap_buffer_intact(&a, 0) && tap_buffer_intact(&b, 0) && tap_buffer_intact(&c, 0), "nor anything else");
    ok(gp_segmented_reduce(NULL, NULL, 0, NULL, 0, NULL, 0) == cudaSuccess &&
           gp_segmented_reduce(in, NULL, 5, NULL, 0, NULL, 0) == cudaSuccess &&
           gp_segmented_exclusive_scan(NULL, NULL, 0, NULL, 7, NULL, 0) == cudaSuccess &&
           gp_row_reduce(NULL, NULL, 0, 5, NULL, 0) == cudaSuccess &&
           gp_row_inclusive_scan(NULL, NULL, 5, 0, NULL, 0) == cudaSuccess,
       "no segments, or nothing to scan, succeed");
    must(cudaMemset(out, 0xFF, 4096));
    ok(gp_segmented_reduce(NULL, out, 0, NULL, 1000, NULL, 0) == cudaSuccess, "nothing but empty segments");
    int zeros = 1, *copy = (int *)malloc(4096);
    tap_buffer_read(copy, &b, 4096);
    for (int i = 0; i < 1000; i++)
        zeros &= copy[i] == 0;
    ok(zeros && copy[1000] == -1, "give as many identities");
    free(copy);
    tap_buffer_free(&a);
    tap_buffer_free(&b);
    tap_buffer_free(&c);
}

#ifdef __CUDACC__
/* A captured call, replayed with other offsets, between calls that use the same workspace. */
static void test_graph(void)
{
    enum { N = 300000, SEGMENTS = 2000 };
    size_t *offsets = (size_t *)malloc((SEGMENTS + 1) * sizeof *offsets);
    float *in = (float *)random_items(&f32_case, N), *out = (float *)malloc(N * sizeof *out);
    float *before = (float *)calloc(N, sizeof *before);
    tap_buffer d_in = tap_buffer_of(in, N * 4, 4), d_out = tap_buffer_new(N * 4, 0);
    tap_buffer d_offsets = tap_buffer_new((SEGMENTS + 1) * 4, 0);
    gp_workspace ws = GP_WORKSPACE_INIT;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    int right = 1;

    must(cudaStreamCreate(&stream));
    must(gp_workspace_reserve(&ws, f32_segmented_inclusive_scan_workspace_bytes(N, SEGMENTS), stream));
    for (int capture = 0; capture < 2; capture++) {
        if (capture)
            must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        must(f32_segmented_inclusive_scan((float *)d_in.data, (float *)d_out.data, 0, (int *)d_offsets.data, 0, &ws,
                                          stream));
        if (capture) {
            must(f32_segmented_inclusive_scan((float *)d_in.data, (float *)d_out.data, N, (int *)d_offsets.data,
                                              SEGMENTS, &ws, stream));
            must(cudaStreamEndCapture(stream, &graph));
        }
    }
    must(cudaGraphInstantiate(&executable, graph, 0));
    for (int round = 0; round < 6; round++) {
        int narrow[SEGMENTS + 1];

        for (size_t s = 0; s <= SEGMENTS; s++)
            offsets[s] = s == 0           ? 0
                         : s == SEGMENTS ? (size_t)N
                         : round % 2     ? offsets[s - 1] + tap_below(150)
                                         : s / 700 * 100000;
        for (size_t s = 0; s <= SEGMENTS; s++)
            narrow[s] = (int)offsets[s];
        must(cudaMemcpy(d_offsets.data, narrow, sizeof narrow, cudaMemcpyHostToDevice));
        must(cudaMemset(d_out.data, 0, N * 4));
        must(cudaGraphLaunch(executable, stream));
        must(f32_row_reduce((float *)d_in.data, (float *)d_in.data + N, 0, N, &ws, stream));
        must(cudaStreamSynchronize(stream));
        tap_buffer_read(out, &d_out, N * 4);
        right &= same(&f32_case, INCLUSIVE, in, (unsigned char *)out, N, offsets, SEGMENTS, (unsigned char *)before);
    }
    ok(right, "a captured graph replays right");
    must(cudaGraphExecDestroy(executable));
    must(cudaGraphDestroy(graph));
    must(cudaStreamDestroy(stream));
    must(gp_workspace_release(&ws, 0));
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_out);
    tap_buffer_free(&d_offsets);
    free(offsets);
    free(in);
    free(out);
    free(before);
}

#define GP_NAME far
#define GP_TYPE unsigned
#define GP_INPUT_TYPE void
#define GP_LOAD_AT(in, i) ((unsigned)((i) >> 20))
#include <gpuprims/segmented.cuh>

/* Rows that end beyond 2^32. */
static void test_huge(void)
{
    const size_t rows = 5, length = ((size_t)1 << 30) + 12345;
    tap_buffer d_out = tap_buffer_new(rows * 4, 0);
    unsigned out[5];
    int right = far_row_reduce(NULL, (unsigned *)d_out.data, rows, length, NULL, 0) == cudaSuccess;

    tap_buffer_read(out, &d_out, sizeof out);
    for (size_t r = 0; r < rows; r++) {
        unsigned sum = 0;

        for (size_t i = r * length; i < (r + 1) * length;) {
            const size_t next = ((i >> 20) + 1) << 20, end = next < (r + 1) * length ? next : (r + 1) * length;

            sum += (unsigned)(i >> 20) * (unsigned)(end - i);
            i = end;
        }
        right &= sum == out[r];
    }
    ok(right, "more than 2^32 items");
    tap_buffer_free(&d_out);
}
#endif

int main(int argc, char **argv)
{
    tap_begin(argc, argv);
    for (int c = 0; c < CASES; c++) {
        if (!tap_wants(cases[c]->name))
            continue;
        test_kinds(cases[c]);
        test_rows(cases[c]);
        test_workspaces(cases[c]);
    }
    if (!tap_wants("others"))
        return tap_end();
    test_deep(&matrix48_case, tap_small ? 4000 : 120000);
    test_deep(&range128_case, tap_small ? 4000 : 60000);
    if (!tap_small)
        test_deep(&f32_case, 3000000);
    test_crowds(&u32_few_case);
    test_crowds(&i32_tiles_case);
    test_crowds(&u8_tiles_case);
    fold_check_neighbours("ranges");
    test_expressions();
    test_nan();
    test_errors();
#ifdef __CUDACC__
    test_graph();
    if (!tap_small)
        test_huge();
#endif
    return tap_end();
}
