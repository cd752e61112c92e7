/* compare.cu: every implementation of scan, stream compaction, find-max and sort, side by side.
 *
 * Each one runs on the same data, is checked against a reference computed on the CPU, and is timed.
 * The CPU comes first, then the textbook algorithms, then the library's primitive, then CUB: read
 * from top to bottom, the output shows what each idea buys. Try `compare --help`.
 *
 * The program is C in the common subset of C11 and C++17, so it is built twice from the same text:
 * by nvcc for the GPU, and by gcc for the library's CPU backend, where no GPU is needed.
 *
 *     options.h   the command line            compare.h   what is compared, by the row files
 *     element.h   the element types           report.h    what is printed and written
 *     data.h      random data and files
 *
 * It runs, checks and times by the harness of gpbench, tests/benchmark, on instances of the same templates.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#define BENCH_PROGRAM "compare"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare.h"
#include "data.h"
#include "measure.h"
#include "options.h"
#include "report.h"

/* Everything is run for n elements and for the first n - 3 of them: a length that is no power of
 * two, nor a multiple of anything, where many a parallel scan goes wrong. */
enum { LENGTHS = 2, SHORTER = 3 };

typedef struct comparison {
    compare_options options;
    contest_options contest;
    size_t n[LENGTHS];
    int lengths; /* that are run: 1 if the array is too short for the second */
    const char *label[LENGTHS];
    void *file_data; /* NULL: every section has its own random data */
    device machine;
    double started;
    int total, done, failed; /* runs */
} comparison;

/* What is selected of a section, in the order in which it is run. */
typedef struct selection {
    const compare_row *row[MAX_SUBJECTS];
    const bench_entry *entry[MAX_SUBJECTS];
    int count;
} selection;

/* Does text contain pattern, whatever the case? */
static inline int contains(const char *text, const char *pattern)
{
    for (;; text++) {
        size_t i = 0;
        while (pattern[i] != '\0' &&
               tolower((unsigned char)text[i]) == tolower((unsigned char)pattern[i]))
            i++;
        if (pattern[i] == '\0')
            return 1;
        if (*text == '\0')
            return 0;
    }
}

/* What a row names; NULL where that is not for this type, or this build. */
static inline const bench_entry *find_entry(const compare_row *row, element_type type)
{
    const bench_instance *instance = row->instance[element_kernel(type)];
    const bench_group *g;
    int i;
    if (instance == NULL)
        return NULL;
    g = &instance->group[0];
    for (i = 0; i < g->entries; i++)
        if (strcmp(g->entry[i].name, row->entry) == 0)
            return &g->entry[i];
    for (i = 0; g->more != NULL && i < g->more->count; i++)
        if (strcmp(g->more->entry[i].name, row->entry) == 0)
            return &g->more->entry[i];
    return NULL;
}

/* The CPU first, then the textbook, then the library, then CUB. */
static inline int stage(const bench_entry *entry)
{
    return entry->flags & ENTRY_HOST   ? 0
           : entry->flags & ENTRY_RUNG ? 1
           : entry->flags & ENTRY_CUB  ? 3
                                       : 2;
}

static inline void select_rows(const comparison *c, const compare_section *section,
                               const compare_row *rows, int wanted, selection *s)
{
    const char *only = c->options.only;
    if (section->instance[element_kernel(c->options.type)] == NULL)
        return;
    for (; rows->section != NULL; rows++) {
        const bench_entry *entry = find_entry(rows, c->options.type);
        if (strcmp(rows->section, section->name) != 0 || entry == NULL || stage(entry) != wanted ||
            s->count == MAX_SUBJECTS)
            continue;
        if (only == NULL || contains(rows->name, only) || contains(section->name, only)) {
            s->row[s->count] = rows;
            s->entry[s->count++] = entry;
        }
    }
}

static inline selection select_section(const comparison *c, const compare_section *section)
{
    selection s;
    int wanted;
    s.count = 0;
    for (wanted = 0; wanted < 4; wanted++)
        select_rows(c, section, compare_rows, wanted, &s);
#ifdef COMPARE_PLANTED
    for (wanted = 0; wanted < 4; wanted++)
        select_rows(c, section, compare_planted_rows, wanted, &s);
#endif
    return s;
}

