/*
 * tap.h: what every test program shares: TAP output, a seeded generator, guarded device buffers.
 *
 * A test is a function that calls ok() for what it finds; main calls tap_begin(), the tests and
 * tap_end(). Options of every test program:
 *
 *     --seed N    seed of the generated data (printed)
 *     --small     leave out large sizes, for slow tools such as sanitizers
 *     --brief     of a program that has it: a few calls of each instance, for the slowest of them
 *     --only LIST  of a program with several instances: only those that have one of these words, apart by
 *                 commas, in their names, or behind a = as their names
 */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpuprims/gpuprims.h>

static int tap_count = 0, tap_failures = 0;
static int tap_small = 0, tap_brief = 0;
static const char *tap_only = "";
static uint64_t tap_seed = 20250101;

/* One result. The text says what holds when it passes. */
__attribute__((format(printf, 2, 3), unused)) static int ok(int passed, const char *format, ...)
{
    va_list arguments;

    tap_count++;
    tap_failures += !passed;
    printf("%sok %d - ", passed ? "" : "not ", tap_count);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
    return passed;
}

/* A CUDA call that the test itself relies on. */
#define must(call)                                                                           \
    do {                                                                                     \
        cudaError_t must_error = (call);                                                     \
        if (must_error != cudaSuccess) {                                                     \
            printf("Bail out! %s:%d: %s: %s (%s)\n", __FILE__, __LINE__, #call,              \
                   cudaGetErrorString(must_error), gp_last_error_message());                 \
            exit(1);                                                                         \
        }                                                                                    \
    } while (0)

__attribute__((unused)) static void tap_begin(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
            tap_seed = strtoull(argv[++i], NULL, 0);
        else if (strcmp(argv[i], "--small") == 0)
            tap_small = 1;
        else if (strcmp(argv[i], "--brief") == 0)
            tap_brief = 1;
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            tap_only = argv[++i];
        else {
            fprintf(stderr, "usage: %s [--seed N] [--small] [--brief] [--only LIST]\n", argv[0]);
            exit(2);
        }
    }
#ifdef __CUDACC__
    int devices = 0;

    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        printf("1..0 # SKIP no GPU\n");
        exit(0);
    }
#endif
    printf("# seed %llu\n", (unsigned long long)tap_seed);
}

__attribute__((unused)) static int tap_end(void)
{
    printf("1..%d\n", tap_count);
    return tap_failures != 0;
}

/* Whether --only has the instance, or there is no such option. */
__attribute__((unused)) static int tap_wants(const char *name)
{
    char word[64];
    const char *list = tap_only;

    for (; *list; list += strcspn(list, ","), list += *list == ',') {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(list, ","), list);
        if (word[0] == '=' ? strcmp(name, word + 1) == 0 : strstr(name, word) != NULL)
            return 1;
    }
    return tap_only[0] == '\0';
}

/* splitmix64 (Steele, Lea, Flood 2014) */
__attribute__((unused)) static uint64_t tap_random(void)
{
    uint64_t z = tap_seed += 0x9E3779B97F4A7C15u;

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

__attribute__((unused)) static uint64_t tap_below(uint64_t limit)
{
    return tap_random() % limit;
}

/* ---- guarded device buffers ------------------------------------------------------------------ */

enum { TAP_GUARD = 512 };

/*
 * Device memory of `bytes`, that starts `offset` bytes behind an aligned address, between two guards
 * that tap_buffer_intact() looks at; under AddressSanitizer they cannot be read either. New contents are rubbish of
 * a known kind.
 */
typedef struct tap_buffer {
    unsigned char *allocated;
    void *data;
    size_t bytes, offset;
} tap_buffer;

/* Whether the guards may be touched. */
__attribute__((unused)) static void tap_buffer_open(const tap_buffer *buffer, int is_open)
{
#ifdef GPI_CPU_ASAN
    const struct {
        unsigned char *from;
        size_t bytes;
    } guards[] = {{buffer->allocated, buffer->offset},
                  {buffer->allocated + buffer->offset + buffer->bytes, TAP_GUARD}};

    for (int g = 0; g < 2; g++)
        if (is_open)
            gpi_cpu_unpoison(guards[g].from, guards[g].bytes);
        else
            gpi_cpu_poison(guards[g].from, guards[g].bytes);
#else
    (void)buffer, (void)is_open;
#endif
}

__attribute__((unused)) static tap_buffer tap_buffer_new(size_t bytes, size_t offset)
{
    tap_buffer buffer;

    buffer.bytes = bytes;
    buffer.offset = TAP_GUARD + offset;
    buffer.allocated = NULL;
    must(cudaMalloc((void **)&buffer.allocated, buffer.offset + bytes + TAP_GUARD));
    must(cudaMemset(buffer.allocated, 0xC3, buffer.offset + bytes + TAP_GUARD));
    buffer.data = buffer.allocated + buffer.offset;
    tap_buffer_open(&buffer, 0);
    return buffer;
}

__attribute__((unused)) static tap_buffer tap_buffer_of(const void *host, size_t bytes, size_t offset)
{
    tap_buffer buffer = tap_buffer_new(bytes, offset);

    must(cudaMemcpy(buffer.data, host, bytes, cudaMemcpyHostToDevice));
    return buffer;
}

__attribute__((unused)) static void tap_buffer_read(void *host, const tap_buffer *buffer, size_t bytes)
{
    must(cudaDeviceSynchronize());
    must(cudaMemcpy(host, buffer->data, bytes, cudaMemcpyDeviceToHost));
}

/* Whether nothing wrote outside of the first `used` bytes of the buffer. */
__attribute__((unused)) static int tap_buffer_intact(const tap_buffer *buffer, size_t used)
{
    size_t all = buffer->offset + buffer->bytes + TAP_GUARD;
    unsigned char *copy = (unsigned char *)malloc(all);
    int intact = 1;

    must(cudaDeviceSynchronize());
    tap_buffer_open(buffer, 1);
    must(cudaMemcpy(copy, buffer->allocated, all, cudaMemcpyDeviceToHost));
    tap_buffer_open(buffer, 0);
    for (size_t i = 0; i < all; i++)
        if ((i < buffer->offset || i >= buffer->offset + used) && copy[i] != 0xC3)
            intact = 0;
    free(copy);
    return intact;
}

__attribute__((unused)) static void tap_buffer_free(tap_buffer *buffer)
{
    tap_buffer_open(buffer, 1);
    must(cudaFree(buffer->allocated));
    buffer->allocated = NULL;
}

#endif
