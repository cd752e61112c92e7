#!/usr/bin/env python3
"""Test of examples/python/gpuprims.py. TAP on standard output.

    test_python.py LIBRARY [FOLDER...]     with NumPy of this Python or of the first of these environments that has it
    test_python.py --times FILE LIBRARY    also measures calls beside PyTorch's, and writes a CSV file

The functions are compared with NumPy's: on the CPU backend on NumPy's own arrays, on a GPU on those of PyTorch, CuPy
and Numba, as far as they are there; PyTorch's own functions have to give the same. What is wrong has to be refused, and
by words. The examples of docs/python.md are run.
"""
import argparse
import doctest
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]


def other_python(environments):
    """An interpreter that has NumPy, if this one has not."""
    for environment in environments:
        python = pathlib.Path(environment, "bin/python")
        test = [python, "-c", "import numpy"]
        if python.exists() and subprocess.run(test, capture_output=True, check=False).returncode == 0:
            return str(python)
    return None


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", metavar="FILE")
    parser.add_argument("library")
    parser.add_argument("environments", nargs="*", metavar="FOLDER")
    return parser.parse_args()


options = parse_arguments()
try:
    import numpy as np
except ImportError:
    if other_python(options.environments) is None:
        print("1..0 # SKIP there is no NumPy: pip install numpy")
        sys.exit(0)
    os.execv(other_python(options.environments), [other_python(options.environments), *sys.argv[:2]])

os.environ["GPUPRIMS_LIBRARY"] = options.library
sys.path[:0] = [str(ROOT / "examples/python"), str(ROOT / "tests")]

import gpuprims  # noqa: E402
from tap import report  # noqa: E402


def architecture():
    """The compute capability of the GPU; None without one."""
    try:
        return gpuprims.library().capability
    except gpuprims.Error:
        return None


ARCHITECTURE = architecture()
RANDOM = np.random.default_rng(20250101)
INTEGERS, FLOATS = ["int32", "uint32", "int64", "uint64"], ["float32", "float64"]


# ---- frameworks ------------------------------------------------------------------------------------

class NumPy:
    """How arrays get into a framework and back."""
    name, unsigned = "NumPy", True
    put = staticmethod(lambda array: array)
    get = staticmethod(np.asarray)


class PyTorch:
    name, unsigned = "PyTorch", False  # it has few functions for unsigned types

    def __init__(self):
        import torch
        torch.cuda.init()
        self.put = lambda array: torch.from_numpy(np.ascontiguousarray(array)).cuda()
        self.get = lambda array: array.cpu().numpy()


class CuPy:
    name, unsigned = "CuPy", True

    def __init__(self):
        import cupy
        cupy.zeros(1)
        self.put, self.get = cupy.asarray, cupy.asnumpy


class Numba:
    name, unsigned = "Numba", True

    def __init__(self):
        from numba import cuda
        cuda.current_context()
        self.put, self.get = cuda.to_device, lambda array: array.copy_to_host()


class Dlpack:
    """Arrays that have nothing but DLPack; results are gpuprims' own."""
    name, unsigned = "DLPack alone", True

    class Array:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **arguments):
            return self.array.__dlpack__(**arguments)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    def __init__(self, of):
        self.put = lambda array: self.Array(of.put(array))
        self.get = lambda array: (of.get(array.array) if isinstance(array, self.Array) else
                                  Own.get(array))


class Own:
    """gpuprims' own arrays."""
    name, unsigned = "gpuprims.Array", True
    put = staticmethod(gpuprims.Array.of)
    get = staticmethod(lambda array: np.array(array.tolist(), array.dtype).reshape(array.shape))


