/* bench_hybrid_gnu.cpp: libstdc++'s parallel sort, a multiway merge sort by all cores, for bench_hybrid. */
#include <cstddef>
#include <cstdint>
#include <parallel/algorithm>

extern "C" void bench_gnu_parallel_sort(void *keys, std::size_t n, std::size_t bytes)
{
    if (bytes == 4)
        __gnu_parallel::sort((std::uint32_t *)keys, (std::uint32_t *)keys + n);
    else
        __gnu_parallel::sort((std::uint64_t *)keys, (std::uint64_t *)keys + n);
}
