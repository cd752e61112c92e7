/* options.h: the command line of gpbench. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include "command_line.h"
#include "input.h"
#include "measure.h"

enum { MAX_SIZES = 256, MAX_BATCHES = 16, MAX_BLOCKS = 6 };
enum { MAX_REPEAT = 10000, MAX_BATCH = 100000, MAX_OFFSET = 4096 };
enum { DEFAULT_REPEAT = 15 };

/* Of the CPU's implementations no more runs are timed when those before took this long. */
#define HOST_ENOUGH_MS 100.0

#ifdef __CUDACC__
#define DEFAULT_SIZES "10..28"
#else
#define DEFAULT_SIZES "10..14"
#endif

typedef struct options {
    contest_options contest;
    int list, cold, warm, cpu, profile, sample;
    int has_sizes, has_distributions; /* by the command line */
    const char *filter, *types; /* NULL: everything */
    size_t size[MAX_SIZES];
    int sizes;
    int batch[MAX_BATCHES];
    int batches;
    int distribution[DISTRIBUTIONS];
    int distributions;
    int block[MAX_BLOCKS];
    int blocks;
    const char *csv;
} options;

/* clang-format off */
static inline void options_print_help(void)
{
    int i;

    puts("Usage: gpbench [OPTION]...\n"
         "       gpbench tune PRIMITIVE [OPTION]...\n"
         "Measures the primitives of gpuprims against CUB and memcpy, interleaved in one process.\n"
         "Each result is checked before it is timed and once more after it.\n"
         "\n"
         "  --list           print what there is, as primitive/type/implementation, and exit\n"
         "  --filter LIST    only what contains one of these words, or matches one of these globs:\n"
         "                   scan, reduce_sum/f32, 'compact*/u32/*'\n"
         "  --types LIST     only these types: i32,f64,u8-u64\n"
         "  --sizes LIST     numbers of elements: 1000003, 2^20, 2^20-3, or every power of two from\n"
         "                   2^10 to 2^28 as 10..28, or three less than each as 10..28-3\n"
         "                   (default " DEFAULT_SIZES ")\n"
         "  --distribution LIST   of the input, or all (default uniform):");
    fputs("                  ", stdout);
    for (i = 0; i < DISTRIBUTIONS; i++)
        printf("%s %s", i == 8 ? "\n                  " : "", distribution_names[i]);
    printf("\n"
           "  --cold           flush the caches of data and of instructions before each run (the default\n"
           "                   on a GPU)\n"
           "  --warm           make the same call, untimed, before each run; with --cold: both\n"
           "  --copies         time from host memory to host memory, by the clock: the input copied to\n"
           "                   the device, the call, the result copied back; memcpy is the copies alone\n"
           "  --batch LIST     time so many calls back to back, and divide; more than 1 is always\n"
           "                   warm (default 1)\n"
           "  --repeat N       timed runs, of which the median is reported (default %d)\n"
           "  --block LIST     threads per block of the classic rungs, powers of two from 32 to 1024,\n"
           "                   all of which compete (default: what each rung takes, 0 in the CSV)\n"
           "  --offset-in N    start the input N elements behind an aligned address\n"
           "  --offset-out N   likewise the output\n"
           "  --cpu            on a GPU: measure the CPU references too\n"
           "  --check          check the result of every timed run as well\n"
           "  --fresh          other random data in every timed run\n"
           "  --sample         measure what stands for everything: the library and CUB, cold, warm and in\n"
           "                   batches, in at most 1500 rows and, on an H200, five minutes; print how\n"
           "                   many are below 1.05 of the better CUB's speed, the geometric mean and\n"
           "                   the worst; with --list: how many rows it has and how long it takes\n"
           "  --profile        time nothing; for ncu --profile-from-start off: profile a call of each,\n"
           "                   after a kernel profile_mark whose grid size is the number in its row\n"
           "  --csv FILE       write the rows to FILE too; they gather in FILE.partial, which is\n"
           "                   renamed at the end\n"
           "  --help           print this and exit\n\n",
           DEFAULT_REPEAT);
    puts("gpbench tune PRIMITIVE builds variants of the primitive's tile shape and block size, checks\n"
         "and times them, and prints the best constants as lines of gpuprims/core/*/tuning.cuh.\n"
         "\n"
         "of_memcpy is the rate of the bytes that must move to that of a device-to-device copy\n"
         "of as many bytes: the row's own when it exceeds the L2 cache by far, else that of 1 GiB,\n"
         "measured at the start. What must move: n reads and n writes for a scan and a partition, n\n"
         "reads for a reduction, n reads and the kept writes for a compaction; for a gather and a\n"
         "scatter n reads, n entries of the map and n writes, for scatter_if n flags too but the\n"
         "flagged writes alone. vs_cub is CUB's median over the row's, or Thrust's where CUB has none.\n"
         "\n"
         "Without a GPU (the CPU build) the rows are the CPU references and the CPU backend.\n"
         "GPBENCH_COMMIT in the environment replaces the commit that the CSV names.\n"
         "\n"
         "Exit status: 0 all measured, 1 a wrong result or a CUDA error, 2 a bad option or file,\n"
         "77 no GPU answers (CUDA build only).");
}
/* clang-format on */

