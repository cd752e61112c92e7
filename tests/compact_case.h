/*
 * compact_case.h: stamps out an instance of compact.cuh that runs one kernel at every n, and its
 * compact_case.
 *
 *     CASE          name
 *     CASE_TYPE     T
 *     CASE_MAKE     item of the input, from random bits r
 *     CASE_KEEP(x)  the predicate
 *     CASE_KERNEL   as GP_KERNEL          CASE_GRID     as GP_GRID
 *
 * CASE, CASE_KERNEL and CASE_GRID are undefined at the end, so that the next instance may be of the same type.
 */
#ifndef CASE_F
#define CASE_JOIN_(a, b)            a##_##b
#define CASE_JOIN(a, b)             CASE_JOIN_(a, b)
#define CASE_F(word)                CASE_JOIN(CASE, word)
#define CASE_STAMP(name, type, ...) COMPACT_CASE(name, type, __VA_ARGS__)
#endif

#define GP_NAME    CASE
#define GP_TYPE    CASE_TYPE
#define GP_PRED(x) CASE_KEEP(x)
#define GP_KERNEL  CASE_KERNEL
#define GP_GRID    CASE_GRID
#include <gpuprims/compact.cuh>
CASE_STAMP(CASE, CASE_TYPE, CASE_MAKE, CASE_KEEP(x), NO_CONTEXT)

#undef CASE
#undef CASE_KERNEL
#undef CASE_GRID
