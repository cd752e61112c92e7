#!/usr/bin/env python3
"""Writes the sources of the shared library: which instances it has stands here, and nowhere else.

    instances.py --backend cuda FOLDER        writes gpuprims_library.h, instances_*.cu and table.h there
    instances.py --backend cpu --list         the names of the sources
    instances.py --backend cuda --part ...    of each header one instance, to see that it compiles

From the lists below follow the C interface, gpuprims_library.h, what is compiled, and the functions of
examples/python/gpuprims.py, which asks the library for its table. Another instance is another line in INSTANCES;
another header, its functions in FUNCTIONS and its instances.
"""
import argparse
import json
import pathlib
import re
import sys
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]

TYPES = {"u8": "uint8_t", "u16": "uint16_t", "f16": "gp_half", "i32": "int32_t", "u32": "uint32_t", "i64": "int64_t",
         "u64": "uint64_t", "f32": "float", "f64": "double"}
NUMBERS = ["i32", "u32", "i64", "u64", "f32", "f64"]
WORDS = ["u8", "u16", "u32", "u64"]  # what items that are only moved are moved as
SUMS = [("i32", "i32"), ("i32", "i64"), ("u32", "u32"), ("u32", "u64"), ("i64", "i64"), ("u64", "u64"),
        ("f32", "f32"), ("f64", "f64"), ("u8", "u64"), ("f16", "f32")]  # of what, and in which type
INDEX = "int64_t"  # of counts, places and offsets, as NumPy and PyTorch have them


class Function(NamedTuple):
    """A function of a header: I, T, K and V stand for its types. The workspace and the stream follow."""
    name: str
    arguments: str
    text: str


