/* bench_search.h: one instance of search.cuh: lower bounds of the input, in a sorted array of BENCH_ITEMS random items
 * for each query.
 *
 * Parameters: BENCH_INSTANCE, BENCH_PRIMITIVE, BENCH_TYPE (a label), BENCH_IN (u32), BENCH_OUT (the index),
 * BENCH_ITEMS.
 */
#include "input.h"

typedef BENCH_T(BENCH_IN) BENCH_IN_T;
typedef BENCH_T(BENCH_OUT) BENCH_OUT_T;

#define GP_NAME BENCH_INSTANCE
#define GP_TYPE BENCH_IN_T
#define GP_INDEX BENCH_OUT_T
#include <gpuprims/search.cuh>

/* Item i of n: at random in a stretch of its own. */
static inline __host__ __device__ BENCH_IN_T BENCH(item)(size_t i, size_t n)
{
    const uint64_t stretch = ((uint64_t)1 << 32) / n + !(((uint64_t)1 << 32) / n);

    return (BENCH_IN_T)(i * (((uint64_t)1 << 32) / n) + input_random(i) % stretch);
}

static __global__ void BENCH(fill)(BENCH_IN_T *to, size_t n)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        to[i] = BENCH(item)(i, n);
}

/* Made when n is new: before anything is timed. */
const void *BENCH(sorted)(size_t n);
const void *BENCH(sorted)(size_t n)
{
    static BENCH_IN_T *sorted = NULL;
    static size_t items = 0;

    if (items == n)
        return sorted;
    if (sorted)
        cudaFree(sorted);
    items = n;
    if (cudaMalloc((void **)&sorted, n * sizeof *sorted) != cudaSuccess)
        return NULL;
    GP_LAUNCH(BENCH(fill), 1024, 256, 0, 0, sorted, n);
    cudaDeviceSynchronize();
    return sorted;
}

static cudaError_t BENCH(run)(const bench_call *call)
{
    const size_t n = BENCH_ITEMS * call->n;

    return BENCH(lower_bound)((const BENCH_IN_T *)BENCH(sorted)(n), n, (const BENCH_IN_T *)call->in,
                              call->n, (BENCH_OUT_T *)call->out, call->ws, call->stream);
}

static size_t BENCH(bytes)(size_t n)
{
    return BENCH(lower_bound_workspace_bytes)(BENCH_ITEMS * n, n);
}

static cudaError_t BENCH(reference)(const bench_call *call)
{
    const size_t n = BENCH_ITEMS * call->n;

    for (size_t i = 0; i < call->n; i++) {
        size_t low = 0, high = n;

        while (low < high) {
            const size_t middle = (low + high) / 2;

            if (BENCH(item)(middle, n) < ((const BENCH_IN_T *)call->in)[i])
                low = middle + 1;
            else
                high = middle;
        }
        ((BENCH_OUT_T *)call->out)[i] = (BENCH_OUT_T)low;
    }
    return cudaSuccess;
}

BENCH_CUB_FUNCTION(run_cub); /* bench_search_cub.h */

static const bench_entry BENCH(entries)[] = {
    {"gpuprims", 0, BENCH(run), BENCH(bytes)},
#if defined BENCH_HAS_CUB && defined BENCH_HAS_NEWEST_CUB
    {"CUB", ENTRY_CUB, BENCH(run_cub), NULL}, /* the toolkit's has no search */
#endif
};

#include "bench_one_group.h"
