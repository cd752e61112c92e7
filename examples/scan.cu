/*
 * scan.cu: prefix sums on the GPU, with the defaults and then with another type and operator.
 *
 * Rows of different lengths are to be packed into one array. Row i begins where all the rows before it
 * end: at the sum of the lengths before i, which is an exclusive scan of the lengths.
 *
 *     nvcc -I.. scan.cu -o scan && ./scan                                 on the GPU
 *     gcc -x c -std=gnu11 -pthread -I.. scan.cu -o scan && ./scan         on the CPU
 */
#include "example.h"

/* Nothing defined: sums of ints, by functions that are called gp_... */
#include <gpuprims/scan.cuh>

/* Parameters make another instance: maxima of floats, called highest_... The include uses them up. */
#define GP_NAME highest
#define GP_TYPE float
#define GP_OP   GP_MAX
#include <gpuprims/scan.cuh>

enum { N = 100000 };

static int lengths[N], starts[N];
static float level[N], record[N];

static int pack_rows(void)
{
    int *d_lengths, right = 1, sum = 0;

    for (int i = 0; i < N; i++)
        lengths[i] = i * 7 % 10;
    CHECK(cudaMalloc((void **)&d_lengths, sizeof lengths));
    CHECK(cudaMemcpy(d_lengths, lengths, sizeof lengths, cudaMemcpyHostToDevice));

    /* In place, with scratch memory of its own (NULL), on the default stream (0). */
    CHECK(gp_exclusive_scan(d_lengths, d_lengths, N, NULL, 0));

    CHECK(cudaMemcpy(starts, d_lengths, sizeof starts, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_lengths));
    for (int i = 0; i < N; i++) {
        right &= starts[i] == sum;
        sum += lengths[i];
    }
    printf("lengths %d %d %d %d ... begin at %d %d %d %d ...\n", lengths[0], lengths[1], lengths[2],
           lengths[3], starts[0], starts[1], starts[2], starts[3]);
    return right;
}

/* The highest level up to each day: an inclusive scan with the maximum. */
static int highest_so_far(void)
{
    gp_workspace ws = GP_WORKSPACE_INIT; /* scratch memory that is kept from call to call */
    float *d_level, *d_record, highest;
    int right = 1;

    for (int i = 0; i < N; i++)
        level[i] = (float)(i * 37 % 101) + (float)i / 1000;
    CHECK(cudaMalloc((void **)&d_level, sizeof level));
    CHECK(cudaMalloc((void **)&d_record, sizeof record));
    CHECK(cudaMemcpy(d_level, level, sizeof level, cudaMemcpyHostToDevice));

    CHECK(highest_inclusive_scan(d_level, d_record, N, &ws, 0));

    CHECK(cudaMemcpy(record, d_record, sizeof record, cudaMemcpyDeviceToHost));
    CHECK(gp_workspace_release(&ws, 0));
    CHECK(cudaFree(d_level));
    CHECK(cudaFree(d_record));
    highest = level[0];
    for (int i = 0; i < N; i++) {
        highest = level[i] > highest ? level[i] : highest;
        right &= record[i] == highest;
    }
    printf("levels %g %g %g %g ... have been as high as %g %g %g %g ...\n", level[0], level[1],
           level[2], level[3], record[0], record[1], record[2], record[3]);
    return right;
}

int main(void)
{
    need_gpu();
    int packed = pack_rows();
    return verdict(highest_so_far() && packed);
}
