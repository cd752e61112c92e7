/*
 * The sorting networks. What they leave behind is compared bit by bit with the network itself,
 * written down as in the textbook and run comparator by comparator; and the comparators are
 * counted.
 */
/* test options: no_cpp timeout=300 */

/* So that a grid of few blocks already goes on in its second dimension, as one of 2^31 does. */
static unsigned test_grid_x = 0x7FFFFFFF;
#define GPI_CLASSIC_GRID_X test_grid_x

/* The kernels count here. */
#define GPI_COUNT_COMPARATOR() ((void)atomicAdd(&comparators_performed, 1ull))

#include "tap.h"

#include <math.h>

static __device__ unsigned long long comparators_performed;

static __global__ void take_count(unsigned long long *count)
{
    *count = comparators_performed;
    comparators_performed = 0;
}

/* ---- instances ------------------------------------------------------------------------------- */

typedef struct {
    unsigned char bytes[3];
} value3;
typedef struct {
    uint32_t words[4];
} __align__(16) value16;
typedef struct {
    uint32_t words[12];
} value48;
typedef struct {
    uint32_t words[50];
} value200;

/* clang-format off */
#define NETWORK u8
#define NETWORK_KEY uint8_t
#include "network_case.h"
#define NETWORK i8
#define NETWORK_KEY int8_t
#include "network_case.h"
#define NETWORK u16
#define NETWORK_KEY uint16_t
#include "network_case.h"
#define NETWORK i16
#define NETWORK_KEY int16_t
#include "network_case.h"
#define NETWORK u32
#define NETWORK_KEY uint32_t
#include "network_case.h"
#define NETWORK i32
#define NETWORK_KEY int32_t
#include "network_case.h"
#define NETWORK u64
#define NETWORK_KEY uint64_t
#include "network_case.h"
#define NETWORK i64
#define NETWORK_KEY int64_t
#include "network_case.h"
#define NETWORK f32
#define NETWORK_KEY float
#include "network_case.h"
#define NETWORK f64
#define NETWORK_KEY double
#include "network_case.h"
#define NETWORK u32_u32
#define NETWORK_KEY uint32_t
#define NETWORK_VALUE uint32_t
#include "network_case.h"
#define NETWORK i8_u64
#define NETWORK_KEY int8_t
#define NETWORK_VALUE uint64_t
#include "network_case.h"
#define NETWORK u64_u16
#define NETWORK_KEY uint64_t
#define NETWORK_VALUE uint16_t
#include "network_case.h"
#define NETWORK u16_3
#define NETWORK_KEY uint16_t
#define NETWORK_VALUE value3
#include "network_case.h"
#define NETWORK f32_16
#define NETWORK_KEY float
#define NETWORK_VALUE value16
#include "network_case.h"
#define NETWORK f64_48
#define NETWORK_KEY double
#define NETWORK_VALUE value48
#include "network_case.h"
#define NETWORK i32_200
#define NETWORK_KEY int32_t
#define NETWORK_VALUE value200
#include "network_case.h"
/* clang-format on */

/* Nothing defined, and harmless twice. */
#include <gpuprims/classic/bitonic_sort.cuh>
#include <gpuprims/classic/odd_even_merge_sort.cuh>
#include <gpuprims/classic/bitonic_sort.cuh>
#include <gpuprims/classic/odd_even_merge_sort.cuh>

static const network_case *const cases[] = {
    &u8_case,      &i8_case,    &u16_case,    &i16_case,    &u32_case,     &i32_case,
    &u64_case,     &i64_case,   &f32_case,    &f64_case,    &u32_u32_case, &i8_u64_case,
    &u64_u16_case, &u16_3_case, &f32_16_case, &f64_48_case, &i32_200_case,
};
enum { CASES = sizeof cases / sizeof cases[0] };

static const char *const network_names[NETWORKS] = {"bitonic sort", "odd-even merge sort"};
static const int blocks[] = {32, 256, 64, 1024, 128, 512};
enum { BLOCKS = sizeof blocks / sizeof blocks[0] };

static gp_classic_options options_of(int block_threads)
{
    gp_classic_options options;

    options.block_threads = block_threads;
    options.conflict_free = 1;
    options.compact_threads = 1;
    return options;
}

