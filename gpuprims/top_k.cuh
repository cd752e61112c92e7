/*
 * top_k.cuh: the first k items of the sorted order, of an array, of each segment, or of each row.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_KEY         K: an integer type of 1, 2, 4 or 8 bytes, float or double (int); or, with
 *              GP_KEY_KIND    GP_UNSIGNED, GP_SIGNED or GP_FLOAT, any other type of such a size, ordered by its
 *                             bits as by those of a number of that kind: __half, __nv_bfloat16, a struct
 *              GP_VALUE       V, any trivially copyable type of any size; without it the keys are selected alone
 *              GP_DESCENDING  when it is defined, the largest key comes first
 *              GP_INDEX       INDEX, the type of offsets, an integer type of 4 or 8 bytes that n has to fit (size_t)
 *              GP_API         linkage of the host functions (static inline)
 *              GP_KERNEL, GP_GRID  for tests: GP_KERNEL_TOP_K_FILTER, _RESCUE or _MERGE, where that is possible; a
 *                             launch has GP_GRID blocks at most
 *
 * Generates    cudaError_t NAME_top_k(const K *kin, K *kout, size_t n, size_t k, ws, stream)
 *              cudaError_t NAME_segmented_top_k(kin, kout, size_t n, const INDEX *offsets, size_t segments, size_t k,
 *                                               ws, stream)
 *              cudaError_t NAME_row_top_k(kin, kout, size_t rows, size_t length, size_t k, ws, stream)
 * with values  the same with kin, kout, const V *vin, V *vout
 * and          size_t NAME_top_k_workspace_bytes(size_t n, size_t k)
 *              size_t NAME_segmented_top_k_workspace_bytes(size_t n, size_t segments, size_t k)
 *              size_t NAME_row_top_k_workspace_bytes(size_t rows, size_t length, size_t k)
 *
 *     kin                       1 5 0 1 2 0 3
 *     top_k, k = 3              0 0 1
 *     values, if vin is NULL    2 5 0             where each key came from
 *
 *     offsets 0 4 4 7, k = 2    0 1 | - - | 0 2   and 2 0 | - - | 1 0: what a segment lacks is not written
 *
 *     #define GP_NAME  best
 *     #define GP_KEY   float
 *     #define GP_VALUE unsigned
 *     #define GP_DESCENDING
 *     #include <gpuprims/top_k.cuh>
 *     best_row_top_k(d_logits, d_best, NULL, d_tokens, rows, vocabulary, 50, NULL, stream);
 *
 * Result       What a stable sort would begin with: in order, and of equal keys those in front. The order is that of
 *              radix_sort.cuh: floats by number with NaNs past the infinities of their sign, in order of their bits,
 *              and -0.0 equal to +0.0. Segment s writes min(k, its length) items from place s * k on. Nothing else is
 *              written, and items of no segment are not read.
 * Values       vin == NULL stands for 0, 1, 2, ..., in each segment: a float or double gets the number, any other type
 *              its lowest bytes.
 * Sizes        k <= n, or the length of a row. In segments k may be more than they have: they are sorted.
 * Guarantees   Asynchronous on `stream`; offsets are read on the device. Nothing is in place. What a segment gives does
 *              not depend on what else is in the batch.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched; else what a launch or
 *              an allocation returned. Where there is nothing to select from, or k is 0, the call succeeds.
 *
 * How it works: in rounds, each of them one launch of blocks that select from what has a place in shared memory.
 *
 *     1. a block takes a part of the items. A sample of it bounds what may be among the k best; that goes to shared
 *        memory and is sorted there: core/top_k/select.cuh
 *     2. the lists of several parts are selected from in the same way, until there is one of each segment
 *
 *     Segments of up to 128 items: a warp each (core/top_k/warp.cuh).
 *     Rows of up to 16384 items, or such an array, with k of up to 1400 or so: a team of threads for each, whose
 *     least items, or those of vectors, give a bound (core/top_k/row.cuh).
 *     An array, or longer rows, of up to 2^26 items in all, or 2^22 if k is more than 270: the same, a team for each
 *     of some parts; teams select from what these leave, until that is one list.
 *     A larger array, or a few long rows whose lists would be too much for one block: a sample of each bounds what may
 *     be among the k best, and from what one pass leaves, a small multiple of k, one block selects. If the bound was
 *     wrong, it finds exactly what is needed (core/top_k/filter.cuh, finish.cuh).
 *     A small array with k of more than 256, too large for one team: radix_sort.cuh, nested, sorts all of it, and the
 *     first k are copied (core/top_k/sorted.cuh). Small is up to 2^16 keys of 4 bytes, or 24 k if k is more than 2048.
 *     k of more than 2048, which a block cannot select: it sorts parts, and lists of up to k items are merged, four at
 *     a time (core/top_k/merge.cuh). Of a larger array, and of rows of more than 4 k items, of what a sample has left.
 *
 * Items are compared by key and place, so all are different, and equal keys are nothing special. docs/top-k.md has
 * pictures. Cost: n reads of keys; of an array that is sorted, what a radix sort takes; with large k, in segments, a
 * read and a write of all items for each factor of four over a part of 4096 items besides. Workspace: some MB, tens of
 * them for many long rows; with large k, 16 or 32 bytes for each item, or n keys and values and what the radix sort
 * takes.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG top_k
#define GPI_HEADER "gpuprims/top_k.cuh"
#define GPI_TAKES \
    (GPI_TAKES_KEY | GPI_TAKES_KEY_KIND | GPI_TAKES_VALUE | GPI_TAKES_DESCENDING | GPI_TAKES_INDEX | GPI_TAKES_API | \
     GPI_TAKES_KERNEL | GPI_TAKES_GRID)
#endif
#include "core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/top_k.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_WRONG_KEY_KIND
#error "gpuprims/top_k.cuh: GP_KEY_KIND must be GP_UNSIGNED, GP_SIGNED or GP_FLOAT"
#endif

#if !defined GPI_DEFAULT || !defined GPI_TOP_K_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_TOP_K_DEFAULT
#endif
GPI_ONCE_PER_NAME(GPI_TAG);
GPI_CHECK_INDEX();

/* The sort of an array of which much is wanted: an instance of radix_sort.cuh under private names. */
#define GPI_TOP_K_RADIX(word) GPI_JOIN4(gpi_, GP_NAME, top_k_radix, _##word)
#pragma push_macro("GPI_TAG")
#pragma push_macro("GPI_DEFAULT")
#pragma push_macro("GPI_PUBLIC")
#pragma push_macro("GP_API")
#undef GPI_TAG
#undef GPI_DEFAULT
#undef GPI_PUBLIC
#undef GP_API
#define GPI_TAG top_k_radix
#define GPI_PUBLIC(word) GPI_TOP_K_RADIX(word)
#define GP_API static inline
#include "radix_sort.cuh"
#pragma pop_macro("GPI_TAG")
#pragma pop_macro("GPI_DEFAULT")
#pragma pop_macro("GPI_PUBLIC")
#pragma pop_macro("GP_API")
#undef GPI_RADIX_KEY_IS_STAMPED

