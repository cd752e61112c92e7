/*
 * core/radix/cluster.cuh: the radix sort of up to about 100 thousand keys, in one launch by a cluster of blocks, which
 * exchange the keys through each other's shared memory. Every block has an equal share of the input. Values stay where
 * they are until the end; until then every key is accompanied by its position. The short way, highest digit first:
 *
 *     1. spread: each block gets a range of the topmost digits, and no more than two shares of the keys
 *     2. bins: each block moves its keys to the bin that the next thirteen bits say
 *     3. compare: each key counts those of its bin that it precedes: by whole keys and, if they are equal, positions
 *
 * Keys alone have no positions: those with all bits equal need none, and with others the short way is not taken. Floats
 * have digits and bins of equal width, from the least to the largest of a sample, since their topmost bits are few.
 *
 * The long way, lowest digit first, is taken when some digit or some bin has too many keys. It ranks by ballots as
 * core/radix/tile.cuh does, and keeps the order in each of its passes.
 *
 * Part of radix_sort.cuh; not to be included directly.
 */

#ifndef GPI_RADIX_CLUSTER_CUH
#define GPI_RADIX_CLUSTER_CUH

enum {
    GPI_RADIX_CLUSTER_MAX = 16, /* blocks */
    GPI_RADIX_SHARE_BIN_BITS = 13,
    GPI_RADIX_SHARE_BINS = 1 << GPI_RADIX_SHARE_BIN_BITS,
    GPI_RADIX_WIDTH_BITS = 8 + GPI_RADIX_SHARE_BIN_BITS, /* of a float's place, by how large it is */
    GPI_RADIX_CROWD = 64, /* keys of a bin; more are not compared */
    GPI_RADIX_ROW = 264   /* of the table: the counts of 256 digits, and whether the block must be strict */
};

/* What a block has in shared memory, besides its row of the table for each block, and its items. */
typedef struct gpi_radix_state {
    union {
        uint32_t bins[GPI_RADIX_SHARE_BINS / 2]; /* the short way: two in a word, counts of keys; */
        uint16_t ends[GPI_RADIX_SHARE_BINS];     /* then where the keys of each begin, at last where they end */
        uint16_t counts[32][258]; /* the long way: of each warp; its reads of several rows have no bank conflicts */
        uint32_t pairs[32][129];  /* of the counts of two digits */
    } u;
    uint32_t digits[256]; /* keys of the block */
    uint32_t owner[256];  /* the block that gets a digit's keys */
    uint32_t slot[256];   /* where they begin in this block, and how far from there they go */
    uint32_t place[256];
    uint32_t from[GPI_RADIX_CLUSTER_MAX], to[GPI_RADIX_CLUSTER_MAX];  /* what a block gets, */
    uint32_t low[GPI_RADIX_CLUSTER_MAX], high[GPI_RADIX_CLUSTER_MAX]; /* and its digits */
    uint32_t sums[32], more_sums[32];
    uint32_t strict, crowded;
    uint64_t ends[64];
} __attribute__((aligned(16))) gpi_radix_state;

#if GPI_DEVICE_CODE
/* Before the short way: there are no digits yet. The caller ends with a barrier. */
GPI_DEVICE void gpi_radix_share_clear(gpi_radix_state *state)
{
    if (threadIdx.x < 256)
        state->digits[threadIdx.x] = 0;
    if (threadIdx.x < GPI_RADIX_CLUSTER_MAX) {
        state->from[threadIdx.x] = state->low[threadIdx.x] = 0x7FFFFFFF;
        state->to[threadIdx.x] = state->high[threadIdx.x] = 0;
    }
}

/* Counts a key of the bin. Returns what was in its half of the word before. */
GPI_DEVICE uint32_t gpi_radix_share_add(gpi_radix_state *state, uint32_t bin)
{
    const uint32_t shift = bin % 2 * 16;

    return atomicAdd(&state->u.bins[bin / 2], 1u << shift) >> shift & 0xFFFF;
}
#endif