/* ---- the networks as in the textbook --------------------------------------------------------- */

/* An array in host memory, and the comparators so far. Without keys they are merely counted. */
typedef struct {
    const network_case *c;
    char *keys, *values;
    size_t length, count;
    int descending;
} reference;

/* Compares items i < j, seen from the end when descending. What lies past the end is left alone. */
static void reference_compare(reference *r, size_t i, size_t j)
{
    if (j >= r->length)
        return;
    r->count++;
    if (!r->keys)
        return;
    if (r->descending)
        r->c->compare(r->keys, r->values, r->length - 1 - i, r->length - 1 - j);
    else
        r->c->compare(r->keys, r->values, i, j);
}

/* Knuth, volume 3, section 5.3.4: sort both halves; compare mirrors; clean both halves up. */
static void reference_clean(reference *r, size_t first, size_t n)
{
    if (n < 2)
        return;
    for (size_t i = first; i < first + n / 2; i++)
        reference_compare(r, i, i + n / 2);
    reference_clean(r, first, n / 2);
    reference_clean(r, first + n / 2, n / 2);
}

static void reference_bitonic(reference *r, size_t first, size_t n)
{
    if (n < 2 || first >= r->length)
        return;
    reference_bitonic(r, first, n / 2);
    reference_bitonic(r, first + n / 2, n / 2);
    for (size_t i = 0; i < n / 2; i++)
        reference_compare(r, first + i, first + n - 1 - i);
    reference_clean(r, first, n / 2);
    reference_clean(r, first + n / 2, n / 2);
}

/* Batcher: merge the items at even places, and those at odd places; then compare neighbours. */
static void reference_merge(reference *r, size_t first, size_t n, size_t step)
{
    if (2 * step >= n) {
        reference_compare(r, first, first + step);
        return;
    }
    reference_merge(r, first, n, 2 * step);
    reference_merge(r, first + step, n, 2 * step);
    for (size_t i = first + step; i + step < first + n; i += 2 * step)
        reference_compare(r, i, i + step);
}

static void reference_odd_even(reference *r, size_t first, size_t n)
{
    if (n < 2 || first >= r->length)
        return;
    reference_odd_even(r, first, n / 2);
    reference_odd_even(r, first + n / 2, n / 2);
    reference_merge(r, first, n, 1);
}

static void reference_sort(reference *r, int network)
{
    size_t n = 1;

    while (n < r->length)
        n *= 2;
    if (network == BITONIC)
        reference_bitonic(r, 0, n);
    else
        reference_odd_even(r, 0, n);
}

/* ---- comparator counts ----------------------------------------------------------------------- */

static size_t comparators_of(int network, size_t length)
{
    return network == BITONIC ? gp_bitonic_comparators(length) : gp_odd_even_comparators(length);
}

static void test_counts(void)
{
    for (int network = 0; network < NETWORKS; network++) {
        int right = 1;

        for (size_t n = 0; n < (tap_small ? 600 : 2100) && right; n++) {
            reference r = {NULL, NULL, NULL, n, 0, 0};

            reference_sort(&r, network);
            right = r.count == comparators_of(network, n);
        }
        ok(right, "%s: comparators of the textbook's network, left out past the end",
           network_names[network]);
        right = 1;
        for (size_t level = 1; level <= 40; level++) {
            size_t n = (size_t)1 << level, sum = comparators_of(network, n);

            right &= network == BITONIC ? sum == n / 2 * level * (level + 1) / 2
                                        : sum == n / 2 * level * (level - 1) / 2 + n - 1;
        }
        ok(right, "%s: the formula up to 2^40", network_names[network]);
    }
    ok(gp_bitonic_comparators(32) == 240 && gp_odd_even_comparators(32) == 191,
       "240 and 191 for 32");
    ok(gp_bitonic_comparators((size_t)1 << 20) == 110100480 &&
           gp_odd_even_comparators((size_t)1 << 20) == 100663295,
       "110100480 and 100663295 for 2^20");
}

