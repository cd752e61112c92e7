/*
 * radix_sort.cuh: sorts keys, alone or with values, by their digits.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_KEY         K: an integer type of 1, 2, 4 or 8 bytes, float or double (int); or, with
 *              GP_KEY_KIND    GP_UNSIGNED, GP_SIGNED or GP_FLOAT, any other type of such a size, ordered by its
 *                             bits as by those of a number of that kind: __half, __nv_bfloat16, a struct
 *              GP_VALUE       V, any trivially copyable type of any size; without it the keys are sorted alone
 *              GP_DESCENDING  when it is defined, the largest key comes first
 *              GP_API         linkage of the host functions (static inline)
 *              GP_KERNEL      for tests: GP_KERNEL_PASSES, _BUCKETS, _BLOCK, ...: core/backend/launch.cuh
 *              GP_GRID        for tests: a launch has so many blocks at most
 *
 * Generates    cudaError_t NAME_radix_sort(const K *in, K *out, size_t n, ws, stream)
 *              cudaError_t NAME_radix_sort_bits(in, out, n, int begin_bit, int end_bit, ws, stream)
 * with values  cudaError_t NAME_radix_sort(const K *kin, K *kout, const V *vin, V *vout, size_t n,
 *                                          ws, stream)
 *              cudaError_t NAME_radix_sort_bits(kin, kout, vin, vout, n, int begin_bit, int end_bit,
 *                                               ws, stream)
 * and          size_t NAME_radix_sort_workspace_bytes(size_t n)
 *              size_t NAME_radix_sort_bits_workspace_bytes(size_t n, int begin_bit, int end_bit)
 *
 *     in                        1 5 0 1 2 0 3
 *     sorted                    0 0 1 1 2 3 5
 *     values, if vin is NULL    2 5 0 3 4 6 1     where each key came from
 *
 *     #include <gpuprims/radix_sort.cuh>
 *     gp_radix_sort(d_in, d_out, n, NULL, stream);
 *
 * Order        Integers by number, floats by number with NaNs past the infinities of their sign, in
 *              order of their bits. -0.0 and +0.0 are equal. The sort is stable, of keys alone too:
 *              keys that are equal keep their order.
 * Bits         radix_sort_bits looks at the bits [begin_bit, end_bit) alone, of the key as an unsigned
 *              number that orders as the keys do: a signed integer with its sign flipped, a float with
 *              its sign flipped and, if negative, all its other bits too. Keys alike in them keep their
 *              order. An empty range copies.
 * Values       vin == NULL stands for 0, 1, 2, ...: a float or double gets the number, any other type
 *              its lowest bytes.
 * Guarantees   Asynchronous on `stream`. in == out is allowed, for keys and for values; no other
 *              overlap. Which passes are needed is found out on the device; nothing waits for the host.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched; else
 *              what a launch or an allocation returned; the input is whole if an allocation failed.
 *              n == 0 succeeds and writes nothing.
 *
 * How it works (Adinets and Merrill, Onesweep: a faster least significant digit radix sort for GPUs,
 * 2022), lowest digit first, 8 bits at a time:
 *
 *     1. count all digits of all keys, in one go
 *     2. plan: a digit that is the same in all keys needs no pass
 *     3. for each other digit one pass, which reads and writes every item once: core/radix/pass.cuh
 *
 * Keys whose topmost bits are well spread are sorted from the highest digit down instead, in two or three
 * moves: core/radix/buckets.cuh. Which way is taken is found out on the device.
 *
 * Of large values the passes move the numbers, and the values are fetched once at the end:
 * core/radix/gather.cuh.
 *
 * Small n is sorted in one launch, by a block or a cluster of blocks: core/radix/block.cuh,
 * core/radix/cluster.cuh.
 * docs/radix-sort.md has pictures. Cost: n reads of keys, and n reads and writes of items for each digit
 * that differs. Workspace: n keys and n values, and up to 64 MB.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG radix_sort
#define GPI_HEADER "gpuprims/radix_sort.cuh"
#define GPI_TAKES \
    (GPI_TAKES_KEY | GPI_TAKES_KEY_KIND | GPI_TAKES_VALUE | GPI_TAKES_DESCENDING | GPI_TAKES_API | \
     GPI_TAKES_KERNEL | GPI_TAKES_GRID)
#endif
#include "core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/radix_sort.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_WRONG_KEY_KIND
#error "gpuprims/radix_sort.cuh: GP_KEY_KIND must be GP_UNSIGNED, GP_SIGNED or GP_FLOAT"
#endif

#if !defined GPI_DEFAULT || !defined GPI_RADIX_SORT_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_RADIX_SORT_DEFAULT
#endif
GPI_ONCE_PER_NAME(GPI_TAG);

#include "core/instance/radix_key.cuh"
#if GPI_DEPTH == 1
GPI_CHECK_KEY();
#endif
#include "core/radix/tuning.cuh"

#include "core/radix/shared.cuh"
#include "core/radix/plan.cuh"
#include "core/radix/pass.cuh"
#ifdef GP_VALUE
#include "core/radix/gather.cuh"
#endif
#include "core/radix/block.cuh"
#include "core/radix/cluster.cuh"
#include "core/radix/buckets.cuh"

/* ---- host functions -------------------------------------------------------------------------- */