#endif

__extension__ enum {
    GPI(may_be_linear) = GPI(key_is_float) && sizeof(GP_KEY) >= 4, /* whether keys may go by how large they are */
    /* Shared memory of an item: in both arrays; or, at the end, a position and the value. */
    GPI(cluster_slot) = !GPI_RADIX_PAIRS                                   ? 2 * (int)sizeof(GP_KEY)
                        : sizeof(GPI_RADIX_VALUE) > 2 * sizeof(GP_KEY) + 4 ? 4 + (int)sizeof(GPI_RADIX_VALUE)
                                                                           : 2 * (4 + (int)sizeof(GP_KEY)),
    /*
     * Items of a thread's share, at most. Of many that take the long way, passes of the whole grid take less time: that
     * happens most to pairs and floats. Bytes with values have one pass, which is faster, too.
     */
    GPI(cluster_items) = GPI(may_be_linear) && GPI_RADIX_PAIRS && sizeof(GP_KEY) == 8           ? 3
                         : GPI(may_be_linear) || GPI_RADIX_PAIRS || sizeof(GP_KEY) == 1 ? 4
                                                                                        : 8
};

/* What a block works on. */
typedef struct {
    GPI(request) of;
    uint32_t n, share, rounds; /* a share is so many items of each thread */
    uint32_t inverse;          /* 2^32 / share, rounded up: times an item, over 2^32, the block whose share has it */
    uint32_t at, items;        /* the thread's first item, and how many: fewer than rounds where the input ends */
    int bits;
    uint64_t range; /* as many ones as bits */
    int strict;     /* keys with equal bits may be different */
    GPI(bucket_map) places; /* where floats belong, if it is linear */
    gpi_radix_state *state;
    uint16_t *table; /* a row for each block of the cluster */
    GP_KEY *keys[2]; /* items, and another array of them */
    uint32_t *from[2];
    uint32_t first, count; /* items that the block has got, and where they go */
} GPI(share);

#if GPI_DEVICE_CODE
/* The bits of a key to sort by. */
GPI_DEVICE GPI(number) GPI(share_number)(const GPI(share) *share, GP_KEY key)
{
    return GPI(key_number)(key) >> share->of.begin_bit & (GPI(number))share->range;
}

/* The same, or the place of a float, less `low`, shifted. */
GPI_DEVICE uint32_t GPI(share_bin)(const GPI(share) *share, GP_KEY key, uint64_t low, int shift)
{
    if (GPI(may_be_linear) && share->places.linear)
        return (GPI(linear_place)(share->places, key) - (uint32_t)low) >> shift;
    return (uint32_t)((GPI(share_number)(share, key) - (GPI(number))low) >> shift);
}

/* How many keys have the digit of the thread in all blocks, and *before in those before this one. */
GPI_DEVICE uint32_t GPI(share_total)(const GPI(share) *share, uint32_t *before)
{
    uint32_t total = 0;

    *before = 0;
    if (threadIdx.x >= 256)
        return 0;
    GPI_UNROLL_BY(4)
    for (unsigned r = 0; r < gridDim.x; r++) {
        uint32_t count = share->table[r * GPI_RADIX_ROW + threadIdx.x];

        *before += r < blockIdx.x ? count : 0;
        total += count;
    }
    return total;
}

/*
 * Finds places of equal width from a sample of the keys, the same one in every block, unless most keys are at the ends.
 * There are 1024 threads; all call.
 */
