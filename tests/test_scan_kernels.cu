/* scan.cuh: each of its kernels at every size, and the order in which all of them fold. */
#include <limits.h>

#include "fold_check.h"

#define CASE_SCAN

/* ---- each kernel ----------------------------------------------------------------------------- */

/* As many blocks as there are multiprocessors, one block, and a few. */
#define FORCED        pipelined
#define FORCED_KERNEL GP_KERNEL_PIPELINED
#define FORCED_GRID   0xFFFFFFFFu
#include "scan_kernel_cases.h"

#define FORCED        simple
#define FORCED_KERNEL GP_KERNEL_SIMPLE
#define FORCED_GRID   3
#include "scan_kernel_cases.h"

enum { CASES = sizeof pipelined_cases / sizeof *pipelined_cases };

/* Tiles of few items, of four warps each: a block of many has groups for several rounds of a look-back before it. */
typedef struct bytes200 {
    uint64_t at[25];
} bytes200;

static __host__ __device__ inline bytes200 bytes200_add(bytes200 x, bytes200 y)
{
    for (int i = 0; i < 25; i++)
        x.at[i] += y.at[i];
    return x;
}

static __host__ __device__ inline bytes200 make_bytes200(uint64_t r)
{
    bytes200 x;

    for (unsigned i = 0; i < 25; i++)
        x.at[i] = r * i;
    return x;
}

#define CASE          large
#define CASE_TYPE     bytes200
#define CASE_OP       bytes200_add
#define CASE_REF      bytes200_add
#define CASE_IDENTITY make_bytes200(0)
#define CASE_EMPTY    make_bytes200(0)
#define CASE_INIT     make_bytes200(12345)
#define CASE_MAKE     make_bytes200(r)
#define CASE_KERNEL   GP_KERNEL_SIMPLE
#define CASE_GRID     0xFFFFFFFFu
#include "fold_case.h"

/* ---- the order of folds ---------------------------------------------------------------------- */

#define GP_NAME any
#define GP_TYPE float
#include <gpuprims/scan.cuh>

#define GP_NAME   pipelined
#define GP_TYPE   float
#define GP_KERNEL GP_KERNEL_PIPELINED
#include <gpuprims/scan.cuh>

#define GP_NAME   pipelined2
#define GP_TYPE   float
#define GP_KERNEL GP_KERNEL_PIPELINED
#define GP_GRID   2
#include <gpuprims/scan.cuh>

#define GP_NAME   simple
#define GP_TYPE   float
#define GP_KERNEL GP_KERNEL_SIMPLE
#include <gpuprims/scan.cuh>

#define GP_NAME   simple1
#define GP_TYPE   float
#define GP_KERNEL GP_KERNEL_SIMPLE
#define GP_GRID   1
#include <gpuprims/scan.cuh>

/* Warps that fold every tile themselves which is not there when they ask. */
#undef GPI_PATIENCE
#define GPI_PATIENCE 0
#define GP_NAME      hasty_pipelined
#define GP_TYPE      float
#define GP_KERNEL    GP_KERNEL_PIPELINED
#include <gpuprims/scan.cuh>

#define GP_NAME   hasty_simple
#define GP_TYPE   float
#define GP_KERNEL GP_KERNEL_SIMPLE
#include <gpuprims/scan.cuh>

#define GP_NAME   hasty_int
#define GP_TYPE   int
#define GP_KERNEL GP_KERNEL_SIMPLE
#include <gpuprims/scan.cuh>

#define GP_NAME hasty_small
#define GP_TYPE float
#include <gpuprims/scan.cuh>

#define GP_NAME hasty_small_int
#define GP_TYPE int
#include <gpuprims/scan.cuh>

/* The scan over lanes or warp tiles: strides 1, 2, 4, ... */
static void ladder(float *x, size_t n)
{
    for (size_t stride = 1; stride < 32; stride *= 2)
        for (size_t i = n; i-- > stride;)
            x[i] = x[i - stride] + x[i];
}

/* The tree over the tiles of a group. */
static float tree(float *x, size_t n)
{
    for (size_t stride = 1; stride < 32; stride *= 2)
        for (size_t i = 0; i + stride < n; i++)
            x[i] = x[i] + x[i + stride];
    return x[0];
}

static float run_sum(const float *in, size_t n)
{
    float sum = in[0];

    for (size_t i = 1; i < n; i++)
        sum += in[i];
    return sum;
}

