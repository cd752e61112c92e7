/*
 * by_key.cu: what each customer has bought: a table of purchases, grouped by one of its columns.
 *
 *     customer           3 1 3 2 1 ...         in the order in which they bought
 *     cents              500 120 ...
 *     sorted             1 1 2 3 3 ...         by customer, stably: equal keys are neighbours
 *     reduce_by_key      one row for each customer: how often, for how much, the most at once
 *     scan_by_key        for each purchase: what the customer has spent up to then
 */
#include "example.h"

typedef struct summary {
    long long cents;
    int purchases, most;
} summary;

static __device__ summary of_one(int cents)
{
    const summary one = {cents, 1, cents};

    return one;
}

static __device__ summary together(summary a, summary b)
{
    const summary both = {a.cents + b.cents, a.purchases + b.purchases, a.most > b.most ? a.most : b.most};

    return both;
}

#define GP_NAME  purchases
#define GP_KEY   unsigned
#define GP_VALUE int
#include <gpuprims/radix_sort.cuh>

/* One pass computes all columns of the result: what is folded is a struct. */
#define GP_NAME       customers
#define GP_KEY        unsigned
#define GP_INPUT_TYPE int
#define GP_TYPE       summary
#define GP_LOAD(x)    of_one(x)
#define GP_OP         together
#define GP_IDENTITY   {0, 0, 0}
#include <gpuprims/by_key.cuh>

#define GP_NAME       spent
#define GP_KEY        unsigned
#define GP_INPUT_TYPE int
#define GP_TYPE       long long
#include <gpuprims/by_key.cuh>

enum { N = 50000, CUSTOMERS = 700 };

static unsigned customer[N], found[CUSTOMERS], place[CUSTOMERS];
static int cents[N];
static long long up_to[N], sum[CUSTOMERS];
static summary row[CUSTOMERS], expected[CUSTOMERS];

int main(void)
{
    unsigned *d_customer = NULL, *d_sorted = NULL, *d_found = NULL;
    int *d_cents = NULL, *d_sorted_cents = NULL, right = 1;
    long long *d_up_to = NULL;
    summary *d_row = NULL;
    size_t *d_count = NULL, count = 0, rows = 0;

    need_gpu();
    for (unsigned i = 0; i < N; i++) {
        customer[i] = i * 2654435761u % 9973 % CUSTOMERS;
        cents[i] = (int)(i * 40503u % 20000) + 1;
    }
    CHECK(cudaMalloc((void **)&d_customer, sizeof customer));
    CHECK(cudaMalloc((void **)&d_sorted, sizeof customer));
    CHECK(cudaMalloc((void **)&d_cents, sizeof cents));
    CHECK(cudaMalloc((void **)&d_sorted_cents, sizeof cents));
    CHECK(cudaMalloc((void **)&d_found, sizeof found));
    CHECK(cudaMalloc((void **)&d_row, sizeof row));
    CHECK(cudaMalloc((void **)&d_up_to, sizeof up_to));
    CHECK(cudaMalloc((void **)&d_count, sizeof count));
    CHECK(cudaMemcpy(d_customer, customer, sizeof customer, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_cents, cents, sizeof cents, cudaMemcpyHostToDevice));

    CHECK(purchases_radix_sort(d_customer, d_sorted, d_cents, d_sorted_cents, N, NULL, 0));
    CHECK(customers_reduce_by_key(d_sorted, d_sorted_cents, d_found, d_row, N, d_count, NULL, 0));
    CHECK(spent_inclusive_scan_by_key(d_sorted, d_sorted_cents, d_up_to, N, NULL, 0));

    CHECK(cudaMemcpy(&count, d_count, sizeof count, cudaMemcpyDeviceToHost));
    if (count > CUSTOMERS)
        return verdict(0);
    CHECK(cudaMemcpy(found, d_found, count * sizeof *found, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(row, d_row, count * sizeof *row, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(up_to, d_up_to, sizeof up_to, cudaMemcpyDeviceToHost));
    printf("%zu customers\n", count);
    for (size_t r = 0; r < count && r < 3; r++)
        printf("    %u: %d purchases for %lld cents, %d at most\n", found[r], row[r].purchases, row[r].cents,
               row[r].most);

    for (size_t i = 0; i < N; i++) {
        summary *of = &expected[customer[i]];

        of->cents += cents[i];
        of->purchases++;
        of->most = cents[i] > of->most ? cents[i] : of->most;
    }
    for (unsigned c = 0, first = 0; c < CUSTOMERS; c++) {
        place[c] = first;
        first += (unsigned)expected[c].purchases;
        if (expected[c].purchases == 0)
            continue;
        right &= rows < count && found[rows] == c && row[rows].cents == expected[c].cents &&
                 row[rows].purchases == expected[c].purchases && row[rows].most == expected[c].most;
        rows++;
    }
    for (size_t i = 0; i < N; i++) {
        sum[customer[i]] += cents[i];
        right &= up_to[place[customer[i]]++] == sum[customer[i]];
    }
    CHECK(cudaFree(d_customer));
    CHECK(cudaFree(d_sorted));
    CHECK(cudaFree(d_cents));
    CHECK(cudaFree(d_sorted_cents));
    CHECK(cudaFree(d_found));
    CHECK(cudaFree(d_row));
    CHECK(cudaFree(d_up_to));
    CHECK(cudaFree(d_count));
    return verdict(right && rows == count);
}
