/* reduce.cuh: many types and operators, all ready ones, against a plain loop. */
#include <limits.h>

#include "fold_check.h"

#define CASE_REDUCE

/* ---- all ready operators on all arithmetic types --------------------------------------------- */

static void ready_check(const fold_case *c)
{
    static const size_t sizes[] = {0, 1, 2, 31, 33, 257, 4099};
    int passed = 1;

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        fold_place place = {k, 3 * k, 0, NULL, 0};

        passed &= fold_check(c, REDUCE, sizes[k], place);
    }
    ok(passed, "%s: reduce, of nothing too", c->name);
}

#define READY         i8
#define READY_TYPE    int8_t
#define READY_ANY     (int8_t)r
#define READY_LOWEST  INT8_MIN
#define READY_HIGHEST INT8_MAX
#include "ready_cases.h"

#define READY         u8
#define READY_TYPE    uint8_t
#define READY_ANY     (uint8_t)r
#define READY_LOWEST  0
#define READY_HIGHEST UINT8_MAX
#include "ready_cases.h"

#define READY         i16
#define READY_TYPE    int16_t
#define READY_ANY     (int16_t)r
#define READY_LOWEST  INT16_MIN
#define READY_HIGHEST INT16_MAX
#include "ready_cases.h"

#define READY         u16
#define READY_TYPE    uint16_t
#define READY_ANY     (uint16_t)r
#define READY_LOWEST  0
#define READY_HIGHEST UINT16_MAX
#include "ready_cases.h"

/* All below zero, and all odd. */
#define READY         i32
#define READY_TYPE    int32_t
#define READY_ANY     ((int32_t)(r | 1) | INT32_MIN)
#define READY_LOWEST  INT32_MIN
#define READY_HIGHEST INT32_MAX
#include "ready_cases.h"

#define READY         u32
#define READY_TYPE    uint32_t
#define READY_ANY     (uint32_t)(r | 1)
#define READY_LOWEST  0
#define READY_HIGHEST UINT32_MAX
#include "ready_cases.h"

#define READY         i64
#define READY_TYPE    int64_t
#define READY_ANY     (int64_t)(r | 1)
#define READY_LOWEST  INT64_MIN
#define READY_HIGHEST INT64_MAX
#include "ready_cases.h"

#define READY         u64
#define READY_TYPE    uint64_t
#define READY_ANY     (r | 1)
#define READY_LOWEST  0
#define READY_HIGHEST UINT64_MAX
#include "ready_cases.h"

/* The reference compares in long double: minima and maxima of 64 bits. */
#define READY         i128
#define READY_TYPE    __int128
#define READY_ANY     (__int128)(int64_t)(r | 1)
#define READY_FACTOR  (((__int128)r << 63) | 1)
#define READY_LOWEST  ((__int128)1 << 127)
#define READY_HIGHEST (~((__int128)1 << 127))
#include "ready_cases.h"

typedef unsigned __int128 u128_t;
#define READY         u128
#define READY_TYPE    u128_t
#define READY_ANY     (u128_t)(r | 1)
#define READY_FACTOR  (((u128_t)r << 63) | 1)
#define READY_LOWEST  0
#define READY_HIGHEST (~(u128_t)0)
#include "ready_cases.h"

/* Sum and product of truth values are or and and. */
#define READY         truth
#define READY_TYPE    bool
#define READY_ANY     ((r >> 7) % 2 != 0)
#define READY_TERM    (r % 5000 == 0)
#define READY_FACTOR  (r % 5000 != 0)
#define READY_PRODUCT ref_and
#define READY_LOWEST  false
#define READY_HIGHEST true
#include "ready_cases.h"

static int same_f32(const float *a, const float *b)
{
    return (is_nan(*a) && is_nan(*b)) || memcmp(a, b, sizeof *a) == 0;
}

static int same_f64(const double *a, const double *b)
{
    return (is_nan(*a) && is_nan(*b)) || memcmp(a, b, sizeof *a) == 0;
}

#define READY         f32
#define READY_TYPE    float
#define READY_ANY     (float)awkward_number(r)
#define READY_TERM    (float)small_number(r)
#define READY_FACTOR  (float)power_of_two(i, r)
#define READY_LOWEST  -__builtin_inf()
#define READY_HIGHEST __builtin_inf()
#define READY_SAME    same_f32
#define READY_FLOATING
#include "ready_cases.h"

#define READY         f64
#define READY_TYPE    double
#define READY_ANY     awkward_number(r)
#define READY_TERM    small_number(r)
#define READY_FACTOR  power_of_two(i, r)
#define READY_LOWEST  -__builtin_inf()
#define READY_HIGHEST __builtin_inf()
#define READY_SAME    same_f64
#define READY_FLOATING
#include "ready_cases.h"

