/*
 * core/radix/tile.cuh: the kernel of a pass: moves keys, and their values, to where one digit of theirs says, and keeps
 * the order of those with the same digit. Blocks take tiles in order:
 *
 *     1. every warp counts its digits
 *     2. the tile adds up its warps, and publishes how many keys of each digit it has
 *     3. the keys are ranked among those of the same digit in the warp, and go to shared memory, sorted by it
 *     4. a thread for each digit looks back at the tiles before, until it knows where the digit goes on
 *     5. the keys of a digit go to memory side by side
 *
 * Step 3 by ballots, or by matching, is right by construction. By atomics it takes a fraction of the time, but nothing
 * says in which order the lanes of a warp get their turn: so step 5 looks at the order of what it writes, and a tile
 * where it is wrong is done again, slowly.
 *
 * core/radix/passes.cuh includes this for large n and, with GPI_RADIX_SMALL 1, for small n: with short code, which
 * would otherwise take longer to fetch than to run.
 *
 * Part of radix_sort.cuh; not to be included directly.
 */

/* What is moved with a key: its value, or the number of the item, where large n leaves large values where they are. */
enum { GPI_OF(moves_numbers) = GPI(indexed) && !GPI_RADIX_SMALL };
GPI_CHOOSE_TYPE(GPI_OF(value), GPI_OF(moves_numbers), uint32_t, GPI_RADIX_VALUE);

/*
 * Small values wait in shared memory for their keys; larger ones are fetched when their place is known. A tile fills
 * half a multiprocessor, or mostly all of it with values that wait. For large n the items of a thread are odd in
 * number: in regular input the digits of a tile start so many items apart, and with a multiple of 32 the lanes would
 * have bank conflicts.
 */
enum {
    GPI_OF(staged) = GPI_RADIX_PAIRS && sizeof(GPI_OF(value)) <= 16 && !(GPI_RADIX_SMALL && GPI(indexed)),
    /* Whether 16-byte pieces may change places in shared memory: no value is in two of them. */
    GPI_OF(changes) = 16 % sizeof(GPI_OF(value)) == 0 && __alignof__(GPI_OF(value)) == sizeof(GPI_OF(value)),
    GPI_OF(slot) = (int)sizeof(GP_KEY) + 2 * GPI_RADIX_PAIRS + (GPI_OF(staged) ? (int)sizeof(GPI_OF(value)) : 0),
    GPI_OF(threads) = GPI_RADIX_SMALL || GPI_OF(staged) ? 512 : 256,
    GPI_OF(warps) = GPI_OF(threads) / 32,
    GPI_OF(halves) = GPI_OF(staged) && sizeof(GP_KEY) == 8 && GPI_OF(slot) <= 16, /* two tiles at a time */
    GPI_OF(blocks) = !GPI_RADIX_SMALL && (GPI_OF(halves) || !GPI_OF(staged)) ? 2 : 1, /* of a multiprocessor */
    GPI_OF(fitting) = (GPI_OF(halves) ? 80 : 200) * 1024 / GPI_OF(threads) / GPI_OF(slot),
    GPI_OF(items) = GPI_RADIX_SMALL         ? 16
                    : !GPI_OF(staged)       ? (GPI_OF(slot) <= 4 ? GPI_TUNE_RADIX_ITEMS : 39)
                    : GPI_OF(fitting) <= 39 ? (GPI_OF(fitting) - 1) | 1
                                            : 39,
    GPI_OF(tile_n) = GPI_OF(threads) *GPI_OF(items),
    /* Items of a thread come so many at a time: in a tile of fewer, and in loops that are not written out. */
    GPI_OF(rounds) = GPI_OF(slot) > 16 ? 1 : 4,
    GPI_OF(step) = GPI_OF(items) % 4 == 0   ? GPI_OF(items) / 4
                   : GPI_OF(items) % 3 == 0 ? GPI_OF(items) / 3
                   : GPI_OF(items) % 5 == 0 ? GPI_OF(items) / 5
                                            : GPI_OF(items),
    /* The same where eight ballots rank. */
    GPI_OF(ranked) = GPI_RADIX_SMALL || GPI_OF(rounds) == 1 || GPI_OF(items) < 16 ? GPI_OF(step) : 16,
    GPI_OF(ahead) = GPI_RADIX_SMALL ? 16 : 4 /* tiles that the look-back reads at a time */
};

