/* report.h: what the program writes: the layout on stdout, progress on stderr, the CSV file. */
#ifndef COMPARE_REPORT_H
#define COMPARE_REPORT_H

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "element.h"
#include "options.h"
#include "reference.h"

/* The result of one run: what was measured, and whether it was right. */
typedef struct outcome {
    double kernel_ms;     /* no allocation, no copies */
    double end_to_end_ms; /* with the copies; the same where there are none to make */
    const char *clock;
    verdict result;
    const char *error_name; /* with VERDICT_CUDA_ERROR */
    const char *error_text;
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
    printf("   elapsed time: %fms    (%s)\n", run->kernel_ms, run->clock);
    if (copies)
        printf("   end to end:   %fms    (host clock, copies included)\n", run->end_to_end_ms);
}

static inline void print_verdict(element_type type, const outcome *run)
{
    const verdict *result = &run->result;
    char expected[64], got[64];
    element_format(type, result->expected, expected, sizeof expected);
    element_format(type, result->got, got, sizeof got);
    switch (result->kind) {
    case VERDICT_PASSED: puts("    passed"); break;
    case VERDICT_WRONG_VALUE:
        printf("    failed: index %zu: expected %s, got %s", result->index, expected, got);
        if (result->allowed > 0)
            printf(" (may differ by %.3g)", result->allowed);
        putchar('\n');
        break;
    case VERDICT_WRONG_COUNT:
        printf("    failed: count: expected %.0f, got %.0f\n", result->expected, result->got);
        break;
    case VERDICT_PAST_END:
        printf("    failed: index %zu: expected nothing, got a value behind the end\n",
               result->index);
        break;
    case VERDICT_CUDA_ERROR:
        printf("    failed: %s: %s\n", run->error_name, run->error_text);
        break;
    }
}

/* ---- progress ---- */

static inline double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* One line that is overwritten and in the end erased; only for someone who waits at a terminal,
 * and only once there is something to wait for. */
static inline void progress_show(double started, int done, int total)
{
    if (isatty(STDERR_FILENO) && clock_seconds() - started > 2)
        fprintf(stderr, "\r\033[Krunning %d of %d, %.0f s so far", done + 1, total,
                clock_seconds() - started);
}

static inline void progress_hide(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

/* ---- the CSV file ---- */

/* Written as FILE.tmp-PID beside FILE and renamed when it is complete, so that whoever finds FILE
 * finds all of it. Opened first thing, so that a wrong name is known before the work is done. */
typedef struct csv_file {
    FILE *stream;
    const char *path;
} csv_file;

/* Global for the sake of the exit and signal handlers; empty: nothing to remove. */
static char csv_temporary[4096];

static inline void csv_discard(void)
{
    if (csv_temporary[0] != '\0')
        unlink(csv_temporary);
}

static inline void csv_interrupted(int signal_number)
{
    csv_discard();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static inline void csv_open(csv_file *csv, const char *path)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGPIPE, SIGTERM};
    struct stat status;
    char name[sizeof csv_temporary];
    size_t i;
    csv->path = path;
    csv->stream = NULL;
    if (path == NULL)
        return;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        quit(EXIT_USAGE, "cannot write %s: it is %s", path,
             S_ISDIR(status.st_mode) ? "a directory" : "not a regular file");
    if (snprintf(name, sizeof name, "%s.tmp-%ld", path, (long)getpid()) >= (int)sizeof name)
        quit(EXIT_USAGE, "cannot write %.40s...: the name is too long", path);
    csv->stream = fopen(name, "wx");
    if (csv->stream == NULL)
        quit(EXIT_USAGE, "cannot write %s: %s", path, strerror(errno));
    strcpy(csv_temporary, name);
    atexit(csv_discard);
    for (i = 0; i < sizeof signals / sizeof signals[0]; i++)
        if (signal(signals[i], csv_interrupted) == SIG_IGN)
            signal(signals[i], SIG_IGN); /* nohup and the like keep their say */
    fputs("section,implementation,type,n,kernel_ms,end_to_end_ms,clock,result,"
          "mismatch_index,expected,got,block,repeat,seed\n",
          csv->stream);
}

/* No field holds a comma or a quote, so none needs quoting. seed is empty for data from a file. */
static inline void csv_write(csv_file *csv, const compare_options *options, const char *group,
                             const char *name, size_t n, const outcome *run)
{
    static const char *const results[] = {"passed", "wrong value", "wrong count", "past the end"};
    const verdict *result = &run->result;
    char expected[64], got[64];
    if (csv->stream == NULL)
        return;
    element_format(options->type, result->expected, expected, sizeof expected);
    element_format(options->type, result->got, got, sizeof got);
    fprintf(csv->stream, "%s,%s,%s,%zu,", group, name, element_name(options->type), n);
    if (result->kind == VERDICT_CUDA_ERROR) {
        fprintf(csv->stream, ",,%s,%s,,,,", run->clock, run->error_name);
    } else {
        fprintf(csv->stream, "%.6f,%.6f,%s,%s,", run->kernel_ms, run->end_to_end_ms, run->clock,
                results[result->kind]);
        if (result->kind == VERDICT_PASSED)
            fputs(",,,", csv->stream);
        else if (result->kind == VERDICT_WRONG_VALUE)
            fprintf(csv->stream, "%zu,%s,%s,", result->index, expected, got);
        else if (result->kind == VERDICT_WRONG_COUNT)
            fprintf(csv->stream, ",%.0f,%.0f,", result->expected, result->got);
        else
            fprintf(csv->stream, "%zu,,,", result->index);
    }
    fprintf(csv->stream, "%d,%d,", options->block, options->repeat);
    if (options->input == NULL)
        fprintf(csv->stream, "%llu", (unsigned long long)options->seed);
    fputc('\n', csv->stream);
}

static inline void csv_close(csv_file *csv)
{
    int failed;
    if (csv->stream == NULL)
        return;
    failed = ferror(csv->stream);
    if (fclose(csv->stream) != 0 || failed || rename(csv_temporary, csv->path) != 0)
        quit(EXIT_USAGE, "cannot write %s: %s", csv->path, strerror(errno));
    csv_temporary[0] = '\0';
}

#endif
