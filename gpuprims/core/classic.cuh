/*
 * core/classic.cuh: what the rungs under classic/ share: their options, and arithmetic on levels.
 */
#ifndef GPI_CLASSIC_CUH
#define GPI_CLASSIC_CUH

#include "../gpuprims.h"

/* The options with their defaults filled in; an impossible block size is refused. */
static inline cudaError_t gpi_classic_read(const gp_classic_options *opt, gp_classic_options *result,
                                           const char *function)
{
    result->block_threads = opt && opt->block_threads ? opt->block_threads : 256;
    result->conflict_free = opt ? opt->conflict_free : 1;
    result->compact_threads = opt ? opt->compact_threads : 1;
    if (result->block_threads < 32 || result->block_threads > 1024 ||
        (result->block_threads & (result->block_threads - 1)))
        return gpi_error(cudaErrorInvalidValue,
                         "%s: opt->block_threads is %d; it must be a power of two from 32 to 1024",
                         function, result->block_threads);
    return cudaSuccess;
}

/* The smallest L with 2^L >= n; 0 for n = 0 and n = 1. */
static inline int gpi_levels(size_t n)
{
    int levels = 0;

    while (levels < 63 && ((size_t)1 << levels) < n)
        levels++;
    return levels;
}

static inline size_t gpi_divide_up(size_t n, size_t d)
{
    return n / d + (n % d != 0);
}

#endif