#include "core/instance/radix_key.cuh"
GPI_CHECK_KEY();
#include "core/instance/radix_value.cuh"
#include "core/top_k/tuning.cuh"
#include "core/tile/bins.cuh"
#include "core/top_k/job.cuh"
#include "core/top_k/block.cuh"
#include "core/top_k/minima.cuh"
#include "core/top_k/warp.cuh"
#include "core/top_k/select.cuh"
#include "core/top_k/row.cuh"
#include "core/top_k/parts.cuh"
#include "core/top_k/filter.cuh"
#include "core/top_k/merge.cuh"
#include "core/top_k/finish.cuh"
#include "core/top_k/sorted.cuh"

#ifdef GP_VALUE
#define GPI_TOP_K_SORT(job, keys_out, values_out, n, ws, stream) \
    GPI_TOP_K_RADIX(radix_sort)((job)->keys, keys_out, (job)->values, values_out, n, ws, stream)
#else
#define GPI_TOP_K_SORT(job, keys_out, values_out, n, ws, stream) \
    ((void)(values_out), GPI_TOP_K_RADIX(radix_sort)((job)->keys, keys_out, n, ws, stream))
#endif

/* ---- host functions -------------------------------------------------------------------------- */

enum {
    GPI(most_team_bytes) = 64000,   /* that any GPU has */
    GPI(most_whole_bytes) = 140000, /* of a team that takes all items */
    GPI(max_selected) = GPI(room) / 2,
    GPI(least_filtered) = 4 * GPI(threads) /* items of a filter's part, at least */
};

/* How a call finds what it wants, and with what. */
typedef struct {
    int filters, merges;
    size_t part_n, parts, slots; /* parts of the longest segment */
    int part_bits;
    size_t chunks, groups, rank, capacity; /* of a sample; of the array of candidates */
    size_t list_n, lists_n; /* room of a slot, and of all */
    size_t candidate_bytes;
    size_t bytes;
} GPI(plan);

/* The least b such that n is 2^b at most. */
static inline int GPI(bits_of)(size_t n)
{
    int bits = 0;

    while (n > (size_t)1 << bits)
        bits++;
    return bits;
}

/* Divides the items; `rows` is 0 by offsets. */
static inline void GPI(divide)(GPI(plan) *plan, size_t n, size_t rows, size_t k)
{
    const size_t length = rows ? n / rows : n, most = (size_t)1 << 31;
    size_t parts = GPI_TUNE_TOP_K_PARTS, least = gpi_larger_size(GPI_TUNE_TOP_K_PART, 2 * k);

    if (rows)
        parts = rows < parts ? parts / rows : 1;
    plan->part_n = plan->merges ? (size_t)GPI(room) : gpi_larger_size(gpi_divide_up(length, parts), least);
    plan->part_n = plan->part_n > most ? most : gpi_divide_up(plan->part_n, 128) * 128;
    if (rows == 0) {
        plan->part_bits = GPI(bits_of)(plan->part_n);
        plan->part_n = (size_t)1 << plan->part_bits;
    }
    plan->parts = gpi_divide_up(length, plan->part_n);
    plan->slots = plan->parts < 2 ? 0 : rows ? rows * plan->parts : 2 * (n / plan->part_n) + 2;
    plan->list_n = plan->merges ? plan->part_n : k;
}

/* A sample of a row of n items, with a bound that about 1.5 k items are within, and a few more. */
static inline void GPI(plan_sample)(GPI(plan) *plan, size_t n, size_t k)
{
    const size_t chunk_n = GPI(chunk_items)(k);
    const double each = (double)n / (double)(chunk_n * k); /* chunks for each item that is wanted, or more */

    plan->chunks = GPI_TUNE_TOP_K_SAMPLES;
    while (plan->chunks > n / (2 * chunk_n) || plan->chunks > 32 * GPI(most_groups) ||
           (double)plan->chunks > GPI(room) / 32 * each)
        plan->chunks /= 2;
    const double wanted = (double)plan->chunks / each; /* of the sample; about once in a billion they are `rank` */
    const size_t rank = (size_t)(wanted < 7 ? 2.5 * wanted + 11 : 1.5 * wanted + 18);
    plan->groups = gpi_smaller_size(plan->chunks, gpi_larger_size(plan->chunks / 32, GPI(most_groups) / 4));
    plan->rank = gpi_smaller_size(rank, plan->groups);
    /* Even if those in a chunk are neighbours. */
    plan->capacity = (4 * plan->rank / 3 + 34) * (n / plan->chunks + 1);
}

/* Candidates that a filter may leave of up to n items: more than it will. */
static inline size_t GPI(most_candidates)(size_t n, size_t k)
{
    const size_t items = GPI(chunk_items)(k) * k;
    const size_t least = gpi_larger_size(4 * GPI(chunk_items)(k), 64 * items / GPI(room));
    const size_t most = gpi_smaller_size(GPI_TUNE_TOP_K_SAMPLES, 32 * (size_t)GPI(most_groups));

    return 5 * items / 2 + 400 + 60 * (gpi_larger_size(least, n / most) + 1);
}

/* Room for the lists of up to so many candidates, and of a sample. */
static inline size_t GPI(filter_lists)(size_t capacity, size_t k)
{
    return GPI(most_groups) + (k > GPI(max_selected) ? capacity + k + (size_t)GPI(max_selected) : 0);
}

/* Items of lists that are not too much to select from. */
static inline size_t GPI(most_listed)(size_t k)
{
    return (size_t)GPI(room) / (k < (size_t)GPI(room) / 8 ? 1 : 2);
}

