/*
 * core/radix_key.cuh: keys as unsigned numbers that have the same order. Of a signed integer the sign is
 * flipped, of a negative float all bits, of a positive one the sign; the two zeros become one number, so
 * that they are equal, and the key itself has to be carried along. Descending order is ascending order
 * of the complement.
 *
 * Needs core/begin.cuh. Stamped once per instance.
 */
#ifndef GPI_RADIX_KEY_IS_STAMPED
#define GPI_RADIX_KEY_IS_STAMPED

#define GPI_KEY_BITS GPI(key_bits)
#define GPI_KEY_EXTENDED GPI(key_extended)
#define GPI_KEY_LONG_BITS GPI(key_long_bits)
#define GPI_KEY_OF_BITS GPI(key_of_bits)
#define GPI_KEY_FLOAT GPI(key_float)
#define GPI_KEY_DOUBLE GPI(key_double)
#define GPI_KEY_CODE GPI(key_code)
#define GPI_KEY_OF_CODE GPI(key_of_code)
#define GPI_KEY_CODE_WORD GPI(key_code_word)
#define GPI_KEY_CODE_LONG GPI(key_code_long)
#define GPI_KEY_WORD GPI(key_word)
#define GPI_KEY_LONG GPI(key_long)
#define GPI_KEY_ORDER GPI(key_order)
#define GPI_KEY_DIGIT GPI(key_digit)
#define GPI_KEY_CODE_DIGIT GPI(key_code_digit)
#define GPI_KEY_LAST GPI(key_last)
#define GPI_KEY_IS_MINUS_ZERO GPI(key_is_minus_zero)
#define GPI_KEY_IS_NAN GPI(key_is_nan)

#ifdef GP_DESCENDING
#define GPI_KEY_DESCENDING 1
#else
#define GPI_KEY_DESCENDING 0
#endif

#define GPI_KEY_WIDTH (GPI_KEY_HAS_SIZE ? 8 * (int)sizeof(GP_KEY) : 8)
#define GPI_KEY_IS_NARROW (sizeof(GP_KEY) <= 4)
#define GPI_KEY_IS_FLOAT GPI(key_is_float)
#define GPI_KEY_IS_SIGNED GPI(key_is_signed)
#define GPI_KEY_IS_ARITHMETIC GPI(key_is_arithmetic)
#define GPI_KEY_HAS_SIZE GPI(key_has_size)

#ifndef GPI_IS_SAME_TYPE
#ifdef __cplusplus
#define GPI_IS_SAME_TYPE(T, U) __is_same(T, U)
#else
#define GPI_IS_SAME_TYPE(T, U) _Generic((T *)0, U * : 1, default : 0)
#endif
#define GPI_KEY_IS(type) GPI_IS_SAME_TYPE(GP_KEY, type)
#endif

/*
 * What kind of type the key is, found out without an operation on keys: a struct has none, and is to meet no error
 * but that of GPI_CHECK_KEY.
 */
enum {
    GPI_KEY_HAS_SIZE = sizeof(GP_KEY) <= 8 && (sizeof(GP_KEY) & (sizeof(GP_KEY) - 1)) == 0,
    GPI(key_is_real) = GPI_KEY_IS(float) || GPI_KEY_IS(double),
    GPI(key_is_negative) = GPI_KEY_IS(signed char) || GPI_KEY_IS(short) || GPI_KEY_IS(int) || GPI_KEY_IS(long) ||
#ifdef __cplusplus
                           (GPI_KEY_IS(wchar_t) && (wchar_t)-1 < (wchar_t)1) ||
#endif
                           GPI_KEY_IS(long long) || (GPI_KEY_IS(char) && (char)-1 < (char)1),
    GPI_KEY_IS_ARITHMETIC = GPI(key_is_real) || GPI(key_is_negative) || GPI_KEY_IS(char) || GPI_KEY_IS(unsigned char) ||
                            GPI_KEY_IS(unsigned short) || GPI_KEY_IS(unsigned) || GPI_KEY_IS(unsigned long) ||
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
    GPI_KEY_IS_FLOAT = GP_KEY_KIND == GP_FLOAT,
    GPI_KEY_IS_SIGNED = GP_KEY_KIND == GP_SIGNED,
    GPI(key_lacks_kind) = 0,
    GPI(key_has_no_use_for_kind) = GPI_KEY_HAS_SIZE && GPI_KEY_IS_ARITHMETIC
#else
    GPI_KEY_IS_FLOAT = GPI(key_is_real),
    GPI_KEY_IS_SIGNED = GPI(key_is_negative),
    GPI(key_lacks_kind) = GPI_KEY_HAS_SIZE && !GPI_KEY_IS_ARITHMETIC,
    GPI(key_has_no_use_for_kind) = 0
#endif
};

