/*
 * core/top_k/finish.cuh: the k best of the candidates that a filter has left of a row, by one block. It counts them in
 * bins of equal width, until a bound is found that a few more than k are within. These become entries, and are sorted
 * as those of a row that a team selects from: core/top_k/row.cuh
 *
 * Should the candidates be too few, or too many for their array, the block first finds exactly the k best of the row,
 * digit by digit. A bound of well-mixed samples is wrong about once in a billion calls, so one block is enough.
 *
 * Part of top_k.cuh; not to be included directly.
 */
enum { GPI(finish_bins) = 288 }; /* 256 between two words, one below, and one above */

/* What the block has in shared memory; what a team has follows. */
typedef struct {
    GPI(job) job;
    uint64_t ends[2][GPI(threads) / 32]; /* the least and the largest word of each warp */
    uint64_t low, high; /* the last one wanted is between these */
    uint32_t wanted;    /* of those that have the digits so far */
    uint32_t within;    /* candidates up to `high` */
    uint32_t bins[GPI(finish_bins)];
} GPI(finish);

/* Entries that there is room for. */
static inline uint32_t GPI(finish_room)(size_t k)
{
    return (uint32_t)(k + k / (GPI_KEY_IS_NARROW ? 4 : 32) + 64);
}

static inline size_t GPI(finish_bytes)(uint32_t room)
{
    return sizeof(GPI(finish)) + GPI(team_bytes)(GPI(threads), room);
}

#if GPI_DEVICE_CODE
/* ---- a wrong bound ----------------------------------------------------------------------------- */

/*
 * Finds the next digit of the bound: of its number, or, unless `by_number`, of its place, among items of the number
 * `number`. `low` is what is known of it, and `wanted` its rank among those that have these digits, from 1 on.
 */
GPI_DEVICE_CALL void GPI(find_digit)(GPI(finish) *finish, const GP_KEY *keys, size_t n, int shift, int by_number,
                                     uint64_t number)
{
    for (uint32_t i = threadIdx.x; i < 256; i += blockDim.x)
        finish->bins[i] = 0;
    __syncthreads(); /* counts are clear */
    const uint64_t prefix = finish->low;
    for (size_t i = threadIdx.x; i < n; i += blockDim.x) {
        const uint64_t own = GPI(key_order)(keys[i]), x = by_number ? own : i;

        if ((by_number || own == number) && x >> shift >> 8 == prefix)
            atomicAdd(&finish->bins[x >> shift & 255], 1u);
    }
    __syncthreads(); /* all items have been counted */
    if (threadIdx.x == 0) {
        uint32_t digit = 0;

        for (; finish->bins[digit] < finish->wanted; digit++)
            finish->wanted -= finish->bins[digit];
        finish->low = prefix << 8 | digit;
    }
    __syncthreads(); /* the digit is known */
}

/* Finds exactly the k best of row s, which become its candidates. */
GPI_DEVICE_CALL void GPI(rescue)(GPI(finish) *finish, size_t s)
{
    const GPI(job) *job = &finish->job;
    const GP_KEY *keys = job->keys + s * job->length;

    if (threadIdx.x == 0) {
        finish->wanted = (uint32_t)job->k;
        finish->low = 0;
        finish->within = 0;
        job->count[s] = job->k;
    }
    for (int shift = GPI_KEY_WIDTH - 8; shift >= 0; shift -= 8)
        GPI(find_digit)(finish, keys, job->length, shift, 1, 0);
    const uint64_t number = finish->low;
    __syncthreads(); /* all have read it */
    if (threadIdx.x == 0)
        finish->low = 0;
    for (int shift = 24; shift >= 0; shift -= 8)
        GPI(find_digit)(finish, keys, job->length, shift, 0, number);
    for (size_t i = threadIdx.x; i < job->length; i += blockDim.x) {
        GPI(candidate) x;

        x.number = GPI(key_order)(keys[i]);
        x.place = i;
        if (x.number < number || (x.number == number && i <= finish->low))
            GPI(write_candidate)(job->out, s * job->capacity + atomicAdd(&finish->within, 1u), GPI_KEY_IS_NARROW, x);
    }
    __syncthreads(); /* the candidates are there */
}

/* ---- a bound of the candidates ----------------------------------------------------------------- */

