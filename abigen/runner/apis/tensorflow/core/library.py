"""The core's library from Python: `core.h`, functions of the API that the core calls, and the types of tensors."""

from __future__ import annotations

import os
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from abigen.runner.apis.tensorflow.host.ops import Tensor, from_buffer, size_of

CODES = {
    "float32": 1,
    "float64": 2,
    "int32": 3,
    "uint8": 4,
    "int16": 5,
    "int8": 6,
    "string": 7,
    "complex64": 8,
    "int64": 9,
    "bool": 10,
    "qint8": 11,
    "quint8": 12,
    "qint32": 13,
    "bfloat16": 14,
    "qint16": 15,
    "quint16": 16,
    "uint16": 17,
    "complex128": 18,
    "float16": 19,
    "resource": 20,
    "variant": 21,
    "uint32": 22,
    "uint64": 23,
    "float8_e5m2": 24,
    "float8_e4m3fn": 25,
    "float8_e4m3fnuz": 26,
    "float8_e4m3b11fnuz": 27,
    "float8_e5m2fnuz": 28,
    "int4": 29,
    "uint4": 30,
    "int2": 31,
    "uint2": 32,
    "float4_e2m1fn": 33,
}
"""Name of each element type to its TF_DataType."""

NAMES = {code: name for name, code in CODES.items()}

NOTATION = {"float": "float32", "double": "float64", "half": "float16"}
"""Names of types in op definitions, where they differ from the element type (ops.h, TF_OpDefinitionBuilderAddInput)."""

_REAL = "float32 float64 int32 uint8 int16 int8 int64 bfloat16 uint16 float16 uint32 uint64"
_QUANTIZED = "qint8 quint8 qint32 qint16 quint16"
_NUMBERS = frozenset([*_REAL.split(), *_QUANTIZED.split(), "complex64", "complex128"])

GROUPS = {
    "numbertype": _NUMBERS,
    "numerictype": _NUMBERS,
    "realnumbertype": frozenset(_REAL.split()),
    "quantizedtype": frozenset(_QUANTIZED.split()),
}
"""Names for several types at once (ops.h, TF_OpDefinitionBuilderAddAttr)."""


def type_named(name: str) -> str | None:
    """Return the element type that an op definition means by a name; None when it means none."""
    own = NOTATION.get(name, name)
    return own if own in CODES else None


def name_of(code: int) -> str:
    """Return the element type with a TF_DataType; its number where it has none."""
    return NAMES.get(code, f"data type {code}")


Pointer = Any
"""The type of cffi's pointers and structs."""


class Memory(Protocol):
    """The source of a device's memory."""

    def allocate(self, size: int) -> int:
        """Allocate that many bytes; 0 when there is not enough."""
        ...

    def allocate_guarded(self, size: int) -> int:
        """Allocate the same, where possible with guard bytes around it."""
        ...

    def deallocate(self, address: int) -> None:
        """Free memory that either of them returned."""
        ...


_PUBLIC = """
TSL_Status* TF_NewStatus(void);
void TF_DeleteStatus(TSL_Status*);
int TF_GetCode(const TSL_Status*);
const char* TF_Message(const TSL_Status*);
TF_Tensor* TF_AllocateTensor(int, const int64_t* dims, int num_dims, size_t len);
void TF_DeleteTensor(TF_Tensor*);
int TF_TensorType(const TF_Tensor*);
int TF_NumDims(const TF_Tensor*);
int64_t TF_Dim(const TF_Tensor*, int);
size_t TF_TensorByteSize(const TF_Tensor*);
void* TF_TensorData(const TF_Tensor*);
"""


_kept: list[object] = []
"""Libraries whose callbacks a plugin may still hold: they live as long as the process."""