/*
 * Whether rows of n items, of which an array is one, are sampled first: when the lists of parts would be too much, or
 * an array is too large for teams.
 */
static inline int GPI(wants_filter)(size_t rows, size_t n, size_t k)
{
    const int forced = GP_KERNEL == GP_KERNEL_TOP_K_FILTER || GP_KERNEL == GP_KERNEL_TOP_K_RESCUE;
    const int selects = k <= GPI(max_selected), few_rows = rows > 0 && rows < GPI_TUNE_TOP_K_PARTS;
    const size_t share = selects || rows == 1 ? 16 : 4; /* an array of which more is wanted is sorted */

    if (!(selects ? few_rows : rows > 0) || k >= n / share || n >= UINT32_MAX)
        return 0;
    if (GP_KERNEL != 0)
        return forced && n >= 1024;
    if (!selects || (rows == 1 && n > GPI_TUNE_TOP_K_TEAM_MOST))
        return 1; /* leaves less to merge, or reads faster than blocks that bound their parts themselves */
    const size_t part_n = gpi_larger_size(GPI_TUNE_TOP_K_PART, 2 * k);
    const size_t parts = gpi_smaller_size(GPI_TUNE_TOP_K_PARTS / rows, n / part_n);
    return parts * k > GPI(most_listed)(k);
}

/* How many of up to so many rows of n items are sampled first at most: the more there are, the fewer parts each has. */
static inline size_t GPI(most_filtered)(size_t rows, size_t n, size_t k)
{
    const size_t parts = k ? GPI(most_listed)(k) / k + 1 : SIZE_MAX;
    const size_t most = GP_KERNEL ? GPI_TUNE_TOP_K_PARTS - 1 : GPI_TUNE_TOP_K_PARTS / parts;

    rows = GPI(wants_filter)(rows, n, k) ? rows : gpi_smaller_size(rows, gpi_larger_size(most, 1));
    rows = GPI(wants_filter)(rows, n, k) ? rows : rows > 0;
    return GPI(wants_filter)(rows, n, k) ? rows : 0;
}

/* The largest array that is sorted as a whole if k of its items are wanted: that is faster, the smaller keys are. */
static inline size_t GPI(most_sorted)(size_t k)
{
    const size_t smaller = sizeof(GP_KEY) < 4 ? 4 / sizeof(GP_KEY) : 1;
    const size_t most = GPI_TUNE_TOP_K_SORT * smaller * smaller * smaller;

    if (k > GPI(max_selected))
        return gpi_larger_size(most, gpi_multiply_sizes(24, k));
    return k <= GPI(most_sorted_as_is) ? 0 : GPI_KEY_IS_NARROW ? most : most / 2;
}

/* Whether an array is sorted as a whole: if much is wanted, also one of more items than can be filtered. */
static inline int GPI(wants_sort)(size_t rows, size_t n, size_t k)
{
    const int is_far = k > GPI(max_selected) && n >= UINT32_MAX;

    return rows == 1 && GP_KERNEL == 0 && n > GPI(warp_n) && (n <= GPI(most_sorted)(k) || is_far);
}

/* Workspace for the sort of n items: what is sorted, and that of the sort. */
static inline size_t GPI(sort_bytes)(size_t n)
{
    const size_t value_bytes = GPI_RADIX_PAIRS ? sizeof(GPI_RADIX_VALUE) : 0;

    return gpi_add_sizes(gpi_add_sizes(gpi_array_bytes(n, sizeof(GP_KEY)), gpi_array_bytes(n, value_bytes)),
                         gpi_align_up(GPI_TOP_K_RADIX(radix_sort_workspace_bytes)(n)));
}

/* `rows` is 0 by offsets. */
static inline GPI(plan) GPI(plan_of)(size_t n, size_t rows, size_t k)
{
    const size_t length = rows ? n / rows : n;
    GPI(plan) plan;

    memset((void *)&plan, 0, sizeof plan);
    plan.candidate_bytes = GPI_KEY_IS_NARROW && length < UINT32_MAX ? 8 : 16;
    k = k < length ? k : length;
    plan.merges = k > GPI(max_selected) || GP_KERNEL == GP_KERNEL_TOP_K_MERGE;
    plan.filters = GPI(wants_filter)(rows, length, k);
    GPI(divide)(&plan, n, rows, k);
    plan.lists_n = plan.slots == 0 ? 0 : plan.merges ? n : plan.slots * k;
    if (plan.filters) {
        GPI(plan_sample)(&plan, length, k);
        plan.lists_n = rows * GPI(filter_lists)(plan.capacity, k);
    }
    plan.bytes = gpi_array_bytes(rows * plan.capacity, plan.candidate_bytes);
    plan.bytes += plan.filters ? gpi_array_bytes(rows, sizeof(unsigned long long)) : 0;
    plan.bytes += 2 * gpi_array_bytes(plan.lists_n, plan.candidate_bytes);
    return plan;
}

/* Workspace for items that are not sorted: what the largest call of up to n of them in up to so many rows needs. */
static inline size_t GPI(selection_workspace)(size_t n, size_t rows, size_t k)
{
    const size_t length = rows > 1 ? n / rows : n, few = gpi_smaller_size(length, UINT32_MAX - 1);
    const size_t candidate_bytes = GPI_KEY_IS_NARROW && length < UINT32_MAX ? 8 : 16;
    size_t filter = 0, items;

    k = k < length ? k : length;
    if (k > GPI(max_selected) || GP_KERNEL == GP_KERNEL_TOP_K_MERGE) {
        items = n;
        if (rows && length < UINT32_MAX && GP_KERNEL != GP_KERNEL_TOP_K_MERGE) /* longer ones are filtered */
            items = gpi_multiply_sizes(rows, gpi_smaller_size(length, (rows == 1 ? 16 : 4) * (k + 1)));
        if (length <= GPI(room) || (rows == 1 && GP_KERNEL == 0))
            items = 0; /* an array is sorted, or filtered */
    } else {
        items = length <= gpi_larger_size(GPI_TUNE_TOP_K_PART, 2 * k) ? 0
                                                                     : (2 * (GPI_TUNE_TOP_K_PARTS + (n >> 31)) + 2) * k;
    }
    const size_t filtered = GPI(most_filtered)(rows, few, k);
    if (filtered) {
        const size_t capacity = GPI(most_candidates)(few, k), lists_n = GPI(filter_lists)(capacity, k);

        filter = gpi_multiply_sizes(2, gpi_array_bytes(gpi_multiply_sizes(filtered, lists_n), candidate_bytes));
        filter = gpi_add_sizes(filter, gpi_array_bytes(gpi_multiply_sizes(filtered, capacity), candidate_bytes));
        filter = gpi_add_sizes(filter, gpi_array_bytes(filtered, sizeof(unsigned long long)));
    }
    return gpi_larger_size(filter, gpi_multiply_sizes(2, gpi_array_bytes(items, candidate_bytes)));
}