/* The arrays of a pass, the digit that it is about, and the items of a tile in shared memory. */
typedef struct {
    const GP_KEY *keys_from;
    GP_KEY *keys_to;
    const GPI_OF(value) *values_from;
    GPI_OF(value) *values_to;
    int shift;
    uint32_t mask;
    int first, last;     /* of the passes that sort: it makes codes, or keys of them */
    int minus_zero;      /* whether there is a -0.0, which is equal to +0.0 */
    GP_KEY *keys;        /* in order of the digit */
    uint16_t *positions; /* where in the tile they come from */
    char *values;        /* in the order of the input, */
    uint32_t off;        /* the first one so many bytes behind */
} GPI_OF(arrays);

/* What a tile has in shared memory, besides its items. */
typedef struct {
    uint64_t place[256]; /* of a digit, less its start in the tile */
    uint32_t start[256];
    uint32_t counts[GPI_OF(warps)][256] __attribute__((aligned(16)));
    uint32_t sums[8];
    uint32_t tile;
    uint32_t range;    /* of the tile, where ranges are sorted apart */
    uint32_t idle[32]; /* for lanes whose atomic addition is not needed */
} GPI_OF(tile);

enum { GPI_OF(tile_bytes) = sizeof(GPI_OF(tile)) };

#if GPI_DEVICE_CODE
/* What item i has if there are no values: its number. */
GPI_DEVICE GPI_OF(value) GPI_OF(numbered_value)(size_t i)
{
    const GPI_RADIX_VALUE number = GPI(numbered)(i);
    GPI_OF(value) value;

    memcpy((void *)&value, (const void *)&number, sizeof value); /* the lowest bytes, if values are not moved */
    return value;
}

/* A pass that only copies: none is needed, or one more to end in the right array. */
GPI_DEVICE void GPI_OF(copy)(const GPI(job) *job, const GPI_OF(arrays) *pass)
{
    enum { AHEAD = 8, SOME = AHEAD * GPI_OF(threads) }; /* keys of a thread that are read before one is written */
    const size_t stride = (size_t)gridDim.x * GPI_OF(threads), end = job->first + job->portion_n;
    const size_t first = job->first + threadIdx.x;

    if (pass->keys_from != pass->keys_to) {
        GPI_NO_UNROLL
        for (size_t i = first + (size_t)blockIdx.x * SOME; i < end; i += AHEAD * stride) {
            const unsigned left = gpi_min_size(end - i, SOME);
            GP_KEY keys[AHEAD];

            GPI_UNROLL
            for (unsigned k = 0; k < AHEAD; k++)
                if (k * GPI_OF(threads) < left)
                    keys[k] = pass->keys_from[i + k * GPI_OF(threads)];
            GPI_UNROLL
            for (unsigned k = 0; k < AHEAD; k++)
                if (k * GPI_OF(threads) < left)
                    pass->keys_to[i + k * GPI_OF(threads)] = keys[k];
        }
    }
    if (GPI_RADIX_PAIRS && pass->values_from != pass->values_to)
        for (size_t i = first + (size_t)blockIdx.x * GPI_OF(threads); i < end; i += stride)
            pass->values_to[i] = pass->values_from ? pass->values_from[i] : GPI_OF(numbered_value)(i);
}

/* ---- steps of a pass --------------------------------------------------------------------------- */

/* Where the value of a tile's item is in shared memory. */
GPI_DEVICE GPI_OF(value) *GPI_OF(value_at)(const GPI_OF(arrays) *pass, uint32_t position)
{
    const uint32_t at = pass->off + position * (uint32_t)sizeof(GPI_OF(value));

    return (GPI_OF(value) *)(pass->values + gpi_radix_value_at(at, GPI_OF(changes)));
}

/* Brings the values of a tile to shared memory, where they are after gpi_copy_wait(). */
GPI_DEVICE void GPI_OF(stage)(GPI_OF(arrays) *pass, size_t first, uint32_t count)
{
    if (pass->values_from) {
        const char *from = (const char *)(pass->values_from + first);

        pass->off = gpi_radix_stage(pass->values, from, count * (uint32_t)sizeof(GPI_OF(value)), GPI_OF(threads),
                                    GPI_OF(changes));
        return;
    }
    for (uint32_t x = threadIdx.x; x < count; x += GPI_OF(threads))
        *GPI_OF(value_at)(pass, x) = GPI_OF(numbered_value)(first + x);
}

