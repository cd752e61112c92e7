/*
 * core/compact/count.cuh: counts the kept items before a stable partition that cannot hold its tiles until it knows.
 *
 * Part of compact.cuh; not to be included directly.
 */
#ifndef GPI_COMPACT_COUNT_THREADS
#define GPI_COMPACT_COUNT_THREADS 256
#define GPI_COMPACT_COUNT_BLOCKS  8

#if GPI_DEVICE_CODE
/* One thread of each block: adds up the blocks' sums, for the launch that follows. */
GPI_DEVICE void gpi_finish_count(gpi_tile_state_head *head, unsigned long long sum)
{
    atomicAdd(&head->total, sum);
    __threadfence(); /* the sum is there before the block is done */
    if (gpi_check_out(head) != gridDim.x - 1)
        return;
    __threadfence(); /* and the other sums are there after it is */
    head->counted = atomicExch(&head->total, 0ull);
    head->done = 0;
}
#endif
#endif

#if GPI_DEVICE_CODE
/* As GPI(count), without flags: whole vectors where the items allow. */
GPI_DEVICE unsigned GPI(count_warp_tile)(const GPI(job) *job, size_t warp_tile, unsigned lane, GPI_CONTEXT context)
{
    GPI(part) part = GPI(cut)(job, warp_tile);
#ifndef GP_LOAD_AT
    unsigned kept = 0;
    GPI(thread_items) regs;

    if (16 % sizeof(GP_TYPE) == 0 && part.first == 0 && part.last == GPI(warp_tile_n) &&
        GPI(misalignment)(job, part) % 16 == 0) {
        GPI_UNROLL
        for (int v = 0; v < GPI(out_bytes) / 16; v++)
            gpi_get(regs.vectors[v], (const char *)(job->in + part.start) + ((unsigned)v * 32 + lane) * 16);
        GPI_UNROLL
        for (int i = 0; i < GPI(thread_n); i++) {
            GP_TYPE x = GPI(item)(&regs, i);

            kept += (unsigned)GPI(keep)(&x, context);
        }
        return kept;
    }
#endif
    return GPI(count)(job, part.start + part.first, part.start + part.last, lane, context);
}
#endif

static __global__ void __launch_bounds__(GPI_COMPACT_COUNT_THREADS)
    GPI(count_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_SHARED(unsigned long long[GPI_COMPACT_COUNT_THREADS / 32], warp_sums);
    size_t warps = (size_t)gridDim.x * (GPI_COMPACT_COUNT_THREADS / 32);
    size_t first_tiles = (size_t)job.first_tiles * job.warp_tiles, all = (size_t)job.tiles * job.warp_tiles;
    size_t first = (size_t)blockIdx.x * (GPI_COMPACT_COUNT_THREADS / 32);
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned long long sum = 0;

    gpi_grid_wait();
    gpi_grid_launch_next();
    for (size_t c = first + warp; c < all - first_tiles; c += warps) /* from the end: those before come next */
        sum += GPI(count_warp_tile)(&job, all - 1 - c, lane, context);
    for (int stride = 16; stride; stride /= 2)
        sum += __shfl_xor_sync(GPI_FULL_MASK, sum, stride);
    if (lane == 0)
        warp_sums[warp] = sum;
    __syncthreads(); /* warp_sums are complete */
    if (threadIdx.x == 0) {
        for (int w = 1; w < GPI_COMPACT_COUNT_THREADS / 32; w++)
            sum += warp_sums[w];
        gpi_finish_count(job.head, sum);
    }
#endif
}
