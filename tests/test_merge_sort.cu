/* merge_sort.cuh and merge.cuh: types and orders of many kinds, stability by index, every shape of a pass. */
/* test options: timeout=300 */
#include "tap.h"

#include <math.h>

/* ---- instances --------------------------------------------------------------------------------- */

/* clang-format off */
typedef struct { uint8_t b[3]; } s3;
typedef struct { int32_t key, index, magic; } s12;
typedef struct { uint64_t index; int64_t key; } __attribute__((aligned(16))) s16a;
typedef struct { int32_t key; uint32_t index; uint64_t rest[5]; } s48;
typedef struct { uint32_t index, rest[62]; uint8_t key; } s256;
typedef struct { uint64_t low, high; } range;
/* clang-format on */

enum { MAGIC = 0x5EED };

/* How often GP_LESS has been called on what is not an item of the input. */
static __device__ unsigned long long strangers;

static __device__ int s12_less(s12 a, s12 b)
{
    if (a.magic != MAGIC || b.magic != MAGIC)
        atomicAdd(&strangers, 1ull);
    return a.key < b.key;
}

#ifdef __cplusplus /* a class with an order of its own needs no GP_LESS */
static __device__ bool operator<(s12 a, s12 b)
{
    return s12_less(a, b);
}
#endif

static __global__ void take_strangers(unsigned long long *count)
{
    *count = strangers;
    strangers = 0;
}

static s12 make_s12(uint64_t k, size_t i)
{
    s12 x = {(int32_t)(k % 1000003) - 500000, (int32_t)i, MAGIC};

    return x;
}

static s48 make_s48(uint64_t k, size_t i)
{
    s48 x = {(int32_t)k, (uint32_t)i, {i, 1, 2, 3, 4}};

    return x;
}

static s256 make_s256(uint64_t k, size_t i)
{
    s256 x;

    memset(&x, (int)i, sizeof x);
    x.index = (uint32_t)i;
    x.key = (uint8_t)k;
    return x;
}

/* Whether an item is in a range known at run time: those come first, and in descending order. */
static __host__ __device__ inline int in_range(uint64_t x, range r)
{
    return x >= r.low && x < r.high;
}

static __device__ inline int range_less(uint64_t a, uint64_t b, range r)
{
    if (in_range(a, r) != in_range(b, r))
        return in_range(a, r);
    return in_range(a, r) && a > b;
}

static range some_range(void)
{
    range r = {(uint64_t)1 << 62, (uint64_t)3 << 62};

    return r;
}

#define CASE i32
#define CASE_TYPE int32_t
#define CASE_MAKE(k, i) ((int32_t)(k))
#define CASE_RANK(x) (x)
#include "merge_case.h"
#define CASE large_u32
#define CASE_KERNEL GP_KERNEL_PIPELINED
#define CASE_TYPE uint32_t
#define CASE_MAKE(k, i) ((uint32_t)(k))
#define CASE_RANK(x) (x)
#include "merge_case.h"
#define CASE f64
#define CASE_KERNEL GP_KERNEL_PIPELINED
#define CASE_TYPE double
#define CASE_MAKE(k, i) ((double)(int64_t)(k) / ((k) % 5 ? 1.0 : 1e9))
#define CASE_RANK(x) (x)
#include "merge_case.h"
#define CASE u32_u32
#define CASE_TYPE uint32_t
#define CASE_VALUE uint32_t
#define CASE_MAKE(k, i) ((uint32_t)(k))
#define CASE_RANK(x) (x)
#include "merge_case.h"
#define CASE down_s3
#define CASE_TYPE int16_t
#define CASE_VALUE s3
#define CASE_LESS(a, b) ((a) > (b))
#define CASE_MAKE(k, i) ((int16_t)(k))
#define CASE_RANK(x) (-(x))
#include "merge_case.h"
#define CASE ranged
#define CASE_TYPE uint64_t
#define CASE_LESS range_less
#define CASE_CONTEXT range
#define CASE_CONTEXT_VALUE some_range()
#define CASE_MAKE(k, i) (((k) & ~(uint64_t)0xFFFFFF) | (uint64_t)(i) % 0xFFFFFF)
#define CASE_RANK(x) (in_range(x, some_range()) ? ~(x) : UINT64_MAX)
#include "merge_case.h"
#define CASE t48
#define CASE_TYPE s48
#define CASE_LESS(a, b) ((a).key < (b).key)
#define CASE_MAKE(k, i) make_s48(k, i)
#define CASE_RANK(x) (x).key
#include "merge_case.h"
#define CASE t256
#define CASE_TYPE s256
#define CASE_LESS(a, b) ((a).key < (b).key)
#define CASE_MAKE(k, i) make_s256(k, i)
#define CASE_RANK(x) (x).key
#include "merge_case.h"

