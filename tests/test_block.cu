/* warp/ and block/: reduce and scan in kernels of the user's, for blocks of many sizes and shapes. */
#include "fold_check.h"

enum {
    BLOCK_INCLUSIVE,
    BLOCK_INCLUSIVE_TOTAL,
    BLOCK_EXCLUSIVE,
    BLOCK_EXCLUSIVE_TOTAL,
    BLOCK_REDUCE,
    BLOCK_REDUCE_NAME,
    WARP_INCLUSIVE,
    WARP_EXCLUSIVE,
    WARP_REDUCE,
    BLOCK_TWICE,
    BLOCK_FUNCTIONS
};

static const char *const block_names[] = {
    "block inclusive scan", "block inclusive scan with total", "block exclusive scan",
    "block exclusive scan with total", "block reduce", "block reduce, storage by name",
    "warp inclusive scan", "warp exclusive scan", "warp reduce", "two scans in one storage"};

#define CASE_JOIN_(a, b) a##_##b
#define CASE_JOIN(a, b)  CASE_JOIN_(a, b)
#define CASE_TEXT_(a)    #a
#define CASE_TEXT(a)     CASE_TEXT_(a)
#define CASE_F(word)     CASE_JOIN(CASE, word)

static __host__ __device__ inline matrix matrix_identity(void)
{
    matrix x = {{1, 0, 0, 1}};

    return x;
}

static __host__ __device__ inline affine affine_identity(void)
{
    affine f = {1, 0, 0};

    return f;
}

static __host__ __device__ inline matrices8 matrices8_identity(void)
{
    matrices8 x;

    for (int i = 0; i < 8; i++)
        x.at[i] = matrix_identity();
    return x;
}

static __host__ __device__ inline range8 nobody(void)
{
    range8 x = {4000000000u, 3000000000u};

    return x;
}

#define CASE       sum32
#define CASE_TYPE  int
#define CASE_OP    GP_SUM
#define CASE_REF   ref_sum
#define CASE_EMPTY 0
#define CASE_MAKE  (int)r
#define CASE_BLOCK 32
#define CASE_X     32
#define CASE_Y     1
#define CASE_Z     1
#include "block_case.h"

#define CASE       max64
#define CASE_TYPE  int16_t
#define CASE_OP    GP_MAX
#define CASE_REF   ref_max
#define CASE_EMPTY INT16_MIN
#define CASE_MAKE  (int16_t)(r % 100 - 30000 + i * 10)
#define CASE_BLOCK 64
#define CASE_X     2
#define CASE_Y     4
#define CASE_Z     8
#include "block_case.h"

#define CASE          affine96
#define CASE_TYPE     affine
#define CASE_OP       affine_then
#define CASE_REF      affine_then
#define CASE_IDENTITY affine_identity()
#define CASE_EMPTY    affine_identity()
#define CASE_MAKE     make_affine(r | 1)
#define CASE_BLOCK    96
#define CASE_X        96
#define CASE_Y        1
#define CASE_Z        1
#include "block_case.h"

#define CASE          matrix256
#define CASE_TYPE     matrix
#define CASE_OP       matrix_multiply
#define CASE_REF      matrix_multiply
#define CASE_IDENTITY matrix_identity()
#define CASE_EMPTY    matrix_identity()
#define CASE_MAKE     make_matrix(r)
#define CASE_BLOCK    256
#define CASE_X        16
#define CASE_Y        16
#define CASE_Z        1
#include "block_case.h"

#define CASE          matrices480
#define CASE_TYPE     matrices8
#define CASE_OP       matrices8_multiply
#define CASE_REF      matrices8_multiply
#define CASE_IDENTITY matrices8_identity()
#define CASE_EMPTY    matrices8_identity()
#define CASE_MAKE     make_matrices8(r)
#define CASE_BLOCK    480
#define CASE_X        5
#define CASE_Y        12
#define CASE_Z        8
#include "block_case.h"

#define CASE       sum1024
#define CASE_TYPE  double
#define CASE_OP    GP_SUM
#define CASE_REF   ref_sum
#define CASE_EMPTY 0
#define CASE_MAKE  small_number(r)
#define CASE_BLOCK 1024
#define CASE_X     1024
#define CASE_Y     1
#define CASE_Z     1
#include "block_case.h"

#define CASE       xor512
#define CASE_TYPE  __int128
#define CASE_OP    GP_XOR
#define CASE_REF   ref_xor
#define CASE_EMPTY 0
#define CASE_MAKE  (__int128)r << (r % 64)
#define CASE_BLOCK 512
#define CASE_X     1
#define CASE_Y     512
#define CASE_Z     1
#include "block_case.h"

/* Every block starts its own run of indices: nobody may join two blocks, or two warps in a warp fold. */
#define CASE          ranges32
#define CASE_TYPE     range8
#define CASE_OP       join8
#define CASE_REF      span_range8
#define CASE_IDENTITY nobody()
#define CASE_EMPTY    nobody()
#define CASE_MAKE     make_range8(i)
#define CASE_BLOCK    32
#define CASE_X        4
#define CASE_Y        4
#define CASE_Z        2
#include "block_case.h"

