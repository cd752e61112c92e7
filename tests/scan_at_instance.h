/*
 * scan_at_instance.h: one of the scans of scan_at_case.h: AT_WORD ends its name; with AT_KERNEL, and AT_GRID for
 * GP_GRID, it evaluates the expressions, without it is plain. All are undefined at the end.
 */
#define GP_NAME AT_F(AT_WORD)
#define GP_TYPE AT_TYPE
#define GP_OP   AT_OP
#ifdef AT_IDENTITY
#define GP_IDENTITY AT_IDENTITY
#endif
#ifdef AT_KERNEL
#define GP_INPUT_TYPE AT_INPUT
#define GP_CONTEXT    places
#ifdef AT_BY_POINTER
#define GP_LOAD(x, c) AT_MAP(x, c)
#else
#define GP_LOAD_AT(in, i, c) (at_note((c).loads, i, (c).n), AT_LOAD(in, i, c))
#endif
#ifdef AT_STORE
#define GP_STORE_AT(out, i, x, c)       \
    at_note((c).stores, i, (c).n);      \
    AT_STORE(i, x, c)
#endif
#define GP_KERNEL AT_KERNEL
#define GP_GRID   AT_GRID
#endif
#include <gpuprims/scan.cuh>
#undef AT_WORD
#undef AT_KERNEL
#undef AT_GRID
