#!/usr/bin/env python3
"""Finds the best constants of gpuprims/core/*/tuning.cuh for this GPU.

Builds variants of a primitive with other tile shapes and block sizes, measures them with gpbench, which
checks every result first, and prints the best as lines of their headers. Shapes that decide the fold order
of floats are not among them.

Needs nvcc and this source tree, no build folder: `python3 tests/benchmark/tune.py PRIMITIVE` is the same
as `gpbench tune PRIMITIVE`. What happens is told on standard error, one line per measured variant; the
ranking and the constants go to standard output.
"""
import argparse
import concurrent.futures
import csv
import ctypes
import itertools
import math
import os
import pathlib
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import row_files

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HEADERS = sorted((ROOT / "gpuprims/core").glob("*/tuning.cuh"))

# By primitive, from the row files. Each of its tasks is tuned on its own: the constants with the values to try, all
# of them combined, and the instances that they affect, which are (template, #defines).
PRIMITIVES = row_files.joined("TUNE")


class Problem(Exception):
    """What goes to standard error as one sentence."""


def tell(text):
    print(text, file=sys.stderr, flush=True)


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
    parser.add_argument("--arch", default="native", help="of the GPU, as sm_90 (default: this machine's)")
    parser.add_argument("--cpu", action="store_true", help="try it out on the CPU backend, with gcc")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N variants of each shape")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N",
                        help="compilers at a time (default: as many as there are processors)")
    parser.add_argument("--timeout", type=int, default=300, metavar="SECONDS",
                        help="for one compiler run and for one measurement; a variant that takes longer is left "
                             "out (default 300)")
    parser.add_argument("--dry-run", action="store_true", help="print the variants and stop")
    options = parser.parse_args(arguments)
    for name in ("repeat", "rounds", "limit", "jobs", "timeout"):
        if getattr(options, name) is not None and getattr(options, name) < 1:
            parser.error(f"--{name} takes a number from 1")
    options.sizes = options.sizes or ("2^12" if options.cpu else "2^20,2^24,2^28")
    return options


# ---- running programs ----

LIVE = set()


def kill(process):
    """With all that it has started: nvcc itself only waits for its compilers."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run(command, seconds):
    """Exit status, standard output and standard error."""
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   start_new_session=True)
    except OSError as error:
        raise Problem(f"cannot run {command[0]}: {error.strerror}") from None
    LIVE.add(process)
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        kill(process)
        process.communicate()
        raise Problem(f"took more than {seconds} s") from None
    finally:
        LIVE.discard(process)
    return process.returncode, out, err


def require_gpu():
    """Before minutes go into compiling for it. Only the driver can tell, and it needs no compiler."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        raise Problem("no GPU answers: libcuda.so.1, the driver, is not there; --cpu tries it out") from None
    count = ctypes.c_int(0)
    if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)) or count.value == 0:
        raise Problem("no GPU answers to the driver; --cpu tries it out without one")


# ---- building ----

