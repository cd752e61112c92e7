/* runners.h: one function per implementation, all of one shape, stamped out for one element type.
 *
 *     #define RUNNERS_NAME i32      prefix of the library's functions and of the runners
 *     #define RUNNERS_TYPE int      element type
 *     #include "runners.h"
 *
 * generates RUNNERS_NAME_run_*. No include guard: it is included once per element type, just like
 * the library's headers that it includes. table.h lists the runners.
 */
#ifndef COMPARE_RUNNERS_ONCE
#define COMPARE_RUNNERS_ONCE

#include <gpuprims/gpuprims.h>

/* What a runner gets. On the host all pointers are host pointers, on the device device pointers.
 * `count` is where compaction puts the length of its result. */
typedef struct runner_call {
    const void *in;
    void *out;
    size_t n;
    size_t *count;
    int threads;                /* of CPU implementations */
    gp_classic_options classic; /* of the classic ladder */
    gp_workspace *ws;           /* scratch memory as the library's handle ... */
    void *scratch;              /* ... and as the bare pointer that CUB takes */
    size_t scratch_bytes;
    cudaStream_t stream;
} runner_call;

typedef cudaError_t runner(const runner_call *call);

/* How many bytes of scratch memory a runner needs. */
typedef size_t runner_scratch(size_t n);

#define RUNNERS_JOIN2(a, b) a##_##b
#define RUNNERS_JOIN(a, b) RUNNERS_JOIN2(a, b)

#endif

#define RUNNERS(function) RUNNERS_JOIN(RUNNERS_NAME, function)

#define GP_NAME RUNNERS_NAME
#define GP_TYPE RUNNERS_TYPE
#include <gpuprims/scan.cuh>

#define GP_NAME RUNNERS_NAME
#define GP_TYPE RUNNERS_TYPE
#include <gpuprims/classic/naive_scan.cuh>

#define GP_NAME RUNNERS_NAME
#define GP_TYPE RUNNERS_TYPE
#include <gpuprims/classic/work_efficient_scan.cuh>

#define GP_NAME RUNNERS_NAME
#define GP_TYPE RUNNERS_TYPE
#include <gpuprims/classic/shared_scan.cuh>

#define GP_NAME RUNNERS_NAME
#define GP_TYPE RUNNERS_TYPE
#include <gpuprims/classic/shuffle_scan.cuh>

#define GP_NAME RUNNERS_NAME
#define GP_TYPE RUNNERS_TYPE
#include <gpuprims/host/cpu_scan.h>

#define GP_NAME RUNNERS_NAME
#define GP_TYPE RUNNERS_TYPE
#define GP_PRED(x) ((x) != 0)
#include <gpuprims/classic/map_scan_scatter.cuh>

#define GP_NAME RUNNERS_NAME
#define GP_TYPE RUNNERS_TYPE
#define GP_PRED(x) ((x) != 0)
#include <gpuprims/compact.cuh>

#define GP_NAME RUNNERS_NAME
#define GP_TYPE RUNNERS_TYPE
#define GP_PRED(x) ((x) != 0)
#include <gpuprims/host/cpu_compact.h>

#ifdef __CUDACC__
#include "compare_cub.h"
#endif

/* ---- scan ---- */

static inline cudaError_t RUNNERS(run_cpu_scan)(const runner_call *call)
{
    RUNNERS(cpu_exclusive_scan)
    ((const RUNNERS_TYPE *)call->in, (RUNNERS_TYPE *)call->out, call->n);
    return cudaSuccess;
}

static inline cudaError_t RUNNERS(run_cpu_threads_scan)(const runner_call *call)
{
    RUNNERS(cpu_parallel_exclusive_scan)
    ((const RUNNERS_TYPE *)call->in, (RUNNERS_TYPE *)call->out, call->n, call->threads);
    return cudaSuccess;
}

static inline cudaError_t RUNNERS(run_naive_scan)(const runner_call *call)
{
    return RUNNERS(naive_exclusive_scan)((const RUNNERS_TYPE *)call->in, (RUNNERS_TYPE *)call->out,
                                         call->n, &call->classic, call->ws, call->stream);
}

static inline cudaError_t RUNNERS(run_work_efficient_scan)(const runner_call *call)
{
    return RUNNERS(work_efficient_exclusive_scan)((const RUNNERS_TYPE *)call->in,
                                                  (RUNNERS_TYPE *)call->out, call->n,
                                                  &call->classic, call->ws, call->stream);
}

