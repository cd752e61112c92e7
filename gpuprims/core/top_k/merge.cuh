/*
 * core/top_k/merge.cuh: merges neighbouring lists, some at a time, as far as the k best. Every so many candidates of a
 * list a unit begins: what lies from that candidate up to the next one of any list that a unit begins with. So it has
 * few candidates of each list. A warp for each list fetches them, and each candidate finds its place by binary searches
 * in all lists.
 *
 * Part of top_k.cuh; not to be included directly.
 */
#include "../tile/probe.cuh"

enum {
    GPI(ways) = GPI_TUNE_TOP_K_WAYS,
    GPI(merge_threads) = 32 * GPI(ways),
    GPI(part_units) = 16, /* units that begin in a part */
    GPI(most_in_piece) = GPI(room) / GPI(part_units)
};

/* What a block has in shared memory. */
typedef struct {
    GPI(candidate) ends[GPI(ways)]; /* of each list, the next candidate that a unit begins with */
    size_t begins[GPI(ways)];       /* candidates of each list before the unit, */
    uint32_t counts[GPI(ways)];     /* and in the unit */
    uint64_t words[GPI(ways) * GPI(most_in_piece)]; /* entries: a piece of each list */
    uint32_t ranks[GPI_KEY_IS_NARROW ? 2 : GPI(ways) * GPI(most_in_piece)];
} GPI(merge);

#if GPI_DEVICE_CODE
GPI_DEVICE int GPI(is_candidate_before)(GPI(candidate) a, GPI(candidate) b)
{
    return a.number < b.number || (a.number == b.number && a.place < b.place);
}

/* How many of the n candidates from `list` on, in order, come before one. All lanes call. */
GPI_DEVICE size_t GPI(count_before)(const GPI(job) *job, size_t list, size_t n, GPI(candidate) x)
{
    const unsigned lane = threadIdx.x % 32;
    size_t low = 0, width = n;

    while (width > 0) {
        const size_t probe = gpi_probe(low, width, lane, 5);

        gpi_narrow(&low, &width, GPI(is_candidate_before)(GPI(get_candidate)(job, list + probe), x), lane, 5);
    }
    return low;
}

/* A warp: those of the n candidates from `first` on that come before `end` become entries, a piece. */
GPI_DEVICE void GPI(fetch_piece)(GPI(merge) *merge, const GPI(job) *job, size_t first, uint32_t n, GPI(candidate) end)
{
    const uint32_t warp = threadIdx.x / 32, piece = warp * GPI(most_in_piece);
    const GPI(list) pieces = {merge->words, merge->ranks};
    uint32_t count = 0, found = 32;

    GPI_NO_UNROLL
    for (uint32_t i = threadIdx.x % 32; found == 32; i += 32) {
        const GPI(candidate) x = i < n ? GPI(get_candidate)(job, first + i) : end;
        const int is_before = GPI(is_candidate_before)(x, end);
        GPI(entry) entry;

        entry.number = x.number;
        entry.rank = job->by_place ? (uint32_t)x.place : piece + i; /* else earlier lists come first */
        if (is_before)
            GPI(put_listed)(pieces, piece + i, entry);
        found = (uint32_t)__popc((int)__ballot_sync(GPI_FULL_MASK, is_before));
        count += found;
    }
    if (threadIdx.x % 32 == 0)
        merge->counts[warp] = count;
}

/* How many entries of all pieces come before one: searches side by side. */
GPI_DEVICE uint32_t GPI(count_entries)(const GPI(merge) *merge, GPI(list) pieces, GPI(entry) entry)
{
    uint32_t counts[GPI(ways)], most = 0, before = 0;

    GPI_UNROLL
    for (int w = 0; w < GPI(ways); w++) {
        counts[w] = 0;
        most = most > merge->counts[w] ? most : merge->counts[w];
    }
    GPI_NO_UNROLL
    for (uint32_t reach = 1u << (31 - __clz((int)most)); reach > 0; reach /= 2) {
        GPI_UNROLL
        for (uint32_t w = 0; w < GPI(ways); w++) {
            const uint32_t upto = counts[w] + reach;

            if (upto <= merge->counts[w] &&
                GPI(is_before)(GPI(get_listed)(pieces, w * GPI(most_in_piece) + upto - 1), entry))
                counts[w] = upto;
        }
    }
    GPI_UNROLL
    for (int w = 0; w < GPI(ways); w++)
        before += counts[w];
    return before;
}

