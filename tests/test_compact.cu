/* compact.cuh: every function, many types and predicates, against plain loops. */
#include "fold_check.h"

enum { COMPACT, COMPACT_FLAGGED, COMPACT_INDICES, PARTITION, PARTITION_STABLE, PARTITION_FLAGGED, COMPACT_FUNCTIONS };

static const char *const compact_names[] = {"compact", "compact_flagged", "compact_indices", "partition",
                                            "partition_stable", "partition_flagged"};

/* An instance, its items, and whether its predicate keeps one. */
typedef struct compact_case {
    const char *name;
    size_t bytes, align, tile; /* of an item; items of a tile */
    void (*make)(void *in, size_t n);
    int (*keep)(const void *item);
    cudaError_t (*run)(int function, const void *in, const uint8_t *flags, void *out, size_t n,
                       size_t *d_count, gp_workspace *ws, cudaStream_t stream);
} compact_case;

/* ---- instances ------------------------------------------------------------------------------- */

/* What a compact_case needs of an instance; `context` is nothing or a value and a comma. */
#define COMPACT_CASE(name, type, make_item, keep_item, context)                                        \
    static void name##_make(void *in, size_t n)                                                        \
    {                                                                                                  \
        for (size_t i = 0; i < n; i++) {                                                               \
            uint64_t r = tap_random();                                                                 \
                                                                                                       \
            ((type *)in)[i] = make_item;                                                               \
        }                                                                                              \
    }                                                                                                  \
    static int name##_keep(const void *item)                                                           \
    {                                                                                                  \
        type x = *(const type *)item;                                                                  \
                                                                                                       \
        return (keep_item) ? 1 : 0;                                                                    \
    }                                                                                                  \
    static cudaError_t name##_run(int function, const void *in, const uint8_t *flags, void *out,       \
                                  size_t n, size_t *d_count, gp_workspace *ws, cudaStream_t stream)    \
    {                                                                                                  \
        const type *from = (const type *)in;                                                           \
        type *to = (type *)out;                                                                        \
                                                                                                       \
        switch (function) {                                                                            \
        case COMPACT: return name##_compact(from, to, n, d_count, context ws, stream);                 \
        case COMPACT_FLAGGED:                                                                          \
            return name##_compact_flagged(from, flags, to, n, d_count, context ws, stream);            \
        case COMPACT_INDICES:                                                                          \
            return name##_compact_indices(from, (size_t *)out, n, d_count, context ws, stream);        \
        case PARTITION: return name##_partition(from, to, n, d_count, context ws, stream);             \
        case PARTITION_FLAGGED:                                                                        \
            return name##_partition_flagged(from, flags, to, n, d_count, context ws, stream);          \
        default: return name##_partition_stable(from, to, n, d_count, context ws, stream);             \
        }                                                                                              \
    }                                                                                                  \
    static const compact_case name##_case = {                                                          \
        #name,       sizeof(type), __alignof__(type), gpi_##name##_compact_tile_n,                         \
        name##_make, name##_keep,  name##_run};

/* The default predicate, x != 0. */
#include <gpuprims/compact.cuh>
#define NO_CONTEXT
COMPACT_CASE(gp, int, (int)(r % 3 ? r : 0), x != 0, NO_CONTEXT)

#define GP_NAME all
#define GP_TYPE uint8_t
#define GP_PRED(x) ((void)(x), 1)
#include <gpuprims/compact.cuh>
COMPACT_CASE(all, uint8_t, (uint8_t)r, 1 + x, NO_CONTEXT)

#define GP_NAME none
#define GP_TYPE uint16_t
#define GP_PRED(x) ((void)(x), 0)
#include <gpuprims/compact.cuh>
COMPACT_CASE(none, uint16_t, (uint16_t)r, x & 0, NO_CONTEXT)

/* One in a while; the predicate is a function, and its result not 0 or 1. */
static __host__ __device__ inline int rare(int64_t x)
{
    return x % 997 == 5 ? -128 : 0;
}

#define GP_NAME few
#define GP_TYPE int64_t
#define GP_PRED rare
#include <gpuprims/compact.cuh>
COMPACT_CASE(few, int64_t, (int64_t)(r >> 20), x % 997 == 5, NO_CONTEXT)

/* A predicate of floats: NaN is not below anything. */
#define GP_NAME negative
#define GP_TYPE double
#define GP_PRED(x) ((x) < 0)
#include <gpuprims/compact.cuh>
COMPACT_CASE(negative, double, awkward_number(r), x < 0, NO_CONTEXT)

