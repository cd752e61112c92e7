/* measure.h: runs the implementations of one group, checks what they give, and times them. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#ifdef __CUDACC__
#include <cuda_profiler_api.h>
#endif

#include "bench.h"
#include "check.h"
#include "device.h"
#include "flush.h"
#include "hold.h"

enum { MAX_SUBJECTS = 64 };

/* Up to here results are compared with the reference, CUB's included; beyond, with CUB's. */
#define REFERENCE_LIMIT ((size_t)1 << 20)

/* Of inputs up to here, which might be in a processor's cache, the CPU makes a run before. */
#define HOST_CACHE_BYTES ((size_t)64 << 20)

/* memcpy joins every group; its run is here, for it needs to know how much to copy. */
static const bench_entry memcpy_entry = {"memcpy", 0, NULL, NULL};

typedef struct contest_options {
    int repeat; /* timed runs */
    int check;  /* the result of each */
    int fresh;  /* other data in each */
    int copies; /* some are timed from host memory to host memory */
    double
        enough_ms; /* of the CPU's implementations no more runs are timed when those before took this long */
    size_t offset_in, offset_out; /* elements */
} contest_options;

/* What is wrong with a result. */
typedef enum verdict_kind {
    VERDICT_PASSED,
    VERDICT_ITEM,  /* the first that is wrong is that of `index` */
    VERDICT_COUNT, /* the result is not so long */
    VERDICT_STRAY, /* the byte at `offset` of the output was written */
    VERDICT_ERROR
} verdict_kind;

typedef struct verdict {
    verdict_kind kind;
    size_t index;
    size_t expected, got; /* counts; of a stray byte: the bytes of the result */
    long long offset;
    cudaError_t error;
    char sentence[512]; /* about it */
} verdict;

/* One implementation while it is measured. */
typedef struct subject {
    const bench_entry *entry;
    int block; /* threads, of a rung */
    int failed, is_blamed;
    verdict found;
    int runs;
    double *ms;      /* one per run */
    double *call_ms; /* of it the call alone, where copies are timed too; or NULL */
    double median, min, max;
} subject;

/* What a timed run begins with, and goes over. */
typedef enum timing {
    TIMING_COLD,  /* no cache holds its data or its instructions */
    TIMING_WARM,  /* the same call before */
    TIMING_COPIES /* from host memory to host memory */
} timing;

static const char *const timing_names[] = {"cold", "warm", "copies"};

/* One group at one size. */
typedef struct contest {
    device *d;
    const contest_options *o;
    const bench_group *g;
    arrays a;
    const void *given; /* the input, on the host; or NULL, then: */
    int distribution;
    unsigned seed;
    subject subject[MAX_SUBJECTS];
    int subjects;
    double bytes; /* that must move */
    const char *judge;
} contest;

/* ---- one run ---- */

static inline cudaError_t run_entry(contest *c, const bench_entry *entry, int block, void *out)
{
    arrays *a = &c->a;
    int on_host = entry->flags & ENTRY_HOST;
    gp_classic_options classic = {block, 1, 1};
    bench_call call;

    if (entry == &memcpy_entry)
        return cudaMemcpyAsync(out, a->in, (size_t)(c->bytes / 2), cudaMemcpyDeviceToDevice,
                               c->d->stream);
    call.in = on_host ? a->host_in : a->in;
    call.flags = on_host ? a->host_flags : a->flags;
    call.map = on_host ? a->host_map : a->map;
    call.out = on_host ? a->host_out : out;
    call.count = on_host ? &a->host_count : a->count;
    call.n = a->n;
    call.ws = &a->ws;
    call.classic = &classic;
    call.scratch = a->scratch;
    call.scratch_bytes = &a->scratch_bytes;
    call.room = a->host_room;
    call.stream = c->d->stream;
    return entry->run(&call);
}

static inline cudaError_t run_subject(contest *c, const subject *s)
{
    return run_entry(c, s->entry, s->block, c->a.out);
}

