/* bench_planted.h: for each kind of result something that is right, and some that are each wrong in
 * one way. They are no part of gpbench but of gpbench_planted, in which the test demands that they
 * are found out.
 */
#include <stdlib.h>
#include <time.h>

#include "bench.h"

static cudaError_t right(const bench_call *call)
{
    const uint32_t *in = (const uint32_t *)call->in;
    uint32_t *out = (uint32_t *)call->out, sum = 0;
    size_t i;

    for (i = 0; i < call->n; i++) {
        out[i] = sum;
        sum += in[i];
    }
    return cudaSuccess;
}

/* One value, in the middle. */
static cudaError_t wrong_value(const bench_call *call)
{
    right(call);
    ((uint32_t *)call->out)[call->n / 2] ^= 1;
    return cudaSuccess;
}

static cudaError_t wrong_last(const bench_call *call)
{
    right(call);
    ((uint32_t *)call->out)[call->n - 1] += 256;
    return cudaSuccess;
}

static cudaError_t overrun(const bench_call *call)
{
    right(call);
    ((uint32_t *)call->out)[call->n] = 0;
    return cudaSuccess;
}

static cudaError_t underrun(const bench_call *call)
{
    right(call);
    ((uint32_t *)call->out)[-1] = 0;
    return cudaSuccess;
}

/* What an earlier run left must not pass for this one's. */
static cudaError_t idle(const bench_call *call)
{
    (void)call;
    return cudaSuccess;
}

/* Of the first data that it saw: right as long as they stay. */
static cudaError_t stale(const bench_call *call)
{
    static uint32_t first[1000];
    static size_t seen;
    bench_call old = *call;

    if (call->n > BENCH_COUNT(first))
        return cudaErrorInvalidValue;
    if (seen != call->n)
        memcpy(first, call->in, call->n * sizeof *first);
    seen = call->n;
    old.in = first;
    return right(&old);
}

static cudaError_t failing(const bench_call *call)
{
    (void)call;
    return cudaErrorInvalidValue;
}

/* Right until it has been called often, as a kept workspace may go stale. */
static cudaError_t wrong_later(const bench_call *call)
{
    static int calls;

    return ++calls < 4 ? right(call) : wrong_value(call);
}

static const bench_entry entries[] = {
    {"right", 0, right, NULL},       {"wrong_value", 0, wrong_value, NULL},
    {"overrun", 0, overrun, NULL},   {"wrong_last", 0, wrong_last, NULL},
    {"underrun", 0, underrun, NULL}, {"wrong_later", 0, wrong_later, NULL},
    {"idle", 0, idle, NULL},         {"failing", 0, failing, NULL},
    {"stale", 0, stale, NULL},       {"wrong_on_host", ENTRY_HOST, wrong_value, NULL},
};

static cudaError_t compact(const bench_call *call)
{
    size_t i, kept = 0;

    for (i = 0; i < call->n; i++)
        if (((const uint32_t *)call->in)[i] & 1)
            ((uint32_t *)call->out)[kept++] = ((const uint32_t *)call->in)[i];
    *call->count = kept;
    return cudaSuccess;
}

static cudaError_t wrong_count(const bench_call *call)
{
    compact(call);
    *call->count -= 1;
    return cudaSuccess;
}

static cudaError_t past_count(const bench_call *call)
{
    compact(call);
    ((uint32_t *)call->out)[*call->count] = 0;
    return cudaSuccess;
}

static const bench_entry compactions[] = {
    {"right", 0, compact, NULL},
    {"wrong_count", 0, wrong_count, NULL},
    {"past_count", 0, past_count, NULL},
};

static cudaError_t scatter_if(const bench_call *call)
{
    size_t i;

    for (i = 0; i < call->n; i++)
        if (call->flags[i])
            ((uint32_t *)call->out)[((const uint32_t *)call->map)[i]] =
                ((const uint32_t *)call->in)[i];
    return cudaSuccess;
}

/* The input itself is on trial too: a map that is no permutation is an error. */
static cudaError_t scatter_if_by_permutation(const bench_call *call)
{
    uint8_t *seen = (uint8_t *)calloc(call->n, 1);
    size_t i, places = 0;

    for (i = 0; seen && i < call->n; i++) {
        size_t place = ((const uint32_t *)call->map)[i];

        places += place < call->n && !seen[place]++;
    }
    free(seen);
    return places == call->n ? scatter_if(call) : cudaErrorInvalidValue;
}

/* Writes a place that it should leave alone, if there is one. */
static cudaError_t past_flags(const bench_call *call)
{
    size_t i = 0;

    scatter_if(call);
    while (i < call->n && call->flags[i])
        i++;
    if (i < call->n)
        ((uint32_t *)call->out)[((const uint32_t *)call->map)[i]] = 0;
    return cudaSuccess;
}

static const bench_entry scatters[] = {
    {"right", 0, scatter_if, NULL},
    {"past_flags", 0, past_flags, NULL},
};

/* Of known speeds: the library takes twice as long as the better of the CUBs. */
static cudaError_t slow(const bench_call *call, long ms)
{
    struct timespec time = {0, ms * 1000000};

    nanosleep(&time, NULL);
    return right(call);
}

static cudaError_t slow_4(const bench_call *call)
{
    return slow(call, 4);
}

static cudaError_t slow_6(const bench_call *call)
{
    return slow(call, 6);
}

static cudaError_t slow_8(const bench_call *call)
{
    return slow(call, 8);
}

static const bench_entry sampled[] = {
    {"gpuprims", 0, slow_8, NULL},
    {"CUB", ENTRY_CUB, slow_6, NULL},
    {"CUB_toolkit", ENTRY_CUB | ENTRY_TOOLKIT, slow_4, NULL},
};

static const bench_group groups[] = {
    {"planted_scan", "u32", BENCH_ELEMENT_u32, BENCH_ELEMENT_u32, RESULT_N, LOW_BIT_AS_IS, 0, 0, 0,
     right, entries, BENCH_COUNT(entries), NULL},
    {"planted_compact", "u32", BENCH_ELEMENT_u32, BENCH_ELEMENT_u32, RESULT_COUNTED, LOW_BIT_AS_IS,
     0, 0, 0, compact, compactions, BENCH_COUNT(compactions), NULL},
    {"planted_scatter", "u32", BENCH_ELEMENT_u32, BENCH_ELEMENT_u32, RESULT_FLAGGED, LOW_BIT_AS_IS,
     1, sizeof(uint32_t), 0, scatter_if_by_permutation, scatters, BENCH_COUNT(scatters), NULL},
    {"planted_sample", "u32", BENCH_ELEMENT_u32, BENCH_ELEMENT_u32, RESULT_N, LOW_BIT_AS_IS, 0, 0, 0,
     right, sampled, BENCH_COUNT(sampled), NULL},
};

extern const bench_instance BENCH(instance);
const bench_instance BENCH(instance) = {groups, BENCH_COUNT(groups)};
