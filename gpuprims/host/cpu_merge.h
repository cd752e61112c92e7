/*
 * host/cpu_merge.h: merges sorted runs on the CPU, in plain C, by several threads.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_KEY         K: an integer type of 1, 2, 4 or 8 bytes, float or double (int); or, with
 *              GP_KEY_KIND    GP_UNSIGNED, GP_SIGNED or GP_FLOAT, any other type of such a size, ordered by its
 *                             bits as by those of a number of that kind: __half, __nv_bfloat16, a struct
 *              GP_VALUE       V, any trivially copyable type of any size; without it there are keys alone
 *              GP_DESCENDING  when it is defined, the largest key comes first
 * Generates    int NAME_cpu_merge_runs(const K *in, K *out, const size_t *offsets, size_t runs, int threads)
 * with values  int NAME_cpu_merge_runs(const K *kin, K *kout, const V *vin, V *vout,
 *                                      const size_t *offsets, size_t runs, int threads)
 *
 *     offsets              0 3 5 8
 *     in                   0 3 5 | 1 3 | 2 3 9
 *     merged               0 1 2 3 3 3 5 9
 *
 * Host pointers; the input and the output do not overlap. offsets has runs + 1 nondecreasing entries: run
 * r is in[offsets[r]] to in[offsets[r + 1] - 1], sorted as radix_sort.cuh does, and the merged items go to
 * out[0] and on. Stable: items that are equal keep their order, those of an earlier run come first.
 * threads <= 0 means as many as there are processors; the result is the same with any number. Fewer are
 * started for small n: each has at least 2^16 items, and 8 of each run on average. Returns 0, or 1 if
 * there was no memory (48 bytes for each run and thread) and nothing has been done.
 *
 * How it works: the merged order is cut into as many equal parts as there are threads (Varman et al.,
 * Merging multiple lists on hierarchical-memory multiprocessors, 1991). Where a cut goes through each run
 * is found exactly, by bisection of the keys' numbers; then each thread merges its part by a loser tree,
 * with log2(runs) comparisons for each item. host/core/merge_runs.cuh.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG cpu_merge
#define GPI_HEADER "gpuprims/host/cpu_merge.h"
#define GPI_TAKES (GPI_TAKES_KEY | GPI_TAKES_KEY_KIND | GPI_TAKES_VALUE | GPI_TAKES_DESCENDING)
#define GPI_ON_HOST
#endif
#include "../core/instance/begin.cuh"

#include <stdlib.h>

#if defined GPI_MISSING_NAME
#error "gpuprims/host/cpu_merge.h: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_WRONG_KEY_KIND
#error "gpuprims/host/cpu_merge.h: GP_KEY_KIND must be GP_UNSIGNED, GP_SIGNED or GP_FLOAT"
#endif

#if !defined GPI_DEFAULT || !defined GPI_CPU_MERGE_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_CPU_MERGE_DEFAULT
#endif
GPI_ONCE_PER_NAME(cpu_merge);

#include "../core/backend/threads.h"
#include "../core/instance/radix_key.cuh"
GPI_CHECK_KEY();
#include "core/merge_runs.cuh"

/* clang-format off */
#ifdef GP_VALUE
#define GPI_CPU_MERGE_PARAMETERS \
    const GP_KEY *kin, GP_KEY *kout, const GP_VALUE *vin, GP_VALUE *vout
#define GPI_CPU_MERGE_ARGUMENTS {kin, kout, vin, vout, offsets, runs, 0, 0, NULL}
#else
#define GPI_CPU_MERGE_PARAMETERS const GP_KEY *in, GP_KEY *out
#define GPI_CPU_MERGE_ARGUMENTS {in, out, NULL, NULL, offsets, runs, 0, 0, NULL}
#endif
/* clang-format on */

/*
 * Minimum items per thread: starting one takes as long as merging some 10,000 items, and splitting
 * the runs, which each thread does, as long as merging a few items of each run.
 */
#ifndef GPI_CPU_MERGE_MIN_ITEMS
#define GPI_CPU_MERGE_MIN_ITEMS(runs) ((runs) > 1 << 13 ? 8 * (runs) : (size_t)1 << 16)
#endif

/* Merges all runs into out. */
static inline int GPI_PUBLIC(cpu_merge_runs)(GPI_CPU_MERGE_PARAMETERS, const size_t *offsets,
                                             size_t runs, int threads)
{
    GPI(runs_part) parts[GPI_CPU_THREADS_LIMIT], all = GPI_CPU_MERGE_ARGUMENTS;
    size_t n = runs ? offsets[runs] - offsets[0] : 0, count = (size_t)gpi_cpu_thread_count(threads);
    const size_t max_threads = n / GPI_CPU_MERGE_MIN_ITEMS(runs);

    if (n == 0)
        return 0;
    count = count < max_threads ? count : max_threads > 0 ? max_threads : 1;
    char *scratch = (char *)malloc(count * GPI(runs_scratch)(runs));
    if (!scratch)
        return 1;
    for (size_t t = 0; t < count; t++) {
        parts[t] = all;
        parts[t].first = n / count * t + (t < n % count ? t : n % count);
        parts[t].last = n / count * (t + 1) + (t + 1 < n % count ? t + 1 : n % count);
        parts[t].scratch = scratch + t * GPI(runs_scratch)(runs);
    }
    gpi_cpu_run_tasks(GPI(runs_merge), parts, sizeof *parts, (int)count);
    free(scratch);
    return 0;
}

#undef GPI_CPU_MERGE_PARAMETERS
#undef GPI_CPU_MERGE_ARGUMENTS
#undef GPI_RUNS_PAIRS
#undef GPI_RUNS_VALUE

#endif
#include "../core/instance/end.cuh"
