/*
 * core/tile/bins.cuh: what sorts do in shared memory: bins that are counted and scanned, ranks of digits, values that
 * wait for their keys, and samples of keys.
 */
#ifndef GPI_BINS_CUH
#define GPI_BINS_CUH

/* What a word has for a bin: its count, and after the scan */
enum {
    GPI_RADIX_BEGINS,  /* where it begins */
    GPI_RADIX_COUNTED, /* its count * 65536, and where it begins; words lie as gpi_radix_bin_at() says */
    GPI_RADIX_HALVES   /* two bins: where each begins, in 16 bits */
};

/* Four words side by side, for one access. */
typedef struct gpi_radix_four {
    uint32_t of[4];
} __attribute__((aligned(16), may_alias)) gpi_radix_four;

#if GPI_DEVICE_CODE
/* Zeroes n words, a multiple of 4. */
GPI_DEVICE void gpi_radix_zero(uint32_t *words, uint32_t n)
{
    const gpi_radix_four none = {{0, 0, 0, 0}};

    GPI_NO_UNROLL
    for (uint32_t i = 4 * threadIdx.x; i < n; i += 4 * blockDim.x)
        *(gpi_radix_four *)(words + i) = none;
}

/*
 * The rank of the lane's item among those of its digit, which the lanes `same` have: after all that *count counts,
 * and after those of the lanes below it. Adds the items of the warp to *count, a uint16_t if the constant `narrow` is
 * set, and otherwise a uint32_t. All lanes call.
 */
GPI_DEVICE uint32_t gpi_radix_rank(void *count, int narrow, unsigned same)
{
    const unsigned rank = (unsigned)__popc(same & ((1u << threadIdx.x % 32) - 1));
    const uint32_t before = narrow ? *(uint16_t *)count : *(uint32_t *)count;

    __syncwarp(); /* all lanes have read the count */
    if (rank == 0 && narrow)
        *(uint16_t *)count = (uint16_t)(before + (uint32_t)__popc(same));
    else if (rank == 0)
        *(uint32_t *)count = before + (uint32_t)__popc(same);
    __syncwarp(); /* the count is there for the next item */
    return before + rank;
}

/*
 * The sum of x over the threads before this one, where x is 0 beyond the first `warps` warps: `sums` has a word for
 * each of these. *any, unless `any` is NULL, becomes whether it was set in some thread. All threads call.
 */
GPI_DEVICE uint32_t gpi_radix_scan(uint32_t *sums, unsigned warps, uint32_t x, int *any)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint32_t prefix = gpi_warp_prefix(x, lane);

    if (warp < warps && lane == 31)
        sums[warp] = prefix;
    if (any)
        *any = __syncthreads_or(*any);
    else
        __syncthreads(); /* either way: the warps' sums are complete */
    return prefix - x + gpi_warp_sum(lane < warps && lane < warp ? sums[lane] : 0);
}

/* The bits that are set in any thread of the block; there is a word for each warp. Only the lower 32 if `narrow` is. */
GPI_DEVICE uint64_t gpi_radix_block_or(uint64_t *words, uint64_t bits, int narrow)
{
    bits = gpi_warp_or_long(bits, narrow);
    if (threadIdx.x % 32 == 0)
        words[threadIdx.x / 32] = bits;
    __syncthreads(); /* the warps' bits are there */
    return gpi_warp_or_long(words[gpi_min(threadIdx.x % 32, blockDim.x / 32 - 1)], narrow);
}

/* The largest x of all threads, likewise. */
GPI_DEVICE uint64_t gpi_radix_block_max(uint64_t *words, uint64_t x, int narrow)
{
    x = gpi_warp_max_long(x, narrow);
    if (threadIdx.x % 32 == 0)
        words[threadIdx.x / 32] = x;
    __syncthreads(); /* the warps' largest ones are there */
    return gpi_warp_max_long(words[gpi_min(threadIdx.x % 32, blockDim.x / 32 - 1)], narrow);
}

