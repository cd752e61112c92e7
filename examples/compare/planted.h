/* planted.h: implementations that are wrong on purpose, each in one way. A build with -DCOMPARE_PLANTED has them, and
 * the test of this program demands that it finds them out. Stamped for an element label, BENCH_IN.
 */
#include "bench.h"

typedef BENCH_T(BENCH_IN) BENCH_IN_T;

enum { BENCH(index) = 10 };

static void BENCH(scan)(const bench_call *call)
{
    const BENCH_IN_T *in = (const BENCH_IN_T *)call->in;
    BENCH_IN_T *out = (BENCH_IN_T *)call->out, sum = 0;

    for (size_t i = 0; i < call->n; i++) {
        out[i] = sum;
        sum += in[i];
    }
}

/* A right scan, but for one value. */
static cudaError_t BENCH(value)(const bench_call *call)
{
    BENCH_IN_T *out = (BENCH_IN_T *)call->out;

    BENCH(scan)(call);
    out[BENCH(index)] = (BENCH_IN_T)(1 + 1.001 * out[BENCH(index)]);
    return cudaSuccess;
}

/* A right scan that writes one element more. */
static cudaError_t BENCH(overrun)(const bench_call *call)
{
    BENCH(scan)(call);
    ((BENCH_IN_T *)call->out)[call->n] = 0;
    return cudaSuccess;
}

/* Nothing but an error. */
static cudaError_t BENCH(error)(const bench_call *call)
{
    (void)call;
    return cudaErrorInvalidValue;
}

/* Success without any work: the result of the run before must not count as this one's. */
static cudaError_t BENCH(idle)(const bench_call *call)
{
    (void)call;
    return cudaSuccess;
}

static void BENCH(compact)(const bench_call *call)
{
    const BENCH_IN_T *in = (const BENCH_IN_T *)call->in;

    *call->count = 0;
    for (size_t i = 0; i < call->n; i++)
        if (in[i] != 0)
            ((BENCH_IN_T *)call->out)[(*call->count)++] = in[i];
}

/* A right compaction that forgets the last value that it keeps. */
static cudaError_t BENCH(count)(const bench_call *call)
{
    BENCH(compact)(call);
    *call->count -= 1;
    return cudaSuccess;
}

/* A count that no result can have. */
static cudaError_t BENCH(huge_count)(const bench_call *call)
{
    BENCH(compact)(call);
    *call->count = (size_t)-1;
    return cudaSuccess;
}

static const bench_entry BENCH(entries)[] = {
    {"value", ENTRY_HOST, BENCH(value), NULL},
    {"overrun", ENTRY_HOST | ENTRY_SERIAL, BENCH(overrun), NULL},
    {"host error", ENTRY_HOST, BENCH(error), NULL},
    {"device error", 0, BENCH(error), NULL},
    {"idle scan", 0, BENCH(idle), NULL},
    {"idle compact", 0, BENCH(idle), NULL},
    {"count", ENTRY_HOST, BENCH(count), NULL},
    {"huge count", ENTRY_HOST, BENCH(huge_count), NULL},
};

static cudaError_t BENCH(reference)(const bench_call *call)
{
    BENCH(scan)(call);
    return cudaSuccess;
}

#include "bench_one_group.h"