/* Small tiles, so that a few thousand items take many passes, and many rounds of the pipeline that merges. */
#undef GPI_TUNE_MERGE_ITEMS
#undef GPI_TUNE_MERGE_PAIR_ITEMS
#undef GPI_TUNE_MERGE_THREADS
#define GPI_TUNE_MERGE_ITEMS 4
#define GPI_TUNE_MERGE_PAIR_ITEMS 5
#define GPI_TUNE_MERGE_THREADS 32
#undef GPI_TUNE_MERGE_HELPED
#undef GPI_MERGE_COUNTED
#define GPI_TUNE_MERGE_HELPED 100
#define GPI_MERGE_COUNTED 300
#undef GPI_TUNE_MERGE_TWO_ITEMS
#undef GPI_TUNE_MERGE_TWO_WIDE_ITEMS
#undef GPI_TUNE_MERGE_TWO_THREADS
#undef GPI_TUNE_MERGE_TWO_SIMPLE_THREADS
#define GPI_TUNE_MERGE_TWO_ITEMS 3
#define GPI_TUNE_MERGE_TWO_WIDE_ITEMS 5
#define GPI_TUNE_MERGE_TWO_THREADS 64
#define GPI_TUNE_MERGE_TWO_SIMPLE_THREADS 64
#define CASE small_u8
#define CASE_KERNEL GP_KERNEL_PIPELINED
#define CASE_TYPE uint8_t
#define CASE_MAKE(k, i) ((uint8_t)(k))
#define CASE_RANK(x) (x)
#include "merge_case.h"
#define CASE small_f32
#define CASE_KERNEL GP_KERNEL_PIPELINED
#define CASE_TYPE float
#define CASE_MAKE(k, i) ((float)(int32_t)(k))
#define CASE_RANK(x) (x)
#include "merge_case.h"
#define CASE small_s12
#define CASE_KERNEL GP_KERNEL_PIPELINED
#define CASE_TYPE s12
#ifndef __cplusplus
#define CASE_LESS s12_less
#endif
#define CASE_MAKE(k, i) make_s12(k, i)
#define CASE_RANK(x) (x).key
#include "merge_case.h"
#define CASE small_i16_s16a
#define CASE_TYPE int16_t
#define CASE_VALUE s16a
#define CASE_MAKE(k, i) ((int16_t)(k))
#define CASE_RANK(x) (x)
#include "merge_case.h"

#include <gpuprims/merge_sort.cuh>
#include <gpuprims/merge_sort.cuh>
#include <gpuprims/merge.cuh>
#include <gpuprims/merge.cuh>

#include "no_parameters.h"

static const merge_case *const cases[] = {
    &small_s12_case, &small_u8_case, &small_f32_case, &small_i16_s16a_case,
    &i32_case,       &large_u32_case, &f64_case,    &u32_u32_case,   &down_s3_case,
    &ranged_case,    &t48_case,      &t256_case,
};
enum { CASES = sizeof cases / sizeof *cases, SMALL_CASES = 4 };

/* ---- data -------------------------------------------------------------------------------------- */

static const char *const patterns[] = {
    "random", "few distinct", "all equal", "sorted", "reversed", "up and down", "mostly one", "sorted runs",
};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

static uint64_t make_number(int pattern, size_t i, size_t n)
{
    uint64_t random = tap_random(), part = UINT64_MAX / (n + 1);

    switch (pattern) {
    case 1: return (random % 7 + 1) * 0x9E3779B97F4A7C15u;
    case 2: return 0x4234567890ABCDEFu;
    case 3: return i * part;
    case 4: return (n - i) * part;
    case 5: return (i < n / 2 ? i : n - i) * part;
    case 6: return random % 10 ? 0x5555555555555555u : random >> 3;
    case 7: return i % 97 * (UINT64_MAX / 97);
    default: return random;
    }
}

/* ---- the reference ----------------------------------------------------------------------------- */

static const merge_case *reference_case;
static const char *reference_keys;

static int compare_indices(const void *a, const void *b)
{
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    int order = reference_case->compare(reference_keys, i, j);

    return order ? order : i < j ? -1 : i > j;
}

/* Which item comes where, of equal ones in the order of their numbers: that is what stable means. */
static size_t *reference(const merge_case *c, const char *keys, size_t n)
{
    size_t *indices = (size_t *)malloc((n + 1) * sizeof *indices);

    for (size_t i = 0; i < n; i++)
        indices[i] = i;
    reference_case = c;
    reference_keys = keys;
    qsort(indices, n, sizeof *indices, compare_indices);
    return indices;
}

