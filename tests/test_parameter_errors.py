#!/usr/bin/env python3
"""Each mistake in the parameters of a header is one readable error that names header and macro.

Which mistakes a header can meet follows from the parameters that it takes: every other one of the list is a mistake, too.
TAP on standard output.

    test_parameter_errors.py --cc gcc [--cxx g++]... [--nvcc nvcc]
"""
import argparse
import itertools
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from tap import report

ROOT = pathlib.Path(__file__).resolve().parent.parent

PAIR = """typedef struct pair { int first, last; } pair;
static __host__ __device__ inline pair join(pair a, pair b) { a.last = b.last; return a; }
"""

STRUCT = "typedef struct word { unsigned char of[4]; } word;\n"
PAIRS = "typedef struct pairs { unsigned of[4]; } pairs;\n"

# Each mistake: a name, the parameter that the header must have, the code before the include, and the
# macros that its errors name, one error each. An empty tuple: no mistake, and no error.
MISTAKES = [
    ("nothing", "GP_NAME", "", ()),
    ("a name alone", "GP_NAME", "#define GP_NAME x\n", ()),
    ("a type without a name", "GP_TYPE", "#define GP_TYPE short\n", ("GP_NAME",)),
    ("a block without a name", "GP_BLOCK", "#define GP_BLOCK 64\n", ("GP_NAME",)),
    ("an operator without a name", "GP_OP", "#define GP_OP GP_MAX\n", ("GP_NAME",)),
    ("an api without a name", "GP_API", "#define GP_API static\n", ("GP_NAME",)),
    ("a predicate without a name", "GP_PRED", "#define GP_PRED(x) ((x) > 1)\n", ("GP_NAME",)),
    ("an order of one's own without a name", "GP_LESS", "#define GP_LESS(a, b) ((a) > (b))\n", ("GP_NAME",)),
    ("an order and its context", "GP_LESS",
     "#define GP_NAME x\n#define GP_CONTEXT int\n#define GP_LESS(a, b, c) ((a) % (c) < (b) % (c))\n", ()),
    ("a key without a name", "GP_KEY", "#define GP_KEY float\n", ("GP_NAME",)),
    ("a kind of key without a name", "GP_KEY_KIND", STRUCT + "#define GP_KEY word\n#define GP_KEY_KIND GP_FLOAT\n",
     ("GP_NAME",)),
    ("a key that is a struct", "GP_KEY_KIND", STRUCT + "#define GP_NAME x\n#define GP_KEY word\n", ("GP_KEY_KIND",)),
    ("a kind of arithmetic key", "GP_KEY_KIND",
     "#define GP_NAME x\n#define GP_KEY float\n#define GP_KEY_KIND GP_FLOAT\n", ("GP_KEY_KIND",)),
    ("a kind of key that there is not", "GP_KEY_KIND",
     STRUCT + "#define GP_NAME x\n#define GP_KEY word\n#define GP_KEY_KIND float\n", ("GP_KEY_KIND",)),
    ("a struct and its kind", "GP_KEY_KIND",
     STRUCT + "#define GP_NAME x\n#define GP_KEY word\n#define GP_KEY_KIND GP_SIGNED\n", ()),
    ("a key of 16 bytes", "GP_KEY_KIND", PAIRS + "#define GP_NAME x\n#define GP_KEY pairs\n", ("GP_KEY",)),
    ("a value without a name", "GP_VALUE", "#define GP_VALUE double\n", ("GP_NAME",)),
    ("a key and a value", "GP_VALUE",
     PAIR + "#define GP_NAME x\n#define GP_KEY double\n#define GP_VALUE pair\n", ()),
    ("an order without a name", "GP_DESCENDING", "#define GP_DESCENDING\n", ("GP_NAME",)),
    ("keys and values, descending", "GP_VALUE",
     PAIR + "#define GP_NAME x\n#define GP_KEY double\n#define GP_VALUE pair\n#define GP_DESCENDING\n", ()),
    ("a load without a name", "GP_LOAD", "#define GP_LOAD(x) ((x) + 1)\n", ("GP_NAME",)),
    ("a load by places without a name", "GP_LOAD_AT", "#define GP_LOAD_AT(in, i) ((in)[i] + 1)\n", ("GP_NAME",)),
    ("a store by places without a name", "GP_STORE_AT", "#define GP_STORE_AT(out, i, x) ((out)[i] = (x))\n",
     ("GP_NAME",)),
    ("a count on the device without a name", "GP_DEVICE_N", "#define GP_DEVICE_N\n", ("GP_NAME",)),
    ("a load and a load by places", "GP_LOAD_AT",
     "#define GP_NAME x\n#define GP_LOAD(x) ((x) + 1)\n#define GP_LOAD_AT(in, i) ((in)[i] + 1)\n", ("GP_LOAD",)),
    ("a store by places and its context", "GP_STORE_AT",
     "#define GP_NAME x\n#define GP_CONTEXT int\n#define GP_STORE_AT(out, i, x, c) ((out)[i] = (x) + (c))\n", ()),
    ("an operator and its identity", "GP_IDENTITY",
     PAIR + "#define GP_NAME x\n#define GP_TYPE pair\n#define GP_OP join\n#define GP_IDENTITY {0, 0}\n", ()),
    ("an operator without identity", "GP_IDENTITY",
     "#define GP_NAME x\n#define GP_OP(a, b) ((a) * (b))\n", ("GP_IDENTITY",)),
    ("an operator of structs without identity", "GP_IDENTITY",
     PAIR + "#define GP_NAME x\n#define GP_TYPE pair\n#define GP_OP join\n", ("GP_IDENTITY",)),
    ("an identity without operator", "GP_IDENTITY",
     "#define GP_NAME x\n#define GP_IDENTITY 5\n", ("GP_OP",)),
    ("an identity of structs without operator", "GP_IDENTITY",
     PAIR + "#define GP_NAME x\n#define GP_TYPE pair\n#define GP_IDENTITY {0, 0}\n", ("GP_OP",)),
    ("an operator without name and identity", "GP_IDENTITY",
     "#define GP_OP(a, b) ((a) * (b))\n", ("GP_NAME", "GP_IDENTITY")),
    ("a context that nothing receives", "GP_CONTEXT",
     "#define GP_NAME x\n#define GP_CONTEXT int\n", ("GP_LOAD|GP_PRED|GP_LESS|GP_EQUAL|GP_BIN",)),
    ("a block of 0", "GP_BLOCK", "#define GP_NAME x\n#define GP_BLOCK 0\n", ("GP_BLOCK",)),
    ("a block of 100", "GP_BLOCK", "#define GP_NAME x\n#define GP_BLOCK 100\n", ("GP_BLOCK",)),
    ("a block of 2048", "GP_BLOCK", "#define GP_NAME x\n#define GP_BLOCK 2048\n", ("GP_BLOCK",)),
    ("a block of 1024", "GP_BLOCK", "#define GP_NAME x\n#define GP_BLOCK 1024\n", ()),
    ("no items", "GP_ITEMS", "#define GP_NAME x\n#define GP_ITEMS 0\n", ("GP_ITEMS",)),
]

