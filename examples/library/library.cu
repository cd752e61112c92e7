/* library.cu: what the shared library has besides its instances; gpuprims_library.h describes it. */
#include "gpuprims_library.h"

static const char library_table[] =
#include "table.h"
    ;

GP_EXTERN_C const char *gp_library_table(void)
{
    return library_table;
}

GP_EXTERN_C const char *gp_library_error(cudaError_t error)
{
    if (error == cudaErrorInvalidValue && gp_last_error_message()[0])
        return gp_last_error_message();
    return cudaGetErrorString(error);
}

GP_EXTERN_C cudaError_t gp_library_allocate(void **memory, size_t bytes, cudaStream_t stream)
{
    return cudaMallocAsync(memory, bytes, stream);
}

GP_EXTERN_C cudaError_t gp_library_free(void *memory, cudaStream_t stream)
{
    return cudaFreeAsync(memory, stream);
}

GP_EXTERN_C cudaError_t gp_library_copy(void *to, const void *from, size_t bytes, cudaStream_t stream)
{
    const cudaError_t error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);

    return error != cudaSuccess ? error : cudaStreamSynchronize(stream);
}

/* On the CPU backend the memory of the one device is that of the host. */
GP_EXTERN_C cudaError_t gp_library_device_of(const void *memory, int *device)
{
#ifdef __CUDACC__
    struct cudaPointerAttributes attributes;
    const cudaError_t error = cudaPointerGetAttributes(&attributes, memory);

    if (error != cudaSuccess)
        return error;
    *device = attributes.type == cudaMemoryTypeUnregistered ? -1 : attributes.device;
#else
    (void)memory;
    *device = 0;
#endif
    return cudaSuccess;
}

GP_EXTERN_C cudaError_t gp_library_get_device(int *device)
{
    return cudaGetDevice(device);
}

GP_EXTERN_C cudaError_t gp_library_set_device(int device)
{
    return cudaSetDevice(device);
}

GP_EXTERN_C cudaError_t gp_library_capability(int *capability)
{
#ifdef __CUDACC__
    int device, major, minor;
    cudaError_t error = cudaGetDevice(&device);

    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    if (error == cudaSuccess)
        *capability = 10 * major + minor;
    return error;
#else
    *capability = 0;
    return cudaSuccess;
#endif
}

GP_EXTERN_C cudaError_t gp_library_workspace_release(gp_workspace *ws, cudaStream_t stream)
{
    return gp_workspace_release(ws, stream);
}
