/*
 * core/segmented_sort/sort.cuh: the kernel that sorts. Without long segments a block for each range sorts what starts
 * there. Long ones take phases, each of which needs all of the one before:
 *
 *     list, prepare, count   (core/segmented_sort/long.cuh)
 *     passes                 as many as one of the segments needs (core/segmented_sort/pass.cuh)
 *     ranges                 short segments, and buckets (core/segmented_sort/tile.cuh)
 *
 * The work of a phase is divided into units, and blocks take those of all phases in order, by ticket. They wait until
 * the units of earlier phases are done; whatever the number of resident blocks, those are under way then.
 *
 * Part of segmented_sort.cuh; not to be included directly.
 */

enum {
    GPI(phase_list),
    GPI(phase_prepare),
    GPI(phase_count),
    GPI(phase_pass), /* the first one; the ranges come behind the last */
    GPI(phase_bytes) = (int)(sizeof(GPI(shared)) + GPI(tile_bytes)) > (int)GPI(pass_bytes)
                           ? (int)(sizeof(GPI(shared)) + GPI(tile_bytes))
                           : (int)GPI(pass_bytes)
};

/* What a block does, in shared memory. */
typedef struct {
    uint64_t ticket;
    uint32_t has_longs, by_ticket;
    uint32_t number, last; /* of the phase, and of the last one, once that is known */
    uint32_t begin, end;   /* units of the phase, among those of all */
    uint32_t taken;        /* so many by this block */
    uint32_t unit;         /* the last of these; UINT32_MAX: there are no more */
} GPI(phase);

#if GPI_DEVICE_CODE
/* Begins a phase. */
GPI_DEVICE void GPI(enter_phase)(const GPI(job) *job, GPI(phase) *phase, uint32_t number)
{
    uint32_t units = number == GPI(phase_list) ? 1 : job->blocks;

    if (number == GPI(phase_pass))
        phase->last = number + gpi_load_relaxed_u32(&job->all->passes);
    if (number >= GPI(phase_pass))
        units = number < phase->last ? (uint32_t)GPI(found)(job) : job->sorts_ranges ? (uint32_t)job->ranges : 0;
    phase->number = number;
    phase->begin = phase->end;
    phase->end += units;
    phase->taken = 0;
}

/* Enters the first phase, if the block has anything to do. */
GPI_DEVICE void GPI(enter)(const GPI(job) *job, GPI(phase) *phase, int has_longs)
{
    phase->has_longs = (uint32_t)has_longs;
    phase->by_ticket = has_longs && job->sorts_longs;
    phase->number = phase->last = 0;
    phase->begin = phase->end = phase->taken = 0;
    if (phase->by_ticket) {
        phase->last = UINT32_MAX;
        GPI(enter_phase)(job, phase, job->is_few ? GPI(phase_list) : GPI(phase_prepare));
    } else if (job->sorts_ranges) {
        phase->end = (uint32_t)job->ranges;
    }
}

/* When the block has done the units before: takes one, and waits until those of earlier phases are done. */
GPI_DEVICE void GPI(take_unit)(const GPI(job) *job, GPI(phase) *phase)
{
    if (phase->by_ticket)
        phase->ticket = gpi_take_ticket(job->head);
    else
        phase->ticket = blockIdx.x + (uint64_t)phase->taken * gridDim.x;
    while ((uint32_t)phase->ticket >= phase->end && phase->number < phase->last) {
        unsigned long long *total = &job->head->total;

        __threadfence(); /* what the block has written comes before its units are counted */
        if (phase->taken)
            atomicAdd(total, (unsigned long long)phase->taken);
        while (gpi_load_relaxed_u64((const uint64_t *)(const void *)total) < phase->end)
            ;
        __threadfence(); /* what others have written is read after they were counted */
        GPI(enter_phase)(job, phase, phase->number + 1);
    }
    phase->taken++;
    phase->unit = (uint32_t)phase->ticket < phase->end ? (uint32_t)phase->ticket - phase->begin : UINT32_MAX;
}

/* Ends the launch. */
GPI_DEVICE void GPI(leave)(const GPI(job) *job, uint64_t ticket)
{
    const uint64_t before = gpi_check_out(job->head);

    if (before == job->blocks - 1) {
        job->head->total = job->head->done = 0;
        gpi_ready_head(job->head, gpi_ticket_epoch(ticket));
    }
}
#endif

static __global__ void __launch_bounds__(GPI(threads), GPI_TUNE_SEGMENTED_SORT_BLOCKS) GPI(sort_kernel)(GPI(job) job)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, memory);
    GP_SHARED(GPI(phase), phase);
    int has_longs = 0;

    gpi_grid_wait();
    gpi_grid_launch_next();
    if (job.is_direct || (job.is_few && job.offsets && !GPI(is_any_longer)(&job, GPI(small_n)))) {
        GPI(sort_shares)(&job);
        return;
    }
    if (job.head && job.is_few)
        has_longs = GPI(is_any_longer)(&job, GPI(short_n));
    else if (job.head && !job.all->has_unsorted)
        return;
    else if (job.head)
        has_longs = GPI(found)(&job) != 0;
    if (has_longs && job.sorts_longs && blockIdx.x >= job.blocks)
        return;
    if (threadIdx.x == 0)
        GPI(enter)(&job, &phase, has_longs);
    for (;;) {
        if (threadIdx.x == 0)
            GPI(take_unit)(&job, &phase);
        __syncthreads(); /* the unit has been taken */
        if (phase.unit == UINT32_MAX)
            break;
        if (phase.number == phase.last)
            GPI(sort_range)(&job, (GPI(shared) *)(void *)memory, phase.has_longs ? job.covering : NULL, phase.unit);
        else if (phase.number >= GPI(phase_pass))
            GPI(pass_tile)(&job, (GPI(pass_shared) *)(void *)memory, phase.unit, (int)(phase.number - GPI(phase_pass)));
        else if (phase.number == GPI(phase_count))
            GPI(count)(&job, (GPI(counting) *)(void *)memory, phase.unit);
        else if (phase.number == GPI(phase_prepare))
            GPI(prepare)(&job, phase.unit);
        else
            GPI(list_few)(&job);
        __syncthreads(); /* the unit is done, and shared memory has served */
    }
    if (phase.by_ticket && threadIdx.x == 0)
        GPI(leave)(&job, phase.ticket);
#endif
}
