/*
 * core/segmented_sort/small.cuh: sorts small segments in shared memory, each by a team of some lanes of a warp. Every
 * lane sorts some items in registers, by a network, and teams merge what two of their halves have, by bitonic merges
 * (Batcher, Sorting networks and their applications, 1968): of two sorted halves the second is taken backwards, so that
 * all comparators point upwards.
 *
 * Part of segmented_sort.cuh; not to be included directly.
 */
enum {
    GPI(team_bits) = GPI(is_exact) ? (GPI_KEY_IS_NARROW ? 5 : 4) : GPI_KEY_IS_NARROW ? 4 : 3,
    GPI(team_items) = 1 << GPI(team_bits), /* of a lane */
    /* Items of a small segment, at most, where they are few together; of more, or of many, blocks take less time. */
    GPI(small_n) = 256,
    GPI(many_small_n) = GPI_RADIX_PAIRS ? 32 : 64
};
GPI_STATIC_ASSERT(GPI(small_n) <= 32 * GPI(team_items), "a warp must have room for a small segment");

#if GPI_DEVICE_CODE
/* An item: its number, and its place in the segment where equal keys are not the same. */
typedef struct {
    GPI(word) number;
    uint32_t from;
} GPI(ranked);

/* Puts two items of a lane in order. */
GPI_DEVICE void GPI(order_two)(GPI(ranked) *low, GPI(ranked) *high)
{
    const GPI(ranked) a = *low, b = *high;
    const int swaps = GPI(is_behind)(a.number, a.from, b.number, b.from, 0);

    low->number = swaps ? b.number : a.number;
    low->from = swaps ? b.from : a.from;
    high->number = swaps ? a.number : b.number;
    high->from = swaps ? a.from : b.from;
}

/* The item that another lane has where this one has x. */
GPI_DEVICE GPI(ranked) GPI(of_lane)(GPI(ranked) x, unsigned mask)
{
    GPI(ranked) other;

    other.number = __shfl_xor_sync(GPI_FULL_MASK, x.number, (int)mask);
    other.from = GPI(is_exact) ? 0 : __shfl_xor_sync(GPI_FULL_MASK, x.from, (int)mask);
    return other;
}

/* Keeps the first or the last of two items. */
GPI_DEVICE void GPI(keep_one)(GPI(ranked) *own, GPI(ranked) other, int keeps_first)
{
    const int takes = GPI(is_behind)(own->number, own->from, other.number, other.from, 0) == keeps_first;

    own->number = takes ? other.number : own->number;
    own->from = takes ? other.from : own->from;
}

/* Sorts the items of a lane by odd-even merges. */
GPI_DEVICE void GPI(sort_own)(GPI(ranked) *own)
{
    GPI_UNROLL
    for (int run = 0; run < GPI(team_bits); run++) { /* merges runs of 2^run items */
        GPI_UNROLL
        for (int step = run; step >= 0; step--) {
            GPI_UNROLL
            for (int i = 0; i < GPI(team_items); i++)
                if (gpi_is_compared(i, GPI(team_items), run, step))
                    GPI(order_two)(&own[i], &own[i + (1 << step)]);
        }
    }
}

/* Teams of `lanes` lanes, a power of two: sort their items. Those of a lane come before those of the next one. */
GPI_DEVICE void GPI(sort_teams)(GPI(ranked) *own, unsigned lanes)
{
    const unsigned lane = threadIdx.x % 32;

    GPI(sort_own)(own);
    GPI_NO_UNROLL
    for (unsigned run = 1; run < lanes; run *= 2) {
        GPI_UNROLL
        for (int i = 0; i < GPI(team_items) / 2; i++) { /* the items of the other run backwards */
            const int j = GPI(team_items) - 1 - i;
            const GPI(ranked) first = GPI(of_lane)(own[j], 2 * run - 1), last = GPI(of_lane)(own[i], 2 * run - 1);

            GPI(keep_one)(&own[i], first, (lane & run) == 0);
            GPI(keep_one)(&own[j], last, (lane & run) == 0);
        }
        GPI_NO_UNROLL
        for (unsigned step = run / 2; step > 0; step /= 2) {
            GPI_UNROLL
            for (int i = 0; i < GPI(team_items); i++)
                GPI(keep_one)(&own[i], GPI(of_lane)(own[i], step), (lane & step) == 0);
        }
        GPI_UNROLL
        for (int step = GPI(team_items) / 2; step > 0; step /= 2) {
            GPI_UNROLL
            for (int i = 0; i < GPI(team_items); i++)
                if ((i & step) == 0)
                    GPI(order_two)(&own[i], &own[i + step]);
        }
    }
}

/*
 * One warp: each of its teams of `lanes` lanes sorts a segment of n items, from `begin` on, which may differ from team
 * to team. Tags count from `number`.
 */
GPI_DEVICE void GPI(sort_small)(GP_KEY *keys, uint16_t *tags, uint32_t begin, uint32_t n, uint32_t number,
                                unsigned lanes)
{
    const unsigned own_lane = threadIdx.x % 32 & (lanes - 1);
    GPI(ranked) own[GPI(team_items)];
    GP_KEY sorted[GPI(team_items)];

    GPI_UNROLL
    for (int i = 0; i < GPI(team_items); i++) {
        own[i].from = (unsigned)i * lanes + own_lane;
        own[i].number = (GPI(word))-1;
        if (own[i].from < n)
            own[i].number = (GPI(word))GPI(key_order)(keys[GPI(padded)(begin + own[i].from)]);
    }
    GPI(sort_teams)(own, lanes);
    GPI_UNROLL
    for (int i = 0; i < GPI(team_items); i++) {
        if (GPI(is_exact))
            sorted[i] = GPI(key_of_order)(GPI(key_of_bits)(own[i].number), 0);
        else
            sorted[i] = keys[GPI(padded)(begin + (own[i].from < n ? own[i].from : 0))];
    }
    __syncwarp(); /* all items have been read */
    GPI_UNROLL
    for (int i = 0; i < GPI(team_items); i++) {
        const uint32_t place = own_lane * GPI(team_items) + (unsigned)i, to = GPI(padded)(begin + place);

        if (place < n) {
            keys[to] = sorted[i];
            if (GPI_RADIX_PAIRS)
                tags[to] = (uint16_t)(number + own[i].from);
        }
    }
}
#endif
