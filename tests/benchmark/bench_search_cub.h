/* bench_search_cub.h: the CUB side of bench_search.h, with the same parameters. C++. The newest alone has it. */
#if __has_include(<cub/device/device_find.cuh>)
#include <cub/device/device_find.cuh>

#define BENCH_CUB_SIDE
#include "bench.h"

typedef BENCH_T(BENCH_IN) BENCH_IN_T;
typedef BENCH_T(BENCH_OUT) BENCH_OUT_T;

struct BENCH(less) {
    __device__ bool operator()(const BENCH_IN_T &a, const BENCH_IN_T &b) const
    {
        return a < b;
    }
};

bench_function BENCH(run_cub);
const void *BENCH(sorted)(size_t n); /* bench_search.h */

cudaError_t BENCH(run_cub)(const bench_call *call)
{
    const long long m = static_cast<long long>(call->n), n = BENCH_ITEMS * m;

    return cub::DeviceFind::LowerBound(
        call->scratch, *call->scratch_bytes,
        static_cast<const BENCH_IN_T *>(BENCH(sorted)(static_cast<size_t>(n))), n,
        static_cast<const BENCH_IN_T *>(call->in), m, static_cast<BENCH_OUT_T *>(call->out),
        BENCH(less)(), call->stream);
}
#endif
