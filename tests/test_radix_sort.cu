/*
 * radix_sort.cuh and host/cpu_sort.h: every kind of key, values of many sizes, every kernel.
 *
 * Under compute-sanitizer --tool racecheck leave out --kernel-name: in CUDA 13.0 a cluster of blocks that the
 * tool does not look at ends with "Internal Sanitizer Error: The Sanitizer failed to handle a hardware
 * exception", and those that it looks at take long. Choose instances instead: no clusters are launched by
 * --small --only p_,old_,again_,buckets_,block_,u32_s64.
 */
/* test options: timeout=1200 small=--brief */
#include "tap.h"

#include <math.h>

/* ---- instances --------------------------------------------------------------------------------- */

/* clang-format off */
typedef struct { uint8_t b[3]; } s3;
typedef struct { float x, y, z; } s12;
typedef struct { uint64_t a, b; } __attribute__((aligned(16))) s16a;
typedef struct { uint32_t a[8]; } s32;
typedef struct { double a[8]; } s64;
typedef struct { uint8_t b[77]; } s77;

#define CASE u32
#define CASE_KEY uint32_t
#include "radix_case.h"
/* Counted by clusters of as many blocks as there may be, and in passes from 32000 keys on. */
#undef GPI_TUNE_RADIX_COUNTED
#define GPI_TUNE_RADIX_COUNTED 1000
#undef GPI_TUNE_RADIX_COUNTED_MOST
#define GPI_TUNE_RADIX_COUNTED_MOST 2000
#define CASE u8
#define CASE_KEY uint8_t
#include "radix_case.h"
#undef GPI_TUNE_RADIX_COUNTED
#define GPI_TUNE_RADIX_COUNTED 16384
#undef GPI_TUNE_RADIX_COUNTED_MOST
#define GPI_TUNE_RADIX_COUNTED_MOST 32768
#define CASE i64_down
#define CASE_KEY int64_t
#define CASE_DESCENDING
#include "radix_case.h"
#define CASE f32
#define CASE_KEY float
#include "radix_case.h"
#define CASE i16_s12
#define CASE_KEY int16_t
#define CASE_VALUE s12
#include "radix_case.h"
#define CASE f64_f32
#define CASE_KEY double
#define CASE_VALUE float
#define CASE_NUMBERS AS_FLOAT
#include "radix_case.h"
#define CASE i8_f64
#define CASE_KEY signed char
#define CASE_VALUE double
#define CASE_NUMBERS AS_DOUBLE
#include "radix_case.h"
#define CASE u32_s64
#define CASE_KEY unsigned
#define CASE_VALUE s64
#include "radix_case.h"

/* Passes over memory, however small n is. */
#define CASE p_u32
#define CASE_KEY uint32_t
#define CASE_KERNEL GP_KERNEL_PASSES
#include "radix_case.h"
#define CASE p_f32
#define CASE_KEY float
#define CASE_KERNEL GP_KERNEL_PASSES
#include "radix_case.h"
/* By one block, so that tiles are as large as they get: only whole ones are ranked by atomics. */
#define CASE whole_f32
#define CASE_KEY float
#define CASE_KERNEL GP_KERNEL_PASSES
#define CASE_GRID 1
#include "radix_case.h"
#define CASE whole_i32_down
#define CASE_KEY int32_t
#define CASE_DESCENDING
#define CASE_KERNEL GP_KERNEL_PASSES
#define CASE_GRID 1
#include "radix_case.h"
#define CASE whole_u32_i16
#define CASE_KEY uint32_t
#define CASE_VALUE int16_t
#define CASE_KERNEL GP_KERNEL_PASSES_AGAIN
#define CASE_GRID 1
#include "radix_case.h"
#undef GPI_RADIX_MAX_NUMBERS
#define GPI_RADIX_MAX_NUMBERS 9000 /* beyond that as with more than 2^32 items */
#define CASE p_u64_s16a_down
#define CASE_KEY uint64_t
#define CASE_VALUE s16a
#define CASE_DESCENDING
#define CASE_KERNEL GP_KERNEL_PASSES
#include "radix_case.h"
#undef GPI_RADIX_MAX_NUMBERS
#define GPI_RADIX_MAX_NUMBERS UINT32_MAX
#define CASE p_f32_s32
#define CASE_KEY float
#define CASE_VALUE s32
#define CASE_KERNEL GP_KERNEL_PASSES
#include "radix_case.h"
#define CASE p_u16_u8
#define CASE_KEY uint16_t
#define CASE_VALUE uint8_t
#define CASE_KERNEL GP_KERNEL_PASSES
#include "radix_case.h"

/* In buckets, however few keys there are. */
#define CASE buckets_f32_down
#define CASE_KEY float
#define CASE_DESCENDING
#define CASE_KERNEL GP_KERNEL_BUCKETS
#include "radix_case.h"
#define CASE buckets_i64
#define CASE_KEY int64_t
#define CASE_KERNEL GP_KERNEL_BUCKETS_TWICE
#include "radix_case.h"
#define CASE buckets_f64_down
#define CASE_KEY double
#define CASE_DESCENDING
#define CASE_KERNEL GP_KERNEL_BUCKETS_TWICE
#include "radix_case.h"
#define CASE buckets_u32_u16_down
#define CASE_KEY uint32_t
#define CASE_VALUE uint16_t
#define CASE_DESCENDING
#define CASE_KERNEL GP_KERNEL_BUCKETS
#include "radix_case.h"
#define CASE buckets_i32_s12
#define CASE_KEY int32_t
#define CASE_VALUE s12
#define CASE_KERNEL GP_KERNEL_BUCKETS_TWICE
#include "radix_case.h"
#define CASE buckets_f64_u64
#define CASE_KEY double
#define CASE_VALUE uint64_t
#define CASE_KERNEL GP_KERNEL_BUCKETS
#include "radix_case.h"
#define CASE buckets_u64_s32
#define CASE_KEY uint64_t
#define CASE_VALUE s32
#define CASE_KERNEL GP_KERNEL_BUCKETS_TWICE
#include "radix_case.h"

