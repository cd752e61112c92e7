/* bench_histogram.h: one instance of histogram.cuh.
 *
 * Parameters: BENCH_INSTANCE, BENCH_PRIMITIVE, BENCH_TYPE (a label), BENCH_IN (an element label), BENCH_BINS.
 * BENCH_EVEN: even bins of floats from 0 to 1, of integers from 0 to the largest; BENCH_RANGE: between levels, which
 * are squares from 0 to 1; else by value.
 */
#include <math.h>

#include "bench_histogram_limits.h"

#define GP_NAME BENCH_INSTANCE
#define GP_TYPE BENCH_IN_T
#include <gpuprims/histogram.cuh>

#ifdef BENCH_RANGE
static inline BENCH_IN_T BENCH(level)(size_t b)
{
    return (BENCH_IN_T)b * (BENCH_IN_T)b / (BENCH_IN_T)(BENCH_BINS * BENCH_BINS);
}

/* Made once, before anything is timed. */
const BENCH_IN_T *BENCH_LEVELS(void)
{
    static BENCH_IN_T host[BENCH_BINS + 1], *device;

    if (device)
        return device;
    for (size_t b = 0; b <= BENCH_BINS; b++)
        host[b] = BENCH(level)(b);
    cudaMalloc((void **)&device, sizeof host);
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    return device;
}
#endif

static cudaError_t BENCH(run)(const bench_call *call)
{
    const BENCH_IN_T *in = (const BENCH_IN_T *)call->in;
    uint64_t *counts = (uint64_t *)call->out;

#if defined BENCH_RANGE
    return BENCH(histogram_range)(in, counts, call->n, BENCH_BINS, BENCH_LEVELS(), call->ws, call->stream);
#elif defined BENCH_EVEN
    return BENCH(histogram_even)(in, counts, call->n, BENCH_BINS, 0, BENCH_UPPER, call->ws, call->stream);
#else
    return BENCH(histogram)(in, counts, call->n, BENCH_BINS, call->ws, call->stream);
#endif
}

static size_t BENCH(workspace)(size_t n)
{
    return BENCH(histogram_workspace_bytes)(n, BENCH_BINS);
}

static cudaError_t BENCH(reference)(const bench_call *call)
{
    const BENCH_IN_T *in = (const BENCH_IN_T *)call->in;
    uint64_t *counts = (uint64_t *)call->out;
    size_t i;

    for (i = 0; i < BENCH_BINS; i++)
        counts[i] = 0;
    for (i = 0; i < call->n; i++)
#if defined BENCH_RANGE
    {
        size_t b = (size_t)(sqrt((double)in[i]) * BENCH_BINS); /* about */

        while (b > 0 && in[i] < BENCH(level)(b))
            b--;
        while (b < BENCH_BINS && in[i] >= BENCH(level)(b + 1))
            b++;
        if (b < BENCH_BINS)
            counts[b]++;
    }
#elif defined BENCH_EVEN
        if (in[i] < BENCH_UPPER)
            counts[(size_t)(BENCH_WIDE(in[i]) * BENCH_BINS / BENCH_WIDE(BENCH_UPPER))]++;
#else
        counts[in[i]]++;
#endif
    return cudaSuccess;
}

BENCH_CUB_FUNCTION(run_cub); /* bench_histogram_cub.h */
BENCH_CUB_FUNCTION(run_cub_32);

static const bench_entry BENCH(entries)[] = {
    {"gpuprims", 0, BENCH(run), BENCH(workspace)},
    BENCH_CUB_ENTRIES("CUB", ENTRY_CUB, run_cub)
    BENCH_CUB_ENTRIES("CUB_32", ENTRY_CUB, run_cub_32)
};

/* All counts are one result. */
/* clang-format off */
#define BENCH_OUT_ELEMENT {KIND_STRUCT, BENCH_BINS * sizeof(uint64_t)}
/* clang-format on */
#define BENCH_RESULT RESULT_ONE
#include "bench_one_group.h"
