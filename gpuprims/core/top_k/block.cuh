/*
 * core/top_k/block.cuh: what a block that selects has in shared memory: entries, pairs of a number and a rank, all
 * different, so that equal keys are nothing special. They are sorted by a bitonic network. The k best of them are found
 * by their digits, from the highest down (radix selection). Items within a bound are streamed there.
 *
 * Part of top_k.cuh; not to be included directly.
 */
enum {
    GPI(room) = GPI_TUNE_TOP_K_ROOM,
    GPI(full_room) = GPI_KEY_IS_NARROW ? GPI(room) + GPI(room) / 2 : GPI(room), /* if none is added later */
    GPI(threads) = GPI_TUNE_TOP_K_THREADS,
    GPI(vector_n) = 16 / (int)sizeof(GP_KEY),
    GPI(rows) = sizeof(GP_KEY) < 8 ? 2 * (int)sizeof(GP_KEY) : 8, /* vectors of a thread in a tile; items are bits */
    GPI(single_rows) = 4,                                         /* the same of single items */
    GPI(warp_rows) = 4,                                           /* items of a lane, of a short segment */
    GPI(warp_n) = 32 * GPI(warp_rows)
};

/* What is sorted: a number that orders as the key, and a rank, which says which of two equal ones comes first. */
typedef struct {
    uint64_t number;
    uint32_t rank;
} GPI(entry);

/* What a block has in shared memory. */
typedef struct {
    GPI(job) job;
    GPI(segment) segment;
    size_t first;     /* place of the part's first item in its segment, or of its first candidate */
    size_t stride;    /* from one list to the next */
    uint32_t n;       /* items of the part */
    uint32_t count;   /* entries, or more, if there was no room */
    int is_last;      /* what is selected are results */
    GPI(entry) bound; /* the last entry that may be among the k best */
    uint32_t counts[256]; /* of digits */
    uint32_t digit, left, in_digit;
    uint64_t ends[2][GPI(threads) / 32]; /* words of the warps */
    uint64_t highs[GPI(full_room)]; /* entries: narrow numbers and their ranks in a word, others apart */
    uint32_t lows[GPI_KEY_IS_NARROW ? 2 : GPI(room)];
} GPI(block);

#if GPI_DEVICE_CODE
/* ---- entries ----------------------------------------------------------------------------------- */

GPI_DEVICE int GPI(is_before)(GPI(entry) a, GPI(entry) b)
{
    if (GPI_KEY_IS_NARROW) /* a comparison of one word */
        return (a.number << 32 | a.rank) < (b.number << 32 | b.rank);
    return a.number < b.number || (a.number == b.number && a.rank < b.rank);
}

GPI_DEVICE GPI(entry) GPI(get_entry)(const GPI(block) *block, uint32_t i)
{
    GPI(entry) entry;

    entry.number = GPI_KEY_IS_NARROW ? block->highs[i] >> 32 : block->highs[i];
    entry.rank = GPI_KEY_IS_NARROW ? (uint32_t)block->highs[i] : block->lows[i];
    return entry;
}

GPI_DEVICE void GPI(put_entry)(GPI(block) *block, uint32_t i, GPI(entry) entry)
{
    block->highs[i] = GPI_KEY_IS_NARROW ? entry.number << 32 | entry.rank : entry.number;
    if (!GPI_KEY_IS_NARROW)
        block->lows[i] = entry.rank;
}

/* The entry behind all others. */
GPI_DEVICE GPI(entry) GPI(last_entry)(void)
{
    GPI(entry) entry;

    entry.number = GPI_KEY_IS_NARROW ? UINT32_MAX : UINT64_MAX;
    entry.rank = UINT32_MAX;
    return entry;
}

/* ---- lists ------------------------------------------------------------------------------------- */

/* Entries of a warp, or of a block that selects from a row. */
typedef struct {
    uint64_t *words; /* narrow numbers and their ranks in a word, others apart */
    uint32_t *ranks;
} GPI(list);

GPI_DEVICE GPI(entry) GPI(get_listed)(GPI(list) list, uint32_t i)
{
    GPI(entry) entry;

    entry.number = GPI_KEY_IS_NARROW ? list.words[i] >> 32 : list.words[i];
    entry.rank = GPI_KEY_IS_NARROW ? (uint32_t)list.words[i] : list.ranks[i];
    return entry;
}

