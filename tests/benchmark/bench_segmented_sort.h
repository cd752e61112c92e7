/* bench_segmented_sort.h: one instance of segmented_sort.cuh.
 *
 * Parameters: BENCH_INSTANCE, BENCH_PRIMITIVE, BENCH_TYPE (a label), BENCH_IN (an element label, of the keys).
 * BENCH_PAIRS: with values, which are the permutation BENCH_MAP; the output is all keys, then all values. BENCH_SHAPE:
 * 0 to 3: segments of 8, 256, 4096, 65536; 4: lengths of a power law, x or more with a chance of x^-1.1; 5: half of all
 * segments of 8 that an eighth of the items make, one of all others, and the other half; 6, 7, 9: segments of 32, 5000
 * and 100; 8: rows of 64, or by offsets if n is no multiple of that.
 */
#include <math.h>
#include <stdlib.h>

#include "bench_segmented_shape.h"
#include "input.h"

typedef BENCH_T(BENCH_IN) BENCH_IN_T;
#ifdef BENCH_PAIRS
typedef BENCH_T(BENCH_MAP) BENCH_MAP_T;
#define GP_VALUE BENCH_MAP_T
#endif

#define GP_NAME  BENCH_INSTANCE
#define GP_KEY   BENCH_IN_T
#define GP_INDEX bench_i32
#include <gpuprims/segmented_sort.cuh>

static inline size_t BENCH(length)(size_t segment, size_t n)
{
    static const size_t lengths[] = {8, 256, 4096, 65536, 0, 0, 32, 5000, 64, 100};
    const double chance = ((double)(input_random(segment) >> 11) + 1) / 9007199254740992.0;
    const double length = pow(chance, -1 / 1.1);

    return lengths[BENCH_SHAPE] ? lengths[BENCH_SHAPE]
           : BENCH_SHAPE == 4   ? (size_t)(length < 1e6 ? length : 1e6)
                                : segment == n / 128 ? n - n / 8 : 8;
}

/* Made when n is new: before anything is timed. */
const bench_segments *BENCH(segments)(size_t n);
const bench_segments *BENCH(segments)(size_t n)
{
    static bench_segments segments;
    static size_t last;
    size_t at = 0, s = 0;

    if (n && last == n)
        return &segments;
    if (last)
        cudaFree(segments.device);
    free(segments.host);
    last = n;
    segments.host = (bench_i32 *)malloc((n + 1) * sizeof *segments.host);
    segments.host[0] = 0;
    for (; at < n; s++) {
        const size_t length = BENCH(length)(s, n);

        at = n - at < length ? n : at + length;
        segments.host[s + 1] = (bench_i32)at;
    }
    segments.n = s;
    cudaMalloc((void **)&segments.device, (s + 1) * sizeof *segments.device);
    cudaMemcpy(segments.device, segments.host, (s + 1) * sizeof *segments.device, cudaMemcpyHostToDevice);
    return &segments;
}

static cudaError_t BENCH(run)(const bench_call *call)
{
    const bench_segments *segments = BENCH(segments)(call->n);
    const int by_rows = BENCH_SHAPE == 8 && call->n % 64 == 0;
    BENCH_IN_T *keys = (BENCH_IN_T *)call->out;

#ifdef BENCH_PAIRS
    if (by_rows)
        return BENCH(row_sort)((const BENCH_IN_T *)call->in, keys, (const BENCH_MAP_T *)call->map,
                               (BENCH_MAP_T *)(void *)(keys + call->n), segments->n, 64, call->ws, call->stream);
    return BENCH(segmented_sort)((const BENCH_IN_T *)call->in, keys, (const BENCH_MAP_T *)call->map,
                                 (BENCH_MAP_T *)(void *)(keys + call->n), call->n, segments->device, segments->n,
                                 call->ws, call->stream);
#else
    if (by_rows)
        return BENCH(row_sort)((const BENCH_IN_T *)call->in, keys, segments->n, 64, call->ws, call->stream);
    return BENCH(segmented_sort)((const BENCH_IN_T *)call->in, keys, call->n, segments->device, segments->n, call->ws,
                                 call->stream);
#endif
}

static size_t BENCH(workspace_bytes)(size_t n)
{
    return BENCH(segmented_sort_workspace_bytes)(n, n);
}

typedef struct BENCH(item) {
    BENCH_IN_T key;
    size_t index;
} BENCH(item);

static int BENCH(compare)(const void *a, const void *b)
{
    const BENCH(item) *x = (const BENCH(item) *)a, *y = (const BENCH(item) *)b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static cudaError_t BENCH(reference)(const bench_call *call)
{
    const bench_segments *segments = BENCH(segments)(call->n);
    BENCH(item) *items = (BENCH(item) *)malloc((call->n + 1) * sizeof *items);
    BENCH_IN_T *keys = (BENCH_IN_T *)call->out;
    size_t i, s;

    if (!items)
        return cudaErrorMemoryAllocation;
    for (i = 0; i < call->n; i++) {
        items[i].key = ((const BENCH_IN_T *)call->in)[i];
        items[i].index = i;
    }
    for (s = 0; s < segments->n; s++) {
        const bench_i32 *offsets = segments->host + s;

        qsort(items + offsets[0], (size_t)(offsets[1] - offsets[0]), sizeof *items, BENCH(compare));
    }
    for (i = 0; i < call->n; i++) {
        keys[i] = items[i].key;
#ifdef BENCH_PAIRS
        ((BENCH_MAP_T *)(void *)(keys + call->n))[i] = ((const BENCH_MAP_T *)call->map)[items[i].index];
#endif
    }
    free(items);
    return cudaSuccess;
}

BENCH_CUB_FUNCTION(run_cub); /* bench_segmented_sort_cub.h */
BENCH_CUB_FUNCTION(run_cub_radix);

static const bench_entry BENCH(entries)[] = {
    {"gpuprims", 0, BENCH(run), BENCH(workspace_bytes)},
    BENCH_CUB_ENTRIES("CUB_radix", ENTRY_CUB, run_cub_radix)
    BENCH_CUB_ENTRIES("CUB", ENTRY_CUB, run_cub)
};

#ifdef BENCH_PAIRS
#define BENCH_OUT_ELEMENT {KIND_STRUCT, sizeof(BENCH_IN_T) + sizeof(BENCH_MAP_T)}
#define BENCH_MAP_BYTES   sizeof(BENCH_MAP_T)
#endif
#include "bench_one_group.h"
