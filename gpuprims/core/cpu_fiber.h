/*
 * core/cpu_fiber.h: kernels on the CPU. Fibers, their schedule, barriers, shared memory, the launch.
 *
 * A launch starts as many operating-system threads as blocks may be resident. Each takes block after
 * block and runs its threads as fibers, which give way only where CUDA threads may wait: at barriers,
 * warp operations, polls and atomics. So a block's schedule depends on the seed and the block alone.
 *
 * Part of core/cpu_backend.h; not to be included directly.
 */
#ifndef GPI_CPU_FIBER_H
#define GPI_CPU_FIBER_H

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- the words of a kernel ------------------------------------------------------------------- */

#define __global__            __attribute__((unused))
#define __device__            __attribute__((unused))
#define __host__
#define __constant__          __attribute__((unused))
#define __forceinline__       inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(bytes)      __attribute__((aligned(bytes)))
#ifdef __cplusplus
#define __restrict__          __restrict
#endif

typedef struct uint3 {
    unsigned x, y, z;
} uint3;

typedef struct uint2 {
    unsigned x, y;
} __align__(8) uint2;

typedef struct uint4 {
    unsigned x, y, z, w;
} __align__(16) uint4;

typedef struct dim3 {
    unsigned x, y, z;
#ifdef __cplusplus
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
#endif
} dim3;

#define threadIdx (gpi_cpu_self->thread)
#define blockIdx  (gpi_cpu_self->block->index)
#define blockDim  (gpi_cpu_self->block->launch->block)
#define gridDim   (gpi_cpu_self->block->launch->grid)
#define warpSize  32

/* ---- fibers ---------------------------------------------------------------------------------- */

enum {
    GPI_CPU_MAX_THREADS = 1024,
    GPI_CPU_MAX_WARPS = GPI_CPU_MAX_THREADS / 32,
    GPI_CPU_MAX_SHARED = 64, /* GP_SHARED variables of one kernel */
    GPI_CPU_BARRIERS = 16,   /* __syncthreads() is barrier 0, named barriers are 1 to 15 */
#ifdef GPI_CPU_ASAN
    GPI_CPU_STACK = 256 << 10,
#else
    GPI_CPU_STACK = 64 << 10,
#endif
    GPI_CPU_PAGE = 4096,
    GPI_CPU_REDZONE = 64
};

/* How long blocks may poll memory without any of them getting anywhere before the launch is given up. */
#define GPI_CPU_PATIENCE_MS 20000.0

typedef enum gpi_cpu_state {
    GPI_CPU_READY,
    GPI_CPU_AT_BARRIER,
    GPI_CPU_AT_WARP,
    GPI_CPU_AT_MBARRIER,
    GPI_CPU_EXITED
} gpi_cpu_state;

#if defined __x86_64__
typedef void *gpi_cpu_context; /* the stack pointer; everything else is on the stack */
#else
#include <ucontext.h>
typedef ucontext_t gpi_cpu_context;
#endif

struct gpi_cpu_block;

typedef struct gpi_fiber {
    gpi_cpu_context context;
    char *stack;
    const void *stack_bottom;
    size_t stack_bytes;
    void *fake_stack; /* AddressSanitizer's */
    struct gpi_cpu_block *block;
    uint3 thread;
    unsigned rank; /* in the block; warp is rank / 32 */
    gpi_cpu_state state;
    const char *site;           /* where it waits, as file:line */
    int barrier;                /* AT_BARRIER: which */
    int predicate;              /* AT_BARRIER: this thread's contribution */
    const uint64_t *mbarrier;   /* AT_MBARRIER: which */
    unsigned mask;              /* AT_WARP: the lanes that take part, and what each brings */
    int operation;
    int argument;
    int width;
    uint64_t value;
    uint64_t result;
} gpi_fiber;

typedef struct gpi_cpu_launch {
    const char *kernel;
    void (*run)(void *arguments);
    void *arguments;
    dim3 grid, block;
    size_t shared_bytes;
    unsigned long long blocks, next_block;
    unsigned long long progress; /* barriers completed and blocks finished */
    int failed;
    cudaError_t error;
    char message[512];
} gpi_cpu_launch_state;

typedef struct gpi_redzone {
    unsigned char bytes[GPI_CPU_REDZONE];
} gpi_redzone;

typedef struct gpi_cpu_shared_variable {
    gpi_redzone *low, *high;
    const char *name, *site;
} gpi_cpu_shared_variable;

