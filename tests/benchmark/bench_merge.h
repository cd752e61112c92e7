/* bench_merge.h: one instance of the merge, of the two arrays that the input is made of.
 *
 * Parameters: BENCH_INSTANCE, BENCH_PRIMITIVE, BENCH_TYPE (a label), BENCH_IN (an element label, of integers),
 * BENCH_TRAIT (HALVES_SORTED), which of them.
 */
#include "bench.h"
#include "bench_merge_sort_less.h"

#ifndef BENCH_TRAIT
#define BENCH_TRAIT HALVES_SORTED
#endif

#define GP_NAME BENCH_INSTANCE
#define GP_TYPE BENCH_IN_T
#include <gpuprims/merge.cuh>

static cudaError_t BENCH(run)(const bench_call *call)
{
    const BENCH_IN_T *in = (const BENCH_IN_T *)call->in;
    size_t first = bench_first_sorted(call->n, BENCH_TRAIT);

    return BENCH(merge)(in, first, in + first, call->n - first, (BENCH_IN_T *)call->out, call->ws, call->stream);
}

static size_t BENCH(bytes)(size_t n)
{
    const size_t first = bench_first_sorted(n, BENCH_TRAIT);

    return BENCH(merge_workspace_bytes)(first, n - first);
}

static cudaError_t BENCH(reference)(const bench_call *call)
{
    const BENCH_IN_T *in = (const BENCH_IN_T *)call->in;
    size_t first = bench_first_sorted(call->n, BENCH_TRAIT), a = 0, b = first, i;

    for (i = 0; i < call->n; i++)
        ((BENCH_IN_T *)call->out)[i] =
            b == call->n || (a < first && !BENCH_LESS(in[b], in[a])) ? in[a++] : in[b++];
    return cudaSuccess;
}

BENCH_CUB_FUNCTION(run_cub); /* bench_merge_cub.h */

static const bench_entry BENCH(entries)[] = {
    {"gpuprims", 0, BENCH(run), BENCH(bytes)},
    BENCH_CUB_ENTRIES("CUB", ENTRY_CUB, run_cub)
};

#include "bench_one_group.h"
