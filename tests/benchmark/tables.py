#!/usr/bin/env python3
"""Writes the tables of the documentation from the CSV files of results/. Python alone suffices.

    tables.py               brings the pages up to date
    tables.py --check       says which tables are not, which plots, and which measured number of the pages on
                            performance is of no table: exit status 1

A table of a page stands between two comments, NAME being a function of this file or of a row file (or a value in a
sentence, both comments in one line):

    <!-- table: NAME ARGUMENT... -->
    <!-- end -->

A table whose function gives None, for want of its file, stays as it is. A plot names the CSV files that it was drawn
from, and a digest of each.
"""
import argparse
import math
import pathlib
import re
import statistics
import sys

import measured
import row_files
from measured import (Problem, digest, digits, memory, need, one, path_of, percent, pick, read, size, table,
                      times_faster, title)

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

MARKED = re.compile(r"(<!-- table: ([^\n]*?) -->)(.*?)(<!-- end -->)", re.S)

# ---- where ----

def machine(*names):
    """Where and when these files were measured."""
    rows = [row for name in names for row in read(name) if "commit" in row]
    said = {key: sorted({str(row[key]) for row in rows}) for key in ("gpu", "driver", "toolkit", "cub", "commit")}
    dates = sorted(str(row["date"])[:10] for row in rows)
    when = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    return (f"{', '.join(said['gpu'])}, driver {', '.join(said['driver'])}, CUDA {', '.join(said['toolkit'])}, "
            f"CUB {', '.join(said['cub'])}, {when}, commit {', '.join(said['commit'])}")


# ---- the sample ----

LEVEL, WORST = 1.05, 20  # as in sample.h
INPUTS = {"uniform": "random", "entropy": "AND of three random words", "runs512": "runs of 512",
          "small": "mostly small", "few": "16 different keys", "constant": "all equal"}


def sample_mode(row):
    return "batch" if row["batch"] > 1 else row["cache"]


def sample_line(words, rows):
    ratios = [row["of_better_cub"] for row in rows]
    return [words, len(ratios), sum(ratio < LEVEL for ratio in ratios), f"{statistics.geometric_mean(ratios):.2f}",
            f"{min(ratios):.2f}"]


def sample_rows(name):
    """Those with a CUB beside them, the worst first."""
    rows = sorted((row for row in read(name) if row["of_better_cub"] != ""), key=lambda row: row["of_better_cub"])
    if not rows:
        raise Problem(f"{path_of(name).name} has no row with a CUB beside it")
    return rows


def sample_lines(name):
    """By primitive, by mode, and of all."""
    rows = sample_rows(name)
    lines = [sample_line(primitive, [row for row in rows if row["primitive"] == primitive])
             for primitive in dict.fromkeys(row["primitive"] for row in read(name))]
    lines += [sample_line(f"{mode}, all primitives", [row for row in rows if sample_mode(row) == mode])
              for mode in ("cold", "warm", "batch")]
    return [*lines, sample_line("all", rows)]


def sample():
    """The rows of gpbench --sample by primitive and by mode, and the worst of them; None before it is measured."""
    if not path_of("sample").exists():
        return None
    rows, lines = sample_rows("sample"), sample_lines("sample")
    cubs = {row[f"{name}_ms"] != "" and f"{words} ({row[name]})" for row in rows
            for name, words in (("cub", "the newest CUB"), ("cub_toolkit", "the CUDA Toolkit's"))} - {False}
    whole = lines[-1]
    worst = [[f"{row['primitive']}/{row['type']}", INPUTS.get(row["distribution"], row["distribution"]),
              sample_mode(row), size(row["n"]), f"{row['of_better_cub']:.2f}"] for row in rows[:WORST]]
    return "\n\n".join([
        f"A sample of everything, {whole[1]} rows, against the better of {' and '.join(sorted(cubs, reverse=True))}: "
        f"{whole[2]} rows are below {LEVEL} of its speed, and the geometric mean of all is {whole[3]}.",
        table(["times as fast as the better CUB", "rows", f"below {LEVEL}", "geometric mean", "worst"], lines),
        f"The {len(worst)} worst rows:",
        table(["", "distribution", "mode", "n", "times as fast"], worst, 3),
        "A row is a primitive and type, a distribution and size of the input, and a mode: *cold*, one call that finds "
        "its data and its instructions in no cache; *warm*, one call after the same one; *batch*, "
        f"{max(row['batch'] for row in rows)} calls back to back, divided by their number. {machine('sample')}."])


