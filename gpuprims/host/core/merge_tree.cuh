/*
 * host/core/merge_tree.cuh: the loser tree of host/core/merge_runs.cuh, for words of one width:
 * GPI_TREE_WORD holds the number of a key and, in its lowest 32 bits, that of a run.
 * GPI_TREE_NAME(word) makes the names.
 */
/* What the tree compares: the number of a run's next key, then that of the run; all ones at its end. */
static inline GPI_TREE_WORD GPI_TREE_NAME(word)(const GP_KEY *keys, size_t at, size_t end,
                                                size_t run)
{
    return at < end ? (GPI_TREE_WORD)GPI(key_order)(keys[at]) << 32 | run : ~(GPI_TREE_WORD)0;
}

/*
 * Builds the tree: node p has children 2 p and 2 p + 1, run r is leaf runs + r. Each node keeps the
 * loser of its match; returns the overall winner.
 */
static inline GPI_TREE_WORD GPI_TREE_NAME(build)(GPI_TREE_WORD *tree, const GP_KEY *keys,
                                                 const size_t *at, const size_t *end, size_t runs)
{
    for (size_t r = 0; r < runs; r++)
        tree[runs + r] = GPI_TREE_NAME(word)(keys, at[r], end[r], r);
    for (size_t p = runs - 1; p > 0; p--) /* the winners first */
        tree[p] = tree[2 * p] < tree[2 * p + 1] ? tree[2 * p] : tree[2 * p + 1];

    GPI_TREE_WORD winner = tree[1];
    for (size_t p = 1; p < runs; p++)
        tree[p] = tree[2 * p] == tree[p] ? tree[2 * p + 1] : tree[2 * p];
    return winner;
}

/* Merges [at[r], end[r]) of all runs by a loser tree (Knuth, The Art of Computer Programming 3, 5.4.1). */
static inline void GPI_TREE_NAME(tree)(const GPI(runs_part) *part, GPI_TREE_WORD *tree, size_t *at,
                                       const size_t *end)
{
    const GP_KEY *keys = part->keys_in;
    const size_t runs = part->runs;
    GPI_TREE_WORD winner = GPI_TREE_NAME(build)(tree, keys, at, end, runs);

    for (size_t i = part->first; i < part->last; i++) {
        size_t run = (uint32_t)winner, place = at[run]++;

        part->keys_out[i] = keys[place];
        if (GPI_RUNS_PAIRS)
            part->values_out[i] = part->values_in[place];
        winner = GPI_TREE_NAME(word)(keys, place + 1, end[run], run);
        for (size_t p = (runs + run) / 2; p > 0; p /= 2) {
            GPI_TREE_WORD other = tree[p];
            int loses = other < winner;

            tree[p] = loses ? winner : other; /* no branch: it could not be predicted */
            winner = loses ? other : winner;
        }
    }
}

#undef GPI_TREE_NAME
#undef GPI_TREE_WORD
