/*
 * core/radix/buckets.cuh: sorts in buckets if core/radix/spread.cuh has decided so: the partitions of keys alone, and
 * the sort of each bucket in shared memory.
 *
 * Part of radix_sort.cuh; not to be included directly.
 */
__extension__ enum {
    GPI(partitions) = GPI(has_buckets) && !GPI_RADIX_PAIRS, /* whether a kernel of its own partitions */
    GPI(partition_items) = GPI(partitions) ? 40 : 1,
    GPI(partition_step) = GPI(partitions) ? 20 : 1, /* of which so many at a time go to their slots; */
    GPI(partition_group) = GPI(partitions) ? 5 : 1, /* of so many the digits are found at once */
    /* and so many go from there to memory at a time */
    GPI(partition_batch) = !GPI(partitions) ? 1 : GPI_KEY_IS_NARROW || GPI(coded) ? 8 : 20
};

/* ---- the partition ----------------------------------------------------------------------------- */

/* What a tile has in shared memory, besides its keys. */
typedef struct {
    uint32_t counts[GPI_RADIX_RANGES + 32]; /* the last ones are for missing keys, one for each lane */
    uint32_t place[GPI_RADIX_RANGES];
    uint32_t sums[8], range;
} GPI(bucket_tile);

#if GPI_DEVICE_CODE
/* Moves a tile of `count` keys, each to where its digit goes on. */
GPI_DEVICE void GPI(partition)(GPI(bucket_tile) *tile, GP_KEY *slots, const GP_KEY *from, GP_KEY *to, uint32_t count,
                               uint32_t *next, gpi_radix_map map, int top, uint32_t mask)
{
    const unsigned tid = threadIdx.x, none = GPI_RADIX_RANGES + tid % 32;
    const int limit = (int)(count - tid); /* keys of the tile from the thread's first one on */
    GP_KEY keys[GPI(partition_items)];
    uint32_t top_bits[GPI(partition_group)];

    from += tid;
    GPI_UNROLL
    for (int i = 0; i < GPI(partition_items); i++)
        if (i * GPI_RADIX_PARTITION_THREADS < limit)
            keys[i] = from[i * GPI_RADIX_PARTITION_THREADS];
    GPI_UNROLL
    for (int i = 0; i < GPI(partition_items); i++) {
        if (i % GPI(partition_group) == 0)
            GPI(all_top_bits)(map, keys + i, GPI(partition_group), top, top_bits);
        const uint32_t digit = top_bits[i % GPI(partition_group)] & mask;
        atomicAdd(&tile->counts[i * GPI_RADIX_PARTITION_THREADS < limit ? digit : none], 1u);
    }
    __syncthreads(); /* the digits have been counted */
    const uint32_t here = tile->counts[tid], place = here ? atomicAdd(&next[tid], here) : 0;
    const uint32_t start = gpi_radix_scan(tile->sums, 8, here, NULL);
    tile->counts[tid] = start;
    tile->place[tid] = place - start;
    __syncthreads(); /* the first slots are there */
    GPI_NO_UNROLL
    for (int first = 0; first < GPI(partition_items); first += GPI(partition_step)) {
        GPI_UNROLL
        for (int i = 0; i < GPI(partition_step); i++) {
            if (i % GPI(partition_group) == 0)
                GPI(all_top_bits)(map, keys + i, GPI(partition_group), top, top_bits);
            const uint32_t digit = top_bits[i % GPI(partition_group)] & mask;
            const int some = (first + i) * GPI_RADIX_PARTITION_THREADS < limit;
            const uint32_t slot = atomicAdd(&tile->counts[some ? digit : none], 1u);
            if (some)
                slots[slot] = keys[i];
        }
        GPI_UNROLL
        for (int i = GPI(partition_step); i < GPI(partition_items); i++)
            keys[i - GPI(partition_step)] = keys[i];
    }
    __syncthreads(); /* the keys are in order of the digit */
    tile->counts[tid] = 0;
    GPI_NO_UNROLL
    for (uint32_t first = tid; first < count; first += (uint32_t)GPI(partition_batch) * GPI_RADIX_PARTITION_THREADS) {
        uint32_t places[GPI(partition_batch)];

        GPI_UNROLL
        for (uint32_t i = 0; i < GPI(partition_batch); i++)
            keys[i] = slots[gpi_min(first + i * GPI_RADIX_PARTITION_THREADS, count - 1)];
        GPI(all_top_bits)(map, keys, GPI(partition_batch), top, places);
        GPI_UNROLL
        for (int i = 0; i < GPI(partition_batch); i++)
            places[i] = tile->place[places[i] & mask];
        GPI_UNROLL
        for (uint32_t i = 0; i < GPI(partition_batch); i++)
            if (first + i * GPI_RADIX_PARTITION_THREADS < count)
                to[places[i] + first + i * GPI_RADIX_PARTITION_THREADS] = keys[i];
    }
}
#endif

