/*
 * histogram_case.h: an instance of histogram.cuh behind a struct, for test_histogram.cu.
 *
 *     #define CASE   f32
 *     #define CASE_T float
 *     #define CASE_IS_REAL                     of a floating-point type, which has no default bin
 *     #define CASE_GLOBAL                      counts in the L2; or CASE_SHARED, in shared memory
 *     #include "histogram_case.h"
 *
 * generates `static const histogram_case CASE_case`. What is expected follows from the definition of each function,
 * item by item.
 */
#ifndef HISTOGRAM_CASE_ONCE
#define HISTOGRAM_CASE_ONCE
#define CASE_JOIN_(a, b) a##b
#define CASE_JOIN(a, b)  CASE_JOIN_(a, b)
#define CASE_(word)      CASE_JOIN(CASE, _##word)
#define CASE_TEXT_(name) #name
#define CASE_TEXT(name)  CASE_TEXT_(name)
#endif

#define GP_NAME CASE
#define GP_TYPE CASE_T
#ifdef CASE_GLOBAL
#define GP_KERNEL GP_KERNEL_HISTOGRAM_GLOBAL
#endif
#ifdef CASE_SHARED
#define GP_KERNEL GP_KERNEL_HISTOGRAM_SHARED
#define GP_GRID 5
#endif
#include <gpuprims/histogram.cuh>

#ifndef CASE_IS_REAL
static cudaError_t CASE_(values)(const void *in, uint64_t *counts, size_t n, size_t bins, gp_workspace *ws,
                                 cudaStream_t stream)
{
    return CASE_(histogram)((const CASE_T *)in, counts, n, bins, ws, stream);
}

static void CASE_(expect_values)(const void *in, uint64_t *counts, size_t n, size_t bins)
{
    for (size_t i = 0; i < n; i++) {
        const wide_number x = ((const CASE_T *)in)[i];

        if (x >= 0 && x < (wide_number)bins)
            counts[(size_t)x]++;
    }
}
#endif

static cudaError_t CASE_(even)(const void *in, uint64_t *counts, size_t n, size_t bins, const void *lower,
                               const void *upper, gp_workspace *ws)
{
    return CASE_(histogram_even)((const CASE_T *)in, counts, n, bins, *(const CASE_T *)lower, *(const CASE_T *)upper, ws,
                                 0);
}

static void CASE_(expect_even)(const void *in, uint64_t *counts, size_t n, size_t bins, const void *lower,
                               const void *upper)
{
    const CASE_T low = *(const CASE_T *)lower, high = *(const CASE_T *)upper;

    for (size_t i = 0; i < n; i++) {
        const CASE_T x = ((const CASE_T *)in)[i];

        if (x >= low && x < high) {
#ifdef CASE_IS_REAL
            const double bin = (double)bins * ((double)x - (double)low) / ((double)high - (double)low);

            counts[bin < (double)bins ? (size_t)bin : bins - 1]++;
#else
            const wide_number width = (wide_number)high - (wide_number)low;

            counts[(size_t)((wide_number)bins * ((wide_number)x - (wide_number)low) / width)]++;
#endif
        }
    }
}

static cudaError_t CASE_(range)(const void *in, uint64_t *counts, size_t n, size_t bins, const void *levels,
                                gp_workspace *ws)
{
    return CASE_(histogram_range)((const CASE_T *)in, counts, n, bins, (const CASE_T *)levels, ws, 0);
}

/* The last level that is not above x, by halves: there are many. */
static void CASE_(expect_range)(const void *in, uint64_t *counts, size_t n, size_t bins, const void *levels)
{
    const CASE_T *level = (const CASE_T *)levels;

    for (size_t i = 0; i < n; i++) {
        const CASE_T x = ((const CASE_T *)in)[i];
        size_t from = 0, to = bins; /* level[from] <= x < level[to] */

        if (!(level[0] <= x && x < level[bins]))
            continue;
        while (to - from > 1) {
            const size_t middle = from + (to - from) / 2;

            if (level[middle] <= x)
                from = middle;
            else
                to = middle;
        }
        counts[from]++;
    }
}

static void CASE_(item)(void *to, double x)
{
#ifdef CASE_IS_REAL
    const CASE_T item = (CASE_T)x;
#else
    const CASE_T item = (CASE_T)(long long)x;
#endif

    memcpy(to, &item, sizeof item);
}

static size_t CASE_(workspace)(size_t n, size_t bins)
{
    return CASE_(histogram_workspace_bytes)(n, bins);
}

static const histogram_case CASE_(case) = {
    CASE_TEXT(CASE),
    sizeof(CASE_T),
    __alignof__(CASE_T),
#ifdef CASE_IS_REAL
    NULL,
#else
    CASE_(values),
#endif
    CASE_(even),
    CASE_(range),
    CASE_(workspace),
#ifdef CASE_IS_REAL
    NULL,
#else
    CASE_(expect_values),
#endif
    CASE_(expect_even),
    CASE_(expect_range),
    CASE_(item),
};

#undef CASE
#undef CASE_T
#undef CASE_IS_REAL
#undef CASE_GLOBAL
#undef CASE_SHARED
