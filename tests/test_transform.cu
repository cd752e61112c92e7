/* transform.cuh: maps by pointers and by places, of every size, alignment and count. */
#define GPI_TRANSFORM_BLOCKS 2 /* so that at small sizes, too, a thread takes several vectors or items */
#include "tap.h"

/* ---- items and what becomes of them ------------------------------------------------------------ */

/* clang-format off */
typedef struct { uint8_t b[3]; } s3;
typedef struct { uint16_t a, b; } s4; /* a power of two, but of a small alignment */
typedef struct { float x, y, z; } s12;
typedef struct { int32_t a[4]; } s16;
typedef struct { uint64_t a, b; } __attribute__((aligned(16))) s16a;
typedef struct { double a[6]; } s48;
typedef struct { uint64_t a[16]; } s128;
/* clang-format on */

#include <gpuprims/transform.cuh>
#include <gpuprims/transform.cuh>

/* Maps of one type whose bytes all depend on the bytes that were there. */
#define GP_NAME u8
#define GP_TYPE uint8_t
#define GP_LOAD(x) ((uint8_t)(3 * (x) + 1))
#include <gpuprims/transform.cuh>
#define GP_NAME i16
#define GP_TYPE int16_t
#define GP_LOAD(x) ((int16_t)(3 * (x) + 1))
#include <gpuprims/transform.cuh>
#define GP_NAME u32
#define GP_TYPE uint32_t
#define GP_LOAD(x) (3 * (x) + 1)
#define GP_INDEX int
#include <gpuprims/transform.cuh>
#define GP_NAME u64
#define GP_TYPE uint64_t
#define GP_LOAD(x) (3 * (x) + 1)
#include <gpuprims/transform.cuh>
#define GP_NAME s3
#define GP_TYPE s3
#include <gpuprims/transform.cuh>
#define GP_NAME s4
#define GP_TYPE s4
#include <gpuprims/transform.cuh>
#define GP_NAME s12
#define GP_TYPE s12
#include <gpuprims/transform.cuh>
#define GP_NAME s16
#define GP_TYPE s16
#include <gpuprims/transform.cuh>
#define GP_NAME s16a
#define GP_TYPE s16a
#include <gpuprims/transform.cuh>
#define GP_NAME s48
#define GP_TYPE s48
#include <gpuprims/transform.cuh>
#define GP_NAME s128
#define GP_TYPE s128
#include <gpuprims/transform.cuh>

/* Widening and narrowing, with a context and without. */
#define GP_NAME u8_f32
#define GP_TYPE float
#define GP_INPUT_TYPE uint8_t
#define GP_CONTEXT float
#define GP_LOAD(x, c) ((float)(x) * (c))
#include <gpuprims/transform.cuh>
#define GP_NAME f32_u8
#define GP_TYPE uint8_t
#define GP_INPUT_TYPE float
#define GP_CONTEXT float
#define GP_LOAD(x, c) ((uint8_t)((x) * (c)))
#include <gpuprims/transform.cuh>
#define GP_NAME u16_u64
#define GP_TYPE uint64_t
#define GP_INPUT_TYPE uint16_t
#define GP_LOAD(x) ((uint64_t)(x) << 40 | (x))
#include <gpuprims/transform.cuh>
#define GP_NAME u64_u16
#define GP_TYPE uint16_t
#define GP_INPUT_TYPE uint64_t
#define GP_LOAD(x) ((uint16_t)((x) >> 40))
#include <gpuprims/transform.cuh>
#define GP_NAME u32_u64
#define GP_TYPE uint64_t
#define GP_INPUT_TYPE uint32_t /* and a conversion, where no map is given */
#include <gpuprims/transform.cuh>

static __host__ __device__ inline s16a widened(uint8_t x)
{
    s16a y;

    y.a = x;
    y.b = (uint64_t)x << 56;
    return y;
}

static __host__ __device__ inline s12 spread(uint8_t x)
{
    s12 y;

    y.x = (float)x;
    y.y = (float)(x + 1);
    y.z = -1;
    return y;
}

