"""merge.cuh"""
from measured import need, size, table

PLACE = 70

INSTANCES = [
    ("merge", {"PRIMITIVE": "merge"}, ["u32", "u64"]),
    ("merge", {"PRIMITIVE": "merge_in_turn", "TRAIT": "HALVES_IN_TURN"}, ["u32"]),
    ("merge", {"PRIMITIVE": "merge_1_to_1000", "TRAIT": "ONE_TO_1000_SORTED"}, ["u32"]),
]
STUDIED = ["merge_u32", "merge_in_turn_u32", "merge_1_to_1000_u32"]
SAMPLE = {"merge_u32": "merge/u32"}

STUDIES = {
    "merge": {
        "what": "merges of 2^16 to 2^28 keys, of halves that interleave or do not, and of one key and a thousand",
        "program": "gpbench_studies",
        "timed": [{"beside": ["merge/u32", "merge_in_turn/u32", "merge_1_to_1000/u32"],
                   "options": "--sizes 2^16,2^18,2^20,2^22,2^24,2^26,2^28 --cold"}],
    },
}

SHAPES = {"merge/u32": "two halves, interleaved", "merge_in_turn/u32": "two halves, one after the other",
          "merge_1_to_1000/u32": "one key to a thousand"}


def merge_sizes():
    """How many times as fast as CUB, by the number of keys; and of memcpy's speed."""
    sizes = [1 << power for power in range(16, 29, 2)]
    rows = []
    for group, words in SHAPES.items():
        found = [[need("merge", group, who, n=n) for who in ("gpuprims", "CUB")] for n in sizes]
        rows.append([words] + [f"{other['median_ms'] / mine['median_ms']:.2f}" for mine, other in found]
                    + [f"{found[-1][0]['of_memcpy']:.2f}"])
    return table(["arrays", *map(size, sizes), f"{size(sizes[-1])}, of memcpy's speed"], rows)


TABLES = [merge_sizes]

MERGE = ("merge", {"PRIMITIVE": "merge", "IN": "u32", "OUT": "u32"})

TUNE = {"merge": [
    {"shapes": {"GPI_TUNE_MERGE_TWO_ITEMS": [15, 19, 23], "GPI_TUNE_MERGE_TWO_THREADS": [512, 768],
                "GPI_TUNE_MERGE_TWO_STAGES": [2, 3], "GPI_TUNE_MERGE_TWO_BLOCKS": [1, 2],
                "GPI_TUNE_MERGE_TWO_SPLIT_WARPS": [1, 2, 3]},
     "instances": [MERGE]},
    {"shapes": {"GPI_TUNE_MERGE_TWO_SIMPLE_THREADS": [128, 256, 512], "GPI_TUNE_MERGE_TWO_SMALL_THREADS": [64, 128],
                "GPI_TUNE_MERGE_TWO_SMALL": [125000, 250000, 500000],
                "GPI_TUNE_MERGE_TWO_PIPELINED": [12000000, 16000000, 24000000]},
     "instances": [MERGE]},
    {"shapes": {"GPI_TUNE_MERGE_TWO_WIDE_ITEMS": [9, 11, 15]},
     "instances": [("merge", {"PRIMITIVE": "merge", "IN": "u64", "OUT": "u64"})]},
]}

COMPILE_TIME = {
    "merge": {
        "header": "merge.cuh", "call": "gp_merge(in, n, in + n, n, out, ws, stream)",
        "cub": {"header": "cub/device/device_merge.cuh",
                "before": "struct less { __device__ bool operator()(int a, int b) const { return a < b; } };",
                "call": "cub::DeviceMerge::MergeKeys(memory, bytes, in, (int)n, in + n, (int)n, out, less(), stream)"}},
}

KERNELS = {"merge/u32": ("merge", {"2^26": "gpuprims CUB"})}
BARS = ["merge/u32"]
