/*
 * core/segmented_sort/direct.cuh: sorts small segments from memory to memory, by teams of lanes as in
 * core/segmented_sort/small.cuh, but with fewer items of each lane, and by comparing keys and places. Where no warp has
 * many segments, that takes least time: of few ones, which the warps of the kernel of blocks share. It also serves
 * where keys differ in bits that have no room beside places.
 *
 * Part of segmented_sort.cuh; not to be included directly.
 */
enum {
    GPI(direct_bits) = 3,
    GPI(direct_items) = 1 << GPI(direct_bits), /* items of a lane */
    GPI(direct_rows) = GPI_TUNE_SEGMENTED_SORT_DIRECT * (1 + GPI(is_exact))
};
GPI_STATIC_ASSERT(GPI(small_n) <= 32 * GPI(direct_items), "a warp must have room for a small segment");

#if GPI_DEVICE_CODE
/* One warp: each of its teams sorts a segment of n items, from `first` on, which may differ from team to team. */
GPI_DEVICE void GPI(sort_ranked)(const GPI(job) *job, size_t first, uint32_t n, unsigned own, unsigned lanes)
{
    GPI(ranked) items[GPI(direct_items)];
    GPI(value) values[GPI(direct_items)];
    GP_KEY sorted[GPI(direct_items)];

    GPI_UNROLL
    for (int i = 0; i < GPI(direct_items); i++) {
        items[i].from = (unsigned)i * lanes + own;
        items[i].number = (GPI(word))-1;
        if (items[i].from < n)
            items[i].number = (GPI(word))GPI(key_order)(job->keys_in[first + items[i].from]);
    }
    GPI(sort_teams)(items, GPI(direct_bits), !GPI(is_exact), own, lanes);
    GPI_UNROLL
    for (int i = 0; i < GPI(direct_items); i++) {
        const uint32_t from = items[i].from < n ? items[i].from : 0;

        if (GPI(is_exact))
            sorted[i] = GPI(key_of_order)(GPI(key_of_bits)(items[i].number), 0);
        else if (n)
            sorted[i] = job->keys_in[first + from];
        if (GPI_RADIX_PAIRS && n && job->values_in)
            values[i] = job->values_in[first + from];
        else if (GPI_RADIX_PAIRS)
            values[i] = GPI(number)(job->counts_all, first + from, from);
    }
    __syncwarp(); /* all items have been read */
    GPI_UNROLL
    for (int i = 0; i < GPI(direct_items); i++) {
        const uint32_t place = own * GPI(direct_items) + (unsigned)i;

        if (place < n) {
            job->keys_out[first + place] = sorted[i];
            if (GPI_RADIX_PAIRS)
                job->values_out[first + place] = values[i];
        }
    }
}

/* One warp: sorts `most` small segments, or all from there on. */
GPI_DEVICE void GPI(sort_directly)(const GPI(job) *job, size_t segment, uint32_t most, unsigned lane)
{
    const uint32_t count = segment < job->segments ? gpi_min_size(job->segments - segment, most) : 0;
    uint32_t longest = 1;

    for (uint32_t i = lane; i < count; i += 32) {
        const uint32_t n = (uint32_t)(GPI(offset)(job, segment + i + 1) - GPI(offset)(job, segment + i));

        longest = n > longest ? n : longest;
    }
    longest = gpi_warp_max(longest);
    const unsigned lanes = (longest + GPI(direct_items) - 1) / GPI(direct_items);
    const unsigned teams = 32 / lanes, team = lane / lanes;
    GPI_NO_UNROLL
    for (unsigned at = 0; at < count; at += teams) {
        const unsigned i = team < teams && at + team < count ? at + team : count; /* count: none */
        const size_t first = GPI(offset)(job, segment + i);
        const uint32_t n = i < count ? (uint32_t)(GPI(offset)(job, segment + i + 1) - first) : 0;

        GPI(sort_ranked)(job, first, n, lane % lanes, lanes);
    }
}

/* Sorts all segments, which are small, and of which each warp takes an equal share. All threads call. */
GPI_DEVICE void GPI(sort_shares)(const GPI(job) *job)
{
    const uint32_t segments = (uint32_t)job->segments, warps = gridDim.x * GPI(warps);
    const uint32_t share = (segments + warps - 1) / warps;
    const uint32_t warp = blockIdx.x + gridDim.x * (threadIdx.x / 32); /* shares go round the blocks */

    GPI(sort_directly)(job, (size_t)warp * share, share, threadIdx.x % 32);
}
#endif