#define GP_NAME u8_s16a
#define GP_TYPE s16a
#define GP_INPUT_TYPE uint8_t
#define GP_LOAD(x) widened(x)
#include <gpuprims/transform.cuh>
#define GP_NAME s16a_u8
#define GP_TYPE uint8_t
#define GP_INPUT_TYPE s16a
#define GP_LOAD(x) ((uint8_t)((x).a ^ (x).b >> 8))
#include <gpuprims/transform.cuh>
#define GP_NAME u8_s12
#define GP_TYPE s12
#define GP_INPUT_TYPE uint8_t
#define GP_LOAD(x) spread(x)
#include <gpuprims/transform.cuh>
#define GP_NAME s4_u32
#define GP_TYPE uint32_t
#define GP_INPUT_TYPE s4
#define GP_LOAD(x) ((uint32_t)(x).a << 16 | (x).b)
#include <gpuprims/transform.cuh>
#define GP_NAME s128_u32
#define GP_TYPE uint32_t
#define GP_INPUT_TYPE s128
#define GP_LOAD(x) ((uint32_t)((x).a[0] + (x).a[15]))
#include <gpuprims/transform.cuh>

#define COPY(x, y) ((y) = (x))

/* Name, I, T, the call's context, what y is for an x. */
#define INSTANCES(X)                                                \
    X(gp, int, int, , COPY(x, y))                                   \
    X(u8, uint8_t, uint8_t, , y = (uint8_t)(3 * x + 1))             \
    X(i16, int16_t, int16_t, , y = (int16_t)(3 * x + 1))            \
    X(u32, uint32_t, uint32_t, , y = 3 * x + 1)                     \
    X(u64, uint64_t, uint64_t, , y = 3 * x + 1)                     \
    X(s3, s3, s3, , COPY(x, y))                                     \
    X(s4, s4, s4, , COPY(x, y))                                     \
    X(s12, s12, s12, , COPY(x, y))                                  \
    X(s16, s16, s16, , COPY(x, y))                                  \
    X(s16a, s16a, s16a, , COPY(x, y))                               \
    X(s48, s48, s48, , COPY(x, y))                                  \
    X(s128, s128, s128, , COPY(x, y))                               \
    X(u8_f32, uint8_t, float, 0.5f COMMA, y = (float)x * 0.5f)      \
    X(f32_u8, float, uint8_t, 0.25f COMMA, y = (uint8_t)(x * 0.25f)) \
    X(u16_u64, uint16_t, uint64_t, , y = (uint64_t)x << 40 | x)     \
    X(u64_u16, uint64_t, uint16_t, , y = (uint16_t)(x >> 40))       \
    X(u32_u64, uint32_t, uint64_t, , y = x)                         \
    X(u8_s16a, uint8_t, s16a, , y = widened(x))                     \
    X(s16a_u8, s16a, uint8_t, , y = (uint8_t)(x.a ^ x.b >> 8))      \
    X(u8_s12, uint8_t, s12, , y = spread(x))                        \
    X(s4_u32, s4, uint32_t, , y = (uint32_t)x.a << 16 | x.b)        \
    X(s128_u32, s128, uint32_t, , y = (uint32_t)(x.a[0] + x.a[15]))
#define COMMA ,

/* The call on the device, and item by item in C. */
#define RUNNER(name, input, output, context, map)                                     \
    static cudaError_t run_##name(const void *in, void *out, size_t n)                \
    {                                                                                 \
        return name##_transform((const input *)in, (output *)out, n, context NULL, 0); \
    }                                                                                 \
    static void expect_##name(const unsigned char *in, unsigned char *out, size_t n)  \
    {                                                                                 \
        for (size_t i = 0; i < n; i++) {                                              \
            input x;                                                                  \
            output y;                                                                 \
                                                                                      \
            memcpy((void *)&x, in + i * sizeof x, sizeof x);                          \
            map;                                                                      \
            memcpy(out + i * sizeof y, (const void *)&y, sizeof y);                   \
        }                                                                             \
    }
INSTANCES(RUNNER)

typedef struct instance {
    const char *name;
    size_t in_bytes, in_align, out_bytes, out_align;
    cudaError_t (*run)(const void *, void *, size_t);
    void (*expect)(const unsigned char *, unsigned char *, size_t);
} instance;

