/*
 * fold_check.h: what the tests of folds share. Types and operators to fold with, and the check of one
 * scan or reduction of one instance against a plain loop. fold_case.h describes an instance to it.
 */
#ifndef FOLD_CHECK_H
#define FOLD_CHECK_H

#include <stdbool.h>

#include "tap.h"

/* ---- types and operators --------------------------------------------------------------------- */

/* 3 bytes: x -> a x + b modulo 256, composed from left to right, and how many were composed. */
typedef struct affine {
    uint8_t a, b, count;
} affine;

static __host__ __device__ inline affine affine_then(affine f, affine g)
{
    affine result;

    result.a = (uint8_t)(f.a * g.a);
    result.b = (uint8_t)(g.a * f.b + g.b);
    result.count = (uint8_t)(f.count + g.count);
    return result;
}

/* 12 bytes: the matrix (a b; 0 c) modulo 2^32. */
typedef struct triangle {
    uint32_t a, b, c;
} triangle;

static __host__ __device__ inline triangle triangle_multiply(triangle x, triangle y)
{
    triangle result;

    result.a = x.a * y.a;
    result.b = x.a * y.b + x.b * y.c;
    result.c = x.c * y.c;
    return result;
}

/* 16 bytes: a 2x2 matrix modulo 2^32, row by row. */
typedef struct matrix {
    uint32_t m[4];
} matrix;

static __host__ __device__ inline matrix matrix_multiply(matrix x, matrix y)
{
    matrix result;

    result.m[0] = x.m[0] * y.m[0] + x.m[1] * y.m[2];
    result.m[1] = x.m[0] * y.m[1] + x.m[1] * y.m[3];
    result.m[2] = x.m[2] * y.m[0] + x.m[3] * y.m[2];
    result.m[3] = x.m[2] * y.m[1] + x.m[3] * y.m[3];
    return result;
}

/* 48, 128 and 256 bytes: several matrices side by side. */
typedef struct matrices3 {
    matrix at[3];
} matrices3;

typedef struct matrices8 {
    matrix at[8];
} matrices8;

typedef struct matrices16 {
    matrix at[16];
} matrices16;

static __host__ __device__ inline matrices3 matrices3_multiply(matrices3 x, matrices3 y)
{
    for (int i = 0; i < 3; i++)
        x.at[i] = matrix_multiply(x.at[i], y.at[i]);
    return x;
}

static __host__ __device__ inline matrices8 matrices8_multiply(matrices8 x, matrices8 y)
{
    for (int i = 0; i < 8; i++)
        x.at[i] = matrix_multiply(x.at[i], y.at[i]);
    return x;
}

static __host__ __device__ inline matrices16 matrices16_multiply(matrices16 x, matrices16 y)
{
    for (int i = 0; i < 16; i++)
        x.at[i] = matrix_multiply(x.at[i], y.at[i]);
    return x;
}

__attribute__((unused)) static affine make_affine(uint64_t r)
{
    affine f = {(uint8_t)r, (uint8_t)(r >> 8), 1};

    return f;
}

__attribute__((unused)) static triangle make_triangle(uint64_t r)
{
    triangle x = {(uint32_t)r | 1, (uint32_t)(r >> 20), (uint32_t)(r >> 32) | 1};

    return x;
}

/* Odd determinants: a product never collapses to zero. */
__attribute__((unused)) static matrix make_matrix(uint64_t r)
{
    matrix x = {{(uint32_t)r | 1, (uint32_t)(r >> 16) & ~1u, (uint32_t)(r >> 24), (uint32_t)(r >> 32) | 1}};

    return x;
}

__attribute__((unused)) static matrices3 make_matrices3(uint64_t r)
{
    matrices3 x;

    for (int i = 0; i < 3; i++)
        x.at[i] = make_matrix(r * (2 * (uint64_t)i + 1));
    return x;
}

__attribute__((unused)) static matrices8 make_matrices8(uint64_t r)
{
    matrices8 x;

    for (int i = 0; i < 8; i++)
        x.at[i] = make_matrix(r * (2 * (uint64_t)i + 1));
    return x;
}

__attribute__((unused)) static matrices16 make_matrices16(uint64_t r)
{
    matrices16 x;

    for (int i = 0; i < 16; i++)
        x.at[i] = make_matrix(r * (2 * (uint64_t)i + 1));
    return x;
}

/*
 * Ranges of indices. Joining anything but neighbours is a violation, which is counted on the device,
 * also when nobody looks at the result. 4, 8, 16 and 128 bytes, for tiles of different shapes.
 */
typedef struct range4 {
    uint16_t first, last;
} range4;

typedef struct range8 {
    uint32_t first, last;
} range8;

