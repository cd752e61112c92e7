/*
 * core/instance/radix_key.cuh: keys as unsigned numbers that have the same order. Of a signed integer the sign is
 * flipped, of a negative float all bits, of a positive one the sign; the two zeros become one number, so
 * that they are equal, and the key itself has to be kept too. Descending order is ascending order of the
 * complement.
 *
 * Needs core/instance/begin.cuh. Stamped once per instance.
 */
#ifndef GPI_RADIX_KEY_IS_STAMPED
#define GPI_RADIX_KEY_IS_STAMPED

#ifdef GP_DESCENDING
#define GPI_KEY_DESCENDING 1
#else
#define GPI_KEY_DESCENDING 0
#endif

#define GPI_KEY_WIDTH (GPI(key_has_size) ? 8 * (int)sizeof(GP_KEY) : 8)
#define GPI_KEY_IS_NARROW (sizeof(GP_KEY) <= 4)

#define GPI_KEY_IS(type) GPI_IS_SAME_TYPE(GP_KEY, type)

/*
 * What kind of type the key is, found out without an operation on keys: a struct has none, and its only error should
 * be that of GPI_CHECK_KEY.
 */
enum {
    GPI(key_has_size) = sizeof(GP_KEY) <= 8 && (sizeof(GP_KEY) & (sizeof(GP_KEY) - 1)) == 0,
    GPI(key_is_real) = GPI_KEY_IS(float) || GPI_KEY_IS(double),
    GPI(key_is_negative) = GPI_KEY_IS(signed char) || GPI_KEY_IS(short) || GPI_KEY_IS(int) || GPI_KEY_IS(long) ||
#ifdef __cplusplus
                           (GPI_KEY_IS(wchar_t) && (wchar_t)-1 < (wchar_t)1) ||
#endif
                           GPI_KEY_IS(long long) || (GPI_KEY_IS(char) && (char)-1 < (char)1),
    GPI(key_is_arithmetic) = GPI(key_is_real) || GPI(key_is_negative) || GPI_KEY_IS(char) ||
                             GPI_KEY_IS(unsigned char) || GPI_KEY_IS(unsigned short) || GPI_KEY_IS(unsigned) ||
                             GPI_KEY_IS(unsigned long) ||
#ifdef __cpp_char8_t
                            GPI_KEY_IS(char8_t) ||
#endif
#ifdef __cplusplus
                            GPI_KEY_IS(wchar_t) || GPI_KEY_IS(char16_t) || GPI_KEY_IS(char32_t) || GPI_KEY_IS(bool) ||
#else
                            GPI_KEY_IS(_Bool) ||
#endif
                            GPI_KEY_IS(unsigned long long),
#ifdef GP_KEY_KIND
    GPI(key_is_float) = GP_KEY_KIND == GP_FLOAT,
    GPI(key_is_signed) = GP_KEY_KIND == GP_SIGNED,
    GPI(key_lacks_kind) = 0,
    GPI(key_has_no_use_for_kind) = GPI(key_has_size) && GPI(key_is_arithmetic)
#else
    GPI(key_is_float) = GPI(key_is_real),
    GPI(key_is_signed) = GPI(key_is_negative),
    GPI(key_lacks_kind) = GPI(key_has_size) && !GPI(key_is_arithmetic),
    GPI(key_has_no_use_for_kind) = 0
#endif
};

/* Refuses a type that cannot be sorted. */
#define GPI_CHECK_KEY()                                                                                    \
    GPI_STATIC_ASSERT(GPI(key_has_size), "GP_KEY must be a type of 1, 2, 4 or 8 bytes");                   \
    GPI_STATIC_ASSERT(!GPI(key_lacks_kind), "GP_KEY_KIND is missing; it says how a GP_KEY that is no "     \
                                            "arithmetic type is ordered: GP_UNSIGNED, GP_SIGNED or GP_FLOAT"); \
    GPI_STATIC_ASSERT(!GPI(key_has_no_use_for_kind), "GP_KEY_KIND must be left out; GP_KEY is an arithmetic type")

/* The bits of a key of up to 4 bytes. */
GPI_FUNCTION uint32_t GPI(key_bits)(GP_KEY key)
{
    uint32_t bits = 0;

    memcpy(&bits, (const void *)&key, sizeof key < sizeof bits ? sizeof key : sizeof bits); /* little-endian */
    return bits;
}

