/*
 * core/segmented_sort/tile.cuh: sorts short segments, and the buckets of long ones. A block takes those that start in
 * its range, as many at a time as fit into a tile, and sorts them together:
 *
 *     1. heads: a bit for each item says whether a segment begins there, so that an item finds its segment's ends
 *     2. span: the topmost bit in which keys of one segment differ
 *     3. count: a segment has as many bins as items; the bits from there, a fraction, say to which of them a key goes
 *     4. part: as long as a bin is crowded, its items go to as many bins by the bits that follow, and by their
 *        positions where the keys are equal
 *     5. slots: the keys of a bin go side by side, in any order
 *     6. exchange: each two neighbours change places if they are in the wrong order, as often as a bin may need
 *
 *     a segment of four            .0110 .0111 .1000 .0000
 *     times four: its bins         1     1     2     0
 *
 * A segment of more items than a tile has a large tile to itself, of which threads have more items.
 *
 * The sort is stable, whatever the order in which atomics give out the slots of a bin, as equal keys are compared by
 * position.
 *
 * Part of segmented_sort.cuh; not to be included directly.
 */
#ifndef GPI_SEGMENTED_SORT_TILE_CUH
#define GPI_SEGMENTED_SORT_TILE_CUH

enum { GPI_SEGMENTED_SORT_CROWD = GPI_TUNE_SEGMENTED_SORT_CROWD };

#endif

enum {
    GPI(words) = GPI(tile_n) / 32,
    GPI(usual) = 6, /* items in the largest bin of most tiles, at most */
    GPI(has_large) = GPI(large_items) > GPI(items),
    GPI(bins_n) = (GPI(items) + 3) / 4 * 4 * GPI(threads), /* a multiple of 4 of each thread */
    GPI(large_bins_n) = (GPI(large_items) + 3) / 4 * 4 * GPI(threads),
    GPI(item_bytes) = 2 + (int)sizeof(GP_KEY), /* of a tag and a key */
    GPI(staged_bytes) = 128,                   /* besides the values, which may start up to 15 bytes late */
    /* What the items of a tile take, those of a large one, and values when all else has served. */
    GPI(usual_bytes) = GPI(bins_n) * 4 + GPI(tile_n) * GPI(item_bytes) +
                       (GPI(is_early) ? GPI(tile_n) * GPI(value_bytes) + GPI(staged_bytes) : 0),
    GPI(large_bytes) = GPI(large_bins_n) * 4 + GPI(staged_bytes) + GPI(large_n) * GPI(item_bytes),
    GPI(late_bytes) = GPI(large_n) * GPI(value_bytes) + GPI(staged_bytes),
    GPI(either_bytes) = GPI(usual_bytes) > GPI(large_bytes) ? GPI(usual_bytes) : GPI(large_bytes),
    GPI(tile_bytes) = GPI(either_bytes) > GPI(late_bytes) ? GPI(either_bytes) : GPI(late_bytes)
};

/* What a block has in shared memory, besides its items. */
typedef struct {
    uint32_t heads[GPI(words) + 1]; /* a bit for each item: whether a segment begins there */
    uint32_t edges[GPI(warps) + 1]; /* where each warp's bins begin */
    uint32_t sums[32];
    uint32_t differ[3]; /* bits of keys, and of positions */
    uint32_t most;      /* items in a bin, if there are many */
    uint32_t n;         /* items of the tile */
} __attribute__((aligned(128))) GPI(shared);

/* Where a tile goes: the arrays, and whether numbers are counted over these. */
typedef struct {
    GP_KEY *keys;
    GPI(value) *values;
    int counts_all;
} GPI(target);

/* The items of a tile. */
typedef struct {
    GPI(shared) *shared;
    uint32_t *bins; /* GPI_RADIX_COUNTED */
    GP_KEY *keys;   /* their numbers; slots are in order of the bins */
    uint16_t *tags; /* at the head of a segment, its items; then, of a slot: its position * 2, and whether it is -0.0 */
    char *values;   /* behind these; or in place of the bins, or of all, when they have served */
    uint32_t off;   /* the first one so many bytes behind */
    const GP_KEY *keys_from;      /* of the first item, as are the next */
    const GPI(value) *values_from; /* NULL: numbers */
    size_t first;
    uint32_t n, segments;
    uint32_t position; /* of the thread's first item; the next is 32 behind; */
    int is_busy;       /* whether the warp has any */
    int is_tiny;       /* all segments are, and they are no buckets */
} GPI(tile);

