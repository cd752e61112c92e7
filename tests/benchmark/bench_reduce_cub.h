/* bench_reduce_cub.h: the CUB side of bench_reduce.h. C++. BENCH_NAN: a maximum that any NaN makes one, as GP_MAX, and
 * which CUB's own is not. */
#include <cub/device/device_reduce.cuh>

#include <limits>

#define BENCH_CUB_SIDE
#include "bench_operators.h"

bench_function BENCH(run_cub);

#ifdef BENCH_NAN
namespace
{
struct maximum {
    __host__ __device__ BENCH_OUT_T operator()(BENCH_OUT_T a, BENCH_OUT_T b) const
    {
        return a > b ? a : b >= a ? b : a + b;
    }
};
} // namespace
#endif

cudaError_t BENCH(run_cub)(const bench_call *call)
{
    const BENCH_IN_T *in = static_cast<const BENCH_IN_T *>(call->in);
    BENCH_OUT_T *out = static_cast<BENCH_OUT_T *>(call->out);
    void *scratch = call->scratch;
    size_t &bytes = *call->scratch_bytes;

#ifdef BENCH_NAN
    typedef std::numeric_limits<BENCH_OUT_T> limits;
    const BENCH_OUT_T least = limits::has_infinity ? -limits::infinity() : limits::lowest();
    return cub::DeviceReduce::Reduce(scratch, bytes, in, out, call->n, maximum(), least, call->stream);
#elif BENCH_OP == BENCH_MAX
    return cub::DeviceReduce::Max(scratch, bytes, in, out, call->n, call->stream);
#else
    return cub::DeviceReduce::Sum(scratch, bytes, in, out, call->n, call->stream);
#endif
}
