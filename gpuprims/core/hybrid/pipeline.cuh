/*
 * core/hybrid/pipeline.cuh: the host pipeline of the hybrid sort. Several threads take chunks of a
 * host array to the device, have them sorted there, bring them back, and merge what has come back,
 * all at once.
 *
 *     copy in     array -> staging -> device     up to GPI_HYBRID_SLOTS chunks are on the device
 *     sort        on the device
 *     copy out    device -> staging -> array
 *     tasks       on the CPU: whatever a chunk's return makes possible
 *
 * Each copy direction and the sorts have a stream of their own. Every thread serves all stages: it
 * has its own staging buffers for both ways and does whatever can be done next, what empties the
 * device first. So one thread will do.
 *
 * Items are bytes here. What depends on their type, the sort of a chunk and the tasks, is called by
 * pointer.
 */
#ifndef GPI_HYBRID_PIPELINE_CUH
#define GPI_HYBRID_PIPELINE_CUH

#include <stdlib.h>
#include <sys/select.h>
#ifdef __linux__
#include <sys/mman.h>
#endif
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "../backend/threads.h"

#ifndef GPI_HYBRID_BLOCK
/*
 * Bytes of a staging buffer: a copy of 40 microseconds over the bus. It is a large page, too, so
 * that each page of a new array is first touched, and so cleared, by the thread that then fills it.
 */
#define GPI_HYBRID_BLOCK ((size_t)2 << 20)
#endif
/*
 * Staging buffers of a thread each way: the GPU copies one while the thread copies the other. From
 * GPI_HYBRID_MANY_THREADS threads on one is enough, since the GPU copies those of other threads.
 */
#define GPI_HYBRID_BUFFERS 2
#define GPI_HYBRID_MANY_THREADS 8
#define GPI_HYBRID_SLOTS 3 /* chunks on the device: one copied in, one sorted, one copied out */

/*
 * For benchmarks, called with the lock held: a chunk begins (IN) or is back (OUT), a task begins or
 * ends.
 */
#ifndef GPI_HYBRID_TRACE
#define GPI_HYBRID_TRACE(pipeline, what, number) ((void)0)
#define GPI_HYBRID_EVENTS cudaEventDisableTiming
#endif
enum { GPI_HYBRID_IN, GPI_HYBRID_OUT, GPI_HYBRID_TASK, GPI_HYBRID_TASK_END };

enum { GPI_HYBRID_KEYS, GPI_HYBRID_VALUES, GPI_HYBRID_ARRAYS };

typedef struct gpi_hybrid_chunk {
    size_t blocks, filled, drained; /* all, sent to the device, back from it */
    int sorted;                     /* its sort has been launched */
} gpi_hybrid_chunk;

/* Items [first, first + n) of a chunk, keys or values, that fit into a staging buffer. */
typedef struct gpi_hybrid_block {
    size_t chunk, first, n;
    int array;
} gpi_hybrid_block;

/* Where the items of a chunk lie in host memory. */
typedef struct gpi_hybrid_place {
    char *items[GPI_HYBRID_ARRAYS];
    int streaming; /* write it with streaming stores */
    size_t since;  /* in `evicted`: chunks from this number on read the run's items here */
} gpi_hybrid_place;

typedef struct gpi_hybrid_buffer {
    char *memory;
    cudaEvent_t copied;
    gpi_hybrid_block block;
    int busy;
} gpi_hybrid_buffer;

struct gpi_hybrid_pipeline;

typedef struct gpi_hybrid_worker {
    struct gpi_hybrid_pipeline *pipeline;
    pthread_t thread;
    int number;
    int alone; /* runs in the calling thread, and waits for events instead of polling them */
    gpi_hybrid_buffer in[GPI_HYBRID_BUFFERS], out[GPI_HYBRID_BUFFERS];
} gpi_hybrid_worker;

