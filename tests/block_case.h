/*
 * block_case.h: stamps out block and warp folds of an instance, kernels that call them, and a check.
 *
 *     CASE, CASE_TYPE, CASE_OP, CASE_REF, CASE_IDENTITY, CASE_EMPTY, CASE_MAKE    as in fold_case.h
 *     CASE_BLOCK          GP_BLOCK, a number       CASE_X, CASE_Y, CASE_Z   the block's shape
 *
 * All are undefined at the end.
 */
#define GP_NAME  CASE
#define GP_TYPE  CASE_TYPE
#define GP_OP    CASE_OP
#define GP_BLOCK CASE_BLOCK
#ifdef CASE_IDENTITY
#define GP_IDENTITY CASE_IDENTITY
#endif
#include <gpuprims/block/block_scan.cuh>

#define GP_NAME  CASE
#define GP_TYPE  CASE_TYPE
#define GP_OP    CASE_OP
#define GP_BLOCK CASE_BLOCK
#ifdef CASE_IDENTITY
#define GP_IDENTITY CASE_IDENTITY
#endif
#include <gpuprims/block/block_reduce.cuh>

/* Every block folds its own part of the input with the function that is asked for. */
static __global__ void __launch_bounds__(CASE_BLOCK)
    CASE_F(kernel)(const CASE_TYPE *in, CASE_TYPE *out, CASE_TYPE *totals, int function)
{
    GP_SHARED(CASE_F(block_scan_storage), scan_storage);
    GP_SHARED(CASE_F(block_reduce_storage), reduce_storage);
    unsigned rank = threadIdx.x + CASE_X * (threadIdx.y + CASE_Y * threadIdx.z);
    unsigned i = blockIdx.x * CASE_BLOCK + rank;
    CASE_TYPE x = in[i], total = x;

    switch (function) {
    case BLOCK_INCLUSIVE: x = CASE_F(block_inclusive_scan)(x, &scan_storage, NULL); break;
    case BLOCK_INCLUSIVE_TOTAL: x = CASE_F(block_inclusive_scan)(x, scan_storage, &total); break;
    case BLOCK_EXCLUSIVE: x = CASE_F(block_exclusive_scan)(x, scan_storage, NULL); break;
    case BLOCK_EXCLUSIVE_TOTAL: x = CASE_F(block_exclusive_scan)(x, &scan_storage, &total); break;
    case BLOCK_REDUCE: x = CASE_F(block_reduce)(x, &reduce_storage); break;
    case BLOCK_REDUCE_NAME: x = CASE_F(block_reduce)(x, reduce_storage); break;
    case WARP_INCLUSIVE: x = CASE_F(warp_inclusive_scan)(x); break;
    case WARP_EXCLUSIVE: x = CASE_F(warp_exclusive_scan)(x); break;
    case WARP_REDUCE: x = CASE_F(warp_reduce)(x); break;
    case BLOCK_TWICE: /* the storage again, after a barrier */
        x = CASE_F(block_inclusive_scan)(x, &scan_storage, NULL);
        __syncthreads();
        x = CASE_F(block_exclusive_scan)(in[i], &scan_storage, &total);
        break;
    }
    out[i] = x;
    totals[i] = total;
}

/* What the kernel should give for a group of `size` neighbours. */
static void CASE_F(reference)(const CASE_TYPE *in, CASE_TYPE *out, CASE_TYPE *totals, unsigned size,
                              int function)
{
    CASE_TYPE sum = in[0], before = CASE_EMPTY;
    int reduce = function == BLOCK_REDUCE || function == BLOCK_REDUCE_NAME || function == WARP_REDUCE;
    int exclusive = function == BLOCK_EXCLUSIVE || function == BLOCK_EXCLUSIVE_TOTAL ||
                    function == WARP_EXCLUSIVE || function == BLOCK_TWICE;
    int total = function == BLOCK_INCLUSIVE_TOTAL || function == BLOCK_EXCLUSIVE_TOTAL ||
                function == BLOCK_TWICE;

    for (unsigned i = 0; i < size; i++) {
        if (i > 0) {
            before = sum;
            sum = CASE_REF(before, in[i]);
        }
        out[i] = exclusive ? before : sum;
    }
    for (unsigned i = 0; i < size; i++) {
        if (reduce)
            out[i] = sum;
        totals[i] = total ? sum : in[i];
    }
}

static void CASE_F(check)(void)
{
    enum { BLOCKS = 3, N = BLOCKS * CASE_BLOCK };
    CASE_TYPE *in = (CASE_TYPE *)malloc(5 * N * sizeof *in), *want = in + N, *want_totals = in + 2 * N;
    CASE_TYPE *got = in + 3 * N, *got_totals = in + 4 * N;
    size_t bytes = N * sizeof *in;
#ifdef __cplusplus
    dim3 block(CASE_X, CASE_Y, CASE_Z);
#else
    dim3 block = {CASE_X, CASE_Y, CASE_Z};
#endif

    for (int function = 0; function < BLOCK_FUNCTIONS; function++) {
        unsigned size = function >= WARP_INCLUSIVE && function <= WARP_REDUCE ? 32 : CASE_BLOCK;
        unsigned wrong = 0;

        for (size_t i = 0; i < N; i++) {
            uint64_t r = tap_random();

            (void)r;
            in[i] = CASE_MAKE;
        }
        for (unsigned first = 0; first < N; first += size)
            CASE_F(reference)(in + first, want + first, want_totals + first, size, function);

        tap_buffer d_in = tap_buffer_of(in, bytes, sizeof *in), d_out = tap_buffer_new(bytes, sizeof *in);
        tap_buffer d_totals = tap_buffer_new(bytes, 0);
        GP_LAUNCH(CASE_F(kernel), BLOCKS, block, 0, 0, (const CASE_TYPE *)d_in.data,
                  (CASE_TYPE *)d_out.data, (CASE_TYPE *)d_totals.data, function);
        must(cudaGetLastError());
        tap_buffer_read(got, &d_out, bytes);
        tap_buffer_read(got_totals, &d_totals, bytes);
        for (size_t i = 0; i < N; i++)
            if (memcmp(got + i, want + i, sizeof *in) || memcmp(got_totals + i, want_totals + i, sizeof *in))
                wrong++;
        ok(wrong == 0 && tap_buffer_intact(&d_out, bytes), "%s: %s, blocks of %d x %d x %d (%u wrong)",
           CASE_TEXT(CASE), block_names[function], CASE_X, CASE_Y, CASE_Z, wrong);
        tap_buffer_free(&d_in);
        tap_buffer_free(&d_out);
        tap_buffer_free(&d_totals);
    }
    free(in);
}

#undef CASE
#undef CASE_TYPE
#undef CASE_OP
#undef CASE_REF
#undef CASE_IDENTITY
#undef CASE_EMPTY
#undef CASE_MAKE
#undef CASE_BLOCK
#undef CASE_X
#undef CASE_Y
#undef CASE_Z