/* As on GPUs without clusters. */
#define CASE block_f32_u16_down
#define CASE_KEY float
#define CASE_VALUE uint16_t
#define CASE_DESCENDING
#define CASE_KERNEL GP_KERNEL_BLOCK
#include "radix_case.h"

#define CASE block_i8
#define CASE_KEY int8_t
#define CASE_KERNEL GP_KERNEL_BLOCK
#include "radix_case.h"

/* As on GPUs with little shared memory. */
#define CASE old_f64_down
#define CASE_KEY double
#define CASE_DESCENDING
#define CASE_KERNEL GP_KERNEL_PASSES_OLD
#include "radix_case.h"
#define CASE old_i32_u64
#define CASE_KEY int32_t
#define CASE_VALUE uint64_t
#define CASE_KERNEL GP_KERNEL_PASSES_OLD
#include "radix_case.h"

/* Portions of two tiles, some of which are done again. */
#undef GPI_RADIX_ROWS
#define GPI_RADIX_ROWS ((size_t)3)
#define CASE again_u32
#define CASE_KEY uint32_t
#define CASE_KERNEL GP_KERNEL_PASSES_AGAIN
#include "radix_case.h"
#define CASE again_i8_down
#define CASE_KEY signed char
#define CASE_DESCENDING
#define CASE_KERNEL GP_KERNEL_PASSES_AGAIN
#include "radix_case.h"
#define CASE again_f32_down
#define CASE_KEY float
#define CASE_DESCENDING
#define CASE_KERNEL GP_KERNEL_PASSES_AGAIN
#include "radix_case.h"
#define CASE again_f32_u32
#define CASE_KEY float
#define CASE_VALUE uint32_t
#define CASE_KERNEL GP_KERNEL_PASSES_AGAIN
#include "radix_case.h"
#define CASE again_u8_s77
#define CASE_KEY uint8_t
#define CASE_VALUE s77
#define CASE_KERNEL GP_KERNEL_PASSES_AGAIN
#include "radix_case.h"
#undef GPI_RADIX_ROWS
#define GPI_RADIX_ROWS ((size_t)26 << 10)
#define CASE i32_s3
#define CASE_KEY int
#define CASE_VALUE s3
#include "radix_case.h"

static int kernel; /* GP_KERNEL of the instances from here on */

/* Keys that are no numbers of C. */
#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
typedef __half half_key;
typedef __nv_bfloat16 bfloat_key;
#else
#ifdef __FLT16_MANT_DIG__
typedef _Float16 half_key;
#else
typedef struct { uint16_t bits; } half_key;
#endif
typedef struct { uint16_t bits; } bfloat_key;
#endif
typedef struct { uint8_t of[1]; } key8;
typedef struct { uint8_t of[2]; } key16;
typedef struct { uint16_t of[2]; } key32;
typedef struct { uint8_t of[8]; } key64;
#define CASE kind_f16
#define CASE_KEY half_key
#define CASE_KIND GP_FLOAT
#define CASE_KERNEL kernel
#define CASE_GRID 3
#include "radix_case.h"
#define CASE kind_bf16_u32_down
#define CASE_KEY bfloat_key
#define CASE_KIND GP_FLOAT
#define CASE_VALUE uint32_t
#define CASE_DESCENDING
#define CASE_KERNEL kernel
#define CASE_GRID 3
#include "radix_case.h"
#define CASE kind_f8_down
#define CASE_KEY key8
#define CASE_KIND GP_FLOAT
#define CASE_DESCENDING
#define CASE_KERNEL kernel
#define CASE_GRID 3
#include "radix_case.h"
#define CASE kind_i8_down
#define CASE_KEY key8
#define CASE_KIND GP_SIGNED
#define CASE_DESCENDING
#define CASE_KERNEL kernel
#define CASE_GRID 3
#include "radix_case.h"
#define CASE kind_u16_s12
#define CASE_KEY key16
#define CASE_KIND GP_UNSIGNED
#define CASE_VALUE s12
#define CASE_KERNEL kernel
#define CASE_GRID 3
#include "radix_case.h"
#define CASE kind_f32
#define CASE_KEY key32
#define CASE_KIND GP_FLOAT
#define CASE_KERNEL kernel
#define CASE_GRID 3
#include "radix_case.h"
#define CASE kind_i64_down
#define CASE_KEY key64
#define CASE_KIND GP_SIGNED
#define CASE_DESCENDING
#define CASE_KERNEL kernel
#define CASE_GRID 3
#include "radix_case.h"
/* clang-format on */

#include <gpuprims/radix_sort.cuh>
#include <gpuprims/radix_sort.cuh>

#include <gpuprims/host/cpu_sort.h>
#define GP_NAME structs
#define GP_KEY key16
#define GP_KEY_KIND GP_SIGNED
#include <gpuprims/host/cpu_sort.h>
#define GP_NAME floats_down
#define GP_KEY float
#define GP_DESCENDING
#include <gpuprims/host/cpu_sort.h>

#include "no_parameters.h"

static const radix_case *const cases[] = {
    &u32_case,          &u8_case,          &i64_down_case,        &f32_case,
    &i16_s12_case,      &f64_f32_case,     &i8_f64_case,          &u32_s64_case,
    &p_u32_case,        &p_f32_case,       &p_u64_s16a_down_case, &p_u16_u8_case, &p_f32_s32_case,
    &old_f64_down_case, &old_i32_u64_case, &again_u32_case,       &again_f32_u32_case,
    &again_f32_down_case, &whole_f32_case, &whole_i32_down_case, &whole_u32_i16_case,
    &again_u8_s77_case, &again_i8_down_case, &block_i8_case,
    &i32_s3_case,      &block_f32_u16_down_case,
    &buckets_f32_down_case, &buckets_i64_case, &buckets_f64_down_case,
    &buckets_u32_u16_down_case, &buckets_i32_s12_case, &buckets_f64_u64_case, &buckets_u64_s32_case,
};
enum { CASES = sizeof cases / sizeof *cases };
static const radix_case *const kind_cases[] = {
    &kind_f16_case, &kind_bf16_u32_down_case, &kind_f8_down_case, &kind_i8_down_case, &kind_u16_s12_case,
    &kind_f32_case, &kind_i64_down_case,
};
enum { KIND_CASES = sizeof kind_cases / sizeof *kind_cases };

