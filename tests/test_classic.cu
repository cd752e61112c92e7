/* The classic ladder: scans, map-scan-scatter, find-max, split sort. */
/* test options: timeout=300 */

/* So that a grid of few blocks already goes on in its second dimension, as one of 2^31 does. */
static unsigned test_grid_x = 0x7FFFFFFF;
#define GPI_CLASSIC_GRID_X test_grid_x

#include "tap.h"

#include <math.h>

/* ---- instances ------------------------------------------------------------------------------- */

/* First of all the header that sets the user's parameters aside: all that it uses, before its scans. */
typedef struct choice {
    uint32_t modulus, below;
} choice;

#define GP_NAME             chosen
#define GP_TYPE             uint32_t
#define GP_CONTEXT          choice
#define GP_PRED(x, context) ((x) % (context).modulus < (context).below)
#define GP_API              static __attribute__((unused))
#include <gpuprims/classic/map_scan_scatter.cuh>

#ifdef GP_PRED
#error "parameters survived"
#endif

typedef struct {
    uint32_t value, rest[11];
} record48;

#define GP_NAME    record
#define GP_TYPE    record48
#define GP_PRED(x) ((x).value & 1)
#include <gpuprims/classic/map_scan_scatter.cuh>
#include <gpuprims/classic/map_scan_scatter.cuh>

/* x -> a x + b, modulo 2^32: the first is applied first. k of them side by side, for large structs. */
#define AFFINE(name, k)                                                                    \
    typedef struct {                                                                       \
        uint32_t a[k], b[k];                                                               \
    } name;                                                                                \
    static __host__ __device__ __attribute__((unused)) name name##_compose(name f, name g) \
    {                                                                                      \
        for (int i = 0; i < (k); i++) {                                                    \
            f.b[i] = g.a[i] * f.b[i] + g.b[i];                                             \
            f.a[i] = g.a[i] * f.a[i];                                                      \
        }                                                                                  \
        return f;                                                                          \
    }                                                                                      \
    static name name##_random(void)                                                        \
    {                                                                                      \
        name f;                                                                            \
        for (int i = 0; i < (k); i++) {                                                    \
            f.a[i] = (uint32_t)tap_random() | 1;                                           \
            f.b[i] = (uint32_t)tap_random();                                               \
        }                                                                                  \
        return f;                                                                          \
    }
AFFINE(affine, 1)
AFFINE(affine24, 3)
AFFINE(affine48, 6)
AFFINE(affine128, 16)
AFFINE(affine1024, 128)

typedef struct {
    uint32_t m[4];
} __align__(16) matrix;

static __host__ __device__ __attribute__((unused)) matrix matrix_multiply(matrix a, matrix b)
{
    matrix c;

    c.m[0] = a.m[0] * b.m[0] + a.m[1] * b.m[2];
    c.m[1] = a.m[0] * b.m[1] + a.m[1] * b.m[3];
    c.m[2] = a.m[2] * b.m[0] + a.m[3] * b.m[2];
    c.m[3] = a.m[2] * b.m[1] + a.m[3] * b.m[3];
    return c;
}

static matrix matrix_random(void)
{
    matrix a;

    for (int i = 0; i < 4; i++)
        a.m[i] = (uint32_t)tap_random();
    return a;
}

/*
 * Items first to last - 1 of the input. Joining anything but neighbours is counted; nothing, the
 * identity, is nobody's neighbour, nor is memory of zeros or of guard bytes.
 */
typedef struct {
    uint32_t first, last;
} interval;

static __device__ unsigned interval_violations;

static __device__ __attribute__((unused)) interval interval_join(interval a, interval b)
{
    interval joined;

    if (a.last != b.first || a.first >= a.last || b.first >= b.last)
        atomicAdd(&interval_violations, 1u);
    joined.first = a.first;
    joined.last = b.last;
    return joined;
}

static __host__ __device__ __attribute__((unused)) interval interval_of(uint32_t i)
{
    interval x;

    x.first = i;
    x.last = i + 1;
    return x;
}

static interval interval_span(interval a, interval b)
{
    a.last = b.last;
    return a;
}

static __global__ void interval_count(unsigned *count)
{
    *count = interval_violations;
    interval_violations = 0;
}

/* clang-format off */
#define ELEMENT               i32
#define ELEMENT_TYPE          int32_t
#define ELEMENT_INPUT         int32_t
#define ELEMENT_OP            GP_SUM
#define ELEMENT_RANDOM(i)     (int32_t)tap_random()
#define ELEMENT_COMBINE(a, b) (int32_t)((uint32_t)(a) + (uint32_t)(b))
#define ELEMENT_NOTHING       0
#include "classic_element.h"

#define ELEMENT               u8
#define ELEMENT_TYPE          uint8_t
#define ELEMENT_INPUT         uint8_t
#define ELEMENT_OP            GP_SUM
#define ELEMENT_RANDOM(i)     (uint8_t)tap_random()
#define ELEMENT_COMBINE(a, b) (uint8_t)((a) + (b))
#define ELEMENT_NOTHING       0
#include "classic_element.h"

#define ELEMENT               i64_max
#define ELEMENT_TYPE          int64_t
#define ELEMENT_INPUT         int64_t
#define ELEMENT_OP            GP_MAX
#define ELEMENT_RANDOM(i)     (int64_t)(tap_random() >> 1) - (INT64_MAX - (int64_t)(i))
#define ELEMENT_COMBINE(a, b) ((a) > (b) ? (a) : (b))
#define ELEMENT_NOTHING       INT64_MIN
#include "classic_element.h"

/* Sums that a float holds exactly, whatever the order. */
#define ELEMENT               f32
#define ELEMENT_TYPE          float
#define ELEMENT_INPUT         float
#define ELEMENT_OP            GP_SUM
#define ELEMENT_RANDOM(i)     (float)tap_below(100) - 50
#define ELEMENT_COMBINE(a, b) ((a) + (b))
#define ELEMENT_NOTHING       0
#include "classic_element.h"

#define ELEMENT               f64
#define ELEMENT_TYPE          double
#define ELEMENT_INPUT         double
#define ELEMENT_OP            GP_SUM
#define ELEMENT_RANDOM(i)     (double)tap_below(1000000) - 500000
#define ELEMENT_COMBINE(a, b) ((a) + (b))
#define ELEMENT_NOTHING       0
#include "classic_element.h"

#define ELEMENT               composed
#define ELEMENT_TYPE          affine
#define ELEMENT_INPUT         affine
#define ELEMENT_OP            affine_compose
#define ELEMENT_IDENTITY      {{1}, {0}}
#define ELEMENT_RANDOM(i)     affine_random()
#define ELEMENT_COMBINE(a, b) affine_compose(a, b)
#define ELEMENT_NOTHING       {{1}, {0}}
#include "classic_element.h"

