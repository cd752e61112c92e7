/*
 * core/scan/small.cuh: the scan of small aligned inputs, with little code: a warp for each warp tile, in a block of
 * its own. It publishes the sum of its warp tile, and reads those of all warp tiles before it: a lane those of a tile,
 * which it folds as core/tile/simple.cuh does, so that the results have the same bits. One tile is one block, whose
 * warps publish in shared memory.
 *
 * Part of scan.cuh; not to be included directly.
 */
enum {
    GPI(small_serves) = GPI(wider) <= 16, /* larger items would take many registers */
    GPI(small_tiles) = 32,                /* room for them: a lane has one */
    GPI(small_room) = GPI(small_serves) ? 16 * (int)GPI(warp_tiles) * (int)GPI(tile_state_words) : 1, /* in vectors */
    GPI(small_most) = GPI(simple_early) ? 12 : GPI(small_tiles) /* with more, the simple kernel is faster */
};

#if GPI_SM90_CODE
/* One warp: brings n aligned items to their slot, and waits for them. */
GPI_DEVICE void GPI(small_fetch)(const GPI(job) *job, const char *from, size_t warp_tile, unsigned n, char *slot,
                                 unsigned lane, GPI_CONTEXT context)
{
#ifdef GP_LOAD_AT
    (void)from;
    GPI(compute_items)(job->in, warp_tile * GPI(warp_tile_n), n, slot, lane, context);
#else
    const unsigned bytes = n * (unsigned)sizeof(GP_INPUT_TYPE), end = bytes / 16 * 16;
    char *to = slot + gpi_misalignment(from);

    (void)job;
    (void)warp_tile;
    (void)context;
    GPI_UNROLL
    for (int i = 0; i < GPI(warp_tile_n) * (int)sizeof(GP_INPUT_TYPE); i += 512)
        gpi_copy_16_if(i + 16 * (int)lane < (int)end, to + i + 16 * lane, from + i + 16 * lane);
    if (lane < bytes - end) /* they fill no vector */
        to[end + lane] = from[end + lane];
#endif
    gpi_copy_wait();
    __syncwarp(); /* the warp tile is in its slot */
}

/* The state of a warp tile of a tile: the first ones of all tiles come first, and so on. */
GPI_DEVICE unsigned GPI(small_state)(unsigned warp_tile, unsigned tile)
{
    return warp_tile * GPI(small_tiles) + tile;
}

/* Whether all words of a state are of this launch. */
GPI_DEVICE int GPI(small_there)(const uint64_t *words, uint32_t epoch)
{
    int there = 1;

    GPI_UNROLL
    for (int w = 0; w < GPI(tile_state_words); w++)
        there &= (uint32_t)(words[w] >> 32) == epoch;
    return there;
}

/* A lane reads what the warp tiles of its tile publish, from place `first` on, unless it has. */
GPI_DEVICE void GPI(small_read)(uint64_t read[][GPI(tile_state_words)], const uint64_t *states, int first,
                                unsigned lane, uint32_t epoch)
{
    GPI_UNROLL
    for (int i = 0; i < GPI(warp_tiles); i++)
        if (!GPI(small_there)(read[i], epoch)) {
            GPI_UNROLL
            for (int w = 0; w < GPI(tile_state_words); w += GPI(tile_state_step)) {
                const uint64_t *at = &states[GPI_TILE_STATE_AT(GPI(small_state)((unsigned)(i - first), lane), w)];

                if (GPI(tile_state_step) == 2)
                    gpi_load_relaxed_2_u64(&read[i][w], at);
                else
                    read[i][w] = gpi_load_relaxed_u64(at);
            }
        }
}

/*
 * One warp: a lane folds the warp tiles of its tile, of which `read` has what they publish, once they are there: as a
 * ladder leaves their fold, in which a value is the fold of 1, 2, 4 that end where it does.
 */
