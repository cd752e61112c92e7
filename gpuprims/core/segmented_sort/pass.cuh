/*
 * core/segmented_sort/pass.cuh: one pass over the long segments: moves the items of each, within it, to where a digit
 * says that is the segment's own, and keeps the order of those with the same digit. Blocks take the tiles of all
 * segments in order (Adinets and Merrill, Onesweep, 2022):
 *
 *     1. every warp counts its digits
 *     2. the tile adds up its warps, and publishes how many keys of each digit it has
 *     3. the keys are ranked among those of the same digit, by ballots, and go to shared memory, sorted by it
 *     4. a thread for each digit looks back at the tiles before in the segment, until it knows where the digit goes on
 *     5. the keys of a digit go to memory side by side
 *
 * The passes of a segment go from the input to the workspace, from there to the output, and back.
 *
 * Part of segmented_sort.cuh; not to be included directly.
 */

/* What a tile has in shared memory, besides its items. */
typedef struct {
    uint64_t place[GPI(radix)]; /* of a digit, less its start in the tile */
    uint32_t counts[GPI(warps)][GPI(radix)] __attribute__((aligned(16)));
    uint32_t sums[32];
} GPI(pass_shared);

/* The arrays of a pass, from the first item of the tile on, and where its digit is. */
typedef struct {
    const GP_KEY *keys_from;
    GP_KEY *keys_to;
    const GPI(value) *values_from;
    GPI(value) *values_to;
    size_t first, place; /* of the first item: in the array, and in the segment */
    uint32_t n;
    int shift;
    GP_KEY *keys; /* in shared memory, in order of the digit */
    char *values; /* in the order of the input, */
    uint32_t off; /* the first one so many bytes behind */
    uint16_t *positions;
} GPI(pass);

enum { /* values start up to 15 bytes late */
    GPI(pass_bytes) = (int)sizeof(GPI(pass_shared)) + GPI(pass_n) * GPI(pass_slot) + (GPI_RADIX_PAIRS ? 128 : 0)
};

/* A word of the look-back: how many keys of a digit a tile has, or it and all before it in its segment. */
#define GPI_SEGMENTED_SORT_SEEN(count, number, is_all) \
    ((uint64_t)(count) << 8 | (uint64_t)(2 * ((number) + 1) + (is_all)))

#if GPI_DEVICE_CODE
/* The digit of a key. */
GPI_DEVICE uint32_t GPI(digit)(GP_KEY key, int shift)
{
    return GPI(key_digit)(key, shift, GPI(radix) - 1);
}

/* What pass number `number` of a segment moves, in its k-th tile, by way of `memory` behind what is shared. */
GPI_DEVICE GPI(pass) GPI(enter_pass)(const GPI(job) *job, const gpi_long_segment *of, uint64_t k, int number,
                                     char *memory)
{
    const int to_workspace = number % 2 == 0;
    GPI(pass) pass;

    pass.place = k * GPI(pass_n);
    pass.first = of->first + pass.place;
    pass.n = GPI(items_of)(of, k);
    pass.shift = of->digit[number] * GPI(digit_bits);
    pass.keys_from = (number == 0 ? job->keys_in : to_workspace ? job->keys_out : job->keys) + pass.first;
    pass.keys_to = to_workspace ? job->keys : job->keys_out;
    pass.values_from = number == 0 ? job->values_in : to_workspace ? job->values_out : job->values;
    pass.values_from += pass.values_from ? pass.first : 0;
    pass.values_to = to_workspace ? job->values : job->values_out;
    pass.keys = (GP_KEY *)memory;
    pass.values = memory + GPI(pass_n) * sizeof(GP_KEY);
    pass.positions = (uint16_t *)(pass.values + GPI(pass_n) * GPI(value_bytes) + 128);
    pass.off = 0;
    return pass;
}

/* Where the value of a tile's item is in shared memory. */
GPI_DEVICE GPI(value) *GPI(value_at)(const GPI(pass) *pass, uint32_t position)
{
    return (GPI(value) *)(pass->values + pass->off + position * (uint32_t)sizeof(GPI(value)));
}

/* Brings the values of a tile to shared memory. They are there after gpi_copy_wait(). */
GPI_DEVICE void GPI(stage)(const GPI(job) *job, GPI(pass) *pass)
{
    if (pass->values_from) {
        pass->off = gpi_radix_stage(pass->values, (const char *)pass->values_from,
                                    pass->n * (uint32_t)sizeof(GPI(value)), GPI(threads), 0);
        return;
    }
    for (uint32_t i = threadIdx.x; i < pass->n; i += GPI(threads))
        *GPI(value_at)(pass, i) = GPI(number)(job->counts_all, pass->first + i, pass->place + i);
}

/*
 * Adds up the warps' counts of each digit, publishes them, and turns them into the first slot of each warp's keys.
 * Returns thread d how many keys of the digit d there are, and in *start the first slot.
 */