/* Shared memory that a block has everywhere, and what the passes leave of it for items. */
#define GPI_RADIX_MIN_ROOM ((size_t)64 << 10)
#define GPI_RADIX_MIN_FIT \
    ((GPI_RADIX_MIN_ROOM - GPI_RADIX_LARGE_TILE - GPI_RADIX_SPARE - 1024) / GPI_RADIX_LARGE(slot) / \
     GPI_RADIX_LARGE(threads) / GPI_RADIX_LARGE(rounds) * GPI_RADIX_LARGE(rounds))
#define GPI_RADIX_MIN_TILE   \
    (GPI_RADIX_LARGE(threads) * \
     (GPI_RADIX_MIN_FIT < GPI_RADIX_LARGE(items) ? GPI_RADIX_MIN_FIT : GPI_RADIX_LARGE(items)))
#ifndef GPI_RADIX_ROWS /* tiles of a launch, at most: each has 1 KB, twice, for the look-back */
#define GPI_RADIX_ROWS ((size_t)28 << 10)
#endif
#define GPI_RADIX_ROWS_BEFORE ((size_t)16) /* the first one: as many as a look-back reads at a time, at most */
/* Of items that are moved in place of large values: they have 4 bytes, and one launch fetches all values. */
#ifndef GPI_RADIX_MAX_NUMBERS
#define GPI_RADIX_MAX_NUMBERS                                   \
    (GPI_MOST_TILES * 256 / sizeof(GPI_RADIX_VALUE) < UINT32_MAX \
         ? GPI_MOST_TILES * 256 / sizeof(GPI_RADIX_VALUE)        \
         : UINT32_MAX)
#endif
/* So many a single block sorts everywhere, if their values find room in registers; then there is no workspace. */
#define GPI_RADIX_BLOCK_FIT \
    ((GPI_RADIX_MIN_ROOM - 2048 - GPI(block_bytes)(0)) / (GPI(block_bytes)(1) - GPI(block_bytes)(0)))
#define GPI_RADIX_BLOCK_N                                 \
    (!GPI_RADIX_HOLDS_VALUES                      ? 0 \
     : GPI_RADIX_BLOCK_FIT < GPI_RADIX_BLOCK_MAX ? GPI_RADIX_BLOCK_FIT \
                                                  : (size_t)GPI_RADIX_BLOCK_MAX)
#define GPI_RADIX_ALWAYS_PASSES (GP_KERNEL != 0 && GP_KERNEL != GP_KERNEL_BLOCK)
#define GPI_RADIX_FORCES_BUCKETS \
    (GP_KERNEL == GP_KERNEL_BUCKETS || GP_KERNEL == GP_KERNEL_BUCKETS_TWICE)
#define GPI_RADIX_SMALL_TILE ((size_t)1024) /* items of a tile, when n is small */
#define GPI_RADIX_GRID ((size_t)1024)   /* blocks of a pass, at most */

/* The workspace. */
typedef struct {
    GP_KEY *keys;
    GPI_RADIX_VALUE *values;
    gpi_radix_plan *plan;
    gpi_radix_counts *counts; /* the tickets follow them; both are zeroed */
    uint32_t *tickets;
    uint32_t *look[2];
    gpi_radix_buckets *buckets; /* before them: its first words are zeroed, too */
    size_t rows, bytes;
} GPI(layout);