GPI_DEVICE GP_TYPE GPI(small_look_back)(const GPI(job) *job, uint64_t read[][GPI(tile_state_words)],
                                        const uint64_t *states, int first, unsigned lane, uint32_t epoch,
                                        GPI_CONTEXT context)
{
    GP_TYPE x[GPI(warp_tiles)];

    for (int polls = 1;; polls++) {
        int missing = 0; /* the place of the last one that is, + 1 */

        GPI_UNROLL
        for (int i = 0; i < GPI(warp_tiles); i++) {
            uint32_t words[GPI(tile_state_words)];

            GPI_UNROLL
            for (int w = 0; w < GPI(tile_state_words); w++)
                words[w] = (uint32_t)read[i][w];
            missing = GPI(small_there)(read[i], epoch) ? missing : i + 1;
            memcpy((void *)&x[i], words, sizeof x[i]);
        }
        const unsigned late = __ballot_sync(GPI_FULL_MASK, missing);
        if (!late)
            break;
        if (polls > GPI_PATIENCE / GPI(warp_tiles)) { /* each reads so many states */
            const unsigned tile = (unsigned)__ffs((int)late) - 1;
            const unsigned k = (unsigned)__shfl_sync(GPI_FULL_MASK, missing - 1 - first, (int)tile);
            const GP_TYPE sum = GPI(sum_tile)(job, tile * GPI(warp_tiles) + k, lane, context);

            if (lane == 0) /* the same bits as its warp publishes */
                GPI(publish)((uint64_t *)(job->head + 1), GPI(small_state)(k, tile), sum, epoch);
        }
        GPI(small_read)(read, states, first, lane, epoch);
    }
    GPI_UNROLL
    for (int stride = 1; stride < GPI(warp_tiles); stride *= 2) {
        GPI_UNROLL
        for (int i = GPI(warp_tiles) - 1; i >= stride; i -= 2 * stride)
            if (i - stride >= first)
                x[i] = GPI(join)(x[i - stride], x[i]);
    }
    return x[GPI(warp_tiles) - 1];
}
#endif

