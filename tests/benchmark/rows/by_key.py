"""by_key.cuh"""

PLACE = 36

INSTANCES = [("by_key", {"PRIMITIVE": "by_key"}, ["i32"])]
STUDIED = ["by_key_i32"]

I32 = ("by_key", {"PRIMITIVE": "by_key", "IN": "i32"})
TUNE = {"by_key": [
    {"shapes": {"GPI_TUNE_BY_KEY_SUM_WARPS": [4, 8], "GPI_TUNE_BY_KEY_LOOK_BACK_WARPS": [2, 3, 4, 6],
                "GPI_TUNE_BY_KEY_TEAMS": [1, 2, 3]},
     "instances": [I32]},
    {"shapes": {"GPI_TUNE_BY_KEY_SIMPLE_BLOCKS": [2, 3, 4]}, "instances": [I32]},
    {"shapes": {"GPI_TUNE_BY_KEY_ROUNDS": [1, 2, 3, 4]}, "instances": [I32]},
    {"shapes": {"GPI_TUNE_BY_KEY_STAGES": [5, 6, 7]}, "instances": [I32]},
]}

STUDIES = {
    "by_key": {
        "what": "reductions and scans by key of 2^8 to 2^28 items, cold and warm",
        "timed": [{"beside": ["reduce_by_key*/i32", "scan_by_key*/i32"],
                   "options": "--sizes 2^8,2^10,2^12,2^14,2^16,2^18,2^20,2^22,2^24,2^26,2^28 --cold --warm "
                              "--repeat 21"}],
    },
}
RATIOS = {"by_key": {
    **{f"reduce, {words}": f"reduce_by_key{ending}/i32" for words, ending in (
        ("runs of 1", ""), ("runs of 5", "_runs5"), ("runs of 64", "_runs64"), ("runs of 100,000", "_runs1e5"))},
    **{f"scan, {words}": f"scan_by_key{ending}/i32" for words, ending in (
        ("runs of 1", ""), ("runs of 5", "_runs5"), ("runs of 64", "_runs64"), ("runs of 100,000", "_runs1e5"))},
}}
SPEED = {"study": "by_key", "head": ["4-byte keys and items"],
         "lines": [([words], group) for words, group in RATIOS["by_key"].items()]}

COMPILE_TIME = {
    "by_key": {
        "header": "by_key.cuh",
        "arguments": "const int *keys, const int *in, int *keys_out, int *out, size_t *d_count",
        "call": "gp_reduce_by_key(keys, in, keys_out, out, n, d_count, ws, stream)",
        "cub": {"header": "cub/device/device_reduce.cuh",
                "before": "struct plus { __device__ int operator()(int a, int b) const { return a + b; } };",
                "call": "cub::DeviceReduce::ReduceByKey(memory, bytes, keys, keys_out, in, out, d_count, plus(), "
                        "(long long)n, stream)"}},
}