/* Enough for every device: with little shared memory there are the most tiles. */
static inline GPI(layout) GPI(lay_out)(char *memory, size_t n)
{
    size_t tiles = gpi_divide_up(n, GPI_RADIX_MIN_TILE), small = gpi_divide_up(n, GPI_RADIX_SMALL_TILE);
    size_t keys = gpi_array_bytes(n, sizeof(GP_KEY));
    size_t values =
        gpi_add_sizes(keys, GPI_RADIX_PAIRS ? gpi_array_bytes(n, sizeof(GPI_RADIX_VALUE)) : 0);
    GPI(layout) layout;

    memset(&layout, 0, sizeof layout);
    if (n <= GPI_RADIX_BLOCK_N && !GPI_RADIX_ALWAYS_PASSES)
        return layout;
    small = small < GPI_RADIX_GRID && !GPI_RADIX_FORCES_BUCKETS ? small : GPI_RADIX_GRID;
    tiles = tiles > small ? tiles : small;
    layout.rows = tiles < GPI_RADIX_ROWS ? tiles : GPI_RADIX_ROWS;
    size_t portions = gpi_divide_up(tiles, GPI_RADIX_ROWS);
    size_t counts = gpi_add_sizes(values, gpi_align_up(sizeof(gpi_radix_plan)));
    size_t buckets =
        gpi_add_sizes(counts, gpi_align_up(sizeof(gpi_radix_counts) +
                                           (GPI_RADIX_MAX_DIGITS + 1) * portions * sizeof(uint32_t)));
    size_t look =
        gpi_add_sizes(buckets, GPI(has_buckets) ? gpi_align_up(sizeof(gpi_radix_buckets)) : 0);
    layout.bytes =
        gpi_add_sizes(look, (GPI_RADIX_ROWS_BEFORE + 2 * layout.rows) * 256 * sizeof(uint32_t));
    if (memory) {
        layout.keys = (GP_KEY *)memory;
        layout.values = (GPI_RADIX_VALUE *)(memory + keys);
        layout.plan = (gpi_radix_plan *)(memory + values);
        layout.counts = (gpi_radix_counts *)(memory + counts);
        layout.tickets = (uint32_t *)(layout.counts + 1);
        layout.look[0] = (uint32_t *)(memory + look) + GPI_RADIX_ROWS_BEFORE * 256;
        layout.look[1] = layout.look[0] + layout.rows * 256;
        layout.buckets = (gpi_radix_buckets *)(memory + buckets);
    }
    return layout;
}

#ifdef __CUDACC__
/* How many blocks of all shared memory may make a cluster: not all GPUs have 16 multiprocessors together. */
static inline int GPI(largest_cluster)(size_t room)
{
    cudaLaunchAttribute attributes[2];
    int clusters = 0;

    if (cudaFuncSetAttribute((const void *)GPI(cluster_kernel),
                             cudaFuncAttributeNonPortableClusterSizeAllowed, 1) != cudaSuccess)
        return 1;
    for (unsigned blocks = GPI_RADIX_CLUSTER_MAX; blocks > 1; blocks /= 2) {
        const cudaLaunchConfig_t config = gpi_launch_config(attributes, 0, blocks, blocks, 1024, room - 2048, NULL);

        if (cudaOccupancyMaxActiveClusters(&clusters, GPI(cluster_kernel), &config) ==
                cudaSuccess &&
            clusters > 0)
            return (int)blocks;
    }
    return 1;
}
#endif

/*
 * What the current device can do: how much shared memory a block may have, once the kernels have been told
 * so, a multiple of 1024; plus twice the blocks of the largest cluster; plus 1, where kernels may start
 * early.
 */
static inline int GPI(ready)(void)
{
#ifdef __CUDACC__
    static int known[GPI_DEVICES];
    const void *kernels[] = {
        (const void *)GPI(pass_kernel), (const void *)GPI_RADIX_INDEX_KERNEL,
        (const void *)GPI(small_pass_kernel),
        (const void *)GPI(count_kernel), (const void *)GPI(block_kernel),
        (const void *)GPI(cluster_kernel),
        (const void *)GPI(spread_kernel), (const void *)GPI(partition_kernel),
        (const void *)GPI(bucket_kernel)};
    int device = 0, room = 0;

    if (cudaGetDevice(&device) != cudaSuccess)
        return (int)GPI_RADIX_MIN_ROOM;
    if (device < GPI_DEVICES && __atomic_load_n(&known[device], __ATOMIC_ACQUIRE))
        return __atomic_load_n(&known[device], __ATOMIC_RELAXED);
    if (cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) !=
        cudaSuccess)
        return (int)GPI_RADIX_MIN_ROOM;
    room &= ~1023;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        struct cudaFuncAttributes attributes;

        if (cudaFuncGetAttributes(&attributes, kernels[k]) != cudaSuccess ||
            cudaFuncSetAttribute(kernels[k], cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 room - 1024 - (int)attributes.sharedSizeBytes) != cudaSuccess)
            return (int)GPI_RADIX_MIN_ROOM;
        if (k == 0)
            room |= attributes.ptxVersion >= 90;
    }
    if (room % 2)
        room |= 2 * GPI(largest_cluster)((size_t)room & ~(size_t)1023);
    if (device < GPI_DEVICES)
        __atomic_store_n(&known[device], room, __ATOMIC_RELEASE);
    return room;
