/*
 * core/block_merge.cuh: merges and sorts a tile of items in shared memory, stably.
 *
 * Two neighbouring runs are merged by many threads at once (Green, McColl and Bader, GPU merge path, 2012;
 * Odeh et al., Merge path, 2012): each thread finds by bisection which items of either run come before its
 * part of the output, and then merges its part alone, from shared memory into its registers.
 *
 * Needs core/begin.cuh, core/less.cuh, and
 *
 *     GPI_MERGE_ITEMS        a constant: so many items a thread has, in a sort
 *     GPI_MERGE_PLACES       a constant: so many items a tile has at most
 *     GPI_MERGE_VALUE        the type of values, or char where GPI_MERGE_PAIRS is 0
 *
 * Part of the headers that sort and merge; not to be included directly.
 */
#define GPI_MERGE_TILE GPI(tile)
#define GPI_MERGE_RUNS GPI(runs)
#define GPI_MERGE_PATH GPI(path)
#define GPI_MERGE_SERIAL GPI(serial)
#define GPI_MERGE_PART GPI(part)
#define GPI_MERGE_PUT GPI(put)
#define GPI_MERGE_CHUNK GPI(chunk)
#define GPI_MERGE_NETWORK GPI(network)
#define GPI_MERGE_SORT GPI(block)
#define GPI_MERGE_COMPARE GPI(compare)
#define GPI_MERGE_SHUFFLE GPI(shuffle)
#define GPI_MERGE_CHOOSE GPI(choose)
#define GPI_MERGE_SORT_THREAD GPI(in_thread)
#define GPI_MERGE_SORT_WARP GPI(in_warp)
#define GPI_MERGE_SORT_INTEGERS GPI(in_integers)
#define GPI_MERGE_SORT_CHUNKS GPI(in_chunks)

/*
 * Whether items that are equal are alike: integers by <, without values. Then no sort can be told from a
 * stable one,
 * and networks that compare items far apart will do.
 */
#if GPI_MERGE_PAIRS || defined GP_LESS
#define GPI_MERGE_ALIKE 0
#else
#define GPI_MERGE_ALIKE                                                                           \
    (__builtin_classify_type((GP_TYPE)0) == 1 && sizeof(GP_TYPE) <= 8 && GPI_MERGE_ITEMS <= 32 && \
     (GPI_MERGE_ITEMS & (GPI_MERGE_ITEMS - 1)) == 0)
#endif

/* As many items as a thread sorts in its registers; they then become the first runs. */
enum {
    GPI_MERGE_CHUNK = GPI_MERGE_ITEMS > 16 && GPI_MERGE_ITEMS % 2 == 0 && !GPI_MERGE_ALIKE
                          ? GPI_MERGE_ITEMS / 2
                          : GPI_MERGE_ITEMS
};

/*
 * Where item k lies in shared memory, when each thread writes `items` neighbours. Threads that write items
 * an odd number of places apart do not meet in a bank. If the number is even, a place is left free after
 * every 128 bytes.
 */
#define GPI_MERGE_PAD(k) ((k) >> (sizeof(GP_TYPE) <= 4 ? 5 : sizeof(GP_TYPE) <= 8 ? 4 : 3))
#define GPI_MERGE_PLACE(k, items) ((items) % 2 ? (k) : (k) + GPI_MERGE_PAD(k))

/* A tile in shared memory. A thread may read, and forget, as many items more as it has. */
typedef struct {
    GP_TYPE keys[GPI_MERGE_PLACES + GPI_MERGE_ITEMS + GPI_MERGE_PAD(GPI_MERGE_PLACES + GPI_MERGE_ITEMS)];
#if GPI_MERGE_PAIRS
    GPI_MERGE_VALUE
        values[GPI_MERGE_PLACES + GPI_MERGE_ITEMS + GPI_MERGE_PAD(GPI_MERGE_PLACES + GPI_MERGE_ITEMS)];
#endif
} GPI_MERGE_TILE;

#if GPI_MERGE_PAIRS
#define GPI_MERGE_VALUE_AT(tile, place) ((tile)->values[place])
#else
#define GPI_MERGE_VALUE_AT(tile, place) (*(GPI_MERGE_VALUE *)(tile)) /* never used */
#endif

/* What is left of two runs: items [a, a_end) and [b, b_end) of the tile. */
typedef struct {
    unsigned a, a_end, b, b_end;
} GPI_MERGE_RUNS;

