/*
 * core/top_k/row.cuh: the k best of rows, or of parts of rows, whose items a team of threads can read at once: a team
 * for each, as few threads as will do, a warp of a block or a block. What teams leave of the parts of a row are lists,
 * of keys and of their places in the row, from which teams select in turn.
 *
 *     1. every thread reads its items, by vectors, and keeps the least of each. If k is small, the threads' least give
 *        a bound: core/top_k/minima.cuh. If it is larger, those of vectors do: of lists, which are in order, a vector
 *        within it has all those before it within it, so that fewer are needed
 *     2. vectors within it are read again, and their items within it go to shared memory, some more than k; if they are
 *        too many, which is rare, the bound is narrowed by counts of items
 *     3. they go to buckets, by their topmost bits that differ, of numbers, or, if these are nearly alike, of places,
 *        too. Each counts those before it in its bucket, which gives its place in the result. Should a bucket be
 *        crowded, as with lists of neighbouring numbers, a sample of the entries divides them instead
 *
 * A row of which so much is wanted that a bound would leave out little is taken whole: in place of 1 and 2, all of its
 * items, which are in registers, are counted in the buckets, and go there as far as buckets have any of the k best.
 *
 * Vectors are aligned in memory. The few items before the first and behind the last one give no bound, but are looked
 * at in step 2.
 *
 * Part of top_k.cuh; not to be included directly.
 */
enum {
    GPI(block_rows) = GPI(threads) < 128 ? GPI(threads) / 32 : 4, /* of a block, if a warp has a row */
    GPI(row_vectors) = 8, /* of a thread */
    GPI(row_vector_n) = GPI_KEY_IS_NARROW ? 4 : 2, /* items of a vector */
    GPI(row_vector_bytes) = GPI(row_vector_n) * (int)sizeof(GP_KEY),
    GPI(whole_items) = 8,  /* of a thread, of rows that are taken whole; twice as many of long ones */
    GPI(most_in_row) = GPI(threads) * GPI(row_vectors) * GPI(row_vector_n), /* items that a team selects from */
    GPI(row_bucket_bits) = 7,
    GPI(row_buckets) = 1 << GPI(row_bucket_bits),
    GPI(row_crowd) = 2 * GPI(row_buckets), /* entries of a bucket; with more, many entries are sorted by splitters */
    /* Threads of a team, if vectors give the bound, at least: the list of these has room for splitters. */
    GPI(least_team) = GPI_KEY_IS_NARROW ? 64 : 128
};

/* What a team has in shared memory; entries, as they come and by buckets, and numbers of vectors follow. */
typedef struct {
    uint64_t ends[2][GPI(threads) / 32];
    uint32_t sums[4]; /* three, used by turns */
    uint32_t vectors; /* that have items within the bound */
    uint32_t count;   /* entries, or more, if there was no room */
    uint32_t largest; /* bucket: how many entries it has */
    uint32_t last;    /* bucket that has any of the k best, of a row that is taken whole */
    uint32_t buckets[GPI(row_buckets)]; /* entries of each, then where the next one goes */
} GPI(team);

/* Entries that a team has room for, if its threads give the bound: a vector of each that has any within it. */
static inline uint32_t GPI(team_room)(uint32_t threads, size_t k)
{
    const uint32_t items = GPI(enough)((uint32_t)k) * GPI(row_vector_n);

    return items > 2 * threads ? items : 2 * threads;
}

/* The same if its vectors do. */
static inline uint32_t GPI(vector_room)(size_t k)
{
    return 2 * (uint32_t)k + 512;
}

static __host__ __device__ __forceinline__ uint32_t GPI(team_bytes)(uint32_t threads, uint32_t room)
{
    const uint32_t entry_bytes = GPI_KEY_IS_NARROW ? 8 : 12;

    return (uint32_t)sizeof(GPI(team)) + 2 * room * entry_bytes +
           threads * GPI(row_vectors) * (uint32_t)sizeof(uint16_t);
}

#if GPI_DEVICE_CODE
/* A row, and the thread that works on it. */
typedef struct {
    const GP_KEY *keys;
    uint32_t n, k;
    uint32_t first;     /* place of its first item, if it is a part of a row */
    uint32_t head;      /* items before the first vector, */
    uint32_t vectors_n; /* vectors, which are aligned in memory, */
    uint32_t rest;      /* and items in none, the head included */
    int by_vectors;           /* a constant: vectors give the bound, so many of which have to be within it */
    uint32_t needed;
    uint32_t threads, thread; /* of the team */
    uint32_t room;            /* for entries */
    int is_warp;
    GPI(team) *team;
    GPI(list) entries, sorted;
    uint16_t *vectors; /* those that have items within the bound */
    uint64_t least;    /* the row's least number */
    int by_place;      /* all have this number */
    int shift;         /* the bits from here up, of a place or of a number less the least, say which bucket it is; */
    int up;            /* where the numbers have too few bits for that, they are shifted up by so many, */
    int place_shift;   /* and the bits from here up of the place follow */
} GPI(row);

