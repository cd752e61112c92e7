/* top_k.cuh: arrays, segments and rows of all lengths, keys and values of all kinds, ties, every kernel, arguments. */
#include <stdint.h>

#include "tap.h"

/* clang-format off */
typedef struct { uint16_t a; } h16; /* the bits of a half */
typedef struct { uint16_t low, high; } s4; /* a power of two, but of a small alignment */
typedef struct { uint8_t b[3]; } b3;
typedef struct { uint32_t a[6]; } s24;
/* clang-format on */

/* The default, and included twice. */
#include <gpuprims/top_k.cuh>
#include <gpuprims/top_k.cuh>

#define CASE u32
#define CASE_KEY uint32_t
#define CASE_VALUE uint32_t
#define CASE_INDEX int
#include "top_k_case.h"
#define CASE f64
#define CASE_KEY double
#define CASE_DESCENDING
#include "top_k_case.h"

/* From here on a block has little room, and few items are worth a part. */
#undef GPI_TUNE_TOP_K_ROOM
#undef GPI_TUNE_TOP_K_THREADS
#undef GPI_TUNE_TOP_K_BLOCK_SAMPLES
#undef GPI_TUNE_TOP_K_DIRECT
#undef GPI_TUNE_TOP_K_PARTS
#undef GPI_TUNE_TOP_K_PART
#undef GPI_TUNE_TOP_K_LISTS
#undef GPI_TUNE_TOP_K_FEW_MERGED
#undef GPI_TUNE_TOP_K_SAMPLES
#undef GPI_TUNE_TOP_K_SORT
#undef GPI_TUNE_TOP_K_FEW_ROWS
#undef GPI_TUNE_TOP_K_TEAMS
#undef GPI_TUNE_TOP_K_TEAM_ITEMS
#undef GPI_TUNE_TOP_K_TEAM_MOST
#define GPI_TUNE_TOP_K_ROOM 256
#define GPI_TUNE_TOP_K_THREADS 64
#define GPI_TUNE_TOP_K_BLOCK_SAMPLES 64
#define GPI_TUNE_TOP_K_DIRECT 150
#define GPI_TUNE_TOP_K_PARTS 11
#define GPI_TUNE_TOP_K_PART 256
#define GPI_TUNE_TOP_K_LISTS 512
#define GPI_TUNE_TOP_K_FEW_MERGED 3000
#define GPI_TUNE_TOP_K_SAMPLES 1024
#define GPI_TUNE_TOP_K_SORT 100
#define GPI_TUNE_TOP_K_FEW_ROWS 4
#define GPI_TUNE_TOP_K_TEAMS 9
#define GPI_TUNE_TOP_K_TEAM_ITEMS 300
#define GPI_TUNE_TOP_K_TEAM_MOST 40000

#define CASE u32_small
#define CASE_KEY uint32_t
#define CASE_VALUE uint32_t
#include "top_k_case.h"
#define CASE u8
#define CASE_KEY uint8_t
#define CASE_VALUE uint64_t
#define CASE_INDEX int64_t
#include "top_k_case.h"
#define CASE i16
#define CASE_KEY int16_t
#define CASE_VALUE s24
#define CASE_DESCENDING
#define CASE_INDEX uint32_t
#include "top_k_case.h"
#define CASE half
#define CASE_KEY h16
#define CASE_KIND GP_FLOAT
#define CASE_VALUE b3
#include "top_k_case.h"
#define CASE s4
#define CASE_KEY s4
#define CASE_KIND GP_SIGNED
#include "top_k_case.h"
#define CASE f32_descending
#define CASE_KEY float
#define CASE_VALUE float
#define CASE_NUMBERS AS_FLOAT
#define CASE_DESCENDING
#define CASE_GRID 3
#include "top_k_case.h"
#define CASE f64_small
#define CASE_KEY double
#define CASE_VALUE double
#define CASE_NUMBERS AS_DOUBLE
#include "top_k_case.h"
#define CASE i64
#define CASE_KEY int64_t
#define CASE_DESCENDING
#include "top_k_case.h"
#define CASE u32_filter
#define CASE_KEY uint32_t
#define CASE_VALUE uint16_t
#define CASE_KERNEL GP_KERNEL_TOP_K_FILTER
#include "top_k_case.h"
#define CASE i64_filter
#define CASE_KEY int64_t
#define CASE_VALUE uint32_t
#define CASE_KERNEL GP_KERNEL_TOP_K_FILTER
#define CASE_GRID 2
#include "top_k_case.h"
#define CASE f32_rescue
#define CASE_KEY float
#define CASE_VALUE uint32_t
#define CASE_KERNEL GP_KERNEL_TOP_K_RESCUE
#include "top_k_case.h"
#define CASE f64_rescue
#define CASE_KEY double
#define CASE_DESCENDING
#define CASE_KERNEL GP_KERNEL_TOP_K_RESCUE
#include "top_k_case.h"
#define CASE u32_merge
#define CASE_KEY uint32_t
#define CASE_VALUE uint32_t
#define CASE_KERNEL GP_KERNEL_TOP_K_MERGE
#define CASE_GRID 5
#include "top_k_case.h"

