/*
 * core/instance/begin.cuh: starts an instance. Checks the parameters, fills in the defaults, and defines how
 * the instance's names are made. Every parameterised header includes it first and end.cuh last.
 *
 * Before it includes this file a header defines GPI_TAG, a word of its own, and what core/instance/parameters.cuh
 * needs. This file defines:
 *
 *     GPI_PUBLIC(word)       NAME_word, what the user calls
 *     GPI(word)              gpi_NAME_TAG_word, the instance's private names
 *     GPI_TEXT(word)         "NAME_word", for error messages
 *     GPI_ONCE_PER_NAME(header);   a compile-time error if a header is included twice under one name
 *     GPI_AT_MOST(GP_TYPE, bytes);   a compile-time error if the type is larger
 *     GPI_CHECK_INDEX();     a compile-time error if GP_INDEX is no type of counts
 *     GPI_IS_SAME_TYPE(T, U)
 *     GPI_CHOOSE_TYPE(name, condition, T, U);   the type `name`: T if the constant condition holds, otherwise U
 *     GPI_DEFAULT            defined when no parameter was given
 *     GPI_MISSING_...,       defined for a mistake; the outermost header turns it into an #error of its
 *     GPI_WRONG_...          own. The parameter gets a substitute: one error, not fifty
 *
 * One header may include another: the instance belongs to the outermost one.
 */
#ifndef GPI_DEPTH
#define GPI_DEPTH 1

#include "../../gpuprims.h"

/* Functions of an instance run on the device, those of host/ on the host (GPI_ON_HOST). */
#ifdef GPI_ON_HOST
#define GPI_FUNCTION static inline
#else
#define GPI_FUNCTION GPI_DEVICE
#endif

#if defined GP_CUDA_HOST && !defined __CUDACC__ && !defined GPI_ON_HOST
#error "gpuprims: with GP_CUDA_HOST a file gets types and declarations alone: include gpuprims.h, not a primitive"
#endif

#define GPI_STEP GPI_CHECK
#include "parameters.cuh"
#define GPI_STEP GPI_FILL_IN
#include "parameters.cuh"

#ifndef GPI
#define GPI_JOIN2_(a, b)       a##b
#define GPI_JOIN2(a, b)        GPI_JOIN2_(a, b)
#define GPI_JOIN4_(a, b, c, d) a##b##_##c##d
#define GPI_JOIN4(a, b, c, d)  GPI_JOIN4_(a, b, c, d)
#define GPI_TEXT_(word)        #word
#define GPI_TEXT_OF(word)      GPI_TEXT_(word)
#define GPI(word)              GPI_JOIN4(gpi_, GP_NAME, GPI_TAG, _##word)
#define GPI_PUBLIC(word)       GPI_JOIN2(GP_NAME, _##word)
#define GPI_TEXT(word)         GPI_TEXT_OF(GPI_PUBLIC(word))

/* The first of the errors that follow. */
#define GPI_ONCE_(header, name)   gpuprims_##header##_is_included_twice_under_the_name_##name
#define GPI_ONCE(header, name)    GPI_ONCE_(header, name)
#define GPI_ONCE_PER_NAME(header) enum { GPI_ONCE(header, GP_NAME) }

#ifdef __cplusplus
#define GPI_STATIC_ASSERT(condition, text) static_assert(condition, GPI_HEADER ": " text)
#define GPI_IS_SAME_TYPE(T, U)             __is_same(T, U)
#define GPI_CHOOSE_TYPE(name, condition, T, U) \
    struct GPI_JOIN2(name, _choice) {          \
        static T of(char (*)[2]);              \
        static U of(char (*)[1]);              \
    };                                         \
    typedef decltype(GPI_JOIN2(name, _choice)::of((char (*)[1 + !!(condition)])0)) name
#else
#define GPI_STATIC_ASSERT(condition, text) _Static_assert(condition, GPI_HEADER ": " text)
#define GPI_IS_SAME_TYPE(T, U)             _Generic((T *)0, U * : 1, default : 0)
#define GPI_CHOOSE_TYPE(name, condition, T, U) \
    typedef __typeof__(__builtin_choose_expr(condition, *(T *)0, *(U *)0)) name
#endif
#define GPI_AT_MOST(type, bytes) \
    GPI_STATIC_ASSERT(sizeof(type) <= bytes, #type " has more than " #bytes " bytes, the most that are supported")
#define GPI_CHECK_INDEX()                                                                               \
    GPI_STATIC_ASSERT((sizeof(GP_INDEX) == 4 || sizeof(GP_INDEX) == 8) && (GP_INDEX)1 / 2 == 0, \
                      "GP_INDEX must be an integer type of 4 or 8 bytes")
#endif

#else /* included by another header of the instance: its parameters hold, and it reports mistakes */

#undef GPI_MISSING_NAME
#undef GPI_MISSING_OP
#undef GPI_MISSING_IDENTITY
#undef GPI_MISSING_CONTEXT_USER
#undef GPI_WRONG_BLOCK
#undef GPI_WRONG_ITEMS
#undef GPI_WRONG_KEY_KIND

#if GPI_DEPTH == 1
#undef GPI_DEPTH
#define GPI_DEPTH 2
#elif GPI_DEPTH == 2
#undef GPI_DEPTH
#define GPI_DEPTH 3
#else
#error "gpuprims: headers are nested more deeply than core/instance/begin.cuh can count"
#endif
#endif
