/*
 * arg_case.h: two instances of arg_reduce.cuh, the second with two blocks and int as INDEX, and the arg_case CASE_case
 * of them.
 *
 *     CASE, CASE_TYPE    name, T
 *     CASE_LESS(a, b)    as GP_LESS, on the host, too (<)
 *     CASE_MAKE(r, few)  an item from random bits; `few`: one of few
 */
#define CASE_JOIN_(a, b) a##_##b
#define CASE_JOIN(a, b)  CASE_JOIN_(a, b)
#define CASE_TEXT_(a)    #a
#define CASE_TEXT(a)     CASE_TEXT_(a)
#define CASE_F(word)     CASE_JOIN(CASE, word)

#define GP_NAME CASE
#define GP_TYPE CASE_TYPE
#ifdef CASE_LESS
#define GP_LESS CASE_LESS
#endif
#include <gpuprims/arg_reduce.cuh>

#define GP_NAME  CASE_F(few)
#define GP_TYPE  CASE_TYPE
#define GP_GRID  2
#define GP_INDEX int
#ifdef CASE_LESS
#define GP_LESS CASE_LESS
#endif
#include <gpuprims/arg_reduce.cuh>

static void CASE_F(make)(void *items, size_t n, int few)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t r = tap_random();

        ((CASE_TYPE *)items)[i] = CASE_MAKE(r, few);
    }
}

static int CASE_F(before)(CASE_TYPE a, CASE_TYPE b)
{
#ifdef CASE_LESS
    return CASE_LESS(a, b);
#else
    return a < b;
#endif
}

static size_t CASE_F(expect)(const void *items, size_t n, int largest)
{
    const CASE_TYPE *x = (const CASE_TYPE *)items;
    size_t best = 0;

    for (size_t i = 1; i < n; i++)
        if (largest ? CASE_F(before)(x[best], x[i]) : CASE_F(before)(x[i], x[best]))
            best = i;
    return n ? best : (size_t)-1;
}

static cudaError_t CASE_F(run)(const void *items, void *d_index, size_t n, int largest, int few, gp_workspace *ws)
{
    const CASE_TYPE *in = (const CASE_TYPE *)items;

    if (few)
        return largest ? CASE_F(few_argmax)(in, (int *)d_index, n, ws, 0)
                       : CASE_F(few_argmin)(in, (int *)d_index, n, ws, 0);
    return largest ? CASE_F(argmax)(in, (size_t *)d_index, n, ws, 0) : CASE_F(argmin)(in, (size_t *)d_index, n, ws, 0);
}

static const arg_case CASE_F(case) = {CASE_TEXT(CASE), sizeof(CASE_TYPE), __alignof__(CASE_TYPE), CASE_F(make),
                                      CASE_F(expect),  CASE_F(run)};

#undef CASE
#undef CASE_TYPE
#undef CASE_LESS
#undef CASE_MAKE
#undef CASE_JOIN_
#undef CASE_JOIN
#undef CASE_TEXT_
#undef CASE_TEXT
#undef CASE_F
