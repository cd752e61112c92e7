#!/usr/bin/env python3
"""Writes the tables of the documentation from the CSV files of results/. Python alone suffices.

    tables.py               brings the pages up to date
    tables.py --check       says which tables are not, and which plots: exit status 1

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

@functools.lru_cache(None)
def read(name):
    """The rows of results/h200_NAME.csv, numbers as numbers."""
    def value(text):
        try:
            return int(text) if re.fullmatch(r"-?\d+", text) else float(text)
        except (TypeError, ValueError):
            return text
    path = RESULTS / f"h200_{name}.csv"
    try:
        with open(path, newline="", encoding="utf-8") as file:
            return [{key: value(text) for key, text in row.items()} for row in csv.DictReader(file)]
    except OSError as error:
        raise Problem(f"cannot read {path}: {error.strerror}") from None


def digest(name):
    """Of results/h200_NAME.csv, as plots name it."""
    return hashlib.sha256((RESULTS / f"h200_{name}.csv").read_bytes()).hexdigest()[:16]


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

def table(head, rows):
    """A Markdown table; all columns but the first are numbers."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
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

def measured(name):
    """The machine of a file, as a sentence."""
    row = read(name)[0]
    dates = sorted({str(r["date"])[:10] for r in read(name)})
    return (f"{row['gpu']}, driver {row['driver']}, CUDA {row['toolkit']}, CUB {row['cub']}; {dates[-1]}; "
            f"[h200_{name}.csv](%sh200_{name}.csv)")


# ---- block sizes ----

BLOCKS = (32, 64, 128, 256, 512, 1024)
RUNGS = [("scan_exclusive_sum/i32", rung) for rung in ("naive", "work_efficient", "shared", "shuffle")] + \
    [("compact/u32", rung) for rung in ("naive", "work_efficient", "shared", "shuffle")] + \
    [("reduce_max/i32", "find_max"), ("sort/i32", "split"), ("sort/i32", "bitonic"), ("sort/i32", "odd_even")]
RUNG_TITLES = {"scan_exclusive_sum/i32": "scan, ", "compact/u32": "compaction, ", "reduce_max/i32": "",
               "sort/i32": "sort, "}
DEFAULT_BLOCK = 256


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


# ---- array sizes ----

GROUPS = {"scan": "scan_exclusive_sum/i32", "compact": "compact/u32", "sort": "sort/i32"}
CPUS = ("cpu", "cpu_threads", "cpu_with_scan")


def implementations(name, group):
    primitive, kind = group.split("/")
    found = dict.fromkeys(r["implementation"] for r in pick(name, primitive=primitive, type=kind))
    return [i for i in found if i not in ("memcpy", "work_efficient_idle", "shared_unpadded")]


def array_sizes(what):
    group = GROUPS[what]
    shown = [6, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28]
    names = implementations("array_size", group)
    order = [i for i in names if i in CPUS] + [i for i in names if i not in CPUS and i not in
                                               ("gpuprims", "gpuprims_wave", "CUB")] + \
        [i for i in ("gpuprims", "gpuprims_wave", "CUB") if i in names]
    rows = [[title(i)] + [digits(1e3 * need("array_size", group, i, n=1 << k)["median_ms"]) for k in shown]
            for i in order]
    return table(["µs"] + [f"2^{k}" for k in shown], rows)


def first_faster(group, implementation, rival):
    """The power of two from which on it is faster than a rival at every size; None if it never is."""
    first = None
    for k in range(28, 5, -1):
        mine, other = (need("array_size", group, i, n=1 << k)["median_ms"] for i in (implementation, rival))
        if mine >= other:
            break
        first = k
    return first


def overtakes(what):
    group = GROUPS[what]
    names = implementations("array_size", group)
    rivals = [i for i in CPUS if i in names]
    rows = []
    for i in (i for i in names if i not in CPUS):
        firsts = [first_faster(group, i, rival) for rival in rivals]
        rows.append([title(i)] + ["never" if k is None else f"2^{k}" for k in firsts] +
                    [times_faster(need("array_size", group, rival, n=1 << 28)["median_ms"],
                                  need("array_size", group, i, n=1 << 28)["median_ms"]) for rival in rivals])
    return table(["faster from n ="] + [f"than {title(r)}" for r in rivals] +
                 [f"at 2^28, times {title(r)}" for r in rivals], rows)


def odd_sizes():
    """What three items less cost: the ratio of the times, by primitive and implementation."""
    rows = []
    for what, group in GROUPS.items():
        for i in implementations("array_size", group):
            ratios = {k: need("array_size", group, i, n=(1 << k) - 3)["median_ms"] /
                      need("array_size", group, i, n=1 << k)["median_ms"] for k in range(6, 29)}
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

KERNEL_GROUPS = ["scan_exclusive_sum/i32", "reduce_max/i32", "compact/u32", "compact_flagged/u32",
                 "compact_indices/u32", "partition/u32", "partition_stable/u32", "gather/u32", "scatter/u32",
                 "scatter_if/u32", "map_to_flags/u32", "sort/i32", "merge_sort/u32"]
GROUP_TITLES = {"scan_exclusive_sum/i32": "scan", "reduce_max/i32": "maximum", "compact/u32": "compact",
                "sort/i32": "sort", "merge_sort/u32": "merge sort"}


def calls():
    """(group, implementation) -> the kernels of its call, in the order of KERNEL_GROUPS."""
    found = {}
    for row in read("kernels_kernels"):
        found.setdefault((f"{row['primitive']}/{row['type']}", row["implementation"]), []).append(row)
    return {key: found[key] for group in KERNEL_GROUPS for key in found if key[0] == group}