class Library:
    """The core's library, loaded so that plugins find its functions."""

    def __init__(self, path: Path, own: Path, header: Path, package: str) -> None:
        """Load it.

        Args:
            path: the library in which plugins find the core's functions.
            own: the library that was made for this release, for the checks of structs; it may be the same.
            header: `core.h`.
            package: that the bindings of this release are in.
        """
        from cffi import FFI  # type: ignore[import-untyped, unused-ignore]

        self.ffi: Any = FFI()
        self.ffi.cdef(header.read_text(encoding="utf-8") + _PUBLIC)
        self.path = path
        self.functions: Pointer = self.ffi.dlopen(str(path), os.RTLD_GLOBAL | os.RTLD_NOW)
        self.checks: Pointer = self.ffi.dlopen(str(own), os.RTLD_LOCAL | os.RTLD_NOW)
        self.allocate: Pointer = self.ffi.callback("void*(void*, size_t)", self._allocate)
        """Called with what `memory_of` gives."""
        self.deallocate: Pointer = self.ffi.callback("void(void*, void*, size_t)", self._deallocate)
        """Called with what `memory_of` gives."""
        self._handles: dict[int, tuple[Memory, Pointer]] = {}
        bindings = f"{package}.tensorflow_plugin_api"
        self.stream_executor: ModuleType = import_module(f"{bindings}.stream_executor")
        self.kernels: ModuleType = import_module(f"{bindings}.kernels")
        """Bindings of headers, see `generated/tensorflow/python`."""
        import_module(bindings).core.load(path)
        _kept.append(self)

    def memory_of(self, memory: Memory) -> Pointer:
        """Return the handle that represents a device's memory in C."""
        if id(memory) not in self._handles:
            self._handles[id(memory)] = memory, self.ffi.new_handle(memory)
        return self._handles[id(memory)][1]

    def _allocate(self, memory: Pointer, size: int) -> Pointer:
        found: Memory = self.ffi.from_handle(memory)
        return self.ffi.cast("void*", found.allocate_guarded(size))

    def _deallocate(self, memory: Pointer, address: Pointer, _: int) -> None:
        found: Memory = self.ffi.from_handle(memory)
        found.deallocate(int(self.ffi.cast("uintptr_t", address)))

    def text(self, pointer: Pointer) -> str:
        """Return a text that a plugin or the library has given."""
        found = self.ffi.string(pointer)
        return found.decode("utf-8", "replace") if isinstance(found, bytes) else str(found)

    def texts(self, pointer: Pointer, count: int) -> list[str]:
        """Return several texts."""
        return [self.text(pointer[index]) for index in range(count)]

    def message_of(self, status: Pointer) -> str:
        """Return the message of a status, with the name of its code; empty for success."""
        code = self.functions.TF_GetCode(status)
        if code == 0:
            return ""
        message = self.text(self.functions.TF_Message(status))
        name = self.code_names.get(code, f"code {code}")
        return f"{name}: {message}" if message else str(name)

    @cached_property
    def code_names(self) -> dict[int, str]:
        """TF_Code to its name (tf_status.h)."""
        names = (
            "OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED "
            "RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS "
            "UNAUTHENTICATED"
        )
        return {code: f"TF_{name}" for code, name in enumerate(names.split())}

    def host_tensor(self, array: Tensor) -> Pointer:
        """Return a tensor in the host's memory with a copy of an array, for the caller to delete."""
        dims = self.ffi.new("int64_t[]", list(array.shape))
        tensor = self.functions.TF_AllocateTensor(CODES[array.type], dims, len(array.shape), len(array.data))
        self.ffi.memmove(self.functions.TF_TensorData(tensor), array.data, len(array.data))
        return tensor

    def shape_of(self, tensor: Pointer) -> tuple[int, ...]:
        """Return the shape of a tensor."""
        functions = self.functions
        return tuple(functions.TF_Dim(tensor, axis) for axis in range(functions.TF_NumDims(tensor)))

    def type_of(self, tensor: Pointer) -> str:
        """Return the element type of a tensor."""
        return name_of(self.functions.TF_TensorType(tensor))

    def array_of(self, tensor: Pointer) -> Tensor:
        """Return a copy of a tensor in the host's memory."""
        type, shape = self.type_of(tensor), self.shape_of(tensor)
        size = size_of(type, shape)
        return from_buffer(type, shape, self.ffi.buffer(self.functions.TF_TensorData(tensor), size))
