/* command_line.h: what the programs that measure share of reading a command line. Every mistake is one sentence on
 * stderr and exit status 2. */
#ifndef BENCH_COMMAND_LINE_H
#define BENCH_COMMAND_LINE_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef BENCH_PROGRAM
#define BENCH_PROGRAM "gpbench" /* the name in front of messages */
#endif

/* 77 is how a test says "skipped" to Meson. */
enum { EXIT_RIGHT = 0, EXIT_WRONG = 1, EXIT_USAGE = 2, EXIT_NO_GPU = 77 };

__attribute__((noreturn, format(printf, 2, 3))) static inline void quit(int status,
                                                                        const char *format, ...)
{
    va_list arguments;

    fflush(stdout);
    fputs(BENCH_PROGRAM ": ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(status);
}

/* ---- numbers and lists ---- */

/* Decimal digits; returns what comes after them, or NULL. */
static inline const char *parse_digits(const char *text, uint64_t *value)
{
    const char *c;

    for (c = text, *value = 0; *c >= '0' && *c <= '9'; c++) {
        uint64_t digit = (uint64_t)(*c - '0');

        if (*value > (UINT64_MAX - digit) / 10)
            return NULL;
        *value = *value * 10 + digit;
    }
    return c == text ? NULL : c;
}

/* A count: decimal digits, 2^k, or 2^k-d, which is at least 1. */
static inline int parse_count(const char *text, uint64_t *value)
{
    int is_power = strncmp(text, "2^", 2) == 0;
    const char *c = parse_digits(is_power ? text + 2 : text, value);
    uint64_t less = 0;

    if (!c || (is_power && *value > 63))
        return 0;
    if (is_power)
        *value = (uint64_t)1 << *value;
    if (is_power && *c == '-')
        c = parse_digits(c + 1, &less);
    if (!c || *c != '\0' || (less && less >= *value))
        return 0;
    *value -= less;
    return 1;
}

static inline uint64_t parse_number(const char *name, const char *text, uint64_t least,
                                    uint64_t most)
{
    uint64_t value;

    if (!parse_count(text, &value) || value < least || value > most)
        quit(EXIT_USAGE, "%s takes a number from %llu to %llu, not '%s'", name,
             (unsigned long long)least, (unsigned long long)most, text);
    return value;
}

/* The next word of a list with commas, in a buffer; returns where to go on, NULL after the last. */
static inline const char *list_next(const char *name, const char *list, char *word, size_t size)
{
    size_t length = strcspn(list, ",");

    if (length == 0)
        quit(EXIT_USAGE, "%s has an empty item in its list", name);
    if (length >= size)
        quit(EXIT_USAGE, "%s has an item of more than %zu characters", name, size - 1);
    memcpy(word, list, length);
    word[length] = '\0';
    return list[length] == ',' ? list + length + 1 : NULL;
}

/* Threads of a block. */
static inline int parse_block(const char *text)
{
    uint64_t block;

    if (!parse_count(text, &block) || block < 32 || block > 1024 || (block & (block - 1)))
        quit(EXIT_USAGE, "--block takes a power of two from 32 to 1024, not '%s'", text);
    return (int)block;
}

/* Which of the names argument *i is. All but the first `switches` take a value, "--name value" or "--name=value",
 * which goes to *value; *i is at the last argument then that belongs to it. */
static inline int next_option(int argc, char **argv, int *i, const char *const *names, int count,
                              int switches, const char **value)
{
    const char *text = argv[*i], *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    int k = 0;

    if (strcmp(text, "-h") == 0)
        text = "--help", length = strlen(text);
    while (k < count && !(strlen(names[k]) == length && memcmp(names[k], text, length) == 0))
        k++;
    if (k == count)
        quit(EXIT_USAGE, "unknown option '%s'; --help lists the options", argv[*i]);
    *value = NULL;
    if (k < switches && equals)
        quit(EXIT_USAGE, "%s takes no value", names[k]);
    if (k < switches)
        return k;
    if (!equals && *i + 1 == argc)
        quit(EXIT_USAGE, "%s needs a value", names[k]);
    *value = equals ? equals + 1 : argv[++*i];
    return k;
}

#endif
