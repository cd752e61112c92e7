/*
 * neighbours.cu: the k nearest neighbours of points in the plane. The squared distances of every query to every point
 * are computed by a transform, a row for each query; the k smallest of each row, with their numbers, are the neighbours.
 *
 *     points           (0 0) (3 4) (1 1) (6 8)
 *     query (0 1)      distances 1 18 1 85
 *     k = 2            0 2                    of equal distances the first
 */
#include "example.h"

typedef struct {
    float x, y;
} point;

typedef struct {
    const point *queries, *points;
    unsigned n;
} plane;

static __host__ __device__ inline float distance_of(plane p, size_t i)
{
    const point a = p.queries[i / p.n], b = p.points[i % p.n];

    return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

#define GP_NAME       distances
#define GP_TYPE       float
#define GP_INPUT_TYPE void /* two arrays, in the context */
#define GP_CONTEXT    plane
#define GP_LOAD_AT(in, i, p) distance_of(p, i)
#include <gpuprims/transform.cuh>

#define GP_NAME  nearest
#define GP_KEY   float
#define GP_VALUE unsigned
#include <gpuprims/top_k.cuh>

enum { POINTS = 2000, QUERIES = 50, K = 8 };

static point points[POINTS], queries[QUERIES];
static float nearest[QUERIES * K];
static unsigned neighbours[QUERIES * K];

/* Whether the neighbours of a query are in order, and no other point is nearer. */
static int is_right(const plane *p, unsigned query)
{
    const unsigned *own = neighbours + query * K;
    int nearer = 0;

    for (int k = 0; k < K; k++) {
        const float d = distance_of(*p, (size_t)query * POINTS + own[k]);

        if (d != nearest[query * K + (unsigned)k] || (k && d < nearest[query * K + (unsigned)k - 1]))
            return 0;
    }
    for (unsigned i = 0; i < POINTS; i++)
        nearer += distance_of(*p, (size_t)query * POINTS + i) < nearest[query * K + K - 1];
    return nearer < K;
}

int main(void)
{
    const plane p = {queries, points, POINTS};
    plane d = {NULL, NULL, POINTS};
    point *d_points = NULL, *d_queries = NULL;
    float *d_distances = NULL, *d_nearest = NULL;
    unsigned *d_neighbours = NULL;
    int right = 1;

    need_gpu();
    for (int i = 0; i < POINTS; i++) {
        points[i].x = (float)(i * 7919 % 1009);
        points[i].y = (float)(i * 104729 % 997);
    }
    for (int i = 0; i < QUERIES; i++) {
        queries[i].x = (float)(i * 20);
        queries[i].y = (float)(i * 613 % 1000);
    }
    CHECK(cudaMalloc((void **)&d_points, sizeof points));
    CHECK(cudaMalloc((void **)&d_queries, sizeof queries));
    CHECK(cudaMalloc((void **)&d_distances, sizeof(float) * QUERIES * POINTS));
    CHECK(cudaMalloc((void **)&d_nearest, sizeof nearest));
    CHECK(cudaMalloc((void **)&d_neighbours, sizeof neighbours));
    CHECK(cudaMemcpy(d_points, points, sizeof points, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_queries, queries, sizeof queries, cudaMemcpyHostToDevice));
    d.points = d_points;
    d.queries = d_queries;

    CHECK(distances_transform(NULL, d_distances, (size_t)QUERIES * POINTS, d, NULL, 0));
    CHECK(nearest_row_top_k(d_distances, d_nearest, NULL, d_neighbours, QUERIES, POINTS, K, NULL, 0));

    CHECK(cudaMemcpy(nearest, d_nearest, sizeof nearest, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(neighbours, d_neighbours, sizeof neighbours, cudaMemcpyDeviceToHost));
    for (unsigned query = 0; query < QUERIES; query++)
        right &= is_right(&p, query);
    printf("%d of %d points for each of %d queries; nearest to (%g, %g): number %u\n", K, POINTS, QUERIES,
           (double)queries[1].x, (double)queries[1].y, neighbours[K]);
    CHECK(cudaFree(d_points));
    CHECK(cudaFree(d_queries));
    CHECK(cudaFree(d_distances));
    CHECK(cudaFree(d_nearest));
    CHECK(cudaFree(d_neighbours));
    return verdict(right);
}
