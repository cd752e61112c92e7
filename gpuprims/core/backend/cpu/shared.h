/*
 * core/backend/cpu/shared.h: shared memory on the CPU.
 *
 * A GP_SHARED variable is thread-local, since a resident block has an operating-system thread to
 * itself. It lies between two red zones, as does dynamic shared memory. AddressSanitizer guards
 * them while the block runs; without it, they are checked when the block ends. Shared memory starts
 * undefined, and differently in neighbouring blocks: what each should have written, and none has,
 * is not the same for all of them.
 *
 * Part of core/backend/cpu/backend.h; not to be included directly.
 */
#ifndef GPI_CPU_SHARED_H
#define GPI_CPU_SHARED_H

/* Bytes of a red zone: the variable's alignment if that is more, so that there is no gap between them. */
#define GPI_CPU_ZONE(type)                                                           \
    (__alignof__(__typeof__(type)) > GPI_CPU_REDZONE ? __alignof__(__typeof__(type)) \
                                                     : (size_t)GPI_CPU_REDZONE)

/* Keeps the three variables together, despite link-time optimisation and -fdata-sections. */
#ifdef __clang__
#define GPI_CPU_SHARED_SECTION(type) \
    __attribute__((aligned(GPI_CPU_ZONE(type)), section(".tbss.gpi_shared")))
#else
#define GPI_CPU_SHARED_SECTION(type) \
    __attribute__((aligned(GPI_CPU_ZONE(type)), section(".tbss.gpi_shared"), no_reorder))
#endif

#define GP_SHARED(type, name) \
    GPI_CPU_SHARED(type, name, #name, __COUNTER__, GPI_CPU_SHARED_SECTION(type))

/* The struct gives the size, which sizeof does not when the name is `name[256]`. */
#define GPI_CPU_SHARED(type, name, text, number, place)                                           \
    struct GPI_CPU_PASTE(gpi_size_, number) {                                                     \
        __typeof__(type) name;                                                                    \
    };                                                                                            \
    static __thread char GPI_CPU_PASTE(gpi_low_, number)[GPI_CPU_ZONE(type)] place;               \
    static __thread __typeof__(type) name place;                                                  \
    static __thread char GPI_CPU_PASTE(gpi_high_, number)[GPI_CPU_ZONE(type)] place;              \
    gpi_cpu_enter_shared(GPI_CPU_PASTE(gpi_low_, number), GPI_CPU_PASTE(gpi_high_, number),       \
                         GPI_CPU_ZONE(type), sizeof(struct GPI_CPU_PASTE(gpi_size_, number)), text, \
                         GPI_CPU_SITE)

#define GP_DYNAMIC_SHARED(type, name) type *name = (type *)gpi_cpu_self->block->dynamic_shared

/* The first thread of the block to get here prepares the variable. */
static inline void gpi_cpu_enter_shared(char *low, char *high, size_t zone, size_t bytes,
                                        const char *name, const char *site)
{
    gpi_cpu_block *block = gpi_cpu_self->block;
    size_t rounded = (bytes + zone - 1) & ~(zone - 1);

    if (low > high) { /* the compiler may lay them out in the other order */
        char *swap = low;
        low = high;
        high = swap;
    }
    for (unsigned i = 0; i < block->shared_count; i++)
        if (block->shared[i].low == low)
            return;

    block->shared_bytes += bytes;
    if (block->shared_count == GPI_CPU_MAX_SHARED || block->shared_bytes > GPI_CPU_STATIC_LIMIT) {
        gpi_cpu_fail(
            block, cudaErrorInvalidValue,
            "GP_SHARED variable %s (%s) is number %u and makes %zu bytes; a kernel may have "
            "%d of them in %d bytes",
            name, site, block->shared_count + 1, block->shared_bytes, GPI_CPU_MAX_SHARED,
            GPI_CPU_STATIC_LIMIT);
        gpi_cpu_give_up(gpi_cpu_self);
    }
    gpi_cpu_shared_variable *variable = &block->shared[block->shared_count++];
    variable->low = low;
    variable->high = high;
    variable->zone = zone;
    variable->name = name;
    variable->site = site;
    memset(low, block->undefined, zone);
    memset(high, block->undefined, zone);
    __asm__("" : "+r"(low)); /* hides from the compiler where the object ends */
    if (high == low + zone + rounded) /* nothing else lies between them */
        memset(low + zone, block->undefined, rounded);
    gpi_cpu_poison(low, zone);
    gpi_cpu_poison(high, zone);
}

/* Dynamic shared memory is aligned to 128, as on a GPU, and no better. */
static inline int gpi_cpu_enter_dynamic_shared(gpi_cpu_block *block)
{
    size_t bytes = block->launch->shared_bytes;
    size_t rounded = (bytes + 2 * GPI_CPU_REDZONE + 1023) & ~(size_t)1023;
    char *memory = (char *)aligned_alloc(1024, rounded);

    if (!memory)
        return 0;
    memset(memory, block->undefined, rounded);
    block->dynamic_shared = memory + GPI_CPU_REDZONE;
    gpi_cpu_poison(memory, GPI_CPU_REDZONE);
    gpi_cpu_poison(block->dynamic_shared + bytes, rounded - GPI_CPU_REDZONE - bytes);
    return 1;
}

static inline int gpi_cpu_redzone_intact(const gpi_cpu_block *block, char *zone, size_t bytes)
{
    gpi_cpu_unpoison(zone, bytes);
    for (size_t i = 0; i < bytes; i++)
        if ((unsigned char)zone[i] != block->undefined)
            return 0;
    return 1;
}

/* Checks the red zones at the end of the block. */
static inline void gpi_cpu_leave_shared(gpi_cpu_block *block)
{
    size_t bytes = block->launch->shared_bytes;
    char *memory = block->dynamic_shared - GPI_CPU_REDZONE;
    int low = gpi_cpu_redzone_intact(block, memory, GPI_CPU_REDZONE);
    int high = gpi_cpu_redzone_intact(block, block->dynamic_shared + bytes, GPI_CPU_REDZONE);

    if (!low || !high)
        gpi_cpu_fail(block, cudaErrorIllegalAddress,
                     "a thread wrote %s the %zu bytes of dynamic shared memory",
                     low ? "past" : "before", bytes);
    free(memory);

    for (unsigned i = 0; i < block->shared_count; i++) {
        gpi_cpu_shared_variable *variable = &block->shared[i];

        low = gpi_cpu_redzone_intact(block, variable->low, variable->zone);
        high = gpi_cpu_redzone_intact(block, variable->high, variable->zone);
        if (!low || !high)
            gpi_cpu_fail(block, cudaErrorIllegalAddress,
                         "a thread wrote %s GP_SHARED variable %s (%s)",
                         low ? "past the end of" : "before", variable->name, variable->site);
    }
    block->shared_count = 0;
    block->shared_bytes = 0;
}

#endif
