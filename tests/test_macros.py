#!/usr/bin/env python3
"""An instance leaves no macro behind that depends on it, and none of its parameters.

For each header, the macros that are defined after the include are the same, with the same texts, whatever the
parameters were: none but a name, all that the header takes, or all with other values. And they are the same behind all
headers, in whichever order these come: what one header leaves behind changes nothing for the next. TAP on standard output.

    test_macros.py --cc gcc [--cxx g++]...
"""
import argparse
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from tap import report
from test_parameter_errors import PAIR, PARAMETERS, ROOT, alternatives, parameters, public_headers

# Every value differs from those in PARAMETERS, and what is defined or not is left out.
OTHERS = {
    "GP_TYPE": "unsigned char",
    "GP_OP": "GP_MIN",
    "GP_INPUT_TYPE": "char",
    "GP_LOAD(x)": "(x)",
    "GP_LOAD_AT(in, i)": "((unsigned char)(i))",
    "GP_STORE_AT(out, i, x)": "((out)[i] = (x) + 1)",
    "GP_KEY": "float",
    "GP_VALUE": "char",
    "GP_LESS(a, b)": "((a) > (b))",
    "GP_EQUAL(a, b)": "((a) + 1 == (b))",
    "GP_PRED(x)": "((x) > 2)",
    "GP_BIN(x, bins)": "((x) / (bins))",
    "GP_INDEX": "long",
    "GP_BLOCK": "128",
    "GP_ITEMS": "1",
    "GP_API": "static inline",
    "GP_KERNEL": "GP_KERNEL_PIPELINED",
    "GP_GRID": "7",
}

# The code of a GPU is not that of the CPU backend.
TARGETS = {
    "CPU": [],
    "host": ["-D__CUDACC__", "-D__NVCC__"],
    "sm_75": ["-D__CUDACC__", "-D__NVCC__", "-D__CUDA_ARCH__=750"],
    "sm_90": ["-D__CUDACC__", "-D__NVCC__", "-D__CUDA_ARCH__=900"],
}


def instances(header):
    """The parameters of each instance, as they are defined."""
    known = parameters(header)
    known -= alternatives(known)
    for values in {}, PARAMETERS, OTHERS:
        values = {name: value for name, value in values.items() if re.match(r"\w+", name)[0] in known}
        if "GP_KEY_KIND" in values:  # for types that C has no order for
            values["GP_KEY"] = "pair"
        yield "#define GP_NAME x\n" + "".join(f"#define {name} {value}\n" for name, value in values.items())


def macros(compiler, flags, includes):
    """What the preprocessor knows after some includes, and its complaints."""
    code = f"#include <gpuprims/gpuprims.h>\n{PAIR}{includes}"
    run = subprocess.run([*compiler, *flags, "-E", "-dM", "-I", str(ROOT), "-"],
                         input=code, capture_output=True, text=True)
    return set(run.stdout.splitlines()), run.stderr


def orders():
    """All headers, one way round and the other."""
    headers = list(filter(parameters, public_headers()))
    for order in headers, headers[::-1]:
        yield "".join(f"#define GP_NAME x{number}\n#include <gpuprims/{header}>\n" for number, header in enumerate(order))


def check(job):
    """Compares the instances of a header, or the orders of all; gives (passed, name, output)."""
    compiler, flags, header, target = job
    includes = [f"{one}#include <gpuprims/{header}>\n" for one in instances(header)] if header else orders()
    after, complaints = zip(*(macros(compiler, flags, one) for one in includes))
    wrong = sorted(set.union(*after) - set.intersection(*after))
    wrong += sorted(line for line in after[0] if re.match(rf"#define ({'|'.join(sorted(ALL))})\b", line))
    passed = not wrong and not any(complaints) and len(after[0]) > 100
    name = f"{compiler[0].split('/')[-1]}, {target}, {header or 'all headers, in both orders'}"
    return passed, name, "\n".join([*wrong, *complaints])


ALL = {re.match(r"\w+", name)[0] for name in PARAMETERS} | {"GP_NAME"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cc", action="append", default=[])
    parser.add_argument("--cxx", action="append", default=[])
    options = parser.parse_args()

    languages = [(shlex.split(one), ["-x", "c", "-std=c11"], ["CPU"]) for one in options.cc]
    languages += [(shlex.split(one), ["-x", "c++", "-std=c++17"], TARGETS) for one in options.cxx[:1]]
    jobs = [(compiler, flags + TARGETS[target], header, target)
            for compiler, flags, targets in languages
            for header in [None, *filter(parameters, public_headers())] for target in targets]
    with ThreadPoolExecutor(2) as pool:
        return report(pool.map(check, jobs))


if __name__ == "__main__":
    sys.exit(main())
