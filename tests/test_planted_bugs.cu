/*
 * Kernels with a mistake in them, which the CPU backend must expose: as a launch error whose
 * message names the kernel, the block and the threads, as a wrong result, or as a report of
 * AddressSanitizer. Each also runs without its mistake, and must then be right.
 *
 * Every kernel contributes one to `out` for each thread that finds everything in order.
 */
#include "tap.h"

#ifdef __CUDACC__

int main(void)
{
    printf("1..0 # SKIP the mistakes are for the CPU backend\n");
    return 0;
}

#else

#include <sys/wait.h>
#include <unistd.h>

#ifdef GPI_CPU_ASAN
#define ASAN 1
#else
#define ASAN 0
#endif

/* ---- barriers -------------------------------------------------------------------------------- */

static __global__ void no_barrier(unsigned *out, int fixed)
{
    GP_SHARED(unsigned[256], s);
    unsigned t = threadIdx.x;

    s[t] = t;
    if (fixed)
        __syncthreads();
    out[t] = s[255 - t] == 255 - t;
}

static __global__ void no_barrier_before_reuse(unsigned *out, int fixed)
{
    GP_SHARED(unsigned[256], s);
    unsigned t = threadIdx.x, good = 1;

    for (unsigned round = 0; round < 3; round++) {
        s[t] = t + round;
        __syncthreads();
        good &= s[(t + 1) % 256] == (t + 1) % 256 + round;
        if (fixed)
            __syncthreads();
    }
    out[t] = good;
}

static __global__ void no_syncwarp(unsigned *out, int fixed)
{
    GP_SHARED(unsigned[32], s);
    unsigned t = threadIdx.x;

    s[t] = t;
    if (fixed)
        __syncwarp();
    out[t] = s[31 - t] == 31 - t;
}

static __global__ void early_exit(unsigned *out, int fixed)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;

    if (t >= 100 && !fixed)
        return;
    __syncthreads();
    out[t] = 1;
}

static __global__ void two_barriers(unsigned *out, int fixed)
{
    if (threadIdx.x < 32 || fixed)
        __syncthreads();
    else
        __syncthreads();
    out[threadIdx.x] = 1;
}

static __global__ void barrier_in_branch(unsigned *out, int fixed)
{
    out[threadIdx.x] = 1;
    if (threadIdx.x % 2 || fixed)
        __syncthreads();
}

static __global__ void barrier_in_loop(unsigned *out, int fixed)
{
    for (unsigned i = 0; i < (fixed ? 2 : 1 + threadIdx.x % 2); i++)
        __syncthreads();
    out[threadIdx.x] = 1;
}

static __global__ void barrier_count(unsigned *out, int fixed)
{
    gpi_barrier_sync(3, fixed ? 64 : 96);
    out[threadIdx.x] = 1;
}

static __global__ void barrier_counts(unsigned *out, int fixed)
{
    gpi_barrier_sync(3, fixed || threadIdx.x < 40 ? 64 : 32);
    out[threadIdx.x] = 1;
}

static __global__ void barrier_of_50(unsigned *out, int fixed)
{
    gpi_barrier_sync(1, fixed ? 64 : 50);
    out[threadIdx.x] = 1;
}

static __global__ void arrivals_missing(unsigned *out, int fixed)
{
    if (threadIdx.x < 50 || fixed)
        gpi_barrier_sync(2, 64);
    out[threadIdx.x] = 1;
}

/* ---- shared and device memory ---------------------------------------------------------------- */

static __global__ void shared_overrun(unsigned *out, int fixed)
{
    GP_SHARED(unsigned[64], s);
    volatile unsigned *p = s;

    p[threadIdx.x + (fixed ? 0 : 1)] = 1;
    out[threadIdx.x] = 1;
}

