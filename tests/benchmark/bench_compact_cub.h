/* bench_compact_cub.h: the CUB side of bench_compact.h. C++. */
#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include <cstdint>

#define BENCH_CUB_SIDE
#include "bench_predicates.h"

bench_function BENCH(cub_compact), BENCH(cub_flagged), BENCH(cub_indices), BENCH(cub_partition);

namespace
{
struct keep {
    __host__ __device__ bool operator()(BENCH_IN_T x) const
    {
        return bench_keep(x);
    }
};

const BENCH_IN_T *in(const bench_call *call)
{
    return static_cast<const BENCH_IN_T *>(call->in);
}

BENCH_IN_T *out(const bench_call *call)
{
    return static_cast<BENCH_IN_T *>(call->out);
}
} // namespace

cudaError_t BENCH(cub_compact)(const bench_call *call)
{
    return cub::DeviceSelect::If(call->scratch, *call->scratch_bytes, in(call), out(call),
                                 call->count, static_cast<std::int64_t>(call->n), keep(),
                                 call->stream);
}

#ifdef BENCH_ALL

cudaError_t BENCH(cub_flagged)(const bench_call *call)
{
    return cub::DeviceSelect::Flagged(call->scratch, *call->scratch_bytes, in(call), call->flags,
                                      out(call), call->count, static_cast<std::int64_t>(call->n),
                                      call->stream);
}

/* The items take the part of the flags, and the places that of the items. */
cudaError_t BENCH(cub_indices)(const bench_call *call)
{
    return cub::DeviceSelect::FlaggedIf(call->scratch, *call->scratch_bytes,
                                        thrust::counting_iterator<std::size_t>(0), in(call),
                                        static_cast<std::size_t *>(call->out), call->count,
                                        static_cast<std::int64_t>(call->n), keep(), call->stream);
}

cudaError_t BENCH(cub_partition)(const bench_call *call)
{
    return cub::DevicePartition::If(call->scratch, *call->scratch_bytes, in(call), out(call),
                                    call->count, static_cast<std::int64_t>(call->n), keep(),
                                    call->stream);
}

#endif