static size_t performed(void)
{
    static unsigned long long *d_count = NULL;
    unsigned long long count = 0;

    if (!d_count)
        must(cudaMalloc((void **)&d_count, sizeof count));
    GP_LAUNCH(take_count, 1, 1, 0, 0, d_count);
    must(cudaMemcpy(&count, d_count, sizeof count, cudaMemcpyDeviceToHost));
    return (size_t)count;
}

/* ---- sorting --------------------------------------------------------------------------------- */

typedef enum { RANDOM, FEW, SORTED, REVERSED, EQUAL, ORGAN, DISTRIBUTIONS } distribution;
static const char *const distribution_names[] = {"random",   "few distinct", "sorted",
                                                 "reversed", "all equal",    "up and down"};

static uint64_t number_of(distribution d, size_t i, size_t n)
{
    switch (d) {
    case RANDOM: return tap_random();
    case FEW: return tap_below(5);
    case SORTED: return i;
    case REVERSED: return n - i;
    case ORGAN: return i < n / 2 ? i : n - i;
    default: return 77;
    }
}

/* Whether the items are in order, and values of 4 bytes, which count up, where their keys are. */
static int in_order(const reference *r, const char *keys_before)
{
    const network_case *c = r->c;
    int right = 1;

    for (size_t i = 1; i < r->length; i++)
        right &= r->descending ? !c->less(r->keys, i - 1, i) : !c->less(r->keys, i, i - 1);
    if (c->value_bytes < 4)
        return right;
    char *seen = (char *)calloc(r->length + 1, 1);
    for (size_t i = 0; i < r->length && right; i++) {
        uint32_t from;

        memcpy(&from, r->values + i * c->value_bytes, sizeof from);
        right = from < r->length && !seen[from] &&
                memcmp(keys_before + from * c->key_bytes, r->keys + i * c->key_bytes,
                       c->key_bytes) == 0;
        if (right)
            seen[from] = 1;
    }
    free(seen);
    return right;
}

typedef struct {
    size_t batch, length;
    int network, descending, specials;
    distribution keys;
    const gp_classic_options *opt;
} experiment;

/* NaNs, infinities and zeros of both signs, where the keys can be such. */
static void make_special(const network_case *c, char *keys, size_t n)
{
    static const double special[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, -NAN, 1.0};

    for (size_t i = 0; i < n; i++) {
        double d = special[tap_below(7)];
        float f = (float)d;

        if (c->key_bytes == 8)
            memcpy(keys + 8 * i, &d, 8);
        else
            memcpy(keys + 4 * i, &f, 4);
    }
}

/* Runs one and says what is wrong with it: NULL when nothing is. */
static const char *fault_of(const network_case *c, const experiment *e)
{
    size_t n = e->batch * e->length, kb = n * c->key_bytes, vb = n * c->value_bytes;
    char *keys = (char *)calloc(kb + 1, 1), *values = (char *)calloc(vb + 1, 1);
    char *before = (char *)calloc(kb + 1, 1), *got = (char *)calloc(kb + vb + 1, 1);
    const char *fault = NULL;

    for (size_t i = 0; i < n; i++)
        c->set(keys, i, number_of(e->keys, i % e->length, e->length));
    if (e->specials)
        make_special(c, keys, n);
    for (size_t i = 0; i < n && c->value_bytes; i++) {
        uint32_t from = (uint32_t)(i % e->length);
        char *value = values + i * c->value_bytes;

        for (size_t b = 0; b < c->value_bytes; b++)
            value[b] = (char)tap_random();
        if (c->value_bytes >= 4)
            memcpy(value, &from, sizeof from);
    }
    memcpy(before, keys, kb);
    tap_buffer d_keys = tap_buffer_of(keys, kb, c->key_bytes * (n % 3));
    tap_buffer d_values = tap_buffer_of(values, vb, 16 * (n % 2));
    (void)performed();
    if (c->sort[e->network](n ? d_keys.data : NULL, n && c->value_bytes ? d_values.data : NULL,
                            e->batch, e->length, e->descending, e->opt, NULL, 0) != cudaSuccess)
        fault = "an error";
    tap_buffer_read(got, &d_keys, kb);
    tap_buffer_read(got + kb, &d_values, vb);
    if (!fault && performed() != e->batch * comparators_of(e->network, e->length))
        fault = "a wrong number of comparators";
    for (size_t a = 0; a < e->batch && !fault; a++) {
        size_t at = a * e->length;
        reference r = {
            c, keys + at * c->key_bytes, values + at * c->value_bytes, e->length, 0, e->descending};

        reference_sort(&r, e->network);
        r.keys = got + at * c->key_bytes;
        r.values = got + kb + at * c->value_bytes;
        if (!e->specials && !in_order(&r, before + at * c->key_bytes))
            fault = "items out of order, or lost";
    }
    if (!fault && (memcmp(got, keys, kb) != 0 || memcmp(got + kb, values, vb) != 0))
        fault = "not what the network gives";
    if (!fault && (!tap_buffer_intact(&d_keys, kb) || !tap_buffer_intact(&d_values, vb)))
        fault = "a write out of bounds";
    tap_buffer_free(&d_keys);
    tap_buffer_free(&d_values);
    free(keys);
    free(values);
    free(before);
    free(got);
    return fault;
}

