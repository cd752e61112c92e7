/* example.h: what the examples share: errors end the program, and so does the lack of a GPU. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <gpuprims/gpuprims.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Any call that returns a cudaError_t, the library's as well as CUDA's. */
#define CHECK(call)                                                                           \
    do {                                                                                      \
        cudaError_t error = (call);                                                           \
        if (error != cudaSuccess) {                                                           \
            fprintf(stderr, "%s:%d: %s\n%s\n", __FILE__, __LINE__, cudaGetErrorString(error), \
                    gp_last_error_message());                                                 \
            exit(1);                                                                          \
        }                                                                                     \
    } while (0)

/* Ends the program with the status 77, which says "skipped" to a test runner, where no GPU answers. */
static inline void need_gpu(void)
{
    int devices = 0;

    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        printf("no GPU here\n");
        exit(77);
    }
}

/* The last line of every example. */
static inline int verdict(int right)
{
    printf("%s\n", right ? "right" : "WRONG");
    return right ? 0 : 1;
}

#endif
