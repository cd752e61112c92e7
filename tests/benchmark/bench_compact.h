/* bench_compact.h: one instance of compact.cuh.
 *
 * Parameters: BENCH_INSTANCE, BENCH_TYPE (a label), BENCH_IN (an element label), BENCH_PRIMITIVE.
 * BENCH_ALL: every function of the header and every density, else compact alone at 50 %.
 * BENCH_COSTLY: see bench_predicates.h. BENCH_CLASSIC: with the rungs. BENCH_SIMPLE: with the kernel of GPUs
 * that have no bulk copies.
 */
#include "bench_predicates.h"

#include <gpuprims/core/backend/threads.h>

#define GP_NAME    BENCH_INSTANCE
#define GP_TYPE    BENCH_IN_T
#define GP_PRED(x) bench_keep(x)
#include <gpuprims/compact.cuh>

#define GP_NAME    BENCH_INSTANCE
#define GP_TYPE    BENCH_IN_T
#define GP_PRED(x) bench_keep(x)
#include <gpuprims/host/cpu_compact.h>

#ifdef BENCH_SIMPLE
#define GP_NAME    BENCH(simple)
#define GP_TYPE    BENCH_IN_T
#define GP_PRED(x) bench_keep(x)
#define GP_KERNEL  GP_KERNEL_SIMPLE
#include <gpuprims/compact.cuh>
#endif

/* clang-format off */
#define BENCH_ARGUMENTS (const BENCH_IN_T *)call->in, (BENCH_IN_T *)call->out, call->n
#define BENCH_TRAILING  call->count, call->ws, call->stream
/* clang-format on */

/* ---- compact ---- */

static cudaError_t BENCH(run_compact)(const bench_call *call)
{
    return BENCH(compact)(BENCH_ARGUMENTS, BENCH_TRAILING);
}

#ifdef BENCH_SIMPLE
static cudaError_t BENCH(run_simple)(const bench_call *call)
{
    return BENCH(simple_compact)(BENCH_ARGUMENTS, BENCH_TRAILING);
}
#endif

static cudaError_t BENCH(run_cpu)(const bench_call *call)
{
    *call->count = BENCH(cpu_compact)(BENCH_ARGUMENTS);
    return cudaSuccess;
}

static cudaError_t BENCH(run_cpu_with_scan)(const bench_call *call)
{
    *call->count = BENCH(cpu_compact_with_scan)(BENCH_ARGUMENTS);
    return *call->count == SIZE_MAX ? cudaErrorMemoryAllocation : cudaSuccess;
}

/* By all cores: each compacts a part where it stands in the room kept for that; then all know where theirs
 * goes, and copy it there. */
typedef struct BENCH(part) {
    const BENCH_IN_T *in;
    BENCH_IN_T *kept, *out;
    size_t n, count;
} BENCH(part);

static void *BENCH(part_compact)(void *argument)
{
    BENCH(part) *part = (BENCH(part) *)argument;

    part->count = BENCH(cpu_compact)(part->in, part->kept, part->n);
    return NULL;
}

static void *BENCH(part_copy)(void *argument)
{
    const BENCH(part) *part = (const BENCH(part) *)argument;

    memcpy(part->out, part->kept, part->count * sizeof(BENCH_IN_T));
    return NULL;
}

static size_t BENCH(room_bytes)(size_t n)
{
    return n * sizeof(BENCH_IN_T);
}

static cudaError_t BENCH(run_cpu_threads)(const bench_call *call)
{
    BENCH(part) parts[GPI_CPU_THREADS_LIMIT];
    BENCH_IN_T *room = (BENCH_IN_T *)call->room;
    size_t count = (size_t)gpi_cpu_thread_count(0), kept = 0;

    for (size_t t = 0; t < count; t++) {
        size_t first = call->n / count * t;

        parts[t].in = (const BENCH_IN_T *)call->in + first;
        parts[t].kept = room + first;
        parts[t].n = (t + 1 < count ? call->n / count * (t + 1) : call->n) - first;
    }
    gpi_cpu_run_tasks(BENCH(part_compact), parts, sizeof *parts, (int)count);
    for (size_t t = 0; t < count; t++) {
        parts[t].out = (BENCH_IN_T *)call->out + kept;
        kept += parts[t].count;
    }
    gpi_cpu_run_tasks(BENCH(part_copy), parts, sizeof *parts, (int)count);
    *call->count = kept;
    return cudaSuccess;
}

