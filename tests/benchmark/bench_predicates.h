/* bench_predicates.h: the predicate of a compaction instance, for the library, CUB and the
 * reference.
 *
 * BENCH_IN is an element label; with BENCH_COSTLY the predicate takes about eight instructions
 * instead of one, as few of a narrow type can pay at the speed of memory; with BENCH_NOT_ZERO it keeps what is not
 * zero, floats too.
 */
#ifndef BENCH_PREDICATES_H
#define BENCH_PREDICATES_H

#include "bench.h"

typedef BENCH_T(BENCH_IN) BENCH_IN_T;

static inline __host__ __device__ int bench_keep(BENCH_IN_T x)
{
#ifdef BENCH_COSTLY
    return ((unsigned)x * x + 41u) % 7u < 3u; /* 4 in 7 */
#elif defined BENCH_NOT_ZERO
    return x != 0;
#else
    return (int)(x & 1);
#endif
}

#endif
