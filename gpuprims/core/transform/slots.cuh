/*
 * core/transform/slots.cuh: moves items of other sizes than those of vectors, up to 128 bytes. A warp copies a chunk
 * of them into its slot of shared memory as whole vectors; its lanes map the items and put the results there; and
 * the warp copies those out.
 *
 * Part of transform.cuh; not to be included directly.
 */
enum {
    GPI(lane_n) = GPI(wider) >= GPI_TUNE_TRANSFORM_LANE       ? 1 /* items of a lane */
                  : GPI(wider) >= GPI_TUNE_TRANSFORM_LANE / 8 ? GPI_TUNE_TRANSFORM_LANE / GPI(wider)
                                                              : 8,
    GPI(chunk_n) = 32 * GPI(lane_n),
    GPI(slot_bytes) = (GPI(chunk_n) * GPI(wider) + 127) / 128 * 128 + 128,
    GPI(warps) = GPI(threads) / 32,
    GPI(shared_bytes) = GPI(by_slots) ? GPI(warps) * GPI(slot_bytes) : 0
};

#if GPI_DEVICE_CODE && !defined GP_LOAD_AT && !defined GP_STORE_AT
GPI_DEVICE void GPI(move_chunk)(const GPI(job) *job, size_t first, unsigned n, gpi_extent array, char *slot,
                                unsigned lane, GPI_CONTEXT context)
{
    const char *from = (const char *)(job->in + first);
    char *to = (char *)(job->out + first);
    GP_TYPE results[GPI(lane_n)];

    gpi_fetch_ahead(slot, from, n * GPI(in_bytes), array, lane, GPI(chunk_n) * (unsigned)GPI(in_bytes) / 16);
    gpi_copy_wait();
    __syncwarp(); /* the chunk is in the slot */
    GPI_UNROLL
    for (unsigned k = 0; k < GPI(lane_n); k++)
        if (k * 32 + lane < n) {
            GP_INPUT_TYPE x;

            gpi_get(x, slot + gpi_misalignment(from) + (k * 32 + lane) * GPI(in_bytes));
            results[k] = GPI(load)(&x, context);
        }
    __syncwarp(); /* all lanes have read theirs */
    GPI_UNROLL
    for (unsigned k = 0; k < GPI(lane_n); k++)
        if (k * 32 + lane < n)
            gpi_put(slot + gpi_misalignment(to) + (k * 32 + lane) * GPI(out_bytes), results[k]);
    __syncwarp(); /* the results are in the slot */
    gpi_store_warp(to, slot, n * GPI(out_bytes), lane);
    __syncwarp(); /* the slot is free */
}

GPI_DEVICE void GPI(move_chunks)(const GPI(job) *job, size_t n, GPI_CONTEXT context)
{
    GP_DYNAMIC_SHARED(char, slots);
    const gpi_extent array = {(const char *)job->in, (const char *)(job->in + n)};
    const size_t warps = (size_t)gridDim.x * GPI(warps);
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    for (size_t chunk = (size_t)blockIdx.x * GPI(warps) + warp; chunk * GPI(chunk_n) < n; chunk += warps)
        GPI(move_chunk)(job, chunk * GPI(chunk_n), gpi_min_size(n - chunk * GPI(chunk_n), GPI(chunk_n)), array,
                        slots + warp * GPI(slot_bytes), lane, context);
}
#endif
