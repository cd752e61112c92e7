/*
 * search_case.h: three instances of search.cuh, one that n and m choose the kernels of, one with an index wherever the
 * type has one, with few blocks, and one without; and the search_case CASE_case of them.
 *
 *     CASE, CASE_TYPE    name, T
 *     CASE_LESS          as GP_LESS, on the host, too (<)
 *     CASE_CONTEXT       as GP_CONTEXT: the test passes CASE_CONTEXT_VALUE
 *     CASE_MAKE(r, few)  an item from random bits; `few`: one of few
 */
#define CASE_JOIN_(a, b) a##_##b
#define CASE_JOIN(a, b) CASE_JOIN_(a, b)
#define CASE_TEXT_(a) #a
#define CASE_TEXT(a) CASE_TEXT_(a)
#define CASE_F(word) CASE_JOIN(CASE, word)

#ifndef CASE_CONTEXT
#define CASE_EXTRA
#define CASE_BEFORE(a, b) CASE_LESS(a, b)
#else
#define CASE_EXTRA CASE_CONTEXT_VALUE,
#define CASE_BEFORE(a, b) CASE_LESS(a, b, CASE_CONTEXT_VALUE)
#endif

#define GP_NAME CASE
#define GP_TYPE CASE_TYPE
#ifdef CASE_LESS
#define GP_LESS CASE_LESS
#endif
#ifdef CASE_CONTEXT
#define GP_CONTEXT CASE_CONTEXT
#endif
#include <gpuprims/search.cuh>

#define GP_NAME CASE_F(index)
#define GP_TYPE CASE_TYPE
#define GP_KERNEL GP_KERNEL_PIPELINED
#define GP_GRID 2
#define GP_INDEX int
#ifdef CASE_LESS
#define GP_LESS CASE_LESS
#endif
#ifdef CASE_CONTEXT
#define GP_CONTEXT CASE_CONTEXT
#endif
#include <gpuprims/search.cuh>

#define GP_NAME CASE_F(plain)
#define GP_TYPE CASE_TYPE
#define GP_KERNEL GP_KERNEL_SIMPLE
#define GP_GRID 3
#ifdef CASE_LESS
#define GP_LESS CASE_LESS
#endif
#ifdef CASE_CONTEXT
#define GP_CONTEXT CASE_CONTEXT
#endif
#include <gpuprims/search.cuh>

static void CASE_F(make)(void *items, size_t n, int few)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t r = tap_random();

        ((CASE_TYPE *)items)[i] = CASE_MAKE(r, few);
    }
}

static int CASE_F(before)(const void *x, const void *y)
{
    const CASE_TYPE a = *(const CASE_TYPE *)x, b = *(const CASE_TYPE *)y;

#ifdef CASE_LESS
    return CASE_BEFORE(a, b) ? 1 : 0;
#else
    return a < b;
#endif
}

static int CASE_F(compare)(const void *x, const void *y)
{
    return CASE_F(before)(y, x) - CASE_F(before)(x, y);
}

static cudaError_t CASE_F(run)(const void *a, size_t n, const void *q, size_t m, void *out,
                               int upper, int how, gp_workspace *ws)
{
    const CASE_TYPE *sorted = (const CASE_TYPE *)a, *queries = (const CASE_TYPE *)q;

    if (how == SEARCH_INDEX)
        return upper
                   ? CASE_F(index_upper_bound)(sorted, n, queries, m, (int *)out, CASE_EXTRA ws, 0)
                   : CASE_F(index_lower_bound)(sorted, n, queries, m, (int *)out, CASE_EXTRA ws, 0);
    if (how == SEARCH_PLAIN)
        return upper ? CASE_F(plain_upper_bound)(sorted, n, queries, m, (size_t *)out,
                                                 CASE_EXTRA ws, 0)
                     : CASE_F(plain_lower_bound)(sorted, n, queries, m, (size_t *)out,
                                                 CASE_EXTRA ws, 0);
    return upper ? CASE_F(upper_bound)(sorted, n, queries, m, (size_t *)out, CASE_EXTRA ws, 0)
                 : CASE_F(lower_bound)(sorted, n, queries, m, (size_t *)out, CASE_EXTRA ws, 0);
}

static size_t CASE_F(bytes)(size_t n, size_t m)
{
    return CASE_F(index_lower_bound_workspace_bytes)(n, m);
}

static const search_case CASE_F(case) = {CASE_TEXT(CASE), sizeof(CASE_TYPE), __alignof__(CASE_TYPE),
                                         CASE_F(make),    CASE_F(before),    CASE_F(compare),
                                         CASE_F(run),     CASE_F(bytes)};

#undef CASE
#undef CASE_TYPE
#undef CASE_LESS
#undef CASE_BEFORE
#undef CASE_CONTEXT
#undef CASE_CONTEXT_VALUE
#undef CASE_EXTRA
#undef CASE_MAKE
#undef CASE_JOIN_
#undef CASE_JOIN
#undef CASE_TEXT_
#undef CASE_TEXT
#undef CASE_F
