/*
 * core/radix/cluster.cuh: the radix sort of up to about 100 thousand keys, in one launch by a cluster of blocks, which
 * exchange the keys through each other's shared memory. Every block has an equal share of the input. Values of up to 4
 * bytes go with their keys; in place of larger ones positions do, and the values are fetched at the end.
 *
 *     1. split: a sample of the items is ranked, and splitters are chosen that are equally far apart in it
 *     2. exchange: each block gets the items between two splitters, in the order of the input
 *     3. bins: it moves its keys to 8192 bins, of equal width from its least key to its largest
 *     4. compare: each key counts those of its bin that it precedes: by whole keys and, if they are equal, positions
 *
 * A splitter is a key and its position, so that equal keys part, too. Where a bin has too many keys, or keys alone that
 * are equal may differ, the block sorts by one digit after the other in place of 3 and 4, and keeps the order in each
 * of these passes. Should a block get more items than it has room for, another sample is taken.
 *
 * Part of radix_sort.cuh; not to be included directly.
 */
#ifndef GPI_RADIX_CLUSTER_CUH
#define GPI_RADIX_CLUSTER_CUH

enum {
    GPI_RADIX_CLUSTER_THREADS = 1024, /* of a block */
    GPI_RADIX_SHARE_SAMPLES = 32,     /* for each block */
    GPI_RADIX_SHARE_BIN_BITS = 13,
    GPI_RADIX_SHARE_BINS = 1 << GPI_RADIX_SHARE_BIN_BITS,
    GPI_RADIX_CROWD = 64 /* keys of a bin; more are not compared */
};

/* What a block has in shared memory, besides its items. */
typedef struct gpi_radix_state {
    union {
        __extension__ struct { /* until the items have been exchanged */
            uint64_t samples[(int)GPI_RADIX_SHARE_SAMPLES * (int)GPI_RADIX_CLUSTER_MAX];
            uint64_t splitters[2 * GPI_RADIX_CLUSTER_MAX];                /* the items that blocks begin with */
            uint32_t table[GPI_RADIX_CLUSTER_MAX][GPI_RADIX_CLUSTER_MAX]; /* items of each block for each other one */
            uint32_t group[GPI_RADIX_CLUSTER_MAX]; /* in which group of four those for a block begin in this one, */
            uint32_t slot[GPI_RADIX_CLUSTER_MAX];  /* in which slot, */
            uint32_t end[GPI_RADIX_CLUSTER_MAX];   /* and where they end; */
            uint32_t place[GPI_RADIX_CLUSTER_MAX]; /* how far from there they go */
            uint16_t owners[32][GPI_RADIX_CLUSTER_MAX + 2]; /* items of each warp for each block */
        };
        uint32_t bins[GPI_RADIX_SHARE_BINS / 2]; /* two in a word, counts of keys; */
        uint16_t ends[GPI_RADIX_SHARE_BINS];     /* then where the keys of each begin, at last where they end */
        uint16_t counts[32][258]; /* passes: of each warp, */
        uint32_t pairs[32][129];  /* and those of two digits */
    } u;
    uint32_t sums[32];
    uint32_t first, count, crowded;
    uint64_t words[2][32]; /* of the warps */
} __attribute__((aligned(16))) gpi_radix_state;

/* Up to fourteen ranks of a thread's items, nine bits each; the last one is the lowest. */
typedef struct gpi_radix_ranks {
    uint64_t low, high;
} gpi_radix_ranks;

#endif

__extension__ enum {
    GPI(may_be_linear) = GPI(key_is_float) && sizeof(GP_KEY) >= 4, /* whether keys may go by how large they are */
    GPI(may_be_apart) = !GPI(may_be_linear) && !GPI_RADIX_PAIRS,   /* whether two of them may have bins of their own */
    /* Shared memory of an item: in both arrays; or, at the end, a position and the value. */
    GPI(cluster_slot) = !GPI_RADIX_PAIRS                                   ? 2 * (int)sizeof(GP_KEY)
                        : sizeof(GPI_RADIX_VALUE) > 2 * sizeof(GP_KEY) + 4 ? 4 + (int)sizeof(GPI_RADIX_VALUE)
                                                                           : 2 * (4 + (int)sizeof(GP_KEY)),
    /* Items of a thread's share, at most. Of many pairs and floats passes of the whole grid take less time. */
    GPI(cluster_items) = GPI(may_be_linear) && GPI_RADIX_PAIRS && sizeof(GP_KEY) == 8   ? 3
                         : GPI(may_be_linear) || GPI_RADIX_PAIRS || sizeof(GP_KEY) == 1 ? 4
                                                                                        : 8,
    /* Small values go with their keys; of others the positions do. */
    GPI(cluster_moves) = GPI_RADIX_PAIRS && sizeof(GPI_RADIX_VALUE) <= 4
};

