/* sums.h: what sums.cu offers to the rest of the program. The base header has the types for it. */
#ifndef SUMS_H
#define SUMS_H

#include <gpuprims/gpuprims.h>

GP_EXTERN_C cudaError_t sums_inclusive_scan(const long long *in, long long *out, size_t n,
                                            gp_workspace *ws, cudaStream_t stream);
GP_EXTERN_C size_t sums_inclusive_scan_workspace_bytes(size_t n);

#endif
