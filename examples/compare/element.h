/* element.h: the element types that the comparison runs on.
 *
 * Every element is one 32-bit word in memory: u8 data are widened to u32 when they are read. So three
 * sets of kernels, KERNEL_I32, KERNEL_U32 and KERNEL_F32, serve four types; and where the order of
 * elements does not matter u32 shares those of i32, because the bits of a wrapping sum are the same.
 */
#ifndef COMPARE_ELEMENT_H
#define COMPARE_ELEMENT_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef enum element_type { TYPE_U8, TYPE_I32, TYPE_U32, TYPE_F32, TYPE_COUNT } element_type;

enum { KERNEL_I32, KERNEL_U32, KERNEL_F32, KERNEL_COUNT };

enum { ELEMENT_BYTES = 4 };

static inline const char *element_name(element_type type)
{
    static const char *const names[TYPE_COUNT] = {"u8", "i32", "u32", "f32"};
    return names[type];
}

/* Bytes of one element in an input file. */
static inline size_t element_file_bytes(element_type type)
{
    return type == TYPE_U8 ? 1 : ELEMENT_BYTES;
}

static inline int element_kernel(element_type type)
{
    return type == TYPE_F32 ? KERNEL_F32 : type == TYPE_I32 ? KERNEL_I32 : KERNEL_U32;
}

/* A double holds every int32_t, uint32_t and float exactly, so it is the one currency in which
 * results are compared and printed. */
static inline double element_value(element_type type, const void *array, size_t i)
{
    if (type == TYPE_F32)
        return (double)((const float *)array)[i];
    if (type == TYPE_I32)
        return (double)((const int32_t *)array)[i];
    return (double)((const uint32_t *)array)[i];
}

/* As a cell of the array print: width 3, as everywhere in this family of programs. */
static inline void element_print_cell(element_type type, double value)
{
    printf(type == TYPE_F32 ? "%3g " : "%3.0f ", value);
}

/* With all its digits, for mismatches and the CSV file. */
static inline const char *element_format(element_type type, double value, char *text, size_t size)
{
    if (isnan(value))
        snprintf(text, size, "nan"); /* printf would show the sign of a NaN, which says nothing */
    else
        snprintf(text, size, type == TYPE_F32 ? "%.9g" : "%.0f", value);
    return text;
}

#endif