/* Where the team has what follows it. */
GPI_DEVICE void GPI(carve_team)(GPI(row) *row)
{
    const uint32_t room = row->room;

    row->entries.words = (uint64_t *)(void *)(row->team + 1);
    row->sorted.words = row->entries.words + room;
    row->entries.ranks = (uint32_t *)(void *)(row->sorted.words + room);
    row->sorted.ranks = row->entries.ranks + room;
    row->vectors = (uint16_t *)(void *)(row->entries.ranks + (GPI_KEY_IS_NARROW ? 0 : 2 * room));
}

/*
 * The number of the thread's vector v. From one to the next the threads move on, so that items that are a power of two
 * apart are not all one thread's.
 */
GPI_DEVICE uint32_t GPI(own_vector)(const GPI(row) *row, uint32_t v)
{
    return v * row->threads + (row->thread ^ (5 * v & 31));
}

/* The place of the first item of a vector. */
GPI_DEVICE uint32_t GPI(vector_place)(const GPI(row) *row, uint32_t vector)
{
    return row->head + vector * GPI(row_vector_n);
}

/* The place of item i of those in no vector. */
GPI_DEVICE uint32_t GPI(rest_place)(const GPI(row) *row, uint32_t i)
{
    return i < row->head ? i : i + row->vectors_n * GPI(row_vector_n);
}

/* The item at a place. */
GPI_DEVICE GPI(entry) GPI(row_item)(const GPI(row) *row, uint32_t place)
{
    GPI(entry) entry;

    entry.number = GPI(key_order)(row->keys[place]);
    entry.rank = place;
    return entry;
}

/* The least of some numbers. */
GPI_DEVICE uint64_t GPI(least_of)(const uint64_t *numbers, uint32_t n)
{
    uint64_t least = numbers[0];

    GPI_UNROLL
    for (uint32_t i = 1; i < n; i++)
        least = GPI(lesser)(least, numbers[i]);
    return least;
}

/* Reads a vector. */
GPI_DEVICE void GPI(read_items)(const GPI(row) *row, uint32_t vector, uint32_t *words)
{
    const int is_aligned = __alignof__(GP_KEY) >= sizeof(GP_KEY); /* to their size */
    const GP_KEY *from = row->keys + GPI(vector_place)(row, vector);

    GPI_UNROLL
    for (uint32_t j = 0; j < GPI(row_vector_n) && !is_aligned; j++)
        memcpy((char *)words + j * sizeof(GP_KEY), (const void *)&from[j], sizeof(GP_KEY));
    if (is_aligned)
        gpi_read_vector(words, from, GPI(row_vector_bytes));
}

/* The least number of a vector. Of floats, the least code is found: two zeros have the number of one. */
GPI_DEVICE uint64_t GPI(least_of_vector)(const uint32_t *words)
{
    const int by_code = GPI(key_is_float) && sizeof(GP_KEY) == 4;
    uint64_t numbers[GPI(row_vector_n)];

    GPI_UNROLL
    for (uint32_t j = 0; j < GPI(row_vector_n); j++)
        numbers[j] = by_code ? GPI(key_bits)(GPI(key_code)(GPI(key_of_bits)(words[j % 4])))
                             : GPI(vector_number)(words, (int)j);
    const uint64_t least = GPI(least_of)(numbers, GPI(row_vector_n));
    return by_code ? GPI(key_code_word)(GPI(key_of_bits)(least), 1) : least;
}

/* Reads all of the thread's vectors, and finds the least number of each. */
GPI_DEVICE void GPI(find_minima)(const GPI(row) *row, uint64_t *minima)
{
    uint32_t words[GPI(row_vectors)][4];

    GPI_UNDEFINED(words);
    GPI_UNROLL
    for (uint32_t v = 0; v < GPI(row_vectors); v++)
        if (GPI(own_vector)(row, v) < row->vectors_n)
            GPI(read_items)(row, GPI(own_vector)(row, v), words[v]);
    GPI_UNROLL
    for (uint32_t v = 0; v < GPI(row_vectors); v++) {
        minima[v] = GPI(least_of_vector)(words[v]);
        minima[v] = GPI(own_vector)(row, v) < row->vectors_n ? minima[v] : GPI(last_entry)().number;
    }
}

