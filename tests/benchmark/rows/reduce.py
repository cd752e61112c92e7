"""reduce.cuh"""

PLACE = 20

COMPARE = {
    "place": 30, "section": "find-max", "title": "FIND-MAX TESTS", "random_limit": 1000,
    "instance": ("reduce", {"OP": "MAX", "NAN": "", "CLASSIC": "max"}, ["i32", "u32", "f32"]),
    "rows": {"cpu": "cpu find-max", "find_max": "pairwise find-max", "gpuprims": "gpuprims maximum (reduce.cuh)",
             "CUB": "cub maximum"},
}

INSTANCES = [
    ("reduce", {"PRIMITIVE": "reduce_sum", "OP": "SUM"}, ["i32", "f32", "i64", "f64"]),
    ("reduce", {"PRIMITIVE": "reduce_sum", "OP": "SUM", "WIDENS": ""}, ["u8-u64"]),
    ("reduce", {"PRIMITIVE": "reduce_max", "OP": "MAX", "CLASSIC": "classic_max"}, ["i32"]),
    ("reduce_at", {"PRIMITIVE": "reduce_products"}, ["i64-i32"]),
    ("reduce_at", {"PRIMITIVE": "reduce_numbers", "COUNTS": ""}, ["i32"]),
]
STUDIED = ["reduce_sum_i32", "reduce_max_i32", "reduce_products_i64_i32", "reduce_numbers_i32"]
SAMPLE = {"reduce_sum_i32": "reduce_sum/i32", "reduce_sum_f64": "reduce_sum/f64"}

TUNE = {"reduce": [
    {"shapes": {"GPI_TUNE_REDUCE_BLOCKS": [2, 3, 4]},
     "instances": [("reduce", {"PRIMITIVE": "reduce_sum", "OP": "BENCH_SUM", "IN": "i32", "OUT": "i32"}),
                   ("reduce", {"PRIMITIVE": "reduce_sum", "OP": "BENCH_SUM", "IN": "i64", "OUT": "i64"})]},
    {"shapes": {"GPI_TUNE_REDUCE_STRIPED": [14, 28]},
     "instances": [("reduce_at", {"PRIMITIVE": "reduce_products", "IN": "i64", "OUT": "i32"})]},
]}

STUDIES = {
    "reduce_at": {
        "what": "sums by GP_LOAD_AT, of products of two arrays and of numbers, of 2^8 to 2^28 items",
        "program": "gpbench_studies",
        "timed": [{"beside": ["reduce_products/*", "reduce_numbers/*"],
                   "options": "--sizes 8..28 --cold --repeat 21"}],
    },
}
SPEED = {"study": "reduce_at", "head": ["by `GP_LOAD_AT`"],
         "lines": [(["sum of products of two arrays of ints"], "reduce_products/i64-i32")]}

COMPILE_TIME = {
    "reduce": {"header": "reduce.cuh", "call": "gp_reduce(in, out, n, ws, stream)",
               "cub": {"header": "cub/device/device_reduce.cuh",
                       "call": "cub::DeviceReduce::Sum(memory, bytes, in, out, n, stream)"}},
    "reduce_256": {"bytes": 256, "header": "reduce.cuh", "call": "big_reduce(in, out, n, ws, stream)"},
}

KERNELS = {
    "reduce_sum/i32": ("sum", {"2^26": "gpuprims CUB", "2^16,2^22": "gpuprims"}),
    "reduce_max/i32": ("maximum", {"2^26": "find_max gpuprims CUB"}),
}
BARS = ["reduce_sum/i32"]
COLD = ["reduce_*"]
SIZES = [("sum, 4-byte", "reduce_sum/i32"), ("sum, 8-byte", "reduce_sum/i64"), (None, "reduce_sum/f64")]
