/*
 * core/tile/small.cuh: the same pass as core/tile/simple.cuh, for small inputs, with little code: a warp for each warp
 * tile, in a block of its own. It publishes the sum of its warp tile, and polls those of all warp tiles before it: a
 * lane those of a tile, which it folds as a block folds its warp tiles, so that the results have the same bits. One
 * tile is one block, whose warps publish in shared memory.
 *
 * Needs from the primitive, besides core/tile/forward.cuh and what core/tile/simple.cuh needs, GPI(simple_between)
 * included:
 *
 *     GPI(small_serves)     a constant: whether items are small enough; others would take many registers
 *     GPI(small_most)       a constant: tiles, 32 at most; with more, the simple kernel is faster
 *
 * A job also has the arrays `in` and `out`, aligned to 16 bytes: so there is no code for anything else. What is called
 * may use these, n, in_place and what is the primitive's own. Each warp has an equal part of the dynamic shared
 * memory, which is all that a block shares.
 */
enum {
    GPI(small_tiles) = 32, /* there is room for so many: a lane has one */
    GPI(small_room) = GPI(small_serves) ? 16 * (int)GPI(warp_tiles) * (int)GPI(tile_state_words) : 1 /* in vectors */
};
GPI_STATIC_ASSERT((int)GPI(small_most) <= (int)GPI(small_tiles), "a lane has one tile");

#if GPI_SM90_CODE
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
GPI_DEVICE GPI(sum) GPI(small_look_back)(const GPI(job) *job, uint64_t read[][GPI(tile_state_words)],
                                         const uint64_t *states, int first, unsigned lane, uint32_t epoch,
                                         GPI_CONTEXT context)
{
    GPI(sum) x[GPI(warp_tiles)];

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
            const GPI(sum) sum = GPI(sum_tile)(job, tile * GPI(warp_tiles) + k, lane, context);

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

/* One block on a multiprocessor may be all that there is: it may take all registers. */
static __global__ void __launch_bounds__(32 * GPI(warp_tiles), 1) GPI(small_kernel)(GPI(job) job, GPI_CONTEXT context)
{
#if GPI_SM90_CODE
    GP_DYNAMIC_SHARED(char, slots);
    GP_SHARED(uint4[GPI(small_room)], room); /* for the states, if it is one tile */
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warp_tile = blockIdx.x + warp;
    const unsigned tile = warp_tile / GPI(warp_tiles), place = warp_tile % GPI(warp_tiles); /* in its tile */
    const int one = gridDim.x == 1, checks_out = lane == 0 && !one;
    uint64_t *states = one ? (uint64_t *)(void *)room : (uint64_t *)(job.head + 1), checked_out = 0;
    GPI(simple_held) held;
    GPI(sum) sum;

    if (!GPI(small_serves))
        return;
    /* What the compiler should know. */
    job.in = (const GP_INPUT_TYPE *)((uintptr_t)job.in & ~(uintptr_t)15);
    job.out = (GP_TYPE *)((uintptr_t)job.out & ~(uintptr_t)15);
    job.n = (uint32_t)job.n;
    gpi_grid_wait();
    gpi_grid_launch_next();
    const uint64_t ticket = one ? 0 : gpi_read_ticket(job.head);
    if (checks_out) /* the sector of its state, for those who will poll it */
        gpi_prefetch(&states[GPI_TILE_STATE_AT(GPI(small_state)(place, tile), 0)]);
    const int has_sum = GPI(simple_sum)(&job, &held, warp_tile, slots, &sum, lane, warp, 1, context);
    const uint32_t epoch = gpi_ticket_epoch(ticket);
    if (has_sum)
        GPI(publish)(states, GPI(small_state)(place, tile), sum, epoch);
    if (one)
        __syncthreads(); /* all have published */
    /* The block has read the ticket, whose lower half is zero. What comes back is used late. */
    if (checks_out)
        checked_out = atomicAdd(&job.head->done, (uint32_t)ticket + gpi_one());

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
    if (!one) /* if polled at once, they would not be there yet */
        gpi_pause(100); /* ns */
    GPI(small_read)(read, states, first, lane, epoch);
    GPI(simple_between)(&job, &held, warp_tile, slots, lane, warp, 1);

    sum = GPI(small_look_back)(&job, read, states, first, lane, epoch, context);
    GPI(look) look = GPI(look_start)(&job);
    GPI(before) before;

    GPI_UNDEFINED(before);
    before.has_warps = place > 0;
    before.warps = GPI(shuffle)(sum, (int)tile);
    if (tile)
        GPI(look_add)(&look, GPI(shuffle)(GPI(warp_reduce)(sum, (int)lane, (int)tile), 0));
    before.tiles = look.sum;
    before.has_tiles = look.has_sum;
    if (checks_out)
        gpi_finish_launch(job.head, epoch, checked_out);
    GPI(simple_put)(&job, NULL, &held, &before, warp_tile, slots, lane, warp, 1, context);
#endif
}

/* Whether it serves: every warp tile gets a warp at once, and a warp that waits long may fold another one's. */
static inline int GPI(is_small)(const GPI(job) *job, size_t warp_tiles)
{
    static signed char known[GPI_DEVICES];
    const int is_aligned = ((uintptr_t)job->in | (uintptr_t)job->out) % 16 == 0;

    return GPI(small_serves) && is_aligned && (warp_tiles <= GPI(warp_tiles) || !job->in_place) &&
           warp_tiles <= (size_t)GPI(small_most) * GPI(warp_tiles) && warp_tiles <= GP_GRID &&
           (gpi_kernel_ready((const void *)GPI(small_kernel), GPI(simple_bytes), known) & GPI_KERNEL_SM90) != 0;
}

static inline cudaError_t GPI(launch_small)(GPI(job) job, unsigned warp_tiles, GPI_CONTEXT context, cudaStream_t stream)
{
    const unsigned warps = warp_tiles <= GPI(warp_tiles) ? warp_tiles : 1;
    const unsigned bytes = (unsigned)GPI(simple_bytes) / (unsigned)GPI(warp_tiles); /* of a warp */

    job.warp_tiles = 1; /* GPI(sum_tile) is asked for single warp tiles */
    return GPI_LAUNCH_DEPENDENT(1, GPI(small_kernel), warp_tiles / warps, 32 * warps, warps * bytes, stream, job,
                                context);
}
