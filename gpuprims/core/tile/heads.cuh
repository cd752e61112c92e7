/*
 * core/tile/heads.cuh: runs of equal neighbours. The head of a run is its first item: one that differs from the item
 * before it, or the first of all. Of a warp tile a lane has a bit for each of its items that is a head.
 *
 * In its slot a warp tile follows the item before it, to which its first item is compared.
 *
 * Needs core/tile/warp_tile.cuh, and before it the type GPI(key) of what is compared. Included by a primitive once.
 */
#include "../instance/equal.cuh"
#include "head_bits.cuh"

enum {
    GPI(key_bytes) = GPI(thread_n) * (int)sizeof(GPI(key)), /* of a thread */
    GPI(key_slot) = ((GPI(warp_tile_n) + 1) * (int)sizeof(GPI(key)) + 127 + 127) / 128 * 128 + 128,
    /* Vectors of a whole warp tile and the key before it, if they lie worst; gpi_fetch_ahead copies one more. */
    GPI(key_align) = (int)__alignof__(GPI(key)) < 16 ? (int)__alignof__(GPI(key)) : 16,
    GPI(key_vectors) = ((GPI(warp_tile_n) + 1) * (int)sizeof(GPI(key)) + 16 - (int)GPI(key_align) + 15) / 16 - 1,
    GPI(wider_vectors) = GPI(warp_tile_n) * (int)GPI(wider) / 16,
    GPI(usual_vectors) =
        (int)GPI(key_vectors) > (int)GPI(wider_vectors) ? (int)GPI(key_vectors) : (int)GPI(wider_vectors),
    GPI(head_bytes) = 128 * (GPI(head_words) + 1),  /* of a warp tile's bits and ranks in a stage */
    /* Turns in which the heads of a warp tile are listed, a part of its items in each. */
    GPI(list_turns) = GPI(warp_tile_n) > 1792 ? 4 : GPI(warp_tile_n) > 896 ? 2 : 1,
    GPI(list_n) = GPI(warp_tile_n) / GPI(list_turns), /* places of heads that a list has room for */
    GPI(piece_n) = GPI(thread_n) / GPI(list_turns),   /* items that a lane lists in a turn */
    GPI(list_step) = 4 /* places that a lane takes from a list at a time */
};

#if GPI_DEVICE_CODE
/* The keys of a thread in registers; one vector more makes room for the shift. */
typedef union GPI(thread_keys) {
    GPI_UNION(GPI(thread_keys))
    uint32_t words[4 * GPI_VECTORS(GPI(key_bytes)) + 4];
    uint4 vectors[GPI_VECTORS(GPI(key_bytes)) + 1];
    GPI(key) keys[GPI(thread_n)];
} GPI(thread_keys);

/* What is copied for a warp tile: its n keys and the one before, and where key 0 lies behind the start of the slot. */
typedef struct {
    const char *from;
    unsigned bytes, place;
} GPI(key_part);

GPI_DEVICE GPI(key_part) GPI(part_of_keys)(const GPI(key) *keys, size_t warp_tile, unsigned n)
{
    const GPI(key) *first = keys + warp_tile * GPI(warp_tile_n);
    const unsigned before = warp_tile ? (unsigned)sizeof(GPI(key)) : 0;
    GPI(key_part) part;

    part.from = (const char *)first - before;
    part.bytes = n * (unsigned)sizeof(GPI(key)) + before;
    part.place = gpi_misalignment(part.from) + before;
    return part;
}

/* The copy of a warp tile's keys, and of the one before, to its slot; of no bytes where there are none. */
GPI_DEVICE gpi_copy GPI(copy_keys)(const GPI(key) *keys, size_t n, size_t warp_tile, char *slot)
{
    const unsigned mine = GPI(warp_tile_items)(n, warp_tile);
    const GPI(key_part) part = GPI(part_of_keys)(keys, warp_tile, mine);

    return gpi_copy_of(slot, part.from, mine ? part.bytes : 0, keys, n * sizeof *keys);
}

/* Reads the lane's keys of a whole warp tile, of which key 0 is at `tile` in shared memory. */
GPI_DEVICE void GPI(read_keys)(GPI(thread_keys) *regs, const char *tile, unsigned lane)
{
    if (GPI(key_bytes) % 16 == 0) {
        const unsigned shift = (unsigned)(uintptr_t)tile & GPI_SHIFT_BITS(GPI(key));
        const char *from = tile - shift + lane * GPI(key_bytes);

        GPI_UNROLL
        for (int v = 0; v < GPI(key_bytes) / 16; v++)
            gpi_get(regs->vectors[v], from + 16 * v);
        if (shift) {
            gpi_get(regs->vectors[GPI(key_bytes) / 16], from + GPI(key_bytes));
            gpi_shift_down(regs->words, GPI(key_bytes) / 4, shift);
        }
    } else {
        GPI_UNROLL
        for (int i = 0; i < GPI(thread_n); i++)
            gpi_get(regs->keys[i], tile + ((size_t)lane * GPI(thread_n) + (size_t)i) * sizeof(GPI(key)));
    }
}

