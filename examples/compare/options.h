/* options.h: the command line. */
#ifndef COMPARE_OPTIONS_H
#define COMPARE_OPTIONS_H

#include "command_line.h"
#include "element.h"

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

/* clang-format off */
typedef enum option_name {
    OPTION_HELP,
    OPTION_SWITCHES, /* those before take no value */
    OPTION_SIZE = OPTION_SWITCHES, OPTION_BLOCK, OPTION_SEED, OPTION_REPEAT, OPTION_CSV, OPTION_ONLY, OPTION_INPUT,
    OPTION_TYPE,
    OPTION_NAMES
} option_name;

static const char *const option_names[OPTION_NAMES] = {
    "--help", "--size", "--block", "--seed", "--repeat", "--csv", "--only", "--input", "--type"};
/* clang-format on */

static inline void options_set(compare_options *options, int name, const char *text)
{
    if (*text == '\0' && (name == OPTION_CSV || name == OPTION_INPUT))
        quit(EXIT_USAGE, "%s takes the name of a file, not an empty string", option_names[name]);
    switch (name) {
    case OPTION_SIZE: /* 2^40 keeps every byte count below within 64 bits */
        options->size = (size_t)parse_number("--size", text, 1, (uint64_t)1 << 40);
        break;
    case OPTION_BLOCK: options->block = parse_block(text); break;
    case OPTION_SEED: options->seed = parse_number("--seed", text, 0, UINT64_MAX); break;
    case OPTION_REPEAT: options->repeat = (int)parse_number("--repeat", text, 1, MAX_REPEAT); break;
    case OPTION_CSV: options->csv = text; break;
    case OPTION_ONLY: options->only = text; break;
    case OPTION_INPUT: options->input = text; break;
    default: options->type = parse_type(text);
    }
}

/* Of a repeated option the last one counts. */
static inline compare_options options_parse(int argc, char **argv)
{
    compare_options options;
    int i;

    memset(&options, 0, sizeof options);
    options.block = DEFAULT_BLOCK;
    options.seed = DEFAULT_SEED;
    options.repeat = DEFAULT_REPEAT;
    options.type = TYPE_COUNT;
    for (i = 1; i < argc; i++) {
        const char *value;
        int name = next_option(argc, argv, &i, option_names, OPTION_NAMES, OPTION_SWITCHES, &value);

        if (name == OPTION_HELP) {
            options_print_help();
            exit(EXIT_RIGHT);
        }
        options_set(&options, name, value);
    }
    if (options.input != NULL && options.size != 0)
        quit(EXIT_USAGE, "--size and --input exclude each other: the file's length is the size");
    if (options.type == TYPE_COUNT)
        options.type = options.input != NULL ? TYPE_U8 : TYPE_I32;
    if (options.size == 0)
        options.size = DEFAULT_SIZE;
    return options;
}

#endif
