#!/usr/bin/env python3
"""Draws the plots of the performance studies from their CSV files; study.py calls it. Needs matplotlib.

    study_plots.py [--results FOLDER] [--out FOLDER] [STUDY]...
"""
import argparse
import functools
import pathlib
import sys

import measured
import plots
import row_files
import tables

ROOT = pathlib.Path(__file__).resolve().parents[2]
PALETTE = {"cpu": "#7f8c8d", "cpu_threads": "#2c3e50", "cpu_with_scan": "#b7950b", "naive": "#8e44ad",
           "work_efficient": "#d35400", "shared": "#16a085", "shuffle": "#27ae60", "split": "#8e44ad",
           "bitonic": "#d35400", "odd_even": "#16a085", "find_max": "#b7950b"}
UNITS = {"scan": "scan of 4-byte integers", "compact": "compaction, half of 4-byte integers kept",
         "sort": "sort of 4-byte integers"}


def style(implementation):
    if implementation in PALETTE:
        dashed = {"linestyle": "--"} if implementation.startswith("cpu") else {}
        return {"color": PALETTE[implementation], "linewidth": 1.2, "marker": ".", "markersize": 3, **dashed}
    return {"markersize": 3, **plots.STYLES[implementation]}


def legend(figure, panels, columns):
    handles = {}
    for panel in panels:
        handles.update({label: handle for handle, label in zip(*panel.get_legend_handles_labels())})
    figure.legend(handles.values(), handles.keys(), loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=columns,
                  frameon=False)


def finish(plt, figure, folder, name, sources):
    figure.tight_layout()
    plots.save(plt, figure, folder / f"{name}.svg", ", ".join(measured.digest(source) for source in sources))


def gpu():
    return measured.read("block_size")[0]["gpu"]


def block_size(plt, folder):
    sizes = sorted({row["n"] for row in measured.read("block_size")})
    lines = [("scan, and find-max", [r for r in tables.RUNGS if r[0].startswith(("scan", "reduce"))]),
             ("compaction", [r for r in tables.RUNGS if r[0].startswith("compact")]),
             ("sort", [r for r in tables.RUNGS if r[0].startswith("sort")])]
    figure, panels = plt.subplots(len(lines), len(sizes), figsize=(11, 8.2), squeeze=False, sharex=True)
    for row, (what, rungs) in zip(panels, lines):
        for panel, n in zip(row, sizes):
            for group, rung in rungs:
                panel.plot(tables.BLOCKS, [measured.need("block_size", group, rung, n=n, block=b)["median_ms"] * 1e3
                                           for b in tables.BLOCKS], label=measured.title(rung), **style(rung))
            panel.set_xscale("log", base=2)
            panel.set_yscale("log")
            panel.set_xticks(tables.BLOCKS, [str(b) for b in tables.BLOCKS])
            panel.set_title(f"{what}, n = {measured.size(n)}", fontsize=9)
        row[0].set_ylabel("µs")
    for panel in panels[-1]:
        panel.set_xlabel("threads of a block")
    figure.suptitle(f"The classic rungs over block sizes, {gpu()}")
    legend(figure, panels.flat, 5)
    finish(plt, figure, folder, "block-size", ["block_size"])


def array_size(plt, folder):
    for what, group in tables.GROUPS.items():
        figure, panel = plt.subplots(figsize=(8.5, 5.8))
        primitive, kind = group.split("/")
        for i in tables.contestants(what):
            rows = measured.pick("cpu" if i in tables.CPUS else "array_size", primitive=primitive, type=kind,
                               implementation=i)
            points = sorted((row["n"], row["median_ms"]) for row in rows if row["n"] <= 1 << 28)
            powers = [point for point in points if point[0] & (point[0] - 1) == 0]
            others = [point for point in points if point not in powers]
            look = style(i)
            panel.plot(*zip(*powers), label=measured.title(i), **look)
            panel.plot(*zip(*others), linestyle="none", marker="o", markersize=5.5, markerfacecolor="none",
                       markeredgewidth=0.8, color=look["color"])
        panel.plot([], [], linestyle="none", marker="o", markersize=5.5, markerfacecolor="none", markeredgewidth=0.8,
                   color="black", label="n = 2$^k$ − 3")
        panel.set_xscale("log", base=2)
        panel.set_yscale("log")
        panel.set_xlabel("n: lines at 2$^k$, rings at 2$^k$ − 3")
        panel.set_ylabel("time, ms")
        panel.set_title(f"{UNITS[what]}, where the data are, {gpu()}")
        legend(figure, [panel], 5)
        finish(plt, figure, folder, f"array-size-{what}", ["array_size", "cpu"])


