/* check.h: compares whole results on the device, since 2^28 elements would take seconds to fetch.
 */
#ifndef BENCH_CHECK_H
#define BENCH_CHECK_H

#include <float.h>
#include <math.h>

#include "bench.h"
#include "input.h"

/* What every output is filled with before a checked run, and what must still surround it after. */
enum { GUARD_BYTE = 0xa5, GUARD_BYTES = 4096 };

#define CHECK_NONE (~0ull) /* no mismatch */
#define CHECK_NO_OFFSET INT64_MAX

/* The first mismatch goes to *first. Bytes are compared, of integers and structs. */
static __global__ void check_bytes_kernel(const unsigned char *expected, const unsigned char *got,
                                          size_t bytes, unsigned long long *first)
{
    size_t i, stride = (size_t)gridDim.x * blockDim.x;

    for (i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < bytes; i += stride)
        if (expected[i] != got[i])
            atomicMin(first, (unsigned long long)i);
}

static __global__ void check_guard_kernel(const unsigned char *got, size_t bytes,
                                          unsigned long long *first)
{
    size_t i, stride = (size_t)gridDim.x * blockDim.x;

    for (i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < bytes; i += stride)
        if (got[i] != GUARD_BYTE)
            atomicMin(first, (unsigned long long)i);
}

/* Sums of floats that are not negative: an error is relative to the sum itself. */
static __global__ void check_floats_kernel(const void *expected, const void *got, size_t n,
                                           int is_double, double factor, unsigned long long *first)
{
    size_t i, stride = (size_t)gridDim.x * blockDim.x;

    for (i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        double want =
            is_double ? ((const double *)expected)[i] : (double)((const float *)expected)[i];
        double have = is_double ? ((const double *)got)[i] : (double)((const float *)got)[i];

        if (!(fabs(have - want) <= factor * want)) /* so written, a NaN is wrong */
            atomicMin(first, (unsigned long long)i);
    }
}

/* How far two sums of n floats may be apart, relative to the sum. The tree within a tile is some
 * 2 log2 n additions deep on either side; then come the tiles one after the other. Their errors
 * mostly cancel: a sixteenth of sqrt(n) is several times what was seen. But of equal or slowly
 * changing items every tile may be rounded in the same direction, and a serial sum of n additions,
 * where n outgrows the digits of the type, rounds most of an item away. */
static inline double check_factor(bench_element element, size_t n, int distribution, int is_serial)
{
    double unit = element.bytes == 8 ? DBL_EPSILON : (double)FLT_EPSILON;
    int is_biased = distribution == DISTRIBUTION_CONSTANT || distribution == DISTRIBUTION_SORTED ||
                    distribution == DISTRIBUTION_REVERSED || distribution == DISTRIBUTION_RUNS;
    double depth = 4 * log2((double)n + 1) + sqrt((double)n) / 16;

    if (is_biased && depth < (double)n / 1024) /* the least tile of all */
        depth = (double)n / 1024;
    return unit * (is_serial && (double)n > depth ? (double)n : depth);
}

#endif