/* What docs/fold-order.md says, for floats: an inclusive scan, or an exclusive one that starts at init. */
static void documented_scan(const float *in, float *out, size_t n, const float *init)
{
    const size_t run = 28, chunk = 32 * run, tile = 8 * chunk;
    float *aggregates = (float *)malloc((n / tile + 1) * sizeof *aggregates);

    for (size_t t = 0; t * tile < n; t++) {
        size_t end = n - t * tile < tile ? n : (t + 1) * tile, chunks = 0;
        float lanes[8][32], sums[8], before = 0;
        int has_before = init != NULL;

        /* Lanes and warp tiles. */
        for (size_t c = t * tile; c < end; c += chunk, chunks++) {
            size_t count = 0;

            for (size_t i = c; i < end && i < c + chunk; i += run)
                lanes[chunks][count++] = run_sum(in + i, end - i < run ? end - i : run);
            ladder(lanes[chunks], count);
            sums[chunks] = lanes[chunks][count - 1];
        }
        ladder(sums, chunks);
        aggregates[t] = sums[chunks - 1];

        /* The tiles before: groups of 32 from the left. */
        if (init)
            before = *init;
        for (size_t g = 0; g < t; g += 32) {
            float group[32];
            size_t members = t - g < 32 ? t - g : 32;

            memcpy(group, aggregates + g, members * sizeof *group);
            before = has_before ? before + tree(group, members) : tree(group, members);
            has_before = 1;
        }

        /* tiles, then warp tiles, then lanes, then the items of the thread. */
        for (size_t i = t * tile; i < end; i++) {
            size_t c = (i - t * tile) / chunk, l = (i - t * tile) % chunk / run;
            float prefix = before;
            int has_prefix = has_before;

            if (c) {
                prefix = has_prefix ? prefix + sums[c - 1] : sums[c - 1];
                has_prefix = 1;
            }
            if (l) {
                prefix = has_prefix ? prefix + lanes[c][l - 1] : lanes[c][l - 1];
                has_prefix = 1;
            }
            for (size_t j = t * tile + c * chunk + l * run; j < i; j++) {
                prefix = has_prefix ? prefix + in[j] : in[j];
                has_prefix = 1;
            }
            out[i] = init ? prefix : has_prefix ? prefix + in[i] : in[i];
        }
    }
    free(aggregates);
}

typedef cudaError_t (*float_scan)(const float *in, float *out, size_t n, gp_workspace *ws,
                                  cudaStream_t stream);
typedef cudaError_t (*float_scan_init)(const float *in, float *out, size_t n, float init,
                                       gp_workspace *ws, cudaStream_t stream);
enum { KERNELS = 8 };
static const char *const kernel_names[KERNELS] = {"the kernel for n", "the pipelined kernel", "two pipelined blocks",
                                                  "the simple kernel", "one simple block", "a hasty pipelined kernel",
                                                  "a hasty simple kernel", "a hasty kernel for n"};
static const float_scan scans[KERNELS] = {any_inclusive_scan, pipelined_inclusive_scan, pipelined2_inclusive_scan,
                                          simple_inclusive_scan, simple1_inclusive_scan,
                                          hasty_pipelined_inclusive_scan, hasty_simple_inclusive_scan,
                                          hasty_small_inclusive_scan};
static const float_scan_init scans_init[KERNELS] = {any_exclusive_scan_init, pipelined_exclusive_scan_init,
                                                    pipelined2_exclusive_scan_init, simple_exclusive_scan_init,
                                                    simple1_exclusive_scan_init, hasty_pipelined_exclusive_scan_init,
                                                    hasty_simple_exclusive_scan_init, hasty_small_exclusive_scan_init};

/* Fixed numbers of very different sizes, so that every order has a sum of its own. */
static void fixed_floats(float *x, size_t n)
{
    uint64_t state = 42;

    for (size_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[i] = (float)((int64_t)state >> 40) * (state >> 20 & 1 ? 0x1p-20f : 0x1p-7f);
    }
}

static uint64_t digest(const void *bytes, size_t count)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */

    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * 1099511628211u;
    return hash;
}

