/*
 * core/transform/units.cuh: moves items through registers, a unit of neighbouring ones at a time. What the input is
 * decides only how a unit gets there (GPI(read_unit)), and where the results go how it leaves (GPI(write_unit)).
 *
 *     pointers, items of 1, 2, 4, 8 or 16 bytes   the wider side of a unit is a vector of 16 bytes, the other one a
 *                                                 smaller vector
 *     GP_LOAD_AT, results of 1, 2 or 4 bytes      8 bytes of results
 *     all others                                  an item
 *
 * Vectors are written where they are aligned. The items before the first such place, and what remains at the end,
 * go one by one. Where the input is misaligned to that, the two vectors around each unit are read and shifted, or,
 * where its side is less than 16 bytes, its items one by one.
 *
 * Part of transform.cuh; not to be included directly.
 */
#define GPI_IS_VECTOR(bytes) ((bytes) <= 16 && ((bytes) & ((bytes) - 1)) == 0)

enum {
#ifdef GP_LOAD_AT
    GPI(in_bytes) = 1, /* what is read is unknown */
#else
    GPI(in_bytes) = sizeof(GP_INPUT_TYPE),
#endif
    GPI(out_bytes) = sizeof(GP_TYPE),
    GPI(wider) = (int)GPI(in_bytes) > (int)GPI(out_bytes) ? (int)GPI(in_bytes) : (int)GPI(out_bytes),
#if defined GP_LOAD_AT || defined GP_STORE_AT
    GPI(by_vectors) = 0,
    GPI(by_slots) = 0,
#else
    GPI(by_vectors) = GPI_IS_VECTOR(GPI(in_bytes)) && GPI_IS_VECTOR(GPI(out_bytes)),
    GPI(by_slots) = !GPI(by_vectors) && GPI(wider) <= 128, /* core/transform/slots.cuh */
#endif
#if defined GP_LOAD_AT && !defined GP_STORE_AT
    GPI(unit_n) = GPI_IS_VECTOR(GPI(out_bytes)) && GPI(out_bytes) < 8 ? 8 / GPI(out_bytes) : 1, /* items of a unit */
#else
    GPI(unit_n) = GPI(by_vectors) ? 16 / GPI(wider) : 1,
#endif
    GPI(unit_in) = GPI(unit_n) * GPI(in_bytes),
    GPI(unit_out) = GPI(unit_n) * GPI(out_bytes),
    GPI(unit_bytes) = GPI(unit_in) > GPI(unit_out) ? GPI(unit_in) : GPI(unit_out)
};

/*
 * Threads of a block, and units that each has on their way at a time; of large inputs the second pair. Where less is
 * read than written, many reads are needed. A large input that is written as it is read is fastest with no more than
 * 32 KB on their way to a multiprocessor, which is a vector for each thread. With GP_LOAD_AT the second pair is for no
 * input at all, since blocks that only write end sooner than others can start, unless each has much to write; and for
 * many results of a byte.
 */
enum {
    GPI(widens) = GPI(by_vectors) && (int)GPI(unit_in) < 16,
    GPI(narrows) = GPI(by_vectors) && (int)GPI(unit_out) < 16,
#ifdef GP_LOAD_AT
    GPI(threads) = 128,
    GPI(large_threads) = 256,
    GPI(large_rows) = GPI(unit_bytes) <= 16 ? 4 : GPI(unit_bytes) <= 32 ? 2 : 1,
    GPI(rows) = GPI(unit_n) == 8 ? 2 : (int)GPI(large_rows) /* eight expressions are work enough */
#else
    GPI(threads) = GPI(by_slots) || (GPI(by_vectors) && !GPI(widens) && !GPI(narrows)) ? 128 : 256,
    GPI(large_threads) = GPI(widens) ? 512 : GPI(by_slots) ? 128 : 256,
    GPI(rows) = GPI(by_slots)                              ? 1
                : GPI(widens) || GPI(unit_bytes) <= 4      ? 4
                : GPI(by_vectors) || GPI(unit_bytes) <= 32 ? 2
                                                           : 1,
    GPI(large_rows) = !GPI(by_vectors) ? (int)GPI(rows) : GPI(widens) || GPI(narrows) ? 2 : 1
#endif
};

