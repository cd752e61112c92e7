/*
 * block/core/merge.cuh: merges and sorts a tile of items in shared memory, stably.
 *
 * Adjacent runs are merged by many threads at once (Green, McColl and Bader, GPU merge path, 2012;
 * Odeh et al., Merge path, 2012): each thread finds by bisection which items of either run come
 * before its part of the output, and then merges its part from shared memory into registers.
 *
 * Needs core/instance/begin.cuh, core/instance/less.cuh, and
 *
 *     GPI(items)        a constant: items per thread in a sort, at most
 *     GPI(places)       a constant: the most items of a tile
 *     GPI(spare)        a constant: places behind them, at least GPI(items)
 *     GPI_MERGE_VALUE   the type of values, or char where GPI_MERGE_PAIRS is 0
 *
 * Part of the headers that sort and merge; not to be included directly.
 */
#include "../../core/tile/network.cuh"

#ifdef __cplusplus
#define GPI_MERGE_IS_BOOL 0 /* C++ does not count it among the integers */
#else
#define GPI_MERGE_IS_BOOL __builtin_types_compatible_p(GP_TYPE, _Bool)
#endif

/*
 * Whether equal items cannot be told apart, as integers by < without values. Then any sort is
 * stable, and networks that compare distant items will do.
 */
#if GPI_MERGE_PAIRS || defined GP_LESS
#define GPI_MERGE_INDISTINGUISHABLE(items) 0
#else
#define GPI_MERGE_INDISTINGUISHABLE(items)                                                                     \
    (__builtin_classify_type(*(const GP_TYPE *)0) == 1 && !GPI_MERGE_IS_BOOL && sizeof(GP_TYPE) <= 8 && \
     (items) <= 32 && ((items) & ((items)-1)) == 0)
#endif

/* The length of the first runs otherwise, each sorted by a thread in registers. */
#define GPI_MERGE_FIRST_RUN(items) ((items) > 16 && (items) % 2 == 0 ? (items) / 2 : (items))

/*
 * Where item k lies in shared memory when each thread writes `items` consecutive ones. An odd
 * stride between threads has no bank conflicts; with an even one, one place is left free after
 * every 128 bytes.
 */
#define GPI_MERGE_PAD(k) ((k) >> (sizeof(GP_TYPE) <= 4 ? 5 : sizeof(GP_TYPE) <= 8 ? 4 : 3))
#define GPI_MERGE_PLACE(k, items) ((items) % 2 ? (k) : (k) + GPI_MERGE_PAD(k))

/* A tile in shared memory. A thread may read up to `items` places past its end, and ignores them. */
typedef struct {
    GP_TYPE keys[GPI(places) + GPI(spare) + GPI_MERGE_PAD(GPI(places) + GPI(spare))];
#if GPI_MERGE_PAIRS
    GPI_MERGE_VALUE values[GPI(places) + GPI(spare) + GPI_MERGE_PAD(GPI(places) + GPI(spare))];
#endif
} GPI(tile);

#if GPI_MERGE_PAIRS
#define GPI_MERGE_VALUE_AT(tile, place) ((tile)->values[place])
#else
#define GPI_MERGE_VALUE_AT(tile, place) (*(GPI_MERGE_VALUE *)(tile)) /* never used */
#endif

/* What remains of two runs: items [a, a_end) and [b, b_end) of the tile. */
typedef struct {
    unsigned a, a_end, b, b_end;
} GPI(runs);

