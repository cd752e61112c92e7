/*
 * block/block_sort.cuh: blocks and items of many shapes, keys and pairs, orders of one's own, stability by
 * index.
 */
#include "tap.h"

/* clang-format off */
typedef struct { uint8_t b[3]; } s3;
typedef struct { int32_t key, index; } s8;
typedef struct { int32_t key, index, rest[10]; } s48;
/* clang-format on */

/* Orders by the remainder that an argument says. */
typedef struct {
    int32_t modulus;
} modulus;

static __host__ __device__ inline int modulus_less(s8 a, s8 b, modulus m)
{
    return a.key % m.modulus < b.key % m.modulus;
}

#include <gpuprims/block/block_sort.cuh>
#include <gpuprims/block/block_sort.cuh>

#define GP_NAME  u32x16
#define GP_TYPE  uint32_t
#define GP_BLOCK 128
#define GP_ITEMS 16
#include <gpuprims/block/block_sort.cuh>
#define GP_NAME  i8x7
#define GP_TYPE  int8_t
#define GP_BLOCK 96
#define GP_ITEMS 7
#include <gpuprims/block/block_sort.cuh>
#define GP_NAME  u64x8
#define GP_TYPE  uint64_t
#define GP_BLOCK 32
#define GP_ITEMS 8
#include <gpuprims/block/block_sort.cuh>
#define GP_NAME  f32x24
#define GP_TYPE  float
#define GP_BLOCK 64
#define GP_ITEMS 24
#include <gpuprims/block/block_sort.cuh>
#define GP_NAME    s8x5
#define GP_TYPE    s8
#define GP_ITEMS   5
#define GP_LESS    modulus_less
#define GP_CONTEXT modulus
#include <gpuprims/block/block_sort.cuh>
#define GP_NAME       s48x2
#define GP_TYPE       s48
#define GP_BLOCK      160
#define GP_ITEMS      2
#define GP_LESS(a, b) ((a).key > (b).key)
#include <gpuprims/block/block_sort.cuh>
#define GP_NAME  u16x4
#define GP_TYPE  uint16_t
#define GP_VALUE uint32_t
#define GP_BLOCK 1024
#define GP_ITEMS 4
#include <gpuprims/block/block_sort.cuh>
#define GP_NAME  f64x3
#define GP_TYPE  double
#define GP_VALUE s3
#define GP_ITEMS 3
#define GP_BLOCK 224
#include <gpuprims/block/block_sort.cuh>

#include "no_parameters.h"

/* Item i of which `k` is the random part; and what orders it. */
static int32_t make_gp(uint64_t k, int i) { (void)i; return (int32_t)k; }
static uint32_t make_u32(uint64_t k, int i) { (void)i; return (uint32_t)k; }
static int8_t make_i8(uint64_t k, int i) { (void)i; return (int8_t)k; }
static uint64_t make_u64(uint64_t k, int i) { (void)i; return k; }
static float make_f32(uint64_t k, int i) { (void)i; return k % 3 ? (float)(int32_t)k : k % 2 ? 0.0f : -0.0f; }
static double make_f64(uint64_t k, int i) { (void)i; return k % 3 ? (double)(int64_t)k : k % 2 ? 0.0 : -0.0; }
static uint16_t make_u16(uint64_t k, int i) { (void)i; return (uint16_t)k; }
static s8 make_s8(uint64_t k, int i) { s8 x = {(int32_t)(k >> 33), i}; return x; }
static s48 make_s48(uint64_t k, int i) { s48 x = {(int32_t)k, i, {i, 1, 2, 3, 4, 5, 6, 7, 8, 9}}; return x; }

/* name, type, make, order (a before b), threads, items, a last argument */
#define KEYS(X)                                                                       \
    X(gp, int32_t, make_gp, a < b, 256, 1, )                                          \
    X(u32x16, uint32_t, make_u32, a < b, 128, 16, )                                   \
    X(i8x7, int8_t, make_i8, a < b, 96, 7, )                                          \
    X(u64x8, uint64_t, make_u64, a < b, 32, 8, )                                      \
    X(f32x24, float, make_f32, a < b, 64, 24, )                                       \
    X(s8x5, s8, make_s8, a.key % 1000 < b.key % 1000, 256, 5, , some_modulus())       \
    X(s48x2, s48, make_s48, a.key > b.key, 160, 2, )                                  \
    X(u16x4, uint16_t, make_u16, a < b, 1024, 4, )                                    \
    X(f64x3, double, make_f64, a < b, 224, 3, )