static __global__ void __launch_bounds__(32 * GPI(warp_tiles)) GPI(small_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_SM90_CODE
    GP_DYNAMIC_SHARED(char, slots);
    GP_SHARED(uint4[GPI(small_room)], room); /* for the states, if it is one tile */
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warp_tile = blockIdx.x + warp;
    const unsigned n = gpi_min((unsigned)job.n - warp_tile * GPI(warp_tile_n), GPI(warp_tile_n));
    const int one = gridDim.x == 1;
    /* They are aligned, and so the compiler knows it. */
    const char *from = (const char *)((uintptr_t)GPI(from)(&job, warp_tile) & ~(uintptr_t)15);
    GP_TYPE *out = (GP_TYPE *)((uintptr_t)GPI(to)(&job, warp_tile) & ~(uintptr_t)15);
    char *slot = slots + warp * GPI(slot_bytes);
    GPI(thread_items) regs;
    GP_TYPE lanes, all;

    if (!GPI(small_serves))
        return;
    gpi_grid_wait();
    gpi_grid_launch_next();
    const uint64_t ticket = one ? 0 : gpi_read_ticket(job.head);
    if (lane == 0 && !one) /* its sector, for those who will poll it */
        gpi_prefetch((const uint64_t *)(job.head + 1) +
                     GPI_TILE_STATE_AT(GPI(small_state)(warp_tile % GPI(warp_tiles), warp_tile / GPI(warp_tiles)), 0));
    GPI(small_fetch)(&job, from, warp_tile, n, slot, lane, context);
    const unsigned valid = (n + GPI(thread_n) - 1) / GPI(thread_n), tile = warp_tile / GPI(warp_tiles);
    const int whole = GPI(runs_over) || n == GPI(warp_tile_n), checks_out = lane == 0 && !one;
    uint64_t *states = one ? (uint64_t *)(void *)room : (uint64_t *)(job.head + 1);

    if (whole) {
        GPI(thread_read)(&regs, slot, gpi_misalignment(from), lane, context);
        lanes = GPI(thread_fold)(&regs);
    } else {
        lanes = GPI(edge_fold)(slot + gpi_misalignment(from), n, lane, context);
    }
    if (GPI(folds_fast))
        all = GPI(warp_reduce)(lanes, (int)lane, (int)valid);
    else
        all = lanes = GPI(warp_scan)(lanes, (int)lane, (int)valid);
    const uint32_t epoch = gpi_ticket_epoch(ticket);
    if (lane == valid - 1)
        GPI(publish)(states, GPI(small_state)(warp_tile % GPI(warp_tiles), tile), all, epoch);
    if (one)
        __syncthreads(); /* all have published */
    /* The block has read the ticket, whose lower half is zero. What comes back is used late. */
    uint64_t checked_out = 0;

    if (checks_out)
        checked_out = atomicAdd(&job.head->done, (uint32_t)ticket + gpi_one());

    if (GPI(folds_fast)) /* after publishing: others wait for it */
        lanes = GPI(warp_scan)(lanes, (int)lane, (int)valid);
    /* Of the lane's tile it needs the warp tiles that come before, whose places are the last ones. */
    const int needed = (int)warp_tile - (int)(lane * GPI(warp_tiles)); /* or more */
    const int first = needed <= 0 ? (int)GPI(warp_tiles) : needed < GPI(warp_tiles) ? GPI(warp_tiles) - needed : 0;
    uint64_t read[GPI(warp_tiles)][GPI(tile_state_words)];

    GPI_UNROLL
    for (int i = 0; i < GPI(warp_tiles); i++) {
        GPI_UNROLL
        for (int w = 0; w < GPI(tile_state_words); w++)
            read[i][w] = i < first ? (uint64_t)epoch << 32 : 0;
    }
    if (!GPI(scans_early) && !one) /* polled at once, others would not be there yet */
        gpi_pause(150);
    GPI(small_read)(read, states, first, lane, epoch);
    lanes = GPI(shuffle_up)(lanes, 1);
    if (GPI(scans_early)) /* while the states come */
        GPI(scan_early)(&job, &regs, lanes, out, slot, lane);

    GP_TYPE sum = GPI(small_look_back)(&job, read, states, first, lane, epoch, context);
    GPI(before) before;

    GPI_UNDEFINED(before);
    before.has_warps = warp_tile % GPI(warp_tiles) > 0;
    before.warps = GPI(shuffle)(sum, (int)tile);
    before.has_tiles = job.start.has_before || tile > 0;
    before.tiles = job.start.before;
    if (tile) {
        sum = GPI(shuffle)(GPI(warp_reduce)(sum, (int)lane, (int)tile), 0);
        before.tiles = job.start.has_before ? GPI(combine)(before.tiles, sum) : sum;
    }
    const int has_before = before.has_tiles || before.has_warps, has_prefix = has_before || lane > 0;
    GP_TYPE prefix = before.tiles;

    if (checks_out)
        gpi_finish_launch(job.head, epoch, checked_out);
    if (GPI(scans_early)) {
        GPI(put_early)(out, slot, n, has_before ? GPI(prefix)(&before, lanes, 0) : GPI(identity)(), lane);
        return;
    }
    if (GPI(runs_over) || lane < valid)
        prefix = GPI(prefix)(&before, lanes, lane > 0);
    if (whole)
        GPI(write_warp_tile)(&job, &regs, prefix, has_prefix, out, warp_tile, n, slot, lane, context);
    else
        GPI(edge)(slot + gpi_misalignment(from), &job, warp_tile, n, lane, prefix, has_prefix, context);
#endif
}

/* Whether it serves: every warp tile gets a warp at once, and a warp that waits long may fold another one's. */
static inline int GPI(is_small)(const GPI(job) *job)
{
    static signed char known[GPI_DEVICES];
    const size_t warp_tiles = gpi_divide_up(job->n, GPI(warp_tile_n));

    return GPI(small_serves) && ((uintptr_t)job->in | (uintptr_t)job->out) % 16 == 0 &&
           (warp_tiles <= GPI(warp_tiles) || !job->in_place) &&
           warp_tiles <= (size_t)GPI(small_most) * GPI(warp_tiles) && warp_tiles <= GP_GRID &&
           (gpi_kernel_ready((const void *)GPI(small_kernel), GPI(simple_bytes), known) & GPI_KERNEL_SM90) != 0;
}

static inline cudaError_t GPI(launch_small)(GPI(job) job, GPI_CONTEXT context, cudaStream_t stream)
{
    const unsigned warp_tiles = (unsigned)gpi_divide_up(job.n, GPI(warp_tile_n));
    const unsigned warps = warp_tiles <= GPI(warp_tiles) ? warp_tiles : 1;

    job.warp_tiles = 1; /* for what GPI(sum_tile) takes for a tile */
    return GPI_LAUNCH_DEPENDENT(1, GPI(small_kernel), warp_tiles / warps, 32 * warps, warps * GPI(slot_bytes), stream,
                                job, context);
}