def sample_gpus():
    """The sample on two GPUs, side by side; None before both are measured."""
    names = ("sample", "h100_sample")
    if not all(path_of(name).exists() for name in names):
        return None
    gpus = [read(name)[0]["gpu"].removeprefix("NVIDIA ").split()[0] for name in names]
    told = [f"{gpu}, {column}" for gpu in gpus for column in (f"below {LEVEL}", "geometric mean", "worst")]
    lines = [[words, *mine, *theirs[2:]] for (words, *mine), theirs in zip(*map(sample_lines, names))]
    return "\n\n".join([table(["times as fast as the better CUB", "rows", *told], lines),
                        " ".join(f"{machine(name)}." for name in names)])


# ---- block sizes ----

BLOCKS = (32, 64, 128, 256, 512, 1024)
RUNGS = [("scan_exclusive_sum/i32", rung) for rung in ("naive", "work_efficient", "shared", "shuffle")] + \
    [("compact/u32", rung) for rung in ("naive", "work_efficient", "shared", "shuffle")] + \
    [("reduce_max/i32", "find_max"), ("sort/i32", "split"), ("sort/i32", "bitonic"), ("sort/i32", "odd_even")]
RUNG_TITLES = {"scan_exclusive_sum/i32": "scan, ", "compact/u32": "compaction, ", "reduce_max/i32": "",
               "sort/i32": "sort, "}
DEFAULT_BLOCKS = {"bitonic": 128, "odd_even": 512}  # of the others: 256


def rung_title(group, rung):
    return RUNG_TITLES[group] + title(rung)


def block_sizes(n):
    """Microseconds of each rung with each block size."""
    rows = []
    for group, rung in RUNGS:
        times = [need("block_size", group, rung, n=int(n), block=block)["median_ms"] * 1e3 for block in BLOCKS]
        rows.append([rung_title(group, rung)] + [f"**{digits(t)}**" if t == min(times) else digits(t) for t in times])
    return table([f"n = {size(int(n))}, µs"] + [str(block) for block in BLOCKS], rows)


def block_loss(group, rung, block):
    """By how much a block size is slower than the best of each n, on the geometric mean over all n."""
    losses = []
    for n in sorted({row["n"] for row in read("block_size")}):
        times = {b: need("block_size", group, rung, n=n, block=b)["median_ms"] for b in BLOCKS}
        losses.append(times[block] / min(times.values()))
    return statistics.geometric_mean(losses)


def best_block():
    """The one that all rungs together lose least by, for a sentence."""
    return str(min(BLOCKS, key=lambda block: math.prod(block_loss(group, rung, block) for group, rung in RUNGS)))


def block_choice():
    """How much slower than with the best block of each n, by rung; and over all of them."""
    rows, all_losses = [], {block: [] for block in BLOCKS}
    for group, rung in RUNGS:
        losses = {block: block_loss(group, rung, block) for block in BLOCKS}
        for block in BLOCKS:
            all_losses[block].append(losses[block])
        rows.append([rung_title(group, rung)] + [f"**{losses[b]:.2f}**" if losses[b] == min(losses.values())
                                                  else f"{losses[b]:.2f}" for b in BLOCKS])
    means = {block: statistics.geometric_mean(losses) for block, losses in all_losses.items()}
    rows.append(["all"] + [f"**{means[b]:.2f}**" if means[b] == min(means.values()) else f"{means[b]:.2f}"
                           for b in BLOCKS])
    return table(["times as long as with the best"] + [str(block) for block in BLOCKS], rows)


def blocks(name):
    """With which blocks the rungs ran in a study that does not compare them, for a sentence."""
    rungs = {rung for _, rung in RUNGS}
    found = {row["block"] for row in read(name) if row["implementation"] in rungs}
    return ", ".join("their default blocks" if block == 0 else f"blocks of {block} threads" for block in sorted(found))