GPI_DEVICE void GPI(put_listed)(GPI(list) list, uint32_t i, GPI(entry) entry)
{
    list.words[i] = GPI_KEY_IS_NARROW ? entry.number << 32 | entry.rank : entry.number;
    if (!GPI_KEY_IS_NARROW)
        list.ranks[i] = entry.rank;
}

/* How many of n entries come before one; n is a multiple of 8. */
GPI_DEVICE uint32_t GPI(rank_in_list)(GPI(list) list, uint32_t n, GPI(entry) entry)
{
    uint32_t rank = 0;

    GPI_NO_UNROLL
    for (uint32_t first = 0; first < n; first += 8)
        GPI_UNROLL
        for (uint32_t e = 0; e < 8; e++)
            rank += (uint32_t)GPI(is_before)(GPI(get_listed)(list, first + e), entry);
    return rank;
}

/* ---- sorting ----------------------------------------------------------------------------------- */

/* Puts two entries in order. */
GPI_DEVICE void GPI(order_two)(GPI(block) *block, uint32_t low, uint32_t high)
{
    const GPI(entry) a = GPI(get_entry)(block, low), b = GPI(get_entry)(block, high);

    if (GPI(is_before)(b, a)) {
        GPI(put_entry)(block, low, b);
        GPI(put_entry)(block, high, a);
    }
}

/* The entry of the lane whose number is this lane's, with the bits of `mask` flipped. */
GPI_DEVICE GPI(entry) GPI(exchange)(GPI(entry) x, unsigned mask)
{
    GPI(entry) other;

    other.number = (uint32_t)__shfl_xor_sync(GPI_FULL_MASK, (uint32_t)x.number, (int)mask);
    if (!GPI_KEY_IS_NARROW)
        other.number |= (uint64_t)__shfl_xor_sync(GPI_FULL_MASK, (uint32_t)(x.number >> 32), (int)mask) << 32;
    other.rank = __shfl_xor_sync(GPI_FULL_MASK, x.rank, (int)mask);
    return other;
}

/* The first or the second of two entries. */
GPI_DEVICE GPI(entry) GPI(one_of)(GPI(entry) a, GPI(entry) b, int first)
{
    return GPI(is_before)(a, b) == first ? a : b;
}

/*
 * One warp and 64 entries, in registers: the comparators of the network from `size` to 64 entries, or, if that is more,
 * those of its last six steps.
 */
GPI_DEVICE void GPI(sort_64)(GPI(block) *block, uint32_t first, uint32_t size)
{
    const unsigned lane = threadIdx.x % 32;
    GPI(entry) a = GPI(get_entry)(block, first + lane), b = GPI(get_entry)(block, first + 32 + lane);

    GPI_NO_UNROLL
    for (; size <= 64; size *= 2)
        GPI_NO_UNROLL
        for (uint32_t span = size; span > 1; span /= 2) {
            const unsigned mask = span == size ? gpi_min(span, 32) - 1 : span / 2;
            const GPI(entry) other_a = GPI(exchange)(a, mask), other_b = GPI(exchange)(b, mask);
            const int is_first = (lane & span / 2) == 0;

            a = GPI(one_of)(a, span == 64 ? other_b : other_a, is_first);
            b = GPI(one_of)(b, span == 64 ? other_a : other_b, span != 64 && is_first);
        }
    if (size > 128) {
        const GPI(entry) other = b;

        b = GPI(one_of)(a, b, 0);
        a = GPI(one_of)(a, other, 1);
        GPI_NO_UNROLL
        for (uint32_t step = 16; step > 0; step /= 2) {
            a = GPI(one_of)(a, GPI(exchange)(a, step), (lane & step) == 0);
            b = GPI(one_of)(b, GPI(exchange)(b, step), (lane & step) == 0);
        }
    }
    GPI(put_entry)(block, first + lane, a);
    GPI(put_entry)(block, first + 32 + lane, b);
}

/*
 * Sorts n entries by a bitonic network (Batcher, Sorting networks and their applications, 1968), whose comparators all
 * point upwards: of two sorted halves the second is taken backwards. Entries up to the next power of two are filled up.
 * Comparators of entries that are less than 64 apart are left to warps. All threads call, and entries are there for all
 * afterwards.
 */
