#!/usr/bin/env python3
"""Turns CSV files of gpbench into tables (Markdown) and plots (SVG).

    plots.py --out docs/performance h200.csv ...

writes into that folder
    tables.md                   every primitive at the sizes of --sizes, and where it was measured
    throughput-PRIMITIVE.svg    GB/s over n, one panel per type, one line per implementation
    ratio.svg                   how many times as fast as CUB, at the largest size

The same CSV files give the same bytes. Of rows measured twice, the last one in the last file counts.
"""
import argparse
import csv
import math
import pathlib
import sys

COLUMNS = ["primitive", "implementation", "type", "distribution", "n", "cache", "batch", "median_ms", "bytes", "GBps",
           "of_memcpy", "vs_cub", "gpu", "driver", "toolkit", "cub", "commit", "date"]

# The library, its rival and the limit look the same in every plot.
STYLES = {
    "gpuprims": {"color": "#c0392b", "linewidth": 2.0, "marker": "o", "zorder": 4},
    "CUB": {"color": "#2c7fb8", "linewidth": 1.6, "marker": "s", "zorder": 3},
    "Thrust": {"color": "#2c7fb8", "linewidth": 1.6, "marker": "s", "zorder": 3},
    "memcpy": {"color": "#888888", "linewidth": 1.4, "linestyle": "--", "zorder": 2},
}
OTHERS = ["#27ae60", "#8e44ad", "#d35400", "#16a085", "#7f8c8d", "#b7950b"]


class Problem(Exception):
    """What goes to standard error as one sentence."""


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", nargs="+", metavar="FILE", help="written by gpbench --csv")
    parser.add_argument("--out", default=".", metavar="FOLDER", help="where to write (default: here)")
    parser.add_argument("--cache", choices=["cold", "warm"], help="which rows (default: cold if there are any)")
    parser.add_argument("--batch", type=int, default=1, metavar="N", help="which rows (default 1)")
    parser.add_argument("--distribution", default="uniform", metavar="NAME", help="which rows (default uniform)")
    parser.add_argument("--sizes", metavar="LIST", help="rows of the tables, as 2^20,2^28 (default: the largest)")
    parser.add_argument("--tables-only", action="store_true", help="no plots, and no need of matplotlib")
    return parser.parse_args()


def read_rows(paths):
    rows = {}
    for path in paths:
        try:
            with open(path, newline="", encoding="utf-8") as stream:
                reader = csv.DictReader(stream)
                missing = [c for c in COLUMNS if c not in (reader.fieldnames or [])]
                if missing:
                    raise Problem(f"{path} has no column {missing[0]}: it is not a CSV file of gpbench")
                for row in reader:
                    for column in ("n", "batch"):
                        row[column] = int(row[column])
                    for column in ("median_ms", "bytes", "GBps", "of_memcpy", "vs_cub"):
                        row[column] = float(row[column]) if row[column] else None
                    key = [row[c] for c in ("primitive", "type", "implementation", "distribution", "n", "cache",
                                            "batch", "gpu")]
                    key += [row.get("offset_in"), row.get("offset_out"), row.get("block")]
                    rows[tuple(key)] = row
        except OSError as error:
            raise Problem(f"cannot read {path}: {error.strerror}") from None
        except (ValueError, TypeError):
            raise Problem(f"{path} is damaged in line {reader.line_num}") from None
    return list(rows.values())


def choose(rows, options):
    """The rows that are asked for; all aligned, or a plot would mix two lines."""
    rows = [r for r in rows if r["distribution"] == options.distribution and r["batch"] == options.batch
            and r.get("offset_in", "0") == "0" and r.get("offset_out", "0") == "0"]
    cache = options.cache or ("cold" if any(r["cache"] == "cold" for r in rows) else "warm")
    rows = [r for r in rows if r["cache"] == cache]
    if not rows:
        raise Problem(f"no row is {options.distribution}, {cache}, batch {options.batch} and aligned")
    if len({r["gpu"] for r in rows}) > 1:
        raise Problem("the files come from different GPUs, and one table cannot hold both")
    return rows, cache


def parse_size(text):
    base, caret, exponent = text.partition("^")
    try:
        return int(base) ** int(exponent) if caret else int(base)
    except ValueError:
        raise Problem(f"--sizes takes numbers as 1000003 or 2^20, not '{text}'") from None


