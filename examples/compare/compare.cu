/* compare.cu: every implementation of scan, stream compaction, find-max and sort, side by side.
 *
 * Each one runs on the same data, is checked against a reference computed on the CPU, and is timed.
 * The CPU comes first, then the textbook algorithms, then the library's primitive, then CUB: read
 * from top to bottom, the output shows what each idea buys. Try `compare --help`.
 *
 * The program is C in the common subset of C11 and C++17, so it is built twice from the same text:
 * by nvcc for the GPU, and by gcc for the library's CPU backend, where no GPU is needed.
 *
 *     options.h     the command line            table.h      what is compared
 *     element.h     the element types           runners.h,   one function per implementation
 *     input.h       random data and files       order_runners.h
 *     reference.h   what the results should be  measure.h    run, time, check
 *     report.h      what is printed and written
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "input.h"
#include "reference.h"
#include "table.h"
#include "measure.h"
#include "report.h"

/* Everything is run for n elements and for the first n - 3 of them: a length that is no power of
 * two, nor a multiple of anything, where many a parallel scan goes wrong. */
enum { LENGTHS = 2, SHORTER = 3 };

typedef struct comparison {
    compare_options options;
    size_t n[LENGTHS];
    int lengths; /* that are run: 1 if the array is too short for the second */
    const char *label[LENGTHS];
    void *file_data; /* NULL: every section has its own random data */
    bench machine;
    csv_file csv;
    double started;
    int total, done, failed; /* runs */
} comparison;

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

static inline int is_selected(const comparison *c, const implementation *what)
{
    const char *only = c->options.only;
    if (what->run[element_kernel(c->options.type)] == NULL)
        return 0; /* not for this type */
    return only == NULL || contains(what->name, only) ||
           contains(sections[what->section].name, only);
}

static inline int count_selected(const comparison *c, int section_index)
{
    int selected = 0, i;
    for (i = 0; i < IMPLEMENTATIONS; i++)
        selected +=
            implementations[i].section == section_index && is_selected(c, &implementations[i]);
    return selected;
}

static inline void choose_lengths(comparison *c)
{
    size_t n = c->options.size;
    int i;
    c->n[0] = n;
    c->n[1] = n > SHORTER ? n - SHORTER : 0;
    c->lengths = n > SHORTER ? 2 : 1;
    /* From 8 on, a power of two minus 3 is none; the length of a file is what it happens to be. */
    if (c->options.input == NULL && is_power_of_two(n) && n >= 8) {
        c->label[0] = "power-of-two";
        c->label[1] = "non-power-of-two";
    } else {
        c->label[0] = "full length";
        c->label[1] = "full length - 3";
    }
    for (i = 0; i < SECTION_COUNT; i++)
        c->total += count_selected(c, i) * c->lengths;
    if (c->total == 0)
        quit(EXIT_USAGE, "--only '%s' matches no implementation and no section", c->options.only);
}

static inline void load_data(comparison *c)
{
    if (c->options.input != NULL)
        c->file_data = input_load(c->options.input, c->options.type, &c->options.size);
    else
        require_memory(c->options.size);
}

/* In a CUDA build: a GPU that answers, or the end. */
static inline void require_device(void)
{
#ifdef __CUDACC__
    int devices = 0;
    cudaError_t status = cudaGetDeviceCount(&devices);
    if (status != cudaSuccess || devices == 0)
        quit(EXIT_NO_GPU, "no GPU answers: %s",
             status != cudaSuccess ? cudaGetErrorString(status) : "there is none");
#endif
}

static inline void print_head(const comparison *c)
{
    const compare_options *o = &c->options;
#ifdef __CUDACC__
    struct cudaDeviceProp properties;
    device_require(cudaGetDeviceProperties(&properties, 0), "its properties", 0);
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
           c->machine.threads, o->repeat);
}

static inline void run_one(comparison *c, const job *j, const char *label, int *first)
{
    element_type type = c->options.type;
    outcome run;
    printf("==== %s, %s ====\n", j->what->name, label);
    fflush(stdout);
    progress_show(c->started, c->done, c->total);
    run = job_run(&c->machine, j);
    progress_hide();
    c->done++;
    if (run.result.kind != VERDICT_CUDA_ERROR)
        print_times(&run, j->what->where == ON_DEVICE);
    if (run.result.kind == VERDICT_PASSED && *first) {
        print_array(type, c->machine.host_out, j->expected->count);
        *first = 0;
    }
    print_verdict(type, &run);
    c->failed += run.result.kind != VERDICT_PASSED;
    csv_write(&c->csv, &c->options, j->group->name, j->what->name, j->n, &run);
}

static inline void run_section(comparison *c, int section_index)
{
    const section *group = &sections[section_index];
    const compare_options *o = &c->options;
    void *data = c->file_data;
    reference expected[LENGTHS];
    int first[LENGTHS] = {1, 1};
    int i, k;
    if (count_selected(c, section_index) == 0)
        return;
    if (data == NULL) {
        data = allocate(c->n[0] * ELEMENT_BYTES);
        input_random(data, c->n[0], o->type, group->random_limit,
                     o->seed + (uint64_t)section_index);
    }
    for (k = 0; k < c->lengths; k++)
        expected[k] = reference_make(group->reference, o->type, data, c->n[k]);
    print_banner(group->title);
    print_array(o->type, data, c->n[0]);
    for (i = 0; i < IMPLEMENTATIONS; i++) {
        const implementation *what = &implementations[i];
        if (what->section != section_index || !is_selected(c, what))
            continue;
        for (k = 0; k < c->lengths; k++) {
            job j = {what, group, data, c->n[k], &expected[k]};
            run_one(c, &j, c->label[k], &first[k]);
        }
    }
    for (k = 0; k < c->lengths; k++)
        reference_free(&expected[k]);
    if (data != c->file_data)
        free(data);
}

int main(int argc, char **argv)
{
    comparison c;
    int i;
    memset(&c, 0, sizeof c);
    c.options = options_parse(argc, argv);
    load_data(&c);
    choose_lengths(&c);
    csv_open(&c.csv, c.options.csv);
    require_device();
    bench_open(&c.machine, &c.options, c.n[0]);
    c.started = clock_seconds();
    print_head(&c);
    for (i = 0; i < SECTION_COUNT; i++)
        run_section(&c, i);
    bench_close(&c.machine);
    free(c.file_data);
    if (c.failed == 0)
        printf("\nall %d runs passed\n", c.total);
    else
        printf("\n%d of %d runs failed\n", c.failed, c.total);
    csv_close(&c.csv);
    if (fflush(stdout) != 0 || ferror(stdout))
        quit(EXIT_USAGE, "cannot write to standard output");
    return c.failed == 0 ? EXIT_PASSED : EXIT_MISMATCH;
}
