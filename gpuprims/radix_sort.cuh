/*
 * radix_sort.cuh: sorts keys, alone or with values, by their digits.
 *
 * Parameters   GP_NAME        prefix of every generated name (gp, when nothing at all is defined)
 *              GP_KEY         K: an integer type of 1, 2, 4 or 8 bytes, float or double (int); or, with
 *              GP_KEY_KIND    GP_UNSIGNED, GP_SIGNED or GP_FLOAT, any other type of such a size, ordered by its
 *                             bits as by those of a number of that kind: __half, __nv_bfloat16, a struct
 *              GP_VALUE       V, any trivially copyable type of any size; without it the keys are sorted alone
 *              GP_DESCENDING  when it is defined, the largest key comes first
 *              GP_INDEX       an integer type of 4 or 8 bytes that n has to fit (size_t)
 *              GP_API         linkage of the host functions (static inline)
 *              GP_KERNEL      for tests: GP_KERNEL_PASSES, _BUCKETS, _BLOCK, ...: core/backend/launch.cuh
 *              GP_GRID        for tests: a launch has so many blocks at most
 *
 * Generates    cudaError_t NAME_radix_sort(const K *in, K *out, size_t n, ws, stream)
 *              cudaError_t NAME_radix_sort_bits(in, out, n, int begin_bit, int end_bit, ws, stream)
 * with values  cudaError_t NAME_radix_sort(const K *kin, K *kout, const V *vin, V *vout, size_t n,
 *                                          ws, stream)
 *              cudaError_t NAME_radix_sort_bits(kin, kout, vin, vout, n, int begin_bit, int end_bit,
 *                                               ws, stream)
 * and          size_t NAME_radix_sort_workspace_bytes(size_t n)
 *              size_t NAME_radix_sort_bits_workspace_bytes(size_t n, int begin_bit, int end_bit)
 *
 *     in                        1 5 0 1 2 0 3
 *     sorted                    0 0 1 1 2 3 5
 *     values, if vin is NULL    2 5 0 3 4 6 1     where each key came from
 *
 *     #include <gpuprims/radix_sort.cuh>
 *     gp_radix_sort(d_in, d_out, n, NULL, stream);
 *
 * Order        Integers by number, floats by number with NaNs past the infinities of their sign, in
 *              order of their bits. -0.0 and +0.0 are equal. The sort is stable, of keys alone too:
 *              keys that are equal keep their order.
 * Bits         radix_sort_bits looks at the bits [begin_bit, end_bit) alone, of the key as an unsigned
 *              number that orders as the keys do: a signed integer with its sign flipped, a float with
 *              its sign flipped and, if negative, all its other bits too; -0.0 counts as 0.0. Keys alike
 *              in them keep their order. An empty range copies.
 * Values       vin == NULL stands for 0, 1, 2, ...: a float or double gets the number, any other type
 *              its lowest bytes.
 * Guarantees   Asynchronous on `stream`. in == out is allowed, for keys and for values; no other
 *              overlap. Which passes are needed is found out on the device; nothing waits for the host.
 * Errors       cudaErrorInvalidValue, with gp_last_error_message(), before anything is launched; else
 *              what a launch or an allocation returned; the input is whole if an allocation failed.
 *              n == 0 succeeds and writes nothing.
 *
 * How it works: the first of five strategies that fits sorts; docs/radix-sort.md has pictures.
 *
 *     core/radix/counted.cuh   bytes alone: counted, and written from the counts, in one launch if they are few
 *     core/radix/block.cuh     small n, in one launch of one block
 *     core/radix/cluster.cuh   small n, in one launch of a cluster of blocks
 *     core/radix/buckets.cuh   keys whose topmost bits are well spread, from the highest digit down, in two or three
 *                              moves; whether they are is found out on the device, and if not the passes sort
 *     core/radix/passes.cuh    everything, from the lowest digit of 8 bits up (Adinets and Merrill, Onesweep: a faster
 *                              least significant digit radix sort for GPUs, 2022): all digits are counted in one go;
 *                              one that is the same in all keys needs no pass, each other one moves every item once.
 *                              Of large values the numbers are moved, and the values fetched once at the end
 *
 * Cost         n reads of keys, and n reads and writes of items for each digit that differs. Workspace: n keys
 *              and n values, and up to 32 MB, or 64 MB for keys of 8 bytes with values.
 *
 * No include guard: each include stamps out one instance, as its parameters say.
 */