static const top_k_case *const cases[] = {
    &u32_case,        &f64_case,        &u32_small_case,      &u8_case,        &i16_case,
    &half_case,       &s4_case,         &f32_descending_case, &f64_small_case, &i64_case,
    &u32_filter_case, &i64_filter_case, &f32_rescue_case,     &f64_rescue_case, &u32_merge_case};
enum { CASES = sizeof cases / sizeof *cases };

/* ---- keys -------------------------------------------------------------------------------------- */

enum { RANDOM, FEW, EQUAL, SORTED, REVERSED, LOW_BITS, ZEROS, COLUMN, OWN, LAST, EIGHTH, INPUTS };
static const char *const input_names[] = {
    "random", "few", "equal", "sorted", "reversed", "alike but for 8 bits", "zeros and NaNs",
    "small in one column of 64", "small where few threads look", "mostly the last of all", "an eighth alike"};

static void make_keys(const top_k_case *t, unsigned char *keys, size_t n, int input)
{
    const int bits = 8 * (int)t->key_bytes;

    for (size_t i = 0; i < n; i++) {
        const uint64_t r = tap_random();
        uint64_t x = r;

        if (input == FEW)
            x = r % 3 << (bits - 9 > 0 ? bits - 9 : 0);
        else if (input == EQUAL)
            x = 0x4142434445464748u;
        else if (input == SORTED)
            x = i;
        else if (input == REVERSED)
            x = n - i;
        else if (input == LOW_BITS)
            x = (uint64_t)0x12345678ABCDEFu << 8 | (r & 255);
        else if (input == ZEROS) /* and infinities, the largest and the smallest number */
            x = r % 7 == 0 ? UINT64_MAX : r % 7 == 1 ? UINT64_MAX >> (64 - bits + 1) : r % 2 << (bits - 1);
        else if (input == COLUMN)
            x = i % 64 == 3 ? r >> (64 - bits + 2) : r >> (64 - bits + 2) | (uint64_t)1 << (bits - 2);
        else if (input == OWN) /* of rows of 512, of 4-byte keys, that warps select from: four lanes have them all */
            x = ((i / 4 ^ 5 * (i / 128 % 4)) & 31) < 4 ? r % 1000 : 5000;
        else if (input == LAST)
            x = r % 1000 == 0 ? r : t->descending ? 0 : UINT64_MAX;
        else if (input == EIGHTH)
            x = r % 8 ? r : t->descending ? UINT64_MAX >> 1 : 0;
        memcpy(keys + i * t->key_bytes, &x, t->key_bytes);
    }
}

/* The value that stands for number i. */
static void put_number(const top_k_case *t, unsigned char *to, size_t i)
{
    const float number = (float)i;
    const double long_number = (double)i;
    const void *from = t->values == AS_FLOAT    ? (const void *)&number
                       : t->values == AS_DOUBLE ? (const void *)&long_number
                                                : (const void *)&i;

    memset(to, 0, t->value_bytes);
    memcpy(to, from, t->value_bytes < 8 ? t->value_bytes : 8);
}