#else
    return (227 << 10) + 2 * GPI_RADIX_CLUSTER_MAX + 1;
#endif
}

/* Whether the passes take the kernel for small n. It is slow for large n, but knows no limit. */
static inline int GPI(is_small)(size_t n)
{
    size_t threads = gpi_resident_blocks(1, GPI_RADIX_GRID, GP_GRID) * (size_t)GPI(small_threads);

    return (n <= threads * GPI(small_items) && !GP_KERNEL) || (GPI(indexed) && n > GPI_RADIX_MAX_NUMBERS);
}

/* The partitions of keys alone, and the sort of the buckets. */
static inline cudaError_t GPI(sort_buckets)(GPI(bucket_job) *job, int dependent,
                                            cudaStream_t stream)
{
    const size_t tiles = gpi_divide_up(job->n, job->tile_n) + (job->levels == 2 ? GPI_RADIX_RANGES : 0);
    cudaError_t error = cudaSuccess;

    (void)dependent; /* on the CPU */
    for (job->level = 0; GPI(partitions) && job->level < job->levels && error == cudaSuccess; job->level++)
        error = GPI_LAUNCH_DEPENDENT(dependent, GPI(partition_kernel),
                                     gpi_resident_blocks(2, tiles, GP_GRID), GPI_RADIX_PARTITION_THREADS,
                                     job->tile_n * sizeof(GP_KEY), stream, *job);
    /* A few blocks for each that is resident: as good as one for each bucket, and soon done without buckets. */
    if (error == cudaSuccess)
        error = GPI_LAUNCH_DEPENDENT(dependent, GPI(bucket_kernel),
                                     gpi_resident_blocks(12, (size_t)1 << job->bits, GP_GRID),
                                     GPI_RADIX_BUCKET_THREADS, sizeof(GPI(bucket)), stream, *job);
    return error;
}

/* Blocks of a pass. */
static inline size_t GPI(blocks_of_pass)(size_t n)
{
    return gpi_resident_blocks(GPI(is_small)(n) ? 1 : (unsigned)GPI_RADIX_LARGE(blocks), GPI_RADIX_GRID, GP_GRID);
}

/* Items of a tile of a pass. */
static inline size_t GPI(tile_of_pass)(size_t n, size_t room)
{
    const int small = GPI(is_small)(n);
    const size_t threads = small ? (size_t)GPI(small_threads) : GPI_RADIX_LARGE(threads);
    const size_t slot = small ? (size_t)GPI(small_slot) : GPI_RADIX_LARGE(slot);
    const size_t some = small ? (size_t)GPI(small_rounds) : GPI_RADIX_LARGE(rounds);
    size_t items = small ? (size_t)GPI(small_items) : GPI_RADIX_LARGE(items);
    size_t fitting =
        (room - (small ? sizeof(GPI(small_tile)) : GPI_RADIX_LARGE_TILE) - GPI_RADIX_SPARE - 1024) / slot / threads;

    items = items < fitting ? items : fitting / some * some;
    size_t tile_n = gpi_divide_up(gpi_divide_up(n, GPI(blocks_of_pass)(n)), threads * some) * threads * some;
    tile_n = tile_n < 4 * threads ? 4 * threads : tile_n;
    return tile_n < items * threads ? tile_n : items * threads;
}

/*
 * All passes over all portions, and of pairs the sort of the buckets. `job` says what to sort; room and early come
 * from GPI(ready).
 */