#define ROW(name, input, output, context, map)                                                  \
    {#name,                                                                                     \
     sizeof(input), __alignof__(input), sizeof(output), __alignof__(output), run_##name, expect_##name},
static const instance instances[] = {INSTANCES(ROW)};
enum { INSTANCE_COUNT = sizeof instances / sizeof *instances };

/* Random bytes; floats of f32_u8 must be from 0 to 1020, or the conversion is not defined. */
static unsigned char *items_new(const instance *t, size_t n)
{
    unsigned char *items = (unsigned char *)malloc(n * t->in_bytes + 1);

    for (size_t i = 0; i < n * t->in_bytes; i++)
        items[i] = (unsigned char)tap_random();
    if (strcmp(t->name, "f32_u8") == 0)
        for (size_t i = 0; i < n; i++) {
            const float x = (float)tap_below(1000);

            memcpy(items + i * sizeof x, &x, sizeof x);
        }
    return items;
}

/* One call between guards; `in_place` is for items of one size. */
static int is_right(const instance *t, size_t n, size_t in_offset, size_t out_offset, int in_place)
{
    unsigned char *in = items_new(t, n), *got = (unsigned char *)malloc(n * t->out_bytes + 1);
    unsigned char *wanted = (unsigned char *)malloc(n * t->out_bytes + 1);
    tap_buffer d_in = tap_buffer_of(in, n * t->in_bytes, in_offset);
    tap_buffer d_out = tap_buffer_new(n * t->out_bytes, out_offset);
    tap_buffer *written = in_place ? &d_in : &d_out;
    cudaError_t error = t->run(d_in.data, written->data, n);

    t->expect(in, wanted, n);
    tap_buffer_read(got, written, n * t->out_bytes);
    int right = error == cudaSuccess && memcmp(got, wanted, n * t->out_bytes) == 0 &&
                tap_buffer_intact(written, n * t->out_bytes);
    if (!in_place) {
        tap_buffer_read(got, &d_in, 0);
        right &= tap_buffer_intact(&d_in, n * t->in_bytes);
    }
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_out);
    free(in);
    free(got);
    free(wanted);
    return right;
}

/* Sizes about a block's share of whole vectors, and of items. */
static void test_sizes(const instance *t)
{
    const size_t wider = t->in_bytes > t->out_bytes ? t->in_bytes : t->out_bytes;
    const size_t align = t->in_align > t->out_align ? t->in_align : t->out_align;
    const size_t row = 256 * (wider <= 16 ? 16 / wider : 1);
    const size_t sizes[] = {0,        1,           2,       7,       31,          32,      33,     255, 256, 257,
                            row - 1,  row,         row + 1, 2 * row - 1, 2 * row + 1, 4 * row, 5 * row + 3,
                            8 * row + 1, 12 * row - 5, 17 * row, 1021, 4099, 70001};
    int right = 1, in_place = 1;

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        if (sizes[s] * wider > (tap_small ? (size_t)1 << 19 : (size_t)1 << 24))
            continue;
        right &= is_right(t, sizes[s], 0, 0, 0);
        right &= is_right(t, sizes[s], tap_below(16) * t->in_align, tap_below(16) * t->out_align, 0);
        if (t->in_bytes == t->out_bytes)
            in_place &= is_right(t, sizes[s], tap_below(16) * align, 0, 1);
    }
    ok(right, "%s: right at every size, and nothing is written outside", t->name);
    if (t->in_bytes == t->out_bytes)
        ok(in_place, "%s: in place", t->name);
}

static void test_alignments(const instance *t)
{
    static const size_t sizes[] = {1, 5, 16, 30, 47, 62, 65, 1500};
    int right = 1;

    for (size_t from = 0; from < 16; from += t->in_align)
        for (size_t to = 0; to < 16; to += t->out_align)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                if (!tap_small || (from + to + s) % 4 == 0)
                    right &= is_right(t, sizes[s], from, to, 0);
    ok(right, "%s: every misalignment of both arrays", t->name);
}