/* ---- the check --------------------------------------------------------------------------------- */

/* What a call should write, over what is there. */
static void expect(const top_k_case *t, const top_k_call *call, const size_t *offsets, unsigned char *kout,
                   unsigned char *vout)
{
    const unsigned char *keys = (const unsigned char *)call->kin, *values = (const unsigned char *)call->vin;
    item *items = (item *)malloc((call->n + 1) * sizeof *items);

    for (size_t s = 0; s < call->segments; s++) {
        const size_t begin = offsets[s], length = offsets[s + 1] - begin;

        for (size_t i = 0; i < length; i++) {
            items[i].number =
                key_number(key_bits(keys, begin + i, t->key_bytes), t->key_bytes, t->kind, t->descending);
            items[i].index = i;
        }
        qsort(items, length, sizeof *items, compare_items);
        for (size_t i = 0; i < length && i < call->k; i++) {
            const size_t to = s * call->k + i, from = begin + items[i].index;

            memcpy(kout + to * t->key_bytes, keys + from * t->key_bytes, t->key_bytes);
            if (values)
                memcpy(vout + to * t->value_bytes, values + from * t->value_bytes, t->value_bytes);
            else if (t->values)
                put_number(t, vout + to * t->value_bytes, items[i].index);
        }
    }
    free(items);
}

/* Runs a call on host arrays, which lie at `at` times their alignments, and checks all that it writes. */
static int is_right(const top_k_case *t, const top_k_call *call, const size_t *offsets, size_t at, gp_workspace *ws)
{
    const size_t results = call->segments * call->k, index_bytes = (call->segments + 1) * t->index_bytes;
    const size_t key_bytes = results * t->key_bytes, value_bytes = results * t->value_bytes;
    unsigned char *expected = (unsigned char *)malloc(key_bytes + value_bytes + 1);
    unsigned char *got = (unsigned char *)malloc(key_bytes + value_bytes + 1);
    unsigned char *index = (unsigned char *)malloc(index_bytes);
    top_k_call on_device = *call;

    for (size_t s = 0; s <= call->segments; s++)
        memcpy(index + s * t->index_bytes, &offsets[s], t->index_bytes);
    tap_buffer kin = tap_buffer_of(call->kin, call->n * t->key_bytes, at * t->key_align);
    tap_buffer vin = tap_buffer_of(call->vin ? call->vin : call->kin, call->vin ? call->n * t->value_bytes : 0,
                                   at * t->value_align);
    tap_buffer kout = tap_buffer_new(key_bytes, (at + 1) * t->key_align);
    tap_buffer vout = tap_buffer_new(value_bytes, (at + 3) * t->value_align);
    tap_buffer d_offsets = tap_buffer_of(index, index_bytes, at * t->index_bytes);
    on_device.kin = kin.data;
    on_device.vin = call->vin ? vin.data : NULL;
    on_device.kout = kout.data;
    on_device.vout = vout.data;
    on_device.offsets = d_offsets.data;
    memset(expected, 0xC3, key_bytes + value_bytes);
    expect(t, call, offsets, expected, expected + key_bytes);
    const cudaError_t error = t->run(&on_device, ws, 0);
    tap_buffer_read(got, &kout, key_bytes);
    tap_buffer_read(got + key_bytes, &vout, value_bytes);
    int right = error == cudaSuccess && memcmp(got, expected, key_bytes + value_bytes) == 0;
    right &= tap_buffer_intact(&kout, key_bytes) && tap_buffer_intact(&vout, value_bytes);
    right &= tap_buffer_intact(&kin, call->n * t->key_bytes);
    if (!right)
        printf("# %s: %s, n %zu, %zu segments, k %zu, at %zu, error %d\n", t->name,
               call->what == ARRAY ? "array" : call->what == ROWS ? "rows" : "segments", call->n, call->segments,
               call->k, at, (int)error);
    tap_buffer_free(&kin);
    tap_buffer_free(&vin);
    tap_buffer_free(&kout);
    tap_buffer_free(&vout);
    tap_buffer_free(&d_offsets);
    free(expected);
    free(got);
    free(index);
    return right;
}

