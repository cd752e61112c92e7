/*
 * gpuprims.h: the base header of gpuprims, GPU primitives in header-only, template-free C.
 *
 * It declares CUDA's keywords and runtime for the backend, gp_workspace, the error message, GP_LAUNCH and
 * GP_SHARED, and stamps out no primitive. Every other header includes it. A `__device__` operator of
 * your own comes after it and before the header that uses it:
 *
 *     #include <gpuprims/gpuprims.h>
 *
 *     static __device__ int later(int a, int b) { return b ? b : a; }
 *
 *     #define GP_NAME     last_nonzero
 *     #define GP_OP       later
 *     #define GP_IDENTITY 0
 *     #include <gpuprims/scan.cuh>
 *
 * The backend follows from the compiler:
 *
 *     nvcc, a .cu file         CUDA
 *     NVRTC                    CUDA, the headers of warp/ and block/ alone; no host headers are needed
 *     GP_CUDA_HOST defined     a plain C or C++ file of a CUDA program: types and declarations over the
 *                              real <cuda_runtime_api.h>, no kernels
 *     anything else            the CPU backend: the same kernels, thread by thread on the CPU
 *
 * Include `<gpuprims/...>` outside of `extern "C"`. Floating-point results have the same bits on both
 * backends when nothing is contracted: -fmad=false for nvcc, -ffp-contract=off for gcc. Integer
 * sums wrap: build the CPU backend with -fwrapv.
 */
#ifndef GPUPRIMS_H
#define GPUPRIMS_H

#ifdef __CUDACC_RTC__
#include "core/backend/nvrtc.cuh"
#else
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#endif

/* Of the library; every build system reads it here. */
#define GP_VERSION_MAJOR 0
#define GP_VERSION_MINOR 1
#define GP_VERSION_PATCH 0

#ifdef __cplusplus
#define GP_EXTERN_C extern "C"
#else
#define GP_EXTERN_C
#endif

#include "core/instance/operators.cuh"

#ifdef __CUDACC_RTC__
#include "core/backend/shared.cuh"
#include "core/backend/ptx.cuh"
#else

#if defined __CUDACC__ || defined GP_CUDA_HOST
#include <cuda_runtime_api.h>
#else
#include "core/backend/cpu/backend.h"
#endif

#include "core/backend/arguments.cuh"
#include "core/backend/error.cuh"
#include "core/backend/workspace.cuh"

#if defined __CUDACC__ || !defined GP_CUDA_HOST
#include "core/backend/launch.cuh"
#include "core/backend/ptx.cuh"
#endif

/* Options of the textbook rungs under classic/. NULL stands for {0, 1, 1}. */
typedef struct gp_classic_options {
    int block_threads;   /* threads of a block: 32 to 1024 in powers of two; 0: 256, networks 128 or 512 */
    int conflict_free;   /* 1: pad shared memory against bank conflicts */
    int compact_threads; /* 1: launch only the threads that have work at a level */
} gp_classic_options;

/* Options of hybrid_sort.cuh. NULL stands for all zeros. */
typedef struct gp_hybrid_options {
    size_t device_bytes; /* limit of device memory; 0: what is free, less a reserve of an eighth */
    int cpu_threads;     /* 0: as many as there are processors */
    int method;          /* 0: whichever should be faster; 1: merge on the CPU; 2: distribute on the GPU */
    int serial_lanes;    /* 1: no overlap of copies, sorts and merges, to show what it gains */
    void (*progress)(void *user, double fraction); /* NULL, or called in the calling thread only */
    void *user;
} gp_hybrid_options;

#endif /* not NVRTC */
#endif
