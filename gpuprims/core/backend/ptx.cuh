/*
 * core/backend/ptx.cuh: what is not plain CUDA C: each instruction as a small function with a CPU
 * twin.
 *
 * Part of gpuprims.h; not to be included directly.
 */
#ifndef GPI_PTX_CUH
#define GPI_PTX_CUH

/*
 * Whether device functions are compiled. nvcc reads a .cu file once for the device and once more
 * for the host, to which a kernel is its name and its parameters: there the bodies of the
 * primitives' kernels, and the functions that only they call, are left out to save time. Types,
 * constants and kernel parameters are the same for both, and so is what a user's device function
 * may call or be called by. Other compilers read everything, once.
 */
#if defined __CUDACC__ && defined __NVCC__ && !defined __CUDA_ARCH__
#define GPI_DEVICE_CODE 0
#else
#define GPI_DEVICE_CODE 1
#endif

/* The same for what only sm_90 and newer run: elsewhere such a kernel has an empty body. */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 900
#define GPI_SM90_CODE 0
#else
#define GPI_SM90_CODE GPI_DEVICE_CODE
#endif

/* A device function of the library: inlined, and no warning when an instance does not use it. */
#define GPI_DEVICE static __device__ __forceinline__

/* The same for rare paths: a call, so that it takes no registers from the frequent ones. */
#define GPI_DEVICE_CALL static __device__ __attribute__((noinline, unused))

/* Unrolls the next loop, whose bounds are constants, so that an array stays in registers. */
#ifdef __CUDACC__
#define GPI_UNROLL _Pragma("unroll")
#define GPI_UNROLL_BY_2 _Pragma("unroll 2") /* where full unrolling makes too much code */
#define GPI_UNROLL_BY_8 _Pragma("unroll 8") /* where full unrolling takes long to compile */
#define GPI_NO_UNROLL   _Pragma("unroll 1")
#define GPI_UNROLL_BY(n) GPI_PRAGMA(unroll n) /* a constant */
#define GPI_PRAGMA(text) _Pragma(#text)
#else
#define GPI_UNROLL_BY(n)
#define GPI_UNROLL
#define GPI_UNROLL_BY_2
#define GPI_UNROLL_BY_8
#define GPI_NO_UNROLL
#endif

/* Memory of one type is accessed as another, whose alignment it has: C needs to be told, and the CPU asks for it. */
#ifdef __CUDACC__
#define gpi_get(x, from) ((x) = *(__typeof__(&(x)))(from))
#define gpi_put(to, x)   (*(__typeof__(&(x)))(to) = (x))
#else
#define gpi_get(x, from) memcpy((void *)&(x), gpi_check_aligned((from), __alignof__(__typeof__(x))), sizeof(x))
#define gpi_put(to, x)   memcpy(gpi_check_aligned((to), __alignof__(__typeof__(x))), &(x), sizeof(x))

/* p; reports it where the GPU would, unless it is a multiple of `align`. */
GPI_DEVICE void *gpi_check_aligned(const void *p, size_t align)
{
    if ((uintptr_t)p % align) {
        gpi_cpu_fail(gpi_cpu_self->block, cudaErrorMisalignedAddress, "%p is no multiple of %zu bytes", p, align);
        gpi_cpu_give_up(gpi_cpu_self);
    }
    return (void *)(uintptr_t)p;
}
#endif

/*
 * *to = *from. A large struct is copied in the largest units that its alignment allows: an
 * assignment goes member by member, and takes long to compile for many small ones.
 */
#ifdef __CUDACC__
#define gpi_move(to, from)                                                                 \
    (sizeof *(to) <= 48 ? (void)(*(to) = *(from))                                          \
                        : gpi_move_units((char *)(to), (const char *)(from), sizeof *(to), \
                                         __alignof__(__typeof__(*(to)))))

/* `bytes` and `align` are constants. */
GPI_DEVICE void gpi_move_units(char *to, const char *from, unsigned bytes, unsigned align)
{
    if (align >= 16) {
        GPI_UNROLL
        for (unsigned i = 0; i < bytes; i += 16)
            *(uint4 *)(to + i) = *(const uint4 *)(from + i);
    } else if (align == 8) {
        GPI_UNROLL
        for (unsigned i = 0; i < bytes; i += 8)
            *(uint2 *)(to + i) = *(const uint2 *)(from + i);
    } else if (align == 4) {
        GPI_UNROLL
        for (unsigned i = 0; i < bytes; i += 4)
            *(uint32_t *)(to + i) = *(const uint32_t *)(from + i);
    } else {
        GPI_UNROLL_BY_8
        for (unsigned i = 0; i < bytes; i++)
            to[i] = from[i];
    }
}
#else
#define gpi_move(to, from) ((void)(*(to) = *(from)))
#endif

/*
 * Vectors of 1, 2, 4, 8 or 16 bytes, a constant, between global memory that is aligned to that and words in registers,
 * by one instruction each: of an assignment the compiler may make several. Reads stay in the order in which they are
 * written, so that all of a thread can be under way before the first is used. A warp's vectors of 4 bytes are a line of
 * the L1, which need not keep it.
 */