#define ELEMENT               composed24
#define ELEMENT_TYPE          affine24
#define ELEMENT_INPUT         affine24
#define ELEMENT_OP            affine24_compose
#define ELEMENT_IDENTITY      {{1, 1, 1}, {0}}
#define ELEMENT_RANDOM(i)     affine24_random()
#define ELEMENT_COMBINE(a, b) affine24_compose(a, b)
#define ELEMENT_NOTHING       {{1, 1, 1}, {0}}
#include "classic_element.h"

/* The identity is only ever written, so anything goes: here a value that shows. */
#define ELEMENT               composed48
#define ELEMENT_TYPE          affine48
#define ELEMENT_INPUT         affine48
#define ELEMENT_OP            affine48_compose
#define ELEMENT_IDENTITY      {{17}, {4}}
#define ELEMENT_RANDOM(i)     affine48_random()
#define ELEMENT_COMBINE(a, b) affine48_compose(a, b)
#define ELEMENT_NOTHING       {{17}, {4}}
#include "classic_element.h"

#define ELEMENT               composed128
#define ELEMENT_TYPE          affine128
#define ELEMENT_INPUT         affine128
#define ELEMENT_OP            affine128_compose
#define ELEMENT_IDENTITY      {{17}, {4}}
#define ELEMENT_RANDOM(i)     affine128_random()
#define ELEMENT_COMBINE(a, b) affine128_compose(a, b)
#define ELEMENT_NOTHING       {{17}, {4}}
#include "classic_element.h"

#define ELEMENT               multiplied
#define ELEMENT_TYPE          matrix
#define ELEMENT_INPUT         matrix
#define ELEMENT_OP            matrix_multiply
#define ELEMENT_IDENTITY      {{1, 0, 0, 1}}
#define ELEMENT_RANDOM(i)     matrix_random()
#define ELEMENT_COMBINE(a, b) matrix_multiply(a, b)
#define ELEMENT_NOTHING       {{1, 0, 0, 1}}
#include "classic_element.h"

#define ELEMENT               joined
#define ELEMENT_TYPE          interval
#define ELEMENT_INPUT         uint32_t
#define ELEMENT_LOAD(x)       interval_of(x)
#define ELEMENT_OP            interval_join
#define ELEMENT_IDENTITY      {0, 0}
#define ELEMENT_RANDOM(i)     (uint32_t)(i)
#define ELEMENT_COMBINE(a, b) interval_span(a, b)
#define ELEMENT_NOTHING       {0, 0}
#include "classic_element.h"

/* Items of which no tile for 32 threads fits into shared memory. One rung has to mind. */
#define GP_NAME     huge
#define GP_TYPE     affine1024
#define GP_OP       affine1024_compose
#define GP_IDENTITY {{1}, {2}}
#include <gpuprims/classic/shared_scan.cuh>

#define GP_NAME          shifted
#define GP_TYPE          int64_t
#define GP_INPUT_TYPE    uint8_t
#define GP_CONTEXT       int
#define GP_LOAD(x, context) ((int64_t)(x) - (context))
#include <gpuprims/classic/naive_scan.cuh>
#define GP_NAME          shifted
#define GP_TYPE          int64_t
#define GP_INPUT_TYPE    uint8_t
#define GP_CONTEXT       int
#define GP_LOAD(x, context) ((int64_t)(x) - (context))
#include <gpuprims/classic/work_efficient_scan.cuh>
#define GP_NAME          shifted
#define GP_TYPE          int64_t
#define GP_INPUT_TYPE    uint8_t
#define GP_CONTEXT       int
#define GP_LOAD(x, context) ((int64_t)(x) - (context))
#include <gpuprims/classic/shared_scan.cuh>
#define GP_NAME          shifted
#define GP_TYPE          int64_t
#define GP_INPUT_TYPE    uint8_t
#define GP_CONTEXT       int
#define GP_LOAD(x, context) ((int64_t)(x) - (context))
#include <gpuprims/classic/shuffle_scan.cuh>

#define KEYS      i8
#define KEYS_TYPE int8_t
#include "classic_keys.h"
#define KEYS      u8
#define KEYS_TYPE uint8_t
#include "classic_keys.h"
#define KEYS      i16
#define KEYS_TYPE int16_t
#include "classic_keys.h"
#define KEYS      u16
#define KEYS_TYPE uint16_t
#include "classic_keys.h"
#define KEYS      i32
#define KEYS_TYPE int32_t
#include "classic_keys.h"
#define KEYS      u32
#define KEYS_TYPE uint32_t
#include "classic_keys.h"
#define KEYS      i64
#define KEYS_TYPE int64_t
#include "classic_keys.h"
#define KEYS      u64
#define KEYS_TYPE uint64_t
#include "classic_keys.h"

#define GP_NAME i32
#define GP_TYPE int32_t
#include <gpuprims/classic/find_max.cuh>
#define GP_NAME u8
#define GP_TYPE uint8_t
#include <gpuprims/classic/find_max.cuh>
#define GP_NAME i64
#define GP_TYPE int64_t
#include <gpuprims/classic/find_max.cuh>
#define GP_NAME f32
#define GP_TYPE float
#include <gpuprims/classic/find_max.cuh>
#define GP_NAME f64
#define GP_TYPE double
#include <gpuprims/classic/find_max.cuh>
/* clang-format on */

#include <gpuprims/classic/naive_scan.cuh>
#include <gpuprims/classic/work_efficient_scan.cuh>
#include <gpuprims/classic/shared_scan.cuh>
#include <gpuprims/classic/shuffle_scan.cuh>
#include <gpuprims/classic/map_scan_scatter.cuh>
#include <gpuprims/classic/find_max.cuh>
#include <gpuprims/classic/split_sort.cuh>

/* ---- scans ----------------------------------------------------------------------------------- */

static const char *const rung_names[RUNGS] = {"naive", "work_efficient", "shared", "shuffle"};

static const int blocks[] = {32, 64, 128, 256, 512, 1024};
enum { BLOCKS = sizeof blocks / sizeof blocks[0] };

static gp_classic_options options_of(int block_threads, int conflict_free, int compact_threads)
{
    gp_classic_options options;

    options.block_threads = block_threads;
    options.conflict_free = conflict_free;
    options.compact_threads = compact_threads;
    return options;
}

/* Runs one scan and says what is wrong with it: NULL when nothing is. */
static const char *scan_fault(const element *e, int rung, const gp_classic_options *opt, size_t n,
                              size_t misaligned, int in_place)
{
    char *in = (char *)calloc(n + 1, e->input_bytes), *expected = (char *)calloc(n + 1, e->bytes);
    char *got = (char *)calloc(n + 1, e->bytes);
    size_t offset = misaligned * e->alignment;
    const char *fault = NULL;

    e->fill(in, n);
    e->expect(in, expected, n);
    tap_buffer d_in = tap_buffer_of(in, n * e->input_bytes, offset);
    tap_buffer d_out = tap_buffer_new(n * e->bytes, offset + (misaligned ? e->alignment : 0));
    void *to = in_place ? d_in.data : d_out.data;

    if (e->scan[rung](n ? d_in.data : NULL, n ? to : NULL, n, opt, NULL, 0) != cudaSuccess)
        fault = "an error";
    tap_buffer_read(got, in_place ? &d_in : &d_out, n * e->bytes);
    if (!fault && memcmp(got, expected, n * e->bytes) != 0)
        fault = "a wrong result";
    if (!fault && !in_place) {
        tap_buffer_read(got, &d_in, n * e->input_bytes);
        if (memcmp(got, in, n * e->input_bytes) != 0)
            fault = "a changed input";
    }
    if (!fault && (!tap_buffer_intact(&d_in, n * e->input_bytes) ||
                   !tap_buffer_intact(&d_out, in_place ? 0 : n * e->bytes)))
        fault = "a write out of bounds";
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_out);
    free(in);
    free(expected);
    free(got);
    return fault;
}