/*
 * What of a candidate is looked at: its number, or, `by_place`, its place among those with the number of the bound.
 * Those with larger ones are left out then.
 */
GPI_DEVICE uint64_t GPI(word_of)(GPI(candidate) x, int by_place, uint64_t number)
{
    return GPI(as_number)(!by_place ? x.number : x.number == number ? x.place + 1 : 0);
}

/*
 * Visits n candidates of row s, `step` apart: finds the extremes of their words, and counts them in bins of 2^shift
 * between `low` and `high`; or enters those within the bound. One function for both, so that a kernel that runs once
 * has little code.
 */
GPI_DEVICE_CALL void GPI(visit)(GPI(finish) *finish, const GPI(row) *row, size_t s, uint32_t n, uint32_t step,
                                int enters, int shift, int by_place, GPI(entry) bound)
{
    enum { EACH = 8 };
    const uint64_t *candidates = finish->job.in + s * finish->job.capacity * (GPI_KEY_IS_NARROW ? 1 : 2);
    const uint64_t low = GPI(as_number)(finish->low), high = GPI(as_number)(finish->high);
    uint64_t least = GPI(last_entry)().number, most = 0;

    GPI_NO_UNROLL
    for (uint32_t first = threadIdx.x; first < n; first += EACH * blockDim.x) {
        GPI(candidate) x[EACH];

        GPI_UNDEFINED(x);
        GPI_UNROLL
        for (uint32_t e = 0; e < EACH; e++) /* all are under way at a time */
            x[e] = GPI(read_candidate)(candidates, (size_t)gpi_min(first + e * blockDim.x, n - 1) * step,
                                       GPI_KEY_IS_NARROW);
        GPI_UNROLL
        for (uint32_t e = 0; e < EACH; e++) {
            const uint64_t word = GPI(word_of)(x[e], by_place, bound.number);
            GPI(entry) entry;

            entry.number = x[e].number;
            entry.rank = (uint32_t)x[e].place;
            if (first + e * blockDim.x >= n)
                break;
            if (enters) {
                if (!GPI(is_before)(bound, entry))
                    GPI(enter_item)(row, entry);
                continue;
            }
            if (by_place && x[e].number > bound.number)
                continue;
            least = GPI(lesser)(least, word);
            most = GPI(as_number)(~GPI(lesser)(~most, ~word));
            const uint32_t bin = 1 + (uint32_t)(GPI(as_number)(word - low) >> shift);
            atomicAdd(&finish->bins[word < low ? 0 : word > high ? 257 : bin], 1u);
        }
    }
    least = GPI(warp_least)(least);
    most = gpi_warp_max_long(most, GPI_KEY_IS_NARROW);
    if (threadIdx.x % 32 == 0) {
        finish->ends[0][threadIdx.x / 32] = least;
        finish->ends[1][threadIdx.x / 32] = most;
    }
    __syncthreads(); /* all have been visited */
}

/* The extremes of what has been visited. */
GPI_DEVICE void GPI(find_extremes)(const GPI(finish) *finish, uint64_t *least, uint64_t *most)
{
    const uint32_t warps = blockDim.x / 32, lane = threadIdx.x % 32, other = lane < warps ? lane : 0;

    *least = GPI(warp_least)(finish->ends[0][other]);
    *most = GPI(as_number)(gpi_warp_max_long(finish->ends[1][other], GPI_KEY_IS_NARROW));
}

/* One warp: the bin that the last one wanted is in becomes what is between `low` and `high`. */
GPI_DEVICE void GPI(choose_bin)(GPI(finish) *finish, uint32_t k, int shift)
{
    enum { EACH = GPI(finish_bins) / 32 };
    const uint64_t low = finish->low, high = finish->high;
    uint32_t sum = 0;

    GPI_NO_UNROLL
    for (uint32_t bin = EACH * threadIdx.x; bin < EACH * (threadIdx.x + 1); bin++)
        sum += finish->bins[bin];
    uint32_t before = gpi_warp_prefix(sum, threadIdx.x) - sum;
    __syncwarp(); /* all have read what there was */
    GPI_NO_UNROLL
    for (uint32_t bin = EACH * threadIdx.x; before < k && bin < EACH * (threadIdx.x + 1); bin++) {
        const uint32_t count = finish->bins[bin];

        if (k - before <= count) {
            const uint64_t begin = low + ((uint64_t)(bin - 1) << shift), width = ((uint64_t)1 << shift) - 1;

            finish->low = bin == 0 ? 0 : bin == 257 ? high + 1 : begin;
            finish->high = bin == 0 ? low - 1 : bin == 257 ? UINT64_MAX : high - begin < width ? high : begin + width;
            finish->within = before + count;
        }
        before += count;
    }
}

