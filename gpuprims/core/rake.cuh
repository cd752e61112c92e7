/*
 * core/rake.cuh: what block scans and reductions share when one warp folds the values of all threads.
 *
 * Needs core/begin.cuh and core/fold.cuh. Stamped once per instance.
 */
#ifndef GPI_RAKE_IS_STAMPED
#define GPI_RAKE_IS_STAMPED

/* Larger values would take too much shared memory. */
#define GPI_RAKES (sizeof(GP_TYPE) <= 16)

/* After every 128 bytes a place is left free, so that the lanes of the raking warp use different banks. */
#define GPI_RAKE_PAD(i) ((i) + (i) / (sizeof(GP_TYPE) <= 4 ? 32 : 128 / (unsigned)sizeof(GP_TYPE)))
#define GPI_RAKE_VALUES (GPI_RAKES ? GPI_RAKE_PAD(GP_BLOCK) : GP_BLOCK / 32)

#define GPI_RAKE_READ GPI(rake_read)
#define GPI_RAKE_RUN  (GP_BLOCK / 32)

/* Reads the values of the lane's GP_BLOCK / 32 threads, and folds them from left to right. */
GPI_DEVICE GP_TYPE GPI_RAKE_READ(GP_TYPE *run, const GP_TYPE *values, unsigned lane)
{
    GPI_UNROLL
    for (unsigned i = 0; i < GPI_RAKE_RUN; i++)
        run[i] = values[GPI_RAKE_PAD(lane * GPI_RAKE_RUN + i)];

    GP_TYPE sum = run[0];
    GPI_UNROLL
    for (unsigned i = 1; i < GPI_RAKE_RUN; i++)
        sum = GPI_COMBINE(sum, run[i]);
    return sum;
}

#endif