/* One result for all sizes. `where` counts up, so that alignments and in place go through them. */
static void scan_all(const element *e, int rung, gp_classic_options opt, const size_t *sizes,
                     size_t count)
{
    static size_t where = 0;
    const char *fault = NULL;
    size_t i = 0;
    int in_place = 0;

    for (i = 0; i < count && !fault; i++) {
        in_place = e->input_bytes == e->bytes && where % 2;
        fault = scan_fault(e, rung, &opt, sizes[i], where / 2 % 4, in_place);
        where += 1 + where % 8 / 7; /* 15 and 16 of them make all combinations meet all sizes */
    }
    if (fault)
        ok(0, "%s scan of %s, blocks of %d: %s at n = %zu%s", rung_names[rung], e->name,
           opt.block_threads, fault, sizes[i - 1], in_place ? " in place" : "");
    else
        ok(1, "%s scan of %s, blocks of %d, conflict_free %d, compact_threads %d, up to n = %zu",
           rung_names[rung], e->name, opt.block_threads, opt.conflict_free, opt.compact_threads,
           sizes[count - 1]);
}

/* Sizes around what a warp, a block and a tile of any rung hold, two tiles, and levels of tiles. */
static size_t sizes_for(int block, size_t *sizes)
{
    static const size_t fixed[] = {0, 1, 2, 3, 31, 32, 33, 61};
    size_t b = (size_t)block, count = 0;

    for (; count < sizeof fixed / sizeof fixed[0]; count++)
        sizes[count] = fixed[count];
    for (size_t tile = b; tile <= (tap_small ? 2 : 8) * b; tile *= 2)
        for (size_t n = tile - 1; n <= tile + 1; n++)
            if ((!tap_small || tile <= 512) && n > 33)
                sizes[count++] = n;
    sizes[count++] = 2 * b * 2 + 1;
    sizes[count++] = 1009;
    sizes[count++] = b == 32 ? 64 * 64 + 1 : 4093; /* three levels of sums of tiles of 64 */
    return count;
}

static void test_scans(const element *e, const int *some_blocks, int block_count)
{
    size_t sizes[40];

    for (int b = 0; b < block_count; b++) {
        int block = some_blocks[b];
        size_t count = sizes_for(block, sizes);

        scan_all(e, NAIVE, options_of(block, 1, 1), sizes, count);
        scan_all(e, WORK_EFFICIENT, options_of(block, 1, 1), sizes, count);
        scan_all(e, WORK_EFFICIENT, options_of(block, 1, 0), sizes, count);
        scan_all(e, SHARED, options_of(block, 1, 1), sizes, count);
        scan_all(e, SHARED, options_of(block, 0, 1), sizes, count);
        scan_all(e, SHUFFLE, options_of(block, 1, 1), sizes, count);
    }
}

static void test_large_scans(const element *e)
{
    size_t sizes[] = {100003, 65536, 131073};
    size_t count = tap_small ? 0 : sizeof sizes / sizeof sizes[0], levels = 64 * 64 * 64 + 1;

    if (tap_small)
        sizes[count++] = 20011;
    for (int rung = 0; rung < RUNGS; rung++)
        for (int block = 32; block <= 256; block *= 8)
            scan_all(e, rung, options_of(block, 1, 1), sizes, count);
    /* Four levels of tiles of 64, with three arrays of sums. */
    scan_all(e, SHARED, options_of(32, 1, 1), &levels, 1);
}

/* More tiles than one block scans the sums of in one go: with items of 48 bytes, after block * block. */
static void test_spine(void)
{
    size_t sizes[] = {64 * 64 - 1, 64 * 64, 64 * 64 + 1, 2 * 64 * 64 + 1, 40009};

    scan_all(&composed48_element, SHUFFLE, options_of(64, 1, 1), sizes, 5);
    scan_all(&composed48_element, SHUFFLE, options_of(128, 1, 1), sizes + 4, 1);
}

static void test_neighbours(void)
{
    unsigned violations = 1;

    test_scans(&joined_element, blocks, BLOCKS);
    tap_buffer d_count = tap_buffer_new(sizeof violations, 0);
    GP_LAUNCH(interval_count, 1, 1, 0, 0, (unsigned *)d_count.data);
    tap_buffer_read(&violations, &d_count, sizeof violations);
    ok(violations == 0, "the operator saw nothing but neighbours, and never the identity");
    tap_buffer_free(&d_count);
}

static void test_grids(void)
{
    size_t sizes[] = {1009, 20011};
    size_t wide = (size_t)5 << 31;
    dim3 grid = gpi_grid(wide), one = gpi_grid(1), full = gpi_grid(0x7FFFFFFF);

    ok(grid.x <= 0x7FFFFFFF && grid.y > 1 && (size_t)grid.x * grid.y >= wide &&
           (size_t)grid.x * (grid.y - 1) < wide,
       "a grid of more than 2^31 blocks is %u by %u", grid.x, grid.y);
    ok(one.x == 1 && one.y == 1 && full.x == 0x7FFFFFFF && full.y == 1, "a smaller one is a row");
    ok(gpi_grid((size_t)1 << 60).y > 0xFFFF, "a grid that no device has is not cut short");

    test_grid_x = 7;
    for (int rung = 0; rung < RUNGS; rung++)
        scan_all(&composed_element, rung, options_of(32, 1, 1), sizes, 2);
    scan_all(&composed_element, WORK_EFFICIENT, options_of(32, 1, 0), sizes, 2);
    test_grid_x = 0x7FFFFFFF;
}

static void test_huge_items(void)
{
    enum { N = 700 };
    affine1024 *in = (affine1024 *)malloc(N * sizeof *in),
               *got = (affine1024 *)malloc(N * sizeof *in);
    affine1024 sum = {{1}, {2}};

    for (int i = 0; i < N; i++)
        in[i] = affine1024_random();
    for (int b = 0; b < BLOCKS; b++) {
        tap_buffer d_in = tap_buffer_of(in, N * sizeof *in, 0);
        tap_buffer d_out = tap_buffer_new(N * sizeof *in, 0);
        gp_classic_options opt = options_of(blocks[b], b % 2, 1);
        cudaError_t error = huge_shared_exclusive_scan((const affine1024 *)d_in.data,
                                                       (affine1024 *)d_out.data, N, &opt, NULL, 0);
        int right = error == cudaSuccess;
        affine1024 expected = sum;

        tap_buffer_read(got, &d_out, N * sizeof *in);
        for (int i = 0; i < N; i++) {
            right &= memcmp(&got[i], &expected, sizeof expected) == 0;
            expected = i ? affine1024_compose(expected, in[i]) : in[i];
        }
        ok(right, "shared scan of items of 1024 bytes, blocks of %d", blocks[b]);
        tap_buffer_free(&d_in);
        tap_buffer_free(&d_out);
    }
    free(in);
    free(got);
}