def end_to_end(plt, folder):
    figure, panels = plt.subplots(2, 3, figsize=(11, 7), squeeze=False, sharex=True)
    exponents = range(20, 30)
    megabytes = [(4 << k) >> 20 for k in exponents]
    ratios = []
    for (what, group), upper, lower in zip(tables.GROUPS.items(), *panels):
        def times(name, implementation, group=group, **wanted):
            return [measured.need(name, group, implementation, n=1 << k, **wanted)["median_ms"] for k in exponents]
        whole = times("end_to_end", "gpuprims", cache="copies")
        core, cores = times("cpu", "cpu"), times("cpu", "cpu_threads")
        upper.plot(megabytes, core, label="CPU, one core", **style("cpu"))
        upper.plot(megabytes, cores, label="CPU, all cores", **style("cpu_threads"))
        # The copies are nearly all of the time: a band under the line, so that both are seen.
        upper.plot(megabytes, whole, label="GPU, end to end", **{**style("gpuprims"), "zorder": 5, "linewidth": 1.4})
        upper.plot(megabytes, times("end_to_end", "memcpy", cache="copies"), label="copies alone",
                   **{**style("memcpy"), "color": "#b8c2cc", "linewidth": 6, "linestyle": "-",
                      "solid_capstyle": "round", "zorder": 1})
        upper.plot(megabytes, times("end_to_end", "gpuprims", cache="warm"), label="GPU, without copies",
                   **{**style("gpuprims"), "linestyle": ":", "linewidth": 1.2})
        for cpu, slow in (("cpu", core), ("cpu_threads", cores)):
            lower.plot(megabytes, [a / b for a, b in zip(slow, whole)], **style(cpu))
            ratios += [a / b for a, b in zip(slow, whole)]
        lower.axhline(1, color="black", linewidth=0.8)
        for panel in (upper, lower):
            panel.set_xscale("log", base=2)
            panel.set_yscale("log")
        lower.set_xticks([4, 16, 64, 256, 1024], ["4", "16", "64", "256", "1024"])
        upper.set_title(what)
        lower.set_xlabel("size of the input, MB")
    for panel in panels[1]:
        panel.set_ylim(0.8 * min(1, *ratios), 1.6 * max(ratios))
        panel.set_yticks([1, 3, 10, 30, 100], ["1", "3", "10", "30", "100"])
        panel.minorticks_off()
    panels[0][0].set_ylabel("time, ms")
    panels[1][0].set_ylabel("times as fast as the CPU, end to end")
    figure.suptitle(f"From host memory to host memory, {gpu()}")
    legend(figure, panels[0], 5)
    finish(plt, figure, folder, "end-to-end", ["end_to_end", "cpu"])


def idle_threads(plt, folder):
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    for implementation, label, mark in (("work_efficient", "active threads", "work_efficient"),
                                        ("work_efficient_idle", "all threads", "naive")):
        up, down = tables.sweeps(implementation)
        left.plot(range(len(up)), [(a["ns"] + b["ns"]) / 1e3 for a, b in zip(up, down)], label=label, **style(mark))
        rows = measured.pick("idle_threads", implementation=implementation)
        right.plot(*zip(*sorted((row["n"], row["median_ms"]) for row in rows)), label=label, **style(mark))
    left.set_xlabel("level: log2 of the stride")
    left.set_ylabel("both sweeps, µs")
    left.set_yscale("log")
    left.set_title(f"n = {measured.size(up[0]['n'])}, level by level")
    right.set_xscale("log", base=2)
    right.set_yscale("log")
    right.set_xlabel("n")
    right.set_ylabel("ms")
    right.set_title("the whole scan")
    figure.suptitle(f"Work-efficient scan with and without idle threads, {gpu()}")
    legend(figure, [left], 2)
    finish(plt, figure, folder, "idle-threads", ["idle_threads", "idle_threads_kernels"])


