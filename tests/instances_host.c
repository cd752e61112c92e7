/* Part of test_instances.cu: the plain C side. In a CUDA program it is built with GP_CUDA_HOST. */
#include <gpuprims/gpuprims.h>

#include <gpuprims/host/cpu_scan.h>

#define GP_NAME least
#define GP_TYPE double
#define GP_OP   GP_MIN
#include <gpuprims/host/cpu_reduce.h>

#include <gpuprims/host/cpu_compact.h>

cudaError_t exported_exclusive_scan(const double *in, double *out, size_t n, gp_workspace *ws,
                                    cudaStream_t stream);
size_t exported_exclusive_scan_workspace_bytes(size_t n);
cudaError_t exported_compact(const double *in, double *out, size_t n, size_t *d_count, gp_workspace *ws,
                             cudaStream_t stream);
int host_side(const double *d_in, double *d_out, size_t n);
int host_side_references(void);

/* A scan in a kept workspace, and a refusal. */
int host_side(const double *d_in, double *d_out, size_t n)
{
    gp_workspace ws = GP_WORKSPACE_INIT;
    gp_classic_options options = {256, 1, 1};
    int passed = options.block_threads == 256;

    passed &= gp_workspace_reserve(&ws, exported_exclusive_scan_workspace_bytes(n), 0) == cudaSuccess;
    passed &= exported_exclusive_scan(d_in, d_out, n, &ws, 0) == cudaSuccess;
    passed &= gp_workspace_release(&ws, 0) == cudaSuccess;
    passed &= exported_compact(d_in, d_out, n, NULL, NULL, 0) == cudaErrorInvalidValue;
    passed &= strstr(gp_last_error_message(), "exported_compact: d_count is NULL") != NULL;
    return passed;
}

int host_side_references(void)
{
    static const int in[7] = {1, 5, 0, 1, 2, 0, 3}, exclusive[7] = {0, 1, 6, 6, 7, 9, 9};
    static const double reals[3] = {2, -1, 5};
    int out[7];

    gp_cpu_exclusive_scan(in, out, 7);
    return memcmp(out, exclusive, sizeof out) == 0 && least_cpu_reduce(reals, 3) == -1 &&
           gp_cpu_compact(in, out, 7) == 5;
}