/* ---- the reference ----------------------------------------------------------------------------- */

/* Which item comes where. */
static item *reference(const radix_case *c, const void *keys, size_t n, int begin_bit, int end_bit)
{
    item *items = (item *)malloc((n + 1) * sizeof *items);
    int width = end_bit < 0 ? 8 * (int)c->key_bytes : end_bit - begin_bit;

    for (size_t i = 0; i < n; i++) {
        uint64_t number = key_number(key_bits(keys, i, c->key_bytes), c->key_bytes, c->kind, c->descending);

        items[i].number =
            width ? number >> (end_bit < 0 ? 0 : begin_bit) & (UINT64_MAX >> (64 - width)) : 0;
        items[i].index = i;
    }
    qsort(items, n, sizeof *items, compare_items);
    return items;
}

/* ---- data -------------------------------------------------------------------------------------- */

static const char *const patterns[] = {
    "random",        "random, few bits", "all equal",           "sorted",
    "reversed",      "few distinct",     "mostly one",          "one low byte",
    "one high byte", "special floats",   "zeros of both signs", "20 high bits, 64 times each",
    "20 high bits, 65 times each", "one high byte in every seventh",
    "floats from -3 to 5", "such floats, infinities and a NaN",
    "runs of 600",   "multiples of 32",  "second byte 0",       "some alike in 24 bits",
    "few distinct, and one other", "any number of leading zeros", "0 to 63 in turn",
    "floats from 0 to 1", "such floats, some zeros of both signs",
    "floats that share a digit", "floats of many exponents", "floats, and a NaN that a sample misses",
    "small ones where a cluster's sample is", "random, and one forty times", "the AND of three random ones",
    "two in turn, which change places every 1024", "mostly one, and some next to it",
};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

/* A number as a float of so many bytes: of few bytes the topmost ones of a larger one. */
static uint64_t float_bits(const radix_case *c, double d)
{
    float f = (float)d;
    uint64_t bits = 0;

    memcpy(&bits, c->key_bytes == 8 ? (void *)&d : (void *)&f, c->key_bytes < 4 ? 4 : c->key_bytes);
    return c->key_bytes < 4 ? bits >> (32 - 8 * c->key_bytes) : bits;
}

static uint64_t special(const radix_case *c, uint64_t random)
{
    static const float some[] = {0.0f, -0.0f, 1.0f, -1.0f, 1e-45f, -1e-45f, 3e38f, -3e38f};
    uint64_t bits = 0, sign = (uint64_t)1 << (8 * c->key_bytes - 1);

    if (random % 12 < 8) {
        bits = float_bits(c, some[random % 12]);
    } else { /* infinities and NaNs of both signs */
        bits = float_bits(c, INFINITY);
        bits |= random % 12 < 10 ? 0 : (random >> 20) % 5 * ((sign >> 14) + 1);
        bits |= random % 2 ? sign : 0;
    }
    return bits;
}

/* A float from -3 to 5; or, if has_special, one in fifty infinite, one a NaN. */
static uint64_t ranged(const radix_case *c, uint64_t random, size_t i, int has_special)
{
    const uint64_t infinity = float_bits(c, INFINITY);
    uint64_t bits = float_bits(c, (double)(random >> 11) / 1125899906842624.0 - 3);

    if (has_special && i % 50 == 7)
        bits = infinity | (i % 100 == 7 ? (uint64_t)1 << (8 * c->key_bytes - 1) : 0);
    if (has_special && i == 601)
        bits = infinity + 1;
    return bits;
}

/* Whether a cluster takes item i for its first sample, of 32 items for each block: as gpi_sample_place() says. */
static int is_sample(size_t i, size_t n)
{
    size_t samples = 64;

    while (samples < 512 && n > 32 * samples)
        samples *= 2;
    const size_t stride = n / samples, s = stride ? i / stride : samples;
    uint32_t some = (uint32_t)s;
    some = (some ^ some >> 16) * 0x7FEB352Du;
    some = (some ^ some >> 15) * 0x846CA68Bu;
    some ^= some >> 16;
    return s < samples && i == s * stride + ((uint64_t)some * stride >> 32);
}