static __global__ void __launch_bounds__(GPI_RADIX_PARTITION_THREADS, 2) GPI(partition_kernel)(GPI(job) job)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(GP_KEY, slots);
    GP_SHARED(GPI(bucket_tile), tile);
    const unsigned tid = threadIdx.x;
    const int bits = job.level ? job.bits - 8 : 8;
    gpi_radix_buckets *buckets = job.buckets;

    gpi_grid_wait();
    gpi_grid_launch_next();
    if (buckets->chosen * GPI(partitions) == 0)
        return;
    const gpi_radix_map map = buckets->map;
    const gpi_radix_ranges *ranges = &buckets->ranges;
    const GP_KEY *keys = job.level ? job.keys[2] : job.keys[0];
    GP_KEY *keys_to = job.level ? job.keys[1] : job.keys[2];
    const uint32_t n = (uint32_t)job.n, tile_n = job.partition_n;
    const uint32_t tiles = job.level ? ranges->tiles[256] : (n + tile_n - 1) / tile_n;
    tile.counts[tid] = 0;
    for (uint32_t taken = blockIdx.x; taken < tiles; taken += gridDim.x) {
        uint32_t first = taken * tile_n, end = n, *next = buckets->next;

        if (job.level && ranges->tiles[tid] <= taken && taken < ranges->tiles[tid + 1])
            tile.range = tid;
        __syncthreads(); /* the counts are zero, the range is known, the last tile has left */
        if (job.level) {
            const uint32_t range = tile.range;

            first = ranges->begin[range << bits] + (taken - ranges->tiles[range]) * tile_n;
            end = ranges->begin[(range + 1) << bits];
            next = buckets->counts + (range << bits);
        }
        GPI(partition)(&tile, slots, keys + first, keys_to, gpi_min(end - first, tile_n), next, map,
                       job.level ? job.bits : 8, (1u << bits) - 1);
    }
#endif
}

/* ---- buckets ----------------------------------------------------------------------------------- */

/* The map of the bins of a bucket, with GPI_RADIX_BIN_BITS bits. */
GPI_DEVICE gpi_radix_map GPI(map_bins)(gpi_radix_map map, uint32_t bucket)
{
    const double place = GPI_KEY_DESCENDING ? (1u << map.bits) - 1 - bucket : bucket, bins = GPI_RADIX_BINS;

    if (GPI(coded) && map.linear) {
        map.bits = GPI_RADIX_BIN_BITS;
        map.offset = (map.offset - GPI_RADIX_RAISED - place + 0.5) * bins - 0.5 + GPI_RADIX_RAISED;
        map.factor *= bins;
    }
    return map;
}

enum { GPI(keeps_bins) = GPI(coded) && GPI_KEY_IS_NARROW }; /* they take longer to compute than to read */

/* What a block has in shared memory. */
typedef struct {
    uint32_t bins[GPI_RADIX_BINS]; /* how many keys; then where they begin, and at last where they end */
    GP_KEY keys[GPI(bucket_n)];
    uint32_t sums[GPI_RADIX_BUCKET_THREADS / 32];
    /* Of pairs where they came, and of 4-byte keys above that the low half, which those of a bin differ in. */
    uint32_t order[GPI_RADIX_PAIRS || GPI(keeps_bins) ? GPI(bucket_n) : 4]; /* of floats alone the bins */
    /* In that order, and as far from a multiple of 16 bytes as in memory. */
    char values[GPI_RADIX_PAIRS ? GPI(bucket_n) * sizeof(GPI(value)) + 16 : 16] __attribute__((aligned(16)));
} GPI(bucket);

/* What a key in its bin is sorted by. Floats alone are codes there, among which there is no -0.0. */
GPI_DEVICE GPI(number) GPI(packed)(gpi_radix_map map, GP_KEY key)
{
    return GPI(moved_number)(key) & (GPI(cuts_bits) ? (GPI(number))map.sorted : (GPI(number))-1);
}

/* Blocks of a multiprocessor; those of large items find no room for more. */
enum { GPI(bucket_blocks) = sizeof(GPI(bucket)) <= 72 * 1024 ? GPI_BLOCKS_OF_512 : 2 };

