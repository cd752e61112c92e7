#!/usr/bin/env python3
"""The row files, rows/NAME.py: what build, benchmark, studies, tuning and tables know of each primitive.

    row_files.py instances [FILE...]    a line for each file that gpbench is stamped out of: its name, its template,
                                        whether CUB has a side of its own, whether studies need it, its #defines

README.md tells what a row file says.
"""
import pathlib
import runpy
import sys

HERE = pathlib.Path(__file__).resolve().parent


def load(paths=None):
    """What the row files define, in the order of their PLACE."""
    found = [{"FILE": path.stem, **runpy.run_path(str(path))}
             for path in map(pathlib.Path, paths or (HERE / "rows").glob("*.py"))]
    return sorted(found, key=lambda row: (row["PLACE"], row["FILE"]))


def joined(name):
    """The lists, or dictionaries, that they call so, as one."""
    rows = [row[name] for row in load() if name in row]
    if isinstance(rows[0], dict):
        return {key: value for row in rows for key, value in row.items()}
    return [item for row in rows for item in row]


def defines(name, values, kind):
    """Of an instance; a type is the label of an element, or two of them: of the input, and of the result."""
    values = {"INSTANCE": name, "TYPE": kind, "IN": kind.split("-")[0], "OUT": kind.split("-")[-1], **values}
    if "OP" in values:
        if values["OP"] == "SUM" and kind in ("f32", "f64"):
            values["ROUNDS"] = "1"
        values["OP"] = "BENCH_" + values["OP"]
    return [f"#define BENCH_{key} {value}".strip() for key, value in values.items()]


def print_instances(paths):
    for row in load(paths):
        for template, values, kinds in row.get("INSTANCES", []):
            for kind in kinds:
                name = f"{values['PRIMITIVE']}_{kind}".replace("-", "_")
                has_cub = (HERE / f"bench_{template}_cub.h").exists()
                print(name, template, "cub" if has_cub else "", "studied" if name in row.get("STUDIED", []) else "",
                      ";".join(defines(name, values, kind)), sep="|")


if __name__ == "__main__":
    if sys.argv[1:2] != ["instances"]:
        sys.exit(__doc__)
    print_instances(sys.argv[2:])
