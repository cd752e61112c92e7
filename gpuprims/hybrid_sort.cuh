/*
 * hybrid_sort.cuh: sorts an array in host memory of any size with the GPU, however little device memory there is.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_KEY         K: an integer type of 1, 2, 4 or 8 bytes, float or double (int); or, with
 *              GP_KEY_KIND    GP_UNSIGNED, GP_SIGNED or GP_FLOAT, any other type of such a size, ordered by its
 *                             bits as by those of a number of that kind: __half, __nv_bfloat16, a struct
 *              GP_VALUE       V, any trivially copyable type of any size; without it the keys are sorted alone
 *              GP_DESCENDING  when it is defined, the largest key comes first
 *              GP_API         linkage of the host function (static inline)
 *              GP_KERNEL, GP_GRID  for tests: of the radix sort, as for radix_sort.cuh
 *
 * Generates    cudaError_t NAME_hybrid_sort_host(K *host_keys, size_t n, const gp_hybrid_options *options)
 * with values  cudaError_t NAME_hybrid_sort_host(K *host_keys, V *host_values, size_t n,
 *                                                const gp_hybrid_options *options)
 *
 *     keys         4 1 3 | 1 2 0      an array of two chunks
 *     on the GPU   1 3 4 | 0 1 2      each chunk is sorted
 *     then         0 1 1   2 3 4      method 1: the CPU merges them
 *                  0 1 1 | 2 3 4      method 2: equal parts of that order go through the GPU once more
 *
 *     gp_hybrid_options options = {0};
 *     options.device_bytes = (size_t)1 << 30;
 *     gp_hybrid_sort_host(keys, n, &options);
 *
 * Options      gp_hybrid_options in gpuprims.h; NULL stands for all zeros. `progress` is called by the
 *              calling thread, with fractions that grow to 1.
 * Order        That of radix_sort.cuh, stable. The result is the same whatever the options.
 * Guarantees   In place; blocks until the array is sorted. Besides device_bytes of device memory it takes,
 *              while it runs, as much host memory as the array has (method 1 up to a half more; method 2 may
 *              use two thirds of it), and page-locked memory through which all copies go: 4 MB for each
 *              thread, 8 MB with fewer than 8 threads.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(): nothing has been done.
 *              cudaErrorMemoryAllocation: the device, or with a message the host, has no memory for it;
 *              nothing has been done. Otherwise the error of a copy or a launch. In every case all memory is
 *              freed, and the array has the items that it had, pairs still together, in some order. n == 0 succeeds.
 *
 * How it works: chunks go to the GPU, are sorted there by radix_sort.cuh, and come back into a temporary
 * array as sorted runs. While some chunks are copied in and others are sorted and copied back, the CPU
 * merges groups of runs (method 1; Gowanlock and Karsin, A hybrid CPU/GPU approach for optimizing sorting
 * throughput, 2019). Then either
 *
 *     1   the CPU merges what there is into the array: host/core/merge_runs.cuh
 *     2   the merged order is cut into equal parts, each small enough for the GPU. Where a cut goes through
 *         each run is found exactly, so that no distribution of keys makes a part too large. The pieces of
 *         a part are gathered on their way to the GPU, sorted, and come back into their place. Meanwhile
 *         some of the runs are parked at the start of the array; the parts that belong there come last
 *
 * Nothing in the array is overwritten before it is elsewhere in host memory, and after a failure what has
 * been overwritten is restored from there. docs/hybrid-sort.md has the pipeline and how the method is chosen;
 * core/hybrid/pipeline.cuh.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG hybrid_sort
#define GPI_HEADER "gpuprims/hybrid_sort.cuh"
#define GPI_TAKES \
    (GPI_TAKES_KEY | GPI_TAKES_KEY_KIND | GPI_TAKES_VALUE | GPI_TAKES_DESCENDING | GPI_TAKES_API | \
     GPI_TAKES_KERNEL | GPI_TAKES_GRID)
#endif
#include "core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/hybrid_sort.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_WRONG_KEY_KIND
#error "gpuprims/hybrid_sort.cuh: GP_KEY_KIND must be GP_UNSIGNED, GP_SIGNED or GP_FLOAT"
#endif

#if !defined GPI_DEFAULT || !defined GPI_HYBRID_SORT_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_HYBRID_SORT_DEFAULT
#endif
GPI_ONCE_PER_NAME(hybrid_sort);

#include "core/hybrid/pipeline.cuh"

/* The sort of a chunk: an instance of radix_sort.cuh under private names. */
#define GPI_HYBRID_RADIX(word) GPI_JOIN4(gpi_, GP_NAME, hybrid_radix, _##word)
#pragma push_macro("GPI_TAG")
#pragma push_macro("GPI_DEFAULT")
#pragma push_macro("GPI_PUBLIC")
#pragma push_macro("GP_API")
#undef GPI_TAG
#undef GPI_DEFAULT
#undef GPI_PUBLIC
#undef GP_API
#define GPI_TAG hybrid_radix
#define GPI_PUBLIC(word) GPI_HYBRID_RADIX(word)
#define GP_API static inline
#include "radix_sort.cuh"
#pragma pop_macro("GPI_TAG")
#pragma pop_macro("GPI_DEFAULT")
#pragma pop_macro("GPI_PUBLIC")
#pragma pop_macro("GP_API")