/* Whether `got` has the items of `from` in the order of `indices`. */
static int is_permuted(const tap_buffer *got, const char *from, const size_t *indices, size_t n, size_t bytes)
{
    char *copy = (char *)malloc(n * bytes + 1);
    int passed = 1;

    tap_buffer_read(copy, got, n * bytes);
    for (size_t i = 0; i < n && passed; i++)
        passed = memcmp(copy + i * bytes, from + indices[i] * bytes, bytes) == 0;
    free(copy);
    return passed;
}

/* How often the kernels have asked about what is not an item. */
static unsigned long long count_strangers(void)
{
    unsigned long long count = 0, *d_count;

    must(cudaMalloc((void **)&d_count, sizeof count));
    GP_LAUNCH(take_strangers, 1, 1, 0, 0, d_count);
    must(cudaMemcpy(&count, d_count, sizeof count, cudaMemcpyDeviceToHost));
    must(cudaFree(d_count));
    return count;
}

/* ---- one call against the reference ------------------------------------------------------------ */

enum { KEYS_IN_PLACE = 1, VALUES_IN_PLACE = 2, ODD = 4 };

static int sorts(const merge_case *c, int pattern, size_t n, int how, gp_workspace *ws)
{
    size_t kb = c->key_bytes, vb = c->value_bytes, odd = how & ODD ? 1 : 0;
    char *keys = (char *)malloc(n * kb + 1), *values = (char *)malloc(n * vb + 1);
    int passed = 1;

    for (size_t i = 0; i < n; i++)
        c->make(keys, i, make_number(pattern, i, n), i);
    for (size_t i = 0; i < n * vb; i++)
        values[i] = (char)tap_random();
    size_t *indices = reference(c, keys, n);
    tap_buffer kin = tap_buffer_of(keys, n * kb, odd * c->key_align);
    tap_buffer vin = tap_buffer_of(values, n * vb, odd * c->value_align);
    tap_buffer kout = tap_buffer_new(n * kb, 3 * odd * c->key_align);
    tap_buffer vout = tap_buffer_new(n * vb, 5 * odd * c->value_align);
    tap_buffer *k = how & KEYS_IN_PLACE ? &kin : &kout, *v = how & VALUES_IN_PLACE ? &vin : &vout;

    cudaError_t error = c->sort(kin.data, k->data, vin.data, v->data, n, ws, 0);
    passed &= error == cudaSuccess && is_permuted(k, keys, indices, n, kb) &&
              is_permuted(v, values, indices, n, vb);
    passed &= tap_buffer_intact(&kin, n * kb) && tap_buffer_intact(&vin, n * vb);
    passed &= tap_buffer_intact(&kout, how & KEYS_IN_PLACE ? 0 : n * kb);
    passed &= tap_buffer_intact(&vout, how & VALUES_IN_PLACE ? 0 : n * vb);
    if (!(how & KEYS_IN_PLACE)) { /* the input is as it was */
        char *after = (char *)malloc(n * kb + 1);

        tap_buffer_read(after, &kin, n * kb);
        passed &= memcmp(after, keys, n * kb) == 0;
        free(after);
    }
    if (c == &small_s12_case)
        passed &= count_strangers() == 0;
    if (!passed)
        printf("# %s of %zu items, %s, how %d: %s\n", c->name, n, patterns[pattern], how,
               error == cudaSuccess ? "wrong" : gp_last_error_message());
    tap_buffer_free(&kin);
    tap_buffer_free(&vin);
    tap_buffer_free(&kout);
    tap_buffer_free(&vout);
    free(indices);
    free(keys);
    free(values);
    return passed;
}

static int merges(const merge_case *c, int pattern, size_t na, size_t nb, int odd, gp_workspace *ws)
{
    size_t n = na + nb, kb = c->key_bytes;
    char *keys = (char *)malloc(n * kb + 1), *sorted = (char *)malloc(n * kb + 1);
    int passed = 1;

    for (size_t i = 0; i < n; i++)
        c->make(keys, i, make_number(pattern, i, n), i);
    for (int part = 0; part < 2; part++) {
        size_t first = part ? na : 0, *indices = reference(c, keys + first * kb, part ? nb : na);

        for (size_t i = 0; i < (part ? nb : na); i++)
            memcpy(sorted + (first + i) * kb, keys + (first + indices[i]) * kb, kb);
        free(indices);
    }
    size_t *indices = reference(c, sorted, n);
    tap_buffer a = tap_buffer_of(sorted, na * kb, odd ? c->key_align : 0);
    tap_buffer b = tap_buffer_of(sorted + na * kb, nb * kb, odd ? 3 * c->key_align : 0);
    tap_buffer out = tap_buffer_new(n * kb, odd ? 5 * c->key_align : 0);
    cudaError_t error = c->merge(a.data, na, b.data, nb, out.data, ws, 0);

    passed &=
        error == cudaSuccess && is_permuted(&out, sorted, indices, n, kb) && tap_buffer_intact(&out, n * kb);
    if (c == &small_s12_case)
        passed &= count_strangers() == 0;
    if (!passed)
        printf("# %s: merge of %zu and %zu items, %s: %s\n", c->name, na, nb, patterns[pattern],
               error == cudaSuccess ? "wrong" : gp_last_error_message());
    tap_buffer_free(&a);
    tap_buffer_free(&b);
    tap_buffer_free(&out);
    free(indices);
    free(keys);
    free(sorted);
    return passed;
}

