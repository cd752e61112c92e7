/*
 * user_kernel.cu: a kernel of your own, made from a block scan and a warp reduction.
 *
 * Many histograms of 256 bins, one block of 256 threads each. The block turns its histogram into the
 * cumulative one, and each warp finds the tallest of its 32 bins. No memory is touched in between.
 */
#include "example.h"

/* Sums across a block: gp_block_inclusive_scan() and the storage it needs. */
#include <gpuprims/block/block_scan.cuh>

/* Maxima across a warp: tallest_warp_reduce(). */
#define GP_NAME tallest
#define GP_OP   GP_MAX
#include <gpuprims/warp/warp_reduce.cuh>

enum { BINS = 256, WARPS = BINS / 32, HISTOGRAMS = 100 };

/* GP_LAUNCH, GP_SHARED and __global__ mean the same on both backends. */
static __global__ void summarise(const int *histograms, int *cumulative, int *totals, int *tallest)
{
    GP_SHARED(gp_block_scan_storage, storage);
    unsigned bin = threadIdx.x;
    int count = histograms[blockIdx.x * BINS + bin], total;

    /* All threads of the block call; each gets its own prefix, and all of them the total. */
    int up_to_here = gp_block_inclusive_scan(count, &storage, &total);
    cumulative[blockIdx.x * BINS + bin] = up_to_here;
    if (bin == 0)
        totals[blockIdx.x] = total;

    /* All lanes of the warp call, and get the same answer. */
    int highest = tallest_warp_reduce(count);
    if (bin % 32 == 0)
        tallest[blockIdx.x * WARPS + bin / 32] = highest;
}

static int histograms[HISTOGRAMS][BINS], cumulative[HISTOGRAMS][BINS], totals[HISTOGRAMS],
    tallest[HISTOGRAMS][WARPS];

int main(void)
{
    int *d_histograms, *d_cumulative, *d_totals, *d_tallest, right = 1;

    need_gpu();
    for (int h = 0; h < HISTOGRAMS; h++)
        for (int bin = 0; bin < BINS; bin++)
            histograms[h][bin] = (h + 3) * (bin + 1) * 7919 % 1000;
    CHECK(cudaMalloc((void **)&d_histograms, sizeof histograms));
    CHECK(cudaMalloc((void **)&d_cumulative, sizeof cumulative));
    CHECK(cudaMalloc((void **)&d_totals, sizeof totals));
    CHECK(cudaMalloc((void **)&d_tallest, sizeof tallest));
    CHECK(cudaMemcpy(d_histograms, histograms, sizeof histograms, cudaMemcpyHostToDevice));

    GP_LAUNCH(summarise, HISTOGRAMS, BINS, 0, 0, d_histograms, d_cumulative, d_totals, d_tallest);
    CHECK(cudaGetLastError());

    CHECK(cudaMemcpy(cumulative, d_cumulative, sizeof cumulative, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(totals, d_totals, sizeof totals, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(tallest, d_tallest, sizeof tallest, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_histograms));
    CHECK(cudaFree(d_cumulative));
    CHECK(cudaFree(d_totals));
    CHECK(cudaFree(d_tallest));

    for (int h = 0; h < HISTOGRAMS; h++) {
        int sum = 0, highest = 0;

        for (int bin = 0; bin < BINS; bin++) {
            sum += histograms[h][bin];
            highest = bin % 32 == 0 || histograms[h][bin] > highest ? histograms[h][bin] : highest;
            right &= cumulative[h][bin] == sum;
            right &= bin % 32 != 31 || tallest[h][bin / 32] == highest;
        }
        right &= totals[h] == sum;
    }
    printf("histogram 0 has %d values, %d of them below bin 128, at most %d in a bin before 32\n",
           totals[0], cumulative[0][127], tallest[0][0]);
    return verdict(right);
}
