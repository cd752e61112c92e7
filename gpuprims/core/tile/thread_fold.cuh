/*
 * core/tile/thread_fold.cuh: folds and scans the items that a thread has in registers: several at a time where they are
 * small integers, with the same bits.
 *
 * Needs core/tile/warp_tile.cuh and core/instance/combine.cuh. Included by a primitive once.
 */
#if GPI_DEVICE_CODE
/*
 * Sums of bytes and of 16-bit integers wrap, so they may be computed several at a time. (bool is no byte
 * and _Float16 no integer.)
 */
#define GPI_SUMS_BYTES                                                                     \
    (sizeof(GP_TYPE) == 1 && GPI(out_bytes) % 4 == 0 && (GP_TYPE)2 != (GP_TYPE)1)
#define GPI_SUMS_HALVES                                                                    \
    (sizeof(GP_TYPE) == 2 && GPI(out_bytes) % 4 == 0 && GPI_IS_INTEGER)

/*
 * Extremes of integers of one and two bytes are found at the top of words: an item is shifted there, and what
 * is below it decides between equal ones alone.
 */
#define GPI_PACKED_EXTREMES (sizeof(GP_TYPE) <= 2 && GPI(out_bytes) % 4 == 0 && GPI_IS_INTEGER)
#define GPI_PACKED_BITS (GPI_PACKED_EXTREMES ? 8 * (int)sizeof(GP_TYPE) : 8)
#define GPI_PACKED_ITEM(words, i) \
    ((words)[(i) * GPI_PACKED_BITS / 32] << (32 - GPI_PACKED_BITS - (i) * GPI_PACKED_BITS % 32))
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
#define GPI_PACKED_PARTS (GPI(out_bytes) % 8 == 0 ? 2 : 1) /* of a thread's items, which are scanned at a time */
#else
#define GPI_PACKED_PARTS 1
#endif

#if (GP_OP == GP_MIN || GP_OP == GP_MAX) && !defined GP_IDENTITY
GPI_DEVICE uint32_t GPI(top)(uint32_t a, uint32_t b)
{
    const int is_signed = (GP_TYPE)-1 < (GP_TYPE)1;
    int less = is_signed ? (int32_t)a < (int32_t)b : a < b;

    return less == (GP_OP == GP_MAX) ? b : a;
}

#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
/* The extremes of both halves of words, by one instruction. */
GPI_DEVICE uint32_t GPI(packed_two)(uint32_t a, uint32_t b)
{
    const int is_signed = (GP_TYPE)-1 < (GP_TYPE)1;

    return GP_OP == GP_MAX ? is_signed ? __vmaxs2(a, b) : __vmaxu2(a, b)
           : is_signed     ? __vmins2(a, b)
                           : __vminu2(a, b);
}

/* The extreme of all items of `count` words, at the top. */
GPI_DEVICE uint32_t GPI(packed_fold)(const uint32_t *words, int count)
{
    uint32_t upper = words[0], lower = words[0] << 8; /* bytes of halves */

    GPI_UNROLL
    for (int w = 1; w < count; w++) {
        upper = GPI(packed_two)(upper, words[w]);
        lower = GPI(packed_two)(lower, words[w] << 8);
    }
    if (sizeof(GP_TYPE) == 1)
        upper = GPI(packed_two)(upper, lower);
    return GPI(top)(upper, upper << 16);
}
#else
GPI_DEVICE uint32_t GPI(packed_fold)(const uint32_t *words, int count)
{
    uint32_t top = GPI_PACKED_ITEM(words, 0);

    GPI_UNROLL
    for (int i = 1; i < count * 32 / GPI_PACKED_BITS; i++)
        top = GPI(top)(top, GPI_PACKED_ITEM(words, i));
    return top;
}
#endif
#endif

