/*
 * block/block_scan.cuh: prefix sums across the threads of a block, for kernels of your own.
 *
 * Parameters   GP_NAME, GP_TYPE (int), GP_OP (sum), GP_IDENTITY, GP_BLOCK threads (256)
 * Generates    NAME_block_scan_storage, a type for a GP_SHARED variable: GP_BLOCK + 1 values of T, and
 *              one more for every 128 bytes of them; where T is larger than 16 bytes, GP_BLOCK / 32 + 1
 *              T NAME_block_inclusive_scan(T x, storage, T *total)
 *              T NAME_block_exclusive_scan(T x, storage, T *total)     thread 0 gets the identity
 *              and what warp/warp_scan.cuh generates
 *
 *     static __global__ void place(const int *lengths, int *starts)
 *     {
 *         GP_SHARED(gp_block_scan_storage, storage);
 *
 *         starts[threadIdx.x] = gp_block_exclusive_scan(lengths[threadIdx.x], &storage, NULL);
 *     }
 *
 * storage is passed by name or by address. total may be NULL; otherwise every thread gets the fold of
 * the whole block there. All GP_BLOCK threads take part, in the order of their rank (x fastest), and
 * __syncthreads() comes before the storage is used again. GP_OP need not be commutative. T has at most
 * 1024 bytes.
 *
 * How it works: the first warp rakes (Blelloch, Scans as primitive parallel operations, 1989): each of its
 * lanes folds the values of GP_BLOCK / 32 neighbouring threads, the warp scans those sums, and each lane
 * goes over its values once more. Two barriers; most warps only store and load. Values larger than
 * 16 bytes stay in registers instead: each warp scans its own and folds the totals of the warps before.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG block_scan
#define GPI_HEADER "gpuprims/block/block_scan.cuh"
#define GPI_TAKES (GPI_TAKES_TYPE | GPI_TAKES_OP | GPI_TAKES_IDENTITY | GPI_TAKES_BLOCK)
#endif
#include "../core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/block/block_scan.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_IDENTITY
#error "gpuprims/block/block_scan.cuh: GP_IDENTITY is missing; a GP_OP of your own requires it"
#endif
#if defined GPI_MISSING_OP
#error "gpuprims/block/block_scan.cuh: GP_OP is missing; GP_IDENTITY goes with a GP_OP of your own"
#endif
#if defined GPI_WRONG_BLOCK
#error "gpuprims/block/block_scan.cuh: GP_BLOCK must be a multiple of 32 from 32 to 1024"
#endif

#if !defined GPI_DEFAULT || !defined GPI_BLOCK_SCAN_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_BLOCK_SCAN_DEFAULT
#endif
GPI_ONCE_PER_NAME(block_scan);

#include "../warp/warp_scan.cuh"
#include "core/rake.cuh"

/* An array of one element, so that its name and its address both serve as the argument. */
typedef struct {
    GP_TYPE values[GPI_RAKE_VALUES] __attribute__((aligned(__alignof__(GPI(rake_unit)))));
    GP_TYPE total;
} GPI_PUBLIC(block_scan_storage)[1];

/* Raking: scans the values of all threads in shared memory. */
GPI_DEVICE GP_TYPE GPI(block_scan_rake)(GP_TYPE x, GP_TYPE *values, GP_TYPE *shared_total, GP_TYPE *total,
                                        int exclusive)
{
    unsigned rank = gpi_thread_rank();
    GPI(rake_unit) units[GPI_RAKE_ITEMS / GPI_RAKE_UNIT_ITEMS];

    values[GPI_RAKE_PAD(rank)] = x;
    __syncthreads(); /* all values are in shared memory */
    if (rank < 32) {
        GP_TYPE scanned = GPI(warp_scan)(GPI(rake_read)(units, values, rank), (int)rank, 32);
        GP_TYPE before = GPI(shuffle_up)(scanned, 1);

        if (rank == 31)
            *shared_total = scanned;
        GPI_UNROLL
        for (unsigned i = 0; i < GPI_RAKE_ITEMS; i += GPI_RAKE_UNIT_ITEMS) {
            GP_TYPE *place = &values[GPI_RAKE_PAD(rank * GPI_RAKE_ITEMS + i)];
            GPI(rake_unit) unit = units[i / GPI_RAKE_UNIT_ITEMS];

            if (GPI_RAKE_ITEMS > 8) /* keeping them would take too many registers */
                gpi_get(unit, place);
            GPI_UNROLL
            for (int k = 0; k < GPI_RAKE_UNIT_ITEMS; k++) {
                int is_first = rank == 0 && i == 0 && k == 0;
                GP_TYPE next = is_first ? unit.items[k] : GPI(combine)(before, unit.items[k]);

                unit.items[k] = !exclusive ? next : is_first ? GPI(identity)() : before;
                before = next;
            }
            gpi_put(place, unit);
        }
    }
    __syncthreads(); /* all values are scanned */
    if (total)
        *total = *shared_total;
    return values[GPI_RAKE_PAD(rank)];
}

/* Scans the values of each warp in its registers. */
GPI_DEVICE GP_TYPE GPI(block_scan_warps)(GP_TYPE x, GP_TYPE *totals, GP_TYPE *total, int exclusive)
{
    unsigned rank = gpi_thread_rank();
    GP_TYPE scanned = GPI(warp_scan)(x, (int)(rank % 32), 32), prefix = scanned;
    GP_TYPE before = GPI(shuffle_up)(scanned, 1);

    GPI(block_prefix)(scanned, rank, GP_BLOCK, totals, &prefix, total);
    if (!exclusive)
        return rank < 32 ? scanned : GPI(combine)(prefix, scanned);
    if (rank < 32)
        return rank ? before : GPI(identity)();
    return rank % 32 ? GPI(combine)(prefix, before) : prefix;
}

GPI_DEVICE GP_TYPE GPI_PUBLIC(block_inclusive_scan)(GP_TYPE x, void *storage, GP_TYPE *total)
{
    GP_TYPE *values = (*(GPI_PUBLIC(block_scan_storage) *)storage)->values;

    if (!GPI_RAKES)
        return GPI(block_scan_warps)(x, values, total, 0);
    return GPI(block_scan_rake)(x, values, &(*(GPI_PUBLIC(block_scan_storage) *)storage)->total, total, 0);
}

GPI_DEVICE GP_TYPE GPI_PUBLIC(block_exclusive_scan)(GP_TYPE x, void *storage, GP_TYPE *total)
{
    GP_TYPE *values = (*(GPI_PUBLIC(block_scan_storage) *)storage)->values;

    if (!GPI_RAKES)
        return GPI(block_scan_warps)(x, values, total, 1);
    return GPI(block_scan_rake)(x, values, &(*(GPI_PUBLIC(block_scan_storage) *)storage)->total, total, 1);
}

#endif
#include "../core/instance/end.cuh"
