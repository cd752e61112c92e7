/*
 * core/radix_plan.cuh: what a radix sort knows before it moves a key. One kernel counts all digits of
 * all keys; the next makes the plan from the counts: which passes there are, from where to where each
 * goes, and where the keys of each digit begin.
 *
 * Part of radix_sort.cuh; not to be included directly.
 */
#ifndef GPI_RADIX_PLAN_CUH
#define GPI_RADIX_PLAN_CUH

enum {
    GPI_RADIX_MOST = 8,            /* digits of a key */
    GPI_RADIX_COUNT_THREADS = 1024 /* of a block that counts; it has a multiprocessor to itself */
};

/* Made by the first kernels of a call, on the device, for the passes. */
typedef struct gpi_radix_plan {
    int passes;                    /* as many as have something to do */
    int digit[GPI_RADIX_MOST + 1]; /* which one a pass is about; -1: the pass copies */
    int from[GPI_RADIX_MOST + 1];  /* 0: the input, 1: the output, 2: the other array */
    int to[GPI_RADIX_MOST + 1];
    int votes[GPI_RADIX_MOST + 1]; /* the pass ranks by votes */
    /* Where the keys of a digit go, for the portion before and the next one in turn. */
    uint64_t place[GPI_RADIX_MOST][2][256];
} gpi_radix_plan;

/* All zero before a call. */
typedef struct gpi_radix_counts {
    unsigned long long keys[GPI_RADIX_MOST][256]; /* with that digit there */
    uint32_t pairs;                               /* of neighbours that were looked at, */
    uint32_t alike[GPI_RADIX_MOST];               /* and how many of them share a digit */
    uint32_t minus_zero;                          /* whether there is a -0.0 */
} gpi_radix_counts;

/* How many passes by digits of 8 bits; none for an empty range of bits. */
GPI_DEVICE int gpi_radix_digits(int begin_bit, int end_bit)
{
    return (end_bit - begin_bit + 7) / 8;
}

/* One block of 256 threads: the sum of x over the threads before. `sums` has 8 entries. */
GPI_DEVICE uint64_t gpi_radix_scan(uint64_t x, uint64_t *sums)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint64_t sum = x;

    for (unsigned stride = 1; stride < 32; stride *= 2) {
        uint64_t before = __shfl_up_sync(GPI_FULL_MASK, sum, stride);

        if (lane >= stride)
            sum += before;
    }
    if (lane == 31)
        sums[warp] = sum;
    __syncthreads(); /* the warps' sums are complete */
    for (unsigned w = 0; w < warp; w++)
        sum += sums[w];
    __syncthreads(); /* sums are free */
    return sum - x;
}

/* One block of 256 threads: how evenly keys are spread, 1 for a single digit, 1/256 at best. */
GPI_DEVICE float gpi_radix_crowding(float share, float *sums)
{
    float sum = share * share;

    for (unsigned stride = 16; stride > 0; stride /= 2)
        sum += __shfl_xor_sync(GPI_FULL_MASK, sum, stride);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads(); /* the warps' sums are complete */
    sum = 0;
    for (int w = 0; w < 8; w++)
        sum += sums[w];
    __syncthreads(); /* sums are free */
    return sum;
}

#endif

#define GPI_RADIX_COUNT GPI(count)
#define GPI_RADIX_COUNT_VECTOR GPI(count_vector)
#define GPI_RADIX_COUNT_KERNEL GPI(count_kernel)
#define GPI_RADIX_PLAN_KERNEL GPI(plan_kernel)
#define GPI_RADIX_VECTOR_N GPI(vector_n)

enum { GPI_RADIX_VECTOR_N = 16 / (int)sizeof(GP_KEY) };

/*
 * Counts the digits of a key. A counter has a column for each lane, or for every few lanes: they hardly
 * ever meet in a bank, however the keys are spread.
 */