/* Reads a tile of `count` items: each warp its warp tile, striped over the lanes. */
GPI_DEVICE void GPI_OF(load)(GP_KEY *keys, const GPI_OF(arrays) *pass, size_t first, uint32_t count, uint32_t rounds)
{
    const unsigned at = threadIdx.x / 32 * 32 * rounds + threadIdx.x % 32;
    const GP_KEY *from = pass->keys_from + first + at;
    const GP_KEY last = GPI(coded) && !pass->first ? GPI(key_code)(GPI(key_last)()) : GPI(key_last)();

    if (!GPI_RADIX_SMALL && count == GPI_OF(tile_n)) {
        GPI_UNROLL
        for (int i = 0; i < GPI_OF(items); i++)
            keys[i] = from[32 * i];
    } else {
        const int limit = (int)gpi_min(count, at + 32 * rounds) - (int)at;

        GPI_UNROLL
        for (int i = 0; i < GPI_OF(items); i++)
            keys[i] = 32 * i < limit ? from[32 * i] : last;
    }
    if (GPI(coded) && pass->first) {
        GPI_UNROLL
        for (int i = 0; i < GPI_OF(items); i++)
            keys[i] = GPI(key_code)(keys[i]);
    }
}

/*
 * Counts the digits of the warp tile, with what fills up the last tile. Additions whose result is unused take no longer
 * when lanes have the same digit. `one` is a constant: whether there may be a -0.0.
 */
GPI_DEVICE void GPI_OF(count_digits)(GPI_OF(tile) *tile, const GP_KEY *keys, const GPI_OF(arrays) *pass,
                                     uint32_t rounds, int one)
{
    uint32_t *counts = tile->counts[threadIdx.x / 32];

    GPI_UNROLL
    for (int i = 0; i < GPI_OF(items); i++) {
        if (i % GPI_OF(rounds) == 0 && i >= (int)rounds)
            break;
        atomicAdd(&counts[gpi_radix_column(GPI(digit)(keys[i], pass->shift, pass->mask, one))], 1u);
    }
}

/*
 * Adds up the warps' counts of each digit, publishes them, and turns them into the first slot of each warp's keys.
 * Returns thread d how many keys of the digit d there are, and in *start the first slot. The tile is the first one if
 * its number is `begun`.
 */
GPI_DEVICE uint32_t GPI_OF(add_up)(GPI_OF(tile) *tile, const GPI(job) *job, uint32_t begun, uint32_t *start)
{
    const unsigned digit = threadIdx.x;
    uint32_t *counts = &tile->counts[0][gpi_radix_column(digit % 256)], sum = 0;

    if (digit < 256) {
        sum = gpi_radix_sum_warps(counts, GPI_OF(warps), 256);
        gpi_store_relaxed_u32(&job->look[tile->tile * 256 + digit], GPI_RADIX_SEEN(job->tag, tile->tile == begun, sum));
    }
    *start = gpi_radix_scan(tile->sums, 8, sum, NULL);
    if (digit < 256)
        gpi_radix_scan_warps(counts, GPI_OF(warps), 256, *start);
    __syncthreads(); /* the warps' first slots are there */
    return sum;
}

/* Puts a key, and where in the tile it comes from, into a slot. */
GPI_DEVICE void GPI_OF(put)(const GPI_OF(arrays) *pass, uint32_t slot, GP_KEY key, uint32_t position)
{
    pass->keys[slot] = key;
    if (GPI_RADIX_PAIRS)
        pass->positions[slot] = (uint16_t)position;
}

/* The others move down when the first `some` keys are done: registers cannot be indexed at run time, in short code. */
GPI_DEVICE void GPI_OF(keys_done)(GP_KEY *keys, int some)
{
    GPI_UNROLL
    for (int i = some; i < GPI_OF(items); i++)
        keys[i - some] = keys[i];
}

