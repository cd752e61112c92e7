/*
 * core/tile/pack.cuh: puts those thread items of a warp tile together that were chosen, by a bit for each, or their
 * places in the input. In its slot a chosen item lies as far behind a 128-byte line as where it goes.
 *
 * Needs core/tile/warp_tile.cuh. Included by a primitive once.
 */
enum {
    GPI(bits) = (GPI(thread_n) + 31) / 32, /* words of a lane's choice */
    /* Two misalignments; and before the rejected bytes gpi_pack_bytes() overwrites three more. */
    GPI(slot) = (GPI(warp_tile_n) * (int)sizeof(GP_TYPE) + 127) / 128 * 128 + (sizeof(GP_TYPE) == 1 ? 384 : 256),
    GPI(lists) = GPI(warp_tile_n) * 2 > GPI(slot) ? 2 : 1 /* of 16-bit places, in a slot in turn */
};

#if GPI_DEVICE_CODE
/* Item i of a thread. Small ones are taken out of words: as items they would each get a register. */
GPI_DEVICE GP_TYPE GPI(item)(const GPI(thread_items) *regs, int i)
{
    uint32_t bits = sizeof(GP_TYPE) < 4 ? regs->words[i * (int)sizeof(GP_TYPE) / 4] : 0;
    uint8_t one = (uint8_t)(bits >> i % 4 * 8);
    uint16_t two = (uint16_t)(bits >> i % 2 * 16);
    GP_TYPE x;

    if (sizeof(GP_TYPE) == 1)
        memcpy((void *)&x, &one, sizeof x);
    else if (sizeof(GP_TYPE) == 2)
        memcpy((void *)&x, &two, sizeof x);
    else
        x = regs->items[i];
    return x;
}

/* Where a warp tile's items go in its slot: the lane's kept ones, and its rejected ones if they go anywhere. */
typedef struct {
    char *kept, *rejected; /* `rejected` is the lowest address of the lane's */
    int both, reverse;
} GPI(target);

/*
 * One warp: puts a thread's kept items behind those of the lanes before, then the rejected ones, whose bits are in
 * `drop`, if they go anywhere. Bytes go four at a time.
 */
GPI_DEVICE void GPI(pack)(GPI(target) to, GPI(thread_items) *regs, const uint32_t *keep,
                         const uint32_t *drop, const gpi_pack_table *table)
{
    uint32_t bits[GPI(bits)];
    char *at = to.kept;
    int step = (int)sizeof(GP_TYPE);

    GPI_UNROLL
    for (int w = 0; w < GPI(bits); w++)
        bits[w] = keep[w];
    GPI_NO_UNROLL
    for (int both = to.both;; both = 0) {
        if (sizeof(GP_TYPE) == 1) {
            gpi_pack_bytes(at, regs->words, bits, GPI(out_bytes) / 4, table);
        } else if (sizeof(GP_TYPE) == 4 && __alignof__(GP_TYPE) == 4) {
            gpi_shared_place place = gpi_shared_place_of(at);

            GPI_UNROLL
            for (int i = 0; i < GPI(thread_n); i++)
                gpi_store_if(&place, bits[i / 32] & 1u << i % 32, regs->words[i], step);
        } else {
            GPI_UNROLL
            for (int i = 0; i < GPI(thread_n); i++)
                if (bits[i / 32] >> i % 32 & 1) {
                    GP_TYPE x = GPI(item)(regs, i);

                    gpi_put(at, x);
                    at += step;
                }
        }
        if (!both)
            return;
        at = to.rejected;
        GPI_UNROLL
        for (int w = 0; w < GPI(bits); w++) {
            bits[w] = drop[w];
            if (to.reverse && sizeof(GP_TYPE) > 1)
                at += __popc(drop[w]) * step;
        }
        if (to.reverse && sizeof(GP_TYPE) == 1) {
            gpi_reverse_bytes(regs->words, bits, GPI(out_bytes) / 4);
        } else if (to.reverse) {
            step = -step;
            at += step;
        }
    }
}

/* One warp: writes the places of a warp tile's kept items, by way of a list in the slot. */
GPI_DEVICE void GPI(pack_places)(GP_INDEX *out, size_t start, char *slot, const uint32_t *keep, unsigned rank,
                          unsigned kept, unsigned lane)
{
    uint16_t *list = (uint16_t *)(void *)slot;

    GPI_NO_UNROLL
    for (unsigned turn = 0; turn < GPI(lists); turn++) {
        const unsigned lanes = 32 / GPI(lists);
        unsigned first = __shfl_sync(GPI_FULL_MASK, rank, (int)(turn * lanes));
        unsigned next = __shfl_sync(GPI_FULL_MASK, rank, (int)((turn + 1) * lanes % 32));
        unsigned last = turn + 1 < GPI(lists) ? next : kept, at = rank - first;

        if (lane / lanes == turn) {
            GPI_UNROLL
            for (int w = 0; w < GPI(bits); w++)
                for (uint32_t bits = keep[w]; bits; bits &= bits - 1)
                    list[at++] = (uint16_t)(lane * GPI(thread_n) + 32 * (unsigned)w + (unsigned)__ffs((int)bits) - 1);
        }
        __syncwarp(); /* the list is complete */
        for (unsigned i = lane; i < last - first; i += 32)
            out[first + i] = (GP_INDEX)(start + list[i]);
        __syncwarp(); /* the list has been read */
    }
}
#endif