GPI_DEVICE void GPI_RADIX_COUNT(uint32_t *counters, GP_KEY key, int begin_bit, uint64_t range,
                                int digits, unsigned columns, unsigned column)
{
    uint64_t number = GPI_KEY_IS_NARROW ? GPI_KEY_WORD(key) >> begin_bit & (uint32_t)range
                                        : GPI_KEY_LONG(key) >> begin_bit & range;

    GPI_UNROLL
    for (int p = 0; p < (int)sizeof(GP_KEY); p++)
        if (p < digits)
            atomicAdd(&counters[(p * 256 + (uint32_t)(number >> 8 * p & 255)) * columns + column],
                      1u);
}

/*
 * Counts all digits of all keys, and clears `rows` words for the look-back of the first pass. Dynamic
 * shared memory: digits * 256 * columns counters.
 */
static __global__ void __launch_bounds__(GPI_RADIX_COUNT_THREADS, 1)
    GPI_RADIX_COUNT_KERNEL(const GP_KEY *in, size_t n, int begin_bit, int end_bit, unsigned columns,
                           gpi_radix_counts *counts, uint32_t *look, size_t words)
{
    GP_DYNAMIC_SHARED(uint32_t, counters);
    GP_SHARED(uint32_t[GPI_RADIX_MOST + 2], seen);
    const unsigned column = threadIdx.x % columns;
    const int digits = gpi_radix_digits(begin_bit, end_bit);
    const uint64_t range = digits ? UINT64_MAX >> (64 - (end_bit - begin_bit)) : 0;
    const size_t stride = (size_t)gridDim.x * GPI_RADIX_COUNT_THREADS;
    const size_t first = (size_t)blockIdx.x * GPI_RADIX_COUNT_THREADS + threadIdx.x;
    const size_t head = (0 - (size_t)(uintptr_t)in) % 16 / sizeof(GP_KEY);
    const size_t vectors = head < n ? (n - head) / GPI_RADIX_VECTOR_N : 0;
    uint64_t alike = 0;
    int minus_zero = 0;

    for (size_t i = first; i < words; i += stride)
        look[i] = 0;
    for (unsigned i = threadIdx.x; i < digits * 256 * columns; i += GPI_RADIX_COUNT_THREADS)
        counters[i] = 0;
    if (threadIdx.x < GPI_RADIX_MOST + 2)
        seen[threadIdx.x] = 0;
    __syncthreads(); /* the counters are zero */

    /* Whole vectors, four under way at a time. */
    for (size_t i = first; i < vectors; i += 4 * stride) {
        GP_KEY keys[4][GPI_RADIX_VECTOR_N];

        GPI_UNROLL
        for (int v = 0; v < 4; v++)
            if (i + v * stride < vectors)
                memcpy(
                    (void *)keys[v],
                    __builtin_assume_aligned(in + head + (i + v * stride) * GPI_RADIX_VECTOR_N, 16),
                    16);
        if (i == first)
            alike = ~(GPI_KEY_ORDER(keys[0][0]) ^ GPI_KEY_ORDER(keys[0][1])) >> begin_bit | ~range;
        GPI_UNROLL
        for (int v = 0; v < 4; v++)
            if (i + v * stride < vectors) {
                GPI_UNROLL
                for (int k = 0; k < GPI_RADIX_VECTOR_N; k++) {
                    GPI_RADIX_COUNT(counters, keys[v][k], begin_bit, range, digits, columns,
                                    column);
                    minus_zero |= GPI_KEY_IS_MINUS_ZERO(keys[v][k]);
                }
            }
    }
    /* What no whole vector covers, at either end. */
    if (blockIdx.x == 0 && threadIdx.x < 2 * GPI_RADIX_VECTOR_N) {
        size_t i = threadIdx.x < GPI_RADIX_VECTOR_N
                       ? threadIdx.x
                       : head + vectors * GPI_RADIX_VECTOR_N + threadIdx.x - GPI_RADIX_VECTOR_N;

        if (i < n && (i >= head || threadIdx.x < GPI_RADIX_VECTOR_N) &&
            (threadIdx.x >= GPI_RADIX_VECTOR_N || i < head)) {
            GPI_RADIX_COUNT(counters, in[i], begin_bit, range, digits, columns, column);
            minus_zero |= GPI_KEY_IS_MINUS_ZERO(in[i]);
        }
    }
    if (minus_zero)
        atomicOr(&seen[GPI_RADIX_MOST + 1], 1u);
    for (int p = 0; p < digits; p++) {
        unsigned votes =
            __ballot_sync(GPI_FULL_MASK, first < vectors && (alike >> 8 * p & 255) == 255);

        if (threadIdx.x % 32 == 0 && votes)
            atomicAdd(&seen[p], (uint32_t)__popc(votes));
    }
    if (first < vectors)
        atomicAdd(&seen[GPI_RADIX_MOST], 1u);
    __syncthreads(); /* counters and seen are complete */

    for (unsigned b = threadIdx.x; b < (unsigned)digits * 256; b += GPI_RADIX_COUNT_THREADS) {
        uint32_t sum = 0;

        for (unsigned c = 0; c < columns; c++)
            sum += counters[b * columns + (c + threadIdx.x) % columns];
        if (sum)
            atomicAdd(&counts->keys[b / 256][b % 256], (unsigned long long)sum);
    }
    if (threadIdx.x < GPI_RADIX_MOST && seen[threadIdx.x])
        atomicAdd(&counts->alike[threadIdx.x], seen[threadIdx.x]);
    if (threadIdx.x == GPI_RADIX_MOST)
        atomicAdd(&counts->pairs, seen[GPI_RADIX_MOST]);
    if (threadIdx.x == GPI_RADIX_MOST + 1 && seen[GPI_RADIX_MOST + 1])
        atomicOr(&counts->minus_zero, 1u);
}

