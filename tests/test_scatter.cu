/* scatter.cuh: gather, scatter, scatter_if and map_to_flags. */
#include "tap.h"

#include <float.h>

/* ---- instances: every size and alignment of an item, every width of an index ------------------- */

/* clang-format off */
typedef struct { uint8_t b[1]; } s1;
typedef struct { uint8_t b[2]; } s2;
typedef struct { uint8_t b[3]; } s3;
typedef struct { uint16_t h[3]; } s6;
typedef struct { int32_t a, b; } s8;
typedef struct { float x, y, z; } s12;
typedef struct { double x, y; } s16;
typedef struct { uint64_t a, b; } __attribute__((aligned(16))) s16a;
typedef struct { uint8_t b[17]; } s17;
typedef struct { int64_t a[3]; } s24;
typedef struct { uint64_t a[4]; } __attribute__((aligned(32))) s32a;
typedef struct { int32_t a[25]; } s100;
typedef struct { double a[16]; } s128;
typedef struct { uint64_t a[16]; } __attribute__((aligned(16))) s128a;
/* clang-format on */

#include <gpuprims/scatter.cuh>
#include <gpuprims/scatter.cuh>

#define GP_NAME u8_u8
#define GP_TYPE uint8_t
#define GP_INDEX uint8_t
#include <gpuprims/scatter.cuh>
#define GP_NAME i16_i8
#define GP_TYPE int16_t
#define GP_INDEX int8_t
#include <gpuprims/scatter.cuh>
#define GP_NAME f64_u32
#define GP_TYPE double
#define GP_INDEX uint32_t
#include <gpuprims/scatter.cuh>
#define GP_NAME s1_i64
#define GP_TYPE s1
#define GP_INDEX int64_t
#include <gpuprims/scatter.cuh>
#define GP_NAME s2_u16
#define GP_TYPE s2
#define GP_INDEX uint16_t
#include <gpuprims/scatter.cuh>
#define GP_NAME s3_u32
#define GP_TYPE s3
#define GP_INDEX uint32_t
#include <gpuprims/scatter.cuh>
#define GP_NAME s6_i64
#define GP_TYPE s6
#define GP_INDEX int64_t
#include <gpuprims/scatter.cuh>
#define GP_NAME s8_i32
#define GP_TYPE s8
#define GP_INDEX int32_t
#include <gpuprims/scatter.cuh>
#define GP_NAME s12_size
#define GP_TYPE s12
#include <gpuprims/scatter.cuh>
#define GP_NAME s16_u8
#define GP_TYPE s16
#define GP_INDEX uint8_t
#include <gpuprims/scatter.cuh>
#define GP_NAME s16a_u32
#define GP_TYPE s16a
#define GP_INDEX uint32_t
#include <gpuprims/scatter.cuh>
#define GP_NAME s17_u32
#define GP_TYPE s17
#define GP_INDEX uint32_t
#include <gpuprims/scatter.cuh>
#define GP_NAME s24_size
#define GP_TYPE s24
#include <gpuprims/scatter.cuh>
#define GP_NAME s32a_u64
#define GP_TYPE s32a
#define GP_INDEX uint64_t
#include <gpuprims/scatter.cuh>
#define GP_NAME s100_u32
#define GP_TYPE s100
#define GP_INDEX uint32_t
#include <gpuprims/scatter.cuh>
#define GP_NAME s128_size
#define GP_TYPE s128
#include <gpuprims/scatter.cuh>
#define GP_NAME s128a_i32
#define GP_TYPE s128a
#define GP_INDEX int32_t
#include <gpuprims/scatter.cuh>

enum function { GATHER, SCATTER, SCATTER_IF };