GPI_DEVICE_CALL void GPI(sort_entries)(uint32_t n)
{
    GP_DYNAMIC_SHARED(GPI(block), block);
    uint32_t all = 64;

    while (all < n)
        all *= 2;
    __syncthreads(); /* all entries have been written */
    for (uint32_t i = n + threadIdx.x; i < all; i += blockDim.x)
        GPI(put_entry)(block, i, GPI(last_entry)());
    __syncthreads(); /* those that fill up, too */
    GPI_NO_UNROLL
    for (uint32_t size = 64; size <= all; size *= 2) {
        GPI_NO_UNROLL
        for (uint32_t span = size; span > 64; span /= 2) {
            const uint32_t apart = span / 2;

            GPI_UNROLL_BY_2
            for (uint32_t t = threadIdx.x; t < all / 2; t += blockDim.x) {
                const uint32_t at = t & (apart - 1), low = 2 * t - at;

                GPI(order_two)(block, low, span == size ? low + span - 1 - 2 * at : low + apart);
            }
            __syncthreads(); /* the next comparators are of other entries */
        }
        GPI_NO_UNROLL
        for (uint32_t first = threadIdx.x / 32 * 64; first < all; first += 2 * blockDim.x)
            GPI(sort_64)(block, first, size == 64 ? 2 : 2 * size);
        __syncthreads(); /* entries are in order, as far as `size` of them */
    }
}

/*
 * Puts n entries in order, no more than there are threads: each is ranked by a thread, or several lanes, which count
 * the entries before it. If they are few, that is faster than the network. All threads call.
 */
GPI_DEVICE_CALL void GPI(rank_entries)(uint32_t n)
{
    GP_DYNAMIC_SHARED(GPI(block), block);
    uint32_t lanes = 1, rank = 0;

    while (lanes < 32 && 2 * lanes * n <= blockDim.x)
        lanes *= 2;
    const uint32_t own = threadIdx.x / lanes, first = threadIdx.x % lanes;
    __syncthreads(); /* all entries have been written */
    const GPI(entry) entry = GPI(get_entry)(block, own < n ? own : 0);
    GPI_UNROLL_BY_8
    for (uint32_t i = own < n ? first : n; i < n; i += lanes)
        rank += (uint32_t)GPI(is_before)(GPI(get_entry)(block, i), entry);
    GPI_NO_UNROLL
    for (uint32_t mask = lanes / 2; mask > 0; mask /= 2)
        rank += __shfl_xor_sync(GPI_FULL_MASK, rank, (int)mask);
    __syncthreads(); /* all entries have been ranked */
    if (own < n && first == 0)
        GPI(put_entry)(block, rank, entry);
    __syncthreads(); /* they are in order */
}

/* ---- selecting --------------------------------------------------------------------------------- */

/* What of an entry is looked at: its number, with the rank if there is room, or, of those with `number`, its rank. */
GPI_DEVICE int GPI(part_of)(const GPI(block) *block, uint32_t i, int by_rank, uint64_t number, uint64_t *word)
{
    *word = by_rank ? block->lows[GPI_KEY_IS_NARROW ? 0 : i] : block->highs[i];
    return !by_rank || block->highs[i] == number;
}

/* Counts the digits of so many bits that start at bit `shift` of those of n words that begin with `prefix`. */
GPI_DEVICE void GPI(count_digits)(GPI(block) *block, uint32_t n, int by_rank, uint64_t number, int shift, int bits,
                                  uint64_t prefix)
{
    uint64_t word;

    for (uint32_t i = threadIdx.x; i < 256; i += blockDim.x)
        block->counts[i] = 0;
    __syncthreads(); /* counts are clear */
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
        if (GPI(part_of)(block, i, by_rank, number, &word) && word >> shift >> bits == prefix)
            atomicAdd(&block->counts[word >> shift & ((1u << bits) - 1)], 1u);
    __syncthreads(); /* digits have been counted */
}

