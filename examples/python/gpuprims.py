"""gpuprims from Python, over its shared library (examples/library): no compiler is needed but for compile().

    import gpuprims, torch

    x = torch.rand(1 << 20, device="cuda")
    gpuprims.sort(x)
    gpuprims.masked_select(x, x > 0.5)
    gpuprims.scan(x, gpuprims.compile(op="a > b ? a : b", type="float"))

Arrays go in as they are, without a copy: those of PyTorch, CuPy, Numba and whatever else has __cuda_array_interface__
or __dlpack__; and NumPy's, where the library is of the CPU backend. They are contiguous and of one dimension, unless a
function says otherwise. What comes out is an array of the same framework. A wrong dtype, device or layout is a
TypeError, a wrong size a ValueError, and both say which argument it is.

Calls are asynchronous, on the current stream of PyTorch or CuPy, or else on that of `with gpuprims.stream(handle):`.
Only a function whose result has as many items as the data say waits, for that number.

The library is the file that GPUPRIMS_LIBRARY names, or libgpuprims.so beside this module, or in the build folder.
docs/python.md says more.
"""
from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import json
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
from typing import Any, Iterator, NamedTuple, Sequence

# NumPy's name of a type, and what C calls it.
C_TYPES = {"bool": "uint8_t", "uint8": "uint8_t", "uint16": "uint16_t", "float16": "gp_half", "int32": "int32_t",
           "uint32": "uint32_t", "int64": "int64_t", "uint64": "uint64_t", "float32": "float", "float64": "double"}
_NAMES = {c: name for name, c in C_TYPES.items()} | {
    "unsigned char": "uint8", "int": "int32", "unsigned": "uint32", "unsigned int": "uint32", "long": "int64",
    "long long": "int64", "unsigned long": "uint64", "unsigned long long": "uint64", "size_t": "uint64"}
