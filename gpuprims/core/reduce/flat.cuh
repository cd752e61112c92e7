/*
 * core/reduce/flat.cuh: the reduction of small and of medium inputs. A block takes a tile, a lane one vector
 * of it or a few, straight to registers: little code, since what counts is latency.
 *
 * Part of reduce.cuh; not to be included directly.
 */

/* A short run in registers. */
typedef union {
    GP_INPUT_TYPE items[GPI(short_run)];
    uint4 vector;
} GPI(short_run_t);

#if GPI_DEVICE_CODE
/* Reads the n items of a short run that are there, at least one. */
GPI_DEVICE void GPI(short_read)(GPI(short_run_t) *run, const GP_INPUT_TYPE *in, uint32_t n)
{
    if (sizeof run->items == 16 && n >= GPI(short_run) && (uintptr_t)in % 16 == 0) {
        gpi_get(run->vector, in);
    } else {
        GPI_UNROLL
        for (unsigned i = 0; i < GPI(short_run); i++)
            run->items[i] = in[i < n ? i : 0]; /* all at once: no load waits for another */
    }
}

/* Folds them from left to right. */
GPI_DEVICE GP_TYPE GPI(short_fold)(const GPI(short_run_t) *run, uint32_t n, GPI_CONTEXT context)
{
    GP_TYPE sum = GPI(load)(&run->items[0], context);

    GPI_UNROLL
    for (unsigned i = 1; i < GPI(short_run); i++)
        if (i < n)
            sum = GPI(combine)(sum, GPI(load)(&run->items[i], context));
    return sum;
}

/*
 * The fold of a tile in sums[0 ... warps - 1], of which it returns the number. A warp takes so many rows of 32
 * runs, a constant, all of which are on their way at a time.
 */
GPI_DEVICE int GPI(fold_tile)(const GPI(job) *job, uint32_t tile, unsigned rows, GP_TYPE *sums,
                              GPI_CONTEXT context)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t first = tile * GPI(row_items) * rows;
    uint32_t items = gpi_min((uint32_t)job->n - first, GPI(row_items) * rows);
    uint32_t runs = (items + GPI(short_run) - 1) / GPI(short_run);
    GPI(short_run_t) run[GPI(most_rows)];

    GPI_UNROLL
    for (unsigned r = 0; r < rows; r++) {
        uint32_t mine = (warp * rows + r) * 32 + lane;

        mine = mine < runs ? mine * GPI(short_run) : 0; /* who has no run reads one that is there */
        GPI(short_read)(&run[r], job->in + first + mine, items - mine);
    }
    GPI_UNROLL
    for (unsigned r = 0; r < rows; r++) {
        uint32_t before = (warp * rows + r) * 32, mine = before + lane;

        mine = mine < runs ? mine * GPI(short_run) : 0;
        GP_TYPE x = GPI(short_fold)(&run[r], items - mine, context);
        x = GPI(warp_reduce)(x, (int)lane, (int)(runs - before));
        if (lane == 0 && before < runs)
            sums[warp] = r ? GPI(combine)(sums[warp], x) : x;
    }
    return (int)((runs + 32 * rows - 1) / (32 * rows));
}

/* A block takes a tile; more of them only when the grid is limited. */
GPI_DEVICE void GPI(flat)(const GPI(job) *job, unsigned rows, GP_TYPE *sums, uint64_t *drawn,
                          GPI_CONTEXT context)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint64_t ticket = 0;

    for (uint32_t tile = blockIdx.x; tile < job->tiles; tile += gridDim.x) {
        if (threadIdx.x == 0 && job->tiles > 1 && tile == blockIdx.x)
            ticket = gpi_take_ticket(job->head);
        int warps = GPI(fold_tile)(job, tile, rows, sums, context);
        if (threadIdx.x == 0)
            *drawn = ticket; /* only now, since it is waited for */
        __syncthreads(); /* sums are complete, and the ticket is known */
        if (warp == 0) {
            GP_TYPE sum = GPI(warp_reduce)(sums[(int)lane < warps ? lane : 0], (int)lane, warps);

            if (lane == 0 && job->tiles == 1)
                *job->out = sum;
            else if (lane == 0)
                GPI(publish)((uint64_t *)(job->head + 1), tile, sum, gpi_ticket_epoch(ticket));
        }
        if (job->tiles <= gridDim.x)
            break;
        __syncthreads(); /* sums are free */
    }
    if (job->tiles == 1 || (uint32_t)*drawn != gridDim.x - 1)
        return;
    __syncthreads(); /* sums are free */
    GP_TYPE sum = GPI(groups)(job, sums, lane, warp, 32, 1, gpi_ticket_epoch(*drawn));
    if (threadIdx.x == 0) {
        *job->out = sum;
        gpi_ready_head(job->head, gpi_ticket_epoch(*drawn));
    }
}
#endif

static __global__ void __launch_bounds__(1024, sizeof(GP_TYPE) <= 8 ? GPI_BLOCKS_OF_1024 : 1)
    GPI(small_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_SHARED(GP_TYPE[32], sums);
    GP_SHARED(uint64_t, drawn);

    gpi_grid_wait();
    gpi_grid_launch_next();
    if (job.n)
        GPI(flat)(&job, 1, sums, &drawn, context);
    else if (threadIdx.x == 0)
        *job.out = GPI(identity)();
#endif
}

static __global__ void __launch_bounds__(1024, sizeof(GP_TYPE) <= 8 ? GPI_BLOCKS_OF_1024 : 1)
    GPI(medium_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_SHARED(GP_TYPE[32], sums);
    GP_SHARED(uint64_t, drawn);

    if (GPI(medium_items) == 0) /* nothing is medium */
        return;
    gpi_grid_wait();
    gpi_grid_launch_next();
    GPI(flat)(&job, GPI(most_rows), sums, &drawn, context);
#endif
}
