/*
 * core/backend/error.cuh: the message that explains the last refused call.
 *
 * Part of gpuprims.h; not to be included directly.
 */
#ifndef GPI_ERROR_CUH
#define GPI_ERROR_CUH

#include <stdarg.h>
#include <stdio.h>

/* One buffer per thread, shared by all files of a program: a weak symbol with C linkage. */
#ifdef __cplusplus
extern "C" {
#endif
extern __thread char gpi_error_message[512];
__attribute__((weak)) __thread char gpi_error_message[512];
#ifdef __cplusplus
}
#endif

/*
 * Which argument of which function was wrong in this thread's last refused call, and what would be
 * valid. Empty before the first one. Valid until the next refused call in the same thread.
 */
static inline const char *gp_last_error_message(void)
{
    return gpi_error_message;
}

/* Records why a call is refused; returns `error`. */
__attribute__((format(printf, 2, 3))) static inline cudaError_t gpi_error(cudaError_t error,
                                                                          const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(gpi_error_message, sizeof gpi_error_message, format, arguments);
    va_end(arguments);
    return error;
}

/* Refuses a NULL pointer to an array of n items; `count` is the parameter with n. */
static inline cudaError_t gpi_error_null_of(const char *function, const char *argument,
                                            const char *count, size_t n)
{
    return gpi_error(cudaErrorInvalidValue,
                     "%s: %s is NULL; it must point to device memory when %s is %zu", function,
                     argument, count, n);
}

/* The same where n is the parameter. */
static inline cudaError_t gpi_error_null(const char *function, const char *argument, size_t n)
{
    return gpi_error_null_of(function, argument, "n", n);
}

#endif