/*
 * Whether with `share` of it this block is the last one to have done its part of `all`; it sees what the others wrote
 * before. All threads call; *last is in shared memory, and *done, what has been done, was zero before.
 */
GPI_DEVICE int gpi_radix_is_last_block(uint32_t *done, uint32_t share, uint32_t all, uint32_t *last)
{
    __threadfence(); /* what the block has written comes before it is done */
    __syncthreads(); /* all its threads have written */
    if (threadIdx.x == 0)
        *last = atomicAdd(done, share) == all - share;
    __syncthreads(); /* all threads know whether the block is the last one */
    __threadfence(); /* the other blocks were done before their results are read */
    return *last != 0;
}

/* Where in a row of counts a digit is. Digits of evenly spaced keys, a multiple of 16 apart, are in different banks. */
GPI_DEVICE uint32_t gpi_radix_column(uint32_t digit)
{
    return digit ^ digit >> 4;
}

/* How often all warps have a digit, of which `counts` is the first one's count, and the next is `row` words behind. */
GPI_DEVICE uint32_t gpi_radix_sum_warps(const uint32_t *counts, unsigned warps, unsigned row)
{
    uint32_t sum = 0;

    GPI_UNROLL
    for (unsigned w = 0; w < warps; w++)
        sum += counts[w * row];
    return sum;
}

/* Turns these counts into the first slot of each warp's keys; the first one is `start`. */
GPI_DEVICE void gpi_radix_scan_warps(uint32_t *counts, unsigned warps, unsigned row, uint32_t start)
{
    GPI_UNROLL
    for (unsigned w = 0; w < warps; w++) {
        const uint32_t count = counts[w * row];

        counts[w * row] = start;
        start += count;
    }
}

/*
 * One warp: turns counts of digits, of which each lane has `each`, 32 apart, into where their keys begin; those of the
 * first digit at `start`.
 */
GPI_DEVICE void gpi_radix_scan_digits(uint64_t *counts, unsigned each, uint64_t start)
{
    GPI_UNROLL
    for (unsigned i = 0; i < each; i++) {
        const uint64_t prefix = gpi_warp_prefix_long(counts[i], threadIdx.x % 32);

        counts[i] = start + prefix - counts[i];
        start += __shfl_sync(GPI_FULL_MASK, prefix, 31);
    }
}

/* Two counters to a word; returns what one was before. If it overflows, the sum of all tells. */
GPI_DEVICE uint32_t gpi_radix_count_half(uint32_t *counters, uint32_t which)
{
    return atomicAdd(&counters[which / 2], which % 2 * 0xFFFFu + 1) >> which % 2 * 16 & 0xFFFF;
}

/* Where the word of a bin is in GPI_RADIX_COUNTED. Keys that differ in few bits would otherwise have bank conflicts. */
GPI_DEVICE uint32_t gpi_radix_bin_at(uint32_t bin)
{
    return bin ^ (bin >> 5 & 28);
}

/* The words of four bins side by side, the first of which is a multiple of 4. */
GPI_DEVICE gpi_radix_four *gpi_radix_four_bins(uint32_t *bins, uint32_t bin, int form)
{
    return (gpi_radix_four *)(bins + (form == GPI_RADIX_COUNTED ? gpi_radix_bin_at(bin) : bin));
}

/*
 * Turns the counts of a block's bins into where each bin begins: `each` words for a thread, `step` at a time, a
 * constant: 4, or 8 that are all of a thread. Returns whether some bin is crowded, with more than `crowd` items; *most,
 * unless it is NULL, becomes how many one of the thread's has at most. All threads call.
 */