/* A result whose low 32 bits are zero is still true. */
#define GP_NAME high
#define GP_TYPE __int128
#define GP_PRED(x) ((x) & ((__int128)1 << 100))
#include <gpuprims/compact.cuh>
COMPACT_CASE(high, __int128, (__int128)r << 64 | (__int128)(r >> 9), (x >> 100) % 2 != 0, NO_CONTEXT)

#define GP_NAME composed
#define GP_TYPE affine
#define GP_PRED(f) ((f).a > (f).b)
#include <gpuprims/compact.cuh>
COMPACT_CASE(composed, affine, make_affine(r), x.a > x.b, NO_CONTEXT)

/* A context, between two instances without. */
typedef struct limits {
    uint32_t lower, upper;
} limits;

static const limits some_limits = {1u << 30, 3u << 30};

#define GP_NAME between
#define GP_TYPE triangle
#define GP_CONTEXT limits
#define GP_PRED(x, range) ((x).b >= (range).lower && (x).b < (range).upper)
#include <gpuprims/compact.cuh>
#define SOME_LIMITS some_limits,
COMPACT_CASE(between, triangle, make_triangle(r), x.b >= 1u << 30 && x.b < 3u << 30, SOME_LIMITS)

#define GP_NAME wide
#define GP_TYPE matrices3
#define GP_PRED(x) ((x).at[2].m[1] % 8 < 4)
#include <gpuprims/compact.cuh>
COMPACT_CASE(wide, matrices3, make_matrices3(r), x.at[2].m[1] % 8 < 4, NO_CONTEXT)

#define GP_NAME widest
#define GP_TYPE matrices16
#define GP_PRED(x) ((x).at[15].m[0] % 5 == 1)
#include <gpuprims/compact.cuh>
COMPACT_CASE(widest, matrices16, make_matrices16(r), x.at[15].m[0] % 5 == 1, NO_CONTEXT)

/* Two predicates that tell of whatever is no item. */
static __host__ __device__ inline int odd_item(uint32_t x, uint32_t *strangers)
{
    if (x >> 8 != 0xC0FFEE)
        *strangers = 1;
    return x & 1;
}

#define GP_NAME asked_pipelined
#define GP_TYPE uint32_t
#define GP_CONTEXT uint32_t *
#define GP_PRED odd_item
#define GP_KERNEL GP_KERNEL_PIPELINED
#include <gpuprims/compact.cuh>
#define GP_NAME asked_simple
#define GP_TYPE uint32_t
#define GP_CONTEXT uint32_t *
#define GP_PRED odd_item
#define GP_KERNEL GP_KERNEL_SIMPLE
#include <gpuprims/compact.cuh>

/* ---- each kernel at every size --------------------------------------------------------------- */

#define CASE_TYPE    uint8_t
#define CASE_MAKE    (uint8_t)r
#define CASE_KEEP(x) ((x) & 1)
#define CASE         bytes_pipelined
#define CASE_KERNEL  GP_KERNEL_PIPELINED
#define CASE_GRID    3
#include "compact_case.h"
#define CASE        bytes_simple
#define CASE_KERNEL GP_KERNEL_SIMPLE
#define CASE_GRID   3
#include "compact_case.h"
#undef CASE_TYPE
#undef CASE_MAKE
#undef CASE_KEEP

#define CASE_TYPE    uint16_t
#define CASE_MAKE    (uint16_t)r
#define CASE_KEEP(x) ((x) % 3)
#define CASE         halves_pipelined
#define CASE_KERNEL  GP_KERNEL_PIPELINED
#define CASE_GRID    1
#include "compact_case.h"
#undef CASE_TYPE
#undef CASE_MAKE
#undef CASE_KEEP

#define CASE_TYPE    uint32_t
#define CASE_MAKE    (uint32_t)r
#define CASE_KEEP(x) ((x) & 1)
#define CASE         words_pipelined
#define CASE_KERNEL  GP_KERNEL_PIPELINED
#define CASE_GRID    5
#include "compact_case.h"
#define CASE        words_lone_pipelined
#define CASE_KERNEL GP_KERNEL_PIPELINED
#define CASE_GRID   1
#include "compact_case.h"
#define CASE        words_simple
#define CASE_KERNEL GP_KERNEL_SIMPLE
#define CASE_GRID   3
#include "compact_case.h"
#define CASE        words_lone_simple
#define CASE_KERNEL GP_KERNEL_SIMPLE
#define CASE_GRID   1
#include "compact_case.h"
#undef CASE_TYPE
#undef CASE_MAKE
#undef CASE_KEEP

