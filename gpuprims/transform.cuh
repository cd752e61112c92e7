/*
 * transform.cuh: maps every item of an array, at the speed of a copy.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_TYPE        T, any trivially copyable type of any size (int)
 *              GP_INPUT_TYPE  I, what is read from memory (T)
 *              GP_LOAD(x)     the map from I to T (conversion); with GP_CONTEXT: GP_LOAD(x, context)
 *              GP_LOAD_AT(in, i)  in place of GP_LOAD: result number i, a size_t; with GP_CONTEXT:
 *                             GP_LOAD_AT(in, i, context); `in` is handed through, I may be void
 *              GP_STORE_AT(out, i, x)  a statement for result number i; with GP_CONTEXT:
 *                             GP_STORE_AT(out, i, x, context); `out` is handed through
 *              GP_CONTEXT     type of a by-value argument before `ws`
 *              GP_INDEX       INDEX, an integer type of 4 or 8 bytes that holds n (size_t)
 *              GP_DEVICE_N    if defined, n is read from device memory
 *              GP_API         linkage of the host functions (static inline)
 *              GP_KERNEL, GP_GRID  for tests; there is one kernel, and n alone says with how many blocks
 *
 * Generates    cudaError_t NAME_transform(const I *in, T *out, size_t n, [context,] ws, stream)
 *              with GP_DEVICE_N:
 *              cudaError_t NAME_transform(in, out, const INDEX *d_n, size_t max_n, [context,] ws, stream)
 *              size_t      NAME_transform_workspace_bytes(size_t n): 0
 *
 *     in                                         1 5 0 2
 *     GP_LOAD(x)            ((x) * (x))          1 25 0 4
 *     GP_LOAD_AT(in, i)     ((int)(i))           0 1 2 3       `in` may be NULL
 *     GP_LOAD_AT(in, i)     ((in)[i] - ((i) ? (in)[(i) - 1] : 0))
 *                                                1 4 -5 2
 *
 *     #define GP_NAME    square
 *     #define GP_TYPE    float
 *     #define GP_LOAD(x) ((x) * (x))
 *     #include <gpuprims/transform.cuh>
 *     square_transform(d_in, d_out, n, NULL, stream);
 *
 * Guarantees   Asynchronous on `stream`. in == out is allowed when I and T have the same size; no other
 *              overlap. With GP_LOAD_AT or GP_STORE_AT no overlap is checked, and what is read must not be
 *              written. A count in device memory beyond max_n counts as max_n, a negative one as 0.
 * Evaluations  GP_LOAD and GP_LOAD_AT are evaluated for each item, in any order, on items of the input alone: once, but
 *              item by item (below) up to 7 times more on 256 of the last ones. GP_STORE_AT once for each.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched; else
 *              what a launch returned. n == 0 succeeds and writes nothing.
 *
 * How it works: one launch, that reads and writes each item once. A thread has several reads under way
 * before it writes anything.
 *
 *     pointers, items of 1, 2, 4, 8 or 16 bytes   whole vectors of 16 bytes on the wider side; they lie as
 *                                                 those of `out` do. If `in` is misaligned to them, its own
 *                                                 are read and shifted in registers. Items before the first
 *                                                 and behind the last vector go one by one
 *     other sizes, GP_LOAD_AT, GP_STORE_AT        item by item, neighbours by neighbouring threads
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG transform
#define GPI_HEADER "gpuprims/transform.cuh"
#define GPI_TAKES \
    (GPI_TAKES_TYPE | GPI_TAKES_INPUT_TYPE | GPI_TAKES_LOAD | GPI_TAKES_LOAD_AT | GPI_TAKES_STORE_AT | \
     GPI_TAKES_CONTEXT | GPI_TAKES_INDEX | GPI_TAKES_DEVICE_N | GPI_TAKES_API | GPI_TAKES_KERNEL | \
     GPI_TAKES_GRID)
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
GPI_STATIC_ASSERT(sizeof(GP_INDEX) == 4 || sizeof(GP_INDEX) == 8, "GP_INDEX must have 4 or 8 bytes");

#include "core/tile/copy.cuh"

#define GPI_TRANSFORM_THREADS 256
#define GPI_TRANSFORM_VECTORS 4   /* that a thread reads before it uses any */
#ifndef GPI_TRANSFORM_BLOCKS /* so many there must be before a thread takes more than one vector, or one item */
#define GPI_TRANSFORM_BLOCKS 256
#endif