static uint64_t make_key(const radix_case *c, int pattern, size_t i, size_t n)
{
    uint64_t random = tap_random(), all = UINT64_MAX >> (64 - 8 * c->key_bytes);

    switch (pattern) {
    case 1: return random % 64;
    case 2: return 0x1234567890ABCDEFu & all;
    case 3: return (uint64_t)((double)i / (double)n * (double)all);
    case 4: return (uint64_t)((double)(n - 1 - i) / (double)n * (double)all);
    case 5: return (random % 7 + 1) * 0x9E3779B97F4A7C15u & all;
    case 6: return random % 10 ? 0x5555555555555555u & all : random >> 3;
    case 7: return random << 8;
    case 8: return random & all >> 8;
    case 9: return special(c, random);
    case 10: return random % 2 ? (uint64_t)1 << (8 * c->key_bytes - 1) : 0;
    case 11:
    case 12: /* bins of a cluster's blocks: just full, and one too many */
        random = i / (pattern == 11 ? 64 : 65) * 0x9E3779B97F4A7C15u >> 44 << 44 | random >> 20;
        return random >> (64 - 8 * c->key_bytes);
    case 13: /* more than two blocks' shares */
        random = i % 7 ? random : (random >> 8 | (uint64_t)0x77 << 56);
        return random >> (64 - 8 * c->key_bytes);
    case 20: return i == n / 3 + 1 ? 0x7777777777777777u & all : (random % 16 + 1) * 0x9E3779B97F4A7C15u & all;
    case 21: return (random & all) >> random % (8 * c->key_bytes);
    case 22: return i % 64;
    case 14:
    case 15: return ranged(c, random, i, pattern == 15);
    case 28: return (is_sample(i, n) ? random >> 6 : random) >> (64 - 8 * c->key_bytes);
    case 29: return i % (n / 40 + 1) == 3 ? 0x3C6EF372FE94F82Bu & all : random & all;
    case 30: return random & tap_random() & tap_random() & all;
    case 31: /* each is with half of the threads, which changes with the item of a thread; and an odd number of times */
        if (i < 2)
            return random & all;
        return (i / 1024 + i % 1024) % 2 ? 0x4D5E6F71FF20C0A1u & all : 0x2C3B4A598033117Fu & all;
    case 32: /* the bin of that one is crowded, and has others, but few */
        return i % 10 || i % 1000 == 0 ? (0x3C6EF372FE94F82Bu + (i % 10 ? 0 : random % 3 - 1)) & all : random & all;
    case 23: return float_bits(c, (double)(random >> 11) / 9007199254740992.0);
    case 24: return float_bits(c, i % 9 ? (double)(random >> 11) / 9007199254740992.0 : random % 2 ? -0.0 : 0.0);
    case 25: return float_bits(c, (double)(i % 5 * 3) + (double)(random >> 11) / 576460752303423488.0);
    case 26: return float_bits(c, ldexp(random % 2 ? 1.5 : -1.5, (int)(random >> 32) % 120 - 60));
    case 27: return i == n * 2 / 7 + 1 ? float_bits(c, -INFINITY) + 1 : float_bits(c, (double)(random >> 11) / 9e15);
    case 16: return (i / 600 + 1) * 0x9E3779B97F4A7C15u >> (64 - 8 * c->key_bytes);
    case 17: return random & 0xE0E0E0E0E0E0E0E0u;
    case 18: return random & ~((uint64_t)0xFF << 48) >> (64 - 8 * c->key_bytes);
    case 19: /* more than a bucket holds */
        random = i % (n / 5000 + 1) ? random : (uint64_t)0x5BD1E9 << 40 | random >> 24;
        return random >> (64 - 8 * c->key_bytes);
    default: return random;
    }
}

/* ---- one call against the reference ------------------------------------------------------------ */

/* Behind these comes how many bytes the arrays of values lie behind a line. */
enum { KEYS_IN_PLACE = 1, VALUES_IN_PLACE = 2, NUMBERED = 4, ODD = 8 };

/* What the value of item i must be. */
static void expect_value(const radix_case *c, int how, const char *values, size_t i, char *want)
{
    float f = (float)i;
    double d = (double)i;

    memset(want, 0, c->value_bytes);
    if (!(how & NUMBERED))
        memcpy(want, values + i * c->value_bytes, c->value_bytes);
    else if (c->values == AS_FLOAT)
        memcpy(want, &f, sizeof f);
    else if (c->values == AS_DOUBLE)
        memcpy(want, &d, sizeof d);
    else
        memcpy(want, &i, c->value_bytes < sizeof i ? c->value_bytes : sizeof i);
}

/* Whether one sort gives what it should, and leaves alone what it should. */
static int sorts(const radix_case *c, int pattern, size_t n, int begin_bit, int end_bit, int how,
                 gp_workspace *ws)
{
    size_t kb = c->key_bytes, vb = c->value_bytes, odd = how & ODD ? 1 : 0;
    char *keys = (char *)malloc(n * kb + 8), *values = (char *)malloc(n * vb + 1), want[128];
    char *keys_got = (char *)malloc(n * kb + 1), *values_got = (char *)malloc(n * vb + 1);
    size_t align = c->value_align;
    int passed = 1;

    for (size_t i = 0; i < n; i++) {
        uint64_t key = make_key(c, pattern, i, n);

        memcpy(keys + i * kb, &key, kb);
    }
    for (size_t i = 0; i < n * vb; i++)
        values[i] = (char)tap_random();
    item *items = reference(c, keys, n, begin_bit, end_bit);
    tap_buffer kin = tap_buffer_of(keys, n * kb, odd * c->key_align),
               vin = tap_buffer_of(values, n * vb, odd * align);
    tap_buffer kout = tap_buffer_new(n * kb, 3 * odd * c->key_align),
               vout = tap_buffer_new(n * vb, 2 * odd * align);
    tap_buffer *k = how & KEYS_IN_PLACE ? &kin : &kout, *v = how & VALUES_IN_PLACE ? &vin : &vout;

    cudaError_t error = c->sort(kin.data, k->data, how & NUMBERED ? NULL : vin.data, v->data, n,
                                begin_bit, end_bit, ws, 0);
    passed &= error == cudaSuccess;
    tap_buffer_read(keys_got, k, n * kb);
    tap_buffer_read(values_got, v, n * vb);
    for (size_t i = 0; i < n && passed; i++) {
        passed &= memcmp(keys_got + i * kb, keys + items[i].index * kb, kb) == 0;
        if (vb) {
            expect_value(c, how, values, items[i].index, want);
            passed &= memcmp(values_got + i * vb, want, vb) == 0;
        }
    }
    passed &= tap_buffer_intact(&kin, n * kb) && tap_buffer_intact(&vin, n * vb);
    passed &= tap_buffer_intact(&kout, how & KEYS_IN_PLACE ? 0 : n * kb);
    passed &= tap_buffer_intact(&vout, how & VALUES_IN_PLACE || !vb ? 0 : n * vb);
    if (!(how & KEYS_IN_PLACE)) { /* the input is as it was */
        tap_buffer_read(keys_got, &kin, n * kb);
        passed &= memcmp(keys_got, keys, n * kb) == 0;
    }
    if (!passed)
        printf("# %s of %zu keys, %s, bits %d to %d, how %d: %s\n", c->name, n, patterns[pattern],
               begin_bit, end_bit, how, error == cudaSuccess ? "wrong" : gp_last_error_message());
    tap_buffer_free(&kin);
    tap_buffer_free(&vin);
    tap_buffer_free(&kout);
    tap_buffer_free(&vout);
    free(items);
    free(keys);
    free(values);
    free(keys_got);
    free(values_got);
    return passed;
}

