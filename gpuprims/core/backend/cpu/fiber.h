/*
 * core/backend/cpu/fiber.h: the threads of a kernel on the CPU: fibers, their schedule, launches
 * that fail.
 *
 * A fiber has a stack of its own and yields only where CUDA threads may wait or interleave: at
 * barriers, warp operations, polls and atomics. So the schedule of a block depends on the seed and
 * the block alone, as long as the block does not read what other blocks do.
 *
 * Part of core/backend/cpu/backend.h; not to be included directly.
 */
#ifndef GPI_CPU_FIBER_H
#define GPI_CPU_FIBER_H

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/mman.h>

/* ---- CUDA's keywords and built-in variables --------------------------------------------------- */

#define __global__ __attribute__((unused))
#define __device__ __attribute__((unused))
#define __host__
#define __constant__ __attribute__((unused))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))
#ifdef __cplusplus
#define __restrict__ __restrict
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
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_)
    {
    }
#endif
} dim3;

#define threadIdx (gpi_cpu_self->thread)
#define blockIdx (gpi_cpu_self->block->index)
#define blockDim (gpi_cpu_self->block->launch->block)
#define gridDim (gpi_cpu_self->block->launch->grid)
#define warpSize 32

/* Of what runs at each switch: optimised in every build, and no sanitizer looks at it. */
#ifdef __clang__
#define GPI_CPU_HOT __attribute__((no_sanitize("address", "undefined")))
#else
#define GPI_CPU_HOT __attribute__((no_sanitize("address", "undefined"), optimize("O2")))
#endif

/* ---- fibers, blocks and launches ------------------------------------------------------------- */

enum {
    GPI_CPU_MAX_THREADS = 1024, /* of a block */
    GPI_CPU_MAX_WARPS = GPI_CPU_MAX_THREADS / 32,
    GPI_CPU_MAX_SHARED = 64, /* GP_SHARED variables of one kernel */
    GPI_CPU_MAX_COPIES = 64, /* bulk copies of a block in flight; one more completes one */
    GPI_CPU_MAX_CLUSTER = 16, /* blocks of a cluster */
    GPI_CPU_BARRIERS = 16,   /* __syncthreads() is barrier 0, named barriers are 1 to 15 */
    GPI_CPU_REDZONE = 128,   /* around each piece of shared memory, or its alignment if larger */
    GPI_CPU_PAGE = 4096,
#ifdef GPI_CPU_ASAN
    GPI_CPU_STACK = 1 << 20, /* of a fiber: red zones around large types take much of it */
#else
    GPI_CPU_STACK = 256 << 10, /* of a fiber; untouched pages cost no memory */
#endif
    GPI_CPU_TURNS = 1024 /* looks in vain, other blocks' turns between them, before a block counts as stuck */
};

typedef enum gpi_cpu_state {
    GPI_CPU_READY,
    GPI_CPU_AT_BARRIER,
    GPI_CPU_AT_WARP,
    GPI_CPU_AT_MBARRIER,
    GPI_CPU_GIVEN_UP,
    GPI_CPU_EXITED
} gpi_cpu_state;

/* GP_CPU_UCONTEXT: ucontext everywhere, for tests. It makes a system call at each switch. */
#if defined __x86_64__ && !defined GP_CPU_UCONTEXT
typedef void *gpi_cpu_context; /* the stack pointer; everything else is on the stack */
#else
#include <ucontext.h>
#define GPI_CPU_UCONTEXT 1
typedef ucontext_t gpi_cpu_context;
#endif

