"""segmented_sort.cuh"""
from measured import one, size, table


PLACE = 51

SHAPES = {"8": "segments of 8", "256": "segments of 256", "4096": "segments of 4096", "65536": "segments of 65536",
          "power": "a power law", "mixed": "one of most items, and segments of 8", "32": "segments of 32",
          "5000": "segments of 5000", "rows_64": "rows of 64", "100": "segments of 100"}
INSTANCES = [
    *[("segmented_sort", {"PRIMITIVE": f"segmented_sort_{shape}", "SHAPE": str(s)}, ["u32"])
      for s, shape in enumerate(SHAPES)],
    *[("segmented_sort", {"PRIMITIVE": f"segmented_sort_pairs_{shape}", "SHAPE": str(s), "MAP": "u32", "PAIRS": ""},
       ["u32"]) for s, shape in enumerate(SHAPES)],
]
STUDIED = [f"segmented_sort_{what}{shape}_u32" for what in ("", "pairs_") for shape in SHAPES]


def entries(*shapes):
    """CUB's sort of long segments takes seconds for so many short ones: it is left out."""
    return [f"segmented_sort{pairs}_{shape}/u32/{name}" for pairs in ("", "_pairs") for shape in shapes
            for name in ("gpuprims", "CUB", "CUB_toolkit", "memcpy")]


STUDIES = {
    "segmented_sort": {
        "what": "sorts of the segments of 2^12 to 2^28 keys, alone and with values of 4 bytes",
        "program": "gpbench_studies",
        "timed": [{"only": entries("8", "32", "rows_64", "100", "256", "power"),
                   "options": "--sizes 2^12,2^16,2^20,2^24 --warm --repeat 15"},
                  {"beside": ["segmented_sort*_4096/u32", "segmented_sort*_5000/u32", "segmented_sort*_65536/u32"],
                   "options": "--sizes 2^12,2^16,2^20,2^24,2^28 --warm --repeat 15"},
                  {"only": entries("8", "32", "rows_64", "100", "256", "power"),
                   "options": "--sizes 2^28 --warm --repeat 7"},
                  {"only": entries("mixed"), "options": "--sizes 2^12,2^16,2^20,2^24 --warm --repeat 7"}],
    },
}


def segmented_sort_sizes():
    """How many times as fast as the faster of CUB's two sorts, by the number of keys."""
    sizes = [1 << power for power in (12, 16, 20, 24, 28)]
    rows = []
    for pairs, what in (("", "keys"), ("pairs_", "pairs")):
        for shape, words in SHAPES.items():
            group, line = f"segmented_sort_{pairs}{shape}/u32", [f"{what}, {words}"]
            for n in sizes:
                mine, *rivals = [one("segmented_sort", group, who, n=n) for who in ("gpuprims", "CUB", "CUB_radix")]
                times = [rival["median_ms"] for rival in rivals if rival]
                line.append(f"{min(times) / mine['median_ms']:.2f}" if mine and times else "")
            rows.append(line)
    return table(["", *map(size, sizes)], rows)


TABLES = [segmented_sort_sizes]

TUNE = {"segmented_sort": [
    {"shapes": {"GPI_TUNE_SEGMENTED_SORT_THREADS": [256, 512, 1024], "GPI_TUNE_SEGMENTED_SORT_BLOCKS": [1, 2, 3, 4]},
     "instances": [("segmented_sort", {"PRIMITIVE": "segmented_sort", "IN": "u32", "SHAPE": str(s)}) for s in (0, 1, 2)]},
    {"shapes": {"GPI_TUNE_SEGMENTED_SORT_ITEMS": [4, 8], "GPI_TUNE_SEGMENTED_SORT_LARGE": [8, 10, 12],
                "GPI_TUNE_SEGMENTED_SORT_CROWD": [8, 10, 12, 16]},
     "instances": [("segmented_sort", {"PRIMITIVE": "segmented_sort", "IN": "u32", "SHAPE": str(s)}) for s in (0, 1, 2)]},
    {"shapes": {"GPI_TUNE_SEGMENTED_SORT_SHARES": [64, 128, 256], "GPI_TUNE_SEGMENTED_SORT_SMALL": [256, 512, 1024],
                "GPI_TUNE_SEGMENTED_SORT_JOINT": [256, 512, 1024]},
     "instances": [("segmented_sort", {"PRIMITIVE": "segmented_sort", "IN": "u32", "SHAPE": str(s)}) for s in (1, 3)]},
    {"shapes": {"GPI_TUNE_SEGMENTED_SORT_PASS_ITEMS": [8, 12, 16, 20]},
     "instances": [("segmented_sort", {"PRIMITIVE": "segmented_sort", "IN": "u32", "SHAPE": str(s)}) for s in (3, 5)]},
    {"shapes": {"GPI_TUNE_SEGMENTED_SORT_DIRECT": [1024, 2048, 4096]},
     "instances": [("segmented_sort", {"PRIMITIVE": "segmented_sort", "IN": "u32", "SHAPE": "8"})]},
    {"shapes": {"GPI_TUNE_SEGMENTED_SORT_SOME": [4096, 8192, 16384],
                "GPI_TUNE_SEGMENTED_SORT_SMALL_BLOCKS": [3, 4, 5, 6],
                "GPI_TUNE_SEGMENTED_SORT_FEW": [524288, 2097152, 8388608]},
     "instances": [("segmented_sort", {"PRIMITIVE": "segmented_sort", "IN": "u32", "SHAPE": s}) for s in "689"]},
    {"shapes": {"GPI_TUNE_SEGMENTED_SORT_GROUP": [64, 128, 256], "GPI_TUNE_SEGMENTED_SORT_BATCH": [512, 1024],
                "GPI_TUNE_SEGMENTED_SORT_PLAN_BLOCKS": [6, 8, 10],
                "GPI_TUNE_SEGMENTED_SORT_FEW_ROWS": [65536, 131072, 262144]},
     "instances": [("segmented_sort", {"PRIMITIVE": "segmented_sort", "IN": "u32", "SHAPE": "0"})]},
]}

COMPILE_TIME = {
    "segmented_sort": {"header": "segmented_sort.cuh", "call": "gp_segmented_sort(in, out, n, offsets, n, ws, stream)",
                       "arguments": "const int *in, const size_t *offsets, int *out",
                       "cub": {"header": "cub/device/device_segmented_sort.cuh",
                               "call": "cub::DeviceSegmentedSort::StableSortKeys(memory, bytes, in, out, (long long)n, "
                                       "(long long)n, offsets, offsets + 1, stream)"}},
}
