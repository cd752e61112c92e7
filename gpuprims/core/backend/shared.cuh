/*
 * core/backend/shared.cuh: shared memory under CUDA; core/backend/launch.cuh describes the macros.
 *
 * Part of gpuprims.h; not to be included directly.
 */
#ifndef GPI_SHARED_CUH
#define GPI_SHARED_CUH

#ifdef __CUDACC_RTC__ /* it knows C++ alone, in which only this gives any type, an array's too, a name */
#define GP_SHARED(type_of, name)        \
    using gpi_type_of_##name = type_of; \
    __shared__ gpi_type_of_##name name
#else
#define GP_SHARED(type_of, name) __shared__ __typeof__(type_of) name
#endif
#define GP_DYNAMIC_SHARED(type_of, name)                                 \
    extern __shared__ __align__(128) unsigned char gpi_dynamic_shared[]; \
    type_of *name = (type_of *)gpi_dynamic_shared

#endif
