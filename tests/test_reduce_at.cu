/* reduce.cuh: expressions in place of arrays (GP_LOAD_AT), an init, and GP_INDEX. */
#include "fold_check.h"

#define MAP static __host__ __device__ inline

/* ---- items -------------------------------------------------------------------------------------- */

/* The words that items are made of: by number. */
MAP uint32_t word_of(size_t i)
{
    uint32_t x = (uint32_t)i * 2654435761u ^ (uint32_t)(i >> 32);

    return (x ^ x >> 15) * 2246822519u;
}

#define INIT_WORD 0x9E3779B9u

/* An array of words that knows its length. */
typedef struct {
    const uint32_t *words;
    size_t n;
} bounded_words;

static __device__ unsigned beyond; /* items that were asked for and are not there */

static __device__ uint32_t bounded_word(const void *in, size_t i, bounded_words c)
{
    if (in || i >= c.n) {
        atomicAdd(&beyond, 1u);
        return 0;
    }
    return c.words[i];
}

static __global__ void report_beyond(unsigned *count)
{
    *count = beyond;
    beyond = 0;
}

typedef struct {
    const char *name;
    size_t bytes, align;
    int rounds;
    void (*make)(void *items, size_t n);
    void (*reference)(const void *items, size_t n, int with_init, void *result);
    cudaError_t (*run)(int way, const void *items, const uint32_t *words, void *out, size_t n, int with_init,
                       bounded_words c, gp_workspace *ws);
} at_case;

MAP uint8_t add_8(uint8_t a, uint8_t b)
{
    return (uint8_t)(a + b);
}

MAP uint16_t last_16(uint16_t a, uint16_t b)
{
    return b ? b : a;
}

MAP uint16_t seldom_16(uint32_t w)
{
    return (uint16_t)(w % 977 ? 0 : w >> 16);
}

MAP float add_f32(float a, float b)
{
    return a + b;
}

MAP double add_f64(double a, double b)
{
    return a + b;
}

MAP float float_of(uint32_t w)
{
    return (float)(int32_t)w * (w & 1 ? 0x1p-7f : 0x1p-20f);
}

MAP affine affine_of(uint32_t w)
{
    affine f;

    f.a = (uint8_t)(w | 1);
    f.b = (uint8_t)(w >> 8);
    f.count = 1;
    return f;
}

MAP affine no_affine(void)
{
    affine f;

    f.a = 1;
    f.b = f.count = 0;
    return f;
}

MAP triangle triangle_of(uint32_t w)
{
    triangle x;

    x.a = w | 1;
    x.b = w >> 7;
    x.c = w >> 9 | 1;
    return x;
}

MAP matrix matrix_of(uint32_t w)
{
    matrix x;

    x.m[0] = w | 1;
    x.m[1] = w >> 5 & ~1u;
    x.m[2] = w >> 11;
    x.m[3] = w >> 17 | 1;
    return x;
}

MAP matrices3 matrices3_of(uint32_t w)
{
    matrices3 x;

    for (uint32_t k = 0; k < 3; k++)
        x.at[k] = matrix_of(w * (2 * k + 1));
    return x;
}

MAP matrices8 matrices8_of(uint32_t w)
{
    matrices8 x;

    for (uint32_t k = 0; k < 8; k++)
        x.at[k] = matrix_of(w * (2 * k + 1));
    return x;
}

/* 20 bytes, with an alignment of 1. */
typedef struct {
    uint8_t at[20];
} odd20;

MAP odd20 odd20_of(uint32_t w)
{
    odd20 x;

    for (uint32_t k = 0; k < 20; k++)
        x.at[k] = (uint8_t)(w * (k + 3) >> 8 | !k);
    return x;
}

MAP odd20 odd20_then(odd20 x, odd20 y)
{
    odd20 z;

    for (int k = 0; k < 20; k++)
        z.at[k] = (uint8_t)(k ? y.at[0] * x.at[k] + y.at[k] : x.at[0] * y.at[0]);
    return z;
}

