/*
 * host/core/merge_runs.cuh: merges sorted runs on the host, part by part. A part, between two ranks
 * of the merged order, is merged independently, so that parts go to several threads.
 *
 *     runs                0 3 5 | 1 3 | 2 3 9          offsets 0 3 5 8
 *     merged              0 1 2 3 3 3 5 9
 *     split at rank 4     0 3 . 5 | 1 . 3 | 2 . 3 9    of equal keys those of an earlier run come first
 *
 * Needs core/instance/begin.cuh, and core/instance/radix_key.cuh as host functions.
 */
#ifdef GP_VALUE
#define GPI_RUNS_PAIRS 1
#define GPI_RUNS_VALUE GP_VALUE
#else
#define GPI_RUNS_PAIRS 0
#define GPI_RUNS_VALUE char
#endif

/* The keys of a sorted run, anywhere in memory. */
typedef struct {
    const GP_KEY *keys;
    size_t n;
} GPI(runs_run);

/* Merges the ranks [first, last) of the runs. */
typedef struct {
    const GP_KEY *keys_in;
    GP_KEY *keys_out;
    const GPI_RUNS_VALUE *values_in;
    GPI_RUNS_VALUE *values_out;
    const size_t *offsets; /* run r is [offsets[r], offsets[r + 1]) */
    size_t runs, first, last;
    void *scratch; /* GPI(runs_scratch)(runs) bytes, aligned to 16 */
} GPI(runs_part);

__extension__ typedef unsigned __int128 gpi_wide_word;

/* Two words and two indices per run. */
static inline size_t GPI(runs_scratch)(size_t runs)
{
    return runs * 2 * (sizeof(gpi_wide_word) + sizeof(size_t));
}

/* The first index in [first, last) whose key comes after `number`. */
static inline size_t GPI(runs_after)(const GP_KEY *keys, size_t first, size_t last, uint64_t number)
{
    while (first < last) {
        size_t middle = first + (last - first) / 2;

        if (GPI(key_order)(keys[middle]) > number)
            last = middle;
        else
            first = middle + 1;
    }
    return first;
}

/*
 * Splits the runs at a rank of the merged order: at[r] is how many items of run r come before it.
 * The number of the key at that rank is found by bisection, while the interval of its equals in
 * each run shrinks. `split_scratch` has two entries per run.
 */
static inline void GPI(runs_split)(const GPI(runs_run) *run, size_t runs, size_t rank, size_t *at,
                                   size_t *split_scratch)
{
    uint64_t low = 0, high = UINT64_MAX >> (64 - GPI_KEY_WIDTH);
    size_t *end = split_scratch, *after = split_scratch + runs, before = 0;

    for (size_t r = 0; r < runs; r++) {
        at[r] = 0;
        end[r] = run[r].n;
    }
    while (low < high && before < rank) {
        uint64_t number = low + (high - low) / 2;
        size_t count = 0;

        for (size_t r = 0; r < runs; r++) {
            after[r] = GPI(runs_after)(run[r].keys, at[r], end[r], number);
            count += after[r];
        }
        if (count > rank) {
            high = number;
            memcpy(end, after, runs * sizeof *end);
        } else {
            low = number + 1;
            before = count;
            memcpy(at, after, runs * sizeof *at);
        }
    }
    for (size_t r = 0; r < runs && before < rank; r++) { /* equal keys, in the order of the runs */
        size_t left = rank - before, equals = end[r] - at[r];
        size_t taken = left < equals ? left : equals;

        at[r] += taken;
        before += taken;
    }
}

/* The words of the tree: a key's number above that of its run, so that one comparison orders both. */
#define GPI_TREE_NAME(word) GPI(narrow_##word)
#define GPI_TREE_WORD uint64_t
#include "merge_tree.cuh"
#define GPI_TREE_NAME(word) GPI(wide_##word)
#define GPI_TREE_WORD gpi_wide_word
#include "merge_tree.cuh"

/* Merges one part. `argument` is a GPI(runs_part); it has the type of a thread's function. */
static inline void *GPI(runs_merge)(void *argument)
{
    const GPI(runs_part) *part = (const GPI(runs_part) *)argument;
    gpi_wide_word *tree = (gpi_wide_word *)part->scratch;
    size_t *split_scratch = (size_t *)tree, *at = (size_t *)(tree + 2 * part->runs),
           *end = at + part->runs, n = part->last - part->first;
    /* The memory of the tree is used for the splits first. */
    GPI(runs_run) *run = (GPI(runs_run) *)(tree + part->runs);

    if (part->runs == 1 && n) {
        const size_t from = part->offsets[0] + part->first;

        memcpy((void *)(part->keys_out + part->first), part->keys_in + from, n * sizeof(GP_KEY));
        if (GPI_RUNS_PAIRS)
            memcpy((void *)(part->values_out + part->first), part->values_in + from,
                   n * sizeof(GPI_RUNS_VALUE));
    } else if (n) {
        for (size_t r = 0; r < part->runs; r++) {
            run[r].keys = part->keys_in + part->offsets[r];
            run[r].n = part->offsets[r + 1] - part->offsets[r];
        }
        GPI(runs_split)(run, part->runs, part->first, at, split_scratch);
        GPI(runs_split)(run, part->runs, part->last, end, split_scratch);
        for (size_t r = 0; r < part->runs; r++) {
            at[r] += part->offsets[r];
            end[r] += part->offsets[r];
        }
        if (GPI_KEY_IS_NARROW)
            GPI(narrow_tree)(part, (uint64_t *)tree, at, end);
        else
            GPI(wide_tree)(part, tree, at, end);
    }
    return NULL;
}
