/*
 * by_key_case.h: stamps out an instance of by_key.cuh and its run_case.
 *
 *     CASE               name
 *     CASE_KEY           K
 *     CASE_MAKE_KEY      key i, from the label of its run and random bits r
 *     CASE_EQUAL(a, b)   as GP_EQUAL             CASE_SAME_KEY(a, b)   the same for the reference (a == b)
 *     CASE_TYPE          T                       CASE_INPUT            I (T)
 *     CASE_MAKE          item i of the input, from the label and random bits r
 *     CASE_LOAD(x)       as GP_LOAD              CASE_REF_LOAD(x)      the same for the reference (x)
 *     CASE_OP            the operator            CASE_REF(a, b)        the same for the reference
 *     CASE_IDENTITY      as GP_IDENTITY, for an operator of one's own
 *     CASE_EMPTY         the identity, as an expression
 *     CASE_CONTEXT       type of the context     CASE_CONTEXT_VALUE
 *     CASE_INDEX         as GP_INDEX (size_t)
 *     CASE_SAME          compares two T through pointers (bytes)
 *     CASE_KERNEL, CASE_GRID   as GP_KERNEL and GP_GRID
 *
 * CASE, CASE_KERNEL and CASE_GRID are undefined at the end, and all of them if CASE_MORE is not defined: it says that
 * the next instance is of the same types.
 */
#ifndef CASE_INPUT
#define CASE_INPUT CASE_TYPE
#endif
#ifndef CASE_INDEX
#define CASE_INDEX size_t
#endif
#ifndef CASE_SAME_KEY
#define CASE_SAME_KEY(a, b) ((a) == (b))
#endif
#ifndef CASE_REF_LOAD
#define CASE_REF_LOAD(x) (x)
#endif
#ifndef CASE_F
#define CASE_JOIN_(a, b) a##_##b
#define CASE_JOIN(a, b)  CASE_JOIN_(a, b)
#define CASE_TEXT_(a)    #a
#define CASE_TEXT(a)     CASE_TEXT_(a)
#define CASE_F(word)     CASE_JOIN(CASE, word)
#define CASE_GPI_(name, word) gpi_##name##_by_key_##word
#define CASE_GPI(name, word)  CASE_GPI_(name, word)
#endif

#ifndef CASE_IS_GP
#define GP_NAME CASE
#define GP_KEY  CASE_KEY
#ifdef CASE_EQUAL
#define GP_EQUAL CASE_EQUAL
#endif
#define GP_TYPE CASE_TYPE
#define GP_OP   CASE_OP
#ifdef CASE_IDENTITY
#define GP_IDENTITY CASE_IDENTITY
#endif
#define GP_INPUT_TYPE CASE_INPUT
#ifdef CASE_LOAD
#define GP_LOAD CASE_LOAD
#endif
#ifdef CASE_CONTEXT
#define GP_CONTEXT CASE_CONTEXT
#endif
#define GP_INDEX CASE_INDEX
#ifdef CASE_KERNEL
#define GP_KERNEL CASE_KERNEL
#endif
#ifdef CASE_GRID
#define GP_GRID CASE_GRID
#endif
#endif
#include <gpuprims/by_key.cuh>

static void CASE_F(make)(void *keys, void *in, const uint32_t *labels, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t r = tap_random();
        uint32_t label = labels[i];

        (void)label;
        ((CASE_KEY *)keys)[i] = CASE_MAKE_KEY;
        r = tap_random();
        (void)r;
        ((CASE_INPUT *)in)[i] = CASE_MAKE;
    }
}

static size_t CASE_F(reference)(int function, const void *keys_in, const void *in, void *keys_out, void *out, size_t n)
{
    const CASE_KEY *keys = (const CASE_KEY *)keys_in;
    CASE_TYPE *results = (CASE_TYPE *)out, sum = CASE_EMPTY;
    size_t runs = 0;

    for (size_t i = 0; i < n; i++) {
        const CASE_INPUT item = ((const CASE_INPUT *)in)[i];
        const CASE_TYPE x = CASE_REF_LOAD(item), before = sum;
        const int head = i == 0 || !CASE_SAME_KEY(keys[i - 1], keys[i]);

        if (head) {
            ((CASE_KEY *)keys_out)[runs++] = keys[i];
            sum = x;
        } else {
            sum = CASE_REF(before, x);
        }
        if (function == REDUCE_BY_KEY)
            results[runs - 1] = sum;
        else if (function == INCLUSIVE_BY_KEY)
            results[i] = sum;
        else if (head)
            results[i] = CASE_EMPTY;
        else
            results[i] = before;
    }
    return runs;
}

static int CASE_F(same)(const void *a, const void *b)
{
#ifdef CASE_SAME
    return CASE_SAME((const CASE_TYPE *)a, (const CASE_TYPE *)b);
#else
    return memcmp(a, b, sizeof(CASE_TYPE)) == 0;
#endif
}

#ifdef CASE_CONTEXT
#define CASE_CALL CASE_CONTEXT_VALUE, ws, stream
#else
#define CASE_CALL ws, stream
#endif

static cudaError_t CASE_F(run)(int function, const void *keys, const void *in, void *keys_out, void *out, size_t n,
                               void *count, gp_workspace *ws, cudaStream_t stream)
{
    const CASE_KEY *k = (const CASE_KEY *)keys;
    const CASE_INPUT *from = (const CASE_INPUT *)in;
    CASE_TYPE *to = (CASE_TYPE *)out;

    switch (function) {
    case REDUCE_BY_KEY:
        return CASE_F(reduce_by_key)(k, from, (CASE_KEY *)keys_out, to, n, (CASE_INDEX *)count, CASE_CALL);
    case INCLUSIVE_BY_KEY: return CASE_F(inclusive_scan_by_key)(k, from, to, n, CASE_CALL);
    default: return CASE_F(exclusive_scan_by_key)(k, from, to, n, CASE_CALL);
    }
}

static const run_case CASE_F(case) = {
    CASE_TEXT(CASE), sizeof(CASE_KEY), sizeof(CASE_INPUT), sizeof(CASE_TYPE), sizeof(CASE_INDEX),
    __alignof__(CASE_KEY), __alignof__(CASE_INPUT), __alignof__(CASE_TYPE),
    {CASE_GPI(CASE, thread_n), CASE_GPI(CASE, warp_tile_n), CASE_GPI(CASE, tile_n)},
    CASE_F(make), CASE_F(reference), CASE_F(same), CASE_F(run),
    {CASE_F(reduce_by_key_workspace_bytes), CASE_F(inclusive_scan_by_key_workspace_bytes),
     CASE_F(exclusive_scan_by_key_workspace_bytes)}};

#undef CASE
#undef CASE_KERNEL
#undef CASE_GRID
#undef CASE_CALL
#ifndef CASE_MORE
#undef CASE_KEY
#undef CASE_MAKE_KEY
#undef CASE_EQUAL
#undef CASE_SAME_KEY
#undef CASE_TYPE
#undef CASE_INPUT
#undef CASE_MAKE
#undef CASE_LOAD
#undef CASE_REF_LOAD
#undef CASE_OP
#undef CASE_REF
#undef CASE_IDENTITY
#undef CASE_EMPTY
#undef CASE_CONTEXT
#undef CASE_CONTEXT_VALUE
#undef CASE_INDEX
#undef CASE_SAME
#endif
#undef CASE_MORE
