/* options.h: the command line. Every mistake is one sentence on stderr and exit status 2. */
#ifndef COMPARE_OPTIONS_H
#define COMPARE_OPTIONS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"

/* What the program's exit status means. 77 is how a test says "skipped" to Meson and Automake. */
enum { EXIT_PASSED = 0, EXIT_MISMATCH = 1, EXIT_USAGE = 2, EXIT_NO_GPU = 77 };

typedef struct compare_options {
    size_t size;
    int block;
    uint64_t seed;
    int repeat;
    const char *csv;   /* NULL: none */
    const char *only;  /* NULL: everything */
    const char *input; /* NULL: random data */
    element_type type;
} compare_options;

enum { DEFAULT_BLOCK = 256, DEFAULT_SEED = 1, DEFAULT_REPEAT = 3, MAX_REPEAT = 10000 };

#define DEFAULT_SIZE ((size_t)1 << 16)

static inline void quit(int status, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

static inline void quit(int status, const char *format, ...)
{
    va_list arguments;
    fflush(stdout);
    fputs("compare: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(status);
}

static inline void options_print_help(void)
{
    puts("Usage: compare [OPTION]...\n"
         "Runs every implementation of scan, stream compaction, find-max and sort on the\n"
         "same data, checks each result against a reference computed on the CPU, and\n"
         "prints how long each one took.\n"
         "\n"
         "  --size N         elements: 65536, 1048576 or 2^20 (default 2^16); every\n"
         "                   implementation runs again on the first N - 3 of them\n"
         "  --type TYPE      u8, i32, u32 or f32 (default i32; u8 with --input)\n"
         "  --input FILE     run on the bytes of FILE, whatever its length, instead of\n"
         "                   random data\n"
         "  --block N        threads per block of the classic algorithms, a power of two\n"
         "                   from 32 to 1024 (default 256)\n"
         "  --seed N         of the random data (default 1)");
    printf("  --repeat N       time every run N times, report the median (default %d)\n",
           DEFAULT_REPEAT);
    puts("  --only PATTERN   only the implementations whose name, or whose section's name,\n"
         "                   contains PATTERN, in upper or lower case\n"
         "  --csv FILE       write the results to FILE too, as comma-separated values;\n"
         "                   FILE appears when it is complete\n"
         "  --help           print this and exit\n"
         "\n"
         "Elements: u8 data are widened to u32 when they are read, so that sums do not\n"
         "wrap at 256; i32 and u32 sums wrap at 2^32. Random data are 0 to 49 for scans,\n"
         "0 to 3 for compaction, which removes the zeros, 0 to 999 for find-max and sort;\n"
         "the last element is 0. f32 is not sorted.\n"
         "\n"
         "Checks: everything must match exactly, except for float sums. One of n elements\n"
         "may differ from a sum in double precision by 2 log2(n) eps S, where S is the sum\n"
         "of the absolute values so far; by n eps S where the implementation is a serial\n"
         "loop.\n"
         "\n"
         "Times: the elapsed time holds no allocation and no copy. The end-to-end time\n"
         "adds the copies of the input to the device and of the result back.\n"
         "\n"
         "Exit status: 0 all passed, 1 a mismatch or a CUDA error, 2 a bad option or file,\n"
         "77 no GPU answers (CUDA build only).");
}

/* A count: decimal digits, or 2^k. */
static inline int parse_count(const char *text, uint64_t *value)
{
    uint64_t parsed = 0;
    const char *c = text;
    *value = 0;
    if (*c == '\0')
        return 0;
    for (; *c >= '0' && *c <= '9'; c++) {
        uint64_t digit = (uint64_t)(*c - '0');
        if (parsed > (UINT64_MAX - digit) / 10)
            return 0;
        parsed = parsed * 10 + digit;
    }
    if (c == text + 1 && parsed == 2 && *c == '^') {
        uint64_t exponent;
        if (strchr(c + 1, '^') != NULL || !parse_count(c + 1, &exponent) || exponent > 63)
            return 0;
        *value = (uint64_t)1 << exponent;
        return 1;
    }
    *value = parsed;
    return *c == '\0';
}

static inline element_type parse_type(const char *text)
{
    int type;
    for (type = 0; type < TYPE_COUNT; type++)
        if (strcmp(text, element_name((element_type)type)) == 0)
            return (element_type)type;
    quit(EXIT_USAGE, "--type takes u8, i32, u32 or f32, not '%s'", text);
}

static inline int is_power_of_two(uint64_t x)
{
    return x != 0 && (x & (x - 1)) == 0;
}

static inline void options_set_number(compare_options *options, const char *name, const char *text)
{
    uint64_t value;
    int valid = parse_count(text, &value);
    if (strcmp(name, "--size") == 0) {
        /* 2^40 keeps every byte count below within 64 bits. */
        if (!valid || value < 1 || value > (uint64_t)1 << 40)
            quit(EXIT_USAGE, "--size takes a number of elements from 1 to 2^40, not '%s'", text);
        options->size = (size_t)value;
    } else if (strcmp(name, "--block") == 0) {
        if (!valid || value < 32 || value > 1024 || !is_power_of_two(value))
            quit(EXIT_USAGE, "--block takes a power of two from 32 to 1024, not '%s'", text);
        options->block = (int)value;
    } else if (strcmp(name, "--repeat") == 0) {
        if (!valid || value < 1 || value > MAX_REPEAT)
            quit(EXIT_USAGE, "--repeat takes a number from 1 to %d, not '%s'", MAX_REPEAT, text);
        options->repeat = (int)value;
    } else {
        if (!valid)
            quit(EXIT_USAGE, "--seed takes a number from 0 to 2^64 - 1, not '%s'", text);
        options->seed = value;
    }
}

static inline void options_set(compare_options *options, const char *name, const char *text)
{
    if (strcmp(name, "--type") == 0)
        options->type = parse_type(text);
    else if (strcmp(name, "--csv") == 0 || strcmp(name, "--input") == 0) {
        if (*text == '\0')
            quit(EXIT_USAGE, "%s takes the name of a file, not an empty string", name);
        if (name[2] == 'c')
            options->csv = text;
        else
            options->input = text;
    } else if (strcmp(name, "--only") == 0)
        options->only = text;
    else
        options_set_number(options, name, text);
}

/* Accepts "--name value" and "--name=value"; of a repeated option the last one counts. */
static inline compare_options options_parse(int argc, char **argv)
{
    static const char *const names[] = {"--size", "--block", "--seed",  "--repeat",
                                        "--csv",  "--only",  "--input", "--type"};
    enum { NAMES = sizeof names / sizeof names[0] };
    compare_options options;
    int given[NAMES];
    int i;
    memset(&options, 0, sizeof options);
    memset(given, 0, sizeof given);
    options.block = DEFAULT_BLOCK;
    options.seed = DEFAULT_SEED;
    options.repeat = DEFAULT_REPEAT;
    options.type = TYPE_COUNT;
    for (i = 1; i < argc; i++) {
        const char *equals = strchr(argv[i], '=');
        size_t length = equals != NULL ? (size_t)(equals - argv[i]) : strlen(argv[i]);
        int k = 0;
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            options_print_help();
            exit(EXIT_PASSED);
        }
        while (k < NAMES && !(strlen(names[k]) == length && memcmp(names[k], argv[i], length) == 0))
            k++;
        if (k == NAMES)
            quit(EXIT_USAGE, "unknown option '%s'; --help lists the options", argv[i]);
        if (equals == NULL && i + 1 == argc)
            quit(EXIT_USAGE, "%s needs a value", names[k]);
        options_set(&options, names[k], equals != NULL ? equals + 1 : argv[++i]);
        given[k] = 1;
    }
    if (options.input != NULL && given[0])
        quit(EXIT_USAGE, "--size and --input exclude each other: the file's length is the size");
    if (options.type == TYPE_COUNT)
        options.type = options.input != NULL ? TYPE_U8 : TYPE_I32;
    if (options.size == 0)
        options.size = DEFAULT_SIZE;
    return options;
}

#endif