/* ---- tests ------------------------------------------------------------------------------------- */

static void lengths(const merge_case *c)
{
    gp_workspace ws = GP_WORKSPACE_INIT;
    int passed = 1, step = tap_small ? 7 : 1;

    for (size_t n = 0; n <= 300; n += (size_t)step)
        passed &= sorts(c, n % 3 ? 0 : 1, n, n % 2 ? ODD : 0, n % 5 ? &ws : NULL);
    ok(passed, "%s: every length up to 300", c->name);
    passed = 1;
    for (size_t tiles = 1; tiles <= (tap_small ? 1 : 3); tiles++)
        for (size_t more = 0; more < 3; more++) {
            passed &= sorts(c, (int)more % 2, tiles * c->tile - 1 + more, 0, &ws);
            passed &= sorts(c, (int)more % 2, tiles * c->pass_tile - 1 + more, ODD, &ws);
        }
    passed &= sorts(c, 0, 2 * c->pass_tile, 0, &ws); /* a group of whole tiles */
    for (size_t part = c->tile / 16; part <= c->tile && c->tile > 1000; part *= 2) /* two blocks have a tile each */
        for (size_t more = tap_small; more < 3; more++) {
            const int how = more == 2 ? KEYS_IN_PLACE | VALUES_IN_PLACE : (int)(part / 64) & ODD;

            passed &= sorts(c, (int)(part / 64) % PATTERNS, part - 1 + more, how, more ? NULL : &ws);
            passed &= sorts(c, (int)more, part / 2 + tap_below(part / 2), ODD, NULL);
        }
    ok(passed, "%s: around the sizes of tiles", c->name);
    must(gp_workspace_release(&ws, 0));
}

/* Numbers of tiles that need other numbers of passes, in which runs and groups are cut short. */
static void passes(const merge_case *c)
{
    static const size_t tiles[] = {2, 3, 4, 5, 6, 7, 8, 9, 15, 17, 33, 63, 65, 129, 200, 513, 520};
    gp_workspace ws = GP_WORKSPACE_INIT;
    size_t most = tap_small ? 5000 : 80000;
    int passed = 1;

    for (size_t k = 0; k < sizeof tiles / sizeof *tiles && (tiles[k] - 1) * c->tile < most; k++) {
        passed &= sorts(c, 0, tiles[k] * c->tile - tap_below(c->tile), ODD, &ws);
        passed &= sorts(c, (int)k % PATTERNS, (tiles[k] - 1) * c->tile + 1, KEYS_IN_PLACE, &ws);
    }
    ok(passed, "%s: few and many passes", c->name);
    must(gp_workspace_release(&ws, 0));
}

static void data(const merge_case *c)
{
    gp_workspace ws = GP_WORKSPACE_INIT;
    size_t most = c->tile > 1000 ? 3 * c->tile : 20 * c->tile;
    int passed = 1;

    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        passed &= sorts(c, pattern, 777, 0, &ws);
        passed &= sorts(c, pattern, tap_small ? most / 3 : most + tap_below(c->tile), 0, &ws);
    }
    ok(passed, "%s: random, few distinct, equal, sorted, reversed items", c->name);
    must(gp_workspace_release(&ws, 0));
}

static void places(const merge_case *c)
{
    gp_workspace ws = GP_WORKSPACE_INIT;
    int passed = 1;

    for (int how = 0; how < 8; how++)
        if (c->value_bytes || !(how & VALUES_IN_PLACE))
            for (size_t tiles = 1; tiles <= (c->tile > 1000 ? 5 : 40); tiles *= 2)
                passed &= sorts(c, (int)tiles % 2, tiles * c->tile - 5, how, how & ODD ? NULL : &ws);
    ok(passed, "%s: keys and values in place and elsewhere", c->name);
    must(gp_workspace_release(&ws, 0));
}

