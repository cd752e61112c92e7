/*
 * core/tile/network.cuh: the comparators of the odd-even merge sort (Batcher, Sorting networks and their applications,
 * 1968), by which a thread sorts items in registers.
 */
#ifndef GPI_TILE_NETWORK_CUH
#define GPI_TILE_NETWORK_CUH

#if GPI_DEVICE_CODE
/* Whether item i of n is compared with the one 2^step further on while runs of 2^run items are merged. */
GPI_DEVICE int gpi_is_compared(int i, int n, int run, int step)
{
    const int stride = 1 << step, first = step < run ? stride : 0;

    return i >= first && i + stride < n && ((i - first) >> step) % 2 == 0 &&
           i >> (run + 1) == (i + stride) >> (run + 1);
}
#endif

#endif
