/* bench_row_top_k.h: one instance of top_k.cuh: the BENCH_K smallest keys of each row of BENCH_LENGTH. An element is a
 * row, and what is selected from it.
 *
 * Parameters: BENCH_INSTANCE, BENCH_PRIMITIVE, BENCH_TYPE (a label), BENCH_IN (u32), BENCH_LENGTH, BENCH_K.
 */
#include <stdlib.h>

#include "bench.h"

typedef BENCH_T(BENCH_IN) BENCH_IN_T;

#define GP_NAME BENCH_INSTANCE
#define GP_KEY  BENCH_IN_T
#include <gpuprims/top_k.cuh>

static cudaError_t BENCH(run)(const bench_call *call)
{
    return BENCH(row_top_k)((const BENCH_IN_T *)call->in, (BENCH_IN_T *)call->out, call->n, BENCH_LENGTH, BENCH_K,
                            call->ws, call->stream);
}

static size_t BENCH(workspace)(size_t n)
{
    return BENCH(row_top_k_workspace_bytes)(n, BENCH_LENGTH, BENCH_K);
}

static int BENCH(compare)(const void *a, const void *b)
{
    const BENCH_IN_T x = *(const BENCH_IN_T *)a, y = *(const BENCH_IN_T *)b;

    return x < y ? -1 : x > y;
}

static cudaError_t BENCH(reference)(const bench_call *call)
{
    BENCH_IN_T *row = (BENCH_IN_T *)malloc(BENCH_LENGTH * sizeof *row);
    size_t r;

    if (!row)
        return cudaErrorMemoryAllocation;
    for (r = 0; r < call->n; r++) {
        memcpy(row, (const BENCH_IN_T *)call->in + r * BENCH_LENGTH, BENCH_LENGTH * sizeof *row);
        qsort(row, BENCH_LENGTH, sizeof *row, BENCH(compare));
        memcpy((BENCH_IN_T *)call->out + r * BENCH_K, row, BENCH_K * sizeof *row);
    }
    free(row);
    return cudaSuccess;
}

BENCH_CUB_FUNCTION(run_cub); /* bench_row_top_k_cub.h */

static const bench_entry BENCH(entries)[] = {
    {"gpuprims", 0, BENCH(run), BENCH(workspace)},
#if defined BENCH_HAS_CUB && defined BENCH_HAS_NEWEST_CUB
    {"CUB", ENTRY_CUB | ENTRY_ANY_ORDER, BENCH(run_cub), NULL}, /* the toolkit's has no top-k */
#endif
};

/* clang-format off */
#define BENCH_IN_ELEMENT  {KIND_STRUCT, BENCH_LENGTH * sizeof(BENCH_IN_T)}
#define BENCH_OUT_ELEMENT {KIND_STRUCT, BENCH_K * sizeof(BENCH_IN_T)}
/* clang-format on */
#include "bench_one_group.h"
