/*
 * core/cpu_warp.h: the operations of a warp on the CPU: shuffles, votes, match, reduce, __syncwarp.
 *
 * Every lane leaves what it brings in its fiber and waits; the last lane of the mask to arrive carries
 * the operation out for all of them. A lane that has exited is not waited for.
 *
 * Part of core/cpu_backend.h; not to be included directly.
 */
#ifndef GPI_CPU_WARP_H
#define GPI_CPU_WARP_H

enum {
    GPI_CPU_SYNCWARP,
    GPI_CPU_SHFL,
    GPI_CPU_SHFL_UP,
    GPI_CPU_SHFL_DOWN,
    GPI_CPU_SHFL_XOR,
    GPI_CPU_BALLOT,
    GPI_CPU_MATCH_ANY,
    GPI_CPU_MATCH_ALL,
    GPI_CPU_ADD,
    GPI_CPU_MIN,
    GPI_CPU_MAX,
    GPI_CPU_AND,
    GPI_CPU_OR,
    GPI_CPU_XOR
};

#define GPI_CPU_NOBODY 0xDEADBEEFDEADBEEFu /* what a shuffle from an absent lane gives */

/* The lane that `lane` reads from in a shuffle. */
static inline int gpi_cpu_source_lane(const gpi_fiber *fiber, int lane)
{
    int first = lane & ~(fiber->width - 1), last = first + fiber->width - 1, source = lane;

    switch (fiber->operation) {
    case GPI_CPU_SHFL: return first + (fiber->argument & (fiber->width - 1));
    case GPI_CPU_SHFL_UP: source = lane - fiber->argument; break;
    case GPI_CPU_SHFL_DOWN: source = lane + fiber->argument; break;
    case GPI_CPU_SHFL_XOR: /* a lower group may be read, a higher one not */
        source = lane ^ fiber->argument;
        return source > last ? lane : source;
    }
    return source < first || source > last ? lane : source;
}

static inline uint64_t gpi_cpu_reduce_step(int operation, uint64_t a, uint64_t b)
{
    switch (operation) {
    case GPI_CPU_ADD: return a + b;
    case GPI_CPU_MIN: return (int64_t)a < (int64_t)b ? a : b;
    case GPI_CPU_MAX: return (int64_t)a > (int64_t)b ? a : b;
    case GPI_CPU_AND: return a & b;
    case GPI_CPU_OR: return a | b;
    default: return a ^ b;
    }
}

/* Carries out a warp operation for all `lanes`, which have arrived with the same mask and operation. */
static inline void gpi_cpu_run_warp(gpi_fiber *warp, unsigned lanes)
{
    int operation = warp[__builtin_ctz(lanes)].operation, first = 1;
    uint64_t total = 0;
    unsigned ballot = 0;

    for (unsigned rest = lanes; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);

        ballot |= (unsigned)(warp[lane].value != 0) << lane;
        total = first ? warp[lane].value
                      : gpi_cpu_reduce_step(operation, total, warp[lane].value);
        first = 0;
    }
    for (unsigned rest = lanes; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest), source;
        unsigned same = 0;

        switch (operation) {
        case GPI_CPU_SHFL:
        case GPI_CPU_SHFL_UP:
        case GPI_CPU_SHFL_DOWN:
        case GPI_CPU_SHFL_XOR:
            source = gpi_cpu_source_lane(&warp[lane], lane);
            warp[lane].result = lanes >> source & 1 ? warp[source].value : GPI_CPU_NOBODY;
            break;
        case GPI_CPU_BALLOT: warp[lane].result = ballot; break;
        case GPI_CPU_MATCH_ANY:
        case GPI_CPU_MATCH_ALL:
            for (unsigned others = lanes; others; others &= others - 1)
                if (warp[__builtin_ctz(others)].value == warp[lane].value)
                    same |= others & -others;
            warp[lane].result = operation == GPI_CPU_MATCH_ANY || same == lanes ? same : 0;
            break;
        default: warp[lane].result = total; break;
        }
    }
}

/* Completes the operation on `mask` if every lane of it that is left has come to it. */
static inline void gpi_cpu_try_warp(gpi_cpu_block *block, unsigned warp, unsigned mask)
{
    gpi_fiber *fibers = &block->fibers[warp * 32];
    unsigned lanes = mask & block->live[warp];

    if (!lanes || (block->waiting[warp] & lanes) != lanes)
        return;
    for (unsigned rest = lanes; rest; rest &= rest - 1) {
        gpi_fiber *fiber = &fibers[__builtin_ctz(rest)];

        if (fiber->mask != mask || fiber->operation != fibers[__builtin_ctz(lanes)].operation)
            return;
    }
    gpi_cpu_run_warp(fibers, lanes);
    block->waiting[warp] &= ~lanes;
    for (unsigned rest = lanes; rest; rest &= rest - 1)
        gpi_cpu_make_ready(&fibers[__builtin_ctz(rest)]);
}

static inline uint64_t gpi_cpu_warp(int operation, unsigned mask, uint64_t value, int argument,
                                    int width, const char *site)
{
    gpi_fiber *self = gpi_cpu_self;
    gpi_cpu_block *block = self->block;
    unsigned warp = self->rank / 32, lane = self->rank % 32;

    if (!(mask >> lane & 1) || width < 1 || width > 32 || (width & (width - 1))) {
        gpi_cpu_fail(block, cudaErrorLaunchFailure,
                     "thread (%u,%u,%u) calls a warp operation with mask %08x and width %d at %s; "
                     "the mask must hold the caller, the width be a power of two up to 32",
                     self->thread.x, self->thread.y, self->thread.z, mask, width, site);
        gpi_cpu_give_up(self);
    }
    self->operation = operation;
    self->mask = mask;
    self->value = value;
    self->argument = argument;
    self->width = width;
    self->site = site;
    self->state = GPI_CPU_AT_WARP;
    block->waiting[warp] |= 1u << lane;
    gpi_cpu_try_warp(block, warp, mask);
    gpi_cpu_wait(self);
    return self->result;
}