/* clang-format off */
#define CASE u8
#define CASE_TYPE uint8_t
#define CASE_OP add_8
#define CASE_IDENTITY 0
#define CASE_MAKE(w) ((uint8_t)(w))
#include "reduce_at_case.h"
#define CASE u16
#define CASE_TYPE uint16_t
#define CASE_OP last_16
#define CASE_IDENTITY 0
#define CASE_MAKE(w) seldom_16(w)
#include "reduce_at_case.h"
#define CASE f32
#define CASE_TYPE float
#define CASE_OP add_f32
#define CASE_IDENTITY 0
#define CASE_MAKE(w) float_of(w)
#define CASE_ROUNDS
#include "reduce_at_case.h"
#define CASE f64
#define CASE_TYPE double
#define CASE_OP add_f64
#define CASE_IDENTITY 0
#define CASE_MAKE(w) ((double)float_of(w) / 3)
#define CASE_ROUNDS
#include "reduce_at_case.h"
#define CASE affine3
#define CASE_TYPE affine
#define CASE_OP affine_then
#define CASE_IDENTITY no_affine()
#define CASE_MAKE(w) affine_of(w)
#include "reduce_at_case.h"
#define CASE triangle12
#define CASE_TYPE triangle
#define CASE_OP triangle_multiply
#define CASE_IDENTITY triangle_of(1)
#define CASE_MAKE(w) triangle_of(w)
#include "reduce_at_case.h"
#define CASE matrix16
#define CASE_TYPE matrix
#define CASE_OP matrix_multiply
#define CASE_IDENTITY matrix_of(1)
#define CASE_MAKE(w) matrix_of(w)
#include "reduce_at_case.h"
#define CASE odd20
#define CASE_TYPE odd20
#define CASE_OP odd20_then
#define CASE_IDENTITY odd20_of(1)
#define CASE_MAKE(w) odd20_of(w)
#include "reduce_at_case.h"
#define CASE matrices48
#define CASE_TYPE matrices3
#define CASE_OP matrices3_multiply
#define CASE_IDENTITY matrices3_of(1)
#define CASE_MAKE(w) matrices3_of(w)
#include "reduce_at_case.h"
#define CASE matrices128
#define CASE_TYPE matrices8
#define CASE_OP matrices8_multiply
#define CASE_IDENTITY matrices8_of(1)
#define CASE_MAKE(w) matrices8_of(w)
#include "reduce_at_case.h"
/* clang-format on */

/* ---- the check ---------------------------------------------------------------------------------- */

/* All ways to the same n items, with an init and without. */
static int all_ways(const at_case *t, size_t n, gp_workspace *ws)
{
    static const char *const ways[] = {"an array", "every other word", "a context", "nothing"};
    uint32_t *words = (uint32_t *)malloc((2 * n + 1) * sizeof *words);
    char *items = (char *)malloc(n * t->bytes + 1), *want = (char *)malloc(t->bytes), *got = (char *)malloc(t->bytes);
    int right = 1;

    for (size_t i = 0; i < n; i++) {
        words[2 * i] = word_of(i);
        words[2 * i + 1] = 0xDEADBEEF;
    }
    t->make(items, n);
    tap_buffer d_strided = tap_buffer_of(words, 2 * n * sizeof *words, 4 * (n % 4));
    for (size_t i = 0; i < n; i++)
        words[i] = word_of(i);
    tap_buffer d_words = tap_buffer_of(words, n * sizeof *words, 0);
    tap_buffer d_items = tap_buffer_of(items, n * t->bytes, t->align * (n % 5));
    tap_buffer d_out = tap_buffer_new(t->bytes, t->align * (n % 3));
    const bounded_words c = {(const uint32_t *)d_words.data, n};

    for (int with_init = 0; with_init < 2; with_init++)
        for (int way = 0; way < 4; way++) {
            cudaError_t error = t->run(way, d_items.data, (const uint32_t *)d_strided.data, d_out.data, n, with_init, c, ws);

            tap_buffer_read(got, &d_out, t->bytes);
            if (way == 0 && t->rounds)
                memcpy(want, got, t->bytes);
            else if (way == 0)
                t->reference(items, n, with_init, want);
            if (error != cudaSuccess || memcmp(got, want, t->bytes) != 0 || !tap_buffer_intact(&d_out, t->bytes)) {
                printf("# %s: %zu items from %s%s: error %d\n", t->name, n, ways[way], with_init ? ", init" : "",
                       (int)error);
                right = 0;
            }
        }
    tap_buffer_free(&d_strided);
    tap_buffer_free(&d_words);
    tap_buffer_free(&d_items);
    tap_buffer_free(&d_out);
    free(words);
    free(items);
    free(want);
    free(got);
    return right;
}

