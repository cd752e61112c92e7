/* block/block_exchange.cuh: loads, stores and rearrangement of tiles, and where items lie in the banks. */
#include "tap.h"

/* clang-format off */
typedef struct { uint8_t b[1]; } s1;
typedef struct { uint8_t b[5]; } s5;
typedef struct { int32_t a, b; } s8;
typedef struct { float x, y, z; } s12;
typedef struct { uint64_t a, b; } __attribute__((aligned(16))) s16;
typedef struct { uint64_t a[4]; } __attribute__((aligned(32))) s32;
typedef struct { double a[16]; } s128;
/* clang-format on */

#include <gpuprims/block/block_exchange.cuh>
#include <gpuprims/block/block_exchange.cuh>

#define GP_NAME i32x4
#define GP_ITEMS 4
#include <gpuprims/block/block_exchange.cuh>
#define GP_NAME i32x16
#define GP_ITEMS 16
#define GP_BLOCK 128
#include <gpuprims/block/block_exchange.cuh>
#define GP_NAME u8x16
#define GP_TYPE uint8_t
#define GP_ITEMS 16
#include <gpuprims/block/block_exchange.cuh>
#define GP_NAME u16x3
#define GP_TYPE uint16_t
#define GP_ITEMS 3
#define GP_BLOCK 96
#include <gpuprims/block/block_exchange.cuh>
#define GP_NAME f64x8
#define GP_TYPE double
#define GP_ITEMS 8
#define GP_BLOCK 64
#include <gpuprims/block/block_exchange.cuh>
#define GP_NAME s1x1
#define GP_TYPE s1
#define GP_BLOCK 32
#include <gpuprims/block/block_exchange.cuh>
#define GP_NAME s5x7
#define GP_TYPE s5
#define GP_ITEMS 7
#define GP_BLOCK 32
#include <gpuprims/block/block_exchange.cuh>
#define GP_NAME s8x6
#define GP_TYPE s8
#define GP_ITEMS 6
#define GP_BLOCK 512
#include <gpuprims/block/block_exchange.cuh>
#define GP_NAME s12x12
#define GP_TYPE s12
#define GP_ITEMS 12
#include <gpuprims/block/block_exchange.cuh>
#define GP_NAME s16x4
#define GP_TYPE s16
#define GP_ITEMS 4
#include <gpuprims/block/block_exchange.cuh>
#define GP_NAME s32x2
#define GP_TYPE s32
#define GP_ITEMS 2
#include <gpuprims/block/block_exchange.cuh>
#define GP_NAME s128x5
#define GP_TYPE s128
#define GP_ITEMS 5
#define GP_BLOCK 64
#include <gpuprims/block/block_exchange.cuh>
#define GP_NAME i32x1024
#define GP_BLOCK 1024
#include <gpuprims/block/block_exchange.cuh>

/*
 * For each instance, a kernel that turns a whole input around: what a thread loads blocked it marks (its
 * own number, in `owners`, for each item it was given), rearranges to striped and back, and stores. Items
 * that a load must leave alone are asked for, too. Another writes where the items lie in storage.
 */
#define INSTANCES(X)           \
    X(gp, int, 256, 1)         \
    X(i32x4, int, 256, 4)      \
    X(i32x16, int, 128, 16)    \
    X(u8x16, uint8_t, 256, 16) \
    X(u16x3, uint16_t, 96, 3)  \
    X(f64x8, double, 64, 8)    \
    X(s1x1, s1, 32, 1)         \
    X(s5x7, s5, 32, 7)         \
    X(s8x6, s8, 512, 6)        \
    X(s12x12, s12, 256, 12)    \
    X(s16x4, s16, 256, 4)      \
    X(s32x2, s32, 256, 2)      \
    X(s128x5, s128, 64, 5)     \
    X(i32x1024, int, 1024, 1)