GPI_DEVICE void GPI(share_measure)(GPI(share) *share)
{
    GP_KEY keys[GPI_RADIX_SAMPLES];

    GPI_UNROLL
    for (uint32_t i = 0; i < GPI_RADIX_SAMPLES; i++) {
        /* Somewhere in each stretch: regular intervals would be no sample of periodic input. */
        const uint32_t stretch = i * 1024 + threadIdx.x, some = stretch * 0x9E3779B1u >> 16;

        keys[i] = share->of.keys_in[((uint64_t)stretch << 16 | some) * share->n / (GPI_RADIX_SAMPLES * 1024) >> 16];
    }
    const gpi_radix_places places = GPI(equal_width)(keys, (GPI(number) *)share->state->ends, GPI_RADIX_WIDTH_BITS);
    share->places.linear = 1;
    share->places.bits = GPI_RADIX_WIDTH_BITS;
    share->places.factor = (GPI(real))places.factor;
    share->places.offset = (GPI(real))places.offset;
    const uint32_t part = GPI(linear_place)(share->places, keys[0]) >> (GPI_RADIX_WIDTH_BITS - 4);
    share->places.linear = __syncthreads_count(part % 15 == 0) < 512 && places.linear;
}

/* ---- the short way ----------------------------------------------------------------------------- */

/* Every block publishes how many keys of each digit it has, and whether it must be strict. */
GPI_DEVICE void GPI(share_publish)(const GPI(share) *share, uint32_t count, uint32_t strict)
{
    GPI_NO_UNROLL
    for (unsigned r = threadIdx.x / 256; r < gridDim.x; r += blockDim.x / 256) {
        uint16_t *row = (uint16_t *)gpi_cluster_shared(share->table + blockIdx.x * GPI_RADIX_ROW, r);

        row[threadIdx.x % 256] = (uint16_t)count;
        if (threadIdx.x % 256 == 0)
            row[256] = (uint16_t)strict;
    }
}

/*
 * Moves the keys to the blocks that their topmost digits belong to. Returns the bits in which a block's keys may
 * differ, from *low up, or -1 when a block would get too many, or some must be strict: then nothing has been moved. The
 * same in all blocks.
 */
GPI_DEVICE int GPI(share_spread)(GPI(share) *share, const GP_KEY *keys, uint64_t *low)
{
    gpi_radix_state *state = share->state;
    const unsigned tid = threadIdx.x, me = blockIdx.x;
    const int linear = GPI(may_be_linear) && share->places.linear, bits = linear ? GPI_RADIX_WIDTH_BITS : share->bits;
    const int shift = bits > 8 ? bits - 8 : 0;
    uint32_t before, strict = 0, ranks[GPI(cluster_items)];

    GPI_UNROLL
    for (uint32_t i = 0; i < GPI(cluster_items); i++)
        if (i < share->items) {
            ranks[i] = atomicAdd(&state->digits[GPI(share_bin)(share, keys[i], 0, shift)], 1u);
            if ((!GPI_RADIX_PAIRS && GPI(key_is_minus_zero)(keys[i])) || (linear && GPI(key_is_nan)(keys[i])))
                state->strict = 1;
        }
    __syncthreads();    /* the digits have been counted */
    gpi_cluster_wait(); /* all blocks have started */
    GPI(share_publish)(share, state->digits[tid % 256], state->strict);
    gpi_cluster_sync(); /* the table is complete */
    const uint32_t total = GPI(share_total)(share, &before);
    const uint32_t start = gpi_radix_scan(state->sums, 8, total, NULL);
    const uint32_t slot = gpi_radix_scan(state->more_sums, 8, tid < 256 ? state->digits[tid] : 0, NULL);
    if (tid < 256) {
        uint32_t owner = (uint32_t)((uint64_t)start * share->inverse >> 32);

        state->place[tid] = start + before - slot;
        state->slot[tid] = slot;
        state->owner[tid] = owner;
        if (total) {
            atomicMin(&state->from[owner], start);
            atomicMax(&state->to[owner], start + total);
            atomicMin(&state->low[owner], tid);
            atomicMax(&state->high[owner], tid);
        }
    }
    __syncthreads(); /* the owners are known */
    if (tid < gridDim.x)
        strict = share->table[tid * GPI_RADIX_ROW + 256] || state->to[tid] > state->from[tid] + 2 * share->share;
    if (__syncthreads_or(strict))
        return -1;
    if (tid < 256)
        state->place[tid] -= state->from[gpi_min(state->owner[tid], gridDim.x - 1)];
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI(cluster_items); i++)
        if (i < share->items) {
            uint32_t to = state->slot[GPI(share_bin)(share, keys[i], 0, shift)] + ranks[i];

            share->keys[1][to] = keys[i];
            if (GPI_RADIX_PAIRS)
                share->from[1][to] = share->at + 32 * i;
        }
    __syncthreads(); /* the block's keys are in order of the digit: those of one digit travel side by side */
    const uint32_t first = me * share->share;
    const uint32_t mine = first < share->n ? gpi_min(share->n - first, share->share) : 0;
    for (uint32_t x = tid; x < mine; x += blockDim.x) {
        GP_KEY key = share->keys[1][x];
        uint32_t digit = GPI(share_bin)(share, key, 0, shift), owner = state->owner[digit];
        uint32_t to = state->place[digit] + x;

        *(GP_KEY *)gpi_cluster_shared(&share->keys[0][to], owner) = key;
        if (GPI_RADIX_PAIRS)
            *(uint32_t *)gpi_cluster_shared(&share->from[0][to], owner) = share->from[1][x];
    }
    gpi_cluster_sync(); /* every block has what it gets */
    share->first = state->from[me];
    share->count = state->to[me] > share->first ? state->to[me] - share->first : 0;
    *low = share->count ? (uint64_t)state->low[me] << shift : 0;
    return shift + 32 - __clz(share->count ? (int)(state->high[me] - state->low[me]) : 0);
}

