/* input.h: the data that everything runs on, made on the device. Element i depends on i, n, the
 * distribution and the seed alone, so that every run and both backends measure the same input.
 */
#ifndef BENCH_INPUT_H
#define BENCH_INPUT_H

#include "bench.h"

typedef enum distribution {
    DISTRIBUTION_UNIFORM, /* all values of the type; floats from 0 to 1 */
    DISTRIBUTION_FEW,     /* 16 of them */
    DISTRIBUTION_SORTED,  /* from the least to the greatest */
    DISTRIBUTION_REVERSED,
    DISTRIBUTION_CONSTANT,
    DISTRIBUTION_RANGE,   /* 0 to 63 */
    DISTRIBUTION_ENTROPY, /* the AND of three uniform ones (Thearling and Smith 1992) */
    DISTRIBUTION_ZIPF,    /* v with a chance of about 1/v, up to 2^20 */
    DISTRIBUTION_SEVEN,   /* 7 values */
    DISTRIBUTION_MOSTLY,  /* nine in ten are one value */
    DISTRIBUTION_GAUSSIAN,
    DISTRIBUTION_LOW20,  /* 0 to 2^20 - 1 */
    DISTRIBUTION_HIGH16, /* the topmost 16 bits alone */
    /* Made against radix sorts: */
    DISTRIBUTION_RUNS,  /* uniform, but 4096 neighbours are alike */
    DISTRIBUTION_BANKS, /* bytes that are multiples of 32: what they count is in one bank */
    DISTRIBUTION_HOLE,  /* the second byte is 0 */
    DISTRIBUTION_CROWD, /* uniform, but 8192 that are alike in their topmost 24 bits */
    DISTRIBUTION_RUNS512, /* likewise 512 neighbours */
    DISTRIBUTION_SMALL, /* nine in ten are from 0 to 63, the others uniform */
    DISTRIBUTIONS
} distribution;

static const char *const distribution_names[DISTRIBUTIONS] = {
    "uniform", "few",      "sorted", "reversed", "constant", "range", "entropy", "zipf", "seven",
    "mostly",  "gaussian", "low20",  "high16",   "runs",     "banks", "hole",    "crowd",
    "runs512", "small"};