static inline cudaError_t GPI(passes)(GPI(job) job, size_t n, GPI(layout) *layout,
                                      size_t room, const GPI(bucket_job) *bucket, int dependent, int passes,
                                      cudaStream_t stream)
{
    const int small = GPI(is_small)(n);
    const unsigned threads = small ? (unsigned)GPI(small_threads) : (unsigned)GPI_RADIX_LARGE(threads);
    const size_t slot = small ? (size_t)GPI(small_slot) : GPI_RADIX_LARGE(slot);
    const size_t blocks = GPI(blocks_of_pass)(n), tile_n = job.tile_n;
    const size_t portion = layout->rows * tile_n, portions = gpi_divide_up(n, portion);
    const size_t needed = tile_n * slot + (GPI_RADIX_PAIRS ? GPI_RADIX_SPARE : 0);
    /* Small n: no room for two blocks of the next launch, which may start before this one ends, on a multiprocessor. */
    const size_t bytes = small && needed < room / 2 ? room / 2 : needed;
    cudaError_t error = cudaSuccess;

    (void)dependent; /* on the CPU */
    for (size_t launch = 0; launch < (size_t)passes * portions && error == cudaSuccess; launch++) {
        size_t which = launch % portions, next = (launch + 1) % portions;
        size_t left = n - which * portion, next_left = n - next * portion;

        job.first = which * portion;
        job.n = (uint32_t)(left < portion ? left : portion);
        job.tiles = (uint32_t)gpi_divide_up(job.n, tile_n);
        job.next_rows = (uint32_t)gpi_divide_up(next_left < portion ? next_left : portion, tile_n);
        job.next_rows += bucket->levels == 2 ? GPI_RADIX_RANGES : 0;
        job.pass = (int)(launch / portions);
        job.odd = which % 2;
        job.ticket = layout->tickets + launch;
        job.look = layout->look[launch % 2];
        job.look_next = layout->look[(launch + 1) % 2];
        unsigned grid = (unsigned)(blocks < job.tiles ? blocks : job.tiles);
        if (small)
            error = GPI_LAUNCH_DEPENDENT(dependent, GPI(small_pass_kernel), grid, threads, bytes, stream, job);
        else if (GPI(indexed))
            error = GPI_LAUNCH_DEPENDENT(dependent, GPI_RADIX_INDEX_KERNEL, grid, threads, bytes, stream, job);
        else
            error = GPI_LAUNCH_DEPENDENT(dependent, GPI(pass_kernel), grid, threads, bytes, stream, job);
    }
    if (error == cudaSuccess && GPI_RADIX_PAIRS && bucket->levels) {
        GPI(bucket_job) pairs = *bucket;

        pairs.values_out = job.values_out;
        pairs.values_other = job.values_other;
        error = GPI(sort_buckets)(&pairs, dependent, stream);
    }
    return error;
}

/* How many blocks sort n items in one launch, max_blocks at most; 0, if there are too many for their shared memory. */
static inline unsigned GPI(blocks_of_cluster)(size_t n, size_t room, unsigned max_blocks)
{
    unsigned blocks = 2;

    if (GPI_RADIX_ALWAYS_PASSES || GPI_RADIX_BLOCK_N == 0)
        return 0;
    /* Small n: one block is done before the blocks of a cluster have all started. */
    if (n <= GPI_RADIX_BLOCK_MAX && GPI(block_bytes)(n) + 2048 <= room)
        return 1;
    while (blocks < max_blocks && n > blocks * (size_t)1024)
        blocks *= 2;
    const size_t rounds = gpi_divide_up(n, blocks * (size_t)1024);
    if (blocks > max_blocks || rounds > GPI(cluster_items) ||
        GPI(cluster_bytes)(blocks, rounds * 1024) + 2048 > room)
        return 0;
    return blocks;
}

/* Sorts n items in one launch of `blocks` blocks. */
static inline cudaError_t GPI(cluster)(GPI(job) job, size_t n, unsigned blocks, int dependent,
                                       cudaStream_t stream)
{
    const unsigned threads = n > 512 * GPI_RADIX_BLOCK_ITEMS ? 1024 : 512;
    GPI(share) share;

    (void)dependent; /* on the CPU */
    job.n = (uint32_t)n;
    if (blocks == 1)
        return GPI_LAUNCH_DEPENDENT(dependent, GPI(block_kernel), 1, threads, GPI(block_bytes)(n), stream, job);
    memset((void *)&share, 0, sizeof share);
    share.keys_in = job.keys_in;
    share.keys_out = job.keys_out;
    share.values_in = (const GPI_RADIX_VALUE *)job.values_in;
    share.values_out = (GPI_RADIX_VALUE *)job.values_out;
    share.n = (uint32_t)n;
    share.rounds = (uint32_t)gpi_divide_up(n, blocks * (size_t)threads);
    share.share = share.rounds * threads;
    share.inverse = UINT32_MAX / share.share + 1;
    share.begin_bit = job.begin_bit;
    share.bits = job.end_bit - job.begin_bit;
    share.range = share.bits ? UINT64_MAX >> (64 - share.bits) : 0;
    share.strict = share.bits == 0 || (!GPI_RADIX_PAIRS && share.bits < GPI_KEY_WIDTH);
    return GPI_LAUNCH_CLUSTER(dependent, blocks, GPI(cluster_kernel), blocks, threads,
                              GPI(cluster_bytes)(blocks, share.share), stream, share);
}

#ifdef GP_VALUE
/*
 * The same for large values: sorts the items' numbers, and fetches the values. The numbers have the values' room in
 * the workspace; if the values are sorted in place, these need it in the end, and the numbers move to that of
 * the keys, which has served.
 */
