/*
 * merge_sort.cuh: sorts items of any type by any order, alone or with values.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_TYPE        T, any trivially copyable type of up to 1024 bytes, with V (int)
 *              GP_LESS(a, b)  true when a comes before b (a < b); with GP_CONTEXT: GP_LESS(a, b, context)
 *              GP_CONTEXT     type of a by-value argument before `ws`
 *              GP_VALUE       V, any trivially copyable type; without it the keys are sorted alone
 *              GP_API         linkage of the host functions (static inline)
 *              GP_KERNEL      for tests: GP_KERNEL_SIMPLE has small tiles at every n, any other one large tiles
 *              GP_GRID        for tests; n alone says how many blocks there are
 *
 * Generates    cudaError_t NAME_merge_sort(const T *in, T *out, size_t n, ...)
 * with values  cudaError_t NAME_merge_sort(const T *kin, T *kout, const V *vin, V *vout, size_t n, ...)
 * and          size_t      NAME_merge_sort_workspace_bytes(size_t n)
 *              where ... is [context,] ws, stream
 *
 *     in         1 5 0 1 2 0 3
 *     sorted     0 0 1 1 2 3 5
 *
 *     #include <gpuprims/merge_sort.cuh>
 *     gp_merge_sort(d_in, d_out, n, NULL, stream);
 *
 * Order        GP_LESS is a strict weak order: of any type, and of floats as long as none is a NaN, a < b is.
 *              The sort is stable: items neither of which comes before the other keep their order. With any
 *              other GP_LESS the output is not specified; nothing outside of it is written.
 * Guarantees   Asynchronous on `stream`. in == out is allowed, for keys and for values; no other overlap.
 *              Integers and floats by < are sorted faster by radix_sort.cuh.
 * Evaluations  GP_LESS is evaluated on items of the input only, two at a time: some 1.5 n log2 n times for
 *              items of up to 16 bytes, 5 n log2 n for 128, 10 n log2 n for 1024. In the last tile
 *              threads without items sort copies of one: up to 61,471 times more.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched; else
 *              what a launch or an allocation returned; the input is whole if an allocation failed.
 *              n == 0 succeeds and writes nothing.
 *
 * How it works: a block sorts a tile of up to 32 KB in shared memory: block/core/merge.cuh. Then runs are
 * merged, up to sixteen at a time, which takes fewer passes over memory than merging pairs:
 * core/merge/pass.cuh. Of few items the tiles are smaller, and more threads work on each; on sm_90 and newer
 * two of them are sorted and merged by a cluster of two blocks, in one launch. docs/merge-sort.md has pictures. Cost:
 * 1 + log16(n / tile) reads and writes of each item, two launches for each pass but the first. Workspace:
 * n keys and n values, and up to 3 % and 600 bytes more; of items of one byte up to 6 %.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG merge_sort
#define GPI_HEADER "gpuprims/merge_sort.cuh"
#define GPI_TAKES \
    (GPI_TAKES_TYPE | GPI_TAKES_LESS | GPI_TAKES_CONTEXT | GPI_TAKES_VALUE | GPI_TAKES_API | \
     GPI_TAKES_KERNEL | GPI_TAKES_GRID)
#endif
#include "core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/merge_sort.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_CONTEXT_USER
#error "gpuprims/merge_sort.cuh: GP_LESS is missing; nothing else would receive the GP_CONTEXT"
#endif

#if !defined GPI_DEFAULT || !defined GPI_MERGE_SORT_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_MERGE_SORT_DEFAULT
#endif
GPI_ONCE_PER_NAME(merge_sort);

/* Without values the type is a placeholder, so that the kernels are written once. */
#ifdef GP_VALUE
#define GPI_MERGE_PAIRS 1
#define GPI_MERGE_VALUE GP_VALUE
#else
#define GPI_MERGE_PAIRS 0
#define GPI_MERGE_VALUE char
#endif

#include "core/instance/less.cuh"
#include "core/merge/shape.cuh"
#include "block/core/merge.cuh"
#include "core/merge/pass.cuh"

/* What to sort, and where to. */
typedef struct {
    const GP_TYPE *keys_in;
    const GPI_MERGE_VALUE *values_in;
    GP_TYPE *keys_out;
    GPI_MERGE_VALUE *values_out;
    size_t n;
} GPI(job);

#if GPI_DEVICE_CODE
/*
 * Gives the sorted tile to the other block of the cluster, and merges both. The first block keeps what comes first, as
 * many items as its tile has. That of the other block lies a row behind the own one, which is perhaps being sorted
 * still: a thread may read a few places past its end.
 */
