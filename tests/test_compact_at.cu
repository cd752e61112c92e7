/* compact.cuh: expressions in place of its input and its output, GP_LOAD_AT and GP_STORE_AT. */
#include "fold_check.h"

#define AT_TYPE    uint8_t
#define AT_KEEP(x) (((x) & 3) != 1)
#define AT_MAKE    (uint8_t)r
#define AT        bytes_load_pipelined
#define AT_LOADS
#define AT_KERNEL GP_KERNEL_PIPELINED
#define AT_GRID   3
#include "compact_at_case.h"
#define AT        bytes_load_simple
#define AT_LOADS
#define AT_KERNEL GP_KERNEL_SIMPLE
#define AT_GRID   3
#include "compact_at_case.h"
#define AT        bytes_both_pipelined
#define AT_LOADS
#define AT_STORES
#define AT_KERNEL GP_KERNEL_PIPELINED
#define AT_GRID   1
#include "compact_at_case.h"
#define AT        bytes_both_simple
#define AT_LOADS
#define AT_STORES
#define AT_KERNEL GP_KERNEL_SIMPLE
#define AT_GRID   2
#include "compact_at_case.h"
#define AT        bytes_store_pipelined
#define AT_STORES
#define AT_KERNEL GP_KERNEL_PIPELINED
#define AT_GRID   3
#include "compact_at_case.h"
#define AT        bytes_store_simple
#define AT_STORES
#define AT_KERNEL GP_KERNEL_SIMPLE
#define AT_GRID   3
#include "compact_at_case.h"
#undef AT_TYPE
#undef AT_KEEP
#undef AT_MAKE

#define AT_TYPE    uint32_t
#define AT_KEEP(x) ((x) & 1)
#define AT_MAKE    (uint32_t)r
#define AT        words_load_pipelined
#define AT_LOADS
#define AT_KERNEL GP_KERNEL_PIPELINED
#define AT_GRID   3
#include "compact_at_case.h"
#define AT        words_load_simple
#define AT_LOADS
#define AT_KERNEL GP_KERNEL_SIMPLE
#define AT_GRID   3
#include "compact_at_case.h"
#define AT        words_both_pipelined
#define AT_LOADS
#define AT_STORES
#define AT_KERNEL GP_KERNEL_PIPELINED
#define AT_GRID   1
#include "compact_at_case.h"
#define AT        words_both_simple
#define AT_LOADS
#define AT_STORES
#define AT_KERNEL GP_KERNEL_SIMPLE
#define AT_GRID   2
#include "compact_at_case.h"
#define AT        words_store_pipelined
#define AT_STORES
#define AT_KERNEL GP_KERNEL_PIPELINED
#define AT_GRID   3
#include "compact_at_case.h"
#define AT        words_store_simple
#define AT_STORES
#define AT_KERNEL GP_KERNEL_SIMPLE
#define AT_GRID   3
#include "compact_at_case.h"
#undef AT_TYPE
#undef AT_KEEP
#undef AT_MAKE

#define AT_TYPE    triangle
#define AT_KEEP(x) ((x).b & 2)
#define AT_MAKE    make_triangle(r)
#define AT        twelves_load_pipelined
#define AT_LOADS
#define AT_KERNEL GP_KERNEL_PIPELINED
#define AT_GRID   3
#include "compact_at_case.h"
#define AT        twelves_both_pipelined
#define AT_LOADS
#define AT_STORES
#define AT_KERNEL GP_KERNEL_PIPELINED
#define AT_GRID   1
#include "compact_at_case.h"
#define AT        twelves_both_simple
#define AT_LOADS
#define AT_STORES
#define AT_KERNEL GP_KERNEL_SIMPLE
#define AT_GRID   2
#include "compact_at_case.h"
#define AT        twelves_store_pipelined
#define AT_STORES
#define AT_KERNEL GP_KERNEL_PIPELINED
#define AT_GRID   3
#include "compact_at_case.h"
#define AT        twelves_store_simple
#define AT_STORES
#define AT_KERNEL GP_KERNEL_SIMPLE
#define AT_GRID   3
#include "compact_at_case.h"
#undef AT_TYPE
#undef AT_KEEP
#undef AT_MAKE

/* Warps that count every tile themselves which is not there when they ask. */
#undef GPI_PATIENCE
#define GPI_PATIENCE 0
#define AT_TYPE    uint16_t
#define AT_KEEP(x) ((x) % 3)
#define AT_MAKE    (uint16_t)r
#define AT         halves_hasty
#define AT_LOADS
#define AT_KERNEL GP_KERNEL_PIPELINED
#define AT_GRID   0xFFFFFFFFu
#include "compact_at_case.h"