# By header, "+VALUE" for the one with values. Those of the last two are for instances made at run time alone.
FUNCTIONS = {
    "scan": [
        Function("inclusive_scan", "const I *in, T *out, size_t n", "out[i] is the fold of in[0] to in[i]."),
        Function("exclusive_scan", "const I *in, T *out, size_t n",
                 "out[i] is the fold of the items before in[i]; out[0] is the identity."),
        Function("exclusive_scan_init", "const I *in, T *out, size_t n, T init",
                 "The same with init as an item before the first."),
    ],
    "reduce": [
        Function("reduce", "const I *in, T *d_out, size_t n",
                 "*d_out is the fold of all items; of none, the identity."),
        Function("reduce_init", "const I *in, T *d_out, size_t n, T init",
                 "The same with init as an item before the first."),
    ],
    "arg_reduce": [
        Function("argmin", "const T *in, INDEX *d_index, size_t n",
                 "*d_index is the place of the smallest item, the first of several; of the first NaN; of none, "
                 "the largest int64_t."),
        Function("argmax", "const T *in, INDEX *d_index, size_t n", "The same of the largest item."),
    ],
    "compact": [
        Function("compact", "const T *in, T *out, size_t n, INDEX *d_count",
                 "The items that are not 0, in order. *d_count is how many; nothing is written past them."),
        Function("compact_flagged", "const T *in, const uint8_t *flags, T *out, size_t n, INDEX *d_count",
                 "The items whose flag is not 0."),
        Function("compact_indices", "const T *in, INDEX *out, size_t n, INDEX *d_count",
                 "The places of the items that are not 0."),
        Function("partition", "const T *in, T *out, size_t n, INDEX *d_count",
                 "The items that are not 0 in order, then the others in reverse order."),
        Function("partition_stable", "const T *in, T *out, size_t n, INDEX *d_count", "The same, both in order."),
        Function("partition_flagged", "const T *in, const uint8_t *flags, T *out, size_t n, INDEX *d_count",
                 "As partition, by flags."),
    ],
    "scatter": [
        Function("gather", "const T *in, const INDEX *map, T *out, size_t n", "out[i] = in[map[i]]"),
        Function("scatter", "const T *in, const INDEX *map, T *out, size_t n",
                 "out[map[i]] = in[i]; of several items for one place it gets one."),
        Function("scatter_if", "const T *in, const INDEX *map, const uint8_t *flags, T *out, size_t n",
                 "The same of the items whose flag is not 0."),
        Function("map_to_flags", "const T *in, uint8_t *flags, size_t n", "flags[i] = in[i] != 0"),
    ],
    "radix_sort": [
        Function("radix_sort", "const K *in, K *out, size_t n",
                 "The keys in order. NaNs go by their bits, before or after all numbers."),
        Function("radix_sort_bits", "const K *in, K *out, size_t n, int begin_bit, int end_bit",
                 "The same, by these bits alone of the keys as unsigned numbers in their order."),
    ],
    "radix_sort+VALUE": [
        Function("radix_sort", "const K *kin, K *kout, const V *vin, V *vout, size_t n",
                 "Keys and their values, stably. If vin is NULL the values are 0, 1, 2, …: where each key was."),
        Function("radix_sort_bits",
                 "const K *kin, K *kout, const V *vin, V *vout, size_t n, int begin_bit, int end_bit",
                 "The same, by these bits alone."),
    ],
    "segmented_sort": [
        Function("segmented_sort", "const K *in, K *out, size_t n, const INDEX *offsets, size_t segments",
                 "Each segment in order. Items outside are copied nowhere."),
        Function("row_sort", "const K *in, K *out, size_t rows, size_t length",
                 "The same for segments of one length, row after row."),
    ],
    "segmented_sort+VALUE": [
        Function("segmented_sort",
                 "const K *kin, K *kout, const V *vin, V *vout, size_t n, const INDEX *offsets, size_t segments",
                 "Keys and their values, stably. If vin is NULL the values of each segment are 0, 1, 2, …"),
        Function("row_sort", "const K *kin, K *kout, const V *vin, V *vout, size_t rows, size_t length", "Likewise."),
    ],
    "top_k": [
        Function("top_k", "const K *kin, K *kout, size_t n, size_t k",
                 "The first k keys of the sorted array, in order."),
        Function("segmented_top_k",
                 "const K *kin, K *kout, size_t n, const INDEX *offsets, size_t segments, size_t k",
                 "The same of each segment: those of segment s, up to k, from place s * k on."),
        Function("row_top_k", "const K *kin, K *kout, size_t rows, size_t length, size_t k",
                 "The same of each row."),
    ],
    "top_k+VALUE": [
        Function("top_k", "const K *kin, K *kout, const V *vin, V *vout, size_t n, size_t k",
                 "The first k keys of the sorted array, in order, and their values; of equal ones the first. If vin is "
                 "NULL the values are where the keys are."),
        Function("segmented_top_k", "const K *kin, K *kout, const V *vin, V *vout, size_t n, const INDEX *offsets, "
                                    "size_t segments, size_t k",
                 "The same of each segment: those of segment s, up to k, from place s * k on."),
        Function("row_top_k", "const K *kin, K *kout, const V *vin, V *vout, size_t rows, size_t length, size_t k",
                 "The same of each row."),
    ],
    "search": [
        Function("lower_bound", "const T *sorted, size_t n, const T *queries, size_t m, INDEX *out",
                 "Where each query would be put before what is equal to it: the first item that is not less."),
        Function("upper_bound", "const T *sorted, size_t n, const T *queries, size_t m, INDEX *out",
                 "The same behind what is equal to it: the first item that is greater."),
    ],
    "merge": [
        Function("merge", "const T *a, size_t na, const T *b, size_t nb, T *out",
                 "Two sorted arrays as one; of equal items those of a are first."),
    ],
    "segmented": [
        Function("segmented_reduce", "const I *in, T *out, size_t n, const INDEX *offsets, size_t segments",
                 "out[s] is the fold of items offsets[s] to offsets[s + 1] - 1; of none, the identity."),
        Function("segmented_inclusive_scan", "const I *in, T *out, size_t n, const INDEX *offsets, size_t segments",
                 "A scan of each segment. Items outside stay untouched."),
        Function("segmented_exclusive_scan", "const I *in, T *out, size_t n, const INDEX *offsets, size_t segments",
                 "The same, exclusive."),
        Function("row_reduce", "const I *in, T *out, size_t rows, size_t length",
                 "The same for segments of one length, row after row."),
        Function("row_inclusive_scan", "const I *in, T *out, size_t rows, size_t length", "Likewise."),
        Function("row_exclusive_scan", "const I *in, T *out, size_t rows, size_t length", "Likewise."),
    ],
    "by_key": [
        Function("reduce_by_key", "const K *keys, const I *in, K *keys_out, T *out, size_t n, INDEX *d_count",
                 "For each run of equal neighbouring keys its key and the fold of its items; *d_count runs."),
        Function("inclusive_scan_by_key", "const K *keys, const I *in, T *out, size_t n", "A scan of each run."),
        Function("exclusive_scan_by_key", "const K *keys, const I *in, T *out, size_t n", "The same, exclusive."),
    ],
    "run_length": [
        Function("run_length_encode", "const T *in, T *values, INDEX *lengths, size_t n, INDEX *d_count",
                 "For each run of equal neighbours its item and its length; *d_count runs."),
        Function("run_offsets", "const T *in, INDEX *offsets, size_t n, INDEX *d_count",
                 "Where each run begins, and n behind the last: *d_count + 1 offsets."),
        Function("unique", "const T *in, T *out, size_t n, INDEX *d_count", "The first item of each run."),
        Function("run_length_decode",
                 "const T *values, const INDEX *lengths, size_t runs, T *out, size_t capacity, INDEX *d_count",
                 "Each item so many times; *d_count items, of which the first `capacity` are written."),
    ],
    "run_length+VALUE": [
        Function("unique", "const T *kin, T *kout, const V *vin, V *vout, size_t n, INDEX *d_count",
                 "The first item of each run, with its value."),
    ],
    "histogram": [
        Function("histogram", "const T *in, uint64_t *counts, size_t n, size_t bins",
                 "counts[b] is how many items are b; of integers alone."),
        Function("histogram_even", "const T *in, uint64_t *counts, size_t n, size_t bins, T lower, T upper",
                 "Bins of one width: item x is in bin floor(bins * (x - lower) / (upper - lower)), upper is in none."),
        Function("histogram_range", "const T *in, uint64_t *counts, size_t n, size_t bins, const T *levels",
                 "counts[b] is how many items x have levels[b] <= x < levels[b + 1]; bins + 1 levels."),
    ],
    "transform": [Function("transform", "const I *in, T *out, size_t n", "Each item mapped.")],
    "merge_sort": [Function("merge_sort", "const T *in, T *out, size_t n", "The items in order, stably.")],
    "merge_sort+VALUE": [
        Function("merge_sort", "const T *kin, T *kout, const V *vin, V *vout, size_t n", "Keys and their values."),
    ],
}


