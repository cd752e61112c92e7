/* device.h: the device that is measured, and the arrays of one group on it. */
#ifndef BENCH_DEVICE_H
#define BENCH_DEVICE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "check.h"
#include "command_line.h"

#define RETURN_IF_ERROR(call)                        \
    do {                                             \
        cudaError_t return_if_error_status = (call); \
                                                     \
        if (return_if_error_status != cudaSuccess)   \
            return return_if_error_status;           \
    } while (0)

typedef struct device {
    int processors;
    size_t l2_bytes;
    cudaStream_t stream;
    cudaEvent_t start, stop;
    void *flush; /* larger than the L2 cache */
    size_t flush_bytes;
    unsigned *gate, turn; /* of hold.h; the first on the host, where the device sees it */
    unsigned long long *first; /* of check.h; or how many, of input.h */
    double memcpy_rate;        /* bytes read and written per ms, by a large copy */
} device;

/* The arrays of one group at one size. Pointers past offsets and guards; host arrays may be NULL.
 */
typedef struct arrays {
    size_t n, in_bytes, out_bytes, scratch_bytes;
    char *in_memory, *out_memory, *expected_memory;
    void *in, *out, *expected;
    void *
        magnitude; /* that a float sum is held against: the sum of all |x|; where x >= 0 that is `expected` */
    uint8_t *flags;
    void *map;
    size_t *count;
    void *scratch;
    gp_workspace ws;
    void *host_in, *host_out, *host_map, *host_room;
    uint8_t *host_flags;
    size_t host_count, host_room_bytes;
    int host_has_input, is_registered;
    size_t expected_count; /* and that many items, or n, or one: */
    size_t expected_items;
    size_t flagged; /* how many flags are set */
} arrays;

static inline double clock_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* ---- the device ---- */

static inline void device_require(cudaError_t status, const char *what)
{
    if (status != cudaSuccess)
        quit(EXIT_WRONG, "cannot get %s: %s", what, cudaGetErrorString(status));
}

static inline void device_open(device *d)
{
    int value = 0;

    memset(d, 0, sizeof *d);
#ifdef __CUDACC__
    uint64_t everything = UINT64_MAX;
    cudaMemPool_t pool;
    int devices = 0;
    cudaError_t status = cudaGetDeviceCount(&devices);

    if (status != cudaSuccess || devices == 0)
        quit(EXIT_NO_GPU, "no GPU answers: %s",
             status != cudaSuccess ? cudaGetErrorString(status) : "there is none");
    /*
     * What is freed stays with the process, for the next row. After large arrays have gone back to the driver,
     * memory is up to an eighth slower for a while.
     */
    device_require(cudaDeviceGetDefaultMemPool(&pool, 0), "the memory pool");
    device_require(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &everything),
                   "memory that stays");
    device_require(cudaMallocHost((void **)&d->gate, sizeof *d->gate), "page-locked memory");
    *d->gate = 0;
#endif
    cudaDeviceGetAttribute(&d->processors, cudaDevAttrMultiProcessorCount, 0);
    cudaDeviceGetAttribute(&value, cudaDevAttrL2CacheSize, 0);
    d->l2_bytes = (size_t)value;
    d->flush_bytes = 2 * d->l2_bytes;
    device_require(cudaStreamCreate(&d->stream), "a stream");
    device_require(cudaEventCreate(&d->start), "an event");
    device_require(cudaEventCreate(&d->stop), "an event");
    device_require(cudaMalloc(&d->flush, d->flush_bytes), "memory to flush the cache with");
    device_require(cudaMalloc((void **)&d->first, sizeof *d->first), "a counter");
}

static inline void device_close(device *d)
{
#ifdef __CUDACC__
    cudaFreeHost(d->gate);
#endif
    cudaFree(d->first);
    cudaFree(d->flush);
    cudaEventDestroy(d->stop);
    cudaEventDestroy(d->start);
    cudaStreamDestroy(d->stream);
}

/* ---- arrays ---- */

static inline void arrays_free(arrays *a, cudaStream_t stream)
{
    gp_workspace_release(&a->ws, stream);
    cudaStreamSynchronize(stream);
    cudaFree(a->in_memory);
    cudaFree(a->out_memory);
    if (a->magnitude != a->expected)
        cudaFree(a->magnitude);
    cudaFree(a->expected_memory);
    cudaFree(a->flags);
    cudaFree(a->map);
    cudaFree(a->count);
    cudaFree(a->scratch);
    if (a->is_registered) {
        cudaHostUnregister(a->host_in);
        cudaHostUnregister(a->host_out);
        if (a->flags)
            cudaHostUnregister(a->host_flags);
        if (a->map)
            cudaHostUnregister(a->host_map);
    }
    free(a->host_in);
    free(a->host_out);
    free(a->host_flags);
    free(a->host_map);
    free(a->host_room);
}

