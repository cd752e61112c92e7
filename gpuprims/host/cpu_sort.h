/*
 * host/cpu_sort.h: a stable sort of keys on the CPU, in plain C: the reference for every sort of keys.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_KEY         K: an integer type of 1, 2, 4 or 8 bytes, float or double (int); or, with
 *              GP_KEY_KIND    GP_UNSIGNED, GP_SIGNED or GP_FLOAT, any other type of such a size, ordered by its
 *                             bits as by those of a number of that kind: __half, __nv_bfloat16, a struct
 *              GP_DESCENDING  when it is defined, the largest key comes first
 * Generates    int NAME_cpu_sort(const K *in, K *out, size_t n)
 *
 *     in                   1 5 0 1 2 0 3
 *     sorted               0 0 1 1 2 3 5
 *
 * Host pointers; in == out is allowed. The order is that of radix_sort.cuh: -0.0 and +0.0 are equal and
 * keep their order, NaNs come past the infinities of their sign. A bottom-up merge sort, with
 * memory for n keys more: returns 0, or 1 if there was none and nothing has been done.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG cpu_sort
#define GPI_HEADER "gpuprims/host/cpu_sort.h"
#define GPI_TAKES (GPI_TAKES_KEY | GPI_TAKES_KEY_KIND | GPI_TAKES_DESCENDING)
#define GPI_ON_HOST
#endif
#include "../core/instance/begin.cuh"

#include <stdlib.h>

#if defined GPI_MISSING_NAME
#error "gpuprims/host/cpu_sort.h: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_WRONG_KEY_KIND
#error "gpuprims/host/cpu_sort.h: GP_KEY_KIND must be GP_UNSIGNED, GP_SIGNED or GP_FLOAT"
#endif

#if !defined GPI_DEFAULT || !defined GPI_CPU_SORT_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_CPU_SORT_DEFAULT
#endif
GPI_ONCE_PER_NAME(cpu_sort);

#include "../core/instance/radix_key.cuh"
GPI_CHECK_KEY();

/* Merges the sorted runs from[first, middle) and from[middle, last), the former first where equal. */
static inline void GPI(merge)(const GP_KEY *from, GP_KEY *to, size_t first, size_t middle,
                              size_t last)
{
    size_t a = first, b = middle;

    for (size_t i = first; i < last; i++)
        if (b == last || (a < middle && GPI(key_order)(from[a]) <= GPI(key_order)(from[b])))
            to[i] = from[a++];
        else
            to[i] = from[b++];
}

/* Sorts in into out. */
static inline int GPI_PUBLIC(cpu_sort)(const GP_KEY *in, GP_KEY *out, size_t n)
{
    GP_KEY *other = n > 1 ? (GP_KEY *)malloc(n * sizeof(GP_KEY)) : NULL, *from = out, *to = other;

    if (n > 1 && !other)
        return 1;
    if (n && in != out)
        memcpy((void *)out, in, n * sizeof(GP_KEY));
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t first = 0; first < n; first += 2 * run) {
            size_t middle = first + run < n ? first + run : n;
            size_t last = first + 2 * run < n ? first + 2 * run : n;

            GPI(merge)(from, to, first, middle, last);
        }
        GP_KEY *swap = from;
        from = to;
        to = swap;
    }
    if (n && from != out)
        memcpy((void *)out, from, n * sizeof(GP_KEY));
    free(other);
    return 0;
}

#endif
#include "../core/instance/end.cuh"
