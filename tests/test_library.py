#!/usr/bin/env python3
"""Test of the shared library, examples/library. TAP on standard output.

    test_library.py --cc gcc [--cxx g++] [--nvcc nvcc] [--csv FILE] LIBRARY FOLDER

FOLDER has gpuprims_library.h. The header compiles alone in C and C++, and declares what the library's table lists and
the library exports, and nothing else is exported; a call that is wrong is refused; the example in plain C runs. With
--nvcc the library is for CUDA; --csv writes how large it is.
"""
import argparse
import ctypes
import datetime
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from tap import report

ROOT = pathlib.Path(__file__).resolve().parents[1]
WARNINGS = ["-Wall", "-Wextra", "-Werror"]


def run(command):
    """Runs a command; gives the exit status and what it printed."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=120, check=False)
    return done.returncode, done.stdout


def exported(table):
    """The functions of the instances, as the table lists them."""
    for header, prefix, parameters in table["instances"]:
        for function in table["functions"][header + ("+VALUE" if "VALUE" in parameters else "")]:
            yield f"{prefix}_{function}"
            yield f"{prefix}_{function}_workspace_bytes"


def check_header(compiler, language, includes, folder):
    """Compiles a file that includes the header twice, and nothing else."""
    source = folder / f"alone.{language}"
    source.write_text('#include "gpuprims_library.h"\n#include "gpuprims_library.h"\n')
    status, output = run([*compiler, *WARNINGS, *includes, "-c", source, "-o", f"{source}.o"])
    return status == 0, f"the header compiles alone, {language}", output


def check_declared(options, table, includes, folder):
    """Links a program that takes the address of each function of the table."""
    source = folder / "all.c"
    names = ",\n    ".join(f"(function *){name}" for name in exported(table))
    source.write_text('#include "gpuprims_library.h"\ntypedef void function(void);\nextern function *const all[];\n'
                      f"function *const all[] = {{\n    {names},\n}};\nint main(void) {{ return !all[0]; }}\n")
    program = folder / "all"
    status, output = run([*options.cc, *includes, "-pthread", source, options.library, "-o", program])
    return status == 0, f"all of its {len(set(exported(table)))} functions are declared and exported", output


def check_exported(options, table):
    """What the library exports is its own."""
    header = (options.folder / "gpuprims_library.h").read_text(encoding="utf-8")
    own = {*exported(table), *re.findall(r"\bgp_library_\w+(?=\()", header)}
    status, output = run(["nm", "-D", "--defined-only", "--format=posix", options.library])
    names = {line.split()[0] for line in output.splitlines()}
    others = sorted(name for name in names - own if not name.startswith("gpi_") and name != "gp_cpu")
    return status == 0 and own <= names and not others, "nothing else is exported", "\n".join([*(own - names), *others])


def check_refused(library):
    """A call with NULL is refused without a GPU, and by words."""
    library.gp_library_error.restype = ctypes.c_char_p
    call = library.gp_i32_sum_reduce
    call.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p]
    status = call(None, None, 5, None, None)
    words = library.gp_library_error(status).decode()
    return status == 1 and words.startswith("gp_i32_sum_reduce: in is NULL"), "a wrong call is refused by words", words


def check_example(options, includes, libraries, folder):
    """The example in plain C, on a GPU if one answers."""
    program = folder / "use"
    source = ROOT / "examples/library/use.c"
    status, output = run([*options.cc, *WARNINGS, *includes, "-pthread", source, options.library, *libraries,
                          f"-Wl,-rpath,{options.library.parent}", "-o", program])
    if status:
        return False, "the example compiles", output
    status, output = run([program])
    if status == 77:
        return True, "the example compiles, and runs # SKIP no GPU answers", output
    return status == 0 and output.endswith("right\n"), "the example compiles, and runs", output


def write_size(options, table):
    """What docs/library.md says of the library."""
    toolkit = re.search(r"release ([\d.]+)", run([*options.nvcc, "--version"])[1])[1] if options.nvcc else ""
    commit = run(["git", "-C", ROOT, "describe", "--always", "--dirty", "--tags"])[1].strip()
    functions = sum(not name.endswith("_workspace_bytes") for name in set(exported(table)))
    options.csv.write_text("bytes,instances,functions,toolkit,commit,date\n"
                           f"{options.library.stat().st_size},{len(table['instances'])},{functions},{toolkit},{commit},"
                           f"{datetime.date.today()}\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cc", type=shlex.split, required=True)
    parser.add_argument("--cxx", type=shlex.split)
    parser.add_argument("--nvcc", type=shlex.split)
    parser.add_argument("--csv", type=pathlib.Path)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    options.library = options.library.resolve()

    includes, libraries = ["-I", options.folder, "-I", ROOT], []
    if options.nvcc:
        toolkit = pathlib.Path(run(["which", options.nvcc[-1]])[1].strip()).resolve().parents[1]
        includes += ["-I", toolkit / "include"]
        libraries = ["-L", toolkit / "lib64", "-lcudart", f"-Wl,-rpath,{toolkit}/lib64"]
    library = ctypes.CDLL(str(options.library))
    library.gp_library_table.restype = ctypes.c_char_p
    table = json.loads(library.gp_library_table())
    whole = any(prefix == "gp_f32_u64_descending" for _, prefix, _ in table["instances"])

    results = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        results.append(check_header([*options.cc, "-std=gnu11"], "c", includes, folder))
        if options.cxx:
            results.append(check_header([*options.cxx, "-std=gnu++17"], "cpp", includes, folder))
        results.append(check_declared(options, table, includes, folder))
        results.append(check_exported(options, table))
        results.append(check_refused(library))
        if whole:
            results.append(check_example(options, includes, libraries, folder))
    if options.csv:
        write_size(options, table)
    return report(results)


if __name__ == "__main__":
    sys.exit(main())
