/*
 * The words, the device functions and the runtime of both backends: what a kernel may rely on. The
 * same program runs on a GPU, which is how it is known that the CPU backend behaves like one.
 */
#include <pthread.h>

/* After so many threads no more can be started; negative: there is no limit. */
static int threads_left = -1;
#define pthread_create(...) \
    (threads_left == 0 ? 1 : (threads_left -= threads_left > 0, (pthread_create)(__VA_ARGS__)))

#include "tap.h"

#include <gpuprims/block/block_scan.cuh>

/* ---- what the tests share -------------------------------------------------------------------- */

enum { WORDS = 1 << 16 };

static unsigned *out; /* device memory that kernels write their results to */
static unsigned got[WORDS];

static void clear(void)
{
    must(cudaMemset(out, 0, WORDS * sizeof(unsigned)));
}

/* Waits for the kernels and copies their results to got[]. */
static void fetch(void)
{
    must(cudaGetLastError());
    must(cudaDeviceSynchronize());
    must(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
}

static int attribute(enum cudaDeviceAttr which)
{
    int value = 0;

    must(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

/*
 * Whether a kernel has the instructions of sm_90: the GPU has them, and the code was built for it. It may have as much
 * dynamic shared memory then as any here is launched with.
 */
static int runs_sm90(const void *kernel)
{
    signed char known[GPI_DEVICES] = {0};

    (void)kernel; /* on the CPU backend each has */
    return (gpi_kernel_ready(kernel, 48 << 10, known) & GPI_KERNEL_SM90) != 0;
}

/* ---- GP_LAUNCH ------------------------------------------------------------------------------- */

static __device__ unsigned touched;

static __global__ void touch(void)
{
    atomicAdd(&touched, 1u);
}

static __global__ void read_touched(unsigned *to)
{
    *to = atomicExch(&touched, 0u);
}

static __global__ void twenty_four(int a, int b, int c, int d, int e, int f, int g, int h, int i,
                                   int j, int k, int l, int m, int n, int o, int p, int q, int r,
                                   int s, int t, int u, int v, int w, unsigned *to)
{
    *to = (unsigned)(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j +
                     11 * k + 12 * l + 13 * m + 14 * n + 15 * o + 16 * p + 17 * q + 18 * r +
                     19 * s + 20 * t + 21 * u + 22 * v + 23 * w);
}

typedef struct pair {
    double x;
    char c;
} pair;

static __global__ void convert(unsigned *to, size_t size, float real, double twice,
                               signed char small, pair by_value, const int *nothing,
                               const unsigned *array)
{
    to[0] = size == 7;
    to[1] = real == 3.0f;
    to[2] = twice == -2.0;
    to[3] = small == -1;
    to[4] = by_value.x == 0.5 && by_value.c == 'c';
    to[5] = nothing == NULL;
    to[6] = array == to;
}

static __global__ void count_threads(unsigned *to, unsigned step)
{
    atomicAdd(to, step);
}

static void test_arguments(void)
{
    const pair constant = {0.5, 'c'};
    const size_t seven = 7;
    int *const nothing = NULL;
    unsigned step = 1;

    clear();
    GP_LAUNCH(touch, 2, 3, 0, 0);
    GP_LAUNCH(read_touched, 1, 1, 0, 0, out);
    GP_LAUNCH(twenty_four, 1, 1, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
              18, 19, 20, 21, 22, 23, out + 1);
    fetch();
    ok(got[0] == 6, "a kernel without arguments");
    ok(got[1] == 4324, "24 arguments arrive in order"); /* 1 + 4 + 9 + ... + 23^2 */

    GP_LAUNCH(convert, 1, 1, 0, 0, out, 7, 3, -2, -1, constant, (const int *)NULL, out);
    fetch();
    for (int i = 0; i < 7; i++)
        ok(got[i] == 1, "int literals, a struct and pointers convert as in a call (%d)", i);
    GP_LAUNCH(convert, 1, 1, 0, (cudaStream_t)0, out, seven, 3.0, -2.0f, (short)-1, constant,
              nothing, out);
    fetch();
    for (int i = 0; i < 7; i++)
        ok(got[i] == 1, "const variables and other types convert as in a call (%d)", i);

    clear();
    if (step)
        GP_LAUNCH(count_threads, 2, 2, 0, 0, out, step++);
    else
        ok(0, "GP_LAUNCH is one statement");
    fetch();
    ok(got[0] == 4 && step == 2, "an argument is evaluated once");
}

typedef struct table {
    unsigned entry[4];
} table;

static __global__ void decayed(unsigned *to, const unsigned *array, table by_value)
{
    to[0] = array == NULL;
    to[1] = by_value.entry[3];
    by_value.entry[3] = 0; /* every thread has its own */
}

static void test_arrays(void)
{
    unsigned array[4] = {1, 2, 3, 4};
    table some;

    memcpy(some.entry, array, sizeof array);
    clear();
    GP_LAUNCH(decayed, 1, 64, 0, 0, out, array, some);
    fetch();
    ok(got[0] == 0, "an array argument decays to a pointer");
    ok(got[1] == 4, "a struct argument is each thread's own");
}

static void test_shapes(void)
{
    dim3 grid = {3, 2, 2}, one_number = {5, 1, 1};
    const dim3 constant = {4, 4, 4};
    const unsigned char small = 2;
    const size_t large = 3;

    clear();
    GP_LAUNCH(count_threads, grid, constant, 0, 0, out, 1);
    GP_LAUNCH(count_threads, one_number, small, 0, 0, out + 1, 1);
    GP_LAUNCH(count_threads, large, 2 + 2, 0, 0, out + 2, 1);
    GP_LAUNCH(count_threads, 1 ? 7 : 8, one_number, 0, 0, out + 3, 1);
    fetch();
    ok(got[0] == 12 * 64, "dim3 grid and block");
    ok(got[1] == 10, "dim3 grid, unsigned char block");
    ok(got[2] == 12, "size_t grid");
    ok(got[3] == 35, "expressions as grid and block");
}

static __global__ void indices(unsigned *to)
{
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned threads = blockDim.x * blockDim.y * blockDim.z;

    to[block * threads + gpi_thread_rank()] = 1 + threadIdx.x + 10 * threadIdx.y +
                                              100 * threadIdx.z + 1000 * blockIdx.x +
                                              10000 * blockIdx.y + 100000 * blockIdx.z;
}

static void test_indices(void)
{
    dim3 grid = {3, 2, 4}, block = {5, 4, 3};
    unsigned i = 0;
    int good = 1;

    clear();
    GP_LAUNCH(indices, grid, block, 0, 0, out);
    fetch();
    for (unsigned b = 0; b < 24; b++)
        for (unsigned t = 0; t < 60; t++, i++)
            good &= got[i] == 1 + t % 5 + 10 * (t / 5 % 4) + 100 * (t / 20) + 1000 * (b % 3) +
                                  10000 * (b / 3 % 2) + 100000 * (b / 6);
    ok(good && got[i] == 0, "threadIdx and blockIdx in three dimensions");
}

/* Which of the two an impossible launch gives depends on the CUDA version. */
static int is_refusal(cudaError_t error)
{
    return error == cudaErrorInvalidConfiguration || error == cudaErrorInvalidValue;
}

static void expect_refusal(dim3 grid, dim3 block, size_t shared, const char *what)
{
    cudaError_t peeked;

    GP_LAUNCH(count_threads, grid, block, shared, 0, out, 1);
    peeked = cudaPeekAtLastError();
    ok(is_refusal(peeked), "%s is refused (%s)", what, cudaGetErrorName(peeked));
    ok(cudaGetLastError() == peeked, "peeking does not clear the error");
    ok(cudaGetLastError() == cudaSuccess, "getting it does");
}

static void test_refusals(void)
{
    dim3 one = {1, 1, 1}, no_blocks = {0, 1, 1}, many_threads = {1025, 1, 1}, deep = {1, 1, 65};
    dim3 wide = {33, 32, 1}, tall = {1, 65536, 1}, huge = {0x80000000u, 1, 1};

    clear();
    expect_refusal(no_blocks, one, 0, "an empty grid");
    expect_refusal(one, many_threads, 0, "a block of 1025 threads");
    expect_refusal(one, wide, 0, "a block of 33 x 32 threads");
    expect_refusal(one, deep, 0, "a block 65 deep");
    expect_refusal(tall, one, 0, "a grid 65536 high");
    expect_refusal(huge, one, 0, "a grid of 2^31");
    expect_refusal(one, one, (size_t)1 << 20, "a megabyte of shared memory");
#ifndef __CUDACC__ /* there dim3 takes the lowest 32 bits */
    GP_LAUNCH(count_threads, ((size_t)1 << 32) + 1, 1, 0, 0, out, 1);
    ok(is_refusal(cudaGetLastError()), "a grid of 2^32 + 1 is refused");
    GP_LAUNCH(count_threads, 1, -1, 0, 0, out, 1);
    ok(is_refusal(cudaGetLastError()), "a block of -1 is refused");
#endif
    GP_LAUNCH(count_threads, 1, 1, 0, 0, out, 1);
    fetch();
    ok(got[0] == 1, "refused launches run nothing, and the next one works");
    ok(is_refusal(GPI_LAUNCH(count_threads, 1, many_threads, 0, 0, out, 1)),
       "GPI_LAUNCH returns the error");
    ok(GPI_LAUNCH(count_threads, 1, 1, 0, 0, out, 1) == cudaSuccess &&
           is_refusal(cudaGetLastError()),
       "its success does not clear the one before");
}

/* A host thread with a stream and memory of its own; every third launch is impossible. */
static void *launch_many(void *argument)
{
    unsigned *sum = NULL, result = 0, *failures = (unsigned *)argument;
    cudaStream_t stream;

    must(cudaStreamCreate(&stream));
    must(cudaMalloc((void **)&sum, sizeof *sum));
    must(cudaMemsetAsync(sum, 0, sizeof *sum, stream));
    for (unsigned i = 0; i < 30; i++) {
        unsigned impossible = i % 3 == *failures % 3;

        GP_LAUNCH(count_threads, 3, impossible ? 2000 : 64, 0, stream, sum, 1);
        if ((cudaGetLastError() != cudaSuccess) != impossible)
            break;
    }
    must(cudaMemcpyAsync(&result, sum, sizeof result, cudaMemcpyDeviceToHost, stream));
    must(cudaStreamSynchronize(stream));
    must(cudaFree(sum));
    must(cudaStreamDestroy(stream));
    *failures = result != 20 * 3 * 64;
    return NULL;
}

static void test_host_threads(void)
{
    enum { THREADS = 6 };
    pthread_t threads[THREADS];
    unsigned failures[THREADS];
    int good = 1;

    for (unsigned t = 0; t < THREADS; t++) {
        failures[t] = t;
        good &= pthread_create(&threads[t], NULL, launch_many, &failures[t]) == 0;
    }
    for (unsigned t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        good &= !failures[t];
    }
    ok(good, "several host threads launch at once, with errors of their own");
}

/* ---- shared memory --------------------------------------------------------------------------- */

typedef struct triple {
    unsigned a;
    double b;
    unsigned char c[3];
} triple;

/* Passes x to the next thread of the block. */
static __device__ __forceinline__ unsigned rotate(unsigned x)
{
    GP_SHARED(unsigned[256], places);
    unsigned result;

    places[(threadIdx.x + 1) % blockDim.x] = x;
    __syncthreads(); /* everybody has written */
    result = places[threadIdx.x];
    __syncthreads(); /* everybody has read: the next caller may write */
    return result;
}

static __global__ void shared_forms(unsigned *to)
{
    GP_SHARED(unsigned, scalar);
    GP_SHARED(triple, one);
    GP_SHARED(triple[2], two);
    GP_SHARED(unsigned[2][128], matrix);
    GP_SHARED(unsigned short, suffix[256]);
    unsigned t = threadIdx.x;

    if (t == 0) {
        scalar = 5;
        one.b = 0.25;
        one.c[2] = 9;
        two[1] = one;
    }
    matrix[t / 128][t % 128] = t;
    suffix[t] = (unsigned short)(2 * t);
    __syncthreads(); /* everything is written */
    to[blockIdx.x * 256 + t] = scalar == 5 && two[1].b == 0.25 && two[1].c[2] == 9 &&
                               matrix[1 - t / 128][t % 128] == (t + 128) % 256 &&
                               suffix[255 - t] == 2 * (255 - t) &&
                               rotate(rotate(t)) == (t + 254) % 256;
}

static __global__ void dynamic_shared(unsigned *to, unsigned words)
{
    GP_DYNAMIC_SHARED(unsigned, s);
    GP_SHARED(unsigned, constant);

    if (threadIdx.x == 0)
        constant = 3;
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
        s[i] = i;
    __syncthreads(); /* everything is written */
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
        atomicAdd(to, constant * (s[words - 1 - i] == words - 1 - i));
    if (threadIdx.x == 0)
        to[1] = (uintptr_t)s % 128 == 0;
}

#define ALIGNED(bytes)                           \
    typedef struct aligned_##bytes {             \
        unsigned char x[48];                     \
    } __attribute__((aligned(bytes))) aligned_##bytes
ALIGNED(64);
ALIGNED(256);
ALIGNED(512);
ALIGNED(1024);

/* The compiler knows what the address should be, and must not answer for it. */
static __device__ int is_aligned(const volatile void *p, unsigned bytes)
{
    const volatile void *volatile address = p;

    return (uintptr_t)address % bytes == 0;
}

static __global__ void shared_alignments(unsigned *to)
{
    GP_SHARED(aligned_64, a);
    GP_SHARED(aligned_256, b);
    GP_SHARED(char, c);
    GP_SHARED(aligned_256[3], d);
    GP_SHARED(aligned_1024, e);
    GP_SHARED(aligned_256, f);
    GP_SHARED(aligned_512, g[2]);

    to[threadIdx.x] = is_aligned(&a, 64) && is_aligned(&b, 256) && is_aligned(d, 256) &&
                      is_aligned(&e, 1024) && is_aligned(&f, 256) && is_aligned(g, 512);
    if (threadIdx.x == 0) /* writes everything, to the last byte */
        c = (char)(a.x[47] = b.x[47] = d[2].x[47] = e.x[47] = f.x[47] = g[1].x[47] = 1);
    __syncthreads(); /* it is written */
    to[threadIdx.x] &= (unsigned)c;
}

static void expect_ones(unsigned n, const char *what);

static void test_shared(void)
{
    int good = 1;

    clear();
    GP_LAUNCH(shared_forms, 20, 256, 0, 0, out);
    fetch();
    for (int i = 0; i < 20 * 256; i++)
        good &= got[i] == 1;
    ok(good, "GP_SHARED: scalars, structs, arrays, matrices, in inlined functions");
    clear();
    GP_LAUNCH(shared_alignments, 1, 64, 0, 0, out);
    expect_ones(64, "GP_SHARED: any alignment that a type asks for");

    for (unsigned words = 1; words <= 12 * 1024; words = words * 3 + 1) {
        clear();
        GP_LAUNCH(dynamic_shared, 3, 96, words * sizeof(unsigned), 0, out, words);
        fetch();
        ok(got[0] == 9 * words && got[1], "GP_DYNAMIC_SHARED of %u words", words);
    }
}

/* ---- barriers -------------------------------------------------------------------------------- */

static __global__ void barriers(unsigned *to)
{
    GP_SHARED(int[1024], s);
    int t = (int)threadIdx.x, n = (int)blockDim.x, good = 1;

    s[t] = t;
    for (int stride = 1; stride < n; stride *= 2) {
        __syncthreads(); /* the sums of the last round are written */
        int x = t >= stride ? s[t - stride] : 0;
        __syncthreads(); /* and read */
        s[t] += x;
    }
    good &= s[t] == t * (t + 1) / 2;
    good &= __syncthreads_count(t % 3 == 0) == (n + 2) / 3;
    good &= __syncthreads_count(t & 4) == __syncthreads_count((t & 4) != 0);
    good &= __syncthreads_and(t < n) != 0;
    good &= __syncthreads_and(t < n - 1) == 0;
    good &= __syncthreads_or(t == n - 1) != 0;
    good &= __syncthreads_or(0) == 0;
    atomicAdd(to, (unsigned)good);
}

/* Two pairs of warps, of which one fills a slot that the other empties. */
static __global__ void named_barriers(unsigned *to, int rounds)
{
    GP_SHARED(unsigned[2][32], slots);
    unsigned lane = threadIdx.x % 32, pair = threadIdx.x / 64, sum = 0;
    const int full = 1 + 2 * (int)pair, empty = full + 1;

    for (int i = 0; i < rounds + (int)pair; i++) {
        if (threadIdx.x % 64 < 32)
            slots[pair][lane] = (unsigned)i * 32 + lane;
        gpi_barrier_sync(full, 64);
        if (threadIdx.x % 64 >= 32)
            sum += slots[pair][31 - lane] == (unsigned)i * 32 + 31 - lane;
        gpi_barrier_sync(empty, 64);
    }
    atomicAdd(to, sum);
}

static void test_barriers(void)
{
    const unsigned sizes[] = {1, 31, 32, 33, 100, 256, 1024};

    for (int i = 0; i < 7; i++) {
        clear();
        GP_LAUNCH(barriers, 5, sizes[i], 0, 0, out);
        fetch();
        ok(got[0] == 5 * sizes[i], "__syncthreads() and its counting forms, %u threads", sizes[i]);
    }
    clear();
    GP_LAUNCH(named_barriers, 6, 128, 0, 0, out, 11);
    fetch();
    ok(got[0] == 6 * (11 + 12) * 32, "producer and consumer warps with named barriers");
}

/* ---- mbarriers and bulk copies --------------------------------------------------------------- */

enum { STAGES = 3, STAGE_WORDS = 256, CONSUMERS = 64 };

/*
 * A ring of stages: thread 0 loads a tile into a free one, 64 consumers change it in place, and one
 * of them stores it. full[] completes when a tile has landed, empty[] when its store has read the
 * stage.
 */
static __global__ void ring(const unsigned *in, unsigned *to, int tiles)
{
    GP_SHARED(uint4[STAGES][STAGE_WORDS / 4], stages);
    GP_SHARED(uint64_t[STAGES], full);
    GP_SHARED(uint64_t[STAGES], empty);
    unsigned t = threadIdx.x;

    if (t == 0) {
        for (int s = 0; s < STAGES; s++) {
            gpi_mbarrier_init(&full[s], 1);
            gpi_mbarrier_init(&empty[s], CONSUMERS); /* each of them, so that tools can follow */
        }
        gpi_mbarrier_init_fence();
    }
    __syncthreads(); /* the mbarriers are initialised */
    for (int i = 0; i < tiles; i++) {
        int s = i % STAGES;
        unsigned phase = (unsigned)(i / STAGES) & 1;
        unsigned *stage = (unsigned *)stages[s];

        if (t == CONSUMERS) {
            gpi_mbarrier_wait(&empty[s], phase ^ 1); /* the first time round, at once */
            gpi_mbarrier_expect(&full[s], sizeof stages[s]);
            gpi_bulk_load(stage, in + i * STAGE_WORDS, sizeof stages[s], &full[s]);
        } else if (t < CONSUMERS) {
            gpi_mbarrier_wait(&full[s], phase);
            for (unsigned w = t; w < STAGE_WORDS; w += CONSUMERS)
                stage[w] = 3 * stage[w] + 1;
            gpi_fence_async();              /* the store sees what this thread wrote */
            gpi_barrier_sync(1, CONSUMERS); /* and everybody else */
            if (t == 0) {
                gpi_bulk_store(to + i * STAGE_WORDS, stage, sizeof stages[s]);
                gpi_bulk_commit();
                gpi_bulk_wait_read(0);
            }
            gpi_mbarrier_arrive(&empty[s]);
        }
    }
    if (t == 0)
        gpi_bulk_wait(0);
}

static void test_bulk_copies(void)
{
    unsigned *in = NULL;
    int good = 1;

    if (!runs_sm90((const void *)ring)) {
        ok(1, "mbarriers and bulk copies # SKIP needs code for sm_90");
        return;
    }
    clear();
    for (unsigned i = 0; i < WORDS; i++)
        got[i] = i * 7;
    must(cudaMalloc((void **)&in, sizeof got));
    must(cudaMemcpy(in, got, sizeof got, cudaMemcpyHostToDevice));
    GP_LAUNCH(ring, 1, CONSUMERS + 32, 0, 0, in, out, 50);
    fetch();
    for (unsigned i = 0; i < WORDS; i++)
        good &= got[i] == (i < 50 * STAGE_WORDS ? 3 * 7 * i + 1 : 0);
    ok(good, "a load, compute, store pipeline of bulk copies and mbarriers");
    must(cudaFree(in));
}

/* ---- clusters ----------------------------------------------------------------------------------- */

/* Each block writes into the next one's shared memory, round after round, and reads what it got. */
static __global__ void pass_on(unsigned *to, unsigned cluster, int rounds)
{
    GP_DYNAMIC_SHARED(unsigned, words); /* two for each thread, in turn */
    unsigned t = threadIdx.x, rank = blockIdx.x % cluster, value = blockIdx.x * blockDim.x + t;

    gpi_cluster_arrive();
    gpi_cluster_wait(); /* all blocks have started */
    for (int i = 0; i < rounds; i++) {
        unsigned *place = words + i % 2 * blockDim.x + t;

        *(unsigned *)gpi_cluster_shared(place, (rank + 1) % cluster) = value;
        gpi_cluster_sync();
        value = *place + 1;
    }
    gpi_cluster_sync(); /* nobody's memory is needed any more */
    to[blockIdx.x * blockDim.x + t] = value;
}

static void test_clusters(void)
{
    static const unsigned sizes[] = {1, 2, 4, 8};
    enum { THREADS = 96, ROUNDS = 5 };
    int good = 1;

    if (!runs_sm90((const void *)pass_on)) {
        ok(1, "clusters # SKIP needs code for sm_90");
        return;
    }
    for (unsigned k = 0; k < 4; k++) {
        unsigned cluster = sizes[k], blocks = 3 * cluster;

        clear();
        must(GPI_LAUNCH_CLUSTER(0, cluster, pass_on, blocks, THREADS,
                                2 * THREADS * sizeof(unsigned), 0, out, cluster, (int)ROUNDS));
        fetch();
        for (unsigned i = 0; i < blocks * THREADS; i++) {
            unsigned block = i / THREADS, first = block / cluster * cluster;
            unsigned from = first + (block - first + ROUNDS * (cluster - 1)) % cluster;

            good &= got[i] == from * THREADS + i % THREADS + ROUNDS;
        }
    }
    ok(good, "blocks of a cluster write into each other's shared memory");
#ifndef __CUDACC__
    cudaError_t error = GPI_LAUNCH_CLUSTER(0, 4, pass_on, 6, 32, 256, 0, out, 4u, 1);
    ok(error == cudaErrorInvalidConfiguration && strstr(gp_last_error_message(), "clusters of 4 blocks"),
       "clusters that the grid has no whole number of: %s", gp_last_error_message());
    error = GPI_LAUNCH_CLUSTER(0, 2, pass_on, 2, 32, 256, 0, out, 3u, 1);
    ok(error == cudaErrorIllegalAddress && strstr(gp_last_error_message(), "block 2 of its cluster"),
       "shared memory of a block that is not in the cluster: %s", gp_last_error_message());
    cudaGetLastError();
#endif
}

/* Host threads that launch clusters of the largest blocks at the same time. */
enum { CLUSTER_LAUNCHES = 4, CLUSTER = 8, LARGEST = 1024 };
static pthread_barrier_t all_host_threads;

static void *launch_clusters(void *argument)
{
    enum { N = 2 * CLUSTER * LARGEST, BYTES = N * sizeof(unsigned) };
    unsigned *to = NULL, *result = (unsigned *)malloc(BYTES);

    must(cudaMalloc((void **)&to, BYTES));
    pthread_barrier_wait(&all_host_threads);
    cudaError_t error = GPI_LAUNCH_CLUSTER(0, (unsigned)CLUSTER, pass_on, 2 * CLUSTER, LARGEST,
                                           2 * LARGEST * sizeof(unsigned), 0, to, (unsigned)CLUSTER, 3);
    if (error != cudaSuccess)
        printf("# %s: %s\n", cudaGetErrorName(error), gp_last_error_message());
    else
        must(cudaMemcpy(result, to, BYTES, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < N && error == cudaSuccess; i++) {
        unsigned block = i / LARGEST, first = block / CLUSTER * CLUSTER;

        if (result[i] != (first + (block + CLUSTER - 3) % CLUSTER) * LARGEST + i % LARGEST + 3)
            error = cudaErrorUnknown;
    }
    must(cudaFree(to));
    free(result);
    *(cudaError_t *)argument = error;
    return NULL;
}

static void test_clusters_at_once(void)
{
    pthread_t threads[CLUSTER_LAUNCHES];
    cudaError_t errors[CLUSTER_LAUNCHES];
    int good = 1;

    if (!runs_sm90((const void *)pass_on))
        return;
#ifndef __CUDACC__
    int before = gp_cpu.resident_blocks;

    gp_cpu.resident_blocks = 2 * CLUSTER; /* each of which has a stack for each thread */
#endif
    pthread_barrier_init(&all_host_threads, NULL, CLUSTER_LAUNCHES);
    for (int t = 0; t < CLUSTER_LAUNCHES; t++)
        good &= pthread_create(&threads[t], NULL, launch_clusters, &errors[t]) == 0;
    for (int t = 0; t < CLUSTER_LAUNCHES; t++) {
        pthread_join(threads[t], NULL);
        good &= errors[t] == cudaSuccess;
    }
    pthread_barrier_destroy(&all_host_threads);
    ok(good, "%d host threads launch clusters at once", (int)CLUSTER_LAUNCHES);
#ifndef __CUDACC__
    gp_cpu.resident_blocks = before;
#endif
}

/* ---- warp operations ------------------------------------------------------------------------- */

/* What a shuffle of the lanes' own numbers gives lane `lane` (PTX ISA, shfl). */
static unsigned shuffle_model(int operation, int width, int argument, int lane)
{
    int segment = ~(width - 1) & 31, low = lane & segment, high = low | (31 & ~segment),
        from = lane;
    int b = argument & 31;

    switch (operation) {
    case 0: from = low | (b & ~segment); break;
    case 1: from = lane - b >= low ? lane - b : lane; break;
    case 2: from = lane + b <= high ? lane + b : lane; break;
    case 3: from = (lane ^ b) <= high ? lane ^ b : lane; break;
    }
    return (unsigned)from;
}

static __global__ void shuffles(unsigned *to, int width)
{
    unsigned lane = threadIdx.x;

    for (int argument = 0; argument < 34; argument++, to += 4 * 32) {
        to[lane] = __shfl_sync(GPI_FULL_MASK, lane, argument, width);
        to[32 + lane] = __shfl_up_sync(GPI_FULL_MASK, lane, argument, width);
        to[64 + lane] = __shfl_down_sync(GPI_FULL_MASK, lane, argument, width);
        to[96 + lane] = __shfl_xor_sync(GPI_FULL_MASK, lane, argument, width);
    }
}

static void test_shuffles(void)
{
    for (int width = 1; width <= 32; width *= 2) {
        int good = 1;

        clear();
        GP_LAUNCH(shuffles, 1, 32, 0, 0, out, width);
        fetch();
        for (int i = 0; i < 34 * 4 * 32; i++)
            good &= got[i] == shuffle_model(i / 32 % 4, width, i / 128, i % 32);
        ok(good, "shuffles of width %d from every lane to every lane", width);
    }
}

static __global__ void shuffle_types(unsigned *to)
{
    unsigned lane = threadIdx.x % 32, next = (lane + 1) % 32;
    int good = 1;

    good &= __shfl_sync(GPI_FULL_MASK, -(int)lane, (int)next) == -(int)next;
    good &= __shfl_sync(GPI_FULL_MASK, (long long)lane << 40, (int)next) == (long long)next << 40;
    good &= __shfl_sync(GPI_FULL_MASK, ~(unsigned long long)lane, (int)next) ==
            ~(unsigned long long)next;
    good &= __shfl_sync(GPI_FULL_MASK, (float)lane + 0.5f, (int)next) == (float)next + 0.5f;
    good &= __shfl_sync(GPI_FULL_MASK, (double)lane + 0.1, (int)next) == (double)next + 0.1;
    good &= __shfl_up_sync(GPI_FULL_MASK, (double)lane, 1) == (lane ? lane - 1.0 : 0.0);
    good &=
        __shfl_down_sync(GPI_FULL_MASK, (float)lane, 1) == (lane < 31 ? (float)lane + 1 : 31.0f);
    good &= __shfl_xor_sync(GPI_FULL_MASK, (int)lane, 31) == 31 - (int)lane;
    to[threadIdx.x] = (unsigned)good;
}

static __global__ void votes(unsigned *to)
{
    unsigned lane = threadIdx.x % 32, even = 0x55555555u, all = 7;
    int good = 1, same;

    good &= __ballot_sync(GPI_FULL_MASK, lane % 3 == 0) == 0x49249249u;
    good &= __ballot_sync(GPI_FULL_MASK, lane & 16) == 0xFFFF0000u; /* any non-zero value will do */
    good &= __any_sync(GPI_FULL_MASK, lane == 17) && !__any_sync(GPI_FULL_MASK, 0);
    good &= __all_sync(GPI_FULL_MASK, lane < 32) && !__all_sync(GPI_FULL_MASK, lane < 31);
    good &= __match_any_sync(GPI_FULL_MASK, lane / 8) == 0xFFu << lane / 8 * 8;
    good &=
        __match_any_sync(GPI_FULL_MASK, (unsigned long long)(lane % 2) << 50) == even << lane % 2;
    good &= __match_all_sync(GPI_FULL_MASK, 5.0f, &same) == GPI_FULL_MASK && same;
    good &= __match_all_sync(GPI_FULL_MASK, lane / 31, &same) == 0 && !same;
    if (lane % 2 == 0) { /* the lanes of a mask alone, in a branch */
        all = __ballot_sync(even, lane > 10);
        good &= all == (even & ~0x7FFu) && __all_sync(even, lane % 2 == 0);
        good &= __shfl_sync(even, lane, 30) == 30;
        __syncwarp(even);
    } else {
        good &= __match_any_sync(~even, lane / 16) == (~even & 0xFFFFu << lane / 16 * 16);
        good &= !__any_sync(~even, lane == 4) && __any_sync(~even, lane == 5);
    }
    __syncwarp();
    good &= __activemask() != 0;
    to[threadIdx.x] = (unsigned)good;
}

static __global__ void warp_reductions(unsigned *to)
{
#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 800
    unsigned lane = threadIdx.x % 32, low = 0xFFu;
    int good = 1;

    good &= __reduce_add_sync(GPI_FULL_MASK, lane) == 496;
    good &= __reduce_add_sync(GPI_FULL_MASK, -(int)lane) == -496;
    good &= __reduce_add_sync(GPI_FULL_MASK, 0xF0000000u) == 0;
    good &= __reduce_min_sync(GPI_FULL_MASK, (int)lane - 10) == -10;
    good &= __reduce_max_sync(GPI_FULL_MASK, (int)lane - 50) == -19;
    good &= __reduce_min_sync(GPI_FULL_MASK, 0xFFFFFFFFu - lane) == 0xFFFFFFE0u;
    good &= __reduce_max_sync(GPI_FULL_MASK, 0x7FFFFFF0u + lane) == 0x8000000Fu;
    good &= __reduce_and_sync(GPI_FULL_MASK, lane | 64u) == 64;
    good &= __reduce_or_sync(GPI_FULL_MASK, lane & 20u) == 20;
    good &= __reduce_xor_sync(GPI_FULL_MASK, 1u << lane) == GPI_FULL_MASK;
    if (lane < 8)
        good &= __reduce_add_sync(low, lane) == 28;
    to[threadIdx.x] = (unsigned)good;
#else
    to[threadIdx.x] = 1; /* there are none */
#endif
}

/* The last warp is not whole, and in each warp the lanes from 20 on leave. */
static __global__ void leavers(unsigned *to)
{
    unsigned lane = threadIdx.x % 32, left = 20, last = blockDim.x / 32;
    unsigned lanes = threadIdx.x / 32 < last ? GPI_FULL_MASK : (1u << blockDim.x % 32) - 1;
    int good = __ballot_sync(lanes, 1) == lanes;

    __syncwarp(lanes);
    if (lane >= left)
        return;
    lanes &= (1u << left) - 1;
    __syncwarp(lanes);
    good &= __ballot_sync(lanes, lane != 3) == (lanes & ~8u);
    good &= __shfl_down_sync(lanes, lane, 2, 4) == (lane % 4 < 2 ? lane + 2 : lane);
    to[threadIdx.x] = (unsigned)good;
}

static void expect_ones(unsigned n, const char *what)
{
    int good = 1;

    fetch();
    for (unsigned i = 0; i < n; i++)
        good &= got[i] == 1;
    ok(good, "%s", what);
}

static void test_warps(void)
{
    unsigned sum = 0;

    clear();
    GP_LAUNCH(shuffle_types, 1, 64, 0, 0, out);
    expect_ones(64, "shuffles of every type");
    clear();
    GP_LAUNCH(votes, 1, 96, 0, 0, out);
    expect_ones(96, "votes and matches, of all lanes and of some");
    clear();
    GP_LAUNCH(warp_reductions, 1, 64, 0, 0, out);
    expect_ones(64, "__reduce_*_sync, from sm_80 on");
    clear();
    GP_LAUNCH(leavers, 1, 32 + 24, 0, 0, out);
    fetch();
    for (int i = 0; i < 64; i++)
        sum += got[i];
    ok(sum == 40, "a warp that is not whole, and lanes that have left");
}

/* ---- atomics --------------------------------------------------------------------------------- */

typedef struct counters {
    int add, sub, min, max, bit_and, bit_or, bit_xor, exchanged, cas;
    unsigned u_add, u_sub, u_min, u_max, u_and, u_or, u_xor, u_exchanged, u_cas, inc, dec;
    unsigned long long l_add, l_min, l_max, l_and, l_or, l_xor, l_exchanged, l_cas;
    float f_add, f_exchanged;
    double d_add;
} counters;

static __global__ void int_atomics(counters *c)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), seen = c->cas, before;

    atomicAdd(&c->add, x);
    atomicSub(&c->sub, x);
    atomicMin(&c->min, 50 - x);
    atomicMax(&c->max, x - 50);
    atomicAnd(&c->bit_and, ~(1 << x % 8));
    atomicOr(&c->bit_or, 1 << x % 9);
    atomicXor(&c->bit_xor, 1 << x % 7);
    atomicExch(&c->exchanged, x);
    do {
        before = seen;
        seen = atomicCAS(&c->cas, before, before + 2);
    } while (seen != before);
}

static __global__ void unsigned_atomics(counters *c)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, seen = c->u_cas, before;

    atomicAdd(&c->u_add, x);
    atomicSub(&c->u_sub, x);
    atomicMin(&c->u_min, 0x80000000u - x);
    atomicMax(&c->u_max, 0x80000000u + x);
    atomicAnd(&c->u_and, ~(1u << x % 8));
    atomicOr(&c->u_or, 1u << (31 - x % 9));
    atomicXor(&c->u_xor, 1u << x % 7);
    atomicExch(&c->u_exchanged, x);
    atomicInc(&c->inc, 99u);
    atomicDec(&c->dec, 99u);
    do {
        before = seen;
        seen = atomicCAS(&c->u_cas, before, before + 3);
    } while (seen != before);
}

