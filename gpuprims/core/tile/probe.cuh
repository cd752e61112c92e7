/*
 * core/tile/probe.cuh: searches by several lanes each: where they look, and what their answers leave.
 */
#ifndef GPI_PROBE_CUH
#define GPI_PROBE_CUH

#include "../../gpuprims.h"

#if GPI_DEVICE_CODE
/*
 * Probe i of 2^log, evenly spaced in `span` items from `base` on; in fewer items than probes every
 * place is probed.
 */
GPI_DEVICE size_t gpi_probe(size_t base, size_t span, unsigned i, int log)
{
    return base + ((2 * i + 1) * span >> (log + 1));
}

/*
 * One warp, 2^log lanes for each search of `*width` items from *low on: whether what is wanted lies behind a lane's
 * probe, gpi_probe(*low, *width, ...), leaves the items between two probes. It does not where *width is 0.
 */
GPI_DEVICE void gpi_narrow(size_t *low, size_t *width, int is_behind, unsigned lane, int log)
{
    const unsigned lanes = 1u << log, number = lane & (lanes - 1);
    const uint32_t answers = __ballot_sync(GPI_FULL_MASK, is_behind) >> (lane - number);
    const unsigned count = (unsigned)__popc((int)(answers & (GPI_FULL_MASK >> (32 - lanes))));
    const size_t begin = count ? gpi_probe(0, *width, count - 1, log) + 1 : 0;
    const size_t end = count < lanes ? gpi_probe(0, *width, count, log) : *width;

    *low += begin;
    *width = end > begin ? end - begin : 0;
}
#endif

#endif
