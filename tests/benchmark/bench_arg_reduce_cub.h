/* bench_arg_reduce_cub.h: the CUB side of bench_arg_reduce.h, with the same parameters. C++. CUB writes the item, too: to
 * the last 16 bytes of its scratch memory. */
#include <cub/device/device_reduce.cuh>

#define BENCH_CUB_SIDE
#include "bench.h"

typedef BENCH_T(BENCH_IN) BENCH_IN_T;
typedef BENCH_T(BENCH_OUT) BENCH_OUT_T;

bench_function BENCH(run_cub);

cudaError_t BENCH(run_cub)(const bench_call *call)
{
    const BENCH_IN_T *in = static_cast<const BENCH_IN_T *>(call->in);
    size_t bytes = call->scratch ? *call->scratch_bytes - 16 : 0;
    BENCH_IN_T *item = reinterpret_cast<BENCH_IN_T *>(static_cast<char *>(call->scratch) + bytes / 16 * 16);
    cudaError_t error = cub::DeviceReduce::ArgMin(call->scratch, bytes, in, item, static_cast<BENCH_OUT_T *>(call->out),
                                                  static_cast<long long>(call->n), call->stream);

    if (!call->scratch)
        *call->scratch_bytes = (bytes + 15) / 16 * 16 + 16;
    return error;
}
