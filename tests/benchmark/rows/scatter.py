"""scatter.cuh"""

PLACE = 40

INSTANCES = [
    ("scatter", {"PRIMITIVE": "scatter", "MAP": "u64", "ALL": ""}, ["u32"]),
    ("scatter", {"PRIMITIVE": "scatter", "MAP": "u64"}, ["u64", "struct48"]),
    ("scatter", {"PRIMITIVE": "scatter_map32", "MAP": "u32"}, ["u32", "u64"]),
]
STUDIED = ["scatter_u32"]

TUNE = {"scatter": [
    {"shapes": {"GPI_TUNE_SCATTER_THREADS": [128, 256, 512, 1024], "GPI_TUNE_SCATTER_UNITS": [1, 2, 4, 8, 16]},
     "instances": [("scatter", {"PRIMITIVE": "scatter", "IN": "u32", "MAP": "u64", "ALL": ""}),
                   ("scatter", {"PRIMITIVE": "scatter_map32", "IN": "u32", "MAP": "u32"}),
                   ("scatter", {"PRIMITIVE": "scatter", "IN": "struct48", "MAP": "u64"})]},
]}

COMPILE_TIME = {
    "scatter": {"header": "scatter.cuh", "arguments": "const int *in, const size_t *map, int *out",
                "call": "gp_scatter(in, map, out, n, ws, stream)"},
}

KERNELS = {f"{word}/u32": (word, {"2^26": "gpuprims"}) for word in ("gather", "scatter", "scatter_if", "map_to_flags")}
BARS = ["gather/u32"]