/* The item that a block begins with. */
typedef struct {
    GPI(number) number;
    uint32_t position;
} __attribute__((aligned(GPI_KEY_IS_NARROW ? 8 : 16))) GPI(splitter);

/* Items side by side that travel together. */
typedef struct {
    GP_KEY keys[4];
} __attribute__((aligned(4 * sizeof(GP_KEY) < 16 ? 4 * sizeof(GP_KEY) : 16), may_alias)) GPI(four);

/* What a block works on. */
typedef struct {
    GPI(request) of;
    uint32_t n, rounds;  /* items, and how many each thread has at most; */
    uint32_t room;       /* a block has room for so many */
    uint32_t at, items;  /* the thread's first item, and how many: fewer than rounds where the input ends */
    uint64_t range;      /* as many ones as bits */
    int part_bits, even; /* whether the bits above say which block gets a key */
    gpi_radix_state *state;
    GP_KEY *keys[2];       /* items, and another array of them; */
    uint32_t *from[2];     /* their positions, or values */
    uint32_t first, count; /* where the block's items go, and how many it has got */
    gpi_radix_map map;     /* the bins of floats, if it is linear; */
    GPI(number) low, high; /* of others from the least number on: */
    int up;                /* the difference from it is shifted, */
    uint32_t factor;       /* and multiplied: the bin is in the upper half */
    int apart;             /* whether to try bins in which the least and the largest number are alone */
} GPI(share);

#if GPI_DEVICE_CODE
/* The bits of a key to sort by. */
GPI_DEVICE GPI(number) GPI(share_number)(const GPI(share) *share, GP_KEY key)
{
    return GPI(key_number)(key) >> share->of.begin_bit & (GPI(number))share->range;
}

/* The bits of a small value. */
GPI_DEVICE uint32_t GPI(share_value)(const GPI(share) *share, uint32_t x)
{
    const GPI_RADIX_VALUE value = share->of.values_in ? share->of.values_in[x] : GPI(numbered)(x);
    uint32_t bits = 0;

    memcpy(&bits, (const void *)&value, sizeof value < sizeof bits ? sizeof value : sizeof bits);
    return bits;
}

/* Writes one to item x. */
GPI_DEVICE void GPI(share_put)(const GPI(share) *share, uint32_t x, uint32_t bits)
{
    GPI_RADIX_VALUE value;

    memcpy((void *)&value, &bits, sizeof value < sizeof bits ? sizeof value : sizeof bits);
    share->of.values_out[x] = value;
}

/* ---- split and exchange ---------------------------------------------------------------------------- */

/*
 * Ranks a sample of the items: the one that comes first in each share of the sample begins a block's keys. Each warp
 * ranks one of them. Samples are in the order of their positions.
 */
GPI_DEVICE void GPI(share_split)(GPI(share) *share, uint32_t salt)
{
    GPI(number) *numbers = (GPI(number) *)share->state->u.samples;
    GPI(splitter) *splitters = (GPI(splitter) *)share->state->u.splitters;
    const uint32_t tid = threadIdx.x, lane = tid % 32, samples = GPI_RADIX_SHARE_SAMPLES * gridDim.x;
    const uint32_t own = blockIdx.x * GPI_RADIX_SHARE_SAMPLES + tid / 32, stride = share->n / samples;
    const int even = !GPI(key_is_float) && salt == 0; /* whether parts of equal width may spread the keys */
    uint32_t before = 0;

    if (tid < samples) {
        numbers[tid] = GPI(share_number)(share, share->of.keys_in[gpi_sample_place(tid, stride, salt)]);
        if (even)
            atomicAdd(&share->state->u.slot[(uint32_t)(numbers[tid] >> share->part_bits)], 1u);
    }
    /* No key comes behind a splitter that no block sends. Those that one sends may have come already. */
    if (tid >= gridDim.x && tid < GPI_RADIX_CLUSTER_MAX)
        memset((void *)&splitters[tid], 255, sizeof *splitters);
    __syncthreads(); /* the sample is there */
    share->even = even && !__syncthreads_or(share->state->u.slot[tid % gridDim.x] > GPI_RADIX_SHARE_SAMPLES * 3u / 2);
    if (share->even) {
        gpi_cluster_wait(); /* all blocks have started */
        return;
    }
    const GPI(splitter) mine = {numbers[own], gpi_sample_place(own, stride, salt)};
    GPI_UNROLL_BY(4)
    for (uint32_t y = lane; y < samples; y += 32)
        before = gpi_less_if_before(before, numbers[y], y, mine.number, own, GPI_KEY_IS_NARROW);
    const uint32_t rank = gpi_warp_sum(0 - before);
    gpi_cluster_wait(); /* all blocks have started, or have read the table */
    if (rank % GPI_RADIX_SHARE_SAMPLES == 0 && lane < gridDim.x)
        *(GPI(splitter) *)gpi_cluster_shared(&splitters[rank / GPI_RADIX_SHARE_SAMPLES], lane) = mine;
    gpi_cluster_sync(); /* the splitters are there */
}

