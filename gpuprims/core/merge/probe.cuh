/*
 * core/merge/probe.cuh: where the lanes of a warp that search an interval look.
 *
 * Part of merge.cuh and merge_sort.cuh; not to be included directly.
 */
#ifndef GPI_MERGE_PROBE_CUH
#define GPI_MERGE_PROBE_CUH

#include "../../gpuprims.h"

#if GPI_DEVICE_CODE
/*
 * Probe i of 2^log, evenly spaced in `span` items from `base` on; in fewer items than probes every
 * place is probed.
 */
GPI_DEVICE size_t gpi_merge_probe(size_t base, size_t span, unsigned i, int log)
{
    return base + ((2 * i + 1) * span >> (log + 1));
}
#endif

#endif