/* Leaves no entries. */
GPI_DEVICE void GPI(clear_entries)(const GPI(row) *row)
{
    GPI_NO_UNROLL
    for (uint32_t i = row->thread; i < GPI(row_buckets); i += row->threads)
        row->team->buckets[i] = 0;
    if (row->thread == 0)
        row->team->count = 0;
}

/* How many items there are that may be within the bound: those of listed vectors, and those in none. */
GPI_DEVICE uint32_t GPI(listed_items)(const GPI(row) *row)
{
    return row->team->vectors * GPI(row_vector_n) + row->rest;
}

/* Item i of them. */
GPI_DEVICE GPI(entry) GPI(listed_item)(const GPI(row) *row, uint32_t i)
{
    if (i < row->rest)
        return GPI(row_item)(row, GPI(rest_place)(row, i));
    i -= row->rest;
    return GPI(row_item)(row, GPI(vector_place)(row, row->vectors[i / GPI(row_vector_n)]) + i % GPI(row_vector_n));
}

/* Divides what is between the row's least number and the bound among the buckets. */
GPI_DEVICE void GPI(lay_out_buckets)(GPI(row) *row, GPI(entry) bound)
{
    const uint64_t span = GPI(as_number)(bound.number - row->least);
    const uint32_t places = gpi_min(span ? UINT32_MAX : bound.rank, row->n - 1);
    const int bits = 64 - __clzll((long long)(span ? span : places));
    const int left = GPI(row_bucket_bits) - (span ? bits : 0);

    row->by_place = span == 0;
    row->shift = bits > GPI(row_bucket_bits) ? bits - GPI(row_bucket_bits) : 0;
    if (!row->by_vectors)
        return;
    row->up = span && left > 0 ? left : 0;
    const int place_bits = 32 - __clz((int)places);
    row->place_shift = left <= 0 ? 31 : place_bits > left ? place_bits - left : 0;
}

/* By numbers, or, if all are the same, by places. If vectors give the bound, by both where numbers have few bits. */
GPI_DEVICE uint32_t GPI(bucket_of)(const GPI(row) *row, GPI(entry) entry)
{
    const uint64_t number = GPI(as_number)(entry.number - row->least);

    if (row->by_vectors)
        return row->by_place ? entry.rank >> row->shift
                             : (uint32_t)(number << row->up >> row->shift) | entry.rank >> row->place_shift;
    return (uint32_t)((row->by_place ? entry.rank : number) >> row->shift);
}

/* Enters an item within the bound, if there is room. */
GPI_DEVICE void GPI(enter_item)(const GPI(row) *row, GPI(entry) entry)
{
    const uint32_t at = atomicAdd(&row->team->count, 1u);

    if (at < row->room)
        GPI(put_listed)(row->entries, at, entry);
    atomicAdd(&row->team->buckets[GPI(bucket_of)(row, entry)], 1u);
}

/* Enters the items within the bound, as far as there is room. All threads call. */
GPI_DEVICE void GPI(enter_items)(const GPI(row) *row, GPI(entry) bound)
{
    const uint32_t n = GPI(listed_items)(row);

    GPI_NO_UNROLL
    for (uint32_t i = row->thread; i < n; i += 2 * row->threads) {
        const int has_second = i + row->threads < n;
        const GPI(entry) first = GPI(listed_item)(row, i); /* both are under way at a time */
        const GPI(entry) second = GPI(listed_item)(row, has_second ? i + row->threads : i);

        if (!GPI(is_before)(bound, first))
            GPI(enter_item)(row, first);
        if (has_second && !GPI(is_before)(bound, second))
            GPI(enter_item)(row, second);
    }
    GPI(sync_team)(row->is_warp); /* the entries are there */
}

/* How many items are within the bound. All threads call. */
GPI_DEVICE uint32_t GPI(count_items)(const GPI(row) *row, GPI(entry) bound)
{
    uint32_t count = 0;

    GPI(sync_team)(row->is_warp); /* all have read the count */
    if (row->thread == 0)
        row->team->count = 0;
    GPI(sync_team)(row->is_warp); /* it is clear */
    GPI_NO_UNROLL
    for (uint32_t i = row->thread; i < GPI(listed_items)(row); i += row->threads)
        count += (uint32_t)!GPI(is_before)(bound, GPI(listed_item)(row, i));
    atomicAdd(&row->team->count, count);
    GPI(sync_team)(row->is_warp); /* all have been counted */
    return row->team->count;
}

