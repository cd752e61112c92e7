/* bench_scan_cub.h: the CUB side of bench_scan.h, with the same parameters. C++, and slow to
 * compile, which is why it is a file of its own: editing the library does not compile it again. */
#include <cub/device/device_scan.cuh>
#include <cuda/functional>

#define BENCH_CUB_SIDE
#include "bench_operators.h"

bench_function BENCH(run_cub);
#if BENCH_OP == BENCH_MAX
bench_function BENCH(run_cub_functor);
#endif

namespace
{
#if BENCH_OP == BENCH_MAX
/* A maximum as a user writes it, which CUB does not know for one. */
struct larger {
    __host__ __device__ BENCH_OUT_T operator()(const BENCH_OUT_T &a, const BENCH_OUT_T &b) const
    {
        return a > b ? a : b;
    }
};
#endif
#ifdef BENCH_COMBINE
struct combine {
    __host__ __device__ BENCH_OUT_T operator()(const BENCH_OUT_T &a, const BENCH_OUT_T &b) const
    {
        return BENCH_COMBINE(a, b);
    }
};
#endif
} // namespace

cudaError_t BENCH(run_cub)(const bench_call *call)
{
    const BENCH_IN_T *in = static_cast<const BENCH_IN_T *>(call->in);
    BENCH_OUT_T *out = static_cast<BENCH_OUT_T *>(call->out);
    void *scratch = call->scratch;
    size_t &bytes = *call->scratch_bytes;

#if BENCH_OP == BENCH_MAX
    return cub::DeviceScan::InclusiveScan(scratch, bytes, in, out, ::cuda::maximum<>(), call->n,
                                          call->stream);
#elif BENCH_OP == BENCH_SUM && defined BENCH_WIDENS
    /* ExclusiveSum would add in the input's type. */
    return cub::DeviceScan::ExclusiveScan(scratch, bytes, in, out, ::cuda::std::plus<>(),
                                          BENCH_OUT_T(0), call->n, call->stream);
#elif BENCH_OP == BENCH_SUM
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, in, out, call->n, call->stream);
#else
    BENCH_OUT_T identity = BENCH_IDENTITY;
    return cub::DeviceScan::ExclusiveScan(scratch, bytes, in, out, combine(), identity, call->n,
                                          call->stream);
#endif
}

#if BENCH_OP == BENCH_MAX
cudaError_t BENCH(run_cub_functor)(const bench_call *call)
{
    return cub::DeviceScan::InclusiveScan(call->scratch, *call->scratch_bytes,
                                          static_cast<const BENCH_IN_T *>(call->in),
                                          static_cast<BENCH_OUT_T *>(call->out), larger(), call->n,
                                          call->stream);
}
#endif
