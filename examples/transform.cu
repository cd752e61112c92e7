/*
 * transform.cu: a curve from samples of 8 bits: decoded, filtered, and turned round.
 *
 *     samples            128 255 0 ...         uint8_t
 *     decoded            0 0.99 -1 ...         a map from one type to another, with a parameter
 *     smooth             each with its neighbours: GP_LOAD_AT sees the whole array
 *     time               0 0.1 0.2 ...         of no array at all
 *     reversed           smooth, back to front: GP_STORE_AT says where each result goes
 */
#include "example.h"

#define GP_NAME       decode
#define GP_TYPE       float
#define GP_INPUT_TYPE uint8_t
#define GP_CONTEXT    float /* the volume: an argument of the call */
#define GP_LOAD(x, volume) (((float)(x) - 128) / 128 * (volume))
#include <gpuprims/transform.cuh>

#define GP_NAME    smooth
#define GP_TYPE    float
#define GP_CONTEXT size_t
#define GP_LOAD_AT(in, i, n) \
    ((in)[(i) ? (i) - 1 : 0] / 4 + (in)[i] / 2 + (in)[(i) + 1 < (n) ? (i) + 1 : (i)] / 4)
#include <gpuprims/transform.cuh>

#define GP_NAME       times
#define GP_TYPE       double
#define GP_INPUT_TYPE void
#define GP_CONTEXT    double
#define GP_LOAD_AT(in, i, step) ((double)(i) * (step))
#include <gpuprims/transform.cuh>

#define GP_NAME    reverse
#define GP_TYPE    float
#define GP_CONTEXT size_t
#define GP_STORE_AT(out, i, x, n) (out)[(n) - 1 - (i)] = (x)
#include <gpuprims/transform.cuh>

enum { N = 100000 };

static uint8_t samples[N];
static float decoded[N], reversed[N];
static double times[N];

int main(void)
{
    uint8_t *d_samples = NULL;
    float *d_decoded = NULL, *d_smooth = NULL, *d_reversed = NULL;
    double *d_times = NULL;
    int right = 1;

    need_gpu();
    for (size_t i = 0; i < N; i++)
        samples[i] = (uint8_t)(i * i / 7);
    CHECK(cudaMalloc((void **)&d_samples, sizeof samples));
    CHECK(cudaMalloc((void **)&d_decoded, sizeof decoded));
    CHECK(cudaMalloc((void **)&d_smooth, sizeof decoded));
    CHECK(cudaMalloc((void **)&d_reversed, sizeof reversed));
    CHECK(cudaMalloc((void **)&d_times, sizeof times));
    CHECK(cudaMemcpy(d_samples, samples, sizeof samples, cudaMemcpyHostToDevice));

    CHECK(decode_transform(d_samples, d_decoded, N, 0.5f, NULL, 0));
    CHECK(smooth_transform(d_decoded, d_smooth, N, N, NULL, 0));
    CHECK(reverse_transform(d_smooth, d_reversed, N, N, NULL, 0));
    CHECK(times_transform(NULL, d_times, N, 0.1, NULL, 0));

    CHECK(cudaMemcpy(decoded, d_decoded, sizeof decoded, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(reversed, d_reversed, sizeof reversed, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(times, d_times, sizeof times, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < N; i++) {
        const float before = decoded[i ? i - 1 : 0], after = decoded[i + 1 < N ? i + 1 : i];

        /* Powers of two: nothing is rounded. */
        right &= decoded[i] == (float)(samples[i] - 128) / 256;
        right &= reversed[N - 1 - i] == before / 4 + decoded[i] / 2 + after / 4;
        right &= times[i] == (double)i * 0.1;
    }
    printf("at %.1f and %.1f: %f %f\n", times[1], times[2], (double)reversed[N - 2], (double)reversed[N - 3]);
    CHECK(cudaFree(d_samples));
    CHECK(cudaFree(d_decoded));
    CHECK(cudaFree(d_smooth));
    CHECK(cudaFree(d_reversed));
    CHECK(cudaFree(d_times));
    return verdict(right);
}