/* ---- lists ---- */

static inline void parse_sizes(options *o, const char *list)
{
    char word[64];

    for (o->sizes = 0; list;) {
        uint64_t first, last, less = 0;
        char *dots, *minus;
        int is_range;

        list = list_next("--sizes", list, word, sizeof word);
        dots = strstr(word, "..");
        is_range = dots != NULL;
        if (is_range) {
            *dots = '\0';
            minus = strchr(dots + 2, '-');
            if (minus)
                *minus = '\0';
            if ((minus && !parse_count(minus + 1, &less)) || !parse_count(word, &first) ||
                !parse_count(dots + 2, &last) || first > last || last > 40 ||
                less >= (uint64_t)1 << first)
                quit(EXIT_USAGE,
                     "--sizes takes a range as 10..28, for 2^10 to 2^28 and no more "
                     "than 2^40, or 10..28-3, not '%s..%s%s%s'",
                     word, dots + 2, minus ? "-" : "", minus ? minus + 1 : "");
        } else {
            first = last = parse_number("--sizes", word, 1, (uint64_t)1 << 40);
        }
        for (; first <= last; first++) {
            if (o->sizes == MAX_SIZES)
                quit(EXIT_USAGE, "--sizes takes no more than %d sizes", MAX_SIZES);
            o->size[o->sizes++] = (size_t)(is_range ? ((uint64_t)1 << first) - less : first);
        }
    }
}

static inline void parse_batches(options *o, const char *list)
{
    char word[64];

    for (o->batches = 0; list;) {
        list = list_next("--batch", list, word, sizeof word);
        if (o->batches == MAX_BATCHES)
            quit(EXIT_USAGE, "--batch takes no more than %d numbers", MAX_BATCHES);
        o->batch[o->batches++] = (int)parse_number("--batch", word, 1, MAX_BATCH);
    }
}

static inline void parse_blocks(options *o, const char *list)
{
    char word[64];

    for (o->blocks = 0; list;) {
        list = list_next("--block", list, word, sizeof word);
        if (o->blocks == MAX_BLOCKS)
            quit(EXIT_USAGE, "--block takes no more than %d block sizes", MAX_BLOCKS);
        o->block[o->blocks++] = parse_block(word);
    }
}

static inline void parse_distributions(options *o, const char *list)
{
    char word[64];
    int i;

    if (strcmp(list, "all") == 0) {
        for (o->distributions = 0; o->distributions < DISTRIBUTIONS; o->distributions++)
            o->distribution[o->distributions] = o->distributions;
        return;
    }
    for (o->distributions = 0; list;) {
        list = list_next("--distribution", list, word, sizeof word);
        for (i = 0; i < DISTRIBUTIONS && strcmp(word, distribution_names[i]) != 0; i++)
            ;
        if (i == DISTRIBUTIONS)
            quit(EXIT_USAGE, "--distribution knows no '%s'; --help lists what there is", word);
        if (o->distributions == DISTRIBUTIONS)
            quit(EXIT_USAGE, "--distribution names one twice");
        o->distribution[o->distributions++] = i;
    }
}

/* ---- options ---- */

/* clang-format off */
typedef enum option_name {
    OPTION_LIST, OPTION_COLD, OPTION_WARM, OPTION_COPIES, OPTION_CHECK, OPTION_CPU, OPTION_FRESH,
    OPTION_PROFILE, OPTION_SAMPLE, OPTION_HELP,
    OPTION_SWITCHES, /* those before take no value */
    OPTION_FILTER = OPTION_SWITCHES, OPTION_TYPES, OPTION_SIZES, OPTION_DISTRIBUTION, OPTION_BATCH,
    OPTION_REPEAT, OPTION_BLOCK, OPTION_OFFSET_IN, OPTION_OFFSET_OUT, OPTION_CSV,
    OPTION_NAMES
} option_name;

