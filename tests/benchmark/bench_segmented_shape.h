/* bench_segmented_shape.h: the segments of an instance of bench_segmented.h, for both of its sides. An element of the
 * benchmark is eight ints, so that its n is the number of segments, too.
 */
#ifndef BENCH_SEGMENTED_SHAPE_H
#define BENCH_SEGMENTED_SHAPE_H

#include "bench.h"

/* Offsets of n segments of 8 n ints, on the device and on the host. */
typedef struct bench_segments {
    size_t n;
    bench_i32 *device, *host;
} bench_segments;

#endif