static __global__ void shared_underrun(unsigned *out, int fixed)
{
    GP_SHARED(unsigned, s[64]);
    volatile unsigned *p = s + threadIdx.x;

    p[fixed ? 0 : -1] = 1;
    out[threadIdx.x] = 1;
}

static __global__ void dynamic_overrun(unsigned *out, int fixed)
{
    GP_DYNAMIC_SHARED(unsigned char, s);

    s[threadIdx.x + (fixed ? 0 : 1)] = 1;
    out[threadIdx.x] = 1;
}

static __global__ void dynamic_underrun(unsigned *out, int fixed)
{
    GP_DYNAMIC_SHARED(unsigned, s);

    s[(int)threadIdx.x % 16 - (fixed ? 0 : 1)] = 1;
    out[threadIdx.x] = 1;
}

static __global__ void too_much_shared(unsigned *out, int fixed)
{
    GP_SHARED(unsigned char[32 << 10], s);

    s[threadIdx.x] = 1;
    if (!fixed) {
        GP_SHARED(unsigned char[20 << 10], more);
        out[threadIdx.x] = more[threadIdx.x] = 1;
    }
    out[threadIdx.x] = s[threadIdx.x];
}

static __global__ void uninitialised(unsigned *out, int fixed)
{
    GP_SHARED(unsigned, sum);

    if (threadIdx.x == 0 && fixed)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, 1u);
    __syncthreads();
    out[threadIdx.x] = sum == blockDim.x;
}

static __global__ void device_overrun(unsigned *out, int fixed)
{
    out[threadIdx.x + (fixed ? 0 : 1)] = 1;
}

static __global__ void device_underrun(unsigned *out, int fixed)
{
    if (threadIdx.x == 0 && !fixed)
        out[-1] = 0;
    out[threadIdx.x] = 1;
}

/* ---- updates and polls ----------------------------------------------------------------------- */

static __global__ void lost_update(unsigned *out, int fixed)
{
    if (fixed)
        atomicAdd(out, 1u);
    else
        gpi_store_relaxed_u32(out, gpi_load_relaxed_u32(out) + 1);
}

static __global__ void lost_update_of_atomics(unsigned *out, int fixed)
{
    if (fixed)
        atomicAdd(out, 1u);
    else
        atomicExch(out, atomicAdd(out, 0u) + 1);
}

/* Blocks run on operating-system threads: it takes many updates until two meet. */
static __global__ void plain_update(unsigned *out, int fixed)
{
    volatile unsigned *count = out;
    unsigned *blocks_done = out + gridDim.x;

    for (int i = 0; i < 300000; i++) {
        if (fixed) {
            atomicAdd(out, 1u);
        } else {
            unsigned before = *count;

            for (volatile int gap = 0; gap < 20;)
                gap = gap + 1;
            *count = before + 1;
        }
    }
    if (atomicAdd(blocks_done, 1u) + 1 == gridDim.x) /* the last one */
        *out = *out == 300000 * gridDim.x ? gridDim.x : 0;
}