/* CUB or Thrust, where its result is the one that others are compared with; or NULL. */
static inline const bench_entry *find_judge(const contest *c)
{
    int i;

    if (c->a.n <= REFERENCE_LIMIT || c->given)
        return NULL;

    for (i = 0; i < c->g->entries; i++)
        if ((c->g->entry[i].flags & (ENTRY_CUB | ENTRY_KEPT_ONLY)) == ENTRY_CUB)
            return &c->g->entry[i];
    return NULL;
}

/* Everything that the timed runs must not allocate. */
static inline cudaError_t prepare_scratch(contest *c)
{
    arrays *a = &c->a;
    int i;

    for (i = 0; i < c->subjects; i++) {
        const bench_entry *entry = c->subject[i].entry;
        size_t largest = a->scratch_bytes;

        if (entry->workspace && entry->flags & ENTRY_HOST)
            RETURN_IF_ERROR(arrays_host_reserve(a, entry->workspace(a->n)));
        else if (entry->workspace)
            RETURN_IF_ERROR(gp_workspace_reserve(&a->ws, entry->workspace(a->n), c->d->stream));
        if (entry->flags & ENTRY_CUB) {
            RETURN_IF_ERROR(run_subject(c, &c->subject[i])); /* scratch is NULL: a question */
            a->scratch_bytes = a->scratch_bytes > largest ? a->scratch_bytes : largest;
        }
        if (entry->flags & ENTRY_HOST)
            RETURN_IF_ERROR(arrays_fetch(a, c->g));
    }
    if (c->o->copies) {
        RETURN_IF_ERROR(arrays_register(a, c->g));
        RETURN_IF_ERROR(arrays_fetch(a, c->g));
    }
    if (find_judge(c)) { /* even where it does not compete */
        size_t largest = a->scratch_bytes;

        RETURN_IF_ERROR(run_entry(c, find_judge(c), 0, a->out));
        a->scratch_bytes = a->scratch_bytes > largest ? a->scratch_bytes : largest;
    }
    if (a->scratch_bytes)
        RETURN_IF_ERROR(cudaMallocAsync(&a->scratch, a->scratch_bytes, c->d->stream));
    return cudaStreamSynchronize(c->d->stream);
}

static inline cudaError_t fill_input(contest *c)
{
    arrays *a = &c->a;
    int processors = c->d->processors;
    unsigned long long flagged = 0;

    if (c->given)
        RETURN_IF_ERROR(cudaMemcpyAsync(a->in, c->given, a->n * c->g->in.bytes,
                                        cudaMemcpyHostToDevice, c->d->stream));
    else
        RETURN_IF_ERROR(input_fill(a->in, a->n, c->g->in, c->distribution, (int)c->g->trait,
                                   c->seed, processors, c->d->stream));
    if (a->flags) {
        RETURN_IF_ERROR(
            input_flags(a->flags, a->n, c->seed, c->d->first, processors, c->d->stream));
        RETURN_IF_ERROR(cudaMemcpyAsync(&flagged, c->d->first, sizeof flagged,
                                        cudaMemcpyDeviceToHost, c->d->stream));
    }
    if (a->map)
        RETURN_IF_ERROR(input_map(a->map, a->n, c->g->map_bytes, processors, c->d->stream));
    RETURN_IF_ERROR(cudaStreamSynchronize(c->d->stream));
    a->flagged = (size_t)flagged;
    a->host_has_input = 0;
    return cudaSuccess;
}

/* ---- checking ---- */

/* By the reference, from what is in host_in. */
static inline cudaError_t run_reference(contest *c, void *to)
{
    arrays *a = &c->a;
    bench_entry reference = {"reference", ENTRY_HOST, c->g->reference, NULL};

    memset(a->host_out, GUARD_BYTE, a->out_bytes);
    RETURN_IF_ERROR(run_entry(c, &reference, 0, NULL));
    return cudaMemcpy(to, a->host_out, a->out_bytes, cudaMemcpyHostToDevice);
}

