"""Arrays as kernels take and give them, with or without numpy: literals, `.npy` files, anything with a buffer."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from abigen.model.span import AbigenError

if TYPE_CHECKING:
    from types import ModuleType
    from typing import TypeAlias

    import numpy
    from typing_extensions import Buffer

Scalar: TypeAlias = "bool | int | float | complex"
NestedNumbers: TypeAlias = "Scalar | Sequence[NestedNumbers]"


class ElementType(NamedTuple):
    """How the elements of a type are stored."""

    size: int
    """In bytes."""
    code: str
    """The letter of the `struct` module for one element, or one of its two parts; empty where there is none."""


ELEMENT_TYPES = {
    "float32": ElementType(4, "f"),
    "float64": ElementType(8, "d"),
    "float16": ElementType(2, "e"),
    "bfloat16": ElementType(2, ""),
    "int8": ElementType(1, "b"),
    "int16": ElementType(2, "h"),
    "int32": ElementType(4, "i"),
    "int64": ElementType(8, "q"),
    "uint8": ElementType(1, "B"),
    "uint16": ElementType(2, "H"),
    "uint32": ElementType(4, "I"),
    "uint64": ElementType(8, "Q"),
    "bool": ElementType(1, "?"),
    "complex64": ElementType(8, "f"),
    "complex128": ElementType(16, "d"),
}
"""The types that arrays can have, by the name that numpy gives them."""


@dataclass(frozen=True)
class Tensor:
    """Elements of one type in row-major order, in the byte order of this machine."""

    type: str
    """A key of `ELEMENT_TYPES`."""
    shape: tuple[int, ...]
    data: bytes

    @classmethod
    def of(cls, value: object) -> Tensor:
        """Make an array of whatever is one, or could be.

        Args:
            value: an `Tensor`, an object with numpy's array interface, a number, or nested sequences of numbers, all of
                which become the narrowest of bool, int32, int64 and float32 that holds them.

        Raises:
            AbigenError: it is none of these, it is ragged, or its element type is none that arrays can have.
        """
        if isinstance(value, Tensor):
            return value
        if hasattr(value, "__array_interface__") or hasattr(value, "__array__"):
            return _from_numpy(value)
        return from_nested(value)

    def tolist(self) -> NestedNumbers:
        """The elements as nested lists of Python's numbers, or one number where the rank is 0."""
        return _nest(iter(self.elements()), self.shape)

    def elements(self) -> list[Scalar]:
        """The elements, one after another."""
        kind = ELEMENT_TYPES[self.type]
        if self.type == "bfloat16":
            upper = struct.unpack(f"={len(self.data) // 2}H", self.data)
            return [struct.unpack("=f", struct.pack("=I", each << 16))[0] for each in upper]
        count = len(self.data) // struct.calcsize(f"={kind.code}")
        parts = struct.unpack(f"={count}{kind.code}", self.data)
        if self.type.startswith("complex"):
            return [complex(*pair) for pair in zip(parts[::2], parts[1::2], strict=True)]
        return list(parts)

    def numpy(self) -> numpy.ndarray:
        """The same as an array of numpy; bfloat16, which numpy does not have, as float32.

        Raises:
            AbigenError: numpy is not installed.
        """
        module = _numpy()
        if self.type == "bfloat16":
            upper = module.frombuffer(self.data, "uint16").astype("uint32") << 16
            result: numpy.ndarray = upper.view("float32").reshape(self.shape)
        else:
            result = module.frombuffer(self.data, self.type).reshape(self.shape).copy()
        return result

    def __str__(self) -> str:
        return f"{self.type}[{','.join(map(str, self.shape))}]"


def size_of(type: str, shape: Iterable[int]) -> int:
    """The size of an array in bytes."""
    return ELEMENT_TYPES[type].size * prod(shape)


def from_buffer(type: str, shape: Sequence[int], buffer: Buffer) -> Tensor:
    """An array with a copy of the bytes in a buffer.

    Raises:
        AbigenError: the buffer has another size.
    """
    data = bytes(buffer)
    needed = size_of(type, shape)
    if len(data) != needed:
        raise AbigenError.at(None, f"{len(data)} bytes are no {type}{list(shape)}, which takes {needed}")
    return Tensor(type, tuple(shape), data)


