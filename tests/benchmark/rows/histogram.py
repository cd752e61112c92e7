"""histogram.cuh"""
from measured import digits, need, size, table

PLACE = 37

INSTANCES = [
    ("histogram", {"PRIMITIVE": "histogram", "BINS": "256"}, ["u8"]),
    ("histogram", {"PRIMITIVE": "histogram", "BINS": "65536"}, ["u16"]),
    ("histogram", {"PRIMITIVE": "histogram_even", "BINS": "256", "EVEN": ""}, ["f32", "f64", "u32"]),
    ("histogram", {"PRIMITIVE": "histogram_range", "BINS": "256", "RANGE": ""}, ["f32"]),
    ("histogram", {"PRIMITIVE": "histogram_even_2e16", "BINS": "65536", "EVEN": ""}, ["u32"]),
    ("histogram", {"PRIMITIVE": "histogram_even_2e21", "BINS": "2097152", "EVEN": ""}, ["u32"]),
]
STUDIED = ["histogram_u8", "histogram_u16", "histogram_even_f32", "histogram_even_f64", "histogram_even_u32",
           "histogram_range_f32", "histogram_even_2e16_u32", "histogram_even_2e21_u32"]

TUNE = {"histogram": [
    {"shapes": {"GPI_TUNE_HISTOGRAM_COPIES": [1, 2, 4], "GPI_TUNE_HISTOGRAM_THREADS": [128, 256, 512],
                "GPI_TUNE_HISTOGRAM_TABLE": [4, 8, 32]},
     "instances": [("histogram", {"PRIMITIVE": "histogram", "BINS": "256", "IN": "u8"}),
                   ("histogram", {"PRIMITIVE": "histogram_even", "BINS": "256", "EVEN": "", "IN": "f32"})]},
    {"shapes": {"GPI_TUNE_HISTOGRAM_PART": [16, 64, 256], "GPI_TUNE_HISTOGRAM_PARTS": [3, 5, 8],
                "GPI_TUNE_HISTOGRAM_CLEARED": [2048, 8192, 32768], "GPI_TUNE_HISTOGRAM_SHARED": [2, 4, 8]},
     "instances": [("histogram", {"PRIMITIVE": "histogram_even_2e16", "BINS": "65536", "EVEN": "", "IN": "u32"}),
                   ("histogram", {"PRIMITIVE": "histogram_even_2e21", "BINS": "2097152", "EVEN": "", "IN": "u32"})]},
]}

COMPILE_TIME = {
    "histogram": {"header": "histogram.cuh", "arguments": "const int *in, uint64_t *counts",
                  "call": "gp_histogram(in, counts, n, 256, ws, stream)",
                  "cub": {"header": "cub/device/device_histogram.cuh",
                          "call": "cub::DeviceHistogram::HistogramEven(memory, bytes, in, "
                                  "(unsigned long long *)counts, 257, 0, 256, (long long)n, stream)"}},
}

GROUPS = [("bytes by value", "256", "histogram/u8"), ("2-byte integers by value", "2^16", "histogram/u16"),
          ("floats, even", "256", "histogram_even/f32"), ("doubles, even", "256", "histogram_even/f64"),
          ("4-byte integers, even", "256", "histogram_even/u32"),
          ("floats, between levels", "256", "histogram_range/f32"),
          ("4-byte integers, even", "2^16", "histogram_even_2e16/u32"),
          ("4-byte integers, even", "2^21", "histogram_even_2e21/u32")]
KINDS = ["uniform", "few", "sorted", "constant", "entropy"]

STUDIES = {
    "histogram": {
        "program": "gpbench_studies",
        "what": "histograms of 2^10 to 2^28 items, and of 2^28 with other distributions",
        "timed": [
            {"beside": ["histogram*"], "options": "--sizes 2^10,2^12,2^14,2^16,2^18,2^20,2^22,2^24 --warm --batch 20"},
            {"beside": ["histogram*"],
             "options": "--sizes 2^28 --cold --distribution " + ",".join(KINDS)},
        ],
    },
}


def rival(group, **wanted):
    """The faster of CUB's ways."""
    return min(need("histogram", group, name, **wanted)["median_ms"] for name in ("CUB", "CUB_32"))


def histogram_speed():
    """At 2^28 items, cold, uniform."""
    rows = []
    for words, bins, group in GROUPS:
        wanted = {"n": 1 << 28, "cache": "cold", "distribution": "uniform"}
        mine, cub = need("histogram", group, "gpuprims", **wanted), need("histogram", group, "CUB", **wanted)
        narrow = need("histogram", group, "CUB_32", **wanted)
        rows.append([words, bins, digits(mine["median_ms"]), f"{mine['of_memcpy']:.2f}",
                     f"{cub['median_ms'] / mine['median_ms']:.2f}", f"{narrow['median_ms'] / mine['median_ms']:.2f}"])
    return table(["items", "bins", "milliseconds", "of memcpy's speed", "of CUB's speed", "with counters of 32 bits"],
                 rows, 2)


def histogram_kinds():
    """Milliseconds by distribution."""
    rows = []
    for words, bins, group in GROUPS:
        found = [need("histogram", group, "gpuprims", n=1 << 28, cache="cold", distribution=kind) for kind in KINDS]
        rows.append([words, bins] + [digits(row["median_ms"]) for row in found])
    return table(["items", "bins", *KINDS], rows, 2)


def histogram_sizes():
    """Of the speed of CUB's faster way, 20 warm calls back to back."""
    sizes = [1 << power for power in range(10, 25, 2)]
    rows = []
    for words, bins, group in GROUPS:
        ratios = []
        for n in sizes:
            wanted = {"n": n, "cache": "warm", "distribution": "uniform", "batch": 20}
            mine = need("histogram", group, "gpuprims", **wanted)["median_ms"]
            ratios.append(f"{rival(group, **wanted) / mine:.2f}")
        rows.append([words, bins] + ratios)
    return table(["items", "bins", *map(size, sizes)], rows, 2)


TABLES = [histogram_speed, histogram_kinds, histogram_sizes]
