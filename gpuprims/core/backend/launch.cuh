/*
 * core/backend/launch.cuh: launching a kernel and declaring shared memory, on both backends.
 *
 * Part of gpuprims.h; not to be included directly.
 */
#ifndef GPI_LAUNCH_CUH
#define GPI_LAUNCH_CUH

#include "nvtx.cuh"

/* n / d, rounded up. */
static inline size_t gpi_divide_up(size_t n, size_t d)
{
    return n / d + (n % d != 0);
}

/*
 * GP_LAUNCH(kernel, grid, block, shared_bytes, stream, args...): a statement that launches a kernel
 * with up to 24 arguments. grid and block are integers or dim3, arguments convert as in a call,
 * errors come from cudaGetLastError(). One limit on the CPU: an argument is stored before it is
 * passed, so that a null pointer needs a pointer's type (nullptr or a cast; in C, NULL will do, but
 * 0 will not).
 *
 * GP_SHARED(type, name): declares `type name` in shared memory, in a kernel. The type may be an array,
 * as GP_SHARED(int[256], name) or GP_SHARED(int, name[256]).
 *
 * GP_DYNAMIC_SHARED(type, name): declares `type *name`, the launch's shared_bytes, aligned to 128.
 *
 * GPI_LAUNCH is GP_LAUNCH as an expression that returns the launch's own error: one that was pending
 * before is neither mistaken for it nor cleared. GPI_LAUNCH_DEPENDENT takes one argument more, the
 * first: whether the launch is programmatic dependent (may overlap the grid before it in the stream). Its
 * kernel has to begin with gpi_grid_wait(), compiled for sm_90 or newer. GPI_LAUNCH_CLUSTER takes two: that one, and
 * the blocks per cluster (core/backend/ptx.cuh), 1 without clusters.
 */
#ifdef __CUDACC__

#define GP_LAUNCH(kernel, grid, block, shared_bytes, stream, ...) \
    kernel<<<(grid), (block), (shared_bytes), (stream)>>>(__VA_ARGS__)

/* The configuration of a launch; uses up to two `attributes`. */
static inline cudaLaunchConfig_t gpi_launch_config(cudaLaunchAttribute *attributes, int dependent, unsigned cluster,
                                                   dim3 grid, dim3 block, size_t bytes, cudaStream_t stream)
{
    cudaLaunchConfig_t config;

    memset((void *)&config, 0, sizeof config);
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = bytes;
    config.stream = stream;
    config.attrs = attributes;
    if (dependent) {
        attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
    }
    if (cluster > 1) {
        attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
        attributes[config.numAttrs].val.clusterDim.x = cluster;
        attributes[config.numAttrs].val.clusterDim.y = attributes[config.numAttrs].val.clusterDim.z = 1;
        config.numAttrs++;
    }
    return config;
}

