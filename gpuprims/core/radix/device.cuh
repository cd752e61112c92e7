/*
 * core/radix/device.cuh: what the current GPU can do for a radix sort, found out once for each GPU and instance.
 *
 * Part of radix_sort.cuh; not to be included directly.
 */

#ifdef __CUDACC__
/* Finds out, and lets the kernels have all shared memory. Returns whether it could. */
static inline int GPI(find_out)(int id, gpi_radix_device *device)
{
    const void *kernels[] = {GPI_RADIX_BLOCK_KERNELS, GPI_RADIX_CLUSTER_KERNELS, GPI_RADIX_BUCKET_KERNELS,
                             GPI_RADIX_PASS_KERNELS};
    struct cudaFuncAttributes attributes;
    int room = 0;
    cudaError_t error = cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, id);

    room &= ~1023;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels && error == cudaSuccess; k++) {
        error = cudaFuncGetAttributes(&attributes, kernels[k]);
        if (error == cudaSuccess)
            error = cudaFuncSetAttribute(kernels[k], cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         room - 1024 - (int)attributes.sharedSizeBytes);
    }
    if (error != cudaSuccess)
        return 0;
    device->room = (uint32_t)room;
    device->dependent = attributes.ptxVersion >= 90;
    device->cluster = (uint16_t)(device->dependent ? GPI(largest_cluster)(device->room) : 1);
    return 1;
}
#endif

/* The current GPU; the least of all if nothing can be found out. */
static inline gpi_radix_device GPI(device)(void)
{
    gpi_radix_device device = {GPI_RADIX_MIN_ROOM, 1, 0};

    if (GP_KERNEL == GP_KERNEL_PASSES_OLD)
        return device;
#ifdef __CUDACC__
    static gpi_radix_device known[GPI_DEVICES]; /* room 0: not yet */
    int id = 0;

    if (cudaGetDevice(&id) != cudaSuccess)
        return device;
    if (id < GPI_DEVICES) {
        gpi_radix_device cached;

        __atomic_load(&known[id], &cached, __ATOMIC_ACQUIRE);
        if (cached.room)
            return cached;
    }
    if (GPI(find_out)(id, &device) && id < GPI_DEVICES)
        __atomic_store(&known[id], &device, __ATOMIC_RELEASE);
#else
    device.room = 227 << 10;
    device.cluster = GPI_RADIX_CLUSTER_MAX;
    device.dependent = 1;
#endif
    return device;
}
