/* bench_reduce_at_cub.h: the CUB side of bench_reduce_at.h, with the same parameters. C++. */
#include <cub/device/device_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#define BENCH_CUB_SIDE
#include "bench.h"

typedef BENCH_T(BENCH_OUT) BENCH_OUT_T;

bench_function BENCH(run_cub);

namespace
{
struct product {
    __host__ __device__ BENCH_OUT_T operator()(const thrust::tuple<BENCH_OUT_T, BENCH_OUT_T> &pair) const
    {
        return thrust::get<0>(pair) * thrust::get<1>(pair);
    }
};
} // namespace

cudaError_t BENCH(run_cub)(const bench_call *call)
{
#ifdef BENCH_COUNTS
    const thrust::counting_iterator<BENCH_OUT_T> in(0);
#else
    const BENCH_OUT_T *x = static_cast<const BENCH_OUT_T *>(call->in), *y = x + call->n;
    const auto in = thrust::make_transform_iterator(thrust::make_zip_iterator(thrust::make_tuple(x, y)), product());
#endif

    return cub::DeviceReduce::Sum(call->scratch, *call->scratch_bytes, in, static_cast<BENCH_OUT_T *>(call->out), call->n,
                                  call->stream);
}