/* Arrays that are all of their allocation, for tools that look at each read. */
static void test_edges(const instance *t)
{
    int right = 1;

    for (size_t n = 1; n < 100; n += n % 7 + 1)
        for (size_t to = 0; to < 16; to += t->out_align) {
            unsigned char *in = items_new(t, n), *got = (unsigned char *)malloc(n * t->out_bytes);
            unsigned char *wanted = (unsigned char *)malloc(n * t->out_bytes);
            char *d_in = NULL, *d_out = NULL;

            must(cudaMalloc((void **)&d_in, n * t->in_bytes));
            must(cudaMalloc((void **)&d_out, to + n * t->out_bytes));
            must(cudaMemcpy(d_in, in, n * t->in_bytes, cudaMemcpyHostToDevice));
            right &= t->run(d_in, d_out + to, n) == cudaSuccess;
            must(cudaDeviceSynchronize());
            must(cudaMemcpy(got, d_out + to, n * t->out_bytes, cudaMemcpyDeviceToHost));
            t->expect(in, wanted, n);
            right &= memcmp(got, wanted, n * t->out_bytes) == 0;
            must(cudaFree(d_in));
            must(cudaFree(d_out));
            free(in);
            free(got);
            free(wanted);
        }
    ok(right, "%s: nothing is read outside", t->name);
}

/* More items than there are threads at a time. */
static void test_large(const instance *t, size_t n)
{
    ok(is_right(t, n, 0, 0, 0), "%s: %zu items", t->name, n);
    ok(is_right(t, n, 3 * t->in_align, 5 * t->out_align, 0), "%s: %zu items, misaligned", t->name, n);
}

/* ---- by places --------------------------------------------------------------------------------- */

typedef struct {
    const int *a, *b;
    int factor;
} two;

#define GP_NAME count_up
#define GP_INPUT_TYPE void
#define GP_TYPE uint16_t
#define GP_LOAD_AT(in, i) ((uint16_t)(i))
#include <gpuprims/transform.cuh>
#define GP_NAME backwards
#define GP_CONTEXT size_t
#define GP_LOAD_AT(in, i, n) ((in)[(n) - 1 - (i)])
#include <gpuprims/transform.cuh>
#define GP_NAME difference
#define GP_LOAD_AT(in, i) ((in)[i] - ((i) ? (in)[(i) - 1] : 0))
#include <gpuprims/transform.cuh>
#define GP_NAME zip
#define GP_INPUT_TYPE void
#define GP_TYPE int64_t
#define GP_CONTEXT two
#define GP_LOAD_AT(in, i, c) ((int64_t)(c).a[i] * (c).factor + (c).b[i])
#include <gpuprims/transform.cuh>
#define GP_NAME widest
#define GP_INPUT_TYPE int
#define GP_TYPE s48
#define GP_CONTEXT s48
#define GP_LOAD_AT(in, i, c) (c)
#include <gpuprims/transform.cuh>
#define GP_NAME tally
#define GP_CONTEXT int *
#define GP_STORE_AT(out, i, x, counts) \
    do {                               \
        atomicAdd((counts) + (i), 1);  \
        atomicAdd((counts) + (i), x);  \
    } while (0)
#include <gpuprims/transform.cuh>
#define GP_NAME both
#define GP_TYPE uint8_t
#define GP_INPUT_TYPE int
#define GP_LOAD_AT(in, i) ((uint8_t)((in)[i] & 127))
#define GP_STORE_AT(out, i, x) (out)[2 * (i)] = (x)
#include <gpuprims/transform.cuh>