#ifdef __CUDACC__
GPI_DEVICE void gpi_read_vector(uint32_t *words, const void *from, int bytes)
{
    if (bytes == 16)
        __asm__ volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                         : "l"(from));
    else if (bytes == 8)
        __asm__ volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(words[0]), "=r"(words[1]) : "l"(from));
    else if (bytes == 4)
        __asm__ volatile("ld.global.L1::no_allocate.u32 %0, [%1];" : "=r"(words[0]) : "l"(from));
    else if (bytes == 2)
        __asm__ volatile("ld.global.u16 %0, [%1];" : "=r"(words[0]) : "l"(from));
    else
        __asm__ volatile("ld.global.u8 %0, [%1];" : "=r"(words[0]) : "l"(from));
}

GPI_DEVICE void gpi_write_vector(void *to, const uint32_t *words, int bytes)
{
    if (bytes == 16)
        __asm__ volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};"
                         :
                         : "l"(to), "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3])
                         : "memory");
    else if (bytes == 8)
        __asm__ volatile("st.global.v2.u32 [%0], {%1, %2};" : : "l"(to), "r"(words[0]), "r"(words[1]) : "memory");
    else if (bytes == 4)
        *(uint32_t *)to = words[0];
    else if (bytes == 2)
        *(uint16_t *)to = (uint16_t)words[0];
    else
        *(uint8_t *)to = (uint8_t)words[0];
}
#else
GPI_DEVICE void gpi_read_vector(uint32_t *words, const void *from, int bytes)
{
    memcpy(words, gpi_check_aligned(from, (size_t)bytes), (size_t)bytes);
}

GPI_DEVICE void gpi_write_vector(void *to, const uint32_t *words, int bytes)
{
    memcpy(gpi_check_aligned(to, (size_t)bytes), words, (size_t)bytes);
}
#endif

#define GPI_FULL_MASK 0xFFFFFFFFu

/*
 * Instructions of sm_90 compile for every architecture; only kernels that check for it first may
 * run them.
 */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 900
#define GPI_NEEDS_SM90(instruction) __trap()
#else
#define GPI_NEEDS_SM90(instruction) instruction
#endif

/* The thread's number in its block, whatever the shape of the block. */
GPI_DEVICE unsigned gpi_thread_rank(void)
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

GPI_DEVICE unsigned gpi_min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* The smaller of n and limit. */
GPI_DEVICE unsigned gpi_min_size(size_t n, unsigned limit)
{
    return n < limit ? (unsigned)n : limit;
}

/* Tells the compiler what is true. */
#ifdef __CUDACC__
#define GPI_ASSUME(condition) __builtin_assume(condition)
#else
#define GPI_ASSUME(condition) ((void)0)
#endif

/* Makes x an unknown value to the compiler: it recomputes what it would otherwise keep in registers. */
#ifdef __CUDACC__
#define GPI_OPAQUE(x) __asm__ volatile("" : "+r"(x))
#else
#define GPI_OPAQUE(x) ((void)0)
#endif

/* x is not initialised yet. It is where it is read, but CPU compilers do not see that, and warn. */
#ifdef __CUDACC__
#define GPI_UNDEFINED(x) ((void)0)
#else
#define GPI_UNDEFINED(x) ((void)memset((void *)&(x), 0, sizeof(x)))
#endif

/* First in a union: its members may be of a C++ class with a constructor, which is not called. */
#ifdef __cplusplus
#define GPI_UNION(name) __host__ __device__ name() {}
#else
#define GPI_UNION(name)
#endif

/*
 * Match-any over a whole warp for digits of eight bits, by a ballot for each bit: a lane keeps the lanes whose bit
 * equals its own. `ones` is 0xFFFFFFFF behind GPI_OPAQUE: x * ones + ones is ~x, computed by the multiplier, since
 * ballots and logic keep the other pipe busy. No bit may be known to be 0 at compile time: ptxas 13.0 gets that wrong.
 */
#ifdef __CUDACC__

#define GPI_BALLOT(bit, x)                        \
    "and.b32 t, %1, " #bit ";\n\t"                \
    "setp.ne.u32 p, t, 0;\n\t"                    \
    "vote.sync.ballot.b32 " #x ", p, -1;\n\t"     \
    "@!p mad.lo.s32 " #x ", " #x ", %2, %2;\n\t"

GPI_DEVICE unsigned gpi_match_digit(uint32_t digit, uint32_t ones)
{
    unsigned same;

    __asm__ volatile("{\n\t"
                     ".reg .pred p;\n\t"
                     ".reg .b32 t, a, b, c;\n\t"
                     GPI_BALLOT(1, a) GPI_BALLOT(2, b) GPI_BALLOT(4, c)
                     "lop3.b32 a, a, b, c, 0x80;\n\t"
                     GPI_BALLOT(8, b) GPI_BALLOT(16, c)
                     "lop3.b32 a, a, b, c, 0x80;\n\t"
                     GPI_BALLOT(32, b) GPI_BALLOT(64, c)
                     "lop3.b32 a, a, b, c, 0x80;\n\t"
                     GPI_BALLOT(128, b)
                     "and.b32 %0, a, b;\n\t"
                     "}"
                     : "=r"(same)
                     : "r"(digit), "r"(ones));
    return same;
}

#else
#define gpi_match_digit(digit, ones) ((void)(ones), __match_any_sync(GPI_FULL_MASK, (digit)))
#endif

