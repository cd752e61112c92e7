/* bench_top_k.h: one instance of top_k.cuh: the BENCH_K smallest keys of an array, in order.
 *
 * Parameters: BENCH_INSTANCE, BENCH_PRIMITIVE, BENCH_TYPE (a label), BENCH_IN (an element label), BENCH_K.
 */
#include <stdlib.h>

#include "bench.h"

typedef BENCH_T(BENCH_IN) BENCH_IN_T;

#define GP_NAME BENCH_INSTANCE
#define GP_KEY  BENCH_IN_T
#include <gpuprims/top_k.cuh>

static size_t BENCH(k_of)(size_t n)
{
    return n < BENCH_K ? n : BENCH_K;
}

/* Of fewer than BENCH_K keys, zeros follow. */
static cudaError_t BENCH(run)(const bench_call *call)
{
    const size_t k = BENCH(k_of)(call->n);
    BENCH_IN_T *out = (BENCH_IN_T *)call->out;
    cudaError_t error = BENCH(top_k)((const BENCH_IN_T *)call->in, out, call->n, k, call->ws, call->stream);

    if (error == cudaSuccess && k < BENCH_K)
        error = cudaMemsetAsync(out + k, 0, (BENCH_K - k) * sizeof *out, call->stream);
    return error;
}

static size_t BENCH(workspace)(size_t n)
{
    return BENCH(top_k_workspace_bytes)(n, BENCH(k_of)(n));
}

static int BENCH(compare)(const void *a, const void *b)
{
    const BENCH_IN_T x = *(const BENCH_IN_T *)a, y = *(const BENCH_IN_T *)b;

    return x < y ? -1 : x > y;
}

static cudaError_t BENCH(reference)(const bench_call *call)
{
    BENCH_IN_T *items = (BENCH_IN_T *)malloc(call->n * sizeof *items + 1);

    if (!items)
        return cudaErrorMemoryAllocation;
    memcpy(items, call->in, call->n * sizeof *items);
    qsort(items, call->n, sizeof *items, BENCH(compare));
    memset(call->out, 0, BENCH_K * sizeof *items);
    memcpy(call->out, items, BENCH(k_of)(call->n) * sizeof *items);
    free(items);
    return cudaSuccess;
}

BENCH_CUB_FUNCTION(run_cub); /* bench_top_k_cub.h */

static const bench_entry BENCH(entries)[] = {
    {"gpuprims", 0, BENCH(run), BENCH(workspace)},
#if defined BENCH_HAS_CUB && defined BENCH_HAS_NEWEST_CUB
    {"CUB", ENTRY_CUB, BENCH(run_cub), NULL}, /* the toolkit's has no top-k */
#endif
};

/* All keys are one result. */
/* clang-format off */
#define BENCH_OUT_ELEMENT {KIND_STRUCT, BENCH_K * sizeof(BENCH_IN_T)}
/* clang-format on */
#define BENCH_RESULT RESULT_ONE
#include "bench_one_group.h"
