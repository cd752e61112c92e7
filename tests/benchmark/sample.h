/* sample.h: gpbench --sample: rows of everything, each the library beside the better of the CUBs, and their summary. */
#ifndef BENCH_SAMPLE_H
#define BENCH_SAMPLE_H

#include <math.h>

#include "machine.h"
#include "measure.h"

enum { MAX_SAMPLE_ROWS = 1500, SAMPLE_BATCH = 20, SAMPLE_WORST = 20 };

/* From here on a call takes so long that a batch tells nothing more than a warm one does. */
#define SAMPLE_BATCH_BELOW ((size_t)1 << 24)

/* Of the better CUB's speed: below that a row is counted. */
#define SAMPLE_LEVEL 1.05

#define SAMPLE_COLUMNS                                                                                    \
    "primitive,type,distribution,n,cache,batch,gpuprims_ms,cub_ms,cub_toolkit_ms,of_better_cub,gpu,driver," \
    "toolkit,cub,cub_toolkit,commit,date,repeat"

typedef struct sample_row {
    const bench_group *g;
    int distribution, batch;
    size_t n;
    timing how;
    double ratio;
} sample_row;

typedef struct sample {
    sample_row row[MAX_SAMPLE_ROWS];
    int rows, measured; /* with a CUB beside them; all */
} sample;

/* Who takes part. */
static inline int sample_has(const bench_entry *e)
{
    return strcmp(e->name, "gpuprims") == 0 || strcmp(e->name, "CUB") == 0 || strcmp(e->name, "CUB_toolkit") == 0;
}

/* The modes of a size: cold and warm calls, and batches. */
static inline int sample_modes(size_t n)
{
    return n < SAMPLE_BATCH_BELOW ? 3 : 2;
}

/* How long a contest takes, in seconds, on an H200: what goes on around it, and for each run of all three, of which
 * some are not timed, 0.1 ns an item, as sorts by CUB take. */
static inline double sample_seconds(size_t n, int repeat)
{
    int runs = 7 + repeat * (sample_modes(n) == 3 ? 3 + SAMPLE_BATCH + 1 : 3);

    return 0.06 + 1e-10 * (double)n * runs;
}

static inline double sample_median(const contest *c, const char *name)
{
    int i;

    for (i = 0; i < c->subjects; i++)
        if (strcmp(c->subject[i].entry->name, name) == 0 && !c->subject[i].failed)
            return c->subject[i].median;
    return 0;
}

static inline void print_or_comma(FILE *to, const char *format, double value)
{
    if (value > 0)
        fprintf(to, format, value);
    fputc(',', to);
}

/* One row, of what has been timed last. */
static inline void sample_add(sample *all, const machine *m, const contest *c, FILE *csv, timing how, int batch)
{
    double mine = sample_median(c, "gpuprims"), cub = sample_median(c, "CUB");
    double toolkit = sample_median(c, "CUB_toolkit");
    double better = toolkit > 0 && (toolkit < cub || cub == 0) ? toolkit : cub;
    double ratio = mine > 0 ? better / mine : 0;
    char name[128];

    if (mine <= 0)
        return;
    all->measured++;
    if (ratio > 0) {
        sample_row row = {c->g, c->distribution, batch, c->a.n, how, ratio};

        all->row[all->rows++] = row;
    }
    snprintf(name, sizeof name, "%s/%s", c->g->primitive, c->g->type);
    printf("%-28s %-8s %12zu %-6s %5d %12.6f %12.6f %12.6f %7.3f\n", name, distribution_names[c->distribution], c->a.n,
           timing_names[how], batch, mine, cub, toolkit, ratio);
    fflush(stdout);
    if (!csv)
        return;
    fprintf(csv, "%s,%s,%s,%zu,%s,%d,%.6f,", c->g->primitive, c->g->type, distribution_names[c->distribution], c->a.n,
            timing_names[how], batch, mine);
    print_or_comma(csv, "%.6f", cub);
    print_or_comma(csv, "%.6f", toolkit);
    print_or_comma(csv, "%.4f", ratio);
    fprintf(csv, "%s,%s,%s,%s,%s,%s,%s,%d\n", m->gpu, m->driver, m->toolkit, m->cub, m->cub_toolkit, m->commit, m->date,
            c->o->repeat);
    fflush(csv);
}

static inline void sample_print_columns(void)
{
    printf("%-28s %-8s %12s %-6s %5s %12s %12s %12s %7s\n", "primitive/type", "input", "n", "", "batch", "ms", "CUB ms",
           "toolkit's", "better");
}

/* ---- the summary ---- */

static inline int compare_rows(const void *a, const void *b)
{
    double x = ((const sample_row *)a)->ratio, y = ((const sample_row *)b)->ratio;

    return (x > y) - (x < y);
}

/* Of one primitive, or of all where it is NULL. Rows stand in the order of their ratios. */
static inline void sample_print_line(const sample *all, const char *primitive)
{
    double logs = 0;
    int i, rows = 0, below = 0;
    const sample_row *worst = NULL;

    for (i = 0; i < all->rows; i++) {
        const sample_row *row = &all->row[i];

        if (primitive && strcmp(row->g->primitive, primitive) != 0)
            continue;
        worst = worst ? worst : row;
        logs += log(row->ratio);
        below += row->ratio < SAMPLE_LEVEL;
        rows++;
    }
    printf("%-28s %6d %12d %9.3f %8.3f\n", primitive ? primitive : "all", rows, below, exp(logs / rows), worst->ratio);
}

static inline int sample_is_first(const sample *all, int i)
{
    int k = 0;

    while (strcmp(all->row[k].g->primitive, all->row[i].g->primitive) != 0)
        k++;
    return k == i;
}

static inline void sample_print_summary(sample *all)
{
    int i;

    if (all->rows == 0) {
        printf("%d rows, and no CUB beside them\n", all->measured);
        return;
    }
    qsort(all->row, (size_t)all->rows, sizeof *all->row, compare_rows);
    printf("\n%-28s %6s %12s %9s %8s\n", "of the better CUB's speed", "rows", "below 1.05", "geo. mean", "worst");
    for (i = 0; i < all->rows; i++)
        if (sample_is_first(all, i))
            sample_print_line(all, all->row[i].g->primitive);
    sample_print_line(all, NULL);
    printf("\nthe worst rows\n");
    for (i = 0; i < all->rows && i < SAMPLE_WORST; i++) {
        const sample_row *row = &all->row[i];

        printf("%7.3f  %s/%s, %s, n = %zu, %s, batch of %d\n", row->ratio, row->g->primitive, row->g->type,
               distribution_names[row->distribution], row->n, timing_names[row->how], row->batch);
    }
}

#endif
