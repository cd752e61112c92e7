/* data.h: the data that everything runs on, random or from a file. */
#ifndef COMPARE_DATA_H
#define COMPARE_DATA_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command_line.h"
#include "element.h"
#include "input.h"

static inline void *allocate(size_t bytes)
{
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory == NULL)
        quit(EXIT_USAGE, "out of memory: %zu bytes are not available", bytes);
    return memory;
}

/* Asking first is kinder than being killed half way: Linux hands out memory that it lacks. */
static inline void require_memory(size_t n)
{
    /* Of each of two lengths the input, the result, and what that should be, here and on the device; the input. */
    double needed = (double)n * 56;
    double present = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (present > 0 && needed > present)
        quit(EXIT_USAGE,
             "%zu elements need about %.0f GiB of memory, and this machine has %.0f GiB", n,
             needed / 1073741824.0, present / 1073741824.0);
}

/* Integers from 0 to limit - 1. Floats keep one zero in `limit` and are otherwise real numbers
 * below `limit`, so that sums round and compaction has something to remove. */
static inline void data_random(void *array, size_t n, element_type type, int limit, uint64_t seed)
{
    size_t i;
    for (i = 0; i < n; i++) {
        uint64_t bits = input_random_of(seed, i);
        uint32_t integer = (uint32_t)(bits & 0xffffffffu) % (uint32_t)limit;
        if (i == n - 1)
            integer = 0; /* as customary: an exclusive scan must not add its last element */
        if (type == TYPE_F32) {
            float unit = (float)(bits >> 40) * (1.0f / 16777216.0f);
            ((float *)array)[i] = integer == 0 ? 0.0f : unit * (float)limit;
        } else {
            ((uint32_t *)array)[i] = integer;
        }
    }
}

static inline FILE *data_open(const char *path)
{
    struct stat status;
    FILE *file;
    /* Before opening: opening a device can block or have effects. */
    if (stat(path, &status) != 0)
        quit(EXIT_USAGE, "cannot read %s: %s", path, strerror(errno));
    if (S_ISDIR(status.st_mode))
        quit(EXIT_USAGE, "cannot read %s: it is a directory", path);
    if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode))
        quit(EXIT_USAGE, "cannot read %s: it is neither a file nor a pipe", path);
    file = fopen(path, "rb");
    if (file == NULL)
        quit(EXIT_USAGE, "cannot read %s: %s", path, strerror(errno));
    return file;
}

/* The whole file. The size that the file system states is not trusted: a pipe has none, and files
 * below /proc say 0. */
static inline unsigned char *data_read(const char *path, size_t *bytes)
{
    FILE *file = data_open(path);
    size_t capacity = (size_t)1 << 16;
    unsigned char *data = (unsigned char *)allocate(capacity);
    size_t length = 0;
    for (;;) {
        size_t got = fread(data + length, 1, capacity - length, file);
        length += got;
        if (length < capacity)
            break;
        capacity *= 2;
        data = (unsigned char *)realloc(data, capacity);
        if (data == NULL)
            quit(EXIT_USAGE, "cannot read %s: it does not fit into memory", path);
    }
    if (ferror(file)) {
        int reason = errno;
        free(data);
        quit(EXIT_USAGE, "cannot read %s: %s", path, strerror(reason));
    }
    fclose(file);
    *bytes = length;
    return data;
}

/* The file as elements; *n is how many. */
static inline void *data_load(const char *path, element_type type, size_t *n)
{
    size_t width = element_file_bytes(type);
    size_t bytes, i;
    unsigned char *raw = data_read(path, &bytes);
    uint32_t *wide;
    if (bytes == 0 || bytes % width != 0)
        free(raw);
    if (bytes == 0)
        quit(EXIT_USAGE, "%s is empty", path);
    if (bytes % width != 0)
        quit(EXIT_USAGE,
             "%s is truncated: %zu bytes are no whole number of %s elements of %zu bytes", path,
             bytes, element_name(type), width);
    *n = bytes / width;
    require_memory(*n);
    if (type != TYPE_U8)
        return raw;
    wide = (uint32_t *)allocate(*n * sizeof *wide);
    for (i = 0; i < *n; i++)
        wide[i] = raw[i];
    free(raw);
    return wide;
}

#endif
