/* segmented_sort.cuh: segments of all lengths, of every kind of key, with values of many sizes, by every kernel. */
/* test options: timeout=600 */
#include "tap.h"

#include "key_order.h"

/* Some hundreds of segments, and some thousands of items, are many. */
#define GPI_TUNE_SEGMENTED_SORT_DIRECT 30
#define GPI_TUNE_SEGMENTED_SORT_SOME   80
#define GPI_TUNE_SEGMENTED_SORT_FEW    24000

enum { AS_BYTES, AS_FLOAT, AS_DOUBLE };

typedef struct sort_case {
    const char *name;
    size_t key_bytes, value_bytes, value_align, index_bytes;
    int kind, descending, numbers;
    cudaError_t (*run)(const void *kin, void *kout, const void *vin, void *vout, size_t n, const void *offsets,
                       size_t segments, gp_workspace *ws, cudaStream_t stream);
    cudaError_t (*run_rows)(const void *kin, void *kout, const void *vin, void *vout, size_t rows, size_t length,
                            gp_workspace *ws);
    size_t (*bytes)(size_t n, size_t segments);
    size_t (*row_bytes)(size_t rows, size_t length);
} sort_case;

/* The default, and included twice. */
#include <gpuprims/segmented_sort.cuh>
#include <gpuprims/segmented_sort.cuh>

typedef struct s3 {
    uint8_t b[3];
} s3;

typedef struct s16 {
    uint64_t a, b;
} __attribute__((aligned(16))) s16;

typedef struct s40 {
    uint32_t a[10];
} s40;

typedef struct half_word {
    uint16_t bits;
} half_word;

#define CASE u32
#define CASE_KEY uint32_t
#define CASE_INDEX uint32_t
#include "segmented_sort_case.h"
#define CASE f32_down
#define CASE_KEY float
#define CASE_INDEX int
#define CASE_DESCENDING
#include "segmented_sort_case.h"
#define CASE u32_f32
#define CASE_KEY uint32_t
#define CASE_VALUE float
#define CASE_NUMBERS AS_FLOAT
#include "segmented_sort_case.h"
#define CASE f64_s16
#define CASE_KEY double
#define CASE_VALUE s16
#include "segmented_sort_case.h"
#define CASE i16_s40
#define CASE_KEY int16_t
#define CASE_VALUE s40
#define CASE_INDEX int64_t
#include "segmented_sort_case.h"
#define CASE u8_f64
#define CASE_KEY uint8_t
#define CASE_VALUE double
#define CASE_NUMBERS AS_DOUBLE
#define CASE_GRID 2
#include "segmented_sort_case.h"
#define CASE passes_u32
#define CASE_KEY uint32_t
#define CASE_KERNEL GP_KERNEL_PASSES
#define CASE_INDEX unsigned
#include "segmented_sort_case.h"
#define CASE passes_i64_s3_down
#define CASE_KEY int64_t
#define CASE_VALUE s3
#define CASE_DESCENDING
#define CASE_KERNEL GP_KERNEL_PASSES
#include "segmented_sort_case.h"
#define CASE passes_i8_s40
#define CASE_KEY int8_t
#define CASE_VALUE s40
#define CASE_KERNEL GP_KERNEL_PASSES
#define CASE_GRID 3
#include "segmented_sort_case.h"
#define CASE buckets_u32_u32
#define CASE_KEY uint32_t
#define CASE_VALUE uint32_t
#define CASE_KERNEL GP_KERNEL_BUCKETS
#define CASE_INDEX int
#include "segmented_sort_case.h"
#define CASE buckets_f16
#define CASE_KEY half_word
#define CASE_KIND GP_FLOAT
#define CASE_KERNEL GP_KERNEL_BUCKETS
#include "segmented_sort_case.h"

