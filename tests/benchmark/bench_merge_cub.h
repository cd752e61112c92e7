/* bench_merge_cub.h: the CUB side of bench_merge.h. C++. */
#include <cub/device/device_merge.cuh>

#define BENCH_CUB_SIDE
#include "bench.h"
#include "bench_merge_sort_less.h"

bench_function BENCH(run_cub);

cudaError_t BENCH(run_cub)(const bench_call *call)
{
    const BENCH_IN_T *in = static_cast<const BENCH_IN_T *>(call->in);
    const long long n = static_cast<long long>(call->n), half = n / 2;

    return cub::DeviceMerge::MergeKeys(call->scratch, *call->scratch_bytes, in, half, in + half,
                                       n - half, static_cast<BENCH_IN_T *>(call->out),
                                       BENCH(less)(), call->stream);
}