static inline cudaError_t RUNNERS(run_shared_scan)(const runner_call *call)
{
    return RUNNERS(shared_exclusive_scan)((const RUNNERS_TYPE *)call->in, (RUNNERS_TYPE *)call->out,
                                          call->n, &call->classic, call->ws, call->stream);
}

static inline cudaError_t RUNNERS(run_shuffle_scan)(const runner_call *call)
{
    return RUNNERS(shuffle_exclusive_scan)((const RUNNERS_TYPE *)call->in,
                                           (RUNNERS_TYPE *)call->out, call->n, &call->classic,
                                           call->ws, call->stream);
}

static inline cudaError_t RUNNERS(run_scan)(const runner_call *call)
{
    return RUNNERS(exclusive_scan)((const RUNNERS_TYPE *)call->in, (RUNNERS_TYPE *)call->out,
                                   call->n, call->ws, call->stream);
}

/* ---- stream compaction ---- */

static inline cudaError_t RUNNERS(run_cpu_compact)(const runner_call *call)
{
    *call->count =
        RUNNERS(cpu_compact)((const RUNNERS_TYPE *)call->in, (RUNNERS_TYPE *)call->out, call->n);
    return cudaSuccess;
}

static inline cudaError_t RUNNERS(run_cpu_compact_with_scan)(const runner_call *call)
{
    *call->count = RUNNERS(cpu_compact_with_scan)((const RUNNERS_TYPE *)call->in,
                                                  (RUNNERS_TYPE *)call->out, call->n);
    return cudaSuccess;
}

static inline cudaError_t RUNNERS(run_naive_compact)(const runner_call *call)
{
    return RUNNERS(naive_compact)((const RUNNERS_TYPE *)call->in, (RUNNERS_TYPE *)call->out,
                                  call->n, call->count, &call->classic, call->ws, call->stream);
}

static inline cudaError_t RUNNERS(run_work_efficient_compact)(const runner_call *call)
{
    return RUNNERS(work_efficient_compact)((const RUNNERS_TYPE *)call->in,
                                           (RUNNERS_TYPE *)call->out, call->n, call->count,
                                           &call->classic, call->ws, call->stream);
}

static inline cudaError_t RUNNERS(run_shared_compact)(const runner_call *call)
{
    return RUNNERS(shared_compact)((const RUNNERS_TYPE *)call->in, (RUNNERS_TYPE *)call->out,
                                   call->n, call->count, &call->classic, call->ws, call->stream);
}

static inline cudaError_t RUNNERS(run_shuffle_compact)(const runner_call *call)
{
    return RUNNERS(shuffle_compact)((const RUNNERS_TYPE *)call->in, (RUNNERS_TYPE *)call->out,
                                    call->n, call->count, &call->classic, call->ws, call->stream);
}

static inline cudaError_t RUNNERS(run_compact)(const runner_call *call)
{
    return RUNNERS(compact)((const RUNNERS_TYPE *)call->in, (RUNNERS_TYPE *)call->out, call->n,
                            call->count, call->ws, call->stream);
}

/* ---- CUB ---- */

#ifdef __CUDACC__

static inline size_t RUNNERS(cub_scan_scratch)(size_t n)
{
    size_t bytes = 0;
    RUNNERS(compare_cub_exclusive_scan)(NULL, NULL, n, NULL, &bytes, (cudaStream_t)0);
    return bytes;
}

static inline cudaError_t RUNNERS(run_cub_scan)(const runner_call *call)
{
    size_t bytes = call->scratch_bytes;
    return RUNNERS(compare_cub_exclusive_scan)((const RUNNERS_TYPE *)call->in,
                                               (RUNNERS_TYPE *)call->out, call->n, call->scratch,
                                               &bytes, call->stream);
}

static inline size_t RUNNERS(cub_compact_scratch)(size_t n)
{
    size_t bytes = 0;
    RUNNERS(compare_cub_compact)(NULL, NULL, n, NULL, NULL, &bytes, (cudaStream_t)0);
    return bytes;
}

static inline cudaError_t RUNNERS(run_cub_compact)(const runner_call *call)
{
    size_t bytes = call->scratch_bytes;
    return RUNNERS(compare_cub_compact)((const RUNNERS_TYPE *)call->in, (RUNNERS_TYPE *)call->out,
                                        call->n, call->count, call->scratch, &bytes, call->stream);
}

#endif

#ifdef COMPARE_PLANTED
#include "planted.h"
#endif

#undef RUNNERS
#undef RUNNERS_NAME
#undef RUNNERS_TYPE
