/* gpbench.cu: measures every primitive against CUB and memcpy. Try `gpbench --help`.
 *
 * The program is C in the common subset of C11 and C++17, so it is built twice from the same text:
 * by nvcc for the GPU, and by gcc for the library's CPU backend. Only the bench_*_cub.h are C++.
 *
 *     bench.h       what there is to measure       device.h    the device, the arrays of a group
 *     bench_*.h     templates of instances         check.h     comparing results on the device
 *     options.h     the command line               flush.h     emptying the caches
 *     sample.h      rows of everything, summed up  measure.h   run, check, time
 *     input.h       the distributions              report.h    what is printed and written
 *
 * All but options.h, report.h and sample.h are the harness that examples/compare stands on too.
 *
 * A new primitive is a row file, rows/NAME.py, and a template: README.md.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "device.h"
#include "machine.h"
#include "measure.h"
#include "options.h"
#include "report.h"
#include "sample.h"

/* The table of all instances, made by meson.build, and that of the sample; NULL at the end. */
extern const bench_instance *const gpbench_instances[];
extern const bench_sample gpbench_sample[];

typedef struct program {
    options o;
    machine about;
    device d;
    csv_file csv;
    int total, done, failed, left_out, profiled;
    sample sample;
    int sample_rows; /* to come, and for how long */
    double sample_seconds;
} program;

/* ---- what is selected ---- */

static int matches_type(const options *o, const bench_group *g)
{
    const char *list = o->types;
    char word[64];

    while (list) {
        list = list_next("--types", list, word, sizeof word);
        if (strcmp(word, g->type) == 0)
            return 1;
    }
    return o->types == NULL;
}

/* A misspelt type must not pass for one that was measured. */
static void require_types(const options *o)
{
    const char *list = o->types;
    char word[64];

    while (list) {
        int found = 0, i, k;

        list = list_next("--types", list, word, sizeof word);
        for (i = 0; gpbench_instances[i]; i++)
            for (k = 0; k < gpbench_instances[i]->groups; k++)
                found |= strcmp(word, gpbench_instances[i]->group[k].type) == 0;
        if (!found)
            quit(EXIT_USAGE, "--types names '%s', which no primitive is measured for", word);
    }
}

static int is_selected(const options *o, const bench_group *g, const bench_entry *e)
{
    const char *list = o->filter;
    char name[256], word[256];

    if (!matches_type(o, g))
        return 0;
#ifdef __CUDACC__
    if ((e->flags & ENTRY_HOST) && !o->cpu && !o->list)
        return 0;
#endif
    snprintf(name, sizeof name, "%s/%s/%s", g->primitive, g->type, e->name);
    while (list) {
        list = list_next("--filter", list, word, sizeof word);
        if (strpbrk(word, "*?[") ? fnmatch(word, name, 0) == 0 : strstr(name, word) != NULL)
            return 1;
    }
    return o->filter == NULL;
}

/* A rung competes once for each block size. */
static void select_entry(const options *o, contest *c, const bench_entry *e)
{
    int i, blocks = (e->flags & ENTRY_RUNG) && !o->list ? o->blocks : 1;

    if (!is_selected(o, c->g, e) || (o->sample && !sample_has(e)))
        return;
    for (i = 0; i < blocks && c->subjects < MAX_SUBJECTS; i++) {
        subject *s = &c->subject[c->subjects++];

        memset(s, 0, sizeof *s);
        s->entry = e;
        s->block = o->block[i];
    }
}

static void select_entries(const options *o, contest *c)
{
    int i;

    c->subjects = 0;
    select_entry(o, c, &memcpy_entry);
    for (i = 0; i < c->g->entries; i++)
        select_entry(o, c, &c->g->entry[i]);
    for (i = 0; c->g->more && i < c->g->more->count; i++)
        select_entry(o, c, &c->g->more->entry[i]);
    if (c->subjects == 1 && c->subject[0].entry == &memcpy_entry && o->filter == NULL)
        c->subjects = 0; /* memcpy alone, and nobody asked for it */
}

/* ---- one group at one size ---- */

static void open_subjects(program *p, contest *c)
{
    int i;

    for (i = 0; i < c->subjects; i++) {
        c->subject[i].ms = (double *)malloc((size_t)p->o.contest.repeat * sizeof(double));
        if (!c->subject[i].ms)
            quit(EXIT_USAGE, "out of memory");
    }
}

