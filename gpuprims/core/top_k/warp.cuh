/*
 * core/top_k/warp.cuh: the k best of a short segment, by one warp, in registers: again and again the first of the items
 * that are left.
 *
 * Part of top_k.cuh; not to be included directly.
 */
enum {
    GPI(warp_rows) = 4, /* items of a lane */
    GPI(warp_n) = 32 * GPI(warp_rows)
};

#if GPI_DEVICE_CODE
/* The least number of a warp, in all lanes. */
GPI_DEVICE uint64_t GPI(warp_least)(uint64_t number)
{
    const uint32_t high = GPI_KEY_IS_NARROW ? 0 : ~gpi_warp_max(~(uint32_t)(number >> 32));
    const uint32_t low = GPI_KEY_IS_NARROW || (uint32_t)(number >> 32) == high ? (uint32_t)number : UINT32_MAX;

    return (uint64_t)high << 32 | (uint32_t)~gpi_warp_max(~low);
}

/* The first of the lane's items that are left, of which `left` has bits; *row is undefined if there is none. */
GPI_DEVICE uint64_t GPI(lane_least)(const uint64_t *numbers, uint32_t left, uint32_t *row)
{
    uint64_t least = GPI(last_entry)().number;

    *row = 0;
    GPI_UNROLL
    for (uint32_t r = GPI(warp_rows); r-- > 0;)
        if (left >> r & 1 && GPI(is_within)(numbers[r], least)) {
            least = numbers[r];
            *row = r;
        }
    return least;
}

/* Segment s, n items from `begin` on. All lanes call. */
GPI_DEVICE_CALL void GPI(select_short)(size_t s, size_t begin, uint32_t n)
{
    GP_DYNAMIC_SHARED(GPI(block), block);
    const GPI(job) *job = &block->job;
    const uint32_t lane = threadIdx.x % 32, k = gpi_min_size(job->k, n);
    uint64_t numbers[GPI(warp_rows)];
    uint32_t left = 0, row, mine = 0;

    GPI_UNROLL
    for (uint32_t r = 0; r < GPI(warp_rows); r++) {
        numbers[r] = 0;
        if (32 * r + lane < n) {
            numbers[r] = GPI(key_order)(job->keys[begin + 32 * r + lane]);
            left |= 1u << r;
        }
    }
    uint64_t least = GPI(lane_least)(numbers, left, &row);
    GPI_NO_UNROLL
    for (uint32_t i = 0; i < k; i++) {
        const uint64_t first = GPI(warp_least)(least);
        const uint32_t place = ~gpi_warp_max(~(left && GPI(is_within)(least, first) ? 32 * row + lane : UINT32_MAX));

        if (place % 32 == lane) {
            left &= ~(1u << row);
            least = GPI(lane_least)(numbers, left, &row);
        }
        mine = i % 32 == lane ? place : mine;
        if ((i % 32 == 31 || i == k - 1) && lane <= i % 32)
            GPI(write_result)(job, s, begin, i - i % 32 + lane, mine);
    }
}
#endif
