/*
 * core/reduce/input.cuh: how a lane's neighbouring items of the input get into registers: from an array as vectors of
 * 16 bytes, through shared memory where a lane has several; or by GP_LOAD_AT, in the shapes of an array of T.
 *
 * Part of reduce.cuh; not to be included directly.
 */

/* A vector of items in registers. */
typedef union GPI(vector_items) {
    GPI_UNION(GPI(vector_items))
    GPI(loaded) items[GPI(vector_n)];
    uint4 vector;
} GPI(vector_items);

#ifdef GP_LOAD_AT
/* Items of a lane that are evaluated at a time: so many loads are in flight. */
enum {
    GPI(striped_n) = GPI(thread_n) < GPI_TUNE_REDUCE_STRIPED ? (int)GPI(thread_n) : GPI_TUNE_REDUCE_STRIPED,
    GPI(striped_rest) = (int)GPI(thread_n) % (int)GPI(striped_n)
};
#endif

#if GPI_DEVICE_CODE
/* Folds all items of a thread. */
GPI_DEVICE GP_TYPE GPI(fold_whole)(const GPI(thread_input) *in, GPI_CONTEXT context)
{
#if GP_OP == GP_SUM && !defined GP_IDENTITY
    if (GPI_SUMS_BYTES || GPI_SUMS_HALVES) {
        GPI(thread_items) regs;

        GPI_UNROLL
        for (int i = 0; i < GPI(thread_n); i++)
            regs.items[i] = GPI(load)(&in->items[i], context);
        return GPI(thread_fold)(&regs);
    }
#endif
    GP_TYPE sum = GPI(load)(&in->items[0], context);

    GPI_UNROLL
    for (int i = 1; i < GPI(thread_n); i++)
        sum = GPI(combine)(sum, GPI(load)(&in->items[i], context));
    return sum;
}

#ifdef GP_LOAD_AT
/* Evaluates the n items of a vector that are there, at least one; the first is number `first`. */
GPI_DEVICE void GPI(vector_read)(GPI(vector_items) *regs, const GPI(job) *job, uint32_t first, uint32_t n,
                                 GPI_CONTEXT context)
{
    GPI_UNROLL
    for (unsigned i = 0; i < GPI(vector_n); i++)
        regs->items[i] = GPI(load_at)(job->in, first + (i < n ? i : 0), context);
}

/* Nothing can be read ahead. */
GPI_DEVICE void GPI(fetch)(const GPI(job) *job, size_t warp_tile, char *slot, unsigned lane)
{
    (void)job;
    (void)warp_tile;
    (void)slot;
    (void)lane;
}

/* Evaluates a whole warp tile into its slot, neighbouring lanes neighbouring items. */
GPI_DEVICE void GPI(evaluate)(const GPI(job) *job, size_t first, char *slot, unsigned lane, GPI_CONTEXT context)
{
    GPI_NO_UNROLL
    for (unsigned done = 0; done < GPI(thread_n); done += GPI(striped_n)) {
        GP_TYPE x[GPI(striped_n)];

        GPI_UNROLL
        for (unsigned k = 0; k < GPI(striped_n); k++)
            if (GPI(striped_rest) == 0 || done + k < GPI(thread_n))
                x[k] = GPI(load_at)(job->in, first + (done + k) * 32 + lane, context);
        GPI_UNROLL
        for (unsigned k = 0; k < GPI(striped_n); k++)
            if (GPI(striped_rest) == 0 || done + k < GPI(thread_n))
                gpi_put(slot + ((done + k) * 32 + lane) * sizeof(GP_TYPE), x[k]);
    }
}