/* Refuses a type that cannot be sorted. */
#define GPI_CHECK_KEY()                                                                                    \
    GPI_STATIC_ASSERT(GPI_KEY_HAS_SIZE, "GP_KEY must be a type of 1, 2, 4 or 8 bytes");                    \
    GPI_STATIC_ASSERT(!GPI(key_lacks_kind), "GP_KEY_KIND is missing; it says how a GP_KEY that is no "     \
                                            "arithmetic type is ordered: GP_UNSIGNED, GP_SIGNED or GP_FLOAT"); \
    GPI_STATIC_ASSERT(!GPI(key_has_no_use_for_kind), "GP_KEY_KIND must be left out; GP_KEY is an arithmetic type")

/* The bits of a key of up to 4 bytes. */
GPI_FUNCTION uint32_t GPI_KEY_BITS(GP_KEY key)
{
    uint32_t bits = 0;

    memcpy(&bits, (const void *)&key, sizeof key < sizeof bits ? sizeof key : sizeof bits); /* little-endian */
    return bits;
}

/* The same, a signed integer with its sign in front: as it comes from memory. */
GPI_FUNCTION uint32_t GPI_KEY_EXTENDED(GP_KEY key)
{
    int16_t two = 0;
    int8_t one = 0;

    memcpy(&two, (const void *)&key, sizeof key < sizeof two ? sizeof key : sizeof two);
    memcpy(&one, (const void *)&key, sizeof one);
    return !GPI_KEY_IS_SIGNED || sizeof key > 2 ? GPI_KEY_BITS(key) : (uint32_t)(sizeof key == 2 ? two : one);
}

/* The bits of a key of 8 bytes. */
GPI_FUNCTION uint64_t GPI_KEY_LONG_BITS(GP_KEY key)
{
    uint64_t bits = 0;

    memcpy(&bits, (const void *)&key, sizeof key < sizeof bits ? sizeof key : sizeof bits);
    return bits;
}

/* The key that has these bits. */
GPI_FUNCTION GP_KEY GPI_KEY_OF_BITS(uint64_t bits)
{
    GP_KEY key;

    memcpy((void *)&key, &bits, sizeof key < sizeof bits ? sizeof key : sizeof bits);
    return key;
}

/* A float, or a double, as C computes with it; of other types nothing in particular. */
GPI_FUNCTION float GPI_KEY_FLOAT(GP_KEY key)
{
    float number = 0;

    memcpy(&number, (const void *)&key, sizeof key < sizeof number ? sizeof key : sizeof number);
    return number;
}

GPI_FUNCTION double GPI_KEY_DOUBLE(GP_KEY key)
{
    double number = 0;

    memcpy(&number, (const void *)&key, sizeof key < sizeof number ? sizeof key : sizeof number);
    return GPI_KEY_IS_NARROW ? (double)GPI_KEY_FLOAT(key) : number;
}

/*
 * The code of a float has bits that are a number in its order, in which -0.0 comes just before +0.0, so that the
 * float can be told from it. An integer is its own code.
 */
GPI_FUNCTION GP_KEY GPI_KEY_CODE(GP_KEY key)
{
    const int above = (32 - GPI_KEY_WIDTH) % 32; /* bits of a word that a key of up to 4 bytes leaves */

    if (GPI_KEY_IS_FLOAT && GPI_KEY_IS_NARROW) {
        uint32_t word = GPI_KEY_BITS(key);

        word ^= (uint32_t)((int32_t)(word << above) >> 31) | 0x80000000u >> above;
        word = GPI_KEY_DESCENDING ? ~word : word;
        memcpy((void *)&key, &word, sizeof key < sizeof word ? sizeof key : sizeof word);
    } else if (GPI_KEY_IS_FLOAT) {
        uint64_t number = GPI_KEY_LONG_BITS(key);

        number ^= (uint64_t)((int64_t)number >> 63) | (uint64_t)1 << 63;
        key = GPI_KEY_OF_BITS(GPI_KEY_DESCENDING ? ~number : number);
    }
    return key;
}

/* The key that has the code. */
GPI_FUNCTION GP_KEY GPI_KEY_OF_CODE(GP_KEY code)
{
    const int above = (32 - GPI_KEY_WIDTH) % 32;

    if (GPI_KEY_IS_FLOAT && GPI_KEY_IS_NARROW) {
        uint32_t word = GPI_KEY_BITS(code);

        word = GPI_KEY_DESCENDING ? ~word : word;
        word ^= ~(uint32_t)((int32_t)(word << above) >> 31) | 0x80000000u >> above;
        memcpy((void *)&code, &word, sizeof code < sizeof word ? sizeof code : sizeof word);
    } else if (GPI_KEY_IS_FLOAT) {
        uint64_t number = GPI_KEY_LONG_BITS(code);

        number = GPI_KEY_DESCENDING ? ~number : number;
        number ^= ~(uint64_t)((int64_t)number >> 63) | (uint64_t)1 << 63;
        code = GPI_KEY_OF_BITS(number);
    }
    return code;
}

