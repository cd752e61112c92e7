/*
 * core/tile/copy.cuh: moves pieces of bytes of any alignment between global memory and slots of shared
 * memory, by bulk copies or by the lanes of a warp.
 *
 * A slot starts on a 128-byte line. The bytes of a piece lie in it as far behind the line as in global
 * memory: address % 128, the misalignment. Whole 16-byte vectors are copied. On the way in they may reach into
 * the neighbouring pieces, never out of the array; on the way out the ends go byte by byte.
 */
#ifndef GPI_COPY_CUH
#define GPI_COPY_CUH

#include "../../gpuprims.h"

/* The entries of gpi_pack_entry() for every mask. An offset replaces the lowest byte of the table's address. */
typedef struct gpi_pack_table {
    uint32_t entries[16];
} __attribute__((aligned(256))) gpi_pack_table;

#if GPI_DEVICE_CODE
GPI_DEVICE uint32_t gpi_funnel_shift(uint32_t low, uint32_t high, unsigned bits)
{
#ifdef __CUDACC__
    return __funnelshift_r(low, high, bits);
#else
    return bits ? low >> bits | high << (32 - bits) : low;
#endif
}

/* x << bits % 32 */
GPI_DEVICE uint32_t gpi_shift_up(uint32_t x, unsigned bits)
{
#ifdef __CUDACC__
    return __funnelshift_l(0, x, bits); /* one instruction: it takes 5 bits alone */
#else
    return x << bits % 32;
#endif
}

GPI_DEVICE uint32_t gpi_reverse_bits(uint32_t x)
{
#ifdef __CUDACC__
    return __brev(x);
#else
    uint32_t reversed = 0;

    for (int i = 0; i < 32; i++)
        reversed |= (x >> i & 1) << (31 - i);
    return reversed;
#endif
}

/* A mask of the lowest `count` bits. */
GPI_DEVICE uint32_t gpi_low_bits(int count)
{
    return count <= 0 ? 0 : count >= 32 ? 0xFFFFFFFFu : (1u << count) - 1;
}

/* How far an address of the type may lie behind a vector, as a mask: what it has no bit for is never shifted by. */
#define GPI_SHIFT_BITS(type) (15u & (0u - (unsigned)__alignof__(type)))

/* words[i] = the four bytes from byte 4 * i + bytes on, for i < count; bytes is 1 to 15. */
#define gpi_shift_down(words, count, bytes)                                                       \
    do {                                                                                          \
        const unsigned gpi_bytes = (bytes);                                                       \
        GPI_UNROLL                                                                                \
        for (int gpi_i = 0; gpi_i < (count) + 3; gpi_i++)                                         \
            (words)[gpi_i] = gpi_bytes & 4 ? (words)[gpi_i + 1] : (words)[gpi_i];                 \
        GPI_UNROLL                                                                                \
        for (int gpi_i = 0; gpi_i < (count) + 1; gpi_i++)                                         \
            (words)[gpi_i] = gpi_bytes & 8 ? (words)[gpi_i + 2] : (words)[gpi_i];                 \
        if (gpi_bytes & 3) {                                                                      \
            GPI_UNROLL                                                                            \
            for (int gpi_i = 0; gpi_i < (count); gpi_i++)                                         \
                (words)[gpi_i] = gpi_funnel_shift((words)[gpi_i], (words)[gpi_i + 1],             \
                                                  gpi_bytes % 4 * 8);                             \
        }                                                                                         \
    } while (0)

GPI_DEVICE unsigned gpi_misalignment(const void *p)
{
    return (unsigned)((uintptr_t)p & 127);
}

/* An array of bytes that copies must stay inside. */
typedef struct gpi_extent {
    const char *begin, *end;
} gpi_extent;

/* A piece that is copied to a slot. */
typedef struct gpi_copy {
    const char *from;
    char *to;
    unsigned bytes;
    gpi_extent array; /* that it is a part of */
} gpi_copy;

