/*
 * core/instance/combine.cuh: the operator of an instance and its identity, and, by load.cuh, the map from what is
 * read to what is folded. The user's macros are called in these two and nowhere else.
 *
 * Needs core/instance/begin.cuh. Stamped once per instance, by the first of its headers that includes it.
 */
#ifndef GPI_COMBINE_IS_STAMPED
#define GPI_COMBINE_IS_STAMPED

/*
 * Whether items are integers, and not bool. A constant for classes too, with whose operators the
 * compiler cannot compute.
 */
#define GPI_IS_INTEGER (__builtin_classify_type(*(const GP_TYPE *)0) < 5 && (GP_TYPE)0.5 == (GP_TYPE)0)
#define GPI_IS_FLOAT (sizeof(GP_TYPE) == sizeof(float) && (GP_TYPE)0.5 != (GP_TYPE)0)

/* Whether a type, a scalar in C, is an integer or a floating-point number of any size, and not bool. */
#ifdef __cplusplus
#define GPI_IS_NUMBER(type) \
    (__builtin_classify_type(*(const type *)0) < 3 || __builtin_classify_type(*(const type *)0) == 8)
#else
#define GPI_IS_NUMBER(type) ((type)2 != (type)1)
#endif

GPI_FUNCTION GP_TYPE GPI(combine)(GP_TYPE a, GP_TYPE b)
{
#if GP_OP == GP_SUM
    return (GP_TYPE)(a + b);
#elif GP_OP == GP_PRODUCT
    __typeof__(a * b) product = a * b; /* a variable: gcc warns of a product that becomes a bool */

    return (GP_TYPE)product;
#elif GP_OP == GP_MIN
#if defined GPI_FLOAT_EXTREMES && !defined GPI_ON_HOST
    if (GPI_IS_FLOAT) {
        const float smaller = gpi_smaller((float)a, (float)b); /* unconditional: no branch */

        return a == b ? b : (GP_TYPE)smaller;
    }
#endif
    return a < b ? a : b <= a ? b : (GP_TYPE)(a + b); /* the sum of a NaN and anything is a NaN */
#elif GP_OP == GP_MAX
#if defined GPI_FLOAT_EXTREMES && !defined GPI_ON_HOST
    if (GPI_IS_FLOAT) {
        const float larger = gpi_larger((float)a, (float)b); /* likewise */

        return a == b ? b : (GP_TYPE)larger;
    }
#endif
    return a > b ? a : b >= a ? b : (GP_TYPE)(a + b);
#elif GP_OP == GP_AND
    return (GP_TYPE)(a & b);
#elif GP_OP == GP_OR
    return (GP_TYPE)(a | b);
#elif GP_OP == GP_XOR
    return (GP_TYPE)(a ^ b);
#else
    return GP_OP(a, b);
#endif
}

#if (GP_OP == GP_MIN || GP_OP == GP_MAX) && defined GPI_FLOAT_EXTREMES

/* GPI(combine) of two floats, except that for -0 and +0 it may return either. */
GPI_DEVICE GP_TYPE GPI(quick_combine)(GP_TYPE a, GP_TYPE b)
{
    return (GP_TYPE)(GP_OP == GP_MAX ? gpi_larger((float)a, (float)b) : gpi_smaller((float)a, (float)b));
}
#endif

#if GP_OP == GP_MIN || GP_OP == GP_MAX
/* The largest value of the type, or the smallest: an infinity where there is one. */
GPI_FUNCTION GP_TYPE GPI(extreme)(int largest)
{
    const GP_TYPE one = (GP_TYPE)1, minus_one = (GP_TYPE)-1;
    const unsigned is_signed = minus_one < one;
    const int is_floating = (GP_TYPE)0.5 != (GP_TYPE)0 && (GP_TYPE)2 != one; /* and not bool */
    float infinity = __builtin_inff();
    GP_TYPE top = one;

    for (unsigned bits = 1; bits < 8 * sizeof(GP_TYPE) - is_signed; bits++)
        top = (GP_TYPE)(top + top + one);
    return is_floating ? (GP_TYPE)(largest ? infinity : -infinity)
           : largest   ? top
           : is_signed ? (GP_TYPE)(-top - one)
                       : (GP_TYPE)0;
}
#endif

/*
 * The result for an empty input. It is written where a result needs it, never combined. A
 * GP_IDENTITY given with a ready operator replaces the operator's.
 */
GPI_FUNCTION GP_TYPE GPI(identity)(void)
{
#ifdef GP_IDENTITY
    GP_TYPE gpi_identity = GP_IDENTITY;

    return gpi_identity;
#elif GP_OP == GP_SUM || GP_OP == GP_OR || GP_OP == GP_XOR
    return (GP_TYPE)0;
#elif GP_OP == GP_PRODUCT
    return (GP_TYPE)1;
#elif GP_OP == GP_AND
    return (GP_TYPE)-1; /* all ones; true */
#elif GP_OP == GP_MIN
    return GPI(extreme)(1);
#elif GP_OP == GP_MAX
    return GPI(extreme)(0);
#endif
}

#include "load.cuh"

#endif
