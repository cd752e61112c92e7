/*
 * run_shapes.h: what the tests of runs of equal neighbours share: where the runs of an input begin, keys of several
 * types, and which sizes to try.
 */
#ifndef RUN_SHAPES_H
#define RUN_SHAPES_H

#include "fold_check.h"

/* ---- keys ------------------------------------------------------------------------------------ */

/* 12, 48 and 200 bytes; they are compared by their last word. */
typedef struct key12 {
    uint32_t at[3];
} key12;

typedef struct key48 {
    uint64_t at[6];
} key48;

typedef struct key200 {
    uint64_t at[25];
} key200;

#define RUN_KEY(type)                                                            \
    __attribute__((unused)) static type make_##type(uint32_t label, uint64_t r)  \
    {                                                                            \
        const unsigned last = sizeof(type) / sizeof ((type *)0)->at[0] - 1;      \
        type x;                                                                  \
                                                                                 \
        for (unsigned i = 0; i < last; i++)                                      \
            x.at[i] = (__typeof__(x.at[0]))(r * (2 * i + 1));                    \
        x.at[last] = label;                                                      \
        return x;                                                                \
    }                                                                            \
    static __host__ __device__ inline int same_##type(type a, type b)            \
    {                                                                            \
        const unsigned last = sizeof a / sizeof a.at[0] - 1;                     \
                                                                                 \
        return a.at[last] == b.at[last] ? -64 : 0; /* true need not be 1 */      \
    }
RUN_KEY(key12)
RUN_KEY(key48)
RUN_KEY(key200)

/* Numbers; some runs are of NaNs, each of which is a run of its own, some of zeros of both signs. */
__attribute__((unused)) static float make_float_key(uint32_t label, uint64_t r)
{
    return label % 11 == 7 ? __builtin_nanf("") : label % 5 == 1 ? (r & 1 ? -0.0f : 0.0f) : (float)label;
}

/* Not transitive: neighbours that differ by 1 are of a run. */
__attribute__((unused)) static int make_near_key(uint32_t label, uint64_t r)
{
    return (int)(label * 5 + r % 3);
}

static __host__ __device__ inline int is_near(int a, int b)
{
    return a - b <= 1 && b - a <= 1;
}

/* A key that knows its place, and what happens if it is compared to anything but its neighbour, or itself. */
typedef struct place_key {
    uint32_t place, label;
} place_key;

__attribute__((unused)) static place_key make_place_key(uint32_t label, size_t i)
{
    place_key x = {0x40000000u + (uint32_t)i, label};

    return x;
}

static __host__ __device__ inline int same_place_key(place_key a, place_key b, uint32_t *strangers)
{
    if (a.place >> 30 != 1 || (b.place != a.place && b.place != a.place + 1))
        *strangers = 1;
    return a.label == b.label;
}

/* ---- where runs begin ------------------------------------------------------------------------ */

enum {
    RUNS_ONE,
    RUNS_OF_1,
    RUNS_OF_2,
    RUNS_OF_3,
    RUNS_OF_4,
    RUNS_OF_5,
    RUNS_OF_64,
    RUNS_OF_1000,
    RUNS_TILE_STARTS,
    RUNS_TILE_ENDS,
    RUNS_WARP_TILE_STARTS,
    RUNS_WARP_TILE_ENDS,
    RUNS_THREAD_STARTS,
    RUNS_LONG,
    RUNS_LAST,
    RUNS_HALVES,
    RUNS_QUARTERS,
    RUNS_RANDOM_2,
    RUNS_RANDOM_8,
    RUNS_RANDOM_100,
    RUNS_RANDOM_3000,
    RUNS_MIXED,
    RUN_SHAPES
};

__attribute__((unused)) static const char *const run_shape_names[] = {
    "one run", "runs of 1", "runs of 2", "runs of 3", "runs of 4", "runs of 5", "runs of 64", "runs of 1000",
    "runs from the start of each tile", "runs from the last item of each tile",
    "runs from the start of each warp tile", "runs from the last item of each warp tile",
    "runs from the start of each thread's items", "runs over several tiles", "a run of all and one of the last",
    "half a run, half single items", "a quarter of each warp tile, or one head more", "random runs of 2",
    "random runs of 8", "random runs of 100", "random runs of 3000", "random runs of all kinds"};

/* Items of a thread, a warp tile and a tile. */
typedef struct run_units {
    size_t thread, warp_tile, tile;
} run_units;

static int run_begins(int shape, size_t i, size_t n, const run_units *u)
{
    static const unsigned densities[] = {1, 2, 3, 5, 1000000, 40, 8, 700};
    const size_t warp_tile = i / u->warp_tile, place = i % u->warp_tile;

    switch (shape) {
    case RUNS_ONE: return 0;
    case RUNS_OF_1: return 1;
    case RUNS_OF_2: return i % 2 == 0;
    case RUNS_OF_3: return i % 3 == 0;
    case RUNS_OF_4: return i % 4 == 0;
    case RUNS_OF_5: return i % 5 == 0;
    case RUNS_OF_64: return i % 64 == 0;
    case RUNS_OF_1000: return i % 1000 == 0;
    case RUNS_TILE_STARTS: return i % u->tile == 0;
    case RUNS_TILE_ENDS: return (i + 1) % u->tile == 0;
    case RUNS_WARP_TILE_STARTS: return place == 0;
    case RUNS_WARP_TILE_ENDS: return place + 1 == u->warp_tile;
    case RUNS_THREAD_STARTS: return i % u->thread == 0;
    case RUNS_LONG: return i % (2 * u->tile + 17) == u->tile / 3;
    case RUNS_LAST: return i + 1 == n;
    case RUNS_HALVES: return i > n / 2;
    case RUNS_QUARTERS: return place * 4 < u->warp_tile || (warp_tile % 2 && place + 1 == u->warp_tile);
    case RUNS_RANDOM_2: return tap_below(2) == 0;
    case RUNS_RANDOM_8: return tap_below(8) == 0;
    case RUNS_RANDOM_100: return tap_below(100) == 0;
    case RUNS_RANDOM_3000: return tap_below(3000) == 0;
    default: return tap_below(densities[(warp_tile * 5 + n) % 8]) == 0;
    }
}

/* labels[i], which differs by 1 where a run begins. */
__attribute__((unused)) static void run_labels(uint32_t *labels, size_t n, int shape, const run_units *u)
{
    uint32_t label = (uint32_t)tap_below(1000);

    for (size_t i = 0; i < n; i++)
        labels[i] = label += run_begins(shape, i, n, u) ? 1 : 0;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

enum { RUN_SIZES = 28 };

/* Around the units of an instance, up to some tiles of at most `limit` items. */
__attribute__((unused)) static unsigned run_sizes(size_t *sizes, const run_units *u, size_t limit)
{
    const size_t all[RUN_SIZES] = {
        0, 1, 2, 31, 32, 33, 97, 997, u->thread - 1, u->thread, u->thread + 1, u->warp_tile - 1, u->warp_tile,
        u->warp_tile + 1, 3 * u->warp_tile + u->thread / 2 + 1, u->tile - 1, u->tile, u->tile + 1,
        u->tile + u->warp_tile, 2 * u->tile - 1, 2 * u->tile, 2 * u->tile + 1, 3 * u->tile - u->thread, 10007,
        5 * u->tile + 41, 32 * u->tile, 33 * u->tile + 1, 100003};
    unsigned count = 0;

    for (unsigned k = 0; k < RUN_SIZES; k++)
        if (all[k] <= limit)
            sizes[count++] = all[k];
    return count;
}

#endif
