/* bench_merge_sort_less.h: the order of both sides of bench_merge_sort.h and bench_merge.h. */
typedef BENCH_T(BENCH_IN) BENCH_IN_T;

#if defined BENCH_OWN && defined BENCH_MEMBERS
#define BENCH_LESS(a, b) ((a).BENCH_MEMBERS[0] < (b).BENCH_MEMBERS[0])
#else
#define BENCH_LESS(a, b) ((a) < (b))
#endif
