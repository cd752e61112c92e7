/* sums.cu: the one file that the CUDA compiler sees. GP_API exports the functions of the instance. */
#include "sums.h"

#define GP_NAME sums
#define GP_TYPE long long
#define GP_API  GP_EXTERN_C
#include <gpuprims/scan.cuh>