/* Where a block is in its range. */
typedef struct {
    const uint64_t *starts; /* of the buckets of a long segment; NULL: of segments */
    size_t end;             /* of the last bucket */
    size_t segment;         /* of the buckets */
    size_t next, count;     /* of the segments or buckets */
    size_t limit;           /* the end of the range */
} GPI(walk);

#if GPI_DEVICE_CODE
/* How many bins there are where a thread has so many items, a constant here and below. */
GPI_DEVICE uint32_t GPI(bins_of)(uint32_t items)
{
    return (items + 3) / 4 * 4 * GPI(threads);
}

/* Where the items of a tile are in shared memory, and which a thread has. */
GPI_DEVICE void GPI(place)(GPI(tile) *tile, uint32_t items)
{
    const int is_large = items > GPI(items);
    char *memory = (char *)(tile->shared + 1);

    tile->bins = (uint32_t *)memory;
    tile->keys = (GP_KEY *)(memory + (is_large ? GPI(large_bins_n) * 4 + GPI(staged_bytes) : GPI(bins_n) * 4));
    tile->tags = (uint16_t *)(tile->keys + GPI(threads) * items);
    tile->values = GPI(is_early) && !is_large ? (char *)(tile->tags + GPI(tile_n)) : memory;
    tile->position = threadIdx.x / 32 * 32 * items + threadIdx.x % 32;
    tile->is_busy = tile->position - threadIdx.x % 32 < tile->n;
}

/* ---- which segments ----------------------------------------------------------------------------- */

/* Where a segment begins, or a bucket. */
GPI_DEVICE size_t GPI(begin_of)(const GPI(job) *job, const GPI(walk) *walk, size_t i)
{
    if (walk->starts)
        return i < walk->count ? (size_t)walk->starts[i] : walk->end;
    return GPI(offset)(job, i);
}

/* One warp: the first segment that is at `key` or behind; their number, if none is. */
GPI_DEVICE size_t GPI(find)(const GPI(job) *job, size_t key, unsigned lane)
{
    size_t first = 0, last = job->segments;

    if (!job->offsets) { /* eight rows are a whole number of units */
        const size_t eights = key / (GPI(unit_n) * job->length + 1), rest = key % (GPI(unit_n) * job->length + 1);
        const size_t s = eights * GPI(unit_n) + (rest + job->length - 1) / job->length;

        return s < last ? s : last;
    }
    while (first < last) { /* the result is one of first ... last */
        const size_t step = (last - first + 31) / 32, probe = first + (lane + 1) * step - 1;
        const int before = probe < last && GPI(unit)(GPI(offset)(job, probe), probe) < key;
        const unsigned count = (unsigned)__popc((int)__ballot_sync(GPI_FULL_MASK, before));

        first += count * step;
        if (last - first >= step)
            last = first + step - 1;
    }
    return first;
}

/* Enters the segments that start in a range. All threads call. */
GPI_DEVICE void GPI(enter_segments)(const GPI(job) *job, GPI(walk) *walk, size_t range)
{
    const size_t s = threadIdx.x;

    walk->starts = NULL;
    walk->count = job->segments;
    if (job->is_few)
        walk->next = (size_t)__syncthreads_count(s < job->segments && GPI(unit)(GPI(offset)(job, s), s) <
                                                                         range * job->range_n);
    else if (job->table)
        walk->next = job->table[range] ? (size_t)~job->table[range] : job->segments;
    else
        walk->next = GPI(find)(job, range * job->range_n, threadIdx.x % 32);
}

/* Enters the buckets of a long segment that start in a range, if it has buckets. All threads call. */
GPI_DEVICE int GPI(enter_buckets)(const GPI(job) *job, GPI(walk) *walk, size_t range, uint32_t which)
{
    const gpi_long_segment *of = &job->longs[which];

    if (of->bucket_digit < 0)
        return 0;
    walk->starts = job->starts + ((size_t)which * GPI(digits) + (size_t)of->bucket_digit) * GPI(radix);
    walk->end = of->first + of->n;
    walk->segment = of->segment;
    walk->count = GPI(radix);
    const size_t begin = GPI(unit)(walk->starts[threadIdx.x % GPI(radix)], of->segment);
    walk->next = (size_t)__syncthreads_count(threadIdx.x < GPI(radix) && begin < range * job->range_n);
    return 1;
}

