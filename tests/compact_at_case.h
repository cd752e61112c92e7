/*
 * compact_at_case.h: stamps out a compaction that reads or writes by expressions, for test_compact_at.cu.
 *
 *     AT          name                         AT_TYPE     T
 *     AT_KEEP(x)  the predicate                AT_MAKE     an item, from random bits r
 *     AT_LOADS    reads the input backwards by GP_LOAD_AT
 *     AT_STORES   writes by GP_STORE_AT, in another order
 *     AT_KERNEL   as GP_KERNEL                 AT_GRID     as GP_GRID
 *
 * generates `static const at_case AT_case`. All but AT_TYPE, AT_KEEP and AT_MAKE are undefined at the end.
 */
#ifndef AT_ONCE
#define AT_ONCE
#define AT_JOIN_(a, b) a##_##b
#define AT_JOIN(a, b)  AT_JOIN_(a, b)
#define AT_F(word)     AT_JOIN(AT, word)
#define AT_TEXT_(a)    #a
#define AT_TEXT(a)     AT_TEXT_(a)

/* The context: n, an order of the places, and how often each item was read and each place written. */
typedef struct places {
    size_t n;
    const uint32_t *order;
    uint32_t *loads, *stores; /* n each, and one more for all other numbers */
} places;

static __device__ inline void at_note(uint32_t *counts, size_t i, size_t n)
{
    atomicAdd(counts + (i < n ? i : n), 1u);
}

enum { COMPACT, COMPACT_FLAGGED, COMPACT_INDICES, PARTITION, PARTITION_STABLE, PARTITION_FLAGGED, COMPACT_FUNCTIONS };

static const char *const compact_names[] = {"compact",   "compact_flagged",  "compact_indices",
                                            "partition", "partition_stable", "partition_flagged"};

typedef struct at_case {
    const char *name;
    size_t bytes;
    int loads, stores; /* by expressions */
    void (*make)(void *in, size_t n);
    int (*keep)(const void *item);
    cudaError_t (*run)(int function, const void *in, const uint8_t *flags, void *out, uint32_t *d_count, places c);
} at_case;
#endif

#define GP_NAME       AT
#define GP_TYPE       AT_TYPE
#define GP_PRED(x, c) AT_KEEP(x)
#define GP_CONTEXT    places
#define GP_INDEX      uint32_t
#define GP_KERNEL     AT_KERNEL
#define GP_GRID       AT_GRID
#ifdef AT_LOADS
#define GP_LOAD_AT(in, i, c) (at_note((c).loads, i, (c).n), (in)[(c).n - 1 - (i)])
#endif
#ifdef AT_STORES
#define GP_STORE_AT(out, i, x, c)      \
    at_note((c).stores, i, (c).n);     \
    (out)[(c).order[i]] = (x)
#endif
#include <gpuprims/compact.cuh>

static void AT_F(make)(void *in, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t r = tap_random();

        ((AT_TYPE *)in)[i] = AT_MAKE;
    }
}

static int AT_F(keep)(const void *item)
{
    const AT_TYPE x = *(const AT_TYPE *)item;

    return (AT_KEEP(x)) ? 1 : 0;
}

static cudaError_t AT_F(run)(int function, const void *in, const uint8_t *flags, void *out, uint32_t *d_count,
                             places c)
{
    const AT_TYPE *from = (const AT_TYPE *)in;
    AT_TYPE *to = (AT_TYPE *)out;

    switch (function) {
    case COMPACT: return AT_F(compact)(from, to, c.n, d_count, c, NULL, 0);
    case COMPACT_FLAGGED: return AT_F(compact_flagged)(from, flags, to, c.n, d_count, c, NULL, 0);
    case COMPACT_INDICES: return AT_F(compact_indices)(from, (uint32_t *)out, c.n, d_count, c, NULL, 0);
    case PARTITION: return AT_F(partition)(from, to, c.n, d_count, c, NULL, 0);
    case PARTITION_STABLE: return AT_F(partition_stable)(from, to, c.n, d_count, c, NULL, 0);
    default: return AT_F(partition_flagged)(from, flags, to, c.n, d_count, c, NULL, 0);
    }
}

#ifdef AT_LOADS
enum { AT_F(loads) = 1 };
#else
enum { AT_F(loads) = 0 };
#endif
#ifdef AT_STORES
enum { AT_F(stores) = 1 };
#else
enum { AT_F(stores) = 0 };
#endif

static const at_case AT_F(case) = {AT_TEXT(AT), sizeof(AT_TYPE), AT_F(loads), AT_F(stores),
                                   AT_F(make),  AT_F(keep),      AT_F(run)};

#undef AT
#undef AT_LOADS
#undef AT_STORES
#undef AT_KERNEL
#undef AT_GRID