/* The same, sign-extended if the key is a signed integer, as a load extends it. */
GPI_FUNCTION uint32_t GPI(key_extended)(GP_KEY key)
{
    int16_t two = 0;
    int8_t one = 0;

    memcpy(&two, (const void *)&key, sizeof key < sizeof two ? sizeof key : sizeof two);
    memcpy(&one, (const void *)&key, sizeof one);
    return !GPI(key_is_signed) || sizeof key > 2 ? GPI(key_bits)(key) : (uint32_t)(sizeof key == 2 ? two : one);
}

/* The bits of a key of 8 bytes. */
GPI_FUNCTION uint64_t GPI(key_long_bits)(GP_KEY key)
{
    uint64_t bits = 0;

    memcpy(&bits, (const void *)&key, sizeof key < sizeof bits ? sizeof key : sizeof bits);
    return bits;
}

/* The key with these bits. */
GPI_FUNCTION GP_KEY GPI(key_of_bits)(uint64_t bits)
{
    GP_KEY key;

    memcpy((void *)&key, &bits, sizeof key < sizeof bits ? sizeof key : sizeof bits);
    return key;
}

/* The key as a number, if it is a float or a double; otherwise unspecified. */
GPI_FUNCTION float GPI(key_float)(GP_KEY key)
{
    float number = 0;

    memcpy(&number, (const void *)&key, sizeof key < sizeof number ? sizeof key : sizeof number);
    return number;
}

GPI_FUNCTION double GPI(key_double)(GP_KEY key)
{
    double number = 0;

    memcpy(&number, (const void *)&key, sizeof key < sizeof number ? sizeof key : sizeof number);
    return GPI_KEY_IS_NARROW ? (double)GPI(key_float)(key) : number;
}

/*
 * The code of a float is a number in its order in which -0.0 comes just before +0.0, so that the
 * float can be restored. An integer is its own code.
 */
GPI_FUNCTION GP_KEY GPI(key_code)(GP_KEY key)
{
    const int above = (32 - GPI_KEY_WIDTH) % 32; /* unused bits of a word that holds a short key */

    if (GPI(key_is_float) && GPI_KEY_IS_NARROW) {
        uint32_t word = GPI(key_bits)(key);

        word ^= (uint32_t)((int32_t)(word << above) >> 31) | 0x80000000u >> above;
        word = GPI_KEY_DESCENDING ? ~word : word;
        memcpy((void *)&key, &word, sizeof key < sizeof word ? sizeof key : sizeof word);
    } else if (GPI(key_is_float)) {
        uint64_t number = GPI(key_long_bits)(key);

        number ^= (uint64_t)((int64_t)number >> 63) | (uint64_t)1 << 63;
        key = GPI(key_of_bits)(GPI_KEY_DESCENDING ? ~number : number);
    }
    return key;
}

/* The key with this code. */
GPI_FUNCTION GP_KEY GPI(key_of_code)(GP_KEY code)
{
    const int above = (32 - GPI_KEY_WIDTH) % 32;

    if (GPI(key_is_float) && GPI_KEY_IS_NARROW) {
        uint32_t word = GPI(key_bits)(code);

        word = GPI_KEY_DESCENDING ? ~word : word;
        word ^= ~(uint32_t)((int32_t)(word << above) >> 31) | 0x80000000u >> above;
        memcpy((void *)&code, &word, sizeof code < sizeof word ? sizeof code : sizeof word);
    } else if (GPI(key_is_float)) {
        uint64_t number = GPI(key_long_bits)(code);

        number = GPI_KEY_DESCENDING ? ~number : number;
        number ^= ~(uint64_t)((int64_t)number >> 63) | (uint64_t)1 << 63;
        code = GPI(key_of_bits)(number);
    }
    return code;
}

/* The bits of a code of up to 4 bytes; if `one` is set, the zeros are one number, with the bits of +0.0. */
GPI_FUNCTION uint32_t GPI(key_code_word)(GP_KEY code, int one)
{
    const uint32_t top = 0x80000000u >> (32 - GPI_KEY_WIDTH) % 32;
    uint32_t word = GPI(key_bits)(code);

    if (one && word == top - !GPI_KEY_DESCENDING)
        word = top - GPI_KEY_DESCENDING;
    return word;
}

