#!/usr/bin/env python3
"""Test of the headers of warp/ and block/ under NVRTC, which compiles CUDA at run time. TAP on standard output.

    test_nvrtc.py FOLDER...    the first of these Python environments that has PyPI's nvidia-cuda-nvrtc; or, where none
                               has, the library of the CUDA Toolkit

Each header is compiled for several GPUs, without any header of the host, in instances with different parameters; and so
is a user's kernel. Nothing may be warned of.
"""
import ctypes
import ctypes.util
import pathlib
import sys

from tap import report

ROOT = pathlib.Path(__file__).resolve().parents[1]
ARCHITECTURES = ["compute_75", "compute_80", "compute_90", "compute_120"]

PAIR = "struct pair { float a; int b; };\n"
LATER = "static __device__ pair later(pair x, pair y) { return y.b ? y : x; }\n"
FOLDS = {
    "an int": "#define GP_TYPE int\n",
    "the largest of doubles": "#define GP_TYPE double\n#define GP_OP GP_MAX\n",
    "a struct": PAIR + LATER + "#define GP_TYPE pair\n#define GP_OP later\n#define GP_IDENTITY (pair{0, 0})\n",
}
BLOCKS = {
    "bytes": "#define GP_TYPE uint8_t\n#define GP_ITEMS 5\n",
    "a struct": PAIR + "#define GP_TYPE pair\n#define GP_ITEMS 3\n#define GP_BLOCK 96\n",
}
SORTS = {
    "ints": "#define GP_ITEMS 4\n",
    "doubles, with values": "#define GP_TYPE double\n#define GP_VALUE int\n#define GP_LESS(a, b) ((b) < (a))\n",
    "a struct": PAIR + "#define GP_TYPE pair\n#define GP_LESS(x, y) ((x).b < (y).b)\n#define GP_ITEMS 7\n",
}
# By header what it is stamped out with.
INSTANCES = {
    "warp/warp_reduce.cuh": FOLDS,
    "warp/warp_scan.cuh": FOLDS,
    "block/block_reduce.cuh": FOLDS,
    "block/block_scan.cuh": FOLDS,
    "block/block_exchange.cuh": BLOCKS,
    "block/block_sort.cuh": SORTS,
}
# Ranks of the items of a tile, and the sum of those before each.
KERNEL = """#define GP_NAME tile
#define GP_ITEMS 4
#include <gpuprims/block/block_exchange.cuh>
#define GP_NAME total
#include <gpuprims/block/block_scan.cuh>
#define GP_NAME ascending
#define GP_ITEMS 4
#include <gpuprims/block/block_sort.cuh>

extern "C" __global__ void sums(const int *in, int *out, size_t n)
{
    GP_SHARED(tile_block_exchange_storage, exchange);
    GP_SHARED(total_block_scan_storage, scan);
    GP_SHARED(ascending_block_sort_storage, sort);
    GP_SHARED(int[4], few);
    int x[4] = {0, 0, 0, 0}, all;

    tile_block_load_blocked(in, x, n, &exchange);
    ascending_block_sort(x, &sort);
    int before = total_block_exclusive_scan(x[0] + x[1] + x[2] + x[3], &scan, &all);
    if (threadIdx.x < 4)
        few[threadIdx.x] = all;
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        before += x[i];
        x[i] = before + few[i];
    }
    tile_block_store_blocked(out, x, n, &exchange);
}
"""


def library(environments):
    """The file of NVRTC, or None."""
    for environment in environments:
        for place in sorted(pathlib.Path(environment).glob("lib/python3*/site-packages/nvidia/**/libnvrtc.so.*")):
            return str(place)
    return ctypes.util.find_library("nvrtc")


def compile_source(nvrtc, source, architecture):
    """Whether it compiles without a word, and the words."""
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    options = [f"-I{ROOT}".encode(), f"-arch={architecture}".encode()]
    if nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"user.cu", 0, None, None):
        return False, "nvrtcCreateProgram failed"
    status = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    words = log.value.decode(errors="replace").strip()
    return status == 0 and not words, words


def results(nvrtc):
    folders = {str(path.relative_to(ROOT / "gpuprims"))
               for folder in ("warp", "block") for path in (ROOT / "gpuprims" / folder).glob("*.cuh")}
    yield folders == set(INSTANCES), "every header of the folders is compiled", "\n".join(folders ^ set(INSTANCES))
    for architecture in ARCHITECTURES:
        for header, instances in INSTANCES.items():
            for what, parameters in instances.items():
                source = f"#include <gpuprims/gpuprims.h>\n{parameters}#define GP_NAME own\n" \
                         f"#include <gpuprims/{header}>\n"
                done, words = compile_source(nvrtc, source, architecture)
                yield done, f"{header}: {what}, {architecture}", words
        done, words = compile_source(nvrtc, KERNEL, architecture)
        yield done, f"a kernel on three of them, {architecture}", words
    done, words = compile_source(nvrtc, KERNEL.replace("&scan, &all", "&scan"), ARCHITECTURES[0])
    yield not done and "error" in words, "a call with an argument too few is an error", words


def main():
    place = library(sys.argv[1:])
    if place is None:
        print("1..0 # SKIP there is no NVRTC: pip install nvidia-cuda-nvrtc")
        return False
    return report(results(ctypes.CDLL(place)))


if __name__ == "__main__":
    sys.exit(main())
