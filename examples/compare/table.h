/* table.h: what is compared. A new implementation is a runner in runners.h and a row here; a new
 * kind of primitive is a row in `sections` and its reference function in reference.h. */
#ifndef COMPARE_TABLE_H
#define COMPARE_TABLE_H

#include "element.h"
#include "reference.h"

#define RUNNERS_NAME i32
#define RUNNERS_TYPE int
#include "runners.h"

#define RUNNERS_NAME f32
#define RUNNERS_TYPE float
#include "runners.h"

#define RUNNERS_NAME i32
#define RUNNERS_TYPE int
#include "order_runners.h"

#define RUNNERS_NAME u32
#define RUNNERS_TYPE unsigned
#include "order_runners.h"

#define RUNNERS_NAME f32
#define RUNNERS_TYPE float
#define RUNNERS_NO_SORT
#include "order_runners.h"

enum { SECTION_SCAN, SECTION_COMPACT, SECTION_FIND_MAX, SECTION_SORT, SECTION_COUNT };

typedef struct section {
    const char *name;
    const char *title; /* of the banner */
    int random_limit;  /* random data are 0 to random_limit - 1 */
    int has_count;     /* the implementation says how long its result is */
    reference_function *reference;
} section;

static const section sections[SECTION_COUNT] = {
    {"scan", "SCAN TESTS", 50, 0, reference_scan},
    {"stream compaction", "STREAM COMPACTION TESTS", 4, 1, reference_compact},
    {"find-max", "FIND-MAX TESTS", 1000, 0, reference_find_max},
    {"sort", "SORT TESTS", 1000, 0, reference_sort},
};

typedef enum place { ON_HOST, ON_DEVICE } place;

/* How floats are added up: this decides how far they may be from the reference. */
typedef enum fold { FOLD_TREE, FOLD_SERIAL } fold;

/* gp_classic_options: compact_threads and conflict_free */
enum { ALL_THREADS = 0, ACTIVE_THREADS = 1, PADDED_BANKS = 2 };

typedef struct implementation {
    int section;
    const char *name;
    place where;
    fold sums;
    int options;
    runner *run[KERNEL_COUNT]; /* NULL: not for this type */
    runner_scratch *scratch[KERNEL_COUNT];
} implementation;

/* clang-format off */
#define EVERY_TYPE(function)  {i32_##function, i32_##function, f32_##function}
#define EVERY_ORDER(function) {i32_##function, u32_##function, f32_##function}
#define INTEGERS(function)    {i32_##function, u32_##function, NULL}
#define NO_SCRATCH            {NULL, NULL, NULL}
/* clang-format on */

