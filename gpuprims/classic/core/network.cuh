/*
 * classic/core/network.cuh: what the sorting networks under classic/ share: the arrays and the windows of
 * places that blocks work on, the comparator, and the shape of a block. GP_KEY and GP_VALUE are the
 * instance's; GPI_NETWORK_BLOCK, the header's, is opt->block_threads when that does not say, and
 * GPI_NETWORK_SMALL_LOG, the header's too, says how many items of up to 8 bytes a thread has.
 */
#ifndef GPI_NETWORK_CUH
#define GPI_NETWORK_CUH

#include "rungs.cuh"

/* A test counts the comparators that are performed. */
#ifndef GPI_COUNT_COMPARATOR
#define GPI_COUNT_COMPARATOR() ((void)0)
#endif

/* How many of the numbers 0 ... n - 1 have this bit. */
static inline size_t gpi_ones_below(size_t n, int bit)
{
    size_t step = (size_t)1 << bit, rest = n & (step + step - 1);

    return (n >> bit >> 1 << bit) + (rest > step ? rest - step : 0);
}

/* What every device has for a block without asking, less what aligning the values may take. */
#define GPI_NETWORK_SHARED_LIMIT (48 * 1024 - GPI_ALIGNMENT)

/* Threads that find registers on a multiprocessor at a time: 128 registers each. */
#define GPI_NETWORK_THREADS 512

/* Gives a lane what the lane whose number differs in the bits of `lanes` has there. */
GPI_DEVICE void gpi_shuffle_xor(void *x, const unsigned bytes, int lanes)
{
    GPI_UNROLL
    for (unsigned at = 0; at < bytes; at += 4) {
        const unsigned part = bytes - at < 4 ? bytes - at : 4;
        uint32_t word = 0;

        memcpy(&word, (char *)x + at, part);
        word = __shfl_xor_sync(GPI_FULL_MASK, word, lanes);
        memcpy((char *)x + at, &word, part);
    }
}

#endif

#ifdef GP_VALUE
#define GPI_NETWORK_BYTES          (sizeof(GP_KEY) + sizeof(GP_VALUE))
#define GPI_NETWORK_IF_VALUES(...) __VA_ARGS__
#else
#define GPI_NETWORK_BYTES sizeof(GP_KEY)
#define GPI_NETWORK_IF_VALUES(...)
#endif
GPI_STATIC_ASSERT(GPI_NETWORK_BYTES <= 16384,
                  "GP_KEY and GP_VALUE together have more than 16384 bytes, the most that are supported");

/* ---- shape ----------------------------------------------------------------------------------- */

/*
 * A thread has 2^LOG items: as many of up to 8 bytes as the header says, fewer larger ones, so that
 * they fit into its registers.
 */
enum {
    GPI(log_items) = GPI_NETWORK_BYTES <= 8    ? GPI_NETWORK_SMALL_LOG
                     : GPI_NETWORK_BYTES <= 16 ? GPI_NETWORK_SMALL_LOG - 1
                     : GPI_NETWORK_BYTES <= 32 ? GPI_NETWORK_SMALL_LOG - 2
                                               : 1,
    GPI(items_of_thread) = 1 << GPI(log_items)
};

/* The largest block, a power of two, whose tile fits into shared memory. */
#define GPI_NETWORK_FITS(threads) \
    (GPI_NETWORK_BYTES * GPI(items_of_thread) * (threads) <= GPI_NETWORK_SHARED_LIMIT)
enum {
    GPI(max_threads) = GPI_NETWORK_FITS(1024)  ? 1024
                       : GPI_NETWORK_FITS(512) ? 512
                       : GPI_NETWORK_FITS(256) ? 256
                       : GPI_NETWORK_FITS(128) ? 128
                       : GPI_NETWORK_FITS(64)  ? 64
                       : GPI_NETWORK_FITS(32)  ? 32
                       : GPI_NETWORK_FITS(16)  ? 16
                       : GPI_NETWORK_FITS(8)   ? 8
                       : GPI_NETWORK_FITS(4)   ? 4
                       : GPI_NETWORK_FITS(2)   ? 2
                                               : 1
};

/* Of a thread's items, all are there: a bit for each. */
#define GPI_NETWORK_ALL ((2u << (GPI(items_of_thread) - 1)) - 1)

/* At least so many blocks find registers on a multiprocessor at a time. */
enum {
    GPI(min_blocks) =
        GPI(max_threads) <= GPI_NETWORK_THREADS ? GPI_NETWORK_THREADS / GPI(max_threads) : 1
};

/* ---- the arrays ------------------------------------------------------------------------------ */

