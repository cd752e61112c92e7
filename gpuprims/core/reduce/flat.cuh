/*
 * core/reduce/flat.cuh: the reduction of small and of medium inputs. A block takes a tile, a lane one vector
 * of it or a few, straight to registers. Latency counts, so there is little code.
 *
 * Part of reduce.cuh; not to be included directly.
 */

#if GPI_DEVICE_CODE
/* Folds the n items of a vector that are there from left to right. */
GPI_DEVICE GP_TYPE GPI(vector_fold)(const GPI(vector_items) *regs, uint32_t n, GPI_CONTEXT context)
{
    GP_TYPE sum = GPI(load)(&regs->items[0], context);

    GPI_UNROLL
    for (unsigned i = 1; i < GPI(vector_n); i++)
        if (i < n)
            sum = GPI(combine)(sum, GPI(load)(&regs->items[i], context));
    return sum;
}

/*
 * The fold of a tile in sums[0 ... warps - 1], of which it returns the number. A warp takes `rows` rows of 32
 * vectors, a constant, all of which are in flight at a time.
 */
GPI_DEVICE int GPI(fold_tile)(const GPI(job) *job, uint32_t tile, unsigned rows, GP_TYPE *sums,
                              GPI_CONTEXT context)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t first = tile * GPI(row_items) * rows;
    uint32_t items = gpi_min((uint32_t)job->n - first, GPI(row_items) * rows);
    uint32_t vectors = (items + GPI(vector_n) - 1) / GPI(vector_n);
    GPI(vector_items) regs[GPI(max_rows)];

    GPI_UNROLL
    for (unsigned r = 0; r < rows; r++) {
        uint32_t mine = (warp * rows + r) * 32 + lane;

        mine = mine < vectors ? mine * GPI(vector_n) : 0; /* a lane without a vector reads one that is there */
        GPI(vector_read)(&regs[r], job, first + mine, items - mine, context);
    }
    GPI_UNROLL
    for (unsigned r = 0; r < rows; r++) {
        uint32_t before = (warp * rows + r) * 32, mine = before + lane;

        mine = mine < vectors ? mine * GPI(vector_n) : 0;
        GP_TYPE x = GPI(vector_fold)(&regs[r], items - mine, context);
        x = GPI(warp_reduce)(x, (int)lane, (int)(vectors - before));
        if (lane == 0 && before < vectors)
            sums[warp] = r ? GPI(combine)(sums[warp], x) : x;
    }
    return (int)((vectors + 32 * rows - 1) / (32 * rows));
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
            *drawn = ticket; /* only now: storing it waits for it */
        __syncthreads(); /* sums are complete, and the ticket is known */
        if (warp == 0) {
            GP_TYPE sum = GPI(warp_reduce)(sums[(int)lane < warps ? lane : 0], (int)lane, warps);

            if (lane == 0 && job->tiles == 1)
                GPI(finish)(job, sum);
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
        GPI(finish)(job, sum);
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
        *job.out = job.has_init ? job.init : GPI(identity)();
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
    GPI(flat)(&job, GPI(max_rows), sums, &drawn, context);
#endif
}
