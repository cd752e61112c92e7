/*
 * run_length.cu: a drawing in black and white, as a fax machine sends it: the lengths of its runs, and back.
 *
 *     run_length [IN]    IN is a PGM or PPM file, of which the first channel is taken; without it, a test image
 *
 *     pixels               0 0 0 1 1 0 ...     row by row, 1 where it is bright
 *     run_length_encode    values 0 1 0 ...    lengths 3 2 ...
 *     run_length_decode    0 0 0 1 1 0 ...     the pixels again
 *     run_offsets          0 3 5 ...           where each run starts: what is at a place is found by a binary search
 */
#include "example.h"
#include "pnm.h"

#define GP_NAME  pixels
#define GP_TYPE  uint8_t
#define GP_INDEX unsigned /* of counts, lengths and offsets */
#include <gpuprims/run_length.cuh>

/* The run that holds the pixel at `place`. */
static unsigned run_at(const unsigned *offsets, unsigned runs, unsigned place)
{
    unsigned low = 0;

    while (runs - low > 1) {
        const unsigned middle = low + (runs - low) / 2;

        if (offsets[middle] <= place)
            low = middle;
        else
            runs = middle;
    }
    return low;
}

int main(int argc, char **argv)
{
    uint8_t *d_pixels = NULL, *d_values = NULL;
    unsigned *d_lengths = NULL, *d_offsets = NULL, *d_count = NULL, counts[3] = {0, 0, 0}, runs = 0;
    int right = 1;

    if (argc > 2 || (argc == 2 && strcmp(argv[1], "--help") == 0)) {
        printf("usage: run_length [IN]     run lengths of a PGM or PPM file in black and white\n");
        return argc == 2 ? 0 : 2;
    }
    need_gpu();
    image in = argc > 1 ? image_read(argv[1]) : image_of_discs(640, 400);
    size_t n = in.width * in.height;
    uint8_t *pixels = (uint8_t *)malloc(n), *decoded = (uint8_t *)malloc(n), *values = (uint8_t *)malloc(n);
    unsigned *lengths = (unsigned *)malloc(n * sizeof *lengths);
    unsigned *offsets = (unsigned *)malloc((n + 1) * sizeof *offsets);
    if (!pixels || !decoded || !values || !lengths || !offsets)
        return 2;
    for (size_t i = 0; i < n; i++) {
        pixels[i] = in.pixels[i] >= 128;
        runs += i == 0 || pixels[i] != pixels[i - 1];
    }
    CHECK(cudaMalloc((void **)&d_pixels, n));
    CHECK(cudaMalloc((void **)&d_values, n)); /* as many as there could be */
    CHECK(cudaMalloc((void **)&d_lengths, n * sizeof *d_lengths));
    CHECK(cudaMalloc((void **)&d_offsets, (n + 1) * sizeof *d_offsets));
    CHECK(cudaMalloc((void **)&d_count, sizeof counts));
    CHECK(cudaMemcpy(d_pixels, pixels, n, cudaMemcpyHostToDevice));

    CHECK(pixels_run_length_encode(d_pixels, d_values, d_lengths, n, d_count, NULL, 0));
    CHECK(pixels_run_offsets(d_pixels, d_offsets, n, d_count + 1, NULL, 0));
    CHECK(cudaMemcpy(counts, d_count, sizeof counts, cudaMemcpyDeviceToHost));
    if (counts[0] != runs || counts[1] != runs)
        return verdict(0);
    CHECK(cudaMemset(d_pixels, 2, n));
    CHECK(pixels_run_length_decode(d_values, d_lengths, runs, d_pixels, n, d_count + 2, NULL, 0));

    CHECK(cudaMemcpy(counts, d_count, sizeof counts, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(values, d_values, runs, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(lengths, d_lengths, runs * sizeof *lengths, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(offsets, d_offsets, (runs + 1) * sizeof *offsets, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(decoded, d_pixels, n, cudaMemcpyDeviceToHost));
    printf("%zu pixels are %u runs\n", n, runs);
    for (unsigned r = 0; r < runs && r < 3; r++)
        printf("    %u x %u\n", lengths[r], values[r]);

    size_t place = 0;
    for (unsigned r = 0; r < runs; place += lengths[r++])
        right &= offsets[r] == place && lengths[r] > 0 && place < n && values[r] == pixels[place];
    right &= place == n && offsets[runs] == n && counts[2] == n && memcmp(decoded, pixels, n) == 0;
    for (size_t i = 0; i < n; i += 997)
        right &= values[run_at(offsets, runs, (unsigned)i)] == pixels[i];
    CHECK(cudaFree(d_pixels));
    CHECK(cudaFree(d_values));
    CHECK(cudaFree(d_lengths));
    CHECK(cudaFree(d_offsets));
    CHECK(cudaFree(d_count));
    free(in.pixels);
    free(pixels);
    free(decoded);
    free(values);
    free(lengths);
    free(offsets);
    return verdict(right);
}
