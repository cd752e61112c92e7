/* bench_classic.h: the textbook rungs. Their entries join the groups of the production primitives: one file, so
 * that those are not compiled again when a rung changes. A rung whose header does not exist is left out.
 * BENCH_INSTANCE is the prefix of what the file exports; BENCH_IN an element label, of 4 bytes; BENCH_NOT_ZERO see
 * bench_predicates.h.
 */
#include "bench_predicates.h"

#define GP_NAME BENCH_INSTANCE
#define GP_TYPE BENCH_IN_T
#include <gpuprims/classic/naive_scan.cuh>
#define GP_NAME BENCH_INSTANCE
#define GP_TYPE BENCH_IN_T
#include <gpuprims/classic/work_efficient_scan.cuh>
#if __has_include(<gpuprims/classic/shared_scan.cuh>)
#define BENCH_HAS_SHARED
#define GP_NAME BENCH_INSTANCE
#define GP_TYPE BENCH_IN_T
#include <gpuprims/classic/shared_scan.cuh>
#endif
#if __has_include(<gpuprims/classic/shuffle_scan.cuh>)
#define BENCH_HAS_SHUFFLE
#define GP_NAME BENCH_INSTANCE
#define GP_TYPE BENCH_IN_T
#include <gpuprims/classic/shuffle_scan.cuh>
#endif
#if __has_include(<gpuprims/classic/find_max.cuh>)
#define BENCH_HAS_FIND_MAX
#define GP_NAME BENCH_INSTANCE
#define GP_TYPE BENCH_IN_T
#include <gpuprims/classic/find_max.cuh>
#endif
#if __has_include(<gpuprims/classic/map_scan_scatter.cuh>)
#define BENCH_HAS_COMPACT
#define GP_NAME    BENCH_INSTANCE
#define GP_TYPE    BENCH_IN_T
#define GP_PRED(x) bench_keep(x)
#include <gpuprims/classic/map_scan_scatter.cuh>
#endif

#define BENCH_RUNG(rung, word)                                                                     \
    static cudaError_t BENCH(run_##word)(const bench_call *call)                                   \
    {                                                                                              \
        return BENCH(rung##_exclusive_scan)((const BENCH_IN_T *)call->in, (BENCH_IN_T *)call->out, call->n,      \
                                            call->classic, call->ws, call->stream);                \
    }

/* The same without what mends a flaw of it. */
#define BENCH_FLAWED(rung, word, option)                                                      \
    static cudaError_t BENCH(run_##word)(const bench_call *call)                              \
    {                                                                                         \
        gp_classic_options options = *call->classic;                                          \
                                                                                              \
        options.option = 0;                                                                   \
        return BENCH(rung##_exclusive_scan)((const BENCH_IN_T *)call->in, (BENCH_IN_T *)call->out, call->n, \
                                            &options, call->ws, call->stream);                \
    }

BENCH_RUNG(naive, naive)
BENCH_RUNG(work_efficient, work_efficient)
BENCH_FLAWED(work_efficient, work_efficient_idle, compact_threads)
#ifdef BENCH_HAS_SHARED
BENCH_RUNG(shared, shared)
BENCH_FLAWED(shared, shared_unpadded, conflict_free)
#endif
#ifdef BENCH_HAS_SHUFFLE
BENCH_RUNG(shuffle, shuffle)
#endif

static const bench_entry BENCH(scan_entries)[] = {
    {"naive", ENTRY_RUNG, BENCH(run_naive), BENCH(naive_exclusive_scan_workspace_bytes)},
    {"work_efficient", ENTRY_RUNG, BENCH(run_work_efficient),
     BENCH(work_efficient_exclusive_scan_workspace_bytes)},
    {"work_efficient_idle", ENTRY_RUNG, BENCH(run_work_efficient_idle),
     BENCH(work_efficient_exclusive_scan_workspace_bytes)},
#ifdef BENCH_HAS_SHARED
    {"shared", ENTRY_RUNG, BENCH(run_shared), BENCH(shared_exclusive_scan_workspace_bytes)},
    {"shared_unpadded", ENTRY_RUNG, BENCH(run_shared_unpadded),
     BENCH(shared_exclusive_scan_workspace_bytes)},
#endif
#ifdef BENCH_HAS_SHUFFLE
    {"shuffle", ENTRY_RUNG, BENCH(run_shuffle), BENCH(shuffle_exclusive_scan_workspace_bytes)},
#endif
};

extern const bench_entries BENCH(scan);
const bench_entries BENCH(scan) = {BENCH(scan_entries), BENCH_COUNT(BENCH(scan_entries))};

#ifdef BENCH_HAS_FIND_MAX
static cudaError_t BENCH(run_find_max)(const bench_call *call)
{
    return BENCH(find_max)((const BENCH_IN_T *)call->in, (BENCH_IN_T *)call->out, call->n, call->classic,
                           call->ws, call->stream);
}

static const bench_entry BENCH(max_entries)[] = {
    {"find_max", ENTRY_RUNG, BENCH(run_find_max), BENCH(find_max_workspace_bytes)},
};
#define BENCH_MAX_ENTRIES BENCH(max_entries), BENCH_COUNT(BENCH(max_entries))
#else
#define BENCH_MAX_ENTRIES NULL, 0
#endif

extern const bench_entries BENCH(max);
const bench_entries BENCH(max) = {BENCH_MAX_ENTRIES};

#ifdef BENCH_HAS_COMPACT
#define BENCH_COMPACT(rung)                                                                        \
    static cudaError_t BENCH(compact_##rung)(const bench_call *call)                               \
    {                                                                                              \
        return BENCH(rung##_compact)((const BENCH_IN_T *)call->in, (BENCH_IN_T *)call->out,      \
                                           call->n, call->count, call->classic, call->ws,          \
                                           call->stream);                                          \
    }

BENCH_COMPACT(naive)
BENCH_COMPACT(work_efficient)
BENCH_COMPACT(shared)
BENCH_COMPACT(shuffle)

static const bench_entry BENCH(compact_entries)[] = {
    {"naive", ENTRY_RUNG, BENCH(compact_naive), BENCH(naive_compact_workspace_bytes)},
    {"work_efficient", ENTRY_RUNG, BENCH(compact_work_efficient),
     BENCH(work_efficient_compact_workspace_bytes)},
    {"shared", ENTRY_RUNG, BENCH(compact_shared), BENCH(shared_compact_workspace_bytes)},
    {"shuffle", ENTRY_RUNG, BENCH(compact_shuffle), BENCH(shuffle_compact_workspace_bytes)},
};
#define BENCH_COMPACT_ENTRIES BENCH(compact_entries), BENCH_COUNT(BENCH(compact_entries))
#else
#define BENCH_COMPACT_ENTRIES NULL, 0
#endif

extern const bench_entries BENCH(compact);
const bench_entries BENCH(compact) = {BENCH_COMPACT_ENTRIES};
