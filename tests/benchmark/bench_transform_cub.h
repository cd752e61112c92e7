/* bench_transform_cub.h: the CUB side of bench_transform.h, with the same parameters. C++.
 *
 * DeviceTransform needs no scratch memory: asked how much, it runs. Differences of neighbours are measured twice: with
 * the number of the item as its input, as any GP_LOAD_AT could be written, and as the primitive that CUB has for them.
 */
#include <cub/device/device_transform.cuh>
#ifdef BENCH_NEIGHBOURS
#include <cub/device/device_adjacent_difference.cuh>
#include <thrust/iterator/counting_iterator.h>
#endif

#define BENCH_CUB_SIDE
#include "bench_transform_maps.h"

bench_function BENCH(run_cub);

namespace
{
#ifdef BENCH_NEIGHBOURS
struct operation {
    const BENCH_IN_T *in;

    __host__ __device__ BENCH_OUT_T operator()(size_t i) const
    {
        return BENCH_RESULT_OF(in, i);
    }
};

struct difference {
    __host__ __device__ BENCH_OUT_T operator()(BENCH_IN_T x, BENCH_IN_T before) const
    {
        return static_cast<BENCH_OUT_T>(x - before);
    }
};
#else
struct operation {
    __host__ __device__ BENCH_OUT_T operator()(BENCH_IN_T x) const
    {
        return BENCH_RESULT_OF(&x, 0);
    }
};
#endif
} // namespace

cudaError_t BENCH(run_cub)(const bench_call *call)
{
    const BENCH_IN_T *in = static_cast<const BENCH_IN_T *>(call->in);
    BENCH_OUT_T *out = static_cast<BENCH_OUT_T *>(call->out);

#ifdef BENCH_NEIGHBOURS
    return cub::DeviceTransform::Transform(thrust::counting_iterator<size_t>(0), out, call->n, operation{in},
                                           call->stream);
#else
    return cub::DeviceTransform::Transform(in, out, call->n, operation(), call->stream);
#endif
}

#ifdef BENCH_NEIGHBOURS
bench_function BENCH(run_cub_difference);

cudaError_t BENCH(run_cub_difference)(const bench_call *call)
{
    const BENCH_IN_T *in = static_cast<const BENCH_IN_T *>(call->in);
    BENCH_OUT_T *out = static_cast<BENCH_OUT_T *>(call->out);

    return cub::DeviceAdjacentDifference::SubtractLeftCopy(call->scratch, *call->scratch_bytes, in, out, call->n,
                                                           difference(), call->stream);
}
#endif