#ifndef GPI_TAG
#define GPI_TAG radix_sort
#define GPI_HEADER "gpuprims/radix_sort.cuh"
#define GPI_TAKES \
    (GPI_TAKES_KEY | GPI_TAKES_KEY_KIND | GPI_TAKES_VALUE | GPI_TAKES_DESCENDING | GPI_TAKES_INDEX | GPI_TAKES_API | \
     GPI_TAKES_KERNEL | GPI_TAKES_GRID)
#endif
#include "core/instance/begin.cuh"

#if defined GPI_MISSING_NAME
#error "gpuprims/radix_sort.cuh: GP_NAME is missing; every other parameter requires it"
#endif
#if defined GPI_WRONG_KEY_KIND
#error "gpuprims/radix_sort.cuh: GP_KEY_KIND must be GP_UNSIGNED, GP_SIGNED or GP_FLOAT"
#endif

#if !defined GPI_DEFAULT || !defined GPI_RADIX_SORT_DEFAULT
#ifdef GPI_DEFAULT
#define GPI_RADIX_SORT_DEFAULT
#endif
GPI_ONCE_PER_NAME(GPI_TAG);
GPI_CHECK_INDEX();

#include "core/instance/radix_key.cuh"
#if GPI_DEPTH == 1
GPI_CHECK_KEY();
#endif
#include "core/radix/tuning.cuh"

#include "core/radix/shared.cuh"
#include "core/radix/counted.cuh"
#include "core/radix/block.cuh"
#include "core/radix/spread.cuh"
#include "core/radix/cluster.cuh"
#include "core/radix/passes.cuh"
#include "core/radix/buckets.cuh"

/* ---- host functions -------------------------------------------------------------------------- */

/* What the current GPU can do, found out once, when the kernels may have all shared memory; the least if that fails. */
static inline gpi_radix_device GPI(device)(void)
{
    gpi_radix_device device = {GPI_RADIX_MIN_ROOM, 1, 0};

    if (GP_KERNEL == GP_KERNEL_PASSES_OLD)
        return device;
#ifdef __CUDACC__
    static gpi_radix_device known[GPI_DEVICES]; /* room 0: not yet */
    const void *kernels[] = {(const void *)GPI(block_kernel),  (const void *)GPI(cluster_kernel),
                             (const void *)GPI(spread_kernel), (const void *)GPI(partition_kernel),
                             (const void *)GPI(bucket_kernel), (const void *)GPI(count_kernel),
                             (const void *)GPI(pass_kernel),   (const void *)GPI(small_pass_kernel)};
    gpi_radix_device found;
    struct cudaFuncAttributes attributes;
    int id = 0, room = 0;

    if (cudaGetDevice(&id) != cudaSuccess)
        return device;
    __atomic_load(&known[id % GPI_DEVICES], &found, __ATOMIC_ACQUIRE);
    if (id < GPI_DEVICES && found.room)
        return found;
    cudaError_t error = cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, id);
    room &= ~1023;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels && error == cudaSuccess; k++) {
        error = cudaFuncGetAttributes(&attributes, kernels[k]);
        if (error == cudaSuccess)
            error = cudaFuncSetAttribute(kernels[k], cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         room - 1024 - (int)attributes.sharedSizeBytes);
    }
    if (error != cudaSuccess)
        return device;
    device.room = (uint32_t)room;
    device.dependent = attributes.ptxVersion >= 90;
    device.cluster = (uint16_t)(device.dependent ? GPI(largest_cluster)(id, device.room) : 1);
    if (id < GPI_DEVICES)
        __atomic_store(&known[id], &device, __ATOMIC_RELEASE);
#else
    device.room = 227 << 10;
    device.cluster = GPI_RADIX_CLUSTER_MAX;
    device.dependent = 1;
#endif
    return device;
}

/* Refuses wrong arguments. */
static inline cudaError_t GPI(check)(const char *function, const GPI(request) *request)
{
    const size_t n = request->n, key_bytes = sizeof(GP_KEY),
                 value_bytes = GPI_RADIX_PAIRS ? sizeof(GPI_RADIX_VALUE) : 0;
    const gpi_argument used[] = {{GPI_RADIX_PAIRS ? "kin" : "in", request->keys_in, n * key_bytes, GPI_READ, 1},
                                 {GPI_RADIX_PAIRS ? "kout" : "out", request->keys_out, n * key_bytes, GPI_WRITTEN, 1},
                                 {"vin", request->values_in, n * value_bytes, GPI_READ, 2},
                                 {"vout", request->values_out, n * value_bytes, GPI_WRITTEN, 2}};

    if (request->begin_bit < 0 || request->end_bit > GPI_KEY_WIDTH || request->begin_bit > request->end_bit)
        return gpi_error(cudaErrorInvalidValue,
                         "%s: the bits from %d to %d are not in a key; 0 <= begin_bit <= end_bit <= %d", function,
                         request->begin_bit, request->end_bit, GPI_KEY_WIDTH);
    const size_t item_bytes = gpi_larger_size(key_bytes, value_bytes);
    cudaError_t error = gpi_check_count(function, "n", n, GPI_MOST_OF(GP_INDEX), item_bytes);
    return error != cudaSuccess ? error : gpi_check_arrays(function, used, 4, 2, "n", n);
}