/* The sums of all |x| behind float sums of any values. */
static inline cudaError_t make_magnitude(contest *c)
{
    arrays *a = &c->a;
    void *in = a->host_in;
    size_t i;

    if (a->magnitude == a->expected)
        RETURN_IF_ERROR(cudaMallocAsync(&a->magnitude, a->out_bytes, c->d->stream));
    a->host_in = malloc(a->n * c->g->in.bytes);
    for (i = 0; a->host_in && i < a->n; i++) {
        double x = fabs(check_read(in, i, c->g->in.bytes == 8));

        if (!(x <= DBL_MAX))
            x = 0; /* where it is part of a sum, that is no number */
        if (c->g->in.bytes == 8)
            ((double *)a->host_in)[i] = x;
        else
            ((float *)a->host_in)[i] = (float)x;
    }
    cudaError_t error = a->host_in ? run_reference(c, a->magnitude) : cudaErrorMemoryAllocation;
    free(a->host_in);
    a->host_in = in;
    return error;
}

/* A count of 4 bytes leaves the upper half alone. */
static inline cudaError_t clear_count(contest *c)
{
    RETURN_IF_ERROR(cudaMemsetAsync(c->a.count, 0, sizeof *c->a.count, c->d->stream));
    return cudaMemsetAsync(c->a.count, GUARD_BYTE, sizeof(uint32_t), c->d->stream);
}

/* Is a result as long as its count says? */
static inline int is_as_counted(const bench_group *g)
{
    return g->result == RESULT_COUNTED || g->result == RESULT_COUNTED_PAIRS;
}

/* Puts the elements of a result in order, if the entry leaves their words in any. */
static inline cudaError_t put_in_order(contest *c, const bench_entry *entry, void *out)
{
    if (entry->flags & ENTRY_ANY_ORDER)
        GP_LAUNCH(check_order_kernel, (unsigned)c->a.n, 512, 0, c->d->stream, (uint32_t *)out,
                  (unsigned)(c->g->out.bytes / sizeof(uint32_t)));
    return cudaGetLastError();
}

/* What the result should be, in a->expected; where nothing goes, what a checked run starts from. */
static inline cudaError_t make_expected(contest *c)
{
    arrays *a = &c->a;
    const bench_entry *judge = find_judge(c);

    if (judge) {
        c->judge = judge->name;
        RETURN_IF_ERROR(cudaMemsetAsync(a->expected, GUARD_BYTE, a->out_bytes, c->d->stream));
        RETURN_IF_ERROR(clear_count(c));
        RETURN_IF_ERROR(run_entry(c, judge, 0, a->expected));
        RETURN_IF_ERROR(put_in_order(c, judge, a->expected));
        RETURN_IF_ERROR(cudaMemcpyAsync(&a->expected_count, a->count, sizeof a->expected_count,
                                        cudaMemcpyDeviceToHost, c->d->stream));
        RETURN_IF_ERROR(cudaStreamSynchronize(c->d->stream));
    } else {
        c->judge = "the reference";
        RETURN_IF_ERROR(arrays_fetch(a, c->g));
        if (c->given && c->g->rounds)
            RETURN_IF_ERROR(make_magnitude(c));
        RETURN_IF_ERROR(run_reference(c, a->expected));
        a->expected_count = a->host_count;
    }
    if (!is_as_counted(c->g) && c->g->result != RESULT_COUNTED_N)
        a->expected_count = 0;
    a->expected_items = c->g->result == RESULT_ONE ? 1
                        : is_as_counted(c->g)      ? a->expected_count
                                                   : a->n;
    c->bytes =
        group_bytes(c->g, a->n, c->g->result == RESULT_FLAGGED ? a->flagged : a->expected_count);
    return cudaSuccess;
}

/* Other data, and what its result should be. */
static inline cudaError_t refresh_input(contest *c, unsigned seed)
{
    int had_input = c->a.host_has_input;

    c->seed = seed;
    RETURN_IF_ERROR(fill_input(c));
    if (had_input)
        RETURN_IF_ERROR(arrays_fetch(&c->a, c->g));
    return make_expected(c);
}

/* The first thing that is wrong counts. */
static inline void fail(subject *s, verdict found)
{
    if (!s->failed)
        s->found = found;
    s->failed = 1;
}

static inline void fail_with_error(subject *s, cudaError_t error)
{
    const char *sentence = gp_last_error_message();
    verdict found = {VERDICT_ERROR, 0, 0, 0, 0, error, ""};

    /* The library explains refused arguments; CUDA explains the rest. */
    snprintf(found.sentence, sizeof found.sentence, "%s",
             error == cudaErrorInvalidValue && *sentence ? sentence : cudaGetErrorString(error));
    (void)cudaGetLastError(); /* or the next one would be blamed for it */
    fail(s, found);
}

