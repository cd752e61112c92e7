"""radix_sort.cuh"""
from measured import need, size, table

PLACE = 50

INSTANCES = [
    ("sort", {"PRIMITIVE": "sort", "RUNGS": ""}, ["i32"]),
    ("sort", {"PRIMITIVE": "sort"}, ["u32", "f32", "u64", "i64", "f64", "u8", "u16", "i16"]),
    ("sort_pairs", {"PRIMITIVE": "sort_pairs", "MAP": "u32"}, ["u32", "u64"]),
    ("sort_pairs", {"PRIMITIVE": "sort_pairs_bits", "MAP": "u32", "BITS": "45"}, ["u64"]),
    ("sort_pairs", {"PRIMITIVE": "sort_pairs", "MAP": "u64"}, ["u32-u64"]),
    ("sort_pairs", {"PRIMITIVE": "sort_pairs", "MAP": "struct16"}, ["u32-struct16"]),
    ("sort_pairs", {"PRIMITIVE": "sort_pairs", "MAP": "struct32"}, ["u32-struct32"]),
]
STUDIED = ["sort_i32", "sort_pairs_u32", "sort_pairs_u32_struct16"]
SAMPLE_KEYS = {**{f"sort_{kind}": f"sort/{kind}" for kind in ("u32", "u64", "u8", "f64")},
               "sort_pairs_u32": "sort_pairs/u32", "sort_pairs_bits_u64": "sort_pairs_bits/u64"}

COMPARE = {
    "place": 50, "section": "sort", "title": "SORT TESTS", "random_limit": 1000,
    "instance": ("sort", {"RUNGS": "", "COMPARED": ""}, ["i32", "u32"]),
    "rows": {
        "qsort": "cpu sort (qsort)",
        "split_all": "split sort (all bits)", "split": "split sort (maximum first)", "bitonic": "bitonic sort",
        "odd_even": "odd-even merge sort", "gpuprims": "gpuprims sort (radix_sort.cuh)", "CUB": "cub sort"},
}

U32 = ("sort", {"PRIMITIVE": "sort", "IN": "u32"})
U8 = ("sort", {"PRIMITIVE": "sort", "IN": "u8"})
TUNE = {"sort": [
    {"shapes": {"GPI_TUNE_RADIX_ITEMS": [47, 55, 59, 61, 63], "GPI_TUNE_RADIX_ALIKE": [10, 15, 20]}, "instances": [U32]},
    {"shapes": {"GPI_TUNE_RADIX_CROWD": [8, 12, 16], "GPI_TUNE_RADIX_BUCKETS_UNTIL": [1048576, 67108864, 268435456]},
     "instances": [U32]},
    {"shapes": {"GPI_TUNE_RADIX_COUNTED": [8192, 16384, 32768], "GPI_TUNE_RADIX_COUNTED_MOST": [32768, 65536]},
     "instances": [U8]},
]}

COMPILE_TIME = {
    "radix_sort": {"header": "radix_sort.cuh", "call": "gp_radix_sort(in, out, n, ws, stream)", "limit": 1.5,
                   "cub": {"header": "cub/device/device_radix_sort.cuh",
                           "call": "cub::DeviceRadixSort::SortKeys(memory, bytes, in, out, n, 0, 32, stream)"}},
    "radix_sort_256": {"bytes": 256, "header": "radix_sort.cuh",
                       "arguments": "const int *kin, int *kout, const large *in, large *out",
                       "parameters": "#define GP_VALUE large",
                       "call": "big_radix_sort(kin, kout, in, out, n, ws, stream)"},
}

KERNELS = {
    "sort/i32": ("sort", {"2^26": "gpuprims CUB", "2^24": "split bitonic odd_even", "2^12,2^16,2^20": "gpuprims CUB",
                          "2^28": "gpuprims"}),
    "sort_pairs/u32": ("sort, values of 4 bytes", {"2^26": "gpuprims CUB", "2^12,2^16,2^20": "gpuprims"}),
    "sort_pairs/u32-struct16": ("sort, values of 16 bytes", {"2^26": "gpuprims CUB"}),
}
BARS = ["sort/i32", "sort_pairs/u32"]

# Against CUB's radix sort: the distributions in the order of the table.
DISTRIBUTIONS = {
    "sorted": "sorted", "reversed": "reversed", "constant": "all the same", "seven": "7 values", "few": "16 values",
    "range": "64 values", "mostly": "nine in ten the same", "entropy": "AND of three random ones",
    "gaussian": "gaussian", "low20": "20 low bits", "high16": "16 high bits", "zipf": "Zipf",
    "runs": "4096 neighbours the same", "banks": "bytes that are multiples of 32", "hole": "the second byte 0",
    "crowd": "8192 alike in 24 bits"}
STUDIES = {
    "sort": {
        "what": "radix sorts of 2^28 items of all types and many distributions, and of few items",
        "program": "gpbench_cuda",
        "timed": [
            {"beside": ["sort/*", "sort_pairs/*"], "options": "--sizes 2^28 --cold"},
            {"beside": ["sort/u32", "sort/u64", "sort_pairs/u32"],
             "options": f"--sizes 2^28 --cold --repeat 9 --distribution {','.join(DISTRIBUTIONS)}"},
            {"beside": ["sort/[uf]*", "sort_pairs/u32", "sort_pairs/u64"],
             "options": "--sizes 8..24 --warm --batch 20"},
        ],
    },
}
SPEED = {"study": "sort", "head": [""], "unit": "10^9 keys per second", "lines": [
    (["4-byte integers, unsigned"], "sort/u32"), (["4-byte integers, signed"], "sort/i32"),
    (["floats"], "sort/f32"),
    (["8-byte integers, unsigned"], "sort/u64"), (["8-byte integers, signed"], "sort/i64"),
    (["doubles"], "sort/f64"), (["bytes"], "sort/u8"), (["2-byte integers, unsigned"], "sort/u16"),
    (["2-byte integers, signed"], "sort/i16"),
    (["4-byte keys with 4-byte values"], "sort_pairs/u32"),
    (["4-byte keys with 8-byte values"], "sort_pairs/u32-u64"),
    (["4-byte keys with 16-byte values"], "sort_pairs/u32-struct16"),
    (["4-byte keys with 32-byte values"], "sort_pairs/u32-struct32"),
    (["8-byte keys with 4-byte values"], "sort_pairs/u64"),
]}
SORTS = {"u32": "sort/u32", "u64": "sort/u64", "u32 with u32": "sort_pairs/u32", "u64 with u32": "sort_pairs/u64",
         "f32": "sort/f32", "f64": "sort/f64"}


def sort_distributions():
    """How many times as fast as CUB's radix sort, by distribution."""
    kinds = list(SORTS)[:3]
    rows = [[words] + [f"{need('sort', SORTS[kind], 'gpuprims', n=1 << 28, distribution=name)['vs_cub']:.2f}"
                       for kind in kinds] for name, words in DISTRIBUTIONS.items()]
    return table(["", *kinds], rows)


def sort_sizes():
    """How many times as fast as CUB's radix sort, by size."""
    sizes = [1 << power for power in (8, 10, 12, 14, 16, 17, 18, 20, 22, 24)]
    rows = [[kind] + [f"{need('sort', group, 'gpuprims', n=n, batch=20, distribution='uniform')['vs_cub']:.2f}"
                      for n in sizes] for kind, group in SORTS.items()]
    return table(["", *map(size, sizes)], rows)


TABLES = [sort_distributions, sort_sizes]
