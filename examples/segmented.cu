/*
 * segmented.cu: a sparse matrix times a vector. Rows of a matrix in CSR form are segments of its nonzero entries; the
 * product of each entry with its item of the vector is computed where it is read.
 *
 *     values     1 2 | 3 | | 4 5 6         entries
 *     columns    0 2 | 1 | | 0 1 3         where they stand in their rows
 *     offsets    0 2 3 3 6                 where the rows begin
 *     vector     1 10 100 1000
 *     product    201 30 0 6054
 *
 * And the running sums of each row, by a segmented scan.
 */
#include "example.h"

typedef struct {
    const float *values;
    const int *columns;
    const float *vector;
} matrix;

#define GP_NAME       spmv
#define GP_TYPE       float
#define GP_INPUT_TYPE void /* three arrays, in the context */
#define GP_INDEX      int
#define GP_CONTEXT    matrix
#define GP_LOAD_AT(in, i, m) ((m).values[i] * (m).vector[(m).columns[i]])
#include <gpuprims/segmented.cuh>

enum { ROWS = 2000, COLUMNS = 300, MOST = ROWS * 40 };

static float values[MOST], vector[COLUMNS], product[ROWS], sums[MOST];
static int columns[MOST], offsets[ROWS + 1];

int main(void)
{
    matrix d = {NULL, NULL, NULL};
    float *d_values = NULL, *d_vector = NULL, *d_product = NULL, *d_sums = NULL;
    int *d_columns = NULL, *d_offsets = NULL, n = 0, right = 1;

    need_gpu();
    for (int row = 0; row < ROWS; row++) {
        offsets[row] = n;
        for (int k = 0; k < row * 7 % 40; k++, n++) { /* some rows are empty */
            columns[n] = (row + 11 * k) % COLUMNS;
            values[n] = (float)(k % 5 + 1);
        }
    }
    offsets[ROWS] = n;
    for (int i = 0; i < COLUMNS; i++)
        vector[i] = (float)(i % 10);

    CHECK(cudaMalloc((void **)&d_values, sizeof values));
    CHECK(cudaMalloc((void **)&d_columns, sizeof columns));
    CHECK(cudaMalloc((void **)&d_vector, sizeof vector));
    CHECK(cudaMalloc((void **)&d_offsets, sizeof offsets));
    CHECK(cudaMalloc((void **)&d_product, sizeof product));
    CHECK(cudaMalloc((void **)&d_sums, sizeof sums));
    CHECK(cudaMemcpy(d_values, values, sizeof values, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_columns, columns, sizeof columns, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_vector, vector, sizeof vector, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_offsets, offsets, sizeof offsets, cudaMemcpyHostToDevice));
    d.values = d_values;
    d.columns = d_columns;
    d.vector = d_vector;

    CHECK(spmv_segmented_reduce(NULL, d_product, (size_t)n, d_offsets, ROWS, d, NULL, 0));
    CHECK(spmv_segmented_inclusive_scan(NULL, d_sums, (size_t)n, d_offsets, ROWS, d, NULL, 0));
    CHECK(cudaMemcpy(product, d_product, sizeof product, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost));

    for (int row = 0; row < ROWS; row++) {
        float sum = 0; /* of small integers: nothing is rounded */

        for (int i = offsets[row]; i < offsets[row + 1]; i++) {
            sum += values[i] * vector[columns[i]];
            right &= sums[i] == sum;
        }
        right &= product[row] == sum;
    }
    printf("%d rows, %d entries; row 1: %g, row 5: %g\n", ROWS, n, (double)product[1], (double)product[5]);
    CHECK(cudaFree(d_values));
    CHECK(cudaFree(d_columns));
    CHECK(cudaFree(d_vector));
    CHECK(cudaFree(d_offsets));
    CHECK(cudaFree(d_product));
    CHECK(cudaFree(d_sums));
    return verdict(right);
}
