/* scan.cuh: every function, many types and operators, against a plain loop. */
#include <limits.h>

#include "fold_check.h"

#define CASE_SCAN

/* ---- ready operators ------------------------------------------------------------------------- */

#define CASE       sum_i32
#define CASE_TYPE  int
#define CASE_OP    GP_SUM
#define CASE_REF   ref_sum
#define CASE_EMPTY 0
#define CASE_INIT  -77
#define CASE_MAKE  (int)r
#include "fold_case.h"

#define CASE       sum_u8
#define CASE_TYPE  uint8_t
#define CASE_OP    GP_SUM
#define CASE_REF   ref_sum
#define CASE_EMPTY 0
#define CASE_INIT  200
#define CASE_MAKE  (uint8_t)r
#include "fold_case.h"

#define CASE       min_i16
#define CASE_TYPE  int16_t
#define CASE_OP    GP_MIN
#define CASE_REF   ref_min
#define CASE_EMPTY INT16_MAX
#define CASE_INIT  5
#define CASE_MAKE  (int16_t)(30000 - (int)i % 16384 + (int)(r % 64))
#include "fold_case.h"

#define CASE       product_i64
#define CASE_TYPE  int64_t
#define CASE_OP    GP_PRODUCT
#define CASE_REF   ref_product
#define CASE_EMPTY 1
#define CASE_INIT  -3
#define CASE_MAKE  (int64_t)(r | 1)
#include "fold_case.h"

#define CASE       sum_f32
#define CASE_TYPE  float
#define CASE_OP    GP_SUM
#define CASE_REF   ref_sum
#define CASE_EMPTY 0
#define CASE_INIT  1024
#define CASE_MAKE  (float)small_number(r)
#include "fold_case.h"

static int same_f64(const double *a, const double *b)
{
    return (is_nan(*a) && is_nan(*b)) || memcmp(a, b, sizeof *a) == 0;
}

#define CASE       max_f64
#define CASE_TYPE  double
#define CASE_OP    GP_MAX
#define CASE_REF   ref_max
#define CASE_EMPTY (-__builtin_inf())
#define CASE_INIT  -0.0
#define CASE_MAKE  awkward_number(r)
#define CASE_SAME  same_f64
#include "fold_case.h"

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define HALVES
typedef __half half_type;
typedef __nv_bfloat16 bfloat_type;
#elif defined __FLT16_MANT_DIG__
#define HALVES
typedef _Float16 half_type;
typedef _Float16 bfloat_type;
#endif

#ifdef HALVES
static half_type sum_of_halves(half_type a, half_type b)
{
    return (half_type)((float)a + (float)b);
}

static bfloat_type max_of_bfloats(bfloat_type a, bfloat_type b)
{
    return (bfloat_type)(float)ref_max((float)a, (float)b);
}

static int same_bfloat(const bfloat_type *a, const bfloat_type *b)
{
    return (is_nan((float)*a) && is_nan((float)*b)) || memcmp(a, b, sizeof *a) == 0;
}

/* Exact: sums that a half holds. */
#define CASE       sum_f16
#define CASE_TYPE  half_type
#define CASE_OP    GP_SUM
#define CASE_REF   sum_of_halves
#define CASE_EMPTY (half_type)0.0f
#define CASE_INIT  (half_type)100.0f
#define CASE_MAKE  (half_type)(r % 16 ? 0.0f : r % 32 ? 1.0f : -1.0f)
#include "fold_case.h"

#define CASE       max_bf16
#define CASE_TYPE  bfloat_type
#define CASE_OP    GP_MAX
#define CASE_REF   max_of_bfloats
#define CASE_EMPTY (bfloat_type)-__builtin_inff()
#define CASE_INIT  (bfloat_type)-0.0f
#define CASE_MAKE  (bfloat_type)(i % 64 == 63 ? (float)awkward_number(r) : (float)(int)(i / 8) - (float)(r % 8))
#define CASE_SAME  same_bfloat
#include "fold_case.h"
#endif