# Every parameter besides GP_NAME: those of the list, as a header may well be given them, with a context where there are
# both.
LIST = (ROOT / "gpuprims/core/instance/parameters.cuh").read_text(encoding="utf-8")
LISTED = set(re.findall(r'^#pragma push_macro\("(\w+)"\)', LIST, re.M))
VALUES = {
    "GP_TYPE": "long",
    "GP_OP(a, b)": "((a) * (b))",
    "GP_IDENTITY": "1",
    "GP_INPUT_TYPE": "short",
    "GP_LOAD(x, c)": "((long)(x) + (c))",
    "GP_LOAD_AT(in, i, c)": "((long)(in)[i] + (c))",
    "GP_STORE_AT(out, i, x, c)": "((out)[i] = (x))",
    "GP_KEY": "double",
    "GP_KEY_KIND": "GP_FLOAT",
    "GP_VALUE": "pair",
    "GP_DESCENDING": "",
    "GP_LESS(a, b, c)": "((a) % (c) < (b) % (c))",
    "GP_EQUAL(a, b, c)": "((a) == (b))",
    "GP_PRED(x, c)": "((x) % (c))",
    "GP_BIN(x, bins, c)": "((x) % (bins))",
    "GP_CONTEXT": "int",
    "GP_INDEX": "unsigned",
    "GP_DEVICE_N": "",
    "GP_BLOCK": "64",
    "GP_ITEMS": "2",
    "GP_API": "static __attribute__((unused))",
    "GP_KERNEL": "GP_KERNEL_SIMPLE",
    "GP_GRID": "3",
}
PARAMETERS = {name: value for name, value in VALUES.items() if re.match(r"\w+", name)[0] in LISTED}
PARAMETERS |= {name: "1" for name in LISTED - {re.match(r"\w+", value)[0] for value in VALUES} - {"GP_NAME"}}