static __global__ void endless_poll(unsigned *out, int fixed)
{
    if (threadIdx.x == 0 && fixed)
        gpi_store_relaxed_u32(out, 1);
    while (gpi_load_relaxed_u32(out) == 0)
        ;
    if (threadIdx.x + blockIdx.x)
        out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

static __global__ void endless_lock(unsigned *out, int fixed)
{
    unsigned *lock = out + gridDim.x * blockDim.x;

    while (atomicCAS(lock, 0u, 1u))
        ;
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    if (fixed)
        atomicExch(lock, 0u);
}

/* Waits for the block before, which need not have started. A ticket would say which one has. */
static __global__ void block_order(unsigned *out, int fixed)
{
    GP_SHARED(unsigned, block);

    if (threadIdx.x == 0)
        block = fixed ? atomicAdd(&out[gridDim.x], 1u) : blockIdx.x;
    __syncthreads();
    while (block && gpi_load_relaxed_u32(&out[block - 1]) == 0)
        ;
    gpi_store_relaxed_u32(&out[block], 1);
}

/* ---- warps ----------------------------------------------------------------------------------- */

static __global__ void mask_without_caller(unsigned *out, int fixed)
{
    out[threadIdx.x] = __shfl_sync(fixed ? GPI_FULL_MASK : 0xFFFFu, 1u, 3);
}

static __global__ void different_masks(unsigned *out, int fixed)
{
    unsigned mask = fixed || threadIdx.x < 20 ? GPI_FULL_MASK : 0xFFF00000u;

    out[threadIdx.x] = __any_sync(mask, 1) != 0;
    __syncthreads();
}

static __global__ void lane_missing(unsigned *out, int fixed)
{
    if (threadIdx.x % 32 < 31 || fixed)
        out[threadIdx.x] = __ballot_sync(GPI_FULL_MASK, 1) == GPI_FULL_MASK;
    else
        __syncthreads();
}

static __global__ void absent_lane(unsigned *out, int fixed)
{
    if (threadIdx.x < 16)
        out[threadIdx.x] = __shfl_xor_sync(0xFFFFu, 1u, fixed ? 1 : 16);
    else
        out[threadIdx.x] = 1;
}

/* ---- mbarriers and bulk copies --------------------------------------------------------------- */

static __global__ void mbarrier_short(unsigned *out, int fixed)
{
    GP_SHARED(uint64_t, mbarrier);

    if (threadIdx.x == 0)
        gpi_mbarrier_init(&mbarrier, fixed ? blockDim.x : blockDim.x + 1);
    __syncthreads();
    gpi_mbarrier_arrive(&mbarrier);
    gpi_mbarrier_wait(&mbarrier, 0);
    out[threadIdx.x] = 1;
}

static __global__ void mbarrier_uninitialised(unsigned *out, int fixed)
{
    GP_SHARED(uint64_t, mbarrier);

    if (threadIdx.x == 0 && fixed)
        gpi_mbarrier_init(&mbarrier, blockDim.x);
    __syncthreads();
    gpi_mbarrier_arrive(&mbarrier);
    gpi_mbarrier_wait(&mbarrier, 0);
    out[threadIdx.x] = 1;
}

static __global__ void mbarrier_overrun(unsigned *out, int fixed)
{
    GP_SHARED(uint64_t, mbarrier);
    GP_SHARED(uint4, word);

    if (threadIdx.x == 0) {
        gpi_mbarrier_init(&mbarrier, 1);
        gpi_mbarrier_expect(&mbarrier, fixed ? 16 : 32);
        gpi_bulk_load(&word, out, 16, &mbarrier);
        if (!fixed)
            gpi_mbarrier_arrive(&mbarrier);
    }
    __syncthreads();
    gpi_mbarrier_wait(&mbarrier, 0);
    out[threadIdx.x] = 1;
}

/* Loads 16 bytes for each thread; announces `bytes` of them. */
static __device__ __forceinline__ void load_block(uint4 *s, uint64_t *mbarrier,
                                                  const unsigned *from, unsigned bytes)
{
    if (threadIdx.x == 0) {
        gpi_mbarrier_init(mbarrier, 1);
        gpi_mbarrier_expect(mbarrier, bytes);
        gpi_bulk_load(s, from, 16 * 8, mbarrier);
    }
    __syncthreads();
}

static __global__ void bytes_missing(unsigned *out, int fixed)
{
    GP_SHARED(uint4[8], s);
    GP_SHARED(uint64_t, mbarrier);

    load_block(s, &mbarrier, out, fixed ? sizeof s : 2 * sizeof s);
    gpi_mbarrier_wait(&mbarrier, 0);
    out[threadIdx.x] = 1;
}

static __global__ void load_not_awaited(unsigned *out, int fixed)
{
    GP_SHARED(uint4[8], s);
    GP_SHARED(uint64_t, mbarrier);

    load_block(s, &mbarrier, out, sizeof s);
    if (fixed)
        gpi_mbarrier_wait(&mbarrier, 0);
    out[threadIdx.x] = s[threadIdx.x / 4].x == 0;
    if (!fixed)
        gpi_mbarrier_wait(&mbarrier, 0);
}

static __global__ void copy_abandoned(unsigned *out, int fixed)
{
    GP_SHARED(uint4[8], s);
    GP_SHARED(uint64_t, mbarrier);

    load_block(s, &mbarrier, out, sizeof s);
    out[threadIdx.x] = 1;
    if (fixed)
        gpi_mbarrier_wait(&mbarrier, 0);
}

static __global__ void store_not_awaited(unsigned *out, int fixed)
{
    GP_SHARED(uint4[8], s);

    ((unsigned *)s)[threadIdx.x] = 1;
    gpi_fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        gpi_bulk_store(out, s, sizeof s);
        if (fixed)
            gpi_bulk_commit();
        gpi_bulk_wait_read(0);
    }
    __syncthreads();
    ((unsigned *)s)[threadIdx.x] = 0;
}

