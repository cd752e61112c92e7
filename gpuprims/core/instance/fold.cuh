/*
 * core/instance/fold.cuh: how the values of a warp and of a block are combined. The order of every fold is fixed
 * here, for all primitives: see docs/fold-order.md.
 *
 * Only adjacent values are combined, in the order of the input, and never the identity. Where not every
 * lane has a value, the first `valid` ones have.
 *
 * Needs core/instance/begin.cuh. Stamped once per instance, by the first of its headers that includes it.
 */
#ifndef GPI_FOLD_IS_STAMPED
#define GPI_FOLD_IS_STAMPED

/*
 * What is folded: items; where GPI_FOLDS_COUNTS is defined before, how many there are; and where GPI_FOLDS_STRUCTS is,
 * what the primitive has defined as GPI(sum) and GPI(join).
 */
#if defined GPI_FOLDS_COUNTS
typedef uint32_t GPI(sum);

GPI_DEVICE GPI(sum) GPI(join)(GPI(sum) a, GPI(sum) b)
{
    return a + b;
}
#elif !defined GPI_FOLDS_STRUCTS
#include "combine.cuh"

GPI_AT_MOST(GP_TYPE, 1024); /* one value per warp has to fit into 48 KB of shared memory */
typedef GP_TYPE GPI(sum);

GPI_DEVICE GPI(sum) GPI(join)(GPI(sum) a, GPI(sum) b)
{
    return GPI(combine)(a, b);
}
#endif

/* ---- a warp ---------------------------------------------------------------------------------- */

/* Shuffles take no structs: a value is shuffled as words. */
#define GPI_WORDS (int)((sizeof(GPI(sum)) + 3) / 4)

GPI_DEVICE GPI(sum) GPI(shuffle_up)(GPI(sum) x, unsigned delta)
{
    uint32_t words[GPI_WORDS] = {0};

    memcpy(words, &x, sizeof x);
    GPI_UNROLL
    for (int i = 0; i < GPI_WORDS; i++)
        words[i] = __shfl_up_sync(GPI_FULL_MASK, words[i], delta);
    memcpy(&x, words, sizeof x);
    return x;
}

GPI_DEVICE GPI(sum) GPI(shuffle_down)(GPI(sum) x, unsigned delta)
{
    uint32_t words[GPI_WORDS] = {0};

    memcpy(words, &x, sizeof x);
    GPI_UNROLL
    for (int i = 0; i < GPI_WORDS; i++)
        words[i] = __shfl_down_sync(GPI_FULL_MASK, words[i], delta);
    memcpy(&x, words, sizeof x);
    return x;
}

GPI_DEVICE GPI(sum) GPI(shuffle)(GPI(sum) x, int lane)
{
    uint32_t words[GPI_WORDS] = {0};

    memcpy(words, &x, sizeof x);
    GPI_UNROLL
    for (int i = 0; i < GPI_WORDS; i++)
        words[i] = __shfl_sync(GPI_FULL_MASK, words[i], lane);
    memcpy(&x, words, sizeof x);
    return x;
}

/*
 * A step takes a shuffle for each word: large types loop over the steps, since five would take long
 * to compile.
 */
enum { GPI(steps) = sizeof(GPI(sum)) <= 64 ? 5 : 1 };
#define GPI_UNROLL_STEPS GPI_UNROLL_BY(GPI(steps))

/* Inclusive scan over the first `valid` lanes (Hillis and Steele 1986): strides 1, 2, 4, 8, 16. */
GPI_DEVICE GPI(sum) GPI(warp_scan)(GPI(sum) x, int lane, int valid)
{
    GPI_UNROLL_STEPS
    for (int stride = 1; stride < 32; stride *= 2) {
        GPI(sum) before = GPI(shuffle_up)(x, (unsigned)stride);

        if (lane >= stride && lane < valid)
            x = GPI(join)(before, x);
    }
    return x;
}

#if defined GP_IDENTITY || defined GPI_FOLDS_STRUCTS
#define GPI_FOLDS_NUMBERS 0
#else
#define GPI_FOLDS_NUMBERS 1 /* by a ready operator, if they are of an arithmetic type */
#endif
#define GPI_SUM_IS_INTEGER (__builtin_classify_type(*(const GPI(sum) *)0) < 5 && (GPI(sum))0.5 == (GPI(sum))0)

/*
 * Integer sums wrap, so they are the same in any order: one instruction sums up to 32 bits over a
 * warp, three the pieces of 64-bit ones, 32 of which fit in a word. Equal integers are
 * indistinguishable: one instruction finds the extreme.
 */
