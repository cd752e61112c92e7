/*
 * transform.cuh: maps every item of an array, or an expression of its number, at the speed of a copy.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_TYPE        T, any trivially copyable type of any size (int)
 *              GP_INPUT_TYPE  I, what is read from memory (T); with GP_LOAD_AT any type, void too
 *              GP_LOAD(x)     the map from I to T (conversion); with GP_CONTEXT: GP_LOAD(x, context)
 *              GP_LOAD_AT(in, i)  in its place: an expression for result number i, a size_t; with GP_CONTEXT:
 *                             GP_LOAD_AT(in, i, context)
 *              GP_STORE_AT(out, i, x)  a statement that stores result number i (out[i] = x); with GP_CONTEXT:
 *                             GP_STORE_AT(out, i, x, context)
 *              GP_CONTEXT     type of a by-value argument before `ws`
 *              GP_INDEX       INDEX, an integer type of 4 or 8 bytes that n has to fit, and the type of *d_n (size_t)
 *              GP_DEVICE_N    defined: n is read on the device
 *              GP_API         linkage of the host functions (static inline)
 *              GP_KERNEL, GP_GRID  for tests; there is one kernel, and a launch has GP_GRID blocks at most
 *
 * Generates    cudaError_t NAME_transform(const I *in, T *out, size_t n, [context,] ws, stream)
 *              with GP_DEVICE_N:
 *              cudaError_t NAME_transform(in, out, const INDEX *d_n, size_t max_n, [context,] ws, stream)
 *              size_t      NAME_transform_workspace_bytes(size_t n): 0
 *
 *     in                                         1 5 0 2
 *     GP_LOAD(x)            ((x) * (x))          1 25 0 4
 *     GP_LOAD_AT(in, i)     ((in)[i] - ((i) ? (in)[(i) - 1] : 0))
 *                                                1 4 -5 2
 *     GP_LOAD_AT(in, i)     ((int)(i))           0 1 2 3       `in` may be NULL
 *
 *     #define GP_NAME       widen
 *     #define GP_TYPE       float
 *     #define GP_INPUT_TYPE uint8_t
 *     #define GP_LOAD(x)    ((float)(x) / 255)
 *     #include <gpuprims/transform.cuh>
 *     widen_transform(d_bytes, d_floats, n, NULL, stream);
 *
 * Guarantees   Asynchronous on `stream`. in == out is allowed when I and T have the same size; no other overlap.
 *              With GP_LOAD_AT or GP_STORE_AT, pointers are handed through, no overlap is checked, and what is read
 *              must not be written. A count in *d_n beyond max_n counts as max_n, a negative one as 0; the time
 *              follows the count.
 * Evaluations  In any order, on items of the input alone: GP_LOAD and GP_LOAD_AT once for each item; GP_STORE_AT is
 *              executed once for each.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched; else what the launch
 *              returned. n == 0 succeeds and writes nothing.
 *
 * How it works: one launch. Neighbouring threads move neighbouring units, and a thread reads all of its own before it
 * writes any. docs/transform.md says why.
 *
 *     pointers, items of 1, 2, 4, 8 or 16 bytes   a unit is a vector of 16 bytes on the wider side; units lie as
 *                                                 vectors of `out` do, and where `in` is misaligned to them, its own
 *                                                 vectors are read and shifted in registers (core/transform/units.cuh)
 *     other sizes up to 128 bytes                 as vectors, too, through shared memory (core/transform/slots.cuh)
 *     GP_LOAD_AT, GP_STORE_AT, larger items       item by item; results of GP_LOAD_AT are stored 8 bytes at a time
 *
 * Cost         n reads and n writes of memory; no workspace.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG transform
#define GPI_HEADER "gpuprims/transform.cuh"
#define GPI_TAKES \
    (GPI_TAKES_TYPE | GPI_TAKES_INPUT_TYPE | GPI_TAKES_LOAD | GPI_TAKES_LOAD_AT | GPI_TAKES_STORE_AT | \
     GPI_TAKES_CONTEXT | GPI_TAKES_INDEX | GPI_TAKES_DEVICE_N | GPI_TAKES_API | GPI_TAKES_KERNEL | GPI_TAKES_GRID)
#endif
#include "core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/transform.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_CONTEXT_USER
#error "gpuprims/transform.cuh: GP_LOAD is missing; nothing else would receive the GP_CONTEXT"
#endif
#if defined GP_LOAD && defined GP_LOAD_AT
#error "gpuprims/transform.cuh: GP_LOAD must be left out; GP_LOAD_AT takes its place"
#endif

#if !defined GPI_DEFAULT || !defined GPI_TRANSFORM_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_TRANSFORM_DEFAULT
#endif
GPI_ONCE_PER_NAME(transform);
GPI_CHECK_INDEX();

#include "core/tile/copy.cuh"
#include "core/transform/tuning.cuh"
#include "core/transform/units.cuh"
#include "core/transform/slots.cuh"

/* ---- kernel ---------------------------------------------------------------------------------- */

