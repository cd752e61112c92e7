/*
 * hybrid_case.h: one instance of hybrid_sort.cuh and host/cpu_merge.h behind a struct, for test_hybrid_sort.cu.
 *
 *     #define CASE       f32
 *     #define CASE_KEY   float
 *     #define CASE_KIND  GP_FLOAT      GP_KEY_KIND
 *     #define CASE_VALUE s12           with values
 *     #define CASE_DESCENDING          the largest first
 *     #include "hybrid_case.h"
 *
 * generates `static const hybrid_case CASE_case`.
 */
#ifndef HYBRID_CASE_ONCE
#define HYBRID_CASE_ONCE

#include "key_order.h"

typedef struct hybrid_case {
    const char *name;
    size_t key_bytes, value_bytes;
    int kind, descending;
    cudaError_t (*sort)(void *keys, void *values, size_t n, const gp_hybrid_options *options);
    int (*merge)(const void *kin, void *kout, const void *vin, void *vout, const size_t *offsets,
                 size_t runs, int threads);
} hybrid_case;
#endif

#define GP_NAME CASE
#define GP_KEY CASE_KEY
#ifdef CASE_KIND
#define GP_KEY_KIND CASE_KIND
#endif
#ifdef CASE_VALUE
#define GP_VALUE CASE_VALUE
#endif
#ifdef CASE_DESCENDING
#define GP_DESCENDING
#endif
#include <gpuprims/hybrid_sort.cuh>

#define GP_NAME CASE
#define GP_KEY CASE_KEY
#ifdef CASE_KIND
#define GP_KEY_KIND CASE_KIND
#endif
#ifdef CASE_VALUE
#define GP_VALUE CASE_VALUE
#endif
#ifdef CASE_DESCENDING
#define GP_DESCENDING
#endif
#include <gpuprims/host/cpu_merge.h>

static cudaError_t CASE_(run)(void *keys, void *values, size_t n, const gp_hybrid_options *options)
{
#ifdef CASE_VALUE
    return CASE_(hybrid_sort_host)((CASE_KEY *)keys, (CASE_VALUE *)values, n, options);
#else
    (void)values;
    return CASE_(hybrid_sort_host)((CASE_KEY *)keys, n, options);
#endif
}

static int CASE_(merge)(const void *kin, void *kout, const void *vin, void *vout,
                        const size_t *offsets, size_t runs, int threads)
{
#ifdef CASE_VALUE
    return CASE_(cpu_merge_runs)((const CASE_KEY *)kin, (CASE_KEY *)kout, (const CASE_VALUE *)vin,
                                 (CASE_VALUE *)vout, offsets, runs, threads);
#else
    (void)vin;
    (void)vout;
    return CASE_(cpu_merge_runs)((const CASE_KEY *)kin, (CASE_KEY *)kout, offsets, runs, threads);
#endif
}

static const hybrid_case CASE_(case) = {
    CASE_TEXT(CASE),
    sizeof(CASE_KEY),
#ifdef CASE_VALUE
    sizeof(CASE_VALUE),
#else
    0,
#endif
#ifdef CASE_KIND
    CASE_KIND - GP_UNSIGNED,
#else
    KIND_OF_KEY(CASE_KEY),
#endif
#ifdef CASE_DESCENDING
    1,
#else
    0,
#endif
    CASE_(run),
    CASE_(merge),
};

#undef CASE
#undef CASE_KEY
#undef CASE_KIND
#undef CASE_VALUE
#undef CASE_DESCENDING