/* A team, and what gives its bound. */
typedef struct {
    unsigned threads; /* a power of two; 0: no team can select from so many items */
    uint32_t needed;  /* vectors that have to be within the bound, or 0: k threads */
    uint32_t room;    /* for entries */
} GPI(team_shape);

/* The fewest items whose vectors can give a bound for the k best of them. */
static inline size_t GPI(vector_items)(size_t k)
{
    return (5 * (size_t)GPI(enough)((uint32_t)k) / 3 + 2) * (size_t)GPI(row_vector_n);
}

/* Whether threads can give the bound. */
static inline int GPI(threads_bound)(size_t k)
{
    return GPI(is_bounded_by)(GPI(threads), k, GPI(threads));
}

/* The team for each of some parts of up to n items, which may be lists of k in order. */
static inline GPI(team_shape) GPI(shape_team)(size_t teams, size_t n, size_t k, int in_lists)
{
    const size_t each = (size_t)GPI(most_in_row) / GPI(threads), vector_n = (size_t)GPI(row_vector_n);
    GPI(team_shape) shape = {32, 0, 0};

    if (!GPI(threads_bound)(k)) {
        const size_t lists = n / k + 2; /* neighbouring vectors of each of them but the last are within */

        shape.needed = (uint32_t)(in_lists ? gpi_divide_up(k, vector_n) + 2 * lists : k);
        shape.room = GPI(vector_room)(k);
        while (shape.threads < GPI(least_team) || shape.threads * each < n)
            shape.threads *= 2;
        if (shape.threads > GPI(threads) || GPI(team_bytes)(shape.threads, shape.room) > GPI(most_team_bytes) ||
            (!in_lists && n < GPI(vector_items)(k) + 2 * vector_n))
            shape.threads = 0;
        return shape;
    }
    while (!GPI(is_bounded_by)(GPI(threads), k, shape.threads) || n > shape.threads * each)
        shape.threads *= 2;
    if (shape.threads == 32 && teams < GPI_TUNE_TOP_K_FEW_ROWS && 2 * n > shape.threads * each)
        shape.threads = 64; /* what one takes counts */
    shape.room = GPI(team_room)(shape.threads, k);
    shape.threads = shape.threads <= GPI(threads) ? shape.threads : 0;
    return shape;
}

/* Parts that a row of n items has, each of which a team selects from. */
static inline size_t GPI(team_parts)(size_t rows, size_t n, size_t k)
{
    const size_t most = (size_t)GPI(most_in_row);
    size_t parts = gpi_smaller_size(GPI_TUNE_TOP_K_TEAMS / rows, n / GPI_TUNE_TOP_K_TEAM_ITEMS);

    if (n <= most)
        return 1;
    parts = gpi_smaller_size(parts, most / k); /* so that the next round is the last one */
    if (!GPI(threads_bound)(k))
        parts = gpi_smaller_size(parts, n / (GPI(vector_items)(k) + 4 * (size_t)GPI(row_vector_n)));
    return gpi_larger_size(parts, gpi_divide_up(n, most));
}

/* The items of the largest part. */
static inline size_t GPI(team_items)(size_t n, size_t parts)
{
    return gpi_divide_up(gpi_divide_up(n, (size_t)GPI(row_vector_n)), parts) * (size_t)GPI(row_vector_n);
}

/* The longest rows that teams select from in rounds. */
static inline size_t GPI(most_for_teams)(size_t rows, size_t k)
{
    const size_t most = GPI(threads_bound)(k) ? GPI_TUNE_TOP_K_TEAM_MOST : GPI_TUNE_TOP_K_TEAM_MOST / 16;

    return rows ? gpi_larger_size(most / rows, (size_t)GPI(most_in_row)) : 0;
}

/* Whether teams select from rows of n items. */
static inline int GPI(wants_teams)(size_t rows, size_t n, size_t k)
{
    if (GP_KERNEL != 0 || k == 0 || k > GPI(max_selected) || n <= GPI(warp_n) || rows > GPI_MAX_TILES)
        return 0;
    if (rows == 1 && n > GPI_TUNE_TOP_K_VECTORS_MOST && !GPI(threads_bound)(k))
        return 0;
    const size_t parts = GPI(team_parts)(rows, n, k), teams = gpi_multiply_sizes(rows, parts);
    if (GPI(wants_sort)(rows, n, k) && !GPI(threads_bound)(k) && (n > (size_t)GPI(most_in_row) || k > n / 12))
        return 0;
    return n <= GPI(most_for_teams)(rows, k) && teams <= GPI_MAX_TILES && teams <= GP_GRID &&
           GPI(shape_team)(teams, GPI(team_items)(n, parts), k, 0).threads;
}

/* The team for each of some rows of n items that are taken whole. */
static inline GPI(team_shape) GPI(shape_whole)(size_t n)
{
    const size_t items = GPI(whole_items);
    GPI(team_shape) shape = {32, 0, (uint32_t)n};

    while (shape.threads < GPI(threads) && items * shape.threads < n)
        shape.threads = shape.threads == 32 ? (unsigned)GPI(least_team) : 2 * shape.threads;
    if (shape.threads > GPI(threads) || n > 2 * items * shape.threads ||
        GPI(team_bytes)(shape.threads, shape.room) > GPI(most_whole_bytes))
        shape.threads = 0;
    return shape;
}

