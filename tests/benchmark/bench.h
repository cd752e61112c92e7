/* bench.h: what gpbench knows of a primitive. The files that hold the primitives (one instance
 * each, stamped out of bench_scan.h, bench_reduce.h, ...) fill these tables in; gpbench.cu reads
 * them.
 */
#ifndef BENCH_H
#define BENCH_H

/* The CUB side takes the types of CUDA alone: it is slow to compile, and editing the library must
 * not compile it again. */
#ifdef BENCH_CUB_SIDE
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#ifdef THRUST_CUB_WRAPPED_NAMESPACE /* of the second CUB in one program */
using namespace THRUST_CUB_WRAPPED_NAMESPACE;
#endif
#else
#include <gpuprims/gpuprims.h>
#endif

/* CUB is part of the CUDA build, unless an instance does without. */
#if defined __CUDACC__ && !defined BENCH_NO_CUB
#define BENCH_HAS_CUB
#endif

/* ---- elements ---- */

typedef uint8_t bench_u8;
typedef uint16_t bench_u16;
typedef int16_t bench_i16;
typedef int32_t bench_i32;
typedef uint32_t bench_u32;
typedef int64_t bench_i64;
typedef uint64_t bench_u64;
typedef float bench_f32;
typedef double bench_f64;

/* A 2x2 matrix of integers that wrap: their product does not commute. */
typedef struct bench_struct16 {
    uint32_t m[4];
} bench_struct16;

typedef struct bench_struct32 {
    uint64_t v[4];
} bench_struct32;

typedef struct bench_struct48 {
    uint64_t v[6];
} bench_struct48;

typedef enum bench_kind { KIND_UNSIGNED, KIND_SIGNED, KIND_FLOAT, KIND_STRUCT } bench_kind;

typedef struct bench_element {
    bench_kind kind;
    size_t bytes;
} bench_element;

/* clang-format off */
#define BENCH_ELEMENT_u8       {KIND_UNSIGNED, 1}
#define BENCH_ELEMENT_u16      {KIND_UNSIGNED, 2}
#define BENCH_ELEMENT_u32      {KIND_UNSIGNED, 4}
#define BENCH_ELEMENT_u64      {KIND_UNSIGNED, 8}
#define BENCH_ELEMENT_i16      {KIND_SIGNED, 2}
#define BENCH_ELEMENT_i32      {KIND_SIGNED, 4}
#define BENCH_ELEMENT_i64      {KIND_SIGNED, 8}
#define BENCH_ELEMENT_f32      {KIND_FLOAT, 4}
#define BENCH_ELEMENT_f64      {KIND_FLOAT, 8}
#define BENCH_ELEMENT_struct16 {KIND_STRUCT, 16}
#define BENCH_ELEMENT_struct32 {KIND_STRUCT, 32}
#define BENCH_ELEMENT_struct48 {KIND_STRUCT, 48}
/* clang-format on */

/* ---- one call ---- */

/* On the device all pointers but scratch_bytes and room are device pointers, on the host host pointers. */
typedef struct bench_call {
    const void *in;
    const uint8_t *flags;
    const void *map; /* a permutation of 0 to n - 1 */
    void *out;
    size_t *count; /* where a compaction says how much it kept; of an int of 4 bytes the upper half stays 0 */
    size_t n;
    struct gp_workspace *ws; /* a kept handle, for the library */
    const struct gp_classic_options *classic;
    void *scratch; /* for CUB; NULL asks for *scratch_bytes, as in CUB itself */
    size_t *scratch_bytes;
    void *room; /* on the host, what the entry's `workspace` asks for: written to before */
    cudaStream_t stream;
} bench_call;

/* Of RESULT_COUNTED_PAIRS: where the keys go, behind what is of so many bytes. */
static inline void *bench_keys_out(const bench_call *call, size_t bytes)
{
    return (char *)call->out + call->n * bytes;
}

typedef cudaError_t bench_function(const bench_call *call);
typedef size_t bench_workspace_bytes(size_t n);

/* ---- the table ---- */

/* Of an entry. */
enum {
    ENTRY_HOST = 1,   /* runs on the CPU, timed with its clock */
    ENTRY_CUB = 2,    /* CUB, or Thrust where CUB has no such thing: vs_cub is measured by the last */
    ENTRY_SERIAL = 4, /* adds floats one after the other, whose errors grow with n */
    ENTRY_KEPT_ONLY = 8, /* orders rejected items otherwise: only the kept ones are checked */
    ENTRY_RUNG = 16,     /* a textbook rung: runs with each block size of --block */
    ENTRY_UNSTABLE = 32, /* a sort of pairs: only the keys, which come first, are checked */
    ENTRY_TOOLKIT = 64,  /* the toolkit's CUB, beside the newest: measures vs_cub only where that is not there */
    ENTRY_ANY_ORDER = 128 /* leaves the words of each element of its result in any order: put in order to be checked */
};