static void merging(const merge_case *c)
{
    static const size_t counts[] = {0, 1, 2, 31, 100, 1000};
    gp_workspace ws = GP_WORKSPACE_INIT;
    int passed = 1;

    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 6; j++)
            passed &=
                merges(c, (int)(i + j) % PATTERNS, counts[i], counts[j], (int)j % 2, i % 2 ? &ws : NULL);
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        size_t tile = c->merge_tile;

        passed &= merges(c, pattern, tile + tap_below(tile), 2 * tile, 0, &ws);
        passed &= merges(c, pattern, 3 * tile / 2, tile / 2 - (size_t)pattern % 3, 1, &ws);
        passed &= merges(c, pattern, 3, 3 * tile, 0, &ws);
        passed &= merges(c, pattern, 2 * tile + 1, 0, 1, &ws);
        passed &= merges(c, pattern, 9 * tile + 5, tap_below(50 * tile) % 20000, pattern % 2, NULL);
        passed &= merges(c, pattern, 7, tap_below(60 * tile) % 30000, 1, NULL);
    }
    ok(passed, "%s: merges, a before b", c->name);
    must(gp_workspace_release(&ws, 0));
}

/* An order that is none: what comes out is not specified, but it comes out, and nothing else is written. */
static void unordered(void)
{
    enum { N = 9001 };
    float *keys = (float *)malloc(N * sizeof *keys);
    int passed = 1;

    for (int share = 2; share < 50; share *= 3) {
        for (int i = 0; i < N; i++)
            keys[i] = i % share == 1 ? (float)NAN : (float)tap_below(1000);
        tap_buffer in = tap_buffer_of(keys, N * sizeof *keys, 4), out = tap_buffer_new(N * sizeof *keys, 0);
        passed &= small_f32_merge_sort((const float *)in.data, (float *)out.data, N, NULL, 0) == cudaSuccess;
        passed &= small_f32_merge((const float *)in.data, N / 3, (const float *)in.data, N / 2, (float *)out.data,
                                  NULL, 0) == cudaSuccess;
        passed &= tap_buffer_intact(&in, N * sizeof *keys) && tap_buffer_intact(&out, N * sizeof *keys);
        tap_buffer_free(&in);
        tap_buffer_free(&out);
    }
    ok(passed, "floats among which there are NaNs: nothing is overrun");
    free(keys);
}

/* Merges with a workspace of just enough, dirty at first, and of one byte too little. */
static int merge_workspaces(const merge_case *c)
{
    const size_t na = 3 * c->merge_tile + 5, nb = c->merge_tile / 2 + 1, bytes = c->merge_bytes(na, nb);
    tap_buffer memory = tap_buffer_new(bytes, 1), in = tap_buffer_new((na + nb) * c->key_bytes, 0);
    tap_buffer out = tap_buffer_new((na + nb) * c->key_bytes, 0);
    gp_workspace ws = GP_WORKSPACE_INIT;
    int passed = 1;

    must(gp_workspace_wrap(&ws, memory.data, bytes, 0));
    for (int pattern = 0; pattern < 3; pattern++)
        passed &= merges(c, pattern, na, nb, 0, &ws);
    must(gp_workspace_release(&ws, 0));
    passed &= tap_buffer_intact(&memory, bytes);
    if (bytes) {
        must(gp_workspace_wrap(&ws, memory.data, bytes - 1, 0));
        passed &= c->merge(in.data, na, (char *)in.data + na * c->key_bytes, nb, out.data, &ws, 0) ==
                  cudaErrorInvalidValue;
        passed &= tap_buffer_intact(&out, 0);
        must(gp_workspace_release(&ws, 0));
    }
    tap_buffer_free(&memory);
    tap_buffer_free(&in);
    tap_buffer_free(&out);
    return passed;
}

