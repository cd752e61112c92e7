/*
 * core/backend/cpu/launch_tables.h: the stream of a GP_LAUNCH and the up to 24 arguments after it, as macros
 * that count them, type them, store them and pass them on. Numbered from the last one backwards.
 *
 * Part of core/backend/launch.cuh; not to be included directly.
 */
#ifndef GPI_CPU_LAUNCH_TABLES_H
#define GPI_CPU_LAUNCH_TABLES_H

/* clang-format off */

/* How many there are, the stream counted. */
#define GPI_CPU_COUNT(...) \
    GPI_CPU_COUNT_(__VA_ARGS__, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define GPI_CPU_COUNT_(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17, _18, _19, _20, _21, _22, _23, _24, _25, n, ...) n

/* A type for each, as it is passed by value: arrays decay. */
#define GPI_CPU_TYPE(i, a) typedef __typeof__(__extension__({ (a); })) gpi_type##i;
#define GPI_CPU_TYPES_1(a) GPI_CPU_TYPE(1, a)
#define GPI_CPU_TYPES_2(a, ...) GPI_CPU_TYPE(2, a) GPI_CPU_TYPES_1(__VA_ARGS__)
#define GPI_CPU_TYPES_3(a, ...) GPI_CPU_TYPE(3, a) GPI_CPU_TYPES_2(__VA_ARGS__)
#define GPI_CPU_TYPES_4(a, ...) GPI_CPU_TYPE(4, a) GPI_CPU_TYPES_3(__VA_ARGS__)
#define GPI_CPU_TYPES_5(a, ...) GPI_CPU_TYPE(5, a) GPI_CPU_TYPES_4(__VA_ARGS__)
#define GPI_CPU_TYPES_6(a, ...) GPI_CPU_TYPE(6, a) GPI_CPU_TYPES_5(__VA_ARGS__)
#define GPI_CPU_TYPES_7(a, ...) GPI_CPU_TYPE(7, a) GPI_CPU_TYPES_6(__VA_ARGS__)
#define GPI_CPU_TYPES_8(a, ...) GPI_CPU_TYPE(8, a) GPI_CPU_TYPES_7(__VA_ARGS__)
#define GPI_CPU_TYPES_9(a, ...) GPI_CPU_TYPE(9, a) GPI_CPU_TYPES_8(__VA_ARGS__)
#define GPI_CPU_TYPES_10(a, ...) GPI_CPU_TYPE(10, a) GPI_CPU_TYPES_9(__VA_ARGS__)
#define GPI_CPU_TYPES_11(a, ...) GPI_CPU_TYPE(11, a) GPI_CPU_TYPES_10(__VA_ARGS__)
#define GPI_CPU_TYPES_12(a, ...) GPI_CPU_TYPE(12, a) GPI_CPU_TYPES_11(__VA_ARGS__)
#define GPI_CPU_TYPES_13(a, ...) GPI_CPU_TYPE(13, a) GPI_CPU_TYPES_12(__VA_ARGS__)
#define GPI_CPU_TYPES_14(a, ...) GPI_CPU_TYPE(14, a) GPI_CPU_TYPES_13(__VA_ARGS__)
#define GPI_CPU_TYPES_15(a, ...) GPI_CPU_TYPE(15, a) GPI_CPU_TYPES_14(__VA_ARGS__)
#define GPI_CPU_TYPES_16(a, ...) GPI_CPU_TYPE(16, a) GPI_CPU_TYPES_15(__VA_ARGS__)
#define GPI_CPU_TYPES_17(a, ...) GPI_CPU_TYPE(17, a) GPI_CPU_TYPES_16(__VA_ARGS__)
#define GPI_CPU_TYPES_18(a, ...) GPI_CPU_TYPE(18, a) GPI_CPU_TYPES_17(__VA_ARGS__)
#define GPI_CPU_TYPES_19(a, ...) GPI_CPU_TYPE(19, a) GPI_CPU_TYPES_18(__VA_ARGS__)
#define GPI_CPU_TYPES_20(a, ...) GPI_CPU_TYPE(20, a) GPI_CPU_TYPES_19(__VA_ARGS__)
#define GPI_CPU_TYPES_21(a, ...) GPI_CPU_TYPE(21, a) GPI_CPU_TYPES_20(__VA_ARGS__)
#define GPI_CPU_TYPES_22(a, ...) GPI_CPU_TYPE(22, a) GPI_CPU_TYPES_21(__VA_ARGS__)
#define GPI_CPU_TYPES_23(a, ...) GPI_CPU_TYPE(23, a) GPI_CPU_TYPES_22(__VA_ARGS__)
#define GPI_CPU_TYPES_24(a, ...) GPI_CPU_TYPE(24, a) GPI_CPU_TYPES_23(__VA_ARGS__)
#define GPI_CPU_TYPES_25(a, ...) GPI_CPU_TYPE(25, a) GPI_CPU_TYPES_24(__VA_ARGS__)

/* A struct member for each. */
#define GPI_CPU_FIELDS_1 gpi_type1 a1;
#define GPI_CPU_FIELDS_2 gpi_type2 a2; GPI_CPU_FIELDS_1
#define GPI_CPU_FIELDS_3 gpi_type3 a3; GPI_CPU_FIELDS_2
#define GPI_CPU_FIELDS_4 gpi_type4 a4; GPI_CPU_FIELDS_3
#define GPI_CPU_FIELDS_5 gpi_type5 a5; GPI_CPU_FIELDS_4
#define GPI_CPU_FIELDS_6 gpi_type6 a6; GPI_CPU_FIELDS_5
#define GPI_CPU_FIELDS_7 gpi_type7 a7; GPI_CPU_FIELDS_6
#define GPI_CPU_FIELDS_8 gpi_type8 a8; GPI_CPU_FIELDS_7
#define GPI_CPU_FIELDS_9 gpi_type9 a9; GPI_CPU_FIELDS_8
#define GPI_CPU_FIELDS_10 gpi_type10 a10; GPI_CPU_FIELDS_9
#define GPI_CPU_FIELDS_11 gpi_type11 a11; GPI_CPU_FIELDS_10
#define GPI_CPU_FIELDS_12 gpi_type12 a12; GPI_CPU_FIELDS_11
#define GPI_CPU_FIELDS_13 gpi_type13 a13; GPI_CPU_FIELDS_12
#define GPI_CPU_FIELDS_14 gpi_type14 a14; GPI_CPU_FIELDS_13
#define GPI_CPU_FIELDS_15 gpi_type15 a15; GPI_CPU_FIELDS_14
#define GPI_CPU_FIELDS_16 gpi_type16 a16; GPI_CPU_FIELDS_15
#define GPI_CPU_FIELDS_17 gpi_type17 a17; GPI_CPU_FIELDS_16
#define GPI_CPU_FIELDS_18 gpi_type18 a18; GPI_CPU_FIELDS_17
#define GPI_CPU_FIELDS_19 gpi_type19 a19; GPI_CPU_FIELDS_18
#define GPI_CPU_FIELDS_20 gpi_type20 a20; GPI_CPU_FIELDS_19
#define GPI_CPU_FIELDS_21 gpi_type21 a21; GPI_CPU_FIELDS_20
#define GPI_CPU_FIELDS_22 gpi_type22 a22; GPI_CPU_FIELDS_21
#define GPI_CPU_FIELDS_23 gpi_type23 a23; GPI_CPU_FIELDS_22
#define GPI_CPU_FIELDS_24 gpi_type24 a24; GPI_CPU_FIELDS_23
#define GPI_CPU_FIELDS_25 gpi_type25 a25; GPI_CPU_FIELDS_24

/* The members after the stream, as arguments of a call. */
#define GPI_CPU_PASS_1
#define GPI_CPU_PASS_2 gpi_c->a1
#define GPI_CPU_PASS_3 gpi_c->a2, GPI_CPU_PASS_2
#define GPI_CPU_PASS_4 gpi_c->a3, GPI_CPU_PASS_3
#define GPI_CPU_PASS_5 gpi_c->a4, GPI_CPU_PASS_4
#define GPI_CPU_PASS_6 gpi_c->a5, GPI_CPU_PASS_5
#define GPI_CPU_PASS_7 gpi_c->a6, GPI_CPU_PASS_6
#define GPI_CPU_PASS_8 gpi_c->a7, GPI_CPU_PASS_7
#define GPI_CPU_PASS_9 gpi_c->a8, GPI_CPU_PASS_8
#define GPI_CPU_PASS_10 gpi_c->a9, GPI_CPU_PASS_9
#define GPI_CPU_PASS_11 gpi_c->a10, GPI_CPU_PASS_10
#define GPI_CPU_PASS_12 gpi_c->a11, GPI_CPU_PASS_11
#define GPI_CPU_PASS_13 gpi_c->a12, GPI_CPU_PASS_12
#define GPI_CPU_PASS_14 gpi_c->a13, GPI_CPU_PASS_13
#define GPI_CPU_PASS_15 gpi_c->a14, GPI_CPU_PASS_14
#define GPI_CPU_PASS_16 gpi_c->a15, GPI_CPU_PASS_15
#define GPI_CPU_PASS_17 gpi_c->a16, GPI_CPU_PASS_16
#define GPI_CPU_PASS_18 gpi_c->a17, GPI_CPU_PASS_17
#define GPI_CPU_PASS_19 gpi_c->a18, GPI_CPU_PASS_18
#define GPI_CPU_PASS_20 gpi_c->a19, GPI_CPU_PASS_19
#define GPI_CPU_PASS_21 gpi_c->a20, GPI_CPU_PASS_20
#define GPI_CPU_PASS_22 gpi_c->a21, GPI_CPU_PASS_21
#define GPI_CPU_PASS_23 gpi_c->a22, GPI_CPU_PASS_22
#define GPI_CPU_PASS_24 gpi_c->a23, GPI_CPU_PASS_23
#define GPI_CPU_PASS_25 gpi_c->a24, GPI_CPU_PASS_24

/* clang-format on */

#endif