/* Whether rows are taken whole: if so much of them is wanted that a bound would leave out little. */
static inline int GPI(wants_whole)(size_t rows, size_t n, size_t k)
{
    const unsigned threads = GPI(shape_whole)(n).threads;

    if (GP_KERNEL != 0 || rows < 2 || rows > GPI_MAX_TILES || rows > GP_GRID || n <= 32 || threads == 0)
        return 0;
    if (n <= GPI(warp_n))
        return !GPI(is_bounded_by)(n, k, 32);
    if (threads == 32)
        return 1;
    if (GPI(threads_bound)(k))
        return !GPI(is_bounded_by)(n, k, 32) && n <= GPI_TUNE_TOP_K_WHOLE * k;
    return !GPI(shape_team)(rows, n, k, 0).threads;
}

/* Workspace for lists of so many items. */
static inline size_t GPI(team_list_bytes)(size_t items)
{
    return gpi_add_sizes(gpi_array_bytes(items, sizeof(GP_KEY)), gpi_array_bytes(items, sizeof(uint32_t)));
}

/*
 * Workspace for the rounds of teams that select from up to so many rows of up to n items. There are as many parts as
 * are worth a team, or as few as teams can select from: most_for_teams(rows) / most_in_row of each row, rounded up.
 */
static inline size_t GPI(teams_workspace)(size_t rows, size_t n, size_t k)
{
    const size_t most = (size_t)GPI(most_in_row), all = GPI(most_for_teams)(1, k) / most;

    if (GP_KERNEL != 0 || rows == 0 || k == 0 || k > GPI(max_selected) || n <= most ||
        !GPI(shape_team)(1, most, k, 0).threads)
        return 0;
    const size_t items = gpi_multiply_sizes(rows, n / GPI_TUNE_TOP_K_TEAM_ITEMS);
    const size_t few = gpi_multiply_sizes(rows, gpi_divide_up(n, most));
    const size_t parts = gpi_larger_size(gpi_smaller_size(items, GPI_TUNE_TOP_K_TEAMS),
                                         gpi_smaller_size(few, all + gpi_smaller_size(rows, all + 1)));

    return 2 * GPI(team_list_bytes)(parts * k);
}

/* Workspace for any call of these sizes: what the largest call of up to n items in up to so many rows needs. */
static inline size_t GPI(workspace)(size_t n, size_t rows, size_t k)
{
    const size_t length = rows > 1 ? n / rows : n;
    const size_t least = rows != 0; /* a single row may be sorted */
    const size_t sorted = GPI(wants_sort)(least, length, k) ? length : gpi_smaller_size(length, GPI(most_sorted)(k));
    const size_t sort = GPI(wants_sort)(least, sorted, k) ? GPI(sort_bytes)(sorted) : 0;
    const size_t bytes = gpi_larger_size(sort, GPI(teams_workspace)(rows, length, k));

    return sort && sorted == n ? bytes : gpi_larger_size(bytes, GPI(selection_workspace)(n, rows, k));
}

/* What a call has: candidates, two arrays of lists, the counts of candidates. */
typedef struct {
    GPI(plan) plan;
    uint64_t *candidates, *lists[2];
    unsigned long long *count;
    int dependent;
    cudaStream_t stream;
} GPI(steps);

static inline cudaError_t GPI(launch)(const GPI(steps) *steps, const GPI(job) *job, int merges)
{
    const size_t units = merges ? job->slots * GPI(part_units) : job->units;
    const unsigned blocks = (unsigned)gpi_smaller_size(units, gpi_smaller_size(GPI_MAX_TILES, GP_GRID));

    if (merges)
        return GPI_LAUNCH_DEPENDENT(steps->dependent, GPI(merge_kernel), blocks, (unsigned)GPI(merge_threads),
                                    sizeof(GPI(merge)), steps->stream, *job);
    return GPI_LAUNCH_DEPENDENT(steps->dependent, GPI(parts_kernel), blocks, (unsigned)GPI(threads),
                                sizeof(GPI(block)), steps->stream, *job);
}

/* Candidates that a block selects k from; if k is small, what has a place in its shared memory. */
static inline size_t GPI(candidates_for)(size_t k)
{
    return k <= GPI(room) / 16 && GPI(room) < GPI_TUNE_TOP_K_LISTS ? (size_t)GPI(room) : GPI_TUNE_TOP_K_LISTS;
}

/* Selects from what the job says, in rounds; the array of the last lists becomes job->in. */
static inline cudaError_t GPI(run_rounds)(const GPI(steps) *steps, GPI(job) *job, size_t parts, int merges)
{
    const size_t lists = GPI(candidates_for)(job->k) / job->k, ways = (size_t)GPI(ways);
    const size_t joined = merges ? ways : lists < 2 ? 2 : lists;
    cudaError_t error;

    job->step = 0;
    job->next = 1;
    job->out = steps->lists[0];
    error = GPI(launch)(steps, job, 0);
    job->source = GPI_TOP_K_LISTS;
    job->units = job->slots;
    for (int round = 0; job->next < parts && error == cudaSuccess; round ^= 1) {
        job->in = steps->lists[round];
        job->out = steps->lists[round ^ 1];
        job->step = job->next;
        job->next = gpi_smaller_size(job->next * joined, (size_t)1 << 31);
        error = GPI(launch)(steps, job, merges);
    }
    job->in = job->out;
    return error;
}

/*
 * Bounds each row by a sample, and leaves the candidates within it in an array. Writes the results, unless more are
 * wanted than a block selects; then the candidates are to be merged.
 */