static void test_sizes(const at_case *t)
{
    const size_t lane = t->bytes <= 16 ? 16 / t->bytes : 1, small = ((size_t)4 << 20) / t->bytes;
    const size_t run = GPI_THREAD_ITEMS(t->bytes), tile = 32 * run * GPI_WARP_TILES_OF(run * t->bytes);
    const size_t large = t->bytes == 4 || t->bytes == 8 ? 4 * small : small;
    const size_t borders[] = {32 * lane, 1024 * lane, 2048 * lane};
    const size_t larges[] = {small + 1, large + 1, (large / tile + 1) * tile, (large / tile + 1) * tile + run + 1};
    gp_workspace ws = GP_WORKSPACE_INIT;
    int right = 1;

    for (size_t n = 0; n < 40; n++)
        right &= all_ways(t, n, n % 2 ? &ws : NULL);
    for (size_t k = 0; k < sizeof borders / sizeof *borders; k++)
        for (size_t n = borders[k] - 1; n <= borders[k] + 1; n++)
            right &= all_ways(t, n, n % 2 ? &ws : NULL);
    right &= all_ways(t, 100003 / t->bytes, NULL);
    if (t->bytes == 48) /* large, and not for long: with several items of a lane */
        right &= all_ways(t, small + 4231, NULL);
    if (!tap_small)
        for (size_t k = 0; k < sizeof larges / sizeof *larges; k++)
            right &= all_ways(t, larges[k], k % 2 ? &ws : NULL);
    must(gp_workspace_release(&ws, 0));
    ok(right, "%s: from an array, by GP_LOAD_AT, with an init", t->name);
}

/* Nothing beyond n was asked for. */
static void test_bounds(void)
{
    unsigned *d_count = NULL, count;

    must(cudaMalloc((void **)&d_count, sizeof count));
    GP_LAUNCH(report_beyond, 1, 1, 0, 0, d_count);
    must(cudaGetLastError());
    must(cudaMemcpy(&count, d_count, sizeof count, cudaMemcpyDeviceToHost));
    must(cudaFree(d_count));
    ok(count == 0, "GP_LOAD_AT is evaluated for items that are there, and gets `in` as it is (%u times not)", count);
}

/* ---- what users write --------------------------------------------------------------------------- */

typedef struct {
    const float *x;
    const double *y;
    const uint32_t *order;
} columns;

#define GP_NAME dot
#define GP_TYPE double
#define GP_INPUT_TYPE void
#define GP_CONTEXT columns
#define GP_LOAD_AT(in, i, c) ((double)(c).x[i] * (c).y[i])
#include <gpuprims/reduce.cuh>
#define GP_NAME permuted
#define GP_TYPE uint64_t
#define GP_INPUT_TYPE uint16_t
#define GP_CONTEXT columns
#define GP_LOAD_AT(in, i, c) ((i) % 2 ? (in)[(c).order[i]] : 0)
#include <gpuprims/reduce.cuh>
#define GP_NAME numbers
#define GP_TYPE size_t
#define GP_INPUT_TYPE void
#define GP_LOAD_AT(in, i) (i)
#include <gpuprims/reduce.cuh>
#define GP_NAME joined
#define GP_TYPE range8
#define GP_OP join8
#define GP_IDENTITY joined_of(0)
#define GP_INPUT_TYPE void
#define GP_LOAD_AT(in, i) joined_of(i)
MAP range8 joined_of(size_t i)
{
    range8 x;

    x.first = x.last = (uint32_t)i + 2;
    return x;
}
#include <gpuprims/reduce.cuh>

