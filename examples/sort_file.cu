/*
 * sort_file.cu: sorts a binary file of numbers, or of records by a number in them.
 *
 *     sort_file --type u64 --memory 1G IN OUT
 *     sort_file --type f32 --record 24 --offset 8 IN OUT     records of 24 bytes by a float at byte 8
 *     sort_file --type u64 --check FILE                      whether it is sorted
 *
 * The file has to fit in host memory about twice; the GPU's memory may be as small as it likes. The output is
 * written beside its place, under another name, and renamed when it is complete: whatever fails, there is
 * no half of a file, and the input is only ever read. If OUT is a symbolic link, the file that it leads to is
 * written.
 *
 * All types are sorted as unsigned numbers that have the same order, which keeps the instances few: floats
 * by value, -0.0 before +0.0, NaNs past the infinities of their sign. The sort is stable.
 */
#include "example.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#define GP_NAME words
#define GP_KEY uint32_t
#include <gpuprims/hybrid_sort.cuh>
#define GP_NAME longs
#define GP_KEY uint64_t
#include <gpuprims/hybrid_sort.cuh>

/* Of records the numbers are sorted, and with them where they came from. */
#define GP_NAME word_places
#define GP_KEY uint32_t
#define GP_VALUE uint64_t
#include <gpuprims/hybrid_sort.cuh>
#define GP_NAME long_places
#define GP_KEY uint64_t
#define GP_VALUE uint64_t
#include <gpuprims/hybrid_sort.cuh>

enum { EXIT_FAILED = 1, EXIT_MISUSED = 2 };

#define PIECE ((size_t)4 << 20) /* bytes that are read or written at a time */

typedef struct type {
    const char *name;
    size_t bytes;
    int is_signed, is_float;
} type;

static const type types[] = {{"u32", 4, 0, 0}, {"u64", 8, 0, 0}, {"i32", 4, 1, 0},
                             {"i64", 8, 1, 0}, {"f32", 4, 1, 1}, {"f64", 8, 1, 1}};

typedef struct task {
    const type *key;
    size_t record, offset; /* bytes of a record, and those before its key */
    gp_hybrid_options options;
    int check, show;
    const char *in, *out;
    size_t bytes, n; /* of the input */
} task;

/* ---- errors ------------------------------------------------------------------------------------ */

static char target[4096];  /* the output's name, links followed */
static char partial[4096]; /* and until it is complete */

/* What ends a program from outside. Its own faults are left to debuggers and sanitizers. */
static const int deadly[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGABRT, SIGPIPE,   SIGALRM, SIGTERM,
                             SIGUSR1, SIGUSR2, SIGXCPU, SIGPROF, SIGVTALRM, SIGIO,   SIGPWR};

static void remove_partial(void)
{
    if (*partial)
        unlink(partial);
}

static void interrupted(int signal_number)
{
    remove_partial();
    _exit(128 + signal_number);
}

/* Whatever ends the program, the file that is not complete goes. What was ignored, as under nohup, stays so. */
static void remove_partial_at_exit(void)
{
    atexit(remove_partial);
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        if (signal(deadly[i], SIG_IGN) != SIG_IGN)
            signal(deadly[i], interrupted);
    signal(SIGXFSZ, SIG_IGN); /* a file over the limit is an error of write */
}

__attribute__((noreturn, format(printf, 2, 3))) static void quit(int status, const char *format,
                                                                 ...)
{
    va_list arguments;

    fputs("sort_file: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(status);
}

static void *memory_for(const task *t, size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);

    if (!memory)
        quit(EXIT_FAILED, "no memory for the %zu bytes of %s", t->bytes, t->in);
    return memory;
}

/* ---- arguments --------------------------------------------------------------------------------- */

