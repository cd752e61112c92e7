/*
 * core/radix/block.cuh: the radix sort of up to 4096 items, by one block in one launch. The keys go to bins, and
 * those of a bin are compared:
 *
 *     1. span: the topmost bit that is not the same in all keys
 *     2. count: twelve bits from there say which of 4096 bins a key goes to
 *     3. part: a crowded bin is replaced by as many bins as it has keys. The bits that follow, and behind them those of
 *        its position, are a fraction, which says to which of them a key goes. Count again, until no bin is crowded
 *     4. slots: the keys of a bin go side by side, in any order
 *     5. compare: every key counts those of its bin that come before it
 *
 * Keys and positions together are all different, and bins are in their order: so the sort is stable, and it ends for
 * every input. docs/radix-sort.md has an example.
 *
 * Part of radix_sort.cuh; not to be included directly.
 */

#ifndef GPI_RADIX_BLOCK_CUH
#define GPI_RADIX_BLOCK_CUH

enum {
    GPI_RADIX_BLOCK_ITEMS = 4,                          /* of a thread, at most */
    GPI_RADIX_BLOCK_MAX = 1024 * GPI_RADIX_BLOCK_ITEMS, /* their positions have as many bits as a bin */
    GPI_RADIX_BLOCK_CROWD = GPI_TUNE_RADIX_CROWD        /* items of a bin; more are not compared */
};

/* Slots of the items, and some behind them that are compared though nothing is there. */
#define GPI_RADIX_BLOCK_SLOTS(n) (((n) + GPI_RADIX_BLOCK_CROWD + 3) / 4 * 4)

/* What a block has in shared memory, besides its items. */
typedef struct gpi_radix_bins {
    /* How many items each bin has; then that times 65536, and where it goes on: from its begin to its end. */
    uint32_t bins[GPI_RADIX_BINS + 32]; /* the last ones are for missing items, one for each lane */
    uint32_t sums[32];
    uint64_t differ[32];
} __attribute__((aligned(16))) gpi_radix_bins;

#if GPI_DEVICE_CODE
/* The bits that are set in any lane of the warp; only the lower 32 if `narrow` is set. */
GPI_DEVICE uint64_t gpi_radix_or(uint64_t bits, int narrow)
{
    return (narrow ? 0 : (uint64_t)gpi_warp_or((uint32_t)(bits >> 32)) << 32) | gpi_warp_or((uint32_t)bits);
}

/* The bits that are set in any thread of the block. */
GPI_DEVICE uint64_t gpi_radix_block_or(gpi_radix_bins *state, uint64_t bits, int narrow)
{
    bits = gpi_radix_or(bits, narrow);
    if (threadIdx.x % 32 == 0)
        state->differ[threadIdx.x / 32] = bits;
    __syncthreads(); /* the warps' bits are there */
    return gpi_radix_or(state->differ[gpi_min(threadIdx.x % 32, blockDim.x / 32 - 1)], narrow);
}
#endif

#endif

/* What all threads of the block know. */
typedef struct {
    gpi_radix_bins *state;
    uint32_t *tags; /* of the item in a slot: position times 65536, and where the word of its bin is */
    GP_KEY *keys;   /* slots are in order of the bins */
    uint32_t n;
    uint64_t mask; /* the bits that count */
    int same;      /* the keys of a bin are all the same: none need be told apart, or compared */
} GPI(block);

#if GPI_DEVICE_CODE
/* The bits of a key to sort by. */
GPI_DEVICE uint64_t GPI(block_order)(const GPI(block) *block, GP_KEY key)
{
    return GPI(key_number)(key) & (GPI(number))block->mask;
}

/* How many of the topmost bits are alike in all items of every crowded bin. */
GPI_DEVICE int GPI(block_alike)(const GPI(block) *block, const uint32_t *at, const uint32_t *words,
                                const uint64_t *rest)
{
    uint64_t *some = (uint64_t *)block->tags; /* one item of each crowded bin; nothing is in the slots yet */
    uint32_t found[GPI_RADIX_BLOCK_ITEMS];
    uint64_t differ = 0;

    GPI_UNROLL
    for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++) {
        /* Additions to one word are serialised: of the lanes in the bin of lane 0 only lane 0 takes part. */
        const uint32_t first = __shfl_sync(GPI_FULL_MASK, at[i], 0);
        const int comes = threadIdx.x % 32 == 0 || at[i] != first;

        found[i] = 0;
        if (words[i] / 65536 > GPI_RADIX_BLOCK_CROWD && comes)
            found[i] = atomicAdd(&block->state->bins[at[i]], 1u);
    }
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++)
        if (found[i] && found[i] == words[i])
            some[words[i] % 65536 / GPI_RADIX_BLOCK_CROWD] = rest[i];
    __syncthreads(); /* one item of each crowded bin is there */
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++)
        if (words[i] / 65536 > GPI_RADIX_BLOCK_CROWD)
            differ |= rest[i] ^ some[words[i] % 65536 / GPI_RADIX_BLOCK_CROWD];
    return __clzll((long long)gpi_radix_block_or(block->state, differ, 0));
}