/* ---- floats of two bytes: sums and products that they hold exactly ------------------------------ */

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define HALVES
typedef __half half_type;
#elif defined __FLT16_MANT_DIG__
#define HALVES
typedef _Float16 half_type;
#endif

#ifdef HALVES
#define HALF_CASES(type)                                                                           \
    static int same_##type(const type *a, const type *b)                                           \
    {                                                                                              \
        return (is_nan((float)*a) && is_nan((float)*b)) || memcmp(a, b, sizeof *a) == 0;           \
    }                                                                                              \
    static type type##_sum(type a, type b)                                                         \
    {                                                                                              \
        return (type)((float)a + (float)b);                                                        \
    }                                                                                              \
    static type type##_product(type a, type b)                                                     \
    {                                                                                              \
        return (type)((float)a * (float)b);                                                        \
    }                                                                                              \
    static type type##_min(type a, type b)                                                         \
    {                                                                                              \
        return (type)(float)ref_min((float)a, (float)b);                                           \
    }                                                                                              \
    static type type##_max(type a, type b)                                                         \
    {                                                                                              \
        return (type)(float)ref_max((float)a, (float)b);                                           \
    }
#define FACTOR(i, r) ((i) % 2 ? (r) % 2 ? 2.0f : -2.0f : (r) % 2 ? 0.5f : -0.5f)
HALF_CASES(half_type)

#define CASE       f16_sum
#define CASE_TYPE  half_type
#define CASE_OP    GP_SUM
#define CASE_REF   half_type_sum
#define CASE_EMPTY (half_type)0.0f
#define CASE_MAKE  (half_type)(r % 16 ? 0.0f : r % 32 ? 1.0f : -1.0f)
#include "fold_case.h"

#define CASE       f16_product
#define CASE_TYPE  half_type
#define CASE_OP    GP_PRODUCT
#define CASE_REF   half_type_product
#define CASE_EMPTY (half_type)1.0f
#define CASE_MAKE  (half_type)FACTOR(i, r)
#include "fold_case.h"

#define CASE       f16_min
#define CASE_TYPE  half_type
#define CASE_OP    GP_MIN
#define CASE_REF   half_type_min
#define CASE_EMPTY (half_type)__builtin_inff()
#define CASE_MAKE  (half_type)((float)awkward_number(r) / 65536)
#define CASE_SAME  same_half_type
#include "fold_case.h"

#define CASE       f16_max
#define CASE_TYPE  half_type
#define CASE_OP    GP_MAX
#define CASE_REF   half_type_max
#define CASE_EMPTY (half_type)-__builtin_inff()
#define CASE_MAKE  (half_type)((float)awkward_number(r) / 65536)
#define CASE_SAME  same_half_type
#include "fold_case.h"

/* As the guide has it: halves, summed in float. */
#define CASE         f16_sum_f32
#define CASE_TYPE    float
#define CASE_INPUT   half_type
#define CASE_LOAD(x) (float)(x)
#define CASE_OP      GP_SUM
#define CASE_REF     ref_sum
#define CASE_EMPTY   0
#define CASE_MAKE    (half_type)(float)(r % 2048)
#include "fold_case.h"
#endif

#ifdef __CUDACC__
HALF_CASES(__nv_bfloat16)

#define CASE       bf16_sum
#define CASE_TYPE  __nv_bfloat16
#define CASE_OP    GP_SUM
#define CASE_REF   __nv_bfloat16_sum
#define CASE_EMPTY (__nv_bfloat16)0.0f
#define CASE_MAKE  (__nv_bfloat16)(r % 64 ? 0.0f : r % 128 ? 1.0f : -1.0f)
#include "fold_case.h"

#define CASE       bf16_product
#define CASE_TYPE  __nv_bfloat16
#define CASE_OP    GP_PRODUCT
#define CASE_REF   __nv_bfloat16_product
#define CASE_EMPTY (__nv_bfloat16)1.0f
#define CASE_MAKE  (__nv_bfloat16)FACTOR(i, r)
#include "fold_case.h"

#define CASE       bf16_min
#define CASE_TYPE  __nv_bfloat16
#define CASE_OP    GP_MIN
#define CASE_REF   __nv_bfloat16_min
#define CASE_EMPTY (__nv_bfloat16)__builtin_inff()
#define CASE_MAKE  (__nv_bfloat16)(float)awkward_number(r)
#define CASE_SAME  same___nv_bfloat16
#include "fold_case.h"

