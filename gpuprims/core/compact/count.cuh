/*
 * core/compact/count.cuh: counts the kept items before a stable partition that cannot hold its tiles until it knows.
 *
 * Part of compact.cuh; not to be included directly.
 */
enum { GPI(count_threads) = 256, GPI(count_blocks) = 8 /* on a multiprocessor */ };

static __global__ void __launch_bounds__(GPI(count_threads)) GPI(count_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_SHARED(unsigned long long[GPI(count_threads) / 32], warp_sums);
    const size_t in_block = GPI(count_threads) / 32, warps = gridDim.x * in_block, first = blockIdx.x * in_block;
    size_t first_tiles = (size_t)job.first_tiles * job.warp_tiles, all = (size_t)job.tiles * job.warp_tiles;
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned long long sum = 0;

    gpi_grid_wait();
    gpi_grid_launch_next();
    for (size_t c = first + warp; c < all - first_tiles; c += warps) { /* from the end: those before come next */
        const GPI(part) part = GPI(cut)(&job, all - 1 - c);
        size_t at = part.start + part.first, last = part.start + part.last;
        unsigned kept = 0;

        GPI_NO_UNROLL
        for (; last - at >= 8 * 32; at += 8 * 32) { /* loads that are on their way at the same time */
            GPI_UNROLL
            for (unsigned k = 0; k < 8; k++)
                kept += GPI(keeps)(&job, at + k * 32 + lane, context);
        }
        sum += kept + GPI(count)(&job, at, last, lane, context);
    }
    for (int stride = 16; stride; stride /= 2)
        sum += __shfl_xor_sync(GPI_FULL_MASK, sum, stride);
    if (lane == 0)
        warp_sums[warp] = sum;
    __syncthreads(); /* warp_sums are complete */
    if (threadIdx.x == 0) {
        for (int w = 1; w < GPI(count_threads) / 32; w++)
            sum += warp_sums[w];
        gpi_finish_count(job.head, sum);
    }
#endif
}