typedef struct gpi_cpu_copy { /* a bulk copy under way */
    void *to;
    const void *from;
    size_t bytes;
    uint64_t *mbarrier; /* completed by it, or NULL for a store */
    unsigned rank;      /* the thread that issued it */
} gpi_cpu_copy;

/* One resident block: a worker reuses it for block after block. */
typedef struct gpi_cpu_block {
    struct gpi_cpu_block *next_free;
    gpi_fiber fibers[GPI_CPU_MAX_THREADS];
    gpi_fiber scheduler; /* the worker's own stack */
    unsigned ready[GPI_CPU_MAX_THREADS];
    unsigned ready_first, ready_count;
    unsigned threads, exited;
    unsigned live[GPI_CPU_MAX_WARPS];    /* lanes that have not exited */
    unsigned waiting[GPI_CPU_MAX_WARPS]; /* lanes that wait in a warp operation */
    unsigned arrived[GPI_CPU_BARRIERS];
    int count_result;
    uint3 index;
    gpi_cpu_launch_state *launch;
    uint64_t random;
    char *dynamic_shared;
    gpi_cpu_shared_variable shared[GPI_CPU_MAX_SHARED];
    unsigned shared_count;
    gpi_cpu_copy *copies;
    unsigned copy_count, copy_capacity;
    unsigned long long spins, seen_progress;
    double stuck_since;
    gpi_redzone dynamic_redzone;
} gpi_cpu_block;

#define GPI_CPU_TEXT_(x) #x
#define GPI_CPU_TEXT(x)  GPI_CPU_TEXT_(x)
#define GPI_CPU_SITE     __FILE__ ":" GPI_CPU_TEXT(__LINE__)

/* ---- switching stacks ------------------------------------------------------------------------ */

#if defined __x86_64__

/* Saves the registers that a call must keep, and the stack pointer in *from; goes on where `to` left. */
__attribute__((naked, noinline, unused)) static void
gpi_cpu_swap(__attribute__((unused)) gpi_cpu_context *from,
             __attribute__((unused)) gpi_cpu_context *to)
{
    __asm__ volatile("pushq %rbp\n\t"
                     "pushq %rbx\n\t"
                     "pushq %r12\n\t"
                     "pushq %r13\n\t"
                     "pushq %r14\n\t"
                     "pushq %r15\n\t"
                     "movq %rsp, (%rdi)\n\t"
                     "movq (%rsi), %rsp\n\t"
                     "popq %r15\n\t"
                     "popq %r14\n\t"
                     "popq %r13\n\t"
                     "popq %r12\n\t"
                     "popq %rbx\n\t"
                     "popq %rbp\n\t"
                     "ret");
}

static inline void gpi_cpu_prepare(gpi_fiber *fiber, void (*entry)(void))
{
    void **top = (void **)(fiber->stack + GPI_CPU_STACK);

    *--top = NULL; /* where entry() would return to; the zero ends a backtrace */
    *--top = (void *)entry;
    for (int i = 0; i < 6; i++)
        *--top = NULL;
    fiber->context = top;
}

#else

static inline void gpi_cpu_swap(gpi_cpu_context *from, gpi_cpu_context *to)
{
    swapcontext(from, to);
}

static inline void gpi_cpu_prepare(gpi_fiber *fiber, void (*entry)(void))
{
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack;
    fiber->context.uc_stack.ss_size = GPI_CPU_STACK;
    fiber->context.uc_link = NULL;
    makecontext(&fiber->context, entry, 0);
}

#endif

static inline void gpi_cpu_switch(gpi_fiber *from, gpi_fiber *to)
{
#ifdef GPI_CPU_ASAN
    __sanitizer_start_switch_fiber(from->state == GPI_CPU_EXITED ? NULL : &from->fake_stack,
                                   to->stack_bottom, to->stack_bytes);
#endif
    gpi_cpu_self = to;
    gpi_cpu_swap(&from->context, &to->context);
#ifdef GPI_CPU_ASAN
    __sanitizer_finish_switch_fiber(from->fake_stack, NULL, NULL);
#endif
}

/* ---- the schedule ---------------------------------------------------------------------------- */

/* splitmix64 (Steele, Lea, Flood 2014): any seed will do, zero included. */
static inline uint64_t gpi_cpu_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline void gpi_cpu_make_ready(gpi_fiber *fiber)
{
    gpi_cpu_block *block = fiber->block;

    fiber->state = GPI_CPU_READY;
    block->ready[(block->ready_first + block->ready_count++) % GPI_CPU_MAX_THREADS] = fiber->rank;
}

