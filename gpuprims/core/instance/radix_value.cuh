/*
 * core/instance/radix_value.cuh: the values that go with the keys of a sort.
 *
 * Needs core/instance/begin.cuh. The header that includes it undefines GPI_RADIX_PAIRS and GPI_RADIX_VALUE.
 */

/* Keys alone have no values; the type keeps the text of the kernels in one piece. */
#ifdef GP_VALUE
#define GPI_RADIX_PAIRS 1
#define GPI_RADIX_VALUE GP_VALUE
#else
#define GPI_RADIX_PAIRS 0
#define GPI_RADIX_VALUE char
#endif

/* As much of a value as one access moves. */
enum { GPI(piece_bytes) = __alignof__(GPI_RADIX_VALUE) < 16 ? __alignof__(GPI_RADIX_VALUE) : 16 };
typedef struct {
    unsigned char bytes[GPI(piece_bytes)];
} __attribute__((may_alias, aligned(GPI(piece_bytes)))) GPI(piece);

#if GPI_DEVICE_CODE
/* The value that stands for item i when there are no values: its number. */
GPI_DEVICE GPI_RADIX_VALUE GPI(numbered)(size_t i)
{
    GPI_RADIX_VALUE value;

    const float number = (float)i;
    const double long_number = (double)i;
    const void *from = GPI_IS_SAME_TYPE(GPI_RADIX_VALUE, float)    ? (const void *)&number
                       : GPI_IS_SAME_TYPE(GPI_RADIX_VALUE, double) ? (const void *)&long_number
                                                                   : (const void *)&i; /* little-endian */

    memset((void *)&value, 0, sizeof value);
    memcpy((void *)&value, from, sizeof value < sizeof i ? sizeof value : sizeof i);
    return value;
}

/* Moves a piece of the value with that number to item i, or that number if there are no values. */
GPI_DEVICE void GPI(move_piece)(GPI_RADIX_VALUE *out, size_t i, const GPI_RADIX_VALUE *in, size_t number, size_t piece)
{
    if (in)
        ((GPI(piece) *)(out + i))[piece] = ((const GPI(piece) *)(in + number))[piece];
    else if (piece == 0)
        out[i] = GPI(numbered)(number);
}
#endif