#define CASE       xor_i128
#define CASE_TYPE  __int128
#define CASE_OP    GP_XOR
#define CASE_REF   ref_xor
#define CASE_EMPTY 0
#define CASE_INIT  (-(__int128)5)
#define CASE_MAKE  (__int128)r * (__int128)(r >> 7)
#include "fold_case.h"

#define CASE       or_bool
#define CASE_TYPE  bool
#define CASE_OP    GP_OR
#define CASE_REF   ref_or
#define CASE_EMPTY false
#define CASE_MAKE  r % 300 == 0
#include "fold_case.h"

/* ---- structs, and operators that do not commute ---------------------------------------------- */

#define CASE          affine3
#define CASE_TYPE     affine
#define CASE_OP       affine_then
#define CASE_REF      affine_then
/* clang-format off */
#define CASE_IDENTITY {1, 0, 0}
/* clang-format on */
static affine affine_identity(void)
{
    affine f = CASE_IDENTITY;

    return f;
}
#define CASE_EMPTY affine_identity()
#define CASE_INIT  make_affine(0x1703)
#define CASE_MAKE  make_affine(r)
#include "fold_case.h"

/* The operator as a function-like macro. */
#define CASE              triangle12
#define CASE_TYPE         triangle
#define CASE_OP           TRIANGLE_MULTIPLY
#define TRIANGLE_MULTIPLY(a, b) triangle_multiply((a), (b))
#define CASE_REF          triangle_multiply
#define CASE_IDENTITY     triangle_identity()
static __host__ __device__ inline triangle triangle_identity(void)
{
    triangle x = {1, 0, 1};

    return x;
}
#define CASE_EMPTY triangle_identity()
#define CASE_INIT  make_triangle(0x123456789)
#define CASE_MAKE  make_triangle(r)
#include "fold_case.h"

static __host__ __device__ inline matrix matrix_identity(void)
{
    matrix x = {{1, 0, 0, 1}};

    return x;
}

#define CASE          matrix16
#define CASE_TYPE     matrix
#define CASE_OP       matrix_multiply
#define CASE_REF      matrix_multiply
#define CASE_IDENTITY matrix_identity()
#define CASE_EMPTY    matrix_identity()
#define CASE_INIT     make_matrix(0x98765432101)
#define CASE_MAKE     make_matrix(r)
#include "fold_case.h"

static __host__ __device__ inline matrices3 matrices3_identity(void)
{
    matrices3 x = {{{{1, 0, 0, 1}}, {{1, 0, 0, 1}}, {{1, 0, 0, 1}}}};

    return x;
}

#define CASE          matrices48
#define CASE_TYPE     matrices3
#define CASE_OP       matrices3_multiply
#define CASE_REF      matrices3_multiply
#define CASE_IDENTITY matrices3_identity()
#define CASE_EMPTY    matrices3_identity()
#define CASE_INIT     make_matrices3(0x98765432101)
#define CASE_MAKE     make_matrices3(r)
#include "fold_case.h"

static __host__ __device__ inline matrices8 matrices8_identity(void)
{
    matrices8 x;

    for (int i = 0; i < 8; i++)
        x.at[i] = matrix_identity();
    return x;
}

#define CASE          matrices128
#define CASE_TYPE     matrices8
#define CASE_OP       matrices8_multiply
#define CASE_REF      matrices8_multiply
#define CASE_IDENTITY matrices8_identity()
#define CASE_EMPTY    matrices8_identity()
#define CASE_INIT     make_matrices8(0x98765432101)
#define CASE_MAKE     make_matrices8(r)
#include "fold_case.h"

static __host__ __device__ inline matrices16 matrices16_identity(void)
{
    matrices16 x;

    for (int i = 0; i < 16; i++)
        x.at[i] = matrix_identity();
    return x;
}

#define CASE          matrices256
#define CASE_TYPE     matrices16
#define CASE_OP       matrices16_multiply
#define CASE_REF      matrices16_multiply
#define CASE_IDENTITY matrices16_identity()
#define CASE_EMPTY    matrices16_identity()
#define CASE_INIT     make_matrices16(0x98765432101)
#define CASE_MAKE     make_matrices16(r)
#include "fold_case.h"

