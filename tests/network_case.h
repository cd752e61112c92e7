/*
 * network_case.h: both sorting networks and their references for one type of keys, for
 * test_networks.cu.
 *
 *     #define NETWORK       u32
 *     #define NETWORK_KEY   uint32_t
 *     #define NETWORK_VALUE uint32_t      // or nothing: keys alone
 *     #include "network_case.h"
 *
 * generates `static const network_case NETWORK_case`.
 */
#ifndef NETWORK_CASE_ONCE
#define NETWORK_CASE_ONCE

enum { BITONIC, ODD_EVEN, NETWORKS };

typedef struct network_case {
    const char *name;
    size_t key_bytes, value_bytes;
    cudaError_t (*sort[NETWORKS])(void *keys, void *values, size_t batch, size_t length,
                                  int descending, const gp_classic_options *opt, gp_workspace *ws,
                                  cudaStream_t stream);
    size_t (*workspace_bytes[NETWORKS])(size_t batch, size_t length, int descending);
    void (*set)(void *keys, size_t i, uint64_t number);
    int (*less)(const void *keys, size_t i, size_t j);
    /* The comparator of two items of an array in host memory. */
    void (*compare)(void *keys, void *values, size_t low, size_t high);
} network_case;

#define NETWORK_JOIN2(a, b) a##_##b
#define NETWORK_JOIN(a, b)  NETWORK_JOIN2(a, b)
#define NETWORK_TEXT2(a)    #a
#define NETWORK_TEXT(a)     NETWORK_TEXT2(a)
#define NETWORK_(word)      NETWORK_JOIN(NETWORK, word)
#endif

#define GP_NAME NETWORK
#define GP_KEY  NETWORK_KEY
#ifdef NETWORK_VALUE
#define GP_VALUE NETWORK_VALUE
#endif
#include <gpuprims/classic/bitonic_sort.cuh>
#include "no_parameters.h"

#define GP_NAME NETWORK
#define GP_KEY  NETWORK_KEY
#ifdef NETWORK_VALUE
#define GP_VALUE NETWORK_VALUE
#endif
#include <gpuprims/classic/odd_even_merge_sort.cuh>
#include "no_parameters.h"

#ifdef NETWORK_VALUE
#define NETWORK_ARRAYS (NETWORK_KEY *)keys, (NETWORK_VALUE *)values
#define NETWORK_SIZE   sizeof(NETWORK_VALUE)
#else
#define NETWORK_ARRAYS (NETWORK_KEY *)keys
#define NETWORK_SIZE 0
#endif

static cudaError_t NETWORK_(bitonic)(void *keys, void *values, size_t batch, size_t length,
                                     int descending, const gp_classic_options *opt,
                                     gp_workspace *ws, cudaStream_t stream)
{
    (void)values;
    return NETWORK_(bitonic_sort)(NETWORK_ARRAYS, batch, length, descending, opt, ws, stream);
}

static cudaError_t NETWORK_(odd_even)(void *keys, void *values, size_t batch, size_t length,
                                      int descending, const gp_classic_options *opt,
                                      gp_workspace *ws, cudaStream_t stream)
{
    (void)values;
    return NETWORK_(odd_even_merge_sort)(NETWORK_ARRAYS, batch, length, descending, opt, ws,
                                         stream);
}

static void NETWORK_(set)(void *keys, size_t i, uint64_t number)
{
    ((NETWORK_KEY *)keys)[i] = (NETWORK_KEY)number;
}

static int NETWORK_(less)(const void *keys, size_t i, size_t j)
{
    return ((const NETWORK_KEY *)keys)[i] < ((const NETWORK_KEY *)keys)[j];
}

static void NETWORK_(compare)(void *keys, void *values, size_t low, size_t high)
{
    NETWORK_KEY *k = (NETWORK_KEY *)keys, key = k[low];

    (void)values;
    if (!(k[high] < key))
        return;
    k[low] = k[high];
    k[high] = key;
#ifdef NETWORK_VALUE
    NETWORK_VALUE *v = (NETWORK_VALUE *)values, value = v[low];

    v[low] = v[high];
    v[high] = value;
#endif
}

static const network_case NETWORK_(case) = {
    NETWORK_TEXT(NETWORK),
    sizeof(NETWORK_KEY),
    NETWORK_SIZE,
    {NETWORK_(bitonic), NETWORK_(odd_even)},
    {NETWORK_(bitonic_sort_workspace_bytes), NETWORK_(odd_even_merge_sort_workspace_bytes)},
    NETWORK_(set),
    NETWORK_(less),
    NETWORK_(compare),
};

#undef NETWORK
#undef NETWORK_KEY
#undef NETWORK_VALUE
#undef NETWORK_ARRAYS
#undef NETWORK_SIZE