static __global__ void long_atomics(counters *c)
{
    unsigned long long x = blockIdx.x * blockDim.x + threadIdx.x, seen = c->l_cas, before;

    atomicAdd(&c->l_add, x << 32);
    atomicMin(&c->l_min, (1ull << 63) - x);
    atomicMax(&c->l_max, (1ull << 63) + x);
    atomicAnd(&c->l_and, ~(1ull << (40 + x % 8)));
    atomicOr(&c->l_or, 1ull << (63 - x % 9));
    atomicXor(&c->l_xor, 1ull << (50 + x % 7));
    atomicExch(&c->l_exchanged, x << 40);
    do {
        before = seen;
        seen = atomicCAS(&c->l_cas, before, before + (1ull << 33));
    } while (seen != before);
    atomicAdd(&c->f_add, 0.5f);
    atomicExch(&c->f_exchanged, (float)x);
    atomicAdd(&c->d_add, 0.25);
}

static void test_atomics(void)
{
    enum { N = 1000, SUM = N * (N - 1) / 2 };
    counters c, *device = (counters *)(void *)out;

    memset(&c, 0, sizeof c);
    c.bit_and = -1;
    c.u_and = c.u_min = 0xFFFFFFFFu;
    c.l_and = c.l_min = ~0ull;
    must(cudaMemcpy(device, &c, sizeof c, cudaMemcpyHostToDevice));
    GP_LAUNCH(int_atomics, 8, 125, 0, 0, device);
    GP_LAUNCH(unsigned_atomics, 8, 125, 0, 0, device);
    GP_LAUNCH(long_atomics, 8, 125, 0, 0, device);
    fetch();
    memcpy(&c, got, sizeof c);
    ok(c.add == SUM && c.sub == -SUM && c.min == 50 - N + 1 && c.max == N - 51, "int arithmetic");
    ok(c.bit_and == ~0xFF && c.bit_or == 0x1FF, "int and, or");
    ok(c.bit_xor == 0x3F, "int xor"); /* 143 times each, and 142 times bit 6 */
    ok(c.exchanged >= 0 && c.exchanged < N && c.cas == 2 * N, "int exchange, compare and swap");
    ok(c.u_add == SUM && c.u_sub == 0u - SUM && c.u_min == 0x80000000u - N + 1 &&
           c.u_max == 0x80000000u + N - 1,
       "unsigned arithmetic");
    ok(c.u_and == ~0xFFu && c.u_or == 0xFF800000u && c.u_xor == (unsigned)c.bit_xor,
       "unsigned and, or, xor");
    ok(c.u_exchanged < N && c.u_cas == 3 * N, "unsigned exchange, compare and swap");
    ok(c.inc == 0 && c.dec == 0, "increments and decrements wrap");
    ok(c.l_add == (unsigned long long)SUM << 32 && c.l_min == (1ull << 63) - N + 1 &&
           c.l_max == (1ull << 63) + N - 1,
       "64-bit arithmetic");
    ok(c.l_and == ~(0xFFull << 40) && c.l_or == 0x1FFull << 55 &&
           c.l_xor == (unsigned long long)c.u_xor << 50,
       "64-bit and, or, xor");
    ok(c.l_exchanged >> 40 < N && c.l_cas == (unsigned long long)N << 33,
       "64-bit exchange, compare and swap");
    ok(c.f_add == N / 2 && c.f_exchanged >= 0 && c.f_exchanged < N && c.d_add == N / 4,
       "float and double");
}