#define GPI_LAUNCH(...)              GPI_LAUNCH_DEPENDENT(0, __VA_ARGS__)
#define GPI_LAUNCH_DEPENDENT(dependent, ...) GPI_LAUNCH_CLUSTER(dependent, 1, __VA_ARGS__)
#define GPI_LAUNCH_CLUSTER(dependent, cluster, kernel, grid, block, shared_bytes, queue, ...)           \
    __extension__({                                                                                     \
        cudaLaunchAttribute gpi_attributes[2];                                                          \
        const cudaLaunchConfig_t gpi_config =                                                           \
            gpi_launch_config(gpi_attributes, (dependent), (cluster), (grid), (block), (shared_bytes), (queue)); \
        GPI_RANGE_BEGIN(GPI_LAUNCH_TEXT(kernel));                                                       \
        cudaError_t gpi_launched = cudaLaunchKernelEx(&gpi_config, kernel, ##__VA_ARGS__);              \
        GPI_RANGE_END();                                                                                \
        gpi_launched;                                                                                   \
    })
#define GPI_LAUNCH_TEXT(kernel) #kernel /* its argument is expanded: gpi_NAME_scan_kernel */

#include "shared.cuh"

#else

/*
 * The arguments reach the fibers in a struct of their own types, with the kernel first. The
 * function that unpacks them captures nothing: a nested one in C, a member of the struct in C++.
 */
#define GP_LAUNCH(kernel, grid, block, shared_bytes, ...) \
    ((void)GPI_LAUNCH(kernel, grid, block, shared_bytes, __VA_ARGS__))

#define GPI_LAUNCH(...)              GPI_LAUNCH_CLUSTER(0, 1, __VA_ARGS__)
#define GPI_LAUNCH_DEPENDENT(dependent, ...) GPI_LAUNCH_CLUSTER(dependent, 1, __VA_ARGS__)
#define GPI_LAUNCH_CLUSTER(dependent, cluster, kernel, grid, block, shared_bytes, ...) \
    ((void)(dependent),                                                            \
     GPI_CPU_LAUNCH(GPI_CPU_TEXT(kernel), cluster, kernel, grid, block, shared_bytes, \
                    GPI_CPU_COUNT(__VA_ARGS__), __COUNTER__, __VA_ARGS__))

/* clang-format off */
#define GPI_CPU_LAUNCH(text, cluster, kernel, grid, block, shared_bytes, count, number, ...) \
    __extension__({                                                                   \
        typedef __typeof__(&*(kernel)) gpi_kernel;                                    \
        GPI_CPU_PASTE(GPI_CPU_TYPES_, count)(__VA_ARGS__)                             \
        struct gpi_call {                                                             \
            gpi_kernel gpi_k;                                                         \
            GPI_CPU_PASTE(GPI_CPU_FIELDS_, count)                                     \
            GPI_CPU_MEMBER_RUN(GPI_CPU_PASTE(GPI_CPU_PASS_, count))                   \
        };                                                                            \
        GPI_CPU_NESTED_RUN(number, GPI_CPU_PASTE(GPI_CPU_PASS_, count))               \
        struct gpi_call gpi_arguments = {(kernel), __VA_ARGS__};                      \
        gpi_cpu_launch(text, GPI_CPU_RUN(number), &gpi_arguments, (cluster),          \
                       GPI_CPU_DIM3(grid), GPI_CPU_DIM3(block), (size_t)(shared_bytes)); \
    })
/* clang-format on */

#ifdef __cplusplus
#define GPI_CPU_RUN(number) gpi_call::gpi_run
#define GPI_CPU_MEMBER_RUN(pass)                           \
    static void gpi_run(void *gpi_a)                       \
    {                                                      \
        struct gpi_call *gpi_c = (struct gpi_call *)gpi_a; \
        gpi_c->gpi_k(pass);                                \
    }
#define GPI_CPU_NESTED_RUN(number, pass)
#define GPI_CPU_DIM3(size) gpi_cpu_dim3(size)

/* A dim3 from a dim3 or from any integer. */
struct gpi_cpu_dim3 : dim3 {
    gpi_cpu_dim3(dim3 size) : dim3(size) {}
    gpi_cpu_dim3(unsigned long long n) : dim3(n > 0xFFFFFFFFu ? 0 : (unsigned)n) {} /* 0: the launch refuses it */
    gpi_cpu_dim3(unsigned long n) : gpi_cpu_dim3((unsigned long long)n) {}
    gpi_cpu_dim3(unsigned n) : gpi_cpu_dim3((unsigned long long)n) {}
    gpi_cpu_dim3(long long n) : gpi_cpu_dim3((unsigned long long)n) {}
    gpi_cpu_dim3(long n) : gpi_cpu_dim3((unsigned long long)n) {}
    gpi_cpu_dim3(int n) : gpi_cpu_dim3((unsigned long long)n) {}
};
#else
#define GPI_CPU_MEMBER_RUN(pass)
#define GPI_CPU_NESTED_RUN(number, pass)                   \
    GPI_CPU_DECLARE_RUN(number)                            \
    void gpi_run(void *gpi_a)                              \
    {                                                      \
        struct gpi_call *gpi_c = (struct gpi_call *)gpi_a; \
        gpi_c->gpi_k(pass);                                \
    }
#ifdef __OPTIMIZE__
#define GPI_CPU_RUN(number) gpi_run
#define GPI_CPU_DECLARE_RUN(number)
#else
/*
 * Without optimisation gcc makes a trampoline on the stack, which must then be executable, whenever
 * the address of a nested function is taken. So the address taken is that of a global function of
 * the same name. (-O0 together with -flto does not link: there the name is gone.)
 */
#define GPI_CPU_RUN(number) GPI_CPU_PASTE(gpi_run_, number)
#define GPI_CPU_DECLARE_RUN(number)                                   \
    extern void GPI_CPU_RUN(number)(void *) GPI_CPU_RUN_NAME(number); \
    auto void gpi_run(void *) GPI_CPU_RUN_NAME(number) __attribute__((used));
#define GPI_CPU_RUN_NAME(number) __asm__("gpi_cpu_run_" GPI_CPU_TEXT(number))
#endif

/* clang-format off */
#define GPI_CPU_DIM3(size)                          \
    _Generic((size),                                \
             dim3 : gpi_cpu_dim3_of_dim3,           \
             short : gpi_cpu_dim3_of_signed,        \
             int : gpi_cpu_dim3_of_signed,          \
             long : gpi_cpu_dim3_of_signed,         \
             long long : gpi_cpu_dim3_of_signed,    \
             default : gpi_cpu_dim3_of_unsigned)(size)
/* clang-format on */

static inline dim3 gpi_cpu_dim3_of_unsigned(unsigned long long n)
{
    dim3 size = {n > 0xFFFFFFFFu ? 0 : (unsigned)n, 1, 1}; /* 0: the launch refuses it */

    return size;
}

static inline dim3 gpi_cpu_dim3_of_signed(long long n)
{
    return gpi_cpu_dim3_of_unsigned((unsigned long long)n);
}

/* `dim3 size = {256};` leaves y and z at zero in C, where no constructor makes them one. */
static inline dim3 gpi_cpu_dim3_of_dim3(dim3 size)
{
    size.y += size.y == 0;
    size.z += size.z == 0;
    return size;
}
#endif

#include "cpu/launch_tables.h"

#endif

/* ---- which kernel runs ----------------------------------------------------------------------- */

/*
 * The values of GP_KERNEL, a parameter that makes an instance run one kernel at every n. The
 * results are the same. With GP_KERNEL_SIMPLE the other kernels are not compiled, which takes less
 * time.
 */
#define GP_KERNEL_PIPELINED    0x6711 /* for large inputs, on sm_90 and newer: a pipeline of bulk copies */
#define GP_KERNEL_SIMPLE       0x6712 /* for small inputs, and for all inputs on older GPUs */
#define GP_KERNEL_RING         GP_KERNEL_PIPELINED /* a synonym */
#define GP_KERNEL_WAVE         GP_KERNEL_SIMPLE    /* a synonym */
#define GP_KERNEL_BLOCK        0x6720 /* radix sort: without clusters, as on GPUs that have none */
#define GP_KERNEL_BUCKETS      0x6724 /* buckets after a partition, if the keys are spread; else passes */
#define GP_KERNEL_BUCKETS_TWICE 0x6725 /* buckets after two partitions */
#define GP_KERNEL_PASSES       0x6721 /* radix sort: as for large n, at every n */
#define GP_KERNEL_PASSES_OLD   0x6722 /* as on GPUs with 64 KB of shared memory for a block */
#define GP_KERNEL_PASSES_AGAIN 0x6723 /* every third tile fails its check and is redone */

/* Whether the current device can run a kernel, and start it while the one before it still runs. */
enum { GPI_KERNEL_KNOWN = 1, GPI_KERNEL_FITS = 2, GPI_KERNEL_SM90 = 4 };
#define GPI_DEVICES 64 /* devices with a cached answer */

#ifdef __CUDACC__
/*
 * What the current device can do with a kernel, which is prepared for `bytes` of dynamic shared
 * memory. `known` has GPI_DEVICES entries, zero at first.
 */
static inline int gpi_kernel_ready(const void *kernel, size_t bytes, signed char *known)
{
    struct cudaFuncAttributes attributes;
    int device = 0, room = 0, state = GPI_KERNEL_KNOWN;

    if (cudaGetDevice(&device) != cudaSuccess)
        return state;
    if (device < GPI_DEVICES && __atomic_load_n(&known[device], __ATOMIC_ACQUIRE))
        return __atomic_load_n(&known[device], __ATOMIC_RELAXED);
    if (cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) != cudaSuccess ||
        cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess)
        return state;
    if (bytes + attributes.sharedSizeBytes <= (size_t)room &&
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes) == cudaSuccess)
        state |= GPI_KERNEL_FITS;
    if (attributes.ptxVersion >= 90) /* otherwise the code has no sm_90 instructions */
        state |= GPI_KERNEL_SM90;
    if (device < GPI_DEVICES)
        __atomic_store_n(&known[device], (signed char)state, __ATOMIC_RELEASE);
    return state;
}
#else
#define gpi_kernel_ready(kernel, bytes, known) ((void)(known), GPI_KERNEL_FITS | GPI_KERNEL_SM90)
#endif

/* The grid of a persistent kernel: so many blocks per multiprocessor, at most one per tile. */
static inline unsigned gpi_resident_blocks(unsigned per_multiprocessor, size_t tiles,
                                           size_t max_blocks)
{
    int device = 0, processors = 0;
    size_t blocks;

    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) != cudaSuccess ||
        processors < 1)
        processors = 1;
    blocks = (size_t)processors * per_multiprocessor;
    blocks = blocks < tiles ? blocks : tiles;
    return (unsigned)(blocks < max_blocks ? blocks : max_blocks);
}

#endif