/* The same for keys of the kind `input`, and random values every other time. */
static int is_right_for(const top_k_case *t, int what, int input, size_t n, size_t segments, const size_t *offsets,
                        size_t k, size_t at, gp_workspace *ws)
{
    unsigned char *keys = (unsigned char *)malloc(n * t->key_bytes + 1);
    unsigned char *values = (unsigned char *)malloc(n * t->value_bytes + 1);
    const top_k_call call = {what, keys, t->values && n % 2 ? values : NULL, NULL, NULL, NULL, n, segments, k};

    make_keys(t, keys, n, input);
    for (size_t i = 0; i < n * t->value_bytes; i++)
        values[i] = (unsigned char)tap_random();
    const int right = is_right(t, &call, offsets, at, ws);
    if (!right)
        printf("# %s keys\n", input_names[input]);
    free(keys);
    free(values);
    return right;
}

/* ---- arrays ------------------------------------------------------------------------------------ */

static void test_array(const top_k_case *t)
{
    static const size_t sizes[] = {0,   1,   2,    31,   33,   64,   127,  128,  129,  130,  255,  256,   257,
                                   300, 511, 513, 1000, 1023, 1025, 2100, 3001, 4097, 6000, 9001, 20011, 50021};
    gp_workspace ws = GP_WORKSPACE_INIT;
    int right = 1, turn = 0;

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const size_t n = sizes[s], offsets[] = {0, n};
        const size_t ks[] = {1, 8, n / 40, 100, 128, 129, 260, 261, n / 3, n, 0};

        for (size_t j = 0; j < sizeof ks / sizeof *ks; j++) {
            if (ks[j] > n || (n > 5000 && (tap_small || j % 3 != s % 3)))
                continue;
            right &=
                is_right_for(t, ARRAY, turn % INPUTS, n, 1, offsets, ks[j], (size_t)turn % 5, turn % 2 ? &ws : NULL);
            turn++;
        }
    }
    must(gp_workspace_release(&ws, 0));
    ok(right, "%s: arrays", t->name);
}

/* Every kind of keys, and every misalignment. */
static void test_inputs(const top_k_case *t)
{
    const size_t n = tap_small ? 1500 : 5003, offsets[] = {0, n};
    int right = 1;

    for (int input = 0; input < INPUTS; input++) {
        right &= is_right_for(t, ARRAY, input, n, 1, offsets, 64, 0, NULL);
        right &= is_right_for(t, ARRAY, input, n, 1, offsets, 200, 1, NULL);
        right &= is_right_for(t, ARRAY, input, n, 1, offsets, n, 2, NULL);
    }
    ok(right, "%s: random, few, equal, sorted, reversed keys, zeros and NaNs", t->name);
    right = 1;
    for (size_t at = 0; at < 16; at++) {
        const size_t other[] = {0, 1203 + at % 3};

        right &= is_right_for(t, ARRAY, RANDOM, other[1], 1, other, 17, at, NULL);
    }
    ok(right, "%s: every misalignment", t->name);
}

/* ---- segments ---------------------------------------------------------------------------------- */

enum { SHORT, MIXED, ONE_LONG, POWER_LAW, EMPTY, EDGES, SHAPES };

static size_t length_of(int shape, size_t s)
{
    static const size_t edges[] = {0, 1, 31, 32, 33, 64, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1025};

    switch (shape) {
    case SHORT: return tap_below(70);
    case MIXED: return tap_below(5) ? tap_below(200) : tap_below(1500);
    case ONE_LONG: return s == 7 ? 7001 : tap_below(3);
    case POWER_LAW: return (size_t)1 << tap_below(tap_below(13) + 1);
    case EMPTY: return 0;
    default: return edges[tap_below(sizeof edges / sizeof *edges)];
    }
}