static inline cudaError_t GPI(run_filter)(const GPI(steps) *steps, GPI(job) *job)
{
    const GPI(plan) *plan = &steps->plan;
    const size_t rows = job->segments, blocks = gpi_divide_up(GPI_TUNE_TOP_K_PARTS, rows); /* of a row */
    const size_t share = gpi_divide_up(job->length, blocks); /* of a block, in so many parts: */
    const size_t turns = gpi_larger_size(gpi_smaller_size(share / GPI(filter_tile), 16), 1);
    const size_t sampling = gpi_divide_up(rows * plan->chunks, (size_t)GPI(sample_threads));
    const size_t most = gpi_smaller_size(GPI_MAX_TILES, GP_GRID);
    cudaError_t error;

    job->chunk_n = (uint32_t)GPI(chunk_items)(job->k);
    job->chunk_bits = GPI(bits_of)(plan->chunks);
    job->group_bits = GPI(bits_of)(plan->groups);
    job->rank = (uint32_t)plan->rank;
    job->capacity = plan->capacity;
    job->count = steps->count;
    job->out = steps->lists[0];
    error = GPI_LAUNCH_DEPENDENT(steps->dependent, GPI(sample_kernel), (unsigned)gpi_smaller_size(sampling, most),
                                 (unsigned)GPI(sample_threads), 0, steps->stream, *job);
    job->in = job->out;
    job->out = steps->candidates;
    job->part_n = gpi_larger_size(gpi_divide_up(gpi_divide_up(share, turns), 128) * 128, GPI(least_filtered));
    job->parts = gpi_smaller_size(blocks, gpi_divide_up(job->length, job->part_n));
    job->slots = job->units = rows * job->parts;
    if (error == cudaSuccess)
        error = GPI_LAUNCH_DEPENDENT(steps->dependent, GPI(filter_kernel), (unsigned)gpi_smaller_size(job->units, most),
                                     (unsigned)GPI(threads), sizeof(GPI(block)), steps->stream, *job);
    job->in = steps->candidates;
    job->room = plan->merges ? 0 : GPI(finish_room)(job->k);
    if (error == cudaSuccess)
        error = GPI_LAUNCH_DEPENDENT(steps->dependent, GPI(finish_kernel), (unsigned)rows, (unsigned)GPI(threads),
                                     GPI(finish_bytes)(job->room), steps->stream, *job);
    job->source = GPI_TOP_K_CANDIDATES;
    job->part_n = (size_t)GPI(room) / (rows * plan->capacity <= GPI_TUNE_TOP_K_FEW_MERGED ? 4 : 1);
    job->part_bits = GPI(bits_of)(job->part_n);
    job->list_n = job->part_n;
    job->parts = gpi_divide_up(plan->capacity, job->part_n);
    job->slots = job->units = rows * job->parts;
    return error;
}

/* A call whose arguments are right; `rows` is 0 by offsets. */
static inline cudaError_t GPI(run)(const char *function, GPI(job) *job, size_t rows, gp_workspace *ws,
                                   cudaStream_t stream)
{
    static signed char known[3][GPI_DEVICES];
    const int ready = gpi_kernel_ready((const void *)GPI(parts_kernel), sizeof(GPI(block)), known[0]) &
                      gpi_kernel_ready((const void *)GPI(filter_kernel), sizeof(GPI(block)), known[1]) &
                      gpi_kernel_ready((const void *)GPI(finish_kernel), GPI(most_team_bytes), known[2]);
    const size_t group = gpi_divide_up(job->segments, GPI_TUNE_TOP_K_PARTS * 2);
    GPI(steps) steps;
    gpi_scratch scratch;
    cudaError_t error;

    steps.plan = GPI(plan_of)(job->n, rows, job->k);
    steps.dependent = (ready & GPI_KERNEL_SM90) != 0;
    steps.stream = stream;
    const GPI(plan) *plan = &steps.plan;
    error = gpi_tagged_scratch_acquire(&scratch, ws, 0, ws ? GPI(workspace)(job->n, rows, job->k) : plan->bytes, stream,
                                       function);
    if (error != cudaSuccess)
        return error;
    char *memory = scratch.memory;
    steps.candidates = (uint64_t *)(void *)memory;
    memory += gpi_array_bytes(rows * plan->capacity, plan->candidate_bytes);
    for (int i = 0; i < 2; i++, memory += gpi_array_bytes(plan->lists_n, plan->candidate_bytes))
        steps.lists[i] = (uint64_t *)(void *)memory;
    steps.count = (unsigned long long *)(void *)memory;
    job->by_place = job->length < UINT32_MAX;
    job->part_n = plan->part_n;
    job->part_bits = plan->part_bits;
    job->parts = plan->parts;
    job->list_n = plan->list_n;
    job->slots = plan->slots;
    job->group = group < GPI_TUNE_TOP_K_GROUP ? (unsigned)group : GPI_TUNE_TOP_K_GROUP;
    job->in_order = plan->merges || !job->by_place;
    if (rows)
        job->group = job->length > GPI(warp_n) ? 1 : (unsigned)gpi_smaller_size(group, 1u << 20);
    job->units = job->slots;
    if (rows == 0 || job->slots == 0)
        job->units += gpi_divide_up(job->segments, job->group);
    if (plan->filters)
        error = GPI(run_filter)(&steps, job);
    if (error == cudaSuccess && (plan->merges || !plan->filters))
        error = GPI(run_rounds)(&steps, job, plan->filters ? job->parts : plan->parts, plan->merges);
    return gpi_scratch_release(&scratch, error, stream);
}

/* A round of teams. */
static inline cudaError_t GPI(launch_teams)(GPI(job) *job, cudaStream_t stream)
{
    static signed char known[GPI_DEVICES];
    const int dependent =
        (gpi_kernel_ready((const void *)GPI(row_kernel), GPI(most_team_bytes), known) & GPI_KERNEL_SM90) != 0;
    const size_t vectors = gpi_divide_up(job->row_n, (size_t)GPI(row_vector_n));

    job->part_n = vectors / job->parts * GPI(row_vector_n);
    job->longer = (uint32_t)(vectors % job->parts);
    job->units = job->segments * job->parts;
    const GPI(team_shape) shape =
        GPI(shape_team)(job->units, GPI(team_items)(job->row_n, job->parts), job->k, job->places != NULL);
    job->group = shape.threads == 32 ? GPI(block_rows) : 1;
    job->needed = shape.needed;
    job->room = shape.room;
    return GPI_LAUNCH_DEPENDENT(dependent, GPI(row_kernel), (unsigned)gpi_divide_up(job->units, job->group),
                                shape.threads * job->group, job->group * GPI(team_bytes)(shape.threads, shape.room),
                                stream, *job);
}

/* What the device can do with the kernel that takes rows whole. */
static inline int GPI(whole_ready)(void)
{
    static signed char known[GPI_DEVICES];

    return gpi_kernel_ready((const void *)GPI(whole_kernel), GPI(most_whole_bytes), known);
}