static void gpi_cpu_finish_copy(gpi_cpu_block *block, unsigned which);

/* The next fiber to run, or the scheduler when none can. */
static inline gpi_fiber *gpi_cpu_pick(gpi_cpu_block *block)
{
    /* A bulk copy lands at some time of its own, at the latest when nothing else can happen. */
    while (block->copy_count) {
        uint64_t dice = gp_cpu.seed ? gpi_cpu_random(&block->random) : 0;

        if (block->ready_count && dice % 8)
            break;
        gpi_cpu_finish_copy(block, (unsigned)(dice / 8 % block->copy_count));
    }
    if (!block->ready_count)
        return &block->scheduler;

    unsigned *first = &block->ready[block->ready_first];
    if (gp_cpu.seed) {
        uint64_t skip = gpi_cpu_random(&block->random) % block->ready_count;
        unsigned *other = &block->ready[(block->ready_first + skip) % GPI_CPU_MAX_THREADS];
        unsigned rank = *first;

        *first = *other;
        *other = rank;
    }
    block->ready_first = (block->ready_first + 1) % GPI_CPU_MAX_THREADS;
    block->ready_count--;
    return &block->fibers[*first];
}

/* The current fiber waits, as its state says, until somebody makes it ready. */
static inline void gpi_cpu_wait(gpi_fiber *self)
{
    gpi_fiber *next = gpi_cpu_pick(self->block);

    if (next != self)
        gpi_cpu_switch(self, next);
}

/* Lets other fibers run first; tells whether there were any. */
static inline int gpi_cpu_yield(gpi_fiber *self)
{
    if (!self->block->ready_count && !self->block->copy_count)
        return 0;
    gpi_cpu_make_ready(self);
    gpi_cpu_wait(self);
    return 1;
}