static const sort_case *const cases[] = {
    &u32_case,           &f32_down_case,        &u32_f32_case,    &f64_s16_case,
    &i16_s40_case,       &u8_f64_case,          &passes_u32_case, &passes_i64_s3_down_case,
    &passes_i8_s40_case, &buckets_u32_u32_case, &buckets_f16_case};
enum { CASES = sizeof cases / sizeof *cases };

/* ---- segments ---------------------------------------------------------------------------------- */

enum { TINY, WARP, SPARSE, UNIFORM, POWER_LAW, ONE_OF_ALL, EMPTY, EDGES, ONES, LONG, LENGTHS };
static const char *const length_names[] = {
    "0 to 12",   "0 to 16",      "tiny, but for a few", "0 to 600", "power law", "one of all among empty ones", "empty",
    "about limits", "1", "long"};

static size_t length_of(int lengths, size_t n)
{
    static const size_t edges[] = {0,   1,   2,   15,   16,   17,   31,   32,   33,   63,   64,   65,
                                   127, 128, 129, 255,  256,  257,  511,  512,  1024, 2047, 2048, 3071,
                                   3072, 3584, 4095, 4096, 4097, 4607, 6143, 6144, 6145, 8193};

    switch (lengths) {
    case TINY: return tap_below(13);
    case WARP: return tap_below(17);
    case SPARSE: return tap_below(250) ? tap_below(10) : tap_below(n / 9 + 50);
    case UNIFORM: return tap_below(601);
    case POWER_LAW: return (size_t)1 << tap_below(tap_below(15) + 1);
    case ONE_OF_ALL: return tap_below(300) ? 0 : n;
    case EMPTY: return 0;
    case EDGES: return edges[tap_below(sizeof edges / sizeof *edges)];
    case ONES: return 1;
    default: return n / 2 + tap_below(n + 1) / 3;
    }
}

#include "segment_offsets.h"

/* ---- keys -------------------------------------------------------------------------------------- */

enum { RANDOM, FEW, ENDS, TWINS, EQUAL, SORTED, REVERSED, NARROW, SKEWED, EXTREMES, SHAPES };
static const char *const shape_names[] = {"random",
                                          "few distinct",
                                          "the topmost bit and the lowest ones",
                                          "neighbours that differ little",
                                          "equal",
                                          "sorted",
                                          "reversed",
                                          "a narrow range",
                                          "skewed",
                                          "zeros, infinities, NaNs"};

static uint64_t key_of(const sort_case *c, int shape, size_t i)
{
    const int bits = 8 * (int)c->key_bytes;
    const uint64_t sign = (uint64_t)1 << (bits - 1), word = tap_random() >> (64 - bits);
    static uint64_t last;

    switch (shape) {
    case FEW: return (tap_below(5) * 0x1F1F1F1F3F01u) >> (c->key_bytes == 1 ? 3 : 0);
    case ENDS: return (tap_below(50) ? 0 : sign) | tap_below(256);
    case TWINS: /* now and then a key is a little less than the one before */
        last = i % 500 == 499 ? last - 1 : (word & ~(uint64_t)255) | 128;
        return last;
    case EQUAL: return 0x5A5A5A5A5A5A5A5Au;
    case SORTED: return i / 3;
    case REVERSED: return 0u - i;
    case NARROW: return 0x4000 + tap_below(37) + (i / 1000 << 16);
    case SKEWED: return word >> tap_below((uint64_t)bits);
    case EXTREMES:
        switch (tap_below(6)) {
        case 0: return sign;
        case 1: return 0;
        case 2: return UINT64_MAX;
        case 3: return c->key_bytes == 8 ? 0x7FF0000000000000u : c->key_bytes == 4 ? 0x7F800000u : 0x7C00u;
        case 4: return sign - 1;
        default: return word;
        }
    default: return word;
    }
}

static void make_items(const sort_case *c, int shape, size_t n, unsigned char *keys, unsigned char *values)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = key_of(c, shape, i);

        memcpy(keys + i * c->key_bytes, &key, c->key_bytes);
    }
    for (size_t i = 0; i < n * c->value_bytes; i++)
        values[i] = (unsigned char)tap_random();
}

