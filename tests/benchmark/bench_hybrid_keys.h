/*
 * bench_hybrid_keys.h: what bench_hybrid.cu needs for one type of keys.
 *
 *     #define KEYS u32
 *     #define KEYS_TYPE uint32_t
 *     #include "bench_hybrid_keys.h"
 *
 * generates `static const hybrid_keys KEYS_keys`: keys at random, a look at what has become of them, the
 * hybrid sort, and a sort by the CPU alone.
 */
#define GP_NAME KEYS
#define GP_KEY KEYS_TYPE
#include <gpuprims/hybrid_sort.cuh>
#define GP_NAME KEYS
#define GP_KEY KEYS_TYPE
#include <gpuprims/host/cpu_merge.h>

/* The keys [first, last) of a thread. */
static void *KEYS_(fill)(void *argument)
{
    hybrid_part *part = (hybrid_part *)argument;
    KEYS_TYPE *keys = (KEYS_TYPE *)part->keys;

    part->sum = 0;
    for (size_t i = part->first; i < part->last; i++) {
        keys[i] = (KEYS_TYPE)hybrid_mix(i);
        part->sum += hybrid_mix(keys[i]);
    }
    return NULL;
}

/* Whether they are in order, those before included, and a sum that tells whether they are the same. */
static void *KEYS_(look)(void *argument)
{
    hybrid_part *part = (hybrid_part *)argument;
    const KEYS_TYPE *keys = (const KEYS_TYPE *)part->keys;

    part->sum = 0;
    part->sorted = 1;
    for (size_t i = part->first; i < part->last; i++) {
        part->sorted &= i == 0 || keys[i - 1] <= keys[i];
        part->sum += hybrid_mix(keys[i]);
    }
    return NULL;
}

#define CPU_RADIX KEYS
#define CPU_RADIX_TYPE KEYS_TYPE
#include "bench_cpu_radix.h"

/* The keys of a thread in order, in place. */
static void *KEYS_(radix)(void *argument)
{
    const hybrid_part *part = (const hybrid_part *)argument;
    KEYS_TYPE *keys = (KEYS_TYPE *)part->keys + part->first,
              *room = (KEYS_TYPE *)part->room + part->first;

    KEYS_(cpu_radix_sort)(keys, keys, room, part->last - part->first, 0);
    return NULL;
}

static int KEYS_(merge)(void *keys, void *out, const size_t *offsets, size_t runs, int threads)
{
    return KEYS_(cpu_merge_runs)((const KEYS_TYPE *)keys, (KEYS_TYPE *)out, offsets, runs, threads);
}

static cudaError_t KEYS_(hybrid)(void *keys, size_t n, const gp_hybrid_options *options)
{
    return KEYS_(hybrid_sort_host)((KEYS_TYPE *)keys, n, options);
}

static const hybrid_keys KEYS_(keys) = {
    KEYS_TEXT(KEYS), sizeof(KEYS_TYPE), KEYS_(fill),   KEYS_(look),
    KEYS_(radix),    KEYS_(merge),      KEYS_(hybrid),
};

#undef KEYS
#undef KEYS_TYPE
