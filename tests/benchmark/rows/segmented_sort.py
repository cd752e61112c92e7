"""segmented_sort.cuh"""
from measured import one, size, table


PLACE = 51

SHAPES = {"8": "segments of 8", "256": "segments of 256", "4096": "segments of 4096", "65536": "segments of 65536",
          "power": "a power law", "mixed": "one of most items, and segments of 8"}
INSTANCES = [
    *[("segmented_sort", {"PRIMITIVE": f"segmented_sort_{shape}", "SHAPE": str(s)}, ["u32"])
      for s, shape in enumerate(SHAPES)],
    *[("segmented_sort", {"PRIMITIVE": f"segmented_sort_pairs_{shape}", "SHAPE": str(s), "MAP": "u32", "PAIRS": ""},
       ["u32"]) for s, shape in enumerate(SHAPES)],
]
STUDIED = [f"segmented_sort_{what}{shape}_u32" for what in ("", "pairs_") for shape in SHAPES]

STUDIES = {
    "segmented_sort": {
        "what": "sorts of the segments of 2^12 to 2^28 keys, alone and with values of 4 bytes",
        "program": "gpbench_studies",
        "timed": [{"beside": [f"segmented_sort*_{shape}/u32" for shape in SHAPES if shape != "mixed"],
                   "options": "--sizes 2^12,2^16,2^20,2^24,2^28 --warm --repeat 15"},
                  {"beside": ["segmented_sort*_mixed/u32"], "options": "--sizes 2^12,2^16,2^20,2^24 --warm --repeat 7"}],
    },
}



def segmented_sort_sizes():
    """How many times as fast as CUB, by the number of keys."""
    sizes = [1 << power for power in (12, 16, 20, 24, 28)]
    rows = []
    for pairs, what in (("", "keys"), ("pairs_", "pairs")):
        for shape, words in SHAPES.items():
            found = [[one("segmented_sort", f"segmented_sort_{pairs}{shape}/u32", who, n=n)
                      for who in ("gpuprims", "CUB")] for n in sizes]
            rows.append([f"{what}, {words}"] + [f"{other['median_ms'] / mine['median_ms']:.2f}" if mine and other else ""
                                                for mine, other in found])
    return table(["", *map(size, sizes)], rows)


TABLES = [segmented_sort_sizes]

TUNE = {"segmented_sort": [
    {"shapes": {"GPI_TUNE_SEGMENTED_SORT_THREADS": [256, 512, 1024], "GPI_TUNE_SEGMENTED_SORT_BLOCKS": [1, 2, 3, 4]},
     "instances": [("segmented_sort", {"PRIMITIVE": "segmented_sort", "IN": "u32", "SHAPE": str(s)}) for s in (0, 1, 2)]},
    {"shapes": {"GPI_TUNE_SEGMENTED_SORT_TILE": [2048, 4096], "GPI_TUNE_SEGMENTED_SORT_CROWD": [8, 10, 12, 16]},
     "instances": [("segmented_sort", {"PRIMITIVE": "segmented_sort", "IN": "u32", "SHAPE": str(s)}) for s in (0, 1, 2)]},
    {"shapes": {"GPI_TUNE_SEGMENTED_SORT_PASS_ITEMS": [8, 12, 16, 20]},
     "instances": [("segmented_sort", {"PRIMITIVE": "segmented_sort", "IN": "u32", "SHAPE": str(s)}) for s in (3, 5)]},
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
