/*
 * segment_offsets.h: the segments of a test, whose function length_of() says how long they are. To be included behind it.
 */
#ifndef SEGMENT_OFFSETS_H
#define SEGMENT_OFFSETS_H

/* Offsets of at most `most` segments in n items, of which some at either end are in none; returns how many. */
static size_t make_offsets(int lengths, size_t n, size_t most, size_t *offsets)
{
    const size_t end = n - tap_below(n / 20 + 2) % (n + 1);
    size_t at = tap_below(n / 20 + 2) % (end + 1), segments = 0;

    offsets[0] = at;
    while (segments < most && (at < end || segments < 40)) {
        const size_t length = length_of(lengths, n);

        at = end - at < length ? end : at + length;
        offsets[++segments] = at;
    }
    return segments;
}

/* They on the device, as an instance has them. */
static tap_buffer device_offsets(size_t index_bytes, const size_t *offsets, size_t segments)
{
    uint32_t *narrow = (uint32_t *)malloc((segments + 1) * sizeof *narrow);
    tap_buffer buffer;

    for (size_t s = 0; s <= segments; s++)
        narrow[s] = (uint32_t)offsets[s];
    buffer = index_bytes == 4 ? tap_buffer_of(narrow, (segments + 1) * 4, 4 * tap_below(4))
                              : tap_buffer_of(offsets, (segments + 1) * 8, 8 * tap_below(4));
    free(narrow);
    return buffer;
}

#endif