/* A bit for each key that differs from the one before it. */
GPI_DEVICE void GPI(compare_keys)(uint32_t *heads, const GPI(thread_keys) *regs, GPI(key) before, GPI_CONTEXT context)
{
#ifndef GP_EQUAL
    if (sizeof(GPI(key)) == 1 && GPI(key_bytes) % 8 == 0) { /* numbers: four at a time */
        uint8_t byte;

        memcpy(&byte, (const void *)&before, 1);
        uint32_t left = (uint32_t)byte << 24;
        GPI_UNROLL
        for (int w = 0; w < GPI(key_bytes) / 4; w += 2) {
            uint32_t differ[2];

            GPI_UNROLL
            for (int i = 0; i < 2; i++) {
                const uint32_t word = regs->words[w + i], bits = word ^ gpi_funnel_shift(left, word, 24);

                differ[i] = (((bits & 0x7F7F7F7Fu) + 0x7F7F7F7Fu) | bits) >> 7 & 0x01010101u;
                left = word;
            }
            heads[w / 8] |= gpi_gather_answers(differ[0], differ[1]) >> 24 << w % 8 * 4;
        }
        return;
    }
#endif
    heads[0] |= GPI(equal)(before, regs->keys[0], context) ? 0u : 1u;
    GPI_UNROLL
    for (int i = 1; i < GPI(thread_n); i++)
        heads[i / 32] |= GPI(equal)(regs->keys[i - 1], regs->keys[i], context) ? 0u : 1u << i % 32;
}

/* The lane whose keys and items a lane reads: its own, or those of the first one if it has none. */
GPI_DEVICE unsigned GPI(source_lane)(unsigned n, unsigned lane)
{
    return lane * GPI(thread_n) < n ? lane : 0;
}

/*
 * One warp: where the last lane that has keys lacks some, copies of the last one take their places, and copies of the
 * first item those of items, unless `items` is NULL, a constant.
 */
GPI_DEVICE void GPI(fill)(char *keys, char *items, unsigned n, unsigned lane)
{
    const unsigned end = (n + GPI(thread_n) - 1) / GPI(thread_n) * GPI(thread_n);
    GPI(key) key;
    GPI(loaded) x;

    if (n == end)
        return;
    gpi_get(key, keys + (n - 1) * sizeof key);
    if (items)
        gpi_get(x, items);
    GPI_NO_UNROLL
    for (unsigned i = n + lane; i < end; i += 32) {
        gpi_put(keys + i * sizeof key, key);
        if (items)
            gpi_put(items + i * sizeof x, x);
    }
    gpi_fence_async(); /* the slots may get the next warp tile by bulk copies */
    __syncwarp();      /* the copies are there */
}

/*
 * One warp: the bits of the lane's heads among the n keys of a warp tile, of which key 0 is at `tile` in shared memory;
 * returns how many they are. Where the last lane that has keys lacks some, there are others in their places.
 */
GPI_DEVICE unsigned GPI(find_heads)(uint32_t *heads, const char *tile, unsigned n, int is_first, unsigned lane,
                                    GPI_CONTEXT context)
{
    const unsigned from = GPI(source_lane)(n, lane);
    unsigned count = 0;
    GPI(thread_keys) regs;
    GPI(key) before;

    GPI_UNROLL
    for (int w = 0; w < GPI(head_words); w++)
        heads[w] = 0;
    if (n == 0)
        return 0;
    GPI(read_keys)(&regs, tile, from);
    gpi_get(before, tile + from * GPI(key_bytes) - (is_first && from == 0 ? 0 : sizeof before));
    GPI(compare_keys)(heads, &regs, before, context);
    if (is_first && lane == 0)
        heads[0] |= 1;
    GPI_UNROLL
    for (int w = 0; w < GPI(head_words); w++) {
        heads[w] &= gpi_low_bits((int)n - (int)(lane * GPI(thread_n)) - 32 * w);
        count += (unsigned)__popc(heads[w]);
    }
    return count;
}

/* The place in its warp tile of the lane's last head, of which there is one. */
GPI_DEVICE unsigned GPI(last_head)(const uint32_t *heads, unsigned lane)
{
    unsigned last = 0;

    GPI_UNROLL
    for (int w = 0; w < GPI(head_words); w++)
        if (heads[w])
            last = 32 * (unsigned)w + 31 - (unsigned)__clz((int)heads[w]);
    return lane * GPI(thread_n) + last;
}

