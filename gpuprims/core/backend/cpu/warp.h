/*
 * core/backend/cpu/warp.h: the operations of a warp on the CPU: shuffles, ballots, match, reduce,
 * __syncwarp.
 *
 * Each lane leaves its operands in its fiber and waits; the last lane of the mask to arrive
 * performs the operation for all of them. Lanes that have exited are not waited for.
 *
 * Part of core/backend/cpu/backend.h; not to be included directly.
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

#define GPI_CPU_ABSENT 0xDEADBEEFDEADBEEFu /* the result of a shuffle from an absent lane */

/* The lane that `lane` reads from in a shuffle. */
GPI_CPU_HOT static inline int gpi_cpu_source_lane(const gpi_fiber *fiber, int lane)
{
    int width = (int)fiber->width, first = lane & -width, last = first + width - 1, source = lane;
    int argument = fiber->argument % 32; /* as the instruction does */

    switch (fiber->operation) {
    case GPI_CPU_SHFL: return first + (argument & (width - 1));
    case GPI_CPU_SHFL_UP: source = lane - argument; break;
    case GPI_CPU_SHFL_DOWN: source = lane + argument; break;
    case GPI_CPU_SHFL_XOR: /* a lower group may be read, a higher one may not */
        source = lane ^ argument;
        return source > last ? lane : source;
    }
    return source < first || source > last ? lane : source;
}

GPI_CPU_HOT static inline void gpi_cpu_run_shuffle(gpi_fiber *warp, unsigned lanes)
{
    for (unsigned rest = lanes; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest), source = gpi_cpu_source_lane(&warp[lane], lane);

        warp[lane].result = lanes >> source & 1 ? warp[source].value : GPI_CPU_ABSENT;
    }
}

GPI_CPU_HOT static inline void gpi_cpu_run_match(gpi_fiber *warp, unsigned lanes)
{
    for (unsigned rest = lanes; rest; rest &= rest - 1) {
        gpi_fiber *self = &warp[__builtin_ctz(rest)];
        unsigned same = 0;

        for (unsigned others = lanes; others; others &= others - 1)
            if (warp[__builtin_ctz(others)].value == self->value)
                same |= others & -others;
        self->result = self->operation == GPI_CPU_MATCH_ANY || same == lanes ? same : 0;
    }
}

/* Combines `total` with the value of `lane`: a ballot, a reduction, or nothing for __syncwarp(). */
GPI_CPU_HOT static inline uint64_t gpi_cpu_reduce_step(int operation, uint64_t total, uint64_t value, int lane)
{
    switch (operation) {
    case GPI_CPU_BALLOT: return total | (uint64_t)(value != 0) << lane;
    case GPI_CPU_ADD: return total + value;
    case GPI_CPU_MIN: return (int64_t)total < (int64_t)value ? total : value;
    case GPI_CPU_MAX: return (int64_t)total > (int64_t)value ? total : value;
    case GPI_CPU_AND: return total & value;
    case GPI_CPU_OR: return total | value;
    case GPI_CPU_XOR: return total ^ value;
    default: return 0;
    }
}

GPI_CPU_HOT static inline void gpi_cpu_run_reduction(gpi_fiber *warp, unsigned lanes)
{
    int first = __builtin_ctz(lanes), operation = warp[first].operation;
    uint64_t total = operation == GPI_CPU_BALLOT ? 0 : warp[first].value;
    unsigned rest = operation == GPI_CPU_BALLOT ? lanes : lanes & (lanes - 1);

    for (; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);

        total = gpi_cpu_reduce_step(operation, total, warp[lane].value, lane);
    }
    for (rest = lanes; rest; rest &= rest - 1)
        warp[__builtin_ctz(rest)].result = total;
}

/* Performs a warp operation for `lanes`, which have come with the same mask and operation. */
GPI_CPU_HOT static inline void gpi_cpu_run_warp(gpi_fiber *warp, unsigned lanes)
{
    switch (warp[__builtin_ctz(lanes)].operation) {
    case GPI_CPU_SHFL:
    case GPI_CPU_SHFL_UP:
    case GPI_CPU_SHFL_DOWN:
    case GPI_CPU_SHFL_XOR: gpi_cpu_run_shuffle(warp, lanes); break;
    case GPI_CPU_MATCH_ANY:
    case GPI_CPU_MATCH_ALL: gpi_cpu_run_match(warp, lanes); break;
    default: gpi_cpu_run_reduction(warp, lanes);
    }
}

/* Completes the operation on `mask` if all its live lanes have come to it. */
GPI_CPU_HOT static inline void gpi_cpu_try_warp(gpi_cpu_block *block, unsigned warp, unsigned mask)
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

