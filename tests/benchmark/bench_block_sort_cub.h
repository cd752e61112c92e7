/* bench_block_sort_cub.h: CUB's side of bench_block_sort.h: both of its block sorts. C++. */
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>

#define BENCH_CUB_SIDE
#include "bench.h"
#include "bench_block_sort_kernel.h"

struct BENCH(less) {
    __device__ bool operator()(const BENCH_T(BENCH_IN) & a, const BENCH_T(BENCH_IN) & b) const
    {
        return a < b;
    }
};

template <int IsRadix>
static __global__ void __launch_bounds__(BENCH_BLOCK)
    BENCH(cub_kernel)(const BENCH_T(BENCH_IN) * in, BENCH_T(BENCH_IN) * out, size_t n)
{
    using merge = cub::BlockMergeSort<BENCH_T(BENCH_IN), BENCH_BLOCK, BENCH_ITEMS>;
    using radix = cub::BlockRadixSort<BENCH_T(BENCH_IN), BENCH_BLOCK, BENCH_ITEMS>;
    __shared__ union {
        typename merge::TempStorage merge_storage;
        typename radix::TempStorage radix_storage;
    } storage;
    size_t first = (static_cast<size_t>(blockIdx.x) * BENCH_BLOCK + threadIdx.x) * BENCH_ITEMS;
    BENCH_T(BENCH_IN) x[BENCH_ITEMS];

    for (int i = 0; i < BENCH_ITEMS; i++)
        x[i] = first + i < n ? in[first + i] : 0;
    for (int time = 0; time < BENCH_TIMES; time++) {
        for (int i = 0; i < BENCH_ITEMS; i++)
            x[i] = BENCH_MIX(x[i], time + i);
        if constexpr (IsRadix)
            radix(storage.radix_storage).Sort(x);
        else
            merge(storage.merge_storage).Sort(x, BENCH(less)());
        __syncthreads(); // the storage is free
    }
    for (int i = 0; i < BENCH_ITEMS; i++)
        if (first + i < n)
            out[first + i] = x[i];
}

template <int IsRadix> static cudaError_t BENCH(launch)(const bench_call *call)
{
    if (!call->scratch) {
        *call->scratch_bytes = 1; // it needs none
        return cudaSuccess;
    }
    size_t blocks = (call->n + BENCH_BLOCK * BENCH_ITEMS - 1) / (BENCH_BLOCK * BENCH_ITEMS);
    BENCH(cub_kernel)<IsRadix><<<static_cast<unsigned>(blocks), BENCH_BLOCK, 0, call->stream>>>(
        static_cast<const BENCH_T(BENCH_IN) *>(call->in), static_cast<BENCH_T(BENCH_IN) *>(call->out),
        call->n);
    return cudaPeekAtLastError();
}

bench_function BENCH(run_cub_merge), BENCH(run_cub_radix);

cudaError_t BENCH(run_cub_merge)(const bench_call *call)
{
    return BENCH(launch)<0>(call);
}

cudaError_t BENCH(run_cub_radix)(const bench_call *call)
{
    return BENCH(launch)<1>(call);
}