/* The order of keys once more, as host functions. */
#undef GPI_RADIX_KEY_IS_STAMPED
#undef GPI_FUNCTION
#define GPI_FUNCTION static inline
#include "core/instance/radix_key.cuh"
GPI_CHECK_KEY();
#include "host/core/merge_runs.cuh"

#define GPI_HYBRID_VALUE_BYTES (GPI_RUNS_PAIRS ? sizeof(GPI_RUNS_VALUE) : 0)

/* ---- the plan ---------------------------------------------------------------------------------- */

#define GPI_HYBRID_MAX_CHUNKS ((size_t)4096) /* method 2 has the square of that many cuts */

/*
 * Chunks of a large array: with 64, filling and draining the pipeline takes little of the time; for
 * a merge on the CPU fewer runs are better.
 */
#define GPI_HYBRID_METHOD_2_CHUNKS ((size_t)64)
#define GPI_HYBRID_METHOD_1_CHUNKS ((size_t)16)
#define GPI_HYBRID_MIN_CHUNK_BYTES ((size_t)8 << 20) /* smaller chunks bring nothing */

/*
 * Runs that are parked in the array between the two trips, in places of chunks that have been
 * sorted: new memory is slow, since the system clears it. Fewer than half, and more than there are
 * chunks on the device.
 */
#define GPI_HYBRID_PARKED(chunks) ((chunks)*7 / 16)

typedef struct {
    GP_KEY *keys; /* the user's */
    GPI_RUNS_VALUE *values;
    size_t n;
    gp_hybrid_options options;

    int method;
    size_t chunk_n, chunks, slots;
    size_t group, groups; /* chunks per merge while others are sorted; 1: none */
    int threads;

    gpi_hybrid_pipeline pipeline;
    gp_workspace ws;
    char *device, *staging, *state; /* one allocation each */
    char *temporary;                /* all runs; or all groups, and the runs of two of them */
    size_t staging_bytes, temporary_bytes;
    int pinned;
    GP_KEY *run_keys, *group_keys;
    GPI_RUNS_VALUE *run_values, *group_values;
    gpi_hybrid_place *array; /* of each chunk: its place in the user's arrays */
    gpi_hybrid_place *own;   /* the place of its run in the temporary array */
    gpi_hybrid_place *runs;  /* where its run is after the first trip: own, or array if parked */
    size_t parked, *parked_run; /* run parked_run[c] lies in place c of the array, for c < parked */
    GPI(runs_run) *run;
    size_t *cuts;
    char *scratch; /* scratch_bytes per thread: offsets of runs, then GPI(runs_scratch) */
    size_t scratch_bytes;
} GPI(sort);

/* Device memory for chunks of n items. */
static inline size_t GPI(bytes)(size_t n, size_t slots)
{
    const size_t slot = gpi_add_sizes(gpi_array_bytes(n, sizeof(GP_KEY)),
                                      gpi_array_bytes(n, GPI_HYBRID_VALUE_BYTES));

    return gpi_add_sizes(gpi_multiply_sizes(slots, slot),
                         gpi_align_up(GPI_HYBRID_RADIX(radix_sort_workspace_bytes)(n)));
}

/* The largest chunk, up to n items, whose slots fit into `budget` bytes. */
static inline size_t GPI(capacity)(size_t budget, size_t n, size_t slots)
{
    size_t fits = 0, more = n + 1;

    while (more - fits > 1) {
        size_t middle = fits + (more - fits) / 2;

        if (GPI(bytes)(middle, slots) <= budget)
            fits = middle;
        else
            more = middle;
    }
    return fits;
}

/*
 * The cost of an item in nanoseconds. A trip to the GPU and back: the slower of the bus, with
 * copies both ways at once, and the copies into and out of the staging buffers. A merge: a constant
 * part, and one for each level of the tree. Measured: docs/hybrid-sort.md.
 */
#define GPI_HYBRID_BUS 40.0    /* bytes per nanosecond, each way */
#define GPI_HYBRID_STAGING 3.5 /* bytes per nanosecond and thread, each way */
#define GPI_HYBRID_ITEM_NS 8.0 /* of one thread */
#define GPI_HYBRID_LEVEL_NS 3.0

/* Which method should be faster after the first trip, which both have: a merge, or a second trip. */
static inline int GPI(choose_method)(const GPI(sort) * sort)
{
    const double bytes = (double)(sizeof(GP_KEY) + GPI_HYBRID_VALUE_BYTES);
    double bus = bytes / GPI_HYBRID_BUS, staging = bytes / GPI_HYBRID_STAGING / sort->threads;
    double merge = GPI_HYBRID_ITEM_NS / sort->threads;

    for (size_t runs = gpi_divide_up(sort->n, sort->chunk_n); runs > 1;
         runs = gpi_divide_up(runs, 2))
        merge += GPI_HYBRID_LEVEL_NS / sort->threads;
    return merge < (bus > staging ? bus : staging) ? 1 : 2;
}