/* The copy of `bytes` bytes from `from` on, a place in an array of `array_bytes`. */
GPI_DEVICE gpi_copy gpi_copy_of(char *to, const void *from, unsigned bytes, const void *array, size_t array_bytes)
{
    const gpi_copy copy = {(const char *)from, to, bytes, {(const char *)array, (const char *)array + array_bytes}};

    return copy;
}

/* The whole vectors that cover [from, from + bytes) as far as the array allows. */
GPI_DEVICE gpi_extent gpi_covering_vectors(const char *from, unsigned bytes, gpi_extent array)
{
    gpi_extent v;

    v.begin = (const char *)((uintptr_t)from & ~(uintptr_t)15);
    v.end = (const char *)(((uintptr_t)from + bytes + 15) & ~(uintptr_t)15);
    if (v.begin < array.begin)
        v.begin += 16;
    if (v.end > array.end)
        v.end -= 16;
    if (v.end < v.begin)
        v.end = v.begin;
    return v;
}

/* One thread: what the covering vectors leave of [from, from + bytes), at either end of the array. */
GPI_DEVICE void gpi_fetch_ends(char *slot, const char *from, unsigned bytes, gpi_extent v)
{
    char *to = slot + gpi_misalignment(from);
    const char *end = from + bytes;

    GPI_NO_UNROLL
    for (const char *p = from;; p++) {
        if (p >= v.begin && p < v.end)
            p = v.end; /* not what the vectors cover */
        if (p >= end)
            return;
        to[p - from] = *p;
    }
}

/* All threads of a block: copies a piece into its slot, where it is after gpi_copy_wait() and a barrier. */
GPI_DEVICE void gpi_fetch_block(char *slot, const char *from, unsigned bytes, gpi_extent array)
{
    const gpi_extent v = gpi_covering_vectors(from, bytes, array);
    char *to = slot + gpi_misalignment(from) + (v.begin - from);

    for (unsigned i = threadIdx.x * 16; i < (unsigned)(v.end - v.begin); i += blockDim.x * 16)
        gpi_copy_16(to + i, v.begin + i);
    if (threadIdx.x == 0 && (v.begin > from || v.end < from + bytes))
        gpi_fetch_ends(slot, from, bytes, v);
}

/* One thread: starts the bulk copies of a piece, and arrives at the mbarrier expecting their bytes. */
GPI_DEVICE void gpi_fetch_bulk(char *slot, const char *from, unsigned bytes, gpi_extent array,
                               uint64_t *mbarrier)
{
    gpi_extent v = gpi_covering_vectors(from, bytes, array);
    unsigned covered = (unsigned)(v.end - v.begin);

    if (v.begin > from || v.end < from + bytes)
        gpi_fetch_ends(slot, from, bytes, v);
    gpi_mbarrier_expect(mbarrier, covered);
    if (covered)
        gpi_bulk_load(slot + gpi_misalignment(from) + (v.begin - from), v.begin, covered, mbarrier);
}

/* One thread: prefetches a piece that gpi_fetch_bulk() will read soon. */
GPI_DEVICE void gpi_prefetch_bulk(const char *from, unsigned bytes, gpi_extent array)
{
    gpi_extent v = gpi_covering_vectors(from, bytes, array);

    if (v.end > v.begin)
        gpi_bulk_prefetch(v.begin, (unsigned)(v.end - v.begin));
}

/*
 * One warp: copies a piece into its slot, where it is after gpi_copy_wait() and __syncwarp(). `usual` is a constant,
 * the vectors of a whole aligned piece: as many loads are in flight at a time, in registers before sm_80.
 */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800
