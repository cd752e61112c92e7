/*
 * core/top_k/sorted.cuh: the results of an array that has been sorted as a whole.
 *
 * Part of top_k.cuh; not to be included directly.
 */
static __global__ void __launch_bounds__(GPI(short_threads)) GPI(sorted_kernel)(GPI(job) job)
{
#if GPI_DEVICE_CODE
    gpi_grid_wait();
    gpi_grid_launch_next();
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < job.k; i += gridDim.x * (size_t)blockDim.x)
        GPI(write_result)(&job, 0, 0, i, i);
#endif
}
