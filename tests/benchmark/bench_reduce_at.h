/* bench_reduce_at.h: one instance of reduce.cuh by GP_LOAD_AT: a sum.
 *
 * Parameters: BENCH_INSTANCE, BENCH_PRIMITIVE, BENCH_TYPE (a label), BENCH_IN, BENCH_OUT (element labels).
 * BENCH_COUNTS: of the numbers of the items; nothing is read, though bytes are counted. Else of the products of the two
 * halves of the input, n items of OUT each; IN is as large as both.
 */
#include "bench.h"

typedef BENCH_T(BENCH_OUT) BENCH_OUT_T;

typedef struct {
    const BENCH_OUT_T *x, *y;
} BENCH(columns);

#define GP_NAME       BENCH_INSTANCE
#define GP_TYPE       BENCH_OUT_T
#define GP_INPUT_TYPE void
#ifdef BENCH_COUNTS
#define GP_LOAD_AT(in, i) ((BENCH_OUT_T)(i))
#else
#define GP_CONTEXT           BENCH(columns)
#define GP_LOAD_AT(in, i, c) ((c).x[i] * (c).y[i])
#endif
#include <gpuprims/reduce.cuh>

static cudaError_t BENCH(run)(const bench_call *call)
{
    BENCH_OUT_T *out = (BENCH_OUT_T *)call->out;
#ifdef BENCH_COUNTS
    return BENCH(reduce)(NULL, out, call->n, call->ws, call->stream);
#else
    BENCH(columns) columns;

    columns.x = (const BENCH_OUT_T *)call->in;
    columns.y = columns.x + call->n;
    return BENCH(reduce)(NULL, out, call->n, columns, call->ws, call->stream);
#endif
}

static cudaError_t BENCH(reference)(const bench_call *call)
{
#ifndef BENCH_COUNTS
    const BENCH_OUT_T *x = (const BENCH_OUT_T *)call->in;
#endif
    BENCH_OUT_T sum = 0;
    size_t i;

    for (i = 0; i < call->n; i++)
#ifdef BENCH_COUNTS
        sum += (BENCH_OUT_T)i;
#else
        sum += x[i] * x[i + call->n];
#endif
    *(BENCH_OUT_T *)call->out = sum;
    return cudaSuccess;
}

BENCH_CUB_FUNCTION(run_cub); /* bench_reduce_at_cub.h */

static const bench_entry BENCH(entries)[] = {
    {"gpuprims", 0, BENCH(run), BENCH(reduce_workspace_bytes)},
    BENCH_CUB_ENTRIES("CUB", ENTRY_CUB, run_cub)
};

#define BENCH_RESULT RESULT_ONE
#include "bench_one_group.h"