/* Every kernel gives the documented bits, and they are those of the version before. */
static void in_documented_order(size_t n, uint64_t inclusive, uint64_t exclusive)
{
    size_t bytes = n * sizeof(float);
    float *in = (float *)malloc(bytes), *want = (float *)malloc(bytes), *got = (float *)malloc(bytes);
    const float init = 0.3f;

    fixed_floats(in, n);
    for (int with_init = 0; with_init < 2; with_init++) {
        documented_scan(in, want, n, with_init ? &init : NULL);
        uint64_t hash = digest(want, bytes);
        ok(hash == (with_init ? exclusive : inclusive), "%s of %zu floats: digest %016llx",
           fold_names[with_init ? EXCLUSIVE_INIT : INCLUSIVE], n, (unsigned long long)hash);
        for (int k = 0; k < KERNELS; k++) {
            const size_t shift = (size_t)k % 7 * 4; /* the kernel of small inputs takes aligned ones */
            tap_buffer d_in = tap_buffer_of(in, bytes, shift), d_out = tap_buffer_new(bytes, 3 * shift);
            const float *from = (const float *)d_in.data;
            float *to = (float *)d_out.data;

            must(with_init ? scans_init[k](from, to, n, init, NULL, 0) : scans[k](from, to, n, NULL, 0));
            tap_buffer_read(got, &d_out, bytes);
            ok(memcmp(got, want, bytes) == 0, "%s of %zu floats by %s: the documented order",
               fold_names[with_init ? EXCLUSIVE_INIT : INCLUSIVE], n, kernel_names[k]);
            tap_buffer_free(&d_in);
            tap_buffer_free(&d_out);
        }
    }
    free(in);
    free(want);
    free(got);
}

/* Many tiles; on the CPU by so many blocks at a time, and in so many schedules. */
static void many_tiles(const fold_case *c, size_t tiles, int resident, int schedules)
{
    const fold_place place = {1, 2, 0, NULL, 0};
    size_t chunk;
    const size_t n = tiles * tile_items(c->out_bytes, &chunk);
    int passed = 1;

#ifdef __CUDACC__
    (void)resident;
    (void)schedules;
    passed = fold_check(c, INCLUSIVE, n, place);
#else
    const gp_cpu_settings before = gp_cpu;

    gp_cpu.resident_blocks = resident;
    for (int k = 0; k < schedules; k++, gp_cpu.seed++)
        passed &= fold_check(c, INCLUSIVE, n, place);
    gp_cpu = before;
#endif
    ok(passed, "%s: %zu tiles", c->name, tiles);
}

/* Tiles of integers are smaller where there are few, for a warp that folds one itself, too. */
static void by_hasty_warps(size_t n)
{
    int *in = (int *)calloc(n, sizeof *in), *want = (int *)malloc(n * sizeof *want);
    int *got = (int *)malloc(n * sizeof *got), sum = 0;

    for (size_t i = 0; i < n; i++)
        want[i] = sum += in[i] = (int)(i * 2654435761u);
    for (size_t shift = 0; shift <= 4; shift += 4) { /* the kernel of small inputs takes aligned ones */
        tap_buffer d_in = tap_buffer_of(in, n * sizeof *in, shift), d_out = tap_buffer_new(n * sizeof *got, 2 * shift);

        must((shift ? hasty_int_inclusive_scan : hasty_small_int_inclusive_scan)(
            (const int *)d_in.data, (int *)d_out.data, n, NULL, 0));
        tap_buffer_read(got, &d_out, n * sizeof *got);
        ok(memcmp(got, want, n * sizeof *got) == 0, "inclusive scan of %zu integers by a hasty %s kernel", n,
           shift ? "simple" : "small");
        tap_buffer_free(&d_in);
        tap_buffer_free(&d_out);
    }
    free(in);
    free(want);
    free(got);
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv);
    for (int k = 0; k < CASES; k++) {
        at_all_borders(pipelined_cases[k], 1);
        at_all_borders(simple_cases[k], 1);
    }
    if (tap_wants(pipelined_bytes77_case.name))
        many_tiles(&pipelined_bytes77_case, 250, 70, 4); /* the tiles of a block are groups apart */
    if (tap_wants(pipelined_matrices48_case.name))
        many_tiles(&pipelined_matrices48_case, 60, 2, 4); /* each stage has several, one after the other */
    if (tap_wants(large_case.name))
        many_tiles(&large_case, 300, 150, 1); /* a block's tiles have groups for several rounds before them */
    if (tap_wants("neighbours"))
        fold_check_neighbours("ranges of 8 bytes");
    if (tap_wants("hasty")) {
        by_hasty_warps(3001);
        by_hasty_warps(7169);
        by_hasty_warps(30000);
        if (!tap_small)
            by_hasty_warps(100003);
    }
    if (tap_wants("order")) {
        in_documented_order(29, 0x759054a64fcc67bf, 0x6a2f42677c5bc526);
        in_documented_order(7175, 0x89477f3604de9836, 0xe7d3eff1c84dd167);
        in_documented_order(100003, 0x00e2ae4dbd4e10ff, 0x1bf0d6174d80cb32);
        if (!tap_small)
            in_documented_order(501001, 0x647d963a0872174a, 0xf08e9f6ea9d4b081);
    }
    return tap_end();
}
