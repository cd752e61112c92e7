#!/usr/bin/env python3
"""No header makes a compiler warn in a user's file, whatever the language, however much it is asked to warn.

Each header stands in a file of its own, in several instances: an int hides the conversions of other types. All of them
stand in a file, too, and the other way round in another: each comes behind each other one. The include folder is a plain
-I, and the headers switch no warning off. TAP on standard output.

    test_warnings.py --cc gcc [--cxx g++]... [header]...
"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from tap import report
from test_parameter_errors import ROOT, parameters, public_headers

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wsign-conversion", "-Werror"]
# The first of each language sees all instances, the others some, and so does the optimising compiler, which is slow.
C = ["c11", "gnu17", "gnu2x"]
CXX = ["c++20", "c++17"]
SOME, FEW = 4, 3

# What the instances are made of. The names of types are such as others use, too.
TYPES = """#include <gpuprims/gpuprims.h>

typedef struct point { float x, y; } point;
typedef struct name { char text[40]; } name;
typedef struct item { unsigned char a, b, c; } item;
typedef struct half { uint16_t bits; } half;
typedef struct scale { float factor; unsigned limit; } scale;
typedef struct summary { double sum; unsigned count; float least, most; } summary;

static __host__ __device__ inline point later(point a, point b) { return b.x > 0 ? b : a; }
static __host__ __device__ inline name last(name a, name b) { return b.text[0] ? b : a; }
static __host__ __device__ inline summary both(summary a, summary b)
{
    const summary sum = {a.sum + b.sum, a.count + b.count, a.least < b.least ? a.least : b.least,
                         a.most > b.most ? a.most : b.most};
    return sum;
}
static __host__ __device__ inline double join(double a, double b) { return b < 0 ? b : a + b; }
static __host__ __device__ inline float length(point p) { return p.x + p.y; }
static __host__ __device__ inline float scaled(int x, scale s) { return s.factor * (float)x; }
static __host__ __device__ inline int below(unsigned x, scale s) { return x < s.limit; }
"""

# Instances by a parameter that the header must have. Those with one that it does not have are left out.
INSTANCES = {
    "GP_OP": [
        {"TYPE": "summary", "OP": "both", "IDENTITY": "{0, 0, 0, 0}"},
        {"TYPE": "uint8_t"},
        {"TYPE": "float", "INPUT_TYPE": "int", "LOAD": "scaled", "CONTEXT": "scale", "OP": "GP_MIN"},
        {"TYPE": "point", "OP": "later", "IDENTITY": "{0, 0}"},
        {"TYPE": "name", "OP": "last", "IDENTITY": '{""}'},
        {"TYPE": "uint8_t", "OP": "GP_PRODUCT"},
        {"TYPE": "short", "OP": "GP_MIN"},
        {"TYPE": "uint16_t", "OP": "GP_OR"},
        {"TYPE": "unsigned", "OP": "GP_MAX"},
        {"TYPE": "double"},
        {"TYPE": "double", "OP": "join", "IDENTITY": "0"},
        {"TYPE": "int64_t", "OP": "GP_AND"},
        {"TYPE": "uint64_t"},
        {"TYPE": "float", "INPUT_TYPE": "int"},
        {"TYPE": "uint8_t", "INPUT_TYPE": "double"},
        {"TYPE": "float", "INPUT_TYPE": "point", "LOAD": "length", "BLOCK": "64"},
    ],
    "GP_PRED": [
        {"TYPE": "uint8_t"},
        {"TYPE": "item", "PRED(t)": "((t).a)"},
        {"TYPE": "short"},
        {"TYPE": "float"},
        {"TYPE": "uint64_t"},
        {"TYPE": "unsigned", "PRED": "below", "CONTEXT": "scale"},
        {"TYPE": "point", "PRED(p)": "((p).x > (p).y)"},
        {"TYPE": "name", "PRED(n)": "((n).text[0])"},
        {"TYPE": "double", "INDEX": "unsigned"},
        {"TYPE": "item", "PRED(t)": "((t).a)", "INDEX": "int"},
    ],
    "GP_LESS": [
        {"TYPE": "uint8_t", "ITEMS": "7"},
        {"TYPE": "point", "LESS(a, b)": "((a).x < (b).x)", "VALUE": "name"},
        {"TYPE": "short", "VALUE": "item"},
        {"TYPE": "float", "LESS(a, b)": "((a) > (b))", "BLOCK": "64", "ITEMS": "4"},
        {"TYPE": "uint64_t", "VALUE": "uint8_t"},
        {"TYPE": "item", "LESS(a, b)": "((a).c < (b).c)"},
        {"TYPE": "unsigned", "LESS(a, b, s)": "((a) % (s).limit < (b) % (s).limit)", "CONTEXT": "scale"},
        {"TYPE": "uint8_t", "INDEX": "int"},
        {"TYPE": "point", "LESS(a, b)": "((a).x < (b).x)", "INDEX": "unsigned"},
        {"TYPE": "double", "INDEX": "int64_t"},
        {"TYPE": "name", "LESS(a, b)": "((a).text[0] < (b).text[0])", "INDEX": "size_t"},
    ],
    "GP_KEY": [
        {"KEY": "float", "VALUE": "point", "DESCENDING": ""},
        {"KEY": "uint8_t"},
        {"KEY": "signed char", "VALUE": "item"},
        {"KEY": "short", "DESCENDING": ""},
        {"KEY": "uint16_t", "VALUE": "double"},
        {"KEY": "unsigned", "VALUE": "uint8_t"},
        {"KEY": "float"},
        {"KEY": "int64_t", "VALUE": "unsigned"},
        {"KEY": "uint64_t", "DESCENDING": ""},
        {"KEY": "double", "VALUE": "name"},
        {"KEY": "double"},
        {"KEY": "half", "KEY_KIND": "GP_FLOAT"},
        {"KEY": "point", "KEY_KIND": "GP_UNSIGNED", "VALUE": "short", "DESCENDING": ""},
    ],
    # Of the others: by name.
    "run_length.cuh": [
        {"TYPE": "uint8_t", "INDEX": "int"},
        {"TYPE": "point", "EQUAL(a, b)": "((a).x == (b).x)", "VALUE": "uint8_t"},
        {"TYPE": "short", "VALUE": "name", "INDEX": "unsigned"},
        {"TYPE": "unsigned", "EQUAL(a, b, s)": "((a) / (s).limit == (b) / (s).limit)", "CONTEXT": "scale"},
        {"TYPE": "float"},
        {"TYPE": "uint64_t", "VALUE": "double"},
        {"TYPE": "item", "EQUAL(a, b)": "((a).c == (b).c)"},
        {"TYPE": "uint16_t", "LOAD_AT(in, i)": "((uint16_t)((i) / 3))"},
        {"TYPE": "float", "INPUT_TYPE": "short", "LOAD_AT(in, i)": "((float)(in)[i] / 2)", "VALUE": "item"},
    ],
    "histogram.cuh": [
        {"TYPE": "uint8_t", "INDEX": "unsigned"},
        {"TYPE": "point", "BIN(p, bins)": "((size_t)(p).x % (bins))"},
        {"TYPE": "short"},
        {"TYPE": "double"},
        {"TYPE": "uint64_t", "INDEX": "int64_t"},
        {"TYPE": "unsigned", "BIN(x, bins, s)": "((x) % (s).limit)", "CONTEXT": "scale"},
        {"TYPE": "float"},
        {"TYPE": "uint16_t", "INPUT_TYPE": "void", "LOAD_AT(in, i)": "((uint16_t)((i) % 7))"},
    ],
    "transform.cuh": [
        {"TYPE": "uint8_t", "INPUT_TYPE": "float", "LOAD(x)": "((uint8_t)((x) * 255))", "INDEX": "unsigned"},
        {"TYPE": "point", "LOAD_AT(in, i)": "((in)[(i) / 2])"},
        {"TYPE": "float", "INPUT_TYPE": "int", "LOAD": "scaled", "CONTEXT": "scale"},
        {"TYPE": "double", "LOAD_AT(in, i)": "((in)[i] / 2)", "STORE_AT(out, i, x)": "((out)[i] = (x) + 1)"},
        {"TYPE": "item"},
        {"TYPE": "name"},
        {"TYPE": "int64_t", "INPUT_TYPE": "void", "LOAD_AT(in, i)": "((int64_t)(i))"},
    ],
    "classic/split_sort.cuh": [{"TYPE": of} for of in ("uint8_t", "short", "unsigned", "int64_t")],
    "classic/find_max.cuh": [{"TYPE": of} for of in ("float", "uint8_t", "short", "unsigned", "double")],
    "block/block_exchange.cuh": [
        {"TYPE": "uint8_t", "ITEMS": "5"},
        {"TYPE": "double", "ITEMS": "4", "BLOCK": "64"},
        {"TYPE": "name", "ITEMS": "3", "BLOCK": "32"},
        {"TYPE": "item", "ITEMS": "8"},
    ],
}

# What the macros of the base header become in the user's own code.
USE = """
static __global__ void rotate(const float *in, float *out, unsigned n, uint8_t by)
{
    GP_SHARED(float[64], tile);
    GP_DYNAMIC_SHARED(float, more);
    const unsigned i = threadIdx.x;

    more[i] = tile[i] = i < n ? in[i] : 0.0f;
    __syncthreads();
    if (i < n)
        out[i] = __shfl_sync(0xFFFFFFFFu, more[i], (int)((i + by) % 32)) + tile[(i + by) % 64];
}

