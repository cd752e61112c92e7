/* scan.cuh: expressions in place of its input and its output, GP_LOAD_AT and GP_STORE_AT. */
#include <limits.h>

#include "fold_check.h"

/* ---- as pointers, in every kernel and at every border -------------------------------------------- */

#define CASE_SCAN
#define CASE_LOADS_AT
#define FORCED        load_pipelined
#define FORCED_KERNEL GP_KERNEL_PIPELINED
#define FORCED_GRID   0xFFFFFFFFu
#include "scan_kernel_cases.h"
#define FORCED        load_simple
#define FORCED_KERNEL GP_KERNEL_SIMPLE
#define FORCED_GRID   3
#include "scan_kernel_cases.h"
#define CASE_STORES_AT
#define FORCED        both_pipelined
#define FORCED_KERNEL GP_KERNEL_PIPELINED
#define FORCED_GRID   2
#include "scan_kernel_cases.h"
#undef CASE_LOADS_AT
#define FORCED        store_pipelined
#define FORCED_KERNEL GP_KERNEL_PIPELINED
#define FORCED_GRID   5
#include "scan_kernel_cases.h"
#define FORCED        store_simple
#define FORCED_KERNEL GP_KERNEL_SIMPLE
#define FORCED_GRID   3
#include "scan_kernel_cases.h"
#undef CASE_STORES_AT

enum { CASES = sizeof load_simple_cases / sizeof *load_simple_cases };

/* ---- expressions ------------------------------------------------------------------------------- */

#define AT                counting
#define AT_TYPE           uint32_t
#define AT_INPUT          void
#define AT_IN_BYTES       0
#define AT_OP             GP_SUM
#define AT_LOAD(in, i, c) ((uint32_t)(i) * 2654435761u)
#include "scan_at_case.h"

#define AT                strided
#define AT_TYPE           float
#define AT_INPUT          float
#define AT_IN_BYTES       sizeof(float)
#define AT_OP             GP_SUM
#define AT_LOAD(in, i, c) ((in)[((i) * 3 + 1) % (c).n])
#include "scan_at_case.h"

#define AT                permuted
#define AT_TYPE           double
#define AT_INPUT          float
#define AT_IN_BYTES       sizeof(float)
#define AT_OP             GP_SUM
#define AT_LOAD(in, i, c) ((double)(in)[(c).order[i]] * 3)
#include "scan_at_case.h"

#define AT                reversed
#define AT_TYPE           triangle
#define AT_INPUT          triangle
#define AT_IN_BYTES       sizeof(triangle)
#define AT_OP             triangle_multiply
#define AT_IDENTITY       {1, 0, 1}
#define AT_LOAD(in, i, c) ((in)[(c).n - 1 - (i)])
#include "scan_at_case.h"

#define AT                zipped
#define AT_TYPE           uint64_t
#define AT_INPUT          void
#define AT_IN_BYTES       0
#define AT_OP             GP_SUM
#define AT_LOAD(in, i, c) ((uint64_t)((const uint32_t *)(c).a)[i] * ((const uint8_t *)(c).b)[i])
#include "scan_at_case.h"

/* What is read is wider than what is folded: the order is that of what is folded. */
typedef struct wide_row {
    float at[16];
} wide_row;

#define AT                column
#define AT_TYPE           float
#define AT_INPUT          wide_row
#define AT_IN_BYTES       sizeof(wide_row)
#define AT_OP             GP_SUM
#define AT_LOAD(in, i, c) ((in)[i].at[5])
#include "scan_at_case.h"

#define AT                bytes
#define AT_TYPE           uint8_t
#define AT_INPUT          uint16_t
#define AT_IN_BYTES       sizeof(uint16_t)
#define AT_OP             GP_MAX
#define AT_LOAD(in, i, c) ((uint8_t)((in)[i] >> 5))
#include "scan_at_case.h"

#define AT                scattered
#define AT_TYPE           float
#define AT_INPUT          float
#define AT_IN_BYTES       sizeof(float)
#define AT_OP             GP_SUM
#define AT_LOAD(in, i, c) ((in)[i] * 0.5f)
#define AT_STORE(i, x, c) ((float *)(c).first)[(c).order[i]] = (x)
#define AT_GOT(i, c)      ((const float *)(c).first)[(c).order[i]]
#include "scan_at_case.h"

