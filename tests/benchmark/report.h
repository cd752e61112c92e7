/* report.h: what gpbench writes: the table on stdout, progress on stderr, the CSV file. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <unistd.h>

#include "csv.h"
#include "machine.h"
#include "measure.h"
#include "options.h"

/* What csv_row writes. An interrupted run of an hour is not lost: its rows stay in FILE.partial. */
#define CSV_COLUMNS                                                                           \
    "primitive,implementation,type,distribution,n,cache,batch,median_ms,min_ms,max_ms,bytes," \
    "GBps,of_memcpy,vs_cub,items_per_s,gpu,driver,toolkit,cub,commit,date,repeat,block,"      \
    "offset_in,offset_out,fresh"

/* ---- progress ---- */

/* One line that is overwritten and in the end erased; only for someone who waits at a terminal. */
static inline void progress_show(const contest *c, int done, int total)
{
    if (isatty(STDERR_FILENO)) {
        fflush(stdout);
        fprintf(stderr, "\r\033[K%d of %d: %s/%s, n = %zu", done + 1, total, c->g->primitive,
                c->g->type, c->a.n);
    }
}

static inline void progress_hide(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

/* ---- failures ---- */

/* Says on standard error what is wrong with an implementation, once. */
static inline void blame(const contest *c, subject *s)
{
    const verdict *v = &s->found;

    if (v->kind == VERDICT_PASSED || s->is_blamed)
        return;
    s->is_blamed = 1;
    fflush(stdout);
    fprintf(stderr, BENCH_PROGRAM ": %s/%s/%s, %s, n = %zu: ", c->g->primitive, c->g->type,
            s->entry->name, distribution_names[c->distribution], c->a.n);
    switch (v->kind) {
    case VERDICT_COUNT:
        fprintf(stderr, "the count is %zu, that of %s %zu\n", v->got, c->judge, v->expected);
        break;
    case VERDICT_ITEM:
        fprintf(stderr, "item %zu of the result differs from that of %s\n", v->index, c->judge);
        break;
    case VERDICT_STRAY:
        fprintf(stderr, "byte %lld of the output was written, but the result has %zu\n", v->offset,
                v->expected);
        break;
    default: fprintf(stderr, "%s: %s\n", cudaGetErrorName(v->error), v->sentence);
    }
}

static inline void blame_all(contest *c)
{
    int i;

    for (i = 0; i < c->subjects; i++)
        blame(c, &c->subject[i]);
}

/* Of a profiled call: the number of its mark, and what it was. */
static inline void profile_row(const contest *c, const subject *s, int number)
{
    progress_hide();
    printf("%d %s %s %s %zu %d\n", number, c->g->primitive, s->entry->name, c->g->type, c->a.n,
           s->block);
    fflush(stdout);
}

/* ---- rows ---- */

/* Measured, or 0 where there is nothing to measure by. */
typedef struct ratios {
    double of_memcpy, vs_cub;
} ratios;

static inline ratios ratios_of(const contest *c, const subject *s)
{
    double rate = c->d->memcpy_rate, cub = 0;
    ratios r = {0, 0};
    int i;

    for (i = 0; i < c->subjects; i++) {
        const subject *other = &c->subject[i];

        if (!other->failed && (other->entry->flags & ENTRY_CUB) &&
            (!(other->entry->flags & ENTRY_TOOLKIT) || cub == 0))
            cub = other->median;
        /* Below that it is a matter of launches and caches, and no limit to anything. */
        if (!other->failed && other->entry == &memcpy_entry && other->median > 0 &&
            c->bytes >= 4 * (double)c->d->l2_bytes)
            rate = c->bytes / other->median;
    }
    if (s->median > 0 && rate > 0)
        r.of_memcpy = c->bytes / s->median / rate;
    if (s->median > 0 && cub > 0 && s->entry != &memcpy_entry)
        r.vs_cub = cub / s->median;
    return r;
}

static inline void print_ratio(FILE *to, const char *format, double ratio)
{
    if (ratio > 0)
        fprintf(to, format, ratio);
}

static inline void csv_row(FILE *to, const machine *m, const contest *c, const subject *s,
                           timing how, int batch)
{
    ratios r = ratios_of(c, s);
    double per_s = s->median > 0 ? 1e3 / s->median : 0;

    fprintf(to, "%s,%s,%s,%s,%zu,%s,%d,%.6f,%.6f,%.6f,%.0f,%.6g,", c->g->primitive, s->entry->name,
            c->g->type, distribution_names[c->distribution], c->a.n, timing_names[how], batch,
            s->median, s->min, s->max, c->bytes, c->bytes * per_s * 1e-9);
    print_ratio(to, "%.4f", r.of_memcpy);
    fputc(',', to);
    print_ratio(to, "%.4f", r.vs_cub);
    fprintf(to, ",%.0f,%s,%s,%s,%s,%s,%s,%d,%d,%zu,%zu,%d\n", (double)c->a.n * per_s, m->gpu,
            m->driver, m->toolkit, s->entry->flags & ENTRY_TOOLKIT ? m->cub_toolkit : m->cub, m->commit,
            m->date, s->runs, s->block, c->o->offset_in, c->o->offset_out, c->o->fresh);
    fflush(to);
}

static inline void print_head(const machine *m, const device *d, const options *o)
{
    printf("gpbench on %s, driver %s, toolkit %s, CUB %s%s%s, commit %s, %s\n", m->gpu,
           *m->driver ? m->driver : "none", m->toolkit, *m->cub ? m->cub : "none",
           *m->cub_toolkit ? " and the toolkit's " : "", m->cub_toolkit, m->commit, m->date);
    printf("median of %d; a large copy moves %.1f GB/s\n", o->contest.repeat,
           d->memcpy_rate * 1e-6);
}

static inline void print_columns(void)
{
    printf("%-44s %-8s %12s %-6s %5s %12s %9s %7s %7s\n", "primitive/type/implementation", "input",
           "n", "", "batch", "median ms", "GB/s", "memcpy", "CUB");
}

static inline void print_row(const contest *c, const subject *s, int blocks, timing how, int batch)
{
    ratios r = ratios_of(c, s);
    char name[128];

    snprintf(name, sizeof name, "%s/%s/%s", c->g->primitive, c->g->type, s->entry->name);
    if ((s->entry->flags & ENTRY_RUNG) && blocks > 1)
        snprintf(name + strlen(name), sizeof name - strlen(name), "/%d", s->block);
    printf("%-44s %-8s %12zu %-6s %5d %12.6f %9.1f", name, distribution_names[c->distribution],
           c->a.n, timing_names[how], batch, s->median,
           s->median > 0 ? c->bytes / s->median * 1e-6 : 0);
    print_ratio(stdout, " %7.3f", r.of_memcpy);
    print_ratio(stdout, " %6.2fx", r.vs_cub);
    putchar('\n');
}

static inline void report_rows(const machine *m, const contest *c, csv_file *csv, int blocks,
                               timing how, int batch)
{
    int i;

    progress_hide();
    for (i = 0; i < c->subjects; i++) {
        if (c->subject[i].failed || !c->subject[i].runs)
            continue;
        print_row(c, &c->subject[i], blocks, how, batch);
        if (csv->stream)
            csv_row(csv->stream, m, c, &c->subject[i], how, batch);
    }
    fflush(stdout);
}

#endif
