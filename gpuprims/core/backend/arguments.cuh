/*
 * core/backend/arguments.cuh: arithmetic on sizes that does not wrap, and the checks of every host
 * function: too many items, and arrays that overlap.
 *
 * Part of gpuprims.h; not to be included directly.
 */
#ifndef GPI_ARGUMENTS_CUH
#define GPI_ARGUMENTS_CUH

#include "error.cuh"

/* ---- sizes ----------------------------------------------------------------------------------- */

/* a + b; SIZE_MAX, which stands for too much, if that would wrap. */
static inline size_t gpi_add_sizes(size_t a, size_t b)
{
    return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

/* a * b, likewise. */
static inline size_t gpi_multiply_sizes(size_t a, size_t b)
{
    return b && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

static inline size_t gpi_larger_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

static inline size_t gpi_smaller_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The largest array: a ptrdiff_t counts its bytes. */
#define GPI_MAX_BYTES (SIZE_MAX / 2)

/* The most tiles of a launch: the limit of a grid's x dimension; 32-bit tile numbers reach twice as far. */
#define GPI_MAX_TILES ((size_t)0x7FFFFFFF)

/* The largest value of an integer type of 4 or 8 bytes, of those that a size_t has. */
#define GPI_MOST_OF(type) (SIZE_MAX >> (64 - (8 * (int)sizeof(type) - ((type)-1 < (type)1))))

/* Refuses more than `max_n` items, or more than an array can have. `name` is the parameter with n. */
static inline cudaError_t gpi_check_count(const char *function, const char *name, size_t n,
                                          size_t max_n, size_t item_bytes)
{
    if (max_n > GPI_MAX_BYTES / item_bytes)
        max_n = GPI_MAX_BYTES / item_bytes;
    if (n <= max_n)
        return cudaSuccess;
    return gpi_error(cudaErrorInvalidValue, "%s: %s is %zu; it must be at most %zu", function, name,
                     n, max_n);
}

/* ---- overlap --------------------------------------------------------------------------------- */

enum { GPI_READ, GPI_WRITTEN };

/* Memory that a call certainly reads or writes: an array, or part of it. */
typedef struct gpi_argument {
    const char *name; /* of the parameter */
    const void *start;
    size_t bytes; /* 1 where only the start is certain; NULL and 0 bytes overlap nothing */
    int use;      /* GPI_READ or GPI_WRITTEN */
    int in_place; /* if not 0, it may start at the same address as the other one with this number */
} gpi_argument;

/* Refuses memory that is written and overlaps other memory that the call uses. */
static inline cudaError_t gpi_check_overlap(const char *function, const gpi_argument *arguments,
                                            int count)
{
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++) {
            const gpi_argument *a = &arguments[i], *b = &arguments[j];
            const size_t ahead = (uintptr_t)b->start - (uintptr_t)a->start; /* modulo 2^64 */
            const int pair = a->in_place && a->in_place == b->in_place;

            if ((a->use == GPI_READ && b->use == GPI_READ) || !a->start || !b->start || !a->bytes ||
                !b->bytes || (ahead >= a->bytes && 0 - ahead >= b->bytes) || (pair && ahead == 0))
                continue;
            return gpi_error(cudaErrorInvalidValue, "%s: %s and %s overlap; they must be %s",
                             function, a->name, b->name, pair ? "equal or apart" : "apart");
        }
    return cudaSuccess;
}

/*
 * Refuses arrays that are NULL, but for number `optional` (-1: none is), or that overlap. The message about a NULL says
 * that the parameter `name` is n.
 */
static inline cudaError_t gpi_check_arrays(const char *function, const gpi_argument *arrays, int count, int optional,
                                           const char *name, size_t n)
{
    for (int a = 0; a < count; a++)
        if (arrays[a].bytes && !arrays[a].start && a != optional)
            return gpi_error_null_of(function, arrays[a].name, name, n);
    return gpi_check_overlap(function, arrays, count);
}

#endif