/* Whether keys of a bin with many of them are not all the same; then the long way must sort them. */
GPI_DEVICE int GPI(share_is_mixed)(const GPI(share) *share, uint64_t low, int shift)
{
    int mixed = 0;

    for (uint32_t x = threadIdx.x; x < share->count; x += blockDim.x) {
        const GP_KEY key = share->keys[1][x];
        const uint32_t bin = GPI(share_bin)(share, key, low, shift);
        const uint32_t begin = bin ? share->state->u.ends[bin - 1] : 0;

        if (share->state->u.ends[bin] - begin > GPI_RADIX_CROWD)
            mixed |= GPI_RADIX_PAIRS || GPI(key_order)(share->keys[1][begin]) != GPI(key_order)(key);
    }
    return mixed;
}

/* Sorts what the block has got, and writes the keys. Returns whether all blocks could; if not, nothing is done. */
GPI_DEVICE int GPI(share_sort)(GPI(share) *share, uint64_t low, int bits)
{
    gpi_radix_state *state = share->state;
    const int shift = bits > GPI_RADIX_SHARE_BIN_BITS ? bits - GPI_RADIX_SHARE_BIN_BITS : 0;
    /* Otherwise the keys of a bin are all the same. */
    const int compares = GPI_RADIX_PAIRS || shift > 0 || (GPI(may_be_linear) && share->places.linear);

    for (uint32_t x = threadIdx.x; x < share->count; x += blockDim.x)
        gpi_radix_share_add(state, GPI(share_bin)(share, share->keys[0][x], low, shift));
    __syncthreads(); /* the bins have been counted */
    const int crowded = gpi_radix_scan_bins(state->u.bins, state->sums, blockDim.x < 1024 ? 8 : 4, 4, GPI_RADIX_HALVES,
                                            GPI_RADIX_CROWD);
    __syncthreads(); /* where each bin begins is there */
    for (uint32_t x = threadIdx.x; x < share->count; x += blockDim.x) {
        GP_KEY key = share->keys[0][x];
        uint32_t slot = gpi_radix_share_add(state, GPI(share_bin)(share, key, low, shift));

        share->keys[1][slot] = key;
        if (GPI_RADIX_PAIRS)
            share->from[1][slot] = share->from[0][x];
    }
    __syncthreads(); /* the items are in their bins */
    if (crowded && GPI(share_is_mixed)(share, low, shift)) {
        GPI_NO_UNROLL
        for (unsigned r = 0; r < gridDim.x; r++)
            ((gpi_radix_state *)gpi_cluster_shared(state, r))->crowded = 1;
    }
    gpi_cluster_sync(); /* whether a bin is crowded anywhere is known */
    if (state->crowded)
        return 0;
    for (uint32_t x = threadIdx.x; x < share->count; x += blockDim.x) {
        const GP_KEY key = share->keys[1][x];
        const uint64_t number = GPI(share_number)(share, key);
        const uint32_t from = GPI_RADIX_PAIRS ? share->from[1][x] : x, bin = GPI(share_bin)(share, key, low, shift);
        uint32_t begin = bin ? state->u.ends[bin - 1] : 0, end = state->u.ends[bin], slot = x;

        if (compares && end - begin <= GPI_RADIX_CROWD) {
            slot = end - 1; /* less those that it comes before */
            GPI_NO_UNROLL
            for (uint32_t y = begin; y < end; y++)
                slot = gpi_less_if_before(slot, number, from, GPI(share_number)(share, share->keys[1][y]),
                                          GPI_RADIX_PAIRS ? share->from[1][y] : y, GPI_KEY_IS_NARROW);
        }
        share->of.keys_out[share->first + slot] = key;
        if (GPI_RADIX_PAIRS)
            share->from[0][slot] = from;
    }
    __syncthreads(); /* the positions are in order */
    return 1;
}

