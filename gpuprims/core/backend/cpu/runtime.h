/*
 * core/backend/cpu/runtime.h: the CUDA runtime calls of the CPU backend: errors, memory, streams, events,
 * device attributes. Everything is synchronous, so a stream keeps no state.
 *
 * Part of core/backend/cpu/backend.h; not to be included directly.
 */
#ifndef GPI_CPU_RUNTIME_H
#define GPI_CPU_RUNTIME_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined __SANITIZE_ADDRESS__
#define GPI_CPU_ASAN 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define GPI_CPU_ASAN 1
#endif
#endif

#ifdef GPI_CPU_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define gpi_cpu_poison(p, bytes) __asan_poison_memory_region((p), (bytes))
#define gpi_cpu_unpoison(p, bytes) __asan_unpoison_memory_region((p), (bytes))
#else
#define gpi_cpu_poison(p, bytes) ((void)(p), (void)(bytes))
#define gpi_cpu_unpoison(p, bytes) ((void)(p), (void)(bytes))
#endif

/* CUDA's default arguments in C++. */
#ifdef __cplusplus
#define GPI_CPU_DEFAULT(value) = value
#else
#define GPI_CPU_DEFAULT(value)
#endif

/* ---- errors ---------------------------------------------------------------------------------- */

typedef enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInitializationError = 3,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchOutOfResources = 701,
    cudaErrorLaunchTimeout = 702,
    cudaErrorMisalignedAddress = 716,
    cudaErrorLaunchFailure = 719,
    cudaErrorNotSupported = 801,
    cudaErrorUnknown = 999
} cudaError_t;

/* State shared by all files of a program: settings, memory in use, this thread's last error. */
typedef struct gp_cpu_settings {
    unsigned long long seed;
    int resident_blocks;
    size_t memory_bytes;
    int patience_ms;
} gp_cpu_settings;

struct gpi_fiber;

#ifdef __cplusplus
extern "C" {
#endif
extern gp_cpu_settings gp_cpu;
__attribute__((weak)) gp_cpu_settings gp_cpu = {0, 0, 0, 0};
extern size_t gpi_cpu_memory_used;
__attribute__((weak)) size_t gpi_cpu_memory_used = 0;
extern int gpi_cpu_settings_read;
__attribute__((weak)) int gpi_cpu_settings_read = 0;
extern __thread cudaError_t gpi_cpu_last_error;
__attribute__((weak)) __thread cudaError_t gpi_cpu_last_error = cudaSuccess;
extern __thread struct gpi_fiber *gpi_cpu_self;
__attribute__((weak)) __thread struct gpi_fiber *gpi_cpu_self = NULL;
#ifdef __cplusplus
}
#endif

static inline unsigned long long gpi_cpu_setting(const char *variable, unsigned long long otherwise)
{
    const char *text = getenv(variable);

    return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

/* Runs before main and ordinary constructors, so that what a program assigns to gp_cpu stays. */
__attribute__((constructor(101))) static void gpi_cpu_read_settings(void)
{
    if (gpi_cpu_settings_read)
        return;
    gpi_cpu_settings_read = 1;
    gp_cpu.seed = gpi_cpu_setting("GP_CPU_SEED", 1);
    gp_cpu.resident_blocks = (int)gpi_cpu_setting("GP_CPU_RESIDENT_BLOCKS", 4);
    gp_cpu.memory_bytes = (size_t)gpi_cpu_setting("GP_CPU_MEMORY", (size_t)8 << 30);
    gp_cpu.patience_ms = (int)gpi_cpu_setting("GP_CPU_PATIENCE_MS", 10000);
}

static inline cudaError_t gpi_cpu_failed(cudaError_t error)
{
    if (error != cudaSuccess)
        gpi_cpu_last_error = error;
    return error;
}

static inline cudaError_t cudaPeekAtLastError(void)
{
    return gpi_cpu_last_error;
}

static inline cudaError_t cudaGetLastError(void)
{
    cudaError_t error = gpi_cpu_last_error;

    gpi_cpu_last_error = cudaSuccess;
    return error;
}

static inline const char *cudaGetErrorName(cudaError_t error)
{
    switch (error) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorInitializationError: return "cudaErrorInitializationError";
    case cudaErrorInvalidConfiguration: return "cudaErrorInvalidConfiguration";
    case cudaErrorNoDevice: return "cudaErrorNoDevice";
    case cudaErrorInvalidDevice: return "cudaErrorInvalidDevice";
    case cudaErrorInvalidResourceHandle: return "cudaErrorInvalidResourceHandle";
    case cudaErrorNotReady: return "cudaErrorNotReady";
    case cudaErrorIllegalAddress: return "cudaErrorIllegalAddress";
    case cudaErrorLaunchOutOfResources: return "cudaErrorLaunchOutOfResources";
    case cudaErrorLaunchTimeout: return "cudaErrorLaunchTimeout";
    case cudaErrorMisalignedAddress: return "cudaErrorMisalignedAddress";
    case cudaErrorLaunchFailure: return "cudaErrorLaunchFailure";
    case cudaErrorNotSupported: return "cudaErrorNotSupported";
    case cudaErrorUnknown: break;
    }
    return "cudaErrorUnknown";
}