#define CASE_TYPE    uint64_t
#define CASE_MAKE    r
#define CASE_KEEP(x) ((x) >> 63)
#define CASE         longs_pipelined
#define CASE_KERNEL  GP_KERNEL_PIPELINED
#define CASE_GRID    3
#include "compact_case.h"
#undef CASE_TYPE
#undef CASE_MAKE
#undef CASE_KEEP

/* Aligned to less than its size. */
typedef struct pair {
    uint32_t first, second;
} pair;

static pair make_pair(uint64_t r)
{
    pair x = {(uint32_t)r, (uint32_t)(r >> 32)};

    return x;
}

#define CASE_TYPE    pair
#define CASE_MAKE    make_pair(r)
#define CASE_KEEP(x) ((x).second >> 31)
#define CASE         pairs_pipelined
#define CASE_KERNEL  GP_KERNEL_PIPELINED
#define CASE_GRID    3
#include "compact_case.h"
#undef CASE_TYPE
#undef CASE_MAKE
#undef CASE_KEEP

/* Sizes that no vector fits, or only together with others. */
typedef struct three {
    uint8_t at[3];
} three;

typedef struct odd {
    uint8_t at[127];
} odd;

static three make_three(uint64_t r)
{
    three x = {{(uint8_t)r, (uint8_t)(r >> 8), (uint8_t)(r >> 16)}};

    return x;
}

static odd make_odd(uint64_t r)
{
    odd x;

    for (unsigned i = 0; i < sizeof x; i++)
        x.at[i] = (uint8_t)((r >> i % 8 * 8) + i);
    return x;
}

#define CASE_TYPE    three
#define CASE_MAKE    make_three(r)
#define CASE_KEEP(x) ((x).at[1] & 1)
#define CASE         threes_pipelined
#define CASE_KERNEL  GP_KERNEL_PIPELINED
#define CASE_GRID    3
#include "compact_case.h"
#define CASE        threes_simple
#define CASE_KERNEL GP_KERNEL_SIMPLE
#define CASE_GRID   3
#include "compact_case.h"
#undef CASE_TYPE
#undef CASE_MAKE
#undef CASE_KEEP

#define CASE_TYPE    triangle
#define CASE_MAKE    make_triangle(r)
#define CASE_KEEP(x) ((x).b & 2)
#define CASE         twelves_pipelined
#define CASE_KERNEL  GP_KERNEL_PIPELINED
#define CASE_GRID    3
#include "compact_case.h"
#undef CASE_TYPE
#undef CASE_MAKE
#undef CASE_KEEP

#define CASE_TYPE    matrices3
#define CASE_MAKE    make_matrices3(r)
#define CASE_KEEP(x) ((x).at[2].m[1] % 8 < 4)
#define CASE         wide_pipelined
#define CASE_KERNEL  GP_KERNEL_PIPELINED
#define CASE_GRID    3
#include "compact_case.h"
#undef CASE_TYPE
#undef CASE_MAKE
#undef CASE_KEEP

#define CASE_TYPE    odd
#define CASE_MAKE    make_odd(r)
#define CASE_KEEP(x) ((x).at[0] & 1)
#define CASE         odds_pipelined
#define CASE_KERNEL  GP_KERNEL_PIPELINED
#define CASE_GRID    3
#include "compact_case.h"
#define CASE        odds_simple
#define CASE_KERNEL GP_KERNEL_SIMPLE
#define CASE_GRID   3
#include "compact_case.h"
#undef CASE_TYPE
#undef CASE_MAKE
#undef CASE_KEEP

/* Too large for the pipeline. */
typedef struct large {
    uint64_t at[25];
} large;

static large make_large(uint64_t r)
{
    large x;

    for (unsigned i = 0; i < 25; i++)
        x.at[i] = r * (i + 1);
    return x;
}

#define CASE_TYPE    large
#define CASE_MAKE    make_large(r)
#define CASE_KEEP(x) ((x).at[0] & 1)
#define CASE         large_pipelined
#define CASE_KERNEL  GP_KERNEL_PIPELINED
#define CASE_GRID    3
#include "compact_case.h"
#undef CASE_TYPE
#undef CASE_MAKE
#undef CASE_KEEP

/* Warps that count every tile themselves which is not there when they ask. */
#define CASE_TYPE    uint32_t
#define CASE_MAKE    (uint32_t)r
#define CASE_KEEP(x) ((x) & 1)
#undef GPI_PATIENCE
#define GPI_PATIENCE 0
#define CASE         words_hasty_pipelined
#define CASE_KERNEL  GP_KERNEL_PIPELINED
#define CASE_GRID    0xFFFFFFFFu
#include "compact_case.h"
#define CASE        words_hasty_simple
#define CASE_KERNEL GP_KERNEL_SIMPLE
#define CASE_GRID   0xFFFFFFFFu
#include "compact_case.h"
#undef CASE_TYPE
#undef CASE_MAKE
#undef CASE_KEEP

