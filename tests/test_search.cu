/* search.cuh: types of all sizes, orders, both bounds, close and far queries, every alignment, arguments. */
#include <math.h>
#include <stdint.h>

#include "tap.h"

/* Small arrays have several levels, tiles are small, and of close queries some have no room. */
#define GPI_TUNE_SEARCH_INDEX 512
#define GPI_TUNE_SEARCH_TABLE 256
#define GPI_TUNE_SEARCH_ROOM 1408
#define GPI_TUNE_SEARCH_THREADS 64
#define GPI_TUNE_SEARCH_MANY 300
#define GPI_TUNE_SEARCH_ITEMS 20
#define GPI_TUNE_SEARCH_LANES 2000
#define GPI_TUNE_SEARCH_ALONE 500
#define GPI_TUNE_SEARCH_SORTED_THREADS 64
#define GPI_TUNE_SEARCH_SORTED_ROWS 3

enum { SEARCH_ANY, SEARCH_INDEX, SEARCH_PLAIN };

typedef struct {
    const char *name;
    size_t bytes, align;
    void (*make)(void *items, size_t n, int few);
    int (*before)(const void *x, const void *y);
    int (*compare)(const void *x, const void *y);
    cudaError_t (*run)(const void *sorted, size_t n, const void *queries, size_t m, void *out,
                       int upper, int how, gp_workspace *ws);
    size_t (*workspace_bytes)(size_t n, size_t m);
} search_case;

/* ---- items --------------------------------------------------------------------------------------- */

#define MAP static __host__ __device__ inline

/* clang-format off */
typedef struct { uint8_t b[3]; } b3;
typedef struct { uint16_t a, b; } s4; /* a power of two, but of a small alignment */
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

MAP s16a make_s16a(uint64_t r, int few)
{
    s16a x;

    x.a = few ? 5 : r >> 40;
    x.b = few ? r % 2 : r;
    return x;
}

/* In the order of the numbers modulo one that is known at run time. */
MAP int less_s16a(s16a x, s16a y, uint64_t modulus)
{
    return x.a % modulus < y.a % modulus || (x.a % modulus == y.a % modulus && x.b < y.b);
}

MAP s128 make_s128(uint64_t r, int few)
{
    s128 x;

    for (uint32_t k = 0; k < 32; k++)
        x.a[k] = (uint32_t)(few ? r % 5 : r) + k;
    return x;
}

MAP int greater_s128(s128 x, s128 y)
{
    return x.a[31] > y.a[31];
}

MAP int greater(double x, double y)
{
    return x > y;
}

#define CASE u8
#define CASE_TYPE uint8_t
#define CASE_MAKE(r, few) ((uint8_t)((few) ? (r) % 3 : (r)))
#include "search_case.h"
#define CASE i32
#define CASE_TYPE int32_t
#define CASE_MAKE(r, few) ((few) ? (int32_t)((r) % 7) - 3 : (int32_t)(r))
#include "search_case.h"
#define CASE down_f64
#define CASE_TYPE double
#define CASE_LESS greater
#define CASE_MAKE(r, few) ((few) ? (double)((r) % 4) : (double)(int64_t)(r) / 3)
#include "search_case.h"
#define CASE t3
#define CASE_TYPE b3
#define CASE_LESS less_b3
#define CASE_MAKE make_b3
#include "search_case.h"
#define CASE t4
#define CASE_TYPE s4
#define CASE_LESS less_s4
#define CASE_MAKE make_s4
#include "search_case.h"
#define CASE t16
#define CASE_TYPE s16a
#define CASE_LESS less_s16a
#define CASE_CONTEXT uint64_t
#define CASE_CONTEXT_VALUE 1000003
#define CASE_MAKE make_s16a
#include "search_case.h"
#define CASE t128
#define CASE_TYPE s128
#define CASE_LESS greater_s128
#define CASE_MAKE make_s128
#include "search_case.h"

#include <gpuprims/search.cuh>
#include <gpuprims/search.cuh>

#include "no_parameters.h"

static const search_case *const cases[] = {&i32_case, &u8_case,  &down_f64_case, &t3_case,
                                           &t4_case,  &t16_case, &t128_case};
enum { CASES = sizeof cases / sizeof *cases };

