/*
 * core/backend/cpu/barrier.h: barriers of the block, mbarriers and bulk copies on the CPU.
 *
 * Part of core/backend/cpu/backend.h; not to be included directly.
 */
#ifndef GPI_CPU_BARRIER_H
#define GPI_CPU_BARRIER_H

/* ---- __syncthreads() and named barriers ------------------------------------------------------ */

/*
 * A barrier completes when all its threads have arrived: __syncthreads() is for all threads of the
 * block. A GPU would not count those that have exited; here the barrier never completes, because a
 * kernel that relies on that is usually wrong.
 */
GPI_CPU_HOT static inline void gpi_cpu_complete_barrier(gpi_cpu_block *block, int barrier, gpi_fiber *last)
{
    int count = last->predicate;

    block->arrived[barrier] = 0;
    for (unsigned i = 0; i < block->threads; i++) {
        gpi_fiber *fiber = &block->fibers[i];

        if (fiber->state != GPI_CPU_AT_BARRIER || fiber->barrier != barrier)
            continue;
        if (barrier == 0 && fiber->site != last->site && strcmp(fiber->site, last->site)) {
            gpi_cpu_fail(
                block, cudaErrorLaunchFailure,
                "divergent barrier: thread (%u,%u,%u) waits at %s, thread (%u,%u,%u) at %s",
                fiber->thread.x, fiber->thread.y, fiber->thread.z, fiber->site, last->thread.x,
                last->thread.y, last->thread.z, last->site);
            gpi_cpu_give_up(last);
        }
        count += fiber->predicate;
        gpi_cpu_make_ready(fiber);
    }
    if (barrier == 0)
        block->count_result = count;
}

/* Arrives at a barrier of `threads` threads; returns whether this was the last of them. */
GPI_CPU_HOT static inline int gpi_cpu_arrive(int barrier, unsigned threads, int predicate, const char *site)
{
    gpi_fiber *self = gpi_cpu_self;
    gpi_cpu_block *block = self->block;

    if (barrier < 0 || barrier >= GPI_CPU_BARRIERS || threads == 0 || threads > block->threads ||
        (barrier > 0 && threads % 32)) {
        gpi_cpu_fail(
            block, cudaErrorLaunchFailure,
            "thread (%u,%u,%u) is at %s, where barrier %d is for %u of %u threads; it must "
            "be one of 0 to 15, for a multiple of 32 threads of the block",
            self->thread.x, self->thread.y, self->thread.z, site, barrier, threads, block->threads);
        gpi_cpu_give_up(self);
    }
    if (block->arrived[barrier] == 0)
        block->expected[barrier] = threads;
    if (block->expected[barrier] != threads) {
        gpi_cpu_fail(block, cudaErrorLaunchFailure,
                     "thread (%u,%u,%u) is at %s, where barrier %d is for %u threads; %u threads "
                     "wait for %u",
                     self->thread.x, self->thread.y, self->thread.z, site, barrier, threads,
                     block->arrived[barrier], block->expected[barrier]);
        gpi_cpu_give_up(self);
    }
    self->site = site;
    self->barrier = barrier;
    self->predicate = predicate;
    if (++block->arrived[barrier] < threads)
        return 0;
    gpi_cpu_complete_barrier(block, barrier, self);
    return 1;
}

GPI_CPU_HOT static inline void gpi_cpu_barrier(int barrier, unsigned threads, int predicate, const char *site)
{
    gpi_fiber *self = gpi_cpu_self;

    if (gpi_cpu_arrive(barrier, threads, predicate, site)) {
        gpi_cpu_yield(self);
    } else {
        self->state = GPI_CPU_AT_BARRIER;
        gpi_cpu_wait(self);
    }
}

/* The number of threads whose predicate holds; valid until the next barrier. */
GPI_CPU_HOT static inline int gpi_cpu_syncthreads(int predicate, const char *site)
{
    gpi_cpu_block *block = gpi_cpu_self->block;

    gpi_cpu_barrier(0, block->threads, predicate, site);
    return block->count_result;
}

#define __syncthreads() ((void)gpi_cpu_syncthreads(0, GPI_CPU_SITE))
#define __syncthreads_count(predicate) gpi_cpu_syncthreads((predicate) != 0, GPI_CPU_SITE)
#define __syncthreads_and(predicate) (gpi_cpu_syncthreads((predicate) == 0, GPI_CPU_SITE) == 0)
#define __syncthreads_or(predicate) (gpi_cpu_syncthreads((predicate) != 0, GPI_CPU_SITE) != 0)