/* ---- the check ------------------------------------------------------------------------------- */

/* Whether item i is to be kept. */
static int keeps(const compact_case *c, int function, const char *in, const uint8_t *flags, size_t i)
{
    return function == COMPACT_FLAGGED || function == PARTITION_FLAGGED ? flags[i] != 0 : c->keep(in + i * c->bytes);
}

/* What should be in the output, as loops say it; returns how many are kept. */
static size_t compact_reference(const compact_case *c, int function, const char *in, const uint8_t *flags,
                                char *out, size_t n)
{
    size_t kept = 0, rejected = 0;

    for (size_t i = 0; i < n; i++)
        if (keeps(c, function, in, flags, i)) {
            if (function == COMPACT_INDICES)
                ((size_t *)(void *)out)[kept] = i;
            else
                memcpy(out + kept * c->bytes, in + i * c->bytes, c->bytes);
            kept++;
        }
    if (function < PARTITION)
        return kept;
    for (size_t i = 0; i < n; i++)
        if (!keeps(c, function, in, flags, i)) {
            size_t to = function == PARTITION_STABLE ? kept + rejected : n - 1 - rejected;

            memcpy(out + to * c->bytes, in + i * c->bytes, c->bytes);
            rejected++;
        }
    return kept;
}

/* Runs a function on `in` and compares everything: count, results, what is not to be written. */
static int compact_run_check(const compact_case *c, int function, const char *in, size_t n, fold_place place)
{
    size_t out_item = function == COMPACT_INDICES ? sizeof(size_t) : c->bytes, count = 0;
    size_t out_align = function == COMPACT_INDICES ? sizeof(size_t) : c->align;
    char *want = (char *)malloc(n * out_item + 1), *got = (char *)malloc(n * out_item + 1);
    uint8_t *flags = (uint8_t *)malloc(n + 1);
    const char *wrong = NULL;

    for (size_t i = 0; i < n; i++)
        flags[i] = (uint8_t)(tap_below(4) ? tap_random() : 0);
    size_t kept = compact_reference(c, function, in, flags, want, n);
    size_t results = function >= PARTITION ? n : kept;

    tap_buffer d_in = tap_buffer_of(in, n * c->bytes, place.in_offset * c->align);
    tap_buffer d_flags = tap_buffer_of(flags, n, place.out_offset);
    tap_buffer d_out = place.in_place ? d_in : tap_buffer_new(n * out_item, place.out_offset * out_align);
    tap_buffer d_count = tap_buffer_new(sizeof count, place.in_offset * sizeof count);
    cudaError_t error = c->run(function, d_in.data, (const uint8_t *)d_flags.data, d_out.data, n,
                               (size_t *)d_count.data, place.ws, place.stream);

    tap_buffer_read(&count, &d_count, sizeof count);
    tap_buffer_read(got, &d_out, results * out_item);
    if (error != cudaSuccess)
        wrong = gp_last_error_message();
    else if (count != kept)
        wrong = "miscounts";
    else if (memcmp(got, want, results * out_item) != 0)
        wrong = "differs from the reference";
    else if (!tap_buffer_intact(&d_count, sizeof count) || !tap_buffer_intact(&d_flags, n))
        wrong = "wrote around the count or the flags";
    tap_buffer_read(got, &d_flags, n);
    if (!wrong && memcmp(got, flags, n) != 0)
        wrong = "changed the flags";
    if (!place.in_place) {
        char *in_after = (char *)malloc(n * c->bytes + 1);

        if (!wrong && !tap_buffer_intact(&d_out, results * out_item))
            wrong = "wrote past the count or outside of the output";
        tap_buffer_read(in_after, &d_in, n * c->bytes);
        if (!wrong && (memcmp(in_after, in, n * c->bytes) != 0 || !tap_buffer_intact(&d_in, n * c->bytes)))
            wrong = "changed the input";
        free(in_after);
        tap_buffer_free(&d_out);
    } else { /* what lies behind the count is as it was */
        char *after = (char *)malloc(n * c->bytes + 1);

        tap_buffer_read(after, &d_in, n * c->bytes);
        if (!wrong && memcmp(after + kept * c->bytes, in + kept * c->bytes, (n - kept) * c->bytes) != 0)
            wrong = "wrote past the count";
        if (!wrong && !tap_buffer_intact(&d_in, n * c->bytes))
            wrong = "wrote outside of the output";
        free(after);
    }
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_flags);
    tap_buffer_free(&d_count);
    if (wrong)
        printf("# %s, %s of %zu, offsets %zu and %zu%s: %s (error %d, %zu kept, %zu counted)\n", c->name,
               compact_names[function], n, place.in_offset, place.out_offset,
               place.in_place ? ", in place" : "", wrong, (int)error, kept, count);
    free(want);
    free(got);
    free(flags);
    return !wrong;
}