/* One warp: which digit the word has that is behind `left` others, and how many of these have the same. */
GPI_DEVICE void GPI(choose_digit)(GPI(block) *block, uint32_t left)
{
    const unsigned lane = threadIdx.x % 32;
    uint32_t counts[8], sum = 0;

    GPI_UNROLL
    for (int i = 0; i < 8; i++)
        sum += counts[i] = block->counts[8 * lane + (unsigned)i];
    uint32_t before = gpi_warp_prefix(sum, lane) - sum;
    if (left < before || left >= before + sum)
        return;
    GPI_UNROLL
    for (uint32_t i = 0; i < 8; i++) {
        if (left >= before && left - before < counts[i]) {
            block->digit = 8 * lane + i;
            block->left = left - before;
            block->in_digit = counts[i];
        }
        before += counts[i];
    }
}

/*
 * A bound that `wanted` of n entries are within, digit by digit from the topmost that is not the same in all. It ends
 * when all entries that have the digits so far are wanted.
 */
GPI_DEVICE_CALL void GPI(bound_entries)(uint32_t n, uint32_t wanted)
{
    GP_DYNAMIC_SHARED(GPI(block), block);
    uint64_t number = 0, word, differ = 0;
    uint32_t left = wanted - 1;
    int by_rank = 0, bits = 8, shift;

    __syncthreads(); /* all entries have been written */
    const uint64_t first = block->highs[0];
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
        differ |= block->highs[i] ^ first;
    differ = gpi_radix_block_or(block->ends[0], differ, 0);
    shift = 56 - __clzll((long long)(differ | 255)); /* from the topmost bit that differs */
    uint64_t prefix = first >> shift >> 8;
    GPI_NO_UNROLL
    for (;;) {
        GPI(count_digits)(block, n, by_rank, number, shift, bits, prefix);
        if (threadIdx.x < 32)
            GPI(choose_digit)(block, left);
        __syncthreads(); /* the digit is known */
        prefix = prefix << bits | block->digit;
        left = block->left;
        word = ~(~prefix << shift);
        if (left + 1 == block->in_digit || (shift == 0 && (GPI_KEY_IS_NARROW || by_rank)))
            break;
        if (shift == 0) { /* equal numbers */
            number = prefix;
            by_rank = 1;
            prefix = 0;
            shift = 32;
        }
        bits = shift < 8 ? shift : 8; /* of the last one, what is left */
        shift -= bits;
    }
    if (threadIdx.x == 0) {
        block->bound.number = GPI_KEY_IS_NARROW ? word >> 32 : by_rank ? number : word;
        block->bound.rank = GPI_KEY_IS_NARROW || by_rank ? (uint32_t)word : UINT32_MAX;
    }
    __syncthreads(); /* the bound is there */
}

/* Leaves only those of n entries that are within the bound, in any order. All threads call. */
GPI_DEVICE_CALL void GPI(keep_entries)(uint32_t n)
{
    enum { EACH = GPI(room) / GPI(threads) };
    GP_DYNAMIC_SHARED(GPI(block), block);

    if (threadIdx.x == 0)
        block->count = 0;
    GPI_NO_UNROLL
    for (uint32_t first = threadIdx.x; first - threadIdx.x < n; first += EACH * blockDim.x) {
        GPI(entry) entries[EACH];
        uint32_t kept = 0;

        GPI_UNDEFINED(entries);
        GPI_UNROLL
        for (uint32_t e = 0; e < EACH; e++)
            if (first + e * blockDim.x < n) {
                entries[e] = GPI(get_entry)(block, first + e * blockDim.x);
                kept |= (uint32_t)!GPI(is_before)(block->bound, entries[e]) << e;
            }
        __syncthreads(); /* these entries have been read: those that are left take the place of some of them */
        const uint32_t count = (uint32_t)__popc(kept);
        uint32_t at = gpi_warp_prefix(count, threadIdx.x % 32);
        uint32_t base = threadIdx.x % 32 == 31 ? atomicAdd(&block->count, at) : 0;
        base = __shfl_sync(GPI_FULL_MASK, base, 31);
        at += base - count;
        GPI_UNROLL
        for (uint32_t e = 0; e < EACH; e++)
            if (kept >> e & 1)
                GPI(put_entry)(block, at++, entries[e]);
    }
    __syncthreads(); /* what is left is there, and how many they are */
}

/* ---- items ------------------------------------------------------------------------------------- */