/* A bound that k of n candidates are within, and not more than there is room for. All threads call. */
GPI_DEVICE GPI(entry) GPI(bound_candidates)(GPI(finish) *finish, GPI(row) *row, size_t s, uint32_t n)
{
    const uint32_t some = gpi_min(n, 8 * blockDim.x);
    GPI(entry) bound = GPI(last_entry)();
    uint64_t low = 0, high = 0, most;
    int by_place = 0, has_ends = 0;

    GPI_NO_UNROLL
    for (;;) {
        if (!has_ends) { /* some of them, evenly apart, say where the bins begin and end */
            GPI(visit)(finish, row, s, some, n / some, 0, 63, by_place, bound);
            GPI(find_extremes)(finish, &low, &high);
            has_ends = 1;
        }
        const int bits = 64 - __clzll((long long)((high - low) | 1)), shift = bits > 8 ? bits - 8 : 0;

        __syncthreads(); /* all have read what there was */
        GPI_NO_UNROLL
        for (uint32_t i = threadIdx.x; i < GPI(finish_bins); i += blockDim.x)
            finish->bins[i] = 0;
        if (threadIdx.x == 0) {
            finish->low = low;
            finish->high = high;
        }
        __syncthreads(); /* the bins are empty, and what they are of is known */
        GPI(visit)(finish, row, s, n, 1, 0, shift, by_place, bound);
        if (!by_place)
            GPI(find_extremes)(finish, &row->least, &most);
        if (threadIdx.x < 32)
            GPI(choose_bin)(finish, row->k, shift);
        __syncthreads(); /* the bin is known */
        low = GPI(as_number)(finish->low);
        high = GPI(as_number)(finish->high);
        if (finish->within <= row->room)
            break;
        if (!by_place && low == high) { /* too many have the same number */
            by_place = 1;
            bound.number = low;
            has_ends = 0;
        }
    }
    if (by_place)
        bound.rank = (uint32_t)high - 1;
    else
        bound.number = high;
    return bound;
}

/* Writes the k best of n candidates of row s. */
GPI_DEVICE void GPI(select_candidates)(GPI(finish) *finish, size_t s, uint32_t n)
{
    const GPI(job) *job = &finish->job;
    GPI(row) row;

    row.keys = job->keys + s * job->length;
    row.n = (uint32_t)job->length;
    row.k = (uint32_t)job->k;
    row.first = 0;
    row.by_vectors = 1; /* entries may be many */
    row.threads = blockDim.x;
    row.thread = threadIdx.x;
    row.room = job->room;
    row.is_warp = 0;
    row.team = (GPI(team) *)(void *)(finish + 1);
    GPI(carve_team)(&row);
    GPI(clear_entries)(&row);
    const GPI(entry) bound = GPI(bound_candidates)(finish, &row, s, n);
    GPI(lay_out_buckets)(&row, bound);
    GPI(visit)(finish, &row, s, n, 1, 1, 0, 0, bound);
    GPI(finish_row)(&row, job, (uint32_t)s, (uint32_t)s, row.team->count);
}
#endif

/* A block for each row. If more are wanted than it selects, it leaves them as they are. */
static __global__ void __launch_bounds__(GPI_TUNE_TOP_K_THREADS) GPI(finish_kernel)(GPI(job) job)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(GPI(finish), finish);
    const size_t s = blockIdx.x;

    if (threadIdx.x == 0)
        finish->job = job;
    gpi_grid_wait();
    gpi_grid_launch_next();
    size_t n = (size_t)job.count[s];
    __syncthreads(); /* the job is there; all have read the count */
    if (n < job.k || n > job.capacity || GP_KERNEL == GP_KERNEL_TOP_K_RESCUE) {
        GPI(rescue)(finish, s);
        n = job.k;
    }
    if (job.room)
        GPI(select_candidates)(finish, s, (uint32_t)n);
#endif
}
