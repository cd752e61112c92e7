"""search.cuh"""

PLACE = 72

INSTANCES = [
    ("search", {"PRIMITIVE": "lower_bound", "ITEMS": "16"}, ["u32-u64"]),
    ("search", {"PRIMITIVE": "lower_bound_dense", "ITEMS": "1"}, ["u32-u64"]),
]
STUDIED = ["lower_bound_u32_u64", "lower_bound_dense_u32_u64"]
SAMPLE = {"lower_bound_u32_u64": "lower_bound/u32-u64"}

TUNE = {"search": [
    {"shapes": {"GPI_TUNE_SEARCH_INDEX": [8388608, 16777216, 33554432], "GPI_TUNE_SEARCH_ROWS": [1, 2, 4]},
     "instances": [("search", {"PRIMITIVE": "lower_bound", "ITEMS": "16", "IN": "u32", "OUT": "u64"})]},
]}

STUDIES = {
    "search": {
        "what": "lower bounds of 2^8 to 2^24 queries in 16 times as many items, and in as many",
        "program": "gpbench_studies",
        "timed": [{"beside": ["lower_bound*"], "options": "--sizes 8..24 --cold --warm --repeat 15 --distribution uniform,sorted"}],
    },
}

COMPILE_TIME = {
    "search": {"header": "search.cuh", "call": "gp_lower_bound(in, n, in, n, (size_t *)out, ws, stream)"},
}