/* ---- ranges: who is called on what ----------------------------------------------------------- */

/* An identity that is nobody's neighbour. */
#define CASE          ranges4
#define CASE_TYPE     range4
#define CASE_OP       join4
#define CASE_REF      span_range4
/* clang-format off */
#define CASE_IDENTITY {60000, 50000}
/* clang-format on */
static range4 nobody4(void)
{
    range4 x = CASE_IDENTITY;

    return x;
}
#define CASE_EMPTY nobody4()
#define CASE_INIT  make_range4(SIZE_MAX)
#define CASE_MAKE  make_range4(i)
#include "fold_case.h"

#define CASE          ranges8
#define CASE_TYPE     range8
#define CASE_OP       join8
#define CASE_REF      span_range8
/* clang-format off */
#define CASE_IDENTITY {4000000000u, 3000000000u}
/* clang-format on */
static range8 nobody8(void)
{
    range8 x = CASE_IDENTITY;

    return x;
}
#define CASE_EMPTY nobody8()
#define CASE_INIT  make_range8(SIZE_MAX)
#define CASE_MAKE  make_range8(i)
#include "fold_case.h"

#define CASE          ranges16
#define CASE_TYPE     range16
#define CASE_OP       join16
#define CASE_REF      span_range16
/* clang-format off */
#define CASE_IDENTITY {UINT64_MAX / 2, UINT64_MAX / 3}
/* clang-format on */
static range16 nobody16(void)
{
    range16 x = CASE_IDENTITY;

    return x;
}
#define CASE_EMPTY nobody16()
#define CASE_INIT  make_range16(SIZE_MAX)
#define CASE_MAKE  make_range16(i)
#include "fold_case.h"

static __host__ __device__ inline range128 nobody128(void)
{
    range128 x;

    memset(&x, 0, sizeof x);
    x.first = UINT64_MAX / 2;
    x.last = UINT64_MAX / 3;
    return x;
}

#define CASE          ranges128
#define CASE_TYPE     range128
#define CASE_OP       join128
#define CASE_REF      span_range128
#define CASE_IDENTITY nobody128()
#define CASE_EMPTY    nobody128()
#define CASE_INIT     make_range128(SIZE_MAX)
#define CASE_MAKE     make_range128(i)
#include "fold_case.h"

/* ---- what is read is not what is folded ------------------------------------------------------ */

#define CASE       wide_sum
#define CASE_TYPE  uint64_t
#define CASE_INPUT uint8_t
#define CASE_OP    GP_SUM
#define CASE_REF   ref_sum
#define CASE_EMPTY 0
#define CASE_INIT  ((uint64_t)1 << 40)
#define CASE_MAKE  (uint8_t)r
#include "fold_case.h"

/* Input and output of one size: in place is allowed. */
#define CASE       squares
#define CASE_TYPE  int64_t
#define CASE_INPUT double
#define CASE_OP    GP_SUM
#define CASE_REF   ref_sum
#define CASE_EMPTY 0
#define CASE_INIT  9
#define CASE_MAKE  small_number(r)
#define CASE_LOAD(x) ((int64_t)((x) * (x)))
#include "fold_case.h"

/* What is read is larger: a warp tile has fewer items than there is room for results. */
#define CASE       narrow_sum
#define CASE_TYPE  int
#define CASE_INPUT int64_t
#define CASE_OP    GP_SUM
#define CASE_REF   ref_sum
#define CASE_EMPTY 0
#define CASE_INIT  4
#define CASE_MAKE  (int64_t)(int)r
#include "fold_case.h"

#define CASE       narrow_max
#define CASE_TYPE  int64_t
#define CASE_INPUT __int128
#define CASE_OP    GP_MAX
#define CASE_REF   ref_max
#define CASE_EMPTY INT64_MIN
#define CASE_INIT  -1
#define CASE_MAKE  (__int128)(int64_t)(i * 1000 + r % 4096) - 1000000
#include "fold_case.h"