GPI_CPU_HOT static inline uint64_t gpi_cpu_warp(int operation, unsigned mask, uint64_t value, unsigned argument,
                                                unsigned width, const char *site)
{
    gpi_fiber *self = gpi_cpu_self;
    gpi_cpu_block *block = self->block;
    unsigned warp = self->rank / 32, lane = self->rank % 32;

    if (!(mask >> lane & 1) || width == 0 || width > 32 || (width & (width - 1))) {
        gpi_cpu_fail(block, cudaErrorLaunchFailure,
                     "thread (%u,%u,%u) calls a warp operation with mask %08x and width %u at %s; "
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

/* The default mask is all lanes. */
#define __syncwarp(...)                                                                            \
    ((void)gpi_cpu_warp(GPI_CPU_SYNCWARP,                                                          \
                        sizeof #__VA_ARGS__ > 1 ? (unsigned)(__VA_ARGS__ + 0) : 0xFFFFFFFFu, 0, 0, \
                        32, GPI_CPU_SITE))

/* Macros in place of CUDA's overloads. The width may be left out: then it is the 32 that follows. */
#define GPI_CPU_SHUFFLE(operation, mask, variable, argument, width, ...)           \
    __extension__({                                                                \
        __typeof__(__extension__({ (variable); })) gpi_value = (variable);         \
        uint64_t gpi_bits = 0;                                                     \
        memcpy(&gpi_bits, &gpi_value, sizeof gpi_value);                           \
        gpi_bits = gpi_cpu_warp(operation, (mask), gpi_bits, (unsigned)(argument), \
                                (unsigned)(width), GPI_CPU_SITE);                  \
        memcpy(&gpi_value, &gpi_bits, sizeof gpi_value);                           \
        gpi_value;                                                                 \
    })

#define __shfl_sync(mask, variable, ...) \
    GPI_CPU_SHUFFLE(GPI_CPU_SHFL, mask, variable, __VA_ARGS__, 32, 0)
#define __shfl_up_sync(mask, variable, ...) \
    GPI_CPU_SHUFFLE(GPI_CPU_SHFL_UP, mask, variable, __VA_ARGS__, 32, 0)
#define __shfl_down_sync(mask, variable, ...) \
    GPI_CPU_SHUFFLE(GPI_CPU_SHFL_DOWN, mask, variable, __VA_ARGS__, 32, 0)
#define __shfl_xor_sync(mask, variable, ...) \
    GPI_CPU_SHUFFLE(GPI_CPU_SHFL_XOR, mask, variable, __VA_ARGS__, 32, 0)

#define __ballot_sync(mask, predicate) \
    ((unsigned)gpi_cpu_warp(GPI_CPU_BALLOT, (mask), (predicate) != 0, 0, 32, GPI_CPU_SITE))
#define __any_sync(mask, predicate) \
    (gpi_cpu_warp(GPI_CPU_BALLOT, (mask), (predicate) != 0, 0, 32, GPI_CPU_SITE) != 0)
#define __all_sync(mask, predicate) \
    (gpi_cpu_warp(GPI_CPU_BALLOT, (mask), (predicate) == 0, 0, 32, GPI_CPU_SITE) == 0)

#define __match_any_sync(mask, variable) \
    ((unsigned)gpi_cpu_match(GPI_CPU_MATCH_ANY, mask, variable))
#define __match_all_sync(mask, variable, all)                                           \
    __extension__({                                                                     \
        unsigned gpi_same = (unsigned)gpi_cpu_match(GPI_CPU_MATCH_ALL, mask, variable); \
        *(all) = gpi_same != 0;                                                         \
        gpi_same;                                                                       \
    })
#define gpi_cpu_match(operation, mask, variable)                           \
    __extension__({                                                        \
        __typeof__(__extension__({ (variable); })) gpi_value = (variable); \
        uint64_t gpi_bits = 0;                                             \
        memcpy(&gpi_bits, &gpi_value, sizeof gpi_value);                   \
        gpi_cpu_warp(operation, (mask), gpi_bits, 0, 32, GPI_CPU_SITE);    \
    })

/* 32-bit values, signed or not: both fit a signed 64-bit comparison. */
#define GPI_CPU_REDUCE(operation, mask, variable)                                  \
    __extension__({                                                                \
        __typeof__(__extension__({ (variable); })) gpi_value = (variable);         \
        gpi_value = (__typeof__(gpi_value))gpi_cpu_warp(                           \
            operation, (mask), (uint64_t)(int64_t)gpi_value, 0, 32, GPI_CPU_SITE); \
        gpi_value;                                                                 \
    })
#define __reduce_add_sync(mask, variable) GPI_CPU_REDUCE(GPI_CPU_ADD, mask, variable)
#define __reduce_min_sync(mask, variable) GPI_CPU_REDUCE(GPI_CPU_MIN, mask, variable)
#define __reduce_max_sync(mask, variable) GPI_CPU_REDUCE(GPI_CPU_MAX, mask, variable)
#define __reduce_and_sync(mask, variable) GPI_CPU_REDUCE(GPI_CPU_AND, mask, variable)
#define __reduce_or_sync(mask, variable) GPI_CPU_REDUCE(GPI_CPU_OR, mask, variable)
#define __reduce_xor_sync(mask, variable) GPI_CPU_REDUCE(GPI_CPU_XOR, mask, variable)

/* The lanes of the caller's warp that have not exited. */
#define __activemask() (gpi_cpu_self->block->live[gpi_cpu_self->rank / 32])

#endif
