/* bench_merge.h: one instance of the merge, of the two halves of the input.
 *
 * Parameters: BENCH_INSTANCE, BENCH_PRIMITIVE, BENCH_TYPE (a label), BENCH_IN (an element label, of integers).
 */
#include "bench.h"
#include "bench_merge_sort_less.h"

#define GP_NAME BENCH_INSTANCE
#define GP_TYPE BENCH_IN_T
#include <gpuprims/merge.cuh>

static cudaError_t BENCH(run)(const bench_call *call)
{
    const BENCH_IN_T *in = (const BENCH_IN_T *)call->in;
    size_t half = call->n / 2;

    return BENCH(merge)(in, half, in + half, call->n - half, (BENCH_IN_T *)call->out, call->ws,
                        call->stream);
}

static size_t BENCH(bytes)(size_t n)
{
    return BENCH(merge_workspace_bytes)(n / 2, n - n / 2);
}

static cudaError_t BENCH(reference)(const bench_call *call)
{
    const BENCH_IN_T *in = (const BENCH_IN_T *)call->in;
    size_t half = call->n / 2, a = 0, b = half, i;

    for (i = 0; i < call->n; i++)
        ((BENCH_IN_T *)call->out)[i] =
            b == call->n || (a < half && !BENCH_LESS(in[b], in[a])) ? in[a++] : in[b++];
    return cudaSuccess;
}

BENCH_CUB_FUNCTION(run_cub); /* bench_merge_cub.h */

static const bench_entry BENCH(entries)[] = {
    {"gpuprims", 0, BENCH(run), BENCH(bytes)},
    BENCH_CUB_ENTRIES("CUB", ENTRY_CUB, run_cub)
};

#define BENCH_TRAIT HALVES_SORTED
#include "bench_one_group.h"