#define CASE       bf16_max
#define CASE_TYPE  __nv_bfloat16
#define CASE_OP    GP_MAX
#define CASE_REF   __nv_bfloat16_max
#define CASE_EMPTY (__nv_bfloat16)-__builtin_inff()
#define CASE_MAKE  (__nv_bfloat16)(float)awkward_number(r)
#define CASE_SAME  same___nv_bfloat16
#include "fold_case.h"
#endif

/* ---- minimum and maximum of what compares equal, and of NaN ---------------------------------- */

/* Zeros of random signs: the last one is the result. */
static void last_zero_is_kept(int largest, size_t n)
{
    float *in = (float *)malloc(n * sizeof *in), got;
    tap_buffer d_out = tap_buffer_new(sizeof got, 0);

    for (int last = 0; last < 2; last++) {
        for (size_t i = 0; i < n; i++)
            in[i] = tap_below(2) ? 0.0f : -0.0f;
        in[n - 1] = last ? 0.0f : -0.0f;
        in[0] = last ? -0.0f : 0.0f;

        tap_buffer d_in = tap_buffer_of(in, n * sizeof *in, 0);
        must(largest ? f32_max_reduce((const float *)d_in.data, (float *)d_out.data, n, NULL, 0)
                     : f32_min_reduce((const float *)d_in.data, (float *)d_out.data, n, NULL, 0));
        tap_buffer_read(&got, &d_out, sizeof got);
        ok(memcmp(&got, &in[n - 1], sizeof got) == 0, "%s of %zu zeros is the last, %c0",
           largest ? "maximum" : "minimum", n, last ? '+' : '-');
        tap_buffer_free(&d_in);
    }
    tap_buffer_free(&d_out);
    free(in);
}

/* One NaN anywhere makes the result NaN. */
static void nan_is_propagated(int largest, size_t n)
{
    double *in = (double *)malloc(n * sizeof *in), got, nan = __builtin_nan("");
    tap_buffer d_out = tap_buffer_new(sizeof got, 0);
    size_t places[] = {0, 1, n / 2, n - 2, n - 1};
    int passed = 1;

    for (int k = 0; k < 5; k++) {
        for (size_t i = 0; i < n; i++)
            in[i] = i % 3 ? (double)i : -__builtin_inf();
        in[places[k]] = nan;

        tap_buffer d_in = tap_buffer_of(in, n * sizeof *in, 0);
        must(largest ? f64_max_reduce((const double *)d_in.data, (double *)d_out.data, n, NULL, 0)
                     : f64_min_reduce((const double *)d_in.data, (double *)d_out.data, n, NULL, 0));
        tap_buffer_read(&got, &d_out, sizeof got);
        passed &= is_nan(got);
        tap_buffer_free(&d_in);
    }
    ok(passed, "%s of %zu items, a NaN at the ends or inside, is NaN", largest ? "maximum" : "minimum", n);
    tap_buffer_free(&d_out);
    free(in);
}

/* ---- structs, and operators that do not commute ---------------------------------------------- */

#define CASE       sum_i32
#define CASE_TYPE  int
#define CASE_OP    GP_SUM
#define CASE_REF   ref_sum
#define CASE_EMPTY 0
#define CASE_MAKE  (int)r
#include "fold_case.h"

/* A ready operator with an identity of the caller's choice. */
#define CASE          max_from_zero
#define CASE_TYPE     int
#define CASE_OP       GP_MAX
#define CASE_REF      ref_max
#define CASE_IDENTITY 0
#define CASE_EMPTY    0
#define CASE_MAKE     -(int)(r >> 40)
#include "fold_case.h"

/* clang-format off */
#define CASE          affine3
#define CASE_TYPE     affine
#define CASE_OP       affine_then
#define CASE_REF      affine_then
#define CASE_IDENTITY {1, 0, 0}
/* clang-format on */
static affine affine_identity(void)
{
    affine f = CASE_IDENTITY;

    return f;
}
#define CASE_EMPTY affine_identity()
#define CASE_MAKE  make_affine(r | 1)
#include "fold_case.h"

static __host__ __device__ inline triangle triangle_identity(void)
{
    triangle x = {1, 0, 1};

    return x;
}

#define CASE          triangle12
#define CASE_TYPE     triangle
#define CASE_OP       triangle_multiply
#define CASE_REF      triangle_multiply
#define CASE_IDENTITY triangle_identity()
#define CASE_EMPTY    triangle_identity()
#define CASE_MAKE     make_triangle(r)
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
#define CASE_MAKE     make_matrix(r)
#include "fold_case.h"