/* The sizes of what is read and written, where that is known: by pointers. */
#if defined GP_LOAD_AT || defined GP_STORE_AT
#define GPI_TRANSFORM_BY_POINTERS 0
#else
#define GPI_TRANSFORM_BY_POINTERS 1
#endif
#ifdef GP_LOAD_AT
#define GPI_TRANSFORM_IN_BYTES 1
#else
#define GPI_TRANSFORM_IN_BYTES sizeof(GP_INPUT_TYPE)
#endif
#ifdef GP_STORE_AT
#define GPI_TRANSFORM_OUT_BYTES 1
#else
#define GPI_TRANSFORM_OUT_BYTES sizeof(GP_TYPE)
#endif

#define GPI_TRANSFORM_FITS(bytes) ((bytes) <= 16 && ((bytes) & ((bytes) - 1)) == 0)

enum {
    GPI(wider) = GPI_TRANSFORM_IN_BYTES > sizeof(GP_TYPE) ? GPI_TRANSFORM_IN_BYTES : sizeof(GP_TYPE),
    GPI(has_units) = GPI_TRANSFORM_BY_POINTERS && GPI_TRANSFORM_FITS(GPI_TRANSFORM_IN_BYTES) &&
                     GPI_TRANSFORM_FITS(GPI_TRANSFORM_OUT_BYTES),

    /* A unit: as many items as the wider side has in a vector. */
    GPI(unit_items) = GPI(has_units) ? 16 / GPI(wider) : 1,
    GPI(unit_in) = GPI(unit_items) * GPI_TRANSFORM_IN_BYTES,
    GPI(unit_out) = GPI(unit_items) * GPI_TRANSFORM_OUT_BYTES,

    /* Item by item, a thread has so many at a time. */
    GPI(items) = GPI(wider) <= 4 ? 8 : GPI(wider) <= 8 ? 4 : GPI(wider) <= 16 ? 2 : 1
};

/* Whether items go by units. Those of a small alignment may lie across the lines of vectors. */
#define GPI_TRANSFORM_BY_UNITS(out)                                  \
    (GPI(has_units) && (__alignof__(GP_TYPE) >= sizeof(GP_TYPE) ||   \
                        (uintptr_t)(out) % sizeof(GP_TYPE) == 0))

/* ---- device functions ------------------------------------------------------------------------ */

#if GPI_DEVICE_CODE
/* The user's macros are called in these three, and nowhere else. */
#ifdef GP_LOAD_AT
GPI_DEVICE GP_TYPE GPI(load_at)(const GP_INPUT_TYPE *in, size_t i, GPI_CONTEXT context)
{
    (void)in;
    (void)i;
    (void)context;
#ifdef GP_CONTEXT
    return GP_LOAD_AT(in, i, context);
#else
    return GP_LOAD_AT(in, i);
#endif
}
#else
GPI_DEVICE GP_TYPE GPI(load)(const GP_INPUT_TYPE *from, GPI_CONTEXT context)
{
    const GP_INPUT_TYPE x = *from; /* read once, however often the macro mentions it */

    (void)context;
    (void)x;
#ifndef GP_LOAD
    return __extension__(GP_TYPE)x; /* an extension if it is a struct, and no conversion */
#elif defined GP_CONTEXT
    return GP_LOAD(x, context);
#else
    return GP_LOAD(x);
#endif
}

GPI_DEVICE GP_TYPE GPI(load_at)(const GP_INPUT_TYPE *in, size_t i, GPI_CONTEXT context)
{
    return GPI(load)(in + i, context);
}
#endif

GPI_DEVICE void GPI(store_at)(GP_TYPE *out, size_t i, GP_TYPE x, GPI_CONTEXT context)
{
    (void)out;
    (void)i;
    (void)x;
    (void)context;
#ifndef GP_STORE_AT
    gpi_move(out + i, &x);
#elif defined GP_CONTEXT
    GP_STORE_AT(out, i, x, context);
#else
    GP_STORE_AT(out, i, x);
#endif
}

