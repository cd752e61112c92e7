/*
 * use.c: a program in plain C over the shared library, with no instance of its own and no compiler for CUDA.
 *
 *     meson compile -C build library
 *     gcc -Ibuild/examples/library/cuda -I. -I$CUDA/include examples/library/use.c
 *         -Lbuild/examples/library -lgpuprims -L$CUDA/lib64 -lcudart -o use
 *
 *     meson compile -C build library-cpu
 *     gcc -pthread -Ibuild/examples/library/cpu -I. examples/library/use.c
 *         -Lbuild/examples/library -lgpuprims_cpu -o use
 */
#include <gpuprims_library.h>

#include "../example.h"

enum { N = 100000 };

static float prices[N], sorted[N];
static uint64_t places[N];

int main(void)
{
    float *d_prices, *d_sorted, *d_dearest, dearest;
    uint64_t *d_places;
    gp_workspace ws = GP_WORKSPACE_INIT;
    int right = 1;

    need_gpu();
    for (int i = 0; i < N; i++)
        prices[i] = (float)(i * 7919L % 10007) / 100;
    CHECK(cudaMalloc((void **)&d_prices, sizeof prices));
    CHECK(cudaMalloc((void **)&d_sorted, sizeof sorted));
    CHECK(cudaMalloc((void **)&d_places, sizeof places));
    CHECK(cudaMalloc((void **)&d_dearest, sizeof dearest));
    CHECK(cudaMemcpy(d_prices, prices, sizeof prices, cudaMemcpyHostToDevice));

    /* From the dearest to the cheapest, and where each of them was. */
    CHECK(gp_workspace_reserve(&ws, gp_f32_u64_descending_radix_sort_workspace_bytes(N), 0));
    CHECK(gp_f32_u64_descending_radix_sort(d_prices, d_sorted, NULL, d_places, N, &ws, 0));
    CHECK(gp_f32_max_reduce(d_prices, d_dearest, N, &ws, 0));

    CHECK(cudaMemcpy(sorted, d_sorted, sizeof sorted, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(places, d_places, sizeof places, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&dearest, d_dearest, sizeof dearest, cudaMemcpyDeviceToHost));
    CHECK(gp_workspace_release(&ws, 0));
    for (int i = 0; i < N; i++)
        right &= sorted[i] == prices[places[i]] && (i == 0 || sorted[i] <= sorted[i - 1]);
    right &= sorted[0] == dearest;
    printf("the dearest is number %d, at %.2f\n", (int)places[0], dearest);
    CHECK(cudaFree(d_prices));
    CHECK(cudaFree(d_sorted));
    CHECK(cudaFree(d_places));
    CHECK(cudaFree(d_dearest));

    /* An argument that is wrong is refused, with a sentence that says so. */
    right &= gp_f32_max_reduce(NULL, NULL, N, NULL, 0) == cudaErrorInvalidValue;
    right &= strcmp(gp_library_error(cudaErrorInvalidValue), gp_last_error_message()) == 0;
    printf("a refused call: %s\n", gp_library_error(cudaErrorInvalidValue));
    return verdict(right);
}
