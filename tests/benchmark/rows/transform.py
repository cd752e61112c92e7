"""transform.cuh"""

PLACE = 35

INSTANCES = [
    ("transform", {"PRIMITIVE": "transform"}, ["u8", "u16", "i32", "i64", "u8-f32"]),
    ("transform", {"PRIMITIVE": "transform", "NARROWS": ""}, ["f32-u8"]),
    ("transform", {"PRIMITIVE": "transform", "AS_IS": ""}, ["struct16", "struct12", "struct48"]),
    ("transform", {"PRIMITIVE": "transform_neighbours", "NEIGHBOURS": ""}, ["u8", "i32", "i64"]),
]

I32 = {"PRIMITIVE": "transform", "IN": "i32", "OUT": "i32"}
TUNE = {"transform": [
    {"shapes": {"GPI_TUNE_TRANSFORM_SINGLE": [16384, 65536, 262144],
                "GPI_TUNE_TRANSFORM_LARGE": [1048576, 2097152, 4194304]},
     "instances": [("transform", I32), ("transform", {**I32, "IN": "u8", "OUT": "f32"})]},
    {"shapes": {"GPI_TUNE_TRANSFORM_DIRECT": [786432, 1572864, 3145728], "GPI_TUNE_TRANSFORM_LANE": [24, 48, 96]},
     "instances": [("transform", {**I32, "IN": kind, "OUT": kind, "AS_IS": ""})
                   for kind in ("struct12", "struct48")]},
]}

COMPILE_TIME = {
    "transform": {"header": "transform.cuh", "call": "gp_transform(in, out, n, ws, stream)"},
}