/* Rows that are taken whole. The workspace is not used: elsewhere, a call of these sizes may need it. */
static inline cudaError_t GPI(run_whole)(const char *function, GPI(job) *job, gp_workspace *ws, cudaStream_t stream)
{
    const int dependent = (GPI(whole_ready)() & GPI_KERNEL_SM90) != 0;
    const GPI(team_shape) shape = GPI(shape_whole)(job->length);
    gpi_scratch scratch;
    cudaError_t error = gpi_tagged_scratch_acquire(
        &scratch, ws, 0, ws ? GPI(workspace)(job->n, job->segments, job->k) : 0, stream, function);

    if (error != cudaSuccess)
        return error;
    job->row_n = job->length;
    job->parts = 1;
    job->units = job->segments;
    job->group = shape.threads == 32 ? GPI(block_rows) : 1;
    job->room = shape.room;
    error = GPI_LAUNCH_DEPENDENT(dependent, GPI(whole_kernel), (unsigned)gpi_divide_up(job->units, job->group),
                                 shape.threads * job->group, job->group * GPI(team_bytes)(shape.threads, shape.room),
                                 stream, *job);
    return gpi_scratch_release(&scratch, error, stream);
}

/* Rows, or the parts of rows, that teams select from: in rounds, until there is one list of each row. */
static inline cudaError_t GPI(run_teams)(const char *function, GPI(job) *job, gp_workspace *ws, cudaStream_t stream)
{
    const size_t rows = job->segments, k = job->k, parts = GPI(team_parts)(rows, job->length, k);
    const size_t bytes = parts > 1 ? GPI(team_list_bytes)(rows * parts * k) : 0; /* of a round that is not the last */
    const size_t all = ws ? GPI(workspace)(job->n, rows, k) : 2 * bytes;
    GP_KEY *const results = job->keys_out;
    gpi_scratch scratch;
    cudaError_t error = gpi_tagged_scratch_acquire(&scratch, ws, 0, all, stream, function);

    if (error != cudaSuccess)
        return error;
    job->row_n = job->length;
    for (size_t round = 0; error == cudaSuccess; round ^= 1) {
        char *keys = scratch.memory + round * bytes;

        job->parts = GPI(team_parts)(rows, job->row_n, k);
        const size_t items = rows * job->parts * k;
        uint32_t *places = (uint32_t *)(void *)(keys + gpi_array_bytes(items, sizeof(GP_KEY)));
        job->keys_out = job->parts > 1 ? (GP_KEY *)(void *)keys : results;
        job->places_out = job->parts > 1 ? places : NULL;
        error = GPI(launch_teams)(job, stream);
        if (job->parts == 1)
            break;
        job->keys = job->keys_out;
        job->places = places;
        job->row_n = job->parts * k;
    }
    return gpi_scratch_release(&scratch, error, stream);
}

/* An array that is sorted as a whole. */
static inline cudaError_t GPI(run_sort)(const char *function, const GPI(job) *job, gp_workspace *ws,
                                        cudaStream_t stream)
{
    static signed char known[GPI_DEVICES];
    const int dependent = (gpi_kernel_ready((const void *)GPI(sorted_kernel), 0, known) & GPI_KERNEL_SM90) != 0;
    const size_t n = job->n, bytes = GPI(sort_bytes)(n), wanted = gpi_divide_up(job->k, GPI(short_threads));
    const unsigned blocks = (unsigned)gpi_smaller_size(wanted, gpi_smaller_size(GPI_MAX_TILES, GP_GRID));
    gp_workspace inner = GP_WORKSPACE_INIT;
    GPI(job) sorted = *job;
    gpi_scratch scratch;
    cudaError_t error;

    error = gpi_tagged_scratch_acquire(&scratch, ws, 0, ws ? GPI(workspace)(n, 1, job->k) : bytes, stream, function);
    if (error != cudaSuccess)
        return error;
    GP_KEY *keys = (GP_KEY *)(void *)scratch.memory;
    char *memory = scratch.memory + gpi_array_bytes(n, sizeof(GP_KEY));
    GPI_RADIX_VALUE *values = (GPI_RADIX_VALUE *)(void *)memory;
    memory += GPI_RADIX_PAIRS ? gpi_array_bytes(n, sizeof(GPI_RADIX_VALUE)) : 0;
    error = gp_workspace_wrap(&inner, memory, bytes - (size_t)(memory - scratch.memory), stream);
    sorted.keys = keys;
    sorted.values = values;
    if (error == cudaSuccess)
        error = GPI_TOP_K_SORT(job, keys, values, n, &inner, stream);
    if (error == cudaSuccess)
        error = GPI_LAUNCH_DEPENDENT(dependent, GPI(sorted_kernel), blocks, (unsigned)GPI(short_threads), 0, stream,
                                     sorted);
    return gpi_scratch_release(&scratch, error, stream);
}

/* Rows that warps select from. */
static inline cudaError_t GPI(run_short)(const GPI(job) *job, cudaStream_t stream)
{
    static signed char known[GPI_DEVICES];
    const int dependent = (gpi_kernel_ready((const void *)GPI(short_kernel), 0, known) & GPI_KERNEL_SM90) != 0;
    const size_t warps = GPI(short_threads) / 32;
    const unsigned blocks = gpi_resident_blocks(GPI_TUNE_TOP_K_SHORT, gpi_divide_up(job->segments, warps), GP_GRID);

    return GPI_LAUNCH_DEPENDENT(dependent, GPI(short_kernel), blocks, (unsigned)GPI(short_threads), 0, stream, *job);
}

/*
 * What all functions check: arrays of n items and of `results`, and, by offsets, these. For a NULL, the message says
 * that the parameter `count` is `given`.
 */
static inline cudaError_t GPI(check)(const char *function, const GPI(job) *job, const char *count, size_t given,
                                     size_t results)
{
    const size_t key_bytes = sizeof(GP_KEY), value_bytes = GPI_RADIX_PAIRS ? sizeof(GPI_RADIX_VALUE) : 0;
    const int by_offsets = job->offsets != NULL; /* what is read and written is unknown then */
    const gpi_argument used[] = {
        {"kin", job->keys, by_offsets ? 1 : job->n * key_bytes, GPI_READ, 0},
        {"kout", job->keys_out, by_offsets ? 1 : results * key_bytes, GPI_WRITTEN, 0},
        {"vin", job->values, by_offsets ? value_bytes != 0 : job->n * value_bytes, GPI_READ, 0},
        {"vout", job->values_out, by_offsets ? value_bytes != 0 : results * value_bytes, GPI_WRITTEN, 0},
        {"offsets", job->offsets, (job->segments + 1) * sizeof(GP_INDEX), GPI_READ, 0}};

    return gpi_check_arrays(function, used, by_offsets ? 5 : 4, 2, count, given);
}