static void workspaces(const merge_case *c)
{
    size_t sizes[] = {1, c->tile, c->tile + 1, 3 * c->tile + 7};
    int passed = 1, monotone = 1;

    for (int k = 0; k < 4; k++) {
        size_t n = sizes[k], bytes = c->bytes(n), kb = n * c->key_bytes, vb = n * c->value_bytes;
        tap_buffer memory = tap_buffer_new(bytes, 1);
        gp_workspace ws = GP_WORKSPACE_INIT;

        must(gp_workspace_wrap(&ws, memory.data, bytes, 0));
        passed &= sorts(c, 0, n, 0, &ws) && sorts(c, 1, n, 0, &ws);
        must(gp_workspace_release(&ws, 0));
        passed &= tap_buffer_intact(&memory, bytes);
        if (bytes) {
            tap_buffer in = tap_buffer_new(kb, 0), out = tap_buffer_new(kb, 0);
            tap_buffer vin = tap_buffer_new(vb, 0), vout = tap_buffer_new(vb, 0);

            must(gp_workspace_wrap(&ws, memory.data, bytes - 1, 0));
            passed &= c->sort(in.data, out.data, vin.data, vout.data, n, &ws, 0) == cudaErrorInvalidValue;
            passed &= tap_buffer_intact(&out, 0) && tap_buffer_intact(&vout, 0);
            must(gp_workspace_release(&ws, 0));
            tap_buffer_free(&in);
            tap_buffer_free(&out);
            tap_buffer_free(&vin);
            tap_buffer_free(&vout);
        }
        tap_buffer_free(&memory);
    }
    if (c->merge)
        passed &= merge_workspaces(c);
    ok(passed, "%s: a workspace of just enough, dirty, and of one byte too little", c->name);
    for (size_t n = 0, last = 0;; n = n < SIZE_MAX / 4 * 3 ? n + n / 3 + 1 : SIZE_MAX) {
        size_t bytes = c->bytes(n),
               merge_bytes = c->merge_bytes ? c->merge_bytes(n, SIZE_MAX - n) : SIZE_MAX;

        monotone &= bytes >= last && merge_bytes == SIZE_MAX;
        if (c->merge_bytes)
            monotone &= c->merge_bytes(n, n) >= c->merge_bytes(n, n / 2) &&
                        c->merge_bytes(n, SIZE_MAX) == SIZE_MAX;
        last = bytes;
        if (n == SIZE_MAX)
            break;
    }
    for (size_t n = 1; n < 700000; n++) /* where tiles become larger, too */
        monotone &= c->bytes(n) >= c->bytes(n - 1);
    ok(monotone, "%s: the workspace grows with n", c->name);
}

#define GP_NAME  few
#define GP_TYPE  uint8_t
#define GP_INDEX uint32_t
#include <gpuprims/merge.cuh>

