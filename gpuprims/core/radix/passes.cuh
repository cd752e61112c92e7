/*
 * core/radix/passes.cuh: sorts n items of any number in passes, as planned on the device by core/radix/plan.cuh. Of
 * large values the passes move the numbers, and the values are brought to their places once, at the end.
 *
 * Part of radix_sort.cuh; not to be included directly.
 */

/* A word of the look-back: how many keys of a digit the tile has, or it and all before. 0: not known yet. */
#define GPI_RADIX_SEEN_TILE 0x40000000u
#define GPI_RADIX_SEEN_ALL 0x80000000u
#define GPI_RADIX_SEEN_COUNT 0x3FFFFFFFu

/* In place of a warp's two commonest digits: others are not rare. */
#define GPI_RADIX_MIXED 0xFFFFFFFFu

#define GPI_RADIX_SPARE 128 /* bytes of shared memory behind the values, which may start up to 15 bytes late */

/* What a launch works on: a portion of the input, so small that counts fit their words. */
typedef struct {
    GP_KEY *keys[3]; /* the input, which is only read, the output, and another array */
    void *values[3]; /* the first NULL: 0, 1, 2, ... */
    size_t first;    /* item of the portion */
    uint32_t n;      /* items of the portion */
    uint32_t tile_n; /* items of a tile; fewer than its threads can hold when n is small */
    uint32_t tiles;
    uint32_t next_rows; /* tiles of the next launch */
    int begin_bit, end_bit;
    int pass;  /* of the plan */
    int odd;   /* whether the portion's number is odd */
    int again; /* for tests: every third tile fails its check */
    gpi_radix_plan *plan;
    const gpi_radix_ranges *ranges;
    uint32_t *ticket;
    uint32_t *look;      /* a row of 256 words for each tile */
    uint32_t *look_next; /* those of the next launch, to be cleared */
} GPI(job);

/* A digit of what a pass moves; of codes the zeros may be `one` number. */
GPI_DEVICE uint32_t GPI(digit)(GP_KEY key, int shift, uint32_t mask, int one)
{
    return GPI(coded) ? GPI(key_code_digit)(key, shift, mask, one) : GPI(key_digit)(key, shift, mask);
}

/* The kernels; core/radix/tile.cuh undefines what it takes. */
#define GPI_RADIX_SMALL 0
#define GPI_OF(word) GPI(word)
#include "tile.cuh"

#define GPI_RADIX_SMALL 1
#define GPI_OF(word) GPI(small_##word)
#include "tile.cuh"

#ifdef GP_VALUE
enum { GPI(gather_threads) = 256 };

/* Item i gets the value with the number map[i], or that number if there are no values. */
static __global__ void __launch_bounds__(GPI(gather_threads))
    GPI(gather_kernel)(const GPI_RADIX_VALUE *in, const uint32_t *map, GPI_RADIX_VALUE *out, size_t n)
{
#if GPI_DEVICE_CODE
    const size_t pieces = sizeof(GPI_RADIX_VALUE) / GPI(piece_bytes);
    const size_t k = (size_t)blockIdx.x * GPI(gather_threads) + threadIdx.x;
    const size_t i = k / pieces, piece = k % pieces;

    if (GPI(indexed) && i < n)
        GPI(move_piece)(out, i, in, map[i], piece);
#endif
}
#endif

/* ---- host functions ---------------------------------------------------------------------------- */

/* A constant of the kernel for small n, or of that for large n. */
#define GPI_RADIX_PASS(small, word) ((small) ? (size_t)GPI(small_##word) : (size_t)GPI(word))
#ifndef GPI_RADIX_ROWS /* tiles of a launch, at most: each has 1 KB, twice, for the look-back */
#define GPI_RADIX_ROWS ((size_t)28 << 10)
#endif
#define GPI_RADIX_ROWS_BEFORE ((size_t)16) /* the first one: as many as a look-back reads at a time, at most */
/* Of items that are moved in place of large values: they have 4 bytes, and one launch fetches all values. */
#ifndef GPI_RADIX_MAX_NUMBERS
#define GPI_RADIX_MAX_NUMBERS                                                                                     \
    (GPI_MAX_TILES * 256 / sizeof(GPI_RADIX_VALUE) < UINT32_MAX ? GPI_MAX_TILES * 256 / sizeof(GPI_RADIX_VALUE) \
                                                                 : UINT32_MAX)