cudaError_t call_rotate(const float *in, float *out, size_t n, cudaStream_t stream);

cudaError_t call_rotate(const float *in, float *out, size_t n, cudaStream_t stream)
{
    dim3 grid = {1, 1, 1};
    float *copy = NULL;

    if (cudaMallocAsync((void **)&copy, n * sizeof *copy, stream) != cudaSuccess)
        return cudaGetLastError();
    GP_LAUNCH(rotate, grid, 64, 64 * sizeof(float), stream, in, out, (unsigned)n, (uint8_t)3);
    GP_LAUNCH(rotate, 1, 64u, 256, stream, in, copy, (unsigned)n, (uint8_t)3);
    return cudaFreeAsync(copy, stream);
}
"""


def instances(header, most=None, api=None):
    """Includes of a header in instances of many types, at most so many."""
    known, text = parameters(header), ""
    found = INSTANCES.get(header) or [one for name in INSTANCES if name in known for one in INSTANCES[name]]
    for number, instance in enumerate(found[:most]):
        if all(f"GP_{name.split('(')[0]}" in known for name in instance):
            text += f"\n#define GP_NAME {stem(header)}_{number}\n"
            text += "".join(f"#define GP_{name} {value}\n" for name, value in instance.items())
            text += f"#define GP_API {api}\n" if api else ""
            text += f"#include <gpuprims/{header}>\n"
    return text


def source(header, most=None, api=None):
    """A file that includes a header as it is, and in instances."""
    text = f"#include <gpuprims/{header}>\n{TYPES}"
    return text + (instances(header, most, api) if parameters(header) else USE)


def together(headers):
    """A file that includes all headers in this order, as they are, and in some instances."""
    text = TYPES
    for header in headers:
        if not header.startswith(("block/", "warp/")):  # scan and reduce have their functions, under the same name
            text += f"#include <gpuprims/{header}>\n"
        text += instances(header, SOME) if parameters(header) else ""
    return text


def stem(header):
    return re.sub(r"\W", "_", header)


def check(job):
    """Compiles a file; gives (passed, name, output)."""
    compiler, flags, header, file = job
    command = [*compiler, *flags, *WARNINGS, "-I", str(ROOT), str(file)]
    run = subprocess.run(command, capture_output=True, text=True)
    name = " ".join([pathlib.Path(compiler[0]).name, flags[0], header])
    return run.returncode == 0, name, run.stdout + run.stderr


def jobs(options, folder):
    """What is compiled: the compiler, its flags, the header, and the file that is written for it."""
    if not options.headers:
        orders = {"all headers": public_headers(), "all headers backwards": public_headers()[::-1]}
        for name, headers in orders.items():
            for suffix, compilers, standard in ((".c", options.cc, C[0]), (".cpp", options.cxx, CXX[0])):
                file = folder / (stem(name) + suffix)
                file.write_text(together(headers))
                for compiler in compilers:
                    yield shlex.split(compiler), [f"-std={standard}", "-fsyntax-only"], name, file
    for header in options.headers or public_headers():
        path = folder / stem(header)
        for suffix, compilers, standards in ((".c", options.cc, C), (".cpp", options.cxx, CXX)):
            for standard in standards:
                file = path.with_suffix(f".{standard}{suffix}")
                file.write_text(source(header, None if standard == standards[0] else SOME))
                for compiler in compilers:
                    yield shlex.split(compiler), [f"-std={standard}", "-fsyntax-only"], header, file
        if "GP_API" in parameters(header):  # functions that are not static, or nothing would be compiled
            file = path.with_suffix(".O2.c")
            file.write_text(source(header, FEW, "GP_EXTERN_C"))
            for compiler in options.cc:
                yield shlex.split(compiler), ["-O2", "-c", "-o", os.devnull], header, file


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cc", action="append", default=[])
    parser.add_argument("--cxx", action="append", default=[])
    parser.add_argument("headers", nargs="*")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        return report(pool.map(check, jobs(options, pathlib.Path(folder))))


if __name__ == "__main__":
    sys.exit(main())
