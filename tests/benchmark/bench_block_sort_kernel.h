/* bench_block_sort_kernel.h: what both sides of bench_block_sort.h do, in kernels of their own. */
#define BENCH_TIMES 16

/* An item for the next time: out of order, and a number even if it is a float. */
#define BENCH_MIX(x, i) ((x) < 1000 ? (x) * 2 + (i) * 5 + 7 : (x) / 8 * ((i) % 7 + 1))