/* What an atomic returns is unique: a ticket. */
static __global__ void tickets(unsigned *next, unsigned *taken)
{
    taken[atomicAdd(next, 1u)] = 1;
}

/* A lock that threads of one warp, of one block and of other blocks fight for. */
static __global__ void locked(unsigned *lock, volatile unsigned *sum)
{
    for (int done = 0; !done;) {
        if (atomicCAS(lock, 0u, 1u) == 0) {
            __threadfence();
            *sum = *sum + 1;
            __threadfence();
            atomicExch(lock, 0u);
            done = 1;
        }
    }
}

/* Each block waits for the one before: all of them run in a chain, however few are resident. */
static __global__ void chain(unsigned *next, uint64_t *prefix)
{
    GP_SHARED(unsigned, tile);

    if (threadIdx.x == 0)
        tile = atomicAdd(next, 1u);
    __syncthreads(); /* the ticket is known */
    if (threadIdx.x == 0) {
        uint64_t before = 0;

        while (tile && (before = gpi_load_acquire_u64(&prefix[tile - 1])) == 0)
            ;
        gpi_store_release_u64(&prefix[tile], before + tile + 1);
    }
}

static void test_between_blocks(void)
{
    enum { BLOCKS = 300 };
    const uint64_t *prefix = (const uint64_t *)(const void *)(got + 2);
    int good = 1;

    clear();
    GP_LAUNCH(tickets, 10, 100, 0, 0, out, out + 1);
    fetch();
    for (int i = 1; i <= 1000; i++)
        good &= got[i] == 1;
    ok(good && got[0] == 1000, "what atomics return is unique");
    clear();
    GP_LAUNCH(locked, 6, 40, 0, 0, out, out + 1);
    fetch();
    ok(got[0] == 0 && got[1] == 240, "a lock of atomicCAS and fences");
    clear();
    GP_LAUNCH(chain, BLOCKS, 40, 0, 0, out, (uint64_t *)(void *)(out + 2));
    fetch();
    good = 1;
    for (uint64_t i = 0; i < BLOCKS; i++)
        good &= prefix[i] == (i + 1) * (i + 2) / 2;
    ok(good, "%d blocks in a chain", BLOCKS);
}

