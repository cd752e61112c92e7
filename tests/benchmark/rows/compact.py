"""compact.cuh"""

PLACE = 30

INSTANCES = [
    ("compact", {"PRIMITIVE": "compact", "ALL": "", "SIMPLE": "", "CLASSIC": "classic_compact"}, ["u32"]),
    ("compact", {"PRIMITIVE": "compact"}, ["u64", "u8"]),
    ("compact", {"PRIMITIVE": "compact_costly", "COSTLY": ""}, ["u8"]),
]
STUDIED = ["compact_u32"]
SAMPLE = {"compact_u32": "compact/u32 partition/u32"}

COMPARE = {
    "place": 20, "section": "stream compaction", "title": "STREAM COMPACTION TESTS", "random_limit": 4,
    "instance": ("compact", {"NOT_ZERO": "", "CLASSIC": "compact"}, ["i32", "f32"]),
    "rows": {
        "cpu": "cpu compact without scan", "cpu_with_scan": "cpu compact with scan",
        "naive": "naive map-scan-scatter", "work_efficient": "work-efficient map-scan-scatter",
        "shared": "shared-memory map-scan-scatter", "shuffle": "warp-shuffle map-scan-scatter",
        "gpuprims": "gpuprims compact (compact.cuh)", "CUB": "cub compact"},
}

U32 = ("compact", {"PRIMITIVE": "compact", "IN": "u32"})
TUNE = {"compact": [
    {"shapes": {"GPI_TUNE_COMPACT_STAGES": [6, 7], "GPI_TUNE_COMPACT_LOOK_BACK_WARPS": [3, 4, 6],
                "GPI_TUNE_COMPACT_SUM_WARPS": [4, 8]},
     "instances": [U32, ("compact", {"PRIMITIVE": "compact", "IN": "u64"})]},
    {"shapes": {"GPI_TUNE_COMPACT_BYTE_LOOK_BACK_WARPS": [1, 2, 3], "GPI_TUNE_COMPACT_BYTE_TEAMS": [1, 2]},
     "instances": [("compact", {"PRIMITIVE": "compact", "IN": "u8"})]},
    {"shapes": {"GPI_TUNE_COMPACT_SIMPLE_BLOCKS": [2, 3, 4]}, "instances": [U32]},
    {"shapes": {"GPI_TUNE_COMPACT_ROUNDS": [1, 2, 3, 4]}, "instances": [U32]},
]}

COMPILE_TIME = {
    "compact": {
        "header": "compact.cuh", "arguments": "const int *in, int *out, size_t *d_count",
        "call": "gp_compact(in, out, n, d_count, ws, stream)",
        "cub": {"header": "cub/device/device_select.cuh",
                "before": "struct not_zero { __device__ bool operator()(int x) const { return x != 0; } };",
                "call": "cub::DeviceSelect::If(memory, bytes, in, out, d_count, n, not_zero(), stream)"}},
    "compact_256": {
        "bytes": 256, "header": "compact.cuh", "arguments": "const large *in, large *out, size_t *d_count",
        "parameters": "#define GP_TYPE large\n#define GP_PRED(x) ((x).at[0] > 0)",
        "call": "big_compact(in, out, n, d_count, ws, stream)"},
}

KERNELS = {
    "compact/u32": ("compact", {"2^26": "naive work_efficient shared shuffle gpuprims gpuprims_simple CUB",
                                "2^16,2^22": "gpuprims"}),
    "compact_flagged/u32": ("compact_flagged", {"2^26": "gpuprims"}),
    "compact_indices/u32": ("compact_indices", {"2^26": "gpuprims"}),
    "partition/u32": ("partition", {"2^26": "gpuprims"}),
    "partition_stable/u32": ("partition_stable", {"2^26": "gpuprims", "2^16,2^22": "gpuprims"}),
}
BARS = ["compact/u32", "partition_stable/u32"]
COLD = ["compact*", "partition*"]
OFFSETS = [("compact, 4-byte items", "compact/u32"), ("compact, 8-byte items", "compact/u64"),
           ("compact, bytes", "compact/u8")]
SIZES = [("compaction, 4-byte", "compact/u32"), (None, "compact_costly/u8"),
         ("stable partition, 4-byte", "partition_stable/u32")]
SPEED = {"study": "2e28_cold", "head": ["", "items"], "lines": [
    (["compact, half kept", "4-byte items"], "compact/u32"),
    (["compact, half kept", "8-byte items"], "compact/u64"),
    (["compact, half kept", "bytes"], "compact/u8"),
    (["compact, a predicate of about eight instructions", "bytes"], "compact_costly/u8"),
    (["compact, none kept", "4-byte items"], "compact_none/u32"),
    (["compact, all kept", "4-byte items"], "compact_all/u32"),
    *[([word, "4-byte items"], f"{word}/u32")
      for word in ("compact_flagged", "compact_indices", "partition", "partition_stable")],
]}