/* Where in the array of candidates number i of a part is. */
GPI_DEVICE size_t GPI(candidate_at)(const GPI(block) *block, uint32_t i)
{
    const uint32_t list_n = (uint32_t)block->job.list_n;

    return block->job.source == GPI_TOP_K_LISTS ? block->first + i / list_n * block->stride + i % list_n
                                                : block->segment.s * block->job.capacity + block->first + i;
}

/* Item i of a part. */
GPI_DEVICE GPI(entry) GPI(entry_at)(const GPI(block) *block, uint32_t i)
{
    GPI(entry) entry;

    if (block->job.source == GPI_TOP_K_KEYS) {
        entry.number = GPI(key_order)(block->job.keys[block->segment.begin + block->first + i]);
        entry.rank = i;
    } else {
        const GPI(candidate) x = GPI(get_candidate)(&block->job, GPI(candidate_at)(block, i));

        entry.number = x.number;
        entry.rank = block->job.by_place ? (uint32_t)x.place : i;
    }
    return entry;
}

/* The candidate that an entry is. */
GPI_DEVICE GPI(candidate) GPI(candidate_of)(const GPI(block) *block, GPI(entry) entry)
{
    GPI(candidate) x;

    x.number = entry.number;
    x.place = entry.rank;
    if (block->job.source == GPI_TOP_K_KEYS)
        x.place += block->first;
    else if (!block->job.by_place)
        x.place = GPI(get_candidate)(&block->job, GPI(candidate_at)(block, entry.rank)).place;
    return x;
}

/* ---- the stream -------------------------------------------------------------------------------- */

/* Makes room for entries when there is none. All threads call. */
GPI_DEVICE_CALL void GPI(make_room)(void)
{
    GP_DYNAMIC_SHARED(GPI(block), block);

    GPI(bound_entries)(GPI(room), (uint32_t)block->job.k);
    GPI(keep_entries)(GPI(room));
}

/*
 * Enters those of the thread's items that are within the bound, while there is room. Bit b of `bits` is item
 * first + b / n * stride + b % n. Returns those that there was no room for.
 */
GPI_DEVICE_CALL uint32_t GPI(enter)(uint32_t bits, uint32_t first, uint32_t stride, uint32_t n)
{
    GP_DYNAMIC_SHARED(GPI(block), block);
    uint32_t within = 0;

    for (; bits; bits &= bits - 1) {
        const uint32_t b = (uint32_t)__ffs((int)bits) - 1;
        const GPI(entry) entry = GPI(entry_at)(block, first + b / n * stride + b % n);

        if (!GPI(is_before)(block->bound, entry))
            within |= 1u << b;
    }
    uint32_t at = within ? atomicAdd(&block->count, (uint32_t)__popc(within)) : 0;
    for (; within && at < GPI(room); within &= within - 1, at++) {
        const uint32_t b = (uint32_t)__ffs((int)within) - 1;

        GPI(put_entry)(block, at, GPI(entry_at)(block, first + b / n * stride + b % n));
    }
    return within;
}

/* The same for all threads of the block, and all of the items. */
GPI_DEVICE void GPI(enter_all)(uint32_t bits, uint32_t first, uint32_t stride, uint32_t n)
{
    for (;;) {
        if (bits)
            bits = GPI(enter)(bits, first, stride, n);
        if (!__syncthreads_or(bits != 0)) /* and all have seen how many there are */
            return;
        GPI(make_room)();
    }
}

/* Whether the number is at most `limit`. */
GPI_DEVICE int GPI(is_within)(uint64_t number, uint64_t limit)
{
    return GPI_KEY_IS_NARROW ? (uint32_t)number <= (uint32_t)limit : number <= limit;
}

/*
 * The largest number that an item from i on may have: items with the number of the bound are within it up to its rank
 * alone. Where there is none, *none is set.
 */
GPI_DEVICE uint64_t GPI(limit_from)(const GPI(block) *block, uint32_t i, int *none)
{
    const int is_behind = block->bound.rank < i && block->job.source == GPI_TOP_K_KEYS;

    *none = is_behind && block->bound.number == 0;
    return block->bound.number - (uint64_t)is_behind;
}