/*
 * When there is no room for what is within the bound: narrows it by bisection, with a count of items for each step, and
 * enters those that are within it then, k at least.
 */
GPI_DEVICE void GPI(narrow_row)(GPI(row) *row, GPI(entry) high)
{
    GPI(entry) low, middle;
    uint32_t count = UINT32_MAX;

    low.number = row->least;
    low.rank = 0;
    high.rank = gpi_min(high.rank, row->n - 1);
    for (int turn = 0; count > row->room; turn++) {
        middle.number = GPI(as_number)(low.number + GPI(as_number)(high.number - low.number) / 2);
        if (turn == 0 && low.number < high.number) /* often there are many items with the number of the bound */
            middle.number = high.number - 1;
        middle.rank = low.number < high.number ? row->n - 1 : low.rank + (high.rank - low.rank) / 2;
        const uint32_t within = GPI(count_items)(row, middle);

        if (within >= row->k) {
            high = middle;
            count = within;
        } else if (low.number < high.number) {
            low.number = middle.number + 1;
        } else {
            low.rank = middle.rank + 1;
        }
    }
    GPI(sync_team)(row->is_warp); /* all have read the count */
    GPI(clear_entries)(row);
    GPI(lay_out_buckets)(row, high);
    GPI(sync_team)(row->is_warp); /* there are no entries */
    GPI(enter_items)(row, high);
}

/* Lists the thread's vectors that have items within the bound. All threads call. */
GPI_DEVICE void GPI(list_vectors)(const GPI(row) *row, uint32_t vectors)
{
    uint32_t at = vectors ? atomicAdd(&row->team->vectors, (uint32_t)__popc(vectors)) : 0;

    GPI_NO_UNROLL
    for (; vectors; vectors &= vectors - 1)
        row->vectors[at++] = (uint16_t)GPI(own_vector)(row, (uint32_t)__ffs((int)vectors) - 1);
    GPI(sync_team)(row->is_warp); /* the list is there */
}

/* How many of the thread's vectors have their least item within the bound, by the last of their places. */
GPI_DEVICE uint32_t GPI(count_vectors)(const GPI(row) *row, const uint64_t *minima, GPI(entry) bound)
{
    uint32_t count = 0;

    GPI_UNROLL
    for (uint32_t v = 0; v < GPI(row_vectors); v++) {
        GPI(entry) entry;

        entry.number = minima[v];
        entry.rank = GPI(vector_place)(row, GPI(own_vector)(row, v)) + GPI(row_vector_n) - 1;
        count += (uint32_t)!GPI(is_before)(bound, entry);
    }
    return count;
}

/* The sum of a number of each thread of the block, in turn `turn`. All threads call. */
GPI_DEVICE uint32_t GPI(sum_team)(const GPI(row) *row, uint32_t x, uint32_t turn)
{
    const uint32_t sum = gpi_warp_sum(x);

    if (threadIdx.x % 32 == 0)
        atomicAdd(&row->team->sums[turn % 3], sum);
    if (threadIdx.x == 0)
        row->team->sums[(turn + 1) % 3] = 0; /* all have read it, two turns ago */
    __syncthreads(); /* the sum is there */
    return row->team->sums[turn % 3];
}

/*
 * A bound that as many vectors as are needed have their least item within, and not many more; by places, too, where
 * numbers are equal. `high` is the largest of the vectors' least numbers.
 */
GPI_DEVICE GPI(entry) GPI(bound_vectors)(const GPI(row) *row, const uint64_t *minima, uint64_t high)
{
    GPI(entry) low, bound, middle;
    uint32_t count = UINT32_MAX;

    low.number = row->least;
    low.rank = 0;
    bound.number = high;
    bound.rank = row->n - 1;
    if (row->needed > row->vectors_n) { /* there are not so many */
        bound.number = GPI(last_entry)().number;
        return bound;
    }
    GPI_NO_UNROLL
    for (uint32_t turn = 0; count > GPI(enough)(row->needed) && GPI(is_before)(low, bound); turn++) {
        const int by_number = low.number < bound.number;

        middle.number = GPI(as_number)(low.number + GPI(as_number)(bound.number - low.number) / 2);
        middle.rank = by_number ? row->n - 1 : low.rank + (bound.rank - low.rank) / 2;
        const uint32_t within = GPI(sum_team)(row, GPI(count_vectors)(row, minima, middle), turn);
        if (within >= row->needed) {
            bound = middle;
            count = within;
        } else if (by_number) {
            low.number = middle.number + 1;
        } else {
            low.rank = middle.rank + 1;
        }
    }
    return bound;
}

