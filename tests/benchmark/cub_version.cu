/* cub_version.cu: which CUB this was built with, for the C side, which includes no CUB. */
#include <cub/version.cuh>

#include <cstdio>

const char *bench_cub_version(void);

const char *bench_cub_version(void)
{
    static char text[32];

    std::snprintf(text, sizeof text, "%d.%d.%d", CUB_MAJOR_VERSION, CUB_MINOR_VERSION,
                  CUB_SUBMINOR_VERSION);
    return text;
}
