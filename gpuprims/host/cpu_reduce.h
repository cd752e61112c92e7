/*
 * host/cpu_reduce.h: the fold of an array on the CPU, in plain C: the reference for every reduction.
 *
 * Parameters   GP_NAME, GP_TYPE (int), GP_OP (sum), GP_IDENTITY, GP_INPUT_TYPE, GP_LOAD, GP_CONTEXT:
 *              as for reduce.cuh, but types of any size. An operator of your own must be callable on the host.
 * Generates    T NAME_cpu_reduce(const I *in, size_t n [, context])
 *
 *     in                   1 5 0 1 2 0 3
 *     result               12
 *
 * Host pointers; a left fold; n == 0 gives the identity. GP_LOAD is evaluated once on each item.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG cpu_reduce
#define GPI_HEADER "gpuprims/host/cpu_reduce.h"
#define GPI_TAKES \
    (GPI_TAKES_TYPE | GPI_TAKES_OP | GPI_TAKES_IDENTITY | GPI_TAKES_INPUT_TYPE | GPI_TAKES_LOAD | \
     GPI_TAKES_CONTEXT)
#define GPI_ON_HOST
#endif
#include "../core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/host/cpu_reduce.h: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_IDENTITY
#error "gpuprims/host/cpu_reduce.h: GP_IDENTITY is missing; a GP_OP of your own requires it"
#endif
#if defined GPI_MISSING_OP
#error "gpuprims/host/cpu_reduce.h: GP_OP is missing; GP_IDENTITY goes with a GP_OP of your own"
#endif
#if defined GPI_MISSING_CONTEXT_USER
#error "gpuprims/host/cpu_reduce.h: GP_LOAD is missing; nothing else would receive the GP_CONTEXT"
#endif

#if !defined GPI_DEFAULT || !defined GPI_CPU_REDUCE_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_CPU_REDUCE_DEFAULT
#endif
GPI_ONCE_PER_NAME(cpu_reduce);

#include "../core/instance/combine.cuh"

/* in[0] op ... op in[n - 1] */
static inline GP_TYPE GPI_PUBLIC(cpu_reduce)(const GP_INPUT_TYPE *in, size_t n GPI_CONTEXT_LAST)
{
    GP_TYPE sum = n ? GPI(load)(in, GPI_CONTEXT_VALUE) : GPI(identity)();

    for (size_t i = 1; i < n; i++)
        sum = GPI(combine)(sum, GPI(load)(in + i, GPI_CONTEXT_VALUE));
    return sum;
}

#endif
#include "../core/instance/end.cuh"
