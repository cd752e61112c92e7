#!/usr/bin/env python3
"""The performance studies: each runs gpbench, or gpbench under Nsight Compute, writes CSV files, draws plots.

    study.py --build build                  those that take a GPU and gpbench_studies
    study.py --build build block_size       one of them
    study.py compile_time                   the one that takes nvcc alone
    study.py --plot-only                    draws the plots of the CSV files that are there

    block_size       the classic rungs, compaction and split sort over blocks of 32 to 1024 threads
    cpu              scan, compaction and sort by one core and by all, over 2^6 to 2^29 items
    array_size       every implementation on the GPU of the three over 2^6 to 2^28 items
    end_to_end       4 MB to 2 GB from host memory to host memory, to be seen beside those of `cpu`
    idle_threads     work-efficient scan, with threads for the active nodes of a level and for all places
    bank_conflicts   shared-memory scan, with and without padding
    kernels          times, launches and counters of every rung and every production kernel
    compile_time     what an #include costs, against CUB

    sample           rows of everything beside both CUBs; takes gpbench_sample
    2e28_cold        scans, reductions, compactions and block collectives of 2^28 items
    offsets          scans and compactions of 2^28 items whose arrays begin an item later
    sizes            scans, reductions and compactions of 2^8 to 2^24 items, one call and 20 back to back

Study NAME writes h200_NAME.csv, the rows of gpbench, and what Nsight Compute says of each kernel to
h200_NAME_kernels.csv; --gpu h100 names those of another GPU, and the page of a primitive says which it has. Those on a
GPU take some five minutes, of which `cpu`, which knows no GPU, takes two; the compile time takes as much again. What
fails is reported, and the others go on; the exit status is 2 then. Afterwards the tables of the documentation are
brought up to date (tables.py).
FOLDER is that of Meson; `ninja -C FOLDER tests/benchmark/gpbench_studies` makes what is needed in it. sample needs
gpbench_sample instead, those from 2e28_cold on and most of those of single primitives gpbench_cuda, hybrid
bench_hybrid_cuda: they are left out unless they are named.
"""
import argparse
import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import row_files

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

SCAN, COMPACT, SORT = "scan_exclusive_sum/i32", "compact/u32", "sort/i32"
BLOCKS = "32,64,128,256,512,1024"


def only(*names):
    """The option of gpbench for these alone: a word of --filter with a bracket must match the whole name."""
    return ["--filter", ",".join(f"{name[:-1]}[{name[-1]}]" for name in names)]


def beside(*groups):
    """Likewise for the library, CUB and memcpy in these groups, which are globs."""
    return ["--filter", ",".join(f"{group}/{who}" for group in groups for who in ("gpuprims", "CUB*", "memcpy"))]


def step(told):
    """The arguments of gpbench, or of bench_hybrid, from a step of a row file."""
    return [*(only(*told["only"]) if "only" in told else []), *(beside(*told["beside"]) if "beside" in told else []),
            *told["options"].split()]


def each(group, implementations):
    return [f"{group}/{implementation}" for implementation in implementations.split()]


SCANS = each(SCAN, "naive work_efficient shared shuffle")
COMPACTIONS = each(COMPACT, "naive work_efficient shared shuffle")
NETWORKS = each(SORT, "bitonic odd_even")
SIZED = (SCANS + each(SCAN, "gpuprims CUB") + COMPACTIONS + each(COMPACT, "gpuprims CUB")
         + each(SORT, "split bitonic odd_even gpuprims CUB"))
IDLE = each(SCAN, "work_efficient work_efficient_idle")
BANKS = each(SCAN, "shared shared_unpadded")
ON_CPU = each(SCAN, "cpu cpu_threads") + each(COMPACT, "cpu cpu_threads cpu_with_scan") + each(SORT, "cpu cpu_threads")
END_TO_END = [name for group in (SCAN, COMPACT, SORT) for name in each(group, "memcpy gpuprims")]

# Every kernel, by the row files: how it is timed at which sizes, and whether beside a copy. At 2^26 everything but the
# sorts that make more passes than are worth waiting for; few items, and very many, for the kernels that those take.
KERNEL_SIZES = {"2^26": ("--cold --copies --repeat 5", True), "2^24": ("--cold --copies --repeat 5", True),
                "2^12,2^16,2^20": ("--cold --copies", False), "2^16,2^22": ("--cold --copies", False),
                "2^28": ("--cold --repeat 5", True)}


def kernels_at(sizes):
    """The groups that have kernels for these sizes, and those."""
    return {group: each(group, at[sizes]) for group, (_, at) in row_files.joined("KERNELS").items() if sizes in at}


def kernels_timed(sizes):
    options, with_copy = KERNEL_SIZES[sizes]
    names = [name for group, kernels in kernels_at(sizes).items()
             for name in kernels + ([f"{group}/memcpy"] if with_copy else [])]
    return [*only(*names), "--sizes", sizes, *options.split()]


