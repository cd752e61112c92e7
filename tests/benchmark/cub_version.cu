/* cub_version.cu: which CUB this was built with, for the C side, which includes no CUB. Of two, each has its own. */
#include <cub/version.cuh>

#include <cstdio>

#ifdef BENCH_CUB_IS_TOOLKIT
#define bench_cub_version bench_cub_toolkit_version
#endif

const char *bench_cub_version(void);

const char *bench_cub_version(void)
{
    static char text[32];

    std::snprintf(text, sizeof text, "%d.%d.%d", CUB_MAJOR_VERSION, CUB_MINOR_VERSION,
                  CUB_SUBMINOR_VERSION);
    return text;
}