static __host__ __device__ inline matrices3 matrices3_identity(void)
{
    matrices3 x;

    for (int i = 0; i < 3; i++)
        x.at[i] = matrix_identity();
    return x;
}

#define CASE          matrices48
#define CASE_TYPE     matrices3
#define CASE_OP       matrices3_multiply
#define CASE_REF      matrices3_multiply
#define CASE_IDENTITY matrices3_identity()
#define CASE_EMPTY    matrices3_identity()
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
#define CASE_MAKE     make_matrices16(r)
#include "fold_case.h"

/*
 * 15, 17 and 20 bytes: of these types 16, 16 and 4 items fill whole vectors, and those of 17 bytes are too
 * many to be read so.
 */
#define ODD(bytes)                                                                       \
    typedef struct odd##bytes {                                                          \
        uint8_t at[bytes];                                                               \
    } odd##bytes;                                                                        \
                                                                                         \
    static __host__ __device__ inline odd##bytes odd##bytes##_then(odd##bytes x, odd##bytes y) \
    {                                                                                    \
        odd##bytes z;                                                                    \
                                                                                         \
        for (int i = 0; i < bytes; i++) /* as affine_then, with the first byte as a */   \
            z.at[i] = (uint8_t)(i ? y.at[0] * x.at[i] + y.at[i] : x.at[0] * y.at[0]);    \
        return z;                                                                        \
    }                                                                                    \
    static __host__ __device__ inline odd##bytes odd##bytes##_identity(void)             \
    {                                                                                    \
        odd##bytes x;                                                                    \
                                                                                         \
        memset(&x, 0, sizeof x);                                                         \
        x.at[0] = 1;                                                                     \
        return x;                                                                        \
    }                                                                                    \
    static odd##bytes make_odd##bytes(uint64_t r)                                        \
    {                                                                                    \
        odd##bytes x;                                                                    \
                                                                                         \
        for (int i = 0; i < bytes; i++)                                                  \
            x.at[i] = (uint8_t)(r >> i * 3 | !i);                                        \
        return x;                                                                        \
    }
ODD(15)
ODD(17)
ODD(20)

#define CASE          odd15
#define CASE_TYPE     odd15
#define CASE_OP       odd15_then
#define CASE_REF      odd15_then
#define CASE_IDENTITY odd15_identity()
#define CASE_EMPTY    odd15_identity()
#define CASE_MAKE     make_odd15(r)
#include "fold_case.h"

#define CASE          odd17
#define CASE_TYPE     odd17
#define CASE_OP       odd17_then
#define CASE_REF      odd17_then
#define CASE_IDENTITY odd17_identity()
#define CASE_EMPTY    odd17_identity()
#define CASE_MAKE     make_odd17(r)
#include "fold_case.h"

#define CASE          odd20
#define CASE_TYPE     odd20
#define CASE_OP       odd20_then
#define CASE_REF      odd20_then
#define CASE_IDENTITY odd20_identity()
#define CASE_EMPTY    odd20_identity()
#define CASE_MAKE     make_odd20(r)
#include "fold_case.h"

/* ---- ranges: who is called on what ----------------------------------------------------------- */

#define NOBODY(type)                                                   \
    static __host__ __device__ inline type nobody_##type(void)         \
    {                                                                  \
        type x;                                                        \
                                                                       \
        memset(&x, 0, sizeof x);                                       \
        x.first = (__typeof__(x.first))-5; /* nobody's neighbour */    \
        x.last = (__typeof__(x.first))-1000;                           \
        return x;                                                      \
    }
NOBODY(range4)
NOBODY(range8)
NOBODY(range16)
NOBODY(range128)

#define CASE          ranges4
#define CASE_TYPE     range4
#define CASE_OP       join4
#define CASE_REF      span_range4
#define CASE_IDENTITY nobody_range4()
#define CASE_EMPTY    nobody_range4()
#define CASE_MAKE     make_range4(i)
#include "fold_case.h"

#define CASE          ranges8
#define CASE_TYPE     range8
#define CASE_OP       join8
#define CASE_REF      span_range8
#define CASE_IDENTITY nobody_range8()
#define CASE_EMPTY    nobody_range8()
#define CASE_MAKE     make_range8(i)
#include "fold_case.h"

#define CASE          ranges16
#define CASE_TYPE     range16
#define CASE_OP       join16
#define CASE_REF      span_range16
#define CASE_IDENTITY nobody_range16()
#define CASE_EMPTY    nobody_range16()
#define CASE_MAKE     make_range16(i)
#include "fold_case.h"