def default_loss(kind):
    """The mean, or the most, that a rung loses by its default block over all sizes, in percent."""
    losses = [block_loss(group, rung, DEFAULT_BLOCKS.get(rung, 256)) for group, rung in RUNGS]
    return f"{100 * ((statistics.geometric_mean(losses) if kind == 'mean' else max(losses)) - 1):.1f} %"


# ---- array sizes ----

GROUPS = {"scan": "scan_exclusive_sum/i32", "compact": "compact/u32", "sort": "sort/i32"}
CPUS = ("cpu", "cpu_threads", "cpu_with_scan")
BEST = ("gpuprims", "CUB")


def contestants(what):
    """The implementations: those of the CPU, the rungs, the best."""
    primitive, kind = GROUPS[what].split("/")
    found = dict.fromkeys(r["implementation"] for name in ("cpu", "array_size")
                          for r in pick(name, primitive=primitive, type=kind) if r["implementation"] != "memcpy")
    return ([i for i in found if i in CPUS] + [i for i in found if i not in CPUS + BEST] +
            [i for i in BEST if i in found])


def sized(what, implementation, n):
    """Milliseconds."""
    return need("cpu" if implementation in CPUS else "array_size", GROUPS[what], implementation, n=n)["median_ms"]


def array_sizes(what):
    shown = [6, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28]
    rows = [[title(i)] + [digits(1e3 * sized(what, i, 1 << k)) for k in shown] for i in contestants(what)]
    return table(["µs"] + [f"2^{k}" for k in shown], rows)


def first_faster(what, implementation, rival):
    """The power of two from which on it is faster than a rival, three items less too; None if it never is."""
    first = None
    for k in range(28, 5, -1):
        if any(sized(what, implementation, n) >= sized(what, rival, n) for n in ((1 << k) - 3, 1 << k)):
            break
        first = k
    return first


def overtakes(what):
    rivals = [i for i in contestants(what) if i in CPUS]
    rows = []
    for i in (i for i in contestants(what) if i not in CPUS):
        firsts = [first_faster(what, i, rival) for rival in rivals]
        rows.append([title(i)] + ["never" if k is None else f"2^{k}" for k in firsts] +
                    [times_faster(sized(what, rival, 1 << 28), sized(what, i, 1 << 28)) for rival in rivals])
    return table(["faster from n ="] + [f"than {title(r)}" for r in rivals] +
                 [f"at 2^28, times {title(r)}" for r in rivals], rows)


def overtake(what, rival, who="gpuprims"):
    """From where on it is faster than a rival, for a sentence."""
    first = first_faster(what, who, rival)
    return "no size" if first is None else f"2^{first}"


def overtake_with_copies(what, rival):
    """The size of the input from which on it is faster than a rival, copies included, for a sentence."""
    first = None
    for k in range(29, 19, -1):
        whole = need("end_to_end", GROUPS[what], "gpuprims", n=1 << k, cache="copies")["median_ms"]
        if whole >= need("cpu", GROUPS[what], rival, n=1 << k)["median_ms"]:
            break
        first = k
    return "no size" if first is None else memory(4 << first)


def odd_sizes():
    """What three items less cost: the ratio of the times, by primitive and implementation."""
    rows = []
    for what in GROUPS:
        for i in contestants(what):
            ratios = {k: sized(what, i, (1 << k) - 3) / sized(what, i, 1 << k) for k in range(6, 29)}
            worst = max(ratios, key=ratios.get)
            rows.append([f"{what}, {title(i)}", f"{statistics.median(ratios.values()):.2f}", f"{ratios[worst]:.2f}",
                         f"2^{worst}"])
    return table(["time at 2^k − 3 over that at 2^k", "median", "largest", "at"], rows)


# ---- end to end ----

