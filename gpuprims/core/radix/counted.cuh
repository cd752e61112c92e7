/*
 * core/radix/counted.cuh: the sort of keys of one byte alone by all of their bits. Keys that are alike are the same: so
 * they are counted, and the output is written from the counts. One launch of a block or a cluster does both; of large n
 * the first kernel of the passes counts, and the next one writes. Few keys have a kernel of their own, with short code.
 *
 * Part of radix_sort.cuh; not to be included directly.
 */

/* Whether keys may be sorted so, and whether those of a request are. Equal floats may have different bits. */
enum { GPI(may_count) = sizeof(GP_KEY) == 1 && !GPI_RADIX_PAIRS && !GPI(key_is_float) };
#define GPI_RADIX_IS_COUNTED(request) (GPI(may_count) && (request).end_bit - (request).begin_bit == GPI_KEY_WIDTH)

/* What a block has in shared memory, besides its counters. */
typedef struct {
    uint32_t begins[260]; /* where the keys of a number begin in the output; then UINT32_MAX */
    uint32_t totals[GPI_RADIX_CLUSTER_MAX][256]; /* of each block */
    uint32_t sums[8];
} __attribute__((aligned(16))) GPI(counted);

#if GPI_DEVICE_CODE
/*
 * Counts byte `at` of the low or high words of so many units of 8 bytes, as digit p. A counter has a column for each
 * lane, or for every few lanes: bank conflicts are rare, however the keys are spread. The columns are a power of two in
 * number.
 */
GPI_DEVICE void GPI(count)(uint32_t *counters, unsigned columns, const uint64_t *units, int n, int high, int at, int p)
{
    uint32_t row = ((unsigned)p * 256 * columns + (threadIdx.x & (columns - 1))) * (uint32_t)sizeof row;

    GPI_OPAQUE(row); /* a sum of its own: one multiplication and addition are left for each byte */
    GPI_UNROLL
    for (int i = 0; i < n; i++) {
        const uint32_t word = (uint32_t)(high ? units[i] >> 32 : units[i]);
        const uint32_t place = row + gpi_byte(word, at) * (columns * (uint32_t)sizeof row);

        atomicAdd((uint32_t *)((char *)counters + place), 1u);
    }
}

/* Counts byte `at` of all words: it is a digit of a key that is in the word, or that the word is a part of. */
GPI_DEVICE void GPI(count_bytes)(uint32_t *counters, unsigned columns, const uint64_t *units, int n, int at, int digits)
{
    const int low = GPI_KEY_IS_NARROW ? at % (int)sizeof(GP_KEY) : at, high = GPI_KEY_IS_NARROW ? low : at + 4;

    if (low < digits)
        GPI(count)(counters, columns, units, n, 0, at, low);
    if (high < digits)
        GPI(count)(counters, columns, units, n, 1, at, high);
}

/*
 * The grid writes n keys: vectors, of which each block takes some side by side. Thread d says where the keys of the
 * number d begin; `begins`, in shared memory, has a word for each, and one behind.
 */
GPI_DEVICE void GPI(write_counted)(uint32_t *begins, uint32_t begin, GP_KEY *out, uint32_t n)
{
    const uint64_t each = UINT64_MAX / 255, zero = GPI(key_order)(GPI(key_of_bits)(0));
    const uint32_t head = gpi_min((uint32_t)((0 - (uintptr_t)out) % 16), n);
    const uint32_t vectors = (n - head) / 16, share = vectors / gridDim.x + 1, first = blockIdx.x * share;
    uint32_t number = 0, next = 0; /* the number up to there */

    if (threadIdx.x < 256)
        begins[threadIdx.x] = begin;
    if (threadIdx.x == 0)
        begins[256] = UINT32_MAX;
    __syncthreads(); /* where the numbers begin is there, and all keys of a single block have been read */
    for (uint32_t v = first + threadIdx.x; v < gpi_min(first + share, vectors); v += blockDim.x) {
        const uint32_t x = head + 16 * v;
        uint64_t bytes = (number ^ zero) * each, units[2] = {bytes, bytes};

        GPI_NO_UNROLL
        for (uint32_t from = x; next < x + 16; from = next) { /* what comes from there on is another number */
            number = gpi_radix_find(begins, 256, from);
            next = begins[number + 1];
            bytes ^= (number ^ zero) * each;
            GPI_UNROLL
            for (uint32_t u = 0; u < 2; u++) {
                const uint32_t kept = from > x + 8 * u ? from - x - 8 * u : 0;

                units[u] ^= kept < 8 ? bytes << 8 * kept : 0;
            }
            bytes = (number ^ zero) * each;
        }
        memcpy(__builtin_assume_aligned((void *)(out + x), 16), units, 16);
    }
    for (uint32_t x = blockIdx.x * blockDim.x + threadIdx.x; x < n - 16 * vectors; x += gridDim.x * blockDim.x) {
        const uint32_t loose = x < head ? x : x + 16 * vectors;

        out[loose] = GPI(key_of_bits)(gpi_radix_find(begins, 256, loose) ^ zero);
    }
}

