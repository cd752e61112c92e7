/* bench_histogram_cub.h: the CUB side of bench_histogram.h, with the same parameters. C++.
 *
 * The counts are of 64 bits, as the library's are. CUB counts faster with counters of 32 bits, which then have to be
 * widened: measured as a rival of its own.
 */
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_transform.cuh>

#define BENCH_CUB_SIDE
#include "bench_histogram_limits.h"

bench_function BENCH(run_cub), BENCH(run_cub_32);

namespace
{
typedef unsigned long long count;

struct widen {
    __host__ __device__ count operator()(unsigned x) const
    {
        return x;
    }
};

template <typename Counter>
cudaError_t histogram(void *scratch, size_t &bytes, const bench_call *call, Counter *counts)
{
    const BENCH_IN_T *in = static_cast<const BENCH_IN_T *>(call->in);
#ifdef BENCH_RANGE
    return cub::DeviceHistogram::HistogramRange(scratch, bytes, in, counts, BENCH_BINS + 1, BENCH_LEVELS(),
                                                static_cast<long long>(call->n), call->stream);
#else
#ifdef BENCH_EVEN
    const BENCH_IN_T lower = 0, upper = BENCH_UPPER;
#else
    const int lower = 0, upper = BENCH_BINS;
#endif

    return cub::DeviceHistogram::HistogramEven(scratch, bytes, in, counts, BENCH_BINS + 1, lower, upper,
                                               static_cast<long long>(call->n), call->stream);
#endif
}
} // namespace

cudaError_t BENCH(run_cub)(const bench_call *call)
{
    return histogram(call->scratch, *call->scratch_bytes, call, static_cast<count *>(call->out));
}

cudaError_t BENCH(run_cub_32)(const bench_call *call)
{
    const size_t counters = (BENCH_BINS * sizeof(unsigned) + 255) / 256 * 256;
    unsigned *counts = static_cast<unsigned *>(call->scratch);
    size_t bytes = call->scratch ? *call->scratch_bytes - counters : 0;
    cudaError_t error = histogram(call->scratch ? static_cast<char *>(call->scratch) + counters : nullptr, bytes, call,
                                  counts);

    if (!call->scratch) {
        *call->scratch_bytes = counters + bytes;
        return error;
    }
    if (error != cudaSuccess)
        return error;
    return cub::DeviceTransform::Transform(counts, static_cast<count *>(call->out), BENCH_BINS, widen(), call->stream);
}
