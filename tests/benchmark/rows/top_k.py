"""top_k.cuh"""
from measured import digits, need, size, table


PLACE = 53

KS = (1, 64, 1024, 65536)
INSTANCES = [
    *[("top_k", {"PRIMITIVE": f"top_k_{k}", "K": str(k)}, ["u32"]) for k in KS],
    ("top_k", {"PRIMITIVE": "top_k_64", "K": "64"}, ["f32", "f64"]),
]
ROWS = ((1024, 4096, 32), (10000, 1000, 16), (512, 8192, 128), (100000, 100, 8), (64, 50257, 50), (4, 131072, 2048),
        (65536, 256, 128), (4096, 4096, 1024))
ROW_GROUPS = {f"row_top_k_{length}_{k}": (rows, length, k) for rows, length, k in ROWS}
INSTANCES += [("row_top_k", {"PRIMITIVE": group, "LENGTH": str(length), "K": str(k)}, ["u32"])
              for group, (_, length, k) in ROW_GROUPS.items()]
STUDIED = [*[f"top_k_{k}_u32" for k in KS], "top_k_64_f32", "top_k_64_f64", *[f"{group}_u32" for group in ROW_GROUPS]]

STUDIES = {
    "top_k": {
        "what": "the 1, 64, 1024 and 65536 smallest of 2^16 to 2^28 keys, of several distributions",
        "program": "gpbench_studies",
        "timed": [{"beside": ["top_k_*"], "options": "--sizes 2^16,2^18,2^20,2^22,2^24,2^28 --cold"},
                  {"beside": ["top_k_64/u32", "top_k_1024/u32"],
                   "options": "--sizes 2^28 --cold --distribution sorted,reversed,constant,entropy"},
                  *[{"beside": [f"{group}/u32"],
                     "options": f"--sizes {rows} --cold --warm --distribution uniform,constant"}
                    for group, (rows, _, _) in ROW_GROUPS.items()]],
    },
}

LINES = [*[(f"{k} of 4-byte integers", f"top_k_{k}/u32") for k in KS], ("64 of floats", "top_k_64/f32"),
         ("64 of doubles", "top_k_64/f64")]
SPEED = {"study": "top_k", "head": ["the first"], "lines": [([words], group) for words, group in LINES]}
INPUTS = {"uniform": "random", "sorted": "sorted", "reversed": "reversed", "constant": "all equal",
          "entropy": "AND of three random words"}


def top_k_sizes():
    """How many times as fast as CUB, by the number of keys."""
    sizes = [1 << power for power in (16, 18, 20, 22, 24, 28)]
    rows = []
    for words, group in LINES:
        found = [[need("top_k", group, who, n=n, distribution="uniform") for who in ("gpuprims", "CUB")] for n in sizes]
        rows.append([words] + [f"{other['median_ms'] / mine['median_ms']:.2f}" for mine, other in found])
    return table(["the first", *map(size, sizes)], rows)


def top_k_inputs():
    """Of memcpy's speed, by what the keys are like."""
    groups = LINES[1:3]
    rows = [[words] + [f"{need('top_k', group, 'gpuprims', n=1 << 28, distribution=name)['of_memcpy']:.2f}"
                       for _, group in groups] for name, words in INPUTS.items()]
    return table(["keys", *(words for words, _ in groups)], rows)


def top_k_rows():
    """Microseconds for rows, and how many times as fast as CUB."""
    lines = []
    for group, (rows, length, k) in ROW_GROUPS.items():
        line = [f"{rows} x {length}", str(k)]
        for distribution, cache in (("uniform", "warm"), ("uniform", "cold"), ("constant", "warm")):
            mine, other = [need("top_k", f"{group}/u32", who, n=rows, distribution=distribution, cache=cache)
                           for who in ("gpuprims", "CUB")]
            line.append(f"{digits(1000 * mine['median_ms'])} ({other['median_ms'] / mine['median_ms']:.2f})")
        lines.append(line)
    return table(["rows", "k", "random", "random, cold", "all equal"], lines)


TABLES = [top_k_sizes, top_k_inputs, top_k_rows]

FEW = ("top_k", {"PRIMITIVE": "top_k_64", "K": "64", "IN": "u32"})
MANY = ("top_k", {"PRIMITIVE": "top_k_65536", "K": "65536", "IN": "u32"})

TUNE = {"top_k": [
    {"shapes": {"GPI_TUNE_TOP_K_ROOM": [2048, 4096], "GPI_TUNE_TOP_K_THREADS": [256, 512, 1024],
                "GPI_TUNE_TOP_K_BLOCKS": [2, 3]},
     "instances": [FEW, MANY]},
    {"shapes": {"GPI_TUNE_TOP_K_SAMPLES": [65536, 131072], "GPI_TUNE_TOP_K_BLOCK_SAMPLES": [512, 1024, 2048],
                "GPI_TUNE_TOP_K_DIRECT": [2048, 4096]},
     "instances": [FEW, MANY]},
    {"shapes": {"GPI_TUNE_TOP_K_PARTS": [132, 264, 396], "GPI_TUNE_TOP_K_PART": [2048, 4096, 8192],
                "GPI_TUNE_TOP_K_LISTS": [8192, 16384, 32768]},
     "instances": [FEW]},
    {"shapes": {"GPI_TUNE_TOP_K_TEAMS": [64, 128, 256], "GPI_TUNE_TOP_K_TEAM_ITEMS": [1024, 2048, 4096],
                "GPI_TUNE_TOP_K_TEAM_MOST": [33554432, 67108864, 134217728]},
     "instances": [FEW]},
    {"shapes": {"GPI_TUNE_TOP_K_VECTORS_MOST": [65536, 131072, 524288]},
     "instances": [("top_k", {"PRIMITIVE": "top_k_1024", "K": "1024", "IN": "u32"})]},
    {"shapes": {"GPI_TUNE_TOP_K_WHOLE": [8, 16, 32]},
     "instances": [("row_top_k", {"PRIMITIVE": "row_top_k_256_128", "LENGTH": "256", "K": "128", "IN": "u32"})]},
    {"shapes": {"GPI_TUNE_TOP_K_WAYS": [4, 8], "GPI_TUNE_TOP_K_FEW_MERGED": [262144, 524288, 1048576],
                "GPI_TUNE_TOP_K_SORT": [32768, 65536, 131072]},
     "instances": [MANY]},
    {"shapes": {"GPI_TUNE_TOP_K_FEW_ROWS": [0, 512, 2048], "GPI_TUNE_TOP_K_SHORT": [4, 5, 8],
                "GPI_TUNE_TOP_K_GROUP": [16, 32, 64]},
     "instances": [("row_top_k", {"PRIMITIVE": group, "LENGTH": str(length), "K": str(k), "IN": "u32"})
                   for group, (_, length, k) in list(ROW_GROUPS.items())[:4]]},
]}

COMPILE_TIME = {
    "top_k": {"header": "top_k.cuh", "call": "gp_top_k(in, out, n, 10, ws, stream)"},
}