static void refusals(void)
{
    int *some = NULL, *others = NULL;

    must(cudaMalloc((void **)&some, 1000 * sizeof *some));
    must(cudaMalloc((void **)&others, 1000 * sizeof *others));
    must(cudaMemset(some, 0, 1000 * sizeof *some));
    uint32_t *words = (uint32_t *)some;
#define refused(call, text)                                                                                 \
    ok((call) == cudaErrorInvalidValue && strstr(gp_last_error_message(), text) != NULL, "refused: %s: %s", \
       #call, gp_last_error_message())
    refused(gp_merge_sort(NULL, others, 5, NULL, 0), "gp_merge_sort: in is NULL");
    refused(gp_merge_sort(some, NULL, 5, NULL, 0), "gp_merge_sort: out is NULL");
    refused(u32_u32_merge_sort(NULL, NULL, NULL, NULL, 5, NULL, 0), "u32_u32_merge_sort: kin is NULL");
    refused(u32_u32_merge_sort((uint32_t *)some, (uint32_t *)some, NULL, NULL, 5, NULL, 0), "vin is NULL");
    refused(u32_u32_merge_sort((uint32_t *)some, (uint32_t *)some, (uint32_t *)some, NULL, 5, NULL, 0),
            "vout is NULL");
    refused(gp_merge(NULL, 4, others, 5, some, NULL, 0),
            "gp_merge: a is NULL; it must point to device memory when na is 4");
    refused(gp_merge(others, 5, NULL, 4, some, NULL, 0),
            "gp_merge: b is NULL; it must point to device memory when nb is 4");
    refused(gp_merge(others, 5, NULL, 0, NULL, NULL, 0),
            "gp_merge: out is NULL; it must point to device memory when na + nb is 5");
    refused(gp_merge_sort(some, others, SIZE_MAX, NULL, 0), "gp_merge_sort: n is");
    refused(gp_merge_sort(some, others, ((size_t)1 << 62) + 1, NULL, 0), "gp_merge_sort: n is");
    refused(gp_merge_sort(some, others, (size_t)1 << 46, NULL, 0), "gp_merge_sort: n is");
    refused(gp_merge(some, SIZE_MAX - 1, some, 3, others, NULL, 0), "gp_merge: na + nb is");
    refused(few_merge((uint8_t *)some, (size_t)1 << 31, (uint8_t *)some, (size_t)1 << 31, (uint8_t *)others, NULL, 0),
            "few_merge: na + nb is 4294967296; it must be at most 4294967295");
    ok(few_merge((uint8_t *)some, 400, (uint8_t *)some, 300, (uint8_t *)others, NULL, 0) == cudaSuccess,
       "na + nb fits GP_INDEX");
    refused(gp_merge(some, (size_t)1 << 62, some, 3, others, NULL, 0), "gp_merge: na + nb is");
    refused(gp_merge_sort(some, some + 1, 5, NULL, 0),
            "in and out overlap; they must be equal or apart");
    refused(gp_merge_sort(some + 1, some, 5, NULL, 0), "in and out overlap");
    refused(u32_u32_merge_sort(words, words + 5, words + 10, words + 14, 5, NULL, 0),
            "vin and vout overlap");
    refused(u32_u32_merge_sort(words, words + 9, words + 5, words + 15, 5, NULL, 0),
            "kout and vin overlap");
    refused(u32_u32_merge_sort(words, words + 10, words + 5, words + 4, 5, NULL, 0),
            "kin and vout overlap");
    refused(u32_u32_merge_sort(words, words + 5, words + 20, words + 5, 5, NULL, 0),
            "kout and vout overlap; they must be apart");
    refused(gp_merge(some, 5, some + 5, 5, some, NULL, 0), "a and out overlap; they must be apart");
    refused(gp_merge(some, 5, some + 10, 5, some + 14, NULL, 0), "b and out overlap");
    ok(gp_merge(some, 5, some, 5, some + 5, NULL, 0) == cudaSuccess &&
           gp_merge(NULL, 0, some, 5, some + 5, NULL, 0) == cudaSuccess &&
           gp_merge(some + 5, 0, some, 5, some + 5, NULL, 0) == cudaSuccess &&
           u32_u32_merge_sort(words, words + 5, words, words + 10, 5, NULL, 0) == cudaSuccess &&
           u32_u32_merge_sort(words, words, words + 5, words + 5, 5, NULL, 0) == cudaSuccess,
       "inputs may be the same, neighbours and nothing do not overlap");
#undef refused
    ok(gp_merge_sort(NULL, NULL, 0, NULL, 0) == cudaSuccess &&
           u32_u32_merge_sort(NULL, NULL, NULL, NULL, 0, NULL, 0) == cudaSuccess &&
           gp_merge(NULL, 0, NULL, 0, NULL, NULL, 0) == cudaSuccess,
       "nothing is sorted and merged without any pointers");
    must(cudaFree(some));
    must(cudaFree(others));
}

#ifndef __CUDACC__
/*
 * No memory left: the error comes back, nothing is written, the input is whole, a handle keeps what it had.
 */
static void allocation_refused(const merge_case *c)
{
    size_t n = 3 * c->tile, kb = n * c->key_bytes, vb = n * c->value_bytes, free_bytes, total, after;
    tap_buffer in = tap_buffer_new(kb, 0), out = tap_buffer_new(kb, 0);
    tap_buffer vin = tap_buffer_new(vb, 0), vout = tap_buffer_new(vb, 0);
    gp_cpu_settings settings = gp_cpu;
    gp_workspace ws = GP_WORKSPACE_INIT;
    int passed = 1;

    must(gp_workspace_reserve(&ws, 8, 0));
    void *memory = ws.memory;
    must(cudaMemGetInfo(&free_bytes, &total));
    for (int kept = 0; kept < 2; kept++) {
        gp_cpu.memory_bytes = total - free_bytes + c->bytes(n) - 1;
        passed &= c->sort(in.data, out.data, vin.data, vout.data, n, kept ? &ws : NULL, 0) ==
                  cudaErrorMemoryAllocation;
        passed &= c->sort(in.data, in.data, vin.data, vin.data, n, kept ? &ws : NULL, 0) ==
                  cudaErrorMemoryAllocation;
        gp_cpu = settings;
    }
    passed &= ws.memory == memory && ws.bytes == 8;
    passed &= tap_buffer_intact(&in, 0) && tap_buffer_intact(&vin, 0);
    passed &= tap_buffer_intact(&out, 0) && tap_buffer_intact(&vout, 0);
    must(cudaMemGetInfo(&after, &total));
    passed &= after == free_bytes;
    cudaGetLastError();
    must(gp_workspace_release(&ws, 0));
    ok(passed, "%s without memory returns the error and writes nothing", c->name);
    tap_buffer_free(&in);
    tap_buffer_free(&out);
    tap_buffer_free(&vin);
    tap_buffer_free(&vout);
}
#else
/* A captured sort, and a merge of two parts of what it has sorted, replayed on other data. */
static void graphs(const merge_case *c, int kept)
{
    size_t n = 5 * c->tile + 3, kb = c->key_bytes, vb = c->value_bytes;
    char *keys = (char *)malloc(n * kb), *values = (char *)calloc(n, vb + 1);
    gp_workspace ws = GP_WORKSPACE_INIT;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    int passed = 1;
    tap_buffer in = tap_buffer_new(n * kb, 0), out = tap_buffer_new(n * kb, 0), merged = tap_buffer_new(n * kb, 0);
    tap_buffer vin = tap_buffer_new(n * vb, 0), vout = tap_buffer_new(n * vb, 0);
    const char *second = (const char *)out.data + n / 3 * kb;

    must(cudaStreamCreate(&stream));
    if (kept)
        must(gp_workspace_reserve(&ws, c->bytes(n) + (c->merge ? c->merge_bytes(n / 3, n - n / 3) : 0), stream));
    if (kept && c->merge) /* which clears the handle, so that the captured one uses it */
        must(c->merge(in.data, n / 3, in.data, n / 3, merged.data, &ws, stream));
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    must(c->sort(in.data, out.data, vin.data, vout.data, n, kept ? &ws : NULL, stream));
    if (c->merge)
        must(c->merge(out.data, n / 3, second, n - n / 3, merged.data, kept ? &ws : NULL, stream));
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaGraphInstantiate(&executable, graph, 0));
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        for (size_t i = 0; i < n; i++) {
            c->make(keys, i, make_number(pattern, i, n), i);
            memcpy(values + i * vb, &i, vb < sizeof i ? vb : sizeof i);
        }
        size_t *indices = reference(c, keys, n);
        must(cudaMemcpy(in.data, keys, n * kb, cudaMemcpyHostToDevice));
        must(cudaMemcpy(vin.data, values, n * vb, cudaMemcpyHostToDevice));
        must(cudaGraphLaunch(executable, stream));
        must(cudaStreamSynchronize(stream));
        passed &= is_permuted(&out, keys, indices, n, kb) && is_permuted(&vout, values, indices, n, vb);
        passed &= !c->merge || is_permuted(&merged, keys, indices, n, kb);
        free(indices);
        passed &= sorts(c, 0, n / 2, 0, kept ? &ws : NULL);
    }
    ok(passed, "%s: a captured graph with %s replays right", c->name, kept ? "a kept handle" : "NULL");
    must(cudaGraphExecDestroy(executable));
    must(cudaGraphDestroy(graph));
    must(gp_workspace_release(&ws, stream));
    must(cudaStreamSynchronize(stream));
    must(cudaStreamDestroy(stream));
    tap_buffer_free(&in);
    tap_buffer_free(&out);
    tap_buffer_free(&merged);
    tap_buffer_free(&vin);
    tap_buffer_free(&vout);
    free(keys);
    free(values);
}

