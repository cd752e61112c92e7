/*
 * scatter.cuh: moves items to and from places that a map says, and turns a predicate into flags.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_TYPE        T, any trivially copyable type of any size (int)
 *              GP_INDEX       INDEX, any integer type, what the map holds (size_t)
 *              GP_PRED(x)     true for an item to flag (x != 0); with GP_CONTEXT: GP_PRED(x, context)
 *              GP_CONTEXT     type of a by-value argument before `ws`
 *              GP_API         linkage of the host functions (static inline)
 *              GP_KERNEL, GP_GRID  for tests; n alone says which kernels run, and with how many blocks
 *
 * Generates    cudaError_t NAME_gather(const T *in, const INDEX *map, T *out, size_t n, ...)
 *              cudaError_t NAME_scatter(const T *in, const INDEX *map, T *out, size_t n, ...)
 *              cudaError_t NAME_scatter_if(in, map, const uint8_t *flags, out, n, ...)
 *              cudaError_t NAME_map_to_flags(const T *in, uint8_t *flags, size_t n, ...)
 *              size_t      NAME_<each of them>_workspace_bytes(size_t n)
 *              where ... is [context,] ws, stream
 *
 *     in                   10 20 30 40
 *     map                   2  0  3  1
 *     gather               30 10 40 20         out[i] = in[map[i]]
 *     scatter              20 40 10 30         out[map[i]] = in[i]
 *     scatter_if 1 0 1 0    .  . 10 30         a place that nothing goes to keeps what it had
 *     map_to_flags 7 0 -1   1  0  1
 *
 *     #include <gpuprims/scatter.cuh>
 *     gp_scatter(d_in, d_map, d_out, n, NULL, stream);
 *
 * Guarantees   Asynchronous on `stream`. n counts the entries of the map; in (of a gather) and out (of a
 *              scatter) may be of any other size, and every entry must be a valid index of them, which is
 *              not checked. Where several items go to one place, it gets one of them, whole. No two arrays
 *              overlap. map_to_flags writes 0 or 1; a struct has no x != 0, so it needs a GP_PRED.
 * Evaluations  GP_PRED is evaluated by map_to_flags alone, on items of the input only, once on each.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched; else
 *              what a launch or an allocation returned. n == 0 succeeds and writes nothing.
 *
 * How it works: an item of up to 16 bytes moves as a whole, a larger one in pieces by neighbouring
 * threads, so that accesses are coalesced. One launch that reads and writes each item once.
 *
 * A struct that no single store can write would be torn where several items go to one place. So such a
 * scatter elects a winner for each place first: every item writes its number where it will go, and wins if
 * its number is still there when all have written. Only winners move. The number is as wide as the
 * alignment of T allows, or else goes part by part, with fewer items left in each round. That costs two
 * more launches per round, and a workspace of n bytes; a round is enough for T aligned to 4 or 8 bytes.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG scatter
#define GPI_HEADER "gpuprims/scatter.cuh"
#define GPI_TAKES \
    (GPI_TAKES_TYPE | GPI_TAKES_INDEX | GPI_TAKES_PRED | GPI_TAKES_CONTEXT | GPI_TAKES_API | \
     GPI_TAKES_KERNEL | GPI_TAKES_GRID)
#endif
#include "core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/scatter.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_CONTEXT_USER
#error "gpuprims/scatter.cuh: GP_PRED is missing; nothing else would receive the GP_CONTEXT"
#endif

#if !defined GPI_DEFAULT || !defined GPI_SCATTER_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_SCATTER_DEFAULT
#endif
GPI_ONCE_PER_NAME(scatter);
GPI_STATIC_ASSERT((GP_INDEX)1 / 2 == 0, "GP_INDEX must be an integer type");

#ifdef GP_PRED
#include "core/instance/predicate.cuh"
#endif
#include "core/scatter/tuning.cuh"

#define GPI_SCATTER_THREADS GPI_TUNE_SCATTER_THREADS
#define GPI_SCATTER_UNITS   GPI_TUNE_SCATTER_UNITS
#define GPI_SCATTER_TILE    (GPI_SCATTER_THREADS * GPI_SCATTER_UNITS)
#define GPI_SCATTER_FLAGS_UNITS 8 /* only the reads have to be waited for */
#define GPI_SCATTER_FLAGS_TILE  (GPI_SCATTER_THREADS * GPI_SCATTER_FLAGS_UNITS)