def end_to_end(what):
    group = GROUPS[what]
    rows = []
    for k in range(20, 30):
        def ms(implementation, cache, k=k):
            return need("end_to_end", group, implementation, n=1 << k, cache=cache)["median_ms"]
        kernel, whole, copies = ms("gpuprims", "warm"), ms("gpuprims", "copies"), ms("memcpy", "copies")
        core, cores = (need("cpu", group, i, n=1 << k)["median_ms"] for i in ("cpu", "cpu_threads"))
        rows.append([memory(4 << k), digits(kernel), digits(copies), digits(whole), digits(core), digits(cores),
                     times_faster(core, whole), times_faster(cores, whole)])
    return table(["input", "on the GPU, ms", "copies alone", "end to end", "one core", "all cores",
                  "times one core", "times all cores"], rows)


def speed_up(what, rival, n):
    """How many times the CPU's speed, copies included, for a sentence."""
    whole = need("end_to_end", GROUPS[what], "gpuprims", n=int(n), cache="copies")["median_ms"]
    return times_faster(need("cpu", GROUPS[what], rival, n=int(n))["median_ms"], whole)


def copies_share(what, n):
    """The copies alone, of the time end to end."""
    times = [need("end_to_end", GROUPS[what], i, n=int(n), cache="copies")["median_ms"] for i in ("memcpy", "gpuprims")]
    return percent(times[0] / times[1])


# ---- idle threads and bank conflicts ----

def sweeps(implementation):
    """The kernels of the two sweeps of a call: upsweep, downsweep."""
    kernels = sorted(pick("idle_threads_kernels", implementation=implementation), key=lambda r: r["launch"])
    found = [[r for r in kernels if f"_{word}_kernel" in r["kernel"]] for word in ("upsweep", "downsweep")]
    if not all(found) or len(found[0]) != len(found[1]):
        raise Problem(f"the kernels of {implementation} are not those of two sweeps")
    return found[0], list(reversed(found[1]))


def idle_levels():
    """By level: threads and microseconds of both sweeps, without and with idle threads."""
    active, idle = sweeps("work_efficient"), sweeps("work_efficient_idle")
    n = active[0][0]["n"]
    rows = []
    for level, kernels in enumerate(zip(*active, *idle)):
        up, down, idle_up, idle_down = kernels
        rows.append([f"2^{level}", n >> (level + 1), up["grid"] * up["threads"], idle_up["grid"] * idle_up["threads"],
                     digits((up["ns"] + down["ns"]) / 1e3), digits((idle_up["ns"] + idle_down["ns"]) / 1e3)])
    total = [sum(k["ns"] for sweep in both for k in sweep) / 1e3 for both in (active, idle)]
    rows.append(["all", "", "", "", digits(total[0]), digits(total[1])])
    return table(["stride", "nodes", "threads", "with idle ones", "both sweeps, µs", "with idle ones, µs"], rows)


def idle_times():
    rows = []
    for k in range(10, 29, 2):
        active, idle = (need("idle_threads", GROUPS["scan"], i, n=1 << k)["median_ms"] * 1e3
                        for i in ("work_efficient", "work_efficient_idle"))
        rows.append([f"2^{k}", digits(active), digits(idle), f"{idle / active:.2f}"])
    return table(["n", "active threads, µs", "all threads, µs", "times as long"], rows)


def idle_share(level):
    """What a level takes of the time that it takes with idle threads."""
    active, idle = ([up["ns"] + down["ns"] for up, down in zip(*sweeps(i))]
                    for i in ("work_efficient", "work_efficient_idle"))
    return percent(active[int(level)] / idle[int(level)])


def idle_ratio(n):
    """How many times as long with idle threads, for a sentence."""
    active, idle = (need("idle_threads", GROUPS["scan"], i, n=int(n))["median_ms"]
                    for i in ("work_efficient", "work_efficient_idle"))
    return f"{idle / active:.1f}"


def bank_loss():
    """The most that conflicts cost, in percent."""
    rows = pick("bank_conflicts", implementation="shared_unpadded")
    return percent(max(row["median_ms"] / need("bank_conflicts", GROUPS["scan"], "shared", n=row["n"],
                                               block=row["block"])["median_ms"] for row in rows) - 1)