/* The block that gets a key: that of the last splitter that does not come behind it. */
GPI_DEVICE uint32_t GPI(share_owner)(const GPI(share) *share, GP_KEY key, uint32_t position)
{
    const GPI(number) number = GPI(share_number)(share, key);
    uint32_t owner = 0;

    if (!GPI(key_is_float) && share->even)
        return (uint32_t)(number >> share->part_bits);
    GPI_UNROLL
    for (uint32_t step = GPI_RADIX_CLUSTER_MAX / 2; step > 0; step /= 2) {
        const GPI(splitter) other = ((const GPI(splitter) *)share->state->u.splitters)[owner + step];

        owner += step * gpi_less_if_before(1, number, position, other.number, other.position, GPI_KEY_IS_NARROW);
    }
    return owner;
}

/*
 * Where the items of each block go, when the table is complete. In this block they begin as far from a multiple of four
 * as there. Returns whether there is room for all.
 */
GPI_DEVICE int GPI(share_place)(GPI(share) *share)
{
    gpi_radix_state *state = share->state;
    const unsigned tid = threadIdx.x, me = blockIdx.x;
    uint32_t total = 0, before = 0;

    if (tid < 32) {
        GPI_UNROLL
        for (unsigned r = 0; r < GPI_RADIX_CLUSTER_MAX; r++) { /* all at a time */
            const uint32_t count = r < gridDim.x && tid < gridDim.x ? state->u.table[r][tid] : 0;

            before += r < me ? count : 0;
            total += count;
        }
        const uint32_t mine = tid < gridDim.x ? state->u.table[me][tid] : 0, groups = (before % 4 + mine + 3) / 4;
        const uint32_t group = gpi_warp_prefix(groups, tid) - groups, slot = 4 * group + before % 4;
        const uint32_t first = gpi_warp_prefix(total, tid) - total;
        const unsigned crowded = __ballot_sync(GPI_FULL_MASK, total > share->room);
        if (tid < GPI_RADIX_CLUSTER_MAX) {
            state->u.group[tid] = group;
            state->u.slot[tid] = slot;
            state->u.end[tid] = slot + mine;
            state->u.place[tid] = before - slot;
        }
        if (tid == me) {
            state->first = first;
            state->count = total;
            state->crowded = crowded;
        }
    }
    __syncthreads(); /* the places are there */
    share->first = state->first;
    share->count = state->count;
    return state->crowded == 0;
}

/* Copies the block's items to the blocks that get them, four at a time. */
GPI_DEVICE void GPI(share_travel)(const GPI(share) *share)
{
    const gpi_radix_state *state = share->state;

    for (uint32_t x = 4 * threadIdx.x; x < state->u.end[gridDim.x - 1]; x += 4 * GPI_RADIX_CLUSTER_THREADS) {
        const uint32_t owner = gpi_radix_find(state->u.group, GPI_RADIX_CLUSTER_MAX, x / 4);
        const uint32_t to = x + state->u.place[owner], begin = state->u.slot[owner], end = state->u.end[owner];
        GP_KEY *keys = (GP_KEY *)gpi_cluster_shared(share->keys[0], owner) + to;
        uint32_t *from = GPI_RADIX_PAIRS ? (uint32_t *)gpi_cluster_shared(share->from[0], owner) + to : NULL;
        if (begin <= x && x + 4 <= end) {
            *(GPI(four) *)keys = *(const GPI(four) *)&share->keys[1][x];
            if (GPI_RADIX_PAIRS)
                *(gpi_radix_four *)from = *(const gpi_radix_four *)&share->from[1][x];
        } else {
            for (uint32_t k = begin > x ? begin - x : 0; k < 4 && x + k < end; k++) {
                keys[k] = share->keys[1][x + k];
                if (GPI_RADIX_PAIRS)
                    from[k] = share->from[1][x + k];
            }
        }
    }
}