typedef struct range16 {
    uint64_t first, last;
} range16;

typedef struct range128 {
    uint64_t first, last, rest[14];
} range128;

static __device__ unsigned range_violations;

#define RANGE_JOIN(name, type)                               \
    static __device__ inline type name(type a, type b)       \
    {                                                        \
        if (a.last + 1u != b.first)                          \
            atomicAdd(&range_violations, 1u);                \
        a.last = b.last;                                     \
        return a;                                            \
    }                                                        \
    __attribute__((unused)) static type make_##type(size_t i) \
    {                                                        \
        type x;                                              \
                                                             \
        memset(&x, 0, sizeof x);                             \
        x.first = x.last = (__typeof__(x.last))(i + 1);      \
        return x;                                            \
    }                                                        \
    /* What the join of neighbours is, in the reference. */  \
    __attribute__((unused)) static type span_##type(type a, type b) \
    {                                                        \
        a.last = b.last;                                     \
        return a;                                            \
    }
RANGE_JOIN(join4, range4)
RANGE_JOIN(join8, range8)
RANGE_JOIN(join16, range16)
RANGE_JOIN(join128, range128)

static __global__ void range_report(unsigned *violations)
{
    *violations = range_violations;
    range_violations = 0;
}

/* How many violations there were since the last call. */
__attribute__((unused)) static unsigned range_take_violations(void)
{
    unsigned *d_violations = NULL, violations;

    must(cudaMalloc((void **)&d_violations, sizeof violations));
    GP_LAUNCH(range_report, 1, 1, 0, 0, d_violations);
    must(cudaGetLastError());
    must(cudaMemcpy(&violations, d_violations, sizeof violations, cudaMemcpyDeviceToHost));
    must(cudaFree(d_violations));
    return violations;
}

/* The ready operators, said in another way. long double holds every value of up to 64 bits. */
#define ref_sum(a, b)     ((a) + (b))
#define ref_product(a, b) ((a) * (b))
#define ref_and(a, b)     ((a) & (b))
#define ref_or(a, b)      ((a) | (b))
#define ref_xor(a, b)     ((a) ^ (b))

static inline int is_nan(long double x)
{
    return !(x >= 0) && !(x < 0);
}

__attribute__((unused)) static long double ref_min(long double a, long double b)
{
    return is_nan(a) ? a : is_nan(b) ? b : a < b ? a : b;
}

__attribute__((unused)) static long double ref_max(long double a, long double b)
{
    return is_nan(a) ? a : is_nan(b) ? b : a > b ? a : b;
}

/* Floats whose sums and products are exact, and floats of every awkward kind. */
__attribute__((unused)) static double small_number(uint64_t r)
{
    return (double)(r % 9) - 4;
}

__attribute__((unused)) static double power_of_two(size_t i, uint64_t r)
{
    return (i % 2 ? 2 : 0.5) * (r % 2 ? 1 : -1);
}

/* Zeros of both signs, infinities, numbers; a NaN only now and then, since it swallows what follows. */
__attribute__((unused)) static double awkward_number(uint64_t r)
{
    double infinity = __builtin_inf();

    switch (r % 8) {
    case 0: return 0.0;
    case 1: return -0.0;
    case 2: return (r >> 8) % 64 ? 1e30 : infinity;
    case 3: return (r >> 8) % 64 ? -1e30 : -infinity;
    case 4: return (r >> 8) % 1024 ? 1.5 : infinity - infinity;
    default: return (double)(int64_t)(r >> 32) - 2e9;
    }
}

/* ---- the check ------------------------------------------------------------------------------- */

enum { INCLUSIVE, EXCLUSIVE, EXCLUSIVE_INIT, REDUCE };

__attribute__((unused)) static const char *const fold_names[] = {
    "inclusive scan", "exclusive scan", "exclusive scan with init", "reduce"};

/* An instance, its items and its reference. */
typedef struct fold_case {
    const char *name;
    size_t in_bytes, out_bytes; /* of an item */
    size_t in_align, out_align;
    void (*make)(void *in, size_t n);
    void (*reference)(int function, const void *in, void *out, size_t n);
    cudaError_t (*run)(int function, const void *in, void *out, size_t n, gp_workspace *ws,
                       cudaStream_t stream);
    int (*same)(const void *a, const void *b);
} fold_case;

/* Sizes around those of warps, blocks and tiles of every shape, and a few primes. */
static const size_t fold_sizes[] = {
    0,    1,    2,    3,    4,    5,    7,    15,   16,   17,   31,   32,   33,   63,   64,   65,   97,
    127,  128,  129,  255,  256,  257,  511,  512,  513,  767,  997,  1023, 1024, 1025, 1279, 1280, 1281,
    2047, 2048, 2049, 2561, 4095, 4096, 4097, 4099, 5003, 8191, 8192, 8193, 10007};