#define KERNELS(name, type, block, items)                                                  \
    static __global__ void name##_round_trip(const type *in, type *out, type *striped,     \
                                             unsigned *owners, unsigned *strays, size_t n) \
    {                                                                                      \
        GP_SHARED(name##_block_exchange_storage, storage);                                 \
        unsigned rank = threadIdx.x + blockDim.x * threadIdx.y;                            \
        size_t base = (size_t)blockIdx.x * (block * items);                                \
        type x[items], untouched;                                                          \
                                                                                           \
        memset((void *)&untouched, 0x5A, sizeof untouched);                                \
        for (int i = 0; i < items; i++)                                                    \
            x[i] = untouched;                                                              \
        name##_block_load_blocked(in + base, x, n - base, storage);                        \
        for (unsigned i = 0; i < items; i++) {                                             \
            size_t k = base + rank * items + i;                                            \
            const unsigned char *bytes = (const unsigned char *)&x[i];                     \
                                                                                           \
            if (k < n)                                                                     \
                owners[k] = rank;                                                          \
            for (unsigned b = 0; k >= n && b < sizeof(type); b++)                          \
                if (bytes[b] != 0x5A)                                                      \
                    atomicAdd(strays, 1u);                                                 \
        }                                                                                  \
        __syncthreads();                                                                   \
        name##_block_blocked_to_striped(x, &storage);                                      \
        for (unsigned i = 0; i < items; i++)                                               \
            if (base + i * block + rank < n)                                               \
                striped[base + i * block + rank] = x[i];                                   \
        __syncthreads();                                                                   \
        name##_block_striped_to_blocked(x, &storage);                                      \
        __syncthreads();                                                                   \
        name##_block_store_blocked(out + base, x, n - base, &storage);                     \
    }                                                                                      \
    static __global__ void name##_offsets(unsigned *offsets)                               \
    {                                                                                      \
        for (unsigned k = threadIdx.x; k < block * items; k += 32)                         \
            offsets[k] = gpi_##name##_block_exchange_exchange_offset(k);                   \
    }                                                                                      \
    static void name##_launch(int blocks, int two_dimensional, const void *in, void *out,  \
                              void *striped, unsigned *owners, unsigned *strays, size_t n) \
    {                                                                                      \
        unsigned rows = two_dimensional ? 2 : 1;                                           \
        dim3 shape = {block / rows, rows, 1};                                              \
        GP_LAUNCH(name##_round_trip, blocks, shape, 0, 0, (const type *)in, (type *)out,   \
                  (type *)striped, owners, strays, n);                                     \
    }                                                                                      \
    static void name##_launch_offsets(unsigned *offsets)                                   \
    {                                                                                      \
        GP_LAUNCH(name##_offsets, 1, 32, 0, 0, offsets);                                   \
    }
INSTANCES(KERNELS)

typedef struct instance {
    const char *name;
    size_t bytes, alignment, storage_bytes;
    unsigned block, items;
    void (*launch)(int, int, const void *, void *, void *, unsigned *, unsigned *, size_t);
    void (*launch_offsets)(unsigned *);
} instance;

#define ROW(name, type, block, items)                                               \
    {#name, sizeof(type), __alignof__(type), sizeof(name##_block_exchange_storage), \
     block, items,        name##_launch,     name##_launch_offsets},
static const instance instances[] = {INSTANCES(ROW)};
enum { INSTANCE_COUNT = sizeof instances / sizeof *instances };

/* ---- the functions ----------------------------------------------------------------------------- */

static int round_trip_is_right(const instance *t, size_t n)
{
    size_t tile = (size_t)t->block * t->items, shift = (size_t)tap_below(16);
    int blocks = (int)((n + tile - 1) / tile);
    unsigned char *in = (unsigned char *)malloc(n * t->bytes),
                  *got = (unsigned char *)malloc(n * t->bytes);
    unsigned *owners = (unsigned *)malloc(n * sizeof *owners), stray = 0;

    for (size_t i = 0; i < n * t->bytes; i++)
        in[i] = (unsigned char)tap_random();
    tap_buffer d_in = tap_buffer_of(in, n * t->bytes, shift * t->alignment);
    tap_buffer d_out = tap_buffer_new(n * t->bytes, (size_t)tap_below(16) * t->alignment);
    tap_buffer d_striped = tap_buffer_new(n * t->bytes, 0);
    tap_buffer d_owners = tap_buffer_new(n * sizeof *owners, 0);
    tap_buffer d_stray = tap_buffer_of(&stray, sizeof stray, 0);

    t->launch(blocks, (int)(n % 2), d_in.data, d_out.data, d_striped.data,
              (unsigned *)d_owners.data, (unsigned *)d_stray.data, n);
    must(cudaGetLastError());
    tap_buffer_read(got, &d_out, n * t->bytes);
    int right = memcmp(got, in, n * t->bytes) == 0 && tap_buffer_intact(&d_out, n * t->bytes);
    tap_buffer_read(got, &d_striped, n * t->bytes);
    right &= memcmp(got, in, n * t->bytes) == 0;
    tap_buffer_read(owners, &d_owners, n * sizeof *owners);
    for (size_t i = 0; i < n; i++)
        right &= owners[i] == i % tile / t->items;
    tap_buffer_read(&stray, &d_stray, sizeof stray);
    right &= stray == 0;

    tap_buffer_free(&d_in);
    tap_buffer_free(&d_out);
    tap_buffer_free(&d_striped);
    tap_buffer_free(&d_owners);
    tap_buffer_free(&d_stray);
    free(in);
    free(got);
    free(owners);
    return right;
}

static void test_round_trip(const instance *t)
{
    size_t tile = (size_t)t->block * t->items;
    size_t sizes[] = {1,        31,           32,           33,
                      t->items, t->items + 1, tile / 2 + 1, tile - 1,
                      tile,     tile + 1,     2 * tile + 1, 10007 % (5 * tile) + 1};
    int right = 1;

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        right &= round_trip_is_right(t, sizes[s]);
    ok(right, "%s: load, rearrange, store", t->name);
}

/* ---- the banks --------------------------------------------------------------------------------- */

/*
 * A warp's access goes in parts of 128 bytes. How many different words of one bank a part of the lanes
 * asks for, at worst, when lane l of `first` on has the item numbered index(l).
 */
static unsigned conflicts(const instance *t, const unsigned *offsets, unsigned first, unsigned step)
{
    unsigned unit = t->alignment < 16 ? (unsigned)t->alignment : 16;
    unsigned lanes = unit <= 4 ? 32 : 128 / unit, worst = 0;

    for (unsigned piece = 0; piece < t->bytes / unit; piece++) {
        for (unsigned from = 0; from < 32; from += lanes) {
            unsigned words[32] = {0}, seen[32][32];

            for (unsigned lane = from; lane < from + lanes; lane++) {
                unsigned begin = offsets[first + lane * step] + piece * unit;

                for (unsigned word = begin / 4; word <= (begin + unit - 1) / 4; word++) {
                    unsigned bank = word % 32, k = 0;

                    while (k < words[bank] && seen[bank][k] != word)
                        k++;
                    if (k == words[bank])
                        seen[bank][words[bank]++] = word;
                    worst = worst > words[bank] ? worst : words[bank];
                }
            }
        }
    }
    return worst;
}

static void test_banks(const instance *t)
{
    unsigned tile = t->block * t->items, worst = 0, apart = 1;
    unsigned *offsets = (unsigned *)malloc(tile * sizeof *offsets);
    tap_buffer d_offsets = tap_buffer_new(tile * sizeof *offsets, 0);

    t->launch_offsets((unsigned *)d_offsets.data);
    tap_buffer_read(offsets, &d_offsets, tile * sizeof *offsets);
    for (unsigned k = 0; k < tile; k++) {
        unsigned next = k + 1 < tile ? offsets[k + 1] : (unsigned)t->storage_bytes;

        apart &= offsets[k] % t->alignment == 0 && offsets[k] + t->bytes <= next;
    }
    ok(apart, "%s: items lie apart, aligned, within the storage", t->name);

    for (unsigned warp = 0; warp < t->block; warp += 32) {
        for (unsigned i = 0; i < t->items; i++) {
            unsigned blocked = conflicts(t, offsets, warp * t->items + i, t->items);
            unsigned striped = conflicts(t, offsets, i * t->block + warp, 1);

            worst = blocked > worst ? blocked : worst;
            worst = striped > worst ? striped : worst;
        }
    }
    if (t->alignment >= 4 && t->alignment <= 16)
        ok(worst == 1, "%s: no bank conflicts", t->name);
    else
        ok(worst <= 3, "%s: bank conflicts of at most 3 lanes", t->name);
    tap_buffer_free(&d_offsets);
    free(offsets);
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv);
    for (int k = 0; k < INSTANCE_COUNT; k++) {
        test_round_trip(&instances[k]);
        test_banks(&instances[k]);
    }
    return tap_end();
}
