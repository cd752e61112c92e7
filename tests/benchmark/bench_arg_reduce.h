/* bench_arg_reduce.h: one instance of arg_reduce.cuh, argmin.
 *
 * Parameters: BENCH_INSTANCE, BENCH_PRIMITIVE, BENCH_TYPE (a label), BENCH_IN, BENCH_OUT (element labels; BENCH_OUT is
 * the index).
 */
#include "bench.h"

typedef BENCH_T(BENCH_IN) BENCH_IN_T;
typedef BENCH_T(BENCH_OUT) BENCH_OUT_T;

#define GP_NAME  BENCH_INSTANCE
#define GP_TYPE  BENCH_IN_T
#define GP_INDEX BENCH_OUT_T
#include <gpuprims/arg_reduce.cuh>

static cudaError_t BENCH(run)(const bench_call *call)
{
    return BENCH(argmin)((const BENCH_IN_T *)call->in, (BENCH_OUT_T *)call->out, call->n, call->ws, call->stream);
}

static cudaError_t BENCH(reference)(const bench_call *call)
{
    const BENCH_IN_T *in = (const BENCH_IN_T *)call->in;
    size_t best = 0, i;

    for (i = 1; i < call->n; i++)
        if (in[i] < in[best])
            best = i;
    *(BENCH_OUT_T *)call->out = (BENCH_OUT_T)best;
    return cudaSuccess;
}

BENCH_CUB_FUNCTION(run_cub); /* bench_arg_reduce_cub.h */

static const bench_entry BENCH(entries)[] = {
    {"gpuprims", 0, BENCH(run), BENCH(argmin_workspace_bytes)},
    BENCH_CUB_ENTRIES("CUB", ENTRY_CUB, run_cub)
};

#define BENCH_RESULT RESULT_ONE
#include "bench_one_group.h"
