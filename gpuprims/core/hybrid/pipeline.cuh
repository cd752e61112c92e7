/*
 * core/hybrid/pipeline.cuh: the lanes of the hybrid sort. Several threads take chunks of a host array to the
 * device, have them sorted there, bring them back, and merge what has come back, all at once.
 *
 *     copy in     array -> staging -> device     up to GPI_HYBRID_SLOTS chunks are on the device
 *     sort        on the device
 *     copy out    device -> staging -> array
 *     tasks       on the CPU: whatever a chunk's return makes possible
 *
 * Every thread serves all lanes: it has staging blocks of its own for both ways, and does what can be done
 * next, first of all what empties the device. So no lane needs threads of its own, and one thread will do.
 *
 * Items are bytes here. What depends on their type, the sort of a chunk and the tasks, is called by pointer.
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
 * Bytes of a staging block: a copy of 40 microseconds over the bus. And a large page of memory, so that each
 * page of a new array is touched first, and cleared, by the one thread that then fills it.
 */
#define GPI_HYBRID_BLOCK ((size_t)2 << 20)
#endif
#define GPI_HYBRID_BUFFERS \
    2 /* blocks of a thread each way: one is copied by the GPU, one by the thread; */
#define GPI_HYBRID_MANY_THREADS \
    8 /* with so many threads one will do: the GPU copies those of others meanwhile */
#define GPI_HYBRID_SLOTS 3 /* chunks on the device: one arrives, one is sorted, one leaves */

/* For benchmarks: told under the lock when a chunk begins (IN), is back (OUT), a task begins and ends. */
#ifndef GPI_HYBRID_TRACE
#define GPI_HYBRID_TRACE(pipeline, what, number) ((void)0)
#define GPI_HYBRID_EVENTS cudaEventDisableTiming
#endif
enum { GPI_HYBRID_IN, GPI_HYBRID_OUT, GPI_HYBRID_TASK, GPI_HYBRID_TASK_END };

enum { GPI_HYBRID_KEYS, GPI_HYBRID_VALUES, GPI_HYBRID_ARRAYS };

typedef struct gpi_hybrid_chunk {
    size_t blocks, filled, drained; /* all, those on their way to the device, those that are back */
    int sorted;                     /* its sort has been launched */
} gpi_hybrid_chunk;

/* Items [first, first + n) of a chunk: keys or values that fit in a staging block. */
typedef struct gpi_hybrid_block {
    size_t chunk, first, n;
    int array;
} gpi_hybrid_block;

/* Where the items of a chunk are on the host, or belong. */
typedef struct gpi_hybrid_place {
    char *items[GPI_HYBRID_ARRAYS];
    int streaming; /* copies to it go past the caches */
    size_t
        since; /* as `evicted`: chunk numbers from this one on find their items of the run here */
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
    int alone; /* it runs in the caller's thread and waits for events instead of asking for them */
    gpi_hybrid_buffer in[GPI_HYBRID_BUFFERS], out[GPI_HYBRID_BUFFERS];
} gpi_hybrid_worker;

typedef struct gpi_hybrid_pipeline {
    /* What there is for all trips. */
    size_t item_bytes[GPI_HYBRID_ARRAYS]; /* of a value: 0 if there are none */
    size_t n, chunk_n, slots; /* chunk number c has the items [c * chunk_n, (c + 1) * chunk_n) */
    char *slot[GPI_HYBRID_SLOTS][GPI_HYBRID_ARRAYS];
    cudaStream_t in, sort, out;
    cudaEvent_t arrived[GPI_HYBRID_SLOTS], sorted[GPI_HYBRID_SLOTS];
    gpi_hybrid_worker *workers;
    int worker_count, buffers, device, serial;
    const gp_hybrid_options *options;
    void *user;
    cudaError_t (*sort_chunk)(void *user, char *keys, char *values, size_t n, cudaStream_t stream);

    /*
     * This trip: chunk number `first` goes first, and after the last comes number 0. With `cuts` a chunk is
     * made of a piece of each of `runs`: of run r the items cuts[c * runs + r] and on. Chunks from `barrier`
     * on are copied in when all tasks are done, partly from `evicted` instead of `from`, and out when all before
     * them are back.
     */
    size_t chunks, first, barrier;
    const gpi_hybrid_place *from, *evicted,
        *to; /* of each chunk number, or with cuts `from` and `evicted` of each run */
    const size_t *cuts;
    size_t runs;
    size_t places; /* so many chunks may be back before their group is merged */

    /* Its tasks: `parts` for each group of chunks, ready when these are back. group 0: ready at once. */
    void (*task)(void *user, size_t number, int worker);
    size_t tasks, parts, group;

    /* How far it has got; under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    gpi_hybrid_chunk *state;  /* of each chunk */
    size_t *parts_left;       /* of each group */
    gpi_hybrid_block next_in; /* `first` counts blocks */
    gpi_hybrid_block next_out;
    size_t back, merged; /* chunks 0 to back - 1 are, groups 0 to merged - 1 are */
    size_t next_task, tasks_done, steps, steps_done;
    int running;
    cudaError_t error;
    double base, share, reported; /* of the progress */
} gpi_hybrid_pipeline;

