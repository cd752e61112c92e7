#!/usr/bin/env python3
"""Finds the best constants of gpuprims/core/tuning.cuh for this GPU.

Builds variants of a primitive with other tile shapes and block sizes, measures them with gpbench, which
checks every result first, and prints the best as lines of that header. Shapes that decide the fold order
of floats are not among them.
"""
import argparse
import concurrent.futures
import csv
import itertools
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HEADER = ROOT / "gpuprims/core/tuning.cuh"

# One row per primitive. Each line of "shapes" is tuned on its own, on the instances that it affects:
# (template, #defines of the instance) as in meson.build. "valid" leaves out what cannot be built.
PRIMITIVES = {
    "compact": [
        {
            "shapes": {
                "GPI_TUNE_COMPACT_THREADS": [128, 256, 512],
                "GPI_TUNE_COMPACT_ITEMS": [8, 12, 16, 20, 24, 32],
            },
            "instances": [
                ("bench_compact.h", {"PRIMITIVE": "compact", "IN": "u32"}),
                ("bench_compact.h", {"PRIMITIVE": "compact", "IN": "u8"}),
            ],
        },
        {
            "shapes": {"GPI_TUNE_COMPACT_BYTES": [32, 64, 96, 128, 192, 256]},
            "instances": [("bench_compact.h", {"PRIMITIVE": "compact", "IN": "u64"})],
        },
    ],
}


class Problem(Exception):
    """What goes to standard error as one sentence."""


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        prog="gpbench tune", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("primitive", choices=sorted(PRIMITIVES))
    parser.add_argument("--sizes", metavar="LIST", help="as for gpbench (default 2^20,2^24,2^28; CPU 2^12)")
    parser.add_argument("--repeat", type=int, default=15, metavar="N", help="timed runs (default 15)")
    parser.add_argument(
        "--rounds", type=int, default=3, metavar="N",
        help="how often every variant is measured, all of them in turn (default 3)",
    )
    parser.add_argument("--arch", help="of the GPU, as sm_90 (default: this machine's)")
    parser.add_argument("--cpu", action="store_true", help="try it out on the CPU backend, with gcc")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N variants of each shape")
    options = parser.parse_args(arguments)
    for name in ("repeat", "rounds", "limit"):
        if getattr(options, name) is not None and getattr(options, name) < 1:
            parser.error(f"--{name} takes a number from 1")
    options.sizes = options.sizes or ("2^12" if options.cpu else "2^20,2^24,2^28")
    return options


def constants():
    """What the header says now."""
    return {name: int(value) for name, value in re.findall(r"^#define (GPI_TUNE_\w+) (\d+)$", HEADER.read_text(), re.M)}


class Builder:
    """Compiles gpbench with one instance, once per variant; what variants share is compiled once."""

    def __init__(self, options, folder):
        self.folder = folder
        self.suffix = ".c" if options.cpu else ".cu"
        common = ["-I", str(ROOT), "-I", str(HERE), f'-DGPBENCH_SOURCE="{HERE}"']
        if options.cpu:
            self.compiler = [os.environ.get("CC", "gcc"), "-std=gnu11", "-O2", "-fwrapv", "-ffp-contract=off",
                             "-pthread", *common]
        else:
            nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
            self.compiler = [nvcc, f"-arch={options.arch or 'native'}", "-std=c++17", "-O3", "-fmad=false",
                             "-DGPBENCH_NO_CUB", *common]
        self.shared = {}

    def run(self, *arguments):
        try:
            result = subprocess.run([*self.compiler, *arguments], capture_output=True, text=True, check=False)
        except OSError as error:
            raise Problem(f"cannot run {self.compiler[0]}: {error.strerror}") from None
        if result.returncode:
            raise Problem(f"{' '.join(arguments)} does not compile:\n{result.stderr}")

    def compile(self, name, text, flags=()):
        source = self.folder / (name + self.suffix)
        source.write_text(text)
        target = self.folder / (name + ".o")
        self.run(*flags, "-c", str(source), "-o", str(target))
        return str(target)

    def main_objects(self):
        if not self.shared:
            table = (HERE / "instances.in").read_text()
            table = table.replace("@DECLARATIONS@", "extern const bench_instance tuned_instance;")
            table = table.replace("@ROWS@", "    &tuned_instance,")
            commit = '#include "bench.h"\nGP_EXTERN_C const char *gpbench_commit(void);\n' \
                     'const char *gpbench_commit(void)\n{\n    return "tuning";\n}\n'
            self.shared = [
                self.compile("main", f'#include "{HERE}/gpbench.cu"\n'),
                self.compile("instances", table),
                self.compile("commit", commit),
            ]
        return self.shared

    def build(self, instance, shape):
        template, values = instance
        values = {"INSTANCE": "tuned", "TYPE": values["IN"], "OUT": values["IN"], **values}
        flags = [f"-D{name}={value}" for name, value in shape.items()]
        name = "_".join([values["PRIMITIVE"], values["TYPE"], *map(str, shape.values())])
        text = "".join(f"#define BENCH_{key} {value}\n" for key, value in values.items())
        instance_object = self.compile(name, text + f'#include "{template}"\n', flags)
        program = self.folder / name
        self.run(*self.main_objects(), instance_object, "-lm", "-o", str(program))
        return program


