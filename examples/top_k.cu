/*
 * top_k.cu: the next token of each sequence, drawn from the most likely ones. A language model gives a row of logits
 * for each sequence. The k largest of a row are selected with the numbers of their tokens; a thread turns them into
 * probabilities (softmax) and draws one of them.
 *
 *     logits                0.5 2 -1 3 1 ...
 *     best, k = 3           3 2 1               in descending order
 *     tokens                3 1 4               where they were: the values, numbered in each row
 *     probabilities         0.67 0.24 0.09
 */
#include "example.h"

#include <math.h>

#define GP_NAME  best
#define GP_KEY   float
#define GP_VALUE unsigned
#define GP_DESCENDING
#include <gpuprims/top_k.cuh>

enum { ROWS = 40, VOCABULARY = 3001, K = 20 };

/* A thread for each row: draws a number below 1, and finds the token whose share of the probabilities it is in. */
static __global__ void draw(const float *logits, const unsigned *tokens, const float *numbers, unsigned *drawn)
{
    const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0, sought;
    int i = 0;

    if (row >= ROWS)
        return;
    for (int k = 0; k < K; k++) /* the first is the largest: nothing overflows */
        sum += expf(logits[row * K + (unsigned)k] - logits[row * K]);
    sought = numbers[row] * sum;
    for (; i < K - 1; i++) {
        sought -= expf(logits[row * K + (unsigned)i] - logits[row * K]);
        if (sought < 0)
            break;
    }
    drawn[row] = tokens[row * K + (unsigned)i];
}

static float logits[ROWS * VOCABULARY], best[ROWS * K], numbers[ROWS];
static unsigned tokens[ROWS * K], drawn[ROWS];

/* Whether the row's tokens are the K largest, in order, and the one that was drawn is among them. */
static int is_right(int row)
{
    const float *own = logits + (size_t)row * VOCABULARY, least = best[row * K + K - 1];
    int larger = 0, found = 0;

    for (int i = 0; i < K; i++) {
        if (own[tokens[row * K + i]] != best[row * K + i] || (i && best[row * K + i] > best[row * K + i - 1]))
            return 0;
        found |= drawn[row] == tokens[row * K + i];
    }
    for (int i = 0; i < VOCABULARY; i++)
        larger += own[i] > least;
    return larger < K && found;
}

int main(void)
{
    float *d_logits = NULL, *d_best = NULL, *d_numbers = NULL;
    unsigned *d_tokens = NULL, *d_drawn = NULL, state = 1;
    int right = 1;

    need_gpu();
    for (int i = 0; i < ROWS * VOCABULARY; i++) {
        state = state * 1664525u + 1013904223u;
        logits[i] = (float)(state >> 8) / 1e6f;
    }
    for (int row = 0; row < ROWS; row++)
        numbers[row] = (float)row / ROWS;
    CHECK(cudaMalloc((void **)&d_logits, sizeof logits));
    CHECK(cudaMalloc((void **)&d_best, sizeof best));
    CHECK(cudaMalloc((void **)&d_tokens, sizeof tokens));
    CHECK(cudaMalloc((void **)&d_numbers, sizeof numbers));
    CHECK(cudaMalloc((void **)&d_drawn, sizeof drawn));
    CHECK(cudaMemcpy(d_logits, logits, sizeof logits, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_numbers, numbers, sizeof numbers, cudaMemcpyHostToDevice));

    CHECK(best_row_top_k(d_logits, d_best, NULL, d_tokens, ROWS, VOCABULARY, K, NULL, 0));
    GP_LAUNCH(draw, (ROWS + 31) / 32, 32, 0, 0, d_best, d_tokens, d_numbers, d_drawn);
    CHECK(cudaGetLastError());

    CHECK(cudaMemcpy(best, d_best, sizeof best, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(tokens, d_tokens, sizeof tokens, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(drawn, d_drawn, sizeof drawn, cudaMemcpyDeviceToHost));
    for (int row = 0; row < ROWS; row++)
        right &= is_right(row);
    printf("%d rows of %d logits; the best of row 0 is token %u, drawn was %u\n", ROWS, VOCABULARY, tokens[0],
           drawn[0]);
    CHECK(cudaFree(d_logits));
    CHECK(cudaFree(d_best));
    CHECK(cudaFree(d_tokens));
    CHECK(cudaFree(d_numbers));
    CHECK(cudaFree(d_drawn));
    return verdict(right);
}