typedef struct gpi_fiber {
    gpi_cpu_context context;
    char *stack;
    const void *stack_bottom; /* for AddressSanitizer */
    size_t stack_bytes;
    void *fake_stack; /* AddressSanitizer's; kept from block to block, like the stack */
    struct gpi_cpu_block *block;
    uint3 thread;
    unsigned rank; /* in the block; the warp is rank / 32 */
    gpi_cpu_state state;
    const char *site;         /* where it waits, as file:line */
    int barrier;              /* AT_BARRIER: which */
    int predicate;            /* AT_BARRIER: this thread's contribution */
    const uint64_t *mbarrier; /* AT_MBARRIER: which */
    unsigned bulk_groups;     /* groups of bulk stores that it has committed */
    void *late_to;            /* an asynchronous copy of its own, under way unless late_bytes is 0 */
    const void *late_from;
    size_t late_bytes;
    unsigned mask;            /* AT_WARP: the participating lanes, and this lane's operands */
    int operation;
    unsigned argument;
    unsigned width;
    uint64_t value;
    uint64_t result;
} gpi_fiber;

/* The blocks of a cluster, from the first one that starts to the last one that ends. */
typedef struct gpi_cpu_cluster {
    char *dynamic_shared[GPI_CPU_MAX_CLUSTER]; /* NULL before a block starts and after it ends */
    unsigned arrived, phase;                   /* of the cluster's barrier: blocks, and how often all have */
} gpi_cpu_cluster;

/* A launch, shared by its operating-system threads. */
typedef struct gpi_cpu_launch_state {
    const char *kernel;
    void (*run)(void *arguments);
    void *arguments;
    dim3 grid, block;
    size_t shared_bytes;
    unsigned long long blocks, next_block;
    unsigned cluster; /* blocks per cluster; 1 without clusters */
    gpi_cpu_cluster *clusters;
    struct gpi_cpu_block **resident; /* the blocks that run at a time */
    unsigned resident_count;
    pthread_mutex_t gate;       /* held until enough of them have been created */
    int failed;
    cudaError_t error;
    char message[512];
} gpi_cpu_launch_state;

typedef struct gpi_cpu_shared_variable {
    char *low, *high; /* its red zones */
    size_t zone;      /* their size */
    const char *name, *site;
} gpi_cpu_shared_variable;

typedef struct gpi_cpu_copy { /* a bulk copy in flight */
    void *to;
    const void *from;
    size_t bytes;
    uint64_t *mbarrier; /* that a load completes; NULL for a store */
    unsigned rank;      /* the thread that issued it */
    unsigned group;     /* a store: its group */
} gpi_cpu_copy;

/* Fibers that can run, by rank. */
typedef struct gpi_cpu_queue {
    unsigned ranks[GPI_CPU_MAX_THREADS], first, count;
} gpi_cpu_queue;

/* A resident block. The operating-system thread that runs it reuses it for block after block. */
typedef struct gpi_cpu_block {
    struct gpi_cpu_block *next_free;
    char *stacks; /* of the first stack_count fibers, in one mapping */
    unsigned stack_count;
    int is_guarded; /* there is a guard page below each stack */
    gpi_fiber fibers[GPI_CPU_MAX_THREADS];
    gpi_fiber scheduler; /* the operating-system thread and its stack */
    gpi_cpu_queue ready[2]; /* the second: of slow threads */
    gpi_cpu_queue polling;  /* those that look again once the block has changed something, or can do nothing else */
    int changed;            /* it has, since they last looked */
    unsigned long long changes; /* how often it has written to memory that others may poll */
    uint32_t slow;          /* which warps are slow, or which lanes */
    int slow_lanes;
    int slow_turn; /* the next one is slow, if any is ready */
    unsigned threads, exited;
    unsigned live[GPI_CPU_MAX_WARPS];    /* lanes that have not exited */
    unsigned waiting[GPI_CPU_MAX_WARPS]; /* lanes that wait in a warp operation */
    unsigned arrived[GPI_CPU_BARRIERS], expected[GPI_CPU_BARRIERS];
    int count_result;
    uint3 index;
    gpi_cpu_launch_state *launch;
    gpi_cpu_cluster *cluster;
    gpi_cpu_cluster alone; /* for a block without a cluster */
    unsigned cluster_rank; /* the block's number in its cluster */
    unsigned cluster_arrived, cluster_phase; /* its threads at the cluster's barrier, and how often they have waited */
    uint64_t random;
    gpi_cpu_shared_variable shared[GPI_CPU_MAX_SHARED];
    unsigned shared_count;
    size_t shared_bytes;
    char *dynamic_shared;
    unsigned char undefined; /* every byte of new shared memory */
    gpi_cpu_copy copies[GPI_CPU_MAX_COPIES];
    unsigned copy_count;
    int late_copies; /* bulk copies complete only when no fiber can run */
    unsigned polls;
    unsigned long long seen_changes; /* of the launch, when the block could last do nothing but poll */
    unsigned quiet_turns;            /* how often that has come in turn, without a change */
    double quiet_since;
    unsigned long long stuck_at; /* 1 + the changes after which it polled in vain, or GPI_CPU_OVER */
} gpi_cpu_block;

