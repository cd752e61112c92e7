/*
 * core/run_length/decode.cuh: expands runs. Where each ends is known from a scan of the lengths; so every block gets an
 * equal part of the output, whatever the lengths, and finds the first run of its part by a search. In a tile of the
 * output each run leaves its number where it begins; the largest number up to a place is the run of that place.
 *
 * Part of run_length.cuh; not to be included directly.
 */
enum {
    GPI(decode_threads) = 256,
    GPI(decode_items) = sizeof(GP_TYPE) <= 16 ? 8 : 2, /* neighbouring results of a thread */
    GPI(decode_n) = GPI(decode_threads) * GPI(decode_items)
};

/* What a launch works on. */
typedef struct {
    const GP_TYPE *values;
    const unsigned long long *ends; /* of each run, the items up to its end */
    GP_TYPE *out;
    GP_INDEX *count;
    size_t runs, capacity;
} GPI(decode_job);

#if GPI_DEVICE_CODE
/* The first run that ends behind `place`, which some run does. All threads call: in a step each tries one run. */
GPI_DEVICE size_t GPI(find_run)(const GPI(decode_job) *job, size_t place)
{
    size_t first = 0, last = job->runs - 1; /* it is one of these */

    GPI_NO_UNROLL
    while (first < last) {
        const size_t step = (last - first) / GPI(decode_threads) + 1, mine = first + threadIdx.x * step;
        const size_t passed = (size_t)__syncthreads_count(mine < last && job->ends[mine] <= place);

        if (passed * step < last - first)
            last = first + passed * step;
        first += passed ? (passed - 1) * step + 1 : 0;
    }
    return first;
}

/* Leaves at the beginning of each run in [begin, end) its number, counted from `run` and 1, and 0 elsewhere. */
GPI_DEVICE void GPI(mark_runs)(const GPI(decode_job) *job, size_t *marks, size_t run, size_t begin, size_t end)
{
    for (unsigned i = threadIdx.x; i < GPI(decode_n); i += GPI(decode_threads))
        marks[i] = 0;
    __syncthreads(); /* the marks are 0 */
    GPI_NO_UNROLL
    for (size_t r = run + threadIdx.x; r < job->runs; r += GPI(decode_threads)) {
        const size_t before = r ? job->ends[r - 1] : 0, start = before < begin ? begin : before;

        if (start >= end)
            break;
        if (job->ends[r] > start) /* it has items here; so no other run begins at the same place */
            marks[start - begin] = r - run + 1;
    }
    __syncthreads(); /* the marks are there */
}

/* Replaces each mark by the largest one up to it; the last one is returned. */
GPI_DEVICE size_t GPI(spread_marks)(size_t *marks, size_t *warp_marks)
{
    size_t *mine = marks + threadIdx.x * GPI(decode_items), through = mine[0];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    for (unsigned i = 1; i < GPI(decode_items); i++)
        through = mine[i] > through ? mine[i] : through;
    for (unsigned stride = 1; stride < 32; stride *= 2) {
        const size_t left = __shfl_up_sync(GPI_FULL_MASK, through, stride);

        through = lane >= stride && left > through ? left : through;
    }
    if (lane == 31)
        warp_marks[warp] = through;
    size_t before = __shfl_up_sync(GPI_FULL_MASK, through, 1);
    before = lane ? before : 0;
    __syncthreads(); /* warp_marks are complete */
    GPI_NO_UNROLL
    for (unsigned w = 0; w < warp; w++)
        before = warp_marks[w] > before ? warp_marks[w] : before;
    for (unsigned i = 0; i < GPI(decode_items); i++)
        before = mine[i] = mine[i] > before ? mine[i] : before;
    __syncthreads(); /* the marks are spread */
    return marks[GPI(decode_n) - 1];
}
#endif

/* A block writes some neighbouring tiles of the output. */
static __global__ void __launch_bounds__(GPI(decode_threads)) GPI(decode_kernel)(GPI(decode_job) job)
{
#if GPI_DEVICE_CODE
    GP_SHARED(size_t[GPI(decode_n)], marks);
    GP_SHARED(size_t[GPI(decode_threads) / 32], warp_marks);

    gpi_grid_wait();
    gpi_grid_launch_next();
    const size_t total = job.ends[job.runs - 1], n = total < job.capacity ? total : job.capacity;
    const size_t tiles = (n + GPI(decode_n) - 1) / GPI(decode_n), share = (tiles + gridDim.x - 1) / gridDim.x;
    const size_t first = blockIdx.x * share, last = first + share < tiles ? first + share : tiles;

    if (blockIdx.x == 0 && threadIdx.x == 0)
        *job.count = total < GPI_MOST_OF(GP_INDEX) ? (GP_INDEX)total : (GP_INDEX)GPI_MOST_OF(GP_INDEX);
    if (first >= last)
        return;
    size_t run = GPI(find_run)(&job, first * GPI(decode_n));
    GPI_NO_UNROLL
    for (size_t tile = first; tile < last; tile++) {
        const size_t begin = tile * GPI(decode_n), end = n - begin < GPI(decode_n) ? n : begin + GPI(decode_n);

        GPI(mark_runs)(&job, marks, run, begin, end);
        const size_t through = GPI(spread_marks)(marks, warp_marks);
        GPI_NO_UNROLL
        for (size_t i = threadIdx.x; i < end - begin; i += GPI(decode_threads))
            job.out[begin + i] = job.values[run + marks[i] - 1];
        run += through - 1; /* the run of the last item; it may have ended there */
        __syncthreads(); /* the marks have been read */
    }
#endif
}