def bank_conflicts(plt, folder):
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    for implementation, label, mark in (("shared_unpadded", "without padding", "naive"),
                                        ("shared", "with padding", "shared")):
        counts, times = [], []
        for block in tables.BLOCKS:
            kernels = measured.pick("bank_conflicts_kernels", implementation=implementation, block=block)
            counts.append(sum(k["bank_conflicts"] for k in kernels) / kernels[0]["n"])
            times.append(measured.need("bank_conflicts", tables.GROUPS["scan"], implementation, n=1 << 24,
                                     block=block)["median_ms"] * 1e3)
        left.plot(tables.BLOCKS, counts, label=label, **style(mark))
        right.plot(tables.BLOCKS, times, label=label, **style(mark))
    left.set_ylabel("bank conflicts an item")
    right.set_ylabel("µs")
    right.set_ylim(bottom=0)
    for panel in (left, right):
        panel.set_xscale("log", base=2)
        panel.set_xticks(tables.BLOCKS, [str(b) for b in tables.BLOCKS])
        panel.set_xlabel("threads of a block")
    figure.suptitle(f"Shared-memory scan of 2^24 integers, {gpu()}")
    legend(figure, [left], 2)
    finish(plt, figure, folder, "bank-conflicts", ["bank_conflicts", "bank_conflicts_kernels"])


def kernels(plt, folder):
    n = 1 << 26
    calls = tables.large_calls()
    # The groups that row files name, the sorts behind what passes over the data once; the tables have the rest.
    groups = sorted(row_files.joined("BARS"), key=lambda group: len(calls[group, "gpuprims", n]) > 2)
    bars = [(group, i) for group in groups for i in tables.BEST if (group, i, n) in calls]
    names, places, place = [], [], 0.0
    figure, panel = plt.subplots(figsize=(8, 0.3 * len(bars) + 1.6))
    for group, implementation in bars:
        if not names or names[-1] != group:
            place += 0.35
        names.append(group)
        row = measured.need("kernels", group, implementation, n=n, cache="cold")
        moved = sum(k["bytes_read"] + k["bytes_written"] for k in calls[group, implementation, n])
        rate = 100 * row["of_memcpy"]
        panel.barh(place, rate, height=0.82, color=plots.STYLES[implementation]["color"], label=f"bar: {implementation}")
        panel.plot([rate * moved / row["bytes"]], [place], linestyle="none", marker="|", markersize=19,
                   markeredgewidth=2.2, color="black", label="mark: the bytes that were moved")
        places.append(place)
        place += 1
    ticks = [(tables.KERNEL_GROUPS[group], [p for p, name in zip(places, names) if name == group])
             for group in dict.fromkeys(names)]
    panel.set_yticks([sum(p) / len(p) for _, p in ticks], [name for name, _ in ticks])
    panel.tick_params(axis="y", length=0)
    panel.grid(axis="y", visible=False)
    panel.axvline(100, color="black", linewidth=1)
    panel.set_xlim(0, 104)
    panel.margins(y=0.02)
    panel.invert_yaxis()
    panel.set_xlabel("% of the rate of a memcpy\nbar: of the least bytes, the input and the output once\n"
                     "mark right of its bar: more was moved; left: the last writes stayed in the cache")
    panel.set_title(f"How near to a copy, {measured.size(n)} items, {gpu()}")
    legend(figure, [panel], 3)
    finish(plt, figure, folder, "kernels", ["kernels", "kernels_kernels"])


