/* bench_block_kernel.h: what both sides of bench_block.h do, in kernels of their own. */
#define BENCH_INCLUSIVE 0
#define BENCH_EXCLUSIVE 1
#define BENCH_REDUCE    2

#define BENCH_TIMES 64

/* A thread's value after one time: it depends on all of them. Unsigned values wrap. */
#define BENCH_AFTER(x, result) ((x) * 5 + (result))