/* What a launch works on. */
typedef struct {
    const GP_INPUT_TYPE *in;
    GP_TYPE *out;
    const GP_INDEX *d_n; /* NULL, or where the number of items is */
    size_t n;            /* of items, or the most that *d_n counts */
    unsigned rows;       /* units of a thread in a tile */
    unsigned tile_bits;  /* a tile has as many units as this power of two */
    unsigned whole;      /* the first blocks, each with one tile, if the units start with item 0 and are aligned */
    int by_chunks;       /* instead, through shared memory: core/transform/slots.cuh */
} GPI(job);

/* How the items are divided. */
typedef struct {
    size_t head;  /* items before the first unit */
    size_t units; /* neighbours */
    size_t ends;  /* items of no unit: the head, and those behind the last unit */
    unsigned misaligned; /* bytes that the units of the input lie behind the vectors that they are read as */
} GPI(plan);

/* Where no count is read on the device, the host makes the plan, too. */
static __host__ __device__ __forceinline__ GPI(plan) GPI(plan_of)(const GPI(job) *job, size_t n)
{
    GPI(plan) plan = {0, n, 0, 0};

    if (GPI(unit_n) == 1 && !GPI(by_vectors))
        return plan;
    const unsigned before = (0 - (unsigned)(uintptr_t)job->out) % GPI(unit_out);
    plan.head = before / GPI(out_bytes);
    if (before % GPI(out_bytes) || plan.head > n) /* no unit is ever aligned, or none is left */
        plan.head = n;
    plan.units = (n - plan.head) / GPI(unit_n);
#ifndef GP_LOAD_AT
    plan.misaligned = (unsigned)(uintptr_t)(job->in + plan.head) % GPI(unit_in);
    if (plan.misaligned && GPI(unit_in) == 16) {
        /* The vectors around a unit must not reach out of the array. */
        if (plan.head * GPI(in_bytes) < plan.misaligned)
            plan.head = n - plan.head < GPI(unit_n) ? n : plan.head + GPI(unit_n);
        const size_t vectors = ((n - plan.head) * GPI(in_bytes) + plan.misaligned) / 16;
        plan.units = vectors < 2 ? 0 : vectors - 1;
    }
#endif
    plan.ends = n - plan.units * GPI(unit_n);
    return plan;
}

#if GPI_DEVICE_CODE
/* A unit of results, and of what is read; of the latter two vectors, where it lies across them. */
typedef union GPI(output) {
    GPI_UNION(GPI(output))
    uint32_t words[4];
    GP_TYPE items[GPI(unit_n)];
} GPI(output);

#ifdef GP_LOAD_AT
typedef GPI(output) GPI(input);
#else
typedef union GPI(input) {
    GPI_UNION(GPI(input))
    uint32_t words[8];
    GP_INPUT_TYPE items[GPI(unit_n)];
} GPI(input);
#endif

#include "../instance/load.cuh"

/* ---- a unit ---------------------------------------------------------------------------------- */

/* Reads the unit that starts with item i. Nothing is done with it yet, so that others can be read meanwhile. */
GPI_DEVICE void GPI(read_unit)(GPI(input) *unit, const GP_INPUT_TYPE *in, size_t i, unsigned misaligned,
                               GPI_CONTEXT context)
{
#ifdef GP_LOAD_AT
    (void)misaligned;
    GPI_UNROLL
    for (int k = 0; k < GPI(unit_n); k++) {
        const size_t at = i + (size_t)k;

        GPI_ASSUME(k == 0 || at != 0); /* then what is different at 0 costs the others nothing */
        unit->items[k] = GPI(load_at)(in, at, context);
    }
#else
    const char *from = (const char *)(in + i) - misaligned;

    (void)context;
    if (GPI(by_vectors) && !misaligned) {
        gpi_read_vector(unit->words, from, GPI(unit_in));
    } else if (GPI(by_vectors) && GPI(unit_in) == 16) {
        gpi_read_vector(unit->words, from, 16);
        gpi_read_vector(unit->words + 4, from + 16, 16);
    } else {
        GPI_UNROLL
        for (int k = 0; k < GPI(unit_n); k++)
            gpi_move(&unit->items[k], in + i + k);
    }
#endif
}

/* Shifts a unit into place that has been read as two vectors. */
GPI_DEVICE void GPI(align_unit)(GPI(input) *unit, unsigned misaligned)
{
#ifdef GP_LOAD_AT
    (void)unit;
    (void)misaligned;
#else
    if (GPI(by_vectors) && GPI(unit_in) == 16)
        gpi_shift_down(unit->words, 4, misaligned);
#endif
}