#define AT                unzipped
#define AT_TYPE           uint64_t
#define AT_INPUT          uint16_t
#define AT_IN_BYTES       sizeof(uint16_t)
#define AT_OP             GP_SUM
#define AT_BY_POINTER
#define AT_MAP(x, c)      ((uint64_t)(x) * 0x100000001u)
#define AT_STORE(i, x, c)                              \
    {                                                  \
        ((uint32_t *)(c).first)[i] = (uint32_t)(x);    \
        ((uint32_t *)(c).second)[i] = (uint32_t)((x) >> 32); \
    }
#define AT_GOT(i, c) (((const uint32_t *)(c).first)[i] | (uint64_t)((const uint32_t *)(c).second)[i] << 32)
#include "scan_at_case.h"

/* By pointer, too, the order is that of what is folded, where results go through an expression. */
#define AT                narrowed
#define AT_TYPE           float
#define AT_INPUT          double
#define AT_IN_BYTES       sizeof(double)
#define AT_OP             GP_SUM
#define AT_BY_POINTER
#define AT_MAP(x, c)      ((float)(x) * 0.25f)
#define AT_STORE(i, x, c) ((float *)(c).first)[i] = (x)
#define AT_GOT(i, c)      ((const float *)(c).first)[i]
#include "scan_at_case.h"

static const at_case *const at_cases[] = {&counting_case, &strided_case,   &permuted_case, &reversed_case, &zipped_case,
                                          &column_case,   &bytes_case, &scattered_case, &unzipped_case, &narrowed_case};
enum { AT_CASES = sizeof at_cases / sizeof *at_cases, AT_MOST = 60000 };

/* Data to read, on the host and on the device, and room for results. */
static struct {
    uint8_t in[AT_MOST * 64], values[AT_MOST * 16], want[AT_MOST * 16], got[AT_MOST * 16], parts[2][AT_MOST * 16];
    uint32_t order[AT_MOST], counts[AT_MOST + 1];
} __attribute__((aligned(16))) at;
static tap_buffer d_in, d_order;

static void make_data(void)
{
    for (uint32_t i = 0; i < AT_MOST * 16; i++) {
        const float x = (float)((int64_t)tap_random() >> 40) * (i % 3 ? 0x1p-20f : 0x1p-7f);

        memcpy(at.in + 4 * i, &x, sizeof x);
    }
    d_in = tap_buffer_of(at.in, sizeof at.in, 0);
    d_order = tap_buffer_new(sizeof at.order, 4);
}

/* An order of the numbers below n. */
static void make_order(size_t n)
{
    for (uint32_t i = 0; i < n; i++)
        at.order[i] = i;
    for (size_t i = n; i-- > 1;) {
        const size_t k = (size_t)tap_below(i + 1);
        const uint32_t x = at.order[i];

        at.order[i] = at.order[k];
        at.order[k] = x;
    }
    must(cudaMemcpy(d_order.data, at.order, n * sizeof *at.order, cudaMemcpyHostToDevice));
}

/* Each of n numbers as often as it may be, and no other. (One block waits for no other, and helps none.) */
static int counts_are(const tap_buffer *d_counts, size_t n, uint32_t least, uint32_t most)
{
    int right = 1;

    tap_buffer_read(at.counts, d_counts, (n + 1) * sizeof *at.counts);
    for (size_t i = 0; i < n; i++)
        right &= at.counts[i] >= least && at.counts[i] <= most;
    return right && at.counts[n] == 0;
}

