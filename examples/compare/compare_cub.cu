/* compare_cub.cu: see compare_cub.h. C++, unlike the rest of the program. */
#include "compare_cub.h"

#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <cstdint>

namespace
{

struct is_not_zero {
    template <typename T> __host__ __device__ bool operator()(const T &x) const
    {
        return x != T(0);
    }
};

template <typename T>
cudaError_t exclusive_scan(const T *in, T *out, size_t n, void *scratch, size_t *scratch_bytes,
                           cudaStream_t stream)
{
    return cub::DeviceScan::ExclusiveSum(scratch, *scratch_bytes, in, out, n, stream);
}

template <typename T>
cudaError_t compact(const T *in, T *out, size_t n, size_t *d_count, void *scratch,
                    size_t *scratch_bytes, cudaStream_t stream)
{
    return cub::DeviceSelect::If(scratch, *scratch_bytes, in, out, d_count,
                                 static_cast<std::int64_t>(n), is_not_zero(), stream);
}

} // namespace

cudaError_t i32_compare_cub_exclusive_scan(const int *in, int *out, size_t n, void *scratch,
                                           size_t *scratch_bytes, cudaStream_t stream)
{
    return exclusive_scan(in, out, n, scratch, scratch_bytes, stream);
}

cudaError_t f32_compare_cub_exclusive_scan(const float *in, float *out, size_t n, void *scratch,
                                           size_t *scratch_bytes, cudaStream_t stream)
{
    return exclusive_scan(in, out, n, scratch, scratch_bytes, stream);
}

cudaError_t i32_compare_cub_compact(const int *in, int *out, size_t n, size_t *d_count,
                                    void *scratch, size_t *scratch_bytes, cudaStream_t stream)
{
    return compact(in, out, n, d_count, scratch, scratch_bytes, stream);
}

cudaError_t f32_compare_cub_compact(const float *in, float *out, size_t n, size_t *d_count,
                                    void *scratch, size_t *scratch_bytes, cudaStream_t stream)
{
    return compact(in, out, n, d_count, scratch, scratch_bytes, stream);
}
