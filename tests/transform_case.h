/*
 * transform_case.h: two instances of transform.cuh behind a struct, for test_transform.cu: as it is, and with so few
 * blocks that each has several tiles, chunks or items, one after the other.
 *
 *     #define CASE         u8_f32
 *     #define CASE_IN      uint8_t
 *     #define CASE_OUT     float            if not CASE_IN
 *     #define CASE_LOAD(x) ((float)(x) / 2) if not a conversion
 *     #include "transform_case.h"
 *
 * generates `static const transform_case CASE_case`.
 */
#ifndef TRANSFORM_CASE_ONCE
#define TRANSFORM_CASE_ONCE
#define CASE_JOIN_(a, b) a##b
#define CASE_JOIN(a, b)  CASE_JOIN_(a, b)
#define CASE_(word)      CASE_JOIN(CASE, _##word)
#define CASE_TEXT_(name) #name
#define CASE_TEXT(name)  CASE_TEXT_(name)

typedef struct transform_case {
    const char *name;
    size_t in_bytes, in_align, out_bytes, out_align;
    cudaError_t (*run)(const void *in, void *out, size_t n, int few);
    void (*expect)(const unsigned char *in, unsigned char *out, size_t n); /* in C, on the host, item by item */
} transform_case;
#endif

#ifndef CASE_OUT
#define CASE_OUT CASE_IN
#endif

#define GP_NAME CASE
#define GP_TYPE CASE_OUT
#define GP_INPUT_TYPE CASE_IN
#ifdef CASE_LOAD
#define GP_LOAD(x) CASE_LOAD(x)
#endif
#include <gpuprims/transform.cuh>

#define GP_NAME CASE_(few)
#define GP_TYPE CASE_OUT
#define GP_INPUT_TYPE CASE_IN
#ifdef CASE_LOAD
#define GP_LOAD(x) CASE_LOAD(x)
#endif
#define GP_GRID 2
#include <gpuprims/transform.cuh>

static cudaError_t CASE_(run)(const void *in, void *out, size_t n, int few)
{
    return few ? CASE_(few_transform)((const CASE_IN *)in, (CASE_OUT *)out, n, NULL, 0)
               : CASE_(transform)((const CASE_IN *)in, (CASE_OUT *)out, n, NULL, 0);
}

static void CASE_(expect)(const unsigned char *in, unsigned char *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        CASE_IN x;
        CASE_OUT y;

        memcpy((void *)&x, in + i * sizeof x, sizeof x);
#ifdef CASE_LOAD
        y = CASE_LOAD(x);
#else
        y = x;
#endif
        memcpy(out + i * sizeof y, (const void *)&y, sizeof y);
    }
}

static const transform_case CASE_(case) = {
    CASE_TEXT(CASE),        sizeof(CASE_IN), __alignof__(CASE_IN), sizeof(CASE_OUT),
    __alignof__(CASE_OUT), CASE_(run),      CASE_(expect),
};

#undef CASE
#undef CASE_IN
#undef CASE_OUT
#undef CASE_LOAD
