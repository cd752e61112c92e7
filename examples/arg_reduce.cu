/*
 * arg_reduce.cu: where to build. Of many towns, each next station goes to the town that is farthest from all stations
 * so far (Gonzalez 1985); and then, for a traveller, the nearest station.
 *
 *     town          0   1   2   3   4 ...
 *     distance      0  17   5  29   8 ...     to the nearest station: computed when it is looked at, stored nowhere
 *     argmax        3                         the next station: written to device memory, where the next call reads it
 *
 * All calls are queued at once: no result has to come back to the host in between.
 */
#include "example.h"

typedef struct {
    const float *x, *y; /* of the towns */
    const unsigned *stations;
    int count;
} map;

/* The square of the distance from town i to the nearest station. */
static __host__ __device__ float to_station(map m, size_t i)
{
    float least = 0;

    for (int k = 0; k < m.count; k++) {
        const float dx = m.x[i] - m.x[m.stations[k]], dy = m.y[i] - m.y[m.stations[k]];
        const float distance = dx * dx + dy * dy;

        least = k && least < distance ? least : distance;
    }
    return least;
}

#define GP_NAME       remote
#define GP_TYPE       float
#define GP_INPUT_TYPE void
#define GP_CONTEXT    map
#define GP_INDEX      unsigned
#define GP_LOAD_AT(in, i, m) to_station(m, i)
#include <gpuprims/arg_reduce.cuh>

typedef struct {
    const float *x, *y;
    float at_x, at_y;
} traveller;

/* Items are numbers of towns, and the order is that of their distances. */
static __device__ int nearer(unsigned a, unsigned b, traveller t)
{
    const float ax = t.x[a] - t.at_x, ay = t.y[a] - t.at_y, bx = t.x[b] - t.at_x, by = t.y[b] - t.at_y;

    return ax * ax + ay * ay < bx * bx + by * by;
}

#define GP_NAME    nearest
#define GP_TYPE    unsigned
#define GP_CONTEXT traveller
#define GP_INDEX   unsigned
#define GP_LESS    nearer
#include <gpuprims/arg_reduce.cuh>

enum { TOWNS = 50000, STATIONS = 8 };

static float x[TOWNS], y[TOWNS];

int main(void)
{
    float *d_x = NULL, *d_y = NULL;
    unsigned *d_stations = NULL, *d_which = NULL, stations[STATIONS] = {0}, expected[STATIONS] = {0}, which, best = 0;
    gp_workspace ws = GP_WORKSPACE_INIT;
    int right = 1;

    need_gpu();
    for (unsigned i = 0; i < TOWNS; i++) { /* whole numbers: nothing is rounded */
        x[i] = (float)(i * 7919u % 2003);
        y[i] = (float)(i * 104729u % 1999);
    }
    CHECK(cudaMalloc((void **)&d_x, sizeof x));
    CHECK(cudaMalloc((void **)&d_y, sizeof y));
    CHECK(cudaMalloc((void **)&d_stations, sizeof stations));
    CHECK(cudaMalloc((void **)&d_which, sizeof which));
    CHECK(cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_y, y, sizeof y, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_stations, stations, sizeof stations, cudaMemcpyHostToDevice)); /* the first is town 0 */

    for (int k = 1; k < STATIONS; k++) {
        map m = {d_x, d_y, d_stations, k};

        CHECK(remote_argmax(NULL, d_stations + k, TOWNS, m, &ws, 0));
    }
    traveller t = {d_x, d_y, 1500, 250};
    CHECK(nearest_argmin(d_stations, d_which, STATIONS, t, &ws, 0));

    CHECK(cudaMemcpy(stations, d_stations, sizeof stations, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&which, d_which, sizeof which, cudaMemcpyDeviceToHost));
    CHECK(gp_workspace_release(&ws, 0));
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_y));
    CHECK(cudaFree(d_stations));
    CHECK(cudaFree(d_which));
    for (int k = 0; k < STATIONS; k++) {
        const map m = {x, y, expected, k};
        const float dx = x[stations[k]] - 1500, dy = y[stations[k]] - 250;
        const float best_dx = x[stations[best]] - 1500, best_dy = y[stations[best]] - 250;

        for (unsigned i = 1; k && i < TOWNS; i++)
            if (to_station(m, i) > to_station(m, expected[k]))
                expected[k] = i;
        right &= stations[k] == expected[k];
        if (dx * dx + dy * dy < best_dx * best_dx + best_dy * best_dy)
            best = (unsigned)k;
        printf("station %d: town %u at (%.0f, %.0f)\n", k, stations[k], (double)x[stations[k]], (double)y[stations[k]]);
    }
    printf("the nearest to (1500, 250) is station %u\n", which);
    return verdict(right && which == best);
}
