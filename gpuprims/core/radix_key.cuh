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

#define GPI_KEY_WIDTH (8 * (int)sizeof(GP_KEY))
#define GPI_KEY_IS_NARROW (sizeof(GP_KEY) <= 4)
#define GPI_KEY_IS_FLOAT (sizeof(GP_KEY) >= 4 && (GP_KEY)0.5 != (GP_KEY)0)
#define GPI_KEY_IS_SIGNED ((GP_KEY)-1 < (GP_KEY)1)

#ifdef __cplusplus
static_assert(sizeof(GP_KEY) <= 8 && (sizeof(GP_KEY) & (sizeof(GP_KEY) - 1)) == 0,
              "GP_KEY must be an integer of 1, 2, 4 or 8 bytes, float or double");
#else
_Static_assert(sizeof(GP_KEY) <= 8 && (sizeof(GP_KEY) & (sizeof(GP_KEY) - 1)) == 0,
               "GP_KEY must be an integer of 1, 2, 4 or 8 bytes, float or double");
#endif

/*
 * The code of a float has bits that are a number in its order, in which -0.0 comes just before +0.0, so that the
 * float can be told from it. An integer is its own code.
 */
GPI_FUNCTION GP_KEY GPI_KEY_CODE(GP_KEY key)
{
    uint64_t number = 0;
    uint32_t word = 0;

    if (GPI_KEY_IS_FLOAT && GPI_KEY_IS_NARROW) {
        memcpy(&word, &key, sizeof word);
        word ^= (uint32_t)((int32_t)word >> 31) | 0x80000000u;
        word = GPI_KEY_DESCENDING ? ~word : word;
        memcpy(&key, &word, sizeof word);
    } else if (GPI_KEY_IS_FLOAT) {
        memcpy(&number, &key, sizeof key);
        number ^= (uint64_t)((int64_t)number >> 63) | (uint64_t)1 << 63;
        number = GPI_KEY_DESCENDING ? ~number : number;
        memcpy(&key, &number, sizeof key);
    }
    return key;
}

/* The key that has the code. */
GPI_FUNCTION GP_KEY GPI_KEY_OF_CODE(GP_KEY code)
{
    uint64_t number = 0;
    uint32_t word = 0;

    if (GPI_KEY_IS_FLOAT && GPI_KEY_IS_NARROW) {
        memcpy(&word, &code, sizeof word);
        word = GPI_KEY_DESCENDING ? ~word : word;
        word ^= ~(uint32_t)((int32_t)word >> 31) | 0x80000000u;
        memcpy(&code, &word, sizeof word);
    } else if (GPI_KEY_IS_FLOAT) {
        memcpy(&number, &code, sizeof code);
        number = GPI_KEY_DESCENDING ? ~number : number;
        number ^= ~(uint64_t)((int64_t)number >> 63) | (uint64_t)1 << 63;
        memcpy(&code, &number, sizeof code);
    }
    return code;
}

/* The bits of a code of 4 bytes; if the zeros are to be `one` number, those of +0.0 for -0.0. */
GPI_FUNCTION uint32_t GPI_KEY_CODE_WORD(GP_KEY code, int one)
{
    const uint32_t top = 0x80000000u;
    uint32_t word = 0;

    memcpy(&word, &code, sizeof code < sizeof word ? sizeof code : sizeof word);
    if (one && word == top - !GPI_KEY_DESCENDING)
        word = top - GPI_KEY_DESCENDING;
    return word;
}

/* The same of 8 bytes. */
GPI_FUNCTION uint64_t GPI_KEY_CODE_LONG(GP_KEY code, int one)
{
    const uint64_t top = (uint64_t)1 << 63;
    uint64_t word = 0;

    memcpy(&word, &code, sizeof code);
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
    const uint32_t word = ((uint32_t)key & all) ^ (GPI_KEY_IS_SIGNED ? top : 0);
    return GPI_KEY_DESCENDING ? ~word & all : word;
}

/* The number of a key of 8 bytes. */
GPI_FUNCTION uint64_t GPI_KEY_LONG(GP_KEY key)
{
    if (GPI_KEY_IS_FLOAT)
        return GPI_KEY_CODE_LONG(GPI_KEY_CODE(key), 1);
    const uint64_t word = (uint64_t)key ^ (GPI_KEY_IS_SIGNED ? (uint64_t)1 << 63 : 0);
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
        return ((uint32_t)(GPI_KEY_IS_NARROW ? (uint32_t)key >> shift : (uint64_t)key >> shift) & mask) ^
               ((uint32_t)(GPI_KEY_ORDER((GP_KEY)0) >> shift) & mask);
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
    uint64_t bits = (UINT64_MAX >> (64 - GPI_KEY_WIDTH)) >> sign; /* little-endian */
    GP_KEY key;

    if (GPI_KEY_DESCENDING)
        bits = GPI_KEY_IS_FLOAT ? UINT64_MAX : GPI_KEY_IS_SIGNED ? bits + 1 : 0;
    memcpy(&key, &bits, sizeof key);
    return key;
}

/* Whether it is -0.0, which is equal to a key of other bits. */
GPI_FUNCTION int GPI_KEY_IS_MINUS_ZERO(GP_KEY key)
{
    uint64_t bits = 0;

    if (!GPI_KEY_IS_FLOAT)
        return 0;
    memcpy(&bits, &key, sizeof key);
    return bits == (uint64_t)1 << (GPI_KEY_WIDTH - 1);
}

GPI_FUNCTION int GPI_KEY_IS_NAN(GP_KEY key)
{
    const GP_KEY same = key; /* compilers warn of a name that is compared with itself */

    return key != same;
}

#endif