static void test_context(void)
{
    enum { N = 5000 };
    uint8_t in[N];
    int64_t expected[N], got[N], sum = 0;

    for (int i = 0; i < N; i++) {
        in[i] = (uint8_t)tap_random();
        expected[i] = sum;
        sum += (int64_t)in[i] - 1000;
    }
    tap_buffer d_in = tap_buffer_of(in, sizeof in, 3), d_out = tap_buffer_new(sizeof got, 8);
    const uint8_t *from = (const uint8_t *)d_in.data;
    int64_t *to = (int64_t *)d_out.data;

    for (int rung = 0; rung < RUNGS; rung++) {
        cudaError_t error =
            rung == NAIVE ? shifted_naive_exclusive_scan(from, to, N, NULL, 1000, NULL, 0)
            : rung == WORK_EFFICIENT
                ? shifted_work_efficient_exclusive_scan(from, to, N, NULL, 1000, NULL, 0)
            : rung == SHARED ? shifted_shared_exclusive_scan(from, to, N, NULL, 1000, NULL, 0)
                             : shifted_shuffle_exclusive_scan(from, to, N, NULL, 1000, NULL, 0);

        tap_buffer_read(got, &d_out, sizeof got);
        ok(error == cudaSuccess && memcmp(got, expected, sizeof got) == 0 &&
               tap_buffer_intact(&d_out, sizeof got),
           "%s scan, fused load from another type with a context", rung_names[rung]);
        must(cudaMemset(to, 0xC3, sizeof got));
    }
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_out);
}

/* ---- workspaces ------------------------------------------------------------------------------ */

/* A function of the ladder on fixed arguments, for tests of what all of them have in common. */
typedef cudaError_t ladder_function(const int *in, int *out, size_t n, size_t *d_count,
                                    const gp_classic_options *opt, gp_workspace *ws,
                                    cudaStream_t stream);

typedef struct ladder {
    const char *name;
    ladder_function *run;
    size_t (*workspace_bytes)(size_t n);
} ladder;

#define LADDER_SCAN(rung)                                                                          \
    static cudaError_t ladder_##rung##_scan(const int *in, int *out, size_t n, size_t *d_count,    \
                                            const gp_classic_options *opt, gp_workspace *ws,       \
                                            cudaStream_t stream)                                   \
    {                                                                                              \
        (void)d_count;                                                                             \
        return gp_##rung##_exclusive_scan(in, out, n, opt, ws, stream);                            \
    }                                                                                              \
    static cudaError_t ladder_##rung##_compact(const int *in, int *out, size_t n, size_t *d_count, \
                                               const gp_classic_options *opt, gp_workspace *ws,    \
                                               cudaStream_t stream)                                \
    {                                                                                              \
        return gp_##rung##_compact(in, out, n, d_count, opt, ws, stream);                          \
    }
LADDER_SCAN(naive)
LADDER_SCAN(work_efficient)
LADDER_SCAN(shared)
LADDER_SCAN(shuffle)

static cudaError_t ladder_find_max(const int *in, int *out, size_t n, size_t *d_count,
                                   const gp_classic_options *opt, gp_workspace *ws,
                                   cudaStream_t stream)
{
    (void)d_count;
    return gp_find_max(in, out, n, opt, ws, stream);
}

static cudaError_t ladder_split_sort(const int *in, int *out, size_t n, size_t *d_count,
                                     const gp_classic_options *opt, gp_workspace *ws,
                                     cudaStream_t stream)
{
    (void)d_count;
    return gp_split_sort(in, out, n, 0, opt, ws, stream);
}

static size_t ladder_split_sort_bytes(size_t n)
{
    return gp_split_sort_workspace_bytes(n, 0);
}

static const ladder ladders[] = {
    {"gp_naive_exclusive_scan", ladder_naive_scan, gp_naive_exclusive_scan_workspace_bytes},
    {"gp_work_efficient_exclusive_scan", ladder_work_efficient_scan,
     gp_work_efficient_exclusive_scan_workspace_bytes},
    {"gp_shared_exclusive_scan", ladder_shared_scan, gp_shared_exclusive_scan_workspace_bytes},
    {"gp_shuffle_exclusive_scan", ladder_shuffle_scan, gp_shuffle_exclusive_scan_workspace_bytes},
    {"gp_naive_compact", ladder_naive_compact, gp_naive_compact_workspace_bytes},
    {"gp_work_efficient_compact", ladder_work_efficient_compact,
     gp_work_efficient_compact_workspace_bytes},
    {"gp_shared_compact", ladder_shared_compact, gp_shared_compact_workspace_bytes},
    {"gp_shuffle_compact", ladder_shuffle_compact, gp_shuffle_compact_workspace_bytes},
    {"gp_find_max", ladder_find_max, gp_find_max_workspace_bytes},
    {"gp_split_sort", ladder_split_sort, ladder_split_sort_bytes},
};
enum { LADDERS = sizeof ladders / sizeof ladders[0], FIRST_COMPACT = 4, FIRST_OTHER = 8 };

enum { LADDER_N = 3001 };

typedef struct ladder_io {
    int in[LADDER_N], expected[LADDER_N], got[LADDER_N];
    tap_buffer d_in, d_out, d_count;
} ladder_io;

/* The expected result is that of a call with everything at its default, which other tests check. */
static void ladder_open(ladder_io *io, const ladder *l)
{
    for (int i = 0; i < LADDER_N; i++)
        io->in[i] = (int)tap_below(5);
    io->d_in = tap_buffer_of(io->in, sizeof io->in, 4);
    io->d_out = tap_buffer_new(sizeof io->in, 4);
    io->d_count = tap_buffer_new(sizeof(size_t), 0);
    must(l->run((const int *)io->d_in.data, (int *)io->d_out.data, LADDER_N,
                (size_t *)io->d_count.data, NULL, NULL, 0));
    tap_buffer_read(io->expected, &io->d_out, sizeof io->expected);
}

static void ladder_close(ladder_io *io)
{
    tap_buffer_free(&io->d_in);
    tap_buffer_free(&io->d_out);
    tap_buffer_free(&io->d_count);
}

/* Whether a call with this workspace does what the first one did. */
static int ladder_repeats(ladder_io *io, const ladder *l, const gp_classic_options *opt,
                          gp_workspace *ws)
{
    cudaError_t error;

    must(cudaMemset(io->d_out.data, 0xC3, sizeof io->in));
    error = l->run((const int *)io->d_in.data, (int *)io->d_out.data, LADDER_N,
                   (size_t *)io->d_count.data, opt, ws, 0);
    tap_buffer_read(io->got, &io->d_out, sizeof io->got);
    return error == cudaSuccess && memcmp(io->got, io->expected, sizeof io->got) == 0 &&
           tap_buffer_intact(&io->d_out, sizeof io->got);
}

