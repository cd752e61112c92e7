/*
 * compact.cu: picks the records of a file that satisfy a condition which is known only at run time.
 *
 *     compact [FILE [LOWEST HIGHEST]]
 *
 * FILE has a line "station,temperature" per reading; without one the example makes it up. Those of
 * LOWEST to HIGHEST degrees are kept, in their order.
 */
#include "example.h"

typedef struct reading {
    int station;
    float celsius;
} reading;

typedef struct range {
    float lowest, highest;
} range;

/* The predicate gets, with each record, what the host function was given: its context. */
#define GP_NAME       within
#define GP_TYPE       reading
#define GP_CONTEXT    range
#define GP_PRED(r, c) ((r).celsius >= (c).lowest && (r).celsius <= (c).highest)
#include <gpuprims/compact.cuh>

static FILE *made_up_file(void)
{
    FILE *file = tmpfile();

    for (int i = 0; file && i < 20000; i++)
        fprintf(file, "%d,%.1f\n", i % 300, (double)(i * 7919L % 600) / 10 - 20);
    if (file)
        rewind(file);
    return file;
}

static reading *read_file(FILE *file, size_t *n)
{
    size_t room = 1024;
    reading *all = (reading *)malloc(room * sizeof *all), r;

    for (*n = 0; all && fscanf(file, "%d,%f", &r.station, &r.celsius) == 2; (*n)++) {
        if (*n == room)
            all = (reading *)realloc(all, (room *= 2) * sizeof *all);
        if (all)
            all[*n] = r;
    }
    return all;
}

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "r") : made_up_file();
    range wanted = {argc > 3 ? (float)atof(argv[2]) : 30, argc > 3 ? (float)atof(argv[3]) : 35};
    reading *readings, *d_in, *d_out;
    size_t n, kept, expected = 0, *d_count;
    int right = 1;

    if (!file || argc == 3 || argc > 4) {
        printf("usage: compact [FILE [LOWEST HIGHEST]]   picks lines station,temperature\n");
        return argc == 2 && strcmp(argv[1], "--help") == 0 ? 0 : 2;
    }
    need_gpu();
    readings = read_file(file, &n);
    CHECK(cudaMalloc((void **)&d_in, (n + 1) * sizeof *d_in));
    CHECK(cudaMalloc((void **)&d_out, (n + 1) * sizeof *d_out));
    CHECK(cudaMalloc((void **)&d_count, sizeof *d_count));
    CHECK(cudaMemcpy(d_in, readings, n * sizeof *d_in, cudaMemcpyHostToDevice));

    CHECK(within_compact(d_in, d_out, n, d_count, wanted, NULL, 0));

    /* How many there are is on the device, like the records: nothing has waited for it until here. */
    CHECK(cudaMemcpy(&kept, d_count, sizeof kept, cudaMemcpyDeviceToHost));
    reading *got = (reading *)malloc((kept + 1) * sizeof *got);
    CHECK(cudaMemcpy(got, d_out, kept * sizeof *got, cudaMemcpyDeviceToHost));
    printf("%zu of %zu readings are of %g to %g degrees\n", kept, n, wanted.lowest, wanted.highest);
    for (size_t i = 0; i < kept && i < 3; i++)
        printf("    station %d: %.1f\n", got[i].station, got[i].celsius);

    for (size_t i = 0; i < n; i++) {
        if (readings[i].celsius < wanted.lowest || readings[i].celsius > wanted.highest)
            continue;
        right &= expected < kept && memcmp(&got[expected], &readings[i], sizeof *got) == 0;
        expected++;
    }
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_count));
    free(readings);
    free(got);
    fclose(file);
    return verdict(right && kept == expected);
}
