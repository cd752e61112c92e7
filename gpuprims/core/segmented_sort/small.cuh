/*
 * core/segmented_sort/small.cuh: sorts small segments, each by a team of some lanes of a warp. Every lane sorts some
 * items in registers, by a network, and teams merge what two of their halves have, by bitonic merges (Batcher, Sorting
 * networks and their applications, 1968): of two sorted halves the second is taken backwards, so that all comparators
 * point upwards.
 *
 * Where equal keys are not the same, their places decide. A place takes the lowest bits of a word, and a key the
 * others, from the topmost one on in which keys differ. So comparators are minima and maxima there, too. That two keys
 * differ in less is seen from their order in the end; then the segments are sorted again
 * (core/segmented_sort/direct.cuh).
 *
 * Part of segmented_sort.cuh; not to be included directly.
 */
enum {
    GPI(team_bits) = 3 + GPI(is_exact) + GPI_KEY_IS_NARROW,
    GPI(team_items) = 1 << GPI(team_bits), /* of a lane */
    GPI(place_bits) = 8,
    /* Items of a small segment, at most, where they are few together; of more, or of many, blocks take less time. */
    GPI(small_n) = 1 << GPI(place_bits),
    GPI(many_small_n) = GPI_KEY_IS_NARROW ? 128 : 64
};
GPI_STATIC_ASSERT(GPI(small_n) <= 32 * GPI(team_items), "a warp must have room for a small segment");

#if GPI_DEVICE_CODE
/* An item: its number, and its place in the segment, by which equal ones go if they are ranked, a constant below. */
typedef struct {
    GPI(word) number;
    uint32_t from;
} GPI(ranked);

/* Whether item a comes behind item b. */
GPI_DEVICE int GPI(comes_behind)(GPI(ranked) a, GPI(ranked) b, int is_ranked)
{
    return is_ranked ? GPI(is_behind)(a.number, a.from, b.number, b.from, 0) : b.number < a.number;
}

/* Puts two items of a lane in order. */
GPI_DEVICE void GPI(order_two)(GPI(ranked) *low, GPI(ranked) *high, int is_ranked)
{
    const GPI(ranked) a = *low, b = *high;
    const int swaps = GPI(comes_behind)(a, b, is_ranked);

    *low = swaps ? b : a;
    *high = swaps ? a : b;
}

/* The item that another lane has where this one has x. */
GPI_DEVICE GPI(ranked) GPI(of_lane)(GPI(ranked) x, unsigned lane, int is_ranked)
{
    GPI(ranked) other;

    other.number = __shfl_sync(GPI_FULL_MASK, x.number, (int)lane);
    other.from = is_ranked ? __shfl_sync(GPI_FULL_MASK, x.from, (int)lane) : 0;
    return other;
}

/* Keeps the first or the last of two items, if there is another one. */
GPI_DEVICE void GPI(keep_one)(GPI(ranked) *own, GPI(ranked) other, int keeps_first, int has_other, int is_ranked)
{
    const int takes = (GPI(comes_behind)(*own, other, is_ranked) == keeps_first) & has_other;

    *own = takes ? other : *own;
}

/* Sorts the 2^bits items of a lane, a constant here and below, by odd-even merges. */
GPI_DEVICE void GPI(sort_own)(GPI(ranked) *items, int bits, int is_ranked)
{
    GPI_UNROLL
    for (int run = 0; run < bits; run++) { /* merges runs of 2^run items */
        GPI_UNROLL
        for (int step = run; step >= 0; step--) {
            GPI_UNROLL
            for (int i = 0; i < 1 << bits; i++)
                if (gpi_is_compared(i, 1 << bits, run, step))
                    GPI(order_two)(&items[i], &items[i + (1 << step)], is_ranked);
        }
    }
}

/*
 * Teams of some lanes, of which this is number `own`: sort their items. Those of a lane come before those of the next
 * one. What would be exchanged with a lane behind the last one stays, as if all items there were the largest.
 */
GPI_DEVICE void GPI(sort_teams)(GPI(ranked) *items, int bits, int is_ranked, unsigned own, unsigned lanes)
{
    const unsigned first = threadIdx.x % 32 - own;
    const int each = 1 << bits;

    GPI(sort_own)(items, bits, is_ranked);
    GPI_NO_UNROLL
    for (unsigned run = 1; run < lanes; run *= 2) {
        const unsigned opposite = own ^ (2 * run - 1);

        GPI_UNROLL
        for (int i = 0; i < each / 2; i++) { /* the items of the other run backwards */
            const int j = each - 1 - i;
            const GPI(ranked) a = GPI(of_lane)(items[j], first + opposite, is_ranked);
            const GPI(ranked) b = GPI(of_lane)(items[i], first + opposite, is_ranked);

            GPI(keep_one)(&items[i], a, (own & run) == 0, opposite < lanes, is_ranked);
            GPI(keep_one)(&items[j], b, (own & run) == 0, opposite < lanes, is_ranked);
        }
        GPI_NO_UNROLL
        for (unsigned step = run / 2; step > 0; step /= 2) {
            const unsigned other = (own ^ step) < lanes ? own ^ step : own;

            GPI_UNROLL
            for (int i = 0; i < each; i++)
                GPI(keep_one)(&items[i], GPI(of_lane)(items[i], first + other, is_ranked), (own & step) == 0, 1,
                              is_ranked);
        }
        GPI_UNROLL
        for (int step = each / 2; step > 0; step /= 2) {
            GPI_UNROLL
            for (int i = 0; i < each; i++)
                if ((i & step) == 0)
                    GPI(order_two)(&items[i], &items[i + step], is_ranked);
        }
    }
}

