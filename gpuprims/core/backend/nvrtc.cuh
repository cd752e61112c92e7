/*
 * core/backend/nvrtc.cuh: what NVRTC, which compiles device code at run time and has no host headers, needs in their
 * place.
 *
 * Part of gpuprims.h; not to be included directly.
 */
#ifndef GPI_NVRTC_CUH
#define GPI_NVRTC_CUH

#ifndef UINT64_MAX
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned uint32_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;

#define INT32_MIN  (-2147483647 - 1)
#define INT32_MAX  2147483647
#define UINT32_MAX 4294967295u
#define UINT64_MAX 18446744073709551615ul
#define SIZE_MAX   UINT64_MAX
#endif

#ifndef NULL
#define NULL 0
#endif
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif

/* What other compilers for CUDA take from GNU C. Of an expression that names a place this is a reference. */
#define __typeof__(x) decltype(x)
#define __builtin_classify_type(x) \
    (__is_class(decltype(+(x))) ? 12 : (decltype(+(x)))0.5 != (decltype(+(x)))0 ? 8 : 1)
#define __builtin_inff() __int_as_float(0x7f800000)
#define __alignof__      alignof
#define __asm__          asm
#define __extension__

#endif