#define CASE          ranges128
#define CASE_TYPE     range128
#define CASE_OP       join128
#define CASE_REF      span_range128
#define CASE_IDENTITY nobody_range128()
#define CASE_EMPTY    nobody_range128()
#define CASE_MAKE     make_range128(i)
#include "fold_case.h"

/* ---- what is read is not what is folded ------------------------------------------------------ */

#define CASE       wide_sum
#define CASE_TYPE  uint64_t
#define CASE_INPUT uint8_t
#define CASE_OP    GP_SUM
#define CASE_REF   ref_sum
#define CASE_EMPTY 0
#define CASE_MAKE  (uint8_t)r
#include "fold_case.h"

#define CASE         longest
#define CASE_TYPE    int
#define CASE_INPUT   double
#define CASE_OP      GP_MAX
#define CASE_REF     ref_max
#define CASE_EMPTY   INT_MIN
#define CASE_MAKE    small_number(r)
#define CASE_LOAD(x) ((int)((x) * (x)))
#include "fold_case.h"

typedef struct limits {
    uint32_t lower, upper;
} limits;

static const limits some_limits = {1000000000, 3000000000u};

/* How many items lie between the limits: the context is the second argument of the map. */
#define CASE                   between
#define CASE_TYPE              size_t
#define CASE_INPUT             uint32_t
#define CASE_OP                GP_SUM
#define CASE_REF               ref_sum
#define CASE_EMPTY             0
#define CASE_MAKE              (uint32_t)r
#define CASE_LOAD(x, range)    ((size_t)((x) >= (range).lower && (x) < (range).upper))
#define CASE_CONTEXT           limits
#define CASE_CONTEXT_VALUE     some_limits
#include "fold_case.h"

/* ---- bits ------------------------------------------------------------------------------------ */

#define GP_NAME real
#define GP_TYPE float
#include <gpuprims/reduce.cuh>

#define GP_NAME reals
#define GP_TYPE double
#define GP_OP   GP_PRODUCT
#include <gpuprims/reduce.cuh>

/* The same instances with few blocks. */
#define GP_NAME real_grid1
#define GP_TYPE float
#define GP_GRID 1
#include <gpuprims/reduce.cuh>

#define GP_NAME real_grid3
#define GP_TYPE float
#define GP_GRID 3
#include <gpuprims/reduce.cuh>

/* The same bits with every grid, at every alignment, with a workspace that is kept and without one. */
static void same_bits_of_all_instances(size_t n)
{
    cudaError_t (*const run[])(const float *, float *, size_t, gp_workspace *, cudaStream_t) = {
        real_reduce, real_grid1_reduce, real_grid3_reduce};
    float *in = (float *)malloc(n * sizeof *in), first = 0, got;
    gp_workspace ws = GP_WORKSPACE_INIT;
    tap_buffer d_out = tap_buffer_new(sizeof got, 0);
    int passed = 1;

    for (size_t i = 0; i < n; i++)
        in[i] = (float)((double)(int64_t)tap_random() * 0x1p-63);
    for (size_t offset = 0; offset < (n < 1000000 ? 5 : 2); offset++) {
        tap_buffer d_in = tap_buffer_of(in, n * sizeof *in, offset * sizeof *in);

        for (int kept = 0; kept < 2; kept++)
            for (size_t k = 0; k < sizeof run / sizeof *run; k++) {
                must(run[k]((const float *)d_in.data, (float *)d_out.data, n, kept ? &ws : NULL, 0));
                tap_buffer_read(&got, &d_out, sizeof got);
                if (offset == 0 && !kept && k == 0)
                    first = got;
                passed &= memcmp(&first, &got, sizeof got) == 0;
            }
        tap_buffer_free(&d_in);
    }
    must(gp_workspace_release(&ws, 0));
    tap_buffer_free(&d_out);
    free(in);
    ok(passed, "reduction of %zu floats: the same bits with every grid", n);
}

/* ---- the order of the fold ------------------------------------------------------------------- */

/* A tree over up to 32 values. */
static float tree(float *x, size_t n)
{
    for (size_t stride = 1; stride < 32; stride *= 2)
        for (size_t i = 0; i + stride < n; i++)
            x[i] = x[i] + x[i + stride];
    return x[0];
}

/* Folds n values in rounds of `each`, as a tree or from left to right, into the places of the first ones. */
static size_t rounds(float *x, size_t n, size_t each, int as_tree)
{
    size_t count = 0;

    for (size_t first = 0; first < n; first += each, count++) {
        size_t last = n - first < each ? n : first + each;
        float sum = x[first];

        if (as_tree)
            sum = tree(x + first, last - first);
        for (size_t i = first + 1; i < last && !as_tree; i++)
            sum = sum + x[i];
        x[count] = sum;
    }
    return count;
}

