/*
 * scatter.cu: puts rows into another order and back, with gather and scatter.
 *
 * An order is an array that says, for each new place, which old row goes there. A gather follows it, and
 * a scatter along the same array undoes that. To undo it with a gather takes the inverse order, which is
 * a scatter of the numbers 0, 1, 2, ... along the order.
 *
 *     order                2 0 3 1
 *     a b c d, gathered    c a d b
 *     ... and scattered    a b c d
 *     inverse order        1 3 0 2
 */
#include "example.h"

typedef struct row {
    double x[5];
    int id;
} row;

#define GP_NAME  rows
#define GP_TYPE  row
#define GP_INDEX unsigned /* what an order is made of; size_t if nothing is said */
#include <gpuprims/scatter.cuh>

#define GP_NAME  numbers
#define GP_TYPE  unsigned
#define GP_INDEX unsigned
#include <gpuprims/scatter.cuh>

enum { N = 50000 };

static row original[N], ordered[N], back[N], back_again[N];
static unsigned order[N], counting[N];

/* A copy of host memory on the device, or, of nothing, room for one. */
static void *device_copy(const void *host, size_t bytes)
{
    void *device = NULL;

    CHECK(cudaMalloc(&device, bytes));
    if (host)
        CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
    return device;
}

int main(void)
{
    int right = 1;

    need_gpu();
    memset(original, 0, sizeof original);
    for (unsigned i = 0; i < N; i++) {
        original[i].id = (int)i;
        original[i].x[4] = i / 4.0;
        counting[i] = i;
        order[i] = (unsigned)(i * 17389ul % N); /* all different: no factor in common with N */
    }
    row *d_original = (row *)device_copy(original, sizeof original);
    row *d_ordered = (row *)device_copy(NULL, sizeof original);
    row *d_back = (row *)device_copy(NULL, sizeof original);
    row *d_back_again = (row *)device_copy(NULL, sizeof original);
    unsigned *d_order = (unsigned *)device_copy(order, sizeof order);
    unsigned *d_counting = (unsigned *)device_copy(counting, sizeof counting);
    unsigned *d_inverse = (unsigned *)device_copy(NULL, sizeof order);

    /* All in one stream: each call begins when the one before has ended. */
    CHECK(rows_gather(d_original, d_order, d_ordered, N, NULL, 0));
    CHECK(rows_scatter(d_ordered, d_order, d_back, N, NULL, 0));
    CHECK(numbers_scatter(d_counting, d_order, d_inverse, N, NULL, 0));
    CHECK(rows_gather(d_ordered, d_inverse, d_back_again, N, NULL, 0));

    CHECK(cudaMemcpy(ordered, d_ordered, sizeof ordered, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(back, d_back, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(back_again, d_back_again, sizeof back_again, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < N; i++)
        right &= ordered[i].id == (int)order[i] && ordered[i].x[4] == order[i] / 4.0;
    right &= memcmp(back, original, sizeof original) == 0;
    right &= memcmp(back_again, original, sizeof original) == 0;
    printf("rows %d %d %d %d ... became %d %d %d %d ... and were put back twice\n", original[0].id,
           original[1].id, original[2].id, original[3].id, ordered[0].id, ordered[1].id,
           ordered[2].id, ordered[3].id);

    void *all[] = {d_original, d_ordered, d_back, d_back_again, d_order, d_counting, d_inverse};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        CHECK(cudaFree(all[i]));
    return verdict(right);
}