/* Checks, measures, checks once more, now that a kept workspace has seen many calls, and only then
 * reports. */
static cudaError_t measure_and_report(program *p, contest *c, timing how, int batch)
{
    int i;

    for (i = 0; i < c->subjects; i++)
        check_subject(c, &c->subject[i]);
    RETURN_IF_ERROR(time_subjects(c, how, batch));
    for (i = 0; i < c->subjects; i++)
        check_subject(c, &c->subject[i]);
    blame_all(c);
    if (p->o.sample)
        sample_add(&p->sample, &p->about, c, p->csv.stream, how, batch);
    else
        report_rows(&p->about, c, &p->csv, p->o.blocks, how, batch);
    return cudaSuccess;
}

static cudaError_t measure_sample(program *p, contest *c)
{
    RETURN_IF_ERROR(measure_and_report(p, c, TIMING_COLD, 1));
    RETURN_IF_ERROR(measure_and_report(p, c, TIMING_WARM, 1));
    return sample_modes(c->a.n) < 3 ? cudaSuccess : measure_and_report(p, c, TIMING_WARM, SAMPLE_BATCH);
}

static cudaError_t measure(program *p, contest *c)
{
    const options *o = &p->o;
    int k;

    for (k = 0; k < o->batches; k++) {
        if (o->cold && o->batch[k] == 1)
            RETURN_IF_ERROR(measure_and_report(p, c, TIMING_COLD, 1));
        if (o->warm || o->batch[k] > 1)
            RETURN_IF_ERROR(measure_and_report(p, c, TIMING_WARM, o->batch[k]));
        if (o->contest.copies && o->batch[k] == 1)
            RETURN_IF_ERROR(measure_and_report(p, c, TIMING_COPIES, 1));
    }
    return cudaSuccess;
}

static cudaError_t profile(program *p, contest *c)
{
    int i;

    for (i = 0; i < c->subjects; i++) {
        subject *s = &c->subject[i];

        check_subject(c, s);
        blame(c, s);
        if (s->failed)
            continue;
        RETURN_IF_ERROR(profile_subject(c, s, ++p->profiled));
        profile_row(c, s, p->profiled);
    }
    return cudaSuccess;
}

static void run_contest(program *p, contest *c, size_t n)
{
    cudaError_t error;
    int i;

    c->d = &p->d;
    c->o = &p->o.contest;
    c->seed = 0;
    error = arrays_allocate(&c->a, c->g, p->o.contest.offset_in, p->o.contest.offset_out, n,
                            p->d.stream);
    progress_show(c, p->done++, p->total);
    if (error == cudaSuccess)
        error = fill_input(c);
    if (error == cudaSuccess)
        error = prepare_scratch(c);
    if (error == cudaSuccess)
        error = make_expected(c);
    if (error == cudaSuccess) {
        open_subjects(p, c);
        error = p->o.profile  ? profile(p, c)
                : p->o.sample ? measure_sample(p, c)
                              : measure(p, c);
    }
    progress_hide();
    if (error == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        fprintf(stderr, "gpbench: %s/%s, n = %zu: left out, it does not fit into memory\n",
                c->g->primitive, c->g->type, n);
        p->left_out++;
    } else if (error != cudaSuccess) {
        blame_all(c);
        fail_with_error(&c->subject[0], error);
        blame(c, &c->subject[0]);
        p->failed++;
    }
    for (i = 0; i < c->subjects; i++) {
        p->failed += error == cudaSuccess && c->subject[i].failed;
        free(c->subject[i].ms);
        c->subject[i].ms = NULL;
        c->subject[i].found.kind = VERDICT_PASSED;
        c->subject[i].failed = c->subject[i].is_blamed = 0;
    }
    arrays_free(&c->a, p->d.stream);
    if (cudaDeviceSynchronize() != cudaSuccess)
        quit(EXIT_WRONG, "the device does not recover: %s", cudaGetErrorString(cudaGetLastError()));
}

static void run_group(program *p, const bench_group *g, int only_count)
{
    contest c;
    int i, k;

    memset(&c, 0, sizeof c);
    c.g = g;
    select_entries(&p->o, &c);
    if (c.subjects == 0)
        return;
    if (only_count) {
        p->total += p->o.distributions * p->o.sizes;
        for (k = 0; k < p->o.sizes; k++) {
            p->sample_rows += p->o.distributions * sample_modes(p->o.size[k]);
            p->sample_seconds += p->o.distributions * sample_seconds(p->o.size[k], p->o.contest.repeat);
        }
        for (i = 0; p->o.list && !p->o.sample && i < c.subjects; i++)
            printf("%s/%s/%s\n", g->primitive, g->type, c.subject[i].entry->name);
        return;
    }
    for (i = 0; i < p->o.distributions; i++)
        for (k = 0; k < p->o.sizes; k++) {
            c.distribution = p->o.distribution[i];
            run_contest(p, &c, p->o.size[k]);
        }
}