static void test_columns(size_t n)
{
    float *x = (float *)malloc(n * sizeof *x);
    double *y = (double *)malloc(n * sizeof *y), dot = 0, got;
    uint16_t *shorts = (uint16_t *)malloc(n * sizeof *shorts);
    uint32_t *order = (uint32_t *)malloc(n * sizeof *order);
    uint64_t sum = 0, sum_got;
    tap_buffer d_out = tap_buffer_new(8, 0);
    int right = 1;

    for (size_t i = 0; i < n; i++) {
        x[i] = (float)(int)tap_below(64) - 30;
        y[i] = (double)tap_below(1000) / 8;
        shorts[i] = (uint16_t)tap_random();
        order[i] = (uint32_t)(n - 1 - i * 7 % n);
        dot += x[i] * y[i];
    }
    for (size_t i = 1; i < n; i += 2)
        sum += shorts[order[i]];
    tap_buffer d_x = tap_buffer_of(x, n * sizeof *x, 4), d_y = tap_buffer_of(y, n * sizeof *y, 8);
    tap_buffer d_shorts = tap_buffer_of(shorts, n * 2, 2), d_order = tap_buffer_of(order, n * 4, 0);
    const columns c = {(const float *)d_x.data, (const double *)d_y.data, (const uint32_t *)d_order.data};

    right &= dot_reduce(NULL, (double *)d_out.data, n, c, NULL, 0) == cudaSuccess;
    tap_buffer_read(&got, &d_out, sizeof got);
    right &= got == dot;
    ok(right, "a zip of two arrays by a context: the dot product of %zu", n);
    right = permuted_reduce((const uint16_t *)d_shorts.data, (uint64_t *)d_out.data, n, c, NULL, 0) == cudaSuccess;
    tap_buffer_read(&sum_got, &d_out, sizeof sum_got);
    ok(right && sum_got == sum, "every other item of a permuted array of %zu", n);
    tap_buffer_free(&d_x);
    tap_buffer_free(&d_y);
    tap_buffer_free(&d_shorts);
    tap_buffer_free(&d_order);
    tap_buffer_free(&d_out);
    free(x);
    free(y);
    free(shorts);
    free(order);
}

static void test_numbers(size_t n)
{
    tap_buffer d_out = tap_buffer_new(sizeof(size_t), 0);
    range8 init = joined_of((size_t)0 - 1), all; /* the neighbour before the first */
    size_t got;
    int right = numbers_reduce_init(NULL, (size_t *)d_out.data, n, 5, NULL, 0) == cudaSuccess;

    tap_buffer_read(&got, &d_out, sizeof got);
    ok(right && got == n / 2 * ((n - 1) | 1) + 5, "the sum of the numbers below %zu, and 5", n);
    right = joined_reduce_init(NULL, (range8 *)d_out.data, n, init, NULL, 0) == cudaSuccess;
    tap_buffer_read(&all, &d_out, sizeof all);
    ok(right && all.first == 1 && all.last == (uint32_t)n + 1, "init is an element before the first of %zu", n);
    fold_check_neighbours("with an init");
    tap_buffer_free(&d_out);
}

/* ---- arguments ---------------------------------------------------------------------------------- */

#define GP_NAME few
#define GP_INDEX int
#include <gpuprims/reduce.cuh>
#define GP_NAME few_unsigned
#define GP_INPUT_TYPE void
#define GP_LOAD_AT(in, i) ((int)(i))
#define GP_INDEX uint32_t
#include <gpuprims/reduce.cuh>

static void refused(cudaError_t error, const char *says)
{
    ok(error == cudaErrorInvalidValue && strstr(gp_last_error_message(), says) != NULL, "refused: %s", says);
}