/* The value that stands for item i where vin is NULL. */
static void number_value(const sort_case *c, size_t i, unsigned char *to)
{
    const float real = (float)i;
    const double long_real = (double)i;
    uint64_t number = 0;

    if (c->numbers == AS_FLOAT)
        memcpy(&number, &real, sizeof real);
    else if (c->numbers == AS_DOUBLE)
        memcpy(&number, &long_real, sizeof long_real);
    else
        number = i;
    memset(to, 0, c->value_bytes);
    memcpy(to, &number, c->value_bytes < 8 ? c->value_bytes : 8);
}

/* Sorts the segments of both arrays on the host; values NULL: their numbers. What is in none stays in the outputs. */
static void expect(const sort_case *c, const unsigned char *keys, const unsigned char *values, const size_t *offsets,
                   size_t segments, unsigned char *keys_out, unsigned char *values_out)
{
    item *items = (item *)malloc((offsets[segments] - offsets[0] + 1) * sizeof *items);

    for (size_t s = 0; s < segments; s++) {
        const size_t first = offsets[s], n = offsets[s + 1] - first;

        for (size_t i = 0; i < n; i++) {
            items[i].number =
                key_number(key_bits(keys, first + i, c->key_bytes), c->key_bytes, c->kind, c->descending);
            items[i].index = i;
        }
        qsort(items, n, sizeof *items, compare_items);
        for (size_t i = 0; i < n; i++) {
            unsigned char *value = values_out + (first + i) * c->value_bytes;

            memcpy(keys_out + (first + i) * c->key_bytes, keys + (first + items[i].index) * c->key_bytes, c->key_bytes);
            if (c->value_bytes && values)
                memcpy(value, values + (first + items[i].index) * c->value_bytes, c->value_bytes);
            else if (c->value_bytes)
                number_value(c, items[i].index, value);
        }
    }
    free(items);
}

/* ---- calls ------------------------------------------------------------------------------------- */

enum { KEYS_IN_PLACE = 1, VALUES_IN_PLACE = 2, NUMBERS = 4, ROWS = 8 };

/* An array on the device, and as it is before and should be after. */
typedef struct array {
    tap_buffer in, out;
    unsigned char *host, *expected, *got;
    size_t bytes;
    int in_place;
} array;

static array make_array(size_t bytes, size_t align, int in_place)
{
    array a;

    memset(&a, 0, sizeof a);
    a.bytes = bytes;
    a.in_place = in_place;
    a.host = (unsigned char *)malloc(bytes + 1);
    a.expected = (unsigned char *)malloc(bytes + 1);
    a.got = (unsigned char *)malloc(bytes + 1);
    a.in = tap_buffer_new(bytes, align * tap_below(128 / align));
    a.out = tap_buffer_new(in_place ? 0 : bytes, align * tap_below(128 / align));
    memset(a.expected, 0xC3, bytes);
    return a;
}

static void send_array(array *a)
{
    must(cudaMemcpy(a->in.data, a->host, a->bytes, cudaMemcpyHostToDevice));
    if (a->in_place)
        memcpy(a->expected, a->host, a->bytes);
}

static void *result_of(const array *a)
{
    return a->in_place ? a->in.data : a->out.data;
}

/* Whether the result is right, and nothing else was written. */
static int array_is_right(array *a)
{
    int right;

    tap_buffer_read(a->got, a->in_place ? &a->in : &a->out, a->bytes);
    right = memcmp(a->got, a->expected, a->bytes) == 0;
    right &= tap_buffer_intact(&a->in, a->bytes) && tap_buffer_intact(&a->out, a->in_place ? 0 : a->bytes);
    if (!a->in_place) {
        tap_buffer_read(a->got, &a->in, a->bytes);
        right &= memcmp(a->got, a->host, a->bytes) == 0;
    }
    return right;
}