/* splitmix64 (Steele, Lea and Flood 2014), whose i-th number needs no numbers before it. */
static inline __host__ __device__ uint64_t input_random_of(uint64_t seed, uint64_t i)
{
    uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline __host__ __device__ uint64_t input_random(uint64_t i)
{
    return input_random_of(0, i);
}

/* Is the value a small integer as it stands, or a fraction of the type's range? */
static inline __host__ __device__ int input_is_small(int distribution)
{
    return distribution == DISTRIBUTION_RANGE || distribution == DISTRIBUTION_ZIPF ||
           distribution == DISTRIBUTION_LOW20 || distribution == DISTRIBUTION_SMALL;
}

/* Where the random numbers of a seed begin: 2^40 apart, more than there are elements. */
static inline __host__ __device__ uint64_t input_begin(unsigned seed)
{
    return (uint64_t)seed << 40;
}

/* Element i of n, of 64 bits: a small integer, or a fraction of 2^64. */
static inline __host__ __device__ uint64_t input_value(int distribution, size_t i, size_t n,
                                                       unsigned seed)
{
    uint64_t random = input_random(input_begin(seed) + i);

    switch (distribution) {
    case DISTRIBUTION_FEW: return input_random((random % 16 + 1) << 40);
    case DISTRIBUTION_SORTED: return (uint64_t)i * (~(uint64_t)0 / n);
    case DISTRIBUTION_REVERSED: return (uint64_t)(n - 1 - i) * (~(uint64_t)0 / n);
    case DISTRIBUTION_CONSTANT: return 0x5bd1e995a5a5a5a7u;
    case DISTRIBUTION_RANGE: return random % 64;
    case DISTRIBUTION_ENTROPY: return random & input_random(~random) & input_random(random ^ n);
    case DISTRIBUTION_ZIPF: {
        /* An octave at random, then a value of the octave at random: its chance falls as 1/v. */
        unsigned octave = (unsigned)(random % 20);
        return ((uint64_t)1 << octave) + ((random >> 32) & (((uint64_t)1 << octave) - 1));
    }
    case DISTRIBUTION_SEVEN: return input_random((random % 7 + 1) << 40);
    case DISTRIBUTION_MOSTLY: return random % 10 ? 0x5bd1e995a5a5a5a7u : input_random(~random);
    case DISTRIBUTION_GAUSSIAN: { /* nearly: a sum of eight uniform ones */
        uint64_t sum = 0;
        unsigned k;
        for (k = 0; k < 8; k++)
            sum += input_random(random + k) >> 3;
        return sum;
    }
    case DISTRIBUTION_LOW20: return random >> 44;
    case DISTRIBUTION_HIGH16: return random >> 48 << 48;
    case DISTRIBUTION_RUNS: return input_random(~(uint64_t)(i / 4096));
    case DISTRIBUTION_RUNS512: return input_random(~(uint64_t)(i / 512));
    case DISTRIBUTION_SMALL: return random % 10 ? (random >> 32) % 64 : input_random(~random);
    case DISTRIBUTION_BANKS: return random & 0xe0e0e0e0e0e0e0e0u;
    case DISTRIBUTION_HOLE: return random & 0xff00ffffffffffffu;
    case DISTRIBUTION_CROWD:
        return i % (n / 8192 + 1) ? random : 0x5bd1e90000000000u | random >> 24;
    default: return random;
    }
}

/* How many neighbours are alike. */
static inline __host__ __device__ size_t input_run(int trait)
{
    return trait == RUNS_OF_5 ? 5 : trait == RUNS_OF_64 ? 64 : trait == RUNS_OF_100000 ? 100000 : 1;
}

/* The same, of two sorted arrays: each item is at random in a stretch of its own. */
static inline __host__ __device__ uint64_t input_of_sorted(size_t i, size_t n, int trait, unsigned seed)
{
    size_t first = bench_first_sorted(n, trait), items = i < first ? first : n - first, place = i < first ? i : i - first;
    uint64_t stretch = ~(uint64_t)0 / items;
    uint64_t value = place * stretch + input_random(input_begin(seed) + i) % stretch;

    return trait == HALVES_IN_TURN ? value / 2 + ((uint64_t)(i >= first) << 63) : value;
}

/* Of 1, 2, 4 or 8 bytes; a multiple of 8 takes the value and those that follow it. */
static inline __host__ __device__ void input_store_integer(void *to, size_t i, size_t bytes,
                                                           uint64_t value)
{
    size_t word, words = bytes / 8;

    switch (bytes) {
    case 1: ((uint8_t *)to)[i] = (uint8_t)value; break;
    case 2: ((uint16_t *)to)[i] = (uint16_t)value; break;
    case 4: ((uint32_t *)to)[i] = (uint32_t)value; break;
    default:
        for (word = 0; word < words; word++)
            ((uint64_t *)to)[i * words + word] = value + word;
    }
}

/* Floats are never negative, so that a sum of them is a measure of its own rounding errors. */
static inline __host__ __device__ void input_store_float(void *to, size_t i, size_t bytes,
                                                         int is_small, uint64_t value)
{
    double x = is_small ? (double)value : (double)(value >> 11) * (1.0 / 9007199254740992.0);

    if (bytes == 8)
        ((double *)to)[i] = x;
    else
        ((float *)to)[i] = is_small ? (float)x : (float)(value >> 40) * (1.0f / 16777216.0f);
}

static __global__ void input_fill_kernel(void *to, size_t n, bench_element element,
                                         int distribution, int trait, unsigned seed)
{
    size_t i, stride = (size_t)gridDim.x * blockDim.x;
    int is_sorted = trait == HALVES_SORTED || trait == HALVES_IN_TURN || trait == ONE_TO_1000_SORTED;
    int is_small = !is_sorted && input_is_small(distribution);
    unsigned unused_bits = is_small ? 0 : 64 - 8 * (unsigned)element.bytes;

    for (i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        uint64_t value = is_sorted ? input_of_sorted(i, n, trait, seed)
                                   : input_value(distribution, i / input_run(trait), n, seed);

        if (element.kind == KIND_FLOAT) {
            input_store_float(to, i, element.bytes, is_small, value);
            continue;
        }
        if (element.kind == KIND_SIGNED && !is_small)
            value ^= (uint64_t)1 << 63; /* from the least, which is negative */
        value >>= unused_bits;
        if (trait == TWO_VALUES)
            value &= 1;
        if (trait == LOW_BIT_CLEAR || trait == LOW_BIT_SET || trait == LOW_BIT_RARE) {
            value &= ~(uint64_t)1;
            value |= trait == LOW_BIT_SET ||
                     (trait == LOW_BIT_RARE && input_random(~(uint64_t)i) % 1000000 == 0);
        }
        input_store_integer(to, i, element.bytes, value);
    }
}

/* Half of the flags, at random; *ones counts those that are set. */
static __global__ void input_flags_kernel(uint8_t *to, size_t n, unsigned seed,
                                          unsigned long long *ones)
{
    size_t i, stride = (size_t)gridDim.x * blockDim.x;
    unsigned long long set = 0;

    for (i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        to[i] = (uint8_t)(input_random((input_begin(seed) + i) ^ 0x5555555555555555u) & 1);
        set += to[i];
    }
    if (set)
        atomicAdd(ones, set);
}

/* Where i goes in a random permutation of 0 to n - 1, for n of at most 2^bits. Each step maps the
 * words of so many bits one to one: the product with an odd number, which carries upwards, and the
 * upper half folded onto the lower. A word past the end goes on until it is inside (cycle walking,
 * Black and Rogaway 2002): the way leads back to i at last, and takes less than two rounds on the
 * average when bits is the least. */
static inline __host__ __device__ uint64_t input_permuted(uint64_t i, uint64_t n, unsigned bits)
{
    uint64_t mask = ((uint64_t)1 << bits) - 1;
    unsigned half = (bits + 1) / 2;

    do {
        i = (i * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u) & mask;
        i ^= i >> half;
        i = i * 0xbf58476d1ce4e5b9u & mask;
        i ^= i >> half;
        i = i * 0x94d049bb133111ebu & mask;
        i ^= i >> half;
    } while (i >= n);
    return i;
}

static __global__ void input_map_kernel(void *to, size_t n, size_t bytes, unsigned bits)
{
    size_t i, stride = (size_t)gridDim.x * blockDim.x;

    for (i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        input_store_integer(to, i, bytes, input_permuted(i, n, bits));
}

/* Blocks of a kernel with a stride: enough for the device, and not one for nothing. */
static inline unsigned input_grid(size_t n, int processors)
{
    size_t needed = (n + 255) / 256, most = (size_t)processors * 8;

    return (unsigned)(needed < most ? needed : most);
}

/* A struct is an array of 32-bit integers. */
static inline cudaError_t input_fill(void *to, size_t n, bench_element element, int distribution,
                                     int trait, unsigned seed, int processors, cudaStream_t stream)
{
    bench_element word = BENCH_ELEMENT_u32;

    if (element.kind == KIND_STRUCT) {
        n *= element.bytes / word.bytes;
        element = word;
    }
    GP_LAUNCH(input_fill_kernel, input_grid(n, processors), 256, 0, stream, to, n, element,
              distribution, trait, seed);
    return cudaGetLastError();
}

/* *ones, on the device, becomes the number of flags that are set. */
static inline cudaError_t input_flags(uint8_t *to, size_t n, unsigned seed,
                                      unsigned long long *ones, int processors, cudaStream_t stream)
{
    cudaError_t error = cudaMemsetAsync(ones, 0, sizeof *ones, stream);

    if (error != cudaSuccess)
        return error;
    GP_LAUNCH(input_flags_kernel, input_grid(n, processors), 256, 0, stream, to, n, seed, ones);
    return cudaGetLastError();
}

/* Entries of so many bytes. */
static inline cudaError_t input_map(void *to, size_t n, size_t bytes, int processors,
                                    cudaStream_t stream)
{
    unsigned bits = 1;

    while ((uint64_t)1 << bits < n)
        bits++;
    GP_LAUNCH(input_map_kernel, input_grid(n, processors), 256, 0, stream, to, n, bytes, bits);
    return cudaGetLastError();
}

#endif
