/* bench_block_cub.h: the CUB side of bench_block.h, with CUB's default algorithms. C++. */
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#define BENCH_CUB_SIDE
#include "bench.h"
#include "bench_block_kernel.h"

static __global__ void __launch_bounds__(BENCH_BLOCK)
    BENCH(cub_kernel)(const BENCH_T(BENCH_IN) *in, BENCH_T(BENCH_IN) *out, size_t n)
{
#if BENCH_COLLECTIVE == BENCH_REDUCE
    using collective = cub::BlockReduce<BENCH_T(BENCH_IN), BENCH_BLOCK>;
    __shared__ BENCH_T(BENCH_IN) result; /* CUB gives it to one thread, the library to all */
#else
    using collective = cub::BlockScan<BENCH_T(BENCH_IN), BENCH_BLOCK>;
#endif
    __shared__ typename collective::TempStorage storage;
    size_t i = static_cast<size_t>(blockIdx.x) * BENCH_BLOCK + threadIdx.x;
    BENCH_T(BENCH_IN) x = i < n ? in[i] : 0;

    for (int time = 0; time < BENCH_TIMES; time++) {
#if BENCH_COLLECTIVE == BENCH_INCLUSIVE
        BENCH_T(BENCH_IN) sum;

        collective(storage).InclusiveSum(x, sum);
        x = BENCH_AFTER(x, sum);
#elif BENCH_COLLECTIVE == BENCH_EXCLUSIVE
        BENCH_T(BENCH_IN) before, total;

        collective(storage).ExclusiveSum(x, before, total);
        x = BENCH_AFTER(x, before + total);
#else
        BENCH_T(BENCH_IN) sum = collective(storage).Sum(x);

        if (threadIdx.x == 0)
            result = sum;
        __syncthreads(); // the result is there
        x = BENCH_AFTER(x, result);
#endif
        __syncthreads(); // the storage is free
    }
    if (i < n)
        out[i] = x;
}

bench_function BENCH(run_cub);

cudaError_t BENCH(run_cub)(const bench_call *call)
{
    if (!call->scratch) {
        *call->scratch_bytes = 1; // it needs none
        return cudaSuccess;
    }
    BENCH(cub_kernel)<<<static_cast<unsigned>((call->n + BENCH_BLOCK - 1) / BENCH_BLOCK), BENCH_BLOCK, 0,
                        call->stream>>>(static_cast<const BENCH_T(BENCH_IN) *>(call->in),
                                        static_cast<BENCH_T(BENCH_IN) *>(call->out), call->n);
    return cudaPeekAtLastError();
}