/* Folds the lane's items of a warp tile, of which a lane of the last one may have none: then it is undefined. */
GPI_DEVICE GP_TYPE GPI(fold_lane)(const GPI(job) *job, size_t warp_tile, int is_whole, unsigned n, size_t ahead,
                                  char *slot, unsigned lane, GPI_CONTEXT context)
{
    const size_t start = warp_tile * GPI(warp_tile_n);
    const unsigned mine = lane * GPI(thread_n);
    GP_TYPE sum;

    (void)ahead;
#ifdef GP_CONTEXT
    const int computed = 0; /* the context may point to arrays */
#else
    const int computed = !job->in; /* nothing is read: the lane may as well take its items one by one */
#endif
    if (is_whole && !computed) {
        GPI(thread_input) regs;

        GPI(evaluate)(job, start, slot, lane, context);
        __syncwarp(); /* the warp tile is in its slot */
        GPI(thread_read_input)(&regs, slot, 0, lane);
        __syncwarp(); /* the slot is free */
        return GPI(fold_whole)(&regs, context);
    }
    sum = GPI(load_at)(job->in, start + (is_whole || mine < n ? mine : 0), context);
    if (is_whole) {
        GPI_UNROLL
        for (unsigned i = 1; i < GPI(thread_n); i++)
            sum = GPI(combine)(sum, GPI(load_at)(job->in, start + mine + i, context));
    } else {
        GPI_NO_UNROLL
        for (unsigned i = mine + 1; i < gpi_min(n, mine + GPI(thread_n)); i++)
            sum = GPI(combine)(sum, GPI(load_at)(job->in, start + i, context));
    }
    return sum;
}
#else
/* Reads the n items of a vector that are there, at least one; the first is number `first`. */
GPI_DEVICE void GPI(vector_read)(GPI(vector_items) *regs, const GPI(job) *job, uint32_t first, uint32_t n,
                                 GPI_CONTEXT context)
{
    const GP_INPUT_TYPE *in = job->in + first;

    (void)context;
    if (sizeof regs->items == 16 && n >= GPI(vector_n) && (uintptr_t)in % 16 == 0) {
        gpi_get(regs->vector, in);
    } else {
        GPI_UNROLL
        for (unsigned i = 0; i < GPI(vector_n); i++)
            regs->items[i] = in[i < n ? i : 0]; /* all at once: no load waits for another */
    }
}

/* Starts to read a warp tile: nothing waits for it before gpi_copy_wait(). */
GPI_DEVICE void GPI(fetch)(const GPI(job) *job, size_t warp_tile, char *slot, unsigned lane)
{
    gpi_extent array = {(const char *)job->in, (const char *)(job->in + job->n)};
    const char *from = (const char *)(job->in + warp_tile * GPI(warp_tile_n));
    unsigned bytes = GPI(warp_tile_items)(job->n, warp_tile) * (unsigned)sizeof(GP_INPUT_TYPE);

    gpi_fetch_ahead(slot, from, bytes, array, lane, GPI(warp_tile_n) * (unsigned)sizeof(GP_INPUT_TYPE) / 16);
}

/* Folds the lane's items of the last warp tile, which is partial; lanes without items get undefined memory. */
GPI_DEVICE GP_TYPE GPI(edge)(const char *slot, unsigned misalignment, unsigned n, unsigned lane,
                             GPI_CONTEXT context)
{
    const GP_INPUT_TYPE *items = (const GP_INPUT_TYPE *)(slot + misalignment);
    unsigned first = lane * GPI(thread_n);
    GP_TYPE sum = GPI(load)(&items[first < n ? first : 0], context);

    for (unsigned i = first + 1; i < gpi_min(n, first + GPI(thread_n)); i++)
        sum = GPI(combine)(sum, GPI(load)(&items[i], context));
    return sum;
}

/* Folds the lane's items of the warp tile that has been fetched, and fetches the warp tile `ahead` if there is one. */
GPI_DEVICE GP_TYPE GPI(fold_lane)(const GPI(job) *job, size_t warp_tile, int is_whole, unsigned n, size_t ahead,
                                  char *slot, unsigned lane, GPI_CONTEXT context)
{
    unsigned misalignment = gpi_misalignment(job->in + warp_tile * GPI(warp_tile_n));
    GPI(thread_input) regs;
    GP_TYPE x;

    GPI_UNDEFINED(x);
    gpi_copy_wait();
    __syncwarp(); /* the warp tile is in its slot */
    if (is_whole)
        GPI(thread_read_input)(&regs, slot, misalignment, lane);
    else
        x = GPI(edge)(slot, misalignment, n, lane, context);
    __syncwarp(); /* the slot is free */
    if (ahead < (job->n + GPI(warp_tile_n) - 1) / GPI(warp_tile_n))
        GPI(fetch)(job, ahead, slot, lane);
    if (is_whole)
        x = GPI(fold_whole)(&regs, context);
    return x;
}
#endif
#endif
