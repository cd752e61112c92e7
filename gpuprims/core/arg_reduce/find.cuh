/*
 * core/arg_reduce/find.cuh: the first of the smallest items, or of the largest. A thread keeps the first item of those
 * that it has seen, and its number; in whatever order threads and blocks are compared, the result is the same.
 *
 * Part of arg_reduce.cuh; not to be included directly.
 */
#include "../tile/ticket.cuh"

enum {
#ifdef GP_LOAD_AT
    GPI(unit_n) = 1,
#else
    GPI(unit_n) = sizeof(GP_INPUT_TYPE) <= 16 && 16 % sizeof(GP_INPUT_TYPE) == 0 ? 16 / (int)sizeof(GP_INPUT_TYPE) : 1,
#endif
    GPI(by_vectors) = GPI(unit_n) > 1,
    GPI(threads) = 512,
    /* Units of a thread that are on their way at a time. */
    GPI(rows) = GPI(by_vectors) || sizeof(GP_TYPE) > 8 ? sizeof(GP_TYPE) <= 16 ? 4 : 1 : 8,
    GPI(blocks) = sizeof(GP_TYPE) <= 8 ? GPI_TUNE_ARG_REDUCE_BLOCKS : sizeof(GP_TYPE) <= 32 ? 2 : 1,
    GPI(max_blocks) = 1024, /* of a launch: a block has one tile state */
    GPI(steps) = sizeof(GP_TYPE) <= 16 ? 5 : 1 /* of a warp's butterfly that are unrolled */
};

/* What a launch works on. */
typedef struct {
    const GP_INPUT_TYPE *in;
    GP_INDEX *out;
    size_t n;
    size_t units; /* vectors of neighbouring items, or single items */
    size_t head;  /* items before the first unit: vectors are aligned */
    size_t ends;  /* items of no unit: the head, and those behind the last unit */
    size_t rows;  /* units of a thread in a tile */
    uint32_t tiles;
    int largest;   /* whether the largest is searched for */
    gpi_tile_state_head *states; /* those of the blocks follow it */
} GPI(job);

/* An item and its number, as they are published. */
typedef struct {
    GP_TYPE value;
    GP_INDEX at;
} GPI(sum);

#include "../tile/tile_state.cuh"

#if GPI_DEVICE_CODE
/* ---- the order --------------------------------------------------------------------------------- */

#ifdef GP_LESS
#include "../instance/less.cuh"
#endif

/* Whether the result is a rather than b, wherever they are. */
GPI_DEVICE int GPI(beats)(GP_TYPE a, GP_TYPE b, int largest, GPI_CONTEXT context)
{
#ifdef GP_LESS
    return largest ? GPI(less)(b, a, context) : GPI(less)(a, b, context);
#else
    const GP_TYPE copy = b;
    const int is_number = b == copy; /* not a NaN, which nothing beats; it beats all numbers */

    (void)context;
    return (largest ? !(a <= b) : !(a >= b)) && is_number;
#endif
}

/* The better one of two candidates, by number if they are equal. */
GPI_DEVICE GPI(sum) GPI(better)(GPI(sum) a, GPI(sum) b, int largest, GPI_CONTEXT context)
{
    if (GPI(beats)(b.value, a.value, largest, context))
        return b;
    return b.at < a.at && !GPI(beats)(a.value, b.value, largest, context) ? b : a;
}

/* ---- items ------------------------------------------------------------------------------------- */

/* A unit in registers. */
#ifdef GP_LOAD_AT
typedef struct {
    GP_TYPE items[1];
} GPI(unit);
#else
typedef union GPI(unit) {
    GPI_UNION(GPI(unit))
    GP_INPUT_TYPE items[GPI(unit_n)];
    uint4 vector;
} GPI(unit);
#endif
#include "../instance/load.cuh"

/* Reads the unit that starts with item i. */
GPI_DEVICE void GPI(read_unit)(GPI(unit) *unit, const GP_INPUT_TYPE *in, size_t i, GPI_CONTEXT context)
{
    (void)in;
    (void)i;
    (void)context;
#ifdef GP_LOAD_AT
    unit->items[0] = GPI(load_at)(in, i, context);
#else
    if (GPI(by_vectors))
        gpi_get(unit->vector, in + i);
    else
        gpi_move(unit->items, in + i);
#endif
}