def bank_times():
    rows = []
    for block in BLOCKS:
        cells = [block, 2 * block]
        for k in (16, 20, 24, 28):
            padded, plain = (need("bank_conflicts", GROUPS["scan"], i, n=1 << k, block=block)["median_ms"]
                             for i in ("shared", "shared_unpadded"))
            cells.append(f"{plain / padded:.2f}")
        rows.append(cells)
    return table(["threads", "tile"] + [f"n = 2^{k}" for k in (16, 20, 24, 28)], rows)


def bank_counters():
    rows = []
    for block in BLOCKS:
        cells = [block]
        for implementation in ("shared_unpadded", "shared"):
            kernels = pick("bank_conflicts_kernels", implementation=implementation, block=block)
            if not kernels:
                raise Problem(f"no kernels of {implementation} with blocks of {block}")
            cells += [f"{sum(k['bank_conflicts'] for k in kernels) / kernels[0]['n']:.3f}",
                      digits(sum(k["ns"] for k in kernels) / 1e3)]
        rows.append(cells)
    return table(["threads", "conflicts an item, no padding", "kernels, µs", "with padding", "kernels, µs"], rows)


# ---- the kernels ----

KERNEL_GROUPS = {group: words for group, (words, _) in row_files.joined("KERNELS").items()}
LARGE = 1 << 24  # items from which memory is the bound, and not the way of a launch


def calls():
    """(group, implementation, n) -> the kernels of its call, in the order of KERNEL_GROUPS, and by n."""
    found = {}
    for row in read("kernels_kernels"):
        key = (f"{row['primitive']}/{row['type']}", row["implementation"], row["n"])
        found.setdefault(key, []).append(row)
    first = {}
    for place, (group, implementation, _) in enumerate(found):
        first.setdefault((group, implementation), place)
    order = {group: place for place, group in enumerate(KERNEL_GROUPS)}
    return {key: found[key] for key in sorted(found, key=lambda key: (order[key[0]], first[key[:2]], key[2]))}


def large_calls():
    return {key: kernels for key, kernels in calls().items() if key[2] >= LARGE}


def call_title(group, implementation):
    return f"{KERNEL_GROUPS[group]}: {title(implementation)}"


def weighted(kernels, column):
    """The mean over the time of the kernels."""
    return sum(k[column] * k["ns"] for k in kernels) / sum(k["ns"] for k in kernels)


def longest_stall(kernels):
    """What was waited for in the kernels that took longest by that, and its share in them."""
    stalls = {}
    for k in kernels:
        if k["stall"]:
            stalls[k["stall"]] = stalls.get(k["stall"], 0) + k["ns"]
    if not stalls:
        return ""
    worst = max(stalls, key=stalls.get)
    share = weighted([k for k in kernels if k["stall"] == worst], "stall_percent")
    return f"{worst.replace('_', ' ')}, {share:.0f} %"


COUNTED = ["launches", "µs", "bytes read an item", "written", "memory, %", "issue slots, %", "occupancy, %",
           "registers", "longest stall"]


def counted(kernels):
    """The cells of COUNTED, of these kernels together."""
    n = kernels[0]["n"]
    return [len(kernels), digits(sum(k["ns"] for k in kernels) / 1e3),
            f"{sum(k['bytes_read'] for k in kernels) / n:.1f}", f"{sum(k['bytes_written'] for k in kernels) / n:.1f}",
            *[f"{weighted(kernels, column):.0f}" for column in ("dram_percent", "issue_percent", "occupancy_percent")],
            max(kernels, key=lambda k: k["ns"])["registers"], longest_stall(kernels)]


def kernel_counters():
    """Of all kernels of a call together."""
    rows = [[call_title(group, implementation), size(n), *counted(kernels)]
            for (group, implementation, n), kernels in calls().items()]
    return table(["", "n", *COUNTED], rows)