GPI_DEVICE int gpi_radix_scan_bins(uint32_t *bins, uint32_t *sums, unsigned each, unsigned step, int form,
                                   uint32_t crowd, uint32_t *most)
{
    gpi_radix_four held[2]; /* where a step is all of a thread, its words stay in registers */
    uint32_t sum = 0, largest = 0;

    GPI_UNDEFINED(held);
    GPI_NO_UNROLL
    for (unsigned i = 0; i < each; i += step) {
        GPI_UNROLL
        for (unsigned j = 0; j < step; j += 4) {
            const gpi_radix_four counts = *gpi_radix_four_bins(bins, threadIdx.x * each + i + j, form);

            held[j / 4] = counts;
            GPI_UNROLL
            for (int k = 0; k < 4; k++) {
                const uint32_t low = form == GPI_RADIX_HALVES ? counts.of[k] & 0xFFFF : counts.of[k];
                const uint32_t high = form == GPI_RADIX_HALVES ? counts.of[k] >> 16 : 0;

                sum += low + high;
                largest = low > largest ? low : largest;
                largest = high > largest ? high : largest;
            }
        }
    }
    if (most)
        *most = largest;
    int crowded = largest > crowd;
    uint32_t scan = gpi_radix_scan(sums, 32, sum, &crowded);
    GPI_NO_UNROLL
    for (unsigned i = 0; i < each; i += step) {
        GPI_UNROLL
        for (unsigned j = 0; j < step; j += 4) {
            gpi_radix_four *four = gpi_radix_four_bins(bins, threadIdx.x * each + i + j, form);
            gpi_radix_four words = step > 4 ? held[j / 4] : *four;

            GPI_UNROLL
            for (int k = 0; k < 4; k++) {
                const uint32_t count = words.of[k];

                words.of[k] = form == GPI_RADIX_HALVES    ? (scan + (count & 0xFFFF)) << 16 | scan
                              : form == GPI_RADIX_COUNTED ? count * 65536 + scan
                                                          : scan;
                scan += form == GPI_RADIX_HALVES ? (count & 0xFFFF) + (count >> 16) : count;
            }
            *four = words;
        }
    }
    return crowded;
}

/*
 * Where in shared memory a byte of staged values is. In regular input the values that are fetched together are a
 * power of two apart: pieces of 16 bytes change places within 128 bytes, without bank conflicts.
 */
GPI_DEVICE uint32_t gpi_radix_value_at(uint32_t at, int changes)
{
    return changes ? at ^ ((at >> 3 ^ at >> 6) & 0x70) : at;
}

/*
 * Brings values to shared memory, as far from a multiple of 16 bytes as they are in memory, which it returns. They
 * are there after gpi_copy_wait().
 */
GPI_DEVICE uint32_t gpi_radix_stage(char *to, const char *from, uint32_t bytes, unsigned threads, int changes)
{
    const uint32_t off = (uint32_t)((uintptr_t)from % 16), head = gpi_min((16 - off) % 16, bytes);
    const uint32_t whole = head + (bytes - head) / 16 * 16;

    for (uint32_t at = head + 16 * threadIdx.x; at < whole; at += 16 * threads)
        gpi_copy_16(to + gpi_radix_value_at(off + at, changes), from + at);
    if (threadIdx.x < head)
        to[gpi_radix_value_at(off + threadIdx.x, changes)] = from[threadIdx.x];
    if (threadIdx.x < bytes - whole)
        to[gpi_radix_value_at(off + whole + threadIdx.x, changes)] = from[whole + threadIdx.x];
    return off;
}

/* Well-mixed bits of x. */
GPI_DEVICE uint32_t gpi_hash(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7FEB352Du;
    x = (x ^ x >> 15) * 0x846CA68Bu;
    return x ^ x >> 16;
}

/*
 * Where item i of a sample is, which has one of each `stride` items: at a random place among these, as regular
 * intervals would be no sample of periodic input. Another salt gives another sample.
 */
GPI_DEVICE uint32_t gpi_sample_place(uint32_t i, uint32_t stride, uint32_t salt)
{
    return i * stride + (uint32_t)((uint64_t)gpi_hash(i + salt * 0x85EBCA6Bu) * stride >> 32);
}
#endif

#endif