/* One result for all lengths from `from` to `to`; the rest goes round. */
static void sort_lengths(const network_case *c, int network, size_t from, size_t to, size_t step)
{
    static size_t where = 0;
    const char *fault = NULL;
    size_t length;

    for (length = from; length <= to; length += step, where++) {
        gp_classic_options opt = options_of(blocks[where / 3 % BLOCKS]);
        experiment e = {
            1 + where % 7 / 4 * (where % 3),       length, network, (int)(where / 2 % 2), 0,
            (distribution)(where % DISTRIBUTIONS), &opt};

        e.specials = c->less == f32_less || c->less == f64_less ? where % 5 == 0 : 0;
        fault = fault_of(c, &e);
        if (fault) {
            ok(0, "%s of %s: %s: %zu arrays of %zu, %s, %s, blocks of %d%s", network_names[network],
               c->name, fault, e.batch, length, e.descending ? "descending" : "ascending",
               distribution_names[e.keys], opt.block_threads, e.specials ? ", NaNs" : "");
            return;
        }
    }
    ok(1, "%s of %s, lengths %zu to %zu", network_names[network], c->name, from, to);
}

/* Around tiles, whatever the block's: from 2^6 items on; and in stages far above them. */
static void sort_around_tiles(const network_case *c, int network)
{
    static const size_t more[] = {1536, 3000, 5000, 12345, 20011};
    int all = c == &u8_case || c == &u32_u32_case; /* the largest tiles, and the usual ones */

    for (size_t tile = 64; tile <= (tap_small ? 1024
                                    : all     ? 16384
                                              : 2048);
         tile *= tap_small ? 4 : 2)
        sort_lengths(c, network, tile - 1, tile + 1, 1);
    for (size_t i = 0; i < (tap_small ? 2 : all ? 5 : 3); i++)
        sort_lengths(c, network, more[i], more[i], 1);
}

/* Every block size and direction, at lengths around its tiles. */
static void test_blocks(const network_case *c, int network)
{
    static const size_t lengths[] = {1, 2, 31, 33, 511, 513, 1025, 4095, 4097, 9001};
    const char *fault = NULL;

    for (size_t b = 0; b <= BLOCKS && !fault; b++)
        for (size_t l = 0; l < (tap_small ? 7 : 10) && !fault; l++) {
            gp_classic_options opt = options_of(b < BLOCKS ? blocks[b] : 0);
            experiment e = {(size_t)(b % 2 ? 1 : 3),
                            lengths[l],
                            network,
                            (int)((b + l) % 2),
                            0,
                            (distribution)(l % DISTRIBUTIONS),
                            l % 4        ? &opt
                            : b < BLOCKS ? &opt
                                         : NULL};

            fault = fault_of(c, &e);
        }
    ok(!fault, "%s of %s, blocks of all sizes%s%s", network_names[network], c->name,
       fault ? ": " : "", fault ? fault : "");
}

static void test_distributions(const network_case *c, int network)
{
    for (int d = 0; d < DISTRIBUTIONS; d++) {
        gp_classic_options opt = options_of(32);
        const char *fault = NULL;

        for (int descending = 0; descending < 2 && !fault; descending++) {
            experiment e = {2, 1500, network, descending, 0, (distribution)d, &opt};

            fault = fault_of(c, &e);
        }
        ok(!fault, "%s of %s, %s%s%s", network_names[network], c->name, distribution_names[d],
           fault ? ": " : "", fault ? fault : "");
    }
}