/* Byte `at` of x; 0 is the lowest. */
GPI_DEVICE uint32_t gpi_byte(uint32_t x, int at)
{
#ifdef __CUDA_ARCH__
    return __byte_perm(x, 0, 0x4440 + at);
#else
    return x >> 8 * at & 255;
#endif
}

/*
 * The integer nearest to x * factor + offset, from 0 to `last`, if 2^23 or, for doubles, 2^52 has
 * been added to the offset: then the mantissa of the sum is that integer. With any rounding a
 * larger x has no smaller result.
 */
#ifdef __CUDA_ARCH__
#define GPI_FLOAT_SUM(x, factor, offset)  __fmaf_rn(x, factor, offset)
#define GPI_DOUBLE_SUM(x, factor, offset) __fma_rn(x, factor, offset)
#else
#define GPI_FLOAT_SUM(x, factor, offset)  ((float)((double)(x) * (factor) + (offset)))
#define GPI_DOUBLE_SUM(x, factor, offset) ((double)((long double)(x) * (factor) + (offset)))
#endif

GPI_DEVICE uint32_t gpi_float_place(float x, float factor, float offset, uint32_t last)
{
    const float sum = GPI_FLOAT_SUM(x, factor, offset);
    int32_t bits;

    memcpy(&bits, &sum, sizeof bits);
    bits = bits < 0x4B000000 ? 0x4B000000 : bits;
    return gpi_min((uint32_t)(bits - 0x4B000000), last);
}

GPI_DEVICE uint32_t gpi_double_place(double x, double factor, double offset, uint32_t last)
{
    const double sum = GPI_DOUBLE_SUM(x, factor, offset);
    int64_t bits;

    memcpy(&bits, &sum, sizeof bits);
    const int32_t high = (int32_t)(bits >> 32);
    uint32_t place = gpi_min((uint32_t)bits, last);

    GPI_OPAQUE(place); /* selected, not branched on, so that several keys are processed at once */
    place = high > 0x43300000 ? last : place;
    return high < 0x43300000 ? 0 : place;
}

/*
 * n, less one if a comes before b: if it is smaller, or equal and of a lower rank. By borrows,
 * which take half the instructions of comparisons. `narrow` is a constant: whether a and b have 32
 * bits.
 */
GPI_DEVICE uint32_t gpi_less_if_before(uint32_t n, uint64_t a, uint32_t a_rank, uint64_t b, uint32_t b_rank, int narrow)
{
#ifdef __CUDA_ARCH__
    if (narrow)
        __asm__("{\n\t"
                ".reg .u32 t;\n\t"
                "sub.cc.u32 t, %1, %2;\n\t"
                "subc.cc.u32 t, %3, %4;\n\t"
                "subc.u32 %0, %0, 0;\n\t"
                "}"
                : "+r"(n)
                : "r"(a_rank), "r"(b_rank), "r"((uint32_t)a), "r"((uint32_t)b));
    else
        __asm__("{\n\t"
                ".reg .u32 t;\n\t"
                "sub.cc.u32 t, %1, %2;\n\t"
                "subc.cc.u32 t, %3, %4;\n\t"
                "subc.cc.u32 t, %5, %6;\n\t"
                "subc.u32 %0, %0, 0;\n\t"
                "}"
                : "+r"(n)
                : "r"(a_rank), "r"(b_rank), "r"((uint32_t)a), "r"((uint32_t)b), "r"((uint32_t)(a >> 32)),
                  "r"((uint32_t)(b >> 32)));
    return n;
#else
    (void)narrow;
    return n - (a < b || (a == b && a_rank < b_rank));
#endif
}

/* The smaller and the larger of two floats; NaN if either is; of -0 and +0 either one. */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
#define GPI_FLOAT_EXTREMES

GPI_DEVICE float gpi_smaller(float a, float b)
{
    float x;

    __asm__("min.NaN.f32 %0, %1, %2;" : "=f"(x) : "f"(a), "f"(b));
    return x;
}

GPI_DEVICE float gpi_larger(float a, float b)
{
    float x;

    __asm__("max.NaN.f32 %0, %1, %2;" : "=f"(x) : "f"(a), "f"(b));
    return x;
}
#endif

/*
 * Waits for the previous grids in the stream, which a dependent launch may overlap:
 * GPI_LAUNCH_DEPENDENT.
 */
GPI_DEVICE void gpi_grid_wait(void)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    __asm__ volatile("griddepcontrol.wait;" : : : "memory");
#endif
}

/* Lets the next grid in the stream start, up to its own gpi_grid_wait(). */
GPI_DEVICE void gpi_grid_launch_next(void)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    __asm__ volatile("griddepcontrol.launch_dependents;" : : : "memory");
#endif
}

/* ---- communication between running blocks ---------------------------------------------------- */

/*
 * Relaxed accesses see other blocks' writes without ordering anything else; acquire and release
 * order the thread's accesses after or before. A load is also a poll: on the CPU other threads run
 * then.
 */
#ifdef __CUDACC__

GPI_DEVICE uint32_t gpi_load_relaxed_u32(const uint32_t *p)
{
    uint32_t x;

    __asm__ volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
    return x;
}

