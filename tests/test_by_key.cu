/* test options: timeout=300 many */
/* by_key.cuh: every function, many types of keys and items, runs of every kind, against plain loops. */
#include "run_shapes.h"

enum { REDUCE_BY_KEY, INCLUSIVE_BY_KEY, EXCLUSIVE_BY_KEY, RUN_FUNCTIONS };

static const char *const run_function_names[] = {"reduce_by_key", "inclusive_scan_by_key", "exclusive_scan_by_key"};

/* An instance, its keys and items, and its reference, which returns how many runs there are. */
typedef struct run_case {
    const char *name;
    size_t key_bytes, in_bytes, out_bytes, index_bytes;
    size_t key_align, in_align, out_align;
    run_units units;
    void (*make)(void *keys, void *in, const uint32_t *labels, size_t n);
    size_t (*reference)(int function, const void *keys, const void *in, void *keys_out, void *out, size_t n);
    int (*same)(const void *a, const void *b);
    cudaError_t (*run)(int function, const void *keys, const void *in, void *keys_out, void *out, size_t n, void *count,
                       gp_workspace *ws, cudaStream_t stream);
    size_t (*workspace[RUN_FUNCTIONS])(size_t n);
} run_case;

/* ---- instances ------------------------------------------------------------------------------- */

#define CASE          gp
#define CASE_IS_GP
#define CASE_KEY      int
#define CASE_MAKE_KEY (int)label
#define CASE_TYPE     int
#define CASE_OP       GP_SUM
#define CASE_REF      ref_sum
#define CASE_EMPTY    0
#define CASE_MAKE     (int)(r >> 40)
#include "by_key_case.h"
#undef CASE_IS_GP

#define CASE_KEY      uint8_t
#define CASE_MAKE_KEY (uint8_t)label
#define CASE_TYPE     uint8_t
#define CASE_OP       GP_SUM
#define CASE_REF      ref_sum
#define CASE_EMPTY    0
#define CASE_MAKE     (uint8_t)r
#define CASE_INDEX    int
#define CASE          bytes_pipelined
#define CASE_KERNEL   GP_KERNEL_PIPELINED
#define CASE_GRID     3
#define CASE_MORE
#include "by_key_case.h"
#define CASE          bytes_simple
#define CASE_KERNEL   GP_KERNEL_SIMPLE
#include "by_key_case.h"

/* Items are mapped, and grow. */
#define CASE             halves_pipelined
#define CASE_KEY         uint16_t
#define CASE_MAKE_KEY    (uint16_t)label
#define CASE_TYPE        uint32_t
#define CASE_INPUT       uint8_t
#define CASE_LOAD(x)     (3u * (x) + 1)
#define CASE_REF_LOAD(x) (3u * (x) + 1)
#define CASE_OP          GP_XOR
#define CASE_REF         ref_xor
#define CASE_EMPTY       0
#define CASE_MAKE        (uint8_t)r
#define CASE_INDEX       unsigned
#define CASE_KERNEL      GP_KERNEL_PIPELINED
#define CASE_GRID        2
#include "by_key_case.h"

/* Items of two bytes, which shrink. */
#define CASE          shrunk_pipelined
#define CASE_KEY      uint64_t
#define CASE_MAKE_KEY ((uint64_t)label << 32)
#define CASE_TYPE     int16_t
#define CASE_INPUT    double
#define CASE_OP       GP_MIN
#define CASE_REF      ref_min
#define CASE_EMPTY    INT16_MAX
#define CASE_MAKE     (double)(int16_t)r
#define CASE_KERNEL   GP_KERNEL_PIPELINED
#define CASE_GRID     2
#include "by_key_case.h"

#define CASE          longs_pipelined
#define CASE_KEY      uint32_t
#define CASE_MAKE_KEY label
#define CASE_TYPE     int64_t
#define CASE_OP       GP_MAX
#define CASE_REF      ref_max
#define CASE_EMPTY    INT64_MIN
#define CASE_MAKE     (int64_t)r
#define CASE_INDEX    int64_t
#define CASE_KERNEL   GP_KERNEL_PIPELINED
#define CASE_GRID     2
#include "by_key_case.h"

/* Items that are computed: products of two arrays, by an expression. */
typedef struct {
    const int *a, *b;
} factors;

#define GP_NAME     products_pipelined
#define GP_KEY      int
#define GP_TYPE     int64_t
#define GP_INPUT_TYPE void
#define GP_CONTEXT  factors
#define GP_LOAD_AT(in, i, f) ((int64_t)(f).a[i] * (f).b[i])
#define GP_INDEX    int
#define GP_KERNEL   GP_KERNEL_PIPELINED
#define GP_GRID     3
#include <gpuprims/by_key.cuh>
#define GP_NAME     products_simple
#define GP_KEY      int
#define GP_TYPE     int64_t
#define GP_INPUT_TYPE void
#define GP_CONTEXT  factors
#define GP_LOAD_AT(in, i, f) ((int64_t)(f).a[i] * (f).b[i])
#define GP_INDEX    int
#define GP_KERNEL   GP_KERNEL_SIMPLE
#include <gpuprims/by_key.cuh>

