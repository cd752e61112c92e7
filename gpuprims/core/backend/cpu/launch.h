/*
 * core/backend/cpu/launch.h: running a block, and running a launch.
 *
 * A launch has as many operating-system threads as resident blocks, including the calling one. Each
 * runs block after block to its end. So blocks that wait for each other make progress as on a GPU,
 * provided that what they wait for has started. Where the system has too little memory or too few
 * threads, fewer blocks are resident, but never less than a cluster.
 *
 * Part of core/backend/cpu/backend.h; not to be included directly.
 */
#ifndef GPI_CPU_LAUNCH_H
#define GPI_CPU_LAUNCH_H

/* ---- a block --------------------------------------------------------------------------------- */

/* A warp operation may have waited only for the lane that now exits. */
static inline void gpi_cpu_exit_warp(gpi_cpu_block *block, unsigned warp, unsigned lane)
{
    block->live[warp] &= ~(1u << lane);
    for (unsigned lanes = block->waiting[warp]; lanes; lanes &= lanes - 1)
        if (block->waiting[warp] & lanes & -lanes)
            gpi_cpu_try_warp(block, warp, block->fibers[warp * 32 + (unsigned)__builtin_ctz(lanes)].mask);
}

/* The entry point of a fiber. */
__attribute__((unused)) static void gpi_cpu_enter(void)
{
    gpi_fiber *self = gpi_cpu_self;
    gpi_cpu_block *block = self->block;

#ifdef GPI_CPU_ASAN
    const void *bottom;
    size_t bytes;
    __sanitizer_finish_switch_fiber(self->fake_stack, &bottom, &bytes);
    __asan_handle_no_return();            /* forgets the frames of the last block */
    if (!block->scheduler.stack_bottom) { /* the first fiber of a worker is entered from there */
        block->scheduler.stack_bottom = bottom;
        block->scheduler.stack_bytes = bytes;
    }
#endif
    block->launch->run(block->launch->arguments);

    self->state = GPI_CPU_EXITED;
    gpi_cpu_exit_warp(block, self->rank / 32, self->rank % 32);
    if (++block->exited == block->threads && block->copy_count)
        gpi_cpu_fail(block, cudaErrorLaunchFailure,
                     "a bulk copy that thread %u started and nobody waited for is still under way "
                     "when the last thread exits",
                     block->copies[0].rank);
    gpi_cpu_wait(self);
}

static inline int gpi_cpu_same_wait(const gpi_fiber *a, const gpi_fiber *b)
{
    return a->state == b->state && strcmp(a->site, b->site) == 0;
}

static inline const char *gpi_cpu_waits_at(const gpi_fiber *fiber)
{
    switch (fiber->state) {
    case GPI_CPU_AT_BARRIER: return fiber->barrier ? "a named barrier" : "__syncthreads()";
    case GPI_CPU_AT_WARP: return "a warp operation";
    default: return "an mbarrier";
    }
}

/* Appends the threads from `first` on that wait at the same place, as "3 8-15 ...". */
static inline void gpi_cpu_list_threads(char *text, size_t bytes, const gpi_cpu_block *block,
                                        unsigned first)
{
    const gpi_fiber *fibers = block->fibers;

    for (unsigned ranges = 0, end; first < block->threads; first = end) {
        for (end = first; end < block->threads; end++)
            if (!gpi_cpu_same_wait(&fibers[end], &fibers[first]))
                break;
        if (++ranges > 6) {
            gpi_cpu_append(text, bytes, " ...");
            break;
        }
        gpi_cpu_append(text, bytes, end - first > 1 ? " %u-%u" : " %u", first, end - 1);
        while (end < block->threads && !gpi_cpu_same_wait(&fibers[end], &fibers[first]))
            end++;
    }
}