static inline cudaError_t GPI(passes_of_numbers)(GPI(job) job, size_t n, GPI(layout) *layout,
                                                 size_t room, const GPI(bucket_job) *bucket, int dependent,
                                                 int passes, cudaStream_t stream)
{
    const GPI_RADIX_VALUE *values = (const GPI_RADIX_VALUE *)job.values_in;
    GPI_RADIX_VALUE *values_out = (GPI_RADIX_VALUE *)job.values_out;
    uint32_t *numbers = (uint32_t *)layout->values + (n + 3) / 4 * 4;
    const size_t threads = GPI(gather_threads), pieces = sizeof *values / GPI(piece_bytes);
    cudaError_t error;

    job.values_in = NULL;
    job.values_out = numbers;
    job.values_other = layout->values;
    error = GPI(passes)(job, n, layout, room, bucket, dependent, passes, stream);
    if (error == cudaSuccess && values == values_out) {
        error = cudaMemcpyAsync(layout->keys, numbers, n * sizeof *numbers, cudaMemcpyDeviceToDevice, stream);
        if (error == cudaSuccess)
            error = cudaMemcpyAsync(layout->values, values, n * sizeof *values, cudaMemcpyDeviceToDevice, stream);
        numbers = (uint32_t *)layout->keys;
        values = layout->values;
    }
    if (error == cudaSuccess)
        error = GPI_LAUNCH(GPI(gather_kernel), (unsigned)gpi_divide_up(n * pieces, threads), (unsigned)threads,
                           0, stream, values, numbers, values_out, n);
    return error;
}
#endif

/*
 * Whether the keys may be sorted in buckets, and after how many partitions; 0: no. As many keys as a bucket
 * has on average leave it some room. Tiles of pairs need a row each for the look-back.
 */
static inline int GPI(levels)(const GPI(job) *job, size_t n, size_t room, size_t rows, int *bits)
{
    const size_t average = GPI(bucket_n) / 9 * 8;
    int levels = n <= 256 * average                                                            ? 1
                 : GPI_RADIX_PAIRS || sizeof(GP_KEY) == 8 || n <= GPI_TUNE_RADIX_BUCKETS_UNTIL ? 2
                                                                                               : 0;

    if (GP_KERNEL == GP_KERNEL_BUCKETS_TWICE)
        levels = 2;
    else if (GP_KERNEL != 0 && !GPI_RADIX_FORCES_BUCKETS)
        levels = 0;
    *bits = levels == 2 ? 9 : 8;
    while (levels == 2 && n >> *bits > average)
        ++*bits;
    if (!GPI(has_buckets) || job->end_bit - job->begin_bit < GPI_KEY_WIDTH || n >> *bits > average ||
        (size_t)1 << *bits > GPI_RADIX_BUCKETS || ((size_t)2 << *bits) + 2048 > room ||
        sizeof(GPI(bucket)) + 2048 > room)
        return 0;
    if (GPI_RADIX_PAIRS && ((GPI(indexed) && GPI(is_small)(n)) ||
                            gpi_divide_up(n, job->tile_n) + (levels == 2 ? GPI_RADIX_RANGES : 0) > rows))
        return 0;
    return levels;
}

/* Keys of a tile of a partition: the multiprocessors have two each. */
static inline size_t GPI(tile_of_partition)(size_t n, size_t room)
{
    const size_t threads = GPI_RADIX_PARTITION_THREADS;
    size_t blocks = gpi_resident_blocks(2, GPI_RADIX_GRID, GP_GRID);
    size_t items = gpi_divide_up(gpi_divide_up(n, blocks), threads);
    size_t fitting = (room - sizeof(GPI(bucket_tile)) - 1024) / sizeof(GP_KEY) / threads;

    const size_t max_items = GPI(partition_items);

    items = items < 4 ? 4 : items < max_items ? items : max_items;
    return threads * (items < fitting ? items : fitting);
}

/* Two partitions: finds out whether they will do. */
static inline cudaError_t GPI(spread)(const GPI(bucket_job) *job, int dependent, cudaStream_t stream)
{
    size_t counting = gpi_divide_up(job->n * sizeof(GP_KEY), 64 * GPI_RADIX_COUNT_THREADS);

    (void)dependent; /* on the CPU */
    return GPI_LAUNCH_DEPENDENT(dependent, GPI(spread_kernel), gpi_resident_blocks(1, counting, GP_GRID),
                                GPI_RADIX_COUNT_THREADS, (size_t)2 << job->bits, stream, *job);
}