#define GPI_CPU_OVER (~0ull) /* its operating-system thread has finished */

/* The bytes of new shared memory: in one block this, in the next another one of the 16 from here. */
#define GPI_CPU_UNDEFINED 0xD0

#define GPI_CPU_TEXT_(x) #x
#define GPI_CPU_TEXT(x) GPI_CPU_TEXT_(x)
#define GPI_CPU_SITE __FILE__ ":" GPI_CPU_TEXT(__LINE__)
#define GPI_CPU_PASTE_(a, b) a##b
#define GPI_CPU_PASTE(a, b) GPI_CPU_PASTE_(a, b)

/* ---- switching stacks ------------------------------------------------------------------------ */

#ifndef GPI_CPU_UCONTEXT

/* Hides the body from gcc, to which it seems to use no argument and to change nothing. */
#ifdef __clang__
#define GPI_CPU_OPAQUE __attribute__((naked, noinline, unused))
#else
#define GPI_CPU_OPAQUE __attribute__((naked, noipa, unused))
#endif

/* Saves the callee-saved registers and the stack pointer, and resumes `to`. */
GPI_CPU_OPAQUE static void gpi_cpu_swap(__attribute__((unused)) gpi_cpu_context *from,
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

    *--top = NULL; /* the return address of entry(); zero ends a backtrace */
    *--top = (void *)(uintptr_t)entry;
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

GPI_CPU_HOT static inline void gpi_cpu_switch(gpi_fiber *from, gpi_fiber *to)
{
#ifdef GPI_CPU_ASAN
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack_bottom, to->stack_bytes);
#endif
    gpi_cpu_self = to;
    gpi_cpu_swap(&from->context, &to->context);
#ifdef GPI_CPU_ASAN
    __sanitizer_finish_switch_fiber(from->fake_stack, NULL, NULL);
#endif
}

/* ---- the schedule ---------------------------------------------------------------------------- */

/* splitmix64 (Steele, Lea, Flood 2014): any seed will do, zero included. */
GPI_CPU_HOT static inline uint64_t gpi_cpu_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

GPI_CPU_HOT static inline void gpi_cpu_make_ready(gpi_fiber *fiber)
{
    gpi_cpu_block *block = fiber->block;
    unsigned place = block->slow_lanes ? fiber->rank % 32 : fiber->rank / 32;
    gpi_cpu_queue *queue = &block->ready[block->slow >> place & 1];

    fiber->state = GPI_CPU_READY;
    queue->ranks[(queue->first + queue->count++) % GPI_CPU_MAX_THREADS] = fiber->rank;
}

GPI_CPU_HOT static inline unsigned gpi_cpu_ready_count(const gpi_cpu_block *block)
{
    return block->ready[0].count + block->ready[1].count;
}

/* With a seed, the warps of some blocks are of unequal speed, or the lanes of each warp. */
static inline void gpi_cpu_choose_slow(gpi_cpu_block *block)
{
    uint64_t dice = gp_cpu.seed ? gpi_cpu_random(&block->random) : 0;

    block->slow = dice % 2 ? (uint32_t)(dice >> 32) & (uint32_t)(dice >> 16) : 0;
    block->slow_lanes = dice / 2 % 2;
    block->slow_turn = 0;
    block->ready[0].first = block->ready[0].count = block->ready[1].first = block->ready[1].count = 0;
    block->polling.count = 0;
    block->changed = 0;
}

