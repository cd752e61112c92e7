/*
 * classic_element.h: the four scans of the classic ladder for one type, behind functions of one shape, for
 * test_classic.cu.
 *
 *     #define ELEMENT          i32             prefix of the instances, and name of the element
 *     #define ELEMENT_TYPE     int
 *     #define ELEMENT_OP       GP_SUM
 *     #define ELEMENT_IDENTITY 0               defined when the operator needs one
 *     #define ELEMENT_INPUT    int             what is read; ELEMENT_LOAD(x) maps it, if defined
 *     #define ELEMENT_RANDOM(i) ...            item number i of the input
 *     #define ELEMENT_COMBINE(a, b) ...        the operator on the host
 *     #define ELEMENT_NOTHING  0               the identity on the host, as an initialiser
 *     #include "classic_element.h"
 *
 * generates `static const element ELEMENT_element`.
 */
#ifndef CLASSIC_ELEMENT_ONCE
#define CLASSIC_ELEMENT_ONCE

typedef cudaError_t scan_function(const void *in, void *out, size_t n,
                                  const gp_classic_options *opt, gp_workspace *ws,
                                  cudaStream_t stream);

enum { NAIVE, WORK_EFFICIENT, SHARED, SHUFFLE, RUNGS };

typedef struct element {
    const char *name;
    size_t input_bytes, bytes;
    size_t alignment; /* of both */
    scan_function *scan[RUNGS];
    size_t (*workspace_bytes[RUNGS])(size_t n);
    void (*fill)(void *in, size_t n);
    void (*expect)(const void *in, void *out, size_t n);
} element;

#define ELEMENT_JOIN2(a, b) a##_##b
#define ELEMENT_JOIN(a, b)  ELEMENT_JOIN2(a, b)
#define ELEMENT_TEXT2(a)    #a
#define ELEMENT_TEXT(a)     ELEMENT_TEXT2(a)
#define ELEMENT_(word)      ELEMENT_JOIN(ELEMENT, word)

#define ELEMENT_SCAN(rung)                                                                        \
    static cudaError_t ELEMENT_(run_##rung)(const void *in, void *out, size_t n,                  \
                                            const gp_classic_options *opt, gp_workspace *ws,      \
                                            cudaStream_t stream)                                  \
    {                                                                                             \
        return ELEMENT_(rung##_exclusive_scan)((const ELEMENT_INPUT *)in, (ELEMENT_TYPE *)out, n, \
                                               opt, ws, stream);                                  \
    }
#endif

#define GP_NAME       ELEMENT
#define GP_TYPE       ELEMENT_TYPE
#define GP_INPUT_TYPE ELEMENT_INPUT
#define GP_OP         ELEMENT_OP
#ifdef ELEMENT_IDENTITY
#define GP_IDENTITY ELEMENT_IDENTITY
#endif
#ifdef ELEMENT_LOAD
#define GP_LOAD ELEMENT_LOAD
#endif
#include <gpuprims/classic/naive_scan.cuh>

#define GP_NAME       ELEMENT
#define GP_TYPE       ELEMENT_TYPE
#define GP_INPUT_TYPE ELEMENT_INPUT
#define GP_OP         ELEMENT_OP
#ifdef ELEMENT_IDENTITY
#define GP_IDENTITY ELEMENT_IDENTITY
#endif
#ifdef ELEMENT_LOAD
#define GP_LOAD ELEMENT_LOAD
#endif
#include <gpuprims/classic/work_efficient_scan.cuh>

#define GP_NAME       ELEMENT
#define GP_TYPE       ELEMENT_TYPE
#define GP_INPUT_TYPE ELEMENT_INPUT
#define GP_OP         ELEMENT_OP
#ifdef ELEMENT_IDENTITY
#define GP_IDENTITY ELEMENT_IDENTITY
#endif
#ifdef ELEMENT_LOAD
#define GP_LOAD ELEMENT_LOAD
#endif
#include <gpuprims/classic/shared_scan.cuh>

#define GP_NAME       ELEMENT
#define GP_TYPE       ELEMENT_TYPE
#define GP_INPUT_TYPE ELEMENT_INPUT
#define GP_OP         ELEMENT_OP
#ifdef ELEMENT_IDENTITY
#define GP_IDENTITY ELEMENT_IDENTITY
#endif
#ifdef ELEMENT_LOAD
#define GP_LOAD ELEMENT_LOAD
#endif
#include <gpuprims/classic/shuffle_scan.cuh>

ELEMENT_SCAN(naive)
ELEMENT_SCAN(work_efficient)
ELEMENT_SCAN(shared)
ELEMENT_SCAN(shuffle)

static void ELEMENT_(fill)(void *in, size_t n)
{
    ELEMENT_INPUT *items = (ELEMENT_INPUT *)in;

    for (size_t i = 0; i < n; i++)
        items[i] = ELEMENT_RANDOM(i);
}

static void ELEMENT_(expect)(const void *in, void *out, size_t n)
{
    const ELEMENT_INPUT *items = (const ELEMENT_INPUT *)in;
    ELEMENT_TYPE *expected = (ELEMENT_TYPE *)out;
    ELEMENT_TYPE sum = ELEMENT_NOTHING;

    for (size_t i = 0; i < n; i++) {
#ifdef ELEMENT_LOAD
        ELEMENT_TYPE x = ELEMENT_LOAD(items[i]);
#else
        ELEMENT_TYPE x = (ELEMENT_TYPE)items[i];
#endif

        expected[i] = sum;
        sum = i ? ELEMENT_COMBINE(sum, x) : x;
    }
}

static const element ELEMENT_(element) = {
    ELEMENT_TEXT(ELEMENT),
    sizeof(ELEMENT_INPUT),
    sizeof(ELEMENT_TYPE),
    __alignof__(ELEMENT_INPUT) > __alignof__(ELEMENT_TYPE) ? __alignof__(ELEMENT_INPUT)
                                                           : __alignof__(ELEMENT_TYPE),
    {ELEMENT_(run_naive), ELEMENT_(run_work_efficient), ELEMENT_(run_shared),
     ELEMENT_(run_shuffle)},
    {ELEMENT_(naive_exclusive_scan_workspace_bytes),
     ELEMENT_(work_efficient_exclusive_scan_workspace_bytes),
     ELEMENT_(shared_exclusive_scan_workspace_bytes),
     ELEMENT_(shuffle_exclusive_scan_workspace_bytes)},
    ELEMENT_(fill),
    ELEMENT_(expect),
};

#undef ELEMENT
#undef ELEMENT_TYPE
#undef ELEMENT_OP
#undef ELEMENT_IDENTITY
#undef ELEMENT_INPUT
#undef ELEMENT_LOAD
#undef ELEMENT_RANDOM
#undef ELEMENT_COMBINE
#undef ELEMENT_NOTHING