/* ---- tests ------------------------------------------------------------------------------------- */

static void sizes(const radix_case *c)
{
    static const size_t small[] = {0, 1, 2, 31, 32, 33, 255, 256, 257, 1000, 1031, 2048, 2049};
    static const size_t large[] = {4095,  8191,  8192,  8193,  10007, 16127,
                                   16128, 16129, 19968, 32257, 50021};
    gp_workspace ws = GP_WORKSPACE_INIT;
    int passed = 1;

    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        passed &= sorts(c, 0, small[i], 0, -1, 0, NULL) && sorts(c, 5, small[i], 0, -1, ODD, &ws);
    for (size_t i = 0; i < (tap_small ? 4 : sizeof large / sizeof *large); i++)
        passed &= sorts(c, 0, large[i], 0, -1, i % 2 ? ODD : 0, &ws);
    ok(passed, "%s: sizes", c->name);
    must(gp_workspace_release(&ws, 0));
}

static void data(const radix_case *c)
{
    gp_workspace ws = GP_WORKSPACE_INIT;
    int passed = 1;

    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        passed &= c->forced || sorts(c, pattern, 1500, 0, -1, 0, &ws);
        passed &= sorts(c, pattern, 4096, 0, -1, 0, &ws) && sorts(c, pattern, 9001, 0, -1, 0, &ws);
    }
    if (strncmp(c->name, "whole", 5) == 0) { /* every way to rank: only whole tiles take some of them */
        static const int ways[] = {1, 5, 6, 9, 10, 16, 20, 22};

        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
            passed &= sorts(c, ways[i], 41000, 0, -1, i % 2 ? ODD : 0, &ws);
    }
    ok(passed, "%s: random, few distinct, sorted, reversed, special keys", c->name);
    must(gp_workspace_release(&ws, 0));
}

/* As many keys as the blocks of a cluster share, and no more; each of its ways. */
static void clusters(const radix_case *c)
{
    static const size_t sizes[] = {5000,  20011, 16384, 16385,  32768, 32769,
                                   65536, 65537, 98304, 114688, 114689, 131072, 131073};
    static const int some[] = {0, 3, 5, 6, 10, 11, 12, 13, 9, 15, 21, 23, 24, 25, 26, 27, 28, 29};
    int width = 8 * (int)c->key_bytes, passed = 1;
    gp_workspace ws = GP_WORKSPACE_INIT;

    if (!tap_wants(c->name))
        return;
    for (size_t i = 0; i < (tap_small ? 1 : sizeof sizes / sizeof *sizes); i++)
        for (size_t k = 0; k < sizeof some / sizeof *some; k++)
            if (i == 0 || i % 9 == k % 9 || (i == 1 && k % 2)) {
                passed &= sorts(c, some[k], sizes[i], 0, -1, (int)k % 4, k % 2 ? &ws : NULL);
                if (i == 0)
                    passed &= sorts(c, some[k], sizes[i], 1, width - 2, 0, &ws);
            }
    ok(passed, "%s: clusters, with bins just full and too full, and with a sample that misleads", c->name);
    must(gp_workspace_release(&ws, 0));
}

static void bits(const radix_case *c)
{
    static const size_t n[] = {777, 9001};
    int width = 8 * (int)c->key_bytes, passed = 1;
    gp_workspace ws = GP_WORKSPACE_INIT;

    for (int k = 0; k < 2; k++) {
        int ranges[][2] = {{0, 0},         {width, width},
                           {0, 1},         {width - 1, width},
                           {0, width},     {3, 8},
                           {1, width},     {width / 2 - 1, width / 2 + 2},
                           {0, width - 3}, {width / 2, width}};

        for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
            passed &= sorts(c, r % 3 == 2 ? 9 : 0, n[k], ranges[r][0], ranges[r][1], 0, &ws);
        for (int r = 0; r < 4; r++) {
            int begin = (int)tap_below((uint64_t)width + 1),
                end = begin + (int)tap_below((uint64_t)(width - begin) + 1);

            passed &= sorts(c, r % 2 ? 5 : 0, n[k], begin, end, r % 2 ? KEYS_IN_PLACE : 0, &ws);
        }
    }
    ok(passed, "%s: ranges of bits; keys alike in them keep their order", c->name);
    must(gp_workspace_release(&ws, 0));
}

static void places(const radix_case *c)
{
    int passed = 1, width = 8 * (int)c->key_bytes;
    gp_workspace ws = GP_WORKSPACE_INIT;

    for (int how = 0; how < 16; how++)
        if (!((how & NUMBERED) && (how & VALUES_IN_PLACE)) && (c->value_bytes || !(how & 6))) {
            passed &= sorts(c, 0, 500, 0, -1, how, &ws) && sorts(c, 1, 500, 0, -1, how, &ws);
            passed &= sorts(c, 0, 9001, 0, -1, how, &ws);
            if (how & ODD) { /* other numbers of passes, whose last one ends elsewhere */
                passed &= sorts(c, 1, 9001, 0, -1, how, &ws) && sorts(c, 2, 9001, 0, -1, how, &ws);
                passed &= sorts(c, 0, 9001, 5, 5, how, &ws);
                passed &= sorts(c, 0, 9001, 0, width < 24 ? width : 24, how, &ws);
            }
        }
    ok(passed, "%s: in place, out of place, numbered", c->name);
    must(gp_workspace_release(&ws, 0));
}

/* Every kernel, keys in every order, at addresses that are no multiples of their size where these need not be. */
static void kinds(const radix_case *c)
{
    static const struct {
        int kernel, n;
    } ways[] = {{0, 700},
                {0, 4300},
                {GP_KERNEL_PASSES, 1300},
                {GP_KERNEL_BUCKETS, 1300},
                {GP_KERNEL_BUCKETS_TWICE, 9001},
                {GP_KERNEL_PASSES_AGAIN, 1300}};
    static const int some[] = {0, 1, 5, 9, 10, 15, 23, 24};
    const int width = 8 * (int)c->key_bytes;
    gp_workspace ws = GP_WORKSPACE_INIT;
    int passed = 1;

    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        const size_t n = (size_t)ways[k].n;

        kernel = ways[k].kernel;
        for (size_t p = 0; p < sizeof some / sizeof *some; p += tap_brief ? 3 : 1)
            passed &= sorts(c, some[p], n, 0, -1, p % 2 ? ODD : 0, &ws);
        passed &= sorts(c, 0, n, 1, width - 1, ODD, &ws) && sorts(c, 9, n, width - 3, width, KEYS_IN_PLACE, &ws);
    }
    ok(passed, "%s: keys of a kind that is given", c->name);
    must(gp_workspace_release(&ws, 0));
}

