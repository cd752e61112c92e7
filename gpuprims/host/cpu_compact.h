/*
 * host/cpu_compact.h: stream compaction on the CPU, in plain C: the reference for every compaction.
 *
 * Parameters   GP_NAME, GP_TYPE (int), GP_PRED (x != 0), GP_CONTEXT: as for compact.cuh, but T of
 *              any size. A predicate of your own must be callable on the host.
 * Generates    size_t NAME_cpu_compact(const T *in, T *out, size_t n [, context])
 *              size_t NAME_cpu_compact_with_scan(const T *in, T *out, size_t n [, context])
 *
 *     in                   1 5 0 1 2 0 3
 *     out                  1 5 1 2 3           returns 5
 *
 * Host pointers; returns how many items are kept. in == out is allowed for cpu_compact. The variant with
 * a scan does in three loops what the textbook compaction does in three kernels: map, scan, scatter. It
 * takes n words of memory; without them it returns SIZE_MAX and leaves out alone. GP_PRED is evaluated once on
 * each item.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG cpu_compact
#define GPI_HEADER "gpuprims/host/cpu_compact.h"
#define GPI_TAKES (GPI_TAKES_TYPE | GPI_TAKES_PRED | GPI_TAKES_CONTEXT)
#define GPI_ON_HOST
#endif
#include "../core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/host/cpu_compact.h: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_CONTEXT_USER
#error "gpuprims/host/cpu_compact.h: GP_PRED is missing; nothing else would receive the GP_CONTEXT"
#endif

#if !defined GPI_DEFAULT || !defined GPI_CPU_COMPACT_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_CPU_COMPACT_DEFAULT
#endif
GPI_ONCE_PER_NAME(cpu_compact);

#include <stdlib.h>

#include "../core/instance/predicate.cuh"

/* The items that satisfy GP_PRED, in order. */
static inline size_t GPI_PUBLIC(cpu_compact)(const GP_TYPE *in, GP_TYPE *out,
                                             size_t n GPI_CONTEXT_LAST)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        if (GPI(keep)(in + i, GPI_CONTEXT_VALUE))
            out[count++] = in[i];
    return count;
}

/* The same by map, exclusive scan and scatter. */
static inline size_t GPI_PUBLIC(cpu_compact_with_scan)(const GP_TYPE *in, GP_TYPE *out,
                                                       size_t n GPI_CONTEXT_LAST)
{
    size_t *places = (size_t *)malloc(n * sizeof *places + 1), count = 0;

    if (!places)
        return SIZE_MAX;
    for (size_t i = 0; i < n; i++)
        places[i] = GPI(keep)(in + i, GPI_CONTEXT_VALUE) ? 1 : 0;
    for (size_t i = 0; i < n; i++) {
        size_t kept = places[i];

        places[i] = count;
        count += kept;
    }
    for (size_t i = 0; i < n; i++)
        if ((i + 1 < n ? places[i + 1] : count) > places[i])
            out[places[i]] = in[i];
    free(places);
    return count;
}

#endif
#include "../core/instance/end.cuh"
