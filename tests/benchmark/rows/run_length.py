"""run_length.cuh"""

PLACE = 37

INSTANCES = [
    ("run_length", {"PRIMITIVE": "run_length", "ALL": ""}, ["u32"]),
    ("run_length", {"PRIMITIVE": "run_length"}, ["u8"]),
    ("run_length", {"PRIMITIVE": "unique_pairs", "MAP": "u32"}, ["u32"]),
]
STUDIED = ["run_length_u32", "run_length_u8", "unique_pairs_u32"]

U32 = ("run_length", {"PRIMITIVE": "run_length", "IN": "u32"})
U8 = ("run_length", {"PRIMITIVE": "run_length", "IN": "u8"})
TUNE = {"run_length": [
    {"shapes": {"GPI_TUNE_RUN_LENGTH_SUM_WARPS": [4, 8], "GPI_TUNE_RUN_LENGTH_LOOK_BACK_WARPS": [2, 3, 4, 6]},
     "instances": [U32]},
    {"shapes": {"GPI_TUNE_RUN_LENGTH_NARROW_SUM_WARPS": [4, 8],
                "GPI_TUNE_RUN_LENGTH_NARROW_LOOK_BACK_WARPS": [1, 2, 3, 4], "GPI_TUNE_RUN_LENGTH_TEAMS": [1, 2]},
     "instances": [U8]},
    {"shapes": {"GPI_TUNE_RUN_LENGTH_SIMPLE_BLOCKS": [2, 3, 4]}, "instances": [U32]},
    {"shapes": {"GPI_TUNE_RUN_LENGTH_ROUNDS": [1, 2, 3, 4]}, "instances": [U32]},
    {"shapes": {"GPI_TUNE_RUN_LENGTH_STAGES": [5, 6, 7]}, "instances": [U32, U8]},
]}

STUDIES = {
    "run_length": {
        "what": "run lengths and unique of 2^8 to 2^28 items, cold and warm",
        "timed": [{"beside": ["run_length_encode*", "unique/u32", "unique_pairs/u32"],
                   "options": "--sizes 2^8,2^10,2^12,2^14,2^16,2^18,2^20,2^22,2^24,2^26,2^28 --cold --warm "
                              "--repeat 21"}],
    },
}
RATIOS = {"run_length": {
    "encode, 4-byte items, runs of 1": "run_length_encode/u32",
    "encode, 4-byte items, runs of 5": "run_length_encode_runs5/u32",
    "encode, 4-byte items, runs of 100,000": "run_length_encode_runs1e5/u32",
    "encode, bytes, runs of 5": "run_length_encode_runs5/u8",
    "unique, 4-byte items": "unique/u32",
    "unique, with 4-byte values": "unique_pairs/u32",
}}
SPEED = {"study": "run_length", "head": ["items"],
         "lines": [([words], group) for words, group in RATIOS["run_length"].items()]}

COMPILE_TIME = {
    "run_length": {
        "header": "run_length.cuh", "arguments": "const int *in, int *out, size_t *lengths, size_t *d_count",
        "call": "gp_run_length_encode(in, out, lengths, n, d_count, ws, stream)",
        "cub": {"header": "cub/device/device_run_length_encode.cuh",
                "call": "cub::DeviceRunLengthEncode::Encode(memory, bytes, in, out, lengths, d_count, (long long)n, "
                        "stream)"}},
}