GPI_DEVICE uint64_t gpi_load_relaxed_u64(const uint64_t *p)
{
    uint64_t x;

    __asm__ volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(x) : "l"(p) : "memory");
    return x;
}

/* x[0] and x[1], each atomic by itself; p is a multiple of 16. */
GPI_DEVICE void gpi_load_relaxed_2_u64(uint64_t *x, const uint64_t *p)
{
    __asm__ volatile("ld.relaxed.gpu.v2.u64 {%0, %1}, [%2];" : "=l"(x[0]), "=l"(x[1]) : "l"(p) : "memory");
}

GPI_DEVICE uint64_t gpi_load_acquire_u64(const uint64_t *p)
{
    uint64_t x;

    __asm__ volatile("ld.acquire.gpu.u64 %0, [%1];" : "=l"(x) : "l"(p) : "memory");
    return x;
}

GPI_DEVICE void gpi_store_relaxed_u32(uint32_t *p, uint32_t x)
{
    __asm__ volatile("st.relaxed.gpu.u32 [%0], %1;" : : "l"(p), "r"(x) : "memory");
}

GPI_DEVICE void gpi_store_relaxed_u64(uint64_t *p, uint64_t x)
{
    __asm__ volatile("st.relaxed.gpu.u64 [%0], %1;" : : "l"(p), "l"(x) : "memory");
}

/* A store that other blocks poll for: as an exchange it is seen much sooner while they do. */
GPI_DEVICE void gpi_publish_u64(uint64_t *p, uint64_t x)
{
    __asm__ volatile("{\n\t"
                     ".reg .b64 old;\n\t"
                     "atom.relaxed.gpu.exch.b64 old, [%0], %1;\n\t"
                     "}"
                     :
                     : "l"(p), "l"(x)
                     : "memory");
}

/* p[0] and p[1], each atomic by itself; p is a multiple of 16. */
GPI_DEVICE void gpi_publish_2_u64(uint64_t *p, uint64_t x, uint64_t y)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    __asm__ volatile("{\n\t"
                     ".reg .b128 old, new;\n\t"
                     "mov.b128 new, {%1, %2};\n\t"
                     "atom.relaxed.gpu.exch.b128 old, [%0], new;\n\t"
                     "}"
                     :
                     : "l"(p), "l"(x), "l"(y)
                     : "memory");
#else
    __asm__ volatile("st.relaxed.gpu.v2.u64 [%0], {%1, %2};" : : "l"(p), "l"(x), "l"(y) : "memory");
#endif
}

GPI_DEVICE void gpi_store_release_u64(uint64_t *p, uint64_t x)
{
    __asm__ volatile("st.release.gpu.u64 [%0], %1;" : : "l"(p), "l"(x) : "memory");
}

#else

GPI_DEVICE uint32_t gpi_load_relaxed_u32(const uint32_t *p)
{
    gpi_cpu_poll();
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}

GPI_DEVICE uint64_t gpi_load_relaxed_u64(const uint64_t *p)
{
    gpi_cpu_poll();
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}

GPI_DEVICE void gpi_load_relaxed_2_u64(uint64_t *x, const uint64_t *p)
{
    p = (const uint64_t *)gpi_check_aligned(p, 16);
    x[0] = gpi_load_relaxed_u64(p);
    x[1] = gpi_load_relaxed_u64(p + 1);
}