static void free_array(array *a)
{
    tap_buffer_free(&a->in);
    tap_buffer_free(&a->out);
    free(a->host);
    free(a->expected);
    free(a->got);
}

static int call_is_right(const sort_case *c, int shape, size_t n, const size_t *offsets, size_t segments, int how,
                         gp_workspace *ws)
{
    array keys = make_array(n * c->key_bytes, c->key_bytes, (how & KEYS_IN_PLACE) != 0);
    array values = make_array(n * c->value_bytes, c->value_align, (how & VALUES_IN_PLACE) != 0);
    tap_buffer d_offsets = device_offsets(c->index_bytes, offsets, segments);
    const void *values_in = how & NUMBERS ? NULL : values.in.data;
    cudaError_t error;
    int right;

    make_items(c, shape, n, keys.host, values.host);
    send_array(&keys);
    send_array(&values);
    expect(c, keys.host, values_in ? values.host : NULL, offsets, segments, keys.expected, values.expected);
    if (how & ROWS)
        error = c->run_rows(keys.in.data, result_of(&keys), values_in, result_of(&values), segments,
                            offsets[1] - offsets[0], ws);
    else
        error =
            c->run(keys.in.data, result_of(&keys), values_in, result_of(&values), n, d_offsets.data, segments, ws, 0);
    right = error == cudaSuccess && array_is_right(&keys) && array_is_right(&values);
    right &= tap_buffer_intact(&d_offsets, d_offsets.bytes);
    tap_buffer_free(&d_offsets);
    free_array(&keys);
    free_array(&values);
    return right;
}

/* ---- tests ------------------------------------------------------------------------------------- */

/* Segments of all lengths, random keys. */
static void test_lengths(const sort_case *c)
{
    static const size_t sizes[] = {1, 2, 33, 1000, 4096, 4097, 6145, 20000, 66666};
    gp_workspace ws = GP_WORKSPACE_INIT;

    for (int lengths = 0; lengths < LENGTHS; lengths++) {
        int right = 1;

        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            const size_t n = sizes[k], most = n + 3000;
            size_t *offsets = (size_t *)malloc((most + 1) * sizeof *offsets);

            if (n < 7000 || !tap_small) {
                const size_t segments = make_offsets(lengths, n, most, offsets);

                right &= call_is_right(c, RANDOM, n, offsets, segments, (int)tap_below(8), k % 2 ? &ws : NULL);
            }
            free(offsets);
        }
        ok(right, "%s: segments of lengths: %s", c->name, length_names[lengths]);
    }
    must(gp_workspace_release(&ws, 0));
}

/* Keys of all kinds, in segments of mixed lengths, and in long ones. */
static void test_shapes(const sort_case *c)
{
    const size_t n = tap_small ? 7000 : 40000;
    size_t *offsets = (size_t *)malloc((n + 1) * sizeof *offsets);

    for (int shape = 0; shape < SHAPES; shape++) {
        int right = 1;

        for (int how = 0; how < 8; how++) {
            if (tap_small && (how ^ how >> 1 ^ how >> 2) & 1)
                continue; /* each two of them are there in all ways still */
            const size_t segments = make_offsets(how % 2 ? LONG : POWER_LAW, n, n, offsets);

            right &= call_is_right(c, shape, n, offsets, segments, how, NULL);
        }
        ok(right, "%s: keys: %s", c->name, shape_names[shape]);
    }
    free(offsets);
}