def from_nested(value: object, type: str = "") -> Tensor:
    """An array of a number, or of nested sequences of numbers.

    Args:
        value: the elements; texts like `1+2j` are complex numbers.
        type: of the elements; empty: the narrowest of bool, int32, int64, float32 and complex64 that holds them.

    Raises:
        AbigenError: the sequences differ in length, an element is no number, or does not fit.
    """
    shape = tuple(_shape(value))
    elements = [_number(each) for each in _flatten(value, shape)]
    chosen = type or _narrowest(elements)
    return Tensor(chosen, shape, _pack(elements, chosen))


def parse_array(text: str) -> Tensor:
    """An array as users write it on a command line.

    Args:
        text: the path of a `.npy` file, or a literal like `[[1, 2], [3, 4]]`, with its type before it where the
            narrowest is not meant: `float32:[1, 2]`, `int64:7`; a shape in brackets in between repeats one number:
            `float32[2,3]:0.5`.

    Raises:
        AbigenError: it is none of these; with what is wrong.
    """
    if text.endswith(".npy"):
        return read_npy(Path(text))
    import json

    head, colon, literal = text.partition(":")
    type, bracket, rest = head.partition("[")
    if not colon:
        type, bracket, literal = "", "", text
    if type and type not in ELEMENT_TYPES:
        raise AbigenError.at(None, f"`{text}`: there is no element type `{type}`", _suggest_type(type))
    try:
        value = json.loads(literal)
        shape = json.loads(bracket + rest) if bracket else None
    except (ValueError, RecursionError) as error:
        hint = "write numbers and lists like [[1, 2.5], [3, 4]], or the path of a .npy file"
        raise AbigenError.at(None, f"`{text}` is no array: {error}", hint) from error
    if shape is None:
        return from_nested(value, type)
    if isinstance(value, list) or not all(isinstance(each, int) and each >= 0 for each in shape):
        raise AbigenError.at(None, f"`{text}`: a shape takes lengths, and one number behind the colon")
    one = from_nested(value, type)
    return Tensor(one.type, tuple(shape), one.data * prod(shape))


def read_npy(path: Path) -> Tensor:
    """Read a file as `numpy.save` writes it (NEP 1, format versions 1.0 to 3.0).

    Raises:
        AbigenError: there is no such file, it is no such file, or its type is none that arrays can have.
    """
    from ast import literal_eval

    try:
        content = path.read_bytes()
    except OSError as error:
        raise AbigenError.at(None, f"{path}: {error.strerror}") from error
    if content[:6] != b"\x93NUMPY" or len(content) < 12 or content[6] not in (1, 2, 3):
        raise AbigenError.at(None, f"{path} is no .npy file")
    start = 10 if content[6] == 1 else 12
    length = int.from_bytes(content[8:start], "little")
    try:
        header = literal_eval(content[start : start + length].decode("utf-8"))
        description, shape, column_major = header["descr"], tuple(header["shape"]), header["fortran_order"]
    except (ValueError, SyntaxError, KeyError, TypeError) as error:
        raise AbigenError.at(None, f"{path} has a damaged header") from error
    data = content[start + length :]
    type = _NPY_TYPES.get(str(description)[1:], "")
    if not type:
        raise AbigenError.at(None, f"{path} has elements of type {description!r}", "take one of " + _all_types())
    data = data[: size_of(type, shape)]
    if _is_swapped(str(description)[0]):
        part = struct.calcsize(f"={ELEMENT_TYPES[type].code}")
        data = b"".join(data[i : i + part][::-1] for i in range(0, len(data), part))
    array = from_buffer(type, shape[::-1] if column_major else shape, data)
    return _transpose(array) if column_major and len(shape) > 1 else array


