/*
 * Many instances in one file, and a program of several files: names do not collide, parameters are
 * consumed, optional ones do not leak into the next instance. With instances_other.cu, which exports
 * an instance, and instances_host.c, the plain C side of the program.
 */
/* test options: more=instances_other.cu host=instances_host.c */
#include <pthread.h>

#include "tap.h"

/* ---- defaults, twice, and what they include -------------------------------------------------- */

#include <gpuprims/scan.cuh>
#include "no_parameters.h"
#include <gpuprims/reduce.cuh>
#include "no_parameters.h"
#include <gpuprims/compact.cuh>
#include "no_parameters.h"
#include <gpuprims/scan.cuh>
#include <gpuprims/reduce.cuh>
#include <gpuprims/compact.cuh>
#include <gpuprims/block/block_scan.cuh>
#include <gpuprims/block/block_reduce.cuh>
#include <gpuprims/warp/warp_scan.cuh>
#include <gpuprims/warp/warp_reduce.cuh>
#include "no_parameters.h"

static int threads_started;
#define pthread_create(...) (threads_started++, (pthread_create)(__VA_ARGS__))

#include <gpuprims/host/cpu_scan.h>
#include <gpuprims/host/cpu_reduce.h>
#include <gpuprims/host/cpu_compact.h>
#include <gpuprims/host/cpu_merge.h>
#include <gpuprims/host/cpu_scan.h>
#include <gpuprims/host/cpu_reduce.h>
#include <gpuprims/host/cpu_compact.h>
#include "no_parameters.h"

/* ---- every header under one name, next to functions of the user's with likely names ---------- */

#ifdef __cplusplus /* a class with a constructor */
#define AT_FIRST_0 = 0
#else
#define AT_FIRST_0
#endif
typedef struct pair {
    int first AT_FIRST_0, last AT_FIRST_0;
} pair;

static __host__ __device__ inline pair trio_op(pair a, pair b)
{
    a.last = b.last;
    return a;
}
static __host__ __device__ inline pair trio_load(pair x, int by)
{
    x.first += by;
    return x;
}
static __host__ __device__ inline int trio_pred(pair x, int by)
{
    return x.last % by == 0;
}
static const int trio_combine = 1, trio_identity = 2, trio_kernel = 3, trio_tile = 4, trio_keep = 5;
static const int trio_scan = 6, trio_shuffle = 7, trio_run = 8, trio_bytes = 9;

/* Every optional parameter is given. */
#define GP_NAME       trio
#define GP_TYPE       pair
#define GP_INPUT_TYPE pair
#define GP_OP         trio_op
#define GP_IDENTITY   {-1, -2}
#define GP_LOAD       trio_load
#define GP_CONTEXT    int
#define GP_BLOCK      64
#define GP_API        static __attribute__((unused))
#include <gpuprims/scan.cuh>
#include "no_parameters.h"

#define GP_NAME       trio
#define GP_TYPE       pair
#define GP_INPUT_TYPE pair
#define GP_OP         trio_op
#define GP_IDENTITY   {-1, -2}
#define GP_LOAD       trio_load
#define GP_CONTEXT    int
#define GP_BLOCK      64
#define GP_API        static __attribute__((unused))
#include <gpuprims/reduce.cuh>
#include "no_parameters.h"

#define GP_NAME       trio
#define GP_TYPE       pair
#define GP_PRED       trio_pred
#define GP_CONTEXT    int
#define GP_API        static __attribute__((unused))
#include <gpuprims/compact.cuh>
#include "no_parameters.h"

#define GP_NAME     trio
#define GP_TYPE     pair
#define GP_OP       trio_op
#define GP_IDENTITY {-1, -2}
#define GP_LOAD     trio_load
#define GP_CONTEXT  int
#include <gpuprims/host/cpu_scan.h>
#include "no_parameters.h"

#define GP_NAME     trio
#define GP_TYPE     pair
#define GP_OP       trio_op
#define GP_IDENTITY {-1, -2}
#define GP_LOAD     trio_load
#define GP_CONTEXT  int
#include <gpuprims/host/cpu_reduce.h>

