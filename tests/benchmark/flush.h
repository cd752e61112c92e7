/* flush.h: makes the next call a cold one: no cache holds its data or its instructions. */
#ifndef BENCH_FLUSH_H
#define BENCH_FLUSH_H

#include "device.h"

#ifdef __CUDACC__
/* 32768 instructions of 16 bytes, one after the other: 512 KB, four times what the largest instruction cache of a
 * multiprocessor of Volta holds (Jia and others 2018); NVIDIA tells none of its sizes. Each depends on the one before, so
 * that the compiler leaves them alone, and ways out that are never taken cut them into pieces that it is quick with. */
#define FLUSH_8(text) text text text text text text text text
#define FLUSH_1024    FLUSH_8(FLUSH_8(FLUSH_8("mad.lo.u32 %0, %0, %1, %1; mad.lo.u32 %0, %0, %1, %1;")))
#define FLUSH_RUN                                \
    asm volatile(FLUSH_1024 : "+r"(x) : "r"(y)); \
    if ((x | y) == 0) {                          \
        *never = x;                              \
        return;                                  \
    }

/* y is not 0. */
static __global__ void __launch_bounds__(128) flush_instructions_kernel(unsigned y, unsigned *never)
{
    unsigned x = threadIdx.x;

    FLUSH_8(FLUSH_RUN FLUSH_RUN FLUSH_RUN FLUSH_RUN)
}
#endif

/* The data first: the buffer is twice the L2 cache, which holds instructions too. A block for each multiprocessor, with
 * a warp for each of its four schedulers, which have small instruction caches of their own. */
static inline cudaError_t flush_caches(device *d, int value)
{
    RETURN_IF_ERROR(cudaMemsetAsync(d->flush, value, d->flush_bytes, d->stream));
#ifdef __CUDACC__
    flush_instructions_kernel<<<d->processors, 128, 0, d->stream>>>(1, NULL);
    return cudaPeekAtLastError();
#else
    return cudaSuccess;
#endif
}

#endif