/* Around a kernel of check.h: *d->first is what it found. */
static inline cudaError_t reset_first(contest *c)
{
    return cudaMemsetAsync(c->d->first, 0xff, sizeof *c->d->first, c->d->stream);
}

static inline cudaError_t read_first(contest *c, unsigned long long *first)
{
    RETURN_IF_ERROR(cudaGetLastError()); /* of the launch */
    RETURN_IF_ERROR(
        cudaMemcpyAsync(first, c->d->first, sizeof *first, cudaMemcpyDeviceToHost, c->d->stream));
    return cudaStreamSynchronize(c->d->stream);
}

/* How far an item may be from the right one, relative to the magnitude. */
static inline double allowed_factor(const contest *c, const bench_entry *entry)
{
    int is_serial = entry->flags & ENTRY_SERIAL;

    return !c->g->rounds ? 0
           : c->given    ? check_factor_of_any(c->g->out, c->a.n, is_serial)
                         : check_factor(c->g->out, c->a.n, c->distribution, is_serial);
}

/* The arrays of a result: where they begin and end, and what an item has of them, in bytes. */
typedef struct result_part {
    size_t begin, end, item;
} result_part;

static inline int result_parts(const contest *c, result_part part[2])
{
    size_t keys = c->g->in.bytes, begin = c->a.n * (c->g->out.bytes - keys);

    part[0].begin = 0;
    part[0].end = part[1].end = c->a.out_bytes;
    part[0].item = c->g->out.bytes;
    if (c->g->result != RESULT_COUNTED_PAIRS)
        return 1;
    part[0].item -= keys;
    part[0].end = part[1].begin = begin;
    part[1].item = keys;
    return 2;
}

/* The first wrong one of so many items in *index, or CHECK_NONE. */
static inline cudaError_t check_items(contest *c, const bench_entry *entry, size_t items,
                                      unsigned long long *index)
{
    arrays *a = &c->a;
    /* Zeros of either sign are as good, and any NaN, where they may be in the input. */
    int by_value = c->g->rounds || (c->given && c->g->out.kind == KIND_FLOAT);
    result_part part[2];
    int p, parts = result_parts(c, part);

    *index = CHECK_NONE;
    if (items == 0)
        return cudaSuccess;
    RETURN_IF_ERROR(reset_first(c));
    if (by_value) {
        GP_LAUNCH(check_floats_kernel, input_grid(items, c->d->processors), 256, 0, c->d->stream,
                  a->expected, a->out, c->g->rounds ? a->magnitude : NULL, items,
                  c->g->out.bytes == 8, allowed_factor(c, entry), c->d->first);
        return read_first(c, index);
    }
    for (p = 0; p < parts && *index == CHECK_NONE; p++) {
        size_t bytes = items * (entry->flags & ENTRY_UNSTABLE ? c->g->in.bytes : part[p].item);

        GP_LAUNCH(check_bytes_kernel, input_grid(bytes, c->d->processors), 256, 0, c->d->stream,
                  (const unsigned char *)a->expected + part[p].begin, (const unsigned char *)a->out + part[p].begin,
                  bytes, c->d->first);
        RETURN_IF_ERROR(read_first(c, index));
        if (*index != CHECK_NONE)
            *index /= part[p].item;
    }
    return cudaSuccess;
}

static inline cudaError_t check_guard(contest *c, const unsigned char *from, size_t bytes,
                                      unsigned long long *first)
{
    RETURN_IF_ERROR(reset_first(c));
    GP_LAUNCH(check_guard_kernel, input_grid(bytes, c->d->processors), 256, 0, c->d->stream, from,
              bytes, c->d->first);
    return read_first(c, first);
}

