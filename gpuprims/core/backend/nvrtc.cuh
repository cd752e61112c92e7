/*
 * core/backend/nvrtc.cuh: what NVRTC, which compiles device code at run time and has no host headers, needs in their
 * place; and the macros for shared memory of core/backend/launch.cuh.
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

/* What other compilers for CUDA take from GNU C; NVRTC knows C++ alone. */
template <typename T> struct gpi_plain {
    typedef T type;
    enum { kind = __is_class(T) || __is_union(T) ? 12 : 1 };
};
template <> struct gpi_plain<bool> {
    typedef bool type;
    enum { kind = 4 };
};
template <> struct gpi_plain<float> {
    typedef float type;
    enum { kind = 8 };
};
template <> struct gpi_plain<double> {
    typedef double type;
    enum { kind = 8 };
};
template <typename T> struct gpi_plain<const T> : gpi_plain<T> {};
template <typename T> struct gpi_plain<T &> : gpi_plain<T> {};
#define __typeof__(x)              gpi_plain<decltype(x)>::type
#define __builtin_classify_type(x) gpi_plain<decltype(x)>::kind
#define __builtin_inff()           __int_as_float(0x7f800000)
#define __alignof__                alignof
#define __asm__                    asm
#define __extension__

#define GP_SHARED(of, name) __shared__ gpi_plain<of>::type name
#define GP_DYNAMIC_SHARED(of, name)                                      \
    extern __shared__ __align__(128) unsigned char gpi_dynamic_shared[]; \
    of *name = (of *)gpi_dynamic_shared

#endif
