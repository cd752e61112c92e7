/*
 * top_k_case.h: one instance of top_k.cuh behind a struct, for test_top_k.cu.
 *
 *     #define CASE       u32
 *     #define CASE_KEY   uint32_t
 *     #define CASE_KIND  GP_FLOAT      GP_KEY_KIND
 *     #define CASE_VALUE float         with values
 *     #define CASE_NUMBERS AS_FLOAT    how a value that is a number looks
 *     #define CASE_DESCENDING          the largest first
 *     #define CASE_INDEX int           GP_INDEX
 *     #define CASE_KERNEL ...          GP_KERNEL
 *     #define CASE_GRID ...            GP_GRID
 *     #include "top_k_case.h"
 *
 * generates `static const top_k_case CASE_case`.
 */
#ifndef TOP_K_CASE_ONCE
#define TOP_K_CASE_ONCE

#include "key_order.h"

enum { NO_VALUES, AS_BYTES, AS_FLOAT, AS_DOUBLE };
enum { ARRAY, SEGMENTS, ROWS };

/* What a call is about: by rows, `segments` of `n` / `segments` items; an array is one. */
typedef struct top_k_call {
    int what;
    const void *kin, *vin, *offsets;
    void *kout, *vout;
    size_t n, segments, k;
} top_k_call;

typedef struct top_k_case {
    const char *name;
    size_t key_bytes, key_align, value_bytes, value_align, index_bytes;
    int kind, descending, values;
    cudaError_t (*run)(const top_k_call *call, gp_workspace *ws, cudaStream_t stream);
    size_t (*bytes)(const top_k_call *call);
} top_k_case;
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
#ifdef CASE_INDEX
#define GP_INDEX CASE_INDEX
#else
#define CASE_INDEX size_t
#endif
#ifdef CASE_KERNEL
#define GP_KERNEL CASE_KERNEL
#endif
#ifdef CASE_GRID
#define GP_GRID CASE_GRID
#endif
#include <gpuprims/top_k.cuh>

#ifdef CASE_VALUE
#define CASE_ARRAYS                                                                                      \
    (const CASE_KEY *)call->kin, (CASE_KEY *)call->kout, (const CASE_VALUE *)call->vin, (CASE_VALUE *)call->vout
#else
#define CASE_ARRAYS (const CASE_KEY *)call->kin, (CASE_KEY *)call->kout
#endif

static cudaError_t CASE_(run)(const top_k_call *call, gp_workspace *ws, cudaStream_t stream)
{
    if (call->what == ARRAY)
        return CASE_(top_k)(CASE_ARRAYS, call->n, call->k, ws, stream);
    if (call->what == ROWS)
        return CASE_(row_top_k)(CASE_ARRAYS, call->segments, call->segments ? call->n / call->segments : 0, call->k, ws,
                                stream);
    return CASE_(segmented_top_k)(CASE_ARRAYS, call->n, (const CASE_INDEX *)call->offsets, call->segments, call->k, ws,
                                  stream);
}

static size_t CASE_(bytes)(const top_k_call *call)
{
    return call->what == ARRAY  ? CASE_(top_k_workspace_bytes)(call->n, call->k)
           : call->what == ROWS ? CASE_(row_top_k_workspace_bytes)(call->segments, call->n / call->segments, call->k)
                                : CASE_(segmented_top_k_workspace_bytes)(call->n, call->segments, call->k);
}

static const top_k_case CASE_(case) = {
    CASE_TEXT(CASE),
    sizeof(CASE_KEY),
    __alignof__(CASE_KEY),
#ifdef CASE_VALUE
    sizeof(CASE_VALUE),
    __alignof__(CASE_VALUE),
#else
    0,
    1,
#endif
    sizeof(CASE_INDEX),
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
    CASE_(run),
    CASE_(bytes),
};

#undef CASE
#undef CASE_KEY
#undef CASE_KIND
#undef CASE_VALUE
#undef CASE_NUMBERS
#undef CASE_DESCENDING
#undef CASE_INDEX
#undef CASE_KERNEL
#undef CASE_GRID
#undef CASE_ARRAYS