static void test_segments(const top_k_case *t)
{
    const size_t ks[] = {1, 5, 40, 129, 700, 100000};
    size_t offsets[101];
    gp_workspace ws = GP_WORKSPACE_INIT;
    int right = 1;

    for (int shape = 0; shape < SHAPES; shape++)
        for (size_t j = 0; j < sizeof ks / sizeof *ks; j++) {
            const size_t segments = j == 5 ? 1 + tap_below(12) : 100 - j * 7;

            offsets[0] = j % 3 * 5; /* items before the first segment, and behind the last, are of none */
            for (size_t s = 0; s < segments; s++)
                offsets[s + 1] = offsets[s] + length_of(shape, s);
            if (tap_small && offsets[segments] > 3000)
                continue;
            right &= is_right_for(t, SEGMENTS, (int)(j + (size_t)shape) % INPUTS, offsets[segments] + j, segments,
                                  offsets, ks[j], j, j % 2 ? &ws : NULL);
        }
    must(gp_workspace_release(&ws, 0));
    ok(right, "%s: segments", t->name);
}

static void offsets_of_rows(size_t *offsets, size_t rows, size_t length)
{
    for (size_t r = 0; r <= rows; r++)
        offsets[r] = r * length;
}

static void test_rows(const top_k_case *t)
{
    static const size_t shapes[][3] = {{1, 1, 1},     {3, 0, 0},     {0, 7, 3},    {100, 1, 1},   {50, 31, 31},
                                       {70, 100, 8},  {33, 128, 40}, {20, 129, 2}, {9, 257, 100}, {4, 1000, 7},
                                       {3, 2999, 64}, {2, 6001, 130}, {5, 900, 900}, {13, 700, 1}, {2, 4096, 4096}};
    int right = 1;

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const size_t rows = shapes[s][0], length = shapes[s][1];
        size_t offsets[101];

        offsets_of_rows(offsets, rows, length);
        if (rows && !(tap_small && rows * length > 3000))
            right &= is_right_for(t, ROWS, (int)s % INPUTS, rows * length, rows, offsets, shapes[s][2], s % 4, NULL);
    }
    ok(right, "%s: rows", t->name);
}

/* Rows of such shapes, of keys of all kinds; if they are longer than `most`, of a third of these. */
static int are_rows_right(const top_k_case *t, const size_t (*shapes)[3], size_t count, size_t most)
{
    int right = 1;

    for (size_t s = 0; s < count; s++)
        for (int input = 0; input < INPUTS; input++) {
            const size_t rows = shapes[s][0], length = shapes[s][1];
            size_t offsets[8];

            offsets_of_rows(offsets, rows, length);
            if (!(tap_small && rows * length > 3000) && (length <= most || ((size_t)input + s) % 3 == 0))
                right &= is_right_for(t, ROWS, input, rows * length, rows, offsets, shapes[s][2], input % 4, NULL);
        }
    return right;
}

/* Rows of which few are wanted. */
static void test_few_of_rows(const top_k_case *t)
{
    static const size_t shapes[][3] = {{7, 65, 18},   {7, 300, 5},   {5, 512, 16},  {5, 1024, 16}, {2, 1100, 60},
                                       {3, 2049, 32}, {3, 4096, 60}, {2, 8200, 100}};

    ok(are_rows_right(t, shapes, sizeof shapes / sizeof *shapes, SIZE_MAX), "%s: few of rows", t->name);
}

/* Rows of which so much is wanted that they are taken whole. */
static void test_much_of_rows(const top_k_case *t)
{
    static const size_t shapes[][3] = {{7, 33, 33},     {6, 64, 30},     {7, 128, 50},    {5, 129, 3},
                                       {6, 250, 249},   {5, 256, 19},    {3, 257, 200},   {2, 1000, 100},
                                       {3, 700, 500},   {2, 1400, 1400}, {2, 4096, 1000}, {2, 4097, 2100},
                                       {2, 5003, 4999}, {2, 8192, 3000}};

    ok(are_rows_right(t, shapes, sizeof shapes / sizeof *shapes, 2000), "%s: much of rows", t->name);
}