/*
 * By ballots, or by matching, a constant: that takes a turn for each digit that some lane has. The count of a digit is
 * the next slot. The slots behind the items are for the padding of the tile.
 */
GPI_DEVICE void GPI_OF(exchange_by_ballots)(uint32_t *counts, GP_KEY *keys, const GPI_OF(arrays) *pass, uint32_t at,
                                            uint32_t rounds, int by_match)
{
    /* Matches under way at a time hold registers, of which large keys leave few. */
    const uint32_t each = by_match && GPI_OF(items) < 16 ? GPI_OF(rounds) : GPI_OF(ranked);
    uint32_t ones = 0xFFFFFFFFu;

    GPI_OPAQUE(ones);
    GPI_NO_UNROLL
    for (uint32_t i = 0; i < rounds; i += each) {
        GPI_UNROLL
        for (uint32_t k = 0; k < each; k++) {
            const uint32_t place = k % GPI_OF(rounds); /* items end between rounds, or where there are no more */

            if ((place == 0 || place == GPI_OF(items) % GPI_OF(rounds)) && i + k >= rounds)
                break;
            uint32_t digit = GPI(digit)(keys[k], pass->shift, pass->mask, 1);
            const unsigned same = by_match ? __match_any_sync(GPI_FULL_MASK, digit) : gpi_match_digit(digit, ones);
            uint32_t slot = gpi_radix_rank(&counts[gpi_radix_column(digit)], 0, same);

            GPI_OF(put)(pass, slot, keys[k], at + 32 * (i + k));
        }
        GPI_OF(keys_done)(keys, (int)each);
    }
}

/*
 * By atomics; with the constant `but`, all but the keys with the digit `common`. Instead of a branch, which would have
 * to wait for the result, the lanes with these add to a word that is not used.
 */
GPI_DEVICE void GPI_OF(exchange_by_atomics)(GPI_OF(tile) *tile, uint32_t *counts, GP_KEY *keys,
                                            const GPI_OF(arrays) *pass, uint32_t at, int but, uint32_t common)
{
    const unsigned below = (1u << threadIdx.x % 32) - 1;
    uint32_t next = but ? counts[gpi_radix_column(common)] : 0;
    uint32_t *const idle = &tile->idle[threadIdx.x % 32];

    GPI_NO_UNROLL
    for (uint32_t i = 0; i < GPI_OF(items); i += GPI_OF(step)) {
        GPI_UNROLL
        for (uint32_t k = 0; k < GPI_OF(step); k++) {
            uint32_t digit = GPI(digit)(keys[k], pass->shift, pass->mask, 0);
            const int is_common = but && digit == common;
            unsigned same = but ? __ballot_sync(GPI_FULL_MASK, is_common) : 0;
            uint32_t rare = atomicAdd(is_common ? idle : &counts[gpi_radix_column(digit)], 1u);
            uint32_t slot = is_common ? next + (uint32_t)__popc(same & below) : rare;

            next += (uint32_t)__popc(same);
            GPI_OF(put)(pass, slot, keys[k], at + 32 * (i + k));
        }
        GPI_OF(keys_done)(keys, GPI_OF(step));
    }
}

/* Ranks the keys, and puts them into shared memory in order of the digit. */
GPI_DEVICE void GPI_OF(exchange)(GPI_OF(tile) *tile, GP_KEY *keys, const GPI_OF(arrays) *pass, uint32_t rounds,
                                 int way)
{
    const unsigned at = threadIdx.x / 32 * 32 * rounds + threadIdx.x % 32;
    uint32_t *counts = tile->counts[threadIdx.x / 32];

    if (way == GPI_RADIX_BY_BALLOTS)
        GPI_OF(exchange_by_ballots)(counts, keys, pass, at, rounds, 0);
    else if (way == GPI_RADIX_BY_MATCH)
        GPI_OF(exchange_by_ballots)(counts, keys, pass, at, rounds, 1);
    else if (way == GPI_RADIX_BY_ATOMICS)
        GPI_OF(exchange_by_atomics)(tile, counts, keys, pass, at, 0, 0);
    else
        GPI_OF(exchange_by_atomics)(tile, counts, keys, pass, at, 1, (uint32_t)way - GPI_RADIX_BY_ATOMICS_BUT);
}