class Instance(NamedTuple):
    """An instance of a header: gp_<name>, and its parameters without GP_."""
    header: str
    name: str
    parameters: dict

    @property
    def functions(self):
        return FUNCTIONS[self.header + ("+VALUE" if "VALUE" in self.parameters else "")]


def fold(header, key, operand, result, operator, **more):
    """An instance of a header that folds."""
    parameters = {"TYPE": TYPES[result], "OP": f"GP_{operator.upper()}", **more}
    if operand != result:
        parameters["INPUT_TYPE"] = TYPES[operand]
    if operand == "f16":
        parameters["LOAD"] = "gp_half_number"
    if key:
        parameters["KEY"] = TYPES[key]
    types = [one for one in (key, operand, result if result != operand else "") if one]
    return Instance(header, "_".join([*types, operator]), parameters)


def folds(header, types, keys=("",), sums=None, **more):
    """Sums, minima and maxima of these types."""
    for key in keys:
        for operand, result in sums or [(one, one) for one in types]:
            yield fold(header, key, operand, result, "sum", **more)
        for operator in ("min", "max"):
            for one in types:
                yield fold(header, key, one, one, operator, **more)


def sort(header, key, value, descending, **more):
    parameters = {"KEY": TYPES[key], **more}
    if key == "f16":
        parameters["KEY_KIND"] = "GP_FLOAT"
    if value:
        parameters["VALUE"] = TYPES[value]
    if descending:
        parameters["DESCENDING"] = ""
    return Instance(header, "_".join([key, *([value] if value else []), *(["descending"] if descending else [])]),
                    parameters)


def sorts(header, keys, values, **more):
    """In both directions, with values of these types."""
    return [sort(header, key, value, descending, **more)
            for key in keys for value in values for descending in (False, True)]


def typed(header, types, **more):
    return [Instance(header, one, {"TYPE": TYPES[one], **more}) for one in types]


SMALL = ["i32", "i64", "f32", "f64"]
INDICES = {"INDEX": INDEX}
INSTANCES = [
    *folds("scan", NUMBERS, sums=SUMS),
    *folds("reduce", [*NUMBERS, "u8"], sums=SUMS),
    *typed("arg_reduce", [*NUMBERS, "u8"], **INDICES),
    *typed("compact", [*WORDS, "f32", "f64"], **INDICES),
    *typed("scatter", WORDS, **INDICES),
    *sorts("radix_sort", NUMBERS, ["", "u32", "u64"]),
    *sorts("radix_sort", ["u8", "f16"], ["", "u64"]),
    *sorts("segmented_sort", NUMBERS, ["", "u64"], **INDICES),
    *sorts("top_k", [*NUMBERS, "f16"], ["u64"], **INDICES),
    *typed("search", NUMBERS, **INDICES),
    *typed("merge", NUMBERS),
    *folds("segmented", SMALL, **INDICES),
    *folds("by_key", SMALL, keys=("u32", "u64"), **INDICES),
    *typed("run_length", ["u8", "u32", "u64", "f32", "f64"], **INDICES),
    *typed("histogram", [*NUMBERS, "u8"]),
]