#define gpi_fetch_ahead(slot, from, bytes, array, lane, usual)                                    \
    do {                                                                                          \
        const gpi_extent gpi_v = gpi_covering_vectors(from, bytes, array);                        \
        const unsigned gpi_n = (unsigned)(gpi_v.end - gpi_v.begin) / 16;                          \
        char *gpi_to = (slot) + gpi_misalignment(from) + (gpi_v.begin - (from));                  \
        const char *gpi_from = gpi_v.begin;                                                       \
        uint4 gpi_x[((usual) + 31) / 32];                                                         \
        GPI_UNROLL                                                                                \
        for (unsigned gpi_i = 0; gpi_i < ((usual) + 31) / 32; gpi_i++)                            \
            if (gpi_i * 32 + (lane) < gpi_n)                                                      \
                gpi_get(gpi_x[gpi_i], gpi_from + (gpi_i * 32 + (lane)) * 16);                     \
        GPI_UNROLL                                                                                \
        for (unsigned gpi_i = 0; gpi_i < ((usual) + 31) / 32; gpi_i++)                            \
            if (gpi_i * 32 + (lane) < gpi_n)                                                      \
                gpi_put(gpi_to + (gpi_i * 32 + (lane)) * 16, gpi_x[gpi_i]);                       \
        if ((lane) == 0 && gpi_n > ((usual) + 31) / 32 * 32) { /* one vector more */              \
            gpi_get(gpi_x[0], gpi_from + (gpi_n - 1) * 16);                                       \
            gpi_put(gpi_to + (gpi_n - 1) * 16, gpi_x[0]);                                         \
        }                                                                                         \
        if ((lane) == 0 && (gpi_v.begin > (from) || gpi_v.end < (from) + (bytes)))                \
            gpi_fetch_ends(slot, from, bytes, gpi_v);                                             \
    } while (0)
#else
#define gpi_fetch_ahead(slot, from, bytes, array, lane, usual)                                    \
    do {                                                                                          \
        const gpi_extent gpi_v = gpi_covering_vectors(from, bytes, array);                        \
        const int gpi_left = (int)(gpi_v.end - gpi_v.begin) - 16 * (int)(lane);                   \
        char *gpi_to = (slot) + gpi_misalignment(from) + (gpi_v.begin - (from)) + 16 * (lane);    \
        const char *gpi_from = gpi_v.begin + 16 * (lane);                                         \
        GPI_UNROLL                                                                                \
        for (int gpi_i = 0; gpi_i < ((int)(usual) + 31) / 32 * 512; gpi_i += 512)                 \
            gpi_copy_16_if(gpi_i < gpi_left, gpi_to + gpi_i, gpi_from + gpi_i);                   \
        if ((lane) == 0 && gpi_left > ((int)(usual) + 31) / 32 * 512) /* one vector more */       \
            gpi_copy_16(gpi_to + gpi_left - 16, gpi_from + gpi_left - 16);                        \
        if ((lane) == 0 && (gpi_v.begin > (from) || gpi_v.end < (from) + (bytes)))                \
            gpi_fetch_ends(slot, from, bytes, gpi_v);                                             \
    } while (0)
#endif

/* As gpi_fetch_ahead(), of a piece that starts at a vector, with less code: no vector reaches beyond it. */
#define gpi_fetch_aligned(slot, from, bytes, lane, usual)                                         \
    do {                                                                                          \
        const unsigned gpi_body = (bytes) / 16 * 16;                                              \
        const int gpi_left = (int)gpi_body - 16 * (int)(lane);                                    \
        char *gpi_to = (slot) + gpi_misalignment(from);                                           \
        GPI_UNROLL                                                                                \
        for (int gpi_i = 0; gpi_i < ((int)(usual) + 31) / 32 * 512; gpi_i += 512)                 \
            gpi_copy_16_if(gpi_i < gpi_left, gpi_to + gpi_i + 16 * (lane), (from) + gpi_i + 16 * (lane)); \
        if ((lane) < (bytes) - gpi_body)                                                          \
            gpi_to[gpi_body + (lane)] = (from)[gpi_body + (lane)];                                \
    } while (0)