def kernels_profiled(sizes):
    return [*only(*sum(kernels_at(sizes).values(), [])), "--sizes", sizes]


# What Nsight Compute is asked for, and the columns that come of it.
COUNTERS = {
    "gpu__time_duration.sum": "ns",
    "dram__bytes_read.sum": "bytes_read",
    "dram__bytes_write.sum": "bytes_written",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed": "dram_percent",
    "smsp__issue_active.avg.pct_of_peak_sustained_active": "issue_percent",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "occupancy_percent",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": "bank_conflicts",
    "launch__registers_per_thread": "registers",
}
# Cycles that a warp takes for an instruction, and how many of them it waits for what; what no kernel here ever
# waited for most is left out, since the counters are few at a time and a kernel runs once more for the next ones.
LATENCY = "smsp__average_warp_latency_per_inst_issued.ratio"
STALLS = {f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio": reason for reason in (
    "long_scoreboard short_scoreboard barrier wait not_selected no_instruction imc_miss membar mio_throttle "
    "lg_throttle math_pipe_throttle").split()}
ALL_COUNTERS = [*COUNTERS, LATENCY, *STALLS]
FEW_COUNTERS = ["gpu__time_duration.sum", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"]
WHERE = ["gpu", "driver", "toolkit", "cub", "commit", "date"]
KERNEL_COLUMNS = ["primitive", "implementation", "type", "n", "block", "launch", "kernel", "grid", "threads",
                  *COUNTERS.values(), "stall", "stall_percent", *WHERE]  # what was not asked for is empty

# A step is the arguments of gpbench: to time, or to be profiled, which takes a tenth of a second a kernel.
STUDIES = {
    "block_size": {
        "timed": [[*only(*SCANS, *COMPACTIONS, *each("reduce_max/i32", "find_max"), *each(SORT, "split"), *NETWORKS),
                   "--sizes", "2^15-3,2^15,2^16,2^22", "--block", BLOCKS, "--repeat", "100", "--fresh", "--check",
                   "--warm"]],
    },
    "cpu": {
        "timed": [[*only(*ON_CPU), "--sizes", "6..18,6..18-3", "--warm", "--cpu"],
                  [*only(*ON_CPU), "--sizes", "19..29,19..28-3", "--warm", "--cpu", "--repeat", "3"]],
    },
    "array_size": {
        "timed": [[*only(*SIZED), "--sizes", "6..22,6..22-3", "--warm"],
                  [*only(*SIZED), "--sizes", "23..28,23..28-3", "--warm", "--repeat", "5"]],
    },
    "end_to_end": {
        "timed": [[*only(*END_TO_END), "--sizes", "20..29", "--warm", "--copies", "--repeat", "5"]],
    },
    "idle_threads": {
        "timed": [[*only(*IDLE), "--sizes", "10..28", "--warm"]],
        "profiled": [[*only(*IDLE), "--sizes", "2^24"]],
    },
    "bank_conflicts": {
        "timed": [[*only(*BANKS), "--sizes", "2^16,2^20,2^24,2^28", "--block", BLOCKS, "--warm"]],
        "profiled": [[*only(*BANKS), "--sizes", "2^24", "--block", BLOCKS]],
    },
    "kernels": {
        "timed": [kernels_timed(sizes) for sizes in KERNEL_SIZES],
        "profiled": [kernels_profiled(sizes) for sizes in KERNEL_SIZES],
        "counters": ALL_COUNTERS,
    },
    "compile_time": {},
    "sample": {
        "program": "gpbench_sample",
        "timed": [["--sample"]],
    },
    "2e28_cold": {
        "program": "gpbench_cuda",
        "timed": [[*beside(*row_files.joined("COLD")), "--sizes", "2^28", "--cold"]],
    },
    "offsets": {
        "program": "gpbench_cuda",
        "timed": [[*beside(*[group for _, group in row_files.joined("OFFSETS")]),
                   "--sizes", "2^28", "--cold", "--offset-in", str(begin_in), "--offset-out", str(begin_out)]
                  for begin_in in (0, 1) for begin_out in (0, 1)],
    },
    "sizes": {
        "program": "gpbench_cuda",
        "timed": [[*beside(*[group for _, group in row_files.joined("SIZES")]),
                   "--sizes", "8..24", "--warm", "--batch", "1,20"]],
    },
}
DRAWN = [name for name, study in STUDIES.items() if "program" not in study]  # by study_plots.py
DRAWN += row_files.joined("RATIOS")
OF_PRIMITIVES = row_files.joined("STUDIES")
STUDIES.update({name: {**study, "timed": [step(told) for told in study["timed"]]}
                for name, study in OF_PRIMITIVES.items()})


class Problem(Exception):
    """What goes to standard error as one sentence."""


def parse_arguments():
    told = "".join(f"    {name:16} {study['what']}\n" for name, study in OF_PRIMITIVES.items())
    parser = argparse.ArgumentParser(description=f"{__doc__}\nOf single primitives, by their row files:\n\n{told}",
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", nargs="*", metavar="STUDY", help="which (default: those that take gpbench_studies)")
    parser.add_argument("--build", default=str(ROOT / "build"), metavar="FOLDER",
                        help="the build folder with gpbench (default: build)")
    parser.add_argument("--gpbench", metavar="PROGRAM", help="or the program itself")
    parser.add_argument("--out", default=str(HERE / "results"), metavar="FOLDER",
                        help="where CSV files are written, and read for the plots (default: results)")
    parser.add_argument("--gpu", default="h200", metavar="NAME", help="what the names of CSV files begin with (h200)")
    parser.add_argument("--measure-only", action="store_true", help="no plots and no tables: no need of matplotlib")
    parser.add_argument("--plot-only", action="store_true", help="no measurements: the CSV files are there")
    parser.add_argument("--ncu", default=None, help="Nsight Compute (ncu of PATH or /usr/local/cuda)")
    options = parser.parse_args()
    unknown = [word for word in options.studies if word not in STUDIES and not (options.plot_only and word in DRAWN)]
    if unknown:
        parser.error(f"no study is called {unknown[0]}; there are " + ", ".join(STUDIES))
    if not options.studies:
        options.studies = DRAWN if options.plot_only else [
            name for name, study in STUDIES.items() if "program" not in study and name != "compile_time"]
    return options


# ---- measuring ----

def find_gpbench(options, study):
    """gpbench, or bench_hybrid beside it."""
    program = STUDIES[study].get("program")
    names = [program] if program else ["gpbench_studies", "gpbench_cuda"]
    folder = pathlib.Path(options.build, "tests/benchmark")
    if options.gpbench:
        folder = pathlib.Path(options.gpbench).parent
        if program != "bench_hybrid_cuda":
            names = [pathlib.Path(options.gpbench).name]
    places = [folder / name for name in names]
    present = [place for place in places if place.is_file()]
    if not present:
        raise Problem(f"there is no {places[0]}: ninja -C {options.build} tests/benchmark/{names[0]} makes it, "
                      "where nvcc is")
    return str(max(present, key=lambda place: place.stat().st_mtime).resolve())


def run(command, **keywords):
    try:
        done = subprocess.run([str(word) for word in command], text=True, check=False, timeout=600, **keywords)
    except OSError as error:
        raise Problem(f"cannot run {command[0]}: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise Problem(f"{command[0]} did not end in ten minutes") from None
    if done.returncode:
        raise Problem(f"{command[0]} ended with {done.returncode}")
    return done.stdout


def write_csv(path, columns, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def each_step(what, steps, do):
    """Does all steps, and tells of each; what one of them fails with is raised in the end."""
    problems = []
    for place, step in enumerate(steps, 1):
        start, end = time.monotonic(), ""
        try:
            do(step)
        except Problem as problem:
            problems.append(str(problem))
            end = f": {problem}"
        print(f"{what}, {place} of {len(steps)}, {time.monotonic() - start:.0f} s{end}", flush=True)
    if problems:
        raise Problem(problems[0])


def time_steps(what, gpbench, steps, path):
    """The rows of gpbench, of a step that fails those that were right."""
    rows = []

    def do(step):
        with tempfile.TemporaryDirectory() as folder:
            part = os.path.join(folder, "part.csv")
            try:
                run([gpbench, "--csv", part, *step], stdout=subprocess.DEVNULL)
            finally:
                if os.path.exists(part):
                    with open(part, newline="", encoding="utf-8") as file:
                        rows.extend(csv.DictReader(file))

    try:
        each_step(what, steps, do)
    finally:
        if rows:
            write_csv(path, rows[0], rows)


def number(text):
    """0 where a kernel was too short to count anything."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return 0.0


def kernel_row(call, launch, row, where):
    """What is kept of a line of Nsight Compute."""
    stalls = {reason: number(row[name]) for name, reason in STALLS.items() if name in row}
    latency = number(row.get(LATENCY, ""))
    worst = max(stalls, key=stalls.get) if stalls and latency > 0 else ""
    size = [int(word) for word in re.findall(r"\d+", row["Block Size"])]
    grid = [int(word) for word in re.findall(r"\d+", row["Grid Size"])]
    kept = {**dict(zip(KERNEL_COLUMNS, [*call, launch])), **where}
    kept.update(kernel=re.sub(r"[(<].*", "", row["Kernel Name"].replace("void ", "")).split("::")[-1],
                grid=grid[0] * grid[1] * grid[2], threads=size[0] * size[1] * size[2], stall=worst,
                stall_percent=f"{100 * stalls[worst] / latency:.1f}" if worst else "")
    for name, column in COUNTERS.items():
        kept[column] = f"{number(row[name]):.10g}" if name in row else ""
    return kept


def profile(command, gpbench, step):
    """What gpbench says of its calls, by their marks, and the lines of Nsight Compute."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        listed = run([*command, "--log-file", log, gpbench, "--profile", *step], stdout=subprocess.PIPE)
        with open(log, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(line for line in file if line.startswith('"')))
    calls = {}
    for words in map(str.split, listed.splitlines()):
        if words and words[0].isdigit():
            calls[int(words[0])] = words[1:]  # primitive, implementation, type, n, block
    return calls, rows


def profile_steps(what, gpbench, ncu, steps, counters, path, where):
    """A row for each kernel of each call. The calls are told apart by the kernels before them, profile_mark."""
    command = [ncu, "--profile-from-start", "off", "--clock-control", "none", "--csv", "--page", "raw",
               "--print-units", "base", "--metrics", ",".join(counters)]
    kept = []

    def do(step):
        calls, rows = profile(command, gpbench, step)
        call, launch = None, 0
        for row in rows:
            if not row["ID"]:
                continue  # the line of the units
            if row["Kernel Name"].startswith("profile_mark"):
                call, launch = calls[int(re.findall(r"\d+", row["Grid Size"])[0])], 0
                continue
            launch += 1
            kept.append(kernel_row(call, launch, row, where))
        if not call:
            raise Problem(f"{ncu} saw no kernel")

    try:
        each_step(what, steps, do)
    finally:
        if kept:
            write_csv(path, KERNEL_COLUMNS, kept)


def where_measured(path):
    """On what, and when, as the rows of gpbench have it."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            row = next(csv.DictReader(file))
    except (OSError, StopIteration):
        raise Problem(f"there are no times in {path}, which say where they were measured") from None
    return {column: row[column] for column in WHERE}


def measure_hybrid(program, study, path):
    """Times, and timelines, the rows of which say what they are of."""
    with tempfile.TemporaryDirectory() as parts:
        lines = {method: os.path.join(parts, method) for method in study["timelines"]}
        steps = [[*step, *(["--timeline", lines[step[1]]] if "--serial" in step else [])]
                 for step in study["timed"]]
        time_steps("hybrid, times", program, steps, path)
        rows = []
        for method, implementation in study["timelines"].items():
            with open(lines[method], newline="", encoding="utf-8") as file:
                rows += [{"implementation": implementation, **row} for row in csv.DictReader(file)]
        write_csv(path.with_stem(f"{path.stem}_timeline"), rows[0], rows)


def measure_study(name, options):
    study, folder = STUDIES[name], pathlib.Path(options.out)
    path = folder / f"{options.gpu}_{name}.csv"
    if name == "compile_time":
        run([sys.executable, HERE / "compile_time", "--limit", "99", "--cpu-time", "--runs", "3",
             "--csv", folder / "compile_time.csv"], stdout=subprocess.DEVNULL)
        return
    gpbench = find_gpbench(options, name)
    if name == "hybrid":
        measure_hybrid(gpbench, study, path)
        return
    path.unlink(missing_ok=True)  # of another run, it would say where this one's counters come from
    try:
        time_steps(f"{name}, times", gpbench, study["timed"], path)
    finally:
        if "profiled" in study:
            ncu = options.ncu or shutil.which("ncu") or "/usr/local/cuda/bin/ncu"
            profile_steps(f"{name}, counters", gpbench, ncu, study["profiled"], study.get("counters", FEW_COUNTERS),
                          path.with_stem(f"{path.stem}_kernels"), where_measured(path))


def measure(options):
    """All studies; returns those that failed."""
    pathlib.Path(options.out).mkdir(parents=True, exist_ok=True)
    failed = []
    for name in options.studies:
        start = time.monotonic()
        try:
            measure_study(name, options)
        except Problem as problem:
            print(f"study.py: {name}: {problem}", file=sys.stderr, flush=True)
            failed.append(name)
        print(f"{name}: {time.monotonic() - start:.0f} s", flush=True)
    return failed


def main():
    options = parse_arguments()
    failed = [] if options.plot_only else measure(options)
    try:
        if not options.measure_only:
            run([sys.executable, HERE / "tables.py", "--results", options.out])
            drawn = [name for study in options.studies for name in (study, f"{options.gpu}_{study}") if name in DRAWN]
            if drawn:
                run([sys.executable, HERE / "study_plots.py", "--results", options.out, *drawn])
    except Problem as problem:
        print(f"study.py: {problem}", file=sys.stderr)
        return 2
    return 2 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