/* Sorts the keys by one block, or by a cluster of them. */
GPI_DEVICE void GPI(sort_counted)(const GPI(request) *job, GPI(counted) *state)
{
    const uint32_t n = (uint32_t)job->n, columns = GPI_RADIX_COUNTED_COLUMNS, tid = threadIdx.x;
    const GPI(vectors) vectors = GPI(vectors_of)(job->keys_in, n);
    uint32_t *counters = (uint32_t *)(state + 1), total = 0;
    const uint32_t head = (uint32_t)vectors.head, whole = (uint32_t)vectors.n, loose = (uint32_t)vectors.loose;

    if (gridDim.x > 1)
        gpi_cluster_started();
    gpi_radix_zero(counters, 256 * columns);
    gpi_grid_wait();
    gpi_grid_launch_next();
    __syncthreads(); /* the counters are zero */
    GPI_NO_UNROLL
    for (uint32_t i = blockIdx.x * blockDim.x + tid; i < whole; i += gridDim.x * blockDim.x) {
        uint64_t units[2];

        GPI(read_vector)(units, job->keys_in + head + 16 * i);
        GPI_NO_UNROLL
        for (int at = 0; at < 4; at++)
            GPI(count_bytes)(counters, columns, units, 2, at, 1);
    }
    if (loose < n)
        atomicAdd(&counters[GPI(key_bits)(job->keys_in[loose]) * columns], 1u);
    __syncthreads(); /* the block's keys have been counted */
    if (tid < 256) {
        const uint32_t *row = counters + (tid ^ (unsigned)GPI(key_order)(GPI(key_of_bits)(0))) * columns;

        GPI_UNROLL_BY(8)
        for (unsigned c = 0; c < columns; c++)
            total += row[(tid + c) & (columns - 1)];
    }
    if (gridDim.x > 1) { /* to write to others takes less time than to read what they have written */
        gpi_cluster_wait(); /* all blocks have started */
        GPI_NO_UNROLL
        for (unsigned r = 0; r < gridDim.x && tid < 256; r++)
            *(uint32_t *)gpi_cluster_shared(&state->totals[blockIdx.x][tid], r) = total;
        gpi_cluster_sync(); /* the keys of all blocks have been read and counted */
        total = 0;
        GPI_UNROLL_BY(4)
        for (unsigned r = 0; r < gridDim.x && tid < 256; r++)
            total += state->totals[r][tid];
    }
    const uint32_t begin = gpi_radix_scan(state->sums, 8, total, NULL);
    GPI(write_counted)(state->begins, begin, job->keys_out, n);
}
#endif

/* What the block that sorts few keys has in shared memory. */
typedef struct {
    uint32_t counts[260]; /* of each digit; then of keys that there are not */
    uint32_t marks[GPI_RADIX_COUNTED_FEW / 4 + 4]; /* a byte for each key: how it differs from the one before */
    uint32_t begins[256];
    uint32_t sums[8];
} __attribute__((aligned(16))) GPI(few);

/* Sorts n keys, at most 8 of each thread; the grid is one block. */
static __global__ void __launch_bounds__(GPI_RADIX_COUNTED_FEW / 8)
    GPI(few_kernel)(const GP_KEY *in, GP_KEY *out, uint32_t n)
{
#if GPI_DEVICE_CODE
    GP_SHARED(GPI(few), few);
    const uint32_t tid = threadIdx.x, first = 8 * tid, zero = (uint32_t)GPI(key_order)(GPI(key_of_bits)(0));
    GP_KEY keys[8];
    uint64_t unit;

    if (!GPI(may_count))
        return;
    gpi_radix_zero((uint32_t *)&few, 260 + 2 * blockDim.x + 4); /* the marks, too, as far as they are needed */
    gpi_grid_wait();
    gpi_grid_launch_next();
    GPI_UNROLL
    for (uint32_t i = 0; i < 8; i++)
        keys[i] = in[gpi_min(tid + i * blockDim.x, n - 1)];
    __syncthreads(); /* the counts are zero */
    GPI_UNROLL
    for (uint32_t i = 0; i < 8; i++)
        atomicAdd(&few.counts[tid + i * blockDim.x < n ? GPI(key_bits)(keys[i]) : 256], 1u);
    __syncthreads(); /* all keys have been read and counted */
    const uint32_t count = tid < 256 ? few.counts[tid ^ zero] : 0, begin = gpi_radix_scan(few.sums, 8, count, NULL);
    const uint32_t end = begin + count;
    if (tid < 256)
        few.begins[tid] = begin;
    if (count > 0) {
        atomicXor(&few.marks[begin / 4], tid << begin % 4 * 8);
        atomicXor(&few.marks[end / 4], tid << end % 4 * 8);
    }
    __syncthreads(); /* where the numbers begin is there, and so are the marks */
    if (first >= n)
        return;
    memcpy(&unit, __builtin_assume_aligned(&few.marks[2 * tid], 8), 8);
    unit = (unit & ~(uint64_t)255) ^ gpi_radix_find(few.begins, 256, first) ^ zero;
    unit ^= unit << 8; /* each byte becomes the sum of those up to it */
    unit ^= unit << 16;
    unit ^= unit << 32;
    if ((uintptr_t)out % 8 == 0 && first + 8 <= n) {
        memcpy(__builtin_assume_aligned((void *)(out + first), 8), &unit, 8);
        return;
    }
    GPI_NO_UNROLL
    for (uint32_t i = first; i < gpi_min(first + 8, n); i++, unit >>= 8)
        out[i] = GPI(key_of_bits)(unit & 255);
#endif
}