typedef struct gpi_hybrid_pipeline {
    /* For all trips. */
    size_t item_bytes[GPI_HYBRID_ARRAYS]; /* 0 for values if there are none */
    size_t n, chunk_n, slots; /* chunk number c is items [c * chunk_n, (c + 1) * chunk_n) */
    char *slot[GPI_HYBRID_SLOTS][GPI_HYBRID_ARRAYS];
    cudaStream_t in, sort, out;
    cudaEvent_t arrived[GPI_HYBRID_SLOTS], sorted[GPI_HYBRID_SLOTS];
    gpi_hybrid_worker *workers;
    int worker_count, buffers, device, serial;
    const gp_hybrid_options *options;
    void *user;
    cudaError_t (*sort_chunk)(void *user, char *keys, char *values, size_t n, cudaStream_t stream);

    /*
     * For this trip. It starts with chunk number `first` and wraps around. With `cuts`, chunk
     * number c is gathered from all runs: from run r the items that start at cuts[c * runs + r].
     * Chunks from `barrier` on are copied in after all tasks are done, partly from `evicted`
     * instead of `from`, and copied out after all chunks before them are back.
     */
    size_t chunks, first, barrier;
    const gpi_hybrid_place *from, *evicted, *to; /* per chunk; with cuts, the first two per run */
    const size_t *cuts;
    size_t runs;
    size_t places; /* chunks that may be back before their group is merged */

    /* Tasks: `parts` for each group of chunks, ready when these are back; all at once if group is 0. */
    void (*task)(void *user, size_t number, int worker);
    size_t tasks, parts, group;

    /* Progress; guarded by the lock. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    gpi_hybrid_chunk *state;  /* per chunk */
    size_t *parts_left;       /* per group */
    gpi_hybrid_block next_in; /* `first` is a block number */
    gpi_hybrid_block next_out;
    size_t back, merged; /* chunks 0 to back - 1 and groups 0 to merged - 1 are */
    size_t next_task, tasks_done, steps, steps_done;
    int running;
    cudaError_t error;
    double base, share, reported; /* progress as reported */
} gpi_hybrid_pipeline;

/* ---- host memory ------------------------------------------------------------------------------- */

#define GPI_HYBRID_PAGE ((size_t)2 << 20) /* a large page, for 16 MB and more */

/* Number and size of the pages of `bytes` bytes. */
static inline size_t gpi_hybrid_pages(size_t bytes, size_t *page)
{
    *page = bytes >= 8 * GPI_HYBRID_PAGE ? GPI_HYBRID_PAGE : 4096;
    return gpi_divide_up(bytes, *page);
}

/* Allocates whole pages, large ones if there are many: the first touch of each page takes time. */
static inline char *gpi_hybrid_malloc(size_t bytes)
{
    size_t page, pages = gpi_hybrid_pages(bytes, &page);
    char *memory = (char *)aligned_alloc(page, pages * page);

#ifdef MADV_HUGEPAGE
    if (memory && page == GPI_HYBRID_PAGE)
        (void)madvise(memory, pages * page, MADV_HUGEPAGE);
#endif
    return memory;
}

typedef struct gpi_hybrid_range {
    char *memory;
    size_t bytes;
} gpi_hybrid_range;

static inline void *gpi_hybrid_touch(void *argument)
{
    const gpi_hybrid_range *range = (const gpi_hybrid_range *)argument;

    for (size_t i = 0; i < range->bytes; i += 4096)
        range->memory[i] = 0;
    return NULL;
}

static inline void *gpi_hybrid_drop(void *argument)
{
#ifdef MADV_HUGEPAGE
    const gpi_hybrid_range *range = (const gpi_hybrid_range *)argument;

    (void)madvise(range->memory, range->bytes, MADV_DONTNEED);
#else
    (void)argument;
#endif
    return NULL;
}

