"""scan.cuh"""

PLACE = 10

INSTANCES = [
    ("scan", {"PRIMITIVE": "scan_exclusive_sum", "OP": "SUM", "SIMPLE": "", "CLASSIC": "classic_scan"}, ["i32"]),
    ("scan", {"PRIMITIVE": "scan_exclusive_sum", "OP": "SUM", "SIMPLE": ""}, ["i64"]),
    ("scan", {"PRIMITIVE": "scan_exclusive_sum", "OP": "SUM"}, ["u32", "f32", "f64", "u8", "i16"]),
    ("scan", {"PRIMITIVE": "scan_exclusive_sum", "OP": "SUM", "WIDENS": ""}, ["u8-u64"]),
    ("scan", {"PRIMITIVE": "scan_exclusive_sum", "OP": "ADD", "MEMBERS": "m"}, ["struct16"]),
    ("scan", {"PRIMITIVE": "scan_exclusive_sum", "OP": "ADD", "MEMBERS": "v"}, ["struct48"]),
    ("scan", {"PRIMITIVE": "scan_exclusive_product", "OP": "PRODUCT"}, ["struct16"]),
    ("scan", {"PRIMITIVE": "scan_exclusive_own", "OP": "OWN"}, ["u8", "i16", "i32"]),
    ("scan", {"PRIMITIVE": "scan_inclusive_max", "OP": "MAX"}, ["i32", "f32", "i64", "f64", "u8", "i16"]),
]
STUDIED = ["scan_exclusive_sum_i32"]
SAMPLE = {**{f"scan_exclusive_sum_{kind}": f"scan_exclusive_sum/{kind}" for kind in ("i32", "f32", "i64", "u8")},
          "scan_inclusive_max_i32": "scan_inclusive_max/i32"}

COMPARE = {
    "place": 10, "section": "scan", "title": "SCAN TESTS", "random_limit": 50,
    "instance": ("scan", {"OP": "SUM", "CLASSIC": "scan"}, ["i32", "f32"]),
    "rows": {
        "cpu": "cpu scan", "cpu_threads": "cpu threads scan", "naive": "naive scan",
        "work_efficient_idle": "work-efficient scan",
        "work_efficient": "work-efficient scan (active threads only)",
        "shared_unpadded": "shared-memory scan", "shared": "shared-memory scan (padded banks)",
        "shuffle": "warp-shuffle scan", "gpuprims": "gpuprims scan (scan.cuh)", "CUB": "cub scan"},
}

I32 = ("scan", {"PRIMITIVE": "scan_exclusive_sum", "OP": "BENCH_SUM", "IN": "i32", "OUT": "i32"})
I64 = ("scan", {"PRIMITIVE": "scan_exclusive_sum", "OP": "BENCH_SUM", "IN": "i64", "OUT": "i64"})
TUNE = {"scan": [
    {"shapes": {"GPI_TUNE_SCAN_STAGES": [5, 6, 7], "GPI_TUNE_SCAN_LOOK_BACK_WARPS": [3, 4, 6, 8]},
     "instances": [I32, I64]},
    {"shapes": {"GPI_TUNE_SCAN_SIMPLE_BLOCKS": [2, 3, 4]}, "instances": [I32]},
    {"shapes": {"GPI_TUNE_SCAN_ROUNDS": [1, 2, 3, 4]}, "instances": [I32]},
    {"shapes": {"GPI_TUNE_TILE_SMALL": [1, 2, 3], "GPI_TUNE_TILE_FEW": [20, 40, 60],
                "GPI_TUNE_TILE_MIDDLE": [3, 4, 5]},
     "instances": [I32]},
]}

LARGE = {"header": "scan.cuh", "call": "big_exclusive_scan(in, out, n, ws, stream)"}
COMPILE_TIME = {
    "scan": {"header": "scan.cuh", "call": "gp_exclusive_scan(in, out, n, ws, stream)",
             "cub": {"header": "cub/device/device_scan.cuh",
                     "call": "cub::DeviceScan::ExclusiveSum(memory, bytes, in, out, n, stream)"}},
    "scan_128": {"bytes": 128, **LARGE},
    "scan_256": {"bytes": 256, **LARGE},
}

KERNELS = {
    "scan_exclusive_sum/i32": ("scan", {"2^26": "naive work_efficient shared shuffle gpuprims gpuprims_simple CUB",
                                        "2^16,2^22": "gpuprims"}),
}
BARS = ["scan_exclusive_sum/i32"]
COLD = ["scan_[ei]*/*"]
OFFSETS = [
    ("scan, 4-byte ints", "scan_exclusive_sum/i32"), ("scan, 8-byte ints", "scan_exclusive_sum/i64"),
    ("scan, 2-byte ints", "scan_exclusive_sum/i16"), ("scan, bytes", "scan_exclusive_sum/u8"),
    ("scan, bytes, maximum", "scan_inclusive_max/u8"),
    ("scan, 4-byte ints, an operator of one's own", "scan_exclusive_own/i32"),
]
SIZES = [("scan, 4-byte integers", "scan_exclusive_sum/i32"), ("scan, 8-byte", "scan_exclusive_sum/i64")]


def maximum(words, kind):
    """Against CUB given cuda::maximum, and given a functor."""
    return [([f"{words}, maximum"], f"scan_inclusive_max/{kind}"),
            (["likewise, CUB by a functor"], f"scan_inclusive_max/{kind}", "CUB_functor")]


SPEED = {"study": "2e28_cold", "head": ["items"], "lines": [
    (["4-byte ints, sum"], "scan_exclusive_sum/i32"), *maximum("4-byte ints", "i32"),
    (["floats, sum"], "scan_exclusive_sum/f32"), *maximum("floats", "f32"),
    (["8-byte ints, sum"], "scan_exclusive_sum/i64"), *maximum("8-byte ints", "i64"), *maximum("doubles", "f64"),
    (["bytes, sum"], "scan_exclusive_sum/u8"),
    (["2-byte ints, sum"], "scan_exclusive_sum/i16"), *maximum("2-byte ints", "i16"),
    (["bytes, an operator of one's own"], "scan_exclusive_own/u8"),
    (["2-byte ints, likewise"], "scan_exclusive_own/i16"), (["4-byte ints, likewise"], "scan_exclusive_own/i32"),
    (["bytes to 8-byte sums"], "scan_exclusive_sum/u8-u64"),
    (["2×2 matrices of 16 bytes, product"], "scan_exclusive_product/struct16"),
    (["structs of 48 bytes"], "scan_exclusive_sum/struct48"),
]}
