/*
 * classic_keys.h: split_sort and its reference for one type of keys, for test_classic.cu.
 *
 *     #define KEYS      i32
 *     #define KEYS_TYPE int
 *     #include "classic_keys.h"
 *
 * generates `static const keys KEYS_keys`.
 */
#ifndef CLASSIC_KEYS_ONCE
#define CLASSIC_KEYS_ONCE

typedef struct keys {
    const char *name;
    size_t bytes;
    int is_signed;
    cudaError_t (*sort)(const void *in, void *out, size_t n, int bits,
                        const gp_classic_options *opt, gp_workspace *ws, cudaStream_t stream);
    size_t (*workspace_bytes)(size_t n, int bits);
    void (*set)(void *array, size_t i, uint64_t value);
    uint64_t (*get)(const void *array, size_t i);
} keys;

#define KEYS_JOIN2(a, b) a##_##b
#define KEYS_JOIN(a, b)  KEYS_JOIN2(a, b)
#define KEYS_TEXT2(a)    #a
#define KEYS_TEXT(a)     KEYS_TEXT2(a)
#define KEYS_(word)      KEYS_JOIN(KEYS, word)
#endif

#define GP_NAME KEYS
#define GP_TYPE KEYS_TYPE
#include <gpuprims/classic/split_sort.cuh>

static cudaError_t KEYS_(run)(const void *in, void *out, size_t n, int bits,
                              const gp_classic_options *opt, gp_workspace *ws, cudaStream_t stream)
{
    return KEYS_(split_sort)((const KEYS_TYPE *)in, (KEYS_TYPE *)out, n, bits, opt, ws, stream);
}

static void KEYS_(set)(void *array, size_t i, uint64_t value)
{
    ((KEYS_TYPE *)array)[i] = (KEYS_TYPE)value;
}

/* The bits of the key, and nothing else. */
static uint64_t KEYS_(get)(const void *array, size_t i)
{
    uint64_t value = 0;

    memcpy(&value, (const KEYS_TYPE *)array + i, sizeof(KEYS_TYPE)); /* little-endian */
    return value;
}

static const keys KEYS_(keys) = {
    KEYS_TEXT(KEYS),
    sizeof(KEYS_TYPE),
    (KEYS_TYPE)-1 < (KEYS_TYPE)1,
    KEYS_(run),
    KEYS_(split_sort_workspace_bytes),
    KEYS_(set),
    KEYS_(get),
};

#undef KEYS
#undef KEYS_TYPE
