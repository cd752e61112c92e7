/* bench_transform.h: one instance of transform.cuh.
 *
 * Parameters: BENCH_INSTANCE, BENCH_PRIMITIVE, BENCH_TYPE (a label), BENCH_IN and BENCH_OUT (element labels).
 * BENCH_AS_IS: a copy, for structs; BENCH_NARROWS: to 1 or 2, whatever the input is; BENCH_NEIGHBOURS: the
 * differences of neighbours, by GP_LOAD_AT; else every item plus one.
 */
#include "bench_transform_maps.h"

#define GP_NAME       BENCH_INSTANCE
#define GP_TYPE       BENCH_OUT_T
#define GP_INPUT_TYPE BENCH_IN_T
#ifdef BENCH_NEIGHBOURS
#define GP_LOAD_AT(in, i) BENCH_RESULT_OF(in, i)
#else
#define GP_LOAD(x) BENCH_RESULT_OF(&(x), 0)
#endif
#include <gpuprims/transform.cuh>

static cudaError_t BENCH(run)(const bench_call *call)
{
    return BENCH(transform)((const BENCH_IN_T *)call->in, (BENCH_OUT_T *)call->out, call->n, call->ws,
                            call->stream);
}

static cudaError_t BENCH(reference)(const bench_call *call)
{
    const BENCH_IN_T *in = (const BENCH_IN_T *)call->in;
    size_t i;

    for (i = 0; i < call->n; i++)
        ((BENCH_OUT_T *)call->out)[i] = BENCH_RESULT_OF(in, i);
    return cudaSuccess;
}

BENCH_CUB_FUNCTION(run_cub); /* bench_transform_cub.h */
BENCH_CUB_FUNCTION(run_cub_difference);

static const bench_entry BENCH(entries)[] = {
    {"gpuprims", 0, BENCH(run), BENCH(transform_workspace_bytes)},
    BENCH_CUB_ENTRIES("CUB", ENTRY_CUB, run_cub)
#ifdef BENCH_NEIGHBOURS
    BENCH_CUB_ENTRIES("CUB_difference", ENTRY_CUB, run_cub_difference)
#endif
};

#include "bench_one_group.h"
