/* bench_histogram_limits.h: the types and limits of bench_histogram.h, for both sides of it. */
#include "bench.h"

typedef BENCH_T(BENCH_IN) BENCH_IN_T;

#ifdef BENCH_RANGE
/* The levels, on the device. */
#define BENCH_LEVELS BENCH_JOIN(BENCH_INSTANCE, _levels)
const BENCH_IN_T *BENCH_LEVELS(void);
#endif

/* Where even bins end, and a type in which an item times the bins is exact. */
#define BENCH_UPPER_f32     1
#define BENCH_UPPER_f64     1
#define BENCH_UPPER_u32     0xFFFFFFFFu
#define BENCH_UPPER         BENCH_JOIN(BENCH_UPPER_, BENCH_IN)
#define BENCH_WIDE_f32(x)   ((double)(x))
#define BENCH_WIDE_f64(x)   ((double)(x))
#define BENCH_WIDE_u32(x)   ((uint64_t)(x))
#define BENCH_WIDE(x)       BENCH_JOIN(BENCH_WIDE_, BENCH_IN)(x)