static inline void choose_lengths(comparison *c)
{
    const compare_section *section;
    size_t n = c->options.size;
    c->n[0] = n;
    c->n[1] = n > SHORTER ? n - SHORTER : 0;
    c->lengths = n > SHORTER ? 2 : 1;
    /* From 8 on, a power of two minus 3 is none; the length of a file is what it happens to be. */
    if (c->options.input == NULL && (n & (n - 1)) == 0 && n >= 8) {
        c->label[0] = "power-of-two";
        c->label[1] = "non-power-of-two";
    } else {
        c->label[0] = "full length";
        c->label[1] = "full length - 3";
    }
    for (section = compare_sections; section->name != NULL; section++)
        c->total += select_section(c, section).count * c->lengths;
    if (c->total == 0)
        quit(EXIT_USAGE, "--only '%s' matches no implementation and no section", c->options.only);
}

static inline void load_data(comparison *c)
{
    if (c->options.input != NULL)
        c->file_data = data_load(c->options.input, c->options.type, &c->options.size);
    else
        require_memory(c->options.size);
}

static inline void print_head(const comparison *c)
{
    const compare_options *o = &c->options;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef __CUDACC__
    struct cudaDeviceProp properties;
    device_require(cudaGetDeviceProperties(&properties, 0), "its properties");
    printf("gpuprims compare on %s\n", properties.name);
#else
    puts("gpuprims compare on the CPU backend");
#endif
    printf("   data: %zu elements of %s", c->n[0], element_name(o->type));
    if (o->input != NULL)
        printf(" from %s\n", o->input);
    else
        printf(", random, seed %llu\n", (unsigned long long)o->seed);
    printf("   runs: blocks of %d threads, %d cpu threads, median of %d\n", o->block,
           processors < 1 ? 1 : (int)processors, o->repeat);
}

/* ---- one run ---- */

/* An element of an array on the device, for a mismatch. */
static inline double fetch_value(element_type type, const void *array, size_t i)
{
    unsigned char element[ELEMENT_BYTES] = {0};
    (void)cudaMemcpy(element, (const char *)array + i * ELEMENT_BYTES, ELEMENT_BYTES,
                     cudaMemcpyDeviceToHost);
    return element_value(type, element, 0);
}

/* The verdict in the words of the report. */
static inline void explain(element_type type, contest *c, const subject *s, outcome *run)
{
    run->result = s->found;
    if (s->found.kind == VERDICT_ITEM) {
        run->index = (long long)s->found.index;
        run->expected = fetch_value(type, c->a.expected, s->found.index);
        run->got = fetch_value(type, c->a.out, s->found.index);
        if (c->g->rounds)
            run->allowed =
                allowed_factor(c, s->entry) * fetch_value(type, c->a.magnitude, s->found.index);
    } else if (s->found.kind == VERDICT_COUNT) {
        run->expected = (double)s->found.expected;
        run->got = (double)s->found.got;
    } else if (s->found.kind == VERDICT_STRAY) {
        run->index = (long long)floor((double)s->found.offset / ELEMENT_BYTES);
    }
}

static inline outcome run_subject_often(comparison *c, contest *contest, subject *s)
{
    int on_host = s->entry->flags & ENTRY_HOST;
    outcome run;
    memset(&run, 0, sizeof run);
#ifdef __CUDACC__
    run.clock = on_host ? "host clock" : "CUDA events";
    /* The first launch of a kernel loads it, which is no part of its speed. What it fails with the next one will. */
    if (!on_host && (run_subject(contest, s) != cudaSuccess ||
                     cudaStreamSynchronize(contest->d->stream) != cudaSuccess))
        (void)cudaGetLastError();
#else
    run.clock = on_host ? "host clock" : "CPU backend";
#endif
    while (s->runs < c->options.repeat && !s->failed)
        time_subject(contest, s, on_host ? TIMING_WARM : TIMING_COPIES, 1);
    run.end_to_end_ms = sorted_median(s->ms, s->runs);
    run.call_ms = on_host ? run.end_to_end_ms : sorted_median(s->call_ms, s->runs);
    explain(c->options.type, contest, s, &run);
    return run;
}