static void test_places(void)
{
    static const size_t sizes[] = {1, 31, 32, 33, 255, 256, 257, 1021, 2047, 2048, 2049, 4097, 6000, 70001};
    int up = 1, back = 1, near = 1, zipped = 1, wide = 1, told = 1, strided = 1;

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes - (size_t)tap_small; s++) {
        const size_t n = sizes[s];
        int *a = (int *)malloc(n * sizeof *a), *b = (int *)malloc(n * sizeof *b);
        unsigned char *got = (unsigned char *)malloc(n * sizeof(s48));
        const int *ints = (const int *)got;

        for (size_t i = 0; i < n; i++) {
            a[i] = (int)tap_below(1 << 20);
            b[i] = (int)tap_below(1 << 20);
        }
        tap_buffer d_a = tap_buffer_of(a, n * sizeof *a, 4), d_b = tap_buffer_of(b, n * sizeof *b, 8);
        tap_buffer d_out = tap_buffer_new(n * sizeof(s48), 8), d_counts = tap_buffer_new(n * sizeof(int), 4);
        const int *in = (const int *)d_a.data;
        int *out = (int *)d_out.data, *counts = (int *)d_counts.data;

        up &= count_up_transform(NULL, (uint16_t *)d_out.data + 1, n, NULL, 0) == cudaSuccess;
        tap_buffer_read(got, &d_out, (n + 1) * 2);
        for (size_t i = 0; i < n; i++) {
            uint16_t x;

            memcpy(&x, got + 2 * i + 2, sizeof x);
            up &= x == (uint16_t)i;
        }
        up &= got[0] == 0xC3 && got[1] == 0xC3 && tap_buffer_intact(&d_out, 2 * (n + 1));

        back &= backwards_transform(in, out, n, n, NULL, 0) == cudaSuccess;
        tap_buffer_read(got, &d_out, n * sizeof *out);
        for (size_t i = 0; i < n; i++)
            back &= ints[i] == a[n - 1 - i];

        near &= difference_transform(in, out, n, NULL, 0) == cudaSuccess;
        tap_buffer_read(got, &d_out, n * sizeof *out);
        for (size_t i = 0; i < n; i++)
            near &= ints[i] == a[i] - (i ? a[i - 1] : 0);

        two c = {in, (const int *)d_b.data, 7};
        zipped &= zip_transform(NULL, (int64_t *)d_out.data, n, c, NULL, 0) == cudaSuccess;
        tap_buffer_read(got, &d_out, n * sizeof(int64_t));
        for (size_t i = 0; i < n; i++) {
            int64_t x;

            memcpy(&x, got + i * sizeof x, sizeof x);
            zipped &= x == (int64_t)a[i] * 7 + b[i];
        }

        s48 fill = {{1, 2, 3, 4, 5, (double)n}};
        wide &= widest_transform(NULL, (s48 *)d_out.data, n, fill, NULL, 0) == cudaSuccess;
        tap_buffer_read(got, &d_out, n * sizeof fill);
        for (size_t i = 0; i < n; i++)
            wide &= memcmp(got + i * sizeof fill, &fill, sizeof fill) == 0;
        wide &= tap_buffer_intact(&d_out, n * sizeof fill);

        must(cudaMemset(counts, 0, n * sizeof *counts));
        told &= tally_transform(in, NULL, n, counts, NULL, 0) == cudaSuccess;
        tap_buffer_read(got, &d_counts, n * sizeof *counts);
        for (size_t i = 0; i < n; i++)
            told &= ints[i] == a[i] + 1;
        told &= tap_buffer_intact(&d_counts, n * sizeof *counts) && tap_buffer_intact(&d_a, n * sizeof *a);

        must(cudaMemset(d_out.data, 0xC3, n * sizeof fill));
        strided &= both_transform(in, (uint8_t *)d_out.data, n, NULL, 0) == cudaSuccess;
        tap_buffer_read(got, &d_out, 2 * n);
        for (size_t i = 0; i < n; i++)
            strided &= got[2 * i] == (a[i] & 127) && got[2 * i + 1] == 0xC3;

        tap_buffer_free(&d_a);
        tap_buffer_free(&d_b);
        tap_buffer_free(&d_out);
        tap_buffer_free(&d_counts);
        free(a);
        free(b);
        free(got);
    }
    ok(up, "GP_LOAD_AT counts, of no input");
    ok(back, "GP_LOAD_AT turns an array round");
    ok(near, "GP_LOAD_AT reads neighbours");
    ok(zipped, "GP_LOAD_AT zips two arrays of a context");
    ok(wide, "GP_LOAD_AT fills an array with a struct");
    ok(told, "GP_STORE_AT with out == NULL: each result once");
    ok(strided, "GP_LOAD_AT and GP_STORE_AT, which writes to every other place");
}

/* ---- a count in device memory ------------------------------------------------------------------ */

