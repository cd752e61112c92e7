/* bench_reduce.h: one instance of reduce.cuh. Parameters as for bench_scan.h. */
#include "bench_operators.h"

#if BENCH_OP == BENCH_SUM
#define BENCH_OPERATOR GP_SUM
#elif BENCH_OP == BENCH_MAX
#define BENCH_OPERATOR GP_MAX
#else
#error "bench_reduce.h: BENCH_OP is BENCH_SUM or BENCH_MAX"
#endif

#define GP_NAME       BENCH_INSTANCE
#define GP_TYPE       BENCH_OUT_T
#define GP_INPUT_TYPE BENCH_IN_T
#define GP_OP         BENCH_OPERATOR
#include <gpuprims/reduce.cuh>

#define GP_NAME       BENCH_INSTANCE
#define GP_TYPE       BENCH_OUT_T
#define GP_INPUT_TYPE BENCH_IN_T
#define GP_OP         BENCH_OPERATOR
#include <gpuprims/host/cpu_reduce.h>

static cudaError_t BENCH(run)(const bench_call *call)
{
    return BENCH(reduce)((const BENCH_IN_T *)call->in, (BENCH_OUT_T *)call->out, call->n, call->ws,
                         call->stream);
}

static cudaError_t BENCH(run_cpu)(const bench_call *call)
{
    *(BENCH_OUT_T *)call->out = BENCH(cpu_reduce)((const BENCH_IN_T *)call->in, call->n);
    return cudaSuccess;
}

static cudaError_t BENCH(reference)(const bench_call *call)
{
    const BENCH_IN_T *in = (const BENCH_IN_T *)call->in;
    size_t i;
#ifdef BENCH_ROUNDS
    long double sum = in[0]; /* rounded once, at the end */
#else
    BENCH_OUT_T sum = in[0];
#endif

    for (i = 1; i < call->n; i++)
#if BENCH_OP == BENCH_MAX
        sum = in[i] > sum ? in[i] : sum >= in[i] ? sum : sum + in[i]; /* of NaN and any: NaN */
#else
        sum += in[i];
#endif
    *(BENCH_OUT_T *)call->out = (BENCH_OUT_T)sum;
    return cudaSuccess;
}

BENCH_CUB_FUNCTION(run_cub); /* bench_reduce_cub.h */

static const bench_entry BENCH(entries)[] = {
    {"gpuprims", 0, BENCH(run), BENCH(reduce_workspace_bytes)},
    BENCH_CUB_ENTRIES("CUB", ENTRY_CUB, run_cub)
    {"cpu", ENTRY_HOST | ENTRY_SERIAL, BENCH(run_cpu), NULL},
};

#define BENCH_RESULT RESULT_ONE
#include "bench_one_group.h"
