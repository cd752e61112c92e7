"""arg_reduce.cuh"""

PLACE = 22

INSTANCES = [("arg_reduce", {"PRIMITIVE": "argmin"}, ["f32-u64", "i32-u64", "f64-u64", "u8-u64"])]
STUDIED = ["argmin_f32_u64", "argmin_i32_u64", "argmin_f64_u64", "argmin_u8_u64"]

TUNE = {"arg_reduce": [
    {"shapes": {"GPI_TUNE_ARG_REDUCE_SINGLE": [32768, 65536, 131072], "GPI_TUNE_ARG_REDUCE_BLOCKS": [2, 3],
                "GPI_TUNE_ARG_REDUCE_TILES": [2048, 4096, 8192]},
     "instances": [("arg_reduce", {"PRIMITIVE": "argmin", "IN": "f32", "OUT": "u64"})]},
]}

STUDIES = {
    "arg_reduce": {
        "what": "arg-minima of 2^8 to 2^28 items, cold and warm",
        "program": "gpbench_studies",
        "timed": [{"beside": ["argmin/*"], "options": "--sizes 8..28 --cold --warm --repeat 21"}],
    },
}
WORDS = {"floats": "argmin/f32-u64", "4-byte ints": "argmin/i32-u64", "doubles": "argmin/f64-u64", "bytes": "argmin/u8-u64"}
SPEED = {"study": "arg_reduce", "head": ["argmin of"], "lines": [([words], group) for words, group in WORDS.items()]}

COMPILE_TIME = {
    "arg_reduce": {"header": "arg_reduce.cuh", "call": "gp_argmin(in, (size_t *)out, n, ws, stream)",
                   "cub": {"header": "cub/device/device_reduce.cuh",
                           "call": "cub::DeviceReduce::ArgMin(memory, bytes, in, out, out + 1, (long long)n, stream)"}},
}
