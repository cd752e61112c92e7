/* hold.h: has the device wait until all that is to be timed is queued, so that the time is the device's own. */
#ifndef BENCH_HOLD_H
#define BENCH_HOLD_H

#include "device.h"

#ifdef __CUDACC__
/* So many clocks at most, some 2 ms: a call that waits for the device itself would wait for good. */
#define HOLD_CLOCKS 4000000

static __global__ void hold_kernel(const volatile unsigned *gate, unsigned turn)
{
    const long long start = clock64();

    while (*gate != turn && clock64() - start < HOLD_CLOCKS)
        ;
}
#endif

/* What is queued from here on, */
static inline cudaError_t hold(device *d)
{
#ifdef __CUDACC__
    hold_kernel<<<1, 1, 0, d->stream>>>(d->gate, ++d->turn);
    return cudaPeekAtLastError();
#else
    (void)d;
    return cudaSuccess;
#endif
}

/* begins here. */
static inline void let_go(device *d)
{
#ifdef __CUDACC__
    __atomic_store_n(d->gate, d->turn, __ATOMIC_RELEASE);
#else
    (void)d;
#endif
}

#endif
