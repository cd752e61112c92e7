/*
 * core/radix/block.cuh: the radix sort of up to 4096 items, by one block in one launch. The keys go to bins, and
 * those of a bin are compared:
 *
 *     1. span: the topmost bit that is not the same in all keys
 *     2. count: twelve bits from there say which of 4096 bins a key goes to
 *     3. part: a crowded bin makes way for as many as it has keys. The bits that follow, then of the position, are
 *        a fraction, which says to which of them a key goes. Count again, until all keys of crowded bins are the same
 *     4. slots: the keys of a bin go side by side, in any order
 *     5. compare: every key counts those of its bin that come before it
 *
 * Keys and positions together are all different, so that the sort is stable. docs/radix-sort.md has an example.
 *
 * Part of radix_sort.cuh; not to be included directly.
 */
#ifndef GPI_RADIX_BLOCK_CUH
#define GPI_RADIX_BLOCK_CUH

enum {
    GPI_RADIX_BLOCK_ITEMS = 4,                          /* of a thread, at most */
    GPI_RADIX_BLOCK_MAX = 1024 * GPI_RADIX_BLOCK_ITEMS, /* their positions have as many bits as a bin */
    /* Items that are compared in a bin that has become finer, and in one that has twice, as few are left then. */
    GPI_RADIX_BLOCK_FINE = 20,
    GPI_RADIX_BLOCK_LAST = 96,
    GPI_RADIX_BLOCK_ROUNDS = 9 /* a crowded bin has one key then: 13 * 21 * 97^7 is more than 52 bits */
};
GPI_STATIC_ASSERT(GPI_TUNE_RADIX_CROWD >= 8 && GPI_TUNE_RADIX_CROWD <= 20, "GPI_TUNE_RADIX_CROWD must be from 8 to 20");

/* Slots of the items, and one behind them for a missing item of each lane; 16 bytes are whole slots. */
#define GPI_RADIX_BLOCK_SLOTS(n) (((n) + 32 + 15) / 16 * 16)

/* What a block has in shared memory, besides its items. */
typedef struct gpi_radix_bins {
    /* How many items each bin has; then that times 65536, and where it goes on: from its begin to its end. */
    uint32_t bins[GPI_RADIX_BINS + 32]; /* the last ones are for missing items, one for each lane */
    uint32_t sums[32];
    uint64_t differ[32];
} __attribute__((aligned(16))) gpi_radix_bins;

#endif

/* What all threads of the block know. */
typedef struct {
    gpi_radix_bins *state;
    /* Items in order of the bins: what they are compared by, the lower bits of the number and then of the position, */
    GPI(number) *orders;
    GP_KEY *keys;
    uint16_t *bins; /* and where the word of their bin is */
    char *values;   /* in order of the input */
    uint32_t n;
    int same;  /* keys that are alike are the same: these need not be told apart, */
    int exact; /* and those of a bin are */
    uint32_t crowd; /* so many of a bin are compared at most: if there are more, they are the same */
} GPI(block);

enum { GPI(number_bits) = 8 * (int)sizeof(GPI(number)), GPI(may_be_same) = !GPI_RADIX_PAIRS && !GPI(key_is_float) };

#if GPI_DEVICE_CODE
/*
 * Makes as many bins of each crowded one as it has items, or a few times as many if there is room. The topmost bits
 * that are alike in all items of every such bin are left out. Returns 0 if all bits are: nothing is done.
 *
 * The items of a bin are compared with the last of them that was shown. Of many only some are, at random, since lanes
 * take turns at one word: about eight, and twice as many in each round. If none is, fewer bits count as alike.
 */