/* A bound that k threads at least have their least item within, and not many more; likewise by places, too. */
GPI_DEVICE GPI(entry) GPI(bound_threads)(const GPI(row) *row, const uint64_t *minima, uint64_t least, uint64_t high)
{
    uint32_t threads = row->threads, last = UINT32_MAX;
    GPI(entry) bound;

    if (row->vectors_n < row->threads) { /* `high` is the largest of those that have items: they may be too few */
        const uint32_t some = GPI(count_threads)(row->is_warp, GPI(is_within)(least, high));

        threads = some < row->k ? threads : some;
        high = some < row->k ? GPI(last_entry)().number : high;
    }
    bound.number = GPI(bound_numbers)(row->is_warp, least, row->least, high, row->k, &threads);
    bound.rank = UINT32_MAX;
    if (threads > GPI(enough)(row->k)) { /* equal numbers: always so, if it is that of what is behind the end */
        GPI_UNROLL
        for (uint32_t v = GPI(row_vectors); v-- > 0;)
            if (GPI(is_within)(minima[v], bound.number))
                last = GPI(vector_place)(row, GPI(own_vector)(row, v)) + GPI(row_vector_n) - 1;
        bound.rank = GPI(bound_ranks)(row->is_warp, least < bound.number ? 0 : last, row->n - 1, row->k, threads);
    }
    return bound;
}

/* Leaves entries that are within a bound by the least items of the threads, or of vectors. Returns how many. */
GPI_DEVICE uint32_t GPI(find_entries)(GPI(row) *row)
{
    uint64_t minima[GPI(row_vectors)], high, most = 0, rest = GPI(last_entry)().number;
    uint32_t vectors = 0;
    GPI(entry) bound;

    GPI(clear_entries)(row);
    if (row->thread == 0)
        row->team->vectors = row->team->sums[0] = 0;
    GPI(find_minima)(row, minima);
    const uint64_t least = GPI(least_of)(minima, GPI(row_vectors));
    GPI_UNROLL
    for (uint32_t v = 0; v < GPI(row_vectors); v++)
        most = minima[v] > most ? minima[v] : most;
    if (!row->by_vectors)
        most = row->vectors_n < row->threads && least == GPI(last_entry)().number ? 0 : least;
    if (row->thread < row->rest)
        rest = GPI(row_item)(row, GPI(rest_place)(row, row->thread)).number;
    GPI(find_ends)(row->is_warp, row->team->ends, GPI(lesser)(least, rest), most, &row->least, &high);
    if (row->is_warp)
        __syncwarp(); /* there are no entries, and no vectors: a block has met at a barrier */
    bound = row->by_vectors ? GPI(bound_vectors)(row, minima, high) : GPI(bound_threads)(row, minima, least, high);
    GPI_UNROLL
    for (uint32_t v = 0; v < GPI(row_vectors); v++)
        vectors |= (uint32_t)GPI(is_within)(minima[v], bound.number) << v;
    if (bound.rank != UINT32_MAX || bound.number == GPI(last_entry)().number) {
        GPI_UNROLL
        for (uint32_t v = 0; v < GPI(row_vectors); v++) {
            const uint32_t own = GPI(own_vector)(row, v);

            if (own >= row->vectors_n || (minima[v] == bound.number && GPI(vector_place)(row, own) > bound.rank))
                vectors &= ~(1u << v);
        }
    }
    GPI(lay_out_buckets)(row, bound);
    GPI(list_vectors)(row, vectors);
    GPI(enter_items)(row, bound);
    if (row->team->count > row->room)
        GPI(narrow_row)(row, bound);
    return row->team->count;
}

/*
 * Turns the buckets' counts into where each begins. Returns the largest count, if there may be many entries. If `to_k`
 * is set, a constant, the last bucket that has any of the k best is found, and those behind it do not count.
 */
