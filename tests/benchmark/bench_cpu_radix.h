/*
 * bench_cpu_radix.h: a radix sort by one core, for comparison.
 *
 *     #define CPU_RADIX bench_u32
 *     #define CPU_RADIX_TYPE uint32_t
 *     #include "bench_cpu_radix.h"
 *
 * generates `static void bench_u32_cpu_radix_sort(const uint32_t *in, uint32_t *out, uint32_t *room, size_t n,
 * uint32_t flip)`, which sorts by key ^ flip: 0 for unsigned keys, the sign bit for signed ones. `out` may
 * be `in`; `room` is for n keys. The type has 2, 4 or 8 bytes.
 *
 * Lowest digit first: all counts in one pass over the keys, then a pass for each digit (Knuth, The Art of
 * Computer Programming, volume 3, section 5.2.5).
 */
#define CPU_RADIX_JOIN2(a, b) a##_##b
#define CPU_RADIX_JOIN(a, b) CPU_RADIX_JOIN2(a, b)

static inline void CPU_RADIX_JOIN(CPU_RADIX, cpu_radix_sort)(const CPU_RADIX_TYPE *in,
                                                             CPU_RADIX_TYPE *out,
                                                             CPU_RADIX_TYPE *room, size_t n,
                                                             CPU_RADIX_TYPE flip)
{
    size_t counts[sizeof(CPU_RADIX_TYPE)][256];
    const CPU_RADIX_TYPE *from = in;

    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < n; i++)
        for (size_t d = 0; d < sizeof(CPU_RADIX_TYPE); d++)
            counts[d][(in[i] ^ flip) >> 8 * d & 255]++;
    for (size_t d = 0; d < sizeof(CPU_RADIX_TYPE); d++) {
        CPU_RADIX_TYPE *to =
            d % 2 ? out : room; /* the last of an even number of passes ends in out */

        for (size_t v = 0, before = 0; v < 256; v++) {
            size_t count = counts[d][v];

            counts[d][v] = before;
            before += count;
        }
        for (size_t i = 0; i < n; i++)
            to[counts[d][(from[i] ^ flip) >> 8 * d & 255]++] = from[i];
        from = to;
    }
}

#undef CPU_RADIX
#undef CPU_RADIX_TYPE
#undef CPU_RADIX_JOIN
#undef CPU_RADIX_JOIN2