/* One implementation of a primitive. */
typedef struct bench_entry {
    const char *name;
    int flags;
    bench_function *run;
    bench_workspace_bytes *workspace; /* reserved before anything is timed; or NULL */
} bench_entry;

/* What an instance file exports when its implementations join another file's group. */
typedef struct bench_entries {
    const bench_entry *entry;
    int count;
} bench_entries;

/* How long the result is. COUNTED: as the count says; COUNTED_N: n items and a count; FLAGGED: n
 * items, of which as many are written as flags are set, and the others keep what they had. COUNTED_PAIRS: as the count
 * says, in two arrays with room for n items each: what goes with the keys, and behind them the keys, which are like
 * the items of the input. */
typedef enum bench_result {
    RESULT_N,
    RESULT_ONE,
    RESULT_COUNTED,
    RESULT_COUNTED_N,
    RESULT_FLAGGED,
    RESULT_COUNTED_PAIRS
} bench_result;

/* What the input is besides its distribution. Most predicates look at the lowest bit; RARE: 1 in 10^6. A
 * merge takes two sorted arrays, whatever the distribution: two halves, two of which all of one comes first, or one and
 * another of 1000 times as many items. RUNS: so many neighbours are alike. TWO_VALUES: 0 and 1 at random, so that every
 * second item is unlike the one before. */
typedef enum bench_trait {
    LOW_BIT_AS_IS,
    LOW_BIT_CLEAR,
    LOW_BIT_SET,
    LOW_BIT_RARE,
    HALVES_SORTED,
    HALVES_IN_TURN,
    ONE_TO_1000_SORTED,
    RUNS_OF_5,
    RUNS_OF_64,
    RUNS_OF_100000,
    TWO_VALUES
} bench_trait;

/* Of n items the first of two sorted arrays; 0 if they are none. */
static inline __host__ __device__ size_t bench_first_sorted(size_t n, int trait)
{
    return trait == HALVES_SORTED || trait == HALVES_IN_TURN ? n / 2 : trait == ONE_TO_1000_SORTED ? n / 1001 : 0;
}

/* One primitive for one type: everything that does the same work on the same data. */
typedef struct bench_group {
    const char *primitive;
    const char *type;
    bench_element in, out;
    bench_result result;
    bench_trait trait;
    int has_flags;             /* reads an array of flags too */
    size_t map_bytes;          /* of an entry of the map that it reads too; or 0 */
    int rounds;                /* adds floats: results may differ in their last bits */
    bench_function *reference; /* on the host, sharing no code with the library */
    const bench_entry *entry;
    int entries;
    const bench_entries *more; /* of another file; or NULL */
} bench_group;

typedef struct bench_instance {
    const bench_group *group;
    int groups;
} bench_instance;

/* A line of the sample, which row_files.py makes: a group, as primitive/type, the distributions and the sizes of it, as
 * the options take them. NULL at the end. */
typedef struct bench_sample {
    const char *group, *distributions, *sizes;
} bench_sample;

/* ---- names within an instance file: BENCH(run) is INSTANCE_run ---- */

#define BENCH_JOIN_(a, b) a##b
#define BENCH_JOIN(a, b)  BENCH_JOIN_(a, b)
#define BENCH_T(label)    BENCH_JOIN(bench_, label)
#define BENCH_TEXT_(word) #word
#define BENCH_TEXT(word)  BENCH_TEXT_(word)
#define BENCH_COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* CUB's side is compiled with each CUB that there is: with the toolkit's, beside the newest, under names of its own. */
#define BENCH_TOOLKIT(word) BENCH_JOIN(BENCH_INSTANCE, _toolkit_##word)
#ifdef BENCH_CUB_IS_TOOLKIT
#define BENCH(word) BENCH_TOOLKIT(word)
#else
#define BENCH(word) BENCH_JOIN(BENCH_INSTANCE, _##word)
#endif

/* A function of CUB's side, and the entries that it makes: those of both CUBs, of one, or none. */
#define BENCH_CUB_FUNCTION(word) bench_function BENCH(word), BENCH_TOOLKIT(word)
/* clang-format off */
#ifndef BENCH_HAS_CUB
#define BENCH_CUB_ENTRIES(name, flags, word)
#elif defined BENCH_HAS_NEWEST_CUB
#define BENCH_CUB_ENTRIES(name, flags, word) \
    {name, flags, BENCH(word), NULL}, {name "_toolkit", (flags) | ENTRY_TOOLKIT, BENCH_TOOLKIT(word), NULL},
#else
#define BENCH_CUB_ENTRIES(name, flags, word) {name, flags, BENCH(word), NULL},
#endif
/* clang-format on */

/* What joins the group of an instance from the file that its parameter BENCH_CLASSIC names. */
#ifdef BENCH_CLASSIC
extern const bench_entries BENCH_CLASSIC;
#define BENCH_MORE &BENCH_CLASSIC
#else
#define BENCH_MORE NULL
#endif

#endif
