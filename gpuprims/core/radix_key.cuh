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

#define GPI_KEY_WORD GPI(key_word)
#define GPI_KEY_LONG GPI(key_long)
#define GPI_KEY_ORDER GPI(key_order)
#define GPI_KEY_DIGIT GPI(key_digit)
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

/* The number of a key of up to 4 bytes. */
GPI_FUNCTION uint32_t GPI_KEY_WORD(GP_KEY key)
{
    const uint32_t all = 0xFFFFFFFFu >> (32 - GPI_KEY_WIDTH) % 32, top = all / 2 + 1;
    uint32_t word = 0;

    if (GPI_KEY_IS_FLOAT) {
        memcpy(&word, &key, sizeof word);
        word ^= (uint32_t)((int32_t)word >> 31) | top;
        word += word == top - 1; /* -0.0 becomes +0.0 */
    } else {
        word = ((uint32_t)key & all) ^ (GPI_KEY_IS_SIGNED ? top : 0);
    }
    return GPI_KEY_DESCENDING ? ~word & all : word;
}

/* The number of a key of 8 bytes. */
GPI_FUNCTION uint64_t GPI_KEY_LONG(GP_KEY key)
{
    const uint64_t top = (uint64_t)1 << 63;
    uint64_t word = 0;

    if (GPI_KEY_IS_FLOAT) {
        memcpy(&word, &key, sizeof key);
        word ^= (uint64_t)((int64_t)word >> 63) | top;
        word += word == top - 1; /* -0.0 becomes +0.0 */
    } else {
        word = (uint64_t)key ^ (GPI_KEY_IS_SIGNED ? top : 0);
    }
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
    uint64_t bits = 0;

    if (!GPI_KEY_IS_FLOAT)
        return 0;
    memcpy(&bits, &key, sizeof key);
    return GPI_KEY_IS_NARROW ? (uint32_t)bits << 1 > 0xFF000000u : bits << 1 > 0xFFE0000000000000u;
}

#endif