/* The most that one access can move, and what a thread moves at a time. */
#define GPI_SCATTER_ALIGNMENT (__alignof__(GP_TYPE) < 16 ? __alignof__(GP_TYPE) : 16)
#define GPI_SCATTER_PIECE_BYTES \
    (sizeof(GP_TYPE) <= 16 ? sizeof(GP_TYPE) : GPI_SCATTER_ALIGNMENT)
#define GPI_SCATTER_PIECES (sizeof(GP_TYPE) / GPI_SCATTER_PIECE_BYTES)

/* Whether a single store writes an item; if not, how many bytes of a number it can write there. */
#define GPI_SCATTER_IS_ONE_STORE (sizeof(GP_TYPE) == GPI_SCATTER_ALIGNMENT)
#define GPI_SCATTER_CLAIM_BYTES  (GPI_SCATTER_ALIGNMENT < 8 ? GPI_SCATTER_ALIGNMENT : 8)

#ifdef __CUDACC__
#define GPI_SCATTER_STORE(to, x) (*(to) = (x))
#else
#define GPI_SCATTER_STORE(to, x)                                                      \
    (GPI_SCATTER_ALIGNMENT == 16 && sizeof(x) == 16 ? gpi_cpu_store_16((to), &(x))    \
                                                    : (void)(*(to) = (x)))
#endif

/* The class of the type, as gcc, clang and nvcc number it: 8 is floating-point, above 8 are structs. */
#define GPI_SCATTER_CLASS (__builtin_classify_type(*(const GP_TYPE *)0))

typedef struct {
    unsigned char bytes[GPI_SCATTER_PIECE_BYTES];
} __attribute__((may_alias, aligned(GPI_SCATTER_ALIGNMENT))) GPI(piece);

typedef struct {
    unsigned char bytes[GPI_SCATTER_CLAIM_BYTES];
} __attribute__((may_alias, aligned(GPI_SCATTER_CLAIM_BYTES))) GPI(claim);

/* ---- device functions ------------------------------------------------------------------------ */

/*
 * Whether to flag the item. Without a predicate that is x != 0, written so that it compiles for
 * structs too: some bit is set, other than the sign of a floating-point zero. (An x87 number has ten
 * bytes, and padding.)
 */