def compile_time(plt, folder):
    rows = [r for r in measured.read("compile_time") if r["library"]]
    names = list(dict.fromkeys(r["primitive"] for r in rows))
    figure, panels = plt.subplots(1, 2, figsize=(9, 0.4 * len(names) + 1.2), sharey=True)
    for panel, column, scale, what in ((panels[0], "seconds_over_empty", 1, "seconds over an empty file"),
                                       (panels[1], "object_bytes", 1024, "object file, KiB")):
        for offset, library, label in ((-0.2, "gpuprims", "gpuprims"), (0.2, "cub", "CUB")):
            mine = {r["primitive"]: r[column] / scale for r in rows if r["library"] == library}
            places = [place + offset for place, name in enumerate(names) if name in mine]
            panel.barh(places, [mine[name] for name in names if name in mine], height=0.38, label=label,
                       color=plots.STYLES[label]["color"])
        panel.set_yticks(range(len(names)), names)
        panel.set_xlabel(what)
    panels[0].invert_yaxis()
    figure.suptitle("One #include and one call")
    legend(figure, panels[:1], 2)
    finish(plt, figure, folder, "compile-time", ["compile_time"])


def ratios(plt, folder, study):
    """The speed of each group in `RATIOS` of a row file, of a copy's and of CUB's, over the sizes."""
    groups = row_files.joined("RATIOS")[study]
    sizes = sorted({row["n"] for row in measured.read(study)})
    figure, panels = plt.subplots(-(-len(groups) // 4), 4, figsize=(11, 2.4 * -(-len(groups) // 4)), squeeze=False,
                                  sharex=True, sharey=True)
    for panel, (words, group) in zip(panels.flat, groups.items()):
        panel.axhline(1, color="black", linewidth=0.8)
        for rival, label in (("memcpy", "memcpy"), ("CUB", "CUB")):
            for cache, line in (("cold", "-"), ("warm", ":")):
                panel.plot(sizes, [tables.ratio(study, group, rival, n, cache) for n in sizes], label=f"of {label}, {cache}",
                           **{**style(rival), "linestyle": line, "linewidth": 1.3, "marker": ""})
        panel.set_xscale("log", base=2)
        panel.set_yscale("log")
        panel.set_title(words, fontsize=9)
        panel.set_yticks([0.6, 0.8, 1, 1.25, 1.5, 2, 2.5], ["0.6", "0.8", "1", "1.25", "1.5", "2", "2.5"])
        panel.minorticks_off()
    for panel in list(panels.flat)[len(groups):]:
        panel.set_visible(False)
    for panel in panels[-1]:
        panel.set_xlabel("n")
    figure.suptitle(f"Times the speed of memcpy and of CUB, {measured.read(study)[0]['gpu']}")
    legend(figure, panels.flat, 4)
    finish(plt, figure, folder, study.replace("_", "-"), [study])


DRAWN = {"block_size": [block_size], "cpu": [array_size, end_to_end], "array_size": [array_size],
         "end_to_end": [end_to_end], "idle_threads": [idle_threads], "bank_conflicts": [bank_conflicts],
         "kernels": [kernels], "compile_time": [compile_time],
         **{study: [functools.partial(ratios, study=study)] for study in row_files.joined("RATIOS")}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", nargs="*", metavar="STUDY", help="which (default: all): " + ", ".join(DRAWN))
    parser.add_argument("--results", default=str(measured.RESULTS), metavar="FOLDER",
                        help="the CSV files (default: results)")
    parser.add_argument("--out", default=str(ROOT / "docs" / "performance"), metavar="FOLDER",
                        help="where to write (default: docs/performance)")
    options = parser.parse_args()
    unknown = [word for word in options.studies if word not in DRAWN]
    if unknown:
        parser.error(f"no study is called {unknown[0]}")
    measured.RESULTS = pathlib.Path(options.results)
    folder = pathlib.Path(options.out)
    try:
        plt = plots.load_matplotlib()
        folder.mkdir(parents=True, exist_ok=True)
        for draw in dict.fromkeys(draw for study in options.studies or DRAWN for draw in DRAWN[study]):
            draw(plt, folder)
    except (plots.Problem, measured.Problem) as problem:
        print(f"study_plots.py: {problem}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"study_plots.py: cannot write {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