/*
 * The arrays to sort, in ascending order. For descending order the network sees each of them from
 * its end: its item i is the array's item length - 1 - i.
 */
typedef struct {
    GP_KEY *keys;
    GPI_NETWORK_IF_VALUES(GP_VALUE *values;)
    size_t batch, length;
    size_t backwards;   /* all ones when descending, else 0 */
    size_t windows;     /* of a tile's size for each array; 0: a tile has room for whole arrays */
    unsigned values_at; /* where a tile's values start in shared memory, in bytes */
    int tile_bits;      /* a tile has 2^tile_bits places */
    int array_bits;     /* 2^array_bits places hold an array: the smallest such number */
} GPI(job);

/* The items of one thread, which the compiler keeps in registers where loops are unrolled. */
typedef struct {
    GP_KEY key[GPI(items_of_thread)];
    GPI_NETWORK_IF_VALUES(GP_VALUE value[GPI(items_of_thread)];)
} GPI(registers);

/* Where a tile's items lie in shared memory. */
typedef struct {
    GP_KEY *keys;
    GPI_NETWORK_IF_VALUES(GP_VALUE *values;)
} GPI(tile);

/*
 * 2^tile_bits places in a row, and what lies there: a piece of one array, or several arrays, each
 * at a multiple of 2^bits.
 */
typedef struct {
    size_t origin;   /* where item 0 of the first array would lie, seen from place 0 */
    unsigned bits;   /* places of each array, as a power of two */
    unsigned end;    /* so many of them hold items */
    unsigned arrays; /* so many arrays are there */
    int whole;       /* every place holds an item */
} GPI(window);

/* Item i of an array lies at origin + (i ^ backwards). */
GPI_DEVICE size_t GPI(origin)(const GPI(job) *job, size_t array)
{
    return array * job->length + (job->backwards ? job->length : 0);
}

/*
 * The window of a block. Of a long array it starts `shift` places behind a multiple of its size; it
 * may then start past the end, and holds nothing.
 */
GPI_DEVICE GPI(window) GPI(open_window)(const GPI(job) *job, size_t number,
                                        unsigned shift)
{
    const unsigned places = 1u << job->tile_bits;
    GPI(window) window;
    size_t array, start = 0, left;

    if (job->windows) {
        array = job->batch == 1 ? 0 : number / job->windows;
        start = (number - array * job->windows) * places + shift;
        window.bits = (unsigned)job->tile_bits;
    } else {
        array = number << (job->tile_bits - job->array_bits);
        window.bits = (unsigned)job->array_bits;
    }
    left = array < job->batch ? job->batch - array : 0;
    window.arrays = left < places >> window.bits ? (unsigned)left : places >> window.bits;
    left = start < job->length ? job->length - start : 0;
    window.end = left < 1u << window.bits ? (unsigned)left : 1u << window.bits;
    window.origin = GPI(origin)(job, array) + (job->backwards ? 0 - start : start);
    window.whole = (window.arrays << window.bits) == places && window.end == 1u << window.bits;
    return window;
}

/* Whether a place of the window holds an item. */
GPI_DEVICE int GPI(holds)(const GPI(window) *window, unsigned place)
{
    return (place & ((1u << window->bits) - 1)) < window->end &&
           place >> window->bits < window->arrays;
}

/* Where in global memory that item lies. */
GPI_DEVICE size_t GPI(at)(const GPI(job) *job, const GPI(window) *window,
                          unsigned place)
{
    size_t index = place & ((1u << window->bits) - 1);

    return window->origin + (place >> window->bits) * job->length + (index ^ job->backwards);
}

/* Where the item lies that comes `distance` items after the one at `at` of the same array. */
GPI_DEVICE size_t GPI(from)(const GPI(job) *job, size_t at, size_t distance)
{
    return job->backwards ? at - distance : at + distance;
}

/* ---- items ----------------------------------------------------------------------------------- */

/* The keys of a tile and behind them its values. */
GPI_DEVICE GPI(tile) GPI(carve)(const GPI(job) *job, unsigned char *memory)
{
    GPI(tile) tile;

    (void)job; /* of use for the values alone */
    tile.keys = (GP_KEY *)memory;
    GPI_NETWORK_IF_VALUES(tile.values = (GP_VALUE *)(memory + job->values_at);)
    return tile;
}

/*
 * The comparator of items a and b, of which a is the lower one, unless `reversed`. Equal keys stay
 * where they are, and so do keys of which one is NaN.
 */
