/*
 * core/tile/clear.cuh: zeroes words of the workspace by a kernel, which overlaps with those before and behind it. A
 * memset would keep the next kernel from starting before it ends.
 */
#ifndef GPI_CLEAR_CUH
#define GPI_CLEAR_CUH

enum { GPI_CLEAR_THREADS = 512 };

static __global__ void __launch_bounds__(GPI_CLEAR_THREADS) gpi_clear_kernel(uint32_t *words, size_t n)
{
#if GPI_DEVICE_CODE
    const size_t i = blockIdx.x * (size_t)GPI_CLEAR_THREADS + threadIdx.x;

    gpi_grid_wait();
    gpi_grid_launch_next();
    if (i < n)
        words[i] = 0;
#endif
}

/* Zeroes n words. `dependent` says whether the launch may be a dependent one. */
static inline cudaError_t gpi_clear(uint32_t *words, size_t n, int dependent, cudaStream_t stream)
{
    return GPI_LAUNCH_DEPENDENT(dependent, gpi_clear_kernel, (unsigned)gpi_divide_up(n, GPI_CLEAR_THREADS),
                                GPI_CLEAR_THREADS, 0, stream, words, n);
}

#endif