#define GP_NAME    trio
#define GP_TYPE    pair
#define GP_PRED    trio_pred
#define GP_CONTEXT int
#include <gpuprims/host/cpu_compact.h>
#include "no_parameters.h"

/*
 * The next instances give a name alone: an int sum, x != 0. Any parameter that had leaked would not
 * compile, or give another result; and the block has 256 threads again.
 */
#define GP_NAME plain
#include <gpuprims/scan.cuh>
#define GP_NAME plain
#include <gpuprims/reduce.cuh>
#define GP_NAME plain
#include <gpuprims/compact.cuh>
#define GP_NAME plain
#include <gpuprims/host/cpu_scan.h>
#define GP_NAME plain
#include <gpuprims/host/cpu_reduce.h>
#define GP_NAME plain
#include <gpuprims/host/cpu_compact.h>
#include "no_parameters.h"

/* One optional parameter after the other, each in an instance of its own. */
#define GP_NAME a_type
#define GP_TYPE int64_t
#include <gpuprims/reduce.cuh>
#define GP_NAME an_operator
#define GP_OP   GP_MAX
#include <gpuprims/reduce.cuh>
#define GP_NAME an_input_type
#define GP_INPUT_TYPE int8_t
#include <gpuprims/reduce.cuh>
#define GP_NAME a_load
#define GP_LOAD(x) (-(x))
#include <gpuprims/reduce.cuh>
#define GP_NAME a_context
#define GP_LOAD(x, factor) ((x) * (factor))
#define GP_CONTEXT int
#include <gpuprims/reduce.cuh>
#define GP_NAME an_identity
#define GP_OP(a, b) ((a) + (b) + 1)
#define GP_IDENTITY -1
#include <gpuprims/reduce.cuh>
#define GP_NAME nothing
#include <gpuprims/reduce.cuh>

#define GP_NAME a_pred
#define GP_PRED(x) ((x) > 3)
#include <gpuprims/compact.cuh>
#define GP_NAME no_pred
#include <gpuprims/compact.cuh>

/* ---- what the other files export ------------------------------------------------------------- */

#ifdef __cplusplus
extern "C" {
#endif
cudaError_t exported_exclusive_scan(const double *in, double *out, size_t n, gp_workspace *ws,
                                    cudaStream_t stream);
size_t exported_exclusive_scan_workspace_bytes(size_t n);
int other_default_sum(const int *d_in, int *d_out, size_t n, const void **where);
void other_refuse(void);
int host_side(const double *d_in, double *d_out, size_t n);
int host_side_references(void);
#ifdef __cplusplus
}
#endif

static int d_in_host[7] = {1, 5, 0, 1, 2, 0, 3};

static int read_int(const tap_buffer *buffer)
{
    int value;

    tap_buffer_read(&value, buffer, sizeof value);
    return value;
}

