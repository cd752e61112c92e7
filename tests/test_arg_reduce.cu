/* arg_reduce.cuh: types of all sizes, orders, ties, NaN, every alignment, expressions, arguments. */
#include <stdint.h>

#include "tap.h"

/* Inputs need not be large to be read as large ones are. */
#define GPI_TUNE_ARG_REDUCE_SINGLE 3000
#define GPI_TUNE_ARG_REDUCE_TILES  90

#define MAP static __host__ __device__ inline

typedef struct {
    const char *name;
    size_t bytes, align;
    void (*make)(void *items, size_t n, int few);
    size_t (*expect)(const void *items, size_t n, int largest);
    cudaError_t (*run)(const void *items, void *d_index, size_t n, int largest, int few, gp_workspace *ws);
} arg_case;

/* ---- items --------------------------------------------------------------------------------------- */

/* clang-format off */
typedef struct { uint8_t b[3]; } b3;
typedef struct { uint16_t a, b; } s4; /* a power of two, but of a small alignment */
typedef struct { float key; int32_t rest[2]; } s12;
typedef struct { uint64_t a, b; } __attribute__((aligned(16))) s16a;
typedef struct { uint32_t a[32]; } s128;
/* clang-format on */

MAP b3 make_b3(uint64_t r, int few)
{
    b3 x;

    x.b[0] = (uint8_t)r;
    x.b[1] = (uint8_t)(few ? r % 2 : r >> 8);
    x.b[2] = (uint8_t)(few ? 0 : r >> 16);
    return x;
}

MAP int less_b3(b3 x, b3 y) /* the first byte does not count */
{
    return x.b[2] != y.b[2] ? x.b[2] < y.b[2] : x.b[1] < y.b[1];
}

MAP s4 make_s4(uint64_t r, int few)
{
    s4 x;

    x.a = (uint16_t)r;
    x.b = (uint16_t)(few ? r >> 16 & 3 : r >> 16);
    return x;
}

MAP int less_s4(s4 x, s4 y)
{
    return x.b < y.b;
}

MAP s12 make_s12(uint64_t r, int few)
{
    s12 x;

    x.key = (float)(int)(few ? r % 3 : r % 1000003) - 7;
    x.rest[0] = x.rest[1] = (int32_t)(r >> 32);
    return x;
}

MAP int greater_s12(s12 x, s12 y)
{
    return x.key > y.key;
}

MAP s16a make_s16a(uint64_t r, int few)
{
    s16a x;

    x.a = few ? 5 : r >> 40;
    x.b = few ? r % 2 : r;
    return x;
}

MAP int less_s16a(s16a x, s16a y)
{
    return x.a < y.a || (x.a == y.a && x.b < y.b);
}

MAP s128 make_s128(uint64_t r, int few)
{
    s128 x;

    for (uint32_t k = 0; k < 32; k++)
        x.a[k] = few ? (uint32_t)r % 2 : (uint32_t)(r >> k);
    return x;
}

MAP int less_s128(s128 x, s128 y)
{
    return x.a[31] < y.a[31];
}

