/*
 * core/histogram/count.cuh: what the kernels of histogram.cuh share. They read units of neighbouring items, several of
 * a thread at a time, and the next ones while these are counted.
 *
 * Part of histogram.cuh; not to be included directly.
 */
enum {
#ifdef GP_LOAD_AT
    GPI(by_vectors) = 0,
#else
    GPI(by_vectors) = sizeof(GP_TYPE) <= 16 && (sizeof(GP_TYPE) & (sizeof(GP_TYPE) - 1)) == 0,
#endif
    GPI(by_byte) = sizeof(GP_TYPE) == 1,
    GPI(unit_n) = GPI(by_vectors) ? 16 / (int)sizeof(GP_TYPE) : 1, /* items of a unit */
    GPI(rows) = GPI(by_vectors) ? sizeof(GP_TYPE) <= 2 ? 2 : 4 : sizeof(GP_TYPE) <= 32 ? 4 : 1, /* units of a thread */
    GPI(thread_n) = GPI(rows) * GPI(unit_n),
    GPI(max_threads) = 1024,
    GPI(resident) = GPI(by_byte) ? 2 : 1, /* blocks of so many threads on a multiprocessor */
    GPI(most_copies_bits) = 5
};

/* What a launch works on. */
typedef struct {
    const GP_INPUT_TYPE *in;
    const GP_TYPE *levels; /* or NULL */
    uint64_t *counts;
    gpi_tile_state_head *head; /* of several blocks, one of which clears the counts; else NULL */
    size_t n, bins;
    size_t first; /* items before the first unit */
    size_t units;
    int is_aligned; /* units are vectors */
    int of;         /* GPI_BINS_... */
    int clears;     /* the counts have to be cleared */
    int has_levels; /* there is room for them behind the slots */
    unsigned tree_bits;   /* of a tree of 2^tree_bits - 1 nodes */
    unsigned columns;     /* counters in shared memory, without copies */
    unsigned copies_bits; /* a power of two */
    unsigned parts;       /* so many blocks share the bins and read the same items */
    unsigned slots_bits;  /* of a power of two, counters in shared memory for any bin; 0 for none */
    GPI(even) even;
} GPI(job);

#include "../instance/load.cuh"

#if GPI_DEVICE_CODE
typedef union GPI(unit) {
    GPI_UNION(GPI(unit))
    uint32_t words[4];
    GP_TYPE items[GPI(unit_n)];
} GPI(unit);

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads a thread's units of a tile; beyond the last one, that one. */
GPI_DEVICE void GPI(read)(GPI(unit) *units, const GPI(job) *job, size_t unit, GPI_CONTEXT context)
{
    const int is_aligned = GPI(by_vectors) && (__alignof__(GP_TYPE) == sizeof(GP_TYPE) || job->is_aligned);

    GPI_UNROLL
    for (int r = 0; r < GPI(rows); r++) {
        const size_t at = unit + (size_t)r * blockDim.x;
        const size_t i = job->first + (at < job->units ? at : job->units - 1) * GPI(unit_n);

        if (is_aligned) {
            gpi_read_vector(units[r].words, (const GP_TYPE *)job->in + i, 16);
        } else {
            GPI_UNROLL
            for (int k = 0; k < GPI(unit_n); k++)
                units[r].items[k] = GPI(load_at)(job->in, i + (size_t)k, context);
        }
    }
}

/* Items before the first unit and behind the last, of which each thread of the first block (of each part) has one:
 * whether it has. */
GPI_DEVICE int GPI(has_end)(const GPI(job) *job)
{
    return blockIdx.x < job->parts && threadIdx.x < job->n - job->units * GPI(unit_n);
}

GPI_DEVICE GP_TYPE GPI(end)(const GPI(job) *job, GPI_CONTEXT context)
{
    const size_t t = threadIdx.x;

    return GPI(load_at)(job->in, t < job->first ? t : job->units * GPI(unit_n) + t, context);
}

/* ---- bins ------------------------------------------------------------------------------------ */

GPI_DEVICE uint64_t GPI(bin)(const GPI(job) *job, GP_TYPE x, const GP_TYPE *levels, int of, GPI_CONTEXT context)
{
    return of == GPI_BINS_OF_VALUES        ? GPI(bin_of_value)(x, job->bins, context)
           : of == GPI_BINS_BETWEEN_LEVELS ? GPI(bin_between)(x, levels, job->bins)
           : GPI(is_real)                  ? GPI(even_real)(x, &job->even, job->bins)
                                           : GPI(even_integer)(x, &job->even, job->bins,
                                                               sizeof(GP_TYPE) >= 8 ||
                                                                   of == GPI_BINS_ARE_EVEN_AND_MANY);
}

GPI_DEVICE void GPI(add)(uint64_t *count, uint64_t n)
{
#ifdef __CUDACC__
    (void)atomicAdd((unsigned long long *)count, (unsigned long long)n);
#else
    (void)atomicAdd(count, n);
#endif
}
#endif