/* Refuses wrong arguments. */
static inline cudaError_t GPI(check)(const char *function, const GPI(sort) *sort)
{
    const gpi_argument used[] = {
        {"host_keys", sort->keys, sort->n * sizeof *sort->keys, GPI_WRITTEN, 0},
        {"host_values", sort->values, sort->n * GPI_HYBRID_VALUE_BYTES, GPI_WRITTEN, 0}};

    if (sort->options.method < 0 || sort->options.method > 2)
        return gpi_error(cudaErrorInvalidValue, "%s: options->method is %d; it must be 0, 1 or 2",
                         function, sort->options.method);
    if (sort->options.cpu_threads < 0)
        return gpi_error(cudaErrorInvalidValue,
                         "%s: options->cpu_threads is %d; it must be 0, for all, or more", function,
                         sort->options.cpu_threads);
    if (sort->n && !sort->keys)
        return gpi_error(cudaErrorInvalidValue,
                         "%s: host_keys is NULL; it must point to host memory when n is %zu",
                         function, sort->n);
    if (sort->n && GPI_RUNS_PAIRS && !sort->values)
        return gpi_error(cudaErrorInvalidValue,
                         "%s: host_values is NULL; it must point to host memory when n is %zu",
                         function, sort->n);
    cudaError_t error =
        gpi_check_count(function, "n", sort->n, SIZE_MAX, sizeof(GP_KEY) + GPI_HYBRID_VALUE_BYTES);
    return error != cudaSuccess ? error : gpi_check_overlap(function, used, 2);
}

/*
 * Items of a chunk, for about `chunks` of them, each with at most `fits`: whole blocks, if more
 * than one.
 */
static inline size_t GPI(chunk_n)(size_t n, size_t fits, size_t chunks)
{
    const size_t min_n = GPI_HYBRID_MIN_CHUNK_BYTES / (sizeof(GP_KEY) + GPI_HYBRID_VALUE_BYTES);
    const size_t block = gpi_hybrid_block_n(sizeof(GP_KEY));
    size_t chunk_n = gpi_divide_up(n, chunks);

    chunk_n = chunk_n < min_n ? min_n : chunk_n;
    chunk_n = chunk_n < fits ? chunk_n : fits;
    return chunk_n > block ? chunk_n - chunk_n % block : chunk_n;
}

/* Chooses the size of chunks and the method. */
static inline cudaError_t GPI(plan)(const char *function, GPI(sort) *sort)
{
    const size_t n = sort->n;
    const int is_given = sort->options.device_bytes > 0;
    size_t budget = sort->options.device_bytes, total;

    if (!is_given) {
        cudaError_t error = cudaMemGetInfo(&budget, &total);

        if (error != cudaSuccess)
            return error;
        budget -= budget / 8;
    }
    sort->threads = gpi_cpu_thread_count(sort->options.cpu_threads);
    sort->method = 1; /* a single chunk needs no merge */
    sort->slots = 1;
    sort->chunk_n = n;
    if (GPI(capacity)(budget, n, 1) < n) {
        const size_t min_n = gpi_divide_up(n, GPI_HYBRID_MAX_CHUNKS);
        const size_t fits = GPI(capacity)(budget, n, GPI_HYBRID_SLOTS);

        if (fits < min_n)
            return gpi_error(
                is_given ? cudaErrorInvalidValue : cudaErrorMemoryAllocation,
                "%s: %zu bytes of device memory are too few for %zu items; %zu are needed",
                function, budget, n, GPI(bytes)(min_n, GPI_HYBRID_SLOTS));
        sort->slots = sort->options.serial_lanes ? 1 : GPI_HYBRID_SLOTS;
        sort->chunk_n = GPI(chunk_n)(n, fits, GPI_HYBRID_METHOD_1_CHUNKS);
        sort->method = sort->options.method ? sort->options.method : GPI(choose_method)(sort);
        if (sort->method == 2)
            sort->chunk_n = GPI(chunk_n)(n, fits, GPI_HYBRID_METHOD_2_CHUNKS);
    }
    sort->chunks = gpi_divide_up(n, sort->chunk_n);
    sort->group = sort->method == 2 || sort->chunks < 16 ? 1 : sort->chunks <= 64 ? 4 : 16;
    sort->groups = gpi_divide_up(sort->chunks, sort->group);
    if (sort->method == 2 && GPI_HYBRID_PARKED(sort->chunks) >= GPI_HYBRID_SLOTS)
        sort->parked = GPI_HYBRID_PARKED(sort->chunks);

    size_t blocks = gpi_divide_up(sort->chunk_n, gpi_hybrid_block_n(sizeof(GP_KEY)));
    if (GPI_RUNS_PAIRS)
        blocks += gpi_divide_up(sort->chunk_n, gpi_hybrid_block_n(sizeof(GPI_RUNS_VALUE)));
    if ((size_t)sort->threads > blocks * sort->chunks)
        sort->threads = (int)(blocks * sort->chunks);
    return cudaSuccess;
}

