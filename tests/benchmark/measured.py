"""What was measured, the CSV files of results/, and how pages say it. The tables stand on this: tables.py, row files."""
import csv
import functools
import hashlib
import math
import pathlib
import re

RESULTS = pathlib.Path(__file__).resolve().parent / "results"

NAMES = {"gpuprims": "gpuprims", "gpuprims_simple": "gpuprims, simple kernel", "CUB_toolkit": "CUB of the toolkit",
         "cpu": "CPU, one core", "cpu_threads": "CPU, all cores", "cpu_with_scan": "CPU, with a scan",
         "work_efficient": "work-efficient", "work_efficient_idle": "work-efficient, idle threads",
         "shared_unpadded": "shared, no padding", "odd_even": "odd-even merge", "find_max": "find-max",
         "memcpy": "copies alone"}


class Problem(Exception):
    """What goes to standard error as one sentence."""


# ---- rows ----

def path_of(name):
    """results/h200_NAME.csv, or that of another GPU; what a compiler takes or makes is no matter of the GPU."""
    is_whole = name in ("compile_time", "library") or name.startswith("h100_")
    return RESULTS / (f"{name}.csv" if is_whole else f"h200_{name}.csv")


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
        raise Problem(f"{path_of(name).name} has {len(rows)} rows for {group}/{implementation} {wanted}")
    return rows[0] if rows else None


def need(name, group, implementation, **wanted):
    row = one(name, group, implementation, **wanted)
    if row is None:
        raise Problem(f"{path_of(name).name} has no row for {group}/{implementation} {wanted}")
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