#if GPI_DEVICE_CODE
/* How many items of the first run are among the first `diagonal` of the two runs merged. */
GPI_DEVICE unsigned GPI_MERGE_PATH(const GPI_MERGE_TILE *tile, GPI_MERGE_RUNS runs, unsigned diagonal,
                                   const unsigned items, GPI_CONTEXT context)
{
    const unsigned others = runs.b_end - runs.b;
    unsigned low = diagonal > others ? diagonal - others : 0, high = gpi_min(diagonal, runs.a_end - runs.a);

    while (low < high) {
        const unsigned middle = (low + high) / 2, a = runs.a + middle, b = runs.b + diagonal - 1 - middle;

        if (GPI_LESS(tile->keys[GPI_MERGE_PLACE(b, items)], tile->keys[GPI_MERGE_PLACE(a, items)], context))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/*
 * Merges the first items of the two runs, as many as there are, into the thread's registers: of equal items
 * those of the first run come first. `v` may be NULL. An item behind a run may be read; it is not looked at.
 */
GPI_DEVICE void GPI_MERGE_SERIAL(GP_TYPE *x, GPI_MERGE_VALUE *v, const GPI_MERGE_TILE *tile,
                                 GPI_MERGE_RUNS runs, const unsigned items, GPI_CONTEXT context)
{
    GP_TYPE a = tile->keys[GPI_MERGE_PLACE(runs.a, items)], b = tile->keys[GPI_MERGE_PLACE(runs.b, items)];

    GPI_UNROLL
    for (unsigned i = 0; i < items; i++) {
        const int second = runs.a >= runs.a_end || (runs.b < runs.b_end && GPI_LESS(b, a, context));
        const unsigned from = second ? runs.b : runs.a;
        const GP_TYPE next = tile->keys[GPI_MERGE_PLACE(from + 1, items)];

        if (GPI_MERGE_PAIRS && v)
            gpi_move(&v[i], &GPI_MERGE_VALUE_AT(tile, GPI_MERGE_PLACE(from, items)));
        if (items == 1) { /* a large one: of a and b there is no more in registers than the order looks at */
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

/* Merges items [at, at + items) of what the two runs will be, as far as there are such. */
GPI_DEVICE void GPI_MERGE_PART(GP_TYPE *x, GPI_MERGE_VALUE *v, const GPI_MERGE_TILE *tile,
                               GPI_MERGE_RUNS runs, unsigned at, const unsigned items, GPI_CONTEXT context)
{
    if (at >= runs.a_end - runs.a + (runs.b_end - runs.b))
        return;
    const unsigned first = GPI_MERGE_PATH(tile, runs, at, items, context);

    runs.a += first;
    runs.b += at - first;
    GPI_MERGE_SERIAL(x, v, tile, runs, items, context);
}

/*
 * Writes the thread's items, `count` of which there are, to the tile: thread by thread they come one behind the other.
 * What else a thread has in its registers, it writes to places of its own where nobody looks for an item.
 */
GPI_DEVICE void GPI_MERGE_PUT(const GP_TYPE *x, const GPI_MERGE_VALUE *v, GPI_MERGE_TILE *tile,
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
 * Sorts each chunk of the thread's items: by odd-even transposition, which exchanges neighbours alone, and so
 * is stable.
 */
GPI_DEVICE void GPI_MERGE_NETWORK(GP_TYPE *x, GPI_MERGE_VALUE *v, GPI_CONTEXT context)
{
    GPI_UNROLL
    for (int chunk = 0; chunk < GPI_MERGE_ITEMS; chunk += GPI_MERGE_CHUNK) {
        GPI_UNROLL
        for (int step = 0; step < GPI_MERGE_CHUNK; step++) {
            GPI_UNROLL
            for (int i = chunk + step % 2; i + 1 < chunk + GPI_MERGE_CHUNK; i += 2) {
                const GP_TYPE low = x[i], high = x[i + 1];

                if (GPI_LESS(high, low, context)) {
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
/* Puts two integers in order, or in the opposite order. */
GPI_DEVICE void GPI_MERGE_COMPARE(GP_TYPE *low, GP_TYPE *high)
{
    const GP_TYPE a = *low, b = *high;

    *low = b < a ? b : a;
    *high = b < a ? a : b;
}

/* Sorts the thread's integers by odd-even merges (Batcher, Sorting networks and their applications, 1968). */
GPI_DEVICE void GPI_MERGE_SORT_THREAD(GP_TYPE *x)
{
    GPI_UNROLL
    for (int run = 0; run < 5; run++) { /* merges runs of 2^run */
        GPI_UNROLL
        for (int step = run; step >= 0; step--) {
            const int first = step < run ? 1 << step : 0;

            GPI_UNROLL
            for (int i = 0; i < GPI_MERGE_ITEMS; i++)
                if (i >= first && i + (1 << step) < GPI_MERGE_ITEMS && ((i - first) >> step) % 2 == 0 &&
                    i >> (run + 1) == (i + (1 << step)) >> (run + 1))
                    GPI_MERGE_COMPARE(&x[i], &x[i + (1 << step)]);
        }
    }
}

GPI_DEVICE GP_TYPE GPI_MERGE_SHUFFLE(GP_TYPE x, unsigned lanes)
{
    return sizeof x <= 4 ? (GP_TYPE)__shfl_xor_sync(GPI_FULL_MASK, (uint32_t)x, (int)lanes)
                         : (GP_TYPE)__shfl_xor_sync(GPI_FULL_MASK, (uint64_t)x, (int)lanes);
}

/* The smaller of two integers, or the larger. */
GPI_DEVICE GP_TYPE GPI_MERGE_CHOOSE(GP_TYPE a, GP_TYPE b, int larger)
{
    return (a < b) != larger ? a : b;
}

/*
 * Sorts the warp's integers, which each lane has sorted, by bitonic merges: a first step compares items with
 * those that mirror them, the following ones with those half as far away each time.
 */
GPI_DEVICE void GPI_MERGE_SORT_WARP(GP_TYPE *x, unsigned lane)
{
    for (unsigned lanes = 2; lanes <= 32; lanes *= 2) {
        const int upper = (lane & lanes / 2) != 0;

        GPI_UNROLL
        for (int i = 0; i < (GPI_MERGE_ITEMS + 1) / 2; i++) {
            const int mirror = GPI_MERGE_ITEMS - 1 - i;
            const GP_TYPE a = GPI_MERGE_SHUFFLE(x[mirror], lanes - 1), b = GPI_MERGE_SHUFFLE(x[i], lanes - 1);

            x[i] = GPI_MERGE_CHOOSE(x[i], a, upper);
            if (i != mirror)
                x[mirror] = GPI_MERGE_CHOOSE(x[mirror], b, upper);
        }
        for (unsigned step = lanes / 4; step; step /= 2) {
            GPI_UNROLL
            for (int i = 0; i < GPI_MERGE_ITEMS; i++)
                x[i] = GPI_MERGE_CHOOSE(x[i], GPI_MERGE_SHUFFLE(x[i], step), (lane & step) != 0);
        }
        GPI_UNROLL
        for (int step = 16; step >= 1; step /= 2) {
            GPI_UNROLL
            for (int i = 0; i < GPI_MERGE_ITEMS; i++)
                if (!(i & step) && i + step < GPI_MERGE_ITEMS)
                    GPI_MERGE_COMPARE(&x[i], &x[i + step]);
        }
    }
}

/* Sorts the integers of each warp. Those that are missing are taken for the largest of all. */
GPI_DEVICE void GPI_MERGE_SORT_INTEGERS(GP_TYPE *x, unsigned rank, unsigned n)
{
    const uint64_t ones = UINT64_MAX >> (64 - 8 * sizeof(GP_TYPE));
    const GP_TYPE most = (GP_TYPE)((GP_TYPE)-1 < (GP_TYPE)1 ? ones >> 1 : ones);

    GPI_UNROLL
    for (unsigned i = 0; i < GPI_MERGE_ITEMS; i++)
        if (rank * GPI_MERGE_ITEMS + i >= n)
            x[i] = most;
    GPI_MERGE_SORT_THREAD(x);
    GPI_MERGE_SORT_WARP(x, rank % 32);
}
#endif

/*
 * Sorts each chunk of n items. What stands for missing ones is not less than the others, and comes after
 * them.
 */
GPI_DEVICE void GPI_MERGE_SORT_CHUNKS(GP_TYPE *x, GPI_MERGE_VALUE *v, unsigned mine, unsigned n,
                                      GPI_CONTEXT context)
{
    if (mine < n && n - mine < GPI_MERGE_ITEMS) {
        GP_TYPE most = x[0];

        GPI_UNROLL
        for (unsigned i = 1; i < GPI_MERGE_ITEMS; i++) {
            if (mine + i >= n)
                x[i] = most;
            else if (!GPI_LESS(x[i], most, context))
                most = x[i];
        }
    }
    GPI_MERGE_NETWORK(x, v, context);
}

/*
 * Sorts the first n items of a tile. The thread of rank r has items r * GPI_MERGE_ITEMS and following in its
 * registers, before and after; where there is none, some item or other. There is no barrier before the first
 * write to the tile, nor after the last read.
 */
GPI_DEVICE void GPI_MERGE_SORT(GP_TYPE *x, GPI_MERGE_VALUE *v, GPI_MERGE_TILE *tile, unsigned rank,
                               unsigned n, GPI_CONTEXT context)
{
    const unsigned mine = rank * GPI_MERGE_ITEMS;
    unsigned run = GPI_MERGE_ALIKE ? 32 * GPI_MERGE_ITEMS : GPI_MERGE_CHUNK;

#if !GPI_MERGE_PAIRS && !defined GP_LESS
    if (GPI_MERGE_ALIKE)
        GPI_MERGE_SORT_INTEGERS(x, rank, n);
    else
#endif
        GPI_MERGE_SORT_CHUNKS(x, v, mine, n, context);
    for (; run < n; run *= 2) {
        const unsigned first = (rank & ~(2 * run / GPI_MERGE_ITEMS - 1)) * GPI_MERGE_ITEMS;
        GPI_MERGE_RUNS runs;

        runs.a = gpi_min(first, n);
        runs.a_end = runs.b = gpi_min(first + run, n);
        runs.b_end = gpi_min(first + 2 * run, n);
        GPI_MERGE_PUT(x, v, tile, rank, mine < n ? n - mine : 0, GPI_MERGE_ITEMS);
        __syncthreads(); /* the runs are there */
        GPI_MERGE_PART(x, v, tile, runs, mine - runs.a, GPI_MERGE_ITEMS, context);
        __syncthreads(); /* and have been read */
    }
}
#endif
