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

/* A block for each element: puts its words in order, by odd-even transposition. */
static __global__ void check_order_kernel(uint32_t *words, unsigned each)
{
    unsigned round, i;

    words += (size_t)blockIdx.x * each;
    for (round = 0; round < each; round++) {
        for (i = round % 2 + 2 * threadIdx.x; i + 1 < each; i += 2 * blockDim.x) {
            uint32_t a = words[i], b = words[i + 1];

            words[i] = a < b ? a : b;
            words[i + 1] = a < b ? b : a;
        }
        __syncthreads(); /* the next round has other pairs */
    }
}

static __global__ void check_guard_kernel(const unsigned char *got, size_t bytes,
                                          unsigned long long *first)
{
    size_t i, stride = (size_t)gridDim.x * blockDim.x;

    for (i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < bytes; i += stride)
        if (got[i] != GUARD_BYTE)
            atomicMin(first, (unsigned long long)i);
}

/* Is a float right? A sum may be off by a factor of the sum of all |x|; without that, it is exact, where all NaN are
 * alike. */
static inline __host__ __device__ int check_float(double want, double have, const double *magnitude,
                                                  double factor)
{
    if (want != want)
        return have != have;
    if (!magnitude)
        return have == want;
    /* Partial sums of this size may overflow in one order of addition and not in another. */
    if (*magnitude * (1 + factor) > (double)FLT_MAX && !(fabs(have) <= DBL_MAX))
        return 1;
    if (!(fabs(want) <= DBL_MAX))
        return have == want;
    return fabs(have - want) <= factor * *magnitude; /* so written, a NaN is wrong */
}

static inline __host__ __device__ double check_read(const void *from, size_t i, int is_double)
{
    return is_double ? ((const double *)from)[i] : (double)((const float *)from)[i];
}

/* magnitude is NULL where nothing may round. */
static __global__ void check_floats_kernel(const void *expected, const void *got,
                                           const void *magnitude, size_t n, int is_double,
                                           double factor, unsigned long long *first)
{
    size_t i, stride = (size_t)gridDim.x * blockDim.x;

    for (i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        double sum = magnitude ? check_read(magnitude, i, is_double) : 0;

        if (!check_float(check_read(expected, i, is_double), check_read(got, i, is_double),
                         magnitude ? &sum : NULL, factor))
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
                    distribution == DISTRIBUTION_REVERSED || distribution == DISTRIBUTION_RUNS ||
                    distribution == DISTRIBUTION_RUNS512;
    double depth = 4 * log2((double)n + 1) + sqrt((double)n) / 16;

    if (is_biased && depth < (double)n / 1024) /* the least tile of all */
        depth = (double)n / 1024;
    return unit * (is_serial && (double)n > depth ? (double)n : depth);
}

/* How far a sum of n floats, which may have any value, may be from the right one, relative to the sum of all |x|. A
 * tree of additions is log2 n deep, and every level rounds by half a unit at most; the up and the down pass of a scan
 * make it two trees, and the factor of 2 left over covers the few items that a thread of a scan folds serially. A
 * serial loop is n additions deep. */
static inline double check_factor_of_any(bench_element element, size_t n, int is_serial)
{
    double unit = element.bytes == 8 ? DBL_EPSILON : (double)FLT_EPSILON;

    return unit * (is_serial ? (double)n : 2 * log2((double)n));
}

#endif