/* clang-format off */
#define CASE u8
#define CASE_TYPE uint8_t
#define CASE_MAKE(r, few) ((uint8_t)((few) ? 7 + (r) % 2 : (r)))
#include "arg_case.h"
#define CASE i16
#define CASE_TYPE int16_t
#define CASE_MAKE(r, few) ((int16_t)((few) ? -(int)((r) % 3) : (int)(r)))
#include "arg_case.h"
#define CASE i32
#define CASE_TYPE int
#define CASE_MAKE(r, few) ((int)((few) ? (r) % 4 : (r)))
#include "arg_case.h"
#define CASE u64
#define CASE_TYPE uint64_t
#define CASE_MAKE(r, few) ((few) ? (r) % 2 << 63 : (r))
#include "arg_case.h"
#define CASE f32
#define CASE_TYPE float
#define CASE_MAKE(r, few) ((few) ? (r) % 2 ? 0.0f : -0.0f : (float)(int32_t)(r) * 0x1p-9f)
#include "arg_case.h"
#define CASE f64
#define CASE_TYPE double
#define CASE_MAKE(r, few) ((few) ? (r) % 2 ? __builtin_inf() : 1.5 : (double)(int64_t)(r))
#include "arg_case.h"
#define CASE b3
#define CASE_TYPE b3
#define CASE_LESS(a, b) less_b3(a, b)
#define CASE_MAKE(r, few) make_b3(r, few)
#include "arg_case.h"
#define CASE s4
#define CASE_TYPE s4
#define CASE_LESS less_s4
#define CASE_MAKE(r, few) make_s4(r, few)
#include "arg_case.h"
#define CASE s12
#define CASE_TYPE s12
#define CASE_LESS greater_s12
#define CASE_MAKE(r, few) make_s12(r, few)
#include "arg_case.h"
#define CASE s16a
#define CASE_TYPE s16a
#define CASE_LESS less_s16a
#define CASE_MAKE(r, few) make_s16a(r, few)
#include "arg_case.h"
#define CASE s128
#define CASE_TYPE s128
#define CASE_LESS less_s128
#define CASE_MAKE(r, few) make_s128(r, few)
#include "arg_case.h"
/* clang-format on */

static const arg_case *const cases[] = {&u8_case, &i16_case, &i32_case, &u64_case,  &f32_case, &f64_case,
                                        &b3_case, &s4_case,  &s12_case, &s16a_case, &s128_case};
enum { CASES = sizeof cases / sizeof *cases };

/* ---- the check ----------------------------------------------------------------------------------- */

/* n items at `at` bytes behind a line: the result of both functions, and that nothing else is written. */
static int found(const arg_case *t, const void *in, size_t n, size_t at, int few, gp_workspace *ws)
{
    tap_buffer d_in = tap_buffer_of(in, n * t->bytes, at), d_index = tap_buffer_new(few ? 4 : 8, at % 2 * 8);
    unsigned char *after = (unsigned char *)malloc(n * t->bytes + 1);
    int right = 1;

    for (int largest = 0; largest < 2; largest++) {
        const size_t expected = t->expect(in, n, largest);
        size_t got = 0;
        int got_int = 0;
        cudaError_t error = t->run(d_in.data, d_index.data, n, largest, few, ws);

        tap_buffer_read(few ? (void *)&got_int : (void *)&got, &d_index, few ? 4 : 8);
        if (few)
            got = got_int == INT32_MAX ? (size_t)-1 : (size_t)got_int;
        if (error != cudaSuccess || got != expected) {
            printf("# %s: %s of %zu at %zu%s: %zu, not %zu (error %d)\n", t->name, largest ? "argmax" : "argmin", n, at,
                   few ? ", two blocks" : "", got, expected, (int)error);
            right = 0;
        }
    }
    tap_buffer_read(after, &d_in, n * t->bytes);
    right &= memcmp(after, in, n * t->bytes) == 0;
    right &= tap_buffer_intact(&d_in, n * t->bytes) && tap_buffer_intact(&d_index, few ? 4 : 8);
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_index);
    free(after);
    return right;
}

static void test_sizes(const arg_case *t)
{
    static const size_t sizes[] = {0,   1,    2,    3,    4,    5,    7,    15,   16,   17,   31,   32,    33,    63,
                                   65,  127,  129,  255,  257,  511,  512,  513,  769,  1023, 1025, 2047,  2049,  4096,
                                   4099, 8193, 8209, 16387, 24577, 49153, 65537, 100003, 400009, 1000003};
    char *in = (char *)malloc(1000003 * (t->bytes < 16 ? t->bytes : 16));
    gp_workspace ws = GP_WORKSPACE_INIT;
    int right = 1;

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int few = 0; few < 2; few++) {
            const size_t n = sizes[s];

            if (n * t->bytes > (tap_small ? (size_t)200 << 10 : (size_t)4 << 20))
                continue;
            t->make(in, n, few);
            right &= found(t, in, n, (n * 5 + (size_t)few) % 16 * t->align, few, n % 2 ? &ws : NULL);
        }
    must(gp_workspace_release(&ws, 0));
    ok(right, "%s: sizes, and ties", t->name);
    free(in);
}