static const implementation implementations[] = {
    {SECTION_SCAN, "cpu scan", ON_HOST, FOLD_SERIAL, ALL_THREADS, EVERY_TYPE(run_cpu_scan),
     NO_SCRATCH},
    {SECTION_SCAN, "cpu threads scan", ON_HOST, FOLD_SERIAL, ALL_THREADS,
     EVERY_TYPE(run_cpu_threads_scan), NO_SCRATCH},
    {SECTION_SCAN, "naive scan", ON_DEVICE, FOLD_TREE, ALL_THREADS, EVERY_TYPE(run_naive_scan),
     EVERY_TYPE(naive_exclusive_scan_workspace_bytes)},
    {SECTION_SCAN, "work-efficient scan", ON_DEVICE, FOLD_TREE, ALL_THREADS,
     EVERY_TYPE(run_work_efficient_scan),
     EVERY_TYPE(work_efficient_exclusive_scan_workspace_bytes)},
    {SECTION_SCAN, "work-efficient scan (active threads only)", ON_DEVICE, FOLD_TREE,
     ACTIVE_THREADS, EVERY_TYPE(run_work_efficient_scan),
     EVERY_TYPE(work_efficient_exclusive_scan_workspace_bytes)},
    {SECTION_SCAN, "shared-memory scan", ON_DEVICE, FOLD_TREE, ALL_THREADS,
     EVERY_TYPE(run_shared_scan), EVERY_TYPE(shared_exclusive_scan_workspace_bytes)},
    {SECTION_SCAN, "shared-memory scan (padded banks)", ON_DEVICE, FOLD_TREE, PADDED_BANKS,
     EVERY_TYPE(run_shared_scan), EVERY_TYPE(shared_exclusive_scan_workspace_bytes)},
    {SECTION_SCAN, "warp-shuffle scan", ON_DEVICE, FOLD_TREE, ALL_THREADS,
     EVERY_TYPE(run_shuffle_scan), EVERY_TYPE(shuffle_exclusive_scan_workspace_bytes)},
    {SECTION_SCAN, "gpuprims scan (scan.cuh)", ON_DEVICE, FOLD_TREE, ALL_THREADS,
     EVERY_TYPE(run_scan), EVERY_TYPE(exclusive_scan_workspace_bytes)},
#ifdef __CUDACC__
    {SECTION_SCAN, "cub scan", ON_DEVICE, FOLD_TREE, ALL_THREADS, EVERY_TYPE(run_cub_scan),
     EVERY_TYPE(cub_scan_scratch)},
#endif
    {SECTION_COMPACT, "cpu compact without scan", ON_HOST, FOLD_SERIAL, ALL_THREADS,
     EVERY_TYPE(run_cpu_compact), NO_SCRATCH},
    {SECTION_COMPACT, "cpu compact with scan", ON_HOST, FOLD_SERIAL, ALL_THREADS,
     EVERY_TYPE(run_cpu_compact_with_scan), NO_SCRATCH},
    {SECTION_COMPACT, "naive map-scan-scatter", ON_DEVICE, FOLD_TREE, ALL_THREADS,
     EVERY_TYPE(run_naive_compact), EVERY_TYPE(naive_compact_workspace_bytes)},
    {SECTION_COMPACT, "work-efficient map-scan-scatter", ON_DEVICE, FOLD_TREE, ACTIVE_THREADS,
     EVERY_TYPE(run_work_efficient_compact), EVERY_TYPE(work_efficient_compact_workspace_bytes)},
    {SECTION_COMPACT, "shared-memory map-scan-scatter", ON_DEVICE, FOLD_TREE, PADDED_BANKS,
     EVERY_TYPE(run_shared_compact), EVERY_TYPE(shared_compact_workspace_bytes)},
    {SECTION_COMPACT, "warp-shuffle map-scan-scatter", ON_DEVICE, FOLD_TREE, ALL_THREADS,
     EVERY_TYPE(run_shuffle_compact), EVERY_TYPE(shuffle_compact_workspace_bytes)},
    {SECTION_COMPACT, "gpuprims compact (compact.cuh)", ON_DEVICE, FOLD_TREE, ALL_THREADS,
     EVERY_TYPE(run_compact), EVERY_TYPE(compact_workspace_bytes)},
#ifdef __CUDACC__
    {SECTION_COMPACT, "cub compact", ON_DEVICE, FOLD_TREE, ALL_THREADS, EVERY_TYPE(run_cub_compact),
     EVERY_TYPE(cub_compact_scratch)},
#endif
    {SECTION_FIND_MAX, "cpu find-max", ON_HOST, FOLD_SERIAL, ALL_THREADS,
     EVERY_ORDER(run_cpu_find_max), NO_SCRATCH},
    {SECTION_FIND_MAX, "pairwise find-max", ON_DEVICE, FOLD_TREE, ALL_THREADS,
     EVERY_ORDER(run_find_max), EVERY_ORDER(find_max_workspace_bytes)},
    {SECTION_FIND_MAX, "gpuprims maximum (reduce.cuh)", ON_DEVICE, FOLD_TREE, ALL_THREADS,
     EVERY_ORDER(run_reduce_max), EVERY_ORDER(reduce_workspace_bytes)},
#ifdef __CUDACC__
    {SECTION_FIND_MAX, "cub maximum", ON_DEVICE, FOLD_TREE, ALL_THREADS, EVERY_ORDER(run_cub_max),
     EVERY_ORDER(cub_max_scratch)},
#endif
    {SECTION_SORT, "cpu sort (qsort)", ON_HOST, FOLD_SERIAL, ALL_THREADS, INTEGERS(run_cpu_sort),
     NO_SCRATCH},
#ifdef __CUDACC__ /* 32 passes on the CPU backend take as long as everything else together */
    {SECTION_SORT, "split sort (all bits)", ON_DEVICE, FOLD_TREE, ALL_THREADS,
     INTEGERS(run_split_sort), INTEGERS(split_sort_scratch)},
#endif
    {SECTION_SORT, "split sort (maximum first)", ON_DEVICE, FOLD_TREE, ALL_THREADS,
     INTEGERS(run_split_sort_max), INTEGERS(split_sort_scratch)},
    {SECTION_SORT, "bitonic sort", ON_DEVICE, FOLD_TREE, ALL_THREADS, INTEGERS(run_bitonic_sort),
     NO_SCRATCH},
    {SECTION_SORT, "odd-even merge sort", ON_DEVICE, FOLD_TREE, ALL_THREADS,
     INTEGERS(run_odd_even_merge_sort), NO_SCRATCH},
    {SECTION_SORT, "gpuprims sort (merge_sort.cuh)", ON_DEVICE, FOLD_TREE, ALL_THREADS,
     INTEGERS(run_merge_sort), INTEGERS(merge_sort_workspace_bytes)},
    {SECTION_SORT, "gpuprims sort (radix_sort.cuh)", ON_DEVICE, FOLD_TREE, ALL_THREADS,
     INTEGERS(run_radix_sort), INTEGERS(radix_sort_workspace_bytes)},
#ifdef __CUDACC__
    {SECTION_SORT, "cub sort", ON_DEVICE, FOLD_TREE, ALL_THREADS, INTEGERS(run_cub_sort),
     INTEGERS(cub_sort_scratch)},
#endif
#ifdef COMPARE_PLANTED
    {SECTION_SCAN, "planted value", ON_HOST, FOLD_TREE, ALL_THREADS, EVERY_TYPE(run_planted_value),
     NO_SCRATCH},
    {SECTION_SCAN, "planted overrun", ON_HOST, FOLD_SERIAL, ALL_THREADS,
     EVERY_TYPE(run_planted_overrun), NO_SCRATCH},
    {SECTION_SCAN, "planted host error", ON_HOST, FOLD_SERIAL, ALL_THREADS,
     EVERY_TYPE(run_planted_error), NO_SCRATCH},
    {SECTION_SCAN, "planted device error", ON_DEVICE, FOLD_TREE, ALL_THREADS,
     EVERY_TYPE(run_planted_error), NO_SCRATCH},
    {SECTION_SCAN, "planted idle scan", ON_DEVICE, FOLD_TREE, ALL_THREADS,
     EVERY_TYPE(run_planted_idle), NO_SCRATCH},
    {SECTION_COMPACT, "planted idle compact", ON_DEVICE, FOLD_TREE, ALL_THREADS,
     EVERY_TYPE(run_planted_idle), NO_SCRATCH},
    {SECTION_COMPACT, "planted count", ON_HOST, FOLD_SERIAL, ALL_THREADS,
     EVERY_TYPE(run_planted_count), NO_SCRATCH},
    {SECTION_COMPACT, "planted huge count", ON_HOST, FOLD_SERIAL, ALL_THREADS,
     EVERY_TYPE(run_planted_huge_count), NO_SCRATCH},
#endif
};

enum { IMPLEMENTATIONS = sizeof implementations / sizeof implementations[0] };

#endif