GPI_DEVICE uint64_t gpi_load_acquire_u64(const uint64_t *p)
{
    gpi_cpu_poll();
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

GPI_DEVICE void gpi_store_relaxed_u32(uint32_t *p, uint32_t x)
{
    gpi_cpu_maybe_yield();
    __atomic_store_n(p, x, __ATOMIC_RELAXED);
    gpi_cpu_changed();
}

GPI_DEVICE void gpi_store_relaxed_u64(uint64_t *p, uint64_t x)
{
    gpi_cpu_maybe_yield();
    __atomic_store_n(p, x, __ATOMIC_RELAXED);
    gpi_cpu_changed();
}

GPI_DEVICE void gpi_publish_u64(uint64_t *p, uint64_t x)
{
    gpi_store_relaxed_u64(p, x);
}

GPI_DEVICE void gpi_publish_2_u64(uint64_t *p, uint64_t x, uint64_t y)
{
    gpi_store_relaxed_u64(p, x);
    gpi_store_relaxed_u64(p + 1, y);
}

GPI_DEVICE void gpi_store_release_u64(uint64_t *p, uint64_t x)
{
    gpi_cpu_maybe_yield();
    __atomic_store_n(p, x, __ATOMIC_RELEASE);
    gpi_cpu_changed();
}

#endif

/* ---- folds over a warp ------------------------------------------------------------------------ */

/* The sum over a warp, in every lane. */
GPI_DEVICE uint32_t gpi_warp_sum(uint32_t x)
{
#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 800
    return __reduce_add_sync(GPI_FULL_MASK, x);
#else
    for (int stride = 16; stride; stride /= 2)
        x += __shfl_xor_sync(GPI_FULL_MASK, x, stride);
    return x;
#endif
}

/* The maximum over a warp, in every lane. */
GPI_DEVICE uint32_t gpi_warp_max(uint32_t x)
{
#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 800
    return __reduce_max_sync(GPI_FULL_MASK, x);
#else
    for (int stride = 16; stride; stride /= 2) {
        const uint32_t other = __shfl_xor_sync(GPI_FULL_MASK, x, stride);

        x = other > x ? other : x;
    }
    return x;
#endif
}

/* The bitwise or over a warp, in every lane. */
GPI_DEVICE uint32_t gpi_warp_or(uint32_t x)
{
#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 800
    return __reduce_or_sync(GPI_FULL_MASK, x);
#else
    for (int stride = 16; stride; stride /= 2)
        x |= __shfl_xor_sync(GPI_FULL_MASK, x, stride);
    return x;
#endif
}

/* The maximum and the bitwise or of 64 bits, or of the lower 32 alone if the constant `narrow` is set. */
GPI_DEVICE uint64_t gpi_warp_max_long(uint64_t x, int narrow)
{
    const uint32_t high = narrow ? 0 : gpi_warp_max((uint32_t)(x >> 32));

    return (uint64_t)high << 32 | gpi_warp_max(narrow || x >> 32 == high ? (uint32_t)x : 0);
}

GPI_DEVICE uint64_t gpi_warp_or_long(uint64_t x, int narrow)
{
    return (narrow ? 0 : (uint64_t)gpi_warp_or((uint32_t)(x >> 32)) << 32) | gpi_warp_or((uint32_t)x);
}

/*
 * 1, opaque: to add to a 64-bit word in global memory by an atomic whose result is used later. An
 * operand that the compiler knows to be uniform it sums over the warp first, even where one lane
 * calls alone, and then waits for the result at once to distribute the shares. For 32-bit words it
 * always does so.
 */
GPI_DEVICE unsigned long long gpi_one(void)
{
#ifdef __CUDA_ARCH__
    uint32_t own;

    __asm__("mov.u32 %0, %%lanemask_eq;" : "=r"(own));
    return (unsigned long long)__popc((int)own);
#else
    return 1;
#endif
}

/* Inclusive prefix sums over a warp. */
GPI_DEVICE uint32_t gpi_warp_prefix(uint32_t x, unsigned lane)
{
    GPI_UNROLL
    for (unsigned stride = 1; stride < 32; stride *= 2) {
        uint32_t left = __shfl_up_sync(GPI_FULL_MASK, x, stride);

        if (lane >= stride)
            x += left;
    }
    return x;
}

GPI_DEVICE uint64_t gpi_warp_prefix_long(uint64_t x, unsigned lane)
{
    GPI_UNROLL
    for (unsigned stride = 1; stride < 32; stride *= 2) {
        const uint64_t left = __shfl_up_sync(GPI_FULL_MASK, x, stride);

        x += lane >= stride ? left : 0;
    }
    return x;
}

/* ---- places in shared memory, and a stream of words there ---------------------------------------- */

/* An address in shared memory, of a stream that of the next word: on the GPU in 32 bits. */
#ifdef __CUDACC__
typedef uint32_t gpi_shared_place;
#define gpi_shared_place_of(shared) ((uint32_t)__cvta_generic_to_shared(shared))
#else
typedef char *gpi_shared_place;
#define gpi_shared_place_of(shared) (shared)
#endif

/*
 * A pointer to shared memory that stays in a register: compilers would find it again for each access of a loop that is
 * unrolled, by four instructions.
 */
#ifdef __CUDACC__
GPI_DEVICE void *gpi_shared_kept(void *shared)
{
    gpi_shared_place place = gpi_shared_place_of(shared);

    GPI_OPAQUE(place);
    return __cvta_shared_to_generic(place);
}
#else
#define gpi_shared_kept(shared) ((void *)(shared))
#endif

/*
 * Appends to a bit stream: `both` holds the pending bits, the stream has grown from `before` to
 * `after` bits. Once a word is full, stores it and advances; returns the bits of the next word.
 * (The compiler takes twice as many instructions.)
 */
GPI_DEVICE uint32_t gpi_store_if_full(gpi_shared_place *place, uint64_t both, uint32_t before, uint32_t after)
{
    uint32_t rest = (uint32_t)both;

#ifdef __CUDACC__
    __asm__ volatile("{ .reg .pred full;\n\t"
                     ".reg .b32 bit;\n\t"
                     "lop3.b32 bit, %3, %4, 32, 0x28;\n\t" /* (before ^ after) & 32 */
                     "setp.ne.u32 full, bit, 0;\n\t"
                     "@full st.shared.u32 [%1], %0;\n\t"
                     "@full add.u32 %1, %1, 4;\n\t"
                     "selp.u32 %0, %2, %0, full; }"
                     : "+r"(rest), "+r"(*place)
                     : "r"((uint32_t)(both >> 32)), "r"(before), "r"(after)
                     : "memory");
#else
    if ((before ^ after) & 32) {
        memcpy(*place, &rest, sizeof rest);
        *place += 4;
        rest = (uint32_t)(both >> 32);
    }
#endif
    return rest;
}

/*
 * If `bit` is not 0, stores the word and advances by `step` bytes. (A branch for each item takes
 * the compiler long. The assembler makes predicates of these.)
 */
GPI_DEVICE void gpi_store_if(gpi_shared_place *place, uint32_t bit, uint32_t word, int step)
{
#ifdef __CUDACC__
    __asm__ volatile("{ .reg .pred clear;\n\t"
                     "setp.eq.s32 clear, %1, 0;\n\t"
                     "@clear bra next;\n\t"
                     "st.shared.u32 [%0], %2;\n\t"
                     "add.s32 %0, %0, %3;\n\t"
                     "next: }"
                     : "+r"(*place)
                     : "r"(bit), "r"(word), "r"(step)
                     : "memory");
#else
    if (bit) {
        memcpy(*place, &word, sizeof word);
        *place += step;
    }
#endif
}

/* The same by 4 bytes; returns `then` if `bit` is not 0, else `other`. (One test of the bit does for both.) */
GPI_DEVICE uint32_t gpi_store_if_else(gpi_shared_place *place, uint32_t bit, uint32_t word, uint32_t then,
                                      uint32_t other)
{
#ifdef __CUDACC__
    uint32_t x;

    __asm__ volatile("{ .reg .pred set;\n\t"
                     "setp.ne.s32 set, %2, 0;\n\t"
                     "@set st.shared.u32 [%1], %3;\n\t"
                     "@set add.s32 %1, %1, 4;\n\t"
                     "selp.b32 %0, %4, %5, set; }"
                     : "=&r"(x), "+r"(*place)
                     : "r"(bit), "r"(word), "r"(then), "r"(other)
                     : "memory");
    return x;
#else
    gpi_store_if(place, bit, word, 4);
    return bit ? then : other;
#endif
}

/* Likewise 16 bits, and steps on by them. */
GPI_DEVICE void gpi_store_half_if(gpi_shared_place *place, uint32_t bit, uint16_t half)
{
#ifdef __CUDACC__
    __asm__ volatile("{ .reg .pred set;\n\t"
                     "setp.ne.s32 set, %1, 0;\n\t"
                     "@set st.shared.u16 [%0], %2;\n\t"
                     "@set add.s32 %0, %0, 2; }"
                     : "+r"(*place)
                     : "r"(bit), "h"(half)
                     : "memory");
#else
    if (bit) {
        memcpy(*place, &half, sizeof half);
        *place += sizeof half;
    }
#endif
}

/* Does nothing for so many nanoseconds, more or less. */
GPI_DEVICE void gpi_pause(unsigned nanoseconds)
{
#ifdef __CUDA_ARCH__
    __nanosleep(nanoseconds);
#else
    (void)nanoseconds;
#endif
}

/* ---- asynchronous copies (sm_80) -------------------------------------------------------------- */

/*
 * Copies 16 aligned bytes from global to shared memory; older GPUs wait for them. The thread sees
 * them after gpi_copy_wait(), others after a barrier behind that.
 */
GPI_DEVICE void gpi_copy_16(void *shared, const void *global)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
    __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                     :
                     : "r"((uint32_t)__cvta_generic_to_shared(shared)), "l"(global)
                     : "memory");