__extension__ enum { /* ISO C has no floating-point arithmetic in integer constants */
#if GPI_FOLDS_NUMBERS && GP_OP == GP_SUM && (!defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 800)
    GPI(sums_words) = sizeof(GPI(sum)) <= 4 && GPI_SUM_IS_INTEGER,
    GPI(sums_pairs) = sizeof(GPI(sum)) == 8 && GPI_SUM_IS_INTEGER,
    GPI(folds_fast) = GPI(sums_words) || GPI(sums_pairs)
#elif GPI_FOLDS_NUMBERS && (GP_OP == GP_MIN || GP_OP == GP_MAX)
    GPI(sums_words) = 0,
    GPI(folds_fast) = sizeof(GPI(sum)) <= 4 && GPI_SUM_IS_INTEGER
#else
    GPI(sums_words) = 0,
    GPI(folds_fast) = 0
#endif
};

/*
 * Folds the first `valid` lanes (at least one) as a tree over strides 1, 2, 4, 8, 16; lane 0 gets
 * the result, or all lanes where a single instruction does it.
 */
GPI_DEVICE GPI(sum) GPI(warp_reduce)(GPI(sum) x, int lane, int valid)
{
#if GPI_FOLDS_NUMBERS && GP_OP == GP_SUM && (!defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 800)
    if (GPI(sums_words))
        return (GPI(sum))__reduce_add_sync(GPI_FULL_MASK, lane < valid ? (unsigned)x : 0);
    if (GPI(sums_pairs)) {
        const uint32_t mask = (1u << 27) - 1;
        uint64_t bits = lane < valid ? (uint64_t)x : 0;
        uint64_t low = __reduce_add_sync(GPI_FULL_MASK, (uint32_t)bits & mask);
        uint64_t middle = __reduce_add_sync(GPI_FULL_MASK, (uint32_t)(bits >> 27) & mask);
        uint64_t high = __reduce_add_sync(GPI_FULL_MASK, (uint32_t)(bits >> 54));

        return (GPI(sum))(low + (middle << 27) + (high << 54));
    }
#endif
#if GPI_FOLDS_NUMBERS && (GP_OP == GP_MIN || GP_OP == GP_MAX)
    if (GPI(folds_fast)) {
        /* Maps to unsigned numbers whose maximum is the result, and back. */
        const uint32_t flip = ((GPI(sum))-1 < (GPI(sum))1 ? 0x80000000u : 0) ^ (GP_OP == GP_MIN ? 0xFFFFFFFFu : 0);

        return (GPI(sum))(gpi_warp_max(lane < valid ? (uint32_t)x ^ flip : 0) ^ flip);
    }
#endif
    if (valid > 32) /* there are no lanes past the warp's end */
        valid = 32;
    GPI_UNROLL_STEPS
    for (int stride = 1; stride < 32; stride *= 2) {
        GPI(sum) after = GPI(shuffle_down)(x, (unsigned)stride);

        if (lane + stride < valid)
            x = GPI(join)(x, after);
    }
    return x;
}

/* ---- a block --------------------------------------------------------------------------------- */

/*
 * From each thread's inclusive scan of its warp to the fold of all warps before: *prefix, for warps
 * after the first. The last lane with a value writes its warp's total to shared `totals`, one per
 * warp; *total (may be NULL) gets the fold of the first `valid` threads, at least one. All threads
 * call.
 */
GPI_DEVICE void GPI(block_prefix)(GPI(sum) scanned, unsigned rank, unsigned valid, GPI(sum) *totals,
                                  GPI(sum) *prefix, GPI(sum) *total)
{
    unsigned warp = rank / 32, warps = (valid + 31) / 32;

    if (rank < valid && (rank % 32 == 31 || rank == valid - 1))
        totals[warp] = scanned;
    __syncthreads(); /* totals are complete */

    GPI(sum) sum = totals[0];
    for (unsigned w = 1; w < warps; w++) {
        if (w == warp)
            *prefix = sum;
        if (w >= warp && !total)
            break;
        sum = GPI(join)(sum, totals[w]);
    }
    if (total)
        *total = sum;
}

/* Folds the values of the first `valid` threads (at least one); every thread gets the result. */
GPI_DEVICE GPI(sum) GPI(block_reduce)(GPI(sum) x, unsigned rank, unsigned valid, GPI(sum) *totals)
{
    unsigned warp = rank / 32, warps = (valid + 31) / 32;

    x = GPI(warp_reduce)(x, (int)(rank % 32), (int)valid - (int)(warp * 32));
    if (rank % 32 == 0 && rank < valid)
        totals[warp] = x;
    __syncthreads(); /* totals are complete */

    if (GPI(sums_words)) /* every lane gets it */
        return GPI(warp_reduce)(totals[gpi_min(rank % 32, warps - 1)], (int)(rank % 32), (int)warps);
    GPI(sum) sum = totals[0];
    for (unsigned w = 1; w < warps; w++)
        sum = GPI(join)(sum, totals[w]);
    return sum;
}

#endif