def size_text(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else str(n)


def unique(values):
    return list(dict.fromkeys(values))


def rival(rows):
    """By whom vs_cub is measured in the rows of a primitive."""
    return "Thrust" if any(r["implementation"] == "Thrust" for r in rows) else "CUB"


# ---- tables ----

def number(value, pattern):
    return "–" if value is None else pattern.format(value)


def write_tables(path, rows, cache, options):
    sizes = [parse_size(s) for s in options.sizes.split(",")] if options.sizes else None
    lines = ["# Measured", ""]
    for place in unique((r["gpu"], r["driver"], r["toolkit"], r["cub"], r["commit"]) for r in rows):
        gpu, driver, toolkit, cub, commit = (word or "none" for word in place)
        dates = sorted(r["date"] for r in rows if (r["gpu"], r["driver"], r["toolkit"], r["cub"], r["commit"]) == place)
        lines.append(f"{gpu}, driver {driver}, toolkit {toolkit}, CUB {cub}, commit {commit}, {dates[0]}.")
    lines.append(f"Input {options.distribution}, cache {cache}, calls per measurement {options.batch}.")
    for primitive in unique(r["primitive"] for r in rows):
        mine = [r for r in rows if r["primitive"] == primitive]
        lines += ["", f"## {primitive}", "",
                  f"| type | n | implementation | ms | GB/s | of memcpy | against {rival(mine)} |",
                  "|---|---:|---|---:|---:|---:|---:|"]
        for kind in unique(r["type"] for r in mine):
            present = sorted({r["n"] for r in mine if r["type"] == kind})
            for n in [s for s in sizes if s in present] if sizes else present[-1:]:
                for r in (r for r in mine if r["type"] == kind and r["n"] == n):
                    lines.append(f"| {kind} | {size_text(n)} | {r['implementation']} | {r['median_ms']:.4g} | "
                                 f"{r['GBps']:.1f} | {number(r['of_memcpy'], '{:.3f}')} | "
                                 f"{number(r['vs_cub'], '{:.2f}x')} |")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


# ---- plots ----

def load_matplotlib():
    try:
        import matplotlib
    except ImportError:
        raise Problem("the plots need matplotlib: pip install matplotlib "
                      "(plots.py --tables-only and study.py --measure-only do without)") from None
    matplotlib.use("svg")
    # Letters stay letters, ids are no random numbers, and the date is not written (in save).
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "gpbench", "font.family": "sans-serif",
                                "font.size": 9, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True})
    import matplotlib.pyplot
    return matplotlib.pyplot


def save(plt, figure, path, source=None):
    """`source` is kept in the file, where tests find what it was drawn from."""
    metadata = {"Date": None, "Creator": None}
    if source:
        metadata["Source"] = source
    figure.savefig(path, format="svg", metadata=metadata, bbox_inches="tight")
    plt.close(figure)


def style_of(implementation, implementations):
    if implementation in STYLES:
        return {"markersize": 3, **STYLES[implementation]}
    others = [i for i in implementations if i not in STYLES]
    return {"color": OTHERS[others.index(implementation) % len(OTHERS)], "linewidth": 1.0, "marker": ".", "markersize": 3}


def plot_throughput(plt, path, primitive, rows):
    kinds = unique(r["type"] for r in rows)
    implementations = unique(r["implementation"] for r in rows)
    columns = min(3, len(kinds))
    lines = math.ceil(len(kinds) / columns)
    figure, panels = plt.subplots(lines, columns, figsize=(3.6 * columns + 0.4, 2.7 * lines + 0.5), squeeze=False)
    for panel, kind in zip(panels.flat, kinds):
        for implementation in implementations:
            points = sorted((r["n"], r["GBps"]) for r in rows if r["type"] == kind and r["implementation"] == implementation)
            if points:
                panel.plot(*zip(*points), label=implementation, **style_of(implementation, implementations))
        panel.set_xscale("log", base=2)
        panel.set_ylim(bottom=0)
        panel.set_title(kind)
        panel.set_xlabel("n")
        panel.set_ylabel("GB/s")
    for panel in list(panels.flat)[len(kinds):]:
        panel.set_visible(False)
    handles, labels = [], []
    for panel in panels.flat:
        for handle, label in zip(*panel.get_legend_handles_labels()):
            if label not in labels:
                handles.append(handle)
                labels.append(label)
    figure.suptitle(f"{primitive} on {rows[0]['gpu']}")
    figure.tight_layout()
    figure.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=6, frameon=False)
    save(plt, figure, path)


def plot_ratios(plt, path, rows):
    bars = []
    for primitive, kind in unique((r["primitive"], r["type"]) for r in rows):
        mine = [r for r in rows if (r["primitive"], r["type"]) == (primitive, kind)]
        against = "" if rival(mine) == "CUB" else f" ({rival(mine)})"
        mine = [r for r in mine if r["implementation"] == "gpuprims" and r["vs_cub"] is not None]
        if mine:
            last = max(mine, key=lambda r: r["n"])
            bars.append((f"{primitive} {kind}, {size_text(last['n'])}{against}", last["vs_cub"]))
    if not bars:
        return False
    bars.reverse()  # the first one on top
    figure, panel = plt.subplots(figsize=(7, 0.24 * len(bars) + 1.0))
    panel.barh([b[0] for b in bars], [b[1] for b in bars],
               color=[STYLES["gpuprims"]["color"] if b[1] >= 1 else "#999999" for b in bars])
    for place, (_, ratio) in enumerate(bars):
        panel.text(ratio, place, f" {ratio:.2f}", va="center", fontsize=8)
    panel.axvline(1, color="black", linewidth=1)
    panel.set_xlabel("times as fast as CUB")
    panel.set_title(f"gpuprims against CUB on {rows[0]['gpu']}")
    panel.margins(y=0.01)
    panel.set_xlim(0, 1.12 * max(1, *(b[1] for b in bars)))  # room for the numbers
    save(plt, figure, path)
    return True


def main():
    options = parse_arguments()
    try:
        rows, cache = choose(read_rows(options.csv), options)
        plt = None if options.tables_only else load_matplotlib()
        folder = pathlib.Path(options.out)
        folder.mkdir(parents=True, exist_ok=True)
        write_tables(folder / "tables.md", rows, cache, options)
        if plt:
            for primitive in unique(r["primitive"] for r in rows):
                plot_throughput(plt, folder / f"throughput-{primitive}.svg", primitive,
                                [r for r in rows if r["primitive"] == primitive])
            if not plot_ratios(plt, folder / "ratio.svg", rows):
                print("plots.py: no row has a ratio to CUB, so there is no ratio.svg", file=sys.stderr)
    except Problem as problem:
        print(f"plots.py: {problem}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"plots.py: cannot write {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