GPI_DEVICE void GPI(join)(GP_TYPE *x, GPI_MERGE_VALUE *v, GPI(tile) *tile, const GPI(job) *job, unsigned n,
                          const unsigned items, GPI_CONTEXT context)
{
    const unsigned share = blockDim.x * items, theirs = share + GPI(gap);
    GPI(runs) runs;

    gpi_cluster_wait(); /* the other block has started */
    GPI(tile) *other = (GPI(tile) *)gpi_cluster_shared(tile, 1 - blockIdx.x);
    GPI_UNROLL
    for (unsigned i = 0; i < items; i++) {
        const unsigned k = i * blockDim.x + threadIdx.x, to = GPI_MERGE_PLACE(theirs + k, items);

        if (k < n) {
            gpi_move(&other->keys[to], &tile->keys[GPI_MERGE_PLACE(k, items)]);
            if (GPI_MERGE_PAIRS)
                gpi_move(&GPI_MERGE_VALUE_AT(other, to), &GPI_MERGE_VALUE_AT(tile, GPI_MERGE_PLACE(k, items)));
        }
    }
    gpi_cluster_sync(); /* both tiles are there, and the input has been read */
    runs.a = blockIdx.x * theirs;
    runs.a_end = runs.a + share;
    runs.b = theirs - runs.a;
    runs.b_end = runs.b + ((unsigned)job->n - share);
    GPI(part)(x, v, tile, runs, blockIdx.x * share + threadIdx.x * items, items, context);
    __syncthreads(); /* both have been read */
    GPI(put)(x, v, tile, threadIdx.x, threadIdx.x * items < n ? n - threadIdx.x * items : 0, items);
    __syncthreads(); /* the block's part is there */
}

/* One block per tile: sorts it. The whole tile is read before anything is written. */
GPI_DEVICE void GPI(sort_tile)(GPI(tile) *tile, const GPI(job) *job, const unsigned threads,
                               const unsigned items, int is_joint, GPI_CONTEXT context)
{
    const size_t base = (size_t)blockIdx.x * (threads * items);
    const unsigned n = gpi_min_size(job->n - base, threads * items), begin = threadIdx.x * items;
    GP_TYPE x[GPI(items)];
    GPI_MERGE_VALUE v[GPI(items)];

    if (is_joint)
        gpi_cluster_started();
    gpi_grid_wait();
    gpi_grid_launch_next();
    GPI_UNROLL
    for (unsigned i = 0; i < items; i++) {
        const unsigned k = i * threads + threadIdx.x;

        if (k < n) {
            gpi_move(&tile->keys[GPI_MERGE_PLACE(k, items)], &job->keys_in[base + k]);
            if (GPI_MERGE_PAIRS)
                gpi_move(&GPI_MERGE_VALUE_AT(tile, GPI_MERGE_PLACE(k, items)), &job->values_in[base + k]);
        }
    }
    __syncthreads(); /* the tile is complete */
    GPI_UNROLL
    for (unsigned i = 0; i < items; i++) {
        const unsigned k = gpi_min(begin + i, n - 1); /* any item, where there is none */

        gpi_move(&x[i], &tile->keys[GPI_MERGE_PLACE(k, items)]);
        if (GPI_MERGE_PAIRS)
            gpi_move(&v[i], &GPI_MERGE_VALUE_AT(tile, GPI_MERGE_PLACE(k, items)));
    }
    __syncthreads(); /* and has been read */
    GPI(block)(x, v, items, tile, threadIdx.x, n, context);
    __syncthreads(); /* the last runs have been read */
    GPI(put)(x, v, tile, threadIdx.x, begin < n ? n - begin : 0, items);
    __syncthreads(); /* the tile is sorted */
    if (is_joint)
        GPI(join)(x, v, tile, job, n, items, context);
    GPI(write)(tile, job->keys_out + base, GPI_MERGE_PAIRS ? job->values_out + base : job->values_out, n,
               threads, items);
}
#endif

static __global__ void __launch_bounds__(GPI(threads), GPI(blocks))
    GPI(tile_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_SHARED(GPI(tile), tile);

    GPI(sort_tile)(&tile, &job, GPI(threads), GPI(items), 0, context);
#endif
}

/* The same with small tiles. */
static __global__ void __launch_bounds__(GPI(small_threads))
    GPI(small_tile_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_SHARED(GPI(tile), tile);

    if (GPI(has_small))
        GPI(sort_tile)(&tile, &job, GPI(small_threads), GPI(small_items), 0, context);
#endif
}

