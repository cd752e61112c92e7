/* order_runners.h: as runners.h, for what compares elements: find-max and sort. Unsigned elements need
 * kernels of their own here. RUNNERS_NO_SORT leaves the sorts out: split sort takes integers only.
 */
#define RUNNERS(function) RUNNERS_JOIN(RUNNERS_NAME, function)

#define GP_NAME RUNNERS_NAME
#define GP_TYPE RUNNERS_TYPE
#define GP_OP GP_MAX
#include <gpuprims/host/cpu_reduce.h>

#define GP_NAME RUNNERS_NAME
#define GP_TYPE RUNNERS_TYPE
#define GP_OP GP_MAX
#include <gpuprims/reduce.cuh>

#define GP_NAME RUNNERS_NAME
#define GP_TYPE RUNNERS_TYPE
#include <gpuprims/classic/find_max.cuh>

/* ---- find-max ---- */

static inline cudaError_t RUNNERS(run_cpu_find_max)(const runner_call *call)
{
    *(RUNNERS_TYPE *)call->out = RUNNERS(cpu_reduce)((const RUNNERS_TYPE *)call->in, call->n);
    return cudaSuccess;
}

static inline cudaError_t RUNNERS(run_find_max)(const runner_call *call)
{
    return RUNNERS(find_max)((const RUNNERS_TYPE *)call->in, (RUNNERS_TYPE *)call->out, call->n,
                             &call->classic, call->ws, call->stream);
}

static inline cudaError_t RUNNERS(run_reduce_max)(const runner_call *call)
{
    return RUNNERS(reduce)((const RUNNERS_TYPE *)call->in, (RUNNERS_TYPE *)call->out, call->n,
                           call->ws, call->stream);
}

#ifdef __CUDACC__

static inline size_t RUNNERS(cub_max_scratch)(size_t n)
{
    size_t bytes = 0;
    RUNNERS(compare_cub_max)(NULL, NULL, n, NULL, &bytes, (cudaStream_t)0);
    return bytes;
}

static inline cudaError_t RUNNERS(run_cub_max)(const runner_call *call)
{
    size_t bytes = call->scratch_bytes;
    return RUNNERS(compare_cub_max)((const RUNNERS_TYPE *)call->in, (RUNNERS_TYPE *)call->out,
                                    call->n, call->scratch, &bytes, call->stream);
}

#endif

/* ---- sort ---- */

#ifndef RUNNERS_NO_SORT

#define GP_NAME RUNNERS_NAME
#define GP_TYPE RUNNERS_TYPE
#include <gpuprims/classic/split_sort.cuh>

#define GP_NAME RUNNERS_NAME
#define GP_KEY  RUNNERS_TYPE
#include <gpuprims/classic/bitonic_sort.cuh>

#define GP_NAME RUNNERS_NAME
#define GP_KEY  RUNNERS_TYPE
#include <gpuprims/classic/odd_even_merge_sort.cuh>

#define GP_NAME RUNNERS_NAME
#define GP_TYPE RUNNERS_TYPE
#include <gpuprims/merge_sort.cuh>

#define GP_NAME RUNNERS_NAME
#define GP_KEY RUNNERS_TYPE
#include <gpuprims/radix_sort.cuh>

static inline int RUNNERS(order)(const void *a, const void *b)
{
    RUNNERS_TYPE x = *(const RUNNERS_TYPE *)a, y = *(const RUNNERS_TYPE *)b;
    return (x > y) - (x < y);
}

static inline cudaError_t RUNNERS(run_cpu_sort)(const runner_call *call)
{
    memcpy(call->out, call->in, call->n * sizeof(RUNNERS_TYPE));
    qsort(call->out, call->n, sizeof(RUNNERS_TYPE), RUNNERS(order));
    return cudaSuccess;
}

static inline size_t RUNNERS(split_sort_scratch)(size_t n)
{
    return RUNNERS(split_sort_workspace_bytes)(n, 0);
}

static inline cudaError_t RUNNERS(run_split_sort)(const runner_call *call)
{
    return RUNNERS(split_sort)((const RUNNERS_TYPE *)call->in, (RUNNERS_TYPE *)call->out, call->n,
                               8 * (int)sizeof(RUNNERS_TYPE), &call->classic, call->ws,
                               call->stream);
}

static inline cudaError_t RUNNERS(run_split_sort_max)(const runner_call *call)
{
    return RUNNERS(split_sort)((const RUNNERS_TYPE *)call->in, (RUNNERS_TYPE *)call->out, call->n,
                               0, &call->classic, call->ws, call->stream);
}

/* The networks sort in place. */
static inline cudaError_t RUNNERS(copy_to_out)(const runner_call *call)
{
    return cudaMemcpyAsync(call->out, call->in, call->n * sizeof(RUNNERS_TYPE),
                           cudaMemcpyDeviceToDevice, call->stream);
}

static inline cudaError_t RUNNERS(run_bitonic_sort)(const runner_call *call)
{
    cudaError_t error = RUNNERS(copy_to_out)(call);
    if (error != cudaSuccess)
        return error;
    return RUNNERS(bitonic_sort)((RUNNERS_TYPE *)call->out, 1, call->n, 0, &call->classic, call->ws,
                                 call->stream);
}

static inline cudaError_t RUNNERS(run_odd_even_merge_sort)(const runner_call *call)
{
    cudaError_t error = RUNNERS(copy_to_out)(call);
    if (error != cudaSuccess)
        return error;
    return RUNNERS(odd_even_merge_sort)((RUNNERS_TYPE *)call->out, 1, call->n, 0, &call->classic,
                                        call->ws, call->stream);
}

static inline cudaError_t RUNNERS(run_merge_sort)(const runner_call *call)
{
    return RUNNERS(merge_sort)((const RUNNERS_TYPE *)call->in, (RUNNERS_TYPE *)call->out, call->n,
                               call->ws, call->stream);
}

static inline cudaError_t RUNNERS(run_radix_sort)(const runner_call *call)
{
    return RUNNERS(radix_sort)((const RUNNERS_TYPE *)call->in, (RUNNERS_TYPE *)call->out, call->n,
                               call->ws, call->stream);
}

#ifdef __CUDACC__

static inline size_t RUNNERS(cub_sort_scratch)(size_t n)
{
    size_t bytes = 0;
    RUNNERS(compare_cub_sort)(NULL, NULL, n, NULL, &bytes, (cudaStream_t)0);
    return bytes;
}

static inline cudaError_t RUNNERS(run_cub_sort)(const runner_call *call)
{
    size_t bytes = call->scratch_bytes;
    return RUNNERS(compare_cub_sort)((const RUNNERS_TYPE *)call->in, (RUNNERS_TYPE *)call->out,
                                     call->n, call->scratch, &bytes, call->stream);
}

#endif

#endif

#undef RUNNERS
#undef RUNNERS_NAME
#undef RUNNERS_TYPE
#undef RUNNERS_NO_SORT
