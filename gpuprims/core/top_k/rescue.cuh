/*
 * core/top_k/rescue.cuh: when what a filter has left of a row are too few candidates, or too many for their array:
 * finds exactly the k best, digit by digit. A bound of well-mixed samples is wrong about once in a billion calls, so
 * one block does it, and otherwise returns at once.
 *
 * Part of top_k.cuh; not to be included directly.
 */
#if GPI_DEVICE_CODE
/* What the block knows of the bound: its digits from `shift` on. */
typedef struct {
    uint32_t counts[256];
    uint64_t prefix;
    unsigned long long left; /* the rank of the bound among those that have its digits, from 1 on */
} GPI(digits);

/*
 * Finds the next digit: the one that the bound has by number, or, unless `by_number`, by place, among items of the
 * number `number`.
 */
GPI_DEVICE void GPI(find_digit)(const GP_KEY *keys, size_t n, GPI(digits) *digits, int shift, int by_number,
                                uint64_t number)
{
    for (uint32_t i = threadIdx.x; i < 256; i += blockDim.x)
        digits->counts[i] = 0;
    __syncthreads(); /* counts are clear */
    const uint64_t prefix = digits->prefix;
    for (size_t i = threadIdx.x; i < n; i += blockDim.x) {
        const uint64_t own = GPI(key_order)(keys[i]), x = by_number ? own : i;

        if ((by_number || own == number) && x >> shift >> 8 == prefix)
            atomicAdd(&digits->counts[x >> shift & 255], 1u);
    }
    __syncthreads(); /* all items have been counted */
    if (threadIdx.x == 0) {
        uint32_t digit = 0;

        for (; digits->counts[digit] < digits->left; digit++)
            digits->left -= digits->counts[digit];
        digits->prefix = digits->prefix << 8 | digit;
    }
    __syncthreads(); /* the digit is known */
}
#endif

/* A block for each row. */
static __global__ void __launch_bounds__(1024) GPI(rescue_kernel)(GPI(job) job)
{
#if GPI_DEVICE_CODE
    GP_SHARED(GPI(digits), digits);
    GP_SHARED(uint32_t, count);
    const GP_KEY *keys = job.keys + blockIdx.x * job.length;
    unsigned long long *candidates = job.count + blockIdx.x;

    gpi_grid_wait();
    gpi_grid_launch_next();
    if (*candidates >= job.k && *candidates <= job.capacity && GP_KERNEL != GP_KERNEL_TOP_K_RESCUE)
        return;
    __syncthreads(); /* all have read the count */
    if (threadIdx.x == 0) {
        digits.left = job.k;
        digits.prefix = 0;
        count = 0;
        *candidates = job.k;
    }
    for (int shift = GPI_KEY_WIDTH - 8; shift >= 0; shift -= 8)
        GPI(find_digit)(keys, job.length, &digits, shift, 1, 0);
    const uint64_t number = digits.prefix;
    __syncthreads(); /* all have read it */
    if (threadIdx.x == 0)
        digits.prefix = 0;
    for (int shift = 24; shift >= 0; shift -= 8)
        GPI(find_digit)(keys, job.length, &digits, shift, 0, number);
    for (size_t i = threadIdx.x; i < job.length; i += blockDim.x) {
        GPI(candidate) x;

        x.number = GPI(key_order)(keys[i]);
        x.place = i;
        if (x.number < number || (x.number == number && i <= digits.prefix))
            GPI(put_candidate)(&job, blockIdx.x * job.capacity + atomicAdd(&count, 1u), x);
    }
#endif
}