/*
 * How many of the next segments start in the range and fit into a tile, which becomes theirs; *more becomes whether
 * the one behind starts in the range, too. All threads call.
 */
GPI_DEVICE uint32_t GPI(next_batch)(const GPI(job) *job, const GPI(walk) *walk, GPI(tile) *tile, int *more)
{
    const size_t first = walk->next < walk->count ? GPI(begin_of)(job, walk, walk->next) : 0;
    uint32_t count = 0, fitting, n = 0, last = 0;
    int is_tiny = job->offsets && !walk->starts, is_left;

    GPI_NO_UNROLL
    for (uint32_t w = threadIdx.x; w <= GPI(words); w += GPI(threads))
        tile->shared->heads[w] = 0;
    if (threadIdx.x < 3)
        tile->shared->differ[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        tile->shared->most = GPI(usual);
    __syncthreads(); /* there are no heads yet */
    do {
        const size_t i = walk->next + count + threadIdx.x;
        int fits = 0;

        is_left = 0;
        if (i < walk->count) {
            const size_t begin = GPI(begin_of)(job, walk, i), end = GPI(begin_of)(job, walk, i + 1);
            const uint32_t at = (uint32_t)(begin - first);

            is_left = GPI(unit)(begin, walk->starts ? walk->segment : i) < walk->limit;
            fits = is_left && end - first <= (i == walk->next ? GPI(short_n) : GPI(together_n));
            is_left &= !fits;
            is_tiny &= !fits || end - begin <= GPI(tiny_n);
            if (fits) {
                n = (uint32_t)(end - first);
                last = count + threadIdx.x + 1;
            }
            if (fits && begin < end) {
                atomicOr(&tile->shared->heads[at / 32], 1u << at % 32);
                tile->tags[at] = (uint16_t)(end - begin);
            }
        }
        fitting = (uint32_t)__syncthreads_count(fits);
        count += fitting;
    } while (fitting == GPI(threads));
    if (last == count && (count || threadIdx.x == 0))
        tile->shared->n = n; /* where the last one ends */
    *more = __syncthreads_or(is_left);
    tile->is_tiny = __syncthreads_and(is_tiny); /* it is there, too */
    tile->first = first;
    tile->n = tile->shared->n;
    tile->segments = count;
    return count;
}

/* Where the segment of each of the thread's items begins. A large tile has one. */
GPI_DEVICE void GPI(find_begins)(const GPI(tile) *tile, uint32_t items, uint32_t *begins)
{
    const uint32_t lane = threadIdx.x % 32, upto = (2u << lane) - 1, own = threadIdx.x / 32 * items;
    const uint32_t *heads = tile->shared->heads;
    uint32_t before = 0; /* the last head */

    if (items > GPI(items)) {
        GPI_UNROLL
        for (uint32_t i = 0; i < items; i++)
            begins[i] = 0;
        return;
    }
    GPI_NO_UNROLL
    for (uint32_t w = lane; w < own; w += 32)
        before = heads[w] ? 32 * w + 31 - (uint32_t)__clz((int)heads[w]) : before;
    before = gpi_warp_max(before);
    GPI_UNROLL
    for (uint32_t i = 0; i < items; i++) {
        const uint32_t word = heads[own + i], last = 32 * (own + i) + 31;

        begins[i] = word & upto ? last - (uint32_t)__clz((int)(word & upto)) : before;
        before = word ? last - (uint32_t)__clz((int)word) : before;
    }
}

/* ---- bins --------------------------------------------------------------------------------------- */

/* Adds the bits of the thread's keys and positions to those in which items differ. */
GPI_DEVICE void GPI(add_differ)(const GPI(tile) *tile, uint64_t key, uint32_t position)
{
    const uint32_t low = gpi_warp_or((uint32_t)key), high = GPI_KEY_IS_NARROW ? 0 : gpi_warp_or((uint32_t)(key >> 32));

    position = gpi_warp_or(position);
    if (threadIdx.x % 32)
        return;
    if (low)
        atomicOr(&tile->shared->differ[0], low);
    if (high)
        atomicOr(&tile->shared->differ[1], high);
    if (position)
        atomicOr(&tile->shared->differ[2], position);
}

/* The bits in which keys differ. */
GPI_DEVICE uint64_t GPI(differ)(const GPI(tile) *tile)
{
    return (GPI_KEY_IS_NARROW ? 0 : (uint64_t)tile->shared->differ[1] << 32) | tile->shared->differ[0];
}

/*
 * Counts the items of all bins; at[i] gets, times 65536, how many were counted before in that bin. Returns whether some
 * bin is crowded. All threads call.
 */
GPI_DEVICE int GPI(count_bins)(GPI(tile) *tile, uint32_t items, uint32_t *at)
{
    const unsigned each = GPI(bins_of)(items) / GPI(threads);
    uint32_t most;

    GPI_UNROLL
    for (uint32_t i = 0; i < items; i++)
        if (tile->is_busy)
            at[i] |= atomicAdd(&tile->bins[at[i]], 1u) << 16;
    __syncthreads(); /* the bins have been counted */
    const int crowded = gpi_radix_scan_bins(tile->bins, tile->shared->sums, each, each == 8 ? 8 : 4, GPI_RADIX_COUNTED,
                                            GPI_SEGMENTED_SORT_CROWD, &most);
    if (most > GPI(usual))
        atomicMax(&tile->shared->most, gpi_min(most, GPI_SEGMENTED_SORT_CROWD));
    __syncthreads(); /* where each bin begins is there, and how many items the largest one has */
    return crowded;
}

/*
 * Parts crowded bins: by the topmost bits, as a power of two has, in which the keys of one of them differ; or, if none
 * do, the positions. That leaves fewer bits to differ. Returns 0 if it is not needed: all keys of such a bin are the
 * same. The bins are empty otherwise. All threads call.
 */
GPI_DEVICE int GPI(part_bins)(const GPI(tile) *tile, uint32_t items, const GPI(word) *numbers, uint32_t *at)
{
    uint32_t words[GPI(large_items)], positions = 0;
    uint64_t differ = 0;

    GPI_UNROLL
    for (uint32_t i = 0; i < items; i++) {
        words[i] = tile->is_busy ? tile->bins[at[i] % 65536] : 0;
        if (words[i] / 65536 > GPI_SEGMENTED_SORT_CROWD && at[i] < 65536)
            tile->tags[words[i] % 65536] = (uint16_t)(tile->position + 32 * i); /* the bin's first item */
    }
    if (threadIdx.x < 3)
        tile->shared->differ[threadIdx.x] = 0;
    __syncthreads(); /* an item of each crowded bin is there */
    GPI_UNROLL
    for (uint32_t i = 0; i < items; i++)
        if (words[i] / 65536 > GPI_SEGMENTED_SORT_CROWD) {
            const uint32_t one = tile->tags[words[i] % 65536];

            differ |= numbers[i] ^ GPI(key_order)(tile->keys_from[one]);
            positions |= (tile->position + 32 * i) ^ one;
        }
    GPI(add_differ)(tile, differ, positions);
    __syncthreads(); /* it is known in which bits items differ */
    differ = GPI(differ)(tile);
    if (GPI(is_exact) && differ == 0)
        return 0;
    const int bits = GPI(bits_of)(differ ? differ : tile->shared->differ[2]);
    GPI(zero)(tile->bins, GPI(bins_of)(items));
    GPI_UNROLL
    for (uint32_t i = 0; i < items; i++) {
        const uint32_t begin = words[i] % 65536, count = words[i] / 65536;
        const uint64_t number = differ ? numbers[i] : tile->position + 32 * i;
        const uint32_t part = count > GPI_SEGMENTED_SORT_CROWD
                                  ? GPI(top_bits)(GPI(topmost)(number, bits), 31 - __clz((int)count))
                                  : 0;

        at[i] = gpi_radix_bin_at(begin + part);
    }
    __syncthreads(); /* the bins are empty, and the bits have been read */
    return 1;
}

/* Puts the items into their bins: numbers and tags; `zeros` has a bit for each -0.0. */
GPI_DEVICE void GPI(fill_bins)(const GPI(tile) *tile, uint32_t items, const GPI(word) *numbers, const uint32_t *at,
                               uint32_t zeros)
{
    GPI_UNROLL
    for (uint32_t i = 0; i < items; i++) {
        const uint32_t slot = tile->bins[at[i] % 65536] % 65536 + at[i] / 65536;

        tile->keys[slot] = GPI(key_of_bits)(numbers[i]);
        if (!GPI(is_exact))
            tile->tags[slot] = (uint16_t)((tile->position + 32 * i) << 1 | (zeros >> i & 1));
    }
}

/* ---- the order in a bin ------------------------------------------------------------------------- */

/*
 * One warp: the first of so many bins that begins at a slot or behind; or the slot, in a bin where all keys are the
 * same.
 */
GPI_DEVICE uint32_t GPI(bin_behind)(const GPI(tile) *tile, uint32_t bins, uint32_t slot, unsigned lane)
{
    uint32_t bin = 0, word = 0;

    if (slot >= tile->n)
        return tile->n;
    GPI_UNROLL
    for (uint32_t step = bins / 32; step > 0; step = step > 32 ? step / 32 : step > 1) {
        const uint32_t probe = bin + (lane + 1) * step - 1; /* bins before `bin` end at the slot at most */

        word = probe < bins ? tile->bins[gpi_radix_bin_at(probe)] : 0xFFFFFFFFu;
        const int before = __popc((int)__ballot_sync(GPI_FULL_MASK, word % 65536 + word / 65536 <= slot));
        bin += (uint32_t)before * step;
        word = __shfl_sync(GPI_FULL_MASK, word, before); /* in the end, of the first one that ends behind it */
    }
    return word % 65536 == slot || word / 65536 > GPI_SEGMENTED_SORT_CROWD ? slot : word % 65536 + word / 65536;
}

/* Puts a thread's neighbours i and i + 1 in order. */
GPI_DEVICE void GPI(exchange_two)(GPI(word) *own, uint32_t *tags, uint32_t heads, uint32_t i)
{
    const int swaps = GPI(is_behind)(own[i], tags[i], own[i + 1], tags[i + 1], (int)(heads >> (i + 1) & 1));
    const GPI(word) a = own[i], b = own[i + 1];
    const uint32_t tag = tags[i], next_tag = tags[i + 1];

    own[i] = swaps ? b : a;
    own[i + 1] = swaps ? a : b;
    tags[i] = swaps ? next_tag : tag;
    tags[i + 1] = swaps ? tag : next_tag;
}

/* The same of the last item of each lane, which is number `last`, and the first one of the next lane. */
GPI_DEVICE void GPI(exchange_lanes)(GPI(word) *own, uint32_t *tags, uint32_t heads, uint32_t last, unsigned lane)
{
    const GPI(word) next = __shfl_down_sync(GPI_FULL_MASK, own[0], 1);
    const GPI(word) before = __shfl_up_sync(GPI_FULL_MASK, own[last], 1);
    const uint32_t next_tag = GPI(is_exact) ? 0 : __shfl_down_sync(GPI_FULL_MASK, tags[0], 1);
    const uint32_t tag = GPI(is_exact) ? 0 : __shfl_up_sync(GPI_FULL_MASK, tags[last], 1);

    if (lane > 0 && GPI(is_behind)(before, tag, own[0], tags[0], (int)(heads & 1))) {
        own[0] = before;
        tags[0] = tag;
    }
    if (lane < 31 && GPI(is_behind)(own[last], tags[last], next, next_tag, (int)(heads >> (last + 1) & 1))) {
        own[last] = next;
        tags[last] = next_tag;
    }
}

/* Slots of a lane in the exchange, an even number. */
GPI_DEVICE uint32_t GPI(slots_of_lane)(uint32_t items)
{
    return (items + 2) / 2 * 2;
}

/* Slots from where a warp's window begins to the next one's, where a bin may go on. */
GPI_DEVICE uint32_t GPI(window)(uint32_t items)
{
    return 32 * GPI(slots_of_lane)(items) - GPI_SEGMENTED_SORT_CROWD;
}

/* Sorts what is in each bin. A warp has the bins that begin in its window of slots. All threads call. */
GPI_DEVICE void GPI(sort_bins)(const GPI(tile) *tile, uint32_t items)
{
    const uint32_t slots = GPI(slots_of_lane)(items);
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint32_t end = tile->shared->edges[warp + 1], first = tile->shared->edges[warp] + lane * slots;
    const uint32_t *words = tile->shared->heads + gpi_min(first / 32, GPI(words) - 1);
    const uint32_t heads = (uint32_t)(((uint64_t)words[1] << 32 | words[0]) >> first % 32);
    const uint32_t phases = first - lane * slots < end ? tile->shared->most : 0;
    GPI(word) own[GPI(large_items) + 2];
    uint32_t tags[GPI(large_items) + 2];

    GPI_UNROLL
    for (uint32_t i = 0; i < slots; i++) {
        const uint32_t slot = gpi_min(first + i, GPI(threads) * items - 1);

        own[i] = GPI_KEY_IS_NARROW ? GPI(key_bits)(tile->keys[slot]) : (GPI(word))GPI(key_long_bits)(tile->keys[slot]);
        tags[i] = GPI(is_exact) ? 0 : tile->tags[slot];
        if (first + i >= end) {
            own[i] = (GPI(word))-1;
            tags[i] = 0xFFFFFFFFu;
        }
    }
    __syncthreads(); /* all windows have been read */
    GPI_NO_UNROLL
    for (uint32_t phase = 0; phase < phases; phase += 2) {
        GPI_UNROLL
        for (uint32_t i = 0; i < slots; i += 2)
            GPI(exchange_two)(own, tags, heads, i);
        GPI_UNROLL
        for (uint32_t i = 1; i + 1 < slots; i += 2)
            GPI(exchange_two)(own, tags, heads, i);
        GPI(exchange_lanes)(own, tags, heads, slots - 1, lane);
    }
    GPI_UNROLL
    for (uint32_t i = 0; i < slots; i++)
        if (first + i < end) {
            tile->keys[first + i] = GPI(key_of_bits)(own[i]);
            if (!GPI(is_exact))
                tile->tags[first + i] = (uint16_t)tags[i];
        }
    __syncthreads(); /* the slots are in order */
}

/* ---- values ------------------------------------------------------------------------------------- */

/* Where the value of an item is from, whose segment begins there: its position, or its number in the segment. */
GPI_DEVICE uint32_t GPI(source)(const GPI(tile) *tile, int counts_all, uint32_t position, uint32_t begin)
{
    return tile->values_from || counts_all ? position : position - begin;
}

/* Brings the values of the tile to shared memory. They are there after gpi_copy_wait(). */
GPI_DEVICE void GPI(stage_values)(GPI(tile) *tile)
{
    tile->off = gpi_radix_stage(tile->values, (const char *)tile->values_from,
                                tile->n * (uint32_t)sizeof(GPI(value)), GPI(threads), 0);
}

/* Writes the values of the thread's slots, which are of the items at these positions. All threads call. */
GPI_DEVICE void GPI(write_values)(GPI(tile) *tile, uint32_t items, const GPI(target) *target, const uint32_t *sources)
{
    GPI(value) *to = target->values + tile->first;

    if (!GPI(is_early)) {
        __syncthreads(); /* keys, tags and bins have served */
        if (tile->values_from)
            GPI(stage_values)(tile);
    }
    gpi_copy_wait();
    __syncthreads(); /* the values have come */
    GPI_UNROLL
    for (uint32_t i = 0; i < items; i++) {
        const uint32_t slot = tile->position + 32 * i, from = sources[i];

        if (slot < tile->n && tile->values_from)
            to[slot] = *(const GPI(value) *)(tile->values + tile->off + from * (uint32_t)sizeof *to);
        else if (slot < tile->n)
            to[slot] = GPI(number)(target->counts_all, tile->first + from, from);
    }
}

/*
 * Sorts a tile of tiny segments, each by a thread, and writes it. Its offsets are `offsets`. A call that gets no
 * pointers to the block's variables, so that these stay in registers. All threads call.
 */
GPI_DEVICE_CALL void GPI(sort_all_tiny)(GPI(tile) tile, GPI(target) target, const GP_INDEX *offsets)
{
    GP_KEY *keys = (GP_KEY *)tile.bins;
    uint16_t *tags = (uint16_t *)(keys + GPI(padded)(GPI(tile_n)));
    uint32_t sources[GPI(items)];

    if (GPI(is_early) && tile.values_from)
        GPI(stage_values)(&tile);
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI(items); i++)
        if (tile.position + 32 * i < tile.n)
            keys[GPI(padded)(tile.position + 32 * i)] = tile.keys_from[tile.position + 32 * i];
    __syncthreads(); /* the keys are there */
    for (uint32_t s = threadIdx.x; s - threadIdx.x % 32 < tile.segments; s += GPI(threads)) {
        uint32_t begin = 0, n = 0;

        if (s < tile.segments) {
            begin = (uint32_t)((size_t)offsets[s] - tile.first);
            n = (uint32_t)((size_t)offsets[s + 1] - tile.first) - begin;
        }
        GPI(sort_side_by_side)(keys, tags, begin, n, GPI(source)(&tile, target.counts_all, begin, begin));
    }
    __syncthreads(); /* the segments are sorted */
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI(items); i++) {
        const uint32_t position = tile.position + 32 * i;

        if (position < tile.n)
            target.keys[tile.first + position] = keys[GPI(padded)(position)];
        sources[i] = GPI_RADIX_PAIRS && position < tile.n ? tags[GPI(padded)(position)] : 0;
    }
    if (GPI_RADIX_PAIRS)
        GPI(write_values)(&tile, GPI(items), &target, sources);
}