#ifndef __CUDACC__
static void test_few_threads(void)
{
    int before = gp_cpu.patience_ms;

    gp_cpu.patience_ms = 1000;
    threads_left = 3;
    cudaError_t error = GPI_LAUNCH_CLUSTER(0, 8, pass_on, 16, 32, 256, 0, out, 8u, 1);
    ok(error == cudaErrorLaunchOutOfResources &&
           strstr(gp_last_error_message(), "kernel pass_on: of its blocks, 8 must run") != NULL,
       "no block of a cluster starts if not all can: %s", gp_last_error_message());
    (void)cudaGetLastError();
    threads_left = 1;
    clear();
    GP_LAUNCH(chain, 100, 40, 0, 0, out, (uint64_t *)(void *)(out + 2));
    fetch();
    ok(((const uint64_t *)(const void *)(got + 2))[99] == 100 * 101 / 2,
       "other blocks run by as many threads as there are");
    threads_left = -1;
    gp_cpu.patience_ms = before;
}
#endif

static __global__ void bits(unsigned *to, unsigned x, unsigned long long y)
{
    to[0] = __popc(x) == 3 && __popcll(y) == 2 && __ffs((int)x) == 5 && __ffsll((long long)y) == 34;
    to[1] = __clz((int)x) == 3 && __clzll((long long)y) == 1 && __clz(0) == 32 && __clzll(0) == 64;
    to[2] = __ffs(0) == 0 && __ffsll(0) == 0 && __ldg(to + 3) == 0 && warpSize == 32;
}