/* Many arrays: several to a tile, or several tiles to an array; grids of two dimensions. */
static void test_batches(const network_case *c, int network)
{
    static const size_t batches[] = {0, 1, 2, 5, 33, 1000},
                        lengths[] = {1, 2, 3, 7, 16, 17, 100, 700};
    const char *fault = NULL;
    int rounds = 0;

    for (size_t b = 0; b < 6 && !fault; b++)
        for (size_t l = 0; l < 8 && !fault; l++, rounds++) {
            gp_classic_options opt = options_of(blocks[rounds % BLOCKS]);
            experiment e = {batches[b], lengths[l], network, rounds % 2, 0, RANDOM, &opt};

            if (batches[b] * lengths[l] > (tap_small ? 3000u : 100000u))
                continue;
            test_grid_x = rounds % 3 ? 0x7FFFFFFF : 7;
            fault = fault_of(c, &e);
        }
    test_grid_x = 0x7FFFFFFF;
    ok(!fault, "%s of %s in batches%s%s", network_names[network], c->name, fault ? ": " : "",
       fault ? fault : "");
}

/* ---- the interface --------------------------------------------------------------------------- */

static int refuses(int network, void *keys, void *values, size_t batch, size_t length,
                   const gp_classic_options *opt, const char *word)
{
    int right =
        u32_u32_case.sort[network](keys, values, batch, length, 0, opt, NULL, 0) ==
            cudaErrorInvalidValue &&
        strstr(gp_last_error_message(), word) != NULL &&
        strstr(gp_last_error_message(),
               network == BITONIC ? "u32_u32_bitonic_sort:" : "u32_u32_odd_even_merge_sort:");

    return right && performed() == 0;
}

static void test_refusals(int network)
{
    static const int wrong[] = {48, 2048, 16, 1, -32, 1025, 31};
    const network_case *c = &u32_u32_case;
    uint32_t some[4] = {4, 3, 2, 1}, got[4];
    tap_buffer d = tap_buffer_of(some, sizeof some, 0);
    int right = 1;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        gp_classic_options opt = options_of(wrong[i]);

        right &= refuses(network, d.data, d.data, 1, 4, &opt, "block_threads") &&
                 refuses(network, NULL, NULL, 0, 0, &opt, "block_threads");
    }
    ok(right, "%s refuses impossible block sizes", network_names[network]);
    ok(refuses(network, NULL, d.data, 1, 4, NULL, "keys is NULL") &&
           refuses(network, d.data, NULL, 2, 4, NULL,
                   "values is NULL; it must point to device memory when batch * length is 8") &&
           refuses(network, NULL, d.data, 1, 1, NULL, "keys is NULL"),
       "%s refuses NULL", network_names[network]);
    ok(refuses(network, d.data, d.data, SIZE_MAX / 2, 4, NULL, "batch") &&
           refuses(network, d.data, d.data, 1, SIZE_MAX, NULL, "length"),
       "%s refuses arrays that fit nowhere", network_names[network]);
    ok(refuses(network, d.data, (char *)d.data + 12, 2, 2, NULL, "keys and values overlap") &&
           refuses(network, (char *)d.data + 4, d.data, 1, 3, NULL, "keys and values overlap"),
       "%s refuses values among the keys", network_names[network]);
    ok(c->sort[network](NULL, NULL, 0, 4, 0, NULL, NULL, 0) == cudaSuccess &&
           c->sort[network](NULL, NULL, 4, 0, 0, NULL, NULL, 0) == cudaSuccess &&
           c->sort[network](d.data, d.data, 4, 1, 1, NULL, NULL, 0) == cudaSuccess &&
           performed() == 0,
       "%s of nothing, and of arrays of one", network_names[network]);
    tap_buffer_read(got, &d, sizeof got);
    ok(memcmp(got, some, sizeof got) == 0 && tap_buffer_intact(&d, sizeof some),
       "%s changed nothing so far", network_names[network]);
    ok(c->workspace_bytes[network](3, 1000, 1) == 0, "%s needs no workspace",
       network_names[network]);
    tap_buffer_free(&d);
}