static void print_help(void)
{
    puts(
        "usage: sort_file --type TYPE [OPTION]... IN OUT\n"
        "       sort_file --type TYPE [--record BYTES] [--offset BYTES] --check FILE\n"
        "\n"
        "Sorts the numbers of a binary file, or its records by a number in each, with the GPU.\n"
        "\n"
        "  --type TYPE      u32, u64, i32, i64, f32 or f64, in the byte order of this machine\n"
        "  --record BYTES   the file has records of so many bytes (default: those of the type)\n"
        "  --offset BYTES   where in a record its number is (default 0)\n"
        "  --memory BYTES   of the GPU's, at most: 1G, 512M, 64K or bytes (default: what is free)\n"
        "  --threads N      on the CPU (default: all)\n"
        "  --check          do not sort: tell whether FILE is sorted\n"
        "  --quiet          no progress, which is shown on a terminal alone\n"
        "  --help           print this\n"
        "\n"
        "OUT is complete or is not written at all. Exit status: 0 sorted, 1 not sorted or an "
        "error,\n"
        "2 a mistake in the arguments, 77 no GPU.");
}

static size_t number_from(const char *option, const char *text, int has_unit)
{
    char *end = NULL;
    unsigned long long value = text ? strtoull(text, &end, 10) : 0;
    int shift = 0;

    if (text && has_unit && *end)
        shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    if (!text || *text < '0' || *text > '9' || end[shift > 0] || value > (1ull << 50 >> shift))
        quit(EXIT_MISUSED, "%s takes a number%s, not '%s'", option,
             has_unit ? " as 1G, 512M, 64K or 1000000" : "", text ? text : "");
    return (size_t)value << shift;
}

static const type *type_from(const char *text)
{
    for (size_t i = 0; text && i < sizeof types / sizeof *types; i++)
        if (strcmp(text, types[i].name) == 0)
            return &types[i];
    quit(EXIT_MISUSED, "--type takes u32, u64, i32, i64, f32 or f64, not '%s'", text ? text : "");
}

static task parse(int argc, char **argv)
{
    const char *files[3] = {NULL, NULL, NULL};
    int count = 0;
    task t;

    memset(&t, 0, sizeof t);
    t.show = isatty(STDERR_FILENO);
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i], *value = argv[i + 1]; /* NULL after the last */

        if (strcmp(option, "--help") == 0) {
            print_help();
            exit(0);
        } else if (strcmp(option, "--check") == 0) {
            t.check = 1;
        } else if (strcmp(option, "--quiet") == 0) {
            t.show = 0;
        } else if (strncmp(option, "--", 2) != 0) {
            files[count < 2 ? count : 2] = option;
            count++;
        } else {
            if (strcmp(option, "--type") == 0)
                t.key = type_from(value);
            else if (strcmp(option, "--record") == 0)
                t.record = number_from(option, value, 0);
            else if (strcmp(option, "--offset") == 0)
                t.offset = number_from(option, value, 0);
            else if (strcmp(option, "--memory") == 0)
                t.options.device_bytes = number_from(option, value, 1);
            else if (strcmp(option, "--threads") == 0)
                t.options.cpu_threads = (int)(number_from(option, value, 0) % 10000);
            else
                quit(EXIT_MISUSED, "unknown option '%s'; --help lists the options", option);
            i++;
        }
    }
    if (!t.key)
        quit(EXIT_MISUSED, "--type is missing; --help lists the options");
    if (count != 2 - t.check)
        quit(EXIT_MISUSED, "%s, not %d; --help lists the options",
             t.check ? "--check takes one file" : "it takes two files IN and OUT", count);
    if (t.record == 0)
        t.record = t.key->bytes;
    if (t.offset + t.key->bytes > t.record)
        quit(EXIT_MISUSED, "%s at byte %zu is not within a record of %zu bytes", t.key->name,
             t.offset, t.record);
    t.in = files[0];
    t.out = files[1];
    return t;
}

/* ---- numbers ----------------------------------------------------------------------------------- */

/* The bits of a number of `key` as an unsigned number that orders as it does, or back. */
static uint64_t turn(const type *key, uint64_t bits, int back)
{
    const uint64_t sign = (uint64_t)1 << (8 * key->bytes - 1), all = 2 * sign - 1;

    if (!key->is_signed)
        return bits;
    if (key->is_float && (back ? !(bits & sign) : (bits & sign) != 0))
        return ~bits & all; /* negative: the larger the bits, the smaller the number */
    return bits ^ sign;
}

static uint64_t bits_at(const type *key, const char *place)
{
    uint64_t bits = 0;

    memcpy(&bits, place, key->bytes); /* little-endian, as every machine with a GPU */
    return bits;
}