static void test_places(const arg_case *t)
{
    const size_t sizes[] = {1, 9, 40, 701, tap_small ? 5000 : 100003 / t->bytes + 3000};
    char *in = (char *)malloc(110000 + 3000 * t->bytes + 5000 * t->bytes);
    int right = 1;

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t at = 0; at == 0 || at < 16; at += t->align) {
            t->make(in, sizes[s], 0);
            right &= found(t, in, sizes[s], at, (int)(at / t->align % 2), NULL);
        }
    ok(right, "%s: every misalignment", t->name);
    free(in);
}

/* Each place of a small input, and some of a large one, is found; and with two of them, the first. */
static void test_each_place(size_t n, size_t step)
{
    float *in = (float *)malloc(n * sizeof *in);
    int right = 1;

    for (size_t i = 0; i < n; i++)
        in[i] = (float)(i % 5);
    for (size_t i = 0; i < n; i += step) {
        const size_t j = i + tap_below(n - i);
        const float x = in[i], y = in[j];

        in[j] = in[i] = i % 2 ? -1.0f : 9.0f;
        right &= found(&f32_case, in, n, i % 8 * 4, (int)(i % 3 == 0), NULL);
        in[j] = y;
        in[i] = x;
    }
    ok(right, "each place of %zu, and the first of two", n);
    free(in);
}

static void test_orders(size_t n)
{
    int *in = (int *)malloc(n * sizeof *in), right = 1;

    for (int kind = 0; kind < 3; kind++) {
        for (size_t i = 0; i < n; i++)
            in[i] = kind == 0 ? (int)i - 1000 : kind == 1 ? 1000 - (int)i : 5;
        right &= found(&i32_case, in, n, 4, 0, NULL) & found(&i32_case, in, n, 0, 1, NULL);
    }
    ok(right, "%zu items, sorted, reversed, all equal", n);
    free(in);
}

/* Where there are NaNs, the first one, whatever its bits; with an order that says so, the numbers. */
MAP int less_number(float a, float b)
{
    return a < b || (a == a && b != b);
}

#define GP_NAME number
#define GP_TYPE float
#define GP_LESS less_number
#include <gpuprims/arg_reduce.cuh>

static void test_nan(size_t n)
{
    const uint32_t nans[] = {0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFFFFFFF};
    float *in = (float *)malloc(n * sizeof *in), lowest;
    tap_buffer d_index = tap_buffer_new(sizeof(size_t), 0);
    size_t *out = (size_t *)d_index.data, got;
    int right = 1, numbers = 1;

    for (int k = 0; k < 40; k++) {
        const size_t first = tap_below(n);
        size_t least = n;

        for (size_t i = 0; i < n; i++)
            in[i] = i % 7 ? (float)tap_below(1000) - 500 : (i % 2 ? 1 : -1) * __builtin_inff();
        for (size_t i = first; i < n; i += 1 + tap_below(1 + n / 5))
            memcpy(&in[i], &nans[tap_below(4)], sizeof *in);
        tap_buffer d_in = tap_buffer_of(in, n * sizeof *in, tap_below(8) * 4);
        for (int largest = 0; largest < 2; largest++) {
            right &= f32_case.run(d_in.data, out, n, largest, 0, NULL) == cudaSuccess;
            tap_buffer_read(&got, &d_index, sizeof got);
            right &= got == first;
        }
        lowest = 0;
        for (size_t i = 0; i < n; i++)
            if (in[i] == in[i] && (least == n || in[i] < lowest)) {
                least = i;
                lowest = in[i];
            }
        numbers &= number_argmin((const float *)d_in.data, out, n, NULL, 0) == cudaSuccess;
        tap_buffer_read(&got, &d_index, sizeof got);
        numbers &= got == (least == n ? 0 : least);
        tap_buffer_free(&d_in);
    }
    ok(right, "%zu floats: the first NaN, of the smallest and of the largest", n);
    ok(numbers, "%zu floats: with an order of which NaNs are the end, the smallest number", n);
    tap_buffer_free(&d_index);
    free(in);
}