def single_kernels():
    """Kernel by kernel: what calls of the library consist of that launch more than one, in order of time."""
    rows = []
    for (group, implementation, n), kernels in calls().items():
        parts = {}
        for k in kernels:
            parts.setdefault(re.sub(r"gpi_.*?_[ui]\d+_(?:struct\d+_)?(.*)_kernel", r"\1", k["kernel"]), []).append(k)
        if not implementation.startswith("gpuprims") or len(parts) == 1:
            continue
        for name in sorted(parts, key=lambda name: -sum(k["ns"] for k in parts[name])):
            rows.append([KERNEL_GROUPS[group], size(n), f"`{name}`", *counted(parts[name])])
    return table(["", "n", "kernel", *COUNTED], rows, 3)


def counter(group, implementation, n, column, part=""):
    """A counter of all kernels of a call, or of those with a word in their names, for a sentence."""
    kernels = [k for k in calls().get((group, implementation, int(n)), []) if f"{part}_kernel" in k["kernel"]]
    if not kernels:
        raise Problem(f"no {part} kernel of {group}/{implementation} at {n}")
    if column.startswith("bytes"):
        return f"{sum(k[column] for k in kernels) / int(n):.0f}"
    return f"{weighted(kernels, column):.0f} %"


def bounds():
    """The least bytes, the bytes that moved, and the fraction of the rate of memcpy that either makes."""
    rows = []
    for (group, implementation, n), kernels in large_calls().items():
        row = need("kernels", group, implementation, n=n, cache="cold")
        moved = sum(k["bytes_read"] + k["bytes_written"] for k in kernels)
        rows.append([call_title(group, implementation), size(n), f"{row['bytes'] / n:.1f}", f"{moved / n:.1f}",
                     digits(row["median_ms"]), percent(row["of_memcpy"]),
                     percent(row["of_memcpy"] * moved / row["bytes"])])
    return table(["", "n", "least bytes an item", "moved", "ms", "of memcpy, least bytes", "of memcpy, bytes moved"],
                 rows)


def end_to_end_kernels():
    """Kernels alone, the call, and the call with copies; launches per call."""
    rows = []
    for (group, implementation, n), kernels in calls().items():
        call, whole = (one("kernels", group, implementation, n=n, cache=cache) for cache in ("cold", "copies"))
        if whole is None:
            continue
        rows.append([call_title(group, implementation), size(n), len(kernels),
                     digits(sum(k["ns"] for k in kernels) / 1e6),
                     digits(call["median_ms"]), digits(whole["median_ms"]),
                     percent(call["median_ms"] / whole["median_ms"])])
    return table(["", "n", "launches", "kernels, ms", "call, ms", "end to end, ms", "of which the call"], rows)


# ---- compile time ----

def compiler():
    """How, where and when compile_time was measured."""
    row = read("compile_time")[0]
    how = [f"CUDA {row['toolkit']}, {row['arch']}, {row['unit']}, median of {row['runs']}"]
    return ", ".join(how + [f"{word}{row[key]}" for key, word in (("cpu", ""), ("date", ""), ("commit", "commit "))
                            if key in row])


def compile_time():
    rows = []
    for name in dict.fromkeys(r["primitive"] for r in read("compile_time")):
        mine, cub = (pick("compile_time", primitive=name, library=library) for library in ("gpuprims", "cub"))
        if not mine:
            continue
        seconds, kilobytes = ([library[0][column] / scale if library else None for library in (mine, cub)]
                              for column, scale in (("seconds_over_empty", 1), ("object_bytes", 1024)))
        rows.append([name, f"{seconds[0]:.2f}", *([f"{seconds[1]:.2f}", times_faster(seconds[1], seconds[0])]
                                                  if cub else ["–", "–"]),
                     f"{kilobytes[0]:.0f}", f"{kilobytes[1]:.0f}" if cub else "–"])
    return table(["", "gpuprims, s", "CUB, s", "times as long", "gpuprims, KiB", "CUB, KiB"], rows)


# ---- the shared library, and Python over it ----

def library_size():
    """A sentence; None before it is measured."""
    if not path_of("library").exists():
        return None
    row = read("library")[0]
    return (f"It has {row['functions']} functions in {row['instances']} instances and {row['bytes'] / 1e6:.1f} MB "
            f"(CUDA {row['toolkit']}, {row['date']}).")