static void workspaces(const radix_case *c)
{
    static const size_t sizes[] = {1, 3000, 9001, 20011};
    size_t most =
        strncmp(c->name, "again", 5) ? (size_t)1 << 40 : (size_t)1 << 32; /* portions are many */
    int passed = 1, monotone = 1;

    for (int k = 0; k < 4; k++) {
        size_t n = sizes[k], bytes = c->bytes(n, 0, -1);
        tap_buffer memory = tap_buffer_new(bytes, 1);
        gp_workspace ws = GP_WORKSPACE_INIT;

        must(gp_workspace_wrap(&ws, memory.data, bytes, 0));
        passed &= sorts(c, 0, n, 0, -1, 0, &ws) && sorts(c, 5, n, 0, -1, 0, &ws);
        must(gp_workspace_release(&ws, 0));
        passed &= tap_buffer_intact(&memory, bytes);
        if (bytes) {
            char *keys = (char *)calloc(n, c->key_bytes);
            tap_buffer in = tap_buffer_of(keys, n * c->key_bytes, 0),
                       out = tap_buffer_new(n * c->key_bytes, 0);
            tap_buffer values = tap_buffer_new(n * c->value_bytes, 0);

            must(gp_workspace_wrap(&ws, memory.data, bytes - 1, 0));
            passed &= c->sort(in.data, out.data, NULL, values.data, n, 0, -1, &ws, 0) ==
                      cudaErrorInvalidValue;
            passed &= tap_buffer_intact(&out, 0) && tap_buffer_intact(&values, 0);
            must(gp_workspace_release(&ws, 0));
            tap_buffer_free(&in);
            tap_buffer_free(&out);
            tap_buffer_free(&values);
            free(keys);
        }
        tap_buffer_free(&memory);
    }
    ok(passed, "%s: a workspace of just enough, dirty, and of one byte too little", c->name);
    const size_t extra = (size_t)(c->key_bytes == 8 && c->value_bytes ? 64 : 32) << 20;

    for (size_t n = 0, last = 0;; n = n < SIZE_MAX / 4 * 3 ? n + n / 3 + 1 : SIZE_MAX) {
        size_t bytes = c->bytes(n, 0, -1);

        monotone &= bytes >= last && bytes == c->bytes(n, 0, 8 * (int)c->key_bytes);
        monotone &= n >= most || bytes <= n * (c->key_bytes + c->value_bytes) + extra;
        monotone &= n < SIZE_MAX || bytes == SIZE_MAX;
        last = bytes;
        if (n == SIZE_MAX)
            break;
    }
    ok(monotone, "%s: the workspace grows with n, to a copy of the items and %zu MB at most", c->name, extra >> 20);
}

/* A few sorts, which give every kernel work, and nearly every branch of it. Clusters are slow under racecheck. */
static void brief(const radix_case *c)
{
    enum { IN_PLACE = KEYS_IN_PLACE | VALUES_IN_PLACE };
    static const struct {
        const char *only; /* cases whose names begin so; or "forced", those */
        int pattern, n, begin_bit, end_bit, how;
    } some[] = {
        {"", 0, 2001, 0, -1, NUMBERED},        {"", 16, 2001, 0, -1, IN_PLACE},
        {"", 9, 2001, 3, 8, ODD},              {"", 24, 2001, 0, -1, NUMBERED},
        {"", 30, 2001, 0, -1, NUMBERED},
        {"forced", 0, 9001, 0, -1, NUMBERED},  {"forced", 3, 9001, 0, -1, IN_PLACE},
        {"forced", 5, 9001, 0, -1, NUMBERED},  {"forced", 6, 9001, 0, -1, IN_PLACE},
        {"forced", 9, 9001, 3, 8, ODD},        {"forced", 12, 9001, 0, -1, NUMBERED},
        {"forced", 15, 9001, 0, -1, IN_PLACE}, {"forced", 16, 9001, 0, -1, NUMBERED},
        {"forced", 20, 9001, 0, -1, IN_PLACE}, {"forced", 23, 9001, 0, -1, NUMBERED},
        {"forced", 24, 9001, 0, -1, IN_PLACE}, {"whole", 0, 70001, 0, -1, 0},
        {"whole", 5, 70001, 0, -1, 0},         {"whole", 6, 70001, 0, -1, 0},
        {"whole", 16, 70001, 0, -1, 0},        {"whole", 23, 70001, 0, -1, 0},
        {"u32", 31, 4096, 0, -1, 0},           {"u32", 0, 5001, 0, -1, NUMBERED},
        {"u32", 12, 5001, 0, -1, IN_PLACE},
        {"u32", 9, 5001, 3, 8, ODD},           {"i16_s12", 0, 5001, 0, -1, IN_PLACE},
        {"i16_s12", 9, 5001, 3, 8, ODD},       {"f64_f32", 0, 5001, 0, -1, NUMBERED},
        {"f64_f32", 24, 5001, 0, -1, ODD},     {"f32", 24, 5001, 0, -1, ODD},
        {"i64_down", 3, 131073, 0, -1, 0},     {"f64_f32", 0, 131073, 0, -1, 0},
    };
    gp_workspace ws = GP_WORKSPACE_INIT;

    for (size_t k = 0; k < sizeof some / sizeof *some; k++)
        if (strcmp(some[k].only, "forced") ? strncmp(c->name, some[k].only, strlen(some[k].only)) == 0 : c->forced)
            ok(sorts(c, some[k].pattern, (size_t)some[k].n, some[k].begin_bit, some[k].end_bit, some[k].how, &ws),
               "%s: %d keys, %s", c->name, some[k].n, patterns[some[k].pattern]);
    must(gp_workspace_release(&ws, 0));
}