static int compact_check(const compact_case *c, int function, size_t n, fold_place place)
{
    char *in = (char *)malloc(n * c->bytes + 1);

    c->make(in, n);
    int passed = compact_run_check(c, function, in, n, place);
    free(in);
    return passed;
}

static void check_sizes(const compact_case *c, size_t limit)
{
    for (int function = 0; tap_wants(c->name) && function < COMPACT_FUNCTIONS; function++) {
        unsigned checked = 0;
        int passed = 1;

        for (size_t k = 0; k < FOLD_SIZES && fold_sizes[k] <= limit; k++) {
            fold_place place = {k * 7 % 16, k * 3 % 16, 0, NULL, 0};

            passed &= compact_check(c, function, fold_sizes[k], place);
            place.in_place = 1;
            if (function == COMPACT || function == COMPACT_FLAGGED)
                passed &= compact_check(c, function, fold_sizes[k], place);
            checked++;
        }
        ok(passed, "%s: %s of %u sizes up to %zu", c->name, compact_names[function], checked, limit);
    }
}

/* Around the ends of tiles, and of a group of 32 of them; each at offsets of its own. */
static void check_tiles(const compact_case *c, size_t most_tiles)
{
    const size_t tiles[] = {1, 2, 3, 7, 32, 33};

    for (int function = 0; function < COMPACT_FUNCTIONS; function++) {
        unsigned checked = 0;
        int passed = 1;

        for (size_t k = 0; k < sizeof tiles / sizeof tiles[0] && tiles[k] <= most_tiles; k++)
            for (int more = -1; more <= 1; more++) {
                fold_place place = {(checked * 5 + k) % 16, checked * 3 % 16, 0, NULL, 0};
                size_t n = tiles[k] * c->tile + (size_t)(more * (1 + (int)checked % 2 * 40));

                passed &= compact_check(c, function, n, place);
                place.in_place = 1;
                if (function == COMPACT || function == COMPACT_FLAGGED)
                    passed &= compact_check(c, function, n, place);
                checked++;
            }
        ok(passed, "%s: %s of %u sizes around the ends of tiles", c->name, compact_names[function], checked);
    }
}

/* More than one tile, wherever the arrays start: the first warp tile is cut in every way. */
static void check_phases(const compact_case *c, int function, size_t step)
{
    int passed = 1;

    for (size_t in = 127; in < 128; in -= step) { /* the first one lacks as many items as there may be */
        fold_place place = {in, in * 7 % 128, 0, NULL, 0};

        passed &= compact_check(c, function, c->tile + 60 + in % 11, place);
        place.in_place = 1;
        if (function == COMPACT || function == COMPACT_FLAGGED)
            passed &= compact_check(c, function, c->tile + 60 + in % 11, place);
    }
    ok(passed, "%s: %s of more than a tile at 128 offsets, in steps of %zu", c->name,
       compact_names[function], step);
}

static void check_offsets(const compact_case *c, int function, size_t n, size_t in_limit, size_t out_limit)
{
    int passed = 1;

    for (size_t in = 0; in < in_limit; in++)
        for (size_t out = 0; out < out_limit; out++) {
            fold_place place = {in, out, 0, NULL, 0};

            passed &= compact_check(c, function, n, place);
        }
    ok(passed, "%s: %s of %zu items at %zu x %zu offsets", c->name, compact_names[function], n, in_limit,
       out_limit);
}

/* Kept and rejected items of a whole warp tile come as close to each other in their slot as they can. */
static void check_close(const compact_case *c, int function)
{
    int passed = 1;

    for (size_t k = 0; k < (tap_small ? 30 : 200); k++) {
        fold_place place = {k % 5, k % 3, 0, NULL, 0};

        passed &= compact_check(c, function, 128 * (60 + 7 * k % 97) + 1 + k % 3, place);
    }
    ok(passed, "%s: %s of sizes just above whole lines", c->name, compact_names[function]);
}

static void check_large(const compact_case *c, int function, size_t n, int in_place)
{
    fold_place place = {1, 3, in_place, NULL, 0};

    ok(compact_check(c, function, n, place), "%s: %s of %zu items%s", c->name, compact_names[function], n,
       in_place ? ", in place" : "");
}

