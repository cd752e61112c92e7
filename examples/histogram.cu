/*
 * histogram.cu: spreads the grey values of an image over all that there are (histogram equalisation).
 *
 *     histogram [IN OUT]     IN and OUT are PGM or PPM files; without them, a test image
 *
 * How many pixels are at most as bright as each value is a scan of the histogram. A pixel becomes the share of the
 * others that are no brighter: then every brightness is about as frequent as any other. Channels are equalised one by
 * one.
 */
#include "example.h"
#include "pnm.h"

#define GP_NAME pixels
#define GP_TYPE unsigned char
#include <gpuprims/histogram.cuh>

#define GP_NAME counts
#define GP_TYPE uint64_t
#include <gpuprims/scan.cuh>

/* What becomes of a pixel: `ranks` has how many are at most as bright. */
typedef struct curve {
    const uint64_t *ranks;
    uint64_t n;
} curve;

#define GP_NAME    equalise
#define GP_TYPE    unsigned char
#define GP_CONTEXT curve
#define GP_LOAD(x, c) ((unsigned char)((c).ranks[x] * 255 / (c).n))
#include <gpuprims/transform.cuh>

/* Pixel by pixel, on the CPU. */
static int is_right(const unsigned char *from, const unsigned char *to, size_t n)
{
    uint64_t ranks[256] = {0};
    int right = 1;

    for (size_t i = 0; i < n; i++)
        ranks[from[i]]++;
    for (int value = 1; value < 256; value++)
        ranks[value] += ranks[value - 1];
    for (size_t i = 0; i < n; i++)
        right &= to[i] == ranks[from[i]] * 255 / n;
    return right;
}

int main(int argc, char **argv)
{
    char **files = argv + 1;
    unsigned char *d_pixels;
    uint64_t *d_counts;
    int right = 1;

    if (argc != 1 && argc != 3) {
        printf("usage: histogram [IN OUT]     equalises a PGM or PPM file\n");
        return argc == 2 && strcmp(argv[1], "--help") == 0 ? 0 : 2;
    }
    need_gpu();
    image in = *files ? image_read(files[0]) : image_of_discs(300, 200);
    image out = image_new(in.width, in.height, in.channels);
    size_t n = in.width * in.height;
    CHECK(cudaMalloc((void **)&d_pixels, n));
    CHECK(cudaMalloc((void **)&d_counts, 256 * sizeof *d_counts));
    const curve by = {d_counts, n};
    for (size_t channel = 0; channel < in.channels; channel++) {
        const unsigned char *from = in.pixels + channel * n;
        unsigned char *to = out.pixels + channel * n;

        CHECK(cudaMemcpy(d_pixels, from, n, cudaMemcpyHostToDevice));
        CHECK(pixels_histogram(d_pixels, d_counts, n, 256, NULL, 0));
        CHECK(counts_inclusive_scan(d_counts, d_counts, 256, NULL, 0));
        CHECK(equalise_transform(d_pixels, d_pixels, n, by, NULL, 0));
        CHECK(cudaMemcpy(to, d_pixels, n, cudaMemcpyDeviceToHost));
        right &= is_right(from, to, n);
    }
    CHECK(cudaFree(d_pixels));
    CHECK(cudaFree(d_counts));
    if (*files)
        image_write(&out, files[1]);
    printf("%zu x %zu pixels, %zu channels\n", in.width, in.height, in.channels);
    free(in.pixels);
    free(out.pixels);
    return verdict(right);
}
