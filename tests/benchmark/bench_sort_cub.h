/* bench_sort_cub.h: the CUB side of bench_sort.h. C++. */
#include <cub/device/device_radix_sort.cuh>

#define BENCH_CUB_SIDE
#include "bench.h"

typedef BENCH_T(BENCH_IN) BENCH_IN_T;

bench_function BENCH(run_cub);

cudaError_t BENCH(run_cub)(const bench_call *call)
{
    return cub::DeviceRadixSort::SortKeys(call->scratch, *call->scratch_bytes,
                                          static_cast<const BENCH_IN_T *>(call->in),
                                          static_cast<BENCH_IN_T *>(call->out), call->n, 0,
                                          static_cast<int>(8 * sizeof(BENCH_IN_T)), call->stream);
}