class Builder:
    """Compiles gpbench with one instance, once per variant; what variants share is compiled once."""

    def __init__(self, options, folder):
        self.folder = folder
        self.options = options
        self.suffix = ".c" if options.cpu else ".cu"
        flags = ["-fwrapv", "-ffp-contract=off"]
        if options.cpu:
            compiler = shlex.split(os.environ.get("CC", "gcc"))
            flags = ["-std=gnu11", "-O2", "-pthread", *flags]
        else:
            compiler = [shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"]
            flags = [f"-arch={options.arch}", "-std=c++17", "-O3", "-fmad=false", "-Xcompiler=" + ",".join(flags)]
        if not shutil.which(compiler[0]):
            raise Problem(f"there is no {compiler[0]}; " + (
                "CC names the C compiler" if options.cpu else "put the nvcc of a CUDA Toolkit on the PATH"))
        self.compiler = [*compiler, *flags, "-I", str(ROOT), "-I", str(HERE), f'-DGPBENCH_SOURCE="{HERE}"']

    def compile(self, name, text, flags=()):
        source = self.folder / (name + self.suffix)
        source.write_text(text)
        self.run(name, *flags, "-c", str(source), "-o", str(source.with_suffix(".o")))
        return str(source.with_suffix(".o"))

    def run(self, name, *arguments):
        try:
            status, _, errors = run([*self.compiler, *arguments], self.options.timeout)
        except Problem as problem:
            raise Problem(f"compiling {name} {problem}") from None
        if status:
            first = re.search(r"^.*\berror\b.*$", errors, re.M)  # the others mostly follow from it
            raise Problem(f"{name} does not compile: {first.group() if first else errors.strip()}")

    def shared_sources(self, task):
        """Of all variants: the program, and CUB's side, which judges the results of large sizes."""
        table = (HERE / "instances.in").read_text()
        table = table.replace("@DECLARATIONS@", "extern const bench_instance tuned_instance;")
        table = table.replace("@ROWS@", "    &tuned_instance,").replace("@SAMPLE@", "")
        commit = '#include "bench.h"\nGP_EXTERN_C const char *gpbench_commit(void);\n' \
                 'const char *gpbench_commit(void)\n{\n    return "tuning";\n}\n'
        sources = {"main": f'#include "{HERE}/gpbench.cu"\n', "instances": table, "commit": commit}
        if not self.options.cpu:
            sources["cub_version"] = f'#include "{HERE}/cub_version.cu"\n'
            for number, (template, values) in enumerate(task["instances"]):
                sources[f"cub{number}"] = instance_text(f"bench_{template}_cub.h", values)
        return sources

    def build(self, task, shapes):
        """The programs of each shape, one per instance, or the Problem that there is with it."""
        numbers = range(len(task["instances"]))
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            shared = {name: pool.submit(self.compile, name, text)
                      for name, text in self.shared_sources(task).items()}
            objects = []
            for i, shape in enumerate(shapes):
                flags = [f"-D{name}={value}" for name, value in shape.items()]
                objects.append([
                    pool.submit(self.compile, f"variant{i}_{k}", instance_text(f"bench_{template}.h", values), flags)
                    for k, (template, values) in enumerate(task["instances"])])
            self.watch([*shared.values(), *itertools.chain(*objects)], pool)
            links = [[pool.submit(self.link, f"variant{i}_{k}", shared, k, row[k]) for k in numbers]
                     for i, row in enumerate(objects)]
            return [result_or_problem(row) for row in links]

    def link(self, name, shared, number, instance):
        program = self.folder / name
        objects = [future.result() for key, future in shared.items()
                   if not re.fullmatch(r"cub\d+", key) or key == f"cub{number}"]
        self.run(name, *objects, instance.result(), "-lm", "-o", str(program))
        return program

    def watch(self, futures, pool):
        """Tells how far the compilers are, and stops them all when the user has had enough."""
        started = time.monotonic()
        tell(f"compiling {len(futures)} files, {self.options.jobs} at a time")
        try:
            for done, _ in enumerate(concurrent.futures.as_completed(futures), 1):
                if sys.stderr.isatty():
                    print(f"\r\033[K{done} of {len(futures)} compiled", end="", file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(LIVE):
                kill(process)
            raise
        tell(("\r\033[K" if sys.stderr.isatty() else "") + f"compiled in {time.monotonic() - started:.0f} s")


def instance_text(template, values):
    values = {"INSTANCE": "tuned", "TYPE": values["IN"], "OUT": values["IN"], **values}
    return "".join(f"#define BENCH_{key} {value}\n" for key, value in values.items()) + f'#include "{template}"\n'


def result_or_problem(futures):
    try:
        return [future.result() for future in futures]
    except Problem as problem:
        return problem


# ---- measuring ----

def measure(program, options):
    """The medians of one run, by primitive, type and size."""
    target = str(program) + ".csv"
    command = [str(program), "--filter", "*/gpuprims", "--sizes", options.sizes, "--repeat", str(options.repeat),
               "--csv", target]
    status, _, errors = run(command, options.timeout)
    if status:
        raise Problem(errors.strip().removeprefix("gpbench: ").partition("\n")[0] or f"ended with status {status}")
    with open(target, newline="", encoding="utf-8") as stream:
        medians = {(row["primitive"], row["type"], row["n"]): float(row["median_ms"])
                   for row in csv.DictReader(stream)}
    if not medians:
        raise Problem("nothing was measured: there is not enough memory")
    return medians


def constants():
    """What the headers say now."""
    return {name: int(value) for header in HEADERS
            for name, value in re.findall(r"^#define (GPI_TUNE_\w+) (\d+)$", header.read_text(), re.M)}


def variants(task, options):
    """Every combination, the present one first."""
    names = list(task["shapes"])
    now = constants()
    missing = [name for name in names if name not in now]
    if missing:
        raise Problem(f"no tuning.cuh has {missing[0]}")
    present = tuple(now[name] for name in names)
    shapes = [present] + [s for s in itertools.product(*task["shapes"].values()) if s != present]
    return [dict(zip(names, shape)) for shape in shapes[: options.limit]]


def shape_text(shape):
    return " ".join(f"{name}={value}" for name, value in shape.items())


def relative(times, present):
    """The geometric mean, over instances and sizes, of time relative to the present. Of several rounds the
    best counts, since noise only ever adds to a time."""
    return math.exp(statistics.fmean(math.log(min(times[key]) / min(present[key]))
                                     for key in times if key in present))


def measure_variant(programs, times, options):
    for program in programs:
        for key, ms in measure(program, options).items():
            times.setdefault(key, []).append(ms)


def tune(task, options, builder, found):
    """The best shape. `found` are the constants that were tuned before, which hold from then on."""
    shapes = variants(task, options)
    programs = builder.build(task, [{**found, **shape} for shape in shapes])
    times = [{} for _ in shapes]
    for round_number in range(1, options.rounds + 1):
        for i, shape in enumerate(shapes):
            place = f"round {round_number} of {options.rounds}, {i + 1} of {len(shapes)}: {shape_text(shape)}"
            if isinstance(programs[i], Problem):
                problem = programs[i]
            else:
                try:
                    measure_variant(programs[i], times[i], options)
                    tell(f"{place}: {relative(times[i], times[0]):.3f} of the present time")
                    continue
                except Problem as wrong:
                    programs[i] = problem = wrong
            if i == 0:
                raise Problem(f"the present constants do not work, so there is nothing to compare with: {problem}")
            if round_number == 1 or times[i]:
                tell(f"{place}: left out: {problem}")
            times[i] = {}
    ranking = sorted((relative(times[i], times[0]), i) for i in range(len(shapes)) if times[i])
    for mean, i in ranking:
        print(f"/* {mean:6.3f} of the present time: {shape_text(shapes[i])}{' (present)' if i == 0 else ''} */",
              flush=True)
    return shapes[ranking[0][1]]


def main():
    options = parse_arguments(sys.argv[1:])
    tasks = PRIMITIVES[options.primitive]
    best = {}
    try:
        if options.dry_run:
            for task in tasks:
                for i, shape in enumerate(variants(task, options)):
                    print(shape_text(shape) + (" (present)" if i == 0 else ""))
            return 0
        if not options.cpu:
            require_gpu()
        for task in tasks:
            with tempfile.TemporaryDirectory(prefix="gpbench-tune.") as folder:
                best.update(tune(task, options, Builder(options, pathlib.Path(folder)), best))
    except Problem as problem:
        print(f"gpbench tune: {problem}", file=sys.stderr)
        return 77 if "no GPU answers" in str(problem) else 1
    except KeyboardInterrupt:
        print("gpbench tune: interrupted", file=sys.stderr)
        return 130
    print()
    for name, value in best.items():
        print(f"#ifndef {name}\n#define {name} {value}\n#endif")
    return 0


if __name__ == "__main__":
    sys.exit(main())