static __global__ void __launch_bounds__(GPI(large_threads)) GPI(kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    gpi_grid_wait();
    gpi_grid_launch_next();
    const size_t n = GPI(count)(&job);
#if !defined GP_LOAD_AT && !defined GP_STORE_AT
    if (GPI(by_slots) && job.by_chunks) {
        GPI(move_chunks)(&job, n, context);
        return;
    }
#endif
    GPI(move_units)(&job, n, context);
#endif
}

/* ---- host functions -------------------------------------------------------------------------- */

/* Launches a thread for each unit, a block for each tile, or a warp for each chunk, as n says. */
static inline cudaError_t GPI(launch)(GPI(job) *job, GPI_CONTEXT context, cudaStream_t stream)
{
    static signed char known[GPI_DEVICES];
    const int ready = gpi_kernel_ready((const void *)GPI(kernel), GPI(shared_bytes), known);
    const size_t units = job->n / GPI(unit_n) + job->n % GPI(unit_n);
    const size_t most = GP_GRID < GPI_MAX_TILES ? GP_GRID : GPI_MAX_TILES;
#ifdef GP_LOAD_AT
    const int is_large = !job->in || (GPI(unit_n) == 8 && units >= GPI_TUNE_TRANSFORM_LARGE / 2);
#else
    const int is_large = units >= GPI_TUNE_TRANSFORM_LARGE;
#endif
    const unsigned threads = is_large ? GPI(large_threads) : GPI(threads);
    size_t blocks;

    job->by_chunks = GPI(by_slots) && units * GPI(wider) > GPI_TUNE_TRANSFORM_DIRECT;
    job->rows = units <= GPI_TUNE_TRANSFORM_SINGLE ? 1 : is_large ? GPI(large_rows) : GPI(rows);
    job->tile_bits = (unsigned)__builtin_ctz(threads * job->rows); /* both are powers of two */
    blocks = gpi_divide_up(units, job->by_chunks ? GPI(warps) * GPI(chunk_n) : threads * job->rows);
    if (job->d_n) { /* blocks that have no items cost time, too */
        blocks = gpi_resident_blocks(2048 / threads, blocks, most);
    } else if (!job->by_chunks) {
        const GPI(plan) plan = GPI(plan_of)(job, job->n);
        const size_t tiles = plan.units >> job->tile_bits, rest = plan.units - (tiles << job->tile_bits) + plan.ends;

        if (plan.head == 0 && plan.misaligned == 0 && tiles + gpi_divide_up(rest, threads) <= most) {
            job->whole = (unsigned)tiles;
            blocks = tiles + gpi_divide_up(rest, threads);
        }
    }
    return GPI_LAUNCH_DEPENDENT((ready & GPI_KERNEL_SM90) != 0, GPI(kernel), (unsigned)(blocks < most ? blocks : most),
                                threads, GPI(shared_bytes), stream, *job, context);
}

GP_API size_t GPI_PUBLIC(transform_workspace_bytes)(size_t n)
{
    (void)n;
    return 0;
}

/* Result number i from item number i, for all i < n. */
GP_API cudaError_t GPI_PUBLIC(transform)(const GP_INPUT_TYPE *in, GP_TYPE *out,
#ifdef GP_DEVICE_N
                                         const GP_INDEX *d_n, size_t max_n,
#else
                                         size_t n,
#endif
                                         GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    const char *function = GPI_TEXT(transform);
#ifdef GP_DEVICE_N
    const char *n_called = "max_n";
    const size_t n = max_n, certain = n != 0; /* of the arrays only where they start */
#else
    const char *n_called = "n";
    const GP_INDEX *d_n = NULL;
    const size_t certain = n;
#endif
    GPI(job) job = {in, out, d_n, n, 1, 0, 0, 0};
    cudaError_t error = gpi_check_count(function, n_called, n, GPI_MOST_OF(GP_INDEX), (size_t)GPI(wider));

    (void)ws;
    (void)certain;
    if (error != cudaSuccess || n == 0)
        return error;
#ifdef GP_DEVICE_N
    if (!d_n)
        return gpi_error_null_of(function, "d_n", n_called, n);
#endif
#ifndef GP_LOAD_AT
    if (!in)
        return gpi_error_null_of(function, "in", n_called, n);
#endif
#ifndef GP_STORE_AT
    if (!out)
        return gpi_error_null_of(function, "out", n_called, n);
#endif
#if !defined GP_LOAD_AT && !defined GP_STORE_AT
    const int in_place = (int)GPI(in_bytes) == (int)GPI(out_bytes);
    const gpi_argument used[] = {{"in", in, certain * sizeof *in, GPI_READ, in_place},
                                 {"out", out, certain * sizeof *out, GPI_WRITTEN, in_place},
                                 {"d_n", d_n, sizeof *d_n, GPI_READ, 0}};

    error = gpi_check_overlap(function, used, 3);
    if (error != cudaSuccess)
        return error;
#endif
    GPI_RANGE_BEGIN(function);
    error = GPI(launch)(&job, GPI_CONTEXT_VALUE, stream);
    GPI_RANGE_END();
    return error;
}

#endif
#include "core/instance/end.cuh"
