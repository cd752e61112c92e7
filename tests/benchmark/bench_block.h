/* bench_block.h: block scans and reductions in a kernel of the user's own, which does nothing but call
 * one of them BENCH_TIMES times in a row. Stamped by tests/benchmark/meson.build.
 *
 * Parameters: BENCH_INSTANCE, BENCH_PRIMITIVE, BENCH_TYPE (a label), BENCH_IN and BENCH_OUT (the same),
 * BENCH_COLLECTIVE: BENCH_INCLUSIVE, BENCH_EXCLUSIVE (with the total) or BENCH_REDUCE, and BENCH_BLOCK,
 * the threads of a block.
 */
#include "bench.h"
#include "bench_block_kernel.h"

#define GP_NAME  BENCH_INSTANCE
#define GP_TYPE  BENCH_T(BENCH_IN)
#define GP_BLOCK BENCH_BLOCK
#if BENCH_COLLECTIVE == BENCH_REDUCE
#include <gpuprims/block/block_reduce.cuh>
#else
#include <gpuprims/block/block_scan.cuh>
#endif

static __global__ void __launch_bounds__(BENCH_BLOCK)
    BENCH(kernel)(const BENCH_T(BENCH_IN) *in, BENCH_T(BENCH_IN) *out, size_t n)
{
#if BENCH_COLLECTIVE == BENCH_REDUCE
    GP_SHARED(BENCH(block_reduce_storage), storage);
#else
    GP_SHARED(BENCH(block_scan_storage), storage);
#endif
    size_t i = (size_t)blockIdx.x * BENCH_BLOCK + threadIdx.x;
    BENCH_T(BENCH_IN) x = i < n ? in[i] : 0;

    for (int time = 0; time < BENCH_TIMES; time++) {
#if BENCH_COLLECTIVE == BENCH_INCLUSIVE
        x = BENCH_AFTER(x, BENCH(block_inclusive_scan)(x, storage, NULL));
#elif BENCH_COLLECTIVE == BENCH_EXCLUSIVE
        BENCH_T(BENCH_IN) total, before = BENCH(block_exclusive_scan)(x, storage, &total);

        x = BENCH_AFTER(x, before + total);
#else
        x = BENCH_AFTER(x, BENCH(block_reduce)(x, storage));
#endif
        __syncthreads(); /* the storage is free */
    }
    if (i < n)
        out[i] = x;
}

static cudaError_t BENCH(run)(const bench_call *call)
{
    return GPI_LAUNCH(BENCH(kernel), (unsigned)gpi_divide_up(call->n, BENCH_BLOCK), BENCH_BLOCK, 0,
                      call->stream, (const BENCH_T(BENCH_IN) *)call->in, (BENCH_T(BENCH_IN) *)call->out,
                      call->n);
}

static cudaError_t BENCH(reference)(const bench_call *call)
{
    const BENCH_T(BENCH_IN) *in = (const BENCH_T(BENCH_IN) *)call->in;
    BENCH_T(BENCH_IN) *out = (BENCH_T(BENCH_IN) *)call->out;

    for (size_t first = 0; first < call->n; first += BENCH_BLOCK) {
        BENCH_T(BENCH_IN) x[BENCH_BLOCK] = {0};
        size_t items = call->n - first < BENCH_BLOCK ? call->n - first : BENCH_BLOCK;

        memcpy(x, in + first, items * sizeof *x);
        for (int time = 0; time < BENCH_TIMES; time++) {
            BENCH_T(BENCH_IN) total = 0, sum = 0;

            for (int i = 0; i < BENCH_BLOCK; i++)
                total += x[i];
            for (int i = 0; i < BENCH_BLOCK; i++) {
                BENCH_T(BENCH_IN) before = sum;

                sum += x[i];
                x[i] = BENCH_AFTER(x[i], BENCH_COLLECTIVE == BENCH_INCLUSIVE   ? sum
                                         : BENCH_COLLECTIVE == BENCH_EXCLUSIVE ? before + total
                                                                               : total);
            }
        }
        memcpy(out + first, x, items * sizeof *x);
    }
    return cudaSuccess;
}

BENCH_CUB_FUNCTION(run_cub); /* bench_block_cub.h */

static const bench_entry BENCH(entries)[] = {
    {"gpuprims", 0, BENCH(run), NULL},
    BENCH_CUB_ENTRIES("CUB", ENTRY_CUB, run_cub)
};

#include "bench_one_group.h"