GPI_DEVICE void GPI(compare)(GPI(registers) *items, int a, int b, int reversed)
{
    GP_KEY key = items->key[a];

    GPI_COUNT_COMPARATOR();
    if (reversed ? key < items->key[b] : items->key[b] < key) {
        items->key[a] = items->key[b];
        items->key[b] = key;
        GPI_NETWORK_IF_VALUES(GP_VALUE value = items->value[a]; items->value[a] = items->value[b];
                              items->value[b] = value;)
    }
}

GPI_DEVICE void GPI(load)(const GPI(job) *job, GPI(registers) *items, int r,
                          size_t at)
{
    items->key[r] = job->keys[at];
    GPI_NETWORK_IF_VALUES(items->value[r] = job->values[at];)
}

GPI_DEVICE void GPI(store)(const GPI(job) *job, const GPI(registers) *items, int r,
                           size_t at)
{
    job->keys[at] = items->key[r];
    GPI_NETWORK_IF_VALUES(job->values[at] = items->value[r];)
}

/* ---- host functions -------------------------------------------------------------------------- */

/* Refuses what cannot be sorted. */
static inline cudaError_t GPI(check)(const GPI(job) *job, const char *function)
{
    const size_t n = gpi_multiply_sizes(job->batch, job->length);
    cudaError_t error =
        gpi_check_count(function, "batch * length", n, GPI_CLASSIC_BLOCKS, GPI_NETWORK_BYTES);

    if (error != cudaSuccess)
        return error;
    if (!job->keys)
        return gpi_error_null_of(function, "keys", "batch * length", n);
#ifdef GP_VALUE
    const gpi_argument used[] = {{"keys", job->keys, n * sizeof *job->keys, GPI_WRITTEN, 0},
                                 {"values", job->values, n * sizeof *job->values, GPI_WRITTEN, 0}};

    if (!job->values)
        return gpi_error_null_of(function, "values", "batch * length", n);
    if (job->length > 1)
        error = gpi_check_overlap(function, used, 2);
#endif
    return error;
}

/* Lays out tiles for blocks of `threads` threads, or fewer where their tile would not fit. */
static inline int GPI(prepare)(GPI(job) *job, int threads, int descending)
{
    if (threads > GPI(max_threads))
        threads = GPI(max_threads);
    job->backwards = descending ? SIZE_MAX : 0;
    job->tile_bits = gpi_levels((size_t)threads) + GPI(log_items);
    job->array_bits = gpi_levels(job->length);
    job->windows = job->array_bits > job->tile_bits
                       ? gpi_divide_up(job->length, (size_t)1 << job->tile_bits)
                       : 0;
    job->values_at = (unsigned)gpi_align_up(sizeof(GP_KEY) << job->tile_bits);
    return threads;
}

/* The stages of a network: its launches. */
typedef cudaError_t GPI(stages_t)(const GPI(job) *job, int threads, cudaStream_t stream);

/* What both host functions do: checks the arguments and runs the stages. */
static inline cudaError_t GPI(sort)(const char *function, GPI(stages_t) *stages, GP_KEY *keys,
                                    GPI_NETWORK_IF_VALUES(GP_VALUE *values, ) size_t batch,
                                    size_t length, int descending,
                                    const gp_classic_options *opt, gp_workspace *ws,
                                    cudaStream_t stream)
{
    gp_classic_options options;
    gpi_scratch scratch;
    GPI(job) job;
    cudaError_t error = gpi_classic_read(opt, &options, function);

    if (!opt || !opt->block_threads)
        options.block_threads = GPI_NETWORK_BLOCK;
    if (error != cudaSuccess || batch == 0 || length == 0)
        return error;
    memset((void *)&job, 0, sizeof job);
    job.keys = keys;
    GPI_NETWORK_IF_VALUES(job.values = values;)
    job.batch = batch;
    job.length = length;
    error = GPI(check)(&job, function);
    if (error != cudaSuccess || length == 1)
        return error;
    /* Needs no memory; it names the call in a timeline. */
    error = gpi_scratch_acquire(&scratch, ws, 0, stream, function);
    if (error != cudaSuccess)
        return error;
    int threads = GPI(prepare)(&job, options.block_threads, descending);
    error = stages(&job, threads, stream);
    return gpi_scratch_release(&scratch, error, stream);
}

/* Blocks that see every tile once, and the shared memory of each. */
#define GPI_NETWORK_BLOCKS(job)          \
    ((job)->windows                      \
         ? (job)->batch * (job)->windows \
         : gpi_divide_up((job)->batch, (size_t)1 << ((job)->tile_bits - (job)->array_bits)))
#ifdef GP_VALUE
#define GPI_NETWORK_SHARED(job) ((job)->values_at + (sizeof(GP_VALUE) << (job)->tile_bits))
#else
#define GPI_NETWORK_SHARED(job) ((size_t)(job)->values_at)
#endif
