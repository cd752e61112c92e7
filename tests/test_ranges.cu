/*
 * core/backend/nvtx.cuh: every host function is a range of its own name in Nsight's timeline, with its kernels
 * within it on the GPU, and closes what it opened on every way out. A recorder stands in for NVTX.
 */
#include <string.h>

static char recorded[64][96]; /* names in the order of their beginnings */
static int recorded_depths[64], recorded_count, recorded_depth;

static inline void record_begin(const char *name)
{
    if (recorded_count < 64) {
        strncpy(recorded[recorded_count], name, sizeof *recorded - 1);
        recorded_depths[recorded_count++] = recorded_depth;
    }
    recorded_depth++;
}

static inline void record_end(void)
{
    recorded_depth--;
}

#define GPI_RANGE_BEGIN(name) record_begin(name)
#define GPI_RANGE_END()       record_end()

#include "tap.h"

/* clang-format off */
typedef struct { uint8_t b[3]; } odd; /* which a scatter plays off */
/* clang-format on */

#include <gpuprims/compact.cuh>
#include <gpuprims/reduce.cuh>
#include <gpuprims/scan.cuh>
#include <gpuprims/scatter.cuh>
#include <gpuprims/classic/find_max.cuh>
#include <gpuprims/classic/map_scan_scatter.cuh>
#include <gpuprims/classic/naive_scan.cuh>
#include <gpuprims/classic/shared_scan.cuh>
#include <gpuprims/classic/shuffle_scan.cuh>
#include <gpuprims/classic/split_sort.cuh>
#include <gpuprims/classic/bitonic_sort.cuh>
#include <gpuprims/classic/odd_even_merge_sort.cuh>
#include <gpuprims/classic/work_efficient_scan.cuh>

#define GP_NAME odd
#define GP_TYPE odd
#include <gpuprims/scatter.cuh>

/* One range at depth 0, of this name; on the GPU one for each kernel, within it. */
static void recorded_as(const char *name, cudaError_t error)
{
    int outermost = 0, kernels = 0;

    for (int i = 0; i < recorded_count; i++) {
        outermost += recorded_depths[i] == 0;
        kernels += recorded_depths[i] > 0 && strstr(recorded[i], "kernel") != NULL;
    }
    ok(error == cudaSuccess, "%s: %s", name, cudaGetErrorString(error));
    ok(outermost == 1 && strcmp(recorded[0], name) == 0, "%s is a range of its name", name);
    ok(recorded_depth == 0, "%s ends what it began", name);
#ifdef __CUDACC__
    ok(kernels > 0, "%s names %d launches within", name, kernels);
#else
    (void)kernels;
#endif
    must(cudaDeviceSynchronize());
    recorded_count = recorded_depth = 0;
    memset(recorded, 0, sizeof recorded);
}

#define RECORDED(name, ...) recorded_as(#name, name(__VA_ARGS__))

enum { N = 10000 };

static void test_primitives(const int *in, int *out, uint8_t *flags, size_t *map, size_t *count)
{
    RECORDED(gp_inclusive_scan, in, out, N, NULL, 0);
    RECORDED(gp_exclusive_scan, in, out, N, NULL, 0);
    RECORDED(gp_exclusive_scan_init, in, out, N, 5, NULL, 0);
    RECORDED(gp_reduce, in, out, N, NULL, 0);
    RECORDED(gp_reduce, in, out, 0, NULL, 0);
    RECORDED(gp_compact, in, out, N, count, NULL, 0);
    RECORDED(gp_compact_flagged, in, flags, out, N, count, NULL, 0);
    RECORDED(gp_compact_indices, in, map, N, count, NULL, 0);
    RECORDED(gp_partition_flagged, in, flags, out, N, count, NULL, 0);
    RECORDED(gp_partition, in, out, N, count, NULL, 0);
    RECORDED(gp_partition_stable, in, out, N, count, NULL, 0);
    must(cudaMemset(map, 0, N * sizeof *map));
    RECORDED(gp_gather, in, map, out, N, NULL, 0);
    RECORDED(gp_scatter, in, map, out, N, NULL, 0);
    RECORDED(gp_scatter_if, in, map, flags, out, N, NULL, 0);
    RECORDED(gp_map_to_flags, in, flags, N, NULL, 0);
    RECORDED(odd_scatter, (const odd *)in, map, (odd *)out, N, NULL, 0);
}

static void test_classic(const int *in, int *out, size_t *count)
{
    RECORDED(gp_naive_exclusive_scan, in, out, N, NULL, NULL, 0);
    RECORDED(gp_work_efficient_exclusive_scan, in, out, N, NULL, NULL, 0);
    RECORDED(gp_shared_exclusive_scan, in, out, N, NULL, NULL, 0);
    RECORDED(gp_shuffle_exclusive_scan, in, out, N, NULL, NULL, 0);
    RECORDED(gp_naive_compact, in, out, N, count, NULL, NULL, 0);
    RECORDED(gp_work_efficient_compact, in, out, N, count, NULL, NULL, 0);
    RECORDED(gp_shared_compact, in, out, N, count, NULL, NULL, 0);
    RECORDED(gp_shuffle_compact, in, out, N, count, NULL, NULL, 0);
    RECORDED(gp_find_max, in, out, N, NULL, NULL, 0);
    RECORDED(gp_find_max, in, out, 0, NULL, NULL, 0);
    RECORDED(gp_split_sort, in, out, N, 0, NULL, NULL, 0);
    RECORDED(gp_bitonic_sort, out, 1, N, 0, NULL, NULL, 0);
    RECORDED(gp_odd_even_merge_sort, out, 1, N, 1, NULL, NULL, 0);
}

/* A call that is refused has no kernels, but may have begun a range. */
static void test_refused(const int *in, int *out, size_t *map, size_t *count)
{
    gp_workspace none = GP_WORKSPACE_INIT;

    must(gp_workspace_wrap(&none, NULL, 0, 0));
    ok(gp_inclusive_scan(in, out, N, &none, 0) == cudaErrorInvalidValue && recorded_depth == 0,
       "a refused scan ends what it began");
    ok(gp_compact(in, out, N, count, &none, 0) == cudaErrorInvalidValue && recorded_depth == 0,
       "a refused compaction ends what it began");
    ok(odd_scatter((const odd *)in, map, (odd *)out, N, &none, 0) == cudaErrorInvalidValue &&
           recorded_depth == 0,
       "a refused scatter ends what it began");
    ok(gp_gather(NULL, map, out, N, &none, 0) == cudaErrorInvalidValue && recorded_depth == 0,
       "a refused gather ends what it began");
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv);

    tap_buffer in = tap_buffer_new(N * sizeof(int), 0), out = tap_buffer_new(N * sizeof(int), 0);
    tap_buffer flags = tap_buffer_new(N, 0), map = tap_buffer_new(N * sizeof(size_t), 0);
    tap_buffer count = tap_buffer_new(sizeof(size_t), 0);

    must(cudaMemset(in.data, 0, N * sizeof(int)));
    test_primitives((const int *)in.data, (int *)out.data, (uint8_t *)flags.data,
                    (size_t *)map.data, (size_t *)count.data);
    test_classic((const int *)in.data, (int *)out.data, (size_t *)count.data);
    test_refused((const int *)in.data, (int *)out.data, (size_t *)map.data, (size_t *)count.data);
    tap_buffer_free(&in);
    tap_buffer_free(&out);
    tap_buffer_free(&flags);
    tap_buffer_free(&map);
    tap_buffer_free(&count);
    return tap_end();
}