/* Calls run() on the pages, a part per thread. */
static inline void gpi_hybrid_with_pages(void *(*run)(void *), char *memory, size_t bytes,
                                         int threads)
{
    gpi_hybrid_range ranges[GPI_CPU_THREADS_LIMIT];
    size_t page, pages = gpi_hybrid_pages(bytes, &page),
                 each = gpi_divide_up(pages, (size_t)threads);
    int count = 0;

    for (size_t first = 0; first < pages; first += each) {
        ranges[count].memory = memory + first * page;
        ranges[count++].bytes = (pages - first < each ? pages - first : each) * page;
    }
    gpi_cpu_run_tasks(run, ranges, sizeof *ranges, count);
}

/* Frees it. The system takes long to take back large pages: several threads do it. */
static inline void gpi_hybrid_free(char *memory, size_t bytes, int threads)
{
    size_t page;

    (void)gpi_hybrid_pages(bytes, &page);
    if (memory && page == GPI_HYBRID_PAGE)
        gpi_hybrid_with_pages(gpi_hybrid_drop, memory, bytes, threads);
    free(memory);
}

/* ---- chunks and blocks ------------------------------------------------------------------------- */

static inline size_t gpi_hybrid_number(const gpi_hybrid_pipeline *pipeline, size_t chunk)
{
    return (chunk + pipeline->first) % pipeline->chunks;
}

static inline size_t gpi_hybrid_chunk_n(const gpi_hybrid_pipeline *pipeline, size_t chunk)
{
    size_t left = pipeline->n - gpi_hybrid_number(pipeline, chunk) * pipeline->chunk_n;

    return left < pipeline->chunk_n ? left : pipeline->chunk_n;
}

/* How many items of an array a staging buffer holds. */
static inline size_t gpi_hybrid_block_n(size_t item_bytes)
{
    return item_bytes < GPI_HYBRID_BLOCK ? GPI_HYBRID_BLOCK / item_bytes : 1;
}

static inline size_t gpi_hybrid_blocks(const gpi_hybrid_pipeline *pipeline, size_t chunk)
{
    size_t blocks = 0;

    for (int a = 0; a < GPI_HYBRID_ARRAYS; a++)
        if (pipeline->item_bytes[a])
            blocks += gpi_divide_up(gpi_hybrid_chunk_n(pipeline, chunk),
                                    gpi_hybrid_block_n(pipeline->item_bytes[a]));
    return blocks;
}

/* Takes the next block: of the keys, then of the values, chunk by chunk. */
static inline gpi_hybrid_block gpi_hybrid_take(gpi_hybrid_pipeline *pipeline,
                                               gpi_hybrid_block *next)
{
    size_t n = gpi_hybrid_chunk_n(pipeline, next->chunk), number = next->first++;
    size_t block_n = gpi_hybrid_block_n(pipeline->item_bytes[GPI_HYBRID_KEYS]);
    gpi_hybrid_block block = {next->chunk, 0, 0, GPI_HYBRID_KEYS};

    if (number >= gpi_divide_up(n, block_n)) {
        number -= gpi_divide_up(n, block_n);
        block_n = gpi_hybrid_block_n(pipeline->item_bytes[GPI_HYBRID_VALUES]);
        block.array = GPI_HYBRID_VALUES;
    }
    block.first = number * block_n;
    block.n = n - block.first < block_n ? n - block.first : block_n;
    if (next->first == pipeline->state[next->chunk].blocks) {
        next->chunk++;
        next->first = 0;
    }
    return block;
}