#if GPI_DEVICE_CODE
/*
 * Sorts a bucket of which some bins are crowded, and writes it: by one digit after the other of the bits from `shift`
 * to `end`, ranked as in core/radix/tile.cuh, by matching: many are alike. A row of counts for each warp is in the room
 * of the bins.
 */
GPI_DEVICE_CALL void GPI(bucket_passes)(GPI(bucket) *bucket, const GP_KEY *from, GP_KEY *to, const GPI(value) *values,
                                        GPI(value) *values_to, uint32_t count, int shift, int end)
{
    enum { WARPS = (int)GPI_RADIX_BUCKET_THREADS / 32 };
    const unsigned tid = threadIdx.x, lane = tid % 32;
    const uint32_t at = tid / 32 * 32 * GPI(bucket_items) + lane;
    uint32_t *counts = bucket->bins + tid / 32 * 256;
    GP_KEY keys[GPI(bucket_items)];
    uint32_t moves[GPI(bucket_items)]; /* an item's position, and below it the slot */

    GPI_UNROLL
    for (uint32_t i = 0; i < GPI(bucket_items); i++) {
        keys[i] = at + 32 * i < count ? from[at + 32 * i] : GPI(key_last)();
        moves[i] = (at + 32 * i) << 16;
    }
    GPI_NO_UNROLL
    for (; shift < end; shift += 8) {
        GPI_UNROLL
        for (unsigned d = 0; d < 256; d += 32)
            counts[d + lane] = 0;
        /* Of the whole block: otherwise the compiler assumes a diverged warp, and emits every ballot twice. */
        __syncthreads(); /* the counts are zero */
        GPI_UNROLL
        for (int i = 0; i < GPI(bucket_items); i++) {
            const uint32_t digit = GPI(key_digit)(keys[i], shift, 255);
            const unsigned same = __match_any_sync(GPI_FULL_MASK, digit);

            moves[i] = (moves[i] & 0xFFFF0000u) | gpi_radix_rank(&counts[digit], 0, same);
        }
        __syncthreads(); /* the counts are complete */
        const uint32_t sum = tid < 256 ? gpi_radix_sum_warps(bucket->bins + tid, WARPS, 256) : 0;
        const uint32_t start = gpi_radix_scan(bucket->sums, 8, sum, NULL);
        if (tid < 256)
            gpi_radix_scan_warps(bucket->bins + tid, WARPS, 256, start);
        /* The padding of the bucket has the last digit. */
        if (__syncthreads_or(tid < 256 && sum == (tid == 255 ? (uint32_t)GPI(bucket_n) : count)))
            continue; /* all keys have the digit */
        GPI_UNROLL
        for (int i = 0; i < GPI(bucket_items); i++) {
            const uint32_t slot = (moves[i] & 0xFFFF) + counts[GPI(key_digit)(keys[i], shift, 255)];

            bucket->keys[slot] = keys[i];
            if (GPI_RADIX_PAIRS)
                bucket->order[slot] = moves[i] & 0xFFFF0000u;
        }
        __syncthreads(); /* the items are in order of the digit */
        GPI_UNROLL
        for (uint32_t i = 0; i < GPI(bucket_items); i++) {
            keys[i] = bucket->keys[at + 32 * i];
            if (GPI_RADIX_PAIRS)
                moves[i] = bucket->order[at + 32 * i];
        }
    }
    __syncthreads(); /* the keys have been read, from where they are written */
    GPI_UNROLL
    for (uint32_t i = 0; i < GPI(bucket_items); i++)
        if (at + 32 * i < count) {
            to[at + 32 * i] = keys[i];
            if (GPI_RADIX_PAIRS)
                values_to[at + 32 * i] = values[moves[i] >> 16];
        }
}

/* The bin of the key in a slot. */
GPI_DEVICE uint32_t GPI(bin_of)(const GPI(bucket) *bucket, uint32_t slot, gpi_radix_map map, int top)
{
    const GP_KEY key = bucket->keys[slot];

    return GPI(keeps_bins) ? bucket->order[slot]
                           : GPI(top_bits)(map, GPI(coded) ? GPI(key_of_code)(key) : key, top) % GPI_RADIX_BINS;
}

