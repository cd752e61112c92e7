/* bench_one_group.h: the end of an instance with one group, whose BENCH(entries) and BENCH(reference) come before.
 *
 * Parameters, besides those of the instance: BENCH_OUT (BENCH_IN), BENCH_IN_ELEMENT and BENCH_OUT_ELEMENT (those of
 * the labels), BENCH_RESULT (RESULT_N), BENCH_TRAIT (LOW_BIT_AS_IS), BENCH_MAP_BYTES (0), BENCH_ROUNDS (0),
 * BENCH_CLASSIC (no more entries).
 */
#ifndef BENCH_OUT
#define BENCH_OUT BENCH_IN
#endif
#ifndef BENCH_IN_ELEMENT
#define BENCH_IN_ELEMENT BENCH_JOIN(BENCH_ELEMENT_, BENCH_IN)
#endif
#ifndef BENCH_OUT_ELEMENT
#define BENCH_OUT_ELEMENT BENCH_JOIN(BENCH_ELEMENT_, BENCH_OUT)
#endif
#ifndef BENCH_RESULT
#define BENCH_RESULT RESULT_N
#endif
#ifndef BENCH_TRAIT
#define BENCH_TRAIT LOW_BIT_AS_IS
#endif
#ifndef BENCH_MAP_BYTES
#define BENCH_MAP_BYTES 0
#endif
#ifndef BENCH_ROUNDS
#define BENCH_ROUNDS 0
#endif

static const bench_group BENCH(group)[] = {{
    BENCH_TEXT(BENCH_PRIMITIVE),
    BENCH_TEXT(BENCH_TYPE),
    BENCH_IN_ELEMENT,
    BENCH_OUT_ELEMENT,
    BENCH_RESULT,
    BENCH_TRAIT,
    0,
    BENCH_MAP_BYTES,
    BENCH_ROUNDS,
    BENCH(reference),
    BENCH(entries),
    BENCH_COUNT(BENCH(entries)),
    BENCH_MORE,
}};

extern const bench_instance BENCH(instance);
const bench_instance BENCH(instance) = {BENCH(group), BENCH_COUNT(BENCH(group))};