/* No fiber can run, yet threads are left: reports where they wait. */
static inline void gpi_cpu_report_deadlock(gpi_cpu_block *block)
{
    char text[400] = "";

    for (unsigned i = 0; i < block->threads; i++) {
        const gpi_fiber *fiber = &block->fibers[i];
        unsigned same = 0;

        while (same < i && !gpi_cpu_same_wait(&block->fibers[same], fiber))
            same++;
        if (fiber->state == GPI_CPU_EXITED || same < i)
            continue;
        gpi_cpu_append(text, sizeof text, "; threads");
        gpi_cpu_list_threads(text, sizeof text, block, i);
        gpi_cpu_append(text, sizeof text, " wait at %s, %s", gpi_cpu_waits_at(fiber), fiber->site);
    }
    gpi_cpu_fail(block, cudaErrorLaunchTimeout, "deadlock: %u of %u threads have exited%s",
                 block->exited, block->threads, text);
}

static inline void gpi_cpu_start_block(gpi_cpu_block *block, unsigned long long which)
{
    gpi_cpu_launch_state *launch = block->launch;
    dim3 size = launch->block;

    block->index.x = (unsigned)(which % launch->grid.x);
    block->index.y = (unsigned)(which / launch->grid.x % launch->grid.y);
    block->index.z = (unsigned)(which / launch->grid.x / launch->grid.y);
    block->cluster = launch->cluster > 1 ? &launch->clusters[which / launch->cluster] : &block->alone;
    block->cluster_rank = (unsigned)(which % launch->cluster);
    block->random = gp_cpu.seed * 0x2545F4914F6CDD1Du + which;
    block->undefined = (unsigned char)(GPI_CPU_UNDEFINED + which % 16);
    block->late_copies = gp_cpu.seed && gpi_cpu_random(&block->random) % 2;
    gpi_cpu_choose_slow(block);
    memset(&block->alone, 0, sizeof block->alone);
    block->exited = block->copy_count = 0;
    block->cluster_arrived = block->cluster_phase = 0;
    block->polls = block->quiet_turns = 0;
    memset(block->arrived, 0, sizeof block->arrived);
    memset(block->live, 0, sizeof block->live);
    memset(block->waiting, 0, sizeof block->waiting);
    for (unsigned i = 0; i < block->threads; i++) {
        gpi_fiber *fiber = &block->fibers[i];

        fiber->block = block;
        fiber->rank = i;
        fiber->thread.x = i % size.x;
        fiber->thread.y = i / size.x % size.y;
        fiber->thread.z = i / size.x / size.y;
        fiber->site = "";
        fiber->bulk_groups = 0;
        fiber->late_bytes = 0;
        block->live[i / 32] |= 1u << i % 32;
        gpi_cpu_prepare(fiber, gpi_cpu_enter);
        gpi_cpu_make_ready(fiber);
    }
}

static inline void gpi_cpu_run_block(gpi_cpu_block *block, unsigned long long which)
{
    gpi_cpu_start_block(block, which);
    if (!gpi_cpu_enter_dynamic_shared(block)) {
        gpi_cpu_fail(block, cudaErrorMemoryAllocation, "no memory for its shared memory");
        return;
    }
    char **shared = &block->cluster->dynamic_shared[block->cluster_rank];
    __atomic_store_n(shared, block->dynamic_shared, __ATOMIC_RELEASE);
    gpi_cpu_switch(&block->scheduler, gpi_cpu_pick(block));
    __atomic_store_n(shared, NULL, __ATOMIC_RELEASE);
    gpi_cpu_changed();
    gpi_cpu_self = NULL;

    if (block->exited < block->threads) {
        if (!__atomic_load_n(&block->launch->failed, __ATOMIC_ACQUIRE))
            gpi_cpu_report_deadlock(block);
        for (unsigned i = 0; i < block->threads; i++) /* poisoned by abandoned frames */
            gpi_cpu_unpoison(block->fibers[i].stack, GPI_CPU_STACK);
    }
    gpi_cpu_leave_shared(block);
    gpi_cpu_set_stuck(block, 0);
}

/* ---- resident blocks ------------------------------------------------------------------------- */