static void check_parameters(void)
{
    tap_buffer d_in = tap_buffer_of(d_in_host, sizeof d_in_host, 0), d_out = tap_buffer_new(64, 0);
    tap_buffer d_count = tap_buffer_new(sizeof(size_t), 0);
    const int *in = (const int *)d_in.data;
    int *out = (int *)d_out.data, got[7];
    size_t *count = (size_t *)d_count.data, counted;
    static const int inclusive[7] = {1, 6, 6, 7, 9, 9, 12};
    int64_t wide;

    must(plain_inclusive_scan(in, out, 7, NULL, 0));
    tap_buffer_read(got, &d_out, sizeof got);
    ok(memcmp(got, inclusive, sizeof got) == 0, "a scan with a name alone sums");
    must(plain_reduce(in, out, 7, NULL, 0));
    ok(read_int(&d_out) == 12, "so does a reduction");
    must(plain_compact(in, out, 7, count, NULL, 0));
    tap_buffer_read(&counted, &d_count, sizeof counted);
    ok(counted == 5, "a compaction with a name alone keeps what is not zero");

    must(a_type_reduce((const int64_t *)d_in.data, (int64_t *)d_out.data, 3, NULL, 0));
    tap_buffer_read(&wide, &d_out, sizeof wide);
    ok(wide == 1 + 0 + 2 + ((int64_t)(5 + 1 + 0) << 32), "GP_TYPE");
    must(an_operator_reduce(in, out, 7, NULL, 0));
    ok(read_int(&d_out) == 5, "GP_OP, and the type is int again");
    must(an_input_type_reduce((const int8_t *)d_in.data, out, 28, NULL, 0));
    ok(read_int(&d_out) == 12, "GP_INPUT_TYPE, and the operator is a sum again");
    must(a_load_reduce(in, out, 7, NULL, 0));
    ok(read_int(&d_out) == -12, "GP_LOAD, and the input is int again");
    must(a_context_reduce(in, out, 7, 10, NULL, 0));
    ok(read_int(&d_out) == 120, "GP_CONTEXT");
    must(an_identity_reduce(in, out, 7, NULL, 0));
    ok(read_int(&d_out) == 18, "an operator of one's own, without load and context");
    must(an_identity_reduce(in, out, 0, NULL, 0));
    ok(read_int(&d_out) == -1, "and its identity");
    must(nothing_reduce(in, out, 7, NULL, 0));
    ok(read_int(&d_out) == 12, "none of them any more");
    must(nothing_reduce(in, out, 0, NULL, 0));
    ok(read_int(&d_out) == 0, "nor the identity");

    must(a_pred_compact(in, out, 7, count, NULL, 0));
    tap_buffer_read(&counted, &d_count, sizeof counted);
    ok(counted == 1, "GP_PRED");
    must(no_pred_compact(in, out, 7, count, NULL, 0));
    tap_buffer_read(&counted, &d_count, sizeof counted);
    ok(counted == 5, "and none any more");

    tap_buffer_free(&d_in);
    tap_buffer_free(&d_out);
    tap_buffer_free(&d_count);
}

static void check_trio(void)
{
    enum { N = 3000 };
    pair *in = (pair *)malloc(3 * N * sizeof *in), *got = in + N, *want = in + 2 * N, sum;
    int passed = 1;
    size_t kept, counted;

    for (int i = 0; i < N; i++) {
        in[i].first = 10 * i;
        in[i].last = i;
    }

    tap_buffer d_in = tap_buffer_of(in, N * sizeof *in, 0), d_out = tap_buffer_new(N * sizeof *in, 0);
    tap_buffer d_count = tap_buffer_new(sizeof(size_t), 0);
    const pair *from = (const pair *)d_in.data;
    pair *to = (pair *)d_out.data;

    must(trio_exclusive_scan(from, to, N, 7, NULL, 0));
    tap_buffer_read(got, &d_out, N * sizeof *in);
    trio_cpu_exclusive_scan(in, want, N, 7);
    for (int i = 0; i < N; i++)
        passed &= got[i].first == (i ? 7 : -1) && got[i].last == (i ? i - 1 : -2);
    ok(passed && memcmp(got, want, N * sizeof *in) == 0, "a scan with all parameters, on device and host");
    trio_cpu_parallel_exclusive_scan(in, want, N, 5, 7);
    ok(memcmp(got, want, N * sizeof *in) == 0, "and by the parallel scan of the host");
    memcpy(want, in, N * sizeof *in);
    trio_cpu_inclusive_scan(want, want, N, 7);
    ok(want[N - 1].first == 7 && want[N - 1].last == N - 1, "and inclusive, in place, on the host");

    must(trio_reduce(from, to, N, 7, NULL, 0));
    tap_buffer_read(&sum, &d_out, sizeof sum);
    ok(sum.first == 7 && sum.last == N - 1, "a reduction of the same name");
    sum = trio_cpu_reduce(in, N, 7);
    ok(sum.first == 7 && sum.last == N - 1, "and on the host");
    sum = trio_cpu_reduce(in, 0, 7);
    ok(sum.first == -1 && sum.last == -2, "of nothing, the identity");

    must(trio_compact(from, to, N, (size_t *)d_count.data, 7, NULL, 0));
    tap_buffer_read(&counted, &d_count, sizeof counted);
    kept = trio_cpu_compact(in, want, N, 7);
    tap_buffer_read(got, &d_out, kept * sizeof *in);
    ok(counted == (N + 6) / 7 && kept == counted && memcmp(got, want, kept * sizeof *in) == 0,
       "a compaction of the same name, on device and host");
    memset((void *)want, 0, N * sizeof *want);
    kept = trio_cpu_compact_with_scan(in, want, N, 7);
    ok(kept == counted && memcmp(got, want, kept * sizeof *in) == 0, "and with a scan");
    ok(trio_combine + trio_identity + trio_kernel + trio_tile + trio_keep + trio_scan + trio_shuffle +
               trio_run + trio_bytes == 45,
       "names of the user's stay the user's");
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_out);
    tap_buffer_free(&d_count);
    free(in);
}

