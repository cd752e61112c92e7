/* The worked examples, and what a newcomer tries first. */
#include "tap.h"

#include <gpuprims/scan.cuh>
#include <gpuprims/reduce.cuh>
#include <gpuprims/compact.cuh>
#include <gpuprims/classic/naive_scan.cuh>
#include <gpuprims/classic/work_efficient_scan.cuh>
#include <gpuprims/host/cpu_scan.h>
#include <gpuprims/host/cpu_compact.h>
#include <gpuprims/host/cpu_reduce.h>

static const int in[7] = {1, 5, 0, 1, 2, 0, 3};
static const int exclusive[7] = {0, 1, 6, 6, 7, 9, 9};
static const int inclusive[7] = {1, 6, 6, 7, 9, 9, 12};
static const int kept[5] = {1, 5, 1, 2, 3};

static void expect(cudaError_t error, const tap_buffer *out, const int *expected, size_t n,
                   const char *what)
{
    int got[7];

    tap_buffer_read(got, out, n * sizeof(int));
    ok(error == cudaSuccess && memcmp(got, expected, n * sizeof(int)) == 0, "%s", what);
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv);

    tap_buffer d_in = tap_buffer_of(in, sizeof in, 0), d_out = tap_buffer_new(sizeof in, 0);
    tap_buffer d_count = tap_buffer_new(sizeof(size_t), 0);
    const int *from = (const int *)d_in.data;
    int *to = (int *)d_out.data;
    size_t *count = (size_t *)d_count.data, n = 7, host_count;
    int host[7];

    expect(gp_exclusive_scan(from, to, n, NULL, 0), &d_out, exclusive, 7, "exclusive scan");
    expect(gp_inclusive_scan(from, to, n, NULL, 0), &d_out, inclusive, 7, "inclusive scan");
    expect(gp_naive_exclusive_scan(from, to, n, NULL, NULL, 0), &d_out, exclusive, 7, "naive scan");
    expect(gp_work_efficient_exclusive_scan(from, to, n, NULL, NULL, 0), &d_out, exclusive, 7,
           "work-efficient scan");
    expect(gp_reduce(from, to, n, NULL, 0), &d_out, &inclusive[6], 1, "reduction");
    expect(gp_compact(from, to, n, count, NULL, 0), &d_out, kept, 5, "compaction");
    tap_buffer_read(&host_count, &d_count, sizeof host_count);
    ok(host_count == 5, "compaction counts");

    gp_cpu_exclusive_scan(in, host, n);
    ok(memcmp(host, exclusive, sizeof host) == 0, "exclusive scan on the CPU");
    gp_cpu_inclusive_scan(in, host, n);
    ok(memcmp(host, inclusive, sizeof host) == 0, "inclusive scan on the CPU");
    gp_cpu_parallel_exclusive_scan(in, host, n, 3);
    ok(memcmp(host, exclusive, sizeof host) == 0, "exclusive scan by up to three CPU threads");
    ok(gp_cpu_compact(in, host, n) == 5 && memcmp(host, kept, sizeof kept) == 0,
       "compaction on the CPU");
    memset(host, 0, sizeof host); /* what is there already would be right */
    ok(gp_cpu_compact_with_scan(in, host, n) == 5 && memcmp(host, kept, sizeof kept) == 0,
       "compaction on the CPU with a scan");
    ok(gp_cpu_reduce(in, n) == 12, "reduction on the CPU");

    tap_buffer_free(&d_in);
    tap_buffer_free(&d_out);
    tap_buffer_free(&d_count);
    return tap_end();
}