/*
 * Makes as many bins of each crowded one as it has items. Bits that are alike in all items of every crowded bin are
 * left out, if the caller asks for that.
 */
GPI_DEVICE void GPI(block_part)(const GPI(block) *block, uint32_t *at, uint64_t *rest, int asks)
{
    uint32_t words[GPI_RADIX_BLOCK_ITEMS];

    GPI_UNROLL
    for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++)
        words[i] = block->state->bins[at[i]];
    __syncthreads(); /* the words have been read */
    const int alike = asks ? GPI(block_alike)(block, at, words, rest) : 0;
    gpi_radix_zero(block->state->bins, GPI_RADIX_BINS);
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++) {
        const uint32_t begin = words[i] % 65536, count = words[i] / 65536;
        const uint64_t fraction = rest[i] << alike;
        const uint64_t low = (fraction & 0xFFFFFFFFu) * count, high = (fraction >> 32) * count + (low >> 32);

        if (count > 0) /* otherwise there is no such item */
            at[i] = gpi_radix_bin_at(begin + (count > GPI_RADIX_BLOCK_CROWD ? (uint32_t)(high >> 32) : 0));
        rest[i] = high << 32 | (low & 0xFFFFFFFFu);
    }
    __syncthreads(); /* the bins are empty again */
}

/* Finds bins for the items of the thread, by so many bits of their numbers, of which none is crowded. */
GPI_DEVICE void GPI(block_fill)(const GPI(block) *block, const uint64_t *numbers, int bits, uint32_t *at)
{
    gpi_radix_bins *state = block->state;
    uint64_t rest[GPI_RADIX_BLOCK_ITEMS];

    GPI_UNROLL
    for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++) {
        const uint32_t bin = (uint32_t)((GPI(number))numbers[i] >> (bits - GPI_RADIX_BIN_BITS));

        at[i] = threadIdx.x + i * blockDim.x < block->n ? gpi_radix_bin_at(bin % GPI_RADIX_BINS)
                                                        : GPI_RADIX_BINS + threadIdx.x % 32;
    }
    GPI_NO_UNROLL
    for (int round = 0;; round++) {
        GPI_UNROLL
        for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++)
            atomicAdd(&state->bins[at[i]], 1u);
        __syncthreads(); /* the bins have been counted */
        const int crowded = gpi_radix_scan_bins(state->bins, state->sums, blockDim.x < 1024 ? 8 : 4, 4,
                                                GPI_RADIX_COUNTED, GPI_RADIX_BLOCK_CROWD);
        __syncthreads(); /* where each bin begins is there */
        if (!crowded || block->same)
            return;
        GPI_OPAQUE(bits); /* keeps the compiler from preparing what is rarely needed */
        GPI_UNROLL
        for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS && !round; i++) /* without the topmost bits, which say the bin */
            rest[i] = (numbers[i] << GPI_RADIX_BIN_BITS | (threadIdx.x + i * blockDim.x)) << (64 - bits);
        GPI(block_part)(block, at, rest, round % 4 == 0); /* to leave out bits takes time */
    }
}

/*
 * Counts, for the items in the thread's slots, those that come before them in their bins: equal keys by position,
 * or in any order.
 */
GPI_DEVICE void GPI(block_compare)(const GPI(block) *block, const GP_KEY *keys, const uint32_t *tags, int by_position,
                                   uint32_t *places)
{
    uint32_t begin[GPI_RADIX_BLOCK_ITEMS], largest = 0;
    uint64_t numbers[GPI_RADIX_BLOCK_ITEMS];

    GPI_UNROLL
    for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++) {
        const uint32_t word = block->state->bins[tags[i] % 65536];

        numbers[i] = GPI(block_order)(block, keys[i]);
        places[i] = begin[i] = word % 65536 - word / 65536;
        largest = word / 65536 > largest ? word / 65536 : largest;
    }
    GPI_NO_UNROLL
    for (uint32_t k = 0; k < largest; k++) {
        GPI_UNROLL
        for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++)
            if (i * blockDim.x < block->n) { /* behind the end of the bin are greater ones */
                const uint64_t other = GPI(block_order)(block, block->keys[begin[i] + k]);
                const int earlier =
                    by_position ? block->tags[begin[i] + k] < tags[i] : k < threadIdx.x + i * blockDim.x - begin[i];

                if ((other < numbers[i]) | ((other == numbers[i]) & earlier))
                    places[i]++;
            }
    }
}

