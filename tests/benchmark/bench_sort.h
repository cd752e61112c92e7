/* bench_sort.h: one instance of the sorts of keys.
 *
 * Parameters: BENCH_INSTANCE, BENCH_PRIMITIVE, BENCH_TYPE (a label), BENCH_IN (an element label).
 * BENCH_RUNGS: the textbook rungs too; BENCH_IN is an integer then.
 */
#include <stdlib.h>

#include "bench.h"

typedef BENCH_T(BENCH_IN) BENCH_IN_T;

#define GP_NAME BENCH_INSTANCE
#define GP_KEY  BENCH_IN_T
#include <gpuprims/radix_sort.cuh>
static cudaError_t BENCH(run)(const bench_call *call)
{
    return BENCH(radix_sort)((const BENCH_IN_T *)call->in, (BENCH_IN_T *)call->out, call->n, call->ws,
                             call->stream);
}

#ifdef BENCH_RUNGS
#define GP_NAME BENCH_INSTANCE
#define GP_KEY  BENCH_IN_T
#include <gpuprims/classic/bitonic_sort.cuh>

#define GP_NAME BENCH_INSTANCE
#define GP_KEY  BENCH_IN_T
#include <gpuprims/classic/odd_even_merge_sort.cuh>

/* The networks sort in place: a copy comes first. */
static cudaError_t BENCH(copy)(const bench_call *call)
{
    return cudaMemcpyAsync(call->out, call->in, call->n * sizeof(BENCH_IN_T), cudaMemcpyDeviceToDevice,
                           call->stream);
}

static cudaError_t BENCH(run_bitonic)(const bench_call *call)
{
    cudaError_t error = BENCH(copy)(call);

    return error != cudaSuccess ? error
                                : BENCH(bitonic_sort)((BENCH_IN_T *)call->out, 1, call->n, 0, call->classic,
                                                      call->ws, call->stream);
}

static cudaError_t BENCH(run_odd_even)(const bench_call *call)
{
    cudaError_t error = BENCH(copy)(call);

    return error != cudaSuccess ? error
                                : BENCH(odd_even_merge_sort)((BENCH_IN_T *)call->out, 1, call->n, 0,
                                                             call->classic, call->ws, call->stream);
}

#define GP_NAME BENCH_INSTANCE
#define GP_TYPE BENCH_IN_T
#include <gpuprims/classic/split_sort.cuh>

static cudaError_t BENCH(run_split)(const bench_call *call)
{
    return BENCH(split_sort)((const BENCH_IN_T *)call->in, (BENCH_IN_T *)call->out, call->n, 0,
                             call->classic, call->ws, call->stream);
}

static size_t BENCH(split_bytes)(size_t n)
{
    return BENCH(split_sort_workspace_bytes)(n, 0);
}

#endif

static int BENCH(compare)(const void *a, const void *b)
{
    BENCH_IN_T x = *(const BENCH_IN_T *)a, y = *(const BENCH_IN_T *)b;

    return (x > y) - (x < y);
}

static cudaError_t BENCH(reference)(const bench_call *call)
{
    memcpy(call->out, call->in, call->n * sizeof(BENCH_IN_T));
    qsort(call->out, call->n, sizeof(BENCH_IN_T), BENCH(compare));
    return cudaSuccess;
}

#ifdef BENCH_HAS_CUB
bench_function BENCH(run_cub); /* bench_sort_cub.h */
#endif

static const bench_entry BENCH(entries)[] = {
    {"gpuprims", 0, BENCH(run), BENCH(radix_sort_workspace_bytes)},
#ifdef BENCH_HAS_CUB
    {"CUB", ENTRY_CUB, BENCH(run_cub), NULL},
#endif
#ifdef BENCH_RUNGS
    {"split", 0, BENCH(run_split), BENCH(split_bytes)},
    {"bitonic", 0, BENCH(run_bitonic), NULL},
    {"odd_even", 0, BENCH(run_odd_even), NULL},
#endif
};

static const bench_group BENCH(group)[] = {{
    BENCH_TEXT(BENCH_PRIMITIVE),
    BENCH_TEXT(BENCH_TYPE),
    BENCH_JOIN(BENCH_ELEMENT_, BENCH_IN),
    BENCH_JOIN(BENCH_ELEMENT_, BENCH_IN),
    RESULT_N,
    LOW_BIT_AS_IS,
    0,
    0,
    0,
    BENCH(reference),
    BENCH(entries),
    BENCH_COUNT(BENCH(entries)),
    NULL,
}};

extern const bench_instance BENCH(instance);
const bench_instance BENCH(instance) = {BENCH(group), BENCH_COUNT(BENCH(group))};