/* Macros stand for CUDA's overloads; a last argument that may be left out is the first of `...`. */
#define GPI_CPU_FIRST(first, ...) first

#define __syncwarp(...) GPI_CPU_SYNCWARP_(0, ##__VA_ARGS__, 0xFFFFFFFFu, 0)
#define GPI_CPU_SYNCWARP_(zero, mask, ...) \
    ((void)gpi_cpu_warp(GPI_CPU_SYNCWARP, (mask), 0, 0, 32, GPI_CPU_SITE))

#define GPI_CPU_SHUFFLE(operation, mask, variable, argument, ...)                            \
    __extension__({                                                                          \
        __typeof__(__extension__({ (variable); })) gpi_value = (variable);                   \
        uint64_t gpi_bits = 0;                                                               \
        memcpy(&gpi_bits, &gpi_value, sizeof gpi_value);                                     \
        gpi_bits = gpi_cpu_warp(operation, (mask), gpi_bits, (int)(argument),                \
                                GPI_CPU_FIRST(__VA_ARGS__), GPI_CPU_SITE);                   \
        memcpy(&gpi_value, &gpi_bits, sizeof gpi_value);                                     \
        gpi_value;                                                                           \
    })

#define __shfl_sync(mask, variable, ...) GPI_CPU_SHFL_(GPI_CPU_SHFL, mask, variable, __VA_ARGS__, 32, 0)
#define __shfl_up_sync(mask, variable, ...) \
    GPI_CPU_SHFL_(GPI_CPU_SHFL_UP, mask, variable, __VA_ARGS__, 32, 0)
#define __shfl_down_sync(mask, variable, ...) \
    GPI_CPU_SHFL_(GPI_CPU_SHFL_DOWN, mask, variable, __VA_ARGS__, 32, 0)
#define __shfl_xor_sync(mask, variable, ...) \
    GPI_CPU_SHFL_(GPI_CPU_SHFL_XOR, mask, variable, __VA_ARGS__, 32, 0)
#define GPI_CPU_SHFL_(operation, mask, variable, argument, width, ...) \
    GPI_CPU_SHUFFLE(operation, mask, variable, argument, width, 0)

#define __ballot_sync(mask, predicate) \
    ((unsigned)gpi_cpu_warp(GPI_CPU_BALLOT, (mask), (predicate) != 0, 0, 32, GPI_CPU_SITE))
#define __any_sync(mask, predicate) \
    (gpi_cpu_warp(GPI_CPU_BALLOT, (mask), (predicate) != 0, 0, 32, GPI_CPU_SITE) != 0)
#define __all_sync(mask, predicate) \
    (gpi_cpu_warp(GPI_CPU_BALLOT, (mask), (predicate) == 0, 0, 32, GPI_CPU_SITE) == 0)

#define __match_any_sync(mask, variable) \
    ((unsigned)gpi_cpu_match(GPI_CPU_MATCH_ANY, mask, variable))
#define __match_all_sync(mask, variable, all)                                             \
    __extension__({                                                                       \
        unsigned gpi_same = (unsigned)gpi_cpu_match(GPI_CPU_MATCH_ALL, mask, variable);   \
        *(all) = gpi_same != 0;                                                           \
        gpi_same;                                                                         \
    })
#define gpi_cpu_match(operation, mask, variable)                                          \
    __extension__({                                                                       \
        __typeof__(__extension__({ (variable); })) gpi_value = (variable);                \
        uint64_t gpi_bits = 0;                                                            \
        memcpy(&gpi_bits, &gpi_value, sizeof gpi_value);                                  \
        gpi_cpu_warp(operation, (mask), gpi_bits, 0, 32, GPI_CPU_SITE);                   \
    })

/* 32-bit values, signed or not: both fit a signed 64-bit comparison. */
#define GPI_CPU_REDUCE(operation, mask, variable)                                             \
    __extension__({                                                                           \
        __typeof__(__extension__({ (variable); })) gpi_value = (variable);                    \
        gpi_value = (__typeof__(gpi_value))gpi_cpu_warp(                                      \
            operation, (mask), (uint64_t)(int64_t)gpi_value, 0, 32, GPI_CPU_SITE);            \
        gpi_value;                                                                            \
    })
#define __reduce_add_sync(mask, variable) GPI_CPU_REDUCE(GPI_CPU_ADD, mask, variable)
#define __reduce_min_sync(mask, variable) GPI_CPU_REDUCE(GPI_CPU_MIN, mask, variable)
#define __reduce_max_sync(mask, variable) GPI_CPU_REDUCE(GPI_CPU_MAX, mask, variable)
#define __reduce_and_sync(mask, variable) GPI_CPU_REDUCE(GPI_CPU_AND, mask, variable)
#define __reduce_or_sync(mask, variable)  GPI_CPU_REDUCE(GPI_CPU_OR, mask, variable)
#define __reduce_xor_sync(mask, variable) GPI_CPU_REDUCE(GPI_CPU_XOR, mask, variable)

/* The lanes of the caller's warp that have not exited. */
#define __activemask() (gpi_cpu_self->block->live[gpi_cpu_self->rank / 32])

#endif
