/* bench_by_key_cub.h: the CUB side of bench_by_key.h. C++. */
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>

#define BENCH_CUB_SIDE
#include "bench.h"

typedef BENCH_T(BENCH_IN) BENCH_IN_T;

bench_function BENCH(cub_reduce), BENCH(cub_scan);

cudaError_t BENCH(cub_reduce)(const bench_call *call)
{
    BENCH_IN_T *sums = static_cast<BENCH_IN_T *>(call->out);

    return cub::DeviceReduce::ReduceByKey(call->scratch, *call->scratch_bytes,
                                          static_cast<const BENCH_IN_T *>(call->in),
                                          static_cast<BENCH_IN_T *>(bench_keys_out(call, sizeof *sums)),
                                          static_cast<const BENCH_IN_T *>(call->map), sums,
                                          reinterpret_cast<int32_t *>(call->count), ::cuda::std::plus<>(),
                                          static_cast<int>(call->n), call->stream);
}

cudaError_t BENCH(cub_scan)(const bench_call *call)
{
    return cub::DeviceScan::InclusiveSumByKey(call->scratch, *call->scratch_bytes,
                                              static_cast<const BENCH_IN_T *>(call->in),
                                              static_cast<const BENCH_IN_T *>(call->map),
                                              static_cast<BENCH_IN_T *>(call->out), static_cast<int>(call->n),
                                              ::cuda::std::equal_to<>(), call->stream);
}