/* clang-format off */
#ifdef GP_VALUE
#define GPI_TOP_K_PARAMETERS const GP_KEY *kin, GP_KEY *kout, const GP_VALUE *vin, GP_VALUE *vout
#define GPI_TOP_K_ARGUMENTS  kin, kout, vin, vout
#else
#define GPI_TOP_K_PARAMETERS const GP_KEY *kin, GP_KEY *kout
#define GPI_TOP_K_ARGUMENTS  kin, kout, NULL, NULL
#endif
/* clang-format on */

static inline GPI(job) GPI(job_of)(const GP_KEY *kin, GP_KEY *kout, const GPI_RADIX_VALUE *vin, GPI_RADIX_VALUE *vout,
                                   size_t n, size_t k)
{
    GPI(job) job;

    memset((void *)&job, 0, sizeof job);
    job.keys = kin;
    job.keys_out = kout;
    job.values = vin;
    job.values_out = vout;
    job.n = n;
    job.k = k;
    return job;
}

/* The larger of an item's two parts. */
enum {
    GPI(item_bytes) = GPI_RADIX_PAIRS && sizeof(GPI_RADIX_VALUE) > sizeof(GP_KEY) ? sizeof(GPI_RADIX_VALUE)
                                                                                  : sizeof(GP_KEY)
};

GP_API size_t GPI_PUBLIC(top_k_workspace_bytes)(size_t n, size_t k)
{
    return gpi_workspace_request(GPI(workspace)(n, 1, k));
}

GP_API size_t GPI_PUBLIC(segmented_top_k_workspace_bytes)(size_t n, size_t segments, size_t k)
{
    (void)segments;
    return gpi_workspace_request(GPI(workspace)(n, 0, k));
}

GP_API size_t GPI_PUBLIC(row_top_k_workspace_bytes)(size_t rows, size_t length, size_t k)
{
    const size_t n = gpi_multiply_sizes(rows, length);

    return n == SIZE_MAX ? n : gpi_workspace_request(GPI(workspace)(n, rows, k));
}

/* Rows, of which an array is one. */
static inline cudaError_t GPI(by_rows)(const char *function, GPI(job) *job, size_t rows, size_t length, int is_array,
                                       gp_workspace *ws, cudaStream_t stream)
{
    const size_t k = job->k;
    cudaError_t error = gpi_check_count(function, is_array ? "n" : "rows * length", job->n, GPI_MOST_OF(GP_INDEX),
                                        GPI(item_bytes));

    if (error == cudaSuccess && k > length)
        error = gpi_check_count(function, "k", k, length, 1);
    if (error != cudaSuccess || job->n == 0 || k == 0)
        return error;
    job->segments = rows;
    job->length = length;
    error = GPI(check)(function, job, is_array ? "n" : "rows", is_array ? length : rows, rows * k);
    if (error != cudaSuccess)
        return error;
    if (GPI(wants_whole)(rows, length, k) && (GPI(whole_ready)() & GPI_KERNEL_FITS))
        return GPI(run_whole)(function, job, ws, stream);
    if (GP_KERNEL == 0 && length <= GPI(warp_n))
        return GPI(run_short)(job, stream);
    if (GPI(wants_teams)(rows, length, k))
        return GPI(run_teams)(function, job, ws, stream);
    if (GPI(wants_sort)(rows, length, k))
        return GPI(run_sort)(function, job, ws, stream);
    return GPI(run)(function, job, rows, ws, stream);
}

/* The first k items of the sorted order. */
GP_API cudaError_t GPI_PUBLIC(top_k)(GPI_TOP_K_PARAMETERS, size_t n, size_t k, gp_workspace *ws, cudaStream_t stream)
{
    GPI(job) job = GPI(job_of)(GPI_TOP_K_ARGUMENTS, n, k);

    return GPI(by_rows)(GPI_TEXT(top_k), &job, 1, n, 1, ws, stream);
}

/* Those of each row. */
GP_API cudaError_t GPI_PUBLIC(row_top_k)(GPI_TOP_K_PARAMETERS, size_t rows, size_t length, size_t k, gp_workspace *ws,
                                         cudaStream_t stream)
{
    GPI(job) job = GPI(job_of)(GPI_TOP_K_ARGUMENTS, gpi_multiply_sizes(rows, length), k);

    return GPI(by_rows)(GPI_TEXT(row_top_k), &job, rows, length, 0, ws, stream);
}

/* Those of each segment. */
GP_API cudaError_t GPI_PUBLIC(segmented_top_k)(GPI_TOP_K_PARAMETERS, size_t n, const GP_INDEX *offsets, size_t segments,
                                               size_t k, gp_workspace *ws, cudaStream_t stream)
{
    const char *function = GPI_TEXT(segmented_top_k);
    GPI(job) job = GPI(job_of)(GPI_TOP_K_ARGUMENTS, n, k);
    cudaError_t error = gpi_check_count(function, "n", n, GPI_MOST_OF(GP_INDEX), GPI(item_bytes));

    if (error == cudaSuccess)
        error = gpi_check_count(function, "segments", segments, SIZE_MAX - 1, 8);
    if (error == cudaSuccess)
        error = gpi_check_count(function, "segments * k", gpi_multiply_sizes(segments, k), SIZE_MAX, GPI(item_bytes));
    if (error != cudaSuccess || n == 0 || segments == 0 || k == 0)
        return error;
    if (!offsets)
        return gpi_error_null_of(function, "offsets", "segments", segments);
    job.offsets = offsets;
    job.segments = segments;
    job.length = n;
    error = GPI(check)(function, &job, "segments", segments, segments * k);
    return error != cudaSuccess ? error : GPI(run)(function, &job, 0, ws, stream);
}

#undef GPI_RADIX_PAIRS
#undef GPI_RADIX_VALUE
#undef GPI_ITEM_PARAMETERS
#undef GPI_ITEM_ARGUMENTS
#undef GPI_TOP_K_PARAMETERS
#undef GPI_TOP_K_ARGUMENTS
#undef GPI_TOP_K_IS_PACKED
#undef GPI_TOP_K_RADIX
#undef GPI_TOP_K_SORT

#endif
#include "core/instance/end.cuh"
