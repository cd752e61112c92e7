/* compare_cub.cu: see compare_cub.h. C++, unlike the rest of the program. */
#include "compare_cub.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <cstdint>
#include <limits>

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

/* CUB's own Max knows no NaN: as GP_MAX, any NaN makes the result one. */
struct maximum {
    template <typename T> __host__ __device__ T operator()(const T &a, const T &b) const
    {
        return a > b ? a : b >= a ? b : a + b;
    }
};

template <typename T>
cudaError_t max(const T *in, T *out, size_t n, void *scratch, size_t *scratch_bytes,
                cudaStream_t stream)
{
    /* -inf is below all floats; where there is none, the lowest integer. */
    const T lowest = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                          : std::numeric_limits<T>::lowest();
    return cub::DeviceReduce::Reduce(scratch, *scratch_bytes, in, out, n, maximum(), lowest,
                                     stream);
}

template <typename T>
cudaError_t sort(const T *in, T *out, size_t n, void *scratch, size_t *scratch_bytes,
                 cudaStream_t stream)
{
    return cub::DeviceRadixSort::SortKeys(scratch, *scratch_bytes, in, out, n, 0,
                                          static_cast<int>(8 * sizeof(T)), stream);
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

cudaError_t i32_compare_cub_max(const int *in, int *out, size_t n, void *scratch,
                                size_t *scratch_bytes, cudaStream_t stream)
{
    return max(in, out, n, scratch, scratch_bytes, stream);
}

cudaError_t u32_compare_cub_max(const unsigned *in, unsigned *out, size_t n, void *scratch,
                                size_t *scratch_bytes, cudaStream_t stream)
{
    return max(in, out, n, scratch, scratch_bytes, stream);
}

cudaError_t f32_compare_cub_max(const float *in, float *out, size_t n, void *scratch,
                                size_t *scratch_bytes, cudaStream_t stream)
{
    return max(in, out, n, scratch, scratch_bytes, stream);
}

cudaError_t i32_compare_cub_sort(const int *in, int *out, size_t n, void *scratch,
                                 size_t *scratch_bytes, cudaStream_t stream)
{
    return sort(in, out, n, scratch, scratch_bytes, stream);
}

cudaError_t u32_compare_cub_sort(const unsigned *in, unsigned *out, size_t n, void *scratch,
                                 size_t *scratch_bytes, cudaStream_t stream)
{
    return sort(in, out, n, scratch, scratch_bytes, stream);
}
