"""merge.cuh"""

PLACE = 70

INSTANCES = [("merge", {"PRIMITIVE": "merge"}, ["u32", "u64"])]
STUDIED = ["merge_u32"]
SAMPLE = {"merge_u32": "merge/u32"}

COMPILE_TIME = {
    "merge": {
        "header": "merge.cuh", "call": "gp_merge(in, n, in + n, n, out, ws, stream)",
        "cub": {"header": "cub/device/device_merge.cuh",
                "before": "struct less { __device__ bool operator()(int a, int b) const { return a < b; } };",
                "call": "cub::DeviceMerge::MergeKeys(memory, bytes, in, (int)n, in + n, (int)n, out, less(), stream)"}},
}

KERNELS = {"merge/u32": ("merge", {"2^26": "gpuprims CUB"})}
BARS = ["merge/u32"]
