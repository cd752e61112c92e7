/*
 * segmented_case.h: an instance of segmented.cuh with its reference, as a segmented_case. No include guard.
 *
 *     CASE             its name
 *     CASE_TYPE        T
 *     CASE_OP(a, b)    the operator of the reference; that of the instance, if CASE_READY does not name a ready one
 *     CASE_IDENTITY    what an empty segment gives
 *     CASE_INDEX       the type of offsets (size_t)
 *     CASE_IN, CASE_LOAD(x)   what is read, and its map (T)
 *     CASE_GRID        blocks of a launch at most
 *     CASE_KERNEL      as GP_KERNEL
 */
#ifndef CASE_INDEX
#define CASE_INDEX size_t
#endif
#ifndef CASE_IN
#define CASE_IN CASE_TYPE
#define CASE_ITEM(x) (x)
#else
#define CASE_ITEM(x) CASE_LOAD(x)
#define GP_INPUT_TYPE CASE_IN
#define GP_LOAD(x) CASE_LOAD(x)
#endif
#ifdef CASE_GRID
#define GP_GRID CASE_GRID
#endif
#ifdef CASE_KERNEL
#define GP_KERNEL CASE_KERNEL
#endif
#ifdef CASE_READY
#define GP_OP CASE_READY
#else
#define GP_OP CASE_DEVICE_OP
#define GP_IDENTITY CASE_IDENTITY
#endif

#define CASE_JOIN_(a, b) a##b
#define CASE_JOIN(a, b)  CASE_JOIN_(a, b)
#define CASE_TEXT_(a)    #a
#define CASE_TEXT(a)     CASE_TEXT_(a)
#define CASE_NAME(word)  CASE_JOIN(CASE, _##word)

#define GP_NAME  CASE
#define GP_TYPE  CASE_TYPE
#define GP_INDEX CASE_INDEX
#include <gpuprims/segmented.cuh>

static cudaError_t CASE_NAME(run)(int what, const void *in, void *out, size_t n, const void *offsets, size_t segments,
                                  gp_workspace *ws)
{
    const CASE_IN *from = (const CASE_IN *)in;
    const CASE_INDEX *at = (const CASE_INDEX *)offsets;
    CASE_TYPE *to = (CASE_TYPE *)out;

    switch (what) {
    case REDUCE: return CASE_NAME(segmented_reduce)(from, to, n, at, segments, ws, 0);
    case INCLUSIVE: return CASE_NAME(segmented_inclusive_scan)(from, to, n, at, segments, ws, 0);
    default: return CASE_NAME(segmented_exclusive_scan)(from, to, n, at, segments, ws, 0);
    }
}

static cudaError_t CASE_NAME(run_rows)(int what, const void *in, void *out, size_t rows, size_t length, gp_workspace *ws)
{
    const CASE_IN *from = (const CASE_IN *)in;
    CASE_TYPE *to = (CASE_TYPE *)out;

    switch (what) {
    case REDUCE: return CASE_NAME(row_reduce)(from, to, rows, length, ws, 0);
    case INCLUSIVE: return CASE_NAME(row_inclusive_scan)(from, to, rows, length, ws, 0);
    default: return CASE_NAME(row_exclusive_scan)(from, to, rows, length, ws, 0);
    }
}

static size_t CASE_NAME(bytes)(int what, size_t n, size_t segments)
{
    switch (what) {
    case REDUCE: return CASE_NAME(segmented_reduce_workspace_bytes)(n, segments);
    case INCLUSIVE: return CASE_NAME(segmented_inclusive_scan_workspace_bytes)(n, segments);
    default: return CASE_NAME(segmented_exclusive_scan_workspace_bytes)(n, segments);
    }
}

/* As fold-order.md says: n >= 1 items, cut at the largest power of two below n. */
static CASE_TYPE CASE_NAME(tree)(const CASE_IN *x, size_t n)
{
    size_t left = 1;

    if (n == 1)
        return CASE_ITEM(x[0]);
    while (2 * left < n)
        left *= 2;
    const CASE_TYPE a = CASE_NAME(tree)(x, left), b = CASE_NAME(tree)(x + left, n - left);
    return CASE_OP(a, b);
}

static void CASE_NAME(expect)(int what, const void *in, void *out, size_t segment, const size_t *offsets)
{
    const CASE_IN *x = (const CASE_IN *)in + offsets[segment];
    const size_t n = offsets[segment + 1] - offsets[segment];
    CASE_TYPE *to = (CASE_TYPE *)out + offsets[segment], sums[64], empty = CASE_IDENTITY;

    if (what == REDUCE) {
        if (n)
            empty = CASE_NAME(tree)(x, n);
        ((CASE_TYPE *)out)[segment] = empty;
        return;
    }
    /* sums[k], for each bit k of m: the tree over 2^k items in its turn. */
    for (size_t m = 0; m < n; m++) {
        CASE_TYPE tree = CASE_ITEM(x[m]), sum = empty;
        int k, has = 0;

        for (int bit = 63; bit >= 0; bit--)
            if (m >> bit & 1) {
                sum = has ? CASE_OP(sum, sums[bit]) : sums[bit];
                has = 1;
            }
        if (what == INCLUSIVE)
            sum = has ? CASE_OP(sum, tree) : tree;
        to[m] = sum;
        for (k = 0; m >> k & 1; k++)
            tree = CASE_OP(sums[k], tree);
        sums[k] = tree;
    }
}

static const segmented_case CASE_NAME(case) = {
    CASE_TEXT(CASE),     sizeof(CASE_IN),     sizeof(CASE_TYPE), __alignof__(CASE_IN),
    __alignof__(CASE_TYPE), sizeof(CASE_INDEX), CASE_NAME(run),     CASE_NAME(run_rows),
    CASE_NAME(bytes),    CASE_NAME(expect)};

#undef CASE
#undef CASE_TYPE
#undef CASE_OP
#undef CASE_DEVICE_OP
#undef CASE_READY
#undef CASE_IDENTITY
#undef CASE_INDEX
#undef CASE_IN
#undef CASE_LOAD
#undef CASE_ITEM
#undef CASE_GRID
#undef CASE_KERNEL
#undef CASE_JOIN_
#undef CASE_JOIN
#undef CASE_TEXT_
#undef CASE_TEXT
#undef CASE_NAME
