/*
 * core/backend/cpu/atomic.h: atomics, fences, cached loads and bit intrinsics on the CPU.
 *
 * At each atomic the schedule may run another thread first, so that an update made of two atomics
 * is lost here as it would be on a GPU. An atomic that changes nothing may belong to a thread that
 * waits for another, for a lock perhaps: it counts as a poll.
 *
 * Part of core/backend/cpu/backend.h; not to be included directly.
 */
#ifndef GPI_CPU_ATOMIC_H
#define GPI_CPU_ATOMIC_H

/*
 * One compare-and-swap loop for every type of CUDA's overloads, float and double included: `update`
 * computes the new value from gpi_old.
 */
#define GPI_CPU_ATOMIC(pointer, operand, update)                                                \
    __extension__({                                                                             \
        __typeof__(&*(pointer)) gpi_pointer = (pointer);                                        \
        __typeof__(__extension__({ *(pointer); })) gpi_old, gpi_new, gpi_operand;               \
        gpi_operand = (__typeof__(gpi_old))(operand);                                           \
        (void)gpi_operand;                                                                      \
        gpi_cpu_maybe_yield();                                                                  \
        __atomic_load(gpi_pointer, &gpi_old, __ATOMIC_RELAXED);                                 \
        do                                                                                      \
            gpi_new = (update);                                                                 \
        while (!__atomic_compare_exchange(gpi_pointer, &gpi_old, &gpi_new, 0, __ATOMIC_ACQ_REL, \
                                          __ATOMIC_RELAXED));                                   \
        if (memcmp(&gpi_old, &gpi_new, sizeof gpi_old))                                         \
            gpi_cpu_changed();                                                                  \
        else                                                                                    \
            gpi_cpu_poll();                                                                     \
        gpi_old;                                                                                \
    })

#define atomicAdd(pointer, value) GPI_CPU_ATOMIC(pointer, value, gpi_old + gpi_operand)
#define atomicSub(pointer, value) GPI_CPU_ATOMIC(pointer, value, gpi_old - gpi_operand)
#define atomicExch(pointer, value) GPI_CPU_ATOMIC(pointer, value, gpi_operand)
#define atomicMin(pointer, value) \
    GPI_CPU_ATOMIC(pointer, value, gpi_operand < gpi_old ? gpi_operand : gpi_old)
#define atomicMax(pointer, value) \
    GPI_CPU_ATOMIC(pointer, value, gpi_operand > gpi_old ? gpi_operand : gpi_old)
#define atomicAnd(pointer, value) GPI_CPU_ATOMIC(pointer, value, gpi_old &gpi_operand)
#define atomicOr(pointer, value) GPI_CPU_ATOMIC(pointer, value, gpi_old | gpi_operand)
#define atomicXor(pointer, value) GPI_CPU_ATOMIC(pointer, value, gpi_old ^ gpi_operand)
#define atomicInc(pointer, limit) \
    GPI_CPU_ATOMIC(pointer, limit, gpi_old >= gpi_operand ? 0u : gpi_old + 1u)
#define atomicDec(pointer, limit)  \
    GPI_CPU_ATOMIC(pointer, limit, \
                   gpi_old == 0u || gpi_old > gpi_operand ? gpi_operand : gpi_old - 1u)
#define atomicCAS(pointer, compare, value)                                              \
    __extension__({                                                                     \
        __typeof__(__extension__({ *(pointer); })) gpi_compare = (compare);             \
        GPI_CPU_ATOMIC(pointer, value, gpi_old == gpi_compare ? gpi_operand : gpi_old); \
    })

/* A fence may be in a loop that waits for a volatile variable. */
static inline void __threadfence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    gpi_cpu_poll();
}

#define __threadfence_block() __threadfence()
#define __threadfence_system() __threadfence()
#define __nanosleep(ns) ((void)(ns), gpi_cpu_poll())

#define __ldg(pointer) (*(pointer))
#define __ldcg(pointer) (*(pointer))
#define __ldcs(pointer) (*(pointer))
#define __stcg(pointer, value) ((void)(*(pointer) = (value)))
#define __stcs(pointer, value) ((void)(*(pointer) = (value)))

#define __popc(x) __builtin_popcount((unsigned)(x))
#define __popcll(x) __builtin_popcountll((unsigned long long)(x))
#define __ffs(x) __builtin_ffs((int)(x))
#define __ffsll(x) __builtin_ffsll((long long)(x))

static inline int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}

static inline int __clzll(long long x)
{
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}

/*
 * Stores 16 aligned bytes by one instruction, as a GPU does, so that concurrent stores are not
 * torn. Of a struct, or of a vector that is not volatile, the compiler may make two stores.
 */
typedef uint64_t gpi_cpu_16 __attribute__((vector_size(16), may_alias));

static inline void gpi_cpu_store_16(void *to, const void *from)
{
    *(volatile gpi_cpu_16 *)to = *(const gpi_cpu_16 *)from;
}

#endif
