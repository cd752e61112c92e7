/*
 * segmented_sort_case.h: an instance of segmented_sort.cuh as a sort_case. No include guard.
 *
 *     CASE             its name
 *     CASE_KEY         K, and CASE_KIND its order, where it is no arithmetic type: GP_UNSIGNED, ...
 *     CASE_VALUE       V (none)
 *     CASE_NUMBERS     how V counts items where vin is NULL (AS_BYTES)
 *     CASE_INDEX       the type of offsets (size_t)
 *     CASE_DESCENDING, CASE_KERNEL, CASE_GRID
 */
#ifndef CASE_INDEX
#define CASE_INDEX size_t
#endif
#ifndef CASE_NUMBERS
#define CASE_NUMBERS AS_BYTES
#endif
#ifdef CASE_DESCENDING
#define GP_DESCENDING
#define CASE_IS_DESCENDING 1
#else
#define CASE_IS_DESCENDING 0
#endif
#ifdef CASE_KERNEL
#define GP_KERNEL CASE_KERNEL
#endif
#ifdef CASE_GRID
#define GP_GRID CASE_GRID
#endif
#ifdef CASE_KIND
#define GP_KEY_KIND CASE_KIND
#define CASE_ORDER (CASE_KIND == GP_FLOAT ? OF_FLOAT : CASE_KIND == GP_SIGNED ? OF_SIGNED : OF_UNSIGNED)
#else
#define CASE_ORDER KIND_OF_KEY(CASE_KEY)
#endif
#ifdef CASE_VALUE
#define GP_VALUE CASE_VALUE
#define CASE_VALUE_BYTES sizeof(CASE_VALUE)
#define CASE_VALUE_ALIGN __alignof__(CASE_VALUE)
#define CASE_ARRAYS (const CASE_KEY *)kin, (CASE_KEY *)kout, (const CASE_VALUE *)vin, (CASE_VALUE *)vout
#else
#define CASE_VALUE_BYTES 0
#define CASE_VALUE_ALIGN 1
#define CASE_ARRAYS (const CASE_KEY *)kin, (CASE_KEY *)kout
#endif
#define GP_NAME  CASE
#define GP_KEY   CASE_KEY
#define GP_INDEX CASE_INDEX
#include <gpuprims/segmented_sort.cuh>

static cudaError_t CASE_(run)(const void *kin, void *kout, const void *vin, void *vout, size_t n, const void *offsets,
                              size_t segments, gp_workspace *ws, cudaStream_t stream)
{
    (void)vin, (void)vout;
    return CASE_(segmented_sort)(CASE_ARRAYS, n, (const CASE_INDEX *)offsets, segments, ws, stream);
}

static cudaError_t CASE_(run_rows)(const void *kin, void *kout, const void *vin, void *vout, size_t rows, size_t length,
                                   gp_workspace *ws)
{
    (void)vin, (void)vout;
    return CASE_(row_sort)(CASE_ARRAYS, rows, length, ws, 0);
}

static const sort_case CASE_(case) = {CASE_TEXT(CASE), sizeof(CASE_KEY), CASE_VALUE_BYTES, CASE_VALUE_ALIGN,
                                      sizeof(CASE_INDEX), CASE_ORDER, CASE_IS_DESCENDING, CASE_NUMBERS,
                                      CASE_(run), CASE_(run_rows), CASE_(segmented_sort_workspace_bytes),
                                      CASE_(row_sort_workspace_bytes)};

#undef CASE
#undef CASE_KEY
#undef CASE_KIND
#undef CASE_ORDER
#undef CASE_VALUE
#undef CASE_VALUE_BYTES
#undef CASE_VALUE_ALIGN
#undef CASE_ARRAYS
#undef CASE_NUMBERS
#undef CASE_INDEX
#undef CASE_DESCENDING
#undef CASE_IS_DESCENDING
#undef CASE_KERNEL
#undef CASE_GRID