/* ---- one call against a count ---------------------------------------------------------------------- */

enum { RANDOM, SORTED, REVERSED, CLOSE, ONE_FAR, ORDERS };

/* The queries: some are items of the array, and they are in such an order. */
static void make_queries(const search_case *c, char *queries, size_t m, const char *sorted,
                         size_t n, int few, int order)
{
    const size_t bytes = c->bytes;
    char *other = (char *)malloc(bytes);

    c->make(queries, m, few);
    for (size_t i = 0; n && i < m; i += 3)
        memcpy(queries + i * bytes, sorted + tap_below(n) * bytes, bytes);
    if (order != RANDOM)
        qsort(queries, m, bytes, c->compare);
    for (size_t i = 0; m && order != RANDOM && i < m; i++) {
        size_t j = i;

        if (order == REVERSED && i < m / 2)
            j = m - 1 - i;
        if (order == CLOSE)
            j = i / 16 * 16 + tap_below(16);
        if (order == ONE_FAR && i % 50 == 7)
            j = tap_below(m);
        if (j >= m)
            continue;
        memcpy(other, queries + i * bytes, bytes);
        memmove(queries + i * bytes, queries + j * bytes, bytes);
        memcpy(queries + j * bytes, other, bytes);
    }
    free(other);
}

/* By counting, over the array as it is: how many items come before the query, or it does not come before. */
static size_t bound(const search_case *c, const char *sorted, size_t n, const char *query,
                    int upper)
{
    size_t low = 0;

    for (size_t step = n / 8; step > 32;
         step /= 8) /* only to be faster: whole steps, one after the other */
        while (low + step < n && (upper ? !c->before(query, sorted + (low + step - 1) * c->bytes)
                                        : c->before(sorted + (low + step - 1) * c->bytes, query)))
            low += step;
    while (low < n && (upper ? !c->before(query, sorted + low * c->bytes)
                             : c->before(sorted + low * c->bytes, query)))
        low++;
    return low;
}

static int searches(const search_case *c, size_t n, size_t m, int few, int order, size_t odd,
                    gp_workspace *ws)
{
    char *sorted = (char *)malloc(n * c->bytes + 1), *queries = (char *)malloc(m * c->bytes + 1);
    size_t *found = (size_t *)malloc((m + 1) * sizeof *found),
           *expected = (size_t *)malloc((m + 1) * sizeof *found);
    int right = 1;

    c->make(sorted, n, few);
    qsort(sorted, n, c->bytes, c->compare);
    make_queries(c, queries, m, sorted, n, few, order);
    tap_buffer d_sorted = tap_buffer_of(sorted, n * c->bytes, odd * c->align);
    tap_buffer d_queries = tap_buffer_of(queries, m * c->bytes, 3 * odd * c->align);
    for (int upper = 0; upper < 2; upper++) {
        for (size_t i = 0; i < m; i++)
            expected[i] = bound(c, sorted, n, queries + i * c->bytes, upper);
        for (int how = 0; how < 3; how++) {
            const size_t bytes = m * (how == SEARCH_INDEX ? sizeof(int) : sizeof(size_t));
            tap_buffer out =
                tap_buffer_new(bytes, odd * (how == SEARCH_INDEX ? sizeof(int) : sizeof(size_t)));
            const cudaError_t error =
                c->run(d_sorted.data, n, d_queries.data, m, out.data, upper, how, ws);
            int same = error == cudaSuccess;

            tap_buffer_read(found, &out, bytes);
            for (size_t i = 0; i < m && same; i++)
                same = expected[i] == (how == SEARCH_INDEX ? (size_t)((int *)found)[i] : found[i]);
            same &= tap_buffer_intact(&out, bytes);
            if (!same)
                printf("# %s: %zu in %zu items, upper %d, how %d, order %d, few %d: %s\n", c->name,
                       m, n, upper, how, order, few,
                       error == cudaSuccess ? "wrong" : gp_last_error_message());
            right &= same;
            tap_buffer_free(&out);
        }
    }
    tap_buffer_read(queries, &d_sorted, n * c->bytes < m * c->bytes ? n * c->bytes : m * c->bytes);
    right &=
        memcmp(queries, sorted, n * c->bytes < m * c->bytes ? n * c->bytes : m * c->bytes) == 0;
    right &=
        tap_buffer_intact(&d_sorted, n * c->bytes) && tap_buffer_intact(&d_queries, m * c->bytes);
    tap_buffer_free(&d_sorted);
    tap_buffer_free(&d_queries);
    free(sorted);
    free(queries);
    free(found);
    free(expected);
    return right;
}

