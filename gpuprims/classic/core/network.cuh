/*
 * classic/core/network.cuh: what the sorting networks under classic/ share: the arrays and the
 * windows that blocks work on, the comparator, and the shape of a block. The header defines
 * GPI_NETWORK_BLOCK, the default of opt->block_threads, and GPI_NETWORK_SMALL_LOG, the log2 of the
 * items per thread of up to 8 bytes.
 */
#ifndef GPI_NETWORK_CUH
#define GPI_NETWORK_CUH

#include "rungs.cuh"

/* A test counts the comparators. */
#ifndef GPI_COUNT_COMPARATOR
#define GPI_COUNT_COMPARATOR() ((void)0)
#endif

/* How many of the numbers 0 ... n - 1 have this bit. */
static inline size_t gpi_ones_below(size_t n, int bit)
{
    size_t step = (size_t)1 << bit, rest = n & (step + step - 1);

    return (n >> bit >> 1 << bit) + (rest > step ? rest - step : 0);
}

/* The shared memory of a block without opt-in, less what aligning the values may take. */
#define GPI_NETWORK_SHARED_LIMIT (48 * 1024 - GPI_ALIGNMENT)

/* Resident threads of a multiprocessor: 128 registers each. */
#define GPI_NETWORK_THREADS 512

/* *x becomes that of the lane whose number differs in the bits of `lanes`. */
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
 * A thread has 2^log_items items: the header's number for up to 8 bytes, fewer for larger ones, so
 * that they fit into registers.
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

/* A mask with a bit for each of a thread's items. */
#define GPI_NETWORK_ALL ((2u << (GPI(items_of_thread) - 1)) - 1)

/* Minimum resident blocks of a multiprocessor, for __launch_bounds__. */
enum {
    GPI(min_blocks) =
        GPI(max_threads) <= GPI_NETWORK_THREADS ? GPI_NETWORK_THREADS / GPI(max_threads) : 1
};

/* ---- the arrays ------------------------------------------------------------------------------ */

/*
 * The arrays to sort, in ascending order. For descending order the network sees each of them
 * reversed: its item i is the array's item length - 1 - i.
 */
typedef struct {
    GP_KEY *keys;
    GPI_NETWORK_IF_VALUES(GP_VALUE *values;)
    size_t batch, length;
    size_t backwards;   /* all ones when descending, else 0 */
    size_t windows;     /* tiles per array; 0: a tile holds whole arrays */
    unsigned values_at; /* byte offset of a tile's values in shared memory */
    int tile_bits;      /* a tile has 2^tile_bits places */
    int array_bits;     /* log2 of the smallest power of two that holds an array */
} GPI(job);

/* The items of one thread. Where loops are unrolled the compiler keeps them in registers. */
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
 * 2^tile_bits consecutive places, and what lies there: a piece of one array, or several arrays,
 * each at a multiple of 2^bits.
 */
typedef struct {
    size_t origin;   /* global index of place 0; one past it when descending */
    unsigned bits;   /* log2 of the places of each array */
    unsigned end;    /* how many of these hold items */
    unsigned arrays; /* how many arrays there are */
    int whole;       /* every place holds an item */
} GPI(window);

/* Item i of an array lies at origin + (i ^ backwards). */
GPI_DEVICE size_t GPI(origin)(const GPI(job) *job, size_t array)
{
    return array * job->length + (job->backwards ? job->length : 0);
}

/*
 * The window of a block. In a long array it starts `shift` places after a multiple of its size;
 * past the end of the array it is empty.
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

/* The index in global memory of that item. */
GPI_DEVICE size_t GPI(at)(const GPI(job) *job, const GPI(window) *window,
                          unsigned place)
{
    size_t index = place & ((1u << window->bits) - 1);

    return window->origin + (place >> window->bits) * job->length + (index ^ job->backwards);
}

/* The index of the item `distance` items after the one at `at` in the same array. */
GPI_DEVICE size_t GPI(from)(const GPI(job) *job, size_t at, size_t distance)
{
    return job->backwards ? at - distance : at + distance;
}

/* ---- items ----------------------------------------------------------------------------------- */

/* The keys of a tile, followed by its values. */
GPI_DEVICE GPI(tile) GPI(carve)(const GPI(job) *job, unsigned char *memory)
{
    GPI(tile) tile;

    (void)job; /* used for values only */
    tile.keys = (GP_KEY *)memory;
    GPI_NETWORK_IF_VALUES(tile.values = (GP_VALUE *)(memory + job->values_at);)
    return tile;
}

/*
 * The comparator of items a and b, of which a is the lower one unless `reversed`. Equal keys, and
 * keys compared with NaN, stay where they are.
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

/* Refuses wrong arguments. */
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

/*
 * Lays out tiles for blocks of `threads` threads, or of fewer if their tile would not fit. Returns
 * how many.
 */
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

/* The launches of a network. */
typedef cudaError_t GPI(stages_t)(const GPI(job) *job, int threads, cudaStream_t stream);

/* The body of both host functions: checks the arguments and runs the stages. */
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
    /* No memory is needed; this names the call in a timeline. */
    error = gpi_scratch_acquire(&scratch, ws, 0, stream, function);
    if (error != cudaSuccess)
        return error;
    int threads = GPI(prepare)(&job, options.block_threads, descending);
    error = stages(&job, threads, stream);
    return gpi_scratch_release(&scratch, error, stream);
}

/* The number of tiles, and the shared memory of a block. */
#define GPI_NETWORK_BLOCKS(job)          \
    ((job)->windows                      \
         ? (job)->batch * (job)->windows \
         : gpi_divide_up((job)->batch, (size_t)1 << ((job)->tile_bits - (job)->array_bits)))
#ifdef GP_VALUE
#define GPI_NETWORK_SHARED(job) ((job)->values_at + (sizeof(GP_VALUE) << (job)->tile_bits))
#else
#define GPI_NETWORK_SHARED(job) ((size_t)(job)->values_at)
#endif
