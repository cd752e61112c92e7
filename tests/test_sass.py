#!/usr/bin/env python3
"""No kernel of the tests has what ptxas of CUDA 13.0 gets wrong. TAP.

    test_sass.py --environment FOLDER PROGRAM...   with the cuobjdump of this Python environment, or that of PATH

An address that only some turns of a loop set is added in two halves, under a predicate, and kept in local memory. ptxas
may have the lower half write its carry to that very predicate, and store the half under what is there then. No warning
tells, and only a GPU shows that the address is another one. A kernel that has it must be written otherwise: the address
set in every turn.
"""
import argparse
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from tap import report

CARRIES = re.compile(r"@!?(U?P\d)\s+U?(?:LEA|IADD3|IMAD)\S*\s+\S+,\s+\1,[^;]*;")
INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+([^;]*);")
LOOK = 16  # instructions
FAULT = """
        Function : from_a_segmented_sort
        /*f2a0*/              @P0 LEA R16, P0, R6, R10, 0x2 ;
        /*f2b0*/              @P2 LEA.HI.X R12, R6, R11, R7, 0x2, P0 ;
        /*f2c0*/              @P0 STL [R1+0x98], R16 ;
"""
RIGHT = FAULT.replace("@P0 STL", "@P2 STL")
LATER = FAULT.replace("        /*f2c0*/", "        /*f2b8*/  ISETP.NE.AND P0, PT, RZ, UR27, PT ;\n        /*f2c0*/")


def check_code(text):
    """The faults in what cuobjdump prints of machine code."""
    for carry in CARRIES.finditer(text):
        start = text.rfind("Function : ", 0, carry.start())
        end = text.find("Function : ", carry.end())
        later = text[carry.end():end if end >= 0 else None]
        for after in itertools.islice(INSTRUCTION.finditer(later), LOOK):
            if re.match(rf"@!?{carry[1]}\s", after[1]):
                yield f"{text[start:].splitlines()[0]}: {carry[0]} ... {after[1]}\n"
                break
            if re.match(rf"(@\S+\s+)?\S+\s+(\S+,\s+)?{carry[1]},", after[1]):
                break  # it says something else from here on


def check_program(cuobjdump, program):
    """(passed, name, output), and whether there is any code."""
    path = os.pathsep.join([os.path.dirname(cuobjdump), os.environ["PATH"]])  # nvdisasm is beside it
    environment = {**os.environ, "PATH": path}
    run = subprocess.run([cuobjdump, "-sass", program], capture_output=True, text=True, env=environment)
    found = "".join(check_code(run.stdout))
    passed = run.returncode == 0 and not found
    return (passed, os.path.basename(program), found or run.stderr), "Function : " in run.stdout


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
    with ThreadPoolExecutor() as pool:
        checked = list(pool.map(lambda program: check_program(cuobjdump, program), options.programs))
    return report([(any(check_code(FAULT)), "the fault is found", ""),
                   (not any(check_code(RIGHT + LATER)), "what looks like it is not", ""),
                   (any(has_code for _, has_code in checked), "the programs have machine code", ""),
                   *(result for result, _ in checked)])


if __name__ == "__main__":
    sys.exit(main())
