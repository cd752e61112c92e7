/*
 * core/histogram/bins.cuh: the bin of an item: as GP_BIN says, of even bins, or between levels. All functions return
 * GPI_NO_BIN, which is not counted, for what is in no bin.
 *
 * Even bins of integers divide by multiplication with a reciprocal, which is at most one too small; what remains tells.
 * Those of floats are defined by a division of doubles. Instead of it, the integer k nearest to the quotient is found
 * by multiplication, and the remainder, which one fused operation gets exactly, tells on which side of k the quotient
 * lies, and whether the division would have rounded it to k.
 *
 * Part of histogram.cuh; not to be included directly.
 */
#ifndef GPI_HISTOGRAM_BINS_CUH
#define GPI_HISTOGRAM_BINS_CUH

#define GPI_NO_BIN UINT64_MAX

/*
 * How bins are found. Many even ones are more than 32 bits can tell apart. By a table: even ones, with the least item
 * of each. By a tree: between levels.
 */
enum {
    GPI_BINS_OF_VALUES,
    GPI_BINS_ARE_EVEN,
    GPI_BINS_ARE_EVEN_AND_MANY,
    GPI_BINS_BETWEEN_LEVELS,
    GPI_BINS_BY_TABLE,
    GPI_BINS_BY_TREE
};

#define GPI_HISTOGRAM_IS(type) GPI_IS_SAME_TYPE(GP_TYPE, type)

/* Types that C++ alone has. */
#ifndef __cplusplus
#define GPI_HISTOGRAM_IS_SIGNED_CPP   0
#define GPI_HISTOGRAM_IS_UNSIGNED_CPP GPI_HISTOGRAM_IS(_Bool)
#else
#ifdef __cpp_char8_t
#define GPI_HISTOGRAM_IS_CHAR8 GPI_HISTOGRAM_IS(char8_t)
#else
#define GPI_HISTOGRAM_IS_CHAR8 0
#endif
#define GPI_HISTOGRAM_IS_SIGNED_CPP (GPI_HISTOGRAM_IS(wchar_t) && (wchar_t)-1 < (wchar_t)1)
#define GPI_HISTOGRAM_IS_UNSIGNED_CPP                                                                             \
    (GPI_HISTOGRAM_IS(bool) || GPI_HISTOGRAM_IS(wchar_t) || GPI_HISTOGRAM_IS_CHAR8 || GPI_HISTOGRAM_IS(char16_t) || \
     GPI_HISTOGRAM_IS(char32_t))
#endif