/* ---- the long way ------------------------------------------------------------------------------ */

/* Ranks each key of the warp tile, from *keys on, among those of its digit there. */
GPI_DEVICE void GPI(share_rank)(const GP_KEY *keys, uint16_t *ranks, uint16_t *counts, uint32_t n, int shift,
                                uint32_t mask)
{
    uint32_t ones = 0xFFFFFFFFu;

    GPI_OPAQUE(ones);
    GPI_UNROLL
    for (unsigned i = 0; i < 256; i += 32)
        counts[i + threadIdx.x % 32] = 0;
    __syncwarp(); /* the counts are zero */
    GPI_NO_UNROLL
    for (uint32_t i = 0; i < n; i += 32) {
        const uint32_t digit = GPI(key_digit)(keys[i], shift, mask);
        const unsigned same = gpi_match_digit(digit, ones);

        ranks[i] = (uint16_t)gpi_radix_rank(&counts[digit], 1, same);
    }
}

/*
 * One digit: turns the warps' counts into the first places of their keys in the cluster. Returns whether one digit has
 * all keys. A thread has two digits, side by side in a word, in four warps.
 */
GPI_DEVICE int GPI(share_pass)(GPI(share) *share)
{
    gpi_radix_state *state = share->state;
    const unsigned tid = threadIdx.x, parts = blockDim.x / 128;
    const unsigned pair = tid / parts, part = tid % parts;
    uint32_t counts[4], sum = 0, scan, before;

    GPI_UNROLL
    for (unsigned w = 0; w < 4; w++)
        sum += counts[w] = state->u.pairs[4 * part + w][pair];
    scan = sum;
    GPI_NO_UNROLL
    for (unsigned stride = 1; stride < parts; stride *= 2) {
        uint32_t other = __shfl_up_sync(GPI_FULL_MASK, scan, stride);

        scan += part >= stride ? other : 0;
    }
    if (part == parts - 1) {
        state->digits[2 * pair] = scan % 65536;
        state->digits[2 * pair + 1] = scan / 65536;
    }
    scan -= sum;
    GPI_UNROLL
    for (unsigned w = 0; w < 4; w++) {
        state->u.pairs[4 * part + w][pair] = scan;
        scan += counts[w];
    }
    __syncthreads(); /* the digits have been counted */
    GPI(share_publish)(share, state->digits[tid % 256], 0);
    gpi_cluster_sync(); /* the table is complete; the items of the digit before have been read */
    const uint32_t total = GPI(share_total)(share, &before);
    int single = total == gridDim.x * share->share;
    const uint32_t place = gpi_radix_scan(state->sums, 8, total, &single) + before;
    if (tid < 256)
        state->place[tid] = place;
    __syncthreads(); /* the places are there */
    return single;
}

