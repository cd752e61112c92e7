/*
 * reduce_at_case.h: instances of reduce.cuh that fold the same items, and the at_case CASE_case of them: from an array;
 * by GP_LOAD_AT from an array of words, by its context from one, of which no more than n are asked for; and computed
 * from nothing.
 *
 *     CASE, CASE_TYPE, CASE_OP   name, T, an operator of the test's own, also for the reference
 *     CASE_IDENTITY              as GP_IDENTITY, an expression
 *     CASE_MAKE(w)               an item from a word; on the device, too
 *     CASE_ROUNDS                nothing but the bits of the first instance is compared
 */
#define CASE_JOIN_(a, b) a##_##b
#define CASE_JOIN(a, b)  CASE_JOIN_(a, b)
#define CASE_TEXT_(a)    #a
#define CASE_TEXT(a)     CASE_TEXT_(a)
#define CASE_F(word)     CASE_JOIN(CASE, word)

#define GP_NAME     CASE
#define GP_TYPE     CASE_TYPE
#define GP_OP       CASE_OP
#define GP_IDENTITY CASE_IDENTITY
#include <gpuprims/reduce.cuh>

#define GP_NAME           CASE_F(strided)
#define GP_TYPE           CASE_TYPE
#define GP_OP             CASE_OP
#define GP_IDENTITY       CASE_IDENTITY
#define GP_INPUT_TYPE     uint32_t
#define GP_LOAD_AT(in, i) CASE_MAKE((in)[2 * (i)])
#include <gpuprims/reduce.cuh>

#define GP_NAME              CASE_F(bounded)
#define GP_TYPE              CASE_TYPE
#define GP_OP                CASE_OP
#define GP_IDENTITY          CASE_IDENTITY
#define GP_INPUT_TYPE        void
#define GP_CONTEXT           bounded_words
#define GP_LOAD_AT(in, i, c) CASE_MAKE(bounded_word(in, i, c))
#define GP_GRID              3
#define GP_INDEX             int
#include <gpuprims/reduce.cuh>

#define GP_NAME           CASE_F(computed)
#define GP_TYPE           CASE_TYPE
#define GP_OP             CASE_OP
#define GP_IDENTITY       CASE_IDENTITY
#define GP_INPUT_TYPE     void
#define GP_LOAD_AT(in, i) CASE_MAKE(word_of(i))
#include <gpuprims/reduce.cuh>

static void CASE_F(make)(void *items, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((CASE_TYPE *)items)[i] = CASE_MAKE(word_of(i));
}

/* The fold of n items, with the item `init` before them if `with_init`. */
static void CASE_F(reference)(const void *items, size_t n, int with_init, void *result)
{
    CASE_TYPE sum = with_init ? CASE_MAKE(INIT_WORD) : CASE_IDENTITY;
    int has_sum = with_init;

    for (size_t i = 0; i < n; i++) {
        CASE_TYPE x = ((const CASE_TYPE *)items)[i];

        sum = has_sum ? CASE_OP(sum, x) : x;
        has_sum = 1;
    }
    memcpy(result, &sum, sizeof sum);
}

static cudaError_t CASE_F(run)(int way, const void *items, const uint32_t *words, void *out, size_t n, int with_init,
                               bounded_words c, gp_workspace *ws)
{
    const CASE_TYPE *in = (const CASE_TYPE *)items, init = CASE_MAKE(INIT_WORD);
    CASE_TYPE *to = (CASE_TYPE *)out;

    switch (2 * way + with_init) {
    case 0: return CASE_F(reduce)(in, to, n, ws, 0);
    case 1: return CASE_F(reduce_init)(in, to, n, init, ws, 0);
    case 2: return CASE_F(strided_reduce)(words, to, n, ws, 0);
    case 3: return CASE_F(strided_reduce_init)(words, to, n, init, ws, 0);
    case 4: return CASE_F(bounded_reduce)(NULL, to, n, c, ws, 0);
    case 5: return CASE_F(bounded_reduce_init)(NULL, to, n, init, c, ws, 0);
    case 6: return CASE_F(computed_reduce)(NULL, to, n, ws, 0);
    default: return CASE_F(computed_reduce_init)(NULL, to, n, init, ws, 0);
    }
}

static const at_case CASE_F(case) = {
    CASE_TEXT(CASE), sizeof(CASE_TYPE), __alignof__(CASE_TYPE),
#ifdef CASE_ROUNDS
    1,
#else
    0,
#endif
    CASE_F(make), CASE_F(reference), CASE_F(run)};

#undef CASE
#undef CASE_TYPE
#undef CASE_OP
#undef CASE_IDENTITY
#undef CASE_MAKE
#undef CASE_ROUNDS
#undef CASE_JOIN_
#undef CASE_JOIN
#undef CASE_TEXT_
#undef CASE_TEXT
#undef CASE_F