static void test_rows(const sort_case *c)
{
    static const size_t shapes[][2] = {{1, 1},     {1, 3000}, {100, 1}, {33, 7},  {640, 8},   {31, 31},  {50, 32},
                                       {41, 33},   {127, 4},  {129, 5}, {32, 15}, {700, 16},  {130, 17}, {70000, 1},
                                       {140000, 2}, {19, 1024}, {5, 4096}, {3, 5003}, {1, 30000}, {60, 17},
                                       {45, 64}, {50, 63}, {131, 24}, {40, 65}, {2, 6144}, {2, 6145},
                                       {9, 64}, {39, 100}, {11, 128}, {50, 255}, {10, 256}, {7, 257}, {110, 240}};
    int right = 1;

    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        const size_t rows = shapes[k][0], length = shapes[k][1];
        size_t *offsets = (size_t *)malloc((rows + 1) * sizeof *offsets);

        for (size_t s = 0; s <= rows; s++)
            offsets[s] = s * length;
        if (rows < 10000 || !tap_small)
            right &= call_is_right(c, (int)(k % 4), rows * length, offsets, rows, ROWS | (int)tap_below(8), NULL);
        free(offsets);
    }
    ok(right, "%s: rows", c->name);
}

/* Segments that are small on average, in groups that are tiny, small, or neither. */
static void test_small(const sort_case *c)
{
    enum { SEGMENTS = 700 };
    static const struct {
        size_t segments, most, one; /* of up to so many items; one has so many more */
    } shapes[] = {{520, 34, 0}, {700, 40, 0}, {520, 100, 500}, {700, 90, 0}, {100, 40, 0}, {100, 40, 300},
                  {200, 30, 2000}};
    size_t offsets[SEGMENTS + 1] = {0};
    int right = 1;

    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int how = 0; how < 8; how++) {
            const size_t segments = shapes[k].segments, one = tap_below(segments);

            if ((how ^ how >> 1 ^ how >> 2 ^ (int)k) & 1)
                continue; /* each two of them are there in all ways still */
            offsets[0] = (size_t)how;
            for (size_t s = 0; s < segments; s++)
                offsets[s + 1] = offsets[s] + tap_below(s / 128 % 4 == 3 ? 17 : shapes[k].most + 1) +
                                 (s == one ? shapes[k].one : 0);
            right &= call_is_right(c, (int)((k + (size_t)how / 2) % 4), offsets[segments] + 3, offsets, segments, how,
                                   NULL);
        }
    ok(right, "%s: small segments", c->name);
}

static void test_workspaces(const sort_case *c)
{
    const size_t n = 9000, offsets[] = {1, 2, 7000, 7000, 7040, n - 1}, bytes = c->bytes(n, 5);
    unsigned char *memory = NULL;
    gp_workspace ws = GP_WORKSPACE_INIT;
    int right = 1;

    must(cudaMalloc((void **)&memory, bytes + 8));
    must(cudaMemset(memory, 0xAB, bytes + 8));
    must(gp_workspace_wrap(&ws, memory + 5, bytes, 0));
    for (int again = 0; again < 3; again++)
        right &= call_is_right(c, RANDOM, n, offsets, 5, again, &ws);
    ok(right, "%s: a dirty workspace of the least size", c->name);
    must(gp_workspace_wrap(&ws, memory, bytes - 1, 0));
    ok(c->run(memory, memory, memory, memory, n, memory, 5, &ws, 0) == cudaErrorInvalidValue,
       "%s: one byte less is refused", c->name);
    must(gp_workspace_release(&ws, 0));
    must(cudaFree(memory));
    for (size_t m = 1, last = 0; m < (size_t)1 << 40; m += m / 7 + 1) {
        right &= c->bytes(m, m) >= last;
        last = c->bytes(m, 1);
    }
    for (size_t segments = 1; segments < (size_t)1 << 20; segments += segments / 7 + 1)
        for (size_t m = 60000, last = 0; m < 70000; m += 97) {
            right &= c->bytes(m, segments) >= last && c->bytes(m, segments + segments / 7 + 1) >= c->bytes(m, segments);
            last = c->bytes(m, segments);
        }
    ok(right && c->bytes(SIZE_MAX, 1) > (size_t)1 << 40 && c->row_bytes(SIZE_MAX / 2, 3) >= c->row_bytes(1000, 3),
       "%s: bytes of workspace grow with n and with segments", c->name);
}

