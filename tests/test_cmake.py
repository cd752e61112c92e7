#!/usr/bin/env python3
"""Test of the library in the CMake build of a user's project. TAP on standard output.

    test_cmake.py --meson meson --cc gcc [--cxx g++]
    test_cmake.py --meson meson --nvcc nvcc

The project has one program, which it builds in C and C++ for the CPU backend, and runs. The library comes from what
Meson has installed (find_package), and from its own folder (add_subdirectory, FetchContent). With --nvcc the program is
compiled for CUDA.
"""
import argparse
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from tap import report
from test_parameter_errors import ROOT

PROJECT = """cmake_minimum_required(VERSION 3.20)
project(user LANGUAGES %(languages)s)
%(library)s
foreach(language %(languages)s)
    add_executable(program_${language} program_${language}.cu)
    set_source_files_properties(program_${language}.cu PROPERTIES LANGUAGE ${language})
    target_link_libraries(program_${language} PRIVATE gpuprims::gpuprims)
endforeach()
"""
PROGRAM = """#include <gpuprims/scan.cuh>
#include <stdio.h>

int main(void)
{
    int *d_values, values[3] = {1, 20, 300};

    if (cudaMalloc((void **)&d_values, sizeof values) ||
        cudaMemcpy(d_values, values, sizeof values, cudaMemcpyHostToDevice) ||
        gp_inclusive_scan(d_values, d_values, 3, NULL, 0) ||
        cudaMemcpy(values, d_values, sizeof values, cudaMemcpyDeviceToHost) || cudaFree(d_values))
        return 1;
    printf("%d %d %d of %d.%d", values[0], values[1], values[2], GP_VERSION_MAJOR, GP_VERSION_MINOR);
    return 0;
}
"""

# A project that asks for each version in the list WANTED.
VERSIONS = """cmake_minimum_required(VERSION 3.20)
project(user LANGUAGES NONE)
foreach(wanted IN LISTS WANTED)
    string(REPLACE "_" ";" arguments "${wanted}")
    find_package(gpuprims ${arguments} QUIET CONFIG)
    message(STATUS "wanted ${wanted}: ${gpuprims_FOUND} ${gpuprims_VERSION}")
    unset(gpuprims_DIR CACHE)
endforeach()
"""


def run(command):
    """Runs a command; gives whether it went well, the same with what it printed, and that alone."""
    ran = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         timeout=300, check=False)
    return ran.returncode == 0, f"{shlex.join(map(str, command))}\n{ran.stdout}", ran.stdout


def configure(folder, text, *options):
    """Configures a project; gives what run() gives."""
    folder.mkdir(exist_ok=True)
    (folder / "CMakeLists.txt").write_text(text)
    return run(["cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build", *options])


def build(folder, library, languages, *options):
    """Builds the user's project; gives what run() gives."""
    folder.mkdir()
    for language in languages:
        (folder / f"program_{language}.cu").write_text(PROGRAM)
    configured = configure(folder, PROJECT % {"library": library, "languages": " ".join(languages)}, *options)
    return run(["cmake", "--build", folder / "build", "-j", "2"]) if configured[0] else configured


def check_versions(folder, prefix, version):
    """What find_package takes for the version that it is asked for."""
    major, minor, patch = map(int, version)
    here = f"{major}.{minor}.{patch}"
    will_do = [f"{major}.{minor}", here, f"{here}_EXACT"]
    will_not = [f"{major}.{minor + 1}", f"{major + 1}", f"{major + 1}.0", f"{here}.1", f"{major}.{minor}.{patch + 1}",
                f"{major}.{minor}.{patch + 1}_EXACT"]
    (will_not if major == 0 and minor else will_do).append(f"{major}.0")
    will_not += [f"{major - 1}.9"] if major else []
    _, output, printed = configure(folder, VERSIONS, f"-DCMAKE_PREFIX_PATH={prefix}",
                                   f"-DWANTED={';'.join(will_do + will_not)}")
    found = dict(re.findall(r"^-- wanted (\S+): (\d)", printed, re.M))
    passed = found == {**dict.fromkeys(will_do, "1"), **dict.fromkeys(will_not, "0")}
    return passed, "find_package looks at the version", output


def checks(options, folder):
    """Yields (passed, name, output)."""
    version = re.findall(r"^#define GP_VERSION_\w+ +(\d+)", (ROOT / "gpuprims/gpuprims.h").read_text(), re.M)
    expected = f"1 21 321 of {version[0]}.{version[1]}"

    prefix = folder / "prefix"
    off = [f"-D{name}=disabled" for name in ("tests", "examples", "benchmarks")]
    good, output, _ = run([*options.meson, "setup", folder / "meson", ROOT, "--prefix", prefix, *off])
    if good:
        good, output, _ = run([*options.meson, "install", "-C", folder / "meson"])
    yield good, "meson installs it", output
    moved = prefix.rename(folder / "moved")  # the installed files find each other wherever they are
    others = [str(path) for path in moved.rglob("*.*") if path.suffix not in (".h", ".cuh", ".pc", ".cmake")]
    yield not others, "nothing else is installed", "\n".join(others)

    found = f"set(CMAKE_PREFIX_PATH {moved})\nfind_package(gpuprims {version[0]}.{version[1]} REQUIRED)"
    if options.nvcc:
        architecture, compiler = "-DCMAKE_CUDA_ARCHITECTURES=75", f"-DCMAKE_CUDA_COMPILER={options.nvcc[-1]}"
        good, output, _ = build(folder / "cuda", found, ["CUDA"], architecture, compiler)
        yield good, "find_package: the program compiles as CUDA", output
        return

    yield check_versions(folder / "versions", moved, version)
    ways = {
        "find_package": found,
        "add_subdirectory": f"add_subdirectory({ROOT}/gpuprims gpuprims)",
        "FetchContent": f"""include(FetchContent)
FetchContent_Declare(gpuprims SOURCE_DIR {ROOT} SOURCE_SUBDIR gpuprims)
FetchContent_MakeAvailable(gpuprims)""",
    }
    compilers = {"C": options.cc, "CXX": options.cxx} if options.cxx else {"C": options.cc}
    chosen = [f"-DCMAKE_{language}_COMPILER={compiler[-1]}" for language, compiler in compilers.items()]
    for way, text in ways.items():
        good, output, _ = build(folder / way, text, compilers, *chosen)
        yield good, f"{way}: the programs are built", output
        for language in compilers if good else []:
            good, output, printed = run([folder / way / "build" / f"program_{language}"])
            yield good and printed == expected, f"{way}: the program runs, as {language}", output


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--meson", type=shlex.split, required=True)
    parser.add_argument("--cc", type=shlex.split, default=["gcc"])
    parser.add_argument("--cxx", type=shlex.split)
    parser.add_argument("--nvcc", type=shlex.split)
    options = parser.parse_args()

    if not shutil.which("cmake"):
        print("1..0 # SKIP there is no cmake")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        return report(checks(options, pathlib.Path(folder)))


if __name__ == "__main__":
    sys.exit(main())