GPI_DEVICE int GPI(block_part)(const GPI(block) *block, uint32_t *at, GPI(number) *rest, unsigned round)
{
    GPI(number) *shown = block->orders; /* of each crowded bin; nothing is in the slots yet */
    const int spare = __clz((int)(block->n - 1)) - (32 - GPI_RADIX_BIN_BITS);
    const uint32_t nowhere = block->n + threadIdx.x % 32, odd = (threadIdx.x + round) % 2;
    const uint32_t lot = threadIdx.x * 0x9E3779B1u, some = 16u << gpi_min(round, 8);
    uint32_t words[GPI_RADIX_BLOCK_ITEMS];
    GPI(number) differ = 0;

    GPI_UNROLL
    for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++)
        words[i] = block->state->bins[at[i]];
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i += 2) { /* one of two, and the other one in the next round */
        const uint32_t word = odd ? words[i + 1] : words[i], count = word / 65536;
        const int takes_part = count > block->crowd && (uint32_t)((uint64_t)lot * count >> 32) < some;

        (void)atomicExch(&shown[takes_part ? word % 65536 : nowhere], odd ? rest[i + 1] : rest[i]);
    }
    __syncthreads(); /* the words have been read, the items are shown */
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++)
        if (words[i] / 65536 > block->crowd)
            differ |= rest[i] ^ shown[words[i] % 65536];
    if (!GPI(may_be_same)) /* some bits will differ */
        gpi_radix_zero(block->state->bins, GPI_RADIX_BINS);
    differ = (GPI(number))gpi_radix_block_or(block->state->differ, differ, GPI_KEY_IS_NARROW);
    if (differ == 0)
        return 0;
    if (GPI(may_be_same)) /* now they do */
        gpi_radix_zero(block->state->bins, GPI_RADIX_BINS);
    const int alike = __clzll((long long)differ) - (64 - GPI(number_bits));
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++) {
        const uint32_t word = words[i] << spare, parts = words[i] / 65536 > block->crowd ? word / 65536 : 0;
        const uint64_t fraction = (uint64_t)(rest[i] << alike) << (64 - GPI(number_bits));
        const uint64_t low = (fraction & 0xFFFFFFFFu) * parts, high = (fraction >> 32) * parts + (low >> 32);

        if (words[i] > 65535) /* otherwise there is no such item */
            at[i] = gpi_radix_bin_at(word % 65536 + (uint32_t)(high >> 32));
        rest[i] = (GPI(number))((high << 32 | (low & 0xFFFFFFFFu)) >> (64 - GPI(number_bits)));
    }
    if (GPI(may_be_same))
        __syncthreads(); /* the bins are empty again; for others they have been since the barrier before */
    return 1;
}

/*
 * Finds bins for the items of the thread, by so many bits of their numbers. None is crowded, unless its keys are all
 * the same.
 */
GPI_DEVICE void GPI(block_fill)(GPI(block) *block, const GPI(number) *orders, int bits, uint32_t *at)
{
    gpi_radix_bins *state = block->state;
    GPI(number) rest[GPI_RADIX_BLOCK_ITEMS];

    GPI_NO_UNROLL
    for (unsigned round = 0;; round++) {
        const uint32_t crowd = round > 1 ? GPI_RADIX_BLOCK_LAST : round ? GPI_RADIX_BLOCK_FINE : GPI_TUNE_RADIX_CROWD;

        block->crowd = block->exact ? 1 : crowd;
        GPI_UNROLL
        for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++)
            atomicAdd(&state->bins[at[i]], 1u);
        __syncthreads(); /* the bins have been counted */
        const int crowded =
            blockDim.x < 1024 ? gpi_radix_scan_bins(state->bins, state->sums, 8, 8, GPI_RADIX_COUNTED, crowd, NULL)
                              : gpi_radix_scan_bins(state->bins, state->sums, 4, 4, GPI_RADIX_COUNTED, crowd, NULL);
        __syncthreads(); /* where each bin begins is there */
        if (!crowded || block->exact || (block->same && round == GPI_RADIX_BLOCK_ROUNDS))
            return;
        GPI_OPAQUE(bits); /* keeps the compiler from preparing what is rarely needed */
        GPI_UNROLL
        for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS && !round; i++)
            rest[i] = (block->same ? orders[i] & ~(GPI(number))(GPI_RADIX_BLOCK_MAX - 1) : orders[i])
                      << (GPI(number_bits) - bits); /* without the topmost bits, which say the bin */
        if (!GPI(block_part)(block, at, rest, round))
            return;
    }
}

/* Sorts the items in their bins, and writes them. */
GPI_DEVICE void GPI(block_write)(const GPI(block) *block, const GPI(request) *job)
{
    GPI_UNROLL_BY_2
    for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS && threadIdx.x + i * blockDim.x < block->n; i++) {
        const uint32_t slot = threadIdx.x + i * blockDim.x;
        const uint32_t word = block->state->bins[block->bins[slot]], count = word / 65536;
        const GPI(number) order = block->orders[slot], *others = block->orders + word % 65536 - count;
        const uint32_t position = (uint32_t)order % GPI_RADIX_BLOCK_MAX;
        uint32_t place = slot, left = count;

        if (count > 1 && count <= block->crowd) { /* otherwise all are the same */
            place = word % 65536 - 1; /* less those that it comes before */
            GPI_NO_UNROLL
            for (; left >= 4; left -= 4, others += 4)
                GPI_UNROLL
                for (int k = 0; k < 4; k++)
                    place = gpi_less_if_before(place, order, slot, others[k], slot, GPI_KEY_IS_NARROW);
            GPI_UNROLL
            for (uint32_t k = 0; k < 3; k++)
                if (k < left)
                    place = gpi_less_if_before(place, order, slot, others[k], slot, GPI_KEY_IS_NARROW);
        }
        job->keys_out[place] = block->keys[slot];
        if (GPI_RADIX_PAIRS && job->values_in)
            job->values_out[place] = ((const GPI_RADIX_VALUE *)block->values)[position];
        else if (GPI_RADIX_PAIRS)
            job->values_out[place] = GPI(numbered)(position);
    }
}
#endif

