/*
 * scan_kernel_cases.h: stamps out scans that run one kernel alone, and FORCED_cases, all of them.
 *
 *     FORCED           prefix of their names
 *     FORCED_KERNEL    GP_KERNEL_SIMPLE or GP_KERNEL_PIPELINED
 *     FORCED_GRID      blocks of a launch at most
 *
 * All are undefined at the end.
 */
#define FORCED_JOIN_(a, b) a##_##b
#define FORCED_JOIN(a, b)  FORCED_JOIN_(a, b)
#define FORCED_F(word)     FORCED_JOIN(FORCED, word)

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