/* ---- expressions and contexts ---------------------------------------------------------------------- */

typedef struct {
    const float *x, *y;
    float x0, y0;
} points;

/* The point nearest to (x0, y0). */
MAP float squared_distance(points p, size_t i)
{
    return (p.x[i] - p.x0) * (p.x[i] - p.x0) + (p.y[i] - p.y0) * (p.y[i] - p.y0);
}

#define GP_NAME nearest
#define GP_TYPE float
#define GP_INPUT_TYPE void
#define GP_CONTEXT points
#define GP_LOAD_AT(in, i, p) squared_distance(p, i)
#define GP_INDEX uint32_t
#include <gpuprims/arg_reduce.cuh>
#define GP_NAME strided
#define GP_TYPE int16_t
#define GP_INPUT_TYPE int
#define GP_LOAD_AT(in, i) ((int16_t)(in)[2 * (i)])
#define GP_INDEX int64_t
#define GP_GRID 3
#include <gpuprims/arg_reduce.cuh>
#define GP_NAME ranked /* items are places in a table of ranks */
#define GP_TYPE uint8_t
#define GP_CONTEXT const uint16_t *
#define GP_LESS(a, b, ranks) ((ranks)[a] < (ranks)[b])
#include <gpuprims/arg_reduce.cuh>
#define GP_NAME hashed
#define GP_TYPE uint32_t
#define GP_INPUT_TYPE void
#define GP_LOAD_AT(in, i) ((uint32_t)(i) * 2654435761u)
#include <gpuprims/arg_reduce.cuh>
#define GP_NAME widened /* read as bytes, compared as signed numbers */
#define GP_TYPE int
#define GP_INPUT_TYPE int8_t
#include <gpuprims/arg_reduce.cuh>

static void test_expressions(size_t n)
{
    int *in = (int *)malloc(2 * n * sizeof *in);
    float *x = (float *)malloc(n * sizeof *x), *y = (float *)malloc(n * sizeof *y);
    uint16_t ranks[256];
    tap_buffer d_index = tap_buffer_new(8, 0);
    size_t got = 0, best[5] = {0, 0, 0, 0, 0};
    int64_t signed_got;
    uint32_t small_got;

    for (int k = 0; k < 256; k++)
        ranks[k] = (uint16_t)(tap_random() % 50);
    for (size_t i = 0; i < n; i++) {
        in[2 * i] = (int)tap_random();
        in[2 * i + 1] = INT32_MIN;
        x[i] = (float)(int)tap_below(2000) / 8;
        y[i] = (float)(int)tap_below(2000) / 8;
    }
    tap_buffer d_in = tap_buffer_of(in, 2 * n * sizeof *in, 4), d_ranks = tap_buffer_of(ranks, sizeof ranks, 2);
    tap_buffer d_x = tap_buffer_of(x, n * sizeof *x, 0), d_y = tap_buffer_of(y, n * sizeof *y, 8);
    const points d_points = {(const float *)d_x.data, (const float *)d_y.data, 100, 150}, p = {x, y, 100, 150};
    const uint8_t *bytes = (const uint8_t *)in;

    for (size_t i = 1; i < n; i++) {
        if (squared_distance(p, i) < squared_distance(p, best[0]))
            best[0] = i;
        if ((int16_t)in[2 * i] > (int16_t)in[2 * best[1]])
            best[1] = i;
        if (ranks[bytes[i]] < ranks[bytes[best[2]]])
            best[2] = i;
        if ((uint32_t)i * 2654435761u > (uint32_t)best[3] * 2654435761u)
            best[3] = i;
        if ((int8_t)bytes[i] < (int8_t)bytes[best[4]])
            best[4] = i;
    }
    must(nearest_argmin(NULL, (uint32_t *)d_index.data, n, d_points, NULL, 0));
    tap_buffer_read(&small_got, &d_index, sizeof small_got);
    ok(small_got == best[0], "the nearest of %zu points, by a context", n);
    must(strided_argmax((const int *)d_in.data, (int64_t *)d_index.data, n, NULL, 0));
    tap_buffer_read(&signed_got, &d_index, sizeof signed_got);
    ok(signed_got == (int64_t)best[1], "every other item of %zu, with three blocks", 2 * n);
    must(ranked_argmin((const uint8_t *)d_in.data, (size_t *)d_index.data, n, (const uint16_t *)d_ranks.data, NULL, 0));
    tap_buffer_read(&got, &d_index, sizeof got);
    ok(got == best[2], "an order of %zu items by a context", n);
    must(hashed_argmax(NULL, (size_t *)d_index.data, n, NULL, 0));
    tap_buffer_read(&got, &d_index, sizeof got);
    ok(got == best[3], "%zu items from nothing", n);
    must(widened_argmin((const int8_t *)d_in.data, (size_t *)d_index.data, n, NULL, 0));
    tap_buffer_read(&got, &d_index, sizeof got);
    ok(got == best[4], "%zu bytes, compared as int", n);
    tap_buffer_free(&d_index);
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_ranks);
    tap_buffer_free(&d_x);
    tap_buffer_free(&d_y);
    free(in);
    free(x);
    free(y);
}