/* All groups, or that of a line of the sample. */
static void run_groups(program *p, const bench_sample *line, int only_count)
{
    char name[256];
    int i, k;

    for (i = 0; gpbench_instances[i]; i++)
        for (k = 0; k < gpbench_instances[i]->groups; k++) {
            const bench_group *g = &gpbench_instances[i]->group[k];

            snprintf(name, sizeof name, "%s/%s", g->primitive, g->type);
            if (!line || strcmp(name, line->group) == 0)
                run_group(p, g, only_count);
        }
}

/* Line by line, with the sizes of each unless others are given. */
static void run_sample(program *p, int only_count)
{
    const bench_sample *line;

    for (line = gpbench_sample; line->group; line++) {
        if (!p->o.has_sizes)
            parse_sizes(&p->o, line->sizes);
        parse_distributions(&p->o, line->distributions);
        run_groups(p, line, only_count);
    }
}

static void run_all(program *p, int only_count)
{
    if (p->o.sample)
        run_sample(p, only_count);
    else
        run_groups(p, NULL, only_count);
}

/* ---- gpbench tune ---- */

/* The variants are built by a compiler, which is a script's work. */
static void run_tune(int argc, char **argv)
{
    static const char script[] = GPBENCH_SOURCE "/tune.py";
    char **arguments = (char **)calloc((size_t)argc + 2, sizeof *arguments);
    int i;

    if (access(script, R_OK) != 0)
        quit(EXIT_USAGE, "cannot find %s; gpbench tune needs the source tree", script);
    if (!arguments)
        quit(EXIT_USAGE, "out of memory");
    arguments[0] = (char *)"python3";
    arguments[1] = (char *)script;
    for (i = 2; i < argc; i++)
        arguments[i] = argv[i];
    execvp(arguments[0], arguments);
    quit(EXIT_USAGE, "cannot run python3: %s", strerror(errno));
}

int main(int argc, char **argv)
{
    program p;

    if (argc > 1 && strcmp(argv[1], "tune") == 0)
        run_tune(argc, argv);
    memset(&p, 0, sizeof p);
    p.o = options_parse(argc, argv);
    require_types(&p.o);
    run_all(&p, 1);
    if (p.total == 0)
        quit(EXIT_USAGE, "--filter and --types select nothing; --list prints what there is");
    if (p.o.sample && p.sample_rows > MAX_SAMPLE_ROWS)
        quit(EXIT_USAGE, "--sample makes no more than %d rows, not %d", MAX_SAMPLE_ROWS, p.sample_rows);
    if (p.o.sample)
        printf("a sample of %d rows, which takes about %.0f s on an H200\n", p.sample_rows, p.sample_seconds);
    if (!p.o.list) {
#ifdef __CUDACC__
        size_t large = (size_t)1 << 30;
#else
        size_t large = (size_t)1 << 25;
#endif
        csv_open(&p.csv, p.o.csv, ".partial", p.o.sample ? SAMPLE_COLUMNS : CSV_COLUMNS);
        device_open(&p.d);
        machine_describe(&p.about);
        device_require(measure_memcpy(&p.d, large, p.o.contest.repeat, &p.d.memcpy_rate),
                       "a large copy");
        if (!p.o.profile)
            print_head(&p.about, &p.d, &p.o);
        if (p.o.sample)
            sample_print_columns();
        else if (!p.o.profile)
            print_columns();
        run_all(&p, 0);
        if (p.o.sample)
            sample_print_summary(&p.sample);
        device_close(&p.d);
        csv_close(&p.csv);
    }
    if (fflush(stdout) != 0 || ferror(stdout))
        quit(EXIT_USAGE, "cannot write to standard output");
    if (p.left_out)
        fprintf(stderr, "gpbench: %d of %d left out for lack of memory\n", p.left_out, p.total);
    if (p.failed)
        quit(EXIT_WRONG, "%d wrong, see above: they have no row", p.failed);
    return EXIT_RIGHT;
}