/* A NaN stays in its run. */
static int same_float(const float *a, const float *b)
{
    return (is_nan(*a) && is_nan(*b)) || memcmp(a, b, sizeof *a) == 0;
}

#define CASE_KEY      int64_t
#define CASE_MAKE_KEY ((int64_t)label << 33)
#define CASE_TYPE     float
#define CASE_OP       GP_MAX
#define CASE_REF      ref_max
#define CASE_EMPTY    -__builtin_inff()
#define CASE_MAKE     (r % 16 ? (float)(int64_t)(r >> 20) : __builtin_nanf(""))
#define CASE_SAME     same_float
#define CASE          nans_pipelined
#define CASE_KERNEL   GP_KERNEL_PIPELINED
#define CASE_GRID     3
#define CASE_MORE
#include "by_key_case.h"
#define CASE          nans_simple
#define CASE_KERNEL   GP_KERNEL_SIMPLE
#define CASE_GRID     1
#include "by_key_case.h"

/* Keys that are NaNs and zeros of both signs. */
#define CASE_KEY      float
#define CASE_MAKE_KEY make_float_key(label, r)
#define CASE_TYPE     double
#define CASE_OP       GP_SUM
#define CASE_REF      ref_sum
#define CASE_EMPTY    0
#define CASE_MAKE     small_number(r)
#define CASE          float_keys_pipelined
#define CASE_KERNEL   GP_KERNEL_PIPELINED
#define CASE_GRID     5
#define CASE_MORE
#include "by_key_case.h"
#define CASE          float_keys_simple
#define CASE_KERNEL   GP_KERNEL_SIMPLE
#include "by_key_case.h"

static __host__ __device__ inline matrix one_matrix(void)
{
    matrix x;

    memset(&x, 0, sizeof x);
    x.m[0] = x.m[3] = 1;
    return x;
}

#define CASE_KEY      key12
#define CASE_MAKE_KEY make_key12(label, r)
#define CASE_EQUAL    same_key12
#define CASE_SAME_KEY same_key12
#define CASE_TYPE     matrix
#define CASE_OP       matrix_multiply
#define CASE_REF      matrix_multiply
#define CASE_IDENTITY one_matrix()
#define CASE_EMPTY    one_matrix()
#define CASE_MAKE     make_matrix(r)
#define CASE          matrices_pipelined
#define CASE_KERNEL   GP_KERNEL_PIPELINED
#define CASE_GRID     3
#define CASE_MORE
#include "by_key_case.h"
#define CASE          matrices_simple
#define CASE_KERNEL   GP_KERNEL_SIMPLE
#include "by_key_case.h"

static __host__ __device__ inline affine no_affine(void)
{
    affine x = {1, 0, 0};

    return x;
}

#define CASE          affines_pipelined
#define CASE_KEY      key48
#define CASE_MAKE_KEY make_key48(label, r)
#define CASE_EQUAL    same_key48
#define CASE_SAME_KEY same_key48
#define CASE_TYPE     affine
#define CASE_OP       affine_then
#define CASE_REF      affine_then
#define CASE_IDENTITY no_affine()
#define CASE_EMPTY    no_affine()
#define CASE_MAKE     make_affine(r)
#define CASE_KERNEL   GP_KERNEL_PIPELINED
#define CASE_GRID     3
#include "by_key_case.h"

#define CASE          large_keys
#define CASE_KEY      key200
#define CASE_MAKE_KEY make_key200(label, r)
#define CASE_EQUAL    same_key200
#define CASE_SAME_KEY same_key200
#define CASE_TYPE     uint32_t
#define CASE_OP       GP_SUM
#define CASE_REF      ref_sum
#define CASE_EMPTY    0
#define CASE_MAKE     (uint32_t)r
#include "by_key_case.h"

/* Which keys are of a run depends on neighbours alone. */
static __host__ __device__ inline triangle one_triangle(void)
{
    triangle x = {1, 0, 1};

    return x;
}

#define CASE          near_pipelined
#define CASE_KEY      int
#define CASE_MAKE_KEY make_near_key(label, r)
#define CASE_EQUAL    is_near
#define CASE_SAME_KEY is_near
#define CASE_TYPE     triangle
#define CASE_OP       triangle_multiply
#define CASE_REF      triangle_multiply
#define CASE_IDENTITY one_triangle()
#define CASE_EMPTY    one_triangle()
#define CASE_MAKE     make_triangle(r)
#define CASE_KERNEL   GP_KERNEL_PIPELINED
#define CASE_GRID     4
#include "by_key_case.h"

