"""merge_sort.cuh"""
from measured import digits, one, pick, size, table

PLACE = 60

COMPARE = {
    "place": 40, "section": "sort", "instance": ("merge_sort", {}, ["i32", "u32"]),
    "rows": {"gpuprims": "gpuprims sort (merge_sort.cuh)"},
}

INSTANCES = [
    ("merge_sort", {"PRIMITIVE": "merge_sort"}, ["u32", "u64", "i32", "f32", "f64"]),
    ("merge_sort", {"PRIMITIVE": "merge_sort_own", "OWN": ""}, ["u32"]),
    ("merge_sort", {"PRIMITIVE": "merge_sort_own", "OWN": "", "MEMBERS": "v"}, ["struct48"]),
    ("merge_sort", {"PRIMITIVE": "merge_sort_pairs", "PAIRS": ""}, ["u32-u64"]),
]
STUDIED = ["merge_sort_u32"]
SAMPLE_KEYS = {"merge_sort_u32": "merge_sort/u32"}

SORTS = [("merge_sort", {"PRIMITIVE": "merge_sort", "IN": "u32", "OUT": "u32"}),
         ("merge_sort", {"PRIMITIVE": "merge_sort_pairs", "IN": "u32", "OUT": "u64", "PAIRS": ""})]

TUNE = {"merge_sort": [
    {"shapes": {"GPI_TUNE_MERGE_ITEMS": [16, 32], "GPI_TUNE_MERGE_PAIR_ITEMS": [8, 16],
                "GPI_TUNE_MERGE_THREADS": [128, 256], "GPI_TUNE_MERGE_BLOCKS": [3, 4]},
     "instances": SORTS},
    {"shapes": {"GPI_TUNE_MERGE_SMALL": [1200000, 2400000, 4800000], "GPI_TUNE_MERGE_JOINT": [256, 512, 1024],
                "GPI_TUNE_MERGE_HELPED": [300, 700, 1500]},
     "instances": SORTS},
]}

COMPILE_TIME = {
    "merge_sort": {
        "header": "merge_sort.cuh", "call": "gp_merge_sort(in, out, n, ws, stream)",
        "cub": {"header": "cub/device/device_merge_sort.cuh",
                "before": "struct less { __device__ bool operator()(int a, int b) const { return a < b; } };",
                "call": "cub::DeviceMergeSort::StableSortKeysCopy(memory, bytes, in, out, n, less(), stream)"}},
    "merge_sort_256": {
        "bytes": 256, "header": "merge_sort.cuh", "call": "big_merge_sort(in, out, n, ws, stream)",
        "parameters": "#define GP_TYPE large\n#define GP_LESS(a, b) ((a).at[0] < (b).at[0])"},
}

KERNELS = {"merge_sort/u32": ("merge sort", {"2^26": "gpuprims CUB"})}
BARS = ["merge_sort/u32"]
STUDIES = {
    "merge_sort": {
        "what": "merge sorts over 2^10 to 2^28 items, and block sorts",
        "program": "gpbench_cuda",
        "timed": [
            {"beside": ["merge_sort/u32", "merge_sort/u64", "merge_sort_own/u32", "merge_sort_pairs/*"],
             "options": "--sizes 10..24,2^28 --warm"},
            {"beside": ["merge_sort/f32", "merge_sort_own/struct48", "block_sort*"],
             "options": "--sizes 2^28 --cold"},
        ],
    },
}
MERGE_SORTS = [("4-byte integers", "merge_sort/u32"), ("8-byte integers", "merge_sort/u64"),
               ("4-byte keys with 4-byte values", "merge_sort_pairs/u32-u64"),
               ("4-byte integers by an order of your own", "merge_sort_own/u32"), ("floats", "merge_sort/f32"),
               ("structs of 48 bytes by their first member", "merge_sort_own/struct48")]


def merge_sort_speed():
    """Milliseconds, and how many times as fast as CUB's merge sort: warm, or cold where that is all there is."""
    sizes = (1 << 20, 1 << 24, 1 << 28)
    rows = []
    for words, group in MERGE_SORTS:
        found = [one("merge_sort", group, "gpuprims", n=n, cache="warm")
                 or one("merge_sort", group, "gpuprims", n=n, cache="cold") for n in sizes]
        rows.append([words] + [f"{digits(row['median_ms'])} ({row['vs_cub']:.2f})" if row else "" for row in found])
    return table(["milliseconds", *map(size, sizes)], rows)


TABLES = [merge_sort_speed]