/* ---- arguments ------------------------------------------------------------------------------------- */

#define GP_NAME few_bytes
#define GP_TYPE int8_t
#define GP_INDEX int
#include <gpuprims/arg_reduce.cuh>

static void refused(cudaError_t error, const char *says)
{
    ok(error == cudaErrorInvalidValue && strstr(gp_last_error_message(), says) != NULL, "refused: %s", says);
}

static void test_arguments(void)
{
    enum { N = 300007 };
    tap_buffer d = tap_buffer_new(64, 0), d_in = tap_buffer_new(N * sizeof(float), 4);
    size_t *place = (size_t *)d.data, got;
    const float *in = (const float *)d_in.data;
    const size_t enough = f32_argmax_workspace_bytes(N), large = f32_argmin_workspace_bytes((size_t)1 << 40);
    gp_workspace ws = GP_WORKSPACE_INIT;
    const points none = {NULL, NULL, 0, 0};
    int rubbish = 1;

    refused(f32_argmin(NULL, place, 1, NULL, 0), "f32_argmin: in is NULL");
    refused(f32_argmax(in, NULL, 0, NULL, 0), "f32_argmax: d_index is NULL");
    refused(f32_argmax((const float *)place, place, 3, NULL, 0), "f32_argmax: in and d_index overlap");
    refused(few_bytes_argmin((const int8_t *)in, (int *)place, (size_t)1 << 31, NULL, 0),
            "n is 2147483648; it must be at most 2147483647");
    refused(nearest_argmin(NULL, NULL, 5, none, NULL, 0), "nearest_argmin: d_index is NULL");
    ok(tap_buffer_intact(&d, 0), "and nothing is written");

    tap_buffer d_ws = tap_buffer_new(enough, 4);
    must(gp_workspace_wrap(&ws, d_ws.data, enough - 1, 0));
    refused(f32_argmax(in, place, N, &ws, 0), "f32_argmax");
    must(gp_workspace_release(&ws, 0));
    for (int k = 0; k < 3; k++) { /* with any contents */
        must(cudaMemset(d_ws.data, k ? 0xA5 : 0xFF, enough));
        must(gp_workspace_wrap(&ws, d_ws.data, enough, 0));
        for (int call = 0; call < 3; call++) {
            rubbish &= f32_argmax(in, place, N, &ws, 0) == cudaSuccess;
            tap_buffer_read(&got, &d, sizeof got);
            rubbish &= got == 0; /* all are equal */
        }
        must(gp_workspace_release(&ws, 0));
    }
    ok(rubbish && tap_buffer_intact(&d_ws, enough), "a workspace with rubbish that is just large enough");
    ok(large >= enough && large == f32_argmin_workspace_bytes(SIZE_MAX) && f32_argmin_workspace_bytes(0) <= enough,
       "the workspace does not grow without end");
    tap_buffer_free(&d_ws);
    tap_buffer_free(&d_in);
    tap_buffer_free(&d);
}