/* Copies a block into a staging buffer, from the array or from the runs that have a piece of it. */
static inline void gpi_hybrid_gather(const gpi_hybrid_pipeline *pipeline,
                                     const gpi_hybrid_block *block, char *memory)
{
    const size_t bytes = pipeline->item_bytes[block->array],
                 number = gpi_hybrid_number(pipeline, block->chunk);
    size_t skip = block->first, left = block->n;

    if (!pipeline->cuts) {
        memcpy(memory, pipeline->from[number].items[block->array] + skip * bytes, left * bytes);
        return;
    }
    const size_t *cut = pipeline->cuts + number * pipeline->runs;
    for (size_t r = 0; left > 0; r++) {
        const int is_evicted =
            block->chunk >= pipeline->barrier && number >= pipeline->evicted[r].since;
        const gpi_hybrid_place *from = is_evicted ? &pipeline->evicted[r] : &pipeline->from[r];
        size_t piece = cut[pipeline->runs + r] - cut[r];

        if (skip >= piece) {
            skip -= piece;
            continue;
        }
        piece = piece - skip < left ? piece - skip : left;
        memcpy(memory, from->items[block->array] + (cut[r] + skip) * bytes, piece * bytes);
        memory += piece * bytes;
        left -= piece;
        skip = 0;
    }
}

/*
 * Copies with non-temporal stores, for memory that is not read soon: lines that are overwritten as
 * a whole are not read first.
 */
static inline void gpi_hybrid_copy_streaming(char *to, const char *from, size_t bytes)
{
#ifdef __SSE2__
    size_t head = (size_t)(-(uintptr_t)to % 64);

    head = head < bytes ? head : bytes;
    memcpy(to, from, head); /* up to the first cache line */
    for (to += head, from += head, bytes -= head; bytes >= 64; to += 64, from += 64, bytes -= 64) {
        __m128i line[4];

        memcpy((void *)line, from, sizeof line);
        for (int i = 0; i < 4; i++)
            _mm_stream_si128((__m128i *)to + i, line[i]);
    }
    _mm_sfence(); /* before the block is published */
#endif
    memcpy(to, from, bytes);
}

/* ---- the stages -------------------------------------------------------------------------------- */

/* Records the first error, which ends the trip. Call with the lock. */
static inline void gpi_hybrid_fail(gpi_hybrid_pipeline *pipeline, cudaError_t error)
{
    if (pipeline->error == cudaSuccess)
        pipeline->error = error;
}

/* Whether the copy from or to the buffer is complete. */
static inline int gpi_hybrid_buffer_ready(gpi_hybrid_worker *worker, gpi_hybrid_buffer *buffer)
{
    cudaError_t error = cudaSuccess;

    if (buffer->busy)
        error =
            worker->alone ? cudaEventSynchronize(buffer->copied) : cudaEventQuery(buffer->copied);
    if (error != cudaSuccess && error != cudaErrorNotReady) {
        pthread_mutex_lock(&worker->pipeline->lock);
        gpi_hybrid_fail(worker->pipeline, error);
        pthread_mutex_unlock(&worker->pipeline->lock);
    }
    return error == cudaSuccess;
}

static inline char *gpi_hybrid_on_device(const gpi_hybrid_pipeline *pipeline,
                                         const gpi_hybrid_block *block)
{
    return pipeline->slot[block->chunk % pipeline->slots][block->array] +
           block->first * pipeline->item_bytes[block->array];
}

/*
 * Launches the sort of a chunk, once all its copies to the device have been issued. Call with the
 * lock: launches must not interleave.
 */
static inline cudaError_t gpi_hybrid_sort(gpi_hybrid_pipeline *pipeline, size_t chunk)
{
    size_t slot = chunk % pipeline->slots;
    cudaError_t error = cudaEventRecord(pipeline->arrived[slot], pipeline->in);

    if (error == cudaSuccess)
        error = cudaStreamWaitEvent(pipeline->sort, pipeline->arrived[slot], 0);
    if (error == cudaSuccess)
        error = pipeline->sort_chunk(pipeline->user, pipeline->slot[slot][GPI_HYBRID_KEYS],
                                     pipeline->slot[slot][GPI_HYBRID_VALUES],
                                     gpi_hybrid_chunk_n(pipeline, chunk), pipeline->sort);
    if (error == cudaSuccess)
        error = cudaEventRecord(pipeline->sorted[slot], pipeline->sort);
    pipeline->state[chunk].sorted = 1;
    return error;
}