static const at_case *const cases[] = {
    &bytes_load_pipelined_case,
    &bytes_load_simple_case,
    &bytes_both_pipelined_case,
    &bytes_both_simple_case,
    &bytes_store_pipelined_case,
    &bytes_store_simple_case,
    &words_load_pipelined_case,
    &words_load_simple_case,
    &words_both_pipelined_case,
    &words_both_simple_case,
    &words_store_pipelined_case,
    &words_store_simple_case,
    &twelves_load_pipelined_case,
    &twelves_both_pipelined_case,
    &twelves_both_simple_case,
    &twelves_store_pipelined_case,
    &twelves_store_simple_case,
    &halves_hasty_case};
enum { CASES = sizeof cases / sizeof *cases, MOST = 60000 };

static struct {
    uint8_t in[MOST * 12], want[MOST * 12], got[MOST * 12], item[MOST * 12], flags[MOST];
    uint32_t order[MOST], counts[MOST + 1];
} __attribute__((aligned(16))) at;

/* Item i as the instance reads it. */
static const uint8_t *item_of(const at_case *c, size_t i, size_t n)
{
    return at.in + (c->loads ? n - 1 - i : i) * c->bytes;
}

/* What should be written, as loops say it; returns how many are kept. */
static size_t reference(const at_case *c, int function, size_t n)
{
    const int flagged = function == COMPACT_FLAGGED || function == PARTITION_FLAGGED;
    size_t kept = 0, rejected = 0;

    for (size_t i = 0; i < n; i++)
        if (flagged ? at.flags[i] != 0 : c->keep(item_of(c, i, n))) {
            if (function == COMPACT_INDICES)
                ((uint32_t *)(void *)at.want)[kept] = (uint32_t)i;
            else
                memcpy(at.want + kept * c->bytes, item_of(c, i, n), c->bytes);
            kept++;
        }
    for (size_t i = 0; i < n && function >= PARTITION; i++)
        if (!(flagged ? at.flags[i] != 0 : c->keep(item_of(c, i, n)))) {
            const size_t to = function == PARTITION_STABLE ? kept + rejected : n - 1 - rejected;

            memcpy(at.want + to * c->bytes, item_of(c, i, n), c->bytes);
            rejected++;
        }
    return kept;
}

/* The first `many` of n numbers as often as they may be, and no other. */
static int counts_are(const tap_buffer *d_counts, size_t n, size_t many, uint32_t most)
{
    int right = 1;

    tap_buffer_read(at.counts, d_counts, (n + 1) * sizeof *at.counts);
    for (size_t i = 0; i <= n; i++)
        right &= i < many ? at.counts[i] >= 1 && at.counts[i] <= most : at.counts[i] == 0;
    return right;
}

/* An order of the numbers below n, and flags. */
static void make_order(size_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const size_t k = (size_t)tap_below(i + 1);

        at.order[i] = at.order[k];
        at.order[k] = i;
        at.flags[i] = (uint8_t)(tap_below(3) ? tap_random() : 0);
    }
}

static int check(const at_case *c, int function, size_t n)
{
    const int by_places = c->stores && function != COMPACT_INDICES;
    const size_t size = function == COMPACT_INDICES ? 4 : c->bytes;
    uint32_t count = 0;
    const char *wrong = NULL;

    c->make(at.in, n);
    make_order(n);
    const size_t kept = reference(c, function, n), results = function >= PARTITION ? n : kept;
    tap_buffer d_in = tap_buffer_of(at.in, n * c->bytes, n % 16 * (c->bytes == 12 ? 4 : c->bytes));
    tap_buffer d_order = tap_buffer_of(at.order, n * 4, 0), d_flags = tap_buffer_of(at.flags, n, n % 7);
    tap_buffer d_out = tap_buffer_new(n * size, n % 5 * (size == 12 ? 4 : size)), d_count = tap_buffer_new(4, 4);
    tap_buffer d_loads = tap_buffer_new((n + 1) * 4, 0), d_stores = tap_buffer_new((n + 1) * 4, 0);
    const places to = {n, (const uint32_t *)d_order.data, (uint32_t *)d_loads.data, (uint32_t *)d_stores.data};

    must(cudaMemset(d_loads.data, 0, (n + 1) * 4));
    must(cudaMemset(d_stores.data, 0, (n + 1) * 4));
    if (c->run(function, d_in.data, (const uint8_t *)d_flags.data, d_out.data, (uint32_t *)d_count.data, to) !=
        cudaSuccess)
        wrong = gp_last_error_message();
    tap_buffer_read(&count, &d_count, sizeof count);
    tap_buffer_read(at.item, &d_out, n * size);
    for (size_t i = 0; i < results; i++)
        memcpy(at.got + i * size, at.item + (by_places ? at.order[i] : i) * size, size);
    if (!wrong && count != kept)
        wrong = "miscounts";
    if (!wrong && memcmp(at.got, at.want, results * size) != 0)
        wrong = "differs from the reference";
    if (!wrong && c->loads && !counts_are(&d_loads, n, n, 0xFFFFFFFFu))
        wrong = "does not read every item, or reads others";
    if (!wrong && by_places && !counts_are(&d_stores, n, results, 1))
        wrong = "does not store each result once";
    if (!wrong && (!tap_buffer_intact(&d_out, by_places ? n * size : results * size) || !tap_buffer_intact(&d_count, 4)))
        wrong = "wrote where it should not";
    if (wrong)
        printf("# %s, %s of %zu: %s (%zu kept, %u counted)\n", c->name, compact_names[function], n, wrong, kept,
               (unsigned)count);
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_order);
    tap_buffer_free(&d_flags);
    tap_buffer_free(&d_out);
    tap_buffer_free(&d_count);
    tap_buffer_free(&d_loads);
    tap_buffer_free(&d_stores);
    return !wrong;
}

