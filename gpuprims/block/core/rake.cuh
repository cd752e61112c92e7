/*
 * block/core/rake.cuh: raking for block scans and reductions: one warp folds the values of all
 * threads.
 *
 * Needs core/instance/begin.cuh and core/instance/fold.cuh. Stamped once per instance.
 */
#ifndef GPI_RAKE_IS_STAMPED
#define GPI_RAKE_IS_STAMPED

/* Larger values would take too much shared memory. */
#define GPI_RAKES (sizeof(GP_TYPE) <= 16)

/*
 * A raking lane folds the values of GP_BLOCK / 32 threads, in units of 16 bytes for types of 4 and
 * 8 bytes, else one by one.
 */
#define GPI_RAKE_ITEMS (GP_BLOCK / 32)
#define GPI_RAKE_UNIT_ITEMS                                                                       \
    ((sizeof(GP_TYPE) == 4 || sizeof(GP_TYPE) == 8) && GPI_RAKE_ITEMS * sizeof(GP_TYPE) % 16 == 0 \
         ? 16 / (int)sizeof(GP_TYPE)                                                              \
         : 1)

/* One unit is left free after every 128 bytes, so that raking has no bank conflicts. */
#define GPI_RAKE_PAD(i)                                                                         \
    ((i) + (i) / (sizeof(GP_TYPE) <= 4 ? 32 : GPI_RAKES ? 128 / (unsigned)sizeof(GP_TYPE) : 1) * \
               GPI_RAKE_UNIT_ITEMS)
#define GPI_RAKE_VALUES (GPI_RAKES ? GPI_RAKE_PAD(GP_BLOCK) : GP_BLOCK / 32)

typedef struct {
    GP_TYPE items[GPI_RAKE_UNIT_ITEMS];
} __attribute__((aligned(GPI_RAKE_UNIT_ITEMS > 1 ? 16 : __alignof__(GP_TYPE)))) GPI(rake_unit);

/* Reads the lane's values and folds them from left to right. */
GPI_DEVICE GP_TYPE GPI(rake_read)(GPI(rake_unit) *units, const GP_TYPE *values, unsigned lane)
{
    GPI_UNROLL
    for (unsigned i = 0; i < GPI_RAKE_ITEMS; i += GPI_RAKE_UNIT_ITEMS)
        gpi_get(units[i / GPI_RAKE_UNIT_ITEMS], &values[GPI_RAKE_PAD(lane * GPI_RAKE_ITEMS + i)]);

    GP_TYPE sum = units[0].items[0];
    GPI_UNROLL
    for (unsigned i = 1; i < GPI_RAKE_ITEMS; i++)
        sum = GPI(combine)(sum, units[i / GPI_RAKE_UNIT_ITEMS].items[i % GPI_RAKE_UNIT_ITEMS]);
    return sum;
}

#endif
