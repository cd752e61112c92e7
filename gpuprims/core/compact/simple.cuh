/*
 * core/compact/simple.cuh: the compaction of small inputs, and of all inputs on GPUs without bulk copies. A
 * block takes a tile, a warp a warp tile of it, which stays in registers; every tile that runs at the same time
 * looks at the counts of those before. And the count that comes before a stable partition.
 *
 * Part of compact.cuh; not to be included directly.
 */

/* Shared memory of a block. */
#define GPI_COMPACT_SIMPLE_BYTES(flagged) \
    (GPI(warp_tiles) * ((unsigned)GPI(slot) + ((flagged) ? (unsigned)GPI(flag_slot) : 0)))

#if GPI_DEVICE_CODE
/*
 * What all tiles before `tile` keep, in every thread; *known is brought up to its group. Each warp adds up a
 * group at a time. All threads call.
 */
GPI_DEVICE uint64_t GPI(simple_look_back)(const GPI(job) *job, gpi_counted *known,
                                          uint32_t *group_sums, size_t tile, unsigned lane, unsigned warp,
                                          uint32_t epoch, GPI_CONTEXT context)
{
    size_t end = (tile + GPI_COUNT_GROUP - 1) / GPI_COUNT_GROUP;
    gpi_counted before = *known;

    while (before.group < end) {
        size_t first = before.group;

        if (first + warp < end) {
            uint32_t sum = GPI(count_group)(job, first + warp, tile, lane, epoch, context);

            if (lane == 0)
                group_sums[warp] = sum;
        }
        __syncthreads(); /* group_sums are complete; in place: the tiles of these groups have been read */
        gpi_add_groups(&before, known, tile, group_sums, job->warp_tiles, lane);
        __syncthreads(); /* group_sums are free */
    }
    return before.sum;
}

/* One warp: reads a warp tile, and its flags if there are any, into slots, where they are after gpi_copy_wait(). */
GPI_DEVICE void GPI(simple_fetch)(const GPI(job) *job, GPI(part) part, char *slot,
                                  char *flag_slot, unsigned lane)
{
    const int arrays = job->flags ? 2 : 1;

    GPI_NO_UNROLL
    for (int i = 0; i < arrays; i++) {
        const size_t size = i ? 1 : sizeof(GP_TYPE);
        const char *begin = i ? (const char *)job->flags : (const char *)job->in;
        const char *from = begin + (part.start + part.first) * size;
        const gpi_extent array = {begin, begin + job->n * size};
        const unsigned misalignment = i ? GPI(flag_misalignment)(job, part) : GPI(misalignment)(job, part);
        char *to = (i ? flag_slot : slot) + (misalignment + part.first * size - gpi_misalignment(from));

        gpi_fetch_ahead(to, from, (part.last - part.first) * (unsigned)size, array, lane,
                        GPI(warp_tile_n) * (unsigned)sizeof(GP_TYPE) / 16);
    }
}
#endif

