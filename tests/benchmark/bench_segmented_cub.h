/* bench_segmented_cub.h: the CUB side of bench_segmented.h, with the same parameters. C++. The toolkit's CUB has no scan
 * of segments.
 */
#include <cub/device/device_segmented_reduce.cuh>
#if defined BENCH_SCANS && !defined BENCH_CUB_IS_TOOLKIT
#include <cub/device/device_segmented_scan.cuh>
#endif

#define BENCH_CUB_SIDE
#include "bench_segmented_shape.h"

#define BENCH_SEGMENTS BENCH_JOIN(BENCH_INSTANCE, _segments)

const bench_segments *BENCH_SEGMENTS(size_t n);
bench_function BENCH(run_cub);

cudaError_t BENCH(run_cub)(const bench_call *call)
{
    const bench_i32 *offsets = BENCH_SEGMENTS(call->n)->device, *in = static_cast<const bench_i32 *>(call->in);
    bench_i32 *out = static_cast<bench_i32 *>(call->out);

#ifndef BENCH_SCANS
    return cub::DeviceSegmentedReduce::Sum(call->scratch, *call->scratch_bytes, in, out,
                                           static_cast<int>(call->n), offsets, offsets + 1, call->stream);
#elif !defined BENCH_CUB_IS_TOOLKIT
    return cub::DeviceSegmentedScan::InclusiveSegmentedSum(call->scratch, *call->scratch_bytes, in, out, offsets,
                                                           offsets + 1, static_cast<int64_t>(call->n), call->stream);
#else
    (void)offsets, (void)in, (void)out;
    return cudaErrorNotSupported;
#endif
}