/* One warp: the ends of a piece that no whole vector of global memory covers. */
GPI_DEVICE void gpi_store_ends(char *to, const char *from, unsigned bytes, unsigned head,
                               unsigned body, unsigned lane)
{
    if (lane < head)
        to[lane] = from[lane];
    if (lane < bytes - head - body)
        to[head + body + lane] = from[head + body + lane];
}

GPI_DEVICE unsigned gpi_head_bytes(const char *to, unsigned bytes)
{
    return gpi_min((0 - (unsigned)(uintptr_t)to) & 15, bytes);
}

/*
 * One warp: stores a piece from its slot, the middle by a bulk copy. Comes after gpi_fence_async() and
 * __syncwarp(); lane 0 waits before the slot is used again.
 */
GPI_DEVICE void gpi_store_bulk(char *to, const char *slot, unsigned bytes, unsigned lane)
{
    const char *from = slot + gpi_misalignment(to);
    unsigned head = gpi_head_bytes(to, bytes), body = (bytes - head) & ~15u;

    if (lane == 0 && body)
        gpi_bulk_store(to + head, from + head, body);
    if (lane == 0)
        gpi_bulk_commit();
    if (head || body < bytes)
        gpi_store_ends(to, from, bytes, head, body, lane);
}

/*
 * One warp: stores a piece from its slot with its lanes; all that a lane reads is on its way at a time. `usual` is a
 * constant, the vectors of a whole piece: there are no more. Comes after __syncwarp().
 */
#define gpi_store_ahead(to, slot, bytes, lane, usual)                                             \
    do {                                                                                          \
        const unsigned gpi_head = gpi_head_bytes(to, bytes);                                      \
        const unsigned gpi_body = ((bytes) - gpi_head) & ~15u;                                    \
        const int gpi_left = (int)gpi_body - 16 * (int)(lane);                                    \
        const char *gpi_from = (slot) + ((gpi_misalignment(to) + 15) & ~15u) + 16 * (lane);       \
        char *gpi_to = (to) + (-(uintptr_t)(to) & 15) + 16 * (lane);                              \
        uint4 gpi_x[((usual) + 31) / 32];                                                         \
        GPI_UNROLL                                                                                \
        for (int gpi_i = 0; gpi_i < ((int)(usual) + 31) / 32; gpi_i++)                            \
            if (gpi_i < (int)(usual) / 32 || gpi_i * 512 < gpi_left) /* 32 whole vectors may be read */\
                gpi_get(gpi_x[gpi_i], gpi_from + gpi_i * 512);                                    \
        GPI_UNROLL                                                                                \
        for (int gpi_i = 0; gpi_i < ((int)(usual) + 31) / 32; gpi_i++)                            \
            gpi_put_16_if(gpi_i * 512 < gpi_left, gpi_to + gpi_i * 512, gpi_x[gpi_i]);            \
        if (gpi_head || gpi_body < (bytes))                                                       \
            gpi_store_ends(to, (slot) + gpi_misalignment(to), bytes, gpi_head, gpi_body, lane);   \
    } while (0)

/* One warp: stores a piece from its slot with its lanes. Comes after __syncwarp(). */
GPI_DEVICE void gpi_store_warp(char *to, const char *slot, unsigned bytes, unsigned lane)
{
    const char *from = slot + gpi_misalignment(to);
    unsigned head = gpi_head_bytes(to, bytes), body = (bytes - head) & ~15u;

    GPI_NO_UNROLL
    for (unsigned i = head + lane * 16; i < head + body; i += 32 * 16) {
        uint4 vector;

        gpi_get(vector, from + i);
        gpi_put(to + i, vector);
    }
    if (head || body < bytes)
        gpi_store_ends(to, from, bytes, head, body, lane);
}

/* ---- sums of bytes and of 16-bit integers, a word at a time ------------------------------------ */

/*
 * sum + the bytes of `word` that `which` has a 1 for. Only the lowest byte of the result counts, and of
 * *before below: sums wrap.
 */