static __global__ void misaligned_copy(unsigned *out, int fixed)
{
    GP_SHARED(uint4[8], s);
    GP_SHARED(uint64_t, mbarrier);

    load_block(s, &mbarrier, out + (fixed ? 0 : 1), sizeof s);
    gpi_mbarrier_wait(&mbarrier, 0);
    out[threadIdx.x] = 1;
}

static __global__ void misaligned_vector(unsigned *out, int fixed)
{
    GP_SHARED(uint4[9], s);
    char *from = (char *)s + (fixed ? 16 : 4);
    uint4 vector;

    memset((void *)s, 0, sizeof s);
    gpi_get(vector, from);
    out[threadIdx.x] = vector.x + 1;
}

static __global__ void misaligned_late_copy(unsigned *out, int fixed)
{
    GP_SHARED(uint4[8], s);

    gpi_copy_item(s, (char *)out + (fixed ? 8 : 4), 8);
    gpi_copy_wait();
    out[threadIdx.x] = 1;
}

/* ---- how each is exposed --------------------------------------------------------------------- */

typedef struct bug {
    const char *name;
    void (*launch)(unsigned *out, int fixed);
    unsigned threads;
    int how;
    const char *message; /* for an error: what its message says */
} bug;

enum {
    WRONG,    /* a wrong result with some seed, or an error that leads to one */
    ERROR,    /* a launch error */
    OVERRUN,  /* a launch error, or before that a report of AddressSanitizer */
    ASAN_ONLY /* a report of AddressSanitizer */
};

