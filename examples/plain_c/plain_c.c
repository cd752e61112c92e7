/*
 * plain_c.c: a program in plain C that calls a primitive. The GPU code is in sums.cu.
 *
 *     gcc -c -DGP_CUDA_HOST -I../.. -I$CUDA/include plain_c.c      with CUDA: only types and declarations
 *     nvcc -I../.. plain_c.o sums.cu -o plain_c
 *
 *     gcc -pthread -I../.. plain_c.c -x c sums.cu -o plain_c       on the CPU, without CUDA
 */
#include "sums.h"
#include "../example.h"

enum { N = 100000 };

static long long payments[N], balance[N];

int main(void)
{
    long long *d_payments, *d_balance, sum = 0;
    gp_workspace ws = GP_WORKSPACE_INIT;
    int right = 1;

    need_gpu();
    for (int i = 0; i < N; i++)
        payments[i] = (i * 7919LL % 2001 - 1000) * 1000000000;
    CHECK(cudaMalloc((void **)&d_payments, sizeof payments));
    CHECK(cudaMalloc((void **)&d_balance, sizeof balance));
    CHECK(cudaMemcpy(d_payments, payments, sizeof payments, cudaMemcpyHostToDevice));

    /* Scratch memory can be there beforehand: then the call below allocates nothing. */
    CHECK(gp_workspace_reserve(&ws, sums_inclusive_scan_workspace_bytes(N), 0));
    CHECK(sums_inclusive_scan(d_payments, d_balance, N, &ws, 0));

    CHECK(cudaMemcpy(balance, d_balance, sizeof balance, cudaMemcpyDeviceToHost));
    CHECK(gp_workspace_release(&ws, 0));
    CHECK(cudaFree(d_payments));
    CHECK(cudaFree(d_balance));
    for (int i = 0; i < N; i++) {
        sum += payments[i];
        right &= balance[i] == sum;
    }
    printf("%d payments leave a balance of %lld\n", N, balance[N - 1]);

    /* An argument that is wrong is refused, with a sentence that says so. */
    right &= sums_inclusive_scan(NULL, NULL, N, NULL, 0) == cudaErrorInvalidValue;
    printf("a refused call: %s\n", gp_last_error_message());
    return verdict(right);
}