/* Rows that are too long for a team, and shorter than that, of keys of all kinds. */
static void test_rounds(const top_k_case *t)
{
    static const size_t shapes[][3] = {{1, 1025, 3},   {1, 2049, 30},  {1, 2403, 17},  {2, 2051, 1},   {1, 8001, 30},
                                       {3, 4096, 12},  {1, 20003, 29}, {1, 39999, 30}, {4, 10001, 25}, {1, 40003, 2},
                                       {2, 2100, 130}, {1, 16385, 260}, {3, 33333, 200}, {1, 20003, 1000},
                                       {1, 9001, 1000}, {7, 10000, 620}};
    gp_workspace ws = GP_WORKSPACE_INIT;
    int right = 1;

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int input = 0; input < INPUTS; input++) {
            const size_t rows = shapes[s][0], length = shapes[s][1];
            size_t offsets[8];

            offsets_of_rows(offsets, rows, length);
            if (!(tap_small && rows * length > 4200) && (length < 5000 || ((size_t)input + s) % 3 == 0))
                right &= is_right_for(t, rows > 1 ? ROWS : ARRAY, input, rows * length, rows, offsets, shapes[s][2],
                                      s % 4, input % 2 ? &ws : NULL);
        }
    must(gp_workspace_release(&ws, 0));
    ok(right, "%s: rows in parts", t->name);
}

/* Segments, which are merged from parts as large as users have them, of keys of all kinds. */
static void test_merges(const top_k_case *t)
{
    const size_t offsets[] = {0, tap_small ? (size_t)9001 : 20011, tap_small ? (size_t)9003 : 33333};
    int right = 1;

    for (int input = 0; input < INPUTS; input++)
        if (!tap_small || input % 4 == 0)
            right &= is_right_for(t, SEGMENTS, input, offsets[2], 2, offsets, input % 2 ? 3001 : 9001, 1, NULL);
    ok(right, "%s: segments of large parts", t->name);
}

/* ---- arguments --------------------------------------------------------------------------------- */

static void refused(cudaError_t error, const char *says)
{
    ok(error == cudaErrorInvalidValue && strstr(gp_last_error_message(), says) != NULL, "refused: %s", says);
}

static void test_arguments(void)
{
    tap_buffer d = tap_buffer_new(4096, 0);
    uint32_t *p = (uint32_t *)d.data;
    int *offsets = (int *)(p + 900);

    refused(u32_top_k(NULL, p, p, p + 100, 3, 1, NULL, 0),
            "u32_top_k: kin is NULL; it must point to device memory when n is 3");
    refused(u32_row_top_k(p, NULL, p, p + 100, 1, 3, 1, NULL, 0),
            "u32_row_top_k: kout is NULL; it must point to device memory when rows is 1");
    refused(u32_top_k(p, NULL, NULL, p + 100, 3, 1, NULL, 0), "u32_top_k: kout is NULL");
    refused(u32_top_k(p, p + 100, NULL, NULL, 3, 1, NULL, 0), "u32_top_k: vout is NULL");
    refused(u32_top_k(p, p + 100, NULL, p + 200, 3, 4, NULL, 0), "u32_top_k: k is 4; it must be at most 3");
    refused(u32_top_k(p, p + 2, NULL, p + 200, 3, 1, NULL, 0), "u32_top_k: kin and kout overlap");
    refused(u32_top_k(p, p + 100, NULL, p + 101, 30, 2, NULL, 0), "u32_top_k: kout and vout overlap");
    refused(u32_top_k(p, p + 100, NULL, p + 200, (size_t)1 << 31, 1, NULL, 0), "it must be at most 2147483647");
    refused(u32_row_top_k(p, p + 100, NULL, p + 200, 5, 10, 11, NULL, 0),
            "u32_row_top_k: k is 11; it must be at most 10");
    refused(u32_row_top_k(p, p + 49, NULL, p + 200, 5, 10, 1, NULL, 0), "u32_row_top_k: kin and kout overlap");
    refused(u32_segmented_top_k(p, p + 100, NULL, p + 200, 5, NULL, 1, 1, NULL, 0),
            "u32_segmented_top_k: offsets is NULL");
    refused(u32_segmented_top_k(p, p, NULL, p + 200, 5, offsets, 1, 1, NULL, 0), "kin and kout overlap");
    refused(u32_segmented_top_k(p, p + 100, NULL, p + 200, 5, offsets, 3, SIZE_MAX, NULL, 0), "segments * k is");
    ok(u32_top_k(NULL, NULL, NULL, NULL, 0, 0, NULL, 0) == cudaSuccess &&
           u32_top_k(p, NULL, NULL, NULL, 5, 0, NULL, 0) == cudaSuccess &&
           u32_segmented_top_k(NULL, NULL, NULL, NULL, 0, NULL, 5, 2, NULL, 0) == cudaSuccess &&
           u32_row_top_k(NULL, NULL, NULL, NULL, 5, 0, 0, NULL, 0) == cudaSuccess,
       "nothing is selected from nothing");
    ok(tap_buffer_intact(&d, 0), "and nothing is written");
    ok(u32_row_top_k_workspace_bytes((size_t)1 << 52, 60000, 5) == SIZE_MAX, "more items than there can be");
    tap_buffer_free(&d);
}