def call_title(group, implementation):
    return f"{GROUP_TITLES.get(group, group.split('/')[0])}: {title(implementation)}"


def weighted(kernels, column):
    """The mean over the time of the kernels."""
    return sum(k[column] * k["ns"] for k in kernels) / sum(k["ns"] for k in kernels)


def kernel_counters():
    rows = []
    for (group, implementation), kernels in calls().items():
        longest = max(kernels, key=lambda k: k["ns"])
        stalls = {}
        for k in kernels:
            if k["stall"]:
                stalls[k["stall"]] = stalls.get(k["stall"], 0) + k["ns"]
        worst = max(stalls, key=stalls.get, default="")
        share = [k for k in kernels if k["stall"] == worst]
        rows.append([call_title(group, implementation), len(kernels), f"{sum(k['ns'] for k in kernels) / 1e3:.0f}",
                     f"{sum(k['bytes_read'] for k in kernels) / kernels[0]['n']:.1f}",
                     f"{sum(k['bytes_written'] for k in kernels) / kernels[0]['n']:.1f}",
                     f"{weighted(kernels, 'dram_percent'):.0f}", f"{weighted(kernels, 'issue_percent'):.0f}",
                     f"{weighted(kernels, 'occupancy_percent'):.0f}", longest["registers"],
                     f"{worst.replace('_', ' ')}, {weighted(share, 'stall_percent'):.0f} %" if worst else ""])
    return table(["", "launches", "µs", "bytes read an item", "written", "memory, %", "issue slots, %",
                  "occupancy, %", "registers", "longest stall"], rows)


def bounds():
    """The least bytes, the bytes that moved, and the fraction of the rate of memcpy that either makes."""
    rows = []
    for (group, implementation), kernels in calls().items():
        row = need("kernels", group, implementation, cache="cold")
        moved = sum(k["bytes_read"] + k["bytes_written"] for k in kernels)
        rows.append([call_title(group, implementation), f"{row['bytes'] / row['n']:.1f}",
                     f"{moved / kernels[0]['n']:.1f}", digits(row["median_ms"]), percent(row["of_memcpy"]),
                     percent(row["of_memcpy"] * moved / row["bytes"])])
    return table(["", "least bytes an item", "moved", "ms", "of memcpy, least bytes", "of memcpy, bytes moved"], rows)


def end_to_end_kernels():
    """Kernels alone, the call, and the call with copies; launches per call."""
    rows = []
    for (group, implementation), kernels in calls().items():
        call = need("kernels", group, implementation, cache="cold")
        whole = need("kernels", group, implementation, cache="copies")
        rows.append([call_title(group, implementation), len(kernels), digits(sum(k["ns"] for k in kernels) / 1e6),
                     digits(call["median_ms"]), digits(whole["median_ms"]),
                     percent(call["median_ms"] / whole["median_ms"])])
    return table(["", "launches", "kernels, ms", "call, ms", "end to end, ms", "of which the call"], rows)


# ---- compile time ----

def compile_time():
    rows = []
    for name in dict.fromkeys(r["primitive"] for r in read("compile_time")):
        mine, cub = (pick("compile_time", primitive=name, library=library) for library in ("gpuprims", "cub"))
        if not mine:
            continue
        cells = [name, f"{mine[0]['seconds_over_empty']:.2f}"]
        cells += [f"{cub[0]['seconds_over_empty']:.2f}", f"{cub[0]['seconds_over_empty'] / mine[0]['seconds_over_empty']:.0f}"] \
            if cub else ["–", "–"]
        cells += [f"{mine[0]['object_bytes'] / 1024:.0f}", f"{cub[0]['object_bytes'] / 1024:.0f}" if cub else "–"]
        rows.append(cells)
    return table(["", "gpuprims, s", "CUB, s", "times as long", "gpuprims, KiB", "CUB, KiB"], rows)


TABLES = {word: function for word, function in list(globals().items())
          if word in ("block_sizes block_choice array_sizes overtakes odd_sizes end_to_end idle_levels idle_times "
                      "bank_times bank_counters kernel_counters bounds end_to_end_kernels compile_time").split()}


# ---- pages ----

def fresh(text):
    def replace(match):
        name, *arguments = match.group(2).split()
        if name not in TABLES:
            raise Problem(f"there is no table called {name}")
        made = TABLES[name](*arguments)
        return match.group(1) + (f"\n{made}\n" if "\n" in match.group(3) else made) + match.group(4)
    return MARKED.sub(replace, text)


def stale_plots(folder):
    """Plots whose CSV files are not those that they were drawn from."""
    for path in sorted(folder.glob("*.svg")):
        sources = re.findall(r"h200_(\w+)\.csv ([0-9a-f]{16})", path.read_text(encoding="utf-8"))
        if not sources or any(digest(name) != was for name, was in sources):
            yield path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing, and say what is not up to date")
    parser.add_argument("--results", default=str(RESULTS), metavar="FOLDER", help="the CSV files (default: results)")
    options = parser.parse_args()
    globals()["RESULTS"] = pathlib.Path(options.results)
    stale = []
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
    except Problem as problem:
        print(f"tables.py: {problem}", file=sys.stderr)
        return 2
    for path in stale:
        print(f"{path.relative_to(ROOT)}: {'not up to date' if options.check else 'brought up to date'}")
    return 1 if stale and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
