/*
 * core/instance/operators.cuh: the ready operators. They are numbers, which begin.cuh can
 * distinguish from a name of the user's: `#define GP_OP GP_MAX`. Each has its identity, for any
 * arithmetic GP_TYPE.
 *
 * Part of gpuprims.h; not to be included directly.
 */
#ifndef GPI_OPERATORS_CUH
#define GPI_OPERATORS_CUH

#define GP_SUM     0x6701 /* a + b; integers wrap */
#define GP_PRODUCT 0x6702 /* a * b; integers wrap */
#define GP_MIN     0x6703 /* the smaller; of equal values the later; NaN if either is */
#define GP_MAX     0x6704 /* the larger; of equal values the later; NaN if either is */
#define GP_AND     0x6705 /* a & b */
#define GP_OR      0x6706 /* a | b */
#define GP_XOR     0x6707 /* a ^ b */

#define GPI_IS_READY(op) ((op) >= GP_SUM && (op) <= GP_XOR)

/* The order of keys that are of no arithmetic type: `#define GP_KEY_KIND GP_FLOAT`. */
#define GP_UNSIGNED 0x6711 /* by their bits as an unsigned number */
#define GP_SIGNED   0x6712 /* as a signed one */
#define GP_FLOAT    0x6713 /* by sign and magnitude, as float and double are */

/* The type of the context argument without GP_CONTEXT; kernels always take one. */
typedef struct gpi_no_context {
    char unused;
} gpi_no_context;

#ifdef __CUDACC__
__host__ __device__
#endif
static inline gpi_no_context gpi_no_context_value(void)
{
    gpi_no_context none;

    none.unused = 0;
    return none;
}

#endif