/* ---- host memory ------------------------------------------------------------------------------- */

#define GPI_HYBRID_PAGE ((size_t)2 << 20) /* a large page: for eight of them and more */

/* The pages that so many bytes take. */
static inline size_t gpi_hybrid_pages(size_t bytes, size_t *page)
{
    *page = bytes >= 8 * GPI_HYBRID_PAGE ? GPI_HYBRID_PAGE : 4096;
    return gpi_divide_up(bytes, *page);
}

/* Memory in pages of its own, large ones if it is much: the first touch of each page takes time. */
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

/* Does that to all pages, several threads a part each. */
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

/* Frees it. Of large pages the system takes longer to take back 8 GB than a thread should wait: so by several. */
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

/* Items of an array that fit in a staging block, and how many bytes that block has. */
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

/* The next block of `next`, which moves on: of the keys, then of the values, chunk by chunk. */
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

/* Its items, into a staging block: of an array, or of the runs that have a piece of them. */
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
 * Copies to memory that nobody reads soon, past the caches: lines that are overwritten as a whole need not
 * be read first.
 */
static inline void gpi_hybrid_copy_streaming(char *to, const char *from, size_t bytes)
{
#ifdef __SSE2__
    size_t head = (size_t)(-(uintptr_t)to % 64);

    head = head < bytes ? head : bytes;
    memcpy(to, from, head); /* up to the first line */
    for (to += head, from += head, bytes -= head; bytes >= 64; to += 64, from += 64, bytes -= 64) {
        __m128i line[4];

        memcpy((void *)line, from, sizeof line);
        for (int i = 0; i < 4; i++)
            _mm_stream_si128((__m128i *)to + i, line[i]);
    }
    _mm_sfence(); /* before anybody is told */
#endif
    memcpy(to, from, bytes);
}

/* ---- the lanes --------------------------------------------------------------------------------- */

/* The first error counts, and ends the trip. With the lock. */
static inline void gpi_hybrid_fail(gpi_hybrid_pipeline *pipeline, cudaError_t error)
{
    if (pipeline->error == cudaSuccess)
        pipeline->error = error;
}

/* Whether the stage is free, its copy being done. */
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

/* Has a chunk sorted, all of which is on its way to the device. With the lock: launches must not mix. */
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

/* Copies a block to the device, if there is one and the stage is free; the last one starts the sort. */
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

/* The staged block is back: on to where it belongs. */
static inline void gpi_hybrid_drain(gpi_hybrid_pipeline *pipeline, gpi_hybrid_buffer *buffer)
{
    const gpi_hybrid_block *block = &buffer->block;
    const size_t bytes = pipeline->item_bytes[block->array];
    const gpi_hybrid_place *place = &pipeline->to[gpi_hybrid_number(pipeline, block->chunk)];
    gpi_hybrid_chunk *chunk = &pipeline->state[block->chunk];
    char *to = place->items[block->array] + block->first * bytes;

    if (place->streaming)
        gpi_hybrid_copy_streaming(to, buffer->memory, block->n * bytes);
    else /* new pages are cleared on the first touch, and so in a cache already */
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

/* Takes a block from the stage, if one has arrived there, and sends for the next one. */
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

/* Does a task, if one is ready. */
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

/* Tells the user how far it has got, if it has. In the calling thread, without the lock. */
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

/* What a thread does: whatever there is to do, until all is done or something has failed. */
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
 * Makes a trip: all chunks to the device and back, and all tasks. Its share of the progress begins at
 * `base`. Afterwards nothing is under way any more, whether it has failed or not. Without chunks it
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
    for (int w = 0; w < pipeline->worker_count; w++)
        for (int s = 0; s < pipeline->buffers; s++)
            pipeline->workers[w].in[s].busy = pipeline->workers[w].out[s].busy = 0;

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
    if (pipeline->error != cudaSuccess) { /* copies may still be under way */
        (void)cudaStreamSynchronize(pipeline->in);
        (void)cudaStreamSynchronize(pipeline->sort);
        (void)cudaStreamSynchronize(pipeline->out);
    }
    return pipeline->error;
}

#endif