#endif
#define GPI_RADIX_SMALL_TILE ((size_t)1024) /* items of a tile, when n is small */
#define GPI_RADIX_GRID ((size_t)1024)       /* blocks of a pass, at most */
#define GPI_RADIX_FORCES_BUCKETS (GP_KERNEL == GP_KERNEL_BUCKETS || GP_KERNEL == GP_KERNEL_BUCKETS_TWICE)

/* Whether the passes take the kernel for small n. It is slow for large n, but knows no limit. */
static inline int GPI(is_small)(size_t n)
{
    size_t threads = gpi_resident_blocks(1, GPI_RADIX_GRID, GP_GRID) * (size_t)GPI(small_threads);

    return (n <= threads * GPI(small_items) && !GP_KERNEL) || (GPI(indexed) && n > GPI_RADIX_MAX_NUMBERS);
}

/* Blocks of a pass. */
static inline size_t GPI(blocks_of_pass)(size_t n)
{
    return gpi_resident_blocks((unsigned)GPI_RADIX_PASS(GPI(is_small)(n), blocks), GPI_RADIX_GRID, GP_GRID);
}

/* Items of a tile, at most, for which so much shared memory has room. */
static inline size_t GPI(largest_tile)(int small, size_t room)
{
    const size_t threads = GPI_RADIX_PASS(small, threads), items = GPI_RADIX_PASS(small, items);
    const size_t some = GPI_RADIX_PASS(small, rounds), others = GPI_RADIX_PASS(small, tile_bytes) + GPI_RADIX_SPARE;
    const size_t fitting = (room - others - 1024) / GPI_RADIX_PASS(small, slot) / threads;

    return threads * (items < fitting ? items : fitting / some * some);
}

/* Items of a tile of a pass. */
static inline size_t GPI(tile_of_pass)(size_t n, size_t room)
{
    const int small = GPI(is_small)(n);
    const size_t threads = GPI_RADIX_PASS(small, threads), some = threads * GPI_RADIX_PASS(small, rounds);
    const size_t largest = GPI(largest_tile)(small, room);
    const size_t tile_n = gpi_divide_up(gpi_divide_up(n, GPI(blocks_of_pass)(n)), some) * some;

    return gpi_smaller_size(gpi_larger_size(tile_n, 4 * threads), largest);
}

/* A sort in passes, in steps that the buckets take, too. */
typedef struct {
    const GPI(call) *call;
    GPI(job) job;
    gpi_radix_counts *counts; /* the tickets follow them; both are zeroed */
    char *extra;              /* what a caller has asked for; its first words are zeroed, too */
    uint32_t *look;           /* twice so many `rows`, and those before */
    size_t rows, bytes;       /* all of the workspace */
    int digits, in_place;
    int numbers; /* whether numbers are moved instead of values; they end up in job.values[1] */
} GPI(steps);

/* Divides the workspace. Enough for every device: with little shared memory there are the most tiles. */
static inline GPI(steps) GPI(lay_out)(char *memory, size_t n, size_t extra_bytes)
{
    const size_t small = GPI_RADIX_FORCES_BUCKETS ? SIZE_MAX : gpi_divide_up(n, GPI_RADIX_SMALL_TILE);
    const size_t tiles = gpi_larger_size(gpi_divide_up(n, GPI(largest_tile)(0, GPI_RADIX_MIN_ROOM)),
                                         gpi_smaller_size(small, GPI_RADIX_GRID));
    const size_t rows = gpi_smaller_size(tiles, GPI_RADIX_ROWS);
    const size_t launches = (GPI_RADIX_MAX_DIGITS + 1) * gpi_divide_up(tiles, GPI_RADIX_ROWS);
    const size_t values = gpi_array_bytes(n, sizeof(GP_KEY));
    const size_t plan = gpi_add_sizes(values, GPI_RADIX_PAIRS ? gpi_array_bytes(n, sizeof(GPI_RADIX_VALUE)) : 0);
    const size_t counts = gpi_add_sizes(plan, gpi_align_up(sizeof(gpi_radix_plan)));
    const size_t extra = gpi_add_sizes(counts, gpi_align_up(sizeof(gpi_radix_counts) + launches * sizeof(uint32_t)));
    const size_t look = gpi_add_sizes(extra, gpi_align_up(extra_bytes));
    const uintptr_t at = (uintptr_t)memory;
    GPI(steps) steps;

    memset((void *)&steps, 0, sizeof steps);
    steps.job.keys[2] = (GP_KEY *)at;
    steps.job.values[2] = (void *)(at + values);
    steps.job.plan = (gpi_radix_plan *)(at + plan);
    steps.counts = (gpi_radix_counts *)(at + counts);
    steps.extra = (char *)(at + extra);
    steps.look = (uint32_t *)(at + look) + GPI_RADIX_ROWS_BEFORE * 256;
    steps.rows = rows;
    steps.bytes = gpi_add_sizes(look, (GPI_RADIX_ROWS_BEFORE + 2 * rows) * 256 * sizeof(uint32_t));
    return steps;
}