/* A tile is one warp tile. */
typedef struct page {
    int at[256];
} page;

static __host__ __device__ inline int first_and_last(page x)
{
    return x.at[0] ^ x.at[255];
}

static page make_page(uint64_t r)
{
    page x;

    for (int i = 0; i < 256; i++)
        x.at[i] = (int)(r >> i % 32);
    return x;
}

#define CASE       pages
#define CASE_TYPE  int
#define CASE_INPUT page
#define CASE_OP    GP_SUM
#define CASE_REF   ref_sum
#define CASE_EMPTY 0
#define CASE_INIT  -3
#define CASE_MAKE  make_page(r)
#define CASE_LOAD  first_and_last
#include "fold_case.h"

typedef struct record {
    uint8_t key, unused[4];
} record;

typedef struct weights {
    int scale, offset;
} weights;

static __host__ __device__ inline int weigh(record x, weights w)
{
    return x.key * w.scale + w.offset;
}

static record make_record(uint64_t r)
{
    record x = {(uint8_t)r, {1, 2, 3, 4}};

    return x;
}

static const weights some_weights = {3, -11};

#define CASE               weighed
#define CASE_TYPE          int
#define CASE_INPUT         record
#define CASE_OP            GP_MAX
#define CASE_REF           ref_max
#define CASE_EMPTY         INT_MIN
#define CASE_MAKE          make_record(r)
#define CASE_LOAD          weigh
#define CASE_CONTEXT       weights
#define CASE_CONTEXT_VALUE some_weights
#include "fold_case.h"

/* ---- bits ------------------------------------------------------------------------------------ */

#define GP_NAME real
#define GP_TYPE float
#include <gpuprims/scan.cuh>

#define GP_NAME reals
#define GP_TYPE double
#define GP_OP   GP_PRODUCT
#include <gpuprims/scan.cuh>

static void run_reals(int function, int wide, const void *in, void *out, size_t n, cudaStream_t stream)
{
    if (wide)
        must(function == INCLUSIVE ? reals_inclusive_scan((const double *)in, (double *)out, n, NULL, stream)
                                   : reals_exclusive_scan_init((const double *)in, (double *)out, n, 0.75,
                                                               NULL, stream));
    else
        must(function == INCLUSIVE ? real_inclusive_scan((const float *)in, (float *)out, n, NULL, stream)
                                   : real_exclusive_scan_init((const float *)in, (float *)out, n, 0.75f,
                                                              NULL, stream));
}

/* The same bits whatever the alignment, stream, schedule and number of resident blocks. */
static void same_bits(int function, int wide, size_t n)
{
    size_t item = wide ? sizeof(double) : sizeof(float), bytes = n * item;
    char *in = (char *)malloc(bytes), *first = (char *)malloc(bytes), *got = (char *)malloc(bytes);
    cudaStream_t stream;
    int passed = 1;

    for (size_t i = 0; i < n; i++) {
        double x = (double)(int64_t)tap_random() * 0x1p-63;

        if (wide)
            ((double *)in)[i] = 1 + x / 1024;
        else
            ((float *)in)[i] = (float)x;
    }
    must(cudaStreamCreate(&stream));
    for (int round = 0; round < 6; round++) {
        size_t offset = (size_t)round * item;
        tap_buffer d_in = tap_buffer_of(in, bytes, offset), d_out = tap_buffer_new(bytes, 5 * item - offset);
#ifndef __CUDACC__
        gp_cpu_settings before = gp_cpu;

        gp_cpu.seed = before.seed + (unsigned)round;
        gp_cpu.resident_blocks = 1 + round;
#endif
        run_reals(function, wide, d_in.data, d_out.data, n, round % 2 ? stream : 0);
        must(cudaStreamSynchronize(stream));
#ifndef __CUDACC__
        gp_cpu = before;
#endif
        tap_buffer_read(round ? got : first, &d_out, bytes);
        passed &= round == 0 || memcmp(first, got, bytes) == 0;
        tap_buffer_free(&d_in);
        tap_buffer_free(&d_out);
    }
    must(cudaStreamDestroy(stream));
    ok(passed, "%s of %zu %s: the same bits in every run", fold_names[function], n,
       wide ? "doubles" : "floats");
    free(in);
    free(first);
    free(got);
}