static __host__ __device__ inline matrices8 one_matrices8(void)
{
    matrices8 x;

    for (int i = 0; i < 8; i++)
        x.at[i] = one_matrix();
    return x;
}

#define CASE          wide_pipelined
#define CASE_KEY      uint8_t
#define CASE_MAKE_KEY (uint8_t)label
#define CASE_TYPE     matrices8
#define CASE_OP       matrices8_multiply
#define CASE_REF      matrices8_multiply
#define CASE_IDENTITY one_matrices8()
#define CASE_EMPTY    one_matrices8()
#define CASE_MAKE     make_matrices8(r)
#define CASE_KERNEL   GP_KERNEL_PIPELINED
#define CASE_GRID     3
#include "by_key_case.h"

static __host__ __device__ inline matrices16 one_matrices16(void)
{
    matrices16 x;

    for (int i = 0; i < 16; i++)
        x.at[i] = one_matrix();
    return x;
}

#define CASE          widest
#define CASE_KEY      uint32_t
#define CASE_MAKE_KEY label
#define CASE_TYPE     matrices16
#define CASE_OP       matrices16_multiply
#define CASE_REF      matrices16_multiply
#define CASE_IDENTITY one_matrices16()
#define CASE_EMPTY    one_matrices16()
#define CASE_MAKE     make_matrices16(r)
#include "by_key_case.h"

/*
 * Parts of runs. Joining anything but neighbouring parts of one run is a violation, which is counted on the device,
 * also when nobody looks at the result.
 */
typedef struct part {
    uint32_t first, last, run;
} part;

static __host__ __device__ inline part no_part(void)
{
    part x = {0, 0, 0xFFFFFFFFu};

    return x;
}

static __device__ inline part join_parts(part a, part b)
{
    if (a.last + 1 != b.first || a.run != b.run)
        atomicAdd(&range_violations, 1u);
    a.last = b.last;
    return a;
}

static part span_of_parts(part a, part b)
{
    a.last = b.last;
    return a;
}

static part make_part(uint32_t label, size_t i)
{
    part x = {(uint32_t)i + 1, (uint32_t)i + 1, label};

    return x;
}

#define CASE_KEY      uint32_t
#define CASE_MAKE_KEY label
#define CASE_TYPE     part
#define CASE_OP       join_parts
#define CASE_REF      span_of_parts
#define CASE_IDENTITY no_part()
#define CASE_EMPTY    no_part()
#define CASE_MAKE     make_part(label, i)
#define CASE          parts_pipelined
#define CASE_KERNEL   GP_KERNEL_PIPELINED
#define CASE_GRID     3
#define CASE_MORE
#include "by_key_case.h"
#define CASE          parts_simple
#define CASE_KERNEL   GP_KERNEL_SIMPLE
#define CASE_GRID     3
#define CASE_MORE
#include "by_key_case.h"
/* Warps that fold every tile themselves which is not there when they ask. */
#pragma push_macro("GPI_PATIENCE")
#undef GPI_PATIENCE
#define GPI_PATIENCE 0
#define CASE          parts_hasty_pipelined
#define CASE_KERNEL   GP_KERNEL_PIPELINED
#define CASE_MORE
#include "by_key_case.h"
#define CASE          parts_hasty_simple
#define CASE_KERNEL   GP_KERNEL_SIMPLE
#include "by_key_case.h"
#pragma pop_macro("GPI_PATIENCE")

/* Keys and items that tell of whatever is none of the input, or no neighbour. */
static uint32_t *d_strangers;

static __host__ __device__ inline uint32_t load_known(uint32_t x, uint32_t *strangers)
{
    if (x >> 24 != 0xC0)
        *strangers = 1;
    return x & 0xFFFFFF;
}

#define CASE_KEY              place_key
#define CASE_MAKE_KEY         make_place_key(label, i)
#define CASE_EQUAL            same_place_key
#define CASE_SAME_KEY(a, b)   ((a).label == (b).label)
#define CASE_TYPE             uint32_t
#define CASE_LOAD             load_known
#define CASE_REF_LOAD(x)      ((x) & 0xFFFFFF)
#define CASE_OP               GP_SUM
#define CASE_REF              ref_sum
#define CASE_EMPTY            0
#define CASE_MAKE             (0xC0000000u | (uint32_t)(r >> 40))
#define CASE_CONTEXT          uint32_t *
#define CASE_CONTEXT_VALUE    d_strangers
#define CASE                  asked_pipelined
#define CASE_KERNEL           GP_KERNEL_PIPELINED
#define CASE_GRID             3
#define CASE_MORE
#include "by_key_case.h"
#define CASE                  asked_simple
#define CASE_KERNEL           GP_KERNEL_SIMPLE
#include "by_key_case.h"