static void test_arguments(void)
{
    tap_buffer d = tap_buffer_new(64, 0);
    int *place = (int *)d.data, got;
    gp_workspace ws = GP_WORKSPACE_INIT;
    const size_t enough = numbers_reduce_init_workspace_bytes(1000000);

    refused(few_reduce_init(NULL, place, 1, 0, NULL, 0), "few_reduce_init: in is NULL");
    refused(few_reduce_init(place, NULL, 0, 0, NULL, 0), "few_reduce_init: d_out is NULL");
    refused(few_reduce_init(place, place + 1, 4, 0, NULL, 0), "few_reduce_init: in and d_out overlap");
    refused(few_reduce(place, place + 1, (size_t)1 << 31, NULL, 0), "n is 2147483648; it must be at most 2147483647");
    refused(few_unsigned_reduce(NULL, place, (size_t)1 << 32, NULL, 0),
            "n is 4294967296; it must be at most 4294967295");
    refused(few_unsigned_reduce(NULL, NULL, 7, NULL, 0), "few_unsigned_reduce: d_out is NULL");
    ok(tap_buffer_intact(&d, 0), "and nothing is written");
    must(few_unsigned_reduce(place, place, 7, NULL, 0)); /* `in` is handed through: no overlap */
    tap_buffer_read(&got, &d, sizeof got);
    ok(got == 21, "with GP_LOAD_AT any `in` will do");

    tap_buffer d_ws = tap_buffer_new(enough, 8);
    must(gp_workspace_wrap(&ws, d_ws.data, enough - 1, 0));
    refused(numbers_reduce_init(NULL, (size_t *)d.data, 1000000, 1, &ws, 0), "numbers_reduce_init");
    must(gp_workspace_release(&ws, 0));
    must(gp_workspace_wrap(&ws, d_ws.data, enough, 0));
    ok(numbers_reduce_init(NULL, (size_t *)d.data, 1000000, 1, &ws, 0) == cudaSuccess &&
           enough == numbers_reduce_workspace_bytes(1000000),
       "a workspace that is just large enough");
    must(cudaDeviceSynchronize());
    ok(tap_buffer_intact(&d_ws, enough), "of which no more is used");
    must(gp_workspace_release(&ws, 0));
    tap_buffer_free(&d_ws);
    tap_buffer_free(&d);
}

#ifdef __CUDACC__
/* A captured call, replayed: it reads what is there then. */
static void test_graph(void)
{
    enum { N = 3000000 };
    uint64_t sum;
    tap_buffer d_out = tap_buffer_new(sizeof sum, 0);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    int right = 1;

    must(cudaStreamCreate(&stream));
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    must(numbers_reduce_init(NULL, (size_t *)d_out.data, N, 9, NULL, stream));
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaGraphInstantiate(&executable, graph, 0));
    for (int k = 0; k < 3; k++) {
        must(cudaMemset(d_out.data, 0, sizeof sum));
        must(cudaGraphLaunch(executable, stream));
        must(cudaStreamSynchronize(stream));
        tap_buffer_read(&sum, &d_out, sizeof sum);
        right &= sum == (uint64_t)N / 2 * (N - 1) + 9;
    }
    ok(right, "a captured graph replays right");
    must(cudaGraphExecDestroy(executable));
    must(cudaGraphDestroy(graph));
    must(cudaStreamDestroy(stream));
    tap_buffer_free(&d_out);
}
#endif

int main(int argc, char **argv)
{
    static const at_case *const cases[] = {&u8_case,       &u16_case,      &f32_case,   &f64_case,        &affine3_case,
                                           &triangle12_case, &matrix16_case, &odd20_case, &matrices48_case, &matrices128_case};

    tap_begin(argc, argv);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (tap_wants(cases[k]->name))
            test_sizes(cases[k]);
    if (!tap_wants("others"))
        return tap_end();
    test_bounds();
    test_columns(1);
    test_columns(1000);
    test_columns(700001);
    test_numbers(1);
    test_numbers(1000);
    test_numbers(tap_small ? 600000 : 3000001);
    test_arguments();
#ifdef __CUDACC__
    test_numbers(((size_t)1 << 33) + 12345);
    test_graph();
#endif
    return tap_end();
}