/*
 * The references that several threads share: small tasks start none, and with a threshold of a few items the
 * chunks are right whatever their lengths. An affine map tells every order from the right one.
 */
typedef struct {
    unsigned scale, shift;
} affine;

static inline affine affine_then(affine a, affine b)
{
    affine both = {a.scale * b.scale, a.shift * b.scale + b.shift};
    return both;
}

#undef GPI_CPU_SCAN_MIN_ITEMS
#define GPI_CPU_SCAN_MIN_ITEMS ((size_t)16)
#define GP_NAME                affine
#define GP_TYPE                affine
#define GP_OP                  affine_then
#define GP_IDENTITY            {1, 0}
#include <gpuprims/host/cpu_scan.h>

static void check_host_chunks(void)
{
    static const size_t sizes[] = {0, 1, 31, 32, 33, 47, 48, 49, 95, 96, 97, 163, 400};
    affine in[400], want[400], got[401], sum = {1, 0};
    int passed = 1;

    for (int i = 0; i < 400; i++) {
        in[i].scale = (unsigned)tap_below(1000) * 2 + 1;
        in[i].shift = (unsigned)tap_below(1000);
        want[i] = sum;
        sum.shift = sum.shift * in[i].scale + in[i].shift;
        sum.scale *= in[i].scale;
    }
    threads_started = 0;
    for (int k = 0; k < 13; k++)
        for (int threads = 1; threads < 12; threads += 2) {
            const size_t n = sizes[k];

            memset(got, 85, sizeof got);
            affine_cpu_parallel_exclusive_scan(in, got, n, threads);
            passed &= memcmp(got, want, n * sizeof *in) == 0 && got[n].scale == 0x55555555;
            memcpy(got, in, sizeof in);
            affine_cpu_parallel_exclusive_scan(got, got, n, threads);
            passed &= memcmp(got, want, n * sizeof *in) == 0;
        }
    ok(passed && threads_started > 0, "a scan by threads of the host, chunks of all lengths");
}

static void check_host_threads(void)
{
    enum { SCANNED = (1 << 21) + 100, MERGED = 1 << 17 };
    int *in = (int *)malloc(2 * SCANNED * sizeof *in), *got = in + SCANNED, sum = 0, passed = 1;
    size_t offsets[3] = {0, 50, 100};

    for (int i = 0; i < SCANNED; i++)
        in[i] = (int)tap_below(1000);
    threads_started = 0;
    plain_cpu_parallel_exclusive_scan(in, got, 64, 8);
    plain_cpu_parallel_exclusive_scan(in, got, 100000, 8);
    ok(threads_started == 0 && got[1] == in[0] && got[2] == in[0] + in[1],
       "a scan of few items starts no thread of the host");
    plain_cpu_parallel_exclusive_scan(in, got, SCANNED, 8);
    for (int i = 0; i < SCANNED; sum += in[i++])
        passed &= got[i] == sum;
    ok(passed && threads_started == 2, "one of many starts a second one, twice");

    threads_started = 0;
    for (int i = 0; i < 100; i++)
        in[i] = i % 50 * 2 + i / 50;
    passed = gp_cpu_merge_runs(in, got, offsets, 2, 8) == 0 && threads_started == 0;
    for (int i = 0; i < 100; i++)
        passed &= got[i] == i;
    ok(passed, "a merge of few items starts no thread of the host");
    for (int i = 0; i < MERGED; i++)
        in[i] = i % (MERGED / 2) * 2 + i / (MERGED / 2);
    offsets[1] = MERGED / 2;
    offsets[2] = MERGED;
    passed = gp_cpu_merge_runs(in, got, offsets, 2, 8) == 0 && threads_started == 1;
    for (int i = 0; i < MERGED; i++)
        passed &= got[i] == i;
    ok(passed, "one of many starts a second one");
    free(in);
}

