"""search.cuh"""
from measured import need, size, table


PLACE = 72

INSTANCES = [
    ("search", {"PRIMITIVE": "lower_bound", "ITEMS": "16"}, ["u32-u64"]),
    ("search", {"PRIMITIVE": "lower_bound_dense", "ITEMS": "1"}, ["u32-u64"]),
]
STUDIED = ["lower_bound_u32_u64", "lower_bound_dense_u32_u64"]

SEARCH = ("search", {"PRIMITIVE": "lower_bound", "ITEMS": "16", "IN": "u32", "OUT": "u64"})

TUNE = {"search": [
    {"shapes": {"GPI_TUNE_SEARCH_THREADS": [128, 256], "GPI_TUNE_SEARCH_BLOCKS": [3, 4],
                "GPI_TUNE_SEARCH_ROWS": [1, 2, 4], "GPI_TUNE_SEARCH_TABLE": [4096, 8192]},
     "instances": [SEARCH]},
    {"shapes": {"GPI_TUNE_SEARCH_SORTED_THREADS": [64, 128], "GPI_TUNE_SEARCH_SORTED_BLOCKS": [12, 16],
                "GPI_TUNE_SEARCH_SORTED_ROWS": [4, 8], "GPI_TUNE_SEARCH_ROOM": [24576, 49152]},
     "instances": [SEARCH]},
    {"shapes": {"GPI_TUNE_SEARCH_INDEX": [8388608, 16777216, 33554432], "GPI_TUNE_SEARCH_MANY": [262144, 524288],
                "GPI_TUNE_SEARCH_ITEMS": [16, 32, 64]},
     "instances": [SEARCH]},
    {"shapes": {"GPI_TUNE_SEARCH_LANES": [65536, 131072], "GPI_TUNE_SEARCH_ALONE": [32768, 65536]},
     "instances": [SEARCH]},
]}

STUDIES = {
    "search": {
        "what": "lower bounds of 2^8 to 2^24 queries in 16 times as many items, and in as many",
        "program": "gpbench_studies",
        "timed": [{"beside": ["lower_bound*"], "options": "--sizes 8..24 --cold --warm --repeat 15 --distribution uniform,sorted"}],
    },
}



def search_sizes():
    """How many times as fast as CUB, by the number of queries."""
    sizes = [1 << power for power in (8, 12, 16, 18, 20, 22, 24)]
    rows = []
    for words, group in (("16 items for each query", "lower_bound/u32-u64"),
                         ("one for each", "lower_bound_dense/u32-u64")):
        for name, queries in (("uniform", "random"), ("sorted", "sorted")):
            found = [[need("search", group, who, n=n, distribution=name, cache="cold") for who in ("gpuprims", "CUB")]
                     for n in sizes]
            rows.append([words, queries, *(f"{other['median_ms'] / mine['median_ms']:.2f}" for mine, other in found)])
    return table(["items", "queries", *map(size, sizes)], rows, 2)


TABLES = [search_sizes]

COMPILE_TIME = {
    "search": {"header": "search.cuh", "call": "gp_lower_bound(in, n, in, n, (size_t *)out, ws, stream)"},
}
