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

/* Expressions that mean names of the user's which are likely ones for variables of the library, too. */
enum { x = 10, a = 20, b = 30, i = 40, in = 50, out = 60, from = 70, context = 80, identity = 90, bin = 1, bins = 2 };

#define GP_NAME     named
#define GP_TYPE     int
#define GP_LOAD(v)  ((v) * x + from + context)
#define GP_OP(v, w) ((v) + (w) + a - b)
#define GP_IDENTITY identity
#include <gpuprims/reduce.cuh>
#define GP_NAME named_at
#define GP_TYPE int
#define GP_INPUT_TYPE void
#define GP_LOAD_AT(v, w) ((void)(v), (int)(w) + in + i)
#include <gpuprims/reduce.cuh>
#define GP_NAME named
#define GP_TYPE int
#define GP_PRED(v) ((v) >= x)
#include <gpuprims/compact.cuh>
#define GP_NAME named
#define GP_TYPE int
#define GP_STORE_AT(v, w, y) ((v)[w] = (y) + out + i)
#include <gpuprims/transform.cuh>
#define GP_NAME named
#define GP_TYPE int
#define GP_LESS(v, w) ((v) % x < (w) % x + a - a)
#include <gpuprims/merge_sort.cuh>
#define GP_NAME named
#define GP_TYPE int
#define GP_EQUAL(v, w) ((v) / x + a == (w) / x + a)
#include <gpuprims/run_length.cuh>
#define GP_NAME named
#define GP_TYPE int
#define GP_BIN(v, w) ((v) / x + bin - bins + 1 + 0 * (int)(w))
#include <gpuprims/histogram.cuh>

#ifdef __cplusplus
extern "C" {
#endif
int other_default_sum(const int *d_in, int *d_out, size_t n, const void **where);
void other_refuse(void);
int other_names(const int *d_in, int *d_out, uint64_t *d_counts, int step);

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

/* Of 12, 5, 31, 37, one result after the other. */
int other_names(const int *d_in, int *d_out, uint64_t *d_counts, int step)
{
    const size_t n = 4;
    size_t *count = (size_t *)(void *)d_counts;

    return (step == 0   ? named_reduce(d_in, d_out, n, NULL, 0)
            : step == 1 ? named_reduce(d_in, d_out, 0, NULL, 0)
            : step == 2 ? named_at_reduce(NULL, d_out, n, NULL, 0)
            : step == 3 ? named_compact(d_in, d_out, n, count, NULL, 0)
            : step == 4 ? named_transform(d_in, d_out, n, NULL, 0)
            : step == 5 ? named_merge_sort(d_in, d_out, n, NULL, 0)
            : step == 6 ? named_unique(d_in, d_out, n, count, NULL, 0)
                        : named_histogram(d_in, d_counts, n, 4, NULL, 0)) == cudaSuccess;
}
#ifdef __cplusplus
}
#endif