/* ---- clusters -------------------------------------------------------------------------------- */

/*
 * Arrives at the barrier of all blocks of the cluster. With a seed, some blocks lag then, so that the others are far
 * ahead: what a block does between its arrival and its wait is in no order with what they do after theirs.
 */
static inline void gpi_cpu_cluster_arrive(void)
{
    gpi_cpu_block *block = gpi_cpu_self->block;
    gpi_cpu_cluster *cluster = block->cluster;

    gpi_cpu_maybe_yield();
    if (++block->cluster_arrived < block->threads)
        return;
    block->cluster_arrived = 0;
    if (__atomic_add_fetch(&cluster->arrived, 1, __ATOMIC_ACQ_REL) == block->launch->cluster) {
        __atomic_store_n(&cluster->arrived, 0, __ATOMIC_RELAXED);
        (void)__atomic_add_fetch(&cluster->phase, 1, __ATOMIC_RELEASE);
        gpi_cpu_changed();
    }
    if (gp_cpu.seed && gpi_cpu_random(&block->random) % 8 == 0) {
        const double start = gpi_cpu_milliseconds();

        while (gpi_cpu_milliseconds() < start + 1)
            sched_yield();
    }
}

/* Waits until all have arrived; one thread of each block polls. */
static inline void gpi_cpu_cluster_wait(const char *site)
{
    gpi_cpu_block *block = gpi_cpu_self->block;

    gpi_cpu_barrier(0, block->threads, 0, site);
    if (gpi_cpu_self->rank == 0) {
        while (__atomic_load_n(&block->cluster->phase, __ATOMIC_ACQUIRE) == block->cluster_phase)
            gpi_cpu_poll();
        block->cluster_phase++;
    }
    gpi_cpu_barrier(0, block->threads, 0, site);
}

/* The address that corresponds to p, in dynamic shared memory, in another block of the cluster. */
static inline void *gpi_cpu_cluster_shared(const void *p, unsigned rank, const char *site)
{
    gpi_fiber *self = gpi_cpu_self;
    gpi_cpu_block *block = self->block;
    size_t at = (size_t)((const char *)p - block->dynamic_shared);
    char *there = NULL;

    if (rank < block->launch->cluster)
        there = __atomic_load_n(&block->cluster->dynamic_shared[rank], __ATOMIC_ACQUIRE);
    if (!there || at > block->launch->shared_bytes) {
        gpi_cpu_fail(block, cudaErrorIllegalAddress,
                     "thread (%u,%u,%u) at %s asks for shared memory of block %u of its cluster: %s",
                     self->thread.x, self->thread.y, self->thread.z, site, rank,
                     there ? "that is no dynamic shared memory"
                           : "there is no such block, or it may not have started or have ended");
        gpi_cpu_give_up(self);
    }
    return there + at;
}

/* ---- mbarriers ------------------------------------------------------------------------------- */

/*
 * An mbarrier is one 64-bit word, as on the GPU: bit 0 is the phase, bits 1-15 arrivals expected,
 * 16-31 arrivals pending, 32-63 bytes pending.
 */
static inline uint64_t gpi_cpu_mbarrier_word(unsigned phase, unsigned expected, unsigned due,
                                             int64_t bytes_due)
{
    return (uint64_t)bytes_due << 32 | (uint64_t)due << 16 | expected << 1 | phase;
}

static inline void gpi_cpu_mbarrier_update(gpi_cpu_block *block, uint64_t *mbarrier,
                                           unsigned arrivals, int64_t bytes)
{
    unsigned phase = *mbarrier & 1, expected = *mbarrier >> 1 & 0x7FFF;
    unsigned due = (*mbarrier >> 16 & 0xFFFF) - arrivals;
    int64_t bytes_due = (int32_t)(*mbarrier >> 32) + bytes;

    if (due == 0 && bytes_due == 0) {
        phase ^= 1;
        due = expected;
        for (unsigned i = 0; i < block->threads; i++) {
            gpi_fiber *fiber = &block->fibers[i];

            if (fiber->state == GPI_CPU_AT_MBARRIER && fiber->mbarrier == mbarrier)
                gpi_cpu_make_ready(fiber);
        }
    }
    *mbarrier = gpi_cpu_mbarrier_word(phase, expected, due, bytes_due);
}

