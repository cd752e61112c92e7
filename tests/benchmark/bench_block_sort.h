/* bench_block_sort.h: a block sort in a kernel of the user's own, which sorts a tile BENCH_TIMES times in a row and
 * mixes it up in between.
 *
 * Parameters: BENCH_INSTANCE, BENCH_PRIMITIVE, BENCH_TYPE (a label), BENCH_IN and BENCH_OUT (the same),
 * BENCH_BLOCK, the threads of a block, and BENCH_ITEMS, the items of a thread.
 */
#include <stdlib.h>

#include "bench.h"
#include "bench_block_sort_kernel.h"

#define GP_NAME BENCH_INSTANCE
#define GP_TYPE BENCH_T(BENCH_IN)
#define GP_BLOCK BENCH_BLOCK
#define GP_ITEMS BENCH_ITEMS
#include <gpuprims/block/block_sort.cuh>

static __global__ void __launch_bounds__(BENCH_BLOCK)
    BENCH(kernel)(const BENCH_T(BENCH_IN) * in, BENCH_T(BENCH_IN) * out, size_t n)
{
    GP_SHARED(BENCH(block_sort_storage), storage);
    size_t first = ((size_t)blockIdx.x * BENCH_BLOCK + threadIdx.x) * BENCH_ITEMS;
    BENCH_T(BENCH_IN) x[BENCH_ITEMS];

    for (int i = 0; i < BENCH_ITEMS; i++)
        x[i] = first + i < n ? in[first + i] : 0;
    for (int time = 0; time < BENCH_TIMES; time++) {
        for (int i = 0; i < BENCH_ITEMS; i++)
            x[i] = BENCH_MIX(x[i], time + i);
        BENCH(block_sort)(x, storage);
        __syncthreads(); /* the storage is free */
    }
    for (int i = 0; i < BENCH_ITEMS; i++)
        if (first + i < n)
            out[first + i] = x[i];
}

static cudaError_t BENCH(run)(const bench_call *call)
{
    return GPI_LAUNCH(BENCH(kernel), (unsigned)gpi_divide_up(call->n, BENCH_BLOCK * BENCH_ITEMS), BENCH_BLOCK,
                      0, call->stream, (const BENCH_T(BENCH_IN) *)call->in, (BENCH_T(BENCH_IN) *)call->out,
                      call->n);
}

static int BENCH(compare)(const void *a, const void *b)
{
    BENCH_T(BENCH_IN) x = *(const BENCH_T(BENCH_IN) *)a, y = *(const BENCH_T(BENCH_IN) *)b;

    return (x > y) - (x < y);
}

static cudaError_t BENCH(reference)(const bench_call *call)
{
    enum { TILE = BENCH_BLOCK * BENCH_ITEMS };
    const BENCH_T(BENCH_IN) *in = (const BENCH_T(BENCH_IN) *)call->in;
    BENCH_T(BENCH_IN) *out = (BENCH_T(BENCH_IN) *)call->out;

    for (size_t first = 0; first < call->n; first += TILE) {
        BENCH_T(BENCH_IN) x[TILE] = {0};
        size_t items = call->n - first < TILE ? call->n - first : TILE;

        memcpy(x, in + first, items * sizeof *x);
        for (int time = 0; time < BENCH_TIMES; time++) {
            for (int i = 0; i < TILE; i++)
                x[i] = BENCH_MIX(x[i], time + i % BENCH_ITEMS);
            qsort(x, TILE, sizeof *x, BENCH(compare));
        }
        memcpy(out + first, x, items * sizeof *x);
    }
    return cudaSuccess;
}

BENCH_CUB_FUNCTION(run_cub_merge); /* bench_block_sort_cub.h */
BENCH_CUB_FUNCTION(run_cub_radix);

static const bench_entry BENCH(entries)[] = {
    {"gpuprims", 0, BENCH(run), NULL},
    BENCH_CUB_ENTRIES("CUB", ENTRY_CUB, run_cub_merge)
    BENCH_CUB_ENTRIES("CUB_radix", 0, run_cub_radix)
};

#include "bench_one_group.h"