static inline void gpi_cpu_finish_copy(gpi_cpu_block *block, unsigned which);

/* Lets those that poll look again. */
GPI_CPU_HOT static inline void gpi_cpu_look_again(gpi_cpu_block *block)
{
    for (unsigned i = 0; i < block->polling.count; i++)
        gpi_cpu_make_ready(&block->fibers[block->polling.ranks[i]]);
    block->polling.count = 0;
    block->changed = 0;
}

static inline int gpi_cpu_is_over(gpi_cpu_block *block);

/* The next fiber to run, or the scheduler when none can. */
GPI_CPU_HOT static inline gpi_fiber *gpi_cpu_pick(gpi_cpu_block *block)
{
    if (block->polling.count && (block->changed || gpi_cpu_random(&block->random) % 1024 == 0))
        gpi_cpu_look_again(block);
    /* A bulk copy completes at a random time, at the latest when no fiber can run. */
    while (block->copy_count) {
        uint64_t dice = gp_cpu.seed ? gpi_cpu_random(&block->random) : 0;

        if (gpi_cpu_ready_count(block) && (dice % 8 || block->late_copies))
            break;
        gpi_cpu_finish_copy(block, (unsigned)(dice / 8 % block->copy_count));
    }
    if (!gpi_cpu_ready_count(block)) {
        if (!block->polling.count || gpi_cpu_is_over(block))
            return &block->scheduler;
        sched_yield(); /* another block may be about to change it */
        gpi_cpu_look_again(block);
    }

    gpi_cpu_queue *queue = &block->ready[0];
    if (block->ready[1].count &&
        (!queue->count || block->slow_turn || gpi_cpu_random(&block->random) % 1024 == 0))
        queue = &block->ready[1];
    block->slow_turn = 0;
    unsigned *first = &queue->ranks[queue->first];
    if (gp_cpu.seed) { /* a random fiber of the queue, which swaps places with the first */
        uint64_t skip = (gpi_cpu_random(&block->random) >> 32) * queue->count >> 32;
        unsigned *other = &queue->ranks[(queue->first + skip) % GPI_CPU_MAX_THREADS];
        unsigned rank = *first;

        *first = *other;
        *other = rank;
    }
    queue->first = (queue->first + 1) % GPI_CPU_MAX_THREADS;
    queue->count--;
    return &block->fibers[*first];
}

/* Suspends the current fiber, as its state says, until another makes it ready. */
GPI_CPU_HOT static inline void gpi_cpu_wait(gpi_fiber *self)
{
    gpi_fiber *next = gpi_cpu_pick(self->block);

    if (next != self)
        gpi_cpu_switch(self, next);
}

/* Lets other fibers run first. */
GPI_CPU_HOT static inline void gpi_cpu_yield(gpi_fiber *self)
{
    gpi_cpu_make_ready(self);
    gpi_cpu_wait(self);
}

/* Where a GPU may interleave other threads: the schedule may do so too. */
GPI_CPU_HOT static inline void gpi_cpu_maybe_yield(void)
{
    gpi_fiber *self = gpi_cpu_self;

    if (self && gp_cpu.seed && gpi_cpu_random(&self->block->random) % 4 == 0)
        gpi_cpu_yield(self);
}

/* ---- launches that fail ---------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static inline void gpi_cpu_append(char *text, size_t bytes,
                                                                        const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + used, bytes - used, format, arguments);
    va_end(arguments);
}

/* Fails the launch: the first message is kept, and all its blocks are given up. */
__attribute__((format(printf, 3, 4))) static inline void
gpi_cpu_fail(gpi_cpu_block *block, cudaError_t error, const char *format, ...)
{
    gpi_cpu_launch_state *launch = block->launch;
    char text[sizeof launch->message];
    va_list arguments;

    if (__atomic_exchange_n(&launch->failed, 1, __ATOMIC_ACQ_REL))
        return;
    launch->error = error;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    gpi_cpu_append(launch->message, sizeof launch->message, "kernel %s, block (%u,%u,%u): %s",
                   launch->kernel, block->index.x, block->index.y, block->index.z, text);
}