/*
 * Sorts the cluster's keys by one digit after the other, to and fro between the halves of the items' room. What fills
 * up the last share comes last.
 */
GPI_DEVICE void GPI(share_passes)(GPI(share) *share, const GP_KEY *keys)
{
    gpi_radix_state *state = share->state;
    uint16_t *counts = state->u.counts[threadIdx.x / 32];
    const uint32_t first = blockIdx.x * share->share, warp_items = 32 * share->rounds;
    const uint32_t here = threadIdx.x / 32 * warp_items + threadIdx.x % 32;
    uint16_t *ranks = (uint16_t *)share->keys[1] + here;
    uint32_t offset = 0;

    GPI_UNROLL
    for (uint32_t i = 0; i < GPI(cluster_items); i++)
        if (i < share->rounds) {
            share->keys[0][here + 32 * i] = i < share->items ? keys[i] : GPI(key_last)();
            if (GPI_RADIX_PAIRS)
                share->from[0][here + 32 * i] = first + here + 32 * i;
        }
    gpi_cluster_sync(); /* the items are there, and no block is on the short way any more */
    GPI_NO_UNROLL
    for (int bit = 0; bit < share->bits; bit += 8) {
        const int shift = share->of.begin_bit + bit;
        const uint32_t mask = 255u >> (share->bits - bit < 8 ? 8 - (share->bits - bit) : 0);
        const GP_KEY *some = share->keys[0] + offset + here;

        GPI(share_rank)(some, ranks, counts, warp_items, shift, mask);
        __syncthreads(); /* the counts are complete */
        if (!GPI(share_pass)(share)) {
            const uint32_t *from = share->from[0] + offset + here;

            offset = share->share - offset;
            GPI_NO_UNROLL
            for (uint32_t i = 0; i < warp_items; i += 32) {
                const uint32_t digit = GPI(key_digit)(some[i], shift, mask);
                uint32_t to = counts[digit] + ranks[i] + state->place[digit];
                const uint32_t owner = (uint32_t)((uint64_t)to * share->inverse >> 32);

                to += offset - owner * share->share;
                *(GP_KEY *)gpi_cluster_shared(&share->keys[0][to], owner) = some[i];
                if (GPI_RADIX_PAIRS)
                    *(uint32_t *)gpi_cluster_shared(&share->from[0][to], owner) = from[i];
            }
        }
        gpi_cluster_sync(); /* the items are in their slots; the table is no longer read */
    }
    share->first = first;
    share->count = first < share->n ? gpi_min(share->n - first, share->share) : 0;
    share->from[0] += offset;
    GPI_NO_UNROLL
    for (uint32_t x = threadIdx.x; x < share->count; x += blockDim.x)
        share->of.keys_out[first + x] = share->keys[0][offset + x];
    __syncthreads(); /* the keys have been read */
}

/* ---- the kernel -------------------------------------------------------------------------------- */

/* Writes the values of what the block has sorted. If they are sorted in place, all are read first. */
GPI_DEVICE void GPI(share_write)(const GPI(share) *share)
{
    const GPI_RADIX_VALUE *in = share->of.values_in;
    GPI_RADIX_VALUE *out = share->of.values_out + share->first;
    /* Positions stay at the end of the items' room, the values take the place of the keys. */
    GPI_RADIX_VALUE *values = in == share->of.values_out ? (GPI_RADIX_VALUE *)share->keys[0] : out;

    for (uint32_t x = threadIdx.x; x < share->count; x += blockDim.x)
        values[x] = in ? in[share->from[0][x]] : GPI(numbered)(share->from[0][x]);
    if (values == out)
        return;
    gpi_cluster_sync(); /* all values have been read */
    for (uint32_t x = threadIdx.x; x < share->count; x += blockDim.x)
        out[x] = values[x];
}
#endif

