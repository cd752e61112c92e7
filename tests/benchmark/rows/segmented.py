"""segmented.cuh"""
from measured import need, one, size, table

PLACE = 37

SHAPES = {"8": "eight items each", "power": "a power law", "one": "all items in one"}
INSTANCES = [
    *[("segmented", {"PRIMITIVE": f"segmented_sum_{shape}", "SHAPE": str(s)}, ["struct32-i32"])
      for s, shape in enumerate(SHAPES)],
    *[("segmented", {"PRIMITIVE": f"segmented_scan_{shape}", "SHAPE": str(s), "SCANS": ""}, ["struct32"])
      for s, shape in enumerate(SHAPES)],
]
STUDIED = [f"segmented_sum_{shape}_struct32_i32" for shape in SHAPES] + [
    f"segmented_scan_{shape}_struct32" for shape in SHAPES]

# An element is eight ints, so that 2^25 elements are 2^28 items.
SHORT = [f"segmented_{what}_{shape}/*" for what in ("sum", "scan") for shape in ("8", "power")]
STUDIES = {
    "segmented": {
        "what": "sums and scans of segments, of 2^10 to 2^28 items in as many eighths",
        "program": "gpbench_studies",
        "timed": [{"beside": SHORT, "options": "--sizes 2^7,2^11,2^15,2^19 --warm --repeat 21"},
                  {"beside": ["segmented_sum_one/*", "segmented_scan_one/*"],
                   "options": "--sizes 2^7,2^11,2^15 --warm --repeat 21"},
                  {"beside": ["segmented_sum_*/*", "segmented_scan_8/*"], "options": "--sizes 2^25 --warm --repeat 15"},
                  # Here a call of CUB takes seconds.
                  {"beside": ["segmented_scan_power/*", "segmented_scan_one/*"],
                   "options": "--sizes 2^25 --warm --repeat 3"}],
    },
}


def lines():
    """Title, group and number of segments of what is measured, at 2^28 items and below."""
    for what, name, kind in (("sums", "sum", "struct32-i32"), ("scans", "scan", "struct32")):
        for shape, words in SHAPES.items():
            yield f"{what}, {words}", f"segmented_{name}_{shape}/{kind}"


def segmented_speed():
    """Of memcpy's speed over the bytes that must move, and of CUB's speed, for 2^28 items."""
    rows = []
    for words, group in lines():
        mine, copy, other = (need("segmented", group, who, n=1 << 25, cache="warm")
                             for who in ("gpuprims", "memcpy", "CUB"))
        rows.append([words, f"{copy['median_ms'] / mine['median_ms']:.2f}",
                     f"{other['median_ms'] / mine['median_ms']:.1f}"])
    return table(["segments", "of memcpy's speed", "of CUB's speed"], rows)


def segmented_sizes():
    """How many times as fast as CUB, by the number of items."""
    sizes = [1 << power for power in (7, 11, 15, 19, 25)]
    rows = []
    for words, group in lines():
        found = [[one("segmented", group, who, n=n, cache="warm") for who in ("gpuprims", "CUB")] for n in sizes]
        rows.append([words] + [f"{other['median_ms'] / mine['median_ms']:.2f}" if mine and other else ""
                               for mine, other in found])
    return table(["segments", *(size(8 * n) for n in sizes)], rows)


TABLES = [segmented_speed, segmented_sizes]

TUNE = {"segmented": [
    {"shapes": {"GPI_TUNE_SEGMENTED_REDUCE_BLOCKS": [6, 7, 8], "GPI_TUNE_SEGMENTED_RANGE": [4096, 8192, 16384],
                "GPI_TUNE_SEGMENTED_CHUNKS": [1024, 2048, 4096], "GPI_TUNE_SEGMENTED_LOADS": [4, 8]},
     "instances": [("segmented", {"PRIMITIVE": "segmented_sum", "IN": "struct32", "OUT": "i32", "SHAPE": str(s)})
                   for s in (0, 1)]},
    {"shapes": {"GPI_TUNE_SEGMENTED_SCAN_BLOCKS": [4, 5, 6], "GPI_TUNE_SEGMENTED_AHEAD": [2, 4, 8],
                "GPI_TUNE_SEGMENTED_PIPELINED_FROM": [256, 65536]},
     "instances": [("segmented", {"PRIMITIVE": "segmented_scan", "IN": "struct32", "OUT": "struct32", "SHAPE": str(s),
                                  "SCANS": ""}) for s in (0, 1, 2)]},
    {"shapes": {"GPI_TUNE_SEGMENTED_STAGES": [5, 6, 7], "GPI_TUNE_SEGMENTED_LOOK_BACK_WARPS": [3, 4, 6]},
     "instances": [("segmented", {"PRIMITIVE": "segmented_scan", "IN": "struct32", "OUT": "struct32", "SHAPE": str(s),
                                  "SCANS": ""}) for s in (0, 1, 2)]},
]}

COMPILE_TIME = {
    "segmented": {"header": "segmented.cuh", "call": "gp_segmented_reduce(in, out, n, offsets, n, ws, stream)",
                  "arguments": "const int *in, const size_t *offsets, int *out",
                  "cub": {"header": "cub/device/device_segmented_reduce.cuh",
                          "call": "cub::DeviceSegmentedReduce::Sum(memory, bytes, in, out, (long long)n, offsets, "
                                  "offsets + 1, stream)"}},
}