/* ---- memory ------------------------------------------------------------------------------------ */

/* The next piece of an allocation. With memory NULL it only adds up the size. */
static inline char *GPI(carve)(char *memory, size_t *used, size_t bytes)
{
    char *piece = memory ? memory + *used : NULL;

    *used += gpi_align_up(bytes);
    return piece;
}

/* Carves the temporary array and the state; with NULL for both it only adds up their sizes. */
static inline size_t GPI(lay_out)(GPI(sort) *sort)
{
    gpi_hybrid_pipeline *pipeline = &sort->pipeline;
    const size_t threads = (size_t)sort->threads, chunks = sort->chunks;
    const size_t window = sort->group > 1 ? 2 * sort->group * sort->chunk_n : 0;
    size_t used = 0;

    sort->group_keys = (GP_KEY *)GPI(carve)(sort->temporary, &used, sort->n * sizeof(GP_KEY));
    sort->group_values = (GPI_RUNS_VALUE *)GPI(carve)(sort->temporary, &used,
                                                      sort->n * GPI_HYBRID_VALUE_BYTES);
    sort->run_keys = sort->group_keys;
    sort->run_values = sort->group_values;
    if (window) {
        sort->run_keys =
            (GP_KEY *)GPI(carve)(sort->temporary, &used, window * sizeof(GP_KEY));
        sort->run_values = (GPI_RUNS_VALUE *)GPI(carve)(sort->temporary, &used,
                                                        window * GPI_HYBRID_VALUE_BYTES);
    }
    sort->temporary_bytes = used;

    used = 0;
    sort->scratch_bytes = gpi_align_up((chunks + 1) * sizeof(size_t)) + GPI(runs_scratch)(chunks);
    sort->scratch_bytes = gpi_align_up(sort->scratch_bytes);
    sort->scratch = GPI(carve)(sort->state, &used, threads * sort->scratch_bytes);
    pipeline->workers =
        (gpi_hybrid_worker *)GPI(carve)(sort->state, &used, threads * sizeof *pipeline->workers);
    pipeline->state =
        (gpi_hybrid_chunk *)GPI(carve)(sort->state, &used, chunks * sizeof *pipeline->state);
    pipeline->parts_left =
        (size_t *)GPI(carve)(sort->state, &used, sort->groups * sizeof *pipeline->parts_left);
    sort->array =
        (gpi_hybrid_place *)GPI(carve)(sort->state, &used, chunks * sizeof *sort->array);
    sort->own =
        (gpi_hybrid_place *)GPI(carve)(sort->state, &used, chunks * sizeof *sort->own);
    sort->runs =
        (gpi_hybrid_place *)GPI(carve)(sort->state, &used, chunks * sizeof *sort->runs);
    sort->parked_run =
        (size_t *)GPI(carve)(sort->state, &used, sort->parked * sizeof *sort->parked_run);
    sort->run = (GPI(runs_run) *)GPI(carve)(sort->state, &used, chunks * sizeof *sort->run);
    sort->cuts = (size_t *)GPI(carve)(
        sort->state, &used, sort->method == 2 ? (chunks + 1) * chunks * sizeof *sort->cuts : 0);
    return used;
}

/*
 * Chooses the place of each chunk and of its run. Parked runs are spread evenly over the chunks
 * behind the places that they take, except for the last chunk, which may be shorter: when a run is
 * parked, the chunk whose place it takes has been back for as many chunks as are parked.
 */
static inline void GPI(places)(GPI(sort) *sort)
{
    const size_t chunks = sort->chunks, parked = sort->parked, others = chunks - 1 - parked;
    const size_t turns = sort->group > 1 ? 2 * sort->group : chunks;

    for (size_t c = 0; c < chunks; c++) {
        const size_t at = c * sort->chunk_n, place = c % turns * sort->chunk_n;
        gpi_hybrid_place *array = &sort->array[c], *own = &sort->own[c];

        array->items[GPI_HYBRID_KEYS] = (char *)(sort->keys + at);
        own->items[GPI_HYBRID_KEYS] = (char *)(sort->run_keys + place);
        if (GPI_RUNS_PAIRS) {
            array->items[GPI_HYBRID_VALUES] = (char *)(sort->values + at);
            own->items[GPI_HYBRID_VALUES] = (char *)(sort->run_values + place);
        }
        array->streaming = 1;
        sort->runs[c] = *own;
    }
    for (size_t i = 0; i < others && parked; i++) {
        const size_t c = i * parked / others;

        if ((i + 1) * parked / others > c) {
            sort->parked_run[c] = parked + i;
            sort->runs[parked + i] = sort->array[c];
            sort->own[parked + i].since = c < GPI_HYBRID_SLOTS ? 0 : c - (GPI_HYBRID_SLOTS - 1);
        }
    }
    for (size_t c = 0; c < chunks; c++) {
        const size_t left = sort->n - c * sort->chunk_n;

        sort->run[c].keys = (const GP_KEY *)(void *)sort->runs[c].items[GPI_HYBRID_KEYS];
        sort->run[c].n = left < sort->chunk_n ? left : sort->chunk_n;
    }
}

