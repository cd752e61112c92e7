/* reference.h: what each primitive should give, computed plainly on the CPU, and the comparison.
 *
 * The reference shares no code with the library, so that the library's own CPU functions are
 * checked like everything else. It is kept in double precision, which is exact for the integers.
 */
#ifndef COMPARE_REFERENCE_H
#define COMPARE_REFERENCE_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "element.h"
#include "input.h"

typedef struct reference {
    size_t count;      /* how many elements the result has */
    double *value;     /* what they are */
    double *magnitude; /* the sum of |x| behind each one; NULL: the result must be exact */
} reference;

typedef void reference_function(element_type type, const void *in, size_t n, reference *expected);

typedef enum verdict_kind {
    VERDICT_PASSED,
    VERDICT_WRONG_VALUE,
    VERDICT_WRONG_COUNT,
    VERDICT_PAST_END, /* a value was written behind the result */
    VERDICT_CUDA_ERROR
} verdict_kind;

typedef struct verdict {
    verdict_kind kind;
    size_t index; /* of the first mismatch */
    double expected, got;
    double allowed; /* difference; 0: none */
} verdict;

static inline void reference_integer_scan(element_type type, const void *in, size_t n,
                                          reference *expected)
{
    const uint32_t *x = (const uint32_t *)in;
    uint32_t sum = 0;
    size_t i;
    for (i = 0; i < n; i++) {
        expected->value[i] = element_value(type, &sum, 0);
        sum += x[i];
    }
}

static inline void reference_float_scan(const float *x, size_t n, reference *expected)
{
    double sum = 0, magnitude = 0;
    size_t i;
    expected->magnitude = (double *)allocate(n * sizeof *expected->magnitude);
    for (i = 0; i < n; i++) {
        expected->value[i] = sum;
        expected->magnitude[i] = magnitude;
        sum += (double)x[i];
        if (isfinite(x[i]))
            magnitude += fabs((double)x[i]);
    }
}

static inline void reference_scan(element_type type, const void *in, size_t n, reference *expected)
{
    expected->count = n;
    if (type == TYPE_F32)
        reference_float_scan((const float *)in, n, expected);
    else
        reference_integer_scan(type, in, n, expected);
}

static inline void reference_compact(element_type type, const void *in, size_t n,
                                     reference *expected)
{
    size_t i;
    for (i = 0; i < n; i++) {
        double x = element_value(type, in, i);
        if (x != 0)
            expected->value[expected->count++] = x;
    }
}

static inline void reference_find_max(element_type type, const void *in, size_t n,
                                      reference *expected)
{
    double largest = element_value(type, in, 0);
    size_t i;
    for (i = 1; i < n; i++) {
        double x = element_value(type, in, i);
        if (x > largest || isnan(x))
            largest = x;
    }
    expected->value[expected->count++] = largest;
}

static inline int reference_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline void reference_sort(element_type type, const void *in, size_t n, reference *expected)
{
    for (; expected->count < n; expected->count++)
        expected->value[expected->count] = element_value(type, in, expected->count);
    qsort(expected->value, n, sizeof *expected->value, reference_order);
}

static inline reference reference_make(reference_function *compute, element_type type,
                                       const void *in, size_t n)
{
    reference expected;
    expected.count = 0;
    expected.value = (double *)allocate(n * sizeof *expected.value);
    expected.magnitude = NULL;
    compute(type, in, n, &expected);
    return expected;
}

static inline void reference_free(reference *expected)
{
    free(expected->value);
    free(expected->magnitude);
}

/* The factor of sum |x| by which a float sum of n elements may be off. A tree of additions is
 * log2(n) deep and every level rounds by eps/2 at most; the up and the down pass of a scan make it
 * two trees, and the factor of 2 left over covers the short serial runs that real scans have in
 * them. A serial loop is n additions deep, so its bound has to be that much wider. */
static inline double reference_float_factor(size_t n, int serial)
{
    double depth = serial ? (double)n : 2 * log2((double)n);
    return depth * (double)FLT_EPSILON;
}

/* Is a float sum acceptable? Infinities and NaN come with real files read as floats. */
static inline int float_sum_matches(double expected, double magnitude, double factor, double got)
{
    if (isnan(expected))
        return isnan(got);
    /* Partial sums of this size may overflow in one order of addition and not in another. */
    if (magnitude * (1 + factor) > (double)FLT_MAX && !isfinite(got))
        return 1;
    if (isinf(expected))
        return got == expected;
    return fabs(got - expected) <= factor * magnitude;
}

static inline verdict reference_compare(const reference *expected, element_type type, size_t n,
                                        int serial, const void *result, size_t count)
{
    verdict found = {VERDICT_PASSED, 0, 0, 0, 0};
    double factor = reference_float_factor(n, serial);
    size_t i;
    for (i = 0; i < expected->count && i < count; i++) {
        double want = expected->value[i];
        double got = element_value(type, result, i);
        int matches = expected->magnitude != NULL
                          ? float_sum_matches(want, expected->magnitude[i], factor, got)
                          : want == got || (isnan(want) && isnan(got));
        if (!matches) {
            found.kind = VERDICT_WRONG_VALUE;
            found.index = i;
            found.expected = want;
            found.got = got;
            found.allowed = expected->magnitude != NULL ? factor * expected->magnitude[i] : 0;
            return found;
        }
    }
    if (count != expected->count) {
        found.kind = VERDICT_WRONG_COUNT;
        found.index = i;
        found.expected = (double)expected->count;
        found.got = (double)count;
    }
    return found;
}

#endif