/* Workspace for n items on any GPU. */
static inline size_t GPI(workspace)(size_t n)
{
    const GPI(call) call = {{NULL, NULL, NULL, NULL, n, 0, 0}, {GPI_RADIX_MIN_ROOM, 1, 0}, NULL, 0, 0};

    return n == 0 || GPI(block_fits)(&call) ? 0 : GPI(passes_bytes)(n);
}

/* The first strategy that fits sorts. A handle with too few bytes for some GPU is refused on all. */
static inline cudaError_t GPI(sort)(const char *function, GPI(request) request, gp_workspace *ws, cudaStream_t stream)
{
    static const struct {
        unsigned (*fits)(const GPI(call) *); /* 0: it does not; NULL: whatever there is */
        size_t (*bytes)(size_t n); /* of workspace; NULL: it needs none */
        cudaError_t (*launch)(const GPI(call) *);
    } strategies[] = {{GPI(counted_fits), NULL, GPI(counted_launch)},
                      {GPI(block_fits), NULL, GPI(block_launch)},
                      {GPI(cluster_fits), NULL, GPI(cluster_launch)},
                      {GPI(buckets_fit), GPI(passes_bytes), GPI(passes_launch)},
                      {NULL, GPI(passes_bytes), GPI(passes_launch)}};
    GPI(call) call = {request, {0, 0, 0}, NULL, stream, 0};
    gpi_scratch scratch;
    size_t s = 0;
    cudaError_t error = GPI(check)(function, &request);

    if (error != cudaSuccess || request.n == 0)
        return error;
    if (request.begin_bit == request.end_bit)
        call.request.begin_bit = call.request.end_bit = 0;
    call.device = GPI(device)();
    while (strategies[s].fits && (call.fit = strategies[s].fits(&call)) == 0)
        s++;
    const size_t own = strategies[s].bytes ? strategies[s].bytes(request.n) : 0;
    const size_t bytes = ws ? GPI(workspace)(request.n) : own;
    error = gpi_tagged_scratch_acquire(&scratch, ws, 0, bytes, stream, function);
    if (error != cudaSuccess)
        return error;
    call.memory = scratch.memory;
    return gpi_scratch_release(&scratch, strategies[s].launch(&call), stream);
}

GP_API size_t GPI_PUBLIC(radix_sort_bits_workspace_bytes)(size_t n, int begin_bit, int end_bit)
{
    (void)begin_bit;
    (void)end_bit;
    return gpi_workspace_request(GPI(workspace)(n));
}

GP_API size_t GPI_PUBLIC(radix_sort_workspace_bytes)(size_t n)
{
    return GPI_PUBLIC(radix_sort_bits_workspace_bytes)(n, 0, GPI_KEY_WIDTH);
}

/* Sorts by the bits [begin_bit, end_bit) of the keys. */
GP_API cudaError_t GPI_PUBLIC(radix_sort_bits)(GPI_ITEM_PARAMETERS, size_t n, int begin_bit, int end_bit,
                                               gp_workspace *ws, cudaStream_t stream)
{
    const GPI(request) request = {GPI_ITEM_ARGUMENTS, n, begin_bit, end_bit};

    return GPI(sort)(GPI_TEXT(radix_sort_bits), request, ws, stream);
}

/* Sorts by the whole keys. */
GP_API cudaError_t GPI_PUBLIC(radix_sort)(GPI_ITEM_PARAMETERS, size_t n, gp_workspace *ws, cudaStream_t stream)
{
    const GPI(request) request = {GPI_ITEM_ARGUMENTS, n, 0, GPI_KEY_WIDTH};

    return GPI(sort)(GPI_TEXT(radix_sort), request, ws, stream);
}

#undef GPI_RADIX_PAIRS
#undef GPI_RADIX_VALUE
#undef GPI_ITEM_PARAMETERS
#undef GPI_ITEM_ARGUMENTS

#endif
#include "core/instance/end.cuh"