/* Whether a bin has many keys and they are not all the same. */
GPI_DEVICE int GPI(bucket_is_mixed)(const GPI(bucket) *bucket, uint32_t count, gpi_radix_map map, int top)
{
    int mixed = 0;

    GPI_NO_UNROLL
    for (uint32_t x = threadIdx.x; x < count; x += GPI_RADIX_BUCKET_THREADS) {
        const uint32_t bin = GPI(bin_of)(bucket, x, map, top);
        const uint32_t begin = bin ? bucket->bins[bin - 1] : 0;

        mixed |= bucket->bins[bin] - begin > GPI_RADIX_BUCKET_CROWD &&
                 GPI(packed)(map, bucket->keys[x]) != GPI(packed)(map, bucket->keys[begin]);
    }
    return __syncthreads_or(mixed);
}

/* Each key counts those of its bin that it comes before, and goes to its place with its value. */
GPI_DEVICE void GPI(bucket_write)(const GPI(bucket) *bucket, GP_KEY *to, const GPI(value) *values,
                                  GPI(value) *values_to, uint32_t count, gpi_radix_map map, int top)
{
    for (uint32_t x = threadIdx.x; x / 32 * 32 < count; x += GPI_RADIX_BUCKET_THREADS) {
        uint32_t slot = x < count ? x : 0;
        const GP_KEY key = bucket->keys[slot];
        const uint64_t number = GPI(packed)(map, key);
        const uint32_t order = GPI_RADIX_PAIRS ? bucket->order[slot] : slot;
        const uint32_t bin = GPI(bin_of)(bucket, slot, map, top);
        const uint32_t begin = bin ? bucket->bins[bin - 1] : 0, end = bucket->bins[bin];

        if (x < count && end - begin > 1 && end - begin <= GPI_RADIX_BUCKET_CROWD) {
            slot = end - 1; /* less those that it comes before */
            GPI_NO_UNROLL
            for (uint32_t y = begin; y < end; y++) {
                const uint64_t other = GPI(packed)(map, bucket->keys[y]);
                const uint32_t other_order = GPI_RADIX_PAIRS ? bucket->order[y] : y;

                if (GPI_KEY_IS_NARROW && GPI_RADIX_PAIRS)
                    slot -= order < other_order;
                else
                    slot = gpi_less_if_before(slot, number, order, other, other_order, GPI_KEY_IS_NARROW);
            }
        }
        __syncwarp(); /* the lanes leave the loop one by one, and should write together */
        if (x < count) {
            to[slot] = GPI(coded) ? GPI(key_of_code)(key) : key;
            if (GPI_RADIX_PAIRS)
                values_to[slot] = values[GPI_KEY_IS_NARROW ? order & 0xFFFF : order];
        }
    }
}
#endif