/*
 * Ranks the thread's items among those of the warp for the same block, in the lower half of a word below that block's
 * number. How many there are in the warps before goes to `owners`.
 */
GPI_DEVICE void GPI(share_rank)(const GPI(share) *share, const GP_KEY *keys, uint32_t *ranks)
{
    gpi_radix_state *state = share->state;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint16_t *counts = state->u.owners[warp];
    uint32_t at = share->at, ones = 0xFFFFFFFFu;

    GPI_OPAQUE(at);
    GPI_OPAQUE(ones);
    if (lane <= GPI_RADIX_CLUSTER_MAX)
        counts[lane] = 0;
    __syncwarp(); /* the counts are zero */
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI(cluster_items); i++)
        if (i < share->rounds)
            ranks[i] = GPI(share_owner)(share, keys[i], at + 32 * i);
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI(cluster_items); i++)
        if (i < share->rounds) {
            const uint32_t owner = i < share->items ? ranks[i] : (uint32_t)GPI_RADIX_CLUSTER_MAX;

            ranks[i] = gpi_radix_rank(&counts[owner], 1, gpi_match_digit(owner, ones)) | owner << 16;
        }
    __syncthreads(); /* the counts are complete */
    if (warp < gridDim.x) {
        const uint32_t count = state->u.owners[lane][warp], prefix = gpi_warp_prefix(count, lane);
        const uint32_t total = __shfl_sync(GPI_FULL_MASK, prefix, 31);

        state->u.owners[lane][warp] = (uint16_t)(prefix - count);
        if (lane < gridDim.x)
            *(uint32_t *)gpi_cluster_shared(&state->u.table[blockIdx.x][warp], lane) = total;
    }
    gpi_cluster_sync(); /* the table is complete */
}

/* Moves the keys to the blocks that get them. If one would get too many, returns 0: then nothing has been moved. */
GPI_DEVICE int GPI(share_exchange)(GPI(share) *share, const GP_KEY *keys, const uint32_t *from)
{
    const gpi_radix_state *state = share->state;
    const uint16_t *counts = state->u.owners[threadIdx.x / 32];
    uint32_t ranks[GPI(cluster_items)];

    GPI(share_rank)(share, keys, ranks);
    if (!GPI(share_place)(share))
        return 0;
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI(cluster_items); i++)
        if (i < share->items) {
            const uint32_t owner = ranks[i] >> 16, to = state->u.slot[owner] + counts[owner] + ranks[i] % 65536;

            share->keys[1][to] = keys[i];
            if (GPI_RADIX_PAIRS)
                share->from[1][to] = GPI(cluster_moves) ? from[i] : share->at + 32 * i;
        }
    __syncthreads(); /* those of one block are side by side */
    GPI(share_travel)(share);
    gpi_cluster_sync(); /* every block has what it gets */
    return 1;
}

/* ---- bins ---------------------------------------------------------------------------------------- */

/* Which bin a key goes to; if the constant `apart` is set, the least number is alone in one, and so is the largest. */
GPI_DEVICE uint32_t GPI(share_bin)(const GPI(share) *share, GP_KEY key, int apart)
{
    if (GPI(may_be_linear) && share->map.linear)
        return GPI(linear_place)(share->map, key);
    const GPI(number) number = GPI(share_number)(share, key);
    const uint64_t above = (uint64_t)(number - share->low) << share->up;
    const uint32_t bin = (uint32_t)((above >> 32) * share->factor >> 32), last = GPI_RADIX_SHARE_BINS - 1;

    if (!apart)
        return bin;
    return number == share->low ? 0 : number == share->high ? last : gpi_min(bin ? bin : 1, last - 1);
}

/* Bins from the least of the block's keys to the largest. Returns whether they may spread the keys. */
GPI_DEVICE int GPI(share_measure)(GPI(share) *share)
{
    GPI(number) below = 0, high = 0; /* all that is above the least number, and the largest one */

    for (uint32_t x = threadIdx.x; x < share->count; x += GPI_RADIX_CLUSTER_THREADS) {
        const GPI(number) number = GPI(share_number)(share, share->keys[0][x]);

        below = (GPI(number))~number > below ? (GPI(number))~number : below;
        high = number > high ? number : high;
    }
    below = (GPI(number))gpi_radix_block_max(share->state->words[0], below, GPI_KEY_IS_NARROW);
    share->high = high = (GPI(number))gpi_radix_block_max(share->state->words[1], high, GPI_KEY_IS_NARROW);
    share->low = (GPI(number))~below;
    const uint64_t width = high - share->low;
    if (width <= share->count / GPI_RADIX_CROWD || high < share->low)
        return 0;
    if (GPI(may_be_linear) && share->range == GPI_RADIX_WHOLE)
        share->map = GPI(map_between)(share->low, high, GPI_RADIX_SHARE_BIN_BITS);
    share->up = __clzll((long long)width);
    share->factor = UINT32_MAX / ((uint32_t)(width << share->up >> 32) / GPI_RADIX_SHARE_BINS + 1);
    return 1;
}