/* ---- tiles -------------------------------------------------------------------------------------- */

/* Loads the thread's items, and finds their bins. All threads call. */
GPI_DEVICE void GPI(choose_bins)(GPI(tile) *tile, uint32_t items, GPI(word) *numbers, uint32_t *zeros, uint32_t *at)
{
    const unsigned lane = threadIdx.x % 32;
    GP_KEY keys[GPI(large_items)], before = GPI(key_of_bits)(0);
    GPI(word) other = 0;
    uint64_t differ = 0;

    GPI_UNROLL
    for (uint32_t i = 0; i < items; i++) {
        const uint32_t position = tile->position + 32 * i;

        keys[i] = position < tile->n ? tile->keys_from[position] : GPI(key_of_bits)(0);
        at[i] = position;
    }
    if (lane == 0 && tile->is_busy && tile->position)
        before = tile->keys_from[tile->position - 1];
    if (GPI(is_early) && items == GPI(items) && tile->values_from)
        GPI(stage_values)(tile);
    GPI(zero)(tile->bins, GPI(bins_of)(items));
    if (tile->is_busy) {
        GPI(find_begins)(tile, items, at);
        other = (GPI(word))GPI(key_order)(before);
        GPI_UNROLL
        for (uint32_t i = 0; i < items; i++) {
            const uint32_t position = tile->position + 32 * i;

            numbers[i] = (GPI(word))GPI(key_order)(keys[i]);
            *zeros |= (uint32_t)GPI(key_is_minus_zero)(keys[i]) << i;
            const GPI(word) left = __shfl_up_sync(GPI_FULL_MASK, numbers[i], 1);

            other = lane ? left : other; /* the number of the item before */
            differ |= position < tile->n && at[i] < position ? numbers[i] ^ other : 0;
            other = __shfl_sync(GPI_FULL_MASK, numbers[i], 31);
        }
        GPI(add_differ)(tile, differ, 0);
    }
    __syncthreads(); /* it is known in which bits keys differ; the bins are empty */
    const int bits = GPI(bits_of)(GPI(differ)(tile));
    GPI_UNROLL
    for (uint32_t i = 0; i < items; i++)
        if (tile->is_busy) {
            const uint32_t position = tile->position + 32 * i;
            const uint32_t n = items > GPI(items) ? tile->n : tile->tags[at[i]]; /* of its segment */
            const uint32_t bin = at[i] + GPI(share)(GPI(topmost)(numbers[i], bits), n);

            at[i] = gpi_radix_bin_at(position < tile->n ? bin : position); /* what is behind has bins of its own */
        }
}