/* Sorts the buckets; each block takes one after the other. */
static __global__ void __launch_bounds__(GPI_RADIX_BUCKET_THREADS, GPI(bucket_blocks)) GPI(bucket_kernel)(GPI(job) job)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, memory);
    GPI(bucket) *bucket = (GPI(bucket) *)memory;
    enum { EACH = (int)GPI_RADIX_BINS / GPI_RADIX_BUCKET_THREADS }; /* bins of a thread */
    const unsigned tid = threadIdx.x;

    gpi_grid_wait();
    gpi_grid_launch_next();
    if (job.buckets->chosen * GPI(has_buckets) == 0)
        return;
    const gpi_radix_map all = job.buckets->map;
    const int top = all.linear ? GPI_RADIX_BIN_BITS : job.bits + GPI_RADIX_BIN_BITS;
    uint32_t next = job.buckets->ranges.begin[blockIdx.x], end = job.buckets->ranges.begin[blockIdx.x + 1];
    for (uint32_t b = blockIdx.x; b < 1u << job.bits; b += gridDim.x) {
        const uint32_t first = next, count = end - next;
        const GP_KEY *from = (job.levels == 2 ? job.keys[1] : job.keys[2]) + first;
        GPI(value) *values_to = (GPI(value) *)job.values[1] + first;
        const char *values_from = (const char *)(job.levels == 2 ? job.values[1] : job.values[2]);
        uint32_t off = 0;
        const gpi_radix_map map = GPI(map_bins)(all, b);
        GP_KEY keys[GPI(bucket_items)];

        if (GPI_RADIX_PAIRS)
            off = gpi_radix_stage(bucket->values, values_from + first * sizeof *values_to,
                                  count * (uint32_t)sizeof *values_to, GPI_RADIX_BUCKET_THREADS, 0);
        const GPI(value) *values = (const GPI(value) *)(bucket->values + off);

        GPI_UNROLL
        for (uint32_t i = 0; i < GPI(bucket_items); i++)
            keys[i] =
                i * GPI_RADIX_BUCKET_THREADS + tid < count ? from[i * GPI_RADIX_BUCKET_THREADS + tid] : GPI(key_last)();
        GPI_UNROLL
        for (uint32_t i = 0; i < EACH; i++)
            bucket->bins[i * GPI_RADIX_BUCKET_THREADS + tid] = 0;
        if (b + gridDim.x < 1u << job.bits) {
            const uint32_t line = 128 * tid;

            next = job.buckets->ranges.begin[b + gridDim.x];
            end = job.buckets->ranges.begin[b + gridDim.x + 1];
            if (line < (end - next) * sizeof(GP_KEY))
                gpi_prefetch((const char *)(from - first + next) + line);
            if (GPI_RADIX_PAIRS && line < (end - next) * sizeof *values_to)
                gpi_prefetch(values_from + next * sizeof *values_to + line);
        }
        __syncthreads(); /* the counts are zero */
        GPI_UNROLL
        for (uint32_t i = 0; i < GPI(bucket_items); i++)
            if (i * GPI_RADIX_BUCKET_THREADS + tid < count)
                atomicAdd(&bucket->bins[GPI(top_bits)(map, keys[i], top) % GPI_RADIX_BINS], 1u);
        __syncthreads(); /* the bins have been counted */
        const int crowded =
            gpi_radix_scan_bins(bucket->bins, bucket->sums, EACH, EACH, GPI_RADIX_BEGINS, GPI_RADIX_BUCKET_CROWD, NULL);
        __syncthreads(); /* where the bins begin is there */
        GPI_UNROLL
        for (uint32_t i = 0; i < GPI(bucket_items); i++)
            if (i * GPI_RADIX_BUCKET_THREADS + tid < count) {
                const uint32_t bin = GPI(top_bits)(map, keys[i], top) % GPI_RADIX_BINS;
                const uint32_t slot = atomicAdd(&bucket->bins[bin], 1u), position = i * GPI_RADIX_BUCKET_THREADS + tid;

                bucket->keys[slot] = GPI(coded) ? GPI(key_code)(keys[i]) : keys[i];
                if (GPI_RADIX_PAIRS)
                    bucket->order[slot] = GPI_KEY_IS_NARROW ? GPI(key_word)(keys[i]) << 16 | position : position;
                else if (GPI(keeps_bins))
                    bucket->order[slot] = bin;
            }
        if (GPI_RADIX_PAIRS)
            gpi_copy_wait();
        __syncthreads(); /* the items are in their bins, the values are there */
        if (crowded && (GPI_RADIX_PAIRS || GPI(bucket_is_mixed)(bucket, count, map, top)))
            GPI(bucket_passes)(bucket, from, job.keys[1] + first, values, values_to, count, job.begin_bit,
                               job.end_bit - (map.linear ? 0 : job.bits));
        else
            GPI(bucket_write)(bucket, job.keys[1] + first, values, values_to, count, map, top);
        __syncthreads(); /* the bucket has been written */
    }
#endif
}

/* ---- host functions ---------------------------------------------------------------------------- */

/*
 * How many bits number the buckets: 8 after one partition, more after two; 0: the keys cannot be sorted so. As many
 * keys as a bucket has on average leave it some room. Tiles of pairs need a row each for the look-back.
 */
static inline unsigned GPI(buckets_fit)(const GPI(call) *call)
{
    const size_t n = call->request.n, room = call->device.room, average = GPI(bucket_n) / 9 * 8;
    const int sorted_bits = call->request.end_bit - call->request.begin_bit, all_bits = sorted_bits == GPI_KEY_WIDTH;
    const int twice = GP_KERNEL == GP_KERNEL_BUCKETS_TWICE || n > 256 * average;
    int bits = twice ? 9 : 8;
    GPI(job) job;

    while (twice && n >> bits > average)
        bits++;
    if ((GP_KERNEL && !GPI_RADIX_FORCES_BUCKETS) || !GPI(has_buckets) || n >> bits > average ||
        (!all_bits && (!GPI(cuts_bits) || sorted_bits < 32)) || (size_t)1 << bits > GPI_RADIX_BUCKETS ||
        (GP_KERNEL != GP_KERNEL_BUCKETS_TWICE && twice && !GPI_RADIX_PAIRS && sizeof(GP_KEY) < 8 &&
         n > GPI_TUNE_RADIX_BUCKETS_UNTIL) ||
        ((size_t)2 << bits) + 2048 > room || sizeof(GPI(bucket)) + 2048 > room)
        return 0;
    (void)GPI(lay_out)(&job, NULL, n);
    if (GPI_RADIX_PAIRS && ((GPI(indexed) && GPI(is_small)(n)) ||
                            gpi_divide_up(n, GPI(tile_of_pass)(n, room)) + (twice ? GPI_RADIX_RANGES : 0) > job.rows))
        return 0;
    return (unsigned)bits;
}

