/*
 * core/reduce/large.cuh: the reduction of large inputs. Blocks stay, and draw tiles; a warp brings a chunk into
 * shared memory, each lane takes its run into registers, and while they are folded the next chunk is on its way.
 *
 * Part of reduce.cuh; not to be included directly.
 */

enum {
    GPI(threads) = 32 * GPI(tile_chunks),
    GPI(bytes) = GPI(tile_chunks) * GPI(slot_bytes),
    /* As many as find registers: a lane holds a run. */
    GPI(blocks) = (GPI(in_bytes) <= 112 && sizeof(GP_TYPE) <= 8 ? GPI_TUNE_REDUCE_BLOCKS : 2) * 8 /
                  GPI(tile_chunks)
};

/* What the threads of a block tell each other at the end of a tile. */
typedef struct {
    GP_TYPE sums[8]; /* of its warps */
    uint32_t tile, epoch;
    int is_last;
} GPI(meeting);

#if GPI_DEVICE_CODE
/* Starts to read a chunk: nothing waits for it before gpi_copy_wait(). */
GPI_DEVICE void GPI(fetch)(const GPI(job) *job, size_t chunk, char *slot, unsigned lane)
{
    gpi_extent array = {(const char *)job->in, (const char *)(job->in + job->n)};
    const char *from = (const char *)(job->in + chunk * GPI(chunk_n));
    unsigned bytes = GPI(chunk_items)(job->n, chunk) * (unsigned)sizeof(GP_INPUT_TYPE);

    gpi_fetch_ahead(slot, from, bytes, array, lane, GPI(chunk_n) * (unsigned)sizeof(GP_INPUT_TYPE) / 16);
}

/* Folds the lane's run of the last chunk, which is not whole; lanes without items get undefined memory. */
GPI_DEVICE GP_TYPE GPI(edge)(const char *slot, unsigned misalignment, unsigned n, unsigned lane,
                             GPI_CONTEXT context)
{
    const GP_INPUT_TYPE *items = (const GP_INPUT_TYPE *)(slot + misalignment);
    unsigned first = lane * GPI(run_n);
    GP_TYPE sum = GPI(load)(&items[first < n ? first : 0], context);

    for (unsigned i = first + 1; i < gpi_min(n, first + GPI(run_n)); i++)
        sum = GPI(combine)(sum, GPI(load)(&items[i], context));
    return sum;
}

/* Folds a whole run. */
GPI_DEVICE GP_TYPE GPI(whole_run)(const GPI(run_input) *in, GPI_CONTEXT context)
{
#if GP_OP == GP_SUM && !defined GP_IDENTITY
    if (GPI_SUMS_BYTES || GPI_SUMS_HALVES) {
        GPI(run_t) run;

        GPI_UNROLL
        for (int i = 0; i < GPI(run_n); i++)
            run.items[i] = GPI(load)(&in->items[i], context);
        return GPI(run_fold)(&run);
    }
#endif
    GP_TYPE sum = GPI(load)(&in->items[0], context);

    GPI_UNROLL
    for (int i = 1; i < GPI(run_n); i++)
        sum = GPI(combine)(sum, GPI(load)(&in->items[i], context));
    return sum;
}

/*
 * One thread: makes known what it has drawn, the block's tile after next. The first two are fixed, so that
 * the first loads need not wait for anything. Every block draws until there are no more tiles. So many
 * draws are known beforehand, and who has the last of them knows that all other blocks have finished or are
 * running.
 */
GPI_DEVICE void GPI(note)(const GPI(job) *job, GPI(meeting) *meeting, uint64_t ticket)
{
    uint32_t draw = (uint32_t)ticket, fixed = gpi_min(2 * gridDim.x, job->tiles);

    meeting->tile = 2 * gridDim.x + draw;
    meeting->epoch = gpi_ticket_epoch(ticket);
    meeting->is_last = draw == job->tiles - fixed + gridDim.x - 1;
}
#endif

