/* bench_sort_pairs_cub.h: the CUB side of bench_sort_pairs.h. C++. */
#include <cub/device/device_radix_sort.cuh>
#ifdef BENCH_NETWORKS
#include <cub/device/device_merge_sort.cuh>
#endif

#define BENCH_CUB_SIDE
#include "bench.h"
#include "bench_merge_sort_less.h"

typedef BENCH_T(BENCH_MAP) BENCH_MAP_T;

#ifdef BENCH_BITS
#define BENCH_END_BIT BENCH_BITS
#else
#define BENCH_END_BIT static_cast<int>(8 * sizeof(BENCH_IN_T))
#endif

bench_function BENCH(run_cub);

cudaError_t BENCH(run_cub)(const bench_call *call)
{
    const bool wide = sizeof(BENCH_MAP_T) > sizeof(BENCH_IN_T); /* values come first */
    char *second = static_cast<char *>(call->out) +
                   call->n * (wide ? sizeof(BENCH_MAP_T) : sizeof(BENCH_IN_T));
    void *keys = wide ? second : call->out, *values = wide ? call->out : second;

    return cub::DeviceRadixSort::SortPairs(call->scratch, *call->scratch_bytes,
                                           static_cast<const BENCH_IN_T *>(call->in),
                                           static_cast<BENCH_IN_T *>(keys),
                                           static_cast<const BENCH_MAP_T *>(call->map),
                                           static_cast<BENCH_MAP_T *>(values), call->n,
                                           0, BENCH_END_BIT, call->stream);
}

#ifdef BENCH_NETWORKS
bench_function BENCH(run_cub_merge);

cudaError_t BENCH(run_cub_merge)(const bench_call *call)
{
    BENCH_IN_T *keys = static_cast<BENCH_IN_T *>(call->out);

    return cub::DeviceMergeSort::SortPairsCopy(
        call->scratch, *call->scratch_bytes, static_cast<const BENCH_IN_T *>(call->in),
        static_cast<const BENCH_MAP_T *>(call->map), keys,
        reinterpret_cast<BENCH_MAP_T *>(keys + call->n), call->n, BENCH(less)(), call->stream);
}
#endif