static void test_errors(void)
{
    uint32_t *a = NULL, *b = NULL;
    float *x = NULL;
    size_t *at = NULL;

    must(cudaMalloc((void **)&a, 400));
    must(cudaMalloc((void **)&b, 400));
    must(cudaMalloc((void **)&x, 400));
    must(cudaMalloc((void **)&at, 400));
    ok(u32_f32_segmented_sort(NULL, NULL, NULL, NULL, 0, NULL, 5, NULL, 0) == cudaSuccess, "no items");
    ok(u32_f32_segmented_sort(a, b, x, x, 9, NULL, 0, NULL, 0) == cudaSuccess, "no segments");
    ok(u32_f32_row_sort(NULL, NULL, NULL, NULL, 7, 0, NULL, 0) == cudaSuccess, "rows of no items");
    ok(u32_f32_segmented_sort(NULL, b, x, x, 9, at, 1, NULL, 0) == cudaErrorInvalidValue &&
           strstr(gp_last_error_message(), "kin"),
       "no keys");
    ok(u32_f32_segmented_sort(a, NULL, x, x, 9, at, 1, NULL, 0) == cudaErrorInvalidValue &&
           strstr(gp_last_error_message(), "kout"),
       "nowhere for keys");
    ok(u32_f32_row_sort(a, NULL, x, x, 3, 5, NULL, 0) == cudaErrorInvalidValue &&
           strstr(gp_last_error_message(), "kout is NULL; it must point to device memory when rows is 3"),
       "nowhere for the keys of rows");
    ok(u32_f32_segmented_sort(a, b, x, NULL, 9, at, 1, NULL, 0) == cudaErrorInvalidValue &&
           strstr(gp_last_error_message(), "vout"),
       "nowhere for values");
    ok(u32_f32_segmented_sort(a, b, x, x, 9, NULL, 1, NULL, 0) == cudaErrorInvalidValue &&
           strstr(gp_last_error_message(), "offsets"),
       "no offsets");
    ok(u32_f32_row_sort(a, a + 1, x, x, 3, 3, NULL, 0) == cudaErrorInvalidValue &&
           strstr(gp_last_error_message(), "overlap"),
       "rows that overlap");
    ok(u32_f32_segmented_sort(a, b, x, (float *)(void *)b, 9, at, 1, NULL, 0) == cudaErrorInvalidValue &&
           strstr(gp_last_error_message(), "overlap"),
       "keys and values that overlap");
    ok(u32_f32_segmented_sort(a, b, x, (float *)(void *)at, 9, at, 1, NULL, 0) == cudaErrorInvalidValue &&
           strstr(gp_last_error_message(), "offsets"),
       "values over offsets");
    ok(f32_down_segmented_sort(x, x, (size_t)1 << 31, (const int *)at, 1, NULL, 0) == cudaErrorInvalidValue &&
           strstr(gp_last_error_message(), " n is "),
       "more items than the type of offsets counts");
    ok(u32_f32_row_sort(a, b, x, x, SIZE_MAX / 2, 3, NULL, 0) == cudaErrorInvalidValue &&
           strstr(gp_last_error_message(), "rows * length"),
       "more rows than there can be");
    must(cudaFree(a));
    must(cudaFree(b));
    must(cudaFree(x));
    must(cudaFree(at));
}