/*
 * A block's share, item by item: one of every thread, or all that it has at a time. Where the last block has fewer, a
 * thread takes its first one again, so that no read has to wait for another.
 */
GPI_DEVICE void GPI(do_items)(const GP_INPUT_TYPE *in, GP_TYPE *out, size_t n, unsigned each, GPI_CONTEXT context)
{
    const size_t base = (size_t)blockIdx.x * each * GPI_TRANSFORM_THREADS;
    const unsigned left = n < base ? 0 : gpi_min_size(n - base, each * GPI_TRANSFORM_THREADS);
    GP_TYPE x[GPI(items)];

    if (threadIdx.x >= left)
        return;
    if (each == 1) {
        GPI(store_at)(out, base + threadIdx.x, GPI(load_at)(in, base + threadIdx.x, context), context);
        return;
    }
    GPI_UNROLL
    for (unsigned u = 0, i = threadIdx.x; u < GPI(items); u++, i += GPI_TRANSFORM_THREADS)
        x[u] = GPI(load_at)(in, base + (i < left ? i : threadIdx.x), context);
    GPI_UNROLL
    for (unsigned u = 0, i = threadIdx.x; u < GPI(items); u++, i += GPI_TRANSFORM_THREADS)
        if (i < left)
            GPI(store_at)(out, base + i, x[u], context);
}

#if GPI_TRANSFORM_BY_POINTERS
/* Units in registers. What is read has room for the shift. */
typedef union {
    GP_INPUT_TYPE items[GPI(unit_items)];
    uint32_t words[8];
    uint4 vectors[2];
    uint64_t pair;
    uint16_t half;
    uint8_t byte;
} GPI(unit_read);

typedef union {
    GP_TYPE items[GPI(unit_items)];
    uint32_t words[4];
    uint64_t pair;
    uint16_t half;
    uint8_t byte;
} GPI(unit_written);

/* One access. */
GPI_DEVICE void GPI(unit_get)(GPI(unit_read) *x, const char *from)
{
    if (GPI(unit_in) == 16)
        gpi_get(x->vectors[0], from);
    else if (GPI(unit_in) == 8)
        gpi_get(x->pair, from);
    else if (GPI(unit_in) == 4)
        gpi_get(x->words[0], from);
    else if (GPI(unit_in) == 2)
        gpi_get(x->half, from);
    else
        gpi_get(x->byte, from);
}

/* Likewise. */
GPI_DEVICE void GPI(unit_put)(char *to, GPI(unit_written) *y)
{
    if (GPI(unit_out) == 16)
        gpi_store_4_words(to, y->words);
    else if (GPI(unit_out) == 8)
        gpi_put(to, y->pair);
    else if (GPI(unit_out) == 4)
        gpi_put(to, y->words[0]);
    else if (GPI(unit_out) == 2)
        gpi_put(to, y->half);
    else
        gpi_put(to, y->byte);
}

/*
 * Reads a thread's units, of which the first lies at `from`: those before number `left` of the block. `bytes` is how
 * far `from` is behind a multiple of the size of a unit.
 */
GPI_DEVICE void GPI(read_units)(GPI(unit_read) *x, const char *from, unsigned bytes, unsigned left)
{
    const unsigned step = GPI_TRANSFORM_THREADS * GPI(unit_in);

    if (__alignof__(GP_INPUT_TYPE) >= GPI(unit_in) || bytes == 0) {
        GPI_UNROLL
        for (unsigned u = 0; u < GPI_TRANSFORM_VECTORS; u++)
            if (u * GPI_TRANSFORM_THREADS + threadIdx.x < left)
                GPI(unit_get)(&x[u], from + u * step);
    } else if (GPI(unit_in) == 16) {
        GPI_UNROLL
        for (unsigned u = 0; u < GPI_TRANSFORM_VECTORS; u++)
            if (u * GPI_TRANSFORM_THREADS + threadIdx.x < left) {
                gpi_get(x[u].vectors[0], from - bytes + u * step);
                gpi_get(x[u].vectors[1], from - bytes + u * step + 16);
            }
        GPI_UNROLL
        for (unsigned u = 0; u < GPI_TRANSFORM_VECTORS; u++)
            gpi_shift_down(x[u].words, 4, bytes);
    } else {
        GPI_UNROLL
        for (unsigned u = 0; u < GPI_TRANSFORM_VECTORS; u++)
            if (u * GPI_TRANSFORM_THREADS + threadIdx.x < left) {
                GPI_UNROLL
                for (unsigned k = 0; k < GPI(unit_items); k++)
                    x[u].items[k] = ((const GP_INPUT_TYPE *)(from + u * step))[k];
            }
    }
}