/* The first byte that should not have been written, relative to the output, or CHECK_NO_OFFSET. */
static inline cudaError_t check_guards(contest *c, const bench_entry *entry, long long *offset)
{
    arrays *a = &c->a;
    /* What CUB writes past its count is its own business. */
    int may_stray = entry->flags & (ENTRY_CUB | ENTRY_KEPT_ONLY);
    result_part part[2];
    int p, parts = result_parts(c, part);
    const unsigned char *out = (const unsigned char *)a->out;
    unsigned long long first;

    *offset = CHECK_NO_OFFSET;
    RETURN_IF_ERROR(check_guard(c, out - GUARD_BYTES, GUARD_BYTES, &first));
    if (first != CHECK_NONE) {
        *offset = (long long)first - GUARD_BYTES;
        return cudaSuccess;
    }
    for (p = 0; p < parts; p++) {
        size_t end = may_stray ? part[p].end : part[p].begin + a->expected_items * part[p].item;
        size_t guard = p + 1 < parts ? 0 : GUARD_BYTES;

        if (part[p].end - end + guard == 0)
            continue;
        RETURN_IF_ERROR(check_guard(c, out + end, part[p].end - end + guard, &first));
        if (first != CHECK_NONE) {
            *offset = (long long)(end + first);
            return cudaSuccess;
        }
    }
    return cudaSuccess;
}

static inline cudaError_t check_result(contest *c, subject *s)
{
    arrays *a = &c->a;
    int is_counted = is_as_counted(c->g) || c->g->result == RESULT_COUNTED_N;
    int kept_only = s->entry->flags & ENTRY_KEPT_ONLY;
    size_t count = a->host_count, items = kept_only ? a->expected_count : a->expected_items;
    verdict found = {VERDICT_PASSED, 0, 0, 0, 0, cudaSuccess, ""};
    unsigned long long index;

    if (s->entry->flags & ENTRY_HOST)
        RETURN_IF_ERROR(
            cudaMemcpy(a->out, a->host_out, a->out_bytes + GUARD_BYTES, cudaMemcpyHostToDevice));
    else
        RETURN_IF_ERROR(cudaMemcpy(&count, a->count, sizeof count, cudaMemcpyDeviceToHost));
    RETURN_IF_ERROR(put_in_order(c, s->entry, a->out));
    RETURN_IF_ERROR(check_items(
        c, s->entry, is_as_counted(c->g) && count < items ? count : items, &index));
    RETURN_IF_ERROR(check_guards(c, s->entry, &found.offset));
    if (index != CHECK_NONE) {
        found.kind = VERDICT_ITEM;
        found.index = (size_t)index;
    } else if (is_counted && count != a->expected_count) {
        found.kind = VERDICT_COUNT;
        found.expected = a->expected_count;
        found.got = count;
    } else if (found.offset != CHECK_NO_OFFSET) {
        found.kind = VERDICT_STRAY;
        found.expected = a->expected_items * c->g->out.bytes;
    }
    if (found.kind != VERDICT_PASSED)
        fail(s, found);
    return cudaSuccess;
}

/* What a checked run starts from: an output that holds nothing of an earlier result. */
static inline cudaError_t clear_output(contest *c, const bench_entry *entry)
{
    arrays *a = &c->a;

    if (entry->flags & ENTRY_HOST) {
        memset(a->host_out, GUARD_BYTE, a->out_bytes + GUARD_BYTES);
        a->host_count = (size_t)-1;
    }
    RETURN_IF_ERROR(cudaMemsetAsync((char *)a->out - GUARD_BYTES, GUARD_BYTE,
                                    a->out_bytes + 2 * GUARD_BYTES, c->d->stream));
    return clear_count(c);
}

/* Runs it, and looks at all of the output. What the CPU takes long for is checked in the timed runs. */
static inline void check_subject(contest *c, subject *s)
{
    cudaError_t error;

    if (s->failed || s->entry == &memcpy_entry || (s->entry->flags & ENTRY_HOST))
        return;
    error = clear_output(c, s->entry);
    if (error == cudaSuccess)
        error = run_subject(c, s);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(c->d->stream);
    if (error == cudaSuccess)
        error = check_result(c, s);
    if (error != cudaSuccess)
        fail_with_error(s, error);
}

/* ---- timing ---- */