/* The block size of the instances: 64 for one, the default for those after it. */
static void check_block_sizes(void)
{
    /* A value for each thread, 16 bytes more for every 128 of them, one value, and up to 16 bytes. */
    size_t pairs = (64 + 64 * sizeof(pair) / 128 * 2 + 2) * sizeof(pair);
    size_t ints = (256 + 256 / 32 * 4 + 4) * sizeof(int);

    ok(sizeof(trio_block_scan_storage) == pairs && sizeof(plain_block_scan_storage) == ints &&
           sizeof(plain_block_reduce_storage) == ints,
       "GP_BLOCK holds for its own instance");
}

static void check_files(void)
{
    enum { N = 5000 };
    double *in = (double *)malloc(2 * N * sizeof *in), *got = in + N, sum = 0;
    const void *there = NULL, *here = (const void *)gp_last_error_message();
    int passed = 1;

    for (int i = 0; i < N; i++)
        in[i] = (double)tap_below(100);

    tap_buffer d_in = tap_buffer_of(in, N * sizeof *in, 0), d_out = tap_buffer_new(N * sizeof *in, 0);
    must(exported_exclusive_scan((const double *)d_in.data, (double *)d_out.data, N, NULL, 0));
    tap_buffer_read(got, &d_out, N * sizeof *in);
    for (int i = 0; i < N; i++) {
        passed &= got[i] == sum;
        sum += in[i];
    }
    ok(passed, "an exported instance of another file");
    ok(exported_exclusive_scan_workspace_bytes(N) > 0, "and its workspace_bytes");
    must(cudaMemset(d_out.data, 0, N * sizeof *in));
    ok(host_side((const double *)d_in.data, (double *)d_out.data, N), "called from plain C");
    tap_buffer_read(got, &d_out, N * sizeof *in);
    ok(got[N - 1] == sum - in[N - 1], "with the same result");
    ok(host_side_references(), "the CPU references in plain C");
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_out);
    free(in);

    tap_buffer d_ints = tap_buffer_of(d_in_host, sizeof d_in_host, 0), d_sum = tap_buffer_new(4, 0);
    ok(other_default_sum((const int *)d_ints.data, (int *)d_sum.data, 7, &there) && read_int(&d_sum) == 12,
       "a default instance of another file");
    ok(there == here, "the message is one for the whole program");
    other_refuse();
    ok(strstr(gp_last_error_message(), "exported_reduce: d_out is NULL") != NULL,
       "a refusal there is explained here");
    tap_buffer_free(&d_ints);
    tap_buffer_free(&d_sum);
}

/* ---- how often, and on what, the user's macros are evaluated ----------------------------------- */

#ifndef __CUDACC__
enum { EVALUATED_MOST = 40000 };
static struct {
    uint32_t n, strays, counts[EVALUATED_MOST]; /* an item is its own place; anything else is a stray */
    uint64_t all;
} evaluated;

static inline uint32_t evaluate(uint32_t x)
{
    __atomic_fetch_add(x < evaluated.n ? &evaluated.counts[x] : &evaluated.strays, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&evaluated.all, 1, __ATOMIC_RELAXED);
    return x;
}
static inline uint32_t evaluate_both(uint32_t a, uint32_t b)
{
    return evaluate(a) % 1000 < evaluate(b) % 1000;
}