#define GP_NAME counted
#define GP_TYPE uint8_t
#define GP_LOAD(x) ((uint8_t)((x) ^ 255))
#define GP_INDEX int
#define GP_DEVICE_N
#include <gpuprims/transform.cuh>
#define GP_NAME counted_s12
#define GP_TYPE s12
#define GP_DEVICE_N
#include <gpuprims/transform.cuh>
#define GP_NAME counted_at
#define GP_INPUT_TYPE void
#define GP_LOAD_AT(in, i) ((int)(i) * 3)
#define GP_INDEX uint32_t
#define GP_DEVICE_N
#include <gpuprims/transform.cuh>
#define GP_NAME counted_signed
#define GP_TYPE uint16_t
#define GP_INDEX int64_t
#define GP_DEVICE_N
#include <gpuprims/transform.cuh>

/* A call whose count is `count` and whose maximum is `max`. What says how it went: 0, or something wrong. */
static int counted_is_wrong(int which, long long count, size_t max)
{
    static const size_t sizes[] = {1, sizeof(s12), sizeof(int), 2};
    const size_t size = sizes[which], n = count < 0 ? 0 : (size_t)count < max ? (size_t)count : max;
    unsigned char *in = (unsigned char *)malloc(max * size + 1), *got = (unsigned char *)malloc(max * size + 1);
    tap_buffer d_n = tap_buffer_of(&count, sizeof count, 0); /* little-endian: the low bytes come first */
    int right;

    for (size_t i = 0; i < max * size; i++)
        in[i] = (unsigned char)tap_random();
    tap_buffer d_in = tap_buffer_of(in, max * size, 4), d_out = tap_buffer_new(max * size, 8);
    cudaError_t error =
        which == 0   ? counted_transform((uint8_t *)d_in.data, (uint8_t *)d_out.data, (int *)d_n.data, max, NULL, 0)
        : which == 1 ? counted_s12_transform((s12 *)d_in.data, (s12 *)d_out.data, (size_t *)d_n.data, max, NULL, 0)
        : which == 2 ? counted_at_transform(NULL, (int *)d_out.data, (uint32_t *)d_n.data, max, NULL, 0)
                     : counted_signed_transform((uint16_t *)d_in.data, (uint16_t *)d_out.data,
                                                (int64_t *)d_n.data, max, NULL, 0);
    tap_buffer_read(got, &d_out, max * size);
    right = error == cudaSuccess && tap_buffer_intact(&d_out, n * size);
    for (size_t i = 0; i < n; i++) {
        const int number = 3 * (int)i;
        unsigned char place[sizeof(s12)] = {0};

        memcpy(place, &number, sizeof number);
        for (size_t b = 0; b < size; b++)
            if (which == 0)
                right &= got[i] == (in[i] ^ 255);
            else if (which == 2)
                right &= got[i * size + b] == place[b];
            else
                right &= got[i * size + b] == in[i * size + b];
    }
    tap_buffer_free(&d_n);
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_out);
    free(in);
    free(got);
    return !right;
}

static void test_counted(void)
{
    static const char *const names[] = {"bytes", "structs", "places", "16-bit integers"};

    for (int which = 0; which < 4; which++) {
        const int is_signed = which == 0 || which == 3;
        int wrong = 0;

        for (size_t max = 1; max < 20000; max = max * 5 + 2) {
            wrong |= counted_is_wrong(which, 0, max) | counted_is_wrong(which, 1, max);
            wrong |= counted_is_wrong(which, (long long)max / 2 + 1, max);
            wrong |= counted_is_wrong(which, (long long)max - 1, max);
            wrong |= counted_is_wrong(which, (long long)max, max);
            wrong |= counted_is_wrong(which, (long long)max + 1, max);
            wrong |= counted_is_wrong(which, INT32_MAX, max);
            if (is_signed)
                wrong |= counted_is_wrong(which, -1, max) | counted_is_wrong(which, INT32_MIN, max);
            if (which == 3)
                wrong |= counted_is_wrong(which, INT64_MIN, max) | counted_is_wrong(which, INT64_MAX, max);
            if (which == 2)
                wrong |= counted_is_wrong(which, UINT32_MAX, max);
        }
        ok(!wrong, "a count in device memory: %s", names[which]);
    }
}