GPI_DEVICE int GPI(flag)(const GP_TYPE *from, GPI_CONTEXT context)
{
#ifdef GP_PRED
    return GPI(keep)(from, context);
#else
#ifdef __CUDACC__
    enum { bytes = sizeof(GP_TYPE) };
#else
    enum { bytes = GPI_IS_SAME_TYPE(GP_TYPE, long double) && __LDBL_MANT_DIG__ == 64 ? 10 : sizeof(GP_TYPE) };
#endif
    uint64_t words[(sizeof(GP_TYPE) + 7) / 8] = {0}, any = 0;
    const int sign = bytes * 8 - 1;
    GP_TYPE x = *from;

    (void)context;
    memcpy(words, (const void *)&x, bytes);
    if (GPI_SCATTER_CLASS == 8)
        words[sign / 64] &= ~((uint64_t)1 << sign % 64);
    GPI_UNROLL
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        any |= words[i];
    return any != 0;
#endif
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* Moves n items, or those whose flag is not 0 where there are flags. */
static __global__ void __launch_bounds__(GPI_SCATTER_THREADS)
    GPI(move_kernel)(const GP_TYPE *__restrict__ in, const GP_INDEX *__restrict__ map,
                     const uint8_t *__restrict__ flags, GP_TYPE *__restrict__ out, size_t n,
                     int gathers)
{
    size_t base = (size_t)blockIdx.x * GPI_SCATTER_TILE + threadIdx.x;
    GPI(piece) pieces[GPI_SCATTER_UNITS];
    GPI(piece) *to[GPI_SCATTER_UNITS];

    GPI_UNROLL
    for (int u = 0; u < GPI_SCATTER_UNITS; u++) {
        size_t k = base + (size_t)u * GPI_SCATTER_THREADS;
        size_t i = k / GPI_SCATTER_PIECES, piece = k % GPI_SCATTER_PIECES;

        to[u] = NULL;
        if (i >= n || (flags && !flags[i]))
            continue;
        size_t place = (size_t)map[i];
        pieces[u] = ((const GPI(piece) *)(in + (gathers ? place : i)))[piece];
        to[u] = (GPI(piece) *)(out + (gathers ? i : place)) + piece;
    }
    GPI_UNROLL
    for (int u = 0; u < GPI_SCATTER_UNITS; u++)
        if (to[u])
            GPI_SCATTER_STORE(to[u], pieces[u]);
}

/*
 * Half a round of the election. Each contender (all items, when contenders is NULL) writes its part
 * of its number where it would go, or, when `checks`, records in won whether its part is still
 * there.
 */
static __global__ void __launch_bounds__(GPI_SCATTER_THREADS)
    GPI(claim_kernel)(const GP_INDEX *map, const uint8_t *contenders, GP_TYPE *out,
                      uint8_t *won, size_t n, int round, int checks)
{
    size_t i = (size_t)blockIdx.x * GPI_SCATTER_THREADS + threadIdx.x;
    int contends = i < n && (!contenders || contenders[i]);

    if (GPI_SCATTER_IS_ONE_STORE || i >= n)
        return;
    if (contends) {
        GPI(claim) *place = (GPI(claim) *)(out + (size_t)map[i]), claim;
        uint64_t number = (uint64_t)i >> 8 * (int)sizeof claim * round, part = 0, there = 0;

        memcpy(&claim, &number, sizeof claim); /* the low bytes: everything here is little-endian */
        if (checks) {
            memcpy(&part, &claim, sizeof claim);
            claim = *place;
            memcpy(&there, &claim, sizeof claim);
            contends = there == part;
        } else {
            *place = claim;
        }
    }
    if (checks)
        won[i] = (uint8_t)contends;
}

static __global__ void __launch_bounds__(GPI_SCATTER_THREADS)
    GPI(flags_kernel)(const GP_TYPE *__restrict__ in, uint8_t *__restrict__ flags, size_t n,
                      GPI_CONTEXT context)
{
    size_t base = (size_t)blockIdx.x * GPI_SCATTER_FLAGS_TILE + threadIdx.x;

    GPI_UNROLL
    for (int u = 0; u < GPI_SCATTER_FLAGS_UNITS; u++) {
        size_t i = base + (size_t)u * GPI_SCATTER_THREADS;

        if (i < n)
            flags[i] = (uint8_t)GPI(flag)(in + i, context);
    }
}

/* ---- host functions -------------------------------------------------------------------------- */

/* The workspace of a scatter: one byte per item, whether it won its place. */
static inline size_t GPI(bytes)(size_t n)
{
    return GPI_SCATTER_IS_ONE_STORE ? 0 : gpi_workspace_request(n);
}

static inline cudaError_t GPI(check)(const char *function, const GP_TYPE *in,
                                     const GP_INDEX *map, const GP_TYPE *out, size_t n)
{
    const size_t max_n = GPI_MAX_TILES * GPI_SCATTER_THREADS / GPI_SCATTER_PIECES;

    return !in && n    ? gpi_error_null(function, "in", n)
           : !map && n ? gpi_error_null(function, "map", n)
           : !out && n
               ? gpi_error_null(function, "out", n)
               : gpi_check_count(function, "n", n, max_n, gpi_larger_size(sizeof *in, sizeof *map));
}

static inline cudaError_t GPI(move)(const GP_TYPE *in, const GP_INDEX *map,
                                    const uint8_t *flags, GP_TYPE *out, size_t n,
                                    int gathers, cudaStream_t stream)
{
    size_t pieces = n * GPI_SCATTER_PIECES;
    size_t tiles = gpi_divide_up(pieces, GPI_SCATTER_TILE);

    return GPI_LAUNCH(GPI(move_kernel), (unsigned)tiles, GPI_SCATTER_THREADS, 0, stream, in,
                      map, flags, out, n, gathers);
}

static inline cudaError_t GPI(run)(const char *function, const GP_TYPE *in,
                                   const GP_INDEX *map, const uint8_t *flags, GP_TYPE *out,
                                   size_t n, gp_workspace *ws, cudaStream_t stream)
{
    unsigned blocks = (unsigned)gpi_divide_up(n, GPI_SCATTER_THREADS);
    cudaError_t error = GPI(check)(function, in, map, out, n);
    gpi_scratch scratch;

    if (error != cudaSuccess || n == 0)
        return error;
    error = gpi_scratch_acquire(&scratch, ws, GPI(bytes)(n), stream, function);
    if (error != cudaSuccess)
        return error;

    /* The election takes as many rounds as n - 1 has parts; none if every store is whole. */
    uint8_t *won = (uint8_t *)scratch.memory;
    const uint8_t *contenders = flags;
    size_t parts = n - 1;
    int plays = !GPI_SCATTER_IS_ONE_STORE;
    for (int round = 0; plays && error == cudaSuccess; round++) {
        for (int checks = 0; checks < 2 && error == cudaSuccess; checks++)
            error = GPI_LAUNCH(GPI(claim_kernel), blocks, GPI_SCATTER_THREADS, 0, stream,
                               map, contenders, out, won, n, round, checks);
        contenders = won;
        parts = GPI_SCATTER_CLAIM_BYTES < 8 ? parts >> 8 * GPI_SCATTER_CLAIM_BYTES % 64 : 0;
        plays = parts != 0;
    }
    if (error == cudaSuccess)
        error = GPI(move)(in, map, contenders, out, n, 0, stream);
    return gpi_scratch_release(&scratch, error, stream);
}

GP_API size_t GPI_PUBLIC(gather_workspace_bytes)(size_t n)
{
    (void)n;
    return 0;
}

GP_API size_t GPI_PUBLIC(scatter_workspace_bytes)(size_t n)
{
    return GPI(bytes)(n);
}

GP_API size_t GPI_PUBLIC(scatter_if_workspace_bytes)(size_t n)
{
    return GPI(bytes)(n);
}

GP_API size_t GPI_PUBLIC(map_to_flags_workspace_bytes)(size_t n)
{
    (void)n;
    return 0;
}

/* out[i] = in[map[i]] */
GP_API cudaError_t GPI_PUBLIC(gather)(const GP_TYPE *in, const GP_INDEX *map, GP_TYPE *out,
                                      size_t n, GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                      cudaStream_t stream)
{
    const gpi_argument used[] = {{"map", map, n * sizeof *map, GPI_READ, 0},
                                 {"out", out, n * sizeof *out, GPI_WRITTEN, 0}};
    cudaError_t error = GPI(check)(GPI_TEXT(gather), in, map, out, n);

    (void)GPI_CONTEXT_VALUE;
    (void)ws;
    if (error == cudaSuccess)
        error = gpi_check_overlap(GPI_TEXT(gather), used, 2);
    if (error != cudaSuccess || n == 0)
        return error;
    GPI_RANGE_BEGIN(GPI_TEXT(gather));
    error = GPI(move)(in, map, NULL, out, n, 1, stream);
    GPI_RANGE_END();
    return error;
}

/* out[map[i]] = in[i] */
GP_API cudaError_t GPI_PUBLIC(scatter)(const GP_TYPE *in, const GP_INDEX *map, GP_TYPE *out,
                                       size_t n, GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                       cudaStream_t stream)
{
    (void)GPI_CONTEXT_VALUE;
    return GPI(run)(GPI_TEXT(scatter), in, map, NULL, out, n, ws, stream);
}

/* out[map[i]] = in[i] where flags[i] is not 0 */
GP_API cudaError_t GPI_PUBLIC(scatter_if)(const GP_TYPE *in, const GP_INDEX *map,
                                          const uint8_t *flags, GP_TYPE *out, size_t n,
                                          GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                          cudaStream_t stream)
{
    (void)GPI_CONTEXT_VALUE;
    if (!flags && n)
        return gpi_error_null(GPI_TEXT(scatter_if), "flags", n);
    return GPI(run)(GPI_TEXT(scatter_if), in, map, flags, out, n, ws, stream);
}

/* flags[i] = in[i] satisfies GP_PRED ? 1 : 0 */
GP_API cudaError_t GPI_PUBLIC(map_to_flags)(const GP_TYPE *in, uint8_t *flags, size_t n,
                                            GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                            cudaStream_t stream)
{
    const char *function = GPI_TEXT(map_to_flags);
    const gpi_argument used[] = {{"in", in, n * sizeof *in, GPI_READ, 0},
                                 {"flags", flags, n, GPI_WRITTEN, 0}};
    size_t tiles = gpi_divide_up(n, GPI_SCATTER_FLAGS_TILE);
    cudaError_t error;

    (void)ws;
#ifndef GP_PRED
    if (GPI_SCATTER_CLASS > 8)
        return gpi_error(cudaErrorInvalidValue,
                         "%s: GP_PRED is missing; a struct needs one to say what is flagged",
                         function);
#endif
    if (n == 0)
        return cudaSuccess;
    if (!in)
        return gpi_error_null(function, "in", n);
    if (!flags)
        return gpi_error_null(function, "flags", n);
    error = gpi_check_count(function, "n", n, GPI_MAX_TILES * GPI_SCATTER_FLAGS_TILE, sizeof *in);
    if (error == cudaSuccess)
        error = gpi_check_overlap(function, used, 2);
    if (error != cudaSuccess)
        return error;
    GPI_RANGE_BEGIN(function);
    error = GPI_LAUNCH(GPI(flags_kernel), (unsigned)tiles, GPI_SCATTER_THREADS, 0, stream, in,
                       flags, n, GPI_CONTEXT_VALUE);
    GPI_RANGE_END();
    return error;
}

#endif
#include "core/instance/end.cuh"
