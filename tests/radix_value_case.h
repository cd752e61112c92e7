/*
 * radix_value_case.h: for test_radix_values.cu, the instances of radix_sort.cuh whose values have SIZE bytes,
 * one for each alignment that such a type can have; with CHECK_VALUES, a call of check() for each of them.
 */
#ifndef ALIGN

#define ALIGN 1
#define UNIT uint8_t
#include "radix_value_case.h"
#if SIZE % 2 == 0
#define ALIGN 2
#define UNIT uint16_t
#include "radix_value_case.h"
#endif
#if SIZE % 4 == 0
#define ALIGN 4
#define UNIT uint32_t
#include "radix_value_case.h"
#endif
#if SIZE % 8 == 0
#define ALIGN 8
#define UNIT uint64_t
#include "radix_value_case.h"
#endif
#if SIZE % 16 == 0
#define ALIGN 16
#define UNIT uint4
#include "radix_value_case.h"
#endif
#undef SIZE

#else

#define VALUE_JOIN_(size, align, word) s##size##a##align##_##word
#define VALUE_JOIN(size, align, word)  VALUE_JOIN_(size, align, word)
#define VALUE_(word)                   VALUE_JOIN(SIZE, ALIGN, word)

#ifdef CHECK_VALUES

check(SIZE, ALIGN, sizeof(VALUE_(key)), VALUE_(run));

#else

/* Values of 16 bytes and more are fetched at the end of a sort, unless keys are as short as this. */
#if SIZE / ALIGN % 2
typedef uint8_t VALUE_(key);
#elif SIZE <= 16
typedef uint16_t VALUE_(key);
#elif SIZE % 4
typedef uint32_t VALUE_(key);
#else
typedef uint64_t VALUE_(key);
#endif

typedef struct {
    UNIT units[SIZE / ALIGN];
} VALUE_(value);

#define GP_NAME   VALUE_(sort)
#define GP_KEY    VALUE_(key)
#define GP_VALUE  VALUE_(value)
#define GP_KERNEL kernel
#define GP_GRID   3
#include <gpuprims/radix_sort.cuh>

static cudaError_t VALUE_(run)(const void *kin, void *kout, const void *vin, void *vout, size_t n,
                               gp_workspace *ws)
{
    return VALUE_JOIN(SIZE, ALIGN, sort_radix_sort_bits)(
        (const VALUE_(key) *)kin, (VALUE_(key) *)kout, (const VALUE_(value) *)vin,
        (VALUE_(value) *)vout, n, 0, BITS, ws, 0);
}

#endif

#undef VALUE_JOIN_
#undef VALUE_JOIN
#undef VALUE_
#undef ALIGN
#undef UNIT
#endif
