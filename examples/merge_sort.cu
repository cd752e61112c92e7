/*
 * merge_sort.cu: two logs, each sorted by time, become one.
 *
 * What comes first is for GP_LESS to say: here it compares two members of a struct. Entries of the same
 * second keep their order, and those of the first log come before those of the second.
 *
 *     log 0       day 1 08:00   day 2 07:30   day 2 09:00
 *     log 1       day 1 09:15   day 2 07:30
 *     together    day 1 08:00   day 1 09:15   day 2 07:30 (log 0)   day 2 07:30 (log 1)   day 2 09:00
 */
#include "example.h"

typedef struct {
    unsigned day, second; /* when */
    unsigned log, number; /* which entry of which log */
} entry;

#define GP_NAME       logs
#define GP_TYPE       entry
#define GP_LESS(a, b) ((a).day != (b).day ? (a).day < (b).day : (a).second < (b).second)
#include <gpuprims/merge_sort.cuh>

#define GP_NAME       logs
#define GP_TYPE       entry
#define GP_LESS(a, b) ((a).day != (b).day ? (a).day < (b).day : (a).second < (b).second)
#include <gpuprims/merge.cuh>

enum { N0 = 40000, N1 = 25000, N = N0 + N1 };

static entry logs[N];

int main(void)
{
    entry *d_logs = NULL, *d_together = NULL;
    int right = 1;

    need_gpu();
    for (unsigned i = 0; i < N; i++) {
        logs[i].day = i * 2654435761u >> 27;
        logs[i].second = i * 40503u % 3600;
        logs[i].log = i >= N0;
        logs[i].number = i;
    }
    CHECK(cudaMalloc((void **)&d_logs, sizeof logs));
    CHECK(cudaMalloc((void **)&d_together, sizeof logs));
    CHECK(cudaMemcpy(d_logs, logs, sizeof logs, cudaMemcpyHostToDevice));

    CHECK(logs_merge_sort(d_logs, d_logs, N0, NULL, 0));
    CHECK(logs_merge_sort(d_logs + N0, d_logs + N0, N1, NULL, 0));
    CHECK(logs_merge(d_logs, N0, d_logs + N0, N1, d_together, NULL, 0));

    CHECK(cudaMemcpy(logs, d_together, sizeof logs, cudaMemcpyDeviceToHost));
    for (unsigned i = 1; i < N; i++) {
        entry a = logs[i - 1], b = logs[i];

        right &= a.day < b.day || (a.day == b.day && (a.second < b.second ||
                                                      (a.second == b.second && a.number < b.number)));
    }
    printf("first: log %u at second %u of day %u; last: log %u at second %u of day %u\n", logs[0].log,
           logs[0].second, logs[0].day, logs[N - 1].log, logs[N - 1].second, logs[N - 1].day);
    CHECK(cudaFree(d_logs));
    CHECK(cudaFree(d_together));
    return verdict(right);
}
