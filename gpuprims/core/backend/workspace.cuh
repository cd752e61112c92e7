/*
 * core/backend/workspace.cuh: gp_workspace, scratch memory that a caller can keep between calls.
 *
 * Part of gpuprims.h; not to be included directly.
 */
#ifndef GPI_WORKSPACE_CUH
#define GPI_WORKSPACE_CUH

#include "arguments.cuh"
#include "nvtx.cuh"

/*
 * A handle to device memory that primitives use while they run. One handle serves every primitive, in
 * any order, as long as the calls are ordered (one stream, or events). Start it with
 * GP_WORKSPACE_INIT; the fields are the library's.
 *
 * Tags grow from the start of the memory: words that hold the launch that wrote them, so that they need
 * not be cleared between launches. Scratch, with undefined contents, lies at the end. Two rules keep
 * the tags valid where the two overlap, also when captured calls are replayed in between:
 *
 *     a call whose scratch reaches down to where tags have been clears that part when it ends
 *     a call whose tags reach up to where scratch has been clears that part before it begins
 */
typedef struct gp_workspace {
    void *memory;
    size_t bytes;
    size_t tags;  /* end of the tags of all calls so far, from the aligned start of the memory */
    size_t clean; /* lowest start of scratch so far: below it everything but tags is zero */
    int cleared;  /* the part for tags has been cleared */
    int wrapped;  /* the memory is the caller's: never grow, never free */
    const void *ended; /* the array that was read backward last, so that a cache has its start */
} gp_workspace;

/* clang-format off */
#define GP_WORKSPACE_INIT {NULL, 0, 0, 0, 0, 0, NULL}
/* clang-format on */

/* The alignment of every piece that a primitive carves: fast for bulk copies. */
#define GPI_ALIGNMENT 128

/* Memory that is cleared once for tags: enough for some 50 GB of input. */
#define GPI_CLEARED_BYTES ((size_t)16 << 20)

/* The next multiple of GPI_ALIGNMENT; SIZE_MAX if there is none. */
static inline size_t gpi_align_up(size_t bytes)
{
    const size_t sum = gpi_add_sizes(bytes, GPI_ALIGNMENT - 1);

    return sum == SIZE_MAX ? SIZE_MAX : sum & ~(size_t)(GPI_ALIGNMENT - 1);
}

/* Bytes of n items, aligned for the next piece. */
static inline size_t gpi_array_bytes(size_t n, size_t item_bytes)
{
    return gpi_align_up(gpi_multiply_sizes(n, item_bytes));
}

/* Where in the workspace a piece of n items begins, after which *end is where the next one does. */
static inline size_t gpi_carve(size_t *end, size_t n, size_t item_bytes)
{
    const size_t begin = *end;

    *end = gpi_add_sizes(begin, gpi_array_bytes(n, item_bytes));
    return begin;
}

/* Workspace bytes for tags and scratch, wherever the memory starts. */
static inline size_t gpi_tagged_request(size_t tile_state_bytes, size_t bytes)
{
    size_t sum = gpi_add_sizes(gpi_align_up(tile_state_bytes), gpi_align_up(bytes));

    return sum ? gpi_add_sizes(sum, GPI_ALIGNMENT - 1) : 0;
}