/* Leaves the block; none of its fibers runs again. */
static inline void gpi_cpu_give_up(gpi_fiber *self)
{
    self->state = GPI_CPU_GIVEN_UP;
    self->block->ready[0].count = self->block->ready[1].count = self->block->polling.count = 0;
    self->block->copy_count = 0;
    gpi_cpu_switch(self, &self->block->scheduler);
}

/* Memory that another thread may poll has changed. */
GPI_CPU_HOT static inline void gpi_cpu_changed(void)
{
    if (!gpi_cpu_self)
        return;
    gpi_cpu_block *block = gpi_cpu_self->block;

    block->changed = 1;
    __atomic_store_n(&block->changes, block->changes + 1, __ATOMIC_RELAXED);
}

/* How often the blocks of a launch have done so. */
static inline unsigned long long gpi_cpu_count_changes(const gpi_cpu_launch_state *launch)
{
    unsigned long long changes = 0;

    for (unsigned i = 0; i < launch->resident_count; i++)
        changes += __atomic_load_n(&launch->resident[i]->changes, __ATOMIC_ACQUIRE);
    return changes;
}

static inline void gpi_cpu_set_stuck(gpi_cpu_block *block, unsigned long long at)
{
    __atomic_store_n(&block->stuck_at, at, __ATOMIC_RELEASE);
}

/*
 * Whether the launch has failed. It does when all its resident blocks can do nothing but poll, and have seen nothing
 * change for gp_cpu.patience_ms. On a busy machine that may pass before the thread that would change something runs:
 * so turns count too.
 */
static inline int gpi_cpu_is_over(gpi_cpu_block *block)
{
    gpi_cpu_launch_state *launch = block->launch;
    const unsigned long long changes = gpi_cpu_count_changes(launch);
    const double now = gpi_cpu_milliseconds();

    if (__atomic_load_n(&launch->failed, __ATOMIC_ACQUIRE))
        return 1;
    if (block->quiet_turns++ == 0 || changes != block->seen_changes) {
        block->seen_changes = changes;
        block->quiet_since = now;
        block->quiet_turns = 1;
    }
    if (now - block->quiet_since < gp_cpu.patience_ms || block->quiet_turns < GPI_CPU_TURNS)
        return 0;
    gpi_cpu_set_stuck(block, changes + 1);
    for (unsigned i = 0; i < launch->resident_count; i++) {
        unsigned long long at = __atomic_load_n(&launch->resident[i]->stuck_at, __ATOMIC_ACQUIRE);

        if (at != changes + 1 && at != GPI_CPU_OVER)
            return 0;
    }
    const uint3 thread = block->fibers[block->polling.ranks[0]].thread;
    gpi_cpu_fail(block, cudaErrorLaunchTimeout,
                 "thread (%u,%u,%u) polls memory that nobody has changed for %d ms", thread.x, thread.y,
                 thread.z, gp_cpu.patience_ms);
    return 1;
}

/*
 * Called by everything that a thread may call in a loop until another thread acts: lets the other
 * fibers and the other blocks run.
 */
GPI_CPU_HOT static inline void gpi_cpu_poll(void)
{
    gpi_fiber *self = gpi_cpu_self;

    if (!self)
        return;
    gpi_cpu_block *block = self->block;

    block->slow_turn = ++block->polls % 256 == 0; /* it may wait for a slow one */
    if (block->polls % 1024 == 0 && __atomic_load_n(&block->launch->failed, __ATOMIC_ACQUIRE))
        gpi_cpu_give_up(self);
    block->polling.ranks[block->polling.count++] = self->rank;
    gpi_cpu_wait(self);
}

#endif