/* All numbers of an array, in their place. */
static void turn_all(const type *key, char *numbers, size_t n, int back)
{
    for (size_t i = 0; i < n && key->is_signed; i++) {
        uint64_t bits = turn(key, bits_at(key, numbers + i * key->bytes), back);

        memcpy(numbers + i * key->bytes, &bits, key->bytes);
    }
}

/* ---- files ------------------------------------------------------------------------------------- */

static int open_input(task *t)
{
    struct stat status;
    int file = open(t->in, O_RDONLY);

    if (file < 0 || fstat(file, &status) != 0)
        quit(EXIT_FAILED, "cannot read %s: %s", t->in, strerror(errno));
    if (!S_ISREG(status.st_mode))
        quit(EXIT_FAILED, "cannot read %s: it is not a regular file", t->in);
    t->bytes = (size_t)status.st_size;
    t->n = t->bytes / t->record;
    if (t->bytes % t->record)
        quit(EXIT_FAILED, "%s has %zu bytes, which is not a multiple of the %zu bytes of a %s",
             t->in, t->bytes, t->record, t->record == t->key->bytes ? "number" : "record");
    return file;
}

static void read_fully(const task *t, int file, char *to, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t got = read(file, to + done, bytes - done < PIECE ? bytes - done : PIECE);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            quit(EXIT_FAILED, "cannot read %s: %s", t->in,
                 got < 0 ? strerror(errno) : "it has shrunk");
        done += (size_t)got;
    }
}

/* Finds the file that OUT names: where it is a symbolic link, the one that this leads to, there or not. */
static void find_target(const task *t)
{
    char link[sizeof target], name[2 * sizeof target];
    int error =
        snprintf(target, sizeof target, "%s", t->out) < (int)sizeof target ? 0 : ENAMETOOLONG;

    for (int links = 0; !error; links++) {
        ssize_t length = readlink(target, link, sizeof link - 1);
        char *folder_end = strrchr(target, '/');

        if (length < 0)
            return; /* no link: a file, or nothing yet */
        link[length] = '\0';
        if (*link != '/' && folder_end)
            snprintf(name, sizeof name, "%.*s/%s", (int)(folder_end - target), target, link);
        else
            snprintf(name, sizeof name, "%s", link);
        if (snprintf(target, sizeof target, "%s", name) >= (int)sizeof target)
            error = ENAMETOOLONG;
        if (links == 40)
            error = ELOOP;
    }
    quit(EXIT_FAILED, "cannot write %.40s: %s", t->out, strerror(error));
}

/* Makes the file that will become OUT, as large as it is going to be: a full disk shows before the work. */
static int open_output(const task *t, int in)
{
    struct stat from, to;

    if (fstat(in, &from) != 0)
        quit(EXIT_FAILED, "cannot read %s: %s", t->in, strerror(errno));
    if (stat(t->out, &to) == 0) {
        if (from.st_dev == to.st_dev && from.st_ino == to.st_ino)
            quit(EXIT_FAILED, "%s and %s are the same file", t->in, t->out);
        if (!S_ISREG(to.st_mode))
            quit(EXIT_FAILED, "cannot write %s: it is not a regular file", t->out);
    }
    find_target(t);
    if (snprintf(partial, sizeof partial, "%s.XXXXXX", target) >= (int)sizeof partial) {
        *partial = '\0';
        quit(EXIT_FAILED, "cannot write %.40s...: the name is too long", t->out);
    }
    int file = mkstemp(partial), error = errno;
    if (file < 0) {
        *partial = '\0';
        quit(EXIT_FAILED, "cannot write %s: %s", t->out, strerror(error));
    }
    (void)fchmod(file, from.st_mode & 0777);
    error = t->bytes ? posix_fallocate(file, 0, (off_t)t->bytes) : 0;
    if (error && error != EOPNOTSUPP && error != EINVAL)
        quit(EXIT_FAILED, "cannot write %zu bytes for %s: %s", t->bytes, t->out, strerror(error));
    return file;
}

static void write_fully(const task *t, int file, const char *from, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t put = write(file, from + done, bytes - done < PIECE ? bytes - done : PIECE);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            quit(EXIT_FAILED, "cannot write %s: %s", t->out, strerror(errno));
        done += (size_t)put;
    }
}