/* Sorts n items, at most 8 for each thread; the grid is one cluster. */
static __global__ void __launch_bounds__(1024, 1) GPI(cluster_kernel)(GPI(share) share)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, memory);
    const unsigned tid = threadIdx.x;
    const uint32_t room = 2 * share.share; /* of an array of items */
    gpi_radix_state *state = (gpi_radix_state *)memory;
    GP_KEY keys[GPI(cluster_items)];
    uint64_t low = 0;
    int bits = -1;

    if (!GPI(holds_values))
        return;
    if (GPI_RADIX_IS_COUNTED(share.of)) {
        GPI(sort_counted)(&share.of, (GPI(counted) *)memory);
        return;
    }
    gpi_cluster_arrive(); /* the block has started */
    share.at = blockIdx.x * share.share + tid / 32 * 32 * share.rounds + tid % 32;
    share.items = share.at < share.n ? gpi_min((share.n - share.at + 31) / 32, share.rounds) : 0;
    share.state = state;
    share.table = (uint16_t *)(state + 1);
    char *items = (char *)(share.table + gridDim.x * GPI_RADIX_ROW);
    share.keys[0] = (GP_KEY *)items;
    share.keys[1] = share.keys[0] + room;
    share.from[1] = (uint32_t *)(share.keys[1] + room);
    share.from[0] = (uint32_t *)(items + room * (GPI(cluster_slot) - 4u));
    gpi_radix_zero(state->u.bins, GPI_RADIX_SHARE_BINS / 2);
    gpi_radix_share_clear(state);
    if (tid == 0)
        state->strict = state->crowded = 0;
    gpi_grid_wait();
    gpi_grid_launch_next();
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI(cluster_items); i++)
        if (i < share.items)
            keys[i] = share.of.keys_in[share.at + 32 * i];
    if (GPI(may_be_linear) && blockDim.x == 1024 && share.bits == GPI_KEY_WIDTH)
        GPI(share_measure)(&share);
    __syncthreads(); /* the counts are zero */
    if (share.strict)
        gpi_cluster_wait(); /* all blocks have started */
    GPI_NO_UNROLL
    while (!share.strict) {
        bits = GPI(share_spread)(&share, keys, &low);
        if (bits >= 0 || !GPI(may_be_linear) || !share.places.linear)
            break;
        share.places.linear = 0; /* by their topmost bits, then */
        gpi_radix_share_clear(state);
        gpi_cluster_arrive(); /* the table is no longer read */
        __syncthreads();      /* the counts are zero again */
    }
    if (bits < 0 || !GPI(share_sort)(&share, low, bits))
        GPI(share_passes)(&share, keys);
    if (GPI_RADIX_PAIRS)
        GPI(share_write)(&share);
#endif
}

/* ---- host functions ---------------------------------------------------------------------------- */

/* Shared memory of a block. */
static inline size_t GPI(cluster_shared_bytes)(unsigned blocks, size_t share)
{
    return sizeof(gpi_radix_state) + blocks * GPI_RADIX_ROW * sizeof(uint16_t) + 2 * share * GPI(cluster_slot);
}