#if GPI_DEVICE_CODE
/* How many items of the first run are among the first `diagonal` of the merged order. */
GPI_DEVICE unsigned GPI(path)(const GPI(tile) *tile, GPI(runs) runs, unsigned diagonal,
                              const unsigned items, GPI_CONTEXT context)
{
    const unsigned others = runs.b_end - runs.b;
    unsigned low = diagonal > others ? diagonal - others : 0, high = gpi_min(diagonal, runs.a_end - runs.a);

    while (low < high) {
        const unsigned middle = (low + high) / 2, a = runs.a + middle, b = runs.b + diagonal - 1 - middle;

        if (GPI(less)(tile->keys[GPI_MERGE_PLACE(b, items)], tile->keys[GPI_MERGE_PLACE(a, items)], context))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/*
 * Merges the first `items` items of the two runs into the thread's registers, those of the first
 * run first where equal. `v` may be NULL. The item behind a run may be read, and is ignored.
 */
GPI_DEVICE void GPI(serial)(GP_TYPE *x, GPI_MERGE_VALUE *v, const GPI(tile) *tile,
                            GPI(runs) runs, const unsigned items, GPI_CONTEXT context)
{
    GP_TYPE a = tile->keys[GPI_MERGE_PLACE(runs.a, items)], b = tile->keys[GPI_MERGE_PLACE(runs.b, items)];

    GPI_UNROLL
    for (unsigned i = 0; i < items; i++) {
        const int second = runs.a >= runs.a_end || (runs.b < runs.b_end && GPI(less)(b, a, context));
        const unsigned from = second ? runs.b : runs.a;
        const GP_TYPE next = tile->keys[GPI_MERGE_PLACE(from + 1, items)];

        if (GPI_MERGE_PAIRS && v)
            gpi_move(&v[i], &GPI_MERGE_VALUE_AT(tile, GPI_MERGE_PLACE(from, items)));
        if (items == 1) { /* a large one, of which a and b keep only what GP_LESS looks at */
            gpi_move(&x[i], &tile->keys[GPI_MERGE_PLACE(from, items)]);
        } else if (second) {
            x[i] = b;
            b = next;
            runs.b++;
        } else {
            x[i] = a;
            a = next;
            runs.a++;
        }
    }
}

/* Merges items [at, at + items) of the merged order of the two runs, as far as there are any. */
GPI_DEVICE void GPI(part)(GP_TYPE *x, GPI_MERGE_VALUE *v, const GPI(tile) *tile,
                          GPI(runs) runs, unsigned at, const unsigned items, GPI_CONTEXT context)
{
    if (at >= runs.a_end - runs.a + (runs.b_end - runs.b))
        return;
    const unsigned first = GPI(path)(tile, runs, at, items, context);

    runs.a += first;
    runs.b += at - first;
    GPI(serial)(x, v, tile, runs, items, context);
}

/*
 * Writes the thread's items, of which `count` are valid, to the tile, blocked. The others go to
 * places of the thread that are not read.
 */
GPI_DEVICE void GPI(put)(const GP_TYPE *x, const GPI_MERGE_VALUE *v, GPI(tile) *tile,
                         unsigned thread, unsigned count, const unsigned items)
{
    if (count == 0)
        return;
    GPI_UNROLL
    for (unsigned i = 0; i < items; i++) {
        gpi_move(&tile->keys[GPI_MERGE_PLACE(thread * items + i, items)], &x[i]);
        if (GPI_MERGE_PAIRS && v)
            gpi_move(&GPI_MERGE_VALUE_AT(tile, GPI_MERGE_PLACE(thread * items + i, items)), &v[i]);
    }
}

/*
 * Sorts each of the first runs of the thread's items by odd-even transposition, which exchanges
 * only adjacent items, and so is stable.
 */
GPI_DEVICE void GPI(transpositions)(GP_TYPE *x, GPI_MERGE_VALUE *v, const int items, GPI_CONTEXT context)
{
    const int run = GPI_MERGE_FIRST_RUN(items);

    GPI_UNROLL
    for (int first = 0; first < items; first += run) {
        GPI_UNROLL
        for (int step = 0; step < run; step++) {
            GPI_UNROLL
            for (int i = first + step % 2; i + 1 < first + run; i += 2) {
                const GP_TYPE low = x[i], high = x[i + 1];

                if (GPI(less)(high, low, context)) {
                    x[i] = high;
                    x[i + 1] = low;
                    if (GPI_MERGE_PAIRS && v) {
                        const GPI_MERGE_VALUE value = v[i];

                        v[i] = v[i + 1];
                        v[i + 1] = value;
                    }
                }
            }
        }
    }
}

#if !GPI_MERGE_PAIRS && !defined GP_LESS
/* Puts two integers in order. */
GPI_DEVICE void GPI(compare)(GP_TYPE *low, GP_TYPE *high)
{
    const GP_TYPE a = *low, b = *high;

    *low = b < a ? b : a;
    *high = b < a ? a : b;
}

/* Sorts the thread's integers by odd-even merges. */
GPI_DEVICE void GPI(thread_network)(GP_TYPE *x, const int items)
{
    GPI_UNROLL
    for (int run = 0; run < 5; run++) { /* merges runs of 2^run items */
        GPI_UNROLL
        for (int step = run; step >= 0; step--) {
            GPI_UNROLL
            for (int i = 0; i < items; i++)
                if (gpi_is_compared(i, items, run, step))
                    GPI(compare)(&x[i], &x[i + (1 << step)]);
        }
    }
}

/* A number of as many bytes as the integer has; compiles for any type. */
GPI_DEVICE uint64_t GPI(bits_of)(GP_TYPE x)
{
    uint64_t bits = 0;

    memcpy(&bits, (const void *)&x, sizeof x < sizeof bits ? sizeof x : sizeof bits);
    return bits;
}

GPI_DEVICE GP_TYPE GPI(of_bits)(uint64_t bits)
{
    GP_TYPE x;

    memcpy((void *)&x, &bits, sizeof x < sizeof bits ? sizeof x : sizeof bits);
    return x;
}

GPI_DEVICE GP_TYPE GPI(shuffle)(GP_TYPE x, unsigned lanes)
{
    const uint64_t bits = GPI(bits_of)(x);

    return GPI(of_bits)(sizeof x <= 4 ? __shfl_xor_sync(GPI_FULL_MASK, (uint32_t)bits, (int)lanes)
                                      : __shfl_xor_sync(GPI_FULL_MASK, bits, (int)lanes));
}

/* The smaller or the larger of two integers. Of few items of up to 4 bytes it is faster to find both and select one. */
GPI_DEVICE GP_TYPE GPI(choose)(GP_TYPE a, GP_TYPE b, int larger, const int items)
{
    const GP_TYPE low = b < a ? b : a, high = b < a ? a : b;

    if (sizeof a <= 4 && items <= 8)
        return larger ? high : low;
    return (a < b) != larger ? a : b;
}

/*
 * Sorts the warp's integers, already sorted in each lane, by bitonic merges: the first step
 * compares each item with its mirror image, the following ones halve the distance each time.
 */
GPI_DEVICE void GPI(warp_network)(GP_TYPE *x, const int items, unsigned lane)
{
    for (unsigned lanes = 2; lanes <= 32; lanes *= 2) {
        const int upper = (lane & lanes / 2) != 0;

        GPI_UNROLL
        for (int i = 0; i < (items + 1) / 2; i++) {
            const int mirror = items - 1 - i;
            const GP_TYPE a = GPI(shuffle)(x[mirror], lanes - 1), b = GPI(shuffle)(x[i], lanes - 1);

            x[i] = GPI(choose)(x[i], a, upper, items);
            if (i != mirror)
                x[mirror] = GPI(choose)(x[mirror], b, upper, items);
        }
        for (unsigned step = lanes / 4; step; step /= 2) {
            GPI_UNROLL
            for (int i = 0; i < items; i++)
                x[i] = GPI(choose)(x[i], GPI(shuffle)(x[i], step), (lane & step) != 0, items);
        }
        GPI_UNROLL
        for (int step = 16; step >= 1; step /= 2) {
            GPI_UNROLL
            for (int i = 0; i < items; i++)
                if (!(i & step) && i + step < items)
                    GPI(compare)(&x[i], &x[i + step]);
        }
    }
}

/* Sorts the integers of each warp. Missing ones become the largest value. */
GPI_DEVICE void GPI(warp_sort)(GP_TYPE *x, const int items, unsigned rank, unsigned n)
{
    const uint64_t ones = UINT64_MAX >> (64 - 8 * (sizeof(GP_TYPE) < 8 ? sizeof(GP_TYPE) : 8));
    const int is_signed = GPI(of_bits)(ones) < GPI(of_bits)(0);
    const GP_TYPE largest = GPI(of_bits)(ones >> is_signed);

    GPI_UNROLL
    for (int i = 0; i < items; i++)
        if (rank * (unsigned)items + (unsigned)i >= n)
            x[i] = largest;
    GPI(thread_network)(x, items);
    GPI(warp_network)(x, items, rank % 32);
}
#endif

/*
 * Sorts the thread's runs, where the tile has n items. Missing ones become copies of the largest,
 * and stay behind it.
 */
GPI_DEVICE void GPI(thread_sort)(GP_TYPE *x, GPI_MERGE_VALUE *v, const unsigned items, unsigned begin,
                                 unsigned n, GPI_CONTEXT context)
{
    if (begin < n && n - begin < items) {
        GP_TYPE largest = x[0];

        GPI_UNROLL
        for (unsigned i = 1; i < items; i++) {
            if (begin + i >= n)
                x[i] = largest;
            else if (!GPI(less)(x[i], largest, context))
                largest = x[i];
        }
    }
    GPI(transpositions)(x, v, (int)items, context);
}

/*
 * Sorts the first n items of a tile. The thread of rank r has items r * items and following in
 * registers, before and after; where there is none, any item. There is no barrier before the first
 * write to the tile, nor after the last read.
 */
GPI_DEVICE void GPI(block)(GP_TYPE *x, GPI_MERGE_VALUE *v, const unsigned items, GPI(tile) *tile, unsigned rank,
                           unsigned n, GPI_CONTEXT context)
{
    const unsigned begin = rank * items;
    unsigned run = GPI_MERGE_INDISTINGUISHABLE(items) ? 32 * items : GPI_MERGE_FIRST_RUN(items);

#if !GPI_MERGE_PAIRS && !defined GP_LESS
    if (GPI_MERGE_INDISTINGUISHABLE(items))
        GPI(warp_sort)(x, (int)items, rank, n);
    else
#endif
        GPI(thread_sort)(x, v, items, begin, n, context);
    for (; run < n; run *= 2) {
        const unsigned first = (rank & ~(2 * run / items - 1)) * items;
        GPI(runs) runs;

        runs.a = gpi_min(first, n);
        runs.a_end = runs.b = gpi_min(first + run, n);
        runs.b_end = gpi_min(first + 2 * run, n);
        GPI(put)(x, v, tile, rank, begin < n ? n - begin : 0, items);
        __syncthreads(); /* the runs are complete */
        GPI(part)(x, v, tile, runs, begin - runs.a, items, context);
        __syncthreads(); /* and have been read */
    }
}
#endif