/* One runner per instance, all of one type. */
#define INSTANCES(X)             \
    X(gp, int, size_t)           \
    X(u8_u8, uint8_t, uint8_t)   \
    X(i16_i8, int16_t, int8_t)   \
    X(f64_u32, double, uint32_t) \
    X(s1_i64, s1, int64_t)       \
    X(s2_u16, s2, uint16_t)      \
    X(s3_u32, s3, uint32_t)      \
    X(s6_i64, s6, int64_t)       \
    X(s8_i32, s8, int32_t)       \
    X(s12_size, s12, size_t)     \
    X(s16_u8, s16, uint8_t)      \
    X(s16a_u32, s16a, uint32_t)  \
    X(s17_u32, s17, uint32_t)    \
    X(s24_size, s24, size_t)     \
    X(s32a_u64, s32a, uint64_t)  \
    X(s100_u32, s100, uint32_t)  \
    X(s128_size, s128, size_t)   \
    X(s128a_i32, s128a, int32_t)

#define RUNNER(name, type, index)                                                              \
    static cudaError_t run_##name(enum function f, const void *in, const void *map,            \
                                  const uint8_t *flags, void *out, size_t n, gp_workspace *ws) \
    {                                                                                          \
        const type *from = (const type *)in;                                                   \
        const index *places = (const index *)map;                                              \
        type *to = (type *)out;                                                                \
        return f == GATHER    ? name##_gather(from, places, to, n, ws, 0)                      \
               : f == SCATTER ? name##_scatter(from, places, to, n, ws, 0)                     \
                              : name##_scatter_if(from, places, flags, to, n, ws, 0);          \
    }
INSTANCES(RUNNER)

typedef struct instance {
    const char *name;
    size_t bytes, alignment, index_bytes;
    int index_is_signed;
    cudaError_t (*run)(enum function, const void *, const void *, const uint8_t *, void *, size_t,
                       gp_workspace *);
    size_t (*workspace_bytes)(size_t);
} instance;

#define ROW(name, type, index) \
    {#name,                    \
     sizeof(type),             \
     __alignof__(type),        \
     sizeof(index),            \
     (index)-1 < (index)1,     \
     run_##name,               \
     name##_scatter_workspace_bytes},
static const instance instances[] = {INSTANCES(ROW)};
enum { INSTANCE_COUNT = sizeof instances / sizeof *instances };

/* ---- data -------------------------------------------------------------------------------------- */

/* How many places an index of this instance can name. */
static size_t places_of(const instance *t)
{
    unsigned bits = 8 * (unsigned)t->index_bytes - (unsigned)t->index_is_signed;

    return bits >= 32 ? (size_t)1 << 32 : (size_t)1 << bits;
}

/* Items whose bytes all differ from item to item, so that a mixture of two is none of the input. */
static unsigned char *items_new(size_t n, size_t bytes)
{
    unsigned char *items = (unsigned char *)malloc(n * bytes + 1);

    for (size_t i = 0; i < n * bytes; i++)
        items[i] = (unsigned char)tap_random();
    return items;
}

/* Random places below `places`, the width of the index; all different when `permuted` (places >= n). */
static unsigned char *map_new(const instance *t, size_t n, size_t places, int permuted)
{
    unsigned char *map = (unsigned char *)malloc(n * t->index_bytes + 1);
    size_t *all = (size_t *)malloc(places * sizeof *all);

    for (size_t k = 0; k < places; k++)
        all[k] = k;
    for (size_t i = 0; i < n; i++) {
        size_t pick = permuted ? i + (size_t)tap_below(places - i) : (size_t)tap_below(places);
        size_t place = all[pick];

        if (permuted) {
            all[pick] = all[i];
            all[i] = place;
        }
        memcpy(map + i * t->index_bytes, &place, t->index_bytes); /* little-endian */
    }
    free(all);
    return map;
}

static size_t map_at(const instance *t, const unsigned char *map, size_t i)
{
    size_t place = 0;

    memcpy(&place, map + i * t->index_bytes, t->index_bytes);
    return place;
}

/* One call with guarded buffers at some alignment; leaves the whole of out in `result`. */
static int call(const instance *t, enum function f, const unsigned char *in, size_t in_items,
                const unsigned char *map, const uint8_t *flags, unsigned char *result,
                size_t out_items, size_t n, gp_workspace *ws)
{
    size_t shift = (size_t)tap_below(16);
    tap_buffer d_in = tap_buffer_of(in, in_items * t->bytes, shift * t->alignment);
    tap_buffer d_map = tap_buffer_of(map, n * t->index_bytes, shift * t->index_bytes);
    tap_buffer d_flags = tap_buffer_new(n, shift);
    tap_buffer d_out = tap_buffer_new(out_items * t->bytes, (size_t)tap_below(16) * t->alignment);

    if (flags)
        must(cudaMemcpy(d_flags.data, flags, n, cudaMemcpyHostToDevice));
    cudaError_t error =
        t->run(f, d_in.data, d_map.data, (const uint8_t *)d_flags.data, d_out.data, n, ws);
    tap_buffer_read(result, &d_out, out_items * t->bytes);
    int intact = tap_buffer_intact(&d_out, out_items * t->bytes);
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_map);
    tap_buffer_free(&d_flags);
    tap_buffer_free(&d_out);
    return error == cudaSuccess && intact;
}

