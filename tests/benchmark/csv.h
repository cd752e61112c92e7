/* csv.h: a CSV file that is complete or not there. */
#ifndef BENCH_CSV_H
#define BENCH_CSV_H

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command_line.h"

/* Rows gather in a file beside it, which becomes the file when it is complete: whoever finds that finds all of it. */
typedef struct csv_file {
    FILE *stream; /* NULL: nobody asked for a file */
    const char *path;
    char partial[4096];
} csv_file;

/* The name of the file beside it ends so. */
static inline void csv_open(csv_file *csv, const char *path, const char *ending,
                            const char *columns)
{
    struct stat status;

    csv->stream = NULL;
    csv->path = path;
    if (!path)
        return;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        quit(EXIT_USAGE, "cannot write %s: it is %s", path,
             S_ISDIR(status.st_mode) ? "a directory" : "not a regular file");
    if (snprintf(csv->partial, sizeof csv->partial, "%s%s", path, ending) >=
        (int)sizeof csv->partial)
        quit(EXIT_USAGE, "cannot write %.40s...: the name is too long", path);
    csv->stream = fopen(csv->partial, "w");
    if (!csv->stream)
        quit(EXIT_USAGE, "cannot write %s: %s", csv->partial, strerror(errno));
    fprintf(csv->stream, "%s\n", columns);
}

static inline void csv_close(csv_file *csv)
{
    int failed;

    if (!csv->stream)
        return;
    failed = ferror(csv->stream);
    if (fclose(csv->stream) != 0 || failed || rename(csv->partial, csv->path) != 0)
        quit(EXIT_USAGE, "cannot write %s: %s", csv->path, strerror(errno));
    csv->stream = NULL;
}

#endif
