/* Part of test_instances.cu: the file that exports an instance for others. */
#include <gpuprims/gpuprims.h>

#define GP_NAME exported
#define GP_TYPE double
#define GP_API  GP_EXTERN_C
#include <gpuprims/scan.cuh>

#define GP_NAME exported
#define GP_TYPE double
#define GP_API  GP_EXTERN_C
#include <gpuprims/reduce.cuh>

#define GP_NAME exported
#define GP_TYPE double
#define GP_API  GP_EXTERN_C
#include <gpuprims/compact.cuh>

/* The default instance and one called `trio`, which the first file has too: both are static. */
#include <gpuprims/reduce.cuh>

#define GP_NAME trio
#define GP_TYPE double
#define GP_OP   GP_MIN
#include <gpuprims/reduce.cuh>

#ifdef __cplusplus
extern "C" {
#endif
int other_default_sum(const int *d_in, int *d_out, size_t n, const void **where);
void other_refuse(void);

int other_default_sum(const int *d_in, int *d_out, size_t n, const void **where)
{
    *where = gp_last_error_message();
    return gp_reduce(d_in, d_out, n, NULL, 0) == cudaSuccess;
}

void other_refuse(void)
{
    (void)exported_reduce(NULL, NULL, 0, NULL, 0);
    (void)trio_reduce_workspace_bytes(0);
}
#ifdef __cplusplus
}
#endif