def python_machine():
    """Where and when Python's calls were measured; None before."""
    if not path_of("python").exists():
        return None
    row = read("python")[0]
    return f"{row['gpu']}, PyTorch {row['torch']}, CUDA {row['cuda']}, {row['date'][:10]}, commit {row['commit']}"


def python_times():
    """Calls from Python beside PyTorch's, by size; None before they are measured."""
    if not path_of("python").exists():
        return None
    rows = [row for row in read("python") if row["n"]]
    sizes = sorted({row["n"] for row in rows})
    lines = []
    for name in dict.fromkeys(row["function"] for row in rows):
        found = {row["n"]: row for row in rows if row["function"] == name}
        lines.append([name] + [cell for n in sizes for cell in (
            digits(found[n]["gpuprims_us"]), times_faster(found[n]["torch_us"], found[n]["gpuprims_us"]))])
    return table(["", *(cell for n in sizes for cell in (f"{size(n)}, µs", "times as fast"))], lines)


def python_compile():
    """How long compile() takes, in a sentence; None before it is measured."""
    rows = pick("python", n=0) if path_of("python").exists() else []
    times = [f"{row['gpuprims_us'] / 1e6:.1f} s for {row['function'].split()[1]}" for row in rows]
    return f"The first time takes nvcc {', '.join(times)}." if times else None


# ---- what the pages of the primitives say of 2^28 items ----

def speed(what):
    """Of memcpy's speed, or keys in a second, and of CUB's speed; what a row file says of it."""
    told = next(row["SPEED"] for row in row_files.load() if row["FILE"] == what)
    rows = []
    for words, group, *rival in told["lines"]:
        mine, other = (need(told["study"], group, who, n=1 << 28, cache="cold", distribution="uniform", offset_in=0,
                            offset_out=0) for who in ("gpuprims", *(rival or ["CUB"])))
        rate = f"{mine['items_per_s'] / 1e9:.1f}" if "unit" in told else f"{mine['of_memcpy']:.2f}"
        rows.append([*words, rate, f"{other['median_ms'] / mine['median_ms']:.2f}"])
    return table([*told["head"], told.get("unit", "of memcpy's speed"), "of CUB's speed"], rows, len(told["head"]))


def offsets():
    """Of memcpy's speed with aligned arrays, when arrays begin an item later."""
    rows = []
    for words, group in row_files.joined("OFFSETS"):
        copy = need("offsets", group, "memcpy", offset_in=0, offset_out=0)["GBps"]
        rows.append([words] + [
            f"{need('offsets', group, 'gpuprims', offset_in=i, offset_out=o)['GBps'] / copy:.2f}"
            for i, o in ((0, 0), (1, 1), (1, 0), (0, 1))])
    return table(["of memcpy's speed", "aligned", "both later", "the input later", "the output later"], rows)


def call_sizes():
    """How many times as fast as CUB, by size: one call, and 20 back to back."""
    sizes = [1 << power for power in range(8, 25, 2)]
    rows = []
    for words, group in ((words, group) for words, group in row_files.joined("SIZES") if words):
        for batch, calls in ((1, "one call"), (20, "20 calls")):
            rows.append([f"{words}, {calls}"] + [
                f"{need('sizes', group, 'gpuprims', n=n, batch=batch)['vs_cub']:.2f}" for n in sizes])
    return table(["", *map(size, sizes)], rows)


def rivals(study, group):
    """The entries of CUB in a group, of the newest if there are two."""
    primitive, kind = group.split("/")
    found = dict.fromkeys(row["implementation"] for row in pick(study, primitive=primitive, type=kind))
    return [name for name in found if name.startswith("CUB") and not name.endswith("_toolkit")]


def ratio(study, group, rival, n, cache):
    """How many times as fast as a rival, or as a copy of as many bytes."""
    mine, other = (need(study, group, who, n=n, cache=cache)["GBps"] for who in ("gpuprims", rival))
    return mine / other