/*
 * One block of 256 threads makes the plan. in_place: some array is sorted in place, so that passes must
 * be even in number. A pass ranks by votes where two keys of a warp often share the digit; `strict`
 * passes always do, for the check that atomics need cannot tell keys apart that are equal in the bits
 * that count and yet different.
 */
static __global__ void __launch_bounds__(256)
    GPI_RADIX_PLAN_KERNEL(const gpi_radix_counts *counts, gpi_radix_plan *plan, size_t n,
                          int begin_bit, int end_bit, int in_place, int strict)
{
    GP_SHARED(uint64_t[8], sums);
    GP_SHARED(float[8], crowds);
    const int digits = gpi_radix_digits(begin_bit, end_bit);
    int passes = 0;

    gpi_grid_wait();
    gpi_grid_launch_next();
    strict |= !GPI_RADIX_PAIRS && (end_bit - begin_bit < GPI_KEY_WIDTH || counts->minus_zero);
    for (int p = 0; p < digits; p++) {
        uint64_t count = counts->keys[p][threadIdx.x];
        uint64_t before = gpi_radix_scan(count, sums);
        float crowding = gpi_radix_crowding((float)count / (float)n, crowds);

        plan->place[p][0][threadIdx.x] = before;
        if (__syncthreads_or(count == n)) /* all keys have one digit there: nothing to do */
            continue;
        /* The first pass meets the keys as they come, the later ones mixed. */
        int votes = passes ? crowding > 0.1f : 10 * (uint64_t)counts->alike[p] > counts->pairs;
        if (threadIdx.x == 0) {
            plan->digit[passes] = p;
            plan->votes[passes] = strict || votes;
        }
        passes++;
    }
    if (threadIdx.x > 0)
        return;
    if (passes == 0 || (in_place && passes % 2))
        plan->digit[passes++] = -1;
    for (int j = 0; j < passes; j++) {
        plan->to[j] = (passes - 1 - j) % 2 ? 2 : 1;
        plan->from[j] = j ? plan->to[j - 1] : 0;
    }
    plan->passes = passes;
}
