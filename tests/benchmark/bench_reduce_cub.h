/* bench_reduce_cub.h: the CUB side of bench_reduce.h. C++. */
#include <cub/device/device_reduce.cuh>

#define BENCH_CUB_SIDE
#include "bench_operators.h"

bench_function BENCH(run_cub);

cudaError_t BENCH(run_cub)(const bench_call *call)
{
    const BENCH_IN_T *in = static_cast<const BENCH_IN_T *>(call->in);
    BENCH_OUT_T *out = static_cast<BENCH_OUT_T *>(call->out);
    void *scratch = call->scratch;
    size_t &bytes = *call->scratch_bytes;

#if BENCH_OP == BENCH_MAX
    return cub::DeviceReduce::Max(scratch, bytes, in, out, call->n, call->stream);
#else
    return cub::DeviceReduce::Sum(scratch, bytes, in, out, call->n, call->stream);
#endif
}