# ---- C ---------------------------------------------------------------------------------------------

PREFACE = """/*
 * gpuprims_library.h: the functions of the shared library, which are instances of the headers of gpuprims for common
 * types. Written by examples/library/instances.py; version %(version)s, for %(backend)s.
 *
 * A function is called gp_<types>_<function>, with _sum, _min or _max behind the types of one that folds:
 *
 *     gp_f32_sum_reduce(d_in, d_sum, n, NULL, stream);        floats
 *     gp_u8_u64_sum_reduce(d_in, d_sum, n, NULL, stream);     bytes, added up as uint64_t
 *     gp_i32_u64_descending_radix_sort(d_keys, d_sorted, NULL, d_places, n, &ws, stream);
 *
 * All pointers are to device memory, and all calls are asynchronous on `stream`. `ws` is a gp_workspace that the caller
 * keeps, or NULL. Counts, places and offsets are int64_t. Items that are only moved (compact, scatter, values of sorts)
 * are so as unsigned integers of their size. Each function has a NAME_workspace_bytes(its sizes).
 *
 * Errors: a call returns
 *
 *     cudaSuccess               0
 *     cudaErrorInvalidValue     1: an argument is wrong. gp_library_error() says which one, and what would be right.
 *                               Nothing was launched.
 *     cudaErrorMemoryAllocation 2: there is no memory for the workspace
 *     another                   what a launch returned
 *
 * The manual of a function is the comment at the top of its header, gpuprims/<header>.cuh.
 */
#ifndef GPUPRIMS_LIBRARY_H
#define GPUPRIMS_LIBRARY_H

%(host)s#include <gpuprims/gpuprims.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A number of IEEE 754 in 16 bits: __half of CUDA, _Float16 of compilers. */
typedef struct gp_half {
    uint16_t bits;
} gp_half;

/* What an error of this thread's last call means, as a sentence; valid until the next call. */
const char *gp_library_error(cudaError_t error);

/* The list of functions as JSON, for programs in other languages. */
const char *gp_library_table(void);

/* Memory of the device, ordered on the stream; and a copy in any direction, which waits for the stream. */
cudaError_t gp_library_allocate(void **memory, size_t bytes, cudaStream_t stream);
cudaError_t gp_library_free(void *memory, cudaStream_t stream);
cudaError_t gp_library_copy(void *to, const void *from, size_t bytes, cudaStream_t stream);

/* The device whose memory this is, -1 for host memory that no device can read; and the device of this thread. */
cudaError_t gp_library_device_of(const void *memory, int *device);
cudaError_t gp_library_get_device(int *device);
cudaError_t gp_library_set_device(int device);

/* The compute capability of the device of this thread, 90 for 9.0; on the CPU backend 0. */
cudaError_t gp_library_capability(int *capability);

/* gp_workspace_release() for programs that read no header; a workspace begins as zeros. */
cudaError_t gp_library_workspace_release(gp_workspace *ws, cudaStream_t stream);
"""

HOST = """/* Not in a .cu file: types and declarations alone. */
#if !defined __CUDACC__ && !defined GP_CUDA_HOST
#define GP_CUDA_HOST
#endif
"""

END = """
#ifdef __cplusplus
}
#endif
#endif
"""

# What the instances of half need: exact, subnormal numbers included.
HALF = """
/* The number that a half is. */
static __host__ __device__ inline float gp_half_number(gp_half x)
{
    const uint32_t sign = (uint32_t)(x.bits & 0x8000) << 16;
    uint32_t word = (uint32_t)(x.bits & 0x7FFF) << 13;
    float number;

    if (word >= (uint32_t)0x7C00 << 13) { /* infinity or NaN */
        word |= 0x7F800000u;
        memcpy(&number, &word, sizeof number);
    } else {
        memcpy(&number, &word, sizeof number);
        number *= 5192296858534827628530496329220096.0f; /* 2^112 */
    }
    memcpy(&word, &number, sizeof word);
    word |= sign;
    memcpy(&number, &word, sizeof number);
    return number;
}
"""

LETTERS = {"I": "INPUT_TYPE", "T": "TYPE", "K": "KEY", "V": "VALUE"}


def version():
    base = (ROOT / "gpuprims/gpuprims.h").read_text(encoding="utf-8")
    return ".".join(re.findall(r"^#define GP_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", base, re.M))


def types_of(instance):
    """What the letters stand for."""
    types = {letter: instance.parameters.get(name) for letter, name in LETTERS.items()}
    types["I"] = types["I"] or types["T"]
    return {letter: text for letter, text in types.items() if text}