#elif defined __CUDACC__
    memcpy(__builtin_assume_aligned(shared, 16), __builtin_assume_aligned(global, 16), 16);
#else
    gpi_cpu_copy_late(gpi_check_aligned(shared, 16), gpi_check_aligned(global, 16), 16);
#endif
}

/* Stores a vector of 16 bytes to aligned global memory on a condition, without a branch. */
GPI_DEVICE void gpi_put_16_if(int condition, void *global, uint4 x)
{
#ifdef __CUDACC__
    __asm__ volatile("{\n\t"
                     ".reg .pred p;\n\t"
                     "setp.ne.s32 p, %0, 0;\n\t"
                     "@p st.global.v4.u32 [%1], {%2, %3, %4, %5};\n\t"
                     "}"
                     :
                     : "r"(condition), "l"(global), "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w)
                     : "memory");
#else
    if (condition)
        gpi_put(global, x);
#endif
}

/* gpi_copy_16() on a condition, without a branch: several in a row share the computation of their addresses. */
GPI_DEVICE void gpi_copy_16_if(int condition, void *shared, const void *global)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
    __asm__ volatile("{\n\t"
                     ".reg .pred p;\n\t"
                     "setp.ne.s32 p, %0, 0;\n\t"
                     "@p cp.async.cg.shared.global [%1], [%2], 16;\n\t"
                     "}"
                     :
                     : "r"(condition), "r"((uint32_t)__cvta_generic_to_shared(shared)), "l"(global)
                     : "memory");
#else
    if (condition)
        gpi_copy_16(shared, global);
#endif
}

/* gpi_copy_16() for an item of 4, 8 or 16 bytes, a constant, that is aligned to its size. */
GPI_DEVICE void gpi_copy_item(void *shared, const void *global, int bytes)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
    const uint32_t to = (uint32_t)__cvta_generic_to_shared(shared);

    if (bytes == 4)
        __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 4;" : : "r"(to), "l"(global) : "memory");
    else if (bytes == 8)
        __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 8;" : : "r"(to), "l"(global) : "memory");
    else
        __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 16;" : : "r"(to), "l"(global) : "memory");
#elif defined __CUDACC__
    memcpy(shared, global, (size_t)bytes);
#else
    const size_t size = (size_t)bytes;

    gpi_cpu_copy_late(gpi_check_aligned(shared, size), gpi_check_aligned(global, size), size);