/*
 * Sorts what the block has got, and writes the keys. Returns whether it could; if not, the items are as they were, and
 * share->apart says whether to try it once more.
 */
GPI_DEVICE int GPI(share_sort)(GPI(share) *share, int apart)
{
    gpi_radix_state *state = share->state;
    int strict = 0, mixed = 0, others = 0;

    gpi_radix_zero(state->u.bins, GPI_RADIX_SHARE_BINS / 2); /* there is a barrier before they are counted */
    if (!GPI_RADIX_PAIRS && share->range != GPI_RADIX_WHOLE)
        return 0; /* of keys alone, equal ones may be different */
    if (!GPI_RADIX_PAIRS) /* now that is so, which the compiler would not see */
        share->of.begin_bit = 0, share->range = GPI_RADIX_WHOLE;
    if (!GPI(share_measure)(share))
        return 0;
    for (uint32_t x = threadIdx.x; x < share->count; x += GPI_RADIX_CLUSTER_THREADS) {
        const GP_KEY key = share->keys[0][x];

        gpi_radix_count_half(state->u.bins, GPI(share_bin)(share, key, apart));
        strict |= (!GPI_RADIX_PAIRS && GPI(key_is_minus_zero)(key)) ||
                  (GPI(may_be_linear) && share->map.linear && GPI(key_is_nan)(key));
    }
    strict = __syncthreads_or(strict); /* the bins have been counted */
    const int crowded = gpi_radix_scan_bins(state->u.bins, state->sums, 4, 4, GPI_RADIX_HALVES, GPI_RADIX_CROWD, NULL);
    __syncthreads(); /* where each bin begins is there */
    if (strict || (GPI_RADIX_PAIRS && crowded))
        return 0;
    for (uint32_t x = threadIdx.x; x < share->count; x += GPI_RADIX_CLUSTER_THREADS) {
        const GP_KEY key = share->keys[0][x];
        const uint32_t slot = gpi_radix_count_half(state->u.bins, GPI(share_bin)(share, key, apart));

        share->keys[1][slot] = key;
        if (GPI_RADIX_PAIRS)
            share->from[1][slot] = GPI(cluster_moves) ? x : share->from[0][x];
    }
    __syncthreads(); /* the items are in their bins */
    for (uint32_t x = threadIdx.x; crowded && x < share->count; x += GPI_RADIX_CLUSTER_THREADS) {
        const GPI(number) number = GPI(share_number)(share, share->keys[1][x]);
        const uint32_t bin = GPI(share_bin)(share, share->keys[1][x], apart), begin = bin ? state->u.ends[bin - 1] : 0;
        const int is_crowded = state->u.ends[bin] - begin > GPI_RADIX_CROWD;

        mixed |= is_crowded && number != GPI(share_number)(share, share->keys[1][begin]);
        others |= is_crowded && number != share->low && number != share->high;
    }
    if (crowded && __syncthreads_or(mixed)) {
        share->apart = GPI(may_be_apart) && __syncthreads_count(others) <= GPI_RADIX_CROWD;
        return 0;
    }
    for (uint32_t x = threadIdx.x; x < share->count; x += GPI_RADIX_CLUSTER_THREADS) {
        const GP_KEY key = share->keys[1][x];
        const GPI(number) number = GPI(share_number)(share, key);
        const uint32_t from = GPI_RADIX_PAIRS ? share->from[1][x] : x, bin = GPI(share_bin)(share, key, apart);
        const uint32_t begin = bin ? state->u.ends[bin - 1] : 0, end = state->u.ends[bin];
        uint32_t slot = x;

        if (end - begin <= GPI_RADIX_CROWD) {
            slot = end - 1; /* less those that it comes before */
            GPI_UNROLL_BY(4)
            for (uint32_t y = begin; y < end; y++)
                slot = gpi_less_if_before(slot, number, from, GPI(share_number)(share, share->keys[1][y]),
                                          GPI_RADIX_PAIRS ? share->from[1][y] : y, GPI_KEY_IS_NARROW);
        }
        share->of.keys_out[share->first + slot] = key;
        if (GPI(cluster_moves))
            GPI(share_put)(share, share->first + slot, share->from[0][from]);
        else if (GPI_RADIX_PAIRS)
            share->from[0][slot] = from;
    }
    __syncthreads(); /* the positions are in order */
    return 1;
}