def comment(text):
    """A comment of lines that are not too long."""
    lines, line = [], "/*"
    for word in text.split():
        if len(line) + len(word) > 115:
            lines.append(line)
            line = " *"
        line += f" {word}"
    return "\n".join([*lines, f"{line} */"])


def declarations(key, instances):
    """What gpuprims_library.h says of instances that have the same functions."""
    words = set(re.findall(r"\w+", " ".join(function.arguments for function in FUNCTIONS[key])))
    letters = [letter for letter in LETTERS if letter in words]
    macro = "GP_DECLARE_" + key.upper().replace("+VALUE", "_PAIRS")
    lines = []
    for function in FUNCTIONS[key]:
        arguments = re.sub(r"\bINDEX\b", INDEX, function.arguments)
        sizes = ", ".join(re.findall(r"(?:size_t|int) \w+", function.arguments))
        lines += [f"cudaError_t NAME##_{function.name}({arguments}, gp_workspace *ws, cudaStream_t stream);",
                  f"size_t NAME##_{function.name}_workspace_bytes({sizes});"]
    text = [f"\n/* ---- {instances[0].header}.cuh {'with values ' if '+' in key else ''}---- */\n"]
    for function in FUNCTIONS[key]:
        arguments = re.sub(r"\bINDEX\b", INDEX, function.arguments)
        text.append(comment(f"{function.name}({arguments}, ws, stream): {function.text}"))
    text.append(f"#define {macro}({', '.join(['NAME', *letters])}) \\")
    text.append(" \\\n".join("    " + line for line in lines))
    for instance in instances:
        types = types_of(instance)
        text.append(f"{macro}({', '.join(['gp_' + instance.name, *(types[letter] for letter in letters)])})")
    text.append(f"#undef {macro}")
    return "\n".join(text) + "\n"


def groups(instances):
    """Instances by what they have in common: those of one set of functions."""
    result = {}
    for instance in instances:
        result.setdefault(instance.header + ("+VALUE" if "VALUE" in instance.parameters else ""), []).append(instance)
    return result


def header(instances, backend):
    text = PREFACE % {"version": version(), "backend": {"cuda": "CUDA", "cpu": "the CPU backend"}[backend],
                      "host": HOST if backend == "cuda" else ""}
    return text + "".join(declarations(key, some) for key, some in groups(instances).items()) + END


def file_of(instance, suffix):
    """The source that an instance is in: those of a header and of one type of the input."""
    types = instance.name.split("_")[0]
    return f"instances_{instance.header}_{types}{suffix}"


def source(instances):
    """One source."""
    text = ["/* Written by examples/library/instances.py. */\n#include \"gpuprims_library.h\"\n"]
    if any("LOAD" in instance.parameters for instance in instances):
        text.append(HALF)
    for instance in instances:
        text.append(f"\n#define GP_NAME gp_{instance.name}\n#define GP_API  GP_EXTERN_C\n")
        text += [f"#define GP_{name} {value}".rstrip() + "\n" for name, value in instance.parameters.items()]
        text.append(f"#include <gpuprims/{instance.header}.cuh>\n")
    return "".join(text)


def table(instances, backend):
    """The list as JSON in a C string, a line each."""
    known = {"version": version(), "backend": backend, "index": INDEX,
             "functions": {key: {one.name: one.arguments for one in some} for key, some in FUNCTIONS.items()},
             "instances": [[one.header, f"gp_{one.name}", one.parameters] for one in instances]}
    lines = json.dumps(known, indent=0).split("\n")
    return "\n".join(json.dumps(line) for line in lines) + "\n"


def sources(instances, suffix):
    """The sources, and the instances in each."""
    result = {}
    for instance in instances:
        result.setdefault(file_of(instance, suffix), []).append(instance)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", choices=["cuda", "cpu"], required=True)
    parser.add_argument("--part", action="store_true", help="one instance of each header alone")
    parser.add_argument("--list", action="store_true", help="print the names of the sources")
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    options = parser.parse_args()

    instances = INSTANCES
    if options.part:
        instances = [some[0] for some in groups(INSTANCES).values()]
    files = sources(instances, ".cu" if options.backend == "cuda" else ".c")
    if options.list:
        print("\n".join(files))
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
        texts = {name: source(some) for name, some in files.items()}
        texts["gpuprims_library.h"] = header(instances, options.backend)
        texts["table.h"] = table(instances, options.backend)
        for name, text in texts.items():
            path = options.folder / name
            if not path.exists() or path.read_text(encoding="utf-8") != text:  # what is the same is not compiled again
                path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
