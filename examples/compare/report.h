/* report.h: what the program writes: the layout on stdout, progress on stderr, the CSV file. */
#ifndef COMPARE_REPORT_H
#define COMPARE_REPORT_H

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "csv.h"
#include "element.h"
#include "measure.h"
#include "options.h"

/* The result of one run: what was measured, and whether it was right. */
typedef struct outcome {
    double call_ms;       /* no allocation, no copies */
    double end_to_end_ms; /* with the copies; the same where there are none to make */
    const char *clock;
    verdict result;
    long long index;      /* of a wrong element, or of one that should not be there */
    double expected, got; /* elements, or counts */
    double allowed;       /* difference; 0: none */
} outcome;

/* ---- stdout ---- */

static inline void print_stars(size_t count)
{
    while (count-- > 0)
        putchar('*');
    putchar('\n');
}

static inline void print_banner(const char *title)
{
    size_t width = strlen(title) + 6;
    putchar('\n');
    print_stars(width);
    printf("** %s **\n", title);
    print_stars(width);
}

/* At most 16 values; of a longer array the first 13 and the last 2. */
static inline void print_array(element_type type, const void *array, size_t n)
{
    size_t i;
    printf("    [ ");
    for (i = 0; i < n; i++) {
        if (n > 16 && i == 13) {
            printf("... ");
            i = n - 2;
        }
        element_print_cell(type, element_value(type, array, i));
    }
    puts("]");
}

static inline void print_times(const outcome *run, int copies)
{
    printf("   elapsed time: %fms    (%s)\n", run->call_ms, run->clock);
    if (copies)
        printf("   end to end:   %fms    (host clock, copies included)\n", run->end_to_end_ms);
}

static inline void print_verdict(element_type type, const outcome *run)
{
    char expected[64], got[64];
    element_format(type, run->expected, expected, sizeof expected);
    element_format(type, run->got, got, sizeof got);
    switch (run->result.kind) {
    case VERDICT_PASSED: puts("    passed"); break;
    case VERDICT_ITEM:
        printf("    failed: index %lld: expected %s, got %s", run->index, expected, got);
        if (run->allowed > 0)
            printf(" (may differ by %.3g)", run->allowed);
        putchar('\n');
        break;
    case VERDICT_COUNT:
        printf("    failed: count: expected %.0f, got %.0f\n", run->expected, run->got);
        break;
    case VERDICT_STRAY:
        printf("    failed: index %lld: expected nothing, got a value outside of the result\n",
               run->index);
        break;
    case VERDICT_ERROR:
        printf("    failed: %s: %s\n", cudaGetErrorName(run->result.error), run->result.sentence);
        break;
    }
}

/* ---- progress ---- */

/* One line that is overwritten and in the end erased; only for someone who waits at a terminal,
 * and only once there is something to wait for. */
static inline void progress_show(double started_ms, int done, int total)
{
    double seconds = (clock_ms() - started_ms) / 1000;
    if (isatty(STDERR_FILENO) && seconds > 2)
        fprintf(stderr, "\r\033[Krunning %d of %d, %.0f s so far", done + 1, total, seconds);
}

static inline void progress_hide(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

/* ---- the CSV file ---- */

/* Written as FILE.tmp-PID beside FILE. Opened first thing, so that a wrong name is known before the work is done.
 *
 * Global for the sake of the exit and signal handlers; no stream: nothing to remove. */
static csv_file csv;

static inline void csv_discard(void)
{
    if (csv.stream != NULL)
        unlink(csv.partial);
}

static inline void csv_interrupted(int signal_number)
{
    csv_discard();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static inline void csv_begin(const char *path)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGPIPE, SIGTERM};
    char ending[32];
    size_t i;
    snprintf(ending, sizeof ending, ".tmp-%ld", (long)getpid());
    csv_open(&csv, path, ending,
             "section,implementation,type,n,kernel_ms,end_to_end_ms,clock,result,"
             "mismatch_index,expected,got,block,repeat,seed");
    if (csv.stream == NULL)
        return;
    atexit(csv_discard);
    for (i = 0; i < sizeof signals / sizeof signals[0]; i++)
        if (signal(signals[i], csv_interrupted) == SIG_IGN)
            signal(signals[i], SIG_IGN); /* nohup and the like keep their say */
}

/* No field holds a comma or a quote, so none needs quoting. seed is empty for data from a file. */
static inline void csv_write(const compare_options *options, const char *group, const char *name,
                             size_t n, const outcome *run)
{
    static const char *const results[] = {"passed", "wrong value", "wrong count", "past the end"};
    char expected[64], got[64];
    if (csv.stream == NULL)
        return;
    element_format(options->type, run->expected, expected, sizeof expected);
    element_format(options->type, run->got, got, sizeof got);
    fprintf(csv.stream, "%s,%s,%s,%zu,", group, name, element_name(options->type), n);
    if (run->result.kind == VERDICT_ERROR) {
        fprintf(csv.stream, ",,%s,%s,,,,", run->clock, cudaGetErrorName(run->result.error));
    } else {
        fprintf(csv.stream, "%.6f,%.6f,%s,%s,", run->call_ms, run->end_to_end_ms, run->clock,
                results[run->result.kind]);
        if (run->result.kind == VERDICT_PASSED)
            fputs(",,,", csv.stream);
        else if (run->result.kind == VERDICT_ITEM)
            fprintf(csv.stream, "%lld,%s,%s,", run->index, expected, got);
        else if (run->result.kind == VERDICT_COUNT)
            fprintf(csv.stream, ",%.0f,%.0f,", run->expected, run->got);
        else
            fprintf(csv.stream, "%lld,,,", run->index);
    }
    fprintf(csv.stream, "%d,%d,", options->block, options->repeat);
    if (options->input == NULL)
        fprintf(csv.stream, "%llu", (unsigned long long)options->seed);
    fputc('\n', csv.stream);
}

#endif
