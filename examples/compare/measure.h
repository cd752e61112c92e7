/* measure.h: run one implementation, time it and check its result. */
#ifndef COMPARE_MEASURE_H
#define COMPARE_MEASURE_H

#include <gpuprims/gpuprims.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "element.h"
#include "options.h"
#include "reference.h"
#include "report.h"
#include "table.h"

/* Elements behind every result that nobody may write to, and the byte that they are filled with. */
enum { GUARD = 64, GUARD_BYTE = 0xa5 };

typedef struct bench {
    const compare_options *options;
    int threads;
    void *host_out; /* room for the longest result and the guard */
    void *device_in, *device_out;
    size_t *device_count;
    cudaStream_t stream;
    cudaEvent_t start, stop;
    double *kernel_ms, *end_to_end_ms; /* one per repetition */
} bench;

/* One run to be made. */
typedef struct job {
    const implementation *what;
    const section *group;
    const void *in; /* on the host */
    size_t n;
    const reference *expected;
} job;

static inline void device_require(cudaError_t status, const char *what, size_t bytes)
{
    if (status != cudaSuccess)
        quit(EXIT_USAGE, "cannot get %s (%zu bytes) from the device: %s", what, bytes,
             cudaGetErrorString(status));
}

static inline void bench_open(bench *b, const compare_options *options, size_t n)
{
    size_t bytes = n * ELEMENT_BYTES;
    size_t guarded = (n + GUARD) * ELEMENT_BYTES;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    b->options = options;
    b->threads = processors < 1 ? 1 : processors > 256 ? 256 : (int)processors;
    b->host_out = allocate(guarded);
    b->kernel_ms = (double *)allocate((size_t)options->repeat * sizeof(double));
    b->end_to_end_ms = (double *)allocate((size_t)options->repeat * sizeof(double));
    device_require(cudaMalloc(&b->device_in, bytes), "an input array", bytes);
    device_require(cudaMalloc(&b->device_out, guarded), "a result array", guarded);
    device_require(cudaMalloc((void **)&b->device_count, sizeof(size_t)), "a counter",
                   sizeof(size_t));
    device_require(cudaStreamCreate(&b->stream), "a stream", 0);
    device_require(cudaEventCreate(&b->start), "an event", 0);
    device_require(cudaEventCreate(&b->stop), "an event", 0);
}

static inline void bench_close(bench *b)
{
    cudaEventDestroy(b->stop);
    cudaEventDestroy(b->start);
    cudaStreamDestroy(b->stream);
    cudaFree(b->device_count);
    cudaFree(b->device_out);
    cudaFree(b->device_in);
    free(b->end_to_end_ms);
    free(b->kernel_ms);
    free(b->host_out);
}

static inline int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* Nothing but the n elements that may hold a result has been touched? host_out has the guard. */
static inline verdict guard_check(const bench *b, size_t n)
{
    const unsigned char *bytes = (const unsigned char *)b->host_out;
    verdict found = {VERDICT_PASSED, 0, 0, 0, 0};
    size_t i;
    for (i = n * ELEMENT_BYTES; i < (n + GUARD) * ELEMENT_BYTES; i++)
        if (bytes[i] != GUARD_BYTE) {
            found.kind = VERDICT_PAST_END;
            found.index = i / ELEMENT_BYTES;
            break;
        }
    return found;
}

static inline verdict result_check(const bench *b, const job *j, size_t count)
{
    verdict found = reference_compare(j->expected, b->options->type, j->n,
                                      j->what->sums == FOLD_SERIAL, b->host_out, count);
    return found.kind != VERDICT_PASSED ? found : guard_check(b, j->n);
}

static inline runner_call call_prepare(const bench *b, const job *j)
{
    runner_call call;
    memset(&call, 0, sizeof call);
    call.n = j->n;
    call.threads = b->threads;
    call.classic.block_threads = b->options->block;
    call.classic.compact_threads = j->what->options & ACTIVE_THREADS ? 1 : 0;
    call.classic.conflict_free = j->what->options & PADDED_BANKS ? 1 : 0;
    call.stream = b->stream;
    return call;
}

/* ---- CPU implementations ---- */

static inline cudaError_t run_on_host(bench *b, const job *j, outcome *run)
{
    runner *function = j->what->run[element_kernel(b->options->type)];
    runner_call call = call_prepare(b, j);
    size_t count;
    int i;
    call.in = j->in;
    call.out = b->host_out;
    call.count = &count;
    for (i = 0; i < b->options->repeat && run->result.kind == VERDICT_PASSED; i++) {
        double started;
        cudaError_t status;
        memset(b->host_out, GUARD_BYTE, (j->n + GUARD) * ELEMENT_BYTES);
        count = j->expected->count;
        started = clock_seconds();
        status = function(&call);
        b->kernel_ms[i] = (clock_seconds() - started) * 1000;
        b->end_to_end_ms[i] = b->kernel_ms[i];
        if (status != cudaSuccess)
            return status;
        run->result = result_check(b, j, count);
    }
    run->kernel_ms = median(b->kernel_ms, i);
    run->end_to_end_ms = median(b->end_to_end_ms, i);
    return cudaSuccess;
}

/* ---- device implementations ---- */

#define RETURN_IF_ERROR(call)                        \
    do {                                             \
        cudaError_t return_if_error_status = (call); \
        if (return_if_error_status != cudaSuccess)   \
            return return_if_error_status;           \
    } while (0)

/* Copies in, runs, copies out; the whole under the host clock and the run alone between two events.
 * *count is how long the result is said to be. */
