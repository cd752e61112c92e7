/*
 * core/tile/forward.cuh: what core/tile/pipeline.cuh and core/tile/simple.cuh need, of a primitive whose results depend
 * on no tile behind them: no tiles are summed up first, and no launch before has prepared anything.
 *
 * Needs core/tile/look_back.cuh. Included by a primitive once.
 */
#if GPI_DEVICE_CODE
GPI_DEVICE unsigned GPI(first_tiles)(const GPI(job) *job)
{
    (void)job;
    return 0;
}

GPI_DEVICE GPI(total) GPI(all_tiles)(const GPI(job) *job, GPI(total) sum)
{
    (void)job;
    return sum;
}

GPI_DEVICE int GPI(waits_late)(const GPI(job) *job)
{
    (void)job;
    return 0;
}
#endif