/* Item k of the unit. */
GPI_DEVICE GP_TYPE GPI(item_of)(const GPI(unit) *unit, int k, GPI_CONTEXT context)
{
    return GPI(load)(&unit->items[k], context);
}

/* Item number i alone. */
GPI_DEVICE GPI(sum) GPI(candidate)(const GPI(job) *job, size_t i, GPI_CONTEXT context)
{
    GPI(sum) sum;

    sum.value = GPI(load_at)(job->in, i, context);
    sum.at = (GP_INDEX)i;
    return sum;
}

/*
 * So many units of a thread, a constant, of which `first` is the first; they lie behind all that it has seen. Values
 * are compared with each other before they are with *best, so that 64-bit numbers are computed once for all.
 */
GPI_DEVICE void GPI(fold_units)(const GPI(job) *job, size_t first, int rows, GPI(sum) *best, int largest,
                                GPI_CONTEXT context)
{
    GPI(unit) units[GPI(rows)];
    unsigned at = 0;
    GP_TYPE value;

    GPI_UNROLL
    for (int r = 0; r < rows; r++)
        GPI(read_unit)(&units[r], job->in, job->head + (first + (size_t)r * blockDim.x) * GPI(unit_n), context);
    value = GPI(item_of)(&units[0], 0, context);
    GPI_UNROLL
    for (int k = 1; k < rows * GPI(unit_n); k++) {
        const GP_TYPE x = GPI(item_of)(&units[k / GPI(unit_n)], k % GPI(unit_n), context);

        if (GPI(beats)(x, value, largest, context)) {
            value = x;
            at = (unsigned)k;
        }
    }
    if (GPI(beats)(value, best->value, largest, context)) {
        best->value = value;
        best->at = (GP_INDEX)(job->head + (first + at / GPI(unit_n) * blockDim.x) * GPI(unit_n) + at % GPI(unit_n));
    }
}

GPI_DEVICE void GPI(fold_tile)(const GPI(job) *job, uint32_t tile, GPI(sum) *best, int largest, GPI_CONTEXT context)
{
    const size_t start = tile * job->rows * blockDim.x + threadIdx.x;

    GPI_NO_UNROLL
    for (size_t row = 0; row < job->rows;) {
        const size_t first = start + row * blockDim.x;

        if (first >= job->units)
            break;
        if (job->rows > 1 && first + (size_t)(GPI(rows) - 1) * blockDim.x < job->units) {
            GPI(fold_units)(job, first, GPI(rows), best, largest, context);
            row += GPI(rows);
        } else {
            GPI(fold_units)(job, first, 1, best, largest, context);
            row++;
        }
    }
}

/* ---- blocks ------------------------------------------------------------------------------------ */

/*
 * The best of a warp's candidates, in all lanes: the value by a butterfly, then the lowest number of those that are
 * equal to it.
 */
GPI_DEVICE GPI(sum) GPI(warp_best)(GPI(sum) x, int largest, GPI_CONTEXT context)
{
    uint32_t words[(sizeof x.value + 3) / 4] = {0};
    GP_TYPE value = x.value;

    GPI_UNROLL_BY(GPI(steps))
    for (unsigned stride = 1; stride < 32; stride *= 2) {
        GP_TYPE other;

        memcpy(words, &value, sizeof value);
        GPI_UNROLL
        for (unsigned w = 0; w < sizeof words / sizeof *words; w++)
            words[w] = __shfl_xor_sync(GPI_FULL_MASK, words[w], (int)stride);
        memcpy((void *)&other, words, sizeof other);
        if (GPI(beats)(other, value, largest, context))
            value = other;
    }
    uint64_t at = GPI(beats)(value, x.value, largest, context) ? UINT64_MAX : (uint64_t)x.at;
    x.value = value;
    x.at = (GP_INDEX)~gpi_warp_max_long(~at, sizeof x.at == 4);
    return x;
}

/* The best of a block's candidates, in thread 0. `sums` is shared, one for each warp, and free. */
GPI_DEVICE GPI(sum) GPI(block_best)(GPI(sum) x, GPI(sum) *sums, int largest, GPI_CONTEXT context)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;

    x = GPI(warp_best)(x, largest, context);
    if (lane == 0)
        sums[warp] = x;
    __syncthreads(); /* sums are complete */
    if (warp == 0 && warps > 1)
        x = GPI(warp_best)(sums[lane < warps ? lane : 0], largest, context);
    return x;
}