#define GP_NAME longs
#define GP_TYPE int64_t
#include <gpuprims/scan.cuh>

/*
 * Few integers are scanned in smaller tiles, so that all multiprocessors have as much to do: tiles of each size that
 * there is, and the numbers of items around which the size changes with 132 multiprocessors.
 */
static void tiles_of_every_size(void)
{
    enum { warp_tile = 448 };
    static const size_t all[] = {9, 40, 81, 147, 161, 1600, 293, 586, 700, 900, 1056, 1057, 1171, 2112, 2113};
    const size_t sizes = tap_small ? 6 : sizeof all / sizeof *all;
#ifdef __CUDACC__
    const size_t counts = 1;
#else
    static const int multiprocessors[] = {160, 132, 1, 3, 5, 6, 7, 8, 10, 13, 20};
    const size_t counts = sizeof multiprocessors / sizeof *multiprocessors;
#endif

    for (size_t k = 0; k < sizes; k++) {
        const size_t n = all[k] * warp_tile - 5, bytes = n * sizeof(int64_t);
        int64_t *in = (int64_t *)malloc(bytes), *got = (int64_t *)malloc(bytes);
        const size_t room = longs_inclusive_scan_workspace_bytes(n);
        tap_buffer d_in, d_out, memory;
        int passed = 1;

        for (size_t i = 0; i < n; i++)
            in[i] = (int64_t)tap_random();
        d_in = tap_buffer_of(in, bytes, sizeof *in); /* misaligned: the kernel for aligned ones has no such tiles */
        for (size_t c = 0; c < counts && (c == 0 || !tap_small || all[k] < 1000); c++) {
            gp_workspace ws = GP_WORKSPACE_INIT;
            uint64_t sum = 0;
#ifndef __CUDACC__
            const gp_cpu_settings before = gp_cpu;

            gp_cpu.resident_blocks = multiprocessors[c];
#endif
            d_out = tap_buffer_new(bytes, sizeof *in);
            memory = tap_buffer_new(room, 0);
            must(gp_workspace_wrap(&ws, memory.data, room, 0));
            must(longs_inclusive_scan((const int64_t *)d_in.data, (int64_t *)d_out.data, n, &ws, 0));
#ifndef __CUDACC__
            gp_cpu = before;
#endif
            tap_buffer_read(got, &d_out, bytes);
            for (size_t i = 0; i < n; i++) {
                sum += (uint64_t)in[i];
                passed &= (uint64_t)got[i] == sum;
            }
            passed &= tap_buffer_intact(&d_out, bytes) && tap_buffer_intact(&memory, room);
            tap_buffer_free(&d_out);
            tap_buffer_free(&memory);
        }
        ok(passed, "8-byte integers: %zu warp tiles, in tiles of any size", all[k]);
        tap_buffer_free(&d_in);
        free(in);
        free(got);
    }
}

#ifdef __CUDACC__
/* More items than 32 bits count: the sums of bytes that are all one. */
#define GP_NAME ones
#define GP_TYPE uint8_t
#include <gpuprims/scan.cuh>