#define GP_NAME  few
#define GP_KEY   uint8_t
#define GP_INDEX int
#include <gpuprims/radix_sort.cuh>

static void refusals(void)
{
    int *some = NULL, *others = NULL;

    must(cudaMalloc((void **)&some, 1000 * sizeof *some));
    must(cudaMalloc((void **)&others, 1000 * sizeof *others));
    must(cudaMemset(some, 0, 1000 * sizeof *some));
    s3 *values = (s3 *)(some + 500);
#define refused(call, text)                                                              \
    ok((call) == cudaErrorInvalidValue && strstr(gp_last_error_message(), text) != NULL, \
       "refused: %s: %s", #call, gp_last_error_message())
    refused(gp_radix_sort(NULL, others, 5, NULL, 0), "gp_radix_sort: in is NULL");
    refused(gp_radix_sort(some, NULL, 5, NULL, 0), "gp_radix_sort: out is NULL");
    refused(gp_radix_sort_bits(some, others, 5, -1, 8, NULL, 0),
            "gp_radix_sort_bits: the bits from -1 to 8");
    refused(gp_radix_sort_bits(some, others, 5, 0, 33, NULL, 0), "0 <= begin_bit <= end_bit <= 32");
    refused(gp_radix_sort_bits(some, others, 5, 9, 8, NULL, 0), "the bits from 9 to 8");
    refused(gp_radix_sort_bits(NULL, NULL, 0, 9, 8, NULL, 0), "the bits from 9 to 8");
    refused(u32_s64_radix_sort(NULL, NULL, NULL, NULL, 5, NULL, 0),
            "u32_s64_radix_sort: kin is NULL");
    refused(u32_s64_radix_sort((unsigned *)some, (unsigned *)some, NULL, NULL, 5, NULL, 0),
            "vout is NULL");
    refused(gp_radix_sort(some, others, SIZE_MAX, NULL, 0), "gp_radix_sort: n is");
    refused(few_radix_sort((uint8_t *)some, (uint8_t *)others, (size_t)1 << 31, NULL, 0),
            "few_radix_sort: n is 2147483648; it must be at most 2147483647");
    ok(few_radix_sort((uint8_t *)some, (uint8_t *)others, 1000, NULL, 0) == cudaSuccess, "n fits GP_INDEX");
    refused(gp_radix_sort(some, others, ((size_t)1 << 62) + 1, NULL, 0), "gp_radix_sort: n is");
    refused(i32_s3_radix_sort(some, others, NULL, values, SIZE_MAX / 4, NULL, 0),
            "i32_s3_radix_sort: n is");
    refused(gp_radix_sort(some, some + 1, 5, NULL, 0),
            "in and out overlap; they must be equal or apart");
    refused(gp_radix_sort_bits(some + 1, some, 5, 3, 3, NULL, 0),
            "gp_radix_sort_bits: in and out overlap");
    refused(i32_s3_radix_sort(some, some + 5, values, values + 4, 5, NULL, 0),
            "vin and vout overlap");
    refused(i32_s3_radix_sort(some, some + 9, values, values + 10, 15, NULL, 0),
            "kin and kout overlap");
    refused(i32_s3_radix_sort(some, some + 5, (const s3 *)(some + 9), values, 5, NULL, 0),
            "kout and vin overlap");
    refused(i32_s3_radix_sort(some, others, NULL, (s3 *)(some + 4), 5, NULL, 0),
            "kin and vout overlap");
    refused(i32_s3_radix_sort(others, some, NULL, (s3 *)some, 5, NULL, 0),
            "kout and vout overlap; they must be apart");
#undef refused
    ok(i32_s3_radix_sort(some, others, (const s3 *)some, values, 5, NULL, 0) == cudaSuccess &&
           i32_s3_radix_sort(some, some, values, values, 5, NULL, 0) == cudaSuccess &&
           i32_s3_radix_sort(some, some + 5, values, (s3 *)(some + 10), 5, NULL, 0) == cudaSuccess,
       "inputs may overlap, keys and values may each be in place");
    ok(gp_radix_sort(NULL, NULL, 0, NULL, 0) == cudaSuccess &&
           i32_s3_radix_sort(NULL, NULL, NULL, NULL, 0, NULL, 0) == cudaSuccess,
       "nothing is sorted without any pointers");
    must(cudaFree(some));
    must(cudaFree(others));
}

/* The sort on the CPU of keys that are no numbers of C. */
static void cpu_sort_of_structs(void)
{
    key16 keys[256 * 3];
    int passed = 1;

    for (int i = 0; i < 256 * 3; i++) {
        keys[i].of[0] = (uint8_t)(i / 256);
        keys[i].of[1] = (uint8_t)(i * 77);
    }
    passed &= structs_cpu_sort(keys, keys, 256 * 3) == 0;
    for (int i = 0; i < 256 * 3; i++)
        passed &= keys[i].of[1] == (uint8_t)(i / 3 + 128) && keys[i].of[0] == i % 3;
    ok(passed, "the sort on the CPU of structs as signed numbers");
}

/* -0.0 and +0.0 in turn, and a few other keys: bit for bit as they came. */
static void cpu_sort(void)
{
    enum { N = 5003 };
    static float in[N], out[N];
    static int numbers[N];
    int passed = 1;

    for (int i = 0; i < N; i++) {
        in[i] = i % 3 ? (i % 2 ? 0.0f : -0.0f) : (float)((int)tap_below(9) - 4);
        numbers[i] = (int)tap_random();
    }
    item *items = (item *)malloc(N * sizeof *items);
    for (size_t i = 0; i < N; i++) {
        items[i].number = (uint64_t)(5 - (int)in[i]);
        items[i].index = i;
    }
    qsort(items, N, sizeof *items, compare_items);
    passed &= floats_down_cpu_sort(in, out, N) == 0;
    for (size_t i = 0; i < N; i++)
        passed &= memcmp(&out[i], &in[items[i].index], sizeof *out) == 0;
    passed &= gp_cpu_sort(numbers, numbers, N) == 0 && gp_cpu_sort(NULL, NULL, 0) == 0;
    for (size_t i = 1; i < N; i++)
        passed &= numbers[i - 1] <= numbers[i];
    ok(passed, "the sort on the CPU");
    free(items);
}

#ifdef __CUDACC__
/* A captured sort, replayed on other keys; the first of them need all passes, the later ones hardly any. */
static void graphs(const radix_case *c, int kept)
{
    enum { N = 20011 };
    size_t kb = c->key_bytes;
    char *keys = (char *)malloc(N * kb), *got = (char *)malloc(N * kb);
    gp_workspace ws = GP_WORKSPACE_INIT;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    int passed = 1;
    tap_buffer in = tap_buffer_new(N * kb, 0), out = tap_buffer_new(N * kb, 0);
    tap_buffer values = tap_buffer_new(N * c->value_bytes, 0);

    must(cudaStreamCreate(&stream));
    if (kept)
        must(gp_workspace_reserve(&ws, c->bytes(N, 0, -1), stream));
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    must(c->sort(in.data, out.data, NULL, values.data, N, 0, -1, kept ? &ws : NULL, stream));
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaGraphInstantiate(&executable, graph, 0));
    for (int pattern = 0; pattern < 5; pattern++) {
        for (size_t i = 0; i < N; i++) {
            uint64_t key = make_key(c, pattern, i, N);

            memcpy(keys + i * kb, &key, kb);
        }
        item *items = reference(c, keys, N, 0, -1);
        must(cudaMemcpy(in.data, keys, N * kb, cudaMemcpyHostToDevice));
        must(cudaGraphLaunch(executable, stream));
        must(cudaStreamSynchronize(stream));
        tap_buffer_read(got, &out, N * kb);
        for (size_t i = 0; i < N; i++)
            passed &= memcmp(got + i * kb, keys + items[i].index * kb, kb) == 0;
        free(items);
        passed &= sorts(c, 0, 9001, 0, -1, 0, kept ? &ws : NULL);
    }
    ok(passed, "%s: a captured graph with %s replays right", c->name,
       kept ? "a kept handle" : "NULL");
    must(cudaGraphExecDestroy(executable));
    must(cudaGraphDestroy(graph));
    must(gp_workspace_release(&ws, stream));
    must(cudaStreamSynchronize(stream));
    must(cudaStreamDestroy(stream));
    tap_buffer_free(&in);
    tap_buffer_free(&out);
    tap_buffer_free(&values);
    free(keys);
    free(got);
}