/* Inputs of a known shape for the default instance: where the kept ones lie. */
static void check_shapes(size_t n)
{
    static const char *const names[] = {"no item", "every item", "the first item", "the last item",
                                        "all but the first", "all but the last", "the first half",
                                        "the second half", "every other item", "runs of 256"};
    int *in = (int *)malloc((n + 1) * sizeof *in);

    for (int shape = 0; shape < 10; shape++) {
        int passed = 1;

        for (size_t i = 0; i < n; i++) {
            int keep[] = {0,         1,      i == 0,    i == n - 1, i > 0, i < n - 1,
                          i < n / 2, i >= n / 2, i % 2 == 0, i / 256 % 2 == 0};

            in[i] = keep[shape] ? (int)i + 1 : 0;
        }
        for (int function = 0; function < COMPACT_FUNCTIONS; function++) {
            fold_place place = {0, 1, 0, NULL, 0};

            passed &= compact_run_check(&gp_case, function, (const char *)in, n, place);
            place.in_place = 1;
            if (function == COMPACT || function == COMPACT_FLAGGED)
                passed &= compact_run_check(&gp_case, function, (const char *)in, n, place);
        }
        ok(passed, "%zu items of which %s is kept", n, names[shape]);
    }
    free(in);
}

#ifdef __CUDACC__
#define GP_NAME huge
#define GP_TYPE uint8_t
#include <gpuprims/compact.cuh>

/* More items than 32 bits count; sparse, so that the results fit on the host. */
static void beyond_32_bits(void)
{
    size_t n = ((size_t)1 << 32) + 12345, step = (size_t)1 << 26, free_bytes, total_bytes;
    size_t marked = n / step + 1, count, got[128], *d_out = NULL, *d_count = NULL;
    uint8_t *d = NULL, one = 1;
    int passed;

    must(cudaMemGetInfo(&free_bytes, &total_bytes));
    if (tap_small || free_bytes < n + n / 4) {
        ok(1, "compaction of more than 2^32 bytes # SKIP %s", tap_small ? "--small" : "too little memory");
        return;
    }
    must(cudaMalloc((void **)&d, n));
    must(cudaMalloc((void **)&d_out, sizeof got));
    must(cudaMalloc((void **)&d_count, sizeof count));
    must(cudaMemset(d, 0, n));
    for (size_t i = 0; i < marked; i++)
        must(cudaMemcpy(d + i * step + i, &one, 1, cudaMemcpyHostToDevice));
    must(huge_compact_indices(d, d_out, n, d_count, NULL, 0));
    must(cudaMemcpy(&count, d_count, sizeof count, cudaMemcpyDeviceToHost));
    must(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
    passed = count == marked;
    for (size_t i = 0; i < marked && i < 128; i++)
        passed &= got[i] == i * step + i;
    ok(passed, "the places of %zu of %zu bytes", count, n);
    must(cudaFree(d));
    must(cudaFree(d_out));
    must(cudaFree(d_count));
}
#endif

/* The predicates are asked about items alone, wherever these end in a warp tile. */
static void check_asked(int pipelined)
{
    enum { N = 4099 };
    static uint32_t in[N];
    uint32_t *d_in = NULL, *d_out = NULL, *d_strangers = NULL, strangers = 1;
    size_t *d_count = NULL, count = 0;
    int passed = 1;

    for (size_t i = 0; i < N; i++)
        in[i] = 0xC0FFEE00u | (uint32_t)(tap_random() & 255);
    passed &= cudaMalloc((void **)&d_in, sizeof in) == cudaSuccess;
    passed &= cudaMalloc((void **)&d_out, sizeof in) == cudaSuccess;
    passed &= cudaMalloc((void **)&d_strangers, sizeof *d_strangers) == cudaSuccess;
    passed &= cudaMalloc((void **)&d_count, sizeof *d_count) == cudaSuccess;
    passed &= cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice) == cudaSuccess;
    passed &= cudaMemset(d_strangers, 0, sizeof *d_strangers) == cudaSuccess;
    for (size_t n = 1; n <= N && passed; n += n < 70 ? 1 : 1 + n / 5) {
        size_t expected = 0;

        for (size_t i = 0; i < n; i++)
            expected += in[i] & 1;
        passed &= (pipelined ? asked_pipelined_compact(d_in, d_out, n, d_count, d_strangers, NULL, 0)
                             : asked_simple_compact(d_in, d_out, n, d_count, d_strangers, NULL, 0)) == cudaSuccess;
        passed &= cudaMemcpy(&count, d_count, sizeof count, cudaMemcpyDeviceToHost) == cudaSuccess && count == expected;
    }
    passed &= cudaMemcpy(&strangers, d_strangers, sizeof strangers, cudaMemcpyDeviceToHost) == cudaSuccess;
    ok(passed && strangers == 0, "the %s kernel asks the predicate about items alone",
       pipelined ? "pipelined" : "simple");
    (void)cudaFree(d_in);
    (void)cudaFree(d_out);
    (void)cudaFree(d_strangers);
    (void)cudaFree(d_count);
}