#ifdef __cplusplus
extern "C" {
#endif
extern pthread_mutex_t gpi_cpu_blocks_lock;
__attribute__((weak)) pthread_mutex_t gpi_cpu_blocks_lock = PTHREAD_MUTEX_INITIALIZER;
extern gpi_cpu_block *gpi_cpu_free_blocks; /* kept for the next launch, with their stacks */
__attribute__((weak)) gpi_cpu_block *gpi_cpu_free_blocks = NULL;
extern unsigned gpi_cpu_free_count;
__attribute__((weak)) unsigned gpi_cpu_free_count = 0;
extern unsigned gpi_cpu_guards; /* guard pages in use */
__attribute__((weak)) unsigned gpi_cpu_guards = 0;
#ifdef __cplusplus
}
#endif

#ifndef MAP_ANONYMOUS /* -std=c11 hides it */
#define GPI_CPU_MAP_ANONYMOUS 0x20
#else
#define GPI_CPU_MAP_ANONYMOUS MAP_ANONYMOUS
#endif

#define GPI_CPU_STRIDE ((size_t)GPI_CPU_PAGE + GPI_CPU_STACK) /* from one stack to the next */

/* Each guard page splits a mapping in two, and Linux allows a process 65530: use at most half of them. */
#define GPI_CPU_MAX_GUARDS 16384u

/* Maps stacks, each above a guard page if is_guarded; NULL on failure. */
static inline char *gpi_cpu_map_stacks(unsigned count, int is_guarded)
{
    char *stacks = (char *)mmap(NULL, count * GPI_CPU_STRIDE, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | GPI_CPU_MAP_ANONYMOUS, -1, 0);

    if ((void *)stacks == MAP_FAILED)
        return NULL;
#ifdef MADV_NOHUGEPAGE /* a large page would hold eight stacks, of which little is touched */
    (void)madvise(stacks, count * GPI_CPU_STRIDE, MADV_NOHUGEPAGE);
#endif
    for (unsigned i = 0; i < count && is_guarded; i++)
        if (mprotect(stacks + i * GPI_CPU_STRIDE, GPI_CPU_PAGE, PROT_NONE) != 0) {
            munmap(stacks, count * GPI_CPU_STRIDE);
            return NULL;
        }
    return stacks;
}

static inline void gpi_cpu_free_stacks(gpi_cpu_block *block)
{
    const size_t bytes = block->stack_count * GPI_CPU_STRIDE;

    if (!block->stacks)
        return;
    gpi_cpu_unpoison(block->stacks, bytes); /* from old frames: the addresses may be reused */
    munmap(block->stacks, bytes);
    if (block->is_guarded)
        __atomic_fetch_sub(&gpi_cpu_guards, block->stack_count, __ATOMIC_RELAXED);
    block->stacks = NULL;
    block->stack_count = 0;
}

/* Maps stacks for `count` fibers of the block, guarded unless there are too many guards. */
static inline int gpi_cpu_make_stacks(gpi_cpu_block *block, unsigned count)
{
    gpi_cpu_free_stacks(block);
    block->is_guarded =
        __atomic_add_fetch(&gpi_cpu_guards, count, __ATOMIC_RELAXED) <= GPI_CPU_MAX_GUARDS;
    if (block->is_guarded)
        block->stacks = gpi_cpu_map_stacks(count, 1);
    if (!block->stacks) {
        __atomic_fetch_sub(&gpi_cpu_guards, count, __ATOMIC_RELAXED);
        block->is_guarded = 0;
        block->stacks = gpi_cpu_map_stacks(count, 0);
    }
    if (!block->stacks)
        return 0;
    block->stack_count = count;
    for (unsigned i = 0; i < count; i++) {
        gpi_fiber *fiber = &block->fibers[i];

        fiber->stack = block->stacks + i * GPI_CPU_STRIDE + GPI_CPU_PAGE;
        fiber->stack_bottom = fiber->stack;
        fiber->stack_bytes = GPI_CPU_STACK;
    }
    return 1;
}

