/*
 * image.cu: blurs an image with a box filter of any size, at a cost that does not depend on the size.
 *
 *     image [--radius R] [IN OUT]     IN and OUT are PGM or PPM files; without them, a test image
 *
 * A summed-area table has at (x, y) the sum of all pixels above and to the left, so that the sum of any
 * box is four entries of it (Crow, Summed-area tables for texture mapping, 1984). It is a scan by rows,
 * then by columns. All rows are scanned at once, as one long array: what had come together before a row
 * began is subtracted again. Columns are the rows of the transposed table. Sums are modulo 2^32, which
 * their differences do not notice: no box of up to 4001 x 4001 pixels reaches that.
 */
#include "example.h"
#include "pnm.h"

#define GP_NAME       bytes
#define GP_TYPE       unsigned
#define GP_INPUT_TYPE unsigned char /* widened as it is read */
#include <gpuprims/scan.cuh>

#define GP_NAME sums
#define GP_TYPE unsigned
#include <gpuprims/scan.cuh>

enum { BLOCK = 256 };

/* One block per row: from the scan of all rows as one array to the scan of each row, transposed. */
static __global__ void split_and_transpose(const unsigned *scan, unsigned *out, int w, int h)
{
    size_t y = blockIdx.x, first = y * w;

    for (int x = threadIdx.x; x < w; x += BLOCK)
        out[(size_t)x * h + y] = scan[first + x] - (y > 0 ? scan[first - 1] : 0);
}

static __device__ unsigned entry(const unsigned *table, int width, int x, int y)
{
    return x < 0 || y < 0 ? 0 : table[(size_t)y * width + x];
}

/* One block per row: the mean of the box around each pixel, of the part of it that is in the image. */
static __global__ void mean(const unsigned *table, unsigned char *out, int width, int height, int r)
{
    int y = blockIdx.x, above = y > r ? y - r - 1 : -1, below = y + r < height ? y + r : height - 1;

    for (int x = threadIdx.x; x < width; x += BLOCK) {
        int left = x > r ? x - r - 1 : -1, right = x + r < width ? x + r : width - 1;
        unsigned pixels = (unsigned)((right - left) * (below - above));
        unsigned sum = entry(table, width, right, below) - entry(table, width, left, below) -
                       entry(table, width, right, above) + entry(table, width, left, above);

        out[(size_t)y * width + x] = (unsigned char)(sum / pixels);
    }
}

int main(int argc, char **argv)
{
    int has_radius = argc > 2 && strcmp(argv[1], "--radius") == 0;
    int r = has_radius ? atoi(argv[2]) : 5, right = 1;
    char **files = argv + 1 + 2 * has_radius;
    unsigned *d_table, *d_turned;
    unsigned char *d_pixels;

    if ((*files && (!files[1] || files[2])) || r < 0 || r > 2000) {
        printf("usage: image [--radius R] [IN OUT]     box filter (R < 2001) of a PGM or PPM file\n");
        return argc == 2 && strcmp(argv[1], "--help") == 0 ? 0 : 2;
    }
    need_gpu();
    image in = *files ? image_read(files[0]) : image_of_discs(300, 200);
    image out = image_new(in.width, in.height, in.channels);
    int width = (int)in.width, height = (int)in.height;
    size_t n = in.width * in.height;
    CHECK(cudaMalloc((void **)&d_pixels, n));
    CHECK(cudaMalloc((void **)&d_table, n * sizeof *d_table));
    CHECK(cudaMalloc((void **)&d_turned, n * sizeof *d_turned));
    for (size_t channel = 0; channel < in.channels; channel++) {
        const unsigned char *from = in.pixels + channel * n;
        unsigned char *to = out.pixels + channel * n;

        CHECK(cudaMemcpy(d_pixels, from, n, cudaMemcpyHostToDevice));
        CHECK(bytes_inclusive_scan(d_pixels, d_table, n, NULL, 0));
        GP_LAUNCH(split_and_transpose, height, BLOCK, 0, 0, d_table, d_turned, width, height);
        CHECK(sums_inclusive_scan(d_turned, d_turned, n, NULL, 0));
        GP_LAUNCH(split_and_transpose, width, BLOCK, 0, 0, d_turned, d_table, height, width);
        GP_LAUNCH(mean, height, BLOCK, 0, 0, d_table, d_pixels, width, height, r);
        CHECK(cudaMemcpy(to, d_pixels, n, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < n; i += 1 + n / 50000) /* of a large image, some of the pixels */
            right &= to[i] == mean_of_box(&in, channel, r, (int)i % width, (int)i / width);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaFree(d_pixels));
    CHECK(cudaFree(d_table));
    CHECK(cudaFree(d_turned));
    if (*files)
        image_write(&out, files[1]);
    printf("%d x %d pixels, %zu channels, radius %d\n", width, height, in.channels, r);
    free(in.pixels);
    free(out.pixels);
    return verdict(right);
}