static cudaError_t BENCH(reference_compact)(const bench_call *call)
{
    const BENCH_IN_T *in = (const BENCH_IN_T *)call->in;
    size_t i, kept = 0;

    for (i = 0; i < call->n; i++)
        if (bench_keep(in[i]))
            ((BENCH_IN_T *)call->out)[kept++] = in[i];
    *call->count = kept;
    return cudaSuccess;
}

BENCH_CUB_FUNCTION(cub_compact); /* bench_compact_cub.h */

static const bench_entry BENCH(compact_entries)[] = {
    {"gpuprims", 0, BENCH(run_compact), BENCH(compact_workspace_bytes)},
#ifdef BENCH_SIMPLE
    {"gpuprims_simple", 0, BENCH(run_simple), BENCH(simple_compact_workspace_bytes)},
#endif
    BENCH_CUB_ENTRIES("CUB", ENTRY_CUB, cub_compact)
    {"cpu", ENTRY_HOST, BENCH(run_cpu), NULL},
    {"cpu_with_scan", ENTRY_HOST, BENCH(run_cpu_with_scan), NULL},
    {"cpu_threads", ENTRY_HOST, BENCH(run_cpu_threads), BENCH(room_bytes)},
};

/* ---- the other functions ---- */

#ifdef BENCH_ALL

static cudaError_t BENCH(run_flagged)(const bench_call *call)
{
    return BENCH(compact_flagged)((const BENCH_IN_T *)call->in, call->flags,
                                  (BENCH_IN_T *)call->out, call->n, BENCH_TRAILING);
}

static cudaError_t BENCH(reference_flagged)(const bench_call *call)
{
    const BENCH_IN_T *in = (const BENCH_IN_T *)call->in;
    size_t i, kept = 0;

    for (i = 0; i < call->n; i++)
        if (call->flags[i])
            ((BENCH_IN_T *)call->out)[kept++] = in[i];
    *call->count = kept;
    return cudaSuccess;
}

static cudaError_t BENCH(run_indices)(const bench_call *call)
{
    return BENCH(compact_indices)((const BENCH_IN_T *)call->in, (size_t *)call->out, call->n,
                                  BENCH_TRAILING);
}

static cudaError_t BENCH(reference_indices)(const bench_call *call)
{
    const BENCH_IN_T *in = (const BENCH_IN_T *)call->in;
    size_t i, kept = 0;

    for (i = 0; i < call->n; i++)
        if (bench_keep(in[i]))
            ((size_t *)call->out)[kept++] = i;
    *call->count = kept;
    return cudaSuccess;
}

static cudaError_t BENCH(run_partition)(const bench_call *call)
{
    return BENCH(partition)(BENCH_ARGUMENTS, BENCH_TRAILING);
}

static cudaError_t BENCH(reference_partition)(const bench_call *call)
{
    const BENCH_IN_T *in = (const BENCH_IN_T *)call->in;
    BENCH_IN_T *out = (BENCH_IN_T *)call->out;
    size_t i, kept = 0;

    for (i = 0; i < call->n; i++)
        if (bench_keep(in[i]))
            out[kept++] = in[i];
        else
            out[call->n - 1 - (i - kept)] = in[i];
    *call->count = kept;
    return cudaSuccess;
}

static cudaError_t BENCH(run_partition_stable)(const bench_call *call)
{
    return BENCH(partition_stable)(BENCH_ARGUMENTS, BENCH_TRAILING);
}