GPI_DEVICE uint32_t gpi_sum_bytes(uint32_t word, uint32_t which, uint32_t sum)
{
#ifdef __CUDACC__
    return __dp4a(word, which, sum);
#else
    for (int i = 0; i < 32; i += 8)
        sum += (word >> i & 255) * (which >> i & 255);
    return sum;
#endif
}

/* Bytes of `low` and `high` as `selector` says: a nibble for each byte of the result, 0-3 low, 4-7 high. */
GPI_DEVICE uint32_t gpi_permute(uint32_t low, uint32_t high, uint32_t selector)
{
#ifdef __CUDACC__
    uint32_t word;

    __asm__("prmt.b32 %0, %1, %2, %3;" : "=r"(word) : "r"(low), "r"(high), "r"(selector));
    return word; /* __byte_perm() would mask the selector first */
#else
    uint64_t bytes = (uint64_t)high << 32 | low;
    uint32_t word = 0;

    for (int i = 0; i < 4; i++)
        word |= (uint32_t)(bytes >> 8 * (selector >> 4 * i & 7) & 255) << 8 * i;
    return word;
#endif
}

/* Prefix sums of the four bytes of a word, from *before on, which is brought up to date. */
GPI_DEVICE uint32_t gpi_scan_bytes(uint32_t word, uint32_t *before, int exclusive)
{
    uint32_t sum0 = *before, sum1 = gpi_sum_bytes(word, 0x00000001u, sum0);
    uint32_t sum2 = gpi_sum_bytes(word, 0x00000101u, sum0), sum3 = gpi_sum_bytes(word, 0x00010101u, sum0);
    uint32_t sum4 = gpi_sum_bytes(word, 0x01010101u, sum0);
    uint32_t sums = gpi_permute(gpi_permute(sum1, sum2, 0x0040), gpi_permute(sum3, sum4, 0x0040), 0x5410);

    *before = sum4;
    return gpi_permute(sum0, sums, exclusive ? 0x6540 : 0x7654);
}

/* Prefix sums of the two halves of a word, likewise. */
GPI_DEVICE uint32_t gpi_scan_halves(uint32_t word, uint32_t *before, int exclusive)
{
    uint32_t sum0 = *before, sum1 = sum0 + word, sum2 = sum1 + (word >> 16);

    *before = sum2;
    return exclusive ? gpi_permute(sum0, sum1, 0x5410) : gpi_permute(sum1, sum2, 0x5410);
}

/* A word of the highest bytes of four words, or of the upper halves of two. */
GPI_DEVICE uint32_t gpi_gather_packed(const uint32_t *extremes, int count)
{
    return count == 2 ? gpi_permute(extremes[0], extremes[1], 0x7632)
                      : gpi_permute(gpi_permute(extremes[0], extremes[1], 0x0073),
                                    gpi_permute(extremes[2], extremes[3], 0x0073), 0x5410);
}

/* ---- bytes that are kept, a word at a time ----------------------------------------------------- */

/*
 * Eight flags as eight bits, in the highest byte of the result: the words have a flag in the lowest bit of each of
 * their bytes, and the other bits are zero.
 */
GPI_DEVICE uint32_t gpi_gather_answers(uint32_t first, uint32_t second)
{
    return (second * 16 + first) * 0x01020408u; /* bit 8 * i goes to bit 24 + i, and nothing is carried */
}

/* Entry m of the table: the selector that moves the bytes that m has a bit for to the front, and 8 * their number. */
GPI_DEVICE uint32_t gpi_pack_entry(unsigned m)
{
    uint32_t entry = 0x4444; /* a byte of the other word, which is zero */
    int kept = 0;

    for (unsigned i = 0; i < 4; i++)
        if (m >> i & 1) {
            entry = (entry & ~(15u << 4 * kept)) | i << 4 * kept;
            kept++;
        }
    return entry | (uint32_t)(8 * kept) << 16;
}

