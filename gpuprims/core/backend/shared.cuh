/*
 * core/backend/shared.cuh: shared memory under CUDA; core/backend/launch.cuh describes the macros.
 *
 * Part of gpuprims.h; not to be included directly.
 */
#ifndef GPI_SHARED_CUH
#define GPI_SHARED_CUH

/* NVRTC knows C++ alone, in which only this gives any type, an array's too, a name: once in a line. */
#ifdef __CUDACC_RTC__
#define GP_SHARED(type_of, name)          GPI_SHARED(type_of, name, __LINE__)
#define GPI_SHARED(type_of, name, number) GPI_SHARED_AS(type_of, name, number)
#define GPI_SHARED_AS(type_of, name, number)  \
    using gpi_shared_type_##number = type_of; \
    __shared__ gpi_shared_type_##number name
#else
#define GP_SHARED(type_of, name) __shared__ __typeof__(type_of) name
#endif
#define GP_DYNAMIC_SHARED(type_of, name)                                 \
    extern __shared__ __align__(128) unsigned char gpi_dynamic_shared[]; \
    type_of *name = (type_of *)gpi_dynamic_shared

#endif
