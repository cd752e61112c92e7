/* bench_top_k_cub.h: the CUB side of bench_top_k.h, with the same parameters. C++. CUB leaves what it selects in any
 * order; its radix sort follows, so that the result is the same. The toolkit's CUB has no top-k.
 */
#include <cub/device/device_radix_sort.cuh>
#if __has_include(<cub/device/device_topk.cuh>)
#include <cub/device/device_topk.cuh>
#define BENCH_CUB_HAS_TOP_K
#endif

#define BENCH_CUB_SIDE
#include "bench.h"

typedef BENCH_T(BENCH_IN) BENCH_IN_T;

bench_function BENCH(run_cub);

cudaError_t BENCH(run_cub)(const bench_call *call)
{
#ifdef BENCH_CUB_HAS_TOP_K
    const int64_t k = static_cast<int64_t>(call->n < BENCH_K ? call->n : BENCH_K);
    const size_t key_bytes = (BENCH_K * sizeof(BENCH_IN_T) + 255) / 256 * 256;
    const auto any_order = cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                                    cuda::execution::output_ordering::unsorted);
    const auto how = cuda::std::execution::env{cuda::stream_ref{call->stream}, any_order};
    const BENCH_IN_T *in = static_cast<const BENCH_IN_T *>(call->in);
    BENCH_IN_T *out = static_cast<BENCH_IN_T *>(call->out), *some = static_cast<BENCH_IN_T *>(call->scratch);
    void *rest = call->scratch ? static_cast<char *>(call->scratch) + key_bytes : nullptr;
    size_t select_bytes = 0, sort_bytes = 0;
    const int64_t n = static_cast<int64_t>(call->n);
    const int bits = 8 * sizeof(BENCH_IN_T);
    cudaError_t error = cub::DeviceTopK::MinKeys(nullptr, select_bytes, in, some, n, k, how);

    if (error == cudaSuccess)
        error = cub::DeviceRadixSort::SortKeys(nullptr, sort_bytes, some, out, k, 0, bits, call->stream);
    size_t bytes = select_bytes > sort_bytes ? select_bytes : sort_bytes;
    if (!call->scratch || error != cudaSuccess) {
        *call->scratch_bytes = key_bytes + bytes;
        return error;
    }
    error = cub::DeviceTopK::MinKeys(rest, select_bytes, in, some, n, k, how);
    if (error == cudaSuccess)
        error = cub::DeviceRadixSort::SortKeys(rest, sort_bytes, some, out, k, 0, bits, call->stream);
    if (error == cudaSuccess && k < BENCH_K)
        error = cudaMemsetAsync(out + k, 0, (BENCH_K - k) * sizeof *out, call->stream);
    return error;
#else
    (void)call;
    return cudaErrorNotSupported;
#endif
}
