#!/usr/bin/env python3
"""Writes the tables of the documentation from the CSV files of results/. Python alone suffices.

    tables.py               brings the pages up to date
    tables.py --check       says which tables are not, which plots, and which measured number of the pages on
                            performance is of no table: exit status 1

A table of a page stands between two comments, NAME being a function of this file (or a value in a sentence,
both comments in one line):

    <!-- table: NAME ARGUMENT... -->
    <!-- end -->

A plot names the CSV files that it was drawn from, and a digest of each.
"""
import argparse
import csv
import functools
import hashlib
import math
import pathlib
import re
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RESULTS = HERE / "results"

MARKED = re.compile(r"(<!-- table: ([^\n]*?) -->)(.*?)(<!-- end -->)", re.S)
NAMES = {"gpuprims": "gpuprims", "gpuprims_wave": "gpuprims, the wave", "cpu": "CPU, one core",
         "cpu_threads": "CPU, all cores", "cpu_with_scan": "CPU, with a scan", "work_efficient": "work-efficient",
         "work_efficient_idle": "work-efficient, idle threads", "shared_unpadded": "shared, no padding",
         "odd_even": "odd-even merge", "find_max": "find-max", "memcpy": "copies alone"}


class Problem(Exception):
    """What goes to standard error as one sentence."""


# ---- rows ----

def path_of(name):
    """results/h200_NAME.csv; what a compiler takes is no matter of the GPU."""
    return RESULTS / (f"{name}.csv" if name == "compile_time" else f"h200_{name}.csv")


@functools.lru_cache(None)
def read(name):
    """The rows of a file, numbers as numbers."""
    def value(text):
        try:
            return int(text) if re.fullmatch(r"-?\d+", text) else float(text)
        except (TypeError, ValueError):
            return text
    path = path_of(name)
    try:
        with open(path, newline="", encoding="utf-8") as file:
            return [{key: value(text) for key, text in row.items()} for row in csv.DictReader(file)]
    except OSError as error:
        raise Problem(f"cannot read {path}: {error.strerror}") from None


def digest(name):
    """What a plot says of a file that it was drawn from."""
    return f"{path_of(name).name} {hashlib.sha256(path_of(name).read_bytes()).hexdigest()[:16]}"


def pick(name, **wanted):
    return [row for row in read(name) if all(row[key] == value for key, value in wanted.items())]


def one(name, group, implementation, **wanted):
    """The row of primitive/type; None where there is none."""
    primitive, kind = group.split("/")
    rows = pick(name, primitive=primitive, type=kind, implementation=implementation, **wanted)
    if len(rows) > 1:
        raise Problem(f"h200_{name}.csv has {len(rows)} rows for {group}/{implementation} {wanted}")
    return rows[0] if rows else None


def need(name, group, implementation, **wanted):
    row = one(name, group, implementation, **wanted)
    if row is None:
        raise Problem(f"h200_{name}.csv has no row for {group}/{implementation} {wanted}")
    return row


# ---- text ----