/*
 * A block's share, by units: `each` of every thread. They begin where those of `out` are aligned. Where `in` is
 * shifted, the first unit and the last one go item by item: the vectors that are read for others lie in the array.
 */
GPI_DEVICE void GPI(do_units)(const GP_INPUT_TYPE *in, GP_TYPE *out, size_t n, unsigned each, GPI_CONTEXT context)
{
    const size_t base = (size_t)blockIdx.x * each * GPI_TRANSFORM_THREADS;
    size_t head = (0 - (uintptr_t)out) % GPI(unit_out) / sizeof(GP_TYPE);
    const unsigned bytes = (unsigned)((uintptr_t)(in + head) % GPI(unit_in));
    const int shifts = GPI(unit_in) == 16 && __alignof__(GP_INPUT_TYPE) < 16 && bytes != 0;
    GPI(unit_read) x[GPI_TRANSFORM_VECTORS];

    if (shifts)
        head += GPI(unit_items);
    size_t units = n < head ? 0 : (n - head) / GPI(unit_items);
    if (shifts && units)
        units--;

    /* The ends, by the last threads: the warps before them need not wait. */
    const unsigned end = GPI_TRANSFORM_THREADS - 1 - threadIdx.x;
    if (blockIdx.x == 0 && end < n - units * GPI(unit_items)) {
        const size_t i = end < head ? end : end + units * GPI(unit_items);

        GPI(store_at)(out, i, GPI(load)(in + i, context), context);
    }
    if (base >= units)
        return;
    const unsigned left = gpi_min_size(units - base, each * GPI_TRANSFORM_THREADS);
    const size_t first = base + threadIdx.x;
    char *to = (char *)(out + head) + first * GPI(unit_out);

    GPI_UNDEFINED(x);
    GPI(read_units)(x, (const char *)(in + head) + first * GPI(unit_in), bytes, left);
    GPI_UNROLL
    for (unsigned u = 0; u < GPI_TRANSFORM_VECTORS; u++) {
        GPI(unit_written) y;

        if (u * GPI_TRANSFORM_THREADS + threadIdx.x < left) {
            GPI_UNROLL
            for (unsigned k = 0; k < GPI(unit_items); k++)
                y.items[k] = GPI(load)(&x[u].items[k], context);
            GPI(unit_put)(to + u * (GPI_TRANSFORM_THREADS * GPI(unit_out)), &y);
        }
    }
}
#endif
#endif

/* ---- kernel ---------------------------------------------------------------------------------- */

/* `count`, if not NULL, is what n would be, and n the most that it counts for. */
static __global__ void __launch_bounds__(GPI_TRANSFORM_THREADS)
    GPI(kernel)(const GP_INPUT_TYPE *in, GP_TYPE *out, const GP_INDEX *count, size_t n, unsigned each,
                GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    gpi_grid_wait();
    gpi_grid_launch_next();
#ifdef GP_DEVICE_N
    const GP_INDEX there = *count;

    if (there < 1)
        return;
    if ((size_t)there < n)
        n = (size_t)there;
#else
    (void)count;
#endif
#if GPI_TRANSFORM_BY_POINTERS
    if (GPI_TRANSFORM_BY_UNITS(out)) {
        GPI(do_units)(in, out, n, each, context);
        return;
    }
#endif
    GPI(do_items)(in, out, n, each, context);
#endif
}

/* ---- host functions -------------------------------------------------------------------------- */

