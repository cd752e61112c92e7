#!/usr/bin/env python3
"""The row files, rows/NAME.py: what build, benchmark, studies, tuning and tables know of each primitive.

    row_files.py instances [FILE...]    a line for each file that gpbench is stamped out of: its name, its template,
                                        whether CUB has a side of its own, which programs besides gpbench need it, its
                                        #defines
    row_files.py sample [FILE...]       the lines of what gpbench --sample measures, in C
    row_files.py compared [FILE...]     likewise of the comparison program
    row_files.py comparison [FILE...]   the table of that program, in C

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


def print_instance(name, template, values, kind, programs=()):
    has_cub = "NO_CUB" not in values and (HERE / f"bench_{template}_cub.h").exists()
    print(name, template, "cub" if has_cub else "", " ".join(programs), ";".join(defines(name, values, kind)), sep="|")


def print_instances(paths):
    for row in load(paths):
        for template, values, kinds in row.get("INSTANCES", []):
            for kind in kinds:
                name = f"{values['PRIMITIVE']}_{kind}".replace("-", "_")
                members = {"studies": row.get("STUDIED", []), "sample": sampled(row)}
                print_instance(name, template, values, kind, [word for word, names in members.items() if name in names])


# ---- the sample ----

# What is measured of a group: distributions and sizes. To groups of SAMPLE_KEYS, which are sorts, the former matter.
EVERY_SIZE = ("uniform", ",".join(f"2^{power}" for power in range(8, 29, 2)))
SAMPLES = {
    "SAMPLE": [EVERY_SIZE],
    "SAMPLE_KEYS": [EVERY_SIZE, ("entropy,zipf,sorted,reversed,runs512,small,few,constant",
                                 "2^10,2^12,2^15,2^18,2^22,2^28")],
}


def sampled(row):
    """The instances that it takes."""
    return [instance for key in SAMPLES for instance in row.get(key, {})]


def print_sample(paths):
    for row in load(paths):
        for key, measured in SAMPLES.items():
            for groups in row.get(key, {}).values():
                for group in groups.split():
                    for distributions, sizes in measured:
                        print(f'    {{"{group}", "{distributions}", "{sizes}"}},')


# ---- the comparison program ----

def compared(paths):
    """What the row files say of it, in its order."""
    return sorted((row["COMPARE"] for row in load(paths) if "COMPARE" in row), key=lambda told: told["place"])


def print_compared(paths):
    for told in compared(paths):
        template, values, kinds = told["instance"]
        for kind in kinds:
            more = {"CLASSIC": f"compare_classic_{kind}_{values['CLASSIC']}"} if "CLASSIC" in values else {}
            if "CUB" not in told["rows"]:
                more["NO_CUB"] = ""
            print_instance(f"compare_{template}_{kind}", template, {"PRIMITIVE": template, **values, **more}, kind)


def pointers(told):
    """To the instances of i32, u32 and f32; where the order of elements does not matter, u32 has that of i32."""
    template, _, kinds = told["instance"]
    chosen = [kind if kind in kinds else other for kind, other in (("i32", None), ("u32", "i32"), ("f32", None))]
    return ", ".join(f"&compare_{template}_{kind}_instance" if kind else "NULL" for kind in chosen)


def print_comparison(paths):
    rows = compared(paths)
    print('/* Made by row_files.py. */\n#include "compare.h"\n')
    for told in rows:
        template, _, kinds = told["instance"]
        for kind in kinds:
            print(f"extern const bench_instance compare_{template}_{kind}_instance;")
    print("\nconst compare_section compare_sections[] = {")
    for told in rows:
        if "title" in told:
            print(f'    {{"{told["section"]}", "{told["title"]}", {told["random_limit"]}, {{{pointers(told)}}}}},')
    print("    {NULL, NULL, 0, {NULL, NULL, NULL}},\n};\n\nconst compare_row compare_rows[] = {")
    for told in rows:
        for entry, name in told["rows"].items():
            print(f'    {{"{told["section"]}", "{entry}", "{name}", {{{pointers(told)}}}}},')
    print("    {NULL, NULL, NULL, {NULL, NULL, NULL}},\n};")


PRINT = {"instances": print_instances, "sample": print_sample, "compared": print_compared,
         "comparison": print_comparison}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in PRINT:
        sys.exit(__doc__)
    PRINT[sys.argv[1]](sys.argv[2:])