/* How many blocks a launch runs at a time, if the system allows it. */
static inline unsigned gpi_cpu_max_resident(unsigned cluster)
{
    unsigned resident = (unsigned)gpi_cpu_resident_blocks();

    return resident < cluster ? cluster : resident;
}

/* Keeps the block for the next launch, unless many host threads have left enough of them. */
static inline void gpi_cpu_release_block(gpi_cpu_block *block)
{
    pthread_mutex_lock(&gpi_cpu_blocks_lock);
    int is_kept = gpi_cpu_free_count < 2 * gpi_cpu_max_resident(GPI_CPU_MAX_CLUSTER);
    if (is_kept) {
        block->next_free = gpi_cpu_free_blocks;
        gpi_cpu_free_blocks = block;
        gpi_cpu_free_count++;
    }
    pthread_mutex_unlock(&gpi_cpu_blocks_lock);
    if (!is_kept) {
        gpi_cpu_free_stacks(block);
        free(block);
    }
}

/* A block for the launch, with stacks for `threads` fibers, or NULL. */
static inline gpi_cpu_block *gpi_cpu_acquire_block(gpi_cpu_launch_state *launch, unsigned threads)
{
    gpi_cpu_block *block;

    pthread_mutex_lock(&gpi_cpu_blocks_lock);
    block = gpi_cpu_free_blocks;
    if (block) {
        gpi_cpu_free_blocks = block->next_free;
        gpi_cpu_free_count--;
    }
    pthread_mutex_unlock(&gpi_cpu_blocks_lock);
    if (!block)
        block = (gpi_cpu_block *)calloc(1, sizeof *block);
    if (!block)
        return NULL;
    if (block->stack_count < threads && !gpi_cpu_make_stacks(block, threads)) {
        free(block);
        return NULL;
    }
    block->launch = launch;
    block->threads = threads;
    block->stuck_at = 0;
    block->scheduler.block = block;
    block->scheduler.stack_bottom = NULL; /* another thread may have used it before */
    return block;
}

/* ---- a launch -------------------------------------------------------------------------------- */

/* An operating-system thread of a launch: runs one block after the other. */
__attribute__((unused)) static void *gpi_cpu_work(void *argument)
{
    gpi_cpu_block *block = (gpi_cpu_block *)argument;
    gpi_cpu_launch_state *launch = block->launch;

    pthread_mutex_lock(&launch->gate);
    pthread_mutex_unlock(&launch->gate);
    while (!__atomic_load_n(&launch->failed, __ATOMIC_ACQUIRE)) {
        unsigned long long which = __atomic_fetch_add(&launch->next_block, 1, __ATOMIC_RELAXED);

        if (which >= launch->blocks)
            break;
        if (gp_cpu.seed) /* no kernel may rely on the order of blocks */
            which = (which + gp_cpu.seed * 7919 * launch->cluster) % launch->blocks;
        gpi_cpu_run_block(block, which);
    }
    gpi_cpu_set_stuck(block, GPI_CPU_OVER);
    return NULL;
}

static cudaError_t gpi_error(cudaError_t error, const char *format, ...);

/* Refuses what a GPU would not launch. */
static inline cudaError_t gpi_cpu_check_launch(const gpi_cpu_launch_state *launch)
{
    dim3 grid = launch->grid, block = launch->block;
    unsigned long long threads = (unsigned long long)block.x * block.y * block.z;

    if (launch->blocks == 0 || grid.x > 0x7FFFFFFF || grid.y > 0xFFFF || grid.z > 0xFFFF ||
        block.x > GPI_CPU_MAX_THREADS || block.y > GPI_CPU_MAX_THREADS || block.z > 64 ||
        threads == 0 || threads > GPI_CPU_MAX_THREADS)
        return gpi_error(
            cudaErrorInvalidConfiguration,
            "kernel %s: a grid of (%u,%u,%u) blocks of (%u,%u,%u) threads is impossible",
            launch->kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z);
    if (launch->cluster > GPI_CPU_MAX_CLUSTER || launch->blocks % launch->cluster)
        return gpi_error(cudaErrorInvalidConfiguration,
                         "kernel %s: clusters of %u blocks in a grid of %llu are impossible",
                         launch->kernel, launch->cluster, launch->blocks);
    if (launch->shared_bytes > GPI_CPU_SHARED_LIMIT)
        return gpi_error(cudaErrorInvalidValue,
                         "kernel %s: %zu bytes of shared memory; a block may have %d",
                         launch->kernel, launch->shared_bytes, GPI_CPU_SHARED_LIMIT);
    return cudaSuccess;
}