/* ---- GP_INDEX -------------------------------------------------------------------------------- */

#define GP_NAME   index_int
#define GP_TYPE   uint8_t
#define GP_INDEX  int
#define GP_KERNEL GP_KERNEL_PIPELINED
#include <gpuprims/compact.cuh>
#define GP_NAME   index_u32
#define GP_TYPE   uint32_t
#define GP_INDEX  uint32_t
#include <gpuprims/compact.cuh>
#define GP_NAME   index_i64
#define GP_TYPE   matrices3
#define GP_PRED(x) ((x).at[0].m[0] % 2)
#define GP_INDEX  int64_t
#define GP_KERNEL GP_KERNEL_SIMPLE
#include <gpuprims/compact.cuh>

/* Counts and places of a type; `width` is its bytes. */
#define CHECK_INDEX(name, type, index, make_item, keeps_item)                                            \
    static void name##_check(size_t n)                                                                   \
    {                                                                                                    \
        type *in = (type *)malloc(n * sizeof *in + 1);                                                   \
        index *want = (index *)malloc((n + 1) * sizeof *want), *got = (index *)malloc((n + 1) * sizeof *got); \
        index count = (index)-1, flagged = (index)-1;                                                                  \
        size_t kept = 0;                                                                                 \
                                                                                                         \
        for (size_t i = 0; i < n; i++) {                                                                 \
            uint64_t r = tap_random();                                                                   \
                                                                                                         \
            in[i] = make_item;                                                                           \
            if (keeps_item)                                                                              \
                want[kept++] = (index)i;                                                                 \
        }                                                                                                \
        tap_buffer d_in = tap_buffer_of(in, n * sizeof *in, 0), d_count = tap_buffer_new(sizeof count, sizeof count); \
        tap_buffer d_out = tap_buffer_new(n * sizeof *got, 3 * sizeof *got), d_all = tap_buffer_new(n * sizeof *in, 0); \
        tap_buffer d_flags = tap_buffer_new(n, 1), d_flagged = tap_buffer_new(sizeof count, 0);          \
        const type *from = (const type *)d_in.data;                                                      \
        int right = name##_compact_indices(from, (index *)d_out.data, n, (index *)d_count.data, NULL, 0) == cudaSuccess; \
                                                                                                         \
        if (n)                                                                                           \
            must(cudaMemset(d_flags.data, 1, n));                                                        \
        right &= name##_partition_flagged(from, (const uint8_t *)d_flags.data, (type *)d_all.data, n,    \
                                          (index *)d_flagged.data, NULL, 0) == cudaSuccess;              \
        tap_buffer_read(&count, &d_count, sizeof count);                                                 \
        tap_buffer_read(&flagged, &d_flagged, sizeof flagged);                                           \
        tap_buffer_read(got, &d_out, kept * sizeof *got);                                                \
        right &= count == (index)kept && flagged == (index)n && memcmp(got, want, kept * sizeof *got) == 0; \
        right &= tap_buffer_intact(&d_count, sizeof count) && tap_buffer_intact(&d_out, kept * sizeof *got); \
        right &= tap_buffer_intact(&d_flagged, sizeof count) && tap_buffer_intact(&d_all, n * sizeof *in); \
        ok(right, "places and counts of %zu items as " #index, n);                                       \
        tap_buffer_free(&d_in);                                                                          \
        tap_buffer_free(&d_count);                                                                       \
        tap_buffer_free(&d_out);                                                                         \
        tap_buffer_free(&d_all);                                                                         \
        tap_buffer_free(&d_flags);                                                                       \
        tap_buffer_free(&d_flagged);                                                                     \
        free(in);                                                                                        \
        free(want);                                                                                      \
        free(got);                                                                                       \
    }
CHECK_INDEX(index_int, uint8_t, int, (uint8_t)(r % 3), in[i] != 0)
CHECK_INDEX(index_u32, uint32_t, uint32_t, (uint32_t)(r % 2), in[i] != 0)
CHECK_INDEX(index_i64, matrices3, int64_t, make_matrices3(r), in[i].at[0].m[0] % 2 != 0)

