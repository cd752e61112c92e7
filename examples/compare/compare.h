/* compare.h: what is compared. The table of it is made of the row files, tests/benchmark/rows. */
#ifndef COMPARE_H
#define COMPARE_H

#include "bench.h"
#include "element.h"

/* Implementations that run on the same data and should give the same. */
typedef struct compare_section {
    const char *name, *title;                     /* title: of the banner */
    int random_limit;                             /* random data are 0 to random_limit - 1 */
    const bench_instance *instance[KERNEL_COUNT]; /* has the reference; NULL: not for this type */
} compare_section;

/* One of them: an entry of an instance, and how it is called here. */
typedef struct compare_row {
    const char *section, *entry, *name;
    const bench_instance *instance[KERNEL_COUNT];
} compare_row;

/* NULL at the end. */
extern const compare_section compare_sections[];
extern const compare_row compare_rows[];

#ifdef COMPARE_PLANTED
extern const compare_row compare_planted_rows[];
#endif

#endif