static cudaError_t BENCH(reference_partition_stable)(const bench_call *call)
{
    const BENCH_IN_T *in = (const BENCH_IN_T *)call->in;
    size_t i, to;

    BENCH(reference_compact)(call);
    for (i = 0, to = *call->count; i < call->n; i++)
        if (!bench_keep(in[i]))
            ((BENCH_IN_T *)call->out)[to++] = in[i];
    return cudaSuccess;
}

BENCH_CUB_FUNCTION(cub_flagged);
BENCH_CUB_FUNCTION(cub_indices);
BENCH_CUB_FUNCTION(cub_partition);

static const bench_entry BENCH(flagged_entries)[] = {
    {"gpuprims", 0, BENCH(run_flagged), BENCH(compact_flagged_workspace_bytes)},
    BENCH_CUB_ENTRIES("CUB", ENTRY_CUB, cub_flagged)
};

static const bench_entry BENCH(indices_entries)[] = {
    {"gpuprims", 0, BENCH(run_indices), BENCH(compact_indices_workspace_bytes)},
    BENCH_CUB_ENTRIES("CUB", ENTRY_CUB, cub_indices)
};

static const bench_entry BENCH(partition_entries)[] = {
    {"gpuprims", 0, BENCH(run_partition), BENCH(partition_workspace_bytes)},
    BENCH_CUB_ENTRIES("CUB", ENTRY_CUB, cub_partition)
};

static const bench_entry BENCH(partition_stable_entries)[] = {
    {"gpuprims", 0, BENCH(run_partition_stable), BENCH(partition_stable_workspace_bytes)},
    /* CUB has none that is stable on both sides. */
    BENCH_CUB_ENTRIES("CUB", ENTRY_CUB | ENTRY_KEPT_ONLY, cub_partition)
};

#endif

/* ---- the groups ---- */

/* clang-format off */
#define BENCH_GROUP(primitive, result, low_bit, flags, out, what, more)                          \
    {primitive, BENCH_TEXT(BENCH_TYPE), BENCH_JOIN(BENCH_ELEMENT_, BENCH_IN), out, result,       \
     low_bit, flags, 0, 0, BENCH(reference_##what), BENCH(what##_entries),                       \
     BENCH_COUNT(BENCH(what##_entries)), more}
#define BENCH_SAME BENCH_JOIN(BENCH_ELEMENT_, BENCH_IN)
/* clang-format on */

static const bench_group BENCH(groups)[] = {
    BENCH_GROUP(BENCH_TEXT(BENCH_PRIMITIVE), RESULT_COUNTED, LOW_BIT_AS_IS, 0, BENCH_SAME, compact,
                BENCH_MORE),
#ifdef BENCH_ALL
    BENCH_GROUP("compact_none", RESULT_COUNTED, LOW_BIT_CLEAR, 0, BENCH_SAME, compact, NULL),
    BENCH_GROUP("compact_all", RESULT_COUNTED, LOW_BIT_SET, 0, BENCH_SAME, compact, NULL),
    BENCH_GROUP("compact_rare", RESULT_COUNTED, LOW_BIT_RARE, 0, BENCH_SAME, compact, NULL),
    BENCH_GROUP("compact_flagged", RESULT_COUNTED, LOW_BIT_AS_IS, 1, BENCH_SAME, flagged, NULL),
    BENCH_GROUP("compact_indices", RESULT_COUNTED, LOW_BIT_AS_IS, 0, BENCH_ELEMENT_u64, indices,
                NULL),
    BENCH_GROUP("partition", RESULT_COUNTED_N, LOW_BIT_AS_IS, 0, BENCH_SAME, partition, NULL),
    BENCH_GROUP("partition_stable", RESULT_COUNTED_N, LOW_BIT_AS_IS, 0, BENCH_SAME,
                partition_stable, NULL),
#endif
};

extern const bench_instance BENCH(instance);
const bench_instance BENCH(instance) = {BENCH(groups), BENCH_COUNT(BENCH(groups))};