/* ---- moving ------------------------------------------------------------------------------------ */

static int gather_is_right(const instance *t, size_t n, gp_workspace *ws)
{
    size_t places = n / 2 + 3 < places_of(t) ? n / 2 + 3 : places_of(t);
    unsigned char *in = items_new(places, t->bytes), *map = map_new(t, n, places, 0);
    unsigned char *out = (unsigned char *)malloc(n * t->bytes);
    int right = call(t, GATHER, in, places, map, NULL, out, n, n, ws);

    for (size_t i = 0; i < n; i++)
        right &= memcmp(out + i * t->bytes, in + map_at(t, map, i) * t->bytes, t->bytes) == 0;
    free(in);
    free(map);
    free(out);
    return right;
}

/*
 * Every place that something goes to holds one of the items that do, every other what it had. Half of the
 * places get nothing when the map is a permutation; in the crowded case each gets some eight items.
 */
static int scatter_is_right(const instance *t, size_t n, int crowded, int flagged, gp_workspace *ws)
{
    size_t places = crowded ? n / 8 + 1 : 2 * n;

    if (places > places_of(t))
        places = places_of(t);
    unsigned char *in = items_new(n, t->bytes),
                  *map = map_new(t, n, places, !crowded && places >= n);
    unsigned char *out = (unsigned char *)malloc(places * t->bytes), *flags = items_new(n, 1);
    unsigned char *state =
        (unsigned char *)calloc(places, 1); /* 1: wanted, 2: one of those is there */

    for (size_t i = 0; i < n; i++)
        flags[i] &= (unsigned char)-(flags[i] & 1); /* half of them 0, the others of all kinds */
    int right = call(t, flagged ? SCATTER_IF : SCATTER, in, n, map, flagged ? flags : NULL, out,
                     places, n, ws);
    for (size_t i = 0; i < n; i++) {
        size_t place = map_at(t, map, i);

        if (flagged && !flags[i])
            continue;
        state[place] |= 1;
        if (memcmp(out + place * t->bytes, in + i * t->bytes, t->bytes) == 0)
            state[place] |= 2;
    }
    for (size_t k = 0; k < places; k++) {
        right &= state[k] != 1;
        for (size_t b = 0; b < t->bytes && !state[k]; b++)
            right &= out[k * t->bytes + b] == 0xC3;
    }
    free(in);
    free(map);
    free(out);
    free(flags);
    free(state);
    return right;
}

static void test_moves(const instance *t)
{
    static const size_t sizes[] = {1,   2,    31,   32,   33,   255,  256,
                                   257, 1023, 1024, 1025, 2049, 4099, 70001};
    size_t count = sizeof sizes / sizeof *sizes - (tap_small || t->bytes > 32);
    gp_workspace kept = GP_WORKSPACE_INIT;

    for (int k = 0; k < 5; k++) {
        int right = 1;

        for (size_t s = 0; s < count; s++) {
            gp_workspace *ws = s % 2 ? &kept : NULL;

            right &= k == 0 ? gather_is_right(t, sizes[s], ws)
                            : scatter_is_right(t, sizes[s], (k - 1) & 1, (k - 1) >> 1, ws);
        }
        static const char *const what[] = {"gather", "scatter", "scatter with duplicates",
                                           "scatter_if", "scatter_if with duplicates"};
        ok(right, "%s: %s", t->name, what[k]);
    }
    must(gp_workspace_release(&kept, 0));
}

