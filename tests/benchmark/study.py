#!/usr/bin/env python3
"""The performance studies: each runs gpbench, or gpbench under Nsight Compute, writes CSV files, draws plots.

    study.py --build build                  all of them
    study.py --build build block_size       one of them
    study.py --plot-only                    draws the plots of the CSV files that are there

    block_size       the classic rungs, compaction and split sort over blocks of 32 to 1024 threads
    cpu              scan, compaction and sort by one core and by all, over 2^6 to 2^29 items
    array_size       every implementation on the GPU of the three over 2^6 to 2^28 items
    end_to_end       4 MB to 2 GB from host memory to host memory, to be seen beside those of `cpu`
    idle_threads     work-efficient scan, with threads for the active nodes of a level and for all places
    bank_conflicts   shared-memory scan, with and without padding
    kernels          times, launches and counters of every rung and every production kernel
    networks         the sorting networks beside radix and merge sort, pairs, 2^14 to 2^26; docs/figures/draw.py
                     draws it
    compile_time     what an #include costs, against CUB

Study NAME writes h200_NAME.csv, the rows of gpbench, and what Nsight Compute says of each kernel to
h200_NAME_kernels.csv. All of them take some five minutes, of which `cpu`, which knows no GPU, takes two;
the compile time takes as much again. Afterwards the tables of the documentation are brought up to date
(tables.py).
FOLDER is that of Meson; `ninja -C FOLDER tests/benchmark/gpbench_studies` makes what is needed in it.
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

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

SCAN, COMPACT, SORT = "scan_exclusive_sum/i32", "compact/u32", "sort/i32"
BLOCKS = "32,64,128,256,512,1024"


def only(*names):
    """The option of gpbench for these alone: a word of --filter with a bracket must match the whole name."""
    return ["--filter", ",".join(f"{name[:-1]}[{name[-1]}]" for name in names)]


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
PRODUCTION = (each(SCAN, "gpuprims gpuprims_wave CUB") + each("reduce_max/i32", "gpuprims CUB")
              + each(COMPACT, "gpuprims gpuprims_wave CUB")
              + [f"{word}/u32/gpuprims" for word in "compact_flagged compact_indices partition partition_stable gather "
                                                    "scatter scatter_if map_to_flags".split()]
              + each(SORT, "gpuprims CUB") + each("merge_sort/u32", "gpuprims CUB"))
RUNGS = SCANS + each("reduce_max/i32", "find_max") + each(COMPACT, "shared shuffle")
SORTS = each(SORT, "split") + NETWORKS
PAIRS = each("sort_networks/u32", "bitonic odd_even gpuprims CUB gpuprims_merge CUB_merge")

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
STALL = re.compile(r"smsp__average_warps_issue_stalled_(\w+)_per_issue_active\.ratio")
FEW_COUNTERS = {name: COUNTERS[name] for name in (
    "gpu__time_duration.sum", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum")}
KERNEL_COLUMNS = ["primitive", "implementation", "type", "n", "block", "launch", "kernel", "grid", "threads",
                  *COUNTERS.values(), "stall", "stall_percent"]  # what was not asked for is empty

# A step is the arguments of gpbench: to time, or to be profiled, which takes a tenth of a second a kernel.
STUDIES = {
    "block_size": {
        "timed": [[*only(*SCANS, *COMPACTIONS, *each("reduce_max/i32", "find_max"), *each(SORT, "split"), *NETWORKS),
                   "--sizes", "2^15-3,2^15,2^16,2^22", "--block", BLOCKS, "--repeat", "100", "--fresh", "--check",
                   "--warm"]],
    },
    "cpu": {
        "timed": [[*only(*ON_CPU), "--sizes", "6..29,6..28-3", "--warm", "--cpu"]],
    },
    "array_size": {
        "timed": [[*only(*SIZED), "--sizes", "6..22,6..22-3", "--warm"],
                  [*only(*SIZED), "--sizes", "23..28,23..28-3", "--warm", "--repeat", "5"]],
    },
    "end_to_end": {
        "timed": [[*only(*END_TO_END), "--sizes", "20..29", "--warm", "--copies", "--repeat", "7"]],
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
        "timed": [[*only(*RUNGS, *PRODUCTION), "--sizes", "2^26", "--cold", "--copies", "--repeat", "5"],
                  [*only(*SORTS), "--sizes", "2^24", "--cold", "--copies", "--repeat", "5"]],
        "profiled": [[*only(*RUNGS, *PRODUCTION), "--sizes", "2^26"], [*only(*SORTS), "--sizes", "2^24"]],
        "counters": COUNTERS,
    },
    "networks": {
        "timed": [[*only(*PAIRS), "--sizes", "14..26", "--warm", "--repeat", "100"]],
    },
    "compile_time": {},
}


class Problem(Exception):
    """What goes to standard error as one sentence."""


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", nargs="*", metavar="STUDY", help="which (default: all)")
    parser.add_argument("--build", default=str(ROOT / "build"), metavar="FOLDER",
                        help="the build folder with gpbench (default: build)")
    parser.add_argument("--gpbench", metavar="PROGRAM", help="or the program itself")
    parser.add_argument("--out", default=str(HERE / "results"), metavar="FOLDER",
                        help="where CSV files are written, and read for the plots (default: results)")
    parser.add_argument("--measure-only", action="store_true", help="no plots and no tables: no need of matplotlib")
    parser.add_argument("--plot-only", action="store_true", help="no measurements: the CSV files are there")
    parser.add_argument("--ncu", default=None, help="Nsight Compute (ncu of PATH or /usr/local/cuda)")
    options = parser.parse_args()
    unknown = [word for word in options.studies if word not in STUDIES]
    if unknown:
        parser.error(f"no study is called {unknown[0]}; there are " + ", ".join(STUDIES))
    options.studies = options.studies or list(STUDIES)
    return options


# ---- measuring ----

def find_gpbench(options):
    names = ["gpbench_studies", "gpbench_cuda"]
    places = [pathlib.Path(options.gpbench)] if options.gpbench else \
        [pathlib.Path(options.build, "tests/benchmark", name) for name in names]
    present = [place for place in places if place.is_file()]
    if not present:
        raise Problem(f"there is no {places[0]}: ninja -C {options.build} tests/benchmark/gpbench_studies makes it, "
                      "where nvcc is")
    return str(max(present, key=lambda place: place.stat().st_mtime).resolve())


def run(command, **keywords):
    try:
        done = subprocess.run([str(word) for word in command], text=True, check=False, **keywords)
    except OSError as error:
        raise Problem(f"cannot run {command[0]}: {error.strerror}") from None
    if done.returncode:
        raise Problem(f"{command[0]} ended with {done.returncode}")
    return done.stdout


def write_csv(path, columns, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def time_steps(gpbench, steps, path):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        part = os.path.join(folder, "part.csv")
        for step in steps:
            run([gpbench, "--csv", part, *step], stdout=subprocess.DEVNULL)
            with open(part, newline="", encoding="utf-8") as file:
                reader = csv.DictReader(file)
                rows += reader
                columns = reader.fieldnames
    write_csv(path, columns, rows)


def number(text):
    return float(text.replace(",", "") or 0)


def kernel_row(call, launch, row):
    """What is kept of a line of Nsight Compute."""
    stalls = {match.group(1): number(value) for name, value in row.items()
              for match in [STALL.fullmatch(name)] if match and value and not match.group(1).endswith("not_issued")}
    cycles = sum(stalls.values())
    stalls.pop("selected", None)  # that is no stall: an instruction is issued
    worst = max(stalls, key=stalls.get, default="")
    size = [int(word) for word in re.findall(r"\d+", row["Block Size"])]
    grid = [int(word) for word in re.findall(r"\d+", row["Grid Size"])]
    kept = dict(zip(KERNEL_COLUMNS, [*call, launch]))
    kept.update(kernel=re.sub(r"[(<].*", "", row["Kernel Name"].replace("void ", "")).split("::")[-1],
                grid=grid[0] * grid[1] * grid[2], threads=size[0] * size[1] * size[2], stall=worst,
                stall_percent=f"{100 * stalls[worst] / cycles:.1f}" if worst and cycles else "")
    for name, column in COUNTERS.items():
        kept[column] = f"{number(row[name]):.10g}" if name in row else ""
    return kept


def profile_steps(gpbench, ncu, steps, counters, path):
    """A row for each kernel of each call. The calls are told apart by the kernels before them, profile_mark."""
    kept = []
    for step in steps:
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            sections = ["--section", "WarpStateStats"] if counters is COUNTERS else []
            listed = run([ncu, "--profile-from-start", "off", "--clock-control", "none", "--csv", "--page", "raw",
                          "--print-units", "base", *sections, "--metrics", ",".join(counters), "--log-file", log,
                          gpbench, "--profile", *step], stdout=subprocess.PIPE)
            with open(log, newline="", encoding="utf-8") as file:
                lines = [line for line in file if line.startswith('"')]
        calls = {}
        for line in listed.splitlines():
            words = line.split()
            if words and words[0].isdigit():
                mark, primitive, implementation, kind, n, block = words
                calls[int(mark)] = (primitive, implementation, kind, n, block)
        call, launch = None, 0
        for row in csv.DictReader(lines):
            if not row["ID"]:
                continue  # the line of the units
            if row["Kernel Name"].startswith("profile_mark"):
                call, launch = calls[int(re.findall(r"\d+", row["Grid Size"])[0])], 0
                continue
            launch += 1
            kept.append(kernel_row(call, launch, row))
    if not kept:
        raise Problem(f"{ncu} saw no kernel")
    write_csv(path, KERNEL_COLUMNS, kept)


def measure(options):
    gpbench = None if options.studies == ["compile_time"] else find_gpbench(options)
    ncu = options.ncu or shutil.which("ncu") or "/usr/local/cuda/bin/ncu"
    folder = pathlib.Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    for name in options.studies:
        study, start = STUDIES[name], time.monotonic()
        if name == "compile_time":
            run([sys.executable, HERE / "compile_time", "--limit", "99", "--cpu-time", "--runs", "3",
                 "--csv", folder / "compile_time.csv"], stdout=subprocess.DEVNULL)
        if "timed" in study:
            time_steps(gpbench, study["timed"], folder / f"h200_{name}.csv")
        if "profiled" in study:
            profile_steps(gpbench, ncu, study["profiled"], study.get("counters", FEW_COUNTERS),
                          folder / f"h200_{name}_kernels.csv")
        print(f"{name}: {time.monotonic() - start:.0f} s", flush=True)


def main():
    options = parse_arguments()
    try:
        if not options.plot_only:
            measure(options)
        if not options.measure_only:
            run([sys.executable, HERE / "tables.py", "--results", options.out])
            run([sys.executable, HERE / "study_plots.py", "--results", options.out, *options.studies])
    except Problem as problem:
        print(f"study.py: {problem}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