/* ---- passes -------------------------------------------------------------------------------------- */

/*
 * Ranks the items of a warp, which are `rounds` of each thread, among those of the same digit there, and counts these.
 * A call: with what the kernel has in registers, there are not enough predicates for the ballots.
 */
GPI_DEVICE_CALL gpi_radix_ranks GPI(share_digits)(const GP_KEY *keys, uint16_t *counts, uint32_t rounds, int shift,
                                                  uint32_t mask)
{
    gpi_radix_ranks ranks = {0, 0};
    uint32_t ones = 0xFFFFFFFFu;

    GPI_OPAQUE(ones);
    GPI_UNROLL
    for (unsigned i = 0; i < 256; i += 32)
        counts[i + threadIdx.x % 32] = 0;
    __syncthreads(); /* the counts are zero; of the whole block, or ballots are emitted for a diverged warp, too */
    GPI_NO_UNROLL
    for (uint32_t i = 0; i < 32 * rounds; i += 32) {
        const uint32_t digit = GPI(key_digit)(keys[i], shift, mask);
        const unsigned same = gpi_match_digit(digit, ones);

        if (GPI(cluster_items) > 4)
            ranks.high = ranks.high << 9 | ranks.low >> 54;
        ranks.low = (ranks.low << 9 | gpi_radix_rank(&counts[digit], 1, same)) & UINT64_MAX >> 1;
    }
    return ranks;
}

/*
 * Sorts the block's keys by one digit after the other, from the lowest bit up that is not the same in all of them, to
 * and fro between the arrays. What fills up the last round comes last.
 */
GPI_DEVICE void GPI(share_passes)(const GPI(share) *share)
{
    gpi_radix_state *state = share->state;
    const uint32_t tid = threadIdx.x, threads = GPI_RADIX_CLUSTER_THREADS;
    const uint32_t rounds = (share->count + threads - 1) / threads;
    const uint32_t first = tid / 32 * 32 * rounds + tid % 32;
    GP_KEY *keys = share->keys[0], *keys_to = share->keys[1];
    uint32_t *from = share->from[0], *from_to = share->from[1];
    uint16_t *counts = state->u.counts[tid / 32];
    uint32_t *both = &state->u.pairs[tid % 8 * 4][tid / 8]; /* counts of two digits, in the first of four warps */
    GPI(number) differ = 0;

    for (uint32_t x = tid; x < rounds * threads; x += threads) {
        if (x < share->count)
            differ |= GPI(share_number)(share, keys[x]) ^ GPI(share_number)(share, keys[0]);
        else
            keys[x] = GPI(key_last)();
    }
    uint64_t left = gpi_radix_block_or(state->words[0], differ, GPI_KEY_IS_NARROW);
    GPI_NO_UNROLL
    while (left) {
        const int bit = __ffsll((long long)left) - 1, shift = share->of.begin_bit + bit;
        const uint32_t mask = (uint32_t)(share->range >> bit) & 255;
        gpi_radix_ranks ranks = GPI(share_digits)(keys + first, counts, rounds, shift, mask);

        __syncthreads(); /* the counts are complete */
        left = left >> bit >> 8 << 8 << bit;
        /* Both halves of the words are added up at once; then each lacks the other ones up to the digit. */
        const uint32_t sum = gpi_radix_sum_warps(both, 4, 129), before = gpi_radix_scan(state->sums, 32, sum, NULL);
        const uint32_t seconds = __shfl_sync(GPI_FULL_MASK, before, (int)(tid % 32 & ~7u)) >> 16;
        const uint32_t firsts = __shfl_sync(GPI_FULL_MASK, before + sum, (int)(tid % 32 | 7)) << 16;
        gpi_radix_scan_warps(both, 4, 129, before + seconds + firsts);
        __syncthreads(); /* the first slots are there */
        GPI_NO_UNROLL
        for (uint32_t i = 32 * rounds; i > 0; i -= 32) {
            const uint32_t x = first + i - 32;
            const uint32_t slot = counts[GPI(key_digit)(keys[x], shift, mask)] + (uint32_t)(ranks.low & 511);

            ranks.low = ranks.low >> 9 | (GPI(cluster_items) > 4 ? (ranks.high & 511) << 54 : 0);
            ranks.high >>= 9;
            keys_to[slot] = keys[x];
            if (GPI_RADIX_PAIRS)
                from_to[slot] = from[x];
        }
        GP_KEY *const keys_now = keys_to;
        uint32_t *const from_now = from_to;
        keys_to = keys, keys = keys_now;
        from_to = from, from = from_now;
        __syncthreads(); /* the items are in their slots */
    }
    for (uint32_t x = tid; x < share->count; x += GPI_RADIX_CLUSTER_THREADS) {
        share->of.keys_out[share->first + x] = keys[x];
        if (GPI(cluster_moves))
            GPI(share_put)(share, share->first + x, from[x]);
        else if (GPI_RADIX_PAIRS && keys != share->keys[0])
            share->from[0][x] = from[x];
    }
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

    for (uint32_t x = threadIdx.x; x < share->count; x += GPI_RADIX_CLUSTER_THREADS)
        values[x] = in ? in[share->from[0][x]] : GPI(numbered)(share->from[0][x]);
    if (values == out)
        return;
    gpi_cluster_sync(); /* all values have been read */
    for (uint32_t x = threadIdx.x; x < share->count; x += GPI_RADIX_CLUSTER_THREADS)
        out[x] = values[x];
}
#endif