/*
 * Copies a block to the device, if there is one and the buffer is free; the last one of a chunk
 * starts its sort.
 */
static inline int gpi_hybrid_copy_in(gpi_hybrid_worker *worker, gpi_hybrid_buffer *buffer)
{
    gpi_hybrid_pipeline *pipeline = worker->pipeline;

    if (!gpi_hybrid_buffer_ready(worker, buffer))
        return 0;
    buffer->busy = 0;
    pthread_mutex_lock(&pipeline->lock);
    const size_t chunk = pipeline->next_in.chunk;
    int ready = pipeline->error == cudaSuccess && chunk < pipeline->chunks &&
                chunk < pipeline->back + pipeline->slots &&
                (chunk < pipeline->barrier || pipeline->tasks_done == pipeline->tasks);
    if (pipeline->serial && pipeline->group)
        ready = ready && pipeline->merged == pipeline->back / pipeline->group;
    if (ready) {
        if (pipeline->next_in.first == 0)
            GPI_HYBRID_TRACE(pipeline, GPI_HYBRID_IN, chunk);
        buffer->block = gpi_hybrid_take(pipeline, &pipeline->next_in);
    }
    pthread_mutex_unlock(&pipeline->lock);
    if (!ready)
        return 0;

    gpi_hybrid_gather(pipeline, &buffer->block, buffer->memory);
    cudaError_t error =
        cudaMemcpyAsync(gpi_hybrid_on_device(pipeline, &buffer->block), buffer->memory,
                        buffer->block.n * pipeline->item_bytes[buffer->block.array],
                        cudaMemcpyHostToDevice, pipeline->in);
    if (error == cudaSuccess)
        error = cudaEventRecord(buffer->copied, pipeline->in);
    buffer->busy = 1;
    pthread_mutex_lock(&pipeline->lock);
    if (error == cudaSuccess && ++pipeline->state[chunk].filled == pipeline->state[chunk].blocks)
        error = gpi_hybrid_sort(pipeline, chunk);
    gpi_hybrid_fail(pipeline, error);
    pthread_mutex_unlock(&pipeline->lock);
    return 1;
}

/* Copies a block that is back from its buffer to its place. */
static inline void gpi_hybrid_drain(gpi_hybrid_pipeline *pipeline, gpi_hybrid_buffer *buffer)
{
    const gpi_hybrid_block *block = &buffer->block;
    const size_t bytes = pipeline->item_bytes[block->array];
    const gpi_hybrid_place *place = &pipeline->to[gpi_hybrid_number(pipeline, block->chunk)];
    gpi_hybrid_chunk *chunk = &pipeline->state[block->chunk];
    char *to = place->items[block->array] + block->first * bytes;

    if (place->streaming)
        gpi_hybrid_copy_streaming(to, buffer->memory, block->n * bytes);
    else /* a new page has just been cleared, and so is in a cache */
        memcpy(to, buffer->memory, block->n * bytes);
    buffer->busy = 0;
    pthread_mutex_lock(&pipeline->lock);
    pipeline->steps_done++;
    if (++chunk->drained == chunk->blocks) {
        GPI_HYBRID_TRACE(pipeline, GPI_HYBRID_OUT, block->chunk);
        while (pipeline->back < pipeline->chunks &&
               pipeline->state[pipeline->back].drained == pipeline->state[pipeline->back].blocks)
            pipeline->back++;
        pthread_cond_signal(&pipeline->changed);
    }
    pthread_mutex_unlock(&pipeline->lock);
}