/* One block, and as many as there are tiles. */
#define CASE_KEY      uint32_t
#define CASE_MAKE_KEY label
#define CASE_TYPE     uint32_t
#define CASE_OP       GP_SUM
#define CASE_REF      ref_sum
#define CASE_EMPTY    0
#define CASE_MAKE     (uint32_t)r
#define CASE          words_lone_pipelined
#define CASE_KERNEL   GP_KERNEL_PIPELINED
#define CASE_GRID     1
#define CASE_MORE
#include "by_key_case.h"
#define CASE          words_lone_simple
#define CASE_KERNEL   GP_KERNEL_SIMPLE
#define CASE_GRID     1
#define CASE_MORE
#include "by_key_case.h"
#define CASE          words_pipelined
#define CASE_KERNEL   GP_KERNEL_PIPELINED
#include "by_key_case.h"

/* Sums of floats that round, which have the bits of one order in both kernels. */
#define CASE_KEY      uint32_t
#define CASE_MAKE_KEY label
#define CASE_TYPE     float
#define CASE_OP       GP_SUM
#define CASE_REF      ref_sum
#define CASE_EMPTY    0
#define CASE_MAKE     (float)(int32_t)(r >> 32) * 1e-6f
#define CASE          rounded_pipelined
#define CASE_KERNEL   GP_KERNEL_PIPELINED
#define CASE_GRID     3
#define CASE_MORE
#include "by_key_case.h"
#define CASE          rounded_simple
#define CASE_KERNEL   GP_KERNEL_SIMPLE
#include "by_key_case.h"

/* ---- the check ------------------------------------------------------------------------------- */

/* A call with all that it reads and writes, and what it should write. */
typedef struct run_call {
    const run_case *c;
    int function;
    size_t n, runs;
    fold_place place;
    char *keys, *in, *want_keys, *want;
    tap_buffer d_keys, d_in, d_keys_out, d_out, d_count;
} run_call;

/* Makes an input of a shape, and what comes of it; outputs are as they were. */
static void call_fill(run_call *call, int shape)
{
    const run_case *c = call->c;
    uint32_t *labels = (uint32_t *)malloc(call->n * sizeof *labels + 1);

    run_labels(labels, call->n, shape, &c->units);
    c->make(call->keys, call->in, labels, call->n);
    free(labels);
    call->runs = c->reference(call->function, call->keys, call->in, call->want_keys, call->want, call->n);
    must(cudaMemset(call->d_keys_out.data, 0xC3, call->n * c->key_bytes));
    must(cudaMemset(call->d_out.data, 0xC3, call->n * c->out_bytes));
    must(cudaMemset(call->d_count.data, 0xC3, c->index_bytes));
    must(cudaMemcpy(call->d_keys.data, call->keys, call->n * c->key_bytes, cudaMemcpyHostToDevice));
    must(cudaMemcpy(call->d_in.data, call->in, call->n * c->in_bytes, cudaMemcpyHostToDevice));
    must(cudaDeviceSynchronize());
}

static run_call call_new(const run_case *c, int function, size_t n, int shape, fold_place place)
{
    run_call call;
    const size_t keys = n * c->key_bytes, results = n * c->out_bytes;

    call.c = c;
    call.function = function;
    call.n = n;
    call.place = place;
    call.keys = (char *)malloc(keys + 1);
    call.in = (char *)malloc(n * c->in_bytes + 1);
    call.want_keys = (char *)malloc(keys + 1);
    call.want = (char *)malloc(results + 1);
    call.d_keys = tap_buffer_new(keys, (place.in_offset * 3 + place.out_offset) % 16 * c->key_align);
    call.d_in = tap_buffer_new(n * c->in_bytes, place.in_offset * c->in_align);
    call.d_keys_out = tap_buffer_new(keys, (place.out_offset * 5 + place.in_offset) % 16 * c->key_align);
    call.d_out = place.in_place ? call.d_in : tap_buffer_new(results, place.out_offset * c->out_align);
    call.d_count = tap_buffer_new(c->index_bytes, place.in_offset * c->index_bytes);
    call_fill(&call, shape);
    return call;
}

static cudaError_t call_run(const run_call *call)
{
    return call->c->run(call->function, call->d_keys.data, call->d_in.data, call->d_keys_out.data, call->d_out.data,
                        call->n, call->d_count.data, call->place.ws, call->place.stream);
}