/* Sorts n items, at most 8 for each thread; the grid is one cluster. */
static __global__ void __launch_bounds__(GPI_RADIX_CLUSTER_THREADS, 1) GPI(cluster_kernel)(GPI(share) share)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, memory);
    const unsigned tid = threadIdx.x;
    GP_KEY keys[GPI(cluster_items)];
    uint32_t from[GPI(cluster_items)];

    if (!GPI(holds_values))
        return;
    if (GPI_RADIX_IS_COUNTED(share.of))
        GPI(sort_counted)(&share.of, (GPI(counted) *)memory);
    if (!GPI_SM90_CODE || GPI_RADIX_IS_COUNTED(share.of)) /* older GPUs have no clusters, and come here to count */
        return;
    gpi_cluster_started();
    share.at = (blockIdx.x * GPI_RADIX_CLUSTER_THREADS + tid / 32 * 32) * share.rounds + tid % 32;
    share.items = share.at < share.n ? gpi_min((share.n - share.at + 31) / 32, share.rounds) : 0;
    share.state = (gpi_radix_state *)memory;
    char *items = (char *)(share.state + 1);
    share.keys[0] = (GP_KEY *)items;
    share.keys[1] = share.keys[0] + share.room;
    share.from[1] = (uint32_t *)(share.keys[1] + share.room);
    share.from[0] = (uint32_t *)(items + share.room * (GPI(cluster_slot) - 4u));
    if (tid < GPI_RADIX_CLUSTER_MAX)
        share.state->u.slot[tid] = 0;
    __syncthreads(); /* no part has samples yet */
    gpi_grid_wait();
    gpi_grid_launch_next();
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI(cluster_items); i++)
        if (i < share.rounds) {
            const uint32_t x = gpi_min(share.at + 32 * i, share.n - 1);

            keys[i] = share.of.keys_in[x];
            from[i] = GPI(cluster_moves) ? GPI(share_value)(&share, x) : 0;
        }
    GPI_NO_UNROLL
    for (uint32_t salt = 0;; salt++) {
        GPI(share_split)(&share, salt);
        if (GPI(share_exchange)(&share, keys, from))
            break;
        gpi_cluster_arrive(); /* the table is no longer read */
    }
    if (!GPI(share_sort)(&share, 0) && !(GPI(may_be_apart) && share.apart && GPI(share_sort)(&share, 1)))
        GPI(share_passes)(&share);
    if (GPI_RADIX_PAIRS && !GPI(cluster_moves))
        GPI(share_write)(&share);
#endif
}

/* ---- host functions ---------------------------------------------------------------------------- */

/* Items of a block for which there is room: seven quarters of its share. */
static inline size_t GPI(cluster_room)(size_t rounds)
{
    return (7 * rounds + 3) / 4 * GPI_RADIX_CLUSTER_THREADS;
}

static inline size_t GPI(cluster_shared_bytes)(size_t rounds)
{
    return sizeof(gpi_radix_state) + GPI(cluster_room)(rounds) * GPI(cluster_slot);
}