/* Sorts a tile, and writes it. All threads call. */
GPI_DEVICE void GPI(sort_tile)(GPI(tile) *tile, uint32_t items, const GPI(target) *target)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    GPI(word) numbers[GPI(large_items)];
    uint32_t at[GPI(large_items)], zeros = 0; /* of each item its bin; then, of each slot, where the value is from */

    GPI_UNDEFINED(numbers);
    GPI(place)(tile, items);
    GPI(choose_bins)(tile, items, numbers, &zeros, at);
    while (GPI(count_bins)(tile, items, at) && GPI(part_bins)(tile, items, numbers, at))
        ;
    if (tile->is_busy)
        GPI(fill_bins)(tile, items, numbers, at, zeros);
    GPI_NO_UNROLL
    for (uint32_t w = warp; w <= GPI(warps); w += GPI(warps)) {
        const uint32_t edge = GPI(bin_behind)(tile, GPI(bins_of)(items), w * GPI(window)(items), lane);

        if (lane == 0)
            tile->shared->edges[w] = edge;
    }
    __syncthreads(); /* the items are in their bins, and it is known where each warp's begin */
    if (GPI(is_early) && items > GPI(items) && tile->values_from)
        GPI(stage_values)(tile);
    GPI(sort_bins)(tile, items);
    if (GPI_RADIX_PAIRS && !tile->values_from && !target->counts_all)
        GPI(find_begins)(tile, items, at);
    GPI_UNROLL
    for (uint32_t i = 0; i < items; i++) {
        const uint32_t slot = tile->position + 32 * i, tag = GPI(is_exact) ? 0 : tile->tags[slot];

        if (slot < tile->n)
            target->keys[tile->first + slot] = GPI(key_of_order)(tile->keys[slot], (int)(tag & 1));
        at[i] = GPI(source)(tile, target->counts_all, tag >> 1, at[i]);
    }
    if (GPI_RADIX_PAIRS)
        GPI(write_values)(tile, items, target, at);
}

