/* pnm.h: images for image.cu: binary PGM (grey) and PPM (colour) files of 8 bits, and a test image. */
#ifndef PNM_H
#define PNM_H

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct image {
    size_t width, height, channels; /* 1: grey, 3: red, green, blue */
    unsigned char *pixels;          /* all rows of a channel, then those of the next */
} image;

static inline image image_new(size_t width, size_t height, size_t channels)
{
    image made = {width, height, channels, (unsigned char *)malloc(width * height * channels)};

    if (!made.pixels)
        exit((fprintf(stderr, "out of memory\n"), 2));
    return made;
}

/* Something to look at: discs on a slope, in three colours. */
static inline image image_of_discs(size_t width, size_t height)
{
    image made = image_new(width, height, 3);

    for (size_t i = 0; i < width * height * 3; i++) {
        size_t channel = i / (width * height), x = i % width, y = i / width % height;
        size_t across = (x + 17 * channel) % 64, down = y % 64;
        size_t disc = (across - 32) * (across - 32) + (down - 32) * (down - 32) < 500;

        made.pixels[i] = (unsigned char)(disc ? 255 - 40 * channel : x * 200 / width);
    }
    return made;
}

/* The next number of a header; '#' starts a comment. */
static inline size_t pnm_number(FILE *file)
{
    size_t number = 0;
    int c = getc(file);

    while (isspace(c) || c == '#') {
        while (c == '#' && (c = getc(file)) != '\n' && c != EOF)
            c = '#';
        c = getc(file);
    }
    for (; isdigit(c) && number < 1000000; c = getc(file))
        number = number * 10 + (size_t)(c - '0');
    return number; /* and one character of white space is gone, as the format wants it */
}

/* The image in the file; ends the program if there is none. */
static inline image image_read(const char *name)
{
    FILE *file = fopen(name, "rb");
    image got = {0, 0, 0, NULL};
    size_t depth = 0;

    if (file && getc(file) == 'P') {
        int kind = getc(file);

        got.channels = kind == '5' ? 1 : kind == '6' ? 3 : 0;
        got.width = pnm_number(file);
        got.height = pnm_number(file);
        depth = pnm_number(file);
    }
    if (got.channels && got.width && got.height && depth == 255) {
        size_t bytes = got.width * got.height * got.channels;

        got = image_new(got.width, got.height, got.channels);
        for (size_t k = 0; k < bytes; k++) /* in the file the channels of a pixel come together */
            got.pixels[k % got.channels * (got.width * got.height) + k / got.channels] =
                (unsigned char)getc(file);
        if (!feof(file) && !ferror(file)) {
            fclose(file);
            return got;
        }
    }
    fprintf(stderr, "%s is not a binary PGM or PPM file with values up to 255\n", name);
    exit(2);
}

static inline void image_write(const image *picture, const char *name)
{
    size_t bytes = picture->width * picture->height * picture->channels;
    FILE *file = fopen(name, "wb");
    int written = file && fprintf(file, "P%d\n%zu %zu\n255\n", picture->channels == 1 ? 5 : 6,
                                  picture->width, picture->height) > 0;

    for (size_t k = 0; k < bytes && written; k++)
        written = putc(picture->pixels[k % picture->channels * (bytes / picture->channels) +
                                       k / picture->channels],
                       file) != EOF;
    if (!file || fclose(file) != 0 || !written) {
        fprintf(stderr, "cannot write %s\n", name);
        exit(2);
    }
}

/* What image.cu is checked with: the mean of the pixels around (x, y), one by one. */
static inline unsigned char mean_of_box(const image *from, size_t channel, int radius, int x, int y)
{
    int width = (int)from->width, height = (int)from->height;
    unsigned sum = 0, count = 0;

    for (int v = y > radius ? y - radius : 0; v <= y + radius && v < height; v++)
        for (int u = x > radius ? x - radius : 0; u <= x + radius && u < width; u++, count++)
            sum += from->pixels[(channel * from->height + (size_t)v) * from->width + (size_t)u];
    return (unsigned char)(sum / count);
}

#endif