/* Two blocks, a cluster: each sorts a tile, and then both are merged. */
static __global__ void __launch_bounds__(GPI(small_threads))
    GPI(joint_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(GPI(tile), tile);

    if (GPI(has_small))
        GPI(sort_tile)(tile, &job, blockDim.x, GPI(small_items), 1, context);
#endif
}

/* ---- host functions -------------------------------------------------------------------------- */

/* The workspace. */
typedef struct {
    size_t values, splits, bytes; /* offsets of values and splits; keys come first */
} GPI(layout);

/* The n up to which tiles are small, so that more multiprocessors, and more of their threads, have something to do. */
static inline size_t GPI(most_small)(void)
{
    if (!GPI(has_small) || GP_KERNEL)
        return GPI(has_small) && GP_KERNEL == GP_KERNEL_SIMPLE ? SIZE_MAX : 0;
    return GPI_TUNE_MERGE_SMALL / GPI_MERGE_BYTES;
}

/*
 * Whether a cluster of two blocks sorts n items: each of them has only half to sort before the merge. Fewer items gain
 * from that if they are indistinguishable, which shuffles sort at first.
 */
static inline int GPI(wants_joint)(size_t n)
{
    const size_t places = (size_t)GPI(small_places);
    const size_t enough = GPI_MERGE_INDISTINGUISHABLE(GPI(small_items)) ? GPI_TUNE_MERGE_JOINT
                          : GPI_MERGE_PAIRS                            ? places
                                                                       : places / 2;

    return GPI(has_small) && GP_KERNEL == 0 && n > enough && n <= 2 * places && GPI(dependent)();
}

/* The most tiles of any pass, of so many items at least: a group has at least two runs. */
static inline size_t GPI(most_tiles)(size_t n, size_t tile, size_t run)
{
    return gpi_divide_up(n, tile) + gpi_divide_up(n, 2 * run);
}

static inline GPI(layout) GPI(lay_out)(size_t n)
{
    const size_t small = gpi_smaller_size(n, GPI(most_small)());
    const size_t large_tiles = GPI(most_tiles)(n, GPI_MERGE_PASS_N(GPI(threads), GPI(pass_items)), GPI(places));
    const size_t small_tiles =
        GPI(most_tiles)(small, GPI_MERGE_PASS_N(GPI(small_threads), GPI(small_pass_items)), GPI(small_places));
    const size_t tiles = gpi_larger_size(large_tiles, small_tiles); /* more items need no less */
    GPI(layout) layout = {0, 0, 0};

    if (n <= (small == n ? (size_t)GPI(small_places) : (size_t)GPI(places)))
        return layout;
    layout.values = gpi_array_bytes(n, sizeof(GP_TYPE));
    layout.splits = gpi_add_sizes(
        layout.values, GPI_MERGE_PAIRS ? gpi_array_bytes(n, sizeof(GPI_MERGE_VALUE)) : 0);
    layout.bytes = gpi_add_sizes(layout.splits,
                                 gpi_multiply_sizes(tiles, GPI_MERGE_MAX_WAYS * sizeof(size_t)));
    return layout;
}

/* Refuses wrong arguments. */
static inline cudaError_t GPI(check)(const char *function, const GPI(job) *job)
{
    const size_t key_bytes = sizeof(GP_TYPE),
                 value_bytes = GPI_MERGE_PAIRS ? sizeof(GPI_MERGE_VALUE) : 0;
    const gpi_argument used[] = {
        {GPI_MERGE_PAIRS ? "kin" : "in", job->keys_in, job->n * key_bytes, GPI_READ, 1},
        {GPI_MERGE_PAIRS ? "kout" : "out", job->keys_out, job->n * key_bytes, GPI_WRITTEN, 1},
        {"vin", job->values_in, job->n * value_bytes, GPI_READ, 2},
        {"vout", job->values_out, job->n * value_bytes, GPI_WRITTEN, 2}};

    const size_t most = GPI_MAX_TILES / 2 * GPI_MERGE_PASS_N(GPI(threads), GPI(pass_items));
    cudaError_t error = gpi_check_count(function, "n", job->n, most, gpi_larger_size(key_bytes, value_bytes));
    return error != cudaSuccess ? error : gpi_check_arrays(function, used, 4, -1, "n", job->n);
}

/* Both blocks have as many items, rounded up to whole warps; the second one may lack some. */
static inline cudaError_t GPI(joint_launch)(GPI(job) job, GPI_CONTEXT context, cudaStream_t stream)
{
    const unsigned threads = 32 * (unsigned)gpi_divide_up(job.n, 64 * (size_t)GPI(small_items));

    return GPI_LAUNCH_CLUSTER(1, 2, GPI(joint_kernel), 2, threads, sizeof(GPI(tile)), stream, job, context);
}