/* Empties the buffer, if its copy is complete, and issues the next copy into it. */
static inline int gpi_hybrid_copy_back(gpi_hybrid_worker *worker, gpi_hybrid_buffer *buffer)
{
    gpi_hybrid_pipeline *pipeline = worker->pipeline;
    cudaError_t error = cudaSuccess;
    int worked = buffer->busy;

    if (!gpi_hybrid_buffer_ready(worker, buffer))
        return 0;
    if (buffer->busy)
        gpi_hybrid_drain(pipeline, buffer);
    pthread_mutex_lock(&pipeline->lock);
    const size_t chunk = pipeline->next_out.chunk;
    int ready = pipeline->error == cudaSuccess && chunk < pipeline->chunks &&
                pipeline->state[chunk].sorted &&
                chunk < pipeline->merged * pipeline->group + pipeline->places &&
                (chunk < pipeline->barrier || pipeline->back >= pipeline->barrier);
    if (ready) {
        if (pipeline->next_out.first == 0)
            error =
                cudaStreamWaitEvent(pipeline->out, pipeline->sorted[chunk % pipeline->slots], 0);
        buffer->block = gpi_hybrid_take(pipeline, &pipeline->next_out);
    }
    gpi_hybrid_fail(pipeline, error);
    pthread_mutex_unlock(&pipeline->lock);
    if (!ready || error != cudaSuccess)
        return worked;

    error = cudaMemcpyAsync(buffer->memory, gpi_hybrid_on_device(pipeline, &buffer->block),
                            buffer->block.n * pipeline->item_bytes[buffer->block.array],
                            cudaMemcpyDeviceToHost, pipeline->out);
    if (error == cudaSuccess)
        error = cudaEventRecord(buffer->copied, pipeline->out);
    buffer->busy = 1;
    if (error != cudaSuccess) {
        pthread_mutex_lock(&pipeline->lock);
        gpi_hybrid_fail(pipeline, error);
        pthread_mutex_unlock(&pipeline->lock);
    }
    return 1;
}