/* Folds a thread's items from left to right. */
GPI_DEVICE GP_TYPE GPI(thread_fold)(const GPI(thread_items) *regs)
{
    GP_TYPE sum = regs->items[0];

#if GP_OP == GP_SUM && !defined GP_IDENTITY
    if (GPI_SUMS_BYTES || GPI_SUMS_HALVES) {
        uint32_t total = 0;

        GPI_UNROLL
        for (int w = 0; w < GPI(out_bytes) / 4; w++)
            total = GPI_SUMS_BYTES ? gpi_sum_bytes(regs->words[w], 0x01010101u, total)
                                   : total + regs->words[w] + (regs->words[w] >> 16);
        sum = (GP_TYPE)total;
    } else
#endif
#if (GP_OP == GP_MIN || GP_OP == GP_MAX) && !defined GP_IDENTITY
    if (GPI_PACKED_EXTREMES) {
        sum = (GP_TYPE)(GPI(packed_fold)(regs->words, GPI(out_bytes) / 4) >> (32 - GPI_PACKED_BITS));
    } else
#endif
    {
#if (GP_OP == GP_MIN || GP_OP == GP_MAX) && defined GPI_FLOAT_EXTREMES
        if (GPI_IS_FLOAT) {
            GPI_UNROLL
            for (int i = 1; i < GPI(thread_n); i++)
                sum = GPI(quick_combine)(sum, regs->items[i]);
            if ((float)sum != 0)
                return sum;
            sum = regs->items[0];
        }
#endif
        GPI_UNROLL
        for (int i = 1; i < GPI(thread_n); i++)
            sum = GPI(combine)(sum, regs->items[i]);
    }
    return sum;
}

/* Scans a thread's items in place. */
GPI_DEVICE void GPI(thread_scan)(GPI(thread_items) *regs, GP_TYPE prefix, int has_prefix, int exclusive)
{
#if GP_OP == GP_SUM && !defined GP_IDENTITY
    if (GPI_SUMS_BYTES || GPI_SUMS_HALVES) {
        uint32_t before = has_prefix ? (uint32_t)prefix : 0;

        GPI_UNROLL
        for (int w = 0; w < GPI(out_bytes) / 4; w++)
            regs->words[w] = GPI_SUMS_BYTES ? gpi_scan_bytes(regs->words[w], &before, exclusive)
                                           : gpi_scan_halves(regs->words[w], &before, exclusive);
        return;
    }
#endif
#if (GP_OP == GP_MIN || GP_OP == GP_MAX) && !defined GP_IDENTITY
    if (GPI_PACKED_EXTREMES) {
        /* Two parts of the items at a time: the chain of comparisons takes longest. */
        const int items = 32 / GPI_PACKED_BITS,                     /* of a word */
                  words = GPI(out_bytes) / 4 / GPI_PACKED_PARTS; /* of a part */
        uint32_t top[GPI_PACKED_PARTS];

        top[0] = (uint32_t)(has_prefix ? prefix : GPI(identity)()) << (32 - GPI_PACKED_BITS);
        if (GPI_PACKED_PARTS == 2)
            top[GPI_PACKED_PARTS - 1] = GPI(top)(top[0], GPI(packed_fold)(regs->words, words));
        GPI_UNROLL
        for (int w = 0; w < GPI_PACKED_PARTS * words; w++) {
            const int part = w % GPI_PACKED_PARTS;
            uint32_t *word = &regs->words[part * words + w / GPI_PACKED_PARTS], extremes[5] = {top[part]};

            GPI_UNROLL
            for (int i = 0; i < items; i++)
                extremes[i + 1] = GPI(top)(extremes[i], GPI_PACKED_ITEM(word, i));
            top[part] = extremes[items];
            *word = gpi_gather_packed(exclusive ? extremes : extremes + 1, items);
        }
        return;
    }
#endif
#if (GP_OP == GP_MIN || GP_OP == GP_MAX) && defined GPI_FLOAT_EXTREMES
    if (GPI_IS_FLOAT && has_prefix && ((float)prefix > 0) == (GP_OP == GP_MAX) && (float)prefix != 0) {
        GPI_UNROLL
        for (int i = 0; i < GPI(thread_n); i++) {
            GP_TYPE after = GPI(quick_combine)(prefix, regs->items[i]);

            regs->items[i] = exclusive ? prefix : after;
            prefix = after;
        }
        return;
    }
#endif
    GP_TYPE x = regs->items[0], next = has_prefix ? GPI(combine)(prefix, x) : x;

    if (exclusive) {
        regs->items[0] = has_prefix ? prefix : GPI(identity)();
        GPI_UNROLL
        for (int i = 1; i < GPI(thread_n); i++) {
            x = regs->items[i];
            regs->items[i] = next;
            if (i + 1 < GPI(thread_n))
                next = GPI(combine)(next, x);
        }
    } else {
        regs->items[0] = next;
        GPI_UNROLL
        for (int i = 1; i < GPI(thread_n); i++)
            regs->items[i] = next = GPI(combine)(next, regs->items[i]);
    }
}
#endif