/* A unit. All threads call. */
GPI_DEVICE void GPI(merge_unit)(GPI(merge) *merge, const GPI(job) *job, size_t unit)
{
    const GPI(segment) segment = GPI(segment_at)(job, unit / GPI(part_units));
    const size_t own = segment.part & ~(job->step - 1), p = segment.part & ~(job->next - 1); /* powers of two */
    const size_t piece_n = job->part_n / GPI(part_units); /* a power of two, too */
    const size_t first = (segment.part - own) * job->part_n + unit % GPI(part_units) * piece_n;
    const uint32_t warp = threadIdx.x / 32;
    const size_t part = p + warp * job->step, list = GPI(list_begin)(job, &segment, part);
    const size_t length = part < segment.parts ? GPI(list_length)(job, &segment, part, job->step) : 0;
    const GPI(list) pieces = {merge->words, merge->ranks};
    GPI(candidate) end = {UINT64_MAX, UINT64_MAX};
    size_t before = 0;
    uint32_t n = 0;

    if (segment.part >= segment.parts || job->step >= segment.parts ||
        first >= GPI(list_length)(job, &segment, own, job->step))
        return;
    const GPI(candidate) begin = GPI(get_candidate)(job, GPI(list_begin)(job, &segment, own) + first);
    const size_t from = part == own ? first : GPI(count_before)(job, list, length, begin);
    const size_t next = (from + (part == own ? piece_n : piece_n - 1)) & ~(piece_n - 1);
    if (next < length)
        end = GPI(get_candidate)(job, list + next);
    __syncthreads(); /* the unit before has been written */
    if (threadIdx.x % 32 == 0) {
        merge->ends[warp] = end;
        merge->begins[warp] = from;
    }
    __syncthreads(); /* where the unit begins, and may end, is known */
    GPI_UNROLL
    for (int w = 0; w < GPI(ways); w++) {
        end = GPI(is_candidate_before)(merge->ends[w], end) ? merge->ends[w] : end;
        before += merge->begins[w];
    }
    if (before >= job->k)
        return;
    GPI(fetch_piece)(merge, job, list + from, (uint32_t)((next < length ? next : length) - from), end);
    __syncthreads(); /* all entries are there */
    GPI_UNROLL
    for (int w = 0; w < GPI(ways); w++)
        n += merge->counts[w];
    GPI_NO_UNROLL
    for (uint32_t t = threadIdx.x; t < n; t += blockDim.x) {
        uint32_t w = 0, i = t;

        GPI_UNROLL
        for (uint32_t v = 0; v + 1 < GPI(ways); v++)
            if (w == v && i >= merge->counts[v]) {
                i -= merge->counts[v];
                w++;
            }
        const GPI(entry) entry = GPI(get_listed)(pieces, w * GPI(most_in_piece) + i);
        const size_t at = before + GPI(count_entries)(merge, pieces, entry);
        GPI(candidate) x;

        if (at >= job->k)
            continue;
        x.number = entry.number;
        x.place = entry.rank;
        if (!job->by_place)
            x.place = GPI(get_candidate)(job, GPI(list_begin)(job, &segment, p + w * job->step) + merge->begins[w] + i)
                          .place;
        if (job->next >= segment.parts)
            GPI(write_result)(job, segment.s, segment.begin, at, x.place);
        else
            GPI(put_candidate)(job, GPI(list_begin)(job, &segment, p) + at, x);
    }
}
#endif

static __global__ void __launch_bounds__(32 * GPI_TUNE_TOP_K_WAYS) GPI(merge_kernel)(GPI(job) job)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(GPI(merge), merge);

    gpi_grid_wait();
    gpi_grid_launch_next();
    GPI_NO_UNROLL
    for (size_t unit = blockIdx.x; unit < job.slots * GPI(part_units); unit += gridDim.x)
        GPI(merge_unit)(merge, &job, unit);
#endif
}