static inline const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInitializationError: return "initialization error";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    case cudaErrorNoDevice: return "no CUDA-capable device is detected";
    case cudaErrorInvalidDevice: return "invalid device ordinal";
    case cudaErrorInvalidResourceHandle: return "invalid resource handle";
    case cudaErrorNotReady: return "device not ready";
    case cudaErrorIllegalAddress: return "an illegal memory access was encountered";
    case cudaErrorLaunchOutOfResources: return "too many resources requested for launch";
    case cudaErrorLaunchTimeout: return "the launch can never finish";
    case cudaErrorMisalignedAddress: return "misaligned address";
    case cudaErrorLaunchFailure: return "unspecified launch failure";
    case cudaErrorNotSupported: return "operation not supported";
    case cudaErrorUnknown: break;
    }
    return "unknown error";
}

/* ---- memory ---------------------------------------------------------------------------------- */

/*
 * An allocation follows a header with its size, and is exactly as long as requested, so that
 * AddressSanitizer sees the first byte past either end. New memory is filled with undefined bytes,
 * as on a GPU. Host memory does not count as device memory.
 */
#define GPI_CPU_HEADER 256

enum { cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2 };

static inline cudaError_t gpi_cpu_malloc(void **pointer, size_t bytes, int on_device)
{
    size_t counted = on_device ? bytes : 0;
    char *memory = NULL;

    if (!pointer)
        return gpi_cpu_failed(cudaErrorInvalidValue);
    *pointer = NULL;
    if (bytes == 0)
        return cudaSuccess;
    if (bytes > SIZE_MAX / 2 || counted > gp_cpu.memory_bytes)
        return gpi_cpu_failed(cudaErrorMemoryAllocation);
    if (__atomic_add_fetch(&gpi_cpu_memory_used, counted, __ATOMIC_RELAXED) <=
            gp_cpu.memory_bytes ||
        !on_device)
        memory = (char *)malloc(bytes + 2 * GPI_CPU_HEADER);
    if (!memory) {
        __atomic_sub_fetch(&gpi_cpu_memory_used, counted, __ATOMIC_RELAXED);
        return gpi_cpu_failed(cudaErrorMemoryAllocation);
    }

    /* [slack][size, what of it counts, malloc's pointer][the caller's bytes][rest of the slack] */
    uintptr_t payload =
        ((uintptr_t)memory + 2 * GPI_CPU_HEADER - 1) & ~(uintptr_t)(GPI_CPU_HEADER - 1);
    size_t *header = (size_t *)(payload - GPI_CPU_HEADER);
    header[0] = bytes;
    header[1] = counted;
    header[2] = (size_t)memory;
    memset((void *)payload, 0xA5, bytes);
    gpi_cpu_poison(memory, payload - (uintptr_t)memory);
    gpi_cpu_poison((char *)payload + bytes, (uintptr_t)memory + 2 * GPI_CPU_HEADER - payload);
    *pointer = (void *)payload;
    return cudaSuccess;
}