/* Bytes of a staging buffer, for a block of keys or of values. */
static inline size_t GPI(buffer_bytes)(const GPI(sort) * sort)
{
    size_t keys = gpi_hybrid_block_n(sizeof(GP_KEY)),
           values = gpi_hybrid_block_n(sizeof(GPI_RUNS_VALUE));

    keys = (keys < sort->chunk_n ? keys : sort->chunk_n) * sizeof(GP_KEY);
    values = (values < sort->chunk_n ? values : sort->chunk_n) * GPI_HYBRID_VALUE_BYTES;
    return gpi_align_up(keys > values ? keys : values);
}

static inline cudaError_t GPI(host_memory)(const char *function, GPI(sort) *sort)
{
    const size_t state_bytes = GPI(lay_out)(sort);

    sort->staging_bytes =
        (size_t)(2 * sort->threads * sort->pipeline.buffers) * GPI(buffer_bytes)(sort);
    sort->state = (char *)malloc(state_bytes);
    sort->staging = gpi_hybrid_malloc(sort->staging_bytes);
    sort->temporary = gpi_hybrid_malloc(sort->temporary_bytes);
    if (!sort->state || !sort->staging || !sort->temporary)
        return gpi_error(cudaErrorMemoryAllocation, "%s: no host memory of %zu bytes for %zu items",
                         function, sort->temporary_bytes + sort->staging_bytes + state_bytes,
                         sort->n);
    memset(sort->state, 0, state_bytes);
    gpi_hybrid_with_pages(gpi_hybrid_touch, sort->staging, sort->staging_bytes, sort->threads);
    (void)GPI(lay_out)(sort);
    GPI(places)(sort);
    return cudaSuccess;
}

/* Creates streams, events and device memory. After an error GPI(release) destroys what there is. */
static inline cudaError_t GPI(device)(GPI(sort) *sort)
{
    gpi_hybrid_pipeline *pipeline = &sort->pipeline;
    cudaStream_t *streams[] = {&pipeline->in, &pipeline->sort, &pipeline->out};
    const size_t buffer_bytes = GPI(buffer_bytes)(sort),
                 keys = gpi_align_up(sort->chunk_n * sizeof(GP_KEY)),
                 slot = keys + gpi_align_up(sort->chunk_n * GPI_HYBRID_VALUE_BYTES);
    size_t buffers = 0;
    cudaError_t error = cudaGetDevice(&pipeline->device);

    if (error == cudaSuccess)
        error = cudaMalloc((void **)&sort->device, GPI(bytes)(sort->chunk_n, sort->slots));
    if (error == cudaSuccess)
        error = cudaHostRegister(sort->staging, sort->staging_bytes, cudaHostRegisterDefault);
    sort->pinned = error == cudaSuccess;
    for (int s = 0; s < 3 && error == cudaSuccess; s++)
        error = cudaStreamCreateWithFlags(streams[s], cudaStreamNonBlocking);
    for (size_t s = 0; s < sort->slots && error == cudaSuccess; s++) {
        pipeline->slot[s][GPI_HYBRID_KEYS] = sort->device + s * slot;
        pipeline->slot[s][GPI_HYBRID_VALUES] = sort->device + s * slot + keys;
        error = cudaEventCreateWithFlags(&pipeline->arrived[s], GPI_HYBRID_EVENTS);
        if (error == cudaSuccess)
            error = cudaEventCreateWithFlags(&pipeline->sorted[s], GPI_HYBRID_EVENTS);
    }
    for (int w = 0; w < sort->threads && error == cudaSuccess; w++) {
        gpi_hybrid_worker *worker = &pipeline->workers[w];

        worker->pipeline = pipeline;
        worker->number = w;
        for (int s = 0; s < 2 * pipeline->buffers && error == cudaSuccess; s++) {
            gpi_hybrid_buffer *buffer = s % 2 ? &worker->in[s / 2] : &worker->out[s / 2];

            buffer->memory = sort->staging + buffers++ * buffer_bytes;
            error = cudaEventCreateWithFlags(&buffer->copied, cudaEventDisableTiming);
        }
    }
    if (error == cudaSuccess)
        error = gp_workspace_wrap(&sort->ws, sort->device + sort->slots * slot,
                                  GPI_HYBRID_RADIX(radix_sort_workspace_bytes)(sort->chunk_n),
                                  pipeline->sort);
    return error;
}