/* Of exactly as many bytes as are needed, with any contents, and of one less. */
static void test_workspace(const top_k_case *t, size_t n, size_t k)
{
    const size_t offsets[] = {0, n / 3, n};
    int right = 1, is_monotone = 1;

    for (int what = ARRAY; what <= ROWS; what++) {
        const size_t segments = what == ARRAY ? 1 : 2, all[] = {0, what == ARRAY ? n : what == ROWS ? n / 2 : n / 3, n};
        unsigned char *keys = (unsigned char *)malloc(n * t->key_bytes);
        top_k_call call = {what, keys, NULL, NULL, NULL, NULL, n, segments, k};
        const size_t bytes = t->bytes(&call);
        tap_buffer d_ws = tap_buffer_new(bytes, 8);
        gp_workspace ws = GP_WORKSPACE_INIT;

        make_keys(t, keys, n, RANDOM);
        for (int turn = 0; turn < 2; turn++) {
            must(cudaMemset(d_ws.data, turn ? 0xFF : 0xA5, bytes));
            must(gp_workspace_wrap(&ws, d_ws.data, bytes, 0));
            right &= is_right(t, &call, what == SEGMENTS ? offsets : all, 0, &ws);
            must(gp_workspace_release(&ws, 0));
        }
        right &= tap_buffer_intact(&d_ws, bytes);
        if (bytes) {
            must(gp_workspace_wrap(&ws, d_ws.data, bytes - 1, 0));
            call.kin = call.offsets = d_ws.data;
            call.kout = (char *)d_ws.data + n * t->key_bytes;
            call.vout = (char *)d_ws.data + 2 * n * t->key_bytes;
            right &= t->run(&call, &ws, 0) == cudaErrorInvalidValue;
            must(gp_workspace_release(&ws, 0));
        }
        size_t before = 0;
        for (size_t size = what == ARRAY ? k : 2 * k; size < (size_t)1 << 42; size += size / 7 + 2) {
            call.n = what == ROWS ? size / 2 * 2 : size;
            is_monotone &= t->bytes(&call) >= before;
            before = t->bytes(&call);
        }
        call.n = SIZE_MAX;
        (void)t->bytes(&call);
        tap_buffer_free(&d_ws);
        free(keys);
    }
    ok(right, "%s: a workspace of just enough bytes, and of one less, n = %zu, k = %zu", t->name, n, k);
    for (size_t length = k; length < (size_t)1 << 34; length += length + 7) {
        top_k_call call = {ROWS, NULL, NULL, NULL, NULL, NULL, 0, 1, k};
        size_t before = 0;

        for (; call.segments < (size_t)1 << 29; call.segments += call.segments / 5 + 1) {
            call.n = call.segments * length;
            is_monotone &= t->bytes(&call) >= before;
            before = t->bytes(&call);
        }
    }
    ok(is_monotone, "%s: the workspace grows with n and with rows, k = %zu", t->name, k);
}

