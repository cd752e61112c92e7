/* planted.h: implementations that are wrong on purpose, each in one way. A build with
 * -DCOMPARE_PLANTED has them, and the test of this program demands that it finds them out.
 * Included by runners.h, once per element type. */

enum { RUNNERS(planted_index) = 10 };

/* A right scan, but for one value. */
static inline cudaError_t RUNNERS(run_planted_value)(const runner_call *call)
{
    RUNNERS_TYPE *out = (RUNNERS_TYPE *)call->out;
    RUNNERS(run_cpu_scan)(call);
    out[RUNNERS(planted_index)] = (RUNNERS_TYPE)(1 + 1.001 * out[RUNNERS(planted_index)]);
    return cudaSuccess;
}

/* A right scan that writes one element more. */
static inline cudaError_t RUNNERS(run_planted_overrun)(const runner_call *call)
{
    RUNNERS(run_cpu_scan)(call);
    ((RUNNERS_TYPE *)call->out)[call->n] = 0;
    return cudaSuccess;
}

/* Nothing but an error. */
static inline cudaError_t RUNNERS(run_planted_error)(const runner_call *call)
{
    (void)call;
    return cudaErrorInvalidValue;
}

/* Success without any work: the result of the run before must not count as this one's. */
static inline cudaError_t RUNNERS(run_planted_idle)(const runner_call *call)
{
    (void)call;
    return cudaSuccess;
}

/* A right compaction that forgets the last value that it keeps. */
static inline cudaError_t RUNNERS(run_planted_count)(const runner_call *call)
{
    RUNNERS(run_cpu_compact)(call);
    *call->count -= 1;
    return cudaSuccess;
}

/* A count that no result can have. */
static inline cudaError_t RUNNERS(run_planted_huge_count)(const runner_call *call)
{
    RUNNERS(run_cpu_compact)(call);
    *call->count = (size_t)-1;
    return cudaSuccess;
}