/* ---- flags ------------------------------------------------------------------------------------- */

static __device__ int above(int x, int limit)
{
    return x > limit;
}

typedef struct {
    int limit, flip;
} bounds;

#define GP_NAME limit
#define GP_CONTEXT bounds
#define GP_PRED(x, c) (above(x, (c).limit) ? !(c).flip : (c).flip)
#include <gpuprims/scatter.cuh>
#define GP_NAME wide
#define GP_TYPE s100
#define GP_PRED(x) ((x).a[24] & 6) /* true, but not 1 */
#include <gpuprims/scatter.cuh>
#define GP_NAME f32
#define GP_TYPE float
#include <gpuprims/scatter.cuh>
#define GP_NAME i8
#define GP_TYPE signed char
#include <gpuprims/scatter.cuh>
#define GP_NAME i64
#define GP_TYPE long long
#include <gpuprims/scatter.cuh>
#define GP_NAME i128
#define GP_TYPE __int128
#include <gpuprims/scatter.cuh>
typedef const char *text;
#define GP_NAME pointer
#define GP_TYPE text
#include <gpuprims/scatter.cuh>
#ifndef __CUDACC__ /* there are none on a GPU */
#define GP_NAME f80
#define GP_TYPE long double
#include <gpuprims/scatter.cuh>
#endif