/* Sorts the items in their bins, and writes them. */
GPI_DEVICE void GPI(block_write)(const GPI(block) *block, const GPI(request) *job)
{
    const GPI_RADIX_VALUE *values_in = job->values_in;
    GPI_RADIX_VALUE *values_out = job->values_out;
    GP_KEY keys[GPI_RADIX_BLOCK_ITEMS];
    GPI_RADIX_VALUE values[GPI_RADIX_BLOCK_ITEMS];
    uint32_t tags[GPI_RADIX_BLOCK_ITEMS] = {0}, places[GPI_RADIX_BLOCK_ITEMS] = {0};

    memset((void *)keys, 0, sizeof keys);
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++)
        if (threadIdx.x + i * blockDim.x < block->n) {
            places[i] = threadIdx.x + i * blockDim.x;
            keys[i] = block->keys[places[i]];
            tags[i] = block->tags[places[i]];
            if (GPI_RADIX_PAIRS) { /* under way while keys are compared */
                const uint32_t position = tags[i] / 65536;

                values[i] = values_in ? values_in[position] : GPI(numbered)(position);
            }
        }
    if (!block->same && (GPI_RADIX_PAIRS || GPI(key_is_float) || job->end_bit - job->begin_bit < GPI_KEY_WIDTH))
        GPI(block_compare)(block, keys, tags, 1, places);
    else if (!block->same) /* keys that are alike are the same */
        GPI(block_compare)(block, keys, tags, 0, places);
    if (GPI_RADIX_PAIRS && values_in == values_out)
        __syncthreads(); /* all values have been read */
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++)
        if (threadIdx.x + i * blockDim.x < block->n) {
            job->keys_out[places[i]] = keys[i];
            if (GPI_RADIX_PAIRS)
                values_out[places[i]] = values[i];
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
    uint64_t numbers[GPI_RADIX_BLOCK_ITEMS] = {0}, differ = 0;
    uint32_t at[GPI_RADIX_BLOCK_ITEMS], slots[GPI_RADIX_BLOCK_ITEMS], room = GPI_RADIX_BLOCK_SLOTS(n);

    if (!GPI(holds_values))
        return;
    GPI_OPAQUE(room); /* computed once, and kept in a register */
    block.state = state;
    block.tags = (uint32_t *)(state + 1);
    block.keys = (GP_KEY *)(block.tags + room);
    block.n = n;
    block.mask = job.begin_bit < job.end_bit ? UINT64_MAX >> (64 - (job.end_bit - job.begin_bit)) << job.begin_bit : 0;
    gpi_radix_zero(state->bins, GPI_RADIX_BINS + 32);
    if (threadIdx.x < GPI_RADIX_BLOCK_CROWD) {
        block.keys[n + threadIdx.x] = GPI(key_last)();
        block.tags[n + threadIdx.x] = UINT32_MAX;
    }
    gpi_grid_wait();
    gpi_grid_launch_next();
    const uint64_t one = GPI(block_order)(&block, job.keys_in[0]) >> job.begin_bit;
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++)
        if (threadIdx.x + i * blockDim.x < n) {
            keys[i] = job.keys_in[threadIdx.x + i * blockDim.x];
            numbers[i] = GPI(block_order)(&block, keys[i]) >> job.begin_bit;
            differ |= numbers[i] ^ one;
        }
    /* Up to the topmost bit that is not the same in all, and at least those of a bin. */
    differ = gpi_radix_block_or(state, differ, GPI_KEY_IS_NARROW) | GPI_RADIX_BINS / 2;
    const int bits = 64 - __clzll((long long)differ);
    block.same = !GPI_RADIX_PAIRS && !GPI(key_is_float) && job.end_bit - job.begin_bit == GPI_KEY_WIDTH &&
                 bits == GPI_RADIX_BIN_BITS;
    GPI(block_fill)(&block, numbers, bits, at);
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++)
        slots[i] = atomicAdd(&state->bins[at[i]], 1u) % 65536;
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++)
        if (threadIdx.x + i * blockDim.x < n) {
            block.keys[slots[i]] = keys[i];
            block.tags[slots[i]] = (threadIdx.x + i * blockDim.x) << 16 | at[i];
        }
    __syncthreads(); /* the items are in their bins */
    GPI(block_write)(&block, &job);
#endif
}

/* ---- host functions ---------------------------------------------------------------------------- */

/* Shared memory of the block. */
static inline size_t GPI(block_shared_bytes)(size_t n)
{
    return sizeof(gpi_radix_bins) + GPI_RADIX_BLOCK_SLOTS(n) * (sizeof(uint32_t) + sizeof(GP_KEY));
}

static inline int GPI(block_fits)(const GPI(call) *call)
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
