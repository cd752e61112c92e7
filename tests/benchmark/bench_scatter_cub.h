/* bench_scatter_cub.h: the side of CUB and Thrust of bench_scatter.h. C++.
 *
 * They need no scratch memory: asked how much, they run. par_nosync spares Thrust a wait for the
 * stream after each call, which would be timed; Thrust reports errors as exceptions.
 */
#include <cub/device/device_transform.cuh>
#include <thrust/execution_policy.h>
#include <thrust/gather.h>
#include <thrust/scatter.h>
#include <thrust/system_error.h>

#define BENCH_CUB_SIDE
#ifdef BENCH_ALL
#include "bench_predicates.h"
#else
#include "bench.h"

typedef BENCH_T(BENCH_IN) BENCH_IN_T;
#endif

typedef BENCH_T(BENCH_MAP) BENCH_MAP_T;

bench_function BENCH(thrust_gather), BENCH(thrust_scatter), BENCH(thrust_scatter_if);
bench_function BENCH(cub_map_to_flags);

namespace
{
const BENCH_IN_T *in(const bench_call *call)
{
    return static_cast<const BENCH_IN_T *>(call->in);
}

BENCH_IN_T *out(const bench_call *call)
{
    return static_cast<BENCH_IN_T *>(call->out);
}

const BENCH_MAP_T *map(const bench_call *call)
{
    return static_cast<const BENCH_MAP_T *>(call->map);
}

auto policy(const bench_call *call)
{
    return thrust::cuda::par_nosync.on(call->stream);
}

template <typename Function> cudaError_t error_of(Function function)
{
    try {
        function();
    } catch (const thrust::system_error &error) {
        return static_cast<cudaError_t>(error.code().value());
    }
    return cudaSuccess;
}
} // namespace

cudaError_t BENCH(thrust_gather)(const bench_call *call)
{
    return error_of(
        [=] { thrust::gather(policy(call), map(call), map(call) + call->n, in(call), out(call)); });
}

cudaError_t BENCH(thrust_scatter)(const bench_call *call)
{
    return error_of(
        [=] { thrust::scatter(policy(call), in(call), in(call) + call->n, map(call), out(call)); });
}

cudaError_t BENCH(thrust_scatter_if)(const bench_call *call)
{
    return error_of([=] {
        thrust::scatter_if(policy(call), in(call), in(call) + call->n, map(call), call->flags,
                           out(call));
    });
}

#ifdef BENCH_ALL

namespace
{
struct flag {
    __host__ __device__ std::uint8_t operator()(BENCH_IN_T x) const
    {
        return static_cast<std::uint8_t>(bench_keep(x));
    }
};
} // namespace

cudaError_t BENCH(cub_map_to_flags)(const bench_call *call)
{
    return cub::DeviceTransform::Transform(in(call), static_cast<std::uint8_t *>(call->out),
                                           call->n, flag(), call->stream);
}

#endif
