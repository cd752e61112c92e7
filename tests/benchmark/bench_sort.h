/* bench_sort.h: one instance of the sorts of keys.
 *
 * Parameters: BENCH_INSTANCE, BENCH_PRIMITIVE, BENCH_TYPE (a label), BENCH_IN (an element label).
 * BENCH_RUNGS: the textbook rungs and sorts by the CPU too; BENCH_IN is an integer of 4 bytes then. BENCH_COMPARED:
 * qsort too, and on a GPU split sort without the search for the highest bit.
 */
#include <stdlib.h>

#include "bench.h"

typedef BENCH_T(BENCH_IN) BENCH_IN_T;

#define GP_NAME BENCH_INSTANCE
#define GP_KEY  BENCH_IN_T
#include <gpuprims/radix_sort.cuh>
static cudaError_t BENCH(run)(const bench_call *call)
{
    return BENCH(radix_sort)((const BENCH_IN_T *)call->in, (BENCH_IN_T *)call->out, call->n, call->ws,
                             call->stream);
}

#ifdef BENCH_RUNGS
#define GP_NAME BENCH_INSTANCE
#define GP_KEY  BENCH_IN_T
#include <gpuprims/classic/bitonic_sort.cuh>

#define GP_NAME BENCH_INSTANCE
#define GP_KEY  BENCH_IN_T
#include <gpuprims/classic/odd_even_merge_sort.cuh>

/* The networks sort in place: a copy comes first. */
static cudaError_t BENCH(copy)(const bench_call *call)
{
    return cudaMemcpyAsync(call->out, call->in, call->n * sizeof(BENCH_IN_T), cudaMemcpyDeviceToDevice,
                           call->stream);
}

static cudaError_t BENCH(run_bitonic)(const bench_call *call)
{
    cudaError_t error = BENCH(copy)(call);

    return error != cudaSuccess ? error
                                : BENCH(bitonic_sort)((BENCH_IN_T *)call->out, 1, call->n, 0, call->classic,
                                                      call->ws, call->stream);
}

static cudaError_t BENCH(run_odd_even)(const bench_call *call)
{
    cudaError_t error = BENCH(copy)(call);

    return error != cudaSuccess ? error
                                : BENCH(odd_even_merge_sort)((BENCH_IN_T *)call->out, 1, call->n, 0,
                                                             call->classic, call->ws, call->stream);
}

#define GP_NAME BENCH_INSTANCE
#define GP_TYPE BENCH_IN_T
#include <gpuprims/classic/split_sort.cuh>

static cudaError_t BENCH(run_split)(const bench_call *call)
{
    return BENCH(split_sort)((const BENCH_IN_T *)call->in, (BENCH_IN_T *)call->out, call->n, 0,
                             call->classic, call->ws, call->stream);
}

#if defined BENCH_COMPARED && defined __CUDACC__ /* 32 passes on the CPU backend take longer than all the rest */
static cudaError_t BENCH(run_split_all)(const bench_call *call)
{
    return BENCH(split_sort)((const BENCH_IN_T *)call->in, (BENCH_IN_T *)call->out, call->n,
                             8 * (int)sizeof(BENCH_IN_T), call->classic, call->ws, call->stream);
}
#endif

static size_t BENCH(split_bytes)(size_t n)
{
    return BENCH(split_sort_workspace_bytes)(n, 0);
}

#endif

#ifdef BENCH_RUNGS
/* By the CPU, for integers of 4 bytes; the sign bit is the flip that their order takes. */
#include <gpuprims/core/backend/threads.h>

#define CPU_RADIX BENCH_INSTANCE
#define CPU_RADIX_TYPE uint32_t
#include "bench_cpu_radix.h"

#define GP_NAME BENCH_INSTANCE
#define GP_KEY BENCH_IN_T
#include <gpuprims/host/cpu_merge.h>

#define BENCH_FLIP ((BENCH_IN_T)-1 > 0 ? 0 : (uint32_t)1 << 31)

static size_t BENCH(room_bytes)(size_t n)
{
    return n * sizeof(uint32_t);
}

static cudaError_t BENCH(run_cpu)(const bench_call *call)
{
    BENCH(cpu_radix_sort)
    ((const uint32_t *)call->in, (uint32_t *)call->out, (uint32_t *)call->room, call->n, BENCH_FLIP);
    return cudaSuccess;
}

/* All cores: each sorts a part, then all merge. */
typedef struct BENCH(part) {
    const uint32_t *in;
    uint32_t *sorted, *room;
    size_t n;
} BENCH(part);

static void *BENCH(part_sort)(void *argument)
{
    const BENCH(part) *part = (const BENCH(part) *)argument;

    BENCH(cpu_radix_sort)(part->in, part->sorted, part->room, part->n, BENCH_FLIP);
    return NULL;
}

static cudaError_t BENCH(run_cpu_threads)(const bench_call *call)
{
    BENCH(part) parts[GPI_CPU_THREADS_LIMIT];
    size_t offsets[GPI_CPU_THREADS_LIMIT + 1], count = (size_t)gpi_cpu_thread_count(0);
    uint32_t *room = (uint32_t *)call->room;

    for (size_t t = 0; t <= count; t++)
        offsets[t] = t < count ? call->n / count * t : call->n;
    for (size_t t = 0; t < count; t++) {
        parts[t].in = (const uint32_t *)call->in + offsets[t];
        parts[t].sorted = room + offsets[t];
        parts[t].room = (uint32_t *)call->out + offsets[t];
        parts[t].n = offsets[t + 1] - offsets[t];
    }
    gpi_cpu_run_tasks(BENCH(part_sort), parts, sizeof *parts, (int)count);
    return BENCH(cpu_merge_runs)((const BENCH_IN_T *)room, (BENCH_IN_T *)call->out, offsets, count,
                                 0)
               ? cudaErrorMemoryAllocation
               : cudaSuccess;
}
#endif

static int BENCH(compare)(const void *a, const void *b)
{
    BENCH_IN_T x = *(const BENCH_IN_T *)a, y = *(const BENCH_IN_T *)b;

    return (x > y) - (x < y);
}

static cudaError_t BENCH(reference)(const bench_call *call)
{
    memcpy(call->out, call->in, call->n * sizeof(BENCH_IN_T));
    qsort(call->out, call->n, sizeof(BENCH_IN_T), BENCH(compare));
    return cudaSuccess;
}

BENCH_CUB_FUNCTION(run_cub); /* bench_sort_cub.h */

static const bench_entry BENCH(entries)[] = {
    {"gpuprims", 0, BENCH(run), BENCH(radix_sort_workspace_bytes)},
    BENCH_CUB_ENTRIES("CUB", ENTRY_CUB, run_cub)
#ifdef BENCH_COMPARED
    {"qsort", ENTRY_HOST, BENCH(reference), NULL},
#ifdef __CUDACC__
    {"split_all", ENTRY_RUNG, BENCH(run_split_all), BENCH(split_bytes)},
#endif
#endif
#ifdef BENCH_RUNGS
    {"split", ENTRY_RUNG, BENCH(run_split), BENCH(split_bytes)},
    {"bitonic", ENTRY_RUNG, BENCH(run_bitonic), NULL},
    {"odd_even", ENTRY_RUNG, BENCH(run_odd_even), NULL},
    {"cpu", ENTRY_HOST, BENCH(run_cpu), BENCH(room_bytes)},
    {"cpu_threads", ENTRY_HOST, BENCH(run_cpu_threads), BENCH(room_bytes)},
#endif
};

#include "bench_one_group.h"
