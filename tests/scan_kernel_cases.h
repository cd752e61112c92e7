/*
 * scan_kernel_cases.h: stamps out scans that run one kernel alone, and FORCED_cases, all of them.
 *
 *     FORCED           prefix of their names
 *     FORCED_KERNEL    GP_KERNEL_SIMPLE or GP_KERNEL_PIPELINED
 *     FORCED_GRID      blocks of a launch at most
 *
 * All are undefined at the end.
 */
#ifndef FORCED_ONCE
#define FORCED_ONCE
static __host__ __device__ inline affine affine_nothing(void)
{
    affine x = {1, 0, 0};

    return x;
}

static __host__ __device__ inline matrices3 matrices3_nothing(void)
{
    matrices3 x = {{{{1, 0, 0, 1}}, {{1, 0, 0, 1}}, {{1, 0, 0, 1}}}};

    return x;
}

static __host__ __device__ inline range8 nobody8(void)
{
    range8 x = {4000000000u, 3000000000u};

    return x;
}

/* A size that no vector and no other item fits into. */
typedef struct bytes77 {
    uint8_t at[77];
} bytes77;

static __host__ __device__ inline bytes77 bytes77_add(bytes77 x, bytes77 y)
{
    for (int i = 0; i < 77; i++)
        x.at[i] = (uint8_t)(x.at[i] + y.at[i]);
    return x;
}

static __host__ __device__ inline bytes77 make_bytes77(uint64_t r)
{
    bytes77 x;

    for (int i = 0; i < 77; i++)
        x.at[i] = (uint8_t)(r >> i % 57);
    return x;
}

/* Items of a tile of `bytes` large items, as docs/fold-order.md has it; *chunk gets those of a warp tile. */
static size_t tile_items(size_t bytes, size_t *chunk)
{
    size_t unit = bytes % 16 == 0 ? 1 : bytes % 8 == 0 ? 2 : bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 8 : 16;
    size_t run = unit * bytes == 16 ? 7 * unit : unit * bytes <= 48 ? 3 * unit : unit, chunks;

    if (unit * bytes > 256)
        run = bytes <= 112 ? 112 / bytes : 1;
    chunks = run * bytes <= 160 ? 8 : run * bytes <= 320 ? 4 : run * bytes <= 640 ? 2 : 1;
    *chunk = 32 * run;
    return *chunk * chunks;
}

/* If --only has it: around every border of the shape, with pointers of many alignments, and in place if it may be. */
static void at_all_borders(const fold_case *c, int may_be_in_place)
{
    size_t bytes = c->in_bytes > c->out_bytes ? c->in_bytes : c->out_bytes, chunk;
    size_t tile = tile_items(bytes, &chunk), run = chunk / 32;
    size_t borders[] = {run, chunk, chunk + run, tile - chunk, tile, tile + chunk, 2 * tile, 5 * tile + run,
                        10 * tile, 20 * tile + run, 32 * tile, 33 * tile + chunk, 65 * tile};
    size_t count = sizeof borders / sizeof *borders;

    for (int function = INCLUSIVE; function <= EXCLUSIVE_INIT && tap_wants(c->name); function++) {
        int passed = 1;

        for (size_t k = 0; k < count; k++) {
            if (borders[k] * bytes > (tap_small ? 200000 : 2000000) || (k > 7 && function == EXCLUSIVE))
                continue;
            for (int side = -1; side <= 1; side++) {
                fold_place place = {(k * 7 + (size_t)(side + 1)) % 17, k * 3 % 16, 0, NULL, 0};

                passed &= fold_check(c, function, borders[k] + (size_t)side, place);
                place.in_place = may_be_in_place && c->in_bytes == c->out_bytes;
                passed &= side || fold_check(c, function, borders[k], place);
            }
        }
        ok(passed, "%s: %s around the borders of thread items, warp tiles, tiles and groups", c->name,
           fold_names[function]);
    }
}

#define FORCED_JOIN_(a, b) a##_##b
#define FORCED_JOIN(a, b)  FORCED_JOIN_(a, b)
#define FORCED_F(word)     FORCED_JOIN(FORCED, word)
#endif