static void beyond_32_bits(void)
{
    size_t n = ((size_t)1 << 33) + 12345, free_bytes, total_bytes, chunk = (size_t)1 << 26;
    uint8_t *d = NULL, *host = (uint8_t *)malloc(chunk);
    int passed = 1;

    must(cudaMemGetInfo(&free_bytes, &total_bytes));
    if (free_bytes < n + n / 4)
        n = ((size_t)1 << 32) + 12345;
    if (tap_small || free_bytes < n + n / 4) {
        ok(1, "a scan of more than 2^32 bytes # SKIP %s", tap_small ? "--small" : "too little memory");
        free(host);
        return;
    }
    must(cudaMalloc((void **)&d, n));
    must(cudaMemset(d, 1, n));
    must(ones_inclusive_scan(d, d, n, NULL, 0));
    for (size_t base = 0; base < n; base += chunk) {
        size_t items = n - base < chunk ? n - base : chunk;

        must(cudaMemcpy(host, d + base, items, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < items; i++)
            passed &= host[i] == (uint8_t)(base + i + 1);
    }
    ok(passed, "a scan of %zu bytes, in place", n);
    must(cudaFree(d));
    free(host);
}
#endif

static void all_functions(const fold_case *c, size_t limit)
{
    for (int function = INCLUSIVE; function <= EXCLUSIVE_INIT; function++)
        fold_check_sizes(c, function, limit);
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv);

    size_t all = 10007, some = tap_small ? 2049 : 5003;

    all_functions(&sum_i32_case, all);
    all_functions(&sum_u8_case, all);
    all_functions(&min_i16_case, some);
    all_functions(&product_i64_case, some);
    all_functions(&sum_f32_case, some);
    all_functions(&max_f64_case, some);
#ifdef HALVES
    all_functions(&sum_f16_case, some);
    all_functions(&max_bf16_case, some);
#endif
    all_functions(&xor_i128_case, some);
    all_functions(&or_bool_case, some);
    all_functions(&affine3_case, all);
    all_functions(&triangle12_case, some);
    all_functions(&matrix16_case, some);
    all_functions(&matrices48_case, some);
    all_functions(&matrices128_case, 1281);
    all_functions(&matrices256_case, 513);
    all_functions(&wide_sum_case, some);
    all_functions(&squares_case, some);
    all_functions(&narrow_sum_case, some);
    all_functions(&narrow_max_case, some);
    all_functions(&pages_case, 513);
    all_functions(&weighed_case, some);

    all_functions(&ranges4_case, all);
    fold_check_neighbours("4 bytes");
    all_functions(&ranges8_case, some);
    fold_check_neighbours("8 bytes");
    all_functions(&ranges16_case, some);
    fold_check_neighbours("16 bytes");
    all_functions(&ranges128_case, 1281);
    fold_check_neighbours("128 bytes");

    /* Tiles of large items are small: here are more than one block scans at a time. */
    for (int function = INCLUSIVE; function <= EXCLUSIVE_INIT; function++) {
        fold_check_large(&matrices128_case, function, 4231);
        fold_check_large(&matrices256_case, function, 4231);
        fold_check_large(&ranges128_case, function, 9001);
    }
    fold_check_neighbours("9001 ranges of 128 bytes");

    for (int function = INCLUSIVE; function <= EXCLUSIVE_INIT; function++) {
        fold_check_offsets(&sum_u8_case, function, 77, 16, 16);
        fold_check_offsets(&wide_sum_case, function, 2063, 16, 2);
        fold_check_offsets(&affine3_case, function, 4200, 4, 4);
        fold_check_offsets(&matrix16_case, function, 300, 8, 8);
    }
    fold_check_offsets(&sum_i32_case, INCLUSIVE, 4129, 4, 4);

    if (!tap_small) {
        fold_check_large(&sum_i32_case, EXCLUSIVE, ((size_t)1 << 20) + 7);
        fold_check_large(&sum_u8_case, INCLUSIVE, ((size_t)1 << 18) + 9);
        fold_check_large(&matrices48_case, EXCLUSIVE_INIT, ((size_t)1 << 16) + 259);
        fold_check_large(&ranges16_case, INCLUSIVE, ((size_t)1 << 17) + 1);
        fold_check_neighbours("131073 ranges");
    }

    for (int wide = 0; wide < 2; wide++) {
        same_bits(INCLUSIVE, wide, 333);
        same_bits(EXCLUSIVE_INIT, wide, 333);
        same_bits(INCLUSIVE, wide, 33333);
        same_bits(EXCLUSIVE_INIT, wide, 33333);
    }
    tiles_of_every_size();
#ifdef __CUDACC__
    beyond_32_bits();
#endif
    return tap_end();
}
