/* bench_sort_pairs.h: one instance of the sort of keys with values.
 *
 * Parameters: BENCH_INSTANCE, BENCH_TYPE (a label), BENCH_IN (an element label, of the keys), BENCH_MAP
 * (of the values, which are a permutation). The output is all keys, then all values, or all values first if
 * those are wider; with --offset-out items of 8 bytes must still be aligned. BENCH_NETWORKS: the sorting
 * networks and the merge sort too; then the values are no wider than the keys. BENCH_BITS: by the lowest BENCH_BITS bits
 * of unsigned keys alone.
 */
#include <stdlib.h>

#include "bench.h"

typedef BENCH_T(BENCH_IN) BENCH_IN_T;
typedef BENCH_T(BENCH_MAP) BENCH_MAP_T;

#define GP_NAME  BENCH_INSTANCE
#define GP_KEY   BENCH_IN_T
#define GP_VALUE BENCH_MAP_T
#include <gpuprims/radix_sort.cuh>

/* Where in the output the keys and the values begin. */
static BENCH_IN_T *BENCH(keys)(const bench_call *call)
{
    int is_last = sizeof(BENCH_MAP_T) > sizeof(BENCH_IN_T);

    return (BENCH_IN_T *)((char *)call->out + (is_last ? call->n * sizeof(BENCH_MAP_T) : 0));
}

static BENCH_MAP_T *BENCH(values)(const bench_call *call)
{
    int is_last = sizeof(BENCH_MAP_T) <= sizeof(BENCH_IN_T);

    return (BENCH_MAP_T *)((char *)call->out + (is_last ? call->n * sizeof(BENCH_IN_T) : 0));
}

#ifdef BENCH_BITS
#define BENCH_SORTED_BITS(key) ((key) & (((BENCH_IN_T)1 << BENCH_BITS) - 1))

static cudaError_t BENCH(run)(const bench_call *call)
{
    return BENCH(radix_sort_bits)((const BENCH_IN_T *)call->in, BENCH(keys)(call), (const BENCH_MAP_T *)call->map,
                                  BENCH(values)(call), call->n, 0, BENCH_BITS, call->ws, call->stream);
}

static size_t BENCH(bytes)(size_t n)
{
    return BENCH(radix_sort_bits_workspace_bytes)(n, 0, BENCH_BITS);
}
#else
#define BENCH_SORTED_BITS(key) (key)

static cudaError_t BENCH(run)(const bench_call *call)
{
    return BENCH(radix_sort)((const BENCH_IN_T *)call->in, BENCH(keys)(call), (const BENCH_MAP_T *)call->map,
                             BENCH(values)(call), call->n, call->ws, call->stream);
}

static size_t BENCH(bytes)(size_t n)
{
    return BENCH(radix_sort_workspace_bytes)(n);
}
#endif

#ifdef BENCH_NETWORKS
#define GP_NAME BENCH_INSTANCE
#define GP_TYPE BENCH_IN_T
#define GP_VALUE BENCH_MAP_T
#include <gpuprims/merge_sort.cuh>

#define GP_NAME BENCH_INSTANCE
#define GP_KEY BENCH_IN_T
#define GP_VALUE BENCH_MAP_T
#include <gpuprims/classic/bitonic_sort.cuh>

#define GP_NAME BENCH_INSTANCE
#define GP_KEY BENCH_IN_T
#define GP_VALUE BENCH_MAP_T
#include <gpuprims/classic/odd_even_merge_sort.cuh>

static cudaError_t BENCH(run_merge)(const bench_call *call)
{
    return BENCH(merge_sort)((const BENCH_IN_T *)call->in, BENCH(keys)(call),
                             (const BENCH_MAP_T *)call->map, BENCH(values)(call), call->n, call->ws,
                             call->stream);
}

/* The networks sort in place: copies come first. */
static cudaError_t BENCH(copy)(const bench_call *call)
{
    cudaError_t error = cudaMemcpyAsync(BENCH(keys)(call), call->in, call->n * sizeof(BENCH_IN_T),
                                        cudaMemcpyDeviceToDevice, call->stream);

    return error != cudaSuccess
               ? error
               : cudaMemcpyAsync(BENCH(values)(call), call->map, call->n * sizeof(BENCH_MAP_T),
                                 cudaMemcpyDeviceToDevice, call->stream);
}

static cudaError_t BENCH(run_bitonic)(const bench_call *call)
{
    cudaError_t error = BENCH(copy)(call);

    return error != cudaSuccess
               ? error
               : BENCH(bitonic_sort)(BENCH(keys)(call), BENCH(values)(call), 1, call->n, 0,
                                     call->classic, call->ws, call->stream);
}

static cudaError_t BENCH(run_odd_even)(const bench_call *call)
{
    cudaError_t error = BENCH(copy)(call);

    return error != cudaSuccess
               ? error
               : BENCH(odd_even_merge_sort)(BENCH(keys)(call), BENCH(values)(call), 1, call->n, 0,
                                            call->classic, call->ws, call->stream);
}
#endif

typedef struct BENCH(item) {
    BENCH_IN_T key;
    BENCH_MAP_T value;
    size_t index;
} BENCH(item);

static int BENCH(compare)(const void *a, const void *b)
{
    const BENCH(item) *x = (const BENCH(item) *)a, *y = (const BENCH(item) *)b;
    BENCH_IN_T p = BENCH_SORTED_BITS(x->key), q = BENCH_SORTED_BITS(y->key);

    if (p != q)
        return p < q ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static cudaError_t BENCH(reference)(const bench_call *call)
{
    BENCH(item) *items = (BENCH(item) *)malloc((call->n + 1) * sizeof *items);
    BENCH_IN_T *keys = BENCH(keys)(call);
    BENCH_MAP_T *values = BENCH(values)(call);
    size_t i;

    if (!items)
        return cudaErrorMemoryAllocation;
    for (i = 0; i < call->n; i++) {
        items[i].key = ((const BENCH_IN_T *)call->in)[i];
        items[i].value = ((const BENCH_MAP_T *)call->map)[i];
        items[i].index = i;
    }
    qsort(items, call->n, sizeof *items, BENCH(compare));
    for (i = 0; i < call->n; i++) {
        keys[i] = items[i].key;
        values[i] = items[i].value;
    }
    free(items);
    return cudaSuccess;
}

BENCH_CUB_FUNCTION(run_cub); /* bench_sort_pairs_cub.h */
BENCH_CUB_FUNCTION(run_cub_merge);

static const bench_entry BENCH(entries)[] = {
    {"gpuprims", 0, BENCH(run), BENCH(bytes)},
    BENCH_CUB_ENTRIES("CUB", ENTRY_CUB, run_cub)
#ifdef BENCH_NETWORKS
    {"gpuprims_merge", 0, BENCH(run_merge), BENCH(merge_sort_workspace_bytes)},
    BENCH_CUB_ENTRIES("CUB_merge", ENTRY_CUB, run_cub_merge)
    {"bitonic", ENTRY_RUNG | ENTRY_UNSTABLE, BENCH(run_bitonic), NULL},
    {"odd_even", ENTRY_RUNG | ENTRY_UNSTABLE, BENCH(run_odd_even), NULL},
#endif
};

#define BENCH_OUT_ELEMENT {KIND_STRUCT, sizeof(BENCH_IN_T) + sizeof(BENCH_MAP_T)}
#define BENCH_MAP_BYTES   sizeof(BENCH_MAP_T)
#include "bench_one_group.h"