#endif
}

/* The same on a condition, without a branch. */
GPI_DEVICE void gpi_copy_item_if(int condition, void *shared, const void *global, int bytes)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
    const uint32_t to = (uint32_t)__cvta_generic_to_shared(shared);

#define GPI_COPY_ITEM_IF(size)                                                      \
    __asm__ volatile("{\n\t"                                                        \
                     ".reg .pred p;\n\t"                                            \
                     "setp.ne.s32 p, %0, 0;\n\t"                                    \
                     "@p cp.async.ca.shared.global [%1], [%2], " size ";\n\t"       \
                     "}"                                                            \
                     :                                                              \
                     : "r"(condition), "r"(to), "l"(global)                         \
                     : "memory")
    if (bytes == 4)
        GPI_COPY_ITEM_IF("4");
    else if (bytes == 8)
        GPI_COPY_ITEM_IF("8");
    else
        GPI_COPY_ITEM_IF("16");
#undef GPI_COPY_ITEM_IF
#else
    if (condition)
        gpi_copy_item(shared, global, bytes);
#endif
}

GPI_DEVICE void gpi_copy_wait(void)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
    __asm__ volatile("cp.async.wait_all;" : : : "memory");
#elif !defined __CUDACC__
    gpi_cpu_copy_wait();
#endif
}

/* Prefetches 128 bytes. */
GPI_DEVICE void gpi_prefetch(const void *global)
{
#ifdef __CUDA_ARCH__
    __asm__ volatile("prefetch.global.L2 [%0];" : : "l"(global));
#else
    (void)global;
#endif
}

/* ---- named barriers -------------------------------------------------------------------------- */

/* Barriers 1 to 15 of `threads` threads (a multiple of 32). */
#ifdef __CUDACC__

GPI_DEVICE void gpi_barrier_sync(int barrier, unsigned threads)
{
    __asm__ volatile("barrier.sync %0, %1;" : : "r"(barrier), "r"(threads) : "memory");
}

#else

#define gpi_barrier_sync(barrier, threads) gpi_cpu_barrier((barrier), (threads), 0, GPI_CPU_SITE)

#endif

/* ---- clusters (sm_90) ------------------------------------------------------------------------ */

/*
 * Blocks of a cluster run at the same time and access each other's shared memory. Without clusters, as on
 * older GPUs, each block is a cluster of its own. The lanes of a warp call together.
 *
 * gpi_cluster_arrive     orders the thread's accesses before those of others after their wait
 * gpi_cluster_started    the same without an order, which takes less time: the block has started
 * gpi_cluster_wait       until all threads of the cluster have arrived, this one included
 * gpi_cluster_sync       both
 * gpi_cluster_shared     the address in another block of the cluster of one in dynamic shared memory.
 *                        That block must have started, and must not have ended: a sync before and after.
 */
#ifdef __CUDACC__

GPI_DEVICE void gpi_cluster_arrive(void)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    __asm__ volatile("barrier.cluster.arrive.release.aligned;" : : : "memory");
#endif
}

GPI_DEVICE void gpi_cluster_started(void)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    __asm__ volatile("barrier.cluster.arrive.relaxed.aligned;" : : : "memory");
#endif
}

GPI_DEVICE void gpi_cluster_wait(void)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    __asm__ volatile("barrier.cluster.wait.acquire.aligned;" : : : "memory");
#else
    __syncthreads();
#endif
}

GPI_DEVICE void *gpi_cluster_shared(const void *p, unsigned rank)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    void *there;

    __asm__ volatile("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(p), "r"(rank));
    return there;
#else
    (void)rank;
    return (void *)p;
#endif
}

#else

#define gpi_cluster_arrive() gpi_cpu_cluster_arrive()
#define gpi_cluster_started() gpi_cpu_cluster_arrive()
#define gpi_cluster_wait() gpi_cpu_cluster_wait(GPI_CPU_SITE)
#define gpi_cluster_shared(p, rank) gpi_cpu_cluster_shared((p), (rank), GPI_CPU_SITE)

#endif

#define gpi_cluster_sync() (gpi_cluster_arrive(), gpi_cluster_wait())

/* ---- mbarriers and bulk copies (sm_90) ------------------------------------------------------- */

/*
 * An mbarrier is a 64-bit word in shared memory that completes a phase when `arrivals` threads have
 * arrived and all expected bytes have been copied. The first phase has parity 0, then 1, 0, ...
 *
 * gpi_mbarrier_init      one thread; then fence and __syncthreads()
 * gpi_mbarrier_arrive    one arrival
 * gpi_mbarrier_expect    one arrival that adds `bytes` of bulk copies to expect
 * gpi_mbarrier_wait      until the phase of that parity is complete
 *
 * gpi_bulk_load          global to shared; complete when its mbarrier completes
 * gpi_bulk_store         shared to global; gpi_bulk_commit() closes a group of stores
 * gpi_bulk_wait_read     until at most `pending` groups of this thread still read shared memory
 * gpi_bulk_wait          until at most `pending` groups of this thread are incomplete
 *
 * Addresses and sizes of bulk copies are multiples of 16. Between ordinary writes to shared memory
 * and a bulk store that reads them: gpi_fence_async() in each writer, then a barrier.
 */
