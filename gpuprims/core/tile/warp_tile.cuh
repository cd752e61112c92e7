/*
 * core/tile/warp_tile.cuh: the shape of a fold (docs/fold-order.md), and the warp tile: what a warp works on,
 * some neighbouring items for each lane, on its way from global to shared memory, to registers, and back.
 *
 * In shared memory a warp tile lies in a slot, as far behind a 128-byte line as in global memory, with which
 * bulk copies are fast. Pointers of any alignment come down to a misalignment, the bytes between a line and the
 * items; a lane reads whole 16-byte vectors and shifts its items into place.
 *
 * Needs core/instance/begin.cuh, and core/instance/combine.cuh where items are mapped. Stamped once per instance.
 * GPI_WARP_TILE_BYTES_OF_INPUT, defined before, lets the size of the input alone decide the shape: for a fold that
 * writes no items. With GP_LOAD_AT that of the items does, for what is read is unknown. GPI_WARP_TILE_BESIDE is the
 * type of what is read beside each item, if anything is: its key or value.
 */
#ifndef GPI_WARP_TILE_IS_STAMPED
#define GPI_WARP_TILE_IS_STAMPED

#include "copy.cuh"
#include "shape.cuh"

/* What a slot is full of: what has been read, or what GP_LOAD_AT has given. */
#ifdef GP_LOAD_AT
typedef GP_TYPE GPI(loaded);
#else
typedef GP_INPUT_TYPE GPI(loaded);
#endif

/* A warp tile fits into the 64 KB that the smallest GPUs have for a block. (A larger T has been refused.) */
GPI_STATIC_ASSERT(sizeof(GPI(loaded)) <= 1024 || sizeof(GP_TYPE) > 1024,
                  "GP_INPUT_TYPE has more than 1024 bytes, the most that are supported");

enum {
#ifdef GPI_WARP_TILE_BYTES_OF_INPUT
    GPI(item_bytes) = sizeof(GPI(loaded)),
#else
    GPI(item_bytes) = sizeof(GP_TYPE) > sizeof(GPI(loaded)) ? sizeof(GP_TYPE) : sizeof(GPI(loaded)),
#endif
#ifdef GPI_WARP_TILE_BESIDE
    GPI(beside_bytes) = sizeof(GPI_WARP_TILE_BESIDE),
#else
    GPI(beside_bytes) = 0,
#endif
    GPI(wider) = (int)GPI(item_bytes) > (int)GPI(beside_bytes) ? (int)GPI(item_bytes) : (int)GPI(beside_bytes),
    GPI(thread_n) = GPI_THREAD_ITEMS(GPI(wider)),                         /* items of a thread */
    GPI(warp_tile_n) = 32 * GPI(thread_n),                                 /* items of a warp tile */
    GPI(warp_tiles) =                                                      /* warp tiles of a tile */
        GPI_WARP_TILES_OF(GPI(thread_n) * ((int)GPI(item_bytes) + (int)GPI(beside_bytes))),
    GPI(tile_n) = GPI(warp_tiles) * GPI(warp_tile_n),                   /* items of a tile */
    GPI(in_bytes) = GPI(thread_n) * (int)sizeof(GPI(loaded)),          /* of a thread */
    GPI(out_bytes) = GPI(thread_n) * (int)sizeof(GP_TYPE),
    GPI(at_once) = GPI(thread_n) / (GPI(thread_n) > 56 ? 4 : GPI(thread_n) > 28 ? 2 : 1), /* see GPI(compute_items) */
    GPI(slot_bytes) = (GPI(warp_tile_n) * (int)GPI(item_bytes) + 127) / 128 * 128 + 128
};

#if GPI_DEVICE_CODE
/* Items of warp tile number `warp_tile`. */
GPI_DEVICE unsigned GPI(warp_tile_items)(size_t n, size_t warp_tile)
{
    size_t first = warp_tile * GPI(warp_tile_n);

    return first >= n ? 0 : n - first < GPI(warp_tile_n) ? (unsigned)(n - first) : (unsigned)GPI(warp_tile_n);
}

