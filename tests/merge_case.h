/*
 * merge_case.h: one instance of merge_sort.cuh behind a struct, and of merge.cuh if it has no values, for
 * test_merge_sort.cu.
 *
 *     #define CASE            name
 *     #define CASE_TYPE       type
 *     #define CASE_MAKE(k, i) an item whose place in the order is the uint64_t k, and which is like no other i
 *     #define CASE_RANK(x)    the place in the order of an item, any arithmetic type
 *     #define CASE_LESS       GP_LESS, or without it <
 *     #define CASE_CONTEXT    GP_CONTEXT: the test passes CASE_CONTEXT_VALUE
 *     #define CASE_VALUE      type of values, or without it keys alone
 *     #define CASE_KERNEL     GP_KERNEL of both; of the merge with two blocks; or without it n decides
 *     #include "merge_case.h"
 *
 * generates `static const merge_case CASE_case`.
 */
#ifndef MERGE_CASE_ONCE
#define MERGE_CASE_ONCE

typedef struct merge_case {
    const char *name;
    size_t key_bytes, value_bytes, key_align, value_align, tile, pass_tile, merge_tile;
    void (*make)(void *keys, size_t at, uint64_t k, size_t i);
    int (*compare)(const void *keys, size_t i, size_t j);
    cudaError_t (*sort)(const void *kin, void *kout, const void *vin, void *vout, size_t n, gp_workspace *ws,
                        cudaStream_t stream);
    size_t (*bytes)(size_t n);
    cudaError_t (*merge)(const void *a, size_t na, const void *b, size_t nb, void *out, gp_workspace *ws,
                         cudaStream_t stream);
    size_t (*merge_bytes)(size_t na, size_t nb);
} merge_case;

#define CASE_JOIN2(a, b) a##_##b
#define CASE_JOIN(a, b) CASE_JOIN2(a, b)
#define CASE_TEXT2(a) #a
#define CASE_TEXT(a) CASE_TEXT2(a)
#define CASE_(word) CASE_JOIN(CASE, word)
#define CASE_INNER2(name, word) gpi_##name##_merge_sort_##word
#define CASE_INNER(name, word) CASE_INNER2(name, word)
#define CASE_TILE2(name) ((size_t)gpi_##name##_merge_items * gpi_##name##_merge_simple_threads)
#define CASE_TILE(name) CASE_TILE2(name)
#endif

#define GP_NAME CASE
#define GP_TYPE CASE_TYPE
#ifdef CASE_LESS
#define GP_LESS CASE_LESS
#endif
#ifdef CASE_CONTEXT
#define GP_CONTEXT CASE_CONTEXT
#endif
#ifdef CASE_VALUE
#define GP_VALUE CASE_VALUE
#endif
#ifdef CASE_KERNEL
#define GP_KERNEL CASE_KERNEL
#endif
#include <gpuprims/merge_sort.cuh>

#ifndef CASE_VALUE
#define GP_NAME CASE
#define GP_TYPE CASE_TYPE
#ifdef CASE_LESS
#define GP_LESS CASE_LESS
#endif
#ifdef CASE_CONTEXT
#define GP_CONTEXT CASE_CONTEXT
#endif
#ifdef CASE_KERNEL
#define GP_KERNEL CASE_KERNEL
#define GP_GRID   2
#endif
#include <gpuprims/merge.cuh>
#endif

#ifdef CASE_CONTEXT
#define CASE_EXTRA CASE_CONTEXT_VALUE,
#else
#define CASE_EXTRA
#endif

static void CASE_(make)(void *keys, size_t at, uint64_t k, size_t i)
{
    CASE_TYPE x = CASE_MAKE(k, i);

    (void)i;
    memcpy((char *)keys + at * sizeof x, &x, sizeof x);
}

static int CASE_(compare)(const void *keys, size_t i, size_t j)
{
    CASE_TYPE a, b;

    memcpy((void *)&a, (const char *)keys + i * sizeof a, sizeof a);
    memcpy((void *)&b, (const char *)keys + j * sizeof b, sizeof b);
    return (CASE_RANK(a) > CASE_RANK(b)) - (CASE_RANK(a) < CASE_RANK(b));
}

static cudaError_t CASE_(run)(const void *kin, void *kout, const void *vin, void *vout, size_t n,
                              gp_workspace *ws, cudaStream_t stream)
{
#ifdef CASE_VALUE
    return CASE_(merge_sort)((const CASE_TYPE *)kin, (CASE_TYPE *)kout, (const CASE_VALUE *)vin,
                             (CASE_VALUE *)vout, n, CASE_EXTRA ws, stream);
#else
    (void)vin;
    (void)vout;
    return CASE_(merge_sort)((const CASE_TYPE *)kin, (CASE_TYPE *)kout, n, CASE_EXTRA ws, stream);
#endif
}

#ifndef CASE_VALUE
static cudaError_t CASE_(run_merge)(const void *a, size_t na, const void *b, size_t nb, void *out,
                                    gp_workspace *ws, cudaStream_t stream)
{
    return CASE_(merge)((const CASE_TYPE *)a, na, (const CASE_TYPE *)b, nb, (CASE_TYPE *)out, CASE_EXTRA ws,
                        stream);
}
#endif

static const merge_case CASE_(case) = {
    CASE_TEXT(CASE),
    sizeof(CASE_TYPE),
#ifdef CASE_VALUE
    sizeof(CASE_VALUE), __alignof__(CASE_TYPE), __alignof__(CASE_VALUE),
#else
    0, __alignof__(CASE_TYPE), 1,
#endif
    CASE_INNER(CASE, items) * CASE_INNER(CASE, threads),
    CASE_INNER(CASE, pass_items) * (CASE_INNER(CASE, threads) - (1 << CASE_INNER(CASE, max_ways_log))) * 15 / 16,
#ifdef CASE_VALUE
    0,
#else
    CASE_TILE(CASE),
#endif
    CASE_(make),
    CASE_(compare),
    CASE_(run),
    CASE_(merge_sort_workspace_bytes),
#ifdef CASE_VALUE
    NULL,
    NULL,
#else
    CASE_(run_merge),
    CASE_(merge_workspace_bytes),
#endif
};

#undef CASE
#undef CASE_TYPE
#undef CASE_MAKE
#undef CASE_RANK
#undef CASE_LESS
#undef CASE_CONTEXT
#undef CASE_CONTEXT_VALUE
#undef CASE_VALUE
#undef CASE_KERNEL
#undef CASE_EXTRA