static __global__ void fill_huge(uint8_t *keys, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        keys[i] = (uint8_t)((i * 0x9E3779B97F4A7C15u) >> 53);
}

/* counts[k] += how many keys are k; counts[256] += how many are less than the one before. */
static __global__ void look_at_huge(const uint8_t *keys, size_t n, unsigned long long *counts)
{
    __shared__ unsigned long long sums[257];

    for (int i = threadIdx.x; i < 257; i += blockDim.x)
        sums[i] = 0;
    __syncthreads();
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        atomicAdd(&sums[keys[i]], 1ull);
        if (i && keys[i] < keys[i - 1])
            atomicAdd(&sums[256], 1ull);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 257; i += blockDim.x)
        atomicAdd(&counts[i], sums[i]);
}

/* More keys than 32 bits can count. */
static void huge(void)
{
    size_t n = ((size_t)1 << 32) + 54321, free_bytes = 0, total = 0;
    unsigned long long *counts, host[2][257];
    uint8_t *keys;

    must(cudaMemGetInfo(&free_bytes, &total));
    if (tap_small || free_bytes < (size_t)14 << 30) {
        ok(1, "more than 2^32 keys # SKIP not enough memory");
        return;
    }
    must(cudaMalloc((void **)&keys, n));
    must(cudaMalloc((void **)&counts, sizeof host));
    must(cudaMemset(counts, 0, sizeof host));
    fill_huge<<<1024, 256>>>(keys, n);
    look_at_huge<<<1024, 256>>>(keys, n, counts);
    must(u8_radix_sort(keys, keys, n, NULL, 0));
    look_at_huge<<<1024, 256>>>(keys, n, counts + 257);
    must(cudaMemcpy(host, counts, sizeof host, cudaMemcpyDeviceToHost));
    ok(memcmp(host[0], host[1], 256 * sizeof **host) == 0 && host[1][256] == 0 && host[0][256] > 0,
       "more than 2^32 keys");
    must(cudaFree(keys));
    must(cudaFree(counts));
}
#endif

int main(int argc, char **argv)
{
    tap_begin(argc, argv);
    refusals();
    cpu_sort();
    cpu_sort_of_structs();
    for (int i = 0; i < KIND_CASES; i++)
        if (tap_wants(kind_cases[i]->name))
            kinds(kind_cases[i]);
    for (int i = 0; i < CASES && tap_brief; i++)
        if (tap_wants(cases[i]->name))
            brief(cases[i]);
    if (tap_brief)
        return tap_end();
    clusters(&u32_case);
    clusters(&i64_down_case);
    clusters(&f32_case);
    clusters(&i16_s12_case);
    clusters(&f64_f32_case);
    clusters(&block_f32_u16_down_case);
    clusters(&u8_case);
    clusters(&block_i8_case);
    for (int i = 0; i < CASES; i++) {
        if (!tap_wants(cases[i]->name))
            continue;
        sizes(cases[i]);
        data(cases[i]);
        bits(cases[i]);
        places(cases[i]);
        workspaces(cases[i]);
    }
#ifdef __CUDACC__
    for (int kept = 0; kept < 2; kept++) {
        if (tap_wants("u32"))
            graphs(&u32_case, kept);
        if (tap_wants("again_f32_u32"))
            graphs(&again_f32_u32_case, kept);
    }
    if (tap_wants("u8"))
        huge();
#endif
    return tap_end();
}