/* The same as calls, for the reasons above. */
GPI_DEVICE_CALL void GPI(sort_usual)(GPI(tile) tile, GPI(target) target)
{
    GPI(sort_tile)(&tile, GPI(items), &target);
}

GPI_DEVICE_CALL void GPI(sort_large)(GPI(tile) tile, GPI(target) target)
{
    GPI(sort_tile)(&tile, GPI(large_items), &target);
}

/* Sorts what starts in a range; `covering` is NULL if no segment is long. All threads call. */
GPI_DEVICE void GPI(sort_range)(const GPI(job) *job, GPI(shared) *shared, const uint32_t *covering, size_t range)
{
    GPI(walk) walk = {NULL, 0, 0, 0, 0, (range + 1) * job->range_n};
    const GPI(target) target = {job->keys_out, job->values_out, job->counts_all};
    int is_long = 0; /* the segment where the walk has stopped */
    GPI(tile) tile;

    tile.shared = shared;
    tile.n = tile.off = 0;
    GPI(place)(&tile, GPI(items));
    /* The buckets of a segment that started before the range, segments, and the buckets of one that starts there. */
    GPI_NO_UNROLL
    for (int step = 0; step < 3; step++) {
        const uint32_t reaching = covering && step != 1 && (step == 0 || is_long) ? covering[range + (step == 2)] : 0;
        int more = 1;

        if (step == 1)
            GPI(enter_segments)(job, &walk, range);
        else if (!reaching || !GPI(enter_buckets)(job, &walk, range, reaching - 1))
            continue;
        is_long = 0;
        while (more && !is_long && walk.next < walk.count) {
            const uint32_t count = GPI(next_batch)(job, &walk, &tile, &more);

            tile.keys_from = (walk.starts ? job->keys : job->keys_in) + tile.first;
            tile.values_from = walk.starts ? job->values : job->values_in;
            tile.values_from += tile.values_from ? tile.first : 0;
            if (tile.n && tile.is_tiny)
                GPI(sort_all_tiny)(tile, target, job->offsets + walk.next);
            else if (GPI(has_large) && tile.n > GPI(tile_n))
                GPI(sort_large)(tile, target);
            else if (tile.n)
                GPI(sort_usual)(tile, target);
            walk.next += count;
            is_long = more && count == 0;
            __syncthreads(); /* shared memory has served */
        }
    }
}
#endif