/* ---- errors and nothing ------------------------------------------------------------------------ */

static void refused(cudaError_t error, const char *function, const char *argument)
{
    ok(error == cudaErrorInvalidValue && strstr(gp_last_error_message(), function) &&
           strstr(gp_last_error_message(), argument),
       "refused: %s", gp_last_error_message());
}

static void test_errors(void)
{
    tap_buffer a = tap_buffer_new(4096, 0), b = tap_buffer_new(4096, 0);
    int *in = (int *)a.data, *out = (int *)b.data;
    uint8_t *bytes = (uint8_t *)a.data, *bytes_out = (uint8_t *)b.data;
    const two none = {NULL, NULL, 0};

    refused(gp_transform(NULL, out, 3, NULL, 0), "gp_transform", "in is NULL");
    refused(gp_transform(in, NULL, 3, NULL, 0), "gp_transform", "out is NULL");
    refused(count_up_transform(NULL, NULL, 3, NULL, 0), "count_up_transform", "out is NULL");
    refused(tally_transform(NULL, NULL, 3, NULL, NULL, 0), "tally_transform", "in is NULL");
    refused(counted_transform(bytes, bytes_out, NULL, 3, NULL, 0), "counted_transform",
            "d_n is NULL; it must point to device memory when max_n is 3");
    refused(counted_transform(NULL, bytes_out, in, 3, NULL, 0), "counted_transform", "in is NULL");
    refused(gp_transform(in, out, SIZE_MAX, NULL, 0), "gp_transform", "n is");
    refused(gp_transform(in, out, (size_t)1 << 50, NULL, 0), "gp_transform", "n is"); /* blocks */
    refused(u32_transform((uint32_t *)in, (uint32_t *)out, (size_t)1 << 31, NULL, 0), "u32_transform",
            "n is 2147483648; it must be at most 2147483647");
    refused(counted_transform(bytes, bytes_out, out, (size_t)1 << 31, NULL, 0), "counted_transform", "max_n is");
    refused(counted_at_transform(NULL, out, (uint32_t *)in, (size_t)1 << 32, NULL, 0), "counted_at_transform",
            "max_n is 4294967296; it must be at most 4294967295");
    refused(gp_transform(in, in + 1, 3, NULL, 0), "gp_transform", "in and out overlap; they must be equal or apart");
    refused(gp_transform(in + 1, in, 3, NULL, 0), "gp_transform", "in and out overlap");
    refused(u8_f32_transform(bytes, (float *)in, 3, 1, NULL, 0), "u8_f32_transform",
            "in and out overlap; they must be apart");
    refused(counted_transform(bytes_out, bytes, in, 5, NULL, 0), "counted_transform", "out and d_n overlap");
    ok(cudaGetLastError() == cudaSuccess && tap_buffer_intact(&a, 0) && tap_buffer_intact(&b, 0),
       "a refusal changes nothing and leaves no pending error");

    ok(gp_transform(NULL, NULL, 0, NULL, 0) == cudaSuccess &&
           counted_transform(NULL, NULL, NULL, 0, NULL, 0) == cudaSuccess &&
           zip_transform(NULL, NULL, 0, none, NULL, 0) == cudaSuccess &&
           u8_f32_transform(NULL, NULL, 0, 1, NULL, 0) == cudaSuccess,
       "n == 0 succeeds");
    ok(gp_transform(in, in + 3, 3, NULL, 0) == cudaSuccess, "neighbours do not overlap");
    ok(difference_transform(in, in, 1, NULL, 0) == cudaSuccess, "with GP_LOAD_AT no overlap is checked");
    must(cudaDeviceSynchronize());
    ok(gp_transform_workspace_bytes(SIZE_MAX) == 0 && counted_transform_workspace_bytes(7) == 0, "no workspace");

    /* None is needed, but a handle that has nothing to do with the call will do. */
    gp_workspace ws = GP_WORKSPACE_INIT;
    ok(gp_transform(in, out, 9, &ws, 0) == cudaSuccess, "a workspace that is not needed");
    must(gp_workspace_release(&ws, 0));
    tap_buffer_free(&a);
    tap_buffer_free(&b);
}