GPI_DEVICE uint32_t GPI(add_up)(GPI(pass_shared) *shared, uint64_t *own, int number, int is_first, uint32_t *start)
{
    uint32_t *counts = &shared->counts[0][gpi_radix_column(threadIdx.x % GPI(radix))], sum = 0;

    if (threadIdx.x < GPI(radix)) {
        sum = gpi_radix_sum_warps(counts, GPI(warps), GPI(radix));
        gpi_store_relaxed_u64(own, GPI_SEGMENTED_SORT_SEEN(sum, number, is_first));
    }
    *start = gpi_radix_scan(shared->sums, GPI(warps), sum, NULL);
    if (threadIdx.x < GPI(radix))
        gpi_radix_scan_warps(counts, GPI(warps), GPI(radix), *start);
    __syncthreads(); /* the warps' first slots are there */
    return sum;
}

/* Ranks the keys by ballots, and puts them into shared memory in order of the digit. */
GPI_DEVICE void GPI(exchange)(uint32_t *counts, const GP_KEY *keys, const GPI(pass) *pass, uint32_t at)
{
    uint32_t ones = 0xFFFFFFFFu;

    GPI_OPAQUE(ones);
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI(pass_items); i++) {
        uint32_t digit = GPI(digit)(keys[i], pass->shift);
        const unsigned same =
            GPI(digit_bits) == 8 ? gpi_match_digit(digit, ones) : __match_any_sync(GPI_FULL_MASK, digit);
        const uint32_t slot = gpi_radix_rank(&counts[gpi_radix_column(digit)], 0, same);

        pass->keys[slot] = keys[i];
        if (GPI_RADIX_PAIRS)
            pass->positions[slot] = (uint16_t)(at + 32 * i);
    }
}

/* Thread d: how many keys of the digit d the tiles of the segment have before the k-th; makes that known. */
GPI_DEVICE uint64_t GPI(look_back)(uint64_t *own, uint64_t k, int number, uint32_t sum)
{
    const uint64_t *row = own - GPI(radix);
    uint64_t before = 0;

    for (int known = k == 0; !known;) {
        const uint64_t word = gpi_load_relaxed_u64(row);

        if ((word & 254) == GPI_SEGMENTED_SORT_SEEN(0, number, 0)) { /* otherwise it is of an earlier pass */
            before += word >> 8;
            known = (int)(word & 1);
            row -= GPI(radix);
        }
    }
    if (k > 0)
        gpi_store_relaxed_u64(own, GPI_SEGMENTED_SORT_SEEN(before + sum, number, 1));
    return before;
}

/* Writes the tile, each digit to its place. */
GPI_DEVICE void GPI(write_pass)(const GPI(pass_shared) *shared, const GPI(pass) *pass)
{
    GPI_UNROLL_BY_8
    for (uint32_t slot = threadIdx.x; slot < pass->n; slot += GPI(threads)) {
        const GP_KEY key = pass->keys[slot];
        const uint64_t to = shared->place[GPI(digit)(key, pass->shift)] + slot;

        pass->keys_to[to] = key;
        if (GPI_RADIX_PAIRS)
            pass->values_to[to] = *GPI(value_at)(pass, pass->positions[slot]);
    }
}

/* Pass number `number` over a tile, if its segment takes that. All threads call. */
GPI_DEVICE void GPI(pass_tile)(const GPI(job) *job, GPI(pass_shared) *shared, uint32_t tile, int number)
{
    const uint32_t which = job->map[tile];
    const gpi_long_segment *of = &job->longs[which];
    const uint64_t k = tile - of->tile;
    const unsigned at = threadIdx.x / 32 * 32 * GPI(pass_items) + threadIdx.x % 32;
    GPI(pass) pass = GPI(enter_pass)(job, of, k, number, (char *)(shared + 1));
    uint64_t *own = job->look + (size_t)tile * GPI(radix) + threadIdx.x;
    uint32_t *counts = shared->counts[threadIdx.x / 32], start = 0;
    GP_KEY keys[GPI(pass_items)];
    uint64_t first = 0;

    if (number >= of->passes)
        return;
    GPI(zero)(shared->counts[0], GPI(warps) * GPI(radix));
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI(pass_items); i++)
        keys[i] = at + 32 * i < pass.n ? pass.keys_from[at + 32 * i] : GPI(key_last)();
    if (GPI_RADIX_PAIRS)
        GPI(stage)(job, &pass);
    if (threadIdx.x < GPI(radix))
        first = job->starts[((size_t)which * GPI(digits) + of->digit[number]) * GPI(radix) + threadIdx.x];
    __syncthreads(); /* the counts are zero */
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI(pass_items); i++) /* with what fills up the last tile */
        atomicAdd(&counts[gpi_radix_column(GPI(digit)(keys[i], pass.shift))], 1u);
    __syncthreads(); /* the warps' counts are complete */
    const uint32_t sum = GPI(add_up)(shared, own, number, k == 0, &start);
    GPI(exchange)(counts, keys, &pass, at);
    if (threadIdx.x < GPI(radix))
        shared->place[threadIdx.x] = first + GPI(look_back)(own, k, number, sum) - start;
    if (GPI_RADIX_PAIRS)
        gpi_copy_wait();
    __syncthreads(); /* the items are in their slots, the places are known */
    GPI(write_pass)(shared, &pass);
}
#endif
