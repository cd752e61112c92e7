/*
 * core/workspace.cuh: gp_workspace, scratch memory that a caller can keep between calls.
 *
 * Part of gpuprims.h; not to be included directly.
 */
#ifndef GPI_WORKSPACE_CUH
#define GPI_WORKSPACE_CUH

#include "nvtx.cuh"

/*
 * A handle to device memory that primitives use while they run. One handle serves every primitive, in
 * any order, as long as the calls are ordered (one stream, or events). Start it with
 * GP_WORKSPACE_INIT; the fields are the library's.
 */
typedef struct gp_workspace {
    void *memory;
    size_t bytes;
    int wrapped; /* the memory is the caller's: never grow, never free */
} gp_workspace;

/* clang-format off */
#define GP_WORKSPACE_INIT {NULL, 0, 0}
/* clang-format on */

/* Every piece that a primitive carves starts at a multiple of this: what a bulk copy likes best. */
#define GPI_ALIGNMENT 128

/* What the caller asks for so that the carved pieces fit wherever the memory starts. */
static inline size_t gpi_workspace_request(size_t bytes)
{
    return bytes ? bytes + GPI_ALIGNMENT - 1 : 0;
}

/*
 * Gives the memory back, ordered on `stream`. A wrapped workspace only forgets its memory. The handle
 * can be used again. Graphs that were captured with it are no longer valid.
 */
static inline cudaError_t gp_workspace_release(gp_workspace *ws, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;

    if (!ws)
        return gpi_error(cudaErrorInvalidValue, "gp_workspace_release: ws is NULL");
    if (ws->memory && !ws->wrapped)
        error = cudaFreeAsync(ws->memory, stream);
    ws->memory = NULL;
    ws->bytes = 0;
    ws->wrapped = 0;
    return error;
}

/*
 * Makes the handle hold at least `bytes`, ordered on `stream`, so that later calls need not grow it.
 * Ask NAME_<function>_workspace_bytes() how many. On failure the handle keeps what it had. Refused for
 * a wrapped workspace that is smaller, and while the stream is captured.
 */
static inline cudaError_t gp_workspace_reserve(gp_workspace *ws, size_t bytes, cudaStream_t stream)
{
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    void *memory = NULL;
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
    error = cudaMallocAsync(&memory, bytes, stream);
    if (error != cudaSuccess)
        return error;
    if (ws->memory)
        error = cudaFreeAsync(ws->memory, stream);
    ws->memory = memory;
    ws->bytes = bytes;
    return error;
}

/*
 * Makes the handle use the caller's `bytes` of device memory at `memory`: any alignment, any contents.
 * It never grows; until release nobody else writes there. Memory that the handle held is given back.
 */
static inline cudaError_t gp_workspace_wrap(gp_workspace *ws, void *memory, size_t bytes,
                                            cudaStream_t stream)
{
    cudaError_t error;

    if (!ws)
        return gpi_error(cudaErrorInvalidValue, "gp_workspace_wrap: ws is NULL");
    if (!memory && bytes)
        return gpi_error_null("gp_workspace_wrap", "memory", bytes);
    error = gp_workspace_release(ws, stream);
    ws->memory = memory;
    ws->bytes = bytes;
    ws->wrapped = 1;
    return error;
}

/* The scratch memory of one call: the caller's workspace, or memory of the call's own. */
typedef struct gpi_scratch {
    char *memory;    /* aligned to GPI_ALIGNMENT */
    void *allocated; /* to be freed at the end of the call, or NULL */
} gpi_scratch;

/*
 * Provides `bytes` (a gpi_workspace_request) for one call of `function`. While a stream is captured a
 * handle may not grow, since the graph would then outlive the memory: the call takes its own instead.
 */
static inline cudaError_t gpi_scratch_provide(gpi_scratch *scratch, gp_workspace *ws, size_t bytes,
                                              cudaStream_t stream, const char *function)
{
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    void *memory = ws ? ws->memory : NULL;
    cudaError_t error;

    scratch->memory = NULL;
    scratch->allocated = NULL;
    if (bytes == 0)
        return cudaSuccess;
    if (ws && ws->wrapped && ws->bytes < bytes)
        return gpi_error(cudaErrorInvalidValue,
                         "%s: the wrapped workspace holds %zu bytes, %zu are needed", function,
                         ws->bytes, bytes);
    if (!ws || ws->bytes < bytes) {
        error = cudaStreamIsCapturing(stream, &capture);
        if (error != cudaSuccess)
            return error;
        if (ws && capture == cudaStreamCaptureStatusNone) {
            error = gp_workspace_reserve(ws, bytes, stream);
            memory = ws->memory;
        } else {
            error = cudaMallocAsync(&scratch->allocated, bytes, stream);
            memory = scratch->allocated;
        }
        if (error != cudaSuccess)
            return error;
    }
    scratch->memory = (char *)(((uintptr_t)memory + GPI_ALIGNMENT - 1) &
                               ~(uintptr_t)(GPI_ALIGNMENT - 1));
    return cudaSuccess;
}

/* The same, and the call becomes a range of Nsight's timeline; gpi_scratch_release ends it. */
static inline cudaError_t gpi_scratch_acquire(gpi_scratch *scratch, gp_workspace *ws, size_t bytes,
                                              cudaStream_t stream, const char *function)
{
    cudaError_t error;

    GPI_RANGE_BEGIN(function);
    error = gpi_scratch_provide(scratch, ws, bytes, stream, function);
    if (error != cudaSuccess)
        GPI_RANGE_END();
    return error;
}

/* Ends a call: frees what was its own, and returns the first error of the two. */
static inline cudaError_t gpi_scratch_release(gpi_scratch *scratch, cudaError_t error,
                                              cudaStream_t stream)
{
    cudaError_t freed = cudaSuccess;

    if (scratch->allocated)
        freed = cudaFreeAsync(scratch->allocated, stream);
    GPI_RANGE_END();
    return error != cudaSuccess ? error : freed;
}

#endif