/* Whether a call is refused: the error, the sentence, nothing written. */
static int ladder_refuses(ladder_io *io, const ladder *l, int null_in, int null_out, int null_count,
                          const gp_classic_options *opt, gp_workspace *ws, const char *word)
{
    cudaError_t error;

    must(cudaMemset(io->d_out.data, 0xC3, sizeof io->in));
    must(cudaMemset(io->d_count.data, 0xC3, sizeof(size_t)));
    error =
        l->run(null_in ? NULL : (const int *)io->d_in.data, null_out ? NULL : (int *)io->d_out.data,
               LADDER_N, null_count ? NULL : (size_t *)io->d_count.data, opt, ws, 0);
    return error == cudaErrorInvalidValue && strstr(gp_last_error_message(), l->name) &&
           strstr(gp_last_error_message(), word) && tap_buffer_intact(&io->d_out, 0) &&
           tap_buffer_intact(&io->d_count, 0) && cudaPeekAtLastError() == cudaSuccess;
}

static void test_workspaces(const ladder *l)
{
    static ladder_io io;
    size_t bytes = l->workspace_bytes(LADDER_N);
    gp_workspace ws = GP_WORKSPACE_INIT;
    int right = 1, refused = 1;

    ladder_open(&io, l);
    right = ladder_repeats(&io, l, NULL, &ws);
    right &= ws.bytes >= bytes && ladder_repeats(&io, l, NULL, &ws);
    must(gp_workspace_release(&ws, 0));
    ok(right, "%s with a kept workspace, growing and grown", l->name);

    /* Exactly enough for every block size, at every kind of address, full of rubbish. */
    for (int b = 0; b < BLOCKS; b++) {
        gp_classic_options opt = options_of(blocks[b], b % 2, 1);
        tap_buffer memory = tap_buffer_new(bytes, (size_t)b * 37);

        must(gp_workspace_wrap(&ws, memory.data, bytes, 0));
        right &= ladder_repeats(&io, l, &opt, &ws) && tap_buffer_intact(&memory, bytes);
        must(gp_workspace_wrap(&ws, memory.data, bytes - 1, 0));
        refused &= ladder_refuses(&io, l, 0, 0, 0, &opt, &ws, "bytes");
        must(gp_workspace_release(&ws, 0));
        tap_buffer_free(&memory);
    }
    ok(right, "%s with a workspace of exactly %zu bytes", l->name, bytes);
    ok(refused, "%s refuses one byte less", l->name);

    right = l->workspace_bytes(0) == 0;
    for (size_t n = 1; n < 3 * LADDER_N; n++)
        right &= l->workspace_bytes(n) >= l->workspace_bytes(n - 1);
    for (int k = 1; k < 64; k++)
        right &=
            l->workspace_bytes((size_t)1 << k) >= l->workspace_bytes(((size_t)1 << k) - 1) &&
            l->workspace_bytes(((size_t)1 << k) - 1) >= l->workspace_bytes((size_t)1 << (k - 1));
    right &= l->workspace_bytes(SIZE_MAX) >= l->workspace_bytes((size_t)1 << 63);
    ok(right, "%s_workspace_bytes never falls", l->name);
    right = l->run((const int *)io.d_in.data, (int *)io.d_out.data, SIZE_MAX / 2,
                   (size_t *)io.d_count.data, NULL, NULL, 0) == cudaErrorInvalidValue &&
            strstr(gp_last_error_message(), "n is");
    /* Nobody looks at the input, which lies where it overlaps nothing. */
    ok(right &&
           l->run((const int *)((uintptr_t)1 << 60), (int *)io.d_out.data, (size_t)1 << 48,
                  (size_t *)io.d_count.data, NULL, NULL, 0) == cudaErrorMemoryAllocation &&
           strstr(gp_last_error_message(), l->name) &&
           strstr(gp_last_error_message(), "no device memory"),
       "%s of more items than there is memory fails with that", l->name);
    (void)cudaGetLastError();
    ladder_close(&io);
}

static void test_refusals(const ladder *l, int needs_count)
{
    static const int wrong[] = {48, 2048, 16, 1, -32, 1025, 31};
    static ladder_io io;
    gp_classic_options opt = options_of(0, 0, 0);
    int right = 1;

    ladder_open(&io, l);
    ok(ladder_repeats(&io, l, &opt, NULL), "%s with options of zeros", l->name);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        opt.block_threads = wrong[i];
        right &= ladder_refuses(&io, l, 0, 0, 0, &opt, NULL, "block_threads");
        right &= l->run(NULL, NULL, 0, NULL, &opt, NULL, 0) == cudaErrorInvalidValue;
    }
    ok(right, "%s refuses impossible block sizes", l->name);
    right = ladder_refuses(&io, l, 1, 0, 0, NULL, NULL, "in is NULL");
    right &= ladder_refuses(&io, l, 0, 1, 0, NULL, NULL, "out is NULL");
    if (needs_count)
        right &= ladder_refuses(&io, l, 0, 0, 1, NULL, NULL, "d_count is NULL") &&
                 l->run(NULL, NULL, 0, NULL, NULL, NULL, 0) == cudaErrorInvalidValue;
    ok(right, "%s refuses NULL", l->name);

    /* Overlap: one place further on, at the last one, and of what is counted. */
    int *in = (int *)io.d_in.data;
    size_t *count = (size_t *)io.d_count.data;
    right =
        l->run(in, in + 1, LADDER_N, count, NULL, NULL, 0) == cudaErrorInvalidValue &&
        l->run(in, in + LADDER_N - 1, LADDER_N, count, NULL, NULL, 0) == cudaErrorInvalidValue &&
        strstr(gp_last_error_message(), l->name) && strstr(gp_last_error_message(), "out overlap");
    if (needs_count)
        right &= l->run(in, in, LADDER_N, count, NULL, NULL, 0) == cudaErrorInvalidValue &&
                 l->run(in, (int *)io.d_out.data, LADDER_N, (size_t *)(void *)(in + LADDER_N - 2),
                        NULL, NULL, 0) == cudaErrorInvalidValue &&
                 strstr(gp_last_error_message(), "in and d_count overlap");
    tap_buffer_read(io.got, &io.d_in, sizeof io.got);
    right &= memcmp(io.got, io.in, sizeof io.got) == 0 && tap_buffer_intact(&io.d_in, sizeof io.in);
    ok(right, "%s refuses overlap", l->name);

    /* An error that was pending before is somebody else's. */
    cudaMemcpy(NULL, NULL, 1, (enum cudaMemcpyKind)77);
    right = cudaPeekAtLastError() != cudaSuccess && ladder_repeats(&io, l, NULL, NULL);
    right &= cudaGetLastError() != cudaSuccess;
    ok(right, "%s neither reports nor clears a pending error", l->name);
    ladder_close(&io);
}