/* The flags of `name` for some items, against those that C gives for x != 0. */
#define FLAGS_OF(name, type, ...)                                                              \
    do {                                                                                       \
        const type items[] = {__VA_ARGS__};                                                    \
        enum { N = sizeof items / sizeof *items };                                             \
        uint8_t got[N];                                                                        \
        tap_buffer d_in = tap_buffer_of(items, sizeof items, 0), d_out = tap_buffer_new(N, 1); \
        cudaError_t error =                                                                    \
            name##_map_to_flags((const type *)d_in.data, (uint8_t *)d_out.data, N, NULL, 0);   \
        int right = error == cudaSuccess;                                                      \
        tap_buffer_read(got, &d_out, N);                                                       \
        for (int i = 0; i < N; i++)                                                            \
            right &= got[i] == (items[i] != 0);                                                \
        ok(right &&tap_buffer_intact(&d_out, N), "map_to_flags of " #type " is x != 0");       \
        tap_buffer_free(&d_in);                                                                \
        tap_buffer_free(&d_out);                                                               \
    } while (0)

static void test_flags(void)
{
    float nan = __builtin_nanf("");

    FLAGS_OF(gp, int, 7, 0, -1, 1 << 24, INT32_MIN);
    FLAGS_OF(f32, float, 0.0f, -0.0f, 1.0f, -2.5f, nan, -nan, FLT_MIN / 4, -FLT_MIN / 4, 256.0f);
    FLAGS_OF(f64_u32, double, 0.0, -0.0, 1.0, -2.5, (double)nan, DBL_MIN / 4, -DBL_MIN, 1e300);
    FLAGS_OF(i8, signed char, 0, 1, -128, 127);
    FLAGS_OF(i64, long long, 0, 1, (long long)1 << 32, INT64_MIN);
    FLAGS_OF(i128, __int128, 0, 1, (__int128)1 << 64, (__int128)1 << 126);
    FLAGS_OF(pointer, text, NULL, "");
#ifndef __CUDACC__
    FLAGS_OF(f80, long double, 0.0L, -0.0L, 1.0L, -2.5L, LDBL_MIN / 4);
#endif

    /* A predicate, with a context and of a struct, at all sizes of a tile. */
    static const size_t sizes[] = {1, 32, 1023, 1024, 1025, 5003};
    int right = 1, right_wide = 1;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t n = sizes[s];
        unsigned char *bytes = items_new(n, sizeof(s100));
        uint8_t *got = (uint8_t *)malloc(n);
        bounds c = {12345, (int)(s & 1)};
        tap_buffer d_in = tap_buffer_of(bytes, n * sizeof(s100), 4), d_out = tap_buffer_new(n, s);
        int *ints = (int *)malloc(n * sizeof *ints);
        s100 *structs = (s100 *)malloc(n * sizeof *structs);

        memcpy(ints, bytes, n * sizeof *ints);
        memcpy(structs, bytes, n * sizeof *structs);
        right &= limit_map_to_flags((const int *)d_in.data, (uint8_t *)d_out.data, n, c, NULL, 0) ==
                 cudaSuccess;
        tap_buffer_read(got, &d_out, n);
        for (size_t i = 0; i < n; i++)
            right &= got[i] == ((ints[i] > c.limit) ^ c.flip);
        right_wide &= wide_map_to_flags((const s100 *)d_in.data, (uint8_t *)d_out.data, n, NULL,
                                        0) == cudaSuccess;
        tap_buffer_read(got, &d_out, n);
        for (size_t i = 0; i < n; i++)
            right_wide &= got[i] == ((structs[i].a[24] & 6) != 0);
        right &= tap_buffer_intact(&d_out, n);
        tap_buffer_free(&d_in);
        tap_buffer_free(&d_out);
        free(bytes);
        free(got);
        free(ints);
        free(structs);
    }
    ok(right, "map_to_flags calls a predicate with its context");
    ok(right_wide, "map_to_flags of a struct with a predicate writes 0 and 1");
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
    tap_buffer a = tap_buffer_new(4096, 0), b = tap_buffer_new(4096, 0),
               c = tap_buffer_new(4096, 0);
    int *in = (int *)a.data, *out = (int *)c.data;
    size_t *map = (size_t *)b.data;
    uint8_t *flags = (uint8_t *)b.data;
    s12 *in12 = (s12 *)a.data, *out12 = (s12 *)c.data;
    bounds none = {0, 0};

    must(cudaMemset(map, 0, 4096));
    refused(gp_gather(NULL, map, out, 3, NULL, 0), "gp_gather", "in is NULL");
    refused(gp_gather(in, NULL, out, 3, NULL, 0), "gp_gather", "map is NULL");
    refused(gp_gather(in, map, NULL, 3, NULL, 0), "gp_gather", "out is NULL");
    refused(gp_scatter(NULL, map, out, 3, NULL, 0), "gp_scatter", "in is NULL");
    refused(gp_scatter(in, NULL, out, 3, NULL, 0), "gp_scatter", "map is NULL");
    refused(gp_scatter(in, map, NULL, 3, NULL, 0), "gp_scatter", "out is NULL");
    refused(gp_scatter_if(in, map, NULL, out, 3, NULL, 0), "gp_scatter_if", "flags is NULL");
    refused(gp_scatter_if(in, map, flags, NULL, 3, NULL, 0), "gp_scatter_if", "out is NULL");
    refused(gp_map_to_flags(NULL, flags, 3, NULL, 0), "gp_map_to_flags", "in is NULL");
    refused(gp_map_to_flags(in, NULL, 3, NULL, 0), "gp_map_to_flags", "flags is NULL");
    refused(s12_size_map_to_flags(in12, flags, 3, NULL, 0), "s12_size_map_to_flags", "GP_PRED");
    refused(gp_gather(in, map, out, SIZE_MAX, NULL, 0), "gp_gather", "n is");
    refused(gp_gather(in, map, out, (size_t)1 << 40, NULL, 0), "gp_gather", "n is"); /* blocks */
    refused(gp_scatter(in, map, out, ((size_t)1 << 61) + 1, NULL, 0), "gp_scatter", "n is");
    refused(s12_size_scatter(in12, map, out12, SIZE_MAX - 5, NULL, 0), "s12_size_scatter", "n is");
    refused(gp_scatter_if(in, map, flags, out, (size_t)1 << 40, NULL, 0), "gp_scatter_if", "n is");
    refused(gp_map_to_flags(in, flags, SIZE_MAX / 2, NULL, 0), "gp_map_to_flags", "n is");
    refused(gp_map_to_flags(in, flags, (size_t)1 << 43, NULL, 0), "gp_map_to_flags", "n is");
    refused(gp_gather(in, map, (int *)(map + 2), 3, NULL, 0), "gp_gather", "map and out overlap");
    refused(gp_map_to_flags(in, (uint8_t *)in, 3, NULL, 0), "gp_map_to_flags",
            "in and flags overlap; they must be apart");
    refused(gp_map_to_flags(in, (uint8_t *)(in + 3) - 1, 3, NULL, 0), "gp_map_to_flags",
            "in and flags");
    ok(s12_size_scatter_workspace_bytes(SIZE_MAX) == SIZE_MAX, "a workspace never wraps");
    ok(cudaGetLastError() == cudaSuccess, "a refusal leaves no pending error");
    ok(tap_buffer_intact(&a, 0) && tap_buffer_intact(&c, 0), "nor anything else");
    must(cudaMemset(in, 0, 4096));
    ok(gp_gather(in, map, (int *)(map + 3), 3, NULL, 0) == cudaSuccess &&
           gp_map_to_flags(in, (uint8_t *)(in + 3), 3, NULL, 0) == cudaSuccess,
       "neighbours do not overlap");
    must(cudaMemset(in, 0xC3, 4096));
    must(cudaMemset(map, 0, 4096));

    ok(gp_gather(NULL, NULL, NULL, 0, NULL, 0) == cudaSuccess &&
           gp_scatter(NULL, NULL, NULL, 0, NULL, 0) == cudaSuccess &&
           gp_scatter_if(NULL, NULL, NULL, NULL, 0, NULL, 0) == cudaSuccess &&
           gp_map_to_flags(NULL, NULL, 0, NULL, 0) == cudaSuccess &&
           limit_scatter(NULL, NULL, NULL, 0, none, NULL, 0) == cudaSuccess &&
           s12_size_scatter(NULL, NULL, NULL, 0, NULL, 0) == cudaSuccess,
       "n == 0 succeeds");

    /* A workspace: none for what a single store writes; else exactly enough, and one byte too little. */
    ok(gp_scatter_workspace_bytes(1 << 20) == 0 && gp_scatter_if_workspace_bytes(1 << 20) == 0 &&
           gp_gather_workspace_bytes(1 << 20) == 0 &&
           gp_map_to_flags_workspace_bytes(1 << 20) == 0 &&
           s16a_u32_scatter_workspace_bytes(99) == 0 && s12_size_gather_workspace_bytes(99) == 0,
       "no workspace for scalars, nor for a gather");
    size_t bytes = s12_size_scatter_workspace_bytes(300);
    tap_buffer memory = tap_buffer_new(bytes, 1);
    gp_workspace ws = GP_WORKSPACE_INIT;
    must(gp_workspace_wrap(&ws, memory.data, bytes - 1, 0));
    refused(s12_size_scatter(in12, map, out12, 300, &ws, 0), "s12_size_scatter", "bytes");
    ok(tap_buffer_intact(&c, 0), "a refusal changes nothing");
    must(gp_workspace_wrap(&ws, memory.data, bytes, 0));
    ok(s12_size_scatter(in12, map, out12, 300, &ws, 0) == cudaSuccess &&
           tap_buffer_intact(&memory, bytes) && tap_buffer_intact(&c, sizeof(s12)),
       "a dirty workspace of exactly enough bytes will do");
    must(gp_workspace_release(&ws, 0));
    tap_buffer_free(&memory);
    tap_buffer_free(&a);
    tap_buffer_free(&b);
    tap_buffer_free(&c);
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv);
    for (int k = 0; k < INSTANCE_COUNT; k++)
        test_moves(&instances[k]);
    test_flags();
    test_errors();
    return tap_end();
}
