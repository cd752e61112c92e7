/*
 * core/top_k/select.cuh: the k best of a part, by one block, in shared memory.
 *
 *     1. sample: a bound that a few more than k items are likely to be within
 *     2. stream: items within the bound go to shared memory. When it is full, all but the k best are forgotten, and the
 *        last of these is the new bound
 *     3. fewer than k: the bound was wrong. Again, without one
 *     4. forget all but the k best, and sort these
 *
 * A part that fits into shared memory and is small, or of which much is wanted, goes there as it is; then, if few are
 * wanted, the least items of threads bound it (core/top_k/minima.cuh).
 *
 * Part of top_k.cuh; not to be included directly.
 */
enum {
    GPI(most_sorted_as_is) = 256, /* up to so many entries are sorted without a selection before, */
    GPI(most_ranked) = GPI(threads) < 128 ? GPI(threads) : 128 /* and up to so many are ranked instead */
};

#if GPI_DEVICE_CODE
/* So many items become entries: all of the part, or a sample. */
GPI_DEVICE_CALL void GPI(load_entries)(uint32_t n)
{
    GP_DYNAMIC_SHARED(GPI(block), block);
    const uint32_t all = block->n;

    GPI_NO_UNROLL
    for (uint32_t first = threadIdx.x; first < n; first += 4 * blockDim.x) {
        GPI(entry) entries[4];

        GPI_UNDEFINED(entries);
        GPI_UNROLL
        for (uint32_t e = 0; e < 4; e++) { /* all are under way at a time */
            const uint32_t i = first + e * blockDim.x;

            if (i < n)
                entries[e] = GPI(entry_at)(block, n == all ? i : gpi_sample_place(i, all / n, 0));
        }
        GPI_UNROLL
        for (uint32_t e = 0; e < 4; e++)
            if (first + e * blockDim.x < n)
                GPI(put_entry)(block, first + e * blockDim.x, entries[e]);
    }
    __syncthreads(); /* the entries are there */
}

/* Bounds the part by a sample of it, or not. */
GPI_DEVICE void GPI(find_bound)(GPI(block) *block, int by_sample)
{
    const uint32_t samples = GPI_TUNE_TOP_K_BLOCK_SAMPLES;
    const uint32_t expected = gpi_min_size(block->job.k, block->n) * samples / block->n;
    const uint32_t enough = expected + expected / 2 + 9; /* expected + 4 * sqrt(expected), or more */
    const uint32_t rank = GP_KERNEL == GP_KERNEL_TOP_K_RESCUE ? 1 : enough;

    if (by_sample && rank < samples) {
        GPI(load_entries)(samples);
        GPI(bound_entries)(samples, rank);
        return;
    }
    if (threadIdx.x == 0)
        block->bound = GPI(last_entry)();
    __syncthreads(); /* there is no bound */
}

/* The k best of the part, or all. Returns how many. */
GPI_DEVICE uint32_t GPI(select_part)(GPI(block) *block)
{
    const uint32_t k = gpi_min_size(block->job.k, block->n);
    uint32_t count = block->n;

    if (count <= GPI(full_room) && (count <= GPI_TUNE_TOP_K_DIRECT || k > count / 8)) {
        GPI(load_entries)(count);
        if (GPI(enough)(k) <= GPI(most_sorted_as_is) && GPI(is_bounded_by)(count, k, blockDim.x)) {
            GPI(keep_minima)(count, k);
            count = block->count;
        }
    } else {
        GPI_NO_UNROLL
        for (int attempt = 0; attempt < 2; attempt++) {
            GPI(find_bound)(block, attempt == 0);
            GPI(stream)(block);
            count = block->count;
            if (count >= k)
                break;
        }
    }
    if (count > k && count > GPI(most_sorted_as_is)) {
        GPI(bound_entries)(count, k);
        GPI(keep_entries)(count);
        count = k;
    }
    if (block->is_last || block->job.in_order || count > k) {
        if (count <= GPI(most_ranked))
            GPI(rank_entries)(count);
        else
            GPI(sort_entries)(count);
    }
    return k;
}
#endif