/* The same of 8 bytes. */
GPI_FUNCTION uint64_t GPI(key_code_long)(GP_KEY code, int one)
{
    const uint64_t top = (uint64_t)1 << 63;
    uint64_t word = GPI(key_long_bits)(code);

    if (one && word == top - !GPI_KEY_DESCENDING)
        word = top - GPI_KEY_DESCENDING;
    return word;
}

/* The number of a key of up to 4 bytes. */
GPI_FUNCTION uint32_t GPI(key_word)(GP_KEY key)
{
    const uint32_t all = 0xFFFFFFFFu >> (32 - GPI_KEY_WIDTH) % 32, top = all / 2 + 1;

    if (GPI(key_is_float))
        return GPI(key_code_word)(GPI(key_code)(key), 1);
    const uint32_t word = (GPI(key_extended)(key) & all) ^ (GPI(key_is_signed) ? top : 0);
    return GPI_KEY_DESCENDING ? ~word & all : word;
}

/* The number of a key of 8 bytes. */
GPI_FUNCTION uint64_t GPI(key_long)(GP_KEY key)
{
    if (GPI(key_is_float))
        return GPI(key_code_long)(GPI(key_code)(key), 1);
    const uint64_t word = GPI(key_long_bits)(key) ^ (GPI(key_is_signed) ? (uint64_t)1 << 63 : 0);
    return GPI_KEY_DESCENDING ? ~word : word;
}

GPI_FUNCTION uint64_t GPI(key_order)(GP_KEY key)
{
    return GPI_KEY_IS_NARROW ? GPI(key_word)(key) : GPI(key_long)(key);
}

/* The key with this number; of the two zeros -0.0, if that is what it is. */
GPI_FUNCTION GP_KEY GPI(key_of_order)(GP_KEY number, int is_minus_zero)
{
    if (GPI(key_is_float))
        return is_minus_zero ? GPI(key_of_bits)((uint64_t)1 << (GPI_KEY_WIDTH - 1)) : GPI(key_of_code)(number);
    return GPI(key_of_bits)(GPI(key_order)(number)); /* what flips bits flips them back */
}

/*
 * The digit of the number that starts at bit `shift`. For an integer that is the key's digit, with
 * some bits flipped.
 */
GPI_FUNCTION uint32_t GPI(key_digit)(GP_KEY key, int shift, uint32_t mask)
{
    if (!GPI(key_is_float))
        return ((uint32_t)(GPI_KEY_IS_NARROW ? GPI(key_extended)(key) >> shift : GPI(key_long_bits)(key) >> shift) &
                mask) ^
               ((uint32_t)(GPI(key_order)(GPI(key_of_bits)(0)) >> shift) & mask);
    return GPI_KEY_IS_NARROW ? GPI(key_word)(key) >> shift & mask
                             : (uint32_t)(GPI(key_long)(key) >> shift) & mask;
}

/* The same of a float's code; `one` as above. */
GPI_FUNCTION uint32_t GPI(key_code_digit)(GP_KEY code, int shift, uint32_t mask, int one)
{
    return GPI_KEY_IS_NARROW ? GPI(key_code_word)(code, one) >> shift & mask
                             : (uint32_t)(GPI(key_code_long)(code, one) >> shift) & mask;
}

/* The key that sorts last in every digit: its number is all ones. */
GPI_FUNCTION GP_KEY GPI(key_last)(void)
{
    const int sign = GPI(key_is_float) || GPI(key_is_signed);
    uint64_t bits = (UINT64_MAX >> (64 - GPI_KEY_WIDTH)) >> sign;

    if (GPI_KEY_DESCENDING)
        bits = GPI(key_is_float) ? UINT64_MAX : GPI(key_is_signed) ? bits + 1 : 0;
    return GPI(key_of_bits)(bits);
}

/* Whether it is -0.0, which equals a key with other bits. */
GPI_FUNCTION int GPI(key_is_minus_zero)(GP_KEY key)
{
    return GPI(key_is_float) && GPI(key_long_bits)(key) == (uint64_t)1 << (GPI_KEY_WIDTH - 1);
}

/* Whether the key is a NaN. */
GPI_FUNCTION int GPI(key_is_nan)(GP_KEY key)
{
    const float number = GPI(key_float)(key), same = number; /* compilers warn about x != x */
    const double long_number = GPI(key_double)(key), long_same = long_number;

    return GPI(key_is_float) && (GPI_KEY_IS_NARROW ? number != same : long_number != long_same);
}

#endif