#ifdef __CUDACC__

GPI_DEVICE uint32_t gpi_shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

GPI_DEVICE void gpi_mbarrier_init(uint64_t *mbarrier, unsigned arrivals)
{
    GPI_NEEDS_SM90(__asm__ volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
                                    :
                                    : "r"(gpi_shared_address(mbarrier)), "r"(arrivals)
                                    : "memory"));
}

GPI_DEVICE void gpi_mbarrier_init_fence(void)
{
    GPI_NEEDS_SM90(__asm__ volatile("fence.mbarrier_init.release.cluster;" : : : "memory"));
}

GPI_DEVICE void gpi_mbarrier_arrive(uint64_t *mbarrier)
{
    GPI_NEEDS_SM90(__asm__ volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
                                    :
                                    : "r"(gpi_shared_address(mbarrier))
                                    : "memory"));
}

GPI_DEVICE void gpi_mbarrier_expect(uint64_t *mbarrier, unsigned bytes)
{
    GPI_NEEDS_SM90(__asm__ volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                                    :
                                    : "r"(gpi_shared_address(mbarrier)), "r"(bytes)
                                    : "memory"));
}

GPI_DEVICE void gpi_mbarrier_wait(uint64_t *mbarrier, unsigned parity)
{
    GPI_NEEDS_SM90(__asm__ volatile("{\n\t"
                                    ".reg .pred done;\n\t"
                                    "again:\n\t"
                                    "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
                                    "@!done bra again;\n\t"
                                    "}"
                                    :
                                    : "r"(gpi_shared_address(mbarrier)), "r"(parity)
                                    : "memory"));
}

GPI_DEVICE void gpi_bulk_load(void *shared, const void *global, unsigned bytes, uint64_t *mbarrier)
{
    GPI_NEEDS_SM90(__asm__ volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
        :
        : "r"(gpi_shared_address(shared)), "l"(global), "r"(bytes),
          "r"(gpi_shared_address(mbarrier))
        : "memory"));
}

/* Prefetches to L2 memory that may still be written before it is read. */
GPI_DEVICE void gpi_bulk_prefetch(const void *global, unsigned bytes)
{
    GPI_NEEDS_SM90(__asm__ volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" : : "l"(global), "r"(bytes)));
}

GPI_DEVICE void gpi_bulk_store(void *global, const void *shared, unsigned bytes)
{
    GPI_NEEDS_SM90(__asm__ volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                                    :
                                    : "l"(global), "r"(gpi_shared_address(shared)), "r"(bytes)
                                    : "memory"));
}

GPI_DEVICE void gpi_bulk_commit(void)
{
    GPI_NEEDS_SM90(__asm__ volatile("cp.async.bulk.commit_group;" : : : "memory"));
}

/* The number of groups is an immediate operand: `pending` must be a constant. */
#define gpi_bulk_wait_read(pending)                                     \
    GPI_NEEDS_SM90(__asm__ volatile("cp.async.bulk.wait_group.read %0;" \
                                    :                                   \
                                    : "n"(pending)                      \
                                    : "memory"))
#define gpi_bulk_wait(pending) \
    GPI_NEEDS_SM90(__asm__ volatile("cp.async.bulk.wait_group %0;" : : "n"(pending) : "memory"))

/* Older GPUs have no bulk copies to order anything before. */
GPI_DEVICE void gpi_fence_async(void)
{
#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 900
    __asm__ volatile("fence.proxy.async.shared::cta;" : : : "memory");
#endif
}

#else

GPI_DEVICE void gpi_mbarrier_init(uint64_t *mbarrier, unsigned arrivals)
{
    *mbarrier = gpi_cpu_mbarrier_word(0, arrivals, arrivals, 0);
}

GPI_DEVICE void gpi_mbarrier_init_fence(void)
{
}

#define gpi_mbarrier_arrive(mbarrier) gpi_cpu_mbarrier_arrive((mbarrier), 0, GPI_CPU_SITE)
#define gpi_mbarrier_expect(mbarrier, bytes) \
    gpi_cpu_mbarrier_arrive((mbarrier), (bytes), GPI_CPU_SITE)
#define gpi_mbarrier_wait(mbarrier, parity) \
    gpi_cpu_mbarrier_wait((mbarrier), (parity), GPI_CPU_SITE)

GPI_DEVICE void gpi_bulk_load(void *shared, const void *global, unsigned bytes, uint64_t *mbarrier)
{
    gpi_cpu_start_copy(shared, global, bytes, mbarrier);
}

GPI_DEVICE void gpi_bulk_prefetch(const void *global, unsigned bytes)
{
    (void)global;
    (void)bytes;
}

GPI_DEVICE void gpi_bulk_store(void *global, const void *shared, unsigned bytes)
{
    gpi_cpu_start_copy(global, shared, bytes, NULL);
}

GPI_DEVICE void gpi_bulk_commit(void)
{
    gpi_cpu_self->bulk_groups++;
}

/* Here a store that has read its source is complete. */
#define gpi_bulk_wait_read(pending) gpi_cpu_wait_stores(pending)
#define gpi_bulk_wait(pending) gpi_cpu_wait_stores(pending)

GPI_DEVICE void gpi_fence_async(void)
{
}

#endif

#endif