/* n is the number of items, or the most that there can be: `n_name` says which. */
static inline cudaError_t GPI(check)(const GP_INPUT_TYPE *in, const GP_TYPE *out, const GP_INDEX *count,
                                     size_t n, const char *n_name)
{
    const char *function = GPI_TEXT(transform);
    const size_t wider = gpi_larger_size(GPI_TRANSFORM_IN_BYTES, GPI_TRANSFORM_OUT_BYTES);
    const int index_bits = 8 * (int)sizeof(GP_INDEX) - ((GP_INDEX)-1 < (GP_INDEX)1);
    const size_t blocks_hold = GPI_MAX_TILES * GPI_TRANSFORM_THREADS;
    const size_t index_holds = SIZE_MAX >> (64 - index_bits);
    const int in_place = sizeof(GP_TYPE) == GPI_TRANSFORM_IN_BYTES;
    const gpi_argument used[] = {
        {"in", in, n * GPI_TRANSFORM_IN_BYTES, GPI_READ, in_place},
        {"out", out, n * GPI_TRANSFORM_OUT_BYTES, GPI_WRITTEN, in_place},
        {"d_n", count, sizeof *count, GPI_READ, 0},
    };

#ifndef GP_LOAD_AT
    if (!in)
        return gpi_error_null_of(function, "in", n_name, n);
#endif
#ifndef GP_STORE_AT
    if (!out)
        return gpi_error_null_of(function, "out", n_name, n);
#endif
#ifdef GP_DEVICE_N
    if (!count)
        return gpi_error_null_of(function, "d_n", n_name, n);
#endif
    cudaError_t error = gpi_check_count(function, n_name, n,
                                        index_holds < blocks_hold ? index_holds : blocks_hold, wider);
    if (error == cudaSuccess && GPI_TRANSFORM_BY_POINTERS)
        error = gpi_check_overlap(function, used, 3);
    return error;
}

static inline cudaError_t GPI(host)(const GP_INPUT_TYPE *in, GP_TYPE *out, const GP_INDEX *count, size_t n,
                                    const char *n_name, GPI_CONTEXT context, cudaStream_t stream)
{
    static signed char known[GPI_DEVICES];
    const int by_units = GPI_TRANSFORM_BY_UNITS(out);
    const size_t units = by_units ? n / GPI(unit_items) : n; /* the ends need no block of their own */
    const size_t most = by_units ? GPI_TRANSFORM_VECTORS : GPI(items);
    const size_t each = units / most < (size_t)GPI_TRANSFORM_THREADS * GPI_TRANSFORM_BLOCKS ? 1 : most;
    const size_t blocks = units ? gpi_divide_up(units, each * GPI_TRANSFORM_THREADS) : 1;
    cudaError_t error;

    if (n == 0)
        return cudaSuccess;
    error = GPI(check)(in, out, count, n, n_name);
    if (error != cudaSuccess)
        return error;
    const int ready = gpi_kernel_ready((const void *)GPI(kernel), 0, known);

    GPI_RANGE_BEGIN(GPI_TEXT(transform));
    error = GPI_LAUNCH_DEPENDENT((ready & GPI_KERNEL_SM90) != 0, GPI(kernel), (unsigned)blocks,
                                 GPI_TRANSFORM_THREADS, 0, stream, in, out, count, n, (unsigned)each,
                                 context);
    GPI_RANGE_END();
    return error;
}

GP_API size_t GPI_PUBLIC(transform_workspace_bytes)(size_t n)
{
    (void)n;
    return 0;
}

/* out[i] = GP_LOAD(in[i]), for i < n */
#ifdef GP_DEVICE_N
GP_API cudaError_t GPI_PUBLIC(transform)(const GP_INPUT_TYPE *in, GP_TYPE *out, const GP_INDEX *d_n,
                                         size_t max_n, GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                         cudaStream_t stream)
{
    (void)ws;
    return GPI(host)(in, out, d_n, max_n, "max_n", GPI_CONTEXT_VALUE, stream);
}
#else
GP_API cudaError_t GPI_PUBLIC(transform)(const GP_INPUT_TYPE *in, GP_TYPE *out, size_t n,
                                         GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    (void)ws;
    return GPI(host)(in, out, NULL, n, "n", GPI_CONTEXT_VALUE, stream);
}
#endif

#undef GPI_TRANSFORM_BY_POINTERS
#undef GPI_TRANSFORM_IN_BYTES
#undef GPI_TRANSFORM_OUT_BYTES

#endif
#include "core/instance/end.cuh"