static __global__ void __launch_bounds__(32 * GPI(warp_tiles), GPI(simple_blocks))
    GPI(simple_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_DYNAMIC_SHARED(char, slots);
    GP_SHARED(uint32_t[GPI(warp_tiles)], warp_counts);
    GP_SHARED(uint32_t[GPI(warp_tiles)], group_sums);
    GP_SHARED(gpi_pack_table, table);
    GP_SHARED(uint32_t[3], taken); /* a tile and the epoch; the epoch of a block that draws no tickets */
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    char *slot = slots + warp * GPI(slot);
    char *flag_slot = slots + (int)GPI(warp_tiles) * GPI(slot) + warp * GPI(flag_slot);
    gpi_counted known = {0, 0};
    const int draws = job.tiles > gridDim.x || (job.tiles > 1 && job.in_place); /* tickets for tiles */
    uint32_t tile = blockIdx.x, epoch = 0;
    uint64_t ticket = 0, checked_out = 0;

    if (sizeof(GP_TYPE) == 1 && threadIdx.x < 16)
        table.entries[threadIdx.x] = gpi_pack_entry(threadIdx.x);
    gpi_grid_wait();
    gpi_grid_launch_next();
    if (threadIdx.x == 0 && job.tiles > 1 && !draws)
        ticket = gpi_read_ticket(job.head); /* looked at later: it takes a while to come */
    int waits = job.own && job.tiles > 1; /* for all counts */
    size_t all_kept = job.rejected == GPI_REJECTED_STABLE && !job.own ? (size_t)job.head->counted : 0;
    for (;;) {
        if (draws) {
            if (threadIdx.x == 0)
                taken[0] = gpi_take_tile(job.head, &taken[1]);
            __syncthreads(); /* the tile is known, and warp_counts are free */
            tile = taken[0];
            epoch = taken[1];
            if (tile >= job.tiles)
                break;
        }
        GPI(part) part = GPI(cut)(&job, (size_t)tile * job.warp_tiles + warp);
        unsigned n = part.last - part.first, misalignment = GPI(misalignment)(&job, part), kept = 0;
        uint32_t keep[GPI(bits)] = {0};
        GPI(thread_items) regs;

        /* Read the warp tile, choose from the lane's items, and count. */
        if (n)
            GPI(simple_fetch)(&job, part, slot, flag_slot, lane);
        gpi_copy_wait();
        __syncwarp(); /* the warp tile is in its slot */
        if (n && GPI_COMPACT_IS_SHORT(part) && !job.flags)
            GPI(fill)(slot + misalignment, part, lane);
        if (sizeof(GP_TYPE) > 1)
            GPI(thread_read)(&regs, slot, misalignment, lane, context);
        kept = n ? GPI(choose)(keep, &job, part, &regs, slot + misalignment, flag_slot, lane, context) : 0;
        unsigned sum = gpi_warp_prefix(kept, lane), rank = sum - kept;
        kept = __shfl_sync(GPI_FULL_MASK, sum, 31);
        if (lane == 0)
            warp_counts[warp] = kept;
        if (threadIdx.x == 0 && !draws)
            taken[2] = gpi_ticket_epoch(ticket);
        __syncthreads(); /* warp_counts are complete, the epoch is known; in place: the tile has been read */
        if (!draws)
            epoch = taken[2];

        /* Add the warp tiles before it up, and publish the tile, unless nobody needs it: the last one. */
        sum = gpi_warp_prefix(lane < job.warp_tiles ? warp_counts[lane] : 0, lane);
        unsigned warps_before = warp ? __shfl_sync(GPI_FULL_MASK, sum, (int)warp - 1) : 0;
        unsigned all = __shfl_sync(GPI_FULL_MASK, sum, 31);
        if (threadIdx.x == 0 && (tile + 1 < job.tiles || waits))
            gpi_publish_count(job.head, tile, all, epoch, job.in_place);
        if (threadIdx.x == 0 && job.tiles > 1 && !draws)
            checked_out = gpi_check_out(job.head); /* likewise */

        /* Add the tiles before it up, and all of them if need be, and write. */
        size_t tiles_before = 0;
        GPI_NO_UNROLL
        for (int whole = 0; whole <= waits; whole++) {
            size_t end = whole ? job.tiles : tile;
            size_t before = GPI(simple_look_back)(&job, &known, group_sums, end, lane, warp, epoch, context);

            if (whole)
                all_kept = before;
            else
                tiles_before = before;
        }
        if (job.tiles == 1)
            all_kept = all;
        if (sizeof(GP_TYPE) == 1) { /* only now: who is asked about bytes needs the registers */
            GPI(thread_read)(&regs, slot, misalignment, lane, context);
            __syncwarp(); /* everybody has read the slot */
        }
        if (n)
            GPI(write)(&job, part, slot, &regs, keep, rank, kept, tiles_before + warps_before,
                       all_kept, &table, lane, 0);
        if (threadIdx.x == 0 && tile + 1 == job.tiles)
            *job.count = tiles_before + all;
        if (job.tiles == 1)
            return;
        if (job.tiles <= gridDim.x)
            break; /* every block has one tile, and has no need to ask for another */
        __syncwarp(); /* the slot is free */
    }
    if (threadIdx.x == 0)
        gpi_finish_launch(job.head, epoch, draws ? gpi_check_out(job.head) : checked_out);
#endif
}

/* ---- the count before a stable partition ------------------------------------------------------- */

#define GPI_COMPACT_COUNT_THREADS 256
#define GPI_COMPACT_COUNT_BLOCKS  8

#if GPI_DEVICE_CODE
/* As GPI(count), without flags: whole vectors where the items allow. */
GPI_DEVICE unsigned GPI(count_warp_tile)(const GPI(job) *job, size_t warp_tile, unsigned lane,
                                     GPI_CONTEXT context)
{
    GPI(part) part = GPI(cut)(job, warp_tile);
    unsigned kept = 0;
    GPI(thread_items) regs;

    if (16 % sizeof(GP_TYPE) == 0 && part.first == 0 && part.last == GPI(warp_tile_n) &&
        GPI(misalignment)(job, part) % 16 == 0) {
        GPI_UNROLL
        for (int v = 0; v < GPI(out_bytes) / 16; v++)
            gpi_get(regs.vectors[v], (const char *)(job->in + part.start) + ((unsigned)v * 32 + lane) * 16);
        GPI_UNROLL
        for (int i = 0; i < GPI(thread_n); i++) {
            GP_TYPE x = GPI(item)(&regs, i);

            kept += (unsigned)GPI(keep)(&x, context);
        }
        return kept;
    }
    return GPI(count)(job, part.start + part.first, part.start + part.last, lane, context);
}
#endif

static __global__ void __launch_bounds__(GPI_COMPACT_COUNT_THREADS)
    GPI(count_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_DEVICE_CODE
    GP_SHARED(unsigned long long[GPI_COMPACT_COUNT_THREADS / 32], warp_sums);
    size_t warps = (size_t)gridDim.x * (GPI_COMPACT_COUNT_THREADS / 32);
    size_t own = (size_t)job.own * job.warp_tiles, all = (size_t)job.tiles * job.warp_tiles;
    size_t first = (size_t)blockIdx.x * (GPI_COMPACT_COUNT_THREADS / 32);
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned long long sum = 0;

    gpi_grid_wait();
    gpi_grid_launch_next();
    for (size_t c = first + warp; c < all - own; c += warps) /* from the end: those before come next */
        sum += GPI(count_warp_tile)(&job, all - 1 - c, lane, context);
    for (int stride = 16; stride; stride /= 2)
        sum += __shfl_xor_sync(GPI_FULL_MASK, sum, stride);
    if (lane == 0)
        warp_sums[warp] = sum;
    __syncthreads(); /* warp_sums are complete */
    if (threadIdx.x == 0) {
        for (int w = 1; w < GPI_COMPACT_COUNT_THREADS / 32; w++)
            sum += warp_sums[w];
        gpi_finish_total(job.head, sum);
    }
#endif
}
