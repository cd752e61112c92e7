/*
 * reduce.cu: mean and variance of an array in one pass, with a struct and an operator of one's own.
 *
 * Adding up x and x * x loses everything when the mean is large. Instead every value begins as a sample
 * of one, and two samples merge into one (Chan, Golub and LeVeque, Updating formulae and a pairwise
 * algorithm for computing sample variances, 1979). Merging is associative, so it can be reduced.
 */
#include "example.h"

#include <math.h>

typedef struct sample {
    double count, mean, m2; /* m2: the sum of the squared distances from the mean */
} sample;

static __device__ sample sample_of(float x)
{
    sample one = {1, x, 0};

    return one;
}

static __device__ sample merge(sample a, sample b)
{
    double count = a.count + b.count, delta = b.mean - a.mean;
    sample both = {count, a.mean + delta * b.count / count,
                   a.m2 + b.m2 + delta * delta * a.count * b.count / count};

    return both;
}

#define GP_NAME       stats
#define GP_TYPE       sample    /* what is reduced */
#define GP_INPUT_TYPE float     /* what lies in memory... */
#define GP_LOAD       sample_of /* ...and how the one becomes the other */
#define GP_OP         merge
#define GP_IDENTITY   {0, 0, 0} /* the result for no values at all */
#include <gpuprims/reduce.cuh>

enum { N = 200000 };

static float x[N];

static int close_to(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

int main(void)
{
    float *d_x;
    sample *d_result, result;
    double mean = 0, m2 = 0;

    need_gpu();
    for (int i = 0; i < N; i++)
        x[i] = 1e6f + (float)(i * 31L % 1000) / 8; /* a spread that is tiny beside the mean */
    CHECK(cudaMalloc((void **)&d_x, sizeof x));
    CHECK(cudaMalloc((void **)&d_result, sizeof result));
    CHECK(cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice));

    CHECK(stats_reduce(d_x, d_result, N, NULL, 0));

    CHECK(cudaMemcpy(&result, d_result, sizeof result, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_result));
    printf("%.0f values, mean %.6f, variance %.6f\n", result.count, result.mean,
           result.m2 / (result.count - 1));

    /* The same in two passes on the CPU. */
    for (int i = 0; i < N; i++)
        mean += x[i] / (double)N;
    for (int i = 0; i < N; i++)
        m2 += (x[i] - mean) * (x[i] - mean);
    return verdict(result.count == N && close_to(result.mean, mean) && close_to(result.m2, m2));
}
