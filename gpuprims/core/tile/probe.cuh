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

/* Probe i of 2^log in as much, on both sides of what is expected, each eight times as far away as the one before. */
GPI_DEVICE size_t gpi_probe_near(size_t low, size_t width, size_t expected, size_t reach, unsigned i, int log)
{
    const unsigned middle = 1u << log >> 1;
    const size_t off = reach << 3 * (i < middle ? middle - 1 - i : i - middle);
    const size_t place = i >= middle ? expected + off : expected > off ? expected - off : 0;

    return place < low ? low : place < low + width ? place : low + width - 1;
}

/* The lanes of 2^log neighbours, of which this is one, whose probes what is wanted lies behind: the first ones. */
GPI_DEVICE unsigned gpi_count_behind(int is_behind, unsigned lane, int log)
{
    const unsigned lanes = 1u << log, number = lane & (lanes - 1);
    const uint32_t answers = __ballot_sync(GPI_FULL_MASK, is_behind) >> (lane - number);

    return (unsigned)__popc((int)(answers & (GPI_FULL_MASK >> (32 - lanes))));
}

/*
 * One warp, 2^log lanes for each search of `*width` items from *low on: whether what is wanted lies behind a lane's
 * probe, gpi_probe(*low, *width, ...), leaves the items between two probes. It does not where *width is 0.
 */
GPI_DEVICE void gpi_narrow(size_t *low, size_t *width, int is_behind, unsigned lane, int log)
{
    const unsigned count = gpi_count_behind(is_behind, lane, log);
    const size_t begin = count ? gpi_probe(0, *width, count - 1, log) + 1 : 0;
    const size_t end = count < 1u << log ? gpi_probe(0, *width, count, log) : *width;

    *low += begin;
    *width = end > begin ? end - begin : 0;
}

/* The same of gpi_probe_near(). */
GPI_DEVICE void gpi_narrow_near(size_t *low, size_t *width, size_t expected, size_t reach, int is_behind, unsigned lane,
                                int log)
{
    const unsigned count = gpi_count_behind(is_behind, lane, log);

    if (*width) {
        const size_t high = *low + *width;
        const size_t begin = count ? gpi_probe_near(*low, *width, expected, reach, count - 1, log) + 1 : *low;
        const size_t end = count < 1u << log ? gpi_probe_near(*low, *width, expected, reach, count, log) : high;

        *low = begin;
        *width = end > begin ? end - begin : 0;
    }
}
#endif

#endif