/* ---- the work ---------------------------------------------------------------------------------- */

static void show(void *user, double fraction)
{
    if (((const task *)user)->show)
        fprintf(stderr, fraction < 1 ? "\rsorting %3.0f %%" : "\r\033[K", fraction * 100);
}

static void must_sort(const task *t, cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    if (t->show)
        fputs("\r\033[K", stderr);
    quit(EXIT_FAILED, "cannot sort %s: %s%s%s", t->in, cudaGetErrorString(error),
         *gp_last_error_message() ? ": " : "", gp_last_error_message());
}

static void sort_numbers(const task *t, int in, int out)
{
    char *numbers = (char *)memory_for(t, t->bytes);

    read_fully(t, in, numbers, t->bytes);
    turn_all(t->key, numbers, t->n, 0);
    must_sort(t, t->key->bytes == 4
                     ? words_hybrid_sort_host((uint32_t *)numbers, t->n, &t->options)
                     : longs_hybrid_sort_host((uint64_t *)numbers, t->n, &t->options));
    turn_all(t->key, numbers, t->n, 1);
    write_fully(t, out, numbers, t->bytes);
    free(numbers);
}

static void sort_records(const task *t, int in, int out)
{
    const size_t some =
        t->record < PIECE ? PIECE / t->record : 1; /* records that are written at a time */
    char *records = (char *)memory_for(t, t->bytes),
         *keys = (char *)memory_for(t, t->n * t->key->bytes);
    char *piece = (char *)memory_for(t, some * t->record);
    uint64_t *places = (uint64_t *)memory_for(t, t->n * sizeof *places);

    read_fully(t, in, records, t->bytes);
    for (size_t i = 0; i < t->n; i++) {
        uint64_t number = turn(t->key, bits_at(t->key, records + i * t->record + t->offset), 0);

        memcpy(keys + i * t->key->bytes, &number, t->key->bytes);
        places[i] = i;
    }
    must_sort(t, t->key->bytes == 4
                     ? word_places_hybrid_sort_host((uint32_t *)keys, places, t->n, &t->options)
                     : long_places_hybrid_sort_host((uint64_t *)keys, places, t->n, &t->options));
    for (size_t first = 0; first < t->n; first += some) {
        size_t n = t->n - first < some ? t->n - first : some;

        for (size_t i = 0; i < n; i++)
            memcpy(piece + i * t->record, records + places[first + i] * t->record, t->record);
        write_fully(t, out, piece, n * t->record);
    }
    free(records);
    free(keys);
    free(piece);
    free(places);
}

/* Compares each number with the one before it; zeros of both signs are equal. */
static int check(const task *t, int in)
{
    const size_t some = t->record < PIECE ? PIECE / t->record : 1;
    const uint64_t minus_zero = t->key->is_float ? (uint64_t)1 << (8 * t->key->bytes - 1) : 0;
    char *piece = (char *)memory_for(t, some * t->record);
    uint64_t before = 0;

    for (size_t i = 0; i < t->n; i++) {
        size_t left = t->n - i;

        if (i % some == 0)
            read_fully(t, in, piece, (left < some ? left : some) * t->record);
        uint64_t bits = bits_at(t->key, piece + i % some * t->record + t->offset);
        uint64_t number = turn(t->key, minus_zero && bits == minus_zero ? 0 : bits, 0);
        if (number < before)
            quit(EXIT_FAILED, "%s is not sorted: number %zu of %zu is less than the one before",
                 t->in, i, t->n);
        before = number;
    }
    free(piece);
    return 0;
}

int main(int argc, char **argv)
{
    task t = parse(argc, argv);
    int in = open_input(&t);

    if (t.check)
        return check(&t, in);
    need_gpu();
    t.options.progress = show;
    t.options.user = &t;
    remove_partial_at_exit();
    int out = open_output(&t, in);
    if (t.record == t.key->bytes)
        sort_numbers(&t, in, out);
    else
        sort_records(&t, in, out);
    if (fsync(out) != 0 || close(out) != 0 || rename(partial, target) != 0)
        quit(EXIT_FAILED, "cannot write %s: %s", t.out, strerror(errno));
    *partial = '\0';
    close(in);
    return 0;
}