/* ---- from nothing, and to nowhere ---------------------------------------------------------------- */

#define GP_NAME       multiples
#define GP_TYPE       uint64_t
#define GP_INPUT_TYPE void
#define GP_LOAD_AT(in, i) ((uint64_t)(i) * 7)
#define GP_PRED(x)    ((x) % 5 == 0)
#include <gpuprims/compact.cuh>

typedef struct halves {
    uint32_t *low, *high;
} halves;

#define GP_NAME       unzipped
#define GP_TYPE       uint64_t
#define GP_CONTEXT    halves
#define GP_STORE_AT(out, i, x, c)             \
    {                                         \
        (c).low[i] = (uint32_t)(x);           \
        (c).high[i] = (uint32_t)((x) >> 32);  \
    }
#include <gpuprims/compact.cuh>

static void refused(cudaError_t error, const char *text)
{
    ok(error == cudaErrorInvalidValue && strstr(gp_last_error_message(), text), "refused: %s",
       gp_last_error_message());
}

static void test_pointers(void)
{
    enum { N = 5000 };
    static uint64_t got[N];
    static uint32_t parts[2][N];
    tap_buffer d = tap_buffer_new(N * 8, 8), d_parts = tap_buffer_new(sizeof parts, 0), d_count = tap_buffer_new(8, 0);
    uint64_t *to = (uint64_t *)d.data;
    const halves both = {(uint32_t *)d_parts.data, (uint32_t *)d_parts.data + N};
    size_t count = 0, *to_count = (size_t *)d_count.data;
    int right;

    must(multiples_compact(NULL, to, N, to_count, NULL, 0));
    must(cudaMemcpy(&count, to_count, sizeof count, cudaMemcpyDeviceToHost));
    tap_buffer_read(got, &d, N * 8);
    right = count == N / 5;
    for (size_t i = 0; i < N / 5; i++)
        right &= got[i] == 35 * i;
    must(multiples_compact_indices(NULL, (size_t *)d.data, N, to_count, NULL, 0));
    tap_buffer_read(got, &d, N * 8);
    for (size_t i = 0; i < N / 5; i++)
        right &= got[i] == 5 * i;
    ok(right, "items from nothing: in is NULL");

    for (size_t i = 0; i < N; i++)
        got[i] = i % 3 ? i << 32 | (i * i) : 0;
    must(cudaMemcpy(to, got, N * 8, cudaMemcpyHostToDevice));
    must(unzipped_partition(to, NULL, N, to_count, both, NULL, 0));
    must(cudaMemcpy(&count, to_count, sizeof count, cudaMemcpyDeviceToHost));
    tap_buffer_read(parts, &d_parts, sizeof parts);
    right = count == N - (N + 2) / 3;
    for (uint32_t i = 0, k = 0; i < N; i++)
        if (i % 3) {
            right &= parts[0][k] == i * i && parts[1][k] == i;
            k++;
        }
    for (size_t k = count; k < N; k++)
        right &= parts[0][k] == 0 && parts[1][k] == 0;
    ok(right && tap_buffer_intact(&d_parts, sizeof parts), "results to two arrays: out is NULL");

    refused(multiples_compact(NULL, NULL, 3, to_count, NULL, 0), "multiples_compact: out is NULL");
    refused(unzipped_compact(NULL, NULL, 3, to_count, both, NULL, 0), "unzipped_compact: in is NULL");
    refused(unzipped_compact_indices(to, NULL, 3, to_count, both, NULL, 0), "unzipped_compact_indices: out is NULL");
    refused(unzipped_partition(to, NULL, 3, NULL, both, NULL, 0), "unzipped_partition: d_count is NULL");
    tap_buffer_free(&d);
    tap_buffer_free(&d_parts);
    tap_buffer_free(&d_count);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {0, 1, 2, 27, 28, 33, 895, 896, 897, 1500, 7167, 7168, 7169, 14339, 28673, 59999};

    tap_begin(argc, argv);
    for (int k = 0; k < CASES; k++)
        for (int function = 0; function < COMPACT_FUNCTIONS && tap_wants(cases[k]->name); function++) {
            int passed = 1;

            for (size_t s = 0; s < sizeof sizes / sizeof *sizes - (tap_small ? 2 : 0); s++)
                passed &= check(cases[k], function, sizes[s]);
            ok(passed, "%s: %s", cases[k]->name, compact_names[function]);
        }
    if (tap_wants("others"))
        test_pointers();
    return tap_end();
}
