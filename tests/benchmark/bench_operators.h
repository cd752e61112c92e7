/* bench_operators.h: the operator of a fold instance, for the library, for CUB and for the
 * reference.
 *
 * BENCH_IN and BENCH_OUT are element labels (u8, i32, ...), BENCH_OP is one of the five words
 * below, BENCH_MEMBERS the array of the struct that BENCH_ADD adds. Defines BENCH_IN_T and
 * BENCH_OUT_T and, where the operator is none of the library's, BENCH_COMBINE(a, b) and
 * BENCH_IDENTITY.
 */
#ifndef BENCH_OPERATORS_H
#define BENCH_OPERATORS_H

#include "bench.h"

#define BENCH_SUM     1 /* the ready operators */
#define BENCH_MAX     2
#define BENCH_OWN     3 /* an operator that the library cannot recognise */
#define BENCH_PRODUCT 4 /* of 2x2 matrices */
#define BENCH_ADD     5 /* of structs, member by member */

typedef BENCH_T(BENCH_IN) BENCH_IN_T;
typedef BENCH_T(BENCH_OUT) BENCH_OUT_T;

#if BENCH_OP == BENCH_OWN

/* a + b + 2ab: with f(x) = 1 + 2x this is f(a) f(b), hence associative, in any width. */
static inline __host__ __device__ BENCH_OUT_T bench_combine(BENCH_OUT_T a, BENCH_OUT_T b)
{
    return (BENCH_OUT_T)((unsigned)a + (unsigned)b + 2u * (unsigned)a * (unsigned)b);
}
#define BENCH_COMBINE(a, b) bench_combine((a), (b))
/* clang-format off */
#define BENCH_IDENTITY      {0}
/* clang-format on */

#elif BENCH_OP == BENCH_PRODUCT

static inline __host__ __device__ BENCH_OUT_T bench_combine(BENCH_OUT_T a, BENCH_OUT_T b)
{
    BENCH_OUT_T c;

    c.m[0] = a.m[0] * b.m[0] + a.m[1] * b.m[2];
    c.m[1] = a.m[0] * b.m[1] + a.m[1] * b.m[3];
    c.m[2] = a.m[2] * b.m[0] + a.m[3] * b.m[2];
    c.m[3] = a.m[2] * b.m[1] + a.m[3] * b.m[3];
    return c;
}
#define BENCH_COMBINE(a, b) bench_combine((a), (b))
/* clang-format off */
#define BENCH_IDENTITY      {{1, 0, 0, 1}}
/* clang-format on */

#elif BENCH_OP == BENCH_ADD

static inline __host__ __device__ BENCH_OUT_T bench_combine(BENCH_OUT_T a, BENCH_OUT_T b)
{
    BENCH_OUT_T c;
    int i;

    for (i = 0; i < (int)(sizeof c.BENCH_MEMBERS / sizeof c.BENCH_MEMBERS[0]); i++)
        c.BENCH_MEMBERS[i] = a.BENCH_MEMBERS[i] + b.BENCH_MEMBERS[i];
    return c;
}
#define BENCH_COMBINE(a, b) bench_combine((a), (b))
/* clang-format off */
#define BENCH_IDENTITY      {{0}}
/* clang-format on */

#endif

#endif
