/*
 * ready_cases.h: an instance for each ready operator of an arithmetic type, and READY_check(), which
 * hands each to ready_check().
 *
 *     READY           name of the type           READY_TYPE      the type
 *     READY_ANY       any item, from random bits r
 *     READY_TERM      items whose sum is exact (READY_ANY)
 *     READY_FACTOR    items whose product is exact (READY_ANY)
 *     READY_PRODUCT   the product of the reference (ref_product)
 *     READY_LOWEST, READY_HIGHEST                what no item of the type is past
 *     READY_SAME      compares through pointers (bytes)
 *     READY_FLOATING  says that bits cannot be combined
 *
 * All are undefined at the end.
 */
#ifndef READY_TERM
#define READY_TERM READY_ANY
#endif
#ifndef READY_PRODUCT
#define READY_PRODUCT ref_product
#endif
#ifndef READY_FACTOR
#define READY_FACTOR READY_ANY
#endif

#define CASE       CASE_JOIN(READY, sum)
#define CASE_TYPE  READY_TYPE
#define CASE_OP    GP_SUM
#define CASE_REF   ref_sum
#define CASE_EMPTY (READY_TYPE)0
#define CASE_MAKE  READY_TERM
#include "fold_case.h"

#define CASE       CASE_JOIN(READY, product)
#define CASE_TYPE  READY_TYPE
#define CASE_OP    GP_PRODUCT
#define CASE_REF   READY_PRODUCT
#define CASE_EMPTY (READY_TYPE)1
#define CASE_MAKE  READY_FACTOR
#include "fold_case.h"

#define CASE       CASE_JOIN(READY, min)
#define CASE_TYPE  READY_TYPE
#define CASE_OP    GP_MIN
#define CASE_REF   ref_min
#define CASE_EMPTY (READY_TYPE)(READY_HIGHEST)
#define CASE_MAKE  READY_ANY
#ifdef READY_SAME
#define CASE_SAME READY_SAME
#endif
#include "fold_case.h"

#define CASE       CASE_JOIN(READY, max)
#define CASE_TYPE  READY_TYPE
#define CASE_OP    GP_MAX
#define CASE_REF   ref_max
#define CASE_EMPTY (READY_TYPE)(READY_LOWEST)
#define CASE_MAKE  READY_ANY
#ifdef READY_SAME
#define CASE_SAME READY_SAME
#endif
#include "fold_case.h"

#ifndef READY_FLOATING
#define CASE       CASE_JOIN(READY, all_bits)
#define CASE_TYPE  READY_TYPE
#define CASE_OP    GP_AND
#define CASE_REF   ref_and
#define CASE_EMPTY (READY_TYPE)-1
#define CASE_MAKE  (READY_TYPE)(READY_ANY | (READY_TYPE)(r >> 40) | (READY_TYPE)5)
#include "fold_case.h"

#define CASE       CASE_JOIN(READY, any_bits)
#define CASE_TYPE  READY_TYPE
#define CASE_OP    GP_OR
#define CASE_REF   ref_or
#define CASE_EMPTY (READY_TYPE)0
#define CASE_MAKE  (READY_TYPE)(i % 100 ? 0 : READY_ANY & (READY_TYPE)(r >> 40))
#include "fold_case.h"

#define CASE       CASE_JOIN(READY, odd_bits)
#define CASE_TYPE  READY_TYPE
#define CASE_OP    GP_XOR
#define CASE_REF   ref_xor
#define CASE_EMPTY (READY_TYPE)0
#define CASE_MAKE  READY_ANY
#include "fold_case.h"
#endif

static void CASE_JOIN(READY, check)(void)
{
    ready_check(&CASE_JOIN(CASE_JOIN(READY, sum), case));
    ready_check(&CASE_JOIN(CASE_JOIN(READY, product), case));
    ready_check(&CASE_JOIN(CASE_JOIN(READY, min), case));
    ready_check(&CASE_JOIN(CASE_JOIN(READY, max), case));
#ifndef READY_FLOATING
    ready_check(&CASE_JOIN(CASE_JOIN(READY, all_bits), case));
    ready_check(&CASE_JOIN(CASE_JOIN(READY, any_bits), case));
    ready_check(&CASE_JOIN(CASE_JOIN(READY, odd_bits), case));
#endif
}

#undef READY
#undef READY_TYPE
#undef READY_ANY
#undef READY_TERM
#undef READY_FACTOR
#undef READY_PRODUCT
#undef READY_LOWEST
#undef READY_HIGHEST
#undef READY_SAME
#undef READY_FLOATING