/* ---- tests ------------------------------------------------------------------------------------------ */

static void test_sizes(const search_case *c)
{
    static const size_t counts[] = {0,  1,  2,  3,   7,   8,   9,   31,  32,  33,
                                    63, 64, 65, 127, 128, 129, 257, 511, 1000};
    gp_workspace ws = GP_WORKSPACE_INIT;
    int right = 1;

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t j = tap_small ? i % 3 : 0; j < sizeof counts / sizeof *counts;
             j += tap_small ? 5 : 2)
            right &= searches(c, counts[i], counts[j], (int)(i + j) % 2, (int)(i + j) % ORDERS,
                              i % 2, j % 3 ? &ws : NULL);
    ok(right, "%s: small arrays and few queries", c->name);
    right = 1;
    for (size_t n = 1500; n < (tap_small ? 8000 : 60000); n = n * 3 / 2 + 1)
        for (int order = 0; order < ORDERS; order++)
            right &= searches(c, n, tap_small ? 700 : 2500 + tap_below(500), order % 2, order,
                              n % 2, &ws);
    ok(right, "%s: several levels, queries in many orders", c->name);
    right = 1;
    for (int order = 0; order < ORDERS; order++)
        right &= searches(c, 3000, tap_small ? 3000 : 20000, order == CLOSE, order, 1, &ws);
    ok(right, "%s: more queries than items", c->name);
    must(gp_workspace_release(&ws, 0));
}

static void test_offsets(const search_case *c)
{
    int right = 1;

    for (size_t odd = 0; odd < 16; odd++)
        right &= searches(c, 2000 + odd, 400, 0, (int)odd % 2 ? SORTED : RANDOM, odd, NULL);
    ok(right, "%s: every alignment", c->name);
}

/* All items are equal, and the queries are that, less and more. */
static void test_equal(void)
{
    enum { N = 5000, M = 600 };
    int items[N], queries[M], right = 1;
    size_t found[M];

    for (int i = 0; i < N; i++)
        items[i] = 7;
    for (int i = 0; i < M; i++)
        queries[i] = 6 + i / 200;
    tap_buffer sorted = tap_buffer_of(items, sizeof items, 4),
               d_queries = tap_buffer_of(queries, sizeof queries, 0);
    tap_buffer out = tap_buffer_new(sizeof found, 0);
    for (int how = SEARCH_ANY; how <= SEARCH_PLAIN; how += SEARCH_PLAIN)
        for (int upper = 0; upper < 2; upper++) {
            right &= i32_case.run(sorted.data, N, d_queries.data, M, out.data, upper, how, NULL) ==
                     cudaSuccess;
            tap_buffer_read(found, &out, sizeof found);
            for (int i = 0; i < M; i++)
                right &= found[i] == (queries[i] == 7  ? (upper ? (size_t)N : 0)
                                      : queries[i] < 7 ? 0
                                                       : (size_t)N);
        }
    ok(right, "all items equal");
    tap_buffer_free(&sorted);
    tap_buffer_free(&d_queries);
    tap_buffer_free(&out);
}

#define GP_NAME floats
#define GP_TYPE float
#define GP_KERNEL GP_KERNEL_PIPELINED
#define GP_INDEX uint32_t
#include <gpuprims/search.cuh>