/* ---- graphs, and more than 2^32 items ---------------------------------------------------------- */

#ifdef __CUDACC__
#define GP_NAME places
#define GP_TYPE uint8_t
#define GP_INPUT_TYPE void
#define GP_LOAD_AT(in, i) ((uint8_t)((i) ^ (i) >> 8 ^ (i) >> 30))
#include <gpuprims/transform.cuh>

/* Items by their places, and all of them mapped in place; looked at at both ends and about 2^32. */
static void test_huge(void)
{
    enum { WINDOW = 1 << 20 };
    static uint8_t got[WINDOW];
    const size_t n = ((size_t)1 << 32) + 3 * WINDOW + 4099;
    const size_t starts[] = {0, ((size_t)1 << 32) - WINDOW / 2, n - WINDOW};
    uint8_t *items = NULL;
    int right = 1;

    if (cudaMalloc((void **)&items, n + 1) != cudaSuccess) {
        (void)cudaGetLastError();
        ok(1, "more than 2^32 items # SKIP no memory for them");
        return;
    }
    must(places_transform(NULL, items + 1, n, NULL, 0));
    must(u8_transform(items + 1, items + 1, n, NULL, 0));
    for (int s = 0; s < 3; s++) {
        must(cudaMemcpy(got, items + 1 + starts[s], WINDOW, cudaMemcpyDeviceToHost));
        for (size_t k = 0; k < WINDOW; k++) {
            const size_t i = starts[s] + k;

            right &= got[k] == (uint8_t)(3 * (uint8_t)(i ^ i >> 8 ^ i >> 30) + 1);
        }
    }
    ok(right, "more than 2^32 items");
    must(cudaFree(items));
}

/* A captured call with its count in device memory, and one behind it that reads what it wrote; replayed. */
static void test_graph(void)
{
    enum { N = 50000 };
    static uint8_t in[N], got[N];
    tap_buffer d_in = tap_buffer_new(N, 1), d_out = tap_buffer_new(N, 2), d_n = tap_buffer_new(sizeof(int), 0);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    int right = 1;

    must(cudaStreamCreate(&stream));
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    must(counted_transform((uint8_t *)d_in.data, (uint8_t *)d_out.data, (int *)d_n.data, N, NULL, stream));
    must(u8_transform((uint8_t *)d_out.data, (uint8_t *)d_out.data, N, NULL, stream));
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaGraphInstantiate(&executable, graph, 0));
    for (int round = 0; round < 4; round++) {
        const int n = round * 16000 + 5;

        for (size_t i = 0; i < N; i++)
            in[i] = (uint8_t)tap_random();
        must(cudaMemcpy(d_in.data, in, N, cudaMemcpyHostToDevice));
        must(cudaMemcpy(d_n.data, &n, sizeof n, cudaMemcpyHostToDevice));
        must(cudaMemset(d_out.data, 0xC3, N));
        must(cudaGraphLaunch(executable, stream));
        must(cudaStreamSynchronize(stream));
        tap_buffer_read(got, &d_out, N);
        for (int i = 0; i < N; i++)
            right &= got[i] == (uint8_t)(3 * (i < n ? in[i] ^ 255 : 0xC3) + 1);
    }
    ok(right, "a captured graph replays right");
    must(cudaGraphExecDestroy(executable));
    must(cudaGraphDestroy(graph));
    must(cudaStreamDestroy(stream));
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_out);
    tap_buffer_free(&d_n);
}
#endif

int main(int argc, char **argv)
{
    tap_begin(argc, argv);
    for (int k = 0; k < INSTANCE_COUNT; k++) {
        test_sizes(&instances[k]);
        test_alignments(&instances[k]);
        test_edges(&instances[k]);
    }
    if (!tap_small) {
        test_large(&instances[1], ((size_t)9 << 20) + 12345);
        test_large(&instances[2], ((size_t)4 << 20) + 777);
        test_large(&instances[3], ((size_t)5 << 20) + 3333);
        test_large(&instances[5], ((size_t)1 << 20) + 1001);
    }
    test_places();
    test_counted();
    test_errors();
#ifdef __CUDACC__
    test_graph();
    if (!tap_small)
        test_huge();
#endif
    return tap_end();
}