#define FOLD_SIZES (sizeof fold_sizes / sizeof *fold_sizes)

/* Where the buffers of a check lie, in alignments of an item behind a line, and how it is called. */
typedef struct fold_place {
    size_t in_offset, out_offset;
    int in_place;
    gp_workspace *ws;
    cudaStream_t stream;
} fold_place;

/* Runs a function on n items and compares everything; says what is wrong. */
__attribute__((unused)) static int fold_check(const fold_case *c, int function, size_t n, fold_place place)
{
    size_t results = function == REDUCE ? 1 : n, out_bytes = results * c->out_bytes, i;
    char *in = (char *)malloc(n * c->in_bytes + 1), *want = (char *)malloc(out_bytes + 1);
    char *got = (char *)malloc(out_bytes + 1), *in_after = (char *)malloc(n * c->in_bytes + 1);
    const char *wrong = NULL;

    c->make(in, n);
    c->reference(function, in, want, n);

    tap_buffer d_in = tap_buffer_of(in, n * c->in_bytes, place.in_offset * c->in_align);
    tap_buffer d_out = place.in_place ? d_in : tap_buffer_new(out_bytes, place.out_offset * c->out_align);
    cudaError_t error = c->run(function, d_in.data, d_out.data, n, place.ws, place.stream);

    tap_buffer_read(got, &d_out, out_bytes);
    for (i = 0; i < results; i++)
        if (!c->same(got + i * c->out_bytes, want + i * c->out_bytes))
            break;
    if (error != cudaSuccess)
        wrong = gp_last_error_message();
    else if (i < results)
        wrong = "differs from the reference";
    else if (!tap_buffer_intact(&d_out, out_bytes))
        wrong = "wrote outside of the output";
    if (!place.in_place) {
        tap_buffer_read(in_after, &d_in, n * c->in_bytes);
        if (!wrong && memcmp(in, in_after, n * c->in_bytes) != 0)
            wrong = "changed the input";
        if (!wrong && !tap_buffer_intact(&d_in, n * c->in_bytes))
            wrong = "wrote around the input";
        tap_buffer_free(&d_out);
    }
    tap_buffer_free(&d_in);
    if (wrong)
        printf("# %s, %s of %zu, offsets %zu and %zu%s: %s (error %d, item %zu)\n", c->name,
               fold_names[function], n, place.in_offset, place.out_offset,
               place.in_place ? ", in place" : "", wrong, (int)error, i);
    free(in);
    free(want);
    free(got);
    free(in_after);
    return !wrong;
}

/* A function of an instance over many sizes, each at offsets of its own, some in place. */
__attribute__((unused)) static void fold_check_sizes(const fold_case *c, int function, size_t limit)
{
    int passed = 1;
    unsigned checked = 0;

    for (size_t k = 0; k < FOLD_SIZES && fold_sizes[k] <= limit; k++) {
        fold_place place = {k * 7 % 16, k * 3 % 16, 0, NULL, 0};

        passed &= fold_check(c, function, fold_sizes[k], place);
        checked++;
        if (function != REDUCE && c->in_bytes == c->out_bytes && k % 2) {
            place.in_place = 1;
            passed &= fold_check(c, function, fold_sizes[k], place);
        }
    }
    ok(passed, "%s: %s of %u sizes up to %zu", c->name, fold_names[function], checked, limit);
}

__attribute__((unused)) static void fold_check_large(const fold_case *c, int function, size_t n)
{
    fold_place place = {1, 3, 0, NULL, 0};

    ok(fold_check(c, function, n, place), "%s: %s of %zu items", c->name, fold_names[function], n);
}

/* Every combination of `in_limit` offsets of the input and `out_limit` of the output. */
__attribute__((unused)) static void fold_check_offsets(const fold_case *c, int function, size_t n,
                                                       size_t in_limit, size_t out_limit)
{
    int passed = 1;

    for (size_t in = 0; in < in_limit; in++)
        for (size_t out = 0; out < out_limit; out++) {
            fold_place place = {in, out, 0, NULL, 0};

            passed &= fold_check(c, function, n, place);
        }
    ok(passed, "%s: %s of %zu items at %zu x %zu offsets", c->name, fold_names[function], n, in_limit,
       out_limit);
}

/* No call of the operator since the last time joined anything but neighbours. */
__attribute__((unused)) static void fold_check_neighbours(const char *what)
{
    unsigned violations = range_take_violations();

    ok(violations == 0, "%s: the operator sees neighbours only (%u violations)", what, violations);
}

#endif