_SIZES = {"bool": 1, **{name: int(re.sub(r"\D", "", name)) // 8 for name in C_TYPES if name != "bool"}}
_NUMBERS = {"bool": ctypes.c_uint8, "uint8": ctypes.c_uint8, "int32": ctypes.c_int32, "uint32": ctypes.c_uint32,
            "int64": ctypes.c_int64, "uint64": ctypes.c_uint64, "float32": ctypes.c_float, "float64": ctypes.c_double}
_FORMATS = {"bool": "?", "uint8": "B", "uint16": "H", "float16": "e", "int32": "i", "uint32": "I", "int64": "q",
            "uint64": "Q", "float32": "f", "float64": "d"}
_INVALID_VALUE, _OUT_OF_MEMORY = 1, 2
_ROOT = pathlib.Path(__file__).resolve().parents[2]


class Error(RuntimeError):
    """An error of CUDA."""


class CompileError(ValueError):
    """What compile() was given is wrong: the compiler's first line, and all of them in `log`."""

    def __init__(self, first: str, log: str) -> None:
        super().__init__(first)
        self.log = log


# ---- arrays ----------------------------------------------------------------------------------------

class _View(NamedTuple):
    """An array that somebody else owns."""
    pointer: int
    dtype: str  # a key of C_TYPES, or what the array calls it
    item_bytes: int
    shape: tuple[int, ...]
    is_host: bool
    stream: int | None = None
    device: int | None = None  # if it is known
    read_only: bool = False

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def words(self) -> _View:
        """The same as unsigned integers of that size."""
        return self._replace(dtype=f"uint{8 * self.item_bytes}")


def _dtype_name(dtype: Any) -> str:
    """float32 of a string, of numpy.float32 or its dtype, of torch.float32."""
    return re.findall(r"\w+", getattr(dtype, "__name__", str(dtype)))[-1]


@functools.lru_cache(maxsize=None)
def _of_typestr(typestr: str) -> tuple[str, int]:
    """The name of a type, and its bytes."""
    order, kind, item_bytes = typestr[0], typestr[1], typestr[2:]
    if order == ">":
        raise TypeError("an array is big-endian")
    name = {"i": "int", "u": "uint", "f": "float"}.get(kind, kind) + str(8 * int(item_bytes))
    return "bool" if kind == "b" else name, int(item_bytes)


def _of_interface(interface: dict[str, Any], is_host: bool, name: str) -> _View:
    """By __cuda_array_interface__ or __array_interface__."""
    dtype, size = _of_typestr(interface["typestr"])
    if interface.get("mask") is not None:
        raise TypeError(f"{name} has a mask")
    shape, strides = tuple(interface["shape"]), interface.get("strides")
    if strides is not None:
        _check_layout(shape, [stride // size for stride in strides], name)
    pointer, read_only = interface["data"]
    return _View(pointer or 0, dtype, size, shape, is_host, interface.get("stream"), None, read_only)


@functools.lru_cache(maxsize=None)
def _of_torch_dtype(dtype: Any) -> str:
    return _dtype_name(dtype)


def _of_torch(tensor: Any, name: str) -> _View:
    """What its __cuda_array_interface__ would say, in a fraction of the time."""
    if tensor.requires_grad:
        raise TypeError(f"{name} requires grad, which is not kept; detach() it first")
    if not tensor.is_contiguous():
        _check_layout(tensor.shape, tensor.stride(), name)
    return _View(tensor.data_ptr(), _of_torch_dtype(tensor.dtype), tensor.element_size(), tuple(tensor.shape),
                 not tensor.is_cuda, None, tensor.get_device())


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("dimensions", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


_HOST_DEVICES, _CUDA_DEVICES = (1, 3), (2, 13)  # of DLPack; 13 is managed memory
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def _of_dlpack(array: Any, name: str) -> _View:
    """By DLPack. The capsule stays unused, so that it frees itself; the array keeps its memory."""
    device, _ = array.__dlpack_device__()
    if device not in _HOST_DEVICES + _CUDA_DEVICES:
        raise TypeError(f"{name} is in the memory of neither the host nor a GPU of CUDA")
    stream = None if device in _HOST_DEVICES else _state.stream or 1  # 1: the default stream
    capsule = array.__dlpack__(stream=stream) if stream else array.__dlpack__()
    tensor = _DLTensor.from_address(_capsule_pointer(capsule, b"dltensor"))
    kind = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 6: "bool"}.get(tensor.code, f"kind {tensor.code} ")
    dtype = "bool" if kind == "bool" else f"{kind}{tensor.bits}"
    shape = tuple(tensor.shape[:tensor.dimensions])
    if tensor.strides:
        _check_layout(shape, tensor.strides[:tensor.dimensions], name)
    return _View((tensor.data or 0) + tensor.offset, dtype, tensor.bits * tensor.lanes // 8, shape,
                 device in _HOST_DEVICES)


def _check_layout(shape: Sequence[int], strides: Sequence[int], name: str) -> None:
    """Strides are in items."""
    wanted = 1
    for length, stride in zip(reversed(shape), reversed(strides)):
        if length > 1 and stride != wanted and 0 not in shape:
            raise TypeError(f"{name} is not contiguous: its strides are {tuple(strides)} items, its shape "
                            f"{tuple(shape)}; copy it first")
        wanted *= length


def _view(array: Any, name: str) -> _View:
    """What an argument is, where its memory is checked."""
    if type(array).__module__ == "torch":
        view = _of_torch(array, name)
    elif hasattr(array, "__cuda_array_interface__"):
        view = _of_interface(array.__cuda_array_interface__, False, name)
    elif hasattr(array, "__array_interface__"):
        view = _of_interface(array.__array_interface__, True, name)
    elif hasattr(array, "__dlpack__"):
        view = _of_dlpack(array, name)
    else:
        raise TypeError(f"{name} is a {type(array).__name__}; an array with __cuda_array_interface__ or __dlpack__ is "
                        f"expected" + (", or NumPy's" if library().backend == "cpu" else ""))
    if library().backend == "cuda" and view.is_host:
        raise TypeError(f"{name} is in host memory; the library {library().path} is for CUDA: copy it to the GPU first")
    if library().backend == "cpu" and not view.is_host:
        raise TypeError(f"{name} is in the memory of a GPU; the library {library().path} is of the CPU backend")
    return view


def _flat(array: Any, name: str) -> _View:
    view = _view(array, name)
    if len(view.shape) != 1:
        raise TypeError(f"{name} has {len(view.shape)} dimensions; 1 is expected")
    return view


def _rows(array: Any, name: str) -> _View:
    view = _view(array, name)
    if len(view.shape) != 2:
        raise TypeError(f"{name} has {len(view.shape)} dimensions; 2 are expected")
    return view


def _check_dtype(view: _View, name: str, *expected: str) -> None:
    if view.dtype not in expected:
        raise TypeError(f"{name} is of {view.dtype}; {' or '.join(expected)} is expected")


def _check_size(view: _View, name: str, size: int, of: str) -> None:
    if view.size != size:
        raise ValueError(f"{name} has {view.size} items; {of} has {size}")


class Array:
    """Device memory for programs without a framework; others take it by __cuda_array_interface__."""

    def __init__(self, shape: Sequence[int], dtype: str) -> None:
        self.shape, self.dtype = tuple(shape), dtype
        self.nbytes = math.prod(self.shape) * _SIZES[dtype]
        self._memory = _Memory(self.nbytes)
        kind = {"b": "|b", "u": "<u", "i": "<i", "f": "<f"}[dtype[0]]
        interface = {"shape": self.shape, "typestr": f"{kind}{_SIZES[dtype]}", "data": (self._memory.pointer, False),
                     "version": 3, "strides": None}
        if library().backend == "cuda":
            self.__cuda_array_interface__ = interface | {"stream": self._memory.stream or 1}
        else:
            self.__array_interface__ = interface

    @classmethod
    def of(cls, values: Any) -> Array:
        """A copy of anything with Python's buffer protocol: array.array, a NumPy array."""
        buffer = memoryview(values)
        letter = buffer.format if buffer.format not in ("l", "L") else "q" if buffer.format == "l" else "Q"
        result = cls(buffer.shape or (), {form: name for name, form in _FORMATS.items()}[letter])
        library().copy(result._memory.pointer, (ctypes.c_char * buffer.nbytes).from_buffer_copy(buffer.tobytes()),
                       buffer.nbytes, result._memory.stream)
        return result

    def tolist(self) -> Any:
        """The items in host memory; of no dimension, the item."""
        data = ctypes.create_string_buffer(max(self.nbytes, 1))
        library().copy(data, self._memory.pointer, self.nbytes, self._memory.stream)
        items = list(struct.unpack_from(f"<{math.prod(self.shape)}{_FORMATS[self.dtype]}", data))
        return items if self.shape else items[0]

    def __len__(self) -> int:
        return self.shape[0]

    def first(self, count: int) -> Array:
        """The first items, in the same memory."""
        result = object.__new__(Array)
        result.__dict__.update(self.__dict__, shape=(count,), nbytes=count * _SIZES[self.dtype])
        for name in ("__cuda_array_interface__", "__array_interface__"):
            if name in self.__dict__:
                setattr(result, name, {**self.__dict__[name], "shape": (count,)})
        return result


class _Memory:
    """Memory of the device, freed with its object."""

    def __init__(self, bytes_: int) -> None:
        self.stream, self._library, pointer = _state.stream, library(), ctypes.c_void_p()
        if bytes_:
            self._library.check(self._library.allocate(ctypes.byref(pointer), bytes_, self.stream))
        self.pointer = pointer.value or 0

    def __del__(self) -> None:
        if getattr(self, "pointer", 0):
            self._library.free(self.pointer, self.stream)


def _framework(array: Any) -> str:
    """The package that its class is of: torch, cupy, numba, numpy, …"""
    return type(array).__module__.partition(".")[0]


def _empty(like: Any, shape: Sequence[int], dtype: str) -> Any:
    """A new array of the framework of another one, on its device."""
    framework = _framework(like)
    module: Any = sys.modules.get(framework)
    if framework == "torch":
        return module.empty(tuple(shape), dtype=getattr(module, dtype), device=like.device)
    if framework in ("cupy", "numpy"):
        return module.empty(tuple(shape), dtype)
    if framework == "numba":
        return module.cuda.device_array(tuple(shape), sys.modules["numpy"].dtype(dtype))
    return Array(shape, dtype)


def _first(array: Any, count: int) -> Any:
    return array.first(count) if isinstance(array, Array) else array[:count]


# ---- the library -----------------------------------------------------------------------------------

class _State(threading.local):
    """Of a thread: its stream, where no framework has one, and its workspaces."""
    stream = 0

    def __init__(self) -> None:
        self.workspaces: dict[tuple[int, int], Any] = {}


_state = _State()


@contextlib.contextmanager
def stream(handle: int) -> Iterator[None]:
    """Within this, calls of this thread are on that cudaStream_t, unless the arrays are PyTorch's or CuPy's."""
    before, _state.stream = _state.stream, int(handle)
    try:
        yield
    finally:
        _state.stream = before


def _stream_of(array: Any, view: _View) -> int:
    framework = _framework(array)
    if view.is_host:
        return 0
    if framework == "torch":
        return sys.modules["torch"].cuda.current_stream(array.device).cuda_stream
    if framework == "cupy":
        return sys.modules["cupy"].cuda.get_current_stream().ptr
    return _state.stream or view.stream or 0


class _Parameter(NamedTuple):
    name: str
    c_type: str
    is_array: bool
    is_const: bool
    dtypes: tuple[str, ...]  # what an array may be of; nothing: anything of the right size


class _Function:
    """A function of an instance, called with views (None: NULL) and numbers; the workspace and the stream follow."""

    def __init__(self, instance: Instance, entry: Any, name: str, arguments: str) -> None:
        self.instance, self.name, self.entry = instance, name, entry
        self.parameters = []
        for argument in arguments.split(", "):
            type_, _, name_ = argument.removeprefix("const ").partition(" ")
            c_type = instance.types.get(type_, type_)
            same = C_TYPES.get(_NAMES.get(c_type, ""), c_type)
            dtypes = tuple(dtype for dtype, one in C_TYPES.items() if one == same)
            self.parameters.append(_Parameter(name_.lstrip("*"), c_type, name_.startswith("*"),
                                              argument.startswith("const "), dtypes))
        types = [ctypes.c_void_p if one.is_array else _NUMBERS.get(_NAMES.get(one.c_type, ""))
                 for one in self.parameters]
        self.has_struct = None in types
        entry.argtypes = [one or ctypes.c_void_p for one in types] + [ctypes.c_void_p, ctypes.c_void_p]

    def __call__(self, stream_: int, *arguments: Any) -> None:
        if self.has_struct:
            raise TypeError(f"{self.name}: an argument is a struct, which Python cannot hand over")
        if len(arguments) != len(self.parameters):
            raise TypeError(f"{self.name}: {len(self.parameters)} arguments are expected: "
                            f"{', '.join(one.name for one in self.parameters)}")
        values, device = [], -1
        for parameter, argument in zip(self.parameters, arguments):
            if parameter.is_array and argument is not None:
                if argument.dtype not in parameter.dtypes:
                    self._check(parameter, argument)
                if argument.read_only and not parameter.is_const:
                    raise TypeError(f"{self.name}: {parameter.name} is read-only")
                if argument.pointer and not argument.is_host:
                    device = self._device(argument, parameter.name, device)
                argument = argument.pointer
            values.append(argument)
        here = device if device == -1 else library().device
        if device != here:
            library().device = device
        try:
            error = self.entry(*values, self._workspace(device, stream_), stream_)
        finally:
            if device != here:
                library().device = here
        self.instance.check(error)

    def _check(self, parameter: _Parameter, view: _View) -> None:
        """Of an array that is of none of its dtypes."""
        if parameter.dtypes:
            raise TypeError(f"{self.name}: {parameter.name} is of {view.dtype}; {' or '.join(parameter.dtypes)} is "
                            f"expected")
        expected = self.instance.size_of(parameter.c_type)
        if view.item_bytes != expected:
            raise TypeError(f"{self.name}: the items of {parameter.name} have {view.item_bytes} bytes; those of "
                            f"{parameter.c_type} have {expected}")

    def _device(self, view: _View, name: str, device: int) -> int:
        own = library().device_of(view.pointer) if view.device is None else view.device
        if own < 0:
            raise TypeError(f"{self.name}: {name} is in host memory")
        if device not in (-1, own):
            raise TypeError(f"{self.name}: {name} is on GPU {own}, the arrays before it on GPU {device}")
        return own

    @staticmethod
    def _workspace(device: int, stream_: int) -> Any:
        workspace = _state.workspaces.get((device, stream_))
        if workspace is None:
            workspace = _state.workspaces[device, stream_] = (ctypes.c_uint64 * 8)()
        return workspace


class Instance:
    """The functions of a header for certain types: of the library, or made by compile()."""

    def __init__(self, entries: ctypes.CDLL, prefix: str, functions: dict[str, str], parameters: dict[str, str],
                 has_identity: bool = True) -> None:
        self._entries, self.has_identity = entries, has_identity
        self.types = {"T": parameters.get("TYPE", "int"), "K": parameters.get("KEY", "int"),
                      "V": parameters.get("VALUE", "int"), "INDEX": library().index}
        self.types["I"] = parameters.get("INPUT_TYPE", self.types["T"])
        self.functions = {name: _Function(self, getattr(entries, f"{prefix}_{name}"), name, arguments)
                          for name, arguments in functions.items()}
        self._error = entries.gp_library_error
        self._error.restype = ctypes.c_char_p

    def check(self, error: int) -> None:
        """Raises what an error of its calls is."""
        if error:
            message = self._error(error).decode()
            raise {_INVALID_VALUE: ValueError, _OUT_OF_MEMORY: MemoryError}.get(error, Error)(message)

    def size_of(self, c_type: str) -> int:
        """Bytes of one of its types."""
        letter = next(letter for letter, one in self.types.items() if one == c_type)
        return getattr(self._entries, f"gp_instance_size_{letter}")()

    def function(self, name: str) -> _Function:
        """One of its functions, to be called with views."""
        if name not in self.functions:
            raise TypeError(f"the instance has no {name}; it has {', '.join(self.functions)}")
        return self.functions[name]

    def __getattr__(self, name: str) -> Any:
        """A function of its header, called as in C with arrays in place of pointers."""
        if name == "functions" or name not in self.functions:
            raise AttributeError(name)
        function = self.functions[name]

        def call(*arguments: Any) -> None:
            views = [_view(one, parameter.name) if parameter.is_array and one is not None else one
                     for one, parameter in zip(arguments, function.parameters)]
            first = next((pair for pair in zip(arguments, views) if isinstance(pair[1], _View)), None)
            function(_stream_of(*first) if first else _state.stream, *views, *arguments[len(views):])
        return call


class _Library:
    """The shared library."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path, self._entries = path, ctypes.CDLL(str(path))
        self._entries.gp_library_table.restype = ctypes.c_char_p
        self._entries.gp_library_error.restype = ctypes.c_char_p
        table = json.loads(self._entries.gp_library_table())
        self.version, self.backend, self.index = table["version"], table["backend"], table["index"]
        self.functions: dict[str, dict[str, str]] = table["functions"]
        self._prefixes = {self._key(header, **parameters): (header, prefix, parameters)
                          for header, prefix, parameters in table["instances"]}
        pointer, size = ctypes.c_void_p, ctypes.c_size_t
        self.allocate = self._entry("allocate", pointer, size, pointer)
        self.free = self._entry("free", pointer, pointer)
        self._copy = self._entry("copy", pointer, pointer, size, pointer)
        self._device_of = self._entry("device_of", pointer, pointer)
        self._get_device = self._entry("get_device", pointer)
        self._set_device = self._entry("set_device", ctypes.c_int)
        self._capability = self._entry("capability", pointer)
        self.release = self._entry("workspace_release", pointer, pointer)

    def _entry(self, name: str, *argument_types: Any) -> Any:
        entry = getattr(self._entries, f"gp_library_{name}")
        entry.argtypes = argument_types
        return entry

    @staticmethod
    def _key(header: str, **parameters: str) -> tuple[Any, ...]:
        """What tells instances apart."""
        return (header, parameters.get("INPUT_TYPE", parameters.get("TYPE")), parameters.get("TYPE"),
                *(parameters.get(name) for name in ("OP", "KEY", "VALUE", "DESCENDING")))

    @functools.lru_cache(maxsize=None)
    def find(self, header: str, **parameters: str) -> Instance:
        """The instance with these parameters."""
        found = self._prefixes.get(self._key(header, **parameters))
        if found is None:
            asked = ", ".join(f"{name} {value}".strip() for name, value in parameters.items())
            there = [one[1] for one in self._prefixes.values() if one[0] == header]
            raise TypeError(f"the library has no {header} of {asked}; it has {', '.join(there) or 'none'}, and "
                            f"compile() makes others")
        _, prefix, parameters = found
        functions = self.functions[header + ("+VALUE" if "VALUE" in parameters else "")]
        return Instance(self._entries, prefix, functions, parameters)

    def check(self, error: int) -> None:
        if error:
            raise Error(self._entries.gp_library_error(error).decode())

    def copy(self, to: Any, origin: Any, bytes_: int, stream_: int) -> None:
        self.check(self._copy(to, origin, bytes_, stream_))

    def _number(self, entry: Any, *arguments: Any) -> int:
        number = ctypes.c_int()
        self.check(entry(*arguments, ctypes.byref(number)))
        return number.value

    def device_of(self, pointer: int) -> int:
        return self._number(self._device_of, pointer)

    @property
    def device(self) -> int:
        return self._number(self._get_device)

    @device.setter
    def device(self, device: int) -> None:
        self.check(self._set_device(device))

    @property
    def capability(self) -> int:
        """90 for 9.0; 0 on the CPU backend."""
        return self._number(self._capability)


@functools.lru_cache(maxsize=None)
def library() -> _Library:
    """The library that is in use."""
    named = os.environ.get("GPUPRIMS_LIBRARY")
    places = [pathlib.Path(named)] if named else [pathlib.Path(__file__).with_name("libgpuprims.so"),
                                                  _ROOT / "build/examples/library/libgpuprims.so"]
    for place in places:
        if place.exists():
            return _Library(place)
    raise ImportError(f"there is no {' or '.join(map(str, places))}; GPUPRIMS_LIBRARY names the library of gpuprims")


def release_workspaces() -> None:
    """Frees the scratch memory that this thread's calls have kept."""
    for (_, stream_), workspace in _state.workspaces.items():
        library().check(library().release(workspace, stream_))
    _state.workspaces.clear()


# ---- functions -------------------------------------------------------------------------------------

def _c(dtype: str) -> str:
    """What C calls a type."""
    if dtype not in C_TYPES:
        raise TypeError(f"there is nothing for {dtype}; there are {', '.join(C_TYPES)}")
    return C_TYPES[dtype]


def _output(like: Any, out: Any, shape: Sequence[int], dtype: str) -> tuple[Any, _View]:
    """The array for the results: the caller's, or a new one."""
    if out is None:
        out = _empty(like, shape, dtype)
        return out, _view(out, "out")
    view = _view(out, "out")
    _check_dtype(view, "out", dtype)
    if view.size != math.prod(shape):
        raise ValueError(f"out has {view.size} items; {math.prod(shape)} are expected")
    return out, view


def _sum_type(array: Any, dtype: str) -> str:
    """In what sums of a type are added up, unless something else is asked for: as NumPy and PyTorch."""
    if dtype == "float16":
        return "float32"
    if dtype.startswith("float"):
        return dtype
    return "int64" if dtype[0] in "bi" or _framework(array) == "torch" else "uint64"


def _fold(header: str, op: str | Instance, array: Any, view: _View, dtype: Any = None,
          **more: str) -> tuple[Instance, str]:
    """The instance that folds an array by an operator, and the type of its results."""
    if isinstance(op, Instance):
        return op, _NAMES.get(op.types["T"], view.dtype)
    result = _dtype_name(dtype) if dtype is not None else _sum_type(array, view.dtype) if op == "sum" else view.dtype
    parameters = {"INPUT_TYPE": _c(view.dtype), "TYPE": _c(result), "OP": f"GP_{op.upper()}", **more}
    if op == "sum" and parameters["TYPE"] == "int64_t" and view.dtype not in ("int32", "int64"):
        parameters["TYPE"] = "uint64_t"  # the same bits
    return library().find(header, **parameters), result


def _as_result(instance: Instance, view: _View) -> _View:
    """The view as of the type of the instance's results, where int64 stands for uint64."""
    name = _NAMES.get(instance.types["T"], view.dtype)
    return view._replace(dtype=name) if {name, view.dtype} == {"int64", "uint64"} else view


def _number(array: Any, view: _View, stream_: int) -> int:
    """An int64 in device memory, which is waited for."""
    number = ctypes.c_int64()
    library().copy(ctypes.byref(number), view.pointer, 8, stream_)
    return number.value


def scan(x: Any, op: str | Instance = "sum", *, exclusive: bool = False, init: Any = None, dtype: Any = None,
         out: Any = None) -> Any:
    """Prefix sums, minima or maxima, or those of an operator from compile(). With init, it comes before the first item.
    Sums of integers are int64 or uint64, unless dtype says otherwise; those of float16 float32."""
    view = _flat(x, "x")
    instance, result = _fold("scan", op, x, view, dtype)
    out, out_view = _output(x, out, view.shape, result)
    out_view = _as_result(instance, out_view)
    if init is not None and not exclusive:
        raise ValueError("init goes with exclusive=True")
    if exclusive and init is None and not instance.has_identity:
        raise ValueError("the operator was compiled without an identity, so that its exclusive scan needs init")
    name = "exclusive_scan_init" if init is not None else "exclusive_scan" if exclusive else "inclusive_scan"
    last = [init] if init is not None else []
    instance.function(name)(_stream_of(x, view), view, out_view, view.size, *last)
    return out


def cumsum(x: Any, *, dtype: Any = None, out: Any = None) -> Any:
    """The inclusive prefix sums."""
    return scan(x, "sum", dtype=dtype, out=out)


def reduce(x: Any, op: str | Instance = "sum", *, dtype: Any = None, out: Any = None) -> Any:
    """The sum, min or max of an array of any shape, or the fold by an operator from compile(header="reduce"); an array
    of no dimension. Types as in scan()."""
    view = _view(x, "x")
    instance, result = _fold("reduce", op, x, view, dtype)
    if not view.size and not instance.has_identity:
        raise ValueError("x has no items, and the operator was compiled without an identity")
    out, out_view = _output(x, out, (), result)
    instance.function("reduce")(_stream_of(x, view), view, _as_result(instance, out_view), view.size)
    return out


def row_reduce(x: Any, op: str | Instance = "sum", *, dtype: Any = None, out: Any = None) -> Any:
    """The fold of each row of an array of two dimensions."""
    view = _rows(x, "x")
    instance, result = _fold("segmented", op, x, view, dtype or view.dtype)
    out, out_view = _output(x, out, view.shape[:1], result)
    instance.function("row_reduce")(_stream_of(x, view), view, out_view, *view.shape)
    return out


def row_scan(x: Any, op: str | Instance = "sum", *, exclusive: bool = False, dtype: Any = None, out: Any = None) -> Any:
    """The scan of each row of an array of two dimensions."""
    view = _rows(x, "x")
    instance, result = _fold("segmented", op, x, view, dtype or view.dtype)
    out, out_view = _output(x, out, view.shape, result)
    name = "row_exclusive_scan" if exclusive else "row_inclusive_scan"
    instance.function(name)(_stream_of(x, view), view, out_view, *view.shape)
    return out


def _ends(offsets: Any) -> _View:
    view = _flat(offsets, "offsets")
    _check_dtype(view, "offsets", "int64")
    if not view.size:
        raise ValueError("offsets has no items; there is one more than segments")
    return view


def segment_reduce(x: Any, offsets: Any, op: str | Instance = "sum", *, out: Any = None) -> Any:
    """The fold of each segment: items offsets[s] to offsets[s + 1] - 1. offsets are int64, nondecreasing."""
    view, ends = _flat(x, "x"), _ends(offsets)
    instance, result = _fold("segmented", op, x, view, view.dtype)
    out, out_view = _output(x, out, (ends.size - 1,), result)
    instance.function("segmented_reduce")(_stream_of(x, view), view, out_view, view.size, ends, ends.size - 1)
    return out


def reduce_by_key(keys: Any, x: Any, op: str | Instance = "sum") -> tuple[Any, Any]:
    """For each run of equal neighbouring keys, which are integers, its key and the fold of its items."""
    key, view = _flat(keys, "keys"), _flat(x, "x")
    _check_size(view, "x", key.size, "keys")
    if isinstance(op, Instance):
        instance, result = op, _NAMES.get(op.types["T"], view.dtype)
    else:
        _check_dtype(key, "keys", "int32", "uint32", "int64", "uint64")
        key = key.words()
        instance, result = _fold("by_key", op, x, view, view.dtype, KEY=_c(key.dtype))
    keys_out, out, count = (_empty(keys, (key.size,), _view(keys, "keys").dtype), _empty(x, (key.size,), result),
                            _empty(x, (1,), "int64"))
    stream_, count_view = _stream_of(x, view), _view(count, "count")
    instance.function("reduce_by_key")(stream_, key, view, _view(keys_out, "keys_out")._replace(dtype=key.dtype),
                                        _view(out, "out"), key.size, count_view)
    runs = _number(count, count_view, stream_)
    return _first(keys_out, runs), _first(out, runs)


def _arg(name: str, x: Any) -> Any:
    view = _view(x, "x")
    out = _empty(x, (), "int64")
    instance = library().find("arg_reduce", TYPE=_c(view.dtype))
    if not view.size:
        raise ValueError("x has no items")
    instance.function(name)(_stream_of(x, view), view, _view(out, "out"), view.size)
    return out


def argmin(x: Any) -> Any:
    """The place of the smallest item, of several the first, in an array of any shape taken as flat."""
    return _arg("argmin", x)


def argmax(x: Any) -> Any:
    """The place of the largest item, of several the first."""
    return _arg("argmax", x)


def _sort(keys: Any, values: Any, descending: bool, places: bool, out: Any = None) -> tuple[Any, Any]:
    view = _flat(keys, "keys" if values is not None else "x")
    parameters = _order(view, descending)
    out, out_view = _output(keys, out, view.shape, view.dtype)
    if values is None and not places:
        instance = library().find("radix_sort", **parameters)
        instance.function("radix_sort")(_stream_of(keys, view), view, out_view, view.size)
        return out, None
    value = None if values is None else _flat(values, "values")
    if value is not None:
        _check_size(value, "values", view.size, "keys")
    moved = _empty(keys, view.shape, value.dtype if value else "int64")
    moved_view = _view(moved, "values").words()
    instance = library().find("radix_sort", VALUE=_c(moved_view.dtype), **parameters)
    value = value and value.words()
    instance.function("radix_sort")(_stream_of(keys, view), view, out_view, value, moved_view, view.size)
    return out, moved


def sort(x: Any, *, descending: bool = False, out: Any = None) -> Any:
    """The items in order. NaNs go by their bits: those with a sign before, the others after all numbers."""
    return _sort(x, None, descending, False, out)[0]


def argsort(x: Any, *, descending: bool = False) -> Any:
    """Where each item of the sorted array was, as int64; stable."""
    return _sort(x, None, descending, True)[1]


def sort_by_key(keys: Any, values: Any, *, descending: bool = False) -> tuple[Any, Any]:
    """Keys in order, each with its value, of 4 or 8 bytes; stable."""
    return _sort(keys, values, descending, False)


def _order(view: _View, descending: bool) -> dict[str, str]:
    """The parameters of a sort of such keys."""
    return {"KEY": _c(view.dtype), **({"DESCENDING": ""} if descending else {})}


def row_sort(x: Any, *, descending: bool = False, out: Any = None) -> Any:
    """Each row of an array of two dimensions in order."""
    view = _rows(x, "x")
    out, out_view = _output(x, out, view.shape, view.dtype)
    instance = library().find("segmented_sort", **_order(view, descending))
    instance.function("row_sort")(_stream_of(x, view), view, out_view, *view.shape)
    return out


def segment_sort(x: Any, offsets: Any, *, descending: bool = False, out: Any = None) -> Any:
    """Each segment in order: items offsets[s] to offsets[s + 1] - 1. Others are not copied to the result."""
    view, ends = _flat(x, "x"), _ends(offsets)
    out, out_view = _output(x, out, view.shape, view.dtype)
    instance = library().find("segmented_sort", **_order(view, descending))
    instance.function("segmented_sort")(_stream_of(x, view), view, out_view, view.size, ends, ends.size - 1)
    return out


def topk(x: Any, k: int, *, largest: bool = True) -> tuple[Any, Any]:
    """The k largest items in order, or the smallest, and their places, as int64; of equal ones the first. Of an array
    of two dimensions, those of each row."""
    view = _view(x, "x")
    if len(view.shape) not in (1, 2):
        raise TypeError(f"x has {len(view.shape)} dimensions; 1 or 2 are expected")
    out, places = (_empty(x, (*view.shape[:-1], k), dtype) for dtype in (view.dtype, "int64"))
    instance = library().find("top_k", VALUE="uint64_t", **_order(view, largest))
    instance.function("row_top_k" if len(view.shape) == 2 else "top_k")(
        _stream_of(x, view), view, _view(out, "out"), None, _view(places, "places").words(), *view.shape, k)
    return out, places


def searchsorted(x: Any, queries: Any, *, side: str = "left", out: Any = None) -> Any:
    """Where each query would be put into a sorted array, before what is equal to it or, with side="right", behind; as
    int64."""
    view, query = _flat(x, "x"), _view(queries, "queries")
    _check_dtype(query, "queries", view.dtype)
    if side not in ("left", "right"):
        raise ValueError(f"side is {side!r}; left or right is expected")
    out, out_view = _output(queries, out, query.shape, "int64")
    instance = library().find("search", TYPE=_c(view.dtype))
    instance.function("lower_bound" if side == "left" else "upper_bound")(
        _stream_of(x, view), view, view.size, query, query.size, out_view)
    return out


def merge(a: Any, b: Any, *, out: Any = None) -> Any:
    """Two sorted arrays as one; of equal items those of a are first."""
    first, second = _flat(a, "a"), _flat(b, "b")
    _check_dtype(second, "b", first.dtype)
    out, out_view = _output(a, out, (first.size + second.size,), first.dtype)
    instance = library().find("merge", TYPE=_c(first.dtype))
    instance.function("merge")(_stream_of(a, first), first, first.size, second, second.size, out_view)
    return out


def masked_select(x: Any, mask: Any) -> Any:
    """The items whose mask, a bool or uint8, is not 0, in order."""
    view, flags = _flat(x, "x"), _flat(mask, "mask")
    _check_dtype(flags, "mask", "bool", "uint8")
    _check_size(flags, "mask", view.size, "x")
    out, count = _empty(x, view.shape, view.dtype), _empty(x, (1,), "int64")
    words, stream_, count_view = view.words(), _stream_of(x, view), _view(count, "count")
    instance = library().find("compact", TYPE=_c(words.dtype))
    instance.function("compact_flagged")(stream_, words, flags, _view(out, "out").words(), view.size, count_view)
    return _first(out, _number(count, count_view, stream_))


def nonzero(x: Any) -> Any:
    """The places of the items that are not 0, as int64."""
    view = _flat(x, "x")
    out, count = _empty(x, view.shape, "int64"), _empty(x, (1,), "int64")
    stream_, count_view = _stream_of(x, view), _view(count, "count")
    words = view if view.dtype.startswith("float") else view.words()
    instance = library().find("compact", TYPE=_c(words.dtype))
    instance.function("compact_indices")(stream_, words, _view(out, "out"), view.size, count_view)
    return _first(out, _number(count, count_view, stream_))


def take(x: Any, places: Any, *, out: Any = None) -> Any:
    """x[places]. The places, int64, are not checked."""
    view, map_ = _flat(x, "x"), _flat(places, "places")
    _check_dtype(map_, "places", "int64")
    out, out_view = _output(x, out, map_.shape, view.dtype)
    instance = library().find("scatter", TYPE=_c(view.words().dtype))
    instance.function("gather")(_stream_of(x, view), view.words(), map_, out_view.words(), map_.size)
    return out


def put(out: Any, places: Any, x: Any) -> Any:
    """out[places] = x. The places, int64, are not checked; of several items for one place it gets one."""
    view, map_, out_view = _flat(x, "x"), _flat(places, "places"), _flat(out, "out")
    _check_dtype(map_, "places", "int64")
    _check_dtype(out_view, "out", view.dtype)
    _check_size(map_, "places", view.size, "x")
    instance = library().find("scatter", TYPE=_c(view.words().dtype))
    instance.function("scatter")(_stream_of(x, view), view.words(), map_, out_view.words(), map_.size)
    return out


def unique_consecutive(x: Any, *, return_counts: bool = False) -> Any:
    """The first item of each run of equal neighbours; with return_counts also how long each is, as int64."""
    view = _flat(x, "x")
    words = view if view.dtype.startswith("float") else view.words()
    instance = library().find("run_length", TYPE=_c(words.dtype))
    out, count = _empty(x, view.shape, view.dtype), _empty(x, (1,), "int64")
    out_view, count_view = _view(out, "out")._replace(dtype=words.dtype), _view(count, "count")
    stream_ = _stream_of(x, view)
    if not return_counts:
        instance.function("unique")(stream_, words, out_view, view.size, count_view)
        return _first(out, _number(count, count_view, stream_))
    lengths = _empty(x, view.shape, "int64")
    instance.function("run_length_encode")(stream_, words, out_view, _view(lengths, "lengths"), view.size, count_view)
    runs = _number(count, count_view, stream_)
    return _first(out, runs), _first(lengths, runs)


def bincount(x: Any, bins: int) -> Any:
    """How many items are 0, 1, … bins - 1, of integers; as int64. Others are not counted."""
    view = _view(x, "x")
    if view.dtype.startswith("float"):
        raise TypeError(f"x is of {view.dtype}; integers are expected")
    counts = _empty(x, (bins,), "int64")
    library().find("histogram", TYPE=_c(view.dtype)).function("histogram")(
        _stream_of(x, view), view, _view(counts, "counts").words(), view.size, bins)
    return counts


def histogram(x: Any, bins: int, lower: float, upper: float) -> Any:
    """How many items are in each of so many bins of one width, as int64: x is in bin
    floor(bins * (x - lower) / (upper - lower)). upper itself is in none."""
    view = _view(x, "x")
    counts = _empty(x, (bins,), "int64")
    library().find("histogram", TYPE=_c(view.dtype)).function("histogram_even")(
        _stream_of(x, view), view, _view(counts, "counts").words(), view.size, bins, lower, upper)
    return counts


# ---- instances made at run time --------------------------------------------------------------------

_READY = ("sum", "product", "min", "max", "and", "or", "xor")
# Of a parameter that is an expression: what it gives, and of what.
_EXPRESSIONS = {"op": "{T} op({T} a, {T} b)", "load": "{T} load({I} x)", "pred": "int pred({T} x)",
                "less": "int less({T} a, {T} b)", "equal": "int equal({E} a, {E} b)",
                "bin": "long long bin({T} x, size_t bins)"}
_HEADER_OF = {"op": "scan", "pred": "compact", "less": "merge_sort", "load": "transform", "equal": "run_length",
              "bin": "histogram"}

_SOURCE_END = """
GP_EXTERN_C const char *gp_library_error(cudaError_t error);
GP_EXTERN_C const char *gp_library_error(cudaError_t error)
{
    const int refused = error == cudaErrorInvalidValue && gp_last_error_message()[0];

    return refused ? gp_last_error_message() : cudaGetErrorString(error);
}
"""


def _source(header: str, types: dict[str, str], prelude: str, parameters: dict[str, str]) -> str:
    """The file that compile() compiles. Each expression is a function, on a line 1 of its own."""
    functions = "".join(library().functions[header + ("+VALUE" if "value" in parameters else "")].values())
    lines = ["#include <gpuprims/gpuprims.h>", "typedef struct gp_half { uint16_t bits; } gp_half;", prelude]
    macros = ["#define GP_NAME gp_instance", "#define GP_API GP_EXTERN_C"]
    if "INDEX" in functions:
        macros.append(f"#define GP_INDEX {library().index}")
    for name, value in parameters.items():
        if name in _EXPRESSIONS and not value.startswith("GP_"):
            head = _EXPRESSIONS[name].format(**types).replace(f" {name}(", f" gp_instance_user_{name}(", 1)
            lines += [f"static __host__ __device__ inline {head}", "{", "return", f'#line 1 "{name}"', value, ";", "}",
                      '#line 1 "instance"']
            value = f"gp_instance_user_{name}"
        macros.append(f"#define GP_{name.upper()} {value}")
    sizes = [f"GP_EXTERN_C size_t gp_instance_size_{letter}(void) {{ return sizeof({types[letter]}); }}"
             for letter in "TIKV"]
    return "\n".join([*lines, *macros, f"#include <gpuprims/{header}.cuh>", *sizes, _SOURCE_END])


def _compiler(architecture: int | None) -> list[str]:
    """The command, but for the files."""
    include = os.environ.get("GPUPRIMS_INCLUDE", str(_ROOT))
    if not pathlib.Path(include, "gpuprims/gpuprims.h").exists():
        raise ImportError(f"the headers of gpuprims are not in {include}; GPUPRIMS_INCLUDE names the folder around "
                          f"gpuprims/")
    if library().backend == "cpu":
        return [os.environ.get("CC", "gcc"), "-x", "c", "-std=gnu11", "-O1", "-fwrapv", "-ffp-contract=off", "-pthread",
                "-fPIC", "-shared", "-I", include]
    nvcc = os.environ.get("NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    return [nvcc, "-x", "cu", "-std=c++17", "-O1", "-fmad=false", "-Xcompiler=-fPIC,-fwrapv,-ffp-contract=off",
            "-shared", f"-arch=sm_{architecture or library().capability}", "-I", include]


@functools.lru_cache(maxsize=None)
def _headers_digest(include: str) -> bytes:
    """Of all headers: a changed one makes another instance."""
    digest = hashlib.sha256()
    for path in sorted(pathlib.Path(include, "gpuprims").rglob("*.*h")):
        digest.update(path.read_bytes())
    return digest.digest()


def _built(source: str, command: list[str]) -> pathlib.Path:
    """The shared library of a source: from the cache, or compiled."""
    place = shutil.which(command[0])
    if place is None:
        raise Error(f"there is no compiler {command[0]}")
    status = os.stat(place)
    content = json.dumps([source, command, place, status.st_size, status.st_mtime_ns]).encode()
    name = hashlib.sha256(content + _headers_digest(command[-1])).hexdigest()[:32]
    home = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    folder = pathlib.Path(os.environ.get("GPUPRIMS_CACHE") or pathlib.Path(home, "gpuprims"))
    result = folder / f"{name}.so"
    if result.exists():
        return result
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as work:
        file = pathlib.Path(work, "instance.cu")
        file.write_text(source, encoding="utf-8")
        made = pathlib.Path(work, "instance.so")
        done = subprocess.run([*command, str(file), "-o", str(made)], capture_output=True, text=True, check=False,
                              env={**os.environ, "LC_ALL": "C"})
        if done.returncode:
            log = done.stderr + done.stdout
            raise CompileError(next((line for line in log.splitlines() if "error" in line), log.strip()), log)
        os.replace(made, result)
    return result


def compile(op: str | None = None, *, type: str = "int", header: str | None = None, prelude: str = "",
            architecture: int | None = None, **parameters: Any) -> Instance:
    """An instance of a header with parameters of your own, made by nvcc, or by the C compiler for the CPU backend.

        compile(op="a > b ? a : b", type="float")                     for scan(x, op=…)
        compile(op="a * b", identity="1", type="double", header="reduce")
        compile(pred="x > 0.5f", type="float").compact(x, out, len(x), count)

    The parameters are those of the header without GP_, in small letters: type, input_type, key, value, identity,
    descending, and the expressions op(a, b), load(x), pred(x), less(a, b), equal(a, b) and bin(x, bins), in C. op may
    be sum, min, max, … too. prelude is C before them: structs, functions. Without an identity, scans are inclusive or
    have an init. What the compiler refuses is a CompileError. What it has compiled is kept in GPUPRIMS_CACHE, or
    ~/.cache/gpuprims.

    The functions of the instance are those of the header, called as in C with arrays in place of pointers and without
    the workspace and the stream; and scan(), reduce() and the others that have an `op` take the instance for it."""
    if op is not None:
        parameters["op"] = f"GP_{op.upper()}" if op in _READY else op
    if header is None:
        header = next((_HEADER_OF[name] for name in _HEADER_OF if name in parameters), None)
    if header not in library().functions:
        raise ValueError(f"there is no header {header}; there are "
                         f"{', '.join(name for name in library().functions if '+' not in name)}")
    kept = {name: str(value) for name, value in parameters.items() if value not in (None, False)}
    for name in ("input_type", "key", "value"):
        if name in kept:
            kept[name] = C_TYPES.get(kept[name], kept[name])
    if "descending" in kept:
        kept["descending"] = ""
    if header != "radix_sort":
        kept["type"] = C_TYPES.get(type, type)
    types = {"T": kept.get("type", "int"), "K": kept.get("key", "int"), "V": kept.get("value", "int")}
    types |= {"I": kept.get("input_type", types["T"]), "E": types["K"] if header == "by_key" else types["T"]}
    has_identity = "identity" in kept or not kept.get("op") or kept["op"].startswith("GP_")
    if not has_identity:
        kept["identity"] = "{0}"
    built = _built(_source(header, types, prelude, kept), _compiler(architecture))
    functions = library().functions[header + ("+VALUE" if "value" in kept else "")]
    macros = {name.upper(): value for name, value in kept.items()}
    return Instance(ctypes.CDLL(str(built)), "gp_instance", functions, macros, has_identity)
