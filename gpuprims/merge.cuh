/*
 * merge.cuh: merges two sorted arrays.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_TYPE        T, any trivially copyable type of up to 1024 bytes (int)
 *              GP_LESS(a, b)  true when a comes before b (a < b); with GP_CONTEXT: GP_LESS(a, b, context)
 *              GP_CONTEXT     type of a by-value argument before `ws`
 *              GP_INDEX       an integer type of 4 or 8 bytes that na + nb has to fit (size_t)
 *              GP_API         linkage of the host functions (static inline)
 *              GP_KERNEL, GP_GRID  for tests; n alone says which kernels run, and with how many blocks
 *
 * Generates    cudaError_t NAME_merge(const T *a, size_t na, const T *b, size_t nb, T *out, ...)
 *              size_t      NAME_merge_workspace_bytes(size_t na, size_t nb)
 *              where ... is [context,] ws, stream
 *
 *     a          0 1 3 5
 *     b          1 2 5
 *     merged     0 1 1 2 3 5 5
 *
 *     #include <gpuprims/merge.cuh>
 *     gp_merge(d_a, na, d_b, nb, d_out, NULL, stream);
 *
 * Order        GP_LESS is a strict weak order, and a and b are sorted by it. Items neither of which comes
 *              before the other keep their order, and those of a come before those of b.
 * Guarantees   Asynchronous on `stream`. out has na + nb items and overlaps neither a nor b.
 * Evaluations  GP_LESS is evaluated on items of the input only, two at a time: some 1.5 (na + nb) times for
 *              items of up to 16 bytes, 2.5 (na + nb) for 128, 25 (na + nb) for 1024.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched; else
 *              what a launch or an allocation returned. na + nb == 0 succeeds and writes nothing.
 *
 * How it works: a merge path (Green, McColl and Bader, GPU merge path, 2012). The output is cut into tiles;
 * for each of them a search finds the pieces of a and b that make it up, and a block merges them:
 * core/merge/pass.cuh. docs/merge-sort.md has pictures. Cost: each item is read and written once, in two
 * launches, or one if a single tile holds everything. Workspace: 128 bytes for each tile, of 32 KB at most.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG merge
#define GPI_HEADER "gpuprims/merge.cuh"
#define GPI_TAKES \
    (GPI_TAKES_TYPE | GPI_TAKES_LESS | GPI_TAKES_CONTEXT | GPI_TAKES_INDEX | GPI_TAKES_API | \
     GPI_TAKES_KERNEL | GPI_TAKES_GRID)
#endif
#include "core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/merge.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_MISSING_CONTEXT_USER
#error "gpuprims/merge.cuh: GP_LESS is missing; nothing else would receive the GP_CONTEXT"
#endif

#if !defined GPI_DEFAULT || !defined GPI_MERGE_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_MERGE_DEFAULT
#endif
GPI_ONCE_PER_NAME(merge);
GPI_CHECK_INDEX();

#define GPI_MERGE_PAIRS 0
#define GPI_MERGE_VALUE char

#include "core/instance/less.cuh"
#include "core/merge/shape.cuh"
#include "block/core/merge.cuh"
#include "core/merge/pass.cuh"

GP_API size_t GPI_PUBLIC(merge_workspace_bytes)(size_t na, size_t nb)
{
    const size_t n = gpi_add_sizes(na, nb), tiles = n ? GPI(pass_tiles)(n, n) : 0;

    if (n == SIZE_MAX)
        return SIZE_MAX;
    return gpi_workspace_request(
        tiles > 1 ? gpi_multiply_sizes(tiles, GPI_MERGE_MAX_WAYS * sizeof(size_t)) : 0);
}

/* Merges the sorted arrays a and b. */
GP_API cudaError_t GPI_PUBLIC(merge)(const GP_TYPE *a, size_t na, const GP_TYPE *b, size_t nb, GP_TYPE *out,
                                     GPI_CONTEXT_PARAMETER gp_workspace *ws, cudaStream_t stream)
{
    const char *function = GPI_TEXT(merge);
    const size_t n = gpi_add_sizes(na, nb);
    const gpi_argument used[] = {{"a", a, na * sizeof *a, GPI_READ, 0},
                                 {"b", b, nb * sizeof *b, GPI_READ, 0},
                                 {"out", out, n * sizeof *out, GPI_WRITTEN, 0}};
    GPI(pass) pass;
    gpi_scratch scratch;

    if (na && !a)
        return gpi_error_null_of(function, "a", "na", na);
    if (nb && !b)
        return gpi_error_null_of(function, "b", "nb", nb);
    if (n && !out)
        return gpi_error_null_of(function, "out", "na + nb", n);
    if (n == 0)
        return cudaSuccess;
    const size_t tiles = GPI_MAX_TILES * GPI_MERGE_PASS_N, most = GPI_MOST_OF(GP_INDEX);
    cudaError_t error = gpi_check_count(function, "na + nb", n, tiles < most ? tiles : most, sizeof *out);
    if (error == cudaSuccess)
        error = gpi_check_overlap(function, used, 3);
    if (error != cudaSuccess)
        return error;
    error = gpi_scratch_acquire(&scratch, ws, GPI_PUBLIC(merge_workspace_bytes)(na, nb), stream,
                                function);
    if (error != cudaSuccess)
        return error;
    memset((void *)&pass, 0, sizeof pass);
    pass.keys[0] = a;
    pass.keys[1] = b;
    pass.keys_out = out;
    pass.n = pass.group = n;
    pass.run = na;
    pass.log = 1;
    pass.splits = (size_t *)scratch.memory;
    error = GPI(pass_launch)(&pass, GPI_CONTEXT_VALUE, GPI(dependent)(), stream);
    return gpi_scratch_release(&scratch, error, stream);
}

#include "block/core/merge_end.cuh"
#endif
#include "core/instance/end.cuh"