static const char *const option_names[OPTION_NAMES] = {
    "--list", "--cold", "--warm", "--copies", "--check", "--cpu", "--fresh", "--profile", "--sample", "--help",
    "--filter", "--types", "--sizes", "--distribution", "--batch", "--repeat", "--block",
    "--offset-in", "--offset-out", "--csv"};
/* clang-format on */

static inline void options_switch(options *o, int name)
{
    switch (name) {
    case OPTION_LIST: o->list = 1; break;
    case OPTION_COLD: o->cold = 1; break;
    case OPTION_WARM: o->warm = 1; break;
    case OPTION_COPIES: o->contest.copies = 1; break;
    case OPTION_CHECK: o->contest.check = 1; break;
    case OPTION_CPU: o->cpu = 1; break;
    case OPTION_FRESH: o->contest.fresh = 1; break;
    case OPTION_PROFILE: o->profile = 1; break;
    case OPTION_SAMPLE: o->sample = 1; break;
    default: options_print_help(); exit(EXIT_RIGHT);
    }
}

static inline void options_set(options *o, int name, const char *value)
{
    if (*value == '\0')
        quit(EXIT_USAGE, "%s takes a value, not an empty string", option_names[name]);
    switch (name) {
    case OPTION_FILTER: o->filter = value; break;
    case OPTION_TYPES: o->types = value; break;
    case OPTION_SIZES:
        parse_sizes(o, value);
        o->has_sizes = 1;
        break;
    case OPTION_DISTRIBUTION:
        parse_distributions(o, value);
        o->has_distributions = 1;
        break;
    case OPTION_BATCH: parse_batches(o, value); break;
    case OPTION_REPEAT:
        o->contest.repeat = (int)parse_number("--repeat", value, 1, MAX_REPEAT);
        break;
    case OPTION_BLOCK: parse_blocks(o, value); break;
    case OPTION_OFFSET_IN:
        o->contest.offset_in = parse_number("--offset-in", value, 0, MAX_OFFSET);
        break;
    case OPTION_OFFSET_OUT:
        o->contest.offset_out = parse_number("--offset-out", value, 0, MAX_OFFSET);
        break;
    default: o->csv = value;
    }
}

static inline void options_finish(options *o)
{
    int i, most = 1;

    if (o->sample && (o->cold || o->warm || o->contest.copies || o->profile || o->batches > 1 ||
                      o->batch[0] > 1 || o->has_distributions))
        quit(EXIT_USAGE, "--sample has modes and distributions of its own: no --cold, --warm, "
                         "--batch, --copies, --profile or --distribution with it");
    for (i = 0; i < o->batches; i++)
        most = o->batch[i] > most ? o->batch[i] : most;
    if (o->profile && (o->cold || o->warm || o->contest.copies || o->csv))
        quit(EXIT_USAGE, "--profile times nothing: no --cold, --warm, --copies or --csv with it");
    if (o->cold && !o->warm && most > 1)
        quit(EXIT_USAGE, "--batch %d needs --warm: only the first call of a batch could be cold",
             most);
    if (!o->cold && !o->warm && !o->contest.copies) {
#ifdef __CUDACC__
        o->cold = 1;
#else
        o->warm = 1; /* flushing a processor's cache takes longer than most runs */
#endif
    }
}

/* Of a repeated option the last one counts. */
static inline options options_parse(int argc, char **argv)
{
    options o;
    int i;

    memset(&o, 0, sizeof o);
    o.contest.repeat = DEFAULT_REPEAT;
    o.contest.enough_ms = HOST_ENOUGH_MS;
    o.blocks = 1; /* 0: the default of each rung */
    o.batch[0] = o.batches = o.distributions = 1;
    o.distribution[0] = DISTRIBUTION_UNIFORM;
    parse_sizes(&o, DEFAULT_SIZES);
    for (i = 1; i < argc; i++) {
        const char *value;
        int name = next_option(argc, argv, &i, option_names, OPTION_NAMES, OPTION_SWITCHES, &value);

        if (name < OPTION_SWITCHES)
            options_switch(&o, name);
        else
            options_set(&o, name, value);
    }
    options_finish(&o);
    return o;
}

#endif