def frameworks():
    """Those that are there, and what is missing."""
    if gpuprims.library().backend == "cpu":
        return [NumPy(), Dlpack(NumPy()), Own()], []
    if not ARCHITECTURE:
        return [], ["all that runs: no GPU answers"]
    there, missing = [Own()], []
    for kind in (PyTorch, CuPy, Numba):
        try:
            there.append(kind())
        except Exception as error:  # whatever it is that keeps it from working
            missing.append(f"{kind.name}: {type(error).__name__}")
    if any(isinstance(one, PyTorch) for one in there):
        there.append(Dlpack(next(one for one in there if isinstance(one, PyTorch))))
    return there, missing


# ---- checks: each compares what it finds by same() ---------------------------------------------------

def numbers(n, dtype, few=False):
    """Random numbers; few: with many equal ones."""
    if dtype == "uint8" and not few:
        return RANDOM.integers(0, 255, n).astype(dtype)
    if dtype.startswith("float"):
        return (RANDOM.integers(-8, 8, n) / 4 if few else RANDOM.standard_normal(n)).astype(dtype)
    high = 10 if few else min(np.iinfo(dtype).max, 1 << 40)
    return RANDOM.integers(0 if dtype[0] == "u" or few else -high, high, n).astype(dtype)


class Checks:
    """The comparisons of a framework."""

    def __init__(self, framework, sizes):
        self.framework, self.sizes, self.wrong = framework, sizes, []

    def same(self, what, found, expected, close=False):
        found = self.framework.get(found)
        expected = np.asarray(expected)
        good = found.shape == expected.shape and found.dtype.itemsize == expected.dtype.itemsize and (
            np.allclose(found, expected, 1e-4, 1e-2 if found.dtype == np.float32 else 1e-9) if close else
            found.tobytes() == expected.tobytes())
        if not good:
            self.wrong.append(f"{what}: {found.dtype} {found[:8] if found.ndim else found} and not {expected.dtype} "
                              f"{expected[:8] if expected.ndim else expected}")

    def dtypes(self, names):
        return [name for name in names if self.framework.unsigned or name[0] != "u" or name == "uint8"]

    def sorts(self):
        for n in self.sizes:
            for dtype in self.dtypes([*INTEGERS, *FLOATS, "float16", "uint8"]):
                x = numbers(n, dtype, few=n % 2 == 1)
                places = np.argsort(x, kind="stable")
                down = n - 1 - np.argsort(x[::-1], kind="stable")[::-1]
                put = self.framework.put(x)
                self.same(f"sort of {n} {dtype}", gpuprims.sort(put), x[places])
                self.same(f"sort of {n} {dtype}, descending", gpuprims.sort(put, descending=True), x[down])
                self.same(f"argsort of {n} {dtype}", gpuprims.argsort(put), places)
                self.same(f"argsort of {n} {dtype}, descending", gpuprims.argsort(put, descending=True), down)
            keys, values = numbers(n, "int32", few=True), numbers(n, "float32")
            found = gpuprims.sort_by_key(self.framework.put(keys), self.framework.put(values))
            self.same(f"sort_by_key of {n}: values", found[1], values[np.argsort(keys, kind="stable")])
            items, found = gpuprims.topk(self.framework.put(values), n // 2)
            places = np.argsort(-values, kind="stable")[:n // 2]
            self.same(f"topk of {n}", items, values[places])
            self.same(f"topk of {n}: places", found, places)
            queries = numbers(n + 5, "int32", few=True)
            for side in ("left", "right"):
                found = gpuprims.searchsorted(self.framework.put(np.sort(keys)), self.framework.put(queries), side=side)
                self.same(f"searchsorted of {n}, {side}", found, np.searchsorted(np.sort(keys), queries, side))
            rows = values[:n // 3 * 3].reshape(3, n // 3)
            self.same(f"row_sort of {n}", gpuprims.row_sort(self.framework.put(rows)), np.sort(rows, 1))
            self.same(f"topk of rows of {n}", gpuprims.topk(self.framework.put(rows), n // 6, largest=False)[0],
                      np.sort(rows, 1)[:, :n // 6])
            ends = np.array([0, n // 4, n // 4, n], "int64")
            parts = np.split(values, ends[1:3])
            found = gpuprims.segment_sort(self.framework.put(values), self.framework.put(ends))
            self.same(f"segment_sort of {n}", found, np.concatenate([np.sort(part) for part in parts]))
            a, b = np.sort(numbers(n, "float64")), np.sort(numbers(n // 3, "float64"))
            self.same(f"merge of {n}", gpuprims.merge(self.framework.put(a), self.framework.put(b)),
                      np.sort(np.concatenate([a, b])))

    def folds(self):
        for n in self.sizes:
            for dtype in self.dtypes([*INTEGERS, *FLOATS]):
                x, real = numbers(n, dtype), dtype.startswith("float")
                put = self.framework.put(x)
                sums = np.cumsum(x, dtype="float64" if real else "uint64" if dtype[0] == "u" else "int64")
                sums = sums.astype(dtype) if real else sums
                self.same(f"cumsum of {n} {dtype}", gpuprims.cumsum(put), sums, real)
                self.same(f"sum of {n} {dtype}", gpuprims.reduce(put), sums[-1] if n else sums.dtype.type(0), real)
                before = np.concatenate([np.zeros(1, sums.dtype), sums[:-1]])[:n]
                self.same(f"scan of {n} {dtype}, exclusive", gpuprims.scan(put, exclusive=True), before, real)
                after = before + sums.dtype.type(5)
                self.same(f"scan of {n} {dtype}, init", gpuprims.scan(put, exclusive=True, init=5), after, real)
                if not real:
                    found = gpuprims.cumsum(put, dtype=dtype)
                    self.same(f"cumsum of {n} {dtype} in itself", found, np.cumsum(x, dtype=dtype))
                self.same(f"max scan of {n} {dtype}", gpuprims.scan(put, "max"), np.maximum.accumulate(x))
                if n:
                    self.same(f"min of {n} {dtype}", gpuprims.reduce(put, "min"), x.min())
                    self.same(f"argmin of {n} {dtype}", gpuprims.argmin(put), np.argmin(x))
                    self.same(f"argmax of {n} {dtype}", gpuprims.argmax(put), np.argmax(x))
            small, halves = numbers(n, "uint8"), numbers(n, "float16")
            self.same(f"sum of {n} uint8", gpuprims.reduce(self.framework.put(small)), small.sum(dtype="uint64"))
            found = gpuprims.reduce(self.framework.put(halves))
            self.same(f"sum of {n} float16", found, halves.sum(dtype="float32"), True)

    def segments(self):
        for n in self.sizes:
            x, keys = numbers(n, "int64"), np.sort(numbers(n, "int32", few=True))
            put = self.framework.put(x)
            ends = np.sort(RANDOM.integers(0, n + 1, 12)).astype("int64")
            self.same(f"segment_reduce of {n}", gpuprims.segment_reduce(put, self.framework.put(ends)),
                      np.array([x[a:b].sum() for a, b in zip(ends, ends[1:])], "int64"))
            unique, starts = np.unique(keys, return_index=True)
            found = gpuprims.reduce_by_key(self.framework.put(keys), put, "max")
            self.same(f"reduce_by_key of {n}: keys", found[0], unique)
            self.same(f"reduce_by_key of {n}", found[1], np.maximum.reduceat(x, starts) if n else x)
            rows = numbers(3 * n, "float32", few=True).reshape(3, n)
            put = self.framework.put(rows)
            self.same(f"row_reduce of {n}", gpuprims.row_reduce(put), rows.sum(1), True)
            self.same(f"row_scan of {n}", gpuprims.row_scan(put), rows.cumsum(1), True)

    def choices(self):
        for n in self.sizes:
            for dtype in self.dtypes(["uint8", *INTEGERS, *FLOATS]):
                x = numbers(n, dtype, few=True)
                put, mask = self.framework.put(x), x > 2
                found = gpuprims.masked_select(put, self.framework.put(mask))
                self.same(f"masked_select of {n} {dtype}", found, x[mask])
                self.same(f"nonzero of {n} {dtype}", gpuprims.nonzero(put), np.flatnonzero(x))
                heads = np.flatnonzero(np.concatenate([[True], x[1:] != x[:-1]])[:n])
                self.same(f"unique_consecutive of {n} {dtype}", gpuprims.unique_consecutive(put), x[heads])
                items, counts = gpuprims.unique_consecutive(put, return_counts=True)
                self.same(f"unique_consecutive of {n} {dtype}: items", items, x[heads])
                self.same(f"unique_consecutive of {n} {dtype}: counts", counts, np.diff(np.append(heads, n)))
                map_ = RANDOM.permutation(n).astype("int64")
                self.same(f"take of {n} {dtype}", gpuprims.take(put, self.framework.put(map_)), x[map_])
                out, expected = self.framework.put(np.zeros_like(x)), np.zeros_like(x)
                expected[map_] = x
                self.same(f"put of {n} {dtype}", gpuprims.put(out, self.framework.put(map_), put), expected)
            x, real = numbers(n, "uint8", few=True), RANDOM.random(n).astype("float32")
            self.same(f"bincount of {n}", gpuprims.bincount(self.framework.put(x), 7), np.bincount(x, minlength=10)[:7])
            self.same(f"histogram of {n}", gpuprims.histogram(self.framework.put(real), 64, 0, 1),
                      np.histogram(real, 64, (0, 1))[0])

    def compiled(self):
        later = gpuprims.compile(op="b ? b : a", type="int")
        matrix = gpuprims.compile(op="a * b % 1009", identity="1", type="long long", header="reduce")
        for n in self.sizes:
            x = numbers(n, "int32", few=True)
            places = np.maximum.accumulate(np.where(x != 0, np.arange(n), 0))
            self.same(f"compiled scan of {n}", gpuprims.scan(self.framework.put(x), later), x[places] if n else x)
            big, product = numbers(n, "int64"), 1
            for item in big % 1009 if n < 5000 else []:
                product = int(product * item % 1009)
            if n < 5000:
                found = gpuprims.reduce(self.framework.put(big % 1009), matrix)
                self.same(f"compiled reduce of {n}", found, np.int64(product))
        pred = gpuprims.compile(pred="x > 0.5f", type="float")
        x = RANDOM.random(1000).astype("float32")
        out, count = self.framework.put(np.zeros_like(x)), self.framework.put(np.zeros(1, "int64"))
        pred.compact(self.framework.put(x), out, len(x), count)
        self.same("compiled compact: count", count, np.array([(x > 0.5).sum()]))
        again = gpuprims.compile(pred="x > 0.5f", type="float")
        if again._entries._name != pred._entries._name:
            self.wrong.append("the same parameters are compiled again")


# ---- what is wrong ---------------------------------------------------------------------------------

def refusals(framework):
    """Yields (passed, name, output)."""
    x = framework.put(np.arange(24, dtype="float32"))
    places = framework.put(np.arange(24, dtype="int32"))
    table = framework.put(np.arange(24, dtype="float32").reshape(4, 6))
    odd = framework.put(np.arange(24).astype("int8"))
    cases = {
        "a list": (lambda: gpuprims.sort([1, 2]), TypeError, "x is a list"),
        "two dimensions": (lambda: gpuprims.sort(table), TypeError, "x has 2 dimensions; 1 is expected"),
        "a layout": (lambda: gpuprims.sort(x[::2]), TypeError, "x is not contiguous: its strides are (2,) items"),
        "a dtype": (lambda: gpuprims.sort(odd), TypeError, "there is nothing for int8; there are bool, uint8"),
        "a dtype of an argument": (lambda: gpuprims.take(x, places), TypeError,
                                   "places is of int32; int64 is expected"),
        "a dtype of out": (lambda: gpuprims.sort(x, out=places), TypeError, "out is of int32; float32 is expected"),
        "a size": (lambda: gpuprims.sort(x, out=x[:5]), ValueError, "out has 5 items; 24 are expected"),
        "no instance": (lambda: gpuprims.cumsum(x, dtype="int32"), TypeError, "the library has no scan of"),
        "what the library refuses": (lambda: gpuprims.histogram(x, 0, 0, 1), ValueError,
                                     "gp_f32_histogram_even: bins is 0"),
        "an overlap": (lambda: gpuprims.merge(x[:6], x[6:], out=x), ValueError, "gp_f32_merge: a and out overlap"),
        "no such header": (lambda: gpuprims.compile(op="a", header="sum"), ValueError,
                           "there is no header sum; there are"),
    }
    for name, (call, kind, words) in cases.items():
        try:
            found = f"nothing is raised: {call()}"
        except (TypeError, ValueError) as error:
            found = f"{type(error).__name__}: {error}"
        yield found.startswith(f"{kind.__name__}: {words}"), f"{framework.name}: {name} is refused", found


def compile_errors():
    """Yields (passed, name, output)."""
    wrong = {"an expression": ({"op": "a > c", "type": "float"}, "op"), "a type": ({"op": "a", "type": "flot"}, "flot"),
             "a parameter": ({"op": "a", "identity": "0", "descending": True, "header": "reduce"}, "GP_DESCENDING")}
    right = gpuprims.compile(op="a > b ? a : b", type="float", architecture=ARCHITECTURE or 75)
    yield "inclusive_scan" in right.functions, "an expression that is right compiles", ""
    for name, (parameters, word) in wrong.items():
        try:
            found = f"it compiles: {gpuprims.compile(**parameters, architecture=ARCHITECTURE or 75)}"
        except gpuprims.CompileError as error:
            found = str(error)
        good = "error" in found and word in found and "\n" not in found
        yield good, f"{name} that is wrong comes back as the compiler's first line", found


def documented():
    """Whether docs/python.md is right; gives (passed, name, output)."""
    said = io.StringIO()
    text = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    test = doctest.DocTestParser().get_doctest(text, {}, "docs/python.md", "docs/python.md", 0)
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=said.write)
    return not said.getvalue() and len(test.examples) > 10, "the examples of docs/python.md", said.getvalue()


# ---- beside PyTorch --------------------------------------------------------------------------------

def beside_torch(n):
    """By name: this library's call, PyTorch's; of one call."""
    import torch
    x = torch.rand(n, device="cuda")
    ints = torch.randint(-(1 << 31), (1 << 31) - 1, (n,), device="cuda", dtype=torch.int32)
    runs = torch.randint(0, 3, (n,), device="cuda", dtype=torch.int32)
    mask = x > 0.5
    ordered, queries = torch.sort(ints)[0], ints[:n // 2 + 1]
    return {
        "topk float32 of 100": (lambda: gpuprims.topk(x, min(100, n))[0], lambda: torch.topk(x, min(100, n))[0]),
        "searchsorted int32": (lambda: gpuprims.searchsorted(ordered, queries),
                               lambda: torch.searchsorted(ordered, queries)),
        "sort float32": (lambda: gpuprims.sort(x), lambda: torch.sort(x)[0]),
        "argsort float32": (lambda: gpuprims.argsort(x), lambda: torch.sort(x, stable=True)[1]),
        "sort int32": (lambda: gpuprims.sort(ints), lambda: torch.sort(ints)[0]),
        "cumsum float32": (lambda: gpuprims.cumsum(x), lambda: torch.cumsum(x, 0)),
        "cumsum int32": (lambda: gpuprims.cumsum(ints), lambda: torch.cumsum(ints, 0)),
        "sum float32": (lambda: gpuprims.reduce(x), lambda: torch.sum(x)),
        "max float32": (lambda: gpuprims.reduce(x, "max"), lambda: torch.max(x)),
        "argmax float32": (lambda: gpuprims.argmax(x), lambda: torch.argmax(x)),
        "masked_select float32": (lambda: gpuprims.masked_select(x, mask), lambda: torch.masked_select(x, mask)),
        "nonzero int32": (lambda: gpuprims.nonzero(runs), lambda: torch.nonzero(runs)[:, 0]),
        "unique_consecutive int32": (lambda: gpuprims.unique_consecutive(runs), lambda: torch.unique_consecutive(runs)),
        "histc float32": (lambda: gpuprims.histogram(x, 256, 0, 1), lambda: torch.histc(x, 256, 0, 1)),
        "bincount int32": (lambda: gpuprims.bincount(runs, 3), lambda: torch.bincount(runs, minlength=3)),
    }


def torch_agrees(n):
    """Yields (passed, name, output)."""
    for name, (own, theirs) in beside_torch(n).items():
        found, expected = own().cpu().numpy(), theirs().cpu().numpy()
        close = name in ("cumsum float32", "sum float32")
        good = np.allclose(found, expected, 1e-3) if close else np.array_equal(found, expected)
        yield good, f"{name}: as PyTorch, n = {n}", f"{found} and not {expected}"


def median_seconds(call, runs=15):
    """Of the GPU from call to call, the first calls left out."""
    import torch
    times = []
    for _ in range(runs + 3):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) / 1e3)
    return float(np.median(times[3:]))


def measure(file):
    """Writes the CSV file, and says in short what is in it."""
    import torch
    where = f"{torch.cuda.get_device_name()},{torch.__version__},{torch.version.cuda},{np.datetime64('now')}," \
            f"{os.environ.get('GPBENCH_COMMIT', '')}"
    with open(file, "w", encoding="utf-8") as out:
        out.write("function,n,gpuprims_us,torch_us,gpu,torch,cuda,date,commit\n")
        for n in (1 << 16, 1 << 20, 1 << 24, 1 << 28):
            for name, (own, theirs) in beside_torch(n).items():
                times = [1e6 * median_seconds(call) for call in (own, theirs)]
                out.write(f"{name},{n},{times[0]:.2f},{times[1]:.2f},{where}\n")
            torch.cuda.empty_cache()
        with tempfile.TemporaryDirectory() as cache:
            os.environ["GPUPRIMS_CACHE"] = cache
            for header, parameter in (("scan", "op"), ("reduce", "op"), ("compact", "pred")):
                begin = time.monotonic()
                gpuprims.compile(**{parameter: "a" if parameter == "op" else "x > 0"}, type="float", header=header)
                seconds = time.monotonic() - begin
                out.write(f"compile {header},0,{1e6 * seconds:.0f},,{where}\n")


def main():
    there, missing = frameworks()
    results = [(True, f"frameworks # SKIP {one}", "") for one in missing]
    sizes = [0, 1, 33, 1000, 4099] if gpuprims.library().backend == "cpu" else [0, 1, 33, 1000, 12345, (1 << 20) + 3]
    with tempfile.TemporaryDirectory() as cache:
        os.environ["GPUPRIMS_CACHE"] = cache
        for framework in there:
            main_one = framework is there[0] or isinstance(framework, PyTorch)
            for name in ("sorts", "folds", "segments", "choices", "compiled"):
                checks = Checks(framework, sizes if main_one else [1000])
                try:
                    getattr(checks, name)()
                except Exception as error:  # what a function raises is its result
                    checks.wrong.append(f"{type(error).__name__}: {error}")
                results.append((not checks.wrong, f"{framework.name}: {name}", "\n".join(checks.wrong)))
            if framework.name in ("NumPy", "PyTorch"):
                results += refusals(framework)
        results += compile_errors()
        if gpuprims.library().backend == "cpu":
            results.append(documented())
        if any(isinstance(one, PyTorch) for one in there):
            for n in (1, 1000, 1 << 20):
                results += torch_agrees(n)
    gpuprims.release_workspaces()
    status = report(results)
    if options.times:
        measure(options.times)
    return status


if __name__ == "__main__":
    sys.exit(main())
