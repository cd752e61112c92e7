/*
 * core/merge/tile.cuh: the merge of two sorted arrays, a tile of the output at a time.
 *
 * Where a tile begins in both arrays is found by a search on its diagonal of the merge path, in global memory: not
 * exactly, but nearly; the parts that are read have all items that may belong to the tile. Where a thread's items begin
 * is found in shared memory, where the parts of both arrays lie in a stage. Each thread merges its items into
 * registers. Then it is put together in shared memory, so that it leaves by whole vectors: in the stage, which is free
 * by then, or in the pipeline in slots of the warps.
 *
 *     stage    | a part of a | a part of b |       each as far behind a 128-byte line as in global memory
 *     later    | the tile                  |       likewise
 *
 * Part of merge.cuh; not to be included directly.
 */
#include "../tile/copy.cuh"
#include "../tile/probe.cuh"
#include "../tile/ticket.cuh"
#include "tuning.cuh"

/*
 * A stage for so many items, and for what is not known of the splits: both parts start anywhere in a line, and the item
 * behind each may be read.
 */
#define GPI_MERGE_STAGE_BYTES(items) \
    ((((items) + 2 * (int)GPI(slack) + 1) * (int)sizeof(GP_TYPE) + 3 * 128 + 16 + 127) / 128 * 128)

enum {
    GPI(items) = sizeof(GP_TYPE) <= 4    ? GPI_TUNE_MERGE_TWO_ITEMS
                 : sizeof(GP_TYPE) <= 8  ? GPI_TUNE_MERGE_TWO_WIDE_ITEMS
                 : sizeof(GP_TYPE) <= 16 ? 5
                 : sizeof(GP_TYPE) <= 32 ? 3
                                         : 1, /* of a thread; odd: no bank conflicts */
    GPI(slack) = sizeof(GP_TYPE) <= 256 ? 256 / sizeof(GP_TYPE) : 0 /* items that a split may be off by */
};

/* What a launch works on. */
typedef struct {
    const GP_TYPE *a, *b;
    GP_TYPE *out;
    size_t na, nb, tiles;
    gpi_tile_state_head *head; /* that hands out tiles, of large arrays */
} GPI(job);

/* Where a search for a split has come to: from `low` to `low + width` items of a. */
typedef struct {
    size_t low, width;
} GPI(window);

/*
 * The parts of a and b that have what makes up a tile: where they are, and where in the stage they go, in bytes. The
 * tile begins behind the first `before` items of the parts.
 */
typedef struct {
    const char *a, *b;
    char *out;
    unsigned items, before, a_items, b_items, a_at, b_at;
} GPI(piece);

#if GPI_DEVICE_CODE
/* All that is possible on a diagonal, if it is known that `from` items of a come before, and `more` at most besides. */
GPI_DEVICE GPI(window) GPI(open_window)(const GPI(job) *job, size_t diagonal, size_t from, size_t more)
{
    const size_t least = diagonal > job->nb ? diagonal - job->nb : 0, most = diagonal < job->na ? diagonal : job->na;
    const size_t high = most < from + more ? most : from + more;
    GPI(window) window;

    window.low = least > from ? least : from;
    window.width = high > window.low ? high - window.low : 0;
    return window;
}

/* Whether the item of a at `place` is among the first `diagonal` of the merged order. */
GPI_DEVICE int GPI(is_among)(const GPI(job) *job, size_t diagonal, size_t place, GPI_CONTEXT context)
{
    return !GPI(less)(job->b[diagonal - 1 - place], job->a[place], context);
}

/*
 * One warp, 2^log lanes for each search: how many items of a are among the first `diagonal` of the merged order, from
 * what is known, as exactly as is needed. Each lane asks about a place of its own.
 */
