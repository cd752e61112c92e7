/* bench_merge_cub.h: the CUB side of bench_merge.h. C++. */
#include <cub/device/device_merge.cuh>

#define BENCH_CUB_SIDE
#include "bench.h"
#include "bench_merge_sort_less.h"

#ifndef BENCH_TRAIT
#define BENCH_TRAIT HALVES_SORTED
#endif

bench_function BENCH(run_cub);

cudaError_t BENCH(run_cub)(const bench_call *call)
{
    const BENCH_IN_T *in = static_cast<const BENCH_IN_T *>(call->in);
    const size_t first = bench_first_sorted(call->n, BENCH_TRAIT);
    const long long na = static_cast<long long>(first), nb = static_cast<long long>(call->n - first);

    return cub::DeviceMerge::MergeKeys(call->scratch, *call->scratch_bytes, in, na, in + na, nb,
                                       static_cast<BENCH_IN_T *>(call->out), BENCH(less)(), call->stream);
}