static int at_check(const at_case *c, int kernel, int function, size_t n)
{
    const size_t bytes = n * c->out_bytes;
    tap_buffer d_values = tap_buffer_new(bytes, 0), d_want = tap_buffer_new(bytes, 0);
    tap_buffer d_first = tap_buffer_new(bytes, 16 * (n % 3) + (c->out_bytes % 4 ? 0 : 4 * (c->out_bytes == 4)));
    tap_buffer d_second = tap_buffer_new(bytes, 0);
    tap_buffer d_loads = tap_buffer_new((n + 1) * 4, 0), d_stores = tap_buffer_new((n + 1) * 4, 0);
    places host = {n, at.in, at.in + 64, at.order, at.parts[0], at.parts[1], NULL, NULL};
    places there = {n, d_in.data, (const char *)d_in.data + 64, (const uint32_t *)d_order.data, d_first.data,
                    d_second.data, (uint32_t *)d_loads.data, (uint32_t *)d_stores.data};
    const char *wrong = NULL;

    c->values(at.values, at.in, host);
    must(cudaMemcpy(d_values.data, at.values, bytes, cudaMemcpyHostToDevice));
    must(cudaMemset(d_loads.data, 0, (n + 1) * 4));
    must(cudaMemset(d_stores.data, 0, (n + 1) * 4));
    must(c->run(AT_PLAIN, function, d_values.data, d_want.data, there));
    tap_buffer_read(at.want, &d_want, bytes);
    if (c->run(kernel, function, c->in_bytes ? d_in.data : NULL, c->stores ? NULL : d_first.data, there) != cudaSuccess)
        wrong = gp_last_error_message();
    tap_buffer_read(at.parts[0], &d_first, bytes);
    tap_buffer_read(at.parts[1], &d_second, bytes);
    c->results(at.got, host);
    if (!wrong && memcmp(at.got, at.want, bytes) != 0)
        wrong = "differs from the plain scan";
    if (!wrong && c->loads && !counts_are(&d_loads, n, 1, kernel == AT_SIMPLE ? 1 : 0xFFFFFFFFu))
        wrong = "reads items too seldom or too often, or others";
    if (!wrong && c->stores && !counts_are(&d_stores, n, 1, 1))
        wrong = "does not store each result once";
    if (!wrong && (!tap_buffer_intact(&d_first, bytes) || !tap_buffer_intact(&d_second, c->stores ? bytes : 0)))
        wrong = "wrote outside of the output";
    if (wrong)
        printf("# %s, %s kernel, %s of %zu: %s\n", c->name, at_kernel_names[kernel], fold_names[function], n, wrong);
    tap_buffer_free(&d_values);
    tap_buffer_free(&d_want);
    tap_buffer_free(&d_first);
    tap_buffer_free(&d_second);
    tap_buffer_free(&d_loads);
    tap_buffer_free(&d_stores);
    return !wrong;
}

static void test_expressions(const at_case *c)
{
    static const size_t sizes[] = {1, 2, 27, 28, 29, 33, 895, 896, 897, 1023, 7167, 7168, 7169, 14339, 30001, 59999};

    for (int kernel = AT_PIPELINED; kernel < AT_KERNELS; kernel++)
        for (int function = INCLUSIVE; function <= EXCLUSIVE_INIT; function++) {
            int passed = 1;

            for (size_t k = 0; k < sizeof sizes / sizeof *sizes - (tap_small ? 2 : 0); k++) {
                make_order(sizes[k]);
                passed &= at_check(c, kernel, function, sizes[k]);
            }
            ok(passed, "%s: %s by the %s kernel", c->name, fold_names[function], at_kernel_names[kernel]);
        }
}

/* ---- errors, nothing --------------------------------------------------------------------------- */

#define GP_NAME          load_only
#define GP_INPUT_TYPE    void
#define GP_LOAD_AT(in, i) ((int)(i) + 1)
#define GP_INDEX         int
#include <gpuprims/scan.cuh>

#define GP_NAME              store_only
#define GP_STORE_AT(out, i, x) ((out)[2 * (i)] = (x))
#include <gpuprims/scan.cuh>

static void refused(cudaError_t error, const char *text)
{
    ok(error == cudaErrorInvalidValue && strstr(gp_last_error_message(), text), "refused: %s",
       gp_last_error_message());
}

