"""classic/bitonic_sort.cuh and classic/odd_even_merge_sort.cuh, beside the other sorts of pairs"""
from measured import digits, pick, read, size, table

PLACE = 55

INSTANCES = [("sort_pairs", {"PRIMITIVE": "sort_networks", "MAP": "u32", "NETWORKS": ""}, ["u32"])]
STUDIED = ["sort_networks_u32"]

NAMES = {"bitonic": "bitonic", "odd_even": "odd-even merge", "gpuprims": "radix sort", "CUB": "CUB radix sort",
         "gpuprims_merge": "merge sort", "CUB_merge": "CUB merge sort"}
STUDIES = {
    "networks": {
        "what": "the sorting networks beside radix and merge sort, pairs, 2^14 to 2^26; docs/figures/draw.py draws it",
        "timed": [{"only": [f"sort_networks/u32/{name}" for name in NAMES],
                   "options": "--sizes 14..26 --warm --repeat 100"}],
    },
}


def networks():
    """Milliseconds of the sorting networks and of the other sorts of pairs."""
    time = {(row["implementation"], row["n"]): row["median_ms"] for row in read("networks")}
    rows = [[size(n)] + [digits(time[name, n]) if time[name, n] >= 0.1 else f"{time[name, n]:.3f}" for name in NAMES]
            for n in sorted({n for _, n in time})]
    return table(["pairs", *NAMES.values()], rows)


def network_growth(implementation, n):
    """How many times as long as for half as many pairs, for a sentence."""
    time = {row["n"]: row["median_ms"] for row in pick("networks", implementation=implementation)}
    return f"{time[int(n)] / time[int(n) // 2]:.1f}"


def networks_repeat():
    """Of how many runs the times of networks() are medians."""
    return str(read("networks")[0]["repeat"])


TABLES = [networks, network_growth, networks_repeat]