static __global__ void __launch_bounds__(GPI(threads), GPI(blocks))
    GPI(large_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, slots);
    GP_SHARED(GPI(meeting)[2], meetings);
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    char *slot = slots + warp * GPI(slot_bytes);
    size_t chunks = (job.n + GPI(chunk_n) - 1) / GPI(chunk_n);
    uint32_t tile = blockIdx.x, next = tile + gridDim.x;
    GPI(meeting) *meeting = meetings;
    uint64_t ticket = 0;

    gpi_grid_wait();
    gpi_grid_launch_next();
    size_t chunk = (tile * (size_t)GPI(tile_chunks) + warp) * job.part;
    if (chunk < chunks)
        GPI(fetch)(&job, chunk, slot, lane);
    if (threadIdx.x == 0 && job.tiles > 1)
        ticket = gpi_take_ticket(job.head); /* here nobody waits for it */
    for (;;) {
        size_t following = (next * (size_t)GPI(tile_chunks) + warp) * job.part;
        size_t first = chunk, last = chunk + job.part < chunks ? chunk + job.part : chunks;

        /* Fold the warp's chunks from left to right, and the warps. */
        for (; chunk < last; chunk++) {
            size_t ahead = chunk + 1 < last ? chunk + 1 : following;
            unsigned misalignment = gpi_misalignment(job.in + chunk * GPI(chunk_n)), n = GPI(chunk_items)(job.n, chunk);
            GPI(run_input) run;
            GP_TYPE x;

            GPI_UNDEFINED(x);
            gpi_copy_wait();
            __syncwarp(); /* the chunk is in its slot */
            if (n == GPI(chunk_n))
                GPI(run_read_input)(&run, slot, misalignment, lane);
            else
                x = GPI(edge)(slot, misalignment, n, lane, context);
            __syncwarp(); /* the slot is free */
            if (ahead < chunks)
                GPI(fetch)(&job, ahead, slot, lane);
            if (n == GPI(chunk_n))
                x = GPI(whole_run)(&run, context);
            x = GPI(warp_reduce)(x, (int)lane, (int)((n + GPI(run_n) - 1) / GPI(run_n)));
            if (lane == 0)
                meeting->sums[warp] = chunk == first ? x : GPI(combine)(meeting->sums[warp], x);
        }
        if (threadIdx.x == 0)
            GPI(note)(&job, meeting, ticket);
        __syncthreads(); /* sums are complete, and the draw is known */
        if (warp == 0) {
            size_t start = tile * (size_t)GPI(tile_chunks) * job.part;
            size_t parts = (chunks - start + job.part - 1) / job.part;
            int valid = parts < GPI(tile_chunks) ? (int)parts : GPI(tile_chunks);
            GP_TYPE sum = GPI(warp_reduce)(meeting->sums[(int)lane < valid ? lane : 0], (int)lane, valid);

            if (lane == 0 && job.tiles == 1)
                *job.out = sum;
            else if (lane == 0)
                GPI(publish)((uint64_t *)(job.head + 1), tile, sum, meeting->epoch);
        }
        if (next >= job.tiles)
            break;

        /* Go on to the next tile, and draw another one. */
        tile = next;
        next = meeting->tile;
        chunk = following;
        meeting = meeting == meetings ? meetings + 1 : meetings;
        if (threadIdx.x == 0 && next < job.tiles)
            ticket = gpi_take_ticket(job.head);
    }
    if (job.tiles == 1 || !meeting->is_last)
        return;
    GP_TYPE *sums = meeting == meetings ? meetings[1].sums : meetings[0].sums; /* nobody reads those */
    GP_TYPE sum = GPI(groups)(&job, sums, lane, warp, GPI(tile_chunks),
                              GPI(batch), meeting->epoch);
    if (threadIdx.x == 0) {
        *job.out = sum;
        gpi_ready_head(job.head, meeting->epoch);
    }
#endif
}