def table(head, rows, words=1):
    """A Markdown table; all columns but the first, or the first `words`, are numbers."""
    lines = [head, ["---"] * words + ["---:"] * (len(head) - words), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def size(n):
    for less in (0, 3):
        if (n + less) & (n + less - 1) == 0:
            return f"2^{(n + less).bit_length() - 1}" + (f" − {less}" if less else "")
    return str(n)


def digits(value, count=3):
    """So many significant digits, and all of those before the point."""
    if value == 0:
        return "0"
    after = max(0, count - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{after}f}"


def title(implementation):
    return NAMES.get(implementation, implementation)


def memory(amount):
    for unit, scale in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if amount >= scale:
            return f"{amount / scale:g} {unit}"
    return f"{amount} bytes"


def percent(part):
    return f"{100 * part:.0f} %"


def times_faster(slow, fast):
    return digits(slow / fast, 2) if slow / fast < 10 else f"{slow / fast:.0f}"


# ---- where ----

def machine(*names):
    """Where and when these files were measured."""
    rows = [row for name in names for row in read(name) if "commit" in row]
    said = {key: sorted({str(row[key]) for row in rows}) for key in ("gpu", "driver", "toolkit", "cub", "commit")}
    dates = sorted(str(row["date"])[:10] for row in rows)
    when = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    return (f"{', '.join(said['gpu'])}, driver {', '.join(said['driver'])}, CUDA {', '.join(said['toolkit'])}, "
            f"CUB {', '.join(said['cub'])}, {when}, commit {', '.join(said['commit'])}")


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

KERNEL_GROUPS = {
    "scan_exclusive_sum/i32": "scan", "reduce_sum/i32": "sum", "reduce_max/i32": "maximum", "compact/u32": "compact",
    "compact_flagged/u32": "compact_flagged", "compact_indices/u32": "compact_indices", "partition/u32": "partition",
    "partition_stable/u32": "partition_stable", "gather/u32": "gather", "scatter/u32": "scatter",
    "scatter_if/u32": "scatter_if", "map_to_flags/u32": "map_to_flags", "sort/i32": "sort",
    "sort_pairs/u32": "sort, values of 4 bytes", "sort_pairs/u32-struct16": "sort, values of 16 bytes",
    "merge_sort/u32": "merge sort", "merge/u32": "merge"}
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


# ---- what the pages of the primitives say of 2^28 items ----

SUM, MAXIMUM, OWN = "scan_exclusive_sum/", "scan_inclusive_max/", "scan_exclusive_own/"


def maximum(words, kind):
    """Against CUB given cuda::maximum, and given a functor."""
    return [([f"{words}, maximum"], MAXIMUM + kind), (["likewise, CUB by a functor"], MAXIMUM + kind, "CUB_functor")]


SPEEDS = {
    "scan": (["items"], [
        (["4-byte ints, sum"], SUM + "i32"), *maximum("4-byte ints", "i32"),
        (["floats, sum"], SUM + "f32"), *maximum("floats", "f32"),
        (["8-byte ints, sum"], SUM + "i64"), *maximum("8-byte ints", "i64"), *maximum("doubles", "f64"),
        (["bytes, sum"], SUM + "u8"),
        (["2-byte ints, sum"], SUM + "i16"), *maximum("2-byte ints", "i16"),
        (["bytes, an operator of one's own"], OWN + "u8"),
        (["2-byte ints, likewise"], OWN + "i16"), (["4-byte ints, likewise"], OWN + "i32"),
        (["bytes to 8-byte sums"], SUM + "u8-u64"),
        (["2×2 matrices of 16 bytes, product"], "scan_exclusive_product/struct16"),
        (["structs of 48 bytes"], SUM + "struct48")]),
    "compact": (["", "items"], [
        (["compact, half kept", "4-byte items"], "compact/u32"),
        (["compact, half kept", "8-byte items"], "compact/u64"),
        (["compact, half kept", "bytes"], "compact/u8"),
        (["compact, a predicate of about eight instructions", "bytes"], "compact_costly/u8"),
        (["compact, none kept", "4-byte items"], "compact_none/u32"),
        (["compact, all kept", "4-byte items"], "compact_all/u32"),
        *[([word, "4-byte items"], f"{word}/u32")
          for word in ("compact_flagged", "compact_indices", "partition", "partition_stable")]]),
    "radix_sort": ([""], [
        (["4-byte integers, unsigned"], "sort/u32"), (["4-byte integers, signed"], "sort/i32"),
        (["floats"], "sort/f32"),
        (["8-byte integers, unsigned"], "sort/u64"), (["8-byte integers, signed"], "sort/i64"),
        (["doubles"], "sort/f64"), (["bytes"], "sort/u8"), (["2-byte integers, unsigned"], "sort/u16"),
        (["2-byte integers, signed"], "sort/i16"),
        (["4-byte keys with 4-byte values"], "sort_pairs/u32"),
        (["4-byte keys with 8-byte values"], "sort_pairs/u32-u64"),
        (["4-byte keys with 16-byte values"], "sort_pairs/u32-struct16"),
        (["4-byte keys with 32-byte values"], "sort_pairs/u32-struct32"),
        (["8-byte keys with 4-byte values"], "sort_pairs/u64")]),
}


def speed(what):
    """Of memcpy's speed, or keys in a second, and of CUB's speed."""
    head, lines = SPEEDS[what]
    rows = []
    for words, group, *rival in lines:
        mine, other = (need("sort" if what == "radix_sort" else "2e28_cold", group, who, n=1 << 28, cache="cold",
                            distribution="uniform", offset_in=0, offset_out=0)
                       for who in ("gpuprims", *(rival or ["CUB"])))
        rate = f"{mine['items_per_s'] / 1e9:.1f}" if what == "radix_sort" else f"{mine['of_memcpy']:.2f}"
        rows.append([*words, rate, f"{other['median_ms'] / mine['median_ms']:.2f}"])
    unit = "10^9 keys per second" if what == "radix_sort" else "of memcpy's speed"
    return table([*head, unit, "of CUB's speed"], rows, len(head))


def offsets():
    """Of memcpy's speed with aligned arrays, when arrays begin an item later."""
    rows = []
    for words, group in (("scan, 4-byte ints", SUM + "i32"), ("scan, 8-byte ints", SUM + "i64"),
                         ("scan, 2-byte ints", SUM + "i16"), ("scan, bytes", SUM + "u8"),
                         ("scan, bytes, maximum", MAXIMUM + "u8"),
                         ("scan, 4-byte ints, an operator of one's own", OWN + "i32"),
                         ("compact, 4-byte items", "compact/u32"), ("compact, 8-byte items", "compact/u64"),
                         ("compact, bytes", "compact/u8")):
        copy = need("offsets", group, "memcpy", offset_in=0, offset_out=0)["GBps"]
        rows.append([words] + [
            f"{need('offsets', group, 'gpuprims', offset_in=i, offset_out=o)['GBps'] / copy:.2f}"
            for i, o in ((0, 0), (1, 1), (1, 0), (0, 1))])
    return table(["of memcpy's speed", "aligned", "both later", "the input later", "the output later"], rows)


def call_sizes():
    """How many times as fast as CUB, by size: one call, and 20 back to back."""
    sizes = [1 << power for power in range(8, 25, 2)]
    rows = []
    for words, group in (("scan, 4-byte integers", "scan_exclusive_sum/i32"),
                         ("scan, 8-byte", "scan_exclusive_sum/i64"), ("sum, 4-byte", "reduce_sum/i32"),
                         ("sum, 8-byte", "reduce_sum/i64"), ("compaction, 4-byte", "compact/u32"),
                         ("stable partition, 4-byte", "partition_stable/u32")):
        for batch, calls in ((1, "one call"), (20, "20 calls")):
            rows.append([f"{words}, {calls}"] + [
                f"{need('sizes', group, 'gpuprims', n=n, batch=batch)['vs_cub']:.2f}" for n in sizes])
    return table(["", *map(size, sizes)], rows)


SORTS = {"u32": "sort/u32", "u64": "sort/u64", "u32 with u32": "sort_pairs/u32", "u64 with u32": "sort_pairs/u64",
         "f32": "sort/f32", "f64": "sort/f64"}


def sort_distributions():
    """How many times as fast as CUB's radix sort, by distribution."""
    names = {"sorted": "sorted", "reversed": "reversed", "constant": "all the same", "seven": "7 values",
             "few": "16 values", "range": "64 values", "mostly": "nine in ten the same",
             "entropy": "AND of three random ones", "gaussian": "gaussian", "low20": "20 low bits",
             "high16": "16 high bits", "zipf": "Zipf", "runs": "4096 neighbours the same",
             "banks": "bytes that are multiples of 32", "hole": "the second byte 0",
             "crowd": "8192 alike in 24 bits"}
    kinds = list(SORTS)[:3]
    rows = [[words] + [f"{need('sort', SORTS[kind], 'gpuprims', n=1 << 28, distribution=name)['vs_cub']:.2f}"
                       for kind in kinds] for name, words in names.items()]
    return table(["", *kinds], rows)


def sort_sizes():
    """How many times as fast as CUB's radix sort, by size."""
    sizes = [1 << power for power in (8, 10, 12, 14, 16, 17, 18, 20, 22, 24)]
    rows = [[kind] + [f"{need('sort', group, 'gpuprims', n=n, batch=20, distribution='uniform')['vs_cub']:.2f}"
                      for n in sizes] for kind, group in SORTS.items()]
    return table(["", *map(size, sizes)], rows)


def block_speed():
    """How many times as fast as CUB's block collectives."""
    columns = ("block_inclusive_scan", "block_exclusive_scan", "block_reduce")
    rows = []
    for kind, threads in (("u32", 128), ("u32", 256), ("u32", 1024), ("u64", 256)):
        found = [one("2e28_cold", f"{name}_{threads}/{kind}", "gpuprims") for name in columns]
        rows.append([f"{kind}, {threads} threads"] + [f"{row['vs_cub']:.2f}" if row else "" for row in found])
    return table(["", "`block_inclusive_scan`", "`block_exclusive_scan` with total", "`block_reduce`"], rows)


MERGE_SORTS = [("4-byte integers", "merge_sort/u32"), ("8-byte integers", "merge_sort/u64"),
               ("4-byte keys with 4-byte values", "merge_sort_pairs/u32-u64"),
               ("4-byte integers by an order of your own", "merge_sort_own/u32"), ("floats", "merge_sort/f32"),
               ("structs of 48 bytes by their first member", "merge_sort_own/struct48")]


def merge_sort_speed():
    """Milliseconds, and how many times as fast as CUB's merge sort: warm, or cold where that is all there is."""
    sizes = (1 << 20, 1 << 24, 1 << 28)
    rows = []
    for words, group in MERGE_SORTS:
        found = [one("merge_sort", group, "gpuprims", n=n, cache="warm")
                 or one("merge_sort", group, "gpuprims", n=n, cache="cold") for n in sizes]
        rows.append([words] + [f"{digits(row['median_ms'])} ({row['vs_cub']:.2f})" if row else "" for row in found])
    return table(["milliseconds", *map(size, sizes)], rows)


def merge_sort_worst():
    """The least of CUB's speed by an order of one's own, for a sentence."""
    rows = pick("merge_sort", primitive="merge_sort_own", type="u32", implementation="gpuprims", cache="warm")
    return f"{min(row['vs_cub'] for row in rows):.2f}"


def block_sort_speed():
    """Items a second in blocks, and how many times as fast as CUB's block collectives."""
    rows = []
    for words, group in (("16 integers of 4 bytes a thread", "block_sort_256x16/u32"),
                         ("8 integers of 8 bytes", "block_sort_256x8/u64"),
                         ("16 floats", "block_sort_256x16/f32")):
        mine, merge, radix = (need("merge_sort", group, i, n=1 << 28) for i in ("gpuprims", "CUB", "CUB_radix"))
        rows.append([words, f"{mine['items_per_s'] / 1e9:.1f}",
                     *[f"{other['median_ms'] / mine['median_ms']:.2f}" for other in (merge, radix)]])
    return table(["", "10^9 items per second", "of CUB's block merge sort", "of CUB's block radix sort"], rows)


def networks():
    """Milliseconds of the sorting networks and of the other sorts of pairs."""
    names = {"bitonic": "bitonic", "odd_even": "odd-even merge", "gpuprims": "radix sort", "CUB": "CUB radix sort",
             "gpuprims_merge": "merge sort", "CUB_merge": "CUB merge sort"}
    time = {(row["implementation"], row["n"]): row["median_ms"] for row in read("networks")}
    rows = [[size(n)] + [digits(time[name, n]) if time[name, n] >= 0.1 else f"{time[name, n]:.3f}" for name in names]
            for n in sorted({n for _, n in time})]
    return table(["pairs", *names.values()], rows)


def network_growth(implementation, n):
    """How many times as long as for half as many pairs, for a sentence."""
    time = {row["n"]: row["median_ms"] for row in pick("networks", implementation=implementation)}
    return f"{time[int(n)] / time[int(n) // 2]:.1f}"


def bus(way):
    """The bus alone, in GB/s: in, out, or both ways at once; for a sentence."""
    rates = [f"{row[f'bus_{way}_GBps']:.0f}" for row in read("hybrid") if row["budget"]]
    least, most = min(rates, key=int), max(rates, key=int)
    return f"{least} GB/s" if least == most else f"{least} to {most} GB/s"


def hybrid_copies(how):
    """The least time for the copies, in_turn or at_once, for a sentence."""
    times = [round(row["median_ms"] * row[f"of_copies_{how}"]) for row in read("hybrid") if row["budget"]]
    return f"{min(times)} ms" if min(times) == max(times) else f"{min(times)} to {max(times)} ms"


def hybrid_trip(trip):
    """From the first copy to the last one, in the timeline of the distribution; for a sentence."""
    chunks = pick("hybrid_lanes", implementation="hybrid by distribution", trip=int(trip), what="chunk")
    return f"{max(row['end_ms'] for row in chunks) - min(row['begin_ms'] for row in chunks):.0f} ms"


def hybrid_start():
    """What comes before the first copy there."""
    return f"{min(row['begin_ms'] for row in pick('hybrid_lanes', implementation='hybrid by distribution')):.0f} ms"


def networks_repeat():
    """Of how many runs the times of networks() are medians."""
    return str(read("networks")[0]["repeat"])


def hybrid_speed():
    """The hybrid sort beside the copies alone, and sorts by the CPU."""
    methods = {"hybrid by distribution": "2", "hybrid by CPU merge": "1",
               "CPU radix and merge": "CPU: radix sort of {threads} parts, merge",
               "__gnu_parallel::sort": "CPU: `__gnu_parallel::sort`"}
    rows = []
    for row in sorted(read("hybrid"), key=lambda r: (list(methods).index(r["implementation"]), r["lanes"] == "serial",
                                                     r["type"], r["budget"])):
        method = methods[row["implementation"]].format(**row) + (", serial lanes" if row["lanes"] == "serial" else "")
        shares = [percent(row[key]) if row["budget"] else "" for key in ("of_copies_in_turn", "of_copies_at_once")]
        rows.append([f"`{'uint32_t' if row['type'] == 'u32' else 'uint64_t'}`", method,
                     f"{row['budget'] >> 30} GiB" if row["budget"] else "", f"{row['median_ms']:.0f}",
                     f"{row['GBps']:.1f}", *shares])
    return table(["keys", "method", "device memory", "ms", "GB/s", "in turn", "at once"], rows, 2)


TABLES = {function.__name__: function for function in (
    machine, block_sizes, best_block, block_choice, blocks, default_loss, array_sizes, overtakes, overtake, odd_sizes,
    end_to_end, overtake_with_copies, speed_up, copies_share, idle_levels, idle_share, idle_times, idle_ratio,
    bank_times, bank_loss, bank_counters, kernel_counters, single_kernels, counter, bounds, end_to_end_kernels,
    compiler, compile_time, speed, offsets, call_sizes, sort_distributions, sort_sizes, merge_sort_speed,
    merge_sort_worst, block_sort_speed, block_speed, networks, networks_repeat, network_growth, bus, hybrid_copies,
    hybrid_trip, hybrid_start, hybrid_speed)}


# ---- pages ----

def fresh(text):
    def replace(match):
        name, *arguments = match.group(2).split()
        if name not in TABLES:
            raise Problem(f"there is no table called {name}")
        made = TABLES[name](*arguments)
        return match.group(1) + (f"\n{made}\n" if "\n" in match.group(3) else made) + match.group(4)
    return MARKED.sub(replace, text)


MEASURED = re.compile(r"\d[\d.,]*\s*(?:%|[mµn]?s\b|[KMGT]B/s|times\b)")


def loose_numbers(text):
    """What looks measured and comes from no table."""
    prose = re.sub(r"(?m)^ {4}.*$|`[^`]*`", "", MARKED.sub("", text))
    return [match.group(0).replace("\n", " ") for match in MEASURED.finditer(prose)]


def stale_plots(folder):
    """Plots whose CSV files are not those that they were drawn from."""
    for path in sorted(folder.glob("*.svg")):
        sources = re.findall(r"(?:h200_)?(\w+)\.csv [0-9a-f]{16}", path.read_text(encoding="utf-8"))
        if not sources or any(digest(name) not in path.read_text(encoding="utf-8") for name in sources):
            yield path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing, and say what is not up to date")
    parser.add_argument("--results", default=str(RESULTS), metavar="FOLDER", help="the CSV files (default: results)")
    options = parser.parse_args()
    globals()["RESULTS"] = pathlib.Path(options.results)
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