/* An n that the type of counts cannot say is refused. */
static void check_index_limits(void)
{
    uint8_t *bytes = NULL;
    int *count = NULL;
    uint32_t word = 7;

    must(cudaMalloc((void **)&bytes, 64));
    must(cudaMalloc((void **)&count, sizeof *count));
    ok(index_int_compact(bytes, bytes, (size_t)1 << 31, count, NULL, 0) == cudaErrorInvalidValue &&
           strstr(gp_last_error_message(),
                  "index_int_compact: n is 2147483648; it must be at most 2147483647") != NULL,
       "refused: %s", gp_last_error_message());
    ok(index_u32_compact_indices((const uint32_t *)(const void *)bytes, (uint32_t *)(void *)(bytes + 32),
                                 (size_t)1 << 32, (uint32_t *)(void *)count, NULL, 0) == cudaErrorInvalidValue &&
           strstr(gp_last_error_message(),
                  "index_u32_compact_indices: n is 4294967296; it must be at most 4294967295") != NULL,
       "refused: %s", gp_last_error_message());
    must(cudaMemset(count, 1, sizeof *count));
    must(index_int_partition_flagged(NULL, NULL, NULL, 0, count, NULL, 0));
    must(cudaMemcpy(&word, count, sizeof word, cudaMemcpyDeviceToHost));
    ok(word == 0, "of nothing a count of 0 is as wide as GP_INDEX");
    ok(index_int_partition_flagged(bytes, NULL, bytes + 32, 3, count, NULL, 0) == cudaErrorInvalidValue &&
           strstr(gp_last_error_message(), "index_int_partition_flagged: flags is NULL") != NULL,
       "refused: %s", gp_last_error_message());
    must(cudaFree(bytes));
    must(cudaFree(count));
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv);

    size_t all = 10007, some = tap_small ? 2049 : 5003;

    check_sizes(&gp_case, all);
    check_sizes(&all_case, some);
    check_sizes(&none_case, some);
    check_sizes(&few_case, some);
    check_sizes(&negative_case, some);
    check_sizes(&high_case, some);
    check_sizes(&composed_case, all);
    check_sizes(&between_case, some);
    check_sizes(&wide_case, some);
    check_sizes(&widest_case, some);
    for (int function = 0; tap_wants("offsets") && function < COMPACT_FUNCTIONS; function++) {
        check_offsets(&all_case, function, 77, 16, 16);
        check_offsets(&composed_case, function, 333, 8, 8);
        check_offsets(&gp_case, function, 4099, 4, 4);
    }
    if (tap_wants("shapes")) {
        check_shapes(1);
        check_shapes(33);
        check_shapes(4097);
        check_shapes(tap_small ? 9001 : 100003);
    }
    if (!tap_small && tap_wants("large")) {
        for (int function = 0; function < COMPACT_FUNCTIONS; function++)
            check_large(&gp_case, function, ((size_t)1 << 20) + 7, 0);
        check_large(&gp_case, COMPACT, ((size_t)1 << 20) - 1, 1);
        check_large(&composed_case, COMPACT_FLAGGED, ((size_t)1 << 19) + 3, 1);
    }

    static const compact_case *const forced[] = {
        &bytes_pipelined_case, &bytes_simple_case, &halves_pipelined_case, &words_pipelined_case,
        &words_lone_pipelined_case, &words_simple_case, &words_lone_simple_case,
        &words_hasty_pipelined_case, &words_hasty_simple_case, &longs_pipelined_case,
        &threes_pipelined_case, &threes_simple_case, &twelves_pipelined_case, &wide_pipelined_case,
        &odds_pipelined_case, &odds_simple_case, &pairs_pipelined_case, &large_pipelined_case};
    for (size_t k = 0; k < sizeof forced / sizeof forced[0]; k++) {
        if (!tap_wants(forced[k]->name))
            continue;
        check_tiles(forced[k], forced[k]->bytes == 4 && !tap_small ? 33 : tap_small ? 2 : 7);
        for (int function = 0; function < COMPACT_FUNCTIONS; function++)
            check_phases(forced[k], function, tap_small ? 37 : forced[k]->bytes == 1 ? 5 : 13);
    }
    for (int function = PARTITION; tap_wants("close") && function < COMPACT_FUNCTIONS; function++) {
        check_close(&bytes_pipelined_case, function);
        check_close(&bytes_simple_case, function);
    }
    if (tap_wants("asked")) {
        check_asked(0);
        check_asked(1);
    }
    for (size_t n = 0; tap_wants("index") && n < 60000; n = n * 7 + 31) {
        index_int_check(n);
        index_u32_check(n);
        index_i64_check(n / 8);
    }
    if (tap_wants("index"))
        check_index_limits();
#ifdef __CUDACC__
    if (tap_wants("beyond"))
        beyond_32_bits();
#endif
    return tap_end();
}