/* What is wrong with what a call has written; NULL if nothing is. */
static const char *call_wrong(const run_call *call)
{
    const run_case *c = call->c;
    const int reduces = call->function == REDUCE_BY_KEY;
    const size_t n = call->n, keys = n * c->key_bytes, ins = n * c->in_bytes;
    const size_t results = reduces ? call->runs : n, written = reduces ? call->runs * c->key_bytes : 0;
    char *got = (char *)malloc(n * (c->key_bytes + c->in_bytes + c->out_bytes) + 1);
    size_t count = 0, i;
    const char *wrong = NULL;

    tap_buffer_read(&count, &call->d_count, c->index_bytes);
    if (reduces && count != call->runs)
        wrong = "miscounts";
    else if (!tap_buffer_intact(&call->d_count, reduces ? c->index_bytes : 0))
        wrong = "wrote around the count";
    tap_buffer_read(got, &call->d_out, results * c->out_bytes);
    for (i = 0; i < results && !wrong; i++)
        if (!c->same(got + i * c->out_bytes, call->want + i * c->out_bytes)) {
            printf("# item %zu of %zu\n", i, results);
            wrong = "differs from the reference";
        }
    if (!wrong && !tap_buffer_intact(&call->d_out, results * c->out_bytes))
        wrong = "wrote outside of the output, or past the count";
    tap_buffer_read(got, &call->d_keys_out, written);
    if (!wrong && memcmp(got, call->want_keys, written) != 0)
        wrong = "has other keys than the reference";
    if (!wrong && !tap_buffer_intact(&call->d_keys_out, written))
        wrong = "wrote outside of the keys, or past the count";
    tap_buffer_read(got, &call->d_keys, keys);
    if (!wrong && (memcmp(got, call->keys, keys) != 0 || !tap_buffer_intact(&call->d_keys, keys)))
        wrong = "changed the keys of the input";
    tap_buffer_read(got, &call->d_in, ins);
    if (!wrong && !call->place.in_place &&
        (memcmp(got, call->in, ins) != 0 || !tap_buffer_intact(&call->d_in, ins)))
        wrong = "changed the input";
    free(got);
    return wrong;
}

static void call_free(run_call *call)
{
    tap_buffer_free(&call->d_keys);
    tap_buffer_free(&call->d_in);
    tap_buffer_free(&call->d_keys_out);
    if (!call->place.in_place)
        tap_buffer_free(&call->d_out);
    tap_buffer_free(&call->d_count);
    free(call->keys);
    free(call->in);
    free(call->want_keys);
    free(call->want);
}

/* In place is a scan whose items have the size of its results. */
static int in_place_of(const run_case *c, int function, int in_place)
{
    return function != REDUCE_BY_KEY && c->in_bytes == c->out_bytes ? in_place & 1 : 0;
}

/* ---- what is checked ------------------------------------------------------------------------- */

#include "run_checks.h"

/* The same bits from both kernels, wherever the arrays start. */
static void check_bits(size_t n, int shape)
{
    for (int function = 0; function < RUN_FUNCTIONS; function++) {
        const fold_place place = {0, 0, 0, NULL, 0}, shifted = {3, 9, 0, NULL, 0};
        run_call calls[3] = {call_new(&rounded_pipelined_case, function, n, shape, place),
                             call_new(&rounded_simple_case, function, n, shape, place),
                             call_new(&rounded_pipelined_case, function, n, shape, shifted)};
        char *got[3];
        int passed = 1;

        for (int k = 0; k < 3; k++) {
            const size_t bytes = n * sizeof(float);

            must(cudaMemcpy(calls[k].d_keys.data, calls[0].keys, n * sizeof(uint32_t), cudaMemcpyHostToDevice));
            must(cudaMemcpy(calls[k].d_in.data, calls[0].in, bytes, cudaMemcpyHostToDevice));
            got[k] = (char *)malloc(bytes);
            passed &= call_run(&calls[k]) == cudaSuccess;
            tap_buffer_read(got[k], &calls[k].d_out, bytes);
            passed &= memcmp(got[0], got[k], bytes) == 0;
            for (size_t i = 0; i < (function == REDUCE_BY_KEY ? calls[0].runs : n); i++) {
                float x, y;

                memcpy(&x, got[k] + i * sizeof x, sizeof x);
                memcpy(&y, calls[0].want + i * sizeof y, sizeof y);
                passed &= x - y < 1 && y - x < 1;
            }
        }
        for (int k = 0; k < 3; k++) {
            free(got[k]);
            call_free(&calls[k]);
        }
        ok(passed, "%s: the same bits from both kernels, in %s", run_function_names[function], run_shape_names[shape]);
    }
}