/* One warp: in which bits some keys of a lane differ from `first`, the first one of its segment. */
GPI_DEVICE GPI(word) GPI(differing)(const GPI(ranked) *items, GPI(word) first, uint32_t n, unsigned own, unsigned lanes)
{
    GPI(word) differ = 0;

    GPI_UNROLL
    for (int i = 0; i < GPI(team_items); i++)
        if ((unsigned)i * lanes + own < n)
            differ |= items[i].number ^ first;
    if (GPI_KEY_IS_NARROW)
        return gpi_warp_or((uint32_t)differ);
    return (GPI(word))((uint64_t)gpi_warp_or((uint32_t)((uint64_t)differ >> 32)) << 32 | gpi_warp_or((uint32_t)differ));
}

/* One warp: whether a key of a lane is less than the one before it in the segment, which has n. */
GPI_DEVICE int GPI(is_any_before)(const GP_KEY *sorted, uint32_t n, unsigned own)
{
    const GPI(word) last = (GPI(word))GPI(key_order)(sorted[GPI(team_items) - 1]);
    GPI(word) before = __shfl_up_sync(GPI_FULL_MASK, last, 1);
    int is_before = 0;

    before = own == 0 ? 0 : before;
    GPI_UNROLL
    for (int i = 0; i < GPI(team_items); i++) {
        const GPI(word) number = (GPI(word))GPI(key_order)(sorted[i]);

        is_before |= own * GPI(team_items) + (unsigned)i < n && number < before;
        before = number;
    }
    return __any_sync(GPI_FULL_MASK, is_before);
}

/*
 * One warp: each of its teams sorts a segment of n items, from `begin` on, which may differ from team to team. Tags
 * count from `number`. Returns 0 if some are not in order: then the keys are what they were.
 */
GPI_DEVICE int GPI(sort_small)(GP_KEY *keys, uint16_t *tags, uint32_t begin, uint32_t n, uint32_t number,
                               unsigned own, unsigned lanes)
{
    const GPI(word) places = ((GPI(word))1 << GPI(place_bits)) - 1;
    GPI(ranked) items[GPI(team_items)];
    GP_KEY sorted[GPI(team_items)];
    int drops = 0; /* some differing bits */

    GPI_UNDEFINED(sorted);
    GPI_UNROLL
    for (int i = 0; i < GPI(team_items); i++) {
        const uint32_t from = (unsigned)i * lanes + own;

        items[i].from = 0;
        items[i].number = (GPI(word))-1;
        if (from < n)
            items[i].number = (GPI(word))GPI(key_order)(keys[GPI(padded)(begin + from)]);
    }
    if (!GPI(is_exact)) {
        const GPI(word) first = n ? (GPI(word))GPI(key_order)(keys[GPI(padded)(begin)]) : 0;
        const GPI(word) differ = GPI(differing)(items, first, n, own, lanes);
        const int shift = (int)sizeof(GPI(word)) * 8 - GPI(bits_of)(differ);

        drops = ((differ << shift) & places) != 0;
        GPI_UNROLL
        for (int i = 0; i < GPI(team_items); i++)
            if ((unsigned)i * lanes + own < n)
                items[i].number = ((items[i].number << shift) & ~places) | ((unsigned)i * lanes + own);
    }
    GPI(sort_teams)(items, GPI(team_bits), 0, own, lanes);
    GPI_UNROLL
    for (int i = 0; i < GPI(team_items); i++) {
        if (GPI(is_exact))
            sorted[i] = GPI(key_of_order)(GPI(key_of_bits)(items[i].number), 0);
        else if (own * GPI(team_items) + (unsigned)i < n)
            sorted[i] = keys[GPI(padded)(begin + (uint32_t)(items[i].number & places))];
    }
    if (drops && GPI(is_any_before)(sorted, n, own))
        return 0;
    __syncwarp(); /* all items have been read */
    GPI_UNROLL
    for (int i = 0; i < GPI(team_items); i++) {
        const uint32_t place = own * GPI(team_items) + (unsigned)i, to = GPI(padded)(begin + place);

        if (place < n) {
            keys[to] = sorted[i];
            if (GPI_RADIX_PAIRS)
                tags[to] = (uint16_t)(number + (uint32_t)(items[i].number & places));
        }
    }
    return 1;
}
#endif