static inline cudaError_t time_on_host(contest *c, const subject *s, int batch, double *ms)
{
    double started;
    int i;

    if (c->a.in_bytes <= HOST_CACHE_BYTES)
        RETURN_IF_ERROR(run_subject(c, s));
    started = clock_ms();
    for (i = 0; i < batch; i++)
        RETURN_IF_ERROR(run_subject(c, s));
    *ms = (clock_ms() - started) / batch;
    return cudaSuccess;
}

static inline cudaError_t time_on_device(contest *c, const subject *s, timing how, int batch,
                                         double *ms)
{
    device *d = c->d;
    float elapsed;
    int i;

    RETURN_IF_ERROR(hold(d));
    if (how == TIMING_COLD)
        RETURN_IF_ERROR(flush_caches(d, batch));
    else
        RETURN_IF_ERROR(run_subject(c, s));
    RETURN_IF_ERROR(cudaEventRecord(d->start, d->stream));
    for (i = 0; i < batch; i++)
        RETURN_IF_ERROR(run_subject(c, s));
    RETURN_IF_ERROR(cudaEventRecord(d->stop, d->stream));
    let_go(d);
    RETURN_IF_ERROR(cudaEventSynchronize(d->stop));
    RETURN_IF_ERROR(cudaEventElapsedTime(&elapsed, d->start, d->stop));
    *ms = (double)elapsed / batch;
    return cudaSuccess;
}

/* All input from the host, the call, all of the result to the host: how long a compaction's is, the host
 * learns from the count. Of memcpy the copies alone. */
static inline cudaError_t time_with_copies(contest *c, const subject *s, double *ms,
                                           double *call_ms)
{
    const bench_group *g = c->g;
    arrays *a = &c->a;
    cudaStream_t stream = c->d->stream;
    size_t items = g->result == RESULT_ONE ? 1 : a->n;
    double started;
    float elapsed;

    RETURN_IF_ERROR(cudaStreamSynchronize(stream));
    started = clock_ms();
    RETURN_IF_ERROR(
        cudaMemcpyAsync(a->in, a->host_in, a->n * g->in.bytes, cudaMemcpyHostToDevice, stream));
    if (g->has_flags)
        RETURN_IF_ERROR(
            cudaMemcpyAsync(a->flags, a->host_flags, a->n, cudaMemcpyHostToDevice, stream));
    if (g->map_bytes)
        RETURN_IF_ERROR(cudaMemcpyAsync(a->map, a->host_map, a->n * g->map_bytes,
                                        cudaMemcpyHostToDevice, stream));
    if (call_ms)
        RETURN_IF_ERROR(cudaEventRecord(c->d->start, stream));
    if (s->entry != &memcpy_entry)
        RETURN_IF_ERROR(run_subject(c, s));
    if (call_ms)
        RETURN_IF_ERROR(cudaEventRecord(c->d->stop, stream));
    if (g->result == RESULT_COUNTED && s->entry == &memcpy_entry) {
        items = a->expected_count;
    } else if (g->result == RESULT_COUNTED) {
        RETURN_IF_ERROR(
            cudaMemcpyAsync(&items, a->count, sizeof items, cudaMemcpyDeviceToHost, stream));
        RETURN_IF_ERROR(cudaStreamSynchronize(stream));
        items = items < a->n ? items : a->n;
    }
    if (items)
        RETURN_IF_ERROR(cudaMemcpyAsync(a->host_out, a->out, items * g->out.bytes,
                                        cudaMemcpyDeviceToHost, stream));
    RETURN_IF_ERROR(cudaStreamSynchronize(stream));
    *ms = clock_ms() - started;
    if (call_ms) {
        RETURN_IF_ERROR(cudaEventElapsedTime(&elapsed, c->d->start, c->d->stop));
        *call_ms = (double)elapsed;
    }
    return cudaSuccess;
}

static inline cudaError_t time_once(contest *c, const subject *s, timing how, int batch)
{
    double *ms = &s->ms[s->runs];

    if (s->entry->flags & ENTRY_HOST)
        return time_on_host(c, s, batch, ms);
    if (how == TIMING_COPIES)
        return time_with_copies(c, s, ms, s->call_ms ? &s->call_ms[s->runs] : NULL);
    return time_on_device(c, s, how, batch, ms);
}