/* Defines NAME_<function>_workspace_bytes(size_t n) of a function that needs nothing but so many bytes for tags. */
#define GPI_TAGGED_WORKSPACE(function, tile_state_bytes)            \
    GP_API size_t GPI_PUBLIC(function##_workspace_bytes)(size_t n)  \
    {                                                               \
        return gpi_tagged_request(tile_state_bytes, 0);             \
    }

/* The bytes of scratch alone. */
static inline size_t gpi_workspace_request(size_t bytes)
{
    return gpi_tagged_request(0, bytes);
}

static inline char *gpi_aligned(const void *memory)
{
    return (char *)gpi_align_up((size_t)(uintptr_t)memory);
}

/* Makes the handle hold this memory, with undefined contents. */
static inline void gpi_workspace_hold(gp_workspace *ws, void *memory, size_t bytes, int wrapped)
{
    size_t skipped = (size_t)(gpi_aligned(memory) - (char *)memory);

    ws->memory = memory;
    ws->bytes = bytes;
    ws->tags = 0;
    ws->clean = bytes <= skipped ? 0 : bytes - skipped;
    if (ws->clean > GPI_CLEARED_BYTES)
        ws->clean = GPI_CLEARED_BYTES;
    ws->cleared = 0;
    ws->wrapped = wrapped;
}

/*
 * Whether a call that may read an array in any order begins at its end: that is what a cache has kept of it, whoever
 * wrote or read it before. The next call that reads the same array begins where this one ends.
 */
static inline int gpi_workspace_backward(gp_workspace *ws, const void *in)
{
    const int backward = !ws || ws->ended != in;

    if (ws)
        ws->ended = backward ? in : NULL;
    return backward;
}

/* Clears the part for tags, once; never in a graph, where every replay would clear it again. */
static inline cudaError_t gpi_workspace_clear(gp_workspace *ws, cudaStream_t stream)
{
    cudaError_t error = cudaMemsetAsync(gpi_aligned(ws->memory), 0, ws->clean, stream);

    ws->cleared = error == cudaSuccess;
    return error;
}

/*
 * Frees the memory, ordered on `stream`. A wrapped workspace only forgets its memory. The handle
 * can be used again. Graphs that were captured with it are no longer valid.
 */
static inline cudaError_t gp_workspace_release(gp_workspace *ws, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;

    if (!ws)
        return gpi_error(cudaErrorInvalidValue, "gp_workspace_release: ws is NULL");
    if (ws->memory && !ws->wrapped)
        error = cudaFreeAsync(ws->memory, stream);
    gpi_workspace_hold(ws, NULL, 0, 0);
    return error;
}

/* Allocates memory for `function`; refuses more than can exist. */
static inline cudaError_t gpi_workspace_allocate(void **memory, size_t bytes, cudaStream_t stream,
                                                 const char *function)
{
    cudaError_t error = cudaErrorMemoryAllocation;

    if (bytes <= GPI_MAX_BYTES)
        error = cudaMallocAsync(memory, bytes, stream);
    if (error == cudaErrorMemoryAllocation)
        gpi_error(error, "%s: there is no device memory for a workspace of %zu bytes", function,
                  bytes);
    return error;
}

/* Replaces the handle's memory, which is not wrapped, by `bytes` of new memory. */
static inline cudaError_t gpi_workspace_grow(gp_workspace *ws, size_t bytes, cudaStream_t stream,
                                             const char *function)
{
    void *memory = NULL;
    cudaError_t error = gpi_workspace_allocate(&memory, bytes, stream, function);

    if (error != cudaSuccess)
        return error;
    if (ws->memory)
        error = cudaFreeAsync(ws->memory, stream);
    gpi_workspace_hold(ws, memory, bytes, 0);
    return error != cudaSuccess ? error : gpi_workspace_clear(ws, stream);
}

/*
 * Makes the handle hold at least `bytes`, ordered on `stream`, so that later calls need not grow it.
 * NAME_<function>_workspace_bytes() returns how many are needed. On failure the handle is unchanged.
 * Refused for a wrapped workspace that is smaller, and while the stream is captured.
 */
static inline cudaError_t gp_workspace_reserve(gp_workspace *ws, size_t bytes, cudaStream_t stream)
{
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    cudaError_t error;

    if (!ws)
        return gpi_error(cudaErrorInvalidValue, "gp_workspace_reserve: ws is NULL");
    if (bytes <= ws->bytes)
        return cudaSuccess;
    if (ws->wrapped)
        return gpi_error(cudaErrorInvalidValue,
                         "gp_workspace_reserve: the wrapped workspace holds %zu bytes, %zu are needed",
                         ws->bytes, bytes);
    error = cudaStreamIsCapturing(stream, &capture);
    if (error != cudaSuccess)
        return error;
    if (capture != cudaStreamCaptureStatusNone)
        return gpi_error(cudaErrorInvalidValue,
                         "gp_workspace_reserve: stream is being captured and the workspace would grow "
                         "from %zu to %zu bytes; reserve them before the capture",
                         ws->bytes, bytes);
    return gpi_workspace_grow(ws, bytes, stream, "gp_workspace_reserve");
}

/*
 * Makes the handle use the caller's `bytes` of device memory at `memory`: any alignment, any contents.
 * It never grows; until release nothing else may write there. Memory that the handle held is freed.
 */
static inline cudaError_t gp_workspace_wrap(gp_workspace *ws, void *memory, size_t bytes,
                                            cudaStream_t stream)
{
    cudaError_t error;

    if (!ws)
        return gpi_error(cudaErrorInvalidValue, "gp_workspace_wrap: ws is NULL");
    if (!memory && bytes)
        return gpi_error_null_of("gp_workspace_wrap", "memory", "bytes", bytes);
    error = gp_workspace_release(ws, stream);
    gpi_workspace_hold(ws, memory, bytes, 1);
    return error;
}

/* The memory of one call: the caller's workspace, or memory of the call's own. */
typedef struct gpi_scratch {
    char *tags;         /* zero, or tags of earlier launches; aligned to GPI_ALIGNMENT */
    char *memory;       /* undefined contents; aligned to GPI_ALIGNMENT */
    void *allocated;    /* to be freed at the end of the call, or NULL */
    size_t spoiled;     /* bytes of `memory`, where tags have been, to clear at the end */
} gpi_scratch;

/* Places tags and scratch in a handle that is large enough, by the rules above. */
static inline cudaError_t gpi_scratch_carve(gpi_scratch *scratch, gp_workspace *ws, size_t tile_state_bytes,
                                            size_t bytes, cudaStream_t stream)
{
    char *start = gpi_aligned(ws->memory);
    size_t room = ws->bytes - (size_t)(start - (char *)ws->memory);
    size_t at = (room - gpi_align_up(bytes)) & ~(size_t)(GPI_ALIGNMENT - 1);
    size_t clean;

    scratch->tags = start;
    scratch->memory = start + at;
    if (tile_state_bytes && !ws->cleared) {
        cudaError_t error = gpi_workspace_clear(ws, stream);

        if (error != cudaSuccess)
            return error;
    }
    clean = ws->clean;
    if (ws->tags < tile_state_bytes)
        ws->tags = tile_state_bytes;
    if (bytes && ws->clean > at)
        ws->clean = at > ws->tags ? at : ws->tags < ws->clean ? ws->tags : ws->clean;
    if (bytes && at < ws->tags && at < ws->clean)
        scratch->spoiled = (ws->tags < ws->clean ? ws->tags : ws->clean) - at;
    if (tile_state_bytes > clean)
        return cudaMemsetAsync(start + clean, 0, tile_state_bytes - clean, stream);
    return cudaSuccess;
}

/*
 * Provides tags and scratch for one call of `function`. During capture a handle may neither grow,
 * since the graph would outlive the memory, nor be cleared for its first tags, since every replay
 * would clear it again: the call allocates memory of its own instead.
 */
static inline cudaError_t gpi_scratch_provide(gpi_scratch *scratch, gp_workspace *ws,
                                              size_t tile_state_bytes, size_t bytes, cudaStream_t stream,
                                              const char *function)
{
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    size_t request = gpi_tagged_request(tile_state_bytes, bytes);
    cudaError_t error;

    memset((void *)scratch, 0, sizeof *scratch);
    if (request == 0)
        return cudaSuccess;
    if (ws && ws->wrapped && ws->bytes < request)
        return gpi_error(cudaErrorInvalidValue,
                         "%s: the wrapped workspace holds %zu bytes, %zu are needed", function,
                         ws->bytes, request);
    if (ws && (ws->bytes < request || (tile_state_bytes && !ws->cleared))) {
        error = cudaStreamIsCapturing(stream, &capture);
        if (error != cudaSuccess)
            return error;
    }
    if (ws && ws->bytes < request) {
        /* Large enough that scratch overlaps none of the tags of earlier calls. */
        if (capture == cudaStreamCaptureStatusNone)
            error = gpi_workspace_grow(ws, gpi_add_sizes(request, gpi_align_up(ws->tags)), stream,
                                       function);
        if (error != cudaSuccess)
            return error;
    }
    if (ws && capture == cudaStreamCaptureStatusNone)
        return gpi_scratch_carve(scratch, ws, tile_state_bytes, bytes, stream);

    error = gpi_workspace_allocate(&scratch->allocated, request, stream, function);
    if (error != cudaSuccess)
        return error;
    scratch->tags = gpi_aligned(scratch->allocated);
    scratch->memory = scratch->tags + gpi_align_up(tile_state_bytes);
    if (tile_state_bytes)
        error = cudaMemsetAsync(scratch->tags, 0, tile_state_bytes, stream);
    if (error != cudaSuccess)
        (void)cudaFreeAsync(scratch->allocated, stream);
    return error;
}

/* The same, and starts the call's range in Nsight's timeline, which gpi_scratch_release ends. */
static inline cudaError_t gpi_tagged_scratch_acquire(gpi_scratch *scratch, gp_workspace *ws,
                                                     size_t tile_state_bytes, size_t bytes,
                                                     cudaStream_t stream, const char *function)
{
    cudaError_t error;

    GPI_RANGE_BEGIN(function);
    error = gpi_scratch_provide(scratch, ws, tile_state_bytes, bytes, stream, function);
    if (error != cudaSuccess)
        GPI_RANGE_END();
    return error;
}

/* The same without tags; `request` is a gpi_workspace_request. */
static inline cudaError_t gpi_scratch_acquire(gpi_scratch *scratch, gp_workspace *ws, size_t request,
                                              cudaStream_t stream, const char *function)
{
    return gpi_tagged_scratch_acquire(scratch, ws, 0, request ? request - (GPI_ALIGNMENT - 1) : 0,
                                      stream, function);
}

/* Ends a call: clears and frees what is needed, and returns the first error. */
static inline cudaError_t gpi_scratch_release(gpi_scratch *scratch, cudaError_t error,
                                              cudaStream_t stream)
{
    cudaError_t cleared = cudaSuccess, freed = cudaSuccess;

    if (scratch->spoiled)
        cleared = cudaMemsetAsync(scratch->memory, 0, scratch->spoiled, stream);
    if (scratch->allocated)
        freed = cudaFreeAsync(scratch->allocated, stream);
    GPI_RANGE_END();
    return error != cudaSuccess ? error : cleared != cudaSuccess ? cleared : freed;
}

#endif
