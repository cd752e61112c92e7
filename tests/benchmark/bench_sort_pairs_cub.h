/* bench_sort_pairs_cub.h: the CUB side of bench_sort_pairs.h. C++. */
#include <cub/device/device_radix_sort.cuh>

#define BENCH_CUB_SIDE
#include "bench.h"

typedef BENCH_T(BENCH_IN) BENCH_IN_T;
typedef BENCH_T(BENCH_MAP) BENCH_MAP_T;

bench_function BENCH(run_cub);

cudaError_t BENCH(run_cub)(const bench_call *call)
{
    BENCH_IN_T *keys = static_cast<BENCH_IN_T *>(call->out);

    return cub::DeviceRadixSort::SortPairs(call->scratch, *call->scratch_bytes,
                                           static_cast<const BENCH_IN_T *>(call->in), keys,
                                           static_cast<const BENCH_MAP_T *>(call->map),
                                           reinterpret_cast<BENCH_MAP_T *>(keys + call->n), call->n,
                                           0, static_cast<int>(8 * sizeof(BENCH_IN_T)), call->stream);
}