/* What must move, the least that any implementation can do. */
static inline double group_bytes(const bench_group *g, size_t n, size_t count)
{
    int is_counted = g->result == RESULT_COUNTED || g->result == RESULT_FLAGGED ||
                     g->result == RESULT_COUNTED_PAIRS;
    double written = g->result == RESULT_ONE ? 0 : is_counted ? (double)count : (double)n;

    return (double)n * (double)(g->in.bytes + (g->has_flags ? 1 : 0) + g->map_bytes) +
           written * (double)g->out.bytes;
}

/* Every array has room for the copy that memcpy is measured by, and for guards and offsets. */
static inline cudaError_t arrays_allocate(arrays *a, const bench_group *g, size_t offset_in,
                                          size_t offset_out, size_t n, cudaStream_t stream)
{
    size_t copy = (size_t)(group_bytes(g, n, n) / 2) + 1;
    size_t out_items = g->result == RESULT_ONE ? 1 : n;

    memset(a, 0, sizeof *a);
    a->n = n;
    a->in_bytes = n * g->in.bytes > copy ? n * g->in.bytes : copy;
    a->out_bytes = out_items * g->out.bytes;
    RETURN_IF_ERROR(cudaMallocAsync(&a->in_memory,
                                    offset_in * g->in.bytes + a->in_bytes + GUARD_BYTES, stream));
    RETURN_IF_ERROR(cudaMallocAsync(&a->out_memory,
                                    2 * GUARD_BYTES + offset_out * g->out.bytes +
                                        (a->out_bytes > copy ? a->out_bytes : copy),
                                    stream));
    RETURN_IF_ERROR(cudaMallocAsync(&a->expected_memory, a->out_bytes, stream));
    RETURN_IF_ERROR(cudaMallocAsync((void **)&a->count, sizeof *a->count, stream));
    if (g->has_flags)
        RETURN_IF_ERROR(cudaMallocAsync((void **)&a->flags, n, stream));
    if (g->map_bytes)
        RETURN_IF_ERROR(cudaMallocAsync(&a->map, n * g->map_bytes, stream));
    a->in = a->in_memory + offset_in * g->in.bytes;
    a->out = a->out_memory + GUARD_BYTES + offset_out * g->out.bytes;
    a->expected = a->magnitude = a->expected_memory;
    return cudaSuccess;
}

/* Room for the input and a result on the host. */
static inline cudaError_t arrays_host_allocate(arrays *a, const bench_group *g)
{
    if (a->host_in)
        return cudaSuccess;
    a->host_in = malloc(a->n * g->in.bytes);
    a->host_out = malloc(a->n * g->out.bytes + GUARD_BYTES);
    a->host_flags = (uint8_t *)malloc(a->n);
    a->host_map = malloc(a->n * (g->map_bytes ? g->map_bytes : 1));
    return a->host_in && a->host_out && a->host_flags && a->host_map ? cudaSuccess
                                                                     : cudaErrorMemoryAllocation;
}

/* Memory that implementations on the host need; the system has found all of its pages. */
static inline cudaError_t arrays_host_reserve(arrays *a, size_t bytes)
{
    if (bytes <= a->host_room_bytes)
        return cudaSuccess;
    free(a->host_room);
    a->host_room = malloc(bytes);
    a->host_room_bytes = a->host_room ? bytes : 0;
    if (!a->host_room)
        return cudaErrorMemoryAllocation;
    memset(a->host_room, GUARD_BYTE, bytes);
    return cudaSuccess;
}

/* Page-locks what is copied, so that it moves at the speed of the bus. */
static inline cudaError_t arrays_register(arrays *a, const bench_group *g)
{
    RETURN_IF_ERROR(arrays_host_allocate(a, g));
    RETURN_IF_ERROR(cudaHostRegister(a->host_in, a->n * g->in.bytes, cudaHostRegisterDefault));
    RETURN_IF_ERROR(cudaHostRegister(a->host_out, a->n * g->out.bytes, cudaHostRegisterDefault));
    if (a->flags)
        RETURN_IF_ERROR(cudaHostRegister(a->host_flags, a->n, cudaHostRegisterDefault));
    if (a->map)
        RETURN_IF_ERROR(
            cudaHostRegister(a->host_map, a->n * g->map_bytes, cudaHostRegisterDefault));
    a->is_registered = 1;
    return cudaSuccess;
}

/* The input on the host too. */
static inline cudaError_t arrays_fetch(arrays *a, const bench_group *g)
{
    if (a->host_has_input)
        return cudaSuccess;
    RETURN_IF_ERROR(arrays_host_allocate(a, g));
    a->host_has_input = 1;
    if (g->has_flags)
        RETURN_IF_ERROR(cudaMemcpy(a->host_flags, a->flags, a->n, cudaMemcpyDeviceToHost));
    if (g->map_bytes)
        RETURN_IF_ERROR(
            cudaMemcpy(a->host_map, a->map, a->n * g->map_bytes, cudaMemcpyDeviceToHost));
    return cudaMemcpy(a->host_in, a->in, a->n * g->in.bytes, cudaMemcpyDeviceToHost);
}

#endif