# Types that are a byte too large for a header: which, the parameters, and what the error says.
BIG = "typedef struct big { char bytes[%d]; } big;\n#define GP_NAME x\n"
ORDER = "#define GP_LESS(a, b) ((a).bytes[0] < (b).bytes[0])\n"
FOLD = ("static __host__ __device__ inline big join(big a, big b) { (void)a; return b; }\n"
        "#define GP_TYPE big\n#define GP_OP join\n#define GP_IDENTITY {{0}}\n")
INPUT = "#define GP_INPUT_TYPE big\n#define GP_LOAD(x) ((x).bytes[0])\n"
VALUE = "#define GP_TYPE int\n#define GP_VALUE big\n"
TOO_LARGE = [
    (r"scan\.cuh|reduce\.cuh|(warp|block)/.*(scan|reduce)\.cuh|.*/shuffle_scan\.cuh", 1024, FOLD,
     "GP_TYPE has more than 1024 bytes"),
    (r"scan\.cuh|reduce\.cuh", 1024, INPUT, "GP_INPUT_TYPE has more than 1024 bytes"),
    (r"compact\.cuh", 1024, "#define GP_TYPE big\n#define GP_PRED(x) ((x).bytes[0])\n",
     "GP_TYPE has more than 1024 bytes"),
    (r"merge(_sort)?\.cuh", 1024, "#define GP_TYPE big\n" + ORDER, "GP_TYPE has more than 1024 bytes"),
    (r"merge_sort\.cuh", 1020, VALUE, "GP_TYPE and GP_VALUE together have more than 1024 bytes"),
    (r"classic/(bitonic|odd_even_merge)_sort\.cuh", 16380, "#define GP_VALUE big\n",
     "GP_KEY and GP_VALUE together have more than 16384 bytes"),
    (r"classic/shared_scan\.cuh", 16384, FOLD, "GP_TYPE has more than 16384 bytes"),
    (r"classic/split_sort\.cuh", 8, "#define GP_TYPE big\n", "GP_TYPE has more than 8 bytes"),
]

# What the other compilers are asked about, too: one header of each kind.
SOME = ["scan.cuh", "compact.cuh", "radix_sort.cuh", "block/block_reduce.cuh", "host/cpu_scan.h"]


def parameters(header):
    """The parameters that a header takes; none, if it stamps out no instance."""
    text = (ROOT / "gpuprims" / header).read_text(encoding="utf-8")
    match = re.search(r"^#define GPI_TAKES((?:.*\\\n)*.*)", text, re.M)
    return {"GP_NAME"} | {f"GP_{word}" for word in re.findall(r"GPI_TAKES_(\w+)", match[1])} if match else set()


def documented(header):
    """The parameters that its banner lists."""
    banner = (ROOT / "gpuprims" / header).read_text(encoding="utf-8").split("*/")[0]
    match = re.search(r"\* Parameters(.*?)\n \* (?:Generates|\n)", banner, re.S)
    return set(re.findall(r"GP_[A-Z_]+\b", match[1])) & LISTED if match else set()


def check_banner(header):
    """A header takes what its banner says; gives (passed, name, output)."""
    different = parameters(header) ^ documented(header)
    return not different, f"{header}: its banner", " ".join(sorted(different))


def public_headers():
    """All that users may include: core/ is for these alone."""
    folder = ROOT / "gpuprims"
    headers = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*h"))
    return [header for header in headers if "core" not in header.split("/")]


def alternatives(known):
    """The parameters of a header that another of its parameters takes the place of."""
    return {"GP_LOAD"} if {"GP_LOAD", "GP_LOAD_AT"} <= known else set()


def defined(code):
    """The parameters that a piece of code defines, besides GP_NAME."""
    return set(re.findall(r"#define (GP_[A-Z_]+)", code)) - {"GP_NAME"}


