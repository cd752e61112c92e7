/*
 * host/cpu_scan.h: prefix sums on the CPU, in plain C: the reference for every scan of the library.
 *
 * Parameters   GP_NAME, GP_TYPE (int), GP_OP (sum), GP_IDENTITY, GP_INPUT_TYPE, GP_LOAD, GP_CONTEXT:
 *              as for scan.cuh, but types of any size. An operator of your own must be callable on the host.
 * Generates    void NAME_cpu_exclusive_scan(const I *in, T *out, size_t n [, context])
 *              void NAME_cpu_inclusive_scan(const I *in, T *out, size_t n [, context])
 *              void NAME_cpu_parallel_exclusive_scan(const I *in, T *out, size_t n, int threads [, context])
 *
 *     in                   1 5 0 1 2 0 3
 *     exclusive            0 1 6 6 7 9 9
 *     inclusive            1 6 6 7 9 9 12
 *
 * Host pointers. in == out is allowed when I and T have the same size. The serial scans are left folds.
 *
 * The parallel one starts fewer threads for small n, so as not to be slower than one core: each has more
 * than 2^20 items, or than 2^22 bytes of T where that is less. With one thread it is the serial scan. With t of
 * them, let h = n / (2t + 1): the first chunk has h items, the others 2h, and the last one the remainder
 * too. Each starts from the left fold of the folds of the chunks before it, where the fold of a chunk but the
 * first is that of its quarters. So floats depend on n, sizeof(T) and `threads` alone. threads <= 0 means as
 * many as there are processors. A thread that cannot be started costs speed, not the result.
 *
 * GP_LOAD is evaluated once on each item, by the parallel scan at most twice.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG cpu_scan
#define GPI_HEADER "gpuprims/host/cpu_scan.h"
#define GPI_TAKES \
    (GPI_TAKES_TYPE | GPI_TAKES_OP | GPI_TAKES_IDENTITY | GPI_TAKES_INPUT_TYPE | GPI_TAKES_LOAD | \
     GPI_TAKES_CONTEXT)
#define GPI_ON_HOST
#endif
#include "../core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/host/cpu_scan.h: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_IDENTITY
#error "gpuprims/host/cpu_scan.h: GP_IDENTITY is missing; a GP_OP of your own requires it"
#endif
#if defined GPI_MISSING_OP
#error "gpuprims/host/cpu_scan.h: GP_OP is missing; GP_IDENTITY goes with a GP_OP of your own"
#endif
#if defined GPI_MISSING_CONTEXT_USER
#error "gpuprims/host/cpu_scan.h: GP_LOAD is missing; nothing else would receive the GP_CONTEXT"
#endif

#if !defined GPI_DEFAULT || !defined GPI_CPU_SCAN_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_CPU_SCAN_DEFAULT
#endif
GPI_ONCE_PER_NAME(cpu_scan);

#include "../core/instance/combine.cuh"
#include "../core/backend/threads.h"

/*
 * Minimum items per thread: starting one takes as long as scanning some 2^17 ints. Never below 16,
 * so that a chunk has quarters, whatever the size of T.
 */
#ifndef GPI_CPU_SCAN_MIN_ITEMS
#define GPI_CPU_SCAN_MIN_ITEMS \
    (((size_t)1 << 22) / (sizeof(GP_TYPE) > 4 ? sizeof(GP_TYPE) : 4) + 16)
#endif

/* Scans in[first, last), starting from *before (NULL: nothing); returns the fold of everything. */
static inline GP_TYPE GPI(range)(const GP_INPUT_TYPE *in, GP_TYPE *out, size_t first,
                                 size_t last, const GP_TYPE *before, int exclusive,
                                 GPI_CONTEXT context)
{
    GP_TYPE sum = before ? *before : GPI(identity)();
    int has_sum = before != NULL;

    for (size_t i = first; i < last; i++) {
        GP_TYPE x = GPI(load)(in + i, context);
        GP_TYPE next = has_sum ? GPI(combine)(sum, x) : x;

        out[i] = exclusive ? sum : next;
        sum = next;
        has_sum = 1;
    }
    return sum;
}

/* out[0] = identity, out[i] = in[0] op ... op in[i - 1] */
static inline void GPI_PUBLIC(cpu_exclusive_scan)(const GP_INPUT_TYPE *in, GP_TYPE *out,
                                                  size_t n GPI_CONTEXT_LAST)
{
    GPI(range)(in, out, 0, n, NULL, 1, GPI_CONTEXT_VALUE);
}