/*
 * The numbers have the values' room in the workspace; if the values are sorted in place, these need it in the end, and
 * the numbers move to that of the keys, which has served.
 */
static inline GPI(steps) GPI(begin_passes)(const GPI(call) *call, size_t extra_bytes)
{
    const GPI(request) *request = &call->request;
    const size_t n = request->n;
    GPI(steps) steps = GPI(lay_out)(call->memory, n, extra_bytes);
    GPI(job) *job = &steps.job;

    steps.call = call;
    steps.digits = (request->end_bit - request->begin_bit + 7) / 8;
    steps.numbers = GPI(indexed) && !GPI(is_small)(n);
    steps.in_place = request->keys_in == request->keys_out ||
                     (GPI_RADIX_PAIRS && !steps.numbers && request->values_in == request->values_out);
    job->keys[0] = (GP_KEY *)request->keys_in;
    job->keys[1] = request->keys_out;
    job->values[0] = steps.numbers ? NULL : (void *)request->values_in;
    job->values[1] =
        steps.numbers ? (void *)((uint32_t *)job->values[2] + (n + 3) / 4 * 4) : (void *)request->values_out;
    job->begin_bit = request->begin_bit;
    job->end_bit = request->end_bit;
    job->tile_n = (uint32_t)GPI(tile_of_pass)(n, call->device.room);
    job->again = GP_KERNEL == GP_KERNEL_PASSES_AGAIN;
    return steps;
}

/* Clears counts and tickets, and so many words of what follows them. */
static inline cudaError_t GPI(clear)(const GPI(steps) *steps, size_t extra)
{
    uint32_t *words = (uint32_t *)steps->counts;
    const size_t n = (size_t)((uint32_t *)steps->extra - words) + extra;

    return GPI_LAUNCH_DEPENDENT(steps->call->device.dependent, gpi_radix_clear_kernel,
                                (unsigned)gpi_divide_up(n, GPI_RADIX_CLEAR_THREADS), GPI_RADIX_CLEAR_THREADS, 0,
                                steps->call->stream, words, n);
}

/* Counts the digits and makes the plan, which may take so many `levels` of buckets instead. */
static inline cudaError_t GPI(make_plan_of)(const GPI(steps) *steps, int levels, gpi_radix_buckets *buckets)
{
    const GPI(call) *call = steps->call;
    const size_t n = call->request.n, vectors = gpi_divide_up(n * sizeof(GP_KEY), 16 * GPI_RADIX_COUNT_THREADS);
    unsigned columns = n < (size_t)1 << 22 ? 4 : GPI(columns);

    while (columns * (unsigned)steps->digits * 1024 + 4096 > call->device.room)
        columns /= 2;
    const GPI(counting) count = {steps->job.keys[0], n, steps->job.begin_bit, steps->job.end_bit, steps->in_place,
                                 GP_KERNEL == GP_KERNEL_PASSES_OLD, columns, steps->counts, steps->job.plan,
                                 steps->look - GPI_RADIX_ROWS_BEFORE * 256,
                                 (GPI_RADIX_ROWS_BEFORE + steps->rows) * 256, levels, buckets};
    return GPI_LAUNCH_DEPENDENT(call->device.dependent, GPI(count_kernel), gpi_resident_blocks(1, vectors, GP_GRID),
                                GPI_RADIX_COUNT_THREADS, columns * (unsigned)steps->digits * 1024, call->stream, count);
}

