#!/usr/bin/env python3
"""Test of the headers of warp/ and block/ under NVRTC, which compiles CUDA at run time. TAP on standard output.

    test_nvrtc.py FOLDER...    the first of these Python environments that has PyPI's nvidia-cuda-nvrtc; or, where none
                               has, the library of the CUDA Toolkit

Each header is compiled for several GPUs, without any header of the host, in instances with different parameters; and so
is a user's kernel, which runs where there is a GPU. Nothing may be warned of.
"""
import ctypes
import ctypes.util
import itertools
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
    GP_SHARED(int, more[2][2]);
    int x[4] = {0, 0, 0, 0}, all;

    tile_block_load_blocked(in, x, n, &exchange);
    ascending_block_sort(x, &sort);
    int before = total_block_exclusive_scan(x[0] + x[1] + x[2] + x[3], &scan, &all);
    if (threadIdx.x < 4) {
        few[threadIdx.x] = all;
        more[threadIdx.x / 2][threadIdx.x % 2] = all;
    }
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        before += x[i];
        x[i] = before + (i < 2 ? few[i] : more[i / 2][i % 2]);
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
    """Whether it compiles without a word, the words, and the machine code, if the architecture is that of a GPU."""
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    options = [f"-I{ROOT}".encode(), f"-arch={architecture}".encode()]
    if nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"user.cu", 0, None, None):
        return False, "nvrtcCreateProgram failed", None
    status = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    code = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, code)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    words = log.value.decode(errors="replace").strip()
    return status == 0 and not words, words, code


class NoGpu(Exception):
    """There is no GPU, or the driver says no."""


class Driver:
    """CUDA's driver, as far as a kernel needs it."""

    def __init__(self):
        try:
            self.library = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise NoGpu(str(error)) from error
        device, context, major, minor = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_int(), ctypes.c_int()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        for number, where in ((75, major), (76, minor)):  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, MINOR
            self.call("cuDeviceGetAttribute", ctypes.byref(where), number, device)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.architecture = f"sm_{major.value}{minor.value}"

    def call(self, function, *arguments):
        status = getattr(self.library, function)(*arguments)
        if status:
            raise NoGpu(f"{function} failed: {status}")

    def sums(self, code, numbers):
        """What the kernel makes of the numbers of a tile."""
        module, kernel, d_in, d_out = (ctypes.c_void_p() for _ in range(4))
        items, n = (ctypes.c_int * len(numbers))(*numbers), ctypes.c_size_t(len(numbers))
        self.call("cuModuleLoadData", ctypes.byref(module), code)
        self.call("cuModuleGetFunction", ctypes.byref(kernel), module, b"sums")
        for memory in (d_in, d_out):
            self.call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(ctypes.sizeof(items)))
        self.call("cuMemcpyHtoD_v2", d_in, items, ctypes.c_size_t(ctypes.sizeof(items)))
        arguments = (ctypes.c_void_p * 3)(*(ctypes.addressof(one) for one in (d_in, d_out, n)))
        self.call("cuLaunchKernel", kernel, 1, 1, 1, 256, 1, 1, 0, None, arguments, None)
        self.call("cuMemcpyDtoH_v2", items, d_out, ctypes.c_size_t(ctypes.sizeof(items)))
        for memory in (d_in, d_out):
            self.call("cuMemFree_v2", memory)
        return list(items)


def check_runs(nvrtc):
    """Compiles the kernel for the GPU that is there, and runs it; gives (passed, name, output)."""
    try:
        driver = Driver()
    except NoGpu as none:
        return True, f"the kernel runs # SKIP no GPU answers: {none}", ""
    done, words, code = compile_source(nvrtc, KERNEL, driver.architecture)
    numbers = [number * 7919 % 2003 - 1000 for number in range(1024)]
    expected = [sum(numbers) + before for before in itertools.accumulate(sorted(numbers))]
    found = driver.sums(code, numbers) if done else []
    return found == expected, f"the kernel runs, {driver.architecture}", f"{words}\n{found[:8]}, not {expected[:8]}"


def results(nvrtc):
    folders = {str(path.relative_to(ROOT / "gpuprims"))
               for folder in ("warp", "block") for path in (ROOT / "gpuprims" / folder).glob("*.cuh")}
    yield folders == set(INSTANCES), "every header of the folders is compiled", "\n".join(folders ^ set(INSTANCES))
    for architecture in ARCHITECTURES:
        for header, instances in INSTANCES.items():
            for what, parameters in instances.items():
                source = f"#include <gpuprims/gpuprims.h>\n{parameters}#define GP_NAME own\n" \
                         f"#include <gpuprims/{header}>\n"
                done, words, _ = compile_source(nvrtc, source, architecture)
                yield done, f"{header}: {what}, {architecture}", words
        done, words, _ = compile_source(nvrtc, KERNEL, architecture)
        yield done, f"a kernel on three of them, {architecture}", words
    done, words, _ = compile_source(nvrtc, KERNEL.replace("&scan, &all", "&scan"), ARCHITECTURES[0])
    yield not done and "error" in words, "a call with an argument too few is an error", words
    yield check_runs(nvrtc)


def main():
    place = library(sys.argv[1:])
    if place is None:
        print("1..0 # SKIP there is no NVRTC: pip install nvidia-cuda-nvrtc")
        return False
    return report(results(ctypes.CDLL(place)))


if __name__ == "__main__":
    sys.exit(main())
