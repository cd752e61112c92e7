/*
 * core/instance/radix_value.cuh: the values that go with the keys of a sort.
 *
 * Needs core/instance/begin.cuh. The header that includes it undefines its macros.
 */

/* Keys alone have no values; the type keeps the text of the kernels in one piece. */
#ifdef GP_VALUE
#define GPI_RADIX_PAIRS 1
#define GPI_RADIX_VALUE GP_VALUE
#else
#define GPI_RADIX_PAIRS 0
#define GPI_RADIX_VALUE char
#endif

/* The arrays that a host function takes. */
#ifdef GP_VALUE
#define GPI_ITEM_PARAMETERS const GP_KEY *kin, GP_KEY *kout, const GP_VALUE *vin, GP_VALUE *vout
#define GPI_ITEM_ARGUMENTS  kin, kout, vin, vout
#else
#define GPI_ITEM_PARAMETERS const GP_KEY *in, GP_KEY *out
#define GPI_ITEM_ARGUMENTS  in, out, NULL, NULL
#endif

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
#endif
