/*
 * radix_sort.cu: sorts the rows of a table by one column, and within it by another.
 *
 * A stable sort keeps the order of rows that are equal. So a sort by the second column, followed by one
 * by the first, gives rows in order of both. Only keys and row numbers move: the values of the first sort
 * are 0, 1, 2, ..., which is what NULL stands for, and the second sort carries the numbers on.
 *
 *     row               0    1    2    3
 *     price             5    7    5    7
 *     rating            1.5  4.0  3.5  4.5
 *     by rating, down   3    1    2    0
 *     then by price     2    0    3    1
 */
#include "example.h"

/* The best rating first. */
#define GP_NAME by_rating
#define GP_KEY float
#define GP_VALUE unsigned
#define GP_DESCENDING
#include <gpuprims/radix_sort.cuh>

#define GP_NAME by_price
#define GP_KEY int
#define GP_VALUE unsigned
#include <gpuprims/radix_sort.cuh>

/* The prices follow the ratings into their order. */
#define GP_NAME prices
#define GP_INDEX unsigned
#include <gpuprims/scatter.cuh>

enum { N = 60000 };

static int price[N];
static float rating[N];
static unsigned order[N];

static void *device_array(size_t bytes)
{
    void *device = NULL;

    CHECK(cudaMalloc(&device, bytes));
    return device;
}

int main(void)
{
    int right = 1;

    need_gpu();
    for (unsigned i = 0; i < N; i++) {
        price[i] = (int)(i * 2654435761u >> 24);
        rating[i] = (float)(i * 40503u >> 7 & 1023) / 256;
    }
    float *d_rating = (float *)device_array(sizeof rating);
    int *d_price = (int *)device_array(sizeof price),
        *d_ordered = (int *)device_array(sizeof price);
    unsigned *d_order = (unsigned *)device_array(sizeof order);
    CHECK(cudaMemcpy(d_rating, rating, sizeof rating, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_price, price, sizeof price, cudaMemcpyHostToDevice));

    CHECK(by_rating_radix_sort(d_rating, d_rating, NULL, d_order, N, NULL, 0));
    CHECK(prices_gather(d_price, d_order, d_ordered, N, NULL, 0));
    CHECK(by_price_radix_sort(d_ordered, d_ordered, d_order, d_order, N, NULL, 0));

    CHECK(cudaMemcpy(order, d_order, sizeof order, cudaMemcpyDeviceToHost));
    for (unsigned i = 1; i < N; i++) {
        unsigned a = order[i - 1], b = order[i];

        right &=
            price[a] < price[b] ||
            (price[a] == price[b] && (rating[a] > rating[b] || (rating[a] == rating[b] && a < b)));
    }
    printf("the cheapest: row %u at %d, rated %.2f, then row %u at %d, rated %.2f\n", order[0],
           price[order[0]], rating[order[0]], order[1], price[order[1]], rating[order[1]]);
    CHECK(cudaFree(d_rating));
    CHECK(cudaFree(d_price));
    CHECK(cudaFree(d_ordered));
    CHECK(cudaFree(d_order));
    return verdict(right);
}