/* A kernel went wrong: the first message counts, and every block of the launch is given up. */
__attribute__((format(printf, 3, 4))) static inline void gpi_cpu_fail(gpi_cpu_block *block,
                                                                      cudaError_t error,
                                                                      const char *format, ...)
{
    gpi_cpu_launch_state *launch = block->launch;
    int before = 0;
    va_list arguments;

    if (!__atomic_compare_exchange_n(&launch->failed, &before, 1, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        return;
    int used = snprintf(launch->message, sizeof launch->message, "kernel %s, block (%u,%u,%u): ",
                        launch->kernel, block->index.x, block->index.y, block->index.z);
    va_start(arguments, format);
    if (used > 0 && (size_t)used < sizeof launch->message)
        vsnprintf(launch->message + used, sizeof launch->message - (size_t)used, format, arguments);
    va_end(arguments);
    launch->error = error;
}

static inline void gpi_cpu_give_up(gpi_fiber *self)
{
    self->state = GPI_CPU_AT_BARRIER; /* not ready, and never will be */
    self->site = "given up";
    self->block->ready_count = 0;
    self->block->copy_count = 0;
    gpi_cpu_switch(self, &self->block->scheduler);
}

/*
 * Called by everything that a thread may call in a loop until another thread acts. Other fibers and
 * other blocks get their turn; when nothing has moved anywhere for long, the launch fails.
 */
static inline void gpi_cpu_poll(void)
{
    gpi_fiber *self = gpi_cpu_self;

    if (!self)
        return;
    gpi_cpu_block *block = self->block;
    gpi_cpu_launch_state *launch = block->launch;

    if (!gpi_cpu_yield(self))
        sched_yield();
    if (++block->spins % 1024)
        return;
    if (__atomic_load_n(&launch->failed, __ATOMIC_ACQUIRE))
        gpi_cpu_give_up(self);

    unsigned long long progress = __atomic_load_n(&launch->progress, __ATOMIC_RELAXED);
    double now = gpi_cpu_milliseconds();
    if (progress != block->seen_progress || block->stuck_since == 0) {
        block->seen_progress = progress;
        block->stuck_since = now;
    } else if (now - block->stuck_since > GPI_CPU_PATIENCE_MS) {
        gpi_cpu_fail(block, cudaErrorLaunchTimeout,
                     "thread (%u,%u,%u) polls memory that nobody changes any more", self->thread.x,
                     self->thread.y, self->thread.z);
        gpi_cpu_give_up(self);
    }
}

/* A place where a GPU would interleave other threads: the schedule may do so too. */
static inline void gpi_cpu_maybe_yield(void)
{
    gpi_fiber *self = gpi_cpu_self;

    if (self && gp_cpu.seed && gpi_cpu_random(&self->block->random) % 4 == 0)
        gpi_cpu_yield(self);
}

static inline void gpi_cpu_progress(gpi_cpu_block *block)
{
    __atomic_fetch_add(&block->launch->progress, 1, __ATOMIC_RELAXED);
}

/* ---- barriers of the block ------------------------------------------------------------------- */

enum { GPI_CPU_SYNC, GPI_CPU_SYNC_COUNT, GPI_CPU_SYNC_AND, GPI_CPU_SYNC_OR };

static inline void gpi_cpu_complete_barrier(gpi_cpu_block *block, int barrier, gpi_fiber *last)
{
    int count = last->predicate;

    block->arrived[barrier] = 0;
    gpi_cpu_progress(block);
    for (unsigned i = 0; i < block->threads; i++) {
        gpi_fiber *fiber = &block->fibers[i];

        if (fiber->state != GPI_CPU_AT_BARRIER || fiber->barrier != barrier)
            continue;
        if (barrier == 0 && fiber->site != last->site && strcmp(fiber->site, last->site)) {
            gpi_cpu_fail(block, cudaErrorLaunchFailure,
                         "divergent barrier: thread (%u,%u,%u) is at %s, thread (%u,%u,%u) at %s",
                         fiber->thread.x, fiber->thread.y, fiber->thread.z, fiber->site,
                         last->thread.x, last->thread.y, last->thread.z, last->site);
            gpi_cpu_give_up(last);
        }
        count += fiber->predicate;
        gpi_cpu_make_ready(fiber);
    }
    if (barrier == 0)
        block->count_result = count;
}

/* Arrives at a barrier that `threads` threads come to; tells whether this was the last of them. */
static inline int gpi_cpu_arrive(int barrier, unsigned threads, int predicate, const char *site)
{
    gpi_fiber *self = gpi_cpu_self;
    gpi_cpu_block *block = self->block;

    if (barrier < 0 || barrier >= GPI_CPU_BARRIERS || threads == 0 || threads > block->threads ||
        (barrier > 0 && threads % 32)) {
        gpi_cpu_fail(block, cudaErrorLaunchFailure, "barrier %d for %u threads is impossible (%s)",
                     barrier, threads, site);
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

static inline void gpi_cpu_barrier(int barrier, unsigned threads, int predicate, const char *site)
{
    gpi_fiber *self = gpi_cpu_self;

    if (gpi_cpu_arrive(barrier, threads, predicate, site)) {
        gpi_cpu_yield(self);
    } else {
        self->state = GPI_CPU_AT_BARRIER;
        gpi_cpu_wait(self);
    }
}

static inline int gpi_cpu_syncthreads(int kind, int predicate, const char *site)
{
    gpi_cpu_block *block = gpi_cpu_self->block;

    gpi_cpu_barrier(0, block->threads, predicate != 0, site);
    /* Nobody overwrites the count before everybody has been at the next barrier. */
    switch (kind) {
    case GPI_CPU_SYNC_AND: return block->count_result == (int)block->threads;
    case GPI_CPU_SYNC_OR: return block->count_result != 0;
    default: return block->count_result;
    }
}

#define __syncthreads() ((void)gpi_cpu_syncthreads(GPI_CPU_SYNC, 0, GPI_CPU_SITE))
#define __syncthreads_count(predicate) \
    gpi_cpu_syncthreads(GPI_CPU_SYNC_COUNT, (predicate) != 0, GPI_CPU_SITE)
#define __syncthreads_and(predicate) \
    gpi_cpu_syncthreads(GPI_CPU_SYNC_AND, (predicate) != 0, GPI_CPU_SITE)
#define __syncthreads_or(predicate) \
    gpi_cpu_syncthreads(GPI_CPU_SYNC_OR, (predicate) != 0, GPI_CPU_SITE)

/* ---- mbarriers and bulk copies --------------------------------------------------------------- */

/*
 * An mbarrier is one 64-bit word, here as there:
 * bit 0 the phase, bits 1-15 arrivals expected, 16-31 arrivals still due, 32-63 bytes still due.
 */
static inline void gpi_cpu_mbarrier_update(uint64_t *mbarrier, unsigned arrivals, int64_t bytes)
{
    gpi_cpu_block *block = gpi_cpu_self->block;
    unsigned phase = *mbarrier & 1, expected = *mbarrier >> 1 & 0x7FFF;
    unsigned due = (*mbarrier >> 16 & 0xFFFF) - arrivals;
    int64_t bytes_due = (int32_t)(*mbarrier >> 32) + bytes;

    if (due == 0 && bytes_due == 0) {
        phase ^= 1;
        due = expected;
        gpi_cpu_progress(block);
        for (unsigned i = 0; i < block->threads; i++) {
            gpi_fiber *fiber = &block->fibers[i];

            if (fiber->state == GPI_CPU_AT_MBARRIER && fiber->mbarrier == mbarrier)
                gpi_cpu_make_ready(fiber);
        }
    }
    *mbarrier = (uint64_t)(uint32_t)bytes_due << 32 | (uint64_t)due << 16 | expected << 1 | phase;
}

static inline void gpi_cpu_mbarrier_wait(const uint64_t *mbarrier, unsigned parity, const char *site)
{
    gpi_fiber *self = gpi_cpu_self;

    while ((*mbarrier & 1) == parity) {
        self->state = GPI_CPU_AT_MBARRIER;
        self->mbarrier = mbarrier;
        self->site = site;
        gpi_cpu_wait(self);
    }
}

static void gpi_cpu_finish_copy(gpi_cpu_block *block, unsigned which)
{
    gpi_cpu_copy copy = block->copies[which];

    block->copies[which] = block->copies[--block->copy_count];
    memcpy(copy.to, copy.from, copy.bytes);
    if (copy.mbarrier) {
        gpi_fiber *self = gpi_cpu_self;

        gpi_cpu_self = &block->scheduler; /* the copy engine has no thread; any of the block will do */
        gpi_cpu_mbarrier_update(copy.mbarrier, 0, -(int64_t)copy.bytes);
        gpi_cpu_self = self;
    }
}

static inline void gpi_cpu_start_copy(void *to, const void *from, size_t bytes, uint64_t *mbarrier)
{
    gpi_fiber *self = gpi_cpu_self;
    gpi_cpu_block *block = self->block;
    gpi_cpu_copy copy = {to, from, bytes, mbarrier, self->rank};

    if (((uintptr_t)to | (uintptr_t)from | bytes) % 16) {
        gpi_cpu_fail(block, cudaErrorLaunchFailure,
                     "a bulk copy of %zu bytes from %p to %p is not aligned to 16", bytes, from, to);
        gpi_cpu_give_up(self);
    }
    if (block->copy_count == block->copy_capacity) {
        unsigned capacity = block->copy_capacity ? 2 * block->copy_capacity : 16;
        gpi_cpu_copy *copies =
            (gpi_cpu_copy *)realloc(block->copies, capacity * sizeof *copies);

        if (!copies) { /* no memory to remember it in: let it land now */
            gpi_cpu_finish_copy(block, 0);
        } else {
            block->copies = copies;
            block->copy_capacity = capacity;
        }
    }
    block->copies[block->copy_count++] = copy;
}

/* Waits for all stores that this thread has started. */
static inline void gpi_cpu_wait_stores(void)
{
    gpi_fiber *self = gpi_cpu_self;

    for (unsigned i = self->block->copy_count; i-- > 0;)
        if (self->block->copies[i].rank == self->rank && !self->block->copies[i].mbarrier)
            gpi_cpu_finish_copy(self->block, i);
}

/* ---- shared memory --------------------------------------------------------------------------- */

/*
 * A GP_SHARED variable is thread-local: a resident block has an operating-system thread to itself. It
 * sits between two red zones, which AddressSanitizer guards while the block runs and which are looked
 * at when it ends; a section of their own keeps the three together. Its content starts as rubbish.
 */
#define GPI_CPU_SHARED_SECTION __attribute__((aligned(GPI_CPU_REDZONE), section(".tbss.gpi_shared")))
#define GPI_CPU_PASTE_(a, b)   a##b
#define GPI_CPU_PASTE(a, b)    GPI_CPU_PASTE_(a, b)

#define GP_SHARED(type, name) GPI_CPU_SHARED(type, name, #name, __COUNTER__)
#define GPI_CPU_SHARED(type, name, text, number)                                                  \
    static __thread gpi_redzone GPI_CPU_PASTE(gpi_low_, number) GPI_CPU_SHARED_SECTION;            \
    static __thread __typeof__(type) name GPI_CPU_SHARED_SECTION;                                  \
    static __thread gpi_redzone GPI_CPU_PASTE(gpi_high_, number) GPI_CPU_SHARED_SECTION;           \
    gpi_cpu_enter_shared(&GPI_CPU_PASTE(gpi_low_, number), &GPI_CPU_PASTE(gpi_high_, number), text, \
                         GPI_CPU_SITE)

#define GP_DYNAMIC_SHARED(type, name) type *name = (type *)gpi_cpu_self->block->dynamic_shared

#define GPI_CPU_RUBBISH 0xD5

static inline void gpi_cpu_enter_shared(gpi_redzone *low, gpi_redzone *high, const char *name,
                                        const char *site)
{
    gpi_cpu_block *block = gpi_cpu_self->block;

    if (low > high) { /* the compiler laid them out in the other direction */
        gpi_redzone *swap = low;
        low = high;
        high = swap;
    }
    for (unsigned i = 0; i < block->shared_count; i++)
        if (block->shared[i].low == low)
            return;
    if (block->shared_count == GPI_CPU_MAX_SHARED)
        return;

    gpi_cpu_shared_variable *variable = &block->shared[block->shared_count++];
    variable->low = low;
    variable->high = high;
    variable->name = name;
    variable->site = site;
    memset(low, GPI_CPU_RUBBISH, (size_t)((char *)(high + 1) - (char *)low));
    gpi_cpu_poison(low, sizeof *low);
    gpi_cpu_poison(high, sizeof *high);
}

static inline int gpi_cpu_redzone_intact(gpi_redzone *zone)
{
    gpi_cpu_unpoison(zone, sizeof *zone);
    for (int i = 0; i < GPI_CPU_REDZONE; i++)
        if (zone->bytes[i] != GPI_CPU_RUBBISH)
            return 0;
    return 1;
}

static inline void gpi_cpu_leave_shared(gpi_cpu_block *block)
{
    for (unsigned i = 0; i < block->shared_count; i++) {
        gpi_cpu_shared_variable *variable = &block->shared[i];
        int low = gpi_cpu_redzone_intact(variable->low);
        int high = gpi_cpu_redzone_intact(variable->high);

        if (!low || !high)
            gpi_cpu_fail(block, cudaErrorIllegalAddress, "wrote %s GP_SHARED variable %s (%s)",
                         low ? "past the end of" : "before", variable->name, variable->site);
    }
    block->shared_count = 0;

    size_t bytes = block->launch->shared_bytes;
    if (block->dynamic_shared &&
        !gpi_cpu_redzone_intact((gpi_redzone *)(block->dynamic_shared + bytes)))
        gpi_cpu_fail(block, cudaErrorIllegalAddress,
                     "wrote past the %zu bytes of dynamic shared memory", bytes);
    free(block->dynamic_shared);
    block->dynamic_shared = NULL;
}

static inline int gpi_cpu_allocate_dynamic_shared(gpi_cpu_block *block)
{
    size_t bytes = block->launch->shared_bytes;
    size_t rounded = (bytes + GPI_CPU_REDZONE + 1023) & ~(size_t)1023;

    block->dynamic_shared = (char *)aligned_alloc(1024, rounded);
    if (!block->dynamic_shared)
        return 0;
    memset(block->dynamic_shared, GPI_CPU_RUBBISH, rounded);
    gpi_cpu_poison(block->dynamic_shared + bytes, rounded - bytes);
    return 1;
}

/* ---- a block --------------------------------------------------------------------------------- */

static inline void gpi_cpu_try_warp(gpi_cpu_block *block, unsigned warp, unsigned mask);

/* Where every fiber starts. */
__attribute__((unused)) static void gpi_cpu_enter(void)
{
    gpi_fiber *self = gpi_cpu_self;
    gpi_cpu_block *block = self->block;

#ifdef GPI_CPU_ASAN
    const void *bottom;
    size_t bytes;
    __sanitizer_finish_switch_fiber(NULL, &bottom, &bytes);
    if (!block->scheduler.stack_bottom) { /* the first fiber of a worker was entered from there */
        block->scheduler.stack_bottom = bottom;
        block->scheduler.stack_bytes = bytes;
    }
#endif
    block->launch->run(block->launch->arguments);

    unsigned warp = self->rank / 32;
    gpi_cpu_wait_stores();
    self->state = GPI_CPU_EXITED;
    block->exited++;
    block->live[warp] &= ~(1u << self->rank % 32);
    while (block->waiting[warp]) { /* a warp operation may have waited for this lane alone */
        unsigned before = block->waiting[warp];

        for (unsigned lanes = before; lanes; lanes &= lanes - 1)
            if (block->waiting[warp] & (lanes & -lanes))
                gpi_cpu_try_warp(block, warp,
                                 block->fibers[warp * 32 + (unsigned)__builtin_ctz(lanes)].mask);
        if (block->waiting[warp] == before)
            break;
    }
    gpi_cpu_wait(self);
}

/* Nothing can run, yet threads are left: says where they wait. */
static inline void gpi_cpu_report_stuck(gpi_cpu_block *block)
{
    char text[320];
    int used = 0;

    for (unsigned i = 0; i < block->threads && used < (int)sizeof text - 1;) {
        gpi_fiber *fiber = &block->fibers[i];
        unsigned end = i + 1;

        while (end < block->threads && block->fibers[end].state == fiber->state &&
               (fiber->state == GPI_CPU_EXITED || block->fibers[end].site == fiber->site))
            end++;
        if (fiber->state != GPI_CPU_EXITED)
            used += snprintf(text + used, sizeof text - (size_t)used,
                             "%sthreads %u to %u wait at %s %s", used ? "; " : "", i, end - 1,
                             fiber->state == GPI_CPU_AT_BARRIER ? "a barrier,"
                             : fiber->state == GPI_CPU_AT_WARP  ? "a warp operation,"
                                                                : "an mbarrier,",
                             fiber->site);
        i = end;
    }
    gpi_cpu_fail(block, cudaErrorLaunchTimeout,
                 "deadlock, %u of %u threads have exited and %s", block->exited, block->threads, text);
}

static inline void gpi_cpu_run_block(gpi_cpu_block *block, unsigned long long which)
{
    gpi_cpu_launch_state *launch = block->launch;
    dim3 size = launch->block;

    block->index.x = (unsigned)(which % launch->grid.x);
    block->index.y = (unsigned)(which / launch->grid.x % launch->grid.y);
    block->index.z = (unsigned)(which / launch->grid.x / launch->grid.y);
    block->random = gp_cpu.seed * 0x2545F4914F6CDD1Du + which;
    block->ready_first = block->ready_count = block->exited = block->copy_count = 0;
    block->stuck_since = 0;
    memset(block->arrived, 0, sizeof block->arrived);
    memset(block->live, 0, sizeof block->live);
    memset(block->waiting, 0, sizeof block->waiting);
    if (launch->shared_bytes && !gpi_cpu_allocate_dynamic_shared(block)) {
        gpi_cpu_fail(block, cudaErrorMemoryAllocation, "no memory for its shared memory");
        return;
    }
    for (unsigned i = 0; i < block->threads; i++) {
        gpi_fiber *fiber = &block->fibers[i];

        fiber->block = block;
        fiber->rank = i;
        fiber->thread.x = i % size.x;
        fiber->thread.y = i / size.x % size.y;
        fiber->thread.z = i / size.x / size.y;
        fiber->site = "";
        block->live[i / 32] |= 1u << i % 32;
        gpi_cpu_prepare(fiber, gpi_cpu_enter);
        gpi_cpu_make_ready(fiber);
    }
    gpi_cpu_switch(&block->scheduler, gpi_cpu_pick(block));
    gpi_cpu_self = NULL;

    if (block->exited < block->threads) {
        if (!__atomic_load_n(&launch->failed, __ATOMIC_ACQUIRE))
            gpi_cpu_report_stuck(block);
        for (unsigned i = 0; i < block->threads; i++) /* what abandoned frames had poisoned */
            gpi_cpu_unpoison(block->fibers[i].stack, GPI_CPU_STACK);
    }
    gpi_cpu_leave_shared(block);
    gpi_cpu_progress(block);
}

/* ---- a launch -------------------------------------------------------------------------------- */

#ifdef __cplusplus
extern "C" {
#endif
extern pthread_mutex_t gpi_cpu_blocks_lock;
__attribute__((weak)) pthread_mutex_t gpi_cpu_blocks_lock = PTHREAD_MUTEX_INITIALIZER;
extern gpi_cpu_block *gpi_cpu_free_blocks; /* kept for the next launch, stacks and all */
__attribute__((weak)) gpi_cpu_block *gpi_cpu_free_blocks = NULL;
#ifdef __cplusplus
}
#endif

/* A block with stacks for `threads` fibers; each stack has a guard page below it. */
static inline gpi_cpu_block *gpi_cpu_acquire_block(unsigned threads)
{
    gpi_cpu_block *block;

    pthread_mutex_lock(&gpi_cpu_blocks_lock);
    block = gpi_cpu_free_blocks;
    if (block)
        gpi_cpu_free_blocks = block->next_free;
    pthread_mutex_unlock(&gpi_cpu_blocks_lock);
    if (!block)
        block = (gpi_cpu_block *)calloc(1, sizeof *block);
    if (!block)
        return NULL;
    for (unsigned i = 0; i < threads && i < GPI_CPU_MAX_THREADS; i++) {
        gpi_fiber *fiber = &block->fibers[i];

        if (fiber->stack)
            continue;
        char *memory = (char *)aligned_alloc(GPI_CPU_PAGE, GPI_CPU_PAGE + GPI_CPU_STACK);
        if (!memory)
            return NULL; /* out of memory: what the block holds stays behind */
#ifdef GPI_CPU_ASAN
        gpi_cpu_poison(memory, GPI_CPU_PAGE); /* the leak checker must be able to read it */
#else
        mprotect(memory, GPI_CPU_PAGE, PROT_NONE);
#endif
        fiber->stack = memory + GPI_CPU_PAGE;
        fiber->stack_bottom = fiber->stack;
        fiber->stack_bytes = GPI_CPU_STACK;
    }
    block->threads = threads;
    block->scheduler.block = block;
    block->scheduler.stack_bottom = NULL;
    return block;
}

static inline void gpi_cpu_release_block(gpi_cpu_block *block)
{
    pthread_mutex_lock(&gpi_cpu_blocks_lock);
    block->next_free = gpi_cpu_free_blocks;
    gpi_cpu_free_blocks = block;
    pthread_mutex_unlock(&gpi_cpu_blocks_lock);
}

/* What an operating-system thread of a launch does: one block after the other. */
__attribute__((unused)) static void *gpi_cpu_work(void *argument)
{
    gpi_cpu_launch_state *launch = (gpi_cpu_launch_state *)argument;
    gpi_cpu_block *block =
        gpi_cpu_acquire_block(launch->block.x * launch->block.y * launch->block.z);

    if (!block)
        return NULL;
    block->launch = launch;
    while (!__atomic_load_n(&launch->failed, __ATOMIC_ACQUIRE)) {
        unsigned long long which =
            __atomic_fetch_add(&launch->next_block, 1, __ATOMIC_RELAXED);

        if (which >= launch->blocks)
            break;
        if (gp_cpu.seed) /* no kernel may rely on the order in which blocks start */
            which = (which + gp_cpu.seed * 7919) % launch->blocks;
        gpi_cpu_run_block(block, which);
    }
    gpi_cpu_release_block(block);
    return argument;
}

static inline cudaError_t gpi_cpu_refuse(cudaError_t error)
{
    gpi_cpu_last_error = error;
    return error;
}

static cudaError_t gpi_error(cudaError_t error, const char *format, ...);

/* Runs a kernel to its end. The error also becomes the thread's last error. */
__attribute__((unused)) static cudaError_t gpi_cpu_launch(const char *kernel, void (*run)(void *),
                                                          void *arguments, dim3 grid, dim3 block,
                                                          size_t shared_bytes)
{
    gpi_cpu_launch_state launch;
    unsigned long long threads = (unsigned long long)block.x * block.y * block.z;
    pthread_t workers[256];
    int wanted = gpi_cpu_resident_blocks(), started = 0, ran;

    memset((void *)&launch, 0, sizeof launch);
    launch.kernel = kernel;
    launch.run = run;
    launch.arguments = arguments;
    launch.grid = grid;
    launch.block = block;
    launch.shared_bytes = shared_bytes;
    launch.blocks = (unsigned long long)grid.x * grid.y * grid.z;
    if (launch.blocks == 0 || grid.x > 0x7FFFFFFF || grid.y > 0xFFFF || grid.z > 0xFFFF ||
        threads == 0 || threads > GPI_CPU_MAX_THREADS || block.z > 64)
        return gpi_cpu_refuse(cudaErrorInvalidConfiguration);
    if (shared_bytes > GPI_CPU_SHARED_LIMIT)
        return gpi_cpu_refuse(cudaErrorInvalidValue);

    /* The calling thread is one of the workers. */
    if ((unsigned long long)wanted > launch.blocks)
        wanted = (int)launch.blocks;
    while (started < wanted - 1 && started < 256 &&
           pthread_create(&workers[started], NULL, gpi_cpu_work, &launch) == 0)
        started++;
    ran = gpi_cpu_work(&launch) != NULL;
    for (int i = 0; i < started; i++) {
        void *result;

        pthread_join(workers[i], &result);
        ran |= result != NULL;
    }
    if (launch.failed) {
        gpi_error(launch.error, "%s", launch.message);
        return gpi_cpu_refuse(launch.error);
    }
    if (!ran)
        return gpi_cpu_refuse(cudaErrorLaunchOutOfResources);
    return cudaSuccess;
}

#endif