/* Says what is wrong with the arguments, if anything is. */
static inline cudaError_t GPI(check)(const char *function, const GPI(job) *job, size_t n)
{
    const size_t key_bytes = sizeof(GP_KEY),
                 value_bytes = GPI_RADIX_PAIRS ? sizeof(GPI_RADIX_VALUE) : 0;
    const gpi_argument used[] = {
        {GPI_RADIX_PAIRS ? "kin" : "in", job->keys_in, n * key_bytes, GPI_READ, 1},
        {GPI_RADIX_PAIRS ? "kout" : "out", job->keys_out, n * key_bytes, GPI_WRITTEN, 1},
        {"vin", job->values_in, n * value_bytes, GPI_READ, 2},
        {"vout", job->values_out, n * value_bytes, GPI_WRITTEN, 2}};

    if (job->begin_bit < 0 || job->end_bit > GPI_KEY_WIDTH || job->begin_bit > job->end_bit)
        return gpi_error(
            cudaErrorInvalidValue,
            "%s: the bits from %d to %d are not in a key; 0 <= begin_bit <= end_bit <= %d",
            function, job->begin_bit, job->end_bit, GPI_KEY_WIDTH);
    if (n && !job->keys_in)
        return gpi_error_null(function, GPI_RADIX_PAIRS ? "kin" : "in", n);
    if (n && !job->keys_out)
        return gpi_error_null(function, GPI_RADIX_PAIRS ? "kout" : "out", n);
    if (n && GPI_RADIX_PAIRS && !job->values_out)
        return gpi_error_null(function, "vout", n);
    cudaError_t error =
        gpi_check_count(function, "n", n, SIZE_MAX, gpi_larger_size(key_bytes, value_bytes));
    return error != cudaSuccess ? error : gpi_check_overlap(function, used, 4);
}

static inline cudaError_t GPI(host)(const char *function, GPI(job) job, size_t n,
                                    gp_workspace *ws, cudaStream_t stream)
{
    const int old = GP_KERNEL == GP_KERNEL_PASSES_OLD;
    gpi_scratch scratch;
    cudaError_t error = GPI(check)(function, &job, n);

    if (error != cudaSuccess || n == 0)
        return error;
    if (job.begin_bit == job.end_bit)
        job.begin_bit = job.end_bit = 0;
    int ready = GPI(ready)(), dependent = !old && ready % 2;
    size_t room = old ? GPI_RADIX_MIN_ROOM : (size_t)ready & ~(size_t)1023;
    unsigned max_blocks = GP_KERNEL == GP_KERNEL_BLOCK || ready % 2 == 0 ? 1 : (unsigned)ready / 2 % 512;
    unsigned blocks = GPI(blocks_of_cluster)(n, room, max_blocks);
    GPI(layout) layout = GPI(lay_out)(NULL, n);

    /* A cluster needs no workspace; a handle of too few bytes is refused all the same. */
    error = gpi_tagged_scratch_acquire(&scratch, ws, 0, blocks && !ws ? 0 : layout.bytes, stream,
                                       function);
    if (error != cudaSuccess)
        return error;
    if (blocks) {
        error = GPI(cluster)(job, n, blocks, dependent, stream);
        return gpi_scratch_release(&scratch, error, stream);
    }
    layout = GPI(lay_out)(scratch.memory, n);
    job.keys_other = layout.keys;
    job.values_other = layout.values;
    job.plan = layout.plan;
    job.buckets = layout.buckets;
    job.tile_n = (uint32_t)GPI(tile_of_pass)(n, room);
    job.again = GP_KERNEL == GP_KERNEL_PASSES_AGAIN;

    const int digits = (job.end_bit - job.begin_bit + 7) / 8;
    const int numbers = GPI(indexed) && !GPI(is_small)(n);
    const int in_place =
        job.keys_in == job.keys_out || (GPI_RADIX_PAIRS && !numbers && job.values_in == job.values_out);
    const int passes = digits + (digits == 0 || (in_place && digits % 2));
    unsigned columns = n < (size_t)1 << 22 ? 4 : GPI(columns);
    while (columns * (unsigned)digits * 1024 + 4096 > room)
        columns /= 2;
    size_t counting = gpi_divide_up(n * sizeof(GP_KEY), 16 * GPI_RADIX_COUNT_THREADS);
    int bucket_bits = 0, levels = GPI(levels)(&job, n, room, layout.rows, &bucket_bits);
    uint32_t tile_n = GPI_RADIX_PAIRS ? job.tile_n : (uint32_t)GPI(tile_of_partition)(n, room);
    GPI(bucket_job) bucket = {job.keys_in, job.keys_out, job.keys_other, job.values_out, job.values_other,
                              (uint32_t)n, tile_n,       0,              levels,         bucket_bits,
                                   layout.counts, layout.plan, layout.buckets};
    GPI(counting) count = {
        job.keys_in,   n,           job.begin_bit,  job.end_bit,       in_place, old, columns,
        layout.counts, layout.plan, layout.look[0] - GPI_RADIX_ROWS_BEFORE * 256,
        (GPI_RADIX_ROWS_BEFORE + layout.rows) * 256, levels, layout.buckets};
    /* Counts and tickets, and the counts of buckets behind them. */
    size_t zeroed = (size_t)((uint32_t *)layout.buckets - (uint32_t *)layout.counts);
    zeroed += levels == 2 ? (size_t)1 << bucket_bits : 0;
    error = GPI_LAUNCH_DEPENDENT(dependent, gpi_radix_clear_kernel,
                                 (unsigned)gpi_divide_up(zeroed, GPI_RADIX_CLEAR_THREADS), GPI_RADIX_CLEAR_THREADS, 0,
                                 stream, (uint32_t *)layout.counts, zeroed);
    if (error == cudaSuccess && levels == 2)
        error = GPI(spread)(&bucket, dependent, stream);
    if (error == cudaSuccess)
        error = GPI_LAUNCH_DEPENDENT(dependent, GPI(count_kernel),
                                     gpi_resident_blocks(1, counting, GP_GRID), GPI_RADIX_COUNT_THREADS,
                                     columns * (unsigned)digits * 1024, stream, count);
    if (error == cudaSuccess && levels && !GPI_RADIX_PAIRS)
        error = GPI(sort_buckets)(&bucket, dependent, stream);
#ifdef GP_VALUE
    if (error == cudaSuccess && numbers) {
        error = GPI(passes_of_numbers)(job, n, &layout, room, &bucket, dependent, passes, stream);
        return gpi_scratch_release(&scratch, error, stream);
    }
#endif
    if (error == cudaSuccess)
        error = GPI(passes)(job, n, &layout, room, &bucket, dependent, passes, stream);
    return gpi_scratch_release(&scratch, error, stream);
}