/* An order that is none: results are from 0 to n all the same. */
static void test_unordered(void)
{
    enum { N = 6000, M = 900 };
    float items[N];
    uint32_t found[M];
    int right = 1;

    for (int share = 2; share < 50; share *= 3) {
        for (int i = 0; i < N; i++)
            items[i] = i % share == 1 ? (float)NAN : (float)tap_below(1000);
        tap_buffer sorted = tap_buffer_of(items, sizeof items, 4),
                   out = tap_buffer_new(sizeof found, 0);
        right &= floats_lower_bound((float *)sorted.data, N, (float *)sorted.data, M,
                                    (uint32_t *)out.data, NULL, 0) == cudaSuccess;
        tap_buffer_read(found, &out, sizeof found);
        for (int i = 0; i < M; i++)
            right &= found[i] <= N;
        right &= tap_buffer_intact(&out, sizeof found) && tap_buffer_intact(&sorted, sizeof items);
        tap_buffer_free(&sorted);
        tap_buffer_free(&out);
    }
    ok(right, "floats among which there are NaNs: nothing is overrun");
}

#define GP_NAME few
#define GP_TYPE int8_t
#define GP_INDEX int
#include <gpuprims/search.cuh>

static void refused(cudaError_t error, const char *says)
{
    ok(error == cudaErrorInvalidValue && strstr(gp_last_error_message(), says) != NULL,
       "refused: %s", says);
}

static void test_arguments(void)
{
    enum { N = 5000, M = 900 };
    tap_buffer d = tap_buffer_new(N * sizeof(int), 0), o = tap_buffer_new(N * sizeof(size_t), 0);
    const int *in = (const int *)d.data;
    size_t *out = (size_t *)o.data, found[M];
    gp_workspace ws = GP_WORKSPACE_INIT;
    int right = 1, monotone = 1;

    refused(gp_lower_bound(NULL, 3, in, 5, out, NULL, 0), "gp_lower_bound: sorted is NULL");
    refused(gp_upper_bound(in, 3, NULL, 5, out, NULL, 0), "gp_upper_bound: queries is NULL");
    refused(gp_lower_bound(in, 3, in, 5, NULL, NULL, 0),
            "out is NULL; it must point to device memory when m is 5");
    refused(few_lower_bound((const int8_t *)in, (size_t)1 << 31, (const int8_t *)in, 5, (int *)out,
                            NULL, 0),
            "n is 2147483648; it must be at most 2147483647");
    refused(gp_lower_bound(in, 5, in, SIZE_MAX / 8, out, NULL, 0), "m is");
    refused(gp_lower_bound((const int *)out, 5, in, 3, out, NULL, 0),
            "sorted and out overlap; they must be apart");
    refused(gp_upper_bound(in, 5, (const int *)(out + 2), 3, out, NULL, 0),
            "queries and out overlap");
    ok(tap_buffer_intact(&o, 0), "and nothing is written");
    ok(gp_lower_bound(NULL, 0, NULL, 0, NULL, NULL, 0) == cudaSuccess &&
           gp_lower_bound(in, 5, NULL, 0, NULL, NULL, 0) == cudaSuccess && tap_buffer_intact(&o, 0),
       "no queries");

    must(cudaMemset(d.data, 0, N * sizeof(int)));
    right = gp_upper_bound(NULL, 0, in, 3, out, NULL, 0) == cudaSuccess;
    tap_buffer_read(found, &o, sizeof found);
    ok(right && found[0] == 0 && found[2] == 0, "no items");

    const size_t enough = i32_case.workspace_bytes(N, M);
    tap_buffer memory = tap_buffer_new(enough, 4);
    must(gp_workspace_wrap(&ws, memory.data, enough - 1, 0));
    refused(i32_case.run(in, N, in, M, out, 0, SEARCH_INDEX, &ws),
            "i32_index_lower_bound: the wrapped workspace holds");
    must(gp_workspace_release(&ws, 0));
    right = 1;
    for (int k = 0; k < 3; k++) { /* with any contents */
        must(cudaMemset(memory.data, k ? 0xA5 : 0xFF, enough));
        must(gp_workspace_wrap(&ws, memory.data, enough, 0));
        for (int upper = 0; upper < 2; upper++) {
            int *places = (int *)found;

            right &= i32_case.run(in, N, in, M, out, upper, SEARCH_INDEX, &ws) == cudaSuccess;
            tap_buffer_read(found, &o, M * sizeof(int));
            for (int i = 0; i < M; i++)
                right &= places[i] == (upper ? N : 0);
        }
        must(gp_workspace_release(&ws, 0));
    }
    ok(right && tap_buffer_intact(&memory, enough),
       "a workspace with rubbish that is just large enough");
    for (size_t n = 0, last = 0; n < SIZE_MAX / 2; n = n + n / 3 + 1) {
        const size_t bytes = gp_lower_bound_workspace_bytes(n, 100000);

        monotone &= bytes >= last && gp_upper_bound_workspace_bytes(n, 100000) == bytes;
        monotone &= gp_lower_bound_workspace_bytes(n, 1000000) >= bytes;
        monotone &= t16_case.workspace_bytes(n + 1, n) >= t16_case.workspace_bytes(n, n);
        last = bytes;
    }
    ok(monotone, "the workspace grows with n and m");
    tap_buffer_free(&memory);
    tap_buffer_free(&d);
    tap_buffer_free(&o);
}