def ratio_sizes(study, rival, cache):
    """By size, of what a row file calls RATIOS."""
    sizes = [1 << power for power in (8, 12, 16, 18, 20, 22, 24, 26, 28)]
    rows = [[words] + [f"{ratio(study, group, rival, n, cache):.2f}" for n in sizes]
            for words, group in row_files.joined("RATIOS")[study].items()]
    return table(["", *map(size, sizes)], rows)


BEHIND = 0.985  # which is 0.99, rounded


def ratio_behind(study):
    """Where CUB is ahead by more than a hundredth."""
    rows = []
    for words, group in row_files.joined("RATIOS")[study].items():
        for rival in rivals(study, group):
            name = "CUB" if rival == "CUB" else f"CUB's {rival[4:].replace('_', ' ')}"
            for cache in ("cold", "warm"):
                found = {n: ratio(study, group, rival, n, cache) for n in sorted({row["n"] for row in read(study)})}
                behind = {n: found[n] for n in found if found[n] < BEHIND}
                if behind:
                    worst = min(behind, key=behind.get)
                    rows.append([words, name, cache, ", ".join(map(size, behind)), f"{behind[worst]:.2f}", size(worst)])
    return table(["", "against", "cache", "sizes", "least", "at"], rows, 4)


TABLES = {function.__name__: function for function in (
    machine, sample, sample_gpus, block_sizes, best_block, block_choice, blocks, default_loss, array_sizes, overtakes, overtake,
    odd_sizes, end_to_end, overtake_with_copies, speed_up, copies_share, idle_levels, idle_share, idle_times,
    idle_ratio, bank_times, bank_loss, bank_counters, kernel_counters, single_kernels, counter, bounds,
    end_to_end_kernels, compiler, compile_time, library_size, python_machine, python_times, python_compile, speed, offsets, call_sizes, ratio_sizes, ratio_behind,
    *row_files.joined("TABLES"))}


# ---- pages ----

def fresh(text):
    def replace(match):
        name, *arguments = match.group(2).split()
        if name not in TABLES:
            raise Problem(f"there is no table called {name}")
        made = TABLES[name](*arguments)
        if made is None:
            return match.group(0)
        return match.group(1) + (f"\n{made}\n" if "\n" in match.group(3) else made) + match.group(4)
    return MARKED.sub(replace, text)


MEASURED = re.compile(r"\d[\d.,]*\s*(?:%|[mµn]?s\b|[KMGT]B/s|times\b)")


def loose_numbers(text):
    """What looks measured and comes from no table."""
    prose = re.sub(r"(?m)^ {4}.*$|`[^`]*`", "", MARKED.sub("", text))
    return [match.group(0).replace("\n", " ") for match in MEASURED.finditer(prose)]


def stale_plots(folder):
    """Plots whose CSV files are not those that they were drawn from, or are gone."""
    for path in sorted(folder.glob("*.svg")):
        text = path.read_text(encoding="utf-8")
        sources = re.findall(r"(?:h200_)?(\w+)\.csv [0-9a-f]{16}", text)
        if not sources or any(not path_of(name).exists() or digest(name) not in text for name in sources):
            yield path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing, and say what is not up to date")
    parser.add_argument("--results", default=str(measured.RESULTS), metavar="FOLDER", help="the CSV files (default: results)")
    options = parser.parse_args()
    measured.RESULTS = pathlib.Path(options.results)
    stale, loose = [], []
    try:
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
            text = page.read_text(encoding="utf-8")
            new = fresh(text)
            if new != text:
                stale.append(page)
                if not options.check:
                    page.write_text(new, encoding="utf-8")
        if options.check:
            stale += stale_plots(ROOT / "docs" / "performance")
            pages = [ROOT / "docs" / "performance.md", *sorted((ROOT / "docs" / "performance").glob("*.md"))]
            loose = [(page, number) for page in pages for number in loose_numbers(page.read_text(encoding="utf-8"))]
    except Problem as problem:
        print(f"tables.py: {problem}", file=sys.stderr)
        return 2
    for path in stale:
        print(f"{path.relative_to(ROOT)}: {'not up to date' if options.check else 'brought up to date'}")
    for page, number in loose:
        print(f"{page.relative_to(ROOT)}: '{number}' is of no table")
    return 1 if (stale or loose) and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
