/* bench_transform_maps.h: what both sides of bench_transform.h have: the types, and BENCH_RESULT_OF(in, i), what becomes of
 * item i. */
#include "bench.h"

/* A point: no vector is as long. */
typedef struct bench_struct12 {
    uint32_t v[3];
} bench_struct12;

#define BENCH_ELEMENT_struct12 {KIND_STRUCT, 12}

typedef BENCH_T(BENCH_IN) BENCH_IN_T;
typedef BENCH_T(BENCH_OUT) BENCH_OUT_T;

#if defined BENCH_AS_IS
#define BENCH_RESULT_OF(in, i) ((in)[i])
#elif defined BENCH_NARROWS
#define BENCH_RESULT_OF(in, i) ((BENCH_OUT_T)((in)[i] < 0 ? 1 : 2))
#elif defined BENCH_NEIGHBOURS
#define BENCH_RESULT_OF(in, i) ((BENCH_OUT_T)((in)[i] - ((i) ? (in)[(i) - 1] : 0)))
#else
#define BENCH_RESULT_OF(in, i) ((BENCH_OUT_T)((in)[i] + 1))
#endif
