/*
 * radix_case.h: one instance of radix_sort.cuh behind a struct, for test_radix_sort.cu.
 *
 *     #define CASE       u32
 *     #define CASE_KEY   uint32_t
 *     #define CASE_KIND  GP_FLOAT      GP_KEY_KIND
 *     #define CASE_VALUE float         with values
 *     #define CASE_DESCENDING          the largest first
 *     #define CASE_KERNEL ...          GP_KERNEL
 *     #define CASE_GRID ...            GP_GRID
 *     #include "radix_case.h"
 *
 * generates `static const radix_case CASE_case`.
 */
#ifndef RADIX_CASE_ONCE
#define RADIX_CASE_ONCE

#include "key_order.h"

/* How a value that stands for an index looks. */
enum { NO_VALUES, AS_BYTES, AS_FLOAT, AS_DOUBLE };

typedef struct radix_case {
    const char *name;
    size_t key_bytes, key_align, value_bytes, value_align;
    int kind, descending, values, forced; /* forced: whether one kernel sorts at every n */
    /* end_bit < 0: the function that sorts by whole keys */
    cudaError_t (*sort)(const void *kin, void *kout, const void *vin, void *vout, size_t n,
                        int begin_bit, int end_bit, gp_workspace *ws, cudaStream_t stream);
    size_t (*bytes)(size_t n, int begin_bit, int end_bit);
} radix_case;
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
#ifdef CASE_KERNEL
#define GP_KERNEL CASE_KERNEL
#endif
#ifdef CASE_GRID
#define GP_GRID CASE_GRID
#endif
#include <gpuprims/radix_sort.cuh>

static cudaError_t CASE_(run)(const void *kin, void *kout, const void *vin, void *vout, size_t n,
                              int begin_bit, int end_bit, gp_workspace *ws, cudaStream_t stream)
{
#ifdef CASE_VALUE
    const CASE_VALUE *values_in = (const CASE_VALUE *)vin;
    CASE_VALUE *values_out = (CASE_VALUE *)vout;

    if (end_bit < 0)
        return CASE_(radix_sort)((const CASE_KEY *)kin, (CASE_KEY *)kout, values_in, values_out, n,
                                 ws, stream);
    return CASE_(radix_sort_bits)((const CASE_KEY *)kin, (CASE_KEY *)kout, values_in, values_out, n,
                                  begin_bit, end_bit, ws, stream);
#else
    (void)vin;
    (void)vout;
    if (end_bit < 0)
        return CASE_(radix_sort)((const CASE_KEY *)kin, (CASE_KEY *)kout, n, ws, stream);
    return CASE_(radix_sort_bits)((const CASE_KEY *)kin, (CASE_KEY *)kout, n, begin_bit, end_bit,
                                  ws, stream);
#endif
}

static size_t CASE_(bytes)(size_t n, int begin_bit, int end_bit)
{
    return end_bit < 0 ? CASE_(radix_sort_workspace_bytes)(n)
                       : CASE_(radix_sort_bits_workspace_bytes)(n, begin_bit, end_bit);
}

static const radix_case CASE_(case) = {
    CASE_TEXT(CASE),
    sizeof(CASE_KEY), __alignof__(CASE_KEY),
#ifdef CASE_VALUE
    sizeof(CASE_VALUE), __alignof__(CASE_VALUE),
#else
    0, 1,
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
#if !defined CASE_VALUE
    NO_VALUES,
#elif defined CASE_NUMBERS
    CASE_NUMBERS,
#else
    AS_BYTES,
#endif
#ifdef CASE_KERNEL
    1,
#else
    0,
#endif
    CASE_(run),
    CASE_(bytes),
};

#undef CASE
#undef CASE_KEY
#undef CASE_KIND
#undef CASE_VALUE
#undef CASE_NUMBERS
#undef CASE_DESCENDING
#undef CASE_KERNEL
#undef CASE_GRID
