/* bench_segmented_shape.h: the segments of an instance of bench_segmented.h or bench_segmented_sort.h, for both of its
 * sides. An element of the former is eight ints, so that its n is the number of segments, too.
 */
#ifndef BENCH_SEGMENTED_SHAPE_H
#define BENCH_SEGMENTED_SHAPE_H

#include "bench.h"

/* Offsets of n segments, on the device and on the host. */
typedef struct bench_segments {
    size_t n;
    bench_i32 *device, *host;
} bench_segments;

#endif