static inline int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static inline double sorted_median(double *ms, int runs)
{
    qsort(ms, (size_t)runs, sizeof *ms, compare_doubles);
    return (ms[(runs - 1) / 2] + ms[runs / 2]) / 2;
}

static inline void summarise(subject *s)
{
    s->median = sorted_median(s->ms, s->runs);
    s->min = s->ms[0];
    s->max = s->ms[s->runs - 1];
}

static inline void time_subject(contest *c, subject *s, timing how, int batch)
{
    int on_host = s->entry->flags & ENTRY_HOST;
    int is_checked = (c->o->check || on_host) && s->entry != &memcpy_entry;
    cudaError_t error = cudaSuccess;
    double spent = 0;
    int r;

    if (on_host && how == TIMING_COPIES)
        return; /* has nothing to copy */
    for (r = 0; on_host && r < s->runs; r++)
        spent += s->ms[r] * batch;
    if (spent > c->o->enough_ms)
        return;
    if (is_checked)
        error = clear_output(c, s->entry);
    if (error == cudaSuccess)
        error = time_once(c, s, how, batch);
    if (error == cudaSuccess && is_checked)
        error = check_result(c, s);
    if (error != cudaSuccess)
        fail_with_error(s, error);
    s->runs++;
}

/* A B A B: what the clocks and the neighbours do meets all alike. */
static inline cudaError_t time_subjects(contest *c, timing how, int batch)
{
    int r, i;

    for (i = 0; i < c->subjects; i++)
        c->subject[i].runs = 0;
    for (r = 0; r < c->o->repeat; r++) {
        if (c->o->fresh)
            RETURN_IF_ERROR(refresh_input(c, (unsigned)r + 1));
        for (i = 0; i < c->subjects; i++)
            if (!c->subject[i].failed)
                time_subject(c, &c->subject[i], how, batch);
    }
    for (i = 0; i < c->subjects; i++)
        if (!c->subject[i].failed && c->subject[i].runs)
            summarise(&c->subject[i]);
    return cudaSuccess;
}

/* ---- profiling ---- */

/* Says to a reader of the profile what comes next. */
static __global__ void profile_mark(void)
{
}

/* One call between a mark, whose grid has `number` blocks, and the end of profiling. */
static inline cudaError_t profile_subject(contest *c, const subject *s, int number)
{
    cudaStream_t stream = c->d->stream;
    cudaError_t error;

    RETURN_IF_ERROR(cudaStreamSynchronize(stream));
#ifdef __CUDACC__
    RETURN_IF_ERROR(cudaProfilerStart());
#endif
    GP_LAUNCH(profile_mark, (unsigned)number, 32, 0, stream);
    error = run_subject(c, s);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(stream);
#ifdef __CUDACC__
    RETURN_IF_ERROR(cudaProfilerStop());
#endif
    return error;
}

/* Bytes read and written per millisecond by a copy too large for any cache. */
static inline cudaError_t measure_memcpy(device *d, size_t bytes, int repeat, double *rate)
{
    char *from = NULL, *to = NULL;
    double *ms = (double *)malloc((size_t)repeat * sizeof *ms);
    subject s;
    cudaError_t error = cudaMallocAsync(&from, bytes, d->stream);
    int r;

    memset(&s, 0, sizeof s);
    s.ms = ms;
    s.runs = repeat;
    if (error == cudaSuccess)
        error = cudaMallocAsync(&to, bytes, d->stream);
    for (r = -1; r < repeat && error == cudaSuccess; r++) { /* the first to warm up */
        float elapsed;

        error = cudaEventRecord(d->start, d->stream);
        if (error == cudaSuccess)
            error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, d->stream);
        if (error == cudaSuccess)
            error = cudaEventRecord(d->stop, d->stream);
        if (error == cudaSuccess)
            error = cudaEventSynchronize(d->stop);
        if (error == cudaSuccess)
            error = cudaEventElapsedTime(&elapsed, d->start, d->stop);
        if (r >= 0 && error == cudaSuccess)
            ms[r] = (double)elapsed;
    }
    if (error == cudaSuccess) {
        summarise(&s);
        *rate = 2 * (double)bytes / s.median;
    }
    cudaFree(to);
    cudaFree(from);
    free(ms);
    return error;
}

#endif
