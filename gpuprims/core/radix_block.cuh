/*
 * core/radix_block.cuh: the radix sort of few keys, in one launch: a single block keeps them in shared
 * memory and ranks them by one digit after the other. Values stay where they are until the end; until
 * then every key is accompanied by its position.
 *
 * Part of radix_sort.cuh; not to be included directly.
 */
#define GPI_RADIX_BLOCK GPI(block)
#define GPI_RADIX_BLOCK_RANK GPI(block_rank)
#define GPI_RADIX_BLOCK_SCAN GPI(block_scan)
#define GPI_RADIX_BLOCK_KERNEL GPI(block_kernel)
#define GPI_RADIX_BLOCK_N GPI(block_n)
#define GPI_RADIX_BLOCK_SLOT GPI(block_slot)

#define GPI_RADIX_BLOCK_ITEMS 8 /* of a thread, at most */

enum {
    /* None if there are values too large for the registers. */
    GPI_RADIX_BLOCK_N =
        GPI_RADIX_PAIRS && sizeof(GPI_RADIX_VALUE) > 16 ? 0 : 1024 * GPI_RADIX_BLOCK_ITEMS,
    GPI_RADIX_BLOCK_SLOT = (int)sizeof(GP_KEY) + 2 * GPI_RADIX_PAIRS
};

/* Counts of each warp; rows of 258 halves, so that a warp's reads of several rows do not meet in a bank. */
typedef struct {
    uint16_t counts[32][258];
    uint32_t sums[32];
} GPI_RADIX_BLOCK;

/* Ranks each key among those of its digit in the warp's run. */
GPI_DEVICE void GPI_RADIX_BLOCK_RANK(uint16_t *counts, const GP_KEY *keys, uint32_t *ranks,
                                     int rounds, int shift, uint32_t mask)
{
    const unsigned below = (1u << threadIdx.x % 32) - 1;
    uint32_t ones = 0xFFFFFFFFu;

    GPI_OPAQUE(ones);
    GPI_UNROLL
    for (unsigned i = 0; i < 256; i += 32)
        counts[i + threadIdx.x % 32] = 0;
    __syncwarp(); /* the counts are zero */
    GPI_UNROLL
    for (int i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++) {
        if (i < rounds) {
            uint32_t digit = GPI_KEY_DIGIT(keys[i], shift, mask);
            unsigned same = gpi_match_digit(digit, ones), rank = (unsigned)__popc(same & below);
            uint32_t before = counts[digit];

            __syncwarp(); /* everybody has read the count */
            if (rank == 0)
                counts[digit] = (uint16_t)(before + (uint32_t)__popc(same));
            __syncwarp(); /* the count is there for the next round */
            ranks[i] = before + rank;
        }
    }
}

/*
 * Turns the warps' counts of each digit into the first slot of its keys. Tells whether one digit has all.
 * A thread has a digit in eight warps: the threads are in the order of the slots, digit by digit.
 */
GPI_DEVICE int GPI_RADIX_BLOCK_SCAN(GPI_RADIX_BLOCK *block, uint32_t all)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, parts = blockDim.x / 256;
    const unsigned digit = threadIdx.x / parts, first = threadIdx.x % parts * 8;
    uint32_t counts[8], sum = 0, scan, total;

    GPI_UNROLL
    for (int w = 0; w < 8; w++)
        sum += counts[w] = block->counts[first + w][digit];
    total = sum;
    for (unsigned stride = 1; stride < parts; stride *= 2)
        total += __shfl_xor_sync(GPI_FULL_MASK, total, stride);
    scan = sum;
    GPI_UNROLL
    for (unsigned stride = 1; stride < 32; stride *= 2) {
        uint32_t before = __shfl_up_sync(GPI_FULL_MASK, scan, stride);

        scan += lane >= stride ? before : 0;
    }
    if (lane == 31)
        block->sums[warp] = scan;
    if (__syncthreads_or(total == all)) /* the warps' sums are complete, too */
        return 1;
    scan -= sum;
    sum = lane < warp ? block->sums[lane] : 0;
    GPI_UNROLL
    for (unsigned stride = 1; stride < 32; stride *= 2)
        sum += __shfl_xor_sync(GPI_FULL_MASK, sum, stride);
    scan += sum;
    GPI_UNROLL
    for (int w = 0; w < 8; w++) {
        block->counts[first + w][digit] = (uint16_t)scan;
        scan += counts[w];
    }
    __syncthreads(); /* the first slots are there */
    return 0;
}