#ifdef __CUDACC__
/* A captured call sorts what is there when it is replayed: of `most` segments at most, with and without a plan. */
static void test_graph(const sort_case *c, size_t most)
{
    const size_t n = 30000;
    size_t offsets[600];
    size_t segments = make_offsets(POWER_LAW, n, most, offsets);
    array keys = make_array(n * c->key_bytes, c->key_bytes, 0);
    array values = make_array(n * c->value_bytes, c->value_align, 0);
    tap_buffer d_offsets = device_offsets(c->index_bytes, offsets, segments);
    gp_workspace ws = GP_WORKSPACE_INIT;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int right = 1;

    must(cudaStreamCreate(&stream));
    must(gp_workspace_reserve(&ws, c->bytes(n, segments), stream));
    must(cudaStreamSynchronize(stream));
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    must(c->run(keys.in.data, keys.out.data, values.in.data, values.out.data, n, d_offsets.data, segments, &ws,
                stream));
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaGraphInstantiate(&exec, graph, 0));
    for (int replay = 0; replay < 3; replay++) {
        make_items(c, replay ? SKEWED : RANDOM, n, keys.host, values.host);
        send_array(&keys);
        send_array(&values);
        expect(c, keys.host, values.host, offsets, segments, keys.expected, values.expected);
        must(cudaDeviceSynchronize());
        must(cudaGraphLaunch(exec, stream));
        must(cudaStreamSynchronize(stream));
        right &= array_is_right(&keys) && array_is_right(&values);
    }
    ok(right, "%s: a captured call of %zu segments, replayed", c->name, segments);
    must(cudaGraphExecDestroy(exec));
    must(cudaGraphDestroy(graph));
    must(gp_workspace_release(&ws, stream));
    must(cudaStreamDestroy(stream));
    tap_buffer_free(&d_offsets);
    free_array(&keys);
    free_array(&values);
}

/* Calls on several streams at once, whose blocks wait for others of their call. */
static void test_streams(const sort_case *c)
{
    enum { STREAMS = 4 };
    const size_t n = tap_small ? 20000 : 200000;
    size_t *offsets = (size_t *)malloc((n + 1) * sizeof *offsets);
    const size_t segments = make_offsets(LONG, n, n, offsets);
    tap_buffer d_offsets = device_offsets(c->index_bytes, offsets, segments);
    array keys[STREAMS], values[STREAMS];
    cudaStream_t streams[STREAMS];
    int right = 1;

    for (int i = 0; i < STREAMS; i++) {
        keys[i] = make_array(n * c->key_bytes, c->key_bytes, 0);
        values[i] = make_array(n * c->value_bytes, c->value_align, 0);
        make_items(c, i % 2 ? SKEWED : RANDOM, n, keys[i].host, values[i].host);
        send_array(&keys[i]);
        send_array(&values[i]);
        expect(c, keys[i].host, values[i].host, offsets, segments, keys[i].expected, values[i].expected);
        must(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    }
    must(cudaDeviceSynchronize());
    for (int k = 0; k < 3 * STREAMS; k++) {
        const int i = k % STREAMS;

        must(c->run(keys[i].in.data, keys[i].out.data, values[i].in.data, values[i].out.data, n, d_offsets.data,
                    segments, NULL, streams[i]));
    }
    must(cudaDeviceSynchronize());
    for (int i = 0; i < STREAMS; i++) {
        right &= array_is_right(&keys[i]) && array_is_right(&values[i]);
        must(cudaStreamDestroy(streams[i]));
        free_array(&keys[i]);
        free_array(&values[i]);
    }
    ok(right, "%s: calls on several streams", c->name);
    tap_buffer_free(&d_offsets);
    free(offsets);
}
#endif

int main(int argc, char **argv)
{
    tap_begin(argc, argv);
    for (int k = 0; k < CASES; k++) {
        if (!tap_wants(cases[k]->name))
            continue;
        test_lengths(cases[k]);
        test_shapes(cases[k]);
        test_rows(cases[k]);
        test_small(cases[k]);
        test_workspaces(cases[k]);
#ifdef __CUDACC__
        test_graph(cases[k], 599);
        test_graph(cases[k], 99);
        test_streams(cases[k]);
#endif
    }
    if (tap_only[0] == '\0')
        test_errors();
    return tap_end();
}
