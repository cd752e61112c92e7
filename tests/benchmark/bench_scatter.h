/* bench_scatter.h: one instance of scatter.cuh.
 *
 * Parameters: BENCH_INSTANCE, BENCH_TYPE (a label), BENCH_IN (an element label), BENCH_MAP (u64,
 * which is the size_t that the library defaults to, or u32). BENCH_ALL: map_to_flags too.
 */
#ifdef BENCH_ALL
#include "bench_predicates.h"
#else
#include "bench.h"

typedef BENCH_T(BENCH_IN) BENCH_IN_T;
#endif

typedef BENCH_T(BENCH_MAP) BENCH_MAP_T;

#define GP_NAME  BENCH_INSTANCE
#define GP_TYPE  BENCH_IN_T
#define GP_INDEX BENCH_MAP_T
#ifdef BENCH_ALL
#define GP_PRED(x) bench_keep(x)
#endif
#include <gpuprims/scatter.cuh>

/* clang-format off */
#define BENCH_ITEMS     (const BENCH_IN_T *)call->in
#define BENCH_PLACES    (const BENCH_MAP_T *)call->map
#define BENCH_TRAILING  call->n, call->ws, call->stream
/* clang-format on */

/* ---- gather ---- */

static cudaError_t BENCH(run_gather)(const bench_call *call)
{
    return BENCH(gather)(BENCH_ITEMS, BENCH_PLACES, (BENCH_IN_T *)call->out, BENCH_TRAILING);
}

static cudaError_t BENCH(reference_gather)(const bench_call *call)
{
    const BENCH_IN_T *in = BENCH_ITEMS;
    const BENCH_MAP_T *map = BENCH_PLACES;
    size_t i;

    for (i = 0; i < call->n; i++)
        ((BENCH_IN_T *)call->out)[i] = in[map[i]];
    return cudaSuccess;
}

/* ---- scatter ---- */

static cudaError_t BENCH(run_scatter)(const bench_call *call)
{
    return BENCH(scatter)(BENCH_ITEMS, BENCH_PLACES, (BENCH_IN_T *)call->out, BENCH_TRAILING);
}

static cudaError_t BENCH(reference_scatter)(const bench_call *call)
{
    const BENCH_IN_T *in = BENCH_ITEMS;
    const BENCH_MAP_T *map = BENCH_PLACES;
    size_t i;

    for (i = 0; i < call->n; i++)
        ((BENCH_IN_T *)call->out)[map[i]] = in[i];
    return cudaSuccess;
}

/* ---- scatter_if ---- */

static cudaError_t BENCH(run_scatter_if)(const bench_call *call)
{
    return BENCH(scatter_if)(BENCH_ITEMS, BENCH_PLACES, call->flags, (BENCH_IN_T *)call->out,
                             BENCH_TRAILING);
}

static cudaError_t BENCH(reference_scatter_if)(const bench_call *call)
{
    const BENCH_IN_T *in = BENCH_ITEMS;
    const BENCH_MAP_T *map = BENCH_PLACES;
    size_t i;

    for (i = 0; i < call->n; i++)
        if (call->flags[i])
            ((BENCH_IN_T *)call->out)[map[i]] = in[i];
    return cudaSuccess;
}

/* ---- map_to_flags ---- */

#ifdef BENCH_ALL

static cudaError_t BENCH(run_map_to_flags)(const bench_call *call)
{
    return BENCH(map_to_flags)(BENCH_ITEMS, (uint8_t *)call->out, BENCH_TRAILING);
}

static cudaError_t BENCH(reference_map_to_flags)(const bench_call *call)
{
    const BENCH_IN_T *in = BENCH_ITEMS;
    size_t i;

    for (i = 0; i < call->n; i++)
        ((uint8_t *)call->out)[i] = (uint8_t)bench_keep(in[i]);
    return cudaSuccess;
}

#endif

/* ---- the entries ---- */

/* CUB has no such functions; Thrust makes them from CUB's transformation and iterators. */
BENCH_CUB_FUNCTION(thrust_gather); /* bench_scatter_cub.h */
BENCH_CUB_FUNCTION(thrust_scatter);
BENCH_CUB_FUNCTION(thrust_scatter_if);
BENCH_CUB_FUNCTION(cub_map_to_flags);

static const bench_entry BENCH(gather_entries)[] = {
    {"gpuprims", 0, BENCH(run_gather), BENCH(gather_workspace_bytes)},
    BENCH_CUB_ENTRIES("Thrust", ENTRY_CUB, thrust_gather)
};

static const bench_entry BENCH(scatter_entries)[] = {
    {"gpuprims", 0, BENCH(run_scatter), BENCH(scatter_workspace_bytes)},
    BENCH_CUB_ENTRIES("Thrust", ENTRY_CUB, thrust_scatter)
};

static const bench_entry BENCH(scatter_if_entries)[] = {
    {"gpuprims", 0, BENCH(run_scatter_if), BENCH(scatter_if_workspace_bytes)},
    BENCH_CUB_ENTRIES("Thrust", ENTRY_CUB, thrust_scatter_if)
};

#ifdef BENCH_ALL
static const bench_entry BENCH(map_to_flags_entries)[] = {
    {"gpuprims", 0, BENCH(run_map_to_flags), BENCH(map_to_flags_workspace_bytes)},
    BENCH_CUB_ENTRIES("CUB", ENTRY_CUB, cub_map_to_flags)
};
#endif

/* ---- the groups ---- */

/* clang-format off */
#define BENCH_SUFFIX_u64 ""
#define BENCH_SUFFIX_u32 "_map32"
#define BENCH_GROUP(what, suffix, out, result, flags, map_bytes)                               \
    {#what suffix, BENCH_TEXT(BENCH_TYPE), BENCH_JOIN(BENCH_ELEMENT_, BENCH_IN), out, result,  \
     LOW_BIT_AS_IS, flags, map_bytes, 0, BENCH(reference_##what), BENCH(what##_entries),       \
     BENCH_COUNT(BENCH(what##_entries)), NULL}
#define BENCH_MOVING(what, result, flags)                                                      \
    BENCH_GROUP(what, BENCH_JOIN(BENCH_SUFFIX_, BENCH_MAP), BENCH_JOIN(BENCH_ELEMENT_, BENCH_IN), \
                result, flags, sizeof(BENCH_MAP_T))
/* clang-format on */

static const bench_group BENCH(groups)[] = {
    BENCH_MOVING(gather, RESULT_N, 0),
    BENCH_MOVING(scatter, RESULT_N, 0),
    BENCH_MOVING(scatter_if, RESULT_FLAGGED, 1),
#ifdef BENCH_ALL
    BENCH_GROUP(map_to_flags, "", BENCH_ELEMENT_u8, RESULT_N, 0, 0),
#endif
};

extern const bench_instance BENCH(instance);
const bench_instance BENCH(instance) = {BENCH(groups), BENCH_COUNT(BENCH(groups))};