#ifdef __CUDACC__
/* How many blocks of all shared memory may make a cluster: not all GPUs have 16 multiprocessors together. */
static inline unsigned GPI(largest_cluster)(size_t room)
{
    cudaLaunchAttribute attributes[2];
    int clusters = 0;

    if (cudaFuncSetAttribute((const void *)GPI(cluster_kernel), cudaFuncAttributeNonPortableClusterSizeAllowed, 1) !=
        cudaSuccess)
        return 1;
    for (unsigned blocks = GPI_RADIX_CLUSTER_MAX; blocks > 1; blocks /= 2) {
        const cudaLaunchConfig_t config = gpi_launch_config(attributes, 0, blocks, blocks, 1024, room - 2048, NULL);

        if (cudaOccupancyMaxActiveClusters(&clusters, GPI(cluster_kernel), &config) == cudaSuccess && clusters > 0)
            return blocks;
    }
    return 1;
}
#endif

/* The blocks of a cluster that has room for n items; 0: there is none. */
static inline unsigned GPI(cluster_blocks)(size_t n, const gpi_radix_device *device)
{
    unsigned blocks = 2;

    while (blocks < device->cluster && n > blocks * (size_t)1024)
        blocks *= 2;
    const size_t rounds = gpi_divide_up(n, blocks * (size_t)1024);
    return blocks <= device->cluster && rounds <= GPI(cluster_items) &&
                   GPI(cluster_shared_bytes)(blocks, rounds * 1024) + 2048 <= device->room
               ? blocks
               : 0;
}

static inline int GPI(cluster_fits)(const GPI(call) *call)
{
    return GPI(holds_values) && GP_KERNEL == 0 && GPI(cluster_blocks)(call->request.n, &call->device) > 0;
}

static inline cudaError_t GPI(cluster_launch)(const GPI(call) *call)
{
    const size_t n = call->request.n;
    const unsigned blocks = GPI(cluster_blocks)(n, &call->device), threads = n > 2048 ? 1024 : 512;
    GPI(share) share;

    memset((void *)&share, 0, sizeof share);
    share.of = call->request;
    share.n = (uint32_t)n;
    share.rounds = (uint32_t)gpi_divide_up(n, blocks * (size_t)threads);
    share.share = share.rounds * threads;
    share.inverse = UINT32_MAX / share.share + 1;
    share.bits = share.of.end_bit - share.of.begin_bit;
    share.range = share.bits ? UINT64_MAX >> (64 - share.bits) : 0;
    share.strict = share.bits == 0 || (!GPI_RADIX_PAIRS && share.bits < GPI_KEY_WIDTH);
    return GPI_LAUNCH_CLUSTER(call->device.dependent, blocks, GPI(cluster_kernel), blocks, threads,
                              GPI(cluster_shared_bytes)(blocks, share.share), call->stream, share);
}

/* The blocks that count so many keys; 0: the passes are faster. */
static inline unsigned GPI(counted_blocks)(size_t n, const gpi_radix_device *device)
{
    const unsigned largest = GP_KERNEL == GP_KERNEL_BLOCK ? 1 : device->cluster;
    unsigned blocks = 1;

    while (blocks < largest && n > blocks * (size_t)GPI_TUNE_RADIX_COUNTED)
        blocks *= 2;
    return n <= blocks * (size_t)GPI_TUNE_RADIX_COUNTED_MOST ? blocks : 0;
}

static inline int GPI(counted_fits)(const GPI(call) *call)
{
    return GPI_RADIX_IS_COUNTED(call->request) &&
           (GP_KERNEL == 0 || GP_KERNEL == GP_KERNEL_BLOCK) && GPI(counted_blocks)(call->request.n, &call->device) > 0;
}

static inline cudaError_t GPI(counted_launch)(const GPI(call) *call)
{
    const size_t n = call->request.n;
    const unsigned blocks = GPI(counted_blocks)(n, &call->device), threads = n > 8192 ? 1024 : n > 512 ? 512 : 256;
    GPI(share) share;

    memset((void *)&share, 0, sizeof share);
    share.of = call->request;
    return GPI_LAUNCH_CLUSTER(call->device.dependent, blocks, GPI(cluster_kernel), blocks, threads,
                              sizeof(GPI(counted)) + GPI_RADIX_COUNTED_COLUMNS(n) * 1024, call->stream, share);
}