/* Where a warp tile is read from, and where it is written to; NULL, which is aligned, where an expression knows. */
GPI_DEVICE const char *GPI(read_from)(const GP_INPUT_TYPE *in, size_t warp_tile)
{
#ifdef GP_LOAD_AT
    (void)in;
    (void)warp_tile;
    return NULL;
#else
    return (const char *)(in + warp_tile * GPI(warp_tile_n));
#endif
}

GPI_DEVICE GP_TYPE *GPI(write_to)(GP_TYPE *out, size_t warp_tile)
{
#ifdef GP_STORE_AT
    (void)out;
    (void)warp_tile;
    return NULL;
#else
    return out + warp_tile * GPI(warp_tile_n);
#endif
}

/* The copy of a warp tile to its slot; of no bytes where there is nothing to copy. */
GPI_DEVICE gpi_copy GPI(copy_warp_tile)(const GP_INPUT_TYPE *in, size_t n, size_t warp_tile, char *slot)
{
#ifdef GP_LOAD_AT
    (void)in;
    (void)n;
    (void)warp_tile;
    return gpi_copy_of(slot, NULL, 0, NULL, 0);
#else
    const unsigned bytes = GPI(warp_tile_items)(n, warp_tile) * (unsigned)sizeof *in;

    return gpi_copy_of(slot, GPI(read_from)(in, warp_tile), bytes, in, n * sizeof *in);
#endif
}

#ifdef GP_LOAD_AT
/*
 * One warp: puts items [first, first + n) into a slot, from its start on, as GP_LOAD_AT gives them: neighbouring lanes
 * have neighbours. Whatever it reads, many of a lane's items are on their way at a time.
 */
GPI_DEVICE void GPI(compute_items)(const GP_INPUT_TYPE *in, size_t first, unsigned n, char *slot, unsigned lane,
                                   GPI_CONTEXT context)
{
    unsigned i = 0;

    GPI_NO_UNROLL
    for (; n - i >= 32 * GPI(at_once); i += 32 * GPI(at_once)) {
        GP_TYPE x[GPI(at_once)];

        GPI_UNROLL
        for (unsigned r = 0; r < GPI(at_once); r++)
            x[r] = GPI(load_at)(in, first + i + r * 32 + lane, context);
        GPI_UNROLL
        for (unsigned r = 0; r < GPI(at_once); r++)
            gpi_put(slot + (i + r * 32 + lane) * sizeof *x, x[r]);
    }
    GPI_NO_UNROLL
    for (i += lane; i < n; i += 32) {
        GP_TYPE x = GPI(load_at)(in, first + i, context);

        gpi_put(slot + i * sizeof x, x);
    }
    __syncwarp(); /* the items are in the slot */
}
#endif

#ifdef GP_STORE_AT
/* One warp: hands n results that start where their slot does to GP_STORE_AT, neighbours to neighbouring lanes. */
GPI_DEVICE void GPI(store_items)(GP_TYPE *out, size_t first, unsigned n, const char *slot, unsigned lane,
                                 GPI_CONTEXT context)
{
    GPI_UNROLL_BY_2
    for (unsigned i = lane; i < n; i += 32) {
        GP_TYPE x;

        gpi_get(x, slot + i * sizeof x);
        GPI(store_at)(out, first + i, x, context);
    }
}
#endif

/* Thread items in registers; one vector more makes room for the shift. */
typedef union GPI(thread_items) {
    GPI_UNION(GPI(thread_items))
    uint32_t words[4 * GPI_VECTORS(GPI(out_bytes)) + 4];
    uint4 vectors[GPI_VECTORS(GPI(out_bytes)) + 1];
    GP_TYPE items[GPI(thread_n)];
} GPI(thread_items);

#ifdef GPI_COMBINE_IS_STAMPED
typedef union GPI(thread_input) {
    GPI_UNION(GPI(thread_input))
    uint32_t words[4 * GPI_VECTORS(GPI(in_bytes)) + 4];
    uint4 vectors[GPI_VECTORS(GPI(in_bytes)) + 1];
    GPI(loaded) items[GPI(thread_n)];
} GPI(thread_input);
#else
typedef GPI(thread_items) GPI(thread_input); /* nothing is mapped */
#endif