def measure(program, options):
    """The medians of one run, one per size; None if the variant is wrong or cannot run."""
    target = str(program) + ".csv"
    command = [str(program), "--filter", "gpuprims", "--sizes", options.sizes, "--repeat", str(options.repeat),
               "--csv", target]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode == 77:
        raise Problem(result.stderr.strip().removeprefix("gpbench: "))
    if result.returncode:
        print(f"  {program.name}: {result.stderr.strip().splitlines()[0]}", file=sys.stderr)
        return None
    with open(target, newline="", encoding="utf-8") as stream:
        return {row["n"]: float(row["median_ms"]) for row in csv.DictReader(stream)}


def variants(task, options):
    """Every combination, the present one first."""
    names = list(task["shapes"])
    now = constants()
    present = tuple(now[name] for name in names)
    shapes = [present] + [s for s in itertools.product(*task["shapes"].values()) if s != present]
    return [dict(zip(names, shape)) for shape in shapes[: options.limit]]


def tune(task, options, builder, found):
    """The best shape: the least geometric mean, over instances and sizes, of time relative to the present.

    `found` are the constants that were tuned before, which hold from then on.
    """
    shapes = variants(task, options)
    if sys.stderr.isatty():
        print(f"compiling {len(shapes)} variants", end="", file=sys.stderr)
    builder.main_objects()  # once, before several threads ask for them
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        programs = list(pool.map(
            lambda shape: [builder.build(i, {**found, **shape}) for i in task["instances"]], shapes))
    times = [[{} for _ in task["instances"]] for _ in shapes]
    wrong = set()
    for round_number in range(options.rounds):
        for i, row in enumerate(programs):
            if sys.stderr.isatty():
                print(f"\r\033[Kround {round_number + 1}, variant {i + 1} of {len(shapes)}", end="", file=sys.stderr)
            for k, program in enumerate(row):
                medians = measure(program, options) if i not in wrong else None
                if medians is None:
                    wrong.add(i)
                    break
                for n, ms in medians.items():
                    times[i][k].setdefault(n, []).append(ms)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    if 0 in wrong:
        raise Problem("the present constants give a wrong result, so there is nothing to compare with")
    return rank(shapes, times, wrong)


def rank(shapes, times, wrong):
    def best(i, k, n):  # noise only ever adds to a time
        return min(times[i][k][n])

    ranking = []
    for i, shape in enumerate(shapes):
        if i in wrong:
            continue
        ratios = [best(i, k, n) / best(0, k, n) for k in range(len(times[i])) for n in times[0][k]]
        ranking.append((math.exp(statistics.fmean(map(math.log, ratios))), i, shape))
    ranking.sort()
    for mean, i, shape in ranking:
        text = " ".join(f"{name}={value}" for name, value in shape.items())
        print(f"/* {mean:6.3f} of the present time: {text}{' (present)' if i == 0 else ''} */")
    return ranking[0][2]


def main():
    options = parse_arguments(sys.argv[1:])
    best = {}
    try:
        with tempfile.TemporaryDirectory(prefix="gpbench-tune.") as folder:
            builder = Builder(options, pathlib.Path(folder))
            for task in PRIMITIVES[options.primitive]:
                best.update(tune(task, options, builder, best))
    except Problem as problem:
        print(f"gpbench tune: {problem}", file=sys.stderr)
        return 77 if "no GPU answers" in str(problem) else 1
    print()
    for name, value in best.items():
        print(f"#ifndef {name}\n#define {name} {value}\n#endif")
    return 0


if __name__ == "__main__":
    sys.exit(main())