/* ---- the runtime ----------------------------------------------------------------------------- */

static void test_memory(void)
{
    unsigned char *a = NULL, *b = NULL, *host = NULL;
    size_t free_before, free_between, free_after, total;
    int good = 1;

    must(cudaMemGetInfo(&free_before, &total));
    must(cudaMalloc((void **)&a, 64 << 20));
    must(cudaMemGetInfo(&free_between, &total));
    must(cudaFree(a));
    must(cudaMemGetInfo(&free_after, &total));
    ok(free_before <= total && free_between <= free_before - (64 << 20) &&
           free_after > free_between,
       "cudaMemGetInfo");

    must(cudaMallocAsync((void **)&a, 1000, 0));
    must(cudaMalloc((void **)&b, 1000));
    must(cudaMallocHost((void **)&host, 1000));
    ok((uintptr_t)a % 256 == 0 && (uintptr_t)b % 256 == 0, "allocations are aligned to 256");
    memset(host, 1, 1000);
    must(cudaMemcpyAsync(a, host, 1000, cudaMemcpyHostToDevice, 0));
    must(cudaMemsetAsync(a + 500, 2, 500, 0));
    must(cudaMemcpyAsync(b, a, 1000, cudaMemcpyDeviceToDevice, 0));
    must(cudaMemcpyAsync(host, b, 1000, cudaMemcpyDeviceToHost, 0));
    must(cudaStreamSynchronize(0));
    for (int i = 0; i < 1000; i++)
        good &= host[i] == (i < 500 ? 1 : 2);
    ok(good, "copies and fills, in order");
    ok(cudaFree(NULL) == cudaSuccess && cudaMemcpy(NULL, NULL, 0, cudaMemcpyDefault) == cudaSuccess,
       "nothing is freed and copied");
    must(cudaFreeAsync(a, 0));
    must(cudaFree(b));
    must(cudaFreeHost(host));

    a = (unsigned char *)&a;
    ok(cudaMalloc((void **)&a, (size_t)1 << 50) == cudaErrorMemoryAllocation, "out of memory");
    ok(cudaPeekAtLastError() == cudaErrorMemoryAllocation &&
           cudaGetLastError() == cudaErrorMemoryAllocation && cudaGetLastError() == cudaSuccess,
       "which is the last error until somebody gets it");
}