/* The grid is one block. */
static __global__ void __launch_bounds__(1024) GPI(block_kernel)(GPI(request) job)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, memory);
    const uint32_t n = (uint32_t)job.n;
    gpi_radix_bins *state = (gpi_radix_bins *)memory;
    GPI(block) block;
    GP_KEY keys[GPI_RADIX_BLOCK_ITEMS];
    GPI(number) orders[GPI_RADIX_BLOCK_ITEMS], differ = 0;
    uint32_t at[GPI_RADIX_BLOCK_ITEMS], room = GPI_RADIX_BLOCK_SLOTS(n);

    if (!GPI(holds_values))
        return;
    GPI_OPAQUE(room); /* computed once, and kept in a register */
    block.state = state;
    block.orders = (GPI(number) *)(state + 1);
    block.keys = (GP_KEY *)(block.orders + room);
    block.bins = (uint16_t *)(block.keys + room);
    block.values = (char *)(block.bins + room);
    block.n = n;
    const GPI(number) mask = (GPI(number))( /* the bits that count */
        job.begin_bit < job.end_bit ? UINT64_MAX >> (64 - (job.end_bit - job.begin_bit)) << job.begin_bit : 0);
    gpi_radix_zero(state->bins, GPI_RADIX_BINS + 32);
    gpi_grid_wait();
    gpi_grid_launch_next();
    const GPI(number) one = (GPI(key_number)(job.keys_in[0]) & mask) >> job.begin_bit;
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++) {
        keys[i] = job.keys_in[gpi_min(threadIdx.x + i * blockDim.x, n - 1)];
        orders[i] = (GPI(key_number)(keys[i]) & mask) >> job.begin_bit;
        differ |= orders[i] ^ one;
    }
    if (GPI_RADIX_PAIRS && job.values_in) /* under way while the keys find their bins */
        block.values += gpi_radix_stage(block.values, (const char *)job.values_in,
                                        n * (uint32_t)sizeof(GPI_RADIX_VALUE), blockDim.x, 0);
    /* Up to the topmost bit that is not the same in all, and at least those of a bin. */
    const uint64_t any = gpi_radix_block_or(state->differ, differ, GPI_KEY_IS_NARROW) | GPI_RADIX_BINS / 2;
    const int bits = 64 - __clzll((long long)any);
    block.same = GPI(may_be_same) && job.end_bit - job.begin_bit == GPI_KEY_WIDTH;
    block.exact = block.same && bits == GPI_RADIX_BIN_BITS;
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++) {
        const uint32_t position = threadIdx.x + i * blockDim.x;
        const uint32_t bin = (uint32_t)(orders[i] >> (bits - GPI_RADIX_BIN_BITS)) % GPI_RADIX_BINS;

        at[i] = position < n ? gpi_radix_bin_at(bin) : GPI_RADIX_BINS + threadIdx.x % 32;
        orders[i] = orders[i] << GPI_RADIX_BIN_BITS | gpi_min(position, n - 1);
    }
    GPI(block_fill)(&block, orders, bits, at);
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++) {
        const uint32_t next = atomicAdd(&state->bins[at[i]], 1u) % 65536;
        const uint32_t slot = threadIdx.x + i * blockDim.x < n ? next : n + threadIdx.x % 32;

        block.keys[slot] = keys[i]; /* missing items of a lane are all the same */
        block.orders[slot] = orders[i];
        block.bins[slot] = (uint16_t)at[i];
    }
    if (GPI_RADIX_PAIRS)
        gpi_copy_wait();
    __syncthreads(); /* the items are in their bins, the values have come */
    GPI(block_write)(&block, &job);
#endif
}

/* ---- host functions ---------------------------------------------------------------------------- */

static inline size_t GPI(block_shared_bytes)(size_t n)
{
    return sizeof(gpi_radix_bins) +
           GPI_RADIX_BLOCK_SLOTS(n) * (sizeof(GPI(number)) + sizeof(GP_KEY) + sizeof(uint16_t)) +
           (GPI_RADIX_PAIRS ? n * sizeof(GPI_RADIX_VALUE) + 16 : 0);
}

static inline unsigned GPI(block_fits)(const GPI(call) *call)
{
    const size_t n = call->request.n;

    return GPI(holds_values) && (GP_KERNEL == 0 || GP_KERNEL == GP_KERNEL_BLOCK) && n <= GPI_RADIX_BLOCK_MAX &&
           GPI(block_shared_bytes)(n) + 2048 <= call->device.room;
}

static inline cudaError_t GPI(block_launch)(const GPI(call) *call)
{
    const size_t n = call->request.n;

    return GPI_LAUNCH_DEPENDENT(call->device.dependent, GPI(block_kernel), 1,
                                n > 512 * GPI_RADIX_BLOCK_ITEMS ? 1024 : 512, GPI(block_shared_bytes)(n), call->stream,
                                call->request);
}