/* The partitions of keys alone, and the sort of the buckets. */
static inline cudaError_t GPI(sort_buckets)(GPI(job) job, const GPI(call) *call)
{
    const size_t tiles = gpi_divide_up(job.n, job.partition_n) + (job.levels == 2 ? GPI_RADIX_RANGES : 0);
    const unsigned grid = gpi_resident_blocks(12, (size_t)1 << job.bits, GP_GRID);
    const int dependent = call->device.dependent;
    cudaError_t error = cudaSuccess;

    for (job.level = 0; GPI(partitions) && job.level < job.levels && error == cudaSuccess; job.level++)
        error = GPI_LAUNCH_DEPENDENT(dependent, GPI(partition_kernel), gpi_resident_blocks(2, tiles, GP_GRID),
                                     GPI_RADIX_PARTITION_THREADS, job.partition_n * sizeof(GP_KEY), call->stream, job);
    /* A few blocks for each that is resident: as good as one for each bucket, and soon done without buckets. */
    if (error == cudaSuccess)
        error = GPI_LAUNCH_DEPENDENT(dependent, GPI(bucket_kernel), grid, GPI_RADIX_BUCKET_THREADS,
                                     sizeof(GPI(bucket)), call->stream, job);
    return error;
}

/*
 * In passes, or first in buckets, if bits number any. The kernels of the buckets have nothing to do if these are not
 * chosen, and those of the passes if they are.
 */
static inline cudaError_t GPI(passes_launch)(const GPI(call) *call)
{
    GPI(job) job = GPI(job_of)(call);
    const size_t threads = GPI_RADIX_COUNT_THREADS, vectors = gpi_divide_up(job.n * sizeof(GP_KEY), 16 * threads);
    const uint32_t *end = job.levels ? job.buckets->counts + ((size_t)1 << job.bits) : (uint32_t *)job.buckets;
    const size_t words = (size_t)(end - (uint32_t *)job.counts); /* to be cleared */
    const int dependent = call->device.dependent;

    /* Of keys alone the multiprocessors have two tiles each. */
    const size_t rows = GPI_RADIX_PARTITION_THREADS * gpi_resident_blocks(2, GPI_RADIX_GRID, GP_GRID);
    const size_t most = gpi_smaller_size(gpi_larger_size(gpi_divide_up(job.n, rows), 4), GPI(partition_items));
    const size_t room = (call->device.room - sizeof(GPI(bucket_tile)) - 1024) / sizeof(GP_KEY);
    const size_t items = gpi_smaller_size(most, room / GPI_RADIX_PARTITION_THREADS);
    job.partition_n = GPI_RADIX_PAIRS ? job.tile_n : (uint32_t)(items * GPI_RADIX_PARTITION_THREADS);
    cudaError_t error = gpi_clear((uint32_t *)job.counts, words, dependent, call->stream);
    if (error == cudaSuccess && job.levels == 2)
        error = GPI_LAUNCH_DEPENDENT(dependent, GPI(spread_kernel),
                                     gpi_resident_blocks(1, gpi_divide_up(vectors, 4), GP_GRID), (unsigned)threads,
                                     (size_t)2 << job.bits, call->stream, job);
    if (error == cudaSuccess)
        error = GPI_LAUNCH_DEPENDENT(dependent, GPI(count_kernel), gpi_resident_blocks(1, vectors, GP_GRID),
                                     (unsigned)threads, job.columns * (unsigned)job.digits * 1024, call->stream, job);
    if (error == cudaSuccess && job.levels && !GPI_RADIX_PAIRS)
        error = GPI(sort_buckets)(job, call);
    if (error == cudaSuccess)
        error = GPI(pass_all)(job, call);
    if (error == cudaSuccess && job.levels && GPI_RADIX_PAIRS)
        error = GPI(sort_buckets)(job, call);
#ifdef GP_VALUE
    if (error == cudaSuccess && job.values[1] != (void *)call->request.values_out)
        error = GPI(fetch_values)(&job, call);
#endif
    return error;
}