/* Leaves the lane's bits, and the number of heads before it, in `room`, and takes them from there. */
GPI_DEVICE void GPI(leave_heads)(char *room, const uint32_t *heads, unsigned rank, unsigned lane)
{
    uint32_t *words = (uint32_t *)(void *)room + lane;

    GPI_UNROLL
    for (int w = 0; w < GPI(head_words); w++)
        words[32 * w] = heads[w];
    words[32 * GPI(head_words)] = rank;
}

GPI_DEVICE unsigned GPI(take_heads)(const char *room, uint32_t *heads, unsigned lane)
{
    const uint32_t *words = (const uint32_t *)(const void *)room + lane;

    GPI_UNROLL
    for (int w = 0; w < GPI(head_words); w++)
        heads[w] = words[32 * w];
    return words[32 * GPI(head_words)];
}

/*
 * One warp: puts the keys of heads together, those of the lane from `to` on, in shared memory that no lane reads any
 * more. `table` is needed of keys of a byte.
 */
GPI_DEVICE void GPI(pack_keys)(char *to, const GPI(thread_keys) *regs, const uint32_t *heads,
                               const gpi_pack_table *table)
{
    if (sizeof(GPI(key)) == 1 && GPI(key_bytes) % 4 == 0) {
        gpi_pack_bytes(to, regs->words, heads, GPI(key_bytes) / 4, table);
    } else if (sizeof(GPI(key)) == 4 && __alignof__(GPI(key)) == 4) {
        gpi_shared_place place = gpi_shared_place_of(to);

        GPI_UNROLL
        for (int i = 0; i < GPI(thread_n); i++)
            gpi_store_if(&place, heads[i / 32] & 1u << i % 32, regs->words[i], 4);
    } else {
        GPI_UNROLL
        for (int i = 0; i < GPI(thread_n); i++)
            if (heads[i / 32] >> i % 32 & 1) {
                GPI(key) x = regs->keys[i];

                gpi_put(to, x);
                to += sizeof(GPI(key));
            }
    }
}

/*
 * One warp, which has read its keys: writes those of `all` heads to `out`, by way of their slot. `rank` of them come
 * before the lane.
 */
GPI_DEVICE void GPI(write_keys)(GPI(key) *out, char *slot, const GPI(thread_keys) *regs, const uint32_t *heads,
                                unsigned rank, unsigned all, const gpi_pack_table *table, unsigned lane)
{
    const unsigned size = sizeof(GPI(key));

    GPI(pack_keys)(slot + gpi_misalignment(out) + rank * size, regs, heads, table);
    gpi_fence_async(); /* the slot may get the next warp tile by a bulk copy */
    __syncwarp();      /* the keys are in the slot */
    gpi_store_warp((char *)out, slot, all * size, lane);
}

/* One lane: lists the places of its heads in order, from entry `rank` of the list on. */
GPI_DEVICE void GPI(list_sparse)(uint16_t *list, const uint32_t *heads, unsigned rank, unsigned lane)
{
    GPI_UNROLL
    for (unsigned w = 0; w < GPI(head_words); w++) {
        const unsigned place = lane * GPI(thread_n) + 32 * w;

        GPI_NO_UNROLL
        for (uint32_t bits = heads[w]; bits; bits &= bits - 1)
            list[rank++] = (uint16_t)(place + (unsigned)__ffs((int)bits) - 1);
    }
}

/* One lane: lists the places of those of `bits` items that are heads, of which the first is at `place`. */
GPI_DEVICE void GPI(list_bits)(uint16_t *list, uint32_t bits, unsigned place)
{
    gpi_shared_place to = gpi_shared_place_of((char *)list);

    GPI_UNROLL
    for (unsigned i = 0; i < GPI(piece_n); i++)
        gpi_store_half_if(&to, bits & 1u << i, (uint16_t)(place + i));
}

/*
 * One warp: lists the places of the heads among the items whose turn it is, which the lanes share, in order. Returns
 * how many are listed. __syncwarp() comes before the list is used, and before it is made again.
 */
GPI_DEVICE unsigned GPI(list_turn)(uint16_t *list, const uint32_t *heads, unsigned turn, unsigned lane)
{
    const unsigned of = (turn * 32 + lane) / GPI(list_turns), first = lane % GPI(list_turns) * GPI(piece_n);
    uint32_t low = 0, high = 0; /* the bits of the lane that has them, from a word on */

    GPI_UNROLL
    for (unsigned w = 0; w < GPI(head_words); w++) {
        const uint32_t word = __shfl_sync(GPI_FULL_MASK, heads[w], (int)of);

        low = w == first / 32 ? word : low;
        high = w == first / 32 + 1 ? word : high;
    }
    const uint32_t bits = gpi_funnel_shift(low, high, first % 32) & gpi_low_bits(GPI(piece_n));
    const unsigned count = (unsigned)__popc((int)bits), through = gpi_warp_prefix(count, lane);

    GPI(list_bits)(list + (through - count), bits, of * GPI(thread_n) + first);
    return __shfl_sync(GPI_FULL_MASK, through, 31);
}
#endif