#ifdef __CUDACC__
/* Captured with a kept workspace and without one; replayed on other data. */
static void test_capture(const ladder *l)
{
    static ladder_io io;
    cudaStream_t stream;
    gp_workspace ws = GP_WORKSPACE_INIT;

    ladder_open(&io, l);
    must(cudaStreamCreate(&stream));
    must(gp_workspace_reserve(&ws, l->workspace_bytes(LADDER_N), stream));
    for (int kept = 0; kept < 2; kept++) {
        cudaGraph_t graph;
        cudaGraphExec_t executable;
        int right = 1;

        must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        right &= l->run((const int *)io.d_in.data, (int *)io.d_out.data, LADDER_N,
                        (size_t *)io.d_count.data, NULL, kept ? &ws : NULL, stream) == cudaSuccess;
        must(cudaStreamEndCapture(stream, &graph));
        must(cudaGraphInstantiate(&executable, graph, 0));
        for (int replay = 0; replay < 3; replay++) {
            for (int i = 0; i < LADDER_N; i++)
                io.in[i] = (int)tap_below(5) << replay * 10;
            must(cudaMemcpy(io.d_in.data, io.in, sizeof io.in, cudaMemcpyHostToDevice));
            must(cudaMemset(io.d_out.data, 0xC3, sizeof io.in));
            must(l->run((const int *)io.d_in.data, (int *)io.d_out.data, LADDER_N,
                        (size_t *)io.d_count.data, NULL, NULL, 0));
            tap_buffer_read(io.expected, &io.d_out, sizeof io.expected);
            must(cudaMemset(io.d_out.data, 0xC3, sizeof io.in));
            must(cudaDeviceSynchronize());
            must(cudaGraphLaunch(executable, stream));
            tap_buffer_read(io.got, &io.d_out, sizeof io.got);
            right &= memcmp(io.got, io.expected, sizeof io.got) == 0;
        }
        ok(right, "%s captured and replayed, %s", l->name, kept ? "workspace kept" : "without one");
        must(cudaGraphExecDestroy(executable));
        must(cudaGraphDestroy(graph));
    }
    must(gp_workspace_release(&ws, stream));
    must(cudaStreamSynchronize(stream));
    must(cudaStreamDestroy(stream));
    ladder_close(&io);
}
#endif

/* ---- compaction ------------------------------------------------------------------------------ */

typedef cudaError_t compact_function(const uint32_t *in, uint32_t *out, size_t n, size_t *d_count,
                                     const gp_classic_options *opt, choice context,
                                     gp_workspace *ws, cudaStream_t stream);

static compact_function *const compacts[RUNGS] = {chosen_naive_compact,
                                                  chosen_work_efficient_compact,
                                                  chosen_shared_compact, chosen_shuffle_compact};

static int compact_is_right(int rung, const gp_classic_options *opt, choice context, size_t n)
{
    uint32_t *in = (uint32_t *)calloc(n + 1, sizeof *in),
             *got = (uint32_t *)calloc(n + 1, sizeof *in);
    uint32_t *expected = (uint32_t *)calloc(n + 1, sizeof *in);
    size_t count = 0, got_count = 99;
    int right;

    for (size_t i = 0; i < n; i++) {
        in[i] = (uint32_t)tap_random();
        if (in[i] % context.modulus < context.below)
            expected[count++] = in[i];
    }
    tap_buffer d_in = tap_buffer_of(in, n * sizeof *in, 4 * (n % 4));
    tap_buffer d_out = tap_buffer_new(n * sizeof *in, 4 * (n / 4 % 4));
    tap_buffer d_count = tap_buffer_new(sizeof count, 8);
    right =
        compacts[rung](n ? (const uint32_t *)d_in.data : NULL, n ? (uint32_t *)d_out.data : NULL, n,
                       (size_t *)d_count.data, opt, context, NULL, 0) == cudaSuccess;
    tap_buffer_read(&got_count, &d_count, sizeof got_count);
    tap_buffer_read(got, &d_out, count * sizeof *in);
    right = right && got_count == count && memcmp(got, expected, count * sizeof *in) == 0 &&
            tap_buffer_intact(&d_out, count * sizeof *in) &&
            tap_buffer_intact(&d_in, n * sizeof *in) && tap_buffer_intact(&d_count, sizeof count);
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_out);
    tap_buffer_free(&d_count);
    free(in);
    free(got);
    free(expected);
    return right;
}

static void test_compact(void)
{
    /* None, all, half, few, most; a modulus of 2^32 - 1 keeps the one value 0, by chance. */
    static const choice choices[] = {{2, 0}, {2, 2}, {2, 1}, {100, 1}, {100, 99}, {0xFFFFFFFF, 1}};
    static const size_t sizes[] = {0, 1, 2, 3, 31, 32, 33, 255, 256, 257, 1009, 2049, 20011};

    for (int rung = 0; rung < RUNGS; rung++) {
        for (size_t c = 0; c < sizeof choices / sizeof choices[0]; c++) {
            size_t i, count = sizeof sizes / sizeof sizes[0] - (tap_small ? 1 : 0);
            int right = 1;

            for (i = 0; i < count && right; i++) {
                gp_classic_options opt = options_of(blocks[(i + c) % BLOCKS], c % 2, c / 2 % 2);

                right = compact_is_right(rung, &opt, choices[c], sizes[i]);
            }
            ok(right, "%s compact, %u of %u kept, up to n = %zu", rung_names[rung],
               (unsigned)choices[c].below, (unsigned)choices[c].modulus, sizes[i - 1]);
        }
    }
}

static void test_compact_records(void)
{
    enum { N = 3000 };
    static record48 in[N], expected[N], got[N];
    size_t count = 0, got_count = 0;

    for (uint32_t i = 0; i < N; i++) {
        in[i].value = (uint32_t)tap_random();
        for (uint32_t k = 0; k < 11; k++)
            in[i].rest[k] = i * 11 + k;
        if (in[i].value & 1)
            expected[count++] = in[i];
    }
    tap_buffer d_in = tap_buffer_of(in, sizeof in, 4), d_out = tap_buffer_new(sizeof in, 4);
    tap_buffer d_count = tap_buffer_new(sizeof count, 0);
    cudaError_t error = record_shared_compact((const record48 *)d_in.data, (record48 *)d_out.data,
                                              N, (size_t *)d_count.data, NULL, NULL, 0);
    tap_buffer_read(&got_count, &d_count, sizeof got_count);
    tap_buffer_read(got, &d_out, count * sizeof *got);
    ok(error == cudaSuccess && got_count == count &&
           memcmp(got, expected, count * sizeof *got) == 0 &&
           tap_buffer_intact(&d_out, count * sizeof *got),
       "shared compact of records of 48 bytes");
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_out);
    tap_buffer_free(&d_count);
}

/* ---- find-max -------------------------------------------------------------------------------- */