static inline void run_one(comparison *c, contest *contest, int i, const compare_row *row,
                           const char *label, int *first)
{
    subject *s = &contest->subject[i];
    element_type type = c->options.type;
    outcome run;
    printf("==== %s, %s ====\n", row->name, label);
    fflush(stdout);
    progress_show(c->started, c->done, c->total);
    run = run_subject_often(c, contest, s);
    progress_hide();
    c->done++;
    if (run.result.kind != VERDICT_ERROR)
        print_times(&run, !(s->entry->flags & ENTRY_HOST));
    if (run.result.kind == VERDICT_PASSED && *first) {
        print_array(type, contest->a.host_out, contest->a.expected_items);
        *first = 0;
    }
    print_verdict(type, &run);
    c->failed += run.result.kind != VERDICT_PASSED;
    csv_write(&c->options, row->section, row->name, contest->a.n, &run);
}

/* ---- one section ---- */

static inline void contest_open(comparison *c, contest *contest, const bench_group *g,
                                const void *data, size_t n, const selection *selected)
{
    size_t times = (size_t)c->options.repeat * sizeof(double);
    int i;
    memset(contest, 0, sizeof *contest);
    contest->d = &c->machine;
    contest->o = &c->contest;
    contest->g = g;
    contest->given = data;
    for (i = 0; i < selected->count; i++) {
        subject *s = &contest->subject[contest->subjects++];
        s->entry = selected->entry[i];
        s->block = c->options.block;
        s->ms = (double *)allocate(times);
        s->call_ms = (double *)allocate(times);
    }
    device_require(arrays_allocate(&contest->a, g, 0, 0, n, c->machine.stream), "its arrays");
    device_require(fill_input(contest), "the input");
    device_require(prepare_scratch(contest), "scratch memory");
    device_require(make_expected(contest), "what the result should be");
}

static inline void contest_close(contest *contest)
{
    int i;
    for (i = 0; i < contest->subjects; i++) {
        free(contest->subject[i].ms);
        free(contest->subject[i].call_ms);
    }
    arrays_free(&contest->a, contest->d->stream);
}

static inline void run_section(comparison *c, const compare_section *section)
{
    const compare_options *o = &c->options;
    selection selected = select_section(c, section);
    void *data = c->file_data;
    contest contests[LENGTHS];
    int first[LENGTHS] = {1, 1};
    int i, k;
    if (selected.count == 0)
        return;
    if (data == NULL) {
        data = allocate(c->n[0] * ELEMENT_BYTES);
        data_random(data, c->n[0], o->type, section->random_limit,
                    o->seed + (uint64_t)(section - compare_sections));
    }
    for (k = 0; k < c->lengths; k++)
        contest_open(c, &contests[k], &section->instance[element_kernel(o->type)]->group[0], data,
                     c->n[k], &selected);
    print_banner(section->title);
    print_array(o->type, data, c->n[0]);
    for (i = 0; i < selected.count; i++)
        for (k = 0; k < c->lengths; k++)
            run_one(c, &contests[k], i, selected.row[i], c->label[k], &first[k]);
    for (k = 0; k < c->lengths; k++)
        contest_close(&contests[k]);
    if (data != c->file_data)
        free(data);
}

int main(int argc, char **argv)
{
    comparison c;
    const compare_section *section;
    memset(&c, 0, sizeof c);
    c.options = options_parse(argc, argv);
    c.contest.repeat = c.options.repeat;
    c.contest.check = 1;
    c.contest.enough_ms = INFINITY;
    load_data(&c);
    choose_lengths(&c);
    csv_begin(c.options.csv);
    device_open(&c.machine);
    c.started = clock_ms();
    print_head(&c);
    for (section = compare_sections; section->name != NULL; section++)
        run_section(&c, section);
    device_close(&c.machine);
    free(c.file_data);
    if (c.failed == 0)
        printf("\nall %d runs passed\n", c.total);
    else
        printf("\n%d of %d runs failed\n", c.failed, c.total);
    csv_close(&csv);
    if (fflush(stdout) != 0 || ferror(stdout))
        quit(EXIT_USAGE, "cannot write to standard output");
    return c.failed == 0 ? EXIT_RIGHT : EXIT_WRONG;
}