#ifdef __CUDACC__
/* How many blocks of all shared memory may make a cluster: not all GPUs can have 16; to ask major 12 is an error. */
static inline unsigned GPI(largest_cluster)(int device, size_t room)
{
    cudaLaunchAttribute attributes[2];
    int clusters = 0, major = 0;

    if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
        cudaFuncSetAttribute((const void *)GPI(cluster_kernel), cudaFuncAttributeNonPortableClusterSizeAllowed, 1) !=
            cudaSuccess)
        return 1;
    for (unsigned blocks = major >= 12 ? 8 : GPI_RADIX_CLUSTER_MAX; blocks > 1; blocks /= 2) {
        const cudaLaunchConfig_t config = gpi_launch_config(attributes, 0, blocks, blocks, 1024, room - 2048, NULL);

        if (cudaOccupancyMaxActiveClusters(&clusters, GPI(cluster_kernel), &config) == cudaSuccess && clusters > 0)
            return blocks;
    }
    return 1;
}
#endif

/* The blocks of a cluster that has room for the items; 0: there is none. */
static inline unsigned GPI(cluster_fits)(const GPI(call) *call)
{
    const size_t n = call->request.n;
    unsigned blocks = 2;

    while (blocks < call->device.cluster && n > blocks * (size_t)GPI_RADIX_CLUSTER_THREADS)
        blocks *= 2;
    const size_t rounds = gpi_divide_up(n, blocks * (size_t)GPI_RADIX_CLUSTER_THREADS);
    const int has_room = blocks <= call->device.cluster && rounds <= GPI(cluster_items) &&
                         GPI(cluster_shared_bytes)(rounds) + 2048 <= call->device.room;

    /* Of bytes that can be counted the kernel counts them, for which there would be too little shared memory. */
    return has_room && GPI(holds_values) && GP_KERNEL == 0 && !GPI_RADIX_IS_COUNTED(call->request) ? blocks : 0;
}

static inline cudaError_t GPI(cluster_launch)(const GPI(call) *call)
{
    const unsigned blocks = call->fit;
    const int bits = call->request.end_bit - call->request.begin_bit;
    GPI(share) share;

    memset((void *)&share, 0, sizeof share);
    share.of = call->request;
    share.n = (uint32_t)call->request.n;
    share.rounds = (uint32_t)gpi_divide_up(share.n, blocks * (size_t)GPI_RADIX_CLUSTER_THREADS);
    share.room = (uint32_t)GPI(cluster_room)(share.rounds);
    share.range = bits ? UINT64_MAX >> (64 - bits) : 0;
    share.part_bits = bits > __builtin_ctz(blocks) ? bits - __builtin_ctz(blocks) : 0;
    return GPI_LAUNCH_CLUSTER(call->device.dependent, blocks, GPI(cluster_kernel), blocks, GPI_RADIX_CLUSTER_THREADS,
                              GPI(cluster_shared_bytes)(share.rounds), call->stream, share);
}

/* The blocks that count so many keys; 0: the passes are faster, or keys are not counted. */
static inline unsigned GPI(counted_fits)(const GPI(call) *call)
{
    const size_t n = call->request.n;
    const int may_count = GPI_RADIX_IS_COUNTED(call->request) && (GP_KERNEL == 0 || GP_KERNEL == GP_KERNEL_BLOCK);
    const unsigned largest = GP_KERNEL == GP_KERNEL_BLOCK ? 1 : call->device.cluster;
    unsigned blocks = 1;

    while (blocks < largest && n > blocks * (size_t)GPI_TUNE_RADIX_COUNTED)
        blocks *= 2;
    return may_count && n <= blocks * (size_t)GPI_TUNE_RADIX_COUNTED_MOST ? blocks : 0;
}

static inline cudaError_t GPI(counted_launch)(const GPI(call) *call)
{
    const GPI(request) *request = &call->request;
    const size_t n = request->n;
    GPI(share) share;

    if (n <= gpi_smaller_size(GPI_RADIX_COUNTED_FEW, GPI_TUNE_RADIX_COUNTED))
        return GPI_LAUNCH_DEPENDENT(call->device.dependent, GPI(few_kernel), 1, n > 4096 ? 1024 : n > 2048 ? 512 : 256,
                                    0, call->stream, request->keys_in, request->keys_out, (uint32_t)n);
    memset((void *)&share, 0, sizeof share);
    share.of = *request;
    return GPI_LAUNCH_CLUSTER(call->device.dependent, call->fit, GPI(cluster_kernel), call->fit,
                              GPI_RADIX_CLUSTER_THREADS, sizeof(GPI(counted)) + GPI_RADIX_COUNTED_COLUMNS * 1024,
                              call->stream, share);
}