static inline cudaError_t device_run_once(bench *b, const job *j, const runner_call *call,
                                          size_t *count, double *kernel_ms, double *end_to_end_ms)
{
    runner *function = j->what->run[element_kernel(b->options->type)];
    size_t copied = j->expected->count;
    double started = clock_seconds();
    float elapsed;
    RETURN_IF_ERROR(cudaMemcpyAsync(b->device_in, j->in, j->n * ELEMENT_BYTES,
                                    cudaMemcpyHostToDevice, b->stream));
    RETURN_IF_ERROR(cudaEventRecord(b->start, b->stream));
    RETURN_IF_ERROR(function(call));
    RETURN_IF_ERROR(cudaEventRecord(b->stop, b->stream));
    *count = copied;
    if (j->group->has_count) {
        /* The host cannot know how much to copy before it has seen the count. */
        RETURN_IF_ERROR(cudaMemcpyAsync(count, b->device_count, sizeof *count,
                                        cudaMemcpyDeviceToHost, b->stream));
        RETURN_IF_ERROR(cudaStreamSynchronize(b->stream));
        copied = *count < j->n ? *count : j->n; /* a wrong count must not overrun host_out */
    }
    RETURN_IF_ERROR(cudaMemcpyAsync(b->host_out, b->device_out, copied * ELEMENT_BYTES,
                                    cudaMemcpyDeviceToHost, b->stream));
    RETURN_IF_ERROR(cudaStreamSynchronize(b->stream));
    *end_to_end_ms = (clock_seconds() - started) * 1000;
    RETURN_IF_ERROR(cudaEventElapsedTime(&elapsed, b->start, b->stop));
    *kernel_ms = (double)elapsed;
    return cudaSuccess;
}

/* So that nothing of an earlier result can pass for this one's. */
static inline cudaError_t device_wipe(bench *b, const job *j)
{
    size_t bytes = (j->n + GUARD) * ELEMENT_BYTES;
    RETURN_IF_ERROR(cudaMemsetAsync(b->device_out, GUARD_BYTE, bytes, b->stream));
    RETURN_IF_ERROR(
        cudaMemsetAsync(b->device_count, GUARD_BYTE, sizeof *b->device_count, b->stream));
    return cudaStreamSynchronize(b->stream);
}

static inline cudaError_t device_fetch_guard(bench *b, const job *j)
{
    size_t offset = j->n * ELEMENT_BYTES;
    RETURN_IF_ERROR(cudaMemcpyAsync((char *)b->host_out + offset, (char *)b->device_out + offset,
                                    GUARD * ELEMENT_BYTES, cudaMemcpyDeviceToHost, b->stream));
    return cudaStreamSynchronize(b->stream);
}

static inline cudaError_t device_repeat(bench *b, const job *j, const runner_call *call,
                                        outcome *run)
{
    size_t count;
    int i;
#ifdef __CUDACC__
    /* The first launch of a kernel loads it, which is no part of its speed. */
    RETURN_IF_ERROR(device_run_once(b, j, call, &count, b->kernel_ms, b->end_to_end_ms));
#endif
    for (i = 0; i < b->options->repeat && run->result.kind == VERDICT_PASSED; i++) {
        RETURN_IF_ERROR(device_wipe(b, j));
        RETURN_IF_ERROR(
            device_run_once(b, j, call, &count, &b->kernel_ms[i], &b->end_to_end_ms[i]));
        RETURN_IF_ERROR(device_fetch_guard(b, j));
        run->result = result_check(b, j, count);
    }
    run->kernel_ms = median(b->kernel_ms, i);
    run->end_to_end_ms = median(b->end_to_end_ms, i);
    return cudaSuccess;
}

/* Scratch memory is allocated here and kept over all repetitions, so that no timer sees it. */
static inline cudaError_t run_on_device(bench *b, const job *j, outcome *run)
{
    runner_scratch *scratch_bytes = j->what->scratch[element_kernel(b->options->type)];
    runner_call call = call_prepare(b, j);
    gp_workspace ws = GP_WORKSPACE_INIT;
    cudaError_t status = cudaSuccess;
    call.in = b->device_in;
    call.out = b->device_out;
    call.count = b->device_count;
    call.ws = &ws;
    if (scratch_bytes != NULL) {
        call.scratch_bytes = scratch_bytes(j->n);
        if (call.scratch_bytes == 0)
            call.scratch_bytes = 1; /* some calls take NULL for a question */
        RETURN_IF_ERROR(cudaMalloc(&call.scratch, call.scratch_bytes));
        status = gp_workspace_wrap(&ws, call.scratch, call.scratch_bytes, b->stream);
    }
    if (status == cudaSuccess)
        status = device_repeat(b, j, &call, run);
    gp_workspace_release(&ws, b->stream);
    cudaStreamSynchronize(b->stream);
    cudaFree(call.scratch);
    return status;
}

/* ---- both ---- */

static inline outcome job_run(bench *b, const job *j)
{
    outcome run;
    cudaError_t status;
    memset(&run, 0, sizeof run);
    run.result.kind = VERDICT_PASSED;
    if (j->what->where == ON_HOST) {
        run.clock = "host clock";
        status = run_on_host(b, j, &run);
    } else {
#ifdef __CUDACC__
        run.clock = "CUDA events";
#else
        run.clock = "CPU backend";
#endif
        status = run_on_device(b, j, &run);
    }
    if (status != cudaSuccess) {
        const char *sentence = gp_last_error_message();
        run.result.kind = VERDICT_CUDA_ERROR;
        run.error_name = cudaGetErrorName(status);
        /* The library explains refused arguments; CUDA explains the rest. */
        run.error_text = status == cudaErrorInvalidValue && sentence != NULL && sentence[0] != '\0'
                             ? sentence
                             : cudaGetErrorString(status);
        (void)cudaGetLastError(); /* or the next run would be blamed for it */
    }
    return run;
}

#endif