/* Frees everything, and returns the first error. */
static inline cudaError_t GPI(release)(GPI(sort) *sort, cudaError_t error)
{
    gpi_hybrid_pipeline *pipeline = &sort->pipeline;
    cudaStream_t streams[] = {pipeline->in, pipeline->sort, pipeline->out};
    cudaError_t freed = cudaSuccess;

#define GPI_HYBRID_RELEASE(thing, call)               \
    do {                                              \
        if (thing)                                    \
            freed = (call);                           \
        error = error != cudaSuccess ? error : freed; \
    } while (0)
    for (int w = 0; pipeline->workers && w < sort->threads; w++)
        for (int s = 0; s < pipeline->buffers; s++) {
            gpi_hybrid_worker *worker = &pipeline->workers[w];

            GPI_HYBRID_RELEASE(worker->in[s].copied, cudaEventDestroy(worker->in[s].copied));
            GPI_HYBRID_RELEASE(worker->out[s].copied, cudaEventDestroy(worker->out[s].copied));
        }
    for (int s = 0; s < GPI_HYBRID_SLOTS; s++) {
        GPI_HYBRID_RELEASE(pipeline->arrived[s], cudaEventDestroy(pipeline->arrived[s]));
        GPI_HYBRID_RELEASE(pipeline->sorted[s], cudaEventDestroy(pipeline->sorted[s]));
    }
    for (int s = 0; s < 3; s++)
        GPI_HYBRID_RELEASE(streams[s], cudaStreamDestroy(streams[s]));
    GPI_HYBRID_RELEASE(sort->pinned, cudaHostUnregister(sort->staging));
    GPI_HYBRID_RELEASE(sort->device, cudaFree(sort->device));
#undef GPI_HYBRID_RELEASE
    free(sort->state);
    free(sort->staging);
    gpi_hybrid_free(sort->temporary, sort->temporary_bytes, sort->threads);
    return error;
}

/* ---- the sort ---------------------------------------------------------------------------------- */

static inline cudaError_t GPI(sort_chunk)(void *user, char *keys, char *values, size_t n,
                                          cudaStream_t stream)
{
    GPI(sort) *sort = (GPI(sort) *)user;
    GP_KEY *k = (GP_KEY *)keys;

#ifdef GP_VALUE
    return GPI_HYBRID_RADIX(radix_sort)(k, k, (GP_VALUE *)values, (GP_VALUE *)values, n, &sort->ws,
                                        stream);
#else
    (void)values;
    return GPI_HYBRID_RADIX(radix_sort)(k, k, n, &sort->ws, stream);
#endif
}

/*
 * The offsets of runs of `run_n` items in n items, in the worker's scratch; *scratch is what
 * follows them.
 */
static inline size_t *GPI(offsets)(const GPI(sort) *sort, int worker, size_t n,
                                   size_t run_n, char **scratch)
{
    size_t *offsets = (size_t *)(sort->scratch + (size_t)worker * sort->scratch_bytes);
    size_t runs = gpi_divide_up(n, run_n);

    for (size_t r = 0; r < runs; r++)
        offsets[r] = r * run_n;
    offsets[runs] = n;
    *scratch = (char *)offsets + gpi_align_up((sort->chunks + 1) * sizeof(size_t));
    return offsets;
}

/* Merges part `number` of `parts` of n items; the caller has set the arrays of `part`. */
static inline void GPI(merge_part)(const GPI(sort) *sort, int worker,
                                   GPI(runs_part) part, size_t n, size_t run_n, size_t number,
                                   size_t parts)
{
    char *scratch;

    part.offsets = GPI(offsets)(sort, worker, n, run_n, &scratch);
    part.scratch = scratch;
    part.runs = gpi_divide_up(n, run_n);
    part.first = n / parts * number + (number < n % parts ? number : n % parts);
    part.last = part.first + n / parts + (number < n % parts);
    (void)GPI(runs_merge)(&part);
}

/* A task of the first trip: merges a part of a group whose chunks are back. */
static inline void GPI(merge_group)(void *user, size_t task, int worker)
{
    const GPI(sort) *sort = (const GPI(sort) *)user;
    const size_t parts = (size_t)sort->threads, group = task / parts,
                 max_n = sort->group * sort->chunk_n;
    const size_t first = group * max_n, from = group % 2 * max_n, left = sort->n - first;
    GPI(runs_part) part = {
        sort->run_keys + from, sort->group_keys + first, NULL, NULL, NULL, 0, 0, 0, NULL};

    if (GPI_RUNS_PAIRS) {
        part.values_in = sort->run_values + from;
        part.values_out = sort->group_values + first;
    }
    GPI(merge_part)
    (sort, worker, part, left < max_n ? left : max_n, sort->chunk_n, task % parts, parts);
}

/* A task of the last trip of method 1: merges a part of the whole array from all groups. */
static inline void GPI(merge_all)(void *user, size_t task, int worker)
{
    const GPI(sort) *sort = (const GPI(sort) *)user;
    GPI(runs_part) part = {
        sort->group_keys, sort->keys, sort->group_values, sort->values, NULL, 0, 0, 0, NULL};

    GPI(merge_part)
    (sort, worker, part, sort->n, sort->group * sort->chunk_n, task, sort->pipeline.tasks);
}

