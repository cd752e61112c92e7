/*
 * core/search/few.cuh: searches for few queries. Several lanes search for each: every round they look at as many
 * places, evenly spaced in what is left, so that there are fewer rounds.
 *
 * Part of search.cuh; not to be included directly.
 */
#include "../tile/probe.cuh"

/* What a launch works on. */
typedef struct {
    const GP_TYPE *sorted, *queries;
    GP_INDEX *out;
    size_t n, m;
    int log;   /* log2 of the lanes of a query */
    int upper; /* the upper bound is wanted */
} GPI(job);

/* A node: some neighbouring items, which a lane reads at once, if their number is a power of two. */
enum {
    GPI(is_indexed) = sizeof(GP_TYPE) <= 16 && (sizeof(GP_TYPE) & (sizeof(GP_TYPE) - 1)) == 0,
    GPI(node_bytes) = sizeof(GP_TYPE) < 16 ? 32 : 64,
    GPI(node_items) = GPI(is_indexed) ? (int)GPI(node_bytes) / (int)sizeof(GP_TYPE) : 1
};

typedef union GPI(node) {
    GPI_UNION(GPI(node))
    GP_TYPE items[GPI(node_items)];
    uint4 vectors[GPI(node_bytes) / 16];
} GPI(node);

#if GPI_DEVICE_CODE
/* Whether x lies before the bound of the query. `upper` is a constant. */
GPI_DEVICE int GPI(is_before)(GP_TYPE x, GP_TYPE query, int upper, GPI_CONTEXT context)
{
    return upper ? !GPI(less)(query, x, context) : GPI(less)(x, query, context);
}

/* One warp, 2^log lanes for each query: how many of n items are before its bound. */
GPI_DEVICE size_t GPI(find_place)(const GP_TYPE *items, size_t n, GP_TYPE query, unsigned lane, int log, int upper,
                                  GPI_CONTEXT context)
{
    const unsigned number = lane & ((1u << log) - 1);
    size_t low = 0, width = n;

    while (__any_sync(GPI_FULL_MASK, width > 0)) {
        const size_t place = gpi_probe(low, width, number, log);
        const int is_before = width && GPI(is_before)(items[place], query, upper, context);

        gpi_narrow(&low, &width, is_before, lane, log);
    }
    return low;
}

GPI_DEVICE void GPI(find_few)(const GPI(job) *job, int upper, GPI_CONTEXT context)
{
    const unsigned lane = threadIdx.x % 32, number = lane & ((1u << job->log) - 1);
    const size_t step = (size_t)gridDim.x * blockDim.x >> job->log;
    const size_t first = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) >> job->log;

    for (size_t i = first; __any_sync(GPI_FULL_MASK, i < job->m); i += step) {
        const size_t at = i < job->m ? i : job->m - 1;
        const size_t place = GPI(find_place)(job->sorted, i < job->m ? job->n : 0, job->queries[at], lane, job->log,
                                             upper, context);

        if (i < job->m && number == 0)
            job->out[i] = (GP_INDEX)place;
    }
}
#endif

static __global__ void __launch_bounds__(256) GPI(few_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    gpi_grid_wait();
    gpi_grid_launch_next();
    if (job.upper)
        GPI(find_few)(&job, 1, context);
    else
        GPI(find_few)(&job, 0, context);
#endif
}