/* What docs/fold-order.md says of a reduction of floats. Overwrites them. */
static float documented_sum(float *x, size_t n)
{
    const size_t bytes = n * sizeof *x, MiB = (size_t)1 << 20;
    size_t warps = 32;

    if (bytes <= 16 * MiB) {
        n = rounds(x, n, 4, 0);
        n = rounds(x, n, 32, 1);
        n = rounds(x, n, bytes <= 4 * MiB ? 1 : 4, 0);
    } else {
        size_t part = 1;

        warps = 8;
        n = rounds(x, n, 28, 0);
        n = rounds(x, n, 32, 1);
        while ((n + 8 * part - 1) / (8 * part) > (part == 1 ? 2048 : 4096))
            part *= 2;
        n = rounds(x, n, part, 0);
    }
    n = rounds(x, n, warps, 1);                     /* tiles */
    n = rounds(x, n, 32, 1);                        /* groups */
    n = rounds(x, n, (n + warps - 1) / warps, 0);   /* shares */
    return tree(x, n);
}

/* The documented bits, and those of the version before: fixed numbers of very different sizes. */
static void in_documented_order(size_t n, uint32_t known)
{
    float *in = (float *)malloc(n * sizeof *in), got, want;
    tap_buffer d_out = tap_buffer_new(sizeof got, 0);
    uint64_t state = 42;
    uint32_t bits;

    for (size_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        in[i] = (float)((int64_t)state >> 40) * (state >> 20 & 1 ? 0x1p-20f : 0x1p-7f);
    }
    tap_buffer d_in = tap_buffer_of(in, n * sizeof *in, 4);
    must(real_reduce((const float *)d_in.data, (float *)d_out.data, n, NULL, 0));
    tap_buffer_read(&got, &d_out, sizeof got);
    want = documented_sum(in, n);
    memcpy(&bits, &got, sizeof bits);
    ok(memcmp(&got, &want, sizeof got) == 0, "sum of %zu floats: the documented order", n);
    ok(bits == known, "sum of %zu floats: bits %08x", n, (unsigned)bits);
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_out);
    free(in);
}

/* ---- sizes around the borders of the fold ---------------------------------------------------- */

/*
 * Around what a lane, a warp, a block and a group of blocks take at a time of small inputs, and around 4 MiB,
 * where they are no longer small.
 */
static void borders_check(const fold_case *c)
{
    size_t lane = c->in_bytes <= 16 ? 16 / c->in_bytes : 1, medium = ((size_t)4 << 20) / c->in_bytes;
    size_t at[] = {lane, 32 * lane, 1024 * lane, 2048 * lane, 32 * 1024 * lane, medium, medium + 4096 * lane};
    gp_workspace ws = GP_WORKSPACE_INIT;
    int passed = 1;

    for (size_t k = 0; k < sizeof at / sizeof *at; k++)
        for (size_t n = at[k] - 1; n <= at[k] + 1; n++) {
            fold_place place = {n * 5 % 16, n % 4, 0, n % 2 ? &ws : NULL, 0};

            if (!tap_small || n < 3000 * lane)
                passed &= fold_check(c, REDUCE, n, place);
        }
    must(gp_workspace_release(&ws, 0));
    ok(passed, "%s: sizes around the borders of the fold", c->name);
}

/* On the CPU: how many blocks run at a time, which tiles are divided among. Returns how many did before. */
static int set_resident_blocks(int blocks)
{
#ifndef __CUDACC__
    const int before = gp_cpu.resident_blocks;

    gp_cpu.resident_blocks = blocks;
    return before;
#else
    return blocks;
#endif
}

/* By so many blocks. */
static void by_many_blocks(const fold_case *c, size_t n, int blocks)
{
    const int before = set_resident_blocks(blocks);

    fold_check_large(c, REDUCE, n);
    set_resident_blocks(before);
}

/* Around thread items, warp tiles, parts and tiles of large inputs, some by as many blocks as a GPU has. */
static void large_borders_check(const fold_case *c)
{
    size_t item = c->in_bytes, large = ((size_t)(item == 4 || item == 8 ? 16 : 4) << 20) / item;
    size_t run = GPI_THREAD_ITEMS(item), tile = 32 * run * GPI_WARP_TILES_OF(run * item);
    size_t whole = (large / tile + 2) * tile;
    size_t at[] = {large,           large + 1, whole - run,          whole,
                   whole + run - 1, whole + 1, whole + 32 * run + 1, whole + 32 * run * 3 + run * 5 - 1};
    gp_workspace ws = GP_WORKSPACE_INIT;
    int passed = 1;

    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        fold_place place = {k * 5 % 16, k % 4, 0, k % 2 ? &ws : NULL, 0};
        const int before = set_resident_blocks(100);

        if ((k / 2 + item) % 2 == 0)
            set_resident_blocks(before);
        passed &= fold_check(c, REDUCE, at[k], place);
        set_resident_blocks(before);
    }
    must(gp_workspace_release(&ws, 0));
    ok(passed, "%s: sizes around the borders of the fold of large inputs", c->name);
}