/* A task between the trips of method 2: splits the runs at the start of part `task`. */
static inline void GPI(cut)(void *user, size_t task, int worker)
{
    const GPI(sort) *sort = (const GPI(sort) *)user;
    const size_t rank = task * sort->chunk_n;
    char *memory = sort->scratch + (size_t)worker * sort->scratch_bytes;

    GPI(runs_split)
    (sort->run, sort->chunks, rank < sort->n ? rank : sort->n, sort->cuts + task * sort->chunks,
     (size_t *)memory);
}

/* Copies items [first, last) of a place to items [to_first, ...) of another. */
static inline void GPI(copy)(const gpi_hybrid_place *from, size_t first, size_t last,
                             const gpi_hybrid_place *to, size_t to_first)
{
    const size_t bytes[GPI_HYBRID_ARRAYS] = {sizeof(GP_KEY), GPI_HYBRID_VALUE_BYTES};

    for (int a = 0; a < GPI_HYBRID_ARRAYS; a++)
        if (bytes[a])
            memcpy(to->items[a] + to_first * bytes[a], from->items[a] + first * bytes[a],
                   (last - first) * bytes[a]);
}

/*
 * Items [*first, result) of parked run r have to be evicted to its own place before its place in
 * the array is overwritten: they belong to parts that may not be back by then, since up to
 * GPI_HYBRID_SLOTS - 1 parts before it are still on the device.
 */
static inline size_t GPI(needed)(const GPI(sort) *sort, size_t r, size_t *first)
{
    *first = sort->cuts[sort->own[r].since * sort->chunks + r];
    return sort->cuts[sort->parked * sort->chunks + r];
}

/* Items of an eviction task of the second trip; few, since the thread's staging buffers wait meanwhile. */
#define GPI_HYBRID_EVICT_N gpi_divide_up(gpi_hybrid_block_n(sizeof(GP_KEY)), 4)

static inline void GPI(evict)(void *user, size_t task, int worker)
{
    const GPI(sort) *sort = (const GPI(sort) *)user;
    const size_t r = sort->parked_run[task % sort->parked];
    size_t first, end = GPI(needed)(sort, r, &first);

    (void)worker;
    first += task / sort->parked * GPI_HYBRID_EVICT_N;
    if (first < end)
        GPI(copy)
        (&sort->runs[r], first, end - first < GPI_HYBRID_EVICT_N ? end : first + GPI_HYBRID_EVICT_N,
         &sort->own[r], first);
}

/* The number of eviction tasks. */
static inline size_t GPI(evict_tasks)(const GPI(sort) * sort)
{
    size_t max_n = 0;

    for (size_t c = 0; c < sort->parked; c++) {
        size_t first, end = GPI(needed)(sort, sort->parked_run[c], &first);

        max_n = end - first > max_n ? end - first : max_n;
    }
    return sort->parked * gpi_divide_up(max_n, GPI_HYBRID_EVICT_N);
}

/* After a failure of the first trip: chunks whose places may hold parked runs come back, as runs. */
static inline void GPI(first_failed)(const GPI(sort) *sort)
{
    for (size_t c = 0; c < sort->parked && c < sort->pipeline.back; c++)
        GPI(copy)(&sort->own[c], 0, sort->chunk_n, &sort->array[c], 0);
}

/*
 * After a failure of the second trip. While the parked runs are in their places, the other runs
 * fill the rest of the array. Once all chunks before the barrier are back and all tasks are done,
 * that rest is complete, and so are some of the parts before it; the items of the others come back
 * behind these.
 */
static inline void GPI(second_failed)(const GPI(sort) *sort)
{
    const size_t chunks = sort->chunks, parked = sort->parked, back = sort->pipeline.back;
    const int still_parked =
        back < chunks - parked || sort->pipeline.tasks_done < sort->pipeline.tasks;
    const size_t part = still_parked ? parked : back - (chunks - parked);
    const size_t *from = sort->cuts + part * chunks, *until = sort->cuts + parked * chunks;
    size_t to = part * sort->chunk_n;

    for (size_t c = 0; c < parked && !still_parked; c++) { /* what has not been evicted */
        const size_t r = sort->parked_run[c];
        size_t first;

        (void)GPI(needed)(sort, r, &first);
        if (from[r] < first)
            GPI(copy)(&sort->runs[r], from[r], first, &sort->own[r], from[r]);
    }
    for (size_t r = 0; r < chunks; r++) {
        const size_t first = still_parked ? 0 : from[r];
        const size_t last = !still_parked ? until[r] : sort->runs[r].streaming ? 0 : sort->run[r].n;

        GPI(copy)(&sort->own[r], first, last, &sort->array[0], to);
        to += last - first;
    }
}

/* The next trip has tasks and no chunks. */
static inline void GPI(tasks)(gpi_hybrid_pipeline *pipeline, void (*task)(void *, size_t, int),
                              size_t tasks)
{
    pipeline->chunks = pipeline->group = 0;
    pipeline->task = task;
    pipeline->tasks = pipeline->parts = tasks;
}

