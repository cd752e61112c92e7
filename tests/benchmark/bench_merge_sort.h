/* bench_merge_sort.h: one instance of the merge sort.
 *
 * Parameters: BENCH_INSTANCE, BENCH_PRIMITIVE, BENCH_TYPE (a label), BENCH_IN (an element label).
 * BENCH_OWN: an order of the user's own, by the first member if it is a struct. BENCH_PAIRS: the map is sorted
 * along as values of 4 bytes; then BENCH_IN has 4 bytes and BENCH_OUT 8, the output being n keys and n values.
 */
#include <stdlib.h>

#include "bench.h"
#include "bench_merge_sort_less.h"

#define GP_NAME BENCH_INSTANCE
#define GP_TYPE BENCH_IN_T
#ifdef BENCH_OWN
#define GP_LESS BENCH_LESS
#endif
#ifdef BENCH_PAIRS
#define GP_VALUE uint32_t
#endif
#include <gpuprims/merge_sort.cuh>

static cudaError_t BENCH(run)(const bench_call *call)
{
#ifdef BENCH_PAIRS
    return BENCH(merge_sort)((const BENCH_IN_T *)call->in, (BENCH_IN_T *)call->out,
                             (const uint32_t *)call->map, (uint32_t *)call->out + call->n, call->n, call->ws,
                             call->stream);
#else
    return BENCH(merge_sort)((const BENCH_IN_T *)call->in, (BENCH_IN_T *)call->out, call->n, call->ws,
                             call->stream);
#endif
}

/* Items of equal places in the order keep theirs. */
static int BENCH(compare)(const void *a, const void *b)
{
    const BENCH_IN_T *x = *(const BENCH_IN_T *const *)a, *y = *(const BENCH_IN_T *const *)b;

    return BENCH_LESS(*x, *y) ? -1 : BENCH_LESS(*y, *x) ? 1 : x < y ? -1 : x > y;
}

static cudaError_t BENCH(reference)(const bench_call *call)
{
    const BENCH_IN_T *in = (const BENCH_IN_T *)call->in;
    const BENCH_IN_T **sorted = (const BENCH_IN_T **)malloc((call->n + 1) * sizeof *sorted);
    BENCH_IN_T *out = (BENCH_IN_T *)call->out;

    for (size_t i = 0; i < call->n; i++)
        sorted[i] = in + i;
    qsort((void *)sorted, call->n, sizeof *sorted, BENCH(compare));
    for (size_t i = 0; i < call->n; i++) {
        out[i] = *sorted[i];
#ifdef BENCH_PAIRS
        ((uint32_t *)call->out)[call->n + i] = ((const uint32_t *)call->map)[sorted[i] - in];
#endif
    }
    free((void *)sorted);
    return cudaSuccess;
}

BENCH_CUB_FUNCTION(run_cub); /* bench_merge_sort_cub.h */

static const bench_entry BENCH(entries)[] = {
    {"gpuprims", 0, BENCH(run), BENCH(merge_sort_workspace_bytes)},
    BENCH_CUB_ENTRIES("CUB", ENTRY_CUB, run_cub)
};

#ifdef BENCH_PAIRS
#define BENCH_MAP_BYTES sizeof(uint32_t)
#endif
#include "bench_one_group.h"
