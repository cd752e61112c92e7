#!/usr/bin/env python3
"""No kernel has an instruction that GPUs before sm_90 lack: there a call of it would be a trap. TAP.

Each header is compiled to PTX in a few instances, which a kernel's body that only newer GPUs run is not part of. Newer
GPUs run such PTX, too, and have to be able to assemble it.

    test_old_gpus.py --nvcc NVCC [header]...
"""
import argparse
import functools
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
from test_warnings import FEW, TYPES, instances, stem

ARCHITECTURES = ["compute_75", "compute_80"]
NEWER = ["sm_90", "sm_120"]


@functools.lru_cache(None)
def known(nvcc):
    """The newer GPUs that this toolkit has code for."""
    run = subprocess.run([*shlex.split(nvcc), "--list-gpu-code"], capture_output=True, text=True, check=True)
    return [newer for newer in NEWER if newer in run.stdout.split()]


def check(job):
    """Compiles a header; gives (passed, name, output)."""
    nvcc, architecture, header, file = job
    ptx = file.with_suffix(f".{architecture}.ptx")
    command = [*shlex.split(nvcc), "-ptx", f"-arch={architecture}", "-I", str(ROOT), "-o", str(ptx), str(file)]
    run = subprocess.run(command, capture_output=True, text=True)
    output, traps = run.stderr, []
    if run.returncode == 0:
        kernel = ""
        for line in ptx.read_text().splitlines():
            kernel = line if re.search(r"\.(entry|func)\b", line) else kernel
            if re.search(r"\btrap;", line):
                traps.append(kernel)
        output += "".join(f"a trap in {kernel}\n" for kernel in sorted(set(traps)))
    passed = run.returncode == 0 and not traps
    for newer in known(nvcc) if passed else []:
        run = subprocess.run([*shlex.split(nvcc), "-cubin", f"-arch={newer}", "-o", os.devnull, str(ptx)],
                             capture_output=True, text=True)
        passed &= run.returncode == 0
        output += run.stderr
    return passed, f"{header} for {architecture}", output


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("headers", nargs="*")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        jobs = []
        for header in options.headers or [one for one in public_headers() if "GP_API" in parameters(one)]:
            file = pathlib.Path(folder) / f"{stem(header)}.cu"
            file.write_text(TYPES + instances(header, FEW))
            jobs += [(options.nvcc, architecture, header, file) for architecture in ARCHITECTURES]
        return report(pool.map(check, jobs))


if __name__ == "__main__":
    sys.exit(main())
