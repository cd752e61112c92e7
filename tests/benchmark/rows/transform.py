"""transform.cuh"""

PLACE = 35

INSTANCES = [
    ("transform", {"PRIMITIVE": "transform"}, ["u8", "u16", "i32", "i64", "u8-f32"]),
    ("transform", {"PRIMITIVE": "transform", "NARROWS": ""}, ["f32-u8"]),
    ("transform", {"PRIMITIVE": "transform", "AS_IS": ""}, ["struct16", "struct12", "struct48"]),
    ("transform", {"PRIMITIVE": "transform_neighbours", "NEIGHBOURS": ""}, ["u8", "i32", "i64"]),
]
SAMPLE = {"transform_i32": "transform/i32"}

I32 = {"PRIMITIVE": "transform", "IN": "i32", "OUT": "i32"}
TUNE = {"transform": [
    {"shapes": {"GPI_TUNE_TRANSFORM_SINGLE": [16384, 65536, 262144],
                "GPI_TUNE_TRANSFORM_LARGE": [1048576, 2097152, 4194304]},
     "instances": [("transform", I32), ("transform", {**I32, "IN": "u8", "OUT": "f32"})]},
    {"shapes": {"GPI_TUNE_TRANSFORM_DIRECT": [786432, 1572864, 3145728], "GPI_TUNE_TRANSFORM_LANE": [24, 48, 96]},
     "instances": [("transform", {**I32, "IN": kind, "OUT": kind, "AS_IS": ""})
                   for kind in ("struct12", "struct48")]},
]}

STUDIES = {
    "transform": {
        "what": "transforms of 2^8 to 2^28 items, cold and warm",
        "program": "gpbench_cuda",
        "timed": [{"beside": ["transform/*", "transform_neighbours/*"],
                   "options": "--sizes 8..28 --cold --warm --repeat 21"}],
    },
}
RATIOS = {"transform": {
    "bytes plus 1": "transform/u8", "2-byte ints plus 1": "transform/u16", "4-byte ints plus 1": "transform/i32",
    "8-byte ints plus 1": "transform/i64", "bytes to floats": "transform/u8-f32", "floats to bytes": "transform/f32-u8",
    "structs of 12 bytes": "transform/struct12", "structs of 16 bytes": "transform/struct16",
    "structs of 48 bytes": "transform/struct48", "differences of bytes": "transform_neighbours/u8",
    "differences of 4-byte ints": "transform_neighbours/i32", "differences of 8-byte ints": "transform_neighbours/i64",
}}


def lines():
    """Against CUB's transform; and where CUB has a function for it, against that."""
    for words, group in RATIOS["transform"].items():
        yield [words], group
        if group.startswith("transform_neighbours"):
            yield ["likewise, CUB's adjacent difference"], group, "CUB_difference"


SPEED = {"study": "transform", "head": ["items"], "lines": list(lines())}

COMPILE_TIME = {
    "transform": {"header": "transform.cuh", "call": "gp_transform(in, out, n, ws, stream)"},
}