static inline cudaError_t gpi_cpu_run_launch(gpi_cpu_launch_state *launch)
{
    enum { MAX_RESIDENT = 256 };
    gpi_cpu_block *blocks[MAX_RESIDENT];
    pthread_t workers[MAX_RESIDENT]; /* the first one is the calling thread */
    unsigned wanted = gpi_cpu_max_resident(launch->cluster), count = 0, started = 0;

    wanted = wanted < (unsigned)MAX_RESIDENT ? wanted : (unsigned)MAX_RESIDENT;
    wanted = wanted < launch->blocks ? wanted : (unsigned)launch->blocks;
    while (count < wanted && (blocks[count] = gpi_cpu_acquire_block(
                                  launch, launch->block.x * launch->block.y * launch->block.z)))
        count++;
    launch->resident = blocks;
    launch->resident_count = count;

    /* The blocks of a cluster wait for each other: none starts unless all can. */
    pthread_mutex_init(&launch->gate, NULL);
    if (launch->cluster > 1)
        pthread_mutex_lock(&launch->gate);
    if (count >= launch->cluster)
        for (started = 1; started < count; started++)
            if (pthread_create(&workers[started], NULL, gpi_cpu_work, blocks[started]) != 0)
                break;
    for (unsigned i = started; i < count; i++)
        gpi_cpu_set_stuck(blocks[i], GPI_CPU_OVER);
    const int is_enough = started >= launch->cluster;
    if (!is_enough)
        launch->next_block = launch->blocks;
    if (launch->cluster > 1)
        pthread_mutex_unlock(&launch->gate);
    if (is_enough)
        (void)gpi_cpu_work(blocks[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(workers[i], NULL);
    pthread_mutex_destroy(&launch->gate);
    for (unsigned i = 0; i < count; i++)
        gpi_cpu_release_block(blocks[i]);
    if (launch->failed)
        return gpi_error(launch->error, "%s", launch->message);
    if (!is_enough)
        return gpi_error(cudaErrorLaunchOutOfResources,
                         "kernel %s: of its blocks, %u must run at the same time; the system has too "
                         "little memory or too few threads for that",
                         launch->kernel, launch->cluster);
    return cudaSuccess;
}

/*
 * Runs a kernel to its end, in clusters of `cluster` blocks. The error also becomes the thread's
 * last error.
 */
__attribute__((unused)) static cudaError_t gpi_cpu_launch(const char *kernel, void (*run)(void *),
                                                          void *arguments, unsigned cluster,
                                                          dim3 grid, dim3 block,
                                                          size_t shared_bytes)
{
    gpi_cpu_launch_state launch;
    cudaError_t error;

    memset((void *)&launch, 0, sizeof launch);
    launch.kernel = kernel;
    launch.run = run;
    launch.arguments = arguments;
    launch.grid = grid;
    launch.block = block;
    launch.shared_bytes = shared_bytes;
    launch.cluster = cluster;
    launch.blocks = (unsigned long long)grid.x * grid.y * grid.z;
    error = gpi_cpu_check_launch(&launch);
    if (error == cudaSuccess && cluster > 1) {
        launch.clusters =
            (gpi_cpu_cluster *)calloc(launch.blocks / cluster, sizeof *launch.clusters);
        if (!launch.clusters)
            error = gpi_error(cudaErrorMemoryAllocation, "kernel %s: no memory for its clusters", kernel);
    }
    if (error == cudaSuccess)
        error = gpi_cpu_run_launch(&launch);
    free(launch.clusters);
    return gpi_cpu_failed(error);
}

#endif