/* The bits of a code of up to 4 bytes; if the zeros are to be `one` number, those of +0.0 for -0.0. */
GPI_FUNCTION uint32_t GPI_KEY_CODE_WORD(GP_KEY code, int one)
{
    const uint32_t top = 0x80000000u >> (32 - GPI_KEY_WIDTH) % 32;
    uint32_t word = GPI_KEY_BITS(code);

    if (one && word == top - !GPI_KEY_DESCENDING)
        word = top - GPI_KEY_DESCENDING;
    return word;
}

/* The same of 8 bytes. */
GPI_FUNCTION uint64_t GPI_KEY_CODE_LONG(GP_KEY code, int one)
{
    const uint64_t top = (uint64_t)1 << 63;
    uint64_t word = GPI_KEY_LONG_BITS(code);

    if (one && word == top - !GPI_KEY_DESCENDING)
        word = top - GPI_KEY_DESCENDING;
    return word;
}

/* The number of a key of up to 4 bytes. */
GPI_FUNCTION uint32_t GPI_KEY_WORD(GP_KEY key)
{
    const uint32_t all = 0xFFFFFFFFu >> (32 - GPI_KEY_WIDTH) % 32, top = all / 2 + 1;

    if (GPI_KEY_IS_FLOAT)
        return GPI_KEY_CODE_WORD(GPI_KEY_CODE(key), 1);
    const uint32_t word = (GPI_KEY_EXTENDED(key) & all) ^ (GPI_KEY_IS_SIGNED ? top : 0);
    return GPI_KEY_DESCENDING ? ~word & all : word;
}

/* The number of a key of 8 bytes. */
GPI_FUNCTION uint64_t GPI_KEY_LONG(GP_KEY key)
{
    if (GPI_KEY_IS_FLOAT)
        return GPI_KEY_CODE_LONG(GPI_KEY_CODE(key), 1);
    const uint64_t word = GPI_KEY_LONG_BITS(key) ^ (GPI_KEY_IS_SIGNED ? (uint64_t)1 << 63 : 0);
    return GPI_KEY_DESCENDING ? ~word : word;
}

GPI_FUNCTION uint64_t GPI_KEY_ORDER(GP_KEY key)
{
    return GPI_KEY_IS_NARROW ? GPI_KEY_WORD(key) : GPI_KEY_LONG(key);
}

/* The digit of the number that starts at bit `shift`. That of an integer is the key's, some bits of it flipped. */
GPI_FUNCTION uint32_t GPI_KEY_DIGIT(GP_KEY key, int shift, uint32_t mask)
{
    if (!GPI_KEY_IS_FLOAT)
        return ((uint32_t)(GPI_KEY_IS_NARROW ? GPI_KEY_EXTENDED(key) >> shift : GPI_KEY_LONG_BITS(key) >> shift) & mask) ^
               ((uint32_t)(GPI_KEY_ORDER(GPI_KEY_OF_BITS(0)) >> shift) & mask);
    return GPI_KEY_IS_NARROW ? GPI_KEY_WORD(key) >> shift & mask
                             : (uint32_t)(GPI_KEY_LONG(key) >> shift) & mask;
}

/* The same of a float's code, of which the zeros may be `one` number. */
GPI_FUNCTION uint32_t GPI_KEY_CODE_DIGIT(GP_KEY code, int shift, uint32_t mask, int one)
{
    return GPI_KEY_IS_NARROW ? GPI_KEY_CODE_WORD(code, one) >> shift & mask
                             : (uint32_t)(GPI_KEY_CODE_LONG(code, one) >> shift) & mask;
}

/* A key whose number is all ones: in every digit none comes after it. */
GPI_FUNCTION GP_KEY GPI_KEY_LAST(void)
{
    const int sign = GPI_KEY_IS_FLOAT || GPI_KEY_IS_SIGNED;
    uint64_t bits = (UINT64_MAX >> (64 - GPI_KEY_WIDTH)) >> sign;

    if (GPI_KEY_DESCENDING)
        bits = GPI_KEY_IS_FLOAT ? UINT64_MAX : GPI_KEY_IS_SIGNED ? bits + 1 : 0;
    return GPI_KEY_OF_BITS(bits);
}

/* Whether it is -0.0, which is equal to a key of other bits. */
GPI_FUNCTION int GPI_KEY_IS_MINUS_ZERO(GP_KEY key)
{
    return GPI_KEY_IS_FLOAT && GPI_KEY_LONG_BITS(key) == (uint64_t)1 << (GPI_KEY_WIDTH - 1);
}

/* Whether a float, or a double, is no number. */
GPI_FUNCTION int GPI_KEY_IS_NAN(GP_KEY key)
{
    const float number = GPI_KEY_FLOAT(key), same = number; /* compilers warn of a name that is compared with itself */
    const double long_number = GPI_KEY_DOUBLE(key), long_same = long_number;

    return GPI_KEY_IS_FLOAT && (GPI_KEY_IS_NARROW ? number != same : long_number != long_same);
}

#endif