/* Checks that an mbarrier is valid, at each use. */
static inline void gpi_cpu_mbarrier_check(const uint64_t *mbarrier, int arrives, const char *site)
{
    gpi_fiber *self = gpi_cpu_self;
    const uint64_t byte = *mbarrier & 0xFF; /* of new memory, perhaps that of another block */
    const char *what = "was never initialised";

    if ((byte & 0xF0) != GPI_CPU_UNDEFINED || *mbarrier != byte * 0x0101010101010101u) {
        if (!arrives || *mbarrier >> 16 & 0xFFFF)
            return;
        what = "expects nobody any more";
    }
    gpi_cpu_fail(self->block, cudaErrorLaunchFailure,
                 "thread (%u,%u,%u) comes to an mbarrier at %s that %s", self->thread.x,
                 self->thread.y, self->thread.z, site, what);
    gpi_cpu_give_up(self);
}

static inline void gpi_cpu_mbarrier_arrive(uint64_t *mbarrier, unsigned bytes, const char *site)
{
    gpi_cpu_maybe_yield();
    gpi_cpu_mbarrier_check(mbarrier, 1, site);
    gpi_cpu_mbarrier_update(gpi_cpu_self->block, mbarrier, 1, bytes);
}

static inline void gpi_cpu_mbarrier_wait(const uint64_t *mbarrier, unsigned parity,
                                         const char *site)
{
    gpi_fiber *self = gpi_cpu_self;

    gpi_cpu_mbarrier_check(mbarrier, 0, site);
    while ((*mbarrier & 1) == parity) {
        self->state = GPI_CPU_AT_MBARRIER;
        self->mbarrier = mbarrier;
        self->site = site;
        gpi_cpu_wait(self);
    }
}

/* ---- asynchronous copies ----------------------------------------------------------------------- */

/* Completes the last one of this thread. */
static inline void gpi_cpu_copy_wait(void)
{
    gpi_fiber *self = gpi_cpu_self;

    if (self->late_bytes)
        memcpy(self->late_to, self->late_from, self->late_bytes);
    self->late_bytes = 0;
}

/* Starts a copy, which completes when another starts, or the thread waits for it: never, if nobody does. */
static inline void gpi_cpu_copy_late(void *to, const void *from, size_t bytes)
{
    gpi_fiber *self = gpi_cpu_self;

    gpi_cpu_copy_wait();
    self->late_to = to;
    self->late_from = from;
    self->late_bytes = bytes;
}

/* ---- bulk copies ----------------------------------------------------------------------------- */

static inline void gpi_cpu_finish_copy(gpi_cpu_block *block, unsigned which)
{
    gpi_cpu_copy copy = block->copies[which];

    block->copies[which] = block->copies[--block->copy_count];
    memcpy(copy.to, copy.from, copy.bytes);
    if (copy.mbarrier)
        gpi_cpu_mbarrier_update(block, copy.mbarrier, 0, -(int64_t)copy.bytes);
}

static inline void gpi_cpu_start_copy(void *to, const void *from, size_t bytes, uint64_t *mbarrier)
{
    gpi_fiber *self = gpi_cpu_self;
    gpi_cpu_block *block = self->block;
    gpi_cpu_copy copy = {to, from, bytes, mbarrier, self->rank, self->bulk_groups};

    if (((uintptr_t)to | (uintptr_t)from | bytes) % 16) {
        gpi_cpu_fail(block, cudaErrorLaunchFailure,
                     "thread (%u,%u,%u) starts a bulk copy of %zu bytes from %p to %p; all three "
                     "must be multiples of 16",
                     self->thread.x, self->thread.y, self->thread.z, bytes, from, to);
        gpi_cpu_give_up(self);
    }
    if (block->copy_count == GPI_CPU_MAX_COPIES)
        gpi_cpu_finish_copy(block, 0);
    block->copies[block->copy_count++] = copy;
}

/* Completes the bulk stores of this thread's groups, except for the last `pending` groups. */
static inline void gpi_cpu_wait_stores(unsigned pending)
{
    gpi_fiber *self = gpi_cpu_self;
    gpi_cpu_block *block = self->block;

    for (unsigned i = block->copy_count; i-- > 0;) {
        gpi_cpu_copy *copy = &block->copies[i];

        if (copy->rank == self->rank && !copy->mbarrier &&
            copy->group + pending < self->bulk_groups)
            gpi_cpu_finish_copy(block, i);
    }
    gpi_cpu_maybe_yield();
}

#endif