/* The best of x and of what the blocks of the thread's share have published. A block may be polled twice. */
GPI_DEVICE GPI(sum) GPI(published_best)(const GPI(job) *job, GPI(sum) x, uint32_t epoch, int largest,
                                        GPI_CONTEXT context)
{
    const uint64_t *states = (const uint64_t *)(job->states + 1);

    GPI_NO_UNROLL
    for (unsigned first = 0; first < gridDim.x; first += blockDim.x) {
        const unsigned block = gpi_min(first + threadIdx.x, gridDim.x - 1);
        GPI(sum) other;
        int there;

        do
            there = GPI(poll)(states, block, 1, &other, epoch);
        while (!__all_sync(GPI_FULL_MASK, there));
        x = GPI(better)(x, other, largest, context);
    }
    return x;
}

/* The best of what the thread has seen and of item `end` of those of no unit, which lie before the units or behind. */
GPI_DEVICE GPI(sum) GPI(fold_end)(const GPI(job) *job, size_t end, GPI(sum) best, int largest, GPI_CONTEXT context)
{
    const size_t i = end < job->head ? end : end + job->units * GPI(unit_n);

    return GPI(better)(best, GPI(candidate)(job, i, context), largest, context);
}

/* What the threads of a block exchange. */
typedef struct {
    GPI(sum) sums[GPI(threads) / 32];
    uint64_t tickets[3]; /* two in turn, and the block's last */
} GPI(shared);

/*
 * The tiles of a block, for each of its threads: that of its number, then those that tickets say. It draws one when it
 * starts, and one with each further tile: in all as many as there are tiles, or blocks. So the block with the last
 * ticket knows that all others are running or have finished, and may wait for what they publish.
 */
GPI_DEVICE GPI(sum) GPI(fold_tiles)(const GPI(job) *job, uint64_t *tickets, int largest, GPI_CONTEXT context)
{
    GPI(sum) best = GPI(candidate)(job, 0, context); /* whatever the thread's items are, it has a candidate */
    uint64_t ticket = 0;

    if (threadIdx.x == 0 && (job->tiles > 1 || gridDim.x > 1))
        ticket = gpi_take_ticket(job->states); /* not waited for here */
    GPI_NO_UNROLL
    for (uint32_t tile = blockIdx.x, round = 0; tile < job->tiles; round ^= 1) {
        GPI(fold_tile)(job, tile, &best, largest, context);
        if (job->tiles <= gridDim.x)
            break;
        if (threadIdx.x == 0)
            tickets[round] = ticket;
        __syncthreads(); /* the ticket is known; all have read that of two rounds before */
        tile = gridDim.x + (uint32_t)tickets[round];
        if (threadIdx.x == 0 && tile < job->tiles)
            ticket = gpi_take_ticket(job->states);
    }
    if (threadIdx.x == 0)
        tickets[2] = ticket;
    return best;
}

GPI_DEVICE void GPI(find)(const GPI(job) *job, GPI(shared) *shared, int largest, GPI_CONTEXT context)
{
    const uint32_t draws = job->tiles > gridDim.x ? job->tiles : gridDim.x;
    GPI(sum) best = GPI(fold_tiles)(job, shared->tickets, largest, context);
    int done = draws == 1;

    GPI_NO_UNROLL
    for (size_t end = (size_t)blockIdx.x * blockDim.x + threadIdx.x; end < job->ends;
         end += (size_t)gridDim.x * blockDim.x)
        best = GPI(fold_end)(job, end, best, largest, context);
    for (;;) {
        best = GPI(block_best)(best, shared->sums, largest, context); /* the ticket is known, too, then */
        const uint64_t ticket = shared->tickets[2];
        if (threadIdx.x == 0 && done) {
            *job->out = best.at;
            if (draws > 1)
                gpi_ready_head(job->states, gpi_ticket_epoch(ticket));
        } else if (threadIdx.x == 0) {
            GPI(publish)((uint64_t *)(job->states + 1), blockIdx.x, best, gpi_ticket_epoch(ticket));
        }
        if (done || (uint32_t)ticket != draws - 1)
            return;
        best = GPI(published_best)(job, best, gpi_ticket_epoch(ticket), largest, context);
        __syncthreads(); /* sums are free */
        done = 1;
    }
}
#endif
