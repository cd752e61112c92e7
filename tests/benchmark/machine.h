/* machine.h: where and when rows are measured. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

/* Where every row was measured: the last columns of the CSV. cub_toolkit is empty where the toolkit's is the only CUB. */
typedef struct machine {
    char gpu[256], driver[64], toolkit[64], cub[32], cub_toolkit[32], commit[128], date[32];
} machine;

GP_EXTERN_C const char *gpbench_commit(void); /* commit.c.in */

const char *bench_cub_version(void); /* cub_version.cu */
const char *bench_cub_toolkit_version(void);

/* Commas and quotes would need quoting in a CSV. */
static inline void plain_text(char *text)
{
    for (; *text; text++)
        if (*text == ',' || *text == '"' || *text == '\n')
            *text = *text == '\n' ? '\0' : ' ';
}

#ifdef __CUDACC__
static inline void machine_gpu(machine *m)
{
    struct cudaDeviceProp properties;
    FILE *file = fopen("/sys/module/nvidia/version", "r");
    int version = 0;

    if (cudaGetDeviceProperties(&properties, 0) == cudaSuccess)
        snprintf(m->gpu, sizeof m->gpu, "%s", properties.name);
    if (file && fgets(m->driver, sizeof m->driver, file))
        plain_text(m->driver);
    if (file)
        fclose(file);
    if (m->driver[0] == '\0' && cudaDriverGetVersion(&version) == cudaSuccess)
        snprintf(m->driver, sizeof m->driver, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    snprintf(m->toolkit, sizeof m->toolkit, "%d.%d.%d", __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__,
             __CUDACC_VER_BUILD__);
#ifdef BENCH_HAS_CUB
    snprintf(m->cub, sizeof m->cub, "%s", bench_cub_version());
#endif
#ifdef BENCH_HAS_NEWEST_CUB
    snprintf(m->cub_toolkit, sizeof m->cub_toolkit, "%s", bench_cub_toolkit_version());
#endif
}
#else
static inline void machine_gpu(machine *m)
{
    snprintf(m->gpu, sizeof m->gpu, "CPU backend");
    snprintf(m->toolkit, sizeof m->toolkit, "gcc %d.%d", __GNUC__, __GNUC_MINOR__);
}
#endif

static inline void machine_describe(machine *m)
{
    const char *commit = getenv("GPBENCH_COMMIT");
    time_t now = time(NULL);
    struct tm utc;

    memset(m, 0, sizeof *m);
    machine_gpu(m);
    snprintf(m->commit, sizeof m->commit, "%s", commit && *commit ? commit : gpbench_commit());
    strftime(m->date, sizeof m->date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    plain_text(m->gpu);
    plain_text(m->commit);
}

#endif