/* The same bits whatever the alignment, stream, schedule and number of resident blocks. */
static void same_bits(int wide, size_t n)
{
    size_t item = wide ? sizeof(double) : sizeof(float), bytes = n * item;
    char *in = (char *)malloc(bytes);
    gp_workspace ws = GP_WORKSPACE_INIT;
    double first = 0;
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
        tap_buffer d_in = tap_buffer_of(in, bytes, (size_t)round * item), d_out = tap_buffer_new(item, 0);
        cudaStream_t where = round % 2 ? stream : 0;
        double got = 0;
#ifndef __CUDACC__
        gp_cpu_settings before = gp_cpu;

        gp_cpu.seed = before.seed + (unsigned)round;
        gp_cpu.resident_blocks = 1 + round;
#endif
        for (int call = 0; call < 2; call++) { /* the second one reads a large array the other way round */
            must(wide ? reals_reduce((const double *)d_in.data, (double *)d_out.data, n, &ws, where)
                      : real_reduce((const float *)d_in.data, (float *)d_out.data, n, &ws, where));
            must(cudaStreamSynchronize(stream));
            tap_buffer_read(&got, &d_out, item);
            if (round == 0 && call == 0)
                first = got;
            passed &= memcmp(&first, &got, sizeof got) == 0;
        }
#ifndef __CUDACC__
        gp_cpu = before;
#endif
        tap_buffer_free(&d_in);
        tap_buffer_free(&d_out);
    }
    must(gp_workspace_release(&ws, 0));
    must(cudaStreamDestroy(stream));
    ok(passed, "reduction of %zu %s: the same bits in every run", n, wide ? "doubles" : "floats");
    free(in);
}

#ifdef __CUDACC__
/* More items than 32 bits count. */
static void beyond_32_bits(void)
{
    size_t n = ((size_t)1 << 32) + 12345, free_bytes, total_bytes;
    uint8_t *d = NULL;
    uint64_t got, *d_out = NULL;

    must(cudaMemGetInfo(&free_bytes, &total_bytes));
    if (tap_small || free_bytes < n + n / 4) {
        ok(1, "a sum of more than 2^32 bytes # SKIP %s", tap_small ? "--small" : "too little memory");
        return;
    }
    must(cudaMalloc((void **)&d, n));
    must(cudaMalloc((void **)&d_out, sizeof got));
    must(cudaMemset(d, 3, n));
    must(wide_sum_reduce(d, d_out, n, NULL, 0));
    must(cudaMemcpy(&got, d_out, sizeof got, cudaMemcpyDeviceToHost));
    ok(got == 3 * (uint64_t)n, "a sum of %zu bytes", n);
    must(cudaFree(d));
    must(cudaFree(d_out));
}
#endif