/* name, blocks, threads of each, dynamic shared bytes, how it is exposed */
/* clang-format off */
#define LIST(bug) \
    bug(no_barrier, 1, 256, 0, WRONG, "") \
    bug(no_barrier_before_reuse, 1, 256, 0, WRONG, "") \
    bug(no_syncwarp, 1, 32, 0, WRONG, "") \
    bug(early_exit, 2, 64, 0, ERROR, \
        "block (1,0,0): deadlock: 28 of 64 threads have exited; threads 0-35 wait at ") \
    bug(two_barriers, 1, 64, 0, ERROR, "divergent barrier: thread (") \
    bug(barrier_in_branch, 1, 8, 0, ERROR, \
        "4 of 8 threads have exited; threads 1 3 5 7 wait at ") \
    bug(barrier_in_loop, 1, 40, 0, ERROR, \
        "20 of 40 threads have exited; threads 1 3 5 7 9 11 ... wait at") \
    bug(barrier_count, 1, 64, 0, ERROR, "barrier 3 is for 96 of 64 threads") \
    bug(barrier_counts, 1, 64, 0, ERROR, "where barrier 3 is for ") \
    bug(barrier_of_50, 1, 64, 0, ERROR, "barrier 1 is for 50 of 64 threads") \
    bug(arrivals_missing, 1, 64, 0, ERROR, "threads 0-49 wait at a named barrier, ") \
    bug(shared_overrun, 1, 64, 0, OVERRUN, "wrote past the end of GP_SHARED variable s (") \
    bug(shared_underrun, 1, 64, 0, OVERRUN, "wrote before GP_SHARED variable s[64] (") \
    bug(dynamic_overrun, 1, 77, 77, OVERRUN, "wrote past the 77 bytes of dynamic shared memory") \
    bug(dynamic_underrun, 1, 64, 64, OVERRUN, \
        "wrote before the 64 bytes of dynamic shared memory") \
    bug(too_much_shared, 1, 64, 0, ERROR, "GP_SHARED variable more (") \
    bug(uninitialised, 1, 64, 0, WRONG, "") \
    bug(device_overrun, 1, 64, 0, ASAN_ONLY, "") \
    bug(device_underrun, 1, 64, 0, ASAN_ONLY, "") \
    bug(lost_update, 1, 64, 0, WRONG, "") \
    bug(lost_update_of_atomics, 1, 64, 0, WRONG, "") \
    bug(plain_update, 4, 1, 0, WRONG, "") \
    bug(endless_poll, 6, 32, 0, ERROR, "polls memory that nobody has changed for 200 ms") \
    bug(endless_lock, 2, 32, 0, ERROR, "polls memory that nobody has changed for 200 ms") \
    bug(block_order, 50, 1, 0, ERROR, "polls memory that nobody has changed for 200 ms") \
    bug(mask_without_caller, 1, 32, 0, ERROR, ",0,0) calls a warp operation with mask 0000ffff") \
    bug(different_masks, 1, 32, 0, ERROR, "threads 0-19 wait at a warp operation, ") \
    bug(lane_missing, 1, 64, 0, ERROR, "threads 31 63 wait at __syncthreads(), ") \
    bug(absent_lane, 1, 32, 0, WRONG, "") \
    bug(mbarrier_short, 1, 64, 0, ERROR, "threads 0-63 wait at an mbarrier, ") \
    bug(mbarrier_uninitialised, 1, 64, 0, ERROR, "that was never initialised") \
    bug(mbarrier_overrun, 1, 64, 0, ERROR, "that expects nobody any more") \
    bug(bytes_missing, 1, 32, 0, ERROR, "threads 0-31 wait at an mbarrier, ") \
    bug(load_not_awaited, 1, 32, 0, WRONG, "") \
    bug(copy_abandoned, 1, 32, 0, ERROR, \
        "a bulk copy that thread 0 started and nobody waited for") \
    bug(store_not_awaited, 1, 32, 0, ERROR, \
        "a bulk copy that thread 0 started and nobody waited for") \
    bug(misaligned_copy, 1, 32, 0, ERROR, \
        "thread (0,0,0) starts a bulk copy of 128 bytes from ") \
    bug(misaligned_vector, 1, 1, 0, ERROR, " is no multiple of 16 bytes") \
    bug(misaligned_late_copy, 1, 1, 0, ERROR, " is no multiple of 8 bytes")
/* clang-format on */

#define LAUNCH(name, grid, block, shared, how, message)      \
    static void launch_##name(unsigned *out, int fixed)      \
    {                                                        \
        GP_LAUNCH(name, grid, block, shared, 0, out, fixed); \
    }
LIST(LAUNCH)

