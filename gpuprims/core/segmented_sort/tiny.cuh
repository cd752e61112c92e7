/*
 * core/segmented_sort/tiny.cuh: sorts tiny segments in shared memory, 32 side by side in a warp. Each lane sorts a
 * segment in registers: by a network where equal keys are the same, otherwise by counting for each key those before it.
 *
 * Part of segmented_sort.cuh; not to be included directly.
 */
#include "../tile/network.cuh"

enum { GPI(tiny_n) = 16 /* items of a tiny segment at most */ };

#if GPI_DEVICE_CODE
/* Where an item is in shared memory: with a gap behind every 32, segments of one length begin in different banks. */
GPI_DEVICE uint32_t GPI(padded)(uint32_t position)
{
    return position + position / 32;
}

/* One thread: sorts 2^bits keys, of which equal ones are the same, by odd-even merges. `bits` is a constant. */
GPI_DEVICE void GPI(sort_network)(GP_KEY *own, int bits)
{
    const int most = 1 << bits;

    GPI_UNROLL
    for (int run = 0; run < bits; run++) { /* merges runs of 2^run items */
        GPI_UNROLL
        for (int step = run; step >= 0; step--) {
            GPI_UNROLL
            for (int i = 0; i < most; i++)
                if (gpi_is_compared(i, most, run, step)) {
                    const GP_KEY a = own[i], b = own[i + (1 << step)];
                    const int swaps = GPI(key_order)(b) < GPI(key_order)(a);

                    own[i] = swaps ? b : a;
                    own[i + (1 << step)] = swaps ? a : b;
                }
        }
    }
}

/* One thread: the places of `most` keys when they are in order, a byte each, four to a word. */
GPI_DEVICE void GPI(find_places)(const GP_KEY *own, uint32_t *places, int most)
{
    GPI_UNROLL
    for (int i = 0; i < most; i += 4)
        places[i / 4] = (uint32_t)i * 0x01010101u + 0x03020100u;
    GPI_UNROLL
    for (int i = 0; i < most; i++) {
        GPI_UNROLL
        for (int j = i + 1; j < most; j++)
            if (GPI(key_order)(own[j]) < GPI(key_order)(own[i])) {
                places[i / 4] += 1u << i % 4 * 8;
                places[j / 4] -= 1u << j % 4 * 8;
            }
    }
}

/* One thread: sorts n items, at most 2^bits, where `bits` is a constant. Their tags count from `number`. */
GPI_DEVICE void GPI(sort_tiny)(GP_KEY *keys, uint16_t *tags, uint32_t begin, uint32_t n, uint32_t number, int bits)
{
    const int most = 1 << bits;
    GP_KEY own[GPI(tiny_n)];
    uint32_t places[GPI(tiny_n) / 4];

    GPI_UNROLL
    for (int i = 0; i < most; i++) {
        own[i] = GPI(key_last)();
        if ((uint32_t)i < n)
            own[i] = keys[GPI(padded)(begin + (uint32_t)i)];
    }
    if (GPI(is_exact))
        GPI(sort_network)(own, bits);
    else
        GPI(find_places)(own, places, most);
    GPI_UNROLL
    for (int i = 0; i < most; i++)
        if ((uint32_t)i < n) {
            const uint32_t to = GPI(padded)(begin + (GPI(is_exact) ? (uint32_t)i : gpi_byte(places[i / 4], i % 4)));

            keys[to] = own[i];
            if (GPI_RADIX_PAIRS)
                tags[to] = (uint16_t)(number + (uint32_t)i);
        }
}

/*
 * One warp: sorts 32 tiny segments in shared memory, one for each lane: n items from `place` on, whose tags count from
 * `number`.
 */
GPI_DEVICE void GPI(sort_side_by_side)(GP_KEY *keys, uint16_t *tags, uint32_t place, uint32_t n, uint32_t number)
{
    const unsigned longest = gpi_warp_max(n);

    if (longest > 8)
        GPI(sort_tiny)(keys, tags, place, n, number, 4);
    else if (longest > 4)
        GPI(sort_tiny)(keys, tags, place, n, number, 3);
    else
        GPI(sort_tiny)(keys, tags, place, n, number, 2);
}
#endif
