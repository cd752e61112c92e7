/*
 * core/tile/head_bits.cuh: heads, the items with which runs or segments begin. Of a warp tile a lane has a bit for each
 * of its items that is one.
 *
 * Needs core/tile/warp_tile.cuh. Included by a primitive once.
 */
enum { GPI(head_words) = (GPI(thread_n) + 31) / 32 /* of a lane's bits */ };

#if GPI_DEVICE_CODE
/* Whether the lane has heads. */
GPI_DEVICE int GPI(any_head)(const uint32_t *heads)
{
    uint32_t any = heads[0];

    GPI_UNROLL
    for (int w = 1; w < GPI(head_words); w++)
        any |= heads[w];
    return any != 0;
}

/* The bit of item i of the lane, if it is a head, else 0. */
GPI_DEVICE uint32_t GPI(is_head)(const uint32_t *heads, unsigned i)
{
    uint32_t word = heads[0];

    GPI_UNROLL
    for (int w = 1; w < GPI(head_words); w++) /* registers have no addresses */
        word = i / 32 == (unsigned)w ? heads[w] : word;
    return word & 1u << i % 32;
}
#endif