/* Reads the lane's items of a warp tile that starts `misalignment` (0 to 127) bytes into its slot, unmapped. */
GPI_DEVICE void GPI(thread_read_input)(GPI(thread_input) *in, const char *slot, unsigned misalignment, unsigned lane)
{
    if (GPI(in_bytes) % 16 == 0) {
        const char *from = slot + (misalignment & ~15u) + lane * GPI(in_bytes);

        GPI_UNROLL
        for (int v = 0; v < GPI(in_bytes) / 16; v++)
            gpi_get(in->vectors[v], from + 16 * v);
        const unsigned shift = misalignment & GPI_SHIFT_BITS(GPI(loaded));
        if (shift) {
            gpi_get(in->vectors[GPI(in_bytes) / 16], from + GPI(in_bytes));
            gpi_shift_down(in->words, GPI(in_bytes) / 4, shift);
        }
    } else {
        const char *from = slot + misalignment + lane * GPI(in_bytes);

        GPI_UNROLL
        for (int i = 0; i < GPI(thread_n); i++)
            gpi_get(in->items[i], from + (size_t)i * sizeof(GPI(loaded)));
    }
}

/* Reads the lane's items of a whole warp tile, and maps them. */
GPI_DEVICE void GPI(thread_read)(GPI(thread_items) *regs, const char *slot, unsigned misalignment, unsigned lane,
                              GPI_CONTEXT context)
{
#ifdef GPI_COMBINE_IS_STAMPED
    GPI(thread_input) in;

    GPI(thread_read_input)(&in, slot, misalignment, lane);
    GPI_UNROLL
    for (int i = 0; i < GPI(thread_n); i++)
        regs->items[i] = GPI(load)(&in.items[i], context);
#else
    (void)context;
    GPI(thread_read_input)(regs, slot, misalignment, lane); /* as they are: some may be undefined memory */
#endif
}

/*
 * Writes the lane's items of a whole warp tile, to start `misalignment` bytes into its slot. What lies in the slot
 * before the warp tile and behind it, up to the next vector, may be overwritten.
 */
GPI_DEVICE void GPI(thread_write)(GPI(thread_items) *regs, char *slot, unsigned misalignment, unsigned lane)
{
    if (GPI(out_bytes) % 16) {
        GPI_UNROLL
        for (int i = 0; i < GPI(thread_n); i++)
            gpi_put(slot + misalignment + lane * GPI(out_bytes) + (size_t)i * sizeof(GP_TYPE), regs->items[i]);
        return;
    }

    char *to = slot + (misalignment & ~15u) + lane * GPI(out_bytes);
    const unsigned shift = misalignment & GPI_SHIFT_BITS(GP_TYPE);
    if (shift) {
        /* The first vector begins with the end of the neighbour's items; the last lane has one more. */
        uint32_t words[GPI(out_bytes) / 4 + 8];

        GPI_UNROLL
        for (int w = 0; w < 4; w++)
            words[w] = __shfl_up_sync(GPI_FULL_MASK, regs->words[GPI(out_bytes) / 4 - 4 + w], 1);
        GPI_UNROLL
        for (int w = 0; w < GPI(out_bytes) / 4; w++)
            words[w + 4] = regs->words[w];
        GPI_UNROLL
        for (int w = 0; w < 4; w++)
            words[GPI(out_bytes) / 4 + 4 + w] = 0;
        gpi_shift_down(words, GPI(out_bytes) / 4 + 4, 16 - shift);
        GPI_UNROLL
        for (int v = 0; v < GPI(out_bytes) / 16 + 1; v++) {
            uint4 vector;

            vector.x = words[4 * v];
            vector.y = words[4 * v + 1];
            vector.z = words[4 * v + 2];
            vector.w = words[4 * v + 3];
            if (v < GPI(out_bytes) / 16 || lane == 31)
                gpi_put(to + 16 * v, vector);
        }
        return;
    }
    GPI_UNROLL
    for (int v = 0; v < GPI(out_bytes) / 16; v++)
        gpi_put(to + 16 * v, regs->vectors[v]);
}
#endif

#endif