static __global__ void fill_huge(int16_t *keys, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        keys[i] = (int16_t)((i * 0x9E3779B97F4A7C15u) >> 53);
}

/* counts[k] += how many keys are k; counts[2048] += how many come after a smaller one. */
static __global__ void look_at_huge(const int16_t *keys, const s3 *numbers, size_t n,
                                    unsigned long long *counts)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        if (i % 64 == 0)
            atomicAdd(&counts[keys[i]], 1ull);
        if (i && keys[i] > keys[i - 1])
            atomicAdd(&counts[2048], 1ull);
    }
    (void)numbers;
}

/* More items than 32 bits can count, in descending order. */
static void huge(void)
{
    size_t n = ((size_t)1 << 32) + 54321, free_bytes = 0, total = 0;
    unsigned long long *counts, host[2049], expected = 0;
    int16_t *keys;
    s3 *values;
    int passed;

    must(cudaMemGetInfo(&free_bytes, &total));
    if (tap_small || free_bytes < (size_t)64 << 30) {
        ok(1, "more than 2^32 items # SKIP not enough memory");
        return;
    }
    must(cudaMalloc((void **)&keys, n * sizeof *keys));
    must(cudaMalloc((void **)&values, n * sizeof *values));
    must(cudaMalloc((void **)&counts, sizeof host));
    must(cudaMemset(counts, 0, sizeof host));
    must(cudaMemset(values, 0, n * sizeof *values));
    fill_huge<<<1024, 256>>>(keys, n);
    must(down_s3_merge_sort(keys, keys, values, values, n, NULL, 0));
    look_at_huge<<<1024, 256>>>(keys, values, n, counts);
    must(cudaMemcpy(host, counts, sizeof host, cudaMemcpyDeviceToHost));
    passed = host[2048] == 0;
    expected = (n + 63) / 64 / 2048;
    for (int k = 0; k < 2048; k++) /* each key is there as often as any other */
        passed &= host[k] + expected / 100 >= expected && host[k] <= expected + expected / 100;
    ok(passed, "more than 2^32 items");
    must(cudaFree(keys));
    must(cudaFree(values));
    must(cudaFree(counts));
}
#endif

int main(int argc, char **argv)
{
    tap_begin(argc, argv);
    refusals();
    unordered();
    for (int i = 0; i < CASES; i++) {
        if (!tap_wants(cases[i]->name))
            continue;
        lengths(cases[i]);
        data(cases[i]);
        places(cases[i]);
        if (i < SMALL_CASES)
            passes(cases[i]);
        if (cases[i]->merge)
            merging(cases[i]);
        workspaces(cases[i]);
#ifndef __CUDACC__
        allocation_refused(cases[i]);
#else
        graphs(cases[i], i % 2);
#endif
    }
#ifdef __CUDACC__
    huge();
#endif
    return tap_end();
}