/* Maps the unit, and writes it. */
GPI_DEVICE void GPI(write_unit)(const GPI(input) *unit, GP_TYPE *out, size_t i, GPI_CONTEXT context)
{
#ifdef GP_LOAD_AT
    const GPI(output) *results = unit;
#else
    GPI(output) mapped, *results = &mapped;

    GPI_UNROLL
    for (int k = 0; k < GPI(unit_n); k++)
        mapped.items[k] = GPI(load)(&unit->items[k], context);
#endif
    if (GPI(by_vectors) || GPI(unit_n) > 1)
        gpi_write_vector(out + i, results->words, GPI(unit_out));
    else
        GPI(store_at)(out, i, results->items[0], context);
}

/* ---- all of them ----------------------------------------------------------------------------- */

GPI_DEVICE size_t GPI(count)(const GPI(job) *job)
{
#ifdef GP_DEVICE_N
    const GP_INDEX count = *job->d_n;
    const size_t n = count > 0 ? (size_t)count : 0;

    return n < job->n ? n : job->n;
#else
    return job->n;
#endif
}

/* So many units of a thread, a constant; the first one starts with item i. Neighbouring threads move neighbours. */
GPI_DEVICE void GPI(move_rows)(const GPI(job) *job, size_t i, int rows, unsigned misaligned, GPI_CONTEXT context)
{
    const size_t next = blockDim.x * GPI(unit_n);
    GPI(input) units[4];

    if (misaligned) {
        GPI_UNROLL
        for (int r = 0; r < rows; r++)
            GPI(read_unit)(&units[r], job->in, i + (size_t)r * next, misaligned, context);
        GPI_UNROLL
        for (int r = 0; r < rows; r++)
            GPI(align_unit)(&units[r], misaligned);
    } else {
        GPI_UNROLL
        for (int r = 0; r < rows; r++)
            GPI(read_unit)(&units[r], job->in, i + (size_t)r * next, 0, context);
    }
    GPI_UNROLL
    for (int r = 0; r < rows; r++)
        GPI(write_unit)(&units[r], job->out, i + (size_t)r * next, context);
}

/* The tile of units that starts with item i. */
GPI_DEVICE void GPI(move_tile)(const GPI(job) *job, size_t i, unsigned misaligned, GPI_CONTEXT context)
{
    if (job->rows == 1)
        GPI(move_rows)(job, i, 1, misaligned, context);
    else if ((GPI(rows) == 4 || GPI(large_rows) == 4) && job->rows == 4)
        GPI(move_rows)(job, i, 4, misaligned, context);
    else if (GPI(rows) > 1 || GPI(large_rows) > 1)
        GPI(move_rows)(job, i, 2, misaligned, context);
}

/* All n items. The short way comes first: in a call that finds no instructions in a cache, each of them counts. */
GPI_DEVICE void GPI(move_units)(const GPI(job) *job, size_t n, GPI_CONTEXT context)
{
    if (blockIdx.x < job->whole) {
        GPI(move_tile)(job, (((size_t)blockIdx.x << job->tile_bits) + threadIdx.x) * GPI(unit_n), 0, context);
        return;
    }
    const GPI(plan) plan = GPI(plan_of)(job, n);
    const size_t thread = (size_t)(blockIdx.x - job->whole) * blockDim.x + threadIdx.x;
    const size_t threads = (size_t)(gridDim.x - job->whole) * blockDim.x;
    size_t tiles = job->whole;

    if (!tiles && GPI(rows) > 1 && job->rows > 1 && plan.units > threads)
        tiles = plan.units >> job->tile_bits;

    /* What is in no tile; unless the grid is limited, a thread does one thing of it, and nothing waits in a row. */
    GPI_NO_UNROLL
    for (size_t u = (tiles << job->tile_bits) + thread; u < plan.units + plan.ends; u += threads) {
        if (u < plan.units) {
            GPI(move_rows)(job, plan.head + u * GPI(unit_n), 1, plan.misaligned, context);
        } else {
            const size_t end = u - plan.units, i = end < plan.head ? end : end + plan.units * GPI(unit_n);

            GPI(store_at)(job->out, i, GPI(load_at)(job->in, i, context), context);
        }
    }
    GPI_NO_UNROLL
    for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const size_t first = plan.head + ((tile << job->tile_bits) + threadIdx.x) * GPI(unit_n);

        GPI(move_tile)(job, first, plan.misaligned, context);
    }
}
#endif