/* Sorts the tiles and merges them, so that the last pass writes the output. */
static inline cudaError_t GPI(passes)(GPI(job) job, char *memory, GPI_CONTEXT context,
                                      cudaStream_t stream)
{
    const GPI(layout) layout = GPI(lay_out)(job.n);
    const int dependent = GPI(dependent)(), is_small = job.n <= GPI(most_small)();
    size_t run = is_small ? GPI(small_places) : GPI(places);
    const size_t tiles = gpi_divide_up(job.n, run);
    GP_TYPE *keys[2] = {job.keys_out, (GP_TYPE *)memory};
    GPI_MERGE_VALUE *values[2] = {job.values_out, (GPI_MERGE_VALUE *)(memory + layout.values)};
    int levels = 0;

    while ((size_t)1 << levels < tiles)
        levels++;
    int passes = (levels + GPI(max_ways_log) - 1) / GPI(max_ways_log);
    job.keys_out = keys[passes % 2];
    job.values_out = values[passes % 2];
    cudaError_t error =
        is_small ? GPI_LAUNCH_DEPENDENT(dependent, GPI(small_tile_kernel), (unsigned)tiles, GPI(small_threads), 0,
                                        stream, job, context)
                 : GPI_LAUNCH_DEPENDENT(dependent, GPI(tile_kernel), (unsigned)tiles, GPI(threads), 0, stream, job,
                                        context);
    for (; passes > 0 && error == cudaSuccess; passes--) {
        GPI(pass) pass;

        memset((void *)&pass, 0, sizeof pass);
        pass.log = (levels + passes - 1) / passes;
        pass.run = run;
        pass.group = run << pass.log;
        pass.n = job.n;
        pass.keys = keys[passes % 2];
        pass.keys_out = keys[1 - passes % 2];
#if GPI_MERGE_PAIRS
        pass.values = values[passes % 2];
        pass.values_out = values[1 - passes % 2];
#endif
        pass.splits = (size_t *)(memory + layout.splits);
        error = GPI(pass_launch)(&pass, context, is_small, dependent, stream);
        levels -= pass.log;
        run = pass.group;
    }
    return error;
}

static inline cudaError_t GPI(host)(const char *function, GPI(job) job,
                                    GPI_CONTEXT context, gp_workspace *ws, cudaStream_t stream)
{
    gpi_scratch scratch;
    cudaError_t error;

    if (job.n == 0)
        return cudaSuccess;
    error = GPI(check)(function, &job);
    if (error != cudaSuccess)
        return error;
    const int is_joint = GPI(wants_joint)(job.n); /* which needs no memory; but what is too small is refused always */
    error = gpi_tagged_scratch_acquire(&scratch, ws, 0, ws || !is_joint ? GPI(lay_out)(job.n).bytes : 0, stream,
                                       function);
    if (error != cudaSuccess)
        return error;
    error = is_joint ? GPI(joint_launch)(job, context, stream) : GPI(passes)(job, scratch.memory, context, stream);
    return gpi_scratch_release(&scratch, error, stream);
}

GP_API size_t GPI_PUBLIC(merge_sort_workspace_bytes)(size_t n)
{
    return gpi_workspace_request(GPI(lay_out)(n).bytes);
}

/* clang-format off */
#ifdef GP_VALUE
#define GPI_MERGE_SORT_PARAMETERS \
    const GP_TYPE *kin, GP_TYPE *kout, const GP_VALUE *vin, GP_VALUE *vout, size_t n
#define GPI_MERGE_SORT_ARGUMENTS {kin, vin, kout, vout, n}
#else
#define GPI_MERGE_SORT_PARAMETERS const GP_TYPE *in, GP_TYPE *out, size_t n
#define GPI_MERGE_SORT_ARGUMENTS {in, NULL, out, NULL, n}
#endif
/* clang-format on */

/* Sorts by GP_LESS. */
GP_API cudaError_t GPI_PUBLIC(merge_sort)(GPI_MERGE_SORT_PARAMETERS, GPI_CONTEXT_PARAMETER gp_workspace *ws,
                                          cudaStream_t stream)
{
    GPI(job) job = GPI_MERGE_SORT_ARGUMENTS;

    return GPI(host)(GPI_TEXT(merge_sort), job, GPI_CONTEXT_VALUE, ws, stream);
}

#undef GPI_MERGE_SORT_PARAMETERS
#undef GPI_MERGE_SORT_ARGUMENTS

#include "block/core/merge_end.cuh"
#endif
#include "core/instance/end.cuh"