#define CASE        FORCED_F(sum_u8)
#define CASE_TYPE   uint8_t
#define CASE_OP     GP_SUM
#define CASE_REF    ref_sum
#define CASE_EMPTY  0
#define CASE_INIT   200
#define CASE_MAKE   (uint8_t)r
#define CASE_KERNEL FORCED_KERNEL
#define CASE_GRID   FORCED_GRID
#include "fold_case.h"

#define CASE        FORCED_F(sum_i16)
#define CASE_TYPE   int16_t
#define CASE_OP     GP_SUM
#define CASE_REF    ref_sum
#define CASE_EMPTY  0
#define CASE_INIT   -5
#define CASE_MAKE   (int16_t)r
#define CASE_KERNEL FORCED_KERNEL
#define CASE_GRID   FORCED_GRID
#include "fold_case.h"

#define CASE        FORCED_F(max_i32)
#define CASE_TYPE   int
#define CASE_OP     GP_MAX
#define CASE_REF    ref_max
#define CASE_EMPTY  INT_MIN
#define CASE_INIT   -2000000000
#define CASE_MAKE   (int)((uint32_t)i * 8 - 2100000000u + r % 1024)
#define CASE_KERNEL FORCED_KERNEL
#define CASE_GRID   FORCED_GRID
#include "fold_case.h"

#define CASE        FORCED_F(wide_sum)
#define CASE_TYPE   uint64_t
#define CASE_INPUT  uint8_t
#define CASE_OP     GP_SUM
#define CASE_REF    ref_sum
#define CASE_EMPTY  0
#define CASE_INIT   ((uint64_t)1 << 40)
#define CASE_MAKE   (uint8_t)r
#define CASE_KERNEL FORCED_KERNEL
#define CASE_GRID   FORCED_GRID
#include "fold_case.h"

#define CASE          FORCED_F(affine3)
#define CASE_TYPE     affine
#define CASE_OP       affine_then
#define CASE_REF      affine_then
#define CASE_IDENTITY affine_nothing()
#define CASE_EMPTY    affine_nothing()
#define CASE_INIT     make_affine(0x1703)
#define CASE_MAKE     make_affine(r)
#define CASE_KERNEL   FORCED_KERNEL
#define CASE_GRID     FORCED_GRID
#include "fold_case.h"

#define CASE          FORCED_F(matrices48)
#define CASE_TYPE     matrices3
#define CASE_OP       matrices3_multiply
#define CASE_REF      matrices3_multiply
#define CASE_IDENTITY matrices3_nothing()
#define CASE_EMPTY    matrices3_nothing()
#define CASE_INIT     make_matrices3(0x98765432101)
#define CASE_MAKE     make_matrices3(r)
#define CASE_KERNEL   FORCED_KERNEL
#define CASE_GRID     FORCED_GRID
#include "fold_case.h"

#define CASE          FORCED_F(bytes77)
#define CASE_TYPE     bytes77
#define CASE_OP       bytes77_add
#define CASE_REF      bytes77_add
#define CASE_IDENTITY make_bytes77(0)
#define CASE_EMPTY    make_bytes77(0)
#define CASE_INIT     make_bytes77(12345)
#define CASE_MAKE     make_bytes77(r)
#define CASE_KERNEL   FORCED_KERNEL
#define CASE_GRID     FORCED_GRID
#include "fold_case.h"

/* An identity that is nobody's neighbour. */
#define CASE          FORCED_F(ranges8)
#define CASE_TYPE     range8
#define CASE_OP       join8
#define CASE_REF      span_range8
#define CASE_IDENTITY nobody8()
#define CASE_EMPTY    nobody8()
#define CASE_INIT     make_range8(SIZE_MAX)
#define CASE_MAKE     make_range8(i)
#define CASE_KERNEL   FORCED_KERNEL
#define CASE_GRID     FORCED_GRID
#include "fold_case.h"

static const fold_case *const FORCED_F(cases)[] = {
    &FORCED_F(sum_u8_case),  &FORCED_F(sum_i16_case),    &FORCED_F(max_i32_case), &FORCED_F(wide_sum_case),
    &FORCED_F(affine3_case), &FORCED_F(matrices48_case), &FORCED_F(bytes77_case), &FORCED_F(ranges8_case)};

#undef FORCED
#undef FORCED_KERNEL
#undef FORCED_GRID