/* out[i] = in[0] op ... op in[i] */
static inline void GPI_PUBLIC(cpu_inclusive_scan)(const GP_INPUT_TYPE *in, GP_TYPE *out,
                                                  size_t n GPI_CONTEXT_LAST)
{
    GPI(range)(in, out, 0, n, NULL, 0, GPI_CONTEXT_VALUE);
}

typedef struct {
    const GP_INPUT_TYPE *in;
    GP_TYPE *out;
    size_t first, last;
    GP_TYPE sum; /* the fold of the chunk; later, of all chunks before it */
    GPI_CONTEXT context;
} GPI(task);

/*
 * The fold of a chunk, by quarters: four independent folds take little longer than one. The first
 * chunk, which nothing precedes, is scanned instead.
 */
static inline void *GPI(fold_chunk)(void *argument)
{
    GPI(task) *task = (GPI(task) *)argument;
    const GP_INPUT_TYPE *in = task->in + task->first;
    const size_t n = task->last - task->first, q = n / 4;

    if (task->first == 0) {
        task->sum = GPI(range)(in, task->out, 0, n, NULL, 1, task->context);
        return NULL;
    }

    GP_TYPE a = GPI(load)(in, task->context), b = GPI(load)(in + q, task->context);
    GP_TYPE c = GPI(load)(in + 2 * q, task->context), d = GPI(load)(in + 3 * q, task->context);

    for (size_t i = 1; i < q; i++) {
        a = GPI(combine)(a, GPI(load)(in + i, task->context));
        b = GPI(combine)(b, GPI(load)(in + q + i, task->context));
        c = GPI(combine)(c, GPI(load)(in + 2 * q + i, task->context));
        d = GPI(combine)(d, GPI(load)(in + 3 * q + i, task->context));
    }
    for (size_t i = 4 * q; i < n; i++)
        d = GPI(combine)(d, GPI(load)(in + i, task->context));
    task->sum = GPI(combine)(GPI(combine)(GPI(combine)(a, b), c), d);
    return NULL;
}

static inline void *GPI(scan_chunk)(void *argument)
{
    GPI(task) *task = (GPI(task) *)argument;

    GPI(range)(task->in, task->out, task->first, task->last, &task->sum, 1, task->context);
    return NULL;
}

/*
 * As cpu_exclusive_scan, by several threads: fold the chunks, scan the folds, scan the chunks. The
 * first chunk is scanned while the others are folded, and the fold of the last one is not needed,
 * so t threads take t + 1 chunks. The first is half as long, since scanning takes about twice as
 * long as folding.
 */
static inline void GPI_PUBLIC(cpu_parallel_exclusive_scan)(const GP_INPUT_TYPE *in, GP_TYPE *out,
                                                           size_t n, int threads GPI_CONTEXT_LAST)
{
    GPI(task) tasks[GPI_CPU_THREADS_LIMIT + 1];
    size_t count = (size_t)gpi_cpu_thread_count(threads);

    if (count > n / GPI_CPU_SCAN_MIN_ITEMS)
        count = n / GPI_CPU_SCAN_MIN_ITEMS;
    if (count < 2) {
        GPI(range)(in, out, 0, n, NULL, 1, GPI_CONTEXT_VALUE);
        return;
    }

    const size_t part = n / (2 * count + 1);

    for (size_t t = 0; t <= count; t++) {
        tasks[t].in = in;
        tasks[t].out = out;
        tasks[t].first = t ? (2 * t - 1) * part : 0;
        tasks[t].last = t < count ? (2 * t + 1) * part : n;
        tasks[t].context = GPI_CONTEXT_VALUE;
    }
    gpi_cpu_run_tasks(GPI(fold_chunk), tasks, sizeof *tasks, (int)count);

    GP_TYPE sum = tasks[0].sum;
    for (size_t t = 1; t <= count; t++) {
        GP_TYPE next = t < count ? GPI(combine)(sum, tasks[t].sum) : sum;

        tasks[t].sum = sum;
        sum = next;
    }
    gpi_cpu_run_tasks(GPI(scan_chunk), tasks + 1, sizeof *tasks, (int)count);
}

#endif
#include "../core/instance/end.cuh"
