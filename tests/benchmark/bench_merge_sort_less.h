/* bench_merge_sort_less.h: the order of both sides of whatever merges. */
typedef BENCH_T(BENCH_IN) BENCH_IN_T;

#if defined BENCH_OWN && defined BENCH_MEMBERS
#define BENCH_LESS(a, b) ((a).BENCH_MEMBERS[0] < (b).BENCH_MEMBERS[0])
#else
#define BENCH_LESS(a, b) ((a) < (b))
#endif

#ifdef BENCH_CUB_SIDE
struct BENCH(less) {
    __device__ bool operator()(const BENCH_IN_T &a, const BENCH_IN_T &b) const
    {
        return BENCH_LESS(a, b);
    }
};
#endif
