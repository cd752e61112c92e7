/*
 * search.cu: income tax. The brackets of a tax are an array of thresholds; each income is looked up in it, and the tax
 * is computed from what its bracket says.
 *
 *     thresholds       0  11000  42000  88000 ...
 *     income           25000
 *     upper bound      2                    so the income is in bracket 1: 11000 and more, less than 42000
 *
 * And back: the incomes, sorted, are searched for each threshold, which tells how many people are in each bracket.
 */
#include "example.h"

#define GP_NAME money
#define GP_TYPE unsigned
#define GP_INDEX unsigned
#include <gpuprims/search.cuh>

#define GP_NAME sorted
#define GP_KEY unsigned
#include <gpuprims/radix_sort.cuh>

enum { PEOPLE = 100000, BRACKETS = 7 };

static const unsigned thresholds[BRACKETS] = {0, 11000, 42000, 88000, 170000, 215000, 540000};
static const unsigned percent[BRACKETS] = {0, 10, 12, 22, 24, 32, 37};
static unsigned incomes[PEOPLE], brackets[PEOPLE], firsts[BRACKETS];

int main(void)
{
    unsigned *d_thresholds = NULL, *d_incomes = NULL, *d_brackets = NULL, *d_firsts = NULL;
    unsigned long long tax = 0, expected_tax = 0;
    gp_workspace ws = GP_WORKSPACE_INIT;
    int right = 1;

    need_gpu();
    for (unsigned i = 0; i < PEOPLE; i++)
        incomes[i] = i * 7919u % 300007 + (i % 1000 == 0 ? 400000 : 0);
    CHECK(cudaMalloc((void **)&d_thresholds, sizeof thresholds));
    CHECK(cudaMalloc((void **)&d_incomes, sizeof incomes));
    CHECK(cudaMalloc((void **)&d_brackets, sizeof brackets));
    CHECK(cudaMalloc((void **)&d_firsts, sizeof firsts));
    CHECK(cudaMemcpy(d_thresholds, thresholds, sizeof thresholds, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_incomes, incomes, sizeof incomes, cudaMemcpyHostToDevice));

    /* The bracket of each income is the one before the first threshold that is larger. */
    CHECK(money_upper_bound(d_thresholds, BRACKETS, d_incomes, PEOPLE, d_brackets, &ws, 0));
    CHECK(cudaMemcpy(brackets, d_brackets, sizeof brackets, cudaMemcpyDeviceToHost));

    /* How many people earn less than each threshold. */
    CHECK(sorted_radix_sort(d_incomes, d_incomes, PEOPLE, &ws, 0));
    CHECK(money_lower_bound(d_incomes, PEOPLE, d_thresholds, BRACKETS, d_firsts, &ws, 0));
    CHECK(cudaMemcpy(firsts, d_firsts, sizeof firsts, cudaMemcpyDeviceToHost));
    CHECK(gp_workspace_release(&ws, 0));
    CHECK(cudaFree(d_thresholds));
    CHECK(cudaFree(d_incomes));
    CHECK(cudaFree(d_brackets));
    CHECK(cudaFree(d_firsts));

    unsigned people[BRACKETS] = {0};
    for (unsigned i = 0; i < PEOPLE; i++) {
        const unsigned b = brackets[i] - 1;
        unsigned expected = 0;

        while (expected + 1 < BRACKETS && incomes[i] >= thresholds[expected + 1])
            expected++;
        right &= b == expected;
        people[expected]++;
        tax += (unsigned long long)incomes[i] * percent[b < BRACKETS ? b : 0] / 100;
        expected_tax += (unsigned long long)incomes[i] * percent[expected] / 100;
    }
    for (int b = 0; b < BRACKETS; b++) {
        const unsigned behind = b + 1 < BRACKETS ? firsts[b + 1] : (unsigned)PEOPLE;

        right &= behind - firsts[b] == people[b];
        printf("from %6u: %6u people\n", thresholds[b], behind - firsts[b]);
    }
    printf("tax: %llu\n", tax);
    return verdict(right && tax == expected_tax);
}
