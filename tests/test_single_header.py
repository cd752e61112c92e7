#!/usr/bin/env python3
"""Test of examples/single_header.py. TAP on standard output.

    test_single_header.py --cc gcc [--cxx g++]
    test_single_header.py --nvcc nvcc

What it makes of a header is that header: without the library's folder, and with several instances in one program, the
preprocessor makes the same tokens of it in C and C++, on the CPU backend and with the macros that nvcc defines.
Some are compiled, and a program is run. With --nvcc some are compiled for CUDA.
"""
import argparse
import pathlib
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from tap import report
from test_macros import TARGETS, instances
from test_parameter_errors import PAIR, ROOT, parameters, public_headers

SCRIPT = ROOT / "examples/single_header.py"

# Places in files are others.
NO_PLACES = ['-D__FILE__="file"', "-D__LINE__=0", "-Wno-builtin-macro-redefined"]

COMPILED = ["scan.cuh", "hybrid_sort.cuh", "block/block_sort.cuh"]

PROGRAM = """#include "gpuprims_scan.h"
#include <stdio.h>

#define GP_NAME maxf
#define GP_TYPE float
#define GP_OP   GP_MAX
#include "gpuprims_scan.h"

#include "gpuprims_compact.h"

int main(void)
{
    int *ints, values[7] = {1, 5, 0, 1, 2, 0, 3};
    float *floats, numbers[4] = {1, -2, 4, 3};
    size_t *count, kept;

    if (cudaMalloc((void **)&ints, sizeof values) || cudaMalloc((void **)&floats, sizeof numbers) ||
        cudaMalloc((void **)&count, sizeof *count) ||
        cudaMemcpy(ints, values, sizeof values, cudaMemcpyHostToDevice) ||
        cudaMemcpy(floats, numbers, sizeof numbers, cudaMemcpyHostToDevice) ||
        gp_compact(ints, ints, 7, count, NULL, 0) || gp_exclusive_scan(ints, ints, 5, NULL, 0) ||
        maxf_inclusive_scan(floats, floats, 4, NULL, 0) ||
        cudaMemcpy(&kept, count, sizeof kept, cudaMemcpyDeviceToHost) ||
        cudaMemcpy(values, ints, sizeof values, cudaMemcpyDeviceToHost) ||
        cudaMemcpy(numbers, floats, sizeof numbers, cudaMemcpyDeviceToHost) || cudaFree(ints) || cudaFree(floats) ||
        cudaFree(count))
        return 1;
    printf("%d, %d %d %d, %g %g", (int)kept, values[0], values[1], values[4], numbers[1], numbers[3]);
    return 0;
}
"""
PRINTED = "5, 0 1 9, 1 4"


def run(command, **arguments):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, check=False,
                          **arguments)


def name_of(header):
    """The file that a header becomes."""
    return "gpuprims.h" if header == "gpuprims.h" else f"gpuprims_{pathlib.PurePath(header).stem}.h"


def uses(header, include):
    """A program of several instances. The parameters of the first are none."""
    text = f"{include}\n{PAIR}{include}\n"
    if parameters(header):
        for number, instance in enumerate(instances(header)):
            text += instance.replace("GP_NAME x", f"GP_NAME x{number}") + include + "\n"
    return text


def check_tokens(job):
    """Compares what the preprocessor makes of the header and of its one file; gives (passed, name, output)."""
    compiler, flags, target, header, folder = job
    runs = []
    for include, path in (f"<gpuprims/{header}>", ROOT), (f'"{name_of(header)}"', folder):
        command = [*compiler, *flags, *TARGETS[target], *NO_PLACES, "-E", "-P", "-I", path, "-I", folder / "cuda", "-"]
        runs.append(run(command, input=uses(header, f"#include {include}")))
    outputs = [one.stdout.split() for one in runs]
    first = next((number for number, (a, b) in enumerate(zip(*outputs)) if a != b), min(map(len, outputs)))
    passed = outputs[0] == outputs[1] and len(outputs[0]) > 1000 and not any(one.returncode for one in runs)
    differ = [" ".join(words[max(first - 10, 0):first + 10]) for words in outputs]
    output = "\n".join([*differ, *(one.stderr for one in runs)])
    return passed, f"{header}: the same for {compiler[0]}, {target}", output


def check_compiles(job):
    """Compiles one file, in two instances and nothing else; gives (passed, name, output)."""
    compiler, flags, header, folder, suffix = job
    source = folder / f"{pathlib.PurePath(header).stem}.{suffix}"
    include = f'#include "{name_of(header)}"\n'
    parameter = "KEY" if "GP_KEY" in parameters(header) else "TYPE"
    source.write_text(f"{include}#define GP_NAME x\n#define GP_{parameter} float\n{include}")
    made = run([*compiler, *flags, "-c", source, "-o", f"{source}.o"])
    return made.returncode == 0, f"{name_of(header)} compiles, {pathlib.Path(compiler[0]).name}", made.stderr


def check_runs(job):
    """Compiles and runs the program; gives (passed, name, output)."""
    compiler, flags, folder, suffix = job
    source = folder / f"program.{suffix}"
    source.write_text(PROGRAM)
    made = run([*compiler, *flags, "-O1", source, "-o", f"{source}.out"])
    ran = run([f"{source}.out"]) if made.returncode == 0 else made
    return ran.stdout == PRINTED, f"a program of such files, {compiler[0]}", ran.stdout + ran.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cc", type=shlex.split)
    parser.add_argument("--cxx", type=shlex.split)
    parser.add_argument("--nvcc", type=shlex.split)
    options = parser.parse_args()

    results = []
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(2) as pool:
        folder = pathlib.Path(name)
        (folder / "cuda").mkdir()
        (folder / "cuda/cuda_runtime_api.h").touch()
        written = run([sys.executable, SCRIPT, "-o", folder])
        wanted = sorted(map(name_of, public_headers()))
        there = sorted(path.name for path in folder.glob("*.h"))
        results.append((written.returncode == 0 and there == wanted, "every header becomes a file",
                        written.stderr + "\n".join(set(there) ^ set(wanted))))
        wrong = run([sys.executable, SCRIPT, "-o", folder, "no_such.cuh"])
        results.append((wrong.returncode == 1 and "no header no_such.cuh; there are" in wrong.stderr,
                        "a header that is not there is an error", wrong.stderr))

        if options.nvcc:
            flags = ["-std=c++17", "-arch=sm_75", "-x", "cu"]
            results += pool.map(check_compiles, [(options.nvcc, flags, header, folder, "cu") for header in COMPILED])
        for compiler, flags, suffix in ((options.cc, ["-std=gnu11"], "c"), (options.cxx, ["-std=gnu++17"], "cpp")):
            if not compiler:
                continue
            language = ["-x", "c" if suffix == "c" else "c++", *flags]
            targets = TARGETS if suffix == "cpp" else ["CPU"]
            results += pool.map(check_tokens, [(compiler, language, target, header, folder)
                                               for header in public_headers() for target in targets])
            flags += ["-Wall", "-Wextra", "-Werror", "-pthread"]
            results += pool.map(check_compiles, [(compiler, flags, header, folder, suffix) for header in COMPILED])
            results.append(check_runs((compiler, flags, folder, suffix)))
    return report(results)


if __name__ == "__main__":
    sys.exit(main())