GP_API size_t GPI_PUBLIC(radix_sort_bits_workspace_bytes)(size_t n, int begin_bit, int end_bit)
{
    (void)begin_bit;
    (void)end_bit;
    return gpi_workspace_request(GPI(lay_out)(NULL, n).bytes);
}

GP_API size_t GPI_PUBLIC(radix_sort_workspace_bytes)(size_t n)
{
    return GPI_PUBLIC(radix_sort_bits_workspace_bytes)(n, 0, GPI_KEY_WIDTH);
}

/* clang-format off */
#ifdef GP_VALUE
#define GPI_RADIX_PARAMETERS \
    const GP_KEY *kin, GP_KEY *kout, const GP_VALUE *vin, GP_VALUE *vout, size_t n
#define GPI_RADIX_ARGUMENTS kin, kout, vin, vout, n
#else
#define GPI_RADIX_PARAMETERS const GP_KEY *in, GP_KEY *out, size_t n
#define GPI_RADIX_ARGUMENTS in, out, NULL, NULL, n
#endif
/* clang-format on */

static inline cudaError_t GPI(call)(const char *function, const GP_KEY *keys_in,
                                    GP_KEY *keys_out, const GPI_RADIX_VALUE *values_in,
                                    GPI_RADIX_VALUE *values_out, size_t n, int begin_bit,
                                    int end_bit, gp_workspace *ws, cudaStream_t stream)
{
    GPI(job) job;

    memset((void *)&job, 0, sizeof job);
    job.keys_in = keys_in;
    job.keys_out = keys_out;
    job.values_in = values_in;
    job.values_out = values_out;
    job.begin_bit = begin_bit;
    job.end_bit = end_bit;
    return GPI(host)(function, job, n, ws, stream);
}

/* Sorts by the bits [begin_bit, end_bit) of the keys. */
GP_API cudaError_t GPI_PUBLIC(radix_sort_bits)(GPI_RADIX_PARAMETERS, int begin_bit, int end_bit,
                                               gp_workspace *ws, cudaStream_t stream)
{
    return GPI(call)(GPI_TEXT(radix_sort_bits), GPI_RADIX_ARGUMENTS, begin_bit, end_bit, ws,
                     stream);
}

/* Sorts by the whole keys. */
GP_API cudaError_t GPI_PUBLIC(radix_sort)(GPI_RADIX_PARAMETERS, gp_workspace *ws,
                                          cudaStream_t stream)
{
    return GPI(call)(GPI_TEXT(radix_sort), GPI_RADIX_ARGUMENTS, 0, GPI_KEY_WIDTH, ws, stream);
}

#undef GPI_RADIX_PAIRS
#undef GPI_RADIX_VALUE
#undef GPI_RADIX_PARAMETERS
#undef GPI_RADIX_ARGUMENTS
#undef GPI_RADIX_LARGE
#undef GPI_RADIX_LARGE_TILE
#undef GPI_RADIX_INDEX_KERNEL
#undef GPI_RADIX_NUMBERED

#endif
#include "core/instance/end.cuh"