/* Thread d: how many keys of the digit d the tiles from `begun` on have before this one; makes that known. */
GPI_DEVICE uint32_t GPI_OF(look_back)(const GPI(job) *job, uint32_t begun, uint32_t tile, uint32_t sum)
{
    uint32_t *own = job->look + tile * 256 + threadIdx.x;
    uint32_t before = 0;
    int known = tile == begun;

    for (const uint32_t *row = own - 256; !known;) {
        uint32_t words[GPI_OF(ahead)];

        GPI_UNROLL
        for (int w = 0; w < GPI_OF(ahead); w++) /* there are rows before the first tile's; they are not used */
            words[w] = gpi_load_relaxed_u32(row - w * 256) ^ GPI_RADIX_SEEN(job->tag, 0, 0);
        GPI_UNROLL
        for (int w = 0; w < GPI_OF(ahead) && words[w] <= GPI_RADIX_SEEN(0u, 1, GPI_RADIX_SEEN_COUNT) && !known; w++) {
            before += words[w] & GPI_RADIX_SEEN_COUNT;
            known = words[w] > GPI_RADIX_SEEN_COUNT;
            row -= 256;
        }
    }
    if (tile > begun)
        gpi_store_relaxed_u32(own, GPI_RADIX_SEEN(job->tag, 1, before + sum));
    return before;
}

/*
 * Writes `some` items of the thread, from a slot on. Returns whether one stands behind another that it should precede;
 * the first slot has none before it. Without branches, so that the compiler interleaves items.
 */
GPI_DEVICE int GPI_OF(write_some)(const GPI_OF(tile) *tile, const GPI_OF(arrays) *pass, size_t first, uint32_t at,
                                  uint32_t some, int check, int one)
{
    int wrong = 0;

    GPI_UNROLL
    for (uint32_t i = 0; i < some; i++) {
        const uint32_t slot = at + i * GPI_OF(threads);
        const GP_KEY key = pass->keys[slot];
        const uint32_t digit = GPI(digit)(key, pass->shift, pass->mask, one);
        const uint32_t before = slot - (i == 0 ? slot > 0 : 1);

        if (check && GPI_RADIX_PAIRS) { /* in the order in which they came */
            wrong |= (slot > tile->start[digit]) & (pass->positions[slot] < pass->positions[before]);
        } else if (check) { /* by this digit and all before it: the topmost bits now */
            const int above = 8 * (int)sizeof(GPI(number)) - 8 - pass->shift;

            wrong |= GPI(moved_number)(key) << above < GPI(moved_number)(pass->keys[before]) << above;
        }
        const size_t to = (size_t)tile->place[digit] + slot;
        pass->keys_to[to] = GPI(coded) && pass->last ? GPI(key_of_code)(key) : key;
        if (GPI_RADIX_PAIRS) {
            const uint32_t position = pass->positions[slot];

            pass->values_to[to] = GPI_OF(staged)      ? *GPI_OF(value_at)(pass, position)
                                  : pass->values_from ? pass->values_from[first + position]
                                                      : GPI_OF(numbered_value)(first + position);
        }
    }
    return wrong;
}

/* Writes the tile, each digit to its place. Only whole tiles are checked. */
GPI_DEVICE int GPI_OF(write)(const GPI_OF(tile) *tile, const GPI_OF(arrays) *pass, size_t first, uint32_t count,
                             int check, int one)
{
    const int whole = check || (!GPI_RADIX_SMALL && count == GPI_OF(tile_n));
    uint32_t at = threadIdx.x;
    int wrong = 0;

    GPI_NO_UNROLL
    for (; whole && at < GPI_OF(tile_n); at += GPI_OF(step) * GPI_OF(threads))
        wrong |= GPI_OF(write_some)(tile, pass, first, at, GPI_OF(step), check, one);
    GPI_NO_UNROLL
    for (; !whole && at < count; at += GPI_OF(threads))
        GPI_OF(write_some)(tile, pass, first, at, 1, 0, one);
    return wrong;
}