static void test_streams(void)
{
    cudaStream_t one, two;
    cudaEvent_t start, stop;
    float milliseconds = -1;

    must(cudaStreamCreate(&one));
    must(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    must(cudaEventCreate(&start));
    must(cudaEventCreateWithFlags(&stop, cudaEventDefault));
    clear();
    must(cudaEventRecord(start, one));
    GP_LAUNCH(count_threads, 10, 100, 0, one, out, 1);
    must(cudaEventRecord(stop, one));
    must(cudaStreamWaitEvent(two, stop, 0));
    GP_LAUNCH(count_threads, 10, 100, 0, two, out, 1);
    must(cudaEventSynchronize(stop));
    must(cudaEventElapsedTime(&milliseconds, start, stop));
    must(cudaStreamSynchronize(two));
    ok(cudaStreamQuery(two) == cudaSuccess && cudaEventQuery(stop) == cudaSuccess, "all is done");
    fetch();
    ok(got[0] == 2000 && milliseconds >= 0 && milliseconds < 60e3, "streams and events");
    must(cudaEventDestroy(start));
    must(cudaEventDestroy(stop));
    must(cudaStreamDestroy(one));
    must(cudaStreamDestroy(two));
}

/* What CUDA allows to be left out: in C++ the arguments that its declarations have defaults for. */
static void test_defaults(void)
{
#ifdef __cplusplus
    unsigned char *device = NULL, *host = NULL;
    cudaEvent_t event;

    must(cudaMalloc((void **)&device, 100));
    must(cudaMallocHost((void **)&host, 100));
    must(cudaMemsetAsync(device, 7, 100));
    must(cudaMemcpyAsync(host, device, 100, cudaMemcpyDeviceToHost));
    must(cudaEventCreate(&event));
    must(cudaEventRecord(event));
    must(cudaStreamWaitEvent(0, event));
    must(cudaEventSynchronize(event));
    ok(host[0] == 7 && host[99] == 7, "the stream and the flags may be left out");
    must(cudaFreeHost(host));
    must(cudaMallocHost((void **)&host, 100, cudaHostAllocDefault));
    must(cudaFreeHost(host));
    must(cudaFree(device));
    must(cudaMallocManaged((void **)&device, 100, cudaMemAttachGlobal));
    must(cudaFree(device));
    must(cudaMallocManaged((void **)&device, 100));
    ok(device != NULL, "flags of memory may be given or not");
    must(cudaFree(device));
    must(cudaEventDestroy(event));
#endif
}

static void test_device(void)
{
    int count = 0, device = -1;

    must(cudaGetDeviceCount(&count));
    must(cudaGetDevice(&device));
    ok(count >= 1 && device >= 0 && cudaSetDevice(device) == cudaSuccess, "there is a device");
    ok(attribute(cudaDevAttrWarpSize) == 32 && attribute(cudaDevAttrMaxThreadsPerBlock) == 1024 &&
           attribute(cudaDevAttrMultiProcessorCount) > 0 &&
           attribute(cudaDevAttrMaxSharedMemoryPerBlock) == 48 << 10,
       "its attributes");
    ok(cudaSetDevice(1000) == cudaErrorInvalidDevice &&
           cudaGetLastError() == cudaErrorInvalidDevice,
       "there is no device 1000");
    ok(strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0 &&
           strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0,
       "errors have names");
    clear();
    GP_LAUNCH(bits, 1, 1, 0, 0, out, 0x10100010u, 1ull << 33 | 1ull << 62);
    expect_ones(3, "bit tricks");
}

/* ---- the CPU backend alone ------------------------------------------------------------------- */

#ifndef __CUDACC__

static __global__ void schedule(unsigned *to, int polls)
{
    for (int i = 0; i < polls; i++)
        __threadfence();
    to[1 + atomicAdd(to, 1u)] = threadIdx.x;
}

/* A number that stands for the order in which the threads of a block came by. */
static uint64_t schedule_of(unsigned long long seed)
{
    uint64_t hash = 1;

    gp_cpu.seed = seed;
    clear();
    GP_LAUNCH(schedule, 1, 200, 0, 0, out, 3);
    fetch();
    for (int i = 1; i <= 200; i++)
        hash = hash * 6364136223846793005u + got[i];
    return hash;
}

static void test_seeds(void)
{
    unsigned long long before = gp_cpu.seed;
    uint64_t first[10];
    int same = 1, different = 1, in_order = 1;

    for (unsigned seed = 0; seed < 10; seed++)
        first[seed] = schedule_of(seed);
    for (unsigned seed = 0; seed < 10; seed++) {
        same &= schedule_of(seed) == first[seed];
        for (unsigned other = 0; other < seed; other++)
            different &= first[other] != first[seed];
    }
    schedule_of(0);
    for (unsigned i = 0; i < 200; i++)
        in_order &= got[1 + i] == i;
    ok(same, "the same seed gives the same schedule");
    ok(different, "ten seeds give ten schedules");
    ok(in_order, "seed 0 is round robin");
    gp_cpu.seed = before;
}

/* Waits a while for `wanted` blocks to be there at once. */
static __global__ void count_resident(unsigned *now, unsigned *most, unsigned wanted)
{
    atomicMax(most, atomicAdd(now, 1u) + 1);
    for (int i = 0; i < 100000 && atomicMax(most, 0u) < wanted; i++)
        __nanosleep(1000);
    atomicSub(now, 1u);
}

static void test_resident_blocks(void)
{
    int before = gp_cpu.resident_blocks;

    for (int blocks = 1; blocks <= 9; blocks += 4) {
        gp_cpu.resident_blocks = blocks;
        clear();
        GP_LAUNCH(count_resident, 40, 1, 0, 0, out, out + 1, blocks);
        fetch();
        ok(got[1] == (unsigned)blocks, "%d blocks are resident (%u were)", blocks, got[1]);
        ok(attribute(cudaDevAttrMultiProcessorCount) == blocks, "as the device says");
    }
    gp_cpu.resident_blocks = before;
}

static void test_memory_limit(void)
{
    size_t before = gp_cpu.memory_bytes, free_bytes, total;
    void *a = NULL, *b = NULL;

    must(cudaMemGetInfo(&free_bytes, &total));
    gp_cpu.memory_bytes = total - free_bytes + 1000;
    ok(cudaMalloc(&a, 1001) == cudaErrorMemoryAllocation && !a, "gp_cpu.memory_bytes is a limit");
    ok(cudaMalloc(&a, 600) == cudaSuccess && cudaMalloc(&b, 600) == cudaErrorMemoryAllocation,
       "of all allocations together");
    ok(cudaMallocHost(&b, 600) == cudaSuccess, "host memory does not count");
    must(cudaMemGetInfo(&free_bytes, &total));
    ok(free_bytes == 400, "cudaMemGetInfo knows");
    must(cudaFree(a));
    must(cudaFreeHost(b));
    ok(cudaMalloc(&a, 1000) == cudaSuccess, "what is freed can be had again");
    must(cudaFree(a));
    gp_cpu.memory_bytes = before;
    while (cudaGetLastError() != cudaSuccess)
        ;
}

static __global__ void stale(unsigned *to)
{
    GP_SHARED(unsigned[32], s);
    GP_DYNAMIC_SHARED(unsigned, d);

    to[threadIdx.x] =
        s[threadIdx.x] != 0 && s[threadIdx.x] != 77 && d[threadIdx.x] != 0 && d[threadIdx.x] != 77;
    s[threadIdx.x] = d[threadIdx.x] = 77;
}

static __global__ void never(uint64_t *flag)
{
    while (gpi_load_acquire_u64(flag) == 0)
        ;
}

/* Takes a few turns of its block's threads, all of which wait for the last one. */
static __global__ void take_turns(uint64_t *flag)
{
    if (threadIdx.x + 1 == blockDim.x) {
        for (int i = 0; i < 8; i++)
            __nanosleep(1);
        gpi_store_release_u64(flag, 1);
    }
    while (gpi_load_acquire_u64(flag) == 0)
        ;
}

/* The second warp works three times as long as the others have patience, and polls nothing meanwhile. */
static __global__ void work(uint64_t *flag, int patience_ms)
{
    const double end = gpi_cpu_milliseconds() + 3 * patience_ms;

    if (threadIdx.x / 32 == 1) {
        while (__any_sync(0xFFFFFFFF, gpi_cpu_milliseconds() < end))
            ;
        gpi_store_release_u64(flag, 1);
    }
    while (gpi_load_acquire_u64(flag) == 0)
        ;
}

static void test_afterwards(void)
{
    int before = gp_cpu.patience_ms;

    gp_cpu.patience_ms = 0;
    clear();
    GP_LAUNCH(take_turns, 1, 512, 0, 0, (uint64_t *)(void *)out);
    ok(cudaGetLastError() == cudaSuccess, "threads that have not had their turns are waited for");

    clear();
    GP_LAUNCH(stale, 1, 32, 128, 0, out);
    GP_LAUNCH(stale, 1, 32, 128, 0, out);
    expect_ones(32, "shared memory is neither zero nor what the last block left");

    gp_cpu.patience_ms = 50;
    clear();
    GP_LAUNCH(work, 1, 96, 0, 0, (uint64_t *)(void *)out, gp_cpu.patience_ms);
    ok(cudaGetLastError() == cudaSuccess, "a warp that works while others poll is waited for");

    clear();
    GP_LAUNCH(never, 6, 64, 0, 0, (uint64_t *)(void *)out);
    ok(cudaGetLastError() == cudaErrorLaunchTimeout, "a launch that can never end");
    ok(strstr(gp_last_error_message(), "kernel never, block (") != NULL, "%s",
       gp_last_error_message());
    gp_cpu.patience_ms = before;
    GP_LAUNCH(count_threads, 6, 64, 0, 0, out, 1);
    fetch();
    ok(got[0] == 384, "the next one works");
}

static __global__ void scan_blocks(const int *in, int *sums)
{
    GP_SHARED(gp_block_scan_storage, storage);
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    sums[i] = gp_block_inclusive_scan(in[i], &storage, NULL);
}

/* Processor time and the best of a few runs, since other programs run too. */
static void test_speed(void)
{
    const size_t n = tap_small ? 1 << 14 : 1 << 20;
    int *in = NULL, *sums = NULL, good = 1;
    double best = 1e9, launches;

    must(cudaMalloc(&in, n * sizeof *in));
    must(cudaMalloc(&sums, n * sizeof *sums));
    for (size_t i = 0; i < n; i++)
        in[i] = (int)(i % 5);
    for (int run = 0; run < (tap_small ? 1 : 5) && best > 300; run++) {
        double start = (double)clock(), elapsed;

        GP_LAUNCH(scan_blocks, n / 256, 256, 0, 0, in, sums);
        must(cudaGetLastError());
        elapsed = ((double)clock() - start) / CLOCKS_PER_SEC * 1e3;
        best = elapsed < best ? elapsed : best;
    }
    for (size_t i = 0; i < n; i++)
        good &= sums[i] == in[i] + (i % 256 ? sums[i - 1] : 0);
    launches = gpi_cpu_milliseconds();
    for (int i = 0; i < 200; i++)
        GP_LAUNCH(count_threads, 1, 32, 0, 0, out, 1);
    launches = (gpi_cpu_milliseconds() - launches) / 200;
    ok(good, "block scans of %zu elements", n);
    printf("# %.0f ms; a launch of one block takes %.1f us\n", best, launches * 1e3);
#if defined __OPTIMIZE__ && !defined GPI_CPU_ASAN && !defined GPI_CPU_UCONTEXT
    ok(best < 500, "in less than half a second");
    ok(launches < 0.1, "no operating-system thread is started for one block");
#endif
    must(cudaFree(in));
    must(cudaFree(sums));
}

static void test_cpu(void)
{
    test_few_threads();
    test_seeds();
    test_resident_blocks();
    test_memory_limit();
    test_afterwards();
    test_speed();
}

#endif

int main(int argc, char **argv)
{
    tap_begin(argc, argv);
    must(cudaMalloc((void **)&out, WORDS * sizeof(unsigned)));

    test_arguments();
    test_arrays();
    test_shapes();
    test_indices();
    test_refusals();
    test_host_threads();
    test_shared();
    test_barriers();
    test_bulk_copies();
    test_clusters();
    test_clusters_at_once();
    test_shuffles();
    test_warps();
    test_atomics();
    test_between_blocks();
    test_memory();
    test_streams();
    test_defaults();
    test_device();
#ifndef __CUDACC__
    test_cpu();
#endif

    must(cudaFree(out));
    return tap_end();
}