/* One block, which has no other to wait for. */
#define GP_NAME    evaluated
#define GP_TYPE    uint32_t
#define GP_LOAD(x) evaluate(x)
#define GP_GRID    1
#include <gpuprims/scan.cuh>
#define GP_NAME    evaluated
#define GP_TYPE    uint32_t
#define GP_LOAD(x) evaluate(x)
#define GP_GRID    1
#include <gpuprims/reduce.cuh>
#define GP_NAME    evaluated
#define GP_TYPE    uint32_t
#define GP_PRED(x) (evaluate(x) % 3)
#define GP_GRID    1
#include <gpuprims/compact.cuh>
#define GP_NAME    evaluated
#define GP_TYPE    uint32_t
#define GP_PRED(x) (evaluate(x) % 3)
#include <gpuprims/scatter.cuh>
#define GP_NAME       evaluated
#define GP_TYPE       uint32_t
#define GP_LESS(a, b) evaluate_both(a, b)
#include <gpuprims/merge_sort.cuh>

/* Every item at least `each` times, and all at most `more` times more: what the headers say. */
static void check_evaluations(const char *what, uint32_t each, uint64_t more)
{
    int passed = evaluated.strays == 0 && evaluated.all <= (uint64_t)each * evaluated.n + more;

    for (uint32_t i = 0; i < evaluated.n; i++)
        passed &= evaluated.counts[i] >= each;
    ok(passed, "%u items, %s: evaluated %llu times, %u of them not on an item", (unsigned)evaluated.n, what,
       (unsigned long long)evaluated.all, (unsigned)evaluated.strays);
    memset((void *)evaluated.counts, 0, sizeof evaluated.counts);
    evaluated.strays = 0;
    evaluated.all = 0;
}

static void check_evaluations_of(uint32_t n, size_t offset)
{
    const uint32_t run = 112 / sizeof(uint32_t), lane_vectors = 16 / sizeof(uint32_t);
    uint32_t *memory = (uint32_t *)malloc((n + offset) * sizeof *memory), *in = memory + offset;
    uint32_t *out = (uint32_t *)malloc(n * sizeof *out);
    size_t *indices = (size_t *)malloc(n * sizeof *indices), count;
    uint8_t *flags = (uint8_t *)malloc(n);
    uint64_t levels = 1;

    evaluated.n = n;
    while ((1u << levels) < n)
        levels++;
    for (uint32_t i = 0; i < n; i++)
        in[i] = i;
    must(evaluated_exclusive_scan(in, out, n, NULL, 0));
    check_evaluations("scan", 1, n + (n % (32 * run) ? 31 : 0));
    must(evaluated_reduce(in, out, n, NULL, 0));
    check_evaluations("reduce", 1, n <= 1024 * lane_vectors ? 31 * lane_vectors : 1023 * lane_vectors);
    must(evaluated_compact(in, out, n, &count, NULL, 0));
    check_evaluations("compact", 1, 2 * (run - 1));
    must(evaluated_compact_indices(in, indices, n, &count, NULL, 0));
    check_evaluations("compact_indices", 1, 2 * (run - 1));
    must(evaluated_partition_stable(in, out, n, &count, NULL, 0));
    check_evaluations("partition_stable", 1, (n > 1000 ? n : 0) + 2 * (run - 1));
    must(evaluated_map_to_flags(in, flags, n, NULL, 0));
    check_evaluations("map_to_flags", 1, 0);
    must(evaluated_compact_flagged(in, flags, out, n, &count, NULL, 0));
    check_evaluations("compact_flagged", 0, 0);
    must(evaluated_merge_sort(in, out, n, NULL, 0));
    check_evaluations("merge_sort, two at a time", n > 1, 2 * (2 * (uint64_t)n * levels + 61471));
    free(memory);
    free(out);
    free(indices);
    free(flags);
}

static void check_all_evaluations(void)
{
    const uint32_t sizes[] = {1, 5, 28, 29, 895, 896, 1000, 7168, 7169, EVALUATED_MOST};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_evaluations_of(sizes[i], i % 3);
}
#endif

int main(int argc, char **argv)
{
    tap_begin(argc, argv);
    check_parameters();
    check_trio();
    check_host_chunks();
    check_host_threads();
    check_block_sizes();
    check_files();
#ifndef __CUDACC__
    check_all_evaluations();
#endif
    return tap_end();
}