#define CASE          ranges224
#define CASE_TYPE     range8
#define CASE_OP       join8
#define CASE_REF      span_range8
#define CASE_IDENTITY nobody()
#define CASE_EMPTY    nobody()
#define CASE_MAKE     make_range8(i)
#define CASE_BLOCK    224
#define CASE_X        7
#define CASE_Y        32
#define CASE_Z        1
#include "block_case.h"

#define CASE          ranges1024
#define CASE_TYPE     range16
#define CASE_OP       join16
#define CASE_REF      span_range16
#define CASE_IDENTITY nobody16()
static __host__ __device__ inline range16 nobody16(void)
{
    range16 x = {UINT64_MAX / 2, UINT64_MAX / 3};

    return x;
}
#define CASE_EMPTY    nobody16()
#define CASE_MAKE     make_range16(i)
#define CASE_BLOCK    1024
#define CASE_X        32
#define CASE_Y        32
#define CASE_Z        1
#include "block_case.h"

/* ---- defaults, and what the device-wide headers supply --------------------------------------- */

#include <gpuprims/block/block_reduce.cuh>
#include <gpuprims/block/block_scan.cuh>
#include <gpuprims/warp/warp_reduce.cuh>
#include <gpuprims/warp/warp_scan.cuh>

#define GP_NAME  both
#define GP_TYPE  uint64_t
#define GP_BLOCK 128
#include <gpuprims/scan.cuh>

#define GP_NAME  both
#define GP_TYPE  uint64_t
#define GP_BLOCK 128
#include <gpuprims/reduce.cuh>

/* One storage for both, one after the other; the default block is one of 256. */
static __global__ void default_kernel(const int *in, int *out)
{
    typedef union storage {
        gp_block_scan_storage scan;
        gp_block_reduce_storage reduce;
    } storage;
    GP_SHARED(storage, shared);
    int x = in[threadIdx.x], sum = gp_block_reduce(x, &shared.reduce);

    __syncthreads();
    out[threadIdx.x] = gp_block_exclusive_scan(x, &shared.scan, NULL) - sum + gp_warp_reduce(x) -
                       gp_warp_exclusive_scan(x) + gp_warp_inclusive_scan(x);
}

/* The storage through a pointer of its type. */
static __device__ uint64_t both_folds(uint64_t x, both_block_scan_storage *scan,
                                      both_block_reduce_storage *reduce)
{
    return both_block_inclusive_scan(x, scan, NULL) + both_block_reduce(x, reduce) +
           both_warp_inclusive_scan(x) + both_warp_reduce(x);
}

static __global__ void both_kernel(const uint64_t *in, uint64_t *out)
{
    GP_SHARED(both_block_scan_storage, scan);
    GP_SHARED(both_block_reduce_storage, reduce);

    out[threadIdx.x] = both_folds(in[threadIdx.x], &scan, &reduce);
}

static void check_default(void)
{
    int in[256], got[256], wrong = 0, sum = 0, warp = 0, before = 0, warp_before = 0;

    for (int i = 0; i < 256; i++)
        sum += in[i] = (int)tap_below(1000);

    tap_buffer d_in = tap_buffer_of(in, sizeof in, 0), d_out = tap_buffer_new(sizeof in, 0);
    GP_LAUNCH(default_kernel, 1, 256, 0, 0, (const int *)d_in.data, (int *)d_out.data);
    must(cudaGetLastError());
    tap_buffer_read(got, &d_out, sizeof got);
    for (int i = 0; i < 256; i++) {
        if (i % 32 == 0) {
            warp = warp_before = 0;
            for (int k = i; k < i + 32; k++)
                warp += in[k];
        }
        wrong += got[i] != before - sum + warp - warp_before + (warp_before + in[i]);
        before += in[i];
        warp_before += in[i];
    }
    ok(!wrong, "the default instances of all four headers");
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_out);
}

static void check_both(void)
{
    uint64_t in[128], got[128], sum = 0, scan = 0, warp = 0, warp_scan = 0;
    int wrong = 0;

    for (int i = 0; i < 128; i++)
        sum += in[i] = tap_random();

    tap_buffer d_in = tap_buffer_of(in, sizeof in, 0), d_out = tap_buffer_new(sizeof in, 0);
    GP_LAUNCH(both_kernel, 1, 128, 0, 0, (const uint64_t *)d_in.data, (uint64_t *)d_out.data);
    must(cudaGetLastError());
    tap_buffer_read(got, &d_out, sizeof got);
    for (int i = 0; i < 128; i++) {
        if (i % 32 == 0) {
            warp = warp_scan = 0;
            for (int k = i; k < i + 32; k++)
                warp += in[k];
        }
        scan += in[i];
        warp_scan += in[i];
        wrong += got[i] != scan + sum + warp_scan + warp;
    }
    ok(!wrong, "block and warp folds from scan.cuh and reduce.cuh, storage passed on");
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_out);
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv);
    sum32_check();
    max64_check();
    affine96_check();
    matrix256_check();
    matrices480_check();
    sum1024_check();
    xor512_check();
    ranges32_check();
    ranges224_check();
    ranges1024_check();
    fold_check_neighbours("all of them");
    check_default();
    check_both();
    return tap_end();
}
