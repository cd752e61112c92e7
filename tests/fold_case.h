/*
 * fold_case.h: stamps out an instance of scan.cuh (CASE_SCAN), reduce.cuh (CASE_REDUCE) or both, and
 * its fold_case CASE_case.
 *
 *     CASE                name
 *     CASE_TYPE           T                        CASE_INPUT    I (T)
 *     CASE_OP             the operator             CASE_REF      the same for the reference
 *     CASE_IDENTITY       as GP_IDENTITY, for an operator of one's own
 *     CASE_EMPTY          the identity, as an expression
 *     CASE_INIT           an init (CASE_EMPTY)
 *     CASE_MAKE           item i of the input, from random bits r
 *     CASE_LOAD(x)        as GP_LOAD; the context, if any, is its second argument
 *     CASE_CONTEXT        type of the context      CASE_CONTEXT_VALUE
 *     CASE_SAME           compares two T through pointers (bytes)
 *     CASE_KERNEL, CASE_GRID   as GP_KERNEL and GP_GRID
 *
 * With CASE_LOADS_AT a scan reads by GP_LOAD_AT, with CASE_STORES_AT it writes by GP_STORE_AT.
 *
 * All but CASE_SCAN, CASE_REDUCE and those two are undefined at the end.
 */
#ifndef CASE_INPUT
#define CASE_INPUT CASE_TYPE
#endif
#ifndef CASE_INIT
#define CASE_INIT CASE_EMPTY
#endif
#ifndef CASE_JOIN
#define CASE_JOIN_(a, b) a##_##b
#define CASE_JOIN(a, b)  CASE_JOIN_(a, b)
#define CASE_TEXT_(a)    #a
#define CASE_TEXT(a)     CASE_TEXT_(a)
#define CASE_F(word)     CASE_JOIN(CASE, word)
#endif

#ifdef CASE_SCAN
#define GP_NAME CASE
#define GP_TYPE CASE_TYPE
#define GP_OP   CASE_OP
#ifdef CASE_IDENTITY
#define GP_IDENTITY CASE_IDENTITY
#endif
#define GP_INPUT_TYPE CASE_INPUT
#ifdef CASE_LOADS_AT
#define GP_LOAD_AT(in, i) ((in)[i])
#elif defined CASE_LOAD
#define GP_LOAD CASE_LOAD
#endif
#ifdef CASE_STORES_AT
#define GP_STORE_AT(out, i, x) (out)[i] = (x)
#endif
#ifdef CASE_CONTEXT
#define GP_CONTEXT CASE_CONTEXT
#endif
#ifdef CASE_KERNEL
#define GP_KERNEL CASE_KERNEL
#endif
#ifdef CASE_GRID
#define GP_GRID CASE_GRID
#endif
#include <gpuprims/scan.cuh>
#endif

#ifdef CASE_REDUCE
#define GP_NAME CASE
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
#ifdef CASE_GRID
#define GP_GRID CASE_GRID
#endif
#include <gpuprims/reduce.cuh>
#endif

static void CASE_F(make)(void *in, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t r = tap_random();

        (void)r;
        ((CASE_INPUT *)in)[i] = CASE_MAKE;
    }
}

static void CASE_F(reference)(int function, const void *in, void *out, size_t n)
{
    CASE_TYPE sum = CASE_INIT, *results = (CASE_TYPE *)out;
    int has_sum = function == EXCLUSIVE_INIT;

    for (size_t i = 0; i < n; i++) {
        CASE_INPUT item = ((const CASE_INPUT *)in)[i];
        CASE_TYPE next, x;

#if defined CASE_LOAD && defined CASE_CONTEXT
        x = CASE_LOAD(item, CASE_CONTEXT_VALUE);
#elif defined CASE_LOAD
        x = CASE_LOAD(item);
#else
        x = item;
#endif
        next = x;
        if (has_sum)
            next = CASE_REF(sum, x);
        if (function == INCLUSIVE)
            results[i] = next;
        else if (function != REDUCE && has_sum)
            results[i] = sum;
        else if (function != REDUCE)
            results[i] = CASE_EMPTY;
        sum = next;
        has_sum = 1;
    }
    if (function == REDUCE && !has_sum)
        sum = CASE_EMPTY;
    if (function == REDUCE)
        results[0] = sum;
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
#define CASE_ARGUMENTS n, CASE_CONTEXT_VALUE, ws, stream
#define CASE_ARGUMENTS_INIT n, CASE_INIT, CASE_CONTEXT_VALUE, ws, stream
#else
#define CASE_ARGUMENTS n, ws, stream
#define CASE_ARGUMENTS_INIT n, CASE_INIT, ws, stream
#endif

static cudaError_t CASE_F(run)(int function, const void *in, void *out, size_t n, gp_workspace *ws,
                               cudaStream_t stream)
{
    const CASE_INPUT *from = (const CASE_INPUT *)in;
    CASE_TYPE *to = (CASE_TYPE *)out;

    switch (function) {
#ifdef CASE_SCAN
    case INCLUSIVE: return CASE_F(inclusive_scan)(from, to, CASE_ARGUMENTS);
    case EXCLUSIVE: return CASE_F(exclusive_scan)(from, to, CASE_ARGUMENTS);
    case EXCLUSIVE_INIT: return CASE_F(exclusive_scan_init)(from, to, CASE_ARGUMENTS_INIT);
#endif
#ifdef CASE_REDUCE
    case REDUCE: return CASE_F(reduce)(from, to, CASE_ARGUMENTS);
#endif
    }
    return cudaErrorUnknown;
}

static const fold_case CASE_F(case) = {
    CASE_TEXT(CASE), sizeof(CASE_INPUT), sizeof(CASE_TYPE), __alignof__(CASE_INPUT), __alignof__(CASE_TYPE),
    CASE_F(make),    CASE_F(reference),  CASE_F(run),       CASE_F(same)};

#undef CASE
#undef CASE_TYPE
#undef CASE_INPUT
#undef CASE_OP
#undef CASE_REF
#undef CASE_IDENTITY
#undef CASE_EMPTY
#undef CASE_INIT
#undef CASE_MAKE
#undef CASE_LOAD
#undef CASE_CONTEXT
#undef CASE_CONTEXT_VALUE
#undef CASE_SAME
#undef CASE_KERNEL
#undef CASE_GRID
#undef CASE_ARGUMENTS
#undef CASE_ARGUMENTS_INIT