static inline cudaError_t GPI(trips)(GPI(sort) *sort)
{
    gpi_hybrid_pipeline *pipeline = &sort->pipeline;
    const size_t threads = (size_t)sort->threads;

    /* From the array to runs, or to merged groups of them. */
    pipeline->from = sort->array;
    pipeline->to = sort->runs;
    pipeline->chunks = pipeline->barrier = pipeline->places = sort->chunks;
    if (sort->group > 1) {
        pipeline->places = 2 * sort->group;
        pipeline->group = sort->group;
        pipeline->task = GPI(merge_group);
        pipeline->tasks = sort->groups * threads;
        pipeline->parts = threads;
    }
    cudaError_t error = gpi_hybrid_trip(pipeline, 0, 0.5);
    if (error != cudaSuccess) {
        GPI(first_failed)(sort);
        return error;
    }

    if (sort->method == 1) {
        GPI(tasks)(pipeline, GPI(merge_all), 4 * threads);
        return gpi_hybrid_trip(pipeline, 0.5, 0.5);
    }
    GPI(tasks)(pipeline, GPI(cut), sort->chunks + 1);
    (void)gpi_hybrid_trip(pipeline, 0.5, 0);

    /* Part after part from all runs through the GPU into the array; last where runs are parked. */
    GPI(tasks)(pipeline, GPI(evict), GPI(evict_tasks)(sort));
    pipeline->chunks = pipeline->places = pipeline->runs = sort->chunks;
    pipeline->first = sort->parked;
    pipeline->barrier = sort->chunks - sort->parked;
    pipeline->from = sort->runs;
    pipeline->evicted = sort->own;
    pipeline->to = sort->array;
    pipeline->cuts = sort->cuts;
    error = gpi_hybrid_trip(pipeline, 0.5, 0.5);
    if (error != cudaSuccess)
        GPI(second_failed)(sort);
    return error;
}

static inline cudaError_t GPI(host)(const char *function, GP_KEY *keys,
                                    GPI_RUNS_VALUE *values, size_t n,
                                    const gp_hybrid_options *options)
{
    GPI(sort) sort;
    gpi_hybrid_pipeline *pipeline = &sort.pipeline;

    memset((void *)&sort, 0, sizeof sort);
    sort.keys = keys;
    sort.values = values;
    sort.n = n;
    if (options)
        sort.options = *options;
    cudaError_t error = GPI(check)(function, &sort);
    if (error == cudaSuccess && n > 0)
        error = GPI(plan)(function, &sort);
    if (error != cudaSuccess)
        return error;

    if (n > 0) {
        GPI_RANGE_BEGIN(function);
        pipeline->item_bytes[GPI_HYBRID_KEYS] = sizeof(GP_KEY);
        pipeline->item_bytes[GPI_HYBRID_VALUES] = GPI_HYBRID_VALUE_BYTES;
        pipeline->n = n;
        pipeline->chunk_n = sort.chunk_n;
        pipeline->slots = sort.slots;
        pipeline->worker_count = sort.threads;
        pipeline->buffers = sort.threads < GPI_HYBRID_MANY_THREADS ? GPI_HYBRID_BUFFERS : 1;
        pipeline->serial = sort.options.serial_lanes != 0;
        pipeline->options = &sort.options;
        pipeline->user = &sort;
        pipeline->sort_chunk = GPI(sort_chunk);
        pthread_mutex_init(&pipeline->lock, NULL);
        pthread_cond_init(&pipeline->changed, NULL);
        error = GPI(host_memory)(function, &sort);
        if (error == cudaSuccess)
            error = GPI(device)(&sort);
        if (error == cudaSuccess)
            error = GPI(trips)(&sort);
        error = GPI(release)(&sort, error);
        pthread_cond_destroy(&pipeline->changed);
        pthread_mutex_destroy(&pipeline->lock);
        GPI_RANGE_END();
    }
    if (error == cudaSuccess && sort.options.progress && pipeline->reported < 1)
        sort.options.progress(sort.options.user, 1.0);
    return error;
}

#ifdef GP_VALUE
/* Sorts the pairs of a key and a value by the keys. */
GP_API cudaError_t GPI_PUBLIC(hybrid_sort_host)(GP_KEY *host_keys, GP_VALUE *host_values, size_t n,
                                                const gp_hybrid_options *options)
{
    return GPI(host)(GPI_TEXT(hybrid_sort_host), host_keys, host_values, n, options);
}
#else
/* Sorts the keys. */
GP_API cudaError_t GPI_PUBLIC(hybrid_sort_host)(GP_KEY *host_keys, size_t n,
                                                const gp_hybrid_options *options)
{
    return GPI(host)(GPI_TEXT(hybrid_sort_host), host_keys, NULL, n, options);
}
#endif

#undef GPI_RUNS_PAIRS
#undef GPI_RUNS_VALUE

#endif
#include "core/instance/end.cuh"
