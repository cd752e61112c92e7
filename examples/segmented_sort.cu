/*
 * segmented_sort.cu: what each user did, in order. The events of a user lie side by side, in the order in which they
 * were reported; the segments are sorted by time, and the prices go with it.
 *
 *     user            0      | 1 | 2
 *     time            7 3 5  |   | 4 4
 *     price           1 2 3  |   | 8 9
 *     sorted times    3 5 7  |   | 4 4
 *     prices          2 3 1  |   | 8 9       at the same time: as reported
 *
 * Then the dearest event of each user, by rows of one length, and where it was: vin NULL numbers the items of each row.
 */
#include "example.h"

#define GP_NAME  by_time
#define GP_KEY   unsigned
#define GP_VALUE float
#define GP_INDEX int
#include <gpuprims/segmented_sort.cuh>

#define GP_NAME  by_price
#define GP_KEY   float
#define GP_VALUE int
#define GP_DESCENDING
#include <gpuprims/segmented_sort.cuh>

enum { USERS = 500, MOST = USERS * 60, ROWS = 100, LENGTH = 20 };

static unsigned times[MOST], sorted[MOST];
static float prices[MOST], moved[MOST], dearest[ROWS * LENGTH];
static int offsets[USERS + 1], places[ROWS * LENGTH];

int main(void)
{
    unsigned *d_times = NULL;
    float *d_prices = NULL, *d_dearest = NULL;
    int *d_offsets = NULL, *d_places = NULL, n = 0, right = 1;

    need_gpu();
    for (int user = 0; user < USERS; user++) {
        offsets[user] = n;
        for (int k = 0; k < user * 13 % 60; k++, n++) { /* some users have done nothing */
            times[n] = (unsigned)(k * 37 + user) % 50;
            prices[n] = (float)(n * 7919 % 10007);
        }
    }
    offsets[USERS] = n;

    CHECK(cudaMalloc((void **)&d_times, sizeof times));
    CHECK(cudaMalloc((void **)&d_prices, sizeof prices));
    CHECK(cudaMalloc((void **)&d_offsets, sizeof offsets));
    CHECK(cudaMalloc((void **)&d_dearest, sizeof dearest));
    CHECK(cudaMalloc((void **)&d_places, sizeof places));
    CHECK(cudaMemcpy(d_times, times, sizeof times, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_prices, prices, sizeof prices, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_offsets, offsets, sizeof offsets, cudaMemcpyHostToDevice));

    CHECK(by_price_row_sort(d_prices, d_dearest, NULL, d_places, ROWS, LENGTH, NULL, 0));
    CHECK(by_time_segmented_sort(d_times, d_times, d_prices, d_prices, (size_t)n, d_offsets, USERS, NULL, 0));
    CHECK(cudaMemcpy(sorted, d_times, sizeof sorted, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(moved, d_prices, sizeof moved, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(dearest, d_dearest, sizeof dearest, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(places, d_places, sizeof places, cudaMemcpyDeviceToHost));

    for (int user = 0; user < USERS; user++)
        for (int i = offsets[user]; i < offsets[user + 1]; i++) {
            int place = offsets[user]; /* where event i belongs: behind those before it */

            for (int j = offsets[user]; j < offsets[user + 1]; j++)
                place += times[j] < times[i] || (times[j] == times[i] && j < i);
            right &= sorted[place] == times[i] && moved[place] == prices[i];
        }
    for (int row = 0; row < ROWS; row++) {
        float most = 0;

        for (int k = 0; k < LENGTH; k++)
            most = prices[row * LENGTH + k] > most ? prices[row * LENGTH + k] : most;
        right &= dearest[row * LENGTH] == most && prices[row * LENGTH + places[row * LENGTH]] == most;
    }
    printf("%d events of %d users; user 1: from %u to %u\n", n, USERS, sorted[offsets[1]], sorted[offsets[2] - 1]);
    CHECK(cudaFree(d_times));
    CHECK(cudaFree(d_prices));
    CHECK(cudaFree(d_offsets));
    CHECK(cudaFree(d_dearest));
    CHECK(cudaFree(d_places));
    return verdict(right);
}