static __host__ __device__ inline modulus some_modulus(void)
{
    modulus m;

    m.modulus = 1000;
    return m;
}

static uint64_t make_number(int pattern, int i, int n)
{
    uint64_t random = tap_random();

    switch (pattern) {
    case 1: return (random % 5 + 1) * 0x9E3779B97F4A7C15u;
    case 2: return 0x4234567890ABCDEFu;
    case 3: return (uint64_t)i * (UINT64_MAX / (uint64_t)(n + 1));
    case 4: return (uint64_t)(n - i) * (UINT64_MAX / (uint64_t)(n + 1));
    case 5: return random % 3 ? UINT64_MAX : random;
    default: return random;
    }
}
enum { PATTERNS = 6 };

/* Every block sorts a tile of its own, twice with the same storage: after a barrier that is allowed. */
#define DEFINE(name, type, make, order, block, count, ...)                                                \
    static __global__ void __launch_bounds__(block) name##_kernel(const type *in, type *out)              \
    {                                                                                                     \
        GP_SHARED(name##_block_sort_storage, storage);                                                    \
        unsigned rank = threadIdx.x + blockDim.x * threadIdx.y, first = (blockIdx.x * block + rank) * count; \
        type x[count];                                                                                    \
                                                                                                          \
        for (int i = 0; i < count; i++)                                                                   \
            x[i] = in[first + i];                                                                         \
        name##_block_sort(x, &storage __VA_ARGS__);                                                       \
        __syncthreads();                                                                                  \
        name##_block_sort(x, storage __VA_ARGS__);                                                        \
        for (int i = 0; i < count; i++)                                                                   \
            out[first + i] = x[i];                                                                        \
    }                                                                                                     \
                                                                                                          \
    static int name##_before(const void *items, int i, int j)                                             \
    {                                                                                                     \
        type a = ((const type *)items)[i], b = ((const type *)items)[j];                                  \
                                                                                                          \
        return order;                                                                                     \
    }                                                                                                     \
                                                                                                          \
    static void name##_check(void)                                                                        \
    {                                                                                                     \
        enum { N = block * count, BLOCKS = 3 };                                                           \
        type *in = (type *)malloc(2 * BLOCKS * N * sizeof *in), *got = in + BLOCKS * N;                   \
        dim3 shape = {block / 2, 2, 1};                                                                   \
        int passed = 1;                                                                                   \
                                                                                                          \
        for (int pattern = 0; pattern < PATTERNS; pattern++) {                                            \
            for (int i = 0; i < BLOCKS * N; i++)                                                          \
                in[i] = make(make_number(pattern, i % N, N), i);                                          \
            tap_buffer d_in = tap_buffer_of(in, BLOCKS * N * sizeof *in, sizeof *in);                     \
            tap_buffer d_out = tap_buffer_new(BLOCKS * N * sizeof *in, 0);                                \
            GP_LAUNCH(name##_kernel, BLOCKS, shape, 0, 0, (const type *)d_in.data, (type *)d_out.data);   \
            must(cudaGetLastError());                                                                     \
            tap_buffer_read(got, &d_out, BLOCKS * N * sizeof *in);                                        \
            for (int b = 0; b < BLOCKS; b++) {                                                            \
                int *indices = sorted_indices(in + b * N, N, name##_before);                              \
                                                                                                          \
                for (int i = 0; i < N; i++)                                                               \
                    passed &= memcmp(got + b * N + i, in + b * N + indices[i], sizeof *in) == 0;          \
                free(indices);                                                                            \
            }                                                                                             \
            passed &= tap_buffer_intact(&d_out, BLOCKS * N * sizeof *in);                                 \
            tap_buffer_free(&d_in);                                                                       \
            tap_buffer_free(&d_out);                                                                      \
        }                                                                                                 \
        ok(passed, #name "_block_sort: %d threads, %d items each", block, count);                         \
        free(in);                                                                                         \
    }

/* ---- the reference: insertion, which is stable by itself --------------------------------------- */

static int *sorted_indices(const void *items, int n, int (*before)(const void *items, int i, int j))
{
    int *indices = (int *)malloc((size_t)n * sizeof *indices);

    for (int i = 0; i < n; i++) {
        int low = 0, high = i;

        while (low < high) { /* behind everything that does not come after it */
            int half = (low + high) / 2;

            if (before(items, i, indices[half]))
                high = half;
            else
                low = half + 1;
        }
        memmove(indices + low + 1, indices + low, (size_t)(i - low) * sizeof *indices);
        indices[low] = i;
    }
    return indices;
}

KEYS(DEFINE)

/* ---- pairs ------------------------------------------------------------------------------------- */

#define PAIRS(X)                                \
    X(u16x4, uint16_t, uint32_t, make_u16, 1024, 4) \
    X(f64x3, double, s3, make_f64, 224, 3)

#define DEFINE_PAIRS(name, type, value, make, block, count)                                               \
    static __global__ void __launch_bounds__(block)                                                       \
        name##_pairs_kernel(const type *in, type *out, const value *values_in, value *values_out)         \
    {                                                                                                     \
        GP_SHARED(name##_block_sort_storage, storage);                                                    \
        unsigned first = (blockIdx.x * block + threadIdx.x) * count;                                      \
        type x[count];                                                                                    \
        value v[count];                                                                                   \
                                                                                                          \
        for (int i = 0; i < count; i++) {                                                                 \
            x[i] = in[first + i];                                                                         \
            v[i] = values_in[first + i];                                                                  \
        }                                                                                                 \
        name##_block_sort_pairs(x, v, &storage);                                                          \
        for (int i = 0; i < count; i++) {                                                                 \
            out[first + i] = x[i];                                                                        \
            values_out[first + i] = v[i];                                                                 \
        }                                                                                                 \
    }                                                                                                     \
                                                                                                          \
    static void name##_check_pairs(void)                                                                  \
    {                                                                                                     \
        enum { N = block * count };                                                                       \
        type *in = (type *)malloc(2 * N * sizeof *in), *got = in + N;                                     \
        value *values = (value *)malloc(2 * N * sizeof *values), *values_got = values + N;                \
        int passed = 1;                                                                                   \
                                                                                                          \
        for (int pattern = 0; pattern < PATTERNS; pattern++) {                                            \
            for (int i = 0; i < N; i++) {                                                                 \
                in[i] = make(make_number(pattern, i, N), i);                                              \
                memcpy(values + i, &i, sizeof *values < sizeof i ? sizeof *values : sizeof i);            \
            }                                                                                             \
            tap_buffer d_in = tap_buffer_of(in, N * sizeof *in, 0), d_out = tap_buffer_new(N * sizeof *in, 0); \
            tap_buffer d_values = tap_buffer_of(values, N * sizeof *values, 0);                           \
            tap_buffer d_values_out = tap_buffer_new(N * sizeof *values, 0);                              \
            GP_LAUNCH(name##_pairs_kernel, 1, block, 0, 0, (const type *)d_in.data, (type *)d_out.data,   \
                      (const value *)d_values.data, (value *)d_values_out.data);                          \
            must(cudaGetLastError());                                                                     \
            tap_buffer_read(got, &d_out, N * sizeof *in);                                                 \
            tap_buffer_read(values_got, &d_values_out, N * sizeof *values);                               \
            int *indices = sorted_indices(in, N, name##_before);                                          \
                                                                                                          \
            for (int i = 0; i < N; i++) {                                                                 \
                passed &= memcmp(got + i, in + indices[i], sizeof *in) == 0;                              \
                passed &= memcmp(values_got + i, values + indices[i], sizeof *values) == 0;               \
            }                                                                                             \
            free(indices);                                                                                \
            passed &= tap_buffer_intact(&d_values_out, N * sizeof *values);                               \
            tap_buffer_free(&d_in);                                                                       \
            tap_buffer_free(&d_out);                                                                      \
            tap_buffer_free(&d_values);                                                                   \
            tap_buffer_free(&d_values_out);                                                               \
        }                                                                                                 \
        ok(passed, #name "_block_sort_pairs: %d threads, %d items each", block, count);                   \
        free(in);                                                                                         \
        free(values);                                                                                     \
    }
PAIRS(DEFINE_PAIRS)

int main(int argc, char **argv)
{
    tap_begin(argc, argv);
#define CHECK(name, ...) name##_check();
    KEYS(CHECK)
#define CHECK_PAIRS(name, ...) name##_check_pairs();
    PAIRS(CHECK_PAIRS)
    return tap_end();
}