GPI_DEVICE uint32_t GPI(scan_buckets)(const GPI(row) *row, int to_k)
{
    enum { EACH = GPI(row_buckets) / 32 };
    uint32_t *buckets = row->team->buckets + EACH * (row->thread % 32);

    if (row->thread < 32) {
        uint32_t counts[EACH], sum = 0, largest = 0, last = 0;

        GPI_UNROLL
        for (uint32_t i = 0; i < EACH; i++) {
            sum += counts[i] = buckets[i];
            largest = !to_k && counts[i] > largest ? counts[i] : largest;
        }
        uint32_t before = gpi_warp_prefix(sum, row->thread) - sum;
        GPI_UNROLL
        for (uint32_t i = 0; i < EACH; i++) {
            buckets[i] = before;
            if (to_k && before < row->k) {
                last = EACH * row->thread + i;
                largest = counts[i] > largest ? counts[i] : largest;
            }
            before += counts[i];
        }
        if (row->by_vectors)
            row->team->largest = gpi_warp_max(largest);
        if (to_k)
            row->team->last = gpi_warp_max(last);
    }
    GPI(sync_team)(row->is_warp); /* where buckets begin is known */
    return row->by_vectors ? row->team->largest : 0;
}

/* Puts entries in the order of their buckets. */
GPI_DEVICE void GPI(sort_by_bucket)(const GPI(row) *row, uint32_t count)
{
    GPI_NO_UNROLL
    for (uint32_t i = row->thread; i < count; i += row->threads) {
        const GPI(entry) entry = GPI(get_listed)(row->entries, i);

        GPI(put_listed)(row->sorted, atomicAdd(&row->team->buckets[GPI(bucket_of)(row, entry)], 1u), entry);
    }
    GPI(sync_team)(row->is_warp); /* entries are in their buckets */
}

/* How many entries come before one that is in this bucket. */
GPI_DEVICE uint32_t GPI(rank_in_row)(const GPI(row) *row, GPI(entry) entry, uint32_t bucket)
{
    const uint32_t begin = bucket ? row->team->buckets[bucket - 1] : 0, end = row->team->buckets[bucket];
    uint32_t rank = begin;

    GPI_UNROLL_BY_8
    for (uint32_t i = begin; i < end; i++)
        rank += (uint32_t)GPI(is_before)(GPI(get_listed)(row->sorted, i), entry);
    return rank;
}

/* The bucket of an entry, by splitters: each but the first is the least entry of one. */
GPI_DEVICE uint32_t GPI(bucket_between)(GPI(list) splitters, GPI(entry) entry)
{
    uint32_t bucket = 0;

    GPI_UNROLL
    for (uint32_t step = GPI(row_buckets) / 2; step > 0; step /= 2)
        bucket += GPI(is_before)(entry, GPI(get_listed)(splitters, bucket + step)) ? 0 : step;
    return bucket;
}

/*
 * Puts the entries in order where they are, whatever their numbers: in buckets between splitters, a sample of them in
 * order. More than there are buckets; no two are the same. A call, for it is rare. All threads of a block call.
 */
GPI_DEVICE_CALL void GPI(sort_crowded)(GPI(team) *team, uint32_t room, uint32_t count)
{
    uint32_t *buckets = team->buckets;
    GPI(list) splitters; /* the vectors have served */
    GPI(row) row;

    row.by_vectors = 1;
    row.is_warp = 0;
    row.thread = threadIdx.x;
    row.threads = blockDim.x;
    row.room = room;
    row.team = team;
    GPI(carve_team)(&row);
    splitters.words = (uint64_t *)(void *)row.vectors;
    splitters.ranks = (uint32_t *)(void *)(splitters.words + GPI(row_buckets));
    __syncthreads(); /* where buckets begin has been read */
    GPI_NO_UNROLL
    for (uint32_t i = row.thread; i < GPI(row_buckets); i += row.threads) {
        const GPI(entry) entry = GPI(get_listed)(row.entries, i * count / GPI(row_buckets));
        uint32_t rank = 0;

        GPI_UNROLL_BY_8
        for (uint32_t j = 0; j < GPI(row_buckets); j++)
            rank += (uint32_t)GPI(is_before)(GPI(get_listed)(row.entries, j * count / GPI(row_buckets)), entry);
        GPI(put_listed)(splitters, rank, entry);
        buckets[i] = 0;
    }
    __syncthreads(); /* the splitters are there, the buckets are empty */
    GPI_NO_UNROLL
    for (uint32_t i = row.thread; i < count; i += row.threads)
        atomicAdd(&buckets[GPI(bucket_between)(splitters, GPI(get_listed)(row.entries, i))], 1u);
    __syncthreads(); /* entries have been counted */
    (void)GPI(scan_buckets)(&row, 0);
    GPI_NO_UNROLL
    for (uint32_t i = row.thread; i < count; i += row.threads) {
        const GPI(entry) entry = GPI(get_listed)(row.entries, i);

        GPI(put_listed)(row.sorted, atomicAdd(&buckets[GPI(bucket_between)(splitters, entry)], 1u), entry);
    }
    __syncthreads(); /* entries are in their buckets */
    GPI_NO_UNROLL
    for (uint32_t i = row.thread; i < count; i += row.threads) {
        const GPI(entry) entry = GPI(get_listed)(row.sorted, i);

        GPI(put_listed)(row.entries, GPI(rank_in_row)(&row, entry, GPI(bucket_between)(splitters, entry)), entry);
    }
    __syncthreads(); /* they are in order */
}