GPI_DEVICE GPI(window) GPI(split)(const GPI(job) *job, size_t diagonal, GPI(window) window, int log, unsigned lane,
                                  GPI_CONTEXT context)
{
    const unsigned number = lane & ((1u << log) - 1);

    while (__any_sync(GPI_FULL_MASK, window.width > (size_t)GPI(slack))) {
        const size_t place = gpi_probe(window.low, window.width, number, log);
        const int is_among = window.width && GPI(is_among)(job, diagonal, place, context);

        gpi_narrow(&window.low, &window.width, is_among, lane, log);
    }
    return window;
}

/* The parts of a tile, which begins behind `from` items of a and ends behind `to` of them. */
GPI_DEVICE GPI(piece)
    GPI(cut)(const GPI(job) *job, size_t tile, unsigned tile_items, GPI(window) from, GPI(window) to)
{
    const size_t first = tile * tile_items, b = first - (from.low + from.width), a_end = to.low + to.width;
    const unsigned n = gpi_min_size(job->na + job->nb - first, tile_items);
    const unsigned all = n + (unsigned)from.width + (unsigned)to.width;
    GPI(piece) piece;

    piece.a = (const char *)(job->a + from.low);
    piece.b = (const char *)(job->b + b);
    piece.out = (char *)(job->out + first);
    piece.before = (unsigned)from.width;
    piece.a_items = gpi_min_size(a_end > from.low ? a_end - from.low : 0, all);
    /* These fit, unless GP_LESS is no order: then at least nothing is overrun. */
    piece.b_items = gpi_min_size(job->nb - b, all - piece.a_items);
    piece.a_at = gpi_misalignment(piece.a);
    piece.b_at = (piece.a_at + piece.a_items * (unsigned)sizeof(GP_TYPE) + 127) / 128 * 128;
    piece.b_at += gpi_misalignment(piece.b);
    piece.items = n;
    return piece;
}

/* How many items of part a are among the first `diagonal` of both parts. */
GPI_DEVICE unsigned GPI(path)(const char *stage, const GPI(piece) *piece, unsigned diagonal,
                              GPI_CONTEXT context)
{
    unsigned low = diagonal > piece->b_items ? diagonal - piece->b_items : 0,
             high = gpi_min(diagonal, piece->a_items);

    while (low < high) {
        const unsigned middle = (low + high) / 2;
        GP_TYPE a, b;

        gpi_get(a, stage + piece->a_at + middle * (unsigned)sizeof a);
        gpi_get(b, stage + piece->b_at + (diagonal - 1 - middle) * (unsigned)sizeof b);
        if (GPI(less)(b, a, context))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Merges the thread's items, the first of which is behind `first` others of the tile, into registers. */
GPI_DEVICE void GPI(take)(GP_TYPE *x, const char *stage, const GPI(piece) *piece, unsigned first,
                          GPI_CONTEXT context)
{
    const unsigned bytes = (unsigned)sizeof(GP_TYPE), diagonal = piece->before + first,
                   split = GPI(path)(stage, piece, diagonal, context);
    const unsigned a_end = piece->a_at + piece->a_items * bytes,
                   b_end = piece->b_at + piece->b_items * bytes;
    unsigned at_a = piece->a_at + split * bytes, at_b = piece->b_at + (diagonal - split) * bytes;
    GP_TYPE a, b;

    gpi_get(a, stage + at_a);
    gpi_get(b, stage + at_b);
    GPI_UNROLL
    for (unsigned i = 0; i < GPI(items); i++) {
        const int is_b = at_a >= a_end || (at_b < b_end && GPI(less)(b, a, context));
        const unsigned at = is_b ? at_b : at_a;
        GP_TYPE next;

        gpi_get(next, stage + at + bytes);
        x[i] = is_b ? b : a;
        a = is_b ? a : next;
        b = is_b ? next : b;
        at_a += is_b ? 0 : bytes;
        at_b += is_b ? bytes : 0;
    }
}

/* Puts the thread's items where they belong in shared memory, behind `first` others. */
GPI_DEVICE void GPI(put)(GP_TYPE *x, char *to, unsigned first)
{
    GPI_UNROLL
    for (unsigned i = 0; i < GPI(items); i++)
        gpi_put(to + (first + i) * (unsigned)sizeof *x, x[i]);
}
#endif