/* All threads of a block: the table is there after the next barrier. */
GPI_DEVICE void gpi_pack_prepare(gpi_pack_table *table)
{
    if (threadIdx.x < 16)
        table->entries[threadIdx.x] = gpi_pack_entry(threadIdx.x);
}

/*
 * The entry at the offset that is byte `at` of x: one instruction makes an address of it. The table is complete before
 * x is known.
 */
GPI_DEVICE uint32_t gpi_pack_read(const gpi_pack_table *table, uint32_t x, int at)
{
    uint32_t entry;

#ifdef __CUDACC__
    __asm__("ld.shared.u32 %0, [%1];"
            : "=r"(entry)
            : "r"(gpi_permute(x, gpi_shared_place_of(table), 0x7650u + (unsigned)at)));
#else
    memcpy(&entry, (const char *)table + gpi_byte(x, at), sizeof entry);
#endif
    return entry;
}

/*
 * One warp: every lane writes those bytes of `count` words that `keep` has a bit for to its `to`, in shared
 * memory, where the last lane's bytes end and the next one's begin. Up to three bytes before the first
 * lane's may be overwritten.
 */
GPI_DEVICE void gpi_pack_bytes(char *to, const uint32_t *words, const uint32_t *keep, int count,
                               const gpi_pack_table *table)
{
    unsigned start = (unsigned)((uintptr_t)to & 3), bits = start * 8;
    gpi_shared_place place = gpi_shared_place_of(to - start);
    uint32_t pending = 0; /* the bytes of the word so far, bits % 32 of them */

    GPI_UNROLL
    for (int w = 0; w < (count + 7) / 8; w++) {
        /* Offsets of entries, a byte each. */
        const uint32_t even = keep[w] << 2 & 0x3C3C3C3Cu, odd = keep[w] >> 2 & 0x3C3C3C3Cu;
        uint32_t entries[8]; /* read before anything is written, which for all the compiler knows may be the table */

        GPI_UNROLL
        for (int i = 0; i < 8 && 8 * w + i < count; i++)
            entries[i] = gpi_pack_read(table, i % 2 ? odd : even, i / 2);
        GPI_UNROLL
        for (int i = 0; i < 8 && 8 * w + i < count; i++) {
            uint32_t packed = gpi_permute(words[8 * w + i], 0, entries[i]);
            uint64_t both = (uint64_t)packed * gpi_shift_up(1, bits) + pending; /* shifts and joins at once */
            unsigned next = bits + (entries[i] >> 16);

            pending = gpi_store_if_full(&place, both, bits, next);
            bits = next;
        }
    }
    __syncwarp(); /* a word that lanes share has been written as a whole; now the others' bytes of it */
    GPI_NO_UNROLL
    for (unsigned i = bits < 32 ? start : 0; i < bits % 32 / 8; i++)
        to[bits / 32 * 4 + i - start] = (char)(pending >> 8 * i);
}

/* Reverses `count` words of bytes, and the bits of `keep` for them. */
GPI_DEVICE void gpi_reverse_bytes(uint32_t *words, uint32_t *keep, int count)
{
    const int last = (count - 1) / 8; /* word of `keep` */

    GPI_UNROLL
    for (int i = 0; i < count / 2; i++) {
        uint32_t word = words[i];

        words[i] = gpi_permute(words[count - 1 - i], 0, 0x0123);
        words[count - 1 - i] = gpi_permute(word, 0, 0x0123);
    }
    if (count % 2)
        words[count / 2] = gpi_permute(words[count / 2], 0, 0x0123);
    GPI_UNROLL
    for (int w = 0; w <= last / 2; w++) {
        uint32_t bits = keep[w];

        keep[w] = gpi_reverse_bits(keep[last - w]);
        keep[last - w] = gpi_reverse_bits(bits);
    }
    GPI_UNROLL
    for (int w = 0; w <= last; w++)
        keep[w] = gpi_funnel_shift(keep[w], w < last ? keep[w + 1] : 0,
                                   (unsigned)(8 * (last + 1) - count) * 4);
}

#endif

#endif