/*
 * Sorts n keys, at most 8 for each thread. What fills up the last ones comes after them all. The input
 * has been read before anything is written: it may be the output.
 */
static __global__ void __launch_bounds__(1024)
    GPI_RADIX_BLOCK_KERNEL(const GP_KEY *keys_in, GP_KEY *keys_out,
                           const GPI_RADIX_VALUE *values_in, GPI_RADIX_VALUE *values_out,
                           uint32_t n, int begin_bit, int end_bit)
{
    GP_DYNAMIC_SHARED(char, items);
    GP_SHARED(GPI_RADIX_BLOCK, block);
    const uint32_t threads = blockDim.x, tid = threadIdx.x, rounds = (n + threads - 1) / threads;
    const unsigned at = tid / 32 * 32 * rounds + tid % 32;
    GP_KEY *slots = (GP_KEY *)items, keys[GPI_RADIX_BLOCK_ITEMS];
    uint16_t *positions = (uint16_t *)(slots + rounds * threads);
    uint32_t ranks[GPI_RADIX_BLOCK_ITEMS], from[GPI_RADIX_BLOCK_ITEMS];

    gpi_grid_wait();
    gpi_grid_launch_next();
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++) {
        keys[i] = i < rounds && at + 32 * i < n ? keys_in[at + 32 * i] : GPI_KEY_LAST();
        from[i] = at + 32 * i;
    }
    for (int shift = begin_bit; shift < end_bit; shift += 8) {
        const uint32_t mask = 255u >> (end_bit - shift < 8 ? 8 - (end_bit - shift) : 0);

        GPI_RADIX_BLOCK_RANK(block.counts[tid / 32], keys, ranks, (int)rounds, shift, mask);
        __syncthreads(); /* the counts are complete; the items of the digit before have been read */
        if (GPI_RADIX_BLOCK_SCAN(&block, rounds * threads))
            continue; /* the counts have been read: they change no more before the next barrier */
        GPI_UNROLL
        for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++)
            if (i < rounds) {
                uint32_t slot =
                    block.counts[tid / 32][GPI_KEY_DIGIT(keys[i], shift, mask)] + ranks[i];

                slots[slot] = keys[i];
                if (GPI_RADIX_PAIRS)
                    positions[slot] = (uint16_t)from[i];
            }
        __syncthreads(); /* the items are in their slots */
        GPI_UNROLL
        for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++)
            if (i < rounds) {
                keys[i] = slots[at + 32 * i];
                if (GPI_RADIX_PAIRS)
                    from[i] = positions[at + 32 * i];
            }
    }
    if (GPI_RADIX_PAIRS) {
        GPI_RADIX_VALUE values[GPI_RADIX_BLOCK_ITEMS];

        GPI_UNROLL
        for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++)
            if (i < rounds && at + 32 * i < n)
                values[i] = values_in ? values_in[from[i]] : GPI_RADIX_NUMBERED(from[i]);
        __syncthreads(); /* all values have been read */
        GPI_UNROLL
        for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++)
            if (i < rounds && at + 32 * i < n)
                values_out[at + 32 * i] = values[i];
    }
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI_RADIX_BLOCK_ITEMS; i++)
        if (i < rounds && at + 32 * i < n)
            keys_out[at + 32 * i] = keys[i];
}
