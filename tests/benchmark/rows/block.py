"""block/block_scan.cuh and block/block_reduce.cuh"""
from measured import one, table

PLACE = 90


def collective(name, word, block, types):
    return ("block", {"PRIMITIVE": f"block_{name}_{block}", "COLLECTIVE": f"BENCH_{word}", "BLOCK": str(block)}, types)


INSTANCES = [
    collective("inclusive_scan", "INCLUSIVE", 128, ["u32"]),
    collective("inclusive_scan", "INCLUSIVE", 256, ["u32", "u64"]),
    collective("inclusive_scan", "INCLUSIVE", 1024, ["u32"]),
    collective("exclusive_scan", "EXCLUSIVE", 256, ["u32", "u64"]),
    collective("reduce", "REDUCE", 128, ["u32"]),
    collective("reduce", "REDUCE", 256, ["u32", "u64"]),
    collective("reduce", "REDUCE", 1024, ["u32"]),
]

COLD = ["block_[eir]*"]


def block_speed():
    """How many times as fast as CUB's block collectives."""
    columns = ("block_inclusive_scan", "block_exclusive_scan", "block_reduce")
    rows = []
    for kind, threads in (("u32", 128), ("u32", 256), ("u32", 1024), ("u64", 256)):
        found = [one("2e28_cold", f"{name}_{threads}/{kind}", "gpuprims") for name in columns]
        rows.append([f"{kind}, {threads} threads"] + [f"{row['vs_cub']:.2f}" if row else "" for row in found])
    return table(["", "`block_inclusive_scan`", "`block_exclusive_scan` with total", "`block_reduce`"], rows)


TABLES = [block_speed]
