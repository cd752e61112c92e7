/* bench_by_key.h: one instance of by_key.cuh, of sums.
 *
 * Parameters: BENCH_INSTANCE, BENCH_TYPE (a label), BENCH_IN (an element label, of the keys and of the items, of 4
 * bytes). The items are the map of the call. The sums come first in the output, the keys of the runs behind them.
 */
#include "bench.h"

typedef BENCH_T(BENCH_IN) BENCH_IN_T;

#define GP_NAME  BENCH_INSTANCE
#define GP_KEY   BENCH_IN_T
#define GP_TYPE  BENCH_IN_T
#define GP_INDEX int32_t
#include <gpuprims/by_key.cuh>

/* clang-format off */
#define BENCH_KEYS  ((const BENCH_IN_T *)call->in)
#define BENCH_ITEMS ((const BENCH_IN_T *)call->map)
#define BENCH_SUMS  ((BENCH_IN_T *)call->out)
/* clang-format on */

static cudaError_t BENCH(run_reduce)(const bench_call *call)
{
    return BENCH(reduce_by_key)(BENCH_KEYS, BENCH_ITEMS, (BENCH_IN_T *)bench_keys_out(call, sizeof *BENCH_SUMS),
                                BENCH_SUMS, call->n, (int32_t *)(void *)call->count, call->ws, call->stream);
}

static cudaError_t BENCH(run_scan)(const bench_call *call)
{
    return BENCH(inclusive_scan_by_key)(BENCH_KEYS, BENCH_ITEMS, BENCH_SUMS, call->n, call->ws, call->stream);
}

/* Sums wrap. */
static BENCH_IN_T BENCH(plus)(BENCH_IN_T a, BENCH_IN_T b)
{
    return (BENCH_IN_T)((uint32_t)a + (uint32_t)b);
}

static cudaError_t BENCH(reference_reduce)(const bench_call *call)
{
    BENCH_IN_T *keys_out = (BENCH_IN_T *)bench_keys_out(call, sizeof *BENCH_SUMS);
    size_t i, runs = 0;

    for (i = 0; i < call->n; i++)
        if (i > 0 && BENCH_KEYS[i] == BENCH_KEYS[i - 1]) {
            BENCH_SUMS[runs - 1] = BENCH(plus)(BENCH_SUMS[runs - 1], BENCH_ITEMS[i]);
        } else {
            keys_out[runs] = BENCH_KEYS[i];
            BENCH_SUMS[runs++] = BENCH_ITEMS[i];
        }
    *call->count = runs;
    return cudaSuccess;
}

static cudaError_t BENCH(reference_scan)(const bench_call *call)
{
    size_t i;

    for (i = 0; i < call->n; i++)
        BENCH_SUMS[i] = i > 0 && BENCH_KEYS[i] == BENCH_KEYS[i - 1] ? BENCH(plus)(BENCH_SUMS[i - 1], BENCH_ITEMS[i])
                                                                  : BENCH_ITEMS[i];
    return cudaSuccess;
}

BENCH_CUB_FUNCTION(cub_reduce); /* bench_by_key_cub.h */
BENCH_CUB_FUNCTION(cub_scan);

static const bench_entry BENCH(reduce_entries)[] = {
    {"gpuprims", 0, BENCH(run_reduce), BENCH(reduce_by_key_workspace_bytes)},
    BENCH_CUB_ENTRIES("CUB", ENTRY_CUB, cub_reduce)
};

static const bench_entry BENCH(scan_entries)[] = {
    {"gpuprims", 0, BENCH(run_scan), BENCH(inclusive_scan_by_key_workspace_bytes)},
    BENCH_CUB_ENTRIES("CUB", ENTRY_CUB, cub_scan)
};

/* clang-format off */
#define BENCH_SAME BENCH_JOIN(BENCH_ELEMENT_, BENCH_IN)
#define BENCH_GROUP(primitive, out, result, trait, what)                                              \
    {primitive, BENCH_TEXT(BENCH_TYPE), BENCH_SAME, out, result, trait, 0, sizeof(BENCH_IN_T), 0,    \
     BENCH(reference_##what), BENCH(what##_entries), BENCH_COUNT(BENCH(what##_entries)), NULL}
#define BENCH_PAIR {KIND_STRUCT, 2 * sizeof(BENCH_IN_T)}
/* clang-format on */

static const bench_group BENCH(groups)[] = {
    BENCH_GROUP("reduce_by_key", BENCH_PAIR, RESULT_COUNTED_PAIRS, LOW_BIT_AS_IS, reduce),
    BENCH_GROUP("reduce_by_key_runs5", BENCH_PAIR, RESULT_COUNTED_PAIRS, RUNS_OF_5, reduce),
    BENCH_GROUP("reduce_by_key_runs64", BENCH_PAIR, RESULT_COUNTED_PAIRS, RUNS_OF_64, reduce),
    BENCH_GROUP("reduce_by_key_runs1e5", BENCH_PAIR, RESULT_COUNTED_PAIRS, RUNS_OF_100000, reduce),
    BENCH_GROUP("scan_by_key", BENCH_SAME, RESULT_N, LOW_BIT_AS_IS, scan),
    BENCH_GROUP("scan_by_key_runs5", BENCH_SAME, RESULT_N, RUNS_OF_5, scan),
    BENCH_GROUP("scan_by_key_runs64", BENCH_SAME, RESULT_N, RUNS_OF_64, scan),
    BENCH_GROUP("scan_by_key_runs1e5", BENCH_SAME, RESULT_N, RUNS_OF_100000, scan),
};

extern const bench_instance BENCH(instance);
const bench_instance BENCH(instance) = {BENCH(groups), BENCH_COUNT(BENCH(groups))};