/* Folds of computed items by each function and kernel, with no array of them. */
static void check_computed(size_t n)
{
    int *rows = (int *)malloc((3 * n + 1) * sizeof *rows), *d_rows, *d_keys, *d_count, passed = 1;
    int64_t *got = (int64_t *)malloc((n + 1) * sizeof *got), *d_out;
    int *keys = (int *)malloc((n + 1) * sizeof *keys);

    for (size_t i = 0; i < n; i++) {
        rows[i] = i > 0 && tap_below(9) ? rows[i - 1] : (int)tap_below(4);
        rows[n + i] = (int)tap_below(2001) - 1000;
        rows[2 * n + i] = (int)tap_below(100000);
    }
    must(cudaMalloc((void **)&d_rows, (3 * n + 1) * sizeof *rows));
    must(cudaMalloc((void **)&d_keys, (n + 1) * sizeof *keys));
    must(cudaMalloc((void **)&d_out, (n + 1) * sizeof *got));
    must(cudaMalloc((void **)&d_count, sizeof *d_count));
    must(cudaMemcpy(d_rows, rows, 3 * n * sizeof *rows, cudaMemcpyHostToDevice));
    const factors f = {d_rows + n, d_rows + 2 * n};
    for (int way = 0; way < 4; way++) { /* kernels, then functions */
        size_t run = 0;
        int count = -1;
        int64_t sum = 0;

        must(cudaMemset(d_keys, 0x5A, n * sizeof *keys));
        must(cudaMemset(d_out, 0x5A, n * sizeof *got));
        must(cudaMemset(d_count, 0x5A, sizeof count));
        if (way == 0)
            must(products_pipelined_reduce_by_key(d_rows, NULL, d_keys, d_out, n, d_count, f, NULL, 0));
        else if (way == 1)
            must(products_simple_reduce_by_key(d_rows, NULL, d_keys, d_out, n, d_count, f, NULL, 0));
        else if (way == 2)
            must(products_pipelined_inclusive_scan_by_key(d_rows, NULL, d_out, n, f, NULL, 0));
        else
            must(products_simple_exclusive_scan_by_key(d_rows, NULL, d_out, n, f, NULL, 0));
        must(cudaMemcpy(got, d_out, n * sizeof *got, cudaMemcpyDeviceToHost));
        must(cudaMemcpy(keys, d_keys, n * sizeof *keys, cudaMemcpyDeviceToHost));
        must(cudaMemcpy(&count, d_count, sizeof count, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < n; i++) {
            const int last = i + 1 == n || rows[i + 1] != rows[i];
            const int64_t before = sum, x = (int64_t)rows[n + i] * rows[2 * n + i];

            sum += x;
            passed &= way < 2 ? !last || (got[run] == sum && keys[run] == rows[i]) : got[i] == (way == 2 ? sum : before);
            run += (size_t)last;
            sum = last ? 0 : sum;
        }
        passed &= way >= 2 || count == (int)run;
        for (; way < 2 && run < n; run++) /* there are no more runs */
            passed &= got[run] == 0x5A5A5A5A5A5A5A5A && keys[run] == 0x5A5A5A5A;
    }
    ok(passed, "products of two arrays by GP_LOAD_AT, %zu of them", n);
    must(cudaFree(d_rows));
    must(cudaFree(d_keys));
    must(cudaFree(d_out));
    must(cudaFree(d_count));
    free(rows);
    free(got);
    free(keys);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void check_errors(void)
{
    tap_buffer memory = tap_buffer_new(8192, 0);
    int *keys = (int *)memory.data, *in = keys + 256, *keys_out = in + 256, *out = keys_out + 256;
    size_t *count = (size_t *)(void *)(out + 256);
    uint8_t *bytes = (uint8_t *)memory.data;

    refused(gp_reduce_by_key(NULL, in, keys_out, out, 3, count, NULL, 0), "gp_reduce_by_key", "keys is NULL");
    refused(gp_reduce_by_key(keys, NULL, keys_out, out, 3, count, NULL, 0), "gp_reduce_by_key", "in is NULL");
    refused(gp_reduce_by_key(keys, in, NULL, out, 3, count, NULL, 0), "gp_reduce_by_key", "keys_out is NULL");
    refused(gp_reduce_by_key(keys, in, keys_out, NULL, 3, count, NULL, 0), "gp_reduce_by_key", "out is NULL");
    refused(gp_reduce_by_key(keys, in, keys_out, out, 3, NULL, NULL, 0), "gp_reduce_by_key", "d_count is NULL");
    refused(gp_reduce_by_key(NULL, NULL, NULL, NULL, 0, NULL, NULL, 0), "gp_reduce_by_key", "d_count is NULL");
    refused(gp_inclusive_scan_by_key(NULL, in, out, 3, NULL, 0), "gp_inclusive_scan_by_key", "keys is NULL");
    refused(gp_inclusive_scan_by_key(keys, NULL, out, 3, NULL, 0), "gp_inclusive_scan_by_key", "in is NULL");
    refused(gp_inclusive_scan_by_key(keys, in, NULL, 3, NULL, 0), "gp_inclusive_scan_by_key", "out is NULL");
    refused(gp_exclusive_scan_by_key(NULL, in, out, 3, NULL, 0), "gp_exclusive_scan_by_key", "keys is NULL");
    refused(gp_exclusive_scan_by_key(keys, NULL, out, 3, NULL, 0), "gp_exclusive_scan_by_key", "in is NULL");
    refused(gp_exclusive_scan_by_key(keys, in, NULL, 3, NULL, 0), "gp_exclusive_scan_by_key", "out is NULL");

    refused(gp_reduce_by_key(keys, in, keys_out, in, 3, count, NULL, 0), "gp_reduce_by_key", "in and out overlap");
    refused(gp_reduce_by_key(keys, in, keys + 2, out, 3, count, NULL, 0), "gp_reduce_by_key", "keys and keys_out");
    refused(gp_reduce_by_key(keys, in, in, out, 3, count, NULL, 0), "gp_reduce_by_key", "in and keys_out overlap");
    refused(gp_reduce_by_key(keys, in, keys_out, keys, 3, count, NULL, 0), "gp_reduce_by_key", "keys and out overlap");
    refused(gp_reduce_by_key(keys, in, out, out, 3, count, NULL, 0), "gp_reduce_by_key", "keys_out and out overlap");
    refused(gp_reduce_by_key(keys, in, keys_out, out, 3, (size_t *)(void *)(in + 2), NULL, 0), "gp_reduce_by_key",
            "in and d_count overlap");
    refused(gp_reduce_by_key(keys, in, keys_out, out, 3, (size_t *)(void *)out, NULL, 0), "gp_reduce_by_key",
            "out and d_count overlap");
    refused(gp_inclusive_scan_by_key(keys, in, in + 1, 3, NULL, 0), "gp_inclusive_scan_by_key",
            "in and out overlap; they must be equal or apart");
    refused(gp_exclusive_scan_by_key(keys, in, keys, 3, NULL, 0), "gp_exclusive_scan_by_key", "keys and out overlap");
    refused(halves_pipelined_inclusive_scan_by_key((uint16_t *)keys, bytes + 2048, (uint32_t *)(void *)(bytes + 2048), 3,
                                                   NULL, 0),
            "halves_pipelined_inclusive_scan_by_key", "in and out overlap; they must be apart");

    refused(gp_reduce_by_key(keys, in, keys_out, out, SIZE_MAX, count, NULL, 0), "gp_reduce_by_key", "n is");
    refused(gp_inclusive_scan_by_key(keys, in, out, SIZE_MAX / 4, NULL, 0), "gp_inclusive_scan_by_key", "n is");
    refused(bytes_simple_reduce_by_key(bytes, bytes + 1, bytes + 2, bytes + 3, (size_t)1 << 31, (int *)(void *)count,
                                       NULL, 0),
            "bytes_simple_reduce_by_key", "n is 2147483648; it must be at most 2147483647");
    refused(halves_pipelined_reduce_by_key((uint16_t *)keys, bytes + 2048, (uint16_t *)keys_out, (uint32_t *)(void *)out,
                                           (size_t)1 << 32, (unsigned *)(void *)count, NULL, 0),
            "halves_pipelined_reduce_by_key", "n is 4294967296; it must be at most 4294967295");
    ok(cudaGetLastError() == cudaSuccess && tap_buffer_intact(&memory, 0), "refusals write nothing and leave no error");

    ok(gp_reduce_by_key(NULL, NULL, NULL, NULL, 0, count, NULL, 0) == cudaSuccess &&
           gp_inclusive_scan_by_key(NULL, NULL, NULL, 0, NULL, 0) == cudaSuccess &&
           gp_exclusive_scan_by_key(NULL, NULL, NULL, 0, NULL, 0) == cudaSuccess,
       "of nothing nothing else is needed");
    ok(gp_reduce_by_key_workspace_bytes(100) == 0 && gp_reduce_by_key_workspace_bytes(SIZE_MAX) > SIZE_MAX / 1024,
       "a workspace for a tile is empty, for too many items no small one");
    tap_buffer_free(&memory);
}

/* ---- several headers and instances ----------------------------------------------------------- */

/* The default again, and another header, under one name. */
#include <gpuprims/by_key.cuh>
#define GP_NAME words_pipelined
#define GP_TYPE uint32_t
#include <gpuprims/scan.cuh>

static void check_names(void)
{
    static const int keys[] = {7, 7, 7, 2, 5, 5, 7}, in[] = {1, 5, 0, 1, 2, 0, 3};
    static const int want[3][7] = {{6, 1, 2, 3}, {1, 6, 6, 1, 2, 2, 3}, {0, 1, 6, 0, 0, 2, 0}};
    static const int want_keys[] = {7, 2, 5, 7};
    tap_buffer d_keys = tap_buffer_of(keys, sizeof keys, 0), d_in = tap_buffer_of(in, sizeof in, 0);
    tap_buffer d_keys_out = tap_buffer_new(sizeof keys, 0), d_out = tap_buffer_new(sizeof in, 0);
    tap_buffer d_count = tap_buffer_new(sizeof(size_t), 0);
    size_t count = 0;
    int passed = 1, got[7], got_keys[7];

    for (int function = 0; function < RUN_FUNCTIONS; function++) {
        passed &= gp_case.run(function, d_keys.data, d_in.data, d_keys_out.data, d_out.data, 7, d_count.data, NULL, 0) ==
                  cudaSuccess;
        tap_buffer_read(got, &d_out, sizeof got);
        passed &= memcmp(got, want[function], (function == REDUCE_BY_KEY ? 4 : 7) * sizeof *got) == 0;
    }
    tap_buffer_read(got_keys, &d_keys_out, sizeof got_keys);
    tap_buffer_read(&count, &d_count, sizeof count);
    passed &= count == 4 && memcmp(got_keys, want_keys, sizeof want_keys) == 0;
    passed &= words_pipelined_inclusive_scan((const uint32_t *)d_in.data, (uint32_t *)d_out.data, 7, NULL, 0) ==
              cudaSuccess;
    tap_buffer_read(got, &d_out, sizeof got);
    passed &= got[6] == 12;
    ok(passed, "the example of the header, and a scan of the same name");
    tap_buffer_free(&d_keys);
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_keys_out);
    tap_buffer_free(&d_out);
    tap_buffer_free(&d_count);
}

int main(int argc, char **argv)
{
    static const run_case *const cases[] = {
        &gp_case, &bytes_pipelined_case, &bytes_simple_case, &halves_pipelined_case, &shrunk_pipelined_case,
        &longs_pipelined_case, &nans_pipelined_case, &nans_simple_case, &float_keys_pipelined_case,
        &float_keys_simple_case, &matrices_pipelined_case, &matrices_simple_case, &affines_pipelined_case,
        &large_keys_case, &near_pipelined_case, &wide_pipelined_case, &widest_case, &parts_pipelined_case,
        &parts_simple_case, &parts_hasty_pipelined_case, &parts_hasty_simple_case, &asked_pipelined_case,
        &asked_simple_case, &words_lone_pipelined_case, &words_lone_simple_case, &words_pipelined_case};
    uint32_t strangers = 0;

    tap_begin(argc, argv);
    must(cudaMalloc((void **)&d_strangers, sizeof strangers));
    must(cudaMemset(d_strangers, 0, sizeof strangers));

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const run_case *c = cases[k];
        const size_t tile = c->units.tile;

        if (!tap_wants(c->name))
            continue;
        check_sizes(c, tap_small ? (tile < 2500 ? 2 * tile + 1 : 2500) : k == 0 ? 100003 : 3 * tile);
        check_shapes(c, tap_small ? tile + c->units.warp_tile + 5 : 2 * tile + 41);
    }
    if (tap_wants("offsets")) {
        check_offsets(&bytes_simple_case, 77);
        check_offsets(&gp_case, 333);
        check_offsets(&affines_pipelined_case, 133);
    }
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (tap_wants("phases") && cases[k]->units.tile < (tap_small ? 4000 : 8000))
            check_phases(cases[k], tap_small ? 61 : 13);
    if (tap_wants("rounded"))
        for (int shape = 0; shape < RUN_SHAPES; shape += 4)
            check_bits(tap_small ? 7168 + 5 : 3 * 7168 + 5, shape);
    if (tap_wants("workspaces")) {
        check_workspaces(&wide_pipelined_case);
        check_workspaces(&near_pipelined_case);
        check_workspaces(&large_keys_case);
    }
    for (size_t n = 0; tap_wants("computed") && n < 20000; n = n * 5 + 1)
        check_computed(n);
    if (tap_wants("computed"))
        check_computed(3 * 1792);
    if (tap_wants("errors")) {
        check_errors();
        check_names();
    }
#ifdef __CUDACC__
    if (tap_wants("graphs")) {
        check_graphs(&words_pipelined_case, 0);
        check_graphs(&words_pipelined_case, 1);
        check_graphs(&matrices_simple_case, 0);
        check_graphs(&matrices_simple_case, 1);
        check_streams(&words_pipelined_case);
        check_streams(&matrices_simple_case);
        check_streams(&parts_hasty_pipelined_case);
    }
#endif
    fold_check_neighbours("by key");
    must(cudaMemcpy(&strangers, d_strangers, sizeof strangers, cudaMemcpyDeviceToHost));
    ok(strangers == 0, "GP_LOAD sees items alone, GP_EQUAL neighbours");
    must(cudaFree(d_strangers));
    return tap_end();
}