/* Streams items [begin, end), one by one. */
GPI_DEVICE_CALL void GPI(stream_items)(uint32_t begin, uint32_t end)
{
    GP_DYNAMIC_SHARED(GPI(block), block);

    GPI_NO_UNROLL
    for (uint32_t tile = begin; tile < end; tile += gpi_min(end - tile, GPI(single_rows) * blockDim.x)) {
        int none;
        const uint64_t limit = GPI(limit_from)(block, tile, &none);
        uint32_t bits = 0;

        GPI_UNROLL
        for (uint32_t r = 0; r < GPI(single_rows); r++) {
            const uint32_t i = tile + threadIdx.x + r * blockDim.x;

            bits |= (uint32_t)GPI(is_within)(GPI(entry_at)(block, gpi_min(i, end - 1)).number, limit) << r;
            bits &= i < end ? UINT32_MAX : ~(1u << r);
        }
        GPI(enter_all)(none ? 0 : bits, tile + threadIdx.x, blockDim.x, 1);
    }
}

/* The number of item j of a vector. */
GPI_DEVICE uint64_t GPI(vector_number)(const uint32_t *words, int j)
{
    const int each = sizeof(GP_KEY) < 4 ? 4 / (int)sizeof(GP_KEY) : 1;

    if (!GPI_KEY_IS_NARROW)
        return GPI(key_order)(GPI(key_of_bits)((uint64_t)words[(2 * j + 1) % 4] << 32 | words[2 * j % 4]));
    return GPI(key_order)(GPI(key_of_bits)(words[j / each] >> j % each * (32 / each)));
}

/* Streams `vectors` vectors of keys, the first of which begins with item `head`. */
GPI_DEVICE_CALL void GPI(stream_vectors)(uint32_t head, uint32_t vectors)
{
    GP_DYNAMIC_SHARED(GPI(block), block);
    const GP_KEY *keys = block->job.keys + block->segment.begin + block->first + head;

    GPI_NO_UNROLL
    for (uint32_t tile = 0; tile < vectors; tile += gpi_min(vectors - tile, GPI(rows) * blockDim.x)) {
        const uint32_t first = tile + threadIdx.x;
        uint32_t words[GPI(rows)][4], bits = 0;
        int none, any = 0;

        GPI_UNROLL
        for (uint32_t r = 0; r < GPI(rows); r++)
            gpi_read_vector(words[r], keys + (size_t)gpi_min(first + r * blockDim.x, vectors - 1) * GPI(vector_n), 16);
        const uint64_t limit = GPI(limit_from)(block, head + tile * GPI(vector_n), &none);
        GPI_UNROLL
        for (int i = 0; i < GPI(rows) * GPI(vector_n); i++)
            any |= GPI(is_within)(GPI(vector_number)(words[i / GPI(vector_n)], i % GPI(vector_n)), limit);
        if (any && !none) {
            GPI_UNROLL
            for (uint32_t i = 0; i < (uint32_t)(GPI(rows) * GPI(vector_n)); i++)
                if (first + i / GPI(vector_n) * blockDim.x < vectors &&
                    GPI(is_within)(GPI(vector_number)(words[i / GPI(vector_n)], (int)(i % GPI(vector_n))), limit))
                    bits |= 1u << i;
        }
        GPI(enter_all)(bits, head + first * GPI(vector_n), blockDim.x * GPI(vector_n), GPI(vector_n));
    }
}

/* Enters all items within the bound. */
GPI_DEVICE void GPI(stream)(GPI(block) *block)
{
    const uintptr_t begin = (uintptr_t)(block->job.keys + block->segment.begin + block->first);
    const uint32_t n = block->n;
    uint32_t head = n, vectors = 0;

    if (block->job.source == GPI_TOP_K_KEYS && begin % sizeof(GP_KEY) == 0) {
        head = gpi_min((uint32_t)((16 - begin % 16) % 16 / sizeof(GP_KEY)), n);
        vectors = (n - head) / GPI(vector_n);
    }
    __syncthreads(); /* what was sorted has been read */
    if (threadIdx.x == 0)
        block->count = 0;
    __syncthreads(); /* there is room */
    GPI(stream_items)(0, head);
    GPI(stream_vectors)(head, vectors);
    GPI(stream_items)(head + vectors * GPI(vector_n), n);
}
#endif