def write_npy(path: Path, array: Tensor) -> None:
    """Write a file as `numpy.save` does (NEP 1, format version 1.0).

    Raises:
        AbigenError: the file cannot be written, or the format has no such element type.
    """
    import sys

    codes = {name: code for code, name in _NPY_TYPES.items()}
    if array.type not in codes:
        raise AbigenError.at(None, f"a .npy file has no elements of type {array.type}")
    order = "|" if ELEMENT_TYPES[array.type].size == 1 else "<" if sys.byteorder == "little" else ">"
    header = repr({"descr": order + codes[array.type], "fortran_order": False, "shape": array.shape})
    text = header.ljust((len(header) + 11 + 63) // 64 * 64 - 11) + "\n"
    try:
        path.write_bytes(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode("ascii") + array.data)
    except OSError as error:
        raise AbigenError.at(None, f"{path}: {error.strerror}") from error


_NPY_TYPES = {
    "f4": "float32", "f8": "float64", "f2": "float16", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64",
    "u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64", "b1": "bool", "c8": "complex64", "c16": "complex128",
}  # fmt: skip


def _is_swapped(order: str) -> bool:
    import sys

    return order == (">" if sys.byteorder == "little" else "<")


def _transpose(array: Tensor) -> Tensor:
    """The array whose indices are in the opposite order."""
    size = ELEMENT_TYPES[array.type].size
    shape = array.shape[::-1]
    steps = [prod(array.shape[len(shape) - axis :]) for axis in range(len(shape))]
    offsets = [0]
    for length, step in zip(shape, steps, strict=True):
        offsets = [offset + index * step for offset in offsets for index in range(length)]
    return Tensor(array.type, shape, b"".join(array.data[each * size : each * size + size] for each in offsets))


def _numpy() -> ModuleType:
    try:
        import numpy
    except ImportError as error:
        raise AbigenError.at(None, "numpy is not installed", "pip install numpy") from error
    return numpy


def _from_numpy(value: object) -> Tensor:
    array = _numpy().asarray(value)
    if array.dtype.name not in ELEMENT_TYPES:
        raise AbigenError.at(None, f"arrays of {array.dtype.name} are not supported", "take one of " + _all_types())
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    return Tensor(array.dtype.name, tuple(array.shape), native.tobytes())


def _shape(value: object) -> Iterator[int]:
    while isinstance(value, list | tuple):
        yield len(value)
        if not value:
            return
        value = value[0]


def _flatten(value: object, shape: tuple[int, ...]) -> Iterator[object]:
    if not shape:
        if isinstance(value, list | tuple):
            raise AbigenError.at(None, "the lists of an array differ in depth")
        yield value
        return
    if not isinstance(value, list | tuple) or len(value) != shape[0]:
        raise AbigenError.at(None, "the lists of an array differ in length or depth")
    for each in value:
        yield from _flatten(each, shape[1:])


def _number(value: object) -> Scalar:
    if isinstance(value, str):
        try:
            return complex(value.replace(" ", ""))
        except ValueError:
            pass
    if isinstance(value, bool | int | float | complex):
        return value
    raise AbigenError.at(None, f"{value!r} is no number")


def _narrowest(elements: Sequence[Scalar]) -> str:
    if any(isinstance(each, complex) for each in elements):
        return "complex64"
    if any(isinstance(each, float) for each in elements) or not elements:
        return "float32"
    if all(isinstance(each, bool) for each in elements):
        return "bool"
    return "int32" if all(-(2**31) <= int(each.real) < 2**31 for each in elements) else "int64"


def _pack(elements: Sequence[Scalar], type: str) -> bytes:
    kind = ELEMENT_TYPES[type]
    try:
        if type.startswith("complex"):
            parts: list[Scalar] = [part for each in elements for part in (complex(each).real, complex(each).imag)]
            return struct.pack(f"={len(parts)}{kind.code}", *parts)
        if type == "bfloat16":
            return struct.pack(f"={len(elements)}H", *map(_upper_half, elements))
        if "int" in type and not all(float(each.real).is_integer() for each in elements):
            raise AbigenError.at(None, f"{type} has no fractions")
        numbers = [int(each.real) if "int" in type else each for each in elements]
        return struct.pack(f"={len(numbers)}{kind.code}", *numbers)
    except (struct.error, OverflowError, TypeError, ValueError) as error:
        raise AbigenError.at(None, f"the numbers do not fit into {type}: {error}") from error


def _upper_half(element: Scalar) -> int:
    """A float's upper 16 bits, rounded to nearest, ties to even."""
    bits: int = struct.unpack("=I", struct.pack("=f", element))[0]
    if element != element:
        return (bits >> 16) | 0x40
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def _nest(elements: Iterator[Scalar], shape: tuple[int, ...]) -> NestedNumbers:
    if not shape:
        return next(elements)
    return [_nest(elements, shape[1:]) for _ in range(shape[0])]


def _suggest_type(type: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(type, ELEMENT_TYPES, 1)
    return f"did you mean `{close[0]}`?" if close else "take one of " + _all_types()


def _all_types() -> str:
    return ", ".join(sorted(ELEMENT_TYPES))