def mistakes(header):
    """Those that a header can meet, each with its code and the complaints that are wanted, in any order.

    Where they end with None, the others come first, and what follows them does not matter.
    """
    known = parameters(header)
    path = re.escape(f"gpuprims/{header}")
    for name, parameter, code, macros in MISTAKES:
        if parameter in known and defined(code) <= known:
            yield name, code, [rf"error.*{path}: ({macro}) (is missing|must be)" for macro in macros]

    def given(is_wanted):
        values = dict(PARAMETERS, GP_KEY="pair") if "GP_KEY_KIND" in known else PARAMETERS
        return "".join(f"#define {macro} {value}\n" for macro, value in values.items()
                       if is_wanted(re.match(r"\w+", macro)[0]))

    def refused(code):
        return [rf'^{path}[:(]\d+\D.*error.*"{macro} is not a parameter of this header"' for macro in defined(code)]

    others = given(lambda macro: macro not in known)
    taken = given(lambda macro: macro in known - alternatives(known))
    if "GP_KEY_KIND" in known: # which is for types that C has no order for
        taken = taken.replace("GP_KEY double", "GP_KEY pair")
    yield "all that it takes", PAIR + "#define GP_NAME x\n" + taken, []
    yield "all that it does not take", PAIR + "#define GP_NAME x\n" + others, refused(others)
    yield "all that it does not take, without a name", PAIR + others, refused(others)

    if header in ("compact.cuh", "histogram.cuh", "run_length.cuh"): # in the others it is converted
        yield "an input type without a load by places", "#define GP_NAME x\n#define GP_INPUT_TYPE short\n", [
            rf"error.*{path}: GP_LOAD_AT is missing"]
    if header in SOME[:2]:
        yield "a misspelt parameter", "#define GP_NAME x\n#define GP_TPYE float\n", [
            r"warning: macro \"GP_TPYE\" is not used|:3:\d+: warning: macro is not used"] # gcc, clang
    include = f"#include <gpuprims/{header}>\n"
    word = re.search(r"\w+(?=\.)", header)[0]
    yield "twice under one name", f"#define GP_NAME x\n{include}#define GP_NAME x\n", [
        rf"error.*gpuprims_{word}_is_included_twice_under_the_name_x\b", None]
    yield "twice with nothing", include, []
    for pattern, most, code, what in TOO_LARGE:
        if re.fullmatch(pattern, header):
            if header != "classic/split_sort.cuh":
                yield f"a type of {most} bytes", BIG % most + code, []
            yield f"a type of {most + 1} bytes", BIG % (most + 1) + code, [rf"error.*{path}: {what}", None]


def check(job):
    """Compiles one mistake; gives (passed, name, output)."""
    kind, compiler, header, (name, code, errors), folder = job
    suffix = {"cc": ".c", "cxx": ".cpp", "nvcc": ".cu"}[kind]
    source = folder / f"{abs(hash((kind, str(compiler), header, name)))}{suffix}"
    source.write_text(f"#include <gpuprims/gpuprims.h>\n{code}#include <gpuprims/{header}>\n")
    flags = {
        "cc": ["-std=gnu11", "-Wall", "-Wextra", "-Wunused-macros", "-fsyntax-only"],
        "cxx": ["-std=gnu++17", "-Wall", "-Wextra", "-Wunused-macros", "-fsyntax-only"],
        "nvcc": ["-std=c++17", "-arch=sm_75", "-c", "-o", str(source) + ".o"],
    }[kind]
    run = subprocess.run(compiler + flags + ["-I", str(ROOT), str(source)], capture_output=True, text=True)
    output = run.stdout + run.stderr
    complaints = [line for line in output.splitlines()
                  if re.match(r"\S+(:\d+)+: (fatal error|error|warning)|\S+\(\d+\): (error|warning)", line)]
    if errors and errors[-1] is None:
        errors = errors[:-1]
        complaints = complaints[: len(errors)]
    passed = len(complaints) == len(errors)
    passed = passed and (run.returncode != 0) == any("error" in error for error in errors)
    passed = passed and all(any(re.search(error, line) for line in complaints) for error in errors)
    return passed, f"{pathlib.Path(compiler[0]).name}, {header}: {name}", output


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cc", action="append", default=[])
    parser.add_argument("--cxx", action="append", default=[])
    parser.add_argument("--nvcc", action="append", default=[])
    options = parser.parse_args()

    jobs = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("cc", "cxx", "nvcc"):
            for compiler in getattr(options, kind):
                for header in filter(parameters, public_headers()):
                    some = header in SOME[: 3 if kind == "nvcc" else None]
                    if (kind == "cc" and compiler == options.cc[0]) or some:
                        jobs += [(kind, shlex.split(compiler), header, mistake, pathlib.Path(folder))
                                 for mistake in mistakes(header)
                                 if kind != "nvcc" or any("error" in (error or "") for error in mistake[2])]
        with ThreadPoolExecutor(2) as pool:
            banners = map(check_banner, filter(parameters, public_headers()) if options.cc else [])
            return report(itertools.chain(banners, pool.map(check, jobs)))


if __name__ == "__main__":
    sys.exit(main())