#ifdef __CUDACC__
/* A captured call, replayed: it sees what is there then. */
static void test_graph(void)
{
    enum { N = 500000, M = 100000 };
    int *items = (int *)malloc(N * sizeof *items);
    size_t *found = (size_t *)malloc(M * sizeof *found);
    tap_buffer sorted = tap_buffer_new(N * sizeof *items, 4),
               out = tap_buffer_new(M * sizeof *found, 0);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    int right = 1;

    must(cudaStreamCreate(&stream));
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    must(gp_lower_bound((int *)sorted.data, N, (int *)sorted.data, M, (size_t *)out.data, NULL,
                        stream));
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaGraphInstantiate(&executable, graph, 0));
    for (int k = 1; k < 5; k++) {
        for (int i = 0; i < N; i++)
            items[i] = i / k;
        must(cudaMemcpy(sorted.data, items, N * sizeof *items, cudaMemcpyHostToDevice));
        must(cudaGraphLaunch(executable, stream));
        must(cudaStreamSynchronize(stream));
        tap_buffer_read(found, &out, M * sizeof *found);
        for (int i = 0; i < M; i++)
            right &= found[i] == (size_t)(i / k * k);
    }
    ok(right, "a captured graph replays right");
    must(cudaGraphExecDestroy(executable));
    must(cudaGraphDestroy(graph));
    must(cudaStreamDestroy(stream));
    tap_buffer_free(&sorted);
    tap_buffer_free(&out);
    free(items);
    free(found);
}

#define GP_NAME bytes
#define GP_TYPE uint8_t
#include <gpuprims/search.cuh>

/* More items than 32 bits can count. */
static void test_huge(void)
{
    enum { M = 100000 };
    const size_t n = ((size_t)1 << 32) + 1234567, middle = ((size_t)1 << 32) + 99;
    size_t *found = (size_t *)malloc(M * sizeof *found);
    uint8_t *items = NULL, *queries = NULL;
    size_t *out = NULL;
    int right = 1;

    if (cudaMalloc((void **)&items, n) != cudaSuccess) {
        (void)cudaGetLastError();
        ok(1, "more than 2^32 items # SKIP no memory for them");
        free(found);
        return;
    }
    must(cudaMalloc((void **)&queries, M));
    must(cudaMalloc((void **)&out, M * sizeof *out));
    must(cudaMemset(items, 1, middle));
    must(cudaMemset(items + middle, 5, n - middle));
    for (int q = 1; q <= 6; q++)
        for (size_t m = 10; m <= M; m *= 100) {
            must(cudaMemset(queries, q, m));
            must(bytes_lower_bound(items, n, queries, m, out, NULL, 0));
            must(cudaMemcpy(found, out, m * sizeof *out, cudaMemcpyDeviceToHost));
            right &= found[0] == (q == 1 ? 0 : q <= 5 ? middle : n) && found[m - 1] == found[0];
        }
    ok(right, "more than 2^32 items");
    must(cudaFree(items));
    must(cudaFree(queries));
    must(cudaFree(out));
    free(found);
}
#endif

int main(int argc, char **argv)
{
    tap_begin(argc, argv);
    for (int k = 0; k < CASES; k++)
        if (tap_wants(cases[k]->name)) {
            test_sizes(cases[k]);
            test_offsets(cases[k]);
        }
    if (!tap_wants("others"))
        return tap_end();
    test_equal();
    test_unordered();
    test_arguments();
#ifdef __CUDACC__
    test_graph();
    test_huge();
#endif
    return tap_end();
}