/* Runs a task, if one is ready. */
static inline int gpi_hybrid_do_task(gpi_hybrid_worker *worker)
{
    gpi_hybrid_pipeline *pipeline = worker->pipeline;

    pthread_mutex_lock(&pipeline->lock);
    const size_t task = pipeline->next_task;
    size_t group = pipeline->parts ? task / pipeline->parts : 0,
           chunks = (group + 1) * pipeline->group;
    int ready = pipeline->error == cudaSuccess && task < pipeline->tasks &&
                pipeline->back >= (chunks < pipeline->chunks ? chunks : pipeline->chunks);
    if (ready) {
        GPI_HYBRID_TRACE(pipeline, GPI_HYBRID_TASK, task);
        pipeline->next_task++;
    }
    pthread_mutex_unlock(&pipeline->lock);
    if (!ready)
        return 0;

    pipeline->task(pipeline->user, task, worker->number);
    pthread_mutex_lock(&pipeline->lock);
    GPI_HYBRID_TRACE(pipeline, GPI_HYBRID_TASK_END, task);
    pipeline->tasks_done++;
    pipeline->steps_done++;
    pipeline->parts_left[group]--;
    while (pipeline->merged * pipeline->parts < pipeline->tasks &&
           pipeline->parts_left[pipeline->merged] == 0)
        pipeline->merged++;
    pthread_cond_signal(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
    return 1;
}

/* ---- the trip ---------------------------------------------------------------------------------- */

/* Reports progress to the user, in the calling thread, without the lock. */
static inline void gpi_hybrid_report_progress(gpi_hybrid_pipeline *pipeline)
{
    pthread_mutex_lock(&pipeline->lock);
    double fraction =
        pipeline->base + pipeline->share * (double)pipeline->steps_done / (double)pipeline->steps;
    pthread_mutex_unlock(&pipeline->lock);
    if (pipeline->options->progress && fraction > pipeline->reported) {
        pipeline->reported = fraction;
        pipeline->options->progress(pipeline->options->user, fraction);
    }
}

/* A thread's loop: does whatever is ready until everything is done or something has failed. */
static inline void *gpi_hybrid_work(void *argument)
{
    gpi_hybrid_worker *worker = (gpi_hybrid_worker *)argument;
    gpi_hybrid_pipeline *pipeline = worker->pipeline;
    cudaError_t error = pipeline->chunks ? cudaSetDevice(pipeline->device) : cudaSuccess;

    for (;;) {
        int worked = 0;

        pthread_mutex_lock(&pipeline->lock);
        gpi_hybrid_fail(pipeline, error);
        int over = pipeline->error != cudaSuccess ||
                   (pipeline->back == pipeline->chunks && pipeline->tasks_done == pipeline->tasks);
        if (over) {
            pipeline->running--;
            pthread_cond_signal(&pipeline->changed);
        }
        pthread_mutex_unlock(&pipeline->lock);
        if (over)
            return NULL;
        for (int s = 0; s < pipeline->buffers; s++)
            worked |= gpi_hybrid_copy_back(worker, &worker->out[s]);
        for (int s = 0; s < pipeline->buffers; s++)
            worked |= gpi_hybrid_copy_in(worker, &worker->in[s]);
        worked = worked || gpi_hybrid_do_task(worker);
        if (worker->alone)
            gpi_hybrid_report_progress(pipeline);
        else if (!worked) {
            struct timeval moment = {0, 20};

            select(0, NULL, NULL, NULL, &moment); /* -std=c11 hides nanosleep() */
        }
    }
}

/*
 * Makes a trip: all chunks to the device and back, and all tasks. It reports progress from `base`
 * to base + share. When it returns, nothing is in flight, even after a failure. Without chunks it
 * cannot fail.
 */
static inline cudaError_t gpi_hybrid_trip(gpi_hybrid_pipeline *pipeline, double base, double share)
{
    const gpi_hybrid_block none = {0, 0, 0, GPI_HYBRID_KEYS};
    int started = 0;

    memset(pipeline->state, 0, pipeline->chunks * sizeof *pipeline->state);
    pipeline->steps = pipeline->tasks;
    for (size_t c = 0; c < pipeline->chunks; c++)
        pipeline->steps += pipeline->state[c].blocks = gpi_hybrid_blocks(pipeline, c);
    for (size_t t = 0; t < pipeline->tasks; t += pipeline->parts)
        pipeline->parts_left[t / pipeline->parts] = pipeline->parts;
    pipeline->next_in = pipeline->next_out = none;
    pipeline->back = pipeline->merged = pipeline->next_task = pipeline->tasks_done =
        pipeline->steps_done = 0;
    pipeline->base = base;
    pipeline->share = share;
    pipeline->running = pipeline->worker_count;
    for (int w = 0; w < pipeline->worker_count; w++) {
        pipeline->workers[w].alone = 0;
        for (int s = 0; s < pipeline->buffers; s++)
            pipeline->workers[w].in[s].busy = pipeline->workers[w].out[s].busy = 0;
    }

    while (started < pipeline->worker_count &&
           pthread_create(&pipeline->workers[started].thread, NULL, gpi_hybrid_work,
                          &pipeline->workers[started]) == 0)
        started++;
    pthread_mutex_lock(&pipeline->lock);
    pipeline->running -= pipeline->worker_count - started;
    while (pipeline->running > 0) {
        pthread_cond_wait(&pipeline->changed, &pipeline->lock);
        pthread_mutex_unlock(&pipeline->lock);
        gpi_hybrid_report_progress(pipeline);
        pthread_mutex_lock(&pipeline->lock);
    }
    pthread_mutex_unlock(&pipeline->lock);
    for (int t = 0; t < started; t++)
        pthread_join(pipeline->workers[t].thread, NULL);
    if (started == 0) {
        pipeline->workers[0].alone = 1;
        (void)gpi_hybrid_work(&pipeline->workers[0]);
    }
    if (pipeline->error != cudaSuccess) { /* copies may still be in flight */
        (void)cudaStreamSynchronize(pipeline->in);
        (void)cudaStreamSynchronize(pipeline->sort);
        (void)cudaStreamSynchronize(pipeline->out);
    }
    return pipeline->error;
}

#endif