int main(int argc, char **argv)
{
    tap_begin(argc, argv);

    size_t all = 10007;

    i8_check();
    u8_check();
    i16_check();
    u16_check();
    i32_check();
    u32_check();
    i64_check();
    u64_check();
    i128_check();
    u128_check();
    truth_check();
    f32_check();
    f64_check();
#ifdef HALVES
    ready_check(&f16_sum_case);
    ready_check(&f16_product_case);
    ready_check(&f16_min_case);
    ready_check(&f16_max_case);
    ready_check(&f16_sum_f32_case);
#endif
#ifdef __CUDACC__
    ready_check(&bf16_sum_case);
    ready_check(&bf16_product_case);
    ready_check(&bf16_min_case);
    ready_check(&bf16_max_case);
#endif
    for (int largest = 0; largest < 2; largest++) {
        last_zero_is_kept(largest, 30);
        last_zero_is_kept(largest, 9001);
        nan_is_propagated(largest, 40);
        nan_is_propagated(largest, 7001);
    }

    fold_check_sizes(&sum_i32_case, REDUCE, all);
    fold_check_sizes(&max_from_zero_case, REDUCE, all);
    fold_check_sizes(&affine3_case, REDUCE, all);
    fold_check_sizes(&triangle12_case, REDUCE, all);
    fold_check_sizes(&matrix16_case, REDUCE, all);
    fold_check_sizes(&matrices48_case, REDUCE, all);
    fold_check_sizes(&matrices128_case, REDUCE, all);
    fold_check_sizes(&matrices256_case, REDUCE, 1281);
    fold_check_sizes(&wide_sum_case, REDUCE, all);
    fold_check_sizes(&longest_case, REDUCE, all);
    fold_check_sizes(&between_case, REDUCE, all);

    fold_check_sizes(&ranges4_case, REDUCE, all);
    fold_check_neighbours("4 bytes");
    fold_check_sizes(&ranges8_case, REDUCE, all);
    fold_check_neighbours("8 bytes");
    fold_check_sizes(&ranges16_case, REDUCE, all);
    fold_check_neighbours("16 bytes");
    fold_check_sizes(&ranges128_case, REDUCE, all);
    fold_check_neighbours("128 bytes");

    fold_check_offsets(&sum_i32_case, REDUCE, 4129, 16, 4);
    fold_check_offsets(&wide_sum_case, REDUCE, 2063, 32, 2);
    fold_check_offsets(&affine3_case, REDUCE, 4200, 16, 4);
    fold_check_offsets(&u16_sum_case, REDUCE, 77, 16, 8);
    fold_check_large(&matrices256_case, REDUCE, ((size_t)4 << 20) / 256 + 4231);

    in_documented_order(20, 0x47ba0f19);
    in_documented_order(4099, 0x49a70223);
    in_documented_order(100003, 0xc79a2080);
    in_documented_order(1200007, 0x4b93ebde);
    if (!tap_small) {
        in_documented_order(5000011, 0x4bdf988a);
        in_documented_order(15000001, 0x4cf4a6ea);
    }
    borders_check(&u16_sum_case);
    borders_check(&affine3_case);
    borders_check(&triangle12_case);
    borders_check(&matrices48_case);
    borders_check(&between_case);
    borders_check(&ranges8_case);
    borders_check(&ranges16_case);
    borders_check(&ranges128_case);
    fold_check_neighbours("all of these");

    if (!tap_small) {
        large_borders_check(&odd15_case);
        large_borders_check(&matrices48_case);
        large_borders_check(&odd20_case);
        large_borders_check(&odd17_case);
        large_borders_check(&matrices128_case);
        large_borders_check(&ranges16_case);
        large_borders_check(&ranges128_case);
        fold_check_large(&ranges8_case, REDUCE, ((size_t)2 << 20) + 54321);
        fold_check_large(&ranges128_case, REDUCE, ((size_t)64 << 20) / 128 + 4231); /* warps fold several warp tiles */
        by_many_blocks(&ranges16_case, ((size_t)4 << 20) / 16 + 4231, 100);
        by_many_blocks(&ranges128_case, ((size_t)4 << 20) / 128 + 4231, 60); /* fewer than two tiles for each, drawn */
        fold_check_neighbours("large inputs");
        fold_check_large(&u32_max_case, REDUCE, ((size_t)4 << 20) + 12345);
        fold_check_large(&u8_max_case, REDUCE, ((size_t)4 << 20) + 12345);
        fold_check_large(&i16_sum_case, REDUCE, ((size_t)2 << 20) + 12345);
        fold_check_offsets(&affine3_case, REDUCE, 1400000, 16, 1);
        fold_check_offsets(&odd15_case, REDUCE, ((size_t)4 << 20) / 15 + 10000, 16, 1);
        fold_check_offsets(&odd20_case, REDUCE, ((size_t)4 << 20) / 20 + 10000, 4, 1);
    }
    if (!tap_small) {
        fold_check_large(&sum_i32_case, REDUCE, ((size_t)1 << 20) + 7);
        fold_check_large(&wide_sum_case, REDUCE, ((size_t)1 << 20) + 9);
        fold_check_large(&matrices48_case, REDUCE, ((size_t)1 << 16) + 259);
        fold_check_large(&ranges16_case, REDUCE, ((size_t)1 << 17) + 1);
        fold_check_neighbours("131073 ranges");
    }
    for (int wide = 0; wide < 2; wide++) {
        same_bits(wide, 333);
        same_bits(wide, 33333);
        same_bits(wide, 1100000);
        if (!tap_small)
            same_bits(wide, ((size_t)4 << 20) + 100000);
    }
    same_bits_of_all_instances(1000);
    same_bits_of_all_instances(100000);
    if (!tap_small) {
        same_bits_of_all_instances(1048577 + 7168);
        same_bits_of_all_instances(((size_t)4 << 20) + 100000);
    }
#ifdef __CUDACC__
    beyond_32_bits();
#endif
    return tap_end();
}