/* The part of a row, or of its lists, that is the team's. Returns the number of the row. */
GPI_DEVICE uint32_t GPI(take_row)(GPI(row) *row, const GPI(job) *job, uint32_t unit)
{
    const uint32_t row_n = (uint32_t)job->row_n;
    uint32_t s = unit;

    row->n = row_n;
    row->first = 0;
    if (job->parts > 1) {
        const uint32_t parts = (uint32_t)job->parts, part = unit % parts;

        s = unit / parts;
        row->first = part * (uint32_t)job->part_n + gpi_min(part, job->longer) * GPI(row_vector_n);
        row->n = part + 1 == parts ? row_n - row->first
                                   : (uint32_t)job->part_n + (part < job->longer ? GPI(row_vector_n) : 0);
    }
    row->keys = job->keys + (s * (size_t)row_n + row->first);
    const uint32_t past = (uint32_t)((uintptr_t)row->keys % GPI(row_vector_bytes));
    row->head = past ? (uint32_t)((GPI(row_vector_bytes) - past) / sizeof(GP_KEY)) : 0; /* less than a part has */
    row->vectors_n = (row->n - row->head) / GPI(row_vector_n);
    row->rest = row->n - row->vectors_n * GPI(row_vector_n);
    return s;
}

/* Writes the k best of `count` entries, which are in order, or in buckets: to the results of row s, or to a list. */
GPI_DEVICE void GPI(write_row)(const GPI(row) *row, const GPI(job) *job, uint32_t unit, uint32_t s, uint32_t count,
                               int in_order)
{
    GPI_NO_UNROLL
    for (uint32_t i = row->thread; i < count; i += row->threads) {
        const GPI(entry) entry = GPI(get_listed)(in_order ? row->entries : row->sorted, i);
        uint32_t place = row->first + entry.rank;

        if (job->places)
            place = job->places[s * (size_t)(uint32_t)job->row_n + place];
        const uint32_t rank = in_order ? i : GPI(rank_in_row)(row, entry, GPI(bucket_of)(row, entry));
        if (rank < row->k) {
            const size_t to = unit * (size_t)row->k + rank;

            job->keys_out[to] = GPI(key_of_number)(entry.number, &row->keys[entry.rank]);
            if (job->places_out)
                job->places_out[to] = place;
            else
                GPI(write_value)(job, s * job->length, to, place);
        }
    }
}

/* Puts `count` entries, which have been counted in buckets, in order, and writes the k best. All threads call. */
GPI_DEVICE void GPI(finish_row)(const GPI(row) *row, const GPI(job) *job, uint32_t unit, uint32_t s, uint32_t count)
{
    const int is_crowded = GPI(scan_buckets)(row, 0) > GPI(row_crowd);

    if (is_crowded)
        GPI(sort_crowded)(row->team, row->room, count);
    else
        GPI(sort_by_bucket)(row, count);
    GPI(write_row)(row, job, unit, s, count, is_crowded);
}

/*
 * Selects from a row of which much is wanted, without a bound: its items are in registers until it is known how many
 * buckets have any of the k best. `items`, a constant, is how many a thread may have. All threads call.
 */
