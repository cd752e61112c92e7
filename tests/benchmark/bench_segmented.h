/* bench_segmented.h: one instance of segmented.cuh: sums of ints.
 *
 * Parameters: BENCH_INSTANCE, BENCH_PRIMITIVE, BENCH_TYPE (a label), BENCH_IN (struct32: eight ints), BENCH_OUT (i32
 * for a reduction, struct32 for a scan, with BENCH_SCANS). BENCH_SHAPE: 0: segments of eight; 1: lengths of a power
 * law, x or more with a chance of x^-1.1; 2: all items in the middle one of empty segments.
 */
#include <math.h>
#include <stdlib.h>

#include "bench_segmented_shape.h"
#include "input.h"

#define GP_NAME  BENCH_INSTANCE
#define GP_TYPE  bench_i32
#define GP_INDEX bench_i32
#include <gpuprims/segmented.cuh>

static inline size_t BENCH(length)(size_t segment, size_t n)
{
    const double chance = ((double)(input_random(segment) >> 11) + 1) / 9007199254740992.0;
    const double length = pow(chance, -1 / 1.1);

    return BENCH_SHAPE == 0 ? 8 : BENCH_SHAPE == 1 ? (size_t)(length < 1e6 ? length : 1e6) : segment == n / 2 ? 8 * n : 0;
}

/* Made when n is new: before anything is timed. */
const bench_segments *BENCH(segments)(size_t n);
const bench_segments *BENCH(segments)(size_t n)
{
    static bench_segments segments;
    size_t at = 0, s;

    if (segments.n == n)
        return &segments;
    if (segments.n)
        cudaFree(segments.device);
    free(segments.host);
    segments.n = n;
    segments.host = (bench_i32 *)malloc((n + 1) * sizeof *segments.host);
    segments.host[0] = 0;
    for (s = 0; s < n; s++) {
        const size_t length = BENCH(length)(s, n);

        at = s + 1 == n || 8 * n - at < length ? 8 * n : at + length;
        segments.host[s + 1] = (bench_i32)at;
    }
    cudaMalloc((void **)&segments.device, (n + 1) * sizeof *segments.device);
    cudaMemcpy(segments.device, segments.host, (n + 1) * sizeof *segments.device, cudaMemcpyHostToDevice);
    return &segments;
}

static cudaError_t BENCH(run)(const bench_call *call)
{
    const bench_i32 *offsets = BENCH(segments)(call->n)->device;

#ifdef BENCH_SCANS
    return BENCH(segmented_inclusive_scan)((const bench_i32 *)call->in, (bench_i32 *)call->out, 8 * call->n, offsets,
                                           call->n, call->ws, call->stream);
#else
    return BENCH(segmented_reduce)((const bench_i32 *)call->in, (bench_i32 *)call->out, 8 * call->n, offsets, call->n,
                                   call->ws, call->stream);
#endif
}

static size_t BENCH(workspace_bytes)(size_t n)
{
#ifdef BENCH_SCANS
    return BENCH(segmented_inclusive_scan_workspace_bytes)(8 * n, n);
#else
    return BENCH(segmented_reduce_workspace_bytes)(8 * n, n);
#endif
}

static cudaError_t BENCH(reference)(const bench_call *call)
{
    const bench_i32 *in = (const bench_i32 *)call->in, *offsets = BENCH(segments)(call->n)->host;
    bench_i32 *out = (bench_i32 *)call->out;
    size_t s;
    bench_i32 i;

    for (s = 0; s < call->n; s++) {
        uint32_t sum = 0;

        for (i = offsets[s]; i < offsets[s + 1]; i++) {
            sum += (uint32_t)in[i];
#ifdef BENCH_SCANS
            out[i] = (bench_i32)sum;
#endif
        }
#ifndef BENCH_SCANS
        out[s] = (bench_i32)sum;
#endif
    }
    return cudaSuccess;
}

BENCH_CUB_FUNCTION(run_cub); /* bench_segmented_cub.h */

static const bench_entry BENCH(entries)[] = {
    {"gpuprims", 0, BENCH(run), BENCH(workspace_bytes)},
#if defined BENCH_SCANS && defined BENCH_HAS_CUB && defined BENCH_HAS_NEWEST_CUB
    {"CUB", ENTRY_CUB, BENCH(run_cub), NULL}, /* the toolkit's has no scan of segments */
#elif !defined BENCH_SCANS
    BENCH_CUB_ENTRIES("CUB", ENTRY_CUB, run_cub)
#endif
};

#define BENCH_MAP_BYTES sizeof(bench_i32) /* the offsets are read, too */
#include "bench_one_group.h"
