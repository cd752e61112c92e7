/* bench_scan.h: one instance of scan.cuh. Stamped by tests/benchmark/meson.build.
 *
 * Parameters: BENCH_INSTANCE, BENCH_PRIMITIVE, BENCH_TYPE (a label), and those of
 * bench_operators.h. A maximum is scanned inclusively, everything else exclusively. BENCH_CLASSIC:
 * with the rungs. BENCH_SIMPLE: with the kernel of GPUs that have no bulk copies.
 */
#include "bench_operators.h"

#if BENCH_OP == BENCH_SUM
#define BENCH_OPERATOR GP_SUM
#elif BENCH_OP == BENCH_MAX
#define BENCH_OPERATOR GP_MAX
#endif

#define GP_NAME       BENCH_INSTANCE
#define GP_TYPE       BENCH_OUT_T
#define GP_INPUT_TYPE BENCH_IN_T
#ifdef BENCH_OPERATOR
#define GP_OP BENCH_OPERATOR
#else
#define GP_OP(a, b) BENCH_COMBINE(a, b)
#define GP_IDENTITY BENCH_IDENTITY
#endif
#include <gpuprims/scan.cuh>

#define GP_NAME       BENCH_INSTANCE
#define GP_TYPE       BENCH_OUT_T
#define GP_INPUT_TYPE BENCH_IN_T
#ifdef BENCH_OPERATOR
#define GP_OP BENCH_OPERATOR
#else
#define GP_OP(a, b) BENCH_COMBINE(a, b)
#define GP_IDENTITY BENCH_IDENTITY
#endif
#include <gpuprims/host/cpu_scan.h>

#ifdef BENCH_SIMPLE
#define GP_NAME   BENCH(simple)
#define GP_TYPE   BENCH_OUT_T
#define GP_KERNEL GP_KERNEL_SIMPLE
#include <gpuprims/scan.cuh>
#endif

#if BENCH_OP == BENCH_MAX
#define BENCH_SCAN(prefix) BENCH(prefix##inclusive_scan)
#define BENCH_SCAN_BYTES   BENCH(inclusive_scan_workspace_bytes)
#else
#define BENCH_SCAN(prefix) BENCH(prefix##exclusive_scan)
#define BENCH_SCAN_BYTES   BENCH(exclusive_scan_workspace_bytes)
#endif

static cudaError_t BENCH(run)(const bench_call *call)
{
    return BENCH_SCAN()((const BENCH_IN_T *)call->in, (BENCH_OUT_T *)call->out, call->n, call->ws,
                        call->stream);
}

#ifdef BENCH_SIMPLE
static cudaError_t BENCH(run_simple)(const bench_call *call)
{
    return BENCH_SCAN(simple_)((const BENCH_IN_T *)call->in, (BENCH_OUT_T *)call->out, call->n, call->ws,
                             call->stream);
}
#endif

static cudaError_t BENCH(run_cpu)(const bench_call *call)
{
    BENCH_SCAN(cpu_)((const BENCH_IN_T *)call->in, (BENCH_OUT_T *)call->out, call->n);
    return cudaSuccess;
}

#if BENCH_OP != BENCH_MAX
static cudaError_t BENCH(run_cpu_threads)(const bench_call *call)
{
    BENCH(cpu_parallel_exclusive_scan)
    ((const BENCH_IN_T *)call->in, (BENCH_OUT_T *)call->out, call->n, 0);
    return cudaSuccess;
}
#endif

/* Floats are added in long double and rounded once, so that the reference is right to half a unit.
 */
static cudaError_t BENCH(reference)(const bench_call *call)
{
    const BENCH_IN_T *in = (const BENCH_IN_T *)call->in;
    BENCH_OUT_T *out = (BENCH_OUT_T *)call->out;
    size_t i;
#if BENCH_OP == BENCH_SUM && defined BENCH_ROUNDS
    long double sum = 0;
#elif defined BENCH_OPERATOR
    BENCH_OUT_T sum = 0;
#else
    BENCH_OUT_T sum = BENCH_IDENTITY;
#endif

    for (i = 0; i < call->n; i++) {
#if BENCH_OP == BENCH_MAX
        if (i == 0 || in[i] > sum)
            sum = in[i];
        out[i] = sum;
#else
        out[i] = (BENCH_OUT_T)sum;
#if BENCH_OP == BENCH_SUM
        sum += in[i];
#else
        sum = BENCH_COMBINE(sum, in[i]);
#endif
#endif
    }
    return cudaSuccess;
}

BENCH_CUB_FUNCTION(run_cub); /* bench_scan_cub.h */
BENCH_CUB_FUNCTION(run_cub_functor);

static const bench_entry BENCH(entries)[] = {
    {"gpuprims", 0, BENCH(run), BENCH_SCAN_BYTES},
#ifdef BENCH_SIMPLE
    {"gpuprims_simple", 0, BENCH(run_simple), BENCH(simple_exclusive_scan_workspace_bytes)},
#endif
    BENCH_CUB_ENTRIES("CUB", ENTRY_CUB, run_cub)
#if BENCH_OP == BENCH_MAX
    BENCH_CUB_ENTRIES("CUB_functor", ENTRY_CUB, run_cub_functor)
#endif
    {"cpu", ENTRY_HOST | ENTRY_SERIAL, BENCH(run_cpu), NULL},
#if BENCH_OP != BENCH_MAX
    {"cpu_threads", ENTRY_HOST | ENTRY_SERIAL, BENCH(run_cpu_threads), NULL},
#endif
};

#include "bench_one_group.h"
