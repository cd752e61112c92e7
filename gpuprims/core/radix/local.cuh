/*
 * core/radix/local.cuh: how a block sorts items that it has to itself, if too many keys are alike to be compared: by
 * one digit after the other, ranked by ballots as in core/radix/tile.cuh.
 *
 * Part of radix_sort.cuh; not to be included directly.
 */

/* The items, and room for as many. */
typedef struct {
    GP_KEY *keys[2];
    uint32_t *from[2]; /* what goes with the keys of pairs */
    uint32_t count;
    int begin_bit;
    uint64_t range;        /* as many ones as bits to sort by */
    uint32_t (*rows)[256]; /* in shared memory: of each warp, */
    uint64_t *differ;      /* and a word for each */
    uint32_t *sums;        /* eight words */
} GPI(local);

#if GPI_DEVICE_CODE
/* Turns the counts of each warp into its first slots. */
GPI_DEVICE void GPI(local_scan)(uint32_t (*rows)[256], uint32_t *sums, unsigned warps)
{
    uint32_t *counts = &rows[0][gpi_radix_column(threadIdx.x % 256)];
    const uint32_t sum = threadIdx.x < 256 ? gpi_radix_sum_warps(counts, warps, 256) : 0;
    const uint32_t start = gpi_radix_scan(sums, 8, sum, NULL);

    if (threadIdx.x < 256)
        gpi_radix_scan_warps(counts, warps, 256, start);
    __syncthreads(); /* the first slots are there */
}

/*
 * Sorts the items by those digits that are not the same in all keys, from the lowest bit on that differs, to and fro
 * between the arrays. Returns in which one they end. All threads call. A call: with what a kernel has in registers
 * there are not enough predicates for the ballots.
 */
GPI_DEVICE_CALL int GPI(sort_locally)(const GPI(local) *local)
{
    const uint32_t tid = threadIdx.x, count = local->count, rounds = (count + blockDim.x - 1) / blockDim.x;
    const uint32_t first = tid / 32 * 32 * rounds + tid % 32;
    uint32_t (*rows)[256] = local->rows, *counts = rows[tid / 32], ones = 0xFFFFFFFFu;
    GPI(number) differ = 0;
    int now = 0;

    GPI_OPAQUE(ones);
    for (uint32_t x = tid; x < count; x += blockDim.x)
        differ |= GPI(key_number)(local->keys[0][x]) ^ GPI(key_number)(local->keys[0][0]);
    uint64_t left = gpi_radix_block_or(local->differ, differ, GPI_KEY_IS_NARROW) >> local->begin_bit & local->range;
    GPI_NO_UNROLL
    for (; left; now = !now) {
        const int bit = __ffsll((long long)left) - 1, shift = local->begin_bit + bit;
        const uint32_t mask = (uint32_t)(local->range >> bit) & 255, *from = local->from[now];
        const GP_KEY *keys = local->keys[now];

        left = left >> bit >> 8 << 8 << bit;
        gpi_radix_zero(rows[0], 8 * blockDim.x);
        __syncthreads(); /* the counts are zero */
        GPI_UNROLL_BY(4)
        for (uint32_t x = first; x < first + 32 * rounds; x += 32)
            if (x < count)
                atomicAdd(&counts[gpi_radix_column(GPI(key_digit)(keys[x], shift, mask))], 1u);
        __syncthreads(); /* the counts are complete */
        if (blockDim.x == 1024)
            GPI(local_scan)(rows, local->sums, 32);
        else
            GPI(local_scan)(rows, local->sums, 16);
        GPI_NO_UNROLL
        for (uint32_t x = first; x < first + 32 * rounds; x += 32) {
            const GP_KEY key = keys[gpi_min(x, count - 1)]; /* missing ones come behind all others of the warp */
            const uint32_t digit = GPI(key_digit)(key, shift, mask);
            const uint32_t slot = gpi_radix_rank(&counts[gpi_radix_column(digit)], 0, gpi_match_digit(digit, ones));

            if (x < count) {
                local->keys[!now][slot] = key;
                if (GPI_RADIX_PAIRS)
                    local->from[!now][slot] = from[x];
            }
        }
        __syncthreads(); /* the items are in their slots */
    }
    return now;
}
#endif