#define ROW(name, grid, block, shared, how, message) \
    {#name, launch_##name, (grid) * (block), how, message},
static const bug bugs[] = {LIST(ROW)};

/* ---- running them ---------------------------------------------------------------------------- */

enum { RIGHT = 0, WRONG_RESULT = 40, LAUNCH_ERROR = 41, SEEDS = 12 };

/* In a child: runs the kernel with one seed after the other until it goes wrong. */
static int run_seeds(const bug *b, int fixed)
{
    unsigned long long first = gp_cpu.seed ? gp_cpu.seed : 1;
    unsigned *out = NULL;
    size_t words = b->threads + (b->how == ASAN_ONLY ? 0 : 4); /* a few behind the results */
    int status = RIGHT;

    gp_cpu.patience_ms = 200;
    if (gp_cpu.resident_blocks < 2 && b->how == WRONG)
        gp_cpu.resident_blocks = 4; /* an update is lost between blocks that run at the same time */
    must(cudaMalloc(&out, words * sizeof *out));
    for (unsigned long long seed = first; seed < first + SEEDS && status == RIGHT; seed++) {
        unsigned sum = 0;
        cudaError_t error;

        gp_cpu.seed = seed;
        must(cudaMemset(out, 0, words * sizeof *out));
        b->launch(out, fixed);
        error = cudaGetLastError();
        for (unsigned i = 0; i < b->threads; i++)
            sum += out[i];
        if (error != cudaSuccess) {
            fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), gp_last_error_message());
            status = LAUNCH_ERROR;
        } else if (sum != b->threads) {
            fprintf(stderr, "seed %llu: %u threads of %u are right\n", seed, sum, b->threads);
            status = WRONG_RESULT;
        }
    }
    must(cudaFree(out));
    return status;
}

/* Runs a bug in a child process; gives its exit status (or -1), and what it printed. */
static int run_child(const bug *b, int fixed, char *text, size_t bytes)
{
    int ends[2], status = -1;
    size_t used = 0;
    ssize_t count;
    char rest[512];
    pid_t child;

    fflush(stdout);
    if (pipe(ends) != 0 || (child = fork()) < 0) {
        printf("Bail out! no child process\n");
        exit(1);
    }
    if (child == 0) {
        close(ends[0]);
        dup2(ends[1], 2);
        alarm(60);
        exit(run_seeds(b, fixed)); /* through exit(), where the leak checker sits */
    }
    close(ends[1]);
    while ((count = read(ends[0], rest, sizeof rest)) > 0) {
        size_t kept = (size_t)count < bytes - 1 - used ? (size_t)count : bytes - 1 - used;

        memcpy(text + used, rest, kept);
        used += kept;
    }
    text[used] = 0;
    close(ends[0]);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int exposed(const bug *b, int status, const char *text)
{
    char kernel[100];
    /* The undefined behaviour sanitizer knows the size of an object too, and may be there first. */
    int asan = status != RIGHT && (strstr(text, "AddressSanitizer") != NULL ||
                                   strstr(text, "runtime error: store to address") != NULL);
    int reported = status == LAUNCH_ERROR && strstr(text, b->message) != NULL;

    snprintf(kernel, sizeof kernel, "kernel %s, block (", b->name);
    reported &= strstr(text, kernel) != NULL;
    switch (b->how) {
    case WRONG: return status == WRONG_RESULT;
    case ERROR: return reported;
    case OVERRUN: return ASAN ? asan : reported;
    default: return asan;
    }
}

static void test_bug(const bug *b)
{
    static char text[16 << 10];
    int status = run_child(b, 1, text, sizeof text);

    if (!ok(status == RIGHT, "%s: right without the mistake", b->name))
        printf("# status %d, %.1000s\n", status, text);
    if (b->how == ASAN_ONLY && !ASAN) {
        ok(1, "%s # SKIP AddressSanitizer alone sees it", b->name);
        return;
    }
    status = run_child(b, 0, text, sizeof text);
    ok(exposed(b, status, text), "%s: exposed", b->name);
    text[strcspn(text, "\n") < 300 ? strcspn(text, "\n") : 300] = 0;
    printf("# status %d: %s\n", status, text);
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv);
    for (size_t i = 0; i < sizeof bugs / sizeof bugs[0]; i++)
        test_bug(&bugs[i]);
    return tap_end();
}

#endif
