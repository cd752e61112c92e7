/*
 * core/top_k/parts.cuh: the kernel that selects: a block takes a part of a long segment, or a group of short ones,
 * whose shortest its warps share. It selects from a part's items, or from the lists of several parts; what is left of a
 * segment in the end are its results, and before that a list for the next round.
 *
 * Part of top_k.cuh; not to be included directly.
 */
#if GPI_DEVICE_CODE
/* A part of a long segment, or, from the second round on, some of its lists. Returns how many items it has. */
GPI_DEVICE uint32_t GPI(take_slot)(GPI(block) *block, const GPI(segment) *segment)
{
    const GPI(job) *job = &block->job;
    const size_t p = segment->part, step = job->step;

    if (p >= segment->parts || (uint32_t)p % (uint32_t)job->next || (step && step >= segment->parts) ||
        (segment->parts <= 1 && job->offsets)) /* that one is short */
        return 0;
    if (step) {
        const size_t end = p + job->next < segment->parts ? p + job->next : segment->parts;
        const size_t lists = (uint32_t)(end - p + step - 1) / (uint32_t)step, last = p + (lists - 1) * step;

        block->first = GPI(list_begin)(job, segment, p);
        block->stride = step * job->list_n;
        return (uint32_t)((lists - 1) * job->list_n + GPI(list_length)(job, segment, last, step));
    }
    block->first = p * job->part_n;
    return gpi_min_size(segment->length - block->first, (uint32_t)job->part_n);
}

/* Number `i` of what a unit has: a slot, or the segments of a group that no warp takes. */
GPI_DEVICE void GPI(take_part)(GPI(block) *block, size_t unit, size_t i)
{
    const GPI(job) *job = &block->job;
    const int is_slot = unit < job->slots;
    GPI(segment) segment;

    if (is_slot)
        segment = GPI(segment_at)(job, unit);
    else
        segment = GPI(segment_of)(job, (unit - job->slots) * job->group + i);
    __syncthreads(); /* the part before has been read */
    if (threadIdx.x == 0) {
        block->segment = segment;
        block->is_last = !is_slot || job->next >= segment.parts;
        if (is_slot)
            block->n = GPI(take_slot)(block, &block->segment);
        else
            block->n = segment.length <= GPI(warp_n) || segment.length > job->part_n ? 0 : (uint32_t)segment.length;
        if (!is_slot)
            block->first = 0;
    }
    __syncthreads(); /* the part is there */
}

/* Segments of a group of short ones, after its warps have taken those of up to a warp's items; 0 if those were all. */
GPI_DEVICE size_t GPI(take_group)(const GPI(block) *block, size_t group)
{
    const GPI(job) *job = &block->job;
    const size_t first = group * job->group;
    const unsigned n = gpi_min_size(job->segments - first, job->group), warp = threadIdx.x / 32;

    __syncthreads(); /* the part before has been read */
    GPI_NO_UNROLL
    for (unsigned i = warp; i < n; i += blockDim.x / 32) {
        const GPI(segment) segment = GPI(segment_of)(job, first + i);

        if (segment.length <= GPI(warp_n))
            GPI(select_one_short)(segment.s, segment.begin, (uint32_t)segment.length);
    }
    return !job->offsets && job->length <= GPI(warp_n) ? 0 : n;
}

/* Writes what has been selected: the first k entries. */
GPI_DEVICE void GPI(write_part)(const GPI(block) *block, uint32_t k)
{
    const GPI(job) *job = &block->job;
    const size_t to = block->is_last ? 0 : GPI(list_begin)(job, &block->segment, block->segment.part);

    GPI_NO_UNROLL
    for (uint32_t i = threadIdx.x; i < k; i += blockDim.x) {
        const GPI(candidate) x = GPI(candidate_of)(block, GPI(get_entry)(block, i));

        if (block->is_last)
            GPI(write_result)(job, block->segment.s, block->segment.begin, i, x.place);
        else
            GPI(put_candidate)(job, to + i, x);
    }
}
#endif

static __global__ void __launch_bounds__(GPI_TUNE_TOP_K_THREADS, GPI_TUNE_TOP_K_BLOCKS)
    GPI(parts_kernel)(GPI(job) job)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(GPI(block), block);

    if (threadIdx.x == 0)
        block->job = job;
    __syncthreads(); /* the job is there */
    gpi_grid_wait();
    gpi_grid_launch_next();
    GPI_NO_UNROLL
    for (size_t unit = blockIdx.x; unit < job.units; unit += gridDim.x) {
        const size_t parts = unit < job.slots ? 1 : GPI(take_group)(block, unit - job.slots);

        GPI_NO_UNROLL
        for (size_t i = 0; i < parts; i++) {
            GPI(take_part)(block, unit, i);
            if (block->n == 0)
                continue;
            GPI(write_part)(block, GPI(select_part)(block));
        }
    }
#endif
}
