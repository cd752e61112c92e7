/*
 * scan_at_case.h: stamps out scans that read or write by expressions, one for each kernel, and a plain one, for
 * test_scan_at.cu. Whatever they evaluate is counted.
 *
 *     AT                  name
 *     AT_TYPE             T                        AT_INPUT      I; AT_IN_BYTES: its size, or 0
 *     AT_OP               the operator             AT_IDENTITY   with an operator of one's own
 *     AT_LOAD(in, i, c)   item i                   AT_BY_POINTER that is GP_LOAD(x, c) of in[i], as AT_MAP(x, c)
 *     AT_STORE(i, x, c)   stores result i          AT_GOT(i, c)  where it is then; if not at c.first
 *
 * generates `static const at_case AT_case`. All are undefined at the end.
 */
#ifndef AT_ONCE
#define AT_ONCE
#define AT_JOIN_(a, b) a##_##b
#define AT_JOIN(a, b)  AT_JOIN_(a, b)
#define AT_F(word)     AT_JOIN(AT, word)
#define AT_TEXT_(a)    #a
#define AT_TEXT(a)     AT_TEXT_(a)

/* The context: n, arrays to read from and to write to, and how often each item was read and written. */
typedef struct places {
    size_t n;
    const void *a, *b;
    const uint32_t *order;
    void *first, *second;
    uint32_t *loads, *stores; /* n each, and one more for all other numbers */
} places;

static __device__ inline void at_note(uint32_t *counts, size_t i, size_t n)
{
    atomicAdd(counts + (i < n ? i : n), 1u);
}

typedef struct at_case {
    const char *name;
    size_t in_bytes, out_bytes;
    int loads, stores; /* by expressions */
    void (*values)(void *values, const void *in, places host); /* the items, on the host */
    void (*results)(void *results, places host);               /* what was stored, in order */
    cudaError_t (*run)(int kernel, int function, const void *in, void *out, places c);
} at_case;

enum { AT_PLAIN, AT_PIPELINED, AT_SIMPLE, AT_HASTY, AT_KERNELS };
static const char *const at_kernel_names[] = {"plain", "pipelined", "simple", "hasty pipelined"};
#endif

#define AT_WORD  plain
#include "scan_at_instance.h"
#define AT_WORD   pipelined
#define AT_KERNEL GP_KERNEL_PIPELINED
#define AT_GRID   3
#include "scan_at_instance.h"
#define AT_WORD   simple
#define AT_KERNEL GP_KERNEL_SIMPLE
#define AT_GRID   1
#include "scan_at_instance.h"
#pragma push_macro("GPI_PATIENCE")
#undef GPI_PATIENCE
#define GPI_PATIENCE 0
#define AT_WORD   hasty
#define AT_KERNEL GP_KERNEL_PIPELINED
#define AT_GRID   0xFFFFFFFFu
#include "scan_at_instance.h"
#pragma pop_macro("GPI_PATIENCE")

static void AT_F(values)(void *values, const void *in, places c)
{
    (void)in;
    for (size_t i = 0; i < c.n; i++)
#ifdef AT_BY_POINTER
        ((AT_TYPE *)values)[i] = AT_MAP(((const AT_INPUT *)in)[i], c);
#else
        ((AT_TYPE *)values)[i] = AT_LOAD((const AT_INPUT *)in, i, c);
#endif
}

static void AT_F(results)(void *results, places c)
{
    for (size_t i = 0; i < c.n; i++)
#ifdef AT_STORE
        ((AT_TYPE *)results)[i] = AT_GOT(i, c);
#else
        ((AT_TYPE *)results)[i] = ((const AT_TYPE *)c.first)[i];
#endif
}

static cudaError_t AT_F(run)(int kernel, int function, const void *in, void *out, places c)
{
    const AT_INPUT *from = (const AT_INPUT *)in;
    AT_TYPE *to = (AT_TYPE *)out, init;

    memset((void *)&init, 3, sizeof init);
#define AT_RUN(word)                                                                              \
    (function == INCLUSIVE   ? AT_F(word##_inclusive_scan)(from, to, c.n, c, NULL, 0)             \
     : function == EXCLUSIVE ? AT_F(word##_exclusive_scan)(from, to, c.n, c, NULL, 0)             \
                             : AT_F(word##_exclusive_scan_init)(from, to, c.n, init, c, NULL, 0))
    if (kernel != AT_PLAIN)
        return kernel == AT_PIPELINED ? AT_RUN(pipelined) : kernel == AT_SIMPLE ? AT_RUN(simple) : AT_RUN(hasty);
#undef AT_RUN
    const AT_TYPE *values = (const AT_TYPE *)in;
    return function == INCLUSIVE   ? AT_F(plain_inclusive_scan)(values, to, c.n, NULL, 0)
           : function == EXCLUSIVE ? AT_F(plain_exclusive_scan)(values, to, c.n, NULL, 0)
                                   : AT_F(plain_exclusive_scan_init)(values, to, c.n, init, NULL, 0);
}

#ifdef AT_BY_POINTER
enum { AT_F(loads) = 0 };
#else
enum { AT_F(loads) = 1 };
#endif
#ifdef AT_STORE
enum { AT_F(stores) = 1 };
#else
enum { AT_F(stores) = 0 };
#endif

static const at_case AT_F(case) = {AT_TEXT(AT),   AT_IN_BYTES,    sizeof(AT_TYPE), AT_F(loads),
                                   AT_F(stores), AT_F(values), AT_F(results),   AT_F(run)};

#undef AT
#undef AT_TYPE
#undef AT_INPUT
#undef AT_IN_BYTES
#undef AT_OP
#undef AT_IDENTITY
#undef AT_LOAD
#undef AT_BY_POINTER
#undef AT_MAP
#undef AT_STORE
#undef AT_GOT
