"""merge.cuh"""

PLACE = 70

INSTANCES = [("merge", {"PRIMITIVE": "merge"}, ["u32", "u64"])]
STUDIED = ["merge_u32"]
SAMPLE = {"merge_u32": "merge/u32"}

TUNE = {"merge": [
    {"shapes": {"GPI_TUNE_MERGE_TWO_ITEMS": [15, 19, 23], "GPI_TUNE_MERGE_TWO_THREADS": [256, 512],
                "GPI_TUNE_MERGE_TWO_STAGES": [2, 3], "GPI_TUNE_MERGE_TWO_BLOCKS": [1, 2],
                "GPI_TUNE_MERGE_TWO_PIPELINED": [6000000, 12000000, 24000000],
                "GPI_TUNE_MERGE_TWO_SIMPLE_THREADS": [128, 256, 512], "GPI_TUNE_MERGE_TWO_SMALL": [125000, 250000, 500000],
                "GPI_TUNE_MERGE_TWO_SMALL_THREADS": [64, 128]},
     "instances": [("merge", {"PRIMITIVE": "merge", "IN": "u32", "OUT": "u32"})]},
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
