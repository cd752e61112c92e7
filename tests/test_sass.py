#!/usr/bin/env python3
"""No kernel of the tests has what ptxas of CUDA 13.0 gets wrong. TAP.

    test_sass.py --environment FOLDER PROGRAM...   with the cuobjdump of this Python environment, or that of PATH

An address that only some turns of a loop set is added in two halves, under a predicate, and kept in local memory. ptxas
may have the lower half write its carry to that very predicate, and store the half under what is there then. No warning
tells, and only a GPU shows that the address is another one. A kernel that has it must be written otherwise: the address
set in every turn.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from tap import report

CARRIES = re.compile(r"@!?(U?P\d) U?(?:LEA|IADD3|IMAD)\S* \S+, (U?P\d), ")
LOOK = 16  # instructions
FAULT = """
        Function : from_a_segmented_sort
        /*f2a0*/              @P0 LEA R16, P0, R6, R10, 0x2 ;
        /*f2b0*/              @P2 LEA.HI.X R12, R6, R11, R7, 0x2, P0 ;
        /*f2c0*/              @P0 STL [R1+0x98], R16 ;
"""
RIGHT = FAULT.replace("@P0 STL", "@P2 STL")
LATER = FAULT.replace("        /*f2c0*/", "        /*f2b8*/  ISETP.NE.AND P0, PT, RZ, UR27, PT ;\n        /*f2c0*/")


def check_function(name, lines):
    """The faults of a kernel, as text."""
    for k, line in enumerate(lines):
        carry = CARRIES.match(line)
        if not carry or carry.group(1) != carry.group(2):
            continue
        predicate = carry.group(1)
        for after in lines[k + 1:k + 1 + LOOK]:
            if re.match(rf"@!?{predicate} ", after):
                yield f"{name}: {line} ... {after}\n"
                break
            if re.match(rf"(@\S+ )?\S+ (\S+, )?{predicate},", after):
                break  # it says something else from here on


def check_code(text):
    """The faults in what cuobjdump prints of machine code."""
    name, lines, found = "", [], []
    for line in text.splitlines():
        if "Function : " in line:
            found += check_function(name, lines)
            name, lines = line.split("Function : ")[1], []
        else:
            instruction = re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;", line)
            if instruction:
                lines.append(re.sub(r"\s+", " ", instruction.group(1)))
    return found + list(check_function(name, lines))


def check_program(cuobjdump, program):
    path = os.pathsep.join([os.path.dirname(cuobjdump), os.environ["PATH"]])  # nvdisasm is beside it
    run = subprocess.run([cuobjdump, "-sass", program], capture_output=True, text=True, env={**os.environ, "PATH": path})
    found = check_code(run.stdout)
    passed = run.returncode == 0 and "Function : " in run.stdout and not found
    return passed, os.path.basename(program), "".join(found) or run.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environment", type=pathlib.Path)
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()

    places = options.environment.glob("lib/python3*/site-packages/nvidia/**/cuobjdump") if options.environment else []
    cuobjdump = next(map(str, places), None) or shutil.which("cuobjdump")
    if not cuobjdump:
        print("1..0 # SKIP there is no cuobjdump")
        return 0
    results = [(bool(check_code(FAULT)), "the fault is found", ""),
               (not check_code(RIGHT) and not check_code(LATER), "what looks like it is not", "")]
    with ThreadPoolExecutor(2) as pool:
        return report(results + list(pool.map(lambda program: check_program(cuobjdump, program), options.programs)))


if __name__ == "__main__":
    sys.exit(main())