/* The largest of n items, for a type and a way of looking at its bits. */
#define FIND_MAX(name, type, lowest, random)                                                    \
    static int name##_max_is_right(size_t n, const gp_classic_options *opt)                     \
    {                                                                                           \
        type *in = (type *)calloc(n + 1, sizeof *in), expected = (lowest), got;                 \
        int right;                                                                              \
        for (size_t i = 0; i < n; i++) {                                                        \
            in[i] = (random);                                                                   \
            expected = in[i] > expected || i == 0 ? in[i] : expected;                           \
        }                                                                                       \
        tap_buffer d_in = tap_buffer_of(in, n * sizeof *in, n % 3 * sizeof *in);                \
        tap_buffer d_out = tap_buffer_new(sizeof got, sizeof got);                              \
        right = name##_find_max(n ? (const type *)d_in.data : NULL, (type *)d_out.data, n, opt, \
                                NULL, 0) == cudaSuccess;                                        \
        tap_buffer_read(&got, &d_out, sizeof got);                                              \
        right = right && got == expected && tap_buffer_intact(&d_out, sizeof got) &&            \
                tap_buffer_intact(&d_in, n * sizeof *in);                                       \
        tap_buffer_free(&d_in);                                                                 \
        tap_buffer_free(&d_out);                                                                \
        free(in);                                                                               \
        return right;                                                                           \
    }
FIND_MAX(i32, int32_t, INT32_MIN, (int32_t)(tap_random() >> 33) - INT32_MAX)
FIND_MAX(u8, uint8_t, 0, (uint8_t)tap_below(1 + i % 200))
FIND_MAX(i64, int64_t, INT64_MIN, -(int64_t)(tap_random() >> 1) - 1)
FIND_MAX(f32, float, -INFINITY, -(float)tap_below(1000000) - 1)
FIND_MAX(f64, double, -INFINITY, -1 / (double)(1 + tap_below(1000000)))

static float max_of_floats(const float *in, size_t n)
{
    tap_buffer d_in = tap_buffer_of(in, n * sizeof *in, 0), d_out = tap_buffer_new(sizeof *in, 0);
    float got;

    must(f32_find_max((const float *)d_in.data, (float *)d_out.data, n, NULL, NULL, 0));
    tap_buffer_read(&got, &d_out, sizeof got);
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_out);
    return got;
}

static void test_find_max(void)
{
    static const size_t sizes[] = {0,  1,    2,    3,    4,    5,    31,   32,
                                   33, 1023, 1024, 1025, 1026, 1027, 20011};
    size_t count = sizeof sizes / sizeof sizes[0];
    float x[37];
    int right = 1;

    for (int b = 0; b < BLOCKS; b++) {
        gp_classic_options opt = options_of(blocks[b], 1, 1);

        right = 1;
        for (size_t i = 0; i < count; i++)
            right &= i32_max_is_right(sizes[i], &opt) && u8_max_is_right(sizes[i], &opt) &&
                     i64_max_is_right(sizes[i], &opt) && f32_max_is_right(sizes[i], &opt) &&
                     f64_max_is_right(sizes[i], &opt);
        ok(right, "find-max of five types, negative ones too, blocks of %d", blocks[b]);
    }

    /* Every place of an odd number of items, for the maximum and for a NaN. */
    right = 1;
    for (int n = 1; n <= 37; n++)
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < n; k++)
                x[k] = -(float)(k + 1);
            x[i] = -0.5f;
            right &= max_of_floats(x, (size_t)n) == -0.5f;
            x[i] = NAN;
            right &= isnan(max_of_floats(x, (size_t)n)) != 0;
        }
    ok(right, "find-max finds the maximum, and a NaN, in every place");

    x[0] = x[1] = x[2] = -INFINITY;
    ok(max_of_floats(x, 3) == -INFINITY, "find-max of infinities below zero");
    x[0] = -0.0f, x[1] = 0.0f, x[2] = -1;
    right = !signbit(max_of_floats(x, 3));
    x[0] = 0.0f, x[1] = -0.0f;
    ok(right && signbit(max_of_floats(x, 3)), "find-max keeps the later of equal values");
}

/* ---- split sort ------------------------------------------------------------------------------ */

typedef enum distribution {
    RANDOM,
    SMALL,
    FEW_DISTINCT,
    ALL_EQUAL,
    ALL_ZERO,
    SORTED,
    REVERSED,
    EIGHTS,
    NEGATIVE,
    EXTREMES,
    DISTRIBUTIONS
} distribution;

static const char *const distribution_names[DISTRIBUTIONS] = {
    "random keys", "small keys",    "few distinct keys", "equal keys",    "zeros",
    "sorted keys", "reversed keys", "zeros and eights",  "negative keys", "extremes"};

static uint64_t distribution_value(distribution d, size_t i, size_t n)
{
    switch (d) {
    case RANDOM: return tap_random();
    case SMALL: return tap_below(100);
    case FEW_DISTINCT: return tap_below(5) * 0x1234567890ABCDEFu;
    case ALL_EQUAL: return 0xFEDCBA9876543210u;
    case SORTED: return i;
    case REVERSED: return n - i;
    case EIGHTS: return tap_below(2) * 8;
    case NEGATIVE: return ~tap_below(50);
    case EXTREMES: return (uint64_t)(INT64_MIN >> tap_below(64)) ^ (0 - tap_below(2));
    default: return 0;
    }
}

/* Lets the key go before another with a higher rank; keys of one rank stay in order. */
static uint64_t key_rank(const keys *k, uint64_t value, int bits)
{
    int width = 8 * (int)k->bytes;

    if (bits > 0 && bits < width)
        return value & (((uint64_t)1 << bits) - 1);
    return k->is_signed ? value ^ (uint64_t)1 << (width - 1) : value;
}

typedef struct ranked {
    uint64_t rank;
    size_t place;
} ranked;

static int ranked_compare(const void *a, const void *b)
{
    const ranked *x = (const ranked *)a, *y = (const ranked *)b;

    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank)
                              : (x->place > y->place) - (x->place < y->place);
}

static int sort_is_right(const keys *k, distribution d, size_t n, int bits,
                         const gp_classic_options *opt, int in_place)
{
    char *in = (char *)calloc(n + 1, k->bytes), *got = (char *)calloc(n + 1, k->bytes);
    char *expected = (char *)calloc(n + 1, k->bytes);
    ranked *order = (ranked *)calloc(n + 1, sizeof *order);
    int right;

    for (size_t i = 0; i < n; i++) {
        k->set(in, i, distribution_value(d, i, n));
        order[i].rank = key_rank(k, k->get(in, i), bits);
        order[i].place = i;
    }
    qsort(order, n, sizeof *order, ranked_compare);
    for (size_t i = 0; i < n; i++)
        memcpy(expected + i * k->bytes, in + order[i].place * k->bytes, k->bytes);

    tap_buffer d_in = tap_buffer_of(in, n * k->bytes, n % 3 * k->bytes);
    tap_buffer d_out = tap_buffer_new(n * k->bytes, n / 3 % 3 * k->bytes);
    tap_buffer *result = in_place ? &d_in : &d_out;

    right = k->sort(n ? d_in.data : NULL, n ? result->data : NULL, n, bits, opt, NULL, 0) ==
            cudaSuccess;
    tap_buffer_read(got, result, n * k->bytes);
    right = right && memcmp(got, expected, n * k->bytes) == 0;
    tap_buffer_read(got, &d_in, n * k->bytes);
    right = right && (in_place || memcmp(got, in, n * k->bytes) == 0) &&
            tap_buffer_intact(&d_in, n * k->bytes) &&
            tap_buffer_intact(&d_out, in_place ? 0 : n * k->bytes);
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_out);
    free(in);
    free(got);
    free(expected);
    free(order);
    return right;
}

