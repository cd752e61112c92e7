/*
 * run_length_case.h: stamps out an instance of run_length.cuh and its run_case.
 *
 *     CASE               name
 *     CASE_TYPE          T
 *     CASE_MAKE          item i, from the label of its run and random bits r
 *     CASE_EQUAL(a, b)   as GP_EQUAL             CASE_SAME(a, b)   the same for the reference (a == b)
 *     CASE_VALUE         as GP_VALUE (none); values are random bytes
 *     CASE_LOAD_AT       as GP_LOAD_AT           CASE_REF_LOAD(x)  what it makes of an item (x)
 *     CASE_INPUT_TYPE    as GP_INPUT_TYPE (T)
 *     CASE_CONTEXT       type of the context     CASE_CONTEXT_VALUE
 *     CASE_INDEX         as GP_INDEX (size_t)
 *     CASE_KERNEL, CASE_GRID   as GP_KERNEL and GP_GRID
 *
 * CASE, CASE_KERNEL and CASE_GRID are undefined at the end, and all of them if CASE_MORE is not defined: it says that
 * the next instance is of the same types.
 */
#ifndef CASE_INDEX
#define CASE_INDEX size_t
#endif
#ifndef CASE_SAME
#define CASE_SAME(a, b) ((a) == (b))
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
#define CASE_GPI_(name, word) gpi_##name##_run_length_##word
#define CASE_GPI(name, word)  CASE_GPI_(name, word)
#endif

#ifndef CASE_IS_GP
#define GP_NAME CASE
#define GP_TYPE CASE_TYPE
#ifdef CASE_EQUAL
#define GP_EQUAL CASE_EQUAL
#endif
#ifdef CASE_VALUE
#define GP_VALUE CASE_VALUE
#endif
#ifdef CASE_LOAD_AT
#define GP_LOAD_AT CASE_LOAD_AT
#endif
#ifdef CASE_INPUT_TYPE
#define GP_INPUT_TYPE CASE_INPUT_TYPE
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
#include <gpuprims/run_length.cuh>

static void CASE_F(make)(void *in, const uint32_t *labels, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t r = tap_random();
        const uint32_t label = labels[i];

        (void)r;
        (void)label;
        ((CASE_TYPE *)in)[i] = CASE_MAKE;
    }
}

/* Item i as it is read. */
static void CASE_F(load)(void *to, const void *in, size_t i)
{
    const CASE_TYPE item = ((const CASE_TYPE *)in)[i];
    const CASE_TYPE x = CASE_REF_LOAD(item);

    memcpy(to, (const void *)&x, sizeof x);
}

static int CASE_F(same)(const void *a, const void *b)
{
    return (CASE_SAME(*(const CASE_TYPE *)a, *(const CASE_TYPE *)b)) ? 1 : 0;
}

#ifdef CASE_CONTEXT
#define CASE_CALL CASE_CONTEXT_VALUE, ws, stream
#else
#define CASE_CALL ws, stream
#endif

static cudaError_t CASE_F(run)(int function, const void *in, void *out, const void *vin, void *vout, void *indices,
                               size_t n, void *count, gp_workspace *ws, cudaStream_t stream)
{
    const CASE_TYPE *from = (const CASE_TYPE *)in;
    CASE_TYPE *to = (CASE_TYPE *)out;
    CASE_INDEX *places = (CASE_INDEX *)indices, *to_count = (CASE_INDEX *)count;

    (void)vin;
    (void)vout;
    switch (function) {
    case ENCODE: return CASE_F(run_length_encode)(from, to, places, n, to_count, CASE_CALL);
    case OFFSETS: return CASE_F(run_offsets)(from, places, n, to_count, CASE_CALL);
#ifdef CASE_VALUE
    default:
        return CASE_F(unique)(from, to, (const CASE_VALUE *)vin, (CASE_VALUE *)vout, n, to_count, CASE_CALL);
#else
    default: return CASE_F(unique)(from, to, n, to_count, CASE_CALL);
#endif
    }
}

static cudaError_t CASE_F(expand)(const void *values, const void *lengths, size_t runs, void *out, size_t capacity,
                                  void *count, gp_workspace *ws, cudaStream_t stream)
{
    return CASE_F(run_length_decode)((const CASE_TYPE *)values, (const CASE_INDEX *)lengths, runs, (CASE_TYPE *)out,
                                     capacity, (CASE_INDEX *)count, CASE_CALL);
}

static const run_case CASE_F(case) = {
    CASE_TEXT(CASE), sizeof(CASE_TYPE), __alignof__(CASE_TYPE), sizeof(CASE_INDEX), (CASE_INDEX)-1 < (CASE_INDEX)1,
#ifdef CASE_VALUE
    sizeof(CASE_VALUE), __alignof__(CASE_VALUE),
#else
    0, 1,
#endif
    {CASE_GPI(CASE, thread_n), CASE_GPI(CASE, warp_tile_n), CASE_GPI(CASE, tile_n)},
    CASE_F(make), CASE_F(load), CASE_F(same), CASE_F(run), CASE_F(expand),
    {CASE_F(run_length_encode_workspace_bytes), CASE_F(run_offsets_workspace_bytes), CASE_F(unique_workspace_bytes)},
    CASE_F(run_length_decode_workspace_bytes)};

#undef CASE
#undef CASE_KERNEL
#undef CASE_GRID
#undef CASE_CALL
#ifndef CASE_MORE
#undef CASE_TYPE
#undef CASE_MAKE
#undef CASE_EQUAL
#undef CASE_SAME
#undef CASE_VALUE
#undef CASE_LOAD_AT
#undef CASE_REF_LOAD
#undef CASE_INPUT_TYPE
#undef CASE_CONTEXT
#undef CASE_CONTEXT_VALUE
#undef CASE_INDEX
#endif
#undef CASE_MORE