/* The upper 64 bits of a product. */
#ifdef __CUDA_ARCH__
#define gpi_high_product(a, b) __umul64hi(a, b)
#else
static inline uint64_t gpi_high_product(uint64_t a, uint64_t b)
{
    const uint64_t low = (uint32_t)a * (uint64_t)(uint32_t)b;
    const uint64_t middle = (a >> 32) * (uint32_t)b + (low >> 32);
    const uint64_t other = (uint32_t)a * (b >> 32) + (uint32_t)middle;

    return (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
}
#endif

/* high * 2^64 / d, rounded down, where high < d. */
static inline uint64_t gpi_divide_high(uint64_t high, uint64_t d)
{
    uint64_t quotient = 0;

    for (int bit = 0; bit < 64; bit++) {
        const uint64_t carry = high >> 63;

        high *= 2;
        quotient *= 2;
        if (carry || high >= d) {
            high -= d;
            quotient++;
        }
    }
    return quotient;
}

#endif

/*
 * What kind of type the items are, found out without an operation on them: a struct has none. The functions below
 * compile for structs, too, which the host functions refuse where that makes no sense.
 */
enum {
    GPI(is_float) = GPI_HISTOGRAM_IS(float),
    GPI(is_real) = GPI_HISTOGRAM_IS(float) || GPI_HISTOGRAM_IS(double),
    GPI(is_signed) = GPI_HISTOGRAM_IS(signed char) || GPI_HISTOGRAM_IS(short) || GPI_HISTOGRAM_IS(int) ||
                     GPI_HISTOGRAM_IS(long) || GPI_HISTOGRAM_IS(long long) || GPI_HISTOGRAM_IS_SIGNED_CPP ||
                     (GPI_HISTOGRAM_IS(char) && (char)-1 < (char)1),
    GPI(has_sign) = GPI_HISTOGRAM_IS(float) || GPI_HISTOGRAM_IS(double) || GPI(is_signed),
    GPI(is_integer) = GPI(is_signed) || GPI_HISTOGRAM_IS(char) || GPI_HISTOGRAM_IS(unsigned char) ||
                      GPI_HISTOGRAM_IS(unsigned short) || GPI_HISTOGRAM_IS(unsigned) ||
                      GPI_HISTOGRAM_IS(unsigned long) || GPI_HISTOGRAM_IS(unsigned long long) ||
                      GPI_HISTOGRAM_IS_UNSIGNED_CPP,
    GPI(unused_bits) = sizeof(GP_TYPE) < 8 ? 64 - 8 * (int)sizeof(GP_TYPE) : 0 /* of a 64-bit word */
};

/* Even bins: bins * (x - lower) / width. */
typedef struct {
    uint64_t lower, width; /* of integers */
    uint64_t scale;        /* bins / width, times 2^32 or 2^64, rounded down; the width as shifted */
    unsigned shift;        /* makes the width as large as it can be in 32 or 64 bits */
    double real_lower, real_upper, real_width, real_bins; /* of floats */
    double inverse; /* 1 / width; 0 if that is out of range */
    float float_lower, float_upper;
    float float_scale; /* bins / width; 0 if that is no use for a table */
    GP_TYPE first, end; /* lower, upper */
} GPI(even);

/* ---- numbers --------------------------------------------------------------------------------- */

#define GPI_HOST_AND_DEVICE static __host__ __device__ __forceinline__

/* An integer, extended as its type says. */
GPI_HOST_AND_DEVICE uint64_t GPI(integer)(GP_TYPE x)
{
    uint64_t word = 0;

    memcpy(&word, (const void *)&x, sizeof x < sizeof word ? sizeof x : sizeof word); /* little-endian */
    if (GPI(is_signed))
        word = (uint64_t)((int64_t)(word << GPI(unused_bits)) >> GPI(unused_bits));
    return word;
}

GPI_HOST_AND_DEVICE float GPI(float_of)(GP_TYPE x)
{
    float number = 0;

    memcpy(&number, (const void *)&x, sizeof x < sizeof number ? sizeof x : sizeof number);
    return number;
}

GPI_HOST_AND_DEVICE double GPI(real)(GP_TYPE x)
{
    double number = 0;

    memcpy(&number, (const void *)&x, sizeof x < sizeof number ? sizeof x : sizeof number);
    return GPI(is_float) ? (double)GPI(float_of)(x) : number;
}

/* Whether a <= b; never, if one is NaN. */
GPI_HOST_AND_DEVICE int GPI(at_most)(GP_TYPE a, GP_TYPE b)
{
    return GPI(is_float)    ? GPI(float_of)(a) <= GPI(float_of)(b) /* not by doubles, which take longer */
           : GPI(is_real)   ? GPI(real)(a) <= GPI(real)(b)
           : GPI(is_signed) ? (int64_t)GPI(integer)(a) <= (int64_t)GPI(integer)(b)
                            : GPI(integer)(a) <= GPI(integer)(b);
}

#if GPI_DEVICE_CODE
/* ---- the bin --------------------------------------------------------------------------------- */

/* By GP_BIN, or the item itself. */
GPI_DEVICE uint64_t GPI(bin_of_value)(GP_TYPE x, size_t bins, GPI_CONTEXT context)
{
    (void)context;
#ifndef GP_BIN
    const uint64_t found = GPI(integer)(x);
#elif defined GP_CONTEXT
    const uint64_t found = (uint64_t)(GP_BIN(x, bins, context));
#else
    const uint64_t found = (uint64_t)(GP_BIN(x, bins));
#endif
    return found < bins ? found : GPI_NO_BIN; /* one below 0 is large now */
}

/* `is_wide` is a constant: whether 32 bits are not enough for items and bins. */
GPI_DEVICE uint64_t GPI(even_integer)(GP_TYPE x, const GPI(even) *even, uint64_t bins, int is_wide)
{
    const uint64_t from_lower = GPI(integer)(x) - even->lower; /* unsigned: one below `lower` is large */
    const uint64_t d = sizeof(GP_TYPE) < 8 ? (uint32_t)from_lower : from_lower;

    if (!is_wide) {
        const uint32_t quotient = (uint32_t)((uint64_t)((uint32_t)d << even->shift) * (uint32_t)even->scale >> 32);
        const uint64_t rest = (uint64_t)(uint32_t)d * (uint32_t)bins - (uint64_t)quotient * (uint32_t)even->width;
        const uint32_t bin = quotient + (rest >= (uint32_t)even->width);

        return (uint32_t)d < (uint32_t)even->width ? bin : GPI_NO_BIN;
    }
    const uint64_t quotient = gpi_high_product(d << even->shift, even->scale);
    const uint64_t all = d * bins, most = quotient * even->width, rest = all - most;
    const uint64_t high = gpi_high_product(d, bins) - gpi_high_product(quotient, even->width) - (all < most);

    return d < even->width ? quotient + (uint64_t)(high || rest >= even->width) : GPI_NO_BIN;
}

GPI_DEVICE uint64_t GPI(even_real)(GP_TYPE x, const GPI(even) *even, uint64_t bins)
{
    const double number = GPI(real)(x);
    const double all = even->real_bins * (number - even->real_lower);
    uint64_t bin;

    if (!(number >= even->real_lower && number < even->real_upper))
        return GPI_NO_BIN;
#ifdef __CUDA_ARCH__
    if (even->inverse > 0) {
        const double rounds = 6755399441055744.0; /* 1.5 * 2^52: what is added to it becomes an integer */
        const double sum = __fma_rn(all, even->inverse, rounds), k = sum - rounds;
        const double rest = __fma_rn(-k, even->real_width, all);

        bin = (uint64_t)__double_as_longlong(sum) & (((uint64_t)1 << 51) - 1);
        if (rest < 0) {
            const double before = __longlong_as_double(__double_as_longlong(k) - 1);

            bin -= rest < (before - k) * 0.5 * even->real_width;
        }
    } else
#endif
        bin = (uint64_t)(all / even->real_width);
    return bin < bins ? bin : bins - 1; /* x < upper, but the quotient was rounded up */
}

/* ---- even bins, by a table ------------------------------------------------------------------- */

/* Items as numbers that have the same order, and back. */
GPI_DEVICE uint64_t GPI(number_of)(GP_TYPE x)
{
    const uint64_t bits = GPI(integer)(x) & (UINT64_MAX >> GPI(unused_bits));
    const uint64_t top = (uint64_t)1 << (63 - GPI(unused_bits));

    return GPI(is_real) && (bits & top) ? ~bits & (UINT64_MAX >> GPI(unused_bits)) : GPI(has_sign) ? bits ^ top : bits;
}

GPI_DEVICE GP_TYPE GPI(item_of)(uint64_t number)
{
    const uint64_t top = (uint64_t)1 << (63 - GPI(unused_bits));
    const uint64_t bits = GPI(is_real) && !(number & top) ? ~number : GPI(has_sign) ? number ^ top : number;
    GP_TYPE x;

    GPI_UNDEFINED(x);
    memcpy((void *)&x, &bits, sizeof x < sizeof bits ? sizeof x : sizeof bits);
    return x;
}

/* Whether the item with this number is in this bin, or in one behind. */
GPI_DEVICE int GPI(reaches)(uint64_t number, const GPI(even) *even, uint64_t bins, uint64_t bin)
{
    const GP_TYPE x = GPI(item_of)(number);

    return (GPI(is_real) ? GPI(even_real)(x, even, bins)
                         : GPI(even_integer)(x, even, bins, sizeof(GP_TYPE) >= 8)) >= bin;
}

/* The number of about the first item of a bin. */
GPI_DEVICE uint64_t GPI(guess)(const GPI(even) *even, uint64_t bin)
{
    const double distance = (double)bin * even->real_width / even->real_bins;

    if (!GPI(is_real))
        return GPI(number_of)(even->first) + (uint64_t)distance;
    const double wide = even->real_lower + distance;
    const float narrow = (float)wide;
    GP_TYPE x;

    GPI_UNDEFINED(x);
    if (GPI(is_float))
        memcpy((void *)&x, &narrow, sizeof x < sizeof narrow ? sizeof x : sizeof narrow);
    else
        memcpy((void *)&x, &wide, sizeof x < sizeof wide ? sizeof x : sizeof wide);
    return GPI(number_of)(x);
}

/* The least item, up to `upper`, that reaches a bin: by bisection, since later items are in later bins. */
GPI_DEVICE GP_TYPE GPI(least_of_bin)(const GPI(even) *even, uint64_t bins, uint64_t bin)
{
    uint64_t below = GPI(number_of)(even->first), above = GPI(number_of)(even->end);

    if (bin == 0 || bin >= bins)
        return bin == 0 ? even->first : even->end;
    const uint64_t near = GPI(guess)(even, bin);
    if (near - below > 2 && near < above && !GPI(reaches)(near - 2, even, bins, bin)) /* nearly always right */
        below = near - 2;
    if (above - near > 2 && near > below && GPI(reaches)(near + 2, even, bins, bin))
        above = near + 2;
    while (above - below > 1) {
        const uint64_t middle = below + (above - below) / 2;

        if (GPI(reaches)(middle, even, bins, bin))
            above = middle;
        else
            below = middle;
    }
    return GPI(item_of)(above);
}

/* Where the table has what bin: neighbours 32 apart are in other banks. */
GPI_HOST_AND_DEVICE unsigned GPI(table_place)(unsigned bin)
{
    return bin + bin / 32;
}

/* The bin by a product that is less than one off, and the table; `bins` for none. */
GPI_DEVICE uint32_t GPI(even_by_table)(GP_TYPE x, const GPI(even) *even, const GP_TYPE *table, uint32_t bins)
{
    float from_lower, sum;
    uint32_t place;
    int is_inside;

    if (GPI(is_float)) {
        const float number = GPI(float_of)(x);

        from_lower = number - even->float_lower;
        is_inside = number >= even->float_lower && number < even->float_upper;
    } else if (GPI(is_real)) {
        from_lower = (float)(GPI(real)(x) - even->real_lower);
        is_inside = GPI(real)(x) >= even->real_lower && GPI(real)(x) < even->real_upper;
    } else if (sizeof(GP_TYPE) < 8) {
        const uint32_t d = (uint32_t)GPI(integer)(x) - (uint32_t)even->lower;

        from_lower = (float)d;
        is_inside = d < (uint32_t)even->width;
    } else {
        const uint64_t d = GPI(integer)(x) - even->lower;

        from_lower = (float)d;
        is_inside = d < even->width;
    }
    sum = GPI_FLOAT_SUM(from_lower, even->float_scale, 12582912.0f); /* 1.5 * 2^23: what is added becomes an integer */
    memcpy(&place, &sum, sizeof place);
    place = is_inside ? place - 0x4B400000u : 0;
    return is_inside ? place - !GPI(at_most)(table[GPI(table_place)(place)], x) : bins;
}

/* ---- between levels -------------------------------------------------------------------------- */

/* As many as are at most x, by bisection. */
GPI_DEVICE uint64_t GPI(bin_between)(GP_TYPE x, const GP_TYPE *levels, uint64_t bins)
{
    uint64_t below = 0, step = (uint64_t)1 << (63 - __clzll((long long)(bins + 1)));

    for (; step; step /= 2)
        if (below + step <= bins + 1 && GPI(at_most)(levels[below + step - 1], x))
            below += step;
    return below - 1 < bins ? below - 1 : GPI_NO_BIN;
}

/*
 * A node of the levels as a search tree of 2^bits - 1 nodes, which has the last level as often as there is room. Node 1
 * is the root, and nodes 2k and 2k + 1 follow node k: so the first steps of a search read neighbours, which are in
 * different banks, where bisection reads levels that are a power of two apart, most of which share one.
 */
GPI_DEVICE GP_TYPE GPI(tree_node)(const GP_TYPE *levels, uint64_t bins, unsigned bits, uint32_t node)
{
    const unsigned depth = 31 - (unsigned)__clz((int)node);
    const uint32_t level = ((2 * node + 1) << (bits - 1 - depth)) - (1u << bits) - 1;

    return levels[level < bins ? level : bins];
}

/* The bins of `count` items, a constant, by the tree; `bins` for none. Each step reads the nodes of all at a time. */
GPI_DEVICE void GPI(bins_by_tree)(uint32_t *found, const GP_TYPE *items, int count, const GP_TYPE *tree, unsigned bits,
                                  uint32_t bins)
{
    GPI_UNROLL
    for (int k = 0; k < count; k++)
        found[k] = 1;
    GPI_NO_UNROLL
    for (unsigned step = 0; step < bits; step++) {
        GPI_UNROLL
        for (int k = 0; k < count; k++)
            found[k] = 2 * found[k] + (uint32_t)GPI(at_most)(tree[found[k]], items[k]);
    }
    GPI_UNROLL
    for (int k = 0; k < count; k++) {
        const uint32_t bin = found[k] - (1u << bits) - 1; /* as many levels are at most the item, less one */

        found[k] = bin < bins ? bin : bins;
    }
}
#endif

/* ---- what the host prepares ------------------------------------------------------------------ */

static inline GPI(even) GPI(even_of)(GP_TYPE lower, GP_TYPE upper, uint64_t bins)
{
    const int is_wide = sizeof(GP_TYPE) >= 8 || bins >> 31;
    GPI(even) even;

    memset((void *)&even, 0, sizeof even);
    even.first = lower;
    even.end = upper;
    even.real_bins = (double)bins;
    if (GPI(is_real)) {
        even.real_lower = GPI(real)(lower);
        even.real_upper = GPI(real)(upper);
        even.float_lower = GPI(is_float) ? (float)even.real_lower : 0;
        even.float_upper = GPI(is_float) ? (float)even.real_upper : 0;
        even.real_width = even.real_upper - even.real_lower;
        if (even.real_width > 1e-270 && even.real_width < 1e270 && !(bins >> 50))
            even.inverse = 1 / even.real_width;
    } else {
        even.lower = GPI(integer)(lower);
        even.width = GPI(integer)(upper) - even.lower;
        even.shift = (unsigned)__builtin_clzll(even.width | 1) - (is_wide ? 0 : 32);
        even.scale = is_wide ? gpi_divide_high(bins, even.width << even.shift)
                             : (bins << 32) / (even.width << even.shift);
        even.real_width = (double)even.width;
    }
    if (even.real_width > 1e-30 && even.real_width < 1e30 && bins <= GPI_HISTOGRAM_TABLE_BINS)
        even.float_scale = (float)(even.real_bins / even.real_width);
    return even;
}
