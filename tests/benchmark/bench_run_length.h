/* bench_run_length.h: one instance of run_length.cuh.
 *
 * Parameters: BENCH_INSTANCE, BENCH_TYPE (a label), BENCH_IN (an element label). BENCH_MAP, an element label: only
 * unique, with values of this type, which are the map of the call; else run lengths, of runs of 5, and with BENCH_ALL
 * of others, and unique without values. Lengths and values come first in the output, the items
 * behind them.
 */
#include "bench.h"

typedef BENCH_T(BENCH_IN) BENCH_IN_T;

#define GP_NAME  BENCH_INSTANCE
#define GP_TYPE  BENCH_IN_T
#define GP_INDEX int32_t
#ifdef BENCH_MAP
typedef BENCH_T(BENCH_MAP) BENCH_MAP_T;
#define GP_VALUE BENCH_MAP_T
#endif
#include <gpuprims/run_length.cuh>

/* clang-format off */
#define BENCH_ITEMS    ((const BENCH_IN_T *)call->in)
#define BENCH_TRAILING call->n, (int32_t *)(void *)call->count, call->ws, call->stream
#define BENCH_SAME     BENCH_JOIN(BENCH_ELEMENT_, BENCH_IN)
#define BENCH_GROUP(primitive, out, result, trait, map_bytes, what)                                  \
    {primitive, BENCH_TEXT(BENCH_TYPE), BENCH_SAME, out, result, trait, 0, map_bytes, 0,             \
     BENCH(reference_##what), BENCH(what##_entries), BENCH_COUNT(BENCH(what##_entries)), NULL}
/* clang-format on */

static int BENCH(is_head)(const bench_call *call, size_t i)
{
    return i == 0 || BENCH_ITEMS[i] != BENCH_ITEMS[i - 1];
}

#ifdef BENCH_MAP

static cudaError_t BENCH(run_unique)(const bench_call *call)
{
    return BENCH(unique)(BENCH_ITEMS, (BENCH_IN_T *)bench_keys_out(call, sizeof(BENCH_MAP_T)),
                         (const BENCH_MAP_T *)call->map, (BENCH_MAP_T *)call->out, BENCH_TRAILING);
}

static cudaError_t BENCH(reference_unique)(const bench_call *call)
{
    BENCH_IN_T *items = (BENCH_IN_T *)bench_keys_out(call, sizeof(BENCH_MAP_T));
    size_t i, kept = 0;

    for (i = 0; i < call->n; i++)
        if (BENCH(is_head)(call, i)) {
            items[kept] = BENCH_ITEMS[i];
            ((BENCH_MAP_T *)call->out)[kept++] = ((const BENCH_MAP_T *)call->map)[i];
        }
    *call->count = kept;
    return cudaSuccess;
}

#else

static cudaError_t BENCH(run_encode)(const bench_call *call)
{
    return BENCH(run_length_encode)(BENCH_ITEMS, (BENCH_IN_T *)bench_keys_out(call, sizeof(int32_t)),
                                    (int32_t *)call->out, BENCH_TRAILING);
}

static cudaError_t BENCH(reference_encode)(const bench_call *call)
{
    BENCH_IN_T *items = (BENCH_IN_T *)bench_keys_out(call, sizeof(int32_t));
    int32_t *lengths = (int32_t *)call->out;
    size_t i, runs = 0;

    for (i = 0; i < call->n; i++) {
        if (BENCH(is_head)(call, i)) {
            items[runs] = BENCH_ITEMS[i];
            lengths[runs++] = 0;
        }
        lengths[runs - 1]++;
    }
    *call->count = runs;
    return cudaSuccess;
}

BENCH_CUB_FUNCTION(cub_encode); /* bench_run_length_cub.h */

static const bench_entry BENCH(encode_entries)[] = {
    {"gpuprims", 0, BENCH(run_encode), BENCH(run_length_encode_workspace_bytes)},
    BENCH_CUB_ENTRIES("CUB", ENTRY_CUB, cub_encode)
};

#ifdef BENCH_ALL
static cudaError_t BENCH(run_unique)(const bench_call *call)
{
    return BENCH(unique)(BENCH_ITEMS, (BENCH_IN_T *)call->out, BENCH_TRAILING);
}

static cudaError_t BENCH(reference_unique)(const bench_call *call)
{
    size_t i, kept = 0;

    for (i = 0; i < call->n; i++)
        if (BENCH(is_head)(call, i))
            ((BENCH_IN_T *)call->out)[kept++] = BENCH_ITEMS[i];
    *call->count = kept;
    return cudaSuccess;
}
#endif

#endif

#if defined BENCH_MAP || defined BENCH_ALL
BENCH_CUB_FUNCTION(cub_unique);

static const bench_entry BENCH(unique_entries)[] = {
    {"gpuprims", 0, BENCH(run_unique), BENCH(unique_workspace_bytes)},
    BENCH_CUB_ENTRIES("CUB", ENTRY_CUB, cub_unique)
};
#endif

/* clang-format off */
#ifdef BENCH_MAP
#define BENCH_PAIR {KIND_STRUCT, sizeof(BENCH_IN_T) + sizeof(BENCH_MAP_T)}
#else
#define BENCH_PAIR {KIND_STRUCT, sizeof(BENCH_IN_T) + sizeof(int32_t)}
#endif
/* clang-format on */

static const bench_group BENCH(groups)[] = {
#ifdef BENCH_MAP
    BENCH_GROUP("unique_pairs", BENCH_PAIR, RESULT_COUNTED_PAIRS, TWO_VALUES, sizeof(BENCH_MAP_T), unique),
#else
    BENCH_GROUP("run_length_encode_runs5", BENCH_PAIR, RESULT_COUNTED_PAIRS, RUNS_OF_5, 0, encode),
#ifdef BENCH_ALL
    BENCH_GROUP("run_length_encode", BENCH_PAIR, RESULT_COUNTED_PAIRS, LOW_BIT_AS_IS, 0, encode),
    BENCH_GROUP("run_length_encode_runs1e5", BENCH_PAIR, RESULT_COUNTED_PAIRS, RUNS_OF_100000, 0, encode),
    BENCH_GROUP("unique", BENCH_SAME, RESULT_COUNTED, TWO_VALUES, 0, unique),
#endif
#endif
};

extern const bench_instance BENCH(instance);
const bench_instance BENCH(instance) = {BENCH(groups), BENCH_COUNT(BENCH(groups))};
