/*
 * core/radix/local.cuh: how a block sorts items that it has to itself, if too many keys are alike to be compared: by
 * one digit after the other, ranked by ballots as in core/radix/tile.cuh.
 *
 * Part of radix_sort.cuh; not to be included directly.
 */
#ifndef GPI_RADIX_LOCAL_CUH
#define GPI_RADIX_LOCAL_CUH

/* How many keys of each digit a warp has, two counts to a word; then where the next one goes. */
typedef union gpi_radix_row {
    uint32_t pairs[128];
    uint16_t counts[256];
} __attribute__((aligned(16), may_alias)) gpi_radix_row;

#endif

/* The items, and room for as many; fewer than 65536. */
typedef struct {
    GP_KEY *keys[2];
    uint32_t *from[2]; /* what goes with the keys of pairs */
    uint32_t count;
    int begin_bit;
    uint64_t range;      /* as many ones as bits to sort by */
    gpi_radix_row *rows; /* in shared memory: of 32 warps, */
    uint64_t *differ;    /* and a word for each */
    uint32_t *sums;      /* four words */
} GPI(local);

#if GPI_DEVICE_CODE
/*
 * Sorts the items by those digits that are not the same in all keys, from the lowest bit on that differs, to and fro
 * between the arrays. Returns in which one they end. All threads call. A call: with what a kernel has in registers
 * there are not enough predicates for the ballots.
 */
GPI_DEVICE_CALL int GPI(sort_locally)(const GPI(local) *local)
{
    enum { ROWS = 32 }; /* the last ones are of no warp, if there are fewer */
    const uint32_t tid = threadIdx.x, count = local->count;
    const uint32_t rounds = (count + blockDim.x - 1) / blockDim.x, first = tid / 32 * 32 * rounds + tid % 32;
    gpi_radix_row *row = &local->rows[tid / 32];
    uint32_t ones = 0xFFFFFFFFu;
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
        gpi_radix_zero(local->rows->pairs, 128 * ROWS);
        __syncthreads(); /* the counts are zero */
        GPI_UNROLL_BY(4)
        for (uint32_t x = first; x < first + 32 * rounds; x += 32)
            if (x < count)
                gpi_radix_count_bucket(row->pairs, GPI(key_digit)(keys[x], shift, mask));
        __syncthreads(); /* the counts are complete */
        const uint32_t sum = tid < 128 ? gpi_radix_sum_warps(&local->rows->pairs[tid], ROWS, 128) : 0;
        const uint32_t start = gpi_radix_scan(local->sums, 4, sum % 65536 + sum / 65536, NULL);
        if (tid < 128)
            gpi_radix_scan_warps(&local->rows->pairs[tid], ROWS, 128, start * 65537 + (sum << 16));
        __syncthreads(); /* the first slots are there */
        GPI_NO_UNROLL
        for (uint32_t x = first; x < first + 32 * rounds; x += 32) {
            const GP_KEY key = keys[gpi_min(x, count - 1)]; /* missing ones come behind all others of the warp */
            const uint32_t digit = GPI(key_digit)(key, shift, mask);
            const uint32_t slot = gpi_radix_rank(&row->counts[digit], 1, gpi_match_digit(digit, ones));

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