static inline cudaError_t cudaFree(void *pointer)
{
    if (!pointer)
        return cudaSuccess;

    size_t *header = (size_t *)((char *)pointer - GPI_CPU_HEADER);
    gpi_cpu_unpoison(header, GPI_CPU_HEADER);
    size_t bytes = header[0], counted = header[1];
    char *memory = (char *)header[2];
    gpi_cpu_unpoison(memory, bytes + 2 * GPI_CPU_HEADER);
    __atomic_sub_fetch(&gpi_cpu_memory_used, counted, __ATOMIC_RELAXED);
    free(memory);
    return cudaSuccess;
}

/*
 * Macros, so that any pointer to a pointer will do and flags may be left out, as in CUDA's C++
 * overloads.
 */
#define cudaMalloc(pointer, bytes) gpi_cpu_malloc((void **)(pointer), (bytes), 1)
#define cudaMallocManaged(pointer, ...) \
    gpi_cpu_malloc((void **)(pointer), GPI_CPU_BYTES(__VA_ARGS__, 0, 0), 1)
#define cudaMallocAsync(pointer, bytes, stream) ((void)(stream), cudaMalloc(pointer, bytes))
#define cudaMallocHost(pointer, ...) \
    gpi_cpu_malloc((void **)(pointer), GPI_CPU_BYTES(__VA_ARGS__, 0, 0), 0)
#define cudaHostAlloc(pointer, bytes, flags) cudaMallocHost(pointer, bytes, flags)
#define GPI_CPU_BYTES(bytes, flags, ...) ((void)(flags), (size_t)(bytes))

enum { cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4 };

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};

typedef struct gpi_cpu_stream *cudaStream_t;

static inline cudaError_t cudaFreeHost(void *pointer)
{
    return cudaFree(pointer);
}

enum { cudaHostRegisterDefault = 0 };

/* All host memory behaves as page-locked. */
static inline cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned flags)
{
    (void)flags;
    return pointer && bytes ? cudaSuccess : gpi_cpu_failed(cudaErrorInvalidValue);
}

static inline cudaError_t cudaHostUnregister(void *pointer)
{
    return pointer ? cudaSuccess : gpi_cpu_failed(cudaErrorInvalidValue);
}

static inline cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    (void)stream;
    return cudaFree(pointer);
}

static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                                     enum cudaMemcpyKind kind)
{
    (void)kind;
    if (bytes && (!to || !from))
        return gpi_cpu_failed(cudaErrorInvalidValue);
    if (bytes)
        memmove(to, from, bytes);
    return cudaSuccess;
}

static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                                          enum cudaMemcpyKind kind,
                                          cudaStream_t stream GPI_CPU_DEFAULT(0))
{
    (void)stream;
    return cudaMemcpy(to, from, bytes, kind);
}

static inline cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    if (bytes && !to)
        return gpi_cpu_failed(cudaErrorInvalidValue);
    if (bytes)
        memset(to, value, bytes);
    return cudaSuccess;
}

static inline cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes,
                                          cudaStream_t stream GPI_CPU_DEFAULT(0))
{
    (void)stream;
    return cudaMemset(to, value, bytes);
}

static inline cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    size_t used = __atomic_load_n(&gpi_cpu_memory_used, __ATOMIC_RELAXED);

    *total_bytes = gp_cpu.memory_bytes;
    *free_bytes = used < gp_cpu.memory_bytes ? gp_cpu.memory_bytes - used : 0;
    return cudaSuccess;
}

/* ---- streams and events ---------------------------------------------------------------------- */

struct gpi_cpu_stream {
    int unused;
};

typedef struct gpi_cpu_event {
    double milliseconds; /* when it was recorded; negative: never */
} * cudaEvent_t;

enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2 };
enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone = 0,
    cudaStreamCaptureStatusActive = 1,
    cudaStreamCaptureStatusInvalidated = 2
};

static inline double gpi_cpu_milliseconds(void)
{
    struct timespec now;

#ifdef CLOCK_MONOTONIC
    clock_gettime(CLOCK_MONOTONIC, &now);
#else
    timespec_get(&now, TIME_UTC);
#endif
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    (void)flags;
    *stream = (cudaStream_t)calloc(1, sizeof **stream);
    return *stream ? cudaSuccess : gpi_cpu_failed(cudaErrorMemoryAllocation);
}

static inline cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

static inline cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    free(stream);
    return cudaSuccess;
}

static inline cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

static inline cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

static inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                              unsigned flags GPI_CPU_DEFAULT(0))
{
    (void)stream;
    (void)event;
    (void)flags;
    return cudaSuccess;
}

static inline cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                                enum cudaStreamCaptureStatus *status)
{
    (void)stream;
    *status = cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

static inline cudaError_t cudaDeviceSynchronize(void)
{
    return cudaSuccess;
}

static inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    (void)flags;
    *event = (cudaEvent_t)malloc(sizeof **event);
    if (!*event)
        return gpi_cpu_failed(cudaErrorMemoryAllocation);
    (*event)->milliseconds = -1;
    return cudaSuccess;
}

static inline cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

static inline cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    return cudaSuccess;
}

static inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream GPI_CPU_DEFAULT(0))
{
    (void)stream;
    if (!event)
        return gpi_cpu_failed(cudaErrorInvalidResourceHandle);
    event->milliseconds = gpi_cpu_milliseconds();
    return cudaSuccess;
}

static inline cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return event ? cudaSuccess : gpi_cpu_failed(cudaErrorInvalidResourceHandle);
}

static inline cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return event ? cudaSuccess : gpi_cpu_failed(cudaErrorInvalidResourceHandle);
}

static inline cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start,
                                               cudaEvent_t stop)
{
    if (!start || !stop || start->milliseconds < 0 || stop->milliseconds < 0)
        return gpi_cpu_failed(cudaErrorInvalidResourceHandle);
    *milliseconds = (float)(stop->milliseconds - start->milliseconds);
    return cudaSuccess;
}

/* ---- the device ------------------------------------------------------------------------------ */

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMemoryPoolsSupported = 115
};

enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };

enum {
    GPI_CPU_STATIC_LIMIT = 48 << 10, /* GP_SHARED variables of a kernel */
    GPI_CPU_SHARED_LIMIT = 227 << 10 /* the most for a block on sm_90, with opt-in */
};

static inline cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

static inline cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

static inline cudaError_t cudaSetDevice(int device)
{
    return device == 0 ? cudaSuccess : gpi_cpu_failed(cudaErrorInvalidDevice);
}

static inline int gpi_cpu_resident_blocks(void)
{
    return gp_cpu.resident_blocks > 0 ? gp_cpu.resident_blocks : 1;
}

static inline cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute,
                                                 int device)
{
    if (device != 0)
        return gpi_cpu_failed(cudaErrorInvalidDevice);
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = 1024; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = GPI_CPU_STATIC_LIMIT; break;
    case cudaDevAttrWarpSize: *value = 32; break;
    case cudaDevAttrMultiProcessorCount: *value = gpi_cpu_resident_blocks(); break;
    case cudaDevAttrL2CacheSize: *value = 50 << 20; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = 1024; break;
    case cudaDevAttrComputeCapabilityMajor: *value = 9; break;
    case cudaDevAttrComputeCapabilityMinor: *value = 0; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = GPI_CPU_SHARED_LIMIT; break;
    case cudaDevAttrMemoryPoolsSupported: *value = 1; break;
    default: return gpi_cpu_failed(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

/* Nothing to do: a kernel may use all dynamic shared memory. */
#define cudaFuncSetAttribute(kernel, attribute, value) \
    ((void)(kernel), (void)(attribute), (void)(value), cudaSuccess)

#endif
