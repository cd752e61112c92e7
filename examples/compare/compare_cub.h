/* compare_cub.h: NVIDIA's CUB behind plain C functions.
 *
 * CUB is C++; compare_cub.cu is the only file here that includes it. As in CUB, a call with
 * scratch == NULL does nothing but set *scratch_bytes to what the real call needs.
 */
#ifndef COMPARE_CUB_H
#define COMPARE_CUB_H

#include <cuda_runtime.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

cudaError_t i32_compare_cub_exclusive_scan(const int *in, int *out, size_t n, void *scratch,
                                           size_t *scratch_bytes, cudaStream_t stream);
cudaError_t f32_compare_cub_exclusive_scan(const float *in, float *out, size_t n, void *scratch,
                                           size_t *scratch_bytes, cudaStream_t stream);

/* Keeps what is not zero. */
cudaError_t i32_compare_cub_compact(const int *in, int *out, size_t n, size_t *d_count,
                                    void *scratch, size_t *scratch_bytes, cudaStream_t stream);
cudaError_t f32_compare_cub_compact(const float *in, float *out, size_t n, size_t *d_count,
                                    void *scratch, size_t *scratch_bytes, cudaStream_t stream);

cudaError_t i32_compare_cub_max(const int *in, int *out, size_t n, void *scratch,
                                size_t *scratch_bytes, cudaStream_t stream);
cudaError_t u32_compare_cub_max(const unsigned *in, unsigned *out, size_t n, void *scratch,
                                size_t *scratch_bytes, cudaStream_t stream);
cudaError_t f32_compare_cub_max(const float *in, float *out, size_t n, void *scratch,
                                size_t *scratch_bytes, cudaStream_t stream);

cudaError_t i32_compare_cub_sort(const int *in, int *out, size_t n, void *scratch,
                                 size_t *scratch_bytes, cudaStream_t stream);
cudaError_t u32_compare_cub_sort(const unsigned *in, unsigned *out, size_t n, void *scratch,
                                 size_t *scratch_bytes, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