#ifdef __CUDACC__
/* A captured call, replayed: it sees what is there then. */
static void test_graph(size_t n, size_t k)
{
    uint32_t *keys = (uint32_t *)malloc(n * sizeof *keys), *got = (uint32_t *)malloc(k * sizeof *got);
    tap_buffer kin = tap_buffer_new(n * 4, 4), kout = tap_buffer_new(k * 4, 0), vout = tap_buffer_new(k * 4, 0);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    int right = 1;

    must(cudaStreamCreate(&stream));
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    must(u32_top_k((const uint32_t *)kin.data, (uint32_t *)kout.data, NULL, (uint32_t *)vout.data, n, k, NULL, stream));
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaGraphInstantiate(&executable, graph, 0));
    for (uint32_t turn = 0; turn < 3; turn++) {
        for (size_t i = 0; i < n; i++)
            keys[i] = (uint32_t)i * 2654435761u + turn;
        must(cudaMemcpy(kin.data, keys, n * 4, cudaMemcpyHostToDevice));
        must(cudaGraphLaunch(executable, stream));
        must(cudaStreamSynchronize(stream));
        tap_buffer_read(got, &vout, k * 4);
        for (size_t i = 0; i + 1 < k; i++)
            right &= keys[got[i]] < keys[got[i + 1]];
        size_t before = 0;
        for (size_t i = 0; i < n; i++)
            before += keys[i] <= keys[got[k - 1]];
        right &= before == k;
    }
    ok(right, "a captured graph replays right, n = %zu, k = %zu", n, k);
    must(cudaGraphExecDestroy(executable));
    must(cudaGraphDestroy(graph));
    must(cudaStreamDestroy(stream));
    tap_buffer_free(&kin);
    tap_buffer_free(&kout);
    tap_buffer_free(&vout);
    free(keys);
    free(got);
}

/* Keys of an array of more than 2^32 bytes are found where they are. */
#define GP_NAME far
#define GP_KEY uint8_t
#define GP_VALUE uint64_t
#include <gpuprims/top_k.cuh>

static void test_huge(void)
{
    const size_t n = ((size_t)1 << 32) + 1234567, places[] = {17, ((size_t)1 << 32) - 1, ((size_t)1 << 32) + 5, n - 1};
    const uint8_t least = 3;
    uint8_t *keys = NULL;
    uint64_t got[6];
    tap_buffer kout = tap_buffer_new(6, 0), vout = tap_buffer_new(sizeof got, 0);
    int right = 1;

    if (cudaMalloc((void **)&keys, n) != cudaSuccess) {
        (void)cudaGetLastError();
        ok(1, "more than 2^32 keys # SKIP no memory for them");
        return;
    }
    must(cudaMemset(keys, 9, n));
    for (int i = 0; i < 4; i++)
        must(cudaMemcpy(keys + places[i], &least, 1, cudaMemcpyHostToDevice));
    must(far_top_k(keys, (uint8_t *)kout.data, NULL, (uint64_t *)vout.data, n, 6, NULL, 0));
    tap_buffer_read(got, &vout, sizeof got);
    for (int i = 0; i < 4; i++)
        right &= got[i] == places[i];
    ok(right && got[4] == 0 && got[5] == 1, "more than 2^32 keys");
    must(cudaFree(keys));
    tap_buffer_free(&kout);
    tap_buffer_free(&vout);
}
#endif

int main(int argc, char **argv)
{
    tap_begin(argc, argv);
    for (int k = 0; k < CASES; k++)
        if (tap_wants(cases[k]->name)) {
            test_array(cases[k]);
            test_inputs(cases[k]);
            test_segments(cases[k]);
            test_rows(cases[k]);
            test_few_of_rows(cases[k]);
            test_much_of_rows(cases[k]);
            test_rounds(cases[k]);
            test_workspace(cases[k], 3000, 100);
            test_workspace(cases[k], 40000, 20);
            test_workspace(cases[k], 3000, 1400);
            test_workspace(cases[k], 40000, 300);
        }
    for (int k = 0; k < 2; k++)
        if (tap_wants("merges"))
            test_merges(cases[k]);
    if (!tap_wants("others"))
        return tap_end();
    test_arguments();
#ifdef __CUDACC__
    test_graph(5000, 300);
    test_graph(300007, 9000);
    test_huge();
#endif
    return tap_end();
}