/* All passes over all portions. If there are ranges, a tile of each may be part of one. */
static inline cudaError_t GPI(pass_all)(const GPI(steps) *steps, const gpi_radix_ranges *ranges)
{
    const GPI(call) *call = steps->call;
    const size_t n = call->request.n, room = call->device.room, tile_n = steps->job.tile_n;
    const int small = GPI(is_small)(n), dependent = call->device.dependent;
    const int passes = steps->digits + (steps->digits == 0 || (steps->in_place && steps->digits % 2));
    const unsigned threads = (unsigned)GPI_RADIX_PASS(small, threads);
    const size_t blocks = GPI(blocks_of_pass)(n), portion = steps->rows * tile_n;
    const size_t portions = gpi_divide_up(n, portion);
    const size_t needed = tile_n * GPI_RADIX_PASS(small, slot) + (GPI_RADIX_PAIRS ? GPI_RADIX_SPARE : 0);
    /* Small n: no room for two blocks of the next launch, which may start before this one ends, on a multiprocessor. */
    const size_t bytes = small && needed < room / 2 ? room / 2 : needed;
    GPI(job) job = steps->job;
    cudaError_t error = cudaSuccess;

    job.ranges = ranges;
    for (size_t launch = 0; launch < (size_t)passes * portions && error == cudaSuccess; launch++) {
        size_t which = launch % portions, next = (launch + 1) % portions;

        job.first = which * portion;
        job.n = (uint32_t)gpi_smaller_size(n - which * portion, portion);
        job.tiles = (uint32_t)gpi_divide_up(job.n, tile_n);
        job.next_rows = (uint32_t)gpi_divide_up(gpi_smaller_size(n - next * portion, portion), tile_n);
        job.next_rows += ranges ? GPI_RADIX_RANGES : 0;
        job.pass = (int)(launch / portions);
        job.odd = which % 2;
        job.ticket = (uint32_t *)(steps->counts + 1) + launch;
        job.look = steps->look + launch % 2 * steps->rows * 256;
        job.look_next = steps->look + (launch + 1) % 2 * steps->rows * 256;
        unsigned grid = (unsigned)gpi_smaller_size(blocks, job.tiles);
        if (small)
            error = GPI_LAUNCH_DEPENDENT(dependent, GPI(small_pass_kernel), grid, threads, bytes, call->stream, job);
        else
            error = GPI_LAUNCH_DEPENDENT(dependent, GPI(pass_kernel), grid, threads, bytes, call->stream, job);
    }
    return error;
}

/* Fetches the values if their numbers have been sorted. */
static inline cudaError_t GPI(end_passes)(const GPI(steps) *steps)
{
    cudaError_t error = cudaSuccess;
#ifdef GP_VALUE
    const GPI(request) *request = &steps->call->request;
    const cudaStream_t stream = steps->call->stream;
    const GPI_RADIX_VALUE *values = request->values_in;
    const uint32_t *numbers = (const uint32_t *)steps->job.values[1];
    const size_t n = request->n, pieces = sizeof *values / GPI(piece_bytes);

    if (!steps->numbers)
        return cudaSuccess;
    if (values == request->values_out) {
        numbers = (const uint32_t *)(const void *)steps->job.keys[2];
        values = (const GPI_RADIX_VALUE *)steps->job.values[2];
        error = cudaMemcpyAsync(steps->job.keys[2], steps->job.values[1], n * sizeof *numbers, cudaMemcpyDeviceToDevice,
                                stream);
        if (error == cudaSuccess)
            error = cudaMemcpyAsync(steps->job.values[2], request->values_in, n * sizeof *values,
                                    cudaMemcpyDeviceToDevice, stream);
    }
    if (error == cudaSuccess)
        error = GPI_LAUNCH(GPI(gather_kernel), (unsigned)gpi_divide_up(n * pieces, (size_t)GPI(gather_threads)),
                           (unsigned)GPI(gather_threads), 0, stream, values, numbers, request->values_out, n);
#else
    (void)steps;
#endif
    return error;
}

/* The passes sort whatever there is. */
static inline int GPI(passes_fit)(const GPI(call) *call)
{
    (void)call;
    return 1;
}

static inline size_t GPI(passes_bytes)(size_t n)
{
    return GPI(lay_out)(NULL, n, 0).bytes;
}

static inline cudaError_t GPI(passes_launch)(const GPI(call) *call)
{
    const GPI(steps) steps = GPI(begin_passes)(call, 0);
    cudaError_t error = GPI(clear)(&steps, 0);

    if (error == cudaSuccess)
        error = GPI(make_plan_of)(&steps, 0, NULL);
    if (error == cudaSuccess)
        error = GPI(pass_all)(&steps, NULL);
    return error == cudaSuccess ? GPI(end_passes)(&steps) : error;
}