static void test_split_sort(const keys *k)
{
    const int width = 8 * (int)k->bytes;
    const int bit_counts[] = {0, -1, 1, 3, width / 2 + 1, width - 1, width, width + 5, 1000};
    static const size_t sizes[] = {0, 1, 2, 3, 31, 32, 33, 257, 1009};
    const size_t counts = sizeof bit_counts / sizeof bit_counts[0];

    for (int d = 0; d < DISTRIBUTIONS; d++) {
        int right = 1, where = d;
        size_t b, s;

        for (b = 0; b < counts && right; b++)
            for (s = 0; s < sizeof sizes / sizeof sizes[0] && right; s++, where++) {
                gp_classic_options opt = options_of(blocks[where % BLOCKS], 1, 1);

                /* Of wide keys, whose passes are many, a part of all combinations. */
                if ((b + s + (size_t)d) % (tap_small ? 4 * k->bytes : k->bytes) != 0)
                    continue;
                right = sort_is_right(k, (distribution)d, sizes[s], bit_counts[b], &opt, where % 2);
            }
        ok(right, "split sort of %s: %s%s", k->name, distribution_names[d],
           k->is_signed ? ", signed" : "");
    }
}

static void test_large_split_sort(void)
{
    size_t n = tap_small ? 5003 : 100003;
    gp_classic_options opt = options_of(64, 1, 1);

    ok(sort_is_right(&i32_keys, RANDOM, n, 0, NULL, 0), "split sort of %zu i32", n);
    ok(sort_is_right(&u32_keys, SMALL, n, 7, &opt, 1), "split sort of %zu u32 by 7 bits in place",
       n);
    test_grid_x = 7;
    ok(sort_is_right(&i16_keys, RANDOM, 5003, 0, &opt, 0),
       "split sort on a grid of two dimensions");
    ok(compact_is_right(SHUFFLE, &opt, (choice){2, 1}, 5003),
       "compact on a grid of two dimensions");
    ok(i32_max_is_right(5003, &opt), "find-max on a grid of two dimensions");
    test_grid_x = 0x7FFFFFFF;
}

/* ---- banks ----------------------------------------------------------------------------------- */

/*
 * How many lanes of a warp meet in one bank, at worst, when the sweep of a tile touches the items of the
 * level with this stride: by the functions that the kernel itself uses. Items of 8 and 16 bytes go through
 * the banks half and a quarter of a warp at a time.
 */
static unsigned bank_conflicts(unsigned places, unsigned stride, unsigned pad, unsigned item_bytes)
{
    unsigned lanes = 128 / item_bytes < 32 ? 128 / item_bytes : 32, nodes = places / (2 * stride);
    unsigned worst = 0;

    for (unsigned group = 0; group < nodes; group += lanes)
        for (unsigned right = 0; right < 2; right++) {
            unsigned meet[32] = {0};

            for (unsigned node = group; node < group + lanes && node < nodes; node++) {
                unsigned item = gpi_tree_left(node, stride) + right * stride;
                unsigned bank = gpi_bank_place(item, pad) % lanes;

                meet[bank]++;
                worst = meet[bank] > worst ? meet[bank] : worst;
            }
        }
    return worst;
}

static void test_banks(void)
{
    static const unsigned expected[10] = {2, 4, 8, 16, 32, 16, 8, 4, 2, 1};
    unsigned stride = 1;
    int unpadded = 1, padded = 1, sound = 1;

    for (int level = 0; level < 10; level++, stride *= 2) {
        unpadded &= bank_conflicts(1024, stride, 0, 4) == expected[level];
        padded &= bank_conflicts(1024, stride, gpi_bank_pad(4), 4) == 1;
    }
    ok(unpadded, "1024 items without padding: conflicts 2 4 8 16 32 16 8 4 2 1");
    ok(padded, "1024 items with padding: no conflict at any level");

    padded = 1;
    for (unsigned places = 64; places <= 2048; places *= 2)
        for (stride = 1; stride < places; stride *= 2)
            padded &= bank_conflicts(places, stride, gpi_bank_pad(4), 4) == 1 &&
                      bank_conflicts(places, stride, gpi_bank_pad(8), 8) <= 1 + (places > 512);
    ok(padded, "no conflict of 4-byte items for any block size");
    for (unsigned pad = 3; pad <= 5; pad++)
        for (unsigned i = 0; i < 2047; i++)
            sound &= gpi_bank_place(i + 1, pad) > gpi_bank_place(i, pad);
    for (unsigned i = 0; i < 1024; i++)
        sound &= gpi_bank_place(i, gpi_bank_pad(4)) == i + (i >> 5) && gpi_bank_place(i, 0) == i;
    ok(sound, "every item has a place of its own; item n lies at n + (n >> 5)");
}

/* ---------------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    static const element *const scalars[] = {&i32_element, &u8_element,  &i64_max_element,
                                             &f32_element, &f64_element, &composed_element};
    static const element *const structs[] = {&multiplied_element, &composed24_element,
                                             &composed48_element, &composed128_element};
    static const int few_blocks[] = {32, 256, 1024};
    static const keys *const all_keys[] = {&i8_keys,  &u8_keys,  &i16_keys, &u16_keys,
                                           &i32_keys, &u32_keys, &i64_keys, &u64_keys};

    tap_begin(argc, argv);
    test_banks();
    test_grids();
    test_scans(&i32_element, blocks, BLOCKS);
    for (size_t i = 1; i < sizeof scalars / sizeof scalars[0]; i++)
        test_scans(scalars[i], few_blocks, 3);
    for (size_t i = 0; i < sizeof structs / sizeof structs[0]; i++)
        test_scans(structs[i], tap_small ? few_blocks : blocks, tap_small ? 3 : BLOCKS);
    test_large_scans(&i32_element);
    test_large_scans(&composed_element);
    test_spine();
    test_neighbours();
    test_huge_items();
    test_context();
    for (int i = 0; i < LADDERS; i++) {
        test_workspaces(&ladders[i]);
        test_refusals(&ladders[i], i >= FIRST_COMPACT && i < FIRST_OTHER);
#ifdef __CUDACC__
        test_capture(&ladders[i]);
#endif
    }
    test_compact();
    test_compact_records();
    test_find_max();
    for (size_t i = 0; i < sizeof all_keys / sizeof all_keys[0]; i++)
        test_split_sort(all_keys[i]);
    test_large_split_sort();
    return tap_end();
}