/* Writes the tile once more, in the order of the input: thread d writes the keys of the digit d. */
GPI_DEVICE void GPI_OF(write_again)(const GPI_OF(tile) *tile, const GPI_OF(arrays) *pass, size_t first,
                                    uint32_t count)
{
    if (threadIdx.x >= 256)
        return;
    size_t to = (size_t)tile->place[threadIdx.x] + tile->start[threadIdx.x];

    GPI_NO_UNROLL
    for (size_t i = first; i < first + count; i++) {
        GP_KEY key = pass->keys_from[i];

        key = GPI(coded) && pass->first ? GPI(key_code)(key) : key;
        if (GPI(digit)(key, pass->shift, pass->mask, 1) != threadIdx.x)
            continue;
        pass->keys_to[to] = GPI(coded) && pass->last ? GPI(key_of_code)(key) : key;
        if (GPI_RADIX_PAIRS)
            pass->values_to[to] = pass->values_from ? pass->values_from[i] : GPI_OF(numbered_value)(i);
        to++;
    }
}

/* What the plan says about a pass. Returns its digit of the key, or -1. */
GPI_DEVICE int GPI_OF(choose)(const GPI(job) *job, GPI_OF(arrays) *pass, char *items)
{
    const gpi_radix_plan *plan = job->plan;
    const gpi_radix_step step = plan->steps[job->pass];
    const int left = plan->moves - job->pass, from = job->pass ? 1 + left % 2 : 0, to = 2 - left % 2;

    pass->keys_from = job->keys[from];
    pass->keys_to = job->keys[to];
    pass->values_from = (const GPI_OF(value) *)job->values[from];
    pass->values_to = (GPI_OF(value) *)job->values[to];
    pass->shift = job->begin_bit + step.shift;
    pass->mask = 255u >> (8 - step.bits);
    pass->first = job->pass == 0;
    pass->last = job->pass == plan->sorting - 1;
    pass->minus_zero = plan->minus_zero;
    pass->keys = (GP_KEY *)items;
    pass->positions = (uint16_t *)(items + (GPI_RADIX_PAIRS ? job->tile_n * (GPI_OF(slot) - 2u) + GPI_RADIX_SPARE : 0));
    pass->values = items + job->tile_n * sizeof(GP_KEY);
    pass->off = 0;
    return step.digit;
}
#endif

/* ---- the kernel -------------------------------------------------------------------------------- */

