/* bench_run_length_cub.h: the CUB side of bench_run_length.h, with the same parameters. C++. */
#ifndef BENCH_MAP
#include <cub/device/device_run_length_encode.cuh>
#endif
#include <cub/device/device_select.cuh>

#define BENCH_CUB_SIDE
#include "bench.h"

typedef BENCH_T(BENCH_IN) BENCH_IN_T;

#ifdef BENCH_MAP
typedef BENCH_T(BENCH_MAP) BENCH_MAP_T;

bench_function BENCH(cub_unique);

cudaError_t BENCH(cub_unique)(const bench_call *call)
{
    BENCH_MAP_T *values = static_cast<BENCH_MAP_T *>(call->out);

    return cub::DeviceSelect::UniqueByKey(call->scratch, *call->scratch_bytes,
                                          static_cast<const BENCH_IN_T *>(call->in),
                                          static_cast<const BENCH_MAP_T *>(call->map),
                                          static_cast<BENCH_IN_T *>(bench_keys_out(call, sizeof *values)), values,
                                          reinterpret_cast<int32_t *>(call->count), static_cast<int>(call->n),
                                          call->stream);
}
#else
bench_function BENCH(cub_encode);

cudaError_t BENCH(cub_encode)(const bench_call *call)
{
    int32_t *lengths = static_cast<int32_t *>(call->out);

    return cub::DeviceRunLengthEncode::Encode(call->scratch, *call->scratch_bytes,
                                              static_cast<const BENCH_IN_T *>(call->in),
                                              static_cast<BENCH_IN_T *>(bench_keys_out(call, sizeof *lengths)), lengths,
                                              reinterpret_cast<int32_t *>(call->count), static_cast<int>(call->n),
                                              call->stream);
}

#ifdef BENCH_ALL
bench_function BENCH(cub_unique);

cudaError_t BENCH(cub_unique)(const bench_call *call)
{
    return cub::DeviceSelect::Unique(call->scratch, *call->scratch_bytes, static_cast<const BENCH_IN_T *>(call->in),
                                     static_cast<BENCH_IN_T *>(call->out), reinterpret_cast<int32_t *>(call->count),
                                     static_cast<int>(call->n), call->stream);
}
#endif
#endif
