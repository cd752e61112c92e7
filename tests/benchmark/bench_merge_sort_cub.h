/* bench_merge_sort_cub.h: the CUB side of bench_merge_sort.h. C++. */
#include <cub/device/device_merge_sort.cuh>

#define BENCH_CUB_SIDE
#include "bench.h"
#include "bench_merge_sort_less.h"

bench_function BENCH(run_cub);

cudaError_t BENCH(run_cub)(const bench_call *call)
{
    const BENCH_IN_T *in = static_cast<const BENCH_IN_T *>(call->in);
    BENCH_IN_T *out = static_cast<BENCH_IN_T *>(call->out);

#ifdef BENCH_PAIRS
    return cub::DeviceMergeSort::SortPairsCopy(
        call->scratch, *call->scratch_bytes, in, static_cast<const uint32_t *>(call->map), out,
        static_cast<uint32_t *>(call->out) + call->n, call->n, BENCH(less)(), call->stream);
#else
    return cub::DeviceMergeSort::SortKeysCopy(call->scratch, *call->scratch_bytes, in, out, call->n,
                                              BENCH(less)(), call->stream);
#endif
}