/* What the guide promises of every call: any workspace, pending errors, the default instance. */
static void test_calls(int network)
{
    int keys[7] = {1, 5, 0, 1, 2, 0, 3}, got[7];
    static const int sorted[7] = {0, 0, 1, 1, 2, 3, 5}, reversed[7] = {5, 3, 2, 1, 1, 0, 0};
    gp_workspace ws = GP_WORKSPACE_INIT;

    for (int descending = 0; descending < 2; descending++) {
        tap_buffer d = tap_buffer_of(keys, sizeof keys, 0);
        int *data = (int *)d.data;

        cudaMemcpy(NULL, NULL, 1, (enum cudaMemcpyKind)77);
        cudaError_t error = network == BITONIC
                                ? gp_bitonic_sort(data, 1, 7, descending, NULL, &ws, 0)
                                : gp_odd_even_merge_sort(data, 1, 7, descending, NULL, &ws, 0);
        ok(error == cudaSuccess && cudaGetLastError() != cudaSuccess,
           "%s neither reports nor clears a pending error", network_names[network]);
        tap_buffer_read(got, &d, sizeof got);
        ok(memcmp(got, descending ? reversed : sorted, sizeof got) == 0 && ws.bytes == 0,
           "%s of the example, %s", network_names[network],
           descending ? "descending" : "ascending");
        tap_buffer_free(&d);
    }
    must(gp_workspace_release(&ws, 0));
}

#ifdef __CUDACC__
static void test_capture(int network)
{
    enum { N = 5000 };
    static uint32_t keys[N], values[N], got[N];
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStream_t stream;
    int right = 1;
    tap_buffer d_keys = tap_buffer_new(sizeof keys, 0), d_values = tap_buffer_new(sizeof values, 0);

    must(cudaStreamCreate(&stream));
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    right &= u32_u32_case.sort[network](d_keys.data, d_values.data, 1, N, 0, NULL, NULL, stream) ==
             cudaSuccess;
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaGraphInstantiate(&executable, graph, 0));
    for (int replay = 0; replay < 3; replay++) {
        for (int i = 0; i < N; i++) {
            keys[i] = (uint32_t)tap_below(1000);
            values[i] = (uint32_t)tap_random();
        }
        must(cudaMemcpy(d_keys.data, keys, sizeof keys, cudaMemcpyHostToDevice));
        must(cudaMemcpy(d_values.data, values, sizeof values, cudaMemcpyHostToDevice));
        must(cudaGraphLaunch(executable, stream));
        reference r = {&u32_u32_case, (char *)keys, (char *)values, N, 0, 0};
        reference_sort(&r, network);
        tap_buffer_read(got, &d_keys, sizeof got);
        right &= memcmp(got, keys, sizeof got) == 0;
        tap_buffer_read(got, &d_values, sizeof got);
        right &= memcmp(got, values, sizeof got) == 0;
    }
    ok(right, "%s captured and replayed", network_names[network]);
    must(cudaGraphExecDestroy(executable));
    must(cudaGraphDestroy(graph));
    must(cudaStreamDestroy(stream));
    tap_buffer_free(&d_keys);
    tap_buffer_free(&d_values);
}
#endif

int main(int argc, char **argv)
{
    tap_begin(argc, argv);
    test_counts();
    for (int network = 0; network < NETWORKS; network++) {
        test_refusals(network);
        test_calls(network);
#ifdef __CUDACC__
        test_capture(network);
#endif
        for (size_t c = 0; c < CASES; c++) {
            const network_case *one = cases[c];

            if (!tap_wants(one->name))
                continue;
            sort_lengths(one, network, 0, tap_small ? 70 : 300, 1);
            sort_around_tiles(one, network);
            if (one == &u32_u32_case || one == &f64_48_case)
                test_distributions(one, network);
            if (one == &u8_case || one == &u32_u32_case || one == &i32_200_case)
                test_blocks(one, network);
            if (one == &u32_u32_case || one == &i64_case)
                test_batches(one, network);
        }
    }
    return tap_end();
}
