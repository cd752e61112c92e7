/* bench_segmented_sort_cub.h: the CUB side of bench_segmented_sort.h, with the same parameters. C++. CUB has two such
 * sorts: one that groups segments by their lengths, and one for long segments.
 */
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#define BENCH_CUB_SIDE
#include "bench_segmented_shape.h"

typedef BENCH_T(BENCH_IN) BENCH_IN_T;
#ifdef BENCH_PAIRS
typedef BENCH_T(BENCH_MAP) BENCH_MAP_T;
#endif

#define BENCH_SEGMENTS BENCH_JOIN(BENCH_INSTANCE, _segments)

const bench_segments *BENCH_SEGMENTS(size_t n);
bench_function BENCH(run_cub), BENCH(run_cub_radix);

cudaError_t BENCH(run_cub)(const bench_call *call)
{
    const bench_segments *segments = BENCH_SEGMENTS(call->n);
    const bench_i32 *offsets = segments->device;
    const BENCH_IN_T *in = static_cast<const BENCH_IN_T *>(call->in);
    BENCH_IN_T *out = static_cast<BENCH_IN_T *>(call->out);
    const int n = static_cast<int>(call->n), count = static_cast<int>(segments->n);

#ifdef BENCH_PAIRS
    return cub::DeviceSegmentedSort::StableSortPairs(call->scratch, *call->scratch_bytes, in, out,
                                                     static_cast<const BENCH_MAP_T *>(call->map),
                                                     reinterpret_cast<BENCH_MAP_T *>(out + call->n), n, count, offsets,
                                                     offsets + 1, call->stream);
#else
    return cub::DeviceSegmentedSort::StableSortKeys(call->scratch, *call->scratch_bytes, in, out, n, count, offsets,
                                                    offsets + 1, call->stream);
#endif
}

cudaError_t BENCH(run_cub_radix)(const bench_call *call)
{
    const bench_segments *segments = BENCH_SEGMENTS(call->n);
    const bench_i32 *offsets = segments->device;
    const BENCH_IN_T *in = static_cast<const BENCH_IN_T *>(call->in);
    BENCH_IN_T *out = static_cast<BENCH_IN_T *>(call->out);
    const int n = static_cast<int>(call->n), count = static_cast<int>(segments->n);

#ifdef BENCH_PAIRS
    return cub::DeviceSegmentedRadixSort::SortPairs(call->scratch, *call->scratch_bytes, in, out,
                                                    static_cast<const BENCH_MAP_T *>(call->map),
                                                    reinterpret_cast<BENCH_MAP_T *>(out + call->n), n, count, offsets,
                                                    offsets + 1, 0, static_cast<int>(8 * sizeof *in), call->stream);
#else
    return cub::DeviceSegmentedRadixSort::SortKeys(call->scratch, *call->scratch_bytes, in, out, n, count, offsets,
                                                   offsets + 1, 0, static_cast<int>(8 * sizeof *in), call->stream);
#endif
}
