/* bench_row_top_k_cub.h: the CUB side of bench_row_top_k.h, with the same parameters. C++. CUB selects from rows that
 * fit into shared memory all at once, from longer ones one after the other, and leaves what it selects in any order.
 * The toolkit's CUB has no top-k.
 */
#include <cub/util_type.cuh>
#if __has_include(<cub/device/device_batched_topk.cuh>)
#include <cub/device/device_batched_topk.cuh>
#include <cub/device/device_topk.cuh>
#define BENCH_CUB_HAS_TOP_K
#endif

#define BENCH_CUB_SIDE
#include "bench.h"

typedef BENCH_T(BENCH_IN) BENCH_IN_T;

bench_function BENCH(run_cub);

#ifdef BENCH_CUB_HAS_TOP_K
namespace
{
/* Where each row begins: an iterator over iterators. */
template <class Item, int64_t length>
struct rows {
    using iterator_category = std::random_access_iterator_tag;
    using value_type = Item *;
    using difference_type = int64_t;
    using pointer = void;
    using reference = Item *;
    Item *first;

    __host__ __device__ Item *operator[](int64_t row) const
    {
        return first + row * length;
    }
    __host__ __device__ Item *operator*() const
    {
        return first;
    }
    __host__ __device__ rows operator+(int64_t row) const
    {
        return {first + row * length};
    }
};
} // namespace
#endif

cudaError_t BENCH(run_cub)(const bench_call *call)
{
#ifdef BENCH_CUB_HAS_TOP_K
    namespace ex = cuda::execution;
    const BENCH_IN_T *in = static_cast<const BENCH_IN_T *>(call->in);
    BENCH_IN_T *out = static_cast<BENCH_IN_T *>(call->out);
    const auto stream = cuda::stream_ref{call->stream};

    if constexpr (BENCH_LENGTH <= 16384) {
        const auto how = cuda::std::execution::env{
            stream, ex::require(ex::determinism::not_guaranteed, ex::tie_break::unspecified,
                                ex::output_ordering::unsorted)};

        return cub::DeviceBatchedTopK::MinKeys(
            call->scratch, *call->scratch_bytes, rows<const BENCH_IN_T, BENCH_LENGTH>{in},
            rows<BENCH_IN_T, BENCH_K>{out}, cuda::args::constant<BENCH_LENGTH>{}, cuda::args::constant<BENCH_K>{},
            static_cast<int64_t>(call->n), how);
    } else {
        const auto how = cuda::std::execution::env{
            stream, ex::require(ex::determinism::not_guaranteed, ex::output_ordering::unsorted)};
        cudaError_t error = cudaSuccess;

        for (size_t row = 0; row < (call->scratch ? call->n : 1) && error == cudaSuccess; row++)
            error = cub::DeviceTopK::MinKeys(call->scratch, *call->scratch_bytes, in + row * BENCH_LENGTH,
                                             out + row * BENCH_K, static_cast<int64_t>(BENCH_LENGTH),
                                             static_cast<int64_t>(BENCH_K), how);
        return error;
    }
#else
    (void)call;
    return cudaErrorNotSupported;
#endif
}