#ifdef __CUDACC__
/* A captured call, replayed: it sees what is there then. */
static void test_graph(void)
{
    enum { N = 500000 };
    float *in = (float *)calloc(N, sizeof *in);
    tap_buffer d_in = tap_buffer_of(in, N * sizeof *in, 4), d_index = tap_buffer_new(sizeof(size_t), 0);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    int right = 1;

    must(cudaStreamCreate(&stream));
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    must(f32_argmax((const float *)d_in.data, (size_t *)d_index.data, N, NULL, stream));
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaGraphInstantiate(&executable, graph, 0));
    for (size_t at = N - 1; at > 10; at /= 3) {
        const float one = 1;
        size_t got;

        must(cudaMemset(d_in.data, 0, N * sizeof *in));
        must(cudaMemcpy((float *)d_in.data + at, &one, sizeof one, cudaMemcpyHostToDevice));
        must(cudaGraphLaunch(executable, stream));
        must(cudaStreamSynchronize(stream));
        tap_buffer_read(&got, &d_index, sizeof got);
        right &= got == at;
    }
    ok(right, "a captured graph replays right");
    must(cudaGraphExecDestroy(executable));
    must(cudaGraphDestroy(graph));
    must(cudaStreamDestroy(stream));
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_index);
    free(in);
}

#define GP_NAME far
#define GP_TYPE unsigned
#define GP_INPUT_TYPE void
#define GP_CONTEXT size_t
#define GP_LOAD_AT(in, i, place) ((i) == (place) ? 0u : 1u + (unsigned)((i) % 1000))
#include <gpuprims/arg_reduce.cuh>

static void test_huge(void)
{
    const size_t n = ((size_t)1 << 32) + 1234567, places[] = {n - 1, ((size_t)1 << 32) + 17, ((size_t)1 << 32) - 1, 5};
    uint8_t *bytes = NULL, least = 0;
    tap_buffer d_index = tap_buffer_new(sizeof(size_t), 0);
    size_t got;
    int right = 1;

    for (int k = 0; k < 4; k++) {
        must(far_argmin(NULL, (size_t *)d_index.data, n, places[k], NULL, 0));
        tap_buffer_read(&got, &d_index, sizeof got);
        right &= got == places[k];
    }
    ok(right, "more than 2^32 items, computed");
    if (cudaMalloc((void **)&bytes, n) != cudaSuccess) {
        (void)cudaGetLastError();
        ok(1, "more than 2^32 bytes # SKIP no memory for them");
    } else {
        must(cudaMemset(bytes, 1, n));
        must(cudaMemcpy(bytes + places[1], &least, 1, cudaMemcpyHostToDevice));
        must(u8_argmin(bytes + 1, (size_t *)d_index.data, n - 1, NULL, 0));
        tap_buffer_read(&got, &d_index, sizeof got);
        ok(got == places[1] - 1, "more than 2^32 bytes");
        must(cudaFree(bytes));
    }
    tap_buffer_free(&d_index);
}
#endif

int main(int argc, char **argv)
{
    tap_begin(argc, argv);
    for (int k = 0; k < CASES; k++) {
        test_sizes(cases[k]);
        test_places(cases[k]);
    }
    test_each_place(70, 1);
    test_each_place(9001, tap_small ? 997 : 97);
    test_each_place(100003, tap_small ? 20011 : 5003);
    test_orders(1000);
    test_orders(60007);
    test_nan(3);
    test_nan(1000);
    test_nan(30011);
    test_expressions(100);
    test_expressions(40009);
    test_arguments();
#ifdef __CUDACC__
    test_graph();
    test_huge();
#endif
    return tap_end();
}