static __global__ void __launch_bounds__(GPI_OF(threads), GPI_OF(blocks)) GPI_OF(pass_kernel)(GPI(job) job)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, items);
    GP_SHARED(GPI_OF(tile), tile);
    gpi_radix_plan *plan = job.plan;
    GPI_OF(arrays) pass;
    uint64_t place = 0;
    uint32_t next = 0;

    if (threadIdx.x == 0)
        next = atomicAdd(job.ticket, 1u); /* zero since before the launch before this one */
    gpi_grid_wait();
    gpi_grid_launch_next();
    if (GPI_RADIX_IS_COUNTED(job)) { /* the portion is written from the counts */
        const uint64_t at = threadIdx.x < 256 ? plan->place[0][0][threadIdx.x] : 0;
        const uint32_t begin = at > job.first ? gpi_min_size(at - job.first, job.portion_n) : 0;

        GPI(write_counted)(tile.counts[0], begin, job.keys[1] + job.first, job.portion_n);
        return;
    }
    if (job.pass >= plan->passes)
        return;
    const int digit = GPI_OF(choose)(&job, &pass, items), planned = plan->steps[job.pass].way;
    const int in_ranges = GPI_RADIX_PAIRS && job.levels == 2 && job.pass == 1 && job.buckets->chosen;
    const gpi_radix_ranges *ranges = &job.buckets->ranges;
    const uint32_t tiles = in_ranges ? ranges->tiles[256] : job.tiles;
    if (digit < 0) {
        GPI_OF(copy)(&job, &pass);
        return;
    }
    if (threadIdx.x < 256 && !in_ranges)
        place = plan->place[digit][job.odd][threadIdx.x];
    for (;;) {
        GP_KEY keys[GPI_OF(items)];
        uint32_t start = 0, begun = 0; /* the first tile, or that of the range */

        if (threadIdx.x == 0)
            tile.tile = next;
        gpi_radix_zero(tile.counts[0], GPI_OF(warps) * 256);
        __syncthreads(); /* the tile is known, the counts are zero */
        const uint32_t taken = tile.tile;
        if (taken >= tiles)
            break;
        size_t first = job.first + (size_t)taken * job.tile_n;
        uint32_t left = job.portion_n - taken * job.tile_n;
        if (in_ranges) {
            const int bits = plan->steps[job.pass].bits;

            if (threadIdx.x < 256 && ranges->tiles[threadIdx.x] <= taken && taken < ranges->tiles[threadIdx.x + 1])
                tile.range = threadIdx.x;
            __syncthreads(); /* the range is known */
            const uint32_t bucket = tile.range << bits;
            begun = ranges->tiles[tile.range];
            first = ranges->begin[bucket] + (taken - begun) * job.tile_n;
            left = ranges->begin[bucket + (1u << bits)] - (uint32_t)first;
            place = threadIdx.x >> bits == 0 ? ranges->begin[bucket + threadIdx.x] : 0;
        }
        const uint32_t count = gpi_min(job.tile_n, left);
        const uint32_t some = GPI_OF(rounds) *GPI_OF(threads);
        const uint32_t rounds = /* items of a thread */
            gpi_min((count + some - 1) / some * GPI_OF(rounds), (uint32_t)GPI_OF(items));
        const int whole = !GPI_RADIX_SMALL && count == GPI_OF(tile_n);
        const int way = whole ? planned : GPI_RADIX_BY_BALLOTS;

        if (GPI_OF(staged))
            GPI_OF(stage)(&pass, first, count);
        GPI_OF(load)(keys, &pass, first, count, rounds);
        const int one = !GPI(coded) || pass.minus_zero;
        if (one)
            GPI_OF(count_digits)(&tile, keys, &pass, rounds, 1);
        else
            GPI_OF(count_digits)(&tile, keys, &pass, rounds, 0);
        __syncthreads(); /* the warps' counts are complete */
        uint32_t sum = GPI_OF(add_up)(&tile, &job, begun, &start);
        GPI_OPAQUE(pass.shift); /* the digits again, rather than in registers since the count */
        GPI_OF(exchange)(&tile, keys, &pass, rounds, way);
        if (threadIdx.x < 256) {
            uint32_t before = GPI_OF(look_back)(&job, begun, taken, sum);
            tile.place[threadIdx.x] = place + before - start;
            tile.start[threadIdx.x] = start;
            if (taken == job.tiles - 1) /* where the next portion goes on */
                plan->place[digit][!job.odd][threadIdx.x] = place + before + sum;
        }
        if (GPI_OF(blocks) == 1 && !GPI_RADIX_SMALL && !in_ranges && taken + gridDim.x < tiles) {
            /* The block is alone on its multiprocessor. Asked for earlier, many keys would leave the L2 unread. */
            const GP_KEY *coming = pass.keys_from + first + (size_t)gridDim.x * job.tile_n; /* a guess */

            for (uint32_t line = threadIdx.x * 128; line < job.tile_n * sizeof(GP_KEY); line += GPI_OF(threads) * 128)
                gpi_prefetch((const char *)coming + line);
        }
        if (GPI_OF(staged))
            gpi_copy_wait();
        __syncthreads(); /* the items are in their slots, the places are known */
        const int check = !GPI_RADIX_SMALL && way >= GPI_RADIX_BY_ATOMICS && (job.pass > 0 || GPI_RADIX_PAIRS);
        GPI_OPAQUE(pass.shift);
        int wrong = check ? GPI_OF(write)(&tile, &pass, first, count, 1, 0)
                    : one ? GPI_OF(write)(&tile, &pass, first, count, 0, 1)
                          : GPI_OF(write)(&tile, &pass, first, count, 0, 0);
        const int again = job.forced == GP_KERNEL_PASSES_AGAIN && taken % 3 == 0;
        if (__syncthreads_or(wrong || again) && !GPI_RADIX_SMALL) { /* the items have left, too */
            GPI_OF(write_again)(&tile, &pass, first, count);
            __syncthreads(); /* the places are no longer read */
        }
        if (tiles <= gridDim.x) /* every block has one tile */
            break;
        /* Not earlier: a block that holds a tile without working on it delays all later tiles. */
        if (threadIdx.x == 0)
            next = atomicAdd(job.ticket, 1u);
    }
#endif
}

#undef GPI_RADIX_SMALL
#undef GPI_OF