GPI_DEVICE void GPI(take_whole)(GPI(row) *row, const GPI(job) *job, uint32_t s, uint32_t items)
{
    uint64_t numbers[2 * GPI(whole_items)], least = GPI(last_entry)().number, most = 0;
    GPI(entry) entry;

    GPI(clear_entries)(row);
    GPI_UNROLL
    for (uint32_t j = 0; j < items; j++) {
        const uint32_t place = j * row->threads + row->thread;

        numbers[j] = GPI(last_entry)().number;
        if (place < row->n)
            numbers[j] = GPI(key_order)(row->keys[place]);
    }
    GPI_UNROLL
    for (uint32_t j = 0; j < items && j * row->threads < row->n; j++) {
        const int is_item = j * row->threads + row->thread < row->n;

        least = GPI(lesser)(least, numbers[j]);
        most = is_item && numbers[j] > most ? numbers[j] : most;
    }
    GPI(find_ends)(row->is_warp, row->team->ends, least, most, &row->least, &entry.number);
    entry.rank = row->n - 1;
    GPI(lay_out_buckets)(row, entry);
    if (row->is_warp)
        __syncwarp(); /* the buckets are empty: a block has met at a barrier */
    GPI_UNROLL
    for (uint32_t j = 0; j < items && j * row->threads < row->n; j++) {
        entry.number = GPI(as_number)(numbers[j]);
        entry.rank = j * row->threads + row->thread;
        if (entry.rank < row->n)
            atomicAdd(&row->team->buckets[GPI(bucket_of)(row, entry)], 1u);
    }
    GPI(sync_team)(row->is_warp); /* the buckets have been counted */
    const int in_order = GPI(scan_buckets)(row, 1) > GPI(row_crowd); /* a warp has no more items than that */
    const uint32_t last = row->team->last;
    GPI_UNROLL
    for (uint32_t j = 0; j < items && j * row->threads < row->n; j++) {
        entry.number = GPI(as_number)(numbers[j]);
        entry.rank = j * row->threads + row->thread;
        const uint32_t bucket = GPI(bucket_of)(row, entry);
        if (entry.rank < row->n && bucket <= last)
            GPI(put_listed)(in_order ? row->entries : row->sorted, atomicAdd(&row->team->buckets[bucket], 1u), entry);
    }
    GPI(sync_team)(row->is_warp); /* entries are in their buckets */
    const uint32_t count = row->team->buckets[last];
    if (in_order)
        GPI(sort_crowded)(row->team, row->room, count);
    GPI(write_row)(row, job, s, s, count, in_order);
}

/* Enters the unit that is the team's, and says which it is, and of which row. Returns 0 if there is none. */
GPI_DEVICE int GPI(enter_row)(GPI(row) *row, const GPI(job) *job, char *shared, int is_warp, uint32_t *unit,
                              uint32_t *s)
{
    const uint32_t own = is_warp ? threadIdx.x / 32 : 0;

    row->threads = is_warp ? 32 : blockDim.x;
    *unit = blockIdx.x * job->group + own; /* units are far fewer than 2^32 */
    if (*unit >= (uint32_t)job->units)
        return 0;
    *s = GPI(take_row)(row, job, *unit);
    row->k = (uint32_t)job->k;
    row->needed = job->needed;
    row->room = job->room;
    row->thread = threadIdx.x & (row->threads - 1);
    row->is_warp = is_warp;
    row->team = (GPI(team) *)(void *)(shared + own * GPI(team_bytes)(row->threads, row->room));
    GPI(carve_team)(row);
    return 1;
}

/* Selects from the part that is the team's; `by_vectors` is a constant. */
GPI_DEVICE void GPI(select_row)(const GPI(job) *job, char *shared, int by_vectors)
{
    uint32_t unit, s;
    GPI(row) row;

    row.by_vectors = by_vectors;
    if (GPI(enter_row)(&row, job, shared, !by_vectors && job->group > 1, &unit, &s))
        GPI(finish_row)(&row, job, unit, s, GPI(find_entries)(&row));
}
#endif

/* A block has `group` parts of rows, and a warp for each if they are several. */
static __global__ void __launch_bounds__(GPI_TUNE_TOP_K_THREADS, GPI_TUNE_TOP_K_BLOCKS) GPI(row_kernel)(GPI(job) job)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, shared);

    gpi_grid_wait();
    gpi_grid_launch_next();
    if (job.needed)
        GPI(select_row)(&job, shared, 1);
    else
        GPI(select_row)(&job, shared, 0);
#endif
}

/* The same for rows that are taken whole. */
static __global__ void __launch_bounds__(GPI_TUNE_TOP_K_THREADS, GPI_TUNE_TOP_K_BLOCKS) GPI(whole_kernel)(GPI(job) job)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, shared);
    uint32_t unit, s;
    GPI(row) row;

    gpi_grid_wait();
    gpi_grid_launch_next();
    row.by_vectors = 1; /* entries may be many */
    if (!GPI(enter_row)(&row, &job, shared, job.group > 1, &unit, &s))
        return;
    if (row.n > GPI(whole_items) * row.threads)
        GPI(take_whole)(&row, &job, s, 2 * GPI(whole_items));
    else
        GPI(take_whole)(&row, &job, s, GPI(whole_items));
#endif
}
