/*
 * core/top_k/merge.cuh: merges neighbouring lists, two at a time, as far as the k best. A block writes a part
 * of the candidates: it finds where its part of the two lists begins and ends (Odeh, Green, Mwassi,
 * Shmueli and Birk, Merge path, 2012), fetches it, and each candidate finds its place by a binary search.
 *
 * Part of top_k.cuh; not to be included directly.
 */
#include "../tile/probe.cuh"

enum { GPI(merge_n) = GPI(room) / 4 }; /* candidates of a unit */

/* The units of a part. */
static __host__ __device__ __forceinline__ size_t GPI(merge_units)(const GPI(job) *job)
{
    return job->part_n / GPI(merge_n);
}

#if GPI_DEVICE_CODE
/* Two lists. */
typedef struct {
    size_t a, b; /* where they begin */
    size_t a_n, b_n;
} GPI(lists);

/* Whether candidate j of the second list comes before candidate i of the first. */
GPI_DEVICE int GPI(is_second_first)(const GPI(job) *job, const GPI(lists) *lists, size_t i, size_t j)
{
    const GPI(candidate) a = GPI(get_candidate)(job, lists->a + i), b = GPI(get_candidate)(job, lists->b + j);

    return b.number < a.number || (b.number == a.number && b.place < a.place);
}

/*
 * How many of the first `begin`, and of the first `end`, merged candidates are of the first list. Half of a warp looks
 * for each, at 16 places at a time. All lanes call.
 */
GPI_DEVICE void GPI(cut)(const GPI(job) *job, const GPI(lists) *lists, size_t begin, size_t end, size_t *a,
                         size_t *a_end)
{
    const unsigned lane = threadIdx.x % 32;
    const size_t rank = lane < 16 ? begin : end;
    size_t low = rank > lists->b_n ? rank - lists->b_n : 0, width = (rank < lists->a_n ? rank : lists->a_n) - low;

    while (__any_sync(GPI_FULL_MASK, width > 0)) {
        const size_t probe = gpi_probe(low, width, lane % 16, 4);

        gpi_narrow(&low, &width, width > 0 && !GPI(is_second_first)(job, lists, probe, rank - 1 - probe), lane, 4);
    }
    *a = (size_t)__shfl_sync(GPI_FULL_MASK, (unsigned long long)low, 0);
    *a_end = (size_t)__shfl_sync(GPI_FULL_MASK, (unsigned long long)low, 16);
}

/* Of n entries from `from` on, in order, how many come before an entry. */
GPI_DEVICE uint32_t GPI(count_before)(GPI(block) *block, uint32_t from, uint32_t n, GPI(entry) entry)
{
    uint32_t low = 0;

    while (low < n) {
        const uint32_t mid = low + (n - low) / 2;
        const int is_before = GPI(is_before)(GPI(get_entry)(block, from + mid), entry);

        low = is_before ? mid + 1 : low;
        n = is_before ? n : mid;
    }
    return low;
}

/* Merges candidates [begin, end) of two lists: to a list, or, in the end, to the results of the segment. */
GPI_DEVICE void GPI(merge_lists)(GPI(block) *block, const GPI(segment) *segment, const GPI(lists) *lists, size_t begin,
                                 size_t end)
{
    const GPI(job) *job = &block->job;
    size_t a, a_end;

    GPI(cut)(job, lists, begin, end, &a, &a_end);
    const size_t b = begin - a;
    const uint32_t a_n = (uint32_t)(a_end - a), n = (uint32_t)(end - begin), b_n = n - a_n;

    __syncthreads(); /* the shared memory is free */
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
        const GPI(candidate) x = GPI(get_candidate)(job, i < a_n ? lists->a + a + i : lists->b + b + i - a_n);
        GPI(entry) entry;

        entry.number = x.number;
        entry.rank = job->by_place ? (uint32_t)x.place : i; /* else the first list is before the second */
        GPI(put_entry)(block, i, entry);
    }
    __syncthreads(); /* the entries are there */
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
        const GPI(entry) entry = GPI(get_entry)(block, i);
        const int is_a = i < a_n;
        const size_t at = begin + (is_a ? i : i - a_n) +
                          GPI(count_before)(block, is_a ? a_n : 0, is_a ? b_n : a_n, entry);
        GPI(candidate) x;

        x.number = entry.number;
        x.place = entry.rank;
        if (!job->by_place)
            x.place = GPI(get_candidate)(job, is_a ? lists->a + a + i : lists->b + b + i - a_n).place;
        if (job->next >= segment->parts)
            GPI(write_result)(job, segment->s, segment->begin, at, x.place);
        else
            GPI(put_candidate)(job, lists->a + at, x);
    }
}

/* The share of a unit, of which a slot has several: so many of the candidates of the merged lists. */
GPI_DEVICE void GPI(merge_unit)(GPI(block) *block, size_t unit)
{
    const GPI(job) *job = &block->job;
    const uint32_t each = (uint32_t)GPI(merge_units)(job); /* units are far fewer than 2^32 */
    const GPI(segment) segment = GPI(segment_at)(job, (uint32_t)unit / each);
    const size_t p = segment.part & ~(job->next - 1), second = p + job->step; /* next: a power of two */
    const size_t begin = (segment.part - p) * job->part_n + (uint32_t)unit % each * GPI(merge_n);
    GPI(lists) lists;

    if (segment.part >= segment.parts || job->step >= segment.parts)
        return;
    lists.a = GPI(list_begin)(job, &segment, p);
    lists.a_n = GPI(list_length)(job, &segment, p, job->step);
    lists.b = GPI(list_begin)(job, &segment, second);
    lists.b_n = second < segment.parts ? GPI(list_length)(job, &segment, second, job->step) : 0;
    size_t end = lists.a_n + lists.b_n < job->k ? lists.a_n + lists.b_n : job->k;
    end = end < begin + GPI(merge_n) ? end : begin + GPI(merge_n);
    if (begin < end)
        GPI(merge_lists)(block, &segment, &lists, begin, end);
}
#endif

static __global__ void __launch_bounds__(GPI_TUNE_TOP_K_THREADS) GPI(merge_kernel)(GPI(job) job)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(GPI(block), block);

    if (threadIdx.x == 0)
        block->job = job;
    __syncthreads(); /* the job is there */
    gpi_grid_wait();
    gpi_grid_launch_next();
    GPI_NO_UNROLL
    for (size_t unit = blockIdx.x; unit < job.slots * GPI(merge_units)(&job); unit += gridDim.x)
        GPI(merge_unit)(block, unit);
#endif
}