static void test_errors(void)
{
    tap_buffer d = tap_buffer_new(256, 0);
    int *x = (int *)d.data, got[8];
    const places none = {0, NULL, NULL, NULL, NULL, NULL, NULL, NULL};

    refused(load_only_inclusive_scan(NULL, NULL, 3, NULL, 0), "load_only_inclusive_scan: out is NULL");
    refused(store_only_exclusive_scan(NULL, x, 3, NULL, 0), "store_only_exclusive_scan: in is NULL");
    refused(load_only_exclusive_scan_init(NULL, x, (size_t)1 << 31, 3, NULL, 0),
            "load_only_exclusive_scan_init: n is 2147483648; it must be at most 2147483647");
    refused(store_only_inclusive_scan(x, x, SIZE_MAX / 3, NULL, 0), "store_only_inclusive_scan: n is");
    ok(tap_buffer_intact(&d, 0), "and nothing is written");
    ok(load_only_inclusive_scan(NULL, NULL, 0, NULL, 0) == cudaSuccess &&
           store_only_inclusive_scan(NULL, NULL, 0, NULL, 0) == cudaSuccess &&
           zipped_simple_inclusive_scan(NULL, NULL, 0, none, NULL, 0) == cudaSuccess,
       "n == 0 succeeds");
    must(load_only_inclusive_scan(x, x, 4, NULL, 0));
    must(store_only_exclusive_scan(x, x + 4, 2, NULL, 0)); /* that would be an overlap: out[2] is x[6] */
    must(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost));
    ok(got[0] == 1 && got[3] == 10 && got[4] == 0 && got[6] == 1, "with an expression no overlap is checked");
    ok(load_only_inclusive_scan_workspace_bytes(100000) == counting_plain_inclusive_scan_workspace_bytes(100000),
       "the workspace is that of a plain scan");
    tap_buffer_free(&d);
}

/* ---- more than 2^32 items, a captured graph ----------------------------------------------------- */

#ifdef __CUDACC__
#define GP_NAME          far
#define GP_TYPE          uint64_t
#define GP_INPUT_TYPE    void
#define GP_CONTEXT       unsigned *
#define GP_LOAD_AT(in, i, wrong) ((uint64_t)(i) >> 30)
#define GP_STORE_AT(out, i, x, wrong)                                                       \
    const uint64_t rows = (i) >> 30, rest = ((i) & 0x3FFFFFFF) + 1;                         \
    if ((x) != (rows * (rows - 1) / 2 << 30) + rows * rest)                                 \
        atomicAdd(wrong, 1u);                                                               \
    if ((i) % 4096 == 0)                                                                    \
        atomicAdd((wrong) + 1, 1u)
#include <gpuprims/scan.cuh>

static void test_huge(void)
{
    const size_t n = ((size_t)1 << 32) + 12345;
    unsigned *d = NULL, got[2];

    must(cudaMalloc((void **)&d, sizeof got));
    must(cudaMemset(d, 0, sizeof got));
    must(far_inclusive_scan(NULL, NULL, n, d, NULL, 0));
    must(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    ok(got[0] == 0 && got[1] == n / 4096 + 1, "more than 2^32 items, of which none is in memory");
    must(cudaFree(d));
}

static void test_graph(void)
{
    enum { N = 100000 };
    static int got[N];
    tap_buffer d_out = tap_buffer_new(N * sizeof(int), 0);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    int right = 1;

    must(cudaStreamCreate(&stream));
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    must(load_only_inclusive_scan(NULL, (int *)d_out.data, N, NULL, stream));
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaGraphInstantiate(&executable, graph, 0));
    for (int replay = 0; replay < 3; replay++) {
        must(cudaMemset(d_out.data, 0, N * sizeof(int)));
        must(cudaGraphLaunch(executable, stream));
        must(cudaStreamSynchronize(stream));
        tap_buffer_read(got, &d_out, sizeof got);
        for (uint32_t i = 0; i < N; i++)
            right &= (uint32_t)got[i] == (uint32_t)((uint64_t)(i + 1) * (i + 2) / 2);
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
    tap_begin(argc, argv);
    for (int k = 0; k < CASES; k++) {
        at_all_borders(load_pipelined_cases[k], 0);
        at_all_borders(load_simple_cases[k], 0);
        at_all_borders(both_pipelined_cases[k], 0);
        at_all_borders(store_pipelined_cases[k], 0);
        at_all_borders(store_simple_cases[k], 0);
    }
    if (tap_wants("neighbours"))
        fold_check_neighbours("ranges of 8 bytes");
    make_data();
    for (int k = 0; k < AT_CASES; k++)
        if (tap_wants(at_cases[k]->name))
            test_expressions(at_cases[k]);
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_order);
    if (!tap_wants("others"))
        return tap_end();
    test_errors();
#ifdef __CUDACC__
    test_graph();
    if (!tap_small)
        test_huge();
#endif
    return tap_end();
}
