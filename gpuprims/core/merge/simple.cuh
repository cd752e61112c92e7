/*
 * core/merge/simple.cuh: the merge of small arrays, and on older GPUs. A block finds where its tile begins and ends,
 * fetches both parts, merges them, and writes the tile.
 *
 * Part of merge.cuh; not to be included directly.
 */

enum {
    GPI(simple_threads) = sizeof(GP_TYPE) <= 128   ? GPI_TUNE_MERGE_TWO_SIMPLE_THREADS
                          : sizeof(GP_TYPE) <= 256 ? 128
                          : sizeof(GP_TYPE) <= 512 ? 64
                                                   : 32
};

#if GPI_DEVICE_CODE
/* One warp: writes its items, when they are in the stage. */
GPI_DEVICE void GPI(write)(const char *stage, const GPI(piece) *piece, unsigned lane)
{
    const unsigned bytes = 32 * GPI(items) * (unsigned)sizeof(GP_TYPE),
                   begin = threadIdx.x / 32 * bytes;
    const unsigned end = piece->items * (unsigned)sizeof(GP_TYPE);
    char *to = piece->out + begin;

    if (begin < end)
        gpi_store_warp(to, stage + gpi_misalignment(piece->out) + begin - gpi_misalignment(to),
                       gpi_min(end - begin, bytes), lane);
}
#endif

static __global__ void __launch_bounds__(GPI(simple_threads))
    GPI(simple_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    typedef struct {
        char bytes[GPI_MERGE_STAGE_BYTES((int)GPI(simple_threads) * (int)GPI(items))];
    } __attribute__((aligned(128))) stage;
    GP_SHARED(stage, shared);
    GP_SHARED(GPI(window)[2], splits);
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const unsigned tile_items = blockDim.x * GPI(items), first = threadIdx.x * GPI(items);

    const gpi_extent a = {(const char *)job.a, (const char *)(job.a + job.na)};
    const gpi_extent b = {(const char *)job.b, (const char *)(job.b + job.nb)};

    gpi_grid_wait();
    gpi_grid_launch_next();
    for (size_t tile = blockIdx.x; tile < job.tiles; tile += gridDim.x) {
        GP_TYPE x[GPI(items)];

        for (unsigned end = warp; end < 2; end += warps) {
            const size_t n = job.na + job.nb, behind = (tile + end) * tile_items,
                         diagonal = behind < n ? behind : n;
            const GPI(window) split = GPI(split)(
                &job, diagonal, GPI(open_window)(&job, diagonal, 0, diagonal), 5, lane, context);

            if (lane == 0)
                splits[end] = split;
        }
        __syncthreads(); /* the splits are known */
        const GPI(piece) piece = GPI(cut)(&job, tile, tile_items, splits[0], splits[1]);
        gpi_fetch_block(shared.bytes + piece.a_at - gpi_misalignment(piece.a), piece.a,
                        piece.a_items * (unsigned)sizeof *x, a);
        gpi_fetch_block(shared.bytes + piece.b_at - gpi_misalignment(piece.b), piece.b,
                        piece.b_items * (unsigned)sizeof *x, b);
        gpi_copy_wait();
        __syncthreads(); /* the parts are in the stage */
        if (first < piece.items)
            GPI(take)(x, shared.bytes, &piece, first, context);
        __syncthreads(); /* and have been read */
        if (first < piece.items)
            GPI(put)(x, shared.bytes + gpi_misalignment(piece.out), first);
        __syncwarp(); /* the warp's items are in the stage */
        GPI(write)(shared.bytes, &piece, lane);
        __syncthreads(); /* the tile has left the stage */
    }
#endif
}
